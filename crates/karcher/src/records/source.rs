//! What answers for records that are on other machines.

use super::{ExactSum, PrivacyUnit, SumQuery};
use crate::Space;
use crate::error::Result;

/// Where records are that are not in this process: the partitions of a cluster's engine, a database, another program.
///
/// It answers [`SumQuery`]s by [`SumQuery::answer`], applied to each of its records just once, and nothing else: parts
/// may be added in any order, computed twice, and lost and computed again, and the sum is the same to the last bit. No
/// noise is drawn there, and no generator is sent.
pub trait Source: Sync {
    /// The space that the records are of.
    fn space(&self) -> &Space;

    /// Number of records. Every answer must be about as many, or nothing is released.
    fn count(&self) -> usize;

    /// What one of them is: a record, whoever it belongs to, unless it is made of all records of one person.
    fn unit(&self) -> PrivacyUnit {
        PrivacyUnit::Record
    }

    /// The answer to a question, over all records.
    ///
    /// # Errors
    /// [`Error::Unanswered`](crate::Error::Unanswered) with a sentence that says what failed, and tells nothing of a
    /// record: nothing is released then.
    fn sum(&self, query: &SumQuery) -> Result<ExactSum>;
}
