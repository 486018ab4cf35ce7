//! Which mechanism to take: all that apply, compared before any budget is spent.

use super::{KNormGradient, KarcherFlow, Noise, PrivateFrechetMean, gaussian, laplace_for};
use crate::error::Result;
use crate::manifold::Manifold;
use crate::points::PointsView;
use crate::privacy::{GaussianCalibration, Guarantee};
use crate::release::Release;
use crate::sampler::{DistanceLaw, Generator};

/// A mechanism for the private mean with everything decided that can be decided without the records.
#[derive(Debug, Clone)]
pub enum Prepared<'a> {
    /// Noise on the mean.
    Noise(Noise<'a>),
    /// The K-norm gradient mechanism.
    KNormGradient(KNormGradient<'a>),
    /// Noisy steps towards the mean.
    KarcherFlow(KarcherFlow<'a>),
}

impl Prepared<'_> {
    /// The mechanism's name.
    pub fn name(&self) -> &'static str {
        match self {
            Prepared::Noise(noise) => noise.mechanism(),
            Prepared::KNormGradient(_) => "kng",
            Prepared::KarcherFlow(_) => "karcher-flow",
        }
    }

    /// What it guarantees.
    pub fn guarantee(&self) -> Guarantee {
        match self {
            Prepared::Noise(noise) => noise.guarantee(),
            Prepared::KNormGradient(kng) => kng.guarantee(),
            Prepared::KarcherFlow(flow) => flow.guarantee(),
        }
    }

    /// The law of the distance between the private value and the mean of the clipped records, but for the bias.
    pub fn distance(&self) -> &DistanceLaw {
        match self {
            Prepared::Noise(noise) => noise.distance(),
            Prepared::KNormGradient(kng) => kng.distance(),
            Prepared::KarcherFlow(flow) => flow.distance(),
        }
    }

    /// The bound of the bias: 0 but for the Karcher flow.
    pub fn bias_bound(&self) -> f64 {
        match self {
            Prepared::Noise(_) | Prepared::KNormGradient(_) => 0.0,
            Prepared::KarcherFlow(flow) => flow.bias_bound(),
        }
    }

    /// Steps of the Markov chain that stands in for an exact draw, `None` where the draw is exact. Such a release is
    /// private only approximately.
    pub fn chain_steps(&self) -> Option<usize> {
        match self {
            Prepared::KNormGradient(kng) => kng.chain_steps(),
            _ => None,
        }
    }

    /// Expected distance plus the bound of the bias: what mechanisms are compared by.
    pub fn error_bound(&self) -> f64 {
        match self {
            Prepared::Noise(_) | Prepared::KNormGradient(_) => self.distance().mean(),
            Prepared::KarcherFlow(flow) => flow.error_bound(),
        }
    }

    /// Releases the mean of the records.
    ///
    /// # Errors
    /// As for [`PrivateFrechetMean::summarize`] and [`Summary::release`](super::Summary::release), or
    /// [`KarcherFlow::release`].
    pub fn release<'p>(
        &self,
        mean: &PrivateFrechetMean<'_>,
        points: impl Into<PointsView<'p>>,
        generator: &mut Generator,
    ) -> Result<Release> {
        match self {
            Prepared::Noise(noise) => mean.summarize(points)?.release(noise, generator),
            Prepared::KNormGradient(kng) => kng.release(points, generator),
            Prepared::KarcherFlow(flow) => flow.release(points, generator),
        }
    }
}

/// A mechanism that was considered.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    /// Its name.
    pub name: &'static str,
    /// The mechanism, or why it does not apply.
    pub mechanism: Result<Prepared<'a>>,
    /// Why it has to be asked for by name although it applies.
    pub by_name: Option<&'static str>,
}

/// A draw that is not exact.
const CHAIN: &str = "it draws by a Markov chain, so that the guarantee is approximate";

/// Where the mean need not be unique, or cannot be computed.
const NO_TARGET: &str = "for so large a ball nothing is known of where the flow ends";

/// Every mechanism for the private mean of `n` records within a budget, or why it does not apply.
///
/// Laplace noise keeps any budget ([`laplace_for`]).
pub fn candidates<'a>(
    manifold: &'a dyn Manifold,
    mean: &PrivateFrechetMean<'a>,
    n: usize,
    budget: Guarantee,
) -> Vec<Candidate<'a>> {
    let sensitivity = mean.sensitivity(n).map(|s| s.value());
    let laplace = sensitivity.clone().and_then(|sensitivity| laplace_for(manifold, sensitivity, budget));
    let gaussian = sensitivity.clone().and_then(|s| gaussian(manifold, s, budget, GaussianCalibration::Analytic));
    let kng = KNormGradient::new(mean, n, budget);
    let chain = kng.as_ref().is_ok_and(|kng| kng.chain_steps().is_some());
    let flow = KarcherFlow::new(manifold, mean.ball().clone(), n, budget);
    let candidate = |name, mechanism, by_name| Candidate { name, mechanism, by_name };
    vec![
        candidate("laplace", laplace.map(Prepared::Noise), None),
        candidate("gaussian", gaussian.map(Prepared::Noise), None),
        candidate("kng", kng.map(Prepared::KNormGradient), chain.then_some(CHAIN)),
        candidate("karcher-flow", flow.map(Prepared::KarcherFlow), sensitivity.is_err().then_some(NO_TARGET)),
    ]
}

/// Error bounds that differ by less than this are rounding errors apart.
const TIE: f64 = 1e-6;

/// The place of the candidate with the smallest error bound, the first of equals, among those that need not be asked
/// for by name.
pub fn best(candidates: &[Candidate<'_>]) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (i, candidate) in candidates.iter().enumerate() {
        if let Ok(prepared) = &candidate.mechanism
            && candidate.by_name.is_none()
            && best.is_none_or(|(_, least)| prepared.error_bound() < least * (1.0 - TIE))
        {
            best = Some((i, prepared.error_bound()));
        }
    }
    best.map(|(i, _)| i)
}

/// The [`best`] of the [`candidates`].
///
/// # Errors
/// When there is none: why the first candidate does not apply.
pub fn auto<'a>(
    manifold: &'a dyn Manifold,
    mean: &PrivateFrechetMean<'a>,
    n: usize,
    budget: Guarantee,
) -> Result<Prepared<'a>> {
    let mut all = candidates(manifold, mean, n, budget);
    let chosen = best(&all).unwrap_or(0); // Laplace noise, which is exact if it exists
    all.swap_remove(chosen).mechanism
}
