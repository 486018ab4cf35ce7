//! Helmert's isometry from centered configurations of landmarks to vectors.

/// Helmert's isometry from centered configurations in `R^axes` to `R^{axes·(k−1)}`:
/// `yⱼ = (z₁ + … + zⱼ − j·zⱼ₊₁)/√(j(j+1))`. With two axes these are complex numbers.
pub(crate) fn helmert(z: &[f64], axes: usize) -> Vec<f64> {
    let mut sum = vec![0.0; axes];
    let mut y = Vec::with_capacity(z.len() - axes);
    for (j, (now, next)) in (1..).zip(z.chunks_exact(axes).zip(z[axes..].chunks_exact(axes))) {
        let j = j as f64;
        let norm = (j * (j + 1.0)).sqrt();
        for ((sum, now), next) in sum.iter_mut().zip(now).zip(next) {
            *sum += now;
            y.push((*sum - next * j) / norm);
        }
    }
    y
}

/// The inverse of [`helmert`], to centered configurations.
pub(crate) fn helmert_transpose(y: &[f64], axes: usize, out: &mut [f64]) {
    let k = out.len() / axes;
    let mut tail = vec![0.0; axes];
    for i in (0..k).rev() {
        // landmark i+1 enters row i with weight −i and every row j > i with weight 1
        for (axis, tail) in tail.iter_mut().enumerate() {
            let row = if i > 0 { y[axes * (i - 1) + axis] / ((i * (i + 1)) as f64).sqrt() } else { 0.0 };
            out[axes * i + axis] = *tail - row * i as f64;
            *tail += row;
        }
    }
}
