//! Rows of an array of float32 in memory: some at a time become float64, are validated and summed, and are forgotten. So
//! no copy of the array is made. The release is that of the same numbers in float64, to the last bit.

use crate::blocks::Reading;
use karcher::records::{Batches, ExactSum, Observations, SumQuery};
use karcher::vector::widened;
use karcher::{Error, Points, Space};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Numbers of a block, which one thread reads.
const NUMBERS: usize = 1 << 18;

/// Rows of float32.
pub struct Singles<'a> {
    pub values: &'a [f32],
    pub reading: Reading,
}

impl Singles<'_> {
    fn rows(&self) -> usize {
        (NUMBERS / self.reading.width().max(1)).max(1)
    }

    /// The blocks with the places of their first rows.
    fn blocks(&self) -> impl IndexedParallelIterator<Item = (usize, &[f32])> {
        let rows = self.rows();
        self.values.par_chunks(rows * self.reading.width()).enumerate().map(move |(i, values)| (i * rows, values))
    }

    /// Gives the records of a block to `each`. The first record is the row `first`, from 0.
    fn read(
        &self,
        (first, values): (usize, &[f32]),
        each: impl FnOnce(Observations<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.reading.interrupt.check();
        match Points::new(&*self.reading.space, widened(values)) {
            Ok(points) => each(Observations::new(&points)),
            // a record is no point, or one in another layout
            Err(_) => self.reading.block(first, &widened(values), None, each),
        }
    }
}

impl Batches for Singles<'_> {
    fn space(&self) -> &Space {
        self.reading.space.space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> Result<(), Error> + Sync)) -> Result<(), Error> {
        self.blocks().map(|block| self.read(block, each)).find_map_first(Result::err).map_or(Ok(()), Err)
    }

    fn answer(&self, query: &SumQuery) -> Result<Option<ExactSum>, Error> {
        let sum = Mutex::new(query.nothing());
        let add = |part: ExactSum| {
            let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
            let before = std::mem::replace(&mut *sum, query.nothing());
            *sum = before.merge(part)?;
            Ok(())
        };
        let each = |(first, values)| {
            self.reading.interrupt.check();
            match query.answer_singles(values) {
                Some(part) => add(part),
                None => self.read((first, values), |records| add(query.answer(records)?)),
            }
        };
        self.blocks().map(each).find_map_first(Result::err).map_or(Ok(()), Err)?;
        Ok(Some(sum.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }
}
