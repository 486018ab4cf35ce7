//! `karcher plot`: the picture of a release that was written before.

use super::Picture;
use crate::Failure;
use crate::located::read_release;
use karcher::release::Collected;
use karcher::series::SeriesState;
use karcher_report::as_release;
use std::path::{Path, PathBuf};

/// Draw the picture of a release.
///
/// The picture uses only what the release holds, so it costs no privacy: the value, the ball, and the region of the
/// mean with its probability. Medians, regressions, balls of karcher locate, and the output of karcher collect are
/// drawn too. So is the state of a series. karcher mean and karcher regress draw the same with --plot.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1 --output mean.json
  karcher plot mean.json --output mean.svg")]
pub struct Args {
    /// Release: a .json file that karcher wrote.
    #[arg(value_name = "RELEASE.json")]
    release: PathBuf,
    /// File for the picture, .svg or .png.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Draw a direction or an axis in the equal-area net of the lower hemisphere: the first axis is north, the second
    /// east, the third down. With layouts such as declination-inclination this is the default.
    #[arg(long)]
    stereonet: bool,
    /// Let --output replace a file.
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let name = args.release.display().to_string();
    if let Some(series) = series(&args.release) {
        let picture = Picture::create("--output", &args.output, args.force, &[name.as_str()])?;
        return picture.draw_series(&series);
    }
    let release = match collected(&args.release) {
        Some(collected) => as_release(collected)?,
        None => read_release(&name, "a .json file that karcher wrote")?,
    };
    let manifold = release.provenance.manifold.manifold()?;
    karcher_report::Picture::check(&*manifold, release.provenance.statistic)?;
    manifold.check_point(release.provenance.ball.center()).map_err(|e| format!("{name}, center of the ball: {e}"))?;
    let read = args.release.to_string_lossy();
    let picture = Picture::create("--output", &args.output, args.force, &[&*read])?;
    if args.stereonet { picture.draw_in_net(&release) } else { picture.draw(&release) }
}

/// The series whose state a file holds, if it does.
fn series(file: &Path) -> Option<SeriesState> {
    SeriesState::read(&serde_json::from_slice(&std::fs::read(file).ok()?).ok()?).ok()
}

/// What karcher collect wrote, if that is what the file holds.
fn collected(file: &Path) -> Option<Collected> {
    let collected: Collected = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    (collected.statistic == "collected-mean").then_some(collected)
}
