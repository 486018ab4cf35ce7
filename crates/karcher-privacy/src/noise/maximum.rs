//! The place of the largest of several confidential scores, after noise: exact.
//!
//! Scores `s₁, …, s_J` are integers, and a record moves each of them by at most 1. The release is the `j` of the
//! largest `(ε/2)·s_j + N_j`, with independent `N_j` of one of two laws.
//!
//! # Exponential noise, for pure ε
//!
//! `N_j` has the density `e^(−t)`: report noisy maximum, which has the law of permute-and-flip (McKenna and Sheldon
//! 2020; Ding, Kifer, Sayed, Steinke, Wang, Xiao and Zhang 2021).
//!
//! **Theorem.** This release is `ε`-differentially private.
//!
//! **Proof.** Take a `j` and all `N_i`, `i ≠ j`, as given. `j` is released if
//! `N_j > t = max_{i≠j}((ε/2)·s_i + N_i) − (ε/2)·s_j`. For a neighbour all scores are at most 1 off, so that its
//! `t′ ≤ t + ε`. And `P(N_j > t) = e^(−max{t, 0})` falls by a factor of at most `e^(−ε)` from `t` to `t + ε`. So the
//! probability that `j` is released is at least `e^(−ε)` times as large for the neighbour, given any `N_i`, hence
//! without them too. ∎
//!
//! **The law**, for rehearsals: with `g_i = (ε/2)·(max s − s_i)`, the place `j` has the probability `e^(−g_j)·∫₀^∞
//! e^(−t)·Π_{i≠j}(1 − e^(−t−g_i)) dt = e^(−g_j)·Σ_S (−1)^|S|/(|S| + 1)·e^(−Σ_S g_i)`, over all sets `S` of other
//! places. With `u = e^(−t)` the integral is that of a polynomial of degree `J − 1` from 0 to 1, for which a
//! Gauss–Legendre rule is exact.
//!
//! # Gumbel noise, for μ and ρ
//!
//! `N_j = −ln E_j`, with `E_j` of density `e^(−t)`.
//!
//! **Theorem.** The place `j` has the probability `e^((ε/2)·s_j)/Σ_i e^((ε/2)·s_i)`: it is the exponential mechanism of
//! bounded range `ε`.
//!
//! **Proof.** `(ε/2)·s_j − ln E_j` is largest where `e^(−(ε/2)·s_j)·E_j` is smallest. These are independent exponential
//! numbers of rates `e^((ε/2)·s_j)`, and the smallest is each of them with a probability in proportion to its rate. For
//! neighbours, the logarithm of the quotient of two probabilities is `(ε/2)·(s_j − s′_j)`, which lies in `[−ε/2, ε/2]`,
//! and a number that is the same for all `j`. ∎
//!
//! A bounded range of `ε` costs less than `ρ = ε²/8`, and the `μ` of pure `ε/2` (user guide, \[P2\]). So for the same
//! `μ` this law has exactly twice the `ε`, and for the same `ρ ≤ ½` at least 1.9 times. With twice the `ε` its places
//! are at least as good: for two of them `1/(1 + e^(2x)) ≤ e^(−x)/2`.
//!
//! # Bits
//!
//! ε is rounded down to a multiple of `2⁻⁵²`, so `(ε/2)·s_j` is an integer times `2⁻⁵³`. The first limbs of `E_j`, `L`
//! of them, give two integers that enclose `N_j` in units of `2^(−64·L)`. A place whose upper bound does not exceed the
//! largest lower one cannot win. The others get another limb, until one is left. (Nearly always the first 53 binary
//! places decide, which fit a machine's integers.) No floating-point number decides, and the draw ends with probability
//! 1.
//!
//! The words that are drawn, and the time, depend on chance and on the number of scores. They depend on the scores only
//! where the intervals of the two largest meet, with a probability of about `2⁻⁵³` or, for Gumbel noise, `2⁻³⁸`.

use super::bits::{Mixed, Words};
use super::exponential::exponential;
use super::gumbel::Logarithm;
use crate::error::{Error, Result};
use crate::noise::Generator;
use dashu_int::{IBig, UBig};
use gauss_quad::GaussLegendre;
use std::num::NonZeroUsize;

/// Noise for choosing the largest of several scores: exponential noise for pure ε, Gumbel noise for μ and ρ.
///
/// ```
/// use karcher_privacy::noise::{Generator, NoisyMaximum};
/// let choice = NoisyMaximum::new(1.0)?; // ε
/// assert_eq!(choice.place(&[3, 900, 41], &mut Generator::from_os()?), 1); // another with probability e^{−400}
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoisyMaximum {
    /// `ε/2` in units of `2⁻⁵³`.
    half_epsilon: u64,
    law: ScoreNoise,
}

/// The law of the noise on a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ScoreNoise {
    Exponential,
    Gumbel,
}

/// The binary places of `ε/2`.
const PLACES: usize = 53;

/// A larger ε is taken for this one.
const LARGEST: f64 = 1024.0;

impl NoisyMaximum {
    /// The choice that is `ε`-private for scores that a record moves by at most 1, by exponential noise.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless ε is positive and finite.
    ///
    /// ```
    /// use karcher_privacy::noise::NoisyMaximum;
    /// assert!(NoisyMaximum::new(0.0).is_err());
    /// ```
    pub fn new(epsilon: f64) -> Result<Self> {
        Ok(Self { half_epsilon: half(epsilon)?, law: ScoreNoise::Exponential })
    }

    /// The choice of bounded range `ε` for such scores: the exponential mechanism, by Gumbel noise.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless ε is positive and finite.
    ///
    /// ```
    /// use karcher_privacy::{noise::NoisyMaximum, range_for_rho};
    /// let range = range_for_rho(0.5)?; // ε = 2.056
    /// let law = NoisyMaximum::of_range(range)?.law(&[7.0, 6.0]);
    /// assert!((law[0] / law[1] - (range / 2.0).exp()).abs() < 1e-12);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn of_range(epsilon: f64) -> Result<Self> {
        Ok(Self { half_epsilon: half(epsilon)?, law: ScoreNoise::Gumbel })
    }

    /// The place of the largest score with noise, from 0; 0 where there are no scores.
    ///
    /// ```
    /// use karcher_privacy::noise::{Generator, NoisyMaximum};
    /// assert!(NoisyMaximum::new(0.5)?.place(&[5, 6], &mut Generator::seeded(1)) < 2);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn place(&self, scores: &[i64], generator: &mut Generator) -> usize {
        self.place_from(scores, generator)
    }

    /// The probability of each place, for scores that need not be integers. They are made up: the law of confidential
    /// ones is confidential.
    ///
    /// ```
    /// use karcher_privacy::noise::NoisyMaximum;
    /// assert_eq!(NoisyMaximum::new(1.0)?.law(&[2.0, 2.0]), [0.5, 0.5]);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn law(&self, scores: &[f64]) -> Vec<f64> {
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let half_epsilon = self.half_epsilon as f64 / (1_u64 << PLACES) as f64;
        let weights: Vec<f64> = scores.iter().map(|score| f64::exp(-half_epsilon * (most - score))).collect();
        if self.law == ScoreNoise::Gumbel {
            let all: f64 = weights.iter().sum();
            return weights.into_iter().map(|weight| weight / all).collect();
        }
        // exact up to the degree 2·nodes − 1
        let nodes = NonZeroUsize::MIN.saturating_add(scores.len() / 2);
        let mut law = vec![0.0; scores.len()];
        for (x, width) in GaussLegendre::new(nodes).iter() {
            let u = 0.5 * (x + 1.0);
            let all: f64 = weights.iter().map(|weight| 1.0 - u * weight).product();
            for (probability, weight) in law.iter_mut().zip(&weights) {
                *probability += 0.5 * width * weight * all / (1.0 - u * weight);
            }
        }
        law
    }

    pub(super) fn place_from(&self, scores: &[i64], words: &mut impl Words) -> usize {
        let mut noise: Vec<Mixed> = scores.iter().map(|_| exponential(words)).collect();
        let few = Logarithm::<u128>::new(PLACES);
        let mut left = contenders(0..scores.len(), |j| {
            let (below, above) = match self.law {
                ScoreNoise::Exponential => unit(noise[j].floor_of_first(PLACES)),
                ScoreNoise::Gumbel => few.gumbel_of_first(&noise[j]),
            };
            let score = i128::from(scores[j]) * i128::from(self.half_epsilon);
            (score + below, above.map(|above| score + above))
        });
        let mut limbs = 1;
        while left.len() > 1 {
            let many = Logarithm::<UBig>::new(64 * limbs);
            left = contenders(left, |j| {
                let (below, above) = match self.law {
                    ScoreNoise::Exponential => unit(IBig::from(noise[j].floor(limbs, words))),
                    ScoreNoise::Gumbel => many.gumbel(&mut noise[j], limbs, words),
                };
                let score = (IBig::from(scores[j]) * self.half_epsilon) << (64 * limbs - PLACES);
                (score.clone() + below, above.map(|above| score + above))
            });
            limbs += 1;
        }
        left.first().copied().unwrap_or(0)
    }
}

/// `ε/2` in units of `2⁻⁵³`: exact, up to rounding down.
fn half(epsilon: f64) -> Result<u64> {
    if !(epsilon > 0.0 && epsilon.is_finite()) {
        let requirement = "it must be a positive number".to_owned();
        return Err(Error::InvalidParameter { name: "epsilon", value: epsilon, requirement });
    }
    Ok((epsilon.min(LARGEST) * (1_u64 << (PLACES - 1)) as f64).floor() as u64)
}

/// The bounds of a number between two integers.
fn unit<T: Clone + std::ops::Add<Output = T> + From<u8>>(below: T) -> (T, Option<T>) {
    (below.clone(), Some(below + T::from(1)))
}

/// The places, of some, whose number may be the largest. A number lies between its bounds, and may have no upper one.
fn contenders<T: Ord>(
    places: impl IntoIterator<Item = usize>,
    mut bounds: impl FnMut(usize) -> (T, Option<T>),
) -> Vec<usize> {
    let all: Vec<(usize, T, Option<T>)> =
        places.into_iter().map(|j| (j, bounds(j))).map(|(j, b)| (j, b.0, b.1)).collect();
    let most = all.iter().map(|(_, below, _)| below).max();
    let may_win = |above: &Option<T>| above.as_ref().is_none_or(|above| most.is_none_or(|most| above > most));
    all.iter().filter(|(_, _, above)| may_win(above)).map(|(j, _, _)| *j).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Fixed, p_value};
    use super::*;

    /// The exact law of the place.
    fn law(scores: &[i64], epsilon: f64) -> Vec<f64> {
        let most = scores.iter().max().copied().unwrap_or(0);
        let gap = |i: usize| 0.5 * epsilon * (most - scores[i]) as f64;
        let of = |j: usize| {
            let others: Vec<usize> = (0..scores.len()).filter(|i| *i != j).collect();
            let sets = 0..1_u32 << others.len();
            let term = |set: u32| {
                let chosen = others.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1).map(|(_, i)| gap(*i));
                let (size, sum) = chosen.fold((0, 0.0), |(size, sum), gap| (size + 1, sum + gap));
                let sign = if size % 2 == 0 { 1.0 } else { -1.0 };
                sign / f64::from(size + 1) * f64::exp(-sum)
            };
            f64::exp(-gap(j)) * sets.map(term).sum::<f64>()
        };
        (0..scores.len()).map(of).collect()
    }

    #[test]
    fn the_law_of_a_rehearsal_is_the_sum_over_sets() {
        for epsilon in [0.01, 0.7, 40.0] {
            for scores in [&[0, 0, 0, 0, 0][..], &[-3, 0, -1, -8], &[-40, -2, -1, 0, -1, -2, -3, -4], &[7], &[]] {
                let as_numbers: Vec<f64> = scores.iter().map(|score| *score as f64).collect();
                let found = NoisyMaximum::new(epsilon).unwrap().law(&as_numbers);
                assert_eq!(found.len(), scores.len());
                for (found, expected) in found.iter().zip(law(scores, epsilon)) {
                    assert!((found - expected).abs() < 1e-12, "{epsilon}, {scores:?}: {found} {expected}");
                }
            }
        }
        let many: f64 = NoisyMaximum::new(0.1).unwrap().law(&vec![0.0; 145]).iter().sum();
        assert!((many - 1.0).abs() < 1e-12, "{many}");
    }

    #[test]
    fn the_law_sums_to_one_and_keeps_epsilon_for_all_neighbours() {
        let epsilon = 0.7;
        for scores in [[0, 0, 0, 0], [-3, 0, -1, -8], [-40, -2, -1, 0]] {
            let here = law(&scores, epsilon);
            assert!((here.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{here:?}");
            let mut largest = 0.0_f64;
            // every way in which a record may move the scores
            for way in 0..81 {
                let moved: [i64; 4] = std::array::from_fn(|j| scores[j] + (way / 3_i64.pow(j as u32)) % 3 - 1);
                for (a, b) in here.iter().zip(law(&moved, epsilon)) {
                    largest = largest.max((a / b).ln().abs());
                }
            }
            assert!(largest <= epsilon + 1e-12, "{largest}");
            assert!(largest > 0.4 * epsilon, "the neighbours tell nothing: {largest}");
        }
    }

    /// Draws of a choice have a law, and not that of an ε which is 6 % off. Each p-value is below 10⁻⁶ with that
    /// probability for the right law.
    fn assert_law(choice: fn(f64) -> Result<NoisyMaximum>, law: impl Fn(&[i64], f64) -> Vec<f64>) {
        let draws = 400_000;
        for (seed, scores, epsilon) in [
            (1, &[0, -1][..], 1.0),
            (2, &[-3, 0, -1, -8, -2], 0.9),
            (3, &[-20_000, 0, -5_000], 3e-4),
            (4, &[7; 6], 2.0),
        ] {
            let noise = choice(epsilon).unwrap();
            let mut generator = Generator::seeded(seed);
            let mut counts = vec![0.0; scores.len()];
            (0..draws).for_each(|_| counts[noise.place(scores, &mut generator)] += 1.0);
            let p = |epsilon: f64| {
                let expected = law(scores, epsilon).into_iter().map(|p| p * f64::from(draws));
                p_value(counts.iter().copied().zip(expected))
            };
            assert!(p(epsilon) > 1e-6, "{scores:?}: {counts:?}");
            let differ = scores.iter().any(|s| *s != scores[0]);
            assert!(!differ || (p(1.06 * epsilon) < 1e-6 && p(0.94 * epsilon) < 1e-6), "{scores:?}: no power");
            let rehearsed = noise.law(&scores.iter().map(|score| *score as f64).collect::<Vec<f64>>());
            assert!(rehearsed.iter().zip(law(scores, epsilon)).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    #[test]
    fn places_have_their_law() {
        assert_law(NoisyMaximum::new, law);
    }

    /// Weights `e^((ε/2)·s)`.
    #[test]
    fn places_of_the_exponential_mechanism_have_their_law() {
        assert_law(NoisyMaximum::of_range, |scores, epsilon| {
            let most = scores.iter().max().copied().unwrap_or(0);
            let weights = || scores.iter().map(|score| (0.5 * epsilon * (score - most) as f64).exp());
            weights().map(|weight| weight / weights().sum::<f64>()).collect()
        });
    }

    /// Every way in which a record may move three scores: the Gaussian and the concentrated guarantee of the range hold
    /// of the exact law. Exponential
    /// noise does not keep them.
    #[test]
    fn a_bounded_range_keeps_its_guarantees() {
        use crate::{mu_for_range, rho_for_range};
        let divergence = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(p, q)| p * (p / q).ln()).sum() };
        for epsilon in [0.3, 1.0, 3.0] {
            let normal = crate::Guarantee::gaussian(mu_for_range(epsilon).unwrap()).unwrap();
            let rho = rho_for_range(epsilon).unwrap();
            let (mut largest, mut by_maximum, mut nearest) = (0.0_f64, 0.0_f64, f64::INFINITY);
            for scores in [[0, 0, 0], [-3, 0, -1], [-9, 0, -1], [0, 1, 5]] {
                let of = |noise: NoisyMaximum, s: [i64; 3]| noise.law(&s.map(|score| score as f64));
                let range = NoisyMaximum::of_range(epsilon).unwrap();
                let here = of(range, scores);
                for way in 0..27 {
                    let moved: [i64; 3] = std::array::from_fn(|j| scores[j] + (way / 3_i64.pow(j as u32)) % 3 - 1);
                    let there = of(range, moved);
                    largest = largest.max(divergence(&here, &there));
                    let pure = NoisyMaximum::new(epsilon).unwrap();
                    by_maximum = by_maximum.max(divergence(&of(pure, scores), &of(pure, moved)));
                    for at in 0..=20 {
                        let e = 0.05 * f64::from(at) * epsilon;
                        let delta: f64 = here.iter().zip(&there).map(|(p, q)| (p - e.exp() * q).max(0.0)).sum();
                        let allowed = normal.delta(e).unwrap();
                        assert!(delta <= allowed, "{epsilon} {scores:?} {moved:?} {e}: {delta} {allowed}");
                        nearest = nearest.min(allowed / delta.max(1e-300));
                    }
                }
            }
            assert!(largest <= rho && largest > 0.6 * rho, "{epsilon}: {largest} {rho}");
            assert!(by_maximum > 1.02 * rho, "{epsilon}: {by_maximum} {rho}");
            assert!(nearest < 1.1, "{epsilon}: the neighbours tell nothing: {nearest}");
        }
    }

    #[test]
    fn equal_intervals_are_told_apart_by_later_digits() {
        let noise = NoisyMaximum::new(1.0).unwrap();
        // an exponential number takes words until a run ends: 5, then 6 that is not below it
        let mut words = Fixed::new(&[5, 6, 5, 6, 1, 2]);
        assert_eq!(noise.place_from(&[3, 3], &mut words), 1);
        assert_eq!(words.taken(), 6);
        let mut words = Fixed::new(&[5, 6, 5, 6]);
        assert_eq!(noise.place_from(&[4, 3], &mut words), 0, "a score that is higher by one decides at once");
    }

    #[test]
    fn every_positive_epsilon_is_good_and_rounded_down() {
        for epsilon in [5e-324, 1e-20, 0.1, 1.0, 1e300] {
            let noise = NoisyMaximum::new(epsilon).unwrap();
            assert!(noise.half_epsilon as f64 / 2.0_f64.powi(52) <= epsilon);
            let place = noise.place(&[i64::MIN / 4, 0, i64::MIN / 4], &mut Generator::seeded(1));
            assert!(epsilon < 1e-19 || place == 1);
        }
        assert_eq!(NoisyMaximum::new(0.1).unwrap().half_epsilon, (0.1 * 2.0_f64.powi(52)) as u64);
        for none in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(NoisyMaximum::new(none).is_err());
        }
        assert_eq!(NoisyMaximum::new(1.0).unwrap().place(&[], &mut Generator::seeded(1)), 0);
    }
}
