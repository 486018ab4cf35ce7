//! A geodesic with its parameter.

use super::Manifold;
use crate::error::Result;

/// The geodesic `x ↦ Exp_p(x·v)` with the footpoint `p`, where it is at `x = 0`, and the shooting vector `v`, its
/// velocity there.
///
/// ```
/// use karcher_geometry::manifold::{Geodesic, Sphere};
/// use std::f64::consts::PI;
/// let equator = Geodesic { footpoint: vec![1.0, 0.0, 0.0], velocity: vec![0.0, PI, 0.0] };
/// let half_way_round = equator.at(&Sphere::new(2)?, 1.0);
/// assert!((half_way_round[0] + 1.0).abs() < 1e-15);
/// # Ok::<(), karcher_geometry::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Geodesic {
    /// Footpoint `p`.
    pub footpoint: Vec<f64>,
    /// Shooting vector `v`, a tangent vector at `p`.
    pub velocity: Vec<f64>,
}

impl Geodesic {
    /// `Exp_p(x·v)`: the prediction of the geodesic at `x`.
    ///
    /// ```
    /// use karcher_geometry::manifold::{Euclidean, Geodesic};
    /// let line = Geodesic { footpoint: vec![1.0, 2.0], velocity: vec![3.0, -1.0] };
    /// assert_eq!(line.at(&Euclidean::new(2)?, 2.0), [7.0, 0.0]);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
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
    ///
    /// ```
    /// use karcher_geometry::manifold::{Geodesic, Manifold, Sphere};
    /// let sphere = Sphere::new(2)?;
    /// let geodesic = Geodesic { footpoint: vec![1.0, 0.0, 0.0], velocity: vec![0.0, 0.3, 0.4] };
    /// let later = geodesic.moved(&sphere, 2.0)?;
    /// assert!(sphere.dist(&geodesic.at(&sphere, 5.0), &later.at(&sphere, 3.0)) < 1e-12);
    /// # Ok::<(), karcher_geometry::Error>(())
    /// ```
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
