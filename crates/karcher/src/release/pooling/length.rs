//! The length of a weighted sum of independent noise vectors.
//!
//! A Laplace vector of `k` numbers is a Gaussian one with a random scale: `N = σ·√(2G)·Z`, `G ~ Gamma((k+1)/2, 1)`.
//! So for given `G` the sum is Gaussian, and the probability that it exceeds a length is known. Its mean over draws of
//! `G` is the probability wanted.

use crate::noise::Law;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};
use statrs::distribution::{ChiSquared, ContinuousCDF};
use statrs::function::gamma::checked_gamma_ur;

/// The public seed: the same releases give the same region everywhere.
const SEED: u64 = 0x6b61_7263_6865_7222;

/// Draws of the scales.
const DRAWS: usize = 10_000;

/// Standard errors of the simulation that are added to a probability. A standard normal number exceeds it with 0.05 %.
const STANDARD_ERRORS: f64 = 3.3;

/// The noise of one release, times its weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) law: Law,
    /// The scale, times the weight.
    pub(super) scale: f64,
    /// The numbers that the noise was drawn for; the sum may have fewer.
    pub(super) numbers: usize,
    /// Factor of the noise along the first axis that a noisy number of records adds: its variance is `1 + lean²` times
    /// that of another axis.
    pub(super) lean: f64,
}

/// The length of the sum of parts in `dim` numbers.
#[derive(Debug)]
pub(super) struct SumLength<'a> {
    pub(super) parts: &'a [Part],
    pub(super) dim: usize,
}

/// Given the scales, the squared length is `first + across·χ²` with so many degrees of freedom.
#[derive(Debug, Clone, Copy)]
struct Given {
    first: f64,
    across: f64,
}

impl SumLength<'_> {
    /// Whether the quantile is exact: the sum is Gaussian and alike in all directions.
    pub(super) fn is_exact(&self) -> bool {
        self.parts.iter().all(|part| part.law == Law::Gaussian && (part.lean == 0.0 || self.dim == 1))
    }

    /// The length that the sum does not exceed with a probability: exact, or an upper confidence bound of a simulation.
    pub(super) fn quantile(&self, probability: f64) -> f64 {
        let unit = self.parts.iter().map(|part| part.scale).fold(0.0, f64::max);
        if !(unit > 0.0 && unit.is_finite()) {
            return unit;
        }
        if self.is_exact() {
            let square = |part: &Part| {
                let lean = if self.dim == 1 { part.lean } else { 0.0 };
                (part.scale / unit).powi(2) * (1.0 + lean * lean)
            };
            let scale = self.parts.iter().map(square).sum::<f64>().sqrt();
            return unit
                * scale
                * ChiSquared::new(self.dim as f64).map_or(f64::INFINITY, |law| law.inverse_cdf(probability).sqrt());
        }
        let (given, freedom) = self.given(unit);
        unit * solve(|length| exceeded(&given, freedom, length), 1.0 - probability)
    }

    /// Draws of the scales, in a unit, and the degrees of freedom of the rest.
    fn given(&self, unit: f64) -> (Vec<Given>, f64) {
        let mut generator = ChaCha8Rng::seed_from_u64(SEED);
        let squares = self.parts.iter().map(|part| {
            // a Laplace vector is a normal one whose variance is a gamma variable
            let gamma = match part.law {
                Law::Laplace => Gamma::new(0.5 * (part.numbers as f64 + 1.0), 2.0).ok(),
                Law::Gaussian => None,
            };
            ((part.scale / unit).powi(2), part.lean * part.lean, gamma)
        });
        let squares: Vec<_> = squares.collect();
        let leans = self.parts.iter().any(|part| part.lean > 0.0);
        let draw = |_| {
            let (mut along, mut across) = (0.0, 0.0);
            for (square, lean, gamma) in &squares {
                let variance = square * gamma.as_ref().map_or(1.0, |gamma| gamma.sample(&mut generator));
                along += variance * (1.0 + lean);
                across += variance;
            }
            match (leans, self.dim) {
                (false, _) => Given { first: 0.0, across },
                (true, 1) => Given { first: 0.0, across: along },
                (true, _) => {
                    let z: f64 = generator.sample(StandardNormal);
                    Given { first: along * z * z, across }
                }
            }
        };
        let freedom = if leans && self.dim > 1 { self.dim - 1 } else { self.dim };
        ((0..DRAWS).map(draw).collect(), freedom as f64)
    }
}

/// Upper confidence bound of the probability that a length is exceeded.
fn exceeded(given: &[Given], freedom: f64, length: f64) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for Given { first, across } in given {
        let rest = (length * length - first) / across;
        let p = if rest > 0.0 { checked_gamma_ur(0.5 * freedom, 0.5 * rest).unwrap_or(1.0) } else { 1.0 };
        sum += p;
        squares += p * p;
    }
    let n = given.len() as f64;
    let mean = sum / n;
    mean + STANDARD_ERRORS * ((squares / n - mean * mean).max(0.0) / n).sqrt()
}

/// The smallest length, up to a millionth, that is exceeded with no more than a probability.
fn solve(exceeded: impl Fn(f64) -> f64, probability: f64) -> f64 {
    let excess = |length: f64| (exceeded(length).max(f64::MIN_POSITIVE) / probability).ln();
    let (mut low, mut high) = (0.0, 1.0);
    let (mut below, mut above) = (-probability.ln(), excess(high));
    while above > 0.0 && high < 1e9 {
        (low, below) = (high, above);
        high *= 2.0;
        above = excess(high);
    }
    // regula falsi, which halves the value of an end that stays
    let mut last_side = 0;
    for _ in 0..60 {
        if high - low <= 1e-6 * high {
            break;
        }
        let guess = (low + (high - low) * below / (below - above)).clamp(low + 1e-7 * high, high * (1.0 - 1e-7));
        let value = excess(guess);
        let side = if value > 0.0 { -1 } else { 1 };
        match side {
            1 => (high, above) = (guess, value),
            _ => (low, below) = (guess, value),
        }
        if side == last_side {
            if side == 1 { below *= 0.5 } else { above *= 0.5 }
        }
        last_side = side;
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Euclidean;
    use crate::sampler::Isotropic;
    use std::sync::Arc;

    fn part(law: Law, scale: f64, numbers: usize) -> Part {
        Part { law, scale, numbers, lean: 0.0 }
    }

    /// One part has the quantile of its law. The simulation adds at most 2 %: its bound of the probability.
    #[test]
    fn one_part_has_the_quantile_of_its_law() {
        for dim in [1, 2, 3, 6, 30] {
            for (law, least, most) in [(Law::Gaussian, 0.9995, 1.0005), (Law::Laplace, 0.9995, 1.02)] {
                let expected = Isotropic::new(Arc::new(Euclidean::new(dim).unwrap()), law, 0.3).unwrap();
                let expected = expected.distance().unwrap().quantile(0.95);
                let parts = [part(law, 0.3, dim)];
                let ratio = SumLength { parts: &parts, dim }.quantile(0.95) / expected;
                assert!((least..most).contains(&ratio), "{law:?} {dim}: {ratio}");
            }
        }
    }

    /// Two Laplace numbers of one scale: `P(|X + Y| > x) = (1 + x/2)·e^{−x}`.
    #[test]
    fn two_laplace_numbers_have_the_law_of_their_sum() {
        let parts = [part(Law::Laplace, 1.0, 1); 2];
        let x = SumLength { parts: &parts, dim: 1 }.quantile(0.95);
        let exceeded = (1.0 + 0.5 * x) * (-x).exp();
        assert!((0.047..=0.05).contains(&exceeded), "{exceeded}");
    }

    /// A lean is a longer axis: of one number it is a longer scale, and lengths grow by less than that in more.
    #[test]
    fn a_lean_lengthens_one_axis() {
        let leaning =
            |dim| SumLength { parts: &[Part { lean: 1.0, ..part(Law::Gaussian, 1.0, dim + 1) }], dim }.quantile(0.95);
        let plain = |dim| SumLength { parts: &[part(Law::Gaussian, 1.0, dim)], dim }.quantile(0.95);
        assert!((leaning(1) / plain(1) - 2f64.sqrt()).abs() < 1e-9);
        // in the plane P(2z² + y² > x²) = 5 % at x = 3.0425, by numerical integration
        // and the upper confidence bound is up to 4 % longer
        assert!((1.0..1.04).contains(&(leaning(2) / 3.0425)), "{}", leaning(2));
        assert!(leaning(6) > plain(6) && leaning(6) < 1.3 * plain(6));
    }

    #[test]
    fn scales_far_from_one_are_no_obstacle() {
        for unit in [1e-200, 1e200] {
            let parts = [part(Law::Laplace, unit, 3), part(Law::Gaussian, 1e-9 * unit, 3)];
            let one = [part(Law::Laplace, 1.0, 3), part(Law::Gaussian, 1e-9, 3)];
            let of = |parts: &[Part]| SumLength { parts, dim: 3 }.quantile(0.95);
            assert!((of(&parts) / unit / of(&one) - 1.0).abs() < 1e-9);
        }
    }
}
