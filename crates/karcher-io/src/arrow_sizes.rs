//! What an Arrow file says about the sizes of what is in it, before that is read.

use crate::error::{Error, Result};
use crate::memory::check_unpacked;
use arrow_ipc::{Message, RecordBatch, root_as_footer, root_as_message};

/// The bytes before the length of a message in newer files.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Refuses sizes that are implausible: readers reserve what a file says.
pub(crate) fn check(file: &str, bytes: &[u8]) -> Result<()> {
    let corrupt = |reason: &str| Error::Corrupt { file: file.to_owned(), format: "Arrow", reason: reason.to_owned() };
    let mut total = 0;
    let mut check_message = |message: Message<'_>, body: &[u8]| {
        let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
        if let Some(batch) = message.header_as_record_batch().or(dictionary) {
            total = size(batch, body).and_then(|size| size.checked_add(total)).unwrap_or(u64::MAX);
        }
        check_unpacked(file, bytes.len(), total)
    };
    let Some(footer) = footer(bytes) else {
        let mut rest = bytes;
        while let Some((message, after)) = split_message(rest) {
            let message = message.ok_or_else(|| corrupt("a message in it cannot be read"))?;
            let len = usize::try_from(message.bodyLength()).unwrap_or(usize::MAX);
            let (body, next) = after.split_at_checked(len).ok_or_else(|| corrupt("it is truncated"))?;
            check_message(message, body)?;
            rest = next;
        }
        return Ok(());
    };
    let footer = root_as_footer(footer).map_err(|e| corrupt(&format!("its footer cannot be read: {e}")))?;
    for block in footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten() {
        let number = |x: i64| usize::try_from(x).unwrap_or(usize::MAX);
        let begin = bytes.get(number(block.offset())..).ok_or_else(|| corrupt("it is truncated"))?;
        let body =
            begin.get(number(block.metaDataLength().into())..).and_then(|body| body.get(..number(block.bodyLength())));
        let body = body.ok_or_else(|| corrupt("it is truncated"))?;
        let message = split_message(begin).and_then(|(message, _)| message);
        check_message(message.ok_or_else(|| corrupt("a message in it cannot be read"))?, body)?;
    }
    Ok(())
}

/// The footer of a file; `None` for a stream.
fn footer(bytes: &[u8]) -> Option<&[u8]> {
    let before = bytes.strip_prefix(b"ARROW1")?.strip_suffix(b"ARROW1")?;
    let (rest, len) = before.split_last_chunk()?;
    let len = usize::try_from(i32::from_le_bytes(*len)).ok()?;
    rest.get(rest.len().checked_sub(len)?..)
}

/// The message at the beginning, if it can be read, and what follows it; `None` at the end.
fn split_message(bytes: &[u8]) -> Option<(Option<Message<'_>>, &[u8])> {
    let bytes = bytes.strip_prefix(&CONTINUATION).unwrap_or(bytes);
    let (len, rest) = bytes.split_first_chunk()?;
    match i32::from_le_bytes(*len) {
        0 => None,
        len => match usize::try_from(len).ok().and_then(|len| rest.split_at_checked(len)) {
            Some((message, after)) => Some((root_as_message(message).ok(), after)),
            None => Some((None, &[])),
        },
    }
}

/// The bytes that a batch asks for when it is read; `None` when a size makes no sense.
fn size(batch: RecordBatch<'_>, body: &[u8]) -> Option<u64> {
    let rows = u64::try_from(batch.length()).ok()?.checked_mul(8)?;
    let mut total = rows;
    for buffer in batch.buffers().into_iter().flatten() {
        let (begin, len) = (usize::try_from(buffer.offset()).ok()?, usize::try_from(buffer.length()).ok()?);
        let packed = body.get(begin..begin.checked_add(len)?)?;
        // a compressed buffer begins with its size, or with -1 if it is not compressed after all
        let size = match (batch.compression(), packed.first_chunk()) {
            (Some(_), Some(prefix)) => match i64::from_le_bytes(*prefix) {
                -1 => len as u64,
                size => u64::try_from(size).ok()?,
            },
            _ => len as u64,
        };
        total = total.checked_add(size)?;
    }
    Some(total)
}
