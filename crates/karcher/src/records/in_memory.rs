//! Records that are held in memory.

use super::{ExactSum, Summand};
use crate::error::{Error, GeometryError, Result};
use crate::manifold::Manifold;
use crate::points::PointsView;
use rayon::prelude::*;
use std::fmt;

/// Points with or without a number each.
#[derive(Clone, Copy)]
pub(crate) struct InMemory<'a> {
    pub(crate) points: PointsView<'a>,
    pub(crate) numbers: Option<&'a [f64]>,
}

impl InMemory<'_> {
    /// The sum of a summand: exact, so the same to the last bit for any order of the records and any number of threads.
    pub(crate) fn sum(&self, manifold: &dyn Manifold, term: &Summand) -> Result<ExactSum> {
        sum_of_chunks(self.points, (manifold, term), |first, chunk, sum| {
            term.add(manifold, chunk, self.numbers.map(|t| &t[first..][..chunk.len()]), sum)
        })
    }
}

/// The sum of a summand over chunks of records. `add` adds a chunk, given the index of its first record.
pub(super) fn sum_of_chunks(
    points: PointsView<'_>,
    (manifold, term): (&dyn Manifold, &Summand),
    add: impl Fn(usize, PointsView<'_>, &mut [i64]) -> Result<()> + Sync,
) -> Result<ExactSum> {
    let len = term.len(manifold);
    let part = |(first, chunk): (usize, PointsView<'_>)| -> Result<Vec<i64>> {
        let mut sum = vec![0; len];
        add(first, chunk, &mut sum)?;
        Ok(sum)
    };
    let merge = |mut sum: Vec<i128>, part: Vec<i64>| {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += i128::from(part));
        sum
    };
    let zero = || vec![0_i128; len];
    // one chunk is not worth waking other threads, thousands of times in a chain
    let mut chunks = points.tasks();
    let sum = if chunks.len() <= 1 {
        chunks.next().map_or_else(|| Ok(zero()), |chunk| part(chunk).map(|part| merge(zero(), part)))?
    } else {
        let chunks: Vec<(usize, PointsView<'_>)> = chunks.collect();
        chunks.into_par_iter().map(part).try_fold(zero, |sum, part| part.map(|part| merge(sum, part))).try_reduce(
            zero,
            |mut a, b| {
                a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
                Ok(a)
            },
        )?
    };
    Ok(ExactSum::new(points.len() as u64, sum, term.quantum()))
}

/// Points, each with the predictor of a regression or without. Printed with `{:?}` they show their space and number
/// only.
///
/// ```
/// use karcher::{Points, manifold::Sphere, records::{Observations, Records}};
/// let sphere = Sphere::new(2)?;
/// let points = Points::new(&sphere, vec![1.0, 0.0, 0.0, 0.6, 0.8, 0.0])?;
/// let observations = Observations::new(&points).with_predictors(&[1.0, 2.0])?;
/// assert_eq!(observations.count(), 2);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Observations<'a> {
    pub(super) points: PointsView<'a>,
    predictors: Option<&'a [f64]>,
}

impl fmt::Debug for Observations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(f, self.points, self.predictors.is_some())
    }
}

/// Records without any number of theirs.
fn print(f: &mut fmt::Formatter<'_>, points: PointsView<'_>, with_predictors: bool) -> fmt::Result {
    write!(f, "{points:?}{}", if with_predictors { " with predictors" } else { "" })
}

impl<'a> Observations<'a> {
    /// The points alone.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, records::{Observations, Summand}};
    /// let line = Euclidean::new(1)?;
    /// let points = Points::new(&line, vec![1.0, 2.0, 6.0])?;
    /// let total = Observations::new(&points).sum(&line, &Summand::ClippedLog { base: vec![0.0], clip: 8.0 })?;
    /// assert_eq!(total.mean(), [3.0]);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(points: impl Into<PointsView<'a>>) -> Self {
        Self { points: points.into(), predictors: None }
    }

    /// The points with a predictor each.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless there are as many predictors as points. [`Error::Geometry`] for a predictor
    /// that is not a finite number.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, records::Observations};
    /// let points = Points::new(&Euclidean::new(1)?, vec![1.0, 2.0])?;
    /// let refused = Observations::new(&points).with_predictors(&[5.0]).unwrap_err();
    /// assert_eq!(refused.parameter(), Some("number_of_predictors"));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn with_predictors(self, predictors: &'a [f64]) -> Result<Self> {
        check_predictors(self.points.len(), predictors)?;
        Ok(Self { predictors: Some(predictors), ..self })
    }

    /// The points.
    pub fn points(&self) -> PointsView<'a> {
        self.points
    }

    /// The predictors of the points.
    pub fn predictors(&self) -> Option<&'a [f64]> {
        self.predictors
    }

    /// The sum of a summand, **not private**; predictors are the `t` of [`Summand`].
    ///
    /// # Errors
    /// [`Error::Geometry`] for another manifold than that of the points, for an invalid base point of the summand, and
    /// for records without a logarithm there.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, records::{Observations, Summand}};
    /// let line = Euclidean::new(1)?;
    /// let points = Points::new(&line, vec![1.0, 2.0])?;
    /// let weighted = Observations::new(&points).with_predictors(&[10.0, 100.0])?;
    /// let total = weighted.sum(&line, &Summand::Log { base: vec![0.0], bound: 256.0 })?;
    /// assert_eq!(total.mean(), [105.0]); // ½·Σ tᵢ·xᵢ
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn sum(&self, manifold: &dyn Manifold, term: &Summand) -> Result<ExactSum> {
        let points = self.points.check_space(manifold.space())?;
        term.check(manifold)?;
        InMemory { points, numbers: self.predictors }.sum(manifold, term)
    }
}

/// Checks that there is one finite number for each record.
pub(crate) fn check_predictors(n: usize, predictors: &[f64]) -> Result<()> {
    if predictors.len() != n {
        let requirement = format!("there must be one for each record, {n} in all");
        return Err(Error::InvalidParameter {
            name: "number_of_predictors",
            value: predictors.len() as f64,
            requirement,
        });
    }
    match predictors.iter().position(|x| !x.is_finite()) {
        Some(i) => {
            Err(GeometryError::InvalidRecord { row: i + 1, reason: format!("its predictor is {}", predictors[i]) }
                .into())
        }
        None => Ok(()),
    }
}
