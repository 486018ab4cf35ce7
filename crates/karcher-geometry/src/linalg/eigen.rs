//! The spectral decomposition of one symmetric matrix.

use nalgebra::{DMatrix, SymmetricEigen};

use super::cholesky::{add_multiple, congruence, symmetrize};
use super::congruences::congruences;

/// Up to this size Jacobi's method is the faster one; it is always the more accurate one.
const JACOBI_UP_TO: usize = 4;

/// Orthonormal vectors have squared lengths within this, times `k`, of 1; others come from a failed decomposition.
const NOT_ORTHONORMAL: f64 = 1e-14;

/// A number of sweeps far beyond what quadratic convergence takes.
const MAX_SWEEPS: usize = 60;

/// `A = Σⱼ λⱼ vⱼ vⱼᵀ` with orthonormal `vⱼ`.
#[derive(Debug, Clone)]
pub struct Eigen {
    /// `λ`, ascending.
    pub values: Vec<f64>,
    /// The eigenvectors one after the other, in the order of the values.
    pub vectors: Vec<f64>,
}

/// The spectral decomposition of the symmetric `k × k` matrix `a`, row-major, from its lower triangle.
///
/// Backward stable: the residual is of the order of `k·2⁻⁵³·‖A‖`. Defined for every matrix of finite numbers;
/// an eigenvalue beyond the largest number becomes infinite.
///
/// ```
/// let decomposition = karcher_geometry::linalg::eigen(&[2.0, 1.0, 1.0, 2.0], 2);
/// assert!(decomposition.values.iter().zip([1.0, 3.0]).all(|(computed, exact)| (computed - exact).abs() < 1e-14));
/// ```
pub fn eigen(a: &[f64], k: usize) -> Eigen {
    let scale = power_of_two(a.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
    let mut scaled: Vec<f64> = a.iter().map(|x| x / scale).collect();
    for i in 0..k {
        for j in 0..i {
            scaled[j * k + i] = scaled[i * k + j];
        }
    }
    let tridiagonal = if k > JACOBI_UP_TO { by_tridiagonal(&scaled, k) } else { None };
    let (values, vectors) = tridiagonal.unwrap_or_else(|| jacobi(scaled, k));

    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    Eigen {
        values: order.iter().map(|&j| values[j] * scale).collect(),
        vectors: order.iter().flat_map(|&j| &vectors[j * k..j * k + k]).copied().collect(),
    }
}

impl Eigen {
    /// [`apply`](Eigen::apply), as a new matrix.
    pub(crate) fn map(&self, f: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut out = vec![0.0; self.vectors.len()];
        self.apply(f, &mut out);
        out
    }

    /// Whether all eigenvalues are equal.
    pub(crate) fn is_scalar(&self) -> bool {
        self.values.first() == self.values.last()
    }

    /// `V (F ∘ (Vᵀ X V)) Vᵀ` with `Fᵢⱼ = f(λᵢ, λⱼ)`, for symmetric `X` and `f`.
    pub(crate) fn schur_product(&self, x: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let k = self.values.len();
        let mut inner = vec![0.0; k * k];
        congruence(&self.vectors, x, k, &mut inner);
        for (n, entry) in inner.iter_mut().enumerate() {
            *entry *= f(self.values[n / k], self.values[n % k]);
        }
        let mut out = vec![0.0; k * k];
        congruence(&self.transposed(), &inner, k, &mut out);
        out
    }

    /// `f(λᵢ, λⱼ)`, row by row.
    pub(crate) fn weights(&self, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        self.values.iter().flat_map(|&a| self.values.iter().map(move |&b| (a, b))).map(|(a, b)| f(a, b)).collect()
    }

    /// [`schur_product`](Eigen::schur_product) of many `X`, one after the other, from their lower triangles, with these
    /// [`weights`](Eigen::weights). The results are exactly symmetric.
    pub(crate) fn schur_products(&self, x: &[f64], weights: &[f64], out: &mut [f64]) {
        let k = self.values.len();
        let mut inner = vec![0.0; x.len()];
        congruences(k, &self.vectors, x, &mut inner);
        for inner in inner.chunks_exact_mut(k * k) {
            inner.iter_mut().zip(weights).for_each(|(entry, weight)| *entry *= weight);
        }
        congruences(k, &self.transposed(), &inner, out);
    }

    /// The eigenvectors as columns.
    fn transposed(&self) -> Vec<f64> {
        let k = self.values.len();
        (0..k * k).map(|n| self.vectors[(n % k) * k + n / k]).collect()
    }

    /// The spectral function `f(A) = Σⱼ f(λⱼ) vⱼ vⱼᵀ`, exactly symmetric, into `out`.
    pub(crate) fn apply(&self, f: impl Fn(f64) -> f64, out: &mut [f64]) {
        let k = self.values.len();
        out.fill(0.0);
        for (j, &value) in self.values.iter().enumerate() {
            let v = &self.vectors[j * k..j * k + k];
            let image = f(value);
            for i in 0..k {
                add_multiple(&mut out[i * k..=i * k + i], image * v[i], v);
            }
        }
        symmetrize(k, out);
    }
}

/// Householder tridiagonalisation and implicit QR; `None` if it does not converge, or not to orthonormal vectors. On
/// sparse matrices columns may remain that are so small that their squares underflow. A reflection of inaccurate length
/// is then not orthogonal, which shows in the lengths of rows and columns.
fn by_tridiagonal(a: &[f64], k: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let a = DMatrix::from_column_slice(k, k, a);
    let eigen = SymmetricEigen::try_new(a, f64::EPSILON, 64 * k)?;
    let (values, vectors) = (eigen.eigenvalues.as_slice(), eigen.eigenvectors.as_slice());
    let finite = values.iter().chain(vectors).all(|x| x.is_finite());
    let is_unit = |square: f64| (square - 1.0).abs() <= NOT_ORTHONORMAL * k as f64;
    let column = |j: usize| vectors[j * k..j * k + k].iter().map(|x| x * x).sum();
    let row = |i: usize| vectors[i..].iter().step_by(k).map(|x| x * x).sum();
    let orthonormal = (0..k).all(|i| is_unit(column(i)) && is_unit(row(i)));
    (finite && orthonormal).then(|| (values.to_vec(), vectors.to_vec()))
}

/// Cyclic Jacobi rotations until every off-diagonal entry is negligible relative to the geometric mean of its two
/// diagonal entries. So the eigenvalues of a graded positive definite matrix have small *relative* errors.
fn jacobi(mut a: Vec<f64>, k: usize) -> (Vec<f64>, Vec<f64>) {
    let mut v = vec![0.0; k * k];
    for i in 0..k {
        v[i * k + i] = 1.0;
    }
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for q in 1..k {
            for p in 0..q {
                let (app, aqq, apq) = (a[p * k + p], a[q * k + q], a[p * k + q]);
                if apq.abs() <= f64::EPSILON * (app.abs() * aqq.abs()).sqrt() {
                    continue;
                }
                rotated = true;
                // tangent of the smaller of the two angles that make the entry vanish
                let d = aqq - app;
                let t = 2.0 * apq * d.signum() / (d.abs() + d.hypot(2.0 * apq));
                let cos = 1.0 / t.hypot(1.0);
                let sin = t * cos;
                for i in 0..k {
                    let (x, y) = (a[p * k + i], a[q * k + i]);
                    a[p * k + i] = cos * x - sin * y;
                    a[q * k + i] = sin * x + cos * y;
                    a[i * k + p] = a[p * k + i];
                    a[i * k + q] = a[q * k + i];
                    let (x, y) = (v[p * k + i], v[q * k + i]);
                    v[p * k + i] = cos * x - sin * y;
                    v[q * k + i] = sin * x + cos * y;
                }
                a[p * k + p] = app - t * apq;
                a[q * k + q] = aqq + t * apq;
                a[p * k + q] = 0.0;
                a[q * k + p] = 0.0;
            }
        }
        if !rotated {
            break;
        }
    }
    ((0..k).map(|i| a[i * k + i]).collect(), v)
}

/// A power of two of the order of the positive number `x` such that neither it nor its inverse is infinite; 1 for 0.
pub(super) fn power_of_two(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let exponent = f64::from_bits(x.to_bits() & f64::INFINITY.to_bits());
    exponent.clamp(2f64.powi(-1020), 2f64.powi(1020))
}
