//! Clusters that a specification asks for.

use serde::{Deserialize, Serialize};

/// The clusters of a k-means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clusters {
    /// How many there are.
    pub number: usize,
    /// Public first centers. Without them there are eight times as many, up to 1,024, drawn in the ball and merged later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centers: Option<Vec<Vec<f64>>>,
    /// Whether the cost is released too: the mean square of the distances to the nearest center.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost: bool,
}

impl Clusters {
    /// So many clusters, with every other field at its default.
    pub fn new(number: usize) -> Self {
        Self { number, centers: None, cost: false }
    }
}
