//! From a promise to the scale of the noise that keeps it, and back.
//!
//! A sensitivity `Δ` and a scale `σ` are distances on the manifold. A scale is rounded up, and so is the guarantee that
//! a scale gives: a calibrated scale gives back no more than was asked for.

use super::conversion::gaussian_delta;
use super::guarantee::{Definition, Guarantee, positive};
use super::normal::RELATIVE_ERROR;
use crate::error::{Error, Result};
use crate::remembered::Remembered;
use crate::rounding::{div_up, sqrt_down, up};
use crate::search::smallest;

/// The method for the Gaussian noise of an approximate guarantee. Other definitions ignore it.
///
/// ```
/// use karcher_privacy::{GaussianCalibration, Guarantee, gaussian_scale};
/// let scale = |calibration| gaussian_scale(1.0, &Guarantee::approximate(0.5, 1e-6)?, calibration);
/// let classical = (2.0 * 1.25e6_f64.ln()).sqrt() / 0.5;
/// assert!((scale(GaussianCalibration::Classical)? - classical).abs() < 1e-9);
/// assert!(scale(GaussianCalibration::Analytic)? < classical);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GaussianCalibration {
    /// The smallest `σ` that will do, for every `ε` and `δ` (Balle and Wang 2018).
    #[default]
    Analytic,
    /// `σ = Δ√(2 ln(1.25/δ))/ε`, proved only for `ε < 1` (Dwork and Roth 2014, theorem A.1).
    Classical,
}

/// `σ = Δ/ε`: the scale of a Laplace law, of density `∝ e^{−ρ(x, f)/σ}`, that is pure `ε` (user guide, \[M1\]).
///
/// # Errors
/// [`Error::InvalidParameter`] unless both are finite and greater than 0, or if the scale over- or underflows.
///
/// ```
/// use karcher_privacy::laplace_scale;
/// assert!((laplace_scale(0.02, 0.5)? - 0.04).abs() < 1e-15);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn laplace_scale(sensitivity: f64, epsilon: f64) -> Result<f64> {
    let (sensitivity, epsilon) = (positive("sensitivity", sensitivity)?, positive("epsilon", epsilon)?);
    representable(div_up(sensitivity, epsilon))
}

/// `ε = Δ/σ`: the pure guarantee of a Laplace law of scale `σ`, the inverse of [`laplace_scale`].
///
/// # Errors
/// [`Error::InvalidParameter`] unless both are finite and greater than 0, or if `ε` overflows.
///
/// ```
/// use karcher_privacy::{Guarantee, laplace_guarantee};
/// assert_eq!(laplace_guarantee(0.25, 0.5)?, Guarantee::pure(0.5)?);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn laplace_guarantee(sensitivity: f64, scale: f64) -> Result<Guarantee> {
    let (sensitivity, scale) = (positive("sensitivity", sensitivity)?, positive("scale", scale)?);
    Guarantee::pure(div_up(sensitivity, scale))
}

/// The standard deviation of Gaussian noise on a flat space that gives `guarantee` (user guide, \[P4\]).
///
/// * Gaussian: `σ = Δ/μ`;
/// * concentrated: `σ = Δ/√(2ρ)`;
/// * approximate: the smallest `σ` with `Φ(Δ/2σ − εσ/Δ) − e^ε·Φ(−Δ/2σ − εσ/Δ) ≤ δ`, too high by a relative 1e-12 at
///   most; or the classical formula.
///
/// # Errors
/// [`Error::InvalidParameter`] for a pure guarantee, which no Gaussian noise gives, and for the classical formula with
/// `ε ≥ 1`. Also unless the sensitivity is finite and greater than 0, and if the scale over- or underflows.
///
/// ```
/// use karcher_privacy::{GaussianCalibration, Guarantee, gaussian_scale};
/// let scale = |guarantee| gaussian_scale(0.5, &guarantee, GaussianCalibration::Analytic);
/// assert!((scale(Guarantee::gaussian(2.0)?)? - 0.25).abs() < 1e-15); // Δ/μ
/// assert!((scale(Guarantee::concentrated(2.0)?)? - 0.25).abs() < 1e-15); // Δ/√(2ρ)
/// assert!(scale(Guarantee::pure(1.0)?).is_err());
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn gaussian_scale(sensitivity: f64, guarantee: &Guarantee, calibration: GaussianCalibration) -> Result<f64> {
    let sensitivity = positive("sensitivity", sensitivity)?;
    representable(match guarantee.definition() {
        Definition::Gaussian { mu } => div_up(sensitivity, mu),
        Definition::Concentrated { rho } => div_up(sensitivity, sqrt_down((2.0 * rho).min(f64::MAX))),
        Definition::Approximate { epsilon, delta } => match calibration {
            GaussianCalibration::Analytic => analytic_scale(sensitivity, epsilon, delta)?,
            GaussianCalibration::Classical => classical_scale(sensitivity, epsilon, delta)?,
        },
        Definition::Pure { epsilon } => {
            return Err(Error::InvalidParameter {
                name: "epsilon",
                value: epsilon,
                requirement:
                    "Gaussian noise gives pure differential privacy on spheres only; give a delta too, or use the \
                     Laplace mechanism"
                        .into(),
            });
        }
    })
}

/// `μ = Δ/σ`: the guarantee of Gaussian noise of standard deviation `σ` on a flat space, the inverse of
/// [`gaussian_scale`]. On a curved space it does not hold.
///
/// # Errors
/// [`Error::InvalidParameter`] unless both are finite and greater than 0, or if `μ` overflows.
///
/// ```
/// use karcher_privacy::{Guarantee, gaussian_guarantee_flat};
/// assert_eq!(gaussian_guarantee_flat(0.25, 0.5)?, Guarantee::gaussian(0.5)?);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn gaussian_guarantee_flat(sensitivity: f64, scale: f64) -> Result<Guarantee> {
    let (sensitivity, scale) = (positive("sensitivity", sensitivity)?, positive("scale", scale)?);
    Guarantee::gaussian(div_up(sensitivity, scale))
}

/// The smallest scale whose own guarantee, as [`gaussian_guarantee_flat`] reports it, is within `(ε, δ)`; `∞` if none
/// is.
fn analytic_scale(sensitivity: f64, epsilon: f64, delta: f64) -> Result<f64> {
    static KNOWN: Remembered<[f64; 3], f64> = Remembered::new();
    KNOWN.or_compute([sensitivity, epsilon, delta], || {
        let suffices = |scale| gaussian_delta(div_up(sensitivity, scale), epsilon) <= delta;
        Ok(smallest(suffices).unwrap_or(f64::INFINITY))
    })
}

/// `Δ√(2 ln(1.25/δ))/ε`, rounded up once, at the end: the margin is hundreds of times the rounding errors of the
/// formula. As `ε < 1`, its first quotient is not below `Δ`, so that nothing underflows on the way to a normal number.
fn classical_scale(sensitivity: f64, epsilon: f64, delta: f64) -> Result<f64> {
    if epsilon >= 1.0 {
        return Err(Error::InvalidParameter {
            name: "epsilon",
            value: epsilon,
            requirement: "the classical Gaussian calibration is proved only for epsilon below 1; use the analytic one"
                .into(),
        });
    }
    let logarithm = 1.25f64.ln() - delta.ln();
    Ok(up(sensitivity / epsilon * (2.0 * logarithm).sqrt(), RELATIVE_ERROR))
}

/// `scale`, if it is a normal number.
fn representable(scale: f64) -> Result<f64> {
    if scale.is_normal() {
        return Ok(scale);
    }
    let requirement = if scale > 1.0 {
        "the noise that is needed is too large for a floating-point number; ask for less privacy or lower the \
         sensitivity"
    } else {
        "the noise that is needed is too small for a floating-point number; ask for more privacy or rescale the data"
    };
    Err(Error::InvalidParameter { name: "scale", value: scale, requirement: requirement.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::gaussian_profile;
    use crate::reference::{CLASSICAL_SCALES, GAUSSIAN_MUS};
    use proptest::prelude::*;
    use std::ops::Range;

    fn spread(range: Range<f64>) -> impl Strategy<Value = f64> {
        range.prop_map(|exponent| 10f64.powf(exponent))
    }

    fn analytic(sensitivity: f64, epsilon: f64, delta: f64) -> f64 {
        let request = Guarantee::approximate(epsilon, delta).unwrap();
        gaussian_scale(sensitivity, &request, GaussianCalibration::Analytic).unwrap()
    }

    #[test]
    fn analytic_scale_has_the_published_values() {
        for (epsilon, delta, scale) in
            [(0.1, 1e-6, 36.30469043), (1.0, 1e-6, 4.22467889), (4.0, 1e-6, 1.19351859), (10.0, 1e-5, 0.49988862)]
        {
            assert!((analytic(1.0, epsilon, delta) - scale).abs() < 5e-9);
        }
    }

    #[test]
    fn analytic_scale_is_the_reference_rounded_up() {
        for (epsilon, delta, mu) in GAUSSIAN_MUS {
            let (found, exact) = (analytic(1.0, epsilon, delta), 1.0 / mu);
            assert!(found >= exact && found <= exact * (1.0 + 1e-12), "ε {epsilon}, δ {delta}: {found} for {exact}");
        }
    }

    #[test]
    fn closed_forms_are_exact_where_they_can_be() {
        let scale = |g: Result<Guarantee>| gaussian_scale(3.0, &g.unwrap(), GaussianCalibration::Analytic).unwrap();
        assert_eq!(laplace_scale(3.0, 2.0).unwrap(), 1.5);
        assert_eq!(scale(Guarantee::gaussian(2.0)), 1.5);
        assert_eq!(scale(Guarantee::concentrated(2.0)), 1.5);
        assert_eq!(laplace_guarantee(3.0, 1.5).unwrap(), Guarantee::pure(2.0).unwrap());
        assert_eq!(gaussian_guarantee_flat(3.0, 1.5).unwrap(), Guarantee::gaussian(2.0).unwrap());
    }

    /// The exact value of `a·b − c` has the sign of this fused multiply-add, which rounds once: the forward and the
    /// backward closed forms are the nearest numbers on the safe side.
    #[test]
    fn closed_forms_are_rounded_up() {
        for i in 1..500 {
            let (sensitivity, given) = (f64::from(i) / 41.0, f64::from(i % 29 + 1) / 13.0);
            let Definition::Pure { epsilon } = laplace_guarantee(sensitivity, given).unwrap().definition() else {
                panic!("not pure");
            };
            let Definition::Gaussian { mu } = gaussian_guarantee_flat(sensitivity, given).unwrap().definition() else {
                panic!("not Gaussian");
            };
            let request = Guarantee::gaussian(given).unwrap();
            let gaussian = gaussian_scale(sensitivity, &request, GaussianCalibration::Analytic).unwrap();
            for quotient in [epsilon, mu, laplace_scale(sensitivity, given).unwrap(), gaussian] {
                assert!(quotient.mul_add(given, -sensitivity) >= 0.0, "{sensitivity}/{given}");
                assert!(quotient.next_down().mul_add(given, -sensitivity) < 0.0, "{sensitivity}/{given}");
            }
        }
    }

    #[test]
    fn classical_scale_is_the_reference_rounded_up() {
        for (epsilon, delta, scale) in CLASSICAL_SCALES {
            let request = Guarantee::approximate(epsilon, delta).unwrap();
            // a power of two changes nothing but the exponent
            for power in [1.0, 2f64.powi(-900), 2f64.powi(900)] {
                let found = gaussian_scale(power, &request, GaussianCalibration::Classical).unwrap() / power;
                assert!(
                    found >= scale && found <= scale * (1.0 + 1e-12),
                    "ε {epsilon}, δ {delta}: {found} for {scale}"
                );
            }
        }
    }

    #[test]
    fn classical_scale_is_for_epsilon_below_one_only() {
        let classical = |epsilon, delta| {
            gaussian_scale(2.0, &Guarantee::approximate(epsilon, delta).unwrap(), GaussianCalibration::Classical)
        };
        assert!(classical(1.0f64.next_down(), 1e-6).is_ok());
        let error = classical(1.0, 1e-6).unwrap_err().to_string();
        assert!(error.contains("below 1") && error.contains("analytic"), "{error}");
    }

    #[test]
    fn gaussian_noise_is_refused_for_a_pure_guarantee() {
        let request = Guarantee::pure(1.0).unwrap();
        assert!(gaussian_scale(1.0, &request, GaussianCalibration::Analytic).is_err());
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let request = Guarantee::gaussian(1.0).unwrap();
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(laplace_scale(bad, 1.0).is_err() && laplace_scale(1.0, bad).is_err());
            assert!(laplace_guarantee(bad, 1.0).is_err() && laplace_guarantee(1.0, bad).is_err());
            assert!(gaussian_guarantee_flat(bad, 1.0).is_err() && gaussian_guarantee_flat(1.0, bad).is_err());
            assert!(gaussian_scale(bad, &request, GaussianCalibration::Analytic).is_err());
        }
    }

    #[test]
    fn a_scale_that_leaves_the_range_of_numbers_is_an_error() {
        let error = laplace_scale(1e300, 1e-300).unwrap_err().to_string();
        assert!(error.contains("too large"), "{error}");
        let error = laplace_scale(1e-300, 1e300).unwrap_err().to_string();
        assert!(error.contains("too small"), "{error}");
        let request = Guarantee::approximate(1e-8, 1e-300).unwrap();
        assert!(gaussian_scale(1e300, &request, GaussianCalibration::Analytic).is_err());
        let most = Guarantee::concentrated(f64::MAX).unwrap();
        let scale = gaussian_scale(1e200, &most, GaussianCalibration::Analytic).unwrap();
        assert!(scale >= 1e200 / (2f64.sqrt() * f64::MAX.sqrt()));
    }

    proptest! {
        #[test]
        fn a_calibrated_scale_keeps_its_promise_and_a_smaller_one_does_not(
            sensitivity in spread(-6.0..6.0),
            epsilon in spread(-8.0..2.7),
            delta in prop_oneof![spread(-300.0..-0.01), Just(1.0 - 1e-9)],
        ) {
            let scale = analytic(sensitivity, epsilon, delta);
            let reported = gaussian_guarantee_flat(sensitivity, scale).unwrap().delta(epsilon).unwrap();
            prop_assert!(reported <= delta);
            let (short, complement) = gaussian_profile(sensitivity / (0.999_999 * scale), epsilon);
            prop_assert!(short > delta || complement < 1.0 - delta);
        }

        #[test]
        fn closed_forms_give_back_no_more_than_was_asked(sensitivity in spread(-9.0..9.0), budget in spread(-9.0..9.0)) {
            let epsilon = laplace_guarantee(sensitivity, laplace_scale(sensitivity, budget).unwrap()).unwrap();
            let within = matches!(epsilon.definition(), Definition::Pure { epsilon } if epsilon <= budget);
            prop_assert!(within);

            let request = Guarantee::gaussian(budget).unwrap();
            let scale = gaussian_scale(sensitivity, &request, GaussianCalibration::Analytic).unwrap();
            let back = gaussian_guarantee_flat(sensitivity, scale).unwrap();
            let within = matches!(back.definition(), Definition::Gaussian { mu } if mu <= budget);
            prop_assert!(within);

            let request = Guarantee::concentrated(budget).unwrap();
            let scale = gaussian_scale(sensitivity, &request, GaussianCalibration::Analytic).unwrap();
            let back = gaussian_guarantee_flat(sensitivity, scale).unwrap().to_concentrated().unwrap();
            let within = matches!(back.definition(), Definition::Concentrated { rho } if rho <= budget);
            prop_assert!(within);
        }

        #[test]
        fn the_classical_scale_is_never_below_the_analytic_one(epsilon in 1e-6f64..1.0, delta in spread(-300.0..0.0)) {
            prop_assume!(delta < 1.0);
            let request = Guarantee::approximate(epsilon, delta).unwrap();
            let classical = gaussian_scale(1.0, &request, GaussianCalibration::Classical).unwrap();
            prop_assert!(classical >= analytic(1.0, epsilon, delta));
        }

        #[test]
        fn the_scale_rises_with_sensitivity_and_falls_with_the_budget(epsilon in spread(-8.0..2.6), delta in spread(-299.0..-0.1)) {
            let scale = analytic(1.0, epsilon, delta);
            prop_assert!(analytic(1.001, epsilon, delta) > scale);
            prop_assert!(analytic(1.0, epsilon * 1.001, delta) <= scale);
            prop_assert!(analytic(1.0, epsilon, delta * 1.1) < scale);
        }
    }
}
