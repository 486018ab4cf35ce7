//! `round(Z)`, `Z` of density `∝ e^(−‖z‖/σ)` on R^d, for every `d ≥ 1`.
//!
//! **A normal law of random scale.** `Z = σ·√(2V)·G`, `G` a vector of `d` independent standard normal numbers and `V`
//! independent of it with the law Gamma((d+1)/2), of density `∝ v^((d−1)/2)·e^(−v)`. Proof for σ = 1: given `V = v` the
//! density at `z`, `r = ‖z‖`, is `∝ v^(−d/2)·e^(−r²/(4v))`. Hence that of `Z` is proportional to
//!
//! `∫₀^∞ v^(−d/2)·e^(−r²/(4v))·v^((d−1)/2)·e^(−v) dv = ∫₀^∞ v^(−1/2)·e^(−v − r²/(4v)) dv = √π·e^(−r)`.
//!
//! The last integral is, with `v = s²`, `2·∫₀^∞ e^(−(s − r/(2s))² − r) ds`. Replacing `s` by `r/(2s)` gives the same
//! with `r/(2s²) ds` for `ds`. Their mean is `e^(−r)·∫₀^∞ e^(−w²)·(1 + r/(2s²)) ds` with `w = s − r/(2s)`, which is
//! `e^(−r)·∫ e^(−w²) dw` over the real line. ∎
//!
//! **The scale.** A sum of `h` exponential numbers has the law Gamma(h), and `½G₀²` with a normal `G₀` has the law
//! Gamma(½). So `V` is a sum of `(d+1)/2` exponential numbers if `d` is odd, and of `d/2` of them and `½G₀²` if it is
//! even.
//!
//! **Intervals.** With `L` limbs, `P = 64·L` binary places, an exponential number lies in `[a, a+1]·2^(−P)`, `|G₀|` in
//! `[b, b+1]·2^(−P)`. Hence `2V·2^(2P)` lies between the integers
//!
//! `2^(P+1)·Σa + b²` and `2^(P+1)·(Σa + h) + (b+1)²`,
//!
//! and `√(2V)·2^P` between the root of the first, rounded down, and that of the second, rounded down, plus 1. Times
//! `[c, c+1]` for the coordinate `|Gᵢ|·2^P`, and times `m`, these are the ends of `|Zᵢ|` in units of `2^(e − 2P)`.
//! Coordinates whose rounding they leave open get another limb, and so does `V`. The ends close in on `Zᵢ`, so that
//! this ends with probability 1 ([`super::scale`]).

use super::bits::{Mixed, Words};
use super::exponential::exponential;
use super::normal::Normal;
use super::scale::Scale;
use dashu_int::ops::SquareRoot;
use dashu_int::{IBig, UBig};

/// Draws the rounded noise of `dim` coordinates.
pub(super) fn laplace(scale: &Scale, dim: usize, words: &mut impl Words) -> Vec<IBig> {
    let mut spread = Spread::draw(dim, words);
    let mut direction: Vec<Normal> = (0..dim).map(|_| Normal::draw(words)).collect();
    let mut rounded: Vec<Option<IBig>> = vec![None; dim];
    let mut limbs = scale.first_limbs();
    while rounded.contains(&None) {
        let (low, high) = spread.ends(limbs, words);
        let (low, high) = (low * scale.mantissa(), high * scale.mantissa());
        for (normal, rounded) in direction.iter_mut().zip(&mut rounded).filter(|(_, rounded)| rounded.is_none()) {
            let magnitude = normal.magnitude.floor(limbs, words);
            let (near, far) = (&low * &magnitude, &high * (magnitude + UBig::ONE));
            *rounded = scale.round(normal.negative, near, far, 128 * limbs);
        }
        limbs += 1;
    }
    rounded.into_iter().flatten().collect()
}

/// `√(2V)`.
struct Spread {
    exponentials: Vec<Mixed>,
    /// `|G₀|`, where the dimension is even.
    normal: Option<Mixed>,
}

impl Spread {
    fn draw(dim: usize, words: &mut impl Words) -> Self {
        let exponentials = (0..dim.div_ceil(2)).map(|_| exponential(words)).collect();
        let normal = dim.is_multiple_of(2).then(|| Normal::draw(words).magnitude);
        Self { exponentials, normal }
    }

    /// Integers between which `√(2V)·2^(64·limbs)` lies.
    fn ends(&mut self, limbs: usize, words: &mut impl Words) -> (UBig, UBig) {
        let sum = self.exponentials.iter_mut().fold(UBig::ZERO, |sum, number| sum + number.floor(limbs, words));
        let mut low = &sum << (64 * limbs + 1);
        let mut high = (sum + self.exponentials.len()) << (64 * limbs + 1);
        if let Some(normal) = &mut self.normal {
            let magnitude = normal.floor(limbs, words);
            low += &magnitude * &magnitude;
            let magnitude = magnitude + UBig::ONE;
            high += &magnitude * &magnitude;
        }
        (low.sqrt(), high.sqrt() + UBig::ONE)
    }
}
