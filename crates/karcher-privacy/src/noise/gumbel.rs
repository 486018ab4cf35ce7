//! Gumbel deviates, `−ln E` for exponential numbers `E`, between bounds from the first digits of `E`.
//!
//! **The logarithm.** With `a = 2^k·m` and `z = (m − 1)/(m + 1)`, `ln a = k·ln 2 + 2·artanh z`. The `k` is the one with `m`
//! in `[¾, 1½)`, so that `−1/7 ≤ z < 1/5`. And `ln 2 = 2·artanh(1/3)`. For `z ≥ 0` all terms of `artanh z =
//! Σ z^(2i+1)/(2i + 1)` are positive.
//!
//! **Its bounds.** Numbers are integers in units of `2^(−bits)`, and every operation rounds down, so the sum is too
//! small. For `z ≤ 1/3` the computed `z` is less than 1 unit too small and its square less than 5/3. Let a power be less
//! than 2 units too small. Then the next one is less than `2/9 + 5/9 + 1 < 2` units too small, and a quotient less than 3.
//! Once a power vanishes, the rest of the series is less than 2 units. So a sum of `T` terms is less than `4·(T + 1)`
//! units too small (`proofs/Logarithm.v`). ∎
//!
//! **In 128 bits** nothing overflows for `E < 4096`. A larger `E` has coarse bounds, so that [`UBig`] decides.

use super::bits::{Mixed, Words};
use dashu_int::{IBig, UBig, ops::BitTest};
use std::ops::{Add, Div, Mul, Shl, Shr, Sub};

/// The integers in which logarithms are computed: `u128` for the first digits, [`UBig`] for any number of them.
pub(super) trait Natural:
    Clone
    + PartialEq
    + From<u64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    /// The number of binary digits.
    fn digits(&self) -> usize;
}

impl Natural for u128 {
    fn digits(&self) -> usize {
        (u128::BITS - self.leading_zeros()) as usize
    }
}

impl Natural for UBig {
    fn digits(&self) -> usize {
        self.bit_len()
    }
}

/// Two numbers that enclose a third, in units of `2^(−bits)`.
#[derive(Debug, Clone)]
pub(super) struct Bounds<T> {
    pub(super) below: T,
    pub(super) above: T,
}

/// Logarithms to a number of binary places.
#[derive(Debug)]
pub(super) struct Logarithm<T> {
    bits: usize,
    /// `ln 2`.
    of_two: Bounds<T>,
}

impl<T: Natural> Logarithm<T> {
    pub(super) fn new(bits: usize) -> Self {
        let half = artanh(T::from(1), T::from(3), bits);
        let two = || T::from(2);
        Self { bits, of_two: Bounds { below: half.below * two(), above: half.above * two() } }
    }

    /// `k·ln 2`.
    pub(super) fn of_power_of_two(&self, k: usize) -> Bounds<T> {
        let k = || T::from(k as u64);
        Bounds { below: self.of_two.below.clone() * k(), above: self.of_two.above.clone() * k() }
    }

    /// `ln a`, for an integer `a > 0`.
    pub(super) fn of(&self, a: T) -> Bounds<T> {
        let digits = a.digits();
        // whether a is at least ¾ of 2^digits: its first two digits are 11
        let is_high = digits > 1 && (a.clone() >> (digits - 2)) == T::from(3);
        let k = if is_high { digits } else { digits - 1 };
        let (power, twos) = (T::from(1) << k, self.of_power_of_two(k));
        let twice = |sum: T| sum * T::from(2);
        if is_high {
            let part = artanh(power.clone() - a.clone(), power + a, self.bits);
            return Bounds { below: twos.below - twice(part.above), above: twos.above - twice(part.below) };
        }
        let part = artanh(a.clone() - power.clone(), power + a, self.bits);
        Bounds { below: twos.below + twice(part.below), above: twos.above + twice(part.above) }
    }
}

/// Bounds of `artanh(numerator/denominator)`, of a quotient from 0 to 1/3.
fn artanh<T: Natural>(numerator: T, denominator: T, bits: usize) -> Bounds<T> {
    let mut power = (numerator << bits) / denominator;
    let square = (power.clone() * power.clone()) >> bits;
    let (mut below, mut odd) = (T::from(0), 1);
    while power != T::from(0) {
        below = below + power.clone() / T::from(odd);
        power = (power * square.clone()) >> bits;
        odd += 2;
    }
    // odd is 2T + 1
    Bounds { above: below.clone() + T::from(2 * odd + 2), below }
}

impl Logarithm<u128> {
    /// `−ln E` from the first limb of `E`. There is no upper bound where that limb is 0.
    pub(super) fn gumbel_of_first(&self, e: &Mixed) -> (i128, Option<i128>) {
        if e.whole >= 1 << 12 {
            // E < 2⁶⁴ < e⁴⁵
            return (-(45 << self.bits), Some(0));
        }
        let (a, unit) = (u128::from(e.whole) << 64 | u128::from(e.fraction.first()), self.of_power_of_two(64));
        let below = unit.below as i128 - self.of(a + 1).above as i128;
        (below, (a > 0).then(|| unit.above as i128 - self.of(a).below as i128))
    }
}

impl Logarithm<UBig> {
    /// `−ln E` from some limbs of `E`. There is no upper bound where all of them are 0.
    pub(super) fn gumbel(&self, e: &mut Mixed, limbs: usize, words: &mut impl Words) -> (IBig, Option<IBig>) {
        let (a, unit) = (e.floor(limbs, words), self.of_power_of_two(64 * limbs));
        let below = IBig::from(unit.below) - IBig::from(self.of(a.clone() + UBig::ONE).above);
        (below, (a > UBig::ZERO).then(|| IBig::from(unit.above) - IBig::from(self.of(a).below)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::exponential::exponential;
    use super::super::tests::{CRITICAL, kolmogorov};
    use super::*;
    use crate::noise::Generator;

    /// Logarithms of small integers from their prime factors, and of others in double precision.
    #[test]
    fn bounds_enclose_logarithms_and_are_near_each_other() {
        let (few, many) = (Logarithm::<u128>::new(53), Logarithm::<UBig>::new(256));
        let unit = 2.0_f64.powi(-53);
        for a in (1..2_000).chain([u128::from(u64::MAX), 1 << 64, (1 << 70) - 1, 3 << 62]) {
            let Bounds { below, above } = few.of(a);
            assert!(below < above && above - below < 1 << 14, "{a}");
            let exact = (a as f64).ln();
            let allowed = 1e-15 * exact.max(1.0);
            assert!(below as f64 * unit <= exact + allowed && above as f64 * unit >= exact - allowed, "{a}");
            // those of many digits are inside
            let fine = many.of(UBig::from(a));
            assert!(fine.above.clone() - fine.below.clone() < UBig::from(1_u64 << 18));
            assert!(UBig::from(below) <= fine.above.clone() >> 203 && fine.below >> 203 <= UBig::from(above), "{a}");
            // ln a + ln 3 = ln 3a
            let (three, product) = (many.of(UBig::from(3_u8)), many.of(UBig::from(a) * 3_u8));
            assert!(fine.above.clone() + three.above >= product.below && product.above >= three.below + fine.above);
        }
    }

    #[test]
    fn gumbel_deviates_have_their_law() {
        let (mut generator, first) = (Generator::seeded(15), Logarithm::<u128>::new(53));
        let mut sample = vec![];
        for i in 0..400_000 {
            let mut e = exponential(&mut generator);
            let (below, above) = first.gumbel_of_first(&e);
            let above = above.unwrap();
            assert!(below < above);
            if i < 200 {
                let fine = Logarithm::<UBig>::new(128).gumbel(&mut e, 2, &mut generator);
                assert!(fine.0 >= IBig::from(below) << 75 && fine.1.unwrap() <= IBig::from(above) << 75);
            }
            sample.push(0.5 * (below + above) as f64 * 2.0_f64.powi(-53));
        }
        assert!(kolmogorov(sample.clone(), |t| (-(-t).exp()).exp()) < CRITICAL);
        assert!(kolmogorov(sample, |t| (-(-t - 0.02).exp()).exp()) > CRITICAL);
    }

    #[test]
    fn large_exponential_numbers_are_enclosed() {
        for (whole, first) in [(2_047, 0), (4_095, u64::MAX), (4_096, 0), (1 << 40, 9), (u64::MAX, u64::MAX)] {
            let mut words = super::super::tests::Fixed::new(&[first, 0, 7]);
            let mut e = Mixed { whole, fraction: super::super::bits::Uniform::draw(&mut words) };
            let (below, above) = Logarithm::<u128>::new(53).gumbel_of_first(&e);
            let fine = Logarithm::<UBig>::new(128).gumbel(&mut e, 2, &mut words);
            assert!(IBig::from(below) << 75 <= fine.0, "{whole}");
            assert!(fine.1.unwrap() <= IBig::from(above.unwrap()) << 75, "{whole}");
        }
    }

    #[test]
    fn limbs_of_zeros_leave_no_upper_bound() {
        let mut words = super::super::tests::Fixed::new(&[0, 0, 7]);
        let mut e = Mixed { whole: 0, fraction: super::super::bits::Uniform::draw(&mut words) };
        let (below, above) = Logarithm::<u128>::new(53).gumbel_of_first(&e);
        assert!(above.is_none() && below as f64 * 2.0_f64.powi(-53) > 44.36);
        assert!(Logarithm::<UBig>::new(128).gumbel(&mut e, 2, &mut words).1.is_none());
        assert!(Logarithm::<UBig>::new(192).gumbel(&mut e, 3, &mut words).1.is_some());
    }
}
