//! `--ledger`: where a release is counted before its noise is drawn, and with it the way out of the program.

use crate::Failure;
use crate::booking;
use crate::saving::refuse_folder_that_is_read;
use karcher::facts::Fact;
use karcher::release::{Adjacency, LedgerEntry, PrivacyEvent};
use karcher::sampler::Generator;
use karcher::{Release, ReleaseContext};
use std::path::{Path, PathBuf};

/// The ledger that counts what is spent, and the source of the noise.
#[derive(clap::Args)]
#[command(next_help_heading = "Ledger and randomness")]
pub struct LedgerAndSeed {
    /// Ledger that counts the budget, made by `karcher ledger new`. The budget is counted before any noise is drawn, so
    /// it stays spent whatever happens. The command is refused if not enough is left.
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    ledger: Option<PathBuf>,
    /// Seed of reproducible noise, hence NOT private: for tests and demonstrations.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

impl LedgerAndSeed {
    /// Refuses a file that is no ledger, before records are read. Refuses a ledger in a folder that is read, and one
    /// that an output would replace.
    pub fn check(&self, read: &[&str], written: &[Option<&Path>], adjacency: Adjacency) -> Result<(), Failure> {
        if let Some(path) = &self.ledger {
            refuse_folder_that_is_read("--ledger", path, read)?;
            let own = path.canonicalize().ok();
            if let Some(path) = written.iter().flatten().find(|path| own.is_some() && path.canonicalize().ok() == own) {
                let words = "is the ledger, which the output would replace: choose another name";
                return Err(format!("{} {words}", path.display()).into());
            }
            booking::check(path, adjacency)?;
        }
        Ok(())
    }

    /// The context of a release that was planned. From here on its budget is spent.
    pub fn context(&self, event: &PrivacyEvent) -> Result<ReleaseContext, Failure> {
        match (&self.ledger, self.seed) {
            (_, Some(seed)) => Ok(ReleaseContext::seeded(seed)),
            (None, None) => Ok(ReleaseContext::from_os()?),
            (Some(path), None) => {
                let generator = Generator::from_os()?; // which could fail
                Ok(ReleaseContext::new(booking::reservation(path, event)?, generator))
            }
        }
    }

    /// Notes that the release was made, and returns its entry and what is left.
    pub fn settle(&self, release: &Release) -> Vec<Fact> {
        self.settle_entry(release.provenance().ledger.as_ref())
    }

    /// The same for the release that has this entry.
    pub fn settle_entry(&self, at: Option<&LedgerEntry>) -> Vec<Fact> {
        match (&self.ledger, at) {
            (Some(path), Some(at)) => booking::settle(path, at),
            _ => vec![],
        }
    }
}
