//! Size and shape: landmarks up to position alone, a flat space.
//!
//! A point is `K` landmarks of `D` coordinates, centered. The centered configurations are a linear subspace of
//! `R^{DK}`, and Helmert's basis is an isometry of it with `R^{D(K−1)}`: curvature 0, one geodesic between any two
//! points, every law of Euclidean space.

use super::super::family::{Family, two_numbers};
use super::super::helmert::{helmert, helmert_transpose};
use super::super::vector::{combine, dot, non_finite, norm_of_difference};
use super::super::{
    AtypicalOrigin, CurvatureBounds, CutLocus, FlatChart, Homogeneity, Layout, Manifold, Model, OwnSpace, Shape,
    check_in_frame, check_length, log_error,
};
use super::Configurations;
use crate::error::{Error, Result};
use crate::space::Space;
use std::sync::Arc;

/// `size-and-shape:K,D`.
pub(in super::super) const FAMILY: Family = Family {
    name: "size-and-shape",
    size: "K,D",
    about: "K landmarks in D = 2 or 3 dimensions, with size",
    examples: &["size-and-shape:20,3"],
    parse: |size| {
        let (landmarks, axes) = two_numbers(size)?;
        Some(SizeAndShape::new(landmarks, axes).map(|space| Arc::new(space) as _))
    },
};

/// Centered configurations of `K` landmarks in the plane or in space.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, SizeAndShape};
/// let space = SizeAndShape::new(3, 2)?;
/// let read = |record: &[f64]| space.layouts()[0].read(record);
/// let triangle = read(&[0.0, 0.0, 3.0, 0.0, 0.0, 3.0])?;
/// assert_eq!(triangle, [-1.0, -1.0, 2.0, -1.0, -1.0, 2.0]);
/// let twice = read(&[7.0, 7.0, 13.0, 7.0, 7.0, 13.0])?; // moved, and twice as large
/// assert!((space.dist(&triangle, &twice) - 12.0_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SizeAndShape {
    all: Configurations,
    space: Space,
}

impl SizeAndShape {
    /// Configurations of `landmarks ≥ 3` landmarks of `axes`, 2 or 3, coordinates.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, SizeAndShape};
    /// let skulls = SizeAndShape::new(20, 3)?;
    /// assert_eq!((skulls.dim(), skulls.point_len()), (57, 60)); // 3K less position
    /// assert!(SizeAndShape::new(2, 3).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(landmarks: usize, axes: usize) -> Result<Self> {
        let space = Space::named(format!("size-and-shape:{landmarks},{axes}"));
        Ok(Self { all: Configurations::new(&space, landmarks, axes)?, space })
    }
}

impl Manifold for SizeAndShape {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: OwnSpace) -> bool {
        true
    }

    fn dim(&self) -> usize {
        self.all.dim()
    }

    fn point_len(&self) -> usize {
        self.all.numbers()
    }

    /// All landmarks at 0.
    fn origin(&self, out: &mut [f64]) {
        out.fill(0.0);
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        match self.all.not_centered(p) {
            Some(reason) => Err(Error::InvalidPoint { space: self.space.clone(), reason }),
            None => Ok(()),
        }
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_in_frame(self, p, v)
    }

    /// Centered.
    fn project(&self, p: &mut [f64]) {
        if self.check_point(p).is_err() {
            self.all.center(p);
        }
    }

    fn normalize(&self, p: &mut [f64]) {
        self.all.center(p);
    }

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

    /// Helmert's basis, the same at every point.
    fn from_frame(&self, _p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        helmert_transpose(coordinates, self.all.axes, out);
    }

    fn to_frame(&self, _p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        coordinates.copy_from_slice(&helmert(v, self.all.axes));
    }

    fn log_error(&self, reach: f64, spread: f64) -> Option<f64> {
        Some(log_error::centered(self.all.landmarks, reach, spread))
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
        self.all.shape()
    }

    /// Landmarks `x₁ y₁ z₁ x₂ …` or `x₁ … x_K y₁ …`, in any position.
    fn layouts(&self) -> Vec<Layout> {
        let (all, space) = (self.all, self.space.clone());
        self.all.layouts(move |mut landmarks| {
            all.center(&mut landmarks);
            match non_finite(&landmarks) {
                None => Ok(landmarks),
                Some(_) => Err(Error::InvalidPoint {
                    space: space.clone(),
                    reason: "once centered, its numbers are beyond those of double precision: choose a larger unit"
                        .to_owned(),
                }),
            }
        })
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(AtypicalOrigin {
            because: "there all landmarks coincide, far from every specimen",
            instead: "the landmarks of the public template, or of a typical specimen from an earlier study",
            origin: "landmarks that coincide",
        })
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

impl FlatChart for SizeAndShape {
    fn to_flat(&self, p: &[f64], coordinates: &mut [f64]) {
        coordinates.copy_from_slice(&helmert(p, self.all.axes));
    }

    fn from_flat(&self, coordinates: &[f64], out: &mut [f64]) {
        helmert_transpose(coordinates, self.all.axes, out);
    }
}
