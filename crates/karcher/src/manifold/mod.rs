//! Complete Riemannian manifolds behind one small interface.

mod euclidean;
mod hyperbolic;
mod kendall;
mod space;
mod spd;
mod sphere;
mod vector;

#[cfg(test)]
mod conformance;

pub use euclidean::Euclidean;
pub use hyperbolic::Hyperbolic;
pub use kendall::Kendall;
pub use space::Space;
pub use spd::{SpdAffineInvariant, SpdLogEuclidean};
pub use sphere::Sphere;

use crate::error::{Error, Result};
use crate::points::PointsView;
use crate::sampler::{Generator, unit_vector};
use std::fmt::Debug;
pub(crate) use vector::{add_scaled, norm, norm_of_difference};

/// Bounds of the sectional curvatures of a manifold: `lower ≤ K ≤ upper` for every plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvatureBounds {
    /// Lower bound, `κ₋`.
    pub lower: f64,
    /// Upper bound, `κ`.
    pub upper: f64,
}

/// A complete, homogeneous Riemannian manifold.
///
/// A point and a tangent vector are [`point_len`](Manifold::point_len) numbers in ambient coordinates; methods write
/// into `out` (of that length too) and trust their arguments: points come validated from [`Points`](crate::Points).
///
/// Every space here is homogeneous (some isometry carries any point to any other), so that a density which depends on
/// the distance from its center alone has a normalising constant that does not depend on the center.
#[allow(clippy::wrong_self_convention)] // `from_frame` is the field's name: from coordinates in the frame
pub trait Manifold: Debug + Send + Sync {
    /// The space's name, which says everything about it.
    fn space(&self) -> Space;

    /// Dimension `d`.
    fn dim(&self) -> usize;

    /// Numbers in a point (and in a tangent vector).
    fn point_len(&self) -> usize;

    /// A point that everybody knows: 0, the first unit vector, the identity matrix, the regular polygon.
    fn origin(&self, out: &mut [f64]);

    /// Whether `p` is a point, to a relative 1e-6 (files hold rounded numbers).
    ///
    /// # Errors
    /// [`Error::WrongLength`] or [`Error::InvalidPoint`], which says what is wrong.
    fn check_point(&self, p: &[f64]) -> Result<()>;

    /// Removes from a point that passed [`check_point`](Manifold::check_point) what rounding left over.
    fn normalize(&self, p: &mut [f64]);

    /// Writes the representative of the point `p` that lies nearest to the one that `base` holds: a function of the
    /// *point* `p` and of the numbers `base`, whichever of its representatives `p` is given by. Where a point has one
    /// representative only it is `p` itself.
    ///
    /// A proof about the law of a point says nothing about the numbers that a program happens to hold for it. What is
    /// published is aligned to a public `base` (user guide, Q1).
    fn align(&self, base: &[f64], p: &[f64], out: &mut [f64]);

    /// Replaces numbers that rounding took off the manifold by a point near them: a draw so far out that its matrix is
    /// singular in double precision. Leaves points as they are.
    fn repair(&self, p: &mut [f64]) {
        self.normalize(p);
    }

    /// `Exp_p(v)`: the end of the geodesic that leaves `p` with velocity `v`, at time 1.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]);

    /// `Log_p(q)`: the shortest `v` with `Exp_p(v) = q`.
    ///
    /// # Errors
    /// [`Error::CutLocus`] where there is more than one.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()>;

    /// Geodesic distance `ρ(p, q)`.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64;

    /// `⟨u, v⟩_p`, the Riemannian metric.
    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64;

    /// `‖v‖_p`.
    fn norm(&self, p: &[f64], v: &[f64]) -> f64 {
        let square = self.inner(p, v, v);
        if square < 0.0 { 0.0 } else { square.sqrt() } // NaN stays NaN
    }

    /// Parallel transport of `v ∈ T_p` to `T_q` along the shortest geodesic.
    ///
    /// # Errors
    /// [`Error::CutLocus`] where there is more than one such geodesic.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()>;

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
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]);

    /// The tangent vector at `p` with the given `dim()` coordinates in an orthonormal frame: an isometry `R^d → T_pM`.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]);

    /// The inverse of [`from_frame`](Manifold::from_frame).
    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]);

    /// The `dim()` coordinates of `Log_base(x)` in the frame at `base`, for each point `x`, one after the other: the
    /// hot loop of every gradient step that clips. A point without a logarithm gets NaN.
    ///
    /// What a point gets depends on the base and on this point alone, to the last bit: neither on the other points nor
    /// on their number.
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        let mut v = vec![0.0; self.point_len()];
        for (x, c) in points.iter().zip(coordinates.chunks_exact_mut(self.dim())) {
            match self.log(base, x, &mut v) {
                Ok(()) => self.to_frame(base, &v, c),
                Err(_) => c.fill(f64::NAN),
            }
        }
    }

    /// The image of `x` under an isometry, chosen for `base`, that carries `base` to where numbers are best: to the
    /// origin on spaces where accuracy falls with the distance from it, nowhere elsewhere (the identity).
    ///
    /// Private means are computed there: rounding in this map changes one record by what depends on that record alone,
    /// rounding in what follows does not depend on where the ball is.
    fn to_origin(&self, _base: &[f64], x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }

    /// The inverse of [`to_origin`](Manifold::to_origin).
    fn from_origin(&self, _base: &[f64], x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }

    /// Bounds of the sectional curvature.
    fn curvature(&self) -> CurvatureBounds;

    /// The largest radius within which `Exp_p` is a diffeomorphism; `∞` where it always is.
    fn injectivity_radius(&self) -> f64;

    /// How far [`exp`](Manifold::exp) goes: a longer step ends there, because numbers farther out would leave the range
    /// of doubles. `∞` where every step is taken as it is.
    fn farthest(&self) -> f64 {
        f64::INFINITY
    }

    /// `ln θ(v)`, `θ(v) = |det D Exp_p(v)|`: the Riemannian volume at `Exp_p(v)` per Euclidean volume at `v`, for `‖v‖`
    /// below the injectivity radius. The logarithm, because `θ` itself under- and overflows in high dimension.
    fn log_volume_density(&self, p: &[f64], v: &[f64]) -> f64 {
        let mut coordinates = vec![0.0; self.dim()];
        self.to_frame(p, v, &mut coordinates);
        self.log_volume_density_in_frame(&coordinates)
    }

    /// The same of the tangent vector with the given coordinates in the frame of any point: these spaces are
    /// homogeneous, and isometries carry the frames of those where `θ` depends on the direction into one another.
    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        self.log_volume_density_bound(norm(coordinates)).0
    }

    /// `ln θ(s·U)` for each length `s` and one random direction `U`, uniformly distributed: what a law of the distance
    /// is averaged from. Where `θ` depends on the eigenvalues of a matrix, only these need to be drawn.
    fn draw_log_volume_density(&self, lengths: &[f64], generator: &mut Generator, out: &mut [f64]) {
        let mut direction = vec![0.0; self.dim()];
        unit_vector(generator, &mut direction);
        for (s, out) in lengths.iter().zip(out) {
            let v: Vec<f64> = direction.iter().map(|u| s * u).collect();
            *out = self.log_volume_density_in_frame(&v);
        }
    }

    /// `(ψ(s), ψ′(s))` where `ψ(s) ≥ ln θ(v)` for all `‖v‖ = s`, with equality on spaces where `θ` depends on `‖v‖`
    /// alone, and `(d−1)·ln s + ψ(s)` is concave in `s`.
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64);

    /// Whether isometries that fix a point carry any direction there to any other, so that `θ` depends on `‖v‖` alone.
    fn is_two_point_homogeneous(&self) -> bool {
        true
    }

    /// `lim ψ′(s)` for `s → ∞`, the exponential growth rate of volume: the Laplace law of scale σ exists only if `1/σ`
    /// exceeds it. 0 where volume grows like a power of `s`, and on compact spaces.
    fn volume_growth(&self) -> f64 {
        0.0
    }

    /// `Σᵢ wᵢ·Log_base(xᵢ)` (`wᵢ = 1` without weights): the hot loop of every mean.
    ///
    /// # Errors
    /// [`Error::CutLocus`] as for [`log`](Manifold::log).
    fn log_sum(&self, base: &[f64], points: PointsView<'_>, weights: Option<&[f64]>, out: &mut [f64]) -> Result<()> {
        let mut v = vec![0.0; self.point_len()];
        out.fill(0.0);
        for (i, x) in points.iter().enumerate() {
            self.log(base, x, &mut v)?;
            add_scaled(out, weights.map_or(1.0, |w| w[i]), &v);
        }
        Ok(())
    }

    /// The global isometry with `R^d`, on spaces that have one.
    fn flat_chart(&self) -> Option<&dyn FlatChart> {
        None
    }
}

/// An isometry `M → R^d` of the whole space: whatever is true in Euclidean space is then true on `M`.
#[allow(clippy::wrong_self_convention)]
pub trait FlatChart: Send + Sync {
    /// Point to its `d` coordinates.
    fn to_flat(&self, p: &[f64], coordinates: &mut [f64]);

    /// Coordinates to their point.
    fn from_flat(&self, coordinates: &[f64], out: &mut [f64]);

    /// The coordinates of each point, one after the other.
    fn all_to_flat(&self, points: PointsView<'_>, coordinates: &mut [f64]) {
        let d = coordinates.len() / points.len();
        for (x, c) in points.iter().zip(coordinates.chunks_exact_mut(d)) {
            self.to_flat(x, c);
        }
    }

    /// `Σᵢ wᵢ·xᵢ` in coordinates (`wᵢ = 1` without weights): the hot loop of a mean.
    fn flat_sum(&self, points: PointsView<'_>, weights: Option<&[f64]>, out: &mut [f64]) {
        let mut coordinates = vec![0.0; points.len() * out.len()];
        self.all_to_flat(points, &mut coordinates);
        out.fill(0.0);
        for (i, c) in coordinates.chunks_exact(out.len()).enumerate() {
            add_scaled(out, weights.map_or(1.0, |w| w[i]), c);
        }
    }
}

/// How far a point may be from its constraint (unit norm, centroid 0, …) and still be taken: files hold rounded
/// numbers.
const CURVED_POINT_TOLERANCE: f64 = 1e-6;

/// Largest number of coordinates of a point.
const LARGEST_POINT: usize = 1_000_000;

fn check_size(space: Space, size: usize, minimum: usize, maximum: usize) -> Result<()> {
    if (minimum..=maximum).contains(&size) { Ok(()) } else { Err(Error::InvalidSize { space, minimum, maximum }) }
}

fn check_length(manifold: &dyn Manifold, p: &[f64]) -> Result<()> {
    if p.len() == manifold.point_len() {
        Ok(())
    } else {
        Err(Error::WrongLength { space: manifold.space(), expected: manifold.point_len(), found: p.len() })
    }
}
