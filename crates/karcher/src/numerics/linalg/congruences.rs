//! `A X Aᵀ` of many symmetric matrices `X` by one matrix `A`, one matrix after the other.
//!
//! Of small ones as the linear map of the lower triangle that it is. Of others as two products: every entry of both is
//! one sum from its first term to its last, and as many of them are computed together as registers hold.

use pulp::bytemuck::cast_slice;
use pulp::{Simd, WithSimd};

use super::lanes::{dispatch, turned};
use super::symmetric::{put_tile, starts, tile};

/// Rows and registers of columns of a block whose sums are in registers: twelve sums hide the latency of one.
const ROWS: usize = 4;
const COLUMNS: usize = 3;

/// `A X Aᵀ` of each symmetric `k × k` matrix `X = x(0), x(1), …`, as many as `out` has room for. Of `X` the lower
/// triangle counts, and the results are exactly symmetric.
pub(crate) fn congruences<'a>(k: usize, a: &[f64], x: impl Fn(usize) -> &'a [f64], out: &mut [f64]) {
    match k {
        1 => dispatch(Small::<_, 1, 4>::new(a, x, out)),
        2 => dispatch(Small::<_, 2, 4>::new(a, x, out)),
        3 => dispatch(Small::<_, 3, 12>::new(a, x, out)),
        4 => dispatch(Small::<_, 4, 16>::new(a, x, out)),
        _ => dispatch(Congruences { k, a, x: &x, out }),
    }
}

/// Matrices of `K` rows, whose `K²` numbers fit in `W`, a multiple of four.
struct Small<'o, F, const K: usize, const W: usize> {
    /// For each entry of the lower triangle, row by row, `A X Aᵀ` of the symmetric matrix that has a 1 there.
    images: Vec<[f64; W]>,
    x: F,
    out: &'o mut [f64],
}

impl<'o, F, const K: usize, const W: usize> Small<'o, F, K, W> {
    fn new(a: &[f64], x: F, out: &'o mut [f64]) -> Self {
        let mut images = Vec::with_capacity(K * (K + 1) / 2);
        for l in 0..K {
            for m in 0..=l {
                let mut image = [0.0; W];
                for i in 0..K {
                    for j in 0..K {
                        let (there, back) = (a[i * K + l] * a[j * K + m], a[i * K + m] * a[j * K + l]);
                        image[i * K + j] = if l == m { there } else { there + back };
                    }
                }
                images.push(image);
            }
        }
        Self { images, x, out }
    }
}

impl<'a, F: Fn(usize) -> &'a [f64], const K: usize, const W: usize> WithSimd for Small<'_, F, K, W> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { images, x, out } = self;
        for (i, out) in out.chunks_exact_mut(K * K).enumerate() {
            let (x, mut images, mut sums) = (&x(i)[..K * K], images.iter(), [0.0; W]);
            for l in 0..K {
                for (x, image) in x[l * K..=l * K + l].iter().zip(&mut images) {
                    for n in 0..W {
                        sums[n] += x * image[n];
                    }
                }
            }
            out.copy_from_slice(&sums[..K * K]);
        }
    }
}

struct Congruences<'o, 'a> {
    k: usize,
    a: &'o [f64],
    x: &'o dyn Fn(usize) -> &'a [f64],
    out: &'o mut [f64],
}

impl WithSimd for Congruences<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { k, a, x, out } = self;
        let size = k * k;
        // Rows of whole registers, and whole blocks of rows: nobody looks at what is beside the matrices. Registers that
        // go beyond the end of a row hold numbers of the next one.
        let (width, rows) = (k.div_ceil(S::F64_LANES), k.next_multiple_of(ROWS));
        let padded = width * S::F64_LANES;
        let mut left = vec![0.0; rows * k];
        let (mut right, mut whole) = (vec![0.0; size + S::F64_LANES], vec![0.0; size + S::F64_LANES]);
        for (j, a) in a.chunks_exact(k).enumerate() {
            left[j * k..(j + 1) * k].copy_from_slice(a);
            right[j..size].iter_mut().step_by(k).zip(a).for_each(|(entry, a)| *entry = *a);
        }
        let mut half = vec![simd.splat_f64s(0.0); rows * width];
        let mut product = half.clone();
        for (i, out) in out.chunks_exact_mut(size).enumerate() {
            mirror(simd, k, (x(i), k), &mut whole);
            multiply(simd, k, (&left, k), &whole, false, &mut half);
            multiply(simd, k, (cast_slice(&half), padded), &right, true, &mut product);
            mirror(simd, k, (cast_slice(&product), padded), out);
        }
    }
}

/// Copies the lower triangle of a matrix, whose rows are so far apart, to both triangles of another, four rows and
/// columns at a time.
#[inline(always)]
fn mirror<S: Simd>(simd: S, k: usize, from: (&[f64], usize), to: &mut [f64]) {
    let (from, apart) = from;
    for i in starts(k) {
        // of the last tile of a row that reaches beyond the diagonal, the one on it puts right what is above
        for j in (0..i).step_by(4) {
            let below = tile(apart, &from[i * apart + j..]);
            put_tile(k, &mut to[i * k + j..], below);
            put_tile(k, &mut to[j * k + i..], turned(simd, below));
        }
        let mut on = tile(apart, &from[i * apart + i..]);
        let above = turned(simd, on);
        for (row, (on, above)) in on.iter_mut().zip(&above).enumerate() {
            on[row..].copy_from_slice(&above[row..]);
        }
        put_tile(k, &mut to[i * k + i..], on);
    }
}

/// `out = A B`, of which `lower` asks for the lower triangle, for `k` columns of `A`, whose rows are so far apart.
#[inline(always)]
fn multiply<S: Simd>(simd: S, k: usize, a: (&[f64], usize), b: &[f64], lower: bool, out: &mut [S::f64s]) {
    let ((a, apart), width) = (a, k.div_ceil(S::F64_LANES));
    for (block, out) in out.chunks_exact_mut(ROWS * width).enumerate() {
        let mut rows: [&[f64]; ROWS] = [&[]; ROWS];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = &a[(block * ROWS + i) * apart..][..k];
        }
        let end = if lower { width.min(((block + 1) * ROWS).div_ceil(S::F64_LANES)) } else { width };
        for first in (0..end).step_by(COLUMNS) {
            match end - first {
                1 => sums::<S, 1>(simd, rows, b, first, out),
                2 => sums::<S, 2>(simd, rows, b, first, out),
                _ => sums::<S, COLUMNS>(simd, rows, b, first, out),
            }
        }
    }
}

/// Some columns of some rows of `A B`.
#[inline(always)]
fn sums<S: Simd, const C: usize>(simd: S, a: [&[f64]; ROWS], b: &[f64], first: usize, out: &mut [S::f64s]) {
    let (k, width) = (a[0].len(), out.len() / ROWS);
    let mut sums = [[simd.splat_f64s(0.0); C]; ROWS];
    for (l, b) in b[first * S::F64_LANES..].windows(C * S::F64_LANES).step_by(k).enumerate().take(k) {
        let b: &[S::f64s] = cast_slice(b);
        for i in 0..ROWS {
            let x = simd.splat_f64s(a[i][l]);
            for j in 0..C {
                sums[i][j] = simd.mul_add_e_f64s(x, b[j], sums[i][j]);
            }
        }
    }
    for (out, sums) in out.chunks_exact_mut(width).zip(&sums) {
        out[first..first + C].copy_from_slice(sums);
    }
}
