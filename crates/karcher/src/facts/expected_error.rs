//! The expected error of a release or a plan, and its bias: what they are distances to, and whether they are bounds.

use super::numbers::{short, short_up};
use super::{Fact, Lengths, Level, Of};
use crate::release::{MechanismName, Provenance, StatisticName};
use crate::statistics::Unit;

/// What stands before an expected error. That of medians is a bound for most spreads, or simulated with an expected
/// one.
pub(super) fn at_most(mechanism: MechanismName, is_bound: bool) -> &'static str {
    match (is_about(mechanism), is_bound) {
        (true, true) => "at most about ",
        (true, false) => "about ",
        (false, true) => "at most ",
        (false, false) => "",
    }
}

/// The same of a release.
fn at_most_of(how: &Provenance) -> &'static str {
    if how.statistic.description().is_approximate {
        return "about ";
    }
    let is_rehearsed = how.spec.as_ref().is_some_and(|spec| spec.expected_spread.is_some());
    let is_bound = matches!(how.mechanism, MechanismName::Kng | MechanismName::NoisyMaximum)
        || is_about(how.mechanism) && !is_rehearsed;
    at_most(how.mechanism, is_bound)
}

/// Whether a mechanism makes medians, whose error no law gives.
fn is_about(mechanism: MechanismName) -> bool {
    matches!(mechanism, MechanismName::MedianFlow | MechanismName::Locate)
}

/// What the expected error of a release is.
pub fn accuracy(how: &Provenance) -> &'static str {
    (how.statistic.description().accuracy)(how)
}

/// The bias of a release that comes in addition to its expected error.
pub fn bias(how: &Provenance, lengths: Lengths) -> Option<String> {
    let is_flow = how.statistic == StatisticName::FrechetMean && how.mechanism == MechanismName::KarcherFlow;
    match how.bias_bound {
        Some(bias) => Some(format!("at most about {} in addition", lengths.words_up(bias))),
        None => is_flow.then(|| "unknown: in so large a ball the flow may end far from the mean".to_owned()),
    }
}

impl Of<'_> {
    /// The expected error, and the bias in addition to it. A reader who knows a region needs the error only on request.
    pub(super) fn expected_error(&self, has_region: bool) -> Vec<Fact> {
        let how = self.how;
        let at_most = at_most_of(how);
        let error = match (how.statistic.description().unit, at_most.contains("at most")) {
            (Unit::Length, true) => self.lengths.words_up(how.expected_distance),
            (Unit::Length, false) => self.lengths.words(how.expected_distance),
            (Unit::SquareLength, true) => short_up(how.expected_distance),
            (Unit::SquareLength, false) => short(how.expected_distance),
        };
        // with a public number there is no guess
        let guessed = how.n_guess.map(|n| format!(", for the guess of {n} records")).unwrap_or_default();
        let level = if has_region { Level::Detail } else { Level::Answer };
        let words = format!("{at_most}{error} on average{guessed}, {}", accuracy(how));
        let bias = bias(how, self.lengths).map(|bias| Fact::answer("bias", bias));
        std::iter::once(Fact::detail("expected error", words).at(level)).chain(bias).collect()
    }
}
