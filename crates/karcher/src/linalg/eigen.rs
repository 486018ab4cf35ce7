//! Eigenvalues and eigenvectors of a symmetric matrix.

use nalgebra::{DMatrix, SymmetricEigen};

/// `A = V·diag(λ)·Vᵀ`.
#[derive(Debug, Clone)]
pub(crate) struct Eigen {
    /// Eigenvalues, in no order.
    pub(crate) values: Vec<f64>,
    /// Eigenvectors as columns.
    vectors: DMatrix<f64>,
}

/// The decomposition of a symmetric `k×k` matrix.
pub(crate) fn eigen(a: &[f64], k: usize) -> Eigen {
    let matrix = DMatrix::from_column_slice(k, k, a); // symmetric, so the order does not matter
    // The QR iteration converges in a few steps a value; non-finite input alone makes it fail.
    match SymmetricEigen::try_new(matrix, f64::EPSILON, 1000 + 100 * k) {
        Some(e) => Eigen { values: e.eigenvalues.as_slice().to_vec(), vectors: e.eigenvectors },
        None => Eigen { values: vec![f64::NAN; k], vectors: DMatrix::identity(k, k) },
    }
}

impl Eigen {
    /// `V·diag(f(λ))·Vᵀ`, exactly symmetric.
    pub(crate) fn map(&self, f: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut scaled = self.vectors.clone();
        for (mut column, &value) in scaled.column_iter_mut().zip(&self.values) {
            column *= f(value);
        }
        symmetric((scaled * self.vectors.transpose()).as_slice(), self.values.len())
    }

    /// `V·(F ∘ (VᵀXV))·Vᵀ` with `Fᵢⱼ = f(λᵢ, λⱼ)`.
    pub(crate) fn schur_product(&self, x: &[f64], f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let k = self.values.len();
        let x = DMatrix::from_column_slice(k, k, x);
        let mut inner = self.vectors.tr_mul(&(x * &self.vectors));
        for i in 0..k {
            for j in 0..k {
                inner[(i, j)] *= f(self.values[i], self.values[j]);
            }
        }
        symmetric((&self.vectors * inner * self.vectors.transpose()).as_slice(), k)
    }

    /// The same eigenvectors with other eigenvalues.
    pub(crate) fn with_values(self, f: impl Fn(f64) -> f64) -> Self {
        Self { values: self.values.into_iter().map(f).collect(), vectors: self.vectors }
    }
}

fn symmetric(a: &[f64], k: usize) -> Vec<f64> {
    (0..k * k).map(|n| 0.5 * (a[n] + a[(n % k) * k + n / k])).collect()
}
