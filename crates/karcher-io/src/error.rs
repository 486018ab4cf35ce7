//! Errors: each is one sentence with the file, the place, the value and the remedy.

use crate::converters::converted;
use crate::format::listed;
use crate::printable::printable;
use crate::short::short;
use karcher::Space;
use std::fmt;

/// Result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Place of a number in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The record's number, from 1.
    pub row: usize,
    /// The line of a text file on which the record begins, from 1.
    pub line: Option<usize>,
    /// The column: `2`, or `2 (PLONG)` where columns have names.
    pub column: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, column {}", Record(self.row, self.line), self.column)
    }
}

/// `record 3 (line 4)`.
struct Record(usize, Option<usize>);

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}", self.0)?;
        self.1.map_or(Ok(()), |line| write!(f, " (line {line})"))
    }
}

/// `a, b, c`, shortened in the middle when there are many.
struct Names<'a>(&'a [String]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => write!(f, "none"),
            few if few.len() <= 20 => f.write_str(&printable(&few.join(", "))),
            many => {
                let (first, last) = (many[..10].join(", "), many[many.len() - 3..].join(", "));
                let (first, last) = (printable(&first), printable(&last));
                write!(f, "{first}, … {last} ({} in all)", many.len())
            }
        }
    }
}

/// The remedy for a record that lacks a value.
const LACKING: &str = "fill it in, or choose --missing drop (leaves such records out) or \
                       --missing center (replaces them with the center of the ball)";

fn same_file(file: &str, first: &str) -> String {
    match file == first {
        true => format!("{file} is given twice"),
        false => format!("{file} is the same file as {first}"),
    }
}

/// Error in reading or converting input, or in writing output.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Invalid records are to be replaced, but the first line is not declared to be a header.
    #[error(
        "{file}: the first line must be a header here, so that no record decides how the others are read: give \
         --header yes, or choose columns by name"
    )]
    HeaderNeeded {
        /// The file.
        file: String,
    },
    /// The operating system did not give the file.
    #[error("cannot read {file}: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// The error of the operating system.
        reason: String,
    },
    /// A file that would be read twice, so that every record in it counted twice.
    #[error("{}: its records would count twice; give every file once", same_file(.file, .first))]
    GivenTwice {
        /// The file.
        file: String,
        /// The name under which it was given before.
        first: String,
    },
    /// A file in a folder that is not a file of records like the others.
    #[error(
        "{reason} ({folder} is read as a folder of records, all of one form: move other files away, or name the files)"
    )]
    NotOfTheFolder {
        /// The folder.
        folder: String,
        /// The fault of the file.
        reason: Box<Error>,
    },
    /// The operating system did not take the file.
    #[error("cannot write {file}: {reason}")]
    Unwritable {
        /// The file.
        file: String,
        /// The error of the operating system.
        reason: String,
    },
    /// A file that is there already.
    #[error("{file} exists: choose another name, or give --force to replace it")]
    OutputExists {
        /// The file.
        file: String,
    },
    /// A file that is both read and written.
    #[error("{file} would replace an input: choose another name")]
    OutputIsInput {
        /// The file.
        file: String,
    },
    /// A shape that does not hold the numbers to write.
    #[error("cannot write {file}: shape {shape:?} does not hold {found} numbers")]
    WrongShape {
        /// The file.
        file: String,
        /// The shape given.
        shape: Vec<usize>,
        /// Numbers given.
        found: usize,
    },
    /// An extension that names no format.
    #[error(
        "the format of {file} is unknown: its name must end in {}, also with .gz or .zst; or give --format{}",
        listed("."),
        converted(file)
    )]
    UnknownFormat {
        /// The file.
        file: String,
    },
    /// A word that names no format.
    #[error(
        "unknown format `{name}`: expected {}, or one of them with .gz or .zst, for example csv.gz{}",
        listed(""),
        converted(name)
    )]
    UnknownExtension {
        /// The word as given.
        name: String,
    },
    /// A format that this build leaves out.
    #[error(
        "{file}: this build reads no {format}; build karcher with the feature `parquet`, or convert the file to NPY"
    )]
    NotBuilt {
        /// The file.
        file: String,
        /// The format.
        format: &'static str,
    },
    /// A file that unpacks to far more than its size suggests.
    #[error(
        "{file} of {packed} bytes would unpack to more than {limit} bytes, far more than measurements do: check its \
         source, or write it without compression"
    )]
    UnpacksTooMuch {
        /// The file.
        file: String,
        /// Its size.
        packed: u64,
        /// The most it may unpack to.
        limit: u64,
    },
    /// More numbers than there is memory for.
    #[error("{file}: there is not enough memory for its records")]
    OutOfMemory {
        /// The file.
        file: String,
    },
    /// Labels of landmarks, or names of columns, in another order than in another file.
    #[error("{file}: {reason}: put all files in one order, or give --trust-layout if the labels are wrong")]
    OtherLabels {
        /// The file.
        file: String,
        /// Which landmark or column, and both labels.
        reason: String,
    },
    /// A first line that may be a header or a record.
    #[error(
        "{file}: the first line counts {}, {}, …, which may be a record, or a header (pandas writes it over columns \
         without names): say which by --header yes or --header no", short(.counted[0]), short(.counted[1])
    )]
    HeaderOrRecord {
        /// The file.
        file: String,
        /// The first two numbers of the count.
        counted: [f64; 2],
    },
    /// A first line of words after an empty cell, which is the only one that is read.
    #[error(
        "{file}: the first line holds words after an empty first cell, the only one that is read: it may be a header \
         (pandas writes it above its index), or a record that lacks its value: say which by --header yes or --header no"
    )]
    HeaderOrMissing {
        /// The file.
        file: String,
    },
    /// A first line that may be a comment, names or a record.
    #[error(
        "{file}: the first line begins with `{mark}`: give --comments '{mark}' if it is a comment, --header yes if it \
         holds names, --header no if it is a record"
    )]
    CommentOrRecord {
        /// The file.
        file: String,
        /// Its first character.
        mark: char,
    },
    /// A text that begins as a file of landmarks does.
    #[error("{file} begins as {kind} files do: give --format {format}")]
    SpecimenFirst {
        /// The file.
        file: String,
        /// Those files.
        kind: &'static str,
        /// Their format.
        format: &'static str,
    },
    /// A cell that R and CSV read differently.
    #[error(
        "{file}: line {line}: a cell has `\\\"`, which is a quote to R but not in CSV: write two quotes for one, in R \
         with qmethod = \"double\""
    )]
    EscapedQuote {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// A header with a name less than the first record has cells.
    #[error(
        "{file}: the header has {names} {}, and the first record has {} cells: {advice}",
        if *.names == 1 { "name" } else { "names" },
        .names + 1
    )]
    HeaderOneShort {
        /// The file.
        file: String,
        /// The number of names in the header.
        names: usize,
        /// The remedy.
        advice: &'static str,
    },
    /// A name that several columns have.
    #[error("{file} has columns {numbers} of the name `{column}`: choose one of them by its number")]
    AmbiguousColumn {
        /// The file.
        file: String,
        /// The name.
        column: String,
        /// Their numbers: `1 and 4`.
        numbers: String,
    },
    /// A number that is the name of one column and the position of another.
    #[error(
        "{file}: `{column}` is a position, and column {position} has the name `{name}`: give --columns-by name or \
         --columns-by position"
    )]
    NameOrPosition {
        /// The file.
        file: String,
        /// The number, or the range, as given.
        column: String,
        /// The name.
        name: String,
        /// The position of the column of that name, from 1.
        position: usize,
    },
    /// A first line that counts the rows and the numbers of a row.
    #[error(
        "{file}: the first line, `{rows} {numbers}`, counts rows and numbers as word2vec does, and is no record: give \
         --skip-lines {}", .skip + 1
    )]
    CountsFirst {
        /// The file.
        file: String,
        /// The first number.
        rows: u64,
        /// The second one.
        numbers: u64,
        /// Lines that are skipped before it.
        skip: usize,
    },
    /// Lines above the header.
    #[error("{file}: the table begins on line {}: give --skip-lines {skip}", .skip + 1)]
    LinesAbove {
        /// The file.
        file: String,
        /// The number of lines to skip.
        skip: usize,
    },
    /// Commas between names, where they are to stand before decimals.
    #[error("{file}: with --decimal-comma, give --delimiter , if a comma also separates cells")]
    CommasOfBothKinds {
        /// The file.
        file: String,
    },
    /// A column of texts that each hold several numbers.
    #[error(
        "{file}: column {column} holds lists that are written as text: write a column for each number, or Parquet \
         (pandas: to_parquet)"
    )]
    ListsAsText {
        /// The file.
        file: String,
        /// The column, with its name where it has one.
        column: String,
    },
    /// Values that stand for missing ones and do not parse.
    #[error(
        "cannot read the missing values `{text}`: expected values, or a column and values: -999,MM or depth=-1,-999"
    )]
    InvalidMissingValues {
        /// The text as given.
        text: String,
    },
    /// No record is left when those that lack a value are left out.
    #[error("{file}: no record is complete")]
    AllMissing {
        /// The file.
        file: String,
    },
    /// Files that do not go together.
    #[error(
        "{file} has other columns than {first}: {} instead of {}; choose the same columns of both with --columns",
        Names(.found),
        Names(.expected)
    )]
    OtherColumns {
        /// The file.
        file: String,
        /// The first file.
        first: String,
        /// The first file's columns.
        expected: Vec<String>,
        /// The file's columns.
        found: Vec<String>,
    },
    /// Columns whose names say that they hold something else than the layout takes them for.
    #[error(
        "the columns {} contradict --layout {layout}, which takes {takes}: {advice}, or --trust-layout if the names \
         are wrong",
        Names(.names)
    )]
    ColumnsSayOtherwise {
        /// The names of the columns.
        names: Vec<String>,
        /// The layout's name.
        layout: String,
        /// The columns that the layout takes.
        takes: String,
        /// The remedy.
        advice: String,
    },
    /// An array whose axes say that it holds something else than the layout takes it for.
    #[error(
        "{} contradicts --layout {layout}, which takes {takes}: {advice}, or --trust-layout if that is how its \
         numbers are arranged",
        printable(.file)
    )]
    ShapeSaysOtherwise {
        /// The file.
        file: String,
        /// The layout's name.
        layout: String,
        /// The columns that the layout takes.
        takes: String,
        /// The remedy.
        advice: String,
    },
    /// A number that is not a share.
    #[error("{option} {} is out of range: it must be {limit}", short(*.value))]
    InvalidShare {
        /// The option.
        option: &'static str,
        /// The number given.
        value: f64,
        /// The range in words.
        limit: String,
    },
    /// An option for matrices, on another space.
    #[error("{option} is for symmetric positive definite matrices, not for {space}")]
    MatricesOnly {
        /// The option.
        option: &'static str,
        /// The space.
        space: Space,
    },
    /// A packed file whose name, or `--format`, does not say so.
    #[error("{file} is packed, with {packing}: give --format {format}")]
    Packed {
        /// The file.
        file: String,
        /// The program that packed it.
        packing: &'static str,
        /// The format that says so.
        format: String,
    },
    /// A file of another program, whatever its name.
    #[error("{file} is a file of {program}: {advice}")]
    OtherProgram {
        /// The file.
        file: String,
        /// The program.
        program: &'static str,
        /// How to convert it.
        advice: String,
    },
    /// Contents that are not what the extension promises.
    #[error("{file} is not a valid {format} file: {}", printable(.reason))]
    Corrupt {
        /// The file.
        file: String,
        /// The format promised.
        format: &'static str,
        /// The fault.
        reason: String,
    },
    /// A file that changed between two passes.
    #[error("{file} changed while it was read: do not write to it meanwhile")]
    Changed {
        /// The file.
        file: String,
    },
    /// Standard input, or a pipe, of more bytes than may be kept.
    #[error(
        "{file} holds more than {limit} bytes, the most that is kept of input that can be read only once: allow more \
         (--memory), keep it in a folder (--spool), or give a file"
    )]
    MoreThanMemory {
        /// The pipe.
        file: String,
        /// The most bytes.
        limit: u64,
    },
    /// A line of a text without end.
    #[error(
        "{file}: line {line} has more than {limit} bytes, too many for a record: is the file text, one record a line?"
    )]
    EndlessRecord {
        /// The file.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// The most bytes of a record.
        limit: usize,
    },
    /// A text whose first row is not a row of a table.
    #[error("{file}: line {line} has more than {limit} cells, too many for one: correct the delimiter, or the file")]
    TooManyCells {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The most cells.
        limit: usize,
    },
    /// Less data than the header promises.
    #[error(
        "{file} is truncated: its header promises {expected} bytes of data, found {found}; copy or write the file again"
    )]
    Truncated {
        /// The file.
        file: String,
        /// Bytes promised.
        expected: u64,
        /// Bytes there.
        found: u64,
    },
    /// More data than the header promises.
    #[error(
        "{file} has more than the {expected} bytes of data that its header promises: write it again, each of several \
         arrays to its own file"
    )]
    TrailingData {
        /// The file.
        file: String,
        /// Bytes promised.
        expected: u64,
    },
    /// An array or column of something other than real numbers.
    #[error("{file} holds {kind}: expected floats, integers or booleans")]
    NotNumeric {
        /// The file, or the file and the column.
        file: String,
        /// The kind found.
        kind: String,
    },
    /// An array of complex numbers where records are real.
    #[error(
        "{file} holds complex numbers (dtype {dtype}): only hpd-log-euclidean:K and hpd-affine-invariant:K take them, \
         in the layout interleaved; for other spaces write real numbers"
    )]
    Complex {
        /// The file.
        file: String,
        /// The type of the numbers.
        dtype: String,
    },
    /// A shape that is not a list of records.
    #[error("{file}: an array of shape {shape} is no list of records: {reason}")]
    UnusableShape {
        /// The file.
        file: String,
        /// The shape as in the header.
        shape: String,
        /// The reason.
        reason: &'static str,
    },
    /// No bytes at all.
    #[error("{file} is empty: expected records")]
    Empty {
        /// The file.
        file: String,
    },
    /// A header, or a shape, without records.
    #[error("{file} has no records: a statistic needs at least one")]
    NoRecords {
        /// The file.
        file: String,
    },
    /// A record with more or fewer cells than the first line.
    #[error(
        "{file}: {} has {found} {}, expected {expected} as in the first one; {advice}",
        Record(*.row, *.line),
        if *.found == 1 { "cell" } else { "cells" }
    )]
    Ragged {
        /// The file.
        file: String,
        /// The record's number, from 1.
        row: usize,
        /// Its line in a text file, from 1.
        line: Option<usize>,
        /// Cells in the first record or the header.
        expected: usize,
        /// Cells found.
        found: usize,
        /// The remedy.
        advice: &'static str,
    },
    /// A cell that is not a number.
    #[error("{file}: {place}: `{value}` is not a number; {advice}")]
    NotANumber {
        /// The file.
        file: String,
        /// Where.
        place: Place,
        /// The cell.
        value: String,
        /// The remedy.
        advice: String,
    },
    /// An empty cell, or a null.
    #[error("{file}: {place}: the value is missing; {LACKING}")]
    Missing {
        /// The file.
        file: String,
        /// Where.
        place: Place,
    },
    /// A list that has not as many numbers as those of other records.
    #[error(
        "{file}: {place}: the list has {found} numbers, not as many as others; correct it, or leave the record out"
    )]
    ListOfOtherLength {
        /// The file.
        file: String,
        /// Where; the column is the first of the list's.
        place: Place,
        /// Numbers found.
        found: usize,
    },
    /// A record without the key of a person or a group.
    #[error(
        "{file}: {}: the key of the person or group is missing; fill it in, or leave the record out",
        Record(*.row, *.line)
    )]
    Nobodys {
        /// The file.
        file: String,
        /// The record's number, from 1.
        row: usize,
        /// Its line in a text file, from 1.
        line: Option<usize>,
    },
    /// A key, a level or a name that is no text in the encoding of the file.
    #[error(
        "{file}: {}: the text is not in the encoding of the file; give --encoding, such as windows-1252 (Latin-1, Excel)",
        if *.row == 0 { "the header".to_owned() } else { Record(*.row, *.line).to_string() }
    )]
    NotText {
        /// The file.
        file: String,
        /// The record's number, from 1; 0 for the header.
        row: usize,
        /// Its line in a text file, from 1.
        line: Option<usize>,
    },
    /// The name of no encoding.
    #[error(
        "there is no encoding `{name}`: give utf-8, utf-16le, windows-1252, shift_jis or another name that browsers know"
    )]
    UnknownEncoding {
        /// The name as given.
        name: String,
    },
    /// A group whose name no key in the files can equal.
    #[error("{file}: no record can be in the group `{group}`: the keys are {kind}; leave the group out or correct it")]
    NoSuchGroup {
        /// The first file.
        file: String,
        /// The group.
        group: String,
        /// The keys that its column can hold.
        kind: String,
    },
    /// A column of another type than keys.
    #[error("{file} holds {kind}: expected texts, numbers, booleans or dates as the keys of persons or groups")]
    NoKeys {
        /// The file, with the column or the array.
        file: String,
        /// The kind found.
        kind: String,
    },
    /// A column of another type than levels.
    #[error("{file} holds {kind}: expected texts, numbers, booleans or dates as levels")]
    NoLevels {
        /// The file, with the column.
        file: String,
        /// The kind found.
        kind: String,
    },
    /// Another number of keys than of records.
    #[error("{file} has {records} records and {keys} keys of persons or groups: there must be one for each record")]
    KeysAndRecords {
        /// The file.
        file: String,
        /// The number of keys.
        keys: usize,
        /// The number of records.
        records: usize,
    },
    /// NaN or an infinity.
    #[error(
        "{file}: {place}: {value} is not a finite number; {}",
        if .value.is_nan() { LACKING } else { "correct it or leave the record out" }
    )]
    NotFinite {
        /// The file.
        file: String,
        /// Where.
        place: Place,
        /// The number.
        value: f64,
    },
    /// A selection of columns that does not parse.
    #[error("cannot read the columns `{selection}`: {reason}")]
    InvalidSelection {
        /// The selection as given.
        selection: String,
        /// The fault.
        reason: String,
    },
    /// A column that is not in the file.
    #[error("{file} has no column `{column}`: its columns are {}", Names(.available))]
    UnknownColumn {
        /// The file.
        file: String,
        /// The column asked for.
        column: String,
        /// The columns there are.
        available: Vec<String>,
    },
    /// A column by name in a file without names.
    #[error(
        "{file} has no column `{column}`: its columns have no names; choose by number from 1 to {columns}, for example \
         1,3,5-7"
    )]
    NoColumnNames {
        /// The file.
        file: String,
        /// The column asked for.
        column: String,
        /// Columns there are.
        columns: usize,
    },
    /// A column number beyond the last.
    #[error("{file} has no column {column}: its columns are numbered from 1 to {columns}")]
    ColumnOutOfRange {
        /// The file.
        file: String,
        /// The number asked for.
        column: usize,
        /// Columns there are.
        columns: usize,
    },
    /// An array that is not in the archive.
    #[error("{file} has no array `{key}`: its arrays are {}; write FILE.npz:KEY", Names(.available))]
    UnknownArray {
        /// The archive.
        file: String,
        /// The key asked for.
        key: String,
        /// The keys there are.
        available: Vec<String>,
    },
    /// Several arrays and no key.
    #[error("{file} needs a key (write FILE.npz:KEY): its arrays are {}", Names(.available))]
    AmbiguousArray {
        /// The archive.
        file: String,
        /// The keys there are.
        available: Vec<String>,
    },
    /// A layout name that no space has.
    #[error("unknown layout `{name}`: expected {expected}")]
    UnknownLayout {
        /// The name as given.
        name: String,
        /// The names of the space's layouts.
        expected: String,
    },
    /// A layout of another space.
    #[error("--layout {layout} does not fit {space}: expected {expected}")]
    LayoutMismatch {
        /// The layout's name.
        layout: String,
        /// The space.
        space: Space,
        /// The names of the space's layouts.
        expected: String,
    },
    /// Records of the wrong length.
    #[error("{space} with --layout {layout} needs {expected} numbers a record, found {found}; {advice}")]
    WrongColumns {
        /// The space.
        space: Space,
        /// The layout's name.
        layout: String,
        /// Numbers needed.
        expected: usize,
        /// Numbers found.
        found: usize,
        /// Which layouts hold the numbers found.
        advice: String,
    },
    /// A record that is not a point.
    #[error("{file}: {}: {reason}", Record(*.row, *.line))]
    InvalidRecord {
        /// The file.
        file: String,
        /// The record's number, from 1.
        row: usize,
        /// Its line in a text file, from 1.
        line: Option<usize>,
        /// The fault, with the value.
        reason: String,
    },
    /// Numbers given as one point that are not a point.
    #[error("{reason}")]
    InvalidPoint {
        /// The fault, with the value.
        reason: String,
    },
    /// A factor that is not a unit of measurement.
    #[error("numbers cannot be multiplied by {}: the factor must be finite and not 0", short(*.value))]
    InvalidFactor {
        /// The factor given.
        value: f64,
    },
    /// A factor that does not parse.
    #[error("cannot read the factor `{text}`: expected a number, or a column and a number: 1000 or hour=15")]
    UnreadableFactor {
        /// The text as given.
        text: String,
    },
    /// Refused by the library.
    #[error(transparent)]
    Library(#[from] karcher::Error),
}

impl From<karcher::error::GeometryError> for Error {
    fn from(error: karcher::error::GeometryError) -> Self {
        Error::Library(error.into())
    }
}

/// The library's error for wrong records that are read again for each sum.
///
/// ```
/// let error = karcher_io::Error::Changed { file: "a.csv".to_owned() };
/// let told = error.to_string();
/// assert_eq!(karcher::Error::from(error), karcher::Error::Unanswered { reason: told });
/// ```
impl From<Error> for karcher::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Library(error) => error,
            other => karcher::Error::Unanswered { reason: other.to_string() },
        }
    }
}
