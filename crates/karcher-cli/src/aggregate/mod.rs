//! `karcher aggregate`: what each of two aggregators does.

pub mod combine;
pub mod share;
mod task;

use crate::Failure;
use crate::booking;
use crate::output::print_lines;
use karcher_aggregate::{Aggregator, Checked, Journal, Report, SecretKey, VerifyKey};
use karcher_io::OutputFile;
use std::path::{Path, PathBuf};
use task::{Options, json};

/// Add up the shares of reports, as one of two aggregators, and add noise.
///
/// Make keys once. For each round of a release, check the reports, exchange what was checked with the other aggregator,
/// and add up. An aggregator learns nothing from its shares.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  karcher aggregate check examples/vessels.json site.share --n 400 --to a.pub --to b.pub \\
      --key a.key --output a.checked
  karcher aggregate check examples/vessels.json site.share --n 400 --to a.pub --to b.pub \\
      --key b.key --output b.checked
  karcher aggregate add examples/vessels.json site.share --n 400 --to a.pub --to b.pub \\
      --key a.key --checked b.checked --output a.sum
  karcher aggregate add examples/vessels.json site.share --n 400 --to a.pub --to b.pub \\
      --key b.key --checked a.checked --output b.sum")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make the keys of an aggregator: a.key, which stays there, a.pub for everyone, and its journal a.journal.
    Keys {
        /// File of the private key, such as a.key. Give it and its journal to no one.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Key that the two aggregators share, and no one else knows.
        #[arg(long, value_name = "FILE", required_unless_present = "of_both")]
        shared: Option<PathBuf>,
        /// Make that shared key instead.
        #[arg(long, conflicts_with = "shared")]
        of_both: bool,
    },
    /// Accept a journal that was copied, restored or moved with its key. You promise that no other copy is in use, and
    /// that it is not older than what the aggregator sent.
    Adopt {
        /// Private key, next to its journal.
        #[arg(value_name = "KEY.key")]
        key: PathBuf,
    },
    /// Check the proofs of reports, for the other aggregator.
    Check(Reading),
    /// Add up the reports that both aggregators have, with right proofs, and add noise.
    Add {
        #[command(flatten)]
        reading: Reading,
        /// What the other aggregator checked.
        #[arg(long, value_name = "FILE")]
        checked: PathBuf,
        /// Ledger that counts the budget of the release, before noise is added.
        #[arg(long, value_name = "FILE")]
        ledger: Option<PathBuf>,
    },
}

/// The reports of a release, and the keys to read them.
#[derive(clap::Args)]
struct Reading {
    #[command(flatten)]
    task: Options,
    /// Files of reports, one a line.
    #[arg(required = true, value_name = "REPORTS")]
    reports: Vec<PathBuf>,
    /// Private key of this aggregator. Its journal is next to it: it says which reports were added up and what was
    /// sent, so that noise is added once.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// File for the result.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Let --output replace a file.
    #[arg(long)]
    force: bool,
}

impl Reading {
    fn aggregator(&self) -> Result<Aggregator, Failure> {
        let key: SecretKey = json(&self.key, "a private key of karcher aggregate keys")?;
        Ok(Aggregator::new(key))
    }

    fn journal(&self) -> Result<Journal, Failure> {
        Ok(Journal::of_key(&self.key)?)
    }

    /// The reports. A line that is no report is left out: it must not stop the others.
    fn reports(&self) -> Result<Vec<Report>, Failure> {
        let mut all = vec![];
        for path in &self.reports {
            let text = std::fs::read(path).map_err(|error| format!("{} cannot be read ({error})", path.display()))?;
            let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            all.extend(lines.filter_map(|line| serde_json::from_slice(line).ok()));
        }
        Ok(all)
    }

    fn output(&self) -> Result<OutputFile, Failure> {
        let own = std::iter::once(&self.key).chain(&self.reports).filter_map(|path| path.to_str());
        let read: Vec<&str> = own.chain(self.task.files()).collect();
        Ok(OutputFile::create(&self.output, self.force, &read).map_err(|error| format!("--output: {error}"))?)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.action {
        Action::Keys { file, shared: None, .. } => Ok(VerifyKey::create(file).map(drop)?),
        Action::Keys { file, shared: Some(shared), .. } => make_keys(file, shared),
        Action::Adopt { key } => Ok(Journal::adopt_of_key(key)?),
        Action::Check(reading) => {
            let (task, output, reports) = (reading.task.task()?, reading.output()?, reading.reports()?);
            let checked = reading.aggregator()?.check(&task, &reports, &reading.journal()?)?;
            Ok(output.write_whole(serde_json::to_string(&checked)?.as_bytes())?)
        }
        Action::Add { reading, checked, ledger } => {
            let (task, output, reports) = (reading.task.task()?, reading.output()?, reading.reports()?);
            let other: Checked = json(checked, "what karcher aggregate check wrote")?;
            let mut journal = reading.journal()?;
            let sum = reading.aggregator()?.add_up(&task, &reports, &other, &journal)?;
            let counted = sum.reports();
            let share = match ledger {
                None => sum.with_noise(&mut journal)?,
                Some(ledger) => {
                    booking::check(ledger, task.spec().adjacency)?;
                    let event = task.event();
                    let mut refused = None;
                    let share = sum.with_noise_booked(&mut journal, |batch| {
                        booking::reserve_once(ledger, &event, batch).map_err(|failure| {
                            let sentence = failure.to_string();
                            refused = Some(failure);
                            sentence
                        })
                    });
                    if let Some(failure) = refused {
                        return Err(failure);
                    }
                    share?
                }
            };
            output.write_whole(serde_json::to_string(&share)?.as_bytes())?;
            let mut lines = vec![("reports".to_owned(), format!("{counted} of {} lines were added up", reports.len()))];
            if let (Some(ledger), Some(at), true) = (ledger, share.ledger(), task.is_last()) {
                lines.extend(booking::settle(ledger, at).into_iter().map(|fact| (fact.name, fact.words)));
            }
            print_lines(&lines)
        }
    }
}

/// The private key, the public one and the journal of an aggregator.
fn make_keys(file: &Path, shared: &Path) -> Result<(), Failure> {
    let shared: VerifyKey = json(shared, "a key of two aggregators: expected what --of-both wrote")?;
    SecretKey::create(file, &shared)?;
    print_lines(&[
        ("private key".to_owned(), file.display().to_string()),
        ("public key".to_owned(), file.with_extension("pub").display().to_string()),
        ("journal".to_owned(), file.with_extension("journal").display().to_string()),
    ])
}
