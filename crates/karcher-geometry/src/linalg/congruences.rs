//! `A X Aᵀ` of many symmetric matrices `X` by one matrix `A`.
//!
//! Small ones go side by side. Others one after the other, as two products: every entry of both is one sum from its
//! first term to its last, and as many of them are computed together as registers hold.

use pulp::bytemuck::cast_slice;
use pulp::{Simd, WithSimd};

use super::interleaved::{congruence_lower, mirror, transpose};
use super::lanes::{Lanes, dispatch, turned};
use super::symmetric::{put_tile, starts, tile};
use super::transpose::{one_by_one, side_by_side};

/// The largest matrices that go side by side. Rows of larger ones fill registers well enough and need no transposition.
const SIDE_BY_SIDE: usize = 10;

/// Rows and registers of columns of a block whose sums are in registers: twelve sums hide the latency of one.
const ROWS: usize = 4;
const COLUMNS: usize = 3;

/// `A X Aᵀ` of each symmetric `k × k` matrix `X`. Of `X` the lower triangle counts, and the results are exactly
/// symmetric.
pub(crate) fn congruences(k: usize, a: &[f64], x: &[f64], out: &mut [f64]) {
    if k <= SIDE_BY_SIDE {
        dispatch(SideBySide { k, a, x, out });
    } else {
        dispatch(OneByOne { k, a, x, out });
    }
}

struct SideBySide<'o> {
    k: usize,
    a: &'o [f64],
    x: &'o [f64],
    out: &'o mut [f64],
}

impl WithSimd for SideBySide<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { k, a, x, out } = self;
        let several = Lanes::<S, 1>::COUNT * k * k;
        let mut matrices = vec![Lanes::<S, 1>::splat(simd, 0.0); k * k];
        let mut work = matrices.clone();
        for (x, out) in x.chunks(several).zip(out.chunks_mut(several)) {
            let count = x.len() / (k * k);
            side_by_side(simd, count, x, &mut matrices);
            // from rows to columns, whose lower triangle is read and computed
            transpose(k, &mut matrices);
            congruence_lower(simd, k, a, &mut work, &mut matrices);
            mirror(k, &mut matrices);
            one_by_one(simd, count, &matrices, out);
        }
    }
}

struct OneByOne<'o> {
    k: usize,
    a: &'o [f64],
    x: &'o [f64],
    out: &'o mut [f64],
}

impl WithSimd for OneByOne<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { k, a, x, out } = self;
        let size = k * k;
        // Rows of whole registers, and whole blocks of rows: the padding around the matrices is never read. Registers
        // that go beyond the end of a row hold numbers of the next one.
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
        for (x, out) in x.chunks_exact(size).zip(out.chunks_exact_mut(size)) {
            copy_mirrored(simd, k, (x, k), &mut whole);
            multiply(simd, k, (&left, k), &whole, false, &mut half);
            multiply(simd, k, (cast_slice(&half), padded), &right, true, &mut product);
            copy_mirrored(simd, k, (cast_slice(&product), padded), out);
        }
    }
}

/// Copies the lower triangle of a matrix, with the given distance between rows, to both triangles of another, four rows
/// and columns at a time.
#[inline(always)]
fn copy_mirrored<S: Simd>(simd: S, k: usize, from: (&[f64], usize), to: &mut [f64]) {
    let (from, apart) = from;
    for i in starts(k) {
        // the last tile of a row may reach beyond the diagonal; the tile on the diagonal then corrects the entries
        // above it
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

/// `out = A B`, or its lower triangle alone if `lower`, for `k` columns of `A` with the given distance between rows.
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
