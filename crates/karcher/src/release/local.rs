//! Values of the local model: one record with noise, and the mean of many of them.

use super::{Flag, PrivacyUnit};
use crate::Space;
use crate::ball::Ball;
use crate::privacy::Guarantee;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One record, randomized by its owner. By itself it reveals almost nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RandomizedRecord {
    /// The coordinates of `clip_r(Log_{m₀} x)` with noise, or a random direction of fixed length: as many as the space has
    /// dimensions, of a tangent vector at the ball's center, in the library's frame there.
    /// [`collect`](crate::mechanism::collect) reads them.
    pub coordinates: Vec<f64>,
}

/// The mean of records that were randomized by their owners. It processes public values.
///
/// Made by [`collect`](crate::mechanism::collect).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Collected {
    /// `collected-mean`.
    pub statistic: Cow<'static, str>,
    /// The space.
    pub manifold: Space,
    /// Number of people whose records were collected.
    pub n: usize,
    /// The guarantee of each of them.
    pub guarantee: Guarantee,
    /// The privacy unit: a record, or all records of a person.
    pub unit: PrivacyUnit,
    /// The public ball to which each record was clipped.
    pub ball: Ball,
    /// The noise scale of each record.
    pub scale: f64,
    /// The point.
    pub value: Vec<f64>,
    /// Approximate upper bound of the mean distance by which noise moves the value, from public quantities alone. It
    /// decreases like `1/√n`.
    pub expected_distance: f64,
    /// Upper bound of the distance between the value without noise and the mean of the clipped records, for any `n`: 0
    /// on flat spaces. Absent where nothing is proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bias_bound: Option<f64>,
    /// Flags of any of the records.
    pub flags: Vec<Flag>,
}
