//! Many images of one size in one array: NPY, an array of an NPZ archive, or IDX (LeCun, Cortes and Burges' MNIST
//! format), read a few images at a time.

use super::image::{Image, Intensities, MOST_PIXELS};
use crate::error::{Error, Result};
use crate::memory::{check_room, check_unpacked, unpack};
use crate::npy::{self, Dtype, Header, Shape};
use crate::npz;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read};

/// Bytes of pixels in one batch, more or less.
const BATCH: usize = 4 << 20;

/// The largest header of an NPY file that is read.
const LONGEST_HEADER: u64 = 1 << 16;

/// What the header of a stack says.
#[derive(Debug, Clone)]
pub(super) struct Stack {
    source: String,
    /// Number of images.
    pub(super) images: u64,
    height: usize,
    width: usize,
    /// 1 or 3.
    pub(super) channels: usize,
    dtype: Dtype,
    column_major: Option<ColumnMajor>,
}

/// An array stored with the first index running fastest (Fortran order).
#[derive(Debug, Clone)]
struct ColumnMajor {
    axes: Vec<u64>,
    /// Bytes of the file.
    packed: usize,
}

/// Opens a file and gives its header, and its reader at the first pixel, to `then`.
pub(super) fn open<T>(
    file: &str,
    key: Option<&str>,
    format: Format,
    then: impl FnOnce(Stack, &mut dyn Read) -> Result<T>,
) -> Result<T> {
    let reader = File::open(file).map_err(|e| unreadable(file, &e))?;
    let packed = reader.metadata().map_or(0, |metadata| metadata.len()) as usize;
    match format {
        Format::Npy => with_npy(file, packed, &mut BufReader::new(reader), then),
        Format::Npz => {
            let corrupt = |reason: String| Error::Corrupt { file: file.to_owned(), format: "NPZ", reason };
            let mut archive = zip::ZipArchive::new(BufReader::new(reader)).map_err(|e| corrupt(e.to_string()))?;
            let key = npz::choose(file, key, &archive)?;
            let mut entry = archive.by_name(&format!("{key}.npy")).map_err(|e| corrupt(e.to_string()))?;
            with_npy(&format!("{file}:{key}"), packed, &mut entry, then)
        }
        Format::Idx => with_idx(file, &mut BufReader::new(reader), then),
        Format::IdxGzip => with_idx(file, &mut BufReader::new(MultiGzDecoder::new(reader)), then),
    }
}

/// How a stack is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Npy,
    Npz,
    Idx,
    IdxGzip,
}

fn with_npy<T>(
    source: &str,
    packed: usize,
    reader: &mut dyn Read,
    then: impl FnOnce(Stack, &mut dyn Read) -> Result<T>,
) -> Result<T> {
    let corrupt = || Error::Corrupt {
        file: source.to_owned(),
        format: "NPY",
        reason: "its header does not describe an array".to_owned(),
    };
    let text = npy_header(source, reader)?.ok_or_else(corrupt)?;
    let header = Header::parse(&text).ok_or_else(corrupt)?;
    let not_intensities = || Error::NotIntensities {
        file: source.to_owned(),
        kind: format!("numbers of type {}", npy::shorten(header.descr)),
    };
    let dtype = Dtype::parse(header.descr).ok_or_else(not_intensities)?;
    let not_an_image = || Error::NotAnImage { file: source.to_owned(), shape: npy::shorten(header.shape) };
    let shape = Shape::parse(header.shape).map_err(|_| not_an_image())?;
    let stack = Stack::new(source, dtype, &shape.axes)?.ok_or_else(not_an_image)?;
    let column_major = header.fortran_order.then_some(ColumnMajor { axes: shape.axes, packed });
    then(Stack { column_major, ..stack }, reader)
}

/// The text of an NPY header; `None` when it is none.
fn npy_header(source: &str, reader: &mut dyn Read) -> Result<Option<String>> {
    let mut start = [0; 8];
    if !fill(source, reader, &mut start)? || !start.starts_with(b"\x93NUMPY") {
        return Ok(None);
    }
    let mut len = [0; 4];
    let bytes = if start[6] == 1 { 2 } else { 4 };
    if !fill(source, reader, &mut len[..bytes])? {
        return Ok(None);
    }
    let len = u64::from(u32::from_le_bytes(len));
    if len > LONGEST_HEADER {
        return Ok(None);
    }
    let mut text = vec![0; len as usize];
    Ok(if fill(source, reader, &mut text)? { String::from_utf8(text).ok() } else { None })
}

fn with_idx<T>(source: &str, reader: &mut dyn Read, then: impl FnOnce(Stack, &mut dyn Read) -> Result<T>) -> Result<T> {
    let corrupt = |reason: &str| Error::Corrupt { file: source.to_owned(), format: "IDX", reason: reason.to_owned() };
    let incomplete = || corrupt("its header is incomplete");
    let mut magic = [0; 4];
    if !fill(source, reader, &mut magic)? {
        return Err(incomplete());
    }
    let [0, 0, kind, dimensions] = magic else { return Err(corrupt("it does not begin with two zero bytes")) };
    let dtype = match kind {
        0x08 => Dtype { kind: b'u', size: 1, big_endian: true },
        0x0d => Dtype { kind: b'f', size: 4, big_endian: true },
        0x0e => Dtype { kind: b'f', size: 8, big_endian: true },
        _ => {
            let kind = format!("numbers of IDX type {kind:#04x}");
            return Err(Error::NotIntensities { file: source.to_owned(), kind });
        }
    };
    let mut axes = vec![];
    for _ in 0..dimensions {
        let mut axis = [0; 4];
        if !fill(source, reader, &mut axis)? {
            return Err(incomplete());
        }
        axes.push(u64::from(u32::from_be_bytes(axis)));
    }
    let shape = format!("{axes:?}");
    let stack = Stack::new(source, dtype, &axes)?.ok_or(Error::NotAnImage { file: source.to_owned(), shape })?;
    then(stack, reader)
}

impl Stack {
    /// A stack of images; `None` when the axes are not those of one.
    fn new(source: &str, dtype: Dtype, axes: &[u64]) -> Result<Option<Self>> {
        let (images, height, width, channels) = match *axes {
            [rows, columns, last @ (1 | 3)] => {
                let shape = format!("({rows}, {columns}, {last})");
                return Err(Error::OneImageOrMany { file: source.to_owned(), shape });
            }
            [images, height, width] => (images, height, width, 1),
            [images, height, width, channels @ (1 | 3)] => (images, height, width, channels),
            _ => return Ok(None),
        };
        let file = source.to_owned();
        if !matches!((dtype.kind, dtype.size), (b'u', 1 | 2) | (b'f' | b'b', _)) {
            let kind =
                format!("{}-bit {}", 8 * dtype.size, if dtype.kind == b'u' { "unsigned integers" } else { "integers" });
            return Err(Error::NotIntensities { file, kind });
        }
        if images == 0 {
            return Err(Error::NoRecords { file });
        }
        let pixels = height.saturating_mul(width);
        if pixels == 0 {
            return Ok(None);
        }
        if pixels > MOST_PIXELS {
            return Err(Error::ImageTooLarge { file, limit: MOST_PIXELS });
        }
        let [height, width, channels] = [height, width, channels].map(|n| n as usize);
        Ok(Some(Self { source: file, images, height, width, channels, dtype, column_major: None }))
    }

    /// Reads all images, a few at a time, and gives each group to `visit`.
    pub(super) fn read(&self, reader: &mut dyn Read, visit: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        match &self.column_major {
            None => self.read_in_order(reader, visit),
            Some(stored) => {
                let bytes = self.to_row_major(stored, reader)?;
                self.read_in_order(&mut bytes.chain(reader), visit)
            }
        }
    }

    /// The bytes of an array whose pixels of one image are far apart, so that all images are read at once.
    fn to_row_major(&self, stored: &ColumnMajor, reader: &mut dyn Read) -> Result<Cursor<Vec<u8>>> {
        let size = self.images.saturating_mul(self.image_bytes() as u64);
        check_unpacked(&self.source, stored.packed as u64, size)?;
        let bytes = unpack(&self.source, stored.packed as u64, Some(size), reader)?;
        if (bytes.len() as u64) < size {
            return Err(Error::Truncated { file: self.source.clone(), expected: size, found: bytes.len() as u64 });
        }
        check_room(&self.source, bytes.len() / 4)?; // twice the array
        Ok(Cursor::new(match self.dtype.size {
            1 => npy::to_c_order(&bytes, &stored.axes),
            2 => npy::to_c_order(bytes.as_chunks::<2>().0, &stored.axes).concat(),
            4 => npy::to_c_order(bytes.as_chunks::<4>().0, &stored.axes).concat(),
            _ => npy::to_c_order(bytes.as_chunks::<8>().0, &stored.axes).concat(),
        }))
    }

    fn read_in_order(&self, reader: &mut dyn Read, mut visit: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        let size = self.image_bytes();
        let group = (BATCH / size).max(1) as u64;
        let mut bytes = vec![];
        let mut first = 0;
        while first < self.images {
            let wanted = group.min(self.images - first) * size as u64;
            bytes.clear();
            reader.take(wanted).read_to_end(&mut bytes).map_err(|e| unreadable(&self.source, &e))?;
            if (bytes.len() as u64) < wanted {
                let expected = self.images.saturating_mul(size as u64);
                let found = first * size as u64 + bytes.len() as u64;
                return Err(Error::Truncated { file: self.source.clone(), expected, found });
            }
            visit(first, &bytes)?;
            first += group;
        }
        // archives check their sums at the end
        bytes.clear();
        reader.take(1).read_to_end(&mut bytes).map_err(|e| unreadable(&self.source, &e))?;
        if bytes.is_empty() {
            return Ok(());
        }
        Err(Error::TrailingData { file: self.source.clone(), expected: self.images.saturating_mul(size as u64) })
    }

    /// Bytes of one image.
    pub(super) fn image_bytes(&self) -> usize {
        self.height * self.width * self.channels * self.dtype.size
    }

    /// The image stored in `bytes`, the stack's `number`-th from 1.
    pub(super) fn image(&self, number: u64, bytes: &[u8]) -> Result<Image> {
        let floats = |epsilon| Intensities::Floats { values: self.dtype.decode(bytes), epsilon };
        let (intensities, white) = match (self.dtype.kind, self.dtype.size) {
            (b'u', 1) => (Intensities::Bytes(bytes.to_vec()), 255.0),
            (b'u', _) => (Intensities::Words(self.dtype.numbers(bytes, u16::from_le_bytes)), 65535.0),
            (b'b', _) => (Intensities::Bytes(bytes.iter().map(|&x| (x != 0).into()).collect()), 1.0),
            (_, 2) => (floats(2f64.powi(-10)), 1.0),
            (_, 4) => (floats(f32::EPSILON.into()), 1.0),
            _ => (floats(f64::EPSILON), 1.0),
        };
        let (height, width, channels) = (self.height, self.width, self.channels);
        let image = Image { height, width, channels, intensities, white };
        image.check(&self.source, number)?;
        Ok(image)
    }
}

/// Fills `buffer`; false when the data end before.
fn fill(source: &str, reader: &mut dyn Read, buffer: &mut [u8]) -> Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(unreadable(source, &e)),
    }
}

fn unreadable(source: &str, error: &std::io::Error) -> Error {
    Error::Unreadable { file: source.to_owned(), reason: error.to_string() }
}
