//! The contradictions between a release and its specification.

use super::version::{THIS, Version};
use crate::privacy::{Definition, Guarantee};
use serde::Serialize;
use std::fmt;

/// Relative difference of numbers that count as equal. The same computation on another platform differs by a few units
/// in the last place.
const ROUNDING: f64 = 1.0 / (1_u64 << 40) as f64;

/// Relative slack of a scale that is compared with that of another version.
const SLACK: f64 = 1e-9;

/// A contradiction between a release and its specification. It prints as a sentence.
///
/// ```
/// use karcher::audit::Finding;
/// let finding = Finding { field: "scale".to_owned(), reason: "it is 0.01, and it should be 0.02".to_owned() };
/// assert_eq!(finding.to_string(), "scale: it is 0.01, and it should be 0.02");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The field of the release, with the fields that it is in: `region.radius`.
    pub field: String,
    /// The contradiction.
    pub reason: String,
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
        found.require("karcher", is_known, "it is no version up to this one");
        found
    }

    /// All of them.
    pub(super) fn into_all(self) -> Vec<Finding> {
        self.all
    }

    /// Adds one.
    pub(super) fn add(&mut self, field: impl Into<String>, reason: impl Into<String>) {
        self.all.push(Finding { field: field.into(), reason: reason.into() });
    }

    /// Adds one unless something holds.
    pub(super) fn require(&mut self, field: &str, holds: bool, reason: &str) {
        if !holds {
            self.add(field, reason);
        }
    }

    /// A stated value must be the expected one.
    pub(super) fn same<T: PartialEq + fmt::Debug>(&mut self, field: &str, stated: T, expected: T) {
        if stated != expected {
            self.add(field, differs(format!("{stated:?}"), format!("{expected:?}")));
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
            self.add(field, differs(stated, expected));
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
        let reason = if is_there { "it is there, and nothing asks for it" } else { "it is missing" };
        self.add(field, reason);
    }

    /// A stated amount of noise must be the expected one. Of another version it must not be less.
    pub(super) fn noise(&mut self, field: &str, stated: f64, expected: f64) {
        match self.version {
            Version::This => self.number(field, stated, expected),
            Version::Another if stated >= expected * (1.0 - SLACK) => (),
            Version::Another => self.add(field, format!("it is {stated}, and no less than {expected} is needed")),
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
            self.add(field, differs(stated, expected));
        }
    }
}

/// The reason of a value that is not the expected one.
fn differs(stated: impl fmt::Display, expected: impl fmt::Display) -> String {
    format!("it is {stated}, and the specification leads to {expected}")
}
