//! Noise in the ambient space, without regard to the manifold \[M6\]: Laplace noise on `R^d` around an arithmetic mean.
//!
//! It is private if the radii are those of the public ball. But a draw is not a point of the manifold, and on SPD
//! matrices it may not be positive definite.

use crate::Failure;
use karcher::manifold::Euclidean;
use karcher::sampler::{Generator, Isotropic, Law};
use std::sync::Arc;

/// `e^r − 1`: the radius of the smallest Frobenius ball around the identity that contains the geodesic ball (Reimherr,
/// Bharath and Soto 2021, supplement, Proposition 1).
pub fn spd_radius(r: f64) -> f64 {
    r.exp_m1()
}

/// `2 sin(r/2)`: the chord from the center of a geodesic ball of the unit sphere to its edge (supplement 1.3.2).
pub fn sphere_radius(r: f64) -> f64 {
    2.0 * (0.5 * r).sin()
}

/// Adds a draw of the density `∝ exp(−‖x‖/σ)` on `R^d`: a direction and a length from `Gamma(d, σ)` (supplement 1.4).
pub fn add_laplace(x: &mut [f64], sigma: f64, generator: &mut Generator) -> Result<(), Failure> {
    let space = Euclidean::new(x.len())?;
    let center = x.to_vec();
    Isotropic::new(Arc::new(space.clone()), Law::Laplace, sigma)?.sample(&center, generator, x)?;
    Ok(())
}
