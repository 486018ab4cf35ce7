//! The Gaussian mechanism on flat spaces (user guide, M2 and M3; Utpala, Vepakomma and Miolane 2023).

use super::Noise;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::privacy::{GaussianCalibration, Guarantee, gaussian_guarantee_flat, gaussian_scale};
use crate::sampler::Law;

/// Noise of density `∝ exp(−ρ²(·, f)/2σ²)` for a statistic of sensitivity `Δ`, on spaces isometric to `R^d`: `N(0, σ²I)` in flat
/// coordinates.
///
/// On SPD matrices with the log-Euclidean metric this is the tangent Gaussian `Expm(Logm f + noise)`.
/// The guarantee may be (ε, δ), μ-GDP (`σ = Δ/μ`) or ρ-zCDP (`σ = Δ/√(2ρ)`).
///
/// # Errors
/// [`Error::Unsupported`] on curved spaces, where this calibration does not hold (on negatively curved ones it would leak);
/// [`Error::InvalidParameter`] for pure ε, which no Gaussian gives, and for the classical calibration with `ε ≥ 1`.
pub fn gaussian(
    manifold: &dyn Manifold,
    sensitivity: f64,
    guarantee: Guarantee,
    calibration: GaussianCalibration,
) -> Result<Noise<'_>> {
    check(manifold)?;
    let scale = gaussian_scale(sensitivity, &guarantee, calibration)?;
    Noise::new(manifold, "gaussian", Law::Gaussian, scale, sensitivity, guarantee)
}

/// Gaussian noise of a given scale on a flat space; it is `Δ/σ`-GDP.
///
/// # Errors
/// As for [`gaussian`].
pub fn gaussian_of_scale(manifold: &dyn Manifold, sensitivity: f64, scale: f64) -> Result<Noise<'_>> {
    check(manifold)?;
    let guarantee = gaussian_guarantee_flat(sensitivity, scale)?;
    Noise::new(manifold, "gaussian", Law::Gaussian, scale, sensitivity, guarantee)
}

fn check(manifold: &dyn Manifold) -> Result<()> {
    if manifold.flat_chart().is_some() {
        return Ok(());
    }
    let reason = "its calibration holds on flat spaces only; use the laplace mechanism with --epsilon".to_owned();
    Err(Error::Unsupported { mechanism: "gaussian", space: manifold.space(), reason })
}
