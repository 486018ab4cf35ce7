//! Random bits, and numbers whose digits are drawn on demand.
//!
//! A [`Uniform`] deviate is `0.w₁w₂w₃…` in base 2⁶⁴, its digits ("limbs") independent random words. That *is* the
//! uniform law on (0, 1): among the numbers that begin with given digits `w₁…w_L`, an interval of length `2^(−64·L)`,
//! it is again uniform. When a limb is drawn does not matter, because limbs are independent of each other and of
//! everything else: a decision that looked at `L` limbs is the decision that would have been made with all of them.
//!
//! **Comparisons.** Two numbers are ordered by the first limb in which they differ. So a comparison looks at limbs from
//! the first on, stops there, and is exact. Each limb fails to decide with probability 2⁻⁶⁴: it ends with probability
//! 1, nearly always after one limb. Ties, and a deviate whose digits end in zeros for ever, have probability 0.
//!
//! The order in which words are taken is part of the law for a fixed seed, the same on every platform. A deviate takes
//! its first word when it is made, the others one by one. If two are compared, the left one takes its word first.

use crate::noise::Generator;
use dashu_int::UBig;
use rand::Rng;

/// Independent, uniformly distributed words.
pub(super) trait Words {
    /// The next 64 random bits.
    fn word(&mut self) -> u64;
}

impl Words for Generator {
    fn word(&mut self) -> u64 {
        self.next_u64()
    }
}

/// An event of probability ½: the first bit of a word is 0.
pub(super) fn coin(words: &mut impl Words) -> bool {
    words.word() >> 63 == 0
}

/// A number uniformly distributed on (0, 1), with digits drawn on demand.
#[derive(Debug)]
pub(super) struct Uniform {
    /// Apart from the others, so that most deviates need no memory of their own.
    first: u64,
    later: Vec<u64>,
}

impl Uniform {
    /// A new deviate, independent of all others.
    pub(super) fn draw(words: &mut impl Words) -> Self {
        Self { first: words.word(), later: Vec::new() }
    }

    /// The limb `w₁`.
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// The limb `w_{i+1}`.
    fn limb(&mut self, i: usize, words: &mut impl Words) -> u64 {
        if i == 0 {
            return self.first;
        }
        while self.later.len() < i {
            self.later.push(words.word());
        }
        self.later[i - 1]
    }

    /// Whether this number is smaller than another.
    pub(super) fn is_below(&mut self, other: &mut Self, words: &mut impl Words) -> bool {
        let mut i = 0;
        loop {
            let (ours, theirs) = (self.limb(i, words), other.limb(i, words));
            if ours != theirs {
                return ours < theirs;
            }
            i += 1;
        }
    }

    /// Whether this number is smaller than `numerator/denominator < 1`: an event of exactly that probability.
    ///
    /// Long division yields the limbs of the fraction. Once it leaves no remainder the fraction's limbs are all 0, and
    /// a number that begins like it is not smaller.
    pub(super) fn is_below_ratio(&mut self, numerator: u64, denominator: u64, words: &mut impl Words) -> bool {
        debug_assert!(numerator < denominator);
        let (mut remainder, denominator) = (u128::from(numerator), u128::from(denominator));
        let mut i = 0;
        while remainder != 0 {
            let limb = u128::from(self.limb(i, words));
            let theirs = (remainder << 64) / denominator;
            if limb != theirs {
                return limb < theirs;
            }
            remainder = (remainder << 64) % denominator;
            i += 1;
        }
        false
    }
}

/// A number `k + x`: an integer `k ≥ 0` and a fraction with digits drawn on demand.
#[derive(Debug)]
pub(super) struct Mixed {
    pub(super) whole: u64,
    pub(super) fraction: Uniform,
}

impl Mixed {
    /// The integer `a` of `a < 2^places·(k + x) < a + 1`, for up to 63 binary places, from the first limb.
    pub(super) fn floor_of_first(&self, places: usize) -> i128 {
        i128::from(self.whole) << places | i128::from(self.fraction.first >> (64 - places))
    }

    /// The integer `a` of `a < 2^(64·limbs)·(k + x) < a + 1`, for one limb or more.
    pub(super) fn floor(&mut self, limbs: usize, words: &mut impl Words) -> UBig {
        let first = u128::from(self.whole) << 64 | u128::from(self.fraction.first);
        (1..limbs).fold(UBig::from(first), |a, i| (a << 64) + self.fraction.limb(i, words))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Fixed;
    use super::*;

    #[test]
    fn a_comparison_looks_no_further_than_the_first_limbs_that_differ() {
        let mut words = Fixed::new(&[5, 6]);
        let (mut one, mut other) = (Uniform::draw(&mut words), Uniform::draw(&mut words));
        assert!(one.is_below(&mut other, &mut words) && !other.is_below(&mut one, &mut words));
        assert_eq!(words.taken(), 2);

        // 5 5 9 against 5 5 2: four words more, the left number's first
        let mut words = Fixed::new(&[5, 5, 7, 7, 9, 2]);
        let (mut one, mut other) = (Uniform::draw(&mut words), Uniform::draw(&mut words));
        assert!(!one.is_below(&mut other, &mut words));
        assert_eq!(words.taken(), 6);
        assert!(other.is_below(&mut one, &mut words), "limbs that were drawn stay");
        assert_eq!(words.taken(), 6);
    }

    #[test]
    fn a_comparison_with_a_fraction_divides_as_far_as_it_must() {
        let below = |limbs: &[u64], numerator, denominator| {
            let mut words = Fixed::new(limbs);
            let is_below = Uniform::draw(&mut words).is_below_ratio(numerator, denominator, &mut words);
            assert_eq!(words.taken(), limbs.len());
            is_below
        };
        let half = 1 << 63;
        assert!(below(&[half - 1], 1, 2));
        assert!(!below(&[half], 1, 2), "nothing is left of ½ after its first limb");
        assert!(!below(&[u64::MAX], 1, 2));
        assert!(!below(&[0], 0, 1));
        // ⅓ = 0.5555… in base 16
        let third = 0x5555_5555_5555_5555;
        assert!(below(&[third - 1], 1, 3));
        assert!(!below(&[third + 1], 1, 3));
        assert!(below(&[third, third, third - 1], 1, 3));
        assert!(!below(&[third, third, third + 1], 1, 3));
        let near_one = u64::MAX - 1; // (2⁶⁴−2)/(2⁶⁴−1) = 0.(2⁶⁴−2)(2⁶⁴−2)…
        assert!(below(&[near_one, 3], near_one, u64::MAX));
    }

    #[test]
    fn digits_of_a_mixed_number_are_the_words() {
        let mut words = Fixed::new(&[3, 4, 5]);
        let mut number = Mixed { whole: 2, fraction: Uniform::draw(&mut words) };
        assert_eq!(number.floor(1, &mut words), UBig::from((2_u128 << 64) + 3));
        let three =
            ((UBig::from(2_u8) << 192) + (UBig::from(3_u8) << 128)) + (UBig::from(4_u8) << 64) + UBig::from(5_u8);
        assert_eq!(number.floor(3, &mut words), three);
        assert_eq!(number.floor(2, &mut words), three >> 64);
        assert_eq!(words.taken(), 3);
        assert_eq!(number.floor_of_first(63), (2_i128 << 63) + 1);
        assert_eq!(number.floor_of_first(1), 4);
    }
}
