//! A private ball.

use super::Numerics;
use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::privacy::Guarantee;
use serde::{Deserialize, Serialize};

/// A ball located by a private center and a private radius: it holds most records, whose location is not public.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateLocation, Request}, privacy::Guarantee};
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// let records = Points::new(&*plane, [[7.0, 7.0], [8.0, 8.0]].concat().repeat(1_000))?;
/// let location = PrivateLocation::new(plane.clone(), Ball::at_origin(&*plane, 100.0)?)?;
/// let plan = Request::new(location, 2_000, Guarantee::gaussian(1.0)?).plan()?;
/// let release = plan.run(&records, &mut ReleaseContext::seeded(1))?;
/// let located = release.located().expect("it is a ball");
/// let ball = located.ball(&*plane)?; // for a mean, from now on as public as any
/// assert!(ball.radius() < 5.0 && (ball.center()[0] - 7.5).abs() < 2.0);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PrivateBall {
    /// The center: a private median.
    pub center: Vec<f64>,
    /// How the center was found.
    pub center_method: CenterMethod,
    /// The radius: [`margin`](PrivateBall::margin) times the one of the [grid](PrivateBall::radii) that was chosen. It
    /// is less if that would exceed the largest of the grid, or would allow no useful mean.
    pub radius: f64,
    /// Fraction of the records that the chosen radius of the grid aims at.
    pub quantile: f64,
    /// Largest ratio of the radius to the chosen one of the grid.
    pub margin: f64,
    /// The public grid of radii.
    pub radii: Radii,
    /// The parts of the release and their cost. The guarantees add up to no more than that of the release.
    pub parts: Vec<Part>,
}

impl PrivateBall {
    /// The ball. It is now as public as one that was known beforehand.
    ///
    /// # Errors
    /// As for [`Ball::written`], for a ball that was read for another space.
    pub fn ball(&self, manifold: &dyn Manifold) -> Result<Ball> {
        Ok(Ball::written(manifold, self.center.clone(), self.radius)?)
    }
}

/// How the center of a ball was found; public quantities alone decide it.
///
/// ```
/// use karcher::release::CenterMethod;
/// assert_eq!(CenterMethod::CoordinateMedians.name(), "coordinate-medians");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CenterMethod {
    /// The geometric median, by a median flow.
    MedianFlow,
    /// The medians of the coordinates of logarithms at the center of the outer ball.
    CoordinateMedians,
}

impl CenterMethod {
    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CenterMethod::MedianFlow => "median-flow",
            CenterMethod::CoordinateMedians => "coordinate-medians",
        }
    }
}

/// A geometric grid of radii.
///
/// ```
/// use karcher::release::Radii;
/// assert_eq!(Radii { largest: 8.0, ratio: 2.0, count: 4 }.all(), [1.0, 2.0, 4.0, 8.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Radii {
    /// The largest.
    pub largest: f64,
    /// The quotient of neighbouring ones.
    pub ratio: f64,
    /// The number of radii.
    pub count: usize,
}

impl Radii {
    /// The radius at an index, counted from 0.
    ///
    /// ```
    /// use karcher::release::Radii;
    /// assert_eq!(Radii { largest: 8.0, ratio: 2.0, count: 4 }.at(1), 2.0);
    /// ```
    pub fn at(&self, place: usize) -> f64 {
        self.largest / self.ratio.powi(self.count.saturating_sub(1 + place) as i32)
    }

    /// All radii, in rising order.
    pub fn all(&self) -> Vec<f64> {
        (0..self.count).map(|place| self.at(place)).collect()
    }
}

/// One of several mechanisms of a release, and its cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The result of the part.
    pub part: PartName,
    /// Its own guarantee.
    pub guarantee: Guarantee,
    /// The subject of its proof.
    pub numerics: Numerics,
}

/// The result of a part of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartName {
    /// The center of a ball.
    Center,
    /// Its radius, by a private quantile.
    Radius,
    /// The mean in it.
    Mean,
}

/// Origin of the ball of a mean that was located with a part of the same budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Located {
    /// The public outer ball in which it was located.
    pub within: Ball,
    /// The located ball; its parts are those of the whole release.
    #[serde(flatten)]
    pub ball: PrivateBall,
}
