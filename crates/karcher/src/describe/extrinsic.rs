//! An extrinsic mean in words.

use super::numbers::digits;
use super::{Described, Lengths, Lines, digits_down, digits_up, line};
use crate::release::{
    Concentration, Concentrations, DirectionalSummary, PrivacyUnit, PrivateEmbeddedMean, PrivatePoint,
};

/// The estimand, and what follows from the embedded mean.
pub(super) fn describe(of: &Described<'_>, point: &PrivatePoint, extrinsic: &PrivateEmbeddedMean) -> Lines {
    let (how, radius) = (of.how, of.style.lengths);
    let about = match how.spec.as_ref().and_then(|spec| spec.expected_spread) {
        Some(_) => "for the expected spread",
        None => "for records close together; more where they are spread",
    };
    let expected = format!("about {} on average{}, {about}", radius.words(how.expected_distance), of.guessed());
    let records = match how.unit {
        PrivacyUnit::Person => "means of each person's records",
        PrivacyUnit::Record => "records",
    };
    let mut lines = vec![
        line("estimand", "the extrinsic (chordal) mean, not the Fréchet mean; it takes no ball"),
        line("expected error", expected),
    ];
    lines.extend(point.region.as_ref().map(|region| {
        let within = radius.words_up(region.radius);
        let words = match region.radius < how.ball.radius() {
            true => format!("within {within} of the extrinsic mean of the {records} {}", region.words()),
            false => format!("the whole space, within {within}: noise may hide the direction"),
        };
        line("region", words)
    }));
    for factor in &extrinsic.factors {
        let several = extrinsic.factors.len() > 1;
        lines.extend(several.then(|| line(factor.space.clone(), "")));
        lines.extend(of_factor(factor, records, radius));
    }
    lines
}

/// The summary of a factor.
fn of_factor(factor: &DirectionalSummary, of: &str, radius: Lengths) -> Lines {
    let [low, high] = factor.mean_resultant_length_interval;
    let (low, high) = (digits_down(low), digits_up(high));
    let length = digits(factor.mean_resultant_length);
    let resultant = format!("mean resultant length {length} of the {of}, from {low} to {high} with 95 % confidence");
    let mut lines = vec![line("resultant", resultant)];
    lines.extend(factor.concentration.as_ref().map(|found| line("concentration", concentration(found))));
    lines.extend(factor.concentrations.as_ref().map(|found| line("concentrations", concentrations(found))));
    lines.extend(factor.population_region.as_ref().map(|region| {
        let within = radius.words_up(region.radius);
        let words = match (factor.is_everywhere(region.radius), factor.ellipse.is_empty()) {
            (true, _) => {
                format!("anywhere, α₉₅ = {within}: too few records, too wide a spread or too much noise")
            }
            (false, true) => format!("mean within α₉₅ = {within} {}, of the law above", region.words()),
            (false, false) => format!("mean within α₉₅ = {within} {}", region.words()),
        };
        line("population", words)
    }));
    lines.extend(factor.any_population_region.as_ref().map(|region| {
        line("any population", format!("mean within {} {}", radius.words_up(region.radius), region.words()))
    }));
    if let [longest, .., shortest] = factor.ellipse[..] {
        lines.push(line(
            "ellipse",
            format!(
                "semi-axes from {} to {} with about 95 % confidence",
                radius.words_up(longest),
                radius.words_up(shortest)
            ),
        ));
    }
    lines.extend(factor.frechet_mean_within.map(|apart| {
        let from = format!("from the extrinsic mean of the {of}, with at least 95 % confidence");
        line("Fréchet mean", format!("no farther than {} {from}", radius.words_up(apart)))
    }));
    let is_even = factor.uniformity.p_value > 0.05;
    let verdict = if is_even { "they may be spread evenly" } else { "they are not spread evenly" };
    lines.push(line("uniformity", format!("{}: {verdict}", factor.uniformity.p())));
    lines
}

fn concentrations(found: &Concentrations) -> String {
    let each = found.values.iter().zip(&found.intervals);
    let words: Vec<String> = each
        .map(|(value, ends)| {
            let end = |end: f64, digits: fn(f64) -> String| match end.abs() < f64::MAX {
                true => digits(end),
                false => format!("{}infinity", sign(end)),
            };
            format!("{} ({} to {})", digits(*value), end(ends[0], digits_down), end(ends[1], digits_up))
        })
        .collect();
    format!("{}, {} law, with about 95 % confidence each", words.join(", "), found.law)
}

fn sign(x: f64) -> &'static str {
    if x < 0.0 { "−" } else { "" }
}

fn concentration(found: &Concentration) -> String {
    let (low, high) = found.interval;
    let high = high.map_or("infinity".to_owned(), digits_up);
    format!("{} {} law, from {} to {high} with 95 % confidence", digits(found.kappa), found.law, digits_down(low))
}
