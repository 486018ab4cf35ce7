//! Records on other machines, which a Python function asks.

use crate::blocks::Reading;
use crate::partial::{Asked, Partial};
use karcher::records::{ExactSum, PrivacyUnit, Source, SumQuery};
use karcher::{Ball, Error, PredictorRange, Space};
use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};

/// A function that gets a question and gives the answer over all records, both as bytes.
#[pyclass(name = "Remote", module = "karcher._karcher", frozen)]
pub struct PyRemote {
    ask: Py<PyAny>,
    persons: bool,
}

#[pymethods]
impl PyRemote {
    #[new]
    fn new(ask: Py<PyAny>, persons: bool) -> Self {
        Self { ask, persons }
    }
}

impl PyRemote {
    /// Whether the records are told apart by persons.
    pub fn has_persons(&self) -> bool {
        self.persons
    }
}

/// `KeyboardInterrupt` or `SystemExit`, where the function raised one of them: who wants the program to end is heard.
#[derive(Default)]
pub struct Stop(Mutex<Option<PyErr>>);

impl Stop {
    /// What was raised, if something was.
    pub fn into_inner(self) -> Option<PyErr> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers an exception if it is one of the two: another one of its kind, which says nothing of records and has
    /// no history. The whole number of an exit stays.
    fn hear(&self, py: Python<'_>, error: &PyErr) {
        let stop = if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            PyKeyboardInterrupt::new_err(())
        } else if error.is_instance_of::<PySystemExit>(py) {
            let code = error.value(py).getattr("code").ok();
            let code = code.filter(|code| !code.is_none()).map(|code| code.extract::<i32>().unwrap_or(1));
            PySystemExit::new_err(code)
        } else {
            return;
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(stop);
    }
}

/// Records elsewhere, as a statistic asks for them.
pub struct Asking<'a> {
    elsewhere: &'a PyRemote,
    stop: &'a Stop,
    space: Space,
    ball: Ball,
    predictors: Option<PredictorRange>,
    replace_invalid: bool,
    count: usize,
    known: (SumQuery, ExactSum),
}

impl<'a> Asking<'a> {
    /// Asks a first question, by which the records are counted.
    pub fn new((elsewhere, stop): (&'a PyRemote, &'a Stop), reading: &Reading, first: SumQuery) -> Result<Self, Error> {
        let mut this = Self {
            elsewhere,
            stop,
            space: reading.space.space().clone(),
            ball: reading.ball.clone(),
            predictors: reading.range,
            replace_invalid: reading.replace_invalid,
            count: 0,
            known: (first.clone(), first.nothing()),
        };
        this.known.1 = this.ask(&first)?;
        this.count = usize::try_from(this.known.1.count()).map_err(|_| unanswered("there are too many records"))?;
        Ok(this)
    }

    fn ask(&self, query: &SumQuery) -> Result<ExactSum, Error> {
        let asked = Asked {
            query: query.clone(),
            ball: self.ball.clone(),
            predictors: self.predictors,
            persons: self.elsewhere.persons,
            replace_invalid: self.replace_invalid,
        };
        let sent = asked.to_bytes().map_err(|failure| unanswered(&failure.to_string()))?;
        let answer = Python::attach(|py| -> Result<Vec<u8>, Error> {
            let answer = self.elsewhere.ask.call1(py, (PyBytes::new(py, &sent),));
            let answer = answer.inspect_err(|error| self.stop.hear(py, error)).map_err(|error| reason(py, &error))?;
            let bytes = answer.extract::<Vec<u8>>(py);
            bytes.map_err(|_| unanswered("what came back are no bytes: it must be what karcher.partial gives"))
        })?;
        Partial::answer(&answer, &sent).map_err(|failure| unanswered(&failure.to_string()))
    }
}

impl Source for Asking<'_> {
    fn space(&self) -> &Space {
        &self.space
    }

    fn count(&self) -> usize {
        self.count
    }

    fn unit(&self) -> PrivacyUnit {
        if self.elsewhere.persons { PrivacyUnit::Person } else { PrivacyUnit::Record }
    }

    fn sum(&self, query: &SumQuery) -> Result<ExactSum, Error> {
        match query == &self.known.0 {
            true => Ok(self.known.1.clone()),
            false => self.ask(query),
        }
    }
}

fn unanswered(reason: &str) -> Error {
    let reason = reason.strip_suffix("; nothing was released").unwrap_or(reason);
    Error::Unanswered { reason: format!("{reason}; nothing was released") }
}

/// What may be told of an exception: the sentence of one of this package, of any other, which could quote records, its
/// kind alone.
fn reason(py: Python<'_>, error: &PyErr) -> Error {
    let ours = py.import("karcher.errors").and_then(|errors| errors.getattr("Error"));
    if ours.is_ok_and(|ours| error.is_instance(py, &ours)) {
        return unanswered(&error.value(py).to_string());
    }
    let kind = error.get_type(py).name().map_or_else(|_| "an exception".to_owned(), |name| name.to_string());
    unanswered(&format!("the records could not be read: {kind}; its text is not shown, as it could quote records"))
}
