//! The papers' Markov chains, stopped after a burn-in.
//!
//! **Unsound as pure differential privacy**: the law of the chain differs from its limit by an unknown total variation.

use karcher::Manifold;
use karcher::manifold::Sphere;
use karcher::sampler::Generator;
use rand::RngExt;
use rand_distr::StandardNormal;

/// The end of a chain.
pub struct End {
    /// Distance of the last state from the center.
    pub distance: f64,
    /// Share of accepted candidates.
    pub acceptance: f64,
}

/// Reimherr, Bharath and Soto 2021, supplement 1.5, on `S²`: density `∝ exp(−ρ(center, ·)/σ)`, started at the center.
pub fn sphere_laplace(sphere: &Sphere, center: &[f64], sigma: f64, steps: usize, generator: &mut Generator) -> End {
    sphere_walk(sphere, center, sigma, |x| sphere.dist(center, x) / sigma, steps, generator)
}

/// A walk on `S²` for the density `e^{−φ}`, started at the center. The candidate is `Exp_x v`, with `v` a normal vector
/// scaled to a length and then projected onto the tangent space. (Reimherr, Bharath and Soto 2021, supplement 1.5;
/// Soto, Bharath, Reimherr and Slavković 2022, supplement 2.4.2.)
///
/// Here a refused candidate repeats the state, as in Metropolis and Hastings; the supplements' wording suggests
/// otherwise.
pub fn sphere_walk(
    sphere: &Sphere,
    center: &[f64],
    length: f64,
    phi: impl Fn(&[f64]) -> f64,
    steps: usize,
    generator: &mut Generator,
) -> End {
    let (mut state, mut candidate, mut v) = (center.to_vec(), vec![0.0; 3], vec![0.0; 3]);
    let (mut here, mut accepted) = (phi(&state), 0usize);
    for _ in 0..steps {
        v.iter_mut().for_each(|x| *x = generator.sample(StandardNormal));
        let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.iter_mut().for_each(|x| *x *= length / norm);
        let along: f64 = v.iter().zip(&state).map(|(v, x)| v * x).sum();
        v.iter_mut().zip(&state).for_each(|(v, x)| *v -= along * x);
        sphere.exp(&state, &v, &mut candidate);
        let there = phi(&candidate);
        if generator.random::<f64>() < (here - there).exp() {
            std::mem::swap(&mut state, &mut candidate);
            here = there;
            accepted += 1;
        }
    }
    End { distance: sphere.dist(center, &state), acceptance: accepted as f64 / steps as f64 }
}

/// Utpala, Vepakomma and Miolane 2023, appendix B.1, on log-Euclidean SPD matrices, in the flat coordinates
/// `vecd(Logm X − Logm M)` of dimension `d`: density `∝ exp(−‖x‖/σ)`, candidates `x + σ·N(0, I)`, started at a random
/// point, `N(0, I)`.
pub fn log_euclidean_laplace(d: usize, sigma: f64, steps: usize, generator: &mut Generator) -> End {
    let mut state: Vec<f64> = (0..d).map(|_| generator.sample(StandardNormal)).collect();
    let mut candidate = state.clone();
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (mut distance, mut accepted) = (norm(&state), 0usize);
    for _ in 0..steps {
        for (c, x) in candidate.iter_mut().zip(&state) {
            let z: f64 = generator.sample(StandardNormal);
            *c = x + sigma * z;
        }
        let next = norm(&candidate);
        if generator.random::<f64>() < ((distance - next) / sigma).exp() {
            std::mem::swap(&mut state, &mut candidate);
            distance = next;
            accepted += 1;
        }
    }
    End { distance, acceptance: accepted as f64 / steps as f64 }
}
