//! Sources: records on other machines.

use super::{ExactSum, PrivacyUnit, SumQuery};
use crate::Space;
use crate::error::Result;

/// A source of records outside of this process: the partitions of a cluster's engine, a database, another program.
///
/// It answers [`SumQuery`]s by [`SumQuery::answer`], applied to each of its records exactly once. Parts may be added in
/// any order, computed twice, and lost and computed again: the sum is the same to the last bit. No noise is drawn
/// there, and no generator is sent.
pub trait Source: Sync {
    /// The space that the records are of.
    fn space(&self) -> &Space;

    /// Number of records. Every answer must be about as many; otherwise nothing is released.
    fn count(&self) -> usize;

    /// The privacy unit: a record, unless each record is made of all records of one person.
    fn unit(&self) -> PrivacyUnit {
        PrivacyUnit::Record
    }

    /// The answer to a query, over all records.
    ///
    /// # Errors
    /// [`Error::Unanswered`](crate::Error::Unanswered) with a sentence that names the failure and reveals nothing about
    /// a record. Nothing is released then.
    fn sum(&self, query: &SumQuery) -> Result<ExactSum>;
}
