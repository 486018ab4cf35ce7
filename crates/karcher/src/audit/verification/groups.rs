//! The releases of groups in one file, and what they have in common.

use super::document::{Document, Verification};
use super::expected::not_planned;
use super::finding::Findings;
use super::tree::Comparison;
use crate::release::{Flag, Promise, PublishedRelease};
use crate::spec::ReleaseSpec;
use serde_json::{Value, json};

/// The groups of a file with the paths of their releases.
pub(super) fn releases(json: &Value) -> impl Iterator<Item = (String, &Value)> {
    let groups = json["groups"].as_array().map(Vec::as_slice).unwrap_or_default();
    groups.iter().enumerate().map(|(i, group)| (format!("groups[{i}].release."), &group["release"]))
}

/// Compares the release of every group with its own specification, and the file with what the common specification and
/// the releases make it.
pub(super) fn verify(json: &Value) -> Verification {
    let mut found = Findings::default();
    let whole = specification(json, &mut found);
    let (mut all, mut complete) = (vec![], whole.is_some());
    for (i, (place, release)) in releases(json).enumerate() {
        let at = place.trim_end_matches('.');
        match Document::read(release) {
            Ok(document) => {
                let verified = document.verify(release);
                complete &= verified.complete;
                found.add_all_in(&place, verified.findings);
                match document {
                    Document::Release(release) => {
                        let asked = whole.as_ref().and_then(|spec| spec.of_group(i).ok());
                        let is_asked = whole.is_none() || release.provenance.spec.as_deref() == asked.as_ref();
                        let another = "the specification of the file has another one here";
                        found.require(&format!("{place}spec"), is_asked, another);
                        all.push(release);
                    }
                    Document::Count(_) => found.add(at, "it is a count, and groups have means"),
                }
            }
            Err(reason) => {
                complete = false;
                found.add(at, reason);
            }
        }
    }
    let promise = together(json, whole.as_ref(), &all, &mut found);
    let flags: Vec<Flag> = all.iter().flat_map(|release| release.provenance.flags.iter().copied()).collect();
    let entry = all.first().and_then(|release| release.provenance.ledger.clone());
    Verification { complete, promise, entry, findings: found.into_all() }.with_seed(&flags)
}

/// The common specification, which names the groups.
fn specification(json: &Value, found: &mut Findings) -> Option<ReleaseSpec> {
    if json["spec"].is_null() {
        found.add("spec", "the file has none, so its list of groups was not checked");
        return None;
    }
    match serde_json::from_value::<ReleaseSpec>(json["spec"].clone()) {
        Ok(spec) => {
            if let Err(error) = spec.check() {
                found.add("spec", not_planned(&error));
            }
            Some(spec)
        }
        Err(error) => {
            found.add("spec", format!("it is not a specification: {error}"));
            None
        }
    }
}

/// What all groups promise together, and the file that it makes. They share an entry of a ledger.
fn together(
    json: &Value,
    whole: Option<&ReleaseSpec>,
    all: &[Box<PublishedRelease>],
    found: &mut Findings,
) -> Option<Promise> {
    let is_one = all.windows(2).all(|pair| pair[0].provenance.ledger == pair[1].provenance.ledger);
    found.require("groups", is_one, "their releases name different entries of a ledger, and share one");
    let promises: Vec<Promise> = all.iter().map(|release| release.provenance.promise()).collect();
    let promise = match Promise::of_disjoint(&promises) {
        Ok(promise) => promise,
        Err(error) => {
            found.add("guarantee", error.to_string());
            return None;
        }
    };
    let groups = whole.and_then(|spec| spec.groups.as_ref());
    let release = |i: usize, name: &Value| json!({ "group": name, "release": json["groups"][i]["release"] });
    let names: Vec<Value> = match groups {
        Some(groups) => groups.names.iter().map(|name| json!(name)).collect(),
        None => json["groups"].as_array().into_iter().flatten().map(|group| group["group"].clone()).collect(),
    };
    let mut expected = json!({
        "by": groups.map_or_else(|| json["by"].clone(), |groups| json!(groups.by)),
        "groups": names.iter().enumerate().map(|(i, name)| release(i, name)).collect::<Vec<_>>(),
        "guarantee": promise.guarantee(),
        "unit": promise.unit(),
        "adjacency": promise.adjacency(),
        "numerics": promise.numerics(),
        "flags": promise.flags(),
    });
    if let Some(spec) = whole {
        expected["spec"] = json!(spec);
    }
    if let Ok(replaced) = promise.guarantee().of_two_steps() {
        expected["replace_one"] = json!(replaced);
    }
    Comparison::new(json, &expected).findings(found);
    Some(promise)
}
