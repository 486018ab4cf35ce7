//! Confidence regions: a release's ball around the mean of the clipped records, with a stated probability.

use karcher::manifold::Euclidean;
use karcher::mechanism::{NumericsPolicy, PrivateFrechetMean, Request};
use karcher::privacy::Guarantee;
use karcher::release::{
    Coverage, MechanismName, PartName, PrivateCount, PrivatePoint, Provenance, PublishedRelease, Region as Stated,
    RegionCenter, Value,
};
use karcher::sampler::{DistanceLaw, Isotropic, Law};
use karcher::{Manifold, Result};
use std::sync::Arc;

/// The points within a radius of a published one.
#[derive(Debug, Clone)]
pub struct Region {
    /// The middle: mostly the value as it was before denoising, because that is what the law of the noise speaks of.
    pub middle: Vec<f64>,
    /// The kind of the middle.
    pub center: RegionCenter,
    /// The distance that is exceeded with no larger probability than the region allows.
    pub radius: f64,
    /// The requested probability.
    pub probability: f64,
    /// Whether it is exact, a lower bound or approximate.
    pub coverage: Coverage,
    /// The law of that distance; an extrinsic mean has none.
    pub law: Option<DistanceLaw>,
    /// What the region holds.
    pub holds: &'static str,
    /// The distance from the middle within which the mean of the population is, if it was released.
    pub population: Option<f64>,
}

/// The region of a private mean. `None` for a regression, and where no law of the noise is known.
pub fn of(release: &PublishedRelease, manifold: &Arc<dyn Manifold>) -> Option<Region> {
    let Value::Point(point) = &release.value else { return None };
    if let Some(extrinsic) = &point.extrinsic {
        // the cone of confidence of one direction, which is what people draw
        let factor = extrinsic.factors.first().filter(|_| extrinsic.factors.len() == 1)?;
        let drawn = |region: Option<Stated>| region.filter(|region| !factor.is_everywhere(region.radius));
        let (region, holds) = match (drawn(factor.population_region), drawn(point.region)) {
            (Some(region), _) => (region, "the mean of the population"),
            (None, Some(region)) => (region, "the extrinsic mean of the records"),
            (None, None) => return None,
        };
        return Some(Region {
            middle: point.value.clone(),
            center: region.center,
            radius: region.radius,
            probability: region.probability,
            coverage: region.coverage,
            law: None,
            holds,
            population: None,
        });
    }
    let region = point.region.as_ref()?;
    let law = Some(law(release, manifold).ok().flatten()?);
    let holds = "the mean of the clipped records";
    let noisy = point.noisy_value.as_ref().filter(|_| region.center == RegionCenter::NoisyValue);
    let (radius, middle) = (region.radius, noisy.unwrap_or(&point.value).clone());
    let (center, probability, coverage) = (region.center, region.probability, region.coverage);
    let population = point.spread.as_ref().and_then(|spread| spread.population_region);
    let population = population.filter(|wider| wider.center == center).map(|wider| wider.radius);
    let region = Region { middle, center, radius, probability, coverage, law, holds, population };
    (radius.is_finite() && radius > 0.0).then_some(region)
}

impl Region {
    /// The probability in few words: `≥ 95 %`.
    pub fn percent(&self) -> String {
        let percent = (1e4 * self.probability).round() / 100.0;
        let sign = match self.coverage {
            Coverage::Exactly => "",
            Coverage::AtLeast => "≥ ",
            Coverage::Approximately | Coverage::Asymptotically => "≈ ",
        };
        format!("{sign}{percent} %")
    }
}

/// The law of the distance between the value before denoising and the one without privacy, without the bias of a
/// Karcher flow.
fn law(release: &PublishedRelease, manifold: &Arc<dyn Manifold>) -> Result<Option<DistanceLaw>> {
    let of_mean = of_mean(release);
    let release = &release.provenance;
    let drawn = |law| Isotropic::new(Arc::clone(manifold), law, release.scale)?.distance();
    if let Some(count) = &release.private_count {
        return with_count(release, count, of_mean, manifold);
    }
    let is_by = |mechanism| release.mechanism == mechanism;
    // the gradient of a mean of vectors is the mean
    if is_by(MechanismName::Laplace) || is_by(MechanismName::Kng) && manifold.flat_chart().is_some() {
        return drawn(Law::Laplace).map(Some);
    }
    if is_by(MechanismName::Gaussian) {
        return drawn(Law::Gaussian).map(Some);
    }
    if is_by(MechanismName::Chart) {
        return chart(release, of_mean, manifold);
    }
    if is_by(MechanismName::KarcherFlow) {
        // the accumulated noise of all steps is normal in the tangent space
        let flat: Arc<dyn Manifold> = Arc::new(Euclidean::new(manifold.dim())?);
        let unit = Isotropic::new(Arc::clone(&flat), Law::Gaussian, 1.0)?.distance()?.mean();
        return Ok(Some(Isotropic::new(flat, Law::Gaussian, release.expected_distance / unit)?.distance()?));
    }
    Ok(None)
}

/// The same where the number of records is confidential: the law for as many as the private number says.
fn with_count(
    release: &Provenance,
    count: &PrivateCount,
    of_mean: Guarantee,
    manifold: &Arc<dyn Manifold>,
) -> Result<Option<DistanceLaw>> {
    let mean = PrivateFrechetMean::new(Arc::clone(manifold), release.ball.clone())?;
    let n = count.noisy_value.max(1.0).round() as usize;
    let request = Request::new(mean, n, of_mean).adjacency(release.adjacency).numerics(NumericsPolicy::Any);
    let request = request.steps(release.steps.as_ref().map(Vec::len));
    Ok(request.plan_by(release.mechanism)?.distance().cloned())
}

/// The part of the guarantee that was spent on the mean, where more was released with it.
fn of_mean(release: &PublishedRelease) -> Guarantee {
    let all = &release.provenance;
    let of_point = |point: &PrivatePoint| {
        let spread = point.spread.as_ref().map(|spread| spread.mean_guarantee);
        spread.or(point.components.as_ref().map(|components| components.mean_guarantee))
    };
    let of_part = if let Value::Point(point) = &release.value { of_point(point) } else { None };
    let parts = all.located.iter().flat_map(|located| &located.ball.parts);
    let located = parts.filter(|part| part.part == PartName::Mean).map(|part| part.guarantee).next();
    of_part.or(located).unwrap_or(all.guarantee)
}

/// The plan's choice between two laws for such a release; it depends on public quantities alone.
fn chart(release: &Provenance, of_mean: Guarantee, manifold: &Arc<dyn Manifold>) -> Result<Option<DistanceLaw>> {
    let mean = PrivateFrechetMean::new(Arc::clone(manifold), release.ball.clone())?;
    let request = Request::new(mean, release.n.unwrap_or(1), of_mean).numerics(NumericsPolicy::Any);
    Ok(request.plan_by(MechanismName::Chart)?.distance().cloned())
}
