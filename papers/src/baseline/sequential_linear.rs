//! Kulkarni and Soto 2025 on `R^d` (section 4.2), where Jacobi fields have norm 1: linear regression of `d` responses
//! on one predictor.
//!
//! There `∇_p E = p − p̂` at the fitted slope, and `∇_v E = q·(v − v*)` at the drawn footpoint, `q` the mean of `x²`
//! and `v*` the best slope for that footpoint. So the limits of the paper's chains are Laplace laws, which are drawn
//! exactly here.
//!
//! **Unsound**: the bound of the residuals is read from the records. The footpoint's law has the center `p̂`, which
//! moves further than `2τ/n` when a record does, because the fitted slope moves too. The normalising constant of the
//! slope's density depends on `q`.

use crate::Failure;
use karcher::manifold::Euclidean;
use karcher::nonprivate::{Geodesic, GeodesicRegression};
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Manifold, Points};
use std::sync::Arc;

/// Footpoint and slope for predictors in `[0, 1]`, each with the budget `ε`: Laplace noise of scale `2τ/(nε)`, `τ` the
/// largest residual, and of that scale over the mean of `x²`.
pub fn release(
    space: &Euclidean,
    x: &[f64],
    y: &Points,
    epsilon: f64,
    generator: &mut Generator,
) -> Result<Geodesic, Failure> {
    let n = x.len() as f64;
    let (fit, scale) = law(space, x, y, epsilon)?;
    let (mut footpoint, mut velocity) = (fit.footpoint.clone(), fit.velocity.clone());
    Isotropic::new(Arc::new(space.clone()), Law::Laplace, scale)?.sample(&fit.footpoint, generator, &mut footpoint)?;
    let square = x.iter().map(|x| x * x).sum::<f64>() / n;
    let mut best = vec![0.0; space.dim()];
    for (y, x) in y.view().iter().zip(x) {
        best.iter_mut().zip(y).zip(&footpoint).for_each(|((best, y), p)| *best += x * (y - p) / (n * square));
    }
    Isotropic::new(Arc::new(space.clone()), Law::Laplace, scale / square)?.sample(&best, generator, &mut velocity)?;
    Ok(Geodesic { footpoint, velocity })
}

/// The least squares line, whose footpoint is the center of the footpoint's Laplace law, and the scale of that law.
pub fn law(space: &Euclidean, x: &[f64], y: &Points, epsilon: f64) -> Result<(Geodesic, f64), Failure> {
    let fit = GeodesicRegression::new(space).fit(y.view(), x)?;
    let residuals = y.view().iter().zip(x).map(|(y, x)| space.dist(y, &fit.at(space, *x)));
    let scale = 2.0 * residuals.fold(0.0, f64::max) / (x.len() as f64 * epsilon);
    Ok((fit, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_a_large_budget_the_release_is_the_least_squares_line() {
        let space = Euclidean::new(2).unwrap();
        let x = [0.0, 0.3, 0.4, 1.0];
        let y = Points::new(&space, vec![0.1, 2.0, 0.4, 1.1, 0.3, 1.2, 1.5, -0.2]).unwrap();
        let fit = GeodesicRegression::new(&space).fit(y.view(), &x).unwrap();
        let exact = release(&space, &x, &y, 1e9, &mut Generator::seeded(1)).unwrap();
        assert!(space.dist(&exact.footpoint, &fit.footpoint) < 1e-6);
        assert!(space.dist(&exact.velocity, &fit.velocity) < 1e-6);
    }

    /// A Laplace law of scale `σ` on `R²` has mean distance `2σ` and variance `2σ²`. The error probability of five
    /// standard errors is 6e-7 for each, and half the scale would be 60 of them off.
    #[test]
    fn noise_has_the_published_scales() {
        let space = Euclidean::new(2).unwrap();
        let x = [0.0, 0.3, 0.4, 1.0];
        let y = Points::new(&space, vec![0.1, 2.0, 0.4, 1.1, 0.3, 1.2, 1.5, -0.2]).unwrap();
        let fit = GeodesicRegression::new(&space).fit(y.view(), &x).unwrap();
        let residual = |i: usize| space.dist(y.view().iter().nth(i).unwrap(), &fit.at(&space, x[i]));
        let scale = 2.0 * (0..4).map(residual).fold(0.0, f64::max) / (4.0 * 1.5);
        let (mut generator, draws) = (Generator::seeded(2), 8_000);
        let (mut of_footpoint, mut of_velocity) = (0.0, 0.0);
        for _ in 0..draws {
            let line = release(&space, &x, &y, 1.5, &mut generator).unwrap();
            of_footpoint += space.dist(&line.footpoint, &fit.footpoint) / draws as f64;
            // the gradient of the energy in the slope at the drawn footpoint, whose norm has the Laplace law's scale
            let mut gradient = [0.0; 2];
            for (y, x) in y.view().iter().zip(x) {
                let at = line.at(&space, x);
                (0..2).for_each(|j| gradient[j] += x * (at[j] - y[j]) / 4.0);
            }
            of_velocity += gradient[0].hypot(gradient[1]) / draws as f64;
        }
        let allowed = 5.0 * (2.0_f64 / draws as f64).sqrt() * scale;
        assert!((of_footpoint - 2.0 * scale).abs() < allowed, "{of_footpoint} {scale}");
        assert!((of_velocity - 2.0 * scale).abs() < allowed, "{of_velocity} {scale}");
    }
}
