//! Distances in text, in the unit of the space and in another one.

use super::numbers::{digits, digits_down, digits_up};
use crate::manifold::{AngleUnit, Layout, Manifold};
use karcher_geometry::error::{RoundedDown, RoundedUp};

/// The unit in which distances are printed behind the space's own.
///
/// ```
/// use karcher::describe::Lengths;
/// assert_eq!(Lengths::default().words(0.05), "0.05");
/// assert_eq!(Lengths::new(1_f64.to_radians(), "°").words(0.05), "0.05 (2.865°)");
/// assert_eq!(Lengths::new(1.0 / 6371.0, "km").words_up(0.05), "0.05 (318.6 km)");
/// assert_eq!(Lengths::new(1_f64.to_radians(), "°").words_down(-0.05), "-0.05 (-2.865°)");
/// assert_eq!(Lengths::new(1_f64.to_radians(), "°").words_down(1e-7), "1e-7 (5.729e-6°)");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lengths {
    unit: Option<(f64, &'static str)>,
}

impl Lengths {
    /// A unit of this size, in the space's own, with its name.
    pub fn new(size: f64, name: &'static str) -> Self {
        Self { unit: Some((size, name)) }
    }

    /// Degrees where a layout has them and distances are angles.
    pub fn of(layout: Option<&Layout>, manifold: &dyn Manifold) -> Self {
        let in_degrees = layout.is_some_and(|layout| layout.angle_unit() == Some(AngleUnit::Degrees));
        let degree = (1_f64.to_radians(), "°");
        Self { unit: Some(degree).filter(|_| in_degrees && manifold.distances_are_angles()) }
    }

    /// A distance.
    pub fn words(self, distance: f64) -> String {
        digits(distance) + &self.in_unit(distance, short)
    }

    /// A distance that must not become smaller in print.
    pub fn words_up(self, distance: f64) -> String {
        digits_up(distance) + &self.in_unit(distance, short_up)
    }

    /// A distance that must not become larger in print.
    pub fn words_down(self, distance: f64) -> String {
        digits_down(distance) + &self.in_unit(distance, short_down)
    }

    fn in_unit(self, distance: f64, digits: fn(f64) -> String) -> String {
        match self.unit {
            None => String::new(),
            Some((size, name)) => {
                format!(" ({}{}{name})", digits(distance / size), if name == "°" { "" } else { " " })
            }
        }
    }
}

/// Four significant digits, which is as well as the Earth is a sphere.
fn short(x: f64) -> String {
    digits(format!("{x:.3e}").parse().unwrap_or(x))
}

/// The same, rounded up, apart from the rounding of the unit.
fn short_up(x: f64) -> String {
    RoundedUp(x - 1e-12 * x.abs()).to_string()
}

/// The same, rounded down.
fn short_down(x: f64) -> String {
    RoundedDown(x + 1e-12 * x.abs()).to_string()
}
