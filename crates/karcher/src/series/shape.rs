//! The periods of a series.

use crate::error::Result;
use crate::spec::field;
use serde::{Deserialize, Serialize};

/// The largest number of periods.
const MOST: usize = 4_096;

/// The periods of a series, and how often a person may contribute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesShape {
    /// The number of periods.
    pub periods: usize,
    /// The number of periods to which a person may contribute, at most.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub contributions: usize,
    /// The number of periods from one contribution of a person to the next, at least.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub every: usize,
    /// How many periods each release is about, the last ones. By default all so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<usize>,
}

fn one() -> usize {
    1
}

fn is_one(x: &usize) -> bool {
    *x == 1
}

impl SeriesShape {
    /// So many periods, with one contribution of each person, and releases about all who have joined so far.
    pub fn of(periods: usize) -> Self {
        Self { periods, contributions: 1, every: 1, window: None }
    }

    /// Refuses a shape that does not exist.
    pub(super) fn check(&self) -> Result<()> {
        let within = |name: &'static str, x: usize, most: usize, requirement: &str| match (1..=most).contains(&x) {
            true => Ok(()),
            false => Err(field(name, format!("{x}: it must be from 1 to {requirement}"))),
        };
        within("periods", self.periods, MOST, "4096")?;
        within("contributions", self.contributions, self.periods, "the number of periods")?;
        within("every", self.every, self.periods, "the number of periods")?;
        within("window", self.window.unwrap_or(1), self.periods, "the number of periods")
    }

    /// How many periods the release of a period is about.
    pub(super) fn reach(&self, period: usize) -> usize {
        period.min(self.window.unwrap_or(period))
    }
}
