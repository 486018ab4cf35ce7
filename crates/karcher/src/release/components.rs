//! Principal components: the directions in which records vary most about a private mean.

use super::{Ellipsoid, MechanismName};
use crate::manifold::Manifold;
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
    /// `c`, the length to which logarithms were shortened.
    pub clip: f64,
    /// The mean squared lengths of the records' logarithms along the directions, in units of squared distance. Noise
    /// makes some of them negative.
    pub variances: Vec<f64>,
    /// The variances after shrinking towards their mean, none negative: of less mean squared error as a matrix, with the
    /// same directions (user guide, D3).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shrunk_variances: Vec<f64>,
    /// Each variance over their sum, from 0 to 1; 0 where noise leaves no positive sum.
    pub explained_variance_ratio: Vec<f64>,
    /// Tangent vectors at the value, of length 1 and perpendicular to one another; up to their sign.
    pub directions: Vec<Vec<f64>>,
    /// The scale of the noise on the matrix, whose numbers off the diagonal count `√2` times.
    pub scale: f64,
    /// The law of the noise: `laplace` or `gaussian`.
    pub mechanism: MechanismName,
    /// Approximate size of the largest variance that noise alone produces.
    pub noise_level: f64,
    /// The cost of the matrix.
    pub guarantee: Guarantee,
    /// The cost of the mean. Together they make the guarantee of the release.
    pub mean_guarantee: Guarantee,
    /// Region for the mean of the population from which the records are a sample, **as if none lay outside the ball**:
    /// clipping rotates logarithms, which the second moment of the unclipped records does not capture. It is narrower
    /// than a ball in directions in which records vary little.
    ///
    /// Absent in these cases:
    /// * the spread in the same release shows records outside;
    /// * logarithms of records in the ball may have been shortened: `clip` is less than the ball's radius plus the
    ///   distance of the value from its center;
    /// * noise was shrunk;
    /// * records are so far apart on a positively curved space that no region is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population_region: Option<Ellipsoid>,
}

impl PrivateComponents {
    /// The number of variances above the noise. A direction is meaningful if its variance also differs from its
    /// neighbours' by more than the noise level: among equal variances the order of directions is random.
    ///
    /// ```
    /// use karcher::{privacy::Guarantee, release::{MechanismName, PrivateComponents}};
    /// let components = PrivateComponents {
    ///     clip: 1.0,
    ///     variances: vec![0.2, 0.03, -0.01],
    ///     shrunk_variances: vec![0.19, 0.04, 0.0],
    ///     explained_variance_ratio: vec![0.91, 0.14, 0.0],
    ///     directions: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]],
    ///     scale: 0.02,
    ///     mechanism: MechanismName::Gaussian,
    ///     noise_level: 0.049,
    ///     guarantee: Guarantee::gaussian(0.5)?,
    ///     mean_guarantee: Guarantee::gaussian(0.5)?,
    ///     population_region: None,
    /// };
    /// assert_eq!(components.above_noise(), 1);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn above_noise(&self) -> usize {
        self.variances.iter().take_while(|variance| **variance > self.noise_level).count()
    }

    /// Whether a point is in the [`population_region`](PrivateComponents::population_region) about the released value.
    /// `None` where there is no region.
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{Components, PrivateFrechetMean, Request}};
    /// use karcher::privacy::Guarantee;
    /// use std::sync::Arc;
    /// let plane = Arc::new(Euclidean::new(2)?);
    /// let records: Vec<f64> = (0..10_000).flat_map(|i| [0.5 * (f64::from(i) / 5_000.0 - 1.0), 0.0]).collect();
    /// let mean = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 0.6)?)?;
    /// let asked = Components { clip: Some(1.2) }; // the diameter of the ball
    /// let plan = Request::new(mean, 10_000, Guarantee::pure(2.0)?).components(Some(asked)).plan()?;
    /// let release = plan.run(&Points::new(&*plane, records)?, &mut ReleaseContext::seeded(1))?;
    /// let components = release.components().ok_or("asked for")?;
    /// let holds = |x: [f64; 2]| components.population_holds(&*plane, release.value(), &x);
    /// assert_eq!((holds([0.0, 0.0]), holds([0.0, 0.1])), (Some(true), Some(false)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn population_holds(&self, manifold: &dyn Manifold, value: &[f64], x: &[f64]) -> Option<bool> {
        let region = self.population_region.as_ref()?;
        let mut v = vec![0.0; value.len()];
        if manifold.log(value, x, &mut v).is_err() {
            return Some(false);
        }
        let along = |(direction, axis): (&Vec<f64>, &f64)| (manifold.inner(value, &v, direction) / axis).powi(2);
        Some(self.directions.iter().zip(&region.semi_axes).map(along).sum::<f64>() <= 1.0)
    }
}
