//! Private k-means (user guide, K1): centers of clusters on every space.

mod description;
mod merge;
pub(crate) mod plan;

pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::PrivateFrechetMean;
use crate::mechanism::noise::exact::{check_length, check_one_radius};
use crate::records::Summand;
use crate::spec::Clusters;
use std::sync::Arc;

/// Most clusters.
const MOST: usize = 1_000;

/// A request for clusters of records in a public ball: each record belongs to the nearest of `k` centers.
///
/// ```
/// use karcher::{Ball, Points, ReleaseContext, manifold::Euclidean, mechanism::{Plan, PrivateKMeans, Request}};
/// use karcher::{privacy::Guarantee, spec::Clusters};
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// let records = Points::new(&*plane, [[0.5, 0.5].repeat(3_000), [-0.5, 0.0].repeat(1_000)].concat())?;
/// let clusters = PrivateKMeans::new(plane.clone(), Ball::at_origin(&*plane, 1.0)?, Clusters::new(2))?;
/// let plan = Request::new(clusters, 4_000, Guarantee::gaussian(1.0)?).plan()?;
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// let found = release.clusters().expect("they were asked for");
/// assert!((found.clusters[0].weight - 0.75).abs() < 0.02); // the largest comes first
/// assert!((found.clusters[0].center[0] - 0.5).abs() < 0.02); // farther off with a probability below 10⁻⁹
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateKMeans {
    seen: PrivateFrechetMean,
    clusters: Clusters,
}

impl PrivateKMeans {
    /// Clusters of records that are clipped to a ball.
    ///
    /// # Errors
    /// [`Error::Geometry`] for a ball of another space, and for first centers that are no points. Also
    /// [`Error::InvalidParameter`] for fewer than two clusters, for more than 1,000, and for a radius out of range.
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball, clusters: Clusters) -> Result<Self> {
        check_length("radius", ball.radius())?;
        check_one_radius(&ball)?;
        let (k, given) = (clusters.number, clusters.centers.as_ref().map_or(clusters.number, Vec::len));
        if !(2..=MOST).contains(&k) || given != k {
            let requirement = format!("there are 2 to {MOST} clusters, and as many first centers if those are given");
            return Err(Error::InvalidParameter { name: "clusters", value: given as f64, requirement });
        }
        clusters.centers.iter().flatten().try_for_each(|center| manifold.check_point(center))?;
        Ok(Self { seen: PrivateFrechetMean::new(manifold, ball)?, clusters })
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        self.seen.manifold()
    }

    /// The public ball.
    pub fn ball(&self) -> &Ball {
        self.seen.ball()
    }

    /// The longest logarithm at the center of the ball: no point is farther away than the diameter.
    pub(crate) fn reach(&self) -> f64 {
        self.ball().radius().min(self.manifold().diameter())
    }

    /// The quantum of a sum of squared distances, each cut off at the square of the reach.
    pub(crate) fn square_quantum(&self) -> f64 {
        Summand::NearestSquare { bases: vec![], clip: self.reach() }.quantum()
    }

    /// How many clusters there are, and where they begin.
    pub fn clusters(&self) -> &Clusters {
        &self.clusters
    }
}
