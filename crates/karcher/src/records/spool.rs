//! Temporary storage of records on a disk.

use super::Observations;
use crate::Space;
use crate::error::{Error, Result};
use crate::points::PointsView;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Records in a file, each in one of several slots, with a key of any bytes. Reading returns them as they were written,
/// to the last bit.
pub(crate) struct Spool {
    written: Mutex<Written>,
    /// Bytes of a slot that are written at a time.
    piece: usize,
}

struct Written {
    file: File,
    end: u64,
    slots: Vec<Slot>,
}

#[derive(Default)]
struct Slot {
    /// Records that are not in the file yet.
    buffer: Vec<u8>,
    pieces: Vec<Piece>,
}

/// Whole records of one slot, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    begin: u64,
    len: usize,
}

/// The records of a piece.
pub(crate) struct Spooled<'a> {
    space: &'a Space,
    point_len: usize,
    pub(crate) keys: Vec<Vec<u8>>,
    values: Vec<f64>,
    predictors: Vec<f64>,
}

impl Spool {
    /// A spool with a number of slots in an empty file, which no one else may use. It keeps `piece` bytes of each slot
    /// in memory.
    pub(crate) fn new(file: &File, slots: usize, piece: usize) -> Result<Self> {
        let file = file.try_clone().and_then(|file| file.set_len(0).map(|()| file)).map_err(failed)?;
        let slots = std::iter::repeat_with(Slot::default).take(slots).collect();
        Ok(Self { written: Mutex::new(Written { file, end: 0, slots }), piece })
    }

    /// Adds records, the `i`-th with the `i`-th key to the `i`-th of the given slots.
    pub(crate) fn add<'k>(
        &self,
        places: impl Iterator<Item = (usize, &'k [u8])>,
        records: Observations<'_>,
    ) -> Result<()> {
        let written = &mut *self.lock();
        let predictors = records.predictors();
        for (i, (point, (slot, key))) in records.points().iter().zip(places).enumerate() {
            let buffer = &mut written.slots[slot].buffer;
            buffer.extend_from_slice(&(key.len() as u64).to_le_bytes());
            buffer.extend_from_slice(key);
            let numbers = point.iter().chain(predictors.map(|all| &all[i]));
            numbers.for_each(|x| buffer.extend_from_slice(&x.to_le_bytes()));
            if buffer.len() >= self.piece {
                written.flush(slot)?;
            }
        }
        Ok(())
    }

    /// The pieces of a slot.
    pub(crate) fn pieces(&self, slot: usize) -> Result<Vec<Piece>> {
        let mut written = self.lock();
        written.flush(slot)?;
        written.slots[slot].buffer = vec![]; // nothing comes after what is read
        Ok(written.slots[slot].pieces.clone())
    }

    /// The records of a piece, which are points of `space` with so many numbers, with predictors or without.
    pub(crate) fn read<'a>(
        &self,
        piece: Piece,
        (space, point_len): (&'a Space, usize),
        has_predictors: bool,
    ) -> Result<Spooled<'a>> {
        let mut bytes = vec![0; piece.len];
        {
            let mut written = self.lock();
            written.file.seek(SeekFrom::Start(piece.begin)).map_err(failed)?;
            written.file.read_exact(&mut bytes).map_err(failed)?;
        }
        let mut spooled = Spooled { space, point_len, keys: vec![], values: vec![], predictors: vec![] };
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let record = spooled.take(&mut rest, has_predictors);
            record.ok_or_else(|| failed(io::ErrorKind::InvalidData.into()))?;
        }
        Ok(spooled)
    }

    fn lock(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Written {
    fn flush(&mut self, slot: usize) -> Result<()> {
        let Slot { buffer, pieces } = &mut self.slots[slot];
        if buffer.is_empty() {
            return Ok(());
        }
        self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(buffer)).map_err(failed)?;
        pieces.push(Piece { begin: self.end, len: buffer.len() });
        self.end += buffer.len() as u64;
        buffer.clear();
        Ok(())
    }
}

impl Spooled<'_> {
    /// Takes a record from the front of `bytes`; `None` where the bytes are not a written record.
    fn take(&mut self, bytes: &mut &[u8], has_predictors: bool) -> Option<()> {
        let (len, rest) = bytes.split_first_chunk()?;
        let (key, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
        let (numbers, rest) = rest.split_at_checked(8 * (self.point_len + usize::from(has_predictors)))?;
        self.keys.push(key.to_vec());
        let mut numbers = numbers.as_chunks().0.iter().map(|x| f64::from_le_bytes(*x));
        self.values.extend(numbers.by_ref().take(self.point_len));
        self.predictors.extend(numbers);
        *bytes = rest;
        Some(())
    }

    /// The records without their keys.
    pub(crate) fn observations(&self) -> Result<Observations<'_>> {
        let points = Observations::new(PointsView::unchecked(self.space, self.point_len, &self.values));
        // no records have as many predictors
        let has_none = self.predictors.is_empty() && !self.values.is_empty();
        if has_none { Ok(points) } else { points.with_predictors(&self.predictors) }
    }
}

fn failed(error: io::Error) -> Error {
    let reason = format!(
        "records could not be put into the temporary file, or be read again from it ({error}): make room where it is, \
         or allow more memory; nothing was released"
    );
    Error::Unanswered { reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Euclidean;
    use crate::points::Points;

    /// An unnamed temporary file of the operating system.
    fn file() -> File {
        let path = std::env::temp_dir().join(format!("karcher-spool-{:?}", std::thread::current().id()));
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        file
    }

    #[test]
    fn what_is_read_is_what_was_written_whatever_the_pieces() {
        let plane = Euclidean::new(2).unwrap();
        let numbers: Vec<f64> = (0..400).map(|i| (f64::from(i)).sqrt() * 1e-300).collect();
        let points = Points::new(&plane, numbers).unwrap();
        let years: Vec<f64> = (0..200).map(f64::from).collect();
        let keys: Vec<Vec<u8>> = (0..200_u8).map(|i| vec![i; usize::from(i % 4)]).collect();
        for piece in [1, 100, 1 << 20] {
            let spool = Spool::new(&file(), 3, piece).unwrap();
            let all = Observations::new(&points).with_predictors(&years).unwrap();
            spool.add(keys.iter().enumerate().map(|(i, key)| (i % 2, &key[..])), all).unwrap();
            for slot in 0..3 {
                let mut found = vec![];
                for piece in spool.pieces(slot).unwrap() {
                    let read = spool.read(piece, (points.view().space(), 2), true).unwrap();
                    let of = read.observations().unwrap();
                    let records = of.points().iter().map(<[f64]>::to_vec).zip(of.predictors().unwrap().to_vec());
                    found.extend(read.keys.clone().into_iter().zip(records));
                }
                let expected: Vec<_> = (0..200)
                    .filter(|i| i % 2 == slot)
                    .map(|i| (keys[i].clone(), (points.view().values()[2 * i..][..2].to_vec(), years[i])))
                    .collect();
                assert_eq!(found, expected, "slot {slot} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn what_is_not_what_was_written_is_an_error() {
        let line = Euclidean::new(1).unwrap();
        let points = Points::new(&line, vec![1.0, 2.0]).unwrap();
        let file = file();
        let spool = Spool::new(&file, 1, 1).unwrap();
        spool.add([(0, &b"a"[..]), (0, &b"b"[..])].into_iter(), Observations::new(&points)).unwrap();
        let pieces = spool.pieces(0).unwrap();
        let read = |piece| spool.read(piece, (points.view().space(), 1), false).map(|read| read.keys);
        assert_eq!(read(pieces[1]).unwrap(), [b"b".to_vec()]);
        let mut other = &file;
        other.seek(SeekFrom::Start(pieces[1].begin)).unwrap();
        other.write_all(&[255; 8]).unwrap();
        assert!(matches!(read(pieces[1]), Err(Error::Unanswered { .. })));
        file.set_len(3).unwrap();
        assert!(matches!(read(pieces[0]), Err(Error::Unanswered { .. })));
    }
}
