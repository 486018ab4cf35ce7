//! The law of an extrinsic mean: one for each factor of a product, by the form of its embedding.

use super::Law;
use super::bingham::{Axes, Bingham};
use super::von_mises_fisher::VonMisesFisher;
use super::watson::Watson;
use crate::embedding::{EmbeddedForm, Embedding};
use crate::manifold::Manifold;
use crate::release::{DirectionalSummary, PrivateEmbeddedMean};
use crate::sampler::Generator;
use crate::statistics::extrinsic_mean::bingham;
use std::sync::Arc;

/// The law of records with a released embedded mean. There is none where a factor has no usual law, and where noise
/// left no concentration.
pub(super) fn law_of_embedded(
    manifold: &Arc<dyn Manifold>,
    value: &[f64],
    released: &PrivateEmbeddedMean,
) -> Option<Box<dyn Law>> {
    let (mut value, mut mean, mut summaries) = (value, &released.embedded_mean[..], &released.factors[..]);
    let factors = if manifold.factors().is_empty() { std::slice::from_ref(manifold) } else { manifold.factors() };
    let mut laws = vec![];
    for factor in factors {
        let embedding = factor.embedding()?;
        let (own_value, own_mean, own) = (
            value.split_off(..factor.point_len())?,
            mean.split_off(..embedding.dim())?,
            summaries.split_off(..embedding.split().len())?,
        );
        laws.push((factor.point_len(), law_of_factor(factor, own_value, own_mean, own)?));
    }
    match <[_; 1]>::try_from(laws) {
        Ok([(_, law)]) => Some(law),
        Err(laws) => Some(Box::new(Independent { laws })),
    }
}

fn law_of_factor(
    manifold: &Arc<dyn Manifold>,
    value: &[f64],
    mean: &[f64],
    summaries: &[DirectionalSummary],
) -> Option<Box<dyn Law>> {
    let embedding = manifold.embedding()?;
    let kappas = summaries.iter().map(|summary| Some(summary.concentration?.kappa)).collect::<Option<Vec<_>>>();
    let (center, unit) = (value.to_vec(), 2.0_f64.sqrt() / embedding.stretch());
    let watson = |n, copies| -> Option<Box<dyn Law>> {
        let kappa = *kappas.as_ref()?.first()?;
        Some(Box::new(Watson::new(manifold.clone(), center.clone(), (n, copies, unit), kappa)?))
    };
    match embedding.form() {
        EmbeddedForm::Real { n, k: 1 } => along_axes(&*embedding, mean).or_else(|| watson(n, 1)),
        EmbeddedForm::Complex { n } => watson(n, 2),
        // subspaces of several dimensions
        EmbeddedForm::Real { .. } => None,
        // a direction, or the angles of a torus
        EmbeddedForm::Vector(_) | EmbeddedForm::Several => {
            Some(Box::new(VonMisesFisher::new(manifold.clone(), center, 1.0 / embedding.stretch(), &kappas?)?))
        }
    }
}

/// Bingham's law with the released second moment.
fn along_axes(embedding: &dyn Embedding, mean: &[f64]) -> Option<Box<dyn Law>> {
    let moments = embedding.eigenvalues(mean);
    let found = bingham::bingham(&moments)?;
    let lambda = std::iter::once(0.0).chain(found.values.iter().map(|lambda| lambda.max(0.0))).collect();
    Some(Box::new(Axes::new(Bingham::new(lambda)?, &eigenvectors(embedding, mean, &moments))))
}

/// The eigenvectors of the second moment, the largest moment first. Each is the first one of the matrix without the
/// others.
fn eigenvectors(embedding: &dyn Embedding, mean: &[f64], moments: &[f64]) -> Vec<Vec<f64>> {
    let (mut rest, mut embedded) = (mean.to_vec(), vec![0.0; mean.len()]);
    let below_all = 1.0 + moments.iter().fold(0.0, |most: f64, moment| most.max(moment.abs()));
    let next = |_| {
        let mut vector = vec![0.0; moments.len()];
        embedding.project(&rest, &mut vector);
        embedding.embed(&vector, &mut embedded);
        rest.iter_mut().zip(&embedded).for_each(|(rest, embedded)| *rest -= below_all * embedded);
        vector
    };
    (0..moments.len()).map(next).collect()
}

/// Independent laws, one of each factor.
#[derive(Debug)]
struct Independent {
    laws: Vec<(usize, Box<dyn Law>)>,
}

impl Law for Independent {
    fn draw(&self, generator: &mut Generator, out: &mut [f64]) {
        let mut rest = out;
        for (len, law) in &self.laws {
            let (own, others) = rest.split_at_mut(*len);
            law.draw(generator, own);
            rest = others;
        }
    }

    fn about(&self) -> String {
        self.laws.iter().map(|(_, law)| law.about()).collect::<Vec<_>>().join("; ")
    }
}
