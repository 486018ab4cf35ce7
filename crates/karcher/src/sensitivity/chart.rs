//! Bound of the change of the mean's logarithm at the center of the ball. Lengths are in units of `1/√κ`, so that
//! `κ = 1`; `σ(s) = s/sin s`, `g(s) = s·cot s`.
//!
//! **Theorem.** Let all sectional curvatures be at most 1, `x < ½·min{inj, π}` and all records in `B = B_x(m₀)`.
//! Replacing one of `n` records moves `Log_{m₀} x̄`, the logarithm of their Fréchet mean at the center of the ball, by
//! at most `2·tan(x)/n`: by no more than the bound for the mean itself. If no curvature is positive, it moves by at
//! most `2r/n`. Neither constant can be smaller for all `n`, on the same spaces as for the mean.
//!
//! `Log_{m₀}` stretches distances by up to `σ(a)` at the distance `a` from `m₀`, so the theorem does not follow from
//! the bound for the mean. It holds because a mean that far from the center is less sensitive, by more than that
//! factor.
//!
//! **Proof** for positive curvature. Notation and numbers of steps are those of the proof of the optimal bound: `m ∈ B`
//! is a mean, `a = ρ(m₀, m)`, `e` the direction of `m₀` at `m`, `cos x = cos a·cos b`. Write `c = cos b = cos x/cos a`.
//!
//! *1. Two records seen from `m`.* Both logarithms `v`, `w` satisfy (1) there, `Q(‖·‖²) ≤ sin a·⟨·, e⟩`, where
//! `Q = cos x·σ − cos a·g` is convex in `s²`. So do the symmetrized vectors `‖z‖·e ± δ·f` with `z = (v + w)/2`,
//! `δ = ‖v − w‖/2` and a unit vector `f ⟂ e`, since `‖z‖² + δ²` is the average of `‖v‖²` and `‖w‖²`, and
//! `⟨z, e⟩ ≤ ‖z‖`. On the unit sphere (1) says that a point is in the ball, so these two are the logarithms of points
//! of the sphere's ball of radius `x`. Lengthen them by the same factor until the points are on its boundary. Hence
//! `‖v − w‖ ≤ 2Y`, where `Y` is the largest `s·sin φ` over points of the boundary, `s` the distance from `m` and `φ`
//! the angle at `m` against `e`.
//!
//! *2. The largest `s·sin φ`.* Let `θ` be the angle at `m₀`. The law of cosines and the sine rule say
//! `cos s = cos a·cos x + sin a·sin x·cos θ` and `s·sin φ = sin x·σ(s)·sin θ`. Put
//! `σ(s) = ∫₀^∞ dt/(cosh t + cos s)` there, and take the maximum over `θ` under the integral:
//! `max sin θ/(P + q·cos θ) = 1/√(P² − q²)` for `P = cosh t + cos a·cos x > q = sin a·sin x`. So
//!
//! ```text
//! Y ≤ sin x·E,   E = ∫₀^∞ dt/√(P² − q²),   P² − q² = cos²a·(cosh t + c)² + sin²a·sinh²t.               (4)
//! ```
//!
//! *3. Chebyshev's inequality.* As `t` grows, `u = sinh t/(cosh t + c)` grows from 0 to 1, with
//! `du = (1 + c·cosh t)/(cosh t + c)² dt`. In `u`, `E = ∫₀¹ f·h du` with `f = (cos²a + sin²a·u²)^(−1/2)`, which does
//! not grow, and `h = (cosh t + c)/(1 + c·cosh t)`, which does not fall: its slope in `cosh t` has the sign of
//! `1 − c² ≥ 0`. The integral of such a product over an interval of length 1 is at most the product of the integrals.
//! Here `∫ h du = ∫₀^∞ dt/(cosh t + cos b) = σ(b)` and `∫ f du = arsinh(tan a)/sin a`. Therefore
//!
//! ```text
//! Y ≤ sin x·σ(b)·arsinh(tan a)/sin a.                                                                 (5)
//! ```
//!
//! *4. The logarithm of the mean moves.* The path `m_t` of means stays in `B`, where `Log_{m₀}` is smooth. By Rauch's
//! theorem the differential of `Exp_{m₀}` at `Log_{m₀} m` keeps radial vectors and shortens those across by no more
//! than `1/σ(a)`. So that of `Log_{m₀}` has a norm of at most `σ(a)`. With `Hess F ≥ g(b)` at a mean, (3),
//! `n·‖(Log_{m₀} m_t)′‖ ≤ 2Y·σ(a)/g(b)`. Since `tan x·g(b) = sin x·σ(b)/cos a`, (5) makes the right side at most
//!
//! ```text
//! 2·tan x · a·arsinh(tan a)/(sin a·tan a).
//! ```
//!
//! The last factor is at most 1 (and 1 at `a = 0`): `k(a) = sin a·tan a − a·arsinh(tan a)` and `k′` vanish at `a = 0`,
//! and `k″ = (sin a/cos²a)·(2·tan a − a − sin a·cos a) ≥ 0`, as the parenthesis vanishes at 0 and has the derivative
//! `2/cos²a − 2·cos²a`. Integrate over the path. ∎
//!
//! If no curvature is positive, Rauch's theorem says that `Log_{m₀}` stretches nothing in the ball, and the mean moves
//! by at most `2r/n` along a path in it.
//!
//! *No smaller constant.* In the example for the optimal bound the mean moves along a diameter of `B`, from one side of
//! `m₀` to the other. So its logarithm moves by the same distance as the mean itself.
//!
//! *An inexact mean.* Where `‖grad F(m)‖ ≤ t`, the gradient flow leads from `m` to the exact mean on a way of at most
//! `t/c(r)` through `B`, `c(r)` the constant of [`Sensitivity::with_tolerance`](super::Sensitivity::with_tolerance).
//! `Log_{m₀}` makes it longer by a factor of at most `σ(x)`; `σ` grows.

use super::elementary::MARGIN;
use super::{Bound, RegularBall, frechet_mean};
use crate::error::Result;
use crate::manifold::Manifold;

/// Bound of the change of `Log_{m₀} m` when one of `n` records in the ball `B_r(m₀)` is replaced, `m` their computed
/// Fréchet mean: a point of the ball with `‖grad F(m)‖ ≤ tolerance`.
///
/// `2·tan(√κr)/(√κ·n) + 2·(tolerance/c)·√κr/sin(√κr)` for `κ > 0`, with the `c` of [`Sensitivity::with_tolerance`], and
/// `2r/n + 2·tolerance` for `κ ≤ 0`. For an exact mean it is the bound [`Bound::Optimal`] of the mean itself: the chart
/// costs nothing (user guide, \[M6\]).
///
/// [`Sensitivity::with_tolerance`]: super::Sensitivity::with_tolerance
///
/// # Errors
/// As [`frechet_mean`] with [`Bound::Optimal`], and as [`Sensitivity::with_tolerance`].
///
/// ```
/// use karcher::{manifold::Sphere, sensitivity::{chart_mean, frechet_mean}};
/// let sphere = Sphere::new(2)?;
/// let in_chart = chart_mean(&sphere, 0.5, 100, 0.0)?;
/// assert!((in_chart / frechet_mean(&sphere, 0.5, 100, None)?.value() - 1.0).abs() < 1e-11);
/// assert!(chart_mean(&sphere, 0.5, 100, 1e-6)? > in_chart);
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn chart_mean(manifold: &dyn Manifold, radius: f64, n: usize, tolerance: f64) -> Result<f64> {
    let mean = frechet_mean(manifold, radius, n, Some(Bound::Optimal))?;
    let allowance = mean.allowance(tolerance)? * stretch(&mean.ball);
    Ok((mean.value() + allowance) * (1.0 + MARGIN))
}

/// `σ(√κr)`, the most that `Log_{m₀}` stretches a path in the ball by.
pub(super) fn stretch(ball: &RegularBall) -> f64 {
    if ball.sqrt_kappa > 0.0 { ball.x() / ball.x().sin() * (1.0 + MARGIN) } else { 1.0 }
}
