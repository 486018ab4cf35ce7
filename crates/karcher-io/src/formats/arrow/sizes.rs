//! Check of the sizes that an Arrow file declares, before its contents are read.

use crate::error::{Error, Result};
use crate::memory::check_unpacked;
use crate::source::Bytes;
use arrow_ipc::{RecordBatch, root_as_footer, root_as_message};

/// Mark at both ends of an Arrow file; a stream has none.
pub(crate) const MAGIC: &[u8; 6] = b"ARROW1";

/// The bytes before the length of a message in newer files.
const CONTINUATION: u32 = u32::MAX;

/// Refuses implausible sizes: readers reserve the memory that a file declares.
pub(crate) fn check(file: &str, bytes: &Bytes) -> Result<()> {
    let corrupt = |reason: &str| Error::Corrupt { file: file.to_owned(), format: "Arrow", reason: reason.to_owned() };
    let truncated = || corrupt("it is truncated");
    let mut total = 0;
    let mut check_message = |message: &Message| {
        let place = || bytes.len().checked_sub(message.len).is_some_and(|room| message.body <= room);
        if !place() {
            return Err(truncated());
        }
        let asked = message.size(bytes).ok_or_else(|| corrupt("a message in it cannot be read"))?;
        total = asked.and_then(|size| size.checked_add(total)).unwrap_or(u64::MAX);
        check_unpacked(file, bytes.len(), total)
    };
    let Some(footer) = footer(bytes) else {
        let mut at = 0;
        while let Some(message) = Message::at(bytes, at).map_err(|()| truncated())? {
            check_message(&message)?;
            at = message.body + message.len;
        }
        return Ok(());
    };
    let footer = root_as_footer(&footer).map_err(|e| corrupt(&format!("its footer cannot be read: {e}")))?;
    for block in footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten() {
        let number = |x: i64| u64::try_from(x).unwrap_or(u64::MAX);
        let begin = number(block.offset());
        let message = Message::at(bytes, begin).map_err(|()| truncated())?;
        let message = message.ok_or_else(|| corrupt("a message in it cannot be read"))?;
        let body = begin.saturating_add(number(block.metaDataLength().into()));
        check_message(&Message { body, len: number(block.bodyLength()), ..message })?;
    }
    Ok(())
}

/// The footer of a file; `None` for a stream.
fn footer(bytes: &Bytes) -> Option<Vec<u8>> {
    let end = bytes.len().checked_sub(10)?;
    let (begin, tail) = (bytes.range(0, 6).ok()?, bytes.range(end, 10).ok()?);
    let len = tail.strip_suffix(MAGIC).filter(|_| begin == MAGIC)?;
    let len = usize::try_from(i32::from_le_bytes(len.try_into().ok()?)).ok()?;
    bytes.range(end.checked_sub(len as u64)?, len).ok()
}

/// A message, and where its body stands.
struct Message {
    metadata: Vec<u8>,
    body: u64,
    len: u64,
}

impl Message {
    /// The message at `begin`; `None` at the end of a stream.
    fn at(bytes: &Bytes, begin: u64) -> Result<Option<Self>, ()> {
        let number = |at: u64| bytes.range(at, 4).ok().and_then(|four| Some(u32::from_le_bytes(four.try_into().ok()?)));
        let Some(first) = number(begin) else { return Ok(None) };
        let (at, len) = match first {
            CONTINUATION => (begin + 8, number(begin + 4)),
            len => (begin + 4, Some(len)),
        };
        let Some(len) = len.filter(|len| *len > 0) else { return Ok(None) };
        let metadata = bytes.range(at, len as usize).map_err(|_| ())?;
        let body_len = root_as_message(&metadata).map_or(0, |message| message.bodyLength());
        let body_len = u64::try_from(body_len).map_err(|_| ())?;
        Ok(Some(Self { metadata, body: at + u64::from(len), len: body_len }))
    }

    /// The bytes that a reader of the message needs, 0 if it holds no records. The inner `None` is an impossible size,
    /// the outer one an invalid message.
    fn size(&self, bytes: &Bytes) -> Option<Option<u64>> {
        let message = root_as_message(&self.metadata).ok()?;
        let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
        Some(match message.header_as_record_batch().or(dictionary) {
            Some(batch) => self.batch_size(batch, bytes),
            None => Some(0),
        })
    }

    fn batch_size(&self, batch: RecordBatch<'_>, bytes: &Bytes) -> Option<u64> {
        let rows = u64::try_from(batch.length()).ok()?.checked_mul(8)?;
        let mut total = rows;
        for buffer in batch.buffers().into_iter().flatten() {
            let (begin, len) = (u64::try_from(buffer.offset()).ok()?, u64::try_from(buffer.length()).ok()?);
            if begin.checked_add(len)? > self.len {
                return None;
            }
            // a compressed buffer begins with its size, or with -1 if it is not compressed after all
            let size = match batch.compression() {
                Some(_) if len >= 8 => {
                    let prefix = bytes.range(self.body.checked_add(begin)?, 8).ok()?;
                    match i64::from_le_bytes(prefix.try_into().ok()?) {
                        -1 => len,
                        size => u64::try_from(size).ok()?,
                    }
                }
                _ => len,
            };
            total = total.checked_add(size)?;
        }
        Some(total)
    }
}
