//! Private clusters, in words.

use super::numbers::digits;
use super::{Described, Lines, digits_down, digits_up, line};
use crate::release::PrivateClusters;

pub(super) fn describe(of: &Described<'_>, found: &PrivateClusters) -> Lines {
    let abridged = of.style.kept.name().is_some();
    let mut lines: Lines = vec![];
    for (i, cluster) in found.clusters.iter().enumerate() {
        let place = of.told(&cluster.center).unwrap_or_else(|| of.point(&cluster.center, abridged));
        let share = format!("{place}, {:.1} % of the records", 100.0 * cluster.weight);
        lines.push(line(if i == 0 { "private clusters" } else { "" }, share));
    }
    lines.extend(found.clusters.first().and_then(|first| of.abridged(&first.center)));
    if let Some(cost) = &found.cost {
        let [low, high] = cost.interval;
        let between = format!("from {} to {} with 95 % confidence", digits_down(low), digits_up(high));
        lines.push(line("cost", format!("{}, {between}", digits(cost.value))));
    }
    lines.extend(of.promise());
    lines.extend(of.noise(""));
    lines.push(of.ball());
    let error = of.style.lengths.words(of.how.expected_distance);
    lines.push(line("expected error", format!("{error} by noise, of the center of a cluster of average size")));
    lines
}
