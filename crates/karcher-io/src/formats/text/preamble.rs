//! Lines above the header that are none of the table: a title, `sep=;` of spreadsheets, a banner of comments.

use super::{Row, Style, Text, text};
use crate::formats::cell::Cell;
use crate::formats::text::lines::after;
use crate::formats::text::rows::{Cells, Kept, Rows};
use crate::options::ReadOptions;
use crate::options::columns::trim_name;
use crate::options::kinds::Kinds;

/// The most lines above a header.
const MOST_LINES: usize = 200;

/// Bytes of a text in which lines are looked for; a text of fewer bytes has to be known to its end.
pub(super) const ENOUGH: usize = 1 << 16;

/// The number of lines above the header, or above the records of a text that has none, if there are some. A header has
/// the names that are `wanted`; without such it is a line of names above a line with as many cells and a number.
pub(super) fn lines_above(head: &[u8], is_all: bool, options: &ReadOptions, wanted: &[String]) -> Option<usize> {
    let first = Line::of(head, options)?;
    let is_mark = first.cells.first().is_some_and(|cell| {
        let cell = cell.to_lowercase();
        cell == "tab" || cell.starts_with("tab ") || cell.starts_with("sep=")
    });
    let reads_on = |skip: usize| {
        let at = after(head, skip, is_all)?;
        Line::of(&head[at..], options)
    };
    // a line of names above a record is the header
    let second = reads_on(1).filter(|_| wanted.is_empty() && !is_mark && !first.begins_with_mark);
    if second.is_some_and(|second| second.cells.len() == first.cells.len() && second.numbers > 0) {
        return None;
    }
    (1..=MOST_LINES).find(|&skip| {
        let (Some(line), Some(next)) = (reads_on(skip), reads_on(skip + 1)) else { return false };
        if line.begins_with_mark || line.cells.len() != next.cells.len() {
            return false;
        }
        let is_another = is_mark || first.filled() < line.filled() || first.style != line.style;
        match line.are_names() {
            true if !wanted.is_empty() => wanted.iter().all(|name| line.cells.contains(name)),
            true => is_another && line.cells.len() > 1 && (is_mark || next.numbers > 0),
            // records without a header; the first line has no separator
            false => {
                let are_records = line.numbers == line.cells.len() && next.numbers == line.numbers;
                wanted.is_empty() && are_records && line.numbers > 1 && first.style != line.style && first.numbers == 0
            }
        }
    })
}

/// The cells of a line, taken for the first one of a text.
struct Line {
    style: Cells,
    cells: Vec<String>,
    /// How many of them are numbers.
    numbers: usize,
    begins_with_mark: bool,
}

impl Line {
    fn of(bytes: &[u8], options: &ReadOptions) -> Option<Self> {
        let style = Style::of(bytes, true, options)?;
        let mut row = Row::default();
        Rows::new(bytes, style, 1, Kept::first(super::MOST_CELLS)).next(&mut row)?;
        let reading = Text { options, kinds: &Kinds::default() };
        let numbers = row.iter().filter(|cell| matches!(reading.number(cell), Cell::Number(_))).count();
        let begins_with_mark = row.begins_with(b'#') || row.begins_with(b'%');
        let cells = row.iter().map(|cell| trim_name(&text(&cell)).to_owned()).collect();
        Some(Self { style: style.cells, cells, numbers, begins_with_mark })
    }

    fn filled(&self) -> usize {
        self.cells.iter().filter(|cell| !cell.is_empty()).count()
    }

    /// Whether every cell, or every one but that of an index, is a name.
    fn are_names(&self) -> bool {
        self.numbers == 0 && self.cells.iter().skip(1).all(|cell| !cell.is_empty())
    }
}
