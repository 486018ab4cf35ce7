//! Units of angles in the names of columns.

use super::AngleUnit;
use std::collections::HashSet;
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

/// A word and the unit that is written behind it without a space: `rarad`.
pub(super) fn without_unit(token: String, vocabulary: &HashSet<&str>) -> Vec<String> {
    if vocabulary.contains(token.as_str()) {
        return vec![token];
    }
    for unit in UNITS.iter().flat_map(|(_, words)| *words) {
        if let Some(word) = token.strip_suffix(unit).filter(|word| vocabulary.contains(word)) {
            return vec![word.to_owned(), (*unit).to_owned()];
        }
    }
    vec![token]
}

impl Unit {
    /// The units that a name says. Its first part says what it is.
    pub(super) fn said(name: &[String]) -> Vec<Self> {
        let behind = if name.len() > 1 { &name[1..] } else { name };
        let has = |words: &[&str]| behind.iter().any(|token| words.contains(&token.as_str()));
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
