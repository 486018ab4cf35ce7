//! Ledgers, and the page about releases.

use crate::failure::Failure;
use crate::job::Numbers;
use crate::specification::budget;
use karcher::release::Adjacency;
use karcher_ledger::Ledger;
use karcher_report::{Document, Report};
use serde_json::{Value, json};

/// What a ledger says. With `data` it is made first.
pub fn ledger(request: &Value, _: &Numbers) -> Result<Value, Failure> {
    let path = request["path"].as_str().unwrap_or_default();
    if let Some(data) = request["data"].as_str() {
        let unit = request["unit"].as_str().unwrap_or("record").parse().map_err(Failure::new)?;
        let adjacency = Adjacency::named(request["adjacency"].as_str().unwrap_or("replace-one"));
        let adjacency = adjacency.ok_or_else(|| Failure::new("adjacency is neither replace-one nor add-remove"))?;
        Ledger::create_for((unit, adjacency), path, data, budget(&request["budget"])?)?;
    }
    let ledger = Ledger::open(path)?;
    let book = ledger.book()?;
    Ok(json!({
        "path": path, "data": book.data, "unit": book.unit, "adjacency": book.adjacency, "total": book.total(),
        "spent": book.spent(), "left": book.left(), "entries": book.entries, "wrong": ledger.check()?,
    }))
}

/// The page about releases with their names, and about a ledger.
pub fn report(request: &Value, _: &Numbers) -> Result<Value, Failure> {
    let releases = request["releases"].as_object().into_iter().flatten();
    let documents = releases.map(|(name, text)| Document::read(name, text.as_str().unwrap_or_default()));
    let documents = documents.collect::<Result<Vec<_>, _>>().map_err(|error| Failure::new(error.to_string()))?;
    let book = request["ledger"].as_str().map(|path| Ledger::open(path)?.book()).transpose()?;
    let report = Report { documents: &documents, title: request["title"].as_str(), ledger: book.as_ref() };
    Ok(json!(report.page()))
}
