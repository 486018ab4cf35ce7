//! The K-norm gradient mechanism for the Fréchet mean (user guide, M4; Reimherr and Awan 2019; Soto, Bharath, Reimherr
//! and Slavković 2022).
//!
//! Density `∝ exp(−‖∇F(x)‖/σ)` with respect to Riemannian volume, `∇F(x) = −(1/n) Σ Log_x xᵢ`, on the public ball
//! `B_r(m₀)`. Replacing a record changes `∇F(x)` by at most `Δ′ = D(r)/n` at every `x` of the ball
//! ([`gradient_diameter`](crate::sensitivity::gradient_diameter)), hence the density by a factor of at most `e^{Δ′/σ}`,
//! and its normalising constant, which depends on the records, by as much again: `σ = 2Δ′/ε` is pure `ε`.
//!
//! On flat spaces `‖∇F(x)‖ = ‖x − x̄‖` and the support is all of `R^d`: Laplace noise, and `σ = Δ′/ε`.

mod chain;
mod rejection;

use super::clipped::{Clipped, Terms};
use super::{Noise, PrivateFrechetMean};
use crate::error::{Error, Result};
use crate::points::{Points, PointsView};
use crate::privacy::{Definition, Guarantee, laplace_scale, pure_epsilon_for};
use crate::release::{Flag, Release, ReleasedSensitivity};
use crate::sampler::{DistanceLaw, Generator, Isotropic, Law};
use crate::sensitivity::gradient_diameter;
use crate::statistic::mean_log;
use chain::Chain;
pub use chain::Rehearsal;
use rejection::{LEAST_ACCEPTANCE, Rejection};

/// Made-up records of a rehearsal.
const REHEARSED: usize = 100;

/// A K-norm gradient mechanism with everything decided that can be decided without the records.
#[derive(Debug, Clone)]
pub struct KNormGradient<'a> {
    mean: PrivateFrechetMean<'a>,
    n: usize,
    guarantee: Guarantee,
    /// `Δ′`, and what rounding may add to it.
    sensitivity: f64,
    scale: f64,
    sampler: Sampler<'a>,
    distance: DistanceLaw,
}

/// How a draw is made. Public quantities decide.
#[derive(Debug, Clone)]
enum Sampler<'a> {
    /// On flat spaces.
    Noise(Noise<'a>),
    /// Where enough proposals are sure to be accepted, whatever the records.
    Rejection(Rejection<'a>),
    /// Elsewhere.
    Chain(Chain<'a>),
}

impl<'a> KNormGradient<'a> {
    /// The mechanism for `n` records and any budget: pure `ε`, or the largest `ε` that implies the budget (user guide,
    /// P2).
    ///
    /// # Errors
    /// As for [`PrivateFrechetMean::sensitivity`].
    pub fn new(mean: &PrivateFrechetMean<'a>, n: usize, budget: Guarantee) -> Result<Self> {
        // the mean is where proposals are made; how well it is computed is no part of the sensitivity
        let mean = mean.clone().default_tolerance();
        let (manifold, radius) = (mean.manifold(), mean.ball().radius());
        let epsilon = pure_epsilon(budget)?;
        let exact = mean.sensitivity(n)?; // refuses what has no unique mean
        if manifold.flat_chart().is_some() {
            let scale = laplace_scale(exact.value(), epsilon)?;
            let noise = Noise::new(manifold, "kng", Law::Laplace, scale, exact.value(), budget)?;
            let distance = noise.distance().clone();
            return Ok(Self {
                mean,
                n,
                guarantee: budget,
                sensitivity: exact.value(),
                scale,
                sampler: Sampler::Noise(noise),
                distance,
            });
        }
        let sensitivity = gradient_diameter(manifold, radius)? / n as f64 + 2.0 * mean.rounding(n)?;
        let scale = laplace_scale(2.0 * sensitivity, epsilon)?;
        let rejection = Rejection::new(manifold, radius, scale, mean.inexactness(n)?)?;
        // where that law is too far from its proposals to be simulated nothing better is known than the ball's diameter
        let distance = match rejection.distance() {
            Err(Error::DrawTooRare { .. }) => DistanceLaw::certain(2.0 * radius),
            distance => distance?,
        };
        let sampler = if rejection.least_acceptance() >= LEAST_ACCEPTANCE {
            Sampler::Rejection(rejection)
        } else {
            Sampler::Chain(Chain { manifold, radius, scale })
        };
        Ok(Self { mean, n, guarantee: budget, sensitivity, scale, sampler, distance })
    }

    /// Steps of the Markov chain that a release takes, `None` where the draw is exact. Public: it depends on the space,
    /// the ball, `n` and the budget.
    pub fn chain_steps(&self) -> Option<usize> {
        match &self.sampler {
            Sampler::Chain(chain) => Some(chain.steps()),
            _ => None,
        }
    }

    /// Whether the mechanism is Laplace noise on the mean, as on flat spaces: then
    /// [`distance`](KNormGradient::distance) is exact.
    pub fn is_noise(&self) -> bool {
        matches!(self.sampler, Sampler::Noise(_))
    }

    /// How the chains behave on records scattered over the ball at random (`n`, but at most 100), for everybody to know
    /// beforehand. `None` where the draw is exact. `progress` is told how many more of the
    /// [`rehearsal_steps`](KNormGradient::rehearsal_steps) have been taken.
    ///
    /// # Errors
    /// As for [`release`](KNormGradient::release).
    pub fn rehearse(&self, progress: &(dyn Fn(usize) + Sync)) -> Result<Option<Rehearsal>> {
        let Sampler::Chain(chain) = &self.sampler else { return Ok(None) };
        let (manifold, ball) = (self.mean.manifold(), self.mean.ball());
        let mut generator = Generator::seeded(0);
        let scatter = Isotropic::laplace_within(manifold, ball.radius(), ball.radius())?;
        let mut records = vec![0.0; self.n.min(REHEARSED) * manifold.point_len()];
        for record in records.chunks_exact_mut(manifold.point_len()) {
            scatter.sample(ball.center(), &mut generator, record)?;
        }
        let summary = self.mean.summarize(&Points::new(manifold, records)?)?;
        let gradient = |x: &[f64]| gradient_norm(&summary.clipped, x);
        chain.rehearse(summary.clipped.centered.center(), &summary.value, gradient, &mut generator, progress).map(Some)
    }

    /// Steps that a rehearsal takes, of all chains.
    pub fn rehearsal_steps(&self) -> usize {
        match &self.sampler {
            Sampler::Chain(chain) => 2 * chain::CHAINS * chain.steps(),
            _ => 0,
        }
    }

    /// What it guarantees.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// The scale `σ`.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// An upper bound, in all likelihood, of the law of the distance between the released value and the mean; exact on
    /// flat spaces.
    ///
    /// On curved spaces the law depends on the records. This is what it would be if `‖∇F‖` grew with the distance as
    /// slowly as it can, or, where not even that can be computed, the ball's diameter.
    pub fn distance(&self) -> &DistanceLaw {
        &self.distance
    }

    /// Releases the mean of the records.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] when there are not as many records as the mechanism was made for; as for
    /// [`PrivateFrechetMean::summarize`].
    pub fn release<'p>(&self, points: impl Into<PointsView<'p>>, generator: &mut Generator) -> Result<Release> {
        self.release_with_progress(points, generator, &|_| ())
    }

    /// The same. `progress` is told how many more of the [`chain_steps`](KNormGradient::chain_steps) have been taken.
    ///
    /// # Errors
    /// As for [`release`](KNormGradient::release).
    pub fn release_with_progress<'p>(
        &self,
        points: impl Into<PointsView<'p>>,
        generator: &mut Generator,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        let points = points.into();
        if points.len() != self.n {
            let requirement = format!("the mechanism was calibrated for {} records", self.n);
            return Err(Error::InvalidParameter { name: "number of records", value: points.len() as f64, requirement });
        }
        match &self.sampler {
            Sampler::Noise(noise) => self.mean.summarize(points)?.release(noise, generator),
            Sampler::Rejection(rejection) => {
                let summary = self.mean.summarize(points)?;
                let gradient = |x: &[f64]| gradient_norm(&summary.clipped, x);
                let center = summary.clipped.centered.center();
                let draw = rejection.sample(center, &summary.value, gradient, generator)?;
                let mut release = summary.clipped.publish(&draw, self.terms(), generator);
                release.flags.extend(summary.clipped.rounding_allowance());
                Ok(release)
            }
            // a chain needs no mean
            Sampler::Chain(chain) => {
                let clipped = self.mean.clip(points)?;
                let gradient = |x: &[f64]| gradient_norm(&clipped, x);
                let draw = chain.sample(clipped.centered.center(), gradient, generator, progress)?;
                let mut release = clipped.publish(&draw, self.terms(), generator);
                release.flags.extend(clipped.rounding_allowance());
                release.flags.push(Flag::McmcApproximate);
                Ok(release)
            }
        }
    }

    fn terms(&self) -> Terms {
        Terms {
            mechanism: "kng",
            guarantee: self.guarantee,
            scale: self.scale,
            sensitivity: ReleasedSensitivity { value: self.sensitivity, bound: "gradient-diameter" },
            expected_distance: self.distance.mean(),
        }
    }
}

/// `‖∇F(x)‖`.
fn gradient_norm(clipped: &Clipped<'_>, x: &[f64]) -> f64 {
    let space = clipped.centered.space();
    // records and x are in a ball smaller than the injectivity radius; what rounding takes out of it has density 0
    mean_log(space, x, clipped.records.view(), None).map_or(f64::INFINITY, |v| space.norm(x, &v))
}

/// The pure `ε` that keeps a budget.
fn pure_epsilon(budget: Guarantee) -> Result<f64> {
    match budget.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => Ok(epsilon),
        Definition::Gaussian { mu } => pure_epsilon_for(mu),
        Definition::Concentrated { rho } => Ok((2.0 * rho).sqrt() * (1.0 - f64::EPSILON)),
    }
}

#[cfg(test)]
mod tests;
