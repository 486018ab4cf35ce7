//! The contribution of one record to the gradient of a regression.

use crate::error::Result;
use crate::manifold::{Geodesic, Manifold};

/// The contribution of one record to minus the gradient of the energy at a geodesic.
pub(crate) struct RecordScore<'a> {
    manifold: &'a dyn Manifold,
    at: &'a Geodesic,
    /// `(A†ē, x·B†ē)` in coordinates of the frame at the footpoint.
    pub(crate) coordinates: Vec<f64>,
    displacement: Vec<f64>,
    prediction: Vec<f64>,
    residual: Vec<f64>,
    by_point: Vec<f64>,
    by_vector: Vec<f64>,
}

impl<'a> RecordScore<'a> {
    pub(crate) fn new(manifold: &'a dyn Manifold, at: &'a Geodesic) -> Self {
        let zero = vec![0.0; manifold.point_len()];
        Self {
            manifold,
            at,
            coordinates: vec![0.0; 2 * manifold.dim()],
            displacement: zero.clone(),
            prediction: zero.clone(),
            residual: zero.clone(),
            by_point: zero.clone(),
            by_vector: zero,
        }
    }

    /// Computes it for the record `y` with predictor `x`, the residual `e = Log(y)` at `Exp_p(x·v)` clipped to length
    /// `bound` first. Returns `‖e‖`.
    pub(crate) fn of(&mut self, x: f64, y: &[f64], bound: f64) -> Result<f64> {
        let (manifold, p) = (self.manifold, &self.at.footpoint);
        for (d, v) in self.displacement.iter_mut().zip(&self.at.velocity) {
            *d = x * v;
        }
        manifold.exp(p, &self.displacement, &mut self.prediction);
        manifold.log(&self.prediction, y, &mut self.residual)?;
        let length = manifold.norm(&self.prediction, &self.residual);
        if length > bound {
            self.residual.iter_mut().for_each(|e| *e *= bound / length);
        }
        manifold.jacobi(p, &self.displacement, &self.residual, &mut self.by_point, &mut self.by_vector);
        let (a, b) = self.coordinates.split_at_mut(manifold.dim());
        manifold.to_frame(p, &self.by_point, a);
        manifold.to_frame(p, &self.by_vector, b);
        b.iter_mut().for_each(|b| *b *= x);
        Ok(length)
    }
}
