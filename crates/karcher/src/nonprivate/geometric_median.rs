//! The geometric median: the point that minimises the mean distance to the records.

use super::iterated::Iterated;
use super::sums::sum_in_chunks;
use super::weights;
use crate::error::{Error, GeometryError, Result};
use crate::manifold::Manifold;
use crate::points::PointsView;
use crate::vector::{add_scaled, norm};

/// The default tolerance, as a fraction of the largest distance between the start and a record.
const TOLERANCE: f64 = 1e-10;

/// Largest number of halvings of a step before it counts as hidden by rounding.
const HALVINGS: usize = 40;

/// The geometric median `argmin_m (1/n)·Σ ρ(m, xᵢ)`. A minority of wild records moves it by no more than the distance
/// between the others, however far out they are.
///
/// Weiszfeld's (1937) iteration, `m ← Exp_m(Σ uᵢ/Σ 1/ρᵢ)` with the unit vectors `uᵢ = Log_m xᵢ/ρᵢ`, `ρᵢ = ρ(m, xᵢ)`; on
/// manifolds Fletcher, Venkatasubramanian and Joshi 2009. Where `k` records lie at `m`, the sum is shortened by `k`,
/// and `m` is the median if nothing is left (Vardi and Zhang 2000). A step that would raise the mean distance is
/// halved. The iteration stops where a step is no longer than the tolerance. A record of weight `w` counts as `w` equal
/// ones.
///
/// On a line, where medians may fill a segment, it returns one of them. On curved spaces it returns a local minimum
/// near the start. This is the only one where records lie in a ball of radius `¼·π/√κ` and the start does too.
///
/// **Not private.** See [`mechanism::MedianFlow`](crate::mechanism::MedianFlow) for releases.
///
/// ```
/// use karcher::{Points, manifold::Euclidean, nonprivate::GeometricMedian};
/// let plane = Euclidean::new(2)?;
/// let corners = vec![0.0, 0.0, 4.0, 0.0, 4.0, 2.0, 0.0, 2.0, 2.0, 1.0, 2.0, 1.0, 1e6, 1e6];
/// let median = GeometricMedian::new(&plane).fit(Points::new(&plane, corners)?.view())?;
/// assert!((median[0] - 2.0).abs() < 1e-3 && (median[1] - 1.0).abs() < 1e-3); // where the mean is far away
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct GeometricMedian<'a> {
    manifold: &'a dyn Manifold,
    weights: Option<&'a [f64]>,
    start: Option<&'a [f64]>,
    tolerance: Option<f64>,
    iterations: usize,
}

/// Sums at an iterate, with the weights `wᵢ` of the records.
struct Look {
    /// `Σ wᵢ·uᵢ` over the records at other points, in coordinates of the frame.
    pull: Vec<f64>,
    /// `Σ wᵢ/ρᵢ` over them.
    inverse: f64,
    /// Weight of the records at the iterate.
    here: f64,
    /// `Σ wᵢ·ρᵢ`.
    distance: f64,
}

impl<'a> GeometricMedian<'a> {
    /// The median on a manifold: started at the first record, at most 10,000 iterations.
    pub fn new(manifold: &'a dyn Manifold) -> Self {
        Self { manifold, weights: None, start: None, tolerance: None, iterations: 10_000 }
    }

    /// Non-negative weights, one for each record; only their ratios matter.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, nonprivate::GeometricMedian};
    /// let line = Euclidean::new(1)?;
    /// let points = Points::new(&line, vec![0.0, 1.0, 5.0])?;
    /// let median = GeometricMedian::new(&line).weights(&[1.0, 1.0, 3.0]).fit(points.view())?;
    /// assert!((median[0] - 5.0).abs() < 1e-8);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn weights(self, weights: &'a [f64]) -> Self {
        Self { weights: Some(weights), ..self }
    }

    /// Start of the iteration; the first record of some weight by default.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, nonprivate::GeometricMedian};
    /// let line = Euclidean::new(1)?;
    /// let points = Points::new(&line, vec![0.0, 1.0, 5.0])?;
    /// let median = GeometricMedian::new(&line).start(&[4.0]).fit(points.view())?;
    /// assert!((median[0] - 1.0).abs() < 1e-8);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn start(self, point: &'a [f64]) -> Self {
        Self { start: Some(point), ..self }
    }

    /// The length of a step at which the iteration stops, in units of distance. Default: 1e-10 times the largest
    /// distance between the start and a record.
    ///
    /// ```
    /// use karcher::{Error, Points, manifold::Euclidean, nonprivate::GeometricMedian};
    /// let line = Euclidean::new(1)?;
    /// let points = Points::new(&line, vec![0.0, 1.0, 5.0])?;
    /// let refused = GeometricMedian::new(&line).tolerance(0.0).fit(points.view());
    /// assert!(matches!(refused, Err(Error::InvalidParameter { name: "tolerance", .. })));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance: Some(tolerance), ..self }
    }

    /// The largest number of iterations.
    #[must_use]
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }

    /// Computes the median.
    ///
    /// # Errors
    /// [`Error::Geometry`] for points of another space, for a start that is no point, and for a record at the largest
    /// distance from an iterate. Also [`Error::InvalidParameter`] for bad weights or a bad tolerance. Also
    /// [`Error::NoConvergence`] after the last iteration.
    ///
    /// ```
    /// use karcher::{Points, manifold::Sphere, nonprivate::GeometricMedian};
    /// let sphere = Sphere::new(2)?;
    /// let points = Points::new(&sphere, vec![0.6, 0.8, 0.0, 0.6, -0.8, 0.0, 1.0, 0.0, 0.0])?;
    /// let median = GeometricMedian::new(&sphere).fit(points.view())?;
    /// assert!((median[0] - 1.0).abs() < 1e-9); // between the two others
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
        let weight = |i: usize| weights.as_ref().map_or(1.0, |weights| weights[i]);
        let counted = || points.iter().enumerate().filter(|(i, _)| weight(*i) > 0.0).map(|(_, x)| x);
        if let Some(start) = self.start {
            self.manifold.check_point(start)?;
        }
        // Points are never empty, and some weight is not 0
        let start = self.start.or_else(|| counted().next()).unwrap_or_default();
        let reach = counted().map(|x| self.manifold.dist(start, x)).fold(0.0, f64::max);
        let tolerance = match self.tolerance {
            Some(t) if t > 0.0 && t.is_finite() => t,
            Some(value) => {
                let requirement = "it must be a positive number".to_owned();
                return Err(Error::InvalidParameter { name: "tolerance", value, requirement });
            }
            None => TOLERANCE * reach,
        };
        let mut m = start.to_vec();
        let mut look = self.look(&m, points, &weight)?;
        for done in 1..=self.iterations {
            let pull = norm(&look.pull);
            let left = pull - look.here;
            if left <= 0.0 {
                return Ok(Iterated { last: m, iterations: done, converged: true });
            }
            // towards Weiszfeld's next point, shortened by the records here
            let mut step: Vec<f64> = look.pull.iter().map(|u| u * (left / pull) / look.inverse).collect();
            let mut lower = None;
            for _ in 0..HALVINGS {
                if norm(&step) <= tolerance {
                    break;
                }
                let next = self.moved(&m, &step);
                let there = self.look(&next, points, &weight)?;
                if there.distance < look.distance {
                    lower = Some((next, there));
                    break;
                }
                step.iter_mut().for_each(|s| *s *= 0.5);
            }
            match lower {
                Some((next, there)) => (m, look) = (next, there),
                // near enough, or as near as numbers tell
                None => return Ok(Iterated { last: m, iterations: done, converged: true }),
            }
        }
        Ok(Iterated { last: m, iterations: self.iterations, converged: false })
    }

    fn moved(&self, m: &[f64], step: &[f64]) -> Vec<f64> {
        let (mut v, mut next) = (vec![0.0; m.len()], vec![0.0; m.len()]);
        self.manifold.from_frame(m, step, &mut v);
        self.manifold.exp(m, &v, &mut next);
        self.manifold.repair(&mut next);
        next
    }

    fn look(&self, m: &[f64], points: PointsView<'_>, weight: &(dyn Fn(usize) -> f64 + Sync)) -> Result<Look> {
        let d = self.manifold.dim();
        let sum = sum_in_chunks(points, d + 3, |first, chunk, sum| {
            let mut logs = vec![0.0; chunk.len() * d];
            self.manifold.frame_logs(m, chunk, &mut logs);
            let (pull, rest) = sum.split_at_mut(d);
            for (i, c) in logs.chunks_exact(d).enumerate() {
                let (distance, weight) = (norm(c), weight(first + i));
                if weight == 0.0 {
                    continue;
                }
                if distance.is_nan() {
                    return Err(GeometryError::CutLocus { space: self.manifold.space().clone() }.into());
                }
                if distance > 0.0 {
                    add_scaled(pull, weight / distance, c);
                    rest[0] += weight / distance;
                } else {
                    rest[1] += weight;
                }
                rest[2] += weight * distance;
            }
            Ok::<(), Error>(())
        })?;
        let (pull, rest) = sum.split_at(d);
        Ok(Look { pull: pull.to_vec(), inverse: rest[0], here: rest[1], distance: rest[2] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use crate::noise::Generator;
    use crate::points::Points;
    use rand_distr::{Distribution, StandardNormal};

    /// A cluster about the origin, and a fraction of records at a far point.
    fn data(name: &str, n: usize, wild: usize) -> (std::sync::Arc<dyn Manifold>, Points) {
        let m = name.parse::<Space>().unwrap().manifold().unwrap();
        let mut generator = Generator::seeded(5);
        let mut origin = vec![0.0; m.point_len()];
        m.origin(&mut origin);
        let far = 0.9 * m.injectivity_radius().min(3.0);
        let mut values = vec![];
        for i in 0..n {
            let mut c: Vec<f64> = (0..m.dim()).map(|_| StandardNormal.sample(&mut generator)).collect();
            c.iter_mut().for_each(|c: &mut f64| *c *= 0.1);
            if i < wild {
                c.fill(0.0);
                c[0] = far;
            }
            let (mut v, mut x) = (vec![0.0; m.point_len()], vec![0.0; m.point_len()]);
            m.from_frame(&origin, &c, &mut v);
            m.exp(&origin, &v, &mut x);
            values.extend(x);
        }
        let points = Points::new(&*m, values).unwrap();
        (m, points)
    }

    const SPACES: [&str; 6] =
        ["euclidean:3", "sphere:2", "hyperbolic:2", "spd-affine-invariant:2", "kendall:5", "torus:2"];

    /// Small steps in every direction raise the mean distance: the definition, and not the iteration.
    #[test]
    fn no_nearby_point_has_a_smaller_mean_distance() {
        for name in SPACES {
            let (m, points) = data(name, 101, 20);
            let fit = GeometricMedian::new(&*m);
            let median = fit.fit(points.view()).unwrap();
            let mean_distance = |p: &[f64]| points.view().iter().map(|x| m.dist(p, x)).sum::<f64>() / 101.0;
            let least = mean_distance(&median);
            for i in 0..2 * m.dim() {
                let mut c = vec![0.0; m.dim()];
                c[i / 2] = if i % 2 == 0 { 1e-4 } else { -1e-4 };
                assert!(mean_distance(&fit.moved(&median, &c)) > least, "{name}, direction {i}");
            }
        }
    }

    #[test]
    fn a_fifth_of_wild_records_moves_the_median_by_less_than_the_cluster_is_wide() {
        for name in SPACES {
            let (m, points) = data(name, 500, 100);
            let mut origin = vec![0.0; m.point_len()];
            m.origin(&mut origin);
            let median = GeometricMedian::new(&*m).start(&origin).fit(points.view()).unwrap();
            let mean = crate::nonprivate::FrechetMean::new(&*m).start(&origin).fit(points.view()).unwrap();
            let off = [&median, &mean].map(|p| m.dist(&origin, p));
            assert!(off[0] < 0.12 && off[1] > 1.4 * off[0], "{name}: {off:?}");
        }
    }

    #[test]
    fn a_record_that_most_records_share_is_the_median() {
        let plane = "euclidean:2".parse::<Space>().unwrap().manifold().unwrap();
        let points = Points::new(&*plane, [[3.0, 1.0]; 6].concat().into_iter().chain([0.0; 10]).collect()).unwrap();
        for start in [[0.0, 0.0], [9.0, 9.0], [3.0, 1.0]] {
            let median = GeometricMedian::new(&*plane).start(&start).fit(points.view()).unwrap();
            assert!((median[0] - 3.0).abs() < 1e-7 && (median[1] - 1.0).abs() < 1e-7, "{start:?}: {median:?}");
        }
    }

    /// A weight is a number of equal records, and a record of weight 0 is left out. The sum of distances tells points
    /// apart that are about the root of an ulp apart.
    #[test]
    fn weights_count_as_repeated_records() {
        for name in SPACES {
            let (m, points) = data(name, 41, 8);
            let weights: Vec<f64> = (0..41).map(|i| f64::from(i % 4)).collect();
            let repeated = points.view().iter().zip(&weights).flat_map(|(x, w)| x.repeat(*w as usize)).collect();
            let repeated = Points::new(&*m, repeated).unwrap();
            let fit = GeometricMedian::new(&*m);
            let halves: Vec<f64> = weights.iter().map(|w| 0.5 * w).collect();
            let weighted = fit.clone().weights(&halves).fit(points.view()).unwrap();
            let expected = fit.fit(repeated.view()).unwrap();
            assert!(m.dist(&weighted, &expected) < 1e-7, "{name}");
            assert!(m.dist(&weighted, &fit.fit(points.view()).unwrap()) > 1e-4, "{name}: weights change nothing");
        }
    }

    #[test]
    fn weights_that_are_none_are_refused() {
        let (m, points) = data("sphere:2", 3, 0);
        for bad in [&[1.0, 1.0][..], &[1.0, -1.0, 1.0], &[0.0; 3], &[1.0, f64::NAN, 1.0]] {
            let refused = GeometricMedian::new(&*m).weights(bad).fit(points.view());
            assert!(matches!(refused, Err(Error::InvalidParameter { name: "weight", .. })), "{bad:?}");
        }
    }

    #[test]
    fn too_few_iterations_say_so() {
        let (m, points) = data("sphere:2", 100, 20);
        assert_eq!(GeometricMedian::new(&*m).iterations(1).fit(points.view()), Err(Error::NoConvergence));
        let short = GeometricMedian::new(&*m).iterations(3).iterate(points.view()).unwrap();
        assert!(!short.converged && short.iterations == 3 && m.check_point(&short.last).is_ok());
        let long = GeometricMedian::new(&*m).iterate(points.view()).unwrap();
        assert!(long.converged && long.iterations > 3);
    }
}
