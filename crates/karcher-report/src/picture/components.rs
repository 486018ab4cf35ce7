//! The principal components of a release in its picture: each direction that exceeds the noise level. It is a line
//! through the private mean, one standard deviation of the records to either side.

use super::frame::{Sample, Words};
use super::page::{Color, Ink};
use karcher::Manifold;
use karcher::release::{PublishedRelease, Value};

/// So many steps make a line.
const STEPS: i32 = 40;

/// A component.
const GREEN: Color = Color(0, 120, 90);

/// The ink of a component's line; the first one is boldest.
pub fn ink(i: usize) -> Ink {
    Ink::line(GREEN, if i == 0 { 2.4 } else { 1.4 })
}

/// The directions, their variances, and how many of them exceed the noise level, about the private mean.
struct Released<'a> {
    directions: &'a [Vec<f64>],
    variances: &'a [f64],
    above: usize,
    mean: &'a [f64],
}

/// The released components.
fn released(release: &PublishedRelease) -> Option<Released<'_>> {
    if let Value::Covariance(found) = &release.value {
        let (above, mean) = (found.above_noise(), &found.mean);
        return Some(Released { directions: &found.directions, variances: &found.variances, above, mean });
    }
    let Value::Point(point) = &release.value else { return None };
    let (found, mean) = (point.components.as_ref()?, &point.value);
    Some(Released { directions: &found.directions, variances: &found.variances, above: found.above_noise(), mean })
}

/// For each component above the noise level, the points `Exp(t·s·u)`, `t` from −1 to 1, `s` the deviation along the
/// direction `u`.
pub fn lines(release: &PublishedRelease, manifold: &dyn Manifold) -> Vec<Vec<Vec<f64>>> {
    let Some(components) = released(release) else { return vec![] };
    let value = components.mean;
    let at = |direction: &[f64], t: f64| {
        let (tangent, mut point) = (direction.iter().map(|x| t * x).collect::<Vec<_>>(), vec![0.0; value.len()]);
        manifold.exp(value, &tangent, &mut point);
        point
    };
    let told = components.directions.iter().zip(components.variances).take(components.above);
    told.map(|(direction, variance)| {
        let along = |step: i32| at(direction, variance.sqrt() * f64::from(step) / f64::from(STEPS));
        (-STEPS..=STEPS).map(along).collect()
    })
    .collect()
}

/// The ends of the first component above the noise level, one standard deviation to either side.
pub fn ends(release: &PublishedRelease, manifold: &dyn Manifold) -> Vec<Vec<f64>> {
    let first = lines(release, manifold).into_iter().next().unwrap_or_default();
    [first.first(), first.last()].into_iter().flatten().cloned().collect()
}

/// Explains the drawn components, or reports that none exceed the noise level.
pub fn explain(words: &mut Words, release: &PublishedRelease, drawn: &str) {
    let Some(components) = released(release) else { return };
    match components.above {
        0 => words.say("no component exceeds the noise level"),
        _ => words.explain(Sample::Line(ink(0)), drawn),
    }
}

/// The same for a space without a picture of components.
pub fn leave_out(words: &mut Words, release: &PublishedRelease) {
    if released(release).is_some() {
        words.say("components are not drawn");
    }
}
