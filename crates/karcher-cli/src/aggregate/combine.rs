//! `karcher combine`: the release of two aggregators' sums.

use super::task::{Options, json};
use crate::Failure;
use crate::output::{print_json, print_text};
use karcher_aggregate::{Combined, NoisyShare, combine};
use karcher_io::OutputFile;
use std::path::PathBuf;

/// Add the noisy sums of two aggregators, and write the release.
///
/// If the release takes more rounds, it writes the state for the next one: give it to everyone with --state. Its files
/// are public, and it spends no budget.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher combine examples/vessels.json a.sum b.sum --n 400 --to a.pub --to b.pub \\
      --output vessels-mean.json")]
pub struct Args {
    #[command(flatten)]
    task: Options,
    /// Noisy sums of the two aggregators.
    #[arg(required = true, num_args = 2, value_name = "SUM")]
    sums: Vec<PathBuf>,
    /// File for the release, or for the state, .json.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Let --output replace a file.
    #[arg(long)]
    force: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let task = args.task.task()?;
    let sum = |path: &PathBuf| json::<NoisyShare>(path, "a sum of karcher aggregate add");
    let sums = [sum(&args.sums[0])?, sum(&args.sums[1])?];
    let read: Vec<&str> = args.sums.iter().filter_map(|path| path.to_str()).chain(args.task.files()).collect();
    let created = |path: &PathBuf| {
        OutputFile::create(path, args.force, &read).map_err(|error| Failure::from(format!("--output: {error}")))
    };
    let file = args.output.as_ref().map(created).transpose()?;
    let (json, words) = match combine(&task, &sums)? {
        Combined::Next(state) => {
            let words = format!(
                "round {} of {} is done: give the state to everyone with --state",
                state.rounds(),
                task.rounds()
            );
            (serde_json::to_value(&state)?, words)
        }
        Combined::Release(release) => (serde_json::to_value(&release)?, release.to_string()),
        Combined::Count(count) => (serde_json::to_value(&count)?, count.to_string()),
    };
    if let Some(file) = file {
        file.write_whole((serde_json::to_string_pretty(&json)? + "\n").as_bytes())?;
    }
    if args.json { print_json(&json) } else { Ok(print_text(&(words + "\n"))?) }
}
