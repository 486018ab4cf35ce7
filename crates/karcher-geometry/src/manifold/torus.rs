//! The flat torus `(R/2πZ)^D`: `D` angles at once.
//!
//! Curvature 0, injectivity radius π. A point is `D` angles in `[−π, π)`, in radians; a tangent vector is any `D`
//! numbers. Locally it is `R^D`, as a whole it is not: a geodesic along an axis ceases to be the shortest after π, one
//! along a diagonal only after `π√D`. So the cut locus varies with the direction from `D = 2` on, and `torus:1` is the
//! circle of length 2π.

use super::batch_op::Operand;
use super::family::{Family, number};
use super::vector::{dot, non_finite};
use super::{
    AngleUnit, AtypicalOrigin, CURVED_POINT_TOLERANCE, CurvatureBounds, CutLocus, Homogeneity, LARGEST_POINT, Layout,
    Manifold, Model, Shape, check_length, check_size, log_error,
};
use crate::embedding::{Angles, Embedding};
use crate::error::{Error, Result};
use crate::points::PointsView;
use crate::space::Space;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Two angles whose difference is that near to π count as opposite: rounding alone moves it that far.
const OPPOSITE: f64 = 1e-14;

/// The most turns that an angle in a record may have: beyond it the unit is likely to be another.
const LARGEST_TURNS: f64 = 2.0;

/// `torus:D`.
pub(super) const FAMILY: Family = Family {
    name: "torus",
    size: "D",
    about: "several angles, phases, times of day",
    examples: &["torus:2"],
    parse: |size| Some(Torus::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// The flat torus `(R/2πZ)^D`.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, Torus};
/// use std::f64::consts::PI;
/// let angles = Torus::new(2)?;
/// // three in one angle, the short way round through π, and four in the other: 3-4-5
/// let distance = angles.dist(&[PI - 0.1, 0.0], &[-PI + 0.2, 0.4]);
/// assert!((distance - 0.5).abs() < 1e-14);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Torus {
    d: usize,
    space: Space,
}

impl Torus {
    /// `(R/2πZ)^D`, `D ≥ 1`.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Torus};
    /// let torus = Torus::new(4)?;
    /// assert_eq!((torus.dim(), torus.point_len(), torus.diameter()), (4, 4, 2.0 * std::f64::consts::PI)); // π√D
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(d: usize) -> Result<Self> {
        let space = Space::named(format!("torus:{d}"));
        check_size(&space, d, 1, LARGEST_POINT)?;
        Ok(Self { d, space })
    }
}

impl Manifold for Torus {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: super::OwnSpace) -> bool {
        true
    }

    fn embedding(&self) -> Option<Box<dyn Embedding>> {
        Some(Box::new(Angles { count: self.d }))
    }

    fn dim(&self) -> usize {
        self.d
    }

    fn point_len(&self) -> usize {
        self.d
    }

    /// All angles 0.
    fn origin(&self, out: &mut [f64]) {
        out.fill(0.0);
    }

    /// Angles are from −π to π. Records may hold any: [`layouts`](Manifold::layouts) read whole turns away.
    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        let invalid = |reason| Err(Error::InvalidPoint { space: self.space.clone(), reason });
        if let Some(reason) = non_finite(p) {
            return invalid(reason);
        }
        match p.iter().position(|x| x.abs() > PI * (1.0 + CURVED_POINT_TOLERANCE)) {
            Some(i) => invalid(format!("angle {} is {}, it must be from -pi to pi radians", i + 1, p[i])),
            None => Ok(()),
        }
    }

    fn check_tangent(&self, _p: &[f64], v: &[f64]) -> Result<()> {
        check_length(self, v)?;
        match non_finite(v) {
            Some(reason) => Err(Error::InvalidTangent { space: self.space.clone(), reason }),
            None => Ok(()),
        }
    }

    /// Removes whole turns.
    fn project(&self, p: &mut [f64]) {
        self.normalize(p);
    }

    fn normalize(&self, p: &mut [f64]) {
        p.iter_mut().for_each(|x| *x = wrap(*x));
    }

    /// A point has one representative, with angles in `[−π, π)`.
    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
        self.normalize(out);
    }

    /// `Exp_p(v) = p + v`, without whole turns.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        for ((out, p), v) in out.iter_mut().zip(p).zip(v) {
            *out = wrap(p + v);
        }
    }

    /// `Log_p(q) = q − p`, without whole turns. It does not exist where two angles are opposite.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        for ((out, p), q) in out.iter_mut().zip(p).zip(q) {
            *out = wrap(q - p);
            if PI - out.abs() <= OPPOSITE {
                return Err(Error::CutLocus { space: self.space.clone() });
            }
        }
        Ok(())
    }

    /// `ρ = √Σ wᵢ²`, `w = q − p` without whole turns.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        p.iter().zip(q).map(|(p, q)| wrap(q - p).powi(2)).sum::<f64>().sqrt()
    }

    /// Angles that have no whole turns.
    fn prechecked_points(&self, values: &[f64]) -> bool {
        values.iter().all(|x| (-PI..PI).contains(x))
    }

    fn prechecked_tangents(&self, _p: Operand<'_>, v: Operand<'_>, _rows: usize) -> bool {
        v.all_finite()
    }

    fn inner(&self, _p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        dot(u, v)
    }

    /// Numbers stay as they are, along whichever geodesic.
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

    /// The translation that carries `p` to 0.
    fn to_origin(&self, p: &[f64], x: &[f64], out: &mut [f64]) {
        for ((out, p), x) in out.iter_mut().zip(p).zip(x) {
            *out = wrap(x - p);
        }
    }

    fn from_origin(&self, p: &[f64], x: &[f64], out: &mut [f64]) {
        self.exp(p, x, out);
    }

    /// Coordinates are the numbers of a tangent vector.
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        for (x, c) in points.iter().zip(coordinates.chunks_exact_mut(self.d)) {
            if self.log(base, x, c).is_err() {
                c.fill(f64::NAN);
            }
        }
    }

    fn log_error(&self, reach: f64, _spread: f64) -> Option<f64> {
        log_error::torus(self.d, reach)
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: 0.0, upper: 0.0 }
    }

    fn injectivity_radius(&self) -> f64 {
        PI
    }

    fn cut_locus(&self) -> CutLocus {
        if self.d == 1 { CutLocus::AtDistance(PI) } else { CutLocus::Varies }
    }

    /// `π√D`: all angles are opposite.
    fn diameter(&self) -> f64 {
        PI * (self.d as f64).sqrt()
    }

    /// Translations carry any point to any other, and the frames to one another.
    fn homogeneity(&self) -> Homogeneity {
        if self.d == 1 { Homogeneity::TwoPoint } else { Homogeneity::Points }
    }

    fn distances_are_angles(&self) -> bool {
        true
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(AtypicalOrigin {
            because: "no angle is more typical than any other",
            instead: "angles that the records are expected around",
            origin: "angles of 0",
        })
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.d)
    }

    /// `D` circles.
    fn isometric_factors(&self) -> Vec<Arc<dyn Manifold>> {
        let circle = || -> Arc<dyn Manifold> { Arc::new(Self { d: 1, space: Space::named("torus:1") }) };
        if self.d == 1 { vec![] } else { (0..self.d).map(|_| circle()).collect() }
    }

    /// `torus:1` is a circle.
    fn model(&self) -> Model {
        if self.d == 1 { Model::Circle { length: TAU } } else { Model::Other }
    }

    /// `radians` and `degrees`, up to two turns either way.
    fn layouts(&self) -> Vec<Layout> {
        let read = |unit: &'static str, instead: &'static str, turn: f64| {
            move |record: &[f64]| {
                let angle = |(i, x): (usize, &f64)| {
                    let turns = x / turn;
                    if turns.abs() <= LARGEST_TURNS {
                        return Ok(wrap(if turn == TAU { *x } else { TAU * (turns - turns.round()) }));
                    }
                    Err(format!("angle {} of {x} {unit} is more than two turns{instead}", i + 1))
                };
                record.iter().enumerate().map(angle).collect()
            }
        };
        let in_degrees = "; if it is in degrees, choose the layout degrees";
        let all: Vec<usize> = (0..self.d).collect();
        vec![
            Layout::new("radians", self.d, read("radians", in_degrees, TAU), <[f64]>::to_vec)
                .angles_in(AngleUnit::Radians)
                .periodic(&all, TAU),
            Layout::new("degrees", self.d, read("degrees", "", 360.0), |p| p.iter().map(|x| x.to_degrees()).collect())
                .angles_in(AngleUnit::Degrees)
                .periodic(&all, 360.0)
                .told(),
        ]
    }

    fn max_step(&self) -> f64 {
        f64::INFINITY
    }

    fn volume_growth(&self) -> f64 {
        0.0
    }

    /// `θ = 1`.
    fn log_volume_density_bound(&self, _s: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn log_volume_density_in_frame(&self, _coordinates: &[f64]) -> f64 {
        0.0
    }
}

/// The angle in `[−π, π)` that differs from `x` by whole turns. An angle that is there is left as it is.
fn wrap(x: f64) -> f64 {
    if (-PI..PI).contains(&x) {
        return x;
    }
    let rest = x - TAU * (x / TAU).round();
    // rounding may lead out again, on either side
    if rest >= PI { (rest - TAU).max(-PI) } else { rest.max(-PI) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn torus(d: usize) -> Torus {
        Torus::new(d).unwrap()
    }

    #[test]
    fn angles_are_wrapped_into_a_half_open_turn() {
        assert_eq!(wrap(PI), -PI);
        assert_eq!(wrap(-PI), -PI);
        for x in [0.0, 1e-300, -3.0, PI - 1e-15] {
            assert_eq!(wrap(x), x);
        }
        for (x, y) in [(4.0, 4.0 - TAU), (-4.0, TAU - 4.0), (7.0, 7.0 - TAU), (9.5, 9.5 - 2.0 * TAU)] {
            assert!((wrap(x) - y).abs() < 1e-14, "{x}");
        }
        for i in -4000..4000 {
            let x = wrap(f64::from(i) * 0.5 * PI);
            assert!((-PI..PI).contains(&x), "{i}: {x}");
        }
    }

    #[test]
    fn distance_and_logarithm_go_the_short_way_round_in_each_angle() {
        let (p, q) = ([3.0, -1.0, 0.0], [-3.0, 1.5, 0.25]);
        let expected = [TAU - 6.0, 2.5, 0.25];
        let mut v = [0.0; 3];
        torus(3).log(&p, &q, &mut v).unwrap();
        assert!(v.iter().zip(expected).all(|(v, e)| (v - e).abs() < 1e-15));
        let length = expected.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((torus(3).dist(&p, &q) - length).abs() < 1e-15);
    }

    #[test]
    fn opposite_angles_have_no_logarithm_and_are_farthest_apart() {
        let (p, q) = ([0.5, -0.25], [0.5 - PI, PI - 0.25]);
        assert!(matches!(torus(2).log(&p, &q, &mut [0.0; 2]), Err(Error::CutLocus { .. })));
        assert!(matches!(torus(2).log(&p, &[0.5 - PI, 0.0], &mut [0.0; 2]), Err(Error::CutLocus { .. })));
        assert!((torus(2).dist(&p, &q) - torus(2).diameter()).abs() < 1e-15);
    }

    /// `torus:1` and `sphere:1` are the same circle.
    #[test]
    fn one_angle_is_the_unit_circle() {
        let circle = crate::manifold::Sphere::new(1).unwrap();
        let at = |x: f64| [x.cos(), x.sin()];
        for (a, b) in [(0.1, 0.3), (3.0, -3.0), (-2.0, 1.1), (1.0, 1.0)] {
            assert!((torus(1).dist(&[a], &[b]) - circle.dist(&at(a), &at(b))).abs() < 1e-15, "{a} {b}");
        }
        assert_eq!((torus(1).model(), torus(1).cut_locus()), (circle.model(), circle.cut_locus()));
        assert_eq!((torus(1).diameter(), torus(1).homogeneity()), (circle.diameter(), circle.homogeneity()));
    }

    #[test]
    fn records_hold_any_angle_up_to_two_turns_in_radians_or_degrees() {
        let [radians, degrees] = &torus(2).layouts()[..] else { panic!("two layouts") };
        assert_eq!((radians.name(), degrees.name()), ("radians", "degrees"));
        assert_eq!(radians.read(&[4.0, -1.0]).unwrap(), [4.0 - TAU, -1.0]);
        let read = degrees.read(&[270.0, -450.0]).unwrap();
        assert!(read.iter().all(|x| (x + 0.5 * PI).abs() < 1e-15), "{read:?}");
        assert_eq!(degrees.read(&[180.0, -180.0]).unwrap(), [-PI, -PI]);
        let error = radians.read(&[0.0, 270.0]).unwrap_err();
        assert_eq!(
            error,
            "angle 2 of 270 radians is more than two turns; if it is in degrees, choose the layout degrees"
        );
        assert!(degrees.read(&[1000.0, 0.0]).is_err());
        assert!(torus(2).check_point(&[4.0, 0.0]).unwrap_err().to_string().contains("angle 1 is 4, it must be from"));
    }
}
