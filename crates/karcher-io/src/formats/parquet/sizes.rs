//! Check of the sizes that a Parquet file declares, before its contents are read: readers reserve the declared memory
//! and descend as deep.
//!
//! Its metadata are in Thrift's compact protocol. This module walks over the fields that hold sizes.

use crate::source::Bytes;

/// Groups within groups that are read.
const MOST_NESTED: usize = 64;

/// Structures within structures that are walked over.
const MOST_DEEP: usize = 32;

/// Refuses a schema that promises more columns than there are, or that nests too deep.
pub(crate) fn check_schema(file: &Bytes) -> Result<(), &'static str> {
    let metadata = metadata(file).ok_or("it does not end as a Parquet file does")?;
    let mut children = vec![];
    let mut walk = Walk { bytes: &metadata };
    // FileMetaData.schema is field 2, SchemaElement.num_children field 5; the root comes first
    walk.structure(0, &mut |path, value| match path {
        [2, 0] => children.push(0),
        [2, 5] => {
            if let Some(last) = children.last_mut() {
                *last = value;
            }
        }
        _ => {}
    })
    .ok_or("its metadata are damaged")?;
    let mut open: Vec<i64> = vec![1];
    for count in children {
        match open.last_mut() {
            Some(more) => *more -= 1,
            None => return Err("its schema has several roots"),
        }
        if count > 0 {
            open.push(count);
        }
        if open.len() > MOST_NESTED {
            return Err("its columns are nested too deep");
        }
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    if open.is_empty() { Ok(()) } else { Err("its schema promises more columns than there are") }
}

/// The metadata, which precede their length and the mark at the end.
fn metadata(file: &Bytes) -> Option<Vec<u8>> {
    let end = file.len().checked_sub(8)?;
    let tail = file.range(end, 8).ok()?;
    let (len, _) = tail.strip_suffix(b"PAR1")?.split_first_chunk()?;
    let len = u32::from_le_bytes(*len);
    file.range(end.checked_sub(len.into())?, len as usize).ok()
}

/// Bytes that the pages of a column hold when they are unpacked; what cannot be read counts as endless.
pub(crate) fn pages(file: &Bytes, begin: u64, len: u64) -> u64 {
    let Some(end) = begin.checked_add(len).filter(|end| *end <= file.len()) else { return 0 }; // the reader says so
    let (mut at, mut total) = (begin, 0u64);
    while at < end {
        // a header is short, but may hold any two values that the page lies between
        let mut window = 1 << 10;
        let (unpacked, packed, values, header) = loop {
            let room = usize::try_from(end - at).unwrap_or(usize::MAX);
            let Ok(bytes) = file.range(at, room.min(window)) else { return total };
            match page_header(&bytes) {
                None if window < room => window = window.saturating_mul(16),
                None => return total, // the reader stops here too
                Some(found) => break found,
            }
        };
        total = total.saturating_add(unpacked.max(values.saturating_mul(8)));
        at = at.saturating_add(header).saturating_add(packed);
    }
    total
}

/// Parses the header at the beginning of `bytes`: the unpacked and the packed size of its page, the number of values in
/// it, and its length.
fn page_header(bytes: &[u8]) -> Option<(u64, u64, u64, u64)> {
    // PageHeader: 2 is the unpacked size, 3 the packed one; values are field 1 of the headers 5 (data), 7 (dictionary)
    // and 8 (data)
    let (mut unpacked, mut packed, mut values) = (0, 0, 0);
    let mut walk = Walk { bytes };
    walk.structure(0, &mut |path, value| match path {
        [2] => unpacked = value,
        [3] => packed = value,
        [5 | 7 | 8, 1] => values = value,
        _ => {}
    })?;
    let (unpacked, packed) = (u64::try_from(unpacked).ok()?, u64::try_from(packed).ok()?);
    Some((unpacked, packed, u64::try_from(values).unwrap_or(0), (bytes.len() - walk.bytes.len()) as u64))
}

/// A walk over Thrift's compact protocol.
struct Walk<'a> {
    bytes: &'a [u8],
}

impl Walk<'_> {
    /// Walks to the end of a structure and reports, by their path, integers and the beginnings of structures in lists,
    /// these as field 0.
    fn structure(&mut self, depth: usize, tell: &mut dyn FnMut(&[i16], i64)) -> Option<()> {
        self.fields(&mut Path { ids: [0; MOST_DEEP], len: depth }, tell)
    }

    fn fields(&mut self, path: &mut Path, tell: &mut dyn FnMut(&[i16], i64)) -> Option<()> {
        path.push()?;
        let mut id = 0i16;
        loop {
            let byte = self.byte()?;
            let (delta, kind) = (byte >> 4, byte & 15);
            if kind == 0 {
                path.len -= 1;
                return Some(());
            }
            id = match delta {
                0 => i16::try_from(self.integer()?).ok()?,
                delta => id.checked_add(delta.into())?,
            };
            path.ids[path.len - 1] = id;
            self.value(kind, false, path, tell)?;
        }
    }

    fn value(&mut self, kind: u8, in_list: bool, path: &mut Path, tell: &mut dyn FnMut(&[i16], i64)) -> Option<()> {
        match kind {
            // true and false have no bytes but in lists
            1 | 2 if !in_list => {}
            1..=3 => drop(self.byte()?),
            4..=6 => {
                let value = self.integer()?;
                tell(&path.ids[..path.len], value);
            }
            7 => self.skip(8)?,
            8 => {
                let len = self.unsigned()?;
                self.skip(usize::try_from(len).ok()?)?;
            }
            9 | 10 => {
                let byte = self.byte()?;
                let len = if byte >> 4 == 15 { self.unsigned()? } else { u64::from(byte >> 4) };
                for _ in 0..len {
                    self.value(byte & 15, true, path, tell)?;
                }
            }
            11 => {
                let len = self.unsigned()?;
                let kinds = if len > 0 { self.byte()? } else { 0 };
                path.push()?;
                for _ in 0..len {
                    self.value(kinds >> 4, true, path, tell)?;
                    self.value(kinds & 15, true, path, tell)?;
                }
                path.len -= 1;
            }
            12 => {
                if in_list {
                    path.push()?;
                    tell(&path.ids[..path.len], 0);
                    path.len -= 1;
                }
                self.fields(path, tell)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(byte)
    }

    fn skip(&mut self, len: usize) -> Option<()> {
        self.bytes = self.bytes.get(len..)?;
        Some(())
    }

    /// Seven bits a byte, the lowest first.
    fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    /// The sign is the lowest bit.
    fn integer(&mut self) -> Option<i64> {
        let number = self.unsigned()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

/// Fields within fields.
struct Path {
    ids: [i16; MOST_DEEP],
    len: usize,
}

impl Path {
    fn push(&mut self) -> Option<()> {
        *self.ids.get_mut(self.len)? = 0;
        self.len += 1;
        Some(())
    }
}
