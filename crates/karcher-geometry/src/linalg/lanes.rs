//! Numbers that take part in one calculation side by side: number `l` belongs to matrix `l` of a batch.
//!
//! Every operation works on each number alone, so results of one matrix of a batch cannot depend on the others.
//!
//! Code that is to be compiled for vector instructions must be inlined as a whole into the kernel of [`dispatch`].
//! Plain loops are; closures that call vector instructions are not always, hence the index loops here.

use std::ops::{Add, Div, Mul, Sub};

use pulp::bytemuck::{cast, cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};

/// One number for each matrix of a batch, in `P` vector registers. Aligned as these are, none lies in two cache lines.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(target_arch = "x86_64", repr(align(32)))]
pub(crate) struct Lanes<S: Simd, const P: usize> {
    simd: S,
    x: [S::f64s; P],
}

/// Applies an operation register by register.
macro_rules! registerwise {
    ($self:ident, $operation:ident $(, $other:ident)*) => {{
        let mut x = $self.x;
        #[allow(clippy::needless_range_loop)]
        for p in 0..P {
            x[p] = $self.simd.$operation(x[p] $(, $other.x[p])*);
        }
        Self { x, ..$self }
    }};
}

impl<S: Simd, const P: usize> Lanes<S, P> {
    /// How many matrices there are.
    pub(crate) const COUNT: usize = P * S::F64_LANES;

    /// The same number for every matrix.
    #[inline(always)]
    pub(crate) fn splat(simd: S, x: f64) -> Self {
        Self { simd, x: [simd.splat_f64s(x); P] }
    }

    /// The same number for every matrix, in as many registers as these.
    #[inline(always)]
    pub(crate) fn like(self, x: f64) -> Self {
        Self::splat(self.simd, x)
    }

    /// The numbers one by one.
    #[inline(always)]
    pub(crate) fn each(&self) -> &[f64] {
        cast_slice(&self.x)
    }

    /// The numbers one by one, to be changed.
    #[inline(always)]
    pub(crate) fn each_mut(&mut self) -> &mut [f64] {
        cast_slice_mut(&mut self.x)
    }

    /// `f` of every number, one after the other.
    #[inline(always)]
    pub(crate) fn map(mut self, f: impl Fn(f64) -> f64) -> Self {
        for x in self.each_mut() {
            *x = f(*x);
        }
        self
    }

    /// `self·b + c`, rounded once where the processor can.
    #[inline(always)]
    pub(super) fn mul_add(self, b: Self, c: Self) -> Self {
        registerwise!(self, mul_add_e_f64s, b, c)
    }

    /// `c − self·b`, rounded once where the processor can.
    #[inline(always)]
    pub(super) fn mul_sub_from(self, b: Self, c: Self) -> Self {
        registerwise!(self, negate_mul_add_e_f64s, b, c)
    }

    /// `√x`.
    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        registerwise!(self, sqrt_f64s)
    }

    /// The larger of two numbers.
    #[inline(always)]
    pub(super) fn max(self, other: Self) -> Self {
        registerwise!(self, max_f64s, other)
    }

    /// The smaller of two numbers.
    #[inline(always)]
    pub(super) fn min(self, other: Self) -> Self {
        registerwise!(self, min_f64s, other)
    }

    /// `|x|`.
    #[inline(always)]
    pub(super) fn abs(self) -> Self {
        self.max(Self::splat(self.simd, 0.0) - self)
    }

    /// `yes` where `self > limit`, else `no`.
    #[inline(always)]
    pub(super) fn if_greater(self, limit: Self, yes: Self, no: Self) -> Self {
        let mut x = self.x;
        #[allow(clippy::needless_range_loop)]
        for p in 0..P {
            let greater = self.simd.greater_than_f64s(x[p], limit.x[p]);
            x[p] = self.simd.select_f64s(greater, yes.x[p], no.x[p]);
        }
        Self { x, ..self }
    }

    /// Whether all numbers are zero.
    #[inline(always)]
    pub(super) fn all_zero(self) -> bool {
        let sizes = self.abs();
        let mut largest = sizes.x[0];
        for x in &sizes.x[1..] {
            largest = self.simd.max_f64s(largest, *x);
        }
        self.simd.reduce_max_f64s(largest) == 0.0
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $operation:ident) => {
        impl<S: Simd, const P: usize> $trait for Lanes<S, P> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                registerwise!(self, $operation, other)
            }
        }
    };
}
operator!(Add, add, add_f64s);
operator!(Sub, sub, sub_f64s);
operator!(Mul, mul, mul_f64s);
operator!(Div, div, div_f64s);

/// The same with one number for all.
macro_rules! operator_with_number {
    ($trait:ident, $method:ident) => {
        impl<S: Simd, const P: usize> $trait<f64> for Lanes<S, P> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: f64) -> Self {
                $trait::$method(self, self.like(other))
            }
        }
    };
}
operator_with_number!(Add, add);
operator_with_number!(Sub, sub);
operator_with_number!(Mul, mul);

/// The transpose of a block of numbers.
#[inline(always)]
pub(crate) fn turned<S: Simd>(simd: S, block: [[f64; 4]; 4]) -> [[f64; 4]; 4] {
    if S::F64_LANES != 4 {
        return [0, 1, 2, 3].map(|j| [block[0][j], block[1][j], block[2][j], block[3][j]]);
    }
    // of four registers of four this shuffle is the transpose
    cast(simd.deinterleave_shfl_f64s(cast::<_, [S::f64s; 4]>(block)))
}

/// Runs `kernel` with AVX2 and fused multiply-add if the processor has them, else with the guaranteed instructions of
/// the architecture. Results of processors with and without fused multiply-add differ by rounding.
///
/// AVX-512 is left alone on purpose: batches of twice as many matrices would have to fit in the fastest cache, which
/// was measured to be slower. [`dispatch_wide`] uses it.
pub(crate) fn dispatch<K: WithSimd>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    return match pulp::x86::V3::try_new() {
        Some(v3) => Simd::vectorize(v3, kernel),
        None => Simd::vectorize(pulp::Scalar, kernel),
    };
    #[cfg(not(target_arch = "x86_64"))]
    pulp::Arch::new().dispatch(kernel)
}

/// [`dispatch`], with AVX-512 if the processor has it: for roots, quotients and polynomials, twice as many at a time.
pub(crate) fn dispatch_wide<K: WithSimd>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(v4) = pulp::x86::V4::try_new() {
        return Simd::vectorize(v4, kernel);
    }
    dispatch(kernel)
}

/// [`dispatch`] where there are vector registers, else nothing: for kernels that are compiled for many lengths.
pub(crate) fn vectorize<K: WithSimd>(kernel: K) -> Option<K::Output> {
    #[cfg(target_arch = "x86_64")]
    return pulp::x86::V3::try_new().map(|v3| Simd::vectorize(v3, kernel));
    #[cfg(not(target_arch = "x86_64"))]
    Some(dispatch(kernel))
}

/// [`dispatch_wide`] likewise.
pub(crate) fn vectorize_wide<K: WithSimd>(kernel: K) -> Option<K::Output> {
    #[cfg(target_arch = "x86_64")]
    if let Some(v4) = pulp::x86::V4::try_new() {
        return Some(Simd::vectorize(v4, kernel));
    }
    vectorize(kernel)
}
