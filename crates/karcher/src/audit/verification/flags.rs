//! The flags of a release.

use super::finding::Findings;
use super::planned::Planned;
use super::version::Version;
use crate::release::{Flag, Numerics, PrivacyUnit, PublishedRelease, Value};
use serde_json::json;

/// Flags that only the run knows.
const OF_THE_RUN: [Flag; 3] = [Flag::Seeded, Flag::RemoteSums, Flag::MissingDropped];

/// Every flag that follows is stated, and no other one, except those of the run.
///
/// `of_value` has the flags that follow from the value. Those of a value beyond precision are not known.
pub(super) fn compare(planned: &Planned, release: &PublishedRelease, of_value: &[Flag], found: &mut Findings) {
    let how = &release.provenance;
    let has_spread = matches!(&release.value, Value::Point(point) if point.spread.is_some());
    let mut expected = planned.plan.summary().all_flags();
    expected.extend((how.numerics != Numerics::Exact).then_some(Flag::IdealizedNumerics));
    expected.extend((has_spread && how.unit == PrivacyUnit::Person).then_some(Flag::ClippedBeforeReduced));
    expected.extend(planned.of_location());
    expected.extend(of_value);
    let is_beyond = how.flags.contains(&Flag::BeyondPrecision);
    let of_digits = |flag: &Flag| matches!(flag, Flag::BeyondPrecision | Flag::CenterAtEdge) && is_beyond;
    // of another version distances may be expected that differ
    let of_version = |flag: &Flag| found.version == Version::Another && !flag.is_assumption();
    let missing: Vec<Flag> = (expected.iter().copied())
        .filter(|flag| !how.flags.contains(flag) && !of_digits(flag) && !of_version(flag))
        .collect();
    let more: Vec<Flag> = (how.flags.iter().copied())
        .filter(|flag| !expected.contains(flag) && !OF_THE_RUN.contains(flag) && !of_digits(flag) && !of_version(flag))
        .collect();
    let name = |flag: &Flag| json!(flag).to_string();
    missing.iter().for_each(|flag| found.add("flags", format!("{} is missing", name(flag))));
    more.iter().for_each(|flag| {
        found.add("flags", format!("the release states {}, and its specification does not lead to it", name(flag)));
    });
}
