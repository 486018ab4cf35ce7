//! Released clusters.

use super::NoisyNumber;
use serde::{Deserialize, Serialize};

/// Private clusters, the largest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivateClusters {
    /// The clusters.
    pub clusters: Vec<Cluster>,
    /// The mean of the squared distances to the nearest center, each cut off at the square of the ball's radius; if it was
    /// requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<NoisyNumber>,
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// Its center.
    pub center: Vec<f64>,
    /// The noisy number of records that were nearest to its center before the last step.
    pub noisy_count: f64,
    /// Its part of all records: its number, not below 0, over the sum of all.
    pub weight: f64,
}
