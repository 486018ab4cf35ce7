//! Private clusters, in words.

use crate::output::{digits_down, digits_up, point, told as told_in};
use crate::releasing::{Described, Lines, line};
use crate::{Failure, center};

/// The release in words.
pub fn describe(described: &Described<'_>) -> Result<Lines, Failure> {
    let Described { release, manifold, layout, told, saving } = described;
    let found = release.clusters().ok_or("a k-means releases clusters")?;
    let row = manifold.shape().row_len();
    let mut lines: Lines = vec![];
    for (i, cluster) in found.clusters.iter().enumerate() {
        let name = if i == 0 { "private clusters" } else { "" };
        let place = told_in(layout, &cluster.center).unwrap_or_else(|| point(&cluster.center, row, saving.is_some()));
        lines.push(line(name, format!("{place}, {:.1} % of the records", 100.0 * cluster.weight)));
    }
    if let Some(cost) = &found.cost {
        let [low, high] = cost.interval;
        let between = format!("from {} to {} with 95 % confidence", digits_down(low), digits_up(high));
        lines.push(line("cost", format!("{}, {between}", digits_up(cost.value))));
    }
    lines.extend(described.promise());
    lines.push(line("mechanism", format!("{}, scale {}", release.mechanism(), digits_down(release.scale()))));
    let sensitivity = release.sensitivity();
    lines.push(line("sensitivity", format!("{} ({} bound)", digits_up(sensitivity.value), sensitivity.bound)));
    let around = center::around(release.ball(), *manifold, layout, told.is_default_center);
    lines.push(line("ball", format!("{}{around}", release.ball().radius_in_words(|r| told.radius.words(r)))));
    let off = told.radius.words(release.provenance().expected_distance);
    lines.push(line("expected error", format!("{off} by noise, of the center of a cluster of average size")));
    Ok(lines)
}
