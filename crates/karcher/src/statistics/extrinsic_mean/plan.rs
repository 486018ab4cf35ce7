//! The plan of a private extrinsic mean.
//!
//! **Sensitivity in the bits.** A record contributes the integers next to `a·J(x)/q`, with `0 ≤ a·‖J‖ ≤ B`, the bound
//! `B = 2⁵⁰q`. `J` is computed within [`EMBEDDING_ERROR`] of its length, and rounding to integers moves `E` numbers by
//! at most ½. For `a = b = 1` two contributions are at most the diameter apart, for `b = 0` the radius, and
//! `‖aJ(x) − bJ(y)‖` is convex in `(a, b)`. Of a product each factor has such numbers of its own, at most 1. So
//! replacing a record moves the sum by at most `diameter/radius·2⁵⁰·(1 + 10⁻⁹)`, and by at most `2⁵¹` in any case. One
//! record more or less moves it by `2⁵⁰`, an integer bound.

use super::inference::{EmbeddedMean, infer};
use super::noise::{Chosen, chosen, law};
use super::spread_of_noise::{Rehearsal, Spherical, off_at_most};
use super::{PrivateExtrinsicMean, embedding_of};
use crate::embedding::Embedding;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::noise::exact::multiple;
use crate::mechanism::noise::matrix_noise::SumOrMatrixNoise;
use crate::mechanism::plan::again::{check_point, missing, of_another_statistic};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::plan::{REGION, publish};
use crate::mechanism::{Plan, PlanSummary, Request, Round, RoundState, Rounds, check_some};
use crate::privacy::rounding::mul_up;
use crate::release::{
    Coverage, Flag, MechanismName, Numerics, OpenRelease, PrivateCount, PrivateEmbeddedMean, PrivatePoint,
    PublishedRelease, Region, RegionCenter, Release, ReleasedSensitivity, StatisticName, Value,
};
use crate::spec::field;
use crate::vector::norm;
use std::f64::consts::FRAC_PI_2;
use std::sync::OnceLock;

/// The least mean resultant length of a forecast.
const LEAST_LENGTH: f64 = 0.01;

/// A private extrinsic mean with everything decided that does not need the records.
///
/// ```
/// use karcher::{manifold::Projective, mechanism::{ExtrinsicMeanPlan, Plan, PrivateExtrinsicMean, Request}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let mean = PrivateExtrinsicMean::new(Arc::new(Projective::new(2)?))?;
/// let plan = ExtrinsicMeanPlan::new(&mean, &Request::new(mean.clone(), 1_000, Guarantee::pure(1.0)?))?;
/// assert!((plan.summary().sensitivity.value / (2.0 / 1_000.0) - 1.0).abs() < 1e-5); // 2/n, in the nuclear norm
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug)]
pub struct ExtrinsicMeanPlan {
    mean: PrivateExtrinsicMean,
    embedding: Box<dyn Embedding>,
    noise: SumOrMatrixNoise,
    quantum: f64,
    probability: f64,
    /// For each factor, once for all releases.
    rehearsals: OnceLock<Vec<Rehearsal>>,
    summary: PlanSummary,
}

impl ExtrinsicMeanPlan {
    /// The plan of a request for this mean: with Laplace or Gaussian noise, or for matrices and pure ε with Laplace noise
    /// of the nuclear norm, whichever is expected to be shorter.
    ///
    /// # Errors
    /// [`Error::Geometry`](crate::Error::Geometry) for no records, and those of the noise.
    pub fn new(mean: &PrivateExtrinsicMean, request: &Request) -> Result<Self> {
        let (n, manifold) = (request.n(), mean.manifold());
        check_some(n)?;
        let embedding = embedding_of(&**manifold)?;
        let quantum = mean.term().quantum();
        let unit = quantum / n as f64;
        let adjacency = request.asked_adjacency();
        let Chosen { noise, moved, bound, draw, integrated } = chosen(&*embedding, request, unit)?;
        let mut plan = Self {
            summary: PlanSummary::new(
                MechanismName::Extrinsic,
                (StatisticName::ExtrinsicMean, manifold, mean.ball()),
                n,
                noise.guarantee(),
                draw.scale,
                ReleasedSensitivity { value: mul_up(moved, unit), bound },
                0.0,
            )
            .flagged(integrated.then_some(Flag::EstimatedIntegrals)),
            mean: mean.clone(),
            noise,
            quantum,
            probability: request.asked_region().unwrap_or(REGION),
            embedding,
            rehearsals: OnceLock::new(),
        };
        let expected_distance = plan.expected(request.asked_spread().unwrap_or(0.0));
        plan.summary =
            PlanSummary { numerics: Numerics::Exact, adjacency, noise: vec![draw], expected_distance, ..plan.summary };
        Ok(plan)
    }

    /// The unit of the embedded mean: the step of the sum over the number of records.
    fn unit(&self, count: Option<&PrivateCount>) -> f64 {
        count.map_or(self.lattice(), |count| self.quantum / count.divisor())
    }

    /// The law of the noise on the mean of a number of records.
    fn spherical(&self, n: f64) -> Spherical {
        law(&self.noise, self.embedding.dim(), self.quantum, self.quantum / n)
    }

    /// The root mean square distance between the private value and the one without privacy, to first order: noise in
    /// the tangent space, over `stretch·R̄`. `spread` is the root mean square distance of the records from it.
    fn expected(&self, spread: f64) -> f64 {
        let (d, stretch, radius) =
            (self.summary.manifold.dim() as f64, self.embedding.stretch(), self.embedding.radius());
        // of records at the same distance, to the second order; on spheres it is exact
        let length = (spread * stretch / radius).min(FRAC_PI_2).cos().max(LEAST_LENGTH);
        let noise = self.spherical(self.summary.n as f64).deviation() * d.sqrt();
        (noise / (stretch * length)).min(self.summary.manifold.diameter())
    }

    /// The value, made of the noisy mean of the embedded records.
    fn value_of(&self, embedded: Vec<f64>, count: Option<&PrivateCount>) -> PrivatePoint {
        let n = count.map_or(self.summary.n as f64, PrivateCount::divisor);
        let manifold = &*self.summary.manifold;
        let mut value = vec![0.0; manifold.point_len()];
        self.embedding.project(&embedded, &mut value);
        let mut aligned = value.clone();
        manifold.align(self.mean.ball().center(), &value, &mut aligned);
        manifold.normalize(&mut aligned);
        let noise = self.spherical(n);
        let off = off_at_most(&*self.embedding, noise, self.probability);
        // where noise may hide the direction, it is the whole space: a probability is that of all regions, stated or
        // not
        let radius = self.embedding.reach(&embedded, off).unwrap_or(f64::INFINITY).min(manifold.diameter());
        let region = Some(Region {
            probability: self.probability,
            radius,
            center: RegionCenter::Value,
            coverage: Coverage::AtLeast,
        });
        let rehearsals = self.rehearsals.get_or_init(|| {
            let parts = self.embedding.split();
            parts.iter().map(|part| Rehearsal::new(noise, &**part)).collect()
        });
        let factors =
            infer(EmbeddedMean { manifold, embedding: &*self.embedding, mean: &embedded, n, noise, rehearsals });
        PrivatePoint {
            value: aligned,
            noisy_value: None,
            noisy_coordinates: None,
            logarithm: None,
            region,
            spread: None,
            components: None,
            extrinsic: Some(Box::new(PrivateEmbeddedMean { embedded_mean: embedded, factors })),
        }
    }
}

impl Sealed for ExtrinsicMeanPlan {}

impl Rounds for ExtrinsicMeanPlan {
    fn round(&self, _: &RoundState) -> Result<Round> {
        self.noise.round(self.mean.query()?)
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        let (sum, count) = self.noise.concluded(state.numbers());
        let unit = self.unit(count.as_ref());
        let embedded = sum.into_iter().map(|t| t * unit).collect();
        publish(self, Value::Point(self.value_of(embedded, count.as_ref())), count, context)
    }
}

impl Plan for ExtrinsicMeanPlan {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        Some(self)
    }

    /// The step of the embedded mean.
    fn lattice(&self) -> f64 {
        self.quantum / self.summary.n as f64
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let Value::Point(point) = &stated.value else { return Err(of_another_statistic()) };
        let Some(extrinsic) = &point.extrinsic else { return Err(missing("extrinsic")) };
        check_point("value", &point.value, &self.summary)?;
        let (mean, dim) = (&extrinsic.embedded_mean, self.embedding.dim());
        if mean.len() != dim || !norm(mean).is_finite() {
            return Err(field("extrinsic", format!("the embedded mean must be {dim} finite numbers")));
        }
        let count = stated.provenance.private_count.as_ref();
        let unit = self.unit(count);
        let value = self.value_of(mean.iter().map(|x| multiple(*x, unit)).collect(), count);
        let count = count.and_then(|count| self.noise.count_again(count.noisy_value));
        publish(self, Value::Point(value), count, context)
    }

    fn region_of(&self, _: Option<&PrivateCount>, _: f64) -> Option<Region> {
        None // it depends on the released value
    }
}
