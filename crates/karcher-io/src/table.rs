//! Numbers as stored in a file: one record a row.

use crate::error::{Error, Result};
use crate::formats::landmarks::like::Like;
use crate::layout::{About, check_layout};
use crate::memory::reserve;
use crate::options::factors::Factor;
use crate::options::person::Key;
use crate::printable::printable;
use karcher::Manifold;
use karcher::manifold::Layout;

/// Records of equal length, row after row.
///
/// ```
/// use karcher_io::{ReadOptions, read_bytes};
/// let table = read_bytes("a.csv", b"x,y\n1,2\n3,4\n".to_vec(), &ReadOptions::default())?;
/// assert_eq!(table.records().map(|record| record[0] + record[1]).collect::<Vec<_>>(), [3.0, 7.0]);
/// assert_eq!((table.place(1), table.line(1)), (("a.csv", 2), Some(3)));
/// # Ok::<(), karcher_io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Table {
    /// `rows × columns` numbers, record after record.
    pub values: Vec<f64>,
    /// Number of records, at least 1 unless there [may be none](crate::ReadOptions::may_be_empty).
    pub rows: usize,
    /// Numbers in a record, at least 1 where there are records.
    pub columns: usize,
    /// The names of the columns, where the file gives them.
    pub names: Option<Vec<String>>,
    /// The names of all columns of the first file, of those that are not read too. Empty if it gives none.
    pub(crate) all: Vec<String>,
    /// Source of the numbers for error messages: the first file.
    pub source: String,
    /// The line of each record in a text file, from 1; empty for other formats.
    pub lines: Vec<usize>,
    /// The records that lack a value, counted from 0, where such records are [kept](crate::Missing::Keep).
    pub missing: Vec<usize>,
    /// The number of each record in its file, from 1, where some may be [dropped](crate::Missing::Drop), or in no
    /// [group](crate::ReadOptions::groups); else empty.
    pub numbers: Vec<usize>,
    /// The key of each record's person or group, if a column of keys was [chosen](crate::ReadOptions::person); else
    /// empty.
    pub persons: Vec<Key>,
    /// The position in the file of the column of keys, where they are in one.
    pub(crate) person_at: Option<usize>,
    /// The axes of an array; the first counts the records. Empty for other formats.
    pub(crate) axes: Vec<u64>,
    /// What files of landmarks say of themselves.
    pub(crate) like: Like,
    /// Records that stand before the first one in its file: those of earlier [batches](crate::Batch).
    pub before: usize,
    /// Further files, each with the position of its first record.
    pub more: Vec<(usize, String)>,
}

impl Table {
    /// Its public properties.
    pub(crate) fn about(&self) -> About<'_> {
        let (names, all, axes) = (self.names.as_deref(), &*self.all, &*self.axes);
        About { source: &self.source, columns: self.columns, names, described: None, all, places: None, axes }
    }

    /// Records of `columns` numbers each; `source` names them in error messages.
    ///
    /// # Errors
    /// [`Error::NoRecords`] without numbers, [`Error::Ragged`] when the last record is incomplete.
    ///
    /// ```
    /// use karcher_io::Table;
    /// assert_eq!(Table::new("measured", 2, vec![1.0, 2.0, 3.0, 4.0])?.rows, 2);
    /// assert!(Table::new("measured", 2, vec![1.0, 2.0, 3.0]).is_err());
    /// # Ok::<(), karcher_io::Error>(())
    /// ```
    pub fn new(source: &str, columns: usize, values: Vec<f64>) -> Result<Self> {
        if values.is_empty() || columns == 0 {
            return Err(Error::NoRecords { file: source.to_owned() });
        }
        let (rows, rest) = (values.len() / columns, values.len() % columns);
        if rest != 0 {
            let file = source.to_owned();
            let (row, advice) = (rows + 1, "correct the record");
            return Err(Error::Ragged { file, row, line: None, expected: columns, found: rest, advice });
        }
        Ok(Self { values, rows, ..Self::empty(source, columns) })
    }

    /// A table that records can be added to.
    pub(crate) fn empty(source: &str, columns: usize) -> Self {
        Self {
            values: vec![],
            rows: 0,
            columns,
            names: None,
            all: vec![],
            source: source.to_owned(),
            lines: vec![],
            missing: vec![],
            numbers: vec![],
            persons: vec![],
            person_at: None,
            axes: vec![],
            like: Like::default(),
            before: 0,
            more: vec![],
        }
    }

    /// What the files of landmarks that it was read from say of themselves, for
    /// [other files](crate::ReadOptions::like) that must not contradict it.
    pub fn like(&self) -> &Like {
        &self.like
    }

    /// The records, in order.
    pub fn records(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns.max(1))
    }

    /// Refuses column names or axes of an array that contradict the layout, and records of another length. Numbers that
    /// are [multiplied](crate::ConvertOptions::multiply_by) may be in any unit.
    ///
    /// # Errors
    /// [`Error::ColumnsSayOtherwise`], [`Error::ShapeSaysOtherwise`], [`Error::WrongColumns`]; those of
    /// `factors`.
    ///
    /// ```
    /// use karcher_io::{ReadOptions, layout, read_bytes};
    /// let circle = karcher::manifold::Sphere::new(1)?;
    /// let hours = read_bytes("a.csv", b"hour\n17.5\n".to_vec(), &ReadOptions::default())?;
    /// let degrees = layout(&circle, Some("degrees"))?;
    /// let error = hours.check_layout(&circle, &degrees, &[]).unwrap_err();
    /// assert!(error.to_string().contains("give --multiply-by 15"));
    /// assert!(hours.check_layout(&circle, &degrees, &["15".parse()?]).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_layout(&self, manifold: &dyn Manifold, layout: &Layout, multiply_by: &[Factor]) -> Result<()> {
        check_layout(manifold, layout, self.about(), &self.factors(multiply_by)?)
    }

    /// The factor of each column.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`], [`Error::NoColumnNames`], [`Error::InvalidFactor`].
    pub(crate) fn factors(&self, multiply_by: &[Factor]) -> Result<Vec<f64>> {
        Factor::of_columns(multiply_by, &self.source, self.columns, self.names.as_deref())
    }

    /// The line of a record counted from 0, in a text file.
    pub fn line(&self, record: usize) -> Option<usize> {
        self.lines.get(record).copied()
    }

    /// The file of a record counted from 0, and the record's number there, from 1.
    pub fn place(&self, record: usize) -> (&str, usize) {
        let later = self.more.partition_point(|(first, _)| *first <= record);
        let (first, file) = match later.checked_sub(1).map(|i| &self.more[i]) {
            Some((first, file)) => (*first, file.as_str()),
            None => (0, self.source.as_str()),
        };
        let before = if first == 0 { self.before } else { 0 };
        (file, self.numbers.get(record).copied().unwrap_or(before + record - first + 1))
    }

    /// Adds records with the same columns: further ones of the last file, or those of another.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn append(&mut self, other: Table, is_another_file: bool) -> Result<()> {
        reserve(&other.source, &mut self.values, other.values.len())?;
        reserve(&other.source, &mut self.lines, other.lines.len())?;
        // every record has a line or none has: files of several formats have none
        match self.lines.len() == self.rows && other.lines.len() == other.rows {
            true => self.lines.extend(other.lines),
            false => self.lines.clear(),
        }
        reserve(&other.source, &mut self.persons, other.persons.len())?;
        self.persons.extend(other.persons);
        self.missing.extend(other.missing.iter().map(|record| self.rows + record));
        self.numbers.extend(other.numbers);
        if is_another_file {
            self.more.push((self.rows, other.source));
        }
        self.values.extend(other.values);
        self.rows += other.rows;
        Ok(())
    }
}

/// `2`, or `2 (PLONG)`: a column counted from 0, as error messages show it.
pub(crate) fn column_label(column: usize, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{} ({})", column + 1, printable(name)),
        None => (column + 1).to_string(),
    }
}
