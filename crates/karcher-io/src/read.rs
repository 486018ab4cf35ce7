//! From a file to a [`Table`]: the extension says the format.

use crate::columns::{Selection, select};
use crate::error::{Error, Result};
use crate::table::Table;
use crate::{csv, npy, npz};

/// How to read a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// The columns to use, in this order: names or numbers from 1, for example `PLAT,PLONG`, `2-529` or `1,3,5-7`.
    /// A digit, or digits with a dash between them, are numbers. All columns by default. Cells of other columns are
    /// not looked at. Arrays have no names; their columns are the numbers of a record in C order.
    pub columns: Option<String>,
    /// What separates cells in a text file. By default a tab if the first line has one, else a semicolon if it has
    /// one, else a comma.
    pub delimiter: Option<u8>,
    /// Whether the first line of a text file is a header. By default it is when columns are chosen by name, or when none of its
    /// selected cells is a number or missing. With `keep_non_finite` the first line must be a header, said here or by choosing
    /// columns by name: a first record that may be anything would decide on separator, columns and number of the others.
    pub header: Option<bool>,
    /// Keep NaN and infinities, and read missing values and cells that are not numbers as NaN, instead of refusing the
    /// file. Meant for [`OnInvalid::ReplaceWith`](crate::OnInvalid::ReplaceWith).
    pub keep_non_finite: bool,
}

impl ReadOptions {
    pub(crate) fn selection(&self) -> Result<Option<Selection>> {
        self.columns.as_deref().map(Selection::parse).transpose()
    }
}

/// Reads `path`: `.csv`, `.tsv`, `.txt`, `.npy`, `.npz` (as `FILE.npz:KEY` when it holds several arrays), `.parquet`.
///
/// In a text file, blank lines are skipped, and the first line is a header if a selected cell of it is neither a number
/// nor missing. The first axis of an array counts the records; the other axes are flattened in C order.
///
/// # Errors
/// An [`Error`] that says which file, record, column and value is wrong, and what to do.
pub fn read(path: &str, options: &ReadOptions) -> Result<Table> {
    let (file, _) = split_key(path);
    format_of(path)?;
    let bytes = std::fs::read(file).map_err(|e| Error::Unreadable { file: file.to_owned(), reason: e.to_string() })?;
    read_bytes(path, bytes, options)
}

/// Reads the contents of a file that would be called `name`.
///
/// # Errors
/// As for [`read`].
pub fn read_bytes(name: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table> {
    let (file, key) = split_key(name);
    let format = format_of(name)?;
    if bytes.is_empty() {
        return Err(Error::Empty { file: file.to_owned() });
    }
    match format {
        Format::Text => csv::parse(file, &bytes, options),
        Format::Npy => from_array(npy::parse(file, &bytes)?, options),
        Format::Npz => from_array(npz::parse(file, key, &bytes)?, options),
        #[cfg(feature = "parquet")]
        Format::Parquet => crate::parquet::parse(file, bytes, options),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(Error::NoParquet { file: file.to_owned() }),
    }
}

enum Format {
    Text,
    Npy,
    Npz,
    Parquet,
}

fn format_of(path: &str) -> Result<Format> {
    let (file, _) = split_key(path);
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension.to_ascii_lowercase().as_str() {
        "csv" | "tsv" | "txt" => Ok(Format::Text),
        "npy" => Ok(Format::Npy),
        "npz" => Ok(Format::Npz),
        "parquet" => Ok(Format::Parquet),
        _ => Err(Error::UnknownFormat { file: file.to_owned() }),
    }
}

/// `FILE.npz:KEY` as `FILE.npz` and `KEY`.
pub(crate) fn split_key(path: &str) -> (&str, Option<&str>) {
    match path.to_ascii_lowercase().find(".npz:") {
        Some(at) => (&path[..at + 4], Some(&path[at + 5..])),
        None => (path, None),
    }
}

/// Selects columns of an array and checks its numbers.
fn from_array(table: Table, options: &ReadOptions) -> Result<Table> {
    let selected = select(&table.source, options.selection()?.as_ref(), table.columns, None)?;
    let table = if options.columns.is_some() {
        let values = table.records().flat_map(|record| selected.iter().map(|&c| record[c])).collect();
        Table { values, columns: selected.len(), ..table }
    } else {
        table
    };
    if !options.keep_non_finite {
        table.check_finite(&selected)?;
    }
    Ok(table)
}
