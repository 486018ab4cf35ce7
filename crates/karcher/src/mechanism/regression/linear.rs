//! Linear regression on flat spaces from its noisy sufficient statistics (user guide, R2).
//!
//! With `x ∈ [−½, ½]` and `y` seen from the ball's center, `‖y‖ ≤ r`, release the mean of `z(x, y) = (2r·x, √32·r·x²,
//! y, 2x·y) ∈ R^{2d+2}` with noise and solve the normal equations with what comes out. Replacing a record moves the
//! mean by at most `√8·r/n`, and `√8·r/n` it is for `(y, 2xy)` alone: **the moments of the predictor cost nothing**.
//! What follows is processing of a private vector, so a singular design is no exception; it only leaves the slope to
//! the noise, within the slope bound.
//!
//! On curved spaces the same in the tangent space at the ball's center is the first step of the descent (user guide,
//! R3).

use super::spending::Spending;
use super::{Data, Made, PrivateRegression, from_center, outward, shorten};
use crate::error::{Error, Result};
use crate::manifold::{Manifold, add_scaled};
use crate::points::{CHUNK, PointsView};
use crate::privacy::Guarantee;
use crate::regression_release::RegressionRelease;
use crate::release::ReleasedSensitivity;
use crate::sampler::Generator;
use crate::statistic::Geodesic;
use rayon::prelude::*;

/// Records whose logarithms are computed at once.
const GROUP: usize = 32;

/// The least variance of predictors on `[−½, ½]` that is believed.
const LEAST_VARIANCE: f64 = 1e-6;

/// The mechanism, calibrated.
#[derive(Debug, Clone)]
pub struct LinearRegression<'a> {
    regression: PrivateRegression<'a>,
    n: usize,
    guarantee: Guarantee,
    tangent: TangentRegression,
}

impl<'a> LinearRegression<'a> {
    /// Calibrates the mechanism for `n` records.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on curved spaces, [`Error::InvalidParameter`] for fewer than two records.
    pub fn new(regression: &PrivateRegression<'a>, n: usize, budget: Guarantee) -> Result<Self> {
        regression.check_count(n)?;
        if regression.manifold.flat_chart().is_none() {
            let reason = "the space is curved; use --mechanism gradient-descent or kng".to_owned();
            return Err(Error::Unsupported { mechanism: "linear", space: regression.manifold.space().clone(), reason });
        }
        let mut best: Option<TangentRegression> = None;
        for spending in Spending::ways(budget)? {
            let tangent = TangentRegression::new(regression, n, spending, 1.0);
            if best.as_ref().is_none_or(|best| tangent.deviation < best.deviation) {
                best = Some(tangent);
            }
        }
        let tangent = best.ok_or(Error::NoRecords)?; // there is at least one way to spend a budget
        Ok(Self { regression: regression.clone(), n, guarantee: budget, tangent })
    }

    /// The expected distance (see [`PreparedRegression`](super::PreparedRegression::expected_distance)).
    pub fn expected_distance(&self) -> f64 {
        self.regression.at_most(self.tangent.noise())
    }

    /// Releases the regression.
    ///
    /// # Errors
    /// As for [`PreparedRegression::release`](super::PreparedRegression::release).
    pub fn release<'p>(
        &self,
        points: impl Into<PointsView<'p>>,
        predictors: &[f64],
        generator: &mut Generator,
    ) -> Result<RegressionRelease> {
        let data = self.regression.data(points.into(), predictors, self.n)?;
        let (geodesic, _) = self.tangent.release(&data, generator)?;
        let sensitivity = ReleasedSensitivity { value: self.tangent.sensitivity, bound: "sufficient-statistics" };
        let made = Made {
            mechanism: "linear",
            guarantee: self.guarantee,
            scale: self.tangent.scale,
            sensitivity,
            residual_bound: self.regression.longest_residual(), // none was clipped
            expected_distance: self.expected_distance(),
            steps: None,
        };
        Ok(self.regression.release(&data, &geodesic, made, generator))
    }
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
    /// Not below what noise could make of 0.
    pub(super) variance: f64,
}

impl TangentRegression {
    pub(super) fn new(regression: &PrivateRegression<'_>, n: usize, spending: Spending, share: f64) -> Self {
        let (dim, radius) = (regression.manifold.dim(), regression.ball.radius());
        let sensitivity = outward(n) * 8.0_f64.sqrt() * radius / n as f64;
        let scale = spending.scale(sensitivity, share);
        let deviation = spending.deviation(scale, 2 * dim + 2);
        Self { dim, radius, slope_bound: regression.slope_bound, spending, sensitivity, scale, deviation }
    }

    /// The expected distance that noise alone makes: `δp = δȳ − v·δx̄` and `δv = 12·(δxy − p·δx̄ − v·δx²)` to first
    /// order.
    pub(super) fn noise(&self) -> f64 {
        let ratio = self.slope_bound / self.radius;
        self.deviation * (4.0 * self.dim as f64 + 3.0 + 0.625 * ratio * ratio).sqrt()
    }

    /// Relative error of the design's moments, for predictors spread evenly.
    pub(super) fn design_error(&self) -> f64 {
        7.5_f64.sqrt() * self.deviation / self.radius
    }

    /// Draws the noise and solves. All but the first two lines is processing of private values.
    pub(super) fn release(&self, data: &Data<'_>, generator: &mut Generator) -> Result<(Geodesic, Design)> {
        let space = data.centered.space();
        let mut z = statistics(space, data.centered.center(), self.radius, data.records.view(), &data.predictors);
        self.spending.add_noise(&mut z, self.scale, generator)?;

        Ok(solve(space, data.centered.center(), &z, self.radius, self.slope_bound, self.deviation))
    }
}

/// The regression in the tangent space at the center without any noise, of records in the ball. **Not private.**
pub(super) fn tangent_fit(
    regression: &PrivateRegression<'_>,
    space: &dyn Manifold,
    center: &[f64],
    records: PointsView<'_>,
    xs: &[f64],
) -> Geodesic {
    let radius = regression.ball.radius();
    let z = statistics(space, center, radius, records, xs);
    solve(space, center, &z, radius, regression.slope_bound, 0.0).0
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
    // twice the deviation of the noise on it
    let doubt = 2.0 * (1.0_f64 / 32.0 + 0.25).sqrt() * deviation / radius;
    let variance = (second_moment - mean * mean).max(doubt).max(LEAST_VARIANCE);
    let (y, xy) = z[2..].split_at(space.dim());
    let mut b: Vec<f64> = y.iter().zip(xy).map(|(y, xy)| (0.5 * xy - mean * y) / variance).collect();
    shorten(&mut b, slope_bound);
    let mut a = y.to_vec();
    add_scaled(&mut a, -mean, &b);
    shorten(&mut a, radius);
    (from_center(space, center, &a, &b), Design { mean, variance })
}

/// The mean of `(2r·x, √32·r·x², y, 2x·y)`, `y = Log_{m₀}` of a record in coordinates of the frame at `m₀`, no longer
/// than `r`; in a fixed order of additions.
fn statistics(space: &dyn Manifold, center: &[f64], radius: f64, records: PointsView<'_>, xs: &[f64]) -> Vec<f64> {
    let d = space.dim();
    let chunks: Vec<_> = records.chunks(CHUNK).zip(xs.chunks(CHUNK)).collect();
    let partial: Vec<Vec<f64>> = chunks
        .into_par_iter()
        .map(|(records, xs)| {
            let (mut sum, mut logs) = (vec![0.0; 2 * d + 2], vec![0.0; GROUP.min(xs.len()) * d]);
            for (group, xs) in records.chunks(GROUP).zip(xs.chunks(GROUP)) {
                let logs = &mut logs[..xs.len() * d];
                space.frame_logs(center, group, logs);
                for (y, x) in logs.chunks_exact_mut(d).zip(xs) {
                    shorten(y, radius);
                    sum[0] += 2.0 * radius * x;
                    sum[1] += 32.0_f64.sqrt() * radius * x * x;
                    add_scaled(&mut sum[2..2 + d], 1.0, y);
                    add_scaled(&mut sum[2 + d..], 2.0 * x, y);
                }
            }
            sum
        })
        .collect();
    let mut mean = vec![0.0; 2 * d + 2];
    for part in partial {
        add_scaled(&mut mean, 1.0 / records.len() as f64, &part);
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{Euclidean, norm};
    use crate::points::Points;
    use crate::sampler::{Isotropic, Law};
    use rand::RngExt;

    /// The change of the sum of statistics when one record is replaced, over random records and those that should be
    /// worst, is at most `√8·r`, and attains it.
    #[test]
    fn one_record_moves_the_statistics_by_no_more_than_claimed() {
        let space = Euclidean::new(3).unwrap();
        let mut generator = Generator::seeded(1);
        let law = Isotropic::new(&space, Law::Gaussian, 1.0).unwrap();
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
                statistics(&space, &[0.0; 3], radius, points.view(), &[*x])
            };
            let (a, b) = (of(&first), of(&second));
            let change = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            largest = largest.max(change);
        }
        let claimed = 8.0_f64.sqrt() * radius;
        assert!(largest <= claimed * (1.0 + 1e-12) && largest > claimed * (1.0 - 1e-6), "{largest} {claimed}");
    }
}
