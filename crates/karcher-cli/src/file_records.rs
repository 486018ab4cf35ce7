//! The records of files, as a mechanism is given them: in memory where they fit, read again for each sum where not.

use crate::Failure;
use crate::output::Reading;
use karcher::manifold::Layout;
use karcher::records::{Batches, Observations, Question, Records, Streamed};
use karcher::statistic::{EachKeyed, KeyedBatches, PersonsInParts};
use karcher::{Ball, Error, Manifold, Points, PredictorRange, Space};
use karcher_io::{Batch, ConvertOptions, Key, Stream, to_points};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How many times its own size what is read takes in memory while persons are put together: numbers, keys, and a copy
/// of the numbers as they are seen from the ball's center.
const ROOM: u64 = 3;

/// How many times its own size a file may hold that is packed, as far as this matters.
const PACKED: u64 = 100;

/// The room that a key takes, in numbers.
const KEY: usize = 8;

/// Memory that is always there: less would only make for more readings.
const LEAST: u64 = 1 << 20;

/// Files whose records are converted to points batch by batch.
pub struct FileRecords {
    stream: Stream,
    manifold: Arc<dyn Manifold>,
    layout: Layout,
    options: ConvertOptions,
    /// The range of a predictor, in whose middle one is put that is no number, where such records are replaced.
    predictors: Option<(PredictorRange, bool)>,
    /// Whether all records have been looked at.
    is_valid: AtomicBool,
}

impl FileRecords {
    pub fn new(stream: Stream, manifold: Arc<dyn Manifold>, layout: Layout, options: ConvertOptions) -> Self {
        Self { stream, manifold, layout, options, predictors: None, is_valid: AtomicBool::new(false) }
    }

    /// With a predictor beside each record, of this range; those that are no numbers are put in its middle if records
    /// that are no points are replaced.
    pub fn predictors(self, range: PredictorRange, replaces_invalid: bool) -> Self {
        Self { predictors: Some((range, replaces_invalid)), ..self }
    }

    /// The records, kept in memory if they take no more than `memory` bytes. The first reading answers the questions.
    pub fn records(self, memory: u64, questions: &[Question]) -> Result<Box<dyn Records>, Failure> {
        Ok(Box::new(Streamed::new(self, bytes(memory), questions)?))
    }

    /// What persons contribute, likewise, reduced with the public ball: as many persons at a time as fit.
    pub fn persons(self, ball: &Ball, memory: u64, questions: &[Question]) -> Result<Box<dyn Records>, Failure> {
        let parts = self.parts(memory.max(LEAST))?;
        let (manifold, range) = (Arc::clone(&self.manifold), self.predictors.map(|(range, _)| range));
        let persons = PersonsInParts::new(self, manifold, ball, parts)?;
        let persons = range.into_iter().fold(persons, PersonsInParts::predictors);
        Ok(Box::new(Streamed::new(persons, bytes(memory), questions)?))
    }

    /// As many parts as leave room in `memory` for the records of the persons in one.
    fn parts(&self, memory: u64) -> Result<u64, Failure> {
        if self.stream.bytes().saturating_mul(PACKED * ROOM) <= memory {
            return Ok(1); // however they are packed
        }
        let numbers = AtomicU64::new(0);
        let reading = Reading::new(self.stream.bytes());
        self.stream.pass(&|bytes| reading.at(bytes), |batch| {
            // a key is about as large as some numbers
            let of_record = (self.manifold.point_len() + KEY) as u64;
            numbers.fetch_add(batch.table.rows as u64 * of_record, Ordering::Relaxed);
            Ok::<(), karcher_io::Error>(())
        })?;
        Ok(numbers.into_inner().saturating_mul(8 * ROOM).div_ceil(memory))
    }

    /// The records of each group, whose name is the key; the files are read once where all together fit, and otherwise
    /// for each group.
    pub fn groups(self, names: &[&str], memory: u64) -> Result<Vec<Box<dyn Records>>, Failure> {
        let groups: HashMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (*name, i)).collect();
        let (point_len, most) = (self.manifold.point_len(), bytes(memory) / (2 * size_of::<f64>()));
        let held = Mutex::new((0, Some(vec![vec![]; names.len()])));
        self.read(|keys, records| {
            let (numbers, held) = &mut *held.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(groups_of) = held else { return Ok(()) };
            for (key, point) in keys.iter().zip(records.points().iter()) {
                if let Some(&group) = groups.get(&*key.to_string()) {
                    groups_of[group].extend_from_slice(point);
                    *numbers += point_len;
                }
            }
            if *numbers > most {
                *held = None;
            }
            Ok(())
        })?;
        let (_, held) = held.into_inner().unwrap_or_else(PoisonError::into_inner);
        let boxed = |points: Points| -> Box<dyn Records> { Box::new(points) };
        let Some(held) = held else {
            let all = Arc::new(self);
            let of = |name: &&str| OfGroup { all: Arc::clone(&all), name: (*name).to_owned() };
            let stream = |name: &&str| -> Result<Box<dyn Records>, Failure> {
                Ok(Box::new(Streamed::new(of(name), bytes(memory) / names.len(), &[])?))
            };
            return names.iter().map(stream).collect();
        };
        let points = |values: Vec<f64>| match values.is_empty() {
            true => Ok(boxed(Points::none(&*self.manifold))),
            false => Ok(boxed(Points::new(&*self.manifold, values)?)),
        };
        held.into_iter().map(points).collect()
    }

    /// Gives each batch of points with its keys and predictors to `each`.
    fn read(&self, each: impl Fn(Vec<Key>, Observations<'_>) -> karcher::Result<()> + Sync) -> karcher::Result<()> {
        let reading = Reading::new(self.stream.bytes());
        let read = self.stream.pass(&|bytes| reading.at(bytes), |Batch { mut table, mut predictors, .. }| {
            let keys = std::mem::take(&mut table.persons);
            let points = to_points(table, &*self.manifold, &self.layout, &self.options)?;
            let records = Observations::new(&points);
            match self.predictors {
                None => each(keys, records),
                Some((range, replaces_invalid)) => {
                    if replaces_invalid {
                        predictors.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = range.middle());
                    }
                    each(keys, records.with_predictors(&predictors)?)
                }
            }
        });
        // what a record holds that was another one when it was looked at is nobody's concern
        let read = read.map_err(|error| match self.is_valid.load(Ordering::Relaxed) {
            true => Error::Unanswered { reason: CHANGED.to_owned() },
            false => error,
        });
        self.is_valid.store(true, Ordering::Relaxed);
        read
    }
}

const CHANGED: &str = "the files cannot be read again as they were read first: they changed, or the disk fails; nothing \
                       was released";

/// The records of one group.
struct OfGroup {
    all: Arc<FileRecords>,
    name: String,
}

impl Batches for OfGroup {
    fn space(&self) -> &Space {
        self.all.manifold.space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> karcher::Result<()> + Sync)) -> karcher::Result<()> {
        self.all.read(|keys, records| {
            let own = records.points().select(|i| keys[i].to_string() == self.name);
            each(Observations::new(&own))
        })
    }
}

/// Memory beyond what addresses reach is as much as there is.
fn bytes(memory: u64) -> usize {
    usize::try_from(memory).unwrap_or(usize::MAX)
}

impl Batches for FileRecords {
    fn space(&self) -> &Space {
        self.manifold.space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> karcher::Result<()> + Sync)) -> karcher::Result<()> {
        self.read(|_, records| each(records))
    }
}

impl KeyedBatches for FileRecords {
    type Key = Key;

    fn pass(&self, each: &EachKeyed<'_, Key>) -> karcher::Result<()> {
        self.read(each)
    }
}
