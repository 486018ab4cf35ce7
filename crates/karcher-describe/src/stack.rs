//! Many images of one size in one array: NPY, an array of an NPZ archive, or IDX (LeCun, Cortes and Burges' MNIST
//! format), read a few images at a time.

use crate::error::{Error, Result, unreadable};
use crate::image::{Image, Intensities, MOST_PIXELS};
use flate2::read::MultiGzDecoder;
use karcher_io::{Dtype, StoredArray};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};

/// Bytes of pixels in one batch, more or less.
const BATCH: usize = 4 << 20;

/// The header of a stack.
#[derive(Debug, Clone)]
pub(crate) struct Stack {
    source: String,
    /// Number of images.
    pub(crate) images: u64,
    height: usize,
    width: usize,
    /// 1 or 3.
    pub(crate) channels: usize,
    dtype: Dtype,
}

/// Storage format of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// NPY, or an array of an NPZ archive.
    Array,
    Idx,
    IdxGzip,
}

/// The pixels of a stack, before any is read.
pub(crate) enum Pixels {
    Array(StoredArray),
    Stream(Box<dyn Read>),
}

/// Reads the header of a file.
pub(crate) fn open(path: &str, format: Format) -> Result<(Stack, Pixels)> {
    if format == Format::Array {
        let array = StoredArray::open(path)?;
        let stack = Stack::new(array.name(), array.dtype(), array.axes())?;
        return Ok((stack, Pixels::Array(array)));
    }
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    let mut stream: Box<dyn Read> = match format {
        Format::IdxGzip => Box::new(BufReader::new(MultiGzDecoder::new(file))),
        _ => Box::new(BufReader::new(file)),
    };
    Ok((idx_header(path, &mut stream)?, Pixels::Stream(stream)))
}

fn idx_header(source: &str, reader: &mut dyn Read) -> Result<Stack> {
    let corrupt =
        |reason: &str| karcher_io::Error::Corrupt { file: source.to_owned(), format: "IDX", reason: reason.to_owned() };
    let incomplete = || corrupt("its header is incomplete");
    let mut magic = [0; 4];
    if !fill(source, reader, &mut magic)? {
        return Err(incomplete().into());
    }
    let [0, 0, kind, dimensions] = magic else { return Err(corrupt("it does not begin with two zero bytes").into()) };
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
            return Err(incomplete().into());
        }
        axes.push(u64::from(u32::from_be_bytes(axis)));
    }
    Stack::new(source, dtype, &axes)
}

impl Stack {
    fn new(source: &str, dtype: Dtype, axes: &[u64]) -> Result<Self> {
        let not_an_image = || Error::NotAnImage { file: source.to_owned(), shape: shape_of(axes) };
        let (images, height, width, channels) = match *axes {
            [_, _, 1 | 3] => return Err(Error::OneImageOrMany { file: source.to_owned(), shape: shape_of(axes) }),
            [images, height, width] => (images, height, width, 1),
            [images, height, width, channels @ (1 | 3)] => (images, height, width, channels),
            _ => return Err(not_an_image()),
        };
        let file = source.to_owned();
        if !matches!((dtype.kind, dtype.size), (b'u', 1 | 2) | (b'f' | b'b', _)) {
            let kind =
                format!("{}-bit {}", 8 * dtype.size, if dtype.kind == b'u' { "unsigned integers" } else { "integers" });
            return Err(Error::NotIntensities { file, kind });
        }
        if images == 0 {
            return Err(karcher_io::Error::NoRecords { file }.into());
        }
        let pixels = height.saturating_mul(width);
        if pixels == 0 {
            return Err(not_an_image());
        }
        if pixels > MOST_PIXELS {
            return Err(Error::ImageTooLarge { file, limit: MOST_PIXELS });
        }
        let [height, width, channels] = [height, width, channels].map(|n| n as usize);
        Ok(Self { source: file, images, height, width, channels, dtype })
    }

    /// Reads all images, a few at a time, and gives each group to `visit`.
    pub(crate) fn read(&self, pixels: Pixels, mut visit: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        let mut reader: Box<dyn Read> = match pixels {
            Pixels::Array(array) => array.into_c_order()?,
            Pixels::Stream(stream) => stream,
        };
        let size = self.image_bytes();
        let group = (BATCH / size).max(1) as u64;
        let mut bytes = vec![];
        let mut first = 0;
        while first < self.images {
            let wanted = group.min(self.images - first) * size as u64;
            bytes.clear();
            reader.by_ref().take(wanted).read_to_end(&mut bytes).map_err(|e| unreadable(&self.source, &e))?;
            if (bytes.len() as u64) < wanted {
                let expected = self.images.saturating_mul(size as u64);
                let found = first * size as u64 + bytes.len() as u64;
                let file = self.source.clone();
                return Err(karcher_io::Error::Truncated { file, expected, found }.into());
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
        let (file, expected) = (self.source.clone(), self.images.saturating_mul(size as u64));
        Err(karcher_io::Error::TrailingData { file, expected }.into())
    }

    /// Bytes of one image.
    pub(crate) fn image_bytes(&self) -> usize {
        self.height * self.width * self.channels * self.dtype.size
    }

    /// The image stored in `bytes`, the stack's `number`-th from 1.
    pub(crate) fn image(&self, number: u64, bytes: &[u8]) -> Result<Image> {
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

/// A shape as NumPy writes it.
fn shape_of(axes: &[u64]) -> String {
    let axes: Vec<String> = axes.iter().map(u64::to_string).collect();
    format!("({}{})", axes.join(", "), if axes.len() == 1 { "," } else { "" })
}

/// Fills `buffer`; false when the data end before.
fn fill(source: &str, reader: &mut dyn Read, buffer: &mut [u8]) -> Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(e) => Err(unreadable(source, &e)),
    }
}
