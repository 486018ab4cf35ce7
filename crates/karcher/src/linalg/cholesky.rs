//! Cholesky factors of one symmetric positive definite matrix, and congruences.
//!
//! All matrices are `k × k`, row-major.

/// The lower triangular `L` with `A = L Lᵀ`, zero above the diagonal; `None` when `A` is not positive definite to working precision.
///
/// Reads the lower triangle of `a`. Backward stable: `‖L Lᵀ − A‖ ≤ ~k·2⁻⁵³·‖A‖`.
pub(crate) fn cholesky(a: &[f64], k: usize) -> Option<Vec<f64>> {
    let mut l = vec![0.0; k * k];
    for i in 0..k {
        for j in 0..=i {
            let rest = a[i * k + j] - dot(&l[i * k..i * k + j], &l[j * k..j * k + j]);
            l[i * k + j] = if i > j {
                rest / l[j * k + j]
            } else if rest > 0.0 {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    l.iter().all(|x| x.is_finite()).then_some(l)
}

/// `L⁻¹` of a lower triangular `L` with a diagonal free of zeros.
pub(crate) fn inverse_lower(l: &[f64], k: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; k * k];
    for i in 0..k {
        for j in 0..=i {
            let known: f64 = (j..i).map(|m| l[i * k + m] * inverse[m * k + j]).sum();
            inverse[i * k + j] = (f64::from(u8::from(i == j)) - known) / l[i * k + i];
        }
    }
    inverse
}

/// `A X Aᵀ` for symmetric `X`, exactly symmetric, into `out`.
pub(crate) fn congruence(a: &[f64], x: &[f64], k: usize, out: &mut [f64]) {
    let mut ax = vec![0.0; k * k];
    for (row, a) in ax.chunks_exact_mut(k).zip(a.chunks_exact(k)) {
        for (x, &a) in x.chunks_exact(k).zip(a) {
            for (entry, x) in row.iter_mut().zip(x) {
                *entry += a * x;
            }
        }
    }
    for i in 0..k {
        for j in 0..=i {
            let entry = dot(&ax[i * k..i * k + k], &a[j * k..j * k + k]);
            out[i * k + j] = entry;
            out[j * k + i] = entry;
        }
    }
}

/// `Σ xᵢ yᵢ`.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
