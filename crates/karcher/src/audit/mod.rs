//! An audit: mechanisms are run many times on neighbouring data sets, and what comes out must not prove more leakage than was promised.
//!
//! It cannot prove a guarantee, but it can refute one: noise that is too small, a sensitivity read from the data, a calibration for
//! the wrong curvature all show (user guide, "Audit").

mod evidence;
mod neighbours;

pub use evidence::lower_bound;
pub use neighbours::{Neighbours, neighbours};

use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::{Prepared, PrivateFrechetMean};
use crate::points::Points;
use crate::privacy::{Definition, Guarantee};
use crate::sampler::Generator;
use rayon::prelude::*;

/// Releases made by one task.
const BATCH: usize = 1_000;

/// What an audit found.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Audit {
    /// What the mechanism promises.
    pub claim: Guarantee,
    /// The largest lower bound of its parameter that any of the data sets proved.
    pub lower_bound: f64,
    /// The neighbouring data sets that proved it.
    pub data: &'static str,
    /// Releases from each data set.
    pub releases: usize,
    /// The probability that the lower bound is above the true parameter.
    pub error_probability: f64,
    /// Whether the lower bound is at most what was promised.
    pub passed: bool,
}

/// Runs a mechanism for the mean `releases` times on either of two neighbouring data sets, for each pair of [`neighbours`].
///
/// The score ([`lower_bound`]) is the logarithm of the likelihood ratio, or for Karcher flows, whose density has no closed form, of the normal law around the mean. The pairs share the
/// error probability. `progress` is told how many more releases were made.
///
/// # Errors
/// As for [`Prepared::release`], [`neighbours`] and [`lower_bound`].
pub fn audit(
    prepared: &Prepared<'_>,
    mean: &PrivateFrechetMean<'_>,
    n: usize,
    releases: usize,
    error_probability: f64,
    generator: &mut Generator,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Audit> {
    if !(1e-15..1.0).contains(&error_probability) {
        let requirement = "it must be at least 1e-15 and below 1".to_owned();
        return Err(Error::InvalidParameter { name: "error probability", value: error_probability, requirement });
    }
    let manifold = mean.manifold();
    let claim = prepared.guarantee();
    let pairs = neighbours(manifold, mean.ball(), n)?;
    let mut audit = Audit { claim, lower_bound: 0.0, data: pairs[0].name, releases, error_probability, passed: true };
    for pair in &pairs {
        let scores = |points: &Points, generator: &mut Generator| {
            let mut batches: Vec<(usize, Generator)> =
                (0..releases.div_ceil(BATCH)).map(|i| (BATCH.min(releases - i * BATCH), generator.split())).collect();
            let scores: Vec<Result<Vec<f64>>> = batches
                .par_iter_mut()
                .map(|(size, generator)| {
                    (0..*size)
                        .map(|_| {
                            let release = prepared.release(mean, points, generator)?;
                            progress(1);
                            Ok(score(prepared, manifold, pair, release.value()))
                        })
                        .collect()
                })
                .collect();
            Ok(scores.into_iter().collect::<Result<Vec<_>>>()?.concat())
        };
        let (first, second) = (scores(&pair.data[0], generator)?, scores(&pair.data[1], generator)?);
        let bound = lower_bound(claim, &first, &second, error_probability / pairs.len() as f64)?;
        if bound > audit.lower_bound {
            (audit.lower_bound, audit.data) = (bound, pair.name);
        }
    }
    audit.passed = audit.lower_bound <= parameter(claim);
    Ok(audit)
}

/// The number of pairs of data sets, each of which takes `2·releases` releases.
pub const PAIRS: usize = 3;

/// The parameter of a guarantee that [`lower_bound`] bounds.
fn parameter(guarantee: Guarantee) -> f64 {
    match guarantee.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => epsilon,
        Definition::Gaussian { mu } => mu,
        Definition::Concentrated { rho } => rho,
    }
}

/// An increasing function of the likelihood ratio of `x`.
fn score(prepared: &Prepared<'_>, manifold: &dyn Manifold, pair: &Neighbours, x: &[f64]) -> f64 {
    let fall = |k: usize| match prepared {
        Prepared::Noise(noise) if noise.mechanism() == "laplace" => manifold.dist(&pair.means[k], x),
        Prepared::Noise(_) | Prepared::KarcherFlow(_) => manifold.dist(&pair.means[k], x).powi(2),
        Prepared::KNormGradient(_) => gradient(manifold, &pair.data[k], x),
    };
    fall(1) - fall(0)
}

/// `‖∇F(x)‖` for made-up records.
fn gradient(manifold: &dyn Manifold, points: &Points, x: &[f64]) -> f64 {
    crate::statistic::mean_log(manifold, x, points.view(), None).map_or(f64::INFINITY, |v| manifold.norm(x, &v))
}
