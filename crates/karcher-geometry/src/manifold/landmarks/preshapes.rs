//! Pre-shapes: landmarks up to position and size, the unit sphere of the centered configurations.
//!
//! A point is `K` landmarks of `D` coordinates, centered and of unit norm. The centered configurations are a linear
//! space of dimension `D(K − 1)`, with the inner product of `R^{DK}`, so their unit sphere is the round sphere
//! `S^{D(K−1)−1}`: curvature 1, injectivity radius π. Every formula of [`Sphere`] is a linear combination of points and
//! tangent vectors, which stays centered. Only frames take Helmert's basis.
//!
//! It is not Kendall's shape space, which divides rotations out too. In three dimensions the curvature of that quotient
//! has no bound (Le and Kendall 1993, The Riemannian structure of Euclidean shape spaces). So no sensitivity exists
//! there.

use super::super::family::{Family, two_numbers};
use super::super::helmert::{helmert, helmert_transpose};
use super::super::vector::{largest, norm, scale};
use super::super::{
    AtypicalOrigin, BatchOp, CURVED_POINT_TOLERANCE, CurvatureBounds, CutLocus, Homogeneity, Layout, Manifold, Model,
    Operand, OwnSpace, Shape, Sphere, check_in_frame, check_length, log_error, many, pairs, sphere,
};
use super::Configurations;
use super::formulas;
use crate::embedding::{Embedding, Preshapes};
use crate::error::{Error, Result};
use crate::points::PointsView;
use crate::space::Space;
use std::f64::consts::TAU;
use std::sync::Arc;

/// An expression with the formulas for the number of axes, 2 or 3, under a name.
macro_rules! by_axes {
    ($space:expr, $formulas:ident => $expression:expr) => {
        if $space.all.axes == 2 {
            type $formulas = formulas::Preshapes<2>;
            $expression
        } else {
            type $formulas = formulas::Preshapes<3>;
            $expression
        }
    };
}

/// `landmarks:K,D`.
pub(in super::super) const FAMILY: Family = Family {
    name: "landmarks",
    size: "K,D",
    about: "K landmarks in D = 2 or 3 dimensions, without size",
    examples: &["landmarks:20,3"],
    parse: |size| {
        let (landmarks, axes) = two_numbers(size)?;
        Some(Landmarks::new(landmarks, axes).map(|space| Arc::new(space) as _))
    },
};

/// Pre-shapes of `K` landmarks in the plane or in space.
///
/// ```
/// use karcher_geometry::manifold::{Landmarks, Manifold};
/// let space = Landmarks::new(4, 3)?;
/// let mut corner = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let mut larger = corner.map(|x| 2.0 * x + 7.0); // moved, and twice as large
/// for landmarks in [&mut corner, &mut larger] {
///     space.preshape(landmarks)?;
/// }
/// assert!(space.dist(&corner, &larger) < 1e-15);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Landmarks {
    all: Configurations,
    /// That of the centered configurations, in Helmert's basis. Its formulas hold of landmarks as well.
    sphere: Sphere,
    space: Space,
}

impl Landmarks {
    /// Pre-shapes of `landmarks ≥ 3` landmarks of `axes`, 2 or 3, coordinates.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    ///
    /// ```
    /// use karcher_geometry::manifold::{Landmarks, Manifold};
    /// let skulls = Landmarks::new(20, 3)?;
    /// assert_eq!((skulls.dim(), skulls.point_len()), (56, 60)); // 3K less position and size
    /// assert!(Landmarks::new(20, 4).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(landmarks: usize, axes: usize) -> Result<Self> {
        let space = Space::named(format!("landmarks:{landmarks},{axes}"));
        let all = Configurations::new(&space, landmarks, axes)?;
        Ok(Self { all, sphere: Sphere::new(all.dim() - 1)?, space })
    }

    /// Makes any configuration of landmarks, `x₁ y₁ z₁ x₂ …`, a point: centered and of unit norm.
    ///
    /// # Errors
    /// [`Error::InvalidPoint`] when a number is not finite, or all landmarks coincide.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Landmarks, Manifold};
    /// let triangles = Landmarks::new(3, 2)?;
    /// let mut landmarks = [10.0, 10.0, 13.0, 10.0, 10.0, 14.0];
    /// assert!(triangles.check_point(&landmarks).is_err());
    /// triangles.preshape(&mut landmarks)?;
    /// assert!(triangles.check_point(&landmarks).is_ok());
    /// assert!(triangles.preshape(&mut [1.0; 6]).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn preshape(&self, landmarks: &mut [f64]) -> Result<()> {
        check_length(self, landmarks)?;
        if let Some(reason) = super::non_finite(landmarks) {
            return Err(self.invalid(reason));
        }
        // the largest coordinate becomes 1 first, so that neither sums nor squares overflow
        let size = largest(landmarks).max(f64::MIN_POSITIVE);
        landmarks.iter_mut().for_each(|x| *x /= size);
        self.all.center(landmarks);
        // coincident landmarks leave a rounding error of the mean, not 0
        if norm(landmarks) <= 1e-12 {
            return Err(self.invalid("all landmarks coincide, so there is no shape".to_owned()));
        }
        self.normalize(landmarks);
        Ok(())
    }

    fn invalid(&self, reason: String) -> Error {
        Error::InvalidPoint { space: self.space.clone(), reason }
    }

    /// An error of the sphere in the words of this space.
    fn own(&self, result: Result<()>) -> Result<()> {
        result.map_err(|_| Error::CutLocus { space: self.space.clone() })
    }
}

impl Manifold for Landmarks {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: OwnSpace) -> bool {
        true
    }

    fn embedding(&self) -> Option<Box<dyn Embedding>> {
        Some(Box::new(Preshapes::new(self.all.axes, self.all.dim())))
    }

    fn dim(&self) -> usize {
        self.sphere.dim()
    }

    fn point_len(&self) -> usize {
        self.all.numbers()
    }

    /// The regular polygon, in the plane of the first two axes.
    fn origin(&self, out: &mut [f64]) {
        out.fill(0.0);
        for (j, landmark) in out.chunks_exact_mut(self.all.axes).enumerate() {
            let (sin, cos) = (TAU * j as f64 / self.all.landmarks as f64).sin_cos();
            (landmark[0], landmark[1]) = (cos, sin);
        }
        self.normalize(out);
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        if let Some(reason) = self.all.not_centered(p) {
            return Err(self.invalid(reason));
        }
        let length = norm(p);
        if (length - 1.0).abs() > CURVED_POINT_TOLERANCE {
            return Err(self.invalid(format!("the landmarks' norm is {length}, it must be 1")));
        }
        Ok(())
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_in_frame(self, p, v)
    }

    /// Centered and of unit norm; coincident landmarks stay as they are.
    fn project(&self, p: &mut [f64]) {
        let mut preshape = p.to_vec();
        if self.preshape(&mut preshape).is_ok() {
            p.copy_from_slice(&preshape);
        }
    }

    fn normalize(&self, p: &mut [f64]) {
        self.all.center(p);
        scale(p, 1.0 / norm(p));
    }

    /// A point has one representative.
    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
    }

    /// `Exp_p(v) = cos‖v‖·p + sinc‖v‖·v`, as on the sphere.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        self.sphere.exp(p, v, out);
        self.normalize(out);
    }

    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        self.own(self.sphere.log(p, q, out))
    }

    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        self.sphere.dist(p, q)
    }

    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        self.sphere.inner(p, u, v)
    }

    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        self.own(self.sphere.transport(p, q, v, out))
    }

    fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        by_axes!(self, Preshapes => sphere::exp_many::<Preshapes>(self, p, v, out));
    }

    fn log_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        many::log::<Sphere>(self.point_len(), p, q, out);
    }

    fn dist_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        many::dist::<Sphere>(self.point_len(), p, q, out);
    }

    fn dist_matrix(&self, p: &[f64], q: &[f64], out: &mut [f64]) {
        pairs::dist_matrix::<Sphere>(self.point_len(), p, q, out);
    }

    fn transport_many(&self, p: Operand<'_>, q: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        many::transport::<Sphere>(self.point_len(), p, q, v, out);
    }

    fn inner_many(&self, p: Operand<'_>, u: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        many::inner::<Sphere>(self.point_len(), p, u, v, out);
    }

    fn norm_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        many::norm::<Sphere>(self.point_len(), p, v, out);
    }

    fn prechecked_many(&self, operation: BatchOp<'_>, out: &mut [f64]) -> bool {
        by_axes!(self, Preshapes => sphere::prechecked_many::<Preshapes>(self.point_len(), operation, out))
    }

    fn prechecked_points(&self, values: &[f64]) -> bool {
        by_axes!(self, Preshapes => many::prechecked_points::<Preshapes>(self.point_len(), values))
    }

    fn prechecked_tangents(&self, p: Operand<'_>, v: Operand<'_>, rows: usize) -> bool {
        by_axes!(self, Preshapes => many::prechecked_tangents::<Preshapes>(self.point_len(), p, v, rows))
    }

    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        self.sphere.jacobi(p, v, e, by_point, by_vector);
    }

    /// The sphere's frame in Helmert's basis.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        let mut y = vec![0.0; self.all.dim()];
        self.sphere.from_frame(&helmert(p, self.all.axes), coordinates, &mut y);
        helmert_transpose(&y, self.all.axes, out);
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        self.sphere.to_frame(&helmert(p, self.all.axes), &helmert(v, self.all.axes), coordinates);
    }

    /// The sphere's, in Helmert's basis.
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        let carried: Vec<f64> = points.iter().flat_map(|x| helmert(x, self.all.axes)).collect();
        let carried = PointsView::unchecked(self.sphere.space(), self.all.dim(), &carried);
        self.sphere.frame_logs(&helmert(base, self.all.axes), carried, coordinates);
    }

    fn log_error(&self, reach: f64, _spread: f64) -> Option<f64> {
        log_error::preshapes(self.all.landmarks, self.all.axes, reach)
    }

    fn curvature(&self) -> CurvatureBounds {
        self.sphere.curvature()
    }

    fn injectivity_radius(&self) -> f64 {
        self.sphere.injectivity_radius()
    }

    fn cut_locus(&self) -> CutLocus {
        self.sphere.cut_locus()
    }

    fn diameter(&self) -> f64 {
        self.sphere.diameter()
    }

    fn homogeneity(&self) -> Homogeneity {
        self.sphere.homogeneity()
    }

    fn shape(&self) -> Shape {
        self.all.shape()
    }

    /// Landmarks `x₁ y₁ z₁ x₂ …` or `x₁ … x_K y₁ …`, in any position and of any size.
    fn layouts(&self) -> Vec<Layout> {
        let space = self.clone();
        self.all.layouts(move |mut landmarks| space.preshape(&mut landmarks).map(|()| landmarks))
    }

    fn distances_are_angles(&self) -> bool {
        true
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(AtypicalOrigin {
            because: "the regular polygon is far from most specimens",
            instead: "the landmarks of the public template, or of a typical specimen from an earlier study",
            origin: "the regular polygon",
        })
    }

    fn model(&self) -> Model {
        self.sphere.model()
    }

    fn max_step(&self) -> f64 {
        self.sphere.max_step()
    }

    fn volume_growth(&self) -> f64 {
        self.sphere.volume_growth()
    }

    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        self.sphere.log_volume_density_bound(s)
    }

    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        self.sphere.log_volume_density_in_frame(coordinates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::norm;
    use crate::manifold::vector::norm_of_difference;

    const CORNER: [f64; 12] = [0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0];

    fn preshape(space: &Landmarks, mut landmarks: [f64; 12]) -> [f64; 12] {
        space.preshape(&mut landmarks).unwrap();
        landmarks
    }

    #[test]
    fn many_rows_are_as_one_and_are_looked_at_together() {
        for (k, axes) in [(3, 2), (4, 3), (17, 3)] {
            let space = Landmarks::new(k, axes).unwrap();
            let (len, n) = (space.point_len(), 11);
            let configuration = |seed: usize| -> Vec<f64> {
                let mut p: Vec<f64> = (0..len).map(|i| ((i + len * seed) as f64 * 0.9).sin()).collect();
                space.preshape(&mut p).unwrap();
                p
            };
            let [p, q] = [0, n].map(|start| (start..start + n).flat_map(configuration).collect::<Vec<f64>>());
            let mut v = vec![0.0; n * len];
            space.log_many(Operand::Each(&p), Operand::Each(&q), &mut v);
            assert!(space.prechecked_points(&p) && space.prechecked_tangents(Operand::Each(&p), Operand::Each(&v), n));
            let (mut ends, mut distances) = (vec![0.0; n * len], vec![0.0; n]);
            space.exp_many(Operand::Each(&p), Operand::Each(&v), &mut ends);
            space.dist_many(Operand::Each(&p), Operand::Each(&q), &mut distances);
            for i in 0..n {
                let [p, q, v, end] = [&p, &q, &v, &ends].map(|x| &x[i * len..][..len]);
                let (mut log, mut exp) = (vec![0.0; len], vec![0.0; len]);
                space.log(p, q, &mut log).unwrap();
                space.exp(p, v, &mut exp);
                assert!(log == v && exp == end && distances[i] == space.dist(p, q), "{k} {axes} {i}");
            }
            let (mut off, mut pulled) = (p.clone(), v.clone());
            off[len + 1] += 1e-9;
            pulled[len..2 * len].iter_mut().step_by(axes).for_each(|x| *x += 1e-3);
            assert!(!space.prechecked_points(&off));
            assert!(!space.prechecked_tangents(Operand::Each(&p), Operand::Each(&pulled), n));
        }
    }

    /// mpmath 1.3 with 40 digits: landmarks less their mean, over their norm; `ρ = acos(dot(p, q))` and
    /// `ρ/sin(ρ)*(q - cos(ρ)*p)`.
    #[test]
    fn distance_and_logarithm_are_those_of_forty_digits() {
        let space = Landmarks::new(4, 3).unwrap();
        let p = preshape(&space, CORNER);
        let other = [1.0, 0.0, 0.0, 0.0, 3.0, 0.0, 1.0, -2.0, 2.0, 0.0, 5.0, 1.0];
        let mut near = CORNER;
        near[11] = 1.0000001;
        #[rustfmt::skip]
        let cases = [
            (other, 2.031_848_906_238_368, [
                -0.03539656054003523, -0.750407083448747, -0.3752035417243735, 0.5026311596685002, 0.4389173506964369,
                -0.3752035417243735, -0.03539656054003523, -0.9203105740409161, 0.41767941437241574,
                -0.43183803858842984, 1.2318003067932262, 0.33272766907633117,
            ]),
            (near, 2.575_393_751_296_581_3e-8, [
                1.653250167321619e-09, 1.1021667782144126e-09, -7.164084058393681e-09, -4.959750501964857e-09,
                1.1021667782144126e-09, -7.164084058393681e-09, 1.653250167321619e-09, -3.306500334643238e-09,
                -7.164084058393681e-09, 1.653250167321619e-09, 1.1021667782144126e-09, 2.1492252175181044e-08,
            ]),
        ];
        for (landmarks, distance, log) in cases {
            let q = preshape(&space, landmarks);
            let (mut v, mut coordinates) = ([0.0; 12], [0.0; 8]);
            space.log(&p, &q, &mut v).unwrap();
            assert!((space.dist(&p, &q) - distance).abs() < 1e-15, "{}", space.dist(&p, &q));
            assert!(norm_of_difference(&v, &log) < 2e-15, "{v:?}");
            space.frame_logs(&p, PointsView::unchecked(space.space(), 12, &q), &mut coordinates);
            if let Some(bound) = space.log_error(distance * 1.000001, 0.0) {
                assert!((norm(&coordinates) - distance).abs() < bound, "{coordinates:?}");
                assert!(bound < 1e-13);
            }
        }
        assert!(space.log_error(1.5, 0.0).is_some() && space.log_error(1.6, 0.0).is_none());
    }

    #[test]
    fn coincident_landmarks_have_no_shape_and_size_and_place_do_not_count() {
        let space = Landmarks::new(4, 3).unwrap();
        let plain = preshape(&space, CORNER);
        for (size, shift) in [(1e-300, 0.0), (3.0, 1e5), (1e300, -1e300)] {
            let moved = preshape(&space, CORNER.map(|x| size * x + shift * 0.1));
            assert!(space.dist(&plain, &moved) < 1e-10, "{size} {shift}");
        }
        for x in [0.0, 0.1, 1e300] {
            assert!(space.preshape(&mut [x; 12]).is_err_and(|error| error.to_string().contains("coincide")));
        }
        assert!(space.preshape(&mut [f64::INFINITY; 12]).is_err());
        assert!(space.preshape(&mut [1.0; 6]).is_err());
    }
}
