//! The K-norm gradient mechanism for the Fréchet mean (user guide, M4; Reimherr and Awan 2019; Soto, Bharath, Reimherr
//! and Slavković 2022).
//!
//! Density `∝ exp(−‖∇F(x)‖/σ)` with respect to Riemannian volume, `∇F(x) = −(1/n) Σ Log_x xᵢ`, on the public ball
//! `B_r(m₀)`. Replacing a record changes `∇F(x)` by at most `Δ′ = D(r)/n` at every `x` of the ball
//! ([`gradient_diameter`](crate::sensitivity::gradient_diameter)). So it changes the density by a factor of at most
//! `e^{Δ′/σ}`, and its normalising constant, which depends on the records, by as much again: `σ = 2Δ′/ε` is pure `ε`.
//!
//! On flat spaces `‖∇F(x)‖ = ‖x − x̄‖` and the support is all of `R^d`: Laplace noise, and `σ = Δ′/ε`.

mod chain;
mod rejection;

use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::Rehearsal;
use crate::mechanism::plan::budget::bounded_range;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{
    KngRegression, Mechanism, Neighbour, Noise, NoisyMean, Plan, PlanSummary, PrivateFrechetMean, Request,
    is_curved_mean,
};
use crate::noise::{Generator, Law};
use crate::nonprivate::mean_log;
use crate::points::{Points, PointsView};
use crate::privacy::{Definition, Guarantee, flat_laplace_epsilon_for_rho, laplace_scale, pure_epsilon_for};
use crate::records::Records;
use crate::release::{
    Flag, MechanismName, NoiseDraw, NoiseLaw, NoiseOf, OpenRelease, Release, ReleasedBound, ReleasedSensitivity,
    StatisticName,
};
use crate::sampler::{DistanceLaw, Isotropic};
use crate::sensitivity::gradient_diameter;
use crate::vector::norm;
use chain::Chain;
use rejection::{LEAST_ACCEPTANCE, Rejection};
use std::sync::Arc;

/// Made-up records of a rehearsal.
const REHEARSED: usize = 100;

/// `kng`: a point is the more likely, the smaller the gradient of the statistic's objective is there.
#[derive(Debug)]
pub struct Kng;

impl Mechanism for Kng {
    fn name(&self) -> MechanismName {
        MechanismName::Kng
    }

    fn about(&self) -> &'static str {
        "The K-norm gradient mechanism (points where the sum of squared distances has a small gradient are likely): \
         pure ε, on every space. A regression by a Markov chain, hence approximate, except on lines"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["assume_in_ball", "denoise"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        if let Some(mean) = request.statistic().as_a() {
            request.sensitivity()?; // refuses what has no unique mean
            return KNormGradient::plan(mean, request.n(), request.budget());
        }
        Ok(Box::new(KngRegression::new(request.asked(self.name())?, request.n(), request.budget())?))
    }

    fn is_idealized(&self, request: &Request) -> bool {
        is_curved_mean(request)
    }
}

/// A K-norm gradient mechanism for the mean on a curved space, with everything decided that does not need the records.
///
/// ```
/// use karcher::{Ball, manifold::Sphere, mechanism::{KNormGradient, Plan, PrivateFrechetMean}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
/// let kng = KNormGradient::new(&mean, 1_000, Guarantee::pure(1.0)?)?;
/// assert_eq!((kng.guarantee(), kng.summary().n), (Guarantee::pure(1.0)?, 1_000));
/// assert!(kng.summary().at_most); // its expected distance is a bound
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct KNormGradient {
    mean: PrivateFrechetMean,
    sampler: Sampler,
    summary: PlanSummary,
}

/// The way to draw, decided by public quantities.
#[derive(Debug, Clone)]
enum Sampler {
    /// Rejection, where enough proposals are sure to be accepted, whatever the records.
    Rejection(Rejection),
    /// A Markov chain in all other cases.
    Chain(Chain),
}

impl KNormGradient {
    /// The mechanism for `n` records and any budget: the pure `ε` of pure ε and (ε, δ), and the largest bounded range
    /// that implies μ or ρ (user guide, P2). On flat spaces it is Laplace noise on the mean.
    ///
    /// # Errors
    /// As for [`PrivateFrechetMean::sensitivity`].
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{KNormGradient, PrivateFrechetMean}, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = KNormGradient::plan(&mean, 100, Guarantee::pure(1.0)?)?;
    /// assert!(plan.is_exact()); // on flat spaces the gradient at x is x − x̄: Laplace noise
    /// assert!((plan.scale() / 0.02 - 1.0).abs() < 1e-6);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn plan(mean: &PrivateFrechetMean, n: usize, budget: Guarantee) -> Result<Box<dyn Plan>> {
        if mean.manifold().flat_chart().is_none() {
            return Ok(Box::new(Self::new(mean, n, budget)?));
        }
        let mean = mean.clone().tolerance(None);
        let sensitivity = mean.sensitivity(n)?;
        let epsilon = match budget.definition() {
            Definition::Concentrated { rho } => flat_laplace_epsilon_for_rho(mean.manifold().dim(), rho)?,
            Definition::Gaussian { mu } => pure_epsilon_for(mu)?,
            Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => epsilon,
        };
        let scale = laplace_scale(sensitivity.value(), epsilon)?;
        let noise = Noise::new(Arc::clone(mean.manifold()), Law::Laplace, scale, sensitivity.value(), budget, false)?;
        Ok(Box::new(NoisyMean::called(MechanismName::Kng, mean, n, noise, sensitivity)))
    }

    /// The mechanism on a curved space.
    ///
    /// # Errors
    /// As for [`PrivateFrechetMean::sensitivity`]; [`Error::Unsupported`] on flat spaces.
    ///
    /// ```
    /// use karcher::{Ball, Error, manifold::Euclidean, mechanism::{KNormGradient, PrivateFrechetMean}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let flat = KNormGradient::new(&mean, 100, Guarantee::pure(1.0)?);
    /// assert!(matches!(flat, Err(Error::Unsupported { .. }))); // there KNormGradient::plan gives Laplace noise
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(mean: &PrivateFrechetMean, n: usize, budget: Guarantee) -> Result<Self> {
        // proposals are made at the mean; its accuracy is no part of the sensitivity
        mean.check_denoising(MechanismName::Kng)?;
        let mean = mean.clone().tolerance(None);
        let (manifold, radius) = (Arc::clone(mean.manifold()), mean.ball().radius());
        if manifold.flat_chart().is_some() {
            let reason = "it is Laplace noise there".to_owned();
            return Err(Error::Unsupported { mechanism: "curved kng", space: manifold.space().clone(), reason });
        }
        // half of the scale 2Δ/ε is for the normalising constant, so that the range of the loss is bounded by ε
        let epsilon = bounded_range(budget)?;
        mean.sensitivity(n)?; // refuses what has no unique mean
        let sensitivity = gradient_diameter(&*manifold, radius)? / n as f64 + 2.0 * mean.centered().rounding();
        let scale = laplace_scale(2.0 * sensitivity, epsilon)?;
        let rejection = Rejection::new(Arc::clone(&manifold), radius, scale, mean.inexactness(n)?)?;
        // where that law is too far from its proposals to be simulated, the ball's diameter is the only bound
        let distance = match rejection.distance() {
            Err(Error::DrawTooRare { .. }) => DistanceLaw::certain(2.0 * radius),
            distance => distance?,
        };
        let mut flags = mean.assumptions(mean.rounding_allowance());
        let (sampler, chain_steps) = if rejection.least_acceptance() >= LEAST_ACCEPTANCE {
            (Sampler::Rejection(rejection), None)
        } else {
            flags.push(Flag::McmcApproximate);
            let chain = Chain { manifold, radius, scale };
            let steps = chain.steps();
            (Sampler::Chain(chain), Some(steps))
        };
        let described = PlanSummary::new(
            MechanismName::Kng,
            (StatisticName::FrechetMean, mean.manifold(), mean.ball()),
            n,
            budget,
            scale,
            ReleasedSensitivity { value: sensitivity, bound: ReleasedBound::GradientDiameter },
            distance.mean(),
        );
        let summary = PlanSummary {
            distance: Some(distance),
            at_most: true,
            chain_steps,
            by_name: chain_steps.map(|_| crate::mechanism::BY_CHAIN),
            noise: vec![NoiseDraw::on(
                NoiseOf::Value,
                NoiseLaw::KNormGradient,
                mean.manifold().space(),
                scale,
                sensitivity,
            )],
            ..described.flagged(flags)
        };
        Ok(Self { mean, sampler, summary })
    }
}

impl Sealed for KNormGradient {}

impl Plan for KNormGradient {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        self.summary.begin(records, context)?;
        let center = self.mean.centered().center();
        let draw = match &self.sampler {
            Sampler::Rejection(rejection) => {
                let summary = self.mean.summarize(records)?;
                let records = summary.seen.in_memory()?.points;
                let gradient = |x: &[f64]| gradient_norm(&self.mean, records, x);
                rejection.sample(center, &summary.value, gradient, context.generator())?
            }
            // a chain needs no mean
            Sampler::Chain(chain) => {
                let seen = self.mean.clip(records)?;
                let records = seen.in_memory()?.points;
                chain.sample(
                    center,
                    |x: &[f64]| gradient_norm(&self.mean, records, x),
                    context.generator(),
                    progress,
                )?
            }
        };
        self.mean.publish(&draw, None, &self.summary, context)
    }

    /// `‖∇F(x)‖`.
    fn audit_score(&self, from: Neighbour<'_>, x: &[f64]) -> f64 {
        let reach = self.mean.ball().radius() + self.mean.manifold().dist(self.mean.ball().center(), x);
        gradient_norm_of(&**self.mean.manifold(), from.data.view(), x, reach)
    }

    /// The made-up records are scattered over the ball at random: as many as are planned for, but at most 100.
    fn rehearse(&self, progress: &(dyn Fn(usize) + Sync)) -> Result<Option<Rehearsal>> {
        let Sampler::Chain(chain) = &self.sampler else { return Ok(None) };
        let (manifold, ball) = (self.mean.manifold(), self.mean.ball());
        let mut generator = Generator::seeded(0);
        let scatter = Isotropic::laplace_within(Arc::clone(manifold), ball.radius(), ball.radius())?;
        let mut records = vec![0.0; self.summary.n.min(REHEARSED) * manifold.point_len()];
        for record in records.chunks_exact_mut(manifold.point_len()) {
            scatter.sample(ball.center(), &mut generator, record)?;
        }
        let records = Points::new(&**manifold, records)?;
        let summary = self.mean.summarize(&records)?;
        let records = summary.seen.in_memory()?.points;
        let gradient = |x: &[f64]| gradient_norm(&self.mean, records, x);
        chain.rehearse(self.mean.centered().center(), &summary.value, gradient, &mut generator, progress).map(Some)
    }

    fn rehearsal_steps(&self) -> usize {
        self.summary.chain_steps.map_or(0, |steps| 2 * chain::CHAINS * steps)
    }
}

/// `‖∇F(x)‖` of preprocessed records.
fn gradient_norm(mean: &PrivateFrechetMean, records: PointsView<'_>, x: &[f64]) -> f64 {
    gradient_norm_of(mean.centered().space(), records, x, mean.centered().longest_log())
}

/// `‖∇F(x)‖`, `x` within `reach` of the records.
fn gradient_norm_of(manifold: &dyn Manifold, points: PointsView<'_>, x: &[f64], reach: f64) -> f64 {
    // records and x are in a ball smaller than the injectivity radius; if rounding moves x out of it, its density is 0
    mean_log(manifold, x, points, reach).map_or(f64::INFINITY, |c| norm(&c))
}

#[cfg(test)]
mod tests;
