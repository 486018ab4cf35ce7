//! Real projective space `RP^d`: axes, directions without a sign.
//!
//! It is the sphere `S^d` with `p` and `−p` identified. Curvature 1 (flat for `d = 1`, a circle of length π),
//! injectivity radius and diameter π/2. A point is `d + 1` numbers of unit norm, up to sign. A tangent vector `v` at
//! `p` is `−v` at `−p`.
//!
//! It is not simply connected: from `d = 2` on, the privacy of noise on it is not that of the sphere.

use super::batch_op::{BatchOp, Operand};
use super::family::{Family, number};
use super::formulas::Formulas;
use super::lanes;
use super::many::{self, from_formulas};
use super::orientations;
use super::real::Real;
use super::sphere::{self, Antipodes, Reflected, angles, colatitudes_and_longitudes, latitudes_and_longitudes};
use super::vector::{dot, is_negligible, non_finite, norm, norm_of_difference, norm_of_sum, scale};
use super::{
    AtypicalOrigin, CURVED_POINT_TOLERANCE, CurvatureBounds, CutLocus, Homogeneity, LARGEST_POINT, Layout, Manifold,
    Model, Shape, Sphere, check_in_frame, check_length, check_size, log_error,
};
use crate::elementary::atan2;
use crate::embedding::{Embedding, Projectors};
use crate::error::{Error, Result};
use crate::points::PointsView;
use crate::space::Space;
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

/// `|⟨p,q⟩|` below which two axes count as perpendicular: rounding alone moves it that far.
pub(super) const CUT_LOCUS: f64 = 1e-14;

/// `projective:D`.
pub(super) const FAMILY: Family = Family {
    name: "projective",
    size: "D",
    about: "axes, directions without a sign",
    examples: &["projective:2", "projective:1"],
    parse: |size| Some(Projective::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// Real projective space `RP^d`.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, Projective};
/// let axes = Projective::new(2)?;
/// assert_eq!(axes.dist(&[0.0, 0.6, 0.8], &[0.0, -0.6, -0.8]), 0.0);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Projective {
    sphere: Sphere,
    space: Space,
}

impl Projective {
    /// `RP^d`, `d ≥ 1`.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Projective};
    /// let axes = Projective::new(2)?;
    /// assert_eq!((axes.dim(), axes.point_len()), (2, 3));
    /// assert_eq!(axes.diameter(), std::f64::consts::FRAC_PI_2); // no two axes are farther apart than a right angle
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(d: usize) -> Result<Self> {
        let space = Space::named(format!("projective:{d}"));
        check_size(&space, d, 1, LARGEST_POINT)?;
        Ok(Self { sphere: Sphere::new(d)?, space })
    }

    /// Refuses a vector of NaN.
    fn check_unique(&self, v: &[f64]) -> Result<()> {
        if v[0].is_nan() { Err(Error::CutLocus { space: self.space.clone() }) } else { Ok(()) }
    }
}

/// The sign of the representative of `q` that is nearest to `p`, NaN where both are as near.
#[inline(always)]
fn side<T: Real>(p: &[T], q: &[T]) -> T {
    dot(p, q).map(|cosine| if cosine.abs() <= CUT_LOCUS { f64::NAN } else { 1.0_f64.copysign(cosine) })
}

/// How far the representatives of `q` are from `p` as the crow flies, the nearest first.
#[inline(always)]
fn chords<T: Real>(p: &[T], q: &[T]) -> [T; 2] {
    let (a, b) = (norm_of_difference(p, q), norm_of_sum(p, q));
    let lesser = |a: f64, b: f64| if a < b { a } else { b };
    let greater = |a: f64, b: f64| if a < b { b } else { a };
    [a.with(b, lesser), a.with(b, greater)]
}

impl Formulas for Projective {
    const FLAT_PRODUCT: bool = true;

    #[inline(always)]
    fn exp<T: Real>(p: &[T], v: &[T], out: &mut [T]) {
        <Sphere as Formulas>::exp(p, v, out);
    }

    #[inline(always)]
    fn log<T: Real>(p: &[T], q: &[T], out: &mut [T]) {
        sphere::log(p, q, side(p, q), chords(p, q), out);
    }

    #[inline(always)]
    fn dist<T: Real>(p: &[T], q: &[T]) -> T {
        let [chord, cochord] = chords(p, q);
        chord.with(cochord, atan2) * 2.0
    }

    #[inline(always)]
    fn transport<T: Real>(p: &[T], q: &[T], v: &[T], out: &mut [T]) {
        let side = side(p, q);
        sphere::transport(p, q, side, v, out);
        scale(out, side);
    }

    #[inline(always)]
    fn inner<T: Real>(_p: &[T], u: &[T], v: &[T]) -> T {
        dot(u, v)
    }

    #[inline(always)]
    fn is_point<T: Real>(p: &[T]) -> T {
        sphere::is_unit(p)
    }

    #[inline(always)]
    fn is_tangent<T: Real>(p: &[T], v: &[T]) -> T {
        is_negligible(dot(p, v), v)
    }
}

impl Manifold for Projective {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: super::OwnSpace) -> bool {
        true
    }

    fn embedding(&self) -> Option<Box<dyn Embedding>> {
        Some(Box::new(Projectors::real(self.point_len(), 1, 1.0)))
    }

    fn dim(&self) -> usize {
        self.sphere.dim()
    }

    fn point_len(&self) -> usize {
        self.sphere.point_len()
    }

    /// The axis of the first unit vector.
    fn origin(&self, out: &mut [f64]) {
        self.sphere.origin(out);
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        let invalid = |reason| Err(Error::InvalidPoint { space: self.space.clone(), reason });
        if let Some(reason) = non_finite(p) {
            return invalid(reason);
        }
        let length = norm(p);
        if (length - 1.0).abs() > CURVED_POINT_TOLERANCE {
            return invalid(format!("its norm is {length}, it must be 1"));
        }
        Ok(())
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_in_frame(self, p, v)
    }

    /// To unit norm.
    fn project(&self, p: &mut [f64]) {
        self.sphere.project(p);
    }

    fn normalize(&self, p: &mut [f64]) {
        self.sphere.normalize(p);
    }

    /// `⟨base, out⟩` is positive. Where it is 0, the largest number (the first of equals) is positive.
    fn align(&self, base: &[f64], p: &[f64], out: &mut [f64]) {
        let largest = || p.iter().fold(0.0, |largest: f64, x| if x.abs() > largest.abs() { *x } else { largest });
        let side = side(base, p);
        let sign = if side.is_nan() { largest().signum() } else { side };
        for (o, p) in out.iter_mut().zip(p) {
            *o = sign * p + 0.0; // −0 becomes 0
        }
    }

    /// `Exp_p(v) = cos‖v‖·p + sinc‖v‖·v`, as on the sphere.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        self.sphere.exp(p, v, out);
    }

    /// `Log_p(q) = ρ·w/‖w‖` with `w = q* − ⟨p,q*⟩·p`, where `q* = ±q` is the representative nearest to `p`; as on the
    /// sphere `w` is written so that near points keep their digits.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        <Self as Formulas>::log(p, q, out);
        self.check_unique(out)
    }

    /// `ρ = arccos|⟨p,q⟩|`, computed as `2·atan2(‖p − q*‖, ‖p + q*‖)` to keep the digits near 0.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        <Self as Formulas>::dist(p, q)
    }

    fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.sphere.exp_many(p, v, out);
    }

    from_formulas!(log_many, dist_many, dist_matrix, transport_many);

    fn inner_many(&self, p: Operand<'_>, u: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.sphere.inner_many(p, u, v, out);
    }

    fn norm_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        self.sphere.norm_many(p, v, out);
    }

    fn prechecked_many(&self, operation: BatchOp<'_>, out: &mut [f64]) -> bool {
        sphere::prechecked_many::<Self>(self.point_len(), operation, out)
    }

    fn prechecked_points(&self, values: &[f64]) -> bool {
        self.sphere.prechecked_points(values)
    }

    fn prechecked_tangents(&self, p: Operand<'_>, v: Operand<'_>, rows: usize) -> bool {
        self.sphere.prechecked_tangents(p, v, rows)
    }

    fn inner(&self, _p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        dot(u, v)
    }

    /// The sphere's from `p` to `q*`; a vector `w` at `q* = ±q` is `±w` at `q`.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        <Self as Formulas>::transport(p, q, v, out);
        self.check_unique(out)
    }

    /// As on the sphere, at the end of the geodesic that [`exp`](Manifold::exp) returns.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        self.sphere.jacobi(p, v, e, by_point, by_vector);
    }

    /// The sphere's frame, with the sign of the representative: coordinates belong to the point.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        self.sphere.from_frame(p, coordinates, out);
        scale(out, 1.0_f64.copysign(p[0]));
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        self.sphere.to_frame(p, v, coordinates);
        scale(coordinates, 1.0_f64.copysign(p[0]));
    }

    /// From one reflection for all points, as on the sphere.
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        let kernel = Reflected { base, antipodes: Antipodes::Same { perpendicular: CUT_LOCUS } };
        lanes::logs(&kernel, base.len(), points.values(), self.dim(), coordinates);
    }

    fn log_error(&self, reach: f64, _spread: f64) -> Option<f64> {
        log_error::axes(self.point_len(), reach)
    }

    fn curvature(&self) -> CurvatureBounds {
        self.sphere.curvature()
    }

    /// Half of the shortest closed geodesic, which leads from `p` to `−p`.
    fn injectivity_radius(&self) -> f64 {
        FRAC_PI_2
    }

    /// The axes perpendicular to `p`.
    fn cut_locus(&self) -> CutLocus {
        CutLocus::AtDistance(FRAC_PI_2)
    }

    fn diameter(&self) -> f64 {
        FRAC_PI_2
    }

    fn homogeneity(&self) -> Homogeneity {
        Homogeneity::TwoPoint
    }

    fn shape(&self) -> Shape {
        self.sphere.shape()
    }

    /// `projective:1` is a circle of length π.
    fn model(&self) -> Model {
        if self.dim() == 1 { Model::Circle { length: PI } } else { Model::Other }
    }

    /// Unit vectors, or angles. In the plane these are the angle of the end from 0 to below 180 degrees. In space they
    /// are latitude and longitude of the northern end, trend and plunge of the lower, or strike and dip of the normal
    /// plane.
    fn layouts(&self) -> Vec<Layout> {
        let others = match self.dim() {
            1 => angles(0.5),
            2 => [latitudes_and_longitudes(), orientations::of_axes(), colatitudes_and_longitudes()].concat(),
            _ => vec![],
        };
        let others = others.into_iter().map(|layout| layout.with_representative(last_positive));
        let vectors = sphere::vectors(self.dim());
        [vectors].into_iter().chain(others).collect()
    }

    fn distances_are_angles(&self) -> bool {
        true
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(AtypicalOrigin {
            because: "no axis is more typical than any other",
            instead: "an axis that the records are expected around",
            origin: "the first axis",
        })
    }

    fn max_step(&self) -> f64 {
        f64::INFINITY
    }

    fn volume_growth(&self) -> f64 {
        0.0
    }

    /// `θ(v) = (sin s / s)^{d−1}`, `s = ‖v‖`, as on the sphere.
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        self.sphere.log_volume_density_bound(s)
    }

    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        self.sphere.log_volume_density_in_frame(coordinates)
    }
}

/// The representative whose last number that is not 0 is positive: of axes in space the end above the plane of the
/// first two coordinates.
fn last_positive(p: &[f64]) -> Vec<f64> {
    let sign = p.iter().rev().find(|x| **x != 0.0).map_or(1.0, |x| x.signum());
    p.iter().map(|x| sign * x + 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes(d: usize) -> Projective {
        Projective::new(d).unwrap()
    }

    /// `θ` in the plane of two axes: `ρ = min{θ, π − θ}`, and the logarithm points the shorter way.
    #[test]
    fn distances_and_logarithms_go_the_shorter_way_around() {
        let rp = axes(2);
        let (p, direction) = ([2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0], [1.0 / 3.0, -2.0 / 3.0, -2.0 / 3.0]);
        for theta in [0.1, 1.5, 1.57, 1.58, 1.6, 3.0, PI, 3.2, 4.8, 6.2_f64] {
            let q: Vec<f64> = (0..3).map(|i| theta.cos() * p[i] + theta.sin() * direction[i]).collect();
            let signed = (theta + FRAC_PI_2).rem_euclid(PI) - FRAC_PI_2;
            let mut v = [0.0; 3];
            rp.log(&p, &q, &mut v).unwrap();
            for (v, direction) in v.iter().zip(direction) {
                assert!((v - signed * direction).abs() < 2e-15, "{theta}: {v}");
            }
            assert!((rp.dist(&p, &q) - signed.abs()).abs() < 2e-15, "{theta}");
        }
    }

    #[test]
    fn perpendicular_axes_have_no_logarithm_and_one_representative() {
        let rp = axes(2);
        let (p, q) = ([1.0, 0.0, 0.0], [0.0, -0.8, 0.6]);
        let mut out = [0.0; 3];
        assert_eq!(rp.log(&p, &q, &mut out), Err(Error::CutLocus { space: rp.space().clone() }));
        assert!(rp.transport(&p, &q, &[0.0, 1.0, 0.0], &mut out).is_err());
        assert!((rp.dist(&p, &q) - FRAC_PI_2).abs() < 1e-15);
        for q in [q, q.map(|x| -x)] {
            rp.align(&p, &q, &mut out);
            assert_eq!(out.map(f64::to_bits), [0.0, 0.8, -0.6].map(f64::to_bits));
        }
    }

    #[test]
    fn coordinates_in_the_frame_belong_to_the_axis() {
        let rp = axes(3);
        let (p, c) = ([-0.1, 0.7, 0.5, -0.5], [0.3, -0.2, 0.9]);
        let (mut v, mut w) = ([0.0; 4], [0.0; 4]);
        rp.from_frame(&p, &c, &mut v);
        rp.from_frame(&p.map(|x| -x), &c, &mut w);
        assert_eq!(v, w.map(|x| -x));
    }

    #[test]
    fn trend_and_plunge_of_either_end_are_the_same() {
        let rp = axes(2);
        let layouts = rp.layouts();
        let layout = layouts.iter().find(|layout| layout.name() == "trend-plunge").unwrap();
        // north, east and down are the axes
        for (record, axis) in [
            ([0.0, 0.0], [1.0, 0.0, 0.0]),
            ([90.0, 0.0], [0.0, 1.0, 0.0]),
            ([217.0, 90.0], [0.0, 0.0, 1.0]),
            ([90.0, 30.0], [0.0, 0.75_f64.sqrt(), 0.5]),
            ([-135.0, 45.0], [-0.5, -0.5, 0.5_f64.sqrt()]),
        ] {
            let read = layout.read(&record).unwrap();
            assert!(norm_of_difference(&read, &axis) < 1e-15, "{read:?}");
        }
        for (trend, plunge) in [(0.0, 0.0), (179.5, 0.0), (300.0, 20.0), (45.0, 89.0), (359.9, 0.1)] {
            let p = layout.read(&[trend, plunge]).unwrap();
            for end in [p.clone(), p.iter().map(|x| -x).collect()] {
                assert!(norm_of_difference(&layout.write(&end), &[trend, plunge]) < 1e-12, "{trend} {plunge}");
            }
        }
        assert_eq!(layout.write(&[-1.0, 0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(layout.write(&[1.0, -1e-20, 1e-20])[0], 0.0);
        assert_eq!(layout.write(&[1.0, -1e-20, 0.0]), [180.0, 0.0]);
        for (record, text) in [
            ([10.0, -30.0], "a trend 180 degrees larger"),
            ([30.0, 200.0], "if plunge comes first"),
            ([400.0, 20.0], "trend 400 is outside"),
            ([400.0, 91.0], "plunge 91 is outside 0 to 90 degrees"),
        ] {
            let error = layout.read(&record).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
    }

    #[test]
    fn both_ends_are_written_as_one_angle_or_position() {
        for (d, name, p, record) in [
            (1, "degrees", vec![-0.75_f64.sqrt(), -0.5], vec![30.0]),
            (1, "degrees", vec![-1.0, 0.0], vec![0.0]),
            (1, "radians", vec![0.0, -1.0], vec![FRAC_PI_2]),
            (2, "latlon", vec![0.0, -0.75_f64.sqrt(), -0.5], vec![30.0, 90.0]),
            (2, "latlon", vec![0.0, -1.0, 0.0], vec![0.0, 90.0]),
            (2, "latlon-radians", vec![0.0, 0.0, -1.0], vec![FRAC_PI_2, 0.0]),
        ] {
            let space = axes(d);
            let layouts = space.layouts();
            let layout = layouts.iter().find(|layout| layout.name() == name).unwrap();
            for end in [p.clone(), p.iter().map(|x| -x).collect()] {
                assert!(norm_of_difference(&layout.write(&end), &record) < 1e-14, "{name}: {:?}", layout.write(&end));
                assert!(space.dist(&layout.read(&record).unwrap(), &end) < 1e-15, "{name}");
            }
        }
        let degrees = &axes(1).layouts()[1];
        assert!(axes(1).dist(&degrees.read(&[250.0]).unwrap(), &degrees.read(&[70.0]).unwrap()) < 1e-15);
    }
}
