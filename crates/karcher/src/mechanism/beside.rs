//! What is released beside a mean, about the same records: the mean first, with a part of the budget, and then, when it
//! is public, sums that depend on it.

use super::{Components, Gain, Mechanism, Neighbour, Outline, Plan, PrivateFrechetMean, Rehearsal, Request, Spread};
use super::{components, spread};
use crate::error::Result;
use crate::numerics::rounding::sqrt_down;
use crate::privacy::{Definition, Guarantee};
use crate::records::{Centered, Records, Seen, Term, Total};
use crate::release::{Door, MechanismName, Release};
use std::fmt::Debug;
use std::sync::Arc;

/// A part of a budget, from what it allows in all: rounded down.
pub(super) fn part(budget: Guarantee, share: f64) -> Result<Guarantee> {
    match budget.definition() {
        Definition::Pure { epsilon } => Guarantee::pure(times_down(epsilon, share)),
        Definition::Approximate { epsilon, delta } => Guarantee::approximate(times_down(epsilon, share), delta),
        Definition::Gaussian { mu } => Guarantee::gaussian(times_down(mu, sqrt_down(share))),
        Definition::Concentrated { rho } => Guarantee::concentrated(times_down(rho, share)),
    }
}

/// `a·b`, not rounded up.
fn times_down(a: f64, b: f64) -> f64 {
    let product = a * b;
    if a.mul_add(b, -product) >= 0.0 { product } else { product.next_down() }
}

/// What is asked for beside a mean.
#[derive(Debug, Clone, Copy)]
pub(super) enum Beside {
    Spread(Spread),
    Components(Components),
}

impl Beside {
    /// The parameter by which it is asked for.
    pub(super) fn parameter(self) -> &'static str {
        match self {
            Beside::Spread(_) => "spread",
            Beside::Components(_) => "components",
        }
    }
}

/// What is added to a release, decided before any record is seen.
pub(super) trait Addition: Debug + Send + Sync {
    /// Adds it to the release of a mean, with fresh noise.
    fn to(&self, release: Release, outline: &Outline, seen: &SeenMean<'_>, door: &mut Door) -> Result<Release>;
}

/// The records as they are, not clipped, seen from the center of the ball.
pub(super) struct SeenMean<'a> {
    seen: Seen,
    centered: &'a Centered,
}

impl SeenMean<'_> {
    /// The sum of a term.
    pub(super) fn sum(&self, term: &Term) -> Result<Total> {
        self.seen.sum(self.centered.space(), term)
    }

    /// Where a released point is seen.
    pub(super) fn place(&self, value: &[f64]) -> Vec<f64> {
        self.centered.place(value)
    }

    /// The center of the ball.
    pub(super) fn center(&self) -> Vec<f64> {
        self.centered.center().to_vec()
    }

    /// Where everything is carried.
    pub(super) fn centered(&self) -> &Centered {
        self.centered
    }
}

/// How mechanisms plan a request: as it is, or for the mean's part of its budget and with something beside.
#[derive(Clone)]
pub(super) struct Planner {
    asked: Request,
    of_value: Request,
    addition: Option<(PrivateFrechetMean, Arc<dyn Addition>, Guarantee)>,
}

impl Planner {
    /// For a request that was looked at: nothing is beside a regression.
    pub(super) fn new(request: &Request) -> Result<Self> {
        let budget = request.budget();
        let (mean, beside) = match request.mean_and_beside() {
            Some(both) => both,
            None => return Ok(Self { asked: request.clone(), of_value: request.clone(), addition: None }),
        };
        let (of_mean, addition): (Guarantee, Arc<dyn Addition>) = match beside {
            Beside::Spread(asked) => {
                (spread::parts(budget)?.0, Arc::new(spread::SpreadPlan::new(mean, asked, budget)?))
            }
            Beside::Components(asked) => {
                (components::half(budget)?, Arc::new(components::Moment::new(mean, asked, budget)?))
            }
        };
        Ok(Self {
            asked: request.clone(),
            of_value: request.alone(of_mean),
            addition: Some((mean.clone(), addition, budget)),
        })
    }

    /// The plan of a mechanism.
    pub(super) fn plan(&self, mechanism: &'static dyn Mechanism) -> Result<Box<dyn Plan>> {
        if mechanism.name() == MechanismName::TwoStage {
            return mechanism.plan(&self.asked); // what is beside is in its second stage
        }
        let plan = mechanism.plan(&self.of_value)?;
        let Some((mean, addition, budget)) = self.addition.clone() else { return Ok(plan) };
        let outline = Outline { guarantee: budget, ..plan.outline().clone() };
        Ok(Box::new(WithAddition { of_mean: plan, mean, addition, outline }))
    }
}

/// A plan for a mean, and what is added to its release.
#[derive(Debug)]
struct WithAddition {
    of_mean: Box<dyn Plan>,
    mean: PrivateFrechetMean,
    addition: Arc<dyn Addition>,
    outline: Outline,
}

impl Plan for WithAddition {
    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn run_with_progress(
        &self,
        records: &dyn Records,
        door: &mut Door,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        let release = self.of_mean.run_with_progress(records, door, progress)?;
        let seen = SeenMean { seen: self.mean.carry(records)?, centered: self.mean.centered() };
        let release = self.addition.to(release, &self.outline, &seen, door)?;
        Ok(release.guaranteeing(self.outline.guarantee))
    }

    fn fall(&self, from: Neighbour<'_>, x: &[f64]) -> f64 {
        self.of_mean.fall(from, x)
    }

    fn rehearse(&self, progress: &(dyn Fn(usize) + Sync)) -> Result<Option<Rehearsal>> {
        self.of_mean.rehearse(progress)
    }

    fn rehearsal_steps(&self) -> usize {
        self.of_mean.rehearsal_steps()
    }

    fn gains(&self) -> Option<[Gain; 3]> {
        self.of_mean.gains()
    }

    fn expected_distance_at(&self, off: f64) -> f64 {
        self.of_mean.expected_distance_at(off)
    }

    fn bias_bound(&self) -> f64 {
        self.of_mean.bias_bound()
    }

    fn error_bound(&self) -> f64 {
        self.of_mean.error_bound()
    }
}
