//! `karcher verify`: whether releases are what their own specifications lead to.

use crate::Failure;
use crate::output::{print_json, write_out};
use karcher::audit::Verification;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Read;
use std::path::PathBuf;

/// Whether published releases agree with their own specifications.
///
/// Everything in a release, except the noisy numbers, follows from its specification, the number of records and the
/// version of karcher. So this command plans each release again and compares. It reads no records and spends nothing.
///
/// It cannot know the records or the noise: a value that was moved to another point of the lattice, with all that follows
/// from it, is not found.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher mean examples/cities.csv --columns latitude,longitude --layout latlon \\
      --manifold sphere:2 --center 25,80 --radius 0.9 --epsilon 1 --output directions.json
  karcher verify directions.json")]
pub struct Args {
    /// The releases: what a command wrote with --output FILE.json, --by groups and counts included. - reads standard
    /// input.
    #[arg(value_name = "RELEASE.json", required = true)]
    releases: Vec<String>,
    /// The ledger that counted them. The entry of each release must be there, and cover it alone.
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A file with the result of its verification.
#[derive(Serialize)]
struct Verified<'a> {
    file: &'a str,
    verified: bool,
    #[serde(flatten)]
    result: Verification,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.releases.iter().filter(|file| *file == "-").count() > 1 {
        return Err("- stands twice, and standard input can be read once: leave one out".into());
    }
    let book = args.ledger.as_ref().map(ledger::open).transpose()?;
    let mut reconciliation = book.as_ref().map(ledger::reconciliation);
    let mut releases = vec![];
    for file in &args.releases {
        let result = match read(file) {
            Err(reason) => Verification::failed(reason),
            Ok(json) => {
                let mut result = Verification::of(&json);
                if let Some(reconciliation) = &mut reconciliation {
                    result.findings.extend(ledger::findings(reconciliation, file, &json));
                }
                result
            }
        };
        releases.push(Verified { file, verified: result.findings.is_empty(), result });
    }
    if args.json {
        print_json(&json!({ "releases": releases }))?;
    } else {
        write_out(releases.iter().map(told).collect::<String>().as_bytes())?;
    }
    let found: usize = releases.iter().map(|release| release.result.findings.len()).sum();
    let files = releases.iter().filter(|release| !release.verified).count();
    match found {
        0 => Ok(()),
        _ => {
            let findings = if found == 1 { "1 finding".to_owned() } else { format!("{found} findings") };
            Err(format!("{findings} in {files} of {} files: ask for the original files", releases.len()).into())
        }
    }
}

/// A line for a file without findings, or one for each finding.
fn told(release: &Verified<'_>) -> String {
    let file = if release.file == "-" { "standard input" } else { release.file };
    match &release.result.findings[..] {
        [] if !release.result.complete => {
            format!("{file}: its noise is enough; an earlier version made it, so other numbers may differ\n")
        }
        [] => format!("{file}: nothing contradicts its specification\n"),
        findings => findings.iter().map(|finding| format!("{file}: {finding}\n")).collect(),
    }
}

/// The JSON of a file, or of standard input, or the reason why there is none.
fn read(file: &str) -> Result<Value, String> {
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin().read_to_string(&mut text).map(|_| ()),
        file => std::fs::read_to_string(file).map(|whole| text = whole),
    };
    read.map_err(|error| format!("it cannot be read ({error})"))?;
    Verification::read(&text)
}

#[cfg(feature = "ledger")]
mod ledger {
    //! The comparison with a ledger.

    use crate::Failure;
    use karcher::audit::{Booking, Finding};
    use karcher_ledger::{Book, Ledger, Reconciliation};
    use serde_json::Value;
    use std::path::PathBuf;

    /// Reads a ledger, which must be whole.
    pub fn open(path: &PathBuf) -> Result<Book, Failure> {
        Ok(Ledger::open(path).map_err(|error| format!("--ledger: {error}"))?.book()?)
    }

    /// The comparison with it.
    pub fn reconciliation(book: &Book) -> Reconciliation<'_> {
        Reconciliation::new(book)
    }

    /// The contradictions between a ledger and a file.
    pub fn findings(reconciliation: &mut Reconciliation<'_>, file: &str, json: &Value) -> Vec<Finding> {
        reconciliation.findings(file, &Booking::all(json))
    }
}

#[cfg(not(feature = "ledger"))]
mod ledger {
    //! What stands for a ledger where the feature is left out.

    use crate::Failure;
    use karcher::audit::Finding;
    use karcher::release::Adjacency;
    use serde_json::Value;
    use std::path::PathBuf;

    /// There is none.
    pub enum Book {}

    /// Refuses every ledger.
    pub fn open(path: &PathBuf) -> Result<Book, Failure> {
        crate::booking::check(path, Adjacency::ReplaceOne)?;
        Err("--ledger: this karcher has no ledgers".into())
    }

    /// Never asked.
    pub fn reconciliation(book: &Book) -> &Book {
        book
    }

    /// Never asked.
    pub fn findings(book: &&Book, _: &str, _: &Value) -> Vec<Finding> {
        match **book {}
    }
}
