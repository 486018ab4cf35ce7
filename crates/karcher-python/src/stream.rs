//! Arrow streams: whatever has `__arrow_c_stream__`.

use crate::blocks::{Blocks, Reading};
use crate::columns::{Chosen, Code, Columns};
use crate::error::Failure;
use arrow_array::{RecordBatch, RecordBatchReader};
use karcher::error::GeometryError;
use karcher::nonprivate::EachKeyed;
use karcher::{Error, Key};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::PyRecordBatchReader;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

type Reader = Box<dyn RecordBatchReader + Send>;

/// A table whose columns are records, which is read batch by batch and can be asked for as often as it gives streams.
#[pyclass(name = "Stream", module = "karcher._karcher", frozen)]
pub struct Stream {
    table: Py<PyAny>,
    columns: Columns,
    has_persons: bool,
    has_predictor: bool,
    layout: Option<String>,
    memory: usize,
    /// The stream that said which columns there are, until it is read.
    first: Mutex<Option<Reader>>,
}

#[pymethods]
impl Stream {
    #[new]
    #[pyo3(signature = (table, columns, predictor, person, layout, memory, missing_values))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        table: Py<PyAny>,
        columns: Option<Vec<String>>,
        predictor: Option<String>,
        person: Option<String>,
        layout: Option<String>,
        memory: usize,
        missing_values: Vec<Code>,
    ) -> Result<Self, Failure> {
        let reader = reader(table.bind(py))?;
        let (has_persons, has_predictor) = (person.is_some(), predictor.is_some());
        let columns = Columns::new(&reader.schema(), &Chosen { columns, predictor, person, codes: missing_values })?;
        Ok(Self { table, columns, has_persons, has_predictor, layout, memory, first: Mutex::new(Some(reader)) })
    }

    /// The names of the columns that hold a record, `None` where one holds lists.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        self.columns.names()
    }

    /// The same with what metadata say of them, such as units, `None` where they say no more.
    #[getter]
    fn described(&self) -> Option<Vec<String>> {
        self.columns.described()
    }

    /// The names of the numbers of a record: those of a list have its name and their place, and one name that ends in
    /// `[]` stands for a list of any length.
    #[getter]
    fn numbers(&self) -> Vec<String> {
        self.columns.numbers()
    }

    /// The names of all columns of the table, of those that are not read too.
    #[getter]
    pub fn all(&self) -> Vec<String> {
        self.columns.all()
    }

    /// The axes of a record that is a list of lists, or a tensor; empty for others.
    #[getter]
    fn axes(&self) -> Vec<usize> {
        self.columns.axes()
    }

    /// Numbers a record, `None` for lists of any length.
    #[getter]
    fn width(&self) -> Option<usize> {
        self.columns.width()
    }
}

impl Stream {
    /// The name of the layout, if one was chosen.
    pub fn layout(&self) -> Option<&str> {
        self.layout.as_deref()
    }

    /// Whether a column says whose the records are.
    pub fn has_persons(&self) -> bool {
        self.has_persons
    }

    /// Whether one holds predictors.
    pub fn has_predictor(&self) -> bool {
        self.has_predictor
    }

    /// Bytes that records may take.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// A stream from the beginning, and its columns.
    fn start(&self) -> Result<(Reader, Columns), Error> {
        if let Some(reader) = self.first.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Ok((reader, self.columns.clone()));
        }
        let gives_none = || unanswered("the table gives no second stream");
        self.begin(Python::attach(|py| reader(self.table.bind(py))).map_err(|_| gives_none())?)
    }

    /// The columns of another stream, which must be those of the first.
    fn begin(&self, reader: Reader) -> Result<(Reader, Columns), Error> {
        let columns =
            self.columns.again(&reader.schema()).map_err(|_| unanswered("the table has other columns now"))?;
        Ok((reader, columns))
    }
}

impl Blocks for Stream {
    fn pass(&self, reading: &Reading, each: &EachKeyed<'_, Key>) -> Result<(), Error> {
        let (reader, columns) = self.start()?;
        let (rows, width) = (reading.rows(), reading.width());
        if columns.width().is_some_and(|found| found != width) {
            let sentence = format!(
                "the columns hold {} numbers a record, and {} takes {width}: columns= says which ones to read, layout= \
                 what they are",
                columns.width().unwrap_or_default(),
                reading.space.space(),
            );
            return Err(Error::Unanswered { reason: sentence });
        }
        let mut first = 0;
        let mut slices = reader.flat_map(|batch| match batch {
            Ok(batch) => {
                let begins = (0..batch.num_rows()).step_by(rows);
                begins.map(|at| Some(batch.slice(at, rows.min(batch.num_rows() - at)))).collect()
            }
            Err(_) => vec![None],
        });
        let at_once = 2 * rayon::current_num_threads();
        loop {
            let mut some: Vec<(usize, RecordBatch)> = Vec::with_capacity(at_once);
            let mut broken = false;
            while some.len() < at_once {
                match slices.next() {
                    Some(Some(slice)) => {
                        let next = first + slice.num_rows();
                        some.push((first, slice));
                        first = next;
                    }
                    Some(None) => {
                        broken = true;
                        break;
                    }
                    None => break,
                }
            }
            let done = some.par_iter().map(|(first, slice)| {
                let mut rows = columns.read(slice, *first, width, reading.replace_invalid)?;
                reading.read(&mut rows, *first, each).map_err(|error| match error {
                    Error::Geometry(GeometryError::InvalidRecord { row, reason }) => {
                        let reason = columns.blame(&reason, reading.layout.is_none());
                        GeometryError::InvalidRecord { row, reason }.into()
                    }
                    error => error,
                })
            });
            if let Some(error) = done.find_map_first(Result::err) {
                return Err(error);
            }
            if broken {
                let reason = format!(
                    "the stream breaks off after row {first}; its error is not shown, as it could quote records: read \
                     it without karcher to see it; nothing was released"
                );
                return Err(Error::Unanswered { reason });
            }
            if some.len() < at_once {
                return Ok(());
            }
        }
    }

    fn check_again(&self) -> Result<(), Error> {
        let Ok(second) = Python::attach(|py| reader(self.table.bind(py))) else { return Err(unanswered(ONCE)) };
        let (mut reader, _) = self.begin(second)?;
        match reader.find(|batch| !matches!(batch, Ok(b) if b.num_rows() == 0)) {
            Some(Ok(_)) => Ok(()),
            _ => Err(unanswered(ONCE)),
        }
    }
}

const ONCE: &str = "the records do not fit into memory, and their stream can be read only once: raise memory=, or give \
                    a table, a dataset or a file that can be read again";

/// The number of rows that whatever has an Arrow stream gives.
#[pyfunction]
pub fn count_rows(py: Python<'_>, table: Bound<'_, PyAny>) -> Result<u64, Failure> {
    let mut rows = reader(&table)?;
    let broken = || {
        let sentence = "the stream breaks off; its error is not shown, as it could quote records; nothing was released";
        Failure::Sentence(sentence.to_owned())
    };
    py.detach(|| rows.try_fold(0, |n, batch| Ok(n + batch.map_err(|_| broken())?.num_rows() as u64)))
}

fn unanswered(reason: &str) -> Error {
    Error::Unanswered { reason: format!("{reason}; nothing was released") }
}

/// A stream of whatever gives one.
fn reader(table: &Bound<'_, PyAny>) -> Result<Reader, Failure> {
    let no_stream = |error: PyErr| {
        let kind = error.get_type(table.py()).name().map_or_else(|_| String::new(), |name| name.to_string());
        Failure::Sentence(format!("the table gives no stream of columns (its __arrow_c_stream__ raises {kind})"))
    };
    let capsule = table.call_method0("__arrow_c_stream__").map_err(no_stream)?;
    let capsule = capsule
        .cast_into::<PyCapsule>()
        .map_err(|_| Failure::Sentence("__arrow_c_stream__ of the table gives no capsule".to_owned()))?;
    PyRecordBatchReader::from_arrow_pycapsule(&capsule).and_then(PyRecordBatchReader::into_reader).map_err(no_stream)
}
