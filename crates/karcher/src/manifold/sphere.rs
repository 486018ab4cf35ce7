//! The unit sphere `S^d` in `R^{d+1}` with the round metric.
//!
//! Curvature 1 (flat for `d = 1`), injectivity radius π. A point is `d + 1` numbers of unit norm.

use super::family::{Family, number};
use super::vector::{
    add_scaled, combine, dot, ln_sinc, non_finite, norm, norm_of_difference, norm_of_sum, scale, sinc,
};
use super::{
    CURVED_POINT_TOLERANCE, CurvatureBounds, CutLocus, Homogeneity, LARGEST_POINT, Manifold, Model, Shape,
    check_in_frame, check_length, check_size,
};
use crate::error::{Error, Result};
use crate::space::Space;
use std::f64::consts::PI;
use std::sync::Arc;

/// `‖p + q‖` below which `p` and `q` count as antipodes: rounding alone moves a unit vector that far.
const ANTIPODE: f64 = 1e-14;

/// `sphere:D`.
pub(super) const FAMILY: Family = Family {
    name: "sphere",
    size: "D",
    about: "directions, positions on a globe",
    parse: |size| Some(Sphere::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// The unit sphere `S^d`.
#[derive(Debug, Clone)]
pub struct Sphere {
    d: usize,
    space: Space,
}

impl Sphere {
    /// `S^d`, `d ≥ 1`.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    pub fn new(d: usize) -> Result<Self> {
        let space = Space::named(format!("sphere:{d}"));
        check_size(&space, d, 1, LARGEST_POINT)?;
        Ok(Self { d, space })
    }
}

impl Manifold for Sphere {
    fn space(&self) -> &Space {
        &self.space
    }

    fn dim(&self) -> usize {
        self.d
    }

    fn point_len(&self) -> usize {
        self.d + 1
    }

    /// The first unit vector; on `sphere:2` latitude 0, longitude 0.
    fn origin(&self, out: &mut [f64]) {
        out.fill(0.0);
        out[0] = 1.0;
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

    fn normalize(&self, p: &mut [f64]) {
        scale(p, 1.0 / norm(p));
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_in_frame(self, p, v)
    }

    /// To unit norm.
    fn project(&self, p: &mut [f64]) {
        // the largest number first, so that nothing overflows
        let largest = p.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if largest > 0.0 && largest.is_finite() {
            scale(p, 1.0 / largest);
            self.normalize(p);
        }
    }

    /// A point has one representative.
    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
    }

    /// `Exp_p(v) = cos‖v‖·p + sinc‖v‖·v`, with `sinc t = sin t / t`.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        let t = norm(v);
        combine(t.cos(), p, sinc(t), v, out);
        self.normalize(out);
    }

    /// `Log_p(q) = ρ·w/‖w‖` with `w = q − ⟨p,q⟩·p`, written as `(q − p) + ½‖q − p‖²·p` so that near points keep their
    /// digits.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        let chord = norm_of_difference(p, q);
        let cochord = norm_of_sum(p, q);
        if cochord <= ANTIPODE {
            return Err(Error::CutLocus { space: self.space.clone() });
        }
        combine(1.0, q, 0.5 * chord * chord - 1.0, p, out);
        let off_tangent = dot(p, out);
        add_scaled(out, -off_tangent, p);
        let length = norm(out);
        if length > 0.0 {
            scale(out, 2.0 * chord.atan2(cochord) / length);
        }
        Ok(())
    }

    /// `ρ = 2·atan2(‖p − q‖, ‖p + q‖)`, accurate from 0 to π where `acos⟨p,q⟩` loses half the digits.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        2.0 * norm_of_difference(p, q).atan2(norm_of_sum(p, q))
    }

    fn inner(&self, _p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        dot(u, v)
    }

    /// The reflection that swaps `p` and `−q`: `v − 2⟨p+q,v⟩/‖p+q‖²·(p+q)`.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        combine(1.0, p, 1.0, q, out);
        let squared = dot(out, out);
        if squared <= ANTIPODE * ANTIPODE {
            return Err(Error::CutLocus { space: self.space.clone() });
        }
        // ⟨p, v⟩ = 0, so ⟨p+q, v⟩ = ⟨q, v⟩
        let factor = -2.0 * dot(q, v) / squared;
        for (o, v) in out.iter_mut().zip(v) {
            *o = v + factor * *o;
        }
        Ok(())
    }

    /// `λ = ‖v‖²` across `v`. Along it, `u = v/‖v‖` is the direction at `p` and `u′ = −sin‖v‖·p + cos‖v‖·u` the one at
    /// the end.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        let t = norm(v);
        if t == 0.0 {
            by_point.copy_from_slice(e);
            by_vector.copy_from_slice(e);
            return;
        }
        let direction = |i: usize| v[i] / t;
        let end = |i: usize| t.cos() * direction(i) - t.sin() * p[i];
        let along: f64 = e.iter().enumerate().map(|(i, e)| e * end(i)).sum();
        for (i, e) in e.iter().enumerate() {
            let across = e - along * end(i);
            by_point[i] = along * direction(i) + t.cos() * across;
            by_vector[i] = along * direction(i) + sinc(t) * across;
        }
    }

    /// The reflection that carries the first axis to `±p` carries the other axes to an orthonormal frame at `p`.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        out[0] = 0.0;
        out[1..].copy_from_slice(coordinates);
        reflect_first_axis(p, out);
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        let (factor, _) = reflection(p, v);
        combine(1.0, &v[1..], factor, &p[1..], coordinates);
    }

    fn curvature(&self) -> CurvatureBounds {
        let k = if self.d == 1 { 0.0 } else { 1.0 };
        CurvatureBounds { lower: k, upper: k }
    }

    fn injectivity_radius(&self) -> f64 {
        PI
    }

    fn cut_locus(&self) -> CutLocus {
        CutLocus::AtDistance(PI)
    }

    fn diameter(&self) -> f64 {
        PI
    }

    fn homogeneity(&self) -> Homogeneity {
        Homogeneity::TwoPoint
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.d + 1)
    }

    /// `sphere:1` is a circle.
    fn model(&self) -> Model {
        if self.d == 1 { Model::Circle { length: 2.0 * PI } } else { Model::Sphere { curvature: 1.0 } }
    }

    fn farthest(&self) -> f64 {
        f64::INFINITY
    }

    fn volume_growth(&self) -> f64 {
        0.0
    }

    /// `θ(v) = (sin s / s)^{d−1}`, `s = ‖v‖`.
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        let (value, slope) = ln_sinc(s);
        let power = (self.d - 1) as f64;
        // 0·∞ at the antipode of the circle
        if power == 0.0 { (0.0, 0.0) } else { (power * value, power * slope) }
    }

    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        self.log_volume_density_bound(norm(coordinates)).0
    }
}

/// Applies to `x` the reflection that exchanges `p` and `∓e₀` (the sign without cancellation).
fn reflect_first_axis(p: &[f64], x: &mut [f64]) {
    let (factor, sign) = reflection(p, x);
    add_scaled(x, factor, p);
    x[0] += factor * sign;
}

/// The reflection of `x` is `x + factor·(p + sign·e₀)`.
fn reflection(p: &[f64], x: &[f64]) -> (f64, f64) {
    let sign = 1.0_f64.copysign(p[0]);
    // w = p + sign·e₀, ‖w‖² = 2(1 + |p₀|)
    (-(dot(p, x) + sign * x[0]) / (1.0 + p[0].abs()), sign)
}
