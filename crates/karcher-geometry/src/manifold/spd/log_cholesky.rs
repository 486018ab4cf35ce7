//! SPD matrices with the log-Cholesky metric: flat, isometric to `R^{k(k+1)/2}` by the Cholesky factor.
//!
//! With `P = LLᵀ`, the chart is the logarithms of the diagonal of `L` and the numbers below it (Lin 2019). It is onto: any
//! numbers below the diagonal and any logarithms make a factor. The metric depends on the order of the variables. The
//! determinant of a mean is the geometric mean of the determinants.
//!
//! Zhenhua Lin, Riemannian geometry of symmetric positive definite matrices via Cholesky decomposition, SIAM J. Matrix
//! Anal. Appl. 40, 2019.

use super::super::flat::{Chart, Flat};
use super::super::{AtypicalOrigin, Layout, Operand, Shape, check_size, rounding_of, rows};
use super::factors::{Differential, Factor, Image, InverseDifferential, OfFactor, Point, Square, ToFactor};
use super::layouts::{self, ATYPICAL_IDENTITY};
use super::{LARGEST_MATRIX, check_matrix, check_symmetric, dim, identity, prechecked_symmetric, repair, symmetrize};
use crate::error::Result;
use crate::linalg;
use crate::space::Space;

/// Symmetric positive definite `k×k` matrices, log-Cholesky metric.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, SpdLogCholesky};
/// let matrices = SpdLogCholesky::new(2)?;
/// // the factors are the identity and [[1, 0], [3, e]]: 3 apart below the diagonal, 1 on it
/// let e2 = 2.0_f64.exp();
/// let distance = matrices.dist(&[1.0, 0.0, 0.0, 1.0], &[1.0, 3.0, 3.0, 9.0 + e2]);
/// assert!((distance - 10.0_f64.sqrt()).abs() < 1e-14);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
pub type SpdLogCholesky = Flat<LogCholesky>;

impl SpdLogCholesky {
    /// Matrices of size `k×k`.
    ///
    /// # Errors
    /// [`Error::InvalidSize`](crate::Error::InvalidSize).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Model, SpdLogCholesky};
    /// let matrices = SpdLogCholesky::new(3)?;
    /// assert_eq!((matrices.dim(), matrices.point_len(), matrices.model()), (6, 9, Model::Flat));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(k: usize) -> Result<Self> {
        let space = Space::named(format!("spd-log-cholesky:{k}"));
        check_size(&space, k, 1, LARGEST_MATRIX)?;
        Ok(Self { chart: LogCholesky { k }, space })
    }
}

/// The Cholesky factor of `k×k` matrices. An image is the logarithms of its diagonal, then the numbers below it, row by
/// row.
#[derive(Debug, Clone)]
pub struct LogCholesky {
    k: usize,
}

impl Chart for LogCholesky {
    /// `L`.
    type At = Vec<f64>;

    fn dim(&self) -> usize {
        dim(self.k)
    }

    fn point_len(&self) -> usize {
        self.k * self.k
    }

    /// A point has a factor, because its condition number is below that of rounding (`largest_condition`).
    fn at(&self, p: &[f64]) -> Vec<f64> {
        rows::of_one(&Factor(self.k), p)
    }

    fn at_image(&self, w: &[f64]) -> Vec<f64> {
        rows::of_one(&ToFactor(self.k), w)
    }

    fn point(&self, l: &Vec<f64>) -> Vec<f64> {
        rows::of_one(&Square(self.k), l)
    }

    fn image(&self, l: &Vec<f64>) -> Vec<f64> {
        rows::of_one(&OfFactor(self.k), l)
    }

    fn differential(&self, l: &Vec<f64>, v: &[f64]) -> Vec<f64> {
        rows::of_one(&Differential { k: self.k, l }, v)
    }

    fn inverse_differential(&self, l: &Vec<f64>, w: &[f64]) -> Vec<f64> {
        rows::of_one(&InverseDifferential { k: self.k, l }, w)
    }

    fn images(&self, points: &[f64]) -> Vec<f64> {
        rows::of_each(&Image(self.k), points)
    }

    fn points(&self, images: &[f64], out: &mut [f64]) {
        rows::into_each(&Point(self.k), images, out);
    }

    fn differentials(&self, l: &Vec<f64>, v: &[f64]) -> Vec<f64> {
        rows::of_each(&Differential { k: self.k, l }, v)
    }

    fn inverse_differentials(&self, l: &Vec<f64>, w: &[f64], out: &mut [f64]) {
        rows::into_each(&InverseDifferential { k: self.k, l }, w, out);
    }

    fn origin(&self, out: &mut [f64]) {
        identity(self.k, out);
    }

    fn check_point(&self, p: &[f64]) -> std::result::Result<(), String> {
        check_matrix(self.k, p)
    }

    /// Whether it is symmetric. If it is so to a relative 1e-6 alone, its lower triangle counts, in every operation.
    fn check_tangent(&self, p: &[f64], v: &[f64]) -> std::result::Result<(), String> {
        check_symmetric(self.k, v, rounding_of(p))
    }

    fn normalize(&self, p: &mut [f64]) {
        symmetrize(self.k, p);
    }

    /// The symmetric part.
    fn project(&self, p: &mut [f64]) {
        symmetrize(self.k, p);
    }

    fn repair(&self, p: &mut [f64]) {
        repair(self.k, p);
    }

    fn prechecked_points(&self, values: &[f64]) -> bool {
        linalg::clearly_positive_definite(self.k, values)
    }

    fn prechecked_tangents(&self, v: Operand<'_>) -> bool {
        prechecked_symmetric(self.k, v)
    }

    fn shape(&self) -> Shape {
        Shape::PositiveDefinite(self.k)
    }

    fn layouts(&self) -> Vec<Layout> {
        layouts::of_matrices(self.k)
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(ATYPICAL_IDENTITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{FlatChart, Manifold};

    fn near(found: &[f64], expected: &[f64], what: &str) {
        let off = found.iter().zip(expected).fold(0.0, |most: f64, (f, e)| most.max((f - e).abs()));
        assert!(off < 4e-15 && found.len() == expected.len(), "{what} is off by {off:e}: {found:?}");
    }

    /// geomstats 2.8.0: `PullbackDiffeoMetric(SPDMatrices(3), diffeo=CholeskyMap(), image_space=
    /// PositiveLowerTriangularMatrices(3))` with `CholeskyMetric`: `dist`, `inner_product`, `log`, `exp`.
    #[test]
    fn numbers_are_those_of_geomstats() {
        let m = SpdLogCholesky::new(3).unwrap();
        let p = [2.0, 0.5, 0.3, 0.5, 1.0, -0.2, 0.3, -0.2, 1.5];
        let q = [1.0, 0.1, 0.0, 0.1, 3.0, 0.4, 0.0, 0.4, 0.8];
        let v = [0.3, -0.1, 0.2, -0.1, 0.5, 0.7, 0.2, 0.7, -0.4];
        let mut out = [0.0; 9];
        near(&[m.dist(&p, &q), m.inner(&p, &v, &v)], &[0.9872685781634478, 0.8064827706387481], "length");
        m.log(&p, &q, &mut out).unwrap();
        let (a, b, c) = (-0.5318654389026769, -0.4039720770839918, 0.19363817988918303);
        near(&out, &[-1.3862943611198912, a, b, a, 0.8959148606423828, c, b, c, -1.228420668054491], "log");
        m.exp(&p, &v, &mut out);
        let (a, b, c) = (0.39073300469567895, 0.5146896820474115, 0.7655869106843061);
        near(&out, &[2.3236684854565666, a, b, a, 1.7418013503871592, c, b, c, 1.7859633934801287], "exp");
    }

    /// So the determinant of a mean is the geometric mean of the determinants.
    #[test]
    fn coordinates_of_the_diagonal_sum_to_half_the_logarithm_of_the_determinant() {
        let (m, mut c) = (SpdLogCholesky::new(2).unwrap(), [0.0; 3]);
        m.to_flat(&[2.0, 1.0, 1.0, 3.0], &mut c);
        assert!((c[0] + c[1] - 0.5 * 5.0_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn noise_far_out_gives_points() {
        for k in [1, 2, 5, 12] {
            let m = SpdLogCholesky::new(k).unwrap();
            for size in [1.0, 30.0, 1e3, 1e9, 1e200, f64::INFINITY] {
                let c: Vec<f64> = (0..m.dim()).map(|i| size * (((7 * i + 3) % 5) as f64 - 1.9)).collect();
                let mut p = vec![0.0; k * k];
                m.from_flat(&c, &mut p);
                assert!(m.check_point(&p).is_ok(), "{k} {size}: {p:?}");
            }
            let mut p = vec![0.0; k * k];
            m.from_flat(&vec![f64::NAN; m.dim()], &mut p); // no panic
        }
    }
}
