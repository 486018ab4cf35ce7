//! The fit of column names to a layout.

use super::Layout;
use super::names::{Called, Names, Naming, Part};
use super::places::{are_in_space, landmarks};
use super::quantities::is_quantity;
use super::tokens::{are_a_series, are_consecutive, remainders, runs, said, series, shorter_and_shorter, tokens};
use super::units::{Unit, without_units};
use std::collections::HashSet;
use std::ops::Range;

/// The names of some columns, and their parts.
pub(super) struct Columns {
    pub(super) tokens: Vec<Vec<String>>,
    /// For each name, its words of the layouts.
    said: Vec<Vec<String>>,
}

/// The fit of names to a layout.
#[derive(Default)]
pub(super) struct Fit {
    /// Names with a known meaning.
    pub(super) known: usize,
    /// Names of angles with the right unit.
    pub(super) in_unit: usize,
    /// Names of angles with another unit, and the factors that bring them into the right one.
    pub(super) factors: Vec<(usize, f64)>,
    /// Whether some belong elsewhere.
    pub(super) misplaced: bool,
    /// The order in which all are in their places.
    pub(super) order: Option<Vec<usize>>,
    /// Names among them with another meaning.
    pub(super) strangers: Vec<usize>,
    /// The missing columns, in words.
    pub(super) wanted: Option<String>,
    /// The advice if choosing other columns is not enough.
    pub(super) remedy: Option<String>,
}

impl Fit {
    pub(super) fn suits(&self) -> bool {
        !self.misplaced && self.factors.is_empty()
    }

    /// The fit of names that belong into an order.
    pub(super) fn in_order(known: usize, order: Vec<usize>) -> Self {
        let misplaced = order.iter().enumerate().any(|(i, &at)| i != at);
        Self { known, misplaced, order: Some(order), ..Self::default() }
    }

    /// The fit of names that are right in no order: `wanted` is missing.
    pub(super) fn without_order(known: usize, wanted: String) -> Self {
        Self { known, misplaced: true, wanted: Some(wanted), ..Self::default() }
    }

    /// The same, where those that were not `found` are strangers.
    pub(super) fn with_strangers<T>(found: &[Option<T>], wanted: String) -> Self {
        let strangers: Vec<usize> = (0..found.len()).filter(|&i| found[i].is_none()).collect();
        Self { strangers, ..Self::without_order(found.iter().flatten().count(), wanted) }
    }
}

impl Columns {
    pub(super) fn new(names: &[impl AsRef<str>], vocabulary: &HashSet<&str>) -> Self {
        let parts = |name: &str| without_units(&tokens(name), vocabulary);
        let tokens: Vec<Vec<String>> = names.iter().map(|name| parts(name.as_ref())).collect();
        let said = tokens.iter().map(|name| said(name, vocabulary)).collect();
        Self { tokens, said }
    }

    /// Whether a name says one of these words.
    pub(super) fn say(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.said.iter().flatten().any(|said| said == word))
    }

    /// Whether every name says one of these words.
    pub(super) fn each_says(&self, words: &HashSet<&str>) -> bool {
        self.said.iter().all(|said| said.iter().any(|said| words.contains(said.as_str())))
    }

    /// Whether they are landmarks in space.
    pub(super) fn are_landmarks_in_space(&self) -> bool {
        are_in_space(&self.tokens)
    }

    pub(super) fn fit(&self, names: &Names) -> Fit {
        let mut all = Fit { order: Some(vec![]), ..Fit::default() };
        let mut first = 0;
        for part in &names.parts {
            let end = (first + part.numbers).min(self.tokens.len());
            let fit = self.fit_part(part, first..end, &names.in_any_unit);
            all.known += fit.known;
            all.in_unit += fit.in_unit;
            all.factors.extend(fit.factors);
            all.misplaced |= fit.misplaced;
            all.strangers.extend(fit.strangers.into_iter().map(|i| first + i));
            all.wanted = all.wanted.or(fit.wanted);
            let own = match (fit.misplaced, fit.order) {
                (false, _) => Some((first..end).collect::<Vec<_>>()),
                (true, order) => order.map(|order| order.into_iter().map(|i| first + i).collect()),
            };
            all.order = all.order.zip(own).map(|(all, own)| [all, own].concat());
            first = end;
        }
        all.order = all.order.filter(|_| all.misplaced);
        all
    }

    /// The fit of some columns. Those in places `free` may be in any unit.
    fn fit_part(&self, part: &Part, columns: Range<usize>, free: &[usize]) -> Fit {
        let (tokens, said) = (&self.tokens[columns.clone()], &self.said[columns.clone()]);
        let fit = match &part.naming {
            Naming::Unknown => None,
            Naming::Called(called) => fit_called(called, tokens, said),
            Naming::Entries(entries) => entries.fit(tokens),
            Naming::Landmarks { blocked, axes } => landmarks(tokens, *blocked, *axes),
        };
        let mut fit = fit.unwrap_or_default();
        let Some(unit) = part.unit else { return fit };
        for (at, name) in columns.zip(tokens).filter(|(at, _)| !free.contains(at)) {
            let units = Unit::said(name);
            match (units.contains(&Unit::Layouts(unit)), units.first()) {
                (true, _) => fit.in_unit += 1,
                (false, other) => fit.factors.extend(other.and_then(|other| Some((at, other.factor(unit)?)))),
            }
        }
        fit
    }

    /// Which of the columns fill a layout of fewer numbers, if each of its numbers is named once.
    pub(super) fn filled(&self, other: &Layout) -> Option<Vec<usize>> {
        let [Part { naming: Naming::Called(called), .. }] = &other.names().parts[..] else { return None };
        if other.numbers() >= self.said.len() {
            return None;
        }
        let column = |called: &Called| {
            let mut found =
                self.said.iter().enumerate().filter(|(_, said)| said.iter().any(|word| called.is_said(word)));
            found.next().filter(|_| found.next().is_none()).map(|(i, _)| i)
        };
        called.iter().map(column).collect()
    }
}

fn fit_called(called: &[Called], tokens: &[Vec<String>], said: &[Vec<String>]) -> Option<Fit> {
    // a name with two meanings has none
    let says = |words: &Vec<String>| -> Vec<usize> {
        let slots: Vec<usize> =
            (0..called.len()).filter(|&j| words.iter().any(|word| called[j].is_said(word))).collect();
        if slots.iter().any(|&j| called[j] != called[slots[0]]) { vec![] } else { slots }
    };
    let by_words: Vec<Vec<usize>> = said.iter().map(says).collect();
    let known = by_words.iter().filter(|slots| !slots.is_empty()).count();
    if known > 0 {
        let misplaced = by_words.iter().enumerate().any(|(i, slots)| !slots.is_empty() && !slots.contains(&i));
        let is_own = |word: &String| called.iter().any(|called| called.is_said(word) || called.is_symbol(word));
        let says_other = |i: usize| !said[i].is_empty() && !said[i].iter().any(is_own);
        let is_foreign =
            || (0..tokens.len()).any(|i| by_words[i].is_empty() && (is_quantity(&tokens[i]) || says_other(i)));
        return Some(match assigned(&by_words) {
            order if known == tokens.len() => match order {
                Some(order) => Fit { misplaced, ..Fit::in_order(known, order) },
                None => Fit::without_order(known, missing(called, &by_words)),
            },
            _ if misplaced || is_foreign() => strange(called, &by_words),
            _ => Fit { known, ..Fit::default() },
        });
    }
    let all: Vec<&Vec<String>> = tokens.iter().collect();
    let complete = by_symbols(called, &all).and_then(|slots| assigned(&slots)).filter(|_| tokens.len() > 1);
    let found = complete.map(|order| Fit::in_order(tokens.len(), order)).or_else(|| all_but_one(called, tokens));
    found.or_else(|| out_of_order(tokens))
}

/// The slots of names that all have a symbol of one.
fn by_symbols(called: &[Called], tokens: &[&Vec<String>]) -> Option<Vec<Vec<usize>>> {
    let slots_of = |names: &[String]| -> Vec<Vec<usize>> {
        let is = |called: &Called, i: usize| {
            let stands = |symbol: &&str| {
                names[i] == **symbol || (symbol.chars().count() > 1 && runs(tokens[i]).any(|(_, run)| run == **symbol))
            };
            called.symbols.iter().any(stands) || called.words.contains(&names[i].as_str())
        };
        (0..names.len()).map(|i| (0..called.len()).filter(|&j| is(&called[j], i)).collect()).collect()
    };
    // two names such as max and may end with letters by chance
    let by_chance = |(removed, names): &(usize, Vec<String>)| {
        *removed > 1 && names.len() < 3 && names.iter().any(|name| name.chars().count() == 1)
    };
    let shorter = shorter_and_shorter(remainders(tokens)).enumerate().filter(|shorter| !by_chance(shorter));
    shorter.map(|(_, names)| slots_of(&names)).find(|slots| slots.iter().all(|slots| !slots.is_empty()))
}

/// The fit of three or more names that are numbered from the first to the last, but in another order.
fn out_of_order(tokens: &[Vec<String>]) -> Option<Fit> {
    let numbers = series(tokens).filter(|numbers| numbers.len() > 2 && are_consecutive(numbers))?;
    let wanted = || "the columns in the order of their numbers".to_owned();
    (!numbers.is_sorted()).then(|| Fit::without_order(0, wanted()))
}

/// The fit of names that have symbols, except one: it is a quantity, or unlike three or more others, or leaves a gap in
/// their numbers.
fn all_but_one(called: &[Called], tokens: &[Vec<String>]) -> Option<Fit> {
    let strange = |one: usize| {
        let others = || (0..tokens.len()).filter(move |&i| i != one).map(|i| &tokens[i]);
        let is_unlike = || tokens.len() > 3 && !others().any(|other| are_a_series(other, &tokens[one]));
        let leaves_gap = || series(tokens).is_some_and(|numbers| !are_consecutive(&numbers));
        if tokens.len() < 3 || !(is_quantity(&tokens[one]) || is_unlike() || leaves_gap()) {
            return None;
        }
        let mut slots = by_symbols(called, &others().collect::<Vec<_>>())?;
        let distinct: HashSet<&usize> = slots.iter().filter_map(|slots| slots.first()).collect();
        let are_distinct = distinct.len() == slots.len();
        slots.insert(one, vec![]);
        are_distinct.then(|| self::strange(called, &slots))
    };
    (0..tokens.len()).find_map(strange)
}

/// The fit of names where some have no slot.
fn strange(called: &[Called], slots: &[Vec<usize>]) -> Fit {
    let found: Vec<Option<&usize>> = slots.iter().map(|slots| slots.first()).collect();
    Fit::with_strangers(&found, missing(called, slots))
}

/// The numbers without a name, in words.
fn missing(called: &[Called], slots: &[Vec<usize>]) -> String {
    let is_missing = |j: &usize| !slots.iter().any(|slots| slots.contains(j));
    let names: Vec<&str> = (0..called.len()).filter(is_missing).map(|j| called[j].name).collect();
    format!("the column{} of {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
}

/// An order of names in which each stands in one of its slots, and those without slots take the rest. `None` where
/// there is not one for each.
fn assigned(slots: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut order = vec![None; slots.len()];
    let settled = |i: &usize| slots[*i].contains(i);
    (0..slots.len()).filter(settled).for_each(|i| order[i] = Some(i));
    for i in (0..slots.len()).filter(|i| !settled(i) && !slots[*i].is_empty()) {
        let free = slots[i].iter().copied().find(|&j| order[j].is_none())?;
        order[free] = Some(i);
    }
    let mut rest = (0..slots.len()).filter(|&i| slots[i].is_empty());
    order.into_iter().map(|name| name.or_else(|| rest.next())).collect()
}
