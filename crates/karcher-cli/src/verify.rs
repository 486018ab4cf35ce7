//! `karcher verify`: whether releases are what their own specifications lead to.

use crate::Failure;
use crate::output::{print_json, write_out};
use karcher::audit::{Booking, Finding, Verification};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Read;
use std::path::PathBuf;

/// Whether published releases agree with their own specifications.
///
/// Everything in a release, except the noisy numbers, follows from its specification, the number of records and the
/// version of karcher. So this command plans each release again and compares. It reads no records and spends no budget.
///
/// Of a file that agrees it prints the promise: the guarantee, who is protected, the numerics and the flags. A release
/// with a seed is not private, and is a finding. With findings the exit status is 1.
///
/// It cannot know the records or the noise: a value that was moved to another point of the lattice, with all that
/// follows from it, is not found.
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
    /// The ledger that counted them, or a copy of it. The entry of each release must be there, and cover it alone.
    /// Entries whose releases are in none of the files are named, and the exit status is 1.
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
    /// `false` for a release with a seed, and nothing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    private: Option<bool>,
    /// The first of the files with the same releases.
    #[serde(skip_serializing_if = "Option::is_none")]
    same_as: Option<&'a str>,
    #[serde(flatten)]
    result: Verification,
    #[serde(skip)]
    json: Value,
}

impl<'a> Verified<'a> {
    fn new(file: &'a str) -> Self {
        let (result, json) = match read(file) {
            Ok(json) => (Verification::of(&json), json),
            Err(reason) => (Verification::failed(reason), Value::Null),
        };
        Self { file, verified: false, private: None, same_as: None, result, json }
    }

    /// The same when all findings are known. The promise of a file that is contradicted is not repeated.
    fn finished(mut self) -> Self {
        let findings = &self.result.findings;
        self.verified = findings.is_empty();
        self.private = findings.iter().any(Finding::is_of_seed).then_some(false);
        self.result.promise = self.result.promise.filter(|_| findings.iter().all(Finding::is_of_seed));
        self
    }

    /// A line for a file without findings, or one for each finding. A line for a copy of another file.
    fn told(&self, has_ledger: bool) -> String {
        let file = name(self.file);
        let mut lines: Vec<String> = match (&self.result.findings[..], &self.result.promise) {
            ([], Some(promise)) => {
                let agrees = match self.result.complete {
                    true => "agrees with its specification",
                    false => "its noise is enough; an earlier version made it, so other numbers may differ",
                };
                let entry = match &self.result.entry {
                    Some(at) if has_ledger => format!("entry {}", at.entry),
                    Some(at) => format!("entry {} (not checked)", at.entry),
                    None => "no ledger".to_owned(),
                };
                vec![format!("{agrees}; {promise}, {entry}")]
            }
            (findings, _) => findings.iter().map(ToString::to_string).collect(),
        };
        lines.extend(self.same_as.map(|other| format!("the same release as {}", name(other))));
        lines.iter().map(|line| format!("{file}: {line}\n")).collect()
    }
}

/// A file in a sentence.
fn name(file: &str) -> &str {
    if file == "-" { "standard input" } else { file }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    if args.releases.iter().filter(|file| *file == "-").count() > 1 {
        return Err("- stands twice, and standard input can be read once: leave one out".into());
    }
    let mut all: Vec<Verified<'_>> = args.releases.iter().map(|file| Verified::new(file)).collect();
    let account = args.ledger.as_ref().map(|path| ledger::reconcile(path, &mut all)).transpose()?;
    all = all.into_iter().map(Verified::finished).collect();
    let releases: Vec<Vec<Value>> = all.iter().map(|file| Booking::releases(&file.json)).collect();
    for i in 0..all.len() {
        let first = releases[..i].iter().position(|other| !other.is_empty() && *other == releases[i]);
        all[i].same_as = first.map(|first| all[first].file);
    }
    if args.json {
        let mut json = json!({ "releases": all });
        if let Some(account) = &account {
            json["ledger"] = json!(account);
        }
        print_json(&json)?;
    } else {
        let mut text: String = all.iter().map(|file| file.told(account.is_some())).collect();
        account.iter().for_each(|account| text += &account.told());
        write_out(text.as_bytes())?;
    }
    outcome(&all, account.as_ref())
}

/// The failure of the command, if there are findings, or entries whose releases are missing.
fn outcome(all: &[Verified<'_>], account: Option<&Account>) -> Result<(), Failure> {
    let findings: Vec<&Finding> = all.iter().flat_map(|file| &file.result.findings).collect();
    let files = all.iter().filter(|file| !file.verified).count();
    let mut remedies: Vec<&str> = vec![];
    for remedy in all.iter().flat_map(|file| Finding::remedies(&file.result.findings)) {
        if !remedies.contains(&remedy) {
            remedies.push(remedy);
        }
    }
    let advice = if remedies.is_empty() { String::new() } else { format!(": {}", remedies.join("; ")) };
    match findings.len() {
        0 => match account.filter(|account| !account.not_given.is_empty()) {
            None => Ok(()),
            Some(account) => Err(format!("{} counts releases that were not given: ask for them", account.file).into()),
        },
        1 => Err(format!("1 finding in {files} of {} files{advice}", all.len()).into()),
        found => Err(format!("{found} findings in {files} of {} files{advice}", all.len()).into()),
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

/// What a ledger says about all files together.
#[derive(Serialize)]
struct Account {
    file: String,
    /// Signs of a copy or of damage.
    problems: Vec<String>,
    /// Entries with releases that are in none of the files.
    not_given: Vec<Value>,
    /// The same in sentences.
    #[serde(skip)]
    sentences: Vec<String>,
}

impl Account {
    /// A line for each thing to know.
    fn told(&self) -> String {
        let missing = self.sentences.iter().map(|sentence| format!("{}: {sentence}\n", self.file));
        missing.chain(self.problems.iter().map(|problem| format!("{problem}\n"))).collect()
    }
}

#[cfg(feature = "ledger")]
mod ledger {
    //! The comparison with a ledger.

    use super::{Account, Verified};
    use crate::Failure;
    use karcher::audit::Booking;
    use karcher_ledger::{NotGiven, Reconciliation};
    use serde_json::json;
    use std::path::Path;

    /// Compares files with a ledger, which must be whole; it may be a copy. Adds its findings to theirs.
    pub fn reconcile(path: &Path, all: &mut [Verified<'_>]) -> Result<Account, Failure> {
        let (ledger, book) = crate::ledger::open(path).map_err(|error| format!("--ledger: {error}"))?;
        let problems = ledger.check_for_reader()?;
        let mut files = Reconciliation::new(&book);
        for file in all {
            let bookings = Booking::all(&file.json);
            file.result.findings.extend(files.findings(file.file, &bookings));
            // the entry in this ledger, if the file names one there
            let own = bookings.first().and_then(|booking| booking.entry_in(&book.ledger)).cloned();
            file.result.entry = own.or(file.result.entry.take());
        }
        let not_given = files.not_given();
        Ok(Account {
            file: path.display().to_string(),
            problems,
            sentences: NotGiven::sentences(&not_given),
            not_given: not_given.iter().map(|entry| json!(entry)).collect(),
        })
    }
}

#[cfg(not(feature = "ledger"))]
mod ledger {
    //! What stands for a ledger where the feature is left out.

    use super::{Account, Verified};
    use crate::Failure;
    use karcher::release::Adjacency;
    use std::path::Path;

    /// Refuses every ledger.
    pub fn reconcile(path: &Path, _: &mut [Verified<'_>]) -> Result<Account, Failure> {
        crate::booking::check(path, Adjacency::ReplaceOne)?;
        Err("--ledger: this karcher has no ledgers".into())
    }
}
