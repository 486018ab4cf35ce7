//! The facts of a located ball.

use super::numbers::{short_down, short_up};
use super::{Fact, Numbers, Of};
use crate::Ball;
use crate::privacy::{Definition, Guarantee};
use crate::release::{PartName, PrivateBall};

pub(super) fn facts(of: &Of<'_>, ball: &PrivateBall) -> Vec<Fact> {
    let mut facts = of.value(("private center", "center"), &ball.center);
    facts.push(Fact::answer("private radius", radius(of, ball)).with("radius", Numbers::One(ball.radius)));
    facts.extend(of.promise());
    facts.extend(of.expected_error(false));
    facts.push(Fact::detail("spent", spent(ball, false)));
    let scale = short_down(of.how.scale);
    let law = match &of.how.steps {
        Some(steps) => format!("{} steps, the last of scale {scale}", steps.len()),
        None => {
            let coordinates = of.space.map_or(String::new(), |space| format!("{} ", space.dim()));
            format!("medians of {coordinates}coordinates, each on places of length {scale}")
        }
    };
    facts.push(Fact::detail("mechanism", format!("{}, {law}", of.how.mechanism)));
    facts.push(Fact::detail("sought within", within(of, &of.how.ball)));
    facts
}

/// The parts of the budget, in words; the last is for the mean, and its spread if that is released too.
pub(super) fn spent(ball: &PrivateBall, with_spread: bool) -> String {
    let part = |part: PartName, guarantee: Guarantee| {
        let name = match part {
            PartName::Center => "the center",
            PartName::Radius => "the radius",
            PartName::Mean if with_spread => "the mean and its spread",
            PartName::Mean => "the mean",
        };
        let amount = match guarantee.definition() {
            Definition::Pure { epsilon } => format!("epsilon {}", short_up(epsilon)),
            Definition::Gaussian { mu } => format!("mu {}", short_up(mu)),
            Definition::Concentrated { rho } => format!("rho {}", short_up(rho)),
            Definition::Approximate { .. } => guarantee.to_string(),
        };
        format!("{amount} on {name}")
    };
    ball.parts.iter().map(|p| part(p.part, p.guarantee)).collect::<Vec<_>>().join(", ")
}

/// The radius, with what it aims at.
pub(super) fn radius(of: &Of<'_>, ball: &PrivateBall) -> String {
    let percent = 100.0 * ball.quantile;
    format!(
        "{}, at most {:.2} times the one that aims at {percent:.0} % of the records",
        of.lengths.words(ball.radius),
        (100.0 * ball.margin).ceil() / 100.0
    )
}

/// The outer ball that was searched.
pub(super) fn within(of: &Of<'_>, outer: &Ball) -> String {
    let around = of.around(outer, of.style.of_default_center);
    match of.space.is_some_and(|space| outer.radius() >= space.diameter()) {
        true => format!("the whole space{around}"),
        false => format!("radius {}{around}", of.lengths.words(outer.radius())),
    }
}
