//! Whether the expected error of a plan or a release is a mean, a bound or a guess.

use crate::release::{MechanismName, Provenance};

/// What stands before an expected error. That of medians is a bound for most spreads, or rehearsed with an expected one.
pub(super) fn at_most(mechanism: MechanismName, is_bound: bool) -> &'static str {
    match (is_about(mechanism), is_bound) {
        (true, true) => "at most about ",
        (true, false) => "about ",
        (false, true) => "at most ",
        (false, false) => "",
    }
}

/// The same of a release.
pub(super) fn at_most_of(how: &Provenance) -> &'static str {
    let is_rehearsed = how.spec.as_ref().is_some_and(|spec| spec.expected_spread.is_some());
    let is_bound = how.mechanism == MechanismName::Kng || is_about(how.mechanism) && !is_rehearsed;
    at_most(how.mechanism, is_bound)
}

/// Whether a mechanism makes medians, whose error no law gives.
fn is_about(mechanism: MechanismName) -> bool {
    matches!(mechanism, MechanismName::MedianFlow | MechanismName::Locate)
}
