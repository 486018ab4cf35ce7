//! The region of a mean and the spread about it, in words.

use super::{Lengths, Lines, MEAN, line};
use crate::release::{NoisyNumber, PrivatePoint, PrivateSpread, Region, RegionCenter};

/// What region and spread add to the table.
pub(super) fn describe(point: &PrivatePoint, radius: Lengths) -> Lines {
    let region = point.region.as_ref().map(|region| line("region", within(region, MEAN, radius)));
    let mut lines: Lines = region.into_iter().collect();
    let Some(spread) = &point.spread else { return lines };
    let [low, high] = spread.root_mean_square_interval;
    let (low, high) = (radius.words_down(low), radius.words_up(high));
    lines.push(line(
        "spread",
        format!(
            "{}, the root mean square distance of the records, each at most {}; from {low} to {high} with 95 % \
             confidence",
            radius.words(spread.root_mean_square),
            radius.words(spread.clip)
        ),
    ));
    if let Some(uniform) = spread.uniform {
        let words = "if records were spread evenly over the whole space, it would be";
        lines.push(line("", format!("{words} {}", radius.words(uniform.root_mean_square))));
    }
    lines.push(line("outside", fraction(&spread.fraction_outside)));
    if let Some(region) = &spread.population_region {
        lines.push(line("population", within(region, "the mean of their population, clipped like them,", radius)));
    }
    if let Some(clipping) = spread.clipping {
        let words = format!("may have moved the mean by at most about {}", radius.words_up(clipping));
        lines.push(line("clipping", words));
    }
    lines
}

fn within(region: &Region, what: &str, radius: Lengths) -> String {
    let about = match region.center {
        RegionCenter::NoisyValue => "the value before denoising",
        _ => "it",
    };
    format!("{what} is within {} of {about}, {}", radius.words_up(region.radius), region.words())
}

/// A fraction of the records with its interval, in per cent.
fn fraction(found: &NoisyNumber) -> String {
    let (value, [low, high]) = (100.0 * found.value, found.interval_in_percent());
    format!("{value:.1} % of the records are outside the ball; from {low:.1} % to {high:.1} % with 95 % confidence")
}

/// Notes that follow from the spread.
pub fn notes(spread: &PrivateSpread) -> Lines {
    let mut notes = vec![];
    if spread.consistent_with_uniform {
        notes.push(
            "this release cannot distinguish these records from random points on the whole space: they have no useful \
             mean, and the choice of the ball mostly decides the value",
        );
    }
    if spread.fraction_outside.value > 0.5 {
        notes.push(
            "more than half of the records lie outside the ball: the mean of the clipped records depends more on the \
             ball than on them",
        );
    }
    notes.into_iter().map(|note: &str| line("note", note)).collect()
}
