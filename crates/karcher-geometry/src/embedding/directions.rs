//! Directions: unit vectors as they are.

use super::{EmbeddedForm, Embedding, asin_up};
use crate::manifold::vector::{largest, norm, scale};

/// `J(x) = x` on the unit sphere of `R^len`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Directions {
    pub(crate) len: usize,
}

impl Embedding for Directions {
    fn dim(&self) -> usize {
        self.len
    }

    fn radius(&self) -> f64 {
        1.0
    }

    /// Of opposite directions.
    fn diameter(&self) -> f64 {
        2.0
    }

    fn stretch(&self) -> f64 {
        1.0
    }

    fn embed(&self, x: &[f64], out: &mut [f64]) {
        out.copy_from_slice(x);
    }

    /// `m/‖m‖`; of 0, the first axis.
    fn project(&self, mean: &[f64], out: &mut [f64]) {
        out.copy_from_slice(mean);
        to_unit(out);
    }

    /// `sin θ ≤ off/‖m‖`: a sphere of radius `off` about `m` is seen from 0 under that angle.
    fn reach(&self, mean: &[f64], off: f64) -> Option<f64> {
        asin_up(off / norm(mean))
    }

    fn form(&self) -> EmbeddedForm {
        EmbeddedForm::Vector(self.len)
    }

    fn split(&self) -> Vec<Box<dyn Embedding>> {
        vec![Box::new(*self)]
    }
}

/// Scales to length 1; 0, and what is not finite, becomes the first axis.
pub(super) fn to_unit(x: &mut [f64]) {
    let size = largest(x);
    if size > 0.0 && size.is_finite() {
        scale(x, 1.0 / size);
        let length = norm(x);
        scale(x, 1.0 / length);
    } else {
        x.fill(0.0);
        x[0] = 1.0;
    }
}
