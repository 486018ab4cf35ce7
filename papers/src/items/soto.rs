//! What the three items of Soto 2022 share: the K-norm gradient mechanism at a scale of one's own.

use crate::Failure;
use karcher::mechanism::{KNormGradient, Plan, PrivateFrechetMean};
use karcher::privacy::Guarantee;

/// The mechanism of the density `∝ exp(−‖∇F‖/σ)` on the ball, whatever `σ` guarantees.
///
/// **Unsound below the scale `2D(r)/(nε)`** of the library, as a mechanism that is pure `ε`.
pub fn kng_of_scale(mean: &PrivateFrechetMean, n: usize, scale: f64) -> Result<KNormGradient, Failure> {
    let unit = KNormGradient::new(mean, n, Guarantee::pure(1.0)?)?.scale();
    Ok(KNormGradient::new(mean, n, Guarantee::pure(unit / scale)?)?)
}
