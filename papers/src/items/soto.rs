//! The shared part of the three items of Soto 2022: the K-norm gradient mechanism at a chosen scale.

use crate::Failure;
use karcher::mechanism::{KNormGradient, Plan, PrivateFrechetMean};
use karcher::privacy::Guarantee;

/// The mechanism of the density `∝ exp(−‖∇F‖/σ)` on the ball, for any `σ`.
///
/// **Unsound below the scale `2D(r)/(nε)`** of the library, as a mechanism that is pure `ε`.
pub fn kng_of_scale(mean: &PrivateFrechetMean, n: usize, scale: f64) -> Result<KNormGradient, Failure> {
    let unit = KNormGradient::new(mean, n, Guarantee::pure(1.0)?)?.scale();
    Ok(KNormGradient::new(mean, n, Guarantee::pure(unit / scale)?)?)
}
