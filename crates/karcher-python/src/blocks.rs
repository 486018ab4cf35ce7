//! Records that come a block at a time: rows of an array that is larger than memory, batches of an Arrow stream.

use crate::arrays::{self, Array, tuple};
use crate::columns::{Key, Rows};
use crate::error::Failure;
use crate::work::Interrupt;
use karcher::error::GeometryError;
use karcher::manifold::Layout;
use karcher::records::{Batches, Contributions, Observations, Records, Streamed, SumQuery};
use karcher::statistic::{EachKeyed, KeyedBatches, Persons, PersonsInParts};
use karcher::{Ball, Error, Manifold, PredictorRange, Space};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Numbers of a block: what is read, validated and summed by one thread.
const NUMBERS: usize = 1 << 18;

/// Bytes that the key of a person takes, about, in addition to the record.
const KEY_BYTES: usize = 64;

/// How records are read, whatever they come in. All of it is public.
#[derive(Clone)]
pub struct Reading {
    pub space: Arc<dyn Manifold>,
    /// The one in which points are, where it is not the first.
    pub layout: Option<Layout>,
    /// The public ball in which persons are reduced. Its center replaces records that are no points.
    pub ball: Ball,
    pub range: Option<PredictorRange>,
    pub replace_invalid: bool,
    /// Whether somebody still waits for it.
    pub interrupt: Interrupt,
}

impl Reading {
    /// Numbers a record.
    pub fn width(&self) -> usize {
        self.layout.as_ref().map_or(self.space.point_len(), Layout::numbers)
    }

    /// Rows of a block.
    pub fn rows(&self) -> usize {
        (NUMBERS / self.width().max(1)).max(1)
    }

    /// Gives the records of a block to `each`. The first record is the row `first`, from 0.
    pub fn read(
        &self,
        rows: &mut Rows,
        first: usize,
        each: impl FnOnce(Vec<Key>, Observations<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Rows { values, predictors, persons } = rows;
        self.block(first, values, predictors.as_deref(), |records| each(persons.take().unwrap_or_default(), records))
    }

    /// The same of numbers that are there.
    pub fn block(
        &self,
        first: usize,
        values: &[f64],
        predictors: Option<&[f64]>,
        each: impl FnOnce(Observations<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let at = |error| match error {
            Error::Geometry(GeometryError::InvalidRecord { row, reason }) => {
                GeometryError::InvalidRecord { row: first + row, reason }.into()
            }
            error => error,
        };
        self.interrupt.check();
        let space = &*self.space;
        let read = match &self.layout {
            Some(layout) => Some(self.laid_out(layout, values).map_err(at)?),
            None => None,
        };
        let values = read.as_deref().unwrap_or(values);
        let records = match self.replace_invalid {
            true => arrays::Records::with_substitute(space, values, self.ball.center()),
            false => arrays::Records::new(space, values),
        };
        let records = records.map_err(at)?;
        let Some(predictors) = predictors else { return each(Observations::new(records.view())) };
        let mut predictors = predictors.to_vec();
        for (row, x) in predictors.iter_mut().enumerate().filter(|(_, x)| !x.is_finite()) {
            match self.range {
                Some(range) if self.replace_invalid => *x = range.middle(),
                _ => {
                    let reason = "its predictor is not a finite number".to_owned();
                    return Err(GeometryError::InvalidRecord { row: first + row + 1, reason }.into());
                }
            }
        }
        each(Observations::new(records.view()).with_predictors(&predictors)?)
    }

    /// The points that records in a layout hold; not a number where one holds none and is to be replaced.
    fn laid_out(&self, layout: &Layout, values: &[f64]) -> Result<Vec<f64>, Error> {
        let width = self.space.point_len();
        let mut points = vec![f64::NAN; values.len() / layout.numbers() * width];
        for (i, (point, record)) in
            points.chunks_exact_mut(width).zip(values.chunks_exact(layout.numbers())).enumerate()
        {
            match layout.read(record) {
                Ok(read) => point.copy_from_slice(&read),
                Err(_) if self.replace_invalid => {}
                Err(reason) => return Err(GeometryError::InvalidRecord { row: i + 1, reason }.into()),
            }
        }
        Ok(points)
    }
}

/// Records in blocks, as often as they are asked for, with the keys of persons where there are some.
pub trait Blocks: Send + Sync {
    /// Gives every record to `each` just once. The error is that of the first block that has one.
    fn pass(&self, reading: &Reading, each: &EachKeyed<'_, Key>) -> Result<(), Error>;

    /// Whether there will be another pass.
    fn check_again(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Rows of arrays, which stay where they are.
pub struct ArrayRows<'a> {
    pub values: &'a [f64],
    pub predictors: Option<&'a [f64]>,
    pub persons: Option<&'a [u64]>,
}

/// Columns that belong to the rows of an array.
pub struct RowColumns<'a> {
    pub predictors: Option<&'a [f64]>,
    pub persons: Option<&'a [u64]>,
}

impl RowColumns<'_> {
    /// Gives the records of a block to `each`. The first record is the row `first`, from 0.
    pub fn read(
        &self,
        reading: &Reading,
        first: usize,
        values: &[f64],
        each: &EachKeyed<'_, Key>,
    ) -> Result<(), Error> {
        let n = values.len() / reading.width();
        let predictors = self.predictors.map(|all| some_of(all, first, n)).transpose()?;
        let persons = self.persons.map(|all| some_of(all, first, n)).transpose()?.unwrap_or_default();
        let keys = persons.iter().map(|number| Key::Integer(i128::from(*number))).collect();
        reading.block(first, values, predictors, |records| each(keys, records))
    }
}

/// `n` items of a list with one item a record, from the row `first` on.
fn some_of<T>(all: &[T], first: usize, n: usize) -> Result<&[T], Error> {
    all.get(first..).and_then(|rest| rest.get(..n)).ok_or_else(|| not_one_a_record(all.len(), first + n))
}

fn not_one_a_record(found: usize, n: usize) -> Error {
    let requirement = format!("there must be one a record, of which there are {n}");
    Error::InvalidParameter { name: "number_of_predictors", value: found as f64, requirement }
}

/// Refuses predictors, of shape `(n,)` or `(n, 1)`, unless there is one for each of `n` records.
pub fn check_predictors(name: &str, predictors: Option<&Array>, n: usize) -> Result<(), Failure> {
    let Some(predictors) = predictors else { return Ok(()) };
    match check_column(name, predictors)? {
        found if found == n => Ok(()),
        found => Err(not_one_a_record(found, n).into()),
    }
}

/// How many numbers a predictor of shape `(n,)` or `(n, 1)` has.
pub fn check_column(name: &str, x: &Array) -> Result<usize, Failure> {
    match x.shape() {
        [n] | [n, 1] => Ok(*n),
        shape => Err(Failure::Sentence(format!(
            "{name} has shape {}: the predictor is one number a record, so it must have shape (n,) or (n, 1)",
            tuple(shape)
        ))),
    }
}

impl<B: Blocks + ?Sized> Blocks for &B {
    fn pass(&self, reading: &Reading, each: &EachKeyed<'_, Key>) -> Result<(), Error> {
        (**self).pass(reading, each)
    }

    fn check_again(&self) -> Result<(), Error> {
        (**self).check_again()
    }
}

impl Blocks for ArrayRows<'_> {
    fn pass(&self, reading: &Reading, each: &EachKeyed<'_, Key>) -> Result<(), Error> {
        let rows = reading.rows();
        let block = |(i, values): (usize, &[f64])| {
            let columns = RowColumns { predictors: self.predictors, persons: self.persons };
            columns.read(reading, i * rows, values, each)
        };
        let done = self.values.par_chunks(rows * reading.width()).enumerate().map(block);
        done.find_map_first(Result::err).map_or(Ok(()), Err)
    }
}

/// Records in blocks, read once: they are counted, kept where they fit into `memory` bytes, or else read again for each
/// question but those that are known. With `persons` they are what persons contribute.
pub fn open<'a>(
    blocks: impl Blocks + 'a,
    reading: &Reading,
    persons: bool,
    memory: usize,
    queries: &[SumQuery],
) -> Result<Box<dyn Records + 'a>, Error> {
    let blocks: Arc<dyn Blocks + 'a> = Arc::new(blocks);
    let read = Read { blocks: blocks.clone(), reading: reading.clone(), again: Arc::default() };
    if persons {
        let parts = match read.persons(memory)? {
            Found::Here(contributions) => return Ok(Box::new(contributions)),
            Found::In(parts) => parts,
        };
        blocks.check_again()?;
        read.again.store(true, Ordering::Relaxed);
        let parts = PersonsInParts::new(read.clone(), reading.space.clone(), &reading.ball, parts)?;
        let parts = reading.range.into_iter().fold(parts, PersonsInParts::predictors);
        return Ok(Box::new(Streamed::new(parts, memory, queries)?));
    }
    let records = Streamed::new(read.clone(), memory, queries)?;
    if !records.is_in_memory() {
        blocks.check_again()?;
    }
    read.again.store(true, Ordering::Relaxed);
    Ok(Box::new(records))
}

/// Where persons are.
enum Found {
    Here(Contributions),
    /// So many parts that each fits into memory.
    In(u64),
}

/// Blocks as a statistic asks for them.
#[derive(Clone)]
struct Read<'a> {
    blocks: Arc<dyn Blocks + 'a>,
    reading: Reading,
    /// What goes wrong once all were read is no error of a record any more, and tells nothing.
    again: Arc<AtomicBool>,
}

impl Read<'_> {
    fn blocks(&self, each: &EachKeyed<'_, Key>) -> Result<(), Error> {
        let done = self.blocks.pass(&self.reading, each);
        if self.again.load(Ordering::Relaxed) && done.is_err() {
            let reason = "the records could not be read again as they were read at first: they changed, or their \
                          stream ended; nothing was released";
            return Err(Error::Unanswered { reason: reason.to_owned() });
        }
        done
    }

    /// The persons, if their records fit into memory together.
    fn persons(&self, memory: usize) -> Result<Found, Error> {
        let Reading { space, ball, range, .. } = &self.reading;
        // the numbers of a record, twice, and its key
        let bytes_a_record = 16 * (space.point_len() + 1) + KEY_BYTES;
        let persons = Persons::new(space.clone(), ball)?;
        let persons = range.iter().copied().fold(persons, Persons::predictors);
        let state = Mutex::new((0_usize, Some(persons)));
        self.blocks(&|keys, records| {
            let (count, persons) = &mut *state.lock().unwrap_or_else(PoisonError::into_inner);
            *count += records.count();
            match persons {
                Some(kept) if count.saturating_mul(bytes_a_record) <= memory => kept.add(keys, records),
                _ => {
                    *persons = None;
                    Ok(())
                }
            }
        })?;
        let (count, persons) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(match persons {
            Some(persons) => Found::Here(persons.contributions()?),
            None => Found::In((count.saturating_mul(bytes_a_record) / memory.max(1)) as u64 + 1),
        })
    }
}

impl Batches for Read<'_> {
    fn space(&self) -> &Space {
        self.reading.space.space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> Result<(), Error> + Sync)) -> Result<(), Error> {
        self.blocks(&|_, records| each(records))
    }
}

impl KeyedBatches for Read<'_> {
    type Key = Key;

    fn pass(&self, each: &EachKeyed<'_, Key>) -> Result<(), Error> {
        self.blocks(each)
    }
}
