//! The plan of a private regression on features.

use super::PrivateFeatureRegression;
use super::forecast::expected;
use super::inference::{FeatureModel, deviation};
use super::model::Moments;
use crate::error::{Error, Result};
use crate::mechanism::noise::exact::multiple;
use crate::mechanism::noise::shortest;
use crate::mechanism::noise::sum_and_count::{Choice, SumAndCountNoise};
use crate::mechanism::noise::sum_noise::SumNoise;
use crate::mechanism::plan::again::of_another_statistic;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Plan, PlanSummary, Request, Round, RoundState, Rounds, check_some};
use crate::privacy::rounding::{mul_down, mul_up};
use crate::records::{MomentWeights, SumQuery};
use crate::release::{
    Adjacency, Flag, MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PrivateCount, PublishedRelease, Release,
    ReleasedBound, ReleasedSensitivity, StatisticName, Value,
};

/// The most features: a matrix of this size is decomposed.
const MOST_FEATURES: usize = 1_000;

/// The weight of the number of records, as a part of the longest contribution.
const OF_NUMBER: f64 = 0.25;

/// A private regression on features with everything decided that does not need the records.
///
/// ```
/// use karcher::{Ball, features::Features, manifold::Sphere, privacy::Guarantee};
/// use karcher::mechanism::{FeatureRegressionPlan, Plan, PrivateFeatureRegression, Request};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let ball = Ball::at_origin(&*sphere, 0.5)?;
/// let features = Features::new(vec!["spline:age:20:80:4".parse()?])?;
/// let regression = PrivateFeatureRegression::new(sphere, ball, features)?;
/// let plan = FeatureRegressionPlan::new(&regression, &Request::new(regression.clone(), 1_000, Guarantee::pure(1.0)?))?;
/// assert!(plan.summary().sensitivity.value < 8.0_f64.sqrt() / 1_000.0);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug)]
pub struct FeatureRegressionPlan {
    regression: PrivateFeatureRegression,
    query: SumQuery,
    noise: SumNoise,
    moments: Moments,
    summary: PlanSummary,
}

impl FeatureRegressionPlan {
    /// The plan of a request for this regression: with Laplace or Gaussian noise, whichever is expected to be shorter.
    ///
    /// # Errors
    /// [`Error::Geometry`] for no records, [`Error::InvalidParameter`] for more than a thousand features, and those of
    /// the noise.
    pub fn new(regression: &PrivateFeatureRegression, request: &Request) -> Result<Self> {
        let (n, budget, manifold) = (request.n(), request.budget(), regression.manifold());
        check_some(n)?;
        let (q, d) = (regression.features().width(), regression.dim());
        if q > MOST_FEATURES {
            let requirement = format!("at most {MOST_FEATURES} features are fitted");
            return Err(Error::InvalidParameter { name: "number_of_features", value: q as f64, requirement });
        }
        let adjacency = request.asked_adjacency();
        let weights = regression.weights(adjacency);
        let query = regression.query(weights)?;
        let numbers = query.nothing().integers().len();
        let unit = query.term().quantum() / n as f64;
        let (noise, draw, moved, bound, integrated) = match adjacency {
            Adjacency::ReplaceOne => {
                let moved = weights.in_quanta(weights.moved_by_replacing());
                let noise = shortest(numbers, moved, budget)?;
                let (scale, sensitivity) = (mul_down(noise.scale(), unit), mul_up(moved, unit));
                let draw = NoiseDraw::on_vector(NoiseOf::Value, noise.law(), numbers, scale, sensitivity);
                let integrated = noise.integrated;
                (SumNoise::Known(noise), draw, moved, ReleasedBound::SufficientStatistics, integrated)
            }
            Adjacency::AddRemove => {
                let longest = weights.in_quanta(weights.longest());
                let noise =
                    SumAndCountNoise::with_each(numbers, longest, OF_NUMBER * longest, budget, Choice::Shortest)?;
                let (draw, moved, integrated) = (noise.draw(unit), noise.moved, noise.integrated);
                (SumNoise::Joint(noise), draw, moved, ReleasedBound::SumAndCount, integrated)
            }
        };
        let (law, guarantee, spread) = match &noise {
            SumNoise::Known(noise) => (noise.law(), noise.guarantee(), numbers),
            SumNoise::Joint(noise) => (noise.law(), noise.guarantee, numbers + 1),
        };
        let moments = Moments {
            features: q,
            dim: d,
            radius: regression.ball().radius(),
            weights,
            law,
            numbers: spread,
            deviation: deviation(law, spread, draw.scale),
            is_constant: regression.features().is_constant() && adjacency == Adjacency::ReplaceOne,
        };
        let described = PlanSummary::new(
            MechanismName::Linear,
            (StatisticName::FeatureRegression, manifold, regression.ball()),
            n,
            guarantee,
            draw.scale,
            ReleasedSensitivity { value: mul_up(moved, unit), bound },
            expected(regression.features(), &moments),
        )
        .flagged(integrated.then_some(Flag::EstimatedIntegrals));
        let records = regression.records().space().clone();
        let summary = PlanSummary { numerics: Numerics::Exact, adjacency, noise: vec![draw], records, ..described };
        Ok(Self { regression: regression.clone(), query, noise, moments, summary })
    }

    /// The weights of the moments.
    pub fn weights(&self) -> MomentWeights {
        self.moments.weights
    }

    /// The value, made of the noisy moments, and the flags that follow from it.
    fn value_of(&self, z: Vec<f64>, count: Option<&PrivateCount>) -> Result<(Value, Vec<Flag>)> {
        let guess = self.summary.n as f64;
        let n = count.map_or(guess, PrivateCount::divisor);
        let of = (self.regression.manifold(), self.regression.ball());
        let basis = self.regression.basis.clone();
        let model = FeatureModel::new(self.moments, self.regression.features().clone(), (of, basis), &z, (n, guess))?;
        let released = model.release(z);
        let flags = released.effects.iter().any(|effect| effect.little_information);
        Ok((Value::Features(released), flags.then_some(Flag::LittleInformation).into_iter().collect()))
    }
}

impl FeatureRegressionPlan {
    /// The release of noisy moments, for a number of records, with the private one.
    fn released(
        &self,
        moments: Vec<f64>,
        n: Option<&PrivateCount>,
        count: Option<PrivateCount>,
        context: &OpenRelease<'_>,
    ) -> Result<Release> {
        let (value, own) = self.value_of(moments, n)?;
        let flags = [self.summary.flags.clone(), own].concat();
        Ok(context.release(self.summary.provenance(self.lattice(), flags), value)?.counted(count))
    }
}

impl Sealed for FeatureRegressionPlan {}

impl Rounds for FeatureRegressionPlan {
    fn round(&self, _: &RoundState) -> Result<Round> {
        self.noise.round(self.query.clone())
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        let (sum, count) = self.noise.concluded(state.numbers());
        let unit = self.lattice();
        let z = sum.into_iter().map(|t| t * unit).collect();
        self.released(z, count.as_ref(), count, context)
    }
}

impl Plan for FeatureRegressionPlan {
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
        let Value::Features(regression) = &stated.value else { return Err(of_another_statistic()) };
        let count = stated.provenance.private_count.as_ref();
        let moments = regression.moments.iter().map(|z| multiple(*z, self.lattice())).collect();
        self.released(moments, count, count.and_then(|count| self.noise.count_again(count.noisy_value)), context)
    }
}
