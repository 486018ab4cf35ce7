//! Spaces of constant curvature, and their triangles.

use crate::error::{Error, Result};
use std::f64::consts::PI;

/// A complete, simply connected space of constant sectional curvature and dimension `d`: Euclidean space, a sphere of
/// radius `1/√κ`, or hyperbolic space; for `d = 1` the circle of radius `1/√κ` (`κ > 0`) or the line.
///
/// It is all that the privacy of an isotropic law depends on, so that several manifolds share it: `kendall:3` is the
/// sphere of curvature 4, every flat space is `R^d`.
///
/// ```
/// use karcher_privacy::ConstantCurvature;
/// let sphere = ConstantCurvature::new(2, 4.0)?; // of radius ½
/// assert_eq!((sphere.dimension(), sphere.curvature()), (2, 4.0));
/// assert!((sphere.diameter() - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstantCurvature {
    dimension: usize,
    curvature: f64,
}

/// The sign of the curvature, once lengths are measured in units of `1/√|κ|`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Geometry {
    Flat,
    Sphere,
    Hyperbolic,
}

/// The largest dimension: that of the largest manifold of this library.
const LARGEST_DIMENSION: usize = 1_000_000;

impl ConstantCurvature {
    /// The space of dimension `d ≥ 1` and curvature `κ`. For `d = 1` a positive `κ` means the circle of radius `1/√κ`.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a dimension that is not from 1 to a million, and a curvature that is not 0 and
    /// whose size is not from 1e-100 to 1e100.
    ///
    /// ```
    /// use karcher_privacy::ConstantCurvature;
    /// assert_eq!(ConstantCurvature::new(3, -1.0)?.diameter(), f64::INFINITY);
    /// assert!(ConstantCurvature::new(0, 1.0).is_err());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn new(dimension: usize, curvature: f64) -> Result<Self> {
        let invalid = |name, value, requirement: &str| {
            Err(Error::InvalidParameter { name, value, requirement: requirement.to_owned() })
        };
        if !(1..=LARGEST_DIMENSION).contains(&dimension) {
            return invalid("dimension", dimension as f64, "it must be from 1 to 1,000,000");
        }
        if curvature != 0.0 && !(1e-100..=1e100).contains(&curvature.abs()) {
            return invalid("curvature", curvature, "it must be 0, or a number of size 1e-100 to 1e100");
        }
        Ok(Self { dimension, curvature: if dimension == 1 { curvature.max(0.0) } else { curvature } })
    }

    /// Dimension `d`.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Sectional curvature `κ`.
    pub fn curvature(&self) -> f64 {
        self.curvature
    }

    /// The largest distance between two points: `π/√κ` on a sphere, `∞` elsewhere.
    pub fn diameter(&self) -> f64 {
        if self.curvature > 0.0 { PI / self.curvature.sqrt() } else { f64::INFINITY }
    }

    /// The factor of lengths for which the curvature becomes 0, 1 or −1: `√|κ|`.
    pub(crate) fn unit(&self) -> f64 {
        if self.curvature == 0.0 { 1.0 } else { self.curvature.abs().sqrt() }
    }

    pub(super) fn geometry(&self) -> Geometry {
        match self.curvature {
            k if k > 0.0 => Geometry::Sphere,
            k if k < 0.0 => Geometry::Hyperbolic,
            _ => Geometry::Flat,
        }
    }
}

/// With `sn x = x`, `sin x` or `sinh x`.
impl Geometry {
    /// The largest distance.
    pub(super) fn end(self) -> f64 {
        if self == Geometry::Sphere { PI } else { f64::INFINITY }
    }

    /// How fast `sn` grows: it is of the order of `e^{gx}` far out.
    pub(super) fn growth(self) -> f64 {
        if self == Geometry::Hyperbolic { 1.0 } else { 0.0 }
    }

    /// `sn x·e^{−gx}`, with the `g` of [`growth`](Geometry::growth).
    pub(super) fn sn(self, x: f64) -> f64 {
        match self {
            Geometry::Flat => x,
            Geometry::Sphere => x.sin().max(0.0),
            Geometry::Hyperbolic => -0.5 * (-2.0 * x).exp_m1(),
        }
    }

    /// `sn′ x·e^{−gx}`.
    pub(super) fn cs(self, x: f64) -> f64 {
        match self {
            Geometry::Flat => 1.0,
            Geometry::Sphere => x.cos(),
            Geometry::Hyperbolic => 0.5 * (1.0 + (-2.0 * x).exp()),
        }
    }

    /// `sn′ x / sn x − g`.
    pub(super) fn excess_slope(self, x: f64) -> f64 {
        match self {
            Geometry::Hyperbolic => 2.0 / (2.0 * x).exp_m1(),
            _ => self.cotangent(x),
        }
    }

    /// `sn′ x / sn x`.
    pub(super) fn cotangent(self, x: f64) -> f64 {
        match self {
            Geometry::Flat => 1.0 / x,
            Geometry::Sphere => 1.0 / x.tan(),
            Geometry::Hyperbolic => 1.0 / x.tanh(),
        }
    }
}
