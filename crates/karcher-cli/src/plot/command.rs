//! `karcher plot`: the picture of a release that was written before.

use super::{Kind, Picture};
use crate::Failure;
use crate::located::read_release;
use karcher::release::{
    Adjacency, Collected, MechanismName, Numerics, PrivatePoint, Provenance, PublishedRelease, ReleasedBound,
    ReleasedSensitivity, SCHEMA, StatisticName, Value,
};
use std::path::{Path, PathBuf};

/// The picture of a release.
///
/// It shows what the release says and nothing else, so it costs no privacy: the value, the ball, and the region that
/// holds the mean of the clipped records with the probability that was asked for. A median, a ball that karcher locate
/// found, and what karcher collect wrote are drawn too. karcher mean and karcher regress draw the same with --plot.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1 --output mean.json
  karcher plot mean.json --output mean.svg")]
pub struct Args {
    /// The release: a .json file that karcher wrote.
    #[arg(value_name = "RELEASE.json")]
    release: PathBuf,
    /// The picture, .svg or .png.
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Let --output replace a file.
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let name = args.release.display().to_string();
    let release = match collected(&args.release) {
        Some(collected) => of_collected(collected)?,
        None => read_release(&name, "a .json file that karcher wrote")?,
    };
    let manifold = release.provenance.manifold.manifold()?;
    Kind::of(&*manifold, release.provenance.statistic)?;
    manifold.check_point(release.provenance.ball.center()).map_err(|e| format!("{name}, center of the ball: {e}"))?;
    let read = args.release.to_string_lossy();
    Picture::create("--output", &args.output, args.force, &[&*read])?.draw(&release)
}

/// What karcher collect wrote, if that is what the file holds.
fn collected(file: &Path) -> Option<Collected> {
    let collected: Collected = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    (collected.statistic == "collected-mean").then_some(collected)
}

/// A collected mean as a release: each of its people has the guarantee in the whole of it, too.
fn of_collected(collected: Collected) -> Result<PublishedRelease, Failure> {
    let manifold = collected.manifold.manifold()?;
    manifold.check_point(&collected.value).map_err(|error| format!("the value of the collection: {error}"))?;
    let point = PrivatePoint {
        value: collected.value,
        noisy_value: None,
        logarithm: None,
        region: None,
        spread: None,
        components: None,
    };
    let provenance = Provenance {
        schema: SCHEMA,
        karcher: env!("CARGO_PKG_VERSION").into(),
        statistic: StatisticName::FrechetMean,
        manifold: collected.manifold,
        n: Some(collected.n),
        n_guess: None,
        private_count: None,
        guarantee: collected.guarantee,
        unit: collected.unit,
        adjacency: Adjacency::ReplaceOne,
        mechanism: MechanismName::Chart,
        scale: collected.scale,
        sensitivity: ReleasedSensitivity {
            value: 2.0 * collected.ball.radius(),
            bound: ReleasedBound::ClippedGradient,
        },
        ball: collected.ball,
        numerics: Numerics::Exact,
        lattice: 0.0,
        expected_distance: collected.expected_distance,
        bias_bound: collected.bias_bound,
        steps: None,
        located: None,
        ledger: None,
        flags: collected.flags,
    };
    Ok(PublishedRelease { provenance, value: Value::Point(point) })
}
