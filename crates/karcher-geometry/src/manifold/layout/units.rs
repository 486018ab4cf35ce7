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

/// Letters that are units behind these words, as catalogues of stars write them: `RAh`, `DEd`.
const LETTERS: [(&str, &str, &[&str]); 2] =
    [("h", "hours", &["ra", "raj", "rightascension"]), ("d", "degrees", &["ra", "raj", "de", "dej", "dec"])];

/// The tokens of a name, where units that are written behind a word without a space are tokens of their own: `rarad`,
/// `RAdeg`, `RAh`.
pub(super) fn without_units(tokens: &[String], vocabulary: &HashSet<&str>) -> Vec<String> {
    let mut parts = vec![];
    let mut rest = tokens;
    while let [first, others @ ..] = rest {
        // `RAh` is split into `r` and `ah`
        let two = others.first().and_then(|second| word_and_unit(&format!("{first}{second}"), vocabulary));
        let one = || if vocabulary.contains(first.as_str()) { None } else { word_and_unit(first, vocabulary) };
        rest = if two.is_some() { &others[1..] } else { others };
        parts.extend(two.or_else(one).map_or_else(|| vec![first.clone()], |(word, unit)| vec![word, unit]));
    }
    parts
}

fn word_and_unit(token: &str, vocabulary: &HashSet<&str>) -> Option<(String, String)> {
    let units = UNITS.iter().flat_map(|(_, words)| *words).find_map(|unit| {
        let word = token.strip_suffix(unit).filter(|word| vocabulary.contains(word))?;
        Some((word.to_owned(), (*unit).to_owned()))
    });
    units.or_else(|| {
        LETTERS.iter().find_map(|(letter, unit, words)| {
            let word = token.strip_suffix(letter).filter(|word| words.contains(word) && vocabulary.contains(word))?;
            Some((word.to_owned(), (*unit).to_owned()))
        })
    })
}

impl Unit {
    /// The units that a name says. Its first part says what it is.
    pub(super) fn said(name: &[String]) -> Vec<Self> {
        let behind = if name.len() > 1 { &name[1..] } else { name };
        let has = |words: &[&str]| behind.iter().any(|token| words.contains(&token.as_str()));
        UNITS.iter().filter(|(_, words)| has(words)).map(|(unit, _)| *unit).collect()
    }

    /// What brings numbers into another unit.
    pub(super) fn factor(self, to: AngleUnit) -> f64 {
        self.in_degrees() / Self::Layouts(to).in_degrees()
    }

    fn in_degrees(self) -> f64 {
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
