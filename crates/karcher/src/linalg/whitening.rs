//! The congruence that makes a positive definite matrix the identity.

use super::congruence;
use super::eigen::{Eigen, eigen};
use nalgebra::DMatrix;

/// The Cholesky factor `L` of `P = LLᵀ` and its inverse, row by row.
#[derive(Debug, Clone)]
pub(crate) struct Whitening {
    k: usize,
    pub(crate) factor: Vec<f64>,
    pub(crate) inverse: Vec<f64>,
}

impl Whitening {
    /// `P` is positive definite (points are validated); what is not gives NaN.
    pub(crate) fn new(p: &[f64], k: usize) -> Self {
        let nan = || DMatrix::from_element(k, k, f64::NAN);
        let factor = DMatrix::from_column_slice(k, k, p).cholesky().map_or_else(nan, |c| c.l());
        let inverse = factor.solve_lower_triangular(&DMatrix::identity(k, k)).unwrap_or_else(nan);
        let rows = |m: DMatrix<f64>| m.transpose().as_slice().to_vec();
        Self { k, factor: rows(factor), inverse: rows(inverse) }
    }

    /// `L⁻¹XL⁻ᵀ`.
    pub(crate) fn whiten(&self, x: &[f64]) -> Vec<f64> {
        congruence(&self.inverse, x, self.k)
    }

    /// `LXLᵀ`.
    pub(crate) fn color(&self, x: &[f64]) -> Vec<f64> {
        congruence(&self.factor, x, self.k)
    }

    /// The eigendecomposition of `Logm(L⁻¹QL⁻ᵀ)`.
    ///
    /// For near points from that of `L⁻¹(Q − P)L⁻ᵀ` by `ln(1 + x)`: the error is then relative to the distance.
    pub(crate) fn log_eigen(&self, p: &[f64], q: &[f64]) -> Eigen {
        let difference: Vec<f64> = q.iter().zip(p).map(|(q, p)| q - p).collect();
        let near = eigen(&self.whiten(&difference), self.k);
        if near.values.iter().all(|&x| x > -0.5) {
            near.with_values(f64::ln_1p)
        } else {
            eigen(&self.whiten(q), self.k).with_values(f64::ln)
        }
    }
}
