//! The two algorithms of Jiang, Chang, Liu, Ding, Kong and Jiang (2023) for the `μ` of Riemannian Gaussian noise:
//! references for tests, benchmarks and the reproduction of the paper's figure.
//!
//! **Unsound as a guarantee**: both take the largest `μ_ε`, `δ(ε) = δ_{μ_ε}(ε)`, of finitely many `ε`, and the second
//! that of estimates.

use karcher::privacy::{Guarantee, mu_for};
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Manifold, Result};
use statrs::distribution::{ContinuousCDF, Normal};
use std::f64::consts::PI;
use std::sync::Arc;

/// `δ(ε)` on the circle, in closed form. The centers are 0 and `Δ`; the set `A` is the arc from `l` to `u` (from the
/// first center). Here `l` replaces the paper's formula, which is wrong past the antipode of the second center.
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
    // relative to the second center the arc is [l − Δ, u − Δ], and its part below −π wraps around
    let (lower, upper) = (lower - distance, upper - distance);
    let second =
        cdf(upper.max(-PI)) - cdf(lower.max(-PI)) + cdf((upper + 2.0 * PI).min(PI)) - cdf((lower + 2.0 * PI).min(PI));
    first - epsilon.exp() * second
}

/// Algorithm 1: `μ` on the circle from the closed form of `δ(ε)`, over the given `ε`.
pub fn algorithm_1(scale: f64, distance: f64, epsilons: impl IntoIterator<Item = f64>) -> f64 {
    let mut mu = 0.0;
    for epsilon in epsilons {
        let delta = circle_delta(scale, distance, epsilon);
        // statrs knows the normal distribution to about 1e-11: below, rounding would decide
        if delta > 1e-8 * (1.0 + epsilon.exp()) {
            raise(&mut mu, epsilon, delta);
        }
    }
    mu
}

/// Privacy losses `ln p(y)/p′(y)` of draws `y` from the density `p` around one of two points, and from `p′` around the
/// other; ascending.
pub struct Losses {
    /// Of draws around the first.
    pub first: Vec<f64>,
    /// Of draws around the second.
    pub second: Vec<f64>,
}

/// Losses of `n` exact draws around each of two points at a distance.
///
/// # Errors
/// As for [`Isotropic::new`].
pub fn losses(
    manifold: &Arc<dyn Manifold>,
    law: Law,
    scale: f64,
    distance: f64,
    n: usize,
    generator: &mut Generator,
) -> Result<Losses> {
    let mut first = vec![0.0; manifold.point_len()];
    manifold.origin(&mut first);
    let (mut v, mut second, mut y) = (first.clone(), first.clone(), first.clone());
    let mut along = vec![0.0; manifold.dim()];
    along[0] = distance;
    manifold.from_frame(&first, &along, &mut v);
    manifold.exp(&first, &v, &mut second);
    let minus_log = |center: &[f64], y: &[f64]| match law {
        Law::Laplace => manifold.dist(center, y) / scale,
        Law::Gaussian => 0.5 * (manifold.dist(center, y) / scale).powi(2),
    };
    let isotropic = Isotropic::new(Arc::clone(manifold), law, scale)?;
    let mut around = |center: &[f64]| -> Result<Vec<f64>> {
        let mut losses = Vec::with_capacity(n);
        for _ in 0..n {
            isotropic.sample(center, generator, &mut y)?;
            losses.push(minus_log(&second, &y) - minus_log(&first, &y));
        }
        losses.sort_by(f64::total_cmp);
        Ok(losses)
    };
    Ok(Losses { first: around(&first)?, second: around(&second)? })
}

impl Losses {
    /// The published estimate of `δ(ε) = P(L ≥ ε) − e^ε P′(L ≥ ε)`, and its standard error.
    pub fn delta(&self, epsilon: f64) -> (f64, f64) {
        let share = |losses: &[f64]| {
            let n = losses.len() as f64;
            let p = (losses.len() - losses.partition_point(|&loss| loss < epsilon)) as f64 / n;
            (p, p * (1.0 - p) / n)
        };
        let ((p, variance), (p_second, variance_second)) = (share(&self.first), share(&self.second));
        let factor = epsilon.exp();
        (p - factor * p_second, (variance + factor * factor * variance_second).sqrt())
    }
}

/// Algorithm 2: an estimate of `μ` over the given `ε`, as `[estimate, lower, upper]` from intervals of `width` standard
/// errors around each `δ(ε)`. As the largest of noisy numbers it is biased upwards.
///
/// The level of `[lower, upper]` is that of all intervals at once, by Bonferroni: where draws are so many that the
/// estimates are normal, the largest `μ_ε` over `k` values of `ε` is outside with a probability of at most
/// `2k·Φ(−width)`. Of other `ε` it says nothing.
pub fn algorithm_2(losses: &Losses, epsilons: impl IntoIterator<Item = f64>, width: f64) -> [f64; 3] {
    let mut mus = [0.0; 3];
    for epsilon in epsilons {
        let (delta, error) = losses.delta(epsilon);
        for (mu, bound) in mus.iter_mut().zip([delta, delta - width * error, delta + width * error]) {
            raise(mu, epsilon, bound);
        }
    }
    mus
}

/// Raises `μ` to `μ_ε` with `δ_{μ_ε}(ε) = δ`, where there is one; `μ_ε` is solved for only where it is larger.
fn raise(mu: &mut f64, epsilon: f64, delta: f64) {
    if !(delta > 0.0 && delta < 1.0) {
        return;
    }
    let enough = Guarantee::gaussian(*mu).and_then(|guarantee| guarantee.delta(epsilon)).is_ok_and(|d| d >= delta);
    if !enough && let Ok(found) = mu_for(epsilon, delta) {
        *mu = mu.max(found);
    }
}
