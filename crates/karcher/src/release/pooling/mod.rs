//! Pooling: one mean from the releases of several sites, without any protocol between them (user guide, F2).

mod length;
mod over_sites;
mod site;

use self::length::{Part, SumLength};
pub use self::over_sites::MeanOverSites;
use self::site::Site;
pub(super) use self::site::are_one;
use super::{
    Adjacency, Coverage, Flag, Numerics, PrivacyUnit, Promise, PublishedRelease, Region, RegionCenter, StatisticName,
};
use crate::Space;
use crate::audit::check_verified;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::steepness;
use crate::nonprivate::FrechetMean;
use crate::points::Points;
use crate::privacy::Guarantee;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, PI};

/// The probability of regions.
const PROBABILITY: f64 = 0.95;

/// The standard normal number that is exceeded in absolute value with 5 %.
const NORMAL_95: f64 = 1.959_964;

/// A mean that was pooled from the releases of several sites. It processes public values, so it costs no budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PooledMean {
    /// The space.
    pub manifold: Space,
    /// The statistic of all releases: the Fréchet or the extrinsic mean.
    pub statistic: StatisticName,
    /// The pooled point.
    pub value: Vec<f64>,
    /// The pooled point before it was projected onto the ball, if all releases have the same ball.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noisy_value: Option<Vec<f64>>,
    /// The pooled embedded mean, for extrinsic means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedded_mean: Option<Vec<f64>>,
    /// The weights of the releases, in their order. Their sum is 1.
    pub weights: Vec<f64>,
    /// The root mean square distance of records from their mean that the weights assume, in units of distance.
    pub spread: f64,
    /// Where that number comes from.
    pub spread_source: SpreadSource,
    /// The number of records of all sites, approximate where it is confidential.
    pub n: f64,
    /// The root mean square distance by which noise moves the pooled point, in units of distance.
    pub noise_error: f64,
    /// Region for the weighted mean of the sites' means of clipped records. Absent where no law is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
    /// Region for the weighted mean of the sites' populations, clipped to their balls. It needs a spread, given or
    /// released by every site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population_region: Option<Region>,
    /// The mean over sites, if there are several whose populations may differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_sites: Option<MeanOverSites>,
    /// Whether all sites clipped their records to the same ball.
    pub same_ball: bool,
    /// The guarantee of all releases together, for people who are at one site each. Absent where the definitions of the
    /// releases have no common one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guarantee: Option<Guarantee>,
    /// The guarantee of each release, in their order.
    pub guarantees: Vec<Guarantee>,
    /// The privacy unit.
    pub unit: PrivacyUnit,
    /// Which data sets count as neighbours.
    pub adjacency: Adjacency,
    /// The subject of the proof: the weakest of all releases.
    pub numerics: Numerics,
    /// The flags of all releases, each once.
    pub flags: Vec<Flag>,
}

/// The source of the spread that weights assume.
///
/// ```
/// use karcher::release::SpreadSource;
/// assert_eq!(serde_json::to_value(SpreadSource::Released)?, "released");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpreadSource {
    /// The caller gave it.
    Given,
    /// It combines the spreads of the releases, each with its number of records as the weight.
    Released,
    /// It is unknown and counts as 0: noise alone decides the weights.
    Unknown,
}

/// Pools private means of **different people**, one release from each site, into one mean.
///
/// The weights are the best ones of public numbers (user guide, F2),
///
/// ```text
/// w_i ∝ 1/(s²/n_i + v_i),
/// ```
///
/// with `s` the spread of records about their mean, `n_i` the number of records and `v_i` the mean square of the noise.
/// `s` is `spread`, in units of distance, or follows from the spreads of the releases. Without either it is 0, which
/// makes the region the smallest one.
///
/// The pooled point is the weighted Fréchet mean of the released points **before denoising**: those have no bias. If
/// all sites have the same ball, the mean is projected onto it. Of extrinsic means it is the projection of the weighted
/// mean of the embedded means. The order of the releases does not matter, to the last bit. One release alone stays as
/// it is.
///
/// The region holds with 95 % confidence on flat spaces. Laplace noise takes a simulation of 10,000 draws with a public
/// seed; its upper confidence bound counts. On curved spaces the region is approximate: noise is added in the tangent
/// space.
///
/// Where the populations of the sites differ, the region says nothing of that: [`over_sites`](PooledMean::over_sites)
/// estimates the mean over sites, and how much they differ.
///
/// The guarantee is that of parallel composition, as each person must be at one site only. This cannot be checked. With
/// [`Adjacency::ReplaceOne`] a replaced person stays at the same site.
///
/// # Errors
/// [`Error::InvalidParameter`] for a spread that is negative or not finite.
///
/// [`Error::NotPermitted`] for a release that states more than its noise keeps.
///
/// [`Error::Incomparable`] for a release that contradicts its own specification
/// ([`PublishedRelease::verify`]). Also for no releases, a copy, two releases of one ledger, and other statistics than
/// means. Also for different spaces, statistics, privacy units or neighbours. It is returned for noise of an unknown
/// law too, and for points without a unique mean.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
/// use karcher::{privacy::Guarantee, release::{PublishedRelease, pool}};
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// let site = |n: usize, epsilon: f64| -> karcher::Result<PublishedRelease> {
///     let mean = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 1.0)?)?;
///     let plan = Request::new(mean, n, Guarantee::pure(epsilon)?).plan()?;
///     Ok(plan.run(&Points::new(&*plane, [0.3, 0.4].repeat(n))?, &mut ReleaseContext::from_os()?)?.into())
/// };
/// let (small, large) = (site(500, 1.0)?, site(1_000, 0.5)?);
/// let pooled = pool(&[&small, &large], None)?;
/// assert!((pooled.weights[0] - 0.5).abs() < 1e-3); // n·ε is the same
/// assert_eq!(pooled.guarantee, Some(Guarantee::pure(1.0)?)); // the weaker of the two
/// assert!(pool(&[&small, &small], None).is_err()); // the same people
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn pool(releases: &[&PublishedRelease], spread: Option<f64>) -> Result<PooledMean> {
    if let Some(value) = spread.filter(|spread| !(0.0..=1e150).contains(spread)) {
        let requirement =
            "it must be a length that is not negative: the root mean square distance of the records from \
                           their mean"
                .to_owned();
        return Err(Error::InvalidParameter { name: "spread", value, requirement });
    }
    check_together(releases)?;
    let manifold = releases[0].provenance.manifold.manifold()?;
    let (square, spread_source) = square_of(releases, spread);
    // in an order of their own, so that the given one does not matter to the bits
    let keys: Vec<String> = releases.iter().map(|release| serde_json::to_string(release).unwrap_or_default()).collect();
    let mut order: Vec<usize> = (0..releases.len()).collect();
    order.sort_by(|i, j| keys[*i].cmp(&keys[*j]));
    let sites = order.iter().map(|i| Site::new(*i, releases[*i], &*manifold, square));
    let sites = sites.collect::<Result<Vec<Site<'_>>>>()?;
    check_verified(releases)?;
    let sites = Sites { all: sites, manifold: &*manifold, square, spread_source };
    sites.pooled(&order)
}

/// The mean square that weights assume, and its source.
fn square_of(releases: &[&PublishedRelease], spread: Option<f64>) -> (f64, SpreadSource) {
    if let Some(spread) = spread {
        return (spread * spread, SpreadSource::Given);
    }
    let mut found: Vec<(f64, f64)> = releases
        .iter()
        .filter_map(|release| Some((site::records(release), site::spread(release)?.mean_square.noisy_value)))
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let records: f64 = found.iter().map(|(n, _)| n).sum();
    let square = found.iter().map(|(n, square)| n * square).sum::<f64>() / records;
    match found.is_empty() {
        true => (0.0, SpreadSource::Unknown),
        // noise has mean zero, so only the combined number is cut off
        false => (if square.is_finite() { square.max(0.0) } else { 0.0 }, SpreadSource::Released),
    }
}

/// All sites, in an order that does not depend on the given one.
struct Sites<'a> {
    all: Vec<Site<'a>>,
    manifold: &'a dyn Manifold,
    square: f64,
    spread_source: SpreadSource,
}

impl Sites<'_> {
    fn pooled(&self, order: &[usize]) -> Result<PooledMean> {
        let first = self.all[0].release;
        let weights = self.weights();
        let is_one_ball = self.all.iter().all(|site| site.release.provenance.ball == first.provenance.ball);
        let middle = self.middle(&weights, is_one_ball)?;
        let over_sites = self.over_sites(&middle, is_one_ball, order);
        let Middle { value, noisy_value, embedded_mean } = middle;
        let parts: Vec<Part> = self.all.iter().zip(&weights).map(|(site, weight)| site.part(*weight)).collect();
        let region = self.region(&parts, &weights, embedded_mean.as_deref(), noisy_value.is_some());
        let population_region = region.and_then(|region| self.population_region(region, &weights));
        let square = |(site, weight): (&Site<'_>, &f64)| weight * weight * site.noise_square;
        let bias = self.bias(&weights);
        let noise_error = (self.all.iter().zip(&weights).map(square).sum::<f64>() + bias * bias).sqrt();
        let promises: Vec<Promise> = self.all.iter().map(|site| site.release.provenance.promise()).collect();
        let all =
            promises.iter().fold(promises[0].clone(), |all, promise| all.weakened(promise.numerics(), promise.flags()));
        let guarantees: Vec<Guarantee> = promises.iter().map(Promise::guarantee).collect();
        Ok(PooledMean {
            manifold: first.provenance.manifold.clone(),
            statistic: first.provenance.statistic,
            value,
            noisy_value,
            embedded_mean,
            weights: in_given_order(&weights, order),
            spread: self.square.sqrt(),
            spread_source: self.spread_source,
            n: self.all.iter().map(|site| site.n).sum(),
            noise_error,
            region,
            population_region,
            over_sites,
            same_ball: is_one_ball,
            guarantee: Promise::of_disjoint(&promises).ok().map(|together| together.guarantee()),
            guarantees: in_given_order(&guarantees, order),
            unit: all.unit(),
            adjacency: all.adjacency(),
            numerics: all.numerics(),
            flags: all.flags().to_vec(),
        })
    }

    /// `w_i ∝ 1/(s²/n_i + v_i)`.
    fn weights(&self) -> Vec<f64> {
        inverse(&self.all.iter().map(|site| self.variance(site)).collect::<Vec<f64>>())
    }

    /// `V_i = s²/n_i + v_i`: the mean square error of a site, without differences between sites.
    fn variance(&self, site: &Site<'_>) -> f64 {
        self.square / site.n + site.noise_square + site.bias * site.bias
    }

    /// The bound of the bias of the pooled point.
    fn bias(&self, weights: &[f64]) -> f64 {
        self.all.iter().zip(weights).map(|(site, weight)| weight * site.bias).sum()
    }

    fn middle(&self, weights: &[f64], is_one_ball: bool) -> Result<Middle> {
        let manifold = self.manifold;
        if let [site] = &self.all[..] {
            let embedded_mean = site.embedded.map(<[f64]>::to_vec);
            let (value, noisy_value) = (site.point.value.clone(), site.point.noisy_value.clone());
            return Ok(Middle { value, noisy_value, embedded_mean });
        }
        if let Some(embedding) = self.all[0].embedded.and_then(|_| manifold.embedding()) {
            let mut mean = vec![0.0; embedding.dim()];
            for (site, weight) in self.all.iter().zip(weights) {
                crate::vector::add_scaled(&mut mean, *weight, site.embedded.unwrap_or_default());
            }
            let mut point = vec![0.0; manifold.point_len()];
            embedding.project(&mean, &mut point);
            let mut value = point.clone();
            manifold.align(self.all[0].release.provenance.ball.center(), &point, &mut value);
            manifold.normalize(&mut value);
            return Ok(Middle { value, noisy_value: None, embedded_mean: Some(mean) });
        }
        let points = Points::new(manifold, self.all.iter().flat_map(|site| site.noisy).copied().collect())?;
        let mean = FrechetMean::new(manifold).weights(weights).fit(points.view()).map_err(|_| apart())?;
        let curvature = manifold.curvature();
        if manifold.flat_chart().is_none() {
            // within this distance the points have one mean (Afsari 2011)
            let reach = 0.5 * manifold.injectivity_radius().min(PI / curvature.upper.max(0.0).sqrt());
            if !self.all.iter().all(|site| manifold.dist(&mean, site.noisy) < reach) {
                return Err(apart());
            }
        }
        if !is_one_ball || (curvature.lower < 0.0 && curvature.upper > 0.0) {
            return Ok(Middle { value: mean, noisy_value: None, embedded_mean: None });
        }
        let mut value = mean.clone();
        self.all[0].release.provenance.ball.clip(manifold, &mean, &mut value)?;
        Ok(Middle { value, noisy_value: Some(mean), embedded_mean: None })
    }

    fn region(
        &self,
        parts: &[Part],
        weights: &[f64],
        embedded_mean: Option<&[f64]>,
        is_projected: bool,
    ) -> Option<Region> {
        if let [site] = &self.all[..] {
            return site.point.region;
        }
        let manifold = self.manifold;
        let embedding = embedded_mean.and_then(|_| manifold.embedding());
        let sum = SumLength { parts, dim: embedding.as_ref().map_or(manifold.dim(), |embedding| embedding.dim()) };
        let length = sum.quantile(PROBABILITY);
        let radius = match (&embedding, embedded_mean) {
            (Some(embedding), Some(mean)) => {
                embedding.reach(mean, embedding.spectral_share() * length).unwrap_or(f64::INFINITY)
            }
            _ => length + self.bias(weights),
        };
        let is_proved = self.weights_are_public()
            && (embedding.is_some() || manifold.flat_chart().is_some())
            && self.all.iter().all(|site| site.is_law_known());
        let coverage = match is_proved {
            true if sum.is_exact() && !is_projected && embedding.is_none() => Coverage::Exactly,
            true => Coverage::AtLeast,
            false => Coverage::Approximately,
        };
        let radius = radius.min(manifold.diameter());
        radius.is_finite().then_some(Region { probability: PROBABILITY, radius, center: RegionCenter::Value, coverage })
    }

    /// Whether the weights depend on nothing that was released with noise.
    fn weights_are_public(&self) -> bool {
        let is_alike = |site: &Site<'_>| site.n == self.all[0].n && site.noise_square == self.all[0].noise_square;
        self.all.iter().all(|site| site.release.provenance.adjacency == Adjacency::ReplaceOne)
            && (self.spread_source != SpreadSource::Released || self.all.iter().all(is_alike))
    }

    /// The region for the populations: `√(R² + 1.96²·Σ w_i²·V_i/((n_i − 1)·H_i²))`, as of one release.
    fn population_region(&self, region: Region, weights: &[f64]) -> Option<Region> {
        if let ([site], SpreadSource::Released | SpreadSource::Unknown) = (&self.all[..], self.spread_source) {
            return site::spread(site.release)?.population_region;
        }
        if self.all[0].embedded.is_some() {
            return None;
        }
        let given = (self.spread_source == SpreadSource::Given).then_some(self.square);
        let mut sampling = 0.0;
        for (site, weight) in self.all.iter().zip(weights) {
            let square = given.or_else(|| site.mean_square_at_most(self.manifold))?;
            let slope = steepness(self.manifold.curvature().upper, square).filter(|_| site.fewest >= 2.0);
            let of_site = |slope: f64| (weight / slope).powi(2) * square / (site.fewest - 1.0);
            sampling += slope.map_or(f64::INFINITY, of_site);
        }
        let bias = self.bias(weights);
        let radius = bias + (region.radius - bias).max(0.0).hypot(NORMAL_95 * sampling.sqrt());
        let radius = radius.min(self.manifold.diameter());
        radius.is_finite().then_some(Region { radius, coverage: Coverage::Asymptotically, ..region })
    }
}

/// Weights in inverse proportion to variances. Their sum is 1.
fn inverse(variances: &[f64]) -> Vec<f64> {
    let least = variances.iter().copied().fold(f64::INFINITY, f64::min);
    let relative: Vec<f64> = variances.iter().map(|variance| least / variance).collect();
    let total: f64 = relative.iter().sum();
    relative.iter().map(|weight| weight / total).collect()
}

/// What belongs to the sites, in the order in which they were given.
fn in_given_order<T: Clone>(of_sites: &[T], order: &[usize]) -> Vec<T> {
    let mut placed = of_sites.to_vec();
    order.iter().zip(of_sites).for_each(|(i, one)| placed[*i] = one.clone());
    placed
}

/// The pooled point.
struct Middle {
    value: Vec<f64>,
    noisy_value: Option<Vec<f64>>,
    embedded_mean: Option<Vec<f64>>,
}

/// Length of the mean embedded point, over that of one point, of records with such a spread: `cos(s·stretch/radius)`.
fn resultant(square: f64, stretch: f64, radius: f64) -> f64 {
    (square.sqrt() * stretch / radius).min(0.99 * FRAC_PI_2).cos()
}

fn apart() -> Error {
    let reason = "the released points are so far apart that their mean is not unique: noise is too large; release with \
                  more records or a larger budget";
    Error::Incomparable { reason: reason.to_owned() }
}

/// Rejects releases that cannot be about one mean of different people.
fn check_together(releases: &[&PublishedRelease]) -> Result<()> {
    let refused = |reason: String| Err(Error::Incomparable { reason });
    let Some(first) = releases.first() else {
        return refused("there are no releases to pool: give one of each site".to_owned());
    };
    for (i, release) in releases.iter().enumerate() {
        let which = i + 1;
        site::check_is_mean(which, release)?;
        let (how, of_first) = (&release.provenance, &first.provenance);
        if how.manifold != of_first.manifold {
            return refused(format!(
                "release {which} is on {}, and release 1 on {}: their points have no common mean; release all means on \
                 one space",
                how.manifold, of_first.manifold
            ));
        }
        if how.statistic != of_first.statistic {
            return refused(format!(
                "release {which} is a {}, and release 1 a {}: these are different means; release the same statistic",
                how.statistic, of_first.statistic
            ));
        }
        if how.template != of_first.template {
            return refused(format!(
                "release {which} and release 1 have landmarks that were rotated onto other templates: their points \
                 have no common mean"
            ));
        }
        if how.unit != of_first.unit {
            return refused(format!(
                "release {which} protects a {}, and release 1 a {}: they have no common guarantee; release all for one \
                 of them",
                how.unit, of_first.unit
            ));
        }
        if how.adjacency != of_first.adjacency {
            return refused(format!(
                "release {which} is for {} neighbours, and release 1 for {}: they have no common guarantee; release \
                 all for one of them",
                how.adjacency.name(),
                of_first.adjacency.name()
            ));
        }
    }
    for (i, one) in releases.iter().enumerate() {
        for (j, other) in releases.iter().enumerate().skip(i + 1) {
            check_pair((i + 1, one), (j + 1, other))?;
        }
    }
    Ok(())
}

/// Rejects two releases about the same people.
fn check_pair((i, one): (usize, &PublishedRelease), (j, other): (usize, &PublishedRelease)) -> Result<()> {
    let refused = |reason: String| Err(Error::Incomparable { reason });
    if site::are_one(one, other) {
        return refused(format!(
            "release {i} and release {j} are one: pooling would count its people twice; give one release of each site"
        ));
    }
    let ledgers = |release: &PublishedRelease| {
        let all = release.provenance.ledger.iter().chain(&release.provenance.ledgers);
        all.map(|entry| entry.ledger.clone()).collect::<Vec<_>>()
    };
    let of_other = ledgers(other);
    if ledgers(one).iter().any(|ledger| of_other.contains(ledger)) {
        return refused(format!(
            "release {i} and release {j} are of one ledger, so about the same people: their guarantees add up (karcher \
             compose); give one release of each site"
        ));
    }
    Ok(())
}
