//! Records of persons who have several, each as it is.

use super::{ExactSum, PreparedRecords, Preprocessing, PrivacyUnit, Records, SumQuery};
use crate::Space;
use crate::error::{Error, Result};
use crate::points::{Points, PointsView};
use std::fmt;

/// Records in the order of their persons. Each person has at least one. A [gradient](super::Gradient) of a user's loss
/// is averaged over the records of a person, clipped first, so that the guarantee protects persons. Only
/// [`Persons`](crate::nonprivate::Persons) makes them. **Confidential**; printed with `{:?}` they show their space and
/// the number of persons only.
#[derive(Clone)]
pub struct Grouped {
    points: Points,
    /// The end of each person's records.
    ends: Vec<usize>,
}

impl Grouped {
    pub(crate) fn new(points: Points, ends: Vec<usize>) -> Self {
        Self { points, ends }
    }

    /// The records.
    pub(super) fn points(&self) -> PointsView<'_> {
        self.points.view()
    }

    /// The end of each person's records.
    pub(super) fn ends(&self) -> &[usize] {
        &self.ends
    }
}

impl fmt::Debug for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "records of {} persons on {}", self.ends.len(), self.points.view().space())
    }
}

impl Records for Grouped {
    fn space(&self) -> &Space {
        self.points.view().space()
    }

    fn count(&self) -> usize {
        self.ends.len()
    }

    fn unit(&self) -> PrivacyUnit {
        PrivacyUnit::Person
    }

    fn has_predictors(&self) -> Option<bool> {
        Some(false)
    }

    fn seen(&self, _: Preprocessing) -> Result<PreparedRecords<'_>> {
        Err(kept_apart())
    }

    fn answer(&self, query: &SumQuery) -> Result<ExactSum> {
        query.answer_of_persons(self)
    }
}

/// The records of a person are one contribution to every other statistic.
pub(super) fn kept_apart() -> Error {
    let reason = "records that are kept apart by persons are for a gradient: take the contributions of the persons";
    Error::NotPermitted { reason: reason.to_owned() }
}
