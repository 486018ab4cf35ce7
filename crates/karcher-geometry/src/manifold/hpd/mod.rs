//! Hermitian positive definite `k×k` matrices: covariances of complex signals.
//!
//! A point is `2k²` numbers, row by row, the real and the imaginary part of each entry: as complex numbers lie in
//! memory. A tangent vector is a Hermitian matrix, whose lower triangle counts where it is not Hermitian to the last
//! bit.
//!
//! Nothing is computed here, and only affine-invariant distances of many rows are computed with complex numbers. With the
//! embedding `E` of [`embedding`] the space is a part of that of real `2k×2k` matrices with the same metric: those that
//! commute with `J = E(i·I)`. `J` is orthogonal, so `X ↦ JXJᵀ` is an isometry in either metric, and this part is the set
//! of its fixed points. **It is totally geodesic** (Kobayashi 1972, Transformation
//! Groups in Differential Geometry, II.5): geodesics, transport and Jacobi fields are those of the real space. Its inner
//! products are twice those here, so distances are `√2` times as long.

mod embedding;
mod layouts;
#[cfg(test)]
mod tests;

use super::family::{Family, number};
use super::spd::{
    ATYPICAL_IDENTITY, LARGEST_MATRIX, MODERATE, SpdAffineInvariant, SpdLogEuclidean, check_positive_definite,
    draw_log_volume_density,
};
use super::{
    AtypicalOrigin, CurvatureBounds, CutLocus, FlatChart, Homogeneity, Layout, Manifold, Model, Operand, Shape,
    TransportMap, check_length, check_size, rounding_of,
};
use crate::error::{Error, Result};
use crate::linalg;
use crate::points::PointsView;
use crate::space::Space;
use embedding::{are_hermitian, check_hermitian, embed, hermitize, narrow, restore, widen};
use rand::Rng;
use rayon::prelude::*;
use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::Arc;

/// `hpd-log-euclidean:K`.
pub(super) const LOG_EUCLIDEAN: Family = Family {
    name: "hpd-log-euclidean",
    size: "K",
    about: "complex covariances, cross-spectra",
    examples: &["hpd-log-euclidean:3"],
    parse: |size| Some(HpdLogEuclidean::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// `hpd-affine-invariant:K`.
pub(super) const AFFINE_INVARIANT: Family = Family {
    name: "hpd-affine-invariant",
    size: "K",
    about: "the same with the metric that no change of basis alters",
    examples: &["hpd-affine-invariant:3"],
    parse: |size| Some(HpdAffineInvariant::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// A metric on real matrices that Hermitian ones have as well.
pub trait Metric: Manifold + Sized + 'static {
    /// Its name.
    const NAME: &'static str;

    /// Whether distances of all pairs are those of one matrix and many, in turn.
    const OF_ROWS: bool;

    /// The real matrices of a size.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    fn of_size(k: usize) -> Result<Self>;

    /// [`Manifold::draw_log_volume_density`] of Hermitian matrices of the size of these.
    fn draw_hermitian(&self, lengths: &[f64], generator: &mut dyn Rng, out: &mut [f64]);

    /// [`Manifold::dist_many`] of Hermitian matrices of the size of these: the rows that are left to do, or `None` where
    /// all are left to the real matrices.
    fn hermitian_distances(&self, _p: Operand<'_>, _q: Operand<'_>, _out: &mut [f64]) -> Option<Vec<usize>> {
        None
    }
}

impl Metric for SpdAffineInvariant {
    const NAME: &'static str = "affine-invariant";
    const OF_ROWS: bool = true;

    fn of_size(k: usize) -> Result<Self> {
        Self::new(k)
    }

    fn draw_hermitian(&self, lengths: &[f64], generator: &mut dyn Rng, out: &mut [f64]) {
        draw_log_volume_density(self.shape().row_len(), 2, lengths, generator, out);
    }

    fn hermitian_distances(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) -> Option<Vec<usize>> {
        let (k, len) = (self.shape().row_len(), 2 * self.point_len());
        let (one_base, [p, q]) = (matches!(p, Operand::Same(_)), [p, q].map(|x| move |i: usize| x.row(i, len)));
        let is_extreme = |i: &usize| !MODERATE.contains(&p(*i)[0]) || !MODERATE.contains(&q(*i)[0]);
        let mut left = linalg::hermitian_distances(k, one_base, p, q, out);
        left.extend((0..out.len()).filter(is_extreme));
        Some(left)
    }
}

impl Metric for SpdLogEuclidean {
    const NAME: &'static str = "log-Euclidean";
    const OF_ROWS: bool = false;

    fn of_size(k: usize) -> Result<Self> {
        Self::new(k)
    }

    fn draw_hermitian(&self, _lengths: &[f64], _generator: &mut dyn Rng, out: &mut [f64]) {
        out.fill(0.0);
    }
}

/// Hermitian positive definite matrices with the metric `⟨U,V⟩_P = tr(P⁻¹UP⁻¹V)`, which no change of basis alters.
///
/// ```
/// use karcher_geometry::manifold::{HpdAffineInvariant, Manifold};
/// let matrices = HpdAffineInvariant::new(2)?;
/// // [[1, i/2], [−i/2, 1]] has the eigenvalues 3/2 and 1/2
/// let distance = matrices.dist(&[1.0, 0.0, 0.0, 0.5, 0.0, -0.5, 1.0, 0.0], &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
/// assert!((distance - 1.5_f64.ln().hypot(0.5_f64.ln())).abs() < 1e-15);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
pub type HpdAffineInvariant = Hpd<SpdAffineInvariant>;

/// Hermitian positive definite matrices with the log-Euclidean metric: flat, isometric to `R^{k²}` by the logarithm.
///
/// ```
/// use karcher_geometry::manifold::{HpdLogEuclidean, Manifold, Model};
/// let matrices = HpdLogEuclidean::new(2)?;
/// assert_eq!((matrices.dim(), matrices.point_len(), matrices.model()), (4, 8, Model::Flat));
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
pub type HpdLogEuclidean = Hpd<SpdLogEuclidean>;

/// Hermitian positive definite `k×k` matrices with the metric of the real matrices `M`.
///
/// ```
/// use karcher_geometry::manifold::{HpdAffineInvariant, Manifold, SpdAffineInvariant};
/// let (complex, real) = (HpdAffineInvariant::new(2)?, SpdAffineInvariant::new(2)?);
/// // matrices without an imaginary part are as far apart as they are among real ones
/// let (p, q) = ([2.0, 0.0, 1.0, 0.0, 1.0, 0.0, 2.0, 0.0], [3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
/// let distance = real.dist(&[2.0, 1.0, 1.0, 2.0], &[3.0, 0.0, 0.0, 1.0]);
/// assert!((complex.dist(&p, &q) - distance).abs() < 1e-14);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Hpd<M> {
    k: usize,
    space: Space,
    /// Real matrices of size `2k×2k`, where these are.
    wide: M,
    /// Real matrices of size `k×k`, which are among these.
    real: M,
}

impl<M: Metric> Hpd<M> {
    /// Matrices of size `k×k`.
    ///
    /// # Errors
    /// [`Error::InvalidSize`](crate::Error::InvalidSize).
    ///
    /// ```
    /// use karcher_geometry::manifold::{HpdAffineInvariant, Manifold};
    /// let matrices = HpdAffineInvariant::new(3)?;
    /// assert_eq!((matrices.dim(), matrices.point_len(), matrices.curvature().lower), (9, 18, -0.5));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(k: usize) -> Result<Self> {
        let space = Space::named(format!("hpd-{}:{k}", M::NAME.to_lowercase()));
        check_size(&space, k, 1, LARGEST_MATRIX / 2)?;
        Ok(Self { k, space, wide: M::of_size(2 * k)?, real: M::of_size(k)? })
    }

    /// The images of matrices, one after the other.
    fn images(&self, matrices: &[f64]) -> Vec<f64> {
        let mut images = vec![0.0; 2 * matrices.len()];
        let (from, to) = (self.point_len(), self.wide.point_len());
        for (h, image) in matrices.chunks_exact(from).zip(images.chunks_exact_mut(to)) {
            embed(self.k, h, image);
        }
        images
    }

    /// The matrices whose images `compute` makes.
    fn computed(&self, out: &mut [f64], compute: impl FnOnce(&mut [f64])) {
        let mut images = vec![0.0; 2 * out.len()];
        compute(&mut images);
        let (from, to) = (self.wide.point_len(), self.point_len());
        for (image, h) in images.chunks_exact(from).zip(out.chunks_exact_mut(to)) {
            restore(self.k, image, h);
        }
    }

    /// The coordinates of vectors whose images have those that `compute` makes.
    fn coordinates(&self, out: &mut [f64], compute: impl FnOnce(&mut [f64])) {
        let (from, to) = (self.wide.dim(), self.dim());
        let mut wide = vec![0.0; out.len() / to * from];
        compute(&mut wide);
        for (wide, c) in wide.chunks_exact(from).zip(out.chunks_exact_mut(to)) {
            narrow(self.k, wide, c);
        }
    }
}

impl<M: Metric> Manifold for Hpd<M> {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: crate::manifold::OwnSpace) -> bool {
        true
    }

    /// `k` numbers on the diagonal, and two in each of the `k(k−1)/2` entries above it.
    fn dim(&self) -> usize {
        self.k * self.k
    }

    fn point_len(&self) -> usize {
        2 * self.k * self.k
    }

    /// The identity.
    fn origin(&self, out: &mut [f64]) {
        self.computed(out, |out| self.wide.origin(out));
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        let mut hermitian = p.to_vec();
        hermitize(self.k, &mut hermitian);
        let is_positive = || check_positive_definite(2 * self.k, &self.images(&hermitian));
        let checked = check_hermitian(self.k, p, 0.0).and_then(|()| is_positive());
        checked.map_err(|reason| Error::InvalidPoint { space: self.space.clone(), reason })
    }

    /// Whether it is Hermitian. If it is so to a relative 1e-6 alone, its lower triangle counts, in every operation.
    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_length(self, v)?;
        check_hermitian(self.k, v, rounding_of(p))
            .map_err(|reason| Error::InvalidTangent { space: self.space.clone(), reason })
    }

    fn normalize(&self, p: &mut [f64]) {
        hermitize(self.k, p);
    }

    /// The Hermitian part.
    fn project(&self, p: &mut [f64]) {
        hermitize(self.k, p);
    }

    /// A point has one representative.
    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
    }

    fn repair(&self, p: &mut [f64]) {
        hermitize(self.k, p);
        if self.check_point(p).is_err() {
            let mut image = self.images(p);
            self.wide.repair(&mut image);
            restore(self.k, &image, p);
        }
    }

    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        self.computed(out, |out| self.wide.exp(&self.images(p), &self.images(v), out));
    }

    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        let mut done = Ok(());
        self.computed(out, |out| done = self.wide.log(&self.images(p), &self.images(q), out));
        done
    }

    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        FRAC_1_SQRT_2 * self.wide.dist(&self.images(p), &self.images(q))
    }

    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        0.5 * self.wide.inner(&self.images(p), &self.images(u), &self.images(v))
    }

    /// # Errors
    /// With the affine-invariant metric [`Error::InvalidTangent`] where the vector at `q` has numbers beyond those of
    /// double precision.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        let [p, q, v] = [p, q, v].map(|x| self.images(x));
        let mut done = Ok(());
        self.computed(out, |out| done = self.wide.transport(&p, &q, &v, out));
        match done {
            Err(Error::InvalidTangent { reason, .. }) => {
                Err(Error::InvalidTangent { space: self.space.clone(), reason })
            }
            done => done,
        }
    }

    fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let images = [p, v].map(|x| self.images(x.numbers()));
        self.computed(out, |out| self.wide.exp_many(p.with(&images[0]), v.with(&images[1]), out));
    }

    fn log_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        let images = [p, q].map(|x| self.images(x.numbers()));
        self.computed(out, |out| self.wide.log_many(p.with(&images[0]), q.with(&images[1]), out));
    }

    /// With the affine-invariant metric by complex numbers, which takes half of the operations, or fewer.
    fn dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        if let Some(left) = self.real.hermitian_distances(p, q, out) {
            let len = self.point_len();
            return left.into_iter().for_each(|i| out[i] = self.dist(p.row(i, len), q.row(i, len)));
        }
        self.released_dist_many(p, q, out);
    }

    fn released_dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        let images = [p, q].map(|x| self.images(x.numbers()));
        self.wide.dist_many(p.with(&images[0]), q.with(&images[1]), out);
        out.iter_mut().for_each(|distance| *distance *= FRAC_1_SQRT_2);
    }

    fn dist_matrix(&self, p: &[f64], q: &[f64], out: &mut [f64]) {
        let len = self.point_len();
        if M::OF_ROWS && !q.is_empty() {
            let rows = p.par_chunks_exact(len).zip(out.par_chunks_exact_mut(q.len() / len));
            return rows.for_each(|(p, out)| self.dist_many(Operand::Same(p), Operand::Each(q), out));
        }
        self.wide.dist_matrix(&self.images(p), &self.images(q), out);
        out.iter_mut().for_each(|distance| *distance *= FRAC_1_SQRT_2);
    }

    fn inner_many(&self, p: Operand<'_>, u: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let images = [p, u, v].map(|x| self.images(x.numbers()));
        self.wide.inner_many(p.with(&images[0]), u.with(&images[1]), v.with(&images[2]), out);
        out.iter_mut().for_each(|product| *product *= 0.5);
    }

    fn norm_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let images = [p, v].map(|x| self.images(x.numbers()));
        self.wide.norm_many(p.with(&images[0]), v.with(&images[1]), out);
        out.iter_mut().for_each(|length| *length *= FRAC_1_SQRT_2);
    }

    fn transport_many(&self, p: Operand<'_>, q: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let images = [p, q, v].map(|x| self.images(x.numbers()));
        let (p, q, v) = (p.with(&images[0]), q.with(&images[1]), v.with(&images[2]));
        self.computed(out, |out| self.wide.transport_many(p, q, v, out));
    }

    fn transport_map(&self, p: &[f64], q: &[f64]) -> Option<TransportMap<'_>> {
        let wide = self.wide.transport_map(&self.images(p), &self.images(q))?;
        Some(Box::new(move |v, out| {
            let images = self.images(v.numbers());
            self.computed(out, |out| wide(v.with(&images), out));
        }))
    }

    fn prechecked_points(&self, values: &[f64]) -> bool {
        are_hermitian(self.k, values) && linalg::clearly_hermitian_definite(self.k, values)
    }

    fn prechecked_tangents(&self, _p: Operand<'_>, v: Operand<'_>, _rows: usize) -> bool {
        v.all_finite() && are_hermitian(self.k, v.numbers())
    }

    /// Those of the real space. Its curvature operator `R(·,v)v` maps the part that is fixed by an isometry to itself,
    /// and a multiple of the metric has the same adjoints.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        let [p, v, e] = [p, v, e].map(|x| self.images(x));
        let (mut wide_point, mut wide_vector) = (vec![0.0; p.len()], vec![0.0; p.len()]);
        self.wide.jacobi(&p, &v, &e, &mut wide_point, &mut wide_vector);
        restore(self.k, &wide_point, by_point);
        restore(self.k, &wide_vector, by_vector);
    }

    /// The diagonal, then real and imaginary parts of the strict upper triangle times `√2`, of a Hermitian matrix at the
    /// identity. Real matrices have the coordinates of the real space first, and then zeros.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        self.computed(out, |out| self.wide.from_frame(&self.images(p), &widen(self.k, coordinates), out));
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        self.coordinates(coordinates, |wide| self.wide.to_frame(&self.images(p), &self.images(v), wide));
    }

    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        let (base, images) = (self.images(base), self.images(points.values()));
        let points = PointsView::unchecked(self.wide.space(), base.len(), &images);
        self.coordinates(coordinates, |wide| self.wide.frame_logs(&base, points, wide));
    }

    fn to_origin(&self, p: &[f64], x: &[f64], out: &mut [f64]) {
        self.computed(out, |out| self.wide.to_origin(&self.images(p), &self.images(x), out));
    }

    fn to_origin_many(&self, p: &[f64], points: &[f64], out: &mut [f64]) {
        self.computed(out, |out| self.wide.to_origin_many(&self.images(p), &self.images(points), out));
    }

    fn from_origin(&self, p: &[f64], x: &[f64], out: &mut [f64]) {
        self.computed(out, |out| self.wide.from_origin(&self.images(p), &self.images(x), out));
    }

    fn max_step(&self) -> f64 {
        self.wide.max_step()
    }

    /// That of real matrices, `[−½, 0]` with the affine-invariant metric and `k > 1`, and 0 otherwise.
    ///
    /// At the identity orthonormal `X` and `Y` span a plane of curvature `−¼‖[X,Y]‖²_F ≤ 0`. A unitary congruence makes
    /// `X` diagonal, `x`. Then `‖[X,Y]‖² = Σ (xᵢ − xⱼ)²·|yᵢⱼ|² ≤ max (xᵢ − xⱼ)² ≤ 2‖x‖² = 2`, which real `X` and `Y`
    /// attain. (Böttcher and Wenzel 2008 prove it of all complex matrices.) Congruences carry the identity everywhere.
    fn curvature(&self) -> CurvatureBounds {
        self.real.curvature()
    }

    /// No curvature is positive, and the space is complete and simply connected (Cartan and Hadamard).
    fn injectivity_radius(&self) -> f64 {
        f64::INFINITY
    }

    fn cut_locus(&self) -> CutLocus {
        CutLocus::None
    }

    fn diameter(&self) -> f64 {
        f64::INFINITY
    }

    /// With the affine-invariant metric congruences `X ↦ LXL*` carry the identity to any `P = LL*`, and the frame there
    /// to that at `P`, which is made by the Cholesky factor. A space without curvature has all isometries.
    fn homogeneity(&self) -> Homogeneity {
        self.real.homogeneity()
    }

    /// Flat with the log-Euclidean metric, and for `k = 1`: positive numbers.
    fn model(&self) -> Model {
        self.real.model()
    }

    fn shape(&self) -> Shape {
        Shape::HermitianPositiveDefinite(self.k)
    }

    fn layouts(&self) -> Vec<Layout> {
        layouts::of_matrices(self.k)
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(ATYPICAL_IDENTITY)
    }

    /// `θ(V) = Π_{i<j} sinhc²((λᵢ − λⱼ)/2)` with the affine-invariant metric, `λ` the eigenvalues of `L⁻¹VL⁻*`: in the
    /// basis in which that is diagonal, `Exp` stretches the real and the imaginary part of the entry `ij` alike.
    ///
    /// The image has each eigenvalue twice, and so each pair of different ones four times: half of its `ln θ` is that.
    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        0.5 * self.wide.log_volume_density_in_frame(&widen(self.k, coordinates))
    }

    fn draw_log_volume_density(&self, lengths: &[f64], generator: &mut dyn Rng, out: &mut [f64]) {
        self.real.draw_hermitian(lengths, generator, out);
    }

    /// Twice the bound of real `k×k` matrices, as `ln θ` is twice theirs at the same eigenvalues, and eigenvalues of
    /// the same length are possible.
    ///
    /// `(d−1)·ln s + ψ` is concave. With `N = k(k−1)/2` the first bound is `2N·ln sinhc(cs)`, and `d − 1 = k² − 1 = 2N +
    /// (k−1)`. So the sum is `2N·ln sinh(cs) + (k−1)·ln s` up to a constant. The second bound is linear, and the minimum
    /// of concave functions is concave.
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        let (value, slope) = self.real.log_volume_density_bound(s);
        (2.0 * value, 2.0 * slope)
    }

    /// `√(k(k²−1)/3)` with the affine-invariant metric: the largest value of `Σ_{i<j} |λᵢ − λⱼ|` at `‖λ‖ = 1`.
    fn volume_growth(&self) -> f64 {
        2.0 * self.real.volume_growth()
    }

    /// Those of real matrices, which are diagonal: `θ` is the square of theirs.
    fn steepest_directions(&self) -> Vec<Vec<f64>> {
        let mut directions = self.real.steepest_directions();
        for direction in &mut directions {
            direction.resize(self.dim(), 0.0);
        }
        directions
    }

    /// As of real matrices.
    fn stand_in(&self) -> Option<Arc<dyn Manifold>> {
        let k = self.real.stand_in()?.shape().row_len();
        Some(Arc::new(Self::new(k).ok()?))
    }

    fn flat_chart(&self) -> Option<&dyn FlatChart> {
        self.wide.flat_chart().map(|_| self as &dyn FlatChart)
    }
}

/// The coordinates of `Logm P` in the frame at the identity, where the real space has a chart.
impl<M: Metric> FlatChart for Hpd<M> {
    fn to_flat(&self, p: &[f64], coordinates: &mut [f64]) {
        let Some(chart) = self.wide.flat_chart() else { return };
        self.coordinates(coordinates, |wide| chart.to_flat(&self.images(p), wide));
    }

    fn from_flat(&self, coordinates: &[f64], out: &mut [f64]) {
        let Some(chart) = self.wide.flat_chart() else { return };
        self.computed(out, |out| chart.from_flat(&widen(self.k, coordinates), out));
    }

    fn logarithm(&self, coordinates: &[f64]) -> Option<Vec<f64>> {
        let image = self.wide.flat_chart()?.logarithm(&widen(self.k, coordinates))?;
        let mut log = vec![0.0; self.point_len()];
        restore(self.k, &image, &mut log);
        Some(log)
    }

    fn all_to_flat(&self, points: PointsView<'_>, coordinates: &mut [f64]) {
        let Some(chart) = self.wide.flat_chart() else { return };
        let images = self.images(points.values());
        let points = PointsView::unchecked(self.wide.space(), self.wide.point_len(), &images);
        self.coordinates(coordinates, |wide| chart.all_to_flat(points, wide));
    }

    fn prechecked_add_flat(&self, values: &[f64], sum: &mut [f64]) -> bool {
        let Some(chart) = self.wide.flat_chart().filter(|_| are_hermitian(self.k, values)) else { return false };
        let (mut added, mut certain) = (vec![0.0; sum.len()], false);
        self.coordinates(&mut added, |wide| certain = chart.prechecked_add_flat(&self.images(values), wide));
        sum.iter_mut().zip(&added).for_each(|(sum, x)| *sum += x);
        certain
    }
}
