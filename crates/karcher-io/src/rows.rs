//! The rows of a text: cells between separators, words between blanks, or lines of one cell.

use crate::error::{Error, Result};
use crate::lines::{LineCounter, Lines, is_comment, without_comments};
use crate::read::ReadOptions;
use ::csv::ByteRecord;
use memchr::{Memchr3, memchr, memchr3_iter};
use std::borrow::Cow;
use std::io::Cursor;
use std::ops::Range;

/// The separator that stands for any number of blanks.
const BLANKS: u8 = b' ';

/// What a row is, in a whole file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    pub(crate) cells: Cells,
    /// Whether lines that are comments are left out. Where records may be anything, no record may be taken for one.
    pub(crate) has_comments: bool,
    /// Whether there may be quotes. One that is not closed must not swallow the records that follow, where one record
    /// may be anything.
    pub(crate) has_quotes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cells {
    /// Between separators; a blank line is no record, for it has no cells.
    Separated(u8),
    /// A line is a row of words between blanks.
    Words,
    /// A line is a row of one cell, where a blank line is a missing value.
    Line,
}

impl Style {
    /// The style of a text that begins with `bytes`; `None` if it takes more of them to tell.
    pub(crate) fn of(bytes: &[u8], is_all: bool, options: &ReadOptions) -> Option<Self> {
        let style = |cells| Self { cells, has_comments: !options.keep_non_finite, has_quotes: !options.keep_non_finite };
        let mut lines = Lines::new(bytes, style(Cells::Line).has_comments);
        let first = lines.find(|(_, line)| !line.is_empty()).map_or(&b""[..], |(_, line)| line);
        if !is_all && lines.position() == bytes.len() {
            return None;
        }
        let delimiter = options.delimiter.unwrap_or_else(|| detect_delimiter(first, options.decimal_comma));
        if delimiter == BLANKS {
            return Some(style(Cells::Words));
        }
        let separated = style(Cells::Separated(delimiter));
        let mut reader = separated.csv(delimiter, Cow::Borrowed(bytes));
        let mut record = ByteRecord::new();
        let is_one = matches!(reader.read_byte_record(&mut record), Ok(true)) && record.len() == 1;
        if !is_all && reader.position().byte() >= bytes.len() as u64 {
            return None;
        }
        Some(if is_one { style(Cells::Line) } else { separated })
    }

    /// Whether ends of lines in a text are ends of records.
    pub(crate) fn is_plain(self, bytes: &[u8]) -> bool {
        match self.cells {
            Cells::Separated(b'\r' | b'\n' | b'"') => false,
            Cells::Separated(_) => !self.has_quotes || memchr(b'"', bytes).is_none(),
            Cells::Words | Cells::Line => true,
        }
    }

    /// Whether a line of a plain text is a record.
    pub(crate) fn is_record(self, line: &[u8]) -> bool {
        match self.cells {
            Cells::Separated(_) => !line.is_empty(),
            Cells::Words => !line.trim_ascii().is_empty(),
            Cells::Line => true,
        }
    }

    /// The text without comments.
    pub(crate) fn uncommented(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        if self.has_comments { without_comments(bytes) } else { Cow::Borrowed(bytes) }
    }

    fn csv(self, delimiter: u8, bytes: Cow<'_, [u8]>) -> ::csv::Reader<Cursor<Cow<'_, [u8]>>> {
        let text = match bytes {
            Cow::Borrowed(bytes) => self.uncommented(bytes),
            owned => owned,
        };
        ::csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .quoting(self.has_quotes)
            .from_reader(Cursor::new(text))
    }
}

/// The cells of a row.
#[derive(Default)]
pub(crate) struct Row<'a> {
    text: &'a [u8],
    cells: Vec<Range<usize>>,
    /// The row instead, where there are quotes.
    quoted: Option<ByteRecord>,
}

impl<'a> Row<'a> {
    pub(crate) fn len(&self) -> usize {
        self.quoted.as_ref().map_or(self.cells.len(), ByteRecord::len)
    }

    pub(crate) fn get(&self, cell: usize) -> Option<&[u8]> {
        match &self.quoted {
            Some(record) => record.get(cell),
            None => self.cells.get(cell).and_then(|range| self.text.get(range.clone())),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        (0..self.len()).map(|cell| self.get(cell).unwrap_or_default())
    }
}

/// The rows of a text, each with its line.
pub(crate) enum Rows<'a> {
    /// Without quotes.
    Plain { text: &'a [u8], hits: Memchr3<'a>, delimiter: u8, has_comments: bool, at: usize, line: usize },
    Quoted { file: &'a str, reader: Box<::csv::Reader<Cursor<Cow<'a, [u8]>>>>, lines: LineCounter<'a> },
    Lines { text: &'a [u8], lines: Lines<'a>, is_one_cell: bool },
}

impl<'a> Rows<'a> {
    /// The rows of `text`, which begins on `line`.
    pub(crate) fn new(file: &'a str, text: &'a [u8], style: Style, line: usize) -> Self {
        let is_one_cell = style.cells == Cells::Line;
        let Cells::Separated(delimiter) = style.cells else {
            return Rows::Lines { text, lines: Lines::from(text, style.has_comments, line), is_one_cell };
        };
        if style.is_plain(text) {
            let has_comments = style.has_comments && memchr(b'#', text).is_some();
            let hits = memchr3_iter(delimiter, b'\r', b'\n', text);
            return Rows::Plain { text, hits, delimiter, has_comments, at: 0, line };
        }
        let read = style.uncommented(text);
        let lines = LineCounter::new(text, read.clone(), line);
        Rows::Quoted { file, reader: Box::new(style.csv(delimiter, read)), lines }
    }

    /// Reads a row and tells its line; `None` at the end.
    pub(crate) fn next(&mut self, row: &mut Row<'a>) -> Result<Option<usize>> {
        row.cells.clear();
        match self {
            Rows::Quoted { file, reader, lines } => {
                let corrupt =
                    |e: ::csv::Error| Error::Corrupt { file: file.to_string(), format: "CSV", reason: e.to_string() };
                let record = row.quoted.get_or_insert_default();
                let is_one = reader.read_byte_record(record).map_err(corrupt)?;
                Ok(is_one.then(|| lines.line_of(record)))
            }
            Rows::Plain { text, hits, delimiter, has_comments, at, line } => {
                row.text = text;
                for hit in hits {
                    if hit < *at {
                        continue; // the second byte of an end
                    }
                    row.cells.push(*at..hit);
                    *at = hit + 1;
                    if text[hit] == *delimiter {
                        continue;
                    }
                    if text[hit..].starts_with(b"\r\n") {
                        *at += 1;
                    }
                    *line += 1;
                    let whole = &text[row.cells[0].start..hit];
                    if whole.is_empty() || *has_comments && is_comment(whole) {
                        row.cells.clear();
                        continue;
                    }
                    return Ok(Some(*line - 1));
                }
                if row.cells.is_empty() && *at == text.len() {
                    return Ok(None);
                }
                row.cells.push(*at..text.len());
                *at = text.len();
                let is_none = *has_comments && is_comment(&text[row.cells[0].start..]);
                Ok((!is_none).then_some(*line))
            }
            Rows::Lines { text, lines, is_one_cell } => {
                row.text = text;
                while let Some((number, line)) = lines.next() {
                    let begin = lines.begin();
                    if *is_one_cell {
                        row.cells.push(begin..begin + line.len());
                        return Ok(Some(number));
                    }
                    let mut at = begin;
                    for word in line.split(u8::is_ascii_whitespace) {
                        if !word.is_empty() {
                            row.cells.push(at..at + word.len());
                        }
                        at += word.len() + 1;
                    }
                    if !row.cells.is_empty() {
                        return Ok(Some(number));
                    }
                }
                Ok(None)
            }
        }
    }

    /// Where the next row begins.
    pub(crate) fn position(&self) -> usize {
        match self {
            Rows::Plain { at, .. } => *at,
            Rows::Quoted { reader, .. } => reader.position().byte() as usize,
            Rows::Lines { lines, .. } => lines.position(),
        }
    }
}

/// Of a tab, a semicolon and a comma the first that the line has outside quotes, else blanks, if there are any between
/// words.
fn detect_delimiter(line: &[u8], decimal_comma: bool) -> u8 {
    let mut quoted = false;
    let unquoted: Vec<u8> = line
        .iter()
        .copied()
        .filter(|&b| {
            quoted ^= b == b'"';
            !quoted
        })
        .collect();
    let candidates: &[u8] = if decimal_comma { b"\t;" } else { b"\t;," };
    let found = candidates.iter().find(|delimiter| unquoted.contains(delimiter));
    match found {
        Some(&delimiter) => delimiter,
        None if unquoted.trim_ascii().contains(&BLANKS) => BLANKS,
        None if decimal_comma => b';',
        None => b',',
    }
}
