//! The two algorithms of Jiang, Chang, Liu, Ding, Kong and Jiang 2023 for the `μ` of Riemannian Gaussian noise.
//!
//! **Unsound as a guarantee**: both look at finitely many `ε`, the first not up to the largest loss, the second at Monte Carlo
//! estimates. The library's `μ` is certified for all `ε`.

use karcher::privacy::{Guarantee, mu_for};
use karcher::sampler::Generator;
use rand::RngExt;
use rand_distr::StandardNormal;
use statrs::distribution::{ContinuousCDF, Normal};
use std::f64::consts::PI;

/// Algorithm 1: `μ` on the circle from the closed form of `δ(ε)`, over `ε = k, 2k, …, πΔ/2σ²`.
///
/// The closed form here is right also past the antipode, where the published one is not.
pub fn circle(scale: f64, distance: f64, cells: usize) -> f64 {
    let end = PI * distance / (2.0 * scale * scale);
    let mut mu: f64 = 0.0;
    for i in 1..=cells {
        let epsilon = end * i as f64 / cells as f64;
        let delta = circle_delta(scale, distance, epsilon);
        // below, rounding in the closed form would decide
        if delta > 1e5 * f64::EPSILON * (1.0 + epsilon.exp()) {
            mu = raised(mu, epsilon, delta);
        }
    }
    mu
}

/// `δ(ε)` on the circle: the arc `A` on which the loss is at least `ε`, and its probabilities under both laws.
fn circle_delta(scale: f64, distance: f64, epsilon: f64) -> f64 {
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

/// Algorithm 2: `μ` from `draws` losses `ρ²(η′,y) − ρ²(η,y)` of `y` around `η`, and as many of `y′` around `η′`, over
/// `ε = k, 2k, …, ε_max`.
pub fn monte_carlo(mut first: Vec<f64>, mut second: Vec<f64>, scale: f64, largest: f64, cells: usize) -> f64 {
    first.sort_by(f64::total_cmp);
    second.sort_by(f64::total_cmp);
    let share = |losses: &[f64], from: f64| {
        (losses.len() - losses.partition_point(|&loss| loss < from)) as f64 / losses.len() as f64
    };
    let mut mu: f64 = 0.0;
    for i in 1..=cells {
        let epsilon = largest * i as f64 / cells as f64;
        let from = 2.0 * scale * scale * epsilon;
        let delta = share(&first, from) - epsilon.exp() * share(&second, from);
        mu = raised(mu, epsilon, delta);
    }
    mu
}

/// Losses of `n` draws around the first and around the second of two points of the line at a distance, or of the circle.
pub fn losses(circle: bool, scale: f64, distance: f64, n: usize, generator: &mut Generator) -> (Vec<f64>, Vec<f64>) {
    let mut normal = || loop {
        let z: f64 = generator.sample(StandardNormal);
        if !circle || (scale * z).abs() <= PI {
            return scale * z;
        }
    };
    let square = |x: f64| {
        let x = if circle { (x + PI).rem_euclid(2.0 * PI) - PI } else { x };
        x * x
    };
    let first = (0..n).map(|_| normal()).map(|y| square(y - distance) - square(y)).collect();
    let second = (0..n).map(|_| normal() + distance).map(|y| square(y - distance) - square(y)).collect();
    (first, second)
}

/// `max{μ, μ_ε}` with `δ_{μ_ε}(ε) = δ`, where there is one; `μ_ε` is solved for only where it is larger.
fn raised(mu: f64, epsilon: f64, delta: f64) -> f64 {
    if !(delta > 0.0 && delta < 1.0) {
        return mu;
    }
    let enough = Guarantee::gaussian(mu).and_then(|guarantee| guarantee.delta(epsilon)).is_ok_and(|d| d >= delta);
    if enough { mu } else { mu_for(epsilon, delta).map_or(mu, |found| mu.max(found)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_algorithms_find_published_values() {
        for (scale, mu) in [(1.0, 0.98317), (2.0, 0.36239), (4.0, 0.10025)] {
            let found = circle(scale, 1.0, 1000);
            assert!((found - mu).abs() < 2e-3, "σ {scale}: {found} for {mu}");
        }
        let (first, second) = losses(false, 1.0, 1.0, 200_000, &mut Generator::seeded(1));
        let found = monte_carlo(first, second, 1.0, 1.0, 20);
        assert!((found - 1.0).abs() < 0.02, "{found}");
    }
}
