//! Limits of the memory that a file may request.

use crate::error::{Error, Result};
use std::io::Read;

/// Bytes that any file may unpack to.
const ALWAYS: u64 = 256 << 20;

/// Multiple of its own size that a file may unpack to beyond that.
const TIMES: u64 = 100;

/// The most bytes that `packed` bytes of a file may hold when they are unpacked.
///
/// Packed measurements take a tenth of their space, not a hundredth. A file that claims more was made to exhaust
/// memory, or is so regular that it can be written another way.
pub(crate) fn most_bytes(packed: u64) -> u64 {
    ALWAYS.saturating_add(TIMES.saturating_mul(packed))
}

/// Refuses more than [`most_bytes`].
pub(crate) fn check_unpacked(file: &str, packed: u64, unpacked: u64) -> Result<()> {
    let limit = most_bytes(packed);
    if unpacked <= limit {
        return Ok(());
    }
    Err(Error::UnpacksTooMuch { file: file.to_owned(), packed, limit })
}

/// Everything that `reader` unpacks from `packed` bytes, and no more than `most` bytes of it where that is known.
pub(crate) fn unpack(file: &str, packed: u64, most: Option<u64>, reader: impl Read) -> Result<Vec<u8>> {
    let limit = most_bytes(packed);
    let mut bytes = vec![];
    let mut reader = reader.take(most.unwrap_or(u64::MAX).min(limit.saturating_add(1)));
    // grows with the actual data, and reports when it cannot
    reader.read_to_end(&mut bytes).map_err(|e| match e.kind() {
        std::io::ErrorKind::OutOfMemory => out_of_memory(file),
        _ => Error::Corrupt { file: file.to_owned(), format: "compressed", reason: e.to_string() },
    })?;
    check_unpacked(file, packed, bytes.len() as u64)?;
    Ok(bytes)
}

/// Makes room for `more` values.
pub(crate) fn reserve<T>(file: &str, values: &mut Vec<T>, more: usize) -> Result<()> {
    values.try_reserve(more).map_err(|_| out_of_memory(file))
}

/// Refuses numbers for which there is no memory, for readers that cannot report it themselves.
pub(crate) fn check_room(file: &str, numbers: usize) -> Result<()> {
    reserve(file, &mut Vec::<f64>::new(), numbers)
}

fn out_of_memory(file: &str) -> Error {
    Error::OutOfMemory { file: file.to_owned() }
}
