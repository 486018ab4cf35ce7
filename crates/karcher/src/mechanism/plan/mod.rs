//! Plans: mechanisms with everything decided that does not need the records.

pub(crate) mod again;
pub(crate) mod aggregated;
mod best_possible;
pub(crate) mod budget;
pub(crate) mod candidates;
pub(crate) mod companion;
pub(crate) mod companions;
pub(crate) mod forecast;
pub(crate) mod request;
pub(crate) mod rounds;
pub(crate) mod sample_size;
pub(crate) mod specified;
pub(crate) mod summary;

pub use rounds::{Round, RoundState, Rounds};
pub use summary::PlanSummary;

use crate::Lattice;
use crate::error::{Error, Result};
use crate::mechanism::{ErrorForecast, Gain, Rehearsal};
use crate::points::Points;
use crate::privacy::Guarantee;
use crate::records::Records;
use crate::release::{
    MechanismName, Numerics, OpenRelease, PrivateCount, PublishedRelease, Region, Release, ReleaseContext, Value,
};
use crate::sampler::DistanceLaw;
use std::fmt::Debug;

/// The probability of every release's region.
pub(crate) const REGION: f64 = 0.95;

/// One data set of an audit, with its mean.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour<'a> {
    /// The records.
    pub data: &'a Points,
    /// Their Fréchet mean.
    pub mean: &'a [f64],
}

/// A mechanism with everything decided that does not need the records. You can store it, compare it and run it any
/// number of times, on other records or for another release.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{Plan, PrivateFrechetMean, Request}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan: Box<dyn Plan> = Request::new(mean, 100, Guarantee::pure(1.0)?).plan()?;
/// let hundred = Points::new(&*line, vec![0.5; 100])?;
/// assert_eq!(plan.run(&hundred, &mut ReleaseContext::from_os()?)?.guarantee(), plan.guarantee());
/// let fewer = Points::new(&*line, vec![0.5; 99])?;
/// assert!(plan.run(&fewer, &mut ReleaseContext::from_os()?).is_err());
/// # Ok::<(), karcher::Error>(())
/// ```
///
/// Only this library makes plans: their noise keeps to what they state beforehand. A plan prints as a few lines of
/// text, those of its [`summary`](Plan::summary).
#[auto_impl::auto_impl(&, Box, Arc)]
pub trait Plan: Debug + Send + Sync + sealed::Sealed {
    /// The summary of the plan.
    fn summary(&self) -> &PlanSummary;

    /// The plan that this one wraps. Every method that a wrapper does not have is that of the wrapped plan.
    #[doc(hidden)]
    fn wrapped(&self) -> Option<&dyn Plan> {
        None
    }

    /// Draws a release of the statistic of the records, as [`run`](Plan::run) does with an open release context.
    /// `progress` receives the number of [`chain_steps`](PlanSummary::chain_steps) taken since its last call. By
    /// default it is drawn [in rounds](Plan::in_rounds).
    ///
    /// # Errors
    /// [`Error::Geometry`] for records of another space, [`Error::InvalidParameter`] when there are not as many as the
    /// plan is for.
    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        let _ = progress; // sums take no steps of a chain
        rounds::draw(self.in_rounds().ok_or_else(rounds::none)?, records, context)
    }

    /// As [`run`](Plan::run); `progress` receives the number of [`chain_steps`](PlanSummary::chain_steps) taken since
    /// its last call.
    ///
    /// # Errors
    /// As for [`run`](Plan::run).
    fn run_with_progress(
        &self,
        records: &dyn Records,
        context: &mut ReleaseContext,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        self.check(records)?;
        let promise = self.summary().promise_to(records.unit());
        self.draw(records, &mut context.open(promise, records.is_remote())?, progress)
    }

    /// Checks that the plan can run on records, before you reserve a budget. They must be of the plan's space, and as
    /// many as the plan is for, unless their number is confidential. A regression needs predictors. A plan may not
    /// accept several records of one person. A plan that reads records one by one needs them in memory.
    ///
    /// # Errors
    /// [`Error::Geometry`] for records of another space. [`Error::InvalidParameter`] for another number of records, or
    /// without predictors. [`Error::Unsupported`], [`Error::NotInMemory`].
    ///
    /// ```
    /// use karcher::{Ball, Points, manifold::Euclidean, mechanism::{Plan, PrivateFrechetMean, Request}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = Request::new(mean, 2, Guarantee::pure(1.0)?).plan()?;
    /// assert!(plan.check(&Points::new(&*line, vec![0.1, 0.2])?).is_ok());
    /// assert!(plan.check(&Points::new(&*line, vec![0.1, 0.2, 0.3])?).is_err());
    /// let plane = Euclidean::new(2)?;
    /// assert!(plan.check(&Points::new(&plane, vec![0.1, 0.2, 0.3, 0.4])?).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    fn check(&self, records: &dyn Records) -> Result<()> {
        if let Some(plan) = self.wrapped() {
            return plan.check(records);
        }
        self.summary().check(records)?;
        if self.summary().reads_single_records() && !records.is_in_memory() {
            return Err(Error::NotInMemory);
        }
        Ok(())
    }

    /// Score by which an audit distinguishes data sets: minus the logarithm of the density of a released point `x`, up
    /// to a factor and a constant. Where the density has no closed form it is an approximation.
    ///
    /// ```
    /// use karcher::{Ball, Points, manifold::Euclidean, mechanism::{Neighbour, PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::MechanismName};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = Request::new(mean, 2, Guarantee::pure(1.0)?).plan_by(MechanismName::Laplace)?;
    /// let data = Points::new(&*line, vec![0.0, 0.4])?;
    /// let audit_score = |x: f64| plan.audit_score(Neighbour { data: &data, mean: &[0.2] }, &[x]);
    /// assert!(audit_score(0.2) < audit_score(0.3) && audit_score(0.3) < audit_score(0.5)); // least at the mean
    /// # Ok::<(), karcher::Error>(())
    /// ```
    fn audit_score(&self, from: Neighbour<'_>, x: &[f64]) -> f64 {
        match self.wrapped() {
            Some(plan) => plan.audit_score(from, x),
            None => self.summary().manifold.dist(from.mean, x).powi(2),
        }
    }

    /// Behaviour of the Markov chains on made-up records, which is public. `None` where draws are exact. `progress`
    /// receives the number of [`rehearsal_steps`](Plan::rehearsal_steps) taken since its last call.
    ///
    /// # Errors
    /// None that depends on confidential records.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = Request::new(mean, 100, Guarantee::pure(1.0)?).plan()?;
    /// assert!(plan.is_exact() && plan.rehearse(&|_| ())?.is_none()); // no chain, nothing to rehearse
    /// # Ok::<(), karcher::Error>(())
    /// ```
    fn rehearse(&self, progress: &(dyn Fn(usize) + Sync)) -> Result<Option<Rehearsal>> {
        self.wrapped().map_or(Ok(None), |plan| plan.rehearse(progress))
    }

    /// Steps that a rehearsal takes, of all chains.
    fn rehearsal_steps(&self) -> usize {
        self.wrapped().map_or(0, Plan::rehearsal_steps)
    }

    /// Releases the statistic of the records.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] where the reservation was used or is for another guarantee. [`Error::Geometry`] for
    /// records of another space. [`Error::InvalidParameter`] for another number of records than the plan's.
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = Request::new(mean, 1_000, Guarantee::pure(1.0)?).plan()?;
    /// let release = plan.run(&Points::new(&*line, vec![0.5; 1_000])?, &mut ReleaseContext::from_os()?)?;
    /// assert!((release.value()[0] - 0.5).abs() < 25.0 * plan.scale()); // farther with probability e^{−25}
    /// # Ok::<(), karcher::Error>(())
    /// ```
    fn run(&self, records: &dyn Records, context: &mut ReleaseContext) -> Result<Release> {
        self.run_with_progress(records, context, &|_| ())
    }

    /// The mechanism's name.
    fn name(&self) -> MechanismName {
        self.summary().mechanism
    }

    /// The plan's guarantee.
    fn guarantee(&self) -> Guarantee {
        self.summary().guarantee
    }

    /// The noise scale `σ`.
    fn scale(&self) -> f64 {
        self.summary().scale
    }

    /// The mean distance between the private value and the one without privacy, apart from the bias.
    fn expected_distance(&self) -> f64 {
        self.summary().expected_distance
    }

    /// The law of that distance, where it is known.
    fn distance(&self) -> Option<&DistanceLaw> {
        self.summary().distance.as_ref()
    }

    /// The bound of the bias: 0 where there is no bias, infinite where no bound is known.
    fn bias_bound(&self) -> f64 {
        self.wrapped().map_or_else(|| self.summary().bias_bound.unwrap_or(0.0), Plan::bias_bound)
    }

    /// The gain from denoising for a mean at the center of the ball, halfway to its edge, and at the edge. `None` where
    /// the noise is not denoised.
    fn gains(&self) -> Option<[Gain; 3]> {
        self.wrapped().and_then(Plan::gains)
    }

    /// Expected errors of the companion statistics.
    fn forecasts(&self) -> Vec<ErrorForecast> {
        self.wrapped().map(Plan::forecasts).unwrap_or_default()
    }

    /// The expected distance after denoising, for a mean that is `off` from the center of the ball. If `off` is known
    /// approximately, the result is smaller than for the worst mean in the ball.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Hyperbolic, mechanism::{Plan, PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let plane = Arc::new(Hyperbolic::new(2)?);
    /// let mean = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 2.0)?)?;
    /// let plan = Request::new(mean, 1_000, Guarantee::pure(1.0)?).plan()?;
    /// assert!(plan.expected_distance_at(0.0) < plan.expected_distance_at(1.0));
    /// assert!(plan.expected_distance_at(1.0) < plan.expected_distance());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    fn expected_distance_at(&self, off: f64) -> f64 {
        self.wrapped().map_or_else(|| self.expected_distance(), |plan| plan.expected_distance_at(off))
    }

    /// Whether draws follow their law, in the bits or up to floating point, and not by a Markov chain.
    fn is_exact(&self) -> bool {
        self.summary().chain_steps.is_none()
    }

    /// Expected distance plus the bound of the bias: the criterion for comparing mechanisms.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::MechanismName};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let flow = Request::new(mean, 1_000, Guarantee::gaussian(1.0)?).plan_by(MechanismName::KarcherFlow)?;
    /// assert!(flow.bias_bound() > 0.0); // it stops before the mean
    /// assert_eq!(flow.error_bound(), flow.expected_distance() + flow.bias_bound());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    fn error_bound(&self) -> f64 {
        self.wrapped().map_or_else(|| self.expected_distance() + self.bias_bound(), Plan::error_bound)
    }

    /// Where the mean of the clipped records is with a probability, once it was released. Where the number of records
    /// is confidential, it follows from the private one.
    fn region_of(&self, count: Option<&PrivateCount>, probability: f64) -> Option<Region> {
        match self.wrapped() {
            Some(plan) => plan.region_of(count, probability),
            None => self.summary().region(probability),
        }
    }

    /// Denoises the coordinates of a noisy value at the ball's center: a function of public quantities, and of the
    /// private count where there is one.
    #[doc(hidden)]
    fn denoise(&self, coordinates: &mut [f64], count: Option<&PrivateCount>) {
        self.wrapped().into_iter().for_each(|plan| plan.denoise(coordinates, count));
    }

    /// What a release's proof will speak of.
    fn numerics(&self) -> Numerics {
        self.summary().numerics()
    }

    /// The step of the lattice on which a release will lie.
    #[doc(hidden)]
    fn lattice(&self) -> f64 {
        if let Some(plan) = self.wrapped() {
            return plan.lattice();
        }
        let summary = self.summary();
        Lattice::new(&*summary.manifold, summary.scale, summary.ball.radius(), summary.expected_distance).step()
    }

    /// The release that follows from the noisy numbers of a stated one: what [`draw`](Plan::draw) makes of them.
    /// Nothing is drawn.
    #[doc(hidden)]
    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        match self.wrapped() {
            Some(plan) => plan.again(stated, context),
            None => again::point(self, stated, (f64::INFINITY, |_| None), context),
        }
    }

    /// The private number of records that follows from the noisy one.
    #[doc(hidden)]
    fn count_again(&self, noisy: f64) -> Option<PrivateCount> {
        self.wrapped().and_then(|plan| plan.count_again(noisy))
    }

    /// The plan in rounds, if its release is a function of noisy sums. Such sums may be added up by parties who see
    /// none of them.
    fn in_rounds(&self) -> Option<&dyn Rounds> {
        None
    }
}

/// The release of a value on the lattice of a plan, with the private number of records where that is confidential.
pub(crate) fn publish(
    plan: &dyn Plan,
    value: Value,
    count: Option<PrivateCount>,
    context: &OpenRelease<'_>,
) -> Result<Release> {
    let summary = plan.summary();
    Ok(context.release(summary.provenance(plan.lattice(), summary.flags.clone()), value)?.counted(count))
}

pub(crate) mod sealed {
    /// Keeps others from making plans, whose summaries could promise more than their noise keeps.
    pub trait Sealed {}

    impl<P: Sealed + ?Sized> Sealed for &P {}
    impl<P: Sealed + ?Sized> Sealed for Box<P> {}
    impl<P: Sealed + ?Sized> Sealed for std::sync::Arc<P> {}
}
