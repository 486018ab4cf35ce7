//! The state of a series: its releases are made again from the stated noisy sums.

use super::booking::Booking;
use super::document::Verification;
use super::expected::not_planned;
use super::finding::Findings;
use super::is_compared_whole;
use super::tree::Comparison;
use crate::release::{Flag, Promise};
use crate::series::SeriesState;
use serde_json::{Value, json};

/// Fields of a release that no plan knows, and that a command adds.
const ADDED: [&str; 3] = ["layout", "columns", "template"];

/// Compares every release of a series with what the noisy sums up to it lead to.
pub(super) fn verify(json: &Value) -> Verification {
    let state = match SeriesState::read(json) {
        Ok(state) => state,
        Err(reason) => return Verification::failed(reason),
    };
    let (plan, releases) = match state.plan().and_then(|plan| Ok((plan.event()?, state.releases()?))) {
        Ok(both) => both,
        Err(error) => return Verification::failed(not_planned(&error)),
    };
    let mut found = Findings::of_version(state.version(), true);
    for (at, (own, made)) in state.published.iter().zip(releases).enumerate() {
        let place = format!("published[{at}].release");
        let (Some(stated), Some(mut made)) = (&own.release, made.clone()) else {
            found.require(&place, own.release == made, "there is a release from the first record on, and none before");
            continue;
        };
        for name in ADDED {
            if let Some(added) = stated.get(name) {
                made[name] = added.clone();
            }
        }
        let dropped = json!(Flag::MissingDropped);
        let flags = made.get_mut("flags").and_then(Value::as_array_mut);
        if let (Some(flags), Some(own)) = (flags, stated["flags"].as_array()) {
            flags.extend(own.iter().filter(|flag| **flag == dropped).cloned());
        }
        let mut differences = Findings::default();
        Comparison::new(stated, &made).findings(&mut differences);
        found.add_all_in(&format!("{place}."), differences.into_all());
    }
    let flags = if state.seeded { vec![Flag::Seeded] } else { vec![] };
    let promise = plan.promise();
    let promise = Promise::new(promise.guarantee(), promise.unit(), promise.adjacency(), promise.numerics(), &flags);
    let complete = is_compared_whole(state.version());
    let entry = state.ledger.clone();
    Verification { complete, promise: Some(promise), entry, findings: found.into_all() }.with_seed(&flags)
}

/// What a ledger should have counted, once for all periods.
pub(super) fn booking(json: &Value) -> Option<Booking> {
    let state = SeriesState::read(json).ok()?;
    let event = json!(state.plan().ok()?.event().ok()?);
    let entry = state.ledger.clone();
    Some(Booking { place: String::new(), entry, of_aggregators: vec![], event, is_whole: true, release: json.clone() })
}
