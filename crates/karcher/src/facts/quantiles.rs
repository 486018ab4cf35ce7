//! The facts of quantiles.

use super::{Fact, Of};
use crate::release::ReleasedQuantiles;

pub(super) fn facts(of: &Of<'_>, found: &ReleasedQuantiles) -> Vec<Fact> {
    let rows = found.levels.iter().zip(&found.quantiles).zip(&found.intervals).zip(&found.population_intervals);
    let mut facts = vec![Fact::answer("private quantiles", format!("of {}", found.positions.noun()))];
    for (((level, value), interval), [low, high]) in rows {
        let sampled = format!("{} to {}", of.lengths.words_down(*low), of.lengths.words_up(*high));
        let words = format!("{}, {}; of a population {sampled}", of.lengths.words(*value), of.between(*interval));
        facts.push(
            Fact::answer(format!("{level}"), words)
                .with_interval(&format!("quantile_{level}"), *value, *interval)
                .with_interval(&format!("population_quantile_{level}"), *value, [*low, *high]),
        );
    }
    facts.extend(of.promise());
    facts.extend(of.expected_error(false));
    let [low, high] = found.position_range.map(|end| of.lengths.words(end));
    facts.push(Fact::detail("range", format!("from {low} to {high}; others count as its ends")));
    facts.extend(of.noise(""));
    facts.push(of.ball());
    facts
}
