//! Complete Riemannian manifolds behind one small interface.

mod batch_op;
mod declarations;
mod euclidean;
mod family;
mod flat;
mod flat_chart;
mod formulas;
mod geodesic;
mod grassmann;
pub(crate) mod helmert;
mod hpd;
mod hyperbolic;
mod kendall;
mod landmarks;
mod lanes;
mod layout;
mod log_error;
mod many;
mod orientations;
mod own;
mod pairs;
mod poses;
mod product;
mod projective;
mod proposals;
mod real;
mod registry;
mod remedy;
mod rotations;
mod rows;
mod scaled;
mod simplex_aitchison;
mod simplex_fisher_rao;
mod spd;
mod sphere;
mod torus;
mod unit_rows;
mod validated;
pub(crate) mod vector;

pub use batch_op::{BatchOp, Operand, TransportMap};
pub use declarations::{AtypicalOrigin, CurvatureBounds, CutLocus, Homogeneity, Model, Shape};
pub use euclidean::Euclidean;
pub use family::Family;
pub use flat_chart::FlatChart;
pub use flat_chart::{exponential_factor, has_linear_numbers};
pub use geodesic::Geodesic;
pub use grassmann::Grassmann;
pub use hpd::{Hpd, HpdAffineInvariant, HpdLogEuclidean};
pub use hyperbolic::Hyperbolic;
pub use kendall::Kendall;
pub use landmarks::{Landmarks, SizeAndShape, Template};
pub use layout::{AngleUnit, Called, Contradiction, Dictionary, Layout, Verdict, Wording};
use own::OwnSpace;
pub use product::Product;
pub use projective::Projective;
pub use proposals::{Proposal, about, proposals};
pub use registry::FAMILIES;
pub use remedy::{Remedy, off, remedy};
pub use rotations::Rotations;
pub use scaled::Scaled;
pub use simplex_aitchison::SimplexAitchison;
pub use spd::{CorrelationOffLog, SpdAffineInvariant, SpdLogCholesky, SpdLogEuclidean, TangentSpace};
pub use sphere::Sphere;
pub use torus::Torus;
pub(crate) use validated::is_rounding;

use crate::embedding::Embedding;
use crate::error::{Error, Result};
use crate::points::PointsView;
use crate::space::Space;
use rand::Rng;
use rayon::prelude::*;
use std::fmt::Debug;
use std::sync::Arc;
pub use vector::ln_sinc;
pub(crate) use vector::{largest, norm, unit_vector};

/// A complete Riemannian manifold.
///
/// A point and a tangent vector are [`point_len`](Manifold::point_len) numbers in ambient coordinates; methods write
/// into `out` (of that length too) and trust their arguments: points come validated from [`Points`](crate::Points).
///
/// **A space declares what it is; nothing is guessed.** Proofs of privacy rest on `model`, `curvature`,
/// `injectivity_radius`, `cut_locus`, `homogeneity`, `diameter` and the volume density, and the library cannot check
/// them. If a space of your own overstates its injectivity radius, or wrongly calls itself homogeneous, the guarantee
/// of its releases is false. They look like any other release. The laws, `karcher::laws` behind the feature `laws`,
/// find such errors.
///
/// ```
/// use karcher_geometry::manifold::{Hyperbolic, Manifold};
/// let (p, q) = ([1.0, 0.0, 0.0], [1.25, 0.75, 0.0]);
/// let space: &dyn Manifold = &Hyperbolic::new(2)?;
/// let (mut v, mut end) = ([0.0; 3], [0.0; 3]);
/// space.log(&p, &q, &mut v)?;
/// space.exp(&p, &v, &mut end);
/// assert!(space.dist(&end, &q) < 1e-15);
/// assert!((space.norm(&p, &v) - space.dist(&p, &q)).abs() < 1e-15);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[allow(clippy::wrong_self_convention)] // `from_frame` is the field's name: from coordinates in the frame
#[auto_impl::auto_impl(&, Box, Arc)]
pub trait Manifold: Debug + Send + Sync {
    /// The space's name, which determines it: spaces of the same name count as the same.
    fn space(&self) -> &Space;

    /// Whether the library declares the space. Releases on a space of your own say so.
    #[doc(hidden)] // no space from outside can name the argument
    fn is_own(&self, _own: OwnSpace) -> bool {
        false
    }

    /// The simply connected space of constant curvature (or the circle) that this one is isometric to, if it is: then
    /// the privacy of noise on it is that of the model.
    fn model(&self) -> Model;

    /// Bounds of the sectional curvature.
    fn curvature(&self) -> CurvatureBounds;

    /// The largest radius within which `Exp_p` is a diffeomorphism; `∞` where it always is.
    fn injectivity_radius(&self) -> f64;

    /// Where geodesics from a point cease to be the shortest.
    fn cut_locus(&self) -> CutLocus;

    /// The largest distance between two points; `∞` where there is none.
    fn diameter(&self) -> f64;

    /// How many isometries there are.
    fn homogeneity(&self) -> Homogeneity;

    /// The arrangement of the numbers of a point.
    fn shape(&self) -> Shape;

    /// The ways to write a point down, that of its numbers as they are first. Readers, printers, Python and the command
    /// line know these and no others.
    fn layouts(&self) -> Vec<Layout> {
        vec![Layout::plain("vectors", self.point_len())]
    }

    /// Whether distances are angles in radians, so that they may be given in degrees as well. It affects wording alone.
    fn distances_are_angles(&self) -> bool {
        false
    }

    /// The reason why the [`origin`](Manifold::origin) is a poor center of a ball for most records; there is then no
    /// default center. `None` where it is a good one.
    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        None
    }

    /// Dimension `d`.
    fn dim(&self) -> usize;

    /// Numbers in a point (and in a tangent vector).
    fn point_len(&self) -> usize;

    /// A well-known point: 0, the first unit vector, the identity matrix, the regular polygon, the span of the first
    /// axes.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SpdAffineInvariant};
    /// let mut identity = [0.0; 4];
    /// SpdAffineInvariant::new(2)?.origin(&mut identity);
    /// assert_eq!(identity, [1.0, 0.0, 0.0, 1.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn origin(&self, out: &mut [f64]);

    /// Whether `p` is a point, to a relative 1e-6 (files hold rounded numbers).
    ///
    /// # Errors
    /// [`Error::WrongLength`], or [`Error::InvalidPoint`] with the reason.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let sphere = Sphere::new(1)?;
    /// assert!(sphere.check_point(&[0.6, 0.8]).is_ok());
    /// let reason = sphere.check_point(&[3.0, 4.0]).unwrap_err().to_string();
    /// assert!(reason.contains("its norm is 5, it must be 1"), "{reason}");
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn check_point(&self, p: &[f64]) -> Result<()>;

    /// Whether `v` is a tangent vector at `p`, to a relative 1e-6 or up to the rounding errors of numbers as large as
    /// those of `p`: a difference of two near points may be nothing else.
    ///
    /// # Errors
    /// [`Error::InvalidTangent`] with the reason.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let sphere = Sphere::new(1)?;
    /// assert!(sphere.check_tangent(&[1.0, 0.0], &[0.0, 2.0]).is_ok());
    /// assert!(sphere.check_tangent(&[1.0, 0.0], &[0.1, 2.0]).is_err()); // it leaves the tangent space
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()>;

    /// Projects numbers onto the space where that has a meaning: a vector is scaled to unit norm, a matrix made
    /// symmetric. Leaves points as they are, and numbers that cannot become a point too.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let mut p = [30.0, 40.0];
    /// Sphere::new(1)?.project(&mut p);
    /// assert!((p[0] - 0.6).abs() < 1e-15 && (p[1] - 0.8).abs() < 1e-15);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn project(&self, p: &mut [f64]);

    /// Removes the rounding errors of a point that passed [`check_point`](Manifold::check_point).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Hyperbolic};
    /// let mut p = [1.2500001, 0.75]; // √(1 + 0.75²) = 1.25
    /// Hyperbolic::new(1)?.normalize(&mut p);
    /// assert_eq!(p, [1.25, 0.75]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn normalize(&self, p: &mut [f64]);

    /// Writes the representative of the point `p` that lies nearest to the one that `base` holds. It is a function of
    /// the *point* `p` and of the numbers `base`, whichever of its representatives `p` is given by. Where a point has
    /// one representative only it is `p` itself.
    ///
    /// A proof about the law of a point does not cover the numbers that represent it in a program. So releases are
    /// aligned to a public `base` (user guide, Q1).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Projective};
    /// let axes = Projective::new(1)?;
    /// let mut published = [0.0; 2];
    /// for p in [[0.6, 0.8], [-0.6, -0.8]] {
    ///     axes.align(&[1.0, 0.0], &p, &mut published);
    ///     assert_eq!(published, [0.6, 0.8]); // whichever sign the axis came with
    /// }
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn align(&self, base: &[f64], p: &[f64], out: &mut [f64]);

    /// Replaces numbers that rounding took off the manifold by a point near them: a draw so far out that its matrix is
    /// singular in double precision. Leaves points as they are.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SpdLogEuclidean};
    /// let matrices = SpdLogEuclidean::new(2)?;
    /// let mut singular = [1.0, 0.0, 0.0, 1e-30];
    /// assert!(matrices.check_point(&singular).is_err());
    /// matrices.repair(&mut singular);
    /// assert!(matrices.check_point(&singular).is_ok());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn repair(&self, p: &mut [f64]) {
        self.normalize(p);
    }

    /// `Exp_p(v)`: the end of the geodesic that leaves `p` with velocity `v`, at time 1.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SpdAffineInvariant};
    /// let mut end = [0.0];
    /// SpdAffineInvariant::new(1)?.exp(&[2.0], &[6.0], &mut end); // positive numbers: p·exp(v/p)
    /// assert!((end[0] / (2.0 * 3.0_f64.exp()) - 1.0).abs() < 1e-14);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]);

    /// `Log_p(q)`: the shortest `v` with `Exp_p(v) = q`.
    ///
    /// It must exist where the distance is below the injectivity radius by more than 10⁻⁹ of `1/√|κ|`, or of the radius
    /// itself if that is less. Nearer than that rounding may decide. Farther away it must exist wherever there is
    /// exactly one.
    ///
    /// # Errors
    /// [`Error::CutLocus`] where there is more than one, or where rounding hides that there is one.
    ///
    /// ```
    /// use karcher_geometry::{Error, manifold::{Manifold, Sphere}};
    /// let sphere = Sphere::new(1)?;
    /// let mut v = [0.0; 2];
    /// sphere.log(&[1.0, 0.0], &[0.0, 1.0], &mut v)?;
    /// assert!((v[1] - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    /// assert!(matches!(sphere.log(&[1.0, 0.0], &[-1.0, 0.0], &mut v), Err(Error::CutLocus { .. })));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()>;

    /// Geodesic distance `ρ(p, q)`.
    ///
    /// It is the root of a sum of squares, as lengths of vectors are. Squares of numbers below 10⁻¹⁵⁴ lose digits, and
    /// below 10⁻¹⁶² they are 0. In addition to rounding, lengths err by that by up to `2⁻⁵³⁶·n` (`5·10⁻¹⁶²·n`), where a
    /// point has `n` numbers near 1. So all digits of a distance above 10⁻¹⁴⁰ are right, and points nearer than 10⁻¹⁶²
    /// may have the distance 0; `exp` and `log` keep the digits of such vectors.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let sphere = Sphere::new(1)?;
    /// assert!((sphere.dist(&[1.0, 0.0], &[-1.0, 0.0]) - std::f64::consts::PI).abs() < 1e-15);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn dist(&self, p: &[f64], q: &[f64]) -> f64;

    /// `⟨u, v⟩_p`, the Riemannian metric.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SpdAffineInvariant};
    /// let numbers = SpdAffineInvariant::new(1)?;
    /// assert!((numbers.inner(&[2.0], &[3.0], &[4.0]) - 3.0 * 4.0 / 2.0_f64.powi(2)).abs() < 1e-15); // uv/p²
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64;

    /// `‖v‖_p`.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Hyperbolic};
    /// let line = Hyperbolic::new(1)?;
    /// assert!((line.norm(&[1.25, 0.75], &[0.75, 1.25]) - 1.0).abs() < 1e-15); // √(−0.75² + 1.25²)
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn norm(&self, p: &[f64], v: &[f64]) -> f64 {
        let square = self.inner(p, v, v);
        if square < 0.0 { 0.0 } else { square.sqrt() } // NaN stays NaN
    }

    /// Parallel transport of `v ∈ T_p` to `T_q` along the shortest geodesic.
    ///
    /// # Errors
    /// [`Error::CutLocus`] where there is more than one such geodesic. On hyperbolic spaces and affine-invariant
    /// matrices [`Error::InvalidTangent`] where the vector at `q` has numbers beyond those of double precision.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// // along a quarter of the equator: what points north goes on to do so, what points ahead turns with the way
    /// let (p, q, mut moved) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]);
    /// Sphere::new(2)?.transport(&p, &q, &[0.0, 2.0, 3.0], &mut moved)?;
    /// assert_eq!(moved, [-2.0, 0.0, 3.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()>;

    /// [`exp`](Manifold::exp) for many rows: the ends of geodesics from each point, or from the same one, with each
    /// velocity, or the same one, as many as `out` has room for. Numbers do not depend on the other rows. They are
    /// those of `exp` to the last bit; on spaces of matrices they may differ by rounding.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Operand, Sphere};
    /// use std::f64::consts::{FRAC_PI_2, PI};
    /// let mut ends = [0.0; 4];
    /// Sphere::new(1)?.exp_many(Operand::Same(&[1.0, 0.0]), Operand::Each(&[0.0, FRAC_PI_2, 0.0, PI]), &mut ends);
    /// assert!((ends[1] - 1.0).abs() < 1e-15 && (ends[2] + 1.0).abs() < 1e-15);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let len = self.point_len();
        for (i, out) in out.chunks_exact_mut(len).enumerate() {
            self.exp(p.row(i, len), v.row(i, len), out);
        }
    }

    /// [`log`](Manifold::log) for many rows, as [`exp_many`](Manifold::exp_many); NaN where there is no logarithm.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Operand, Sphere};
    /// let (north, mut vectors) = ([0.0, 1.0], [0.0; 4]);
    /// Sphere::new(1)?.log_many(Operand::Each(&[1.0, 0.0, 0.0, -1.0]), Operand::Same(&north), &mut vectors);
    /// assert!((vectors[1] - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    /// assert!(vectors[2].is_nan()); // from the south pole, every way is the shortest
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn log_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        let len = self.point_len();
        for (i, out) in out.chunks_exact_mut(len).enumerate() {
            if self.log(p.row(i, len), q.row(i, len), out).is_err() {
                out.fill(f64::NAN);
            }
        }
    }

    /// [`dist`](Manifold::dist) for many rows, as [`exp_many`](Manifold::exp_many).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Euclidean, Manifold, Operand};
    /// let mut distances = [0.0; 2];
    /// Euclidean::new(1)?.dist_many(Operand::Same(&[1.0]), Operand::Each(&[3.0, -2.0]), &mut distances);
    /// assert_eq!(distances, [2.0, 3.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        let len = self.point_len();
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.dist(p.row(i, len), q.row(i, len));
        }
    }

    /// [`dist_many`](Manifold::dist_many) with the bits that releases keep from version to version. A faster way may
    /// differ by rounding.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Euclidean, Manifold, Operand};
    /// let mut distance = [0.0];
    /// Euclidean::new(1)?.released_dist_many(Operand::Same(&[1.0]), Operand::Each(&[3.0]), &mut distance);
    /// assert_eq!(distance, [2.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn released_dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        self.dist_many(p, q, out);
    }

    /// [`dist`](Manifold::dist) of every point of one list to every point of another, row by row: the distances of the
    /// first `p` to all `q` come first. The same as [`dist_many`](Manifold::dist_many) of each row, to the last bit.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Euclidean, Manifold};
    /// let mut distances = [0.0; 6];
    /// Euclidean::new(1)?.dist_matrix(&[1.0, 2.0], &[3.0, -2.0, 0.0], &mut distances);
    /// assert_eq!(distances, [2.0, 3.0, 1.0, 1.0, 4.0, 2.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn dist_matrix(&self, p: &[f64], q: &[f64], out: &mut [f64]) {
        let len = self.point_len();
        if !q.is_empty() {
            let rows = p.par_chunks_exact(len).zip(out.par_chunks_exact_mut(q.len() / len));
            rows.for_each(|(p, out)| self.dist_many(Operand::Same(p), Operand::Each(q), out));
        }
    }

    /// [`transport`](Manifold::transport) for many rows, as [`exp_many`](Manifold::exp_many); NaN where there is no
    /// single shortest geodesic, or the vector at `q` has numbers beyond those of double precision.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Operand, Sphere};
    /// let (p, q, mut moved) = ([1.0, 0.0], [0.0, 1.0], [0.0; 4]);
    /// let vectors = Operand::Each(&[0.0, 2.0, 0.0, -3.0]);
    /// Sphere::new(1)?.transport_many(Operand::Same(&p), Operand::Same(&q), vectors, &mut moved);
    /// assert_eq!((moved[0], moved[2]), (-2.0, 3.0));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn transport_many(&self, p: Operand<'_>, q: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let len = self.point_len();
        for (i, out) in out.chunks_exact_mut(len).enumerate() {
            if self.transport(p.row(i, len), q.row(i, len), v.row(i, len), out).is_err() {
                out.fill(f64::NAN);
            }
        }
    }

    /// [`transport`](Manifold::transport) of many vectors from `p` to `q`, where a part of the work is done once for
    /// all: the numbers are those of [`transport_many`](Manifold::transport_many). `None` on spaces without such a
    /// part.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Operand, Sphere, SpdAffineInvariant};
    /// let (numbers, mut moved) = (SpdAffineInvariant::new(1)?, [0.0; 2]);
    /// let transport_map = numbers.transport_map(&[1.0], &[4.0]).ok_or("matrices have one")?;
    /// transport_map(Operand::Each(&[1.0, -2.0]), &mut moved);
    /// assert_eq!(moved, [4.0, -8.0]);
    /// assert!(Sphere::new(1)?.transport_map(&[1.0, 0.0], &[0.0, 1.0]).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn transport_map(&self, _p: &[f64], _q: &[f64]) -> Option<TransportMap<'_>> {
        None
    }

    /// [`inner`](Manifold::inner) for many rows, as [`exp_many`](Manifold::exp_many).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Operand, Sphere};
    /// let (p, u, mut products) = ([1.0, 0.0], [0.0, 2.0], [0.0; 2]);
    /// let vectors = Operand::Each(&[0.0, 3.0, 0.0, -4.0]);
    /// Sphere::new(1)?.inner_many(Operand::Same(&p), Operand::Same(&u), vectors, &mut products);
    /// assert_eq!(products, [6.0, -8.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn inner_many(&self, p: Operand<'_>, u: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        let len = self.point_len();
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.inner(p.row(i, len), u.row(i, len), v.row(i, len));
        }
    }

    /// [`norm`](Manifold::norm) for many rows, as [`exp_many`](Manifold::exp_many).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Operand, Sphere};
    /// let (p, mut lengths) = ([1.0, 0.0], [0.0; 2]);
    /// Sphere::new(1)?.norm_many(Operand::Same(&p), Operand::Each(&[0.0, 3.0, 0.0, -4.0]), &mut lengths);
    /// assert_eq!(lengths, [3.0, 4.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn norm_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.inner_many(p, v, v, out);
        // as in `norm`
        out.iter_mut().for_each(|square| *square = if *square < 0.0 { 0.0 } else { square.sqrt() });
    }

    /// Runs one of these batch operations.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Euclidean, Manifold, Operand, BatchOp};
    /// let mut lengths = [0.0; 2];
    /// let vectors = Operand::Each(&[3.0, -2.0]);
    /// Euclidean::new(1)?.many(BatchOp::Norm([Operand::Same(&[1.0]), vectors]), &mut lengths);
    /// assert_eq!(lengths, [3.0, 2.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn many(&self, operation: BatchOp<'_>, out: &mut [f64]) {
        match operation {
            BatchOp::Exp([p, v]) => self.exp_many(p, v, out),
            BatchOp::Log([p, q]) => self.log_many(p, q, out),
            BatchOp::Dist([p, q]) => self.dist_many(p, q, out),
            BatchOp::Transport([p, q, v]) => self.transport_many(p, q, v, out),
            BatchOp::Inner([p, u, v]) => self.inner_many(p, u, v, out),
            BatchOp::Norm([p, v]) => self.norm_many(p, v, out),
        }
    }

    /// [`many`](Manifold::many) that verifies its numbers on the way: `true` where all points and vectors pass
    /// [`prechecked_points`](Manifold::prechecked_points) and [`prechecked_tangents`](Manifold::prechecked_tangents).
    /// On `false`, `out` is unspecified.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Operand, BatchOp, Sphere};
    /// let (circle, p, mut distance) = (Sphere::new(1)?, Operand::Same(&[1.0, 0.0]), [0.0]);
    /// assert!(circle.prechecked_many(BatchOp::Dist([p, Operand::Each(&[0.0, 1.0])]), &mut distance));
    /// assert!((distance[0] - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    /// assert!(!circle.prechecked_many(BatchOp::Dist([p, Operand::Each(&[1.0, 1.0])]), &mut distance)); // no point
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn prechecked_many(&self, operation: BatchOp<'_>, out: &mut [f64]) -> bool {
        let (points, vectors) = operation.points_and_vectors();
        let rows = out.len() / operation.width(self.point_len());
        // ⟨v, v⟩ is asked for with the same numbers twice
        let is_first = |i: usize| !vectors[..i].iter().any(|u| std::ptr::eq(u.numbers(), vectors[i].numbers()));
        let prechecked = points.iter().all(|p| self.prechecked_points(p.numbers()))
            && (0..vectors.len()).all(|i| !is_first(i) || self.prechecked_tangents(points[0], vectors[i], rows));
        if prechecked {
            self.many(operation, out);
        }
        prechecked
    }

    /// A quick check of points, one after the other: `true` where all certainly pass
    /// [`check_point`](Manifold::check_point) and [`normalize`](Manifold::normalize) changes them by rounding alone.
    /// `false` means unsure.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let circle = Sphere::new(1)?;
    /// assert!(circle.prechecked_points(&[1.0, 0.0, 0.6, 0.8]));
    /// assert!(!circle.prechecked_points(&[1.0, 0.0, 0.6, 0.8000001])); // a point, with fewer digits
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn prechecked_points(&self, _values: &[f64]) -> bool {
        false
    }

    /// Normalizes points, one after the other, as [`Points::new`](crate::Points::new) does: one that is off by rounding
    /// alone stays as it is. `true` where all certainly were points; `false` means unsure, and some may be normalized.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let (sphere, third) = (Sphere::new(8)?, f64::from(1.0_f32 / 3.0));
    /// let mut point = [third; 9];
    /// assert!(sphere.normalize_points(&mut point));
    /// assert!((point[0] - 1.0 / 3.0).abs() < 1e-16);
    /// assert!(!sphere.normalize_points(&mut [f64::NAN; 9]));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn normalize_points(&self, _values: &mut [f64]) -> bool {
        false
    }

    /// A quick check of this many rows: `true` where all vectors certainly pass
    /// [`check_tangent`](Manifold::check_tangent). `false` means unsure.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Operand, Sphere};
    /// let (circle, p) = (Sphere::new(1)?, Operand::Same(&[1.0, 0.0]));
    /// assert!(circle.prechecked_tangents(p, Operand::Each(&[0.0, 1.0, 0.0, 2.0]), 2));
    /// assert!(!circle.prechecked_tangents(p, Operand::Each(&[0.0, 1.0, 2.0, 0.0]), 2));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn prechecked_tangents(&self, _p: Operand<'_>, _v: Operand<'_>, _rows: usize) -> bool {
        false
    }

    /// The adjoint derivatives of `Exp`, applied to a tangent vector `e` at `Exp_p(v)`: writes `A†e` and `B†e`, tangent
    /// vectors at `p`.
    ///
    /// `A` is the derivative of `Exp_p(v)` in `p`, with `v` carried along in parallel, `B` the one in `v`. Both are
    /// Jacobi fields along the geodesic. These spaces are symmetric, so an eigenvector of `R(·,v)v` carried along in
    /// parallel stays one: with eigenvalue `λ` its part of `e` is carried back to `p` and multiplied by
    ///
    /// | | `λ > 0` | `λ = 0` | `λ < 0` |
    /// | --- | --- | --- | --- |
    /// | `A†` | `cos √λ` | 1 | `cosh √−λ` |
    /// | `B†` | `sin √λ / √λ` | 1 | `sinh √−λ / √−λ` |
    ///
    /// The part along `v` always has `λ = 0` (user guide, "Regression"; Fletcher 2013, Geodesic regression and the
    /// theory of least squares on Riemannian manifolds).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let (t, mut by_point, mut by_vector) = (0.5_f64, [0.0; 3], [0.0; 3]);
    /// // curvature 1, across a geodesic of length ½
    /// Sphere::new(2)?.jacobi(&[1.0, 0.0, 0.0], &[0.0, t, 0.0], &[0.0, 0.0, 1.0], &mut by_point, &mut by_vector);
    /// assert!((by_point[2] - t.cos()).abs() < 1e-15 && (by_vector[2] - t.sin() / t).abs() < 1e-15);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]);

    /// The tangent vector at `p` with the given `dim()` coordinates in an orthonormal frame: an isometry `R^d → T_pM`.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Hyperbolic, Manifold};
    /// let (plane, p, mut v) = (Hyperbolic::new(2)?, [1.25, 0.0, 0.75], [0.0; 3]);
    /// plane.from_frame(&p, &[3.0, 4.0], &mut v);
    /// assert!(plane.check_tangent(&p, &v).is_ok());
    /// assert!((plane.norm(&p, &v) - 5.0).abs() < 1e-14);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]);

    /// The inverse of [`from_frame`](Manifold::from_frame).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let (sphere, p) = (Sphere::new(2)?, [0.0, 0.6, 0.8]);
    /// let (mut v, mut coordinates) = ([0.0; 3], [0.0; 2]);
    /// sphere.from_frame(&p, &[1.0, 2.0], &mut v);
    /// sphere.to_frame(&p, &v, &mut coordinates);
    /// assert!((coordinates[0] - 1.0).abs() < 1e-14 && (coordinates[1] - 2.0).abs() < 1e-14);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]);

    /// The `dim()` coordinates of `Log_base(x)` in the frame at `base`, for each point `x`, one after the other: the
    /// hot loop of every gradient step that clips. A point without a logarithm gets NaN.
    ///
    /// The result of a point depends on the base and on this point alone, to the last bit: neither on the other points
    /// nor on their number.
    ///
    /// ```
    /// use karcher_geometry::{Points, manifold::{Manifold, Sphere}};
    /// let circle = Sphere::new(1)?;
    /// let points = Points::new(&circle, vec![1.0, 0.0, 0.0, 1.0, -1.0, 0.0])?;
    /// let mut coordinates = [0.0; 3];
    /// circle.frame_logs(&[1.0, 0.0], points.view(), &mut coordinates);
    /// assert!(coordinates[0] == 0.0 && (coordinates[1].abs() - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    /// assert!(coordinates[2].is_nan()); // the antipode
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        let mut v = vec![0.0; self.point_len()];
        for (x, c) in points.iter().zip(coordinates.chunks_exact_mut(self.dim())) {
            match self.log(base, x, &mut v) {
                Ok(()) => self.to_frame(base, &v, c),
                Err(_) => c.fill(f64::NAN),
            }
        }
    }

    /// A proved upper bound of the Euclidean norm of the error of [`frame_logs`](Manifold::frame_logs). It holds for a
    /// base and a point no farther than `reach` from each other, and no farther than `spread` from the
    /// [`origin`](Manifold::origin). The error is the difference from the coordinates of `Log` at the exact points that
    /// the numbers stand for, in an orthonormal frame at the base. Base and points are
    /// [normalized](Manifold::normalize), as those of every release are. `None` where nothing is proved: on spaces
    /// without a proof, and next to the cut locus.
    ///
    /// `spread` matters on spaces where accuracy falls with the distance from the origin
    /// ([`to_origin`](Manifold::to_origin)); others ignore it.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere, SpdAffineInvariant};
    /// let error = Sphere::new(2)?.log_error(1.0, 0.0).ok_or("no proof")?;
    /// assert!(error > 1e-16 && error < 1e-14);
    /// assert!(SpdAffineInvariant::new(2)?.log_error(1.0, 1.0).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn log_error(&self, _reach: f64, _spread: f64) -> Option<f64> {
        None
    }

    /// The image of `x` under an isometry, chosen for `base`, that carries `base` to where numbers are best. This is
    /// the origin on spaces where accuracy falls with the distance from it; elsewhere the isometry is the identity.
    ///
    /// Private means are computed there. Rounding in this map changes one record by an amount that depends on that
    /// record alone. Rounding in later steps does not depend on where the ball is.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Hyperbolic, Manifold};
    /// let plane = Hyperbolic::new(2)?;
    /// let at = |t: f64| [t.cosh(), t.sinh(), 0.0];
    /// let mut moved = [0.0; 3];
    /// plane.to_origin(&at(4.0), &at(5.0), &mut moved);
    /// assert!(plane.dist(&moved, &at(1.0)) < 1e-12);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn to_origin(&self, _base: &[f64], x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }

    /// [`to_origin`](Manifold::to_origin) of points one after the other. Numbers may differ from those of one by
    /// rounding; they do not depend on the other points.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SpdAffineInvariant};
    /// let numbers = SpdAffineInvariant::new(1)?;
    /// let mut moved = [0.0; 2];
    /// numbers.to_origin_many(&[4.0], &[4.0, 8.0], &mut moved);
    /// assert_eq!(moved, [1.0, 2.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn to_origin_many(&self, base: &[f64], points: &[f64], out: &mut [f64]) {
        let len = self.point_len();
        for (x, out) in points.chunks_exact(len).zip(out.chunks_exact_mut(len)) {
            self.to_origin(base, x, out);
        }
    }

    /// The inverse of [`to_origin`](Manifold::to_origin).
    ///
    /// ```
    /// use karcher_geometry::manifold::{Hyperbolic, Manifold};
    /// let plane = Hyperbolic::new(2)?;
    /// let (base, mut moved) = ([1.25, 0.75, 0.0], [0.0; 3]);
    /// plane.from_origin(&base, &[1.0, 0.0, 0.0], &mut moved);
    /// assert!(plane.dist(&moved, &base) < 1e-15);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn from_origin(&self, _base: &[f64], x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }

    /// The largest step of [`exp`](Manifold::exp) that is taken as it is. A longer one may end nearer, because numbers
    /// farther out would leave the range of doubles. `∞` where every step is taken as it is.
    fn max_step(&self) -> f64;

    /// The largest distance from the origin at which numbers hold the places of points to a thousandth. `∞`, the
    /// default, where they do so at every distance. Balls that reach farther are refused.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Hyperbolic, Manifold, Sphere};
    /// assert_eq!(Sphere::new(2)?.max_accurate_distance(), f64::INFINITY);
    /// assert!((Hyperbolic::new(2)?.max_accurate_distance() - 25.8).abs() < 0.1);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn max_accurate_distance(&self) -> f64 {
        f64::INFINITY
    }

    /// `ln θ(v)`, `θ(v) = |det D Exp_p(v)|`: the Riemannian volume at `Exp_p(v)` per Euclidean volume at `v`, for `‖v‖`
    /// below the injectivity radius. The logarithm, because `θ` itself under- and overflows in high dimension.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let ln_density = Sphere::new(3)?.log_volume_density(&[1.0, 0.0, 0.0, 0.0], &[0.0, 0.5, 0.0, 0.0]);
    /// assert!((ln_density - 2.0 * (0.5_f64.sin() / 0.5).ln()).abs() < 1e-14); // (sin s / s)^{d−1}
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn log_volume_density(&self, p: &[f64], v: &[f64]) -> f64 {
        let mut coordinates = vec![0.0; self.dim()];
        self.to_frame(p, v, &mut coordinates);
        self.log_volume_density_in_frame(&coordinates)
    }

    /// `ln θ(v)` of the tangent vector `v` with the given coordinates in the [frame](Manifold::from_frame) of any
    /// point. `θ(v) = |det D Exp_p(v)|` as in [`log_volume_density`](Manifold::log_volume_density), which is 1 at
    /// `v = 0`.
    ///
    /// It is defined for `‖v‖` below the injectivity radius, where `θ(v) > 0`.
    ///
    /// It may not depend on the point. That is so on homogeneous spaces whose isometries carry the frames into one
    /// another; where `θ` depends on `‖v‖` alone, any orthonormal frame will do.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Hyperbolic, Manifold};
    /// let ln_density = Hyperbolic::new(2)?.log_volume_density_in_frame(&[0.6, 0.8]);
    /// assert!((ln_density - 1.0_f64.sinh().ln()).abs() < 1e-14); // (sinh s / s)^{d−1} at s = 1
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64;

    /// `ln θ(s·U)` for each length `s` and one random direction `U`, uniformly distributed: laws of the distance are
    /// averages of these. Where `θ` depends on the eigenvalues of a matrix, only these need to be drawn.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// use rand::SeedableRng;
    /// let (sphere, mut drawn) = (Sphere::new(2)?, [0.0; 2]);
    /// sphere.draw_log_volume_density(&[0.5, 1.0], &mut rand_chacha::ChaCha20Rng::seed_from_u64(1), &mut drawn);
    /// // on a sphere every direction is like any other
    /// assert!((drawn[1] - sphere.log_volume_density_in_frame(&[1.0, 0.0])).abs() < 1e-14);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn draw_log_volume_density(&self, lengths: &[f64], generator: &mut dyn Rng, out: &mut [f64]) {
        let mut direction = vec![0.0; self.dim()];
        unit_vector(generator, &mut direction);
        for (s, out) in lengths.iter().zip(out) {
            let v: Vec<f64> = direction.iter().map(|u| s * u).collect();
            *out = self.log_volume_density_in_frame(&v);
        }
    }

    /// `(ψ(s), ψ′(s))` where `ψ(s) ≥ ln θ(v)` for all `‖v‖ = s`, with equality on spaces where `θ` depends on `‖v‖`
    /// alone, and `(d−1)·ln s + ψ(s)` is concave in `s`. Where no curvature is positive, `ψ` does not fall.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SpdAffineInvariant};
    /// let matrices = SpdAffineInvariant::new(2)?;
    /// let (bound, _slope) = matrices.log_volume_density_bound(2.0);
    /// assert!(matrices.log_volume_density_in_frame(&[2.0, 0.0, 0.0]) <= bound + 1e-12);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64);

    /// Whether isometries that fix a point carry any direction there to any other, so that `θ` depends on `‖v‖` alone.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere, SpdAffineInvariant};
    /// assert!(Sphere::new(2)?.is_two_point_homogeneous());
    /// assert!(!SpdAffineInvariant::new(2)?.is_two_point_homogeneous());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn is_two_point_homogeneous(&self) -> bool {
        self.homogeneity() == Homogeneity::TwoPoint
    }

    /// `lim ψ′(s)` for `s → ∞`, the exponential growth rate of volume: the Laplace law of scale σ exists only if `1/σ`
    /// exceeds it. 0 where volume grows like a power of `s`, and on compact spaces. And `ψ(s)` is at most that many
    /// times `s`, as `ln θ` is on symmetric spaces: products rest on it.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Euclidean, Hyperbolic, Manifold};
    /// assert_eq!((Euclidean::new(5)?.volume_growth(), Hyperbolic::new(5)?.volume_growth()), (0.0, 4.0));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn volume_growth(&self) -> f64;

    /// Unit vectors, in coordinates of a frame; one of them is the worst direction in which `Exp` wraps flat noise
    /// around a point. In this direction the curvature of planes through it is as negative as it gets. Used for
    /// planning alone: the expected distance of a release is quoted for the worst of them. Nothing private rests on it.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Hyperbolic, Manifold};
    /// // on a space that looks the same in every direction any will do
    /// assert_eq!(Hyperbolic::new(2)?.steepest_directions(), [[1.0, 0.0]]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn steepest_directions(&self) -> Vec<Vec<f64>> {
        let mut first = vec![0.0; self.dim()];
        first.iter_mut().take(1).for_each(|c| *c = 1.0);
        vec![first]
    }

    /// A smaller space of the same kind, for trials on made-up records, where this one would take minutes.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SpdAffineInvariant};
    /// let large = SpdAffineInvariant::new(100)?.stand_in().map(|small| small.dim());
    /// assert_eq!(large, Some(55)); // matrices of 10 × 10
    /// assert!(SpdAffineInvariant::new(3)?.stand_in().is_none());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn stand_in(&self) -> Option<Arc<dyn Manifold>> {
        None
    }

    /// The factors of a product, which are no products themselves; none for other spaces.
    ///
    /// ```
    /// use karcher_geometry::Space;
    /// let space = "sphere:2*euclidean:1".parse::<Space>()?.manifold()?;
    /// let names: Vec<_> = space.factors().iter().map(|factor| factor.space().as_str()).collect();
    /// assert_eq!(names, ["sphere:2", "euclidean:1"]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn factors(&self) -> &[Arc<dyn Manifold>] {
        &[]
    }

    /// The factors that the name of a product lists, among which a power or poses count as one; none for other spaces.
    #[doc(hidden)] // for products of products, which are named alike
    fn listed_factors(&self) -> &[Arc<dyn Manifold>] {
        &[]
    }

    /// The spaces whose product is isometric to this one, where the distance to a uniformly drawn point is known from
    /// theirs: the [`factors`](Manifold::factors), and the circles of a torus. None for other spaces.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere, Torus};
    /// assert_eq!(Torus::new(3)?.isometric_factors().len(), 3);
    /// assert!(Sphere::new(3)?.isometric_factors().is_empty());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn isometric_factors(&self) -> Vec<Arc<dyn Manifold>> {
        self.factors().to_vec()
    }

    /// The global isometry with `R^d`, on spaces that have one.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere, SpdLogEuclidean};
    /// assert!(SpdLogEuclidean::new(2)?.flat_chart().is_some());
    /// assert!(Sphere::new(2)?.flat_chart().is_none());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn flat_chart(&self) -> Option<&dyn FlatChart> {
        None
    }

    /// The equivariant embedding in a Euclidean space, on compact spaces that have one: a mean by it needs no ball.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Hyperbolic, Manifold, Rotations};
    /// assert_eq!(Rotations::new(3)?.embedding().map(|embedding| embedding.dim()), Some(9));
    /// assert!(Hyperbolic::new(2)?.embedding().is_none());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn embedding(&self) -> Option<Box<dyn Embedding>> {
        None
    }
}

/// How far a point may be from its constraint (unit norm, centroid 0, …) and still be taken: files hold rounded
/// numbers.
const CURVED_POINT_TOLERANCE: f64 = 1e-6;

/// How far a vector may always leave the tangent space, `64ε` times the largest number of its point: the rounding
/// errors of a vector that is 0.
fn rounding_of(p: &[f64]) -> f64 {
    64.0 * f64::EPSILON * largest(p)
}

/// Largest number of coordinates of a point.
const LARGEST_POINT: usize = 1_000_000;

fn check_size(space: &Space, size: usize, minimum: usize, maximum: usize) -> Result<()> {
    if (minimum..=maximum).contains(&size) {
        Ok(())
    } else {
        Err(Error::InvalidSize { space: space.clone(), minimum, maximum })
    }
}

fn check_length(manifold: &dyn Manifold, p: &[f64]) -> Result<()> {
    if p.len() == manifold.point_len() {
        Ok(())
    } else {
        Err(Error::WrongLength { space: manifold.space().clone(), expected: manifold.point_len(), found: p.len() })
    }
}

/// Refuses a carried vector whose numbers leave double precision.
fn check_carried(manifold: &dyn Manifold, v: &[f64]) -> Result<()> {
    if vector::all_finite(v) {
        return Ok(());
    }
    let reason = "carried to the other point it has numbers beyond those of double precision; carry a shorter vector, \
                  or choose units in which the numbers of the points are nearer to 1";
    Err(Error::InvalidTangent { space: manifold.space().clone(), reason: reason.to_owned() })
}

/// Refuses a vector that [`Manifold::to_frame`] and back changes: it leaves the tangent space.
fn check_in_frame(manifold: &dyn Manifold, p: &[f64], v: &[f64]) -> Result<()> {
    check_length(manifold, v)?;
    let invalid = |reason| Err(Error::InvalidTangent { space: manifold.space().clone(), reason });
    if let Some(reason) = vector::non_finite(v) {
        return invalid(reason);
    }
    let (mut coordinates, mut tangent) = (vec![0.0; manifold.dim()], v.to_vec());
    manifold.to_frame(p, v, &mut coordinates);
    manifold.from_frame(p, &coordinates, &mut tangent);
    let off = v.iter().zip(&tangent).fold(0.0, |m: f64, (v, t)| m.max((v - t).abs()));
    if off <= CURVED_POINT_TOLERANCE * largest(v) * largest(p).max(1.0) + rounding_of(p) {
        return Ok(());
    }
    invalid(format!("it leaves the tangent space at its point by {off}"))
}
