//! The subject of a picture, in words and numbers: a mean, a median, a ball, a regression.

use super::view::{label, label_up};
use karcher::release::{PrivateBall, Provenance, PublishedRelease, StatisticName, Value};
use karcher::statistics::BallUse;
use std::f64::consts::PI;

/// The statistic and the space of a release.
pub fn title(release: &Provenance) -> String {
    let what = match release.statistic {
        StatisticName::FeatureRegression if release.is_mean_in_basis() => "Private mean in a basis",
        statistic => statistic.description().title,
    };
    format!("{what} on {}", release.manifold)
}

/// The kind of its point.
pub fn name(release: &PublishedRelease) -> &'static str {
    release.provenance.statistic.description().point
}

/// Its point: the center of a ball that was located, and the center of the public ball where it has none.
pub fn point(release: &PublishedRelease) -> &[f64] {
    match &release.value {
        Value::Point(point) => &point.value,
        Value::Ball(ball) => &ball.center,
        Value::Covariance(found) => &found.mean,
        Value::Geodesic(_)
        | Value::Features(_)
        | Value::Variance(_)
        | Value::Clusters(_)
        | Value::Record(_)
        | Value::Score(_)
        | Value::Selection(_)
        | Value::Quantiles(_) => release.provenance.ball.center(),
    }
}

/// The located ball, if it is a release of one.
pub fn located(release: &PublishedRelease) -> Option<&PrivateBall> {
    if let Value::Ball(ball) = &release.value { Some(ball) } else { None }
}

/// The name of a part of a composition that has so many: that of its column, if columns were chosen by name.
pub fn part(release: &Provenance, i: usize, of: usize) -> Option<&str> {
    release.columns.get(i).filter(|_| release.columns.len() == of).map(String::as_str)
}

/// The role of a release's ball: the clipping of records, or a search in it.
pub fn ball_name(release: &Provenance) -> &'static str {
    if release.located.is_some() {
        return "located ball";
    }
    match release.statistic.description().ball {
        BallUse::Outer | BallUse::Searched => "public outer ball",
        BallUse::None | BallUse::Clips | BallUse::ClipsGradients => "public ball",
    }
}

/// Whether the ball of a release is the whole space.
pub fn is_everywhere(release: &Provenance) -> bool {
    release.manifold.manifold().is_ok_and(|manifold| release.ball.radius() >= manifold.diameter())
}

/// The center of the public ball; `None` where the ball is the whole space, which has no center.
pub fn center(release: &PublishedRelease) -> Option<&[f64]> {
    let how = &release.provenance;
    (!is_everywhere(how)).then(|| how.ball.center())
}

/// A length of a release, also in degrees if distances are angles.
pub fn length(release: &Provenance, distance: f64) -> String {
    label(distance) + &degrees(release, distance, label)
}

/// The same for a length that must not become smaller in print.
pub fn length_up(release: &Provenance, distance: f64) -> String {
    label_up(distance) + &degrees(release, distance, label_up)
}

/// The unit of angles in the layout of the records: degrees, or radians where the numbers of a torus are what they are.
pub fn angle_unit(release: &Provenance, is_vector: bool) -> f64 {
    let in_radians = match release.layout.as_deref() {
        Some(layout) => layout == "radians",
        None => !is_vector,
    };
    if in_radians { 1.0 } else { 180.0 / PI }
}

fn degrees(release: &Provenance, distance: f64, rounded: fn(f64) -> String) -> String {
    let are_angles = release.manifold.manifold().is_ok_and(|manifold| manifold.distances_are_angles());
    if are_angles { format!(" ({}°)", rounded(distance.to_degrees())) } else { String::new() }
}
