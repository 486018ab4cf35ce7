//! Products: the embeddings of the factors, one after the other.

use super::{EMBEDDING_ERROR, EmbeddedForm, Embedding};
use crate::manifold::vector::{norm, scale};
use std::ops::Range;

/// `J(x) = (J₁(x₁), J₂(x₂), …)`.
#[derive(Debug)]
pub(crate) struct Factors {
    parts: Vec<Part>,
    dim: usize,
}

/// A factor's embedding, and the places of its numbers.
#[derive(Debug)]
struct Part {
    embedding: Box<dyn Embedding>,
    point: Range<usize>,
    embedded: Range<usize>,
}

impl Factors {
    /// The embeddings of the factors, each with the numbers in one of its points.
    pub(crate) fn new(factors: impl IntoIterator<Item = (Box<dyn Embedding>, usize)>) -> Self {
        let (mut point, mut embedded) = (0, 0);
        let parts = factors.into_iter().map(|(embedding, len)| {
            let part = Part { point: point..point + len, embedded: embedded..embedded + embedding.dim(), embedding };
            (point, embedded) = (part.point.end, part.embedded.end);
            part
        });
        let parts = parts.collect();
        Self { parts, dim: embedded }
    }

    fn root_of_squares(&self, of: impl Fn(&dyn Embedding) -> f64) -> f64 {
        self.parts.iter().map(|part| of(&*part.embedding).powi(2)).sum::<f64>().sqrt()
    }
}

impl Embedding for Factors {
    fn dim(&self) -> usize {
        self.dim
    }

    fn radius(&self) -> f64 {
        self.root_of_squares(|factor| factor.radius())
    }

    fn diameter(&self) -> f64 {
        self.root_of_squares(|factor| factor.diameter())
    }

    /// The smallest of the factors'.
    fn stretch(&self) -> f64 {
        self.parts.iter().map(|part| part.embedding.stretch()).fold(f64::INFINITY, f64::min)
    }

    fn embed(&self, x: &[f64], out: &mut [f64]) {
        for Part { embedding, point, embedded } in &self.parts {
            let own = &mut out[embedded.clone()];
            embedding.embed(&x[point.clone()], own);
            // of numbers of no point: one factor must not take the length of another, which may be shorter
            let (length, radius) = (norm(own), embedding.radius());
            if length > radius * (1.0 + EMBEDDING_ERROR) {
                scale(own, radius / length);
            }
        }
    }

    fn project(&self, mean: &[f64], out: &mut [f64]) {
        for Part { embedding, point, embedded } in &self.parts {
            embedding.project(&mean[embedded.clone()], &mut out[point.clone()]);
        }
    }

    /// Each factor's part is off by at most `off`.
    fn reach(&self, mean: &[f64], off: f64) -> Option<f64> {
        let of = |part: &Part| {
            let off = off * part.embedding.spectral_share();
            Some(part.embedding.reach(&mean[part.embedded.clone()], off)?.powi(2))
        };
        self.parts.iter().map(of).sum::<Option<f64>>().map(|square| square.sqrt() * (1.0 + 1e-12))
    }

    fn form(&self) -> EmbeddedForm {
        EmbeddedForm::Several
    }

    fn split(&self) -> Vec<Box<dyn Embedding>> {
        self.parts.iter().flat_map(|part| part.embedding.split()).collect()
    }
}
