//! Options for reading files.

pub(crate) mod codes;
pub(crate) mod columns;
pub(crate) mod covariate;
pub(crate) mod dates;
pub(crate) mod factors;
pub(crate) mod kinds;
pub(crate) mod levels;
pub(crate) mod missing_values;
pub(crate) mod person;

use crate::error::Result;
use crate::format::Format;
use crate::formats::landmarks::like::Like;
use crate::formats::text::encoding::TextEncoding;
use crate::options::columns::{ColumnsBy, Selection};
use crate::options::covariate::Covariate;
use crate::options::missing_values::MissingValues;
use std::path::PathBuf;

/// Options for reading a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// Format of the file. By default its name decides; an input without a name (`-`, a pipe) needs it.
    pub format: Option<Format>,
    /// The columns to use, in this order: names or numbers from 1, for example `PLAT,PLONG`, `2-529` or `1,3,5-7`. A
    /// digit, or digits with a dash between them, are numbers. A name in double quotes may hold commas. All columns by
    /// default. Cells of other columns are not read, and their number may vary between records. Arrays have no names;
    /// their columns are the numbers of a record in C order.
    pub columns: Option<String>,
    /// Whether numbers in `columns` and in the options of other columns are names or positions. By default they are
    /// positions, and an error where another column has such a name.
    pub columns_by: Option<ColumnsBy>,
    /// Columns, by name or number, whose cells may be dates in ISO 8601; they become [years](crate::decimal_year).
    pub dates: Option<String>,
    /// Columns that are handed over apart from the numbers of a record, as
    /// [`Stream::open_with_covariates`](crate::Stream::open_with_covariates) does.
    pub covariates: Vec<Covariate>,
    /// Whether those columns are all that is read: a record has no other numbers then.
    pub covariates_only: bool,
    /// Whether `20010702` is a number in columns that may hold dates. By default it is a date there.
    pub eight_digits_are_numbers: bool,
    /// Whether arrays may be of complex numbers, whose real and imaginary parts are then numbers of a record, one after
    /// the other. It is for spaces and layouts that [take](crate::takes_complex) them; elsewhere they are an error.
    pub complex: bool,
    /// Numbers of a record without its covariates, if known beforehand: the length of lists then does not depend on a
    /// record.
    pub record_len: Option<usize>,
    /// The column of keys, by name or number: a key names the person or the group of a record. For an archive of arrays
    /// it is the name of another array than that of the records, or the number of a column. It is not one of the
    /// record's columns. A key is missing if its cell is blank, null or NaN: `NA` is a key. A person's missing key is
    /// an error, whatever the other options say about missing values. [`Key::of`](crate::Key::of) says which are equal.
    pub person: Option<String>,
    /// Whether those keys name groups. A record whose key is missing is then in no group. It is left out if `missing`
    /// is not [`Missing::Error`] or `keep_non_finite` is set, else it is an error. With `keep_non_finite` the same
    /// holds for a key that is no text in the file's encoding.
    pub groups: bool,
    /// Encoding of a text file without a byte-order mark. UTF-8 by default.
    pub encoding: Option<TextEncoding>,
    /// Separator of cells in a text file; a blank stands for any number of blanks and tabs. By default a tab if the
    /// first line has one, else a semicolon if it has one, else a comma, else blanks.
    pub delimiter: Option<u8>,
    /// Whether numbers in a text file have a comma before their decimals. A comma then separates no cells unless it is
    /// given.
    pub decimal_comma: bool,
    /// Whether the first line of a text file is a header. By default it is one if columns are chosen by name, or if
    /// none of its selected cells is a number or missing. A first line that counts, 0, 1, 2, … or 1, 2, 3, …, may be
    /// either, and is an error then. With `keep_non_finite` the first line must be a header, declared here or by
    /// choosing columns by name. Otherwise an arbitrary first record would decide on separator, columns and number of
    /// the others.
    pub header: Option<bool>,
    /// First character, after blanks, of the comment lines in a text file. None by default: every line is a record, and
    /// a first line that begins with `#` is an error until an option explains it.
    pub comments: Option<u8>,
    /// Number of lines to skip at the beginning of each text file.
    pub skip_lines: usize,
    /// Number of lines to skip after the header of each text file, such as a row of units. The first line is a header
    /// then.
    pub skip_after_header: usize,
    /// What other files say of landmarks, such as a template: records must not contradict it.
    pub like: Like,
    /// Whether labels of landmarks may contradict each other.
    pub any_labels: bool,
    /// Whether some specimens of TPS files may have `SCALE=` and others not, because sizes do not matter. By default
    /// all must have it or none.
    pub any_scale: bool,
    /// Treatment of a record that lacks a value.
    pub missing: Missing,
    /// Codes for missing values, in addition to empty cells, NA and the like, nulls and NaN.
    pub missing_values: Vec<MissingValues>,
    /// Keep NaN and infinities, and read missing values and cells that are not numbers as NaN, instead of refusing the
    /// file. Meant for [`OnInvalid::ReplaceWith`](crate::OnInvalid::ReplaceWith), and for counting: no content of a
    /// record is an error then.
    pub keep_non_finite: bool,
    /// Whether a file may hold no records, because their number is confidential; the table may then have no rows.
    /// Otherwise an empty file is an error.
    pub may_be_empty: bool,
    /// Whether only the header is wanted, and no record. Without a choice of columns, those whose type is not that of
    /// numbers are then left out, as in a Parquet or Arrow file.
    pub header_only: bool,
    /// Largest number of bytes of an input that can be read once only (standard input, a pipe) to keep in memory. More
    /// is an error. Unlimited by default.
    pub memory: Option<u64>,
    /// Folder for a file without a name that keeps such bytes beyond that limit. By default they never go to a disk.
    pub spool: Option<PathBuf>,
}

/// Treatment of a record that lacks a value: an empty cell, NA and the like, a null, or NaN.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// It is an error that names the record.
    #[default]
    Error,
    /// It is left out. The number of records then counts the complete ones. If you publish it, you protect the values
    /// of complete records, but not whether a record is complete.
    Drop,
    /// It stays, with NaN in place of the value, and is listed in [`Table::missing`](crate::Table::missing). Meant for
    /// [`ConvertOptions::missing`](crate::ConvertOptions::missing).
    Keep,
}

impl ReadOptions {
    /// The names of the [columns](Self::columns), if all are chosen by name.
    ///
    /// ```
    /// use karcher_io::ReadOptions;
    /// let names = |columns: &str| ReadOptions { columns: Some(columns.to_owned()), ..Default::default() }.names();
    /// assert_eq!(names("sand,silt"), Some(vec!["sand".to_owned(), "silt".to_owned()]));
    /// assert_eq!(names("sand,3-4"), None);
    /// ```
    pub fn names(&self) -> Option<Vec<String>> {
        self.selection().ok()??.names()
    }

    pub(crate) fn selection(&self) -> Result<Option<Selection>> {
        self.of_list(self.columns.as_deref())
    }

    pub(crate) fn dates_selection(&self) -> Result<Option<Selection>> {
        self.of_list(self.dates.as_deref())
    }

    fn of_list(&self, list: Option<&str>) -> Result<Option<Selection>> {
        list.map(|list| Ok(Selection::parse(list)?.by(self.columns_by))).transpose()
    }

    /// Whether a column may hold dates.
    pub(crate) fn may_have_dates(&self) -> bool {
        self.dates.is_some() || self.covariates.iter().any(|covariate| covariate.levels.is_none())
    }
}
