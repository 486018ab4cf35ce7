//! The Gaussian mechanism on flat spaces (user guide, M2 and M3; Utpala, Vepakomma and Miolane 2023).

use super::Summary;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::privacy::{GaussianCalibration, Guarantee, gaussian_scale};
use crate::release::Release;
use crate::sampler::{Generator, Law};

/// Releases a summary `f` with density `∝ exp(−ρ²(·, f)/2σ²)`, on spaces isometric to `R^d`: noise `N(0, σ²I)` in flat coordinates.
///
/// On SPD matrices with the log-Euclidean metric this is the tangent Gaussian `Expm(Logm f + noise)`.
/// The guarantee may be (ε, δ), μ-GDP (`σ = Δ/μ`) or ρ-zCDP (`σ = Δ/√(2ρ)`).
///
/// # Errors
/// [`Error::Unsupported`] on curved spaces, where this calibration does not hold (on negatively curved ones it would leak), and for
/// pure ε, which no Gaussian gives; [`Error::InvalidParameter`] for the classical calibration with `ε ≥ 1`.
pub fn gaussian(
    summary: &Summary<'_>,
    guarantee: Guarantee,
    calibration: GaussianCalibration,
    generator: &mut Generator,
) -> Result<Release> {
    check(summary.manifold())?;
    let scale = gaussian_scale(summary.sensitivity().value(), &guarantee, calibration)?;
    summary.release(Law::Gaussian, scale, guarantee, "gaussian", generator)
}

/// Whether the mechanism exists on a space.
///
/// # Errors
/// [`Error::Unsupported`] on curved spaces.
pub fn check(manifold: &dyn Manifold) -> Result<()> {
    if manifold.flat_chart().is_some() {
        return Ok(());
    }
    let reason = "its calibration holds on flat spaces only; use the laplace mechanism".to_owned();
    Err(Error::Unsupported { mechanism: "gaussian", space: manifold.space(), reason })
}
