//! Persons whose records do not fit into memory together: a part of them at a time.

use super::Persons;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::points::Points;
use crate::records::{Batches, Observations, PredictorRange, Unit};
use crate::space::Space;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// Records that come in batches, each with the key of whoever it belongs to, as often as they are asked for.
pub trait KeyedBatches: Sync {
    /// What says whose a record is.
    type Key: Ord + Hash + Send + Sync;

    /// Gives every record to `each` just once, with its key, in batches of any size and order, which may be several at
    /// a time. A person's records may be in any of them.
    ///
    /// # Errors
    /// As for [`Batches::pass`].
    fn pass(&self, each: &EachKeyed<'_, Self::Key>) -> Result<()>;
}

/// What is done with a batch of records and their keys.
pub type EachKeyed<'a, K> = dyn Fn(Vec<K>, Observations<'_>) -> Result<()> + Sync + 'a;

/// What persons contribute ([`Persons`]), a part of the persons at a time: which part somebody is in is decided by the
/// key. All records are read once for each part, and only those of the part are held. The contributions are the same to
/// the last bit however many parts there are.
///
/// ```
/// use karcher::{Ball, Points, Result, manifold::Euclidean, records::{Observations, Records, Streamed, Unit}};
/// use karcher::statistic::{EachKeyed, KeyedBatches, PersonsInParts};
/// use std::sync::Arc;
///
/// struct Visits;
///
/// impl KeyedBatches for Visits {
///     type Key = u32;
///     fn pass(&self, each: &EachKeyed<'_, u32>) -> Result<()> {
///         let line = Euclidean::new(1)?;
///         each(vec![7, 8], Observations::new(&Points::new(&line, vec![0.2, 0.6])?))?;
///         each(vec![7], Observations::new(&Points::new(&line, vec![0.4])?))
///     }
/// }
///
/// let line = Arc::new(Euclidean::new(1)?);
/// let persons = PersonsInParts::new(Visits, line.clone(), &Ball::at_origin(&*line, 1.0)?, 3)?;
/// let records = Streamed::new(persons, 1 << 20, &[])?;
/// assert_eq!((Records::count(&records), Records::unit(&records)), (2, Unit::Person));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug)]
pub struct PersonsInParts<B> {
    batches: B,
    manifold: Arc<dyn Manifold>,
    ball: Ball,
    range: Option<PredictorRange>,
    parts: u64,
}

impl<B: KeyedBatches> PersonsInParts<B> {
    /// Nobody yet; records will be clipped to the ball. There is at least one part.
    ///
    /// # Errors
    /// As for [`Persons::new`].
    pub fn new(batches: B, manifold: Arc<dyn Manifold>, ball: &Ball, parts: u64) -> Result<Self> {
        Persons::<B::Key>::new(Arc::clone(&manifold), ball)?;
        Ok(Self { batches, manifold, ball: ball.clone(), range: None, parts: parts.max(1) })
    }

    /// The public range of the predictors that records come with ([`Persons::predictors`]).
    #[must_use]
    pub fn predictors(self, range: PredictorRange) -> Self {
        Self { range: Some(range), ..self }
    }

    /// The persons of a part, with their records.
    fn part(&self, part: u64) -> Result<Persons<B::Key>> {
        let persons = Persons::new(Arc::clone(&self.manifold), &self.ball)?;
        let persons = Mutex::new(self.range.into_iter().fold(persons, Persons::predictors));
        self.batches.pass(&|keys, records| {
            let is_here: Vec<bool> = keys.iter().map(|key| self.part_of(key) == part).collect();
            if is_here.len() != records.points().len() {
                let requirement = "there must be one a record, which says whose it is".to_owned();
                let value = is_here.len() as f64;
                return Err(Error::InvalidParameter { name: "number_of_keys", value, requirement });
            }
            let here: Points = records.points().select(|i| is_here[i]);
            let predictors: Option<Vec<f64>> = records
                .predictors()
                .map(|predictors| predictors.iter().zip(&is_here).filter_map(|(x, is)| is.then_some(*x)).collect());
            let keys = keys.into_iter().zip(&is_here).filter_map(|(key, is)| is.then_some(key));
            let here = Observations::new(&here);
            let here = predictors.as_deref().map_or(Ok(here), |predictors| here.with_predictors(predictors))?;
            persons.lock().unwrap_or_else(PoisonError::into_inner).add(keys, here)
        })?;
        Ok(persons.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn part_of(&self, key: &B::Key) -> u64 {
        let mut hasher = DefaultHasher::new(); // the same in every pass
        key.hash(&mut hasher);
        hasher.finish() % self.parts
    }
}

impl<B: KeyedBatches> Batches for PersonsInParts<B> {
    fn space(&self) -> &Space {
        self.manifold.space()
    }

    fn unit(&self) -> Unit {
        Unit::Person
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> Result<()> + Sync)) -> Result<()> {
        for part in 0..self.parts {
            match self.part(part)?.contributions() {
                Err(Error::NoRecords) => {} // nobody is in this part
                contributions => each(contributions?.observations()?)?,
            }
        }
        Ok(())
    }
}
