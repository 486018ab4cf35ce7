//! The rows of a text: cells between separators, words between blanks, or lines of one cell.

use crate::lines::{LineCounter, Lines, is_comment, without_comments};
use crate::read::ReadOptions;
use csv_core::ReadRecordResult;
use memchr::{Memchr3, memchr, memchr3_iter};
use std::borrow::Cow;
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
        let style =
            |cells| Self { cells, has_comments: !options.keep_non_finite, has_quotes: !options.keep_non_finite };
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
        let mut quoted = Quoted::new(separated.uncommented(bytes), delimiter, separated.has_quotes);
        let mut first = QuotedRow::default();
        let is_one = quoted.next(&mut first, 1) && first.len == 1;
        if !is_all && quoted.at >= bytes.len() {
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
}

/// The cells of a row: how many there are, and the first of them, as many as were asked for.
#[derive(Default)]
pub(crate) struct Row<'a> {
    text: &'a [u8],
    cells: Vec<Range<usize>>,
    len: usize,
    /// The row instead, where there are quotes.
    quoted: Option<QuotedRow>,
}

impl<'a> Row<'a> {
    pub(crate) fn len(&self) -> usize {
        self.quoted.as_ref().map_or(self.len, |row| row.len)
    }

    pub(crate) fn get(&self, cell: usize) -> Option<&[u8]> {
        match &self.quoted {
            Some(row) => row.get(cell),
            None => self.cells.get(cell).and_then(|range| self.text.get(range.clone())),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> + Clone {
        (0..self.len()).map(|cell| self.get(cell).unwrap_or_default())
    }

    fn push(&mut self, cell: Range<usize>, most: usize) {
        if self.len < most {
            self.cells.push(cell);
        }
        self.len += 1;
    }
}

/// The rows of a text, each with its line.
pub(crate) enum Rows<'a> {
    /// Without quotes.
    Plain {
        text: &'a [u8],
        hits: Memchr3<'a>,
        delimiter: u8,
        has_comments: bool,
        at: usize,
        line: usize,
        most: usize,
    },
    Quoted {
        rows: Box<Quoted<'a>>,
        lines: LineCounter<'a>,
        most: usize,
    },
    Lines {
        text: &'a [u8],
        lines: Lines<'a>,
        is_one_cell: bool,
        most: usize,
    },
}

impl<'a> Rows<'a> {
    /// The rows of `text`, which begins on `line`; of each row the first `most` cells are kept, the others counted.
    pub(crate) fn new(text: &'a [u8], style: Style, line: usize, most: usize) -> Self {
        let is_one_cell = style.cells == Cells::Line;
        let Cells::Separated(delimiter) = style.cells else {
            return Rows::Lines { text, lines: Lines::from(text, style.has_comments, line), is_one_cell, most };
        };
        if style.is_plain(text) {
            let has_comments = style.has_comments && memchr(b'#', text).is_some();
            let hits = memchr3_iter(delimiter, b'\r', b'\n', text);
            return Rows::Plain { text, hits, delimiter, has_comments, at: 0, line, most };
        }
        let read = style.uncommented(text);
        let lines = LineCounter::new(text, read.clone(), line);
        Rows::Quoted { rows: Box::new(Quoted::new(read, delimiter, style.has_quotes)), lines, most }
    }

    /// Reads a row and tells its line; `None` at the end.
    pub(crate) fn next(&mut self, row: &mut Row<'a>) -> Option<usize> {
        row.cells.clear();
        row.len = 0;
        match self {
            Rows::Quoted { rows, lines, most } => {
                let begin = rows.at;
                rows.next(row.quoted.get_or_insert_default(), *most).then(|| lines.line_of(begin))
            }
            Rows::Plain { text, hits, delimiter, has_comments, at, line, most } => {
                row.text = text;
                let mut begin = *at;
                for hit in hits {
                    if hit < *at {
                        continue; // the second byte of an end
                    }
                    row.push(*at..hit, *most);
                    *at = hit + 1;
                    if text[hit] == *delimiter {
                        continue;
                    }
                    if text[hit..].starts_with(b"\r\n") {
                        *at += 1;
                    }
                    *line += 1;
                    let whole = &text[begin..hit];
                    begin = *at;
                    if whole.is_empty() || *has_comments && is_comment(whole) {
                        row.cells.clear();
                        row.len = 0;
                        continue;
                    }
                    return Some(*line - 1);
                }
                if row.len == 0 && *at == text.len() {
                    return None;
                }
                row.push(*at..text.len(), *most);
                *at = text.len();
                let is_none = *has_comments && is_comment(&text[begin..]);
                (!is_none).then_some(*line)
            }
            Rows::Lines { text, lines, is_one_cell, most } => {
                row.text = text;
                while let Some((number, line)) = lines.next() {
                    let begin = lines.begin();
                    if *is_one_cell {
                        row.push(begin..begin + line.len(), *most);
                        return Some(number);
                    }
                    let mut at = begin;
                    for word in line.split(u8::is_ascii_whitespace) {
                        if !word.is_empty() {
                            row.push(at..at + word.len(), *most);
                        }
                        at += word.len() + 1;
                    }
                    if row.len > 0 {
                        return Some(number);
                    }
                }
                None
            }
        }
    }

    /// Where the next row begins.
    pub(crate) fn position(&self) -> usize {
        match self {
            Rows::Plain { at, .. } => *at,
            Rows::Quoted { rows, .. } => rows.at,
            Rows::Lines { lines, .. } => lines.position(),
        }
    }
}

/// The rows of a text with quotes.
pub(crate) struct Quoted<'a> {
    text: Cow<'a, [u8]>,
    reader: csv_core::Reader,
    /// Where the next row begins.
    at: usize,
}

/// The first cells of a row without their quotes.
#[derive(Default)]
pub(crate) struct QuotedRow {
    cells: Vec<u8>,
    /// Where each cell ends.
    ends: Vec<usize>,
    len: usize,
}

impl QuotedRow {
    fn get(&self, cell: usize) -> Option<&[u8]> {
        let begin = cell.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.cells.get(begin..*self.ends.get(cell)?)
    }
}

impl<'a> Quoted<'a> {
    fn new(text: Cow<'a, [u8]>, delimiter: u8, has_quotes: bool) -> Self {
        let reader = csv_core::ReaderBuilder::new().delimiter(delimiter).quoting(has_quotes).build();
        Self { text, reader, at: 0 }
    }

    /// Reads a row, of which the first `most` cells are kept; false at the end.
    fn next(&mut self, row: &mut QuotedRow, most: usize) -> bool {
        let (mut cells, mut ends) = ([0; 1024], [0; 64]);
        row.cells.clear();
        row.ends.clear();
        row.len = 0;
        loop {
            let room = if row.len < most { ends.len().min(most - row.len) } else { ends.len() };
            let (result, read, wrote, ended) =
                self.reader.read_record(&self.text[self.at..], &mut cells, &mut ends[..room]);
            self.at += read;
            if row.len < most {
                row.cells.extend_from_slice(&cells[..wrote]);
                row.ends.extend_from_slice(&ends[..ended]);
            }
            row.len += ended;
            match result {
                ReadRecordResult::Record => return true,
                ReadRecordResult::End => return false,
                ReadRecordResult::InputEmpty | ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {}
            }
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
