//! The sentence about ledgers in a build without the feature `ledger`.

use crate::Failure;
use karcher::BudgetReservation;
use karcher::facts::Fact;
use karcher::release::{Adjacency, LedgerEntry, PrivacyEvent};
use std::path::Path;

/// Refuses every ledger.
pub fn check(_path: &Path, _adjacency: Adjacency) -> Result<(), Failure> {
    Err(LEFT_OUT.into())
}

/// Permits nothing.
pub fn reservation(_path: &Path, _announced: &PrivacyEvent) -> Result<BudgetReservation, Failure> {
    Err(LEFT_OUT.into())
}

/// Counts no batch.
#[cfg(feature = "aggregate")]
pub fn reserve_once(_path: &Path, _announced: &PrivacyEvent, _batch: &str) -> Result<LedgerEntry, Failure> {
    Err(LEFT_OUT.into())
}

/// Notes nothing.
pub fn settle(_path: &Path, _at: &LedgerEntry) -> Vec<Fact> {
    vec![]
}

/// No error is about a ledger.
pub fn sentence(_failure: &Failure) -> Option<String> {
    None
}

/// Reads no ledger.
#[cfg(feature = "plot")]
pub fn book(_path: &Path) -> Result<(), Failure> {
    Err(LEFT_OUT.into())
}

const LEFT_OUT: &str = "--ledger: this karcher was built without the feature `ledger`; cargo install --locked --path \
                        crates/karcher-cli, in the folder of the source, installs one that has it";
