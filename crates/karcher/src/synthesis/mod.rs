//! Synthetic records: made-up points with the mean and the second moment of a release.
//!
//! It is processing of released numbers. It reads no record, costs no privacy, and needs no ledger. The law is one that
//! is usual for the release:
//!
//! | release | law |
//! | --- | --- |
//! | a mean with its spread or its components | the normal law of the tangent space, carried over by `Exp` |
//! | an extrinsic mean of directions or angles | von Mises–Fisher |
//! | an extrinsic mean of axes or rotations | Bingham, or Watson if noise leaves one concentration only |
//! | an extrinsic mean of shapes | complex Watson |
//! | several of them, such as the means of groups | a mixture: each [`Cluster`] has its own law |
//! | a k-means with its cost | a mixture of normal laws about the centers, with one spread |
//!
//! [`KEPT`] says what such records are good for. A release without a second moment is refused, unless you give a
//! public guess of the spread.

mod bingham;
mod cluster;
mod extrinsic;
mod von_mises_fisher;
mod watson;
mod wrapped_normal;

pub use cluster::Cluster;

use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::points::{Points, check_space};
use crate::release::{PublishedRelease, Value};
use crate::sampler::Generator;
use std::fmt::Debug;
use std::sync::Arc;

/// What synthetic records keep of the records behind a release.
pub const KEPT: &str = "synthetic records keep the released mean and second moment, of each group or cluster if there \
                        are several, and nothing else: not the shape of the distribution, not its outliers, and no \
                        relation to other columns";

/// The most numbers in all points of one draw.
const LARGEST: usize = 50_000_000;

/// A law on a space.
trait Law: Debug + Send + Sync {
    /// Writes a point.
    fn draw(&self, generator: &mut Generator, out: &mut [f64]);

    /// The law with its parameters, in words.
    fn about(&self) -> String;
}

/// A source of synthetic records: the law of a release, or a mixture of several.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::{Manifold, Sphere}, privacy::Guarantee};
/// use karcher::mechanism::{PrivateFrechetMean, Request, Spread};
/// use karcher::{sampler::Generator, synthesis::Synthesis};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let records = Points::new(&*sphere, [0.6, 0.0, 0.8, 0.0, 0.6, 0.8].repeat(1_000))?;
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::new(&*sphere, vec![0.0, 0.0, 1.0], 0.8)?)?;
/// let request = Request::new(mean, 2_000, Guarantee::pure(1.0)?).spread(Some(Spread::default()));
/// let release = request.plan()?.run(&records, &mut ReleaseContext::from_os()?)?;
///
/// let synthesis = Synthesis::of(&release.into(), None)?;
/// let made_up = synthesis.draw(500, &mut Generator::seeded(1))?;
/// assert_eq!((made_up.points.len(), made_up.sizes), (500, vec![500]));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug)]
pub struct Synthesis {
    manifold: Arc<dyn Manifold>,
    clusters: Vec<Cluster>,
}

/// Synthetic records.
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    /// The points, cluster after cluster.
    pub points: Points,
    /// How many are of each cluster.
    pub sizes: Vec<usize>,
}

impl Synthesis {
    /// The law that one release has; that of a k-means is a mixture. A `spread` takes the place of its second moment: a public guess of the root mean
    /// square distance of records from their mean.
    ///
    /// # Errors
    /// As for [`Cluster::of`].
    pub fn of(release: &PublishedRelease, spread: Option<f64>) -> Result<Self> {
        if let Value::Clusters(found) = &release.value {
            let manifold = release.provenance.manifold.manifold()?;
            let clusters = Cluster::of_k_means(&manifold, found, spread)?;
            return Self::mixture(manifold, clusters);
        }
        Self::of_groups([("the release", release)], spread)
    }

    /// The mixture of several releases on one space, each with its name: of groups, or of classes. The weights are the
    /// numbers of records, public or private.
    ///
    /// # Errors
    /// As for [`Cluster::of`], and for releases on different spaces.
    pub fn of_groups<'a>(
        releases: impl IntoIterator<Item = (&'a str, &'a PublishedRelease)>,
        spread: Option<f64>,
    ) -> Result<Self> {
        let releases: Vec<_> = releases.into_iter().collect();
        let first = releases.first().ok_or_else(|| refused("there is no release".to_owned()))?;
        let manifold = first.1.provenance.manifold.manifold()?;
        let cluster = |(name, release): &(&str, &PublishedRelease)| {
            check_space("a release", manifold.space(), &release.provenance.manifold)?;
            Cluster::of(&manifold, name, release, spread)
        };
        let clusters = releases.iter().map(cluster).collect::<Result<_>>()?;
        Self::mixture(manifold, clusters)
    }

    /// A mixture of clusters, with weights that need not sum to 1.
    ///
    /// ```
    /// use karcher::{manifold::Euclidean, sampler::Generator, synthesis::{Cluster, Synthesis}};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let cluster = |center, weight| Cluster::normal(line.clone(), vec![center], 0.1, weight);
    /// let mixture = Synthesis::mixture(line.clone(), vec![cluster(0.0, 3.0)?, cluster(5.0, 1.0)?])?;
    /// assert_eq!(mixture.draw(100, &mut Generator::from_os()?)?.sizes, [75, 25]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Incomparable`] unless a weight is positive.
    pub fn mixture(manifold: Arc<dyn Manifold>, clusters: Vec<Cluster>) -> Result<Self> {
        let sum: f64 = clusters.iter().map(Cluster::weight).sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(refused("no cluster has records, so there is nothing to draw from".to_owned()));
        }
        Ok(Self { manifold, clusters })
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        &self.manifold
    }

    /// The clusters.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// Draws `n` records, cluster after cluster. Each cluster has its share of them, rounded.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for more than 50 million numbers, and where a spread is so wide that points leave
    /// double precision.
    pub fn draw(&self, n: usize, generator: &mut Generator) -> Result<Synthetic> {
        let len = self.manifold.point_len();
        if n == 0 || n > LARGEST / len {
            let most = LARGEST / len;
            let requirement = format!("on {} it must be from 1 to {most}; draw more in parts", self.manifold.space());
            return Err(Error::InvalidParameter { name: "n", value: n as f64, requirement });
        }
        let sizes = self.sizes(n);
        let mut values = vec![0.0; n * len];
        let mut rows = values.chunks_exact_mut(len);
        for (cluster, size) in self.clusters.iter().zip(&sizes) {
            for out in rows.by_ref().take(*size) {
                cluster.law().draw(generator, out);
                self.manifold.repair(out);
            }
        }
        let points = Points::new(&*self.manifold, values).map_err(|_| {
            let reason = "is so wide that points leave double precision; give a smaller one".to_owned();
            Error::Field { name: "spread", reason }
        })?;
        Ok(Synthetic { points, sizes })
    }

    /// The shares of `n` records by the method of largest remainders.
    fn sizes(&self, n: usize) -> Vec<usize> {
        let sum: f64 = self.clusters.iter().map(Cluster::weight).sum();
        let shares: Vec<f64> = self.clusters.iter().map(|cluster| n as f64 * (cluster.weight() / sum)).collect();
        let mut sizes: Vec<usize> = shares.iter().map(|share| share.floor() as usize).collect();
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by(|a, b| shares[*b].fract().total_cmp(&shares[*a].fract()));
        let left = n.saturating_sub(sizes.iter().sum());
        order.into_iter().take(left).for_each(|i| sizes[i] += 1);
        sizes
    }
}

fn refused(reason: String) -> Error {
    Error::Incomparable { reason }
}
