//! Spaces with another unit of length: the same embedding, whose domain is measured differently.

use super::{EmbeddedForm, Embedding};

/// The embedding of a space whose distances were multiplied by a factor: equal vectors, and shorter or longer ways.
#[derive(Debug)]
pub(crate) struct Rescaled {
    pub(crate) base: Box<dyn Embedding>,
    pub(crate) factor: f64,
}

impl Embedding for Rescaled {
    fn dim(&self) -> usize {
        self.base.dim()
    }

    fn radius(&self) -> f64 {
        self.base.radius()
    }

    fn diameter(&self) -> f64 {
        self.base.diameter()
    }

    /// A tangent vector is as many times longer as its image is not.
    fn stretch(&self) -> f64 {
        self.base.stretch() / self.factor
    }

    fn embed(&self, x: &[f64], out: &mut [f64]) {
        self.base.embed(x, out);
    }

    fn project(&self, mean: &[f64], out: &mut [f64]) {
        self.base.project(mean, out);
    }

    fn reach(&self, mean: &[f64], off: f64) -> Option<f64> {
        Some((self.factor * self.base.reach(mean, off)?).next_up())
    }

    fn form(&self) -> EmbeddedForm {
        self.base.form()
    }

    fn split(&self) -> Vec<Box<dyn Embedding>> {
        let rescaled = |base| Box::new(Self { base, factor: self.factor }) as Box<dyn Embedding>;
        self.base.split().into_iter().map(rescaled).collect()
    }

    fn eigenvalues(&self, mean: &[f64]) -> Vec<f64> {
        self.base.eigenvalues(mean)
    }

    fn expected_spectral_norm(&self) -> Option<f64> {
        self.base.expected_spectral_norm()
    }

    fn spectral_share(&self) -> f64 {
        self.base.spectral_share()
    }
}
