//! Verification: whether a published release is what its specification leads to.
//!
//! Everything in a release, except the noisy numbers themselves, is a function of three things. These are its
//! specification, the number of records (or the guess of it) and the version of the library. So a reader can plan the
//! release again. The [plan](crate::mechanism::Plan) makes a release of the stated noisy numbers, by the code that made
//! the stated one. The two trees of JSON are compared leaf by leaf. The noise must also imply the stated guarantee.
//!
//! **What no reader can find.** The noisy numbers depend on the records and on chance. So a release is not
//! contradicted by
//!
//! * noisy numbers moved to another point of the lattice, with everything that follows from them computed again;
//! * noise that was drawn from another law than the stated one, or twice with a choice between the results;
//! * a number of records that is not that of the data, with all scales computed for it;
//! * records that were read, clipped or counted in another way than stated;
//! * another specification, with a release that was made from it;
//! * public fields on which no noise depends: the layout, the columns and the template; the range of a predictor, the
//!   unit, or names of groups, changed in both places (a [`Booking`] has the unit);
//! * the variance of a predictor;
//! * the number of the ledger's entry, which [`Booking`] compares with a ledger;
//! * a flag that only the run knows: `seeded`, `remote-sums` and `missing-dropped`;
//! * digits below the resolution of a double, where the lattice is finer than that;
//! * digits of a located center that is flagged `beyond-precision`, and of a geodesic as far out;
//! * centers of clusters, moved within the ball: the noisy sums of the steps to them are not stated;
//! * the variances and directions of components, as long as they are in order and perpendicular.

mod booking;
mod document;
mod expected;
mod finding;
mod groups;
mod series;
mod text;
mod tree;
mod version;
mod words;

pub use booking::Booking;
pub use document::Verification;
pub use finding::Finding;

use crate::release::{PublishedRelease, ReleasedCount, Value};
use serde_json::json;
use version::THIS;

/// Whether every number of a release by a version of the library is compared. Of an earlier version the noise must be
/// enough, and its other numbers may differ.
///
/// ```
/// assert!(karcher::audit::is_compared_whole(env!("CARGO_PKG_VERSION")));
/// assert!(!karcher::audit::is_compared_whole("0.0.1"));
/// ```
pub fn is_compared_whole(version: &str) -> bool {
    version == THIS
}

impl PublishedRelease {
    /// The contradictions between the release and its own specification: none for a genuine release.
    ///
    /// It plans the release again, which touches no records and spends no budget. It cannot know the records, the noise
    /// or the seed: two releases of one specification have different values, and neither is contradicted.
    ///
    /// A release without a specification has one finding that says so, together with those about its guarantee. A
    /// record that was randomized at home needs none: its space, its ball and its guarantee determine the rest.
    ///
    /// ```
    /// use karcher::{Points, ReleaseContext, ReleaseSpec, mechanism::Plan, release::PublishedRelease};
    /// let spec: ReleaseSpec = serde_json::from_str(
    ///     r#"{"spec": 1, "statistic": "frechet-mean", "manifold": "euclidean:1", "budget": {"definition": "pure",
    ///         "epsilon": 1.0}, "ball": {"center": [0.0], "radius": 1.0}}"#,
    /// )?;
    /// let records = Points::new(&*spec.manifold()?, vec![0.2; 100])?;
    /// let release = spec.plan(100)?.run(&records, &mut ReleaseContext::from_os()?)?;
    /// let mut published = PublishedRelease::from(release);
    /// assert_eq!(published.verify(), []);
    /// published.provenance.scale /= 2.0;
    /// assert!(published.verify().iter().any(|finding| finding.field == "scale"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verify(&self) -> Vec<Finding> {
        document::of_release(self, &json!(self))
    }
}

impl ReleasedCount {
    /// The contradictions between the count and its own specification: none for a genuine one.
    ///
    /// The noisy number is a whole number, and everything else follows from it and the budget. No reader can know which
    /// whole number was drawn.
    ///
    /// ```
    /// use karcher::{ReleaseContext, mechanism::CountPlan, privacy::Guarantee};
    /// let mut release = CountPlan::new(Guarantee::pure(0.5)?)?.run_on(1_000, &mut ReleaseContext::from_os()?)?;
    /// assert_eq!(release.verify(), []);
    /// release.scale = 1.0;
    /// assert_eq!(release.verify()[0].field, "scale");
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn verify(&self) -> Vec<Finding> {
        document::of_count(self, &json!(self))
    }
}

/// The findings about records that were randomized at home in one space and ball, with one guarantee. What they state
/// about their noise is compared once where it is equal.
pub(crate) fn findings_of_records(reports: &[PublishedRelease]) -> impl Iterator<Item = (usize, Vec<Finding>)> {
    let plan = reports.first().and_then(|first| expected::at_home(&first.provenance).ok());
    reports.iter().enumerate().map(move |(i, report)| {
        let is_like_first = i > 0 && report.provenance == reports[0].provenance;
        let is_report = if let (Some(plan), Value::Record(record)) = (&plan, &report.value) {
            plan.reported(&record.coordinates).is_ok_and(|made| made == record.coordinates)
        } else {
            false
        };
        (i, if is_like_first && is_report { vec![] } else { report.verify() })
    })
}
