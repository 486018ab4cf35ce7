//! Private quantiles.

use serde::{Deserialize, Serialize};

/// What the position of a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PositionKind {
    /// The number itself, on `euclidean:1`.
    Number,
    /// The angle from the center of the ball on a circle, positive counterclockwise.
    Angle,
    /// The distance to the center of the ball.
    Distance,
}

impl PositionKind {
    /// The plural in sentences.
    pub fn noun(self) -> &'static str {
        match self {
            PositionKind::Number => "numbers",
            PositionKind::Angle => "angles from the center",
            PositionKind::Distance => "distances to the center",
        }
    }
}

/// Quantiles of positions, from one noisy distribution function on a public grid (user guide, D5).
///
/// ```
/// use karcher::release::{PositionKind, ReleasedQuantiles};
/// let found: ReleasedQuantiles = serde_json::from_str(
///     r#"{"positions": "number", "position_range": [0.0, 8.0], "levels": [0.5], "quantiles": [3.0], "intervals": [[2.0, 4.0]],
///         "population_intervals": [[0.0, 6.0]], "noisy_sums": [7.0, 12.0, 21.0]}"#,
/// )?;
/// assert_eq!((found.positions, found.quantiles[0]), (PositionKind::Number, 3.0));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleasedQuantiles {
    /// What a position is.
    pub positions: PositionKind,
    /// The public range of positions; others count as its ends.
    pub position_range: [f64; 2],
    /// The levels.
    pub levels: Vec<f64>,
    /// The quantile of each level: the middle of a cell of the grid. They never fall.
    pub quantiles: Vec<f64>,
    /// For each an interval that holds the quantile of the records with a probability of at least 95 %.
    pub intervals: Vec<[f64; 2]>,
    /// The same for the quantile of a population, if the records are an independent sample of it.
    pub population_intervals: Vec<[f64; 2]>,
    /// The numbers that got noise, in records: all others follow from them.
    pub noisy_sums: Vec<f64>,
}
