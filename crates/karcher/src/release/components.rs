//! The directions in which records vary most about a private mean.

use super::MechanismName;
use crate::privacy::Guarantee;
use serde::{Deserialize, Serialize};

/// The principal components of records about a private mean `m̃`: the spectral decomposition of `(1/n)·Σ v·vᵀ`, `v` the
/// logarithm of a record at `m̃`, shortened to a public length, with noise on all numbers of that matrix (user guide,
/// D3).
///
/// There are as many components as the space has dimensions, the largest variance first. **A variance below**
/// [`noise_level`](PrivateComponents::noise_level) **is noise, and so is its direction.**
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivateComponents {
    /// `c`, to which logarithms were shortened.
    pub clip: f64,
    /// The mean squared lengths of the records' logarithms along the directions, in units of squared distance. Noise
    /// makes some of them negative.
    pub variances: Vec<f64>,
    /// Each variance over their sum, from 0 to 1; 0 where noise leaves no positive sum.
    pub shares: Vec<f64>,
    /// Tangent vectors at the value, of length 1 and perpendicular to one another; up to their sign.
    pub directions: Vec<Vec<f64>>,
    /// The scale of the noise on the matrix, whose numbers off the diagonal count `√2` times.
    pub scale: f64,
    /// The law of the noise: `laplace` or `gaussian`.
    pub mechanism: MechanismName,
    /// What noise alone makes of the largest variance, about.
    pub noise_level: f64,
    /// What releasing the matrix costs.
    pub guarantee: Guarantee,
    /// What releasing the mean cost. Together they make the guarantee of the release.
    pub mean_guarantee: Guarantee,
}

impl PrivateComponents {
    /// How many of the variances are above the noise. A direction says something if its variance is also farther than
    /// the noise level from those of its neighbours: of equal variances which direction comes first is chance.
    ///
    /// ```
    /// use karcher::{privacy::Guarantee, release::{MechanismName, PrivateComponents}};
    /// let components = PrivateComponents {
    ///     clip: 1.0,
    ///     variances: vec![0.2, 0.03, -0.01],
    ///     shares: vec![0.91, 0.14, 0.0],
    ///     directions: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]],
    ///     scale: 0.02,
    ///     mechanism: MechanismName::Gaussian,
    ///     noise_level: 0.049,
    ///     guarantee: Guarantee::gaussian(0.5)?,
    ///     mean_guarantee: Guarantee::gaussian(0.5)?,
    /// };
    /// assert_eq!(components.above_noise(), 1);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn above_noise(&self) -> usize {
        self.variances.iter().take_while(|variance| **variance > self.noise_level).count()
    }
}
