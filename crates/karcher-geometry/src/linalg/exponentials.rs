//! Exponentials of many symmetric matrices of one size, less the identity: `E = Expm(W − μ) − 1`, with errors relative
//! to `E` where that is small, but not so small that squares of entries underflow (below `10⁻¹⁵³`).
//!
//! Up to four rows the matrices are diagonalised, larger ones brought to tridiagonal form, whose exponential is a
//! Chebyshev series ([`chebyshev`](super::chebyshev)). The middle `μ` of the spectrum is taken out where the matrix is
//! not small. The entries of `E`, or of `Expm W − 1` where `μ ≠ 0`, are good to about `4·2⁻⁵²·(1 + ‖W‖)` times its norm
//! (measured, up to half widths of the spectrum of 14).
//!
//! A result depends on its own matrix only, as in [`logarithms`](super::logarithms).

use pulp::{Simd, WithSimd};

use super::chebyshev::{Chebyshev, Exponents};
use super::householder::Householder;
use super::interleaved::norm;
use super::lanes::Lanes;
use super::logarithms::SMALL;
use super::two_sided::spectrum;

/// Small matrices have a smaller norm than that.
const NEAR: f64 = 0.5;

/// Diagonalised matrices may have eigenvalues up to this.
const REACH: f64 = 12.8;

/// Room for the exponentials of a batch.
pub(super) struct Exponential<S: Simd, const P: usize> {
    simd: S,
    k: usize,
    /// `W`, then its tridiagonal form.
    reduction: Householder<S, P>,
    series: Chebyshev<S, P>,
}

impl<S: Simd, const P: usize> Exponential<S, P> {
    pub(super) fn new(simd: S, k: usize) -> Self {
        Self { simd, k, reduction: Householder::new(simd, k), series: Chebyshev::new(simd, k) }
    }

    /// Room for `W`, lower triangle.
    pub(super) fn matrix(&mut self) -> &mut [Lanes<S, P>] {
        &mut self.reduction.matrix
    }

    /// `E` of the matrices, lower triangle, into `out`.
    #[inline(always)]
    pub(super) fn less_one(&mut self, out: &mut [Lanes<S, P>]) -> Exponents<S, P> {
        // a function of its own, which is compiled once for all callers
        self.simd.vectorize(LessOne { exponential: self, out })
    }

    #[inline(always)]
    fn large(&mut self, out: &mut [Lanes<S, P>]) -> Exponents<S, P> {
        self.reduction.reduce();
        let exponents = self.series.exponential(&self.reduction, out);
        self.reduction.turn_back(out);
        exponents
    }

    /// The exponentials of matrices with `K` rows.
    #[inline(always)]
    fn small<const K: usize>(&mut self, out: &mut [Lanes<S, P>]) -> Exponents<S, P> {
        let simd = self.simd;
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let w = &mut self.reduction.matrix;
        let mut trace = zero;
        for i in 0..K {
            trace = trace + w[i * K + i];
        }
        let large = norm(simd, K, w).if_greater(Lanes::splat(simd, NEAR), one, zero);
        let middle = large.if_greater(zero, trace * Lanes::splat(simd, 1.0 / K as f64), zero);
        for i in 0..K {
            w[i * K + i] = w[i * K + i] - middle;
        }
        let spectrum = spectrum::<S, P, K>(simd, w);
        let mut images = spectrum.values;
        let mut size = zero;
        for image in &mut images {
            size = size.max(image.abs());
            *image = image.map(f64::exp_m1);
        }
        spectrum.compose(simd, &images, out);
        Exponents { middle, fits: size.each().iter().map(|x| *x <= REACH).collect() }
    }
}

/// [`Exponential::less_one`].
struct LessOne<'a, S: Simd, const P: usize> {
    exponential: &'a mut Exponential<S, P>,
    out: &'a mut [Lanes<S, P>],
}

impl<S: Simd, const P: usize> WithSimd for LessOne<'_, S, P> {
    type Output = Exponents<S, P>;

    #[inline(always)]
    fn with_simd<T: Simd>(self, _simd: T) -> Self::Output {
        let Self { exponential, out } = self;
        if P == SMALL {
            match exponential.k {
                1 => exponential.small::<1>(out),
                2 => exponential.small::<2>(out),
                3 => exponential.small::<3>(out),
                _ => exponential.small::<4>(out),
            }
        } else {
            exponential.large(out)
        }
    }
}
