//! `karcher man`: the manual pages.

use crate::output::Report;
use crate::{Cli, Failure};
use clap::CommandFactory;
use std::path::PathBuf;

/// Write the manual pages, one a command: karcher.1, karcher-mean.1 and so on.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher man man1

Read one with `man ./man1/karcher-mean.1`, or write them to ~/.local/share/man/man1 and run `man karcher-mean`.")]
pub struct Args {
    /// Folder for the pages. It is made if need be; pages of an earlier version in it are replaced.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let written =
        std::fs::create_dir_all(&args.folder).and_then(|()| clap_mangen::generate_to(Cli::command(), &args.folder));
    written.map_err(|error| format!("{}: the manual pages cannot be written ({error})", args.folder.display()))?;
    let mut report = Report::default();
    let folder = args.folder.display().to_string();
    report.add("manual pages", &folder, folder.clone())?;
    report.print(false)
}
