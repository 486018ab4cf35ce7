//! The verification of a JSON file of a release, a count, or the releases of groups.

use super::finding::Findings;
use super::predictions::{self, PREDICTIONS};
use super::{Finding, fields, groups, is_compared_whole, text};
use crate::release::{PublishedRelease, ReleasedCount, StatisticName, Value as Released};
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
/// json["note"] = "checked".into();
/// assert_eq!(Verification::of(&json).findings[0].field, "note"); // no release has such a field
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// Whether all numbers were compared. Releases of an earlier version are compared in part, and those without a
    /// specification hardly.
    pub complete: bool,
    /// The contradictions between the file and the specifications in it.
    pub findings: Vec<Finding>,
}

impl Verification {
    /// Verifies the JSON of a release, of a count, or of the releases of groups.
    ///
    /// In addition to [`PublishedRelease::verify`] it finds fields that no version writes. It compares the predictions of
    /// a regression with its geodesic, and groups with their common specification and guarantee.
    pub fn of(json: &Value) -> Self {
        if json["groups"].is_array() {
            return groups::verify(json);
        }
        match Document::read(json) {
            Ok(document) => document.verify(json),
            Err(reason) => Self::failed(reason),
        }
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
        Self { complete: false, findings: vec![finding] }
    }
}

/// A release or a count that was read.
pub(super) enum Document {
    Count(ReleasedCount),
    Release(Box<PublishedRelease>),
}

impl Document {
    /// Reads a release or a count, or returns the reason why there is none.
    pub(super) fn read(json: &Value) -> Result<Self, String> {
        if json["spec"].is_number() {
            return Err("it is a specification; make a release from it with karcher run".to_owned());
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

    /// Compares all of it. `json` is what it was read from.
    pub(super) fn verify(&self, json: &Value) -> Verification {
        let (version, own, has_plan, written) = match self {
            Self::Count(count) => (&count.karcher, count.verify(), count.spec.is_some(), json!(count)),
            Self::Release(release) => {
                let how = &release.provenance;
                let has_plan = how.spec.is_some() || matches!(release.value, Released::Record(_));
                (&how.karcher, release.verify(), has_plan, json!(release))
            }
        };
        let mut found = Findings::of_version(version);
        found.add_all_in("", own);
        let mut stated = json.clone();
        let added = stated.as_object_mut().and_then(|fields| fields.remove(PREDICTIONS));
        match (self, added) {
            (Self::Release(release), Some(added)) => predictions::compare(release, &added, &mut found),
            (_, Some(_)) => found.add(PREDICTIONS, "a count has none"),
            (_, None) => (),
        }
        fields::compare(&stated, &written, &mut found);
        Verification { complete: has_plan && is_compared_whole(version), findings: found.into_all() }
    }
}
