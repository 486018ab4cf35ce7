//! A specification of each statistic of the registry, on any space.

use super::{features, squared, three_steps};
use karcher::mechanism::Request;
use karcher::release::{StatisticName, ValueKind};
use karcher::spec::{BallSpec, Clusters, Quantiles};
use karcher::{Ball, Manifold, PredictorRange, ReleaseSpec};
use std::sync::Arc;

/// Statistics that are planned by a request on a space: not a count, a score or a choice, and not the record of one
/// person.
pub fn requested() -> impl Iterator<Item = StatisticName> {
    let is_on_space = |name: &StatisticName| example(*name).manifold.is_some();
    StatisticName::ALL
        .into_iter()
        .filter(move |name| is_on_space(name) && name.description().value != ValueKind::Record)
}

/// The specification in the description of a statistic.
pub fn example(statistic: StatisticName) -> ReleaseSpec {
    serde_json::from_str(statistic.description().example).unwrap_or_else(|error| panic!("{statistic}: {error}"))
}

/// The same on a space, in a ball of a radius around the origin, with the features of `with_features`.
pub fn example_on(statistic: StatisticName, manifold: &Arc<dyn Manifold>, radius: f64) -> ReleaseSpec {
    let spec = example(statistic);
    let center = Ball::at_origin(&**manifold, radius).unwrap().center().to_vec();
    let outer = manifold.diameter().min(5.0);
    ReleaseSpec {
        manifold: spec.manifold.map(|_| manifold.space().clone()),
        ball: spec.ball.map(|ball| match ball {
            BallSpec::Locate { .. } => BallSpec::Locate { center, within: outer, quantile: None },
            BallSpec::Known { .. } | BallSpec::Factors { .. } => BallSpec::Known { center, radius },
        }),
        slope_bound: spec.slope_bound.map(|_| (0.5 * manifold.injectivity_radius()).min(0.8)),
        predictor_range: spec.predictor_range.map(|_| PredictorRange::new(0.0, 1.0).unwrap()),
        features: spec.features.map(|_| features()),
        clusters: spec.clusters.map(|clusters| Clusters { cost: true, ..clusters }),
        // of few cells, so that all numbers are looked at soon
        quantiles: (statistic == StatisticName::Quantiles)
            .then(|| Quantiles { cells: Some(32), ..Quantiles::default() }),
        descent: spec.descent.map(|_| three_steps(&**manifold, radius)),
        ..spec
    }
}

/// The request of a specification. A descent is on half the squared distance.
pub fn request_of(spec: &ReleaseSpec, n: usize) -> karcher::Result<Request> {
    match &spec.descent {
        Some(_) => Ok(Request::new(spec.descent()?.gradient(squared(&spec.manifold()?))?, n, spec.budget)),
        None => spec.request(n),
    }
}
