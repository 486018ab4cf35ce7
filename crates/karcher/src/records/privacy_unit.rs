//! The unit that a guarantee protects.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The unit that a guarantee protects.
///
/// ```
/// use karcher::records::PrivacyUnit;
/// assert_eq!((PrivacyUnit::Person.to_string(), "person".parse()), ("person".to_owned(), Ok(PrivacyUnit::Person)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PrivacyUnit {
    /// One record.
    #[default]
    Record,
    /// All records of one person, in any number (user guide, U1).
    Person,
}

impl PrivacyUnit {
    /// Every unit.
    pub const ALL: [PrivacyUnit; 2] = [PrivacyUnit::Record, PrivacyUnit::Person];

    /// The name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            PrivacyUnit::Record => "record",
            PrivacyUnit::Person => "person",
        }
    }

    /// So many of them, in words.
    ///
    /// ```
    /// use karcher::records::PrivacyUnit;
    /// assert_eq!([PrivacyUnit::Record.many(1), PrivacyUnit::Person.many(12)], ["1 record", "12 persons"]);
    /// ```
    pub fn many(self, n: usize) -> String {
        if n == 1 { format!("1 {self}") } else { format!("{n} {self}s") }
    }
}

impl fmt::Display for PrivacyUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for PrivacyUnit {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = PrivacyUnit::ALL.into_iter().find(|known| known.name() == name.trim());
        known.ok_or_else(|| format!("unknown unit `{name}`: expected record or person"))
    }
}
