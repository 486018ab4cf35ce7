//! Verification: whether a published release is what its specification leads to.
//!
//! Everything in a release, except the noisy numbers themselves, is a function of three things. These are its
//! specification, the number of records (or the guess of it) and the version of the library. So a reader can plan the
//! release again and compare.
//!
//! | part | rule |
//! | --- | --- |
//! | guarantee | its noise implies it, and it is the one that the plan states |
//! | scales, sensitivities, draws | those of the plan; of another version none is smaller |
//! | noisy numbers | they lie on the stated lattice, if its step exceeds 2⁻⁴⁰ of the largest number; coordinates always |
//! | the other numbers of a value | the plan computes them again from the noisy numbers |
//!
//! **What no reader can find.** The noisy numbers depend on the records and on chance. So a release is not
//! contradicted by
//!
//! * noisy numbers moved to another point of the lattice, with everything that follows from them computed again;
//! * noise that was drawn from another law than the stated one, or twice with a choice between the results;
//! * a number of records that is not that of the data, with all scales computed for it;
//! * records that were read, clipped or counted in another way than stated;
//! * another specification, with a release that was made from it;
//! * public fields on which no noise depends: the layout; the range of a predictor or the unit, changed in both places
//!   (a [`Booking`] has the unit);
//! * the number of the ledger's entry, which [`Booking`] compares with a ledger;
//! * a flag that only the run knows: `seeded`, `remote-sums` and `missing-dropped`;
//! * digits below the resolution of a double, where the lattice is finer than that;
//! * digits of a located center that is flagged `beyond-precision`, and of a geodesic as far out;
//! * centers of clusters, moved within the ball: the noisy sums of the steps to them are not stated;
//! * the variances and directions of components, as long as they are in order and perpendicular.

mod booking;
mod clusters;
mod companions;
mod count;
mod document;
mod extrinsic;
mod features;
mod fields;
mod finding;
mod flags;
mod groups;
mod located;
mod noise;
mod numbers;
mod place;
mod planned;
mod predictions;
mod provenance;
mod text;
mod value;
mod version;
mod words;

pub use booking::Booking;
pub use document::Verification;
pub use finding::Finding;

use crate::mechanism::Randomizer;
use crate::release::{Provenance, PublishedRelease, Value};
use crate::vector::norm;
use finding::Findings;
use planned::Planned;
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
    /// It plans the release again, which touches no records and spends nothing. It cannot know the records, the noise
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
        let how = &self.provenance;
        let mut found = Findings::of_version(&how.karcher);
        found.since_specs(how.spec.is_some() || matches!(self.value, Value::Record(_)), &how.karcher);
        if let Err(error) = self.check_guarantee() {
            found.add("guarantee", reason_of(error));
        }
        noise::parts_compose(self, &mut found);
        companions::agrees_with_draws(self, &mut found);
        match (&how.spec, &self.value) {
            (Some(spec), _) => {
                if provenance::is_asked(how, spec, &mut found)
                    && let Some(planned) = Planned::new(self, spec, &mut found)
                {
                    planned.compare(self, spec.region, &mut found);
                }
            }
            (None, Value::Record(_)) => record(self, &mut found),
            (None, _) => found.add("spec", NO_SPEC),
        }
        found.into_all()
    }
}

/// The finding about a release without a specification.
const NO_SPEC: &str = "the release has none, so only its guarantee was compared with its noise; its scale, value and \
                       flags were not checked";

/// A record that was randomized at home: its space, its ball and its guarantee determine the rest.
fn record(release: &PublishedRelease, found: &mut Findings) {
    match again_at_home(&release.provenance) {
        Ok(plan) => compare_record((plan.length(), &Planned::of_plan(Box::new(plan))), release, found),
        Err(error) => found.add("ball", not_planned(&error)),
    }
}

fn compare_record((length, planned): (Option<f64>, &Planned), release: &PublishedRelease, found: &mut Findings) {
    if let (Some(length), Value::Record(record)) = (length, &release.value)
        && (norm(&record.coordinates) / length - 1.0).abs() > 1e-9
    {
        found.add("coordinates", "a report by privunit has another length");
    }
    planned.compare(release, None, found);
}

/// The findings about records that were randomized at home in one space and ball, with one guarantee. They have one
/// plan, and what they state about their noise is compared once where it is equal.
pub(crate) fn findings_of_records(reports: &[PublishedRelease]) -> impl Iterator<Item = (usize, Vec<Finding>)> {
    let plan = reports.first().map(|first| again_at_home(&first.provenance).map(|plan| (plan.length(), plan)));
    let planned = plan.and_then(Result::ok).map(|(length, plan)| (length, Planned::of_plan(Box::new(plan))));
    reports.iter().enumerate().map(move |(i, report)| match &planned {
        Some((length, planned)) if i > 0 && report.provenance == reports[0].provenance => {
            let mut found = Findings::of_version(&report.provenance.karcher);
            compare_record((*length, planned), report, &mut found);
            (i, found.into_all())
        }
        _ => (i, report.verify()),
    })
}

/// The plan of a record that was randomized at home.
fn again_at_home(how: &Provenance) -> crate::Result<Randomizer> {
    Randomizer::new(how.manifold.manifold()?, how.ball.clone(), how.guarantee)
}

/// The reason of an error, without the words that a release is not permitted.
fn reason_of(error: crate::Error) -> String {
    match error {
        crate::Error::NotPermitted { reason } => reason,
        other => other.to_string(),
    }
}

/// The sentence for a plan that does not exist.
fn not_planned(error: &crate::Error) -> String {
    format!("this version cannot plan such a release: {error}")
}
