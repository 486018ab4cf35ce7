//! Kulkarni and Soto 2025: geodesic regression on `S²`, released footpoint first and shooting vector second, each by a
//! K-norm gradient chain.
//!
//! **Unsound**, for these reasons:
//!
//! * The bound of the residuals is read from the records.
//! * The Jacobi fields' norms are taken to be `cos 1` and `sin 1`, those of a residual across a geodesic of length 1 at
//!   predictor 1. Along the geodesic the factor is 1. Across it, the factor is also 1 for the footpoint at predictor 0,
//!   the other end of the range. So it is for the shooting vector at predictor 1 if the geodesic is short.
//! * The density of the footpoint contains the shooting vector fitted to the same records.
//! * The factor 2 for a normalising constant that depends on the records is left out.
//! * The chains are stopped after a burn-in.

use crate::Failure;
use karcher::Manifold;
use karcher::manifold::Sphere;
use karcher::sampler::Generator;
use rand::RngExt;
use std::f64::consts::TAU;

/// Responses on the sphere with their predictors in `[0, 1]`.
pub struct Data {
    /// Predictors.
    pub x: Vec<f64>,
    /// Responses.
    pub y: Vec<[f64; 3]>,
}

/// A geodesic `x ↦ Exp_p(x·v)`.
#[derive(Clone)]
pub struct Geodesic {
    /// Footpoint.
    pub p: [f64; 3],
    /// Shooting vector, tangent at `p`.
    pub v: [f64; 3],
}

/// Gradients of `E(p, v) = (1/2n) Σ ρ²(Exp(p, xᵢv), yᵢ)`, and the residuals' lengths.
pub struct Gradients {
    /// `∇_p E`.
    pub footpoint: [f64; 3],
    /// `∇_v E`.
    pub velocity: [f64; 3],
    /// Lengths of the residuals.
    pub residuals: Vec<f64>,
}

/// `∇_p E = −(1/n) Σ Aᵢ†eᵢ`, `∇_v E = −(1/n) Σ xᵢBᵢ†eᵢ`: carried to `p`, the part of `eᵢ` along the geodesic keeps its
/// length, the other one is scaled by `cos xᵢ‖v‖` and by `sin(xᵢ‖v‖)/(xᵢ‖v‖)`.
pub fn gradients(sphere: &Sphere, geodesic: &Geodesic, data: &Data) -> Result<Gradients, Failure> {
    let Geodesic { p, v } = geodesic;
    let n = data.x.len() as f64;
    let length = norm(v);
    let direction = v.map(|c| if length > 0.0 { c / length } else { 0.0 });
    let mut out = Gradients { footpoint: [0.0; 3], velocity: [0.0; 3], residuals: vec![] };
    let (mut at, mut residual, mut carried) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    for (&x, y) in data.x.iter().zip(&data.y) {
        sphere.exp(p, &v.map(|c| x * c), &mut at);
        sphere.log(&at, y, &mut residual)?;
        sphere.transport(&at, p, &residual, &mut carried)?;
        out.residuals.push(norm(&residual));
        let along = dot(&carried, &direction);
        let angle = x * length;
        let sinc = if angle > 0.0 { angle.sin() / angle } else { 1.0 };
        for i in 0..3 {
            let (parallel, normal) = (along * direction[i], carried[i] - along * direction[i]);
            out.footpoint[i] -= (parallel + angle.cos() * normal) / n;
            out.velocity[i] -= x * (parallel + sinc * normal) / n;
        }
    }
    Ok(out)
}

/// The least squares geodesic, by descent from a guess.
pub fn fit(sphere: &Sphere, start: &Geodesic, data: &Data) -> Result<Geodesic, Failure> {
    let mut geodesic = start.clone();
    for _ in 0..2_000 {
        let gradients = gradients(sphere, &geodesic, data)?;
        if norm(&gradients.footpoint) + norm(&gradients.velocity) < 1e-10 {
            break;
        }
        let mut p = [0.0; 3];
        sphere.exp(&geodesic.p, &gradients.footpoint.map(|c| -0.7 * c), &mut p);
        let stepped: [f64; 3] = std::array::from_fn(|i| geodesic.v[i] - 0.7 * gradients.velocity[i]);
        geodesic = moved(sphere, &Geodesic { v: stepped, ..geodesic }, p)?;
    }
    Ok(geodesic)
}

/// The geodesic with its shooting vector carried to another footpoint.
pub fn moved(sphere: &Sphere, geodesic: &Geodesic, p: [f64; 3]) -> Result<Geodesic, Failure> {
    let mut v = [0.0; 3];
    sphere.transport(&geodesic.p, &p, &geodesic.v, &mut v)?;
    Ok(Geodesic { p, v })
}

/// `σ` of the footpoint and of the shooting vector: `2τ·cos 1/(nε)` and `2τ·sin 1/(nε)`.
pub fn scales(tau: f64, n: usize, epsilon: f64) -> (f64, f64) {
    let scale = 2.0 * tau / (n as f64 * epsilon);
    (scale * 1.0_f64.cos(), scale * 1.0_f64.sin())
}

/// How a chain runs.
pub struct Run {
    /// Candidates are uniform in a disc of this radius.
    pub radius: f64,
    /// Steps before the first state that is kept.
    pub burn_in: usize,
    /// States that are kept.
    pub keep: usize,
}

/// What a chain visited.
pub struct Chain {
    /// The states that were kept.
    pub states: Vec<Geodesic>,
    /// The share of candidates that were accepted.
    pub acceptance: f64,
}

/// `‖∇_p E(p, v̂)‖/σ`: minus the logarithm of the footpoint's density, up to a constant. The geodesic has the fitted
/// shooting vector, carried to `p`.
pub fn footpoint_potential(sphere: &Sphere, at: &Geodesic, data: &Data, sigma: f64) -> Result<f64, Failure> {
    Ok(norm(&gradients(sphere, at, data)?.footpoint) / sigma)
}

/// Footpoints, each with the fitted shooting vector carried to it, from a chain of the density
/// `∝ exp(−‖∇_p E(p, v̂)‖/σ)`.
pub fn footpoints(
    sphere: &Sphere,
    fitted: &Geodesic,
    data: &Data,
    sigma: f64,
    run: &Run,
    generator: &mut Generator,
) -> Result<Chain, Failure> {
    let candidate = |state: &Geodesic, generator: &mut Generator| {
        let mut p = [0.0; 3];
        sphere.exp(&state.p, &disc(sphere, &state.p, run.radius, generator), &mut p);
        moved(sphere, fitted, p)
    };
    chain(fitted, run, |state| footpoint_potential(sphere, state, data, sigma), candidate, generator)
}

/// Shooting vectors at the footpoint of `start` from a chain of the density `∝ exp(−‖∇_v E(p̃, v)‖/σ)`.
pub fn velocities(
    sphere: &Sphere,
    start: &Geodesic,
    data: &Data,
    sigma: f64,
    run: &Run,
    generator: &mut Generator,
) -> Result<Chain, Failure> {
    let candidate = |state: &Geodesic, generator: &mut Generator| {
        let shift = disc(sphere, &state.p, run.radius, generator);
        Ok(Geodesic { p: state.p, v: std::array::from_fn(|i| state.v[i] + shift[i]) })
    };
    let potential = |state: &Geodesic| Ok(norm(&gradients(sphere, state, data)?.velocity) / sigma);
    chain(start, run, potential, candidate, generator)
}

/// Metropolis and Hastings for the density `e^{−φ}` with symmetric candidates.
fn chain(
    start: &Geodesic,
    run: &Run,
    phi: impl Fn(&Geodesic) -> Result<f64, Failure>,
    candidate: impl Fn(&Geodesic, &mut Generator) -> Result<Geodesic, Failure>,
    generator: &mut Generator,
) -> Result<Chain, Failure> {
    let (mut state, mut here) = (start.clone(), phi(start)?);
    let (mut states, mut accepted, steps) = (vec![], 0usize, run.burn_in + run.keep);
    for step in 0..steps {
        let candidate = candidate(&state, generator)?;
        let there = phi(&candidate)?;
        if generator.random::<f64>() < (here - there).exp() {
            (state, here) = (candidate, there);
            accepted += 1;
        }
        if step >= run.burn_in {
            states.push(state.clone());
        }
    }
    Ok(Chain { states, acceptance: accepted as f64 / steps as f64 })
}

/// A tangent vector, uniform in a disc.
fn disc(sphere: &Sphere, p: &[f64; 3], radius: f64, generator: &mut Generator) -> [f64; 3] {
    let (length, angle) = (radius * generator.random::<f64>().sqrt(), TAU * generator.random::<f64>());
    let mut v = [0.0; 3];
    sphere.from_frame(p, &[length * angle.cos(), length * angle.sin()], &mut v);
    v
}

/// The signed angle from `u` to `v` about `p`, in degrees.
pub fn angle(p: &[f64; 3], u: &[f64; 3], v: &[f64; 3]) -> f64 {
    dot(&cross(u, v), p).atan2(dot(u, v)).to_degrees()
}

/// `u × v`.
pub fn cross(u: &[f64; 3], v: &[f64; 3]) -> [f64; 3] {
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

/// `‖v‖`.
pub fn norm(v: &[f64; 3]) -> f64 {
    dot(v, v).sqrt()
}

/// `⟨u, v⟩`.
pub fn dot(u: &[f64; 3], v: &[f64; 3]) -> f64 {
    u.iter().zip(v).map(|(u, v)| u * v).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_are_those_of_differences() {
        let sphere = Sphere::new(2).unwrap();
        let unit = |v: [f64; 3]| v.map(|c| c / norm(&v));
        let geodesic = Geodesic { p: [0.0, 0.0, 1.0], v: [0.7, 0.2, 0.0] };
        let y = vec![unit([0.1, 0.2, 1.0]), unit([0.5, -0.1, 0.9]), unit([0.6, 0.4, 0.7])];
        let data = Data { x: vec![0.1, 0.5, 1.0], y };
        let energy = |geodesic: &Geodesic| {
            gradients(&sphere, geodesic, &data).unwrap().residuals.iter().map(|e| e * e).sum::<f64>() / 6.0
        };
        let found = gradients(&sphere, &geodesic, &data).unwrap();
        let h = 1e-5;
        for u in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
            let shifted =
                |h: f64| Geodesic { v: std::array::from_fn(|i| geodesic.v[i] + h * u[i]), ..geodesic.clone() };
            let slope = (energy(&shifted(h)) - energy(&shifted(-h))) / (2.0 * h);
            assert!((slope - dot(&found.velocity, &u)).abs() < 1e-8, "{slope}");
            let shifted = |h: f64| {
                let mut p = [0.0; 3];
                sphere.exp(&geodesic.p, &u.map(|c| h * c), &mut p);
                moved(&sphere, &geodesic, p).unwrap()
            };
            let slope = (energy(&shifted(h)) - energy(&shifted(-h))) / (2.0 * h);
            assert!((slope - dot(&found.footpoint, &u)).abs() < 1e-8, "{slope}");
        }
    }
}
