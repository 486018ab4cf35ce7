//! Logarithms of many symmetric positive definite matrices of one size: `Logm X` and, seen from a base point
//! `P = L Lᵀ`, `Logm(L⁻¹ X L⁻ᵀ)`.
//!
//! Several matrices are worked on side by side. Up to four rows they are diagonalised ([`two_sided`]), larger ones
//! brought to tridiagonal form, whose logarithm is a sum of inverses ([`rational`]). Both see `W` as `2^m(1 + E)`, and
//! where all eigenvalues are near 1 the error is relative to `E`. Matrices that are ill-conditioned and graded, or
//! ill-conditioned seen from a base point, or that may not be positive definite at all, are left to [`graded`]: each
//! matrix' own numbers decide.
//!
//! The entries of the logarithm are good to about `κ·2⁻⁵²` in absolute terms. Here `κ` is the condition number after
//! rows and columns have been scaled to a unit diagonal: grading costs at most factors of [`GRADED`] or [`WIDE`]².
//! Where all eigenvalues lie near 1 this becomes an error relative to the logarithm itself.
//!
//! A result depends on its own matrix only: not on the others, their number or its place among them.

use super::whitening::{GRADED, Whitening};
use pulp::{Simd, WithSimd};

use super::graded;
use super::householder::Householder;
use super::interleaved::{load_lower, norm, store, whiten_lower};
use super::lanes::{Lanes, dispatch};
use super::rational::{Rational, normalize, normalize_tridiagonal};
use super::symmetric::is_symmetric;
use super::two_sided::{self, spectrum};

/// Matrices whose condition number may exceed the square of this are checked for grading.
const WIDE: f64 = 16.0;

/// Registers for each number: `SMALL` for matrices that are diagonalised, where more of them hide latency, and `LARGE`
/// for larger ones, which have to stay in the fastest cache.
pub(super) const SMALL: usize = 2;
pub(super) const LARGE: usize = 1;

/// Matrices within this distance of the identity, by Frobenius norm, are diagonalised less the identity.
const NEAR: f64 = 0.5;

/// A matrix is positive definite, whatever rounding does, if its condition number is certainly below the square of this
/// and its size within `e^±HELD`.
const CERTAIN: f64 = 65536.0;
const HELD: f64 = 400.0;

/// The sum of the squares of a matrix that is diagonalised is below this.
const LARGEST_SQUARE: f64 = 1e300;

/// A matrix that had to be positive definite is not, to working precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotPositiveDefinite {
    /// Its place among the matrices of the call.
    pub(crate) index: usize,
}

/// `Logm X` of each of the `k × k` matrices `X` in `matrices`, into `out`.
///
/// Reads the lower triangles; the results are exactly symmetric. After an error `out` is unspecified.
pub(crate) fn logs(k: usize, matrices: &[f64], out: &mut [f64]) -> Result<(), NotPositiveDefinite> {
    dispatch(Logarithms { k, base: None, matrices, out })
}

/// Adds the logarithms `Logm X` of the matrices to `sum`, and returns whether all of them certainly equal their
/// transposes and are positive definite. The matrices may be any numbers. On `false`, `sum` is unspecified.
pub(crate) fn add_certain_logs(k: usize, matrices: &[f64], sum: &mut [f64]) -> bool {
    dispatch(CertainLogarithms { k, matrices, sum })
}

impl Whitening {
    /// `Logm(L⁻¹ X L⁻ᵀ)` of each `X` in `matrices`, into `out`.
    pub(crate) fn logs(&self, matrices: &[f64], out: &mut [f64]) -> Result<(), NotPositiveDefinite> {
        dispatch(Logarithms { k: self.k, base: Some(self), matrices, out })
    }
}

struct Logarithms<'a> {
    k: usize,
    base: Option<&'a Whitening>,
    matrices: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Logarithms<'_> {
    type Output = Result<(), NotPositiveDefinite>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        match self.k {
            0 => Ok(()),
            k if k <= two_sided::LARGEST => self.run::<S, SMALL>(simd),
            _ => self.run::<S, LARGE>(simd),
        }
    }
}

impl Logarithms<'_> {
    #[inline(always)]
    fn run<S: Simd, const P: usize>(self, simd: S) -> Result<(), NotPositiveDefinite> {
        let size = self.k * self.k;
        let mut batch = Batch::<S, P>::new(simd, self.k);
        let (mut rows, mut others) = (Vec::new(), Vec::new());
        for (n, matrices) in self.matrices.chunks(Lanes::<S, P>::COUNT * size).enumerate() {
            let first = n * Lanes::<S, P>::COUNT;
            let count = matrices.len() / size;
            rows.clear();
            rows.extend(matrices.chunks_exact(size));
            batch.load(&rows, self.base);
            batch.logarithm(false);
            store(self.k, &batch.log, &mut self.out[first * size..(first + count) * size]);
            others.extend((0..count).filter(|&lane| !batch.fits(lane)).map(|lane| first + lane));
        }
        let Self { k, base, matrices, out } = self;
        each_graded(simd, k, base, matrices, &others, |i, log| out[i * size..(i + 1) * size].copy_from_slice(log))
    }
}

/// Calls `f` with the index and the logarithm, computed by [`graded`], of each matrix with one of the given indices.
#[inline(always)]
fn each_graded<S: Simd>(
    simd: S,
    k: usize,
    base: Option<&Whitening>,
    matrices: &[f64],
    indices: &[usize],
    f: impl FnMut(usize, &[f64]),
) -> Result<(), NotPositiveDefinite> {
    // two registers hide more latency, as long as the matrices fit in the fastest cache
    if indices.is_empty() {
        Ok(())
    } else if k <= 20 {
        run_graded::<S, 2>(simd, k, base, matrices, indices, f)
    } else {
        run_graded::<S, 1>(simd, k, base, matrices, indices, f)
    }
}

#[inline(always)]
fn run_graded<S: Simd, const P: usize>(
    simd: S,
    k: usize,
    base: Option<&Whitening>,
    matrices: &[f64],
    indices: &[usize],
    mut f: impl FnMut(usize, &[f64]),
) -> Result<(), NotPositiveDefinite> {
    let size = k * k;
    let mut batch = graded::Batch::<S, P>::new(simd, k);
    let (mut gathered, mut logs) = (Vec::new(), vec![0.0; Lanes::<S, P>::COUNT * size]);
    for indices in indices.chunks(Lanes::<S, P>::COUNT) {
        gathered.clear();
        for &i in indices {
            gathered.extend_from_slice(&matrices[i * size..(i + 1) * size]);
        }
        batch.logarithm(&gathered, base).map_err(|lane| NotPositiveDefinite { index: indices[lane] })?;
        let logs = &mut logs[..gathered.len()];
        batch.store(logs);
        for (&i, log) in indices.iter().zip(logs.chunks_exact(size)) {
            f(i, log);
        }
    }
    Ok(())
}

struct CertainLogarithms<'a> {
    k: usize,
    matrices: &'a [f64],
    sum: &'a mut [f64],
}

impl WithSimd for CertainLogarithms<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        match self.k {
            0 => true,
            k if k <= two_sided::LARGEST => self.run::<S, SMALL>(simd),
            _ => self.run::<S, LARGE>(simd),
        }
    }
}

impl CertainLogarithms<'_> {
    #[inline(always)]
    fn run<S: Simd, const P: usize>(self, simd: S) -> bool {
        let Self { k, matrices, sum } = self;
        let (size, lanes) = (k * k, Lanes::<S, P>::COUNT);
        let mut batch = Batch::<S, P>::new(simd, k);
        let mut total = vec![Lanes::<S, P>::splat(simd, 0.0); size];
        let (mut rows, mut others) = (Vec::with_capacity(lanes), Vec::new());
        for (n, matrices) in matrices.chunks(lanes * size).enumerate() {
            rows.clear();
            rows.extend(matrices.chunks_exact(size));
            for matrix in &rows {
                if !is_symmetric(simd, k, matrix) {
                    return false;
                }
            }
            batch.load(&rows, None);
            batch.logarithm(false);
            for lane in 0..lanes {
                // a batch that is not full repeats its last matrix
                let counts = lane < rows.len();
                if counts && !batch.is_certain(lane) {
                    return false;
                }
                if !(counts && batch.fits(lane)) {
                    batch.log.iter_mut().for_each(|x| x.each_mut()[lane] = 0.0);
                    others.extend(counts.then_some(n * lanes + lane));
                }
            }
            for j in 0..k {
                for (total, x) in total[j * k + j..(j + 1) * k].iter_mut().zip(&batch.log[j * k + j..(j + 1) * k]) {
                    *total = *total + *x;
                }
            }
        }
        for j in 0..k {
            for i in j..k {
                let of_all = total[j * k + i].each().iter().sum::<f64>();
                sum[i * k + j] += of_all;
                if i > j {
                    sum[j * k + i] += of_all;
                }
            }
        }
        each_graded(simd, k, None, matrices, &others, |_, log| {
            sum.iter_mut().zip(log).for_each(|(sum, x)| *sum += x);
        })
        .is_ok()
    }
}

/// Matrices side by side and the room to work on them.
pub(super) struct Batch<S: Simd, const P: usize> {
    simd: S,
    k: usize,
    /// `E`, then its tridiagonal form.
    reduction: Householder<S, P>,
    rational: Rational<S, P>,
    /// `m·ln 2`.
    shift: Lanes<S, P>,
    /// Whether the matrices are seen from a base point.
    whitened: bool,
    /// The largest ratio of diagonal entries of `W`.
    grading: Lanes<S, P>,
    /// A bound of the square root of the condition number, infinite where there is none.
    spread: Lanes<S, P>,
    /// `Logm W`, lower triangle.
    pub(super) log: Vec<Lanes<S, P>>,
    /// `‖Logm W‖`.
    pub(super) length: Lanes<S, P>,
}

impl<S: Simd, const P: usize> Batch<S, P> {
    pub(super) fn new(simd: S, k: usize) -> Self {
        let zero = Lanes::splat(simd, 0.0);
        Self {
            simd,
            k,
            reduction: Householder::new(simd, k),
            rational: Rational::new(simd, k),
            shift: zero,
            whitened: false,
            grading: zero,
            spread: zero,
            log: vec![zero; k * k],
            length: zero,
        }
    }

    /// Whether the logarithm of a matrix is as accurate as its numbers: if it is not graded, they err as much as the
    /// method.
    pub(super) fn holds(&self, lane: usize) -> bool {
        let (spread, grading) = (self.spread.each()[lane], self.grading.each()[lane]);
        spread <= WIDE || (spread < f64::INFINITY && grading <= GRADED)
    }

    /// Whether nothing is lost that [`graded`] keeps. The condition number of `W = L⁻¹XL⁻ᵀ` may be the product of those
    /// of `P` and `X`, but [`graded`] suffers from no more than their sum.
    fn fits(&self, lane: usize) -> bool {
        if self.whitened { self.spread.each()[lane] <= WIDE } else { self.holds(lane) }
    }

    /// Whether an unchecked matrix is certainly positive definite, if it is symmetric.
    fn is_certain(&self, lane: usize) -> bool {
        let (spread, shift) = (self.spread.each()[lane], self.shift.each()[lane]);
        spread <= CERTAIN && shift.abs() <= HELD
    }

    /// `E` of the (whitened) matrices.
    #[inline(always)]
    fn load(&mut self, rows: &[&[f64]], base: Option<&Whitening>) {
        let Self { simd, k, .. } = *self;
        let e = self.matrix();
        load_lower(k, rows, e);
        if let Some(base) = base {
            for j in 0..k {
                for i in j..k {
                    e[j * k + i] = e[j * k + i] - Lanes::splat(simd, base.base()[i * k + j]);
                }
            }
            whiten_lower(simd, k, base.factor(), e);
        }
        self.normalize(base.is_some());
    }

    /// Room for the lower triangles of `W`, or of `W − 1`.
    #[inline(always)]
    pub(super) fn matrix(&mut self) -> &mut [Lanes<S, P>] {
        &mut self.reduction.matrix
    }

    /// `E` of the matrices: of `L⁻¹XL⁻ᵀ − 1`, or of `X`.
    #[inline(always)]
    pub(super) fn normalize(&mut self, whitened: bool) {
        let Self { simd, k, .. } = *self;
        self.whitened = whitened;
        let e = &mut self.reduction.matrix;
        self.shift = normalize(simd, k, e, whitened);
        self.grading = grading(simd, k, |i| e[i * k + i]);
    }

    /// For Hermitian matrices: the diagonal of `W − 1`.
    #[inline(always)]
    pub(super) fn whitened_diagonal(&mut self, diagonal: impl Fn(usize) -> Lanes<S, P>) {
        self.whitened = true;
        self.grading = grading(self.simd, self.k, diagonal);
    }

    /// Room for the diagonal and what is below it of the tridiagonal form of `W − 1`.
    pub(super) fn tridiagonal(&mut self) -> [&mut [Lanes<S, P>]; 2] {
        [&mut self.reduction.diagonal, &mut self.reduction.off_diagonal]
    }

    /// The lengths of the logarithms of `W`, from its tridiagonal form.
    #[inline(always)]
    pub(super) fn length_of_tridiagonal(&mut self) {
        // a function of its own
        self.simd.vectorize(LengthOfTridiagonal(self));
    }

    /// The logarithms, or their lengths alone.
    #[inline(always)]
    pub(super) fn logarithm(&mut self, length: bool) {
        // a function of its own, which is compiled once for all callers
        self.simd.vectorize(Logarithm { batch: self, length });
    }

    /// The logarithm of the tridiagonal form, and of the matrix itself.
    #[inline(always)]
    fn large(&mut self, length: bool) {
        self.reduction.reduce();
        self.of_tridiagonal();
        if length {
            self.length = norm(self.simd, self.k, &self.log);
        } else {
            self.reduction.turn_back(&mut self.log);
        }
    }

    /// The logarithm of the tridiagonal form.
    #[inline(always)]
    fn of_tridiagonal(&mut self) {
        let plan = self.rational.plan(&self.reduction, self.shift);
        for (lane, spread) in self.spread.each_mut().iter_mut().enumerate() {
            *spread = plan.spread(lane);
        }
        self.rational.logarithm(&self.reduction, &plan, &mut self.log);
    }

    /// The logarithms of matrices with `K` rows, or their lengths alone.
    #[inline(always)]
    fn small<const K: usize>(&mut self, length: bool) {
        let simd = self.simd;
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let e = &mut self.reduction.matrix;
        let mut square = self.shift.abs();
        for c in 0..K {
            for r in c..K {
                let x = e[c * K + r];
                square = x.mul_add(if r > c { x + x } else { x }, square);
            }
        }
        let near = square.if_greater(Lanes::splat(simd, NEAR * NEAR), zero, one);
        let offset = near.if_greater(zero, zero, one);
        for i in 0..K {
            e[i * K + i] = e[i * K + i] + offset;
        }
        let spectrum = spectrum::<S, P, K>(simd, e);
        let mut images = spectrum.values;
        let (mut least, mut largest) = (Lanes::splat(simd, f64::INFINITY), zero);
        for image in &mut images {
            let x = *image + one - offset;
            least = least.if_greater(x, x, least);
            largest = largest.max(x);
            for (x, near) in image.each_mut().iter_mut().zip(near.each()) {
                *x = if *near > 0.0 { x.ln_1p() } else { x.ln() };
            }
            *image = *image + self.shift;
        }
        // No spread where the least is not positive or NaN, nor where the rotations' squares overflow. Comparisons with
        // NaN are false, and a maximum may ignore it.
        let spread = (largest / least).sqrt();
        let none = Lanes::splat(simd, f64::INFINITY);
        self.spread = least.if_greater(zero, none.if_greater(spread, spread, none), none);
        self.spread = Lanes::splat(simd, LARGEST_SQUARE).if_greater(square, self.spread, none);
        if length {
            let mut square = zero;
            for image in images {
                square = image.mul_add(image, square);
            }
            self.length = square.sqrt();
        } else {
            spectrum.compose(simd, &images, &mut self.log);
        }
    }
}

/// [`Batch::logarithm`].
struct Logarithm<'a, S: Simd, const P: usize> {
    batch: &'a mut Batch<S, P>,
    length: bool,
}

impl<S: Simd, const P: usize> WithSimd for Logarithm<'_, S, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<T: Simd>(self, _simd: T) {
        let Self { batch, length } = self;
        if P == SMALL {
            match batch.k {
                1 => batch.small::<1>(length),
                2 => batch.small::<2>(length),
                3 => batch.small::<3>(length),
                _ => batch.small::<4>(length),
            }
        } else {
            batch.large(length);
        }
    }
}

/// [`Batch::length_of_tridiagonal`].
struct LengthOfTridiagonal<'a, S: Simd, const P: usize>(&'a mut Batch<S, P>);

impl<S: Simd, const P: usize> WithSimd for LengthOfTridiagonal<'_, S, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<T: Simd>(self, _simd: T) {
        let Self(batch) = self;
        batch.shift = normalize_tridiagonal(batch.simd, batch.k, &mut batch.reduction);
        batch.of_tridiagonal();
        batch.length = norm(batch.simd, batch.k, &batch.log);
    }
}

/// The ratio of the largest and the least of the diagonal entries of `1 + E`.
#[inline(always)]
fn grading<S: Simd, const P: usize>(simd: S, k: usize, diagonal: impl Fn(usize) -> Lanes<S, P>) -> Lanes<S, P> {
    let mut least = Lanes::splat(simd, f64::INFINITY);
    let mut largest = Lanes::splat(simd, 0.0);
    for i in 0..k {
        let x = diagonal(i) + Lanes::splat(simd, 1.0);
        least = least.if_greater(x, x, least);
        largest = largest.max(x);
    }
    largest / least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::congruence;

    #[test]
    fn plain_and_vector_arithmetic_agree_up_to_rounding() {
        for k in [1, 2, 3, 4, 5, 7, 10] {
            let matrices: Vec<f64> = (0..11 * k * k)
                .map(|i| if i % (k * k) % (k + 1) == 0 { 1.5 } else { 1.0 / (1 + i % 7) as f64 })
                .collect();
            let matrices: Vec<f64> = matrices.chunks(k * k).flat_map(|a| gram(k, a)).collect();
            let (mut plain, mut vector) = (vec![0.0; matrices.len()], vec![0.0; matrices.len()]);
            Logarithms { k, base: None, matrices: &matrices, out: &mut plain }.with_simd(pulp::Scalar).unwrap();
            logs(k, &matrices, &mut vector).unwrap();
            assert!(plain.iter().zip(&vector).all(|(x, y)| (x - y).abs() < 1e-13));
        }
    }

    /// Numbers of any size that are no points, in every kind of arithmetic.
    #[test]
    fn nothing_is_certain_of_matrices_that_are_not_positive_definite() {
        for k in 2..=6 {
            let one: Vec<f64> = (0..k * k).map(|i| if i % (k + 1) == 0 { 1.0 } else { 0.0 }).collect();
            let is_certain = |matrix: &[f64], simd: bool| {
                let matrices = [&one[..], matrix, &one].concat();
                let mut sum = vec![0.0; k * k];
                let kernel = CertainLogarithms { k, matrices: &matrices, sum: &mut sum };
                if simd { dispatch(kernel) } else { kernel.with_simd(pulp::Scalar) }
            };
            for simd in [false, true] {
                assert!(is_certain(&one, simd));
                let near = [2.0, 1e8, 5e153, 7e153, 1e160, 1e200, 1e308, f64::INFINITY, f64::NAN];
                for (x, diagonal) in near.into_iter().flat_map(|x| [(x, 1.0), (-x, 1.0), (x, 5e-131), (x, 1e-300)]) {
                    let mut matrix: Vec<f64> = one.iter().map(|one| one * diagonal).collect();
                    (matrix[1], matrix[k]) = (x, x);
                    assert!(!is_certain(&matrix, simd), "{k} {x} {diagonal} {simd}");
                }
                for diagonal in [f64::INFINITY, f64::NAN, -1.0, 0.0, -f64::INFINITY] {
                    let mut matrix = one.clone();
                    matrix[0] = diagonal;
                    assert!(!is_certain(&matrix, simd), "{k} {diagonal} {simd}");
                }
            }
        }
    }

    fn gram(k: usize, a: &[f64]) -> Vec<f64> {
        let one: Vec<f64> = (0..k * k).map(|i| if i % (k + 1) == 0 { 1.0 } else { 0.0 }).collect();
        let mut out = vec![0.0; k * k];
        congruence(a, &one, k, &mut out);
        out
    }
}
