//! Lengths as users type them: `0.35`, `20deg`, `0.35rad`, `2000km`.

use crate::Failure;
use crate::output::{digits, digits_up};
use karcher::Space;
use std::str::FromStr;

/// The radius of the sphere on which kilometers and meters are measured: the Earth's mean radius.
pub const EARTH_KM: f64 = 6371.0;

/// A number and its unit. What it means depends on the space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    number: f64,
    unit: Option<Unit>,
}

/// A unit of length on a sphere, or of angles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Radian,
    Degree,
    Kilometer,
    Meter,
}

impl Unit {
    /// Names, none of which ends in one that comes before it.
    const ALL: [(&'static str, Self); 5] = [
        ("rad", Self::Radian),
        ("deg", Self::Degree),
        ("°", Self::Degree),
        ("km", Self::Kilometer),
        ("m", Self::Meter),
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Radian => "rad",
            Self::Degree => "°",
            Self::Kilometer => "km",
            Self::Meter => "m",
        }
    }

    /// Radians in one of it.
    fn radians(self) -> f64 {
        match self {
            Self::Radian => 1.0,
            Self::Degree => 1f64.to_radians(),
            Self::Kilometer => 1.0 / EARTH_KM,
            Self::Meter => 1e-3 / EARTH_KM,
        }
    }

    /// Whether lengths on a space are measured in it: angles where distances are angles, kilometers on the Earth.
    fn fits(self, space: Space) -> bool {
        match self {
            Self::Radian | Self::Degree => matches!(space, Space::Sphere(_) | Space::Kendall(_)),
            Self::Kilometer | Self::Meter => space == Space::Sphere(2),
        }
    }
}

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let unit = Unit::ALL.into_iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)));
        let (number, unit) = unit.map_or((text, None), |(number, unit)| (number.trim_end(), Some(unit)));
        match number.parse() {
            Ok(number) => Ok(Self { number, unit }),
            Err(_) => Err("expected a number, if need be with a unit: 0.35, 0.35rad, 20deg or 2000km".to_owned()),
        }
    }
}

impl Length {
    /// A number in the space's own unit of distance.
    pub fn plain(number: f64) -> Self {
        Self { number, unit: None }
    }

    /// The length in the space's own unit of distance; `option` is what the user gave it to.
    pub fn on(self, space: Space, option: &str) -> Result<f64, Failure> {
        match self.unit {
            Some(unit) if !unit.fits(space) => Err(format!(
                "{option} {}{}: distances on {space} are not measured in {}; give a plain number, in the unit of distance of the space",
                digits(self.number),
                unit.name(),
                unit.name()
            )
            .into()),
            _ => Ok(self.number * self.unit.map_or(1.0, Unit::radians)),
        }
    }

    /// A distance in words: in the space's own unit, and beside it in the unit this length was given in.
    pub fn words(self, distance: f64) -> String {
        digits(distance) + &self.beside(distance)
    }

    /// The same for a distance that must not become smaller in print.
    pub fn words_up(self, distance: f64) -> String {
        digits_up(distance) + &self.beside(distance)
    }

    fn beside(self, distance: f64) -> String {
        match self.unit {
            None | Some(Unit::Radian) => String::new(),
            Some(Unit::Degree) => format!(" ({}°)", short(distance / Unit::Degree.radians())),
            Some(unit) => format!(" ({} {})", short(distance / unit.radians()), unit.name()),
        }
    }
}

/// Four significant digits, which is as well as the Earth is a sphere.
fn short(x: f64) -> String {
    digits(format!("{x:.3e}").parse().unwrap_or(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(text: &str, space: Space) -> f64 {
        text.parse::<Length>().unwrap().on(space, "--radius").unwrap()
    }

    #[test]
    fn one_length_in_every_unit() {
        let sphere = Space::Sphere(2);
        for text in ["0.5", "0.5rad", "0.5 rad", "28.64788975654116deg", "28.64788975654116°", "3185.5km", "3185500 m"]
        {
            assert!((on(text, sphere) - 0.5).abs() < 1e-15, "{text}");
        }
        assert_eq!(on("2", Space::Euclidean(3)), 2.0);
    }

    #[test]
    fn units_that_a_space_does_not_have_are_refused() {
        for (text, space) in [
            ("20deg", Space::Euclidean(2)),
            ("1rad", Space::SpdLogEuclidean(3)),
            ("5km", Space::Sphere(3)),
            ("5m", Space::Kendall(5)),
        ] {
            let refused = text.parse::<Length>().unwrap().on(space, "--radius").unwrap_err().to_string();
            assert!(refused.starts_with("--radius "), "{refused}");
        }
        for text in ["", "deg", "km", "1mile", "1 2", "1degdeg"] {
            assert!(text.parse::<Length>().is_err(), "{text}");
        }
    }

    #[test]
    fn distances_are_told_in_the_unit_that_was_typed() {
        let words = |text: &str| text.parse::<Length>().unwrap().words(0.05);
        assert_eq!(words("0.9"), "0.05");
        assert_eq!(words("2000km"), "0.05 (318.6 km)");
        assert_eq!(words("20deg"), "0.05 (2.865°)");
    }
}
