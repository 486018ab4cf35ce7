//! `round(σ·G)`, `G` a vector of independent standard normal numbers.
//!
//! A normal number is `±(k + x)` with `a ≤ 2^(64·L)·(k + x) ≤ a + 1` when `L` limbs of `x` are known. So `σ·(k + x)`
//! lies between `m·a` and `m·(a + 1)`, in units of `2^(e − 64·L)`. Coordinates are drawn one after the other, each with
//! as many limbs as make its rounding certain ([`super::scale`]).

use super::bits::Words;
use super::normal::Normal;
use super::scale::Scale;
use dashu_int::IBig;

/// Draws the rounded noise of `dim` coordinates.
pub(super) fn gaussian(scale: &Scale, dim: usize, words: &mut impl Words) -> Vec<IBig> {
    (0..dim).map(|_| coordinate(scale, words)).collect()
}

/// Draws one coordinate.
fn coordinate(scale: &Scale, words: &mut impl Words) -> IBig {
    let mut normal = Normal::draw(words);
    let mut limbs = scale.first_limbs();
    loop {
        let low = normal.magnitude.floor(limbs, words) * scale.mantissa();
        let high = &low + scale.mantissa();
        if let Some(rounded) = scale.round(normal.negative, low, high, 64 * limbs) {
            return rounded;
        }
        limbs += 1;
    }
}
