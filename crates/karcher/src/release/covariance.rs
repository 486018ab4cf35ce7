//! The mean and the covariance of vectors, with their principal components.

use crate::records::SquareWeight;
use serde::{Deserialize, Serialize};

/// The mean and the covariance of the records, clipped to a ball, from one noisy sum, and its spectral decomposition (user
/// guide, D6).
///
/// There are as many components as numbers in a record, the largest variance first. **A variance below**
/// [`noise_level`](ReleasedCovariance::noise_level) **is noise, and so is its direction.**
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleasedCovariance {
    /// The mean.
    pub mean: Vec<f64>,
    /// The mean of the clipped records is no farther from it, with a probability of at least 95 %.
    pub mean_radius: f64,
    /// The rows of the covariance matrix, over the number of records. Noise may make it indefinite.
    pub covariance: Vec<Vec<f64>>,
    /// The eigenvalues of the covariance. Noise makes some negative.
    pub variances: Vec<f64>,
    /// Each variance over their sum, from 0 to 1; 0 where noise leaves no positive sum.
    pub explained_variance_ratio: Vec<f64>,
    /// The eigenvectors, of length 1. The number of each that is largest in size is positive.
    pub directions: Vec<Vec<f64>>,
    /// Approximate size of the largest variance that noise alone produces.
    pub noise_level: f64,
    /// The variances without noise, in order, are no farther from the released ones, with a probability of at least
    /// 95 % for all of them together.
    pub variance_half_width: f64,
    /// The weight `a` of the mean among the moments.
    pub weight: SquareWeight,
    /// The noisy mean of `(a·u, u·uᵀ)`, as it was drawn: `u` is a record in units of the ball, and numbers off the
    /// diagonal are `√2` times as large. With a confidential number of records it is the sum over the guess.
    pub noisy_moments: Vec<f64>,
}

impl ReleasedCovariance {
    /// The number of variances above the noise.
    ///
    /// ```
    /// use karcher::{Ball, Points, ReleaseContext, manifold::Euclidean, mechanism::{PrivateCovariance, Request}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let plane = Arc::new(Euclidean::new(2)?);
    /// let records = (0..10_000).flat_map(|i| [f64::from(i % 101) / 100.0, 0.0]).collect();
    /// let covariance = PrivateCovariance::new(plane.clone(), Ball::at_origin(&*plane, 1.0)?)?;
    /// let plan = Request::new(covariance, 10_000, Guarantee::gaussian(1.0)?).plan()?;
    /// let release = plan.run(&Points::new(&*plane, records)?, &mut ReleaseContext::seeded(1))?;
    /// assert_eq!(release.covariance().map(|found| found.above_noise()), Some(1));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn above_noise(&self) -> usize {
        self.variances.iter().take_while(|variance| **variance > self.noise_level).count()
    }
}
