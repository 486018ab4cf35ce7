//! The facts of a score of predictions, and of a choice among candidates.

use super::numbers::{short, short_down, short_up};
use super::{Fact, Numbers, Of};
use crate::release::{PrivacyUnit, ReleasedScore, ReleasedSelection};
use crate::spec::Metric;

pub(super) fn facts(of: &Of<'_>, score: &ReleasedScore) -> Vec<Fact> {
    let between = between(score.score_interval);
    let mut facts = vec![
        Fact::answer(format!("private {}", score.metric.noun()), format!("{}, {between}", short(score.score)))
            .with_interval("score", score.score, score.score_interval),
    ];
    if score.metric == Metric::Confusion {
        facts.extend(matrix(of, score));
    }
    facts.extend(promise(of));
    facts.extend(of.expected_error(false));
    facts.extend(of.noise(""));
    facts
}

/// An interval, rounded outwards.
pub(super) fn between([low, high]: [f64; 2]) -> String {
    format!("from {} to {} with 95 % confidence", short_down(low), short_up(high))
}

/// A row of a confusion matrix for each actual label.
fn matrix(of: &Of<'_>, score: &ReleasedScore) -> Vec<Fact> {
    let labels = &score.labels;
    let most = of.how.n.map_or(f64::MAX, |n| n as f64);
    let cells = score.cells(most);
    let mut facts: Vec<Fact> = vec![];
    for (label, row) in labels.iter().zip(cells.chunks(labels.len().max(1))) {
        let numbers: Vec<String> =
            row.iter().zip(labels).map(|(count, predicted)| format!("{count:.1} as {predicted}")).collect();
        let fact = Fact::answer(format!("actual {label}"), numbers.join(", "));
        facts.push(fact.with(format!("predicted_of_{label}"), Numbers::Point(row.to_vec())));
    }
    let words = format!("±{} {}s each with 95 % confidence", short_up(score.half_width), of.how.unit);
    facts.push(Fact::answer("cells", words));
    facts
}

/// The guarantee, and the number of records or persons.
fn promise(of: &Of<'_>) -> Vec<Fact> {
    let mut facts = of.promise();
    let name = match of.how.unit {
        PrivacyUnit::Person => "persons",
        PrivacyUnit::Record => "records",
    };
    for fact in facts.iter_mut().filter(|fact| fact.name == "space") {
        (fact.name, fact.words) = (name.to_owned(), of.how.how_many());
    }
    facts
}

pub(super) fn selection(of: &Of<'_>, chosen: &ReleasedSelection) -> Vec<Fact> {
    let mut facts = vec![
        Fact::answer("private choice", chosen.candidate.clone()).with("selected", Numbers::One(chosen.selected as f64)),
        Fact::answer("candidates", chosen.candidates.join(", ")),
    ];
    facts.extend(promise(of));
    facts.extend(of.expected_error(false));
    facts.extend(of.noise(""));
    facts
}
