//! `--ledger`: where a release is counted before its noise is drawn, and with it the way out of the program.

use crate::Failure;
use crate::counting;
use crate::saving::refuse_folder_that_is_read;
use karcher::release::{Adjacency, LedgerEntry, PrivacyEvent};
use karcher::sampler::Generator;
use karcher::{Release, ReleaseContext};
use std::path::{Path, PathBuf};

/// Who counts what is spent, and where the noise comes from.
#[derive(clap::Args)]
#[command(next_help_heading = "Ledger and randomness")]
pub struct Account {
    /// Count the budget in this ledger, which `karcher ledger new` has made: before any noise is drawn, so that it
    /// stays spent whatever happens. Refused when not enough is left.
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    ledger: Option<PathBuf>,
    /// Reproducible noise, hence NOT private: for tests and demonstrations.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

impl Account {
    /// Refuses a ledger that is none before records are read, one in a folder that is read, and one that a file that
    /// is written would take the place of.
    pub fn check(&self, read: &[&str], written: &[Option<&Path>], adjacency: Adjacency) -> Result<(), Failure> {
        if let Some(path) = &self.ledger {
            refuse_folder_that_is_read("--ledger", path, read)?;
            let own = path.canonicalize().ok();
            if let Some(path) = written.iter().flatten().find(|path| own.is_some() && path.canonicalize().ok() == own) {
                return Err(format!("{} is the ledger: what is written would take its place", path.display()).into());
            }
            counting::check(path, adjacency)?;
        }
        Ok(())
    }

    /// The door for a release that was planned. From here on its budget is spent.
    pub fn context(&self, event: &PrivacyEvent) -> Result<ReleaseContext, Failure> {
        match (&self.ledger, self.seed) {
            (_, Some(seed)) => Ok(ReleaseContext::seeded(seed)),
            (None, None) => Ok(ReleaseContext::from_os()?),
            (Some(path), None) => {
                let generator = Generator::from_os()?; // which could fail
                Ok(ReleaseContext::new(counting::reservation(path, event)?, generator))
            }
        }
    }

    /// Notes that the release was made, and tells its entry and what is left.
    pub fn settle(&self, release: &Release) -> Vec<(String, String)> {
        self.settle_entry(release.provenance().ledger.as_ref())
    }

    /// The same for the release that has this entry.
    pub fn settle_entry(&self, at: Option<&LedgerEntry>) -> Vec<(String, String)> {
        match (&self.ledger, at) {
            (Some(path), Some(at)) => counting::settle(path, at),
            _ => vec![],
        }
    }
}
