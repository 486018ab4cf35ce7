//! Exponential deviates, and events of probability `e^(−x)`, from comparisons alone (von Neumann 1951).
//!
//! **Falling runs.** Let `u₁, u₂, …` be independent and uniform on (0, 1), and `0 ≤ x ≤ 1`. The event `x > u₁ > … > uₙ`
//! has probability `xⁿ/n!`: all `n` numbers are below `x`, and one of their `n!` orders. So the run of numbers that
//! falls from `x` has length at least `n` with probability `xⁿ/n!`, and an even length with probability
//! `Σ (−1)ⁿ·xⁿ/n! = e^(−x)`. The series converges absolutely, and a run ends with probability 1.
//!
//! **An exponential deviate.** Draw `x` uniform and accept it with probability `e^(−x)`; after each refusal raise `k`,
//! 0 at first, by 1 and draw another. A refusal has probability `1 − ∫₀¹ e^(−x) dx = e^(−1)`. The density of `k + x` at
//! `k + x` is therefore `e^(−k)·e^(−x) = e^(−(k+x))`. ∎

use super::bits::{Mixed, Uniform, Words};

/// A number of density `e^(−t)` on (0, ∞).
pub(super) fn exponential(words: &mut impl Words) -> Mixed {
    let mut whole = 0;
    loop {
        let mut fraction = Uniform::draw(words);
        if falls_evenly(&mut fraction, words) {
            return Mixed { whole, fraction };
        }
        whole += 1;
    }
}

/// An event of probability `e^(−x)`: the run that falls from `x` has an even length.
///
/// It does if it has length 0, or if the run that falls from its first number has an odd length. The calls are `n` deep
/// with probability `xⁿ/n!`, ten deep once in millions of times.
pub(super) fn falls_evenly(x: &mut Uniform, words: &mut impl Words) -> bool {
    let mut next = Uniform::draw(words);
    !next.is_below(x, words) || !falls_evenly(&mut next, words)
}

/// An event of probability `e^(−1/2)`: the run that falls from ½ has an even length.
pub(super) fn half_falls_evenly(words: &mut impl Words) -> bool {
    let mut next = Uniform::draw(words);
    !next.is_below_ratio(1, 2, words) || !falls_evenly(&mut next, words)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CRITICAL, Fixed, as_f64, kolmogorov};
    use super::*;
    use crate::noise::Generator;

    #[test]
    fn a_run_ends_where_it_rises() {
        let evenly = |run: &[u64]| {
            let mut words = Fixed::new(run);
            let mut x = Uniform::draw(&mut words);
            let even = falls_evenly(&mut x, &mut words);
            assert_eq!(words.taken(), run.len());
            even
        };
        assert!(evenly(&[50, 60]));
        assert!(!evenly(&[50, 40, 60]));
        assert!(evenly(&[50, 40, 30, 60]));
        assert!(!evenly(&[50, 40, 30, 20, 21]));
    }

    #[test]
    fn exponential_deviates_have_their_law() {
        let mut generator = Generator::seeded(11);
        let sample: Vec<f64> = (0..1_200_000).map(|_| as_f64(exponential(&mut generator))).collect();
        assert!(kolmogorov(sample.clone(), |t| -(-t).exp_m1()) < CRITICAL);
        assert!(kolmogorov(sample, |t| -(-1.01 * t).exp_m1()) > CRITICAL);
    }

    #[test]
    fn the_root_of_e_has_its_frequency() {
        let n = 1_000_000;
        let mut generator = Generator::seeded(12);
        let hits = (0..n).filter(|_| half_falls_evenly(&mut generator)).count() as f64;
        let p = (-0.5_f64).exp();
        // five standard errors: wrong once in two million times
        assert!((hits / n as f64 - p).abs() < 5.0 * (p * (1.0 - p) / n as f64).sqrt());
    }
}
