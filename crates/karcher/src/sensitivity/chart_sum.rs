//! Bound of the change of `n·Log_{m₀} x̄` when a record is added or removed. Lengths are in units of `1/√κ`, so that
//! `κ = 1`; `σ(s) = s/sin s`, `g(s) = s·cot s`.
//!
//! **Theorem.** Let all curvatures be from `κ₋` to 1, `x < ½·min{inj, π}` and all records in `B = B_x(m₀)`. For every
//! `n ≥ 0`, adding a record moves `n·Log_{m₀} x̄ₙ` (0 for `n = 0`) by at most
//!
//! ```text
//! B(x) = max over 0 ≤ a ≤ x of min{σ(a)·E(l, u, D(a), a), G(a)},   l = 1/h,   u = 1/g(b),
//! cos b = cos x/cos a,   h = max{1, k(x)},   k(u) = |κ₋|^½u·coth(|κ₋|^½u),   D(a) = 2·sin(x/2)·√(σ(a)·σ(a + x)),
//! E(l, u, D, a) = min{u·D + max{u − 1, 1 − l}·a, √((λ − lu)·(D²/(1 − λ) + a²/λ))},   λ = (l + u)/2,
//! G(a)² = (Y + |λT − a|)² + (σ(a)² − 1)·Y²,   Y = λR + ½(u − l)·(a + x);
//! ```
//!
//! the second bound of `E` counts where `λ < 1`, and a disc about `T` of radius `R` holds the logarithms of all points of
//! `B`, (2). If no curvature is positive, it moves by at most `B(r)`, the maximum of `√(r² + a²·(h − 1)/(h + 1))`, `h =
//! k(√(r² − a²))`; and by `r` where the space is flat. On a product, let `B` be the first bound, for the factors with
//! positive curvatures, and `B₀` the second, for the others: it moves by at most `√(B² + B₀² − r²)`.
//!
//! **Proof.** Give the new record `p` the weight `t` from 0 to 1 and let `m = m_t` be the mean, `a = ρ(m₀, m)`, `v =
//! Log_m p`, `v₀ = Log_m m₀ = a·e`, `H` the average of `Hess ½ρ²(·, xᵢ)` at `m` with all weights, `n + t` in sum. As in
//! the proof of the optimal bound `m ∈ B` is smooth in `t > 0`, `(n + t)·H·m′ = v`, and `H ≥ g(b)`. Each Hessian is at
//! most `max{1, k(s)}` at the distance `s`, a concave function of `s²`. The mean of `s²` is least at `m`, so it is at
//! most `x²` there. Hence `H ≤ h`. With `L = Log_{m₀}`,
//!
//! ```text
//! d/dt (n + t)·L(m) = L(m) + DL·H⁻¹·v = DL·(H⁻¹v − v₀),                                             (1)
//! ```
//!
//! because `m` moves away from `m₀` on a geodesic as fast as its logarithm: `DL·v₀ = −L(m)`. By Rauch's theorem `‖DL‖ ≤
//! σ(a)`. Let `l ≤ H⁻¹ ≤ u` and `‖v − v₀‖ ≤ D`. First, `H⁻¹v − v₀ = H⁻¹(v − v₀) + (H⁻¹ − 1)v₀`. Second, `H⁻¹v` is in
//! the ball about `λ·v` of radius `q‖v‖`, `q = (u − l)/2`. With `y = v − v₀` the vector is no longer than the sum of
//! `‖λ·y − (1 − λ)·v₀‖` and `q‖v₀ + y‖`. By the inequality of Cauchy and Schwarz the square of this is at most `S`
//! times the first square over `λ(1 − λ)` and the second over `q²`, where `S = λ(1 − λ) + q² = λ − lu`. There the
//! products of `y` and `v₀` cancel, and `S·(‖y‖²/(1 − λ) + ‖v₀‖²/λ)` is left. So both bounds are `E`.
//!
//! It remains to show `‖v − v₀‖ ≤ D(a)`. Carry the geodesic from `m₀` to `p`, of length at
//! most `x`, through `Log_m` to the unit sphere, where it gets no longer (Rauch). There the images of `m`, `m₀` and `p`
//! make a triangle of sides `a`, `s = ‖v‖ ≤ a + x` and `c ≤ x`, whose angle at `m` is that of `v₀` and `v`. By the law
//! of cosines, first of the plane and then of the sphere,
//!
//! ```text
//! ‖v − v₀‖² = s² + a² − 2σ(s)σ(a)(cos c − cos s·cos a)
//!           = σ(s)² + σ(a)² − 2σ(s)σ(a)·cos c − (g(s) − g(a))²
//!           = 4σ(s)σ(a)·sin²(c/2) + (σ(s) − σ(a))² − (g(s) − g(a))²,
//! ```
//!
//! by `s² + g² = σ²`. The two last squares leave nothing above 0: `−g′ − σ′ = (1 + cos s)(s − sin s)/sin²s ≥ 0`. And
//! `σ` grows.
//!
//! *`G`.* `DL` keeps the length of `e`, and the rest stays perpendicular to it (Gauss's lemma). So `‖DL·w‖²` is at most
//! `‖w‖² + (σ(a)² − 1)·‖w⟂‖²`, `w⟂` the part across `e`. `H⁻¹v = λv + q·y` with `‖y‖ ≤ ‖v‖ ≤ a + x`, and `‖v − T·e‖ ≤
//! R`. So `w = H⁻¹v − a·e` has `‖w‖ ≤ Y + |λT − a|` and `‖w⟂‖ ≤ Y`. The law of cosines also says `Q(s) = cos x·σ(s) −
//! cos a·g(s) ≤ sin a·⟨v, e⟩`. `Q` is a convex function of `s²`, so it is above its tangent at any `s₁`. Let `Q′ =
//! dQ/ds²` there. Completing the square,
//!
//! ```text
//! ‖v − T·e‖² ≤ R² = T² + s₁² − Q(s₁)/Q′,   T = sin a/2Q′;   T = tan a, R² = b² + T² at s₁ = b.     (2)
//! ```
//!
//! *No positive curvature.* `‖DL‖ ≤ 1`, `H ≥ 1` and `‖v − v₀‖ ≤ ρ(p, m₀) ≤ r`. The mean of `s²` is at most `r² − a²`,
//! because `F` grows by `a²/2` at least from `m` to `m₀`. So `l = 1/h`, `u = 1`, `D = r`, and the second bound is `√(r²
//! + a²·(h − 1)/(h + 1))`.
//!
//! *Products.* Means, `H` and `L` are those of the two factors. Let the new record be at the distances `ξ` and `η` from
//! `m₀` in them, `ξ² + η² ≤ x²`. The second factor moves by `√(η² + B₀² − r²)` at most. Of the first let `f(ξ)` be its
//! bound at `a`. It suffices that `f(ξ)² − ξ² ≤ f(x)² − x²`. That holds for `σE`: `D² − ξ²` grows with `ξ`, as `σ(a) ≥ 1`
//! and `σ(a + ξ) ≥ σ(ξ)`, and `E²` is `D²` times at least 1, and more that grows. It holds for `G`: on the sphere the
//! ball of radius `τ = x − ξ` about `v` has images in `B`. So `R` may be smaller by `τ`, as `a + x` is: `f(ξ)² ≤ (f(x) −
//! u·τ)²`, with `u ≥ 1` and `f(x) ≥ u·(a + x) − a ≥ x`. ∎
//!
//! As `x → 0` the bound is `x·(1 + O(x²))`: half of the effect of replacing one record. For a flat space, the sum of
//! logarithms changes by the new one.

use super::elementary::{MARGIN, g};
use super::{Bound, RegularBall};
use crate::error::Result;
use crate::manifold::Manifold;
use std::f64::consts::FRAC_PI_2;

/// Parts into which the distances of the mean from the center are divided. In each, every factor is taken where it is
/// largest.
const PARTS: u32 = 1024;
/// Tangents of `Q`, between `s₁ = b` and `a + x`, that are tried.
const TANGENTS: u32 = 4;
/// From here on `G` is tried: below it gains less than a thousandth, and its differences would lose digits.
const WIDE: f64 = 0.1;
/// Covers the rounding of `G`: `sin s − s·cos s` is known to `2⁻⁵²·s` of about `s³/3`, so to 1e-11 of itself from
/// `s = x/4` on.
const OF_DIFFERENCES: f64 = 1e-9;

/// Bound of the change of `n·Log_{m₀} x̄` when one record is added to `n`, or removed, in the ball `B_r(m₀)`: the same
/// for every `n` (user guide, \[U2\]).
///
/// # Errors
/// As [`frechet_mean`](super::frechet_mean) with [`Bound::Optimal`].
///
/// ```
/// use karcher::{manifold::{Euclidean, Hyperbolic, Sphere}, sensitivity::{chart_mean, chart_sum}};
/// assert!((chart_sum(&Euclidean::new(2)?, 0.5)? - 0.5).abs() < 1e-9);
/// // less than replacing one record moves n times the mean
/// assert!(chart_sum(&Sphere::new(2)?, 0.5)? < 0.6 * chart_mean(&Sphere::new(2)?, 0.5, 1, 0.0)?);
/// assert!(chart_sum(&Hyperbolic::new(2)?, 2.0)? < 1.06 * 2.0);
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn chart_sum(manifold: &dyn Manifold, radius: f64) -> Result<f64> {
    let ball = RegularBall::new(manifold, radius, Bound::Optimal)?;
    let r = ball.radius;
    // the root of the largest −κ₋ among factors with positive curvatures, or without
    let bend = |positive: bool| {
        let whole = manifold.factors().is_empty().then(|| manifold.curvature());
        let all = manifold.factors().iter().map(|factor| factor.curvature()).chain(whole);
        all.filter(|k| (k.upper > 0.0) == positive).map(|k| -k.lower).fold(0.0, f64::max).sqrt()
    };
    let hadamard = without_positive(r, bend(false));
    if ball.sqrt_kappa == 0.0 {
        return Ok(hadamard * (1.0 + MARGIN));
    }
    let positive = with_positive(ball.x(), largest_hessian(bend(true), r)) / ball.sqrt_kappa;
    let more = (hadamard - r) * (hadamard + r);
    Ok(if more > 0.0 { positive.hypot(more.sqrt()) } else { positive } * (1.0 + MARGIN))
}

/// `max{1, k(s)}`.
fn largest_hessian(bend: f64, reach: f64) -> f64 {
    let angle = bend * reach;
    if angle > 0.0 { (angle / angle.tanh()).max(1.0) } else { 1.0 }
}

/// The ends of a part of `0 ≤ a ≤ all`.
fn ends(part: u32, all: f64) -> [f64; 2] {
    [part, part + 1].map(|i| all * f64::from(i) / f64::from(PARTS))
}

/// `B(r)` where no curvature is positive.
fn without_positive(r: f64, bend: f64) -> f64 {
    let part = |i| {
        let [near, far] = ends(i, r);
        farthest([1.0 / largest_hessian(bend, (r * r - near * near).max(0.0).sqrt()), 1.0], r, far)
    };
    (0..PARTS).map(part).fold(r, f64::max)
}

/// `B(x)` for curvatures up to 1, where no Hessian is above `h`.
fn with_positive(x: f64, h: f64) -> f64 {
    let part = |i| {
        let [near, far] = ends(i, x);
        let b = (x.cos() / near.cos()).clamp(-1.0, 1.0).acos();
        let spectrum = [1.0 / h, if b > 0.0 { 1.0 / g(b) } else { 1.0 }];
        let apart = 2.0 * (0.5 * x).sin() * (stretch(far) * stretch(far + x)).sqrt();
        (stretch(far) * farthest(spectrum, apart, far)).min(along_and_across(spectrum, x, [near, far]))
    };
    (0..PARTS).map(part).fold(0.0, f64::max)
}

/// `σ(s)`.
fn stretch(s: f64) -> f64 {
    if s > 0.0 { s / s.sin() } else { 1.0 }
}

/// The largest `G(a)` for `near ≤ a ≤ far`, or `∞` where it is not tried. On the unit sphere the ball of radius `x`
/// about a point at the distance `a` from `m` is in the one of radius `x + far − near` about a point at the distance
/// `far`.
fn along_and_across([least, most]: [f64; 2], x: f64, [near, far]: [f64; 2]) -> f64 {
    let wider = x + (far - near);
    if x < WIDE || wider >= FRAC_PI_2 {
        return f64::INFINITY;
    }
    let [middle, spread] = [0.5 * (least + most), 0.5 * (most - least)];
    let b = (wider.cos() / far.cos()).clamp(-1.0, 1.0).acos();
    let at = |i: u32| {
        let s = b + (far + wider - b) * f64::from(i) / f64::from(TANGENTS);
        let [center, radius] = if i == 0 { [far.tan(), b.hypot(far.tan())] } else { disc(far, wider, s) };
        let across = middle * radius + spread * (far + x);
        let along = across + (middle * center - far).abs() + (far - near);
        along.hypot(across * (stretch(far).powi(2) - 1.0).sqrt())
    };
    (0..=TANGENTS).map(at).fold(f64::INFINITY, f64::min) * (1.0 + OF_DIFFERENCES)
}

/// `(T, R)` of (2), from the tangent of `Q` at `s > 0`.
fn disc(a: f64, x: f64, s: f64) -> [f64; 2] {
    let (sin, cos) = s.sin_cos();
    let slope = (x.cos() * (sin - s * cos) + a.cos() * (s - sin * cos)) / (2.0 * s * sin * sin);
    let value = stretch(s) * (x.cos() - a.cos() * cos);
    let center = a.sin() / (2.0 * slope);
    [center, (center * center + s * s - value / slope).max(0.0).sqrt()]
}

/// `E(l, u, D, a)`: a bound of `‖A·v − v₀‖` for `l ≤ A ≤ u`, `‖v − v₀‖ ≤ D` and `‖v₀‖ ≤ a`.
fn farthest([least, most]: [f64; 2], apart: f64, off: f64) -> f64 {
    // q, 1 − λ and λ, without a difference of numbers that were rounded
    let [spread, short] = [0.5 * (most - least), 0.5 * ((1.0 - least) + (1.0 - most))];
    let middle = 1.0 - short;
    let along = most * apart + (most - 1.0).max(1.0 - least) * off;
    if short <= 0.0 {
        return along;
    }
    let square = spread * spread;
    let across = (middle + square / short) * apart * apart + (short + square / middle) * off * off;
    along.min(across.sqrt())
}

/// Bound of the additional distance in the chart of two computed means, each of other records, compared with the exact
/// ones, where `‖grad F‖ ≤ tolerance` at both.
pub(crate) fn chart_allowance(manifold: &dyn Manifold, radius: f64, tolerance: f64) -> Result<f64> {
    let mean = super::frechet_mean(manifold, radius, 1, Some(Bound::Optimal))?;
    Ok(mean.allowance(tolerance)? * super::chart::stretch(&mean.ball) * (1.0 + MARGIN))
}
