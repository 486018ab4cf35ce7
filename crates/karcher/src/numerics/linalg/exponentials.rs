//! Exponentials of many symmetric matrices of one size, less the identity: `E = Expm(W − μ) − 1`, with errors relative
//! to `E` where that is small.
//!
//! Up to four rows the matrices are diagonalised. Larger ones are divided by a power of two, such that Taylor's
//! polynomial of `(e^x − 1)/x` with 16 terms is exact to rounding, which takes seven products (Paterson and Stockmeyer
//! 1973), and squared again: `(1 + E)² = 1 + (2E + E²)`. The middle `μ` of the spectrum is taken out before where the
//! matrix is not small.
//!
//! A result depends on its own matrix only, as in [`logarithms`](super::logarithms).

use pulp::{Simd, WithSimd};

use super::interleaved::{mirror, norm, product};
use super::lanes::Lanes;
use super::logarithms::SMALL;
use super::two_sided::spectrum;

/// Where the polynomial is exact: `0.8¹⁶/17! < 8·10⁻¹⁷`.
const RADIUS: f64 = 0.8;

/// More squarings than that lose digits.
const MOST_SQUARINGS: i32 = 4;

/// Matrices with a smaller norm keep their middle.
const NEAR: f64 = 0.5;

/// Terms of the polynomial, four at a time.
const TERMS: usize = 16;

/// Room for the exponentials of a batch.
pub(super) struct Exponential<S: Simd, const P: usize> {
    simd: S,
    k: usize,
    /// `W − μ`, then its powers.
    powers: [Vec<Lanes<S, P>>; 4],
    work: Vec<Lanes<S, P>>,
}

/// What is known of a batch of exponentials.
pub(super) struct Exponents<S: Simd, const P: usize> {
    /// `μ`.
    pub(super) middle: Lanes<S, P>,
    /// Whether a result is to be trusted.
    pub(super) fits: Vec<bool>,
}

impl<S: Simd, const P: usize> Exponential<S, P> {
    pub(super) fn new(simd: S, k: usize) -> Self {
        let matrix = vec![Lanes::splat(simd, 0.0); k * k];
        Self { simd, k, powers: [matrix.clone(), matrix.clone(), matrix.clone(), matrix.clone()], work: matrix }
    }

    /// Room for `W`, lower triangle.
    pub(super) fn matrix(&mut self) -> &mut [Lanes<S, P>] {
        &mut self.powers[0]
    }

    /// `E` of the matrices, lower triangle, into `out`.
    #[inline(always)]
    pub(super) fn less_one(&mut self, out: &mut [Lanes<S, P>]) -> Exponents<S, P> {
        // a function of its own, which is compiled once for all who call it
        self.simd.vectorize(LessOne { exponential: self, out })
    }

    #[inline(always)]
    fn compute(&mut self, out: &mut [Lanes<S, P>]) -> Exponents<S, P> {
        let Self { simd, k, .. } = *self;
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let w = &mut self.powers[0];
        let mut trace = zero;
        for i in 0..k {
            trace = trace + w[i * k + i];
        }
        let large = norm(simd, k, w).if_greater(Lanes::splat(simd, NEAR), one, zero);
        let middle = large.if_greater(zero, trace * Lanes::splat(simd, 1.0 / k as f64), zero);
        for i in 0..k {
            w[i * k + i] = w[i * k + i] - middle;
        }
        let fits = if P == SMALL {
            match k {
                1 => self.small::<1>(out),
                2 => self.small::<2>(out),
                3 => self.small::<3>(out),
                _ => self.small::<4>(out),
            }
        } else {
            self.large(out)
        };
        Exponents { middle, fits }
    }

    #[inline(always)]
    fn small<const K: usize>(&mut self, out: &mut [Lanes<S, P>]) -> Vec<bool> {
        let simd = self.simd;
        let spectrum = spectrum::<S, P, K>(simd, &self.powers[0]);
        let mut images = spectrum.values;
        let mut size = Lanes::splat(simd, 0.0);
        for image in &mut images {
            size = size.max(image.abs());
            *image = image.map(f64::exp_m1);
        }
        spectrum.compose(simd, &images, out);
        size.each().iter().map(|x| *x <= RADIUS * f64::from(1 << MOST_SQUARINGS)).collect()
    }

    #[inline(always)]
    fn large(&mut self, out: &mut [Lanes<S, P>]) -> Vec<bool> {
        let Self { simd, k, ref mut powers, ref mut work } = *self;
        let zero = Lanes::splat(simd, 0.0);
        let [b, b2, b3, b4] = powers;
        mirror(k, b);
        product(simd, k, b, b, b2);
        // the largest eigenvalue of the square is at most its Frobenius norm
        let radius = norm(simd, k, b2).sqrt();
        let (mut squarings, mut fits) = (vec![0; Lanes::<S, P>::COUNT], vec![true; Lanes::<S, P>::COUNT]);
        let mut scale = Lanes::splat(simd, 1.0);
        for l in 0..Lanes::<S, P>::COUNT {
            let radius = radius.each()[l];
            squarings[l] = (0..=MOST_SQUARINGS).find(|s| radius <= RADIUS * f64::from(1 << s)).unwrap_or_default();
            fits[l] = radius <= RADIUS * f64::from(1 << MOST_SQUARINGS);
            scale.each_mut()[l] = 1.0 / f64::from(1 << squarings[l]);
        }
        for (b, b2) in b.iter_mut().zip(b2.iter_mut()) {
            (*b, *b2) = (*b * scale, *b2 * scale * scale);
        }
        product(simd, k, b, b2, b3);
        product(simd, k, b2, b2, b4);
        // Horner's rule in B⁴, from the last four terms
        for first in (0..TERMS).step_by(4).rev() {
            let (mut coefficient, mut factorial) = ([zero; 4], (1..=first).map(|j| j as f64).product::<f64>());
            for (j, c) in coefficient.iter_mut().enumerate() {
                factorial *= (first + j + 1) as f64;
                *c = Lanes::splat(simd, 1.0 / factorial);
            }
            if first + 4 == TERMS {
                out.fill(zero);
            } else {
                product(simd, k, work, b4, out);
            }
            for c in 0..k {
                for i in c * k..(c + 1) * k {
                    let terms = coefficient[3].mul_add(b3[i], coefficient[2].mul_add(b2[i], coefficient[1] * b[i]));
                    work[i] = out[i] + terms;
                }
                work[c * k + c] = work[c * k + c] + coefficient[0];
            }
        }
        product(simd, k, work, b, out);
        for squaring in 0..squarings.iter().copied().max().unwrap_or_default() {
            let mut wanted = zero;
            for (wanted, squarings) in wanted.each_mut().iter_mut().zip(&squarings) {
                *wanted = f64::from(u8::from(squaring < *squarings));
            }
            product(simd, k, out, out, work);
            for (e, square) in out.iter_mut().zip(work.iter()) {
                *e = wanted.if_greater(zero, *e + *e + *square, *e);
            }
        }
        fits
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
        self.exponential.compute(self.out)
    }
}
