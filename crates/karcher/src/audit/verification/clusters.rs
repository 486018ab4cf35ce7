//! Clusters: their weights and their order follow from the noisy numbers, and the cost from its noisy value.

use super::companions;
use super::finding::Findings;
use super::value::in_ball;
use crate::mechanism::PlanSummary;
use crate::release::{PrivateClusters, PrivateCount};

/// Compares clusters with those that the plan makes again.
pub(super) fn compare(
    stated: &PrivateClusters,
    again: &PrivateClusters,
    count: Option<&PrivateCount>,
    found: &mut Findings,
) {
    for (i, (stated, again)) in stated.clusters.iter().zip(&again.clusters).enumerate() {
        found.number(&format!("clusters[{i}].noisy_count"), stated.noisy_count, again.noisy_count);
        found.number(&format!("clusters[{i}].weight"), stated.weight, again.weight);
    }
    if let Some(count) = count {
        let total = stated.clusters.iter().map(|cluster| cluster.noisy_count).sum();
        found.number("private_count.noisy_value", count.noisy_value, total);
    }
    match (&stated.cost, &again.cost) {
        (Some(stated), Some(again)) => companions::number("cost", stated, again, found),
        (None, None) => (),
        (stated, _) => found.presence("cost", stated.is_some()),
    }
}

/// Whether there are as many clusters as were asked for, each with its center in the ball.
pub(super) fn in_space(
    stated: &PrivateClusters,
    expected: Option<usize>,
    (summary, lattice): (&PlanSummary, f64),
    found: &mut Findings,
) -> bool {
    let is_whole = Some(stated.clusters.len()) == expected;
    found.require("clusters", is_whole, "there are not as many as were asked for");
    let centers = stated.clusters.iter().enumerate();
    let mut within = |(i, cluster): (usize, &crate::release::Cluster)| {
        in_ball(&format!("clusters[{i}].center"), &cluster.center, summary, lattice, found)
    };
    centers.fold(is_whole, |all, cluster| within(cluster) && all)
}
