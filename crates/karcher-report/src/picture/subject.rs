//! What a picture is about, in words and numbers: a mean, a median, a ball, a regression.

use super::view::{label, label_up};
use karcher::release::{PrivateBall, Provenance, PublishedRelease, StatisticName, Value};

/// What a release is of, and on which space.
pub fn title(release: &Provenance) -> String {
    let what = match release.statistic {
        StatisticName::FrechetMean => "Private mean",
        StatisticName::GeodesicRegression => "Private geodesic regression",
        StatisticName::GeometricMedian => "Private geometric median",
        StatisticName::Ball => "Private ball",
        StatisticName::FrechetVariance => "Private Fréchet variance",
        StatisticName::Record => "Randomized record",
        _ => "Private release",
    };
    format!("{what} on {}", release.manifold)
}

/// What its point is.
pub fn name(release: &PublishedRelease) -> &'static str {
    match release.provenance.statistic {
        StatisticName::GeometricMedian => "private median",
        StatisticName::Ball => "private center",
        _ => "private mean",
    }
}

/// Its point: the center of a ball that was located, and the center of the public ball where it has none.
pub fn point(release: &PublishedRelease) -> &[f64] {
    match &release.value {
        Value::Point(point) => &point.value,
        Value::Ball(ball) => &ball.center,
        _ => release.provenance.ball.center(),
    }
}

/// The ball that it located, if that is what it is of.
pub fn located(release: &PublishedRelease) -> Option<&PrivateBall> {
    match &release.value {
        Value::Ball(ball) => Some(ball),
        _ => None,
    }
}

/// What the ball of a release is: records were clipped to it, or something was sought in it.
pub fn ball_name(release: &Provenance) -> &'static str {
    match release.statistic {
        _ if release.located.is_some() => "located ball",
        StatisticName::GeometricMedian | StatisticName::Ball => "public outer ball",
        _ => "public ball",
    }
}

/// Whether the ball of a release is the whole space.
pub fn is_everywhere(release: &Provenance) -> bool {
    release.manifold.manifold().is_ok_and(|manifold| release.ball.radius() >= manifold.diameter())
}

/// A length of a release, and degrees beside it where distances are angles.
pub fn length(release: &Provenance, distance: f64) -> String {
    label(distance) + &degrees(release, distance, label)
}

/// The same for a length that must not become smaller in print.
pub fn length_up(release: &Provenance, distance: f64) -> String {
    label_up(distance) + &degrees(release, distance, label_up)
}

/// The degrees alone.
pub fn in_degrees(release: &Provenance, distance: f64) -> String {
    degrees(release, distance, label)
}

fn degrees(release: &Provenance, distance: f64, rounded: fn(f64) -> String) -> String {
    let are_angles = release.manifold.manifold().is_ok_and(|manifold| manifold.distances_are_angles());
    if are_angles { format!(" ({}°)", rounded(distance.to_degrees())) } else { String::new() }
}
