//! `karcher collect`: the mean of records that were randomized at home.

use crate::Failure;
use crate::output_options::Printing;
use crate::saving::{Content, Saving, hand_over};
use karcher::mechanism::collect;
use karcher::release::PublishedRelease;
use std::path::PathBuf;

/// The mean of records that people randomized at home, each with karcher randomize.
///
/// It spends no budget, because its input is public already. All releases must come from different people, and from one
/// ball, space and budget. The error of noise falls like 1/√n. On curved spaces a bias remains: a mean of vectors at
/// the center of the ball is one step towards the mean.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher randomize examples/home.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 50,10 --radius 0.3 --epsilon 2 --output from-home.json
  karcher collect from-home.json")]
pub struct Args {
    /// Files that karcher randomize wrote: .json with one release each, or with one on each line.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    #[command(flatten)]
    printing: Printing,
    /// File for the result: .json all of it, .npy or .csv the value.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Let --output replace a file.
    #[arg(long, requires = "output")]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let files: Vec<&str> = args.files.iter().map(String::as_str).collect();
    let saving = Saving::open(args.output.as_deref(), args.force, &files)?;
    let mut reports = vec![];
    for file in files {
        read(file, &mut reports)?;
    }
    let collected = collect(&reports)?;
    let manifold = collected.manifold.manifold()?;
    let row = manifold.shape().row_len();
    let values = collected.value.clone();
    let shape = if row < values.len() { vec![values.len() / row, row] } else { vec![row] };
    let content = Content { json: serde_json::to_value(&collected)?, values, shape, names: None, labels: vec![] };
    let printed = args.printing.printed(&content.json, &collected.facts(), || collected.sentence());
    hand_over(saving, &content, &printed)
}

/// Adds the releases of a file: the whole of it is one, or every line is.
fn read(file: &str, reports: &mut Vec<PublishedRelease>) -> Result<(), Failure> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file} cannot be read ({error})"))?;
    if let Ok(release) = serde_json::from_str(&text) {
        reports.push(release);
        return Ok(());
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    for (i, line) in lines {
        let release = serde_json::from_str(line).map_err(|error| {
            format!("{file}, line {}: expected a release that karcher randomize wrote ({error})", i + 1)
        })?;
        reports.push(release);
    }
    Ok(())
}
