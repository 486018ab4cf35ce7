//! The scale, and rounding of a number between two known ends.
//!
//! A finite number σ > 0 in double precision *is* a rational number `m·2^e`, and is taken as that. A coordinate of
//! noise is `±σ·t` with `t` between two multiples of a negative power of two. So both ends of `σ·t` are known exactly,
//! as integers times a power of two.
//!
//! **Rounding.** `round(v) = ⌊v + ½⌋` does not fall as `v` grows. If it is the same at both ends of an interval that
//! holds `v`, it is that for `v`. If it is not, more digits of `t` are drawn. The law of `v` has a density, so that `v`
//! is a half-integer with probability 0; and when it is none, an interval that is short enough decides.

use dashu_int::{IBig, Sign, UBig};

/// A scale `σ = m·2^e`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    mantissa: u64,
    pub(super) exponent: i32,
}

impl Scale {
    /// The exact value of a number, if it is positive and finite.
    pub(super) fn new(sigma: f64) -> Option<Self> {
        // sign 1 bit, exponent 11, mantissa 52; the number 0, negative ones, infinity and NaN are refused
        let bits = sigma.to_bits();
        let (biased, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
        match biased {
            0 if fraction == 0 => None,
            0 => Some(Self { mantissa: fraction, exponent: -1074 }),
            1..0x7ff => Some(Self { mantissa: fraction | 1 << 52, exponent: biased - 1075 }),
            _ => None,
        }
    }

    /// `m`, with which both ends of an interval are to be multiplied before they are rounded.
    pub(super) fn mantissa(&self) -> u64 {
        self.mantissa
    }

    /// The limbs to begin with: as many as σ has before its binary point, and one more.
    ///
    /// So σ < 2^(64·limbs), and intervals for `t` that are a few units of `2^(−64·limbs)` long make intervals for `σ·t`
    /// of a few units at most. With one limb less they would hardly ever decide.
    pub(super) fn first_limbs(&self) -> usize {
        1 + self.digits_before_the_point() / 64
    }

    /// The number of binary digits of σ before its point.
    fn digits_before_the_point(&self) -> usize {
        let digits = self.mantissa.ilog2() as i32 + 1 + self.exponent;
        usize::try_from(digits).unwrap_or(0)
    }

    /// `round(v)`, if every `v` with `low ≤ |v|·2^(places − e) ≤ high` of that sign has the same one. At least
    /// `64·first_limbs()` binary places are needed.
    pub(super) fn round(&self, negative: bool, low: UBig, high: UBig, places: usize) -> Option<IBig> {
        let sign = if negative { Sign::Negative } else { Sign::Positive };
        self.round_between(IBig::from_parts(sign, low), IBig::from_parts(sign, high), places)
    }

    /// `round(v)`, if every `v` with `v·2^(places − e)` between two numbers has the same one.
    pub(super) fn round_between(&self, one: IBig, other: IBig, places: usize) -> Option<IBig> {
        // positive, because e is less than the number of digits before the point
        let places = (places as i64 - i64::from(self.exponent)) as usize;
        let half = IBig::ONE << (places - 1);
        // a shift of a negative number to the right is a division that rounds down, too
        let round = |end: IBig| (end + &half) >> places;
        let rounded = round(one);
        (rounded == round(other)).then_some(rounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_taken_exactly() {
        for sigma in [1.0, 0.3, 7.0, 1e300, f64::MAX, f64::MIN_POSITIVE, 1e-310, 5e-324] {
            let scale = Scale::new(sigma).unwrap();
            // in two steps: 2^e alone may not be a number
            let (half, rest) = (scale.exponent / 2, scale.exponent - scale.exponent / 2);
            assert_eq!(scale.mantissa as f64 * 2.0_f64.powi(half) * 2.0_f64.powi(rest), sigma);
        }
        for sigma in [0.0, -0.0, -1.0, -5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN] {
            assert!(Scale::new(sigma).is_none());
        }
    }

    #[test]
    fn limbs_reach_beyond_the_point() {
        let limbs = |sigma| Scale::new(sigma).unwrap().first_limbs();
        assert_eq!([5e-324, 0.9, 2.0_f64.powi(51), 1.9 * 2.0_f64.powi(62)].map(limbs), [1; 4]);
        assert_eq!([2.0_f64.powi(63), 2.0_f64.powi(64), 2.0_f64.powi(120), f64::MAX].map(limbs), [2, 2, 2, 17]);
    }

    #[test]
    fn halves_are_rounded_up() {
        let scale = Scale::new(1.0).unwrap();
        let round = |negative, low: u32, high: u32| {
            let eighths = |n: u32| UBig::from(n) << (64 - 3 + 52);
            scale.round(negative, eighths(low), eighths(high), 64)
        };
        let is = |n: i32| Some(IBig::from(n));
        assert_eq!(round(false, 3, 3), is(0));
        assert_eq!(round(false, 4, 11), is(1));
        assert_eq!(round(true, 3, 4), is(0));
        assert_eq!(round(true, 5, 12), is(-1));
        assert_eq!(round(true, 13, 13), is(-2));
        assert_eq!(round(false, 3, 4), None);
        assert_eq!(round(true, 4, 5), None);
    }
}
