//! Principal components of records in the tangent space at the released mean (user guide, D3).
//!
//! The mean `m̃` is released first, with half of the budget. Then it is public, and the second moment `(1/n)·Σ vᵢ·vᵢᵀ`,
//! `vᵢ = clip_c(Log_m̃ xᵢ)`, is a sum over the records. It is a symmetric matrix that one record changes by at most
//! `√2·c²/n` in Frobenius norm, because `‖v·vᵀ − w·wᵀ‖² = ‖v‖⁴ + ‖w‖⁴ − 2⟨v, w⟩² ≤ 2c⁴` ([`Summand::SecondMoment`]
//! proves it for the integers). With entries off the diagonal multiplied by `√2`, that norm is the Euclidean length of
//! `d(d+1)/2` numbers. The other half adds exact Laplace or Gaussian noise to them, whichever is expected to be
//! shorter. Eigenvalues and eigenvectors are processing.

use crate::error::{Error, Result};
use crate::linalg::eigen;
use crate::manifold::Euclidean;
use crate::mechanism::ErrorForecast;
use crate::mechanism::PrivateFrechetMean;
use crate::mechanism::noise::exact::check_length;
use crate::mechanism::noise::shortest;
use crate::mechanism::plan::again::{Precision, missing};
use crate::mechanism::plan::companion::{CenteredRecords, Companion, ReleasedMean};
use crate::mechanism::{Noise, Plan, PlanSummary};
use crate::noise::Law;
use crate::noise::VectorNoise;
use crate::privacy::Guarantee;
use crate::privacy::rounding::{mul_down, mul_up, sqrt_up};
use crate::records::{Centered, Summand};
use crate::release::{
    Coverage, Ellipsoid, NoiseDraw, NoiseOf, OpenRelease, PrivateComponents, PrivatePoint, PrivateSpread, RegionCenter,
    Release,
};
use crate::sampler::Isotropic;
use crate::spec::{Components, field};
use crate::vector::{add_scaled, norm};
use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::Arc;

/// The largest dimension: a matrix of 32,896 numbers.
const LARGEST: usize = 256;

/// What is decided about the second moment before any record is seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    dim: usize,
    clip: f64,
    guarantee: Guarantee,
    noise: VectorNoise,
    /// Change of the second moment by a record, in quanta.
    moved: f64,
    /// The Frobenius norm that the noise exceeds with 5 %, in quanta.
    longest: f64,
    /// The length that a standard normal vector of the space's dimension exceeds with 5 %.
    normal: f64,
    expected_noise: f64,
}

impl Moment {
    /// # Errors
    /// [`Error::InvalidParameter`] for a clip whose square over- or underflows, and on spaces of more than 256
    /// dimensions.
    pub(crate) fn new(mean: &PrivateFrechetMean, components: Components, budget: Guarantee) -> Result<Self> {
        let manifold = &**mean.manifold();
        let dim = manifold.dim();
        if dim > LARGEST {
            let requirement = format!("components are released on spaces of at most {LARGEST} dimensions");
            return Err(Error::InvalidParameter { name: "dimension", value: dim as f64, requirement });
        }
        let clip = components.clip.unwrap_or(mean.ball().radius());
        check_length("components_clip", clip)?;
        let clip = clip.min(manifold.diameter());
        // on a line there is no other direction
        let moved = if dim == 1 { 1.0 } else { sqrt_up(2.0) } * 2.0_f64.powi(50);
        let noise: Noise = shortest(dim * (dim + 1) / 2, moved, budget)?;
        let normal = Isotropic::new(Arc::new(Euclidean::new(dim)?), Law::Gaussian, 1.0)?.distance()?.quantile(0.95);
        let guarantee = noise.guarantee();
        let (longest, expected_noise) = (noise.distance().quantile(0.95), noise.expected_distance());
        let noise = VectorNoise::new(noise.law(), noise.scale())?;
        Ok(Self { dim, clip, guarantee, noise, moved, longest, normal, expected_noise })
    }

    /// Approximate largest eigenvalue of a symmetric matrix of noise. For independent normal numbers it is `√(2d)·σ`
    /// (Wigner), and Laplace noise has the mean square `(D + 1)σ²` in each of `D` numbers.
    fn noise_level(&self, scale: f64) -> f64 {
        let numbers = (self.dim * (self.dim + 1) / 2) as f64;
        let deviation = match self.noise.law() {
            Law::Gaussian => scale,
            Law::Laplace => scale * (numbers + 1.0).sqrt(),
        };
        deviation * (2.0 * self.dim as f64).sqrt()
    }

    /// Region for the mean of the population, clipped to the ball, with about 95 % confidence. As a quadratic form, the
    /// second moment is at most the noisy one plus the noise's Frobenius norm times the identity. Where records may lie
    /// outside, or are spread too widely, the region holds the whole ball.
    fn population_region(
        &self,
        variances: &[f64],
        unit: f64,
        (summary, shows_outside): (&PlanSummary, bool),
        value: &[f64],
    ) -> Option<Ellipsoid> {
        let region = summary.region(0.95).filter(|region| region.center == RegionCenter::Value && summary.n >= 2)?;
        let farthest = summary.ball.radius() + summary.manifold.dist(summary.ball.center(), value);
        let upper: Vec<f64> = variances.iter().map(|variance| variance.max(0.0) + self.longest * unit).collect();
        let steepness = summary.steepness(upper.iter().sum()).filter(|_| !shows_outside && self.clip >= farthest);
        let sampling =
            |variance: f64, steepness: f64| self.normal * (variance / (summary.n - 1) as f64).sqrt() / steepness;
        let axis = |variance: &f64| {
            let axis = steepness.map(|steepness| summary.with_bias(region.radius, sampling(*variance, steepness)));
            axis.unwrap_or(farthest).min(summary.manifold.diameter())
        };
        let semi_axes = upper.iter().map(axis).collect();
        Some(Ellipsoid { probability: region.probability, semi_axes, coverage: Coverage::Asymptotically })
    }
}

impl Moment {
    /// The step that one quantum makes in the second moment of `n` records.
    fn unit(&self, n: usize) -> f64 {
        Summand::SecondMoment { base: vec![], clip: self.clip }.quantum() / n as f64
    }

    /// The components, made of the eigenvalues and eigenvectors of the noisy matrix.
    fn components_of(
        &self,
        mean: ReleasedMean<'_>,
        spread: Option<&PrivateSpread>,
        variances: Vec<f64>,
        directions: Vec<Vec<f64>>,
    ) -> PrivateComponents {
        let unit = self.unit(mean.whole.n);
        let sum: f64 = variances.iter().sum();
        let share = |variance: &f64| if sum > 0.0 { (variance / sum).clamp(0.0, 1.0) } else { 0.0 };
        PrivateComponents {
            population_region: self.population_region(
                &variances,
                unit,
                (mean.whole, shows_outside(spread)),
                mean.value,
            ),
            clip: self.clip,
            shrunk_variances: shrunk(&variances, self.noise.law(), self.noise.sigma() * unit),
            explained_variance_ratio: variances.iter().map(share).collect(),
            directions,
            variances,
            scale: self.noise.sigma() * unit,
            mechanism: self.noise.law().into(),
            noise_level: self.noise_level(self.noise.sigma() * unit),
            guarantee: self.guarantee,
            mean_guarantee: mean.plan.summary().guarantee,
        }
    }
}

impl Companion for Moment {
    fn noise(&self, n: usize) -> Vec<NoiseDraw> {
        let unit = self.unit(n);
        let numbers = self.dim * (self.dim + 1) / 2;
        let (scale, moved) = (mul_down(self.noise.sigma(), unit), mul_up(self.moved, unit));
        vec![NoiseDraw::on_vector(NoiseOf::SecondMoment, self.noise.law(), numbers, scale, moved)]
    }

    fn expected_noise(&self) -> f64 {
        self.expected_noise
    }

    fn to(
        &self,
        release: Release,
        of_mean: &dyn Plan,
        summary: &PlanSummary,
        seen: &CenteredRecords<'_>,
        context: &mut OpenRelease<'_>,
    ) -> Result<Release> {
        let base = seen.place(release.value());
        let total = seen.sum(&Summand::SecondMoment { base: base.clone(), clip: self.clip })?;
        let unit = self.unit(summary.n);
        let noisy = self.noise.added_to(total.integers(), context.generator());
        let matrix = symmetric(self.dim, &mut noisy.into_iter().map(|t| t * unit));
        let eigen = eigen(&matrix, self.dim);
        // ascending: the last is the largest
        let variances: Vec<f64> = eigen.values.iter().rev().copied().collect();
        let reach = summary.ball.radius().min(0.5 * summary.manifold.injectivity_radius()).min(1.0);
        let direction = |e: &[f64]| carried_back(seen.centered(), &base, e, release.value(), reach);
        let directions = eigen.vectors.chunks_exact(self.dim).rev().map(direction).collect();
        let mean = ReleasedMean { value: release.value(), count: None, plan: of_mean, whole: summary };
        let components = self.components_of(mean, release.spread(), variances, directions);
        Ok(release.with_components(components))
    }

    /// The noisy matrix is not stated, so the variances may be any that fall, and the directions any basis.
    fn again(&self, stated: &PrivatePoint, mean: ReleasedMean<'_>, release: Release) -> Result<Release> {
        let Some(components) = &stated.components else { return Err(missing("components")) };
        if components.variances.len() != self.dim {
            return Err(field("components", "there must be one for each dimension of the space"));
        }
        let mut variances = components.variances.clone();
        variances.sort_by(|a, b| b.total_cmp(a));
        let directions = perpendicular(mean, &components.directions);
        Ok(release.with_components(self.components_of(mean, stated.spread.as_deref(), variances, directions)))
    }

    fn forecasts(&self, n: usize) -> ErrorForecast {
        let scale = self.noise.sigma() * self.unit(n);
        ErrorForecast::Components { clip: self.clip, scale, noise_level: self.noise_level(scale) }
    }
}

/// Largest deviation of stated directions from unit length and from right angles.
const ANGLE: f64 = 1e-6;

/// Stated directions at a mean, made an orthonormal basis if they clearly are none. Far out, numbers hold none.
fn perpendicular(mean: ReleasedMean<'_>, stated: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let (manifold, at) = (&*mean.whole.manifold, mean.value);
    let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut is_basis = stated.iter().all(|v| manifold.check_tangent(at, v).is_ok());
    let mut basis: Vec<Vec<f64>> = vec![];
    for v in stated {
        let mut c = vec![0.0; manifold.dim()];
        manifold.to_frame(at, v, &mut c);
        for e in &basis {
            let along = inner(&c, e);
            is_basis &= along.abs() <= ANGLE;
            add_scaled(&mut c, -along, e);
        }
        let length = norm(&c);
        is_basis &= (length - 1.0).abs() <= ANGLE;
        c.iter_mut().for_each(|x| *x /= length);
        basis.push(c);
    }
    if is_basis || !Precision::of(mean.whole, at).is_told() {
        return stated.to_vec();
    }
    let back = |c: &Vec<f64>| {
        let mut v = vec![0.0; at.len()];
        manifold.from_frame(at, c, &mut v);
        v
    };
    basis.iter().map(back).collect()
}

/// The eigenvalues of a noisy symmetric matrix, shrunk towards their mean by the estimator of James and Stein, and cut
/// at 0.
///
/// Without its trace the matrix has `k = d(d+1)/2 − 1` numbers, with spherical noise `N` on them, and is multiplied by
/// `(1 − a/‖·‖²)₊`. For normal noise any `0 < a ≤ 2(k − 2)σ²` lowers the mean squared error of every matrix (James and
/// Stein 1961); for unimodal noise any `0 < a ≤ 2(k − 2)/(k·E‖N‖⁻²)` does, from `k = 4` on (Brandwein and Strawderman
/// 1980). Half of either is taken. For `k` of the `k + 1` numbers of Laplace noise `E‖N‖⁻² = 1/(σ²k(k − 2))`, so that
/// `a = (k − 2)²σ²`. The eigenvectors stay. No variance is negative, so cutting at 0 brings the matrix nearer.
fn shrunk(variances: &[f64], law: Law, scale: f64) -> Vec<f64> {
    let d = variances.len() as f64;
    let mean = variances.iter().sum::<f64>() / d;
    let k = 0.5 * d * (d + 1.0) - 1.0;
    let square: f64 = variances.iter().map(|variance| (variance - mean).powi(2)).sum();
    let a = match law {
        _ if k < 4.0 => 0.0,
        Law::Gaussian => (k - 2.0) * scale * scale,
        Law::Laplace => ((k - 2.0) * scale).powi(2),
    };
    let kept = if square > a { 1.0 - a / square } else { 0.0 };
    variances.iter().map(|variance| (mean + kept * (variance - mean)).max(0.0)).collect()
}

/// Whether the spread in the same release shows records outside the ball: clipping rotates their logarithms.
fn shows_outside(spread: Option<&PrivateSpread>) -> bool {
    spread.is_some_and(|spread| spread.fraction_outside.interval[0] > 0.0)
}

/// The symmetric matrix from the numbers of its upper triangle, row by row; those off the diagonal are `√2` times as
/// large.
pub(crate) fn symmetric(dim: usize, numbers: &mut impl Iterator<Item = f64>) -> Vec<f64> {
    let mut matrix = vec![0.0; dim * dim];
    for i in 0..dim {
        for j in i..dim {
            let number = numbers.next().unwrap_or(0.0); // there are as many
            let entry = if i == j { number } else { FRAC_1_SQRT_2 * number };
            (matrix[i * dim + j], matrix[j * dim + i]) = (entry, entry);
        }
    }
    matrix
}

/// The tangent vector at a released value that corresponds to a unit vector in the frame of the centered records.
/// Isometries keep logarithms; this uses the logarithm of a point at a short distance.
pub(crate) fn carried_back(
    centered: &Centered,
    base: &[f64],
    coordinates: &[f64],
    value: &[f64],
    reach: f64,
) -> Vec<f64> {
    let scaled: Vec<f64> = coordinates.iter().map(|c| c * reach).collect();
    let (space, manifold) = (centered.space(), centered.manifold());
    let (mut v, mut end) = (vec![0.0; base.len()], vec![0.0; base.len()]);
    space.from_frame(base, &scaled, &mut v);
    space.exp(base, &v, &mut end);
    let mut direction = vec![0.0; value.len()];
    // there is a logarithm at less than the injectivity radius
    if manifold.log(value, &centered.back(&end), &mut direction).is_err() {
        direction.fill(0.0);
    }
    let length = manifold.norm(value, &direction);
    let length = if length > 0.0 { length } else { norm(&scaled) };
    direction.iter_mut().for_each(|x| *x /= length);
    direction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean squared Frobenius error falls by shrinking, for either law, whatever the matrix is: 2,000 draws each.
    #[test]
    fn shrinking_lowers_the_error_of_the_matrix() {
        let mut generator = crate::noise::Generator::seeded(4);
        for (dim, own) in [(3, [0.3, 0.1, 0.02]), (3, [0.1, 0.1, 0.1]), (3, [1.0, 0.0, 0.0])] {
            let numbers = dim * (dim + 1) / 2;
            for law in [Law::Laplace, Law::Gaussian] {
                let scale = 0.02;
                let noise = Isotropic::new(Arc::new(Euclidean::new(numbers).unwrap()), law, scale).unwrap();
                let (mut plain, mut after) = (0.0, 0.0);
                for _ in 0..2_000 {
                    let mut draw = vec![0.0; numbers];
                    noise.sample(&vec![0.0; numbers], &mut generator, &mut draw).unwrap();
                    let mut matrix = symmetric(dim, &mut draw.into_iter());
                    (0..dim).for_each(|i| matrix[i * dim + i] += own[i]);
                    let found = eigen(&matrix, dim);
                    let variances: Vec<f64> = found.values.iter().rev().copied().collect();
                    let vectors: Vec<&[f64]> = found.vectors.chunks_exact(dim).rev().collect();
                    // ‖Σ s·eeᵀ − diag(own)‖²
                    let error = |values: &[f64]| -> f64 {
                        let mut off: Vec<f64> =
                            (0..dim * dim).map(|i| if i % (dim + 1) == 0 { -own[i / dim] } else { 0.0 }).collect();
                        for (s, e) in values.iter().zip(&vectors) {
                            (0..dim * dim).for_each(|i| off[i] += s * e[i / dim] * e[i % dim]);
                        }
                        off.iter().map(|x| x * x).sum()
                    };
                    plain += error(&variances);
                    after += error(&shrunk(&variances, law, scale));
                }
                assert!(after < plain * if own[0] < 0.2 { 0.7 } else { 1.0 }, "{law:?} {own:?}: {after} {plain}");
            }
        }
    }

    /// The matrix of the numbers has their Euclidean length as its Frobenius norm.
    #[test]
    fn the_matrix_has_the_length_of_the_numbers() {
        let numbers = [0.5, 1.0, -2.0, 3.0, 0.25, -1.5];
        let matrix = symmetric(3, &mut numbers.into_iter());
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        assert!((square(&matrix) - square(&numbers)).abs() < 1e-12);
        assert_eq!([matrix[0], matrix[4], matrix[8]], [0.5, 3.0, -1.5]);
        assert_eq!(matrix[1], matrix[3]);
    }
}
