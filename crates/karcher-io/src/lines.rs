//! The lines of a text.

use ::csv::ByteRecord;
use std::borrow::Cow;
use std::ops::Range;

/// Lines, numbered from 1 as an editor does, without their ends. What follows the last end of a line is a line if there
/// is something.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
    /// Whether lines that are comments are left out.
    has_comments: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8], has_comments: bool) -> Self {
        Self { bytes, at: 0, number: 0, has_comments }
    }

    /// Where comments stand, without the ends of their lines.
    pub(crate) fn comments(bytes: &'a [u8]) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut lines = Self::new(bytes, false);
        std::iter::from_fn(move || lines.next_range()).filter(|range| is_comment(&bytes[range.clone()]))
    }

    fn next_range(&mut self) -> Option<Range<usize>> {
        let begin = self.at;
        let rest = self.bytes.get(begin..).filter(|rest| !rest.is_empty())?;
        let len = rest.iter().position(|b| matches!(b, b'\r' | b'\n')).unwrap_or(rest.len());
        let end = if rest[len..].starts_with(b"\r\n") { 2 } else { 1 };
        self.at = begin + len + end;
        self.number += 1;
        Some(begin..begin + len)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = &self.bytes[self.next_range()?];
            if !(self.has_comments && is_comment(line)) {
                return Some((self.number, line));
            }
        }
    }
}

/// A `#` that stands alone: before a blank, or the end of the line. A record may begin with a color such as `#ff0000`.
fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start(), [b'#'] | [b'#', b' ' | b'\t' | b'#', ..])
}

/// Counts lines as an editor does, blank ones and those inside quotes too.
pub(crate) struct LineCounter<'a> {
    bytes: &'a [u8],
    /// The same, with blank lines in place of those that are left out.
    read: Cow<'a, [u8]>,
    at: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    pub(crate) fn new(bytes: &'a [u8], read: Cow<'a, [u8]>) -> Self {
        Self { bytes, read, at: 0, line: 1 }
    }

    /// The line on which the record begins. Records must come in order.
    pub(crate) fn line_of(&mut self, record: &ByteRecord) -> usize {
        let begin = record.position().map_or(0, |p| p.byte() as usize).min(self.bytes.len());
        let blank = self.read[begin..].iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let is_end = |i: usize| match self.bytes[i] {
            b'\n' => true,
            b'\r' => self.bytes.get(i + 1) != Some(&b'\n'),
            _ => false,
        };
        self.line += (self.at..begin + blank).filter(|&i| is_end(i)).count();
        self.at = self.at.max(begin + blank);
        self.line
    }
}
