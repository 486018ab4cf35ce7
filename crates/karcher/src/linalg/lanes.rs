//! `N` numbers that take part in one calculation side by side: number `l` belongs to matrix `l` of a batch.
//!
//! Every operation works on each number alone, so what one matrix of a batch yields cannot depend on the others.
//! The loops are written for the compiler to turn into vector instructions; [`dispatch`] lets it use AVX2 and FMA where
//! the processor has them.

use std::ops::{Add, Div, Mul, Sub};

/// `N` numbers, one for each matrix of a batch.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(super) struct Lanes<const N: usize>(pub(super) [f64; N]);

impl<const N: usize> Lanes<N> {
    /// The same number for every matrix.
    #[inline(always)]
    pub(super) fn splat(x: f64) -> Self {
        Self([x; N])
    }

    /// `f` of every number.
    #[inline(always)]
    pub(super) fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let mut out = self.0;
        for x in &mut out {
            *x = f(*x);
        }
        Self(out)
    }

    /// `f` of every pair of numbers.
    #[inline(always)]
    pub(super) fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let mut out = self.0;
        for (x, y) in out.iter_mut().zip(other.0) {
            *x = f(*x, y);
        }
        Self(out)
    }

    /// `self·b + c`, rounded once when `FUSED` and twice otherwise.
    #[inline(always)]
    pub(super) fn mul_add<const FUSED: bool>(self, b: Self, c: Self) -> Self {
        let mut out = self.0;
        for ((x, b), c) in out.iter_mut().zip(b.0).zip(c.0) {
            *x = if FUSED { x.mul_add(b, c) } else { *x * b + c };
        }
        Self(out)
    }

    /// `c − self·b`.
    #[inline(always)]
    pub(super) fn mul_sub_from<const FUSED: bool>(self, b: Self, c: Self) -> Self {
        self.map(|x| -x).mul_add::<FUSED>(b, c)
    }
}

macro_rules! lanewise {
    ($trait:ident, $method:ident) => {
        impl<const N: usize> $trait for Lanes<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, $trait::$method)
            }
        }
    };
}
lanewise!(Add, add);
lanewise!(Sub, sub);
lanewise!(Mul, mul);
lanewise!(Div, div);

/// A calculation that [`dispatch`] compiles once plainly and once for a processor with fused multiply-add.
pub(super) trait Kernel {
    /// What it yields.
    type Output;

    /// The calculation; to be `#[inline(always)]` with everything it calls.
    fn run<const FUSED: bool>(self) -> Self::Output;
}

/// Runs `kernel` with AVX2 and FMA if the processor has them, with FMA where that is part of the architecture, and
/// plainly otherwise. Results of the plain and the fused calculation differ by rounding.
///
/// AVX-512 is left alone on purpose: the compiler's code for it is about three times slower here.
pub(super) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(v3) = pulp::x86::V3::try_new() {
        return v3.vectorize(Fused(kernel));
    }
    if cfg!(target_arch = "aarch64") { kernel.run::<true>() } else { kernel.run::<false>() }
}

#[cfg(target_arch = "x86_64")]
struct Fused<K>(K);

#[cfg(target_arch = "x86_64")]
impl<K: Kernel> pulp::NullaryFnOnce for Fused<K> {
    type Output = K::Output;

    #[inline(always)]
    fn call(self) -> K::Output {
        self.0.run::<true>()
    }
}
