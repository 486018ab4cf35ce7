//! An audit: mechanisms are run many times on neighbouring data sets, and what comes out must not prove more leakage
//! than was promised.
//!
//! It cannot prove a guarantee, but it can refute one: noise that is too small, a sensitivity read from the data, a
//! calibration for the wrong curvature all show (user guide, "Audit").

mod evidence;
mod neighbours;
mod score;

pub use evidence::lower_bound;
pub use neighbours::{Neighbours, neighbours};

use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::{Neighbour, Plan};
use crate::points::Points;
use crate::privacy::{Definition, Guarantee};
use crate::release::{Door, Permit};
use crate::sampler::Generator;
use rayon::prelude::*;

/// Releases made by one task.
const BATCH: usize = 1_000;

/// What an audit found.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Audit {
    /// What the mechanism promises.
    pub claim: Guarantee,
    /// The largest lower bound of its parameter that any of the data sets and scores proved.
    pub lower_bound: f64,
    /// The neighbouring data sets that proved it.
    pub data: &'static str,
    /// The score that proved it: the likelihood ratio, or one that looks at the published numbers.
    pub score: &'static str,
    /// Releases from each data set.
    pub releases: usize,
    /// The probability that the lower bound is above the true parameter.
    pub error_probability: f64,
    /// Whether the lower bound is at most what was promised.
    pub passed: bool,
}

/// How an audit is made.
///
/// ```
/// use karcher::audit::{Effort, MOST_RELEASES, PAIRS};
/// let effort = Effort { releases: 10_000, error_probability: 1e-6 };
/// assert!(effort.releases <= MOST_RELEASES);
/// assert_eq!(2 * effort.releases * PAIRS, 80_000); // releases in all
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Releases from each data set, at most [`MOST_RELEASES`].
    pub releases: usize,
    /// The probability that the lower bound is wrong, from 1e-14 to below 1. All pairs of data sets and all scores
    /// share it.
    pub error_probability: f64,
}

/// Runs a plan for the mean on either of two neighbouring data sets, for each pair of [`neighbours`].
///
/// The first score ([`lower_bound`]) is the logarithm of the likelihood ratio, or for Karcher flows, whose density has
/// no closed form, of the normal law around the mean. The others look at the numbers that are published: how they are
/// turned from the representative nearest to either mean and to the center, how far they are off the space, their
/// lowest bit, each of the first six. The pairs and scores share the error probability. `progress` is told how many
/// more releases were made.
///
/// # Errors
/// As for [`audit_releases`] and [`neighbours`].
///
/// ```
/// use karcher::{Ball, audit::{Effort, audit}, manifold::Euclidean, privacy::Guarantee, sampler::Generator};
/// use karcher::mechanism::{PrivateFrechetMean, Request};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let request = Request::new(mean, 10, Guarantee::pure(1.0)?);
/// let effort = Effort { releases: 200, error_probability: 1e-9 };
/// let found = audit(&*request.plan()?, effort, &mut Generator::seeded(1), &|_| ())?;
/// assert!(found.passed && found.lower_bound <= 1.0);
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn audit(
    plan: &dyn Plan,
    effort: Effort,
    generator: &mut Generator,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Audit> {
    let outline = plan.outline();
    let (manifold, ball) = (&*outline.manifold, &outline.ball);
    let pairs = neighbours(manifold, ball, outline.n)?;
    audit_releases(
        (manifold, ball),
        plan.guarantee(),
        &pairs,
        |points, door| Ok(plan.run(points, door)?.value().to_vec()),
        |pair, y| {
            let fall = |k: usize| plan.fall(Neighbour { data: &pair.data[k], mean: &pair.means[k] }, y);
            fall(1) - fall(0)
        },
        effort,
        generator,
        progress,
    )
}

/// The same for anything that releases a point and claims a guarantee: `release` makes one release of a data set,
/// `likelihood_ratio` is an increasing function of the likelihood ratio of the pair's two data sets, or any other
/// score.
///
/// # Errors
/// [`Error::SpaceMismatch`] for a ball of another space; [`Error::InvalidParameter`] for a bad error probability, or
/// fewer than 100 or more than [`MOST_RELEASES`] releases; those of `release`.
///
/// ```
/// use karcher::{Ball, audit::{Effort, audit_releases, neighbours}, manifold::Euclidean, privacy::Guarantee};
/// use karcher::sampler::Generator;
/// let line = Euclidean::new(1)?;
/// let ball = Ball::at_origin(&line, 1.0)?;
/// let found = audit_releases(
///     (&line, &ball),
///     Guarantee::pure(1.0)?,
///     &neighbours(&line, &ball, 10)?,
///     |data, _door| Ok(vec![data.view().values().iter().sum::<f64>() / 10.0]), // the noise was forgotten
///     |pair, x| (x[0] - pair.means[0][0]).abs() - (x[0] - pair.means[1][0]).abs(),
///     Effort { releases: 200, error_probability: 1e-6 },
///     &mut Generator::seeded(1),
///     &|_| (),
/// )?;
/// assert!(!found.passed);
/// # Ok::<(), karcher::Error>(())
/// ```
#[allow(clippy::too_many_arguments)] // each is one thing, and there is one caller outside of tests
pub fn audit_releases(
    (manifold, ball): (&dyn Manifold, &Ball),
    claim: Guarantee,
    pairs: &[Neighbours],
    release: impl Fn(&Points, &mut Door) -> Result<Vec<f64>> + Sync,
    likelihood_ratio: impl Fn(&Neighbours, &[f64]) -> f64 + Sync,
    effort: Effort,
    generator: &mut Generator,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Audit> {
    let Effort { releases, error_probability } = effort;
    effort.check()?;
    ball.check_space(manifold)?;
    let names = score::names(manifold.point_len());
    let mut audit =
        Audit { claim, lower_bound: 0.0, data: "none", score: "none", releases, error_probability, passed: true };
    for pair in pairs {
        // one vector a score
        let scores = |points: &Points, generator: &mut Generator| -> Result<Vec<Vec<f64>>> {
            let mut door = || Door::new(Permit::untracked(), generator.split());
            let mut batches: Vec<(usize, Door)> =
                (0..releases.div_ceil(BATCH)).map(|i| (BATCH.min(releases - i * BATCH), door())).collect();
            let batches: Vec<Result<Vec<Vec<f64>>>> = batches
                .par_iter_mut()
                .map(|(size, door)| {
                    (0..*size)
                        .map(|_| {
                            let y = release(points, door)?;
                            progress(1);
                            let mut scores = vec![likelihood_ratio(pair, &y)];
                            scores.extend(score::of_numbers(manifold, ball.center(), pair, &y));
                            Ok(scores)
                        })
                        .collect()
                })
                .collect();
            let all = batches.into_iter().collect::<Result<Vec<_>>>()?.concat();
            Ok((0..names.len()).map(|i| all.iter().map(|scores| scores[i]).collect()).collect())
        };
        let (first, second) = (scores(&pair.data[0], generator)?, scores(&pair.data[1], generator)?);
        for ((name, first), second) in names.iter().zip(&first).zip(&second) {
            let shared = error_probability / (pairs.len() * names.len()) as f64;
            let bound = lower_bound(claim, first, second, shared)?;
            if bound > audit.lower_bound {
                (audit.lower_bound, audit.data, audit.score) = (bound, pair.name, name);
            }
        }
    }
    audit.passed = audit.lower_bound <= parameter(claim);
    Ok(audit)
}

impl Effort {
    fn check(self) -> Result<()> {
        let invalid = |name, value, requirement: String| Err(Error::InvalidParameter { name, value, requirement });
        if !(1e-14..1.0).contains(&self.error_probability) {
            let requirement = "it must be at least 1e-14 and below 1".to_owned();
            return invalid("error_probability", self.error_probability, requirement);
        }
        if !(100..=MOST_RELEASES).contains(&self.releases) {
            let requirement = format!("an audit needs at least 100 from each data set, and at most {MOST_RELEASES}");
            return invalid("number_of_releases", self.releases as f64, requirement);
        }
        Ok(())
    }
}

/// The largest number of releases from each data set: their scores are kept in memory.
pub const MOST_RELEASES: usize = 4_000_000;

/// The number of pairs of data sets, each of which takes `2·releases` releases.
pub const PAIRS: usize = 4;

/// The parameter of a guarantee that [`lower_bound`] bounds.
fn parameter(guarantee: Guarantee) -> f64 {
    match guarantee.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => epsilon,
        Definition::Gaussian { mu } => mu,
        Definition::Concentrated { rho } => rho,
    }
}
