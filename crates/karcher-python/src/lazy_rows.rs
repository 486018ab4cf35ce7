//! Rows of an array that is neither in memory nor of float64: some at a time, converted by the function that gives
//! them.

use crate::arrays::Array;
use crate::blocks::{Blocks, Reading, RowColumns};
use karcher::nonprivate::EachKeyed;
use karcher::{Error, Key};
use pyo3::prelude::*;
use rayon::prelude::*;

/// `rows` rows of `width` numbers. `take(first, last)` gives some of them as an array of float64 in C order.
#[pyclass(name = "LazyRows", module = "karcher._karcher", frozen)]
pub struct LazyRows {
    take: Py<PyAny>,
    rows: usize,
    width: usize,
    memory: usize,
}

#[pymethods]
impl LazyRows {
    #[new]
    fn new(take: Py<PyAny>, rows: usize, width: usize, memory: usize) -> Self {
        Self { take, rows, width, memory }
    }
}

impl LazyRows {
    /// Bytes that records may take.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Numbers a row.
    pub fn width(&self) -> usize {
        self.width
    }

    fn numbers(&self, first: usize, last: usize) -> Result<Vec<f64>, Error> {
        let numbers = Python::attach(|py| {
            let taken = self.take.bind(py).call1((first, last)).ok()?;
            Array::new(&taken).ok()?.to_vec(py).ok()
        });
        numbers.filter(|numbers| numbers.len() == (last - first) * self.width).ok_or_else(|| {
            let reason = format!("rows {} to {last} of the array cannot be read; nothing was released", first + 1);
            Error::Unanswered { reason }
        })
    }
}

/// The same with a predictor and a person for each row.
pub struct LazyRowsReader<'a> {
    pub taken: &'a LazyRows,
    pub predictors: Option<&'a [f64]>,
    pub persons: Option<&'a [u64]>,
}

impl Blocks for LazyRowsReader<'_> {
    fn pass(&self, reading: &Reading, each: &EachKeyed<'_, Key>) -> Result<(), Error> {
        let (all, rows) = (self.taken.rows, reading.rows());
        let begins: Vec<usize> = (0..all).step_by(rows).collect();
        // what is taken is taken by one thread; the others work on it
        begins.chunks(2 * rayon::current_num_threads()).try_for_each(|begins| {
            let taken = begins.iter().map(|&first| Ok((first, self.taken.numbers(first, all.min(first + rows))?)));
            let taken = taken.collect::<Result<Vec<_>, Error>>()?;
            let done = taken.par_iter().map(|(first, values)| {
                let columns = RowColumns { predictors: self.predictors, persons: self.persons };
                columns.read(reading, *first, values, each)
            });
            done.find_map_first(Result::err).map_or(Ok(()), Err)
        })
    }
}
