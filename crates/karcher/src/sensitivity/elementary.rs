//! Elementary functions of the bounds.

/// `2⁻⁴⁰`, a relative margin far above the error of a few elementary functions.
pub(super) const MARGIN: f64 = 1.0 / (1u64 << 40) as f64;

/// `g(s) = s·cot s`, the smallest eigenvalue of the Hessian of `½ρ²` at distance `0 < s < π` where `κ = 1`.
pub(super) fn g(s: f64) -> f64 {
    s / s.tan()
}
