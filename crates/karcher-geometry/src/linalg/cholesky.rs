//! The Cholesky factor of one symmetric positive definite matrix, and operations with it.
//!
//! All matrices are `k × k`, row-major.

/// The lower triangular `L` with `A = L Lᵀ`, zero above the diagonal; `None` when `A` is not positive definite to
/// working precision.
///
/// Reads the lower triangle. Backward stable: `L Lᵀ` differs from `A` by about `k·2⁻⁵³·√(aᵢᵢaⱼⱼ)` in entry `(i, j)`.
pub(crate) fn cholesky(a: &[f64], k: usize) -> Option<Vec<f64>> {
    let mut l = vec![0.0; k * k];
    for i in 0..k {
        for j in 0..=i {
            let rest = a[i * k + j] - dot(&l[i * k..i * k + j], &l[j * k..j * k + j]);
            l[i * k + j] = if j < i { rest / l[j * k + j] } else { rest.sqrt() };
        }
        let pivot = l[i * k + i];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return None;
        }
    }
    Some(l)
}

/// `X ← L⁻¹ X` for a lower triangular `L` without zeros on the diagonal.
pub(crate) fn solve_lower(l: &[f64], k: usize, x: &mut [f64]) {
    for i in 0..k {
        let (above, below) = x.split_at_mut(i * k);
        let row = &mut below[..k];
        for (&l, above) in l[i * k..].iter().zip(above.chunks_exact(k)) {
            add_multiple(row, -l, above);
        }
        for entry in row {
            *entry /= l[i * k + i];
        }
    }
}

/// `L⁻¹ X L⁻ᵀ` for symmetric `X`, exactly symmetric, into `out`.
pub(crate) fn whiten(l: &[f64], x: &[f64], k: usize, out: &mut [f64]) {
    out.copy_from_slice(x);
    solve_lower(l, k, out);
    for i in 0..k {
        for j in 0..i {
            out.swap(i * k + j, j * k + i);
        }
    }
    solve_lower(l, k, out);
    symmetrize(k, out);
}

/// `A X Aᵀ` for symmetric `X`, exactly symmetric, into `out`.
pub(crate) fn congruence(a: &[f64], x: &[f64], k: usize, out: &mut [f64]) {
    let mut ax = vec![0.0; k * k];
    multiply(a, x, k, &mut ax);
    for i in 0..k {
        for j in 0..=i {
            out[i * k + j] = dot(&ax[i * k..i * k + k], &a[j * k..j * k + k]);
        }
    }
    symmetrize(k, out);
}

/// `A B`, into `out`.
fn multiply(a: &[f64], b: &[f64], k: usize, out: &mut [f64]) {
    out.fill(0.0);
    for i in 0..k {
        for (&a, b) in a[i * k..i * k + k].iter().zip(b.chunks_exact(k)) {
            add_multiple(&mut out[i * k..i * k + k], a, b);
        }
    }
}

/// `x += c·y`.
pub(super) fn add_multiple(x: &mut [f64], c: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += c * y;
    }
}

/// Copies the lower triangle to the upper one.
pub(super) fn symmetrize(k: usize, a: &mut [f64]) {
    for i in 0..k {
        for j in 0..i {
            a[j * k + i] = a[i * k + j];
        }
    }
}

/// `Σ xᵢ yᵢ`.
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
