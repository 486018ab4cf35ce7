//! Private geodesic regression: one geodesic `x ↦ Exp_p((x − ½)·v)` through records `yᵢ` with numbers `xᵢ` (user guide,
//! "Regression").
//!
//! Public, to be chosen without looking at the records: the range of the predictor, scaled to `[−½, ½]` and clamped, so
//! that the footpoint is in the middle; the [`Ball`], to which records are clipped and in which the footpoint is
//! sought; the slope bound `V` of `‖v‖`; and the residual bound `τ`, to which residuals are clipped. Three mechanisms,
//! which are total once the input is validated:
//!
//! * [`LinearRegression`] (user guide, R2): on flat spaces, from the noisy sufficient statistics;
//! * [`RegressionDescent`] (user guide, R3): noisy descent, on every space;
//! * [`JointRegression`] (user guide, R1): the K-norm gradient mechanism for footpoint and velocity at once, drawn
//!   exactly on lines and by a Markov chain elsewhere.

mod descent;
mod joint;
mod line;
mod linear;
mod rehearsal;
mod spending;

pub use descent::RegressionDescent;
pub use joint::JointRegression;
pub use linear::LinearRegression;

use super::Lattice;
use super::centered::Centered;
use super::karcher_flow::outward;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::{Manifold, norm};
use crate::mechanism::Step;
use crate::points::{Points, PointsView};
use crate::privacy::Guarantee;
use crate::regression_release::RegressionRelease;
use crate::release::{Adjacency, Flag, ReleasedSensitivity};
use crate::sampler::Generator;
use crate::statistic::{Geodesic, check_predictors};

/// The public range of a predictor.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct PredictorRange {
    low: f64,
    high: f64,
}

impl PredictorRange {
    /// From `low` to `high`.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless both are finite and `low < high`.
    pub fn new(low: f64, high: f64) -> Result<Self> {
        let invalid =
            |value, requirement: String| Err(Error::InvalidParameter { name: "predictor range", value, requirement });
        for value in [low, high] {
            if !value.is_finite() {
                return invalid(value, "both ends must be finite numbers".to_owned());
            }
        }
        if !(low < high && (high - low).is_finite()) {
            return invalid(low, format!("the lower end comes first, and must be less than the upper end, {high}"));
        }
        Ok(Self { low, high })
    }

    /// The lower end.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    pub fn high(self) -> f64 {
        self.high
    }

    /// The middle, where a released footpoint is.
    pub fn middle(self) -> f64 {
        self.low + 0.5 * (self.high - self.low)
    }

    /// `x` on the scale on which the range is `[−½, ½]`; not clamped.
    pub fn scaled(self, x: f64) -> f64 {
        (x - self.low) / (self.high - self.low) - 0.5
    }
}

/// Everything public that a private regression needs.
#[derive(Debug, Clone)]
pub struct PrivateRegression<'a> {
    manifold: &'a dyn Manifold,
    ball: Ball,
    predictors: PredictorRange,
    slope_bound: f64,
    residual_bound: f64,
}

impl<'a> PrivateRegression<'a> {
    /// A regression with footpoint and records in a ball and a velocity, over the whole range of the predictor, of at
    /// most `slope_bound`.
    ///
    /// The residual bound is first what no residual exceeds anyway, `2r + V/2` or the injectivity radius; a smaller one
    /// ([`residual_bound`](Self::residual_bound)) makes for less noise.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless the slope bound is a positive number below the injectivity radius.
    pub fn new(manifold: &'a dyn Manifold, ball: Ball, predictors: PredictorRange, slope_bound: f64) -> Result<Self> {
        let invalid =
            |requirement| Err(Error::InvalidParameter { name: "slope bound", value: slope_bound, requirement });
        if !(slope_bound > 0.0 && slope_bound.is_finite()) {
            return invalid(
                "it must be a positive number: how far the geodesic goes over the range of the predictor".to_owned(),
            );
        }
        let limit = manifold.injectivity_radius();
        if slope_bound >= limit {
            let space = manifold.space();
            return invalid(format!(
                "on {space} it must be below the injectivity radius, {limit}: a longer geodesic is not the shortest between its ends"
            ));
        }
        let mut this = Self { manifold, ball, predictors, slope_bound, residual_bound: 0.0 };
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
    pub fn residual_bound(self, residual_bound: f64) -> Result<Self> {
        if !(residual_bound > 0.0 && residual_bound.is_finite()) {
            let requirement =
                "it must be a positive number: the distance from the geodesic to which residuals are clipped";
            return Err(Error::InvalidParameter {
                name: "residual bound",
                value: residual_bound,
                requirement: requirement.to_owned(),
            });
        }
        // a larger one would clip nothing more
        Ok(Self { residual_bound: residual_bound.min(self.longest_residual()), ..self })
    }

    /// The public ball.
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// Every mechanism for `n` records within a budget, or why it does not apply.
    pub fn candidates(&self, n: usize, budget: Guarantee) -> Vec<(&'static str, Result<PreparedRegression<'a>>)> {
        vec![
            ("linear", LinearRegression::new(self, n, budget).map(PreparedRegression::Linear)),
            ("gradient-descent", RegressionDescent::new(self, n, budget).map(PreparedRegression::Descent)),
            ("kng", JointRegression::new(self, n, budget).map(PreparedRegression::Joint)),
        ]
    }

    /// The candidate with the smallest expected distance among those whose draws are exact: a Markov chain, whose
    /// guarantee is approximate, has to be asked for by name.
    ///
    /// # Errors
    /// When none applies: why the descent, which exists on every space, does not.
    pub fn auto(&self, n: usize, budget: Guarantee) -> Result<PreparedRegression<'a>> {
        let mut best: Option<PreparedRegression<'a>> = None;
        let candidates = self.candidates(n, budget).into_iter().filter_map(|(_, candidate)| candidate.ok());
        for candidate in candidates.filter(PreparedRegression::is_exact) {
            if best.as_ref().is_none_or(|best| candidate.expected_distance() < best.expected_distance()) {
                best = Some(candidate);
            }
        }
        match best {
            Some(best) => Ok(best),
            None => RegressionDescent::new(self, n, budget).map(PreparedRegression::Descent),
        }
    }

    fn check_count(&self, n: usize) -> Result<()> {
        if n >= 2 {
            return Ok(());
        }
        let requirement = "a regression needs at least two".to_owned();
        Err(Error::InvalidParameter { name: "number of records", value: n as f64, requirement })
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

    /// The weight `w` of the slope part of scores, `w² = √48·‖A‖/‖B‖`: with predictors spread evenly it makes the
    /// expected distance smallest.
    pub fn weight(&self) -> f64 {
        let (by_point, by_vector) = self.adjoint_norms();
        (48.0_f64.sqrt() * by_point / by_vector).sqrt()
    }

    /// `√(‖A‖² + w²·¼·‖B‖²)`: no residual of length 1 contributes more to a score (user guide, R1′).
    fn leverage(&self) -> f64 {
        let (by_point, by_vector) = self.adjoint_norms();
        by_point.hypot(0.5 * self.weight() * by_vector)
    }

    /// `√(r² + V²/12)`: root mean square distance, over the range, from the ball's center to a geodesic at the far end
    /// of what is allowed. What is expected of a release that says nothing.
    fn reach(&self) -> f64 {
        self.ball.radius().hypot(self.slope_bound / 12.0_f64.sqrt())
    }

    /// No expected distance is larger than [`reach`](Self::reach).
    fn at_most(&self, distance: f64) -> f64 {
        distance.min(self.reach())
    }

    /// The records clipped and seen from the ball's center, their predictors scaled and clamped.
    fn data(&self, points: PointsView<'_>, predictors: &[f64], n: usize) -> Result<Data<'a>> {
        if points.len() != n {
            let requirement = format!("the mechanism was calibrated for {n} records");
            return Err(Error::InvalidParameter { name: "number of records", value: points.len() as f64, requirement });
        }
        check_predictors(n, predictors)?;
        let centered = Centered::new(self.manifold, &self.ball)?;
        let records = centered.records(points, true)?;
        let predictors = predictors.iter().map(|x| self.predictors.scaled(*x).clamp(-0.5, 0.5)).collect();
        Ok(Data { centered, records, predictors })
    }
}

/// How a release was made: what differs between mechanisms.
struct Made {
    mechanism: &'static str,
    guarantee: Guarantee,
    scale: f64,
    sensitivity: ReleasedSensitivity,
    residual_bound: f64,
    expected_distance: f64,
    steps: Option<Vec<Step>>,
}

impl PrivateRegression<'_> {
    /// The release of a private geodesic: the one of the public lattice next to it ([`Lattice`]), brought back to where
    /// the ball is. On a line this is also what removes the cell of a subdivision from the digits of a draw (user
    /// guide, R2′): the lattice is far coarser than the last digit of any cell.
    fn release(&self, data: &Data<'_>, geodesic: &Geodesic, made: Made, generator: &Generator) -> RegressionRelease {
        // however wide the noise, what it leaves is within the ball and the slope bound: a coarse lattice would lead
        // out of them
        let noise = made.scale.min(0.25 * self.ball.radius()).min(0.25 * self.slope_bound);
        let lattice = Lattice::new(self.manifold, noise, self.ball.radius(), made.expected_distance);
        let Geodesic { footpoint, velocity } = data.centered.published_geodesic(geodesic, lattice);
        RegressionRelease {
            schema: 1,
            karcher: env!("CARGO_PKG_VERSION"),
            statistic: "geodesic-regression",
            manifold: self.manifold.space().clone(),
            n: data.predictors.len(),
            footpoint,
            shooting_vector: velocity,
            lattice: lattice.step(),
            predictor_range: self.predictors,
            guarantee: made.guarantee,
            adjacency: Adjacency::ReplaceOne,
            mechanism: made.mechanism,
            scale: made.scale,
            sensitivity: made.sensitivity,
            ball: self.ball.clone(),
            slope_bound: self.slope_bound,
            residual_bound: made.residual_bound,
            expected_distance: made.expected_distance,
            steps: made.steps,
            flags: Flag::of(generator),
        }
    }
}

/// What mechanisms work on. **Not private.**
struct Data<'a> {
    centered: Centered<'a>,
    records: Points,
    predictors: Vec<f64>,
}

/// A mechanism for private regression with everything decided that can be decided without the records.
#[derive(Debug, Clone)]
pub enum PreparedRegression<'a> {
    /// From noisy sufficient statistics.
    Linear(LinearRegression<'a>),
    /// Noisy descent.
    Descent(RegressionDescent<'a>),
    /// The K-norm gradient mechanism.
    Joint(JointRegression<'a>),
}

impl PreparedRegression<'_> {
    /// The mechanism's name.
    pub fn mechanism(&self) -> &'static str {
        match self {
            PreparedRegression::Linear(_) => "linear",
            PreparedRegression::Descent(_) => "gradient-descent",
            PreparedRegression::Joint(_) => "kng",
        }
    }

    /// Whether draws follow their law exactly, but for floating point; not by a Markov chain.
    pub fn is_exact(&self) -> bool {
        match self {
            PreparedRegression::Linear(_) | PreparedRegression::Descent(_) => true,
            PreparedRegression::Joint(joint) => joint.is_exact(),
        }
    }

    /// The root of the mean, over draws and over the range of the predictor, of the squared distance between the
    /// private geodesic and the least-squares one: to first order in the noise, for predictors spread evenly over their
    /// range and residuals within `τ`. It depends on public quantities alone, and is what mechanisms are compared by. A
    /// prediction, not a bound: for the descent what curvature does is rehearsed on made-up records.
    pub fn expected_distance(&self) -> f64 {
        match self {
            PreparedRegression::Linear(linear) => linear.expected_distance(),
            PreparedRegression::Descent(descent) => descent.expected_distance(),
            PreparedRegression::Joint(joint) => joint.expected_distance(),
        }
    }

    /// Releases the regression of the records on their predictors.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] when there are not as many records or predictors as the mechanism was made for,
    /// [`Error::InvalidRecord`] for a predictor that is not a finite number.
    pub fn release<'p>(
        &self,
        points: impl Into<PointsView<'p>>,
        predictors: &[f64],
        generator: &mut Generator,
    ) -> Result<RegressionRelease> {
        match self {
            PreparedRegression::Linear(linear) => linear.release(points, predictors, generator),
            PreparedRegression::Descent(descent) => descent.release(points, predictors, generator),
            PreparedRegression::Joint(joint) => joint.release(points, predictors, generator),
        }
    }
}

/// Shortens `v` to length `bound` if it is longer; to 0 if it is no vector of finite numbers.
fn shorten(v: &mut [f64], bound: f64) {
    let length = norm(v);
    if !length.is_finite() {
        v.fill(0.0);
    } else if length > bound {
        v.iter_mut().for_each(|v| *v *= bound / length);
    }
}

/// The geodesic through `Exp_{m₀}(a)` whose velocity there is `b` carried along from `m₀`; both in coordinates of the
/// frame at `m₀`.
fn from_center(space: &dyn Manifold, center: &[f64], a: &[f64], b: &[f64]) -> Geodesic {
    let at_center = Geodesic { footpoint: center.to_vec(), velocity: vec![0.0; center.len()] };
    let direction = [a, b].concat();
    finite(space, crate::statistic::advance(space, &at_center, &direction, 1.0), at_center)
}

/// A geodesic made from private values, put back on the manifold, or `otherwise` where noise left the range of numbers.
fn finite(space: &dyn Manifold, geodesic: Result<Geodesic>, otherwise: Geodesic) -> Geodesic {
    let Ok(mut geodesic) = geodesic else { return otherwise };
    space.repair(&mut geodesic.footpoint);
    let sound = space.check_point(&geodesic.footpoint).is_ok() && geodesic.velocity.iter().all(|v| v.is_finite());
    if sound { geodesic } else { otherwise }
}
