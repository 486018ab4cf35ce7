//! Noisy descent for geodesic regression on every space (user guide, R3), the counterpart of the private Karcher flow.
//!
//! The first step is linear regression in the tangent space at the ball's center, from noisy sufficient statistics. It
//! also gives private moments of the design, `H = [[1, x̄], [x̄, x̄² + s²]]`. The others correct the geodesic:
//! `(p, v) ← η·H⁻¹·(s̄ + N)`, `s̄ = (1/n)·Σ (A†ēᵢ, w·xᵢ·B†ēᵢ)`. Residuals are clipped to `τⱼ`, a contribution is no
//! longer than `τⱼ·√(‖A‖² + w²‖B‖²/4)`, and the noise `N` has a Laplace or Gaussian law on `R^{2d}`. Then `p` and `v`
//! are brought back into the ball and below the slope bound. Parts of the budget add up. It needs no bound on radius or
//! curvature, and no Markov chain.
//!
//! **Everything is chosen from public quantities.** The expected distance of the geodesic from the least-squares one is
//! `e₁² = b² + N₁²`, `eⱼ² = (q·eⱼ₋₁)² + Nⱼ²`. `Nⱼ` is the effect of the noise for evenly spread predictors. `b`, the
//! effect of curvature on the tangent regression, and `q`, the fraction of an earlier error that a step leaves, are
//! rehearsed on made-up records. Residuals are clipped to `τⱼ² = τ² + eⱼ₋₁²`, or to the longest possible residual of
//! the private geodesic so far, if that is less. Number of steps, split of the budget and law of the noise are those
//! with the smallest last `e`.

use super::linear::{Design, TangentRegression, newton_step};
use super::rehearsal::Rehearsal;
use super::spending::Spending;
use super::{OUTWARD, PrivateRegression, finite};
use crate::error::{Error, GeometryError, Result};
use crate::manifold::{Geodesic, Manifold};
use crate::mechanism::noise::exact::noisy_mean;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Mechanism, Plan, PlanSummary, Request};
use crate::noise::Generator;
use crate::nonprivate::advance;
use crate::privacy::Guarantee;
use crate::privacy::rounding::{mul_down, mul_up};
use crate::records::{PreparedRecords, Records, Summand, shorten};
use crate::release::{
    MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PublishedRelease, Release, ReleasedBound,
    ReleasedSensitivity, StatisticName, Step,
};
use std::ops::RangeInclusive;

/// The largest number of steps that the search considers.
const MOST_CONSIDERED: usize = 6;

/// Ratios of the budget of a step to that of the one before.
const GROWTH: [f64; 9] = [0.5, 0.7, 1.0, 1.4, 2.0, 4.0, 8.0, 16.0, 32.0];

/// Residuals are clipped to a multiple of their longest length over this, so that little of earlier steps goes into the
/// next step's noise.
const CLIPS: f64 = 64.0;

/// `gradient-descent`: regression by noisy descent.
#[derive(Debug)]
pub struct GradientDescent;

impl Mechanism for GradientDescent {
    fn name(&self) -> MechanismName {
        MechanismName::GradientDescent
    }

    fn about(&self) -> &'static str {
        "A few noisy steps towards the least-squares geodesic, on every space"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["steps"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        let regression = request.asked(self.name())?;
        Ok(Box::new(match request.asked_steps() {
            Some(steps) => RegressionDescent::with_steps(regression, request.n(), request.budget(), steps)?,
            None => RegressionDescent::new(regression, request.n(), request.budget())?,
        }))
    }
}

/// The mechanism, calibrated.
///
/// ```
/// use karcher::{Ball, PredictorRange, manifold::Sphere, mechanism::{Plan, PrivateRegression, RegressionDescent}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let ball = Ball::at_origin(&*sphere, 0.5)?;
/// let regression = PrivateRegression::new(sphere, ball, PredictorRange::new(0.0, 1.0)?, 0.5)?;
/// let expected = |n| RegressionDescent::new(&regression, n, Guarantee::gaussian(1.0)?).map(|p| p.expected_distance());
/// assert!(expected(100_000)? < expected(1_000)?);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RegressionDescent {
    regression: PrivateRegression,
    spending: Spending,
    first: TangentRegression,
    corrections: Vec<Correction>,
    /// `η`.
    step_size: f64,
    summary: PlanSummary,
}

/// One step after the first.
#[derive(Debug, Clone, Copy)]
struct Correction {
    /// Upper bound of `τⱼ`.
    clip: f64,
    /// The scale of the noise for residuals clipped to length 1.
    unit: f64,
}

impl RegressionDescent {
    /// The largest number of steps.
    pub const MOST_STEPS: usize = 100;

    /// Calibrates the mechanism for `n` records.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for fewer than two records.
    ///
    /// ```
    /// use karcher::{Ball, PredictorRange, manifold::Sphere, mechanism::{Plan, PrivateRegression, RegressionDescent}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let ball = Ball::at_origin(&*sphere, 0.5)?;
    /// let regression = PrivateRegression::new(sphere, ball, PredictorRange::new(0.0, 1.0)?, 0.5)?;
    /// let plan = RegressionDescent::new(&regression, 1_000, Guarantee::gaussian(1.0)?)?;
    /// assert_eq!(plan.guarantee(), Guarantee::gaussian(1.0)?);
    /// assert!(RegressionDescent::new(&regression, 1, Guarantee::gaussian(1.0)?).is_err()); // one record has no slope
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(regression: &PrivateRegression, n: usize, budget: Guarantee) -> Result<Self> {
        Self::best(regression, n, budget, 1..=MOST_CONSIDERED)
    }

    /// The mechanism with a given number of steps.
    ///
    /// # Errors
    /// As for [`new`](Self::new), and [`Error::InvalidParameter`] for no steps or more than
    /// [`MOST_STEPS`](Self::MOST_STEPS).
    ///
    /// ```
    /// use karcher::{Ball, PredictorRange, manifold::Sphere, mechanism::{PrivateRegression, RegressionDescent}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let ball = Ball::at_origin(&*sphere, 0.5)?;
    /// let regression = PrivateRegression::new(sphere, ball, PredictorRange::new(0.0, 1.0)?, 0.5)?;
    /// let plan = |steps| RegressionDescent::with_steps(&regression, 1_000, Guarantee::gaussian(1.0)?, steps);
    /// assert!(plan(5).is_ok());
    /// assert!(plan(0).is_err() && plan(RegressionDescent::MOST_STEPS + 1).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn with_steps(regression: &PrivateRegression, n: usize, budget: Guarantee, steps: usize) -> Result<Self> {
        if !(1..=Self::MOST_STEPS).contains(&steps) {
            let requirement = format!(
                "a descent takes from 1 to {} steps; with more there is too little budget for each",
                Self::MOST_STEPS
            );
            return Err(Error::InvalidParameter { name: "steps", value: steps as f64, requirement });
        }
        Self::best(regression, n, budget, steps..=steps)
    }

    /// The plan with the smallest expected distance.
    fn best(regression: &PrivateRegression, n: usize, budget: Guarantee, steps: RangeInclusive<usize>) -> Result<Self> {
        regression.check_count(n)?;
        let rehearsal = Rehearsal::new(regression);
        let mut best: Option<Self> = None;
        let (several, one) =
            (Spending::ways(budget)?, Spending::ways_of_one(budget, 2 * regression.manifold.dim() + 2)?);
        for steps in steps {
            for &spending in if steps == 1 { &one } else { &several } {
                for growth in GROWTH {
                    let plan = Self::planned(regression, n, budget, spending, (steps, growth), rehearsal);
                    if best.as_ref().is_none_or(|best| plan.expected_distance() < best.expected_distance()) {
                        best = Some(plan);
                    }
                }
            }
        }
        best.ok_or_else(|| GeometryError::NoRecords.into()) // there is at least one way to spend a budget
    }

    fn planned(
        regression: &PrivateRegression,
        n: usize,
        guarantee: Guarantee,
        spending: Spending,
        (steps, growth): (usize, f64),
        rehearsal: Rehearsal,
    ) -> Self {
        let part = |j: usize| growth.powi(j as i32); // at most 32^99, far from the largest number
        let total: f64 = (0..steps).map(part).sum();
        let first = TangentRegression::new(regression, n, spending, part(0) / total);
        let mut expected = regression.at_most(first.noise().hypot(rehearsal.bias));

        let dim = regression.manifold.dim();
        let weight = regression.weight();
        let (longest, radius) = (regression.longest_residual(), regression.ball.radius());
        // twice its error: a step that takes the design for too narrow goes too far
        let left = rehearsal.left.hypot(2.0 * first.design_error()).min(1.0);
        // change of a score of unit clip by a record
        let moved = 2.0 * regression.leverage() * OUTWARD / n as f64;
        let mut corrections = Vec::with_capacity(steps - 1);
        for j in 1..steps {
            // residuals and the error have unrelated directions: they are hardly ever both at their longest and in one
            // direction
            let clip = regression.residual_bound.hypot(expected).min(longest);
            let unit = spending.scale(moved, part(j) / total);
            let scale = unit * clip.min(radius + Rehearsal::extent(regression) + expected);
            let noise = spending.deviation(scale, 2 * dim) * (dim as f64 * (1.0 + 12.0 / (weight * weight))).sqrt();
            expected = regression.at_most((rehearsal.step_size * noise).hypot(left * expected));
            corrections.push(Correction { clip, unit });
        }
        let correction = |c: &Correction| {
            NoiseDraw::on_vector(NoiseOf::Value, spending.law, 2 * dim, mul_down(c.clip, c.unit), mul_up(c.clip, moved))
        };
        let noise = std::iter::once(first.draw()).chain(corrections.iter().map(correction)).collect();
        let clips = std::iter::once(Step { clip: radius, scale: first.scale });
        let steps = clips.chain(corrections.iter().map(|c| Step { clip: c.clip, scale: c.clip * c.unit })).collect();
        let (scale, value, bound) = match corrections.last() {
            Some(last) => {
                let sensitivity = 2.0 * last.clip * OUTWARD * regression.leverage() / n as f64;
                (last.clip * last.unit, sensitivity, ReleasedBound::ClippedResiduals)
            }
            None => (first.scale, first.sensitivity, ReleasedBound::SufficientStatistics),
        };
        let described = PlanSummary::new(
            MechanismName::GradientDescent,
            (StatisticName::GeodesicRegression, &regression.manifold, &regression.ball),
            n,
            guarantee,
            scale,
            ReleasedSensitivity { value, bound },
            expected,
        );
        let summary = PlanSummary {
            // upper bounds: where the private geodesic is so near the ball's center that no residual is as long, clip
            // and scale are smaller, in the same proportion
            steps: Some(steps),
            noise,
            numerics: Numerics::Exact,
            ..described
        };
        let (regression, step_size) = (regression.clone(), rehearsal.step_size);
        Self { regression, spending, first, corrections, step_size, summary }
    }

    /// One step. Everything after the noise is processing of private values.
    fn correct(
        &self,
        records: &PreparedRecords<'_>,
        at: Geodesic,
        design: Design,
        correction: &Correction,
        generator: &mut Generator,
    ) -> Result<Geodesic> {
        let centered = &self.regression.centered;
        let (space, weight) = (centered.space(), self.regression.weight());
        let clip = correction.clip.min(self.longest_residual(space, centered.center(), &at));
        let length = clip * self.regression.leverage();
        let term = Summand::Score { geodesic: at.clone(), clip, weight, length };
        let total = records.sum(space, &term)?;
        let score = noisy_mean(&total, self.spending.law, clip * correction.unit * OUTWARD, generator)?;
        let [mut step, mut turn] = newton_step(&score, weight, design);
        // no two points of the ball are farther apart, no two velocities
        shorten(&mut step, 2.0 * self.regression.ball.radius());
        shorten(&mut turn, 2.0 * self.regression.slope_bound);
        let direction = [step, turn].concat();
        let next = finite(space, advance(space, &at, &direction, self.step_size), at);
        Ok(self.within_bounds(next))
    }

    /// `r` and the distance from the center to the farther end of the geodesic, rounded up. Along a geodesic within
    /// `min{inj, π/(2√κ₊)}` of the center no point is farther from it than an end, so no residual is longer. Should one
    /// be, it is clipped: privacy does not rest on this.
    fn longest_residual(&self, space: &dyn Manifold, center: &[f64], at: &Geodesic) -> f64 {
        let grain = self.regression.longest_residual() / CLIPS;
        let away = [-0.5, 0.5].map(|x| space.dist(center, &at.at(space, x)));
        let multiples = ((self.regression.ball.radius() + away[0].max(away[1])) / grain).ceil();
        if multiples.is_finite() { multiples * grain } else { f64::INFINITY }
    }

    /// The footpoint, moved into the ball towards its center, and the velocity, shortened to the slope bound.
    fn within_bounds(&self, at: Geodesic) -> Geodesic {
        let (space, center) = (self.regression.centered.space(), self.regression.centered.center());
        let d = space.dim();
        let (mut toward, mut c, mut velocity) = (vec![0.0; center.len()], vec![0.0; d], vec![0.0; d]);
        space.to_frame(&at.footpoint, &at.velocity, &mut velocity);
        let excess = (1.0 - self.regression.ball.radius() / space.dist(center, &at.footpoint)).max(0.0);
        if excess > 0.0 && space.log(&at.footpoint, center, &mut toward).is_ok() {
            space.to_frame(&at.footpoint, &toward, &mut c);
        }
        c.extend(vec![0.0; d]);
        let moved = finite(space, advance(space, &at, &c, excess), at);
        space.to_frame(&moved.footpoint, &moved.velocity, &mut velocity);
        shorten(&mut velocity, self.regression.slope_bound);
        let mut shortened = moved.velocity.clone();
        space.from_frame(&moved.footpoint, &velocity, &mut shortened);
        Geodesic { velocity: shortened, ..moved }
    }
}

impl Sealed for RegressionDescent {}

impl Plan for RegressionDescent {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        _: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        self.summary.begin(records, context)?;
        let seen = self.regression.seen(records)?;
        let (mut at, design) = self.first.release(&self.regression, &seen, context.generator())?;
        for correction in &self.corrections {
            at = self.correct(&seen, at, design, correction, context.generator())?;
        }
        self.regression.publish(&at, (self.regression.residual_bound, Some(design.noisy)), &self.summary, context)
    }

    fn lattice(&self) -> f64 {
        self.regression.lattice(&self.summary).step()
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let bounds = (self.regression.residual_bound, Some(self.first.doubt()));
        self.regression.again(stated, bounds, &self.summary, context)
    }
}

#[cfg(test)]
mod forecasts_hold;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use crate::points::Points;
    use crate::statistics::geodesic_regression::score;
    use crate::vector::norm;

    /// Whatever the records are, at cut loci and far away too, a score changes by no more than twice the largest
    /// contribution, over `n`.
    #[test]
    fn one_record_moves_a_score_by_no_more_than_its_sensitivity() {
        for name in ["euclidean:3", "sphere:2", "hyperbolic:2", "spd-affine-invariant:3", "kendall:5"] {
            let space = name.parse::<Space>().unwrap().manifold().unwrap();
            let m = &*space;
            let mut origin = vec![0.0; m.point_len()];
            m.origin(&mut origin);
            let reach = m.injectivity_radius().min(30.0);
            let point = |i: usize, length: f64| {
                let mut c = vec![0.0; m.dim()];
                c[i % m.dim()] = length;
                let (mut v, mut p) = (origin.clone(), origin.clone());
                m.from_frame(&origin, &c, &mut v);
                m.exp(&origin, &v, &mut p);
                m.repair(&mut p);
                p
            };
            let mut velocity = origin.clone();
            let mut c = vec![0.0; m.dim()];
            c[0] = 0.9 * reach.min(2.0);
            m.from_frame(&origin, &c, &mut velocity);
            let at = Geodesic { footpoint: origin.clone(), velocity };
            let hostile: Vec<(Vec<f64>, f64)> = (0..4)
                .flat_map(|i| {
                    [0.0, 0.3, -1.0]
                        .map(|s| point(i, s * reach))
                        .into_iter()
                        .flat_map(|p| [(p.clone(), 0.5), (p, -0.5)])
                })
                .collect();
            let (clip, weight, length) = (0.4, 1.7, 0.6);
            let of = |(y, x): &(Vec<f64>, f64)| {
                let records = Points::new(m, [y.clone(), point(1, 0.2)].concat()).unwrap();
                score(m, &at, (records.view(), &[*x, 0.1]), clip, weight, length).unwrap()
            };
            let mut largest: f64 = 0.0;
            for a in &hostile {
                for b in &hostile {
                    let change: Vec<f64> = of(a).iter().zip(of(b)).map(|(a, b)| a - b).collect();
                    largest = largest.max(norm(&change));
                }
            }
            assert!(largest <= 2.0 * length / 2.0 * (1.0 + 1e-12) && largest > 0.3, "{name}: {largest}");
        }
    }
}
