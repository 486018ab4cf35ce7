//! Names of numbers that a layout does not hold, in any order: errors, rates, parts of numbers, other units.

use super::fit::{Columns, Fit};
use super::names::{Called, Names, Naming, Part};
use super::quantities::{is_error, is_linear, is_rate};
use super::units::Unit;
use std::ops::Range;

/// The advice for degrees, minutes and seconds.
const DECIMAL: &str = "convert to decimal degrees with a sign";

impl Columns {
    /// The fit of such names: a contradiction with advice.
    pub(super) fn misnamed(&self, names: &Names) -> Option<Fit> {
        let mut first = 0;
        names.parts.iter().find_map(|part| {
            let columns = first..(first + part.numbers).min(self.tokens.len());
            first = columns.end;
            let as_given = |i: &usize| !names.in_any_unit.contains(i);
            if matches!(part.naming, Naming::Composition) {
                return self.of_mixed_parts(columns, &names.in_any_unit);
            }
            self.derived(part, columns.clone())
                .or_else(|| self.of_several(part, columns.clone()))
                .or_else(|| self.in_no_unit(part, columns.filter(as_given).collect()))
        })
    }

    /// Errors and rates, for which there are other columns.
    fn derived(&self, part: &Part, columns: Range<usize>) -> Option<Fit> {
        let Naming::Called(called) = &part.naming else { return None };
        let words: Vec<&str> = called.iter().flat_map(|called| called.words).copied().collect();
        // the direction of a velocity is a point of a sphere
        let changes = |name: &[String]| part.unit.is_some() && is_rate(name, &words);
        let is_derived = |i: &usize| is_error(&self.tokens[*i], &words) || changes(&self.tokens[*i]);
        let strangers: Vec<usize> = columns.filter(is_derived).collect();
        (!strangers.is_empty())
            .then(|| Fit { strangers, ..Fit::without_order(0, "the coordinates themselves".to_owned()) })
    }

    /// Numbers of several points: `strike1` and `dip2`, `acc_x` and `gyro_y`.
    fn of_several(&self, part: &Part, columns: Range<usize>) -> Option<Fit> {
        let Naming::Called(called) = &part.naming else { return None };
        if !part.groups.is_empty() {
            return None; // each group has an owner of its own
        }
        let owners: Vec<Owner> = columns.clone().map(|i| Owner::of(&self.tokens[i], called)).collect::<Option<_>>()?;
        let differ = owners.iter().enumerate().any(|(i, a)| owners[..i].iter().any(|b| a.differs(b)));
        let wanted = || "columns of one point".to_owned();
        differ.then(|| Fit { strangers: columns.collect(), ..Fit::without_order(0, wanted()) })
    }

    /// Angles in units that no factor brings into the layout's.
    fn in_no_unit(&self, part: &Part, columns: Vec<usize>) -> Option<Fit> {
        let unit = part.unit?;
        let is_called = matches!(part.naming, Naming::Called(_));
        let says = |i: &usize, unit: Unit| self.units(*i, is_called).contains(&unit);
        let remedy = |words: String| Some(Fit { remedy: Some(words), ..Fit::default() });
        let is_part = |i: &usize| says(i, Unit::Sexagesimal);
        if is_called && (columns.iter().any(is_part) || Unit::are_parts(&self.tokens)) {
            return remedy(DECIMAL.to_owned());
        }
        let is_other = |i: &usize| {
            let has_unit = !is_part(i) && self.units(*i, is_called).iter().any(|known| known.factor(unit).is_some());
            says(i, Unit::Other) || (!is_called && !has_unit && is_linear(&self.tokens[*i]))
        };
        if columns.iter().any(is_other) { remedy(format!("convert each to {unit}")) } else { None }
    }
}

/// The owner of a coordinate: the words before its own, and the number behind it.
#[derive(PartialEq)]
pub(super) struct Owner {
    before: String,
    number: Option<String>,
}

impl Owner {
    /// That of a name which says one of these coordinates.
    pub(super) fn of(name: &[String], called: &[Called]) -> Option<Self> {
        let is_number = |token: &&String| token.bytes().all(|b| b.is_ascii_digit());
        let is_symbol = |token: &str| called.iter().any(|called| called.is_symbol(token));
        let says_owner = |token: &&String| !is_number(token) && !is_symbol(token);
        let before = |at: usize| name[..at].iter().filter(says_owner).cloned().collect();
        let says = |at: &usize| {
            (*at..name.len()).any(|end| called.iter().any(|called| called.is_said(&name[*at..=end].concat())))
        };
        if let Some(at) = (0..name.len()).rev().find(says) {
            return Some(Self { before: before(at), number: name[at..].iter().find(is_number).cloned() });
        }
        // `x1`, `x2` and `x3` are numbers of one vector
        let at = name.iter().rposition(|token| is_symbol(token))?;
        Some(Self { before: before(at), number: None })
    }

    /// Whether it has the same words before it.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.before == other.before
    }

    pub(super) fn differs(&self, other: &Self) -> bool {
        let before = !self.before.is_empty() && !other.before.is_empty() && self.before != other.before;
        before || self.number.as_ref().zip(other.number.as_ref()).is_some_and(|(a, b)| a != b)
    }
}
