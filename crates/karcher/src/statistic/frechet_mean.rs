//! The Fréchet mean: the point that minimises the mean squared distance to the records.

use crate::error::{Error, Result};
use crate::manifold::{FlatChart, Manifold};
use crate::points::{CHUNK, PointsView};
use rayon::prelude::*;

/// Times the step may be halved before the iteration is said to be stuck.
const HALVINGS: usize = 30;

/// The Fréchet mean `argmin_m (1/2n)·Σ ρ²(m, xᵢ)` (user guide, C2).
///
/// Flat spaces: the mean of the flat coordinates, exact. Elsewhere the iteration `m ← Exp_m(t·(1/n)·Σ Log_m xᵢ)` with
/// Barzilai–Borwein steps `t`, halved where the gradient would not fall, until `‖grad‖ ≤ tolerance`. When all records lie in a ball of radius
/// `r < ½·min{inj M, π/√κ}` and the start does too, the mean exists and is unique (Afsari 2011).
///
/// **Not private.** See [`mechanism`](crate::mechanism) for releases.
///
/// ```
/// use karcher::{Points, manifold::Sphere, statistic::FrechetMean};
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
    /// The mean on a manifold: equal weights, started at the first record, at most 500 iterations.
    pub fn new(manifold: &'a dyn Manifold) -> Self {
        Self { manifold, weights: None, start: None, tolerance: None, iterations: 500 }
    }

    /// One non-negative weight a record; only their ratios matter.
    #[must_use]
    pub fn weights(self, weights: &'a [f64]) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// Where the iteration starts.
    #[must_use]
    pub fn start(self, point: &'a [f64]) -> Self {
        Self { start: Some(point), ..self }
    }

    /// The gradient norm at which the iteration stops, in units of distance. Default: 1e-12 times the largest distance
    /// between the start and a record.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance: Some(tolerance), ..self }
    }

    /// The largest number of iterations.
    #[must_use]
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }

    /// Computes the mean.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for bad weights or a bad tolerance, [`Error::CutLocus`] when a record is as far as can be
    /// from an iterate, [`Error::NoConvergence`].
    pub fn fit(&self, points: PointsView<'_>) -> Result<Vec<f64>> {
        let weights = self.normalized_weights(points.len())?;
        if let Some(chart) = self.manifold.flat_chart() {
            let mut mean = vec![0.0; self.manifold.point_len()];
            chart.from_flat(&flat_mean(self.manifold, chart, points, weights.as_deref())?, &mut mean);
            return Ok(mean);
        }
        // Points are never empty
        let start = self.start.or_else(|| points.iter().next()).unwrap_or_default();
        let tolerance = match self.tolerance {
            Some(t) if t > 0.0 && t.is_finite() => t,
            Some(value) => {
                let requirement = "it must be a positive number".to_owned();
                return Err(Error::InvalidParameter { name: "tolerance", value, requirement });
            }
            None => 1e-12 * points.iter().map(|x| self.manifold.dist(start, x)).fold(0.0, f64::max),
        };
        self.descend(points, weights.as_deref(), start, tolerance)
    }

    fn descend(
        &self,
        points: PointsView<'_>,
        weights: Option<&[f64]>,
        start: &[f64],
        tolerance: f64,
    ) -> Result<Vec<f64>> {
        let manifold = self.manifold;
        let mut mean = start.to_vec();
        // minus the gradient, (1/n)·Σ Log_m xᵢ
        let mut descent = mean_log(manifold, &mean, points, weights)?;
        let mut size = manifold.norm(&mean, &descent);
        let mut step = 1.0;
        for _ in 0..self.iterations {
            if size <= tolerance {
                return Ok(mean);
            }
            let (next, next_descent, taken) = self.advance(points, weights, &mean, &descent, size, step)?;
            step = barzilai_borwein(manifold, &mean, &descent, &next, &next_descent, taken)?;
            size = manifold.norm(&next, &next_descent);
            mean = next;
            descent = next_descent;
        }
        if size <= tolerance { Ok(mean) } else { Err(Error::NoConvergence) }
    }

    /// One step along `descent`, halved until the gradient falls: the next point, its descent direction, the step taken.
    fn advance(
        &self,
        points: PointsView<'_>,
        weights: Option<&[f64]>,
        mean: &[f64],
        descent: &[f64],
        size: f64,
        mut step: f64,
    ) -> Result<(Vec<f64>, Vec<f64>, f64)> {
        let mut next = vec![0.0; mean.len()];
        for _ in 0..HALVINGS {
            let v: Vec<f64> = descent.iter().map(|g| step * g).collect();
            self.manifold.exp(mean, &v, &mut next);
            let next_descent = mean_log(self.manifold, &next, points, weights)?;
            if self.manifold.norm(&next, &next_descent) < size {
                return Ok((next, next_descent, step));
            }
            step *= 0.5;
        }
        Err(Error::NoConvergence)
    }

    /// Weights that sum to 1.
    fn normalized_weights(&self, n: usize) -> Result<Option<Vec<f64>>> {
        let Some(weights) = self.weights else { return Ok(None) };
        let invalid = |value, requirement: &str| {
            Err(Error::InvalidParameter { name: "weight", value, requirement: requirement.to_owned() })
        };
        if weights.len() != n {
            return invalid(weights.len() as f64, "there must be as many weights as records");
        }
        if let Some(&bad) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return invalid(bad, "weights must be finite and not negative");
        }
        let total: f64 = weights.iter().sum();
        if !(total > 0.0 && total.is_finite()) {
            return invalid(total, "the weights must not all be zero, and their sum must be finite");
        }
        Ok(Some(weights.iter().map(|w| w / total).collect()))
    }
}

/// The step `t·⟨g,g⟩/⟨g, g − g′⟩` that would have been exact had the Hessian been a multiple of the identity, with the new
/// gradient `g′` carried back; between a tenth and ten times the last one.
fn barzilai_borwein(
    manifold: &dyn Manifold,
    p: &[f64],
    g: &[f64],
    q: &[f64],
    g_next: &[f64],
    taken: f64,
) -> Result<f64> {
    let mut carried = vec![0.0; g.len()];
    manifold.transport(q, p, g_next, &mut carried)?;
    let along = manifold.inner(p, g, g);
    let change = along - manifold.inner(p, g, &carried);
    let ratio = if change > 0.0 { along / change } else { 10.0 };
    Ok(taken * ratio.clamp(0.1, 10.0))
}

/// `Σ wᵢ·Log_m xᵢ` with weights that sum to 1 (`1/n` without weights), in a fixed order of additions.
pub(crate) fn mean_log(
    manifold: &dyn Manifold,
    m: &[f64],
    points: PointsView<'_>,
    weights: Option<&[f64]>,
) -> Result<Vec<f64>> {
    sum_chunks(points, weights, m.len(), |chunk, weights, out| manifold.log_sum(m, chunk, weights, out))
}

/// The weighted mean of the flat coordinates.
pub(crate) fn flat_mean(
    manifold: &dyn Manifold,
    chart: &dyn FlatChart,
    points: PointsView<'_>,
    weights: Option<&[f64]>,
) -> Result<Vec<f64>> {
    sum_chunks(points, weights, manifold.dim(), |chunk, weights, out| {
        chart.flat_sum(chunk, weights, out);
        Ok(())
    })
}

/// Adds up `sum(chunk)` over the chunks of points, each with the part of `weights` (any numbers, one a record) that belongs to it, in parallel, and in
/// order; divides by `n` when there are no weights.
pub(super) fn sum_chunks(
    points: PointsView<'_>,
    weights: Option<&[f64]>,
    len: usize,
    sum: impl Fn(PointsView<'_>, Option<&[f64]>, &mut [f64]) -> Result<()> + Sync,
) -> Result<Vec<f64>> {
    let chunks: Vec<PointsView<'_>> = points.chunks(CHUNK).collect();
    let partial: Vec<Result<Vec<f64>>> = chunks
        .into_par_iter()
        .enumerate()
        .map(|(i, chunk)| {
            let mut out = vec![0.0; len];
            sum(chunk, weights.map(|w| &w[i * CHUNK..][..chunk.len()]), &mut out)?;
            Ok(out)
        })
        .collect();
    let mut total = vec![0.0; len];
    for part in partial {
        for (t, p) in total.iter_mut().zip(part?) {
            *t += p;
        }
    }
    if weights.is_none() {
        let n = points.len() as f64;
        total.iter_mut().for_each(|t| *t /= n);
    }
    Ok(total)
}
