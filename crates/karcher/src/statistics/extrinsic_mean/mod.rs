//! Extrinsic means: means of embedded records, without a ball (user guide, H1).
//!
//! A compact space has an equivariant [embedding](Embedding) `J` in a Euclidean space: directions are unit vectors,
//! axes `xxᵀ` without the trace. The mean of the embedded records is one exact sum. It gets noise, and the point with
//! the nearest embedding is the private **extrinsic mean**. There is no center, no radius, no clipping and no cut
//! locus.
//!
//! Replacing a record moves the sum by at most the diameter of the embedded space; one record more or less moves it by
//! its radius. Everything after the noise is processing: the point, and all of [`inference`].

pub(crate) mod bingham;
mod concentration;
mod description;
mod frechet;
mod inference;
mod noise;
mod plan;
mod spread_of_noise;

pub(crate) use spread_of_noise::DRAWS;
pub(super) use spread_of_noise::{Kind, Spherical};

pub use plan::ExtrinsicMeanPlan;

pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::embedding::Embedding;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::{Mechanism, Plan, Request};
use crate::records::{Centered, Preprocessing, SumQuery, Summand};
use crate::release::MechanismName;
use std::sync::Arc;

/// The extrinsic mean on a compact space.
///
/// ```
/// use karcher::{Points, ReleaseContext, manifold::{Manifold, Sphere}, mechanism::{PrivateExtrinsicMean, Request}};
/// use karcher::privacy::Guarantee;
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let records = Points::new(&*sphere, [0.6, 0.0, 0.8, 0.0, 0.6, 0.8].repeat(1_000))?;
/// let mean = PrivateExtrinsicMean::new(sphere.clone())?; // no ball
/// let release = Request::new(mean, 2_000, Guarantee::pure(1.0)?).plan()?.run(&records, &mut ReleaseContext::from_os()?)?;
/// let between = [0.3, 0.3, 0.8].map(|x| x / 0.82_f64.sqrt());
/// assert!(sphere.dist(release.value(), &between) < 0.1);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateExtrinsicMean {
    manifold: Arc<dyn Manifold>,
    whole: Ball,
    /// The length of an embedded point.
    radius: f64,
}

/// See `records/quantum.rs`: lengths are quickly checked up to `1 − 2⁻¹⁸` of the square of a bound.
const ABOVE: f64 = 1.0 + 1.0 / (1_u64 << 18) as f64;

impl PrivateExtrinsicMean {
    /// The extrinsic mean on a space with an embedding.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on a space without one.
    ///
    /// ```
    /// use karcher::{manifold::{Hyperbolic, Rotations}, mechanism::PrivateExtrinsicMean};
    /// use std::sync::Arc;
    /// assert!(PrivateExtrinsicMean::new(Arc::new(Rotations::new(3)?)).is_ok());
    /// assert!(PrivateExtrinsicMean::new(Arc::new(Hyperbolic::new(2)?)).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: Arc<dyn Manifold>) -> Result<Self> {
        let radius = embedding_of(&*manifold)?.radius();
        let whole = Ball::at_origin(&*manifold, manifold.diameter())?;
        Ok(Self { manifold, whole, radius })
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        &self.manifold
    }

    /// The whole space, as a ball: it holds every record.
    pub fn ball(&self) -> &Ball {
        &self.whole
    }

    /// The sum of the embedded records.
    ///
    /// # Errors
    /// None for a mean that exists.
    pub fn query(&self) -> Result<SumQuery> {
        let centered = Centered::new(&self.manifold, &self.whole)?;
        SumQuery::new(Preprocessing { centered, clip: false, predictors: None }, self.term())
    }

    /// Embedded records, cut to a length slightly above theirs: then no record needs cutting.
    fn term(&self) -> Summand {
        Summand::Embedded { bound: self.radius * ABOVE }
    }
}

/// The embedding of a space.
fn embedding_of(manifold: &dyn Manifold) -> Result<Box<dyn Embedding>> {
    let refused = |reason: String| {
        let space = manifold.space().clone();
        let reason = format!("{reason}: give a ball (center and radius), or locate one");
        Error::Unsupported { mechanism: MechanismName::Extrinsic.name(), space, reason }
    };
    let embedding = manifold.embedding();
    let embedding = embedding.ok_or_else(|| refused("the space has no embedding that turns with it".to_owned()))?;
    match embedding.dim() {
        ..=LARGEST => Ok(embedding),
        numbers => Err(refused(format!("an embedded point has {numbers} numbers, and at most {LARGEST} are summed"))),
    }
}

/// The most numbers in an embedded point: the proof of the sensitivity is for so many.
const LARGEST: usize = 1_000_000;

/// `extrinsic`: noise on the mean of embedded records.
#[derive(Debug)]
pub struct Extrinsic;

impl Mechanism for Extrinsic {
    fn name(&self) -> MechanismName {
        MechanismName::Extrinsic
    }

    fn about(&self) -> &'static str {
        "Noise on the mean of embedded records, drawn in integers: without a ball, on spheres, axes, rotations, \
         shapes, subspaces, angles and their products, for every budget"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["expected_spread"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        Ok(Box::new(ExtrinsicMeanPlan::new(request.asked(self.name())?, request)?))
    }

    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        self.plan(request) // it is for the neighbours that the request names
    }
}
