//! Embeddings of compact spaces in Euclidean space that turn with the space: means without a ball.
//!
//! An embedding `J: M → R^E` is *equivariant* if each isometry `g` of the space acts on `R^E` by an orthogonal map
//! `ρ(g)`: `J(gx) = ρ(g)·J(x)`. Every vector `J(x)` has the same length then, and the uniform law has the mean 0. The
//! **extrinsic mean** of records is the point whose embedding is nearest to the mean of their embeddings (Bhattacharya
//! and Patrangenaru 2003). It needs no ball, no logarithm and no iteration.
//!
//! | space | `J(x)` | projection |
//! | --- | --- | --- |
//! | spheres | `x` | `m/‖m‖` |
//! | landmarks of unit norm | `x` in Helmert's basis | `m/‖m‖` |
//! | axes, rotations as quaternions up to sign | `xxᵀ − I/(D + 1)` | first eigenvector |
//! | shapes of K landmarks | `zz* − P/(K − 1)` | first eigenvector, the full Procrustes mean |
//! | subspaces | `YYᵀ − (K/N)·I` | first K eigenvectors |
//! | angles | `(cos t, sin t)` of each | angle by angle |
//! | products | that of each factor | factor by factor |

mod angles;
mod directions;
mod factors;
mod preshapes;
mod projectors;
mod rescaled;
mod traceless;

pub(crate) use angles::Angles;
pub(crate) use directions::Directions;
pub(crate) use factors::Factors;
pub(crate) use preshapes::Preshapes;
pub(crate) use projectors::Projectors;
pub(crate) use rescaled::Rescaled;

use std::fmt::Debug;

/// An equivariant embedding of a compact space in `R^E`.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, Projective};
/// let axes = Projective::new(2)?;
/// let embedding = axes.embedding().ok_or("none")?;
/// assert_eq!(embedding.dim(), 5); // symmetric 3 × 3 matrices without the trace
/// let (mut mean, mut other, mut axis) = ([0.0; 5], [0.0; 5], [0.0; 3]);
/// embedding.embed(&[0.6, 0.8, 0.0], &mut mean);
/// embedding.embed(&[-0.6, -0.8, 0.0], &mut other); // the same axis
/// assert_eq!(mean, other);
/// embedding.project(&mean, &mut axis);
/// assert!(axes.dist(&axis, &[0.6, 0.8, 0.0]) < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Embedding: Debug + Send + Sync {
    /// `E`, the numbers in an embedded point.
    fn dim(&self) -> usize;

    /// `‖J(x)‖`, the same for every point.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// assert_eq!(Sphere::new(2)?.embedding().map(|directions| directions.radius()), Some(1.0));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn radius(&self) -> f64;

    /// The largest `‖J(x) − J(y)‖`.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Projective};
    /// let axes = Projective::new(2)?.embedding().ok_or("none")?;
    /// assert_eq!(axes.diameter(), 2.0_f64.sqrt()); // of perpendicular axes
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn diameter(&self) -> f64;

    /// The length of the image of a tangent vector of length 1: `‖dJ(v)‖/‖v‖`, the same for every vector.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// assert_eq!(Sphere::new(2)?.embedding().map(|directions| directions.stretch()), Some(1.0));
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    fn stretch(&self) -> f64;

    /// Writes `J(x)`.
    ///
    /// **For any numbers**, also those of no point, it is within [`EMBEDDING_ERROR`] of `a·J(y)`, `a ≥ 0`, for a point `y`; or
    /// it is not finite. Of a product this holds for each factor, with `a ≤ 1`. A sum cuts it to the
    /// [radius](Embedding::radius).
    fn embed(&self, x: &[f64], out: &mut [f64]);

    /// Writes the point whose embedding is nearest to `mean`; one of them where there are several.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Torus};
    /// use std::f64::consts::FRAC_PI_4;
    /// let mut angle = [0.0];
    /// Torus::new(1)?.embedding().ok_or("none")?.project(&[0.3, 0.3], &mut angle); // cos and sin, averaged
    /// assert!((angle[0] - FRAC_PI_4).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn project(&self, mean: &[f64], out: &mut [f64]);

    /// Upper bound of the distance between the projections of `mean` and of any vector that is off by at most `off`.
    /// `off` is a Euclidean length, or a spectral norm where there is an
    /// [`expected_spectral_norm`](Embedding::expected_spectral_norm). `None` where the projections may be anywhere.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let directions = Sphere::new(2)?.embedding().ok_or("none")?;
    /// let angle = directions.reach(&[0.0, 0.0, 0.5], 0.25).ok_or("no direction")?;
    /// assert!((angle.sin() - 0.5).abs() < 1e-12);
    /// assert_eq!(directions.reach(&[0.0, 0.0, 0.5], 0.6), None); // the other mean may be 0
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn reach(&self, mean: &[f64], off: f64) -> Option<f64>;

    /// The kind of embedded points.
    fn form(&self) -> EmbeddedForm;

    /// The parts of this embedding, one after the other: those of each factor, and of each angle of a torus.
    ///
    /// ```
    /// use karcher_geometry::{Space, manifold::Manifold};
    /// let space: Space = "sphere:2*torus:2".parse()?;
    /// let embedding = space.manifold()?.embedding().ok_or("none")?;
    /// let dims: Vec<usize> = embedding.split().iter().map(|part| part.dim()).collect();
    /// assert_eq!((embedding.dim(), dims), (7, vec![3, 2, 2]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn split(&self) -> Vec<Box<dyn Embedding>>;

    /// Where embedded points are matrices: the eigenvalues, descending, of the mean of `YY*` with this embedding.
    fn eigenvalues(&self, _mean: &[f64]) -> Vec<f64> {
        vec![]
    }

    /// Where embedded points are matrices: upper bound of the expected spectral norm, in one direction, of a matrix
    /// whose coordinates are independent standard normal numbers.
    fn expected_spectral_norm(&self) -> Option<f64> {
        None
    }

    /// Spectral norm over Euclidean length, at most.
    fn spectral_share(&self) -> f64 {
        1.0
    }
}

/// The kind of embedded points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddedForm {
    /// Unit vectors of so many numbers.
    Vector(usize),
    /// Real symmetric matrices of the size `n`, of projectors onto subspaces of `k` dimensions.
    Real {
        /// The size.
        n: usize,
        /// The dimension of the subspaces.
        k: usize,
    },
    /// Hermitian matrices of the size `n`, of projectors onto lines.
    Complex {
        /// The size.
        n: usize,
    },
    /// Several of these.
    Several,
}

/// Rounding of [`Embedding::embed`], as a fraction of the [radius](Embedding::radius).
pub const EMBEDDING_ERROR: f64 = 1e-10;

/// The largest angle at which a projection can be if its sine is at most that; rounded up.
fn asin_up(sine: f64) -> Option<f64> {
    (sine < 1.0).then(|| sine.asin() * (1.0 + 1e-12))
}
