//! Orthonormal coordinates of symmetric and Hermitian matrices without their trace.
//!
//! Those off the diagonal come first, row by row: `√2·aᵢⱼ`, or `√2·Re aᵢⱼ` and `√2·Im aᵢⱼ`, `i < j`. Those of the diagonal
//! follow in Helmert's basis: `(a₁ + … + aₖ − k·aₖ₊₁)/√(k(k+1))`. The Euclidean length of the coordinates is the Frobenius
//! norm of the matrix less its mean eigenvalue.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Writes the coordinates of the part off the diagonal, entry by entry.
pub(super) fn write_off_diagonal(entry: impl IntoIterator<Item = f64>, out: &mut [f64]) {
    out.iter_mut().zip(entry).for_each(|(out, entry)| *out = SQRT_2 * entry);
}

/// The entries of the part off the diagonal.
pub(super) fn read_off_diagonal(coordinates: &[f64]) -> impl Iterator<Item = f64> + '_ {
    coordinates.iter().map(|c| FRAC_1_SQRT_2 * c)
}

/// Writes the coordinates of a diagonal.
pub(super) fn write_diagonal(diagonal: impl IntoIterator<Item = f64>, out: &mut [f64]) {
    let mut diagonal = diagonal.into_iter();
    let mut sum = diagonal.next().unwrap_or(0.0);
    for ((k, out), next) in (1..).zip(out).zip(diagonal) {
        let k = f64::from(k);
        *out = (sum - k * next) / (k * (k + 1.0)).sqrt();
        sum += next;
    }
}

/// The diagonal, of one number more and with the sum 0.
pub(super) fn read_diagonal(coordinates: &[f64]) -> Vec<f64> {
    let mut diagonal = vec![0.0; coordinates.len() + 1];
    let mut tail = 0.0;
    for (i, c) in coordinates.iter().enumerate().rev() {
        // place i + 1 enters coordinate i with the weight −(i + 1), and every later one with 1
        let k = (i + 1) as f64;
        let unit = c / (k * (k + 1.0)).sqrt();
        diagonal[i + 1] = tail - k * unit;
        tail += unit;
    }
    diagonal[0] = tail;
    diagonal
}
