//! Least squares on spaces that are isometric to `R^d`: a formula.

use super::frechet_mean::flat_mean;
use super::sums::sum_in_chunks;
use crate::error::{Error, Result};
use crate::manifold::{FlatChart, Geodesic, Manifold};
use crate::points::PointsView;

/// The regression of flat coordinates on standardised predictors `u = (x − center·spread)/spread`, as a geodesic in
/// `x`.
///
/// With `c̄` the mean of the coordinates, `β = Σ(uᵢ − ū)(cᵢ − c̄)/Σ(uᵢ − ū)²` and the prediction at `u` is
/// `c̄ + (u − ū)·β`. Everything is computed from `cᵢ − c̄`, so that coordinates far from 0 lose no further digits.
pub(super) fn linear_regression(
    manifold: &dyn Manifold,
    chart: &dyn FlatChart,
    points: PointsView<'_>,
    predictors: &[f64],
    center: f64,
    spread: f64,
) -> Result<Geodesic> {
    let (d, n) = (manifold.dim(), points.len() as f64);
    let mean = flat_mean(chart, d, points, None)?;
    let mean_predictor = predictors.iter().map(|u| u / n).sum::<f64>();
    // Σ(cᵢ − c̄), the rounding error of c̄, and Σ(uᵢ − ū)(cᵢ − c̄)
    let sums = sum_in_chunks(points, 2 * d, |first, chunk, sums| {
        let mut coordinates = vec![0.0; chunk.len() * d];
        chart.all_to_flat(chunk, &mut coordinates);
        for (c, u) in coordinates.chunks_exact(d).zip(&predictors[first..]) {
            for j in 0..d {
                let apart = c[j] - mean[j];
                sums[j] += apart;
                sums[d + j] += (u - mean_predictor) * apart;
            }
        }
        Ok::<(), Error>(())
    })?;
    let square: f64 = predictors.iter().map(|u| (u - mean_predictor).powi(2)).sum();
    let slope: Vec<f64> = sums[d..].iter().map(|s| s / square).collect();
    let at_zero: Vec<f64> = (0..d).map(|j| mean[j] + (sums[j] / n - (center + mean_predictor) * slope[j])).collect();
    let mut footpoint = vec![0.0; manifold.point_len()];
    chart.from_flat(&at_zero, &mut footpoint);
    let mut velocity = vec![0.0; manifold.point_len()];
    manifold.from_frame(&footpoint, &slope.iter().map(|s| s / spread).collect::<Vec<_>>(), &mut velocity);
    Ok(Geodesic { footpoint, velocity })
}
