//! The releases of groups in one file, and what they have in common.

use super::document::{Document, Verification};
use super::finding::Findings;
use super::{fields, not_planned};
use crate::release::{Flag, Promise, PublishedRelease};
use crate::spec::ReleaseSpec;
use serde_json::{Value, json};

/// The fields of the file.
const FIELDS: [&str; 9] =
    ["by", "groups", "guarantee", "unit", "adjacency", "numerics", "flags", "spec", "replace_one"];

/// The groups of a file with the paths of their releases.
pub(super) fn releases(json: &Value) -> impl Iterator<Item = (String, &Value)> {
    let groups = json["groups"].as_array().map(Vec::as_slice).unwrap_or_default();
    groups.iter().enumerate().map(|(i, group)| (format!("groups[{i}]."), group))
}

/// Compares the release of every group with its own specification, and the groups with the common one.
pub(super) fn verify(json: &Value) -> Verification {
    // the version of the file is that of its releases
    let mut found = Findings::of_version(super::version::THIS);
    let (mut all, mut complete) = (vec![], true);
    let whole = specification(json, &mut found);
    fields::only(json, &FIELDS, "", &mut found);
    for (i, (place, group)) in releases(json).enumerate() {
        let mut own = Findings::of_version(super::version::THIS);
        fields::only(group, &["group", "release"], "", &mut own);
        match Document::read(&group["release"]) {
            Ok(document) => {
                let verified = document.verify(&group["release"]);
                complete &= verified.complete;
                own.add_all_in("release.", verified.findings);
                match document {
                    Document::Release(release) => {
                        let asked = whole.as_ref().and_then(|spec| spec.of_group(i).ok());
                        let is_asked = whole.is_none() || release.provenance.spec.as_deref() == asked.as_ref();
                        own.require("release.spec", is_asked, "the specification of the file has another one here");
                        all.push(release);
                    }
                    Document::Count(_) => own.add("release", "it is a count, and groups have means"),
                }
            }
            Err(reason) => {
                complete = false;
                own.add("release", reason);
            }
        }
        found.add_all_in(&place, own.into_all());
    }
    let promise = together(json, &all, &mut found);
    let flags: Vec<Flag> = all.iter().flat_map(|release| release.provenance.flags.iter().copied()).collect();
    let entry = all.first().and_then(|release| release.provenance.ledger.clone());
    let complete = complete && whole.is_some();
    Verification { complete, promise, entry, findings: found.into_all() }.with_seed(&flags)
}

/// The common specification, which names the groups.
fn specification(json: &Value, found: &mut Findings) -> Option<ReleaseSpec> {
    if json["spec"].is_null() {
        found.add("spec", "the file has none, so its list of groups was not checked");
        return None;
    }
    let spec: ReleaseSpec = match serde_json::from_value(json["spec"].clone()) {
        Ok(spec) => spec,
        Err(error) => {
            found.add("spec", format!("it is not a specification: {error}"));
            return None;
        }
    };
    if let Err(error) = spec.check() {
        found.add("spec", not_planned(&error));
    }
    let mut own = Findings::of_version(super::version::THIS);
    let written = json!({ "schema": crate::release::SCHEMA, "spec": spec });
    fields::compare(&json!({ "schema": crate::release::SCHEMA, "spec": json["spec"] }), &written, &mut own);
    found.add_all_in("", own.into_all());
    let names: Value = releases(json).map(|(_, group)| group["group"].clone()).collect();
    let asked = spec.groups.as_ref();
    found.same_json("by", &json["by"], &json!(asked.map(|groups| &groups.by)));
    let is_asked = asked.is_some_and(|groups| json!(groups.names) == names);
    found.require("groups", is_asked, "their names are not those of the specification");
    Some(spec)
}

/// What all groups promise together. They share an entry of a ledger.
fn together(json: &Value, all: &[Box<PublishedRelease>], found: &mut Findings) -> Option<Promise> {
    let promises: Vec<Promise> = all.iter().map(|release| release.provenance.promise()).collect();
    let promise = match Promise::of_disjoint(&promises) {
        Ok(promise) => promise,
        Err(error) => {
            found.add("guarantee", error.to_string());
            return None;
        }
    };
    found.same_json("guarantee", &json["guarantee"], &json!(promise.guarantee()));
    found.same_json("unit", &json["unit"], &json!(promise.unit()));
    found.same_json("adjacency", &json["adjacency"], &json!(promise.adjacency()));
    found.same_json("numerics", &json["numerics"], &json!(promise.numerics()));
    found.same_json("flags", &json["flags"], &json!(promise.flags()));
    match promise.guarantee().of_two_steps().ok() {
        Some(replaced) => found.same_json("replace_one", &json["replace_one"], &json!(replaced)),
        None if json.get("replace_one").is_some() => found.presence("replace_one", true),
        None => (),
    }
    let is_one = all.windows(2).all(|pair| pair[0].provenance.ledger == pair[1].provenance.ledger);
    found.require("groups", is_one, "their releases name different entries of a ledger, and share one");
    Some(promise)
}
