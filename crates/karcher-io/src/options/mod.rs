//! How files are read.

pub(crate) mod codes;
pub(crate) mod columns;
pub(crate) mod dates;
pub(crate) mod factors;
pub(crate) mod missing_values;
pub(crate) mod person;
pub(crate) mod predictor;

use crate::error::Result;
use crate::format::Format;
use crate::options::columns::Selection;
use crate::options::missing_values::MissingValues;
use std::path::PathBuf;

/// How to read a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// What the file is. By default its name says so; what has no name (`-`, a pipe) needs it.
    pub format: Option<Format>,
    /// The columns to use, in this order: names or numbers from 1, for example `PLAT,PLONG`, `2-529` or `1,3,5-7`.
    /// A digit, or digits with a dash between them, are numbers. All columns by default. Cells of other columns are
    /// not looked at, and may be more or fewer from record to record. Arrays have no names; their columns are the
    /// numbers of a record in C order.
    pub columns: Option<String>,
    /// A column, by name or number, whose cells may be dates in ISO 8601; they become [years](crate::decimal_year).
    pub dates: Option<String>,
    /// Whether `20010702` is a number in that column, too. By default it is a date there.
    pub eight_digits_are_numbers: bool,
    /// Numbers of a record, where they are known beforehand: how long lists are then does not depend on a record.
    pub record_len: Option<usize>,
    /// The column of the keys that say whose a record is, or which group it is in, by name or number; of an
    /// archive of arrays the name of an array beside that of the records, or the number of a column. It is none of the
    /// record's columns. A key is missing where its cell is empty or null: `NA` is a key. A person's key that is missing
    /// is an error, whatever is done about missing values.
    pub person: Option<String>,
    /// Whether those keys are of groups. A record whose key is missing is then in no group, and left out, where
    /// `missing` is not [`Missing::Error`] or `keep_non_finite` is set; with the latter also one whose key is a number
    /// that is no key. Otherwise it is an error.
    pub groups: bool,
    /// What separates cells in a text file; a blank stands for any number of blanks and tabs. By default a tab if the
    /// first line has one, else a semicolon if it has one, else a comma, else blanks.
    pub delimiter: Option<u8>,
    /// Whether numbers in a text file have a comma before their decimals. A comma then separates no cells unless it is
    /// given.
    pub decimal_comma: bool,
    /// Whether the first line of a text file is a header. By default it is when columns are chosen by name, or when
    /// none of its selected cells is a number or missing; a first line 0, 1, 2, …, which may be either, is an error
    /// then. With `keep_non_finite` the first line must be a header, said here or by choosing columns by name: a first
    /// record that may be anything would decide on separator, columns and number of the others.
    pub header: Option<bool>,
    /// What a line of a text file begins with, after blanks, that is no record. None by default: every line is a record,
    /// and a first one that begins with `#` is an error until it is said what it is.
    pub comments: Option<u8>,
    /// Lines at the beginning of each text file that are not looked at.
    pub skip_lines: usize,
    /// Lines after the header of each text file that are not looked at, such as a row of units. The first line is a
    /// header then.
    pub skip_after_header: usize,
    /// What becomes of a record that lacks a value.
    pub missing: Missing,
    /// Values that stand for missing ones, besides empty cells, NA and the like, nulls and NaN.
    pub missing_values: Vec<MissingValues>,
    /// Keep NaN and infinities, and read missing values and cells that are not numbers as NaN, instead of refusing the
    /// file. Meant for [`OnInvalid::ReplaceWith`](crate::OnInvalid::ReplaceWith), and for counting: nothing that a
    /// record holds is an error then.
    pub keep_non_finite: bool,
    /// Whether a file may hold no records, because their number is confidential: then it adds none, and if none does
    /// the table has no rows. Otherwise it is an error.
    pub may_be_empty: bool,
    /// The most bytes that are kept in memory of what can be read once only: standard input, a pipe. Beyond it there is
    /// an error. As many as there are by default.
    pub memory: Option<u64>,
    /// A folder for a file without a name in which such bytes are kept where they are more than that. By default they
    /// never go to a disk.
    pub spool: Option<PathBuf>,
}

/// What becomes of a record that lacks a value: an empty cell, NA and the like, a null, or NaN.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// It is an error that names it.
    #[default]
    Error,
    /// It is left out. The number of records then tells how many are complete: whoever publishes it protects the values
    /// of complete records, and not whether a record is complete.
    Drop,
    /// It stays, with NaN in place of the value, and is listed in [`Table::missing`](crate::Table::missing). Meant for
    /// [`ConvertOptions::missing`](crate::ConvertOptions::missing).
    Keep,
}

impl ReadOptions {
    pub(crate) fn selection(&self) -> Result<Option<Selection>> {
        self.columns.as_deref().map(Selection::parse).transpose()
    }

    pub(crate) fn dates_selection(&self) -> Result<Option<Selection>> {
        self.dates.as_deref().map(Selection::parse).transpose()
    }
}
