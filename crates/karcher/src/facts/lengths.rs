//! Distances in text, in the unit of the space and in another one.

use super::numbers::{digits, digits_down, digits_up, short, short_down, short_up};
use super::place::is_of_places;
use crate::manifold::{AngleUnit, Layout, Manifold};
use crate::release::Provenance;

/// The radius of the Earth in kilometers.
const EARTH: f64 = 6371.0;

/// The unit in which distances are printed behind the space's own, or alone.
///
/// ```
/// use karcher::facts::Lengths;
/// assert_eq!(Lengths::default().words(0.05), "0.05");
/// assert_eq!(Lengths::new(1_f64.to_radians(), "°").words(0.05), "0.05 (2.865°)");
/// assert_eq!(Lengths::new(1.0 / 6371.0, "km").words_up(0.05), "0.05 (318.6 km)");
/// assert_eq!(Lengths::new(1_f64.to_radians(), "°").words_down(-0.05), "-0.05 (-2.865°)");
/// assert_eq!(Lengths::new(1_f64.to_radians(), "°").alone().words_down(1e-7), "5.729e-6°");
/// assert_eq!(Lengths::default().alone().words_up(1.0 / 3.0), "0.3334");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lengths {
    unit: Option<(f64, &'static str)>,
    form: Form,
}

/// How a distance is printed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum Form {
    /// With seven digits, and with four in the unit.
    #[default]
    Both,
    /// With four digits in the unit alone.
    Alone,
    /// With four digits in the unit, and in degrees.
    WithDegrees,
}

impl Lengths {
    /// A unit of this size, in the space's own, with its name.
    pub fn new(size: f64, name: &'static str) -> Self {
        Self { unit: Some((size, name)), form: Form::Both }
    }

    /// Degrees where a layout has them and distances are angles.
    pub fn of(layout: Option<&Layout>, manifold: &dyn Manifold) -> Self {
        let in_degrees = layout.is_some_and(|layout| layout.angle_unit() == Some(AngleUnit::Degrees));
        if in_degrees && manifold.distances_are_angles() { Self::degrees() } else { Self::default() }
    }

    /// Kilometers, with degrees, between places on the Earth; degrees where distances are other angles.
    pub(super) fn of_paper(how: &Provenance) -> Self {
        if how.manifold.as_str() == "sphere:2" && how.layout.as_deref().is_some_and(is_of_places) {
            return Self { form: Form::WithDegrees, ..Self::new(1.0 / EARTH, "km") };
        }
        let are_angles = how.manifold.manifold().is_ok_and(|manifold| manifold.distances_are_angles());
        if are_angles { Self::degrees() } else { Self::default() }
    }

    fn degrees() -> Self {
        Self::new(1_f64.to_radians(), "°")
    }

    /// The same, with four digits in the unit alone.
    #[must_use]
    pub fn alone(self) -> Self {
        let form = if self.form == Form::Both { Form::Alone } else { self.form };
        Self { form, ..self }
    }

    /// A distance.
    pub fn words(self, distance: f64) -> String {
        self.printed(distance, digits, short)
    }

    /// A distance that must not become smaller in print.
    pub fn words_up(self, distance: f64) -> String {
        self.printed(distance, digits_up, short_up)
    }

    /// A distance that must not become larger in print.
    pub fn words_down(self, distance: f64) -> String {
        self.printed(distance, digits_down, short_down)
    }

    fn printed(self, distance: f64, digits: fn(f64) -> String, short: fn(f64) -> String) -> String {
        let in_unit = self.unit.map(|(size, name)| {
            let blank = if name == "°" { "" } else { " " };
            format!("{}{blank}{name}", short(distance / size))
        });
        match (in_unit, self.form) {
            (None, Form::Both) => digits(distance),
            (None, Form::Alone | Form::WithDegrees) => short(distance),
            (Some(words), Form::Both) => format!("{} ({words})", digits(distance)),
            (Some(words), Form::Alone) => words,
            (Some(words), Form::WithDegrees) => format!("{words} ({}°)", short(distance.to_degrees())),
        }
    }
}
