//! Hermitian `k×k` matrices as real symmetric `2k×2k` ones.
//!
//! `a + ib ↦ [[a, −b], [b, a]]`, entry by entry, is an embedding `E` of complex matrices into real ones that keeps sums,
//! products and inverses, and makes adjoints transposes. So it keeps exponentials, logarithms and square roots. A lower
//! triangular matrix with a positive diagonal stays one, so it keeps Cholesky factors too. `⟨E(U), E(V)⟩_F =
//! 2·Re⟨U, V⟩_F`, and each eigenvalue of `H` is one of `E(H)` twice.

use super::super::spd::{vecd, vecd_inverse};
use super::super::{
    CURVED_POINT_TOLERANCE,
    vector::{largest, non_finite},
};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};
use std::fmt;

/// `E(H)`. The lower triangle of `H` counts, and the real parts of its diagonal.
pub(super) fn embed(k: usize, h: &[f64], out: &mut [f64]) {
    let n = 2 * k;
    for i in 0..k {
        for j in 0..=i {
            let (a, b) = entry(k, h, i, j);
            let b = if i == j { 0.0 } else { b };
            for (row, column, x) in [(0, 0, a), (0, 1, -b), (1, 0, b), (1, 1, a)] {
                out[(2 * i + row) * n + 2 * j + column] = x;
                out[(2 * j + column) * n + 2 * i + row] = x;
            }
        }
    }
}

/// The Hermitian matrix whose image is nearest to a symmetric `2k×2k` matrix: equal entries of a block are averaged.
/// NaN where the matrix is.
pub(super) fn restore(k: usize, m: &[f64], out: &mut [f64]) {
    let block = |row: usize, column: usize| m[row * 2 * k + column];
    if m[0].is_nan() {
        return out.fill(f64::NAN);
    }
    for i in 0..k {
        for j in 0..=i {
            let a = 0.5 * block(2 * i, 2 * j) + 0.5 * block(2 * i + 1, 2 * j + 1);
            let b = if i == j { 0.0 } else { 0.5 * block(2 * i + 1, 2 * j) - 0.5 * block(2 * i, 2 * j + 1) };
            put(k, out, (i, j), (a, b));
        }
    }
}

/// Replaces a matrix by its Hermitian part.
pub(super) fn hermitize(k: usize, h: &mut [f64]) {
    for i in 0..k {
        for j in 0..=i {
            let ((a, b), (c, d)) = (entry(k, h, i, j), entry(k, h, j, i));
            put(k, h, (i, j), (0.5 * a + 0.5 * c, 0.5 * b - 0.5 * d));
        }
    }
}

/// Whether matrices, one after the other, are Hermitian to the last bit.
pub(super) fn are_hermitian(k: usize, matrices: &[f64]) -> bool {
    let mirrored = |h: &[f64], i: usize, j: usize| {
        let ((a, b), (c, d)) = (entry(k, h, i, j), entry(k, h, j, i));
        a == c && b == -d
    };
    matrices.chunks_exact(2 * k * k).all(|h| (0..k).all(|i| (0..=i).all(|j| mirrored(h, i, j))))
}

/// Returns the reason why numbers are no Hermitian matrix.
pub(super) fn check_hermitian(k: usize, h: &[f64], rounding: f64) -> Result<(), String> {
    if let Some(reason) = non_finite(h) {
        return Err(reason);
    }
    let allowed = CURVED_POINT_TOLERANCE * largest(h) + rounding;
    for i in 0..k {
        for j in 0..=i {
            let ((a, b), (c, d)) = (entry(k, h, i, j), entry(k, h, j, i));
            let (row, column) = (i + 1, j + 1);
            if i == j && b.abs() > allowed {
                let found = Entry(a, b);
                return Err(format!("it is not Hermitian: entry ({row},{row}) is {found}, it must be real"));
            }
            if (a - c).abs() > allowed || i != j && (b + d).abs() > allowed {
                let (low, high) = (Entry(a, b), Entry(c, d));
                return Err(format!(
                    "it is not Hermitian: entry ({row},{column}) is {low}, entry ({column},{row}) is {high}"
                ));
            }
        }
    }
    Ok(())
}

/// `[diag H, √2·Re of the strict upper triangle, √2·Im of it, row by row]`, which has the length `‖H‖_F`, from the
/// coordinates `vecd E(H)`.
pub(super) fn narrow(k: usize, wide: &[f64], out: &mut [f64]) {
    let (mut m, mut h) = (vec![0.0; 4 * k * k], vec![0.0; 2 * k * k]);
    vecd_inverse(2 * k, wide, &mut m);
    restore(k, &m, &mut h);
    let (diagonal, off) = out.split_at_mut(k);
    let (real, imaginary) = off.split_at_mut(off.len() / 2);
    diagonal.iter_mut().enumerate().for_each(|(i, c)| *c = entry(k, &h, i, i).0);
    for ((i, j), (re, im)) in above(k).zip(real.iter_mut().zip(imaginary)) {
        let (a, b) = entry(k, &h, i, j);
        (*re, *im) = (SQRT_2 * a, SQRT_2 * b);
    }
}

/// The inverse of [`narrow`]: `vecd E(H)`, `√2` times as long.
pub(super) fn widen(k: usize, coordinates: &[f64]) -> Vec<f64> {
    let (mut h, mut m, mut wide) = (vec![0.0; 2 * k * k], vec![0.0; 4 * k * k], vec![0.0; k * (2 * k + 1)]);
    let (diagonal, off) = coordinates.split_at(k);
    let (real, imaginary) = off.split_at(off.len() / 2);
    diagonal.iter().enumerate().for_each(|(i, c)| put(k, &mut h, (i, i), (*c, 0.0)));
    for ((i, j), (re, im)) in above(k).zip(real.iter().zip(imaginary)) {
        put(k, &mut h, (i, j), (FRAC_1_SQRT_2 * re, FRAC_1_SQRT_2 * im));
    }
    embed(k, &h, &mut m);
    vecd(2 * k, &m, &mut wide);
    wide
}

/// Real and imaginary part of an entry.
fn entry(k: usize, h: &[f64], i: usize, j: usize) -> (f64, f64) {
    let at = 2 * (i * k + j);
    (h[at], h[at + 1])
}

/// Sets an entry and its mirror image.
fn put(k: usize, h: &mut [f64], (i, j): (usize, usize), (a, b): (f64, f64)) {
    let (at, mirrored) = (2 * (i * k + j), 2 * (j * k + i));
    // no −0
    (h[mirrored], h[mirrored + 1]) = (a, 0.0 - b);
    (h[at], h[at + 1]) = (a, b);
}

/// The strict upper triangle, row by row.
fn above(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |i| (i + 1..k).map(move |j| (i, j)))
}

/// A complex number in words: `2+0.5i`.
struct Entry(f64, f64);

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:+}i", self.0, self.1)
    }
}
