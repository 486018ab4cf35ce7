//! The mean in two stages, for a wide ball. A part of the budget finds a smaller ball in it, and the rest is spent on
//! the mean in that ball (user guide, B6).
//!
//! It is the mean in a located ball (B1–B3), with the guarantee proved there. It also takes a guess of the records'
//! spread, public like the ball. With it a rehearsal finds the expected error of both stages together, and whether they
//! beat the best mechanism in the ball as it is. The guarantee does not depend on the guess.

use crate::error::{Error, Result};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{LocatedMean, Mechanism, Plan, PlanSummary, PrivateFrechetMean, PrivateLocation, Request};
use crate::records::Records;
use crate::release::{MechanismName, OpenRelease, PublishedRelease, Release};
use crate::statistics::ball::rehearsed_ball::Rehearsed;
use std::sync::Arc;

/// Reason for which two stages have to be asked for by name.
const NO_SMALLER: &str = "the ball that it finds is expected to be no smaller than the given one";

/// `two-stage`: a smaller ball, then the mean in it.
#[derive(Debug)]
pub struct TwoStage;

impl Mechanism for TwoStage {
    fn name(&self) -> MechanismName {
        MechanismName::TwoStage
    }

    fn about(&self) -> &'static str {
        "A part of the budget finds a smaller ball, the rest is spent in it: for wide balls, with an expected spread"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["expected_spread", "bound", "tolerance", "denoise"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        Ok(Box::new(TwoStageMean::new(request)?))
    }
}

/// A mean in two stages with everything decided that does not need the records.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{Plan, PrivateFrechetMean, Request, TwoStageMean}};
/// use karcher::{privacy::Guarantee, release::MechanismName};
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// let mean = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 100.0)?)?;
/// let records = Points::new(&*plane, [[7.0, 7.0], [8.0, 8.0]].concat().repeat(1_000))?;
/// let request = Request::new(mean, 2_000, Guarantee::gaussian(1.0)?);
/// let one_stage = request.plan()?;
/// let plan = TwoStageMean::new(&request.expected_spread(Some(1.0))?)?;
/// assert!(plan.expected_distance() < 0.1 * one_stage.expected_distance());
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// assert!(release.provenance().located.is_some() && release.mechanism() == MechanismName::Gaussian);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct TwoStageMean {
    mean: LocatedMean,
    summary: PlanSummary,
}

impl TwoStageMean {
    /// Plans both stages for a request with an expected spread, and rehearses them.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a spread that is not smaller than the ball's radius. [`Error::Unsupported`]
    /// without a spread, and for records that are known to lie in the ball. Otherwise as for [`LocatedMean::new`].
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request, TwoStageMean}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let request = Request::new(mean, 1_000, Guarantee::pure(1.0)?);
    /// assert!(TwoStageMean::new(&request).is_err()); // of what spread?
    /// let as_wide = TwoStageMean::new(&request.expected_spread(Some(1.0))?);
    /// assert_eq!(as_wide.unwrap_err().parameter(), Some("expected_spread"));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(request: &Request) -> Result<Self> {
        let mean: &PrivateFrechetMean = request.asked(MechanismName::TwoStage)?;
        let (ball, manifold) = (mean.ball(), mean.manifold());
        let unsupported = |reason: &str| Error::Unsupported {
            mechanism: MechanismName::TwoStage.name(),
            space: manifold.space().clone(),
            reason: reason.to_owned(),
        };
        let Some(spread) = request.asked_spread() else {
            return Err(unsupported(
                "it needs an expected spread, a public guess of the distance of records to their mean",
            ));
        };
        if mean.is_assumed_in_ball() {
            return Err(unsupported("no one can know beforehand that the records lie in a located ball"));
        }
        if spread >= ball.radius() {
            let requirement = "a smaller ball does not pay unless it is below the radius of the ball".to_owned();
            return Err(Error::InvalidParameter { name: "expected_spread", value: spread, requirement });
        }
        let location = PrivateLocation::new(Arc::clone(manifold), ball.clone())?;
        let mean = LocatedMean::new(&location, request, None)?;
        let (rehearsed, expected, in_ball): Rehearsed = mean.rehearse(spread)?;
        let (inner, whole) = (in_ball.summary(), mean.summary());
        let is_smaller = rehearsed.radius < ball.radius();
        let summary = PlanSummary {
            ball: ball.clone(),
            guarantee: request.budget(),
            mechanism: MechanismName::TwoStage,
            expected_distance: expected,
            rehearsed: Some(rehearsed),
            by_name: (!is_smaller).then_some(NO_SMALLER),
            distance: None,
            bias_bound: None,
            steps: None,
            noise: whole.noise.clone(),
            parts: whole.parts.clone(),
            numerics: whole.numerics,
            flags: whole.flags.clone(),
            ..inner.clone()
        };
        Ok(Self { mean, summary })
    }
}

impl Sealed for TwoStageMean {}

impl Plan for TwoStageMean {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        self.mean.draw(records, context, progress)
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        self.mean.again(stated, context)
    }

    fn check(&self, records: &dyn Records) -> Result<()> {
        self.mean.check(records)
    }
}
