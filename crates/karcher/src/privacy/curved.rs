//! Gaussian noise on spaces of constant curvature: from a promise to the scale that keeps it, and back (user guide, \[G2\] and
//! \[G4\]).

use super::calibration::{GaussianCalibration, gaussian_guarantee_flat, gaussian_scale};
use super::guarantee::{Definition, Guarantee, positive};
use super::profile::{ConstantCurvature, Profile};
use super::rounding::{mul_up, sqrt_down, sqrt_up};
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::sampler::Law;

/// Hyperbolic noise of more than this scale, in radii of curvature, is not considered: the law of the loss is near its limit.
const HYPERBOLIC_LIMIT: f64 = 1e4;

/// The smallest scale `σ` of a Riemannian Gaussian law, of density `∝ e^{−ρ²(x, f)/2σ²}`, that gives `guarantee` for a
/// statistic of sensitivity `Δ`; too high by a relative 1e-9 at most.
///
/// * Gaussian: the `μ` of [`Profile::guarantee`];
/// * approximate: the `δ(ε)` of [`Profile::delta`];
/// * concentrated: as Gaussian with `μ = √(2ρ)`, which implies it (user guide, \[P2\]); not the smallest scale that will do;
/// * pure: on spheres only, where the loss is at most `Δ(2π/√κ − Δ)/2σ²`.
///
/// A sensitivity above the diameter of a sphere counts as the diameter. On flat spaces this is
/// [`gaussian_scale`]. On a negatively curved space the flat scale would be too small.
///
/// # Errors
/// * [`Error::Unsupported`] where the curvature is not constant: SPD(k) with the affine-invariant metric, `k ≥ 2`, and
///   `kendall:K`, `K ≥ 4`;
/// * [`Error::InvalidParameter`] for numbers out of range, for a pure guarantee elsewhere than on a sphere, and on hyperbolic
///   space for a guarantee that no scale gives: the law of the loss does not tend to 0 as `σ` grows.
pub fn curved_gaussian_scale(manifold: &dyn Manifold, sensitivity: f64, guarantee: &Guarantee) -> Result<f64> {
    let space = ConstantCurvature::of(manifold)?;
    if space.curvature() == 0.0 {
        return gaussian_scale(sensitivity, guarantee, GaussianCalibration::Analytic);
    }
    let distance = positive("sensitivity", sensitivity)?.min(space.diameter());
    let profile = |scale| Profile::new(space, Law::Gaussian, scale, distance);
    match guarantee.definition() {
        Definition::Gaussian { mu } => scale_for_mu(space, distance, mu),
        Definition::Concentrated { rho } => scale_for_mu(space, distance, sqrt_down((2.0 * rho).min(f64::MAX))),
        Definition::Approximate { epsilon, delta } => {
            let start = gaussian_scale(distance, guarantee, GaussianCalibration::Analytic)?;
            smallest_scale(space, start, |scale| Ok(profile(scale)?.delta_at(epsilon) <= delta))
        }
        Definition::Pure { epsilon } if space.curvature() > 0.0 => {
            let square = mul_up(distance, 2.0 * space.diameter() - distance) / (2.0 * epsilon);
            Ok(sqrt_up(square.next_up().next_up()))
        }
        Definition::Pure { .. } => gaussian_scale(distance, guarantee, GaussianCalibration::Analytic),
    }
}

/// The `μ` of a Riemannian Gaussian law of scale `σ` for a statistic of sensitivity `Δ`, the inverse of
/// [`curved_gaussian_scale`]: see [`Profile::guarantee`]. On flat spaces it is `Δ/σ`, on spheres less, on hyperbolic space more.
///
/// # Errors
/// As for [`curved_gaussian_scale`].
pub fn curved_gaussian_guarantee(manifold: &dyn Manifold, sensitivity: f64, scale: f64) -> Result<Guarantee> {
    let space = ConstantCurvature::of(manifold)?;
    if space.curvature() == 0.0 {
        return gaussian_guarantee_flat(sensitivity, scale);
    }
    Profile::new(space, Law::Gaussian, scale, positive("sensitivity", sensitivity)?)?.guarantee()
}

/// The smallest scale that is μ-GDP: first for `ε → 0` alone, which is quick to compute and as a rule decides; where the
/// `μ` for all `ε` is above the request then, raised by as much, or sought anew.
fn scale_for_mu(space: ConstantCurvature, distance: f64, mu: f64) -> Result<f64> {
    let profile = |scale| Profile::new(space, Law::Gaussian, scale, distance);
    let at_zero = |scale| Ok(profile(scale)?.mu_at_zero() <= mu * (1.0 - 2.5e-10));
    let mut scale = smallest_scale(space, distance / mu, at_zero)?;
    for _ in 0..4 {
        let excess = profile(scale)?.mu() / mu - 1.0;
        if excess <= 0.0 {
            return Ok(scale);
        }
        if excess > 1e-6 {
            break;
        }
        scale *= 1.0 + excess + 1e-10;
    }
    smallest_scale(space, scale, |scale| Ok(profile(scale)?.mu() <= mu))
}

/// The smallest scale, to a relative 1e-11 from above, that `suffices`; the search begins near `start`.
fn smallest_scale(space: ConstantCurvature, start: f64, suffices: impl Fn(f64) -> Result<bool>) -> Result<f64> {
    let radius = 1.0 / space.curvature().abs().sqrt();
    let most = if space.curvature() < 0.0 { HYPERBOLIC_LIMIT * radius } else { 1e99 * radius };
    let mut high = start.min(most);
    let mut low = high;
    let mut factor = 1.1;
    if suffices(high)? {
        while suffices(low)? {
            high = low;
            low /= factor;
            factor *= factor;
        }
    } else {
        while !suffices(high)? {
            if high >= most {
                return Err(unreachable_guarantee(high));
            }
            low = high;
            high = (high * factor).min(most);
            factor *= factor;
        }
    }
    while high > low * (1.0 + 1e-11) {
        let middle = low.sqrt() * high.sqrt();
        if middle <= low || middle >= high {
            break;
        }
        if suffices(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

fn unreachable_guarantee(scale: f64) -> Error {
    Error::InvalidParameter {
        name: "scale",
        value: scale,
        requirement:
            "no smaller Gaussian noise gives the guarantee, and on a hyperbolic space wider noise hides hardly more; \
                      ask for less privacy or lower the sensitivity"
                .into(),
    }
}
