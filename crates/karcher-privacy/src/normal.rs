//! Normal tail probabilities, without cancellation, overflow or a loss of relative accuracy in the tails.
//!
//! Everything rests on the Mills ratio `R(x) = (1 − Φ(x))/φ(x) = √(π/2)·erfcx(x/√2)`, which neither under- nor
//! overflows.

use errorfunctions::RealErrorFunctions;
use std::f64::consts::FRAC_1_SQRT_2;

/// Bound of the relative errors of [`gaussian_profile`] and [`symmetric_log_odds`]. It is measured, not proved: the
/// largest errors found at 9,000 random arguments, against at least 60 digits, are below 3e-15.
pub(super) const RELATIVE_ERROR: f64 = 1e-13;

/// `√(π/2)`.
const SQRT_HALF_PI: f64 = 1.253_314_137_315_500_3;
/// `ln √(2π)`.
const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_8;
/// `1/√(2π)`.
const FRAC_1_SQRT_2PI: f64 = 0.398_942_280_401_432_7;

/// `(δ, 1 − δ)` for `δ = Φ(−x) − e^ε·Φ(−y)`, `x = ε/μ − μ/2`, `y = ε/μ + μ/2` (user guide, \[P1\]), where `μ > 0` and
/// `ε ≥ 0`.
///
/// As `e^ε·φ(y) = φ(x)`, this is `φ(x)·(R(x) − R(y))`. There is one form a case:
/// * `μ < max(1, x)`, where the difference would cancel: `φ(x)·∫₀^∞ e^{−xs−s²/2}·(1 − e^{−μs}) ds`;
/// * `x < 0`: `1 − δ = φ(x)·(R(−x) + R(y))`;
/// * otherwise the difference itself.
///
/// The relative error of `δ`, and that of `1 − δ` where `δ ≥ ½`, is at most [`RELATIVE_ERROR`], down to the smallest
/// normal number.
pub(super) fn gaussian_profile(mu: f64, epsilon: f64) -> (f64, f64) {
    let quotient = epsilon / mu;
    if mu == f64::INFINITY {
        return (1.0, 0.0);
    }
    if quotient == f64::INFINITY {
        return (0.0, 1.0);
    }
    let half = mu / 2.0;
    let (x, y) = (quotient - half, quotient + half);
    // The rounding errors of x: the remainder of the division and that of the subtraction.
    let half_part = quotient - x;
    let lost_in_subtraction = (quotient - (x + half_part)) + (half_part - half);
    let lost_in_division = (-quotient).mul_add(mu, epsilon) / mu;
    let density = density(x, lost_in_subtraction + lost_in_division);

    if mu < x.max(1.0) {
        let delta = density * loss_integral(x, mu);
        (delta, 1.0 - delta)
    } else if x < 0.0 {
        let complement = density * (mills(-x) + mills(y));
        (1.0 - complement, complement)
    } else {
        let delta = density * (mills(x) - mills(y));
        (delta, 1.0 - delta)
    }
}

/// `ln[Φ(t)/Φ(−t)]` for `t > 0` (user guide, \[P2\]), with a relative error of at most [`RELATIVE_ERROR`].
pub(super) fn symmetric_log_odds(t: f64) -> f64 {
    if t < 1.0 {
        2.0 * gaussian_profile(2.0 * t, 0.0).0.atanh() // Φ(t) − Φ(−t) = δ at ε = 0, and tanh of half the log-odds
    } else {
        let mills = mills(t);
        let tail = density(t, 0.0) * mills;
        0.5 * t * t + LN_SQRT_2PI - mills.ln() + (-tail).ln_1p()
    }
}

/// The `x` with `Φ(−x) = e^{ln_p}`, for a probability of at most about 1 − 1e-9; small relative error of `Φ(−x)`.
///
/// Newton's method on `ln Φ(−x)`, which is concave and falls: from the right it comes down to the solution step by
/// step.
pub(super) fn upper_quantile(ln_p: f64) -> f64 {
    let mut x = (-2.0 * ln_p).max(0.0).sqrt(); // Φ(−x) ≤ ½·e^{−x²/2}
    for _ in 0..60 {
        let mills = mills(x);
        let excess = ln_p + 0.5 * x * x + LN_SQRT_2PI - mills.ln();
        let next = x - excess * mills;
        let settled = next >= x || next.is_nan();
        if settled {
            break;
        }
        x = next;
    }
    x
}

/// `μ` with `δ_μ(0) = δ`, for `0 < δ ≤ ½`; relative error [`RELATIVE_ERROR`].
pub(super) fn mu_of_total_variation(delta: f64) -> f64 {
    let mut mu = delta / FRAC_1_SQRT_2PI; // δ_μ(0) = 2Φ(μ/2) − 1 ≤ μ·φ(0), and concave
    for _ in 0..60 {
        let next = mu + (delta - gaussian_profile(mu, 0.0).0) / density(0.5 * mu, 0.0);
        if next <= mu {
            break;
        }
        mu = next;
    }
    mu
}

/// `ln R(x)`, `R(x) = (1 − Φ(x))/φ(x)`.
pub(super) fn ln_mills(x: f64) -> f64 {
    mills(x).ln()
}

/// `(ln δ_μ(ε), d/dε ln δ_μ(ε))`, also where `δ` underflows: `δ = φ(x)·(R(x) − R(y))` and
/// `δ′ = −e^ε·Φ(−y) = −φ(x)·R(y)`.
pub(super) fn ln_gaussian_profile(mu: f64, epsilon: f64) -> (f64, f64) {
    let x = epsilon / mu - 0.5 * mu;
    let difference = if x >= 0.0 { loss_integral(x, mu) } else { mills(x) - mills(x + mu) };
    (-0.5 * x * x - LN_SQRT_2PI + difference.ln(), -mills(x + mu) / difference)
}

/// `R(x) = (1 − Φ(x))/φ(x)` for `x ≥ 0`, and for negative `x` while it is finite.
fn mills(x: f64) -> f64 {
    SQRT_HALF_PI * (x * FRAC_1_SQRT_2).erfcx()
}

/// `φ(x + low)`, the standard normal density, where `low` is a rounding error of `x`. The square is split too, as an
/// absolute error of the exponent is a relative one of the density.
fn density(x: f64, low: f64) -> f64 {
    if x.abs() > 40.0 {
        return 0.0; // e^{−800} underflows
    }
    let square = x * x;
    let square_low = x.mul_add(x, -square) + 2.0 * x * low;
    FRAC_1_SQRT_2PI * (-0.5 * square).exp() * (-0.5 * square_low).exp()
}

/// `∫₀^∞ e^{−xs−s²/2}·(1 − e^{−μs}) ds = R(x) − R(x + μ)` for `x ≥ −½`.
///
/// Trapezoidal rule in `u = ln(s·max(1, x))`. All terms are positive, so nothing cancels; the integrand is analytic for
/// `|Im u| < π/4`, so a step of 1/8 leaves `e^{−2π·(π/4)·8} ≈ 7e-18`, and the ends cut off less than that.
fn loss_integral(x: f64, mu: f64) -> f64 {
    const STEP: f64 = 0.125;
    let scale = x.max(1.0);
    let term = |k: i32| {
        let s = (STEP * f64::from(k)).exp() / scale;
        s * (-x * s - 0.5 * s * s).exp() * -(-mu * s).exp_m1()
    };
    STEP * (-160..=40).map(term).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{GAUSSIAN_DELTAS, PURE_MUS};
    use proptest::prelude::*;

    fn relative_error(found: f64, expected: f64) -> f64 {
        ((found - expected) / expected).abs()
    }

    #[test]
    fn profile_agrees_with_the_reference() {
        for (mu, epsilon, delta) in GAUSSIAN_DELTAS {
            if delta >= f64::MIN_POSITIVE {
                let found = gaussian_profile(mu, epsilon).0;
                assert!(relative_error(found, delta) < 1e-14, "μ {mu}, ε {epsilon}: {found:e} for {delta:e}");
            }
        }
    }

    #[test]
    fn complement_keeps_its_relative_accuracy() {
        // 2Φ(−μ/2) at ε = 0, by mpmath with 80 digits.
        for (mu, complement) in [
            (1.0, 0.6170750774519738),
            (2.0, 0.3173105078629141),
            (10.0, 5.733031437583878e-07),
            (30.0, 7.341932398625502e-51),
            (50.0, 6.113393412765122e-138),
        ] {
            assert!(relative_error(gaussian_profile(mu, 0.0).1, complement) < 1e-14);
        }
    }

    #[test]
    fn log_odds_agree_with_the_reference() {
        for (epsilon, mu) in PURE_MUS {
            // d ln ε / d ln μ is between 1 and 2, and μ is rounded.
            assert!(relative_error(symmetric_log_odds(mu / 2.0), epsilon) < 1e-14);
        }
    }

    #[test]
    fn the_three_forms_agree_where_they_meet() {
        for (mu, x) in [(1.0, 0.0), (1.0, 0.5), (5.0, 5.0), (30.0, 30.0)] {
            let below = gaussian_profile(mu * (1.0 - 1e-15), mu * (x + mu / 2.0)).0;
            let above = gaussian_profile(mu * (1.0 + 1e-15), mu * (x + mu / 2.0)).0;
            assert!(relative_error(below, above) < 1e-11, "μ {mu}: {below:e} and {above:e}");
        }
    }

    proptest! {
        #[test]
        fn profile_is_a_probability_for_any_positive_numbers(mu in 1u64..0x7ff0_0000_0000_0000, epsilon in 0u64..0x7ff0_0000_0000_0000) {
            let (delta, complement) = gaussian_profile(f64::from_bits(mu), f64::from_bits(epsilon));
            prop_assert!((0.0..=1.0).contains(&delta) && (0.0..=1.0).contains(&complement));
            prop_assert!((delta + complement - 1.0).abs() < 1e-14);
        }
    }
}
