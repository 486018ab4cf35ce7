//! Angles: a unit vector of the plane for each.

use super::{Directions, EmbeddedForm, Embedding, asin_up};

/// `J(t) = (cos t₁, sin t₁, cos t₂, …)` of `count` angles.
#[derive(Debug)]
pub(crate) struct Angles {
    pub(crate) count: usize,
}

impl Embedding for Angles {
    fn dim(&self) -> usize {
        2 * self.count
    }

    fn radius(&self) -> f64 {
        (self.count as f64).sqrt()
    }

    fn diameter(&self) -> f64 {
        2.0 * (self.count as f64).sqrt()
    }

    fn stretch(&self) -> f64 {
        1.0
    }

    fn embed(&self, x: &[f64], out: &mut [f64]) {
        for (out, t) in out.as_chunks_mut::<2>().0.iter_mut().zip(x) {
            let (sin, cos) = if t.is_finite() { t.sin_cos() } else { (0.0, 0.0) };
            *out = [cos, sin];
        }
    }

    /// `atan2` of each pair.
    fn project(&self, mean: &[f64], out: &mut [f64]) {
        for (t, [cos, sin]) in out.iter_mut().zip(mean.as_chunks::<2>().0) {
            *t = sin.atan2(*cos);
        }
    }

    /// Each angle is off by at most `asin(off/‖mᵢ‖)`.
    fn reach(&self, mean: &[f64], off: f64) -> Option<f64> {
        let pairs = mean.as_chunks::<2>().0.iter();
        let squares = pairs.map(|[cos, sin]| asin_up(off / cos.hypot(*sin)).map(|angle| angle * angle));
        squares.sum::<Option<f64>>().map(|square| square.sqrt() * (1.0 + 1e-12))
    }

    fn form(&self) -> EmbeddedForm {
        if self.count == 1 { EmbeddedForm::Vector(2) } else { EmbeddedForm::Several }
    }

    /// Circles.
    fn split(&self) -> Vec<Box<dyn Embedding>> {
        (0..self.count).map(|_| Box::new(Directions { len: 2 }) as _).collect()
    }
}
