//! Kendall's shape space `Σ₂^k` of `k` planar landmarks: configurations modulo translation, scale and rotation.
//!
//! With landmarks as complex numbers it is the complex projective space `CP^m`, `m = k − 2`, of real dimension `2m`.
//! Curvature from 1 to 4 (constant 4 for triangles, `k = 3`), injectivity radius π/2. A point is a centered
//! configuration of unit norm, `x₁ y₁ x₂ y₂ …`; `z` and `e^{iα}z` are the same point. A tangent vector at `z` is
//! horizontal: `Σ z̄ⱼvⱼ = 0` and `Σ vⱼ = 0`.

use super::batch_op::Operand;
use super::family::{Family, number};
use super::helmert::{helmert, helmert_transpose};
use super::landmarks::Configurations;
use super::lanes::{self, Lane, add, each};
use super::vector::{
    add_scaled, combine, dot, is_negligible, largest, ln_sinc, non_finite, norm, norm_of_difference, norm_of_sum,
    scale, sinc,
};
use super::{
    AtypicalOrigin, CURVED_POINT_TOLERANCE, CurvatureBounds, CutLocus, Homogeneity, LARGEST_POINT, Layout, Manifold,
    Model, Shape, check_in_frame, check_length, check_size, log_error,
};
use crate::elementary::atan2;
use crate::embedding::{Embedding, Projectors};
use crate::error::{Error, Result};
use crate::points::PointsView;
use crate::space::Space;
use num_complex::Complex64;
use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

/// `|⟨p,q⟩|` below which two shapes count as farthest apart: rounding alone moves it that far.
const CUT_LOCUS: f64 = 1e-14;

/// `kendall:K`.
pub(super) const FAMILY: Family = Family {
    name: "kendall",
    size: "K",
    about: "outlines of K landmarks",
    examples: &["kendall:50"],
    parse: |size| Some(Kendall::new(number(size)?).map(|space| Arc::new(space) as _)),
};

/// Shapes of `k` planar landmarks.
///
/// ```
/// use karcher_geometry::manifold::{Kendall, Manifold};
/// let triangles = Kendall::new(3)?;
/// let mut small = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
/// let mut turned = [7.0, 7.0, 7.0, 9.0, 5.0, 7.0]; // moved, turned by a right angle, twice as large
/// let mut mirrored = [0.0, 0.0, -1.0, 0.0, 0.0, 1.0];
/// for triangle in [&mut small, &mut turned, &mut mirrored] {
///     triangles.preshape(triangle)?;
/// }
/// assert!(triangles.dist(&small, &turned) < 1e-15);
/// assert!(triangles.dist(&small, &mirrored) > 1.0); // a mirror image is another shape
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Kendall {
    k: usize,
    space: Space,
}

impl Kendall {
    /// Shapes of `k ≥ 3` landmarks.
    ///
    /// # Errors
    /// [`Error::InvalidSize`].
    ///
    /// ```
    /// use karcher_geometry::manifold::{Kendall, Manifold};
    /// let shapes = Kendall::new(50)?;
    /// assert_eq!((shapes.dim(), shapes.point_len()), (96, 100)); // 2k less translation, scale and rotation
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn new(k: usize) -> Result<Self> {
        let space = Space::named(format!("kendall:{k}"));
        check_size(&space, k, 3, LARGEST_POINT)?;
        Ok(Self { k, space })
    }

    /// Makes any configuration of landmarks, `x₁ y₁ x₂ y₂ …`, a point: centered and of unit norm.
    ///
    /// # Errors
    /// [`Error::InvalidPoint`] when a number is not finite, or all landmarks coincide.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Kendall, Manifold};
    /// let triangles = Kendall::new(3)?;
    /// let mut landmarks = [10.0, 10.0, 13.0, 10.0, 10.0, 14.0];
    /// assert!(triangles.check_point(&landmarks).is_err());
    /// triangles.preshape(&mut landmarks)?;
    /// assert!(triangles.check_point(&landmarks).is_ok());
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
    pub fn preshape(&self, landmarks: &mut [f64]) -> Result<()> {
        check_length(self, landmarks)?;
        let invalid = |reason| Err(Error::InvalidPoint { space: self.space.clone(), reason });
        if let Some(reason) = non_finite(landmarks) {
            return invalid(reason);
        }
        // the largest coordinate becomes 1 first, so that neither sums nor squares overflow
        let largest = landmarks.iter().fold(f64::MIN_POSITIVE, |m: f64, x| m.max(x.abs()));
        landmarks.iter_mut().for_each(|x| *x /= largest);
        let center = centroid(landmarks);
        let apart = complex(landmarks).map(|z| (z - center).norm_sqr()).sum::<f64>().sqrt();
        // coincident landmarks leave a rounding error of the mean, not 0
        if apart <= 1e-12 {
            return invalid("all landmarks coincide, so there is no shape".to_owned());
        }
        self.normalize(landmarks);
        Ok(())
    }

    /// Turns `q` so that it lies nearest to `p` (`⟨p,q⟩` real and not negative) and returns the rotation that was
    /// undone, `⟨p,q⟩/|⟨p,q⟩|`.
    ///
    /// # Errors
    /// [`Error::CutLocus`] where every turn is as near.
    fn turn_to(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<Complex64> {
        let product = hermitian(p, q);
        let size = product.norm();
        if size <= CUT_LOCUS {
            return Err(Error::CutLocus { space: self.space.clone() });
        }
        let rotation = product / size;
        rotate(q, rotation.conj(), out);
        Ok(rotation)
    }
}

impl Manifold for Kendall {
    fn space(&self) -> &Space {
        &self.space
    }

    fn is_own(&self, _: super::OwnSpace) -> bool {
        true
    }

    fn embedding(&self) -> Option<Box<dyn Embedding>> {
        Some(Box::new(Projectors::shapes(self.k)))
    }

    fn dim(&self) -> usize {
        2 * (self.k - 2)
    }

    fn point_len(&self) -> usize {
        2 * self.k
    }

    /// The regular polygon.
    fn origin(&self, out: &mut [f64]) {
        let size = 1.0 / (self.k as f64).sqrt();
        for (j, z) in out.chunks_exact_mut(2).enumerate() {
            let angle = 2.0 * PI * j as f64 / self.k as f64;
            z[0] = size * angle.cos();
            z[1] = size * angle.sin();
        }
        self.normalize(out);
    }

    fn check_point(&self, p: &[f64]) -> Result<()> {
        check_length(self, p)?;
        let invalid = |reason| Err(Error::InvalidPoint { space: self.space.clone(), reason });
        if let Some(reason) = non_finite(p) {
            return invalid(reason);
        }
        let length = norm(p);
        if (length - 1.0).abs() > CURVED_POINT_TOLERANCE {
            return invalid(format!("the landmarks' norm is {length}, it must be 1"));
        }
        let offset = centroid(p).norm();
        if offset > CURVED_POINT_TOLERANCE {
            return invalid(format!("the landmarks' centroid is {offset} away from 0"));
        }
        Ok(())
    }

    fn normalize(&self, p: &mut [f64]) {
        let c = centroid(p);
        for z in p.chunks_exact_mut(2) {
            z[0] -= c.re;
            z[1] -= c.im;
        }
        scale(p, 1.0 / norm(p));
    }

    fn check_tangent(&self, p: &[f64], v: &[f64]) -> Result<()> {
        check_in_frame(self, p, v)
    }

    /// Centered and of unit norm; numbers without a shape stay as they are.
    fn project(&self, p: &mut [f64]) {
        let mut shape = p.to_vec();
        if self.preshape(&mut shape).is_ok() {
            p.copy_from_slice(&shape);
        }
    }

    /// `⟨base, out⟩` is real and not negative. Where it is 0 for every turn, the largest landmark (the first of equals)
    /// lies on the positive real axis.
    fn align(&self, base: &[f64], p: &[f64], out: &mut [f64]) {
        if self.turn_to(base, p, out).is_err() {
            let largest = complex(p).fold(Complex64::ZERO, |a, b| if b.norm_sqr() > a.norm_sqr() { b } else { a });
            rotate(p, largest.conj() / largest.norm(), out);
        }
    }

    /// `Exp_p(v) = cos‖v‖·p + sinc‖v‖·v`, the sphere's formula on horizontal vectors.
    fn exp(&self, p: &[f64], v: &[f64], out: &mut [f64]) {
        let t = norm(v);
        combine(t.cos(), p, sinc(t), v, out);
        self.normalize(out);
    }

    /// `Log_p(q) = ρ·w/‖w‖` with `w = q* − ⟨p,q*⟩·p`, where `q*` is `q` turned nearest to `p`.
    fn log(&self, p: &[f64], q: &[f64], out: &mut [f64]) -> Result<()> {
        self.turn_to(p, q, out)?;
        let chord = norm_of_difference(p, out);
        let cochord = norm_of_sum(p, out);
        add_scaled(out, 0.5 * chord * chord - 1.0, p);
        let vertical = hermitian(p, out);
        add_rotated(out, -vertical, p);
        let length = norm(out);
        if length > 0.0 {
            scale(out, 2.0 * chord.atan2(cochord) / length);
        }
        Ok(())
    }

    /// `ρ = arccos|⟨p,q⟩|`, computed as `2·atan2(‖p − q*‖, ‖p + q*‖)` to keep the digits near 0.
    fn dist(&self, p: &[f64], q: &[f64]) -> f64 {
        let mut aligned = vec![0.0; q.len()];
        match self.turn_to(p, q, &mut aligned) {
            Ok(_) => 2.0 * norm_of_difference(p, &aligned).atan2(norm_of_sum(p, &aligned)),
            Err(_) => FRAC_PI_2,
        }
    }

    /// The centroid that [`normalize`](Manifold::normalize) takes away is at most `2ε` of the largest number, and the
    /// square of the norm is 1 to `4ε`: the factor is less than `3ε` off 1.
    fn prechecked_points(&self, values: &[f64]) -> bool {
        values.chunks_exact(2 * self.k).all(|p| {
            let centroid = centroid(p);
            (dot(p, p) - 1.0).abs() <= 4.0 * f64::EPSILON
                && centroid.re.abs().max(centroid.im.abs()) <= 2.0 * f64::EPSILON * largest(p)
        })
    }

    /// [`check_tangent`](Manifold::check_tangent) removes the centroid and the part along `p` and `ip`.
    fn prechecked_tangents(&self, p: Operand<'_>, v: Operand<'_>, rows: usize) -> bool {
        let len = 2 * self.k;
        (0..rows).all(|i| {
            let (p, v) = (p.row(i, len), v.row(i, len));
            is_negligible(centroid(v).norm() + hermitian(p, v).norm(), v) == 1.0
        })
    }

    fn inner(&self, _p: &[f64], u: &[f64], v: &[f64]) -> f64 {
        dot(u, v)
    }

    /// Along the geodesic with unit direction `u` at `p` and `u′ = −sin ρ·p + cos ρ·u` at `q*`, the complex line of `u`
    /// is carried to that of `u′` and vectors orthogonal to it stay: `v + ⟨u,v⟩(u′ − u)`, then turned from `q*` to `q`.
    fn transport(&self, p: &[f64], q: &[f64], v: &[f64], out: &mut [f64]) -> Result<()> {
        let mut u = vec![0.0; p.len()];
        let rotation = self.turn_to(p, q, &mut u)?;
        self.log(p, q, &mut u)?;
        let distance = norm(&u);
        let mut carried = v.to_vec();
        if distance > 0.0 {
            scale(&mut u, 1.0 / distance);
            let along = hermitian(&u, v);
            add_rotated(&mut carried, -along * distance.sin(), p);
            add_rotated(&mut carried, -along * 2.0 * (0.5 * distance).sin().powi(2), &u);
        }
        rotate(&carried, rotation, out);
        Ok(())
    }

    /// `λ = 4‖v‖²` along `iv`, the turned `v`, and `‖v‖²` across both. The end of the geodesic is taken as
    /// [`exp`](Manifold::exp) returns it, not turned: `u = v/‖v‖` is the direction at `p` and `u′ = −sin‖v‖·p +
    /// cos‖v‖·u` the one at the end.
    fn jacobi(&self, p: &[f64], v: &[f64], e: &[f64], by_point: &mut [f64], by_vector: &mut [f64]) {
        let t = norm(v);
        if t == 0.0 {
            by_point.copy_from_slice(e);
            by_vector.copy_from_slice(e);
            return;
        }
        let mut direction = v.to_vec();
        scale(&mut direction, 1.0 / t);
        let mut end = vec![0.0; p.len()];
        combine(-t.sin(), p, t.cos(), &direction, &mut end);
        let along = hermitian(&end, e);
        let mut across = e.to_vec();
        add_rotated(&mut across, -along, &end);
        for (out, turned, rest) in [(by_point, (2.0 * t).cos(), t.cos()), (by_vector, sinc(2.0 * t), sinc(t))] {
            rotate(&direction, Complex64::new(along.re, turned * along.im), out);
            add_scaled(out, rest, &across);
        }
    }

    /// Coordinates are real and imaginary parts in a complex orthonormal frame. The reflection of `C^{k−1}` that
    /// carries the first axis to (a turn of) `p` makes it of the other axes. `C^{k−1}` are the centered configurations
    /// in Helmert's basis.
    fn from_frame(&self, p: &[f64], coordinates: &[f64], out: &mut [f64]) {
        let mut x = vec![0.0; p.len() - 2];
        x[2..].copy_from_slice(coordinates);
        reflect_first_axis(&helmert(p, 2), &mut x);
        helmert_transpose(&x, 2, out);
    }

    fn to_frame(&self, p: &[f64], v: &[f64], coordinates: &mut [f64]) {
        let mut x = helmert(v, 2);
        reflect_first_axis(&helmert(p, 2), &mut x);
        coordinates.copy_from_slice(&x[2..]);
    }

    /// From one reflection for all points (`Reflected`).
    fn frame_logs(&self, base: &[f64], points: PointsView<'_>, coordinates: &mut [f64]) {
        lanes::logs(&Reflected::new(base), base.len(), points.values(), self.dim(), coordinates);
    }

    fn log_error(&self, reach: f64, _spread: f64) -> Option<f64> {
        log_error::landmarks(self.k, reach)
    }

    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: if self.k == 3 { 4.0 } else { 1.0 }, upper: 4.0 }
    }

    fn injectivity_radius(&self) -> f64 {
        FRAC_PI_2
    }

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
        Shape::Landmarks(self.k)
    }

    /// Landmarks `x₁ y₁ x₂ y₂ …` or `x₁ … x_K y₁ … y_K`, in any position and of any size; in an array they have the
    /// shape `K×2` or `2×K`.
    fn layouts(&self) -> Vec<Layout> {
        let space = self.clone();
        let all = Configurations { landmarks: self.k, axes: 2 };
        all.layouts(move |mut landmarks| space.preshape(&mut landmarks).map(|()| landmarks))
    }

    fn distances_are_angles(&self) -> bool {
        true
    }

    fn atypical_origin(&self) -> Option<AtypicalOrigin> {
        Some(AtypicalOrigin {
            because: "the regular polygon is far from most shapes",
            instead: "the landmarks of a typical shape from an atlas or an earlier study",
            origin: "the regular polygon",
        })
    }

    /// Triangles are a sphere of radius ½.
    fn model(&self) -> Model {
        if self.k == 3 { Model::Sphere { curvature: 4.0 } } else { Model::Other }
    }

    fn max_step(&self) -> f64 {
        f64::INFINITY
    }

    fn volume_growth(&self) -> f64 {
        0.0
    }

    /// `θ(v) = (sin s / s)^{2m−2}·(sin 2s / 2s)`, `s = ‖v‖`, `m = k − 2`.
    fn log_volume_density_bound(&self, s: f64) -> (f64, f64) {
        let (across, across_slope) = ln_sinc(s);
        let (along, along_slope) = ln_sinc(2.0 * s);
        let power = (2 * (self.k - 3)) as f64;
        (power * across + along, power * across_slope + 2.0 * along_slope)
    }

    fn log_volume_density_in_frame(&self, coordinates: &[f64]) -> f64 {
        self.log_volume_density_bound(norm(coordinates)).0
    }
}

/// `ρ/sin ρ` of `cos ρ ≥ 0`, by the half angle: `sin²(ρ/2) = (1 − cos ρ)/2`.
pub(super) fn arc_over_sine(cosine: f64) -> f64 {
    let half_squared = (0.5 * (1.0 - cosine)).max(0.0);
    let half = half_squared.sqrt();
    if half == 0.0 { 1.0 } else { half.asin() / (half * (1.0 - half_squared).sqrt()) }
}

fn complex(a: &[f64]) -> impl Iterator<Item = Complex64> + '_ {
    a.chunks_exact(2).map(|z| Complex64::new(z[0], z[1]))
}

/// `⟨a,b⟩ = Σ āⱼbⱼ`, from independent sums side by side. The imaginary part is a sum of differences that are small
/// where `a` and `b` are near, so that adding them up rounds little. With the difference of two large sums, geodesic
/// regressions of tight data did not converge.
fn hermitian(a: &[f64], b: &[f64]) -> Complex64 {
    let across = |a: &[f64; 2], b: &[f64; 2]| a[0] * b[1] - a[1] * b[0];
    let ((fours, rest), (b_fours, b_rest)) =
        (a.as_chunks::<2>().0.as_chunks::<4>(), b.as_chunks::<2>().0.as_chunks::<4>());
    let sums = fours.iter().zip(b_fours).fold([0.0; 4], |mut sums, (a, b)| {
        for i in 0..4 {
            sums[i] += across(&a[i], &b[i]);
        }
        sums
    });
    let last: f64 = rest.iter().zip(b_rest).map(|(a, b)| across(a, b)).sum();
    Complex64::new(dot(a, b), ((sums[0] + sums[1]) + (sums[2] + sums[3])) + last)
}

/// `out = c·a`.
fn rotate(a: &[f64], c: Complex64, out: &mut [f64]) {
    out.fill(0.0);
    add_rotated(out, c, a);
}

/// `out ← out + c·a`.
fn add_rotated(out: &mut [f64], c: Complex64, a: &[f64]) {
    for (o, a) in out.chunks_exact_mut(2).zip(complex(a)) {
        let z = c * a;
        o[0] += z.re;
        o[1] += z.im;
    }
}

/// The mean of the landmarks, from sums of every fourth of them.
fn centroid(p: &[f64]) -> Complex64 {
    let (fours, rest) = p.as_chunks::<8>();
    let sums = fours.iter().fold([0.0; 8], |mut sums, four| {
        for i in 0..8 {
            sums[i] += four[i];
        }
        sums
    });
    let sum = |i: usize| (sums[i] + sums[i + 2]) + (sums[i + 4] + sums[i + 6]);
    (complex(rest).sum::<Complex64>() + Complex64::new(sum(0), sum(1))) / (p.len() / 2) as f64
}

/// `a₀/|a₀|` and `|a₀|` of the first of complex numbers.
fn phase(a: &[f64]) -> (Complex64, f64) {
    let first = Complex64::new(a[0], a[1]);
    let size = first.norm();
    (if size > 0.0 { first / size } else { Complex64::ONE }, size)
}

/// The complex reflection `x − w⟨w,x⟩/(1+|a₀|)`, `w = a + (a₀/|a₀|)e₀`, that exchanges `e₀` and a turn of the unit
/// vector `a`.
fn reflect_first_axis(a: &[f64], x: &mut [f64]) {
    let (phase, size) = phase(a);
    let product = hermitian(a, x) + phase.conj() * Complex64::new(x[0], x[1]);
    let factor = -product / (1.0 + size);
    add_rotated(x, factor, a);
    let z = factor * phase;
    x[0] += z.re;
    x[1] += z.im;
}

/// Coordinates of logarithms by the reflection of `C^{k−1}` that carries the base `p` to a turn of the first axis:
/// those but the first of the image of `z = x* − p` in Helmert's basis, `x*` the point `x` turned nearest to `p`, are a
/// vector of length `sin ρ` in the direction of `Log_p(x)`.
struct Reflected<'a> {
    p: &'a [f64],
    /// `p` in Helmert's basis.
    a: Vec<f64>,
    /// `a₀/|a₀|` and `|a₀|`.
    phase: Complex64,
    size: f64,
    /// `1/√(j(j+1))`, `j = 1, …, k − 1`.
    weights: Vec<f64>,
}

impl<'a> Reflected<'a> {
    fn new(p: &'a [f64]) -> Self {
        let a = helmert(p, 2);
        let (phase, size) = phase(&a);
        let weights = (1..p.len() / 2).map(|j| 1.0 / (j as f64 * (j as f64 + 1.0)).sqrt()).collect();
        Self { p, a, phase, size, weights }
    }
}

impl lanes::Kernel for Reflected<'_> {
    #[inline(always)]
    fn directions(&self, x: &mut [Lane], c: &mut [Lane]) -> [Lane; 2] {
        // ⟨p,x⟩
        let [re, im] = product(self.p.as_chunks().0, x.as_chunks().0);
        let cosine = each(|l| (re[l] * re[l] + im[l] * im[l]).sqrt());
        let (turn_re, turn_im) = (each(|l| re[l] / cosine[l]), each(|l| -im[l] / cosine[l]));
        // z in Helmert's basis takes the place of x
        let (x, p, a) = (x.as_chunks_mut().0, self.p.as_chunks().0, self.a.as_chunks().0);
        let (mut sum_re, mut sum_im) = (each(|_| 0.0), each(|_| 0.0));
        // ⟨a,z⟩
        let (mut along_re, mut along_im) = (each(|_| 0.0), each(|_| 0.0));
        for (j, [p_re, p_im]) in p.iter().enumerate() {
            let [x_re, x_im] = x[j];
            let z_re = each(|l| turn_re[l] * x_re[l] - turn_im[l] * x_im[l] - p_re);
            let z_im = each(|l| turn_re[l] * x_im[l] + turn_im[l] * x_re[l] - p_im);
            if j > 0 {
                let (times, weight, [a_re, a_im]) = (j as f64, self.weights[j - 1], a[j - 1]);
                let y_re = each(|l| (sum_re[l] - times * z_re[l]) * weight);
                let y_im = each(|l| (sum_im[l] - times * z_im[l]) * weight);
                add(&mut along_re, |l| a_re * y_re[l] + a_im * y_im[l]);
                add(&mut along_im, |l| a_re * y_im[l] - a_im * y_re[l]);
                x[j - 1] = [y_re, y_im];
            }
            add(&mut sum_re, |l| z_re[l]);
            add(&mut sum_im, |l| z_im[l]);
        }
        let (y, [y_re, y_im]) = (&*x, x[0]);
        let (phase, scale) = (self.phase, 1.0 + self.size);
        let factor_re = each(|l| -(along_re[l] + (phase.re * y_re[l] + phase.im * y_im[l])) / scale);
        let factor_im = each(|l| -(along_im[l] + (phase.re * y_im[l] - phase.im * y_re[l])) / scale);
        let mut squared = each(|_| 0.0);
        for (([c_re, c_im], [y_re, y_im]), [a_re, a_im]) in c.as_chunks_mut().0.iter_mut().zip(&y[1..]).zip(&a[1..]) {
            *c_re = each(|l| y_re[l] + (factor_re[l] * a_re - factor_im[l] * a_im));
            *c_im = each(|l| y_im[l] + (factor_re[l] * a_im + factor_im[l] * a_re));
            add(&mut squared, |l| c_re[l] * c_re[l] + c_im[l] * c_im[l]);
        }
        [squared, cosine]
    }

    #[inline(always)]
    fn angle(&self, sine: f64, cosine: f64) -> f64 {
        let angle = atan2(sine, cosine);
        if cosine <= CUT_LOCUS { f64::NAN } else { angle }
    }
}

/// `⟨a,b⟩ = Σ āⱼbⱼ`, one `a` and many `b`.
#[inline(always)]
fn product(a: &[[f64; 2]], b: &[[Lane; 2]]) -> [Lane; 2] {
    let mut product = [each(|_| 0.0); 2];
    for ([a_re, a_im], [b_re, b_im]) in a.iter().zip(b) {
        add(&mut product[0], |l| a_re * b_re[l] + a_im * b_im[l]);
        add(&mut product[1], |l| a_re * b_im[l] - a_im * b_re[l]);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(k: usize, name: &str, record: &[f64]) -> Result<Vec<f64>, String> {
        let layouts = Kendall::new(k).unwrap().layouts();
        layouts.iter().find(|layout| layout.name() == name).unwrap().read(record)
    }

    #[test]
    fn coincident_landmarks_have_no_shape() {
        for record in [[0.0; 6], [0.1, 0.2, 0.1, 0.2, 0.1, 0.2], [1e300, 1e-300, 1e300, 1e-300, 1e300, 1e-300]] {
            assert!(read(3, "interleaved", &record).unwrap_err().contains("coincide"), "{record:?}");
        }
    }

    proptest! {
        #[test]
        fn landmarks_are_centered_of_unit_norm_and_free_of_place_and_size(
            x in prop::collection::vec(-1.0..1.0f64, 5),
            y in prop::collection::vec(-1.0..1.0f64, 5),
            exponent in -200..200i32,
            shift in -10.0..10.0f64,
        ) {
            prop_assume!(x.iter().any(|a| (a - x[0]).abs() > 0.1));
            let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
            let shape = read(5, "blocked", &[x.clone(), y.clone()].concat()).unwrap();
            let sum = |offset| shape.iter().skip(offset).step_by(2).sum::<f64>();
            prop_assert!(sum(0).abs() < 1e-12 && sum(1).abs() < 1e-12);
            prop_assert!((norm(&shape) - 1.0).abs() < 1e-12);

            let size = 10f64.powi(exponent);
            let moved: Vec<f64> = x.iter().zip(&y).flat_map(|(x, y)| [(x + shift) * size, (y - shift) * size]).collect();
            prop_assert!(close(&read(5, "interleaved", &moved).unwrap(), &shape));
            let blocked = Kendall::new(5).unwrap().layouts()[1].write(&shape);
            prop_assert!(close(&read(5, "blocked", &blocked).unwrap(), &shape));
        }
    }

    #[test]
    fn preshape_removes_position_and_size_and_refuses_what_has_no_shape() {
        let kendall = Kendall::new(3).unwrap();
        let triangle = [0.0, 0.0, 4.0, 0.0, 0.0, 3.0];
        let mut plain = triangle;
        kendall.preshape(&mut plain).unwrap();
        kendall.check_point(&plain).unwrap();
        for (size, shift) in [(1e-300, 0.0), (3.0, 1e5), (1e300, -1e300)] {
            let mut moved = triangle.map(|x| size * x + shift);
            kendall.preshape(&mut moved).unwrap();
            assert!(kendall.dist(&plain, &moved) < 1e-10, "{size} {shift}");
        }
        assert!(kendall.preshape(&mut [0.1; 6]).is_err());
        assert!(kendall.preshape(&mut [0.0; 6]).is_err());
        assert!(kendall.preshape(&mut [0.0, 1.0, f64::NAN, 0.0, 1.0, 1.0]).is_err());
        assert!(kendall.preshape(&mut [0.0, 1.0]).is_err());
    }
}
