//! Releases: private values with a record of how they were made.

mod adjacency;
mod ball;
mod clusters;
mod comparison;
mod components;
mod context;
mod count;
mod covariance;
mod extrinsic;
mod flag;
mod ledger_entry;
mod local;
mod names;
mod noise;
mod pooling;
mod promise;
mod provenance;
mod quantiles;
mod region;
mod regression;
mod reservation;
mod score;
mod spread;
mod value;
mod vector_law;

pub use adjacency::Adjacency;
pub use ball::{CenterMethod, Located, Part, PartName, PrivateBall, Radii};
pub use clusters::{Cluster, PrivateClusters};
pub use comparison::{Comparison, DetectableDifference, compare};
pub use components::PrivateComponents;
pub use context::{OpenRelease, ReleaseContext};
pub use count::{PrivateCount, ReleasedCount};
pub use covariance::ReleasedCovariance;
pub use extrinsic::{
    Concentration, ConcentrationLaw, Concentrations, DirectionalSummary, PrivateEmbeddedMean, Uniformity,
};
pub use flag::Flag;
pub use ledger_entry::LedgerEntry;
pub use local::{Collected, RandomizedRecord};
pub use names::{MechanismName, Numerics, StatisticName};
pub use noise::{NoiseDraw, NoiseLaw, NoiseOf, guarantee_of};
pub(crate) use noise::{also, check_noise, countable, keeps, kept, stated_profile};
pub use pooling::{MeanOverSites, PooledMean, SpreadSource, pool};
pub use promise::{Promise, Symbols, also_words};
pub use provenance::{Provenance, ReleasedBound, ReleasedSensitivity, SCHEMA, Step, names_parts};
pub use reservation::{Accountant, BudgetReservation, PrivacyEvent, PrivacyEventPart};

/// The privacy unit of records, which they declare themselves.
pub use crate::records::PrivacyUnit;

pub use quantiles::{PositionKind, ReleasedQuantiles};
pub use region::{Coverage, Ellipsoid, Region, RegionCenter};
pub use regression::{Change, Effect, PrivateFeatureRegression, TermTest, simulated_p_value};
pub use score::{ReleasedScore, ReleasedSelection};
pub use spread::{NoisyNumber, PrivateSpread, PrivateVariance, UniformSpread};
pub use value::{PredictorVariance, PrivateGeodesic, PrivatePoint, Value, ValueKind};

use crate::Space;
use crate::ball::Ball;
use crate::privacy::{Guarantee, compose};
use crate::series::SeriesPeriod;
use crate::spec::{ReleaseSpec, Trust};
use serde::{Deserialize, Serialize};

/// A private result with its provenance. Only mechanisms make one.
///
/// It serialises to one JSON object, and prints as a few lines of text. You may publish all fields: the value is
/// private by the mechanism, and nothing else depends on the records. [`PublishedRelease`] reads it back.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::{Manifold, Sphere}, mechanism::{PrivateFrechetMean, Request}};
/// use karcher::{privacy::Guarantee, release::MechanismName};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let records = Points::new(&*sphere, [0.8, 0.6, 0.0].repeat(1_000))?;
/// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.7)?)?;
/// let plan = Request::new(mean, 1_000, Guarantee::pure(1.0)?).plan_by(MechanismName::Laplace)?;
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// assert!(sphere.check_point(release.value()).is_ok());
/// assert_eq!((release.n(), release.mechanism(), release.scale()), (Some(1_000), MechanismName::Laplace, plan.scale()));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Release {
    #[serde(flatten)]
    provenance: Provenance,
    #[serde(flatten)]
    value: Value,
}

/// A release that was read from JSON. It need not come from a mechanism.
///
/// All digits are written. By default serde_json may read a number one unit off in the last place. With its feature
/// `float_roundtrip`, it reads the number that was written.
///
/// ```
/// use karcher::{ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
/// use karcher::{Ball, release::PublishedRelease};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let records = Points::new(&*line, vec![0.2; 100])?;
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Request::new(mean, records.len(), Guarantee::pure(1.0)?).plan()?;
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// let text = serde_json::to_string(&release)?;
/// let read: PublishedRelease = serde_json::from_str(&text)?;
/// assert_eq!(read, release.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Reading rejects contradictions: another [`SCHEMA`], a ball of another space, a scale that is not positive, numbers
/// that are not finite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct PublishedRelease {
    /// Provenance of the value.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// The private value.
    #[serde(flatten)]
    pub value: Value,
}

/// A release before the checks of reading.
#[derive(Deserialize)]
struct Unchecked {
    #[serde(flatten)]
    provenance: Provenance,
    #[serde(flatten)]
    value: Value,
}

impl TryFrom<Unchecked> for PublishedRelease {
    type Error = String;

    fn try_from(Unchecked { provenance, value }: Unchecked) -> Result<Self, String> {
        let Provenance { schema, manifold, ball, scale, lattice, statistic, .. } = &provenance;
        if *schema != SCHEMA {
            return Err(format!("this is a release of schema {schema}; this version reads schema {SCHEMA}"));
        }
        if manifold != ball.space() {
            return Err(format!("the release is on {manifold}, its ball on {}", ball.space()));
        }
        let (n, n_guess, count) = (provenance.n, provenance.n_guess, provenance.private_count.as_ref());
        let told = match provenance.adjacency {
            Adjacency::ReplaceOne => n.is_some() && n_guess.is_none() && count.is_none(),
            Adjacency::AddRemove => n.is_none() && n_guess.is_some() && count.is_some(),
        };
        if !told {
            return Err(format!(
                "with {} neighbours a release has {}",
                provenance.adjacency.name(),
                match provenance.adjacency {
                    Adjacency::ReplaceOne => "n, and neither n_guess nor private_count",
                    Adjacency::AddRemove => "n_guess and private_count, and no n",
                }
            ));
        }
        if [*scale, *lattice].iter().any(|x| !(*x > 0.0 && x.is_finite())) {
            return Err("scale and lattice must be positive numbers".to_owned());
        }
        let parts: Vec<&Vec<f64>> = match &value {
            Value::Point(point) => std::iter::once(&point.value).chain(&point.noisy_value).collect(),
            Value::Geodesic(line) => vec![&line.footpoint, &line.shooting_vector],
            Value::Ball(ball) => vec![&ball.center],
            Value::Covariance(found) => {
                [&found.mean].into_iter().chain(&found.directions).chain(&found.covariance).collect()
            }
            Value::Clusters(found) => found.clusters.iter().map(|cluster| &cluster.center).collect(),
            Value::Features(_)
            | Value::Variance(_)
            | Value::Record(_)
            | Value::Score(_)
            | Value::Selection(_)
            | Value::Quantiles(_) => vec![],
        };
        if let Value::Ball(PrivateBall { radius, .. }) = &value
            && !(*radius > 0.0 && radius.is_finite())
        {
            return Err("the radius of a ball must be a positive number".to_owned());
        }
        if let (Value::Variance(_) | Value::Quantiles(_), Ok(space)) = (&value, manifold.manifold())
            && ball.center().len() != space.point_len()
        {
            return Err(format!("the ball's center must be {} numbers", space.point_len()));
        }
        if let Value::Record(record) = &value
            && record.coordinates.iter().any(|x| !x.is_finite())
        {
            return Err("the coordinates must be finite numbers".to_owned());
        }
        if value.kind() != statistic.description().value {
            return Err(format!("a {statistic} has other fields"));
        }
        let len = ball.center().len();
        if parts.iter().any(|part| part.len() != len || part.iter().any(|x| !x.is_finite())) {
            return Err(format!("the value must be {len} finite numbers, as the ball's center is"));
        }
        if let Value::Point(PrivatePoint { components: Some(components), .. }) = &value {
            let PrivateComponents { variances, explained_variance_ratio, directions, population_region, .. } =
                &**components;
            let axes = population_region.as_ref().map_or(variances.len(), |region| region.semi_axes.len());
            if [explained_variance_ratio.len(), directions.len(), axes].iter().any(|count| *count != variances.len()) {
                return Err("there must be a variance, a share and a direction of every component".to_owned());
            }
            if directions.iter().any(|direction| direction.len() != len) {
                return Err(format!("the direction of a component must be {len} numbers, as the value is"));
            }
        }
        if let Value::Covariance(found) = &value {
            let shares = found.explained_variance_ratio.len();
            let counts = [found.covariance.len(), found.variances.len(), shares, found.directions.len()];
            if counts.iter().any(|count| *count != len) {
                return Err(format!("there must be {len} rows, variances, shares and directions"));
            }
        }
        Ok(Self { provenance, value })
    }
}

impl From<Release> for PublishedRelease {
    fn from(release: Release) -> Self {
        Self { provenance: release.provenance, value: release.value }
    }
}

impl PublishedRelease {
    /// Computes the guarantee again from the noise that the release lists, and rejects a release that states more.
    ///
    /// # Errors
    /// [`Error::NotPermitted`](crate::Error::NotPermitted) where the noise guarantees less than is stated, where a part
    /// states more than the whole, and where flags and numerics contradict each other.
    ///
    /// ```
    /// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::PublishedRelease};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// let plan = Request::new(mean, 100, Guarantee::pure(1.0)?).plan()?;
    /// let release = plan.run(&Points::new(&*line, vec![0.2; 100])?, &mut ReleaseContext::from_os()?)?;
    /// let mut published = PublishedRelease::from(release);
    /// published.check_guarantee()?;
    /// published.provenance.guarantee = Guarantee::pure(0.5)?; // twice what its noise keeps
    /// assert!(published.check_guarantee().is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn check_guarantee(&self) -> crate::Result<()> {
        let not_permitted = |reason: String| crate::Error::NotPermitted { reason };
        let refused = |reason: String| Err(not_permitted(reason));
        let how = &self.provenance;
        check_noise(&how.noise, how.guarantee)?;
        how.also.iter().try_for_each(|other| check_noise(&how.noise, *other))?;
        // a rank is no length, and its scale is that of a place; where several parties or periods add noise, the scale
        // is that of their sum
        let ratio = how.sensitivity.value / how.scale;
        let is_stated = |draw: &NoiseDraw| (draw.sensitivity / draw.scale / ratio - 1.0).abs() < 1e-9;
        let is_of_one = how.sensitivity.bound != ReleasedBound::Rank && how.trust.is_none() && how.series.is_none();
        if is_of_one && !how.noise.iter().any(is_stated) {
            return refused("none of its draws has the scale and the sensitivity that it states".to_owned());
        }
        let parts = match &self.value {
            Value::Ball(ball) => &ball.parts[..],
            Value::Point(_)
            | Value::Geodesic(_)
            | Value::Features(_)
            | Value::Variance(_)
            | Value::Covariance(_)
            | Value::Clusters(_)
            | Value::Record(_)
            | Value::Score(_)
            | Value::Selection(_)
            | Value::Quantiles(_) => how.located.as_ref().map_or(&[][..], |located| &located.ball.parts),
        };
        for part in parts {
            if !part.guarantee.implies(how.guarantee) {
                return refused(format!("a part states {}, and the whole {}", part.guarantee, how.guarantee));
            }
            if how.numerics.weaker(part.numerics) != how.numerics {
                return refused(format!("a part is {}, and the whole {}", part.numerics.name(), how.numerics.name()));
            }
        }
        let of_parts: Vec<Guarantee> = parts.iter().map(|part| part.guarantee).collect();
        for together in [of_parts, self.guarantees_of_companions()].into_iter().filter(|all| !all.is_empty()) {
            let composed = compose(&together);
            let composed = composed.map_err(|error| not_permitted(format!("its parts do not compose: {error}")))?;
            if !keeps(composed, how.guarantee) {
                return refused(format!("its parts compose to {composed}, and the whole states {}", how.guarantee));
            }
        }
        if (how.numerics == Numerics::Exact) == how.flags.contains(&Flag::IdealizedNumerics) {
            return refused(format!("its numerics are {}, and its flags contradict this", how.numerics.name()));
        }
        Ok(())
    }

    /// The guarantees of a mean and of its companions, if it has any.
    fn guarantees_of_companions(&self) -> Vec<Guarantee> {
        let Value::Point(PrivatePoint { spread, components, .. }) = &self.value else { return vec![] };
        let (spread, components) = (spread.as_deref(), components.as_deref());
        let of_mean = spread.map(|spread| spread.mean_guarantee);
        let of_mean = of_mean.or(components.map(|components| components.mean_guarantee));
        let of_spread = spread.map(|spread| [spread.mean_square.guarantee, spread.fraction_outside.guarantee]);
        let of_components = components.map(|components| components.guarantee);
        of_mean.into_iter().chain(of_spread.into_iter().flatten()).chain(of_components).collect()
    }
}

impl Release {
    /// The same with the specification that asked for it, and a region of another probability.
    pub(crate) fn specified(mut self, spec: &ReleaseSpec, region: Option<Region>) -> Self {
        self.provenance.spec = Some(Box::new(spec.clone()));
        self.with_region(region)
    }

    /// The same with another region, if there is one.
    pub(crate) fn with_region(mut self, region: Option<Region>) -> Self {
        if let (Value::Point(point), Some(region)) = (&mut self.value, region) {
            point.region = Some(region);
        }
        self
    }

    /// The same with what was added to it: the guarantee and the noise of all of it.
    pub(crate) fn with_all_of(mut self, guarantee: Guarantee, noise: &[NoiseDraw]) -> Self {
        self.provenance.guarantee = guarantee;
        self.provenance.noise = noise.to_vec();
        self.provenance.also = also(noise, guarantee);
        self.value = self.value.guaranteed(guarantee);
        self
    }

    /// The same with the entries that counted it in the ledgers of aggregators.
    pub fn counted_in(mut self, ledgers: Vec<LedgerEntry>) -> Self {
        self.provenance.ledgers = ledgers;
        self
    }

    /// The same with the parties that added the noise.
    pub(crate) fn trusting(mut self, trust: Trust) -> Self {
        self.provenance.trust = Some(trust);
        self
    }

    /// The same as a release of a series.
    pub(crate) fn in_series(mut self, at: SeriesPeriod) -> Self {
        self.provenance.series = Some(at);
        self
    }

    /// The same with the private number of records, and the region that follows from it.
    pub(crate) fn with_count(mut self, count: PrivateCount, region: Option<Region>) -> Self {
        self.provenance.private_count = Some(count);
        if let Value::Point(point) = &mut self.value {
            point.region = region;
        }
        self
    }

    /// The same with the private number of records, if it is confidential, and no other region.
    pub(crate) fn counted(mut self, count: Option<PrivateCount>) -> Self {
        self.provenance.private_count = count;
        self
    }

    /// The same with the components about its value.
    pub(crate) fn with_components(mut self, components: PrivateComponents) -> Self {
        if let Value::Point(point) = &mut self.value {
            point.components = Some(Box::new(components));
        }
        self
    }

    /// The same with the spread about its value. The spread misses records outside the ball where persons' records were
    /// clipped.
    pub(crate) fn with_spread(mut self, spread: PrivateSpread) -> Self {
        self.provenance
            .flags
            .extend((self.provenance.unit == PrivacyUnit::Person).then_some(Flag::ClippedBeforeReduced));
        if let Value::Point(point) = &mut self.value {
            point.spread = Some(Box::new(spread));
        }
        self
    }

    /// The numbers of the private value: the point of a mean or a median, the footpoint of a regression, the center of a
    /// ball, or the mean of a covariance. Of a regression on features they are the moments, of clusters the center of
    /// the largest one, and of a randomized record its coordinates. A variance and a score are by themselves, quantiles
    /// are all of them, and a choice has none.
    pub fn value(&self) -> &[f64] {
        match &self.value {
            Value::Point(point) => &point.value,
            Value::Geodesic(geodesic) => &geodesic.footpoint,
            Value::Features(regression) => &regression.moments,
            Value::Ball(ball) => &ball.center,
            Value::Variance(variance) => std::slice::from_ref(&variance.mean_square.value),
            Value::Covariance(found) => &found.mean,
            Value::Clusters(found) => found.clusters.first().map_or(&[], |largest| &largest.center),
            Value::Record(record) => &record.coordinates,
            Value::Score(score) => std::slice::from_ref(&score.score),
            Value::Selection(_) => &[],
            Value::Quantiles(found) => &found.quantiles,
        }
    }

    /// The point before denoising, where noise on a vector was denoised.
    pub fn noisy_value(&self) -> Option<&[f64]> {
        let Value::Point(point) = &self.value else { return None };
        point.noisy_value.as_deref()
    }

    /// For a mean of matrices that doubles cannot represent, their logarithm.
    pub fn logarithm(&self) -> Option<&[f64]> {
        let Value::Point(point) = &self.value else { return None };
        point.logarithm.as_deref()
    }

    /// For a mean, the region that holds the mean of the clipped records with a probability of 95 %. `None` where no
    /// law of the distance is known.
    pub fn region(&self) -> Option<&Region> {
        let Value::Point(point) = &self.value else { return None };
        point.region.as_ref()
    }

    /// For a mean requested with its [`spread`](crate::mechanism::Request::spread), the records' distance from it.
    pub fn spread(&self) -> Option<&PrivateSpread> {
        let Value::Point(point) = &self.value else { return None };
        point.spread.as_deref()
    }

    /// For a mean requested with its [`components`](crate::mechanism::Request::components), the directions in which the
    /// records vary most.
    pub fn components(&self) -> Option<&PrivateComponents> {
        let Value::Point(point) = &self.value else { return None };
        point.components.as_deref()
    }

    /// The embedded mean, of an extrinsic mean.
    pub fn extrinsic(&self) -> Option<&PrivateEmbeddedMean> {
        let Value::Point(point) = &self.value else { return None };
        point.extrinsic.as_deref()
    }

    /// The Fréchet variance about a public point.
    pub fn variance(&self) -> Option<&PrivateVariance> {
        let Value::Variance(variance) = &self.value else { return None };
        Some(variance)
    }

    /// The mean and the covariance of vectors.
    pub fn covariance(&self) -> Option<&ReleasedCovariance> {
        let Value::Covariance(covariance) = &self.value else { return None };
        Some(covariance)
    }

    /// The score of predictions.
    pub fn score(&self) -> Option<&ReleasedScore> {
        let Value::Score(score) = &self.value else { return None };
        Some(score)
    }

    /// The chosen candidate.
    pub fn selection(&self) -> Option<&ReleasedSelection> {
        let Value::Selection(selection) = &self.value else { return None };
        Some(selection)
    }

    /// The quantiles.
    pub fn quantiles(&self) -> Option<&ReleasedQuantiles> {
        let Value::Quantiles(quantiles) = &self.value else { return None };
        Some(quantiles)
    }

    /// The private geodesic of a regression.
    pub fn geodesic(&self) -> Option<&PrivateGeodesic> {
        let Value::Geodesic(geodesic) = &self.value else { return None };
        Some(geodesic)
    }

    /// The private regression on features.
    pub fn on_features(&self) -> Option<&PrivateFeatureRegression> {
        let Value::Features(regression) = &self.value else { return None };
        Some(regression)
    }

    /// The clusters of a k-means.
    pub fn clusters(&self) -> Option<&PrivateClusters> {
        let Value::Clusters(clusters) = &self.value else { return None };
        Some(clusters)
    }

    /// The located ball, for a release of a ball and for a mean in one.
    pub fn located(&self) -> Option<&PrivateBall> {
        let Value::Ball(ball) = &self.value else {
            return self.provenance.located.as_ref().map(|located| &located.ball);
        };
        Some(ball)
    }

    /// The same mean, with the location of its ball and the guarantee of both.
    pub(crate) fn in_located(
        mut self,
        located: Located,
        (guarantee, noise): (Guarantee, &[NoiseDraw]),
        flags: Vec<Flag>,
    ) -> Self {
        let new: Vec<Flag> = flags.into_iter().filter(|flag| !self.provenance.flags.contains(flag)).collect();
        self.provenance.flags.extend(new);
        self.provenance.guarantee = guarantee;
        self.provenance.noise.extend_from_slice(noise);
        self.provenance.also = also(&self.provenance.noise, guarantee);
        self.provenance.located = Some(located);
        self
    }

    /// Provenance of the value.
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The specification that asked for the release, where it was made from one.
    pub fn spec(&self) -> Option<&ReleaseSpec> {
        self.provenance.spec.as_deref()
    }

    /// What was computed of the records.
    pub fn statistic(&self) -> StatisticName {
        self.provenance.statistic
    }

    /// The space the value lives on.
    pub fn manifold(&self) -> &Space {
        &self.provenance.manifold
    }

    /// Which data sets count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.provenance.adjacency
    }

    /// The approximate number of records, where the number is confidential.
    pub fn private_count(&self) -> Option<&PrivateCount> {
        self.provenance.private_count.as_ref()
    }

    /// Number of records, where it is public.
    pub fn n(&self) -> Option<usize> {
        self.provenance.n
    }

    /// The guarantee.
    pub fn guarantee(&self) -> Guarantee {
        self.provenance.guarantee
    }

    /// The mechanism.
    pub fn mechanism(&self) -> MechanismName {
        self.provenance.mechanism
    }

    /// The noise scale `σ`, in units of distance.
    pub fn scale(&self) -> f64 {
        self.provenance.scale
    }

    /// The sensitivity the scale was computed from.
    pub fn sensitivity(&self) -> ReleasedSensitivity {
        self.provenance.sensitivity
    }

    /// The public ball to which records were clipped.
    pub fn ball(&self) -> &Ball {
        &self.provenance.ball
    }

    /// The step of the lattice on which the value lies.
    pub fn lattice(&self) -> f64 {
        self.provenance.lattice
    }

    /// The mean distance between the private value and the non-private one; it depends on public quantities alone. For
    /// a regression it is a prediction, not a bound (user guide, R3): the root mean square distance to the
    /// least-squares geodesic, over draws and over the range of the predictor.
    pub fn expected_distance(&self) -> f64 {
        self.provenance.expected_distance
    }

    /// For a Karcher flow, upper bound of the distance between its end without noise and the mean of the clipped
    /// records.
    pub fn bias_bound(&self) -> Option<f64> {
        self.provenance.bias_bound
    }

    /// For a Karcher flow and a regression by descent, the steps.
    pub fn steps(&self) -> Option<&[Step]> {
        self.provenance.steps.as_deref()
    }

    /// The caveats in addition to the guarantee.
    pub fn flags(&self) -> &[Flag] {
        &self.provenance.flags
    }
}
