//! The plan of a private variance.

use crate::error::Result;
use crate::mechanism::noise::exact::multiple;
use crate::mechanism::noise::number::NumberNoise;
use crate::mechanism::noise::sum_and_count::SumAndCountNoise;
use crate::mechanism::plan::again::of_another_statistic;
use crate::mechanism::plan::budget::{as_pure, total_mu};
use crate::mechanism::plan::publish;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Plan, PlanSummary, PrivateFrechetVariance, Request, Round, RoundState, Rounds};
use crate::noise::Law;
use crate::nonprivate::UniformDistance;
use crate::privacy::{Definition, flat_laplace_epsilon_for_rho};
use crate::records::Summand;
use crate::release::{
    Adjacency, Flag, NoiseOf, NoisyNumber, Numerics, OpenRelease, PrivateCount, PrivateVariance, PublishedRelease,
    Release, ReleasedBound, ReleasedSensitivity, StatisticName, Value,
};
use crate::statistics::frechet_variance::spread::{squared, uniform_spread};

/// Noise for a mean of squares.
#[derive(Debug, Clone)]
enum Quotient {
    /// For records whose number is public.
    Known(NumberNoise),
    /// For records whose number is released too.
    Joint {
        noise: SumAndCountNoise,
        /// The noise of the quotient, as if the number were the true one.
        arriving: NumberNoise,
    },
}

/// A Fréchet variance with everything decided that does not need the records.
#[derive(Debug, Clone)]
pub(crate) struct VariancePlan {
    variance: PrivateFrechetVariance,
    noise: Quotient,
    uniform: Option<UniformDistance>,
    summary: PlanSummary,
}

impl VariancePlan {
    /// The plan with noise of a law, for a budget that [`Request::by_law`] accepts.
    ///
    /// # Errors
    /// Those of the noise.
    pub(crate) fn new(variance: &PrivateFrechetVariance, request: &Request, law: Law) -> Result<Self> {
        let (n, budget, manifold) = (request.n(), request.budget(), variance.manifold());
        let (moved, adjacency) = (squared::MOST, request.asked_adjacency());
        let parameter = match (law, budget.definition()) {
            (Law::Laplace, Definition::Approximate { epsilon, .. }) => epsilon,
            (Law::Laplace, Definition::Concentrated { rho }) => flat_laplace_epsilon_for_rho(1, rho)?,
            (Law::Laplace, Definition::Pure { .. } | Definition::Gaussian { .. }) => as_pure(budget)?,
            (Law::Gaussian, _) => total_mu(budget)?,
        };
        let of_number = NumberNoise::of(law, moved, parameter, budget)?;
        let (clip, unit) = (variance.clip(), squared::unit(variance.clip(), n));
        // the number of records is released with the sum, or is public
        let (noise, scale, expected, sensitivity) = match adjacency {
            Adjacency::ReplaceOne => {
                let (scale, expected) = (of_number.scale() * unit, of_number.expected() * unit);
                let bound = ReleasedBound::ClippedSquare;
                let sensitivity = ReleasedSensitivity { value: clip * clip / n as f64, bound };
                (Quotient::Known(of_number), scale, expected, sensitivity)
            }
            Adjacency::AddRemove => {
                let joint = SumAndCountNoise::new(1, moved, of_number.guarantee(), law.into())?;
                let arriving = NumberNoise::of(law, joint.equivalent(), 1.0, budget)?;
                let sensitivity = ReleasedSensitivity { value: joint.moved * unit, bound: ReleasedBound::SumAndCount };
                let scale = joint.sigma() * unit;
                (Quotient::Joint { noise: joint, arriving }, scale, arriving.expected() * unit, sensitivity)
            }
        };
        let described = PlanSummary::new(
            law.into(),
            (StatisticName::FrechetVariance, manifold, variance.ball()),
            n,
            budget,
            scale,
            sensitivity,
            expected,
        );
        let estimated = matches!(&noise, Quotient::Joint { noise, .. } if noise.integrated);
        let described = described.flagged(estimated.then_some(Flag::EstimatedIntegrals));
        let draw = match &noise {
            Quotient::Known(number) => number.draw(NoiseOf::Value, moved, unit),
            Quotient::Joint { noise, .. } => noise.draw(unit),
        };
        let summary = PlanSummary { numerics: Numerics::Exact, adjacency, noise: vec![draw], ..described };
        Ok(Self { variance: variance.clone(), noise, uniform: UniformDistance::new(&**manifold), summary })
    }
}

impl VariancePlan {
    /// What is summed.
    fn term(&self) -> Summand {
        Summand::SquaredDistance { base: self.variance.seen.centered().center().to_vec(), clip: self.variance.clip() }
    }

    /// The step that one quantum makes in the mean, of the released number of records where that is private.
    fn unit(&self, count: Option<&PrivateCount>) -> f64 {
        count.map_or(self.lattice(), |count| self.term().quantum() / count.divisor())
    }

    /// The variance, made of the noisy mean square.
    fn value_of(&self, noisy_value: f64, count: Option<&PrivateCount>) -> Value {
        let (clip, n) = (self.variance.clip(), self.summary.n);
        let range = [0.0, clip * clip];
        let mean_square = match &self.noise {
            Quotient::Known(noise) => noise.number(noisy_value, self.unit(count), range),
            Quotient::Joint { arriving, .. } => {
                let number = arriving.number(noisy_value, self.unit(count), range);
                NoisyNumber { scale: self.summary.scale, guarantee: self.summary.guarantee, ..number }
            }
        };
        let divisor = count.map_or(n as f64, PrivateCount::divisor);
        let (uniform, consistent_with_uniform) =
            uniform_spread(self.uniform.as_ref(), &mean_square, clip, divisor, self.summary.ball.radius());
        Value::Variance(PrivateVariance {
            clip,
            mean_square,
            root_mean_square: mean_square.value.sqrt(),
            root_mean_square_interval: mean_square.interval.map(f64::sqrt),
            uniform,
            consistent_with_uniform,
        })
    }
}

impl Sealed for VariancePlan {}

impl Rounds for VariancePlan {
    fn round(&self, _: &RoundState) -> Result<Round> {
        let query = self.variance.seen.query_of(self.term())?;
        Ok(match &self.noise {
            Quotient::Known(number) => Round::new(query, number.noise),
            Quotient::Joint { noise, .. } => noise.round(query),
        })
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        let (mean_square, count) = match (&self.noise, state.numbers()) {
            (Quotient::Known(_), numbers) => (numbers[0] * self.lattice(), None), // there is one
            (Quotient::Joint { noise, .. }, numbers) => {
                let counted = noise.concluded(numbers);
                (counted.mean(self.term().quantum())[0], Some(noise.count(counted.count)))
            }
        };
        publish(self, self.value_of(mean_square, count.as_ref()), count, context)
    }
}

impl Plan for VariancePlan {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        Some(self)
    }

    fn lattice(&self) -> f64 {
        self.term().quantum() / self.summary.n as f64
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let Value::Variance(variance) = &stated.value else { return Err(of_another_statistic()) };
        let count = stated.provenance.private_count.as_ref();
        let again = match &self.noise {
            Quotient::Known(_) => None,
            Quotient::Joint { noise, .. } => count.map(|count| noise.count(count.noisy_value)),
        };
        let mean_square = multiple(variance.mean_square.noisy_value, self.unit(count));
        publish(self, self.value_of(mean_square, count), again, context)
    }
}
