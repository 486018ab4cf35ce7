//! Errors of pages and pictures.

use std::fmt;

/// The reason why a document cannot be shown: a sentence about published data, hence public.
///
/// ```
/// let error = karcher_report::Document::read("x.json", "{").unwrap_err();
/// assert!(error.to_string().starts_with("x.json is no release, but no JSON at all"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

/// Result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The sentence.
    pub(crate) fn new(sentence: impl ToString) -> Self {
        Self(sentence.to_string())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<karcher::error::GeometryError> for Error {
    fn from(error: karcher::error::GeometryError) -> Self {
        Self::new(error)
    }
}

impl From<karcher::Error> for Error {
    fn from(error: karcher::Error) -> Self {
        Self::new(error)
    }
}
