//! Persons whose records do not fit into memory together: one part of the persons at a time.

use super::Persons;
use crate::Space;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::points::Points;
use crate::records::{Batches, Contributions, Observations, PredictorRange, PrivacyUnit, Spool};
use rayon::prelude::*;
use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Records that can be read in batches repeatedly, each with the key of its person.
pub trait KeyedBatches: Sync {
    /// The key of a person.
    type Key: Ord + Hash + Send + Sync;

    /// Passes every record to `each` exactly once, with its key, in batches of any size and order; several calls may
    /// run at a time. A person's records may be in any of them.
    ///
    /// # Errors
    /// As for [`Batches::pass`].
    fn pass(&self, each: &EachKeyed<'_, Self::Key>) -> Result<()>;

    /// The same for the records of the persons in one part. It may leave out those of others, which can save the work
    /// to decode them; by default it does not.
    ///
    /// # Errors
    /// As for [`Batches::pass`].
    fn pass_part(&self, _part: Part, each: &EachKeyed<'_, Self::Key>) -> Result<()> {
        self.pass(each)
    }

    /// Called when the persons of a part are complete, one part after the other, to show progress.
    fn part_is_done(&self, _part: Part) {}
}

/// Receiver of a batch of records and their keys.
pub type EachKeyed<'a, K> = dyn Fn(Vec<K>, Observations<'_>) -> Result<()> + Sync + 'a;

/// One of several parts of the persons. Each key is in exactly one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    index: u64,
    of: u64,
}

impl Part {
    /// The part's number, from 0.
    pub fn index(self) -> u64 {
        self.index
    }

    /// The number of parts.
    pub fn of(self) -> u64 {
        self.of
    }

    /// Whether the person with that key is in the part.
    pub fn holds(self, key: &impl Hash) -> bool {
        part_of(key, self.of) == self.index
    }
}

/// The number of the part that a key is in.
fn part_of(key: &impl Hash, parts: u64) -> u64 {
    hash(key) % parts
}

/// The hash of a key, which is the same in every pass.
pub(super) fn hash(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// Contributions of persons ([`Persons`]), one part of the persons at a time; the key decides the part. All records are
/// read once for each part, and only those of the part are held. With a [spool](PersonsInParts::spooled) they are read
/// once in total. The contributions are the same to the last bit for any number of parts.
///
/// ```
/// use karcher::{Ball, Points, Result, manifold::Euclidean, records::{Observations, Records, Streamed, PrivacyUnit}};
/// use karcher::nonprivate::{EachKeyed, KeyedBatches, PersonsInParts};
/// use std::sync::Arc;
///
/// struct Visits;
///
/// impl KeyedBatches for Visits {
///     type Key = u32;
///     fn pass(&self, each: &EachKeyed<'_, u32>) -> Result<()> {
///         let line = Euclidean::new(1)?;
///         each(vec![7, 8], Observations::new(&Points::new(&line, vec![0.2, 0.6])?))?;
///         each(vec![7], Observations::new(&Points::new(&line, vec![0.4])?))
///     }
/// }
///
/// let line = Arc::new(Euclidean::new(1)?);
/// let persons = PersonsInParts::new(Visits, line.clone(), &Ball::at_origin(&*line, 1.0)?, 3)?;
/// let records = Streamed::new(persons, 1 << 20, &[])?;
/// assert_eq!((Records::count(&records), Records::unit(&records)), (2, PrivacyUnit::Person));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug)]
pub struct PersonsInParts<B: KeyedBatches> {
    batches: B,
    manifold: Arc<dyn Manifold>,
    ball: Ball,
    range: Option<PredictorRange>,
    parts: u64,
    on_disk: Option<OnDisk<B::Key>>,
}

/// Storage of records between two passes.
struct OnDisk<K> {
    file: File,
    /// Bytes of a part that are kept in memory before they are written.
    piece: usize,
    bytes_of: fn(&K) -> Vec<u8>,
    /// The contributions of the persons, once all are complete.
    contributions: Mutex<Option<Arc<Spool>>>,
}

impl<K> std::fmt::Debug for OnDisk<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("records in a file")
    }
}

/// The least and the most bytes of a part that are written at a time.
const PIECE: (usize, usize) = (1 << 12, 1 << 20);

impl<B: KeyedBatches> PersonsInParts<B> {
    /// An empty collection; records will be clipped to the ball. There is at least one part.
    ///
    /// # Errors
    /// As for [`Persons::new`].
    pub fn new(batches: B, manifold: Arc<dyn Manifold>, ball: &Ball, parts: u64) -> Result<Self> {
        Persons::<B::Key>::new(Arc::clone(&manifold), ball)?;
        Ok(Self { batches, manifold, ball: ball.clone(), range: None, parts: parts.max(1), on_disk: None })
    }

    /// The public range of the records' predictors ([`Persons::predictors`]).
    #[must_use]
    pub fn predictors(self, range: PredictorRange) -> Self {
        Self { range: Some(range), ..self }
    }

    /// Reads the records once in total. They are sorted by part into a file, which must be empty and which no one else
    /// may use. The contributions are kept there too. The file is not encrypted, so it should have no name. `bytes_of`
    /// writes a key as bytes that differ between keys, and `memory` bytes are used to write large pieces.
    ///
    /// ```
    /// use karcher::{Ball, Points, Result, manifold::Euclidean, records::{Observations, Records, Streamed}};
    /// use karcher::nonprivate::{EachKeyed, KeyedBatches, PersonsInParts};
    /// use std::sync::Arc;
    /// # struct Visits;
    /// # impl KeyedBatches for Visits {
    /// #     type Key = u32;
    /// #     fn pass(&self, each: &EachKeyed<'_, u32>) -> Result<()> {
    /// #         let line = Euclidean::new(1)?;
    /// #         each(vec![7, 8, 7], Observations::new(&Points::new(&line, vec![0.2, 0.6, 0.4])?))
    /// #     }
    /// # }
    /// # let path = std::env::temp_dir().join(format!("karcher-example-{}", std::process::id()));
    /// # let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    /// # std::fs::remove_file(path).unwrap();
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let persons = PersonsInParts::new(Visits, line.clone(), &Ball::at_origin(&*line, 1.0)?, 3)?;
    /// let persons = persons.spooled(file, |key| key.to_le_bytes().to_vec(), 1 << 20);
    /// assert_eq!(Records::count(&Streamed::new(persons, 0, &[])?), 2);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn spooled(self, file: File, bytes_of: fn(&B::Key) -> Vec<u8>, memory: usize) -> Self {
        let slots = usize::try_from(self.parts).unwrap_or(usize::MAX);
        let piece = (memory / slots).clamp(PIECE.0, PIECE.1);
        Self { on_disk: Some(OnDisk { file, piece, bytes_of, contributions: Mutex::new(None) }), ..self }
    }

    fn part(&self, index: u64) -> Part {
        Part { index, of: self.parts }
    }

    fn nobody<K: Ord + Hash + Sync>(&self) -> Result<Gathered<K>> {
        Gathered::new(Arc::clone(&self.manifold), &self.ball, self.range)
    }

    /// The contributions of the persons of a part, found among all records.
    fn found(&self, part: Part) -> Result<Option<Contributions>> {
        let gathered = Mutex::new(self.nobody()?);
        self.batches.pass_part(part, &|keys, records| {
            let is_here: Vec<bool> = keys.iter().map(|key| part.holds(key)).collect();
            check_keys(keys.len(), records)?;
            if is_here.iter().all(|is| *is) {
                return lock(&gathered).add(keys, records);
            }
            let here: Points = records.points().select(|i| is_here[i]);
            let predictors: Option<Vec<f64>> = records
                .predictors()
                .map(|predictors| predictors.iter().zip(&is_here).filter_map(|(x, is)| is.then_some(*x)).collect());
            let keys = keys.into_iter().zip(&is_here).filter_map(|(key, is)| is.then_some(key));
            let here = Observations::new(&here);
            let here = predictors.as_deref().map_or(Ok(here), |predictors| here.with_predictors(predictors))?;
            lock(&gathered).add(keys, here)
        })?;
        gathered.into_inner().unwrap_or_else(PoisonError::into_inner).contributions()
    }

    /// Passes the contributions of all persons to `each`. The records were sorted into a file, where the contributions
    /// are kept from then on.
    fn sorted(
        &self,
        on_disk: &OnDisk<B::Key>,
        each: &(dyn Fn(Observations<'_>) -> Result<()> + Sync),
    ) -> Result<Spool> {
        let last = usize::try_from(self.parts).unwrap_or(usize::MAX); // the slot of the contributions
        let spool = Spool::new(&on_disk.file, last.saturating_add(1), on_disk.piece)?;
        self.batches.pass(&|keys, records| {
            check_keys(keys.len(), records)?;
            let bytes: Vec<Vec<u8>> = keys.iter().map(on_disk.bytes_of).collect();
            let slots = keys.iter().map(|key| part_of(key, self.parts) as usize);
            spool.add(slots.zip(bytes.iter().map(Vec::as_slice)), records)
        })?;
        for part in (0..self.parts).map(|index| self.part(index)) {
            let mut gathered = self.nobody()?;
            for piece in spool.pieces(part.index as usize)? {
                let mut read = spool.read(piece, self.points(), self.range.is_some())?;
                gathered.add(std::mem::take(&mut read.keys), read.observations()?)?;
            }
            if let Some(contributions) = gathered.contributions()? {
                let all = contributions.observations()?;
                spool.add(std::iter::repeat_n((last, &[][..]), all.points().len()), all)?;
                each(all)?;
            }
            self.batches.part_is_done(part);
        }
        Ok(spool)
    }

    /// The space and the length of points from a disk.
    fn points(&self) -> (&Space, usize) {
        (self.manifold.space(), self.manifold.point_len())
    }
}

/// Records of persons in their original order, each with the number of its person, so that a key is held once.
pub(super) struct Gathered<K> {
    numbers: HashMap<K, usize>,
    persons: Persons<usize>,
}

impl<K: Ord + Hash> Gathered<K> {
    pub(super) fn new(manifold: Arc<dyn Manifold>, ball: &Ball, range: Option<PredictorRange>) -> Result<Self> {
        let persons = range.into_iter().fold(Persons::new(manifold, ball)?, Persons::predictors);
        Ok(Self { numbers: HashMap::new(), persons })
    }

    pub(super) fn add(&mut self, keys: impl IntoIterator<Item = K>, records: Observations<'_>) -> Result<()> {
        let number = |key| {
            let next = self.numbers.len();
            *self.numbers.entry(key).or_insert(next)
        };
        self.persons.add(keys.into_iter().map(number), records)
    }

    /// One contribution for each person, in the order of the keys; `None` without persons.
    pub(super) fn contributions(mut self) -> Result<Option<Contributions>> {
        if self.numbers.is_empty() {
            return Ok(None);
        }
        let mut in_order: Vec<(K, usize)> = self.numbers.into_iter().collect();
        in_order.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut ranks = vec![0; in_order.len()];
        in_order.into_iter().enumerate().for_each(|(rank, (_, number))| ranks[number] = rank);
        self.persons.renumber(|number| ranks[number]);
        self.persons.contributions().map(Some)
    }
}

fn check_keys(keys: usize, records: Observations<'_>) -> Result<()> {
    if keys == records.points().len() {
        return Ok(());
    }
    let requirement = "there must be one key for each record".to_owned();
    Err(Error::InvalidParameter { name: "number_of_keys", value: keys as f64, requirement })
}

pub(super) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B: KeyedBatches> Batches for PersonsInParts<B> {
    fn space(&self) -> &Space {
        self.manifold.space()
    }

    fn unit(&self) -> PrivacyUnit {
        PrivacyUnit::Person
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> Result<()> + Sync)) -> Result<()> {
        let Some(on_disk) = &self.on_disk else {
            for part in (0..self.parts).map(|index| self.part(index)) {
                if let Some(contributions) = self.found(part)? {
                    each(contributions.observations()?)?;
                }
                self.batches.part_is_done(part);
            }
            return Ok(());
        };
        let mut kept = lock(&on_disk.contributions);
        let Some(spool) = kept.clone() else {
            *kept = Some(Arc::new(self.sorted(on_disk, each)?));
            return Ok(());
        };
        drop(kept);
        let pieces = spool.pieces(usize::try_from(self.parts).unwrap_or(usize::MAX))?;
        pieces
            .into_par_iter()
            .try_for_each(|piece| each(spool.read(piece, self.points(), self.range.is_some())?.observations()?))
    }
}
