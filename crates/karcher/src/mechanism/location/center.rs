//! The center of a ball that nobody knows: by a median flow (user guide, B1) or by medians of coordinates (B5).

use crate::error::Result;
use crate::mechanism::location::coordinate_medians::CoordinateMedians;
use crate::mechanism::{FlowToMedian, Outline, Plan};
use crate::records::Seen;
use crate::release::{CenterBy, OpenDoor};

/// A way to a center, with everything decided before any record is seen.
#[derive(Debug, Clone)]
pub(super) enum Center {
    Flow(FlowToMedian),
    Medians(CoordinateMedians),
}

impl Center {
    /// This way, or medians of coordinates, whichever does better in a rehearsal on public numbers.
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

    /// How far from the middle of a made-up cloud of a spread the center is found.
    pub(super) fn rehearse(&self, spread: f64) -> f64 {
        match self {
            Self::Flow(flow) => flow.rehearse(spread),
            Self::Medians(medians) => medians.rehearse(spread),
        }
    }

    /// Which way it is.
    pub(super) fn by(&self) -> CenterBy {
        match self {
            Self::Flow(_) => CenterBy::MedianFlow,
            Self::Medians(_) => CenterBy::CoordinateMedians,
        }
    }

    /// What it says beforehand; the guarantee is that of the center alone.
    pub(super) fn outline(&self) -> &Outline {
        match self {
            Self::Flow(flow) => flow.outline(),
            Self::Medians(medians) => medians.outline(),
        }
    }

    /// The center, seen from that of the outer ball. **Private**: what noise makes of the records.
    pub(super) fn end(&self, seen: &Seen<'_>, door: &mut OpenDoor<'_>) -> Result<Vec<f64>> {
        match self {
            Self::Flow(flow) => flow.end(seen, door),
            Self::Medians(medians) => medians.end(seen, door),
        }
    }
}
