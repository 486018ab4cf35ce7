//! The noise of a release: its guarantee, its scales, and its draws.

use super::finding::Findings;
use super::planned::Planned;
use crate::privacy::{Guarantee, compose};
use crate::release::{NoiseDraw, Provenance, PublishedRelease, Value, also, keeps};

/// Compares guarantee, sensitivity and noise with those of the plan.
pub(super) fn compare(planned: &Planned, how: &Provenance, found: &mut Findings) {
    let summary = planned.plan.summary();
    found.guarantee("guarantee", how.guarantee, planned.guarantee);
    let expected = also(&planned.noise, planned.guarantee);
    found.count("also", "guarantees", how.also.len(), expected.len());
    for (i, (stated, expected)) in how.also.iter().zip(expected).enumerate() {
        found.guarantee(&format!("also[{i}]"), *stated, expected);
    }
    found.noise("scale", how.scale, summary.scale);
    found.noise("sensitivity.value", how.sensitivity.value, summary.sensitivity.value);
    if found.version == super::version::Version::This {
        found.same("sensitivity.bound", how.sensitivity.bound.name(), summary.sensitivity.bound.name());
    }
    found.count("noise", "draws", how.noise.len(), planned.noise.len());
    for (i, (stated, expected)) in how.noise.iter().zip(&planned.noise).enumerate() {
        draw(&format!("noise[{i}]"), stated, expected, found);
    }
}

/// A draw must have the expected law, on the expected space, as often, with enough noise for as much.
fn draw(field: &str, stated: &NoiseDraw, expected: &NoiseDraw, found: &mut Findings) {
    let of = |name: &str| format!("{field}.{name}");
    found.same(&of("quantity"), stated.quantity, expected.quantity);
    found.same(&of("law"), stated.law, expected.law);
    found.same(&of("space"), stated.space.as_ref(), expected.space.as_ref());
    found.same(&of("draws"), stated.draws, expected.draws);
    found.noise(&of("scale"), stated.scale, expected.scale);
    found.noise(&of("sensitivity"), stated.sensitivity, expected.sensitivity);
}

/// The guarantees of the parts compose to no more than the whole: of a located ball and the mean in it, and of a mean
/// with its companions.
pub(super) fn parts_compose(release: &PublishedRelease, found: &mut Findings) {
    let how = &release.provenance;
    let located = match &release.value {
        Value::Ball(ball) => Some(("parts", ball)),
        _ => how.located.as_ref().map(|located| ("located.parts", &located.ball)),
    };
    if let Some((field, ball)) = located {
        composes(field, ball.parts.iter().map(|part| part.guarantee).collect(), how.guarantee, found);
    }
    let Value::Point(point) = &release.value else { return };
    let (spread, components) = (point.spread.as_deref(), point.components.as_deref());
    let of_spread = spread.map(|spread| [spread.mean_square.guarantee, spread.fraction_outside.guarantee]);
    let of_mean = spread.map(|spread| spread.mean_guarantee).or(components.map(|components| components.mean_guarantee));
    if let Some(of_mean) = of_mean {
        let of_companions = of_spread.into_iter().flatten().chain(components.map(|components| components.guarantee));
        let field = if spread.is_some() { "spread" } else { "components" };
        composes(field, std::iter::once(of_mean).chain(of_companions).collect(), how.guarantee, found);
    }
}

/// Guarantees that compose to no more than the whole.
fn composes(field: &str, parts: Vec<Guarantee>, whole: Guarantee, found: &mut Findings) {
    match compose(&parts) {
        Ok(all) if keeps(all, whole) => (),
        Ok(all) => found.add(field, format!("its parts compose to {all}, and the release states {whole}")),
        Err(error) => found.add(field, format!("its parts do not compose: {error}")),
    }
}
