//! Records on other machines, which answer queries.

use super::{ExactSum, PreparedRecords, Preprocessing, PrivacyUnit, Records, Source, SumQuery};
use crate::Space;
use crate::error::Result;
use std::fmt;

/// Records of a [`Source`].
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, Result, Space, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
/// use karcher::{privacy::Guarantee, records::{Observations, SumQuery, Remote, Source, ExactSum}};
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
///     fn sum(&self, query: &SumQuery) -> Result<ExactSum> {
///         let parts = self.1.iter().map(|points| query.answer(Observations::new(points)));
///         parts.into_iter().try_fold(query.nothing(), |sum, part| sum.merge(part?))
///     }
/// }
///
/// let line = Arc::new(Euclidean::new(1)?);
/// let points = |values: Vec<f64>| Points::new(&*line, values);
/// let cluster = Cluster("euclidean:1".parse()?, [points(vec![0.2, 0.9])?, points(vec![-0.5])?]);
/// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
/// let plan = Request::new(mean, 3, Guarantee::pure(1.0)?).plan()?;
/// let together = plan.run(&points(vec![-0.5, 0.2, 0.9])?, &mut ReleaseContext::seeded(1))?;
/// assert_eq!(plan.run(&Remote::new(cluster), &mut ReleaseContext::seeded(1))?.value(), together.value());
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

    fn unit(&self) -> PrivacyUnit {
        self.0.unit()
    }

    fn has_predictors(&self) -> Option<bool> {
        None
    }

    fn is_in_memory(&self) -> bool {
        false
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn seen(&self, view: Preprocessing) -> Result<PreparedRecords<'_>> {
        PreparedRecords::elsewhere(&self.0, view)
    }

    fn answer(&self, query: &SumQuery) -> Result<ExactSum> {
        self.seen(query.view().clone())?.answer(query)
    }
}
