//! The library's errors as the exceptions of `karcher.errors`.

use karcher::Error;
use karcher::error::{GeometryError, PrivacyError};
use karcher::release::MechanismName;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::fmt;

/// What this crate's functions fail with: an error of the library or a sentence of this binding.
#[derive(Debug)]
pub enum Failure {
    /// Refused by the library.
    Refused(Error),
    /// Refused for a field of a specification, the first one, which is a parameter of the other name.
    Field(&'static str, String, Error),
    /// Refused at a row, in words, counted from 1.
    Row(String, Box<Failure>),
    /// An argument that is not a point.
    NotAPoint(String),
    /// Refused before the library was asked.
    Sentence(String),
    /// Refused by a ledger.
    Ledger(karcher_ledger::Error),
    /// Refused by a ledger that is only read, in words for a reader.
    LedgerSentence(String),
    /// Raised by Python.
    Python(PyErr),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(error)
    }
}

impl From<GeometryError> for Failure {
    fn from(error: GeometryError) -> Self {
        Failure::Refused(error.into())
    }
}

impl From<PrivacyError> for Failure {
    fn from(error: PrivacyError) -> Self {
        Failure::Refused(error.into())
    }
}

impl From<karcher_ledger::Error> for Failure {
    fn from(error: karcher_ledger::Error) -> Self {
        Failure::Ledger(error)
    }
}

impl From<karcher_aggregate::Error> for Failure {
    fn from(error: karcher_aggregate::Error) -> Self {
        match error {
            karcher_aggregate::Error::Karcher(error) => Failure::Refused(error),
            error => Failure::Sentence(error.to_string()),
        }
    }
}

impl From<karcher_report::Error> for Failure {
    fn from(error: karcher_report::Error) -> Self {
        Failure::Sentence(error.to_string())
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            failure => exception(failure.class(), failure.to_string()),
        }
    }
}

impl Failure {
    /// The same failure, of an argument called `name`.
    pub fn of(self, name: &str) -> Self {
        match self {
            Failure::Row(row, failure) => Failure::NotAPoint(format!("{name}, row {row}: {failure}")),
            Failure::NotAPoint(sentence) => Failure::NotAPoint(format!("{name}: {sentence}")),
            other => other,
        }
    }

    /// The same failure, about a field that is a parameter of another name.
    pub fn with_field_called(self, field: &'static str, parameter: String) -> Self {
        match self {
            Failure::Refused(error) if error.parameter() == Some(field) => Failure::Field(field, parameter, error),
            other => other,
        }
    }

    fn class(&self) -> &'static str {
        match self {
            Failure::Refused(error) | Failure::Field(_, _, error) => class(error),
            Failure::Row(_, failure) => failure.class(),
            Failure::NotAPoint(_) => "InvalidPointError",
            Failure::Ledger(karcher_ledger::Error::Refused { .. }) => "BudgetError",
            Failure::Ledger(_) | Failure::LedgerSentence(_) => "LedgerError",
            Failure::Sentence(_) | Failure::Python(_) => "Error",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(Error::Inapplicable { parameter, mechanism, takers }) => {
                let is_mechanism = mechanism.parse::<MechanismName>().is_ok();
                let named = if is_mechanism { format!("mechanism='{mechanism}'") } else { mechanism.clone() };
                write!(f, "{parameter} does not go with {named}; it belongs to {takers}")
            }
            Failure::Refused(error @ Error::Field { .. }) => f.write_str(&in_python(error, part)),
            // which begins with the record's number, from 1
            Failure::Refused(Error::Geometry(GeometryError::InvalidRecord { row, reason })) => {
                write!(f, "record {row} (index {}): {reason}", row.saturating_sub(1))
            }
            Failure::Field(field, parameter, error @ Error::Field { .. }) => {
                let name = |name: &str| if name == *field { parameter.clone() } else { name.to_owned() };
                f.write_str(&in_python(error, name))
            }
            Failure::Field(field, parameter, error) => f.write_str(&error.to_string().replacen(field, parameter, 1)),
            Failure::Refused(error) => {
                // the library has words for a parameter, and Python its name; a number of records is no parameter
                let name = error.parameter().filter(|name| !name.starts_with("number_of_")).unwrap_or_default();
                f.write_str(&error.to_string().replacen(&name.replace('_', " "), name, 1))
            }
            Failure::Row(row, failure) => write!(f, "row {row}: {failure}"),
            Failure::NotAPoint(sentence) | Failure::Sentence(sentence) | Failure::LedgerSentence(sentence) => {
                f.write_str(sentence)
            }
            Failure::Ledger(karcher_ledger::Error::Exists { file }) => write!(
                f,
                "{file} exists, and a new ledger never replaces a file: use karcher.Ledger({file:?}) to go on with it, \
                 and another name only for other people"
            ),
            Failure::Ledger(karcher_ledger::Error::Missing { file }) => {
                write!(f, "{file} does not exist: check the path, or make a ledger with karcher.Ledger.new")
            }
            Failure::Ledger(error) => error.fmt(f),
            Failure::Python(error) => error.fmt(f),
        }
    }
}

/// Values that a sentence names after a field, as in "`adjacency` add-remove".
const VALUES: [&str; 8] =
    ["add-remove", "replace-one", "auto", "accuracy", "balanced-accuracy", "confusion", "mean-loss", "r2"];

/// The sentence about a field with parameters as Python writes them: `n_guess belongs to adjacency='add-remove'`.
fn in_python(error: &Error, name: impl Fn(&str) -> String) -> String {
    const END: char = '\0'; // of the name of a field
    let sentence = error.with_fields(|field| format!("{}{END}", name(field)));
    let written = |sentence: String, value| sentence.replace(&format!("{END} {value}"), &format!("='{value}'"));
    VALUES.into_iter().fold(sentence, written).replace(END, "")
}

/// The parameter of a field: a part of an object is one by itself. Functions of the package keep their name.
fn part(field: &str) -> String {
    let part = field.rsplit_once('.').filter(|(of, _)| *of != "karcher");
    part.map_or(field, |(_, part)| part).to_owned()
}

/// The class in `karcher.errors` for what a caller may want to tell apart.
fn class(error: &Error) -> &'static str {
    match error {
        Error::Geometry(
            GeometryError::InvalidPoint { .. }
            | GeometryError::InvalidTangent { .. }
            | GeometryError::InvalidRecord { .. },
        ) => "InvalidPointError",
        Error::Geometry(GeometryError::CutLocus { .. }) => "CutLocusError",
        Error::RadiusTooLarge { .. } => "RadiusTooLargeError",
        Error::NotIntegrable { .. } | Error::DrawTooRare { .. } => "TooMuchNoiseError",
        Error::Unsupported { .. } | Error::Privacy(PrivacyError::Unsupported { .. }) | Error::NotInMemory => {
            "UnsupportedError"
        }
        Error::Unanswered { .. } => "UnansweredError",
        Error::NoConvergence => "NoConvergenceError",
        error if error.depends_on_records() => "InvalidPointError", // about one predictor, or one weight
        _ => "Error",
    }
}

fn exception(class: &str, sentence: String) -> PyErr {
    Python::attach(|py| {
        let made = py.import("karcher.errors").and_then(|errors| errors.getattr(class)?.call1((sentence.as_str(),)));
        match made {
            Ok(instance) => PyErr::from_value(instance),
            Err(_) => PyValueError::new_err(sentence),
        }
    })
}
