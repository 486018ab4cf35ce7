//! Geodesic regression: the geodesic that minimises the mean squared distance to the records.

use super::FrechetMean;
use super::descent::{resolution, rounding_floor};
use super::iterated::Iterated;
use super::linear_regression::linear_regression;
use super::sums::sum_in_chunks;
use crate::error::{Error, Result};
use crate::manifold::{Geodesic, Manifold};
use crate::points::PointsView;
use crate::records::{RecordScore, check_predictors};
use crate::vector::{add_scaled, norm};

/// Largest number of halvings of a step before the iteration counts as stuck.
const HALVINGS: usize = 40;

/// Least-squares geodesic regression of points `yᵢ` on numbers `xᵢ`: it finds the footpoint and shooting vector that
/// minimise
///
/// `E(p, v) = (1/2n)·Σ ρ²(Exp_p(xᵢ·v), yᵢ)`
///
/// (Fletcher 2013; user guide, "Regression"). On flat spaces it is linear regression of the flat coordinates, by its
/// formula.
///
/// On other spaces it is Riemannian gradient descent with the adjoints of [`Manifold::jacobi`] and Barzilai–Borwein
/// steps, halved until the energy decreases. It ends when `‖grad‖ ≤ tolerance` or rounding hides any progress. It works
/// with standardised predictors, and starts from the regression in the tangent space at the Fréchet mean. On curved
/// spaces the energy may have several local minima; it finds the one near that start.
///
/// **Not private.** See [`mechanism`](crate::mechanism) for releases.
///
/// ```
/// use karcher::{Points, manifold::Sphere, nonprivate::GeodesicRegression};
/// let sphere = Sphere::new(2)?;
/// let (c, s) = (0.3_f64.cos(), 0.3_f64.sin());
/// let points = Points::new(&sphere, vec![1.0, 0.0, 0.0, c, s, 0.0, c, -s, 0.0])?;
/// let geodesic = GeodesicRegression::new(&sphere).fit(points.view(), &[0.0, 1.0, -1.0])?;
/// assert!((geodesic.velocity[1] - 0.3).abs() < 1e-9);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GeodesicRegression<'a> {
    manifold: &'a dyn Manifold,
    tolerance: Option<f64>,
    iterations: usize,
}

impl<'a> GeodesicRegression<'a> {
    /// Regression on a manifold, at most 1,000 iterations.
    pub fn new(manifold: &'a dyn Manifold) -> Self {
        Self { manifold, tolerance: None, iterations: 1000 }
    }

    /// The gradient norm at which the iteration stops, for predictors of mean 0 and variance 1, in units of distance.
    /// Default: 1e-10 times the root of the mean squared distance of the records to their Fréchet mean. Where rounding
    /// in coordinates does not allow so small a gradient, the iteration stops at the smallest possible one.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance: Some(tolerance), ..self }
    }

    /// The largest number of iterations.
    #[must_use]
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }

    /// Computes the geodesic.
    ///
    /// # Errors
    /// [`Error::Geometry`] for points of another space, and for a record at the largest distance from its prediction.
    /// Also [`Error::InvalidParameter`] for fewer than two records, not one finite predictor for each, equal
    /// predictors, or a bad tolerance. Also [`Error::NoConvergence`].
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, nonprivate::GeodesicRegression};
    /// let line = Euclidean::new(1)?;
    /// let points = Points::new(&line, vec![1.0, 2.0, 2.0, 3.0])?;
    /// let fitted = GeodesicRegression::new(&line).fit(points.view(), &[0.0, 1.0, 1.0, 2.0])?;
    /// assert!((fitted.footpoint[0] - 1.0).abs() < 1e-14 && (fitted.velocity[0] - 1.0).abs() < 1e-14); // y = 1 + x
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn fit(&self, points: PointsView<'_>, predictors: &[f64]) -> Result<Geodesic> {
        self.iterate(points, predictors)?.into_converged()
    }

    /// The same, and how the iteration ended: the last iterate is there even if it did not converge.
    ///
    /// # Errors
    /// Those of [`fit`](Self::fit) but [`Error::NoConvergence`].
    pub fn iterate(&self, points: PointsView<'_>, predictors: &[f64]) -> Result<Iterated<Geodesic>> {
        let (center, spread) = self.check(points, predictors)?;
        let standardised: Vec<f64> = predictors.iter().map(|x| (x - center) / spread).collect();
        if let Some(chart) = self.manifold.flat_chart() {
            let line = linear_regression(self.manifold, chart, points, &standardised, center / spread, spread)?;
            return Ok(Iterated::by_formula(line));
        }
        let start = self.start(points);
        let (scale, gradient) = gradient(self.manifold, &start, points, &standardised)?;
        let floor = 4.0 * resolution(self.manifold, &start.footpoint);
        let tolerance = self.tolerance.unwrap_or((1e-10 * (2.0 * scale).sqrt()).max(floor));
        let mut fit = self.descend(points, &standardised, start, (scale, gradient), tolerance)?;
        fit.last.velocity.iter_mut().for_each(|v| *v /= spread);
        Ok(Iterated { last: fit.last.moved(self.manifold, -center)?, ..fit })
    }

    /// Mean and standard deviation of the predictors.
    fn check(&self, points: PointsView<'_>, predictors: &[f64]) -> Result<(f64, f64)> {
        let invalid = |name, value, requirement: &str| {
            Err(Error::InvalidParameter { name, value, requirement: requirement.to_owned() })
        };
        points.check_space(self.manifold.space())?;
        if points.len() < 2 {
            return invalid("number_of_records", points.len() as f64, "a regression needs at least two");
        }
        check_predictors(points.len(), predictors)?;
        if let Some(tolerance) = self.tolerance.filter(|t| !(*t > 0.0 && t.is_finite())) {
            return invalid("tolerance", tolerance, "it must be a positive number");
        }
        let n = predictors.len() as f64;
        let center = predictors.iter().map(|x| x / n).sum::<f64>();
        let largest = predictors.iter().map(|x| (x - center).abs()).fold(0.0, f64::max);
        let differ = largest.is_finite() && largest > 1e-14 * center.abs();
        if !differ {
            return invalid("predictor", predictors[0], "all are equal: a slope needs at least two different values");
        }
        let spread = largest * (predictors.iter().map(|x| ((x - center) / largest).powi(2)).sum::<f64>() / n).sqrt();
        Ok((center, spread))
    }

    /// The Fréchet mean with velocity 0, from which the first step leads to the regression in the tangent space there.
    fn start(&self, points: PointsView<'_>) -> Geodesic {
        let mean = FrechetMean::new(self.manifold).fit(points);
        // where there is no unique mean, any record is a valid start; Points are never empty
        let footpoint = mean.unwrap_or_else(|_| points.iter().next().unwrap_or_default().to_vec());
        Geodesic { velocity: vec![0.0; footpoint.len()], footpoint }
    }

    fn descend(
        &self,
        points: PointsView<'_>,
        predictors: &[f64],
        mut at: Geodesic,
        (mut energy, mut descent): (f64, Vec<f64>),
        tolerance: f64,
    ) -> Result<Iterated<Geodesic>> {
        let mut step = 1.0;
        // no record is further from the start
        let reach = (2.0 * energy * points.len() as f64).sqrt();
        for iterations in 0..self.iterations {
            let size = norm(&descent);
            if size <= tolerance {
                return Ok(Iterated { last: at, iterations, converged: true });
            }
            let mut halvings = 0;
            let (next, next_energy, next_descent) = loop {
                let next = advance(self.manifold, &at, &descent, step)?;
                let (next_energy, next_descent) = gradient(self.manifold, &next, points, predictors)?;
                let falls = next_energy <= energy - 1e-4 * step * size * size;
                // near the minimum the change of energy is below its rounding
                let level = next_energy <= energy * (1.0 + 1e-13) && norm(&next_descent) < size;
                if falls || level {
                    break (next, next_energy, next_descent);
                }
                if halvings == HALVINGS {
                    let floor = rounding_floor(self.manifold, &at.footpoint, reach);
                    return Ok(Iterated { last: at, iterations, converged: size <= floor });
                }
                halvings += 1;
                step *= 0.5;
            };
            step *= barzilai_borwein(self.manifold, &at, &descent, &next, &next_descent)?;
            (at, energy, descent) = (next, next_energy, next_descent);
        }
        Ok(Iterated { last: at, iterations: self.iterations, converged: norm(&descent) <= tolerance })
    }
}

/// `(Exp_p(t·a), P(v + t·b))` for the direction `(a, b)` in coordinates of the frame at `p`, `P` the transport along
/// that step.
pub(crate) fn advance(manifold: &dyn Manifold, at: &Geodesic, direction: &[f64], step: f64) -> Result<Geodesic> {
    let (a, b) = direction.split_at(manifold.dim());
    let len = at.footpoint.len();
    let (mut move_by, mut turn_by) = (vec![0.0; len], vec![0.0; len]);
    manifold.from_frame(&at.footpoint, &a.iter().map(|a| step * a).collect::<Vec<_>>(), &mut move_by);
    manifold.from_frame(&at.footpoint, &b.iter().map(|b| step * b).collect::<Vec<_>>(), &mut turn_by);
    turn_by.iter_mut().zip(&at.velocity).for_each(|(t, v)| *t += v);
    let (mut footpoint, mut velocity) = (vec![0.0; len], vec![0.0; len]);
    manifold.exp(&at.footpoint, &move_by, &mut footpoint);
    manifold.transport(&at.footpoint, &footpoint, &turn_by, &mut velocity)?;
    Ok(Geodesic { footpoint, velocity })
}

/// The factor on the step, between a tenth and ten, that makes it exact if the Hessian is a multiple of the identity.
fn barzilai_borwein(manifold: &dyn Manifold, at: &Geodesic, g: &[f64], next: &Geodesic, g_next: &[f64]) -> Result<f64> {
    let d = manifold.dim();
    let mut carried = vec![0.0; 2 * d];
    for (g, carried) in g_next.chunks_exact(d).zip(carried.chunks_exact_mut(d)) {
        let (mut there, mut here) = (vec![0.0; at.footpoint.len()], vec![0.0; at.footpoint.len()]);
        manifold.from_frame(&next.footpoint, g, &mut there);
        manifold.transport(&next.footpoint, &at.footpoint, &there, &mut here)?;
        manifold.to_frame(&at.footpoint, &here, carried);
    }
    let along: f64 = g.iter().map(|g| g * g).sum();
    let change: f64 = g.iter().zip(&carried).map(|(g, c)| g * (g - c)).sum();
    Ok(if change > 0.0 { (along / change).clamp(0.1, 10.0) } else { 10.0 })
}

/// The energy and minus its gradient, `(1/n)·Σ (A†eᵢ, xᵢ·B†eᵢ)`, in coordinates of the frame at the footpoint.
fn gradient(
    manifold: &dyn Manifold,
    at: &Geodesic,
    points: PointsView<'_>,
    predictors: &[f64],
) -> Result<(f64, Vec<f64>)> {
    let d = manifold.dim();
    let mut mean = sum_in_chunks(points, 2 * d + 1, |first, chunk, sum| {
        let mut pull = RecordScore::new(manifold, at);
        for (y, x) in chunk.iter().zip(&predictors[first..]) {
            let residual = pull.of(*x, y, f64::INFINITY)?;
            add_scaled(&mut sum[..2 * d], 1.0, &pull.coordinates);
            sum[2 * d] += 0.5 * residual * residual;
        }
        Ok::<(), Error>(())
    })?;
    mean.iter_mut().for_each(|x| *x /= points.len() as f64);
    let energy = mean.pop().unwrap_or_default(); // 2d + 1 numbers
    Ok((energy, mean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use crate::noise::{Generator, Law};
    use crate::points::Points;
    use crate::sampler::Isotropic;
    use std::sync::Arc;

    /// Spaces, the length of velocities and the size of residuals.
    const SPACES: [(&str, f64, f64); 10] = [
        ("euclidean:3", 2.0, 0.5),
        ("sphere:1", 1.0, 0.3),
        ("sphere:2", 1.5, 0.3),
        ("sphere:5", 1.0, 0.3),
        ("hyperbolic:1", 1.5, 0.3),
        ("hyperbolic:3", 1.5, 0.3),
        ("spd-log-euclidean:3", 2.0, 0.5),
        ("spd-affine-invariant:3", 2.0, 0.5),
        ("kendall:3", 0.7, 0.1),
        ("kendall:6", 0.7, 0.1),
    ];

    fn manifold(name: &str) -> Arc<dyn Manifold> {
        name.parse::<Space>().unwrap().manifold().unwrap()
    }

    fn isotropic(m: &Arc<dyn Manifold>, p: &[f64], length: f64, generator: &mut Generator) -> Vec<f64> {
        let law = Isotropic::new(Arc::clone(m), Law::Gaussian, length / (m.dim() as f64).sqrt()).unwrap();
        let mut out = p.to_vec();
        law.sample(p, generator, &mut out).unwrap();
        out
    }

    /// A geodesic, predictors from −1 to 1, and records around its predictions.
    fn sample(m: &Arc<dyn Manifold>, n: usize, speed: f64, noise: f64, seed: u64) -> (Geodesic, Vec<f64>, Points) {
        let mut generator = Generator::seeded(seed);
        let mut origin = vec![0.0; m.point_len()];
        m.origin(&mut origin);
        let footpoint = isotropic(m, &origin, 0.3, &mut generator);
        let mut c: Vec<f64> = (0..m.dim()).map(|i| 1.0 + (i as f64 * 1.7).sin()).collect();
        let length = norm(&c);
        c.iter_mut().for_each(|c| *c *= 0.5 * speed / length);
        let mut velocity = origin.clone();
        m.from_frame(&footpoint, &c, &mut velocity);
        let geodesic = Geodesic { footpoint, velocity };
        let xs: Vec<f64> = (0..n).map(|i| 2.0 * i as f64 / (n - 1) as f64 - 1.0).collect();
        let values = xs
            .iter()
            .flat_map(|&x| {
                let y = geodesic.at(m, x);
                if noise > 0.0 { isotropic(m, &y, noise, &mut generator) } else { y }
            })
            .collect();
        let points = Points::new(m, values).unwrap();
        (geodesic, xs, points)
    }

    #[test]
    fn gradient_is_the_finite_difference_of_the_energy() {
        for (name, speed, noise) in SPACES {
            let m = manifold(name);
            let (at, xs, points) = sample(&m, 30, speed, noise, 1);
            let (_, descent) = gradient(&*m, &at, points.view(), &xs).unwrap();
            assert!(norm(&descent) > 1e-4, "{name}: nothing to see");
            for i in 0..2 * m.dim() {
                let mut direction = vec![0.0; 2 * m.dim()];
                direction[i] = 1.0;
                let energy = |h: f64| {
                    let there = advance(&*m, &at, &direction, h).unwrap();
                    gradient(&*m, &there, points.view(), &xs).unwrap().0
                };
                let difference = (energy(-1e-5) - energy(1e-5)) / 2e-5;
                assert!((difference - descent[i]).abs() < 1e-8, "{name} {i}: {difference} {}", descent[i]);
            }
        }
    }

    #[test]
    fn records_on_a_geodesic_give_it_back() {
        for (name, speed, _) in SPACES {
            let m = manifold(name);
            let (truth, xs, points) = sample(&m, 7, speed, 0.0, 2);
            let shifted: Vec<f64> = xs.iter().map(|x| 4.0 + 3.0 * x).collect();
            let fit = GeodesicRegression::new(&*m).fit(points.view(), &shifted).unwrap();
            for (x, y) in shifted.iter().zip(points.view().iter()) {
                assert!(m.dist(&fit.at(&*m, *x), y) < 1e-7, "{name}");
            }
            let fit = GeodesicRegression::new(&*m).fit(points.view(), &xs).unwrap();
            assert!(m.dist(&fit.footpoint, &truth.footpoint) < 1e-8, "{name}");
            assert!((m.norm(&fit.footpoint, &fit.velocity) - 0.5 * speed).abs() < 1e-8, "{name}");
        }
    }

    /// The minimum found has gradient 0 and no neighbour of lower energy.
    #[test]
    fn fit_is_a_minimum_of_the_energy() {
        for (name, speed, noise) in SPACES {
            let m = manifold(name);
            let (_, xs, points) = sample(&m, 300, speed, noise, 3);
            let fit = GeodesicRegression::new(&*m).fit(points.view(), &xs).unwrap();
            let (energy, descent) = gradient(&*m, &fit, points.view(), &xs).unwrap();
            assert!(norm(&descent) < 1e-9, "{name}: {}", norm(&descent));
            for i in 0..2 * m.dim() {
                for h in [1e-3, -1e-3] {
                    let mut direction = vec![0.0; 2 * m.dim()];
                    direction[i] = h;
                    let there = advance(&*m, &fit, &direction, 1.0).unwrap();
                    assert!(gradient(&*m, &there, points.view(), &xs).unwrap().0 > energy, "{name} {i}");
                }
            }
        }
    }

    /// Intercept and slope by the textbook's formulas.
    #[test]
    fn on_euclidean_space_it_is_linear_regression() {
        let m = manifold("euclidean:2");
        let xs = [0.3, 1.9, 2.0, 4.0, 7.0];
        let ys = [1.0, -2.0, 0.5, 3.0, 2.5, 0.0, 1.0, 1.0, -4.0, 2.0];
        let fit = GeodesicRegression::new(&*m).fit(Points::new(&*m, ys.to_vec()).unwrap().view(), &xs).unwrap();
        let mean_x = xs.iter().sum::<f64>() / 5.0;
        for j in 0..2 {
            let mean_y = (0..5).map(|i| ys[2 * i + j]).sum::<f64>() / 5.0;
            let sxy: f64 = (0..5).map(|i| (xs[i] - mean_x) * (ys[2 * i + j] - mean_y)).sum();
            let sxx: f64 = xs.iter().map(|x| (x - mean_x).powi(2)).sum();
            assert!((fit.velocity[j] - sxy / sxx).abs() < 1e-12);
            assert!((fit.footpoint[j] - (mean_y - sxy / sxx * mean_x)).abs() < 1e-12);
        }
    }

    /// Seconds since 1970 as responses, exact in integers: `β = Σ(n·x − Σx)(n·y − Σy)/Σ(n·x − Σx)²`.
    #[test]
    fn responses_far_from_zero_lose_no_digits() {
        let m = manifold("euclidean:1");
        for n in [2_i128, 5, 100, 1_000] {
            let xs: Vec<i128> = (0..n).map(|i| i * i % 37 + i).collect();
            let ys: Vec<i128> = (0..n).map(|i| 1_700_000_000 + 3 * i + i * 7919 % 11).collect();
            let (x_sum, y_sum) = (xs.iter().sum::<i128>(), ys.iter().sum::<i128>());
            let apart = |x: &i128, sum: i128| n * x - sum;
            let top: i128 = xs.iter().zip(&ys).map(|(x, y)| apart(x, x_sum) * apart(y, y_sum)).sum();
            let bottom: i128 = xs.iter().map(|x| apart(x, x_sum).pow(2)).sum();
            let slope = top as f64 / bottom as f64;
            // y₀ = (Σy·bottom − Σx·top)/(n·bottom), less 1.7e9
            let intercept = ((y_sum - 1_700_000_000 * n) * bottom - x_sum * top) as f64 / (n * bottom) as f64;
            let real = |a: &[i128]| a.iter().map(|a| *a as f64).collect::<Vec<_>>();
            let points = Points::new(&*m, real(&ys)).unwrap();
            let fit = GeodesicRegression::new(&*m).fit(points.view(), &real(&xs)).unwrap();
            assert!((fit.velocity[0] - slope).abs() < 1e-11, "{n}: {} {slope}", fit.velocity[0]);
            assert!((fit.footpoint[0] - 1.7e9 - intercept).abs() < 1e-6, "{n}");
        }
    }

    /// Flat spaces are `R^d` in other coordinates.
    #[test]
    fn on_flat_spaces_it_is_linear_regression_of_coordinates() {
        for (name, spread) in [("spd-log-euclidean:8", 1e-5), ("spd-log-euclidean:2", 2.0), ("hyperbolic:1", 1e-9)] {
            let m = manifold(name);
            let chart = m.flat_chart().unwrap();
            let (_, xs, points) = sample(&m, 40, 0.5 * spread, spread, 5);
            let mut coordinates = vec![0.0; 40 * m.dim()];
            chart.all_to_flat(points.view(), &mut coordinates);
            let flat = crate::manifold::Euclidean::new(m.dim()).unwrap();
            let expected =
                GeodesicRegression::new(&flat).fit(Points::new(&flat, coordinates).unwrap().view(), &xs).unwrap();
            let fit = GeodesicRegression::new(&*m).fit(points.view(), &xs).unwrap();
            for x in [-1.0, 0.0, 0.7] {
                let mut at = vec![0.0; m.dim()];
                chart.to_flat(&fit.at(&*m, x), &mut at);
                let error: f64 = at.iter().zip(expected.at(&flat, x)).map(|(a, b)| (a - b).powi(2)).sum();
                assert!(error.sqrt() < 1e-13, "{name}: {error:e}");
            }
        }
    }

    /// Records on a geodesic no longer than a few metres on the Earth, or than a few roundings.
    #[test]
    fn tight_data_are_fitted_to_rounding() {
        for (name, _, _) in SPACES {
            let m = manifold(name);
            for spread in [1e-4, 1.6e-6, 1e-8, 1e-12] {
                for noise in [0.0, 0.3 * spread] {
                    for seed in 0..4 {
                        let (truth, xs, points) = sample(&m, 25, spread, noise, seed);
                        let fit = GeodesicRegression::new(&*m).fit(points.view(), &xs);
                        let fit = fit.unwrap_or_else(|e| panic!("{name} at {spread} ± {noise}, seed {seed}: {e}"));
                        let error = m.dist(&fit.at(&*m, 0.5), &truth.at(&*m, 0.5));
                        assert!(error < 1e-13 + 2.0 * noise, "{name} at {spread} ± {noise}, seed {seed}: {error:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn fit_is_the_same_for_any_number_of_threads() {
        let m = manifold("sphere:2");
        let (_, xs, points) = sample(&m, 2000, 1.0, 0.3, 4);
        let fit = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| GeodesicRegression::new(&*m).fit(points.view(), &xs).unwrap())
        };
        assert_eq!(fit(1), fit(3));
    }

    #[test]
    fn what_has_no_regression_is_refused_with_a_sentence() {
        let m = manifold("euclidean:1");
        let points = |n: usize| Points::new(&*m, (0..n).map(|i| i as f64).collect()).unwrap();
        let refusal =
            |n: usize, xs: &[f64]| GeodesicRegression::new(&*m).fit(points(n).view(), xs).unwrap_err().to_string();
        assert_eq!(refusal(1, &[1.0]), "number of records is 1: a regression needs at least two");
        assert_eq!(refusal(3, &[1.0, 2.0]), "number of predictors is 2: there must be one for each record, 3 in all");
        assert_eq!(refusal(2, &[1.0, f64::NAN]), "record 2: its predictor is NaN");
        let same = "predictor is 5: all are equal: a slope needs at least two different values";
        assert_eq!(refusal(2, &[5.0, 5.0]), same);
        let bad = GeodesicRegression::new(&*m).tolerance(0.0).fit(points(2).view(), &[0.0, 1.0]);
        assert_eq!(bad.unwrap_err().to_string(), "tolerance is 0: it must be a positive number");
    }
}
