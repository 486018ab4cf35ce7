//! The law of noise on an embedded mean, as inference needs it: tails of its length and of its spectral norm, and
//! made-up draws.

use crate::embedding::Embedding;
use crate::noise::{Generator, Law, Matrices};
use crate::vector::norm;
use rand::RngExt;
use rand_distr::{ChiSquared, Distribution, Gamma, StandardNormal};
use statrs::distribution::{self as dist, ContinuousCDF};
use std::borrow::Cow;
use std::f64::consts::FRAC_1_SQRT_2;

/// The probability of intervals and regions.
pub(super) const PROBABILITY: f64 = 0.95;

/// Draws of a rehearsal.
pub(crate) const DRAWS: usize = 10_000;

/// The probability of made-up noisy lengths beyond either end of an interval: 2.5 % less two standard errors of a
/// rehearsal.
const BEYOND: f64 = 0.022;

/// Precision of the ends of intervals, in units of the noise; relative where that is more.
const PRECISION: f64 = 1e-7;

/// The seed of rehearsals: they are functions of public numbers.
const SEED: u64 = 0x6B61_7263_6865_7231;

/// The law of noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::statistics) enum Kind {
    /// A law of the Euclidean length.
    Isotropic(Law),
    /// The law of the nuclear norm of matrices.
    Nuclear(Matrices),
}

impl Kind {
    /// The standard deviation of each of so many numbers, for the scale 1.
    pub(in crate::statistics) fn deviation(self, numbers: usize) -> f64 {
        match self {
            Kind::Isotropic(Law::Laplace) => (numbers as f64 + 1.0).sqrt(),
            Kind::Isotropic(Law::Gaussian) => 1.0,
            Kind::Nuclear(matrices) => matrices.noise().map_or(f64::INFINITY, |(deviation, _)| deviation),
        }
    }
}

/// Noise on `numbers` numbers: those of an embedded mean, and perhaps one for the number of records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::statistics) struct Spherical {
    pub(in crate::statistics) kind: Kind,
    pub(in crate::statistics) scale: f64,
    pub(in crate::statistics) numbers: usize,
    /// Noise on a confidential number of records moves a mean of length `x` by `x·lean` times as much as noise moves a
    /// coordinate; 0 where the number is public.
    pub(in crate::statistics) lean: f64,
}

impl Spherical {
    /// The standard deviation of each number.
    pub(in crate::statistics) fn deviation(self) -> f64 {
        self.scale * self.kind.deviation(self.numbers)
    }

    /// The length that noise exceeds with a probability of at most `1 − probability`: the root of a `χ²` number, or a
    /// gamma number. For matrices that is the nuclear norm. Their positive and their negative eigenvalues have the same
    /// sum, so the length is at most `1/√2` of it.
    pub(in crate::statistics) fn length(self, probability: f64) -> f64 {
        let k = self.numbers as f64;
        let gamma = || dist::Gamma::new(k, 1.0).map(|law| law.inverse_cdf(probability)).ok();
        let unit = match self.kind {
            Kind::Isotropic(Law::Gaussian) => {
                dist::ChiSquared::new(k).map(|law| law.inverse_cdf(probability).sqrt()).ok()
            }
            Kind::Isotropic(Law::Laplace) => gamma(),
            Kind::Nuclear(_) => gamma().map(|norm| norm * FRAC_1_SQRT_2),
        };
        unit.map_or(f64::INFINITY, |unit| self.scale * unit * (1.0 + 1e-7))
    }

    /// A bound of the spectral norm of noise that is exceeded with a probability of at most `1 − probability = α`. `e`
    /// bounds the expected norm of a matrix of independent standard normal coordinates.
    ///
    /// The norm is Lipschitz, with the constant 1, in the coordinates. So a normal matrix exceeds `e + s` with at most
    /// `2e^{−s²/2}`, both ends of the spectrum together (Gaussian concentration). Laplace noise is `R·U`, `U` uniform
    /// on the sphere and independent of the length `R`. With the normal vector `g = ‖g‖·U`, `P(‖U‖ > (e + s)/√(k −
    /// 1))·P(‖g‖² ≥ k − 1) ≤ 2e^{−s²/2}`, and the median of `‖g‖²` in `k` dimensions is at least `k − 1`. Half of `α`
    /// is for `R`. With the nuclear norm it is at most half of that norm, and `√½` of the bound of the length.
    pub(in crate::statistics) fn spectral_norm(self, e: f64, probability: f64) -> f64 {
        let alpha = 1.0 - probability;
        match self.kind {
            Kind::Isotropic(Law::Gaussian) => self.scale * (e + (2.0 * (2.0 / alpha).ln()).sqrt()),
            Kind::Nuclear(_) => self.length(probability) * FRAC_1_SQRT_2,
            Kind::Isotropic(Law::Laplace) => {
                let s = (2.0 * (8.0 / alpha).ln()).sqrt();
                self.length(1.0 - 0.5 * alpha) * (e + s) / (self.numbers as f64 - 1.0).max(1.0).sqrt()
            }
        }
    }
}

/// Steps of the chain of made-up matrices between two of them. About half of the steps move.
const STEPS: usize = 2;

/// Made-up draws of noise of scale 1 on `dim` numbers, and of the embedded mean of evenly spread records.
#[derive(Debug)]
pub(super) struct Rehearsal {
    /// Along one direction, the squared length across it, and on the number of records. For matrices the direction is a
    /// uniform one.
    noise: Vec<[f64; 3]>,
    /// For noise of the nuclear norm.
    matrices: Vec<MadeUp>,
    /// Lengths of normal vectors of `dim` numbers with a mean square of 1.
    uniform: Vec<f64>,
    sampling: Vec<Sampling>,
}

/// A matrix of noise.
#[derive(Debug)]
struct MadeUp {
    /// The coordinates of its diagonal, in Helmert's basis.
    diagonal: Vec<f64>,
    square: f64,
}

/// A standard normal vector of `dim − 1` numbers: one of them, and the square of the others. And another normal number.
/// Both are scaled so that the quantiles of their lengths are exact.
#[derive(Debug, Clone, Copy)]
struct Sampling {
    first: f64,
    others: f64,
    along: f64,
}

impl Rehearsal {
    /// Draws from a fixed seed, so that they are functions of public numbers.
    pub(super) fn new(noise: Spherical, part: &dyn Embedding) -> Self {
        let (Spherical { kind, numbers, lean, .. }, dim) = (noise, part.dim());
        let matrices = match kind {
            Kind::Isotropic(_) => vec![],
            Kind::Nuclear(_) => made_up(part),
        };
        let is_counted = lean > 0.0;
        let mut generator = Generator::seeded(SEED);
        let squares = |freedom: usize| ChiSquared::new(freedom as f64).ok().filter(|_| freedom > 0);
        let (across, rest, whole) = (squares(dim - 1), squares(numbers - dim - usize::from(is_counted)), squares(dim));
        let others = squares(dim.saturating_sub(2));
        let length = Gamma::new(numbers as f64, 1.0).ok();
        let draw = |law: &Option<ChiSquared<f64>>, generator: &mut Generator| {
            law.as_ref().map_or(0.0, |law| law.sample(generator))
        };
        let mut draws = Vec::with_capacity(DRAWS);
        let mut uniform = Vec::with_capacity(DRAWS);
        for i in 0..DRAWS {
            let along: f64 = StandardNormal.sample(&mut generator);
            let across = draw(&across, &mut generator);
            let count: f64 = if is_counted { StandardNormal.sample(&mut generator) } else { 0.0 };
            let all = along * along + across + count * count + draw(&rest, &mut generator);
            let factor = match (kind, &length) {
                (Kind::Isotropic(Law::Laplace), Some(length)) => length.sample(&mut generator) / all.sqrt(),
                (Kind::Isotropic(_), _) => 1.0,
                (Kind::Nuclear(_), _) => matrices.get(i).map_or(0.0, |matrix| (matrix.square / all).sqrt()),
            };
            draws.push([factor * along, factor * factor * across, factor * count]);
            uniform.push((draw(&whole, &mut generator) / dim as f64).sqrt());
        }
        let normal = |generator: &mut Generator| -> f64 { StandardNormal.sample(generator) };
        let draw = |_| {
            let others = draw(&others, &mut generator);
            Sampling { first: normal(&mut generator), others, along: normal(&mut generator) }
        };
        let mut sampling: Vec<Sampling> = (0..DRAWS).map(draw).collect();
        let around = normal_length(dim - 1) / quantile(sampling.iter().map(|s| s.first * s.first + s.others));
        let along = normal_length(1) / quantile(sampling.iter().map(|s| s.along * s.along));
        for s in &mut sampling {
            *s = Sampling { first: around * s.first, others: around * around * s.others, along: along * s.along };
        }
        Self { noise: draws, matrices, uniform, sampling }
    }

    /// The lengths of a mean without noise, up to `longest`, for which the noisy length lies between the quantiles
    /// [`BEYOND`] and `1 − BEYOND` of the rehearsal. A mean over a noisy number `ñ` of records is `n/ñ` times as long
    /// as one over the true number `n = ñ − N₀`.
    ///
    /// Noise of the nuclear norm has another law along matrices with other eigenvalues, though the same variance. The
    /// interval holds those for each of the `spectra`.
    pub(super) fn interval(&self, noisy: f64, noise: Spherical, longest: f64, spectra: &[Vec<f64>]) -> [f64; 2] {
        let of = |draws: &[[f64; 3]]| Self::interval_of(draws, noisy, noise, longest);
        let along = spectra.iter().filter(|_| !self.matrices.is_empty()).map(|spectrum| self.along(spectrum));
        let all = along.map(|draws| of(&draws));
        all.fold(of(&self.noise), |[low, high], [own, other]| [low.min(own), high.max(other)])
    }

    /// The made-up draws along the matrices with such eigenvalues, whose trace does not count.
    fn along(&self, spectrum: &[f64]) -> Cow<'_, [[f64; 3]]> {
        let mut sum = 0.0;
        let helmert = spectrum.iter().enumerate().map(|(k, value)| {
            let (own, k) = (sum, k as f64);
            sum += value;
            (own - k * value) / (k * (k + 1.0)).sqrt()
        });
        let direction: Vec<f64> = helmert.skip(1).collect();
        let length = norm(&direction);
        if length == 0.0 {
            return Cow::Borrowed(&self.noise);
        }
        let along = |matrix: &MadeUp| {
            let along = matrix.diagonal.iter().zip(&direction).map(|(x, y)| x * y).sum::<f64>() / length;
            [along, (matrix.square - along * along).max(0.0), 0.0]
        };
        self.matrices.iter().map(along).collect()
    }

    fn interval_of(draws: &[[f64; 3]], noisy: f64, noise: Spherical, longest: f64) -> [f64; 2] {
        let Spherical { scale, lean, .. } = noise;
        let (noisy, longest) = (noisy / scale, longest / scale);
        // the fraction of noisy lengths of at most this one falls as the length without noise grows
        let at_most = |length: f64| {
            let within = |[along, across, count]: &&[f64; 3]| {
                let share = (1.0 - scale * lean * count).max(0.0);
                (share * length + along).powi(2) + across <= noisy * noisy
            };
            draws.iter().filter(within).count() as f64 / DRAWS as f64
        };
        // two lengths between which the fraction falls below a probability
        let about = |probability: f64| {
            if at_most(0.0) <= probability {
                return [0.0; 2];
            }
            let (mut low, mut high) = (0.0, longest);
            while high - low > PRECISION * (1.0 + PRECISION * high) {
                let middle = 0.5 * (low + high);
                if at_most(middle) > probability { low = middle } else { high = middle }
            }
            [low, high]
        };
        [about(1.0 - BEYOND)[0], about(BEYOND)[1]].map(|length| length * scale)
    }

    /// The length across a mean that noise and sampling exceed with a probability of about `1 − PROBABILITY`. Sampling
    /// is normal, with this standard deviation in every direction.
    pub(super) fn off_all_around(&self, noise: Spherical, sampled: f64) -> f64 {
        self.off(|noisy, s| (noise.scale * noisy + sampled * s.first).powi(2) + sampled * sampled * s.others)
    }

    /// The same, with sampling along one line alone.
    pub(super) fn off_along_a_line(&self, noise: Spherical, sampled: f64) -> f64 {
        self.off(|noisy, s| {
            let cosine = s.first / (s.first * s.first + s.others).sqrt();
            let (noisy, along) = (noise.scale * noisy, sampled * s.along);
            (noisy * noisy + 2.0 * noisy * along * cosine + along * along).max(0.0)
        })
    }

    /// The quantile of a length, from its square for the length of noise of scale 1 across a mean and a draw of
    /// sampling.
    fn off(&self, square: impl Fn(f64, Sampling) -> f64) -> f64 {
        quantile(self.noise.iter().zip(&self.sampling).map(|([_, across, _], s)| square(across.sqrt(), *s)))
    }

    /// The probability of a noisy mean at least as long for evenly spread records, whose mean has the root mean square
    /// length `sampled`.
    pub(super) fn p_value(&self, noisy: f64, scale: f64, sampled: f64) -> f64 {
        let (noisy, sampled) = (noisy / scale, sampled / scale);
        let beyond = |([along, across, _], uniform): &(&[f64; 3], &f64)| {
            (sampled * *uniform + along).powi(2) + across >= noisy * noisy
        };
        let beyond = self.noise.iter().zip(&self.uniform).filter(beyond).count();
        (beyond as f64 + 1.0) / (DRAWS as f64 + 1.0)
    }
}

/// Made-up matrices of density `∝ e^(−‖N‖∗)`: a length of the gamma law, and a direction of density `∝ ‖u‖∗^(−E)` on
/// the sphere of matrices. The direction is a Markov chain whose proposals are uniform (Metropolis and Hastings).
fn made_up(part: &dyn Embedding) -> Vec<MadeUp> {
    let (mut generator, dim) = (Generator::seeded(SEED), part.dim());
    let propose = |generator: &mut Generator| {
        let mut direction: Vec<f64> = (0..dim).map(|_| StandardNormal.sample(generator)).collect();
        let values = part.eigenvalues(&direction);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let length = norm(&direction);
        direction.iter_mut().for_each(|x| *x /= length);
        let nuclear = values.iter().map(|value| (value - mean).abs()).sum::<f64>() / length;
        (direction, nuclear, values.len())
    };
    let Ok(gamma) = Gamma::new(dim as f64, 1.0) else { return vec![] };
    let mut current = propose(&mut generator);
    let mut draw = || {
        for _ in 0..STEPS {
            let next = propose(&mut generator);
            if generator.random::<f64>().ln() < dim as f64 * (current.1 / next.1).ln() {
                current = next;
            }
        }
        let (direction, nuclear, size) = &current;
        let length = gamma.sample(&mut generator) / nuclear;
        let diagonal = direction[dim + 1 - size..].iter().map(|x| length * x).collect();
        MadeUp { diagonal, square: length * length }
    };
    (0..DRAWS).map(|_| draw()).collect()
}

/// The root of the quantile of some squares.
fn quantile(squares: impl Iterator<Item = f64>) -> f64 {
    let mut squares: Vec<f64> = squares.collect();
    let place = ((PROBABILITY * squares.len() as f64) as usize).min(squares.len() - 1);
    squares.select_nth_unstable_by(place, f64::total_cmp).1.sqrt()
}

/// The same quantile of the length of a standard normal vector of `d` numbers.
fn normal_length(d: usize) -> f64 {
    dist::ChiSquared::new(d as f64).map_or(0.0, |law| law.inverse_cdf(PROBABILITY).sqrt())
}

/// How far noise moves an embedded mean, with a probability: a Euclidean length, or a spectral norm.
pub(super) fn off_at_most(embedding: &dyn Embedding, noise: Spherical, probability: f64) -> f64 {
    let length = noise.length(probability);
    match embedding.expected_spectral_norm() {
        None => length,
        Some(e) => (embedding.spectral_share() * length).min(noise.spectral_norm(e, probability)),
    }
}

/// How far noise moves an eigenvalue of an embedded mean, with a probability. By Weyl's inequality it is at most the
/// spectral norm of `N − m·N₀`: `√(share² + (‖m‖·lean)²)` times the length of all noise, with `‖m‖` at most the radius.
pub(super) fn eigenvalue_off(embedding: &dyn Embedding, noise: Spherical, probability: f64) -> f64 {
    if noise.lean == 0.0 {
        return off_at_most(embedding, noise, probability);
    }
    embedding.spectral_share().hypot(embedding.radius() * noise.lean) * noise.length(probability)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use crate::linalg::eigen;
    use crate::manifold::Euclidean;
    use crate::noise::{MatrixNoise, nearest};
    use crate::sampler::Isotropic;
    use std::sync::Arc;

    /// Of up to nine numbers by a Poisson sum, `P(‖N‖ > kσ) = e^{−k}·Σ k^i/i!`, of others by the law of distances in
    /// flat space, which is tabulated.
    #[test]
    fn lengths_are_quantiles_of_the_noise() {
        for numbers in [1, 2, 9, 768, 20_000] {
            for law in [Law::Laplace, Law::Gaussian] {
                let noise = Spherical { kind: Kind::Isotropic(law), scale: 0.3, numbers, lean: 0.0 };
                let space = Arc::new(Euclidean::new(numbers).unwrap());
                let distance = Isotropic::new(space, law, 0.3).unwrap().distance().unwrap();
                for probability in [0.5, 0.95, 0.975, 0.999] {
                    let (found, expected) = (noise.length(probability), distance.quantile(probability));
                    assert!((found / expected - 1.0).abs() < 1e-3, "{numbers} {law:?}: {found} {expected}");
                    if law == Law::Laplace && numbers < 10 {
                        let k = found / 0.3;
                        let terms = (0..numbers).scan(1.0, |term, i| {
                            let own = *term;
                            *term *= k / (i + 1) as f64;
                            Some(own)
                        });
                        let beyond = (-k).exp() * terms.sum::<f64>();
                        assert!(
                            beyond <= 1.0 - probability && beyond > (1.0 - probability) * (1.0 - 1e-5),
                            "{numbers}"
                        );
                    }
                }
            }
        }
    }

    /// The spectral norm of made-up noise exceeds the bound in at most 5 %: with 2,000 draws, 6.9 % has a probability
    /// below 1e-4.
    #[test]
    fn noise_stays_within_the_bound_of_its_spectral_norm() {
        for (name, n) in [("projective:2", 3), ("rotations:3", 4), ("projective:14", 15)] {
            let embedding = name.parse::<Space>().unwrap().manifold().unwrap().embedding().unwrap();
            let dim = embedding.dim();
            for law in [Law::Laplace, Law::Gaussian] {
                let noise = Spherical { kind: Kind::Isotropic(law), scale: 0.3, numbers: dim, lean: 0.0 };
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

    fn sphere(dim: usize) -> Box<dyn Embedding> {
        format!("sphere:{}", dim - 1).parse::<Space>().unwrap().manifold().unwrap().embedding().unwrap()
    }

    /// Draws have the second moments of the law.
    #[test]
    fn made_up_noise_has_the_variance_of_the_law() {
        for law in [Law::Laplace, Law::Gaussian] {
            for (dim, numbers) in [(3, 3), (5, 6), (2, 2)] {
                let noise = Spherical { kind: Kind::Isotropic(law), scale: 1.0, numbers, lean: 0.0 };
                let draws = Rehearsal::new(noise, &*sphere(dim));
                let mean = |of: &dyn Fn(usize) -> f64| (0..DRAWS).map(of).sum::<f64>() / DRAWS as f64;
                let variance = noise.deviation().powi(2);
                assert!((mean(&|i| draws.noise[i][0].powi(2)) / variance - 1.0).abs() < 0.06, "{law:?} {dim}");
                let across = (dim as f64 - 1.0) * variance;
                assert!((mean(&|i| draws.noise[i][1]) - across).abs() <= 0.06 * across, "{law:?} {dim}");
                assert!((mean(&|i| draws.uniform[i].powi(2)) - 1.0).abs() < 0.06, "{law:?} {dim}");
            }
        }
    }

    /// The interval holds the length without noise in 95 %: with 2,000 draws, fewer than 93.3 % have a probability
    /// below 1e-3.
    #[test]
    fn intervals_hold_the_length_without_noise() {
        for (law, length) in [(Law::Laplace, 0.4), (Law::Gaussian, 0.1), (Law::Gaussian, 0.9)] {
            let stated = Spherical { kind: Kind::Isotropic(law), scale: 0.1, numbers: 3, lean: 0.0 };
            let rehearsal = Rehearsal::new(stated, &*sphere(3));
            let noise = Isotropic::new(Arc::new(Euclidean::new(3).unwrap()), law, 0.1).unwrap();
            let (mut generator, mut held) = (Generator::seeded(8), 0);
            for _ in 0..2_000 {
                let mut draw = vec![0.0; 3];
                noise.sample(&[length, 0.0, 0.0], &mut generator, &mut draw).unwrap();
                let [low, high] = rehearsal.interval(norm(&draw), stated, 1.0, &[]);
                held += usize::from(low <= length && length <= high);
            }
            assert!((1_866..=1_940).contains(&held), "{law:?} {length}: {held}");
        }
    }

    /// Spaces of matrices whose noise is of the nuclear norm, with the matrices.
    const MATRICES: [(&str, Matrices); 4] = [
        ("projective:2", Matrices::Symmetric(3)),
        ("rotations:3", Matrices::Symmetric(4)),
        ("projective:5", Matrices::Symmetric(6)),
        ("kendall:4", Matrices::Hermitian(3)),
    ];

    fn nuclear(name: &str, matrices: Matrices) -> (Box<dyn Embedding>, Spherical, Rehearsal) {
        let embedding = name.parse::<Space>().unwrap().manifold().unwrap().embedding().unwrap();
        assert_eq!(embedding.dim(), matrices.numbers());
        let noise = Spherical { kind: Kind::Nuclear(matrices), scale: 1.0, numbers: embedding.dim(), lean: 0.0 };
        let rehearsal = Rehearsal::new(noise, &*embedding);
        (embedding, noise, rehearsal)
    }

    /// Exact draws of noise of scale 1.
    fn exact(matrices: Matrices, count: usize) -> Vec<Vec<f64>> {
        let (noise, mut generator) = (MatrixNoise::new(matrices, 1e9).unwrap(), Generator::seeded(9));
        (0..count).map(|_| noise.draw(&mut generator).iter().map(|x| nearest(x) / 1e9).collect()).collect()
    }

    /// Made-up matrices have the mean squares that are known as rational numbers, along every spectrum and along a
    /// uniform direction. With 10,000 draws, 6 % are five standard errors.
    #[test]
    fn made_up_matrices_have_the_variance_of_the_law() {
        for (name, matrices) in MATRICES {
            let (embedding, noise, rehearsal) = nuclear(name, matrices);
            let variance = noise.deviation().powi(2);
            let size = embedding.eigenvalues(&vec![0.0; embedding.dim()]).len();
            let spectra =
                [0, 1, size / 2].map(|k| (0..size).map(|i| f64::from(u8::from(i <= k))).collect::<Vec<f64>>());
            let mean =
                |draws: &[[f64; 3]], of: &dyn Fn(&[f64; 3]) -> f64| draws.iter().map(of).sum::<f64>() / DRAWS as f64;
            for draws in spectra.iter().map(|spectrum| rehearsal.along(spectrum)).chain([Cow::from(&rehearsal.noise)]) {
                let along = mean(&draws, &|draw| draw[0].powi(2));
                assert!((along / variance - 1.0).abs() < 0.07, "{name}: {along} {variance}");
                let across = mean(&draws, &|draw| draw[1]) / (embedding.dim() as f64 - 1.0);
                assert!((across / variance - 1.0).abs() < 0.06, "{name}: {across} {variance}");
            }
        }
    }

    /// The spectral norm of exact draws exceeds the bound in at most 5 %, and their length in at most 5 %: with 2,000
    /// draws, 6.9 % has a probability below 1e-4. For size 3 the bound is the quantile itself.
    #[test]
    fn exact_matrices_stay_within_the_bounds() {
        for (name, matrices) in MATRICES {
            let (embedding, noise, _) = nuclear(name, matrices);
            let (off, length) = (off_at_most(&*embedding, noise, 0.95), noise.length(0.95));
            let draws = exact(matrices, 2_000);
            let spectral = |draw: &Vec<f64>| {
                let values = embedding.eigenvalues(draw);
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max)
            };
            let beyond = draws.iter().filter(|draw| spectral(draw) > off).count();
            let longer = draws.iter().filter(|draw| norm(draw) > length).count();
            assert!(beyond < 138 && longer < 138, "{name}: {beyond} {longer}");
            assert!(beyond > 62 || matrices.numbers() > 5, "{name}: {beyond}");
            assert!(off < 1.3 * draws.iter().map(spectral).fold(0.0, f64::max), "{name}");
        }
    }

    /// With exact noise of the nuclear norm the interval holds the length of a mean in 95 %. The mean is nearly a point,
    /// nearly evenly spread, or has two equal eigenvalues. With 1,500 draws, fewer than 92.9 % have a probability below
    /// 1e-3.
    #[test]
    fn intervals_hold_the_length_of_a_matrix() {
        for (name, matrices) in MATRICES.into_iter().filter(|(_, matrices)| matrices.numbers() < 10) {
            let (embedding, mut noise, rehearsal) = nuclear(name, matrices);
            noise.scale = 0.03;
            let draws = exact(matrices, 1_500);
            let size = embedding.eigenvalues(&vec![0.0; embedding.dim()]).len();
            for (kept, weight) in [(1, 0.9), (1, 0.2), (2, 0.5)] {
                // Helmert's coordinates of a diagonal matrix
                let value =
                    |i: usize| if i < kept { weight / kept as f64 } else { (1.0 - weight) / (size - kept) as f64 };
                let mut mean = vec![0.0; embedding.dim()];
                let first = mean.len() + 1 - size;
                for k in 1..size {
                    let before: f64 = (0..k).map(value).sum();
                    mean[first + k - 1] = (before - k as f64 * value(k)) / ((k * (k + 1)) as f64).sqrt();
                }
                let length = norm(&mean);
                let held = draws.iter().filter(|draw| {
                    let noisy: Vec<f64> = mean.iter().zip(*draw).map(|(m, x)| m + noise.scale * x).collect();
                    let spectra = [embedding.eigenvalues(&noisy)];
                    let [low, high] = rehearsal.interval(norm(&noisy), noise, 1.0, &spectra);
                    low <= length && length <= high
                });
                let held = held.count();
                assert!(held > 1_393, "{name} {kept} {weight}: {held}");
            }
        }
    }
}
