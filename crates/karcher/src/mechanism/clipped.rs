//! Clipped records, and the release of a private value that was made from them.

use super::Lattice;
use super::centered::Centered;
use crate::ball::Ball;
use crate::manifold::Manifold;
use crate::points::Points;
use crate::privacy::Guarantee;
use crate::release::{Adjacency, Flag, Release, ReleasedSensitivity};
use crate::sampler::Generator;

/// Records clipped to a ball, and seen from its center.
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
    /// What a release says whose sensitivity is that of the mean or its gradient on a curved space.
    pub(super) fn rounding_allowance(&self) -> Option<Flag> {
        self.manifold.flat_chart().is_none().then_some(Flag::RoundingAllowance)
    }

    /// The release of a private value: the point of the public lattice next to it ([`Lattice`]), carried back to where
    /// the user's ball is. All of this is processing of the value as a point, so it costs no budget.
    pub(super) fn publish(&self, value: &[f64], terms: Terms, generator: &Generator) -> Release {
        let lattice = Lattice::new(self.manifold, terms.scale, self.ball.radius(), terms.expected_distance);
        let coordinates = lattice.coordinates(self.centered.space(), self.centered.center(), value);
        let published = self.centered.published(&coordinates, terms.scale / 1024.0);
        let mut flags = Flag::of(generator);
        if published.beyond_precision {
            flags.push(Flag::BeyondPrecision);
        }
        if self.assumed_in_ball {
            flags.push(Flag::AssumedInBall);
        }
        Release {
            schema: 1,
            karcher: env!("CARGO_PKG_VERSION"),
            statistic: "frechet-mean",
            manifold: self.manifold.space().clone(),
            n: self.records.len(),
            value: published.value,
            logarithm: published.logarithm,
            lattice: lattice.step(),
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
