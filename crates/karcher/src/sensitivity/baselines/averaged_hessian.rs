//! The bound by the averaged Hessian, kept for comparison. Lengths are in units of `1/√κ`.
//!
//! Let `m_t` minimise `F_t = ½ Σ wᵢ ρ²(·, xᵢ)`, where the record that is replaced has the weight `(1−t)/n`, the one
//! that replaces it `t/n` and the others `1/n`; `sᵢ = ρ(m_t, xᵢ) ≤ 2x`.
//!
//! 1. `F_t(m_t) ≤ F_t(m₀)`, hence `Σ wᵢsᵢ² ≤ x²`.
//! 2. `Hess ½ρ²(·, xᵢ) ≥ g(sᵢ)`, and `u ↦ g(√u) = 1 − 2Σ ζ(2j)·uʲ/π²ʲ` is concave and decreasing: above its chord over
//!    `[0, 4x²]`. Hence `Hess F_t(m_t) ≥ 1 − ¼(1 − g(2x)) = c`.
//! 3. `m_t` is smooth (implicit functions) and `n·c·‖m_t′‖ ≤ ‖Log x − Log y‖` with `Log = Log_{m_t}` at the two
//!    records.
//! 4. `‖D Log‖ ≤ s/sin s ≤ 2x/sin 2x` (Rauch) along the geodesic from `x` to `y`, which stays in the ball and is no
//!    longer than `2x`; also, both logarithms are no longer than `2x`. Integrate over `t`.

use crate::sensitivity::elementary::g;

/// Half the root `2.45564386287944…` of `3 + g = 0`, where `c` vanishes; rounded down, so that `c` stays above its own
/// rounding error.
pub(in crate::sensitivity) const LIMIT: f64 = 1.227_821_931_4;

/// `n·Δ ≤ min{2x·2x / sin 2x, 4x} / (¾ + ¼·g(2x))`.
pub(in crate::sensitivity) fn unit(x: f64) -> f64 {
    let diameter = 2.0 * x * (2.0 * x / (2.0 * x).sin()).min(2.0);
    diameter / hessian(x)
}

/// `c = ¾ + ¼·g(2x)`, a lower bound of the Hessian at the mean.
pub(in crate::sensitivity) fn hessian(x: f64) -> f64 {
    0.75 + 0.25 * g(2.0 * x)
}
