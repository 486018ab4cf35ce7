//! The region of a mean and the spread about it, in words.

use crate::length::Length;
use crate::releasing::{Lines, line};
use karcher::Release;
use karcher::release::{NoisyNumber, PrivateSpread, Region, RegionCenter};

/// What region and spread add to the table.
pub fn describe(release: &Release, radius: Length) -> Lines {
    let mut lines: Lines = region_line(release.region(), radius).into_iter().collect();
    let Some(spread) = release.spread() else { return lines };
    let [low, high] = spread.root_mean_square_interval.map(|end| radius.words(end));
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
        let words = format!("may have moved the mean by at most about {}", radius.words(clipping));
        lines.push(line("clipping", words));
    }
    lines
}

/// The region in words.
fn region_line(region: Option<&Region>, radius: Length) -> Option<(String, String)> {
    region.map(|region| ("region".to_owned(), within(region, "the mean of the clipped records", radius)))
}

fn within(region: &Region, what: &str, radius: Length) -> String {
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
    notes.into_iter().map(|note: &str| line("note", note.to_owned())).collect()
}
