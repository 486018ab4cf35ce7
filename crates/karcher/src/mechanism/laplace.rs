//! The Riemannian Laplace mechanism (user guide, M1; Reimherr, Bharath and Soto 2021, Theorem 1).

use super::Noise;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::privacy::{
    ConstantCurvature, Definition, Guarantee, curved_laplace_scale, laplace_guarantee, laplace_scale, pure_epsilon_for,
};
use crate::sampler::Law;

/// Noise of density `∝ exp(−ρ(·, f)/σ)`, `σ = Δ/ε`, for a statistic of sensitivity `Δ`: pure `ε`-differential privacy.
///
/// `|ρ(y,f) − ρ(y,f′)| ≤ ρ(f,f′) ≤ Δ`, and the normalising constant does not depend on `f` because the space is
/// homogeneous and the support is all of it; so no factor 2.
///
/// # Errors
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a bad `Δ` or `ε`,
/// [`Error::NotIntegrable`](crate::Error::NotIntegrable) when the scale is too large for a space whose volume grows
/// exponentially.
pub fn laplace(manifold: &dyn Manifold, sensitivity: f64, epsilon: f64) -> Result<Noise<'_>> {
    let scale = laplace_scale(sensitivity, epsilon)?;
    Noise::new(manifold, "laplace", Law::Laplace, scale, sensitivity, Guarantee::pure(epsilon)?)
}

/// Laplace noise that keeps any budget.
///
/// * ε, or (ε, δ): pure `ε`, which implies both.
/// * μ-GDP: on spaces of constant curvature the smallest scale, to a relative 1e-9, whose privacy profile is μ-GDP
///   (user guide, G2); elsewhere the largest `ε` that implies it (user guide, P2).
/// * ρ-zCDP: `ε = √(2ρ)`, or `μ = √(2ρ)` if that needs less noise; either implies it.
///
/// # Errors
/// As for [`laplace`].
pub fn laplace_for(manifold: &dyn Manifold, sensitivity: f64, budget: Guarantee) -> Result<Noise<'_>> {
    let (scale, integrated) = match budget.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => {
            return laplace(manifold, sensitivity, epsilon);
        }
        Definition::Gaussian { mu } => scale_for_mu(manifold, sensitivity, mu)?,
        Definition::Concentrated { rho } => {
            let root = (2.0 * rho).min(f64::MAX).sqrt() * (1.0 - f64::EPSILON); // not above √(2ρ)
            let (by_epsilon, by_mu) = (laplace_scale(sensitivity, root)?, scale_for_mu(manifold, sensitivity, root)?);
            if by_mu.0 < by_epsilon { by_mu } else { (by_epsilon, false) }
        }
    };
    Ok(Noise::new(manifold, "laplace", Law::Laplace, scale, sensitivity, budget)?.with_integrals(integrated))
}

/// A scale at which Laplace noise is μ-GDP, and whether it comes from integrals.
fn scale_for_mu(manifold: &dyn Manifold, sensitivity: f64, mu: f64) -> Result<(f64, bool)> {
    let by_epsilon = laplace_scale(sensitivity, pure_epsilon_for(mu)?)?;
    let Ok(space) = ConstantCurvature::of(manifold, Law::Laplace) else { return Ok((by_epsilon, false)) };
    let by_profile = curved_laplace_scale(space, sensitivity, mu)?.filter(|scale| *scale < by_epsilon);
    Ok(by_profile.map_or((by_epsilon, false), |scale| (scale, true)))
}

/// Laplace noise of a given scale; it is pure `Δ/σ`.
///
/// # Errors
/// As for [`laplace`].
pub fn laplace_of_scale(manifold: &dyn Manifold, sensitivity: f64, scale: f64) -> Result<Noise<'_>> {
    let guarantee = laplace_guarantee(sensitivity, scale)?;
    Noise::new(manifold, "laplace", Law::Laplace, scale, sensitivity, guarantee)
}
