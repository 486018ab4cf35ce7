//! The exact `ρ` of Laplace noise on a vector (user guide, \[N3\]).
//!
//! `N` in `R^d` has the density `∝ e^{−‖z‖/σ}`, and the statistic moves by at most `Δ`. Write `s = Δ/2σ`.
//!
//! **Theorem.** The Rényi divergence of order `α`, divided by `α`, falls as `α` grows. So the noise is ρ-zCDP for the
//! mean of the loss, and for no smaller `ρ`:
//!
//! ```text
//! ρ = 2s²·(I_{d/2}·K_{d/2} + I_{d/2+1}·K_{d/2−1})(s);    for d = 1, ρ = ε + e^{−ε} − 1 with ε = Δ/σ.
//! ```
//!
//! With `i = I_{d/2}/I_{d/2−1}`, `i′ = I_{d/2+1}/I_{d/2}` and `k = K_{d/2}/K_{d/2−1}` it is `2s·i·(k + i′)/(k + i)`,
//! because `s·(I_{d/2−1}·K_{d/2} + I_{d/2}·K_{d/2−1}) = 1`. It is computed in intervals, whose ends are proved.

use crate::bessel::{quotient_of_first_kind, quotient_of_second_kind};
use crate::error::Result;
use crate::flat_laplace::check_dimension;
use crate::guarantee::{Guarantee, positive};
use crate::interval::Interval;
use crate::remembered::Remembered;
use crate::rounding::{div_up, mul_up};
use crate::search::largest;
use std::ops::RangeInclusive;

/// Ratios `Δ/σ` for which the mean loss is computed. Below it is `ε²/2` at most, and beyond `ε`.
const RATIOS: RangeInclusive<f64> = 1e-100..=1e5;

/// The concentrated guarantee of Laplace noise of scale `σ` on a vector of `dimension` numbers that moves by at most
/// `Δ`: the exact `ρ`, rounded up, too high by a relative 1e-8 at most for `Δ/σ` up to 100,000 (\[N3\]).
///
/// # Errors
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for no numbers, and unless the lengths are finite and
/// greater than 0.
///
/// ```
/// use karcher_privacy::{Definition, flat_laplace_concentrated};
/// let Definition::Concentrated { rho } = flat_laplace_concentrated(1, 1.0, 1.0)?.definition() else { panic!() };
/// assert!((rho - (-1.0_f64).exp()).abs() < 1e-15); // ε + e^{−ε} − 1; pure ε = 1 implies 0.4621
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn flat_laplace_concentrated(dimension: usize, sensitivity: f64, scale: f64) -> Result<Guarantee> {
    let ratio = div_up(positive("sensitivity", sensitivity)?, positive("scale", scale)?);
    check_dimension(dimension)?;
    Guarantee::concentrated(mean_loss(dimension, positive("epsilon", ratio)?))
}

/// The largest `ε = Δ/σ` for which such noise is ρ-zCDP, rounded down. It is more than every release of pure `ε` may
/// have ([`pure_epsilon_for_rho`](crate::pure_epsilon_for_rho)).
///
/// # Errors
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for no numbers, and unless `rho` is finite and greater
/// than 0.
///
/// ```
/// use karcher_privacy::{flat_laplace_epsilon_for_rho, pure_epsilon_for_rho};
/// let gain = |d| Ok::<_, karcher_privacy::Error>(flat_laplace_epsilon_for_rho(d, 0.1)? / pure_epsilon_for_rho(0.1)?);
/// assert!((gain(1)? - 1.0714).abs() < 1e-3 && (gain(10)? - 3.1440).abs() < 1e-3);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn flat_laplace_epsilon_for_rho(dimension: usize, rho: f64) -> Result<f64> {
    let rho = positive("rho", rho)?;
    check_dimension(dimension)?;
    static KNOWN: Remembered<(usize, f64), f64> = Remembered::new();
    KNOWN.or_compute((dimension, rho), || {
        positive("epsilon", largest(|ratio| mean_loss(dimension, ratio) <= rho).unwrap_or(0.0))
    })
}

/// `ρ`, rounded up, for `ratio = Δ/σ`.
fn mean_loss(dimension: usize, ratio: f64) -> f64 {
    if ratio < *RATIOS.start() {
        return mul_up(ratio, 0.5 * ratio); // as for every release of pure ε
    }
    if ratio > *RATIOS.end() {
        return ratio; // no loss is larger
    }
    let (order, s) = (0.5 * dimension as f64 - 1.0, 0.5 * ratio);
    let (i, next) = (quotient_of_first_kind(order, s), quotient_of_first_kind(order + 1.0, s));
    // it grows with k, because quotients of the first kind fall as the order grows
    let k = Interval::exactly(quotient_of_second_kind(dimension, s).high);
    (Interval::exactly(ratio) * (i * ((k + next) / (k + i)))).high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Definition, flat_laplace_delta, flat_laplace_guarantee, pure_epsilon_for_rho};
    use proptest::prelude::*;

    /// `(d, Δ/σ, ρ)`, by mpmath with 50 digits from the formula in Bessel functions:
    /// `2*s**2*(besseli(mpf(d)/2, s)*besselk(mpf(d)/2, s) + besseli(mpf(d)/2 + 1, s)*besselk(mpf(d)/2 - 1, s))`.
    const REFERENCE: [(usize, f64, f64); 21] = [
        (1, 1e-8, 4.999999983333334e-17),
        (1, 0.1, 0.0048374180359595734),
        (1, 1.0, 0.36787944117144233),
        (1, 3.0, 2.049787068367864),
        (1, 50.0, 49.0),
        (2, 0.001, 2.4999987161196346e-7),
        (2, 0.3, 0.022180509129878612),
        (2, 1.0, 0.2283406924267529),
        (2, 3.0, 1.5503994542728057),
        (3, 0.5, 0.04122406258629919),
        (3, 10.0, 7.399936440098332),
        (4, 2.0, 0.46782285896121245),
        (6, 1.0, 0.08269721570990098),
        (6, 2.5, 0.49830994376373616),
        (10, 0.2, 0.0019997917162504803),
        (10, 8.0, 2.800403379924639),
        (20, 1.0, 0.024984237687062177),
        (55, 3.0, 0.08175733570243686),
        (100, 20.0, 1.9803830169746257),
        (300, 1.0, 0.0016666620368569922),
        (1000, 40.0, 0.7996802544693871),
    ];

    #[test]
    fn rho_is_the_reference_rounded_up() {
        for (dimension, ratio, exact) in REFERENCE {
            let found = mean_loss(dimension, ratio);
            // the reference is rounded to nearest
            let allowed = if dimension == 2 && ratio < 0.1 { 1e-8 } else { 1e-13 };
            let close = found >= exact * (1.0 - f64::EPSILON) && found <= exact * (1.0 + allowed);
            assert!(close, "{dimension} {ratio}: {found:e} for {exact:e}");
            assert!(mean_loss(dimension, ratio / (1.0 + 2.0 * allowed)) < exact, "{dimension} {ratio}: no power");
        }
    }

    /// `ln E e^{(α − 1)·L}/(α·(α − 1))` for the law of the loss, by the density of the angle: the largest is at `α →
    /// 1`, where it is `ρ`.
    #[test]
    fn divergences_of_every_order_are_within_rho() {
        const PARTS: usize = 20_000;
        for (d, ratio) in [(2_usize, 0.3), (2, 3.0), (3, 1.0), (6, 2.5), (20, 1.0), (55, 8.0)] {
            let (s, rho) = (0.5 * ratio, mean_loss(d, ratio));
            let q = 1.0 + (d as f64 - 1.0) / s * quotient_of_second_kind(d, s).high;
            let law: Vec<(f64, f64)> = (0..PARTS)
                .map(|i| std::f64::consts::PI * (i as f64 + 0.5) / PARTS as f64)
                .map(|t| (t.cos(), t.sin().powi(d as i32 - 2) * (q - t.cos().powi(2)) * (s * t.cos()).exp()))
                .collect();
            let mass: f64 = law.iter().map(|(_, p)| p).sum();
            let mut last = rho * (1.0 + 1e-6);
            for order in [1.001, 1.1, 1.5, 2.0, 4.0, 16.0, 64.0] {
                let moment: f64 = law.iter().map(|(b, p)| p * ((order - 1.0) * ratio * b).exp()).sum();
                let divergence = (moment / mass).ln() / (order * (order - 1.0));
                assert!(divergence <= last, "{d} {ratio} {order}: {divergence} {last}");
                last = divergence;
            }
            let near: f64 = law.iter().map(|(b, p)| p * ratio * b).sum::<f64>() / mass;
            assert!((near / rho - 1.0).abs() < 1e-6, "{d} {ratio}: {near} {rho}");
        }
    }

    /// On a line with two atoms, `D_α` in closed form.
    #[test]
    fn divergences_on_a_line_are_within_rho() {
        for ratio in [0.1_f64, 1.0, 4.0] {
            let rho = mean_loss(1, ratio);
            assert!((rho - (ratio + (-ratio).exp_m1())).abs() < 1e-14);
            for order in [1.01_f64, 1.5, 2.0, 8.0, 50.0] {
                let both = 2.0 * order - 1.0;
                let moment = (order * ((order - 1.0) * ratio).exp() + (order - 1.0) * (-order * ratio).exp()) / both;
                assert!(moment.ln() / (order * (order - 1.0)) <= rho, "{ratio} {order}");
            }
        }
    }

    proptest! {
        /// No other bound of `ρ` is smaller: that of pure `ε`, of `μ`, and of a line.
        #[test]
        fn no_other_bound_is_smaller(d in 1_usize..80, ln_ratio in -6.0f64..4.0) {
            let ratio = ln_ratio.exp();
            let found = mean_loss(d, ratio);
            let slack = 1.0 + 1e-9;
            prop_assert!(found <= ratio * (0.5 * ratio).tanh() * slack);
            prop_assert!(found <= mean_loss(1, ratio) * slack);
            prop_assert!(mean_loss(d + 1, ratio) <= found * slack);
            if let Definition::Gaussian { mu } = flat_laplace_guarantee(d, ratio, 1.0).unwrap().definition() {
                prop_assert!(found <= 0.5 * mu * mu * slack, "{} {}", found, 0.5 * mu * mu);
            }
        }

        /// It is no smaller than the total variation allows, by Pinsker's inequality for both laws.
        #[test]
        fn it_is_no_smaller_than_the_variation_allows(d in 1_usize..80, ln_ratio in -6.0f64..4.0) {
            let ratio = ln_ratio.exp();
            let variation = flat_laplace_delta(d, ratio, 1.0, 0.0).unwrap();
            prop_assert!(mean_loss(d, ratio) >= 2.0 * variation * variation * (1.0 - 1e-9));
        }

        #[test]
        fn a_calibrated_ratio_keeps_its_promise_and_a_larger_one_does_not(d in 1_usize..300, ln_rho in -12.0f64..4.0) {
            let rho = ln_rho.exp();
            let epsilon = flat_laplace_epsilon_for_rho(d, rho).unwrap();
            prop_assert!(mean_loss(d, epsilon) <= rho && mean_loss(d, epsilon * (1.0 + 1e-8)) > rho);
            prop_assert!(epsilon >= pure_epsilon_for_rho(rho).unwrap());
            let Definition::Concentrated { rho: kept } =
                flat_laplace_concentrated(d, 0.3, crate::laplace_scale(0.3, epsilon).unwrap()).unwrap().definition()
            else {
                panic!()
            };
            prop_assert!(kept <= rho);
        }
    }

    #[test]
    fn extreme_arguments_give_a_bound() {
        for (dimension, ratio) in
            [(1, 1e-300), (2, 1e-100), (2, 1e-9), (2, 1e5), (3, 1e5), (1, 1e300), (1_000_000, 1e-3), (100_000, 1e4)]
        {
            let found = mean_loss(dimension, ratio);
            assert!(found > 0.0 && found <= ratio, "{dimension} {ratio}: {found}");
        }
        assert!(flat_laplace_epsilon_for_rho(2, 1e-300).is_ok() && flat_laplace_epsilon_for_rho(2, 1e300).is_ok());
        for (dimension, sensitivity, scale) in [(0, 1.0, 1.0), (2, 0.0, 1.0), (2, 1.0, f64::NAN), (2, 1e300, 1e-300)] {
            assert!(flat_laplace_concentrated(dimension, sensitivity, scale).is_err());
        }
        assert!(flat_laplace_epsilon_for_rho(0, 1.0).is_err() && flat_laplace_epsilon_for_rho(2, 0.0).is_err());
    }
}
