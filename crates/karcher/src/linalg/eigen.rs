//! The spectral decomposition of one symmetric matrix.

use nalgebra::{DMatrix, SymmetricEigen};

/// Up to this size Jacobi's method is the faster one, and always the more accurate one.
const JACOBI_UP_TO: usize = 6;

/// Far beyond what convergence, which is quadratic, ever takes.
const MAX_SWEEPS: usize = 60;

/// `A = V diag(λ) Vᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct Eigen {
    /// `λ`, ascending.
    pub(crate) values: Vec<f64>,
    /// `V`, row-major: column `j` belongs to `λⱼ`.
    pub(crate) vectors: Vec<f64>,
}

/// The spectral decomposition of the symmetric `k × k` matrix `a`, row-major, of which the lower triangle is read.
///
/// Backward stable: the residual is of the order of `k·2⁻⁵³·‖A‖`. Defined for every matrix of finite numbers.
pub(crate) fn eigen(a: &[f64], k: usize) -> Eigen {
    let largest = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let scale = power_of_two(largest);
    let scaled = DMatrix::from_fn(k, k, |i, j| a[i.max(j) * k + i.min(j)] / scale);
    let tridiagonal = if k > JACOBI_UP_TO { by_tridiagonal(scaled.clone()) } else { None };
    let (values, vectors) = tridiagonal.unwrap_or_else(|| jacobi(scaled));

    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    Eigen {
        values: order.iter().map(|&j| values[j] * scale).collect(),
        vectors: (0..k).flat_map(|i| order.iter().map(move |&j| (i, j))).map(|ij| vectors[ij]).collect(),
    }
}

impl Eigen {
    /// `f(A) = V diag(f(λ)) Vᵀ`, exactly symmetric, into `out`.
    pub(crate) fn apply(&self, f: impl Fn(f64) -> f64, out: &mut [f64]) {
        let k = self.values.len();
        let images: Vec<f64> = self.values.iter().map(|&x| f(x)).collect();
        let mut scaled = vec![0.0; k];
        for i in 0..k {
            for ((s, v), image) in scaled.iter_mut().zip(&self.vectors[i * k..]).zip(&images) {
                *s = v * image;
            }
            for j in 0..=i {
                let entry = scaled.iter().zip(&self.vectors[j * k..]).map(|(x, y)| x * y).sum();
                out[i * k + j] = entry;
                out[j * k + i] = entry;
            }
        }
    }
}

/// Householder tridiagonalisation and implicit QR; `None` if it does not converge.
fn by_tridiagonal(a: DMatrix<f64>) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let bound = 64 * a.nrows();
    let eigen = SymmetricEigen::try_new(a, f64::EPSILON, bound)?;
    let finite = eigen.eigenvalues.iter().chain(eigen.eigenvectors.iter()).all(|x| x.is_finite());
    finite.then(|| (eigen.eigenvalues.as_slice().to_vec(), eigen.eigenvectors))
}

/// Cyclic Jacobi rotations until every off-diagonal entry is negligible beside the geometric mean of its two diagonal
/// entries, so that the eigenvalues of a graded positive definite matrix have small *relative* errors.
fn jacobi(mut a: DMatrix<f64>) -> (Vec<f64>, DMatrix<f64>) {
    let k = a.nrows();
    let mut v = DMatrix::identity(k, k);
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for q in 1..k {
            for p in 0..q {
                let (app, aqq, apq) = (a[(p, p)], a[(q, q)], a[(p, q)]);
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
                    if i != p && i != q {
                        let (x, y) = (a[(i, p)], a[(i, q)]);
                        a[(i, p)] = cos * x - sin * y;
                        a[(i, q)] = sin * x + cos * y;
                        a[(p, i)] = a[(i, p)];
                        a[(q, i)] = a[(i, q)];
                    }
                    let (x, y) = (v[(i, p)], v[(i, q)]);
                    v[(i, p)] = cos * x - sin * y;
                    v[(i, q)] = sin * x + cos * y;
                }
                a[(p, p)] = app - t * apq;
                a[(q, q)] = aqq + t * apq;
                a[(p, q)] = 0.0;
                a[(q, p)] = 0.0;
            }
        }
        if !rotated {
            break;
        }
    }
    (a.diagonal().as_slice().to_vec(), v)
}

/// A power of two of the order of the positive number `x`, such that neither it nor its inverse is infinite; 1 for 0.
pub(super) fn power_of_two(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    f64::from_bits(x.to_bits() & f64::INFINITY.to_bits()).clamp(2f64.powi(-1020), 2f64.powi(1020))
}
