//! The law of noise on an embedded mean, as inference needs it: tails of its length and of its spectral norm, and made-up
//! draws.

use crate::embedding::Embedding;
use crate::manifold::Euclidean;
use crate::noise::{Generator, Law};
use crate::sampler::{DistanceLaw, Isotropic};
use rand_distr::{ChiSquared, Distribution, Gamma, StandardNormal};
use std::sync::Arc;

/// Draws of a rehearsal of noise.
pub(super) const DRAWS: usize = 20_000;

/// The seed of rehearsals: they are functions of public numbers.
const SEED: u64 = 0x6B61_7263_6865_7231;

/// Spherical noise on `numbers` numbers, of which an embedded mean has all, or all but one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spherical {
    pub(super) law: Law,
    pub(super) scale: f64,
    pub(super) numbers: usize,
}

impl Spherical {
    /// The standard deviation of each number.
    pub(super) fn deviation(self) -> f64 {
        match self.law {
            Law::Laplace => self.scale * (self.numbers as f64 + 1.0).sqrt(),
            Law::Gaussian => self.scale,
        }
    }

    /// The length that noise exceeds with a probability of at most `1 − probability`.
    fn length(self, probability: f64) -> f64 {
        let of = |numbers| -> crate::error::Result<DistanceLaw> {
            Isotropic::new(Arc::new(Euclidean::new(numbers)?), self.law, self.scale)?.distance()
        };
        of(self.numbers).map_or(f64::INFINITY, |law| law.quantile(probability) * (1.0 + 1e-9))
    }

    /// A bound of the spectral norm that is exceeded with a probability of at most `1 − probability = α`, for a matrix of
    /// independent standard normal coordinates with an expected norm of at most `e`.
    ///
    /// The norm is Lipschitz, with the constant 1, in the coordinates. So a normal matrix exceeds `e + s` with at most
    /// `2e^{−s²/2}`, both ends of the spectrum together (Gaussian concentration). Laplace noise is `R·U`, `U` uniform on
    /// the sphere and independent of the length `R`. With the normal vector `g = ‖g‖·U`,
    /// `P(‖U‖ > (e + s)/√(k − 1))·P(‖g‖² ≥ k − 1) ≤ 2e^{−s²/2}`, and the median of `‖g‖²` in `k` dimensions is at least
    /// `k − 1`. Half of `α` is for `R`.
    fn spectral_norm(self, e: f64, probability: f64) -> f64 {
        let alpha = 1.0 - probability;
        match self.law {
            Law::Gaussian => self.scale * (e + (2.0 * (2.0 / alpha).ln()).sqrt()),
            Law::Laplace => {
                let s = (2.0 * (8.0 / alpha).ln()).sqrt();
                self.length(1.0 - 0.5 * alpha) * (e + s) / (self.numbers as f64 - 1.0).max(1.0).sqrt()
            }
        }
    }

    /// Made-up noise on `dim` of the numbers: along one direction, and the squared length across it.
    pub(super) fn draws(self, dim: usize) -> Vec<[f64; 2]> {
        let mut generator = Generator::seeded(SEED);
        let across = ChiSquared::new((dim as f64 - 1.0).max(f64::MIN_POSITIVE)).ok().filter(|_| dim > 1);
        let rest = ChiSquared::new((self.numbers as f64 - dim as f64).max(f64::MIN_POSITIVE)).ok();
        let rest = rest.filter(|_| self.numbers > dim);
        let length = Gamma::new(self.numbers as f64, 1.0).ok();
        let square = |law: &Option<ChiSquared<f64>>, generator: &mut Generator| {
            law.as_ref().map_or(0.0, |law| law.sample(generator))
        };
        let one = |_| {
            let along: f64 = StandardNormal.sample(&mut generator);
            let across = square(&across, &mut generator);
            let all = along * along + across + square(&rest, &mut generator);
            let factor = match (self.law, &length) {
                (Law::Laplace, Some(length)) => self.scale * length.sample(&mut generator) / all.sqrt(),
                _ => self.scale,
            };
            [factor * along, factor * factor * across]
        };
        (0..DRAWS).map(one).collect()
    }
}

/// How far noise moves an embedded mean, with a probability: a Euclidean length, or a spectral norm.
pub(super) fn off_at_most(embedding: &dyn Embedding, noise: Spherical, probability: f64) -> f64 {
    let length = noise.length(probability);
    match embedding.expected_spectral_norm() {
        None => length,
        Some(e) => (embedding.spectral_share() * length).min(noise.spectral_norm(e, probability)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use crate::linalg::eigen;
    use rand::RngExt;

    /// The spectral norm of made-up noise exceeds the bound in at most 5 %: with 2,000 draws, 6.9 % has a probability
    /// below 1e-4.
    #[test]
    fn noise_stays_within_the_bound_of_its_spectral_norm() {
        for (name, n) in [("projective:2", 3), ("rotations:3", 4), ("projective:14", 15)] {
            let embedding = name.parse::<Space>().unwrap().manifold().unwrap().embedding().unwrap();
            let dim = embedding.dim();
            for law in [Law::Laplace, Law::Gaussian] {
                let noise = Spherical { law, scale: 0.3, numbers: dim };
                let bound = off_at_most(&*embedding, noise, 0.95);
                let mut generator = Generator::seeded(5);
                let law = Isotropic::new(Arc::new(Euclidean::new(dim).unwrap()), law, 0.3).unwrap();
                let mut out = 0;
                for _ in 0..2_000 {
                    let mut draw = vec![0.0; dim];
                    law.sample(&vec![0.0; dim], &mut generator, &mut draw).unwrap();
                    // symmetric, without a trace: the diagonal in Helmert's basis
                    let mut matrix = vec![0.0; n * n];
                    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
                    for ((i, j), x) in pairs.zip(&draw) {
                        matrix[i * n + j] = x * 0.5_f64.sqrt();
                        matrix[j * n + i] = x * 0.5_f64.sqrt();
                    }
                    for (k, x) in (1..n).zip(&draw[n * (n - 1) / 2..]) {
                        let unit = x / ((k * (k + 1)) as f64).sqrt();
                        (0..k).for_each(|i| matrix[i * n + i] += unit);
                        matrix[k * n + k] -= k as f64 * unit;
                    }
                    let values = eigen(&matrix, n).values;
                    out += usize::from(values[n - 1].max(-values[0]) > bound);
                }
                assert!(out < 138, "{name} {law:?}: {out}");
                assert!(out > 0 || n > 4, "{name}: the bound is far too large");
            }
        }
    }

    /// Draws have the second moments of the law.
    #[test]
    fn made_up_noise_has_the_variance_of_the_law() {
        for law in [Law::Laplace, Law::Gaussian] {
            for (dim, numbers) in [(3, 3), (5, 6), (1, 1)] {
                let noise = Spherical { law, scale: 0.2, numbers };
                let draws = noise.draws(dim);
                let mean =
                    |i: usize, power: i32| draws.iter().map(|draw| draw[i].powi(power)).sum::<f64>() / DRAWS as f64;
                let variance = noise.deviation().powi(2);
                assert!((mean(0, 2) / variance - 1.0).abs() < 0.06, "{law:?} {dim}");
                let across = (dim as f64 - 1.0) * variance;
                assert!((mean(1, 1) - across).abs() <= 0.06 * across, "{law:?} {dim}");
            }
        }
        assert!(Generator::seeded(1).random::<f64>() < 1.0);
    }
}
