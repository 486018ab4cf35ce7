//! Linear regression on flat spaces from its noisy sufficient statistics (user guide, R2).
//!
//! With `x ∈ [−½, ½]` and `y` relative to the ball's center, `‖y‖ ≤ r`, release the mean of
//! `z(x, y) = (2r·x, √32·r·x², y, 2x·y) ∈ R^{2d+2}` with noise, and solve the normal equations with the result.
//! Replacing a record changes the mean by at most `√8·r/n`, and it is `√8·r/n` for `(y, 2xy)` alone: **the moments of
//! the predictor cost nothing**. All further steps are processing of a private vector. So a singular design is no
//! exception; it only leaves the slope to the noise, within the slope bound.
//!
//! For add/remove neighbours, one record contributes `√5·r` at most (user guide, U2).
//!
//! On curved spaces the same in the tangent space at the ball's center is the first step of the descent (user guide,
//! R3).

use super::spending::Spending;
use super::{PrivateRegression, from_center};
use crate::error::{Error, GeometryError, Result};
use crate::manifold::{Geodesic, Manifold};
use crate::mechanism::noise::exact::noisy_mean;
use crate::mechanism::noise::sum_and_count::{Choice, SumAndCountNoise};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{FeatureRegressionPlan, Mechanism, Plan, PlanSummary, Request};
use crate::noise::Generator;
use crate::points::PointsView;
use crate::privacy::Guarantee;
use crate::records::{InMemory, PreparedRecords, Records, Summand, shorten};
use crate::release::{
    Adjacency, MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PredictorVariance, PrivateCount,
    PublishedRelease, Release, ReleasedBound, ReleasedSensitivity, StatisticName,
};
use crate::vector::add_scaled;

/// Moments are integers within ⅔ of their exact values, in units of `r·2⁻⁴⁸`. That adds `1.4·√D·r·2⁻⁴⁸` to the sum's
/// sensitivity `√8·r`, a fraction of less than `10⁻⁹` for `D ≤ 10⁹` numbers.
const OUTWARD: f64 = 1.0 + 1e-9;

/// `linear`: regression on flat spaces from noisy sufficient statistics.
#[derive(Debug)]
pub struct Linear;

impl Mechanism for Linear {
    fn name(&self) -> MechanismName {
        MechanismName::Linear
    }

    fn about(&self) -> &'static str {
        "Least squares from noisy sums of the data: on one predictor on flat spaces, on features on all"
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        if let Some(regression) = request.statistic().as_a() {
            return Ok(Box::new(FeatureRegressionPlan::new(regression, request)?));
        }
        let regression = request.asked(self.name())?;
        Ok(Box::new(LinearRegression::new(regression, request.n(), request.budget())?))
    }

    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        if request.statistic().name() == StatisticName::FeatureRegression {
            return self.plan(request); // it is for the neighbours that the request names
        }
        let regression = request.asked(self.name())?;
        Ok(Box::new(JointRegressionOnSums::new(regression, request.n(), request.budget())?))
    }
}

/// The mechanism, calibrated.
///
/// ```
/// use karcher::{Ball, ReleaseContext, PredictorRange, Points, manifold::Euclidean, records::Observations};
/// use karcher::{mechanism::{LinearRegression, Plan, PrivateRegression}, privacy::Guarantee};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let points = Points::new(&*line, vec![0.0, 0.1, 0.2, 0.3])?;
/// let records = Observations::new(&points).with_predictors(&[0.0, 1.0, 2.0, 3.0])?;
/// let ball = Ball::at_origin(&*line, 1.0)?;
/// let regression = PrivateRegression::new(line, ball, PredictorRange::new(0.0, 3.0)?, 1.0)?;
/// let plan = LinearRegression::new(&regression, 4, Guarantee::gaussian(1.0)?)?;
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// assert!(release.geodesic().is_some_and(|line| line.shooting_vector[0].abs() <= 1.0 + 1e-6)); // the slope bound
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LinearRegression {
    regression: PrivateRegression,
    tangent: TangentRegression,
    summary: PlanSummary,
}

impl LinearRegression {
    /// Calibrates the mechanism for `n` records.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on curved spaces. Also [`Error::InvalidParameter`] for fewer than two records.
    ///
    /// ```
    /// use karcher::{Ball, PredictorRange, manifold::Sphere, mechanism::{LinearRegression, PrivateRegression}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let ball = Ball::at_origin(&*sphere, 0.5)?;
    /// let regression = PrivateRegression::new(sphere, ball, PredictorRange::new(0.0, 1.0)?, 0.5)?;
    /// assert!(LinearRegression::new(&regression, 100, Guarantee::gaussian(1.0)?).is_err()); // no sums on a sphere
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(regression: &PrivateRegression, n: usize, budget: Guarantee) -> Result<Self> {
        regression.check_count(n)?;
        check_flat(regression)?;
        let mut best: Option<TangentRegression> = None;
        for spending in Spending::ways_of_one(budget, 2 * regression.manifold.dim() + 2)? {
            let tangent = TangentRegression::new(regression, n, spending, 1.0);
            if best.as_ref().is_none_or(|best| tangent.deviation < best.deviation) {
                best = Some(tangent);
            }
        }
        let tangent = best.ok_or(GeometryError::NoRecords)?; // there is at least one way to spend a budget
        let described = PlanSummary::new(
            MechanismName::Linear,
            (StatisticName::GeodesicRegression, &regression.manifold, &regression.ball),
            n,
            tangent.spending.kept(budget)?,
            tangent.scale,
            ReleasedSensitivity { value: tangent.sensitivity, bound: ReleasedBound::SufficientStatistics },
            regression.at_most(tangent.noise()),
        );
        let summary = PlanSummary { numerics: Numerics::Exact, noise: vec![tangent.draw()], ..described };
        Ok(Self { regression: regression.clone(), tangent, summary })
    }
}

impl Sealed for LinearRegression {}

impl Plan for LinearRegression {
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
        let (geodesic, design) =
            self.tangent.release(&self.regression, &self.regression.seen(records)?, context.generator())?;
        // no residual was clipped
        let bounds = (self.regression.longest_residual(), Some(design.noisy));
        self.regression.publish(&geodesic, bounds, &self.summary, context)
    }

    fn lattice(&self) -> f64 {
        self.regression.lattice(&self.summary).step()
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let bounds = (self.regression.longest_residual(), Some(self.tangent.doubt()));
        self.regression.again(stated, bounds, &self.summary, context)
    }
}

fn check_flat(regression: &PrivateRegression) -> Result<()> {
    if regression.manifold.flat_chart().is_some() {
        return Ok(());
    }
    let reason = "the space is curved; use the mechanism gradient-descent or kng".to_owned();
    let space = regression.manifold.space().clone();
    Err(Error::Unsupported { mechanism: "linear", space, reason })
}

/// The same for neighbours that differ in one record added or removed (user guide, U2). The sum of `z(x, y)`, to which
/// one record contributes `√5·r` at most, and the number of records get noise together.
#[derive(Debug, Clone)]
struct JointRegressionOnSums {
    regression: PrivateRegression,
    noise: SumAndCountNoise,
    summary: PlanSummary,
}

impl JointRegressionOnSums {
    /// The mechanism for a guess of `n` records.
    fn new(regression: &PrivateRegression, n: usize, budget: Guarantee) -> Result<Self> {
        regression.check_count(n)?;
        check_flat(regression)?;
        let (dim, radius) = (regression.manifold.dim(), regression.ball.radius());
        // ‖z‖² ≤ r² + 2r² + r² + r² at x = ±½, plus the rounding to integers
        let bound = OUTWARD * 5.0_f64.sqrt() * radius / unit(radius);
        let noise = SumAndCountNoise::new(2 * dim + 2, bound, budget, Choice::Shortest)?;
        let of_one = unit(radius) / n as f64;
        let expected = expected_noise(dim, regression.slope_bound / radius, noise.deviation() * of_one);
        let described = PlanSummary::new(
            MechanismName::Linear,
            (StatisticName::GeodesicRegression, &regression.manifold, &regression.ball),
            n,
            noise.guarantee,
            noise.sigma() * of_one,
            ReleasedSensitivity { value: noise.moved * of_one, bound: ReleasedBound::SumAndCount },
            regression.at_most(expected),
        );
        let (adjacency, draws) = (Adjacency::AddRemove, vec![noise.draw(of_one)]);
        let summary = PlanSummary { numerics: Numerics::Exact, adjacency, noise: draws, ..described };
        Ok(Self { regression: regression.clone(), noise, summary })
    }

    /// The standard deviation of the noise on each mean of a number of records.
    fn deviation(&self, n: f64) -> f64 {
        self.noise.deviation() * unit(self.regression.ball.radius()) / n
    }

    /// The standard deviation of the noise on the variance of the predictors. Noise on the number of records moves it
    /// by at most a quarter of its part of the number.
    fn doubt(&self, n: f64) -> f64 {
        let of_number = self.noise.deviation() / (self.noise.in_quanta(1.0) as f64 * n);
        doubt(self.deviation(n), self.regression.ball.radius()).hypot(0.25 * of_number)
    }
}

impl Sealed for JointRegressionOnSums {}

impl Plan for JointRegressionOnSums {
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
        let regression = &self.regression;
        let (space, center) = (regression.centered.space(), regression.centered.center());
        let (radius, slope_bound) = (regression.ball.radius(), regression.slope_bound);
        let total = regression.seen(records)?.sum(space, &moments(center, radius))?;
        let counted = self.noise.release(total.integers(), total.count(), context.generator());
        let n = counted.count.max(1.0);
        let deviation = self.deviation(n);
        let (geodesic, design) = solve(space, center, &counted.mean(total.quantum()), radius, slope_bound, deviation);
        let noisy = PredictorVariance { deviation: self.doubt(n), ..design.noisy };
        let bounds = (regression.longest_residual(), Some(noisy));
        let release = regression.publish(&geodesic, bounds, &self.summary, context)?;
        Ok(release.with_count(self.noise.count(counted.count), None))
    }

    fn lattice(&self) -> f64 {
        self.regression.lattice(&self.summary).step()
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        let count = stated.provenance.private_count.as_ref();
        let divisor = count.map_or(self.summary.n as f64, PrivateCount::divisor);
        let bounds = (self.regression.longest_residual(), Some(self.doubt(divisor)));
        let release = self.regression.again(stated, bounds, &self.summary, context)?;
        Ok(release.counted(count.map(|count| self.noise.count(count.noisy_value))))
    }
}

/// The quantum of moments.
fn unit(radius: f64) -> f64 {
    Summand::Moments { base: vec![], radius }.quantum()
}

/// The regression in the tangent space at the ball's center, with noise of a certain scale.
#[derive(Debug, Clone)]
pub(super) struct TangentRegression {
    dim: usize,
    radius: f64,
    slope_bound: f64,
    spending: Spending,
    pub(super) sensitivity: f64,
    pub(super) scale: f64,
    /// Standard deviation of each coordinate of the noise.
    deviation: f64,
}

/// First and second moment of the predictors, private.
#[derive(Debug, Clone, Copy)]
pub(super) struct Design {
    pub(super) mean: f64,
    /// Not below the noise level of 0.
    pub(super) variance: f64,
    /// The variance with its noise.
    pub(super) noisy: PredictorVariance,
}

impl TangentRegression {
    pub(super) fn new(regression: &PrivateRegression, n: usize, spending: Spending, share: f64) -> Self {
        let (dim, radius) = (regression.manifold.dim(), regression.ball.radius());
        let sensitivity = OUTWARD * 8.0_f64.sqrt() * radius / n as f64;
        let scale = spending.scale(sensitivity, share);
        let deviation = spending.deviation(scale, 2 * dim + 2);
        Self { dim, radius, slope_bound: regression.slope_bound, spending, sensitivity, scale, deviation }
    }

    /// The noise on the moments.
    pub(super) fn draw(&self) -> NoiseDraw {
        NoiseDraw::on_vector(NoiseOf::Value, self.spending.law, 2 * self.dim + 2, self.scale, self.sensitivity)
    }

    /// The expected distance because of noise alone: `δp = δȳ − v·δx̄` and `δv = 12·(δxy − p·δx̄ − v·δx²)` to first
    /// order.
    pub(super) fn noise(&self) -> f64 {
        expected_noise(self.dim, self.slope_bound / self.radius, self.deviation)
    }

    /// The standard deviation of the noise on the variance of the predictors.
    pub(super) fn doubt(&self) -> f64 {
        doubt(self.deviation, self.radius)
    }

    /// Relative error of the design's moments, for predictors spread evenly.
    pub(super) fn design_error(&self) -> f64 {
        7.5_f64.sqrt() * self.deviation / self.radius
    }

    /// Draws the noise and solves. All but the first two lines is processing of private values.
    pub(super) fn release(
        &self,
        regression: &PrivateRegression,
        records: &PreparedRecords<'_>,
        generator: &mut Generator,
    ) -> Result<(Geodesic, Design)> {
        let (space, center) = (regression.centered.space(), regression.centered.center());
        let total = records.sum(space, &moments(center, self.radius))?;
        let z = noisy_mean(&total, self.spending.law, self.scale, generator)?;

        Ok(solve(space, center, &z, self.radius, self.slope_bound, self.deviation))
    }
}

/// The expected distance because of noise with a standard deviation in each coordinate, for a slope bound of `ratio`
/// radii.
fn expected_noise(dim: usize, ratio: f64, deviation: f64) -> f64 {
    deviation * (4.0 * dim as f64 + 3.0 + 0.625 * ratio * ratio).sqrt()
}

/// The regression in the tangent space at the center without any noise, of records in the ball. **Not private.**
pub(super) fn tangent_fit(
    regression: &PrivateRegression,
    space: &dyn Manifold,
    center: &[f64],
    points: PointsView<'_>,
    xs: &[f64],
) -> Result<Geodesic> {
    let radius = regression.ball.radius();
    let z = InMemory { points, numbers: Some(xs) }.sum(space, &moments(center, radius))?.mean();
    Ok(solve(space, center, &z, radius, regression.slope_bound, 0.0).0)
}

/// The geodesic, and the design, for the mean of `z` with noise of this standard deviation in each coordinate.
fn solve(
    space: &dyn Manifold,
    center: &[f64],
    z: &[f64],
    radius: f64,
    slope_bound: f64,
    deviation: f64,
) -> (Geodesic, Design) {
    let mean = (z[0] / (2.0 * radius)).clamp(-0.5, 0.5);
    let second_moment = z[1] / (32.0_f64.sqrt() * radius);
    let noisy = PredictorVariance { value: second_moment - mean * mean, deviation: doubt(deviation, radius) };
    let variance = noisy.value.max(2.0 * noisy.deviation).max(PredictorVariance::LEAST);
    let (y, xy) = z[2..].split_at(space.dim());
    let mut b: Vec<f64> = y.iter().zip(xy).map(|(y, xy)| (0.5 * xy - mean * y) / variance).collect();
    shorten(&mut b, slope_bound);
    let mut a = y.to_vec();
    add_scaled(&mut a, -mean, &b);
    shorten(&mut a, radius);
    (from_center(space, center, &a, &b), Design { mean, variance, noisy })
}

/// The standard deviation of the noise on the variance of the predictors, from that of each coordinate.
fn doubt(deviation: f64, radius: f64) -> f64 {
    (1.0_f64 / 32.0 + 0.25).sqrt() * deviation / radius
}

/// The sum of `(2r·x, √32·r·x², y, 2x·y)`, `y = Log_{m₀}` of a record in coordinates of the frame at `m₀`, no longer
/// than `r`.
fn moments(center: &[f64], radius: f64) -> Summand {
    Summand::Moments { base: center.to_vec(), radius }
}

/// `H⁻¹·s̄` for a score `(a, b)` whose slope part has the weight `w`: the correction of footpoint and velocity where
/// the space is flat.
pub(super) fn newton_step(score: &[f64], weight: f64, design: Design) -> [Vec<f64>; 2] {
    let (a, b) = score.split_at(score.len() / 2);
    let turn: Vec<f64> = a.iter().zip(b).map(|(a, b)| (b / weight - design.mean * a) / design.variance).collect();
    let mut step = a.to_vec();
    add_scaled(&mut step, -design.mean, &turn);
    [step, turn]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Euclidean;
    use crate::noise::Law;
    use crate::points::Points;
    use crate::sampler::Isotropic;
    use crate::vector::norm;
    use rand::RngExt;
    use std::sync::Arc;

    /// Replacing one record changes the sum of statistics by at most `√8·r`, and attains it, over random records and
    /// presumably worst ones.
    #[test]
    fn one_record_moves_the_statistics_by_no_more_than_claimed() {
        let space = Euclidean::new(3).unwrap();
        let mut generator = Generator::seeded(1);
        let law = Isotropic::new(Arc::new(space.clone()), Law::Gaussian, 1.0).unwrap();
        let radius = 0.7;
        let mut largest: f64 = 0.0;
        for i in 0..20_000 {
            let mut one = |boundary: bool| {
                let mut y = vec![0.0; 3];
                law.add_flat_noise(&mut y, &mut generator);
                let scale = if boundary { radius / norm(&y) } else { (radius / norm(&y)).min(1.0) };
                y.iter_mut().for_each(|y| *y *= scale);
                let x = if boundary {
                    0.5_f64.copysign(generator.random::<f64>() - 0.5)
                } else {
                    generator.random::<f64>() - 0.5
                };
                (x, y)
            };
            let boundary = i % 2 == 0;
            let (mut first, mut second) = (one(boundary), one(boundary));
            if i % 4 == 0 {
                second.1 = first.1.iter().map(|y| -y).collect();
                second.0 = first.0;
            }
            if i % 8 == 1 {
                std::mem::swap(&mut first, &mut second);
            }
            let of = |(x, y): &(f64, Vec<f64>)| {
                let points = Points::new(&space, y.clone()).unwrap();
                InMemory { points: points.view(), numbers: Some(&[*x]) }
                    .sum(&space, &moments(&[0.0; 3], radius))
                    .unwrap()
                    .mean()
            };
            let (a, b) = (of(&first), of(&second));
            let change = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            largest = largest.max(change);
        }
        let claimed = 8.0_f64.sqrt() * radius;
        assert!(largest <= claimed * (1.0 + 1e-12) && largest > claimed * (1.0 - 1e-6), "{largest} {claimed}");
    }
}
