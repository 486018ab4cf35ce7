//! Hyperbolic space `H^d` as the hyperboloid `⟨x,x⟩ = −1`, `x₀ > 0` in Minkowski space `R^{d,1}`.
//!
//! `⟨x,y⟩ = −x₀y₀ + x₁y₁ + … + x_dy_d`. Curvature −1 (flat for `d = 1`), infinite injectivity radius. A point is
//! `d + 1` numbers, the time-like one first; the layouts `poincare` and `klein` write it as `d` numbers in the unit
//! ball.

use super::batch_op::{BatchOp, Operand};
use super::family::{Family, number};
use super::formulas::Formulas;
use super::lanes::{self, Lane, add, each};
use super::log_error::FAR;
use super::many::{self, from_formulas};
use super::real::Real;
use super::vector::{
    add_scaled, combine, dot, is_negligible, ln_sinhc, nan_unless_finite, non_finite, norm, one_if, scale,
};
use super::{
    CURVED_POINT_TOLERANCE, Called, CurvatureBounds, CutLocus, FlatChart, Homogeneity, LARGEST_POINT, Layout, Manifold,
    Model, Shape, check_carried, check_in_frame, check_length, check_size, log_error,
};
use crate::elementary::{arc_of_chord, asinh, asinh_sqrt, sinhc};
use crate::error::{Error, Result, Short};
use crate::points::PointsView;
use crate::space::Space;
use std::sync::Arc;

/// The longest step that `exp` takes: coordinates grow like `e^t`, and their squares must stay within doubles.
const FARTHEST: f64 = 300.0;

/// `2²⁵⁵`: between points with smaller first numbers, at most 177 from the vertex, `sinh² ρ` is a double.
const NEAR: f64 = f64::from_bits((1023 + 255) << 52);

/// The squares of points' numbers add up to less, so that squared chords, at most four times a product of two lengths,
/// are doubles: `¼·2¹⁰²²`.
const LARGEST_SQUARE: f64 = f64::from_bits((1023 + 1020) << 52);

/// `hyperbolic:D`.
pub(super) const FAMILY: Family = Family {
    name: "hyperbolic",
    size: "D",
    about: "embeddings of trees",
    examples: &["hyperbolic:2"],
    parse: |size| Some(Hyperbolic::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// Hyperbolic space `H^d`.
///
/// ```
/// use karcher_geometry::manifold::{Hyperbolic, Manifold};
/// let plane = Hyperbolic::new(2)?;
/// let at = |distance: f64| [distance.cosh(), distance.sinh(), 0.0];
/// assert!((plane.dist(&at(-1.0), &at(2.5)) - 3.5).abs() < 1e-14);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Hyperbolic {
    d: usize,
    space: Space,
}

impl Hyperbolic {
    /// `H^d`, `d ≥ 1`.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    ///
    /// ```
    /// use karcher_geometry::manifold::{Hyperbolic, Manifold};
    /// let space = Hyperbolic::new(3)?;
    /// assert_eq!((space.dim(), space.point_len()), (3, 4));
    /// assert_eq!(space.volume_growth(), 2.0); // balls grow like e^{2r}
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(d: usize) -> Result<Self> {
        let space = Space::named(format!("hyperbolic:{d}"));
        check_size(&space, d, 1, LARGEST_POINT)?;
        Ok(Self { d, space })
    }

    /// Whether the first numbers of all points are smaller.
    fn are_nearer(&self, points: [Operand<'_>; 2], limit: f64) -> bool {
        // without a branch for each
        let nearer = |all: bool, p: &[f64]| all & (p[0] < limit);
        points.iter().all(|points| points.numbers().chunks_exact(self.point_len()).fold(true, nearer))
    }

    /// An operation on one row after the other; NaN where it is an error.
    fn one_by_one<const N: usize>(
        &self,
        out: &mut [f64],
        operation: impl Fn([&[f64]; N], &mut [f64]) -> Result<()>,
        operands: [Operand<'_>; N],
    ) {
        let len = self.point_len();
        for (i, out) in out.chunks_exact_mut(len).enumerate() {
            if operation(operands.map(|operand| operand.row(i, len)), out).is_err() {
                out.fill(f64::NAN);
            }
        }
    }
}

impl Formulas for Hyperbolic {
    #[inline(always)]
    fn exp<T: Real>(p: &[T], v: &[T], out: &mut [T]) {
        let factor = v[0] * -1.0 / (p[0] + 1.0);
        combine(p[0].like(1.0), &v[1..], factor, &p[1..], &mut out[1..]);
        let length = norm(&out[1..]);
        let factor = length.map(|t| sinhc(if t > FARTHEST { FARTHEST } else { t }));
        scale(&mut out[1..], factor * length.map(|t| if t > FARTHEST { FARTHEST / t } else { 1.0 }));
        out[0] = time_of(out);
        boost_in_place(p, 1.0, out);
        out[0] = time_of(out);
    }

    #[inline(always)]
    fn log<T: Real>(p: &[T], q: &[T], out: &mut [T]) {
        out.copy_from_slice(q);
        boost_in_place(p, -1.0, out);
        let factor = dot(&out[1..], &out[1..]).map(|s| if s > 0.0 { asinh_sqrt(s) / s.sqrt() } else { 1.0 });
        scale(&mut out[1..], factor);
        carry_from_vertex(p, out);
    }

    #[inline(always)]
    fn dist<T: Real>(p: &[T], q: &[T]) -> T {
        squared_chord(p, q).map(arc_of_chord)
    }

    #[inline(always)]
    fn transport<T: Real>(p: &[T], q: &[T], v: &[T], out: &mut [T]) {
        // 1 − ⟨p,q⟩ = 2 + ½⟨p−q,p−q⟩
        let factor = minkowski(q, v) / (squared_chord(p, q) * 0.5 + 2.0);
        combine(factor, p, factor, q, out);
        add_scaled(out, factor.like(1.0), v);
    }

    #[inline(always)]
    fn inner<T: Real>(p: &[T], u: &[T], v: &[T]) -> T {
        let (a, b) = (u[0] / (p[0] + 1.0), v[0] / (p[0] + 1.0));
        let mut sum = T::zero(p);
        for ((p, u), v) in p[1..].iter().zip(&u[1..]).zip(&v[1..]) {
            sum = sum + (*u - a * *p) * (*v - b * *p);
        }
        sum
    }

    /// [`normalize`](Manifold::normalize) computes this first number, up to `3ε` of it: their squares differ by at most
    /// `4ε` of the square and the rounding of the other one, `½ε`. Points that are not near take other formulas for
    /// logarithms.
    #[inline(always)]
    fn is_point<T: Real>(p: &[T]) -> T {
        let is_close = |x: f64, square: f64| (x * x - square).abs() <= 4.0 * f64::EPSILON * square;
        let is_right = |x: f64, square: f64| (x > 0.0) & (square < NEAR * NEAR) & is_close(x, square);
        p[0].with(square_of_time(p), |x, square| one_if(is_right(x, square)))
    }

    /// [`check_tangent`](Manifold::check_tangent) removes `⟨p,v⟩` of the first number and at most as much of the
    /// others, up to rounding.
    #[inline(always)]
    fn is_tangent<T: Real>(p: &[T], v: &[T]) -> T {
        is_negligible(minkowski(p, v), v)
    }
}

const TIME: Called = Called::new("t", &[], &["t", "time"]);
const X: Called = Called::new("x", &[], &["x"]);
const Y: Called = Called::new("y", &[], &["y"]);
const Z: Called = Called::new("z", &[], &["z"]);

impl Manifold for Hyperbolic {
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
        self.d + 1
    }

    /// The vertex `(1, 0, …, 0)`.
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
        if p[0] <= 0.0 {
            return invalid(format!("its first number is {}, it must be positive", p[0]));
        }
        let square = square_of_time(p);
        // an overflow means farther
        if square >= LARGEST_SQUARE {
            let reason = "it is farther than 354 from the vertex (1, 0, …, 0), where distances leave the range of \
                          double precision; scale the data down, or embed them nearer to the vertex";
            return invalid(reason.to_owned());
        }
        let time = square.sqrt();
        if (p[0] / time - 1.0).abs() > CURVED_POINT_TOLERANCE {
            return invalid(format!("its first number is {}, the others need {time} there (√(1 + Σxᵢ²))", p[0]));
        }
        Ok(())
    }

    fn normalize(&self, p: &mut [f64]) {
        p[0] = time_of(p);
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_in_frame(self, p, v)
    }

    /// Onto the hyperboloid above the same place. The other sheet stays as it is: no point is near it.
    fn project(&self, p: &mut [f64]) {
        if p[0] > 0.0 {
            p[0] = p[1..].iter().fold(1.0, |time: f64, x| time.hypot(*x));
        }
    }

    /// A point has one representative.
    fn align(&self, _base: &[f64], p: &[f64], out: &mut [f64]) {
        out.copy_from_slice(p);
    }

    /// `Exp_p(v) = cosh‖v‖·p + sinhc‖v‖·v`, computed at the vertex and carried to `p`: the sum would cancel where it
    /// leads nearer to the vertex.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        <Self as Formulas>::exp(p, v, out);
    }

    /// `Log_p(q) = ρ·w/‖w‖` with `w = q + ⟨p,q⟩·p`, computed with `p` carried to the vertex, where `w` is the space
    /// part.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        if p[0].max(q[0]) < NEAR {
            <Self as Formulas>::log(p, q, out);
            return Ok(());
        }
        boost(p, -1.0, q, out);
        let sinh = length(&out[1..]);
        scale(&mut out[1..], if sinh > 0.0 { asinh(sinh) / sinh } else { 1.0 });
        carry_from_vertex(p, out);
        Ok(())
    }

    /// `ρ = 2·asinh(½√⟨p−q,p−q⟩)`, accurate near 0 where `acosh(−⟨p,q⟩)` loses half the digits.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        <Self as Formulas>::dist(p, q)
    }

    from_formulas!(exp_many, dist_many, dist_matrix, inner_many, norm_many, prechecked_points, prechecked_tangents);

    fn log_many(&self, p: Operand<'_>, q: Operand<'_>, out: &mut [f64]) {
        if self.are_nearer([p, q], NEAR) {
            return many::log::<Self>(self.point_len(), p, q, out);
        }
        self.one_by_one(out, |[p, q], out| self.log(p, q, out), [p, q]);
    }

    fn transport_many(&self, p: Operand<'_>, q: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        if self.are_nearer([p, q], FAR) {
            many::transport::<Self>(self.point_len(), p, q, v, out);
            return nan_unless_finite(out, self.point_len());
        }
        self.one_by_one(out, |[p, q, v], out| self.transport(p, q, v, out), [p, q, v]);
    }

    /// Formulas for many rows are those for points that are near.
    fn prechecked_many(&self, operation: BatchOp<'_>, out: &mut [f64]) -> bool {
        let suits = match operation {
            BatchOp::Transport([p, q, _]) => self.are_nearer([p, q], FAR),
            _ => true,
        };
        let prechecked = suits && many::prechecked::<Self>(self.point_len(), operation, out);
        if matches!(operation, BatchOp::Transport(_)) {
            nan_unless_finite(out, self.point_len());
        }
        prechecked
    }

    /// `⟨u,v⟩`, of coordinates in the frame at `p`: far out, first numbers and others are large and cancel.
    fn inner(&self, p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        <Self as Formulas>::inner(p, u, v)
    }

    /// `v + ⟨q,v⟩/(1 − ⟨p,q⟩)·(p + q)`. Far out that cancels, and coordinates in the frames of `p` and `q` are turned
    /// into each other.
    ///
    /// # Errors
    /// [`Error::InvalidTangent`] where the vector at `q` has numbers beyond those of double precision.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        if p[0].max(q[0]) < FAR {
            <Self as Formulas>::transport(p, q, v, out);
            return check_carried(self, out);
        }
        self.to_frame(p, v, &mut out[1..]);
        turn(p, q, &mut out[1..]);
        carry_from_vertex(q, out);
        check_carried(self, out)
    }

    /// `λ = −‖v‖²` across `v` (0 for `d = 1`, where nothing is across). Along it, `u = v/‖v‖` is the direction at `p`
    /// and `u′ = sinh‖v‖·p + cosh‖v‖·u` the one at the end.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        let t = self.norm(p, v);
        if t == 0.0 {
            by_point.copy_from_slice(e);
            by_vector.copy_from_slice(e);
            return;
        }
        let mut end = vec![0.0; p.len()];
        combine(t.sinh(), p, t.cosh() / t, v, &mut end);
        let along = minkowski(&end, e);
        for (i, e) in e.iter().enumerate() {
            let across = e - along * end[i];
            by_point[i] = along * v[i] / t + t.cosh() * across;
            by_vector[i] = along * v[i] / t + sinhc(t) * across;
        }
    }

    /// The frame of the vertex, carried to `p` along the geodesic.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        out[1..].copy_from_slice(coordinates);
        carry_from_vertex(p, out);
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        let factor = -v[0] / (1.0 + p[0]);
        combine(1.0, &v[1..], factor, &p[1..], coordinates);
    }

    /// From one boost for all points (`Boosted`), or one that is slower and keeps its digits from a base far out.
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        if base[0] < FAR {
            return lanes::logs(&Boosted(base), base.len(), points.values(), self.d, coordinates);
        }
        let mut seen = vec![0.0; base.len()];
        for (x, c) in points.iter().zip(coordinates.chunks_exact_mut(self.d)) {
            boost(base, -1.0, x, &mut seen);
            let sinh = norm(&seen[1..]);
            let factor = if sinh > 0.0 { asinh(sinh) / sinh } else { 1.0 };
            c.iter_mut().zip(&seen[1..]).for_each(|(c, y)| *c = factor * y);
        }
    }

    fn log_error(&self, reach: f64, spread: f64) -> Option<f64> {
        log_error::hyperbolic(self.d, reach, spread)
    }

    /// The boost `x ↦ (p₀x₀ − p·x, x − x₀p + (p·x)/(1 + p₀)·p)` that carries `p` to the vertex, exactly.
    fn to_origin(&self, p: &[f64], x: &[f64], out: &mut [f64]) {
        boost(p, -1.0, x, out);
        self.normalize(out);
    }

    fn from_origin(&self, p: &[f64], x: &[f64], out: &mut [f64]) {
        boost(p, 1.0, x, out);
        self.normalize(out);
    }

    fn curvature(&self) -> CurvatureBounds {
        let k = if self.d == 1 { 0.0 } else { -1.0 };
        CurvatureBounds { lower: k, upper: k }
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
        Shape::Vector(self.d + 1)
    }

    /// Points of the hyperboloid, of the Poincaré ball and of the Klein ball (Cannon, Floyd, Kenyon, Parry 1997,
    /// Hyperbolic geometry). Angles are true in the Poincaré ball, `u ↦ (1 + |u|², 2u)/(1 − |u|²)`. Geodesics are
    /// straight in the Klein ball, `k ↦ (1, k)/√(1 − |k|²)`.
    fn layouts(&self) -> Vec<Layout> {
        let poincare = |u: &[f64]| {
            let gap = gap_to_sphere(u)?;
            Ok(std::iter::once((2.0 - gap) / gap).chain(u.iter().map(|u| 2.0 * u / gap)).collect())
        };
        let klein = |k: &[f64]| {
            let time = 1.0 / gap_to_sphere(k)?.sqrt();
            Ok(std::iter::once(time).chain(k.iter().map(|k| k * time)).collect())
        };
        let to_poincare = |p: &[f64]| p[1..].iter().map(|x| x / (1.0 + p[0])).collect::<Vec<_>>();
        let to_klein = |p: &[f64]| p[1..].iter().map(|x| x / p[0]).collect::<Vec<_>>();
        let too_far = "it is so far from the vertex that numbers of double precision put it on the edge of the ball";
        let inside = move |u: Vec<f64>| gap_to_sphere(&u).map(|_| ()).map_err(|_| too_far.to_owned());
        vec![
            match self.d {
                2 => Layout::plain("vectors", 3).called(&[TIME, X, Y]),
                3 => Layout::plain("vectors", 4).called(&[TIME, X, Y, Z]),
                d => Layout::plain("vectors", d + 1),
            }
            .kind(&["lorentz", "hyperboloid", "minkowski"]),
            Layout::new("poincare", self.d, poincare, to_poincare)
                .kind(&["poincare", "poincaré"])
                .told()
                .holding(move |p| inside(to_poincare(p))),
            Layout::new("klein", self.d, klein, to_klein)
                .kind(&["klein", "beltrami"])
                .told()
                .holding(move |p| inside(to_klein(p))),
        ]
    }

    fn model(&self) -> Model {
        if self.d == 1 { Model::Flat } else { Model::Hyperbolic { curvature: -1.0 } }
    }

    fn max_step(&self) -> f64 {
        FARTHEST
    }

    /// Numbers grow like `½eᵗ`, and neighbouring ones are `2⁻⁵²` of that apart: with a few operations on `d + 1` of
    /// them `16·2⁻⁵²·√(d+1)·eᵗ` is a thousandth at most. On the line a number is the place.
    fn max_accurate_distance(&self) -> f64 {
        let unit = 16.0 * f64::EPSILON * (self.point_len() as f64).sqrt();
        if self.d == 1 { f64::INFINITY } else { (1e-3 / unit).ln() }
    }

    /// `θ(v) = (sinh s / s)^{d−1}`, `s = ‖v‖`.
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        let (value, slope) = ln_sinhc(s);
        let power = (self.d - 1) as f64;
        (power * value, power * slope)
    }

    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        self.log_volume_density_bound(norm(coordinates)).0
    }

    fn volume_growth(&self) -> f64 {
        (self.d - 1) as f64
    }

    /// `hyperbolic:1` is a line.
    fn flat_chart(&self) -> Option<&dyn FlatChart> {
        if self.d == 1 { Some(self) } else { None }
    }
}

/// The line `(cosh t, sinh t)`, for `d = 1` only.
impl FlatChart for Hyperbolic {
    fn to_flat(&self, p: &[f64], coordinates: &mut [f64]) {
        coordinates[0] = p[1].asinh();
    }

    fn from_flat(&self, coordinates: &[f64], out: &mut [f64]) {
        let t = coordinates[0].clamp(-FARTHEST, FARTHEST);
        (out[0], out[1]) = (t.cosh(), t.sinh());
    }
}

/// `⟨x,y⟩ = −x₀y₀ + Σ xᵢyᵢ`.
#[inline(always)]
fn minkowski<T: Real>(x: &[T], y: &[T]) -> T {
    dot(&x[1..], &y[1..]) - x[0] * y[0]
}

/// `1 − |u|²` of a point of the open unit ball, as exact as doubles allow: near the edge a rounded `|u|²` would leave
/// few digits of it. Squares and differences carry their rounding errors along (Ogita, Rump, Oishi 2005, Accurate sum
/// and dot product).
fn gap_to_sphere(u: &[f64]) -> Result<f64, String> {
    let (mut gap, mut lost) = (1.0, 0.0);
    for &u in u {
        let square = u * u;
        let rest = gap - square;
        let subtracted = gap - rest;
        lost += (gap - (rest + subtracted)) + (subtracted - square) - u.mul_add(u, -square);
        gap = rest;
    }
    gap += lost;
    // an overflow gives NaN, which counts as outside
    if gap > 0.0 {
        return Ok(gap);
    }
    let length = u.iter().fold(0.0_f64, |length, u| length.hypot(*u));
    Err(format!("its norm is {}, it must be below 1", Short(length.max(1.0))))
}

/// `√(1 + Σ xᵢ²)`: the first number of the point whose others are given.
#[inline(always)]
fn time_of<T: Real>(p: &[T]) -> T {
    square_of_time(p).sqrt()
}

#[inline(always)]
fn square_of_time<T: Real>(p: &[T]) -> T {
    dot(&p[1..], &p[1..]) + 1.0
}

/// A positive number as it is; 0 becomes 1, where it divides 0.
#[inline(always)]
fn or_one(x: f64) -> f64 {
    if x > 0.0 { x } else { 1.0 }
}

/// `⟨p−q,p−q⟩ = 4 sinh²(ρ/2) = 4 sinh²((a−b)/2) + |x||y|·|x/|x| − y/|y||²` with the space parts `x = sinh a·…`,
/// `y = sinh b·…`: the law of cosines at the vertex, a sum without cancellation however far out the points are.
///
/// `4 sinh²(s/2) = 2h²/(1 + √(1 + h²))` with `h = sinh s`, and `sinh(a−b) = (r² − s²)/(r·y₀ + s·x₀)` with `r = sinh a`,
/// `s = sinh b`.
#[inline(always)]
fn squared_chord<T: Real>(p: &[T], q: &[T]) -> T {
    let (x, y) = (&p[1..], &q[1..]);
    let (r, s) = (norm(x), norm(y));
    // half of both, so that products stay within doubles
    let sinh = (r - s) * ((r * 0.5 + s * 0.5) / (r * 0.5 * q[0] + s * 0.5 * p[0]).map(or_one));
    let radial = sinh * (sinh / ((sinh * sinh + 1.0).sqrt() + 1.0)) * 2.0;
    let (of_x, of_y) = (r.map(|r| 1.0 / or_one(r)), s.map(|s| 1.0 / or_one(s)));
    let mut across = T::zero(p);
    // on a line the direction is a sign, exactly, so that places are held however far out
    let is_line = x.len() == 1;
    for (x, y) in x.iter().zip(y) {
        let apart = if is_line { *x / r.map(or_one) - *y / s.map(or_one) } else { *x * of_x - *y * of_y };
        across = across + apart * apart;
    }
    radial + r * s * across
}

/// Coordinates of logarithms by the boost that carries the base `p` to the vertex: the space part of the image of `x`
/// is a vector of length `sinh ρ` in the direction of `Log_p(x)`.
///
/// The boost carries multiples of `p` to where they do not count, so it is applied to `z = x − p`, whose first number
/// is `⟨z, x + p⟩/(x₀ + p₀)` of the space parts: errors are relative to the length of `z`.
struct Boosted<'a>(&'a [f64]);

impl lanes::Kernel for Boosted<'_> {
    #[inline(always)]
    fn directions(&self, x: &mut [Lane], y: &mut [Lane]) -> [Lane; 2] {
        let (p0, p) = (self.0[0], &self.0[1..x.len()]);
        let (mut time, mut along) = (each(|_| 0.0), each(|_| 0.0));
        for ((z, x), p) in y.iter_mut().zip(&x[1..]).zip(p) {
            *z = each(|l| x[l] - p);
            add(&mut time, |l| z[l] * (x[l] + p));
            add(&mut along, |l| p * z[l]);
        }
        let factor = each(|l| along[l] / (1.0 + p0) - time[l] / (x[0][l] + p0));
        let mut squared = each(|_| 0.0);
        for (y, p) in y.iter_mut().zip(p) {
            *y = each(|l| y[l] + factor[l] * p);
            add(&mut squared, |l| y[l] * y[l]);
        }
        [squared, squared]
    }

    #[inline(always)]
    fn angle(&self, sinh: f64, _squared: f64) -> f64 {
        asinh(sinh)
    }
}

/// The transvection along the geodesic through the vertex and `p` that carries the vertex to `p` (`sign = 1`) or `p` to
/// the vertex (`−1`), without the first number of the image.
///
/// With the space parts `x` and `p = ∓s·n` and their lengths `r` and `s` the image is `x + ((p₀ − 1)⟨n,x⟩ − s·x₀)·n`.
/// Let `w = x − r·n`. Then `⟨n,x⟩ = r − |w|²/2r` and `p₀r − s·x₀ = (r² − s²)/(p₀r + s·x₀)`, and the image is
///
/// `w + ((r − s)(r + s)/(p₀r + s·x₀) − (p₀ − 1)·|w|²/2r)·n`,
///
/// in which only `x` and `r·n` cancel, and the numbers of `x` and `p` do not hold this difference better.
#[inline(always)]
fn boost_in_place<T: Real>(p: &[T], sign: f64, x: &mut [T]) {
    let (r, s) = (norm(&x[1..]), norm(&p[1..]));
    let ratio = r * sign / s.map(or_one);
    let time = x[0];
    add_scaled(&mut x[1..], ratio, &p[1..]);
    let squared = dot(&x[1..], &x[1..]);
    let along = (r - s) * ((r + s) / (p[0] * r + s * time).map(or_one));
    let bent = (p[0] - 1.0) * 0.5 * (squared / r.map(or_one));
    add_scaled(&mut x[1..], (along - bent) * -sign / s.map(or_one), &p[1..]);
}

fn boost(p: &[f64], sign: f64, x: &[f64], out: &mut [f64]) {
    out.copy_from_slice(x);
    boost_in_place(p, sign, out);
}

/// The Euclidean norm of a vector whose square may be no double.
fn length(v: &[f64]) -> f64 {
    let length = norm(v);
    if length < f64::INFINITY {
        return length;
    }
    let scaled: Vec<f64> = v.iter().map(|x| x * (1.0 / NEAR) * (1.0 / NEAR)).collect();
    norm(&scaled) * NEAR * NEAR
}

/// Turns the coordinates of a vector in the frame of `p` into those in the frame of `q` of the same vector, carried
/// along the geodesic.
///
/// Frames are carried from the vertex. So the vector turns in the plane of the vertex, `p` and `q`, from the direction
/// of `q` to that of `p`. It turns by `π` less the sum of the angles of their triangle (Gauss and Bonnet). With the
/// places `X`, `Y` in the Poincaré ball this is `2·arctan(|X∧Y|/(1 − X·Y))` (Ungar 2008, Analytic hyperbolic geometry
/// and Albert Einstein's special theory of relativity, on gyrations). With `D = Y − X`, `X∧Y = X∧D`, and
/// `1 − X·Y = 1/(1 + p₀) + 1/(1 + q₀) + ½|D|²`, in which nothing cancels.
fn turn(p: &[f64], q: &[f64], v: &mut [f64]) {
    let place = |p: &[f64]| p[1..].iter().map(|x| x / (1.0 + p[0])).collect::<Vec<f64>>();
    let (mut along, mut across) = (place(p), place(q));
    add_scaled(&mut across, -1.0, &along);
    let less = 1.0 / (1.0 + p[0]) + 1.0 / (1.0 + q[0]) + 0.5 * dot(&across, &across);
    let out = norm(&along);
    scale(&mut along, 1.0 / or_one(out));
    let radial = dot(&along, &across);
    add_scaled(&mut across, -radial, &along);
    let aside = norm(&across);
    scale(&mut across, 1.0 / or_one(aside));
    let hypotenuse = less.hypot(out * aside);
    let (cos, sin) = (less / hypotenuse, out * aside / hypotenuse); // of half the angle
    let (x, y) = (dot(&along, v), dot(&across, v));
    add_scaled(v, 2.0 * sin * (cos * y - sin * x), &along);
    add_scaled(v, -2.0 * sin * (cos * x + sin * y), &across);
}

/// Carries a vector from the vertex to `p` along the geodesic. Its coordinates in the frame of the vertex are the
/// numbers after the first.
#[inline(always)]
fn carry_from_vertex<T: Real>(p: &[T], v: &mut [T]) {
    // ⟨p, c⟩ = x·c and ⟨e₀, p⟩ = −x₀ in the formula of transport
    v[0] = dot(&p[1..], &v[1..]);
    let factor = v[0] / (p[0] + 1.0);
    add_scaled(&mut v[1..], factor, &p[1..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layout(name: &str) -> Layout {
        Hyperbolic::new(3).unwrap().layouts().into_iter().find(|layout| layout.name() == name).unwrap()
    }

    /// A point of the open ball, by direction and radius.
    fn in_ball() -> impl Strategy<Value = Vec<f64>> {
        let direction = prop::collection::vec(-1.0..1.0f64, 3).prop_filter("a direction", |u| norm(u) > 0.1);
        (direction, 0.0..0.999f64).prop_map(|(u, r)| u.iter().map(|x| x * r / norm(&u)).collect())
    }

    proptest! {
        /// `ρ(u, v) = arcosh(1 + 2|u−v|²/((1−|u|²)(1−|v|²)))` (Ratcliffe 2006, Foundations of hyperbolic manifolds,
        /// theorem 4.5.1).
        #[test]
        fn distances_are_those_of_the_poincare_ball(u in in_ball(), v in in_ball()) {
            let hyperbolic = Hyperbolic::new(3).unwrap();
            let (p, q) = (layout("poincare").read(&u).unwrap(), layout("poincare").read(&v).unwrap());
            prop_assert!(hyperbolic.check_point(&p).is_ok());
            let square = |x: &[f64]| dot(x, x);
            let apart: Vec<f64> = u.iter().zip(&v).map(|(u, v)| u - v).collect();
            let cosh = 1.0 + 2.0 * square(&apart) / ((1.0 - square(&u)) * (1.0 - square(&v)));
            prop_assume!(cosh > 1.001); // acosh loses digits near 1
            prop_assert!((hyperbolic.dist(&p, &q) / cosh.acosh() - 1.0).abs() < 1e-10);
        }

        /// `cosh ρ(k, l) = (1 − ⟨k,l⟩)/√((1−|k|²)(1−|l|²))` (Ratcliffe 2006, theorem 6.1.1).
        #[test]
        fn distances_are_those_of_the_klein_ball(k in in_ball(), l in in_ball()) {
            let hyperbolic = Hyperbolic::new(3).unwrap();
            let (p, q) = (layout("klein").read(&k).unwrap(), layout("klein").read(&l).unwrap());
            prop_assert!(hyperbolic.check_point(&p).is_ok());
            let cosh = (1.0 - dot(&k, &l)) / ((1.0 - dot(&k, &k)) * (1.0 - dot(&l, &l))).sqrt();
            prop_assume!(cosh > 1.001);
            prop_assert!((hyperbolic.dist(&p, &q) / cosh.acosh() - 1.0).abs() < 1e-10);
        }

        #[test]
        fn what_is_written_is_read_again(u in in_ball()) {
            for name in ["poincare", "klein"] {
                let layout = layout(name);
                let point = layout.read(&u).unwrap();
                prop_assert!(layout.check_holds(&point).is_ok());
                prop_assert!(layout.write(&point).iter().zip(&u).all(|(a, b)| (a - b).abs() < 1e-14), "{name}");
            }
        }
    }

    /// One number of the ball is exact, so that the distance from the vertex is known: `ρ = 2·artanh|u|` in the
    /// Poincaré ball, `artanh|k|` in Klein's, with `1 − |u| = 2⁻⁵²`, the last double but one.
    #[test]
    fn points_at_the_edge_are_as_far_as_their_numbers_say() {
        let hyperbolic = Hyperbolic::new(3).unwrap();
        let edge = 1.0 - f64::EPSILON;
        let artanh = 0.5 * ((2.0 - f64::EPSILON).ln() - f64::EPSILON.ln());
        for (name, distance) in [("poincare", 2.0 * artanh), ("klein", artanh)] {
            let point = layout(name).read(&[0.0, edge, 0.0]).unwrap();
            assert!(hyperbolic.check_point(&point).is_ok());
            assert!((hyperbolic.dist(&[1.0, 0.0, 0.0, 0.0], &point) - distance).abs() < 1e-13, "{name}");
        }
        // by exact fractions in Python: 1 - Fraction(0.6)**2 - Fraction(math.nextafter(0.8, 0))**2; squares that are
        // rounded leave 1.11e-16
        let gap = gap_to_sphere(&[0.6, 0.8_f64.next_down(), 0.0]).unwrap();
        assert!((gap / 1.3322676295501878e-16 - 1.0).abs() < 1e-15, "{gap:e}");
    }

    /// Points whose places, seen from `p` in the distance `out`, are known: `p₀·sinh ρ·cos θ + s·cosh ρ` along the
    /// direction to `p` and `sinh ρ·sin θ` across, sums in which nothing cancels for `|θ| < π/2`.
    #[test]
    fn far_points_are_seen_as_well_as_their_numbers_hold_them() {
        let plane = Hyperbolic::new(2).unwrap();
        let turned = |along: f64, across: f64| {
            let mut point = [0.0, 0.6 * along - 0.8 * across, 0.8 * along + 0.6 * across];
            plane.normalize(&mut point);
            point
        };
        for out in [0.5, 5.0, 8.0, 16.0, 24.0_f64] {
            let p = turned(out.sinh(), 0.0);
            for (rho, angle) in [(1e-3_f64, 0.3_f64), (0.5, 1.2), (1.0, -0.7), (3.0, 0.1)] {
                let (along, across) = (rho.sinh() * angle.cos(), rho.sinh() * angle.sin());
                let x = turned(out.cosh() * along + out.sinh() * rho.cosh(), across);
                let allowed = 16.0 * f64::EPSILON * (out + rho).exp();
                let expected = turned(along, across);
                let near = |found: &[f64], wanted: &[f64], by: f64| {
                    assert!(
                        found.iter().zip(wanted).all(|(a, b)| (a - b).abs() <= by),
                        "{out} {rho} {found:?} {wanted:?}"
                    );
                };
                let (mut seen, mut v, mut c, mut back) = ([0.0; 3], [0.0; 3], [0.0; 2], [0.0; 3]);
                plane.to_origin(&p, &x, &mut seen);
                near(&seen, &expected, allowed * rho.cosh());
                let logarithm = [1, 2].map(|i| rho / rho.sinh() * expected[i]);
                plane.log(&p, &x, &mut v).unwrap();
                plane.to_frame(&p, &v, &mut c);
                near(&c, &logarithm, 2.0 * allowed);
                assert!((plane.norm(&p, &v) - rho).abs() <= 2.0 * allowed);
                let x = PointsView { space: plane.space(), values: &x, point_len: 3 };
                plane.frame_logs(&p, x, &mut c);
                // beyond 16 the bound would be of no use for the kernel from near bases, and there is none
                let bound = plane.log_error(rho, out + rho).filter(|_| p[0] < FAR).unwrap_or(0.0);
                near(&c, &logarithm, allowed + bound);
                plane.from_frame(&p, &logarithm, &mut v);
                plane.exp(&p, &v, &mut back);
                assert!(plane.dist(&back, x.values()) <= 4.0 * allowed, "{out} {rho}");
            }
            let mut vertex = p;
            plane.to_origin(&p, &p, &mut vertex);
            assert_eq!(vertex, [1.0, 0.0, 0.0], "{out}");
        }
    }

    /// On an axis, so that numbers hold the direction exactly.
    fn at(t: f64) -> [f64; 3] {
        [t.cosh(), t.sinh(), 0.0]
    }

    /// `ρ = |a − b|` on a line through the vertex, however far apart, and `Log = (b − a)·(sinh a, cosh a)`, to as many
    /// digits as numbers have.
    #[test]
    fn distances_and_logarithms_hold_as_far_as_points_go() {
        let plane = Hyperbolic::new(2).unwrap();
        let places = [-354.0, -353.9, -300.0, -200.0, -178.0, -20.0, 0.0, 1e-3, 2.0, 176.0, 200.0, 353.9, 354.0_f64];
        let line = Hyperbolic::new(1).unwrap();
        for a in places {
            for b in places {
                let (p, q, mut v) = (at(a), at(b), [0.0; 3]);
                let dist = line.dist(&p[..2], &q[..2]);
                assert!((dist - (a - b).abs()).abs() <= 1e-12, "{a} {b} {dist}");
                // in a plane the numbers of far points hold their directions only roughly: points on one side of the
                // vertex need not be on a line with it
                if a * b > 0.0 && a != b {
                    continue;
                }
                assert!(plane.check_point(&p).is_ok());
                let (same, each) = (Operand::Same(&p[..]), Operand::Each(&q[..]));
                let (mut dists, mut logs) = ([0.0], [0.0; 3]);
                plane.dist_many(same, each, &mut dists);
                let dist = plane.dist(&p, &q);
                assert!((dist - (a - b).abs()).abs() <= 1e-12 && dist == dists[0], "{a} {b} {dist}");
                plane.log(&p, &q, &mut v).unwrap();
                plane.log_many(same, each, &mut logs);
                assert_eq!(v, logs, "{a} {b}");
                let are = |v: &[f64], at: f64| {
                    let expected = [(b - a) * at.sinh(), (b - a) * at.cosh(), 0.0];
                    let right = |(v, e): (&f64, &f64)| (v - e).abs() <= 1e-12 * (at.cosh() + e.abs());
                    assert!(v.iter().zip(&expected).all(right), "{a} {b} {v:?} {expected:?}");
                };
                are(&v, a);
                // farther out the numbers of a vector do not hold its coordinates
                if a.abs() < 3.0 {
                    let (mut carried, mut all) = ([0.0; 3], [0.0; 3]);
                    let v = [(b - a) * a.sinh(), (b - a) * a.cosh(), 0.0];
                    plane.transport(&p, &q, &v, &mut carried).unwrap();
                    plane.transport_many(same, each, Operand::Same(&v), &mut all);
                    assert_eq!(carried, all, "{a} {b}");
                    are(&carried, b);
                }
            }
        }
    }

    /// In a plane the velocity of the geodesic says how everything turns; logarithms keep the digits of far points.
    #[test]
    fn far_transports_are_as_good_as_the_numbers_of_points() {
        let space = Hyperbolic::new(3).unwrap();
        let mut generator = <rand_chacha::ChaCha20Rng as rand::SeedableRng>::seed_from_u64(3);
        for out in [0.5, 5.0, 8.0, 12.0, 16.0, 20.0, 24.0_f64] {
            for _ in 0..50 {
                let mut c = [[0.0; 3]; 3];
                c.iter_mut().for_each(|c| crate::manifold::unit_vector(&mut generator, c));
                let (mut p, mut q, [mut v, mut w, mut back]) = ([0.0; 4], [0.0; 4], [[0.0; 4]; 3]);
                p[1..].iter_mut().zip(c[0]).for_each(|(p, c)| *p = out.sinh() * c);
                space.normalize(&mut p);
                space.from_frame(&p, &c[1], &mut v);
                space.exp(&p, &v, &mut q);
                space.log(&p, &q, &mut v).unwrap();
                space.log(&q, &p, &mut back).unwrap();
                let by = if p[0].max(q[0]) < FAR { 16.0 * f64::EPSILON * (2.0 * out + 2.0).exp() } else { 0.0 };
                let allowed = 64.0 * f64::EPSILON * (out + 1.0).exp() + by;
                let carry = |v: &[f64]| {
                    let (mut carried, mut many) = ([0.0; 4], [0.0; 4]);
                    space.transport(&p, &q, v, &mut carried).unwrap();
                    space.transport_many(Operand::Same(&p), Operand::Each(&q), Operand::Same(v), &mut many);
                    assert_eq!(carried, many);
                    carried
                };
                let arriving = carry(&v);
                let sum: Vec<f64> = arriving.iter().zip(&back).map(|(a, b)| a + b).collect();
                assert!(space.norm(&q, &sum) <= allowed, "{out} {}", space.norm(&q, &sum));
                // a vector across the way stays across and keeps its length; a normal one stays normal to the plane of
                // the triangle
                space.from_frame(&p, &c[2], &mut w);
                let turned = carry(&w);
                let kept = space.inner(&q, &turned, &arriving) - space.inner(&p, &w, &v);
                assert!(
                    kept.abs() <= 2.0 * allowed && (space.norm(&q, &turned) - 1.0).abs() <= allowed,
                    "{out} {kept}"
                );
            }
        }
    }

    #[test]
    fn points_whose_distances_are_no_doubles_are_refused() {
        let plane = Hyperbolic::new(2).unwrap();
        for t in [354.3, 355.4, 360.0, 700.0] {
            let reason = plane.check_point(&at(t)).unwrap_err().to_string();
            assert!(reason.contains("farther than 354 from the vertex"), "{reason}");
            assert!(!plane.prechecked_points(&at(t)));
        }
        // a vector that is a double where it is and none where it would be
        let v = [0.0, 0.0, 1e200];
        let mut moved = [0.0; 3];
        assert!(plane.transport(&at(0.0), &at(354.0), &v, &mut moved).is_ok());
        let v = [0.0, 1e200, 0.0];
        let reason = plane.transport(&at(0.0), &at(354.0), &v, &mut moved).unwrap_err().to_string();
        assert!(reason.contains("beyond those of double precision"), "{reason}");
        plane.transport_many(Operand::Same(&at(0.0)), Operand::Same(&at(354.0)), Operand::Same(&v), &mut moved);
        assert!(moved[0].is_nan());
    }

    #[test]
    fn what_is_not_inside_the_ball_is_refused() {
        for name in ["poincare", "klein"] {
            let refused = |u: [f64; 3]| layout(name).read(&u).unwrap_err();
            assert_eq!(refused([0.0, 1.5, 0.0]), "its norm is 1.5, it must be below 1");
            assert_eq!(refused([1.0, 0.0, 0.0]), "its norm is 1, it must be below 1");
            assert_eq!(refused([0.0, 5e200, 0.0]), "its norm is 5e200, it must be below 1");
            assert_eq!(
                layout(name).read(&[0.5, 0.5]).unwrap_err(),
                format!("the layout {name} takes 3 numbers, found 2")
            );
        }
        // so far from the vertex that doubles put the point on the edge of Klein's ball, or of both
        let at = |t: f64| [t.cosh(), t.sinh(), 0.0, 0.0];
        assert!(layout("poincare").check_holds(&at(30.0)).is_ok() && layout("klein").check_holds(&at(30.0)).is_err());
        assert!(layout("poincare").check_holds(&at(300.0)).unwrap_err().contains("edge of the ball"));
    }
}
