//! The key of a record's person or group, from one column of a file, or one array of an archive.

use crate::error::{Error, Result};
use crate::options::ReadOptions;
use crate::options::columns::Selection;
pub use karcher::Key;
use karcher::key::moment;

/// Which keys a column can hold, by its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyType {
    /// Whole numbers from the first to the second one.
    Integers(i128, i128),
    Numbers,
    Dates,
    Texts,
}

impl KeyType {
    pub(crate) const BOOLEANS: Self = Self::Integers(0, 1);

    /// Those of so many bits.
    pub(crate) fn integers(bits: usize, is_signed: bool) -> Self {
        let most = |bits: usize| (1_i128 << bits) - 1;
        match is_signed {
            true => Self::Integers(-most(bits - 1) - 1, most(bits - 1)),
            false => Self::Integers(0, most(bits)),
        }
    }

    /// Whether a key in such a column can be this one.
    pub(crate) fn can_hold(self, key: &Key) -> bool {
        match self {
            KeyType::Integers(least, most) => matches!(key, Key::Integer(x) if (least..=most).contains(x)),
            KeyType::Numbers => key.to_string().parse().is_ok_and(|x| Key::of_number(x).as_ref() == Some(key)),
            KeyType::Dates => moment(&key.to_string()).is_some(),
            KeyType::Texts => true,
        }
    }

    /// What such a column holds, in words.
    pub(crate) fn words(self) -> String {
        match self {
            Self::BOOLEANS => "true and false".to_owned(),
            KeyType::Integers(least, most) => format!("whole numbers from {least} to {most}"),
            KeyType::Numbers => "numbers".to_owned(),
            KeyType::Dates => "dates".to_owned(),
            KeyType::Texts => "texts".to_owned(),
        }
    }
}

impl ReadOptions {
    /// The column of the persons' keys, if one was chosen.
    pub(crate) fn person_selection(&self) -> Result<Option<Selection>> {
        let Some(person) = &self.person else { return Ok(None) };
        let one = Selection::parse(person)?.by(self.columns_by);
        match one.len() {
            Some(1) => Ok(Some(one)),
            _ => Err(not_one(person, "the key of a person or group must be one column")),
        }
    }

    /// The position of that column among those of a file.
    pub(crate) fn person_at(&self, file: &str, columns: usize, names: Option<&[String]>) -> Result<Option<usize>> {
        let Some(one) = self.person_selection()? else { return Ok(None) };
        Ok(one.resolve(file, columns, names)?.first().copied())
    }

    /// The columns of a record among `columns` ones: those that were selected, or all; never that of the keys.
    pub(crate) fn without_person(&self, mut selected: Vec<usize>, person: Option<usize>) -> Result<Vec<usize>> {
        let Some(at) = person.filter(|at| selected.contains(at)) else { return Ok(selected) };
        if self.columns.is_some() {
            let person = self.person.as_deref().unwrap_or_default();
            return Err(not_one(person, "it is among the columns of the records: leave it out of one of them"));
        }
        selected.retain(|column| *column != at);
        if selected.is_empty() {
            let person = self.person.as_deref().unwrap_or_default();
            return Err(not_one(person, "it is the only column: the records need others"));
        }
        Ok(selected)
    }
}

fn not_one(person: &str, reason: &str) -> Error {
    Error::InvalidSelection { selection: person.to_owned(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests;
