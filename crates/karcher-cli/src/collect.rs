//! `karcher collect`: the mean of records that were randomized at home.

use crate::Failure;
use crate::output::{aligned, digits, digits_down, point_rows};
use crate::saving::{Content, Saving, hand_over};
use karcher::Manifold;
use karcher::describe::around;
use karcher::mechanism::collect;
use karcher::release::{Collected, PublishedRelease};
use karcher_io::layout;
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
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
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
    let printed = if args.json { format!("{}\n", content.json) } else { aligned(&describe(&collected, &*manifold)?) };
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

/// The mean in words.
fn describe(collected: &Collected, manifold: &dyn Manifold) -> Result<Vec<(String, String)>, Failure> {
    let row = manifold.shape().row_len();
    let around = around(&collected.ball, Some(manifold), Some(&layout(manifold, None)?));
    let line = |name: &str, value: String| (name.to_owned(), value);
    let names = std::iter::once("collected mean").chain(std::iter::repeat(""));
    let rows = point_rows(&collected.value, row, false);
    let mut lines: Vec<_> = names.zip(rows).map(|(name, row)| line(name, row)).collect();
    let bias = match collected.bias_bound {
        Some(0.0) => "none: the space is flat".to_owned(),
        Some(bound) => format!("at most {}, whatever the number of people", digits(bound)),
        None => "not known: in so large a ball the mean need not be unique".to_owned(),
    };
    let people = if collected.n == 1 { "1 person".to_owned() } else { format!("{} people", collected.n) };
    lines.extend([
        line("space", format!("{}, {people}", collected.manifold)),
        line(
            "guarantee",
            format!("{} for each {}, by the noise that each person added", collected.guarantee, collected.unit),
        ),
        line("noise", format!("scale {} each", digits_down(collected.scale))),
        line("ball", format!("radius {}{around}", digits(collected.ball.radius()))),
        line("expected error", format!("about {} of noise", digits(collected.expected_distance))),
        line("bias", bias),
    ]);
    lines.extend(collected.flags.iter().map(|flag| line("note", flag.to_string())));
    Ok(lines)
}
