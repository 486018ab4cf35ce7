//! Dense linear algebra on row-major slices: all that the library asks of `nalgebra`, in one place so that it can be changed.

mod eigen;
mod whitening;

pub(crate) use eigen::{Eigen, eigen};
pub(crate) use whitening::Whitening;

/// `A·X·Aᵀ` for square row-major matrices.
pub(crate) fn congruence(a: &[f64], x: &[f64], k: usize) -> Vec<f64> {
    let a = nalgebra::DMatrixView::from_slice(a, k, k); // column-major: this is Aᵀ
    let x = nalgebra::DMatrixView::from_slice(x, k, k);
    let product = a.tr_mul(&x) * a;
    let mut out = product.as_slice().to_vec();
    for i in 0..k {
        for j in 0..i {
            let mean = 0.5 * (out[i * k + j] + out[j * k + i]);
            out[i * k + j] = mean;
            out[j * k + i] = mean;
        }
    }
    out
}

/// `Σ wᵢ·Logm(Xᵢ)`.
pub(crate) fn log_sum(k: usize, matrices: &[f64], weights: Option<&[f64]>, out: &mut [f64]) {
    out.fill(0.0);
    for (i, x) in matrices.chunks_exact(k * k).enumerate() {
        let w = weights.map_or(1.0, |w| w[i]);
        for (o, l) in out.iter_mut().zip(eigen(x, k).map(f64::ln)) {
            *o += w * l;
        }
    }
}

/// `Σ wᵢ·Logm(L⁻¹XᵢL⁻ᵀ)`.
pub(crate) fn whitened_log_sum(
    white: &Whitening,
    base: &[f64],
    matrices: &[f64],
    weights: Option<&[f64]>,
    out: &mut [f64],
) {
    out.fill(0.0);
    for (i, x) in matrices.chunks_exact(base.len()).enumerate() {
        let w = weights.map_or(1.0, |w| w[i]);
        for (o, l) in out.iter_mut().zip(white.log_eigen(base, x).map(|l| l)) {
            *o += w * l;
        }
    }
}
