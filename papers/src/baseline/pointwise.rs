//! Laplace noise on each coordinate of each landmark of a mean shape, after Procrustes alignment (Soto, Bharath,
//! Reimherr and Slavković 2022, supplement 2.5.2).
//!
//! **Unsound**: the bound of each coordinate is the largest deviation in the records, so the noise scale depends on the
//! most extreme record. The alignment also depends on all records, through the mean.

use crate::Failure;
use karcher::manifold::{Euclidean, Kendall};
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Manifold, Points};
use std::sync::Arc;

/// `d_{x,j}` and `d_{y,j}`: the largest deviation of each coordinate from the mean over the aligned records.
pub fn largest_deviations(space: &Kendall, mean: &[f64], points: &Points) -> Result<Vec<f64>, Failure> {
    let mut largest = vec![0.0f64; space.point_len()];
    for x in points.view().iter() {
        for (largest, (x, m)) in largest.iter_mut().zip(aligned(mean, x).iter().zip(mean)) {
            *largest = largest.max((x - m).abs());
        }
    }
    Ok(largest)
}

/// The mean with noise of scale `4dk/(nε)` on each coordinate, as a shape: centered and of unit norm.
pub fn release(
    space: &Kendall,
    mean: &[f64],
    deviations: &[f64],
    n: usize,
    epsilon: f64,
    generator: &mut Generator,
) -> Result<Vec<f64>, Failure> {
    let line = Euclidean::new(1)?;
    let landmarks = (mean.len() / 2) as f64;
    let mut noisy = Vec::with_capacity(mean.len());
    for (m, deviation) in mean.iter().zip(deviations) {
        let mut draw = [*m];
        let scale = 4.0 * deviation * landmarks / (n as f64 * epsilon);
        Isotropic::new(Arc::new(line.clone()), Law::Laplace, scale)?.sample(&[*m], generator, &mut draw)?;
        noisy.push(draw[0]);
    }
    for axis in 0..2 {
        let center = noisy.iter().skip(axis).step_by(2).sum::<f64>() / landmarks;
        noisy.iter_mut().skip(axis).step_by(2).for_each(|x| *x -= center);
    }
    let norm = noisy.iter().map(|x| x * x).sum::<f64>().sqrt();
    noisy.iter_mut().for_each(|x| *x /= norm);
    space.check_point(&noisy)?;
    Ok(noisy)
}

/// `x` rotated as near to `mean` as it goes: landmarks as complex numbers, times `⟨x, mean⟩/|⟨x, mean⟩|`.
pub fn aligned(mean: &[f64], x: &[f64]) -> Vec<f64> {
    let pairs = || x.chunks_exact(2).zip(mean.chunks_exact(2));
    let real: f64 = pairs().map(|(x, m)| x[0] * m[0] + x[1] * m[1]).sum();
    let imaginary: f64 = pairs().map(|(x, m)| x[0] * m[1] - x[1] * m[0]).sum();
    let size = real.hypot(imaginary);
    let (cos, sin) = (real / size, imaginary / size);
    x.chunks_exact(2).flat_map(|p| [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignment_undoes_a_rotation() {
        let mean = [0.5, 0.1, -0.4, 0.3, -0.1, -0.4];
        let (cos, sin) = (0.3_f64.cos(), 0.3_f64.sin());
        let turned: Vec<f64> =
            mean.chunks_exact(2).flat_map(|p| [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1]]).collect();
        assert!(aligned(&mean, &turned).iter().zip(mean).all(|(a, b)| (a - b).abs() < 1e-15));
    }
}
