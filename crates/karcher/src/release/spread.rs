//! The spread of records about a private mean.

use super::{MechanismName, Region};
use crate::privacy::Guarantee;
use serde::{Deserialize, Serialize};

/// A number that was released with noise.
///
/// ```
/// use karcher::{privacy::Guarantee, release::{MechanismName, NoisyNumber}};
/// let share = NoisyNumber {
///     value: 0.0, // of something that is not negative
///     noisy_value: -0.002,
///     scale: 0.01,
///     mechanism: MechanismName::Laplace,
///     guarantee: Guarantee::pure(0.125)?,
///     interval: [0.0, 0.03], // about the value
/// };
/// assert_eq!(share.interval_in_percent(), [0.0, 3.0]);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoisyNumber {
    /// The number, moved into the range that it can have.
    pub value: f64,
    /// The number as it was drawn, of mean zero about the true one.
    pub noisy_value: f64,
    /// The scale of the noise, in the units of the number.
    pub scale: f64,
    /// The law of the noise: `laplace` or `gaussian`.
    pub mechanism: MechanismName,
    /// The cost of the number.
    pub guarantee: Guarantee,
    /// Interval that holds the number without noise with a probability of at least 95 %.
    pub interval: [f64; 2],
}

impl NoisyNumber {
    /// The interval of a fraction in per cent, with one digit after the point, rounded outwards.
    pub fn interval_in_percent(&self) -> [f64; 2] {
        let [low, high] = self.interval;
        [(1e3 * low).floor() / 10.0, (1e3 * high).ceil() / 10.0]
    }
}

/// The variance of records about a public point `m`: the mean of `min(ρ²(m, xᵢ), c²)`, released with a whole budget
/// (user guide, D1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PrivateVariance {
    /// `c`, the bound at which distances are cut off.
    pub clip: f64,
    /// The mean of the squared distances, each cut off at `c²`.
    pub mean_square: NoisyNumber,
    /// Its root, in units of distance.
    pub root_mean_square: f64,
    /// Interval that holds the root of the mean square without noise with a probability of at least 95 %.
    pub root_mean_square_interval: [f64; 2],
    /// The same for records that are spread evenly over the space, on compact spaces where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniform: Option<UniformSpread>,
    /// Whether the records are indistinguishable from uniform ones.
    pub consistent_with_uniform: bool,
}

/// The spread of records about a private mean `m̃`, and the fraction of them outside the ball, released with a part of
/// the budget (user guide, D1).
///
/// Both are of the records **as they are, not clipped to the ball**: the mean of `min(ρ²(m̃, xᵢ), c²)` with a public
/// `c`, and the fraction of records farther from the ball's center than its radius.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PrivateSpread {
    /// `c`, the bound at which distances are cut off.
    pub clip: f64,
    /// The mean of the squared distances, each cut off at `c²`.
    pub mean_square: NoisyNumber,
    /// Its root, in units of distance.
    pub root_mean_square: f64,
    /// Interval that holds the root of the mean square without noise with a probability of at least 95 %.
    pub root_mean_square_interval: [f64; 2],
    /// The fraction of the records that lie outside of the ball.
    pub fraction_outside: NoisyNumber,
    /// The same two numbers of records that are spread evenly over the space, on compact spaces where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniform: Option<UniformSpread>,
    /// Whether the records are indistinguishable from evenly spread ones, so that their mean is meaningless: the upper
    /// end of the mean square's interval is at least nine tenths of the uniform one.
    pub consistent_with_uniform: bool,
    /// The cost of the mean. Together with the guarantees of the two numbers it makes that of the release.
    pub mean_guarantee: Guarantee,
    /// Approximate upper bound of the distance by which clipping moved the mean: `√(p·V)`, `p` the fraction outside and
    /// `V` the mean square, each the upper end of its interval. It assumes that no record's distance was cut off.
    /// It is the diameter where records are so far apart on a positively curved space that no bound is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clipping: Option<f64>,
    /// Region for the mean of the population, clipped to the ball, if the records are a sample of it: the whole space
    /// where no bound is known. Absent where no law of the noise on the mean is known, and for fewer than two records
    /// on an unbounded space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population_region: Option<Region>,
}

/// The spread of records that are distributed evenly over a compact space.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UniformSpread {
    /// `E min(ρ², c²)`.
    pub mean_square: f64,
    /// The root of that.
    pub root_mean_square: f64,
    /// The probability that a record lies outside of the ball.
    pub fraction_outside: f64,
}
