//! Whether matrices equal their transposes, four rows and columns at a time.

use pulp::{Simd, WithSimd};

use super::lanes::{dispatch, turned};

/// Whether each of the `k × k` matrices equals its transpose and has finite entries.
pub(crate) fn are_symmetric(k: usize, matrices: &[f64]) -> bool {
    dispatch(Symmetric { k, matrices })
}

struct Symmetric<'a> {
    k: usize,
    matrices: &'a [f64],
}

impl WithSimd for Symmetric<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self { k, matrices } = self;
        for matrix in matrices.chunks_exact(k * k) {
            if !is_symmetric(simd, k, matrix) {
                return false;
            }
        }
        true
    }
}

/// Where tiles of four rows start: the last of them has some rows of the one before where fewer than four are left.
#[inline(always)]
pub(super) fn starts(k: usize) -> impl Iterator<Item = usize> {
    (0..k).step_by(4).map(move |i| i.min(k - 4))
}

/// Whether a matrix equals its transpose and has finite entries: whether all `|aᵢⱼ − aⱼᵢ|` are 0, which is NaN for
/// infinities.
#[inline(always)]
pub(super) fn is_symmetric<S: Simd>(simd: S, k: usize, a: &[f64]) -> bool {
    let mut off = [0.0; 4];
    if k < 4 {
        for i in 0..k {
            for j in 0..=i {
                off[0] += (a[i * k + j] - a[j * k + i]).abs();
            }
        }
        return off[0] == 0.0;
    }
    for i in starts(k) {
        for j in (0..i).step_by(4).chain([i]) {
            let below = tile(k, &a[i * k + j..]);
            let above = turned(simd, tile(k, &a[j * k + i..]));
            for row in 0..4 {
                for column in 0..4 {
                    off[column] += (below[row][column] - above[row][column]).abs();
                }
            }
        }
    }
    (off[0] + off[1]) + (off[2] + off[3]) == 0.0
}

/// Four rows and columns of a matrix with rows of `k` entries.
#[inline(always)]
pub(super) fn tile(k: usize, a: &[f64]) -> [[f64; 4]; 4] {
    let mut tile = [[0.0; 4]; 4];
    for i in 0..4 {
        tile[i].copy_from_slice(&a[i * k..i * k + 4]);
    }
    tile
}

/// The other way round.
#[inline(always)]
pub(super) fn put_tile(k: usize, a: &mut [f64], tile: [[f64; 4]; 4]) {
    for i in 0..4 {
        a[i * k..i * k + 4].copy_from_slice(&tile[i]);
    }
}
