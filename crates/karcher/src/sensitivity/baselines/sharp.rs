//! The averaged Hessian with the exact diameter, kept for comparison. Lengths are in units of `1/√κ`.
//!
//! The proof of the bound by the averaged Hessian, steps 1 to 3, with the smallest upper bound of `‖Log_m x − Log_m y‖`
//! ([`gradient`]) instead of step 4.

use super::averaged_hessian;
use crate::sensitivity::gradient;

/// Where the averaged Hessian vanishes.
pub(in crate::sensitivity) const LIMIT: f64 = averaged_hessian::LIMIT;

/// `n·Δ ≤ D(x) / (¾ + ¼·g(2x))`.
pub(in crate::sensitivity) fn unit(x: f64) -> f64 {
    gradient::unit(x) / averaged_hessian::hessian(x)
}
