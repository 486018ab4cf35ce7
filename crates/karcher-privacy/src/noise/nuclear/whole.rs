//! Integers in which matrices are computed.

use dashu_int::IBig;
use dashu_int::ops::SquareRoot;
use std::ops::{Add, Div, Mul, Neg, Shl, Shr, Sub};

/// An integer: one of 128 bits where that is known to suffice, or one of any size.
///
/// A shift to the right rounds down, a division towards 0.
pub(super) trait Whole:
    Clone
    + Ord
    + From<i64>
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
    /// The root of a number that is not negative, rounded down.
    fn root(self) -> Self;

    /// The absolute value.
    fn size(self) -> Self {
        if self < Self::from(0) { -self } else { self }
    }

    /// The square.
    fn squared(self) -> Self {
        self.clone() * self
    }
}

impl Whole for i128 {
    fn root(self) -> Self {
        self.isqrt()
    }
}

impl Whole for IBig {
    fn root(self) -> Self {
        let (_, size) = self.into_parts();
        size.sqrt().into()
    }
}
