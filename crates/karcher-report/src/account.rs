//! The present state of a ledger.

use crate::document::Document;
use crate::guarantee;
use crate::html::{Shown, columns, facts};
use karcher::audit::Booking;
use karcher::release::Adjacency;
use karcher_ledger::{Book, Entry, Reconciliation};
use maud::{Markup, html};

/// What contradicts the ledger in the releases on the page.
fn findings(book: &Book, documents: &[Document]) -> Vec<String> {
    let mut all = Reconciliation::new(book);
    let of = |document: &Document| {
        let json = serde_json::from_str(&document.json).unwrap_or_default(); // it was read before
        let title = document.title_of_several();
        let findings = all.findings(&title, &Booking::all(&json));
        findings.into_iter().map(|finding| format!("{title}: {finding}.")).collect::<Vec<_>>()
    };
    documents.iter().flat_map(of).collect()
}

/// The content of a ledger, with its entries on the page marked.
pub fn so_far(book: &Book, documents: &[Document]) -> Markup {
    let shown: Vec<u64> = documents
        .iter()
        .flat_map(|document| Booking::all(&serde_json::from_str(&document.json).unwrap_or_default()))
        .filter_map(|booking| booking.entry_in(&book.ledger).filter(|at| at.ledger == book.ledger).map(|at| at.entry))
        .collect();
    let is_shown = |entry: &Entry| if shown.contains(&entry.entry) { "yes" } else { "no" }.to_owned();
    let row = |entry: &Entry| entry.cells().into_iter().chain([is_shown(entry)]).collect();
    let rows: Vec<Vec<String>> = book.entries.iter().map(row).collect();
    let total = match book.adjacency {
        Adjacency::ReplaceOne => book.total().definition().to_string(),
        other => format!("{}, {other}", book.total().definition()),
    };
    let heads = [&Entry::COLUMNS[..], &["on this page"]].concat();
    html! {
        section id="ledger" aria-labelledby="ledger-heading" {
            h2 id="ledger-heading" { "The ledger so far" }
            p {
                "A ledger adds up the budgets of releases about the same people, and refuses a release beyond its \
                total. Its owner promised that it counts all releases about these people."
            }
            (facts("The ledger", &[
                ("data", book.data.clone()),
                ("ledger", format!("{}, made {}", book.ledger, book.time)),
                ("protects", format!("one {}", book.unit)),
                ("total", total),
                ("spent", book.spent().to_string()),
                ("left", book.left().to_string()),
                ("guarantee of all releases", guarantee::shown(book.promise()).to_string()),
            ]))
            @if rows.is_empty() { p { "There were no requests." } } @else { (columns("Every request", &heads, &rows)) }
            @if shown.is_empty() { p { "This ledger counted no release on this page." } }
            @for finding in findings(book, documents) { p class="warning" { (Shown(&finding)) } }
        }
    }
}
