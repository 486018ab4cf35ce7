//! A statistic that is released together with a mean.

use crate::error::Result;
use crate::mechanism::{ErrorForecast, Plan, PlanSummary};
use crate::records::{Centered, ExactSum, PreparedRecords, Summand};
use crate::release::{NoiseDraw, OpenRelease, PrivateCount, PrivatePoint, Release};
use std::fmt::Debug;

/// A companion statistic of a release, planned before any record is read.
pub(crate) trait Companion: Debug + Send + Sync {
    /// About how long its noise is expected to be, in its own units: the criterion by which two budget splits are
    /// compared.
    fn expected_noise(&self) -> f64;

    /// Adds it to the release of a mean, with fresh noise.
    fn to(
        &self,
        release: Release,
        of_mean: &dyn Plan,
        summary: &PlanSummary,
        seen: &CenteredRecords<'_>,
        context: &mut OpenRelease<'_>,
    ) -> Result<Release>;

    /// Adds what follows from the noisy numbers that a release states.
    fn again(&self, stated: &PrivatePoint, mean: ReleasedMean<'_>, release: Release) -> Result<Release>;

    /// The noise that it draws, for `n` records.
    fn noise(&self, n: usize) -> Vec<NoiseDraw>;

    /// The forecast of its errors for `n` records.
    fn forecasts(&self, n: usize) -> ErrorForecast;
}

/// A mean that was released, with what is public of it.
#[derive(Clone, Copy)]
pub(crate) struct ReleasedMean<'a> {
    /// The point.
    pub(crate) value: &'a [f64],
    /// The private number of records.
    pub(crate) count: Option<&'a PrivateCount>,
    /// The plan of the mean alone.
    pub(crate) plan: &'a dyn Plan,
    /// The summary of the mean with its companions.
    pub(crate) whole: &'a PlanSummary,
}

/// The records as they are, not clipped, as logarithms at the center of the ball.
pub(crate) struct CenteredRecords<'a> {
    pub(super) seen: PreparedRecords<'a>,
    pub(super) centered: &'a Centered,
}

impl CenteredRecords<'_> {
    /// The sum of a summand.
    pub(crate) fn sum(&self, term: &Summand) -> Result<ExactSum> {
        self.seen.sum(self.centered.space(), term)
    }

    /// The position of a released point relative to the center.
    pub(crate) fn place(&self, value: &[f64]) -> Vec<f64> {
        self.centered.place(value)
    }

    /// The center of the ball.
    pub(crate) fn center(&self) -> Vec<f64> {
        self.centered.center().to_vec()
    }

    /// The centered records.
    pub(crate) fn centered(&self) -> &Centered {
        self.centered
    }
}
