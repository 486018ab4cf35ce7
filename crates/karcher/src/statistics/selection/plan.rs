//! The plan of a private choice: the place of the largest of several confidential sums, with exact noise.
//!
//! A record adds to the sum of each candidate an integer from 0 to `2⁵⁰`. The scores are the sums over `2³⁰`, rounded
//! down. Where a sum changes by at most `2⁵⁰ = 2²⁰·2³⁰`, its score changes by at most `2²⁰`: by one record.

use super::PrivateSelection;
use crate::error::Result;
use crate::mechanism::plan::again::of_another_statistic;
use crate::mechanism::plan::publish;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Mechanism, Plan, PlanSummary, Request, check_some};
use crate::records::{Records, SumQuery, Summand};
use crate::release::{
    MechanismName, NoiseOf, Numerics, OpenRelease, PublishedRelease, Release, ReleasedBound, ReleasedSelection,
    ReleasedSensitivity, StatisticName, Value,
};
use crate::spec::field;
use crate::statistics::ball::choice::PrivateChoices;

/// `noisy-maximum`: the largest of confidential sums with noise.
#[derive(Debug)]
pub struct NoisyChoice;

impl Mechanism for NoisyChoice {
    fn name(&self) -> MechanismName {
        MechanismName::NoisyMaximum
    }

    fn about(&self) -> &'static str {
        "The largest of confidential sums with noise: permute-and-flip for ε, the exponential mechanism for mu and rho"
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        Ok(Box::new(SelectionPlan::new(request.asked(self.name())?, request)?))
    }
}

/// The binary places of a utility in a score, and the bits of a sum that a score leaves out.
const PLACES: u32 = 20;
const LEFT_OUT: u32 = 30;

/// A choice with everything decided that does not need the records.
#[derive(Debug, Clone)]
struct SelectionPlan {
    of: PrivateSelection,
    choice: PrivateChoices,
    summary: PlanSummary,
}

impl SelectionPlan {
    /// The plan of a request.
    ///
    /// # Errors
    /// [`Error::Geometry`](crate::Error::Geometry) for no records, and those of the noise.
    fn new(of: &PrivateSelection, request: &Request) -> Result<Self> {
        let (n, budget, candidates) = (request.n(), request.budget(), of.candidates().len());
        check_some(n)?;
        let choice = PrivateChoices::moved(1, PLACES, budget)?;
        let draw = choice.draws(NoiseOf::Value);
        // a candidate that misses the most by x is chosen with probability e^{−εx/2} at most
        let missed = draw.scale * (1.0 + (candidates as f64).ln()) / n as f64;
        let summary = PlanSummary::new(
            MechanismName::NoisyMaximum,
            (StatisticName::Selection, of.manifold(), of.ball()),
            n,
            budget,
            draw.scale,
            ReleasedSensitivity { value: draw.sensitivity, bound: ReleasedBound::Shares },
            missed.min(1.0),
        );
        let summary = PlanSummary { numerics: Numerics::Exact, noise: vec![draw], at_most: true, ..summary };
        Ok(Self { of: of.clone(), choice, summary })
    }

    fn query(&self) -> Result<SumQuery> {
        let blocks = vec![1; self.of.candidates().len()];
        self.of.seen.query_of(Summand::Shares { blocks, rest: false })
    }

    fn released(&self, selected: usize, context: &OpenRelease<'_>) -> Result<Release> {
        let candidates = self.of.candidates();
        let Some(candidate) = candidates.get(selected) else {
            return Err(field("selected", format!("there are {} candidates, counted from 0", candidates.len())));
        };
        let value = ReleasedSelection { selected, candidate: candidate.clone(), candidates: candidates.to_vec() };
        publish(self, Value::Selection(value), None, context)
    }
}

impl Sealed for SelectionPlan {}

impl Plan for SelectionPlan {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        _: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        self.summary.begin(records, context)?;
        let sums = records.answer(&self.query()?)?;
        // 10¹⁵ records have sums below 2¹⁰⁰, and more than 2⁴³ records none that is larger than the last
        let score = |sum: &i128| i64::try_from(sum >> LEFT_OUT).unwrap_or(i64::MAX);
        let scores: Vec<i64> = sums.integers().iter().map(score).collect();
        self.released(self.choice.place(&scores, context.generator()), context)
    }

    fn lattice(&self) -> f64 {
        1.0
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let Value::Selection(chosen) = &stated.value else { return Err(of_another_statistic()) };
        self.released(chosen.selected, context)
    }
}
