//! The isometry of a flat space with `R^d`.

use super::Manifold;
use crate::points::PointsView;
use std::sync::Arc;

/// An isometry `M → R^d` of the whole space: every law of Euclidean space then holds on `M`.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, SpdLogEuclidean};
/// let matrices = SpdLogEuclidean::new(2)?;
/// let chart = matrices.flat_chart().ok_or("curved")?;
/// let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
/// let (p, q) = ([2.0, 1.0, 1.0, 2.0], [1.0, 0.0, 0.0, 3.0]);
/// chart.to_flat(&p, &mut a);
/// chart.to_flat(&q, &mut b);
/// let straight = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
/// assert!((straight - matrices.dist(&p, &q)).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[allow(clippy::wrong_self_convention)]
pub trait FlatChart: Send + Sync {
    /// Point to its `d` coordinates.
    ///
    /// ```
    /// use karcher_geometry::manifold::{FlatChart, Hyperbolic};
    /// let mut t = [0.0];
    /// Hyperbolic::new(1)?.to_flat(&[2.0_f64.cosh(), 2.0_f64.sinh()], &mut t);
    /// assert!((t[0] - 2.0).abs() < 1e-15);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn to_flat(&self, p: &[f64], coordinates: &mut [f64]);

    /// Coordinates to their point.
    ///
    /// ```
    /// use karcher_geometry::manifold::{FlatChart, SpdLogEuclidean};
    /// let mut p = [0.0; 4];
    /// SpdLogEuclidean::new(2)?.from_flat(&[2.0_f64.ln(), 3.0_f64.ln(), 0.0], &mut p);
    /// assert!((p[0] - 2.0).abs() < 1e-14 && (p[3] - 3.0).abs() < 1e-14 && p[1].abs() < 1e-15);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn from_flat(&self, coordinates: &[f64], out: &mut [f64]);

    /// The numbers that hold the point best, where those of the point itself may lose it: the logarithm of a matrix.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Euclidean, FlatChart, SpdLogEuclidean};
    /// // of a matrix with eigenvalues e^±700, which no matrix of doubles holds
    /// let logarithm = SpdLogEuclidean::new(2)?.logarithm(&[700.0, -700.0, 0.0]);
    /// assert_eq!(logarithm, Some(vec![700.0, 0.0, 0.0, -700.0]));
    /// assert_eq!(Euclidean::new(1)?.logarithm(&[700.0]), None);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn logarithm(&self, _coordinates: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// The coordinates of each point, one after the other.
    ///
    /// ```
    /// use karcher_geometry::{Points, manifold::{FlatChart, SpdLogEuclidean}};
    /// let numbers = SpdLogEuclidean::new(1)?;
    /// let mut logarithms = [0.0; 2];
    /// numbers.all_to_flat(Points::new(&numbers, vec![1.0, 10.0])?.view(), &mut logarithms);
    /// assert!(logarithms[0] == 0.0 && (logarithms[1] - 10.0_f64.ln()).abs() < 1e-15);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn all_to_flat(&self, points: PointsView<'_>, coordinates: &mut [f64]) {
        let d = coordinates.len() / points.len();
        for (x, c) in points.iter().zip(coordinates.chunks_exact_mut(d)) {
            self.to_flat(x, c);
        }
    }

    /// Adds the coordinates of all points to `sum`, if the computation shows that the unchecked numbers are points that
    /// [`Points::new`](crate::Points::new) leaves as they are. On `false`, `sum` is unspecified.
    ///
    /// ```
    /// use karcher_geometry::manifold::{FlatChart, SpdLogEuclidean};
    /// let (numbers, mut sum) = (SpdLogEuclidean::new(1)?, [0.0]);
    /// assert!(numbers.prechecked_add_flat(&[2.0, 5.0], &mut sum));
    /// assert!((sum[0] - 10.0_f64.ln()).abs() < 1e-15);
    /// assert!(!numbers.prechecked_add_flat(&[2.0, -5.0], &mut sum));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn prechecked_add_flat(&self, _values: &[f64], _sum: &mut [f64]) -> bool {
        false
    }
}

/// A flat factor of a curved product whose numbers are not its flat coordinates (those of any but `euclidean:D`
/// and `size-and-shape:K,D`). They
/// may grow exponentially with the distance from the origin; a flat space by itself avoids this ([`FlatChart`]).
///
/// ```
/// use karcher_geometry::{Space, manifold::exponential_factor};
/// let space = "sphere:2*spd-log-euclidean:2".parse::<Space>()?.manifold()?;
/// assert_eq!(exponential_factor(&*space).map(|factor| factor.space().as_str()), Some("spd-log-euclidean:2"));
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
pub fn exponential_factor(manifold: &dyn Manifold) -> Option<&dyn Manifold> {
    let flat = manifold.flat_chart().is_some();
    let is_one = |factor: &&Arc<dyn Manifold>| factor.flat_chart().is_some() && !is_linear(&***factor);
    manifold.factors().iter().filter(|_| !flat).find(is_one).map(|factor| &**factor)
}

/// Whether the numbers of a point are its flat coordinates, up to a linear map that is the same everywhere: then a
/// point states its coordinates to the last bits, wherever it lies.
///
/// ```
/// use karcher_geometry::{Space, manifold::has_linear_numbers};
/// let is_linear = |name: &str| name.parse::<Space>().and_then(|space| space.manifold()).map(|m| has_linear_numbers(&*m));
/// assert!(is_linear("euclidean:3")? && is_linear("size-and-shape:4,2*euclidean:1")?);
/// assert!(!is_linear("spd-log-euclidean:2")? && !is_linear("sphere:2*euclidean:1")?);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
pub fn has_linear_numbers(manifold: &dyn Manifold) -> bool {
    match manifold.factors() {
        [] => is_linear(manifold),
        factors => factors.iter().all(|factor| is_linear(&**factor)),
    }
}

fn is_linear(manifold: &dyn Manifold) -> bool {
    ["euclidean:", "size-and-shape:"].iter().any(|family| manifold.space().as_str().starts_with(family))
}
