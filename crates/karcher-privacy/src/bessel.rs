//! Quotients of modified Bessel functions of neighbouring orders, between bounds that are proved.
//!
//! All come from continued fractions of positive numbers. Such a fraction falls where its rest grows, and rises where
//! the rest of its rest grows. So intervals that hold a rest are carried to the front, with ends that are rounded
//! outward.

use crate::interval::Interval;

/// `I_{ν+1}(s)/I_ν(s)` for `ν ≥ −½` and `s > 0`, by Gauss's continued fraction
/// `I_{ν+1}/I_ν = 1/(2(ν + 1)/s + I_{ν+2}/I_{ν+1})`.
///
/// The last quotient lies in `[0, 1]`. It is the mean of `b` for a density `∝ (1 − b²)^{μ−½}·e^{sb}` on `[−1, 1]`, here
/// with `μ = ν + steps > −½`. An error of a quotient shrinks by the square of the next one.
pub(crate) fn quotient_of_first_kind(order: f64, s: f64) -> Interval {
    let steps = 20.0 + (7.0 * s.sqrt()).ceil();
    let (one, length) = (Interval::exactly(1.0), Interval::exactly(s));
    let mut quotient = Interval { low: 0.0, high: 1.0 };
    let mut above = steps; // 2(ν + above) is exact, as ν is half an integer
    while above >= 1.0 {
        quotient = one / (Interval::exactly(2.0 * (order + above)) / length + quotient);
        above -= 1.0;
    }
    quotient
}

/// Steps to a dimension from one where the quotient is above 2: each shrinks an error fourfold.
const AHEAD: usize = 40;

/// `K_{d/2}(s)/K_{d/2−1}(s)` for `d ≥ 1` and `s > 0`, by `K_{ν+1}/K_ν = 2ν/s + K_{ν−1}/K_ν` from `K_{½} = K_{−½}`, from
/// [`one_over_zero`], or far ahead of `s` from `0 ≤ K_{ν−1}/K_ν ≤ 1`.
pub(crate) fn quotient_of_second_kind(dimension: usize, s: f64) -> Interval {
    let (one, length) = (Interval::exactly(1.0), Interval::exactly(s));
    let rise = |d: usize| Interval::exactly((d - 2) as f64) / length; // 2ν/s
    let (start, first) = match dimension.checked_sub(2 * AHEAD).filter(|d| *d > 2 && rise(*d).low > 2.0) {
        Some(ahead) => (ahead, rise(ahead) + Interval { low: 0.0, high: 1.0 }),
        None if dimension % 2 == 1 => (1, one),
        None => (2, one_over_zero(s)),
    };
    let later = (start + 2..=dimension).step_by(2);
    later.fold(first, |quotient, d| rise(d) + one / quotient)
}

/// Most steps of the next continued fraction, which is slow for small `s`.
const STEPS: f64 = 2_000.0;

/// `K₁(s)/K₀(s) = 1 + 1/(2s + ½/(1 + (3/2)/(2s + (3/2)/(1 + (5/2)/(2s + (5/2)/(1 + …))))))`.
///
/// **Proof.** With Tricomi's function `K₀(s) = √π·e^{−s}·U(½, 1, 2s)`. From `K₁ = −K₀′` and `U′(a, b) = −a·U(a + 1, b +
/// 1)` follows `K₁/K₀ = 1 + U(3/2, 2)/U(½, 1)`. Let `uⱼ = U(j + ½, 1)` and `vⱼ = U(j + ½, 2)`, which are positive. The
/// relations `U(a, b) = U(a, b − 1) + a·U(a + 1, b)` and `U(a, b) = z·U(a + 1, b + 1) + (a + 1 − b)·U(a + 1, b)` (DLMF
/// 13.3.9, 13.3.10) are `vⱼ/uⱼ = 1 + (j + ½)·vⱼ₊₁/uⱼ` and `uⱼ/vⱼ₊₁ = 2s + (j + ½)·uⱼ₊₁/vⱼ₊₁`. ∎ A rest `vⱼ/uⱼ` is at
/// least 1.
fn one_over_zero(s: f64) -> Interval {
    let (one, twice) = (Interval::exactly(1.0), Interval::exactly(2.0 * s));
    let steps = (20.0 + (60.0 / s).ceil()).min(STEPS);
    let mut rest = Interval { low: 1.0, high: f64::INFINITY };
    let mut j = steps;
    while j >= 1.0 {
        rest = one + Interval::exactly(j + 0.5) / (twice + Interval::exactly(j + 0.5) / rest);
        j -= 1.0;
    }
    one + one / (twice + Interval::exactly(0.5) / rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(2ν, s, I_{ν+1}/I_ν)`, by mpmath with 50 digits:
    /// `mp.dps = 50; besseli(nu + 1, s)/besseli(nu, s)`.
    const FIRST: [(f64, f64, f64); 11] = [
        (-1.0, 0.5, 0.46211715726000974),
        (-1.0, 30.0, 1.0),
        (0.0, 0.001, 0.0004999999375000105),
        (0.0, 1.0, 0.4463899658965345),
        (0.0, 500.0, 0.9989994989968619),
        (1.0, 2.5, 0.6135673098126084),
        (4.0, 0.25, 0.04161252596556149),
        (9.0, 7.0, 0.49636915604925985),
        (18.0, 40.0, 0.7880464369944878),
        (98.0, 3.0, 0.02997357512884478),
        (998.0, 250.0, 0.23609024094629627),
    ];

    /// `(d, s, K_{d/2}/K_{d/2−1})`, by mpmath with 50 digits: `besselk(mpf(d)/2, s)/besselk(mpf(d)/2 - 1, s)`.
    const SECOND: [(usize, f64, f64); 14] = [
        (1, 0.5, 1.0),
        (2, 0.01, 21.17532554066203),
        (2, 0.1, 4.059977149632327),
        (2, 1.0, 1.4296253982604017),
        (2, 40.0, 1.0124237555605722),
        (3, 0.2, 6.0),
        (4, 0.001, 2000.0070237152227),
        (5, 7.0, 1.3035714285714286),
        (6, 1.5, 3.141925754073383),
        (7, 0.01, 500.00333322332597),
        (20, 3.0, 6.180590603947827),
        (100, 60.0, 2.1127837123414164),
        (101, 3.0, 33.03089768892934),
        (5000, 1000.0, 5.190722986821589),
    ];

    #[test]
    fn quotients_lie_in_their_intervals() {
        for (twice_order, s, exact) in FIRST {
            let found = quotient_of_first_kind(0.5 * twice_order, s);
            assert!(found.low <= exact && exact <= found.high, "{twice_order} {s}: {found:?} {exact}");
            assert!(found.high - found.low <= 1e-13 * exact, "{twice_order} {s}: {found:?}");
        }
        for (dimension, s, exact) in SECOND {
            let found = quotient_of_second_kind(dimension, s);
            assert!(found.low <= exact && exact <= found.high, "{dimension} {s}: {found:?} {exact}");
            let width = if dimension % 2 == 0 && s < 0.05 { 1e-3 } else { 1e-13 };
            assert!(found.high - found.low <= width * exact, "{dimension} {s}: {found:?}");
        }
    }
}
