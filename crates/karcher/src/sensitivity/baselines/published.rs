//! The published bound, kept for comparison: Reimherr, Bharath and Soto 2021, "Differential Privacy Over Riemannian
//! Manifolds", Theorem 2 (their `h(r, κ)` is `g(2r)`).

use crate::sensitivity::elementary::g;
use std::f64::consts::FRAC_PI_4;

/// `π/4`, where `g(2x)` vanishes.
pub(in crate::sensitivity) const LIMIT: f64 = FRAC_PI_4;

/// `n·Δ ≤ 2x(2 − g(2x)) / g(2x)`.
pub(in crate::sensitivity) fn unit(x: f64) -> f64 {
    let g = g(2.0 * x);
    2.0 * x * (2.0 - g) / g
}
