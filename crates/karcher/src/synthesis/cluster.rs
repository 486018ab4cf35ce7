//! Clusters: a law and a weight. The law of a release follows from its second moment.

use super::extrinsic::law_of_embedded;
use super::wrapped_normal::WrappedNormal;
use super::{Law, refused};
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::release::{self, PrivateClusters, PrivateComponents, PrivatePoint, PublishedRelease, Value};
use std::sync::Arc;

/// A law of points and its weight in a mixture.
#[derive(Debug)]
pub struct Cluster {
    weight: f64,
    law: Box<dyn Law>,
}

impl Cluster {
    /// The isotropic normal law about a center, with a root mean square distance from it.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless the spread is a positive number and the weight is not negative;
    /// [`Error::Geometry`] for a center that is no point.
    pub fn normal(manifold: Arc<dyn Manifold>, center: Vec<f64>, spread: f64, weight: f64) -> Result<Self> {
        manifold.check_point(&center)?;
        let is_weight = weight >= 0.0 && weight.is_finite();
        for (name, value, is_right) in [("spread", spread, is_spread(spread)), ("weight", weight, is_weight)] {
            if !is_right {
                return Err(Error::InvalidParameter {
                    name,
                    value,
                    requirement: "it must be a positive number".into(),
                });
            }
        }
        Ok(Self { weight, law: Box::new(WrappedNormal::isotropic(manifold, center, spread)) })
    }

    /// The law of a release, weighted by its number of records. `name` stands for the release in messages.
    ///
    /// A `spread` takes the place of the second moment. If a release has components and a spread, the components give
    /// the proportions and the spread the sum.
    ///
    /// # Errors
    /// [`Error::Field`] for a release without a second moment; [`Error::Incomparable`] for one that is no mean or
    /// median; [`Error::InvalidParameter`] for a spread that is not positive.
    pub fn of(
        manifold: &Arc<dyn Manifold>,
        name: &str,
        release: &PublishedRelease,
        spread: Option<f64>,
    ) -> Result<Self> {
        let how = &release.provenance;
        let Value::Point(point) = &release.value else {
            let found = how.statistic;
            return Err(refused(format!("{name} holds a {found}: synthetic records need a mean with its spread")));
        };
        let weight = how.n.map_or_else(|| how.private_count.as_ref().map_or(0.0, |count| count.value), |n| n as f64);
        let normal = |spread| Self::normal(manifold.clone(), point.value.clone(), spread, weight.max(0.0));
        if let Some(spread) = spread {
            return normal(spread);
        }
        let released = point.spread.as_ref().map(|spread| spread.root_mean_square).filter(|spread| is_spread(*spread));
        manifold.check_point(&point.value)?;
        let law = match &point.extrinsic {
            Some(extrinsic) => law_of_embedded(manifold, &point.value, extrinsic),
            None => along_components(manifold, point, released)?,
        };
        match (law, released) {
            (Some(law), _) => Ok(Self { weight: weight.max(0.0), law }),
            (None, Some(spread)) => normal(spread),
            (None, None) => Err(Error::Field { name: "spread", reason: missing(name, point) }),
        }
    }

    /// The clusters of a k-means with their weights, each with the normal law whose mean square is the released cost.
    ///
    /// # Errors
    /// [`Error::Field`] without a cost, unless there is a `spread`; [`Error::Geometry`] for a center that is no point.
    pub(super) fn of_k_means(
        manifold: &Arc<dyn Manifold>,
        found: &PrivateClusters,
        spread: Option<f64>,
    ) -> Result<Vec<Self>> {
        let released = found.cost.as_ref().map(|cost| cost.value.sqrt()).filter(|spread| is_spread(*spread));
        let Some(spread) = spread.or(released) else {
            let reason = match found.cost {
                Some(_) => "the noise hides how far records are from their centers: use a larger budget",
                None => "the clusters have no cost: release it with `cost`",
            };
            let reason = format!("is missing: {reason}; or give a public guess of the distance from a center here");
            return Err(Error::Field { name: "spread", reason });
        };
        let one =
            |cluster: &release::Cluster| Self::normal(manifold.clone(), cluster.center.clone(), spread, cluster.weight);
        found.clusters.iter().map(one).collect()
    }

    /// The share of records, up to a factor.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The law with its parameters, in words.
    pub fn about(&self) -> String {
        self.law.about()
    }

    pub(super) fn law(&self) -> &dyn Law {
        &*self.law
    }
}

/// Whether a number is a root mean square distance.
fn is_spread(spread: f64) -> bool {
    spread > 0.0 && spread.is_finite()
}

/// The normal law along released components: none if there are no components, or noise left no variance.
fn along_components(
    manifold: &Arc<dyn Manifold>,
    point: &PrivatePoint,
    spread: Option<f64>,
) -> Result<Option<Box<dyn Law>>> {
    let Some(components) = &point.components else { return Ok(None) };
    components.directions.iter().try_for_each(|direction| manifold.check_tangent(&point.value, direction))?;
    let mut variances = positive_part(components);
    let sum: f64 = variances.iter().sum();
    if !is_spread(sum) {
        return Ok(None);
    }
    let factor = spread.map_or(1.0, |spread| spread * spread / sum);
    variances.iter_mut().for_each(|variance| *variance *= factor);
    let (value, directions) = (point.value.clone(), &components.directions);
    Ok(Some(Box::new(WrappedNormal::along(manifold.clone(), value, directions, &variances))))
}

/// The released second moment, projected to be positive semidefinite. The shrunk one is nearer to the true one.
fn positive_part(components: &PrivateComponents) -> Vec<f64> {
    let is_shrunk = components.shrunk_variances.len() == components.variances.len();
    let variances = if is_shrunk { &components.shrunk_variances } else { &components.variances };
    variances.iter().map(|variance| variance.max(0.0)).collect()
}

/// The reason why a release has no law, and what to do.
fn missing(name: &str, point: &PrivatePoint) -> String {
    let reason = match point {
        PrivatePoint { extrinsic: Some(_), .. } => {
            "has no concentration: its space has no usual law, or its noise hides how far records are apart"
        }
        PrivatePoint { spread: None, components: None, .. } => {
            "has a mean and no second moment: release it with `spread`"
        }
        _ => "has so much noise that it hides how far records are apart: use a larger budget",
    };
    format!("is missing: {name} {reason}; or give a public guess of the root mean square distance here")
}
