//! Blocks of records, the common output of all formats: taken in order, decoded by any free thread.

use crate::error::{Error, Result};
use crate::formats::landmarks::like::Like;
use crate::options::person::{Key, KeyType};
use crate::source::Bytes;
use crate::table::Table;

/// Bytes of a block, if the format leaves a choice.
pub(crate) const BLOCK: usize = 1 << 20;

/// The most records in a batch.
pub(crate) const MOST_RECORDS: usize = 1 << 16;

/// A file whose columns, names and places are known, but none of its records.
pub(crate) trait Blocks: Send + Sync {
    fn schema(&self) -> &Schema;

    /// The names of the numbers of an array that is called something, in the order in which they are read.
    fn places(&self) -> Option<Vec<String>> {
        None
    }

    /// The axes of an array that is read whole; the first counts the records. Empty for other formats.
    fn axes(&self) -> &[u64] {
        &[]
    }

    /// The names of columns with what metadata say of them, if they say more.
    fn described(&self) -> Option<&[String]> {
        None
    }

    /// The blocks of the file, in order.
    fn blocks<'a>(&'a self, bytes: Bytes, how: How<'a>) -> Result<Iter<'a>>;
}

/// Options for one pass over a file.
#[derive(Clone, Copy)]
pub(crate) struct How<'a> {
    /// Approximate bytes of a block, if the format leaves a choice.
    pub(crate) size: usize,
    /// Persons whose records are read; other records are left out before their numbers are parsed. All by default.
    pub(crate) wanted: Option<Wanted<'a>>,
}

/// Whether the records with a key are read.
pub(crate) type Wanted<'a> = &'a (dyn Fn(&Key) -> bool + Sync);

/// The properties that all files must share.
#[derive(Debug, Clone)]
pub(crate) struct Schema {
    pub(crate) columns: usize,
    pub(crate) names: Option<Vec<String>>,
    /// The names of all columns of the file, of those that are not read too. Empty if it gives none.
    pub(crate) all: Vec<String>,
    /// The position in the file of the column of keys, where they are in one.
    pub(crate) person_at: Option<usize>,
    /// The type of the keys, if there are any.
    pub(crate) keys: Option<KeyType>,
    /// What a file of landmarks says of itself.
    pub(crate) like: Like,
}

/// Blocks, taken one after the other.
pub(crate) type Iter<'a> = Box<dyn Iterator<Item = Result<Block<'a>>> + Send + 'a>;

/// Bytes that were taken from a file, or are known by their place.
pub(crate) struct Block<'a> {
    /// The most batches that it holds.
    pub(crate) batches: u64,
    /// Begins to decode them.
    pub(crate) decode: Box<dyn FnOnce() -> Result<Batches<'a>> + Send + 'a>,
}

/// Batches, each with the number of records in the file that it was made from.
pub(crate) type Batches<'a> = Box<dyn Iterator<Item = Result<(Table, usize)>> + 'a>;

impl<'a> Block<'a> {
    /// A block of one batch.
    pub(crate) fn one(decode: impl FnOnce() -> Result<(Table, usize)> + Send + 'a) -> Self {
        Self { batches: 1, decode: Box::new(|| Ok(Box::new(std::iter::once(decode())))) }
    }
}

impl Schema {
    /// Refuses a `file` whose columns are not those of the `first`.
    pub(crate) fn check(&self, file: &str, first: (&str, &Schema)) -> Result<()> {
        let (first, expected) = first;
        if (self.columns, &self.names) != (expected.columns, &expected.names) {
            let words = |schema: &Schema| match &schema.names {
                Some(names) => names.clone(),
                None => vec![format!("{} without names", schema.columns)],
            };
            let (expected, found) = (words(expected), words(self));
            return Err(Error::OtherColumns { file: file.to_owned(), first: first.to_owned(), expected, found });
        }
        Ok(())
    }
}
