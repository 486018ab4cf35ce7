//! The private center of a ball: by a median flow (user guide, B1) or by medians of coordinates (B5).

use crate::error::Result;
use crate::mechanism::{FlowToMedian, Plan, PlanSummary};
use crate::records::PreparedRecords;
use crate::release::{CenterMethod, OpenRelease};
use crate::statistics::ball::coordinate_medians::CoordinateMedians;

/// A way to find a center, with everything decided before any record is read.
#[derive(Debug, Clone)]
pub(super) enum Center {
    Flow(FlowToMedian),
    Medians(CoordinateMedians),
}

impl Center {
    /// The better of this way and medians of coordinates, in a simulation with public numbers.
    pub(super) fn or(self, medians: Option<CoordinateMedians>) -> Self {
        match medians {
            Some(medians) if medians.figure() < self.figure() => Self::Medians(medians),
            _ => self,
        }
    }

    fn figure(&self) -> f64 {
        match self {
            Self::Flow(flow) => flow.figure(),
            Self::Medians(medians) => medians.figure(),
        }
    }

    /// Expected distance between the found center and the middle of a made-up cloud of a spread.
    pub(super) fn rehearse(&self, spread: f64) -> f64 {
        match self {
            Self::Flow(flow) => flow.rehearse(spread),
            Self::Medians(medians) => medians.rehearse(spread),
        }
    }

    /// The way to find it.
    pub(super) fn by(&self) -> CenterMethod {
        match self {
            Self::Flow(_) => CenterMethod::MedianFlow,
            Self::Medians(_) => CenterMethod::CoordinateMedians,
        }
    }

    /// Its summary; the guarantee is that of the center alone.
    pub(super) fn summary(&self) -> &PlanSummary {
        match self {
            Self::Flow(flow) => flow.summary(),
            Self::Medians(medians) => medians.summary(),
        }
    }

    /// The center relative to that of the outer ball, computed from the records with noise. **Private.**
    pub(super) fn end(&self, seen: &PreparedRecords<'_>, context: &mut OpenRelease<'_>) -> Result<Vec<f64>> {
        match self {
            Self::Flow(flow) => flow.end(seen, context),
            Self::Medians(medians) => medians.end(seen, context),
        }
    }
}
