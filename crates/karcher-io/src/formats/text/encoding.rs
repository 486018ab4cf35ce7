//! Conversion of text to UTF-8.

use crate::error::Result;
use crate::source::fill;
use std::io::{self, Cursor, Read};

/// Bytes that are decoded at a time.
const CHUNK: usize = 1 << 16;

/// The text in UTF-8 without byte-order mark; UTF-16 is known by its mark.
pub(crate) fn utf8(file: &str, mut bytes: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>> {
    let mut mark = [0; 3];
    let found = fill(file, &mut bytes, &mut mark)?;
    let rest = |begin: usize, bytes| Cursor::new(mark[begin..found].to_vec()).chain(bytes);
    Ok(match &mark[..found] {
        [0xff, 0xfe, ..] => Box::new(Utf16::new(rest(2, bytes), u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Box::new(Utf16::new(rest(2, bytes), u16::from_be_bytes)),
        [0xef, 0xbb, 0xbf] => bytes,
        _ => Box::new(rest(0, bytes)),
    })
}

/// Text in UTF-16, read as UTF-8; an invalid unit becomes the replacement character.
struct Utf16<R> {
    reader: R,
    unit: fn([u8; 2]) -> u16,
    /// Bytes that are not decoded yet: of half a unit, or of a unit that needs another one.
    raw: Vec<u8>,
    /// Decoded text, and the number of its bytes already handed out.
    text: Vec<u8>,
    at: usize,
}

impl<R> Utf16<R> {
    fn new(reader: R, unit: fn([u8; 2]) -> u16) -> Self {
        Self { reader, unit, raw: vec![], text: vec![], at: 0 }
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            let begin = self.raw.len();
            self.raw.resize(begin + CHUNK, 0);
            let read = self.reader.read(&mut self.raw[begin..]);
            self.raw.truncate(begin + *read.as_ref().unwrap_or(&0));
            let n = read?;
            let mut units: Vec<u16> = self.raw.as_chunks().0.iter().map(|&pair| (self.unit)(pair)).collect();
            if n > 0 && matches!(units.last(), Some(0xd800..0xdc00)) {
                units.pop(); // the first of two
            }
            self.raw.drain(..2 * units.len());
            let characters = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
            self.text = characters.collect::<String>().into_bytes();
            self.at = 0;
            if n == 0 {
                break;
            }
        }
        let n = buffer.len().min(self.text.len() - self.at);
        buffer[..n].copy_from_slice(&self.text[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}
