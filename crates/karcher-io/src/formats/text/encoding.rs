//! Encodings of text: conversion to UTF-8.

use crate::error::{Error, Result};
use crate::source::fill;
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_16BE, UTF_16LE};
use std::fmt;
use std::io::{self, Cursor, Read};
use std::str::FromStr;

/// Bytes that are decoded at a time.
const CHUNK: usize = 1 << 16;

/// A byte that no UTF-8 has: it stands for whatever the encoding does not know.
const INVALID: u8 = 0xff;

/// The encoding of the texts in a file, by its name: `latin1`, `windows-1252`, `shift_jis`, `utf-16le`.
///
/// ```
/// use karcher_io::{Key, ReadOptions, read_bytes};
/// let bytes = b"who,x\nZo\xeb,1\n".to_vec();
/// let person = Some("who".to_owned());
/// let options = ReadOptions { person, encoding: Some("latin1".parse()?), ..Default::default() };
/// assert_eq!(read_bytes("a.csv", bytes, &options)?.persons, [Key::of("Zo\u{eb}").unwrap()]);
/// # Ok::<(), karcher_io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextEncoding(&'static Encoding);

impl FromStr for TextEncoding {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Encoding::for_label_no_replacement(name.as_bytes());
        found.map(Self).ok_or_else(|| Error::UnknownEncoding { name: name.to_owned() })
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

/// The text in UTF-8 without byte-order mark. A mark shows UTF-16, or else the encoding is the given one, or UTF-8.
/// What is invalid in the encoding becomes bytes that are no UTF-8.
pub(crate) fn utf8(
    file: &str,
    mut bytes: Box<dyn Read + Send>,
    encoding: Option<TextEncoding>,
) -> Result<Box<dyn Read + Send>> {
    let mut mark = [0; 3];
    let found = fill(file, &mut bytes, &mut mark)?;
    let (marked, begin) = match &mark[..found] {
        [0xff, 0xfe, ..] => (Some(UTF_16LE), 2),
        [0xfe, 0xff, ..] => (Some(UTF_16BE), 2),
        [0xef, 0xbb, 0xbf] => (None, 3),
        _ => (encoding.map(|of| of.0).filter(|of| *of != encoding_rs::UTF_8), 0),
    };
    let rest = Cursor::new(mark[begin..found].to_vec()).chain(bytes);
    Ok(match marked {
        Some(encoding) => Box::new(Decoded {
            reader: rest,
            decoder: encoding.new_decoder_without_bom_handling(),
            raw: vec![],
            text: vec![],
            at: 0,
            is_done: false,
        }),
        None => Box::new(rest),
    })
}

/// A text that is no part of a stream.
pub(crate) fn decoded(bytes: &[u8], encoding: Option<TextEncoding>) -> Option<String> {
    match encoding {
        None => std::str::from_utf8(bytes).ok().map(str::to_owned),
        Some(TextEncoding(encoding)) => {
            let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
            Some(text.into_owned())
        }
    }
}

/// Text in another encoding, read as UTF-8.
struct Decoded<R> {
    reader: R,
    decoder: Decoder,
    /// Bytes that are not decoded yet.
    raw: Vec<u8>,
    /// Decoded text, and the number of its bytes already handed out.
    text: Vec<u8>,
    at: usize,
    is_done: bool,
}

impl<R: Read> Decoded<R> {
    /// Decodes the bytes that were read, the last ones of the text or not.
    fn decode(&mut self, is_last: bool) {
        let (mut from, mut to) = (0, 0);
        self.text.resize(2 * self.raw.len() + 16, 0);
        loop {
            let (raw, text) = (&self.raw[from..], &mut self.text[to..]);
            let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(raw, text, is_last);
            (from, to) = (from + read, to + written);
            match result {
                DecoderResult::InputEmpty => break,
                DecoderResult::OutputFull => self.text.resize(2 * self.text.len(), 0),
                DecoderResult::Malformed(..) => {
                    self.text.resize(self.text.len().max(to + 1), INVALID);
                    self.text[to] = INVALID;
                    to += 1;
                }
            }
        }
        self.text.truncate(to);
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() && !self.is_done {
            self.raw.resize(CHUNK, 0);
            let n = self.reader.read(&mut self.raw)?;
            self.raw.truncate(n);
            self.is_done = n == 0;
            self.decode(self.is_done);
            self.at = 0;
        }
        let n = buffer.len().min(self.text.len() - self.at);
        buffer[..n].copy_from_slice(&self.text[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}
