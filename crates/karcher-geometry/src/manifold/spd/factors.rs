//! The formulas of the log-Cholesky metric, for one matrix and for several side by side.
//!
//! All matrices are `k × k`, row by row. Sums go from their first term to their last.

use super::super::real::Real;
use super::super::rows::Formula;
use super::{LARGEST_LOGARITHM, dim};
use crate::elementary::{exp, ln};

/// The largest number of a factor below its diagonal: products of two, and their sums, are doubles.
const LARGEST_FACTOR: f64 = 1e130;

/// `P ↦ L` with `P = LLᵀ`, zero above the diagonal; NaN where `P` has no factor. The lower triangle counts.
pub(super) struct Factor(pub(super) usize);

impl Formula for Factor {
    fn widths(&self) -> [usize; 3] {
        [self.0 * self.0, self.0 * self.0, 0]
    }

    #[inline(always)]
    fn apply<T: Real>(&self, p: &[T], l: &mut [T], _room: &mut [T]) {
        let (k, zero) = (self.0, T::zero(p));
        l.fill(zero);
        for j in 0..k {
            for i in j..k {
                // an empty sum is 0
                let sum = if j > 0 { dot(&l[i * k..][..j], &l[j * k..][..j]) } else { zero };
                l[i * k + j] = p[i * k + j] - sum;
            }
            // NaN where it is infinite
            let pivot = l[j * k + j].map(|x| if x > 0.0 { x + x * 0.0 } else { f64::NAN }).sqrt();
            l[j * k + j] = pivot;
            for i in j + 1..k {
                l[i * k + j] = l[i * k + j] / pivot;
            }
        }
        // of a matrix without a factor the last pivot is NaN, and so are all numbers
        let last = l[k * k - 1];
        for i in 0..k {
            for x in &mut l[i * k..=i * k + i] {
                *x = x.with(last, |x, last| if last.is_nan() { last } else { x });
            }
        }
    }
}

/// `L ↦ w`: the logarithms of its diagonal, then the numbers below it.
pub(super) struct OfFactor(pub(super) usize);

impl Formula for OfFactor {
    fn widths(&self) -> [usize; 3] {
        [self.0 * self.0, dim(self.0), 0]
    }

    #[inline(always)]
    fn apply<T: Real>(&self, l: &[T], w: &mut [T], _room: &mut [T]) {
        put(self.0, l, w);
        for x in &mut w[..self.0] {
            *x = x.map(ln);
        }
    }
}

/// `P ↦ w`.
pub(super) struct Image(pub(super) usize);

impl Formula for Image {
    fn widths(&self) -> [usize; 3] {
        let size = self.0 * self.0;
        [size, dim(self.0), size]
    }

    #[inline(always)]
    fn apply<T: Real>(&self, p: &[T], w: &mut [T], l: &mut [T]) {
        Factor(self.0).apply(p, l, &mut []);
        OfFactor(self.0).apply(l, w, &mut []);
    }
}

/// `w ↦ L`, kept within the range of doubles.
pub(super) struct ToFactor(pub(super) usize);

impl Formula for ToFactor {
    fn widths(&self) -> [usize; 3] {
        [dim(self.0), self.0 * self.0, 0]
    }

    #[inline(always)]
    fn apply<T: Real>(&self, w: &[T], l: &mut [T], _room: &mut [T]) {
        let (k, half) = (self.0, 0.5 * LARGEST_LOGARITHM);
        take(k, w, l);
        for i in 0..k {
            l[i * k + i] = w[i].map(|x| x.clamp(-half, half)).map(exp);
            for x in &mut l[i * k..=i * k + i] {
                *x = x.map(|x| x.clamp(-LARGEST_FACTOR, LARGEST_FACTOR));
            }
        }
    }
}

/// `L ↦ LLᵀ`.
pub(super) struct Square(pub(super) usize);

impl Formula for Square {
    fn widths(&self) -> [usize; 3] {
        [self.0 * self.0, self.0 * self.0, 0]
    }

    #[inline(always)]
    fn apply<T: Real>(&self, l: &[T], p: &mut [T], _room: &mut [T]) {
        let k = self.0;
        for i in 0..k {
            for j in 0..=i {
                let product = dot(&l[i * k..][..=j], &l[j * k..][..=j]);
                (p[i * k + j], p[j * k + i]) = (product, product);
            }
        }
    }
}

/// `w ↦ P`.
pub(super) struct Point(pub(super) usize);

impl Formula for Point {
    fn widths(&self) -> [usize; 3] {
        let size = self.0 * self.0;
        [dim(self.0), size, size]
    }

    #[inline(always)]
    fn apply<T: Real>(&self, w: &[T], p: &mut [T], l: &mut [T]) {
        ToFactor(self.0).apply(w, l, &mut []);
        Square(self.0).apply(l, p, &mut []);
    }
}

/// `V ↦ w` at `P = LLᵀ`: `dL = L·½(L⁻¹VL⁻ᵀ)`, where `½` keeps what is below the diagonal and halves what is on it: then
/// `dL·Lᵀ + L·dLᵀ = V`. Logarithms change by `dLᵢᵢ/Lᵢᵢ`. The lower triangle of `V` counts.
pub(super) struct Differential<'a> {
    pub(super) k: usize,
    pub(super) l: &'a [f64],
}

impl Formula for Differential<'_> {
    fn widths(&self) -> [usize; 3] {
        let size = self.k * self.k;
        [size, dim(self.k), 2 * size]
    }

    #[inline(always)]
    fn apply<T: Real>(&self, v: &[T], w: &mut [T], room: &mut [T]) {
        let Self { k, l } = *self;
        let (half, change) = room.split_at_mut(k * k);
        for i in 0..k {
            for j in 0..=i {
                (half[i * k + j], half[j * k + i]) = (v[i * k + j], v[i * k + j]);
            }
        }
        solve(k, l, half);
        solve_right(k, l, half);
        for i in 0..k {
            half[i * k + i] = half[i * k + i] * 0.5;
            for j in 0..i {
                let mut sum = T::zero(v);
                for m in j..=i {
                    sum = sum + half[m * k + j] * l[i * k + m];
                }
                change[i * k + j] = sum;
            }
            change[i * k + i] = half[i * k + i];
        }
        put(k, change, w);
    }
}

/// `w ↦ V = dL·Lᵀ + L·dLᵀ` at `P = LLᵀ`.
pub(super) struct InverseDifferential<'a> {
    pub(super) k: usize,
    pub(super) l: &'a [f64],
}

impl Formula for InverseDifferential<'_> {
    fn widths(&self) -> [usize; 3] {
        let size = self.k * self.k;
        [dim(self.k), size, size]
    }

    #[inline(always)]
    fn apply<T: Real>(&self, w: &[T], v: &mut [T], change: &mut [T]) {
        let Self { k, l } = *self;
        take(k, w, change);
        for i in 0..k {
            change[i * k + i] = w[i] * l[i * k + i];
        }
        for i in 0..k {
            for j in 0..=i {
                let [mut one, mut other] = [T::zero(w); 2];
                for m in 0..=j {
                    one = one + change[i * k + m] * l[j * k + m];
                    other = other + change[j * k + m] * l[i * k + m];
                }
                (v[i * k + j], v[j * k + i]) = (one + other, one + other);
            }
        }
    }
}

/// The diagonal of a matrix, then the numbers below it, row by row.
#[inline(always)]
fn put<T: Real>(k: usize, l: &[T], w: &mut [T]) {
    let mut next = k;
    for i in 0..k {
        w[i] = l[i * k + i];
        w[next..next + i].copy_from_slice(&l[i * k..][..i]);
        next += i;
    }
}

/// The lower triangular matrix with these numbers below the diagonal, and any on it.
#[inline(always)]
fn take<T: Real>(k: usize, w: &[T], l: &mut [T]) {
    let (zero, mut next) = (T::zero(w), k);
    for i in 0..k {
        l[i * k..][..i].copy_from_slice(&w[next..next + i]);
        l[i * k + i..(i + 1) * k].fill(zero);
        next += i;
    }
}

/// Columns of a row that are computed together, as one has to wait for the sum before.
const TOGETHER: usize = 4;

/// `X ← L⁻¹X`.
#[inline(always)]
fn solve<T: Real>(k: usize, l: &[f64], x: &mut [T]) {
    for i in 0..k {
        let (above, below) = x.split_at_mut(i * k);
        let (l, row) = (&l[i * k..=i * k + i], &mut below[..k]);
        let mut j = 0;
        while j < k {
            if j + TOGETHER <= k {
                solve_columns::<T, TOGETHER>(k, l, above, row, j);
                j += TOGETHER;
            } else {
                solve_columns::<T, 1>(k, l, above, row, j);
                j += 1;
            }
        }
    }
}

/// Some columns of the last row of [`solve`].
#[inline(always)]
fn solve_columns<T: Real, const B: usize>(k: usize, l: &[f64], above: &[T], row: &mut [T], j: usize) {
    let mut rest = [row[j]; B];
    rest.copy_from_slice(&row[j..j + B]);
    let i = l.len() - 1;
    for (l, above) in l[..i].iter().zip(above.chunks_exact(k)) {
        let l = row[j].like(*l);
        for b in 0..B {
            rest[b] = rest[b] - l * above[j + b];
        }
    }
    let pivot = row[j].like(l[i]);
    for b in 0..B {
        row[j + b] = rest[b] / pivot;
    }
}

/// The lower triangle of `XL⁻ᵀ`, into that of `X`, which alone is read.
#[inline(always)]
fn solve_right<T: Real>(k: usize, l: &[f64], x: &mut [T]) {
    for j in 0..k {
        let l = &l[j * k..=j * k + j];
        for i in j..k {
            let row = &mut x[i * k..=i * k + j];
            let mut rest = row[j];
            for (x, l) in row.iter().zip(&l[..j]) {
                rest = rest - *x * *l;
            }
            row[j] = rest / rest.like(l[j]);
        }
    }
}

/// `Σ xᵢyᵢ`.
#[inline(always)]
fn dot<T: Real>(x: &[T], y: &[T]) -> T {
    let mut sum = T::zero(x);
    for (x, y) in x.iter().zip(y) {
        sum = sum + *x * *y;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::super::rows::{of_each, of_one};
    use super::*;

    fn many_are_as_one(formula: &impl Formula, x: &[f64], what: &str) {
        let [from, to, _] = formula.widths();
        for count in [1, 2, 3, 4, 7, 8, 9, 16, 19] {
            let many = of_each(formula, &x[..count * from]);
            for (i, found) in many.chunks_exact(to).enumerate() {
                let expected = of_one(formula, &x[i * from..][..from]);
                let same =
                    found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan());
                assert!(same, "{what}, row {i} of {count}: {found:?} {expected:?}");
            }
        }
    }

    /// Numbers of matrices of any kind, among them ones without a factor.
    #[test]
    fn a_matrix_among_many_has_the_bits_that_it_has_alone() {
        for k in [1, 2, 3, 4, 5, 8, 11, 17] {
            let number =
                |i: usize| (i as f64 * 0.7).sin() + if (i % (k * k)).is_multiple_of(k + 1) { k as f64 } else { 0.0 };
            let mut matrices: Vec<f64> = (0..19 * k * k).map(number).collect();
            matrices[2 * k * k..3 * k * k].iter_mut().step_by(k + 1).for_each(|x| *x = -1.0);
            matrices[5 * k * k] = 0.0;
            matrices[6 * k * k] = f64::NAN;
            let l = of_one(&Factor(k), &matrices[..k * k]);
            let images = of_each(&Image(k), &matrices);
            many_are_as_one(&Factor(k), &matrices, "factor");
            many_are_as_one(&Image(k), &matrices, "image");
            many_are_as_one(&Point(k), &images, "point");
            many_are_as_one(&Differential { k, l: &l }, &matrices, "differential");
            many_are_as_one(&InverseDifferential { k, l: &l }, &images, "inverse differential");
            for (i, image) in images.chunks_exact(dim(k)).enumerate() {
                assert_eq!(image.iter().all(|x| x.is_nan()), [2, 5, 6].contains(&i), "{k} {i}: {image:?}");
            }
        }
    }
}
