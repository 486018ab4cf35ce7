//! The plan of a private covariance.

use super::PrivateCovariance;
use super::bounds::NoiseOnMoments;
use crate::error::Result;
use crate::linalg::eigen;
use crate::manifold::Euclidean;
use crate::mechanism::components::symmetric;
use crate::mechanism::noise::matrix_noise::{Nuclear, SumOrMatrixNoise};
use crate::mechanism::noise::sum_and_count::SumAndCountNoise;
use crate::mechanism::noise::sum_noise::SumNoise;
use crate::mechanism::plan::again::{numbers, of_another_statistic};
use crate::mechanism::plan::publish;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Noise, Plan, PlanSummary, Request, Round, RoundState, Rounds};
use crate::noise::{Law, Matrices};
use crate::privacy::GaussianCalibration;
use crate::privacy::rounding::{mul_down, mul_up};
use crate::records::{SquareWeight, SumQuery};
use crate::release::{
    Adjacency, Flag, NoiseDraw, NoiseOf, Numerics, OpenRelease, PrivateCount, PublishedRelease, Release, ReleasedBound,
    ReleasedCovariance, ReleasedSensitivity, StatisticName, Value,
};
use crate::statistics::extrinsic_mean::{Kind, Spherical};
use crate::vector::norm;
use std::sync::Arc;

/// A mean and a covariance with everything decided that does not need the records.
#[derive(Debug, Clone)]
pub(crate) struct CovariancePlan {
    covariance: PrivateCovariance,
    query: SumQuery,
    weight: SquareWeight,
    noise: SumOrMatrixNoise,
    law: Law,
    summary: PlanSummary,
}

impl CovariancePlan {
    /// The plan with noise of a law, for a budget that [`Request::by_law`] accepts. For pure ε and a public number of
    /// records, Laplace noise is that of the nuclear norm where that is shorter.
    ///
    /// # Errors
    /// Those of the noise.
    pub(crate) fn new(covariance: &PrivateCovariance, request: &Request, law: Law) -> Result<Self> {
        let (n, budget, manifold) = (request.n(), request.budget(), covariance.manifold());
        let adjacency = request.asked_adjacency();
        let weight = covariance.weight(adjacency);
        let query = covariance.query(weight)?;
        let numbers = query.nothing().integers().len();
        let unit = query.term().quantum() / n as f64;
        let (noise, draw, sensitivity, integrated) = match adjacency {
            Adjacency::ReplaceOne => {
                let moved = SquareWeight::in_quanta(weight.moved_by_replacing(manifold.dim()));
                let space = Arc::new(Euclidean::new(numbers)?);
                let noise = match law {
                    Law::Laplace => Noise::laplace(space, moved, budget)?,
                    Law::Gaussian => Noise::gaussian(space, moved, budget, GaussianCalibration::Analytic)?,
                };
                let (scale, value) = (mul_down(noise.scale(), unit), mul_up(moved, unit));
                let draw = NoiseDraw::on_vector(NoiseOf::Value, law, numbers, scale, value);
                let (integrated, bound) = (noise.integrated, ReleasedBound::VectorAndSquare);
                match nuclear(weight, &noise, manifold.dim(), request)? {
                    Some(nuclear) => {
                        let sensitivity = ReleasedSensitivity { value: mul_up(nuclear.moved, unit), bound };
                        (SumOrMatrixNoise::Nuclear(nuclear), nuclear.draw(unit), sensitivity, false)
                    }
                    None => {
                        let noise = SumOrMatrixNoise::Isotropic(SumNoise::Known(noise));
                        (noise, draw, ReleasedSensitivity { value, bound }, integrated)
                    }
                }
            }
            Adjacency::AddRemove => {
                let longest = SquareWeight::in_quanta(weight.longest());
                let noise = SumAndCountNoise::new(numbers, longest, budget, law.into())?;
                let (draw, value, integrated) = (noise.draw(unit), mul_up(noise.moved, unit), noise.integrated);
                let bound = ReleasedBound::SumAndCount;
                let noise = SumOrMatrixNoise::Isotropic(SumNoise::Joint(noise));
                (noise, draw, ReleasedSensitivity { value, bound }, integrated)
            }
        };
        let summary = PlanSummary::new(
            law.into(),
            (StatisticName::Covariance, manifold, covariance.ball()),
            n,
            noise.guarantee(),
            draw.scale,
            sensitivity,
            0.0,
        )
        .flagged(integrated.then_some(Flag::EstimatedIntegrals));
        let summary = PlanSummary { numerics: Numerics::Exact, adjacency, noise: vec![draw], ..summary };
        let mut plan = Self { covariance: covariance.clone(), query, weight, noise, law, summary };
        plan.summary.expected_distance = plan.expected();
        Ok(plan)
    }

    /// The noise on the mean over `n` records.
    fn noise_for(&self, n: f64) -> NoiseOnMoments {
        let (quantum, numbers) = (self.query.term().quantum(), self.query.nothing().integers().len());
        let isotropic = Kind::Isotropic(self.law);
        let (kind, scale, numbers, lean) = match &self.noise {
            SumOrMatrixNoise::Isotropic(SumNoise::Known(noise)) => (isotropic, noise.scale(), numbers, 0.0),
            SumOrMatrixNoise::Isotropic(SumNoise::Joint(noise)) => {
                (isotropic, noise.sigma(), numbers + 1, 1.0 / (noise.in_quanta(1.0) as f64 * quantum))
            }
            SumOrMatrixNoise::Nuclear(nuclear) => (Kind::Nuclear(nuclear.matrices()), nuclear.sigma(), numbers, 0.0),
        };
        let spherical = Spherical { kind, scale: scale * quantum / n, numbers, lean };
        NoiseOnMoments { spherical, dim: self.summary.manifold.dim(), weight: self.weight.value(), quantum }
    }

    /// The root mean square Frobenius norm of the noise on the covariance, for a mean at the center: that of the second
    /// moment, and the square of the noise on the mean. Noise on a confidential number counts for a second moment of
    /// length ½, in units of the squared radius.
    fn expected(&self) -> f64 {
        let noise = self.noise_for(self.summary.n as f64);
        let (d, r) = (self.summary.manifold.dim() as f64, self.covariance.ball().radius());
        let square = noise.of_mean().powi(2) * (d * (d + 2.0)).sqrt();
        let on_number = 0.5 * noise.spherical.lean * noise.deviation();
        r * r * noise.on_moment().hypot(square).hypot(on_number)
    }

    /// The mean, the covariance and its components, made of the noisy moments.
    fn value_of(&self, moments: Vec<f64>, count: Option<&PrivateCount>) -> Value {
        let (guess, d, ball) = (self.summary.n as f64, self.summary.manifold.dim(), self.covariance.ball());
        let n = count.map_or(guess, PrivateCount::divisor);
        let (r, a) = (ball.radius(), self.weight.value());
        let mut numbers = moments.iter().map(|z| z * (guess / n));
        let mean: Vec<f64> = numbers.by_ref().take(d).map(|z| z / a).collect();
        let mut covariance = symmetric(d, &mut numbers);
        for (row, x) in covariance.chunks_exact_mut(d).zip(&mean) {
            row.iter_mut().zip(&mean).for_each(|(c, y)| *c = r * r * (*c - x * y));
        }
        let eigen = eigen(&covariance, d);
        // ascending: the last is the largest
        let variances: Vec<f64> = eigen.values.iter().rev().copied().collect();
        let directions = eigen.vectors.chunks_exact(d).rev().map(signed).collect();
        let total: f64 = variances.iter().sum();
        let share = |variance: &f64| if total > 0.0 { (variance / total).clamp(0.0, 1.0) } else { 0.0 };
        let noise = self.noise_for(n);
        Value::Covariance(ReleasedCovariance {
            mean_radius: r * noise.mean_radius(),
            explained_variance_ratio: variances.iter().map(share).collect(),
            variance_half_width: r * r * noise.half_width(norm(&mean)),
            noise_level: r * r * noise.deviation() * (2.0 * d as f64).sqrt(),
            mean: mean.iter().zip(ball.center()).map(|(x, c)| c + r * x).collect(),
            covariance: covariance.chunks_exact(d).map(<[f64]>::to_vec).collect(),
            variances,
            directions,
            weight: self.weight,
            noisy_moments: moments,
        })
    }
}

/// Noise of the nuclear norm, if it is shorter. On a line no two records are as far apart as its bound, so there is
/// none.
fn nuclear(weight: SquareWeight, length: &Noise, dim: usize, request: &Request) -> Result<Option<Nuclear>> {
    let (matrices, deviation) = (Matrices::Bordered(dim), Kind::Isotropic(length.law()));
    if dim == 1 || matrices.noise().is_none() {
        return Ok(None);
    }
    let moved = SquareWeight::in_quanta(weight.moved_in_nuclear_norm());
    Nuclear::shorter(matrices, moved, deviation.deviation(matrices.numbers()) * length.scale(), request)
}

/// The eigenvector of the two whose largest number is positive, the first of equals: the signs that scikit-learn has.
fn signed(direction: &[f64]) -> Vec<f64> {
    let largest = direction.iter().fold(0.0_f64, |most, x| if x.abs() > most.abs() { *x } else { most });
    direction.iter().map(|x| if largest < 0.0 { -x } else { *x }).collect()
}

impl Sealed for CovariancePlan {}

impl Rounds for CovariancePlan {
    fn round(&self, _: &RoundState) -> Result<Round> {
        self.noise.round(self.query.clone())
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        let (sum, count) = self.noise.concluded(state.numbers());
        let unit = self.lattice();
        let moments = sum.into_iter().map(|t| t * unit).collect();
        publish(self, self.value_of(moments, count.as_ref()), count, context)
    }
}

impl Plan for CovariancePlan {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        Some(self)
    }

    /// The step of the moments.
    fn lattice(&self) -> f64 {
        self.query.term().quantum() / self.summary.n as f64
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let Value::Covariance(found) = &stated.value else { return Err(of_another_statistic()) };
        let many = self.query.nothing().integers().len();
        let moments = numbers("noisy_moments", &found.noisy_moments, many, self.lattice())?;
        let count = stated.provenance.private_count.as_ref();
        let again = count.and_then(|count| self.noise.count_again(count.noisy_value));
        publish(self, self.value_of(moments, count), again, context)
    }
}
