//! Helmert's isometry from centered configurations of landmarks to complex vectors.

use super::kendall::complex;
use num_complex::Complex64;

/// Helmert's isometry from centered configurations to `C^{k−1}`: `yⱼ = (z₁ + … + zⱼ − j·zⱼ₊₁)/√(j(j+1))`.
pub(crate) fn helmert(z: &[f64]) -> Vec<f64> {
    let mut sum = Complex64::ZERO;
    let mut y = Vec::with_capacity(z.len() - 2);
    for (j, (now, next)) in (1..).zip(complex(z).zip(complex(&z[2..]))) {
        sum += now;
        let j = j as f64;
        let value = (sum - next * j) / (j * (j + 1.0)).sqrt();
        y.extend([value.re, value.im]);
    }
    y
}

/// The inverse of [`helmert`], from `C^{k−1}` to centered configurations.
pub(crate) fn helmert_transpose(y: &[f64], out: &mut [f64]) {
    let k = out.len() / 2;
    let mut tail = Complex64::ZERO;
    for i in (0..k).rev() {
        // landmark i+1 enters row i with weight −i and every row j > i with weight 1
        let row = |j: usize| Complex64::new(y[2 * j - 2], y[2 * j - 1]) / ((j * (j + 1)) as f64).sqrt();
        let own = if i > 0 { row(i) * i as f64 } else { Complex64::ZERO };
        let z = tail - own;
        out[2 * i] = z.re;
        out[2 * i + 1] = z.im;
        if i > 0 {
            tail += row(i);
        }
    }
}
