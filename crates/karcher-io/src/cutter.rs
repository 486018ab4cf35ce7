//! Cuts a text into blocks of whole records.

use crate::error::{Error, Result};
use crate::lines::{count_ends, is_comment};
use crate::rows::{Cells, Style};
use crate::source::fill;
use csv_core::ReadRecordResult;
use memchr::{memchr, memchr2_iter};
use std::io::Read;

/// The most bytes of a record where there may be quotes: no matrix takes as many, but a quote that is not closed does.
/// Where records may be anything there are none, and no record is refused for its length.
pub(crate) const LONGEST_RECORD: usize = if cfg!(test) { 1 << 20 } else { 1 << 26 };

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
pub(crate) struct Cutter {
    file: String,
    stream: Box<dyn Read + Send>,
    style: Style,
    /// Bytes that are read at a time.
    size: usize,
    /// The most records of a piece.
    most: usize,
    /// What was read and is in no piece yet.
    text: Vec<u8>,
    is_all: bool,
    line: usize,
    before: usize,
}

/// Where a piece ends, and the records in it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Cut {
    len: usize,
    records: usize,
}

impl Cutter {
    /// Cuts what is left of `stream`, which begins on `line`, into pieces of about `size` bytes and at most `most`
    /// records.
    pub(crate) fn new(
        file: &str,
        stream: Box<dyn Read + Send>,
        style: Style,
        line: usize,
        (size, most): (usize, usize),
    ) -> Self {
        Self { file: file.to_owned(), stream, style, size, most, text: vec![], is_all: false, line, before: 0 }
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
                if size > LONGEST_RECORD && self.style.has_quotes {
                    let (file, line) = (self.file.clone(), self.line);
                    return Err(Error::EndlessRecord { file, line, limit: LONGEST_RECORD });
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

    fn cut(&self) -> Cut {
        let cut = match self.style.cells {
            Cells::Separated(delimiter) if !self.style.is_plain(&self.text) => self.cut_quoted(delimiter),
            _ => self.cut_lines(),
        };
        // what is left after the last record
        let is_end = self.is_all && cut.records < self.most;
        Cut { len: if is_end { self.text.len() } else { cut.len }, ..cut }
    }

    /// After the last line that is whole.
    fn cut_lines(&self) -> Cut {
        let text = &self.text[..];
        let has_comments = self.style.has_comments && memchr(b'#', text).is_some();
        let is_record = |line: &[u8]| self.style.is_record(line) && !(has_comments && is_comment(line));
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
            cut.records += usize::from(is_record(&text[cut.len..end]));
            cut.len = after;
            if cut.records == self.most {
                return cut;
            }
        }
        if self.is_all && cut.len < text.len() {
            cut.records += usize::from(is_record(&text[cut.len..]));
            cut.len = text.len();
        }
        cut
    }

    /// After the last record that is whole, as the reader of records will see it.
    fn cut_quoted(&self, delimiter: u8) -> Cut {
        let text = &*self.style.uncommented(&self.text);
        let mut reader = csv_core::ReaderBuilder::new().delimiter(delimiter).quoting(self.style.has_quotes).build();
        let (mut cells, mut ends) = ([0; 4096], [0; 512]); // what is in them is not looked at
        let (mut at, mut cut) = (0, Cut::default());
        loop {
            let (result, read, ..) = reader.read_record(&text[at..], &mut cells, &mut ends);
            at += read;
            match result {
                ReadRecordResult::InputEmpty if !self.is_all => return cut,
                ReadRecordResult::End => return cut,
                ReadRecordResult::Record => {
                    let mut len = at;
                    if text[..at].ends_with(b"\r") {
                        // of the text as it is: a comment after a bare return is blank here, and no second byte
                        match self.text.get(at) {
                            Some(b'\n') => len += 1,
                            None if !self.is_all => return cut, // there may be a second byte
                            _ => {}
                        }
                    }
                    cut = Cut { len, records: cut.records + 1 };
                    if cut.records == self.most {
                        return cut;
                    }
                }
                ReadRecordResult::InputEmpty | ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {}
            }
        }
    }
}
