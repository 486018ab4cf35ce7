//! Hermitian matrices side by side: whether they are positive definite, and affine-invariant distances.
//!
//! `ρ(P, Q) = ‖Logm W‖` with `W = L⁻¹QL⁻*`, `P = LL*`. The matrix `W − 1 = L⁻¹(Q − P)L⁻*` is brought to real tridiagonal
//! form, and from there on all is as for real matrices ([`logarithms`](super::logarithms)).

use pulp::{Simd, WithSimd};

use super::complex::{Complex, Entry, factor, load, tridiagonal, whiten};
use super::lanes::{Lanes, dispatch};
use super::logarithms::Batch;

/// Up to this size two registers hide more latency, and the matrices fit in the fastest cache.
const SMALL: usize = 10;

/// `ρ(p(i), q(i))` for every row `i` that `out` has room for; all `p` are `p(0)` if `one_base`.
///
/// Returns the rows left to do one by one: those that are graded, far away or no points.
pub(crate) fn hermitian_distances<'a, 'b>(
    k: usize,
    one_base: bool,
    p: impl Fn(usize) -> &'a [f64],
    q: impl Fn(usize) -> &'b [f64],
    out: &mut [f64],
) -> Vec<usize> {
    dispatch(Distances { k, one_base, p: &p, q: &q, out })
}

struct Distances<'o, 'a, 'b> {
    k: usize,
    one_base: bool,
    p: &'o dyn Fn(usize) -> &'a [f64],
    q: &'o dyn Fn(usize) -> &'b [f64],
    out: &'o mut [f64],
}

impl WithSimd for Distances<'_, '_, '_> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<usize> {
        if self.k <= SMALL { self.run::<S, 2>(simd) } else { self.run::<S, 1>(simd) }
    }
}

impl Distances<'_, '_, '_> {
    #[inline(always)]
    fn run<S: Simd, const P: usize>(self, simd: S) -> Vec<usize> {
        let Self { k, one_base, p, q, out } = self;
        let (count, rows, mut others) = (Lanes::<S, P>::COUNT, out.len(), Vec::new());
        let zero = vec![Complex::<S, P>::splat(simd, 0.0, 0.0); k * k];
        let (mut base, mut l, mut e) = (zero.clone(), zero.clone(), zero.clone());
        let mut room = [zero[..k].to_vec(), zero[..k].to_vec()];
        let mut batch = Batch::<S, P>::new(simd, k);
        // one base has one factor
        let mut common = Vec::new();
        if one_base && rows > 0 {
            load(k, &[p(0)], &mut base);
            l.copy_from_slice(&base);
            if factor(simd, k, &mut l).is_err() {
                return (0..rows).collect();
            }
            common.extend(l.iter().map(|x| [x.re.each()[0], x.im.each()[0]]));
        }
        let (mut bases, mut points) = (Vec::new(), Vec::new());
        for (n, out) in out.chunks_mut(count).enumerate() {
            let range = n * count..n * count + out.len();
            points.clear();
            points.extend(range.clone().map(q));
            load(k, &points, &mut e);
            let mut without = Vec::new();
            if !one_base {
                bases.clear();
                bases.extend(range.clone().map(p));
                load(k, &bases, &mut base);
                l.copy_from_slice(&base);
                // a base without a factor must not affect the others of its batch
                while let Err(lane) = factor(simd, k, &mut l) {
                    without.push(lane);
                    put_identity(k, lane, &mut base);
                    l.copy_from_slice(&base);
                }
            }
            for (e, base) in e.iter_mut().zip(&base) {
                *e = Complex { re: e.re - base.re, im: e.im - base.im };
            }
            if one_base {
                length::<S, P, [f64; 2]>(simd, k, &common, &mut e, &mut room, &mut batch);
            } else {
                length::<S, P, Complex<S, P>>(simd, k, &l, &mut e, &mut room, &mut batch);
            }
            out.copy_from_slice(&batch.length.each()[..out.len()]);
            others.extend(
                range.enumerate().filter(|(lane, _)| !batch.holds(*lane) || without.contains(lane)).map(|(_, i)| i),
            );
        }
        others
    }
}

/// `‖Logm W‖`, of `W − 1 = L⁻¹EL⁻*`.
#[inline(always)]
fn length<S: Simd, const P: usize, T: Entry<S, P>>(
    simd: S,
    k: usize,
    l: &[T],
    e: &mut [Complex<S, P>],
    room: &mut [Vec<Complex<S, P>>; 2],
    batch: &mut Batch<S, P>,
) {
    whiten(simd, k, l, e);
    batch.whitened_diagonal(|i| e[i * k + i].re);
    tridiagonal(simd, k, e, room, batch.tridiagonal());
    batch.length_of_tridiagonal();
}

/// Replaces one matrix of a batch by the identity.
fn put_identity<S: Simd, const P: usize>(k: usize, lane: usize, matrices: &mut [Complex<S, P>]) {
    for (i, x) in matrices.iter_mut().enumerate() {
        x.re.each_mut()[lane] = if i % (k + 1) == 0 { 1.0 } else { 0.0 };
        x.im.each_mut()[lane] = 0.0;
    }
}

/// Whether `H − 64kε·tr H` of each Hermitian matrix has a Cholesky factor, for traces far from where products of two
/// numbers underflow or overflow: as [`clearly_positive_definite`](super::clearly_positive_definite) finds of the real
/// `2k × 2k` matrices that they are, of twice the trace. `false` means unsure.
pub(crate) fn clearly_hermitian_definite(k: usize, matrices: &[f64]) -> bool {
    dispatch(Definite { k, matrices })
}

struct Definite<'a> {
    k: usize,
    matrices: &'a [f64],
}

impl WithSimd for Definite<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        if self.k <= SMALL { self.run::<S, 2>(simd) } else { self.run::<S, 1>(simd) }
    }
}

impl Definite<'_> {
    #[inline(always)]
    fn run<S: Simd, const P: usize>(self, simd: S) -> bool {
        let Self { k, matrices } = self;
        let size = 2 * k * k;
        let (mut a, mut rows) = (vec![Complex::<S, P>::splat(simd, 0.0, 0.0); k * k], Vec::new());
        for matrices in matrices.chunks(Lanes::<S, P>::COUNT * size) {
            rows.clear();
            rows.extend(matrices.chunks_exact(size));
            load(k, &rows, &mut a);
            let mut trace = Lanes::splat(simd, 0.0);
            for i in 0..k {
                trace = trace + a[i * k + i].re;
            }
            let shift = trace * (64.0 * k as f64 * f64::EPSILON);
            for i in 0..k {
                a[i * k + i].re = a[i * k + i].re - shift;
            }
            if !shift.each().iter().all(|shift| (1e-200..1e200).contains(shift)) || factor(simd, k, &mut a).is_err() {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::{HpdAffineInvariant, Manifold};

    /// Points around the identity, with condition numbers up to some hundreds.
    fn points(m: &HpdAffineInvariant, count: usize, start: usize) -> Vec<f64> {
        let (len, d) = (m.point_len(), m.dim());
        let mut origin = vec![0.0; len];
        m.origin(&mut origin);
        let mut points = vec![0.0; count * len];
        for (n, p) in points.chunks_exact_mut(len).enumerate() {
            let size = 2.0 / (d as f64).sqrt();
            let c: Vec<f64> = (0..d).map(|i| size * (((start + n) * d + i) as f64 * 1.7).sin()).collect();
            let mut v = vec![0.0; len];
            m.from_frame(&origin, &c, &mut v);
            m.exp(&origin, &v, p);
        }
        points
    }

    /// One by one the distances are those of real matrices of twice the size.
    #[test]
    fn distances_are_those_of_real_matrices_whatever_their_company() {
        const N: usize = 19;
        for k in [1, 2, 3, 4, 5, 8, 11, 22] {
            let m = HpdAffineInvariant::new(k).unwrap();
            let (len, mut p, mut q) = (m.point_len(), points(&m, N, 0), points(&m, N, N));
            // near by, equal, far away, without a factor
            let near: Vec<f64> = p[..len].iter().map(|x| x * (1.0 + 1e-7)).collect();
            q[..len].copy_from_slice(&near);
            q.copy_within(len..2 * len, len);
            p.copy_within(2 * len..3 * len, len);
            q.copy_within(2 * len..3 * len, 3 * len);
            q[4 * len..5 * len].iter_mut().for_each(|x| *x *= 1e9);
            p[5 * len..6 * len].iter_mut().for_each(|x| *x = -*x);
            for one_base in [false, true] {
                let row = |x: &[f64], i: usize| -> Vec<f64> { x[i * len..][..len].to_vec() };
                let base = |i: usize| if one_base { &p[..len] } else { &p[i * len..][..len] };
                let other = |i: usize| &q[i * len..][..len];
                let distances = |count: usize| {
                    let mut out = vec![f64::NAN; count];
                    let left = hermitian_distances(k, one_base, base, other, &mut out);
                    (out, left)
                };
                let (found, left) = distances(N);
                assert_eq!(left.contains(&5), !one_base, "{k}");
                assert!(left.len() < 4, "{k}: {left:?}");
                for i in (0..N).filter(|i| !left.contains(i)) {
                    let expected = m.dist(base(i), &row(&q, i));
                    assert!(
                        (found[i] - expected).abs() < 1e-13 * (k as f64 + expected),
                        "{k} {i}: {} {expected}",
                        found[i]
                    );
                }
                if one_base {
                    let expected = 1e-7_f64.ln_1p() * (k as f64).sqrt();
                    assert!((found[0] / expected - 1.0).abs() < 1e-7, "{k}: {}", found[0]);
                }
                for count in [1, 2, 3, 7, 8, 9] {
                    let (fewer, _) = distances(count);
                    for i in (0..count).filter(|i| !left.contains(i)) {
                        assert_eq!(fewer[i].to_bits(), found[i].to_bits(), "{k} {count} {i}");
                    }
                }
                let mut plain = vec![0.0; N];
                let kernel = Distances { k, one_base, p: &base, q: &other, out: &mut plain };
                let also = kernel.with_simd(pulp::Scalar);
                for i in (0..N).filter(|i| !left.contains(i) && !also.contains(i)) {
                    assert!((plain[i] - found[i]).abs() < 1e-13 * (k as f64 + found[i]), "{k} {i}");
                }
            }
        }
    }

    #[test]
    fn only_positive_definite_matrices_are_clearly_so() {
        for k in [1, 2, 3, 8, 11] {
            let m = HpdAffineInvariant::new(k).unwrap();
            let (len, good) = (m.point_len(), points(&m, 9, 3));
            assert!(clearly_hermitian_definite(k, &good));
            for place in [0, 4, 8] {
                for least in [0.0, -1.0, 1e-17, f64::NAN, f64::INFINITY] {
                    let mut bad = good.clone();
                    // a last row and column of zeros, except on the diagonal
                    let matrix = &mut bad[place * len..][..len];
                    for i in 0..k {
                        matrix[2 * (i * k + k - 1)..][..2].fill(0.0);
                        matrix[2 * ((k - 1) * k + i)..][..2].fill(0.0);
                    }
                    matrix[len - 2] = least;
                    let expected = m.check_point(&bad[place * len..][..len]).is_ok() && k == 1;
                    assert_eq!(clearly_hermitian_definite(k, &bad), expected, "{k} {place} {least}");
                }
            }
        }
    }
}
