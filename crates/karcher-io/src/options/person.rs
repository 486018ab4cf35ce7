//! The key of a record's person or group, from one column of a file, or one array of an archive.

use crate::error::{Error, Result};
use crate::options::ReadOptions;
use crate::options::columns::Selection;
use std::fmt;

/// The key of a person, or of a group.
///
/// The type of the column decides which keys are equal: `1` and `01` are two texts, and one integer. Keys of text files
/// are always texts, so that no record decides the type of others.
///
/// ```
/// use karcher_io::{Key, ReadOptions, read_bytes};
/// let options = ReadOptions { person: Some("who".to_owned()), ..Default::default() };
/// let table = read_bytes("a.csv", b"who,x\nann,1\n07,2\n7,3\nann,4\n".to_vec(), &options)?;
/// assert_eq!(table.persons, ["ann", "07", "7", "ann"].map(|who| Key::Text(who.to_owned())));
/// assert_eq!(table.values, [1.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), karcher_io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Key in a column of integers.
    Integer(i128),
    /// Key in a column of texts.
    Text(String),
}

/// As it is written: integers in decimal digits, without leading zeros.
///
/// ```
/// use karcher_io::Key;
/// assert_eq!([Key::Integer(-7), Key::Text("07".to_owned())].map(|key| key.to_string()), ["-7", "07"]);
/// ```
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Integer(key) => key.fmt(f),
            Key::Text(key) => f.write_str(key),
        }
    }
}

impl Key {
    /// The key in bytes, which no other key has.
    ///
    /// ```
    /// use karcher_io::Key;
    /// assert_ne!(Key::Integer(7).to_bytes(), Key::Text("7".to_owned()).to_bytes());
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Key::Integer(key) => [&[0][..], &key.to_le_bytes()].concat(),
            Key::Text(key) => [&[1], key.as_bytes()].concat(),
        }
    }

    /// Bytes of memory that a text takes in addition to the key itself, 0 for integers.
    ///
    /// ```
    /// use karcher_io::Key;
    /// assert_eq!([Key::Integer(7), Key::Text("ann".to_owned())].map(|key| key.bytes()), [0, 3]);
    /// ```
    pub fn bytes(&self) -> usize {
        match self {
            Key::Integer(_) => 0,
            Key::Text(key) => key.len(),
        }
    }

    /// The key that a number is, in an array of numbers: a whole one that a double holds with all those around it.
    pub(crate) fn of_number(x: f64) -> Option<Self> {
        (x.fract() == 0.0 && x.abs() < 2f64.powi(53)).then_some(Key::Integer(x as i128))
    }
}

/// The type of the keys of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyType {
    Integers,
    Texts,
}

impl ReadOptions {
    /// The column of the persons' keys, if one was chosen.
    pub(crate) fn person_selection(&self) -> Result<Option<Selection>> {
        let Some(person) = &self.person else { return Ok(None) };
        let one = Selection::parse(person)?;
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
