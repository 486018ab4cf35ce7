//! Helpers of several tests.
#![allow(dead_code)] // each of them uses a part

pub mod every;
pub mod example;

use karcher::features::Features;
use karcher::records::Gradient;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::spec::Descent;
use karcher::{Manifold, Points, Space};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

/// All cases of `make attack`, which sets `KARCHER_ATTACK`. Otherwise every `step`-th one from a place, for the gate:
/// cases of one kind are of the same power.
pub fn some<T: Clone>(all: &[T], first: usize, step: usize) -> Vec<T> {
    let step = if is_attack() { 1 } else { step };
    all.iter().skip(if step == 1 { 0 } else { first }).step_by(step).cloned().collect()
}

/// Whether everything is tried.
pub fn is_attack() -> bool {
    std::env::var_os("KARCHER_ATTACK").is_some()
}

/// Features of a number from 0 to 1 and of two levels.
pub fn features() -> Features {
    Features::new(vec!["spline:x:0:1:2".parse().unwrap(), "levels:g:a,b".parse().unwrap()]).unwrap()
}

/// Responses with features of a number that goes from 0 to 1 and of levels by turns.
pub fn with_features(manifold: &Arc<dyn Manifold>, responses: &Points) -> Points {
    let (features, n) = (features(), responses.len());
    let rows: Vec<f64> = (0..n).flat_map(|i| features.row_of(&[i as f64 / n as f64, (i % 2) as f64])).collect();
    features.records(Arc::clone(manifold), responses.view(), &rows).unwrap()
}

/// The gradient of half the squared distance, `−Log`.
pub fn squared(manifold: &Arc<dyn Manifold>) -> Arc<dyn Gradient> {
    let m = Arc::clone(manifold);
    Arc::new(move |at: &[f64], x: &[f64], out: &mut [f64]| {
        if m.log(at, x, out).is_err() {
            out.fill(f64::NAN);
        }
        out.iter_mut().for_each(|v| *v = -*v);
    })
}

/// Three steps of a descent on records of the same space.
pub fn three_steps(manifold: &dyn Manifold, clip: f64) -> Descent {
    Descent { records: manifold.space().clone(), clip, step_sizes: vec![0.5; 3], loss: None }
}

/// A space by its name.
pub fn manifold(name: &str) -> Arc<dyn Manifold> {
    name.parse::<Space>().unwrap().manifold().unwrap()
}

pub fn origin(manifold: &dyn Manifold) -> Vec<f64> {
    let mut p = vec![0.0; manifold.point_len()];
    manifold.origin(&mut p);
    p
}

/// The point at distance `s` from `p` in a direction given in frame coordinates.
pub fn at(manifold: &dyn Manifold, p: &[f64], direction: &[f64], s: f64) -> Vec<f64> {
    let length = norm(direction);
    let coordinates: Vec<f64> = direction.iter().map(|x| x * s / length).collect();
    let (mut v, mut out) = (vec![0.0; p.len()], vec![0.0; p.len()]);
    manifold.from_frame(p, &coordinates, &mut v);
    manifold.exp(p, &v, &mut out);
    out
}

/// `n` points around the origin, at distances of about `spread`.
pub fn cloud(manifold: &(impl Manifold + Clone + 'static), n: usize, spread: f64, seed: u64) -> Points {
    cloud_around(manifold, &origin(manifold), n, spread, seed)
}

/// `n` points around a center, at distances of about `spread`.
pub fn cloud_around(
    manifold: &(impl Manifold + Clone + 'static),
    center: &[f64],
    n: usize,
    spread: f64,
    seed: u64,
) -> Points {
    let scale = spread / (manifold.dim() as f64).sqrt();
    let law = Isotropic::new(Arc::new(manifold.clone()), Law::Gaussian, scale);
    let mut generator = Generator::seeded(seed);
    let mut values = vec![0.0; n * manifold.point_len()];
    for draw in values.chunks_exact_mut(manifold.point_len()) {
        match &law {
            Ok(law) => law.sample(center, &mut generator, draw).unwrap(),
            // where no such law is drawn around a point: normal numbers in the frame there
            Err(_) => {
                let direction: Vec<f64> = (0..manifold.dim()).map(|_| generator.sample(StandardNormal)).collect();
                draw.copy_from_slice(&at(manifold, center, &direction, scale * norm(&direction)));
            }
        }
    }
    Points::new(manifold, values).unwrap()
}

/// The length of a vector.
pub fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}
