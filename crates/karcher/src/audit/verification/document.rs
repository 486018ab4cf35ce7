//! The verification of a JSON file of a release, a count, or the releases of groups.

use super::finding::{Finding, Findings};
use super::tree::Comparison;
use super::version::Version;
use super::{expected, groups, is_compared_whole, series, text};
use crate::error::Error;
use crate::manifold::has_linear_numbers;
use crate::release::{Flag, LedgerEntry, Promise, PublishedRelease, ReleasedCount, StatisticName, Value as Released};
use crate::series::SeriesState;
use serde::Serialize;
use serde_json::{Value, json};

/// The result of verifying a file.
///
/// ```
/// use karcher::{ReleaseContext, audit::Verification, mechanism::CountPlan, privacy::Guarantee};
/// let release = CountPlan::new(Guarantee::pure(0.5)?)?.run_on(1_000, &mut ReleaseContext::from_os()?)?;
/// let mut json = serde_json::to_value(release)?;
/// let verification = Verification::of(&json);
/// assert!(verification.complete && verification.findings.is_empty());
/// assert!(verification.promise.is_some_and(|promise| promise.to_string().starts_with("ε = 0.5, one record")));
/// json["note"] = "checked".into();
/// assert_eq!(Verification::of(&json).findings[0].field, "note"); // no release has such a field
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// Whether all numbers were compared. Releases of an earlier version are compared in part, and those without a
    /// specification hardly.
    pub complete: bool,
    /// What the file states to promise, if it has a release. It holds only if there are no findings.
    #[serde(flatten)]
    pub promise: Option<Promise>,
    /// The entry of a ledger that the file names. Only a comparison with the ledger confirms it.
    #[serde(rename = "ledger", skip_serializing_if = "Option::is_none")]
    pub entry: Option<LedgerEntry>,
    /// The contradictions between the file and the specifications in it, and one finding if the release has a seed.
    pub findings: Vec<Finding>,
}

impl Verification {
    /// Verifies the JSON of a release, of a count, of the releases of groups, or of a series.
    ///
    /// In addition to [`PublishedRelease::verify`] it finds fields that no version writes. It compares the predictions
    /// of a regression with its geodesic, and groups with their common specification and guarantee. A release with a
    /// seed has a finding: it agrees with its specification, and is not private.
    pub fn of(json: &Value) -> Self {
        if json["groups"].is_array() {
            return groups::verify(json);
        }
        if SeriesState::is_one(json) {
            return series::verify(json);
        }
        match Document::read(json) {
            Ok(document) => document.verify(json).with_seed(document.promise().flags()),
            Err(reason) => Self::failed(reason),
        }
    }

    /// The same with a finding first if these flags have that of a seed.
    pub(super) fn with_seed(mut self, flags: &[Flag]) -> Self {
        if flags.contains(&Flag::Seeded) {
            self.findings.insert(0, Finding::of_seed());
        }
        self
    }

    /// Reads the JSON of a file, in which no object may have a field twice: readers differ in which one they take.
    ///
    /// # Errors
    /// The reason as a sentence.
    ///
    /// ```
    /// use karcher::audit::Verification;
    /// let error = Verification::read(r#"{"scale": 1.0, "scale": 0.1}"#).unwrap_err();
    /// assert!(error.contains("the field `scale` stands twice"), "{error}");
    /// ```
    pub fn read(json: &str) -> Result<Value, String> {
        text::read(json).map_err(|error| format!("it is not JSON that karcher writes: {error}"))
    }

    /// The verification of a file that has no release: one finding says why.
    ///
    /// ```
    /// use karcher::audit::Verification;
    /// let none = Verification::failed("it is empty");
    /// assert_eq!((none.complete, none.findings[0].to_string().as_str()), (false, "file: it is empty"));
    /// ```
    pub fn failed(reason: impl Into<String>) -> Self {
        let finding = Finding { field: "file".to_owned(), reason: reason.into() };
        Self { complete: false, promise: None, entry: None, findings: vec![finding] }
    }
}

/// The field that a command adds to the release of a regression.
const PREDICTIONS: &str = "predictions";

/// The reasons of files that are no releases, with what to do about them.
pub(super) const OF_SPECIFICATION: &str = "it is a specification; make a release from it with karcher run";
pub(super) const OF_COLLECTION: &str =
    "it is a collected mean, which has no specification; verify the records that it is of";

/// A release or a count that was read.
pub(super) enum Document {
    Count(Box<ReleasedCount>),
    Release(Box<PublishedRelease>),
}

impl Document {
    /// Reads a release or a count, or returns the reason why there is none.
    pub(super) fn read(json: &Value) -> Result<Self, String> {
        if json["spec"].is_number() {
            return Err(OF_SPECIFICATION.to_owned());
        }
        if json["statistic"] == "collected-mean" {
            return Err(OF_COLLECTION.to_owned());
        }
        let read = match json["statistic"] == StatisticName::Count.name() {
            true => serde_json::from_value(json.clone()).map(Self::Count),
            false => serde_json::from_value(json.clone()).map(Self::Release),
        };
        read.map_err(|error| match error.to_string() {
            words if words.contains("untagged enum") => {
                "it is not a release: the fields of its value are missing or of another type".to_owned()
            }
            words => format!("it is not a release: {words}"),
        })
    }

    /// The promise that it states.
    pub(super) fn promise(&self) -> Promise {
        match self {
            Self::Count(count) => count.promise(),
            Self::Release(release) => release.provenance.promise(),
        }
    }

    /// The entry of a ledger that it names.
    pub(super) fn entry(&self) -> Option<&LedgerEntry> {
        match self {
            Self::Count(count) => count.ledger.as_ref().or(count.ledgers.first()),
            Self::Release(release) => release.provenance.ledger.as_ref().or(release.provenance.ledgers.first()),
        }
    }

    /// The JSON that this version writes of it, without predictions.
    pub(super) fn written(&self) -> Value {
        match self {
            Self::Count(count) => json!(count),
            Self::Release(release) => json!(release),
        }
    }

    /// Compares all of it, except that a seed is no finding. `json` is what it was read from.
    pub(super) fn verify(&self, json: &Value) -> Verification {
        let (version, has_plan, findings) = match self {
            Self::Count(count) => (&count.karcher, count.spec.is_some(), of_count(count, json)),
            Self::Release(release) => (&release.provenance.karcher, has_plan(release), of_release(release, json)),
        };
        Verification {
            complete: has_plan && is_compared_whole(version),
            promise: Some(self.promise()),
            entry: self.entry().cloned(),
            findings,
        }
    }
}

/// Whether all of a release follows from what it states. A record that was randomized at home needs no specification.
fn has_plan(release: &PublishedRelease) -> bool {
    release.provenance.spec.is_some() || matches!(release.value, Released::Record(_))
}

/// The findings about the JSON of a release.
pub(super) fn of_release(release: &PublishedRelease, json: &Value) -> Vec<Finding> {
    let how = &release.provenance;
    let mut found = Findings::of_version(&how.karcher, has_plan(release));
    match release.check_guarantee() {
        Ok(()) => (),
        Err(Error::NotPermitted { reason }) => found.add("guarantee", reason),
        Err(error) => found.add("guarantee", error.to_string()),
    }
    let mut expected = json!(expected::release(release, &mut found));
    if let Some(stated) = json.get(PREDICTIONS) {
        match expected::predictions(release, stated) {
            Ok(made) => expected[PREDICTIONS] = made,
            Err(Finding { field, reason }) => {
                found.add(field, reason);
                expected[PREDICTIONS] = stated.clone();
            }
        }
    }
    let is_curved = how.manifold.manifold().is_ok_and(|manifold| !has_linear_numbers(&*manifold));
    let is_earlier = Version::of(&how.karcher) == Version::Another;
    Comparison::new(json, &expected).curved(is_curved).earlier(is_earlier).findings(&mut found);
    found.into_all()
}

/// The findings about the JSON of a count.
pub(super) fn of_count(count: &ReleasedCount, json: &Value) -> Vec<Finding> {
    let mut found = Findings::of_version(&count.karcher, true);
    let expected = json!(expected::count(count, &mut found));
    let is_earlier = Version::of(&count.karcher) == Version::Another;
    Comparison::new(json, &expected).earlier(is_earlier).findings(&mut found);
    found.into_all()
}
