//! Cuts a text into blocks of whole records.

use crate::error::{Error, Result};
use crate::formats::text::lines::count_ends;
use crate::source::fill;
use memchr::memchr2_iter;
use std::io::Read;

/// Whole records of a text.
pub(crate) struct Piece {
    pub(crate) text: Vec<u8>,
    /// The line on which it begins, from 1.
    pub(crate) line: usize,
    /// Records that stand before it.
    pub(crate) before: usize,
    pub(crate) records: usize,
}

/// Takes a text from a stream, piece by piece.
pub(crate) struct Cutter<R> {
    file: String,
    stream: Box<dyn Read + Send>,
    /// Whether a line is a record.
    is_record: R,
    /// The most bytes of a line, if there is a limit.
    longest: Option<usize>,
    /// Bytes that are read at a time.
    size: usize,
    /// The most records of a piece.
    most: usize,
    /// Bytes read that are in no piece yet.
    text: Vec<u8>,
    is_all: bool,
    line: usize,
    before: usize,
}

/// End of a piece, and the records in it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Cut {
    len: usize,
    records: usize,
}

impl<R: Fn(&[u8]) -> bool> Cutter<R> {
    /// Cuts what is left of `stream`, which begins on `line`, into pieces of about `size` bytes and at most `most`
    /// records; `longest` limits the bytes of a line.
    pub(crate) fn new(
        file: &str,
        stream: Box<dyn Read + Send>,
        (is_record, longest): (R, Option<usize>),
        line: usize,
        (size, most): (usize, usize),
    ) -> Self {
        Self {
            file: file.to_owned(),
            stream,
            is_record,
            longest,
            size,
            most,
            text: vec![],
            is_all: false,
            line,
            before: 0,
        }
    }

    /// The next piece; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Piece>> {
        let mut size = self.size;
        loop {
            let begin = self.text.len();
            if !self.is_all && begin < size {
                self.text.resize(size, 0);
                let found = fill(&self.file, &mut self.stream, &mut self.text[begin..])?;
                self.text.truncate(begin + found);
                self.is_all = found < size - begin;
            }
            if self.text.is_empty() {
                return Ok(None);
            }
            let cut = self.cut();
            if cut.len == 0 {
                // a record that is not all there yet
                if let Some(limit) = self.longest.filter(|limit| size > *limit) {
                    return Err(Error::EndlessRecord { file: self.file.clone(), line: self.line, limit });
                }
                size *= 2;
                continue;
            }
            let rest = self.text.split_off(cut.len);
            let text = std::mem::replace(&mut self.text, rest);
            let (line, before) = (self.line, self.before);
            self.line += count_ends(&text);
            self.before += cut.records;
            if cut.records > 0 {
                return Ok(Some(Piece { text, line, before, records: cut.records }));
            }
            size = self.size;
        }
    }

    /// After the last line that is whole, or the end of the text.
    fn cut(&self) -> Cut {
        let text = &self.text[..];
        let mut cut = Cut::default();
        for end in memchr2_iter(b'\r', b'\n', text) {
            if end < cut.len {
                continue; // the second byte of an end
            }
            let after = match (text[end], text.get(end + 1)) {
                (b'\r', Some(b'\n')) => end + 2,
                (b'\r', None) if !self.is_all => break, // there may be a second byte
                _ => end + 1,
            };
            cut.records += usize::from((self.is_record)(&text[cut.len..end]));
            cut.len = after;
            if cut.records == self.most {
                return cut;
            }
        }
        if self.is_all && cut.len < text.len() {
            cut.records += usize::from((self.is_record)(&text[cut.len..]));
            cut.len = text.len();
        }
        cut
    }
}
