//! Whether releases are what their own specifications lead to: what `karcher verify` computes.

use crate::error::Failure;
use karcher::audit::{Booking, Finding, Verification};
use karcher_ledger::{Ledger, NotGiven, Reconciliation};
use pyo3::prelude::*;
use serde_json::Value;
use std::path::PathBuf;

/// Whether all numbers were compared, the promise if nothing contradicts it, and the findings, each with its field and
/// its reason.
type Verified = (bool, Option<String>, Vec<(String, String)>);

/// Verifies releases, each given as the name of its file and its JSON. Notes are about several of them, or the ledger.
#[pyfunction]
#[pyo3(signature = (releases, ledger))]
pub fn verify(
    releases: Vec<(String, String)>,
    ledger: Option<PathBuf>,
) -> Result<(Vec<Verified>, Vec<String>), Failure> {
    let mut documents: Vec<(&str, Value)> = vec![];
    for (name, text) in &releases {
        let json = Verification::read(text).map_err(|reason| Failure::Sentence(format!("{name}: {reason}")))?;
        documents.push((name, json));
    }
    let for_reader = |error: karcher_ledger::Error| Failure::LedgerSentence(error.for_reader());
    let opened = ledger.map(Ledger::unchecked);
    let book = opened.as_ref().map(Ledger::book).transpose().map_err(for_reader)?;
    let mut reconciliation = book.as_ref().map(Reconciliation::new);
    let mut all = vec![];
    for (name, json) in &documents {
        let Verification { complete, promise, mut findings, .. } = Verification::of(json);
        if let Some(reconciliation) = &mut reconciliation {
            findings.extend(reconciliation.findings(name, &Booking::all(json)));
        }
        let promise = promise.filter(|_| findings.is_empty()).map(|promise| promise.to_string());
        let pair = |Finding { field, reason }| (field, reason);
        all.push((complete, promise, findings.into_iter().map(pair).collect()));
    }
    let mut notes = copies(&documents);
    if let (Some(opened), Some(reconciliation)) = (&opened, &reconciliation) {
        let missing = NotGiven::sentences(&reconciliation.not_given());
        notes.extend(missing.into_iter().map(|sentence| format!("{}: {sentence}", opened.path().display())));
        notes.extend(opened.check_for_reader().map_err(for_reader)?);
    }
    Ok((all, notes))
}

/// A note for each file with the releases of an earlier one.
fn copies(documents: &[(&str, Value)]) -> Vec<String> {
    let all: Vec<(&str, Vec<Value>)> = documents.iter().map(|(name, json)| (*name, Booking::releases(json))).collect();
    let first = |i: usize| all[..i].iter().find(|(_, other)| !other.is_empty() && *other == all[i].1);
    let note = |i: usize| first(i).map(|(other, _)| format!("{}: the same release as {other}", all[i].0));
    (0..all.len()).filter_map(note).collect()
}
