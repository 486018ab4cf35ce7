//! Where the mean of the clipped records is with 95 %, as far as a release tells.

use karcher::manifold::Euclidean;
use karcher::mechanism::{Accept, PrivateFrechetMean, Request};
use karcher::release::{MechanismName, Provenance, PublishedRelease, Value};
use karcher::sampler::{DistanceLaw, Isotropic, Law};
use karcher::{Manifold, Result};
use std::sync::Arc;

/// The probability.
pub const PROBABILITY: f64 = 0.95;

/// The points that are so near to a published one.
#[derive(Debug, Clone)]
pub struct Region {
    /// The middle: the value as it was before denoising, because that is what the law of the noise speaks of.
    pub middle: Vec<f64>,
    /// The distance that the noise exceeds with a probability of 5 %.
    pub radius: f64,
    /// The law of that distance.
    pub law: DistanceLaw,
}

/// The region of a private mean. `None` for a regression, and where no law of the noise is known.
pub fn of(release: &PublishedRelease, manifold: &Arc<dyn Manifold>) -> Option<Region> {
    let Value::Point(point) = &release.value else { return None };
    let law = law(&release.provenance, manifold).ok().flatten()?;
    let radius = law.quantile(PROBABILITY);
    let middle = point.noisy_value.as_ref().unwrap_or(&point.value).clone();
    (radius.is_finite() && radius > 0.0).then_some(Region { middle, radius, law })
}

/// The law of the distance between the value before denoising and the one without privacy, but for the bias of a
/// Karcher flow.
fn law(release: &Provenance, manifold: &Arc<dyn Manifold>) -> Result<Option<DistanceLaw>> {
    let drawn = |law| Isotropic::new(Arc::clone(manifold), law, release.scale)?.distance();
    Ok(match release.mechanism {
        MechanismName::Laplace => Some(drawn(Law::Laplace)?),
        MechanismName::Gaussian => Some(drawn(Law::Gaussian)?),
        // the gradient of a mean of vectors is the mean
        MechanismName::Kng if manifold.flat_chart().is_some() => Some(drawn(Law::Laplace)?),
        MechanismName::Chart => chart(release, manifold)?,
        // what arrives of the noise of all steps is normal in the tangent space
        MechanismName::KarcherFlow => {
            let flat: Arc<dyn Manifold> = Arc::new(Euclidean::new(manifold.dim())?);
            let unit = Isotropic::new(Arc::clone(&flat), Law::Gaussian, 1.0)?.distance()?.mean();
            Some(Isotropic::new(flat, Law::Gaussian, release.expected_distance / unit)?.distance()?)
        }
        _ => None,
    })
}

/// What the plan of such a release announces: of two laws it takes one, which depends on public quantities alone.
fn chart(release: &Provenance, manifold: &Arc<dyn Manifold>) -> Result<Option<DistanceLaw>> {
    let mean = PrivateFrechetMean::new(Arc::clone(manifold), release.ball.clone())?;
    let request = Request::new(mean, release.n, release.guarantee).numerics(Accept::Any);
    Ok(request.plan_by(MechanismName::Chart)?.distance().cloned())
}
