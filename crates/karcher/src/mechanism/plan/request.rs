//! Requests: a statistic, a number of records, a budget. The command line, Python and the papers all build them.

use crate::ball::Ball;
use crate::error::{Error, GeometryError, Result};
use crate::mechanism::noise::exact::check_length;
use crate::mechanism::{Components, Plan, PrivateFrechetMean, Spread, check_some, mechanisms_for};
use crate::noise::Law;
use crate::privacy::{Definition, GaussianCalibration, Guarantee};
use crate::release::{Adjacency, Flag, MechanismName, Numerics, StatisticName};
use crate::sensitivity::Sensitivity;
use crate::spec::NumericsPolicy;
use crate::statistics::Statistic;
use std::sync::Arc;

impl NumericsPolicy {
    /// Why a plan has to be asked for by name, if it has.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::{NumericsPolicy, PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::MechanismName};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let curved = Request::new(mean, 50, Guarantee::pure(1.0)?).plan_by(MechanismName::Laplace)?;
    /// assert!(NumericsPolicy::Exact.refuses(&*curved).is_some_and(|why| why.contains("floating point")));
    /// assert!(NumericsPolicy::Any.refuses(&*curved).is_none());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn refuses(self, plan: &dyn Plan) -> Option<&'static str> {
        let summary = plan.summary();
        let inexact = match summary.numerics {
            Numerics::Exact if summary.flags.contains(&Flag::EstimatedIntegrals) => Some(ESTIMATED),
            Numerics::Exact => None,
            Numerics::Idealized | Numerics::Mcmc => Some(IDEALIZED),
        };
        summary.by_name.or(inexact.filter(|_| self == NumericsPolicy::Exact))
    }
}

/// Reason for which a plan about real numbers is not taken unless you ask for it.
const IDEALIZED: &str = "its noise is drawn in floating point, while the proof is about real numbers";

/// Reason for which a plan is not taken by default if its exact noise has a scale that rests on integrals.
const ESTIMATED: &str = "its scale rests on integrals whose errors are estimated";

/// The requested companions of a mean, one or both.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Companions {
    pub(super) spread: Option<Spread>,
    pub(super) components: Option<Components>,
}

impl Companions {
    /// The parameters that request a companion.
    pub(super) fn parameters(self) -> impl Iterator<Item = &'static str> {
        [("spread", self.spread.is_some()), ("components", self.components.is_some())]
            .into_iter()
            .filter_map(|(name, given)| given.then_some(name))
    }
}

/// A request for a release. All of it is public.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
/// use karcher::release::MechanismName;
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let ball = Ball::at_origin(&*sphere, 0.5)?;
/// let request = Request::new(PrivateFrechetMean::new(sphere, ball)?, 1000, Guarantee::pure(1.0)?);
/// let best = request.plan()?;
/// let gaussian = request.plan_by(MechanismName::Gaussian)?;
/// assert!(best.error_bound() <= gaussian.error_bound());
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Request {
    pub(super) statistic: Arc<dyn Statistic>,
    pub(super) n: usize,
    pub(super) adjacency: Adjacency,
    pub(super) budget: Guarantee,
    pub(super) steps: Option<usize>,
    pub(super) calibration: Option<GaussianCalibration>,
    pub(super) accept: NumericsPolicy,
    pub(super) spread: Option<Spread>,
    pub(super) components: Option<Components>,
    pub(super) expected_spread: Option<f64>,
    pub(super) region: Option<f64>,
    /// Whether noise has to have the same law in all directions.
    pub(super) isotropic: bool,
    /// Of a mean, computed once.
    pub(super) sensitivity: Option<Result<Sensitivity>>,
}

impl Request {
    /// A statistic of `n` records within a budget.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let request = Request::new(mean, 100, Guarantee::pure(1.0)?);
    /// assert_eq!((request.n(), request.budget()), (100, Guarantee::pure(1.0)?));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(statistic: impl Statistic, n: usize, budget: Guarantee) -> Self {
        Self::of(Arc::new(statistic), n, budget)
    }

    /// The same for a statistic of any type.
    pub fn of(statistic: Arc<dyn Statistic>, n: usize, budget: Guarantee) -> Self {
        let sensitivity = statistic.as_a::<PrivateFrechetMean>().map(|mean| mean.sensitivity(n));
        Self {
            statistic,
            n,
            adjacency: Adjacency::ReplaceOne,
            budget,
            steps: None,
            calibration: None,
            accept: NumericsPolicy::Exact,
            spread: None,
            components: None,
            expected_spread: None,
            region: None,
            isotropic: false,
            sensitivity,
        }
    }

    /// The neighbouring data sets: by default [`Adjacency::ReplaceOne`]. With [`Adjacency::AddRemove`] the number of
    /// records is confidential, and `n` is a public guess. The plan and its forecasts are for that many records, and it
    /// runs on any number, including none. No guarantee depends on the guess (user guide, U2).
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::Adjacency};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let guess = 1_000;
    /// let plan = Request::new(mean, guess, Guarantee::pure(1.0)?).adjacency(Adjacency::AddRemove).plan()?;
    /// let release = plan.run(&Points::new(&*line, vec![0.5; 1_234])?, &mut ReleaseContext::from_os()?)?;
    /// assert_eq!((release.n(), release.provenance().n_guess), (None, Some(1_000)));
    /// let count = release.private_count().ok_or("the number is released, too")?;
    /// assert!((count.value - 1_234.0).abs() < 80.0); // farther with a probability below 1e-15
    /// assert!((release.value()[0] - 0.5).abs() < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn adjacency(self, adjacency: Adjacency) -> Self {
        Self { adjacency, ..self }
    }

    /// The number of steps, for iterative mechanisms.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::MechanismName};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let request = Request::new(mean, 1_000, Guarantee::gaussian(1.0)?).steps(Some(3));
    /// let flow = request.plan_by(MechanismName::KarcherFlow)?;
    /// assert_eq!(flow.summary().steps.as_ref().map(Vec::len), Some(3));
    /// assert_eq!(request.plan_by(MechanismName::Gaussian).unwrap_err().parameter(), Some("steps")); // it takes none
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn steps(self, steps: Option<usize>) -> Self {
        Self { steps, ..self }
    }

    /// How Gaussian noise on flat spaces is calibrated to (ε, δ).
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::{GaussianCalibration, Guarantee}, release::MechanismName};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let request = Request::new(mean, 100, Guarantee::approximate(0.5, 1e-6)?);
    /// let classical = request.clone().calibration(Some(GaussianCalibration::Classical));
    /// let scale = |request: &Request| request.plan_by(MechanismName::Gaussian).map(|plan| plan.scale());
    /// assert!(scale(&request)? < scale(&classical)?);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn calibration(self, calibration: Option<GaussianCalibration>) -> Self {
        Self { calibration, ..self }
    }

    /// The proofs that a plan may rest on unless you name its mechanism: by default [`NumericsPolicy::Exact`].
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{NumericsPolicy, PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let request = Request::new(mean, 100, Guarantee::pure(1.0)?);
    /// // on flat spaces nothing is gained by it
    /// assert_eq!(request.clone().numerics(NumericsPolicy::Any).plan()?.scale(), request.plan()?.scale());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn numerics(self, accept: NumericsPolicy) -> Self {
        Self { accept, ..self }
    }

    /// Whether the spread about a mean is released too, with a quarter of the budget ([`Spread`]).
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Sphere, mechanism::{PrivateFrechetMean, Request, Spread}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 1.0)?)?;
    /// let request = Request::new(mean, 4_000, Guarantee::pure(4.0)?).spread(Some(Spread::default()));
    /// // two directions a right angle apart: 45° from their mean
    /// let records = Points::new(&*sphere, [0.8, 0.6, 0.0, 0.6, -0.8, 0.0].repeat(2_000))?;
    /// let release = request.plan()?.run(&records, &mut ReleaseContext::from_os()?)?;
    /// let spread = release.spread().ok_or("it was asked for")?;
    /// assert!((spread.root_mean_square - std::f64::consts::FRAC_PI_4).abs() < 0.05);
    /// assert!(spread.fraction_outside.value < 0.05 && !spread.consistent_with_uniform);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn spread(self, spread: Option<Spread>) -> Self {
        Self { spread, ..self }
    }

    /// Whether the principal components of the records about a mean are released too ([`Components`]). They spend half
    /// of the budget, or half of the rest if there is a spread.
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{Components, PrivateFrechetMean, Request}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let plane = Arc::new(Euclidean::new(2)?);
    /// let mean = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 1.0)?)?;
    /// let request = Request::new(mean, 20_000, Guarantee::pure(8.0)?).components(Some(Components::default()));
    /// let records = Points::new(&*plane, [0.3, 0.3, -0.3, -0.3].repeat(10_000))?; // on a line
    /// let release = request.plan()?.run(&records, &mut ReleaseContext::from_os()?)?;
    /// let components = release.components().ok_or("they were asked for")?;
    /// assert!((components.variances[0] - 0.18).abs() < 0.01 && components.variances[1].abs() < 0.01);
    /// let first = &components.directions[0];
    /// assert!((first[0] - first[1]).abs() < 0.1); // along the diagonal
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn components(self, components: Option<Components>) -> Self {
        Self { components, ..self }
    }

    /// A public guess of the records' spread: the root of the mean squared distance from their mean. A smaller ball
    /// within the given one is then considered too ([`TwoStage`](crate::mechanism::TwoStage)). No guarantee depends on
    /// it.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a number that is not a positive length.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::MechanismName};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 1.2)?)?;
    /// let request = Request::new(mean, 10_000, Guarantee::gaussian(1.0)?);
    /// let best = |spread| request.clone().expected_spread(Some(spread))?.plan().map(|plan| plan.name());
    /// assert_eq!(best(0.05)?, MechanismName::TwoStage);
    /// assert_eq!(best(0.8)?, MechanismName::Chart); // no smaller ball pays
    /// assert!(best(-1.0).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn expected_spread(self, expected_spread: Option<f64>) -> Result<Self> {
        if let Some(spread) = expected_spread {
            if !(spread > 0.0 && spread.is_finite()) {
                let requirement = "it must be a positive number, in units of distance".to_owned();
                return Err(Error::InvalidParameter { name: "expected_spread", value: spread, requirement });
            }
            check_length("expected_spread", spread)?;
        }
        Ok(Self { expected_spread, ..self })
    }

    /// The probability of the region around a mean: 0.95 by default.
    pub(crate) fn region(self, region: Option<f64>) -> Self {
        Self { region, ..self }
    }

    /// The requested companions of the statistic.
    pub(super) fn companions(&self) -> Companions {
        Companions { spread: self.spread, components: self.components }
    }

    /// A mean with companions.
    pub(super) fn mean_and_companions(&self) -> Option<(&PrivateFrechetMean, Companions)> {
        let mean = self.statistic.as_a()?;
        (self.companions().parameters().count() > 0).then(|| (mean, self.companions()))
    }

    /// The statistic without companions, within a budget.
    pub(super) fn alone(&self, budget: Guarantee) -> Self {
        Self { budget, spread: None, components: None, ..self.clone() }
    }

    /// The mean in another ball and within another budget, in one stage.
    pub(crate) fn in_ball(&self, ball: Ball, budget: Guarantee) -> Result<Self> {
        let mean = self.asked::<PrivateFrechetMean>(MechanismName::Locate)?.in_ball(ball)?;
        let sensitivity = Some(mean.sensitivity(self.n));
        Ok(Self { statistic: Arc::new(mean), budget, sensitivity, expected_spread: None, ..self.clone() })
    }

    /// Which proofs are accepted.
    pub fn accepts(&self) -> NumericsPolicy {
        self.accept
    }

    /// The statistic.
    pub fn statistic(&self) -> &dyn Statistic {
        &*self.statistic
    }

    /// The number of records.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The budget.
    pub fn budget(&self) -> Guarantee {
        self.budget
    }

    /// The same with noise of one law in all directions: where several draws of it add up.
    pub(crate) fn isotropic(self) -> Self {
        Self { isotropic: true, ..self }
    }

    /// Whether that is asked for.
    pub(crate) fn asks_isotropic(&self) -> bool {
        self.isotropic
    }

    /// Which data sets count as neighbours.
    pub(crate) fn asked_adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// The number of steps asked for.
    pub(crate) fn asked_steps(&self) -> Option<usize> {
        self.steps
    }

    /// The expected spread.
    pub(crate) fn asked_spread(&self) -> Option<f64> {
        self.expected_spread
    }

    /// The probability of a region that was asked for.
    pub(crate) fn asked_region(&self) -> Option<f64> {
        self.region
    }

    /// The calibration asked for.
    pub(crate) fn asked_calibration(&self) -> Option<GaussianCalibration> {
        self.calibration
    }

    /// The plan with noise of a law of a statistic that has one, for the neighbours of the request.
    ///
    /// # Errors
    /// [`Error::Geometry`] for no records, [`Error::Inapplicable`] for a calibration: there is only one.
    /// [`Error::Unsupported`] for normal noise and pure ε, and those of the plan.
    pub(crate) fn by_law(&self, law: Law) -> Result<Option<Box<dyn Plan>>> {
        let (statistic, name) = (self.statistic.name(), MechanismName::from(law));
        let Some(plan) = statistic.description().by_law else { return Ok(None) };
        check_some(self.n)?;
        if self.calibration.is_some() {
            let takers = format!("a {}", StatisticName::FrechetMean);
            let mechanism = format!("{name} for a {statistic}");
            return Err(Error::Inapplicable { parameter: "calibration", mechanism, takers });
        }
        if law == Law::Gaussian && matches!(self.budget.definition(), Definition::Pure { .. }) {
            let reason = "normal noise never gives pure ε; take laplace, or give a δ, μ or ρ".to_owned();
            let space = self.statistic.manifold().space().clone();
            return Err(Error::Unsupported { mechanism: name.name(), space, reason });
        }
        plan(self, law).map(Some)
    }

    /// The statistic that a mechanism releases, if that is asked for.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the mechanisms that release the one that is asked for.
    pub(crate) fn asked<S: Statistic>(&self, mechanism: MechanismName) -> Result<&S> {
        self.statistic.as_a().ok_or_else(|| self.not_for(mechanism))
    }

    pub(crate) fn not_for(&self, mechanism: MechanismName) -> Error {
        let names: Vec<&str> = mechanisms_for(self.statistic.name()).map(|m| m.name().name()).collect();
        let reason = format!("it does not release a {}; take one of {}", self.statistic.name(), names.join(", "));
        Error::Unsupported { mechanism: mechanism.name(), space: self.statistic.manifold().space().clone(), reason }
    }

    /// The sensitivity of the mean that is asked for.
    pub(crate) fn sensitivity(&self) -> Result<Sensitivity> {
        // known for means alone; mechanisms of other statistics do not ask for it
        self.sensitivity.clone().unwrap_or(Err(GeometryError::NoRecords.into()))
    }
}
