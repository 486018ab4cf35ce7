//! Declarations of a space about itself.

/// Bounds of the sectional curvatures of a manifold: `lower ≤ K ≤ upper` for every plane.
///
/// ```
/// use karcher_geometry::manifold::{CurvatureBounds, Kendall, Manifold};
/// assert_eq!(Kendall::new(3)?.curvature(), CurvatureBounds { lower: 4.0, upper: 4.0 }); // triangles: a sphere
/// assert_eq!(Kendall::new(4)?.curvature(), CurvatureBounds { lower: 1.0, upper: 4.0 });
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvatureBounds {
    /// Lower bound, `κ₋`.
    pub lower: f64,
    /// Upper bound, `κ`.
    pub upper: f64,
}

/// The simply connected space of constant curvature, or the circle, that a space is isometric to.
///
/// ```
/// use karcher_geometry::manifold::{Hyperbolic, Manifold, Model, Sphere, SpdAffineInvariant};
/// assert_eq!(Hyperbolic::new(3)?.model(), Model::Hyperbolic { curvature: -1.0 });
/// assert_eq!(Sphere::new(1)?.model(), Model::Circle { length: 2.0 * std::f64::consts::PI });
/// assert_eq!(SpdAffineInvariant::new(2)?.model(), Model::Other);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Model {
    /// `R^d`.
    Flat,
    /// A circle of a length.
    Circle {
        /// Its length.
        length: f64,
    },
    /// A sphere of dimension at least 2.
    Sphere {
        /// Its curvature, positive.
        curvature: f64,
    },
    /// Hyperbolic space of dimension at least 2.
    Hyperbolic {
        /// Its curvature, negative.
        curvature: f64,
    },
    /// None of these.
    Other,
}

/// Where geodesics from a point cease to be the shortest.
///
/// ```
/// use karcher_geometry::manifold::{CutLocus, Euclidean, Manifold, Sphere, Torus};
/// assert_eq!(Euclidean::new(2)?.cut_locus(), CutLocus::None);
/// assert_eq!(Sphere::new(2)?.cut_locus(), CutLocus::AtDistance(std::f64::consts::PI));
/// assert_eq!(Torus::new(2)?.cut_locus(), CutLocus::Varies); // along the axes after π, along the diagonal after π√2
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CutLocus {
    /// Nowhere: between any two points there is one geodesic.
    None,
    /// At the same distance in every direction.
    AtDistance(f64),
    /// At a distance that depends on the direction. Noise around private points is not drawn on such spaces.
    Varies,
}

/// How many isometries a space has.
///
/// ```
/// use karcher_geometry::manifold::{Homogeneity, Kendall, Manifold, SpdAffineInvariant};
/// assert_eq!(Kendall::new(3)?.homogeneity(), Homogeneity::TwoPoint);
/// assert_eq!(SpdAffineInvariant::new(2)?.homogeneity(), Homogeneity::Points);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Homogeneity {
    /// Isometries carry any pair of points to any other pair as far apart. The volume density depends on the length of
    /// a vector alone.
    TwoPoint,
    /// Isometries carry any point to any other: the normalising constant of a density that depends on the distance from
    /// a center does not depend on the center. And they carry the frames of these points to one another, up to
    /// isometries that fix a point: the volume density is a function of coordinates in the frame.
    Points,
    /// Fewer. Noise around private points is not drawn on such spaces.
    None,
}

/// The arrangement of the numbers of a point, for readers, printers, Python and plots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// This many numbers.
    Vector(usize),
    /// A matrix, row by row.
    Matrix {
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// A symmetric positive definite `K×K` matrix, row by row, such as a covariance. They can be mixed with the
    /// identity, whose multiples are points. Other spaces of matrices are [`Matrix`](Shape::Matrix).
    PositiveDefinite(usize),
    /// A Hermitian positive definite `K×K` matrix, row by row, the real and the imaginary part of each entry one after
    /// the other: as complex numbers lie in memory.
    HermitianPositiveDefinite(usize),
    /// This many landmarks in the plane, `x₁ y₁ x₂ y₂ …`.
    Landmarks(usize),
    /// Several matrices of one size, one after the other, each row by row.
    Matrices {
        /// The number of matrices.
        count: usize,
        /// The rows of each.
        rows: usize,
        /// The columns of each.
        columns: usize,
    },
}

/// Why a space's [`origin`](crate::Manifold::origin) may be far from most records, so that a ball around it must be
/// asked for: the parts of a sentence. "There is no default center, because *which matrices are typical depends on
/// their units*: give *a matrix from an atlas*, or `origin` for *the identity*".
///
/// ```
/// use karcher_geometry::manifold::{Euclidean, Manifold, SpdLogEuclidean};
/// let origin = SpdLogEuclidean::new(3)?.atypical_origin().map(|atypical| atypical.origin);
/// assert_eq!(origin, Some("the identity if the matrices are normalised"));
/// assert!(Euclidean::new(2)?.atypical_origin().is_none());
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtypicalOrigin {
    /// The reason, as a clause.
    pub because: &'static str,
    /// A better center, and its source.
    pub instead: &'static str,
    /// The origin, in words.
    pub origin: &'static str,
}

impl Shape {
    /// The axes of an array that holds a point.
    ///
    /// ```
    /// use karcher_geometry::manifold::Shape;
    /// assert_eq!(Shape::Landmarks(5).axes(), [5, 2]);
    /// ```
    pub fn axes(self) -> Vec<usize> {
        match self {
            Shape::Vector(numbers) => vec![numbers],
            Shape::Matrix { rows, columns } => vec![rows, columns],
            Shape::PositiveDefinite(k) => vec![k, k],
            Shape::HermitianPositiveDefinite(k) => vec![k, k, 2],
            Shape::Landmarks(count) => vec![count, 2],
            Shape::Matrices { count, rows, columns } => vec![count, rows, columns],
        }
    }

    /// Numbers on a line when a point is written out: a matrix row, a landmark, or the whole point.
    ///
    /// ```
    /// use karcher_geometry::manifold::Shape;
    /// assert_eq!(Shape::Matrix { rows: 5, columns: 2 }.row_len(), 2);
    /// assert_eq!(Shape::Vector(4).row_len(), 4);
    /// ```
    pub fn row_len(self) -> usize {
        match self {
            Shape::Vector(numbers) => numbers,
            Shape::Matrix { columns, .. } | Shape::Matrices { columns, .. } => columns,
            Shape::PositiveDefinite(k) => k,
            Shape::HermitianPositiveDefinite(k) => 2 * k,
            Shape::Landmarks(_) => 2,
        }
    }
}
