//! Gaussian noise on spaces of constant curvature: from a promise to the scale that keeps it, and back (user guide,
//! \[G2\] and \[G4\]).

use super::calibration::{GaussianCalibration, gaussian_guarantee_flat, gaussian_scale};
use super::guarantee::{Definition, Guarantee, positive};
use super::profile::{ConstantCurvature, MARGIN, Profile, WIDEST};
use crate::error::{Error, Result, Short};
use crate::noise::Law;
use crate::remembered::Remembered;
use crate::rounding::{mul_up, sqrt_down, sqrt_up};
use crate::search::smallest_scale;

impl ConstantCurvature {
    /// The smallest scale `σ` of a Riemannian Gaussian law, of density `∝ e^{−ρ²(x, f)/2σ²}`, that gives `guarantee`
    /// for a statistic of sensitivity `Δ`. It is too high by a relative 1e-9, and by as much as the `μ` of
    /// [`Profile::guarantee`] is above the truth.
    ///
    /// * Gaussian: the `μ` of [`Profile::guarantee`];
    /// * approximate: the `δ(ε)` of [`Profile::delta`];
    /// * concentrated: as Gaussian with `μ = √(2ρ)`, which implies it (user guide, \[P2\]); not the smallest scale that
    ///   will do;
    /// * pure: on spheres only, where the loss is at most `Δ(2π/√κ − Δ)/2σ²`.
    ///
    /// A sensitivity above the diameter of a sphere counts as the diameter. On flat spaces this is
    /// [`gaussian_scale`]. On a negatively curved space the flat scale would be too small.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for numbers out of range, for a pure guarantee elsewhere than on a sphere, and on
    /// hyperbolic space for a guarantee that no scale gives: the law of the loss does not tend to 0 as `σ` grows.
    ///
    /// ```
    /// use karcher_privacy::{ConstantCurvature, Guarantee};
    /// let guarantee = Guarantee::gaussian(1.0)?;
    /// let flat = 0.1; // Δ/μ
    /// let scale = |curvature| ConstantCurvature::new(2, curvature)?.gaussian_scale(0.1, &guarantee);
    /// assert!(scale(1.0)? < flat && scale(-1.0)? > flat);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn gaussian_scale(self, sensitivity: f64, guarantee: &Guarantee) -> Result<f64> {
        let space = self;
        if space.curvature() == 0.0 {
            return gaussian_scale(sensitivity, guarantee, GaussianCalibration::Analytic);
        }
        static KNOWN: Remembered<(ConstantCurvature, f64, Guarantee), f64> = Remembered::new();
        KNOWN.or_compute((space, sensitivity, *guarantee), || space.curved_gaussian_scale(sensitivity, guarantee))
    }

    /// The same for a curved space.
    fn curved_gaussian_scale(self, sensitivity: f64, guarantee: &Guarantee) -> Result<f64> {
        let space = self;
        let distance = positive("sensitivity", sensitivity)?.min(space.diameter());
        let most = if space.curvature() < 0.0 { WIDEST } else { 1e99 } / space.unit();
        let widest = || Profile::new(space, Law::Gaussian, most, distance);
        // where no bound of the least mu is found, another that is nearly it
        let least_mu =
            || widest().map(|profile| Some(profile.mu()).filter(|mu| mu.is_finite()).unwrap_or(profile.mu_at_zero()));
        match guarantee.definition() {
            Definition::Gaussian { mu } => match scale_for_mu(space, Law::Gaussian, distance, mu, most)? {
                Some(scale) => Ok(scale),
                None => Err(unreachable(space, sensitivity, "mu", mu, least_mu()?, "")),
            },
            Definition::Concentrated { rho } => {
                let mu = sqrt_down((2.0 * rho).min(f64::MAX));
                match scale_for_mu(space, Law::Gaussian, distance, mu, most)? {
                    Some(scale) => Ok(scale),
                    None => Err(unreachable(space, sensitivity, "rho", rho, 0.5 * least_mu()?.powi(2), "")),
                }
            }
            Definition::Approximate { epsilon, delta } => {
                let start = gaussian_scale(distance, guarantee, GaussianCalibration::Analytic)?;
                let delta_of = |scale| Ok(Profile::new(space, Law::Gaussian, scale, distance)?.delta_at(epsilon));
                match smallest_scale(start, most, delta, 1e-11, delta_of)? {
                    Some(scale) => Ok(scale),
                    None => {
                        let least = widest()?.delta_at(epsilon);
                        let condition = format!("for epsilon {} ", Short(epsilon));
                        Err(unreachable(space, sensitivity, "delta", delta, least, &condition))
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
    /// [`gaussian_scale`](Self::gaussian_scale): see [`Profile::guarantee`]. On flat spaces it is `Δ/σ`, on spheres
    /// less, on hyperbolic space more.
    ///
    /// # Errors
    /// As for [`gaussian_scale`](Self::gaussian_scale).
    ///
    /// ```
    /// use karcher_privacy::{ConstantCurvature, Definition};
    /// let on_sphere = ConstantCurvature::new(2, 1.0)?.gaussian_guarantee(0.25, 0.5)?;
    /// let Definition::Gaussian { mu } = on_sphere.definition() else { panic!() };
    /// assert!(mu < 0.5); // geodesics that come together make noise more private
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn gaussian_guarantee(self, sensitivity: f64, scale: f64) -> Result<Guarantee> {
        if self.curvature() == 0.0 {
            return gaussian_guarantee_flat(sensitivity, scale);
        }
        Profile::new(self, Law::Gaussian, scale, positive("sensitivity", sensitivity)?)?.guarantee()
    }

    /// The smallest scale of a Riemannian Laplace law that is μ-GDP for a statistic of sensitivity `Δ`, by the `μ` of
    /// [`Profile::guarantee`]; `None` where there is none, on hyperbolic space.
    pub fn laplace_scale(self, sensitivity: f64, mu: f64) -> Result<Option<f64>> {
        let distance = positive("sensitivity", sensitivity)?.min(self.diameter());
        let growth = (self.dimension() - 1) as f64 * self.curvature().min(0.0).abs().sqrt();
        let most = if growth > 0.0 { (1.0 - 1e-12) / growth } else { 1e99 / self.unit() };
        static KNOWN: Remembered<(ConstantCurvature, f64, f64), Option<f64>> = Remembered::new();
        KNOWN.or_compute((self, distance, mu), || scale_for_mu(self, Law::Laplace, distance, mu, most))
    }
}

/// The smallest scale that is μ-GDP: first for `ε → 0` alone, which is quick to compute and as a rule decides; where
/// the `μ` for all `ε` is above the request, sought anew from there.
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

/// A promise that no noise keeps: on hyperbolic space the law of the loss does not tend to 0 as the noise grows.
/// Elsewhere it does, and the promise is beyond the range of numbers.
fn unreachable(
    space: ConstantCurvature,
    sensitivity: f64,
    name: &'static str,
    value: f64,
    least: f64,
    condition: &str,
) -> Error {
    let sensitivity = Short(sensitivity);
    let requirement = if space.curvature() > 0.0 {
        format!(
            "with sensitivity {sensitivity} no scale up to 1e99 radii of curvature could be certified for it; ask for \
             a larger {name}"
        )
    } else if !(least.is_finite() && least >= value) {
        format!(
            "with sensitivity {sensitivity} no scale could be certified for it on hyperbolic space; give epsilon and \
             delta, or lower the sensitivity (more records, a smaller radius)"
        )
    } else {
        let unit = 10f64.powf(least.log10().floor() - 5.0);
        let least = format!("{:.5e}", (least / unit).ceil() * unit); // six digits, rounded up
        format!(
            "with sensitivity {sensitivity} Gaussian noise gives no {name} below {} {condition}at any practical scale, \
             since on hyperbolic space wider noise hides hardly more; ask for less privacy, or lower the sensitivity \
             (more records, a smaller radius)",
            Short(least.parse().unwrap_or(f64::NAN))
        )
    };
    Error::InvalidParameter { name, value, requirement }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn laplace_scale_is_the_smallest_and_monotone(
            dimension in 1usize..40,
            curvature in prop_oneof![Just(1.0), Just(0.0), Just(-1.0)],
            (ln_sensitivity, ln_mu, more) in (-7.0f64..0.0, -1.0f64..1.5, 1e-6f64..1.0),
        ) {
            let space = ConstantCurvature::new(dimension, curvature).unwrap();
            let (sensitivity, mu) = (ln_sensitivity.exp(), ln_mu.exp());
            let scale = |sensitivity, mu| space.laplace_scale(sensitivity, mu).unwrap();
            if let Some(found) = scale(sensitivity, mu) {
                let mu_of = |scale| Profile::new(space, Law::Laplace, scale, sensitivity).unwrap().mu();
                prop_assert!(mu_of(found) <= mu && mu_of((1.0 - 2e-9) * found) > mu, "{}", mu_of(found));
                prop_assert!(scale(sensitivity * (1.0 + more), mu).is_none_or(|wider| wider >= found * (1.0 - 2e-9)));
                prop_assert!(scale(sensitivity, mu * (1.0 + more)).unwrap() <= found * (1.0 + 2e-9));
            }
        }

        /// Of every argument, whatever was asked for before and in between.
        #[test]
        fn a_remembered_scale_is_the_one_that_is_computed(
            dimension in 2usize..6,
            curvature in prop_oneof![Just(1.0), Just(0.25), Just(-1.0)],
            sensitivity in prop_oneof![Just(0.01), Just(0.02)],
            budget in prop_oneof![
                Just(Guarantee::gaussian(1.0)), Just(Guarantee::concentrated(0.5)), Just(Guarantee::gaussian(0.5)),
                Just(Guarantee::approximate(1.0, 1e-6)), Just(Guarantee::approximate(1.0, 1e-5)),
            ],
        ) {
            let (space, budget) = (ConstantCurvature::new(dimension, curvature).unwrap(), budget.unwrap());
            let computed = space.curved_gaussian_scale(sensitivity, &budget).unwrap();
            prop_assert_eq!(space.gaussian_scale(sensitivity, &budget).unwrap(), computed);
            prop_assert_eq!(space.gaussian_scale(sensitivity, &budget).unwrap(), computed);
        }
    }
}
