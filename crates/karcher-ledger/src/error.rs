//! Errors of ledgers, and refusals of releases.

use std::path::Path;

/// Result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Error in opening a ledger, or refusal of a release. It does not depend on records.
///
/// ```
/// use karcher_ledger::{Error, Ledger};
/// assert!(matches!(Ledger::open("no such folder/budget.db"), Err(Error::Missing { .. })));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A new ledger where a file is.
    #[error(
        "{file} exists, and a new ledger never replaces a file: go on with it by `Ledger::open`, and use another name \
         only for other people"
    )]
    Exists {
        /// The file.
        file: String,
    },
    /// No such file.
    #[error("{file} does not exist: check the path, or make a ledger with `Ledger::create`")]
    Missing {
        /// The file.
        file: String,
    },
    /// A file that is something else.
    #[error("{file} is no ledger: {reason}")]
    NotALedger {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// A ledger whose content contradicts itself.
    #[error("{file} is damaged, so it permits no release: {reason}")]
    Damaged {
        /// The file.
        file: String,
        /// Where.
        reason: String,
    },
    /// A ledger that is not in the file that it was made in.
    #[error(
        "{file} is a copy of a ledger, or was restored, moved, renamed or mounted elsewhere: two of them would each \
         spend the whole budget. If no other is in use, its owner accepts this one by `karcher ledger adopt`"
    )]
    Copied {
        /// The file.
        file: String,
    },
    /// A ledger that held more once.
    #[error(
        "{file} is an older state of a ledger: {mark} says that it had {expected} lines, and it has {found}{differ}. \
         What was spent in between is missing; restore the newer file"
    )]
    Older {
        /// The file.
        file: String,
        /// The mark of the ledger, a file next to it.
        mark: String,
        /// Lines that there were.
        expected: u64,
        /// Lines that there are.
        found: u64,
        /// Set if the lines differ although their number suffices.
        differ: &'static str,
    },
    /// An invalid name for data.
    #[error("the name of the data {reason}")]
    Name {
        /// The fault of the name.
        reason: &'static str,
    },
    /// Too little budget is left, or the ledger does not count this kind of guarantee.
    #[error("{file}: {source}")]
    Refused {
        /// The file.
        file: String,
        /// Requested, spent and left.
        source: karcher::Error,
    },
    /// A release that protects records, in a ledger of persons.
    #[error(
        "{file} counts releases that protect persons, and this one protects single records: name the person of each \
         record (--person, groups), or count it in a ledger of records"
    )]
    RecordsOnly {
        /// The file.
        file: String,
    },
    /// A release of another program that cannot be counted here.
    #[error("{file}: release {number} to import {reason}")]
    Foreign {
        /// The file.
        file: String,
        /// Its place in the list, from 1.
        number: usize,
        /// The fault.
        reason: String,
    },
    /// A counted release that cannot be written for another ledger.
    #[error(
        "entry {entry} has no guarantee that another ledger could count, so nothing is exported: write its releases by \
         hand, as the guide's page about ledgers shows"
    )]
    NotExported {
        /// Its number.
        entry: u64,
    },
    /// A release that the ledger has not reserved.
    #[error("{file}: {reason}")]
    NotReserved {
        /// The file.
        file: String,
        /// The fault.
        reason: String,
    },
    /// Another program holds the file.
    #[error("{file} has been locked by another program for {seconds} s: try again when it has ended")]
    Busy {
        /// The file.
        file: String,
        /// The time waited.
        seconds: u64,
    },
    /// A disk that is full, a file or folder that must not be written to, and the like.
    #[error("{file} cannot be {task} ({reason})")]
    Io {
        /// The file.
        file: String,
        /// Read, or written to.
        task: &'static str,
        /// The error of the system.
        reason: String,
    },
}

impl Error {
    /// The sentence for somebody who only reads the ledger, and neither makes nor accepts one.
    ///
    /// ```
    /// let missing = karcher_ledger::Ledger::open("no such folder/budget.db").unwrap_err();
    /// assert_eq!(missing.for_reader(), "no such folder/budget.db does not exist: check the path");
    /// ```
    pub fn for_reader(&self) -> String {
        match self {
            Error::Missing { file } => format!("{file} does not exist: check the path"),
            Error::Copied { file } => format!(
                "{file} is a copy of a ledger, or was restored, moved, renamed or mounted elsewhere. A reader needs to \
                 do nothing; `karcher ledger adopt` is for its owner only"
            ),
            other => other.to_string(),
        }
    }
}

/// A path in a message.
pub(crate) fn name(path: &Path) -> String {
    path.display().to_string()
}
