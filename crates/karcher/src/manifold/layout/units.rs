//! Units of angles in the names of columns.

use super::AngleUnit;
use std::fmt;

/// Units of angles that columns are said to have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Layouts(AngleUnit),
    Hours,
    Minutes,
    Seconds,
}

const UNITS: [(Unit, &[&str]); 5] = [
    (Unit::Layouts(AngleUnit::Degrees), &["deg", "degs", "degree", "degrees"]),
    (Unit::Layouts(AngleUnit::Radians), &["rad", "rads", "radian", "radians"]),
    (Unit::Hours, &["hour", "hours", "hr", "hrs"]),
    (Unit::Minutes, &["arcmin", "arcmins", "arcminute", "arcminutes"]),
    (Unit::Seconds, &["arcsec", "arcsecs", "arcsecond", "arcseconds"]),
];

impl Unit {
    /// The units that a name says.
    pub(super) fn said(name: &[String]) -> Vec<Self> {
        let has = |words: &[&str]| name.iter().any(|token| words.contains(&token.as_str()));
        UNITS.iter().filter(|(_, words)| has(words)).map(|(unit, _)| *unit).collect()
    }

    pub(super) fn in_degrees(self) -> f64 {
        match self {
            Self::Layouts(AngleUnit::Degrees) => 1.0,
            Self::Layouts(AngleUnit::Radians) => 1f64.to_degrees(),
            Self::Hours => 15.0,
            Self::Minutes => 1.0 / 60.0,
            Self::Seconds => 1.0 / 3600.0,
        }
    }
}

impl fmt::Display for AngleUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Degrees => "degrees",
            Self::Radians => "radians",
        })
    }
}
