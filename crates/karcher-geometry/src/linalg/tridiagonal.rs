//! The eigenvalues alone of a symmetric matrix, from its tridiagonal form.

use nalgebra::DMatrix;
use nalgebra::linalg::SymmetricTridiagonal;

/// A number of steps far beyond the two or so that an eigenvalue takes.
const MAX_STEPS: usize = 60;

/// The eigenvalues of the symmetric `k × k` matrix `a`, in no particular order, a tenth as costly as
/// [`eigen`](super::eigen); NaN where they were not found. Errors are of the order of `k·2⁻⁵³·‖A‖`.
pub(crate) fn eigenvalues(a: &[f64], k: usize) -> Vec<f64> {
    if k < 2 {
        return a.to_vec();
    }
    let (diagonal, off_diagonal) = SymmetricTridiagonal::new(DMatrix::from_column_slice(k, k, a)).unpack_tridiagonal();
    let mut values = diagonal.as_slice().to_vec();
    let mut off_diagonal = off_diagonal.as_slice().to_vec();
    tridiagonal_eigenvalues(&mut values, &mut off_diagonal);
    values
}

/// Replaces the `k` diagonal entries of a symmetric tridiagonal matrix by its eigenvalues, and the `k − 1` off-diagonal
/// entries by rounding errors: implicit QL steps with Wilkinson's shift (Golub and Van Loan 2013, section 8.3), of the
/// order of `k²` operations in all.
pub(crate) fn tridiagonal_eigenvalues(diagonal: &mut [f64], off_diagonal: &mut [f64]) {
    let last = diagonal.len() - 1;
    for first in 0..last {
        let mut steps = 0;
        loop {
            let is_split =
                |i: &usize| off_diagonal[*i].abs() <= f64::EPSILON * (diagonal[*i].abs() + diagonal[i + 1].abs());
            let end = (first..last).find(is_split).unwrap_or(last);
            if end == first {
                break;
            }
            if steps == MAX_STEPS {
                diagonal.fill(f64::NAN);
                return;
            }
            steps += 1;
            ql_step(&mut diagonal[first..=end], &mut off_diagonal[first..end]);
        }
    }
}

/// One implicit QL step on an unreduced matrix: the bulge enters at the end and is chased to the front.
fn ql_step(diagonal: &mut [f64], off_diagonal: &mut [f64]) {
    let end = off_diagonal.len();
    let ratio = (diagonal[1] - diagonal[0]) / (2.0 * off_diagonal[0]);
    let mut g = diagonal[end] - diagonal[0] + off_diagonal[0] / (ratio + ratio.hypot(1.0).copysign(ratio));
    let (mut sine, mut cosine, mut shift) = (1.0, 1.0, 0.0);
    for i in (0..end).rev() {
        let (f, b) = (sine * off_diagonal[i], cosine * off_diagonal[i]);
        let r = f.hypot(g);
        if i + 1 < end {
            off_diagonal[i + 1] = r;
        }
        if r == 0.0 {
            diagonal[i + 1] -= shift; // the matrix splits here: the rest is left to the next step
            return;
        }
        (sine, cosine) = (f / r, g / r);
        let rest = diagonal[i + 1] - shift;
        let turned = (diagonal[i] - rest) * sine + 2.0 * cosine * b;
        shift = sine * turned;
        diagonal[i + 1] = rest + shift;
        g = cosine * turned - b;
    }
    diagonal[0] -= shift;
    off_diagonal[0] = g;
}
