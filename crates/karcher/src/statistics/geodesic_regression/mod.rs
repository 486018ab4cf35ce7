//! Private geodesic regression: one geodesic `x ↦ Exp_p((x − ½)·v)` through records `yᵢ` with numbers `xᵢ` (user guide,
//! "Regression").
//!
//! These parameters are public, and you must choose them without looking at the records:
//! * the range of the predictor, scaled to `[−½, ½]` and clamped, so that the footpoint is in the middle;
//! * the [`Ball`], to which records are clipped and in which the footpoint lies;
//! * the slope bound `V` of `‖v‖`;
//! * the residual bound `τ`, to which residuals are clipped.
//!
//! Three mechanisms, which are total once the input is validated:
//!
//! * [`LinearRegression`] (user guide, R2): on flat spaces, from the noisy sufficient statistics;
//! * [`RegressionDescent`] (user guide, R3): noisy descent, on every space;
//! * [`KngRegression`] (user guide, R1): the K-norm gradient mechanism for footpoint and velocity at once, drawn
//!   exactly on lines and by a Markov chain on other spaces.

mod descent;
mod description;
mod joint;
mod line;
mod linear;
pub(crate) mod rehearsal;
mod spending;

pub use descent::{GradientDescent, RegressionDescent};
pub use joint::KngRegression;
pub use linear::{Linear, LinearRegression};

pub(super) use description::DESCRIPTION;

use crate::Lattice;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::{Geodesic, Manifold};
use crate::mechanism::PlanSummary;
use crate::mechanism::noise::exact::{check_length, check_one_radius};
use crate::mechanism::noise::published::published_geodesic;
use crate::mechanism::plan::again::{Precision, farthest, in_ball, of_another_statistic, with_slack};
use crate::points::PointsView;
use crate::records::{Centered, InMemory, PredictorRange, PreparedRecords, Preprocessing, Records, Summand};
use crate::release::{Flag, OpenRelease, PredictorVariance, PrivateGeodesic, PublishedRelease, Release, Value};
use crate::spec::field;
use std::sync::Arc;

/// Covers the rounding of a few products on the way from a bound to a scale.
const OUTWARD: f64 = 1.0 + 1e-12;

/// All public parameters of a private regression.
///
/// ```
/// use karcher::mechanism::{PrivateRegression, Request};
/// use karcher::{Ball, Points, PredictorRange, ReleaseContext, Space, privacy::Guarantee, records::Observations};
/// let sphere = "sphere:2".parse::<Space>()?.manifold()?;
/// // public: chosen without looking at the records
/// let ball = Ball::at_origin(&*sphere, 0.5)?;
/// let ages = PredictorRange::new(20.0, 80.0)?;
/// let regression = PrivateRegression::new(sphere.clone(), ball, ages, 0.6)?.residual_bound(0.3)?;
/// let plan = Request::new(regression, 10_000, Guarantee::gaussian(1.0)?).plan()?;
///
/// // confidential: the direction turns by 0.005 a year
/// let t: Vec<f64> = (0..10_000).map(|i| 20.0 + 60.0 * f64::from(i) / 1e4).collect();
/// let directions = t.iter().map(|age| 0.005 * (age - 50.0)).flat_map(|angle: f64| [angle.cos(), angle.sin(), 0.0]);
/// let points = Points::new(&*sphere, directions.collect())?;
/// let records = Observations::new(&points).with_predictors(&t)?;
///
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// let geodesic = release.geodesic().ok_or("a regression releases a geodesic")?;
/// let at_seventy = geodesic.predict(&*sphere, 70.0);
/// assert!(sphere.dist(&at_seventy, &[0.1_f64.cos(), 0.1_f64.sin(), 0.0]) < 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateRegression {
    manifold: Arc<dyn Manifold>,
    ball: Ball,
    centered: Centered,
    predictors: PredictorRange,
    slope_bound: f64,
    residual_bound: f64,
}

impl PrivateRegression {
    /// A regression with footpoint and records in a ball, and a velocity of at most `slope_bound` over the whole range
    /// of the predictor.
    ///
    /// The residual bound is at first the longest possible residual, `2r + V/2` or the diameter. A smaller one
    /// ([`residual_bound`](Self::residual_bound)) reduces the noise.
    ///
    /// # Errors
    /// [`Error::Geometry`] for a ball of another space. Also [`Error::InvalidParameter`] unless the slope bound is a
    /// positive number below the injectivity radius.
    ///
    /// ```
    /// use karcher::{Ball, PredictorRange, manifold::Sphere, mechanism::PrivateRegression};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let ball = Ball::at_origin(&*sphere, 0.5)?;
    /// let range = PredictorRange::new(0.0, 1.0)?;
    /// let with_slope = |bound| PrivateRegression::new(sphere.clone(), ball.clone(), range, bound);
    /// assert!(with_slope(1.0).is_ok());
    /// assert!(with_slope(3.2).is_err()); // beyond the injectivity radius π
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball, predictors: PredictorRange, slope_bound: f64) -> Result<Self> {
        let invalid =
            |requirement| Err(Error::InvalidParameter { name: "slope_bound", value: slope_bound, requirement });
        if !(slope_bound > 0.0 && slope_bound.is_finite()) {
            return invalid(
                "it must be a positive number: how far the geodesic goes over the range of the predictor".to_owned(),
            );
        }
        let limit = manifold.injectivity_radius();
        if slope_bound >= limit {
            let space = manifold.space();
            return invalid(format!(
                "on {space} it must be below the injectivity radius, {limit}: a longer geodesic is not the shortest \
                 between its ends"
            ));
        }
        check_length("slope_bound", slope_bound)?;
        check_length("radius", ball.radius())?;
        check_one_radius(&ball)?;
        let centered = Centered::new(&manifold, &ball)?;
        let mut this = Self { manifold, ball, centered, predictors, slope_bound, residual_bound: 0.0 };
        this.residual_bound = this.longest_residual();
        let (by_point, _) = this.adjoint_norms();
        if !(by_point * by_point).is_finite() {
            return invalid(
                "negative curvature makes its sensitivity too large for a number; choose a smaller one".to_owned(),
            );
        }
        Ok(this)
    }

    /// The length `τ` to which residuals are clipped: about the largest distance between a record and the true
    /// geodesic. Public.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless it is a positive number.
    ///
    /// ```
    /// use karcher::{Ball, PredictorRange, manifold::Euclidean, mechanism::{PrivateRegression, Request}};
    /// use karcher::{privacy::Guarantee, release::MechanismName};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let range = PredictorRange::new(0.0, 1.0)?;
    /// let loose = PrivateRegression::new(line.clone(), Ball::at_origin(&*line, 1.0)?, range, 1.0)?; // 2r + V/2 = 2.5
    /// let tight = loose.clone().residual_bound(0.5)?;
    /// let budget = Guarantee::gaussian(1.0)?;
    /// let scale = |regression: PrivateRegression| {
    ///     Request::new(regression, 1_000, budget).plan_by(MechanismName::GradientDescent).map(|plan| plan.scale())
    /// };
    /// assert!(scale(tight)? < scale(loose)?);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn residual_bound(self, residual_bound: f64) -> Result<Self> {
        if !(residual_bound > 0.0 && residual_bound.is_finite()) {
            let requirement =
                "it must be a positive number: the distance from the geodesic to which residuals are clipped";
            return Err(Error::InvalidParameter {
                name: "residual_bound",
                value: residual_bound,
                requirement: requirement.to_owned(),
            });
        }
        check_length("residual_bound", residual_bound)?;
        // a larger one would clip nothing more
        Ok(Self { residual_bound: residual_bound.min(self.longest_residual()), ..self })
    }

    /// The public ball.
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        &self.manifold
    }

    fn check_count(&self, n: usize) -> Result<()> {
        if n >= 2 {
            return Ok(());
        }
        let requirement = "a regression needs at least two".to_owned();
        Err(Error::InvalidParameter { name: "number_of_records", value: n as f64, requirement })
    }

    /// `2r + V/2`: from the footpoint to the ball's center, from there to the record, and from the footpoint to the
    /// prediction. No logarithm is longer than the diameter.
    fn longest_residual(&self) -> f64 {
        (2.0 * self.ball.radius() + 0.5 * self.slope_bound).min(self.manifold.diameter())
    }

    /// `(sup‖A‖, sup‖B‖)` over `|x| ≤ ½` and `‖v‖ ≤ V`: 1 without negative curvature, else `cosh(aV/2)` and
    /// `sinh(aV/2)/(aV/2)`, `a = √−κ₋`.
    fn adjoint_norms(&self) -> (f64, f64) {
        let t = (-self.manifold.curvature().lower).max(0.0).sqrt() * 0.5 * self.slope_bound;
        (t.cosh(), if t > 0.0 { t.sinh() / t } else { 1.0 })
    }

    /// The weight `w` of the slope part of scores, `w² = √48·‖A‖/‖B‖`: with evenly spread predictors it minimizes the
    /// expected distance.
    ///
    /// ```
    /// use karcher::{Ball, PredictorRange, manifold::Euclidean, mechanism::PrivateRegression};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let ball = Ball::at_origin(&*line, 1.0)?;
    /// let regression = PrivateRegression::new(line, ball, PredictorRange::new(0.0, 1.0)?, 1.0)?;
    /// assert!((regression.weight() - 48.0_f64.powf(0.25)).abs() < 1e-9); // ‖A‖ = ‖B‖ = 1 in flat space
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn weight(&self) -> f64 {
        let (by_point, by_vector) = self.adjoint_norms();
        (48.0_f64.sqrt() * by_point / by_vector).sqrt()
    }

    /// `√(‖A‖² + w²·¼·‖B‖²)`: no residual of length 1 contributes more to a score (user guide, R1′).
    fn leverage(&self) -> f64 {
        let (by_point, by_vector) = self.adjoint_norms();
        by_point.hypot(0.5 * self.weight() * by_vector)
    }

    /// `√(r² + V²/12)`: root mean square distance, over the range, from the ball's center to the farthest allowed
    /// geodesic. This is the expected distance of an uninformative release.
    fn reach(&self) -> f64 {
        self.ball.radius().hypot(self.slope_bound / 12.0_f64.sqrt())
    }

    /// No expected distance is larger than [`reach`](Self::reach).
    fn at_most(&self, distance: f64) -> f64 {
        distance.min(self.reach())
    }

    /// The records, clipped and carried to the ball's center, their predictors scaled and clamped.
    fn seen<'a>(&self, records: &'a dyn Records) -> Result<PreparedRecords<'a>> {
        records.seen(Preprocessing { centered: self.centered.clone(), clip: true, predictors: Some(self.predictors) })
    }

    /// The release of a private geodesic: the one of the public lattice next to it ([`Lattice`]), carried back to the
    /// user's ball. On a line this also removes the cell of a subdivision from the digits of a draw (user guide, R2′):
    /// the lattice is far coarser than the last digit of any cell.
    fn publish(
        &self,
        geodesic: &Geodesic,
        (residual_bound, variance): (f64, Option<PredictorVariance>),
        summary: &PlanSummary,
        context: &OpenRelease<'_>,
    ) -> Result<Release> {
        let lattice = self.lattice(summary);
        let line = self.on_lattice(geodesic, residual_bound, lattice);
        self.released(PrivateGeodesic { predictor_variance: variance, ..line }, lattice, summary, context)
    }

    fn released(
        &self,
        line: PrivateGeodesic,
        lattice: Lattice,
        summary: &PlanSummary,
        context: &OpenRelease<'_>,
    ) -> Result<Release> {
        let flags = [summary.flags.clone(), flags_of(line.predictor_variance)].concat();
        context.release(summary.provenance(lattice.step(), flags), Value::Geodesic(line))
    }

    /// The lattice of geodesics.
    fn lattice(&self, summary: &PlanSummary) -> Lattice {
        // however wide the noise, its result is within the ball and the slope bound: a coarse lattice would leave them
        let noise = summary.scale.min(0.25 * self.ball.radius()).min(0.25 * self.slope_bound);
        Lattice::new(&*self.manifold, noise, self.ball.radius(), summary.expected_distance)
    }

    /// The geodesic of a lattice next to one that is seen from the center, with the public bounds.
    fn on_lattice(&self, geodesic: &Geodesic, residual_bound: f64, lattice: Lattice) -> PrivateGeodesic {
        let Geodesic { footpoint, velocity } = published_geodesic(&self.centered, geodesic, lattice);
        PrivateGeodesic {
            footpoint,
            shooting_vector: velocity,
            predictor_range: self.predictors,
            slope_bound: self.slope_bound,
            residual_bound,
            predictor_variance: None,
        }
    }

    /// The release that follows from a stated geodesic: of the one of the lattice next to it, within the public bounds.
    /// Where the mechanism has noisy moments, `deviation` is that of the noise on the variance of the predictor. A
    /// geodesic so far out that its numbers do not tell where is taken as it is stated.
    fn again(
        &self,
        stated: &PublishedRelease,
        (residual_bound, deviation): (f64, Option<f64>),
        summary: &PlanSummary,
        context: &OpenRelease<'_>,
    ) -> Result<Release> {
        let Value::Geodesic(line) = &stated.value else { return Err(of_another_statistic()) };
        let lattice = Lattice::of_step(self.lattice(summary).step());
        let footpoint = in_ball("footpoint", &line.footpoint, summary, lattice.step())?;
        let is_told = self.is_told(line, summary);
        let mut velocity = line.shooting_vector.clone();
        if is_told && footpoint == line.footpoint {
            if let Err(error) = self.manifold.check_tangent(&footpoint, &velocity)
                && !is_rounding(&velocity, &footpoint)
            {
                return Err(field("shooting_vector", error.to_string()));
            }
            let length = self.manifold.norm(&footpoint, &velocity);
            if length > with_slack(self.slope_bound) + self.manifold.dim() as f64 * lattice.step() {
                velocity.iter_mut().for_each(|v| *v *= self.slope_bound / length);
            }
        }
        let middle = Geodesic { footpoint: footpoint.clone(), velocity }.at(&*self.manifold, 0.5);
        let (footpoint, middle) = (self.centered.place(&footpoint), self.centered.place(&middle));
        let mut velocity = vec![0.0; footpoint.len()];
        match self.centered.space().log(&footpoint, &middle, &mut velocity) {
            Ok(()) => velocity.iter_mut().for_each(|v| *v *= 2.0),
            Err(_) => velocity.fill(0.0),
        }
        let mut made = self.on_lattice(&Geodesic { footpoint, velocity }, residual_bound, lattice);
        if !is_told {
            (made.footpoint, made.shooting_vector) = (line.footpoint.clone(), line.shooting_vector.clone());
        }
        let value = line.predictor_variance.map_or(0.0, |variance| variance.value);
        made.predictor_variance = deviation.map(|deviation| PredictorVariance { value, deviation });
        self.released(made, lattice, summary, context)
    }

    /// Whether numbers tell where a geodesic in the public bounds is, whose direction is that of the stated one.
    fn is_told(&self, line: &PrivateGeodesic, summary: &PlanSummary) -> bool {
        let (manifold, bound) = (&*self.manifold, with_slack(self.slope_bound));
        let mut short = line.geodesic();
        let part = bound / manifold.norm(&short.footpoint, &short.velocity);
        short.velocity.iter_mut().for_each(|x| *x *= part.min(1.0));
        let (middle, farthest) = (short.at(manifold, 0.5), farthest(summary, 0.0));
        Precision::within(summary, &line.footpoint, farthest).is_told()
            && Precision::within(summary, &middle, farthest + 0.5 * bound).is_told()
    }
}

/// Whether a vector is so short that its numbers are those of rounding the point.
fn is_rounding(v: &[f64], at: &[f64]) -> bool {
    let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    largest(v) < 1e-6 * largest(at)
}

/// The flags that follow from a private variance of the predictor.
fn flags_of(variance: Option<PredictorVariance>) -> Vec<Flag> {
    variance.filter(PredictorVariance::is_little).map(|_| Flag::LittleInformation).into_iter().collect()
}

/// The mean score of records whose predictors are `xs`: `s̄ = (1/n)·Σ (A†ēᵢ, w·xᵢ·B†ēᵢ)` ([`Summand::Score`]).
fn score(
    space: &dyn Manifold,
    at: &Geodesic,
    (points, xs): (PointsView<'_>, &[f64]),
    clip: f64,
    weight: f64,
    length: f64,
) -> Result<Vec<f64>> {
    let term = Summand::Score { geodesic: at.clone(), clip, weight, length };
    Ok(InMemory { points, numbers: Some(xs) }.sum(space, &term)?.mean())
}

/// The geodesic through `Exp_{m₀}(a)` whose velocity there is `b`, transported from `m₀`; both in coordinates of the
/// frame at `m₀`.
fn from_center(space: &dyn Manifold, center: &[f64], a: &[f64], b: &[f64]) -> Geodesic {
    let at_center = Geodesic { footpoint: center.to_vec(), velocity: vec![0.0; center.len()] };
    let direction = [a, b].concat();
    finite(space, crate::nonprivate::advance(space, &at_center, &direction, 1.0), at_center)
}

/// A geodesic made from private values, put back on the manifold, or `otherwise` where noise overflowed.
fn finite(space: &dyn Manifold, geodesic: Result<Geodesic>, otherwise: Geodesic) -> Geodesic {
    let Ok(mut geodesic) = geodesic else { return otherwise };
    space.repair(&mut geodesic.footpoint);
    let sound = space.check_point(&geodesic.footpoint).is_ok() && geodesic.velocity.iter().all(|v| v.is_finite());
    if sound { geodesic } else { otherwise }
}
