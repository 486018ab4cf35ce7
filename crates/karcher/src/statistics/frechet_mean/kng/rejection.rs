//! Exact draws from the K-norm gradient law on a curved space (user guide, E3).
//!
//! Let `ℓ(s) ≤ ‖∇F(x)‖` at distance `s` from the mean `x̄` ([`least_gradient`]). It is concave with `ℓ(0) = 0`, so on
//! the ball of radius `r`, where `s ≤ 2r`, it lies above the chord: `‖∇F(x)‖ ≥ h·ρ(x̄, x)`, `h = ℓ(2r)/2r`. Propose `x`
//! from the density `∝ exp(−h·ρ(x̄, x)/σ)`, `ρ ≤ 2r`. Discard points outside the ball, and accept with probability
//! `exp(−(‖∇F(x)‖ − h·ρ(x̄, x))/σ)`. Accepted points follow the K-norm gradient law on the ball, whatever the proposal.
//!
//! **The acceptance is bounded from below by public quantities.** It is a quotient of two integrals over distances:
//!
//! * Proposals: at most `∫₀^{2r} e^{−hs/σ}·s^{d−1}·e^{ψ(s)} ds` (times the area of the unit sphere), `e^ψ ≥ θ` the
//!   manifold's bound.
//! * Targets: `Hess F(x) ≤ C(r + s)`, where `C(u) = au·coth(au)`, `a = √−κ₋`, `C = 1` for `κ₋ ≥ 0`. `C` is concave in
//!   `u²`, so the average of `C(ρ(x, xᵢ))` is at most `C` of the root of the average square. That root is at most `r`
//!   at the mean (`F(x̄) ≤ F(m₀)`) and `r + s` at `x` (Minkowski). Hence `‖∇F(x)‖ ≤ s·C(r + s)`. At least the fraction
//!   `w(s)` of the directions at `x̄` leads to a point inside the ball at distance `s ≤ r`. By Toponogov's theorem it
//!   is no less than in the space of constant curvature `κ₋`. There `x̄` on the ball's edge is the worst case: for
//!   `s ≤ r`, the distance from `x` to a point on the way from `x̄` to the center is at most `r` if it is so at both
//!   ends. In that case the angle to the center must have `cos α ≥ tan(s/2)/tan r`, `s/2r` or `tanh(as/2)/tanh(ar)`. So
//!   the integral is at least `∫₀^r w(s)·e^{−s·C(r+s)/σ}·s^{d−1}·θ(s) ds`, `θ ≥ (sin √κs/√κs)^{d−1}` (1 for `κ ≤ 0`)
//!   where it depends on the direction (Günther).
//!
//! The computed mean may be off by `τ`. It replaces `x̄` in the proposals, which reach `2(r + τ)`. With the distance
//! `ρ` to the computed mean, `ρ(x̄, x) ≥ ρ − τ` makes the exponent `−(‖∇F(x)‖ − h·(ρ − τ))/σ`: a factor `e^{−hτ/σ}` of
//! the acceptance, which is in the bound.

use crate::error::{Error, Result};
use crate::manifold::{CurvatureBounds, Manifold};
use crate::noise::Generator;
use crate::sampler::{DistanceLaw, Isotropic};
use crate::sensitivity::least_gradient;
use gauss_quad::GaussLegendre;
use karcher_geometry::ln_sinc;
use rand::RngExt;
use statrs::function::beta::beta_reg;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The guaranteed acceptance below which a Markov chain is used instead.
pub(super) const LEAST_ACCEPTANCE: f64 = 1e-3;

/// Proposals after which a draw fails. At the required acceptance this has a probability below `e^{−10000}`.
const PATIENCE: usize = 10_000_000;

/// Equal parts into which an integral is cut, and Gauss–Legendre nodes in each.
const PANELS: usize = 512;
const NODES: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// The sampler for one space, radius and scale.
#[derive(Debug, Clone)]
pub(super) struct Rejection {
    manifold: Arc<dyn Manifold>,
    radius: f64,
    scale: f64,
    /// `h`.
    slope: f64,
    /// Bound of the error of the computed mean.
    inexact: f64,
    /// No proposal is further from the computed mean; no point of the ball is either.
    reach: f64,
    proposal: Isotropic,
}

impl Rejection {
    /// # Errors
    /// [`Error::RadiusTooLarge`] where the mean need not be unique.
    pub(super) fn new(manifold: Arc<dyn Manifold>, radius: f64, scale: f64, inexact: f64) -> Result<Self> {
        let slope = least_gradient(&*manifold, radius, 2.0 * radius)? / (2.0 * radius);
        let reach = 2.0 * (radius + inexact) * (1.0 + 1e-9);
        let proposal = Isotropic::laplace_within(Arc::clone(&manifold), scale / slope, reach)?;
        Ok(Self { manifold, radius, scale, slope, inexact, reach, proposal })
    }

    /// The law of the distance from the mean in the proposals. The K-norm gradient law itself depends on the records.
    /// If their gradient grows at the smallest possible rate, it is this law, cut off at the ball.
    pub(super) fn distance(&self) -> Result<DistanceLaw> {
        self.proposal.distance()
    }

    /// One exact draw. `gradient(x) = ‖∇F(x)‖`.
    pub(super) fn sample(
        &self,
        center: &[f64],
        mean: &[f64],
        gradient: impl Fn(&[f64]) -> f64,
        generator: &mut Generator,
    ) -> Result<Vec<f64>> {
        for _ in 0..PATIENCE {
            let (draw, acceptance) = self.propose(center, mean, &gradient, generator)?;
            if generator.random::<f64>() < acceptance {
                return Ok(draw);
            }
        }
        Err(Error::DrawTooRare { space: self.manifold.space().clone(), scale: self.scale })
    }

    /// A proposal and the probability to accept it.
    pub(super) fn propose(
        &self,
        center: &[f64],
        mean: &[f64],
        gradient: impl Fn(&[f64]) -> f64,
        generator: &mut Generator,
    ) -> Result<(Vec<f64>, f64)> {
        let mut draw = mean.to_vec();
        self.proposal.sample(mean, generator, &mut draw)?;
        if self.manifold.dist(center, &draw) > self.radius {
            return Ok((draw, 0.0));
        }
        // the exact mean is at least ρ(mean, x) − inexact away, so this is never negative, up to rounding
        let excess = gradient(&draw) - self.slope * (self.manifold.dist(mean, &draw) - self.inexact);
        Ok((draw, (-excess / self.scale).exp()))
    }

    /// A lower bound of the fraction of accepted proposals, for any records: public.
    pub(super) fn least_acceptance(&self) -> f64 {
        let (r, power) = (self.radius, (self.manifold.dim() - 1) as f64);
        let volume = |s: f64| power * s.ln() + self.manifold.log_volume_density_bound(s).0;
        // Günther: no less than in the space of constant curvature κ
        let kappa = self.manifold.curvature().upper.max(0.0).sqrt();
        let least_volume = |s: f64| match self.manifold.is_two_point_homogeneous() {
            true => volume(s),
            false => power * (s.ln() + ln_sinc(kappa * s).0),
        };
        let lower = self.manifold.curvature().lower;
        let proposals = log_integral(self.reach, |s| volume(s) - self.slope * s / self.scale);
        let targets = log_integral(r, |s| {
            let inside = share_inside(&*self.manifold, r, s).ln();
            inside + least_volume(s) - s * largest_hessian(lower, r + s) / self.scale
        });
        (targets - proposals - self.slope * self.inexact / self.scale).exp()
    }
}

/// `C(u) = au·coth(au)`, an upper bound of the Hessian of `½ρ²` at distance `u`.
fn largest_hessian(lower: f64, u: f64) -> f64 {
    let x = (-lower).max(0.0).sqrt() * u;
    if x > 0.0 { x / x.tanh() } else { 1.0 }
}

/// `w(s)`: the fraction of the directions at a point of the ball's edge that lead into the ball at distance `s ≤ r`.
fn share_inside(manifold: &dyn Manifold, r: f64, s: f64) -> f64 {
    let CurvatureBounds { lower, .. } = manifold.curvature();
    let a = lower.abs().sqrt();
    let cosine = if lower > 0.0 {
        (0.5 * a * s).tan() / (a * r).tan()
    } else if lower < 0.0 {
        (0.5 * a * s).tanh() / (a * r).tanh()
    } else {
        0.5 * s / r
    };
    let d = manifold.dim();
    if d == 1 {
        return if cosine < 1.0 { 0.5 } else { 0.0 };
    }
    // (1 + cos α)/2 has the law Beta(ν, ν), ν = (d − 1)/2
    let nu = 0.5 * (d - 1) as f64;
    beta_reg(nu, nu, (0.5 * (1.0 - cosine)).clamp(0.0, 1.0))
}

/// `ln ∫₀^end e^{f(s)} ds`.
fn log_integral(end: f64, f: impl Fn(f64) -> f64) -> f64 {
    let rule = GaussLegendre::new(NODES);
    // substituting s = end·u³ resolves the mass near 0
    let g = |u: f64| f(end * u.powi(3)) + (3.0 * end * u * u).ln();
    let edge = |i: usize| i as f64 / PANELS as f64;
    let peak = (1..PANELS).map(|i| g(edge(i))).fold(f64::NEG_INFINITY, f64::max);
    let mass: f64 = (0..PANELS).map(|i| rule.integrate(edge(i), edge(i + 1), |u| (g(u) - peak).exp())).sum();
    peak + mass.ln()
}
