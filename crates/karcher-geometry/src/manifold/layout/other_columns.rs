//! Columns next to the chosen ones that change what these say: hemispheres, minutes, quadrants of dips.

use super::fit::{Columns, Fit};
use super::misnamed::Owner;
use super::names::{Called, Names, Naming};
use super::tokens::runs;
use super::units::Unit;
use std::collections::HashSet;
use std::ops::Range;

/// The columns that may change what the numbers of a layout say.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::manifold) enum Signs {
    None,
    /// North or south, east or west, and the minutes of an angle.
    Hemispheres,
    /// The side to which a plane dips.
    Quadrants,
}

/// Words behind a coordinate for the column of its sign: `GPSLatitudeRef`.
const BEHIND: [&str; 16] = [
    "ref",
    "hemisphere",
    "hemispheres",
    "hemi",
    "hem",
    "hemis",
    "dir",
    "direction",
    "cardinal",
    "quadrant",
    "sign",
    "indicator",
    "letter",
    "compass",
    "suffix",
    "nsew",
];

/// Letters and words of opposite directions, which name a sign wherever they stand: `lat_NS`, `N/S`.
const PAIRS: [&str; 12] = [
    "ns",
    "nors",
    "northsouth",
    "northorsouth",
    "ew",
    "eorw",
    "eastwest",
    "eastorwest",
    "we",
    "wore",
    "westeast",
    "sn",
];

/// Words of a sign without a coordinate.
const ALONE: [&str; 6] = ["hemisphere", "hemispheres", "hemi", "hemis", "hemisphäre", "hémisphère"];

/// Words that may stand next to these.
const NEXT: [&str; 14] =
    ["indicator", "ind", "gps", "direction", "dir", "or", "of", "letter", "nmea", "code", "n", "s", "e", "w"];

/// Words of numbers that have their sign.
const SIGNED: [&str; 4] = ["decimal", "signed", "dd", "decdeg"];

/// The advice, which names the columns.
const HEMISPHERES: &str = "make southern and western numbers negative, and drop ";
const MINUTES: &str = "convert to decimal degrees with a sign, and drop ";
const QUADRANTS: &str = "turn each strike so that the plane dips to its right, and drop ";

/// A column of the table.
struct Column<'a> {
    name: &'a str,
    tokens: &'a [String],
    /// The number that it names, its word for it and its owner.
    of: Option<(usize, &'a str, Owner)>,
    is_chosen: bool,
    role: Role,
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Coordinate,
    Sign,
    /// Minutes or seconds of an angle.
    Minutes,
    Other,
}

/// The fit of columns next to others that say their signs or minutes: a contradiction with advice.
pub(super) fn contradiction(names: &Names, chosen: &[impl AsRef<str>]) -> Option<Fit> {
    let mut first = 0;
    names.parts.iter().find_map(|part| {
        let columns = first..(first + part.numbers).min(chosen.len());
        first = columns.end;
        match (&part.naming, part.signs) {
            (Naming::Called(called), Signs::Hemispheres) => hemispheres(called, &names.all, &chosen[columns]),
            (_, Signs::Quadrants) => quadrants(&names.all, &chosen[columns]),
            _ => None,
        }
    })
}

fn hemispheres(called: &[Called], all: &[String], chosen: &[impl AsRef<str>]) -> Option<Fit> {
    let words: HashSet<&str> = called.iter().flat_map(|called| called.words).copied().collect();
    let columns = Columns::new(all, &words);
    let table = table(called, (all, &columns), chosen);
    let is_of_chosen = |at: usize| {
        let sign = &table[at];
        let coordinates = || table.iter().filter(|column| column.role == Role::Coordinate);
        let affected: Vec<&Column<'_>> = match &sign.of {
            Some((slot, word, owner)) => {
                let is_same = |of: &(usize, &str, Owner)| of.0 == *slot && !of.2.differs(owner);
                let rank = |column: &Column<'_>| {
                    column.of.as_ref().filter(|of| is_same(of)).map(|of| (of.1 == *word, of.2.is_like(owner)))
                };
                let best = coordinates().filter_map(rank).max();
                coordinates()
                    .filter(|column| column.is_chosen && rank(column).is_some() && rank(column) == best)
                    .collect()
            }
            None => {
                let near = |at: Option<usize>| table.get(at?).filter(|column| column.role == Role::Coordinate);
                match near(at.checked_sub(1)).or_else(|| near(at.checked_add(1))) {
                    Some(owner) => [owner].into_iter().filter(|owner| owner.is_chosen).collect(),
                    None => coordinates().filter(|column| column.is_chosen).collect(),
                }
            }
        };
        let has_sign = |column: &&Column<'_>| column.tokens.iter().any(|token| SIGNED.contains(&token.as_str()));
        !affected.is_empty() && !affected.iter().any(has_sign)
    };
    let found = |role: Role, advice: &str| {
        let is_it = |at: &usize| table[*at].role == role && !table[*at].is_chosen && is_of_chosen(*at);
        let names: Vec<&str> = (0..table.len()).filter(is_it).map(|at| table[at].name).collect();
        refused(advice, &names)
    };
    found(Role::Minutes, MINUTES).or_else(|| found(Role::Sign, HEMISPHERES))
}

fn table<'a>(
    called: &[Called],
    (all, columns): (&'a [String], &'a Columns),
    chosen: &[impl AsRef<str>],
) -> Vec<Column<'a>> {
    let says = |tokens: &[String], words: &[&str]| tokens.iter().any(|token| words.contains(&token.as_str()));
    let has_extremes = columns.tokens.iter().any(|tokens| says(tokens, &["max", "maximum"]));
    // one of them alone may be nanoseconds, satellites or an equivalent width
    let are_both = ["ns", "ew"].iter().all(|pair| columns.tokens.iter().any(|tokens| tokens == &[*pair]));
    let one = |at: usize| {
        let (name, tokens) = (all[at].as_str(), columns.tokens[at].as_slice());
        let slot = |word: &String| called.iter().position(|called| called.is_said(word));
        let found = columns.said(at).iter().find_map(|word| Some((slot(word)?, word.as_str())));
        let of = found.and_then(|(slot, word)| Some((slot, word, Owner::of(tokens, called)?)));
        let role = match &of {
            Some((_, word, _)) if is_sign_of(tokens, word) => Role::Sign,
            Some(_) if Unit::said(tokens, true).contains(&Unit::Sexagesimal) => {
                if has_extremes && says(tokens, &["min"]) { Role::Other } else { Role::Minutes }
            }
            Some(_) => Role::Coordinate,
            None if is_sign_alone(name, tokens, are_both) => Role::Sign,
            None => Role::Other,
        };
        Column { name, tokens, of, is_chosen: chosen.iter().any(|chosen| chosen.as_ref() == name), role }
    };
    (0..all.len()).map(one).collect()
}

/// Whether a name says the sign of a coordinate with this word.
fn is_sign_of(tokens: &[String], word: &str) -> bool {
    let is_pair = tokens.iter().any(|token| PAIRS.contains(&token.as_str())) || has_pair(tokens);
    is_pair || behind(tokens, word).iter().any(|token| BEHIND.contains(&token.as_str()))
}

/// Whether the letters or words of two directions stand side by side.
fn has_pair(tokens: &[String]) -> bool {
    runs(tokens).any(|(n, run)| n > 1 && PAIRS.contains(&run.as_str()))
}

/// Whether a name says a sign and nothing else.
fn is_sign_alone(name: &str, tokens: &[String], are_both: bool) -> bool {
    let is_any = |token: &String, words: &[&str]| words.contains(&token.as_str());
    let are_known = tokens.iter().all(|token| {
        is_any(token, &ALONE)
            || is_any(token, &NEXT)
            || is_any(token, &PAIRS)
            || ["north", "south", "east", "west"].contains(&token.as_str())
    });
    let is_pair =
        has_pair(tokens) || (tokens.iter().any(|token| is_any(token, &PAIRS)) && (are_both || tokens.len() > 1));
    are_known && !name.is_empty() && (is_pair || tokens.iter().any(|token| is_any(token, &ALONE)))
}

fn quadrants(all: &[String], chosen: &[impl AsRef<str>]) -> Option<Fit> {
    let columns = Columns::new(all, &HashSet::new());
    let says = |at: &usize| {
        columns.tokens[*at].iter().any(|token| ["quadrant", "quad", "dipquadrant", "dipquad"].contains(&token.as_str()))
    };
    let is_chosen = |at: &usize| chosen.iter().any(|chosen| chosen.as_ref() == all[*at]);
    let names: Vec<&str> = (0..all.len()).filter(|at| says(at) && !is_chosen(at)).map(|at| all[at].as_str()).collect();
    refused(QUADRANTS, &names)
}

fn refused(advice: &str, names: &[&str]) -> Option<Fit> {
    (!names.is_empty()).then(|| Fit { remedy: Some(format!("{advice}{}", names.join(", "))), ..Fit::default() })
}

/// The parts of a name behind a word in it.
fn behind<'a>(tokens: &'a [String], word: &str) -> &'a [String] {
    let end = (1..=tokens.len()).find(|end| tokens[..*end].concat().ends_with(word)).unwrap_or(tokens.len());
    &tokens[end..]
}

/// Whether a name says one of some coordinates, and behind it one of these words.
fn says_behind(columns: &Columns, at: usize, called: &[Called], (of, words): (&str, [&str; 2])) -> bool {
    let is_of = |word: &&String| called.iter().any(|called| called.name == of && called.is_said(word));
    let is_one = |token: &String| words.contains(&token.as_str());
    // `lat_s` is no plural
    let singular = |word: &'_ String| word.strip_suffix('s').unwrap_or(word).to_owned();
    columns.said(at).iter().filter(is_of).any(|word| behind(&columns.tokens[at], &singular(word)).iter().any(is_one))
}

/// The columns whose numbers count to the west or to the south, unless the edges of a box are called so.
pub(super) fn turned(names: &Names, called: &[Called], columns: &Columns, range: Range<usize>) -> Vec<usize> {
    let words: HashSet<&str> = called.iter().flat_map(|called| called.words).copied().collect();
    let all = Columns::new(&names.all, &words);
    let sides = [("longitude", ["w", "west"], ["e", "east"]), ("latitude", ["s", "south"], ["n", "north"])];
    let is_turned = |at: &usize| {
        sides.iter().any(|(of, own, other)| {
            let has_other = || (0..names.all.len()).any(|i| says_behind(&all, i, called, (of, *other)));
            says_behind(columns, *at, called, (of, *own)) && !has_other()
        })
    };
    // `lon_s` holds seconds, and so does `lat_s` next to it
    let are_seconds = range.clone().any(|i| says_behind(columns, i, called, ("longitude", ["s", "sec"])));
    if are_seconds { vec![] } else { range.filter(is_turned).collect() }
}
