//! The groups of a specification: a public list, each with a release of its own.

use super::field;
use crate::error::Result;
use crate::key::Key;
use crate::list::items;
use serde::{Deserialize, Serialize};

/// A public list of groups. A record is in at most one of them, so each release has the whole budget (user guide, U3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupsSpec {
    /// Name of the column that assigns records to groups.
    pub by: String,
    /// Names of the groups.
    pub names: Vec<String>,
    /// A public guess of the number of records in each group.
    pub n_guess: Vec<usize>,
}

impl GroupsSpec {
    /// Groups by their names, a [list](crate::list::items), with a guess for all of them or one for each.
    ///
    /// # Errors
    /// [`Error::Field`](crate::Error::Field) for a quote that is not closed.
    ///
    /// ```
    /// use karcher::spec::GroupsSpec;
    /// let groups = GroupsSpec::new("country", "\"Korea, South\", Japan", &[40])?;
    /// assert_eq!((groups.names, groups.n_guess), (vec!["Korea, South".to_owned(), "Japan".to_owned()], vec![40, 40]));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(by: &str, names: &str, n_guess: &[usize]) -> Result<Self> {
        let names = items(names).map_err(|reason| field("groups", reason))?;
        let names: Vec<String> = names.into_iter().map(|name| name.text).collect();
        let n_guess = match n_guess {
            [guess] => vec![*guess; names.len()],
            several => several.to_vec(),
        };
        Ok(Self { by: by.to_owned(), names, n_guess })
    }

    /// Checks the names and the number of guesses.
    pub(super) fn check(&self) -> Result<()> {
        let Self { names, n_guess, .. } = self;
        if names.is_empty() || names.iter().any(|name| Key::of(name).is_none()) {
            return Err(field("groups", "a name is empty; separate the names by single commas"));
        }
        if let Some((first, again)) = Key::repeated(names.iter().map(String::as_str)) {
            let what =
                if first == again { format!("{again} stands twice") } else { format!("{first} and {again} are equal") };
            return Err(field("groups", format!("{what}; name each group once")));
        }
        match n_guess.len() {
            0 => Err(field("n_guess", "is missing: give a public guess of how many records a group has")),
            count if count == names.len() => Ok(()),
            count => {
                let reason =
                    format!("has {count} numbers for {} groups: give one for all, or one for each", names.len());
                Err(field("n_guess", reason))
            }
        }
    }
}
