//! The facts of a number of records.

use super::numbers::short_down;
use super::{Fact, Numbers, text};
use crate::release::{Flag, ReleasedCount};
use std::fmt;

impl ReleasedCount {
    /// Its facts.
    pub fn facts(&self) -> Vec<Fact> {
        let [low, high] = self.interval;
        let between = format!("from {} to {} {}s with at least 95 % confidence", low.ceil(), high.floor(), self.unit);
        let mut facts = vec![
            Fact::answer("private count", self.value.to_string()).with("value", Numbers::One(self.value)),
            Fact::answer("interval", between)
                .with("interval_low", Numbers::One(low))
                .with("interval_high", Numbers::One(high)),
            Fact::answer("guarantee", format!("{}, {}", self.guarantee, self.adjacency.of_unit(self.unit))),
        ];
        facts.extend(self.trust.map(|trust| Fact::answer("trust", format!("{trust} has to be honest"))));
        facts.extend(self.series.as_ref().map(|at| Fact::answer("period", at.words())));
        facts.push(Fact::detail("mechanism", format!("{}, scale {}", self.mechanism, short_down(self.scale))));
        facts.push(Fact::detail("numerics", self.numerics.name()));
        let entries = self.ledger.iter().chain(&self.ledgers);
        facts.extend(entries.map(|at| Fact::detail("ledger", format!("entry {} of {}", at.entry, at.ledger))));
        facts.push(Fact::detail("made by", format!("karcher {}, schema {}", self.karcher, self.schema)));
        facts.extend(self.seeded.then(|| Fact::note(Flag::Seeded.to_string())));
        facts
    }
}

/// The answer, and what a reader has to know. The alternate form, `{:#}`, has all details.
impl fmt::Display for ReleasedCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text(&self.facts(), f.alternate()).trim_end())
    }
}
