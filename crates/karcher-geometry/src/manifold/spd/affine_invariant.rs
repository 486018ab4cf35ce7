//! SPD matrices with the affine-invariant metric `⟨U,V⟩_P = tr(P⁻¹UP⁻¹V)` (Pennec, Fillard, Ayache 2006).
//!
//! Curvature from −1/2 to 0. Every formula is the one at the identity, carried to `P = LLᵀ` by the isometry `X ↦ LXLᵀ`
//! with `L` the Cholesky factor. Whitening with `P^{−1/2}` instead gives the same and costs more.
//!
//! Multiples of all matrices by one number are an isometry as well. Matrices are multiplied by powers of four, whose
//! square roots are powers of two, which takes them near 1 and leaves every digit as it is.

use super::super::vector::{add_scaled, all_finite, dot, ln_sinhc, norm, sinhc};
use super::super::{
    AtypicalOrigin, CurvatureBounds, CutLocus, Homogeneity, Layout, Manifold, Model, Operand, Shape, TransportMap,
    check_carried, check_length, check_size, rounding_of,
};
use super::layouts::{self, ATYPICAL_IDENTITY};
use super::{
    LARGEST_LOGARITHM, LARGEST_MATRIX, bounded_exp, check_matrix, check_symmetric, dim, identity, mirror,
    prechecked_symmetric, repair, symmetrize, vecd, vecd_inverse,
};
use crate::error::{Error, Result};
use crate::linalg::{self, Eigen, Whitening};
use crate::points::PointsView;
use crate::space::Space;
use rand::Rng;
use rand::RngExt;
use rand_distr::{ChiSquared, StandardNormal};
use std::f64::consts::{FRAC_1_SQRT_2, LN_2};
use std::sync::Arc;

/// Matrices of many rows at once are worked on as they are where their first entries are in this range.
pub(in super::super) const MODERATE: std::ops::Range<f64> = 1e-100..1e100;

/// Matrices whose orders (powers of four) are farther apart may have quotients that are no doubles. So may products
/// with vectors that are carried from one to the other.
const FAR_APART: i32 = 255;

/// Matrices larger than this are rehearsed with ones of this size, which takes a tenth of a second.
const REHEARSED: usize = 10;

/// Symmetric positive definite `k×k` matrices, affine-invariant metric.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, SpdAffineInvariant};
/// let matrices = SpdAffineInvariant::new(2)?;
/// let distance = matrices.dist(&[2.0, 1.0, 1.0, 2.0], &[3.0, 0.0, 0.0, 1.0]);
/// // the same in another unit of the second variable: X ↦ AXA with A = diag(1, 10)
/// let other_unit = matrices.dist(&[2.0, 10.0, 10.0, 200.0], &[3.0, 0.0, 0.0, 100.0]);
/// assert!((distance - other_unit).abs() < 1e-13);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SpdAffineInvariant {
    k: usize,
    space: Space,
}

impl SpdAffineInvariant {
    /// Matrices of size `k×k`.
    ///
    /// # Errors
    /// [`Error::InvalidSize`](crate::Error::InvalidSize).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SpdAffineInvariant};
    /// let matrices = SpdAffineInvariant::new(3)?;
    /// assert_eq!((matrices.dim(), matrices.point_len(), matrices.curvature().lower), (6, 9, -0.5));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(k: usize) -> Result<Self> {
        let space = Space::named(format!("spd-affine-invariant:{k}"));
        check_size(&space, k, 1, LARGEST_MATRIX)?;
        Ok(Self { k, space })
    }

    /// An operation on all rows of `p` and `x`; `one` does those that are left.
    fn many(
        &self,
        operation: &linalg::Operation,
        p: Operand<'_>,
        x: Operand<'_>,
        out: &mut [f64],
        one: impl Fn(&[f64], &[f64], &mut [f64]),
    ) {
        let (len, width) = (self.point_len(), if operation.is_scalar() { 1 } else { self.point_len() });
        let one_base = matches!(p, Operand::Same(_));
        let has_points =
            matches!(operation, linalg::Operation::Log | linalg::Operation::Dist | linalg::Operation::Whiten);
        let is_extreme =
            |i: &usize| !MODERATE.contains(&p.row(*i, len)[0]) || has_points && !MODERATE.contains(&x.row(*i, len)[0]);
        let extreme = (0..out.len() / width).filter(is_extreme);
        let left = linalg::affine(self.k, operation, one_base, |i| p.row(i, len), |i| x.row(i, len), out);
        for i in left.into_iter().chain(extreme) {
            one(p.row(i, len), x.row(i, len), &mut out[i * width..][..width]);
        }
    }

    /// From one base to another all vectors go the same way: multiplied by one matrix from both sides.
    ///
    /// From `4ᵃP` to `4ᵇQ` it is `2^{b−a}` times that from `P` to `Q`.
    fn way(&self, p: &[f64], q: &[f64]) -> impl Fn(Operand<'_>, &mut [f64]) + Send + Sync + use<'_> {
        let (from, to) = (At::new(p, self.k), At::new(q, self.k));
        let (p, q, apart) = (p.to_vec(), q.to_vec(), to.order - from.order);
        let mut root = from.root(to.p);
        root.iter_mut().for_each(|x| *x *= power_of_two(apart));
        let matrix = match (&from.whitening, &to.whitening) {
            (Some(from), Some(to)) if from.is_even() && to.is_even() => Some(from.conjugate(&root)),
            // between others one matrix for the whole way would lose digits
            _ => None,
        };
        let (whitened, base) = (linalg::Operation::Transport(root), from.p);
        move |v, out| {
            let len = self.point_len();
            match &matrix {
                // each by itself
                _ if apart.abs() > FAR_APART => out.fill(f64::NAN),
                Some(matrix) => match v {
                    Operand::Each(v) => linalg::congruences(self.k, matrix, v, out),
                    Operand::Same(v) => {
                        let mut carried = vec![0.0; len];
                        linalg::congruences(self.k, matrix, v, &mut carried);
                        out.chunks_exact_mut(len).for_each(|out| out.copy_from_slice(&carried));
                    }
                },
                None => self.many(&whitened, Operand::Same(&base), v, out, |_, v, out| {
                    or_nan(self.transport(&p, &q, v, out), out);
                }),
            }
            // an overflow on this way need not occur on that of one vector alone
            if !all_finite(out) {
                for (i, out) in out.chunks_exact_mut(len).enumerate().filter(|(_, out)| !all_finite(out)) {
                    or_nan(self.transport(&p, &q, v.row(i, len), out), out);
                }
            }
        }
    }

    fn pairs(&self) -> f64 {
        (self.k * (self.k - 1) / 2) as f64
    }
}

impl Manifold for SpdAffineInvariant {
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
        check_length(self, p)?;
        check_matrix(self.k, p).map_err(|reason| Error::InvalidPoint { space: self.space.clone(), reason })
    }

    fn normalize(&self, p: &mut [f64]) {
        symmetrize(self.k, p);
    }

    fn repair(&self, p: &mut [f64]) {
        repair(self.k, p);
    }

    /// Whether it is symmetric. If it is so to a relative 1e-6 alone, its lower triangle counts, in every operation.
    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_length(self, v)?;
        check_symmetric(self.k, v, rounding_of(p))
            .map_err(|reason| Error::InvalidTangent { space: self.space.clone(), reason })
    }

    /// The symmetric part.
    fn project(&self, p: &mut [f64]) {
        symmetrize(self.k, p);
    }

    /// A point has one representative.
    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
    }

    /// `Exp_P(V) = L·Expm(L⁻¹VL⁻ᵀ)·Lᵀ`; for small `V` as `P + L·(Expm(L⁻¹VL⁻ᵀ) − I)·Lᵀ`, which keeps the digits of the
    /// step.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        let base = At::new(p, self.k);
        let w = linalg::eigen(&base.whiten(v), self.k);
        if w.values.iter().all(|l| l.abs() < 0.5) {
            out.copy_from_slice(&base.unwhiten(&w.map(f64::exp_m1)));
            add_scaled(out, 1.0, p);
        } else {
            out.copy_from_slice(&base.unwhiten(&w.map(bounded_exp)));
        }
    }

    /// `Log_P(Q) = L·Logm(L⁻¹QL⁻ᵀ)·Lᵀ`.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        let base = At::new(p, self.k);
        out.copy_from_slice(&base.unwhiten(&base.log(q).map(|l| l)));
        Ok(())
    }

    /// `ρ = ‖Logm(L⁻¹QL⁻ᵀ)‖_F`.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        norm(&At::new(p, self.k).log(q).values)
    }

    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        let base = At::new(p, self.k);
        dot(&base.whiten(u), &base.whiten(v))
    }

    /// `E·V·Eᵀ` with `E = (QP⁻¹)^{1/2} = L·(L⁻¹QL⁻ᵀ)^{1/2}·L⁻¹`, of matrices and a vector whose numbers are near 1:
    /// their factors are put back in the end.
    ///
    /// # Errors
    /// [`Error::InvalidTangent`] where the vector at `Q` has numbers beyond those of double precision.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        let base = At::new(p, self.k);
        let (of_q, of_v) = (order(q[0]), order(v.iter().fold(0.0, |most: f64, x| most.max(x.abs()))));
        let root = base.root(times_power_of_four(q.to_vec(), -of_q));
        let white = base.whiten_near_one(times_power_of_four(v.to_vec(), -of_v));
        linalg::congruence(&root, &white, self.k, out);
        let turned = base.unwhiten_near_one(out);
        out.copy_from_slice(&times_power_of_four(turned, of_q - base.order + of_v));
        check_carried(self, out)
    }

    /// In the eigenbasis of `L⁻¹VL⁻ᵀ`, with its eigenvalues `lᵢ`: `λ = −(lᵢ − lⱼ)²/4` for the entry `ij`, and transport
    /// back to `P` divides it by `e^{(lᵢ+lⱼ)/2}`.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        let base = At::new(p, self.k);
        let w = linalg::eigen(&base.whiten(v), self.k);
        let e = base.whiten(e);
        let back = |a: f64, b: f64| (-0.5 * (a + b)).exp();
        by_point.copy_from_slice(&base.unwhiten(&w.schur_product(&e, |a, b| back(a, b) * (0.5 * (a - b)).cosh())));
        by_vector.copy_from_slice(&base.unwhiten(&w.schur_product(&e, |a, b| back(a, b) * sinhc(0.5 * (a - b)))));
    }

    /// `L·vecd⁻¹(c)·Lᵀ`.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        let mut white = vec![0.0; out.len()];
        vecd_inverse(self.k, coordinates, &mut white);
        out.copy_from_slice(&At::new(p, self.k).unwhiten(&white));
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        vecd(self.k, &At::new(p, self.k).whiten(v), coordinates);
    }

    /// All rows at once, from one base with one factor.
    fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.many(&linalg::Operation::Exp, p, v, out, |p, v, out| self.exp(p, v, out));
    }

    fn log_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        self.many(&linalg::Operation::Log, p, q, out, |p, q, out| {
            or_nan(self.log(p, q, out), out);
        });
    }

    fn dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        self.many(&linalg::Operation::Dist, p, q, out, |p, q, out| out[0] = self.dist(p, q));
    }

    fn norm_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.many(&linalg::Operation::Norm, p, v, out, |p, v, out| out[0] = self.norm(p, v));
    }

    /// One base has one factor.
    fn inner_many(&self, p: Operand<'_>, u: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let len = self.point_len();
        let one = if let Operand::Same(p) = p { Some(At::new(p, self.k)) } else { None };
        for (i, out) in out.iter_mut().enumerate() {
            let (u, v) = (u.row(i, len), v.row(i, len));
            *out = match &one {
                Some(base) => dot(&base.whiten(u), &base.whiten(v)),
                None => self.inner(p.row(i, len), u, v),
            };
        }
    }

    fn transport_many(&self, p: Operand<'_>, q: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        if let (Operand::Same(p), Operand::Same(q)) = (p, q) {
            return self.way(p, q)(v, out);
        }
        let len = self.point_len();
        for (i, out) in out.chunks_exact_mut(len).enumerate() {
            or_nan(self.transport(p.row(i, len), q.row(i, len), v.row(i, len), out), out);
        }
    }

    fn transport_map(&self, p: &[f64], q: &[f64]) -> Option<TransportMap<'_>> {
        Some(Box::new(self.way(p, q)))
    }

    fn prechecked_points(&self, values: &[f64]) -> bool {
        linalg::clearly_positive_definite(self.k, values)
    }

    fn prechecked_tangents(&self, _p: Operand<'_>, v: Operand<'_>, _rows: usize) -> bool {
        prechecked_symmetric(self.k, v)
    }

    /// The base's factor is computed once for all points.
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        let Some(base) = Whitening::new(self.k, base) else { return coordinates.fill(f64::NAN) };
        let (size, d) = (self.point_len(), self.dim());
        let mut logs = vec![0.0; points.values().len()];
        if base.logs(points.values(), &mut logs).is_err() {
            // a matrix that is not positive definite to working precision has no logarithm; the others do not notice
            for (x, log) in points.iter().zip(logs.chunks_exact_mut(size)) {
                if base.logs(x, log).is_err() {
                    log.fill(f64::NAN);
                }
            }
        }
        for (log, c) in logs.chunks_exact(size).zip(coordinates.chunks_exact_mut(d)) {
            vecd(self.k, log, c);
        }
    }

    /// `X ↦ L⁻¹XL⁻ᵀ` carries `LLᵀ` to the identity.
    fn to_origin(&self, p: &[f64], x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&At::new(p, self.k).whiten(x));
    }

    fn to_origin_many(&self, p: &[f64], points: &[f64], out: &mut [f64]) {
        let (same, each) = (Operand::Same(p), Operand::Each(points));
        self.many(&linalg::Operation::Whiten, same, each, out, |p, x, out| self.to_origin(p, x, out));
    }

    fn from_origin(&self, p: &[f64], x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&At::new(p, self.k).unwhiten(x));
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: if self.k == 1 { 0.0 } else { -0.5 }, upper: 0.0 }
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
        if self.k == 1 { Homogeneity::TwoPoint } else { Homogeneity::Points }
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

    /// `spd-affine-invariant:1` is a line.
    fn model(&self) -> Model {
        if self.k == 1 { Model::Flat } else { Model::Other }
    }

    /// A step up to this length has no longer eigenvalue.
    fn max_step(&self) -> f64 {
        LARGEST_LOGARITHM
    }

    /// `θ(V) = Π_{i<j} sinhc((λᵢ − λⱼ)/2)`, `λ` the eigenvalues of `L⁻¹VL⁻ᵀ`.
    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        let mut white = vec![0.0; self.point_len()];
        vecd_inverse(self.k, coordinates, &mut white);
        log_volume_density(&linalg::eigenvalues(&white, self.k), 1.0)
    }

    /// From the eigenvalues of a uniform direction alone.
    fn draw_log_volume_density(&self, lengths: &[f64], generator: &mut dyn Rng, out: &mut [f64]) {
        draw_log_volume_density(self.k, 1, lengths, generator, out);
    }

    /// The smaller of two bounds of `Σ_{i<j} ln sinhc(xᵢⱼ)`, `xᵢⱼ = |λᵢ − λⱼ|/2`, `‖λ‖ = s`:
    ///
    /// * `N·ln sinhc(s/√(2(k−1)))`, `N = k(k−1)/2`, because `u ↦ ln sinhc(√u)` is concave and `Σ xᵢⱼ² ≤ k·s²/4`; nearly
    ///   attained for small `s`;
    /// * `½√(k(k²−1)/3)·s`, because `ln sinhc x ≤ x`.
    ///
    /// With `(d−1)·ln s` either is concave: `N·ln sinh` of a multiple of `s`, plus `(k−1)·ln s`; and the first bound
    /// overtakes the second from below, so their minimum is concave too.
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        if self.k == 1 {
            return (0.0, 0.0);
        }
        let rate = (0.5 / (self.k - 1) as f64).sqrt();
        let (value, slope) = ln_sinhc(rate * s);
        let growth = self.volume_growth();
        if self.pairs() * value <= growth * s {
            (self.pairs() * value, self.pairs() * rate * slope)
        } else {
            (growth * s, growth)
        }
    }

    /// `½√(k(k²−1)/3)`: the largest value of `Σ_{i<j} |λᵢ − λⱼ|/2` at `‖λ‖ = 1`.
    fn volume_growth(&self) -> f64 {
        let k = self.k as f64;
        0.5 * (k * (k * k - 1.0) / 3.0).sqrt()
    }

    /// In the direction of a diagonal matrix `λ`, `Exp` stretches the entry `ij` by the more, the larger `|λᵢ − λⱼ|`.
    /// The sum of the squares of these differences is the same for all traceless unit `λ`. The sum of their fourth
    /// powers decides as long as distances are not large. It is largest where one eigenvalue has the other sign of all
    /// others. The largest of all differences decides in the end, and is that of `(1, −1, 0, …)/√2`.
    fn steepest_directions(&self) -> Vec<Vec<f64>> {
        let k = self.k as f64;
        let unit = |entry: &dyn Fn(usize) -> f64| {
            let diagonal: Vec<f64> = (0..self.k).map(entry).collect();
            let size = norm(&diagonal);
            let mut direction: Vec<f64> = diagonal.iter().map(|c| c / size).collect();
            direction.resize(self.dim(), 0.0);
            direction
        };
        match self.k {
            1 => vec![vec![1.0]],
            2 => vec![unit(&|i| if i == 0 { 1.0 } else { -1.0 })],
            _ => vec![
                unit(&|i| if i == 0 { 1.0 - 1.0 / k } else { -1.0 / k }),
                unit(&|i| [1.0, -1.0].get(i).copied().unwrap_or(0.0)),
            ],
        }
    }

    /// Curvature matters no more for large matrices: the average sectional curvature falls with the size.
    fn stand_in(&self) -> Option<Arc<dyn Manifold>> {
        if self.k > REHEARSED { Some(Arc::new(Self::new(REHEARSED).ok()?)) } else { None }
    }
}

/// NaN where there is no result.
fn or_nan(result: Result<()>, out: &mut [f64]) {
    if result.is_err() {
        out.fill(f64::NAN);
    }
}

/// `ln θ(s·U)` for each length `s` and one uniform direction `U` of symmetric (`β = 1`) or Hermitian (`β = 2`) `k×k`
/// matrices, whose entries off the diagonal are `β` real numbers.
///
/// A uniform direction is a matrix of independent normal numbers (variance 1 on the diagonal, ½ off it) over its norm.
/// Householder's reflections turn it into a tridiagonal one with normal numbers on the diagonal and `χ_{βj}/√2`,
/// `j = k − 1, …, 1`, off it. All are independent (Dumitriu and Edelman 2002, Matrix models for beta ensembles).
pub(in crate::manifold) fn draw_log_volume_density(
    k: usize,
    beta: usize,
    lengths: &[f64],
    generator: &mut dyn Rng,
    out: &mut [f64],
) {
    let mut eigenvalues: Vec<f64> = (0..k).map(|_| generator.sample(StandardNormal)).collect();
    let chi = |j: usize| ChiSquared::new((beta * j) as f64).map_or(f64::NAN, |law| generator.sample(law).sqrt());
    let mut off_diagonal: Vec<f64> = (1..k).rev().map(chi).map(|chi| FRAC_1_SQRT_2 * chi).collect();
    let size = (dot(&eigenvalues, &eigenvalues) + 2.0 * dot(&off_diagonal, &off_diagonal)).sqrt();
    linalg::tridiagonal_eigenvalues(&mut eigenvalues, &mut off_diagonal);
    for (s, out) in lengths.iter().zip(out) {
        *out = beta as f64 * log_volume_density(&eigenvalues, s / size);
    }
}

/// `Σ_{i<j} ln sinhc(s·|λᵢ − λⱼ|/2)`.
fn log_volume_density(eigenvalues: &[f64], s: f64) -> f64 {
    let mut sum = 0.0;
    for (i, a) in eigenvalues.iter().enumerate() {
        for b in &eigenvalues[..i] {
            sum += ln_sinhc(0.5 * s * (a - b).abs()).0;
        }
    }
    sum
}

/// The power of four of the order of a number; that of 0 is no larger than any other.
fn order(x: f64) -> i32 {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    exponent.div_euclid(2)
}

/// `2ⁿ`, 0 or infinite where it is no normal number.
fn power_of_two(n: i32) -> f64 {
    match n + 1023 {
        ..=0 => 0.0,
        2047.. => f64::INFINITY,
        biased => f64::from_bits((biased as u64) << 52),
    }
}

/// `4ⁿ·x` of each of the numbers, however large `n` is.
fn times_power_of_four(mut numbers: Vec<f64>, n: i32) -> Vec<f64> {
    if n.abs() > 1000 {
        return times_power_of_four(times_power_of_four(numbers, n / 2), n - n / 2);
    }
    let root = power_of_two(n);
    numbers.iter_mut().for_each(|x| *x = *x * root * root);
    numbers
}

/// A point seen from which another, or a tangent vector, is whitened.
///
/// Points are positive definite to working precision when they are validated. Where a matrix is not, everything is NaN.
struct At {
    k: usize,
    /// The point is `4ᵃ` times a matrix near 1: `a`, and that matrix.
    order: i32,
    p: Vec<f64>,
    whitening: Option<Whitening>,
}

impl At {
    fn new(p: &[f64], k: usize) -> Self {
        let order = order(p[0]);
        let p = times_power_of_four(p.to_vec(), -order);
        let whitening = Whitening::new(k, &p);
        Self { k, order, p, whitening }
    }

    /// `L⁻¹XL⁻ᵀ`.
    fn whiten(&self, x: &[f64]) -> Vec<f64> {
        self.whiten_near_one(times_power_of_four(x.to_vec(), -self.order))
    }

    /// `LXLᵀ`.
    fn unwhiten(&self, x: &[f64]) -> Vec<f64> {
        times_power_of_four(self.unwhiten_near_one(x), self.order)
    }

    /// [`whiten`](At::whiten) where the factor is that of the point over its power of four. The lower triangle counts.
    fn whiten_near_one(&self, mut x: Vec<f64>) -> Vec<f64> {
        mirror(self.k, &mut x);
        let mut out = vec![f64::NAN; x.len()];
        if let Some(whitening) = &self.whitening {
            whitening.whiten(&x, &mut out);
        }
        out
    }

    /// [`unwhiten`](At::unwhiten), likewise.
    fn unwhiten_near_one(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![f64::NAN; x.len()];
        if let Some(whitening) = &self.whitening {
            whitening.unwhiten(x, &mut out);
        }
        out
    }

    /// `(L⁻¹QL⁻ᵀ)^{1/2}`, where the factor is that of the point over its power of four, and so is `Q`.
    fn root(&self, q: Vec<f64>) -> Vec<f64> {
        let eigen = linalg::eigen(&self.whiten_near_one(q), self.k);
        let least = least_eigenvalue(&eigen);
        eigen.map(|x| x.max(least).sqrt())
    }

    /// The spectral decomposition of `Logm(L⁻¹QL⁻ᵀ)`.
    ///
    /// For near points from that of `L⁻¹(Q − P)L⁻ᵀ` by `ln(1 + x)`: the error is then relative to the distance. A
    /// power of four adds its logarithm to that of a matrix far away.
    fn log(&self, q: &[f64]) -> Eigen {
        let of_q = order(q[0]);
        let apart = if (of_q - self.order).abs() > FAR_APART { of_q - self.order } else { 0 };
        let q = times_power_of_four(q.to_vec(), -self.order - apart);
        let difference: Vec<f64> = q.iter().zip(&self.p).map(|(q, p)| q - p).collect();
        let mut eigen = linalg::eigen(&self.whiten_near_one(difference), self.k);
        if apart == 0 && eigen.values.iter().all(|&x| x > -0.5) {
            eigen.values.iter_mut().for_each(|x| *x = x.ln_1p());
        } else {
            eigen = linalg::eigen(&self.whiten_near_one(q), self.k);
            let (least, shift) = (least_eigenvalue(&eigen), f64::from(2 * apart) * LN_2);
            eigen.values.iter_mut().for_each(|x| *x = if *x < least { least.ln() } else { x.ln() } + shift);
        }
        eigen
    }
}

/// The least eigenvalue above rounding, relative to the largest; only numbers that are no point have smaller ones.
fn least_eigenvalue(eigen: &Eigen) -> f64 {
    f64::EPSILON * eigen.values.iter().copied().fold(f64::MIN_POSITIVE, f64::max)
}
