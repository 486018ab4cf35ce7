//! The von Mises–Fisher law of directions and angles, with the density `∝ e^{κ⟨m,x⟩}` on the unit sphere of `R^p`.
//!
//! `x = cos θ·m + sin θ·u`, `u` a uniform direction at a right angle to `m`. `W = cos θ` is drawn by rejection. Proposals
//! are a transform of `Z ~ Beta(½(p − 1), ½(p − 1))` (Wood 1994, algorithm VM*):
//!
//! ```text
//! b = (p − 1)/(2κ + √(4κ² + (p − 1)²)),   W = (1 − (1 + b)Z)/(1 − (1 − b)Z),
//! accepted with probability e^{κ(W − x₀)}·((1 − x₀W)/(1 − x₀²))^{p−1},   x₀ = (1 − b)/(1 + b).
//! ```
//!
//! Here all differences from 1 are written out, so that no digits cancel for large `κ`.

use super::Law;
use crate::manifold::Manifold;
use crate::sampler::Generator;
use crate::vector::unit_vector;
use rand::RngExt;
use rand_distr::{Beta, Distribution};
use std::sync::Arc;

/// Directions about a point of a sphere, or angles about those of a torus.
#[derive(Debug)]
pub(super) struct VonMisesFisher {
    manifold: Arc<dyn Manifold>,
    center: Vec<f64>,
    /// The distance of a radian.
    unit: f64,
    /// The law of each angle; of a sphere one.
    angles: Vec<Angle>,
}

impl VonMisesFisher {
    /// One concentration for a sphere, or one for each angle of a torus. `None` unless they are numbers from 0 on.
    pub(super) fn new(manifold: Arc<dyn Manifold>, center: Vec<f64>, unit: f64, kappas: &[f64]) -> Option<Self> {
        let p = 1 + manifold.dim() / kappas.len().max(1);
        let angles = kappas.iter().map(|kappa| Angle::new(p, *kappa)).collect::<Option<_>>()?;
        Some(Self { manifold, center, unit, angles })
    }
}

impl Law for VonMisesFisher {
    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        let mut coordinates = vec![0.0; self.manifold.dim()];
        for (angle, own) in self.angles.iter().zip(coordinates.chunks_exact_mut(self.angles[0].p - 1)) {
            let theta = angle.draw(generator);
            unit_vector(generator, own);
            own.iter_mut().for_each(|u| *u *= self.unit * theta);
        }
        let mut v = vec![0.0; self.center.len()];
        self.manifold.from_frame(&self.center, &coordinates, &mut v);
        self.manifold.exp(&self.center, &v, out);
    }

    fn about(&self) -> String {
        let kappas: Vec<String> = self.angles.iter().map(|angle| format!("{:.4}", angle.kappa)).collect();
        format!("von Mises–Fisher law, κ = {}", kappas.join(", "))
    }
}

/// The law of `θ`.
#[derive(Debug)]
struct Angle {
    p: usize,
    kappa: f64,
    b: f64,
    beta: Beta<f64>,
}

impl Angle {
    fn new(p: usize, kappa: f64) -> Option<Self> {
        if !(kappa >= 0.0 && kappa <= f64::MAX.sqrt()) {
            return None;
        }
        let d = (p - 1) as f64;
        let b = d / (2.0 * kappa + (2.0 * kappa).hypot(d));
        Some(Self { p, kappa, b, beta: Beta::new(0.5 * d, 0.5 * d).ok()? })
    }

    fn draw(&self, generator: &mut Generator) -> f64 {
        let (b, d) = (self.b, (self.p - 1) as f64);
        loop {
            let z = self.beta.sample(generator);
            // 1 − W, 1 − x₀, and 1 − x₀W over 1 − x₀²
            let below = 2.0 * b * z / (1.0 - (1.0 - b) * z);
            let place = 2.0 * b / (1.0 + b);
            let ratio = (2.0 * b + (1.0 - b) * below) * (1.0 + b) / (4.0 * b);
            if self.kappa * (place - below) + d * ratio.ln() >= generator.random::<f64>().ln() {
                return (below * (2.0 - below)).max(0.0).sqrt().atan2(1.0 - below);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distances from the mean of 20,000 angles: 5.5 standard deviations are exceeded with 4e-8 in each of 15 cases.
    #[test]
    fn the_mean_cosine_is_that_of_the_law() {
        // scipy.special.ive(p/2, κ)/ive(p/2 − 1, κ)
        for (p, kappa, mean) in [
            (2, 0.0, 0.0),
            (2, 2.0, 0.697_774_657_964_008),
            (3, 0.5, 0.163_953_413_738_652_9),
            (3, 60.0, 1.0 - 1.0 / 60.0),
            (768, 300.0, 0.344_390_065_115_056),
        ] {
            let law = Angle::new(p, kappa).unwrap();
            let mut generator = Generator::seeded(5);
            let cosines: Vec<f64> = (0..20_000).map(|_| law.draw(&mut generator).cos()).collect();
            let found = cosines.iter().sum::<f64>() / 20_000.0;
            let deviation = (cosines.iter().map(|c| (c - found).powi(2)).sum::<f64>() / 20_000.0_f64.powi(2)).sqrt();
            assert!((found - mean).abs() < 5.5 * deviation, "{p} {kappa}: {found} {mean}");
            // the law of half the concentration is another one
            let half = Angle::new(p, 0.5 * kappa).unwrap();
            let other = (0..20_000).map(|_| half.draw(&mut generator).cos()).sum::<f64>() / 20_000.0;
            assert!(kappa == 0.0 || (other - mean).abs() > 5.5 * deviation, "{p} {kappa}: {other}");
        }
    }

    #[test]
    fn large_concentrations_keep_their_digits() {
        for kappa in [1e8, 1e12, 1e20, 1e100] {
            let law = Angle::new(3, kappa).unwrap();
            let mut generator = Generator::seeded(1);
            // κθ² is exponential of mean 2: its mean of 10,000 is off by 0.11 with 4e-8
            let mean = (0..10_000).map(|_| kappa * law.draw(&mut generator).powi(2)).sum::<f64>() / 1e4;
            assert!((mean - 2.0).abs() < 0.11, "{kappa}: {mean}");
        }
        assert!(Angle::new(3, f64::NAN).is_none() && Angle::new(3, -1.0).is_none());
    }
}
