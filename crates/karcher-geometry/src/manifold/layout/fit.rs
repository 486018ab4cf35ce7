//! The fit of column names to a layout.

use super::Layout;
use super::names::{Called, Names, Naming, Part};
use super::other_columns::{Signs, turned};
use super::places::{are_in_space, landmarks};
use super::quantities::{cycle, is_quantity, says_angle};
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
    /// Those that are known by words, which say more than symbols.
    pub(super) words: usize,
    /// Whether names of one group are known in part.
    pub(super) is_partial: bool,
    /// Whether the names stand in groups, so that some may be known and others not.
    pub(super) has_groups: bool,
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

    /// Whether some names are known, and with each all others of its group.
    pub(super) fn is_whole(&self) -> bool {
        self.known > 0 && !self.is_partial
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

    /// The words of the layouts in a name.
    pub(super) fn said(&self, at: usize) -> &[String] {
        &self.said[at]
    }

    /// The units in a name. A time that comes again is one, unless numbers are `called` something.
    pub(super) fn units(&self, at: usize, is_called: bool) -> Vec<Unit> {
        let name = &self.tokens[at];
        let cycle = cycle(name).filter(|_| !is_called).map(Unit::Of);
        let of = name.iter().position(|token| token == "of").filter(|at| *at > 0).unwrap_or(name.len());
        let said = Unit::said(&name[..of], !self.said[at].is_empty() || says_angle(name));
        cycle.into_iter().chain(said).collect()
    }

    /// Whether a name says one of these words.
    pub(super) fn say(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.said.iter().flatten().any(|said| said == word))
    }

    /// Whether a name says one of these words, and none of the `own` ones.
    pub(super) fn say_besides(&self, words: &[&str], own: &[&str]) -> bool {
        let says = |said: &[String], words: &[&str]| said.iter().any(|said| words.contains(&said.as_str()));
        self.said.iter().any(|said| says(said, words) && !says(said, own))
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
        let mut first = 0;
        let fits = names.parts.iter().map(|part| {
            let columns = first..(first + part.numbers).min(self.tokens.len());
            first = columns.end;
            (columns.clone(), self.fit_part(part, columns, names))
        });
        joined(fits)
    }

    /// The fit of some columns.
    fn fit_part(&self, part: &Part, columns: Range<usize>, names: &Names) -> Fit {
        let free = &names.in_any_unit;
        let (tokens, said) = (&self.tokens[columns.clone()], &self.said[columns.clone()]);
        let fit = match &part.naming {
            Naming::Unknown | Naming::Composition => None,
            Naming::Called(called) if part.groups.is_empty() => fit_called(called, tokens, said),
            Naming::Called(called) => Some(fit_groups(called, &part.groups, tokens, said)),
            Naming::Entries(entries) => entries.fit(tokens),
            Naming::Landmarks { blocked, axes } => landmarks(tokens, *blocked, *axes),
        };
        let mut fit = fit.unwrap_or_default();
        let Some(unit) = part.unit else { return fit };
        if let (Naming::Called(called), Signs::Hemispheres) = (&part.naming, part.signs) {
            let turned = turned(names, called, self, columns.clone()).into_iter();
            fit.factors.extend(turned.filter(|at| !free.contains(at)).map(|at| (at, -1.0)));
        }
        for at in columns.filter(|at| !free.contains(at)) {
            let units = self.units(at, matches!(part.naming, Naming::Called(_)));
            match (units.contains(&Unit::Layouts(unit)), units.first()) {
                (true, _) => fit.in_unit += 1,
                (false, other) => fit.factors.extend(other.and_then(|other| Some((at, other.factor(unit)?)))),
            }
        }
        fit
    }

    /// Which of the columns fill a layout of fewer numbers, if each of its numbers is named once.
    pub(super) fn filled(&self, other: &Layout) -> Option<Vec<usize>> {
        let called = other.names().called_alone()?;
        if other.numbers() >= self.said.len() { None } else { self.each_of(called) }
    }

    /// The columns that are called so: one for each.
    pub(super) fn each_of(&self, called: &[Called]) -> Option<Vec<usize>> {
        let column = |called: &Called| {
            let mut found =
                self.said.iter().enumerate().filter(|(_, said)| said.iter().any(|word| called.is_said(word)));
            found.next().filter(|_| found.next().is_none()).map(|(i, _)| i)
        };
        called.iter().map(column).collect()
    }
}

/// The fit of columns in a row, each with its own one.
fn joined(fits: impl Iterator<Item = (Range<usize>, Fit)>) -> Fit {
    let mut all = Fit { order: Some(vec![]), ..Fit::default() };
    for (columns, fit) in fits {
        let first = columns.start;
        all.is_partial |= fit.is_partial || (0 < fit.known && fit.known < columns.len() && !fit.has_groups);
        all.known += fit.known;
        all.words += fit.words;
        all.in_unit += fit.in_unit;
        all.factors.extend(fit.factors);
        all.misplaced |= fit.misplaced;
        all.strangers.extend(fit.strangers.into_iter().map(|i| first + i));
        all.wanted = all.wanted.or(fit.wanted);
        let own = match (fit.misplaced, fit.order) {
            (false, _) => Some(columns.collect::<Vec<_>>()),
            (true, order) => order.map(|order| order.into_iter().map(|i| first + i).collect()),
        };
        all.order = all.order.zip(own).map(|(all, own)| [all, own].concat());
    }
    all.order = all.order.filter(|_| all.misplaced);
    all
}

/// The fit of names that stand in groups side by side, in their order or in the opposite one: the one that explains
/// more names is right. Names of words alone may be in any order.
fn fit_groups(called: &[Called], groups: &[usize], tokens: &[Vec<String>], said: &[Vec<String>]) -> Fit {
    let by_words = fit_called(called, tokens, said).filter(|fit| fit.known == tokens.len());
    if let Some(fit) = by_words {
        return fit;
    }
    let places = |order: &[usize]| -> Vec<Range<usize>> {
        let mut begin = 0;
        let mut places = vec![0..0; groups.len()];
        for &group in order {
            places[group] = begin..begin + groups[group];
            begin += groups[group];
        }
        places
    };
    let forward: Vec<usize> = (0..groups.len()).collect();
    let own = places(&forward);
    let fit_in = |order: &[usize]| {
        let each = places(order).into_iter().zip(&own).map(|(at, slots)| {
            let fit = fit_called(&called[slots.clone()], &tokens[at.clone()], &said[at.clone()]).unwrap_or_default();
            let misplaced = fit.misplaced || (fit.known > 0 && at != *slots);
            let order = if fit.misplaced { fit.order } else { Some((0..at.len()).collect()) };
            (at, Fit { misplaced, order, ..fit })
        });
        Fit { has_groups: true, ..joined(each) }
    };
    let backward: Vec<usize> = forward.iter().rev().copied().collect();
    let (forward, backward) = (fit_in(&forward), fit_in(&backward));
    if backward.known > forward.known { backward } else { forward }
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
        let fit = match assigned(&by_words) {
            order if known == tokens.len() => match order {
                Some(order) => Fit { misplaced, ..Fit::in_order(known, order) },
                None => Fit::without_order(known, missing(called, &by_words)),
            },
            _ if misplaced || is_foreign() => strange(called, &by_words),
            _ => Fit { known, ..Fit::default() },
        };
        return Some(Fit { words: known, ..fit });
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
        // `q0` is of other symbols than `x`
        let ends_in_digit = |name: &&String| name.ends_with(|c: char| c.is_ascii_digit());
        let mixed = ![0, names.len()].contains(&names.iter().filter(ends_in_digit).count());
        (0..names.len()).map(|i| (0..called.len()).filter(|&j| !mixed && is(&called[j], i)).collect()).collect()
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
