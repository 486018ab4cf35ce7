//! Laws of equivariant embeddings.

use super::subject::{Sample, Subject, TOLERANCE};
use super::{Verdict, ensure};
use crate::embedding::Embedding;
use crate::manifold::vector::{norm, norm_of_difference};

fn embedded(embedding: &dyn Embedding, x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; embedding.dim()];
    embedding.embed(x, &mut out);
    out
}

pub(super) fn embedding_is_equivariant(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let Some(embedding) = subject.manifold.embedding() else { return Ok(()) };
    let [p, q] = [&s.p, &s.q].map(|x| embedded(&*embedding, x));
    let (radius, diameter) = (embedding.radius(), embedding.diameter());
    let length = norm(&q);
    ensure((length - radius).abs() <= TOLERANCE * radius, || {
        format!("an embedded point has the length {length}, not {radius}")
    })?;
    let apart = norm_of_difference(&p, &q);
    ensure(apart <= diameter * (1.0 + TOLERANCE), || format!("embedded points are {apart} apart, beyond {diameter}"))?;
    // at the same distance, embedded points are as far apart
    let step: Vec<f64> = s.v.iter().map(|v| 1e-4 * v).collect();
    let near = norm_of_difference(&p, &embedded(&*embedding, &subject.exp(&s.p, &step)));
    let expected = 1e-4 * subject.unit * embedding.stretch();
    ensure(near >= expected * (1.0 - 1e-6), || format!("embedding shrinks {expected} to {near}"))?;
    let [other] = subject.turned(&mut s.generator, [&s.q])?;
    let off = norm_of_difference(&q, &embedded(&*embedding, &other));
    ensure(off <= TOLERANCE * radius, || format!("two representatives are embedded {off} apart"))
}

pub(super) fn projecting_inverts_embedding(subject: &Subject<'_>, s: &mut Sample) -> Verdict {
    let Some(embedding) = subject.manifold.embedding() else { return Ok(()) };
    let [p, q] = [&s.p, &s.q].map(|x| embedded(&*embedding, x));
    let project = |mean: &[f64]| {
        let mut out = vec![0.0; s.p.len()];
        embedding.project(mean, &mut out);
        out
    };
    let back = project(&q.iter().map(|x| 0.3 * x).collect::<Vec<f64>>());
    let moved = subject.manifold.dist(&back, &s.q);
    ensure(moved < subject.tolerance(), || format!("projecting moves a point by {moved}"))?;
    subject.manifold.check_point(&back).map_err(|error| error.to_string())?;
    // between two embedded points nothing is nearer than the projection
    let mean: Vec<f64> = p.iter().zip(&q).map(|(p, q)| (0.3 * p) + 0.7 * q).collect();
    let best = project(&mean);
    let nearest = norm_of_difference(&embedded(&*embedding, &best), &mean);
    for point in [&s.p, &s.q] {
        let other = norm_of_difference(&embedded(&*embedding, point), &mean);
        ensure(nearest <= other + TOLERANCE, || format!("a point is nearer than the projection: {other}, {nearest}"))?;
    }
    // the reach holds the projection of a mean that is off by so much
    let off: Vec<f64> = q.iter().zip(&mean).map(|(q, mean)| 0.2 * (q - mean)).collect();
    let other: Vec<f64> = mean.iter().zip(&off).map(|(mean, off)| mean + off).collect();
    if let Some(reach) = embedding.reach(&mean, norm(&off)) {
        let moved = subject.manifold.dist(&best, &project(&other));
        ensure(moved <= reach + subject.tolerance(), || format!("a projection moves by {moved}, beyond {reach}"))?;
    }
    Ok(())
}
