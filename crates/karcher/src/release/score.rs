//! Private scores of predictions, and private choices among candidates.

use crate::records::PredictorRange;
use crate::spec::Metric;
use serde::{Deserialize, Serialize};

/// A score of fixed predictions, from a table of noisy numbers of records (user guide, V2).
///
/// The metric says which cells the table has:
///
/// * accuracy: the number of right predictions;
/// * balanced accuracy: the right and the wrong ones of each label;
/// * confusion: each actual label with each predicted one, row by row;
/// * mean loss: the sum of the losses over their bound;
/// * R²: the sums of `e²`, `v²` and `2v(1 − v)`, with the error `e` and the place `v` in the range, in its length.
///
/// With add-remove neighbours the records in no cell follow.
///
/// ```
/// use karcher::{release::ReleasedScore, spec::Metric};
/// let score: ReleasedScore = serde_json::from_str(
///     r#"{"metric": "accuracy", "score": 0.84, "score_interval": [0.81, 0.87], "noisy_counts": [42.0], "half_width": 1.5}"#,
/// )?;
/// assert_eq!((score.metric, score.cells(50.0)), (Metric::Accuracy, vec![42.0]));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleasedScore {
    /// The metric.
    pub metric: Metric,
    /// The public list of labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Bound at which losses were cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Public range to which numbers were moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<PredictorRange>,
    /// The score.
    pub score: f64,
    /// Interval that holds the score without noise with a probability of at least 95 %.
    pub score_interval: [f64; 2],
    /// The noisy number of records in each cell.
    pub noisy_counts: Vec<f64>,
    /// A cell without noise is no farther from the noisy one, with a probability of at least 95 % for each.
    pub half_width: f64,
}

impl ReleasedScore {
    /// The cells, each moved to a number from 0 to `n`.
    pub fn cells(&self, n: f64) -> Vec<f64> {
        self.noisy_counts.iter().map(|count| count.min(n).max(0.0)).collect()
    }
}

/// One of several public candidates, chosen by a confidential utility (user guide, V2).
///
/// ```
/// use karcher::release::ReleasedSelection;
/// let chosen: ReleasedSelection =
///     serde_json::from_str(r#"{"selected": 1, "candidate": "ridge", "candidates": ["lda", "ridge"]}"#)?;
/// assert_eq!(chosen.candidates[chosen.selected], chosen.candidate);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleasedSelection {
    /// The place of the chosen candidate, from 0.
    pub selected: usize,
    /// Its name.
    pub candidate: String,
    /// All candidates.
    pub candidates: Vec<String>,
}
