//! Whose the records are: `groups` of an estimator, as numbers from 0 without gaps.

use crate::arrays::Array;
use crate::error::Failure;
use karcher::nonprivate::Persons;
use karcher::records::{Contributions, Observations, Records};
use karcher::{Ball, Manifold, PredictorRange};
use pyo3::prelude::*;
use std::sync::Arc;

/// The space, the public ball and the range of predictors with which persons are reduced.
type How<'a> = (&'a Arc<dyn Manifold>, &'a Ball, Option<PredictorRange>);

/// The number of the person of each record, if records have one.
pub struct Groups(Option<Vec<u64>>);

impl Groups {
    /// Whole numbers, in an array of float64.
    pub fn new(py: Python<'_>, persons: Option<&Bound<'_, PyAny>>) -> Result<Self, Failure> {
        let numbers = persons.map(|persons| Array::new(persons)?.to_vec(py)).transpose()?;
        Ok(Self(numbers.map(|numbers| numbers.into_iter().map(|x| x as u64).collect())))
    }

    /// The numbers, if there are some.
    pub fn numbers(&self) -> Option<&[u64]> {
        self.0.as_deref()
    }

    /// How many persons there are, or else records.
    pub fn count(&self, records: usize) -> usize {
        match &self.0 {
            Some(persons) => persons.iter().max().map_or(0, |last| *last as usize + 1),
            None => records,
        }
    }

    /// The records, or what persons contribute, reduced with a public ball.
    pub fn reduced<'a>(&self, records: Observations<'a>, how: How<'_>) -> Result<Box<dyn Records + 'a>, Failure> {
        Ok(match self.contributions(records, how)? {
            Some(contributions) => Box::new(contributions),
            None => Box::new(records),
        })
    }

    /// The records, those of each person kept apart.
    pub fn kept<'a>(&self, records: Observations<'a>, how: How<'_>) -> Result<Box<dyn Records + 'a>, Failure> {
        Ok(match self.persons(records, how)? {
            Some(persons) => Box::new(persons.grouped()?),
            None => Box::new(records),
        })
    }

    /// What persons contribute, reduced with a public ball, if records have persons.
    pub fn contributions(&self, records: Observations<'_>, how: How<'_>) -> Result<Option<Contributions>, Failure> {
        Ok(self.persons(records, how)?.map(|persons| persons.contributions()).transpose()?)
    }

    /// The persons, if records have persons.
    fn persons(
        &self,
        records: Observations<'_>,
        (space, ball, range): How<'_>,
    ) -> Result<Option<Persons<u64>>, Failure> {
        let Some(numbers) = &self.0 else { return Ok(None) };
        let persons = Persons::new(space.clone(), ball)?;
        let mut persons = match range {
            Some(range) => persons.predictors(range),
            None => persons,
        };
        persons.add(numbers.iter().copied(), records)?;
        Ok(Some(persons))
    }
}
