//! Bound of the change of `n·Log_{m₀} x̄` when a record is added or removed. Lengths are in units of `1/√κ`, so that
//! `κ = 1`; `σ(s) = s/sin s`, `g(s) = s·cot s`.
//!
//! **Theorem.** Let all curvatures be from `κ₋` to 1, `x < ½·min{inj, π}` and all records in `B = B_x(m₀)`. For every
//! `n ≥ 0`, adding a record moves `n·Log_{m₀} x̄ₙ` (0 for `n = 0`) by at most
//!
//! ```text
//! B(x) = max over 0 ≤ a ≤ x of σ(a)·(D(a)/g(b) + max{1/g(b) − 1, 1 − 1/h}·a),
//! D(a) = 2·sin(x/2)·√(σ(a)·σ(a + x)),   cos b = cos x/cos a,   h = max{1, |κ₋|^½(a + x)·coth(|κ₋|^½(a + x))}.
//! ```
//!
//! If no curvature is positive, it moves by at most `r·(2 − 1/h(2r))`, and by `r` where the space is flat.
//!
//! **Proof.** Give the new record `p` the weight `t` from 0 to 1 and let `m = m_t` be the mean, `a = ρ(m₀, m)`, `v =
//! Log_m p`, `v₀ = Log_m m₀`, `H` the average of `Hess ½ρ²(·, xᵢ)` at `m` with all weights, `n + t` in sum. As in the
//! proof of the optimal bound `m ∈ B` is smooth in `t > 0`, `(n + t)·H·m′ = v`, and `g(b) ≤ H ≤ h`. With `L =
//! Log_{m₀}`,
//!
//! ```text
//! d/dt (n + t)·L(m) = L(m) + DL·H⁻¹·v = DL·(H⁻¹v − v₀) = DL·(H⁻¹(v − v₀) + (H⁻¹ − 1)v₀),             (1)
//! ```
//!
//! because `m` moves away from `m₀` on a geodesic as fast as its logarithm: `DL·v₀ = −L(m)`. By Rauch's theorem `‖DL‖ ≤
//! σ(a)`. So with `‖v₀‖ = a` all that is left is `‖v − v₀‖ ≤ D(a)`. Carry the geodesic from `m₀` to `p`, of length at
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
//! `σ` grows. If no curvature is positive, `‖DL‖ ≤ 1`, `H ≥ 1` and `‖v − v₀‖ ≤ ρ(p, m₀) ≤ r`, so that (1) is at most
//! `r + (1 − 1/h)a`. ∎
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
/// assert!(chart_sum(&Hyperbolic::new(2)?, 2.0)? < 2.0 * 2.0);
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn chart_sum(manifold: &dyn Manifold, radius: f64) -> Result<f64> {
    let ball = RegularBall::new(manifold, radius, Bound::Optimal)?;
    let bend = (-manifold.curvature().lower).max(0.0).sqrt();
    let largest_hessian = |reach: f64| if bend > 0.0 { bend * reach / (bend * reach).tanh() } else { 1.0 };
    let r = ball.radius;
    if ball.sqrt_kappa == 0.0 {
        return Ok(r * (2.0 - 1.0 / largest_hessian(2.0 * r)) * (1.0 + MARGIN));
    }
    let (x, unit) = (ball.x(), ball.sqrt_kappa);
    let stretch = |s: f64| if s > 0.0 { s / s.sin() } else { 1.0 };
    let part = |i: u32| {
        let [near, far] = [i, i + 1].map(|i| x * f64::from(i) / f64::from(PARTS));
        let b = (x.cos() / near.cos()).clamp(-1.0, 1.0).acos();
        let softness = if b > 0.0 { 1.0 / g(b) } else { 1.0 };
        let apart = 2.0 * (0.5 * x).sin() * (stretch(far) * stretch(far + x)).sqrt();
        let astray = (softness - 1.0).max(1.0 - 1.0 / largest_hessian((far + x) / unit));
        stretch(far) * (apart * softness + astray * far)
    };
    Ok((0..PARTS).map(part).fold(0.0, f64::max) / unit * (1.0 + MARGIN))
}

/// Bound of the additional distance in the chart of two computed means, each of other records, compared with the exact
/// ones, where `‖grad F‖ ≤ tolerance` at both.
pub(crate) fn chart_allowance(manifold: &dyn Manifold, radius: f64, tolerance: f64) -> Result<f64> {
    let mean = super::frechet_mean(manifold, radius, 1, Some(Bound::Optimal))?;
    Ok(mean.allowance(tolerance)? * super::chart::stretch(&mean.ball) * (1.0 + MARGIN))
}
