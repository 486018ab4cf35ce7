//! The probability that noise and sampling together move a number of records by so much.
//!
//! With the characteristic function `φ` of a sum `S`, Davies' formula (1973) is
//!
//! ```text
//! P(S < x) = ½ − Σ_j Im(φ(u_j)·e^{−i·u_j·x}) / (π(j + ½)),    u_j = (j + ½)·h,
//! ```
//!
//! up to `P(S < x − 2π/h)` or `P(S > x + 2π/h)`, the larger one. With `2π/h` of 27 standard deviations, and `x` within
//! ten, both are below `10⁻⁷` for Laplace, Gaussian and binomial numbers alike. Terms beyond the last one add less
//! than `10⁻⁶`, because `|φ|` falls.

use crate::mechanism::noise::cumulative::{Combination, ROUNDED};
use std::f64::consts::{PI, TAU};

/// Standard deviations that are exceeded with a probability of at most 1 %, by Cantelli's inequality: `1/(1 + 10²)`.
const FAR: f64 = 10.0;

/// Standard deviations that the sum goes around after.
const PERIOD: f64 = 27.0;

/// The size of `φ` at which the sum ends, and what its errors are allowed for.
const LAST: f64 = 1e-7;
const SLACK: f64 = 1e-5;

/// Most terms.
const TERMS: usize = 200_000;

/// Records in a sample whose positions are below a quantile: each with a probability.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sampled {
    pub(super) n: f64,
    pub(super) level: f64,
}

impl Sampled {
    fn variance(self) -> f64 {
        self.n * self.level * (1.0 - self.level)
    }

    /// Size and angle of the characteristic function of the number of records, minus its mean.
    fn characteristic(self, u: f64) -> (f64, f64) {
        let (sin, cos) = u.sin_cos();
        let half = (0.5 * u).sin();
        let square = 1.0 - 4.0 * self.level * (1.0 - self.level) * half * half;
        let angle = (self.level * sin).atan2(1.0 - self.level + self.level * cos) - self.level * u;
        ((0.5 * self.n * square.max(0.0).ln()).exp(), self.n * angle)
    }
}

/// Whether `S ≤ −x` has a probability above `missed`, which is at least 1.1 %; for `x ≤ 0` it is taken to have. Here `S` is
/// noise, and with a sample the number of its records below a quantile, minus its mean. Where the probability cannot be
/// computed, the answer is yes.
pub(super) fn is_likely(noise: &Combination, sample: Option<Sampled>, x: f64, missed: f64) -> bool {
    let variance = noise.variance() + sample.map_or(0.0, Sampled::variance);
    let (x, deviation) = (x - noise.rounding, variance.sqrt());
    x.is_nan() || x <= 0.0 || x <= FAR * deviation && below(noise, sample, x, deviation) > missed - ROUNDED
}

/// An upper bound of `P(S ≤ −x)`.
fn below(noise: &Combination, sample: Option<Sampled>, x: f64, deviation: f64) -> f64 {
    let h = TAU / (PERIOD * deviation);
    let at_half_turn = noise.characteristic(PI);
    let mut sum = 0.5;
    for j in 0..TERMS {
        let u = (j as f64 + 0.5) * h;
        let of_noise = noise.characteristic(u);
        let (of_sample, angle) = sample.map_or((1.0, 0.0), |sample| sample.characteristic(u));
        // up to half a turn both factors fall, and beyond it the noise alone
        let most_beyond = match (u < PI, sample) {
            (true, Some(_)) => (of_noise * of_sample).max(at_half_turn),
            _ => of_noise,
        };
        if most_beyond < LAST {
            return sum + SLACK;
        }
        sum -= of_noise * of_sample * (angle + u * x).sin() / (PI * (j as f64 + 0.5));
    }
    1.0
}

/// A distance from 0 that noise exceeds with a probability of at most 5 %.
pub(super) fn half_width(noise: &Combination) -> f64 {
    let (mut low, mut high) = (0.0, FAR * noise.variance().sqrt());
    for _ in 0..40 {
        // each side is missed with a probability of at most 2.5 %, with what rounding adds
        let middle = 0.5 * (low + high);
        if is_likely(noise, None, middle + noise.rounding, 0.025) { low = middle } else { high = middle }
    }
    high + noise.rounding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Law;
    use statrs::distribution::{Binomial, DiscreteCDF};
    use statrs::function::erf::erfc;
    use std::f64::consts::FRAC_1_SQRT_2;

    fn probability(noise: &Combination, sample: Option<Sampled>, x: f64) -> f64 {
        below(noise, sample, x, (noise.variance() + sample.map_or(0.0, Sampled::variance)).sqrt())
    }

    /// One normal number, one Laplace number, and the sum of two equal ones, whose tails are known.
    #[test]
    fn tails_of_noise_are_those_of_formulas() {
        let of = |law, weights: &[(f64, usize)]| Combination { law, weights: weights.to_vec(), rounding: 0.0 };
        for x in [0.1, 0.5, 1.0, 2.0, 4.0, 6.0] {
            let near = |found: f64, expected: f64| {
                assert!(found >= expected && found < expected + 2.0 * SLACK, "{x}: {found} {expected}");
            };
            near(probability(&of(Law::Gaussian, &[(1.0, 1)]), None, x), 0.5 * erfc(x * FRAC_1_SQRT_2));
            near(probability(&of(Law::Laplace, &[(1.0, 2)]), None, x), 0.25 * (2.0 + x) * (-x).exp());
            let two = of(Law::Laplace, &[(2.0, 1), (-1.0, 1)]);
            near(probability(&two, None, x), (4.0 * (-0.5 * x).exp() - (-x).exp()) / 6.0);
        }
    }

    /// The sum of a binomial and a normal number, by the law of the first one.
    #[test]
    fn tails_with_a_sample_are_those_of_convolutions() {
        for (n, level, sigma) in [(20_u64, 0.25, 1.5), (1_000, 0.5, 4.0), (1_000, 0.01, 0.7), (5_000, 0.9, 25.0)] {
            let noise = Combination { law: Law::Gaussian, weights: vec![(sigma, 1)], rounding: 0.0 };
            let sample = Sampled { n: n as f64, level };
            let law = Binomial::new(level, n).unwrap();
            let deviation = (noise.variance() + sample.variance()).sqrt();
            for t in [0.3, 1.0, 1.96, 3.0] {
                let x = t * deviation;
                let mass = |k: u64| law.cdf(k) - if k == 0 { 0.0 } else { law.cdf(k - 1) };
                let tail = |k: u64| 0.5 * erfc((x + k as f64 - n as f64 * level) / sigma * FRAC_1_SQRT_2);
                let expected: f64 = (0..=n).map(|k| mass(k) * tail(k)).sum();
                let found = probability(&noise, Some(sample), x);
                assert!((found - SLACK - expected).abs() < 2e-6, "{n} {level} {t}: {found} {expected}");
            }
        }
    }

    #[test]
    fn what_is_not_below_is_likely_and_what_is_far_is_not() {
        let noise = Combination { law: Law::Gaussian, weights: vec![(2.0, 1)], rounding: 0.0 };
        assert!(is_likely(&noise, None, -1.0, 0.025) && is_likely(&noise, None, f64::NAN, 0.025));
        assert!(is_likely(&noise, None, 3.9, 0.026) && !is_likely(&noise, None, 3.93, 0.026));
        assert!(!is_likely(&noise, None, 1e9, 0.025) && !is_likely(&noise, None, f64::INFINITY, 0.025));
    }
}
