//! Formulas are written once: for the numbers of one row, and for those of several rows side by side.

use crate::linalg::Lanes;
use pulp::Simd;
use std::ops::{Add, Div, Mul, Sub};

/// A number of one row, or one of each of several rows. The operations on a row's number are the same for both, none of
/// them fused.
pub(crate) trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// A number for every row.
    fn like(self, x: f64) -> Self;

    /// 0, to which numbers are added; numbers of several rows have to be some.
    fn zero(numbers: &[Self]) -> Self;

    /// The number, or 0.
    fn if_so(self, so: bool) -> Self;

    /// `√x`.
    fn sqrt(self) -> Self;

    /// `f(x)`, without branches.
    fn map(self, f: impl Fn(f64) -> f64) -> Self;

    /// `f(x, y)`, without branches.
    fn with(self, y: Self, f: impl Fn(f64, f64) -> f64) -> Self;
}

impl Real for f64 {
    #[inline(always)]
    fn like(self, x: f64) -> Self {
        x
    }

    #[inline(always)]
    fn zero(_numbers: &[Self]) -> Self {
        0.0
    }

    #[inline(always)]
    fn if_so(self, so: bool) -> Self {
        if so { self } else { 0.0 }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        f(self)
    }

    #[inline(always)]
    fn with(self, y: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        f(self, y)
    }
}

impl<S: Simd, const P: usize> Real for Lanes<S, P> {
    #[inline(always)]
    fn like(self, x: f64) -> Self {
        Self::like(self, x)
    }

    #[inline(always)]
    fn zero(numbers: &[Self]) -> Self {
        Self::like(numbers[0], 0.0)
    }

    #[inline(always)]
    fn if_so(self, so: bool) -> Self {
        if so { self } else { self.like(0.0) }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self::sqrt(self)
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self::map(self, f)
    }

    #[inline(always)]
    fn with(mut self, y: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        for (x, y) in self.each_mut().iter_mut().zip(y.each()) {
            *x = f(*x, *y);
        }
        self
    }
}
