//! Values: the part of a release that differs between statistics.

use super::{PrivateBall, PrivateClusters, PrivateFeatureRegression, ReleasedCovariance};
use super::{PrivateComponents, PrivateEmbeddedMean, PrivateSpread, PrivateVariance, RandomizedRecord, Region};
use super::{ReleasedQuantiles, ReleasedScore, ReleasedSelection};
use crate::manifold::{Geodesic, Manifold};
use crate::privacy::Guarantee;
use crate::records::PredictorRange;
use serde::{Deserialize, Serialize};

/// A private value: the part of a release that differs between statistics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// A point of the manifold.
    Point(PrivatePoint),
    /// A geodesic.
    Geodesic(PrivateGeodesic),
    /// A regression on features.
    Features(PrivateFeatureRegression),
    /// A ball.
    Ball(PrivateBall),
    /// A Fréchet variance.
    Variance(PrivateVariance),
    /// A mean and a covariance.
    Covariance(ReleasedCovariance),
    /// Clusters.
    Clusters(PrivateClusters),
    /// One record with noise.
    Record(RandomizedRecord),
    /// A score of predictions.
    Score(ReleasedScore),
    /// A chosen candidate.
    Selection(ReleasedSelection),
    /// Quantiles.
    Quantiles(ReleasedQuantiles),
}

/// The kind of a private value. Each has its own fields in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueKind {
    /// A point of the manifold.
    Point,
    /// A geodesic.
    Geodesic,
    /// A regression on features.
    Features,
    /// A ball.
    Ball,
    /// A mean square of distances.
    Variance,
    /// A mean and a covariance.
    Covariance,
    /// Clusters.
    Clusters,
    /// One record with noise.
    Record,
    /// A score of predictions.
    Score,
    /// A chosen candidate.
    Selection,
    /// Quantiles.
    Quantiles,
    /// A number of records, whose release is a [`ReleasedCount`](super::ReleasedCount).
    Count,
}

impl Value {
    /// Its kind, which is that of the [statistic](crate::statistics::Description::value).
    pub fn kind(&self) -> ValueKind {
        match self {
            Value::Point(_) => ValueKind::Point,
            Value::Geodesic(_) => ValueKind::Geodesic,
            Value::Features(_) => ValueKind::Features,
            Value::Ball(_) => ValueKind::Ball,
            Value::Variance(_) => ValueKind::Variance,
            Value::Covariance(_) => ValueKind::Covariance,
            Value::Clusters(_) => ValueKind::Clusters,
            Value::Record(_) => ValueKind::Record,
            Value::Score(_) => ValueKind::Score,
            Value::Selection(_) => ValueKind::Selection,
            Value::Quantiles(_) => ValueKind::Quantiles,
        }
    }

    /// The same where the guarantee of all of it is such a one.
    pub(crate) fn guaranteed(mut self, guarantee: Guarantee) -> Self {
        if let Value::Variance(variance) = &mut self {
            variance.mean_square.guarantee = guarantee;
        }
        self
    }
}

/// A private point of the manifold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivatePoint {
    /// The point.
    pub value: Vec<f64>,
    /// The point before denoising ([`Denoise`](crate::mechanism::Denoise)), where noise on a vector was denoised. A
    /// plan states the law of its distance from the confidential point, up to the precision of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noisy_value: Option<Vec<f64>>,
    /// The coordinates of the noisy point in the library's frame at the center of the ball, before `Exp`: multiples of
    /// the lattice. They are the output of the exact noise mechanism, or computed from its outputs, and the value, its
    /// flags and regions follow from them. With [exact](super::Numerics::Exact) numerics they are stated on every
    /// space except `euclidean:D`, `size-and-shape:K,D` and their products. Elsewhere a point may have gone around the
    /// space or be far out, and its numbers do not show them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noisy_coordinates: Option<Vec<f64>>,
    /// On `spd-log-euclidean:K`, where the point as a matrix is [beyond precision](super::Flag::BeyondPrecision): its
    /// matrix logarithm, `K²` numbers, which holds all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logarithm: Option<Vec<f64>>,
    /// The region that holds the mean of the clipped records with a probability of 95 %.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// The spread of the records about the point, if it was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<Box<PrivateSpread>>,
    /// The directions in which the records vary most about the point, if they were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<Box<PrivateComponents>>,
    /// The embedded mean, of an extrinsic mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extrinsic: Option<Box<PrivateEmbeddedMean>>,
}

/// A private geodesic `x ↦ Exp_p((x − middle)/(high − low)·v)`, with its public bounds.
///
/// ```
/// use karcher::{PredictorRange, manifold::Euclidean, release::PrivateGeodesic};
/// let growth = PrivateGeodesic {
///     footpoint: vec![170.0], // in the middle, at 50
///     shooting_vector: vec![-6.0], // from end to end
///     predictor_range: PredictorRange::new(20.0, 80.0)?,
///     slope_bound: 10.0,
///     residual_bound: 25.0,
///     predictor_variance: None,
/// };
/// assert_eq!(growth.predict(&Euclidean::new(1)?, 80.0), [167.0]);
/// assert_eq!(growth.geodesic().footpoint, [170.0]);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivateGeodesic {
    /// The footpoint `p`: the prediction in the middle of the predictor's range.
    pub footpoint: Vec<f64>,
    /// The shooting vector `v`: its velocity there, per length of the range.
    pub shooting_vector: Vec<f64>,
    /// The range of the predictor.
    pub predictor_range: PredictorRange,
    /// The bound of the shooting vector's length.
    pub slope_bound: f64,
    /// The length to which residuals were clipped.
    pub residual_bound: f64,
    /// The variance of the predictor in its range, from the noisy moments that the line was made from. The mechanism
    /// `kng` has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictor_variance: Option<PredictorVariance>,
}

/// The private variance of a predictor that was clamped to its range, with the length of the range for a unit: 1/12 if
/// it is spread evenly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PredictorVariance {
    /// The variance, with noise. It may be negative.
    pub value: f64,
    /// The standard deviation of that noise, to first order.
    pub deviation: f64,
}

impl PredictorVariance {
    /// Below this variance a line is not fitted, whatever the noise is.
    pub(crate) const LEAST: f64 = 1e-6;

    /// Whether the predictor hardly varies in its range, or its noise hides that it does. Its unit may be another one
    /// than that of the range. The slope is then arbitrary.
    pub fn is_little(&self) -> bool {
        self.value <= (3.0 * self.deviation).max(Self::LEAST)
    }
}

impl PrivateGeodesic {
    /// The footpoint and the shooting vector.
    pub fn geodesic(&self) -> Geodesic {
        Geodesic { footpoint: self.footpoint.clone(), velocity: self.shooting_vector.clone() }
    }

    /// The prediction at `x`, a value of the predictor on the scale of the data. It processes private values, so it
    /// costs no budget. Where doubles cannot represent it (matrices of a very long shooting vector) it is a point near
    /// it.
    ///
    /// ```
    /// use karcher::{PredictorRange, manifold::{Manifold, Sphere}, release::PrivateGeodesic};
    /// use std::f64::consts::PI;
    /// let transpose = PrivateGeodesic {
    ///     footpoint: vec![1.0, 0.0, 0.0],
    ///     shooting_vector: vec![0.0, PI / 2.0, 0.0],
    ///     predictor_range: PredictorRange::new(0.0, 1.0)?,
    ///     slope_bound: 2.0,
    ///     residual_bound: 0.5,
    ///     predictor_variance: None,
    /// };
    /// let sphere = Sphere::new(2)?;
    /// let (first, last) = (transpose.predict(&sphere, 0.0), transpose.predict(&sphere, 1.0));
    /// assert!((sphere.dist(&first, &last) - PI / 2.0).abs() < 1e-14); // the shooting vector's length
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn predict(&self, manifold: &dyn Manifold, x: f64) -> Vec<f64> {
        let mut predicted = self.geodesic().at(manifold, self.predictor_range.scaled(x));
        manifold.repair(&mut predicted);
        predicted
    }
}
