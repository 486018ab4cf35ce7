//! Pre-shapes of landmarks: unit vectors in Helmert's basis.

use super::{Directions, EmbeddedForm, Embedding};
use crate::manifold::helmert::{helmert, helmert_transpose};

/// `J(x) = H x` with Helmert's isometry `H` of the centered configurations: the embedding of the sphere in `R^len`.
/// Of numbers that are not centered it forgets the centroid.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Preshapes {
    axes: usize,
    sphere: Directions,
}

impl Preshapes {
    /// Of landmarks with so many coordinates, and of centered configurations with the dimension `len`.
    pub(crate) fn new(axes: usize, len: usize) -> Self {
        Self { axes, sphere: Directions { len } }
    }
}

impl Embedding for Preshapes {
    fn dim(&self) -> usize {
        self.sphere.dim()
    }

    fn radius(&self) -> f64 {
        self.sphere.radius()
    }

    fn diameter(&self) -> f64 {
        self.sphere.diameter()
    }

    fn stretch(&self) -> f64 {
        self.sphere.stretch()
    }

    fn embed(&self, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&helmert(x, self.axes));
    }

    fn project(&self, mean: &[f64], out: &mut [f64]) {
        let mut direction = vec![0.0; mean.len()];
        self.sphere.project(mean, &mut direction);
        helmert_transpose(&direction, self.axes, out);
    }

    fn reach(&self, mean: &[f64], off: f64) -> Option<f64> {
        self.sphere.reach(mean, off)
    }

    fn form(&self) -> EmbeddedForm {
        self.sphere.form()
    }

    fn split(&self) -> Vec<Box<dyn Embedding>> {
        vec![Box::new(*self)]
    }
}
