//! The lines of a text.

use memchr::{memchr2, memchr2_iter};

/// Lines, numbered from 1 as an editor does, without their ends. Text after the last line end is a line too.
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    /// Starts of the last line and of the next one.
    begin: usize,
    at: usize,
    number: usize,
    /// First character of comments; such lines are left out.
    comments: Option<u8>,
}

impl<'a> Lines<'a> {
    /// Lines, the first of them with the number `line`.
    pub(crate) fn new(bytes: &'a [u8], comments: Option<u8>, line: usize) -> Self {
        Self { bytes, begin: 0, at: 0, number: line - 1, comments }
    }

    /// Start of the last line.
    pub(crate) fn begin(&self) -> usize {
        self.begin
    }

    /// Start of the next line.
    pub(crate) fn position(&self) -> usize {
        self.at.min(self.bytes.len())
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let begin = self.at;
            let rest = self.bytes.get(begin..).filter(|rest| !rest.is_empty())?;
            let len = memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
            let end = if rest[len..].starts_with(b"\r\n") { 2 } else { 1 };
            (self.begin, self.at) = (begin, begin + len + end);
            self.number += 1;
            if !is_comment(&rest[..len], self.comments) {
                return Some((self.number, &rest[..len]));
            }
        }
    }
}

/// Whether a line begins, after blanks, with the chosen mark of comments.
pub(crate) fn is_comment(line: &[u8], comments: Option<u8>) -> bool {
    comments.is_some_and(|mark| line.trim_ascii_start().first() == Some(&mark))
}

/// Start of the line after `n` lines; `None` if there are fewer, or if the last of them may go on.
pub(crate) fn after(bytes: &[u8], n: usize, is_all: bool) -> Option<usize> {
    let mut lines = Lines::new(bytes, None, 1);
    for _ in 0..n {
        lines.next()?;
    }
    let at = lines.position();
    (n == 0 || is_all || at < bytes.len()).then_some(at)
}

/// Number of line ends in a text.
pub(crate) fn count_ends(bytes: &[u8]) -> usize {
    let is_end = |&i: &usize| bytes[i] == b'\n' || bytes.get(i + 1) != Some(&b'\n');
    memchr2_iter(b'\r', b'\n', bytes).filter(is_end).count()
}
