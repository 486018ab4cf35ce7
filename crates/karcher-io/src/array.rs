//! NumPy arrays as stored: the type of their numbers, their axes and their bytes.

use crate::dtype::Dtype;
use crate::error::{Error, Result};
use crate::format::split_key;
use crate::formats::npy::{Description, read_header, to_c_order};
use crate::formats::npz;
use crate::memory::{check_room, check_unpacked, unpack};
use crate::source::{Source, Spool};
use std::io::{Cursor, Read};
use std::sync::Arc;

/// An array of an NPY file or an NPZ archive, read up to the end of its header.
///
/// ```
/// use std::io::Read;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("ab.npy").display().to_string();
/// karcher_io::write_npy(&file, &[2, 1], &[0.5, 2.0])?;
///
/// let array = karcher_io::StoredArray::open(&file)?;
/// assert_eq!((array.axes(), array.dtype().size), (&[2, 1][..], 8));
/// let (dtype, mut bytes) = (array.dtype(), vec![]);
/// array.into_c_order()?.read_to_end(&mut bytes)?;
/// assert_eq!(dtype.decode(&bytes), [0.5, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StoredArray {
    name: String,
    described: Description,
    /// Bytes of the file.
    packed: u64,
    bytes: Box<dyn Read + Send>,
}

impl StoredArray {
    /// Reads the header of `FILE.npy`, of `FILE.npz:KEY`, or of the only array of `FILE.npz`.
    ///
    /// # Errors
    /// An [`Error`] that names the fault in the file, its header or the key.
    pub fn open(path: &str) -> Result<Self> {
        let (file, key) = split_key(path);
        let source = Source::new(file, Spool { memory: None, folder: None })?.open(&Arc::default())?;
        let (name, mut bytes) = match file.to_ascii_lowercase().ends_with(".npz") {
            true => npz::stream(file, key, &source)?,
            false => (file.to_owned(), source.stream(file, None)?),
        };
        let described = Description::parse(&name, &read_header(&name, &mut bytes)?, false)?;
        Ok(Self { name, described, packed: source.len(), bytes })
    }

    /// The file, and the key of the array in an archive.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of the numbers.
    pub fn dtype(&self) -> Dtype {
        self.described.dtype
    }

    /// Number of entries along each axis.
    pub fn axes(&self) -> &[u64] {
        &self.described.shape.axes
    }

    /// The bytes of the numbers, the last index running fastest, and any bytes that follow.
    ///
    /// An array in which the first index runs fastest is read as a whole first.
    ///
    /// # Errors
    /// An [`Error`] if such an array is cut short, or larger than memory.
    pub fn into_c_order(mut self) -> Result<Box<dyn Read + Send>> {
        let Description { dtype, shape, fortran_order, .. } = self.described;
        if !fortran_order {
            return Ok(self.bytes);
        }
        let size = shape.len.saturating_mul(dtype.size as u64);
        check_unpacked(&self.name, self.packed, size)?;
        let bytes = unpack(&self.name, self.packed, Some(size), &mut self.bytes)?;
        let found = bytes.len() as u64;
        if found < size {
            return Err(Error::Truncated { file: self.name, expected: size, found });
        }
        check_room(&self.name, bytes.len() / 4)?; // twice the array
        let ordered = match dtype.size {
            1 => to_c_order(&bytes, &shape.axes),
            2 => to_c_order(bytes.as_chunks::<2>().0, &shape.axes).concat(),
            4 => to_c_order(bytes.as_chunks::<4>().0, &shape.axes).concat(),
            _ => to_c_order(bytes.as_chunks::<8>().0, &shape.axes).concat(),
        };
        Ok(Box::new(Cursor::new(ordered).chain(self.bytes)))
    }
}
