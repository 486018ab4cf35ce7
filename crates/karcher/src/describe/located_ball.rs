//! A located ball, in words.

use super::expected_error::at_most_of;
use super::{Described, Lengths, Lines, digits_down, digits_up, line, point_rows};
use crate::Ball;
use crate::privacy::{Definition, Guarantee};
use crate::release::{PartName, PrivateBall};

pub(super) fn describe(of: &Described<'_>, ball: &PrivateBall) -> Lines {
    let rows = point_rows(&ball.center, of.row(&ball.center), of.style.kept.name().is_some());
    let names = std::iter::once("private center").chain(std::iter::repeat(""));
    let mut lines: Lines = names.zip(rows).map(|(name, row)| line(name, row)).collect();
    lines.extend(of.abridged(&ball.center));
    lines.extend(of.told(&ball.center).map(|place| line("", place)));
    lines.push(line("private radius", radius(ball, of.style.lengths)));
    lines.extend(of.promise());
    lines.push(line("spent", spent(ball, false)));
    let scale = digits_down(of.how.scale);
    let law = match &of.how.steps {
        Some(steps) => format!("{} steps, the last of scale {scale}", steps.len()),
        None => {
            let coordinates = of.space.map_or(String::new(), |space| format!("{} ", space.dim()));
            format!("medians of {coordinates}coordinates, each on places of length {scale}")
        }
    };
    lines.push(line("mechanism", format!("{}, {law}", of.how.mechanism)));
    lines.push(line("sought within", within(of, &of.how.ball)));
    let error = of.style.lengths.words_up(of.how.expected_distance);
    lines.push(line("expected error", format!("of the center, {}{error}", at_most_of(of.how))));
    lines
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
            Definition::Pure { epsilon } => format!("epsilon {}", digits_up(epsilon)),
            Definition::Gaussian { mu } => format!("mu {}", digits_up(mu)),
            Definition::Concentrated { rho } => format!("rho {}", digits_up(rho)),
            Definition::Approximate { .. } => guarantee.to_string(),
        };
        format!("{amount} on {name}")
    };
    ball.parts.iter().map(|p| part(p.part, p.guarantee)).collect::<Vec<_>>().join(", ")
}

/// The radius, with what it aims at.
pub(super) fn radius(ball: &PrivateBall, lengths: Lengths) -> String {
    let percent = 100.0 * ball.quantile;
    format!(
        "{}, at most {:.2} times the one that aims at {percent:.0} % of the records",
        lengths.words(ball.radius),
        (100.0 * ball.margin).ceil() / 100.0
    )
}

/// The outer ball that was searched.
pub(super) fn within(of: &Described<'_>, outer: &Ball) -> String {
    let around = of.around(outer, of.style.of_default_center);
    match of.space.is_some_and(|space| outer.radius() >= space.diameter()) {
        true => format!("the whole space{around}"),
        false => format!("radius {}{around}", of.style.lengths.words(outer.radius())),
    }
}
