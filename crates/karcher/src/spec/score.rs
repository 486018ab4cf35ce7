//! What a score says of predictions.

use crate::error::Result;
use crate::records::PredictorRange;
use crate::spec::field;
use serde::{Deserialize, Serialize};

/// Most labels of a confusion matrix, whose cells are their pairs; other scores have as many as its cells.
const MOST_LABELS: usize = 100;

/// A score of fixed predictions: the metric, with its public parameters.
///
/// ```
/// use karcher::spec::{Metric, Score};
/// let score = Score { labels: vec!["rest".into(), "left".into()], ..Score::new(Metric::Confusion) };
/// assert_eq!(score.blocks(), [4]); // a cell for each pair of an actual and a predicted label
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// The metric.
    pub metric: Metric,
    /// The public list of labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Bound at which losses are cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// Public range to which actual and predicted numbers are moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<PredictorRange>,
}

/// A metric of predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The share of right predictions.
    Accuracy,
    /// The mean over the labels of the share of right predictions.
    BalancedAccuracy,
    /// The number of records of each pair of an actual and a predicted label, with the accuracy.
    Confusion,
    /// The mean of losses that are cut off, such as geodesic distances.
    MeanLoss,
    /// The coefficient of determination, R².
    R2,
}

impl Metric {
    /// The name in sentences.
    pub fn noun(self) -> &'static str {
        match self {
            Metric::Accuracy | Metric::Confusion => "accuracy",
            Metric::BalancedAccuracy => "balanced accuracy",
            Metric::MeanLoss => "mean loss",
            Metric::R2 => "R²",
        }
    }

    fn has_labels(self) -> bool {
        match self {
            Metric::BalancedAccuracy | Metric::Confusion => true,
            Metric::Accuracy | Metric::MeanLoss | Metric::R2 => false,
        }
    }
}

impl Score {
    /// A metric without parameters.
    pub fn new(metric: Metric) -> Self {
        Self { metric, labels: vec![], bound: None, range: None }
    }

    /// The numbers of cells in each block of a record's row.
    pub fn blocks(&self) -> Vec<usize> {
        let labels = self.labels.len();
        match self.metric {
            Metric::Accuracy | Metric::MeanLoss => vec![1],
            Metric::BalancedAccuracy => vec![2 * labels],
            Metric::Confusion => vec![labels * labels],
            Metric::R2 => vec![1, 2],
        }
    }

    /// Checks that the parameters are those of the metric.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for a parameter that is missing, or of another metric, and for labels that
    /// are no list of different texts.
    pub fn check(&self) -> Result<()> {
        let refuse = |reason: &str| Err(field("score", reason.to_owned()));
        let mut labels = self.labels.clone();
        labels.sort_unstable();
        labels.dedup();
        if labels.len() != self.labels.len() {
            return refuse("has a label twice: give each once");
        }
        let most = if self.metric == Metric::Confusion { MOST_LABELS } else { MOST_LABELS * MOST_LABELS };
        if self.metric.has_labels() == labels.is_empty() && self.metric != Metric::Accuracy
            || labels.len() == 1
            || labels.len() > most
        {
            return refuse("takes two or more labels, for balanced-accuracy and confusion: give a public list of them");
        }
        match (self.metric, self.bound, &self.range) {
            (Metric::MeanLoss, Some(bound), None) if (1e-140..=1e140).contains(&bound) => Ok(()),
            (Metric::MeanLoss, _, _) => refuse("of mean-loss takes a bound, a positive number, and no range"),
            (Metric::R2, None, Some(range)) if range.high() - range.low() > 0.0 => Ok(()),
            (Metric::R2, _, _) => refuse("of r2 takes the public range of the numbers, and no bound"),
            (Metric::Accuracy | Metric::BalancedAccuracy | Metric::Confusion, None, None) => Ok(()),
            (Metric::Accuracy | Metric::BalancedAccuracy | Metric::Confusion, _, _) => {
                refuse("takes no bound and no range with this metric")
            }
        }
    }
}
