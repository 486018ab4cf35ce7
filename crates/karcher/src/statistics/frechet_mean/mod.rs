//! The Fréchet mean of clipped records, with a proven bound of its change by one record (user guide, C1–C3).

pub(crate) mod add_remove;
pub(crate) mod certified_descent;
pub(crate) mod chart;
pub(crate) mod contraction;
mod description;
pub(crate) mod expected;
pub(crate) mod flow;
pub(crate) mod gaussian;
pub(crate) mod kng;
pub(crate) mod laplace;
pub(crate) mod noisy;

pub(super) use description::DESCRIPTION;

use crate::Lattice;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::{CurvatureBounds, Manifold};
use crate::mechanism::noise::exact::{check_length, in_quanta};
use crate::mechanism::noise::published::point_of;
use crate::mechanism::{Denoise, Denoiser, Denoising, PlanSummary, Round};
use crate::noise::{Law, VectorNoise};
use crate::points::PointsView;
use crate::records::{Centered, ExactSum, PreparedRecords, Preprocessing, Records, SumQuery, Summand};
use crate::release::{Flag, MechanismName, OpenRelease, Release, Value};
use crate::sensitivity::{self, Bound, Sensitivity};
use crate::statistics::frechet_mean::certified_descent::Certain;
use std::sync::Arc;

/// The private Fréchet mean: a space and a public ball, to which records are clipped.
///
/// ```
/// use karcher::{Ball, manifold::Euclidean, mechanism::PrivateFrechetMean};
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// let mean = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 1.0)?)?;
/// let sensitivity = mean.sensitivity(1_000)?.value();
/// assert!((sensitivity / (2.0 / 1_000.0) - 1.0).abs() < 1e-6); // 2r/n
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateFrechetMean {
    manifold: Arc<dyn Manifold>,
    ball: Ball,
    centered: Centered,
    bound: Option<Bound>,
    tolerance: Option<f64>,
    assume_in_ball: bool,
    denoise: Option<Denoise>,
}

/// Clipped records and their mean. **Confidential**: it has no accessor outside of mechanisms.
pub(crate) struct Summary<'a> {
    pub(crate) seen: PreparedRecords<'a>,
    /// Carried to the ball's center.
    pub(crate) value: Vec<f64>,
}

impl PrivateFrechetMean {
    /// The mean of records clipped to a public ball.
    ///
    /// # Errors
    /// [`Error::Geometry`] for a ball of another space, or one whose center is no point. [`Error::InvalidParameter`]
    /// for a radius whose square over- or underflows in double precision.
    ///
    /// ```
    /// use karcher::error::{Error, GeometryError};
    /// use karcher::{Ball, manifold::Sphere, mechanism::PrivateFrechetMean};
    /// use std::sync::Arc;
    /// let elsewhere = Ball::at_origin(&Sphere::new(3)?, 0.5)?;
    /// let mean = PrivateFrechetMean::new(Arc::new(Sphere::new(2)?), elsewhere);
    /// assert!(matches!(mean, Err(Error::Geometry(GeometryError::SpaceMismatch { .. }))));
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let tiny = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 1e-300)?);
    /// assert_eq!(tiny.unwrap_err().parameter(), Some("radius"));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball) -> Result<Self> {
        let centered = Centered::new(&manifold, &ball)?;
        ball.radii().iter().chain([&ball.radius()]).try_for_each(|radius| check_length("radius", *radius))?;
        Ok(Self { manifold, ball, centered, bound: None, tolerance: None, assume_in_ball: false, denoise: None })
    }

    /// The bound of the sensitivity to use instead of the smallest proven one.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::PrivateFrechetMean, sensitivity::Bound};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let published = mean.clone().bound(Some(Bound::Published)).sensitivity(100)?;
    /// assert!(published.value() > mean.sensitivity(100)?.value());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn bound(self, bound: Option<Bound>) -> Self {
        Self { bound, ..self }
    }

    /// The gradient norm at which the iteration for the mean stops, on curved spaces. Its effect is added to the
    /// sensitivity. Public. Default: 1e-12 times the radius, the smallest of a ball in each factor. Where rounding does
    /// not allow so small a gradient, the iteration stops at the smallest possible one.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::PrivateFrechetMean};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let coarse = mean.clone().tolerance(Some(0.001)).sensitivity(100)?;
    /// assert!(coarse.value() > mean.sensitivity(100)?.value() + 2.0 * 0.001); // a coarse mean takes more noise
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn tolerance(self, tolerance: Option<f64>) -> Self {
        Self { tolerance, ..self }
    }

    /// Switches clipping off: the records are known to lie in the ball. The guarantee then holds only if they do, and
    /// the release is flagged.
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::Flag};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?.assume_in_ball(true);
    /// let plan = Request::new(mean, 2, Guarantee::pure(1.0)?).plan()?;
    /// let release = plan.run(&Points::new(&*line, vec![0.1, 0.2])?, &mut ReleaseContext::from_os()?)?;
    /// assert!(release.flags().contains(&Flag::AssumedInBall));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn assume_in_ball(self, assume_in_ball: bool) -> Self {
        Self { assume_in_ball, ..self }
    }

    /// The denoising of noise on vectors: by default [`Denoise::Shrink`].
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{Denoise, PrivateFrechetMean, Request}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let space = Arc::new(Euclidean::new(9)?);
    /// let records = Points::new(&*space, vec![0.0; 90])?;
    /// let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, 1.0)?)?;
    /// let release = |mean: PrivateFrechetMean| {
    ///     Request::new(mean, 10, Guarantee::gaussian(0.1)?).plan()?.run(&records, &mut ReleaseContext::seeded(1))
    /// };
    /// let (shrunk, plain) = (release(mean.clone())?, release(mean.denoise(Some(Denoise::None)))?);
    /// let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    /// assert_eq!(shrunk.noisy_value(), Some(plain.value())); // a release tells both
    /// assert!(length(plain.value()) > 1.0 && length(shrunk.value()) <= 1.0 + 1e-12);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn denoise(self, denoise: Option<Denoise>) -> Self {
        Self { denoise, ..self }
    }

    /// The same in another ball.
    pub(crate) fn in_ball(&self, ball: Ball) -> Result<Self> {
        let Self { bound, tolerance, denoise, .. } = *self;
        let mean = Self::new(Arc::clone(&self.manifold), ball)?;
        Ok(mean.bound(bound).tolerance(tolerance).denoise(denoise))
    }

    /// Whether clipping is switched off.
    pub(crate) fn is_assumed_in_ball(&self) -> bool {
        self.assume_in_ball
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        &self.manifold
    }

    /// The public ball.
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// The optional parameters that were given.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let all = [
            ("bound", self.bound.is_some()),
            ("tolerance", self.tolerance.is_some()),
            ("assume_in_ball", self.assume_in_ball),
            ("denoise", self.denoise.is_some()),
        ];
        all.into_iter().filter_map(|(parameter, given)| given.then_some(parameter)).collect()
    }

    /// Records and values, carried to the ball's center.
    pub(crate) fn centered(&self) -> &Centered {
        &self.centered
    }

    /// The sensitivity for `n` records: public, it depends on the space, the ball and `n`.
    ///
    /// It is the sensitivity of the exact mean. On curved spaces it adds the error of the computed mean: the
    /// iteration's tolerance and rounding, each as a gradient norm (user guide, C3).
    ///
    /// # Errors
    /// [`Error::Geometry`] when `n = 0`; [`Error::RadiusTooLarge`] beyond the
    /// [`largest_radius`](PrivateFrechetMean::largest_radius).
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::PrivateFrechetMean};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let ratio = mean.sensitivity(100)?.value() / mean.sensitivity(200)?.value();
    /// assert!((ratio - 2.0).abs() < 1e-6); // it falls like 1/n
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn sensitivity(&self, n: usize) -> Result<Sensitivity> {
        self.gradient_tolerance()?;
        let too_large = |manifold: &dyn Manifold, radius, limit, limit_of| {
            Err(Error::RadiusTooLarge { space: manifold.space().clone(), radius, limit, limit_of })
        };
        for (manifold, ball) in self.ball.parts(&*self.manifold) {
            let unique = self.radius_of_uniqueness(manifold);
            let limit = self.centered.computable_radius(manifold).unwrap_or(f64::INFINITY);
            // where the other limit is smaller, the bound itself rejects the radius
            if limit < unique && ball.radius() > limit {
                let words = "the mean is computed reliably";
                return too_large(manifold, ball.radius(), limit, words);
            }
        }
        let exact = self.exact_sensitivity(n)?;
        if self.has_formula() {
            return Ok(exact);
        }
        exact.with_tolerance(self.inexact_gradient()?).or_else(|error| match self.tolerance {
            Some(_) => Err(self.of_given_tolerance(error)),
            None => {
                let unique = self.radius_of_uniqueness(&*self.manifold);
                too_large(&*self.manifold, self.ball.radius(), unique, "the mean is computed accurately")
            }
        })
    }

    /// The error about the tolerance as it was given, without what rounding adds to it.
    pub(crate) fn of_given_tolerance(&self, error: Error) -> Error {
        match (error, self.tolerance) {
            (Error::InvalidParameter { name: name @ "tolerance", requirement, .. }, Some(value)) => {
                Error::InvalidParameter { name, value, requirement }
            }
            (error, _) => error,
        }
    }

    /// The largest radius of a ball for a private mean on the space, in its unit of distance. `∞` where there is none.
    ///
    /// It is the smaller of two:
    ///
    /// * [`admissible_radius`](sensitivity::admissible_radius), above which the mean need not be unique;
    /// * the largest radius for which a mean is sure to be computed (user guide, C3). Where the largest curvature is
    ///   `κ > 0` it is `arctan(t)/√κ`: `t` is 70 where the curvature is constant, 9 where it has both signs, and 15
    ///   otherwise. On negatively curved spaces the limit of double precision is `ln(10⁻³/u)/2a`. There `u = 2⁻⁴⁸·√p`
    ///   for points of `p` numbers, and coordinates grow like `e^{ar}`.
    ///
    /// It depends on the space and on the bound, and not on the ball.
    ///
    /// ```
    /// use karcher::{Ball, manifold::{Euclidean, Sphere}, mechanism::PrivateFrechetMean};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = |radius| PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, radius)?);
    /// let limit = mean(0.5)?.largest_radius();
    /// assert!((limit - 70f64.atan()).abs() < 1e-12);
    /// assert!(mean(limit * (1.0 - 1e-9))?.sensitivity(100).is_ok());
    /// assert!(mean(limit * (1.0 + 1e-9))?.sensitivity(100).is_err());
    /// let plane = Arc::new(Euclidean::new(2)?);
    /// let vectors = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 1.0)?)?;
    /// assert_eq!(vectors.largest_radius(), f64::INFINITY);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn largest_radius(&self) -> f64 {
        let computable = self.centered.computable_radius(&*self.manifold).unwrap_or(f64::INFINITY);
        computable.min(self.radius_of_uniqueness(&*self.manifold))
    }

    /// The first radius for which the bound does not exist.
    fn radius_of_uniqueness(&self, manifold: &dyn Manifold) -> f64 {
        sensitivity::admissible_radius(manifold, self.bound.unwrap_or(Bound::Optimal))
    }

    /// Whether a point of the space is its coordinates, so that the mean is computed without an iteration.
    fn has_formula(&self) -> bool {
        self.manifold.flat_chart().is_some()
    }

    /// Whether the mean of records in the ball is that of their coordinates at the center: a sum, which is exact. It is
    /// so on circles and tori too, although an iteration finds the mean as a point there.
    pub(crate) fn is_flat(&self) -> bool {
        let CurvatureBounds { lower, upper } = self.manifold.curvature();
        lower == 0.0 && upper == 0.0
    }

    /// Upper bound of the norm of the exact gradient at the computed mean. It is the computed norm, in which the norm
    /// and the division by `n` err by less than a billionth, plus the rounding error of the gradient.
    pub(crate) fn inexact_gradient(&self) -> Result<f64> {
        Ok(self.certain()?.stop() * (1.0 + 1e-9) + self.centered.rounding())
    }

    /// Bound of the rounding error of the mean's coordinates at the center.
    pub(crate) fn logarithm_error(&self) -> f64 {
        self.centered.log_error().unwrap_or_else(|| self.centered.rounding())
    }

    /// A bound for a ball of a radius, on each ball whose product the public one is. The radius is of a ball that holds
    /// all records and the mean in spite of rounding: their computed coordinates at the center are no longer than
    /// `r·(1 + 2⁻⁴⁰)`.
    fn of_each_ball<T>(&self, bound: impl Fn(&dyn Manifold, f64) -> Result<T>) -> Result<Vec<T>> {
        let rounding = if self.is_flat() { 0.0 } else { self.centered.log_error().unwrap_or(0.0) };
        let of_one = |(manifold, ball): (&dyn Manifold, Ball)| {
            bound(manifold, ball.radius() + rounding).map_err(|error| match error {
                // report the radius that was given, without the rounding margin
                Error::RadiusTooLarge { space, limit, limit_of, .. } => {
                    Error::RadiusTooLarge { space, radius: ball.radius(), limit, limit_of }
                }
                other => other,
            })
        };
        self.ball.parts(&*self.manifold).into_iter().map(of_one).collect()
    }

    /// A bound of how far a point of the ball moves, from one on a space and a radius: with a ball in each factor, the
    /// root of the sum of the squares of theirs (user guide, S5).
    pub(crate) fn moved(&self, bound: impl Fn(&dyn Manifold, f64) -> Result<f64>) -> Result<f64> {
        Ok(sensitivity::root_sum_square(&self.of_each_ball(bound)?))
    }

    fn exact_sensitivity(&self, n: usize) -> Result<Sensitivity> {
        let found = self.of_each_ball(|manifold, radius| sensitivity::frechet_mean(manifold, radius, n, self.bound))?;
        Ok(Sensitivity::of_factors(&found))
    }

    /// Upper bound of the distance between the computed mean of `n` records and the exact one.
    pub(crate) fn inexactness(&self, n: usize) -> Result<f64> {
        Ok(0.5 * (self.sensitivity(n)?.value() - self.exact_sensitivity(n)?.value()))
    }

    /// The gradient norm at which the iteration stops, also where there is none.
    fn gradient_tolerance(&self) -> Result<f64> {
        match self.tolerance {
            None => Ok(1e-12 * self.centered.least_radius()),
            Some(tolerance) if tolerance > 0.0 && tolerance.is_finite() => Ok(tolerance),
            Some(value) => {
                let requirement = "it must be a positive number".to_owned();
                Err(Error::InvalidParameter { name: "tolerance", value, requirement })
            }
        }
    }

    /// The iteration for the mean.
    fn certain(&self) -> Result<Certain> {
        Ok(Certain::new(&self.centered, self.gradient_tolerance()?))
    }

    /// Clips the records and computes their mean. Whether there is a result depends on public quantities alone.
    pub(crate) fn summarize<'a>(&self, records: &'a dyn Records) -> Result<Summary<'a>> {
        let seen = self.clip(records)?;
        let value = if self.has_formula() {
            self.flat_sum(&seen)?.mean() // flat spaces are seen as R^d, around 0
        } else {
            self.certain()?.mean(&self.centered, &seen, self.is_certified())?
        };
        Ok(Summary { seen, value })
    }

    /// The sum of the logarithms at the center, of records that are carried there but not clipped, for flows of one
    /// step. Clipping the logarithms is clipping the records.
    pub(crate) fn first_sum(&self, records: &dyn Records) -> Result<ExactSum> {
        records.answer(&self.first_query()?)
    }

    /// The round of a plan whose statistic is that sum, with noise of its scale.
    fn round_of_sum(&self, law: Law, summary: &PlanSummary) -> Result<Round> {
        let query = self.first_query()?;
        let scale = in_quanta(summary.scale, summary.n as f64, query.term().quantum());
        Ok(Round::new(query, VectorNoise::new(law, scale)?))
    }

    /// The release of that sum, with noise.
    fn release_sum(
        &self,
        noisy: &[f64],
        denoiser: Option<Denoiser>,
        summary: &PlanSummary,
        context: &OpenRelease<'_>,
    ) -> Result<Release> {
        let (n, quantum) = (summary.n as f64, self.first_term().quantum());
        let coordinates: Vec<f64> = noisy.iter().map(|t| t * quantum / n).collect();
        self.publish_coordinates(&coordinates, quantum / n, denoiser.as_ref(), summary, context)
    }

    /// The sum of the records' logarithms at the center, each no longer than the radius.
    fn flat_sum(&self, seen: &PreparedRecords<'_>) -> Result<ExactSum> {
        seen.sum(self.centered.space(), &self.first_term())
    }

    fn first_term(&self) -> Summand {
        Summand::ClippedLog { base: self.centered.center().to_vec(), clip: self.ball.radius() }
    }

    /// The first query of mechanisms, whatever the number of records: the sum of their logarithms at the ball's center,
    /// each no longer than the radius. If you read records to count them, you can answer it in the same pass
    /// ([`Streamed::new`](crate::records::Streamed::new)). Means on flat spaces, and flows of one step, make no other
    /// query.
    ///
    /// # Errors
    /// Errors of the radius.
    ///
    /// ```
    /// use karcher::{Ball, Points, manifold::Euclidean, mechanism::PrivateFrechetMean, records::Observations};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let query = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 2.0)?)?.first_query()?;
    /// let points = Points::new(&*line, vec![1.0, 7.0])?;
    /// let mean = query.answer(Observations::new(&points))?.mean();
    /// assert!((mean[0] - 1.5).abs() < 1e-11); // 7 is clipped to 2
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn first_query(&self) -> Result<SumQuery> {
        self.query_of(self.first_term())
    }

    /// A query about records that are not clipped, for a summand that clips.
    pub(crate) fn query_of(&self, term: Summand) -> Result<SumQuery> {
        SumQuery::new(self.view(false), term)
    }

    /// A query about records that are clipped to the ball.
    pub(crate) fn query_of_clipped(&self, term: Summand) -> Result<SumQuery> {
        SumQuery::new(self.view(!self.assume_in_ball), term)
    }

    /// Clipping a logarithm is clipping a record, except where each factor has a radius.
    fn view(&self, clip: bool) -> Preprocessing {
        let clip = if self.ball.radii().is_empty() { clip } else { !self.assume_in_ball };
        Preprocessing { centered: self.centered.clone(), clip, predictors: None }
    }

    /// The coordinates at the center of a point of the ball, rounded to multiples of a step: a sum over one record, to
    /// be released with exact noise.
    pub(crate) fn on_lattice(&self, value: &[f64], step: f64) -> ExactSum {
        ExactSum::new(1, self.coordinates(value).iter().map(|c| (c / step).round() as i128).collect(), step)
    }

    /// The coordinates at the center of a point of the ball.
    pub(crate) fn coordinates(&self, value: &[f64]) -> Vec<f64> {
        let (space, center) = (self.centered.space(), self.centered.center());
        let mut c = vec![0.0; space.dim()];
        let point = PointsView::unchecked(space.space(), value.len(), value);
        space.frame_logs(center, point, &mut c); // a mean is in the ball, where there is a logarithm
        c
    }

    /// The records, carried to the center but not clipped: for a sum that clips.
    pub(crate) fn carry<'a>(&self, records: &'a dyn Records) -> Result<PreparedRecords<'a>> {
        records.seen(self.view(false))
    }

    /// Clips the records.
    pub(crate) fn clip<'a>(&self, records: &'a dyn Records) -> Result<PreparedRecords<'a>> {
        records.seen(self.view(!self.assume_in_ball))
    }

    /// Whether the rounding error of the gradient is proved: for records in the ball, on spaces with a proof.
    fn is_certified(&self) -> bool {
        !self.assume_in_ball && self.centered.log_error().is_some()
    }

    /// The flag of a release whose sensitivity is that of the mean as a point, or of its gradient.
    pub(crate) fn rounding_allowance(&self) -> Option<Flag> {
        (!self.has_formula() && !self.is_certified()).then_some(Flag::RoundingAllowance)
    }

    /// The assumptions of a guarantee of the mean: that records lie in the ball, if they are not clipped, and an
    /// allowance.
    pub(crate) fn assumptions(&self, allowance: Option<Flag>) -> Vec<Flag> {
        self.assume_in_ball.then_some(Flag::AssumedInBall).into_iter().chain(allowance).collect()
    }

    /// The denoiser of noise of a law and a scale on coordinates at the center.
    pub(crate) fn denoiser(&self, law: Law, scale: f64) -> Option<Denoiser> {
        let shrinks = self.denoise != Some(Denoise::None);
        shrinks.then(|| Denoiser::new(law, scale, self.manifold.dim(), self.ball.radius()))
    }

    /// The kind of that denoising.
    pub(crate) fn denoising(&self, law: Law, scale: f64) -> Denoising {
        self.denoiser(law, scale).map_or(Denoising::None, |denoiser| denoiser.kind())
    }

    /// Rejects the option to denoise a draw on a curved space, which is not noise on a vector.
    pub(crate) fn check_denoising(&self, mechanism: MechanismName) -> Result<()> {
        if self.denoise != Some(Denoise::Shrink) || self.manifold.flat_chart().is_some() {
            return Ok(());
        }
        let takers = "chart, karcher-flow".to_owned();
        let mechanism = format!("{mechanism} on {}", self.manifold.space());
        Err(Error::Inapplicable { parameter: "denoise", mechanism, takers })
    }

    /// The lattice of private points.
    fn lattice(&self, summary: &PlanSummary) -> Lattice {
        Lattice::new(&*self.manifold, summary.scale, self.ball.radius(), summary.expected_distance)
    }

    /// The step that one quantum of the exact sum makes in the mean of `n` records.
    pub(crate) fn quantum_of_mean(&self, n: usize) -> f64 {
        self.first_term().quantum() / n as f64
    }

    /// The release of a private value: the point of the public lattice next to it ([`Lattice`]), carried back to the
    /// user's ball. All of this is processing of the value as a point, so it costs no budget.
    pub(crate) fn publish(
        &self,
        value: &[f64],
        denoiser: Option<&Denoiser>,
        summary: &PlanSummary,
        context: &OpenRelease<'_>,
    ) -> Result<Release> {
        let lattice = self.lattice(summary);
        let coordinates = lattice.coordinates(self.centered.space(), self.centered.center(), value);
        self.publish_coordinates(&coordinates, lattice.step(), denoiser, summary, context)
    }

    /// The release of private coordinates at the center: integers in units of `quantum`, as doubles. Denoising, `Exp`
    /// and the way back are processing.
    pub(crate) fn publish_coordinates(
        &self,
        coordinates: &[f64],
        quantum: f64,
        denoiser: Option<&Denoiser>,
        summary: &PlanSummary,
        context: &OpenRelease<'_>,
    ) -> Result<Release> {
        let quiet = denoiser.map(|denoiser| {
            let mut quiet = coordinates.to_vec();
            denoiser.apply(&mut quiet);
            quiet
        });
        let (point, flags) = point_of(&self.centered, (coordinates, quiet.as_deref()), summary.scale / 1024.0, summary);
        context.release(summary.provenance(quantum, flags), Value::Point(point))
    }
}
