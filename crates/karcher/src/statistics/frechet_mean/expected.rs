//! Expected distance of a noisy value in the chart from the mean.

use crate::mechanism::{Denoiser, PlanSummary, PrivateFrechetMean};
use crate::noise::Law;
use crate::sampler::wrapped_distance;

/// The expected distance after denoising, for a mean that is `off` from the center and noise of a scale in the chart.
pub(super) fn expected_at(
    mean: &PrivateFrechetMean,
    off: f64,
    (law, scale): (Law, f64),
    denoiser: Option<Denoiser>,
    summary: &PlanSummary,
) -> f64 {
    let off = off.min(mean.ball().radius());
    let stretched = wrapped_distance(mean.manifold(), off.min(mean.centered().radius_of_negative()), law, scale);
    let noisy = stretched.map_or(summary.expected_distance, |law| law.mean());
    noisy * denoiser.map_or(1.0, |denoiser| denoiser.left(off))
}
