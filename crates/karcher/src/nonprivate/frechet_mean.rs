//! The Fréchet mean: the point that minimises the mean squared distance to the records.

use super::descent::{Descent, Iterate, resolution, rounding_floor};
use super::iterated::Iterated;
use super::sums::sum_in_chunks;
use super::weights;
use crate::error::{Error, GeometryError, Result};
use crate::manifold::{FlatChart, Manifold};
use crate::points::PointsView;
use crate::records::{InMemory, Summand, frame_logs};
use crate::vector::add_scaled;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Steps of the slow iteration for each step of the fast one.
const PATIENCE: usize = 20;

/// With many records, the mean of one in so many is the start, and the gradient there must be so small a part of its
/// reach.
const SKIPPED: usize = 32;
const ROUGH: f64 = 0.05;

/// Records that are all equal need some bound, too.
const SHORTEST_REACH: f64 = 1e-150;

/// The Fréchet mean `argmin_m (1/2n)·Σ ρ²(m, xᵢ)` (user guide, C2).
///
/// Flat spaces: the mean of the flat coordinates, exact. On other spaces the iteration is
/// `m ← Exp_m(t·(1/n)·Σ Log_m xᵢ)` with Barzilai–Borwein steps `t`, halved where the gradient would not decrease. It
/// ends when `‖grad‖ ≤ tolerance` or rounding hides any progress. If it is stuck before, an iteration with a fixed step
/// that never raises the mean squared distance starts anew. When all records lie in a ball of radius
/// `r < ½·min{inj M, π/√κ}` and the start does too, the mean exists and is unique (Afsari 2011).
///
/// **Not private.** See [`mechanism`](crate::mechanism) for releases.
///
/// ```
/// use karcher::{Points, manifold::Sphere, nonprivate::FrechetMean};
/// let sphere = Sphere::new(2)?;
/// let points = Points::new(&sphere, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0])?;
/// let mean = FrechetMean::new(&sphere).fit(points.view())?;
/// assert!((mean[0] - 0.5_f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FrechetMean<'a> {
    manifold: &'a dyn Manifold,
    weights: Option<&'a [f64]>,
    start: Option<&'a [f64]>,
    tolerance: Option<f64>,
    iterations: usize,
}

impl<'a> FrechetMean<'a> {
    /// The mean on a manifold: equal weights, at most 500 iterations, started at the first record. For more than 64
    /// records without weights, the start is about the mean of every 32nd.
    pub fn new(manifold: &'a dyn Manifold) -> Self {
        Self { manifold, weights: None, start: None, tolerance: None, iterations: 500 }
    }

    /// Non-negative weights, one for each record; only their ratios matter.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, nonprivate::FrechetMean};
    /// let line = Euclidean::new(1)?;
    /// let points = Points::new(&line, vec![0.0, 1.0])?;
    /// assert_eq!(FrechetMean::new(&line).weights(&[1.0, 3.0]).fit(points.view())?, [0.75]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn weights(self, weights: &'a [f64]) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// Start of the iteration. A mean of records that do not lie in a ball as above may depend on it.
    ///
    /// ```
    /// use karcher::{Points, manifold::{Manifold, Sphere}, nonprivate::FrechetMean};
    /// let sphere = Sphere::new(2)?;
    /// let points = Points::new(&sphere, vec![0.6, 0.8, 0.0, 0.6, -0.8, 0.0])?;
    /// let mean = FrechetMean::new(&sphere).start(&[0.8, 0.0, 0.6]).fit(points.view())?;
    /// assert!(sphere.dist(&mean, &[1.0, 0.0, 0.0]) < 1e-11); // the same from wherever in the ball it starts
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn start(self, point: &'a [f64]) -> Self {
        Self { start: Some(point), ..self }
    }

    /// The gradient norm at which the iteration stops, in units of distance. Default: 1e-12 times the largest distance
    /// between the start and a record. Where rounding in coordinates does not allow so small a gradient, the iteration
    /// stops at the smallest possible one.
    ///
    /// ```
    /// use karcher::{Error, Points, manifold::Sphere, nonprivate::FrechetMean};
    /// let sphere = Sphere::new(2)?;
    /// let points = Points::new(&sphere, vec![1.0, 0.0, 0.0, 0.0, 0.6, 0.8])?;
    /// let refused = FrechetMean::new(&sphere).tolerance(-1.0).fit(points.view());
    /// assert!(matches!(refused, Err(Error::InvalidParameter { name: "tolerance", .. })));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance: Some(tolerance), ..self }
    }

    /// The largest number of fast iterations. If those are stuck, up to twenty times as many slow ones follow.
    #[must_use]
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }

    /// Computes the mean.
    ///
    /// # Errors
    /// [`Error::Geometry`] for points of another space, for a start that is no point, and for a record at the largest
    /// distance from the start. Also [`Error::InvalidParameter`] for bad weights or a bad tolerance. Also
    /// [`Error::NoConvergence`] after the last iteration.
    ///
    /// ```
    /// use karcher::error::{Error, GeometryError};
    /// use karcher::{Points, manifold::SpdAffineInvariant, manifold::Sphere, nonprivate::FrechetMean};
    /// let numbers = SpdAffineInvariant::new(1)?;
    /// let mean = FrechetMean::new(&numbers).fit(Points::new(&numbers, vec![1.0, 16.0])?.view())?;
    /// assert!((mean[0] - 4.0).abs() < 1e-10); // of positive numbers it is the geometric mean
    /// let circle = Sphere::new(1)?;
    /// let antipodes = Points::new(&circle, vec![1.0, 0.0, -1.0, 0.0])?;
    /// let mean = FrechetMean::new(&circle).fit(antipodes.view());
    /// assert!(matches!(mean, Err(Error::Geometry(GeometryError::CutLocus { .. }))));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn fit(&self, points: PointsView<'_>) -> Result<Vec<f64>> {
        self.iterate(points)?.into_converged()
    }

    /// The same, and how the iteration ended: the last iterate is there even if it did not converge.
    ///
    /// # Errors
    /// Those of [`fit`](Self::fit) but [`Error::NoConvergence`].
    pub fn iterate(&self, points: PointsView<'_>) -> Result<Iterated<Vec<f64>>> {
        let points = points.check_space(self.manifold.space())?;
        let weights = weights::normalized(self.weights, points.len())?;
        if let Some(chart) = self.manifold.flat_chart() {
            let mut mean = vec![0.0; self.manifold.point_len()];
            chart.from_flat(&flat_mean(chart, self.manifold.dim(), points, weights.as_deref())?, &mut mean);
            return Ok(Iterated::by_formula(mean));
        }
        if let Some(start) = self.start {
            self.manifold.check_point(start)?;
        }
        if let Some(value) = self.tolerance.filter(|t| !(*t > 0.0 && t.is_finite())) {
            let requirement = "it must be a positive number".to_owned();
            return Err(Error::InvalidParameter { name: "tolerance", value, requirement });
        }
        // weights may leave out the sampled records; that start may be anywhere, so it may be useless
        if self.start.is_none()
            && weights.is_none()
            && let Some(rough) = self.rough(points)
            && let Ok(mean) = self.descend(&rough, points, None, false)
            && mean.converged
        {
            return Ok(mean);
        }
        // Points are never empty
        let start = self.start.or_else(|| points.iter().next()).unwrap_or_default();
        self.descend(start, points, weights.as_deref(), true)
    }

    /// The mean of unchecked numbers, the same to the last bit as [`fit`](Self::fit) of
    /// [`Points::new`](crate::Points::new). It exists where the sums show that the numbers are points. On log-Euclidean
    /// matrices, the logarithms show it if no condition number exceeds a million and no size `e^±400`. `None` means
    /// that nothing is known.
    ///
    /// ```
    /// use karcher::{Points, manifold::SpdLogEuclidean, nonprivate::FrechetMean};
    /// let matrices = SpdLogEuclidean::new(2)?;
    /// let values = [2.0, 1.0, 1.0, 2.0, 4.0, 0.0, 0.0, 1.0];
    /// let mean = FrechetMean::new(&matrices);
    /// assert_eq!(mean.prechecked_fit(&values), Some(mean.fit(Points::new(&matrices, values.to_vec())?.view())?));
    /// assert_eq!(mean.prechecked_fit(&[1.0, 2.0, 2.0, 1.0]), None); // not positive definite
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn prechecked_fit(&self, values: &[f64]) -> Option<Vec<f64>> {
        let (chart, len) = (self.manifold.flat_chart()?, self.manifold.point_len());
        if self.weights.is_some() || values.is_empty() || !values.len().is_multiple_of(len) {
            return None;
        }
        let numbers = PointsView::unchecked(self.manifold.space(), len, values);
        let fails = AtomicBool::new(false); // one chunk is enough
        let mut sum = sum_in_chunks(numbers, self.manifold.dim(), |_, chunk, sum| {
            if !fails.load(Ordering::Relaxed) && chart.prechecked_add_flat(chunk.values(), sum) {
                return Ok(());
            }
            fails.store(true, Ordering::Relaxed);
            Err(())
        })
        .ok()?;
        sum.iter_mut().for_each(|x| *x /= numbers.len() as f64);
        let mut mean = vec![0.0; len];
        chart.from_flat(&sum, &mut mean);
        Some(mean)
    }

    /// The mean from a start, by fast steps. If those are stuck and `slow` is set, slow ones follow.
    fn descend(
        &self,
        start: &[f64],
        points: PointsView<'_>,
        weights: Option<&[f64]>,
        slow: bool,
    ) -> Result<Iterated<Vec<f64>>> {
        let (descent, reach) = first_descent(self.manifold, start, points, weights)?;
        let first = Iterate::new(self.manifold, start.to_vec(), &descent);
        let tolerance = self.tolerance.unwrap_or((1e-12 * reach).max(4.0 * resolution(self.manifold, start)));
        // no iterate is farther than `reach` from the start, except those of steps that are undone
        let bound = heaviest(weights) * (4.0 * reach).clamp(SHORTEST_REACH, 1e200);
        let sum = |term: &Summand| InMemory { points, numbers: weights }.sum(self.manifold, term);
        let descent = Descent { manifold: self.manifold, sum: &sum, bound, settle: &|_| () };
        let near = rounding_floor(self.manifold, start, 0.0);
        let fast = descent.fast(first.clone(), tolerance, near, self.iterations);
        let ended = |at: Iterate, before: usize, stop: f64| Iterated {
            converged: at.size <= stop,
            iterations: before + at.steps,
            last: at.point,
        };
        if fast.size <= tolerance {
            return Ok(ended(fast, 0, tolerance));
        }
        let stop = tolerance.max(rounding_floor(self.manifold, &fast.point, reach));
        if fast.size <= stop || !slow {
            return Ok(ended(fast, 0, stop));
        }
        // no iterate leaves the ball around the start that holds all records, where `½ρ²` has no larger Hessian
        let widest = 2.0 * (-self.manifold.curvature().lower).max(0.0).sqrt() * reach;
        let step = if widest > 0.0 { widest.tanh() / widest } else { 1.0 };
        let certain = descent.certain(first, step, stop, self.iterations.saturating_mul(PATIENCE));
        Ok(ended(certain, fast.steps, stop))
    }

    /// Approximate mean of every 32nd of many records, if it is found. It saves a pass over all records, and it is
    /// nearer to them than a single record.
    fn rough(&self, points: PointsView<'_>) -> Option<Vec<f64>> {
        if points.len() <= 2 * SKIPPED {
            return None;
        }
        let few: Vec<f64> = points.iter().step_by(SKIPPED).flatten().copied().collect();
        let points = PointsView::unchecked(self.manifold.space(), self.manifold.point_len(), &few);
        let start = points.iter().next()?;
        let (descent, reach) = first_descent(self.manifold, start, points, None).ok()?;
        let first = Iterate::new(self.manifold, start.to_vec(), &descent);
        let sum = |term: &Summand| InMemory { points, numbers: None }.sum(self.manifold, term);
        let bound = (4.0 * reach).clamp(SHORTEST_REACH, 1e200);
        let descent = Descent { manifold: self.manifold, sum: &sum, bound, settle: &|_| () };
        let rough = descent.fast(first, ROUGH * reach, 0.0, self.iterations);
        self.manifold.check_point(&rough.point).ok()?;
        Some(rough.point)
    }
}

/// The largest weight, 1 without weights.
fn heaviest(weights: Option<&[f64]>) -> f64 {
    weights.map_or(1.0, |weights| weights.iter().fold(0.0, |most: f64, w| most.max(*w)))
}

/// The coordinates of `(1/n)·Σ Log_m xᵢ` in the frame at `m`, for logarithms no longer than `reach`.
pub(crate) fn mean_log(manifold: &dyn Manifold, m: &[f64], points: PointsView<'_>, reach: f64) -> Result<Vec<f64>> {
    let term = Summand::Log { base: m.to_vec(), bound: reach };
    Ok(InMemory { points, numbers: None }.sum(manifold, &term)?.mean())
}

/// The coordinates of `(1/n)·Σ wᵢ·Log_m xᵢ` in the frame at the start, with weights that sum to `n` (1 each without),
/// and the length of the longest logarithm there. Exact sums need to know that length beforehand. So this first one is
/// a sum of doubles, in the order of the records.
fn first_descent(
    manifold: &dyn Manifold,
    start: &[f64],
    points: PointsView<'_>,
    weights: Option<&[f64]>,
) -> Result<(Vec<f64>, f64)> {
    // non-negative numbers are in the order of their bits, and NaN comes last
    let longest = AtomicU64::new(0);
    let mut mean = sum_in_chunks(points, manifold.dim(), |first, chunk, sum| {
        let mut here = 0;
        frame_logs(manifold, start, chunk, |i, c| {
            here = here.max(squared_length(c).to_bits());
            add_scaled(sum, weights.map_or(1.0, |w| w[first + i]), c);
        });
        longest.fetch_max(here, Ordering::Relaxed);
        Ok::<(), Error>(())
    })?;
    let reach = f64::from_bits(longest.into_inner()).sqrt();
    if reach.is_nan() {
        return Err(GeometryError::CutLocus { space: manifold.space().clone() }.into());
    }
    mean.iter_mut().for_each(|c| *c /= points.len() as f64);
    Ok((mean, reach))
}

/// `‖c‖²`, by independent partial sums.
fn squared_length(c: &[f64]) -> f64 {
    let (blocks, rest) = c.as_chunks::<8>();
    let rest = rest.iter().map(|c| c * c).sum::<f64>();
    if blocks.is_empty() {
        return rest;
    }
    let mut sums = [0.0; 8];
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, c)| *sum += c * c);
    }
    sums.iter().sum::<f64>() + rest
}

/// The mean of the flat coordinates, with weights that sum to `n`.
pub(super) fn flat_mean(
    chart: &dyn FlatChart,
    dim: usize,
    points: PointsView<'_>,
    weights: Option<&[f64]>,
) -> Result<Vec<f64>> {
    let mut mean = sum_in_chunks(points, dim, |first, chunk, sum| {
        if weights.is_none() && chart.prechecked_add_flat(chunk.values(), sum) {
            return Ok(());
        }
        sum.fill(0.0);
        let mut coordinates = vec![0.0; chunk.len() * dim];
        chart.all_to_flat(chunk, &mut coordinates);
        for (i, c) in coordinates.chunks_exact(dim).enumerate() {
            add_scaled(sum, weights.map_or(1.0, |w| w[first + i]), c);
        }
        Ok::<(), Error>(())
    })?;
    mean.iter_mut().for_each(|x| *x /= points.len() as f64);
    Ok(mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{manifold::Sphere, points::Points};

    /// A record at the antipode of the mean of every 32nd leaves only the first record as a start.
    #[test]
    fn a_rough_start_that_is_of_no_use_is_given_up() {
        let circle = Sphere::new(1).unwrap();
        let at = |angle: f64| [angle.cos(), angle.sin()];
        let angles: Vec<f64> = (0..100).map(|i| 0.4 * f64::sin(1.7 * i as f64 + 1.0)).collect();
        let mut values: Vec<f64> = angles.iter().flat_map(|angle| at(*angle)).collect();
        let points = Points::new(&circle, values.clone()).unwrap();
        let rough = FrechetMean::new(&circle).rough(points.view()).unwrap();
        let antipode = [-rough[0], -rough[1]];
        values[2 * 50..2 * 51].copy_from_slice(&antipode);
        let points = Points::new(&circle, values).unwrap();
        assert_eq!(points.view().iter().nth(50), Some(&antipode[..]));
        assert!(first_descent(&circle, &rough, points.view(), None).is_err());
        let mean = FrechetMean::new(&circle).fit(points.view()).unwrap();
        // on a circle the mean of records within π of it is that of their angles
        let from = |m: f64, angle: f64| {
            m + (angle - m + 3.0 * std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI
        };
        let m = mean[1].atan2(mean[0]);
        let far = antipode[1].atan2(antipode[0]);
        let others = angles.iter().enumerate().filter(|(i, _)| *i != 50).map(|(_, angle)| *angle);
        let average = others.chain([from(m, far)]).sum::<f64>() / 100.0;
        assert!((m - average).abs() < 1e-11, "{m} {average}");
        assert!((m - rough[1].atan2(rough[0])).abs() > 1e-4); // or the start would be the mean
    }
}
