//! Clipped records, and the release of a private value that was made from them.

use super::centered::Centered;
use crate::ball::Ball;
use crate::manifold::Manifold;
use crate::points::Points;
use crate::privacy::Guarantee;
use crate::release::{Adjacency, Flag, Release, ReleasedSensitivity};
use crate::sampler::Generator;

/// Records clipped to a ball, and seen from its centre.
pub(super) struct Clipped<'a> {
    pub(super) centered: Centered<'a>,
    pub(super) records: Points,
    pub(super) manifold: &'a dyn Manifold,
    pub(super) ball: Ball,
    pub(super) assumed_in_ball: bool,
}

/// What a mechanism promises about a value.
pub(super) struct Terms {
    pub(super) mechanism: &'static str,
    pub(super) guarantee: Guarantee,
    pub(super) scale: f64,
    pub(super) sensitivity: ReleasedSensitivity,
    pub(super) expected_distance: f64,
}

impl Clipped<'_> {
    /// The release of a private value, carried back to where the user's ball is.
    pub(super) fn publish(&self, value: &[f64], terms: Terms, generator: &Generator) -> Release {
        let mut flags = Flag::of(generator);
        if self.assumed_in_ball {
            flags.push(Flag::AssumedInBall);
        }
        Release {
            schema: 1,
            karcher: env!("CARGO_PKG_VERSION"),
            statistic: "frechet-mean",
            manifold: self.manifold.space(),
            n: self.records.len(),
            value: self.centered.back(value), // of the private value: no budget is spent
            guarantee: terms.guarantee,
            adjacency: Adjacency::ReplaceOne,
            mechanism: terms.mechanism,
            scale: terms.scale,
            sensitivity: terms.sensitivity,
            ball: self.ball.clone(),
            expected_distance: terms.expected_distance,
            bias_bound: None,
            steps: None,
            flags,
        }
    }
}
