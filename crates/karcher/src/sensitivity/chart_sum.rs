//! Bound of the change of `n·Log_{m₀} x̄` when a record is added or removed. Lengths are in units of `1/√κ`, so that
//! `κ = 1`; `σ(s) = s/sin s`, `g(s) = s·cot s`.
//!
//! **Theorem.** Let all curvatures be from `κ₋` to 1, `x < ½·min{inj, π}` and all records in `B = B_x(m₀)`. For every
//! `n ≥ 0`, adding a record moves `n·Log_{m₀} x̄ₙ` (0 for `n = 0`) by at most
//!
//! ```text
//! B(x) = max over 0 ≤ a ≤ x of σ(a)·E(1/h, 1/g(b), D(a), a),
//! D(a) = 2·sin(x/2)·√(σ(a)·σ(a + x)),   cos b = cos x/cos a,   h = max{1, k(x)},   k(u) = |κ₋|^½u·coth(|κ₋|^½u),
//! E(l, u, D, a) = min{u·D + max{u − 1, 1 − l}·a, √((λ − lu)·(D²/(1 − λ) + a²/λ))},   λ = (l + u)/2;
//! ```
//!
//! the second bound counts where `λ < 1`. If no curvature is positive, it moves by at most `B(r)`, the maximum of
//! `√(r² + a²·(h − 1)/(h + 1))`, `h = k(√(r² − a²))`; and by `r` where the space is flat.
//!
//! **Proof.** Give the new record `p` the weight `t` from 0 to 1 and let `m = m_t` be the mean, `a = ρ(m₀, m)`, `v =
//! Log_m p`, `v₀ = Log_m m₀`, `H` the average of `Hess ½ρ²(·, xᵢ)` at `m` with all weights, `n + t` in sum. As in the
//! proof of the optimal bound `m ∈ B` is smooth in `t > 0`, `(n + t)·H·m′ = v`, and `H ≥ g(b)`. Each Hessian is at most
//! `max{1, k(s)}` at the distance `s`, a concave function of `s²`. The mean of `s²` is least at `m`, so it is at most
//! `x²` there. Hence `H ≤ h`. With `L = Log_{m₀}`,
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
//! `σ` grows. If no curvature is positive, `‖DL‖ ≤ 1`, `H ≥ 1` and `‖v − v₀‖ ≤ ρ(p, m₀) ≤ r`. The mean of `s²` is at
//! most `r² − a²`, because `F` grows by `a²/2` at least from `m` to `m₀`. So `l = 1/h`, `u = 1`, `D = r`, and the
//! second bound is `√(r² + a²·(h − 1)/(h + 1))`. ∎
//!
//! As `x → 0` the bound is `x·(1 + O(x²))`: half of the effect of replacing one record. For a flat space, the sum of
//! logarithms changes by the new one.

use super::elementary::{MARGIN, g};
use super::{Bound, RegularBall};
use crate::error::Result;
use crate::manifold::Manifold;

/// Parts into which the distances of the mean from the center are divided. In each, every factor is taken where it is
/// largest.
const PARTS: u32 = 1024;

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
    let bend = (-manifold.curvature().lower).max(0.0).sqrt();
    let largest_hessian = |reach: f64| if bend * reach > 0.0 { bend * reach / (bend * reach).tanh() } else { 1.0 };
    let r = ball.radius;
    let ends = |i: u32, of: f64| [i, i + 1].map(|i| of * f64::from(i) / f64::from(PARTS));
    if ball.sqrt_kappa == 0.0 {
        let part = |i: u32| {
            let [near, far] = ends(i, r);
            let h = largest_hessian((r * r - near * near).max(0.0).sqrt());
            farthest([1.0 / h, 1.0], r, far)
        };
        return Ok((0..PARTS).map(part).fold(r, f64::max) * (1.0 + MARGIN));
    }
    let (x, unit) = (ball.x(), ball.sqrt_kappa);
    let stretch = |s: f64| if s > 0.0 { s / s.sin() } else { 1.0 };
    let h = largest_hessian(r).max(1.0);
    let part = |i: u32| {
        let [near, far] = ends(i, x);
        let b = (x.cos() / near.cos()).clamp(-1.0, 1.0).acos();
        let softness = if b > 0.0 { 1.0 / g(b) } else { 1.0 };
        let apart = 2.0 * (0.5 * x).sin() * (stretch(far) * stretch(far + x)).sqrt();
        stretch(far) * farthest([1.0 / h, softness], apart, far)
    };
    Ok((0..PARTS).map(part).fold(0.0, f64::max) / unit * (1.0 + MARGIN))
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
