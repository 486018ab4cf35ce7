//! The contradictions between a release and its specification.

use super::NO_SPEC;
use super::document::{OF_COLLECTION, OF_SPECIFICATION};
use super::version::{THIS, Version, writes_spec};
use super::words;
use crate::privacy::{Definition, Guarantee};
use crate::release::Flag;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;

/// Relative difference of numbers that count as equal. The same computation on another platform differs by a few units
/// in the last place.
const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;

/// Relative slack of a scale that is compared with that of another version.
const SLACK: f64 = 1e-9;

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

/// The findings so far, for a release of some version.
#[derive(Debug)]
pub(super) struct Findings {
    all: Vec<Finding>,
    /// The version that made the release.
    pub(super) version: Version,
}

impl Findings {
    /// None yet, of a release by a version of the library: one if no such version is known.
    pub(super) fn of_version(stated: &str) -> Self {
        let mut found = Self { all: vec![], version: Version::of(stated) };
        let is_known = found.version == Version::Another || stated == THIS;
        found.require("karcher", is_known, OF_LATER_VERSION);
        found
    }

    /// Adds one for a release that only versions with specifications write, and that states an earlier one: it would
    /// turn most checks off. Counts and randomized records are such releases.
    pub(super) fn since_specs(&mut self, is_such: bool, stated: &str) {
        self.require("karcher", !is_such || writes_spec(stated), "no version before 0.2.0 wrote such a release");
    }

    /// All of them.
    pub(super) fn into_all(self) -> Vec<Finding> {
        self.all
    }

    /// Adds one. A field has one finding, the first, except that each flag has its own.
    pub(super) fn add(&mut self, field: impl Into<String>, reason: impl Into<String>) {
        let finding = Finding { field: field.into(), reason: reason.into() };
        let is_flag = finding.field.rsplit('.').next() == Some("flags");
        if is_flag || self.all.iter().all(|known| known.field != finding.field) {
            self.all.push(finding);
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

    /// A stated value must be the expected one.
    pub(super) fn same<T: PartialEq + Serialize>(&mut self, field: &str, stated: T, expected: T) {
        if stated != expected {
            self.same_json(field, &json!(stated), &json!(expected));
        }
    }

    /// A stated JSON value must be the expected one; `null` is one that is missing.
    pub(super) fn same_json(&mut self, field: &str, stated: &Value, expected: &Value) {
        if words::is_same(stated, expected) {
            return;
        }
        let (place, stated, expected) = words::difference(stated, expected);
        let field = format!("{field}{place}");
        match (stated, expected) {
            (Value::Null, _) => self.presence(&field, false),
            (_, Value::Null) => self.presence(&field, true),
            (Value::Array(stated), Value::Array(expected)) if stated.len() != expected.len() => {
                self.count(&field, "elements", stated.len(), expected.len());
            }
            _ => {
                let (stated, expected) = words::values(stated, expected);
                self.add(field, differs(&stated, &expected));
            }
        }
    }

    /// A list must be as long as the expected one.
    pub(super) fn count(&mut self, field: &str, what: &str, stated: usize, expected: usize) {
        if stated != expected {
            self.add(field, format!("it has {stated} {what}, and the specification leads to {expected}"));
        }
    }

    /// A stated number must be the expected one, except for rounding.
    pub(super) fn number(&mut self, field: &str, stated: f64, expected: f64) {
        self.about(field, stated, expected, stated.abs().max(expected.abs()));
    }

    /// A stated number must be the expected one, except for rounding of numbers of some size.
    pub(super) fn about(&mut self, field: &str, stated: f64, expected: f64, size: f64) {
        // not a number is equal to none
        let is_same = stated == expected || (stated - expected).abs() <= ROUNDING * size;
        if !is_same {
            let (stated, expected) = words::numbers(stated, expected);
            self.add(field, differs(&stated, &expected));
        }
    }

    /// The same of numbers that may be absent.
    pub(super) fn optional(&mut self, field: &str, stated: Option<f64>, expected: Option<f64>) {
        match (stated, expected) {
            (Some(stated), Some(expected)) => self.number(field, stated, expected),
            (None, None) => (),
            (stated, _) => self.presence(field, stated.is_some()),
        }
    }

    /// A field that is there and should not be, or the other way round.
    pub(super) fn presence(&mut self, field: &str, is_there: bool) {
        let reason = match is_there {
            true => "the release has this field, and its specification leads to none",
            false => "it is missing, and the specification leads to one",
        };
        self.add(field, reason);
    }

    /// A stated amount of noise must be the expected one. Of another version it must not be less.
    pub(super) fn noise(&mut self, field: &str, stated: f64, expected: f64) {
        match self.version {
            Version::This => self.number(field, stated, expected),
            Version::Another if stated >= expected * (1.0 - SLACK) => (),
            Version::Another => {
                let (stated, expected) = words::numbers(stated, expected);
                self.add(field, format!("it is {stated}, and at least {expected} is needed"));
            }
        }
    }

    /// A stated guarantee must be the expected one, except for rounding.
    pub(super) fn guarantee(&mut self, field: &str, stated: Guarantee, expected: Guarantee) {
        let close = |a: f64, b: f64| (a - b).abs() <= ROUNDING * a.max(b);
        let is_same = match (stated.definition(), expected.definition()) {
            (Definition::Pure { epsilon: a }, Definition::Pure { epsilon: b }) => close(a, b),
            (Definition::Gaussian { mu: a }, Definition::Gaussian { mu: b }) => close(a, b),
            (Definition::Concentrated { rho: a }, Definition::Concentrated { rho: b }) => close(a, b),
            (Definition::Approximate { epsilon: a, delta }, Definition::Approximate { epsilon: b, delta: other }) => {
                close(a, b) && close(delta, other)
            }
            _ => false,
        };
        if !is_same {
            let (stated, expected) = words::values(&json!(stated), &json!(expected));
            self.add(field, differs(&stated, &expected));
        }
    }
}

/// The reason of a value that is not the expected one.
fn differs(stated: &str, expected: &str) -> String {
    format!("it is {stated}, and the specification leads to {expected}")
}
