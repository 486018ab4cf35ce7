//! The lines of a text.

use memchr::{memchr, memchr2, memchr2_iter};
use std::borrow::Cow;
use std::ops::Range;

/// Lines, numbered from 1 as an editor does, without their ends. What follows the last end of a line is a line if there
/// is something.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    /// Where the line begins that came last, and where the next one begins.
    begin: usize,
    at: usize,
    number: usize,
    /// Whether lines that are comments are left out.
    has_comments: bool,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(bytes: &'a [u8], has_comments: bool) -> Self {
        Self::from(bytes, has_comments, 1)
    }

    /// Lines of which the first has the number `line`.
    pub(crate) fn from(bytes: &'a [u8], has_comments: bool, line: usize) -> Self {
        Self { bytes, begin: 0, at: 0, number: line - 1, has_comments }
    }

    /// Where the line begins that came last.
    pub(crate) fn begin(&self) -> usize {
        self.begin
    }

    /// Where the next line begins.
    pub(crate) fn position(&self) -> usize {
        self.at.min(self.bytes.len())
    }

    /// Where comments stand, without the ends of their lines.
    pub(crate) fn comments(bytes: &'a [u8]) -> impl Iterator<Item = Range<usize>> + use<'a> {
        let mut lines = Self::new(bytes, false);
        std::iter::from_fn(move || lines.next_range()).filter(|range| is_comment(&bytes[range.clone()]))
    }

    fn next_range(&mut self) -> Option<Range<usize>> {
        let begin = self.at;
        let rest = self.bytes.get(begin..).filter(|rest| !rest.is_empty())?;
        let len = memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        let end = if rest[len..].starts_with(b"\r\n") { 2 } else { 1 };
        (self.begin, self.at) = (begin, begin + len + end);
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
pub(crate) fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start(), [b'#'] | [b'#', b' ' | b'\t' | b'#', ..])
}

/// A text whose comments are blank lines, of the same length.
pub(crate) fn without_comments(bytes: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'#', bytes).is_none() {
        return Cow::Borrowed(bytes);
    }
    let comments: Vec<_> = Lines::comments(bytes).collect();
    if comments.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut text = bytes.to_vec();
    comments.into_iter().for_each(|range| text[range].fill(b'\n'));
    Cow::Owned(text)
}

/// How many lines end in a text.
pub(crate) fn count_ends(bytes: &[u8]) -> usize {
    let is_end = |&i: &usize| bytes[i] == b'\n' || bytes.get(i + 1) != Some(&b'\n');
    memchr2_iter(b'\r', b'\n', bytes).filter(is_end).count()
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
    pub(crate) fn new(bytes: &'a [u8], read: Cow<'a, [u8]>, line: usize) -> Self {
        Self { bytes, read, at: 0, line }
    }

    /// The line of the record that begins there, or after blank lines. Records must come in order.
    pub(crate) fn line_of(&mut self, begin: usize) -> usize {
        let begin = begin.min(self.bytes.len());
        let blank = self.read[begin..].iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let end = (begin + blank).max(self.at);
        self.line += count_ends(&self.bytes[self.at..end]);
        self.at = end;
        self.line
    }
}
