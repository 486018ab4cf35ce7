//! What quantiles are asked for.

use crate::error::Result;
use crate::spec::field;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Most levels of one release.
const MOST: usize = 100;

/// Numbers of cells.
const CELLS: RangeInclusive<usize> = 2..=4_096;

/// The levels of quantiles, and the public grid on which they are.
///
/// ```
/// use karcher::spec::Quantiles;
/// let quartiles = Quantiles::default();
/// assert_eq!((&quartiles.levels[..], quartiles.cells()), (&[0.25, 0.5, 0.75][..], 1_024));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantiles {
    /// The levels, strictly between 0 and 1, in rising order.
    #[serde(default = "quartiles")]
    pub levels: Vec<f64>,
    /// The number of cells of the grid, a power of two; 1,024 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<usize>,
    /// Whether distances from the center are measured on a line and a circle, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub distances: bool,
}

fn quartiles() -> Vec<f64> {
    vec![0.25, 0.5, 0.75]
}

impl Default for Quantiles {
    fn default() -> Self {
        Self { levels: quartiles(), cells: None, distances: false }
    }
}

impl Quantiles {
    /// The number of cells of the grid.
    pub fn cells(&self) -> usize {
        self.cells.unwrap_or(1_024)
    }

    /// Checks levels and grid.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field), which names the field.
    pub fn check(&self) -> Result<()> {
        let is_rising = self.levels.windows(2).all(|pair| pair[0] < pair[1]);
        let is_inside = self.levels.iter().all(|level| *level > 0.0 && *level < 1.0);
        if !(is_rising && is_inside && (1..=MOST).contains(&self.levels.len())) {
            let words = format!("must be 1 to {MOST} numbers strictly between 0 and 1, each above the one before");
            return Err(field("levels", words));
        }
        if !CELLS.contains(&self.cells()) || !self.cells().is_power_of_two() {
            return Err(field("cells", format!("must be a power of two from {} to {}", CELLS.start(), CELLS.end())));
        }
        Ok(())
    }
}
