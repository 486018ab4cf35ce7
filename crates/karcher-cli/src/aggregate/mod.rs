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
  karcher aggregate keys both.key --of-both
  karcher aggregate check examples/vessels.json site.share --n 400 \\
      --key a.key --verify-key both.key --output a.checked
  karcher aggregate check examples/vessels.json site.share --n 400 \\
      --key b.key --verify-key both.key --output b.checked
  karcher aggregate add examples/vessels.json site.share --n 400 \\
      --key a.key --verify-key both.key --checked b.checked --journal a.db --output a.sum
  karcher aggregate add examples/vessels.json site.share --n 400 \\
      --key b.key --verify-key both.key --checked a.checked --journal b.db --output b.sum")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make the keys of an aggregator: a.key, which stays here, and a.pub for reporters.
    Keys {
        /// File of the private key, such as a.key. That of the public key ends in .pub.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Make the key that the two aggregators share instead. Give it to the other aggregator alone.
        #[arg(long)]
        of_both: bool,
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
        /// Journal of this aggregator, which is made if it is missing. It says which reports were added up, and what was
        /// sent: noise is added once.
        #[arg(long, value_name = "FILE")]
        journal: PathBuf,
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
    /// Private key of this aggregator.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Key that the two aggregators share (karcher aggregate keys --of-both).
    #[arg(long, value_name = "FILE")]
    verify_key: PathBuf,
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
        let verify: VerifyKey = json(&self.verify_key, "a key of two aggregators (karcher aggregate keys --of-both)")?;
        Ok(Aggregator::new(key, verify))
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
        let own = [&self.key, &self.verify_key].into_iter().chain(&self.reports).filter_map(|path| path.to_str());
        let read: Vec<&str> = own.chain(self.task.files()).collect();
        Ok(OutputFile::create(&self.output, self.force, &read).map_err(|error| format!("--output: {error}"))?)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.action {
        Action::Keys { file, of_both: true } => write_secret(file, &serde_json::to_string(&VerifyKey::generate()?)?),
        Action::Keys { file, .. } => {
            let key = SecretKey::generate()?;
            let public = file.with_extension("pub");
            write_secret(file, &serde_json::to_string(&key)?)?;
            OutputFile::create(&public, false, &[])?.write_whole(serde_json::to_string(&key.public())?.as_bytes())?;
            print_lines(&[
                ("private key".to_owned(), file.display().to_string()),
                ("public key".to_owned(), public.display().to_string()),
            ])
        }
        Action::Check(reading) => {
            let task = reading.task.task()?;
            let output = reading.output()?;
            let checked = reading.aggregator()?.check(&task, &reading.reports()?)?;
            Ok(output.write_whole(serde_json::to_string(&checked)?.as_bytes())?)
        }
        Action::Add { reading, checked, journal, ledger } => {
            let task = reading.task.task()?;
            let output = reading.output()?;
            let (aggregator, reports) = (reading.aggregator()?, reading.reports()?);
            let other: Checked = json(checked, "what karcher aggregate check wrote")?;
            let sum = aggregator.add_up(&task, &reports, &other)?;
            let mut journal = Journal::open(journal)?;
            if let Some(ledger) = ledger
                && !journal.took_part(&task)?
            {
                booking::check(ledger, task.spec().adjacency)?;
                booking::reservation(ledger, &task.plan()?.summary().event().of(task.spec().unit))?;
            }
            let share = sum.with_noise(&mut journal)?;
            Ok(output.write_whole(serde_json::to_string(&share)?.as_bytes())?)
        }
    }
}

/// Writes a new file that only its owner can read.
fn write_secret(path: &Path, text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    Ok(written.map_err(|error| format!("{} cannot be written ({error})", path.display()))?)
}
