//! The two algorithms of Jiang, Chang, Liu, Ding, Kong and Jiang (2023) for the `μ` of Riemannian Gaussian noise, as
//! references. Both maximise `μ_ε`, `δ(ε) = δ_{μ_ε}(ε)`, over a grid of `ε`.

use karcher::Manifold;
use karcher::privacy::mu_for;
use karcher::sampler::{Generator, Isotropic, Law};
use statrs::distribution::{ContinuousCDF, Normal};
use std::f64::consts::PI;

/// `δ(ε)` on the circle, in closed form. The centres are 0 and `Δ`; the set `A` is the arc from `l` to `u` (from the first
/// centre), where `l` replaces the paper's formula, which is wrong past the antipode of the second centre.
pub fn circle_delta(scale: f64, distance: f64, epsilon: f64) -> f64 {
    let normal = Normal::standard();
    let cdf = |x: f64| (normal.cdf(x / scale) - normal.cdf(-PI / scale)) / (1.0 - 2.0 * normal.cdf(-PI / scale));
    let far = 2.0 * PI - distance;
    let loss = 2.0 * scale * scale * epsilon;
    let (lower, upper) = ((loss - far * far) / (2.0 * far), (distance * distance - loss) / (2.0 * distance));
    if lower >= upper {
        return 0.0;
    }
    let first = cdf(upper) - cdf(lower);
    // seen from the second centre the arc is [l − Δ, u − Δ], of which what lies below −π comes round
    let (lower, upper) = (lower - distance, upper - distance);
    let second =
        cdf(upper.max(-PI)) - cdf(lower.max(-PI)) + cdf((upper + 2.0 * PI).min(PI)) - cdf((lower + 2.0 * PI).min(PI));
    first - epsilon.exp() * second
}

/// Algorithm 1: `μ` on the circle, over the `ε` at which `δ` is above the error of the closed form in floating point.
pub fn algorithm_1(scale: f64, distance: f64, cells: usize) -> f64 {
    let end = distance * (2.0 * PI - distance) / (2.0 * scale * scale);
    let epsilons = (0..cells).map(|i| end * (i as f64 + 1e-6) / cells as f64);
    let profile = epsilons.map(|epsilon| (epsilon, circle_delta(scale, distance, epsilon)));
    profile.filter(|(_, delta)| *delta > 1e-5).map(|(epsilon, delta)| mu_of(epsilon, delta)).fold(0.0, f64::max)
}

/// Losses `φ(ρ₂) − φ(ρ₁)` of `n` exact draws around the first of two centres.
pub fn losses(manifold: &dyn Manifold, law: Law, scale: f64, distance: f64, n: usize, seed: u64) -> Vec<f64> {
    let mut first = vec![0.0; manifold.point_len()];
    manifold.origin(&mut first);
    let (mut v, mut second, mut y) = (first.clone(), first.clone(), first.clone());
    let mut along = vec![0.0; manifold.dim()];
    along[0] = distance;
    manifold.from_frame(&first, &along, &mut v);
    manifold.exp(&first, &v, &mut second);
    let phi = |t: f64| match law {
        Law::Laplace => t / scale,
        Law::Gaussian => 0.5 * (t / scale).powi(2),
    };
    let isotropic = Isotropic::new(manifold, law, scale).unwrap();
    let mut generator = Generator::seeded(seed);
    (0..n)
        .map(|_| {
            isotropic.sample(&first, &mut generator, &mut y).unwrap();
            phi(manifold.dist(&second, &y)) - phi(manifold.dist(&first, &y))
        })
        .collect()
}

/// The mean of `(1 − e^{ε−L})₊`, which is `δ(ε)`, and its standard error.
pub fn estimate(losses: &[f64], epsilon: f64) -> (f64, f64) {
    let n = losses.len() as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for loss in losses.iter().filter(|&&loss| loss > epsilon) {
        let x = -(epsilon - loss).exp_m1();
        sum += x;
        squares += x * x;
    }
    let mean = sum / n;
    (mean, ((squares / n - mean * mean) / n).sqrt())
}

/// Algorithm 2: a Monte Carlo estimate of `μ`, here with exact draws, as `(estimate, lower, upper)` from intervals of `width`
/// standard errors around each `δ(ε)`. The maximum of noisy values is biased upwards.
pub fn algorithm_2(losses: &[f64], epsilons: &[f64], width: f64) -> (f64, f64, f64) {
    let mut best = (0.0f64, 0.0f64, 0.0f64);
    for &epsilon in epsilons {
        let (delta, error) = estimate(losses, epsilon);
        best.0 = best.0.max(mu_of(epsilon, delta));
        best.1 = best.1.max(mu_of(epsilon, delta - width * error));
        best.2 = best.2.max(mu_of(epsilon, delta + width * error));
    }
    best
}

/// `μ` with `δ_μ(ε) = δ`.
fn mu_of(epsilon: f64, delta: f64) -> f64 {
    if delta <= 1e-300 { 0.0 } else { mu_for(epsilon, delta.min(1.0 - 1e-15)).unwrap() }
}
