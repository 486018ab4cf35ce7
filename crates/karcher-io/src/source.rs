//! The bytes of a file: read at any place, any number of times, or unpacked as a stream.

use crate::error::{Error, Result};
use crate::format::{Packing, STANDARD_INPUT};
use crate::memory::most_bytes;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// The most bytes of a line: no matrix needs as many, but a file without lines does. If records may be anything, none
/// is refused for its length.
pub(crate) const LONGEST_RECORD: usize = if cfg!(test) { 1 << 20 } else { 1 << 26 };

/// Storage of a file's bytes between two passes.
pub(crate) enum Source {
    /// In an ordinary file, which is opened again for each pass and must be the same then.
    Path { path: String, state: State },
    /// In memory, or in a file without a name: for an input that can be read once only, such as a pipe.
    Held(Held),
}

/// The identity of a file, by which a change between passes is detected.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    len: u64,
    modified: Option<SystemTime>,
    inode: Option<(u64, u64)>,
}

#[derive(Debug, Clone)]
pub(crate) enum Held {
    Memory(Arc<Vec<u8>>),
    File(Arc<File>),
}

/// The bytes of a file that is open.
#[derive(Debug, Clone)]
pub(crate) struct Bytes {
    held: Held,
    len: u64,
    /// Bytes read of all files in a pass, for a progress bar.
    read: Arc<AtomicU64>,
}

impl Source {
    /// Opens the file `path`. A file that is not ordinary is read to its end and kept according to `spool`.
    pub(crate) fn new(path: &str, spool: Spool<'_>) -> Result<Self> {
        let unreadable = |e: io::Error| Error::Unreadable { file: path.to_owned(), reason: e.to_string() };
        if path == STANDARD_INPUT {
            return spool.keep(path, io::stdin().lock()).map(Source::Held);
        }
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        match metadata.is_file() {
            true => Ok(Source::Path { path: path.to_owned(), state: State::of(&metadata) }),
            false => spool.keep(path, file).map(Source::Held),
        }
    }

    pub(crate) fn in_memory(bytes: Vec<u8>) -> Self {
        Source::Held(Held::Memory(Arc::new(bytes)))
    }

    /// Opens the file, which must not have changed. The bytes read are added to `read`.
    pub(crate) fn open(&self, read: &Arc<AtomicU64>) -> Result<Bytes> {
        let held = match self {
            Source::Held(held) => held.clone(),
            Source::Path { path, state } => {
                let unreadable = |e: io::Error| Error::Unreadable { file: path.clone(), reason: e.to_string() };
                let file = File::open(path).map_err(unreadable)?;
                if State::of(&file.metadata().map_err(unreadable)?) != *state {
                    return Err(Error::Changed { file: path.clone() });
                }
                Held::File(Arc::new(file))
            }
        };
        let len = held.len().map_err(|e| Error::Unreadable { file: "a file".to_owned(), reason: e.to_string() })?;
        Ok(Bytes { held, len, read: read.clone() })
    }

    /// Refuses a file that has changed since it was opened first.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        let Source::Path { path, state } = self else { return Ok(()) };
        match Path::new(path).metadata() {
            Ok(metadata) if State::of(&metadata) == *state => Ok(()),
            _ => Err(Error::Changed { file: path.clone() }),
        }
    }

    /// The bytes of the file.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Source::Path { state, .. } => state.len,
            Source::Held(held) => held.len().unwrap_or(0),
        }
    }
}

impl State {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let inode = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let inode = None;
        Self { len: metadata.len(), modified: metadata.modified().ok(), inode }
    }
}

/// Storage of bytes that can be read once only.
#[derive(Clone, Copy)]
pub(crate) struct Spool<'a> {
    /// The most bytes that are kept in memory.
    pub(crate) memory: Option<u64>,
    /// The folder for a file without a name that keeps them instead.
    pub(crate) folder: Option<&'a Path>,
}

impl Spool<'_> {
    fn keep(self, name: &str, mut reader: impl Read) -> Result<Held> {
        let unreadable = |e: io::Error| Error::Unreadable { file: name.to_owned(), reason: e.to_string() };
        let mut bytes = vec![];
        reader
            .by_ref()
            .take(self.memory.map_or(u64::MAX, |most| most.saturating_add(1)))
            .read_to_end(&mut bytes)
            .map_err(|e| match e.kind() {
                io::ErrorKind::OutOfMemory => Error::OutOfMemory { file: name.to_owned() },
                _ => unreadable(e),
            })?;
        match self.memory {
            Some(limit) if bytes.len() as u64 > limit => {
                let Some(folder) = self.folder else {
                    return Err(Error::MoreThanMemory { file: name.to_owned(), limit });
                };
                let mut file = spool_file(folder)?;
                io::Write::write_all(&mut file, &bytes).map_err(|e| unwritable(folder, &e))?;
                drop(bytes);
                io::copy(&mut reader, &mut file).map_err(unreadable)?;
                Ok(Held::File(Arc::new(file)))
            }
            _ => Ok(Held::Memory(Arc::new(bytes))),
        }
    }
}

/// Creates an empty file without a name in a folder. No other program can open it, and it vanishes when the program
/// ends.
///
/// # Errors
/// [`Error::Unwritable`].
pub fn spool_file(folder: &Path) -> Result<File> {
    tempfile::tempfile_in(folder).map_err(|e| unwritable(folder, &e))
}

fn unwritable(folder: &Path, e: &io::Error) -> Error {
    Error::Unwritable { file: folder.display().to_string(), reason: e.to_string() }
}

impl Held {
    fn len(&self) -> io::Result<u64> {
        match self {
            Held::Memory(bytes) => Ok(bytes.len() as u64),
            Held::File(file) => Ok(file.metadata()?.len()),
        }
    }
}

impl Bytes {
    pub(crate) fn in_memory(bytes: Vec<u8>) -> Self {
        let len = bytes.len() as u64;
        Self { held: Held::Memory(Arc::new(bytes)), len, read: Arc::default() }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Fills `buffer` with what begins at `begin`.
    pub(crate) fn read_at(&self, begin: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut done = 0;
        while done < buffer.len() {
            match self.read_some(begin.saturating_add(done as u64), &mut buffer[done..])? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => done += n,
            }
        }
        Ok(())
    }

    /// The `len` bytes that begin at `begin`.
    pub(crate) fn range(&self, begin: u64, len: usize) -> io::Result<Vec<u8>> {
        if begin.checked_add(len as u64).is_none_or(|end| end > self.len) {
            return Err(io::ErrorKind::UnexpectedEof.into()); // before anything is reserved
        }
        let mut bytes = vec![0; len];
        self.read_at(begin, &mut bytes)?;
        Ok(bytes)
    }

    fn read_some(&self, begin: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let n = match &self.held {
            Held::Memory(bytes) => {
                let rest = usize::try_from(begin).ok().and_then(|begin| bytes.get(begin..)).unwrap_or_default();
                let n = rest.len().min(buffer.len());
                buffer[..n].copy_from_slice(&rest[..n]);
                n
            }
            Held::File(file) => loop {
                match read_file_at(file, buffer, begin) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    read => break read?,
                }
            },
        };
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }

    /// A reader that begins at `begin`.
    pub(crate) fn at(&self, begin: u64) -> At {
        At { bytes: self.clone(), at: begin }
    }

    /// The bytes, in memory if they are packed: for formats that are not read from the beginning to the end.
    pub(crate) fn unpacked(&self, file: &str, packing: Option<Packing>) -> Result<Bytes> {
        if packing.is_none() {
            return Ok(self.clone());
        }
        let mut bytes = vec![];
        self.stream(file, packing)?.read_to_end(&mut bytes).map_err(|e| match e.kind() {
            io::ErrorKind::OutOfMemory => Error::OutOfMemory { file: file.to_owned() },
            _ => why(file, e),
        })?;
        Ok(Bytes::in_memory(bytes))
    }

    /// The bytes as a stream, unpacked if they are packed.
    pub(crate) fn stream(&self, file: &str, packing: Option<Packing>) -> Result<Box<dyn Read + Send>> {
        let packed = || BufReader::with_capacity(1 << 16, self.at(0));
        let reader: Box<dyn Read + Send> = match packing {
            None => return Ok(Box::new(self.at(0))),
            Some(Packing::Gzip) => Box::new(flate2::read::MultiGzDecoder::new(packed())),
            #[cfg(feature = "parquet")]
            Some(Packing::Zstd) => {
                let decoder = zstd::Decoder::with_buffer(packed());
                Box::new(decoder.map_err(|e| Error::Unreadable { file: file.to_owned(), reason: e.to_string() })?)
            }
            #[cfg(not(feature = "parquet"))]
            Some(Packing::Zstd) => return Err(Error::NotBuilt { file: file.to_owned(), format: "Zstandard" }),
        };
        Ok(Box::new(Unpacked::new(file, self.len, reader)))
    }
}

#[cfg(unix)]
fn read_file_at(file: &File, buffer: &mut [u8], begin: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, begin)
}

#[cfg(windows)]
fn read_file_at(file: &File, buffer: &mut [u8], begin: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, begin)
}

/// A reader of bytes from some place on.
pub(crate) struct At {
    bytes: Bytes,
    at: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.bytes.read_some(self.at, buffer)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for At {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.bytes.len.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// A stream that is unpacked, no more of it than [`most_bytes`].
pub(crate) struct Unpacked<R> {
    file: String,
    packed: u64,
    left: u64,
    reader: R,
}

impl<R> Unpacked<R> {
    pub(crate) fn new(file: &str, packed: u64, reader: R) -> Self {
        Self { file: file.to_owned(), packed, left: most_bytes(packed), reader }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let corrupt =
            |e: io::Error| Error::Corrupt { file: self.file.clone(), format: "compressed", reason: e.to_string() };
        let n = match self.reader.read(buffer) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => return Err(e),
            read => read.map_err(|e| io::Error::other(corrupt(e)))?,
        };
        let too_much =
            || Error::UnpacksTooMuch { file: self.file.clone(), packed: self.packed, limit: most_bytes(self.packed) };
        self.left = self.left.checked_sub(n as u64).ok_or_else(|| io::Error::other(too_much()))?;
        Ok(n)
    }
}

/// The error of a reader: one of this crate that came through it, or that of the operating system.
pub(crate) fn why(file: &str, e: io::Error) -> Error {
    match e.downcast::<Error>() {
        Ok(error) => error,
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Error::Changed { file: file.to_owned() },
        Err(e) => Error::Unreadable { file: file.to_owned(), reason: e.to_string() },
    }
}

/// Reads as much of a text as `of` needs to identify it, at first `size` bytes. `of` gets the bytes so far, and whether
/// they are all.
pub(crate) fn sniff<T>(
    file: &str,
    reader: &mut dyn Read,
    mut size: usize,
    of: impl Fn(&[u8], bool) -> Result<Option<T>>,
) -> Result<T> {
    let mut head = vec![];
    loop {
        let begin = head.len();
        head.resize(size, 0);
        let found = fill(file, reader, &mut head[begin..])?;
        head.truncate(begin + found);
        if let Some(found) = of(&head, head.len() < size)? {
            return Ok(found);
        }
        if size > LONGEST_RECORD {
            return Err(Error::EndlessRecord { file: file.to_owned(), line: 1, limit: LONGEST_RECORD });
        }
        size *= 2;
    }
}

/// Fills `buffer` until the data end, and returns the number of bytes.
pub(crate) fn fill(file: &str, reader: &mut dyn Read, buffer: &mut [u8]) -> Result<usize> {
    let mut done = 0;
    while done < buffer.len() {
        match reader.read(&mut buffer[done..]) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(why(file, e)),
        }
    }
    Ok(done)
}
