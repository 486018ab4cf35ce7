//! Companion statistics of a mean, about the same records. The mean is released first, with a part of the budget, and
//! then, when it is public, sums that depend on it.

use crate::error::{Error, GeometryError, Result};
use crate::mechanism::ErrorForecast;
use crate::mechanism::components::Moment;
use crate::mechanism::plan::again::of_another_statistic;
use crate::mechanism::plan::budget::{BudgetFraction, as_normal};
use crate::mechanism::plan::companion::{CenteredRecords, Companion, ReleasedMean};
use crate::mechanism::plan::request::Companions;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Mechanism, Plan, PlanSummary, PrivateFrechetMean, Request};
use crate::privacy::Guarantee;
use crate::records::Records;
use crate::release::{Adjacency, MechanismName, OpenRelease, PublishedRelease, Release, Value};
use crate::statistics::frechet_variance::spread::SpreadPlan;
use std::fmt::Debug;
use std::sync::Arc;

impl Companions {
    /// The fractions of the budget for the mean, the second moment, and each of the two numbers of a spread. A quarter
    /// is for the spread, and half of the rest for the components. Laplace noise on a number needs no `δ`.
    fn shares(self) -> [BudgetFraction; 3] {
        let left = if self.spread.is_some() { 0.75 } else { 1.0 };
        let number = BudgetFraction { of: 0.125, of_delta: 0.0 };
        match self.components {
            Some(_) => {
                let half = BudgetFraction { of: 0.5 * left, of_delta: 0.5 };
                [half, half, number]
            }
            None => [BudgetFraction { of: left, of_delta: 1.0 }, BudgetFraction { of: 0.0, of_delta: 0.0 }, number],
        }
    }

    /// The companions of a mean, and the budget that they leave to it.
    fn planned(self, mean: &PrivateFrechetMean, budget: Guarantee) -> Result<(Guarantee, Vec<Arc<dyn Companion>>)> {
        let [of_mean, of_moment, of_number] = self.shares();
        let mut additions: Vec<Arc<dyn Companion>> = vec![];
        if let Some(asked) = self.spread {
            additions.push(Arc::new(SpreadPlan::new(mean, asked, of_number.from(budget)?)?));
        }
        if let Some(asked) = self.components {
            additions.push(Arc::new(Moment::new(mean, asked, of_moment.from(budget)?)?));
        }
        Ok((of_mean.from(budget)?, additions))
    }
}

/// The plan of a mechanism for the requested neighbours.
fn by(mechanism: &dyn Mechanism, request: &Request) -> Result<Box<dyn Plan>> {
    match request.asked_adjacency() {
        Adjacency::ReplaceOne => mechanism.plan(request),
        Adjacency::AddRemove => mechanism.plan_add_remove(request),
    }
}

/// Plans a request with each mechanism: as it is, or for the mean's part of its budget with companions.
///
/// There are two ways to split `(ε, δ)`, as it is and as a `μ`. Every mechanism takes the one with the smaller product
/// of all expected errors; public quantities decide this.
#[derive(Clone)]
pub(super) struct Planner {
    asked: Request,
    budget: Guarantee,
    mean: Option<PrivateFrechetMean>,
    ways: Vec<BudgetSplit>,
}

/// A way to share out the budget.
#[derive(Clone)]
struct BudgetSplit {
    of_value: Request,
    additions: Vec<Arc<dyn Companion>>,
}

impl Planner {
    /// For a checked request: a regression has no companions.
    pub(super) fn new(request: &Request) -> Result<Self> {
        let budget = request.budget();
        let Some((mean, companions)) = request.mean_and_companions() else {
            let way = BudgetSplit { of_value: request.clone(), additions: vec![] };
            return Ok(Self { asked: request.clone(), budget, mean: None, ways: vec![way] });
        };
        let mut budgets = vec![budget];
        // there is none for a δ so small that it hides nothing in numbers; a calibration is one of (ε, δ)
        let normal = as_normal(budget).ok().filter(|normal| *normal != budget);
        budgets.extend(normal.filter(|_| request.asked_calibration().is_none()));
        let way = |budget| {
            let (of_mean, additions) = companions.planned(mean, budget)?;
            Ok(BudgetSplit { of_value: request.alone(of_mean), additions })
        };
        let ways = budgets.into_iter().map(way).collect::<Result<_>>()?;
        Ok(Self { asked: request.clone(), budget, mean: Some(mean.clone()), ways })
    }

    /// The plan of a mechanism.
    pub(super) fn plan(&self, mechanism: &'static dyn Mechanism) -> Result<Box<dyn Plan>> {
        if mechanism.name() == MechanismName::TwoStage {
            return by(mechanism, &self.asked); // companions are in its second stage
        }
        let (mut best, mut why): (Option<(f64, Box<dyn Plan>)>, _) = (None, Error::from(GeometryError::NoRecords)); // there is a way
        for way in &self.ways {
            match by(mechanism, &way.of_value) {
                Ok(of_mean) => {
                    let noises = way.additions.iter().map(|addition| addition.expected_noise());
                    let cost = noises.product::<f64>() * of_mean.error_bound();
                    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                        best = Some((cost, self.with_additions(of_mean, way)));
                    }
                }
                // of the budget as it was given
                Err(error) if matches!(why, Error::Geometry(GeometryError::NoRecords)) => why = error,
                Err(_) => (),
            }
        }
        best.map(|(_, plan)| plan).ok_or(why)
    }

    fn with_additions(&self, of_mean: Box<dyn Plan>, way: &BudgetSplit) -> Box<dyn Plan> {
        let Some(mean) = self.mean.clone() else { return of_mean };
        let own = of_mean.summary();
        let added = way.additions.iter().flat_map(|addition| addition.noise(own.n));
        let noise = own.noise.iter().cloned().chain(added).collect();
        let summary = PlanSummary { guarantee: self.budget, noise, ..own.clone() };
        Box::new(WithAdditions { of_mean, mean, additions: way.additions.clone(), summary })
    }
}

/// A plan for a mean with its companions.
#[derive(Debug)]
struct WithAdditions {
    of_mean: Box<dyn Plan>,
    mean: PrivateFrechetMean,
    additions: Vec<Arc<dyn Companion>>,
    summary: PlanSummary,
}

impl Sealed for WithAdditions {}

impl Plan for WithAdditions {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn wrapped(&self) -> Option<&dyn Plan> {
        Some(&*self.of_mean)
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        self.summary.begin(records, context)?;
        let mut release = self.of_mean.draw(records, context, progress)?;
        let seen = CenteredRecords { seen: self.mean.carry(records)?, centered: self.mean.centered() };
        for addition in &self.additions {
            release = addition.to(release, &*self.of_mean, &self.summary, &seen, context)?;
        }
        Ok(release.with_all_of(self.summary.guarantee, &self.summary.noise))
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let Value::Point(point) = &stated.value else { return Err(of_another_statistic()) };
        let count = stated.provenance.private_count.as_ref();
        let mean = ReleasedMean { value: &point.value, count, plan: &*self.of_mean, whole: &self.summary };
        let release = self.of_mean.again(stated, context)?;
        let add = |release, addition: &Arc<dyn Companion>| addition.again(point, mean, release);
        let release = self.additions.iter().try_fold(release, add)?;
        Ok(release.with_all_of(self.summary.guarantee, &self.summary.noise))
    }

    fn forecasts(&self) -> Vec<ErrorForecast> {
        self.additions.iter().map(|addition| addition.forecasts(self.summary.n)).collect()
    }
}
