//! Normal deviates from comparisons alone (C. F. F. Karney 2016, *Sampling exactly from the normal distribution*).
//!
//! A normal deviate is `±(k + x)`, `k` an integer, `x` a fraction, of density `∝ e^(−(k+x)²/2)`. Because
//!
//! `(k + x)²/2 = k/2 + k(k−1)/2 + (k·x + x²/2)`,
//!
//! it is drawn so:
//! 1. `k` has probability `∝ e^(−k/2)`: the number of events of probability `e^(−1/2)` until one does not happen.
//! 2. It is accepted with probability `e^(−k(k−1)/2)`: if `k(k−1)` events of probability `e^(−1/2)` all happen.
//! 3. `x` is uniform, and accepted with probability `e^(−(k·x + x²/2))`: if `k` events of probability `e^(−x)` and one
//!    of probability `e^(−x²/2)` all happen.
//! 4. The sign is a coin.
//!
//! After a refusal everything starts anew. All events are independent given `(k, x)`, so that an accepted pair has a
//! density proportional to the product of the three factors: the law is exact. ∎
//!
//! **An event of probability `e^(−x²/2)`** is a falling run ([`super::exponential`]) that is thinned: the run
//! `x > u₁ > u₂ > …` goes on to `uᵢ` only if besides a coin shows heads and a number `vᵢ` is below `x`. It has length
//! at least `n` with probability `(xⁿ/n!)·(x/2)ⁿ = (x²/2)ⁿ/n!`, hence an even length with probability `e^(−x²/2)`.
//!
//! Only comparisons look at digits of `x` here. The others remain uniform.

use super::bits::{Mixed, Uniform, Words, coin};
use super::exponential::{falls_evenly, half_falls_evenly};

/// A standard normal number.
#[derive(Debug)]
pub(super) struct Normal {
    pub(super) negative: bool,
    pub(super) magnitude: Mixed,
}

impl Normal {
    /// Draws one.
    pub(super) fn draw(words: &mut impl Words) -> Self {
        loop {
            let whole = geometric(words);
            if !accepts_whole(whole, words) {
                continue;
            }
            let mut fraction = Uniform::draw(words);
            if accepts_fraction(whole, &mut fraction, words) {
                return Self { negative: coin(words), magnitude: Mixed { whole, fraction } };
            }
        }
    }
}

/// Step 1: `k` with probability `∝ e^(−k/2)`.
fn geometric(words: &mut impl Words) -> u64 {
    let mut k = 0;
    while half_falls_evenly(words) {
        k += 1;
    }
    k
}

/// Step 2: an event of probability `e^(−k(k−1)/2)`.
fn accepts_whole(k: u64, words: &mut impl Words) -> bool {
    (0..k * k.saturating_sub(1)).all(|_| half_falls_evenly(words))
}

/// Step 3: an event of probability `e^(−(k·x + x²/2))`.
fn accepts_fraction(k: u64, x: &mut Uniform, words: &mut impl Words) -> bool {
    (0..k).all(|_| falls_evenly(x, words)) && falls_evenly_thinned(x, words)
}

/// An event of probability `e^(−x²/2)`: the thinned run that falls from `x` has an even length.
fn falls_evenly_thinned(x: &mut Uniform, words: &mut impl Words) -> bool {
    let mut last: Option<Uniform> = None;
    let mut even = true;
    // the coin first, because it is the cheapest of the three to be refused by
    while coin(words) {
        let mut next = Uniform::draw(words);
        let falls = next.is_below(last.as_mut().unwrap_or(&mut *x), words);
        if !(falls && Uniform::draw(words).is_below(x, words)) {
            break;
        }
        last = Some(next);
        even = !even;
    }
    even
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CRITICAL, as_f64, kolmogorov, normal_cdf};
    use super::*;
    use crate::noise::Generator;

    fn distance(n: usize, mut draw: impl FnMut(&mut Generator) -> Normal) -> f64 {
        let mut generator = Generator::seeded(21);
        let sample = (0..n).map(|_| signed(draw(&mut generator))).collect();
        kolmogorov(sample, normal_cdf)
    }

    fn signed(normal: Normal) -> f64 {
        let magnitude = as_f64(normal.magnitude);
        if normal.negative { -magnitude } else { magnitude }
    }

    #[test]
    fn normal_deviates_have_their_law() {
        assert!(distance(1_000_000, Normal::draw) < CRITICAL);
    }

    /// A draw with a step left out.
    fn careless(with_whole: bool, with_fraction: bool, words: &mut Generator) -> Normal {
        loop {
            let whole = geometric(words);
            if with_whole && !accepts_whole(whole, words) {
                continue;
            }
            let mut fraction = Uniform::draw(words);
            if !with_fraction || accepts_fraction(whole, &mut fraction, words) {
                return Normal { negative: coin(words), magnitude: Mixed { whole, fraction } };
            }
        }
    }

    #[test]
    fn a_step_that_is_left_out_is_found() {
        assert!(distance(100_000, |words| careless(true, true, words)) < CRITICAL);
        assert!(distance(100_000, |words| careless(false, true, words)) > CRITICAL);
        assert!(distance(100_000, |words| careless(true, false, words)) > CRITICAL);
    }

    #[test]
    fn thinned_runs_have_their_frequency() {
        // ∫₀¹ e^(−x²/2) dx
        let p = 0.855_624_391_892_148_8;
        let n = 1_000_000;
        let mut generator = Generator::seeded(22);
        let hits =
            (0..n).filter(|_| falls_evenly_thinned(&mut Uniform::draw(&mut generator), &mut generator)).count() as f64;
        // five standard errors: wrong once in two million times
        assert!((hits / n as f64 - p).abs() < 5.0 * (p * (1.0 - p) / n as f64).sqrt());
    }
}
