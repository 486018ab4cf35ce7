//! Noise on exact sums: what makes a guarantee hold for the bits that leave (user guide, X1–X3).
//!
//! The sum `S` of bounded integer vectors over the records is itself a vector of integers. With a real random vector `N`
//! the mechanism `S + N` has the guarantee that its proof gives it; `T = round(S + N)` is a function of what it
//! releases, so it has the same. And because `S` is in `Z^D`, `T = S + round(N)`, which is computed without any
//! rounding: `round(N)` is drawn exactly ([`VectorNoise`]), and integers are added. Everything after that, from the
//! division by `n` on, is processing of `T`.
//!
//! The scale of `N` in quanta is a double, hence a rational number, and rounded up: it is at least the one that the
//! sensitivity in quanta asks for.

use crate::error::Result;
use crate::noise::VectorNoise;
use crate::numerics::rounding::{div_up, mul_up};
use crate::records::Total;
use crate::sampler::{Generator, Law};

/// The mean of a sum with noise of a scale `σ`, in units of distance, on it: `(q/n)·(S + round(N))`, `q` the quantum.
pub(super) fn noisy_mean(total: &Total, law: Law, scale: f64, generator: &mut Generator) -> Result<Vec<f64>> {
    let n = total.count() as f64;
    let noise = VectorNoise::new(law, in_quanta(scale, n, total.quantum()))?;
    let noisy = noise.added_to(total.integers(), generator);
    Ok(noisy.into_iter().map(|t| t * total.quantum() / n).collect())
}

/// `σ·n/q`, rounded up.
pub(super) fn in_quanta(scale: f64, n: f64, quantum: f64) -> f64 {
    div_up(mul_up(scale, n), quantum)
}
