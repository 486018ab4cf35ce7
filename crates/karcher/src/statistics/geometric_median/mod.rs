//! Requests for the geometric median: a space and a public ball.

mod description;
pub(crate) mod flow;
pub(crate) mod schedule;

pub(super) use description::DESCRIPTION;

use crate::Lattice;
use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::noise::exact::check_one_radius;
use crate::mechanism::{PlanSummary, PrivateFrechetMean};
use crate::release::Flag;
use crate::vector::norm;
use std::sync::Arc;

/// A point beyond this fraction of the radius is at the edge, in a ball smaller than this fraction of the diameter.
const EDGE: f64 = 0.95;

/// The private geometric median: the point with the smallest mean distance to the records, which a minority of wild
/// records hardly moves.
///
/// It lies in a public ball, to which records are not clipped. The ball may be large, since noise does not grow with
/// it. On a compact space it may be the whole space.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateGeometricMedian, Request}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// let median = PrivateGeometricMedian::new(plane.clone(), Ball::at_origin(&*plane, 100.0)?)?;
/// let records = Points::new(&*plane, [[7.0, 7.0].repeat(1600), [-60.0, 80.0].repeat(400)].concat())?;
/// let release = Request::new(median, 2_000, Guarantee::gaussian(1.0)?).plan()?.run(&records, &mut ReleaseContext::from_os()?)?;
/// let off = (release.value()[0] - 7.0).hypot(release.value()[1] - 7.0);
/// assert!(off < 5.0, "{off}"); // the mean is 15 away
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateGeometricMedian {
    /// Preprocessing of records and publication of points, as for a mean.
    seen: PrivateFrechetMean,
}

impl PrivateGeometricMedian {
    /// The private median on a manifold, in a ball.
    ///
    /// # Errors
    /// [`Error::Geometry`](crate::Error::Geometry) for a ball of another space,
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a radius outside 1e-140 to 1e140.
    ///
    /// ```
    /// use karcher::{Ball, manifold::{Manifold, Sphere}, mechanism::PrivateGeometricMedian};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let everything = Ball::at_origin(&*sphere, sphere.diameter())?;
    /// assert!(PrivateGeometricMedian::new(sphere.clone(), everything).is_ok());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball) -> Result<Self> {
        check_one_radius(&ball)?;
        Ok(Self { seen: PrivateFrechetMean::new(manifold, ball)? })
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        self.seen.manifold()
    }

    /// The public ball.
    pub fn ball(&self) -> &Ball {
        self.seen.ball()
    }

    /// Preprocessing of records and publication of points, as for a mean in the same ball.
    pub(crate) fn seen(&self) -> &PrivateFrechetMean {
        &self.seen
    }

    /// The flag of a released point at the edge of the ball, given by its coordinates at the center. `None` where the
    /// ball is nearly the whole space.
    pub(crate) fn at_edge(&self, coordinates: &[f64]) -> Option<Flag> {
        let radius = self.ball().radius();
        let ends = radius < EDGE * self.manifold().diameter();
        (ends && norm(coordinates) >= EDGE * radius).then_some(Flag::CenterAtEdge)
    }

    /// The lattice of found points.
    pub(crate) fn lattice(&self, summary: &PlanSummary) -> Lattice {
        let reach = self.ball().radius().min(self.manifold().diameter());
        Lattice::new(&**self.manifold(), summary.scale, reach, summary.expected_distance).of_outputs()
    }

    /// Coordinates at the ball's center of a found point, on the public lattice, and its step.
    pub(crate) fn coordinates(&self, found: &[f64], summary: &PlanSummary) -> (Vec<f64>, f64) {
        let (centered, lattice) = (self.seen.centered(), self.lattice(summary));
        (lattice.coordinates(centered.space(), centered.center(), found), lattice.step())
    }
}
