//! The gradient of a user's loss: a Python function of a point and a block of records.

use crate::arrays::Array;
use crate::error::Failure;
use crate::work::Interrupt;
use karcher::PointsView;
use karcher::records::Gradient;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A function `f(point, rows)` of arrays with one axis, which gives all vectors one after the other, in an array with
/// one axis too. What it raises on real records is not shown: it could quote them.
pub struct PyGradient {
    function: Py<PyAny>,
    interrupt: Interrupt,
    /// One call at a time: what Python's warnings do is of the whole process.
    one: Mutex<()>,
    tries: Tries,
}

/// Whether the function is still tried on usual made-up records, and what it raised then.
#[derive(Clone, Default)]
pub struct Tries(Arc<(AtomicBool, Mutex<Option<PyErr>>)>);

impl Tries {
    /// What was raised, if something was.
    pub fn raised(&self) -> Option<PyErr> {
        self.0.1.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn hear(&self, error: PyErr) {
        if !self.0.0.load(Ordering::SeqCst) {
            self.0.1.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

impl PyGradient {
    /// The gradient that a function computes, and its tries.
    pub fn new(function: Py<PyAny>, interrupt: Interrupt) -> (Self, Tries) {
        let tries = Tries::default();
        (Self { function, interrupt, one: Mutex::new(()), tries: tries.clone() }, tries)
    }

    /// Whether the function gave as many numbers as there are.
    fn call(&self, at: &[f64], rows: &[f64], out: &mut [f64]) -> bool {
        self.interrupt.check();
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        Python::attach(|py| {
            let arrays = (PyArray1::from_slice(py, at), PyArray1::from_slice(py, rows));
            let found = self.function.call1(py, arrays).and_then(|found| {
                let values: PyReadonlyArray1<'_, f64> = found.extract(py)?;
                let is_whole = values.len().is_ok_and(|len| len == out.len());
                if let (true, Ok(values)) = (is_whole, values.as_slice()) {
                    out.copy_from_slice(values);
                }
                Ok(is_whole)
            });
            found.unwrap_or_else(|error| {
                self.tries.hear(error);
                false
            })
        })
    }
}

impl Gradient for PyGradient {
    fn gradient(&self, at: &[f64], record: &[f64], out: &mut [f64]) {
        if !self.call(at, record, out) {
            out.fill(f64::NAN); // which counts as 0
        }
    }

    fn gradients(&self, at: &[f64], records: PointsView<'_>, out: &mut [f64]) {
        if !self.call(at, records.values(), out) {
            // one of them may be the reason
            records.iter().zip(out.chunks_exact_mut(at.len())).for_each(|(record, out)| self.gradient(at, record, out));
        }
    }

    fn usual_records_end(&self) {
        self.tries.0.0.store(true, Ordering::SeqCst); // from now on records are extreme, or confidential
    }
}

/// The public records on which a function is tried, one a row.
pub fn examples(given: Option<&Bound<'_, PyAny>>) -> Result<Option<Vec<f64>>, Failure> {
    given.map(|rows| Array::new(rows)?.to_vec(rows.py())).transpose()
}
