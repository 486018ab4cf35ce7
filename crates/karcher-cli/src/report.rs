//! `karcher report`: a page about releases that were written before.

use crate::Failure;
use crate::booking;
use crate::saving::refuse_folder_that_is_read;
use karcher_io::OutputFile;
use karcher_report::{Document, Report};
use std::path::PathBuf;

/// A page about releases, to send to people: one HTML file with pictures, without scripts or outside links.
///
/// The page explains in words the value, its errors, its guarantee for one record or person, and every flag. It also
/// states the guarantee of all releases together, and its limits. It uses the files alone, so it costs no privacy. The
/// JSON itself is in the page, to keep.
#[derive(clap::Args)]
#[command(after_help = "Example:
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1 --output release.json
  karcher report release.json --output report.html")]
pub struct Args {
    /// Releases: .json files that karcher wrote, by mean, components, count, locate, regress, randomize or collect.
    #[arg(required = true, value_name = "RELEASE.json")]
    releases: Vec<PathBuf>,
    /// File of the page, .html.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Title of the page. Default: one for the releases.
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Ledger to show too: what was requested, spent and left. Readers of the page see all its entries.
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Let --output replace a file.
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if !matches!(args.output.extension().and_then(|e| e.to_str()), Some("html" | "htm")) {
        return Err(format!("--output {}: the extension must be .html", args.output.display()).into());
    }
    let mut documents = vec![];
    for path in &args.releases {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| format!("{name} cannot be read ({error})"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("{name} is no release, because it is no text"))?;
        documents.push(Document::read(&name, &text)?);
    }
    #[cfg_attr(not(feature = "ledger"), allow(unused_variables))]
    let ledger = args.ledger.as_deref().map(booking::book).transpose()?;
    let names: Vec<String> =
        args.releases.iter().chain(&args.ledger).map(|path| path.to_string_lossy().into_owned()).collect();
    let read: Vec<&str> = names.iter().map(String::as_str).collect();
    refuse_folder_that_is_read("--output", &args.output, &read)?;
    let file = OutputFile::create(&args.output, args.force, &read).map_err(|error| format!("--output: {error}"))?;
    let report = Report {
        documents: &documents,
        title: args.title.as_deref(),
        #[cfg(feature = "ledger")]
        ledger: ledger.as_ref(),
    };
    Ok(file.write_whole(report.page().as_bytes())?)
}
