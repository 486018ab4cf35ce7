//! The rows of a text: cells between separators, words between blanks, or lines of one cell.
//!
//! A row is always a line, so that no cell decides where another record ends. A pair of quotes around one cell is taken
//! off. Between commas, semicolons and blanks it may hold separators; between tabs it never does. A quote that has no
//! other on its line, or that ends before its cell does, is a character like any other. Two quotes stand for one; a
//! cell that would end elsewhere if `\"` were a quote, as R writes it, is marked as unclear.

use crate::formats::text::lines::{Lines, is_comment};
use crate::options::ReadOptions;
use memchr::{Memchr3, memchr, memchr3_iter, memmem};
use std::borrow::Cow;
use std::ops::Range;

/// The separator that stands for any number of blanks.
const BLANKS: u8 = b' ';

/// The definition of a row in a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    pub(crate) cells: Cells,
    /// The first character of comment lines, if one was chosen.
    pub(crate) comments: Option<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cells {
    /// Between separators; a blank line has no cells, so it is not a record.
    Separated(u8),
    /// A line is a row of words between blanks.
    Words,
    /// A line is a row of one cell, where a blank line is a missing value.
    Line,
}

impl Style {
    /// The style of a text that begins with `bytes`; `None` if it takes more of them to tell.
    pub(crate) fn of(bytes: &[u8], is_all: bool, options: &ReadOptions) -> Option<Self> {
        let style = |cells| Self { cells, comments: options.comments };
        let mut lines = Lines::new(bytes, options.comments, 1);
        let first = lines.find(|(_, line)| !line.is_empty()).map_or(&b""[..], |(_, line)| line);
        if !is_all && lines.position() == bytes.len() {
            return None;
        }
        let delimiter = options.delimiter.unwrap_or_else(|| detect_delimiter(first, options.decimal_comma));
        if delimiter == BLANKS {
            return Some(style(Cells::Words));
        }
        let separated = style(Cells::Separated(delimiter));
        let mut row = Row::default();
        Rows::new(first, separated, 1, Kept::NONE).next(&mut row);
        Some(if row.len() == 1 { style(Cells::Line) } else { separated })
    }

    /// Whether a line is a record.
    pub(crate) fn is_record(self, line: &[u8]) -> bool {
        let is_row = match self.cells {
            Cells::Separated(_) => !line.is_empty(),
            Cells::Words => !line.trim_ascii().is_empty(),
            Cells::Line => true,
        };
        is_row && !is_comment(line, self.comments)
    }
}

/// The cells of a row: how many there are, and the first of them, as many as were asked for.
#[derive(Default)]
pub(crate) struct Row<'a> {
    text: &'a [u8],
    cells: Vec<Range<usize>>,
    /// The cells in quotes that hold quotes, each written twice.
    doubled: Vec<usize>,
    /// The cells that end at another place, or hold something else, if `\"` is a quote.
    unclear: Vec<usize>,
    len: usize,
    /// Whether a cell is filled that comes after those of a record.
    has_more: bool,
}

/// Which cells of a row are kept; the others are counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept {
    /// The first of them.
    pub(crate) first: usize,
    /// Cells of a record: it is noticed if later ones are filled.
    pub(crate) record: usize,
}

impl Kept {
    pub(crate) const NONE: Self = Self::first(0);

    pub(crate) const fn first(first: usize) -> Self {
        Self { first, record: usize::MAX }
    }
}

impl<'a> Row<'a> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn get(&self, cell: usize) -> Option<Cow<'a, [u8]>> {
        let cell_text = self.text.get(self.cells.get(cell)?.clone())?;
        Some(match self.doubled.contains(&cell) {
            true => Cow::Owned(undoubled(cell_text)),
            false => Cow::Borrowed(cell_text),
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Cow<'a, [u8]>> + Clone {
        (0..self.len()).map(|cell| self.get(cell).unwrap_or_default())
    }

    /// Whether the line begins with `mark`.
    pub(crate) fn begins_with(&self, mark: u8) -> bool {
        let Some(first) = self.cells.first() else { return false };
        !self.is_quoted(0)
            && self.text.get(first.clone()).is_some_and(|cell| cell.trim_ascii_start().first() == Some(&mark))
    }

    /// Whether a cell stands in quotes.
    pub(crate) fn is_quoted(&self, cell: usize) -> bool {
        let Some(cell) = self.cells.get(cell) else { return false };
        cell.start > 0 && self.text.get(cell.start - 1) == Some(&b'"')
    }

    /// Whether a cell is filled that comes after those of a record.
    pub(crate) fn has_more(&self) -> bool {
        self.has_more
    }

    /// Whether `\"` makes it unclear which cells the row has, or what stands in those that are read as `texts`.
    pub(crate) fn is_unclear(&self, style: Style, texts: &[usize]) -> bool {
        match style.cells {
            // no quote holds a tab
            Cells::Separated(b'\t') => texts.iter().any(|text| self.unclear.contains(text)),
            _ => !self.unclear.is_empty(),
        }
    }

    fn clear(&mut self) {
        self.cells.clear();
        self.doubled.clear();
        self.unclear.clear();
        (self.len, self.has_more) = (0, false);
    }

    fn push(&mut self, cell: Range<usize>, kept: Kept) {
        if self.len >= kept.record {
            self.has_more |= !self.text[cell.clone()].trim_ascii().is_empty();
        }
        if self.len < kept.first {
            self.cells.push(cell);
        }
        self.len += 1;
    }

    fn push_quoted(&mut self, cell: Range<usize>, kept: Kept) {
        if self.len < kept.first && memmem::find(&self.text[cell.clone()], b"\"\"").is_some() {
            self.doubled.push(self.len);
        }
        self.push(cell, kept);
    }
}

/// The rows of a text, each with its line.
pub(crate) enum Rows<'a> {
    /// Between separators, without quotes.
    Plain { text: &'a [u8], hits: Memchr3<'a>, delimiter: u8, comments: Option<u8>, at: usize, line: usize, kept: Kept },
    /// Line by line.
    Lines { text: &'a [u8], lines: Lines<'a>, cells: Cells, kept: Kept },
}

impl<'a> Rows<'a> {
    /// The rows of `text`, which begins on `line`.
    pub(crate) fn new(text: &'a [u8], style: Style, line: usize, kept: Kept) -> Self {
        let Style { cells, comments } = style;
        match cells {
            Cells::Separated(delimiter) if !matches!(delimiter, b'\r' | b'\n') && memchr(b'"', text).is_none() => {
                let hits = memchr3_iter(delimiter, b'\r', b'\n', text);
                Rows::Plain { text, hits, delimiter, comments, at: 0, line, kept }
            }
            _ => Rows::Lines { text, lines: Lines::new(text, comments, line), cells, kept },
        }
    }

    /// Reads a row and returns its line; `None` at the end.
    pub(crate) fn next(&mut self, row: &mut Row<'a>) -> Option<usize> {
        row.clear();
        match self {
            Rows::Plain { text, hits, delimiter, comments, at, line, kept } => {
                row.text = text;
                let mut begin = *at;
                for hit in hits {
                    if hit < *at {
                        continue; // the second byte of an end
                    }
                    row.push(*at..hit, *kept);
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
                    if whole.is_empty() || is_comment(whole, *comments) {
                        row.clear();
                        continue;
                    }
                    return Some(*line - 1);
                }
                if row.len == 0 && *at == text.len() {
                    return None;
                }
                row.push(*at..text.len(), *kept);
                *at = text.len();
                (!is_comment(&text[begin..], *comments)).then_some(*line)
            }
            Rows::Lines { text, lines, cells, kept } => {
                row.text = text;
                while let Some((number, line)) = lines.next() {
                    let (begin, end) = (lines.begin(), lines.begin() + line.len());
                    match *cells {
                        Cells::Line => row.push(begin..end, *kept),
                        Cells::Words => push_words(row, begin..end, *kept),
                        Cells::Separated(_) if line.is_empty() => {}
                        Cells::Separated(delimiter) => push_cells(row, begin..end, delimiter, *kept),
                    }
                    if row.len > 0 {
                        return Some(number);
                    }
                }
                None
            }
        }
    }

    /// Start of the next row.
    pub(crate) fn position(&self) -> usize {
        match self {
            Rows::Plain { at, .. } => *at,
            Rows::Lines { lines, .. } => lines.position(),
        }
    }
}

/// The cells of a line between separators.
fn push_cells(row: &mut Row<'_>, line: Range<usize>, delimiter: u8, kept: Kept) {
    let text = &row.text[..line.end];
    let mut at = line.start;
    loop {
        let end_of_cell = || memchr(delimiter, &text[at..]).map_or(text.len(), |len| at + len);
        let quoted = match delimiter {
            b'"' => None,
            b'\t' => row.within_quotes(text, at..end_of_cell()),
            _ => row.between_quotes(text, at, delimiter),
        };
        let end = match quoted {
            Some((cell, end)) => {
                row.push_quoted(cell, kept);
                end
            }
            None => {
                let end = end_of_cell();
                row.push(at..end, kept);
                end
            }
        };
        if end >= text.len() {
            return;
        }
        at = end + 1;
    }
}

/// The words of a line. Quotes around several of them make them one.
fn push_words(row: &mut Row<'_>, line: Range<usize>, kept: Kept) {
    let text = &row.text[..line.end];
    let mut at = line.start;
    while at < text.len() {
        if text[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        match row.between_quotes(text, at, BLANKS) {
            Some((cell, end)) => {
                row.push_quoted(cell, kept);
                at = end;
            }
            None => {
                let len = text[at..].iter().position(u8::is_ascii_whitespace).unwrap_or(text.len() - at);
                row.push(at..at + len, kept);
                at += len;
            }
        }
    }
}

/// Text in the quotes around a cell, and the end of the cell.
type Quoted = Option<(Range<usize>, usize)>;

impl Row<'_> {
    /// Text between a pair of quotes around the cell that begins at `begin`. It is noted if it would be something else
    /// with `\"` as a quote.
    fn between_quotes(&mut self, text: &[u8], begin: usize, delimiter: u8) -> Quoted {
        let open = begin + blanks(&text[begin..], delimiter);
        if text.get(open) != Some(&b'"') {
            return None;
        }
        let quoted = closed(text, open, delimiter, |_| false);
        let has_none = |(_, end): &(_, usize)| memmem::find(&text[open..*end], b"\\\"").is_none();
        if !quoted.as_ref().is_some_and(has_none) {
            let escaped = closed(text, open, delimiter, |at| at > open + 1 && text[at - 1] == b'\\');
            if escaped.is_some() && escaped != quoted {
                self.unclear.push(self.len);
            }
        }
        quoted
    }

    /// The same of a cell between tabs.
    fn within_quotes(&mut self, text: &[u8], cell: Range<usize>) -> Quoted {
        let from_first = text[cell.clone()].trim_ascii_start();
        let inner = from_first.trim_ascii_end().strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        if memmem::find(inner, b"\\\"").is_some() {
            self.unclear.push(self.len);
        }
        let begin = cell.end - from_first.len() + 1;
        Some((begin..begin + inner.len(), cell.end))
    }
}

/// The blanks at the beginning of a text that separate nothing.
fn blanks(text: &[u8], delimiter: u8) -> usize {
    text.iter().take_while(|b| matches!(b, b' ' | b'\t') && **b != delimiter).count()
}

/// Text between the quote at `open` and the one that closes the cell. Two quotes do not close it, nor does one that
/// `is_escaped`.
fn closed(text: &[u8], open: usize, delimiter: u8, is_escaped: impl Fn(usize) -> bool) -> Quoted {
    let is_end = |at: usize| match (text.get(at), delimiter) {
        (None, _) => true,
        (Some(b), BLANKS) => b.is_ascii_whitespace(),
        (Some(b), delimiter) => *b == delimiter,
    };
    let mut at = open + 1;
    loop {
        at += memchr(b'"', text.get(at..)?)?;
        if is_escaped(at) {
            at += 1;
        } else if text.get(at + 1) == Some(&b'"') {
            at += 2;
        } else {
            let end = at + 1 + if delimiter == BLANKS { 0 } else { blanks(&text[at + 1..], delimiter) };
            return is_end(end).then_some((open + 1..at, end));
        }
    }
}

/// A cell in quotes, with one quote where two stand for it.
fn undoubled(cell: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(cell.len());
    let mut bytes = cell.iter().peekable();
    while let Some(&byte) = bytes.next() {
        text.push(byte);
        if byte == b'"' {
            bytes.next_if_eq(&&b'"');
        }
    }
    text
}

/// The first that the line has, outside quotes, of a tab, a semicolon and a comma; else blanks, if there are any
/// between words. A quote that is not closed quotes nothing, and a tab separates cells inside quotes too, where nothing
/// else does outside.
fn detect_delimiter(line: &[u8], decimal_comma: bool) -> u8 {
    let is_closed = line.iter().filter(|&&b| b == b'"').count().is_multiple_of(2);
    let mut quoted = false;
    let unquoted: Vec<u8> = line
        .iter()
        .copied()
        .filter(|&b| {
            quoted ^= b == b'"' && is_closed;
            !quoted
        })
        .collect();
    let candidates: &[u8] = if decimal_comma { b"\t;" } else { b"\t;," };
    let found = candidates.iter().find(|delimiter| unquoted.contains(delimiter));
    match found {
        Some(&delimiter) => delimiter,
        None if line.contains(&b'\t') => b'\t',
        None if unquoted.trim_ascii().contains(&BLANKS) => BLANKS,
        None if decimal_comma => b';',
        None => b',',
    }
}
