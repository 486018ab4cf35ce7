//! Intervals of sums and ratios that include the noise (user guide, V2).

use crate::mechanism::noise::exact::{Tail, half_width_in};
use crate::noise::{Law, VectorNoise};
use statrs::function::erf::erfc;
use std::f64::consts::FRAC_1_SQRT_2;

/// Halvings that find a root to the last bits.
const HALVINGS: usize = 60;

/// Sums of more numbers have tails that are bounded.
const MANY: usize = 500;

/// Probability with which an interval may miss.
pub(super) const MISSED: f64 = 0.05;

/// Independent noise on numbers: its law and scale.
#[derive(Debug, Clone, Copy)]
pub(super) struct OnNumbers {
    pub(super) law: Law,
    pub(super) sigma: f64,
    /// What rounding may add to each, half a quantum.
    pub(super) rounding: f64,
}

impl OnNumbers {
    pub(super) fn new(noise: &VectorNoise, quantum: f64) -> Self {
        Self { law: noise.law(), sigma: noise.sigma() * quantum, rounding: 0.5 * quantum }
    }

    /// Distance that the sum of noise on so many numbers exceeds with such a probability at most.
    pub(super) fn of_sum(self, numbers: usize, missed: f64) -> f64 {
        let tail = |t: f64| match self.law {
            Law::Laplace => laplace_sum_tail(numbers, t),
            Law::Gaussian => erfc(t / (numbers as f64).sqrt() * FRAC_1_SQRT_2),
        };
        beyond(missed, tail) * self.sigma + numbers as f64 * self.rounding
    }

    /// Distance that `a·N₁ − b·N₂` exceeds with such a probability at most, for `a, b ≥ 0` that are not both 0.
    fn of_two(self, a: f64, b: f64, missed: f64) -> f64 {
        let tail = |t: f64| match self.law {
            Law::Laplace => laplace_pair_tail(a, b, t),
            Law::Gaussian => erfc(t / a.hypot(b) * FRAC_1_SQRT_2),
        };
        beyond(missed, tail) * self.sigma + (a + b) * self.rounding
    }

    /// Interval for the ratio `a/(a + b)` of two numbers that are not negative, from noisy ones `A` and `B`: the ratios
    /// `θ` that `(1 − θ)·A − θ·B` does not contradict. That is `(1 − θ)·N₁ − θ·N₂` at the true ratio, whose law is
    /// known. Negative noisy numbers count as 0, which contradicts fewer ratios.
    pub(super) fn of_ratio(self, a: f64, b: f64, missed: f64) -> [f64; 2] {
        let (a, b) = (a.max(0.0), b.max(0.0));
        let limit = |theta: f64| self.of_two(1.0 - theta, theta, missed);
        let low = first(|theta| (1.0 - theta) * a - theta * b <= limit(theta));
        let high = 1.0 - first(|rest| (1.0 - rest) * b - rest * a <= limit(rest));
        [low, high.max(low)]
    }
}

/// The first number from 0 to 1 from which on a condition holds, rounded down; it holds at 1.
fn first(holds: impl Fn(f64) -> bool) -> f64 {
    if holds(0.0) {
        return 0.0;
    }
    let (mut not, mut there) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (not + there);
        if holds(middle) { there = middle } else { not = middle }
    }
    not
}

/// The number at which a falling tail is at most a probability.
fn beyond(missed: f64, tail: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while tail(high) > missed {
        high *= 2.0;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if tail(middle) > missed { low = middle } else { high = middle }
    }
    high * (1.0 + 1e-9)
}

/// `P(|N₁ + … + N_L| > t)` for Laplace noise of scale 1. The sum is the difference of two numbers of the gamma law of
/// shape `L`, so that with the negative binomial weights `w_m = C(L + m − 1, m)·2^{−(L+m)}` it is
/// `2e^{−t}·Σ_m w_m·Σ_{j < L−m} t^j/j!`. Of many it is the bound `2e^{−st}/(1 − s²)^L` with the best `s`.
fn laplace_sum_tail(numbers: usize, t: f64) -> f64 {
    if numbers > MANY {
        let many = numbers as f64;
        let s = t / (many + many.hypot(t));
        return 2.0 * (-s * t - many * (-s * s).ln_1p()).exp();
    }
    let mut weight = 0.5_f64.powi(numbers as i32);
    let mut weights = Vec::with_capacity(numbers);
    for m in 0..numbers {
        weights.push(weight);
        weight *= (numbers + m) as f64 / (m + 1) as f64 * 0.5;
    }
    let (mut term, mut sum, mut all) = ((-t).exp(), 0.0, 0.0);
    for j in 0..numbers {
        sum += term;
        all += weights[numbers - 1 - j] * sum;
        term *= t / (j + 1) as f64;
    }
    2.0 * all
}

/// `P(|a·N₁ − b·N₂| > t)` for Laplace noise of scale 1.
fn laplace_pair_tail(a: f64, b: f64, t: f64) -> f64 {
    let (wide, narrow) = (a.max(b), a.min(b));
    let share = narrow / wide;
    if share < 1e-9 {
        return (-t / (wide * (1.0 + 1e-9))).exp();
    }
    if 1.0 - share < 1e-6 {
        // that of two equal ones that are as wide
        return laplace_sum_tail(2, t / wide);
    }
    let square = share * share;
    ((-t / wide).exp() - square * (-t / narrow).exp()) / (1.0 - square)
}

/// Distance of a noisy number from the one without noise, exceeded with a probability of at most 5 %.
pub(super) fn of_one(noise: &VectorNoise, quantum: f64) -> f64 {
    half_width_in(noise, quantum, Tail::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Generator, nearest};

    /// Frequencies of 200,000 draws are within five standard errors of the tails.
    #[test]
    fn tails_are_those_of_draws() {
        let mut generator = Generator::seeded(4);
        let one = |generator: &mut Generator| {
            let noise = VectorNoise::new(Law::Laplace, 1e6).unwrap();
            nearest(&noise.draw(1, generator)[0]) / 1e6
        };
        let draws = 200_000;
        for (numbers, t) in [(1, 1.0), (2, 2.0), (3, 4.0), (7, 5.0)] {
            let beyond =
                (0..draws).filter(|_| (0..numbers).map(|_| one(&mut generator)).sum::<f64>().abs() > t).count();
            let (found, expected) = (beyond as f64 / f64::from(draws), laplace_sum_tail(numbers, t));
            let error = (expected / f64::from(draws)).sqrt();
            assert!((found - expected).abs() < 5.0 * error, "{numbers} {t}: {found} {expected}");
        }
        for (a, b, t) in [(1.0, 0.0, 1.5), (0.7, 0.3, 1.0), (0.5, 0.5, 1.0), (0.2, 0.8, 2.0)] {
            let beyond = (0..draws).filter(|_| (a * one(&mut generator) - b * one(&mut generator)).abs() > t).count();
            let (found, expected) = (beyond as f64 / f64::from(draws), laplace_pair_tail(a, b, t));
            let error = (expected / f64::from(draws)).sqrt();
            assert!((found - expected).abs() < 5.0 * error, "{a} {b} {t}: {found} {expected}");
        }
        assert!((laplace_sum_tail(2, 3.0) - laplace_pair_tail(1.0, 1.0, 3.0)).abs() < 1e-12);
        assert!((laplace_pair_tail(0.6, 0.6 * (1.0 - 2e-6), 2.0) - laplace_pair_tail(0.6, 0.6, 2.0)).abs() < 1e-5);
    }

    /// Whatever the noisy numbers are, a ratio has an interval in [0, 1].
    #[test]
    fn every_pair_of_noisy_numbers_has_an_interval() {
        let noise = OnNumbers { law: Law::Laplace, sigma: 2.0, rounding: 0.0 };
        for a in [-50.0, -3.0, 0.0, 1.0, 40.0] {
            for b in [-50.0, -3.0, 0.0, 1.0, 40.0] {
                let [low, high] = noise.of_ratio(a, b, MISSED);
                assert!(0.0 <= low && low <= high && high <= 1.0, "{a} {b}: {low} {high}");
                if a + b > 30.0 && a >= 0.0 && b >= 0.0 {
                    assert!((low..=high).contains(&(a / (a + b))), "{a} {b}: {low} {high}");
                }
            }
        }
    }
}
