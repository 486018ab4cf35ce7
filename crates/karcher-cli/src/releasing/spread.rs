//! The region of a mean and the spread about it, in words.

use super::{Lines, line};
use crate::length::Length;
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
            "{} is the root mean square distance of the records, each at most {}; from {low} to {high} with 95 %",
            radius.words(spread.root_mean_square),
            radius.words(spread.clip)
        ),
    ));
    if let Some(uniform) = spread.uniform {
        let words = "of records that were spread evenly over the whole space it would be";
        lines.push(line("", format!("{words} {}", radius.words(uniform.root_mean_square))));
    }
    lines.push(line("outside", format!("the ball are {}", share(&spread.share_outside))));
    if let Some(region) = &spread.population_region {
        lines.push(line("population", within(region, "the mean of their population, clipped like them,", radius)));
    }
    if let Some(clipping) = spread.clipping {
        let words = "is how far clipping may have moved the mean, at most about";
        lines.push(line("clipping", format!("{} {words}", radius.words(clipping))));
    }
    lines
}

/// The region in words.
fn region_line(region: Option<&Region>, radius: Length) -> Option<(String, String)> {
    region.map(|region| ("region".to_owned(), within(region, "the mean of the clipped records", radius)))
}

fn within(region: &Region, what: &str, radius: Length) -> String {
    let about = match region.about {
        RegionCenter::NoisyValue => "the value before denoising",
        _ => "it",
    };
    format!("{what} is within {} of {about}, {}", radius.words(region.radius), region.words())
}

/// A share with its interval, in per cent.
fn share(share: &NoisyNumber) -> String {
    let percent = |share: f64| format!("{:.1}", 100.0 * share);
    let [low, high] = share.interval.map(percent);
    format!("{} % of the records; from {low} % to {high} % with 95 %", percent(share.value))
}

/// What the spread says about the mean.
pub fn notes(spread: &PrivateSpread) -> Lines {
    let mut notes = vec![];
    if spread.scattered {
        notes.push(
            "as far as this release tells, these records are spread over the whole space as evenly as random points: \
             they have no mean worth the name, and where the value lies is mostly the choice of the ball",
        );
    }
    if spread.share_outside.value > 0.5 {
        notes.push(
            "more than half of the records lie outside of the ball: the mean of the clipped records says more about \
             the ball than about them",
        );
    }
    notes.into_iter().map(|note: &str| line("note", note.to_owned())).collect()
}
