//! SPD matrices with the log-Euclidean metric: flat, isometric to `R^{k(k+1)/2}` by `P ↦ vecd(Logm P)`.
//!
//! A tangent vector `V` at `P` is the symmetric matrix of the ambient derivative; `D_P Logm[V]` is the same vector in
//! flat coordinates (Arsigny, Fillard, Pennec, Ayache 2007).

use super::super::vector::{add_scaled, dot, norm_of_difference};
use super::super::{
    AtypicalOrigin, CurvatureBounds, CutLocus, Euclidean, FlatChart, Homogeneity, Layout, Manifold, Model, Operand,
    Shape, check_length, check_size, pairs,
};
use super::layouts::{self, ATYPICAL_IDENTITY};
use super::{
    LARGEST_MATRIX, bounded_exp, check, check_symmetric, dim, identity, largest_condition, mirror,
    prechecked_symmetric, repair, symmetrize, vecd, vecd_inverse,
};
use crate::error::{Error, Result};
use crate::linalg::{self, Eigen};
use crate::manifold::vector::sinhc;
use crate::points::PointsView;
use crate::space::Space;
use rayon::prelude::*;
use std::borrow::Cow;

/// Matrices whose logarithms one task takes.
const ROWS: usize = 64;

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
#[derive(Debug, Clone)]
pub struct SpdLogEuclidean {
    k: usize,
    space: Space,
}

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
        Ok(Self { k, space })
    }

    fn logm(&self, p: &[f64]) -> Vec<f64> {
        linalg::eigen(p, self.k).map(f64::ln)
    }

    /// `Logm` of one matrix after the other.
    fn logms(&self, matrices: &[f64]) -> Vec<f64> {
        let size = self.point_len();
        let mut logs = vec![0.0; matrices.len()];
        // A matrix that is not positive definite to working precision stops the batch. It is taken out and computed by
        // itself, so that the others' results, which do not depend on their company, do not change.
        let mut regular = Cow::Borrowed(matrices);
        let mut alone = Vec::new();
        while let Err(problem) = linalg::logs(self.k, &regular, &mut logs) {
            alone.push(problem.index);
            identity(self.k, &mut regular.to_mut()[problem.index * size..][..size]);
        }
        for i in alone {
            logs[i * size..][..size].copy_from_slice(&self.logm(&matrices[i * size..][..size]));
        }
        logs
    }

    /// `Expm` of one symmetric matrix after the other, in place.
    fn expms(&self, matrices: &mut [f64]) {
        let (size, mut one) = (self.point_len(), vec![0.0; self.point_len()]);
        identity(self.k, &mut one);
        let logs = matrices.to_vec();
        let row = |i: usize| &logs[i * size..][..size];
        for i in linalg::affine(self.k, &linalg::Operation::Exp, true, |_| &one, row, matrices) {
            matrices[i * size..][..size].copy_from_slice(&linalg::eigen(row(i), self.k).map(bounded_exp));
        }
    }

    /// `f(P, Logm P, i, out)` for each row `i`; one base is decomposed once.
    fn each_base(&self, p: Operand<'_>, out: &mut [f64], f: impl Fn(&Eigen, &[f64], usize, &mut [f64])) {
        let len = self.point_len();
        let mut base: Option<(Eigen, Vec<f64>)> = None;
        for (i, out) in out.chunks_exact_mut(len).enumerate() {
            if matches!(p, Operand::Each(_)) {
                base = None;
            }
            let (eigen, log) = base.get_or_insert_with(|| {
                let eigen = linalg::eigen(p.row(i, len), self.k);
                let log = eigen.map(f64::ln);
                (eigen, log)
            });
            f(eigen, log, i, out);
        }
    }

    /// `D_P Logm[V]` in the eigenbasis of `P`: divided differences of `ln`, entry by entry (Daleckii and Krein). At a
    /// multiple `λ` of the identity it is `V/λ`. The lower triangle of `V` counts.
    fn differential_of_log(&self, p: &Eigen, v: &[f64]) -> Vec<f64> {
        let mut v = v.to_vec();
        mirror(self.k, &mut v);
        if p.is_scalar() {
            v.iter_mut().for_each(|v| *v /= p.values[0]);
            return v;
        }
        p.schur_product(&v, |a, b| 1.0 / exp_divided_difference(a.ln(), b.ln()))
    }

    /// `D_S Expm[W]`, `S = Logm P`.
    fn differential_of_exp(&self, p: &Eigen, w: &[f64]) -> Vec<f64> {
        if p.is_scalar() {
            return w.iter().map(|w| w * p.values[0]).collect();
        }
        p.schur_product(w, |a, b| exp_divided_difference(a.ln(), b.ln()))
    }
}

/// `(e^a − e^b)/(a − b) = e^{(a+b)/2}·sinhc((a−b)/2)`, without cancellation.
fn exp_divided_difference(a: f64, b: f64) -> f64 {
    (0.5 * (a + b)).exp() * sinhc(0.5 * (a - b))
}

impl Manifold for SpdLogEuclidean {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: crate::manifold::OwnSpace) -> bool {
        true
    }

    fn dim(&self) -> usize {
        dim(self.k)
    }

    fn point_len(&self) -> usize {
        self.k * self.k
    }

    fn origin(&self, out: &mut [f64]) {
        identity(self.k, out);
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check(self, self.k, p)
    }

    fn normalize(&self, p: &mut [f64]) {
        symmetrize(self.k, p);
    }

    fn repair(&self, p: &mut [f64]) {
        repair(self, self.k, p);
    }

    /// Whether it is symmetric. If it is so to a relative 1e-6 alone, its lower triangle counts, in every operation.
    fn check_tangent(&self, _p: &[f64], v: &[f64]) -> Result<()> {
        check_length(self, v)?;
        check_symmetric(self.k, v).map_err(|reason| Error::InvalidTangent { space: self.space.clone(), reason })
    }

    /// The symmetric part.
    fn project(&self, p: &mut [f64]) {
        symmetrize(self.k, p);
    }

    /// A point has one representative.
    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
    }

    /// `Exp_P(V) = Expm(Logm P + D_P Logm[V])`.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        let eigen = linalg::eigen(p, self.k);
        let mut log = eigen.map(f64::ln);
        for (l, w) in log.iter_mut().zip(self.differential_of_log(&eigen, v)) {
            *l += w;
        }
        out.copy_from_slice(&linalg::eigen(&log, self.k).map(bounded_exp));
    }

    /// `Log_P(Q) = D Expm[Logm Q − Logm P]` at `Logm P`.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        let eigen = linalg::eigen(p, self.k);
        let difference: Vec<f64> = self.logm(q).iter().zip(eigen.map(f64::ln)).map(|(q, p)| q - p).collect();
        out.copy_from_slice(&self.differential_of_exp(&eigen, &difference));
        Ok(())
    }

    /// `ρ = ‖Logm P − Logm Q‖_F`.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        norm_of_difference(&self.logm(p), &self.logm(q))
    }

    /// `⟨U,V⟩_P = tr(D_P Logm[U]·D_P Logm[V])`.
    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        let eigen = linalg::eigen(p, self.k);
        dot(&self.differential_of_log(&eigen, u), &self.differential_of_log(&eigen, v))
    }

    /// The same flat coordinates at another point: `D Expm_{Logm Q}[D_P Logm[V]]`.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        let flat = self.differential_of_log(&linalg::eigen(p, self.k), v);
        out.copy_from_slice(&self.differential_of_exp(&linalg::eigen(q, self.k), &flat));
        Ok(())
    }

    fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let len = self.point_len();
        self.each_base(p, out, |eigen, base, i, out| {
            out.copy_from_slice(&self.differential_of_log(eigen, v.row(i, len)));
            add_scaled(out, 1.0, base);
        });
        self.expms(out);
    }

    fn log_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        let len = self.point_len();
        let (Operand::Same(values) | Operand::Each(values)) = q;
        let logs = self.logms(values);
        let logs = if let Operand::Same(_) = q { Operand::Same(&logs) } else { Operand::Each(&logs) };
        self.each_base(p, out, |eigen, base, i, out| {
            out.copy_from_slice(logs.row(i, len));
            add_scaled(out, -1.0, base);
            let vector = self.differential_of_exp(eigen, out);
            out.copy_from_slice(&vector);
        });
    }

    fn dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        let len = self.point_len();
        let logs = [p, q].map(|(Operand::Same(values) | Operand::Each(values))| self.logms(values));
        let of = |operand, logs| if let Operand::Same(_) = operand { Operand::Same(logs) } else { Operand::Each(logs) };
        let (p, q) = (of(p, &logs[0]), of(q, &logs[1]));
        for (i, out) in out.iter_mut().enumerate() {
            *out = norm_of_difference(p.row(i, len), q.row(i, len));
        }
    }

    /// Each logarithm is taken once.
    fn dist_matrix(&self, p: &[f64], q: &[f64], out: &mut [f64]) {
        let len = self.point_len();
        let logs = |values: &[f64]| -> Vec<f64> {
            values.par_chunks(ROWS * len).flat_map_iter(|values| self.logms(values)).collect()
        };
        pairs::dist_matrix::<Euclidean>(len, &logs(p), &logs(q), out);
    }

    fn prechecked_points(&self, values: &[f64]) -> bool {
        linalg::clearly_positive_definite(self.k, values)
    }

    fn prechecked_tangents(&self, _p: Operand<'_>, v: Operand<'_>, _rows: usize) -> bool {
        prechecked_symmetric(self.k, v)
    }

    /// Flat: both are the transport back to `p`.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        let start = linalg::eigen(p, self.k);
        let mut end = start.map(f64::ln);
        for (l, w) in end.iter_mut().zip(self.differential_of_log(&start, v)) {
            *l += w;
        }
        let mut end = linalg::eigen(&end, self.k);
        end.values.iter_mut().for_each(|l| *l = bounded_exp(*l));
        let carried = self.differential_of_exp(&start, &self.differential_of_log(&end, e));
        by_point.copy_from_slice(&carried);
        by_vector.copy_from_slice(&carried);
    }

    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        vecd_inverse(self.k, coordinates, out);
        let v = self.differential_of_exp(&linalg::eigen(p, self.k), out);
        out.copy_from_slice(&v);
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        vecd(self.k, &self.differential_of_log(&linalg::eigen(p, self.k), v), coordinates);
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: 0.0, upper: 0.0 }
    }

    fn injectivity_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn cut_locus(&self) -> CutLocus {
        CutLocus::None
    }

    fn diameter(&self) -> f64 {
        f64::INFINITY
    }

    fn homogeneity(&self) -> Homogeneity {
        Homogeneity::TwoPoint
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

    fn model(&self) -> Model {
        Model::Flat
    }

    fn max_step(&self) -> f64 {
        f64::INFINITY
    }

    fn volume_growth(&self) -> f64 {
        0.0
    }

    /// `θ = 1`: the volume is that of the flat coordinates.
    fn log_volume_density_bound(&self, _s: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn log_volume_density_in_frame(&self, _coordinates: &[f64]) -> f64 {
        0.0
    }

    fn flat_chart(&self) -> Option<&dyn FlatChart> {
        Some(self)
    }
}

impl FlatChart for SpdLogEuclidean {
    /// `vecd(Logm P)`.
    fn to_flat(&self, p: &[f64], coordinates: &mut [f64]) {
        vecd(self.k, &self.logm(p), coordinates);
    }

    /// `Expm(vecd⁻¹ c)`, with eigenvalues kept within the range that double precision distinguishes from 0, relative to
    /// the largest one.
    fn from_flat(&self, coordinates: &[f64], out: &mut [f64]) {
        vecd_inverse(self.k, coordinates, out);
        let log = linalg::eigen(out, self.k);
        let largest = log.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = largest - (largest_condition(self.k) / 4.0).ln();
        out.copy_from_slice(&log.map(|l| bounded_exp(l.max(least))));
    }

    /// `vecd⁻¹ c`.
    fn logarithm(&self, coordinates: &[f64]) -> Option<Vec<f64>> {
        let mut log = vec![0.0; self.point_len()];
        vecd_inverse(self.k, coordinates, &mut log);
        Some(log)
    }

    fn all_to_flat(&self, points: PointsView<'_>, coordinates: &mut [f64]) {
        let logs = self.logms(points.values());
        for (log, c) in logs.chunks_exact(self.point_len()).zip(coordinates.chunks_exact_mut(self.dim())) {
            vecd(self.k, log, c);
        }
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
