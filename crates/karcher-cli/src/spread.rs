//! What is said of a region, and of the spread about a private mean.

use crate::Failure;
use crate::length::Length;
use crate::mean::Companions;
use crate::options::number;
use karcher::mechanism::{Request, Spread};
use karcher::release::{NoisyNumber, PrivateSpread, Region, RegionCenter};
use karcher::{Error, Release};

/// The options about spread and region.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Release the spread too, with a quarter of the budget: the root mean square distance of the records to the
    /// private mean, and the share of them that lies outside of the ball. It tells whether there is a mean worth the
    /// name, and where the mean of the population is.
    #[arg(long)]
    spread: bool,
    /// Where the distances of the spread are cut off, a length like the radius. Default: twice the radius of the ball.
    #[arg(long, value_name = "C", requires = "spread")]
    spread_clip: Option<Length>,
    /// The probability with which the region that is printed, and written as JSON, holds the mean of the clipped
    /// records.
    #[arg(long, value_name = "P", default_value = "0.95", value_parser = number)]
    region: f64,
}

impl Options {
    /// Refuses a probability that is none.
    pub fn check(&self) -> Result<(), Failure> {
        if self.region > 0.0 && self.region < 1.0 {
            return Ok(());
        }
        let requirement = "it must be strictly between 0 and 1".to_owned();
        Err(Error::InvalidParameter { name: "region", value: self.region, requirement }.into())
    }
}

impl Companions for Options {
    fn ask(&self, request: Request) -> Result<Request, Failure> {
        let space = request.statistic().manifold().space();
        let clip = self.spread_clip.map(|clip| clip.on(space, "--spread-clip")).transpose()?;
        Ok(request.spread(self.spread.then_some(Spread { clip })))
    }

    fn region(&self) -> f64 {
        self.region
    }

    fn lines(&self, release: &Release, region: Option<Region>, radius: Length) -> Vec<(String, String)> {
        let line = |name: &str, words: String| (name.to_owned(), words);
        let mut lines: Vec<_> = region_line(region, radius).into_iter().collect();
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
        lines.extend(notes(spread).into_iter().map(|note| line("note", note.to_owned())));
        lines
    }
}

/// The region in words.
fn region_line(region: Option<Region>, radius: Length) -> Option<(String, String)> {
    region.map(|region| ("region".to_owned(), within(&region, "the mean of the clipped records", radius)))
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
fn notes(spread: &PrivateSpread) -> Vec<&'static str> {
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
    notes
}
