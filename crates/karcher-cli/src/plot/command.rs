//! `karcher plot`: the picture of a release that was written before.

use super::Picture;
use crate::Failure;
use crate::located::read_release;
use karcher::release::Collected;
use karcher_report::as_release;
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
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Let --output replace a file.
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let name = args.release.display().to_string();
    let release = match collected(&args.release) {
        Some(collected) => as_release(collected)?,
        None => read_release(&name, "a .json file that karcher wrote")?,
    };
    let manifold = release.provenance.manifold.manifold()?;
    karcher_report::Picture::check(&*manifold, release.provenance.statistic)?;
    manifold.check_point(release.provenance.ball.center()).map_err(|e| format!("{name}, center of the ball: {e}"))?;
    let read = args.release.to_string_lossy();
    Picture::create("--output", &args.output, args.force, &[&*read])?.draw(&release)
}

/// What karcher collect wrote, if that is what the file holds.
fn collected(file: &Path) -> Option<Collected> {
    let collected: Collected = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    (collected.statistic == "collected-mean").then_some(collected)
}
