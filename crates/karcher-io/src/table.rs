//! Numbers as they stand in a file: one record a row.

use crate::error::{Error, Place, Result};

/// Records of equal length, row after row.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Table {
    /// `rows × columns` numbers, record after record.
    pub values: Vec<f64>,
    /// Number of records, at least 1.
    pub rows: usize,
    /// Numbers in a record, at least 1.
    pub columns: usize,
    /// The names of the columns, where the file gives them.
    pub names: Option<Vec<String>>,
    /// Where the numbers come from, for error messages.
    pub source: String,
    /// The line of each record in a text file, from 1; empty for other formats.
    pub lines: Vec<usize>,
}

impl Table {
    /// Records of `columns` numbers each; `source` names them in error messages.
    ///
    /// # Errors
    /// [`Error::NoRecords`] without numbers, [`Error::Ragged`] when the last record is incomplete.
    pub fn new(source: &str, columns: usize, values: Vec<f64>) -> Result<Self> {
        let source = source.to_owned();
        if values.is_empty() || columns == 0 {
            return Err(Error::NoRecords { file: source });
        }
        let (rows, rest) = (values.len() / columns, values.len() % columns);
        if rest != 0 {
            return Err(Error::Ragged { file: source, row: rows + 1, line: None, expected: columns, found: rest });
        }
        Ok(Self { values, rows, columns, names: None, source, lines: Vec::new() })
    }

    /// The records, in order.
    pub fn records(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns.max(1))
    }

    /// The line of a record counted from 0, in a text file.
    pub fn line(&self, record: usize) -> Option<usize> {
        self.lines.get(record).copied()
    }

    /// Refuses NaN and infinities; `selected` holds the columns' positions in the file.
    pub(crate) fn check_finite(&self, selected: &[usize]) -> Result<()> {
        let Some(i) = self.values.iter().position(|x| !x.is_finite()) else { return Ok(()) };
        let (row, column) = (i / self.columns, i % self.columns);
        let name = self.names.as_ref().map(|names| names[column].as_str());
        let place = Place { row: row + 1, line: self.line(row), column: column_label(selected[column], name) };
        Err(Error::NotFinite { file: self.source.clone(), place, value: self.values[i] })
    }
}

/// `2`, or `2 (PLONG)`: a column counted from 0, as error messages show it.
pub(crate) fn column_label(column: usize, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{} ({name})", column + 1),
        None => (column + 1).to_string(),
    }
}
