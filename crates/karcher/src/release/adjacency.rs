//! Adjacency: the data sets that a guarantee makes hard to distinguish.

use crate::records::PrivacyUnit;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Definition of neighbouring data sets.
///
/// ```
/// use karcher::release::Adjacency;
/// assert_eq!(Adjacency::named("add-remove"), Some(Adjacency::AddRemove));
/// assert_eq!(Adjacency::default().to_string(), "one record replaced by any other");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Adjacency {
    /// One record is replaced by another; the number of records is public.
    #[default]
    ReplaceOne,
    /// One record is added or removed; the number of records is confidential (user guide, U2).
    AddRemove,
}

impl Adjacency {
    /// Both.
    pub const ALL: [Adjacency; 2] = [Adjacency::ReplaceOne, Adjacency::AddRemove];

    /// The name, as in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Adjacency::ReplaceOne => "replace-one",
            Adjacency::AddRemove => "add-remove",
        }
    }

    /// The definition of neighbouring data sets for a privacy unit, in words.
    ///
    /// ```
    /// use karcher::release::{Adjacency, PrivacyUnit};
    /// assert_eq!(Adjacency::AddRemove.of_unit(PrivacyUnit::Person), "one person added or removed");
    /// ```
    pub fn of_unit(self, unit: PrivacyUnit) -> &'static str {
        match (self, unit) {
            (Adjacency::ReplaceOne, PrivacyUnit::Record) => "one record replaced by any other",
            (Adjacency::ReplaceOne, PrivacyUnit::Person) => "one person's records replaced by any number of others",
            (Adjacency::AddRemove, PrivacyUnit::Record) => "one record added or removed",
            (Adjacency::AddRemove, PrivacyUnit::Person) => "one person added or removed",
        }
    }

    /// The adjacency with this name.
    pub fn named(name: &str) -> Option<Self> {
        Adjacency::ALL.into_iter().find(|known| known.name() == name)
    }

    /// The public number of records and the public guess: the number itself where it is public, and a guess where it is
    /// not.
    pub(crate) fn told(self, n: usize) -> (Option<usize>, Option<usize>) {
        match self {
            Adjacency::ReplaceOne => (Some(n), None),
            Adjacency::AddRemove => (None, Some(n)),
        }
    }
}

/// In words.
impl fmt::Display for Adjacency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Adjacency::ReplaceOne => "one record replaced by any other",
            Adjacency::AddRemove => "one record added or removed",
        })
    }
}
