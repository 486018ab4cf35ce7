//! Whether a release is what its own specification leads to: what `karcher verify` computes.

use crate::error::Failure;
use karcher::audit::{Booking, Verification};
use karcher_ledger::{Ledger, Reconciliation};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Whether all numbers were compared, and the findings, each with its field and its reason.
type Verified = (bool, Vec<(String, String)>);

/// Verifies a release, given as JSON and with the name of its file.
#[pyfunction]
#[pyo3(signature = (name, text, ledger))]
pub fn verify(name: &str, text: &str, ledger: Option<PathBuf>) -> Result<Verified, Failure> {
    let json = Verification::read(text).map_err(|reason| Failure::Sentence(format!("{name}: {reason}")))?;
    let Verification { complete, mut findings } = Verification::of(&json);
    if let Some(path) = ledger {
        let book = Ledger::open(path)?.book()?;
        findings.extend(Reconciliation::new(&book).findings(name, &Booking::all(&json)));
    }
    Ok((complete, findings.into_iter().map(|finding| (finding.field, finding.reason)).collect()))
}
