//! The Fréchet variance about a public point, with a whole budget (user guide, D1).
//!
//! Replacing one record changes `V = (1/n)·Σ min(ρ²(m, xᵢ), c²)` by at most `c²/n`, for every `m` that is public, or
//! was released before. In the second case the two guarantees add up ([P3]). Noise is that of a mean's spread, exact on
//! the integers of the sum.

mod description;
pub(crate) mod plan;
pub(crate) mod spread;

pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::PrivateFrechetMean;
use crate::mechanism::noise::exact::{check_length, check_one_radius};
use std::sync::Arc;

/// A request for the Fréchet variance: a space, a public point, and a public length at which distances to it are cut
/// off. The two are center and radius of a ball.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetVariance, Request}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// let records = Points::new(&*plane, [0.6, 0.8, 0.0, 0.0].repeat(5_000))?; // half of them at the distance 1
/// let variance = PrivateFrechetVariance::new(plane.clone(), Ball::at_origin(&*plane, 2.0)?)?;
/// let plan = Request::new(variance, 10_000, Guarantee::pure(1.0)?).plan()?;
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// let found = release.variance().expect("it was asked for");
/// assert!((found.mean_square.value - 0.5).abs() < 0.02); // farther off with probability e^{−50}
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateFrechetVariance {
    pub(crate) seen: PrivateFrechetMean,
}

impl PrivateFrechetVariance {
    /// The variance about the center of a ball, at whose radius distances are cut off.
    ///
    /// # Errors
    /// [`Error::Geometry`](crate::Error::Geometry) for a ball of another space. Also
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a radius that over- or underflows.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Euclidean, mechanism::PrivateFrechetVariance};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// assert!(PrivateFrechetVariance::new(line.clone(), Ball::at_origin(&*line, 1.0)?).is_ok());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball) -> Result<Self> {
        check_length("clip", ball.radius())?;
        check_one_radius(&ball)?;
        Ok(Self { seen: PrivateFrechetMean::new(manifold, ball)? })
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        self.seen.manifold()
    }

    /// The public point, and the bound at which distances to it are cut off.
    pub fn ball(&self) -> &Ball {
        self.seen.ball()
    }

    /// `c`: no point is farther away than the diameter.
    pub(crate) fn clip(&self) -> f64 {
        self.ball().radius().min(self.manifold().diameter())
    }
}
