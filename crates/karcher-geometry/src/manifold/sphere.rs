//! The unit sphere `S^d` in `R^{d+1}` with the round metric.
//!
//! Curvature 1 (flat for `d = 1`), injectivity radius π. A point is `d + 1` numbers of unit norm.

use super::batch_op::{BatchOp, Operand};
use super::family::{Family, number};
use super::formulas::Formulas;
use super::lanes::{self, Lane, add, each};
use super::layout::Signs;
use super::many::{self, from_formulas};
use super::orientations;
use super::real::Real;
use super::vector::{
    add_scaled, combine, dot, is_negligible, ln_sinc, non_finite, norm, norm_of_difference, norm_of_sum, one_if, scale,
    sinc,
};
use super::{
    AngleUnit, AtypicalOrigin, CURVED_POINT_TOLERANCE, Called, CurvatureBounds, CutLocus, Homogeneity, LARGEST_POINT,
    Layout, Manifold, Model, Remedy, Shape, check_in_frame, check_length, check_size, log_error, unit_rows,
};
use crate::elementary::{LARGEST_ANGLE, atan2, sin_cos, sin_cos_of_few_turns};
use crate::embedding::{Directions, Embedding};
use crate::error::{Error, Result, Short};
use crate::points::PointsView;
use crate::space::Space;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// `‖p + q‖` below which `p` and `q` count as antipodes: rounding alone moves a unit vector that far.
const ANTIPODE: f64 = 1e-14;

/// `sphere:D`.
pub(super) const FAMILY: Family = Family {
    name: "sphere",
    size: "D",
    about: "directions, positions on a globe",
    examples: &["sphere:2", "sphere:1"],
    parse: |size| Some(Sphere::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// The unit sphere `S^d`.
///
/// ```
/// use karcher_geometry::manifold::{Manifold, Sphere};
/// use std::f64::consts::FRAC_PI_2;
/// let sphere = Sphere::new(2)?;
/// let mut end = [0.0; 3];
/// sphere.exp(&[1.0, 0.0, 0.0], &[0.0, FRAC_PI_2, 0.0], &mut end); // a quarter of a great circle
/// assert!(sphere.dist(&end, &[0.0, 1.0, 0.0]) < 1e-15);
/// assert!((sphere.dist(&[1.0, 0.0, 0.0], &end) - FRAC_PI_2).abs() < 1e-15);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
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
    ///
    /// ```
    /// use karcher_geometry::manifold::{Manifold, Sphere};
    /// let circle = Sphere::new(1)?;
    /// assert_eq!((circle.dim(), circle.point_len()), (1, 2));
    /// assert!(Sphere::new(0).is_err());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(d: usize) -> Result<Self> {
        let space = Space::named(format!("sphere:{d}"));
        check_size(&space, d, 1, LARGEST_POINT)?;
        Ok(Self { d, space })
    }

    /// Refuses a vector of NaN.
    fn check_unique(&self, v: &[f64]) -> Result<()> {
        if v[0].is_nan() { Err(Error::CutLocus { space: self.space.clone() }) } else { Ok(()) }
    }
}

impl Formulas for Sphere {
    const FLAT_PRODUCT: bool = true;

    #[inline(always)]
    fn exp<T: Real>(p: &[T], v: &[T], out: &mut [T]) {
        exp(p, v, out, sin_cos_of_few_turns);
    }

    #[inline(always)]
    fn log<T: Real>(p: &[T], q: &[T], out: &mut [T]) {
        log(p, q, p[0].like(1.0), [norm_of_difference(p, q), norm_of_sum(p, q)], out);
    }

    #[inline(always)]
    fn dist<T: Real>(p: &[T], q: &[T]) -> T {
        norm_of_difference(p, q).with(norm_of_sum(p, q), atan2) * 2.0
    }

    #[inline(always)]
    fn transport<T: Real>(p: &[T], q: &[T], v: &[T], out: &mut [T]) {
        transport(p, q, p[0].like(1.0), v, out);
    }

    #[inline(always)]
    fn inner<T: Real>(_p: &[T], u: &[T], v: &[T]) -> T {
        dot(u, v)
    }

    /// By the same sum [`normalize`](Manifold::normalize) computes a factor that is less than `5ε` off 1, and changes
    /// each number by less than `6ε` of it.
    #[inline(always)]
    fn is_point<T: Real>(p: &[T]) -> T {
        is_unit(p)
    }

    /// [`check_tangent`](Manifold::check_tangent) removes `⟨p,v⟩·p`, up to rounding.
    #[inline(always)]
    fn is_tangent<T: Real>(p: &[T], v: &[T]) -> T {
        is_negligible(dot(p, v), v)
    }
}

/// Whether the square of the norm is 1 to `8ε`: 1 if so, else 0.
#[inline(always)]
pub(super) fn is_unit<T: Real>(p: &[T]) -> T {
    dot(p, p).map(|square| one_if((square - 1.0).abs() <= 8.0 * f64::EPSILON))
}

/// Whether there are angles of more turns than vector registers take, which are rare.
fn are_large(v: Operand<'_>, len: usize) -> bool {
    // of a norm that is not larger, and finite; without a branch for each number
    let is_large = |v: &f64| v.is_nan() || v.abs() * len as f64 > LARGEST_ANGLE;
    v.numbers().iter().fold(false, |any, v| any | is_large(v))
}

/// [`Manifold::exp_many`] of a space whose geodesics are those of the sphere.
pub(super) fn exp_many<F: Formulas>(space: &dyn Manifold, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
    let len = space.point_len();
    if !are_large(v, len) {
        return many::exp::<F>(len, p, v, out);
    }
    for (i, out) in out.chunks_exact_mut(len).enumerate() {
        space.exp(p.row(i, len), v.row(i, len), out);
    }
}

/// [`Manifold::prechecked_many`] of such a space.
pub(super) fn prechecked_many<F: Formulas>(len: usize, operation: BatchOp<'_>, out: &mut [f64]) -> bool {
    let is_large = matches!(operation, BatchOp::Exp([_, v]) if are_large(v, len));
    !is_large && many::prechecked::<F>(len, operation, out)
}

/// `Exp_p(v)`, given the function that computes sine and cosine.
#[inline(always)]
pub(super) fn exp<T: Real>(p: &[T], v: &[T], out: &mut [T], sin_cos: impl Fn(f64) -> (f64, f64)) {
    let t = norm(v);
    let cos = t.map(|t| sin_cos(t).1);
    let sinc = t.map(|t| if t < 1e-4 { 1.0 - t * t / 6.0 } else { sin_cos(t).0 / t });
    combine(cos, p, sinc, v, out);
    scale(out, t.like(1.0) / norm(out));
}

/// `Log_p(±q)`, NaN at antipodes, from the distances of `±q` and of its antipode from `p` as the crow flies.
#[inline(always)]
pub(super) fn log<T: Real>(p: &[T], q: &[T], sign: T, [chord, cochord]: [T; 2], out: &mut [T]) {
    combine(sign, q, chord * 0.5 * chord - 1.0, p, out);
    let off_tangent = dot(p, out);
    add_scaled(out, off_tangent * -1.0, p);
    let length = norm(out);
    let arc = chord.with(cochord, atan2) * 2.0;
    let factor = arc.with(length, |arc, length| if length > 0.0 { arc / length } else { 1.0 });
    scale(out, factor.with(cochord, |factor, cochord| if cochord <= ANTIPODE { f64::NAN } else { factor }));
}

/// `v` carried to `±q`, NaN at antipodes.
#[inline(always)]
pub(super) fn transport<T: Real>(p: &[T], q: &[T], sign: T, v: &[T], out: &mut [T]) {
    combine(sign.like(1.0), p, sign, q, out);
    let squared = dot(out, out);
    // ⟨p, v⟩ = 0, so ⟨p+q, v⟩ = ⟨q, v⟩
    let factor = sign * -2.0 * dot(q, v) / squared;
    let factor = factor.with(squared, |factor, squared| if squared <= ANTIPODE * ANTIPODE { f64::NAN } else { factor });
    for (o, v) in out.iter_mut().zip(v) {
        *o = *v + factor * *o;
    }
}

impl Manifold for Sphere {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: super::OwnSpace) -> bool {
        true
    }

    fn embedding(&self) -> Option<Box<dyn Embedding>> {
        Some(Box::new(Directions { len: self.point_len() }))
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

    fn normalize_points(&self, values: &mut [f64]) -> bool {
        unit_rows::normalize(self.point_len(), values)
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
        exp(p, v, out, sin_cos);
    }

    /// `Log_p(q) = ρ·w/‖w‖` with `w = q − ⟨p,q⟩·p`, written as `(q − p) + ½‖q − p‖²·p` so that near points keep their
    /// digits.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        <Self as Formulas>::log(p, q, out);
        self.check_unique(out)
    }

    /// `ρ = 2·atan2(‖p − q‖, ‖p + q‖)`, accurate from 0 to π where `acos⟨p,q⟩` loses half the digits.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        <Self as Formulas>::dist(p, q)
    }

    fn exp_many(&self, p: Operand<'_>, v: Operand<'_>, out: &mut [f64]) {
        exp_many::<Self>(self, p, v, out);
    }

    fn prechecked_many(&self, operation: BatchOp<'_>, out: &mut [f64]) -> bool {
        prechecked_many::<Self>(self.point_len(), operation, out)
    }

    from_formulas!(
        log_many,
        dist_many,
        dist_matrix,
        transport_many,
        inner_many,
        norm_many,
        prechecked_points,
        prechecked_tangents
    );

    fn inner(&self, _p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        dot(u, v)
    }

    /// The reflection that swaps `p` and `−q`: `v − 2⟨p+q,v⟩/‖p+q‖²·(p+q)`.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        <Self as Formulas>::transport(p, q, v, out);
        self.check_unique(out)
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

    /// From one reflection for all points (`Reflected`).
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        let kernel = Reflected { base, antipodes: Antipodes::Apart };
        lanes::logs(&kernel, base.len(), points.values(), self.d, coordinates);
    }

    fn log_error(&self, reach: f64, _spread: f64) -> Option<f64> {
        log_error::sphere(self.point_len(), reach)
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

    /// Unit vectors; on the circle angles too. On `sphere:2` latitudes or colatitudes and longitudes, right
    /// ascensions and declinations of the sky, declinations and inclinations of directions in the Earth, and elevations
    /// and azimuths.
    fn layouts(&self) -> Vec<Layout> {
        let vectors = vec![vectors(self.d)];
        match self.d {
            1 => [vectors, angles(1.0)].concat(),
            2 => {
                let others = [
                    latitudes_and_longitudes(),
                    vec![right_ascension(), orientations::of_directions(), elevation()],
                    colatitudes_and_longitudes(),
                ];
                [vectors, others.concat().into_iter().map(orientations::no_planes).collect()].concat()
            }
            _ => vectors,
        }
    }

    fn distances_are_angles(&self) -> bool {
        true
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(AtypicalOrigin {
            because: "no point of a sphere is more typical than any other",
            instead: "a point that the records are expected around",
            origin: "the first unit vector, 0° N, 0° E on a globe",
        })
    }

    /// `sphere:1` is a circle.
    fn model(&self) -> Model {
        if self.d == 1 { Model::Circle { length: 2.0 * PI } } else { Model::Sphere { curvature: 1.0 } }
    }

    fn max_step(&self) -> f64 {
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

const X: Called = Called::new("x", &[], &["x", "u"]);
const Y: Called = Called::new("y", &[], &["y", "v"]);
const Z: Called = Called::new("z", &[], &["z", "w"]);
const COSINE: Called = Called::new("cosine", &["cos", "cosine"], &["x", "u"]);
const SINE: Called = Called::new("sine", &["sin", "sine"], &["y", "v"]);
/// In geodesy `x` is north; elsewhere longitudes are drawn along it.
const LATITUDE: Called = Called::new(
    "latitude",
    &["latitude", "lat", "lats", "plat", "xlat", "latitud", "latitudine", "breite", "breitengrad"],
    &["y", "b", "phi", "φ", "ϕ", "dec", "de", "decl", "declination", "elevation", "elev", "el", "altitude", "alt"],
);
const LONGITUDE: Called = Called::new(
    "longitude",
    &[
        "longitude",
        "lon",
        "lng",
        "long",
        "longs",
        "lons",
        "plon",
        "plong",
        "xlong",
        "xlon",
        "longitud",
        "longitudine",
        "länge",
        "laenge",
        "längengrad",
        "laengengrad",
    ],
    &["x", "l", "lambda", "lam", "λ", "ra", "rightascension", "azimuth", "azi", "az"],
);
/// Angles from the pole or the vertical. No other layout has them, so that one of these words alone says the layout.
const FROM_POLE: &[&str] = &[
    "colatitude",
    "colatitudes",
    "colat",
    "colats",
    "kolatitude",
    "codeclination",
    "coelevation",
    "coaltitude",
    "zenith",
    "zenithangle",
    "zenithdistance",
    "zenithdist",
    "zenithal",
    "zen",
    "zenit",
    "zenitwinkel",
    "zd",
    "sza",
    "vza",
    "oza",
    "iza",
    "polar",
    "polarangle",
    "polardistance",
    "npd",
    "incidence",
    "incidenceangle",
    "angleofincidence",
    "inclinationfromvertical",
    "fromvertical",
    "fromzenith",
    "fromnormal",
    "slope",
    "slopeangle",
    "surfacetilt",
    "paneltilt",
    "moduletilt",
    "theta",
    "θ",
    "ϑ",
];
/// `θ` is the colatitude and `φ` the longitude, as in ISO 80000-2 and in Mardia and Jupp (2000).
const COLATITUDE: Called = Called::new("colatitude", FROM_POLE, &["thetas", "th"]);
const LONGITUDE_OR_AZIMUTH: Called = Called::new(
    "longitude",
    &[
        "longitude",
        "lon",
        "lng",
        "long",
        "longitud",
        "azimuth",
        "azimuthal",
        "azimuthangle",
        "azimuthalangle",
        "azi",
        "az",
        "azim",
        "saa",
        "vaa",
        "oaa",
        "iaa",
        "bearing",
        "heading",
        "ra",
        "rightascension",
        "phi",
        "φ",
        "ϕ",
    ],
    &["phis", "ph", "lambda", "lam", "λ", "l"],
);
const ELEVATION: Called = Called::new("elevation", &["elevation", "elev", "el", "altitude", "alt", "pitch"], &[]);
const AZIMUTH: Called =
    Called::new("azimuth", &["azimuth", "azimuthal", "azi", "az", "azim", "bearing", "heading", "yaw"], &[]);
const RIGHT_ASCENSION: Called = Called::new("right ascension", &["ra", "rightascension", "raj", "rightasc"], &["α"]);
const DECLINATION: Called = Called::new("declination", &["dec", "de", "decl", "declination", "dej", "decj"], &["δ"]);

/// Unit vectors in `d + 1` dimensions. In many of them one order of the numbers is as good as another.
pub(super) fn vectors(d: usize) -> Layout {
    let advise = move |record: &[f64], is_rounded: bool| match is_rounded || norm(record) == 0.0 {
        true => None,
        false if may_hold_angles(d, record) => Some(Remedy::Angles),
        false => Some(Remedy::Projected { condition: "if only its direction counts" }),
    };
    let vectors = Layout::plain("vectors", d + 1).advising(advise);
    match d {
        1 => vectors.called(&[COSINE, SINE]),
        2 => vectors.called(&[X, Y, Z]),
        _ => vectors,
    }
}

/// Whether as many numbers as a point has angles could be angles in degrees: a declination, an inclination and a
/// length, a bearing and a speed.
fn may_hold_angles(d: usize, record: &[f64]) -> bool {
    d <= 2 && record.iter().filter(|x| x.abs() <= 360.0).count() >= d
}

/// `latlon` and `latlon-radians`: latitude φ and longitude λ of the unit vector `(cos φ cos λ, cos φ sin λ, sin φ)`.
pub(super) fn latitudes_and_longitudes() -> Vec<Layout> {
    let radians = |p: &[f64]| [p[2].atan2(p[0].hypot(p[1])), p[1].atan2(p[0])];
    let degrees = move |p: &[f64]| radians(p).map(f64::to_degrees).to_vec();
    let latlon = Layout::new("latlon", 2, |r| unit_vector(r[0], r[1]), degrees);
    let in_radians = move |p: &[f64]| radians(p).to_vec();
    let latlon_radians = Layout::new("latlon-radians", 2, |r| unit_vector_of_radians(r[0], r[1]), in_radians);
    let named = |layout: Layout| {
        let layout = layout.columns(&["latitude", "longitude"]).called(&[LATITUDE, LONGITUDE]);
        let metres = "they are lengths on a map: convert them to latitude and longitude";
        layout.not_of_any(&["easting", "northing"], metres).with_signs(Signs::Hemispheres)
    };
    vec![
        named(latlon).angles_in(AngleUnit::Degrees).periodic(&[1], 360.0).told(),
        named(latlon_radians).angles_in(AngleUnit::Radians).periodic(&[1], TAU),
    ]
}

/// `colatitude-longitude` and `colatitude-longitude-radians`: the angle θ from the pole, of the unit vector
/// `(sin θ cos φ, sin θ sin φ, cos θ)`, and the longitude φ. With a zenith angle for θ, φ is the azimuth.
pub(super) fn colatitudes_and_longitudes() -> Vec<Layout> {
    let named = |layout: Layout| {
        layout
            .columns(&["colatitude", "longitude"])
            .called(&[COLATITUDE, LONGITUDE_OR_AZIMUTH])
            .kind(FROM_POLE)
            .with_signs(Signs::Hemispheres)
    };
    let radians = |p: &[f64]| vec![p[0].hypot(p[1]).atan2(p[2]), p[1].atan2(p[0])];
    let degrees = move |p: &[f64]| radians(p).iter().map(|x| x.to_degrees()).collect();
    vec![
        named(Layout::new("colatitude-longitude", 2, |r| by_colatitude(r, AngleUnit::Degrees), degrees))
            .angles_in(AngleUnit::Degrees)
            .periodic(&[1], 360.0)
            .told(),
        named(Layout::new("colatitude-longitude-radians", 2, |r| by_colatitude(r, AngleUnit::Radians), radians))
            .angles_in(AngleUnit::Radians)
            .periodic(&[1], TAU),
    ]
}

/// The unit vector of a colatitude and a longitude.
fn by_colatitude(r: &[f64], unit: AngleUnit) -> Result<Vec<f64>, String> {
    let (half, as_written, in_radians): (f64, _, fn(f64) -> f64) = match unit {
        AngleUnit::Degrees => (180.0, "0 to 180 degrees", f64::to_radians),
        AngleUnit::Radians => (PI, "0 to π radians", |angle| angle),
    };
    let (colatitude, longitude, slack) = (r[0], r[1], 1e-11 * half);
    let is_colatitude = |x: f64| (-slack..=half + slack).contains(&x);
    let advice = match unit {
        AngleUnit::Radians if r.iter().any(|x| x.abs() > TAU + slack) => {
            "; if the numbers are degrees, choose the layout colatitude-longitude"
        }
        _ if colatitude < 0.0 && colatitude >= -0.5 * half => "; if it is a latitude, choose the layout latlon",
        _ if is_colatitude(longitude) => "; if longitude comes first, choose the columns in the other order",
        _ => "",
    };
    if !is_colatitude(colatitude) {
        return Err(format!("colatitude {} is outside {as_written}{advice}", Short(colatitude)));
    }
    if longitude.abs() > 2.0 * half + slack {
        let turns = if unit == AngleUnit::Degrees { orientations::TURNS } else { advice };
        return Err(format!("longitude {} is more than a turn{turns}", Short(longitude)));
    }
    let ((sin_c, cos_c), (sin_l, cos_l)) = (in_radians(colatitude).sin_cos(), in_radians(longitude).sin_cos());
    Ok(vec![sin_c * cos_l, sin_c * sin_l, cos_c])
}

/// `ra-dec`: right ascension α and declination δ in degrees, of the unit vector `(cos δ cos α, cos δ sin α, sin δ)`.
fn right_ascension() -> Layout {
    let write = |p: &[f64]| {
        let (ascension, declination) = orientations::angles(p);
        vec![ascension, declination]
    };
    let read = |r: &[f64]| {
        let words =
            |sentence: String| sentence.replace("latitude", "declination").replace("longitude", "right ascension");
        unit_vector(r[1], r[0]).map_err(words)
    };
    let layout = Layout::new("ra-dec", 2, read, write).columns(&["right ascension", "declination"]);
    layout
        .called(&[RIGHT_ASCENSION, DECLINATION])
        .with_signs(Signs::Hemispheres)
        .angles_in(AngleUnit::Degrees)
        .periodic(&[0], 360.0)
        .told()
}

/// `elevation-azimuth`: elevation φ above the horizon and azimuth λ in degrees, written from 0 to below 360, of the
/// same unit vector as a latitude and a longitude. These are directions, and no places.
fn elevation() -> Layout {
    let write = |p: &[f64]| {
        let (azimuth, elevation) = orientations::angles(p);
        vec![elevation, azimuth]
    };
    let read = |r: &[f64]| {
        let words = |sentence: String| sentence.replace("latitude", "elevation").replace("longitude", "azimuth");
        unit_vector(r[0], r[1]).map_err(words)
    };
    let layout = Layout::new("elevation-azimuth", 2, read, write).columns(&["elevation", "azimuth"]);
    layout.called(&[ELEVATION, AZIMUTH]).angles_in(AngleUnit::Degrees).periodic(&[1], 360.0).told()
}

/// `degrees` and `radians`: the angle φ of the unit vector `(cos φ, sin φ)`, which a share of a turn leaves as it is.
pub(super) fn angles(share: f64) -> Vec<Layout> {
    let angle = |p: &[f64]| p[1].atan2(p[0]);
    let read_degrees = |r: &[f64]| on_circle(r[0].to_radians(), &format!("{} degrees is", Short(r[0])), "");
    let advice = "; if the numbers are degrees, choose the layout degrees";
    let read_radians = move |r: &[f64]| on_circle(r[0], &format!("{} radians is", Short(r[0])), advice);
    let degrees = Layout::new("degrees", 1, read_degrees, move |p| vec![angle(p).to_degrees()]);
    let radians = Layout::new("radians", 1, read_radians, move |p| vec![angle(p)]);
    vec![
        degrees.columns(&["angle"]).angles_in(AngleUnit::Degrees).periodic(&[0], 360.0 * share).told(),
        radians.columns(&["angle"]).angles_in(AngleUnit::Radians).periodic(&[0], TAU * share),
    ]
}

/// The unit vector of a latitude and a longitude in degrees.
fn unit_vector(latitude: f64, longitude: f64) -> Result<Vec<f64>, String> {
    // 90 degrees in radians are 90.00000000000001 back in degrees
    if latitude.abs() > 90.0 + 1e-9 {
        let swapped = if longitude.abs() <= 90.0 {
            "; if longitude comes first, choose the columns in the other order"
        } else {
            ""
        };
        return Err(format!("latitude {} is outside -90 to 90 degrees{swapped}", Short(latitude)));
    }
    if longitude.abs() > 360.0 + 1e-9 {
        return Err(format!("longitude {} is outside -360 to 360 degrees{}", Short(longitude), orientations::TURNS));
    }
    let ((sin_lat, cos_lat), (sin_lon, cos_lon)) = (latitude.to_radians().sin_cos(), longitude.to_radians().sin_cos());
    Ok(vec![cos_lat * cos_lon, cos_lat * sin_lon, sin_lat])
}

/// [`unit_vector`] of radians, where the numbers in a sentence are those of the record.
fn unit_vector_of_radians(latitude: f64, longitude: f64) -> Result<Vec<f64>, String> {
    let slack = 1e-11;
    let degrees = "; if the numbers are degrees, choose the layout latlon";
    if latitude.abs() > 0.5 * PI + slack {
        // a number that is no longitude in radians is in degrees
        let advice = match latitude.abs() <= 2.0 * PI + slack && longitude.abs() <= 0.5 * PI + slack {
            true => "; if longitude comes first, choose the columns in the other order",
            false => degrees,
        };
        return Err(format!("latitude {} is outside -π/2 to π/2 radians{advice}", Short(latitude)));
    }
    if longitude.abs() > 2.0 * PI + slack {
        return Err(format!("longitude {} is outside -2π to 2π radians{degrees}", Short(longitude)));
    }
    unit_vector(latitude.to_degrees(), longitude.to_degrees())
}

/// `(cos φ, sin φ)` of an angle φ, where more than a few turns are a mistake of units.
fn on_circle(radians: f64, given: &str, advice: &str) -> Result<Vec<f64>, String> {
    if radians.abs() > 4.0 * PI + 1e-9 {
        return Err(format!("an angle of {given} more than two turns{advice}"));
    }
    Ok(vec![radians.cos(), radians.sin()])
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

/// The relation of `x` and `−x`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Antipodes {
    /// Points of the sphere, farthest apart.
    Apart,
    /// The same point of projective space, with no logarithm where `|⟨p,x⟩|` is at most the number.
    Same { perpendicular: f64 },
}

/// Coordinates of logarithms by the reflection that carries the base `p` to `∓e₀`: those but the first of the image of
/// a unit vector `x` are a vector `y` of length `sin ρ` in the direction of `Log_p(x)`.
///
/// The reflection carries multiples of `p` to where they do not count, so it is applied to `z = x ∓ p`, whichever is
/// shorter: errors are relative to its length, and nothing is lost where `x` is near to `p` or to `−p`.
pub(super) struct Reflected<'a> {
    pub(super) base: &'a [f64],
    pub(super) antipodes: Antipodes,
}

impl lanes::Kernel for Reflected<'_> {
    #[inline(always)]
    fn directions(&self, x: &mut [Lane], y: &mut [Lane]) -> [Lane; 2] {
        let p = &self.base[..x.len()];
        let sign = 1.0_f64.copysign(p[0]);
        let dot = |x: &[Lane]| {
            let mut sum = each(|_| 0.0);
            x.iter().zip(p).for_each(|(x, p)| add(&mut sum, |l| p * x[l]));
            sum
        };
        let cosine = dot(x);
        // x ∓ p on the sphere, ±x − p of axes
        let side = each(|l| 1.0_f64.copysign(cosine[l]));
        let (of_x, of_p) = match self.antipodes {
            Antipodes::Apart => (each(|_| 1.0), side),
            Antipodes::Same { .. } => (side, each(|_| 1.0)),
        };
        x.iter_mut().zip(p).for_each(|(x, p)| *x = each(|l| of_x[l] * x[l] - of_p[l] * p));
        let along = dot(x);
        let factor = each(|l| -(along[l] + sign * x[0][l]) / (1.0 + p[0].abs()));
        let mut squared = each(|_| 0.0);
        for ((y, z), p) in y.iter_mut().zip(&x[1..]).zip(&p[1..]) {
            *y = each(|l| z[l] + factor[l] * p);
            add(&mut squared, |l| y[l] * y[l]);
        }
        [squared, cosine]
    }

    #[inline(always)]
    fn angle(&self, sine: f64, cosine: f64) -> f64 {
        match self.antipodes {
            Antipodes::Apart => {
                let angle = atan2(sine, cosine);
                if cosine < 0.0 && sine <= ANTIPODE { f64::NAN } else { angle }
            }
            Antipodes::Same { perpendicular } => {
                // the coordinates of an axis, whichever end of it the base is
                let angle = 1.0_f64.copysign(self.base[0]) * atan2(sine, cosine.abs());
                if cosine.abs() <= perpendicular { f64::NAN } else { angle }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(layouts: &[Layout], name: &str, record: &[f64]) -> Result<Vec<f64>, String> {
        layouts.iter().find(|layout| layout.name() == name).unwrap().read(record)
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn latitude_and_longitude_are_measured_from_the_equator_and_greenwich() {
        let layouts = latitudes_and_longitudes();
        for (record, expected) in [
            ([0.0, 0.0], [1.0, 0.0, 0.0]),
            ([0.0, 90.0], [0.0, 1.0, 0.0]),
            ([0.0, -90.0], [0.0, -1.0, 0.0]),
            ([90.0, 123.0], [0.0, 0.0, 1.0]),
            ([-45.0, 180.0], [-(0.5f64.sqrt()), 0.0, -(0.5f64.sqrt())]),
        ] {
            assert!(close(&read(&layouts, "latlon", &record).unwrap(), &expected), "{record:?}");
        }
        let error = read(&layouts, "latlon", &[90.5, 0.0]).unwrap_err();
        assert!(error.starts_with("latitude 90.5 is outside -90 to 90 degrees; if longitude comes first"), "{error}");
        let error = read(&layouts, "latlon", &[139.7, 135.0]).unwrap_err();
        assert_eq!(error, "latitude 139.7 is outside -90 to 90 degrees");
        assert!(read(&layouts, "latlon", &[0.0, -360.5]).is_err());
        assert_eq!(read(&layouts, "latlon", &[0.0]).unwrap_err(), "the layout latlon takes 2 numbers, found 1");
        assert_eq!(read(&layouts, "latlon", &[0.0, f64::NAN]).unwrap_err(), "number 2 is NaN");
    }

    #[test]
    fn right_ascensions_are_longitudes_of_the_sky() {
        let layouts = Sphere::new(2).unwrap().layouts();
        for record in [[83.6, 22.0], [0.0, -90.0], [266.4, -29.0]] {
            let [ascension, declination] = record;
            let expected = read(&layouts, "latlon", &[declination, ascension]).unwrap();
            assert_eq!(read(&layouts, "ra-dec", &record).unwrap(), expected);
        }
        let error = read(&layouts, "ra-dec", &[10.0, 95.0]).unwrap_err();
        assert!(error.starts_with("declination 95 is outside -90 to 90 degrees"), "{error}");
    }

    /// ISO 80000-2, 17: `x = r sin ϑ cos φ, y = r sin ϑ sin φ, z = r cos ϑ`; Mardia and Jupp (2000), 9.1.1, and R's
    /// Directional have the same θ and φ. A zenith angle is 90° minus the elevation.
    #[test]
    fn colatitudes_are_angles_from_the_pole() {
        let layouts = Sphere::new(2).unwrap().layouts();
        let of = |name: &str, record: &[f64]| read(&layouts, name, record).unwrap();
        for (record, expected) in [
            ([0.0, 123.0], [0.0, 0.0, 1.0]),
            ([90.0, 0.0], [1.0, 0.0, 0.0]),
            ([90.0, 90.0], [0.0, 1.0, 0.0]),
            ([180.0, 7.0], [0.0, 0.0, -1.0]),
            ([60.0, 30.0], [0.75, 0.75_f64.sqrt() / 2.0, 0.5]),
        ] {
            assert!(close(&of("colatitude-longitude", &record), &expected), "{record:?}");
            let radians = record.map(f64::to_radians);
            assert!(close(&of("colatitude-longitude-radians", &radians), &expected), "{record:?}");
        }
        assert!(close(&of("colatitude-longitude", &[10.0, 160.0]), &of("elevation-azimuth", &[80.0, 160.0])));
        for (name, record, words) in [
            (
                "colatitude-longitude",
                [-33.0, 151.0],
                "colatitude -33 is outside 0 to 180 degrees; if it is a latitude, choose",
            ),
            (
                "colatitude-longitude",
                [200.0, 30.0],
                "colatitude 200 is outside 0 to 180 degrees; if longitude comes first",
            ),
            ("colatitude-longitude", [20.0, 400.0], "longitude 400 is more than a turn; take whole turns"),
            (
                "colatitude-longitude-radians",
                [33.0, 1.0],
                "if the numbers are degrees, choose the layout colatitude-longitude",
            ),
        ] {
            let error = read(&layouts, name, &record).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (space, records) in [
            (2, vec![[50.07, 14.43], [-89.9, -179.0], [1e-9, 1e-9], [0.0, 90.0]]),
            (1, vec![[50.07, 0.0], [-179.0, 0.0], [1e-9, 0.0]]),
        ] {
            for layout in Sphere::new(space).unwrap().layouts().iter().filter(|layout| layout.angle_unit().is_some()) {
                let unit = if layout.angle_unit() == Some(AngleUnit::Degrees) { 1.0 } else { 1f64.to_radians() };
                for &[latitude, longitude] in &records {
                    let record = match layout.name() {
                        "ra-dec" | "declination-inclination" => [f64::rem_euclid(longitude, 360.0), latitude],
                        "elevation-azimuth" => [latitude, f64::rem_euclid(longitude, 360.0)],
                        "colatitude-longitude" | "colatitude-longitude-radians" => [90.0 - latitude, longitude],
                        _ => [latitude, longitude],
                    };
                    let record: Vec<f64> = record[..layout.numbers()].iter().map(|x| x * unit).collect();
                    let written = layout.write(&layout.read(&record).unwrap());
                    assert!(close(&written, &record), "{layout:?} {record:?} {written:?}");
                }
            }
        }
    }

    #[test]
    fn sentences_about_angles_have_the_numbers_of_the_record_and_name_the_other_unit() {
        let layouts = [latitudes_and_longitudes(), angles(1.0)].concat();
        for (name, record, number, advice) in [
            ("latlon-radians", vec![50.07, 14.43], "latitude 50.07 is", "choose the layout latlon"),
            ("latlon-radians", vec![0.7, 14.43], "longitude 14.43 is", "choose the layout latlon"),
            ("latlon-radians", vec![2.9, 0.7], "latitude 2.9 is", "if longitude comes first"),
            ("radians", vec![270.0], "angle of 270 radians", "choose the layout degrees"),
            ("latlon", vec![1e300, 200.0], "latitude 1e300 is", "degrees"),
        ] {
            let error = read(&layouts, name, &record).unwrap_err();
            assert!(error.contains(number) && error.contains(advice), "{error}");
        }
        let ends = [PI / 2.0, 2.0 * PI];
        assert!(close(&read(&layouts, "latlon-radians", &ends).unwrap(), &[0.0, 0.0, 1.0]));
    }

    #[test]
    fn angles_of_the_circle_are_directions() {
        for (name, angle) in [("degrees", 450.0), ("radians", 2.5 * PI), ("degrees", -270.0)] {
            assert!(close(&read(&angles(1.0), name, &[angle]).unwrap(), &[0.0, 1.0]), "{name}");
        }
        assert!(read(&angles(1.0), "radians", &[90.0]).unwrap_err().contains("more than two turns"));
    }
}
