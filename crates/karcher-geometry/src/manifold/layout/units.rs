//! Units in the names of columns.

use super::AngleUnit;
use super::tokens::runs;
use std::collections::HashSet;
use std::fmt;

/// Units that columns are said to have.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Unit {
    Layouts(AngleUnit),
    Hours,
    /// Degrees in one of them.
    Of(f64),
    /// A part of a sexagesimal number, or all of them in one number.
    Sexagesimal,
    /// A length, a field, or a unit that differs from country to country.
    Other,
}

const UNITS: [(Unit, &[&str]); 13] = [
    (Unit::Layouts(AngleUnit::Degrees), &["deg", "degs", "degree", "degrees", WHOLE_DEGREES]),
    (Unit::Layouts(AngleUnit::Radians), &["rad", "rads", "radian", "radians"]),
    (Unit::Hours, &["hour", "hours", "hr", "hrs", "hh", "oclock", "stunde", "heure", "hora"]),
    (Unit::Of(1.0 / 60.0), &["arcmin", "arcmins", "arcminute", "arcminutes"]),
    (Unit::Of(1.0 / 3600.0), &["arcsec", "arcsecs", "arcsecond", "arcseconds"]),
    (Unit::Of(1.0 / 3_600_000.0), &["mas"]),
    (Unit::Of(0.9), &["gon", "gons", "gradian", "gradians"]),
    (Unit::Of(360.0), &["turn", "turns", "cycle", "cycles", "rev", "revolution", "revolutions"]),
    (Unit::Of(1e-7), &["e7"]),
    (Unit::Of(1e-6), &["e6"]),
    (Unit::Of(0.01), &["x100"]),
    (
        Unit::Sexagesimal,
        &["min", "mins", "minute", "minutes", "sec", "seconds", "dms", "hms", "ddmm", "ddmmss", "ns", "ew", "sign"],
    ),
    // a grad is a gon, and in German a degree
    (Unit::Other, &["grad", "grads", "nt", "mt", "mm", "km", "metres", "meters"]),
];

/// The meaning of a letter behind a word: degrees, or with a column of hours the whole ones alone.
const WHOLE_DEGREES: &str = "whole degrees";

/// Letters that are units behind these words, as catalogues of stars write them: `RAh`, `DEd`.
const LETTERS: [(&str, &str, &[&str]); 4] = [
    ("h", "hours", &["ra", "raj", "rightascension"]),
    ("d", WHOLE_DEGREES, &["ra", "raj", "de", "dej", "dec"]),
    ("m", "minutes", &["ra", "raj", "de", "dej"]),
    ("s", "seconds", &["ra", "raj", "de", "dej"]),
];

/// The tokens of a name, where units that are written behind a word without a space are tokens of their own: `rarad`,
/// `RAdeg`, `RAh`.
pub(super) fn without_units(tokens: &[String], vocabulary: &HashSet<&str>) -> Vec<String> {
    let mut parts = vec![];
    let mut rest = tokens;
    while let [first, others @ ..] = rest {
        // `RAh` is split into `r` and `ah`
        let two = others.first().and_then(|second| word_and_unit(&format!("{first}{second}"), vocabulary));
        // `rad` is no right ascension in degrees
        let is_unit = || UNITS.iter().any(|(_, words)| words.contains(&first.as_str()));
        let is_whole = vocabulary.contains(first.as_str()) || is_unit();
        let one = || if is_whole { None } else { word_and_unit(first, vocabulary) };
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
    /// The units in a name. Its first part is its meaning, or hours if nothing else `has_meaning` there: `hour_utc`.
    pub(super) fn said(name: &[String], has_meaning: bool) -> Vec<Self> {
        let behind = if name.len() > 1 { &name[1..] } else { name };
        let has = |of: &[String], words: &[&str]| runs(of).any(|(_, run)| words.contains(&run.as_str()));
        let is_said = |(unit, words): &&(Self, &[&str])| {
            has(behind, words) || (*unit == Self::Hours && !has_meaning && has(name, words))
        };
        UNITS.iter().filter(is_said).map(|(unit, _)| *unit).collect()
    }

    /// Whether names are parts of sexagesimal numbers: `RAh` and `DEd`.
    pub(super) fn are_parts(names: &[Vec<String>]) -> bool {
        let are_whole = names.iter().flatten().any(|token| token == WHOLE_DEGREES);
        are_whole && names.iter().any(|name| Self::said(name, true).contains(&Self::Hours))
    }

    /// The factor that brings numbers into another unit, if there is one.
    pub(super) fn factor(self, to: AngleUnit) -> Option<f64> {
        Some(self.in_degrees()? / Self::Layouts(to).in_degrees()?)
    }

    fn in_degrees(self) -> Option<f64> {
        match self {
            Self::Layouts(AngleUnit::Degrees) => Some(1.0),
            Self::Layouts(AngleUnit::Radians) => Some(1f64.to_degrees()),
            Self::Hours => Some(15.0),
            Self::Of(degrees) => Some(degrees),
            Self::Sexagesimal | Self::Other => None,
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
