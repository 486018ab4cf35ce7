//! `karcher components`: the private principal components of a file of records about their private mean.

use crate::Failure;
use crate::length::Length;
use crate::mean::{Common, Companions, release};
use crate::output::{digits, digits_down, point};
use crate::spread;
use karcher::Release;
use karcher::mechanism::{Components, Request};
use karcher::release::{PrivateComponents, Region};

/// The private mean of the records in a file, and the directions in which they vary most about it.
///
/// The mean gets half of the budget, and the second moment of the records' logarithms at it the other half: a symmetric
/// matrix of d(d+1)/2 numbers, each with noise. (With --spread the two share what the spread leaves.) So it takes many
/// records: the variance that noise alone makes is printed, and a component below it is noise.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher components examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --mu 2")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Length to which logarithms at the private mean are shortened, like the radius. Default: the radius of the ball.
    /// With twice the radius there is also an ellipsoid for the mean of the population.
    #[arg(long, value_name = "C")]
    components_clip: Option<Length>,
    #[command(flatten)]
    spread: spread::Options,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.spread.check()?;
    release(&args.common, args)
}

impl Companions for Args {
    fn ask(&self, request: Request) -> Result<Request, Failure> {
        let space = request.statistic().manifold().space();
        let clip = self.components_clip.map(|clip| clip.on(space, "--components-clip")).transpose()?;
        self.spread.ask(request.components(Some(Components { clip })))
    }

    fn region(&self) -> f64 {
        Companions::region(&self.spread)
    }

    fn lines(&self, release: &Release, region: Option<Region>, radius: Length) -> Vec<(String, String)> {
        let mut lines = self.spread.lines(release, region, radius);
        lines.extend(release.components().map(|components| told(components, radius)).unwrap_or_default());
        lines
    }

    fn values(&self, release: &Release) -> Option<(Vec<f64>, Vec<usize>)> {
        let directions = &release.components()?.directions;
        Some((directions.concat(), vec![directions.len(), release.value().len()]))
    }
}

/// The components in words.
fn told(components: &PrivateComponents, radius: Length) -> Vec<(String, String)> {
    let line = |name: String, words: String| (name, words);
    let mut lines = vec![];
    let told = components.above_noise();
    for i in 0..told {
        let deviation = radius.words(components.variances[i].sqrt());
        let share = 100.0 * components.shares[i];
        let words = format!("deviation {deviation}, {share:.1} % of the variance, along");
        lines.push(line(format!("component {}", i + 1), words));
        let direction = &components.directions[i];
        lines.push(line(String::new(), point(direction, direction.len(), true)));
    }
    let noise = radius.words(components.noise_level.sqrt());
    let all = components.variances.len();
    let words =
        format!("{told} of {all} components are told from noise, which alone makes deviations of about {noise}");
    lines.push(line("noise".to_owned(), words));
    if let Some(region) = &components.population_region {
        let axes: Vec<String> = region.semi_axes.iter().map(|axis| radius.words(*axis)).collect();
        let words = format!(
            "the mean of the population, clipped to the ball, is with about 95 % in the ellipsoid about the private \
             mean with the {all} components as its axes and the semi-axes {}",
            axes.join(", ")
        );
        lines.push(line("population".to_owned(), words));
    }
    let scale = digits_down(components.scale);
    let words = format!("{} scale {scale}, logarithms up to {}", components.mechanism, digits(components.clip));
    lines.push(line("second moment".to_owned(), words));
    lines
}
