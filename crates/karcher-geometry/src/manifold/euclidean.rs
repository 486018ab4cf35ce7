//! Euclidean space `R^d`: `Exp_p(v) = p + v`. Everything else in the library is measured against it.

use super::batch_op::{BatchOp, Operand};
use super::family::{Family, number};
use super::formulas::Formulas;
use super::many::{self, from_formulas};
use super::real::Real;
use super::vector::{are_finite, combine, dot, non_finite, norm_of_difference};
use super::{
    CurvatureBounds, CutLocus, FlatChart, Homogeneity, LARGEST_POINT, Manifold, Model, Shape, check_length, check_size,
    log_error,
};
use crate::error::{Error, Result};
use crate::space::Space;
use std::sync::Arc;

/// `euclidean:D`.
pub(super) const FAMILY: Family = Family {
    name: "euclidean",
    size: "D",
    about: "vectors",
    examples: &["euclidean:3"],
    parse: |size| Some(Euclidean::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// `R^d`.
///
/// ```
/// use karcher_geometry::manifold::{Euclidean, Manifold};
/// let plane = Euclidean::new(2)?;
/// let mut sum = [0.0; 2];
/// plane.exp(&[1.0, 2.0], &[3.0, 4.0], &mut sum);
/// assert_eq!((sum, plane.dist(&[1.0, 2.0], &sum)), ([4.0, 6.0], 5.0));
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Euclidean {
    d: usize,
    space: Space,
}

impl Euclidean {
    /// `R^d`, `d ≥ 1`.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    ///
    /// ```
    /// use karcher_geometry::manifold::{Euclidean, Manifold};
    /// assert_eq!(Euclidean::new(3)?.space().as_str(), "euclidean:3");
    /// assert!(Euclidean::new(0).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(d: usize) -> Result<Self> {
        let space = Space::named(format!("euclidean:{d}"));
        check_size(&space, d, 1, LARGEST_POINT)?;
        Ok(Self { d, space })
    }
}

impl Formulas for Euclidean {
    const CURVED: bool = false;
    const FLAT_PRODUCT: bool = true;

    #[inline(always)]
    fn exp<T: Real>(p: &[T], v: &[T], out: &mut [T]) {
        let one = p[0].like(1.0);
        combine(one, p, one, v, out);
    }

    #[inline(always)]
    fn log<T: Real>(p: &[T], q: &[T], out: &mut [T]) {
        combine(p[0].like(1.0), q, p[0].like(-1.0), p, out);
    }

    #[inline(always)]
    fn dist<T: Real>(p: &[T], q: &[T]) -> T {
        norm_of_difference(p, q)
    }

    #[inline(always)]
    fn transport<T: Real>(_p: &[T], _q: &[T], v: &[T], out: &mut [T]) {
        out.copy_from_slice(v);
    }

    #[inline(always)]
    fn inner<T: Real>(_p: &[T], u: &[T], v: &[T]) -> T {
        dot(u, v)
    }

    #[inline(always)]
    fn is_point<T: Real>(p: &[T]) -> T {
        are_finite(p)
    }

    #[inline(always)]
    fn is_tangent<T: Real>(_p: &[T], v: &[T]) -> T {
        are_finite(v)
    }
}

impl Manifold for Euclidean {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: super::OwnSpace) -> bool {
        true
    }

    fn dim(&self) -> usize {
        self.d
    }

    fn point_len(&self) -> usize {
        self.d
    }

    fn origin(&self, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        match non_finite(p) {
            Some(reason) => Err(Error::InvalidPoint { space: self.space.clone(), reason }),
            None => Ok(()),
        }
    }

    fn normalize(&self, _p: &mut [f64]) {}

    /// Every vector is one.
    fn check_tangent(&self, _p: &[f64], v: &[f64]) -> Result<()> {
        check_length(self, v)?;
        match non_finite(v) {
            Some(reason) => Err(Error::InvalidTangent { space: self.space.clone(), reason }),
            None => Ok(()),
        }
    }

    /// Every list of numbers is a point.
    fn project(&self, _p: &mut [f64]) {}

    /// A point has one representative.
    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
    }

    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        combine(1.0, p, 1.0, v, out);
    }

    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        combine(1.0, q, -1.0, p, out);
        Ok(())
    }

    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        norm_of_difference(p, q)
    }

    from_formulas!(
        exp_many,
        log_many,
        dist_many,
        dist_matrix,
        inner_many,
        norm_many,
        prechecked_many,
        prechecked_points,
        prechecked_tangents
    );

    fn inner(&self, _p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        dot(u, v)
    }

    fn transport(&self, _p: &[f64], _q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        out.copy_from_slice(v);
        Ok(())
    }

    /// `A = B = 1`.
    fn jacobi(&self, _p: &[f64], _v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        by_point.copy_from_slice(e);
        by_vector.copy_from_slice(e);
    }

    fn from_frame(&self, _p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        out.copy_from_slice(coordinates);
    }

    fn to_frame(&self, _p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        coordinates.copy_from_slice(v);
    }

    fn log_error(&self, reach: f64, _spread: f64) -> Option<f64> {
        Some(log_error::euclidean(reach))
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
        Shape::Vector(self.d)
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

impl FlatChart for Euclidean {
    fn to_flat(&self, p: &[f64], coordinates: &mut [f64]) {
        coordinates.copy_from_slice(p);
    }

    fn from_flat(&self, coordinates: &[f64], out: &mut [f64]) {
        out.copy_from_slice(coordinates);
    }
}
