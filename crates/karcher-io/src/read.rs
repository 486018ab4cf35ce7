//! From files to a [`Table`].

#[cfg(feature = "parquet")]
use crate::arrow::ArrowFile;
use crate::blocks::Blocks;
use crate::columns::Selection;
use crate::error::{Error, Result};
use crate::format::{Format, Kind, Packing, split_key};
use crate::missing_values::MissingValues;
use crate::npy::{self, Array};
use crate::npz;
#[cfg(feature = "parquet")]
use crate::parquet::ParquetFile;
use crate::printable::printable;
use crate::source::{Bytes, STANDARD_INPUT, why};
use crate::stream::Stream;
use crate::table::Table;
use crate::text::TextFile;
use crate::tps::TpsFile;
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
    /// It stays, with NaN in place of the value, and is listed in [`Table::missing`]. Meant for
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

/// Reads `path`: `.csv`, `.tsv`, `.txt`, `.tps`, `.npy`, `.npz` (as `FILE.npz:KEY` when it holds several arrays),
/// `.parquet`, `.arrow`, `.feather`, each also with `.gz` or `.zst`; a folder of such files, in the order of their names; or `-`,
/// standard input, whose format the options say.
///
/// In a text file a record is a line, blank ones are skipped unless there is one column, and the first line is a header
/// if no selected cell of it is a number or missing. The first axis of an array counts the records; the other axes are
/// flattened in C order.
///
/// # Errors
/// An [`Error`] that says which file, record, column and value is wrong, and what to do; [`Error::GivenTwice`] when two
/// files of a folder are one.
///
/// ```
/// use karcher_io::{ReadOptions, read};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.csv");
/// std::fs::write(&path, "x,y\n1,2\n3,4\n")?;
/// let table = read(&path.to_string_lossy(), &ReadOptions::default())?;
/// assert_eq!((table.rows, table.columns, &table.values[..]), (2, 2, &[1.0, 2.0, 3.0, 4.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: &str, options: &ReadOptions) -> Result<Table> {
    read_all(&[path], options)
}

/// Reads several files or folders, as [`read()`] does each, as if their records stood in one file.
///
/// # Errors
/// As for [`read()`]; [`Error::OtherColumns`] when the columns of a file are not those of the first;
/// [`Error::GivenTwice`] when a file is given twice, under whatever names.
///
/// ```
/// use karcher_io::{ReadOptions, read_all};
/// let folder = tempfile::tempdir()?;
/// let paths = ["a.csv", "b.csv"].map(|name| folder.path().join(name).to_string_lossy().into_owned());
/// for path in &paths {
///     std::fs::write(path, "1,2\n")?;
/// }
/// assert_eq!(read_all(&paths, &ReadOptions::default())?.rows, 2);
/// assert!(read_all(&[&paths[0], &paths[0]], &ReadOptions::default()).is_err()); // given twice
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_all(paths: &[impl AsRef<str>], options: &ReadOptions) -> Result<Table> {
    Stream::open(paths, options)?.collect().map(|(table, _)| table)
}

/// Says that `file` may not belong into `folder`, when nothing in it could be read as records like the others.
pub(crate) fn in_folder(folder: &str, file: &str, error: Error) -> Error {
    let may_be_no_records = match &error {
        Error::Ragged { row, .. } => *row == 1,
        Error::NotANumber { place, .. } | Error::Missing { place, .. } => place.row == 1,
        Error::Empty { .. }
        | Error::NoRecords { .. }
        | Error::UnknownFormat { .. }
        | Error::OtherColumns { .. }
        | Error::NoColumnNames { .. }
        | Error::UnknownColumn { .. }
        | Error::ColumnOutOfRange { .. } => true,
        _ => false,
    };
    match may_be_no_records && folder != file {
        true => Error::NotOfTheFolder { folder: folder.to_owned(), reason: Box::new(error) },
        false => error,
    }
}

/// Reads the contents of a file that would be called `name`.
///
/// # Errors
/// As for [`read()`].
///
/// ```
/// use karcher_io::{ReadOptions, read_bytes};
/// let table = read_bytes("a.tsv", b"1.5\t2\n".to_vec(), &ReadOptions::default())?;
/// assert_eq!(table.values, [1.5, 2.0]);
/// let error = read_bytes("a.csv", b"1,2\n3\n".to_vec(), &ReadOptions::default()).unwrap_err();
/// assert!(error.to_string().contains("record 2 (line 2)"), "{error}");
/// # Ok::<(), karcher_io::Error>(())
/// ```
pub fn read_bytes(name: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table> {
    Stream::of_bytes(name, bytes, options)?.collect().map(|(table, _)| table)
}

/// Looks at a file, as far as it takes no record.
pub(crate) fn look(name: &str, format: Format, bytes: &Bytes, options: &ReadOptions) -> Result<Box<dyn Blocks>> {
    let (file, key) = split_key(name);
    let beginning = bytes.range(0, bytes.len().min(4) as usize).map_err(|e| why(file, e))?;
    if beginning.is_empty() {
        return Err(Error::Empty { file: file.to_owned() });
    }
    let packing = format.packing;
    if let (None, Some(packing)) = (packing, Packing::of(&beginning)) {
        let format = Format { packing: Some(packing), ..format };
        return Err(Error::Packed { file: file.to_owned(), packing: packing.name(), format });
    }
    Ok(match format.kind {
        Kind::Text => Box::new(TextFile::open(file, bytes, packing, options)?),
        Kind::Tps => Box::new(TpsFile::open(file, bytes, packing, options)?),
        Kind::Npy => Box::new(Array::open(file, bytes, Box::new(npy::InFile { packing }), None, options)?),
        Kind::Npz => Box::new(npz::open(file, key, bytes, packing, options)?),
        #[cfg(feature = "parquet")]
        Kind::Parquet => Box::new(ParquetFile::open(file, bytes, packing, options)?),
        #[cfg(feature = "parquet")]
        Kind::Arrow => Box::new(ArrowFile::open(file, bytes, packing, options)?),
        #[cfg(not(feature = "parquet"))]
        kind => return Err(Error::NotBuilt { file: file.to_owned(), format: kind_name(kind) }),
    })
}

/// What is said of a file whose reader gave up.
pub(crate) fn damaged(name: &str, format: Format) -> Error {
    let file = split_key(name).0.to_owned();
    Error::Corrupt { file, format: kind_name(format.kind), reason: "it is damaged".into() }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "CSV",
        Kind::Tps => "TPS",
        Kind::Npy => "NPY",
        Kind::Npz => "NPZ",
        Kind::Parquet => "Parquet",
        Kind::Arrow => "Arrow",
    }
}

pub(crate) fn format_of(file: &str, options: &ReadOptions) -> Result<Format> {
    options.format.map_or_else(|| Format::of(file), Ok)
}

/// `path`, or the files in the folder `path` by name; hidden ones and marks such as `_SUCCESS` are none.
pub(crate) fn files_in(path: &str) -> Result<Vec<String>> {
    if path == STANDARD_INPUT || !std::path::Path::new(path).is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |reason: String| Error::Unreadable { file: path.to_owned(), reason };
    let mut files = vec![];
    for entry in std::fs::read_dir(path).map_err(|e| unreadable(e.to_string()))? {
        let entry = entry.map_err(|e| unreadable(e.to_string()))?;
        let name = entry.file_name();
        let name =
            name.to_str().ok_or_else(|| unreadable(format!("{} is no text", printable(&name.to_string_lossy()))))?;
        if name.starts_with(['.', '_']) {
            continue;
        }
        let file = entry.path();
        if file.is_dir() {
            return Err(unreadable(format!("there is a folder in it, {}: name the files", printable(name))));
        }
        let file = file.to_string_lossy().into_owned();
        files.push(file);
    }
    if files.is_empty() {
        return Err(unreadable("there are no files in this folder".to_owned()));
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_packed_without_saying_so_is_refused_with_the_format_that_says_it() {
        for (magic, format, expected) in [
            (&[0x1f, 0x8b, 8, 0][..], "csv", "f.csv is packed, with gzip: give --format csv.gz"),
            (&[0x28, 0xb5, 0x2f, 0xfd, 0], "csv", "f.csv is packed, with Zstandard: give --format csv.zst"),
            (&[0x1f, 0x8b, 8, 0], "npy", "f.csv is packed, with gzip: give --format npy.gz"),
        ] {
            let options = ReadOptions { format: Some(format.parse().unwrap()), ..Default::default() };
            let error = read_bytes("f.csv", magic.to_vec(), &options).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        let error = read_bytes("f.csv", vec![0x1f, 0x8b, 8, 0], &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::Packed { .. }), "{error}");
    }

    #[test]
    fn a_file_of_a_folder_that_holds_no_records_is_named_with_what_a_folder_must_hold() {
        for (name, text) in [
            ("README.txt", "About\n"),
            ("README.txt", "About these files\nof records\n"),
            ("README.txt", "About these\nnice records\n"),
            ("README.txt", ""),
            ("README.md", "About\n"),
            ("z.csv", "x,y,z\n1,2,3\n"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("a.csv"), "x,y\n1,2\n").unwrap();
            std::fs::write(folder.path().join(name), text).unwrap();
            let folder = folder.path().to_str().unwrap();
            for columns in [None, Some("x,y".to_owned()), Some("1-2".to_owned())] {
                if name == "z.csv" && columns.is_some() {
                    continue; // the chosen columns are there
                }
                let error = read(folder, &ReadOptions { columns, ..Default::default() }).unwrap_err().to_string();
                assert!(error.contains(name) && error.contains("nothing but files of records"), "{error}");
            }
        }
    }
}
