//! Codes for missing values: −999, MM.

use crate::error::{Error, Result};
use crate::options::columns::trim_name;
use karcher::list::{items, split};
use std::str::FromStr;

/// Codes for missing values, in all columns of the records or in one of them.
///
/// They are written `-1,-999,MM`, or `depth=-1,-999` for one column, by name or number from 1. Numbers are compared as
/// numbers, so that `-999` is also `-999.0`; words are compared letter by letter. A word in double quotes may hold
/// commas.
///
/// ```
/// use karcher_io::{Missing, ReadOptions, read_bytes};
/// let missing_values = vec!["-999,MM".parse()?, "y=0".parse()?];
/// let options = ReadOptions { missing_values, missing: Missing::Drop, ..Default::default() };
/// let table = read_bytes("a.csv", b"x,y\n1,2\n-999.0,3\nMM,4\n5,0\n0,6\n".to_vec(), &options)?;
/// assert_eq!(table.values, [1.0, 2.0, 0.0, 6.0]);
/// # Ok::<(), karcher_io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MissingValues {
    pub(crate) column: Option<String>,
    pub(crate) values: Vec<String>,
}

impl FromStr for MissingValues {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (column, list) = match split(text, '=')[..] {
            [_] => (None, text),
            [column, ..] => (Some(column.trim().to_owned()), &text[column.len() + 1..]),
            [] => (None, text),
        };
        let listed = items(list).map_err(|_| Error::InvalidMissingValues { text: text.to_owned() })?;
        let values: Vec<String> = listed.iter().map(|value| trim_name(&value.text).to_owned()).collect();
        if values.iter().any(String::is_empty) || column.as_ref().is_some_and(String::is_empty) {
            return Err(Error::InvalidMissingValues { text: text.to_owned() });
        }
        Ok(Self { column, values })
    }
}
