//! Test for a difference between the means of groups of people, from a release about each.

mod null_law;

use self::null_law::{GroupLaw, NullLaw, Unknown, shares};
use super::pooling::are_one;
use super::vector_law::{StatedNoise, VectorLaw};
use super::{NoiseLaw, NoiseOf, PrivatePoint, PrivateSpread, PublishedRelease, StatisticName, Value};
use crate::audit::check_verified;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::{ErrorForecast, Plan, REACH_UNBENT, steepness};
use crate::noise::Law;
use crate::points::check_space;
use serde::Serialize;
use std::borrow::Cow;

/// Result of comparing populations' means by their releases. It processes public values, so it costs no budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Distance between the released points, if there are two of them. Where noise was projected or shrunk, these are
    /// the points before that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// The difference that is tested: the distance of two points, and the root weighted mean square of the distances
    /// between all pairs of several points. Distances are those in normal coordinates at the center of the ball, which
    /// are those of the space if it is flat. Each point has the inverse of its expected square error as its weight.
    pub statistic: f64,
    /// The threshold that the statistic exceeds with 5 % at most, if the populations are the same.
    pub threshold: f64,
    /// The probability of a statistic at least as large, if the populations are the same.
    pub p_value: f64,
    /// The draws of the simulation: no p-value is below `1/(draws + 1)`.
    #[serde(skip)]
    pub draws: usize,
    /// Whether the statistic exceeds the threshold: then the populations differ, at the level of 5 %.
    pub differ: bool,
    /// Distances between all pairs of points on the space, in the order of the releases.
    pub distances: Vec<Vec<f64>>,
}

/// Compares the means of two or more groups **of different people**. Each mean was released with its
/// [spread](crate::mechanism::Request::spread), in the same ball.
///
/// The law of the difference between equal populations is simulated from the releases: the law of the noise is public,
/// and the spread determines the sampling error. The simulation has a public seed, so the same releases give the same
/// result. Its 39,999 draws determine the level up to a standard error of 0.11 %.
///
/// The level, 5 %, is asymptotic: it holds for many records. It is below 5 % where records vary in several directions
/// and no [components](crate::mechanism::Request::components) show which (user guide, D4). The groups must consist of
/// different people; this cannot be checked.
///
/// # Errors
/// [`Error::Geometry`] for releases on different spaces. Also [`Error::Incomparable`] for fewer than two releases, a
/// statistic other than a mean, a mean without a region for its population, or the same release twice. It is returned
/// for different balls too, which clip records differently.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request, Spread}};
/// use karcher::{privacy::Guarantee, release::{PublishedRelease, compare}};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let group = |low: f64, high: f64, seed| -> karcher::Result<PublishedRelease> {
///     let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
///     let request = Request::new(mean, 2_000, Guarantee::pure(1.0)?).spread(Some(Spread::default()));
///     let records = Points::new(&*line, [low, high].repeat(1_000))?;
///     Ok(request.plan()?.run(&records, &mut ReleaseContext::seeded(seed))?.into())
/// };
/// let (one, same, other) = (group(-0.2, 0.2, 1)?, group(-0.2, 0.2, 2)?, group(0.0, 0.4, 3)?);
/// assert!(!compare(&[&one, &same])?.differ);
/// let found = compare(&[&one, &same, &other])?;
/// assert!(found.differ && found.p_value < 0.001 && found.distances[0][2] > 0.15);
/// assert!(compare(&[&one, &one]).is_err()); // the same people
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn compare(releases: &[&PublishedRelease]) -> Result<Comparison> {
    let Pooled { law, points, values } = pooled(releases)?;
    let statistic = law.statistic(&points);
    let (simulated, bias) = (law.simulated(), law.bias());
    let (p_value, draws) = (simulated.p_value(statistic - bias), law.draws());
    let threshold = simulated.threshold() + bias;
    let manifold = releases[0].provenance.manifold.manifold()?;
    let to_all = |x: &&[f64]| values.iter().map(|y| if x == y { 0.0 } else { manifold.dist(x, y) }).collect();
    let distances: Vec<Vec<f64>> = values.iter().map(to_all).collect();
    let distance = (values.len() == 2).then(|| distances[0][1]);
    Ok(Comparison { distance, statistic, threshold, p_value, draws, differ: p_value <= null_law::LEVEL, distances })
}

/// What all releases say together.
struct Pooled<'a> {
    /// The law of the statistic for equal populations.
    law: NullLaw,
    /// The points in normal coordinates at the center of the ball.
    points: Vec<Vec<f64>>,
    /// The points.
    values: Vec<&'a [f64]>,
}

fn pooled<'a>(releases: &[&'a PublishedRelease]) -> Result<Pooled<'a>> {
    let [first, others @ ..] = releases else { return Err(too_few()) };
    if others.is_empty() {
        return Err(too_few());
    }
    for other in others {
        check_space("the other release", &first.provenance.manifold, &other.provenance.manifold)?;
    }
    let named = releases.iter().enumerate();
    let groups = named.map(|(i, release)| group(&format!("release {}", i + 1), release));
    let groups = groups.collect::<Result<Vec<(&[f64], GroupLaw)>>>()?;
    for (i, one) in releases.iter().enumerate() {
        for (j, other) in releases.iter().enumerate().skip(i + 1) {
            check_pair((i, one), (j, other))?;
        }
    }
    check_verified(releases)?;
    let ball = &first.provenance.ball;
    let manifold = first.provenance.manifold.manifold()?;
    let (mut points, dim) = (vec![], manifold.dim());
    for (value, _) in &groups {
        let (mut v, mut coordinates) = (vec![0.0; manifold.point_len()], vec![0.0; dim]);
        manifold.log(ball.center(), value, &mut v)?;
        manifold.to_frame(ball.center(), &v, &mut coordinates);
        points.push(coordinates);
    }
    let length = |x: &[f64]| crate::vector::norm(x).min(ball.radius());
    let squares = groups.iter().zip(&points).map(|((_, group), x)| group.expected_square(dim, length(x)));
    let weights = normalized(squares.collect());
    let total: f64 = weights.iter().sum();
    let common = |axis| points.iter().zip(&weights).map(|(x, weight)| weight * x[axis]).sum::<f64>() / total;
    let off = length(&(0..dim).map(common).collect::<Vec<f64>>());
    let curvature = manifold.curvature().upper.max(0.0);
    let (values, groups) = groups.into_iter().unzip();
    Ok(Pooled { law: NullLaw { groups, weights, dim, off, curvature }, points, values })
}

/// The inverse of each number over the smallest one.
fn normalized(squares: Vec<f64>) -> Vec<f64> {
    let least = squares.iter().copied().fold(f64::INFINITY, f64::min);
    squares.iter().map(|square| if *square > 0.0 { least / square } else { 1.0 }).collect()
}

/// A difference between the means of two groups that [`compare`] finds with a probability of 80 %.
///
/// It follows from public quantities and an assumption about the records. Their root mean square distance from their
/// mean is half the radius of the ball, and their mean is at its center. Of two kinds of records, the larger difference
/// is stated: they vary along the difference alone, or in all directions alike.
///
/// ```
/// use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request, Spread}, privacy::Guarantee};
/// use karcher::release::DetectableDifference;
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let plan = |n| {
///     let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
///     Request::new(mean, n, Guarantee::pure(1.0)?).spread(Some(Spread::default())).plan()
/// };
/// let found = |n| -> karcher::Result<Option<DetectableDifference>> { Ok(DetectableDifference::of(&*plan(n)?)) };
/// let many = found(100_000)?.ok_or("a spread is planned")?;
/// // without noise: (1.96 + 0.84)·√(2/n) standard deviations, which are 0.5
/// assert!((many.distance / (2.8 * (2e-5_f64).sqrt() * many.assumed_spread) - 1.0).abs() < 0.05);
/// assert!(found(1_000)?.is_some_and(|few| few.distance > 10.0 * many.distance));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DetectableDifference {
    /// The difference, in units of distance.
    pub distance: f64,
    /// The probability with which it is found, 0.8.
    pub power: f64,
    /// The assumed root mean square distance of the records from their mean: half the radius of the ball.
    pub assumed_spread: f64,
}

impl DetectableDifference {
    /// The difference between two groups that are released by such a plan each. `None` for a plan without a
    /// [spread](crate::mechanism::Request::spread), and where no law of the noise is known.
    pub fn of(plan: &dyn Plan) -> Option<Self> {
        const POWER: f64 = 0.8;
        let clip = plan.forecasts().into_iter().find_map(|forecast| match forecast {
            ErrorForecast::Spread { clip, .. } => Some(clip),
            _ => None,
        })?;
        let summary = plan.summary();
        let manifold = &*summary.manifold;
        let (dim, radius, n) = (manifold.dim(), summary.ball.radius(), summary.n as f64);
        let bias = summary.bias_bound.unwrap_or(0.0);
        let noise = VectorLaw::of(
            manifold,
            &StatedNoise {
                mechanism: summary.mechanism,
                adjacency: summary.adjacency,
                draws: Cow::Borrowed(&summary.noise),
                sensitivity: summary.sensitivity,
                n_guess: Some(summary.n),
                count: None,
                region: summary.region(0.95),
                bias,
            },
        )?;
        let drawn = summary.noise.iter().find(|draw| draw.quantity == NoiseOf::MeanSquare)?;
        let law = if drawn.law == NoiseLaw::Gaussian { Law::Gaussian } else { Law::Laplace };
        let assumed_spread = 0.5 * radius;
        let noisy = assumed_spread * assumed_spread;
        let mean_square = Unknown { law, noisy, scale: drawn.scale, most: clip * clip };
        let curvature = manifold.curvature().upper.max(0.0);
        steepness(curvature, noisy).filter(|_| n >= 2.0)?;
        let most = radius * radius;
        let group = GroupLaw { noise, mean_square, upper: noisy, outside: None, most, n, bias, shares: None };
        let law = NullLaw { groups: vec![group.clone(), group], weights: vec![1.0; 2], dim, off: 0.0, curvature };
        Some(Self { distance: law.detectable(POWER), power: POWER, assumed_spread })
    }
}

/// The point of a release and the law of its error.
fn group<'a>(which: &str, release: &'a PublishedRelease) -> Result<(&'a [f64], GroupLaw)> {
    let refused = |what: &str| Error::Incomparable {
        reason: format!(
            "{which} {what}: a comparison needs means that were released with their spread (karcher mean --spread, in \
             Python PrivateFrechetMean with spread=True)"
        ),
    };
    let statistic = release.provenance.statistic;
    let point = match &release.value {
        Value::Point(point) if statistic == StatisticName::FrechetMean => point,
        Value::Ball(_) => return Err(refused("is of a ball, as karcher locate finds one")),
        Value::Point(_)
        | Value::Geodesic(_)
        | Value::Features(_)
        | Value::Variance(_)
        | Value::Covariance(_)
        | Value::Clusters(_)
        | Value::Record(_)
        | Value::Score(_)
        | Value::Selection(_)
        | Value::Quantiles(_) => {
            return Err(refused(&format!("is of another statistic: {}", statistic.description().noun)));
        }
    };
    let spread = point.spread.as_ref().ok_or_else(|| match point.components {
        Some(_) => refused("is of principal components, without their spread"),
        None => refused("has no spread"),
    })?;
    let law = group_law(release, point, spread)?.ok_or_else(|| {
        refused(
            "has no region for the mean of its population, because no law of its noise is known, or too few records or \
             too wide a spread were found",
        )
    })?;
    Ok((point.noisy_value.as_ref().unwrap_or(&point.value), law))
}

/// The law of the error of a released point. `None` where there is no region for the mean of the population.
fn group_law(release: &PublishedRelease, point: &PrivatePoint, spread: &PrivateSpread) -> Result<Option<GroupLaw>> {
    let how = &release.provenance;
    let manifold = how.manifold.manifold()?;
    let bias = how.bias_bound.unwrap_or(0.0);
    let stated = StatedNoise::of(how, point);
    let Some(noise) = VectorLaw::of(&*manifold, &stated) else { return Ok(None) };
    // a confidential number at the lower end of its interval: no sampling error is too small then
    let (n, wider) = match (&how.private_count, how.n_guess) {
        (Some(count), Some(n_guess)) => (count.interval[0], n_guess as f64 / count.divisor()),
        _ => (how.n.unwrap_or_default() as f64, 1.0),
    };
    let curvature = manifold.curvature().upper.max(0.0);
    let radius = how.ball.radius();
    let most = radius * radius;
    // in a large ball clipped records may be farther from the mean than the unclipped ones
    let bends = curvature.sqrt() * radius > REACH_UNBENT;
    let fraction = Unknown::of(&spread.fraction_outside, wider, 1.0);
    let outside = bends.then_some((fraction, 4.0 * most));
    let by_outside = if bends { 4.0 * most * spread.fraction_outside.interval[1] } else { 0.0 };
    let upper = spread.mean_square.interval[1] + by_outside;
    if spread.population_region.is_none() || steepness(curvature, upper).is_none() || n < 2.0 {
        return Ok(None);
    }
    let mean_square = Unknown::of(&spread.mean_square, wider, spread.clip * spread.clip);
    let shares = point.components.as_deref().and_then(|components| shares(components, manifold.dim()));
    Ok(Some(GroupLaw { noise, mean_square, upper, outside, most, n, bias, shares }))
}

fn check_pair((i, one): (usize, &PublishedRelease), (j, other): (usize, &PublishedRelease)) -> Result<()> {
    let (first, second) = (i + 1, j + 1);
    if are_one(one, other) {
        let reason = format!("release {first} and release {second} are one: a comparison is of different people");
        return Err(Error::Incomparable { reason });
    }
    if one.provenance.template != other.provenance.template {
        let reason =
            format!("release {first} and release {second} have landmarks that were rotated onto other templates");
        return Err(Error::Incomparable { reason });
    }
    let (ball, of_other) = (&one.provenance.ball, &other.provenance.ball);
    if ball == of_other {
        return Ok(());
    }
    let words = match (ball.radius(), ball.radii()) == (of_other.radius(), of_other.radii()) {
        true => "have balls with different centers".to_owned(),
        false => format!("have balls of radius {} and {}", ball.radius(), of_other.radius()),
    };
    let reason = format!(
        "release {first} and release {second} {words}: records are clipped differently; release all means in one ball"
    );
    Err(Error::Incomparable { reason })
}

fn too_few() -> Error {
    Error::Incomparable { reason: "a comparison needs two releases or more: give one about each group".to_owned() }
}
