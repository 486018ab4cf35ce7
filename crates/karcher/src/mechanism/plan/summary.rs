//! The summary of a plan: all that it states about its releases.

use crate::Space;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::{CurvatureBounds, Euclidean, Manifold, has_linear_numbers};
use crate::mechanism::{Denoising, RehearsedBall};
use crate::noise::Law;
use crate::points::check_space;
use crate::privacy::{ConstantCurvature, Definition, Guarantee, Profile};
use crate::records::{Records, no_predictors};
use crate::release::{
    Adjacency, Coverage, Flag, MechanismName, NoiseDraw, Numerics, OpenRelease, PrivacyEvent, PrivacyEventPart,
    PrivacyUnit, Promise, Provenance, Region, RegionCenter, ReleasedSensitivity, SCHEMA, StatisticName, Step, also,
    countable, kept,
};
use crate::sampler::DistanceLaw;
use crate::statistics::Unit;
use std::borrow::Cow;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_3};
use std::sync::Arc;

/// `Φ⁻¹(0.975)`.
const NORMAL_95: f64 = 1.959_964;

/// `√κ·r` up to which clipping to a ball of radius `r` brings no record farther from a point of the ball.
pub(crate) const REACH_UNBENT: f64 = FRAC_PI_3;

/// Approximate lower bound of the slope by which the records' mean logarithm changes with the distance from their mean.
/// It is `s·cot s`, `s² = κ·mean_square`, on positively curved spaces and 1 on others. `None` where the records are too
/// far apart for it.
pub(crate) fn steepness(curvature: f64, mean_square: f64) -> Option<f64> {
    let bent = (curvature.max(0.0) * mean_square).sqrt();
    match bent {
        0.0 => Some(1.0),
        bent if bent < FRAC_PI_2 => Some(bent / bent.tan()),
        _ => None,
    }
}

/// Summary of a plan: all that it states about its releases. All of it is public.
///
/// ```
/// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
/// use karcher::{privacy::Guarantee, release::MechanismName};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Request::new(mean, 100, Guarantee::pure(1.0)?).plan_by(MechanismName::Laplace)?;
/// let summary = plan.summary();
/// assert_eq!((summary.n, summary.guarantee), (100, Guarantee::pure(1.0)?));
/// assert!((summary.expected_distance / summary.scale - 1.0).abs() < 1e-6); // Laplace noise on a line: σ
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PlanSummary {
    /// The mechanism.
    pub mechanism: MechanismName,
    /// The statistic of the records.
    pub statistic: StatisticName,
    /// The space.
    pub manifold: Arc<dyn Manifold>,
    /// The space of the records: that of the value, or of responses and rows for a regression on features.
    pub records: Space,
    /// The public ball.
    pub ball: Ball,
    /// The number of records that the plan is for. Where the number is confidential, a public guess of it.
    pub n: usize,
    /// Which data sets count as neighbours.
    pub adjacency: Adjacency,
    /// The plan's guarantee.
    pub guarantee: Guarantee,
    /// The noise scale `σ`, in units of distance.
    pub scale: f64,
    /// The sensitivity that the scale comes from.
    pub sensitivity: ReleasedSensitivity,
    /// All noise that will be drawn, if it is known beforehand. In a ball that is located first, it is the noise of the
    /// location.
    pub noise: Vec<NoiseDraw>,
    /// The parts of a plan that has several, with a privacy event each.
    pub parts: Vec<PrivacyEventPart>,
    /// The mean distance between the private value and the one without privacy, apart from the bias.
    pub expected_distance: f64,
    /// The law of that distance, where it is known.
    pub distance: Option<DistanceLaw>,
    /// Whether the distance is an upper bound of the expected one.
    pub at_most: bool,
    /// The bound of the bias, where there is one.
    pub bias_bound: Option<f64>,
    /// Steps of an iteration, with the noise of each.
    pub steps: Option<Vec<Step>>,
    /// For a mean in two stages, the rehearsal on which the expected distance rests. It is not a bound.
    pub rehearsed: Option<RehearsedBall>,
    /// How noise on a vector is denoised.
    pub denoising: Denoising,
    /// Steps of the Markov chain that stands in for an exact draw. Such a release is private only approximately.
    pub chain_steps: Option<usize>,
    /// The subject of the proof, unless a Markov chain stands in for a draw.
    pub numerics: Numerics,
    /// The reason for which the mechanism must be asked for by name although it applies.
    pub by_name: Option<&'static str>,
    /// Flags that a release carries whatever the records are. See also
    /// [`noise_exceeds_ball`](PlanSummary::noise_exceeds_ball).
    pub flags: Vec<Flag>,
}

/// The flag of a space that the library lacks.
fn declared(manifold: &dyn Manifold) -> Option<Flag> {
    (!manifold.is_of_library()).then_some(Flag::DeclaredSpace)
}

impl PlanSummary {
    /// The summary of a plan by idealized draws, with defaults for all other fields.
    pub(crate) fn new(
        mechanism: MechanismName,
        (statistic, manifold, ball): (StatisticName, &Arc<dyn Manifold>, &Ball),
        n: usize,
        guarantee: Guarantee,
        scale: f64,
        sensitivity: ReleasedSensitivity,
        expected_distance: f64,
    ) -> Self {
        Self {
            mechanism,
            statistic,
            manifold: Arc::clone(manifold),
            records: manifold.space().clone(),
            ball: ball.clone(),
            n,
            adjacency: Adjacency::ReplaceOne,
            guarantee,
            scale,
            sensitivity,
            noise: vec![],
            parts: vec![],
            expected_distance,
            distance: None,
            at_most: false,
            bias_bound: None,
            steps: None,
            rehearsed: None,
            denoising: Denoising::None,
            chain_steps: None,
            numerics: Numerics::Idealized,
            by_name: None,
            flags: declared(&**manifold).into_iter().collect(),
        }
    }

    /// The same with the flags of a mechanism, which come first.
    pub(crate) fn flagged(mut self, flags: impl IntoIterator<Item = Flag>) -> Self {
        self.flags.splice(0..0, flags);
        self
    }

    /// Whether a release is flagged [`Flag::NoiseExceedsBall`], whatever the records are: the expected distance exceeds
    /// the radius of the ball, or 0.45 of the diameter of the space. On no bounded space is a uniform point nearer to
    /// the center on average. A record that was randomized
    /// at home is not: noise that exceeds the ball is its purpose.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let space = Arc::new(Euclidean::new(3)?);
    /// let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, 1.0)?)?;
    /// let plan = |n| Request::new(mean.clone(), n, Guarantee::pure(1.0)?).plan();
    /// assert!(plan(3)?.summary().noise_exceeds_ball() && !plan(300)?.summary().noise_exceeds_ball());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn noise_exceeds_ball(&self) -> bool {
        let radius = self.ball.radius();
        let most = match self.statistic.description().unit {
            Unit::Length => radius.min(0.45 * self.manifold.diameter()),
            Unit::SquareLength => radius * radius,
        };
        self.statistic != StatisticName::Record && self.expected_distance > most
    }

    /// The provenance of a release.
    pub(crate) fn provenance(&self, lattice: f64, mut flags: Vec<Flag>) -> Provenance {
        self.add_own_flags(&mut flags);
        let (n, n_guess) = self.adjacency.told(self.n);
        Provenance {
            schema: SCHEMA,
            karcher: Cow::Borrowed(env!("CARGO_PKG_VERSION")),
            statistic: self.statistic,
            manifold: self.manifold.space().clone(),
            n,
            n_guess,
            private_count: None,
            guarantee: self.guarantee,
            also: self.also(),
            unit: PrivacyUnit::Record,
            adjacency: self.adjacency,
            mechanism: self.mechanism,
            scale: self.scale,
            sensitivity: self.sensitivity,
            noise: self.noise.clone(),
            ball: self.ball.clone(),
            numerics: self.numerics(),
            lattice,
            expected_distance: self.expected_distance,
            bias_bound: self.bias_bound,
            steps: self.steps.clone(),
            located: None,
            ledger: None,
            ledgers: vec![],
            layout: None,
            columns: vec![],
            template: None,
            trust: None,
            series: None,
            spec: None,
            flags,
        }
    }

    /// The guarantees that the noise also implies the stated `(ε, δ)`: pure ε, `μ` and `ρ`, of Laplace noise (user
    /// guide, N1 and N3).
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let space = Arc::new(Euclidean::new(20)?);
    /// let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, 1.0)?)?;
    /// let plan = Request::new(mean, 1_000, Guarantee::approximate(1.0, 1e-6)?).plan()?;
    /// let also: Vec<String> = plan.summary().also().iter().map(|other| other.to_string()).collect();
    /// assert!(also.len() == 3 && also[0].contains("epsilon 1.29") && also[1].contains("mu 0.29"), "{also:?}");
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn also(&self) -> Vec<Guarantee> {
        also(&self.noise, self.guarantee)
    }

    /// The `μ` that Laplace noise on a mean also guarantees: with (ε, δ), that of [`also`](Self::also); with pure ε, if
    /// it is less than the one that ε implies. Releases compose by it. It comes from the noise's own privacy profile
    /// (user guide, P5, G2 and N1). `None` in other cases, also where companions spend a part of the guarantee.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let space = Arc::new(Euclidean::new(10)?);
    /// let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, 1.0)?)?;
    /// let plan = Request::new(mean, 100, Guarantee::pure(0.3)?).plan()?;
    /// assert!(plan.summary().own_mu().is_some_and(|mu| mu < 0.1)); // ε = 0.3 implies 0.375
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn own_mu(&self) -> Option<f64> {
        if let [_, normal, ..] = self.also()[..]
            && let Definition::Gaussian { mu } = normal.definition()
        {
            return Some(mu);
        }
        let Definition::Pure { epsilon } = self.guarantee.definition() else { return None };
        let ratio = self.sensitivity.value / self.scale;
        if self.statistic != StatisticName::FrechetMean || (ratio / epsilon - 1.0).abs() > 1e-4 {
            return None;
        }
        let (law, more) = (Law::Laplace, usize::from(self.adjacency == Adjacency::AddRemove)); // and a number
        let space = if self.mechanism == MechanismName::Laplace && more == 0 {
            ConstantCurvature::of(&*self.manifold, law)
        } else if [MechanismName::Laplace, MechanismName::Chart].contains(&self.mechanism) {
            ConstantCurvature::of(&Euclidean::new(self.manifold.dim() + more).ok()?, law)
        } else {
            return None;
        };
        let own = Profile::new(space.ok()?, law, self.scale, self.sensitivity.value).ok()?.guarantee().ok()?;
        let both = (own.definition(), self.guarantee.to_gaussian().ok()?.definition());
        let (Definition::Gaussian { mu }, Definition::Gaussian { mu: implied }) = both else { return None };
        (mu < implied).then_some(mu)
    }

    /// The privacy event that an account may record before the release is made.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let event = Request::new(mean, 100, Guarantee::pure(1.0)?).plan()?.summary().event();
    /// assert_eq!((event.n, event.guarantee), (Some(100), Guarantee::pure(1.0)?));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn event(&self) -> PrivacyEvent {
        let (n, n_guess) = self.adjacency.told(self.n);
        let has_one_part = self.parts.is_empty();
        PrivacyEvent {
            guarantee: self.guarantee,
            also: if has_one_part { countable(&self.noise, self.guarantee) } else { vec![] },
            statistic: self.statistic,
            manifold: Some(self.manifold.space().clone()),
            n,
            n_guess,
            unit: PrivacyUnit::Record,
            adjacency: self.adjacency,
            ball: Some(self.ball.clone()),
            mechanism: Some(self.mechanism),
            scale: has_one_part.then_some(self.scale),
            sensitivity: has_one_part.then_some(self.sensitivity),
            numerics: self.numerics(),
            flags: self.all_flags(),
            parts: self.parts.clone(),
            groups: None,
            spent_by_each: false,
        }
    }

    /// The promise of the plan's releases to single records.
    pub fn promise(&self) -> Promise {
        self.promise_to(PrivacyUnit::Record)
    }

    /// The promise to any privacy unit.
    pub(crate) fn promise_to(&self, unit: PrivacyUnit) -> Promise {
        let also = if self.parts.is_empty() { kept(&self.noise) } else { vec![] };
        Promise::new(self.guarantee, unit, self.adjacency, self.numerics(), &self.all_flags()).keeping(also)
    }

    /// The flags of the mechanism and those that every mechanism has.
    pub(crate) fn all_flags(&self) -> Vec<Flag> {
        let mut flags = self.flags.clone();
        self.add_own_flags(&mut flags);
        flags
    }

    /// Adds the flags that do not depend on the mechanism: a user-defined space, and noise that is larger than the
    /// ball.
    fn add_own_flags(&self, flags: &mut Vec<Flag>) {
        flags.extend(declared(&*self.manifold).filter(|flag| !flags.contains(flag)));
        flags.extend(self.noise_exceeds_ball().then_some(Flag::NoiseExceedsBall));
    }

    /// The summary as a part of another one.
    pub(crate) fn as_part(&self) -> PrivacyEventPart {
        PrivacyEventPart::of(&self.event())
    }

    /// The first checks of every draw: those of [`check`](Self::check). Also rejects a release context that was opened
    /// for a release that promises more than this plan does.
    ///
    /// # Errors
    /// As for [`check`](Self::check); [`Error::NotPermitted`].
    pub(crate) fn begin(&self, records: &dyn Records, context: &OpenRelease<'_>) -> Result<()> {
        self.check(records)?;
        context.promise().check_covers(&self.promise_to(records.unit()))
    }

    /// The region that holds the mean of the clipped records with a probability (kept between 0 and 1), for a released
    /// point. `None` where no law of the distance is known, and for regressions.
    ///
    /// The radius is the quantile of the law of the [`distance`](PlanSummary::distance) plus the bound of the bias. The
    /// region is about the noisy value, which the law describes. If noise is only projected, it is about the released
    /// value: where the curvature has one sign, projection takes no point away from any point in the ball (user guide,
    /// D2).
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let plan = Request::new(mean, 1_000, Guarantee::pure(1.0)?).plan()?;
    /// let radius = |p| plan.summary().region(p).map(|region| region.radius);
    /// assert!(radius(0.5) < radius(0.95) && radius(0.95) < radius(0.99));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn region(&self, probability: f64) -> Option<Region> {
        let probability = probability.clamp(0.0, 1.0);
        let is_flow = self.mechanism == MechanismName::KarcherFlow;
        if self.statistic != StatisticName::FrechetMean || (is_flow && self.bias_bound.is_none()) {
            return None;
        }
        let radius = self.distance.as_ref()?.quantile(probability) + self.bias_bound.unwrap_or(0.0);
        let CurvatureBounds { lower, upper } = self.manifold.curvature();
        let flat = self.manifold.flat_chart().is_some();
        let is_isotropic = [MechanismName::Laplace, MechanismName::Gaussian].contains(&self.mechanism);
        // with add-remove neighbours the law is that of isotropic noise with the same mean square
        let known = if is_flow || self.adjacency == Adjacency::AddRemove {
            Coverage::Approximately
        } else if flat || (is_isotropic && self.manifold.is_two_point_homogeneous()) {
            Coverage::Exactly
        } else if self.mechanism == MechanismName::Chart && lower >= 0.0 {
            Coverage::AtLeast
        } else {
            Coverage::Approximately
        };
        let keeps = !is_flow && (lower >= 0.0 || upper <= 0.0);
        let (center, coverage) = match (self.denoising, known) {
            (Denoising::None, known) => (RegionCenter::Value, known),
            (Denoising::Projects, Coverage::Exactly) if keeps => (RegionCenter::Value, Coverage::AtLeast),
            (Denoising::Projects, known) if keeps => (RegionCenter::Value, known),
            (Denoising::Projects | Denoising::Shrinks, known) => (RegionCenter::NoisyValue, known),
        };
        Some(Region { probability, radius: radius.min(self.manifold.diameter()), center, coverage })
    }

    /// [`steepness`] on the space.
    pub(crate) fn steepness(&self, mean_square: f64) -> Option<f64> {
        steepness(self.manifold.curvature().upper, mean_square)
    }

    /// The region that holds the mean of the population, clipped to the ball, with 95 % confidence, if the records are
    /// a sample of it. It adds the sampling error of records of a mean square distance (user guide, D2).
    ///
    /// `region` holds the mean of the `n` records with 95 % confidence. Where their number is confidential, both follow
    /// from the private one. Where too few records or too wide a spread leave nothing to state, it is the whole space.
    pub(crate) fn population_region(&self, region: Option<Region>, n: f64, mean_square: f64) -> Option<Region> {
        let region = region?;
        // a normal law whose covariance has the trace 1 exceeds this with 5 % at most; the worst case is one direction
        let sampling = |steepness: f64| NORMAL_95 * (mean_square / (n - 1.0)).sqrt() / steepness;
        let sampling = self.steepness(mean_square).filter(|_| n >= 2.0).map_or(f64::INFINITY, sampling);
        let radius = self.with_bias(region.radius, sampling).min(self.manifold.diameter());
        radius.is_finite().then_some(Region { radius, coverage: Coverage::Asymptotically, ..region })
    }

    /// A radius that includes a bias, combined with an independent error. The bias is not random, so it adds linearly.
    pub(crate) fn with_bias(&self, radius: f64, error: f64) -> f64 {
        let bias = self.bias_bound.unwrap_or(0.0);
        bias + (radius - bias).hypot(error)
    }

    /// Approximate upper bound of the clipped records' mean square distance to a point of the ball. It follows from
    /// that of the unclipped records and the fraction of records outside.
    ///
    /// On flat and negatively curved spaces, clipping brings no record farther from the point. The same holds on
    /// spheres in balls of radius `π/(3√κ)` at most; that limit is used for other spaces of positive curvature too. In
    /// larger balls a clipped record may come at a distance of the diameter of the ball.
    pub(crate) fn clipped_mean_square(&self, mean_square: f64, fraction_outside: f64) -> f64 {
        let radius = self.ball.radius();
        let bent = self.manifold.curvature().upper.max(0.0).sqrt() * radius;
        if bent <= REACH_UNBENT { mean_square } else { mean_square + fraction_outside * (2.0 * radius).powi(2) }
    }

    /// Whether the mechanism reads single records many times, which therefore have to be in memory.
    pub(crate) fn reads_single_records(&self) -> bool {
        self.mechanism == MechanismName::Kng
    }

    /// The subject of a release's proof.
    pub(crate) fn numerics(&self) -> Numerics {
        if self.chain_steps.is_some() { Numerics::Mcmc } else { self.numerics }
    }

    /// Whether a released point states its [noisy coordinates](crate::release::PrivatePoint::noisy_coordinates).
    pub(crate) fn states_coordinates(&self) -> bool {
        self.numerics() == Numerics::Exact && !has_linear_numbers(&*self.manifold)
    }

    /// Rejects records of another space or without the predictors of a regression. Rejects another number of records,
    /// where the number is public, and persons where there is no proof for them.
    ///
    /// # Errors
    /// [`Error::Geometry`], [`Error::InvalidParameter`], [`Error::Unsupported`].
    pub(crate) fn check(&self, records: &dyn Records) -> Result<()> {
        check_space("records", &self.records, records.space())?;
        self.check_count(records)?;
        if self.statistic == StatisticName::GeodesicRegression && records.has_predictors() == Some(false) {
            return Err(no_predictors());
        }
        self.refuse_more_of_a_person(records.unit())
    }

    /// Rejects persons with add/remove neighbours. One more record of a person who has others replaces their
    /// contribution by another one. This is two steps, but counts as one.
    fn refuse_more_of_a_person(&self, unit: PrivacyUnit) -> Result<()> {
        if self.adjacency != Adjacency::AddRemove || unit != PrivacyUnit::Person {
            return Ok(());
        }
        let reason = "there is no proof for persons if their number is confidential: use replace-one neighbours";
        let space = self.manifold.space().clone();
        Err(Error::Unsupported { mechanism: self.mechanism.name(), space, reason: reason.to_owned() })
    }

    /// Rejects another number of records, where the number is public.
    fn check_count(&self, records: &dyn Records) -> Result<()> {
        if self.adjacency == Adjacency::AddRemove || records.count() == self.n {
            return Ok(());
        }
        let requirement = format!("the mechanism was planned for {} records", self.n);
        Err(Error::InvalidParameter { name: "number_of_records", value: records.count() as f64, requirement })
    }
}
