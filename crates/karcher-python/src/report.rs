//! What a notebook shows of a release, and the page that can be sent: what `karcher report` writes.

use crate::error::Failure;
use karcher::facts::Cells;
use karcher_ledger::Ledger;
use karcher_report::{Document, Report};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The section about what karcher wrote as JSON. `None` where this version writes none.
#[pyfunction]
pub fn section(py: Python<'_>, text: &str) -> Option<String> {
    py.detach(|| Document::read("release.json", text).ok().map(|document| document.fragment()))
}

/// A release, a count or a collected mean in the words that the command prints: the answer and the notes, with all
/// `details`, or as a `sentence` for a paper.
#[pyfunction]
pub fn words(text: &str, form: &str) -> Result<String, Failure> {
    let document = read(text)?;
    Ok(match form {
        "sentence" => document.sentence(),
        form => document.text(form == "details"),
    })
}

/// The released numbers of a release: a list of names and numbers for each row of a table.
#[pyfunction]
pub fn cells(text: &str) -> Result<Vec<Cells>, Failure> {
    Ok(read(text)?.cells())
}

fn read(text: &str) -> Result<Document, Failure> {
    Ok(Document::read("release.json", text)?)
}

/// The page about releases with their names, each as JSON, and about a ledger.
#[pyfunction]
#[pyo3(signature = (releases, title, ledger))]
pub fn report(
    releases: Vec<(String, String)>,
    title: Option<String>,
    ledger: Option<PathBuf>,
) -> Result<String, Failure> {
    let read = |(name, text): &(String, String)| Document::read(name, text);
    let documents = releases.iter().map(read).collect::<Result<Vec<Document>, _>>()?;
    let book = ledger.map(|path| Ledger::open(path)?.book()).transpose()?;
    Ok(Report { documents: &documents, title: title.as_deref(), ledger: book.as_ref() }.page())
}
