//! One site: the point of its release and the law of the noise.

use super::length::Part;
use super::resultant;
use crate::error::{Error, Result};
use crate::manifold::{Euclidean, Manifold};
use crate::mechanism::REACH_UNBENT;
use crate::noise::Law;
use crate::release::vector_law::{StatedNoise, VectorLaw};
use crate::release::{
    Adjacency, Flag, NoiseLaw, NoiseOf, PrivatePoint, PrivateSpread, PublishedRelease, StatisticName, Value,
};
use crate::sampler::Isotropic;
use std::f64::consts::FRAC_1_SQRT_2;
use std::sync::Arc;

/// The release of a site.
#[derive(Debug)]
pub(super) struct Site<'a> {
    pub(super) release: &'a PublishedRelease,
    pub(super) point: &'a PrivatePoint,
    /// The point before denoising.
    pub(super) noisy: &'a [f64],
    /// The noisy embedded mean, of an extrinsic mean.
    pub(super) embedded: Option<&'a [f64]>,
    /// The number of records.
    pub(super) n: f64,
    /// The lower end of its interval.
    pub(super) fewest: f64,
    law: VectorLaw,
    /// How much a noisy number of records moves the mean at its distance from the center.
    lean: f64,
    /// The mean square distance by which noise moves the point.
    pub(super) noise_square: f64,
    /// The bound of the bias.
    pub(super) bias: f64,
    /// The length of an embedded mean's error for one unit of distance.
    pub(super) embedded_length: f64,
}

impl<'a> Site<'a> {
    /// The `i`-th release, counted from 0, where records have such a mean square.
    pub(super) fn new(i: usize, release: &'a PublishedRelease, manifold: &dyn Manifold, square: f64) -> Result<Self> {
        let which = i + 1;
        let point = point_of(release).ok_or_else(|| refused(which, "is no mean: release one with karcher mean"))?;
        let how = &release.provenance;
        release
            .check_guarantee()
            .map_err(|error| Error::NotPermitted { reason: format!("release {which}: {error}") })?;
        let (n, fewest) = (records(release), how.private_count.map_or(records(release), |count| count.interval[0]));
        if !(n >= 1.0 && n.is_finite()) {
            return Err(refused(which, "has no records: leave it out"));
        }
        if how.flags.contains(&Flag::BeyondPrecision) {
            return Err(refused(which, "is beyond precision, so its numbers do not hold its point: leave it out"));
        }
        let noisy = point.noisy_value.as_ref().unwrap_or(&point.value);
        for x in [noisy, &point.value] {
            manifold.check_point(x).map_err(|error| refused(which, &format!("has no point of its space: {error}")))?;
        }
        let embedded = point.extrinsic.as_ref().filter(|_| how.statistic == StatisticName::ExtrinsicMean);
        let embedded = embedded.map(|extrinsic| &extrinsic.embedded_mean[..]);
        let unknown =
            "does not state the law of its noise, so its weight is unknown; release it with --mechanism chart";
        let law = match embedded {
            Some(mean) => {
                let numbers = manifold.embedding().map_or(0, |embedding| embedding.dim());
                if mean.len() != numbers || mean.iter().any(|x| !x.is_finite()) {
                    return Err(refused(which, &format!("needs an embedded mean of {numbers} finite numbers")));
                }
                if how.adjacency != Adjacency::ReplaceOne {
                    let what = "is an extrinsic mean with a confidential number of records, which are not pooled; \
                                release it with --adjacency replace-one";
                    return Err(refused(which, what));
                }
                embedded_law(release, numbers)
            }
            None => VectorLaw::of(manifold, &StatedNoise::of(how, point)),
        };
        let law = law.filter(|law| law.scale > 0.0 && law.mean_square().is_normal());
        let law = law.ok_or_else(|| refused(which, unknown))?;
        let mut site = Self {
            release,
            point,
            noisy,
            embedded,
            n,
            fewest,
            law,
            lean: 0.0,
            noise_square: 0.0,
            bias: 0.0,
            embedded_length: 1.0,
        };
        site.bias = how.bias_bound.unwrap_or(0.0).max(0.0);
        site.lean = law.lean * manifold.dist(how.ball.center(), noisy).min(how.ball.radius());
        site.law.scale *= site.stretch(manifold);
        let axes = manifold.dim() as f64 + site.lean * site.lean;
        site.noise_square = site.law.mean_square() * axes;
        if let Some(embedding) = manifold.embedding().filter(|_| embedded.is_some()) {
            site.embedded_length = embedding.stretch() * resultant(square, embedding.stretch(), embedding.radius());
            site.noise_square /= site.embedded_length * site.embedded_length;
        }
        match (site.noise_square + site.bias * site.bias).is_normal() {
            true => Ok(site),
            false => Err(refused(which, unknown)),
        }
    }

    /// How much longer noise in a chart may be than its coordinates: 1 unless curvature is negative. There the stated
    /// region is for the worst mean of the ball.
    fn stretch(&self, manifold: &dyn Manifold) -> f64 {
        let (law, dim) = (&self.law, manifold.dim());
        let is_plain = manifold.curvature().lower >= 0.0 || manifold.flat_chart().is_some() || law.numbers != dim;
        let Some(region) = self.point.region.filter(|_| law.in_chart && !is_plain) else { return 1.0 };
        let flat = Euclidean::new(dim).ok().and_then(|flat| Isotropic::new(Arc::new(flat), law.law, 1.0).ok());
        let flat = flat.and_then(|flat| flat.distance().ok()).map(|distance| distance.quantile(region.probability));
        flat.map_or(1.0, |flat| (region.radius - self.bias) / (law.scale * flat)).max(1.0)
    }

    /// The noise, times a weight.
    pub(super) fn part(&self, weight: f64) -> Part {
        Part { law: self.law.law, scale: weight * self.law.scale, numbers: self.law.numbers, lean: self.lean }
    }

    /// Whether the noise has the stated law in flat coordinates, without bias.
    pub(super) fn is_law_known(&self) -> bool {
        self.law.in_chart && self.bias == 0.0 && self.lean == 0.0
    }

    /// Upper end of the mean square distance of the clipped records, if the spread was released.
    pub(super) fn mean_square_at_most(&self, manifold: &dyn Manifold) -> Option<f64> {
        let spread = spread(self.release)?;
        let radius = self.release.provenance.ball.radius();
        let bends = manifold.curvature().upper.max(0.0).sqrt() * radius > REACH_UNBENT;
        // in a large ball clipped records may be farther from the mean than the unclipped ones
        let by_outside = if bends { 4.0 * radius * radius * spread.fraction_outside.interval[1] } else { 0.0 };
        Some(spread.mean_square.interval[1] + by_outside)
    }
}

/// The law of the noise on an embedded mean.
///
/// A matrix without a trace is at most `‖N‖∗/√2` long: its positive and its negative eigenvalues have the same sum. So
/// noise of the nuclear norm is no longer than isotropic noise of `1/√2` times its scale, both of gamma laws. That is not
/// proved of a sum of several draws, so the law does not count as known.
fn embedded_law(release: &PublishedRelease, numbers: usize) -> Option<VectorLaw> {
    let draws = release.provenance.noise_together();
    let drawn = draws.iter().find(|draw| draw.quantity == NoiseOf::Value)?;
    let (law, scale) = match drawn.law {
        NoiseLaw::NuclearLaplace => (Law::Laplace, drawn.scale * FRAC_1_SQRT_2),
        law => (law.on_numbers()?, drawn.scale),
    };
    Some(VectorLaw { law, scale, numbers, lean: 0.0, in_chart: drawn.law != NoiseLaw::NuclearLaplace })
}

fn refused(which: usize, what: &str) -> Error {
    Error::Incomparable { reason: format!("release {which} {what}") }
}

/// Rejects a release of another statistic than a mean.
pub(super) fn check_is_mean(which: usize, release: &PublishedRelease) -> Result<()> {
    let what = match release.provenance.statistic {
        StatisticName::FrechetMean => return Ok(()),
        StatisticName::ExtrinsicMean if point_of(release).is_some_and(|point| point.extrinsic.is_some()) => {
            return Ok(());
        }
        StatisticName::ExtrinsicMean => "an extrinsic mean without its embedded mean",
        other => other.description().kind,
    };
    let reason =
        format!("release {which} is of {what}: only means are pooled; make one with karcher mean at each site");
    Err(Error::Incomparable { reason })
}

/// The released point.
fn point_of(release: &PublishedRelease) -> Option<&PrivatePoint> {
    if let Value::Point(point) = &release.value { Some(point) } else { None }
}

/// Whether the numbers that were drawn with noise agree, except in their last bits, which anyone may change: a single
/// number in 48 bits, several in 40. Two releases agree so only by chance, unless noise is as small as those bits.
pub(crate) fn are_one(one: &PublishedRelease, other: &PublishedRelease) -> bool {
    let (Some(first), Some(second)) = (drawn(one), drawn(other)) else { return false };
    let bits = if first.len() == 1 { 48 } else { 40 };
    let largest = first.iter().chain(&second).fold(0.0_f64, |most, x| most.max(x.abs()));
    let near = largest / (1_u64 << bits) as f64;
    first.len() == second.len() && first.iter().zip(&second).all(|(x, y)| (x - y).abs() <= near)
}

/// The numbers that were drawn with noise.
fn drawn(release: &PublishedRelease) -> Option<Vec<f64>> {
    let point = point_of(release)?;
    let embedded = point.extrinsic.as_ref().map(|extrinsic| &extrinsic.embedded_mean);
    let numbers = embedded.or(point.noisy_value.as_ref()).unwrap_or(&point.value);
    let count = release.provenance.private_count.map(|count| count.noisy_value);
    Some(numbers.iter().copied().chain(count).collect())
}

/// The number of records: the public one, or the private one, at least 1.
pub(super) fn records(release: &PublishedRelease) -> f64 {
    match &release.provenance.private_count {
        Some(count) => count.divisor(),
        None => release.provenance.n.unwrap_or_default() as f64,
    }
}

/// The spread of the records, if it was released.
pub(super) fn spread(release: &PublishedRelease) -> Option<&PrivateSpread> {
    point_of(release)?.spread.as_deref()
}
