//! Contributions of persons: one record each.

use super::{ExactSum, Observations, PreparedRecords, Preprocessing, PrivacyUnit, Records, SumQuery};
use crate::Space;
use crate::error::Result;
use crate::points::{Points, PointsView};
use std::fmt;

/// One record for each person, made of that person's records alone, with or without a predictor. Only
/// [`Persons`](crate::nonprivate::Persons) makes them. To a mechanism they are records, and its guarantee then protects
/// persons ([`PrivacyUnit::Person`]). **Confidential**, as records are; printed with `{:?}` they show their space and
/// number only.
///
/// ```
/// use karcher::{Ball, Points, manifold::Euclidean, records::{Observations, Records, PrivacyUnit}, nonprivate::Persons};
/// use std::sync::Arc;
/// let line = Arc::new(Euclidean::new(1)?);
/// let mut persons = Persons::new(line.clone(), &Ball::at_origin(&*line, 8.0)?)?;
/// persons.add(["ann", "bob", "ann"], Observations::new(&Points::new(&*line, vec![1.0, 5.0, 3.0])?))?;
/// let contributions = persons.contributions()?;
/// assert_eq!(contributions.points().values(), [2.0, 5.0]);
/// assert_eq!((contributions.count(), contributions.unit()), (2, PrivacyUnit::Person));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Clone)]
pub struct Contributions {
    points: Points,
    predictors: Option<Vec<f64>>,
}

impl fmt::Debug for Contributions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "contributions of {} persons on {}", self.points.len(), self.points.view().space())
    }
}

impl Contributions {
    /// As many predictors as points, or none.
    pub(crate) fn new(points: Points, predictors: Option<Vec<f64>>) -> Self {
        Self { points, predictors }
    }

    /// The points, in the order of the persons' keys.
    pub fn points(&self) -> PointsView<'_> {
        self.points.view()
    }

    /// The predictors, where records had one.
    pub fn predictors(&self) -> Option<&[f64]> {
        self.predictors.as_deref()
    }

    pub(crate) fn observations(&self) -> Result<Observations<'_>> {
        let observations = Observations::new(&self.points);
        match &self.predictors {
            Some(predictors) => observations.with_predictors(predictors),
            None => Ok(observations),
        }
    }
}

impl Records for Contributions {
    fn space(&self) -> &Space {
        self.points.view().space()
    }

    fn count(&self) -> usize {
        self.points.len()
    }

    fn unit(&self) -> PrivacyUnit {
        PrivacyUnit::Person
    }

    fn has_predictors(&self) -> Option<bool> {
        Some(self.predictors.is_some())
    }

    fn seen(&self, view: Preprocessing) -> Result<PreparedRecords<'_>> {
        self.observations()?.held(view)
    }

    fn answer(&self, query: &SumQuery) -> Result<ExactSum> {
        query.answer(self.observations()?)
    }
}
