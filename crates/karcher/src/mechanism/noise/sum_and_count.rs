//! Exact noise on a sum over the records and on their number, together: for neighbours that differ in one record more
//! or less (user guide, U2).
//!
//! Every record contributes `(f(x), c)`: a vector of integers no longer than `B`, and the public integer `c`. One
//! record more or less changes the sum `(S, n·c)` by at most `√(B² + c²)`. So noise `(N, N₀)` in one more dimension, of
//! a scale for that, makes `T = (S + round N, n·c + round N₀)` private ([X1], [X2]), and `n` with it. The rest is
//! processing, and total: with `ñ = T₀/c`, but at least 1, the mean is `T/ñ`, and its error is
//!
//! ```text
//! T/ñ − S/n = (N − (S/n)·N₀/c)/ñ        (but for rounding to integers, where ñ > 1 and n ≥ 1).
//! ```
//!
//! **The choice of `c`.** For Gaussian noise the error has the mean square `(B² + c²)·(d + ‖S/n‖²/c²)` up to factors.
//! The same holds for Laplace noise, since every pair of its directions has the same law. For the worst mean,
//! `‖S/n‖ = B`, it is least at `c² = B²/√d`, where it is `B²·(√d + 1)²`. This value of `c` is used, rounded to an
//! integer.

use crate::error::Result;
use crate::manifold::Euclidean;
use crate::mechanism::noise::exact::GAUSSIAN_95;
use crate::mechanism::{Noise, Round};
use crate::noise::VectorNoise;
use crate::noise::{Generator, Law};
use crate::privacy::rounding::{add_up, mul_down, mul_up, sqrt_up};
use crate::privacy::{GaussianCalibration, Guarantee};
use crate::records::SumQuery;
use crate::release::{NoiseDraw, NoiseOf, PrivateCount};
use std::f64::consts::PI;
use std::sync::Arc;

/// The law of the noise, or the choice between laws.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Choice {
    /// The law that is expected to be shorter.
    Shortest,
    /// Laplace noise.
    Laplace,
    /// Gaussian noise.
    Gaussian(GaussianCalibration),
}

impl From<Law> for Choice {
    fn from(law: Law) -> Self {
        match law {
            Law::Laplace => Choice::Laplace,
            Law::Gaussian => Choice::Gaussian(GaussianCalibration::Analytic),
        }
    }
}

/// Parts of the integral over lengths and angles of noise.
const LENGTHS: usize = 160;
const ANGLES: usize = 160;

/// The noise, calibrated before any record is read.
#[derive(Debug, Clone)]
pub(crate) struct SumAndCountNoise {
    noise: VectorNoise,
    dim: usize,
    /// `c`.
    each: i128,
    /// `√(B² + c²)`.
    pub(crate) moved: f64,
    /// `B/c`.
    ratio: f64,
    /// The guarantee of the noise.
    pub(crate) guarantee: Guarantee,
    /// Whether the scale comes from integrals with estimated errors.
    pub(crate) integrated: bool,
}

/// The released sum and number.
#[derive(Debug, Clone)]
pub(crate) struct NoisySumAndCount {
    /// `T`, without its last coordinate.
    pub(crate) sum: Vec<f64>,
    /// `T₀/c`.
    pub(crate) count: f64,
}

/// Standard deviations within which a coordinate of Laplace noise lies with a probability of 95 % at least, in any
/// dimension: `ln 20/√2`, the value for one dimension. (In more, tails are lighter: the tests compute them.)
const LAPLACE_95: f64 = 2.118_304;

impl SumAndCountNoise {
    /// The noise for sums of vectors no longer than `bound`, in quanta, in `dim` dimensions.
    ///
    /// # Errors
    /// Those of the noise: [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a budget that it never
    /// keeps.
    pub(crate) fn new(dim: usize, bound: f64, budget: Guarantee, choice: Choice) -> Result<Self> {
        Self::with_slack(dim, bound, 0.0, budget, choice)
    }

    /// The same where one record may change the number by `slack` quanta more than `c`, because it is rounded.
    pub(crate) fn with_slack(dim: usize, bound: f64, slack: f64, budget: Guarantee, choice: Choice) -> Result<Self> {
        Self::new_of(dim, bound, (bound / (dim as f64).sqrt().sqrt(), slack), budget, choice)
    }

    /// The same where a record counts for so many quanta.
    pub(crate) fn with_each(dim: usize, bound: f64, each: f64, budget: Guarantee, choice: Choice) -> Result<Self> {
        Self::new_of(dim, bound, (each, 0.0), budget, choice)
    }

    fn new_of(dim: usize, bound: f64, (each, slack): (f64, f64), budget: Guarantee, choice: Choice) -> Result<Self> {
        let each = each.round().max(1.0);
        let moves = add_up(each, slack);
        let moved = sqrt_up(add_up(mul_up(bound, bound), mul_up(moves, moves)));
        let space = Arc::new(Euclidean::new(dim + 1)?);
        let noise = match choice {
            Choice::Shortest => crate::mechanism::noise::shortest(dim + 1, moved, budget)?,
            Choice::Laplace => Noise::laplace(space, moved, budget)?,
            Choice::Gaussian(calibration) => Noise::gaussian(space, moved, budget, calibration)?,
        };
        Ok(Self {
            noise: VectorNoise::new(noise.law(), noise.scale())?,
            dim,
            each: each as i128, // a whole number far below 2¹²⁷
            moved,
            ratio: bound / each,
            guarantee: noise.guarantee(),
            integrated: noise.integrated,
        })
    }

    /// The law of the noise.
    pub(crate) fn law(&self) -> Law {
        self.noise.law()
    }

    /// The draw, with the sum in such units. Its scale is rounded down, its sensitivity up.
    pub(crate) fn draw(&self, unit: f64) -> NoiseDraw {
        let (scale, sensitivity) = (mul_down(self.sigma(), unit), mul_up(self.moved, unit));
        NoiseDraw::on_vector(NoiseOf::Value, self.law(), self.dim + 1, scale, sensitivity)
    }

    /// `σ`, in quanta.
    pub(crate) fn sigma(&self) -> f64 {
        self.noise.sigma()
    }

    /// The scale, in quanta, at which noise of this law in `dim` dimensions alone has the mean square of
    /// `N − (S/n)·N₀/c`, for the worst mean.
    pub(crate) fn equivalent(&self) -> f64 {
        let d = self.dim as f64;
        // a coordinate of Laplace noise in D dimensions has the variance (D + 1)·σ²
        let of_one = match self.law() {
            Law::Laplace => (d + 2.0) / (d + 1.0),
            Law::Gaussian => 1.0,
        };
        self.sigma() * (of_one * (1.0 + self.ratio * self.ratio / d)).sqrt()
    }

    /// Ratio of the error, on average and for the worst mean, to the error with the true number instead of the private
    /// one. It is `E √(‖N⊥‖² + (B/c)²N₀²)/max(n + N₀/c, 1)` over `E √(‖N⊥‖² + (B/c)²N₀²)/n`, with the length `ρ` of the
    /// noise and the angle `t` between it and the axis of the number, `N₀ = ρ·cos t`, `‖N⊥‖ = ρ·sin t`.
    pub(crate) fn longer_by_number(&self, n: f64) -> f64 {
        let d = self.dim as f64;
        // of density `ρ^d·e^(−ρ)` or `ρ^d·e^(−ρ²/2)`, `ρ` in units of `σ`, and `(sin t)^(d−1)`
        let (middle, width) = match self.law() {
            Law::Laplace => (d + 1.0, (d + 1.0).sqrt()),
            Law::Gaussian => ((d + 1.0).sqrt(), 1.0),
        };
        let log_density = |rho: f64| match self.law() {
            Law::Laplace => d * (rho / middle).ln() - (rho - middle),
            Law::Gaussian => d * (rho / middle).ln() - 0.5 * (rho * rho - middle * middle),
        };
        let (from, to) = ((middle - 10.0 * width).max(0.0), middle + 14.0 * width);
        let place = |i: usize, parts: usize| (i as f64 + 0.5) / parts as f64;
        let (mut with, mut without) = (0.0, 0.0);
        for rho in (0..LENGTHS).map(|i| from + (to - from) * place(i, LENGTHS)) {
            for t in (0..ANGLES).map(|i| PI * place(i, ANGLES)) {
                let weight = log_density(rho).exp() * t.sin().powf(d - 1.0);
                let error = weight * rho * t.sin().hypot(self.ratio * t.cos());
                with += error / (n + rho * t.cos() * self.sigma() / self.each as f64).max(1.0);
                without += error / n;
            }
        }
        if without > 0.0 { with / without } else { 1.0 }
    }

    /// The standard deviation of a coordinate of noise of the [`equivalent`](Self::equivalent) scale.
    pub(crate) fn deviation(&self) -> f64 {
        match self.law() {
            Law::Laplace => self.equivalent() * (self.dim as f64 + 1.0).sqrt(),
            Law::Gaussian => self.equivalent(),
        }
    }

    /// Adds the noise to a sum, and to `c·n`.
    pub(crate) fn release(&self, sum: &[i128], n: u64, generator: &mut Generator) -> NoisySumAndCount {
        // n·c is below 2¹¹⁵: n below 2⁶⁴, c below 2⁵¹
        self.release_scaled(sum, i128::from(n) * self.each, generator)
    }

    /// The round of a sum and a number with this noise.
    pub(crate) fn round(&self, query: SumQuery) -> Round {
        Round::counted(query, self.each, vec![(0..self.dim + 1, self.noise)])
    }

    /// The noisy sum and number of such a round.
    pub(crate) fn concluded(&self, noisy: &[f64]) -> NoisySumAndCount {
        let (sum, number) = noisy.split_at(self.dim);
        NoisySumAndCount { sum: sum.to_vec(), count: number[0] / self.each as f64 } // there is one
    }

    /// The same for a number that is in quanta already.
    pub(crate) fn release_scaled(&self, sum: &[i128], number: i128, generator: &mut Generator) -> NoisySumAndCount {
        self.concluded(&self.noise.added_to(&[sum, &[number]].concat(), generator))
    }

    /// `c·x`, rounded.
    pub(crate) fn in_quanta(&self, x: f64) -> i128 {
        (x * self.each as f64).round() as i128
    }

    /// The released number of records.
    pub(crate) fn count(&self, noisy: f64) -> PrivateCount {
        let deviations = match self.law() {
            Law::Laplace => LAPLACE_95 * (self.dim as f64 + 2.0).sqrt(),
            Law::Gaussian => GAUSSIAN_95,
        };
        let half = (deviations * self.sigma() + 0.5) / self.each as f64;
        PrivateCount::within(half, noisy, self.sigma() / self.each as f64)
    }
}

impl NoisySumAndCount {
    /// `T/ñ`, in units of `quantum`.
    pub(crate) fn mean(&self, quantum: f64) -> Vec<f64> {
        let n = self.count.max(1.0);
        self.sum.iter().map(|t| t * quantum / n).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::noise::exact::tests::exactly;
    use crate::records::BOUND;
    use proptest::prelude::*;
    use statrs::function::{erf::erfc, gamma::ln_gamma};

    proptest! {
        /// `σ²·ε² ≥ B² + c²` in rational numbers, and hardly more.
        #[test]
        fn noise_is_what_the_sum_and_the_number_ask_for(budget in 1e-6f64..1e2, dim in 1_usize..200, long in 1.0f64..4.0) {
            let bound = long * BOUND;
            for (choice, budget) in [
                (Choice::Laplace, Guarantee::pure(budget).unwrap()),
                (Choice::Gaussian(GaussianCalibration::Analytic), Guarantee::gaussian(budget).unwrap()),
            ] {
                let noise = SumAndCountNoise::new(dim, bound, budget, choice).unwrap();
                let (b, c) = (exactly(bound), exactly(noise.each as f64));
                let parameter = match budget.definition() {
                    crate::privacy::Definition::Pure { epsilon } => epsilon,
                    crate::privacy::Definition::Gaussian { mu } => mu,
                    _ => unreachable!(),
                };
                let one = exactly(1.0);
                let left = (exactly(noise.sigma()) * exactly(parameter)).pow(2);
                prop_assert!(left >= (b.clone().pow(2) + c.clone().pow(2)) * one.pow(2));
                let apart = noise.sigma() * parameter / (bound.powi(2) + (noise.each as f64).powi(2)).sqrt() - 1.0;
                prop_assert!(apart < 1e-12, "{}", apart);
            }
        }
    }

    /// `P(|z| > t·σ)` of a coordinate of Laplace noise in `D` dimensions: `z = σ√(2V)·G`, `V` of the gamma law of shape
    /// `(D + 1)/2`, by the trapezoidal rule in `ln V`.
    fn beyond(t: f64, dim: usize) -> f64 {
        let shape = (dim as f64 + 1.0) / 2.0;
        let (mut mass, mut tail) = (0.0, 0.0);
        for i in -4_000..=4_000 {
            let v = shape * (f64::from(i) * 0.005).exp();
            let weight = (shape * v.ln() - v - ln_gamma(shape)).exp();
            mass += weight;
            tail += weight * erfc(t / (2.0 * v.sqrt()));
        }
        tail / mass
    }

    /// The coverage is 95 % at least, and no more than 95.6 %; that of the wider interval is 97.5 % at least.
    #[test]
    fn intervals_hold_the_number_in_every_dimension() {
        assert!((beyond(20.0_f64.ln(), 1) - 0.05).abs() < 1e-6); // an exponential law
        for dim in [1, 2, 3, 4, 6, 10, 30, 100, 1_000] {
            let deviations = (dim as f64 + 1.0).sqrt();
            let out = beyond(LAPLACE_95 * deviations, dim);
            assert!((0.03..=0.05).contains(&out), "{dim}: {out}");
            assert!(beyond(1.2314 * LAPLACE_95 * deviations, dim) <= 0.025, "{dim}");
        }
    }

    /// The mean square of `(N − m·N₀/c)/ñ` for the worst mean, over 20,000 draws, is right within 4 %. A `c` that is
    /// twice or half as large makes it larger.
    #[test]
    fn the_worst_mean_is_off_by_what_is_said_and_the_constant_is_the_best() {
        let mut generator = Generator::seeded(3);
        for (dim, budget, choice) in [
            (1, Guarantee::pure(1.0).unwrap(), Choice::Laplace),
            (6, Guarantee::pure(1.0).unwrap(), Choice::Laplace),
            (6, Guarantee::gaussian(1.0).unwrap(), Choice::Gaussian(GaussianCalibration::Analytic)),
        ] {
            let noise = SumAndCountNoise::new(dim, BOUND, budget, choice).unwrap();
            let n = 2_000_u64;
            let mut sum = vec![0; dim];
            sum[0] = i128::from(n) << 50;
            let mut square = 0.0;
            for _ in 0..20_000 {
                let mean = noise.release(&sum, n, &mut generator).mean(1.0 / BOUND);
                square += (mean[0] - 1.0).powi(2) + mean[1..].iter().map(|x| x * x).sum::<f64>();
            }
            let found = (square / 20_000.0).sqrt() * n as f64;
            let said = noise.deviation() * (dim as f64).sqrt() / BOUND;
            assert!((found / said - 1.0).abs() < 0.04, "{dim}: {found} {said}");
            // (B² + c²)(d + B²/c²), up to factors
            let square = |c: f64| (1.0 + c * c) * (dim as f64 + 1.0 / (c * c));
            let c = 1.0 / noise.ratio;
            assert!(square(c) < square(1.1 * c) && square(c) < square(c / 1.1), "{dim}");
        }
    }
}
