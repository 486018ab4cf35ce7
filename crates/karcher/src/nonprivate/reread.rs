//! Records that may be larger than memory: kept after one reading if they fit, and read again for each query otherwise.

use super::persons_in_parts::{Gathered, hash, lock};
use super::{EachKeyed, KeyedBatches, Part, PersonsInParts};
use crate::Space;
use crate::ball::Ball;
use crate::error::{Error, GeometryError, Result};
use crate::manifold::Manifold;
use crate::records::{Batches, Contributions, Observations, PredictorRange, Records, Streamed, SumQuery};
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a person in addition to numbers and the bytes of the key: the key's place in a growing table, and in order.
const KEY: u64 = 256;

/// Bytes of a record in addition to numbers: the number of its person, and its place among that person's records.
const PLACE: u64 = 32;

/// One of so many keys is sampled to estimate the memory that persons take.
const SAMPLE: u64 = 64;

/// All keys of more bytes are counted, because a few of them take as much memory as many others.
const LONG: usize = 4096;

/// A source of records for [`Reread`].
pub trait Rereadable: KeyedBatches {
    /// The space of the records.
    fn manifold(&self) -> &Arc<dyn Manifold>;

    /// The bytes of memory that a key takes in addition to its own size, such as the length of a text.
    fn key_bytes(key: &Self::Key) -> usize;

    /// An upper bound of the bytes that all persons take together, if one is known without a reading. With a small
    /// bound, the first reading samples no keys.
    fn most_bytes(&self) -> Option<usize> {
        None
    }

    /// Called before the second reading.
    ///
    /// # Errors
    /// [`Error::Unanswered`] if the records can be read only once.
    fn check_again(&self) -> Result<()> {
        Ok(())
    }

    /// Says why a later reading failed, without any number or key of a record. It may name the file that changed.
    fn what_changed(&self) -> String {
        "the records could not be read again as they were read at first: they changed, or their stream ended".to_owned()
    }
}

/// Records that are kept in memory if they fit, and read again for each query otherwise. The release is the same to the
/// last bit.
///
/// The first reading reports the errors of records. The records were valid then, so a later error means that they
/// changed. It becomes an [`Error::Unanswered`] that quotes no record.
///
/// ```
/// use karcher::{Ball, Manifold, Points, Result, manifold::Euclidean, records::{Observations, PrivacyUnit, Records}};
/// use karcher::nonprivate::{EachKeyed, KeyedBatches, Reread, Rereadable};
/// use std::sync::Arc;
///
/// struct Visits(Arc<dyn Manifold>);
///
/// impl KeyedBatches for Visits {
///     type Key = u32;
///     fn pass(&self, each: &EachKeyed<'_, u32>) -> Result<()> {
///         each(vec![7, 8, 7], Observations::new(&Points::new(&*self.0, vec![0.2, 0.6, 0.4])?))
///     }
/// }
///
/// impl Rereadable for Visits {
///     fn manifold(&self) -> &Arc<dyn Manifold> {
///         &self.0
///     }
///     fn key_bytes(_: &u32) -> usize {
///         0
///     }
/// }
///
/// let line: Arc<dyn Manifold> = Arc::new(Euclidean::new(1)?);
/// let records = Reread::new(Visits(line.clone())).records(1 << 20, &[])?;
/// assert_eq!((Records::count(&records), records.is_in_memory()), (3, true));
/// for memory in [0, 1 << 20] {
///     let persons = Reread::new(Visits(line.clone())).persons(&Ball::at_origin(&*line, 1.0)?, memory, &[])?;
///     assert_eq!((persons.count(), persons.unit()), (2, PrivacyUnit::Person));
/// }
/// # Ok::<(), karcher::Error>(())
/// ```
pub struct Reread<B: KeyedBatches> {
    batches: B,
    range: Option<PredictorRange>,
    spool: Option<SpoolFile<B::Key>>,
    /// Whether all records were read once without an error.
    again: AtomicBool,
}

/// How the file is made into which persons are sorted.
struct SpoolFile<K> {
    file: Box<dyn Fn() -> Result<File> + Send + Sync>,
    bytes_of: fn(&K) -> Vec<u8>,
}

impl<B: Rereadable> fmt::Debug for Reread<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "records on {} that can be read again", self.batches.manifold().space())
    }
}

impl<B: Rereadable> Reread<B> {
    /// Records that no one has read.
    pub fn new(batches: B) -> Self {
        Self { batches, range: None, spool: None, again: AtomicBool::new(false) }
    }

    /// The public range of the predictors of persons ([`Persons::predictors`](super::Persons::predictors)).
    #[must_use]
    pub fn predictors(self, range: PredictorRange) -> Self {
        Self { range: Some(range), ..self }
    }

    /// Sorts persons that do not fit into memory into a file ([`PersonsInParts::spooled`]). `file` is called only for
    /// those. Its file must be empty and should have no name.
    #[must_use]
    pub fn spooled(
        self,
        file: impl Fn() -> Result<File> + Send + Sync + 'static,
        bytes_of: fn(&B::Key) -> Vec<u8>,
    ) -> Self {
        Self { spool: Some(SpoolFile { file: Box::new(file), bytes_of }), ..self }
    }

    /// The records. One reading counts them, keeps them if they take at most `memory` bytes, and answers the queries.
    ///
    /// # Errors
    /// Errors in the records; those of [`Rereadable::check_again`] if they do not fit.
    pub fn records(self, memory: usize, queries: &[SumQuery]) -> Result<Streamed<Self>> {
        let records = Streamed::new(self, memory, queries)?;
        if !records.is_in_memory() {
            records.batches().batches.check_again()?;
        }
        Ok(records)
    }

    /// The contributions of persons, reduced with the public ball. One reading keeps all persons if they fit into half
    /// of `memory` bytes. Otherwise as many persons as fit are held at a time, and the next reading answers the
    /// queries.
    ///
    /// # Errors
    /// As for [`records`](Reread::records), and those of the [spool](Reread::spooled).
    pub fn persons<'a>(self, ball: &Ball, memory: usize, queries: &[SumQuery]) -> Result<Box<dyn Records + 'a>>
    where
        B: 'a,
    {
        let room = memory / 2; // contributions of persons that are complete can take the other half
        let parts = match self.first(ball, room)? {
            Found::Here(contributions) => return Ok(Box::new(contributions)),
            Found::In(parts) => parts,
        };
        self.batches.check_again()?;
        let spool = self.spool.as_ref().map(|spool| Ok::<_, Error>(((spool.file)()?, spool.bytes_of))).transpose()?;
        let (manifold, range) = (Arc::clone(self.batches.manifold()), self.range);
        let persons = PersonsInParts::new(self, manifold, ball, parts)?;
        let persons = range.into_iter().fold(persons, PersonsInParts::predictors);
        let persons = match spool {
            Some((file, bytes_of)) => persons.spooled(file, bytes_of, room / 4),
            None => persons,
        };
        Ok(Box::new(Streamed::new(persons, memory, queries)?))
    }

    /// Reads some of the records with `read`, which passes its second argument to a method of the source. An error of
    /// the source is one of the record only before the first complete reading. Errors of `each` stay as they are.
    ///
    /// # Errors
    /// Those of `each`; [`Error::Unanswered`] for other errors after the first complete reading.
    pub fn read(
        &self,
        each: &EachKeyed<'_, B::Key>,
        read: impl FnOnce(&B, &EachKeyed<'_, B::Key>) -> Result<()>,
    ) -> Result<()> {
        if !self.again.load(Ordering::Relaxed) {
            return read(&self.batches, each);
        }
        let asked = Mutex::new(None);
        let done = read(&self.batches, &|keys, records| {
            each(keys, records).inspect_err(|error| *lock(&asked) = Some(error.clone()))
        });
        let asked = asked.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.map_err(|_| {
            asked.unwrap_or_else(|| Error::Unanswered {
                reason: format!("{}; nothing was released", self.batches.what_changed()),
            })
        })
    }

    /// The persons, if their records take at most `room` bytes together.
    fn first(&self, ball: &Ball, room: usize) -> Result<Found> {
        let (manifold, range) = (self.batches.manifold(), self.range);
        let numbers = (manifold.point_len() + usize::from(range.is_some())) as u64;
        let is_small = self.batches.most_bytes().is_some_and(|most| most <= room);
        let gathered = Gathered::new(Arc::clone(manifold), ball, range)?;
        let first = Mutex::new((Size { numbers, ..Size::default() }, Some(gathered)));
        let room = room as u64;
        KeyedBatches::pass(self, &|keys, records| {
            let looked_at = if is_small { &[][..] } else { &keys[..] };
            let sampled: Vec<(u64, u64)> = looked_at.iter().filter_map(|key| sampled(key, B::key_bytes(key))).collect();
            let (size, gathered) = &mut *lock(&first);
            size.add(records.points().len() as u64, sampled);
            match gathered {
                Some(gathered) if is_small || size.bytes() <= room => gathered.add(keys, records),
                _ => {
                    *gathered = None;
                    Ok(())
                }
            }
        })?;
        let (size, gathered) = first.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(match gathered {
            Some(gathered) => Found::Here(gathered.contributions()?.ok_or(GeometryError::NoRecords)?),
            None => Found::In(size.bytes().div_ceil(room.max(1))),
        })
    }
}

/// The persons after the first reading.
enum Found {
    Here(Contributions),
    /// In as many parts as leave room for the records of the persons in one.
    In(u64),
}

/// An estimate of the memory that the records of persons take together.
#[derive(Default)]
struct Size {
    /// Numbers of a record, with its predictor.
    numbers: u64,
    records: u64,
    /// The hashes of sampled keys.
    sample: HashMap<u64, u64>,
    persons: u64,
    key_bytes: u64,
}

impl Size {
    fn add(&mut self, records: u64, sampled: Vec<(u64, u64)>) {
        self.records += records;
        for (hash, bytes) in sampled {
            if self.sample.insert(hash, bytes).is_none() {
                let stands_for = stands_for(bytes as usize);
                self.persons += stands_for;
                self.key_bytes = self.key_bytes.saturating_add(stands_for * bytes);
            }
        }
    }

    /// The numbers of a record count twice, because they are also held as seen from the ball's center. A person has a
    /// contribution too.
    fn bytes(&self) -> u64 {
        let of_records = self.records.saturating_mul(16 * self.numbers + PLACE);
        let of_persons = self.persons.saturating_mul(8 * self.numbers + KEY);
        of_records.saturating_add(of_persons).saturating_add(self.key_bytes)
    }
}

/// The hash of a key and its bytes, if it is in the sample.
fn sampled(key: &impl std::hash::Hash, bytes: usize) -> Option<(u64, u64)> {
    let hash = hash(key);
    hash.is_multiple_of(stands_for(bytes)).then_some((hash, bytes as u64))
}

/// The number of keys that a sampled key of so many bytes stands for.
fn stands_for(bytes: usize) -> u64 {
    if bytes > LONG { 1 } else { SAMPLE }
}

impl<B: Rereadable> Batches for Reread<B> {
    fn space(&self) -> &Space {
        self.batches.manifold().space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> Result<()> + Sync)) -> Result<()> {
        KeyedBatches::pass(self, &|_, records| each(records))
    }
}

impl<B: Rereadable> KeyedBatches for Reread<B> {
    type Key = B::Key;

    fn pass(&self, each: &EachKeyed<'_, B::Key>) -> Result<()> {
        self.read(each, |batches, each| batches.pass(each))?;
        self.again.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn pass_part(&self, part: Part, each: &EachKeyed<'_, B::Key>) -> Result<()> {
        self.read(each, |batches, each| batches.pass_part(part, each))
    }

    fn part_is_done(&self, part: Part) {
        self.batches.part_is_done(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Euclidean;
    use crate::points::Points;

    /// A record of each of several persons with long keys.
    struct LongKeys {
        line: Arc<dyn Manifold>,
        keys: Vec<String>,
    }

    impl KeyedBatches for LongKeys {
        type Key = String;

        fn pass(&self, each: &EachKeyed<'_, String>) -> Result<()> {
            self.keys.chunks(100).try_for_each(|keys| {
                let points = Points::new(&*self.line, vec![0.5; keys.len()])?;
                each(keys.to_vec(), Observations::new(&points))
            })
        }
    }

    impl Rereadable for LongKeys {
        fn manifold(&self) -> &Arc<dyn Manifold> {
            &self.line
        }

        fn key_bytes(key: &String) -> usize {
            key.len()
        }
    }

    fn long_keys(n: usize, bytes: usize) -> LongKeys {
        let line = Arc::new(Euclidean::new(1).unwrap());
        LongKeys { line, keys: (0..n).map(|i| format!("{i:0bytes$}")).collect() }
    }

    #[test]
    fn parts_of_persons_hold_their_keys_too() {
        const ROOM: u64 = 1 << 20;
        // keys that are all counted, and keys that are sampled
        for (n, bytes) in [(400, 20_000), (20_000, 500)] {
            let keys = (n * bytes) as u64;
            let persons = Reread::new(long_keys(n, bytes));
            let ball = Ball::at_origin(&*persons.batches.line, 1.0).unwrap();
            let Found::In(parts) = persons.first(&ball, ROOM as usize).unwrap() else { panic!("kept together") };
            assert!(parts >= keys / ROOM, "{parts} parts for {keys} bytes of keys");
            assert!(parts <= 2 * keys.div_ceil(ROOM) + 10, "{parts} parts for {keys} bytes of keys");
            let Found::Here(all) = persons.first(&ball, 3 * (n * (bytes + 400))).unwrap() else { panic!("in parts") };
            assert_eq!(all.count(), n);
        }
    }

    #[test]
    fn after_the_first_reading_an_error_of_the_source_quotes_no_record() {
        let records = Reread::new(long_keys(3, 1));
        let secret = || Err(Error::Unanswered { reason: "secret".to_owned() });
        assert!(records.read(&|_, _| Ok(()), |_, _| secret()).unwrap_err().to_string().contains("secret"));
        KeyedBatches::pass(&records, &|_, _| Ok(())).unwrap();
        let told = records.read(&|_, _| Ok(()), |_, _| secret()).unwrap_err().to_string();
        assert!(told.ends_with("nothing was released") && !told.contains("secret"), "{told}");
        assert_eq!(KeyedBatches::pass(&records, &|_, _| Err(Error::NotInMemory)).unwrap_err(), Error::NotInMemory);
    }
}
