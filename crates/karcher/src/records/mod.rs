//! Confidential records. They answer one query: a [`Summand`] summed over all of them.

mod centered;
mod contributions;
mod exact_sum;
mod feature_moments;
mod gradient;
mod grouped;
mod held;
mod in_memory;
mod mean_and_square;
mod nearest;
mod predictor_range;
mod prepared;
mod preprocessing;
mod privacy_unit;
#[cfg(test)]
mod proved;
mod quantum;
mod query;
mod record_score;
mod remote;
mod shares;
mod source;
mod spool;
mod squares;
mod streamed;
mod summand;

pub(crate) use centered::Centered;
pub use contributions::Contributions;
pub use exact_sum::ExactSum;
pub use feature_moments::MomentWeights;
pub(crate) use feature_moments::feature_moment_len;
pub(crate) use gradient::TOGETHER;
pub use gradient::{Gradient, Loss};
pub use grouped::Grouped;
pub use in_memory::Observations;
pub(crate) use in_memory::{InMemory, check_predictors};
pub use mean_and_square::SquareWeight;
pub use predictor_range::PredictorRange;
pub(crate) use prepared::PreparedRecords;
pub(crate) use preprocessing::{Preprocessing, no_predictors};
pub use privacy_unit::PrivacyUnit;
pub(crate) use quantum::{BOUND, quantum};
pub use query::SumQuery;
pub(crate) use record_score::RecordScore;
pub use remote::Remote;
pub use source::Source;
pub(crate) use spool::Spool;
pub use streamed::{Batches, Streamed};
pub use summand::Summand;
pub(crate) use summand::{frame_logs, shorten};

use crate::Space;
use crate::error::Result;

/// Input records of a mechanism. They are summed only after preprocessing: each is carried to the ball's center and
/// clipped to the ball.
///
/// [`Points`](crate::Points), [`PointsView`](crate::PointsView), [`Observations`] (points with predictors) and
/// [`Contributions`] (one record for each person) are records. Records that do not fit into memory are [`Streamed`].
/// Records on other machines answer as a [`Source`], and [`Remote`] makes records of it.
///
/// No other type can implement it: every proof needs that as many records are summed as are counted.
///
/// ```
/// use karcher::{Points, manifold::Sphere, records::Records};
/// let points = Points::new(&Sphere::new(1)?, vec![1.0, 0.0, 0.0, 1.0])?;
/// let records: &dyn Records = &points;
/// assert_eq!((records.count(), records.space().as_str()), (2, "sphere:1"));
/// # Ok::<(), karcher::Error>(())
/// ```
pub trait Records: Sync + sealed::Sealed {
    /// The space that the records are of.
    fn space(&self) -> &Space;

    /// Number of records, `n`: public.
    fn count(&self) -> usize;

    /// The privacy unit: a [record](PrivacyUnit::Record), or all that a [person](PrivacyUnit::Person) contributes.
    fn unit(&self) -> PrivacyUnit {
        PrivacyUnit::Record
    }

    /// Whether each record has a predictor. `None` if only the answers of [`Remote`] records show it.
    ///
    /// ```
    /// use karcher::{Points, manifold::Euclidean, records::{Observations, Records}};
    /// let points = Points::new(&Euclidean::new(1)?, vec![1.0, 2.0])?;
    /// assert_eq!(points.has_predictors(), Some(false));
    /// assert_eq!(Observations::new(&points).with_predictors(&[0.0, 1.0])?.has_predictors(), Some(true));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    fn has_predictors(&self) -> Option<bool>;

    /// Whether they are held in memory, so that a mechanism can read them one by one.
    fn is_in_memory(&self) -> bool {
        true
    }

    /// Whether their sums are computed by other processes, as those of [`Remote`] records are.
    fn is_remote(&self) -> bool {
        false
    }

    /// The records after preprocessing.
    ///
    /// # Errors
    /// [`Error::Geometry`](crate::Error::Geometry) for records of another space, and errors of invalid predictors.
    #[doc(hidden)] // only mechanisms have a view
    fn seen(&self, view: Preprocessing) -> Result<PreparedRecords<'_>>;

    /// The answer to a single query: the sum over [`seen`](Records::seen) records, to the last bit. Records in memory
    /// are preprocessed and summed a few at a time, and no copy is kept.
    ///
    /// # Errors
    /// As for [`seen`](Records::seen), and where remote records do not answer.
    #[doc(hidden)] // only mechanisms ask
    fn answer(&self, query: &SumQuery) -> Result<ExactSum>;
}

mod sealed {
    /// Keeps others from making records.
    pub trait Sealed {}

    impl Sealed for crate::points::Points {}
    impl Sealed for crate::points::PointsView<'_> {}
    impl Sealed for super::Observations<'_> {}
    impl Sealed for super::Contributions {}
    impl Sealed for super::Grouped {}
    impl<S: super::Source> Sealed for super::Remote<S> {}
    impl<B: super::Batches> Sealed for super::Streamed<B> {}
}
