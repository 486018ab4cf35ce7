//! Records prepared for a mechanism.

use super::{ExactSum, InMemory, Preprocessing, Source, SumQuery, Summand};
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::points::{Points, check_space};
use std::fmt;

/// Records prepared for a mechanism: carried to the ball's center, clipped, their predictors scaled and clamped.
/// **Confidential.** Printed with `{:?}` they show their space and number only.
#[doc(hidden)]
pub struct PreparedRecords<'a>(Kept<'a>);

/// Location of the records.
enum Kept<'a> {
    Here { points: Points, numbers: Option<Vec<f64>> },
    Remote { source: &'a dyn Source, view: Box<Preprocessing> },
}

impl fmt::Debug for PreparedRecords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kept::Here { points, numbers } => {
                write!(f, "{points:?}{}", if numbers.is_some() { " with predictors" } else { "" })
            }
            Kept::Remote { source, .. } => write!(f, "{} points of {} elsewhere", source.count(), source.space()),
        }
    }
}

impl<'a> PreparedRecords<'a> {
    /// Records that are held in memory.
    pub(super) fn held(points: Points, numbers: Option<Vec<f64>>) -> Self {
        Self(Kept::Here { points, numbers })
    }

    /// Records of a source.
    pub(super) fn elsewhere(source: &'a dyn Source, view: Preprocessing) -> Result<Self> {
        check_space("records", view.centered.manifold().space(), source.space())?;
        Ok(Self(Kept::Remote { source, view: Box::new(view) }))
    }

    /// The records one by one, in any order.
    ///
    /// # Errors
    /// [`Error::NotInMemory`] for remote records.
    pub(crate) fn in_memory(&self) -> Result<InMemory<'_>> {
        match &self.0 {
            Kept::Here { points, numbers } => Ok(InMemory { points: points.view(), numbers: numbers.as_deref() }),
            Kept::Remote { .. } => Err(Error::NotInMemory),
        }
    }

    /// The answer to the query for which they are prepared.
    pub(crate) fn answer(&self, query: &SumQuery) -> Result<ExactSum> {
        self.sum(query.view().centered.space(), query.term())
    }

    /// The sum of a summand, on the space in which centered records lie.
    ///
    /// # Errors
    /// [`Error::Unanswered`] where remote records cannot be read; those of the summand.
    pub(crate) fn sum(&self, manifold: &dyn Manifold, term: &Summand) -> Result<ExactSum> {
        let (source, view) = match &self.0 {
            Kept::Here { .. } => return self.in_memory()?.sum(manifold, term),
            Kept::Remote { source, view } => (source, view),
        };
        let total = source.sum(&SumQuery::new((**view).clone(), term.clone())?)?;
        let unanswered = |reason: &str| Err(Error::Unanswered { reason: reason.to_owned() });
        if (total.integers().len(), total.quantum()) != (term.len(manifold), term.quantum()) {
            return unanswered("the answer belongs to another question; nothing was released");
        }
        if total.count() != source.count() as u64 {
            return unanswered(
                "the number of records has changed since they were counted, or some were read twice or not at all; \
                 nothing was released",
            );
        }
        // no record adds more, whatever the summand is: this checks remote answers
        let most = i128::from(total.count()).saturating_mul(1 << 52);
        if total.integers().iter().any(|z| z.unsigned_abs() > most.unsigned_abs()) {
            return unanswered("the answer is no sum over that many records; nothing was released");
        }
        Ok(total)
    }
}
