//! What can go wrong.

use std::fmt::Display;

/// An error, in a sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The specification has no plan of rounds, or an error of the statistic.
    #[error(transparent)]
    Karcher(#[from] karcher::Error),
    /// What was read is not what is needed.
    #[error("{what}: {reason}")]
    Unusable {
        /// What was read.
        what: String,
        /// Why it cannot be used, and what to do.
        reason: String,
    },
    /// The system gives no randomness.
    #[error("the operating system gives no randomness ({0})")]
    NoEntropy(String),
    /// The journal of an aggregator cannot be read or written.
    #[error("the journal: {0}")]
    Journal(#[from] rusqlite::Error),
}

/// A result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error about something that was read.
pub(crate) fn unusable(what: impl Into<String>, reason: impl Display) -> Error {
    Error::Unusable { what: what.into(), reason: reason.to_string() }
}
