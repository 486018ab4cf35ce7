//! Whether two groups of people have different means, from a release about each.

use super::{About, PublishedRelease, Region, Value};
use crate::error::{Error, Result};
use crate::points::check_space;
use serde::Serialize;

/// What two releases say about the difference of two populations' means: processing of what is public, so it costs
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// How far the two released points are from each other.
    pub distance: f64,
    /// What that distance exceeds with about 5 % at most, if the populations are the same: the root of the sum of the
    /// squared radii of the two regions for the populations' means.
    pub threshold: f64,
    /// Whether it does: then the populations differ, at the level of 5 %.
    pub differ: bool,
}

/// Compares the means of two groups **of different people**, each of which was released with its
/// [spread](crate::mechanism::Request::spread), in the same ball.
///
/// The level, 5 %, is asymptotic, as that of the regions is: for many records, and less where a spread is that of one
/// direction or noise is most of the error (user guide, D4). That the groups are of different people cannot be checked.
///
/// # Errors
/// [`Error::SpaceMismatch`] for releases on different spaces, [`Error::InvalidParameter`] for what is no mean, for one
/// without a region for its population, and for different balls, to which records would be clipped differently.
///
/// ```
/// use karcher::{Ball, Door, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request, Spread}};
/// use karcher::{privacy::Guarantee, release::{PublishedRelease, compare}};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let group = |low: f64, high: f64| -> karcher::Result<PublishedRelease> {
///     let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
///     let request = Request::new(mean, 2_000, Guarantee::pure(1.0)?).spread(Some(Spread::default()));
///     let records = Points::new(&*line, [low, high].repeat(1_000))?;
///     Ok(request.plan()?.run(&records, &mut Door::seeded(1))?.into())
/// };
/// assert!(!compare(&group(-0.2, 0.2)?, &group(-0.2, 0.2)?)?.differ);
/// assert!(compare(&group(-0.2, 0.2)?, &group(0.0, 0.4)?)?.differ);
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn compare(a: &PublishedRelease, b: &PublishedRelease) -> Result<Comparison> {
    check_space("the other release", &a.provenance.manifold, &b.provenance.manifold)?;
    if a.provenance.ball != b.provenance.ball {
        let requirement = "both releases must have the same ball, or records are clipped differently".to_owned();
        return Err(Error::InvalidParameter { name: "radius", value: b.provenance.ball.radius(), requirement });
    }
    let ((first, first_region), (second, second_region)) = (located(a)?, located(b)?);
    let distance = a.provenance.manifold.manifold()?.dist(first, second);
    let threshold = first_region.radius.hypot(second_region.radius);
    Ok(Comparison { distance, threshold, differ: distance > threshold })
}

/// The region for the mean of a release's population, and the point that it is around.
fn located(release: &PublishedRelease) -> Result<(&[f64], Region)> {
    let refused = || {
        let requirement =
            "a comparison needs two means that were released with their spread, each with a region for the \
                           mean of its population"
                .to_owned();
        Error::InvalidParameter { name: "spread", value: f64::NAN, requirement }
    };
    let Value::Point(point) = &release.value else { return Err(refused()) };
    let region = point.spread.as_ref().and_then(|spread| spread.population_region).ok_or_else(refused)?;
    let about = match region.about {
        About::NoisyValue => point.noisy_value.as_ref().ok_or_else(refused)?,
        About::Value => &point.value,
    };
    Ok((about, region))
}
