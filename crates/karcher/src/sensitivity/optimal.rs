//! The smallest constant. Lengths are in units of `1/√κ`, so that `κ = 1`; `σ(s) = s/sin s`, `g(s) = s·cot s`.
//!
//! **Theorem.** Let all sectional curvatures be at most 1, `x < ½·min{inj, π}` and all records in `B = B_x(m₀)`.
//! Replacing one of `n` records moves their Fréchet mean by at most `2·tan(x)/n`. No smaller constant holds for all `n`
//! on a space that contains a totally geodesic unit sphere.
//!
//! **Proof.** Let `m ∈ B`, `a = ρ(m₀, m)`, `e` the unit vector at `m` towards `m₀` (any, if `a = 0`) and `b ∈ [0, x]`
//! the other leg of a right-angled spherical triangle with the leg `a` and the hypotenuse `x`: `cos x = cos a·cos b`.
//!
//! *1. A record seen from `m`.* Let `v = Log_m p`, `s = ‖v‖ ≤ 2x`, for a point `p` of `B`. Carry the minimal geodesic
//! from `m₀` to `p`, which stays in `B` and so within `2x < min{inj, π}` of `m`, by `Log_m` and the exponential map of
//! the unit sphere to that sphere. Rauch's theorem says that it gets no longer, hence the image of `p` is within `x` of
//! the image of `m₀`. By the law of cosines `cos a·cos s + sin a·⟨v, e⟩·sin s/s ≥ cos x`; times `σ(s)`,
//!
//! ```text
//! cos a·g(s) + sin a·⟨v, e⟩ ≥ cos x·σ(s).                                                             (1)
//! ```
//!
//! *2. Two records.* With `σ` and `−g`, which are power series in `s²` without negative coefficients after the
//! constant, `cos x·σ − cos a·g` is convex in `s²`, hence above its tangent at `s = b`, `½·cos a·(s² − b²)`. So (1)
//! gives `‖v‖² − b² ≤ 2·tan a·⟨v, e⟩`, which is
//!
//! ```text
//! ‖v − tan a·e‖² ≤ b² + tan²a,     hence     ‖Log_m p − Log_m q‖ ≤ 2·√(b² + tan²a).                   (2)
//! ```
//!
//! *3. The Hessian at a mean.* Let weights `wᵢ ≥ 0`, `Σ wᵢ = 1`, make `m` a critical point of `F = ½ Σ wᵢρ²(·, xᵢ)`:
//! `Σ wᵢvᵢ = 0`. Average (1): `cos a·ḡ ≥ cos x·σ̄`, where `ḡ = Σ wᵢg(sᵢ)`. Now `σ` is a convex function of `g`:
//! `−dσ/dg = (sin s − s·cos s)/(s − sin s·cos s)` increases with `s`, since the ratio of the derivatives,
//! `s/(2·sin s)`, does (and `g` decreases). So if `s̄` has `g(s̄) = ḡ`, Jensen's inequality gives `σ̄ ≥ σ(s̄)`, and
//! `cos a·cos s̄ ≥ cos x`: `s̄ ≤ b`. As `Hess ½ρ²(·, xᵢ) ≥ g(sᵢ)`,
//!
//! ```text
//! Hess F(m) ≥ ḡ ≥ g(b) ≥ g(x).                                                                        (3)
//! ```
//!
//! *4. The mean moves.* Let `m_t` be the mean when the record `p` that is replaced has the weight `(1−t)/n`, its
//! replacement `q` the weight `t/n` and the others `1/n`. It lies in `B` (Afsari 2011) and is smooth in `t` (implicit
//! functions and (3)), with `Hess F_t·m_t′ = (Log q − Log p)/n`. By (2) and (3)
//! `n·‖m_t′‖ ≤ 2·√(b² + tan²a)/g(b) ≤ 2·tan x`, since `tan²x = tan²a + tan²b + tan²a·tan²b` and so
//! `tan²x·g(b)² = b² + tan²a·(b/sin b)² ≥ b² + tan²a`. Integrate over `t`. ∎
//!
//! *No smaller constant.* On a great sphere put one half of the other records at each end of a diameter of `B`. Move
//! the last record from one end of a perpendicular diameter to the other. As `n → ∞` the Hessian across tends to
//! `g(x)`, `Log q − Log p` to `2x`, and `n` times the distance of the means to `2x/g(x) = 2·tan x`.
//!
//! *An inexact mean.* Where `‖grad F(m)‖ ≤ t` instead of `grad F(m) = 0`, step 3 gives `cos a·ḡ ≥ cos x·σ̄ − t·sin a`,
//! hence `Hess F(m) ≥ g(b) − t·tan a`: `cos a·g − cos x·σ` grows at least `cos a` times as fast as `g`. By step 4
//! `tan a ≤ tan x·g(b)`, so this is at least `g(b)·(1 − t·tan x) ≥ g(x)·(1 − t·tan x) = c`. The gradient flow from `m`
//! stays in `B`, since `−grad F` does not point outwards at its boundary by (1) with `a = x`. While `‖grad F‖ ≤ t` the
//! gradient decays at least like `e^(−cτ)`. So the flow ends at the mean after a path of length at most `t/c`. (The
//! mean is the only critical point in `B`: all of them are minima by (3), and the indices add up to 1. This holds since
//! at the boundary of a slightly larger ball, where no record is, (1) makes `−grad F` point inwards.)
//!
//! *The gradient away from the mean.* Let `m ∈ B`, `t = ‖grad F(m)‖`. If `t < g(x)/tan x`, then along the gradient flow
//! from `m` to the mean `‖grad F‖` decreases by at least `g(x) − ‖grad F‖·tan x` per unit of length. So the path is no
//! longer than `−ln(1 − t·tan x/g(x))/tan x`, and neither is the distance `s` of `m` from the mean. Hence, whatever `t`
//! is, `t ≥ (1 − e^{−s·tan x})·g(x)/tan x`, which is concave in `s` and about `g(x)·s` near the mean.

use super::elementary::{MARGIN, g};
use std::f64::consts::FRAC_PI_2;

/// `π/2`: the mean is unique below.
pub(super) const LIMIT: f64 = FRAC_PI_2;

/// `n·Δ ≤ 2·tan x`.
pub(super) fn unit(x: f64) -> f64 {
    2.0 * x.tan()
}

/// A lower bound of `‖grad F‖` at distance `s` from the mean, `(1 − e^{−s·tan x})·g(x)/tan x`.
pub(super) fn least_gradient(x: f64, s: f64) -> f64 {
    -(-s * x.tan()).exp_m1() * g(x) / x.tan() * (1.0 - MARGIN)
}
