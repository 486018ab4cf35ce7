//! What a call fails with: a sentence, and a class for what a caller may want to tell apart.

use karcher::Error;
use karcher::error::{GeometryError, PrivacyError};

/// A refusal.
#[derive(Debug)]
pub struct Failure {
    /// What is wrong, where, and what to do.
    pub sentence: String,
    /// A class of the condition, besides `karcher_error`.
    pub class: &'static str,
}

impl Failure {
    /// A refusal by this package itself.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), class: "karcher_refusal" }
    }

    /// The same about an argument, for a sentence that begins with what is said of it.
    pub fn of(self, argument: &str) -> Self {
        let is_of_it = self.sentence.starts_with("is ") && !argument.is_empty();
        if is_of_it { Self { sentence: format!("{argument} {}", self.sentence), ..self } } else { self }
    }

    /// A record that is no point, counted from 1.
    pub fn of_record(row: usize, reason: &str) -> Self {
        Self { sentence: format!("record {row}: {reason}"), class: "karcher_invalid_point" }
    }
}

/// Values that a sentence names after an argument, as in "`adjacency` add-remove".
const VALUES: [&str; 8] =
    ["add-remove", "replace-one", "auto", "accuracy", "balanced-accuracy", "confusion", "mean-loss", "r2"];

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let class = match &error {
            Error::Geometry(GeometryError::InvalidPoint { .. } | GeometryError::InvalidRecord { .. }) => {
                "karcher_invalid_point"
            }
            Error::RadiusTooLarge { .. } => "karcher_radius_too_large",
            Error::NotIntegrable { .. } | Error::DrawTooRare { .. } => "karcher_too_much_noise",
            Error::Unsupported { .. } => "karcher_unsupported",
            _ => "karcher_refusal",
        };
        const END: char = '\0'; // of the name of an argument
        let sentence = error.with_fields(|field| {
            // a part of an object is an argument by itself
            let name = field.rsplit_once('.').map_or(field, |(_, part)| part);
            format!("{name}{END}")
        });
        let written = |text: String, value| text.replace(&format!("{END} {value}"), &format!(" = \"{value}\""));
        Self { sentence: VALUES.into_iter().fold(sentence, written).replace(END, ""), class }
    }
}

impl From<GeometryError> for Failure {
    fn from(error: GeometryError) -> Self {
        Error::from(error).into()
    }
}

impl From<PrivacyError> for Failure {
    fn from(error: PrivacyError) -> Self {
        Error::from(error).into()
    }
}

impl From<karcher_ledger::Error> for Failure {
    fn from(error: karcher_ledger::Error) -> Self {
        let class = match error {
            karcher_ledger::Error::Refused { .. } => "karcher_budget",
            _ => "karcher_ledger",
        };
        let sentence = match &error {
            karcher_ledger::Error::Exists { .. } => error.to_string().replace("`Ledger::open`", "ledger(path) alone"),
            karcher_ledger::Error::Missing { .. } => {
                error.to_string().replace("`Ledger::create`", "ledger(path, data = \"whose\", epsilon = 1)")
            }
            _ => error.to_string(),
        };
        Self { sentence, class }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::new(error.to_string())
    }
}
