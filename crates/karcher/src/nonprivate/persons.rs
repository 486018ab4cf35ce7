//! Persons: several records of one person are reduced to one contribution (user guide, U1).
//!
//! A contribution is made of the person's own records and of public quantities alone. So replacing all records of one
//! person by any number of others replaces one contribution by another. A mechanism for `n` records, applied to the
//! contributions of `n` persons, therefore protects persons with the guarantee that it gives records.
//!
//! **It is total, and a function of the set of records.** There is a contribution whatever the records are. It is the
//! same to the last bit for any order of them, any batches and any number of threads: the sums are exact, and the
//! iteration starts at the record whose numbers come first. No proof depends on the accuracy of the mean.

use super::descent::{Descent, Iterate};
use crate::ball::Ball;
use crate::error::{Error, GeometryError, Result};
use crate::manifold::Manifold;
use crate::points::{Points, PointsView};
use crate::records::{Centered, Contributions, Grouped, InMemory, Observations, PredictorRange, Summand};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::sync::Arc;

/// The gradient norm at which the iteration for the mean of a person's records stops, as a fraction of the radius.
const TOLERANCE: f64 = 1e-11;

/// Steps of the fast iteration, and of the safe one where that is stuck.
const FAST: usize = 500;
const CERTAIN: usize = 2_000;

/// Records in their original form, each with the key of its person.
///
/// Batches may come in any order, and a person's records may be in several of them. A person with one record
/// contributes that record, to the last bit. A person with several records contributes their Fréchet mean, each clipped
/// to the ball first ([`Ball::clip`]). The mean of their predictors, each clamped to the range first, goes with it. The
/// ball is public: that of the statistic, or the outer one where a ball is to be located.
///
/// ```
/// use karcher::{Ball, Points, manifold::Sphere, records::Observations, nonprivate::Persons};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let mut persons = Persons::new(sphere.clone(), &Ball::at_origin(&*sphere, 1.0)?)?;
/// let records = Points::new(&*sphere, vec![0.8, 0.6, 0.0, 0.6, 0.0, 0.8, 0.8, -0.6, 0.0])?;
/// persons.add([7, 8, 7], Observations::new(&records))?;
/// let contributions = persons.contributions()?;
/// let points: Vec<&[f64]> = contributions.points().iter().collect();
/// assert!((points[0][0] - 1.0).abs() < 1e-12); // halfway between the two records of person 7
/// assert_eq!(points[1], [0.6, 0.0, 0.8]); // the only record of person 8
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Clone)]
pub struct Persons<K> {
    manifold: Arc<dyn Manifold>,
    centered: Centered,
    range: Option<PredictorRange>,
    keys: Vec<K>,
    values: Vec<f64>,
    predictors: Vec<f64>,
}

impl<K> std::fmt::Debug for Persons<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "records of persons on {}", self.manifold.space())
    }
}

impl<K: Ord + Sync> Persons<K> {
    /// An empty collection; records will be clipped to the ball.
    ///
    /// # Errors
    /// [`Error::Geometry`] for a ball of another space, or for one whose center is no point.
    pub fn new(manifold: Arc<dyn Manifold>, ball: &Ball) -> Result<Self> {
        let centered = Centered::new(&manifold, ball)?;
        Ok(Self { manifold, centered, range: None, keys: vec![], values: vec![], predictors: vec![] })
    }

    /// The public range of the records' predictors, to which each is clamped.
    ///
    /// ```
    /// use karcher::{Ball, Points, PredictorRange, manifold::Euclidean, records::Observations, nonprivate::Persons};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let persons = Persons::new(line.clone(), &Ball::at_origin(&*line, 1.0)?)?;
    /// let mut persons = persons.predictors(PredictorRange::new(0.0, 100.0)?);
    /// let points = Points::new(&*line, vec![0.25, 0.75])?;
    /// persons.add(["ann", "ann"], Observations::new(&points).with_predictors(&[50.0, 900.0])?)?;
    /// assert_eq!(persons.contributions()?.predictors(), Some(&[75.0][..]));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn predictors(self, range: PredictorRange) -> Self {
        Self { range: Some(range), ..self }
    }

    /// Adds records, with the key of the person of each.
    ///
    /// # Errors
    /// [`Error::Geometry`] for records of another space. Also [`Error::InvalidParameter`] unless there is a key for
    /// each, and a predictor exactly where there is a range of them.
    ///
    /// ```
    /// use karcher::{Ball, Points, manifold::Euclidean, records::Observations, nonprivate::Persons};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mut persons = Persons::new(line.clone(), &Ball::at_origin(&*line, 1.0)?)?;
    /// let points = Points::new(&*line, vec![0.25, 0.75])?;
    /// assert_eq!(persons.add([1], Observations::new(&points)).unwrap_err().parameter(), Some("number_of_keys"));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn add(&mut self, keys: impl IntoIterator<Item = K>, records: Observations<'_>) -> Result<()> {
        let points = records.points().check_space(self.manifold.space())?;
        let invalid = |name, found: usize, requirement: &str| {
            Err(Error::InvalidParameter { name, value: found as f64, requirement: requirement.to_owned() })
        };
        let predictors = match (self.range, records.predictors()) {
            (None, None) => &[][..],
            (Some(_), Some(predictors)) => predictors,
            (_, found) => {
                let found = found.map_or(0, <[f64]>::len);
                return invalid("number_of_predictors", found, "there must be one a record if they have a range");
            }
        };
        let before = self.keys.len();
        self.keys.extend(keys);
        let found = self.keys.len() - before;
        if found != points.len() {
            self.keys.truncate(before);
            return invalid("number_of_keys", found, "there must be one key for each record");
        }
        self.values.extend_from_slice(points.values());
        self.predictors.extend_from_slice(predictors);
        Ok(())
    }

    /// Gives every person another key.
    pub(super) fn renumber(&mut self, key: impl Fn(K) -> K)
    where
        K: Copy,
    {
        self.keys.iter_mut().for_each(|of| *of = key(*of));
    }

    /// One contribution for each person, in the order of the keys.
    ///
    /// # Errors
    /// [`Error::Geometry`] where there are no persons.
    ///
    /// ```
    /// use karcher::{Ball, error::GeometryError, manifold::Euclidean, nonprivate::Persons};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let nobody = Persons::<u64>::new(line.clone(), &Ball::at_origin(&*line, 1.0)?)?;
    /// assert_eq!(nobody.contributions().unwrap_err(), GeometryError::NoRecords.into());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn contributions(&self) -> Result<Contributions> {
        let rows = self.in_order()?;
        let persons: Vec<&[usize]> = self.persons(&rows).collect();
        let len = self.manifold.point_len();
        let mut values = vec![0.0; persons.len() * len];
        let reduction = Reduction::new(self);
        values.par_chunks_exact_mut(len).zip(&persons).for_each(|(out, person)| match person {
            [row] => out.copy_from_slice(&self.values[row * len..][..len]),
            several => reduction.mean(several, out),
        });
        let predictor = |range, person: &&[usize]| match person {
            [row] => self.predictors[*row],
            several => mean_predictor(range, several.iter().map(|row| self.predictors[*row])),
        };
        let predictors = self.range.map(|range| persons.par_iter().map(|person| predictor(range, person)).collect());
        let points = Points::unchecked(self.manifold.space(), len, values);
        Ok(Contributions::new(points, predictors))
    }
}

impl<K: Ord + Sync> Persons<K> {
    /// The records of each person, kept apart: for a [gradient](crate::records::Gradient), which is averaged over them.
    ///
    /// # Errors
    /// [`Error::Geometry`] where there are no persons.
    ///
    /// ```
    /// use karcher::{Ball, Points, manifold::Euclidean, records::{Observations, Records}, nonprivate::Persons};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mut persons = Persons::new(line.clone(), &Ball::at_origin(&*line, 8.0)?)?;
    /// persons.add(["ann", "bob", "ann"], Observations::new(&Points::new(&*line, vec![1.0, 5.0, 3.0])?))?;
    /// assert_eq!(persons.grouped()?.count(), 2);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn grouped(&self) -> Result<Grouped> {
        let (rows, len) = (self.in_order()?, self.manifold.point_len());
        let values = rows.iter().flat_map(|row| &self.values[row * len..][..len]).copied().collect();
        let mut end = 0;
        let ends = self.persons(&rows).map(|person| {
            end += person.len();
            end
        });
        Ok(Grouped::new(Points::unchecked(self.manifold.space(), len, values), ends.collect()))
    }

    /// The rows in the order of their persons.
    fn in_order(&self) -> Result<Vec<usize>> {
        if self.keys.is_empty() {
            return Err(GeometryError::NoRecords.into());
        }
        let mut rows: Vec<usize> = (0..self.keys.len()).collect();
        // rows that are in order already, as in most files, are fast to sort
        rows.par_sort_by(|a, b| self.keys[*a].cmp(&self.keys[*b]));
        Ok(rows)
    }

    /// The rows of each person.
    fn persons<'a>(&'a self, rows: &'a [usize]) -> impl Iterator<Item = &'a [usize]> {
        rows.chunk_by(|a, b| self.keys[*a] == self.keys[*b])
    }
}

/// Reduction of the records of one person, with parameters that are the same for all persons.
struct Reduction<'a> {
    manifold: &'a dyn Manifold,
    centered: &'a Centered,
    /// The records, carried to the ball's center and clipped.
    clipped: Points,
    stop: f64,
    /// The fixed step of the safe iteration.
    step: f64,
}

impl<'a> Reduction<'a> {
    fn new<K>(persons: &'a Persons<K>) -> Self {
        let (manifold, centered) = (&*persons.manifold, &persons.centered);
        let records = PointsView::unchecked(manifold.space(), manifold.point_len(), &persons.values);
        let (least, reach) = (centered.least_radius(), 2.0 * centered.negative_angle());
        let step = if reach > 0.0 { reach.tanh() / reach } else { 1.0 };
        let stop = (TOLERANCE * least).max(4.0 * centered.rounding()).max(40.0 * centered.step_rounding() / step);
        Self { manifold, centered, clipped: centered.records(records, true), stop, step }
    }

    /// Writes the mean of the clipped records in some rows; the ball's center if the mean's numbers are no point.
    fn mean(&self, rows: &[usize], out: &mut [f64]) {
        let clipped = self.clipped.view();
        let len = clipped.point_len();
        let records: Vec<f64> = rows.iter().flat_map(|row| &clipped.values()[row * len..][..len]).copied().collect();
        let records = PointsView::unchecked(clipped.space(), len, &records);
        let mean = self.centered.back(&self.centered_mean(records));
        out.copy_from_slice(&mean);
        if self.manifold.check_point(out).is_err() {
            out.copy_from_slice(&self.centered.back(self.centered.center()));
        }
    }

    fn centered_mean(&self, records: PointsView<'_>) -> Vec<f64> {
        let (space, center) = (self.centered.space(), self.centered.center());
        if self.centered.chart().is_some() {
            let term = Summand::ClippedLog { base: center.to_vec(), clip: self.centered.radius() };
            let sum = InMemory { points: records, numbers: None }.sum(space, &term);
            return sum.map_or_else(|_| center.to_vec(), |sum| sum.mean());
        }
        let settle = |x: &mut [f64]| self.centered.pull(x);
        let reach = self.centered.longest_log();
        let sum = |term: &Summand| InMemory { points: records, numbers: None }.sum(space, term);
        let descent = Descent { manifold: space, sum: &sum, bound: reach, settle: &settle };
        // near the person's own records, and independent of their order; a record at the cut locus of another one still
        // has a logarithm at the center
        let first = records.iter().min_by(|a, b| in_order(a, b)).unwrap_or(center);
        let at = |point: &[f64]| descent.at(point.to_vec());
        let Ok(start) = at(first).or_else(|_| at(center)) else { return center.to_vec() };
        self.descend(&descent, start).point
    }

    /// The end of the iteration with the smaller gradient.
    fn descend(&self, descent: &Descent<'_>, start: Iterate) -> Iterate {
        let fast = descent.fast(start.clone(), self.stop, 0.0, FAST);
        if fast.size <= self.stop {
            return fast;
        }
        let certain = descent.certain(start, self.step, self.stop, CERTAIN);
        if certain.size < fast.size { certain } else { fast }
    }
}

/// The order of two lists of numbers by the first in which they differ.
fn in_order(a: &[f64], b: &[f64]) -> Ordering {
    a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The mean of several predictors, each clamped to the range.
fn mean_predictor(range: PredictorRange, predictors: impl Iterator<Item = f64>) -> f64 {
    let mut clamped: Vec<f64> = predictors.map(|x| x.clamp(range.low(), range.high())).collect();
    // sorted, so that the rounded sum does not depend on the order; divided first, so that no sum overflows
    clamped.sort_by(f64::total_cmp);
    let k = clamped.len() as f64;
    clamped.iter().map(|x| x / k).sum::<f64>().clamp(range.low(), range.high())
}
