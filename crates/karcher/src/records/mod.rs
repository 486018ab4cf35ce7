//! Confidential records, and the one question that they answer: a [`Term`] summed over all of them.

mod centered;
mod contributions;
mod held;
mod in_memory;
mod predictor_range;
mod pull;
mod quantum;
mod question;
mod remote;
mod seen;
mod source;
mod spool;
mod squares;
mod streamed;
mod term;
mod total;
mod unit;
mod view;

pub(crate) use centered::Centered;
pub use contributions::Contributions;
pub use in_memory::Observations;
pub(crate) use in_memory::{InMemory, check_predictors};
pub use predictor_range::PredictorRange;
pub(crate) use pull::Pull;
pub(crate) use quantum::{BOUND, quantum};
pub use question::Question;
pub use remote::Remote;
pub(crate) use seen::Seen;
pub use source::Source;
pub(crate) use spool::Spool;
pub use streamed::{Batches, Streamed};
pub use term::Term;
pub(crate) use term::{frame_logs, shorten};
pub use total::Total;
pub use unit::Unit;
pub(crate) use view::View;

use crate::Space;
use crate::error::Result;

/// Records that a mechanism is given. They answer nothing by themselves: only as a mechanism sees them, each carried to
/// the ball's center and clipped to the ball, they are summed.
///
/// [`Points`](crate::Points) and [`PointsView`](crate::PointsView) are records, and so are [`Observations`], with a
/// predictor beside each, and [`Contributions`], of which each is one person's. What does not fit into memory is
/// [`Streamed`], and what is on other machines answers as a [`Source`], which [`Remote`] makes records of.
///
/// Nothing else is: that as many records are summed as are counted is part of every proof.
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

    /// What one of them is, and with it what a guarantee protects: a [record](Unit::Record), whoever it belongs to,
    /// unless it is all that a [person](Unit::Person) contributes.
    fn unit(&self) -> Unit {
        Unit::Record
    }

    /// Whether they are held in memory, so that a mechanism can look at them one by one.
    fn is_in_memory(&self) -> bool {
        true
    }

    /// Whether their sums are computed by other processes, as those of [`Remote`] records are.
    fn is_remote(&self) -> bool {
        false
    }

    /// The records as a mechanism sees them.
    ///
    /// # Errors
    /// [`Error::Geometry`](crate::Error::Geometry) for records of another space, and what is wrong with predictors.
    #[doc(hidden)] // only mechanisms have a view
    fn seen(&self, view: View) -> Result<Seen<'_>>;

    /// The answer to a question after which nothing else is asked: the sum that [`seen`](Records::seen) records come to,
    /// to the last bit. Those in memory are carried and summed a few at a time, and none of it is kept.
    ///
    /// # Errors
    /// As for [`seen`](Records::seen), and where records that are elsewhere do not answer.
    #[doc(hidden)] // only mechanisms ask
    fn answer(&self, question: &Question) -> Result<Total>;
}

mod sealed {
    /// Keeps others from making records.
    pub trait Sealed {}

    impl Sealed for crate::points::Points {}
    impl Sealed for crate::points::PointsView<'_> {}
    impl Sealed for super::Observations<'_> {}
    impl Sealed for super::Contributions {}
    impl<S: super::Source> Sealed for super::Remote<S> {}
    impl<B: super::Batches> Sealed for super::Streamed<B> {}
}
