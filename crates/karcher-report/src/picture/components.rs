//! The components of a release in its picture: the directions that are told from noise, each a line from one standard
//! deviation of the records on one side of the private mean to one on the other.

use super::frame::{Sample, Words};
use super::page::{Color, Ink};
use karcher::Manifold;
use karcher::release::{PrivateComponents, PublishedRelease, Value};

/// So many steps make a line.
const STEPS: i32 = 40;

/// A component.
const GREEN: Color = Color(0, 120, 90);

/// A line of a component, the first of which is the boldest.
pub fn ink(i: usize) -> Ink {
    Ink::line(GREEN, if i == 0 { 2.4 } else { 1.4 })
}

/// What was released of components, and the private mean.
fn released(release: &PublishedRelease) -> Option<(&PrivateComponents, &[f64])> {
    match &release.value {
        Value::Point(point) => Some((point.components.as_ref()?, &point.value)),
        _ => None,
    }
}

/// Of each component that is told from noise the points `Exp(t·s·u)`, `t` from −1 to 1, `s` the deviation along the
/// direction `u`.
pub fn lines(release: &PublishedRelease, manifold: &dyn Manifold) -> Vec<Vec<Vec<f64>>> {
    let Some((components, value)) = released(release) else { return vec![] };
    let at = |direction: &[f64], t: f64| {
        let (tangent, mut point) = (direction.iter().map(|x| t * x).collect::<Vec<_>>(), vec![0.0; value.len()]);
        manifold.exp(value, &tangent, &mut point);
        point
    };
    let told = components.directions.iter().zip(&components.variances).take(components.above_noise());
    told.map(|(direction, variance)| {
        let along = |step: i32| at(direction, variance.sqrt() * f64::from(step) / f64::from(STEPS));
        (-STEPS..=STEPS).map(along).collect()
    })
    .collect()
}

/// The ends of the first component that is told from noise, one standard deviation off to either side.
pub fn ends(release: &PublishedRelease, manifold: &dyn Manifold) -> Vec<Vec<f64>> {
    let first = lines(release, manifold).into_iter().next().unwrap_or_default();
    [first.first(), first.last()].into_iter().flatten().cloned().collect()
}

/// Explains what is drawn of components, or says that none are told from noise.
pub fn explain(words: &mut Words, release: &PublishedRelease, drawn: &str) {
    let Some((components, _)) = released(release) else { return };
    match components.above_noise() {
        0 => words.say("no component is told from noise"),
        _ => words.explain(Sample::Line(ink(0)), drawn),
    }
}

/// The same where there is no picture of components.
pub fn leave_out(words: &mut Words, release: &PublishedRelease) {
    if released(release).is_some() {
        words.say("components are not drawn");
    }
}
