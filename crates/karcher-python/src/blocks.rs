//! Records that come a block at a time: rows of an array that is larger than memory, batches of an Arrow stream.

use crate::advice::advised;
use crate::arrays::{self, Array, tuple};
use crate::columns::Rows;
use crate::error::Failure;
use crate::work::Interrupt;
use karcher::error::GeometryError;
use karcher::manifold::Layout;
use karcher::nonprivate::{EachKeyed, KeyedBatches, Reread, Rereadable};
use karcher::records::{Observations, Records, SumQuery};
use karcher::{Ball, Error, Key, Manifold, PredictorRange};
use karcher_io::Rounding;
use rayon::prelude::*;
use std::sync::Arc;

/// Numbers of a block: what is read, validated and summed by one thread.
const NUMBERS: usize = 1 << 18;

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
            match Rounding::Usual.point(&*self.space, layout, record) {
                Ok(read) => point.copy_from_slice(&read),
                Err(_) if self.replace_invalid => {}
                Err(reason) => {
                    let reason = advised(reason, &*self.space, layout, record);
                    return Err(GeometryError::InvalidRecord { row: i + 1, reason }.into());
                }
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
    let requirement = format!("there must be one for each of {n} records");
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

/// The records of blocks, or with `persons` what persons contribute, in at most `memory` bytes. The first reading
/// answers the queries.
pub fn open<'a>(
    blocks: impl Blocks + 'a,
    reading: &Reading,
    persons: bool,
    memory: usize,
    queries: &[SumQuery],
) -> Result<Box<dyn Records + 'a>, Error> {
    let records = Reread::new(Read { blocks, reading: reading.clone() });
    if !persons {
        return Ok(Box::new(records.records(memory, queries)?));
    }
    reading.range.into_iter().fold(records, Reread::predictors).persons(&reading.ball, memory, queries)
}

/// Blocks as a statistic asks for them.
struct Read<B> {
    blocks: B,
    reading: Reading,
}

impl<B: Blocks> KeyedBatches for Read<B> {
    type Key = Key;

    fn pass(&self, each: &EachKeyed<'_, Key>) -> Result<(), Error> {
        self.blocks.pass(&self.reading, each)
    }
}

impl<B: Blocks> Rereadable for Read<B> {
    fn manifold(&self) -> &Arc<dyn Manifold> {
        &self.reading.space
    }

    fn key_bytes(key: &Key) -> usize {
        key.bytes()
    }

    fn check_again(&self) -> Result<(), Error> {
        self.blocks.check_again()
    }
}
