//! The private location of a ball (user guide, B1, B2 and B5). The median flow or medians of coordinates give a center.
//! Then a private quantile of the distances to the released center gives a radius.
//!
//! The center is an output before distances are measured, so the two guarantees add up. Once records are read, no
//! result is rejected: a radius may be too large for a mean, and then a flag reports it.

pub(crate) mod center;
pub(crate) mod choice;
pub(crate) mod coordinate_medians;
mod description;
pub(crate) mod locate;
pub(crate) mod located_mean;
pub(crate) mod radius;
pub(crate) mod rehearsed_ball;
pub(crate) mod two_stage;

pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::PrivateGeometricMedian;
use crate::privacy::Guarantee;
use crate::release::CenterMethod;
use statrs::distribution::{ContinuousCDF, Normal};
use std::sync::Arc;

/// The split of a budget that locates a ball: public, and the same whatever the records are. The default is for a
/// center by a median flow.
///
/// ```
/// use karcher::mechanism::LocationBudget;
/// assert_eq!(LocationBudget::default(), LocationBudget { location: 0.25, center: 0.7 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocationBudget {
    /// For a mean in a located ball, the fraction of the budget that locates it.
    pub location: f64,
    /// The center's fraction of that part; the rest is the radius's.
    pub center: f64,
}

/// The best of a few splits in a comparison with made-up clusters (user guide, B3).
impl Default for LocationBudget {
    fn default() -> Self {
        Self { location: 0.25, center: 0.7 }
    }
}

/// The default fraction of the records that the radius aims at.
const QUANTILE: f64 = 0.75;

/// The fraction of a normal cluster in the plane, or on a line, that the ball should hold.
const HELD: f64 = 0.97;

/// Ratio of the ball's radius to the radius that aims at a fraction `q`, at least 1: the step from `q` to 97 % of a
/// normal law. In two dimensions it is `√(ln 0.03/ln(1 − q))`, 1.59 for ¾. On a line it is `Φ⁻¹(0.985)/Φ⁻¹((1 + q)/2)`,
/// 1.89 for ¾. In more dimensions less than in two would suffice, for clusters that are equally wide in all of them.
fn margin(quantile: f64, dimension: usize) -> f64 {
    let ratio = match dimension {
        1 => {
            let [held, aimed] = [HELD, quantile].map(|share| Normal::standard().inverse_cdf(0.5 * (1.0 + share)));
            held / aimed
        }
        _ => ((-HELD).ln_1p() / (-quantile).ln_1p()).sqrt(),
    };
    ratio.max(1.0)
}

/// Halvings of an interval of radii.
pub(crate) const HALVINGS: usize = 20;

/// A mean is useful where its sensitivity is at most this many times that in a flat space. On positively curved spaces
/// this is `tan x ≤ 3x`, `x = √κ·r`, hence up to 1.32. Nearer to the limit `π/2`, noise would outweigh the gain of a
/// larger ball.
pub(crate) const STEEPEST: f64 = 3.0;

/// A request for a ball that holds most records, within a public outer ball.
///
/// The outer ball may be a thousand times as large as the ball to be found. On a compact space it may be the whole
/// space.
///
/// ```
/// use karcher::{Ball, manifold::{Manifold, Sphere}, mechanism::{PrivateLocation, Request}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let everywhere = Ball::at_origin(&*sphere, sphere.diameter())?;
/// let location = PrivateLocation::new(sphere, everywhere)?;
/// let plan = Request::new(location, 1_000, Guarantee::pure(1.0)?).plan()?;
/// assert_eq!(plan.name().name(), "locate");
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateLocation {
    pub(crate) median: PrivateGeometricMedian,
    pub(crate) quantile: f64,
    /// The requested split.
    pub(crate) shares: Option<LocationBudget>,
}

impl PrivateLocation {
    /// The location of a ball within an outer one.
    ///
    /// # Errors
    /// As for [`PrivateGeometricMedian::new`].
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::PrivateLocation};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// assert!(PrivateLocation::new(line.clone(), Ball::at_origin(&*line, 1e3)?).is_ok());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: Arc<dyn Manifold>, within: Ball) -> Result<Self> {
        Ok(Self { median: PrivateGeometricMedian::new(manifold, within)?, quantile: QUANTILE, shares: None })
    }

    /// The fraction of the records that the chosen radius aims at, between 0 and 1. The default is ¾, so that fewer
    /// than a quarter of wild records cannot enlarge it.
    ///
    /// The ball is larger than that radius, to hold 97 % of a normal cluster. In the plane it is 1.59 times as large at
    /// ¾, 1.23 times at 0.9, and no larger from 0.97 on. On a line it is 1.89 times and 1.32 times as large.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a number that is no fraction, and for 1: noise hides the farthest record, so no
    /// radius can aim at it.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::PrivateLocation};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let location = PrivateLocation::new(line.clone(), Ball::at_origin(&*line, 1e3)?)?;
    /// assert!(location.clone().quantile(0.9).is_ok() && location.quantile(1.0).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn quantile(self, quantile: f64) -> Result<Self> {
        if quantile > 0.0 && quantile < 1.0 {
            return Ok(Self { quantile, ..self });
        }
        let requirement = "it must be a fraction of the records between 0 and 1; not 1, because noise hides the \
                           farthest record: 0.97 holds nearly all"
            .to_owned();
        Err(Error::InvalidParameter { name: "quantile", value: quantile, requirement })
    }

    /// The split of the budget, however the center is found. The default is [`LocationBudget::default`] for a median
    /// flow. For medians of coordinates it depends on `n·ε` and the dimension (user guide, B5).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a fraction that is not between 0 and 1.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateLocation, LocationBudget}};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let location = PrivateLocation::new(line.clone(), Ball::at_origin(&*line, 1e3)?)?;
    /// assert!(location.clone().shares(LocationBudget { location: 0.5, center: 0.5 }).is_ok());
    /// assert!(location.shares(LocationBudget { location: 1.0, center: 0.5 }).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn shares(self, shares: LocationBudget) -> Result<Self> {
        for (name, value) in [("share_of_location", shares.location), ("share_of_center", shares.center)] {
            if !(value > 0.0 && value < 1.0) {
                let requirement = "it must be a fraction of the budget between 0 and 1".to_owned();
                return Err(Error::InvalidParameter { name, value, requirement });
            }
        }
        Ok(Self { shares: Some(shares), ..self })
    }

    /// The split for `n` records and a budget, where the center is found in this way.
    fn shares_of(&self, by: CenterMethod, n: usize, budget: Guarantee) -> Result<LocationBudget> {
        match (self.shares, by) {
            (Some(shares), _) => Ok(shares),
            (None, CenterMethod::CoordinateMedians) => coordinate_medians::shares(self.manifold().dim(), n, budget),
            (None, _) => Ok(LocationBudget::default()),
        }
    }

    fn margin(&self) -> f64 {
        margin(self.quantile, self.manifold().dim())
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        self.median.manifold()
    }

    /// The public outer ball.
    pub fn ball(&self) -> &Ball {
        self.median.ball()
    }
}
