//! Private scores of fixed predictions (user guide, V2): tables of numbers of records, with exact noise.

mod description;
mod interval;
pub(crate) mod plan;

pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::{Euclidean, Manifold};
use crate::mechanism::PrivateFrechetMean;
use crate::spec::Score;
use std::sync::Arc;

/// A request for a score of predictions that do not depend on the records.
///
/// A record is a row of shares, in the cells of [`Score::blocks`]: 1 in the cell that it is in, and 0 elsewhere. Rows of
/// a person are averaged.
///
/// ```
/// use karcher::{Points, ReleaseContext, mechanism::{Plan, PrivateScore, Request}, privacy::Guarantee};
/// use karcher::spec::{Metric, Score};
/// let accuracy = PrivateScore::new(Score::new(Metric::Accuracy))?;
/// let right = Points::new(&**accuracy.manifold(), [1.0, 1.0, 0.0, 1.0].repeat(100))?;
/// let plan = Request::new(accuracy, 400, Guarantee::pure(1.0)?).plan()?;
/// assert!((plan.expected_distance() - 1.0 / 400.0).abs() < 1e-9); // noise of scale 1 on the number of right ones
/// let release = plan.run(&right, &mut ReleaseContext::from_os()?)?;
/// let found = release.score().expect("it was asked for");
/// assert!((found.score - 0.75).abs() < 0.1); // farther off with probability e^{−40}
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateScore {
    score: Score,
    seen: PrivateFrechetMean,
}

impl PrivateScore {
    /// A score with its public parameters.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for parameters that do not go with the metric.
    pub fn new(score: Score) -> Result<Self> {
        score.check()?;
        let blocks = score.blocks();
        Ok(Self { seen: rows(blocks.iter().sum(), blocks.len().max(1) as f64)?, score })
    }

    /// The metric, with its public parameters.
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// The space of rows.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        self.seen.manifold()
    }

    /// A ball that holds every row.
    pub fn ball(&self) -> &Ball {
        self.seen.ball()
    }
}

/// Rows of numbers, in a ball that holds all that are no longer than a length.
pub(super) fn rows(numbers: usize, length: f64) -> Result<PrivateFrechetMean> {
    let space = Arc::new(Euclidean::new(numbers)?);
    let ball = Ball::at_origin(&*space, length)?;
    PrivateFrechetMean::new(space, ball)
}
