//! How names of columns suit a layout.

use super::Layout;
use super::names::{Called, Names, Naming, Part};
use super::places::landmarks;
use super::tokens::{remainders, runs, said, shorter_and_shorter, tokens};
use super::units::{Unit, without_unit};
use std::collections::HashSet;

/// The names of some columns, and what is in them.
pub(super) struct Columns {
    tokens: Vec<Vec<String>>,
    /// Of each the words of the layouts that it says.
    said: Vec<Vec<String>>,
}

/// How names suit a layout.
pub(super) struct Fit {
    /// Names that say what they are.
    pub(super) known: usize,
    /// Names of angles that say the right unit.
    pub(super) in_unit: usize,
    /// Some say another unit, which is this one.
    pub(super) other_unit: Option<Unit>,
    /// All say that unit.
    pub(super) all_in_other: bool,
    /// Some say that they belong elsewhere.
    pub(super) misplaced: bool,
    /// The order in which all are where they belong.
    pub(super) order: Option<Vec<usize>>,
}

impl Fit {
    pub(super) fn suits(&self) -> bool {
        !self.misplaced && self.other_unit.is_none()
    }

    fn of_part(known: usize, order: Option<Vec<usize>>, misplaced: bool) -> Self {
        Self { known, in_unit: 0, other_unit: None, all_in_other: false, misplaced, order }
    }
}

impl Columns {
    pub(super) fn new(names: &[impl AsRef<str>], vocabulary: &HashSet<&str>) -> Self {
        let parts = |name: &str| tokens(name).into_iter().flat_map(|token| without_unit(token, vocabulary)).collect();
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

    pub(super) fn fit(&self, names: &Names) -> Fit {
        let mut all = Fit::of_part(0, Some(vec![]), false);
        let mut first = 0;
        for part in &names.parts {
            let end = (first + part.numbers).min(self.tokens.len());
            let fit = self.fit_part(part, first..end);
            all.known += fit.known;
            all.in_unit += fit.in_unit;
            all.other_unit = all.other_unit.or(fit.other_unit);
            all.all_in_other |= fit.all_in_other;
            all.misplaced |= fit.misplaced;
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

    fn fit_part(&self, part: &Part, columns: std::ops::Range<usize>) -> Fit {
        let (tokens, said) = (&self.tokens[columns.clone()], &self.said[columns]);
        let mut fit = match &part.naming {
            Naming::Unknown => Fit::of_part(0, None, false),
            Naming::Called(called) => fit_called(called, tokens, said),
            Naming::Entries(entries) => of_order(tokens.len(), entries.order(tokens)),
            Naming::Landmarks { blocked } => match landmarks(tokens, *blocked) {
                Some(found) => Fit::of_part(tokens.len(), found.order, found.misplaced),
                None => Fit::of_part(0, None, false),
            },
        };
        if let Some(unit) = part.unit.map(Unit::Layouts) {
            let said: Vec<Vec<Unit>> = tokens.iter().map(|name| Unit::said(name)).collect();
            for units in &said {
                match (units.contains(&unit), units.first()) {
                    (true, _) => fit.in_unit += 1,
                    (false, Some(other)) => fit.other_unit = Some(*other),
                    (false, None) => {}
                }
            }
            fit.all_in_other = fit.in_unit == 0 && said.iter().all(|units| units.first().copied() == fit.other_unit);
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
            let mut found = self.said.iter().enumerate().filter(|(_, said)| called.is_said(said));
            found.next().filter(|_| found.next().is_none()).map(|(i, _)| i)
        };
        called.iter().map(column).collect()
    }
}

/// The fit of names that are known to belong into an order.
fn of_order(n: usize, order: Option<Vec<usize>>) -> Fit {
    match order {
        Some(order) => {
            let misplaced = order.iter().enumerate().any(|(i, &at)| i != at);
            Fit::of_part(n, Some(order), misplaced)
        }
        None => Fit::of_part(0, None, false),
    }
}

fn fit_called(called: &[Called], tokens: &[Vec<String>], said: &[Vec<String>]) -> Fit {
    // a name that says two things says nothing
    let says = |words: &Vec<String>| -> Vec<usize> {
        let slots: Vec<usize> = (0..called.len()).filter(|&j| called[j].is_said(words)).collect();
        if slots.iter().any(|&j| called[j] != called[slots[0]]) { vec![] } else { slots }
    };
    let by_words: Vec<Vec<usize>> = said.iter().map(says).collect();
    let known = by_words.iter().filter(|slots| !slots.is_empty()).count();
    if known > 0 {
        let misplaced = by_words.iter().enumerate().any(|(i, slots)| !slots.is_empty() && !slots.contains(&i));
        return Fit::of_part(known, assigned(&by_words), misplaced);
    }
    let slots_of = |names: &[String]| -> Vec<Vec<usize>> {
        let is = |called: &Called, i: usize| {
            let stands = |symbol: &&str| {
                names[i] == **symbol || (symbol.chars().count() > 1 && runs(&tokens[i]).any(|(_, run)| run == **symbol))
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
    let complete = shorter
        .map(|(_, names)| slots_of(&names))
        .find_map(|slots| if slots.iter().any(Vec::is_empty) { None } else { assigned(&slots) });
    of_order(tokens.len(), complete.filter(|_| tokens.len() > 1))
}

/// An order of names in which each stands in one of its slots, and those without stand in what is left. `None` where
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
