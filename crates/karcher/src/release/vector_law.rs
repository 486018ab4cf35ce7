//! The law of the noise on a released point, as the release states it.

use super::{
    Adjacency, MechanismName, NoiseDraw, NoiseOf, PrivateCount, PrivatePoint, Provenance, Region, ReleasedSensitivity,
};
use crate::manifold::{Euclidean, Manifold};
use crate::mechanism::add_remove_divisor;
use crate::noise::Law;
use crate::sampler::Isotropic;
use std::borrow::Cow;
use std::sync::Arc;

/// Noise on a vector, in normal coordinates at the center of the ball.
#[derive(Debug, Clone, Copy)]
pub(super) struct VectorLaw {
    pub(super) law: Law,
    pub(super) scale: f64,
    /// The length of the noisy vector, one more than the dimension where a number of records is a part of it.
    pub(super) numbers: usize,
    /// How much the noise on the number of records moves a mean at distance 1 from the center.
    pub(super) lean: f64,
    /// Whether the law is that of the coordinates.
    pub(super) in_chart: bool,
}

/// What a release, or a plan, says about the noise on its point.
pub(super) struct StatedNoise<'a> {
    pub(super) mechanism: MechanismName,
    pub(super) adjacency: Adjacency,
    pub(super) draws: Cow<'a, [NoiseDraw]>,
    pub(super) sensitivity: ReleasedSensitivity,
    pub(super) n_guess: Option<usize>,
    pub(super) count: Option<&'a PrivateCount>,
    pub(super) region: Option<Region>,
    pub(super) bias: f64,
}

impl<'a> StatedNoise<'a> {
    /// The noise of a release of a point.
    pub(super) fn of(how: &'a Provenance, point: &PrivatePoint) -> Self {
        Self {
            mechanism: how.mechanism,
            adjacency: how.adjacency,
            draws: how.noise_together(),
            sensitivity: how.sensitivity,
            n_guess: how.n_guess,
            count: how.private_count.as_ref(),
            region: point.region,
            bias: how.bias_bound.unwrap_or(0.0),
        }
    }
}

impl VectorLaw {
    /// The law that a release states. `None` where none is known.
    pub(super) fn of(manifold: &dyn Manifold, stated: &StatedNoise<'_>) -> Option<Self> {
        let dim = manifold.dim();
        let drawn = stated.draws.iter().find(|draw| draw.quantity == NoiseOf::Value);
        let is_flat = manifold.flat_chart().is_some();
        let is_isotropic = [MechanismName::Laplace, MechanismName::Gaussian].contains(&stated.mechanism);
        let in_chart = stated.mechanism == MechanismName::Chart || (is_isotropic && is_flat);
        let law = drawn.and_then(|draw| draw.law.on_numbers());
        if let (true, Some(law), Some(draw)) = (in_chart, law, drawn) {
            if stated.adjacency != Adjacency::AddRemove {
                return Some(Self { law, scale: draw.scale, numbers: dim, lean: 0.0, in_chart });
            }
            let n_guess = stated.n_guess? as f64;
            let bounds = manifold.curvature();
            let is_sum = bounds.lower == 0.0 && bounds.upper == 0.0;
            let divisor = stated.count.map_or(n_guess, |count| add_remove_divisor(count, n_guess, is_sum));
            let root = (dim as f64).sqrt();
            let longest = stated.sensitivity.value * n_guess / (1.0 + 1.0 / root).sqrt();
            let scale = draw.scale * n_guess / divisor;
            return Some(Self { law, scale, numbers: dim + 1, lean: root.sqrt() / longest, in_chart });
        }
        // a law of another kind: isotropic noise that the stated region holds as often
        let region = stated.region?;
        let has_long_tails = [MechanismName::Laplace, MechanismName::Kng].contains(&stated.mechanism);
        let law = if has_long_tails { Law::Laplace } else { Law::Gaussian };
        let flat = Isotropic::new(Arc::new(Euclidean::new(dim).ok()?), law, 1.0).ok()?.distance().ok()?;
        let scale = (region.radius - stated.bias).max(0.0) / flat.quantile(region.probability);
        Some(Self { law, scale, numbers: dim, lean: 0.0, in_chart })
    }

    /// The mean square of a coordinate.
    pub(super) fn mean_square(&self) -> f64 {
        self.scale * self.scale * if self.law == Law::Laplace { self.numbers as f64 + 1.0 } else { 1.0 }
    }
}
