//! Eigenvalues of symmetric matrices of integers, with bounds that are computed afterwards.
//!
//! A matrix is a list of integers, row by row, in units of `u = 2^(−places)`. Jacobi's rotations find numbers `Λ` and
//! vectors `V`, in the same units, and nothing is assumed of them. **What is proved is computed from `V` and `Λ`
//! alone**, in integers:
//!
//! 1. `η`, a bound of `‖VᵀV − I‖` by row sums. If `η < 1`, `V = UH` with an orthogonal `U` and `H = √(VᵀV)`, and
//!    `‖V − U‖ = ‖H − I‖ ≤ ‖H² − I‖ ≤ η`. So `VΛVᵀ` and `UΛUᵀ` differ by at most `(2η + η²)·‖Λ‖ ≤ 3η·‖Λ‖` in Frobenius
//!    norm, and so do `V|Λ|Vᵀ` and `U|Λ|Uᵀ`.
//! 2. `B = ⌊V|Λ|⌋`, entry by entry. It is off by less than 1 each, so by `n` in Frobenius norm, and `B·Vᵀ` by `n·‖V‖ ≤
//!    3n/2`. The same holds for `±B` and `VΛ`.
//! 3. `ρ`, a bound of `‖A − (±B)Vᵀ‖` in Frobenius norm.
//!
//! So `‖A − UΛUᵀ‖ ≤ ρ + 3n/2 + 3η‖Λ‖`. By Weyl's inequality the eigenvalues of `A` are that near to `Λ`. And because
//! `‖|A| − |A′|‖ ≤ ‖A − A′‖` in Frobenius norm for symmetric matrices (Araki and Yamagami 1981), and `|UΛUᵀ| = U|Λ|Uᵀ`,
//! the matrix with the lower triangle of `⌊B·Vᵀ⌋` differs from `|A|` by at most
//!
//! `ρ + 3n/2 + 3η‖Λ‖ + 3η‖Λ‖ + √2·3n/2 + n ≤ ρ + 5n + 6η‖Λ‖`.

use super::whole::Whole;

/// More sweeps than any matrix takes.
const SWEEPS: usize = 60;

/// A symmetric matrix of integers on the way to a diagonal one.
pub(super) struct Spectrum<T> {
    n: usize,
    places: usize,
    /// `VᵀAV`, nearly.
    turned: Vec<T>,
    /// `V`; the vectors are its columns.
    vectors: Vec<T>,
}

/// Approximations with a bound.
pub(super) struct Found<T> {
    /// The least eigenvalue.
    pub(super) least: T,
    /// `|A|`, row by row.
    pub(super) absolute: Vec<T>,
    /// What an eigenvalue is off by at most, and `|A|` in Frobenius norm.
    pub(super) off: T,
}

impl<T: Whole> Spectrum<T> {
    /// Before the first sweep.
    pub(super) fn new(matrix: &[T], n: usize, places: usize) -> Self {
        let one = |i: usize| if i.is_multiple_of(n + 1) { T::from(1) << places } else { T::from(0) };
        Self { n, places, turned: matrix.to_vec(), vectors: (0..n * n).map(one).collect() }
    }

    /// After all sweeps.
    pub(super) fn of(matrix: &[T], n: usize, places: usize) -> Self {
        let mut spectrum = Self::new(matrix, n, places);
        let _ = (0..SWEEPS).find(|_| !spectrum.sweep());
        spectrum
    }

    /// Turns each pair of axes once, and returns whether some entry off the diagonal was not nearly 0.
    pub(super) fn sweep(&mut self) -> bool {
        let n = self.n;
        let little = T::from(4 * n as i64);
        let mut has_turned = false;
        for i in 0..n {
            for j in i + 1..n {
                if self.turned[i * n + j].clone().size() > little {
                    self.turn(i, j);
                    has_turned = true;
                }
            }
        }
        has_turned
    }

    /// A rotation after which the entry of two axes is nearly 0 (Jacobi 1846).
    fn turn(&mut self, i: usize, j: usize) {
        let (n, places) = (self.n, self.places);
        let entry = self.turned[i * n + j].clone();
        let apart = self.turned[j * n + j].clone() - self.turned[i * n + i].clone();
        let twice = entry.clone() << 1;
        let root = (apart.clone().squared() + twice.clone().squared()).root();
        // of the smaller of the two angles
        let size = (twice << places) / (apart.clone().size() + root);
        let tangent = if apart < T::from(0) { -size } else { size };
        let one = T::from(1) << places;
        let cosine = one.clone().squared() / (one.squared() + tangent.clone().squared()).root();
        let sine = (tangent.clone() * cosine.clone()) >> places;
        let pair = |x: &T, y: &T| {
            let (c, s) = (cosine.clone(), sine.clone());
            let first = (c.clone() * x.clone() - s.clone() * y.clone()) >> places;
            (first, (s * x.clone() + c * y.clone()) >> places)
        };
        for k in 0..n {
            let (a, b) = (k * n + i, k * n + j);
            (self.vectors[a], self.vectors[b]) = pair(&self.vectors[a], &self.vectors[b]);
            if k != i && k != j {
                (self.turned[a], self.turned[b]) = pair(&self.turned[a], &self.turned[b]);
                self.turned[i * n + k] = self.turned[a].clone();
                self.turned[j * n + k] = self.turned[b].clone();
            }
        }
        let moved = (tangent * entry) >> places;
        self.turned[i * n + i] = self.turned[i * n + i].clone() - moved.clone();
        self.turned[j * n + j] = self.turned[j * n + j].clone() + moved;
        self.turned[i * n + j] = T::from(0);
        self.turned[j * n + i] = T::from(0);
    }

    /// The approximations of a matrix, whatever the rotations were. `None` where the vectors are not nearly orthogonal.
    pub(super) fn found(&self, matrix: &[T]) -> Option<Found<T>> {
        let (n, places) = (self.n, self.places);
        let zero = T::from(0);
        let product = |x: &[T], i: usize, y: &[T], j: usize| {
            (0..n).fold(zero.clone(), |sum, k| sum + x[i * n + k].clone() * y[j * n + k].clone())
        };
        let whole = |x: T| (x >> places) + T::from(1); // in the unit, rounded up
        // 1. the rows of Vᵀ
        let columns: Vec<T> = (0..n * n).map(|i| self.vectors[(i % n) * n + i / n].clone()).collect();
        let mut eta = zero.clone();
        for i in 0..n {
            let off = |j: usize| {
                let expected = if i == j { T::from(1) << (2 * places) } else { zero.clone() };
                (product(&columns, i, &columns, j) - expected).size()
            };
            eta = eta.max(whole((0..n).fold(zero.clone(), |sum, j| sum + off(j))));
        }
        if eta.clone() << 1 > T::from(1) << places {
            return None;
        }
        // 2. B
        let values: Vec<T> = (0..n).map(|k| self.turned[k * n + k].clone()).collect();
        let scaled: Vec<T> =
            (0..n * n).map(|i| (self.vectors[i].clone() * values[i % n].clone().size()) >> places).collect();
        let sign = |i: usize| if values[i % n] < zero { -scaled[i].clone() } else { scaled[i].clone() };
        let signed: Vec<T> = (0..n * n).map(sign).collect();
        // 3. ρ
        let mut square = zero.clone();
        for i in 0..n {
            for j in 0..n {
                let off = (matrix[i * n + j].clone() << places) - product(&signed, i, &self.vectors, j);
                square = square + whole(off.size()).squared();
            }
        }
        let mut absolute = vec![zero.clone(); n * n];
        for i in 0..n {
            for j in 0..=i {
                let entry = product(&scaled, i, &self.vectors, j) >> places;
                absolute[j * n + i] = entry.clone();
                absolute[i * n + j] = entry;
            }
        }
        let sum = values.iter().fold(zero, |sum, value| sum + value.clone().size());
        let off = square.root() + T::from(1 + 5 * n as i64) + T::from(6) * eta * whole(sum);
        let least = values.into_iter().min()?;
        Some(Found { least, absolute, off })
    }
}

/// Whether all eigenvalues of a symmetric matrix are positive: `Some(true)` if they are for every matrix that is off
/// from this one by at most `off`, and `Some(false)` if each such matrix has a negative one. `None` if neither is
/// certain.
///
/// A vector `w` with `wᵀAw + off·‖w‖² < 0` shows a negative one. `⌊Aw⌋` is off by less than 1 in each number, so that
/// `wᵀ⌊Aw⌋` is off by at most `√n·‖w‖`, and `‖w‖² ≤ 2` is checked.
pub(super) fn is_positive<T: Whole>(matrix: &[T], off: &T, n: usize, places: usize) -> Option<bool> {
    let mut spectrum = Spectrum::new(matrix, n, places);
    let zero = T::from(0);
    let margin = T::from(2) * off.clone() + T::from(2 + 2 * n as i64);
    for _ in 0..SWEEPS {
        let has_turned = spectrum.sweep();
        let lowest = (0..n).min_by_key(|k| spectrum.turned[k * n + k].clone())?;
        if spectrum.turned[lowest * n + lowest].clone() + margin.clone() < zero {
            let vector: Vec<T> = (0..n).map(|i| spectrum.vectors[i * n + lowest].clone()).collect();
            let with = |row: &[T]| row.iter().zip(&vector).fold(T::from(0), |sum, (x, w)| sum + x.clone() * w.clone());
            let image: Vec<T> = matrix.chunks_exact(n).map(|row| with(row) >> places).collect();
            let is_short = with(&vector) < T::from(2) << (2 * places);
            if is_short && (with(&image) >> places) + margin.clone() < zero {
                return Some(false);
            }
        }
        if !has_turned {
            break;
        }
    }
    let found = spectrum.found(matrix)?;
    (found.least - found.off > *off).then_some(true)
}
