//! How far records are from a private mean.

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
///     interval: [0.0, 0.028],
/// };
/// assert!(share.value >= share.interval[0] && share.value <= share.interval[1]);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoisyNumber {
    /// The number, brought into the range that it can have.
    pub value: f64,
    /// The number as it was drawn, of mean zero about the true one.
    pub noisy_value: f64,
    /// The scale of the noise, in the units of the number.
    pub scale: f64,
    /// The law of the noise: `laplace` or `gaussian`.
    pub mechanism: MechanismName,
    /// What releasing the number costs.
    pub guarantee: Guarantee,
    /// Holds the number without noise with a probability of at least 95 %.
    pub interval: [f64; 2],
}

/// How far records are from a public point `m`: the mean of `min(ρ²(m, xᵢ), c²)`, released with a whole budget (user
/// guide, D1).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PrivateVariance {
    /// `c`, at which distances are cut off.
    pub clip: f64,
    /// The mean of the squared distances, of which none counts for more than `c²`.
    pub mean_square: NoisyNumber,
    /// Its root, in units of distance.
    pub root_mean_square: f64,
    /// Holds the root of the mean square without noise with a probability of at least 95 %.
    pub root_mean_square_interval: [f64; 2],
    /// What records would show that are spread evenly over the space, on compact spaces where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniform: Option<UniformSpread>,
    /// Whether the records cannot be told from ones that are spread evenly.
    pub scattered: bool,
}

/// How far records are from a private mean `m̃`, and how many of them the ball did not hold: released with a part of
/// the budget (user guide, D1).
///
/// Both are of the records **as they are, not clipped to the ball**: the mean of `min(ρ²(m̃, xᵢ), c²)` with a public
/// `c`, and the share of those farther from the ball's center than its radius.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PrivateSpread {
    /// `c`, at which distances are cut off.
    pub clip: f64,
    /// The mean of the squared distances, of which none counts for more than `c²`.
    pub mean_square: NoisyNumber,
    /// Its root, in units of distance.
    pub root_mean_square: f64,
    /// Holds the root of the mean square without noise with a probability of at least 95 %.
    pub root_mean_square_interval: [f64; 2],
    /// The share of the records that lie outside of the ball.
    pub share_outside: NoisyNumber,
    /// The same two numbers of records that are spread evenly over the space, on compact spaces where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uniform: Option<UniformSpread>,
    /// Whether the records cannot be told from ones that are spread evenly, so that no point deserves the name of a
    /// mean: the upper end of what the mean square may be is at least nine tenths of the uniform one.
    pub scattered: bool,
    /// What releasing the mean cost. Together with the guarantees of the two numbers it makes that of the release.
    pub mean_guarantee: Guarantee,
    /// How far clipping may have moved the mean, at most about: `√(p·V)`, `p` the share outside and `V` the mean
    /// square, of each the upper end of what it may be. It speaks of records whose distances were not cut off. Absent
    /// where records are so far apart on a positively curved space that nothing can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clipping: Option<f64>,
    /// Where the mean of the population is, clipped to the ball, that the records are a sample of. Absent where
    /// [`clipping`](PrivateSpread::clipping) is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population_region: Option<Region>,
}

/// What records would show that are spread evenly over a compact space.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UniformSpread {
    /// `E min(ρ², c²)`.
    pub mean_square: f64,
    /// The root of that.
    pub root_mean_square: f64,
    /// The probability to lie outside of the ball.
    pub share_outside: f64,
}
