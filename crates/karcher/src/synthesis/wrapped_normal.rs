//! The normal law of the tangent space at a point, carried to the space by `Exp`.
//!
//! `X = Exp_p(v)`, `v ~ N(0, Σ)`. **Isotropic**, `Σ = s²/d·I`: `E‖v‖² = s²`, the released mean square distance.
//! **Along components**, `Σ = Σⱼ tⱼ·aⱼaⱼᵀ` with the released variances `tⱼ` and directions `aⱼ`.
//!
//! `ρ(p, X) = ‖v‖` if `v` is within the cut locus, and less beyond it. So `E ρ² = s²` on spaces without a cut locus, and
//! less on others: by 1.4 % on a circle and by less on larger spheres if `s` is 0.35 times the injectivity radius, by far
//! more if it is twice that. `v` and `−v` have one law, so `p` is the mean of a law that is not too wide (Pennec 2006;
//! Mardia and Jupp 2000, section 3.5.7).

use super::Law;
use crate::manifold::Manifold;
use crate::sampler::Generator;
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

/// A spread over the injectivity radius up to which the cut locus hardly matters.
const NARROW: f64 = 0.35;

/// `Exp_p(v)`, `v` normal.
#[derive(Debug)]
pub(super) struct WrappedNormal {
    manifold: Arc<dyn Manifold>,
    center: Vec<f64>,
    deviations: Deviations,
}

#[derive(Debug)]
enum Deviations {
    /// Of each coordinate in an orthonormal frame.
    Isotropic(f64),
    /// Principal axes, as long as the standard deviations along them.
    Along(Vec<Vec<f64>>),
}

impl WrappedNormal {
    /// `E‖v‖² = spread²`.
    pub(super) fn isotropic(manifold: Arc<dyn Manifold>, center: Vec<f64>, spread: f64) -> Self {
        let deviations = Deviations::Isotropic(spread / (manifold.dim() as f64).sqrt());
        Self { manifold, center, deviations }
    }

    /// `E⟨v, aⱼ⟩² = tⱼ`, for directions that are orthonormal.
    pub(super) fn along(
        manifold: Arc<dyn Manifold>,
        center: Vec<f64>,
        directions: &[Vec<f64>],
        variances: &[f64],
    ) -> Self {
        let axis = |(direction, variance): (&Vec<f64>, &f64)| direction.iter().map(|a| variance.sqrt() * a).collect();
        let deviations = Deviations::Along(directions.iter().zip(variances).map(axis).collect());
        Self { manifold, center, deviations }
    }
}

impl Law for WrappedNormal {
    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        let mut v = vec![0.0; self.center.len()];
        let mut normal = || generator.sample::<f64, _>(StandardNormal);
        match &self.deviations {
            Deviations::Isotropic(deviation) => {
                let coordinates: Vec<f64> = (0..self.manifold.dim()).map(|_| deviation * normal()).collect();
                self.manifold.from_frame(&self.center, &coordinates, &mut v);
            }
            Deviations::Along(axes) => axes.iter().for_each(|axis| {
                let length = normal();
                v.iter_mut().zip(axis).for_each(|(v, a)| *v += length * a);
            }),
        }
        self.manifold.exp(&self.center, &v, out);
    }

    fn about(&self) -> String {
        let (along, square) = match &self.deviations {
            Deviations::Isotropic(deviation) => ("", deviation.powi(2) * self.manifold.dim() as f64),
            Deviations::Along(axes) => {
                let squares = axes.iter().map(|axis| self.manifold.norm(&self.center, axis).powi(2));
                (" along the components", squares.sum())
            }
        };
        let spread = square.sqrt();
        let is_wide = spread > NARROW * self.manifold.injectivity_radius();
        let shorter = if is_wide { "; it goes beyond the cut locus, so distances come out shorter" } else { "" };
        format!("normal law of the tangent space{along}, root mean square distance {spread:.4}{shorter}")
    }
}
