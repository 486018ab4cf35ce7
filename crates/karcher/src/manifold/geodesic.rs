//! A geodesic with its parameter.

use super::Manifold;
use crate::error::Result;

/// The geodesic `x ↦ Exp_p(x·v)` with the footpoint `p`, where it is at `x = 0`, and the shooting vector `v`, its
/// velocity there.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Geodesic {
    /// Footpoint `p`.
    pub footpoint: Vec<f64>,
    /// Shooting vector `v`, a tangent vector at `p`.
    pub velocity: Vec<f64>,
}

impl Geodesic {
    /// `Exp_p(x·v)`: what the geodesic predicts at `x`.
    pub fn at(&self, manifold: &dyn Manifold, x: f64) -> Vec<f64> {
        let mut out = vec![0.0; self.footpoint.len()];
        let v: Vec<f64> = self.velocity.iter().map(|v| x * v).collect();
        manifold.exp(&self.footpoint, &v, &mut out);
        out
    }

    /// The same geodesic with its footpoint where it is at `x`.
    ///
    /// # Errors
    /// [`Error::CutLocus`](crate::Error::CutLocus) never in real arithmetic: the velocity is carried along in steps
    /// shorter than the injectivity radius.
    pub fn moved(&self, manifold: &dyn Manifold, x: f64) -> Result<Self> {
        let length = manifold.norm(&self.footpoint, &self.velocity) * x.abs();
        let steps = (4.0 * length / manifold.injectivity_radius()).ceil().clamp(1.0, 1e6);
        let mut moved = self.clone();
        for _ in 0..steps as usize {
            let next = moved.at(manifold, x / steps);
            let mut velocity = vec![0.0; next.len()];
            manifold.transport(&moved.footpoint, &next, &moved.velocity, &mut velocity)?;
            moved = Self { footpoint: next, velocity };
        }
        Ok(moved)
    }
}
