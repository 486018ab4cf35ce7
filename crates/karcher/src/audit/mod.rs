//! An audit: it runs mechanisms many times on neighbouring data sets, and checks that the results do not prove more
//! leakage than was promised.
//!
//! It cannot prove a guarantee, but it can refute one. It finds noise that is too small, a sensitivity read from the
//! data, a calibration for the wrong curvature (user guide, "Audit").

mod evidence;
mod neighbours;
mod profile;
mod published;
mod published_part;
mod score;
mod verification;
mod verified;

pub use evidence::lower_bound;
pub use neighbours::{Neighbours, WIDER_PAIRS, neighbours, one_less, wider_neighbours};
pub use profile::AuditedProfile;
pub use published::Published;
pub use published_part::{PublishedNumber, PublishedPart};
pub use verification::{Booking, Finding, Verification, is_compared_whole};
pub use verified::check_specified;
pub(crate) use verified::{check_records, check_verified};

use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::{Neighbour, Plan};
use crate::noise::Generator;
use crate::points::Points;
use crate::privacy::{Definition, Guarantee};
use crate::release::{Adjacency, BudgetReservation, ReleaseContext, StatisticName, stated_profile};
use crate::statistics::BallUse;
use evidence::Limits;
use profile::SortedScores;
use rayon::prelude::*;
use score::{Observation, Scores};

/// A ball of so much of the diameter has no point at the cut locus of another one.
const NEARLY_HALF: f64 = 0.499;

/// Releases made by one task.
const BATCH: usize = 1_000;

/// Results of an audit.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Audit {
    /// The promise of the mechanism.
    pub claim: Guarantee,
    /// The largest lower bound of its parameter, over all data sets and scores.
    pub lower_bound: f64,
    /// The neighbouring data sets that proved it.
    pub data: &'static str,
    /// The score that proved it: the likelihood ratio, or one that looks at the published numbers.
    pub score: &'static str,
    /// Releases from each data set.
    pub releases: usize,
    /// The probability that the lower bound is above the true parameter.
    pub error_probability: f64,
    /// The lower bound that so many releases would prove if they always distinguished two of the data sets: no audit of
    /// that effort finds more.
    pub provable: f64,
    /// Whether the audit could have refuted the promise: whether more than was promised is
    /// [`provable`](Audit::provable). An audit that is not conclusive needs more releases.
    pub conclusive: bool,
    /// Whether the lower bound is at most what was promised, in an audit that is [`conclusive`](Audit::conclusive). The
    /// [`parts`](Audit::parts) and the [`profile`](Audit::profile) must have passed too.
    pub passed: bool,
    /// The results for the whole privacy profile of the noise that a release states for its point, if it has one that
    /// is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<AuditedProfile>,
    /// The results for the parts of a release that has several, each by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<AuditedPart>,
}

/// Results of an audit for a part of a release: a point, or another number.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AuditedPart {
    /// Name of the part.
    pub part: &'static str,
    /// Its own promise, given the parts released before it.
    pub claim: Guarantee,
    /// The largest lower bound of that parameter that was proved.
    pub lower_bound: f64,
    /// The neighbouring data sets that proved it.
    pub data: &'static str,
    /// The score that proved it.
    pub score: &'static str,
    /// Whether the lower bound is at most what was promised.
    pub passed: bool,
}

impl Audit {
    /// Whether the releases prove more leakage than was promised. An audit that was not refuted has
    /// [`passed`](Audit::passed), or was not [`conclusive`](Audit::conclusive). A [`profile`](Audit::profile) that did
    /// not pass refutes what the release states of its noise.
    ///
    /// ```
    /// use karcher::{Ball, audit::{Effort, audit}, manifold::Euclidean, privacy::Guarantee, sampler::Generator};
    /// use karcher::mechanism::{PrivateFrechetMean, Request};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = Request::new(mean, 10, Guarantee::pure(5.0)?).plan()?;
    /// let effort = Effort { releases: 200, error_probability: 1e-9 }; // too few to prove that ε is more than 5
    /// let found = audit(&*plan, effort, &mut Generator::seeded(1), &|_| ())?;
    /// assert!(found.provable < 5.0);
    /// assert!(!found.conclusive && !found.passed && !found.refuted());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn refuted(&self) -> bool {
        self.conclusive && !self.passed || self.profile.as_ref().is_some_and(|profile| !profile.passed)
    }
}

/// Effort of an audit.
///
/// ```
/// use karcher::audit::{Effort, MOST_RELEASES, PAIRS};
/// let effort = Effort { releases: 10_000, error_probability: 1e-6 };
/// assert!(effort.releases <= MOST_RELEASES);
/// assert_eq!(2 * effort.releases * PAIRS, 100_000); // releases in all
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Releases from each data set, at most [`MOST_RELEASES`].
    pub releases: usize,
    /// The probability that the lower bound is wrong, from 1e-13 to below 1. All pairs of data sets and all scores
    /// share it.
    pub error_probability: f64,
}

/// Runs a plan for the mean on either of two neighbouring data sets, for each pair of [`neighbours`].
///
/// The first score ([`lower_bound`]) is the logarithm of the likelihood ratio. Karcher flows have no density in closed
/// form, so theirs is that of the normal law around the mean. The other scores look at the published numbers:
/// * how they are turned from the representative nearest to either mean and to the center;
/// * how far they are off the space and off the lattice;
/// * each of the first six, and their lowest bits;
/// * remainders of their coordinates on the lattice;
/// * how often the same numbers come again.
///
/// The companion statistics are scored too. Every part is tested against its own promise ([`Audit::parts`]), also on
/// the pairs of [`wider_neighbours`]. Where the number of records is confidential, the pairs are those of [`one_less`].
/// The private number is then scored by itself and with the point.
///
/// The noise that a release states has a privacy profile, which is tested too, with all pairs together
/// ([`Audit::profile`]).
///
/// The pairs share the error probability, and so do the scores: half of it is the likelihood ratio's. `progress`
/// receives the number of releases made since its last call.
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
    effort.check()?;
    let summary = plan.summary();
    let (manifold, ball, n) = (&*summary.manifold, &summary.ball, summary.n);
    let score = |pair: &Neighbours, k: usize, y: &[f64]| {
        plan.audit_score(Neighbour { data: &pair.data[k], mean: &pair.means[k] }, y)
    };
    // records of a mean without a ball lie anywhere: the ends of a diameter are as far apart as points can be
    let among = match summary.statistic.description().ball {
        BallUse::None => Ball::at_origin(manifold, NEARLY_HALF * manifold.diameter())?,
        BallUse::Clips | BallUse::Outer | BallUse::Searched | BallUse::ClipsGradients => ball.clone(),
    };
    let mut pairs = match summary.adjacency {
        Adjacency::ReplaceOne => neighbours(manifold, &among, n)?,
        Adjacency::AddRemove => one_less(manifold, &among, n)?,
    };
    let first = plan.run(&pairs[0].data[0], &mut ReleaseContext::seeded(0))?; // there are always some
    let has_parts = !published_part::of_release(&first).is_empty() && summary.statistic != StatisticName::ExtrinsicMean;
    if summary.adjacency == Adjacency::ReplaceOne && has_parts {
        pairs.extend(wider_neighbours(manifold, ball, n)?);
    }
    audit_releases(
        (manifold, ball),
        plan.guarantee(),
        &pairs,
        |points, context| Ok(Published::from(&plan.run(points, context)?)),
        |pair, y| score(pair, 1, y) - score(pair, 0, y),
        effort,
        generator,
        progress,
    )
}

/// The same for anything that releases a point and claims a guarantee. `release` makes one release of a data set, with
/// all that is published of it ([`Published`]). `likelihood_ratio` is an increasing function of the likelihood ratio of
/// the pair's two data sets, or any other score.
///
/// # Errors
/// [`Error::Geometry`] for a ball of another space; [`Error::InvalidParameter`] for a bad error probability, or fewer
/// than 100 or more than [`MOST_RELEASES`] releases; those of `release`.
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
///     |data, _door| Ok(vec![data.view().values().iter().sum::<f64>() / 10.0].into()), // the noise was forgotten
///     |pair, x| (x[0] - pair.means[0][0]).abs() - (x[0] - pair.means[1][0]).abs(),
///     Effort { releases: 200, error_probability: 1e-6 },
///     &mut Generator::seeded(1),
///     &|_| (),
/// )?;
/// assert!(found.refuted());
/// # Ok::<(), karcher::Error>(())
/// ```
#[allow(clippy::too_many_arguments)] // each is one thing, and there is one caller outside of tests
pub fn audit_releases(
    (manifold, ball): (&dyn Manifold, &Ball),
    claim: Guarantee,
    pairs: &[Neighbours],
    release: impl Fn(&Points, &mut ReleaseContext) -> Result<Published> + Sync,
    likelihood_ratio: impl Fn(&Neighbours, &[f64]) -> f64 + Sync,
    effort: Effort,
    generator: &mut Generator,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Audit> {
    let Effort { releases, error_probability } = effort;
    effort.check()?;
    ball.check_space(manifold)?;
    let scoring = Scores::new(manifold, ball);
    // the parts do not depend on the records: one extra release lists them
    let like = match pairs.first() {
        Some(pair) => release(&pair.data[0], &mut ReleaseContext::seeded(0))?,
        None => Published::from(vec![]),
    };
    let (size_names, label_names) = (scoring.size_names(&like.parts), scoring.label_names());
    // Every pair and every score may err. Half of the probability is for the score that is best for a correct program,
    // so that the many others cost it little power. The promises of parts, and the profile of the stated noise, have
    // equal shares
    let own = part_claims(&like);
    let profiled = profile_column(&like, &size_names);
    let share = error_probability / (1 + usize::from(!own.is_empty()) + usize::from(profiled.is_some())) as f64;
    let each_pair = share / pairs.len().max(1) as f64;
    let others = (size_names.len() + label_names.len() - 1) as f64;
    let (mut likelihood, mut other) = (Limits::new(0.5 * each_pair)?, Limits::new(0.5 * each_pair / others)?);
    let tests = own.iter().map(|part| part.columns.len()).sum::<usize>().max(1) * pairs.len().max(1);
    let mut by_part = Limits::new(share / tests as f64)?;
    let provable = likelihood.provable(claim, releases);
    let conclusive = !pairs.is_empty() && provable > parameter(claim);
    let audited = |part: &PartClaim| AuditedPart {
        part: part.name,
        claim: part.claim,
        lower_bound: 0.0,
        data: "none",
        score: "none",
        passed: true,
    };
    let mut audit = Audit {
        claim,
        lower_bound: 0.0,
        data: "none",
        score: "none",
        releases,
        error_probability,
        provable,
        conclusive,
        passed: false,
        profile: None,
        parts: own.iter().map(audited).collect(),
    };
    let mut for_profile = vec![];
    for pair in pairs {
        let observe = |points: &Points, generator: &mut Generator| -> Result<Columns> {
            let mut context = || ReleaseContext::new(BudgetReservation::untracked(), generator.split());
            let mut batches: Vec<(usize, ReleaseContext)> =
                (0..releases.div_ceil(BATCH)).map(|i| (BATCH.min(releases - i * BATCH), context())).collect();
            let batches: Vec<Result<Columns>> = batches
                .par_iter_mut()
                .map(|(size, context)| {
                    let mut columns = Columns::new(size_names.len(), label_names.len(), *size);
                    for _ in 0..*size {
                        let published = release(points, context)?;
                        progress(1);
                        columns.push(scoring.of(
                            pair,
                            likelihood_ratio(pair, &published.value),
                            &published,
                            &like.parts,
                        ));
                    }
                    Ok(columns)
                })
                .collect();
            let mut all = Columns::new(size_names.len(), label_names.len(), releases);
            for batch in batches {
                all.append(batch?);
            }
            Ok(all)
        };
        let (first, second) = (observe(&pair.data[0], generator)?, observe(&pair.data[1], generator)?);
        let mut consider = |name: &'static str, first: &[f64], second: &[f64]| -> Result<()> {
            let limits = if name == score::LIKELIHOOD { &mut likelihood } else { &mut other };
            let bound = limits.lower_bound(claim, first, second)?;
            if bound > audit.lower_bound {
                (audit.lower_bound, audit.data, audit.score) = (bound, pair.name, name);
            }
            Ok(())
        };
        for ((name, first), second) in size_names.iter().zip(&first.sizes).zip(&second.sizes) {
            consider(name, first, second)?;
        }
        for ((name, first), second) in label_names.iter().zip(&first.labels).zip(&second.labels) {
            let [first, second] = evidence::familiarity(first, second);
            consider(name, &first, &second)?;
        }
        if let Some(column) = profiled {
            for_profile.push(SortedScores::new(pair.name, [&first.sizes[column], &second.sizes[column]]));
        }
        for (part, found) in own.iter().zip(&mut audit.parts) {
            for column in &part.columns {
                let bound = by_part.lower_bound(part.claim, &first.sizes[*column], &second.sizes[*column])?;
                if bound > found.lower_bound {
                    (found.lower_bound, found.data, found.score) = (bound, pair.name, size_names[*column]);
                    found.passed = bound <= parameter(part.claim);
                }
            }
        }
    }
    if let Some(column) = profiled {
        audit.profile = profile::audit(&like.noise, size_names[column], &for_profile, share);
    }
    let kept = audit.parts.iter().all(|part| part.passed) && audit.profile.iter().all(|profile| profile.passed);
    audit.passed = conclusive && audit.lower_bound <= parameter(claim) && kept;
    Ok(audit)
}

/// The score that tests the profile of the stated noise: the likelihood ratio of the point, or the score of the part
/// that is published with it or instead of it. `None` without a profile that is known.
fn profile_column(like: &Published, size_names: &[&str]) -> Option<usize> {
    stated_profile(&like.noise)?;
    // a spread has a mean square too, but its point has the noise
    let own = |part: &&PublishedPart| match part.number {
        PublishedNumber::Count { .. } | PublishedNumber::Moments { .. } => true,
        PublishedNumber::MeanSquare { .. } => like.guarantee.is_none(),
        _ => false,
    };
    let name = like.parts.iter().find(own).map_or(score::LIKELIHOOD, |part| part.score_names()[0]);
    size_names.iter().position(|other| *other == name)
}

/// The own promise of a part of a release, and the scores that are tested against it.
struct PartClaim {
    name: &'static str,
    claim: Guarantee,
    columns: Vec<usize>,
}

/// The promises of the parts of a release. For the point the likelihood ratio counts; the scores of other parts come
/// after all others.
fn part_claims(like: &Published) -> Vec<PartClaim> {
    let point = like.guarantee.map(|claim| PartClaim { name: "point", claim, columns: vec![0] });
    let mut claims: Vec<PartClaim> = point.into_iter().collect();
    let mut start = score::sizes_of_points(like.value.len());
    for part in &like.parts {
        let columns = (start..start + part.own()).collect();
        claims.push(PartClaim { name: part.name(), claim: part.guarantee, columns });
        start += part.score_names().len();
    }
    claims
}

/// The observations of many releases, a vector for each score.
struct Columns {
    sizes: Vec<Vec<f64>>,
    labels: Vec<Vec<u32>>,
}

impl Columns {
    fn new(sizes: usize, labels: usize, releases: usize) -> Self {
        Self {
            sizes: (0..sizes).map(|_| Vec::with_capacity(releases)).collect(),
            labels: (0..labels).map(|_| Vec::with_capacity(releases)).collect(),
        }
    }

    fn push(&mut self, seen: Observation) {
        self.sizes.iter_mut().zip(seen.sizes).for_each(|(column, x)| column.push(x));
        self.labels.iter_mut().zip(seen.labels).for_each(|(column, x)| column.push(x));
    }

    fn append(&mut self, more: Self) {
        self.sizes.iter_mut().zip(more.sizes).for_each(|(column, more)| column.extend(more));
        self.labels.iter_mut().zip(more.labels).for_each(|(column, more)| column.extend(more));
    }
}

impl Effort {
    fn check(self) -> Result<()> {
        let invalid = |name, value, requirement: String| Err(Error::InvalidParameter { name, value, requirement });
        if !(1e-13..1.0).contains(&self.error_probability) {
            let requirement = "it must be at least 1e-13 and below 1".to_owned();
            return invalid("error_probability", self.error_probability, requirement);
        }
        if !(100..=MOST_RELEASES).contains(&self.releases) {
            let requirement = format!("an audit needs at least 100 from each data set, and at most {MOST_RELEASES}");
            return invalid("number_of_releases", self.releases as f64, requirement);
        }
        Ok(())
    }
}

/// The largest number of releases from each data set: their scores are kept in memory, up to 400 bytes for each.
pub const MOST_RELEASES: usize = 4_000_000;

/// The number of pairs of data sets. Each pair takes `2·releases` releases. There are [`WIDER_PAIRS`] more if a release
/// has parts in addition to its point.
pub const PAIRS: usize = 5;

/// The parameter of a guarantee that [`lower_bound`] bounds.
fn parameter(guarantee: Guarantee) -> f64 {
    match guarantee.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => epsilon,
        Definition::Gaussian { mu } => mu,
        Definition::Concentrated { rho } => rho,
    }
}
