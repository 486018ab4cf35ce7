//! `karcher verify`: genuine releases pass, edited ones do not.

use assert_cmd::prelude::*;
use serde_json::{Value, json};
use std::process::{Command, Output};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    /// A folder with records of persons in two groups, with a predictor.
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let row = |i: usize| format!("{},{},0.{:02},0.{},{}\n", i / 2, ["a", "b"][i % 2], i % 50, i % 7, i % 10);
        let rows: String = (0..200).map(row).collect();
        std::fs::write(folder.0.path().join("records.csv"), format!("person,team,x,y,day\n{rows}")).unwrap();
        folder
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::cargo_bin("karcher").unwrap();
        command.args(arguments.split_whitespace()).current_dir(&self.0).output().unwrap()
    }

    fn done(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The findings of a file, by a run with the exit code 1.
    fn found(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Writes an edited copy of a file.
    fn edit(&self, file: &str, copy: &str, edit: impl Fn(&mut Value)) {
        let text = std::fs::read_to_string(self.0.path().join(file)).unwrap();
        let mut json: Value = serde_json::from_str(&text).unwrap();
        edit(&mut json);
        std::fs::write(self.0.path().join(copy), json.to_string()).unwrap();
    }
}

const XY: &str = "records.csv --columns x,y --manifold euclidean:2";

/// What every command writes, in files of these names.
fn releases() -> Vec<(&'static str, String)> {
    let home = "records.csv --columns x,y --manifold euclidean:2 --radius 1 --epsilon 2";
    vec![
        ("mean", format!("mean {XY} --radius 1 --epsilon 1 --spread --region 0.9")),
        ("persons", format!("mean {XY} --radius 1 --epsilon 1 --person person --spread")),
        ("dropped", format!("mean {XY} --radius 1 --mu 1 --missing drop --seed 3")),
        ("median", format!("mean {XY} --radius 5 --mu 1 --statistic median")),
        ("auto", format!("mean {XY} --ball auto --within 20 --mu 3")),
        ("twice", format!("mean {XY} --radius 20 --mu 3 --mechanism two-stage --expected-spread 0.3")),
        ("ball", format!("locate {XY} --within 20 --epsilon 3")),
        ("components", format!("components {XY} --radius 1 --mu 1 --spread")),
        ("line", format!("regress {XY} --radius 1 --slope-bound 1 --predictor day --predictor-range 0 10 --mu 1")),
        (
            "groups",
            format!("mean {XY} --radius 1 --epsilon 2 --adjacency add-remove --n-guess 90 --by team --groups a,b"),
        ),
        ("count", "count records.csv --columns x --epsilon 1".to_owned()),
        ("first", format!("mean {home} --mechanism laplace --bound sharp --denoise none")),
    ]
}

#[test]
fn what_commands_write_is_not_contradicted() {
    let folder = Folder::new();
    let mut files = vec![];
    for (name, command) in releases() {
        folder.done(&format!("{command} --output {name}.json"));
        files.push(format!("{name}.json"));
    }
    let said: String = files.iter().map(|file| format!("{file}: nothing contradicts its specification\n")).collect();
    assert_eq!(folder.done(&format!("verify {}", files.join(" "))), said);
    let json: Value = serde_json::from_str(&folder.done("verify mean.json count.json --json")).unwrap();
    let verified = |file: &str| json!({ "file": file, "verified": true, "complete": true, "findings": [] });
    assert_eq!(json, json!({ "releases": [verified("mean.json"), verified("count.json")] }));
}

#[test]
fn a_specification_is_no_release() {
    let folder = Folder::new();
    let spec = folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --spec-only"));
    std::fs::write(folder.0.path().join("spec.json"), spec).unwrap();
    let found = folder.found("verify spec.json");
    assert!(found.contains("is a specification, and no release"), "{found}");
}

#[test]
fn an_edited_release_is_found() {
    let folder = Folder::new();
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output mean.json"));
    folder.edit("mean.json", "edited.json", |json| json["scale"] = json!(1.0));
    let found = folder.found("verify mean.json edited.json");
    assert!(found.starts_with("mean.json: nothing contradicts its specification\nedited.json: "), "{found}");
    assert!(found.contains("edited.json: scale: it is 1, and the specification leads to "), "{found}");
    let json: Value = serde_json::from_str(&folder.found("verify edited.json --json")).unwrap();
    let findings = json["releases"][0]["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["field"] == "scale"), "{json}");
    let count = findings.len();
    let said = String::from_utf8(folder.run("verify edited.json").stderr).unwrap();
    assert!(said.starts_with(&format!("error: {count} finding")), "{said}");

    folder.edit("mean.json", "old.json", |json| drop(json.as_object_mut().unwrap().remove("spec")));
    assert!(folder.found("verify old.json").starts_with("old.json: spec: it has none: "));
    folder.edit("mean.json", "broken.json", |json| json["scale"] = json!(-1.0));
    assert!(folder.found("verify broken.json").contains("is no release"));
    assert_eq!(folder.run("verify records.csv").status.code(), Some(1));
    assert_eq!(folder.run("verify").status.code(), Some(2));
}

#[test]
fn groups_are_verified_together() {
    let folder = Folder::new();
    let command = "mean records.csv --columns x,y --manifold euclidean:2 --radius 1 --epsilon 2 --spread";
    folder.done(&format!("{command} --adjacency add-remove --n-guess 90 --by team --groups a,b --output all.json"));
    assert_eq!(folder.done("verify all.json"), "all.json: nothing contradicts its specification\n");
    for (place, value, said) in [
        ("/guarantee/epsilon", json!(1.0), "all.json: guarantee: it is "),
        ("/groups/1/release/scale", json!(1.0), "all.json: groups.b.scale: it is 1, "),
        ("/groups/0/group", json!("c"), "all.json: groups: they are not those of the specification"),
        ("/by", json!("day"), "all.json: by: it is not the column of the specification"),
        ("/spec/budget/epsilon", json!(3.0), "all.json: groups.a.spec: "),
        ("/unit", json!("person"), "all.json: unit: it is "),
    ] {
        folder.edit("all.json", "kept.json", |_| ());
        folder.edit("kept.json", "all.json", |json| *json.pointer_mut(place).unwrap() = value.clone());
        let found = folder.found("verify all.json");
        assert!(found.contains(said), "{place}: {found}");
        folder.edit("kept.json", "all.json", |_| ());
    }
    folder.edit("all.json", "less.json", |json| drop(json["groups"].as_array_mut().unwrap().remove(1)));
    assert!(folder.found("verify less.json").contains("groups: they are not those of the specification"));
}

#[cfg(feature = "ledger")]
#[test]
fn a_ledger_confirms_what_it_counted() {
    let folder = Folder::new();
    folder.done("ledger new own.db --data own --epsilon 9");
    folder.done("ledger new other.db --data other --epsilon 9");
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --ledger own.db --output mean.json"));
    folder.done("count records.csv --columns x --epsilon 1 --ledger own.db --output count.json");
    let mean = "mean records.csv --columns x,y --manifold euclidean:2 --radius 1 --epsilon 2 --ledger own.db";
    folder.done(&format!("{mean} --adjacency add-remove --n-guess 90 --by team --groups a,b --output all.json"));
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output free.json"));
    folder.done("verify mean.json count.json all.json --ledger own.db");
    let found = |file: &str, ledger: &str| folder.found(&format!("verify {file} --ledger {ledger}"));
    assert!(found("mean.json", "other.db").contains("ledger: it names the ledger "));
    assert!(found("free.json", "own.db").contains("ledger: the release names no entry"));
    folder.edit("mean.json", "edited.json", |json| json["ledger"]["entry"] = json!(2));
    assert!(found("edited.json", "own.db").contains("statistic: the ledger counted a "));
    folder.edit("mean.json", "edited.json", |json| json["ledger"]["entry"] = json!(7));
    assert!(found("edited.json", "own.db").contains("ledger.entry: the ledger has no entry 7"));
    folder.edit("mean.json", "edited.json", |json| {
        (json["guarantee"]["epsilon"], json["spec"]["budget"]["epsilon"]) = (json!(2.0), json!(2.0));
    });
    assert!(found("edited.json", "own.db").contains("guarantee: the ledger counted "));
    assert_eq!(folder.run("verify mean.json --ledger no.db").status.code(), Some(1));
}
