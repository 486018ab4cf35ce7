//! The ledger of `--ledger`: counting a release, and reporting it.

use crate::Failure;
use crate::failure::say;
use karcher::BudgetReservation;
use karcher::facts::Fact;
use karcher::release::{Adjacency, LedgerEntry, PrivacyEvent};
use karcher_ledger::{Book, Error, Ledger};
use std::path::Path;

/// Refuses a file that is no ledger, and one that counts no releases for these neighbours.
pub fn check(path: &Path, adjacency: Adjacency) -> Result<(), Failure> {
    Ok(Ledger::unchecked(path).check_adjacency(adjacency)?)
}

/// Counts what was announced, which is spent from here on.
pub fn reservation(path: &Path, event: &PrivacyEvent) -> Result<BudgetReservation, Failure> {
    Ok(Ledger::unchecked(path).reservation(event)?) // it checks all
}

/// The same for a batch of aggregators, once.
#[cfg(feature = "aggregate")]
pub fn reserve_once(path: &Path, event: &PrivacyEvent, batch: &str) -> Result<LedgerEntry, Failure> {
    Ok(Ledger::unchecked(path).reserve_once(event, batch)?)
}

/// Notes that the release was made, and returns its entry and what is left. The budget is spent by now, so failures
/// here are only warnings.
pub fn settle(path: &Path, at: &LedgerEntry) -> Vec<Fact> {
    let ledger = Ledger::unchecked(path);
    let told = ledger.released_once(at).and_then(|()| ledger.book());
    let words = match told {
        Ok(book) => {
            let twice = book.cost_of_two_steps(at.entry).map_or(String::new(), |cost| {
                format!(" counts as {cost} (replacing a record takes two steps, {})", Book::TWO_STEPS)
            });
            format!("entry {} of {}{twice}, {} is left of {}", at.entry, path.display(), book.left(), book.data)
        }
        Err(error) => {
            say(&format!("warning: the release is counted, but {error}"));
            format!("entry {} of {}", at.entry, path.display())
        }
    };
    vec![Fact::answer("ledger", words)]
}

/// The sentence for an error whose advice is a command here and a function in the library.
pub fn sentence(failure: &Failure) -> Option<String> {
    match failure.downcast_ref()? {
        Error::Exists { file } => Some(format!(
            "{file} exists, and a new ledger never replaces a file: use `--ledger {file}` to go on with it, and \
             another name only for other people"
        )),
        Error::Missing { file } => {
            Some(format!("{file} does not exist: check the path, or make a ledger with `karcher ledger new`"))
        }
        _ => None,
    }
}

/// The book of a ledger, for a report.
#[cfg(feature = "plot")]
pub fn book(path: &Path) -> Result<karcher_ledger::Book, Failure> {
    let (ledger, book) = crate::ledger::open(path).map_err(|error| format!("--ledger: {error}"))?;
    ledger.check_for_reader()?.iter().for_each(|problem| say(&format!("warning: {problem}")));
    Ok(book)
}
