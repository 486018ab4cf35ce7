//! Coordinates in the tangent space at a matrix, as tangent space methods use them.

use super::dim;
use crate::error::{Error, Result};
use crate::linalg;
use crate::manifold::{Manifold, Operand, Shape};
use crate::points::PointsView;
use std::f64::consts::SQRT_2;

/// The coordinates of `Log_P` at one matrix `P` in the orthonormal basis that methods on tangent spaces of positive
/// definite matrices use (Barachant, Bonnet, Congedo and Jutten 2012). They are the upper triangle, row by row, with
/// off-diagonal entries times √2, of `Logm(P^-½·X·P^-½)` with the affine-invariant metric and of `Logm X − Logm P` with
/// the log-Euclidean one.
///
/// ```
/// use karcher_geometry::{Points, manifold::{SpdAffineInvariant, TangentSpace}};
/// use std::f64::consts::E;
/// let matrices = SpdAffineInvariant::new(2)?;
/// let points = Points::new(&matrices, vec![4.0 * E, 0.0, 0.0, 1.0])?;
/// let mut c = [0.0; 3];
/// TangentSpace::new(&matrices, &[4.0, 0.0, 0.0, 1.0]).ok_or("no point")?.coordinates(points.view(), &mut c)?;
/// assert!((c[0] - 1.0).abs() < 1e-15 && c[1..] == [0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct TangentSpace<'a> {
    manifold: &'a dyn Manifold,
    k: usize,
    reference: Vec<f64>,
    by: By,
}

#[derive(Debug, Clone)]
enum By {
    /// The flat coordinates of the reference.
    Chart(Vec<f64>),
    /// `P^-½`, by which logarithms at `P` are seen from it.
    Root(Vec<f64>),
}

impl<'a> TangentSpace<'a> {
    /// At a reference; `None` where it is no point of a space of positive definite matrices.
    pub fn new(manifold: &'a dyn Manifold, reference: &[f64]) -> Option<Self> {
        let Shape::PositiveDefinite(k) = manifold.shape() else { return None };
        manifold.check_point(reference).ok()?;
        let by = match manifold.flat_chart() {
            Some(chart) => {
                let mut flat = vec![0.0; manifold.dim()];
                chart.to_flat(reference, &mut flat);
                By::Chart(flat)
            }
            None => By::Root(linalg::eigen(reference, k).map(|l| 1.0 / l.sqrt())),
        };
        Some(Self { manifold, k, reference: reference.to_vec(), by })
    }

    /// The coordinates of points of the space, one after the other. The result of a point does not depend on the
    /// others.
    ///
    /// # Errors
    /// [`Error::CutLocus`] where one of them is singular to working precision as it is seen from the reference.
    pub fn coordinates(&self, points: PointsView<'_>, out: &mut [f64]) -> Result<()> {
        let (k, d, size) = (self.k, dim(self.k), self.k * self.k);
        let points = points.check_space(self.manifold.space())?;
        match &self.by {
            By::Chart(reference) => {
                let Some(chart) = self.manifold.flat_chart() else { return Ok(()) };
                let mut coordinates = vec![0.0; points.len() * d];
                chart.all_to_flat(points, &mut coordinates);
                for (flat, out) in coordinates.chunks_exact_mut(d).zip(out.chunks_exact_mut(d)) {
                    flat.iter_mut().zip(reference).for_each(|(x, of_reference)| *x -= of_reference);
                    row_by_row(k, flat, out);
                }
            }
            By::Root(root) => {
                let mut matrices = vec![0.0; 2 * points.values().len()];
                let (logs, seen) = matrices.split_at_mut(points.values().len());
                self.manifold.log_many(Operand::Same(&self.reference), Operand::Each(points.values()), logs);
                if logs.iter().any(|x| x.is_nan()) {
                    return Err(Error::CutLocus { space: self.manifold.space().clone() });
                }
                linalg::congruences(k, root, logs, seen);
                for (matrix, out) in seen.chunks_exact(size).zip(out.chunks_exact_mut(d)) {
                    upper_triangle(k, matrix, out);
                }
            }
        }
        Ok(())
    }
}

/// The upper triangle row by row, with off-diagonal entries times √2.
fn upper_triangle(k: usize, matrix: &[f64], out: &mut [f64]) {
    let mut from = 0;
    for (i, row) in matrix.chunks_exact(k).enumerate() {
        let out = &mut out[from..from + k - i];
        out[0] = row[i];
        out[1..].iter_mut().zip(&row[i + 1..]).for_each(|(out, x)| *out = SQRT_2 * x);
        from += k - i;
    }
}

/// The same of flat coordinates, in which the diagonal comes first.
fn row_by_row(k: usize, flat: &[f64], out: &mut [f64]) {
    let (diagonal, mut upper) = flat.split_at(k);
    let mut from = 0;
    for (i, on_diagonal) in diagonal.iter().enumerate() {
        let row = k - i - 1;
        out[from] = *on_diagonal;
        out[from + 1..][..row].copy_from_slice(&upper[..row]);
        upper = &upper[row..];
        from += row + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{SpdAffineInvariant, SpdLogEuclidean, norm};
    use crate::points::Points;
    use nalgebra::DMatrix;

    /// A matrix `Q·diag(λ)·Qᵀ` for a reflection `Q` that is another one for each `n`.
    fn turned(values: &[f64], n: usize) -> Vec<f64> {
        let k = values.len();
        let mut axis: Vec<f64> = (0..k).map(|i| ((i * i + 3 * n * i + n) as f64).sin()).collect();
        let length = norm(&axis);
        axis.iter_mut().for_each(|x| *x /= length);
        let q = DMatrix::from_fn(k, k, |i, j| f64::from(u8::from(i == j)) - 2.0 * axis[i] * axis[j]);
        let matrix = &q * DMatrix::from_diagonal(&values.to_vec().into()) * q.transpose();
        (0..k * k).map(|n| 0.5 * (matrix[(n / k, n % k)] + matrix[(n % k, n / k)])).collect()
    }

    /// `P^½·Expm(V)·P^½` for the symmetric `V` that the coordinates are.
    fn from_coordinates(k: usize, reference: &[f64], c: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; k * k];
        let mut next = c.iter();
        for i in 0..k {
            for j in i..k {
                let x = next.next().unwrap() / if i == j { 1.0 } else { SQRT_2 };
                (v[i * k + j], v[j * k + i]) = (x, x);
            }
        }
        let root = DMatrix::from_row_slice(k, k, &linalg::eigen(reference, k).map(f64::sqrt));
        let exponential = DMatrix::from_row_slice(k, k, &linalg::eigen(&v, k).map(f64::exp));
        let x = &root * exponential * &root;
        (0..k * k).map(|n| x[(n / k, n % k)]).collect()
    }

    #[test]
    fn affine_invariant_coordinates_are_those_seen_from_the_square_root() {
        for k in [1, 2, 3, 4, 5, 8, 22, 33] {
            let manifold = SpdAffineInvariant::new(k).unwrap();
            let reference = turned(&(0..k).map(|i| 1.0 + 0.3 * i as f64).collect::<Vec<f64>>(), 1);
            let values: Vec<f64> = (2..41)
                .flat_map(|n| turned(&(0..k).map(|i| 0.5 + ((i + n) % 5) as f64).collect::<Vec<f64>>(), n))
                .collect();
            let points = Points::new(&manifold, values).unwrap();
            let mut c = vec![0.0; points.len() * dim(k)];
            TangentSpace::new(&manifold, &reference).unwrap().coordinates(points.view(), &mut c).unwrap();
            for (x, c) in points.view().iter().zip(c.chunks_exact(dim(k))) {
                let back = from_coordinates(k, &reference, c);
                let off = back.iter().zip(x).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
                assert!(off < 1e-12 * (1.0 + norm(x)), "{k}: {off}");
                assert!((norm(c) / manifold.dist(&reference, x) - 1.0).abs() < 1e-12, "{k}");
            }
        }
    }

    #[test]
    fn log_euclidean_coordinates_are_differences_of_logarithms() {
        for k in [1, 2, 3, 5, 22] {
            let manifold = SpdLogEuclidean::new(k).unwrap();
            let [p, x] = [1, 2].map(|n| turned(&(0..k).map(|i| 1.0 + ((i + n) % 7) as f64).collect::<Vec<f64>>(), n));
            let points = Points::new(&manifold, x.clone()).unwrap();
            let (mut c, mut expected) = (vec![0.0; dim(k)], vec![0.0; dim(k)]);
            TangentSpace::new(&manifold, &p).unwrap().coordinates(points.view(), &mut c).unwrap();
            let [log_p, log_x] = [&p, &x].map(|x| linalg::eigen(x, k).map(f64::ln));
            let difference: Vec<f64> = log_x.iter().zip(&log_p).map(|(x, p)| x - p).collect();
            upper_triangle(k, &difference, &mut expected);
            assert!(c.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-13 * k as f64), "{k}");
        }
    }

    #[test]
    fn there_is_none_at_what_is_no_matrix() {
        let sphere = crate::manifold::Sphere::new(2).unwrap();
        assert!(TangentSpace::new(&sphere, &[1.0, 0.0, 0.0]).is_none());
        let matrices = SpdAffineInvariant::new(1).unwrap();
        assert!(TangentSpace::new(&matrices, &[-1.0]).is_none());
    }
}
