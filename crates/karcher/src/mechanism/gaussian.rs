//! The Riemannian Gaussian mechanism (user guide, M2 and M3; Jiang et al. 2023; Utpala, Vepakomma and Miolane 2023).

use super::Noise;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::privacy::{
    ConstantCurvature, Definition, GaussianCalibration, Guarantee, curved_gaussian_guarantee, curved_gaussian_scale,
    gaussian_scale,
};
use crate::sampler::Law;

/// Noise of density `∝ exp(−ρ²(·, f)/2σ²)` for a statistic of sensitivity `Δ`, on spaces of constant curvature.
///
/// On spaces isometric to `R^d` this is `N(0, σ²I)` in flat coordinates, on SPD matrices with the log-Euclidean metric
/// the tangent Gaussian `Expm(Logm f + noise)`: `σ = Δ/μ` for μ-GDP, `σ = Δ/√(2ρ)` for ρ-zCDP, and one of two
/// calibrations for (ε, δ). On spheres and hyperbolic space `σ` is the smallest that keeps the guarantee, from the
/// exact privacy profile ([`curved_gaussian_scale`]).
///
/// # Errors [`Error::Unsupported`](crate::Error::Unsupported) where no model of constant curvature stands for the
/// space, and for the classical calibration of anything but (ε, δ) on a flat space;
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for pure ε, which a Gaussian gives on spheres only, and
/// for the classical calibration with `ε ≥ 1`.
pub fn gaussian(
    manifold: &dyn Manifold,
    sensitivity: f64,
    guarantee: Guarantee,
    calibration: GaussianCalibration,
) -> Result<Noise<'_>> {
    let is_approximate = matches!(guarantee.definition(), Definition::Approximate { .. });
    if calibration == GaussianCalibration::Classical && !(is_approximate && manifold.flat_chart().is_some()) {
        let reason =
            "the classical calibration is a formula for (epsilon, delta) on flat spaces; leave it out".to_owned();
        return Err(Error::Unsupported { mechanism: "classical gaussian", space: manifold.space().clone(), reason });
    }
    let scale = match manifold.flat_chart() {
        Some(_) => gaussian_scale(sensitivity, &guarantee, calibration)?,
        None => curved_gaussian_scale(manifold, sensitivity, &guarantee)?,
    };
    // on spheres pure privacy is a formula
    let integrated = is_curved(manifold)? && !matches!(guarantee.definition(), Definition::Pure { .. });
    Ok(Noise::new(manifold, "gaussian", Law::Gaussian, scale, sensitivity, guarantee)?.with_integrals(integrated))
}

/// Gaussian noise of a given scale, with the μ-GDP that it gives: `Δ/σ` on flat spaces, less on spheres, more on
/// hyperbolic space.
///
/// # Errors
/// As for [`gaussian`].
pub fn gaussian_of_scale(manifold: &dyn Manifold, sensitivity: f64, scale: f64) -> Result<Noise<'_>> {
    let guarantee = curved_gaussian_guarantee(manifold, sensitivity, scale)?;
    let integrated = is_curved(manifold)?;
    Ok(Noise::new(manifold, "gaussian", Law::Gaussian, scale, sensitivity, guarantee)?.with_integrals(integrated))
}

/// Whether the privacy profile of the Gaussian law is one of integrals.
fn is_curved(manifold: &dyn Manifold) -> Result<bool> {
    Ok(manifold.flat_chart().is_none() && ConstantCurvature::of(manifold, Law::Gaussian)?.curvature() != 0.0)
}
