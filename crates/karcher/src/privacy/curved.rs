//! Gaussian noise on spaces of constant curvature: from a promise to the scale that keeps it, and back (user guide, \[G2\] and
//! \[G4\]).

use super::calibration::{GaussianCalibration, gaussian_guarantee_flat, gaussian_scale};
use super::guarantee::{Definition, Guarantee, positive};
use super::profile::{ConstantCurvature, MARGIN, Profile};
use super::rounding::{mul_up, sqrt_down, sqrt_up};
use crate::error::{Error, Result, Short};
use crate::manifold::Manifold;
use crate::sampler::Law;

/// Hyperbolic noise of more than this scale, in radii of curvature, is not considered: the law of the loss is near its limit.
const HYPERBOLIC_LIMIT: f64 = 1e4;

/// The smallest scale `σ` of a Riemannian Gaussian law, of density `∝ e^{−ρ²(x, f)/2σ²}`, that gives `guarantee` for a
/// statistic of sensitivity `Δ`; too high by a relative 1e-9, and by as much as the `μ` of [`Profile::guarantee`] is above the truth.
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
    let most = if space.curvature() < 0.0 { HYPERBOLIC_LIMIT } else { 1e99 } / space.curvature().abs().sqrt();
    let widest = || Profile::new(space, Law::Gaussian, most, distance);
    // where no bound of the least mu is found, another that is nearly it
    let least_mu =
        || widest().map(|profile| Some(profile.mu()).filter(|mu| mu.is_finite()).unwrap_or(profile.mu_at_zero()));
    match guarantee.definition() {
        Definition::Gaussian { mu } => match scale_for_mu(space, Law::Gaussian, distance, mu, most)? {
            Some(scale) => Ok(scale),
            None => Err(unreachable(sensitivity, "mu", mu, least_mu()?, "")),
        },
        Definition::Concentrated { rho } => {
            let mu = sqrt_down((2.0 * rho).min(f64::MAX));
            match scale_for_mu(space, Law::Gaussian, distance, mu, most)? {
                Some(scale) => Ok(scale),
                None => Err(unreachable(sensitivity, "rho", rho, 0.5 * least_mu()?.powi(2), "")),
            }
        }
        Definition::Approximate { epsilon, delta } => {
            let start = gaussian_scale(distance, guarantee, GaussianCalibration::Analytic)?;
            let delta_of = |scale| Ok(Profile::new(space, Law::Gaussian, scale, distance)?.delta_at(epsilon));
            match smallest_scale(start, most, delta, 1e-11, delta_of)? {
                Some(scale) => Ok(scale),
                None => {
                    let least = widest()?.delta_at(epsilon);
                    Err(unreachable(sensitivity, "delta", delta, least, &format!("for epsilon {} ", Short(epsilon))))
                }
            }
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

/// The smallest scale of a Riemannian Laplace law that is μ-GDP for a statistic of sensitivity `Δ`, by the `μ` of
/// [`Profile::guarantee`]; `None` where there is none, on hyperbolic space.
pub(crate) fn curved_laplace_scale(space: ConstantCurvature, sensitivity: f64, mu: f64) -> Result<Option<f64>> {
    let distance = positive("sensitivity", sensitivity)?.min(space.diameter());
    let growth = (space.dimension() - 1) as f64 * space.curvature().min(0.0).abs().sqrt();
    let most = if growth > 0.0 { (1.0 - 1e-12) / growth } else { 1e99 / space.unit() };
    scale_for_mu(space, Law::Laplace, distance, mu, most)
}

/// The smallest scale that is μ-GDP: first for `ε → 0` alone, which is quick to compute and as a rule decides; where the
/// `μ` for all `ε` is above the request, sought anew from there.
fn scale_for_mu(space: ConstantCurvature, law: Law, distance: f64, mu: f64, most: f64) -> Result<Option<f64>> {
    let profile = |scale| Profile::new(space, law, scale, distance);
    let at_zero = |scale| Ok(profile(scale)?.mu_at_zero());
    let target = mu * (1.0 - 1.1 * MARGIN);
    let Some(mut scale) = smallest_scale(distance / mu, most, target, 1e-11, at_zero)? else { return Ok(None) };
    for _ in 0..3 {
        let excess = profile(scale)?.mu() / mu - 1.0;
        if excess <= 0.0 {
            return Ok(Some(scale));
        }
        scale *= 1.0 + excess + 1e-10; // as a rule μ falls about as fast as 1/σ
        if excess > 1e-7 {
            break;
        }
    }
    smallest_scale(scale, most, mu, 5e-10, |scale| Ok(profile(scale)?.mu()))
}

/// The smallest scale up to `most`, to a relative `precision` from above, at which a falling function of it is at most
/// `target`.
///
/// From `start` to a bracket, and then by interpolation between the logarithms, projected so that it takes no more steps than bisection
/// would (Oliveira and Takahashi 2020, the ITP method).
fn smallest_scale(
    start: f64,
    most: f64,
    target: f64,
    precision: f64,
    value: impl Fn(f64) -> Result<f64>,
) -> Result<Option<f64>> {
    let excess = |scale| -> Result<f64> {
        let value = value(scale)?;
        let excess = (value / target).ln();
        Ok(if value <= target { excess.min(0.0) } else { excess.max(f64::MIN_POSITIVE) })
    };
    let mut high = start.min(most);
    let mut above = excess(high)?;
    let (mut low, mut below) = (high, above);
    let mut factor = 1.01;
    while above > 0.0 {
        if high >= most {
            return Ok(None);
        }
        (low, below) = (high, above);
        high = (high * factor).min(most);
        above = excess(high)?;
        factor *= factor;
    }
    while below <= 0.0 {
        (high, above) = (low, below);
        low /= factor;
        below = excess(low)?;
        factor *= factor;
    }
    let width = (high / low).ln();
    let mut slack = precision * ((width / precision).log2().ceil() + 1.0).exp2();
    while high > low * (1.0 + precision) {
        let width = (high / low).ln();
        slack *= 0.5;
        let middle = 0.5 * width;
        let line = width * below / (below - above); // from low, in logarithms
        let towards = (middle - line).signum();
        let truncated = line + towards * (0.2 * width * width).min((middle - line).abs());
        let radius = (slack - middle).max(0.0);
        let step = if (truncated - middle).abs() <= radius { truncated } else { middle - towards * radius };
        let at = low * if step.is_finite() { step } else { middle }.exp();
        if at <= low || at >= high {
            break;
        }
        let value = excess(at)?;
        if value <= 0.0 {
            (high, above) = (at, value);
        } else {
            (low, below) = (at, value);
        }
    }
    Ok(Some(high))
}

/// A promise that no noise keeps: on hyperbolic space the law of the loss does not tend to 0 as the noise grows.
fn unreachable(sensitivity: f64, name: &'static str, value: f64, least: f64, condition: &str) -> Error {
    if least < value {
        let requirement = format!(
            "with sensitivity {} no scale could be certified for it on hyperbolic space; give epsilon and delta, or lower the sensitivity \
             (more records, a smaller radius)",
            Short(sensitivity)
        );
        return Error::InvalidParameter { name, value, requirement };
    }
    let unit = 10f64.powf(least.log10().floor() - 5.0);
    let least = format!("{:.5e}", (least / unit).ceil() * unit); // six digits, rounded up
    let least = least.parse().unwrap_or(f64::NAN);
    let requirement = format!(
        "with sensitivity {} Gaussian noise gives no {name} below {} {condition}at any practical scale, since on hyperbolic space \
         wider noise hides hardly more; ask for less privacy, or lower the sensitivity (more records, a smaller radius)",
        Short(sensitivity),
        Short(least)
    );
    Error::InvalidParameter { name, value, requirement }
}
