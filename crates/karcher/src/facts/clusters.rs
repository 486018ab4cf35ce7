//! The facts of private clusters.

use super::numbers::{short, short_down, short_up};
use super::{Fact, Numbers, Of};
use crate::release::PrivateClusters;

pub(super) fn facts(of: &Of<'_>, found: &PrivateClusters) -> Vec<Fact> {
    let mut facts: Vec<Fact> = vec![];
    for (i, cluster) in found.clusters.iter().enumerate() {
        let share = format!("{}, {:.1} % of the records", of.place(&cluster.center), 100.0 * cluster.weight);
        let fact = Fact::answer(if i == 0 { "private clusters" } else { "" }, share);
        facts.push(fact.with_point("center", &cluster.center).with("weight", Numbers::One(cluster.weight)));
    }
    facts.extend(found.clusters.first().and_then(|first| of.abridged(&first.center)));
    if let Some(cost) = &found.cost {
        let [low, high] = cost.interval;
        let between = format!("from {} to {} with 95 % confidence", short_down(low), short_up(high));
        facts.push(Fact::answer("cost", format!("{}, {between}", short(cost.value))));
    }
    facts.extend(of.promise());
    facts.extend(of.expected_error(false));
    facts.extend(of.noise(""));
    facts.push(of.ball());
    facts
}
