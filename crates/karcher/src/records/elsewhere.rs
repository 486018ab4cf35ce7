//! Records on other machines, which answer questions.

use super::{Question, Records, Seen, Total, Unit, View};
use crate::Space;
use crate::error::Result;
use std::fmt;

/// Where records are that are not in this process: the partitions of a cluster's engine, a database, another program.
///
/// It answers [`Question`]s by [`Question::answer`], applied to each of its records just once, and nothing else: parts
/// may be added in any order, computed twice, and lost and computed again, and the sum is the same to the last bit. No
/// noise is drawn there, and no generator is sent.
pub trait Source: Sync {
    /// The space that the records are of.
    fn space(&self) -> &Space;

    /// Number of records. Every answer must be about as many, or nothing is released.
    fn count(&self) -> usize;

    /// What one of them is: a record, whoever it belongs to, unless it is made of all records of one person.
    fn unit(&self) -> Unit {
        Unit::Record
    }

    /// The answer to a question, over all records.
    ///
    /// # Errors
    /// [`Error::Unanswered`](crate::Error::Unanswered) with a sentence that says what failed, and tells nothing of a
    /// record: nothing is released then.
    fn sum(&self, question: &Question) -> Result<Total>;
}

/// Records that a [`Source`] has.
///
/// ```
/// use karcher::{Ball, Door, Points, Result, Space, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
/// use karcher::{privacy::Guarantee, records::{Observations, Question, Remote, Source, Total}};
/// use std::sync::Arc;
///
/// /// Two machines, as it were.
/// struct Cluster(Space, [Points; 2]);
///
/// impl Source for Cluster {
///     fn space(&self) -> &Space {
///         &self.0
///     }
///     fn count(&self) -> usize {
///         self.1.iter().map(Points::len).sum()
///     }
///     fn sum(&self, question: &Question) -> Result<Total> {
///         let parts = self.1.iter().map(|points| question.answer(Observations::new(points)));
///         parts.into_iter().try_fold(question.nothing(), |sum, part| sum.merge(part?))
///     }
/// }
///
/// let line = Arc::new(Euclidean::new(1)?);
/// let points = |values: Vec<f64>| Points::new(&*line, values);
/// let cluster = Cluster("euclidean:1".parse()?, [points(vec![0.2, 0.9])?, points(vec![-0.5])?]);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Request::new(mean, 3, Guarantee::pure(1.0)?).plan()?;
/// let together = plan.run(&points(vec![-0.5, 0.2, 0.9])?, &mut Door::seeded(1))?;
/// assert_eq!(plan.run(&Remote::new(cluster), &mut Door::seeded(1))?.value(), together.value());
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Clone)]
pub struct Remote<S>(S);

impl<S: Source> Remote<S> {
    /// The records of a source.
    pub fn new(source: S) -> Self {
        Self(source)
    }
}

impl<S: Source> fmt::Debug for Remote<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points of {} elsewhere", self.0.count(), self.0.space())
    }
}

impl<S: Source> Records for Remote<S> {
    fn space(&self) -> &Space {
        self.0.space()
    }

    fn count(&self) -> usize {
        self.0.count()
    }

    fn unit(&self) -> Unit {
        self.0.unit()
    }

    fn is_in_memory(&self) -> bool {
        false
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn seen(&self, view: View) -> Result<Seen<'_>> {
        Seen::elsewhere(&self.0, view)
    }

    fn answer(&self, question: &Question) -> Result<Total> {
        question.sum(&self.seen(question.view().clone())?)
    }
}
