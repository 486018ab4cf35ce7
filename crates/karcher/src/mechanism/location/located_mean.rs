//! A mean in a located ball: a part of the budget locates the ball, and the rest is spent on the mean in it (user
//! guide, B3).

use crate::ball::Ball;
use crate::error::{Error, GeometryError, Result};
use crate::mechanism::plan::budget::{BudgetFraction, as_normal, rest};
use crate::mechanism::{LocateBall, Plan, PrivateLocation};
use crate::privacy::Guarantee;
use crate::records::Records;
use crate::release::{
    Adjacency, Flag, Located, MechanismName, Numerics, OpenRelease, Part, PartName, PrivacyEvent, PrivacyEventPart,
    PrivacyUnit, Promise, Release, ReleaseContext, StatisticName, Value,
};

/// Plans the mean in a ball, within the rest of the budget. A returned plan is run only if it promises what the privacy
/// event states: no larger budget, the same neighbours, numerics at least as good, no further assumption.
pub type MeanPlanner<'a> = dyn Fn(Ball, Guarantee) -> Result<Box<dyn Plan>> + 'a;

/// A mean of records whose ball is located first, with everything decided that does not need the records.
///
/// A quarter of the budget locates the ball. With pure ε, if medians of coordinates find the center, it is from a tenth
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
/// use karcher::mechanism::{LocatedMean, PrivateFrechetMean, PrivateLocation, Request};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let records = Points::new(&*sphere, [[0.0, 0.6, 0.8], [0.0, 0.8, 0.6]].concat().repeat(1_000))?;
/// let everywhere = Ball::at_origin(&*sphere, 3.2)?;
/// let location = PrivateLocation::new(sphere.clone(), everywhere)?;
/// let plan_in = |ball, budget| {
///     Request::new(PrivateFrechetMean::new(sphere.clone(), ball)?, records.len(), budget).plan()
/// };
/// let mean = LocatedMean::new(&location, records.len(), Guarantee::pure(2.0)?, &plan_in)?;
/// let release = mean.run(&records, &mut ReleaseContext::from_os()?, &plan_in)?;
/// assert_eq!(release.guarantee(), Guarantee::pure(2.0)?);
/// assert!(release.provenance().located.is_some());
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LocatedMean {
    locate: LocateBall,
    budget: Guarantee,
    /// The largest promise that the mean may make: within the rest of the budget, by the weakest numerics of its plans.
    of_mean: Promise,
    /// The largest radius of the grid with a useful mean and a plan.
    largest: f64,
    /// Whether a mechanism was named for the mean that reads records one by one.
    needs_memory: bool,
}

impl LocatedMean {
    /// Plans the location, and checks that there is a plan for the mean in some ball of the grid. It finds the largest
    /// such ball, with the center of the outer ball, because no plan depends on the position of a ball.
    ///
    /// # Errors
    /// As for [`LocateBall::new`]. Where no ball has a plan, the reason for which the smallest one has none.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, privacy::Guarantee, release::MechanismName};
    /// use karcher::mechanism::{LocatedMean, PrivateFrechetMean, PrivateLocation, Request};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let location = PrivateLocation::new(sphere.clone(), Ball::at_origin(&*sphere, 3.2)?)?;
    /// let flow_in = |ball, budget| {
    ///     let mean = PrivateFrechetMean::new(sphere.clone(), ball)?;
    ///     Request::new(mean, 100, budget).plan_by(MechanismName::KarcherFlow)
    /// };
    /// let never_pure = LocatedMean::new(&location, 100, Guarantee::pure(2.0)?, &flow_in);
    /// assert!(never_pure.is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(location: &PrivateLocation, n: usize, budget: Guarantee, plan_in: &MeanPlanner<'_>) -> Result<Self> {
        let (locate, part) = LocateBall::with_part_of(location, n, budget)?;
        let left = BudgetFraction::even(rest(part)).from(as_normal(budget)?)?;
        let center = location.ball().center();
        let mut why = Error::from(GeometryError::NoRecords); // which is why there would be no radius with a mean
        for radius in locate.radii().into_iter().rev().filter(|radius| locate.has_mean(*radius)) {
            match Ball::new(&**location.manifold(), center.to_vec(), radius)
                .map_err(Error::from)
                .and_then(|ball| plan_in(ball, left))
            {
                Ok(plan) if plan.summary().adjacency != Adjacency::ReplaceOne => {
                    let reason = "there is no proof for add-remove neighbours; give a ball, or let the number of \
                                  records be public (replace-one)";
                    let space = location.manifold().space().clone();
                    return Err(Error::Unsupported { mechanism: "locate", space, reason: reason.to_owned() });
                }
                Ok(plan) => {
                    let needs_memory = plan.name() == MechanismName::Kng;
                    let smallest = locate.radii().first().copied().unwrap_or(radius);
                    // plans for balls in between may differ: their promises are compared when one is to be run
                    let sampled = [smallest, (smallest * radius).sqrt()].into_iter().filter_map(|radius| {
                        let ball = Ball::new(&**location.manifold(), center.to_vec(), radius).ok()?;
                        plan_in(ball, left).ok()
                    });
                    let promises = std::iter::once(plan).chain(sampled).map(|plan| plan.summary().promise());
                    let of_mean = weakest(left, promises)?;
                    return Ok(Self { locate, budget, of_mean, largest: radius, needs_memory });
                }
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    /// States numerics as weak as these, for a planner that takes proofs about real numbers in some balls. A plan with
    /// weaker numerics than stated is not run.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, privacy::Guarantee, release::Numerics};
    /// use karcher::mechanism::{LocatedMean, PrivateFrechetMean, PrivateLocation, Request};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let location = PrivateLocation::new(line.clone(), Ball::at_origin(&*line, 1e4)?)?;
    /// let plan_in = |ball, budget| Request::new(PrivateFrechetMean::new(line.clone(), ball)?, 100, budget).plan();
    /// let mean = LocatedMean::new(&location, 100, Guarantee::pure(2.0)?, &plan_in)?;
    /// assert_eq!(mean.event().numerics, Numerics::Exact);
    /// assert_eq!(mean.at_weakest(Numerics::Idealized).event().numerics, Numerics::Idealized);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn at_weakest(self, numerics: Numerics) -> Self {
        Self { of_mean: self.of_mean.weakened(numerics, &[]), ..self }
    }

    /// The location, with its part of the budget.
    pub fn location(&self) -> &LocateBall {
        &self.locate
    }

    /// Checks that the mean can be released for records, before you reserve a budget, as in [`Plan::check`].
    ///
    /// # Errors
    /// [`Error::NotInMemory`].
    pub fn check(&self, records: &dyn Records) -> Result<()> {
        if self.needs_memory && !records.is_in_memory() {
            return Err(Error::NotInMemory);
        }
        Ok(())
    }

    /// The guarantee of the location and the mean.
    pub fn guarantee(&self) -> Guarantee {
        self.budget
    }

    /// The rest of the budget, for the mean and its companion statistics.
    pub fn left(&self) -> Guarantee {
        self.of_mean.guarantee()
    }

    /// The privacy event that an account may record before the release is made.
    pub fn event(&self) -> PrivacyEvent {
        let (located, of_mean) = (self.locate.summary(), &self.of_mean);
        let mean = PrivacyEventPart {
            guarantee: of_mean.guarantee(),
            mechanism: None, // it is chosen when the ball is known
            scale: None,
            numerics: of_mean.numerics(),
            flags: of_mean.flags().to_vec(),
            ..located.as_part()
        };
        let promise = self.promise_to(PrivacyUnit::Record);
        PrivacyEvent {
            guarantee: promise.guarantee(),
            statistic: StatisticName::FrechetMean,
            mechanism: None,
            numerics: promise.numerics(),
            flags: promise.flags().to_vec(),
            parts: located.parts.iter().cloned().chain([mean]).collect(),
            ..located.event()
        }
    }

    /// The promise of the location and the mean.
    fn promise_to(&self, unit: PrivacyUnit) -> Promise {
        let (located, of_mean) = (self.locate.summary().promise(), &self.of_mean);
        let of_mean = Promise::new(self.budget, unit, of_mean.adjacency(), of_mean.numerics(), of_mean.flags());
        of_mean.weakened(located.numerics(), located.flags())
    }

    /// Rejects, before any noise is drawn, a planner whose mean promises something else than the privacy event.
    fn check_planner(&self, plan_in: &MeanPlanner<'_>) -> Result<()> {
        let outer = &self.locate.summary().ball;
        let ball = Ball::around(&*self.locate.summary().manifold, outer.center().to_vec(), self.largest)?;
        self.of_mean.check_covers(&plan_in(ball, self.left())?.summary().promise())
    }

    /// The radius of the ball for the mean, for a place of the grid.
    pub(super) fn radius_of(&self, place: usize) -> f64 {
        self.locate.around(place).min(self.largest)
    }

    /// Releases the mean, with the located ball. If no ball around the located center has a plan, although one around
    /// that of the outer ball had, the located ball is released by itself. Nothing else is spent then.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] where the reservation was used or is for another guarantee than the whole budget.
    /// [`Error::NotInMemory`] or [`Error::Geometry`] for unsuitable records. [`Error::InvalidParameter`] for another
    /// number of records than planned.
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Error, Points, manifold::Euclidean, privacy::Guarantee};
    /// use karcher::mechanism::{LocatedMean, PrivateFrechetMean, PrivateLocation, Request};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let location = PrivateLocation::new(line.clone(), Ball::at_origin(&*line, 1e4)?)?;
    /// let plan_in = |ball, budget| Request::new(PrivateFrechetMean::new(line.clone(), ball)?, 100, budget).plan();
    /// let mean = LocatedMean::new(&location, 100, Guarantee::pure(2.0)?, &plan_in)?;
    /// let fewer = Points::new(&*line, vec![3.0; 99])?;
    /// let refused = mean.run(&fewer, &mut ReleaseContext::from_os()?, &plan_in);
    /// assert!(matches!(refused, Err(Error::InvalidParameter { .. })));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn run(
        &self,
        records: &dyn Records,
        context: &mut ReleaseContext,
        plan_in: &MeanPlanner<'_>,
    ) -> Result<Release> {
        self.check(records)?;
        let promise = self.promise_to(records.unit());
        self.draw(records, &mut context.open(promise, records.is_remote())?, plan_in)
    }

    /// The release, in a release context that is open for the whole budget.
    pub(super) fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        plan_in: &MeanPlanner<'_>,
    ) -> Result<Release> {
        let (locate, summary) = (&self.locate, self.locate.summary());
        let of_mean = self.of_mean.clone().to(records.unit());
        context.promise().check_covers(&self.promise_to(records.unit()))?;
        self.check_planner(plan_in)?;
        let (mut located, mut flags, lattice) = locate.locate(records, context)?;
        let most = located.radius.min(self.largest);
        let own = Some(located.radius).filter(|radius| locate.has_mean(*radius));
        let smaller = locate.radii().into_iter().rev().filter(|radius| *radius <= most);
        let plan = own.into_iter().chain(smaller).find_map(|radius| {
            let ball = Ball::around(&*summary.manifold, located.center.clone(), radius).ok()?;
            let plan = plan_in(ball, self.left()).ok()?;
            of_mean.check_covers(&plan.summary().promise_to(records.unit())).ok()?;
            Some(plan)
        });
        let is_smaller = plan.as_ref().is_none_or(|plan| plan.summary().ball.radius() < located.radius);
        if is_smaller && !flags.contains(&Flag::NoUsefulMean) {
            flags.push(Flag::NoUsefulMean);
        }
        let Some(plan) = plan else {
            return context.release(summary.provenance(lattice, flags), Value::Ball(located));
        };
        let mean = plan.draw(records, &mut context.for_part(of_mean.clone())?, &|_| ())?;
        of_mean.check_covers(&mean.provenance().promise())?;
        located.parts.push(Part {
            part: PartName::Mean,
            guarantee: mean.guarantee(),
            numerics: mean.provenance().numerics,
        });
        let located = Located { within: summary.ball.clone(), ball: located };
        Ok(mean.in_located(located, (self.budget, &summary.noise), flags))
    }
}

/// The weakest promise of plans: within `left`, by the weakest numerics, on all assumptions of any.
fn weakest(left: Guarantee, mut plans: impl Iterator<Item = Promise>) -> Result<Promise> {
    let exact = Promise::new(left, PrivacyUnit::Record, Adjacency::ReplaceOne, Numerics::Exact, &[]);
    plans.try_fold(exact, |weakest, plan| {
        let weakest = weakest.weakened(plan.numerics(), plan.flags());
        weakest.check_covers(&plan).map(|()| weakest)
    })
}
