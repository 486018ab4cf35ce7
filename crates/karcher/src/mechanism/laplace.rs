//! The Riemannian Laplace mechanism (user guide, M1; Reimherr, Bharath and Soto 2021, Theorem 1).

use super::Summary;
use crate::error::Result;
use crate::privacy::{Guarantee, laplace_scale};
use crate::release::Release;
use crate::sampler::{Generator, Law};

/// Releases a summary `f` with density `∝ exp(−ρ(·, f)/σ)`, `σ = Δ/ε`: pure `ε`-differential privacy.
///
/// `|ρ(y,f) − ρ(y,f′)| ≤ ρ(f,f′) ≤ Δ`, and the normalising constant does not depend on `f` because the space is homogeneous
/// and the support is all of it; so no factor 2.
///
/// # Errors
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a bad `ε`, [`Error::NotIntegrable`](crate::Error::NotIntegrable) when the scale
/// is too large for a space whose volume grows exponentially.
pub fn laplace(summary: &Summary<'_>, epsilon: f64, generator: &mut Generator) -> Result<Release> {
    let scale = laplace_scale(summary.sensitivity().value(), epsilon)?;
    summary.release(Law::Laplace, scale, Guarantee::pure(epsilon)?, "laplace", generator)
}
