//! The contradictions between a release and its specification.

use super::document::{OF_COLLECTION, OF_SPECIFICATION};
use super::version::{THIS, Version, writes_spec};
use crate::release::Flag;
use serde::Serialize;
use std::fmt;

/// The finding about a release without a specification.
pub(super) const NO_SPEC: &str = "the release has none, so only its guarantee was compared with its noise; its scale, \
                                  value and flags were not checked";

/// The reason of a release by a version that is not known.
const OF_LATER_VERSION: &str =
    concat!("this is version ", env!("CARGO_PKG_VERSION"), ", and it knows the rules of no later version");

/// A contradiction between a release and its specification. It prints as a sentence.
///
/// ```
/// use karcher::audit::Finding;
/// let reason = "it is 0.01, and the specification leads to 0.02".to_owned();
/// let finding = Finding { field: "noise[0].scale".to_owned(), reason };
/// assert_eq!(finding.to_string(), "noise[0].scale: it is 0.01, and the specification leads to 0.02");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The path of the field in the JSON of the release: `noise[0].scale`. For a fault of the whole file it is `file`.
    pub field: String,
    /// The contradiction.
    pub reason: String,
}

impl Finding {
    /// The finding about a release whose noise can be reproduced: it contradicts no specification, and is not private.
    pub(super) fn of_seed() -> Self {
        Self { field: "flags".to_owned(), reason: Flag::Seeded.to_string() }
    }

    /// Whether this is the finding about a release with a seed. Every other finding is a contradiction.
    ///
    /// ```
    /// use karcher::{ReleaseContext, audit::Verification, mechanism::CountPlan, privacy::Guarantee};
    /// let release = CountPlan::new(Guarantee::pure(0.5)?)?.run_on(1_000, &mut ReleaseContext::seeded(1))?;
    /// let found = Verification::of(&serde_json::to_value(release)?).findings;
    /// assert!(found.len() == 1 && found[0].is_of_seed() && found[0].reason.contains("NOT private"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_of_seed(&self) -> bool {
        *self == Self::of_seed()
    }

    /// What to do about findings of a file: one thing for each cause. Of a later version no rule is known, so that its
    /// other findings say nothing.
    ///
    /// ```
    /// use karcher::audit::{Finding, Verification};
    /// let of = |json: serde_json::Value| Finding::remedies(&Verification::of(&json).findings);
    /// assert_eq!(of(serde_json::json!({"statistic": "count"})), ["check that this is the file of a release"]);
    /// ```
    pub fn remedies(findings: &[Self]) -> Vec<&'static str> {
        if findings.iter().any(Self::is_of_later_version) {
            return vec!["verify it with a karcher as new as the one that made it"];
        }
        let mut all: Vec<&'static str> = vec![];
        for remedy in findings.iter().filter_map(Self::remedy) {
            if !all.contains(&remedy) {
                all.push(remedy);
            }
        }
        all
    }

    fn is_of_later_version(&self) -> bool {
        self.is_in("karcher") && self.reason == OF_LATER_VERSION
    }

    fn is_in(&self, field: &str) -> bool {
        self.field.rsplit('.').next() == Some(field)
    }

    /// What to do about it, unless its reason says so.
    fn remedy(&self) -> Option<&'static str> {
        if [OF_SPECIFICATION, OF_COLLECTION].contains(&&*self.reason) {
            None
        } else if self.is_of_seed() {
            Some("ask for a release without a seed")
        } else if self.field == "file" || self.is_in("release") {
            Some("check that this is the file of a release")
        } else if self.is_in("spec") && self.reason == NO_SPEC {
            Some("ask for a release that was made from a specification: `ReleaseSpec::plan` in Rust")
        } else if self.field.split('.').any(|part| part == "ledger") {
            Some("compare with the ledger that counted it")
        } else {
            Some("ask for the original files")
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.reason)
    }
}

/// The findings so far.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

impl Findings {
    /// Those about the version that a release states: one if it is not known. Versions before specifications wrote no
    /// release that has one, and would turn most checks off; counts and randomized records are such releases.
    pub(super) fn of_version(stated: &str, is_since_specs: bool) -> Self {
        let mut found = Self::default();
        found.require("karcher", Version::of(stated) == Version::Another || stated == THIS, OF_LATER_VERSION);
        let is_possible = !is_since_specs || writes_spec(stated);
        found.require("karcher", is_possible, "no version before 0.2.0 wrote such a release");
        found
    }

    /// All of them.
    pub(super) fn into_all(self) -> Vec<Finding> {
        self.0
    }

    /// Adds one. A field has one finding, the first, except that each flag has its own.
    pub(super) fn add(&mut self, field: impl Into<String>, reason: impl Into<String>) {
        let finding = Finding { field: field.into(), reason: reason.into() };
        if finding.is_in("flags") || self.0.iter().all(|known| known.field != finding.field) {
            self.0.push(finding);
        }
    }

    /// Adds those of a part of the file. `place` is the path of the part, with the dot behind it.
    pub(super) fn add_all_in(&mut self, place: &str, findings: Vec<Finding>) {
        findings.into_iter().for_each(|finding| self.add(format!("{place}{}", finding.field), finding.reason));
    }

    /// Adds one unless something holds.
    pub(super) fn require(&mut self, field: &str, holds: bool, reason: &str) {
        if !holds {
            self.add(field, reason);
        }
    }
}
