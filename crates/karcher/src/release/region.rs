//! Regions: they hold the value without privacy with a stated probability.

use serde::{Deserialize, Serialize};

/// A ball that holds the mean of the clipped records with a stated probability: over the draw of the noise, whatever
/// the records are. It follows from public quantities and the released point, so it costs nothing (user guide, D2).
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
/// use karcher::{privacy::Guarantee, release::{RegionCenter, Coverage}};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Request::new(mean, 100, Guarantee::pure(1.0)?).plan()?;
/// let release = plan.run(&Points::new(&*line, vec![0.5; 100])?, &mut ReleaseContext::from_os()?)?;
/// let region = release.region().ok_or("no law of the distance is known")?;
/// // Laplace noise of scale σ exceeds σ·ln 20 with probability 1/20; projecting onto the ball makes it no larger
/// assert!((region.radius / (20.0_f64.ln() * plan.scale()) - 1.0).abs() < 0.01);
/// assert_eq!((region.probability, region.center, region.coverage), (0.95, RegionCenter::Value, Coverage::AtLeast));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The probability.
    pub probability: f64,
    /// The radius, in units of distance.
    pub radius: f64,
    /// The center of the ball.
    pub center: RegionCenter,
    /// The meaning of the probability.
    pub coverage: Coverage,
}

/// A released point that is the center of a [`Region`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegionCenter {
    /// The value.
    Value,
    /// The value before it was shrunk, which the law of the noise describes.
    NoisyValue,
}

/// The meaning of the probability of a [`Region`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coverage {
    /// It is exact: the law of the distance is known.
    Exactly,
    /// It is a lower bound: no distance exceeds a known law.
    AtLeast,
    /// It is approximate: the law is simulated for the worst mean of the ball, or that of noise on a flat space.
    Approximately,
    /// It is right in the limit of many records: the region is for the mean of their population.
    Asymptotically,
}

/// An ellipsoid in the tangent space at a released value that holds a point with a stated probability. It is the points
/// `Exp_m̃(Σ uⱼ·eⱼ)` with `Σ uⱼ²/aⱼ² ≤ 1`, `eⱼ` the directions of [`PrivateComponents`](super::PrivateComponents).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ellipsoid {
    /// The probability.
    pub probability: f64,
    /// `a₁, a₂, …`, in units of distance.
    pub semi_axes: Vec<f64>,
    /// The meaning of the probability.
    pub coverage: Coverage,
}

impl Region {
    /// The region in words, without its radius: `with 95 % confidence`.
    ///
    /// ```
    /// use karcher::release::{RegionCenter, Coverage, Region};
    /// let region = Region { probability: 0.9, radius: 0.1, center: RegionCenter::Value, coverage: Coverage::AtLeast };
    /// assert_eq!(region.words(), "with at least 90 % confidence");
    /// ```
    pub fn words(&self) -> String {
        let percent = (1e4 * self.probability).round() / 100.0;
        match self.coverage {
            Coverage::Exactly => format!("with {percent} % confidence"),
            Coverage::AtLeast => format!("with at least {percent} % confidence"),
            Coverage::Approximately => format!("with about {percent} % confidence"),
            Coverage::Asymptotically => format!("with about {percent} % confidence, if there are many records"),
        }
    }
}
