//! The Riemannian Laplace mechanism (user guide, M1; Reimherr, Bharath and Soto 2021, Theorem 1).

use super::Noise;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::privacy::{Guarantee, laplace_guarantee, laplace_scale};
use crate::sampler::Law;

/// Noise of density `∝ exp(−ρ(·, f)/σ)`, `σ = Δ/ε`, for a statistic of sensitivity `Δ`: pure `ε`-differential privacy.
///
/// `|ρ(y,f) − ρ(y,f′)| ≤ ρ(f,f′) ≤ Δ`, and the normalising constant does not depend on `f` because the space is homogeneous
/// and the support is all of it; so no factor 2.
///
/// # Errors
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a bad `Δ` or `ε`, [`Error::NotIntegrable`](crate::Error::NotIntegrable) when the
/// scale is too large for a space whose volume grows exponentially.
pub fn laplace(manifold: &dyn Manifold, sensitivity: f64, epsilon: f64) -> Result<Noise<'_>> {
    let scale = laplace_scale(sensitivity, epsilon)?;
    Noise::new(manifold, "laplace", Law::Laplace, scale, sensitivity, Guarantee::pure(epsilon)?)
}

/// Laplace noise of a given scale; it is pure `Δ/σ`.
///
/// # Errors
/// As for [`laplace`].
pub fn laplace_of_scale(manifold: &dyn Manifold, sensitivity: f64, scale: f64) -> Result<Noise<'_>> {
    let guarantee = laplace_guarantee(sensitivity, scale)?;
    Noise::new(manifold, "laplace", Law::Laplace, scale, sensitivity, guarantee)
}
