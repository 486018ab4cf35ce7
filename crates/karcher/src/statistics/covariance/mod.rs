//! The mean and the covariance of vectors, from one noisy sum (user guide, D6).
//!
//! With `u = clip_r(x − c)/r` the mean of `(a·u, u·uᵀ)` over the records gets noise, in one exact sum. Both have less
//! noise than if the budget were divided between them: replacing a record moves all of it by no more than `(2 + a²)/√2`.
//! The covariance, its eigenvalues and eigenvectors are processing.

mod bounds;
mod description;
mod exceeded;
pub(crate) mod plan;

pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::PrivateFrechetMean;
use crate::mechanism::noise::exact::{check_length, check_one_radius};
use crate::records::{SquareWeight, SumQuery, Summand};
use crate::release::Adjacency;
use crate::spec::field;
use std::sync::Arc;

/// The largest dimension: a matrix of 32,896 numbers.
const LARGEST: usize = 256;

/// A request for the mean and the covariance of vectors in a public ball.
///
/// ```
/// use karcher::{Ball, Points, ReleaseContext, manifold::Euclidean, mechanism::{PrivateCovariance, Request}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// // confidential: along a diagonal, around (1, 1)
/// let records = (0..10_000).flat_map(|i| [0.5 + f64::from(i % 101) / 100.0; 2]).collect();
/// let covariance = PrivateCovariance::new(plane.clone(), Ball::at_origin(&*plane, 3.0)?)?;
/// let plan = Request::new(covariance, 10_000, Guarantee::gaussian(1.0)?).plan()?;
/// let release = plan.run(&Points::new(&*plane, records)?, &mut ReleaseContext::from_os()?)?;
/// let found = release.covariance().expect("it was asked for");
/// assert!((found.mean[0] - 1.0).abs() < 0.01 && (found.variances[0] - 0.17).abs() < 0.02);
/// assert!((found.directions[0][0] - 0.5_f64.sqrt()).abs() < 0.05);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateCovariance {
    pub(crate) seen: PrivateFrechetMean,
}

impl PrivateCovariance {
    /// The mean and the covariance of vectors that are clipped to a ball.
    ///
    /// # Errors
    /// [`Error::Geometry`] for a ball of another space. [`Error::Field`] on other spaces than `euclidean:D`, and
    /// [`Error::InvalidParameter`] for more than 256 dimensions, and for a radius whose square over- or underflows.
    ///
    /// ```
    /// use karcher::{Ball, manifold::{Euclidean, Sphere}, mechanism::PrivateCovariance};
    /// use std::sync::Arc;
    /// let (line, sphere) = (Arc::new(Euclidean::new(1)?), Arc::new(Sphere::new(2)?));
    /// assert!(PrivateCovariance::new(line.clone(), Ball::at_origin(&*line, 1.0)?).is_ok());
    /// assert!(PrivateCovariance::new(sphere.clone(), Ball::at_origin(&*sphere, 1.0)?).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball) -> Result<Self> {
        check_length("radius", ball.radius())?;
        check_one_radius(&ball)?;
        let space = manifold.space();
        if !space.as_str().starts_with("euclidean:") || !manifold.factors().is_empty() {
            let reason = format!(
                "is {space}, and a covariance is of vectors, on euclidean:D; elsewhere take components, in the tangent \
                 space at a private mean"
            );
            return Err(field("manifold", reason));
        }
        if manifold.dim() > LARGEST {
            let requirement = format!("a covariance is released of vectors of at most {LARGEST} numbers");
            return Err(Error::InvalidParameter { name: "dimension", value: manifold.dim() as f64, requirement });
        }
        let this = Self { seen: PrivateFrechetMean::new(manifold, ball)? };
        this.query(this.weight(Adjacency::ReplaceOne))?;
        Ok(this)
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        self.seen.manifold()
    }

    /// The public ball, to which records are clipped.
    pub fn ball(&self) -> &Ball {
        self.seen.ball()
    }

    /// The weight of the mean next to the second moment: a function of the dimension.
    pub fn weight(&self, adjacency: Adjacency) -> SquareWeight {
        match adjacency {
            Adjacency::ReplaceOne => SquareWeight::for_replacing(self.manifold().dim()),
            Adjacency::AddRemove => SquareWeight::for_adding(),
        }
    }

    /// The sum over the records.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a radius that no vector is bounded to.
    pub fn query(&self, weight: SquareWeight) -> Result<SumQuery> {
        let base = self.seen.centered().center().to_vec();
        self.seen.query_of(Summand::VectorAndSquare { base, clip: self.ball().radius(), weight })
    }
}
