//! A table that grows record by record, from any format.

use crate::error::{Error, Place, Result};
use crate::formats::blocks::Wanted;
use crate::formats::cell::{Cell, with_point};
use crate::formats::odd_cell::{as_missing_value, holds_several_numbers, is_spreadsheet_error};
use crate::memory::reserve;
use crate::options::codes::Codes;
use crate::options::dates::decimal_year;
use crate::options::person::Key;
use crate::options::{Missing, ReadOptions};
use crate::printable::printable;
use crate::table::{Table, column_label};

/// The records of a batch that have been read.
pub(crate) struct Records<'a> {
    file: &'a str,
    /// The positions in the file of the columns that are read.
    selected: &'a [usize],
    options: &'a ReadOptions,
    codes: &'a Codes,
    table: Table,
    /// The key of the next record.
    next: Option<Key>,
    /// Whether it is in no group, or not wanted, and left out.
    is_left_out: bool,
    wanted: Option<Wanted<'a>>,
    /// Records in the file so far, those before the batch and those without a place in the table too.
    seen: usize,
}

impl<'a> Records<'a> {
    pub(crate) fn new(
        file: &'a str,
        selected: &'a [usize],
        names: Option<Vec<String>>,
        (options, codes): (&'a ReadOptions, &'a Codes),
        before: usize,
    ) -> Self {
        let table = Table { names, before, ..Table::empty(file, selected.len()) };
        Self { file, selected, options, codes, table, next: None, is_left_out: false, wanted: None, seen: before }
    }

    /// Leaves out the records of persons who are not wanted.
    pub(crate) fn of_those(self, wanted: Option<Wanted<'a>>) -> Self {
        Self { wanted, ..self }
    }

    /// Makes room for `rows` records of at most `most` numbers in all.
    pub(crate) fn reserve(&mut self, rows: usize, most: usize) -> Result<()> {
        reserve(self.file, &mut self.table.values, rows.saturating_mul(self.selected.len()).min(most))?;
        reserve(self.file, &mut self.table.lines, rows)
    }

    /// Sets the person or the group of the next record. A person is required, even if values may be missing; a record
    /// without a group is then in none.
    pub(crate) fn of(&mut self, key: Option<Key>, line: Option<usize>) -> Result<()> {
        let may_lack_it = self.options.missing != Missing::Error || self.options.keep_non_finite;
        self.is_left_out = key.is_none() && self.options.groups && may_lack_it;
        if key.is_none() && !self.is_left_out {
            return Err(Error::Nobodys { file: self.file.to_owned(), row: self.seen + 1, line });
        }
        self.is_left_out |= self.wanted.is_some_and(|wanted| key.as_ref().is_some_and(|key| !wanted(key)));
        self.next = key;
        Ok(())
    }

    /// The same by the text of a cell. One in another encoding is an error, unless records may be anything.
    pub(crate) fn of_text(&mut self, cell: Option<&[u8]>, line: Option<usize>) -> Result<()> {
        match std::str::from_utf8(cell.unwrap_or_default()) {
            Ok(text) => self.of(key(text, self.options.decimal_comma), line),
            Err(_) if self.options.keep_non_finite => self.of(None, line),
            Err(_) => Err(Error::NotText { file: self.file.to_owned(), row: self.seen + 1, line }),
        }
    }

    /// Adds a record; `cell` returns its content in a column of the file.
    pub(crate) fn push(&mut self, line: Option<usize>, mut cell: impl FnMut(usize) -> Cell) -> Result<()> {
        self.seen += 1;
        if self.is_left_out {
            return Ok(());
        }
        reserve(self.file, &mut self.table.values, self.selected.len())?;
        let begin = self.table.values.len();
        let mut is_missing = false;
        for i in 0..self.selected.len() {
            let value = match self.codes.meaning(i, cell(self.selected[i])) {
                Cell::Missing if self.options.missing != Missing::Error => f64::NAN,
                Cell::Number(x) if x.is_nan() && self.options.missing != Missing::Error => f64::NAN,
                Cell::Number(x) if x.is_finite() || self.options.keep_non_finite => {
                    self.table.values.push(x);
                    continue;
                }
                Cell::Missing | Cell::NotANumber(_) | Cell::OfOtherLength(_) if self.options.keep_non_finite => {
                    self.table.values.push(f64::NAN);
                    continue;
                }
                other => return Err(self.refuse(other, i, line)),
            };
            is_missing = true;
            self.table.values.push(value);
        }
        if is_missing && self.options.missing == Missing::Drop {
            self.table.values.truncate(begin);
            return Ok(());
        }
        self.end_record(line, is_missing)
    }

    /// Adds a record that is not a point, whatever its cells are.
    pub(crate) fn push_invalid(&mut self, line: Option<usize>) -> Result<()> {
        self.seen += 1;
        if self.is_left_out {
            return Ok(());
        }
        reserve(self.file, &mut self.table.values, self.selected.len())?;
        self.table.values.extend(self.selected.iter().map(|_| f64::NAN));
        self.end_record(line, false)
    }

    /// The number of the record that comes next, from 1.
    pub(crate) fn next_row(&self) -> usize {
        self.seen + 1
    }

    /// The table, when all records of the batch have been added, and how many there were.
    pub(crate) fn finish(self) -> (Table, usize) {
        let seen = self.seen - self.table.before;
        (self.table, seen)
    }

    fn end_record(&mut self, line: Option<usize>, is_missing: bool) -> Result<()> {
        let table = &mut self.table;
        if let Some(line) = line {
            reserve(self.file, &mut table.lines, 1)?;
            table.lines.push(line);
        }
        if is_missing {
            reserve(self.file, &mut table.missing, 1)?;
            table.missing.push(table.rows);
        }
        if may_leave_out(self.options) {
            reserve(self.file, &mut table.numbers, 1)?;
            table.numbers.push(self.seen);
        }
        if let Some(key) = self.next.take() {
            reserve(self.file, &mut table.persons, 1)?;
            table.persons.push(key);
        }
        table.rows += 1;
        Ok(())
    }

    /// The remedy for a cell that is not a number.
    fn advice(&self, cell: &str, column: usize) -> String {
        // a line that may be a comment begins with its mark
        let mark = ['#', '%'].into_iter().find(|mark| column == 0 && cell.starts_with(*mark));
        let word = |cell: &str| !cell.contains(|c: char| c.is_ascii_digit());
        let fixed = match self.options.may_have_dates() && is_other_date(cell) {
            true => "a date must be written as in ISO 8601: 2001-12-31, or 2001-12-31T23:59:59",
            false if is_spreadsheet_error(cell) || mark.is_none() && word(cell) => {
                return match as_missing_value(cell) {
                    Some(value) => format!("if it stands for a missing value, give --missing-values {value}"),
                    None => "correct the cell or select other columns".to_owned(),
                };
            }
            false if mark.is_some() => comment(mark.unwrap_or('#')),
            false if !self.options.decimal_comma && may_have_thousands(cell) => {
                "take commas between thousands out; if the comma stands before decimals, give --decimal-comma"
            }
            false if !self.options.decimal_comma && has_decimal_comma(cell) => {
                "if the comma stands before decimals, give --decimal-comma"
            }
            false if holds_several_numbers(cell) => {
                "the cell holds several numbers: write a column for each number, or Parquet"
            }
            false => "correct the cell or select other columns",
        };
        fixed.to_owned()
    }

    fn refuse(&self, cell: Cell, i: usize, line: Option<usize>) -> Error {
        let name = self.table.names.as_ref().map(|names| names[i].as_str());
        let place = Place { row: self.seen, line, column: column_label(self.selected[i], name) };
        let file = self.file.to_owned();
        match cell {
            Cell::Number(value) => Error::NotFinite { file, place, value },
            Cell::Missing => Error::Missing { file, place },
            Cell::OfOtherLength(found) => Error::ListOfOtherLength { file, place, found },
            Cell::NotANumber(value) => {
                Error::NotANumber { file, place, value: shorten(&value), advice: self.advice(&value, self.selected[i]) }
            }
        }
    }
}

/// The key that a cell of a text holds, in which a number may have a decimal comma.
pub(crate) fn key(text: &str, decimal_comma: bool) -> Option<Key> {
    Key::of(&with_point(text, decimal_comma))
}

/// The remedy for a line that may be a comment.
pub(crate) fn comment(mark: char) -> &'static str {
    match mark {
        '%' => "if the line is a comment, give --comments '%'",
        _ => "if the line is a comment, give --comments '#'",
    }
}

/// Whether records may be left out, so that those that stay are numbered, in all batches alike.
fn may_leave_out(options: &ReadOptions) -> bool {
    options.missing == Missing::Drop || options.groups
}

/// The table of a batch whose records are all complete, so that no check of each is needed.
pub(crate) fn complete(file: &str, columns: usize, values: Vec<f64>, before: usize, options: &ReadOptions) -> Table {
    let rows = values.len() / columns.max(1);
    let numbers = if may_leave_out(options) { (before + 1..=before + rows).collect() } else { vec![] };
    Table { before, values, rows, numbers, ..Table::empty(file, columns) }
}

/// Whether a cell is a number if a comma stands before its decimals.
pub(crate) fn has_decimal_comma(cell: &str) -> bool {
    cell.bytes().filter(|&b| b == b',').count() == 1 && cell.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// Whether each comma of a cell may stand between thousands: three digits, and no more, are between it and the next.
fn may_have_thousands(cell: &str) -> bool {
    let mut groups = cell.trim().trim_start_matches(['+', '-']).split('.').next().unwrap_or_default().split(',');
    let is_group = |group: &str| group.bytes().all(|b| b.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let further: Vec<&str> = groups.collect();
    (1..=3).contains(&first.len())
        && is_group(first)
        && !further.is_empty()
        && further.iter().all(|g| g.len() == 3 && is_group(g))
}

/// Whether a cell is a day, month and year as people write them, but not in the order of ISO 8601.
fn is_other_date(cell: &str) -> bool {
    let date = cell.trim().split([' ', 'T']).next().unwrap_or_default();
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let is_part = |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(is_part) && decimal_year(cell).is_none()
}

/// The beginning of a cell, as a message shows it.
fn shorten(cell: &str) -> String {
    match cell.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", printable(&cell[..end])),
        None => printable(cell).into_owned(),
    }
}
