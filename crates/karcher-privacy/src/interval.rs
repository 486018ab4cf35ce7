//! Intervals of positive numbers that surely hold a result: every operation rounds its ends outward.

use crate::rounding::{add_up, div_down, div_up, mul_down, mul_up};
use std::ops::{Add, Div, Mul};

/// A positive number that is known to lie between two others. The first may be 0, and the second infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Interval {
    /// A number that is known exactly.
    pub(crate) fn exactly(x: f64) -> Self {
        Self { low: x, high: x }
    }
}

impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        // the second infinite end would make a NaN of a residual
        let high =
            if self.high.max(other.high) < f64::INFINITY { add_up(self.high, other.high) } else { f64::INFINITY };
        Self { low: -add_up(-self.low, -other.low), high }
    }
}

impl Mul for Interval {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { low: mul_down(self.low, other.low), high: mul_up(self.high, other.high) }
    }
}

impl Div for Interval {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        Self { low: div_down(self.low, other.high), high: div_up(self.high, other.low) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_lie_between_the_ends() {
        let [one, three] = [1.0, 3.0].map(Interval::exactly);
        let third = one / three;
        assert_eq!(third.low.next_up(), third.high);
        let sum = third + third + third;
        assert!(sum.low <= 1.0 && sum.high >= 1.0 && sum.high - sum.low < 1e-15, "{sum:?}");
        let product = third * third;
        assert!(product.low < 1.0 / 9.0 && product.high > 1.0 / 9.0, "{product:?}");
    }

    #[test]
    fn unknown_numbers_stay_unknown() {
        let unknown = Interval { low: 1.0, high: f64::INFINITY };
        let part = Interval::exactly(2.0) / unknown;
        assert_eq!((part.low, part.high), (0.0, 2.0));
        assert_eq!((unknown + part).high, f64::INFINITY);
        assert_eq!((unknown + part).low, 1.0);
    }
}
