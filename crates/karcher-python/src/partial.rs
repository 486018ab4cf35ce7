//! What is sent to where records are, and what comes back: bytes.

use crate::arrays::Array;
use crate::blocks::{ArrayRows, Blocks, Reading, check_predictors};
use crate::error::Failure;
use crate::input::{check_width, find_layout};
use crate::names::check_names;
use crate::persons::Groups;
use crate::stream::Stream;
use crate::work::{Interrupt, Threads, on_values, run_in};
use karcher::error::GeometryError;
use karcher::nonprivate::Persons;
use karcher::records::{ExactSum, Observations, SumQuery};
use karcher::{Ball, Error, Manifold, PredictorRange};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError};

/// How the answer to a question begins; then come the fingerprint of the question, the sum, and the fingerprint of all
/// that.
const MAGIC: &[u8; 8] = b"karcher1";

/// Bytes of a fingerprint.
const FINGERPRINT: usize = 32;

/// A question, and how workers read the records for it. **Confidential**, as questions are.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    pub query: SumQuery,
    /// The public ball in which persons are reduced. Its center replaces records that are no points.
    pub ball: Ball,
    pub predictors: Option<PredictorRange>,
    pub persons: bool,
    pub replace_invalid: bool,
}

impl Asked {
    /// As it is sent.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Failure> {
        serde_json::to_vec(self).map_err(|_| Failure::Sentence("the question cannot be written".to_owned()))
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        serde_json::from_slice(bytes).map_err(|_| {
            let sentence = "question is invalid: pass on the bytes that the estimator gives, unchanged, to workers \
                            with the same version of karcher";
            Failure::Sentence(sentence.to_owned())
        })
    }
}

/// The sum over some of the records, and what it answers.
pub struct Partial {
    query: [u8; FINGERPRINT],
    pub total: ExactSum,
}

impl Partial {
    fn new(query: &[u8], total: ExactSum) -> Self {
        Self { query: Sha256::digest(query).into(), total }
    }

    /// From bytes that answer a question.
    pub fn answer(bytes: &[u8], query: &[u8]) -> Result<ExactSum, Failure> {
        let this = Self::from_bytes(bytes)?;
        match this.query == *Sha256::digest(query) {
            true => Ok(this.total),
            false => Err(Failure::Sentence("what came back is the answer to another question".to_owned())),
        }
    }

    fn to_bytes(&self) -> Result<Vec<u8>, Failure> {
        let total =
            serde_json::to_vec(&self.total).map_err(|_| Failure::Sentence("the sum cannot be written".to_owned()))?;
        let mut bytes = [&MAGIC[..], &self.query, &total].concat();
        let fingerprint = Sha256::digest(&bytes);
        bytes.extend_from_slice(&fingerprint);
        Ok(bytes)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, Failure> {
        let read = || {
            let (content, fingerprint) = bytes.split_last_chunk::<FINGERPRINT>()?;
            let whole = *fingerprint == *Sha256::digest(content);
            let (query, total) = content.strip_prefix(MAGIC)?.split_first_chunk::<FINGERPRINT>()?;
            Some(Self { query: *query, total: serde_json::from_slice(total).ok().filter(|_| whole)? })
        };
        read().ok_or_else(|| {
            Failure::Sentence("the bytes are no sum of karcher.partial, or were changed on their way".to_owned())
        })
    }

    fn merge(self, other: Self) -> Result<Self, Failure> {
        if self.query != other.query {
            return Err(Failure::Sentence("the two are answers to different questions: they have no sum".to_owned()));
        }
        Ok(Self { query: self.query, total: self.total.merge(other.total)? })
    }
}

/// What [`partial`] is given as records.
enum Part {
    Nothing,
    Array { values: Array, predictors: Option<Array>, groups: Groups },
    Stream(Py<Stream>),
}

/// The answer to a question, about an array or a stream, whose columns have these names if they are to be checked.
#[pyfunction]
#[pyo3(signature = (x, query, predictors, persons, names))]
pub fn partial<'py>(
    py: Python<'py>,
    x: Option<&Bound<'py, PyAny>>,
    query: Vec<u8>,
    predictors: Option<&Bound<'py, PyAny>>,
    persons: Option<&Bound<'py, PyAny>>,
    names: Option<Vec<String>>,
) -> Result<Bound<'py, PyBytes>, Failure> {
    let part = match x {
        None => Part::Nothing,
        Some(x) => match x.cast::<Stream>() {
            Ok(stream) => Part::Stream(stream.clone().unbind()),
            Err(_) => Part::Array {
                values: Array::new(x)?,
                predictors: predictors.map(Array::new).transpose()?,
                groups: Groups::new(py, persons)?,
            },
        },
    };
    // the batches of a stream may be made by Python code
    let whose = if matches!(part, Part::Stream(_)) { Threads::Own } else { Threads::Shared };
    let bytes = run_in(whose, py, [], move |[], interrupt| {
        let asked = Asked::from_bytes(&query)?;
        let space = asked.query.space().manifold()?;
        if let Some(names) = names {
            let (layout, frame, all) = match &part {
                Part::Stream(stream) => (stream.get().layout(), None, stream.get().all()),
                _ => (None, Some("X"), names.clone()),
            };
            check_names(&*space, (&names, all), layout, (frame, None), "trust_layout=True")?;
        }
        let total = match part {
            Part::Nothing => asked.query.nothing(),
            Part::Stream(stream) => {
                let stream = stream.get();
                let reading = asked.reading(&space, stream.layout(), interrupt)?;
                asked.sum(stream, &reading, stream.has_persons(), stream.has_predictor())?
            }
            Part::Array { values, predictors, groups } => {
                let reading = asked.reading(&space, None, interrupt)?;
                check_width(&values, &*space)?;
                check_predictors(
                    "predictor",
                    predictors.as_ref(),
                    values.shape().first().copied().unwrap_or_default(),
                )?;
                let (has_persons, has_predictor) = (groups.numbers().is_some(), predictors.is_some());
                let arrays: Vec<Array> = [values].into_iter().chain(predictors).collect();
                on_values(arrays, |values| {
                    let rows =
                        ArrayRows { values: values[0], predictors: values.get(1).copied(), persons: groups.numbers() };
                    asked.sum(&rows, &reading, has_persons, has_predictor)
                })?
            }
        };
        Partial::new(&query, total).to_bytes()
    });
    let bytes = bytes.map_err(without_content)?;
    Ok(PyBytes::new(py, &bytes))
}

/// What is wrong with a record, by its place alone: the sentence travels to another machine.
fn without_content(failure: Failure) -> Failure {
    match failure {
        Failure::Refused(Error::Geometry(GeometryError::InvalidRecord { row, .. })) => Failure::NotAPoint(format!(
            "row {row} is no point of the space, or lacks a number or the key of its person"
        )),
        failure => failure,
    }
}

impl Asked {
    fn reading(
        &self,
        space: &Arc<dyn Manifold>,
        layout: Option<&str>,
        interrupt: &Interrupt,
    ) -> Result<Reading, Failure> {
        Ok(Reading {
            space: space.clone(),
            layout: find_layout(&**space, layout)?,
            ball: self.ball.clone(),
            range: self.predictors,
            replace_invalid: self.replace_invalid,
            interrupt: interrupt.clone(),
        })
    }

    /// The sum over all records, which are looked at once.
    fn sum(
        &self,
        blocks: &dyn Blocks,
        reading: &Reading,
        has_persons: bool,
        has_predictor: bool,
    ) -> Result<ExactSum, Failure> {
        if has_persons != self.persons {
            let sentence = match self.persons {
                true => "the question is about persons: name the person of each record with groups=",
                false => "the question is about records: leave out groups=",
            };
            return Err(Failure::Sentence(sentence.to_owned()));
        }
        if self.predictors.is_some() && !has_predictor {
            return Err(Failure::Sentence("the question needs a predictor a record: predictor= says which".to_owned()));
        }
        if !self.persons {
            let sum = Mutex::new(self.query.nothing());
            blocks.pass(reading, &|_, records: Observations<'_>| {
                let answer = self.query.answer(records)?;
                let mut sum = sum.lock().unwrap_or_else(PoisonError::into_inner);
                *sum = sum.clone().merge(answer)?;
                Ok(())
            })?;
            return Ok(sum.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
        let persons = Persons::new(reading.space.clone(), &self.ball)?;
        let persons = Mutex::new(self.predictors.into_iter().fold(persons, Persons::predictors));
        blocks.pass(reading, &|keys, records| {
            persons.lock().unwrap_or_else(PoisonError::into_inner).add(keys, records)
        })?;
        let persons = persons.into_inner().unwrap_or_else(PoisonError::into_inner);
        match persons.contributions() {
            Err(Error::Geometry(GeometryError::NoRecords)) => Ok(self.query.nothing()),
            contributions => {
                let contributions = contributions?;
                let records = Observations::new(contributions.points());
                Ok(self.query.answer(match contributions.predictors() {
                    Some(predictors) => records.with_predictors(predictors)?,
                    None => records,
                })?)
            }
        }
    }
}

/// The sum of two answers to a question.
#[pyfunction]
pub fn merge<'py>(py: Python<'py>, a: &[u8], b: &[u8]) -> Result<Bound<'py, PyBytes>, Failure> {
    let both = Partial::from_bytes(a)?.merge(Partial::from_bytes(b)?)?;
    Ok(PyBytes::new(py, &both.to_bytes()?))
}
