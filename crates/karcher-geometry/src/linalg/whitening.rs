//! The view from a base point of the affine-invariant geometry.

use super::cholesky::{cholesky, congruence, whiten};

/// The ratio of diagonal entries from which a matrix counts as graded.
pub(super) const GRADED: f64 = 16.0;

/// A base point `P = L Lᵀ` of the affine-invariant geometry, from which others are seen as `L⁻¹ X L⁻ᵀ`.
///
/// `Log_P X = L · Logm(L⁻¹ X L⁻ᵀ) · Lᵀ`, and the Riemannian inner product at `P` is the Frobenius product of whitened
/// vectors.
#[derive(Debug, Clone)]
pub(crate) struct Whitening {
    pub(super) k: usize,
    base: Vec<f64>,
    factor: Vec<f64>,
}

impl Whitening {
    /// The view from `base`; `None` when it is not positive definite to working precision.
    pub(crate) fn new(k: usize, base: &[f64]) -> Option<Self> {
        Some(Self { k, base: base.to_vec(), factor: cholesky(base, k)? })
    }

    /// `L⁻¹ V L⁻ᵀ` for symmetric `V`, exactly symmetric, into `out`.
    pub(crate) fn whiten(&self, v: &[f64], out: &mut [f64]) {
        whiten(&self.factor, v, self.k, out);
    }

    /// `L V Lᵀ` for symmetric `V`, exactly symmetric, into `out`.
    pub(crate) fn unwhiten(&self, v: &[f64], out: &mut [f64]) {
        congruence(&self.factor, v, self.k, out);
    }

    /// Whether the base is neither graded nor ill-conditioned: no square of a pivot is far below a diagonal entry.
    pub(crate) fn is_even(&self) -> bool {
        let largest = self.base.iter().step_by(self.k + 1).fold(0.0, |most: f64, x| most.max(*x));
        self.factor.iter().step_by(self.k + 1).all(|pivot| largest <= GRADED * pivot * pivot)
    }

    /// `L R L⁻¹`.
    pub(crate) fn conjugate(&self, r: &[f64]) -> Vec<f64> {
        let Self { k, factor: l, .. } = self;
        // X = R L⁻¹ from X L = R, and L X
        let mut x = r.to_vec();
        for row in x.chunks_exact_mut(*k) {
            for j in (0..*k).rev() {
                let rest = (j + 1..*k).fold(row[j], |rest, i| rest - row[i] * l[i * k + j]);
                row[j] = rest / l[j * k + j];
            }
        }
        let mut out = vec![0.0; k * k];
        for (l, out) in l.chunks_exact(*k).zip(out.chunks_exact_mut(*k)) {
            for (l, x) in l.iter().zip(x.chunks_exact(*k)) {
                out.iter_mut().zip(x).for_each(|(out, x)| *out += l * x);
            }
        }
        out
    }

    /// `P`.
    #[inline]
    pub(super) fn base(&self) -> &[f64] {
        &self.base
    }

    /// `L`.
    #[inline]
    pub(super) fn factor(&self) -> &[f64] {
        &self.factor
    }
}
