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
    /// The name in specifications.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Accuracy => "accuracy",
            Metric::BalancedAccuracy => "balanced-accuracy",
            Metric::Confusion => "confusion",
            Metric::MeanLoss => "mean-loss",
            Metric::R2 => "r2",
        }
    }

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

    /// The row of a record, by its actual and its predicted number. Where there are labels these are the places of its
    /// labels in the list; any other number is that of no label. Whatever the numbers are, the row is one of a record: a
    /// prediction that is none is wrong.
    ///
    /// ```
    /// use karcher::spec::{Metric, Score};
    /// let score = Score { labels: vec!["rest".into(), "left".into()], ..Score::new(Metric::Confusion) };
    /// assert_eq!(score.row_of(1.0, 0.0), [0.0, 0.0, 1.0, 0.0]); // left, predicted as rest
    /// assert_eq!(score.row_of(1.0, 2.0), [0.0; 4]); // another label
    /// ```
    pub fn row_of(&self, actual: f64, predicted: f64) -> Vec<f64> {
        let labels = self.labels.len();
        let place = |number: f64| (0..labels).find(|place| *place as f64 == number);
        let (own, other) = (place(actual), place(predicted));
        let mut row = vec![0.0; self.blocks().iter().sum()];
        match self.metric {
            Metric::Accuracy => row[0] = f64::from(u8::from(own.is_some() && own == other)),
            Metric::BalancedAccuracy => {
                if let Some(own) = own {
                    row[2 * own + usize::from(other != Some(own))] = 1.0;
                }
            }
            Metric::Confusion => {
                if let (Some(own), Some(other)) = (own, other) {
                    row[labels * own + other] = 1.0;
                }
            }
            Metric::MeanLoss => {
                let loss = (predicted - actual).abs() / self.bound.unwrap_or(f64::INFINITY);
                row[0] = if (0.0..1.0).contains(&loss) { loss } else { 1.0 };
            }
            Metric::R2 => {
                let (low, high) = self.range.map_or((0.0, 1.0), |range| (range.low(), range.high()));
                let within = |number: f64| ((number - low) / (high - low)).clamp(0.0, 1.0);
                let (actual, predicted) = (within(actual), within(predicted));
                let (error, v) = ((predicted - actual).powi(2), if actual.is_nan() { 0.5 } else { actual });
                row = vec![if error.is_nan() { 1.0 } else { error }, v * v, 2.0 * v * (1.0 - v)];
            }
        }
        row
    }

    /// Whether actual and predicted values are labels, and not numbers.
    pub fn is_of_labels(&self) -> bool {
        self.metric == Metric::Accuracy || self.metric.has_labels()
    }

    /// Checks that the parameters are those of the metric.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for a parameter that is missing, or of another metric, and for labels that
    /// are no list of different texts.
    pub fn check(&self) -> Result<()> {
        let refuse = |name: &'static str, reason: String| Err(field(name, reason));
        let (metric, count) = (self.metric.name(), self.labels.len());
        let mut labels = self.labels.clone();
        labels.sort_unstable();
        labels.dedup();
        if labels.len() != count {
            return refuse("score.labels", "has a label twice: give each once".to_owned());
        }
        let most = if self.metric == Metric::Confusion { MOST_LABELS } else { MOST_LABELS * MOST_LABELS };
        if count > 0 && !self.is_of_labels() {
            return refuse("score.labels", format!("does not go with `score.metric` {metric}: leave it out"));
        }
        if (count == 0 && self.metric.has_labels()) || count == 1 || count > most {
            let reason = format!("is no public list of 2 to {most} labels, which `score.metric` {metric} takes");
            return refuse("score.labels", reason);
        }
        if self.bound.is_some() && self.metric != Metric::MeanLoss {
            return refuse("score.bound", "belongs to `score.metric` mean-loss: leave it out".to_owned());
        }
        if self.range.is_some() && self.metric != Metric::R2 {
            return refuse("score.range", "belongs to `score.metric` r2: leave it out".to_owned());
        }
        if self.metric == Metric::MeanLoss && !self.bound.is_some_and(|bound| (1e-140..=1e140).contains(&bound)) {
            let advice = "give the public distance at which losses are cut off, for `score.metric` mean-loss";
            return refuse("score.bound", format!("is missing or not positive: {advice}"));
        }
        if self.metric == Metric::R2 && !self.range.is_some_and(|range| range.high() - range.low() > 0.0) {
            let advice = "give the public lower and upper end of the numbers, for `score.metric` r2";
            return refuse("score.range", format!("is missing or has no length: {advice}"));
        }
        Ok(())
    }
}
