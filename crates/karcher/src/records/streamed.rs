//! Records that are read again for each query, batch by batch.

use super::{ExactSum, Observations, PreparedRecords, Preprocessing, PrivacyUnit, Records, Source, SumQuery};
use crate::PointsView;
use crate::Space;
use crate::error::Result;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Records that can be read in batches repeatedly, such as files.
pub trait Batches: Sync {
    /// The space that the records are of.
    fn space(&self) -> &Space;

    /// The privacy unit.
    fn unit(&self) -> PrivacyUnit {
        PrivacyUnit::Record
    }

    /// Passes every record to `each` exactly once, in batches of any size and order; several calls may run at a time.
    ///
    /// # Errors
    /// The first error of `each`; otherwise [`Error::Unanswered`](crate::Error::Unanswered) with a sentence on an error
    /// in the records.
    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> Result<()> + Sync)) -> Result<()>;

    /// The answer to a query, over every record, where there is a faster way than a [`pass`](Batches::pass).
    ///
    /// # Errors
    /// As for a pass.
    fn answer(&self, _query: &SumQuery) -> Result<Option<ExactSum>> {
        Ok(None)
    }
}

/// Records that are read batch by batch. If they fit into a given memory they are kept there; otherwise they are read
/// again for each sum. The release is the same to the last bit.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, Result, Space, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
/// use karcher::{privacy::Guarantee, records::{Batches, Observations, Records, Streamed}};
/// use std::sync::Arc;
///
/// /// A thousand batches that nobody holds at once.
/// struct Thousand(Space);
///
/// impl Batches for Thousand {
///     fn space(&self) -> &Space {
///         &self.0
///     }
///     fn pass(&self, each: &(dyn Fn(Observations<'_>) -> Result<()> + Sync)) -> Result<()> {
///         let line = self.0.manifold()?;
///         (0..1_000).try_for_each(|i| each(Observations::new(&Points::new(&*line, vec![f64::from(i) / 1e3; 50])?)))
///     }
/// }
///
/// let line = Arc::new(Euclidean::new(1)?);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let records = Streamed::new(Thousand("euclidean:1".parse()?), 4096, &[mean.first_query()?])?; // one pass
/// let plan = Request::new(mean, records.count(), Guarantee::pure(1.0)?).plan()?;
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?; // and no other one
/// assert!((release.value()[0] - 0.4995).abs() < 0.01);
/// # Ok::<(), karcher::Error>(())
/// ```
pub struct Streamed<B> {
    batches: B,
    count: usize,
    has_predictors: bool,
    held: Option<Held>,
    known: Vec<(SumQuery, ExactSum)>,
}

/// Records that are kept.
struct Held {
    space: Space,
    /// 0 until it is known.
    point_len: usize,
    values: Vec<f64>,
    predictors: Vec<f64>,
}

impl Held {
    /// Adds a centered copy of records, unless all together would take more than `memory` bytes.
    fn add(mut self, records: Observations<'_>, memory: usize) -> Option<Self> {
        let (points, predictors) = (records.points(), records.predictors().unwrap_or_default());
        let numbers = self.values.len() + points.values().len() + self.predictors.len() + predictors.len();
        if numbers.saturating_mul(2 * size_of::<f64>()) > memory {
            return None;
        }
        self.point_len = points.point_len();
        self.values.extend_from_slice(points.values());
        self.predictors.extend_from_slice(predictors);
        Some(self)
    }

    fn observations(&self) -> Result<Observations<'_>> {
        let points = Observations::new(PointsView::unchecked(&self.space, self.point_len, &self.values));
        // no records have as many predictors
        let has_none = self.predictors.is_empty() && !self.values.is_empty();
        if has_none { Ok(points) } else { points.with_predictors(&self.predictors) }
    }
}

/// Results of the first pass.
struct First {
    count: usize,
    has_predictors: bool,
    held: Option<Held>,
    known: Vec<(SumQuery, ExactSum)>,
}

impl<B: Batches> Streamed<B> {
    /// Reads the records once. It counts them, keeps them if they take no more than `memory` bytes, and answers the
    /// given queries, which then need no further pass.
    ///
    /// # Errors
    /// Errors in the records.
    pub fn new(batches: B, memory: usize, queries: &[SumQuery]) -> Result<Self> {
        if let ([query], 0) = (queries, memory)
            && let Some(sum) = batches.answer(query)?
        {
            let (count, known) = (sum.count() as usize, vec![(query.clone(), sum)]);
            return Ok(Self { batches, count, has_predictors: false, held: None, known });
        }
        let space = batches.space().clone();
        // for a user-defined space it is known with its first record
        let point_len = space.manifold().map_or(0, |manifold| manifold.point_len());
        let held = Held { space, point_len, values: vec![], predictors: vec![] };
        let known = queries.iter().map(|query| (query.clone(), query.nothing())).collect();
        let first = Mutex::new(First { count: 0, has_predictors: true, held: Some(held), known });
        batches.pass(&|records| {
            let answers = queries.iter().map(|query| query.answer(records)).collect::<Result<Vec<_>>>()?;
            let mut first = lock(&first);
            first.count += records.points().len();
            first.has_predictors &= records.predictors().is_some() || records.points().len() == 0;
            first.held = first.held.take().and_then(|held| held.add(records, memory));
            first.known.iter_mut().zip(answers).try_for_each(|((_, sum), answer)| merge(sum, answer))
        })?;
        let First { count, has_predictors, held, known } = first.into_inner().unwrap_or_else(PoisonError::into_inner);
        let held = held.filter(|held| held.point_len > 0);
        Ok(Self { batches, count, has_predictors, held, known })
    }

    pub(crate) fn batches(&self) -> &B {
        &self.batches
    }
}

impl<B: Batches> fmt::Debug for Streamed<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points of {} in batches", self.count, self.batches.space())
    }
}

impl<B: Batches> Source for Streamed<B> {
    fn space(&self) -> &Space {
        self.batches.space()
    }

    fn count(&self) -> usize {
        self.count
    }

    fn unit(&self) -> PrivacyUnit {
        self.batches.unit()
    }

    fn sum(&self, query: &SumQuery) -> Result<ExactSum> {
        if let Some((_, total)) = self.known.iter().find(|(known, _)| known == query) {
            return Ok(total.clone());
        }
        if let Some(total) = self.batches.answer(query)? {
            return Ok(total);
        }
        let sum = Mutex::new(query.nothing());
        self.batches.pass(&|records| {
            let answer = query.answer(records)?;
            merge(&mut lock(&sum), answer)
        })?;
        Ok(sum.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<B: Batches> Records for Streamed<B> {
    fn space(&self) -> &Space {
        self.batches.space()
    }

    fn count(&self) -> usize {
        self.count
    }

    fn unit(&self) -> PrivacyUnit {
        self.batches.unit()
    }

    fn has_predictors(&self) -> Option<bool> {
        Some(self.has_predictors)
    }

    fn is_in_memory(&self) -> bool {
        self.held.is_some()
    }

    fn seen(&self, view: Preprocessing) -> Result<PreparedRecords<'_>> {
        match &self.held {
            Some(held) => held.observations()?.held(view),
            None => PreparedRecords::elsewhere(self, view),
        }
    }

    fn answer(&self, query: &SumQuery) -> Result<ExactSum> {
        match &self.held {
            Some(held) => query.answer(held.observations()?),
            None => self.seen(query.view().clone())?.answer(query),
        }
    }
}

/// Adds an answer to a sum.
fn merge(sum: &mut ExactSum, answer: ExactSum) -> Result<()> {
    *sum = sum.clone().merge(answer)?;
    Ok(())
}

/// Locks, also after a panic of another thread. That thread's sum lacks its batch, but no one uses it: the panic
/// propagates.
fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
