//! A mean in a located ball: a part of the budget locates the ball, and the rest is spent on the mean in it (user
//! guide, B3).

use crate::ball::Ball;
use crate::error::{Error, GeometryError, Result};
use crate::mechanism::plan::again::missing;
use crate::mechanism::plan::budget::{BudgetFraction, as_normal, rest};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{LocateBall, Plan, PlanSummary, PrivateFrechetMean, PrivateLocation, Request};
use crate::privacy::Guarantee;
use crate::records::Records;
use crate::release::{
    Adjacency, Flag, Located, MechanismName, Numerics, OpenRelease, Part, PartName, PrivacyEventPart, PrivacyUnit,
    PrivateBall, PrivateCount, Promise, PublishedRelease, Region, Release, StatisticName, Value,
};
use crate::spec::field;

/// A mean of records whose ball is located first, with everything decided that can be decided without the records.
///
/// A quarter of the budget locates the ball. Where medians of coordinates find the center, it is from a tenth
/// to two fifths. Other [`LocationBudget`](crate::mechanism::LocationBudget)s can be chosen.
///
/// The rest is spent on the mean in the ball: fractions are of ε, of ρ or of μ²; an (ε, δ) is spent as the μ that
/// implies it. The mechanism of the mean is chosen when the ball is known, which is an output by then. The release
/// records all of it.
///
/// The located ball may be too large for a useful mean. Then the records are clipped to the largest ball of the grid
/// around the same center that allows one, and the release is flagged [`Flag::NoUsefulMean`].
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Sphere, privacy::Guarantee};
/// use karcher::mechanism::{LocatedMean, Plan, PrivateFrechetMean, PrivateLocation, Request};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let records = Points::new(&*sphere, [[0.0, 0.6, 0.8], [0.0, 0.8, 0.6]].concat().repeat(1_000))?;
/// let everywhere = Ball::at_origin(&*sphere, 3.2)?;
/// let location = PrivateLocation::new(sphere.clone(), everywhere.clone())?;
/// let request = Request::new(PrivateFrechetMean::new(sphere, everywhere)?, records.len(), Guarantee::pure(2.0)?);
/// let plan = LocatedMean::new(&location, &request, None)?;
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// assert_eq!(release.guarantee(), Guarantee::pure(2.0)?);
/// assert!(release.provenance().located.is_some());
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LocatedMean {
    /// The mean with its companion statistics, in the outer ball and with the whole budget.
    request: Request,
    /// The mechanism of the mean, if one was named.
    mechanism: Option<MechanismName>,
    locate: LocateBall,
    /// What the mean in the ball may promise to records: within what is left, by the weakest numerics of its plans.
    of_mean: Promise,
    /// The largest radius of the grid with a useful mean and a plan.
    largest: f64,
    /// Whether a mechanism that reads records one by one may be chosen.
    needs_memory: bool,
    summary: PlanSummary,
}

impl LocatedMean {
    /// Plans the location, and finds the largest ball of the grid in which the mean has a plan. The balls have the
    /// center of the outer ball, because no plan depends on the center. Without a named mechanism the best one is
    /// chosen when the ball is known.
    ///
    /// # Errors
    /// As for [`LocateBall::new`]; where there is no plan in any ball, the error in the smallest one.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, privacy::Guarantee, release::MechanismName};
    /// use karcher::mechanism::{LocatedMean, PrivateFrechetMean, PrivateLocation, Request};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let everywhere = Ball::at_origin(&*sphere, 3.2)?;
    /// let location = PrivateLocation::new(sphere.clone(), everywhere.clone())?;
    /// let request = Request::new(PrivateFrechetMean::new(sphere, everywhere)?, 100, Guarantee::pure(2.0)?);
    /// let never_pure = LocatedMean::new(&location, &request, Some(MechanismName::KarcherFlow));
    /// assert!(never_pure.is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(location: &PrivateLocation, request: &Request, mechanism: Option<MechanismName>) -> Result<Self> {
        if request.asked::<PrivateFrechetMean>(MechanismName::Locate)?.is_assumed_in_ball() {
            let (mechanism, takers) = ("a ball that is located".to_owned(), "a ball that is given".to_owned());
            return Err(Error::Inapplicable { parameter: "assume_in_ball", mechanism, takers });
        }
        let (n, budget) = (request.n(), request.budget());
        let (locate, part) = LocateBall::with_part_of(location, n, budget)?;
        let left = BudgetFraction::even(rest(part)).from(as_normal(budget)?)?;
        let plan_in = |radius: f64| {
            let ball = Ball::new(&**location.manifold(), location.ball().center().to_vec(), radius)?;
            planned(request, mechanism, ball, left)
        };
        let mut why = Error::from(GeometryError::NoRecords); // which is why there would be no radius with a mean
        for radius in locate.radii().into_iter().rev().filter(|radius| locate.has_mean(*radius)) {
            match plan_in(radius) {
                Ok(plan) if plan.summary().adjacency != Adjacency::ReplaceOne => {
                    let reason = "there is no proof for add-remove neighbours; give a ball, or let the number of \
                                  records be public (replace-one)";
                    let space = location.manifold().space().clone();
                    return Err(Error::Unsupported { mechanism: "locate", space, reason: reason.to_owned() });
                }
                Ok(plan) => {
                    let smallest = locate.radii().first().copied().unwrap_or(radius);
                    // plans for balls in between may differ: each is compared with the promise when it is to run
                    let sampled = [smallest, (smallest * radius).sqrt()].into_iter().filter_map(|r| plan_in(r).ok());
                    let plans: Vec<Box<dyn Plan>> = sampled.collect();
                    let plans = || std::iter::once(&plan).chain(&plans);
                    let needs_memory = plans().any(|plan| plan.summary().reads_single_records());
                    let promises: Vec<Promise> = plans().map(|plan| plan.summary().promise()).collect();
                    let of_mean = weakest(left, promises)?.weakened(request.accepts().weakest(), &[]);
                    let summary = whole(&locate, &*plan, budget, &of_mean);
                    let request = request.clone();
                    return Ok(Self { request, mechanism, locate, of_mean, largest: radius, needs_memory, summary });
                }
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    /// The location, with its part of the budget.
    pub fn location(&self) -> &LocateBall {
        &self.locate
    }

    /// The budget that is left for the mean and its companion statistics.
    pub fn left(&self) -> Guarantee {
        self.of_mean.guarantee()
    }

    /// The plan of the mean in a ball.
    pub(super) fn plan_in(&self, ball: Ball) -> Result<Box<dyn Plan>> {
        planned(&self.request, self.mechanism, ball, self.left())
    }

    /// The plan of the mean around a located center, in the located ball if that has a useful mean. Otherwise it is in
    /// the largest ball of the grid, up to it, whose plan is within the promise.
    fn plan_around(&self, located: &PrivateBall, unit: PrivacyUnit) -> Option<Box<dyn Plan>> {
        let (locate, of_mean) = (&self.locate, self.of_mean.clone().to(unit));
        let most = located.radius.min(self.largest);
        let own = Some(located.radius).filter(|radius| locate.has_mean(*radius));
        let smaller = locate.radii().into_iter().rev().filter(|radius| *radius <= most);
        own.into_iter().chain(smaller).find_map(|radius| {
            let ball = Ball::around(&*locate.summary().manifold, located.center.clone(), radius).ok()?;
            let plan = self.plan_in(ball).ok()?;
            of_mean.check_covers(&plan.summary().promise_to(unit)).ok()?;
            Some(plan)
        })
    }

    /// The release of a mean by a plan together with the located ball, whose flags these are.
    fn together(&self, mean: Release, plan: &dyn Plan, mut located: PrivateBall, flags: Vec<Flag>) -> Release {
        let is_smaller = plan.summary().ball.radius() < located.radius;
        let flags = if is_smaller { noting_smaller(flags) } else { flags };
        let region =
            self.request.asked_region().and_then(|probability| plan.region_of(mean.private_count(), probability));
        located.parts.push(Part {
            part: PartName::Mean,
            guarantee: mean.guarantee(),
            numerics: mean.provenance().numerics,
        });
        let summary = self.locate.summary();
        let located = Located { within: summary.ball.clone(), ball: located };
        mean.with_region(region).in_located(located, (self.summary.guarantee, &summary.noise[..]), flags)
    }

    /// The radius of the ball for the mean, for a place of the grid.
    pub(super) fn radius_of(&self, place: usize) -> f64 {
        self.locate.around(place).min(self.largest)
    }
}

impl Sealed for LocatedMean {}

impl Plan for LocatedMean {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    /// Draws the center, the radius and the mean in that ball. Perhaps no ball around the located center has a plan,
    /// although one around that of the outer ball had. Then the located ball is released alone, and nothing else is
    /// spent.
    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        let summary = self.locate.summary();
        let of_mean = self.of_mean.clone().to(records.unit());
        context.promise().check_covers(&self.summary.promise_to(records.unit()))?;
        let (located, flags, lattice) = self.locate.locate(records, context)?;
        let Some(plan) = self.plan_around(&located, records.unit()) else {
            return context.release(summary.provenance(lattice, noting_smaller(flags)), Value::Ball(located));
        };
        let mean = plan.draw(records, &mut context.for_part(of_mean.clone())?, progress)?;
        of_mean.check_covers(&mean.provenance().promise())?;
        Ok(self.together(mean, &*plan, located, flags))
    }

    /// The mean is around the center as it is stated.
    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let how = &stated.provenance;
        let (ball, name) = if let Some(located) = &how.located {
            (&located.ball, "located.center")
        } else if let Value::Ball(ball) = &stated.value {
            (ball, "center")
        } else {
            return Err(missing("located"));
        };
        let (again, flags) = self.locate.ball_again(ball, &how.flags, name)?;
        let placed = PrivateBall { center: ball.center.clone(), ..again.clone() };
        let Some(plan) = self.plan_around(&placed, context.promise().unit()) else {
            let provenance = self.locate.summary().provenance(self.locate.lattice(), noting_smaller(flags));
            return context.release(provenance, Value::Ball(again));
        };
        if how.located.is_none() {
            let reason = "the release has the ball alone, and the specification leads to a mean in it";
            return Err(field("statistic", reason));
        }
        Ok(self.together(plan.again(stated, context)?, &*plan, again, flags))
    }

    fn check(&self, records: &dyn Records) -> Result<()> {
        self.summary.check(records)?;
        if self.needs_memory && !records.is_in_memory() {
            return Err(Error::NotInMemory);
        }
        Ok(())
    }

    /// It is known when the ball is.
    fn region_of(&self, _: Option<&PrivateCount>, _: f64) -> Option<Region> {
        None
    }
}

/// The flags of a location with that of a mean in a smaller ball than the located one, or in none.
fn noting_smaller(mut flags: Vec<Flag>) -> Vec<Flag> {
    if !flags.contains(&Flag::NoUsefulMean) {
        flags.push(Flag::NoUsefulMean);
    }
    flags
}

/// The plan of a mean in a ball.
fn planned(request: &Request, mechanism: Option<MechanismName>, ball: Ball, left: Guarantee) -> Result<Box<dyn Plan>> {
    let request = request.in_ball(ball, left)?;
    match mechanism {
        Some(name) => request.plan_by(name),
        None => request.plan(),
    }
}

/// The summary of both parts: the location, and the mean with the plan that it has in the largest ball.
fn whole(locate: &LocateBall, in_largest: &dyn Plan, budget: Guarantee, of_mean: &Promise) -> PlanSummary {
    let (located, inner) = (locate.summary(), in_largest.summary());
    let promise = Promise::new(budget, PrivacyUnit::Record, of_mean.adjacency(), of_mean.numerics(), of_mean.flags());
    let promise = promise.weakened(located.promise().numerics(), located.promise().flags());
    let mean = PrivacyEventPart {
        guarantee: of_mean.guarantee(),
        mechanism: None, // it is chosen when the ball is known
        scale: None,
        numerics: of_mean.numerics(),
        flags: of_mean.flags().to_vec(),
        ..located.as_part()
    };
    PlanSummary {
        statistic: StatisticName::FrechetMean,
        guarantee: budget,
        parts: located.parts.iter().cloned().chain([mean]).collect(),
        expected_distance: inner.expected_distance,
        at_most: true,
        steps: None,
        denoising: inner.denoising,
        numerics: promise.numerics(),
        flags: promise.flags().to_vec(),
        ..located.clone()
    }
}

/// What plans promise at the weakest: within `left`, by the weakest numerics, on all assumptions of any.
fn weakest(left: Guarantee, plans: Vec<Promise>) -> Result<Promise> {
    let exact = Promise::new(left, PrivacyUnit::Record, Adjacency::ReplaceOne, Numerics::Exact, &[]);
    plans.into_iter().try_fold(exact, |weakest, plan| {
        let weakest = weakest.weakened(plan.numerics(), plan.flags());
        weakest.check_covers(&plan).map(|()| weakest)
    })
}
