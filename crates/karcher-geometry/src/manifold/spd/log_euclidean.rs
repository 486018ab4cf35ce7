//! SPD matrices with the log-Euclidean metric: flat, isometric to `R^{k(k+1)/2}` by `P ↦ vecd(Logm P)`.
//!
//! A tangent vector `V` at `P` is the symmetric matrix of the ambient derivative; `D_P Logm[V]` is the same vector in
//! flat coordinates (Arsigny, Fillard, Pennec, Ayache 2007).

use super::super::flat::{Chart, Flat};
use super::super::vector::add_scaled;
use super::super::{AtypicalOrigin, Layout, Operand, Shape, check_size, rounding_of};
use super::layouts::{self, ATYPICAL_IDENTITY};
use super::{
    LARGEST_MATRIX, bounded_exp, check_matrix, check_symmetric, dim, identity, largest_condition, mirror,
    prechecked_symmetric, repair, symmetrize, vecd, vecd_inverse,
};
use crate::error::Result;
use crate::linalg::{self, Eigen};
use crate::manifold::vector::sinhc;
use crate::space::Space;
use std::borrow::Cow;

/// Symmetric positive definite `k×k` matrices, log-Euclidean metric.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, SpdLogEuclidean};
/// use std::f64::consts::{E, SQRT_2};
/// let matrices = SpdLogEuclidean::new(2)?;
/// // ‖Logm P − Logm Q‖ of diag(1, 1) and diag(e, 1/e)
/// assert!((matrices.dist(&[1.0, 0.0, 0.0, 1.0], &[E, 0.0, 0.0, 1.0 / E]) - SQRT_2).abs() < 1e-14);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
pub type SpdLogEuclidean = Flat<LogEuclidean>;

impl SpdLogEuclidean {
    /// Matrices of size `k×k`.
    ///
    /// # Errors
    /// [`Error::InvalidSize`](crate::Error::InvalidSize).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Model, SpdLogEuclidean};
    /// let matrices = SpdLogEuclidean::new(3)?;
    /// assert_eq!((matrices.dim(), matrices.point_len(), matrices.model()), (6, 9, Model::Flat));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(k: usize) -> Result<Self> {
        let space = Space::named(format!("spd-log-euclidean:{k}"));
        check_size(&space, k, 1, LARGEST_MATRIX)?;
        Ok(Self { chart: LogEuclidean { k }, space })
    }
}

/// `Logm` of `k×k` matrices. An image is a symmetric matrix.
#[derive(Debug, Clone)]
pub struct LogEuclidean {
    k: usize,
}

impl Chart for LogEuclidean {
    /// The decomposition of the matrix.
    type At = Eigen;

    fn dim(&self) -> usize {
        dim(self.k)
    }

    fn point_len(&self) -> usize {
        self.k * self.k
    }

    fn image_len(&self) -> usize {
        self.k * self.k
    }

    fn at(&self, p: &[f64]) -> Eigen {
        linalg::eigen(p, self.k)
    }

    /// `Expm W`.
    fn at_image(&self, w: &[f64]) -> Eigen {
        let mut eigen = linalg::eigen(w, self.k);
        eigen.values.iter_mut().for_each(|l| *l = bounded_exp(*l));
        eigen
    }

    fn point(&self, at: &Eigen) -> Vec<f64> {
        at.map(|l| l)
    }

    /// `Logm P`.
    fn image(&self, at: &Eigen) -> Vec<f64> {
        at.map(f64::ln)
    }

    /// `D_P Logm[V]` in the eigenbasis of `P`: divided differences of `ln`, entry by entry (Daleckii and Krein). At a
    /// multiple `λ` of the identity it is `V/λ`. The lower triangle of `V` counts.
    fn differential(&self, at: &Eigen, v: &[f64]) -> Vec<f64> {
        let mut v = v.to_vec();
        mirror(self.k, &mut v);
        if at.is_scalar() {
            v.iter_mut().for_each(|v| *v /= at.values[0]);
            return v;
        }
        at.schur_product(&v, |a, b| 1.0 / exp_divided_difference(a.ln(), b.ln()))
    }

    /// `D_S Expm[W]`, `S = Logm P`.
    fn inverse_differential(&self, at: &Eigen, w: &[f64]) -> Vec<f64> {
        if at.is_scalar() {
            return w.iter().map(|w| w * at.values[0]).collect();
        }
        at.schur_product(w, |a, b| exp_divided_difference(a.ln(), b.ln()))
    }

    /// `Expm W`, with eigenvalues kept within the range that double precision distinguishes from 0, relative to the
    /// largest one.
    fn nearest_point(&self, w: &[f64]) -> Vec<f64> {
        let log = linalg::eigen(w, self.k);
        let largest = log.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = largest - (largest_condition(self.k) / 4.0).ln();
        log.map(|l| bounded_exp(l.max(least)))
    }

    fn coordinates(&self, w: &[f64], coordinates: &mut [f64]) {
        vecd(self.k, w, coordinates);
    }

    fn from_coordinates(&self, coordinates: &[f64], w: &mut [f64]) {
        vecd_inverse(self.k, coordinates, w);
    }

    /// `Logm` of one matrix after the other.
    fn images(&self, matrices: &[f64]) -> Vec<f64> {
        logarithms(self.k, matrices)
    }

    /// `Expm` of one symmetric matrix after the other.
    fn points(&self, logs: &[f64], out: &mut [f64]) {
        let (size, mut one) = (self.point_len(), vec![0.0; self.point_len()]);
        identity(self.k, &mut one);
        let row = |i: usize| &logs[i * size..][..size];
        for i in linalg::affine(self.k, &linalg::Operation::Exp, true, |_| &one, row, out) {
            out[i * size..][..size].copy_from_slice(&linalg::eigen(row(i), self.k).map(bounded_exp));
        }
    }

    fn differentials(&self, at: &Eigen, v: &[f64]) -> Vec<f64> {
        let (size, mut out) = (self.point_len(), v.to_vec());
        if at.is_scalar() {
            out.chunks_exact_mut(size).for_each(|v| mirror(self.k, v));
            out.iter_mut().for_each(|v| *v /= at.values[0]);
        } else {
            at.schur_products(v, &at.weights(|a, b| 1.0 / exp_divided_difference(a.ln(), b.ln())), &mut out);
        }
        out
    }

    fn inverse_differentials(&self, at: &Eigen, w: &[f64], out: &mut [f64]) {
        if at.is_scalar() {
            out.iter_mut().zip(w).for_each(|(out, w)| *out = w * at.values[0]);
        } else {
            at.schur_products(w, &at.weights(|a, b| exp_divided_difference(a.ln(), b.ln())), out);
        }
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

    /// `vecd⁻¹ c`.
    fn logarithm(&self, coordinates: &[f64]) -> Option<Vec<f64>> {
        let mut log = vec![0.0; self.point_len()];
        vecd_inverse(self.k, coordinates, &mut log);
        Some(log)
    }

    fn prechecked_add_flat(&self, values: &[f64], sum: &mut [f64]) -> bool {
        let mut logs = vec![0.0; self.point_len()];
        let is_certain = linalg::add_certain_logs(self.k, values, &mut logs);
        let mut coordinates = vec![0.0; sum.len()];
        vecd(self.k, &logs, &mut coordinates);
        add_scaled(sum, 1.0, &coordinates);
        is_certain
    }
}

/// `Logm` of one matrix after the other.
pub(super) fn logarithms(k: usize, matrices: &[f64]) -> Vec<f64> {
    let (size, mut logs) = (k * k, vec![0.0; matrices.len()]);
    // A matrix that is not positive definite to working precision stops the batch. It is taken out and computed by
    // itself, so that the others' results, which do not depend on their company, do not change.
    let mut regular = Cow::Borrowed(matrices);
    let mut alone = Vec::new();
    while let Err(problem) = linalg::logs(k, &regular, &mut logs) {
        alone.push(problem.index);
        identity(k, &mut regular.to_mut()[problem.index * size..][..size]);
    }
    for i in alone {
        let rows = i * size..(i + 1) * size;
        logs[rows.clone()].copy_from_slice(&linalg::eigen(&matrices[rows], k).map(f64::ln));
    }
    logs
}

/// `(e^a − e^b)/(a − b) = e^{(a+b)/2}·sinhc((a−b)/2)`, without cancellation.
pub(super) fn exp_divided_difference(a: f64, b: f64) -> f64 {
    (0.5 * (a + b)).exp() * sinhc(0.5 * (a - b))
}
