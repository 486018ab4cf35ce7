//! Test for a difference between the means of two groups of people, from a release about each.

use super::{PublishedRelease, Region, RegionCenter, StatisticName, Value};
use crate::error::{Error, Result};
use crate::points::check_space;
use serde::Serialize;

/// Result of comparing two populations' means by two releases. It processes public values, so it costs no budget.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// Distance between the two released points.
    pub distance: f64,
    /// The threshold that the distance exceeds with about 5 % at most, if the populations are the same. It combines the
    /// two regions for the populations' means: the root of the sum of their squared radii without bias bounds, which
    /// add up.
    pub threshold: f64,
    /// Whether the distance exceeds it: then the populations differ, at the level of 5 %.
    pub differ: bool,
}

/// Compares the means of two groups **of different people**. Each mean was released with its
/// [spread](crate::mechanism::Request::spread), in the same ball.
///
/// The level, 5 %, is asymptotic, as that of the regions is: it holds for many records. It is less accurate where the
/// spread is mainly in one direction or noise is most of the error (user guide, D4). The groups must consist of
/// different people; this cannot be checked.
///
/// # Errors
/// [`Error::Geometry`] for releases on different spaces. Also [`Error::Incomparable`] for a statistic other than a
/// mean, a mean without a region for its population, or the same release twice. It is returned for different balls too,
/// which clip records differently.
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
/// let one = group(-0.2, 0.2, 1)?;
/// assert!(!compare(&one, &group(-0.2, 0.2, 2)?)?.differ);
/// assert!(compare(&one, &group(0.0, 0.4, 2)?)?.differ);
/// assert!(compare(&one, &one).is_err()); // the same people
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn compare(a: &PublishedRelease, b: &PublishedRelease) -> Result<Comparison> {
    check_space("the other release", &a.provenance.manifold, &b.provenance.manifold)?;
    let (first, second) = (region_of("the first release", a)?, region_of("the second release", b)?);
    if a == b {
        let reason = "the first release and the second release are one: a comparison is of different people".to_owned();
        return Err(Error::Incomparable { reason });
    }
    let (ball, other) = (&a.provenance.ball, &b.provenance.ball);
    if ball != other {
        let words = match ball.radius() == other.radius() {
            true => "have balls with different centers".to_owned(),
            false => format!("have balls of radius {} and {}", ball.radius(), other.radius()),
        };
        let reason = format!(
            "the first release and the second release {words}: records are clipped differently; release both means in \
             one ball"
        );
        return Err(Error::Incomparable { reason });
    }
    let ((first, first_region), (second, second_region)) = (first, second);
    let distance = a.provenance.manifold.manifold()?.dist(first, second);
    // a bias is not random: two of them add up
    let [bias, other] = [a, b].map(|release| release.provenance.bias_bound.unwrap_or(0.0));
    let threshold = bias + other + (first_region.radius - bias).hypot(second_region.radius - other);
    Ok(Comparison { distance, threshold, differ: distance > threshold })
}

/// The region for the mean of a release's population, and its center.
fn region_of<'a>(which: &str, release: &'a PublishedRelease) -> Result<(&'a [f64], Region)> {
    let refused = |what: &str| Error::Incomparable {
        reason: format!(
            "{which} {what}: a comparison needs two means that were released with their spread (karcher mean \
             --spread, in Python PrivateFrechetMean with spread=True)"
        ),
    };
    let point = match (&release.value, release.provenance.statistic) {
        (Value::Point(point), StatisticName::FrechetMean) => point,
        (_, StatisticName::GeometricMedian) => return Err(refused("is of a median")),
        (Value::Ball(_), _) => return Err(refused("is of a ball, as karcher locate finds one")),
        _ => return Err(refused("is of a regression")),
    };
    let spread = point.spread.as_ref().ok_or_else(|| match point.components {
        Some(_) => refused("is of principal components, without their spread"),
        None => refused("has no spread"),
    })?;
    let region = spread.population_region.ok_or_else(|| {
        refused(
            "has no region for the mean of its population, because no law of its noise is known, or too few records or \
                      too wide a spread were found",
        )
    })?;
    let about = match region.center {
        RegionCenter::NoisyValue => point.noisy_value.as_ref().unwrap_or(&point.value),
        RegionCenter::Value => &point.value,
    };
    Ok((about, region))
}
