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

    fn write(&self, file: &str, json: &Value) {
        std::fs::write(self.0.path().join(file), json.to_string()).unwrap();
    }

    fn read(&self, file: &str) -> Value {
        serde_json::from_str(&std::fs::read_to_string(self.0.path().join(file)).unwrap()).unwrap()
    }

    /// The findings of files, by a run with `--json`: the fields of each.
    fn fields(&self, arguments: &str) -> Vec<Vec<String>> {
        let json: Value = serde_json::from_slice(&self.run(&format!("verify {arguments} --json")).stdout).unwrap();
        let field = |finding: &Value| finding["field"].as_str().unwrap().to_owned();
        let fields = |release: &Value| release["findings"].as_array().unwrap().iter().map(field).collect();
        json["releases"].as_array().unwrap().iter().map(fields).collect()
    }

    /// The findings of a file, by a run with the exit code 1.
    fn found(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Writes an edited copy of a file.
    fn edit(&self, file: &str, copy: &str, edit: impl Fn(&mut Value)) {
        let mut json = self.read(file);
        edit(&mut json);
        self.write(copy, &json);
    }
}

const XY: &str = "records.csv --columns x,y --manifold euclidean:2";
const LINE: &str = "--radius 1 --slope-bound 1 --predictor day --predictor-range 0 10 --mu 1";

/// What every command writes, in files of these names.
fn releases() -> Vec<(&'static str, String)> {
    let home = "records.csv --columns x,y --manifold euclidean:2 --radius 1 --epsilon 2";
    vec![
        ("mean", format!("mean {XY} --radius 1 --epsilon 1 --spread --region 0.9")),
        ("persons", format!("mean {XY} --radius 1 --epsilon 1 --person person --spread")),
        ("predictions", format!("regress {XY} {LINE} --predict-at 2,5")),
        ("dropped", format!("mean {XY} --radius 1 --mu 1 --missing drop")),
        ("median", format!("mean {XY} --radius 5 --mu 1 --statistic median")),
        ("auto", format!("mean {XY} --ball auto --within 20 --mu 3")),
        ("twice", format!("mean {XY} --radius 20 --mu 3 --mechanism two-stage --expected-spread 0.3")),
        ("ball", format!("locate {XY} --within 20 --epsilon 3")),
        ("components", format!("components {XY} --radius 1 --mu 1 --spread")),
        ("line", format!("regress {XY} {LINE}")),
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
    let said = folder.done(&format!("verify {}", files.join(" ")));
    let (replaced, more) = ("ε = 1, one record replaced, exact", "one record added or removed, exact");
    for (file, promise) in [
        ("mean", format!("{replaced}, no flags")),
        ("persons", "ε = 1, one person replaced, exact, flag clipped-before-reduced".to_owned()),
        ("groups", format!("ε = 2, {more}, no flags")),
        ("count", format!("ε = 1, {more}, no flags")),
        ("dropped", "μ = 1, one record replaced, exact, flag missing-dropped".to_owned()),
    ] {
        let line = format!("{file}.json: agrees with its specification; {promise}, no ledger");
        assert!(said.lines().any(|other| other == line), "{line}\n{said}");
    }
    assert!(
        said.lines().zip(&files).all(|(line, file)| line.starts_with(&format!("{file}: agrees with its "))),
        "{said}"
    );
    assert_eq!(said.lines().count(), files.len());
    let json: Value = serde_json::from_str(&folder.done("verify mean.json persons.json --json")).unwrap();
    let verified = |file: &str, unit: &str, flags: Value| {
        json!({
            "file": file, "verified": true, "complete": true, "findings": [], "unit": unit, "adjacency": "replace-one",
            "guarantee": {"definition": "pure", "epsilon": 1.0}, "numerics": "exact", "flags": flags,
        })
    };
    let releases = [
        verified("mean.json", "record", json!([])),
        verified("persons.json", "person", json!(["clipped-before-reduced"])),
    ];
    assert_eq!(json, json!({ "releases": releases }));
}

#[test]
fn a_release_with_a_seed_is_not_private_and_does_not_pass() {
    let folder = Folder::new();
    let groups = "--adjacency add-remove --n-guess 90 --by team --groups a,b";
    folder.done(&format!("mean {XY} --radius 1 --mu 1 --seed 3 --output mean.json"));
    folder.done(&format!("mean {XY} --radius 1 --mu 1 --seed 3 {groups} --output groups.json"));
    folder.done("count records.csv --columns x --epsilon 1 --seed 3 --output count.json");
    let files = ["mean.json", "groups.json", "count.json"];
    let found = folder.found(&format!("verify {}", files.join(" ")));
    let line =
        |file: &&str| format!("{file}: flags: seeded: the noise can be reproduced, so this release is NOT private\n");
    assert_eq!(found, files.iter().map(line).collect::<String>());
    let said = String::from_utf8(folder.run("verify mean.json").stderr).unwrap();
    assert_eq!(said, "error: 1 finding in 1 of 1 files: ask for a release without a seed\n");
    let json: Value = serde_json::from_str(&folder.found("verify mean.json count.json --json")).unwrap();
    for release in json["releases"].as_array().unwrap() {
        assert_eq!((&release["verified"], &release["private"]), (&json!(false), &json!(false)), "{release}");
        assert_eq!((&release["flags"], &release["findings"][0]["field"]), (&json!(["seeded"]), &json!("flags")));
    }
    // its specification is as good as any
    folder.done("run mean.json records.csv --columns x,y --output again.json");
    folder.done("verify again.json");
}

#[test]
fn a_promise_that_is_contradicted_is_not_repeated() {
    let folder = Folder::new();
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output mean.json"));
    folder.edit("mean.json", "edited.json", |json| json["guarantee"]["epsilon"] = json!(0.1));
    let json: Value = serde_json::from_str(&folder.found("verify edited.json --json")).unwrap();
    assert_eq!(json["releases"][0]["verified"], false);
    for field in ["guarantee", "unit", "adjacency", "numerics", "flags", "private"] {
        assert!(json["releases"][0].get(field).is_none(), "{field}");
    }
    assert!(!folder.found("verify edited.json").contains("agrees"));
}

#[test]
fn files_with_the_same_release_are_named_however_they_are_written() {
    let folder = Folder::new();
    let groups = "--adjacency add-remove --n-guess 90 --by team --groups a,b";
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output mean.json"));
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output other.json"));
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 {groups} --output groups.json"));
    let pretty = |file: &str, copy: &str| {
        // as a program writes it whose numbers have no point
        let text =
            serde_json::to_string_pretty(&folder.read(file)).unwrap().replace("\"epsilon\": 1.0", "\"epsilon\": 1");
        std::fs::write(folder.0.path().join(copy), text).unwrap();
    };
    pretty("mean.json", "copy.json");
    pretty("groups.json", "again.json");
    let files = "mean.json other.json copy.json groups.json again.json";
    let said = folder.done(&format!("verify {files}"));
    let notes: Vec<&str> = said.lines().filter(|line| line.contains("the same release")).collect();
    assert_eq!(
        notes,
        ["copy.json: the same release as mean.json", "again.json: the same release as groups.json"],
        "{said}"
    );
    let json: Value = serde_json::from_str(&folder.done(&format!("verify {files} --json"))).unwrap();
    let same: Vec<&Value> = json["releases"].as_array().unwrap().iter().map(|release| &release["same_as"]).collect();
    assert_eq!(same, [&Value::Null, &Value::Null, &json!("mean.json"), &Value::Null, &json!("groups.json")]);
}

#[test]
fn a_center_that_was_edited_is_named() {
    let folder = Folder::new();
    let sphere = "records.csv --columns x,y --trust-layout --layout latlon --manifold sphere:2 --center 0,0 --radius 0.5 --epsilon 1";
    folder.done(&format!("mean {sphere} --output mean.json"));
    let center = json!([0.0, 1.0, 0.0]);
    folder.edit("mean.json", "edited.json", |json| {
        (json["ball"]["center"], json["spec"]["ball"]["center"]) = (center.clone(), center.clone());
    });
    let found = folder.found("verify edited.json");
    assert!(found.contains(" follows from the lattice around `ball.center`"), "{found}");
    folder.done(&format!("mean {XY} --ball auto --within 20 --mu 3 --output auto.json"));
    folder.edit("auto.json", "edited.json", |json| {
        json["located"]["center"][0] = json!(json["located"]["center"][0].as_f64().unwrap() + 1e-5);
    });
    let found = folder.found("verify edited.json");
    assert!(found.contains(" follows from the lattice around `located.within.center`"), "{found}");
}

/// The path of every object in a JSON value, as a pointer and as findings name it.
fn objects(value: &Value, (at, path): (String, String), out: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            out.push((at.clone(), path.clone()));
            for (key, part) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                objects(part, (format!("{at}/{key}"), format!("{path}{dot}{key}")), out);
            }
        }
        Value::Array(parts) => {
            for (i, part) in parts.iter().enumerate() {
                objects(part, (format!("{at}/{i}"), format!("{path}[{i}]")), out);
            }
        }
        _ => (),
    }
}

/// Objects that are refused whole, with the words of the reader: a specification and a guarantee.
fn is_strict(path: &str) -> bool {
    path.split(['.', '[']).any(|name| name == "spec" || name.ends_with("guarantee") || name == "replace_one")
}

#[test]
fn a_field_that_no_version_writes_is_found_at_every_level() {
    let folder = Folder::new();
    let mut count = 0;
    for (name, command) in releases() {
        folder.done(&format!("{command} --output {name}.json"));
        let genuine = folder.read(&format!("{name}.json"));
        let mut all = vec![];
        objects(&genuine, (String::new(), String::new()), &mut all);
        let edited = |i: usize| format!("{name}-{i}.json");
        for (i, (at, _)) in all.iter().enumerate() {
            let mut json = genuine.clone();
            json.pointer_mut(at).unwrap()["foo"] = json!(1);
            folder.write(&edited(i), &json);
        }
        let files: Vec<String> = (0..all.len()).map(edited).collect();
        let found = folder.fields(&files.join(" "));
        for ((_, path), fields) in all.iter().zip(&found) {
            let dot = if path.is_empty() { "" } else { "." };
            let is_found = match is_strict(path) {
                true => !fields.is_empty(),
                false => fields == &[format!("{path}{dot}foo")],
            };
            assert!(is_found, "{name} {path}: {fields:?}");
        }
        count += all.len();
    }
    assert!(count > 150, "{count}");
}

#[test]
fn a_field_with_null_or_with_the_default_is_found() {
    let folder = Folder::new();
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output mean.json"));
    for (place, key, value) in
        [("", "n_guess", Value::Null), ("/noise/0", "draws", json!(1)), ("", "center", json!([0]))]
    {
        folder.edit("mean.json", "edited.json", |json| json.pointer_mut(place).unwrap()[key] = value.clone());
        assert!(folder.found("verify edited.json").contains(&format!("{key}: the release has this field, and its")));
    }
}

#[test]
fn the_schema_is_that_of_the_version() {
    let folder = Folder::new();
    for (name, command) in releases().into_iter().filter(|(name, _)| *name != "groups") {
        folder.done(&format!("{command} --output {name}.json"));
        folder.edit(&format!("{name}.json"), "edited.json", |json| json["schema"] = json!(2));
        let said = folder.found("verify edited.json");
        assert!(said.contains("schema"), "{name}: {said}");
    }
    // the version cannot be edited to turn checks off: an earlier one had no specifications
    folder.edit("mean.json", "earlier.json", |json| json["karcher"] = json!("0.1.0"));
    let said = folder.found("verify earlier.json");
    assert!(said.contains("karcher: no version before 0.2.0 wrote such a release"), "{said}");
}

#[test]
fn one_edit_has_one_finding_where_nothing_follows_from_it() {
    let folder = Folder::new();
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --spread --output mean.json"));
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --adjacency add-remove --n-guess 90 --output guess.json"));
    folder.done(&format!("regress {XY} {LINE} --predict-at 2 --output line.json"));
    for (file, place, value, said) in [
        ("mean", "/spread/mean_square/value", json!(0.9), "spread.mean_square.value: it is 0.9, and "),
        ("guess", "/private_count/value", json!(1.5), "private_count.value: it is 1.5, and "),
        ("mean", "/ball/center/1", json!(0.5), "ball.center[1]: it is 0.5, and the specification leads to 0"),
        ("mean", "/noise/0/space", json!("sphere:2"), "noise[0].space: it is \"sphere:2\", and the specification"),
        ("line", "/predictor_range/high", json!(11.0), "predictor_range.high: it is 11, and the specification"),
        ("line", "/predictions/0/value/1", json!(3.0), "predictions[0].value[1]: it is 3, and "),
        ("line", "/predictions", json!(3), "predictions: it must be a list of predictions"),
        ("mean", "/region/coverage", json!("exactly"), "region.coverage: it is \"exactly\", and the specification"),
        ("mean", "/flags", json!(["center-at-edge"]), "flags: the release states \"center-at-edge\", and "),
    ] {
        let set = |json: &mut Value| *json.pointer_mut(place).unwrap() = value.clone();
        folder.edit(&format!("{file}.json"), "edited.json", set);
        let found = folder.found("verify edited.json");
        assert_eq!(found.lines().filter(|line| line.contains(said)).count(), 1, "{place}: {found}");
        let fields = folder.fields("edited.json").remove(0);
        let mut once = fields.clone();
        once.dedup();
        assert_eq!(fields, once, "{place}");
    }
    folder.edit("mean.json", "edited.json", |json| json["noise"] = json!([]));
    assert!(folder.found("verify edited.json").contains("noise: it has 0 draws, and the specification leads to 3"));
    folder.edit("mean.json", "edited.json", |json| json["statistic"] = json!("geometric-median"));
    let found = folder.fields("edited.json").remove(0);
    assert_eq!(found.iter().filter(|field| *field == "statistic").count(), 1, "{found:?}");
}

#[test]
fn messages_have_no_more_digits_than_needed_and_no_names_of_rust() {
    let folder = Folder::new();
    for (name, command) in releases().into_iter().filter(|(name, _)| *name != "groups") {
        folder.done(&format!("{command} --output {name}.json"));
        folder.edit(&format!("{name}.json"), "edited.json", |json| edit_leaves(json, name));
        let found = folder.found("verify edited.json");
        for line in found.lines() {
            let numbers =
                || line.split(|c: char| !c.is_ascii_digit() && c != '.').map(|x| x.trim_start_matches(['0', '.']));
            // A value is a multiple of a tiny unit: the nearest one may differ from it in the sixteenth digit only.
            let differ_late = |x: &str| numbers().filter(|y| y.get(..14) == x.get(..14)).count() == 2;
            let has_too_many = numbers().any(|x| x.len() > 15 && !differ_late(x));
            assert!(!has_too_many && line.len() < 240, "{name}: {line}");
            assert!(!["Some(", "None", " { ", "::"].iter().any(|rust| line.contains(rust)), "{name}: {line}");
        }
    }
}

/// Multiplies every number except those that a reader refuses outright.
fn edit_leaves(value: &mut Value, key: &str) {
    match value {
        Value::Object(fields) => {
            for (key, part) in fields.iter_mut().filter(|(key, _)| *key != "spec" && *key != "schema") {
                edit_leaves(part, key);
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(|part| edit_leaves(part, key)),
        Value::Number(number) if number.is_f64() && key != "center" => *value = json!(number.as_f64().unwrap() * 1.25),
        _ => (),
    }
}

#[test]
fn a_layout_is_one_of_the_space() {
    let folder = Folder::new();
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output mean.json"));
    folder.edit("mean.json", "edited.json", |json| json["layout"] = json!("safe to publish"));
    assert_eq!(folder.fields("edited.json"), [["layout"]]);
}

#[test]
fn a_specification_is_no_release() {
    let folder = Folder::new();
    let spec = folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --spec-only"));
    std::fs::write(folder.0.path().join("spec.json"), spec).unwrap();
    let found = folder.found("verify spec.json");
    assert_eq!(found, "spec.json: file: it is a specification; make a release from it with karcher run\n");
}

#[test]
fn a_file_that_cannot_be_read_is_a_finding_and_the_others_are_verified() {
    let folder = Folder::new();
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output mean.json"));
    folder.edit("mean.json", "other.json", |json| json["scale"] = json!(-1.0));
    let files = "no.json records.csv other.json mean.json";
    let found = folder.found(&format!("verify {files}"));
    let lines: Vec<&str> = found.lines().collect();
    assert!(lines[0].starts_with("no.json: file: it cannot be read ("), "{found}");
    assert!(lines[1].starts_with("records.csv: file: it is not JSON that karcher writes: "), "{found}");
    assert!(lines[2].starts_with("other.json: file: it is not a release: "), "{found}");
    assert!(lines.len() == 4 && lines[3].starts_with("mean.json: agrees with its specification; ε = 1, "), "{found}");
    let said = String::from_utf8(folder.run(&format!("verify {files}")).stderr).unwrap();
    assert!(said.starts_with("error: 3 findings in 3 of 4 files: "), "{said}");
    assert_eq!(folder.fields(files), [vec!["file"], vec!["file"], vec!["file"], vec![]]);
    assert_eq!(folder.run("verify").status.code(), Some(2));

    let text = std::fs::read_to_string(folder.0.path().join("mean.json")).unwrap();
    let twice = text.replacen("\"karcher\"", "\"scale\": 1.0, \"karcher\"", 1);
    std::fs::write(folder.0.path().join("twice.json"), twice).unwrap();
    assert!(folder.found("verify twice.json").contains("the field `scale` stands twice"));
}

#[test]
fn standard_input_is_a_file() {
    let folder = Folder::new();
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output mean.json"));
    let verify = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("karcher").unwrap();
        let file = std::fs::File::open(folder.0.path().join("mean.json")).unwrap();
        command.arg("verify").args(arguments).current_dir(&folder.0).stdin(file).output().unwrap()
    };
    let output = verify(&["-"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.starts_with("standard input: agrees with its specification; "), "{said}");
    assert!(output.status.success());
    assert!(verify(&["mean.json", "-"]).status.success());
    let twice = verify(&["-", "-"]);
    assert_eq!(twice.status.code(), Some(1));
    assert!(String::from_utf8(twice.stderr).unwrap().contains("- stands twice"));
}

#[test]
fn a_release_without_a_specification_says_what_was_compared() {
    let folder = Folder::new();
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output mean.json"));
    folder.edit("mean.json", "old.json", |json| drop(json.as_object_mut().unwrap().remove("spec")));
    let found = folder.found("verify old.json");
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(
        found.starts_with("old.json: spec: the release has none, so only its guarantee was compared with"),
        "{found}"
    );
    let said = String::from_utf8(folder.run("verify old.json").stderr).unwrap();
    let remedy = "ask for a release that was made from a specification: `ReleaseSpec::plan` in Rust";
    assert_eq!(said, format!("error: 1 finding in 1 of 1 files: {remedy}\n"));
    let json: Value = serde_json::from_str(&folder.found("verify old.json --json")).unwrap();
    assert_eq!(json["releases"][0]["complete"], false);
}

#[test]
fn each_cause_has_its_remedy() {
    let folder = Folder::new();
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output mean.json"));
    folder.edit("mean.json", "later.json", |json| {
        json["karcher"] = json!("9.9.9");
        json["new"] = json!(1);
    });
    folder.edit("mean.json", "edited.json", |json| json["scale"] = json!(1e-3));
    std::fs::write(folder.0.path().join("notes.json"), "[]").unwrap();
    let spec = folder.read("mean.json")["spec"].clone();
    folder.write("spec.json", &spec);
    for (files, said) in [
        ("later.json", "2 findings in 1 of 1 files: verify it with a karcher as new as the one that made it"),
        ("edited.json", "2 findings in 1 of 1 files: ask for the original files"),
        ("notes.json", "1 finding in 1 of 1 files: check that this is the file of a release"),
        ("spec.json", "1 finding in 1 of 1 files"),
        (
            "edited.json notes.json",
            "3 findings in 2 of 2 files: ask for the original files; check that this is the file of a release",
        ),
    ] {
        let told = String::from_utf8(folder.run(&format!("verify {files}")).stderr).unwrap();
        assert_eq!(told, format!("error: {said}\n"));
    }
}

#[test]
fn an_edited_release_is_found() {
    let folder = Folder::new();
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output mean.json"));
    folder.edit("mean.json", "edited.json", |json| json["scale"] = json!(1.0));
    let found = folder.found("verify mean.json edited.json");
    let lines: Vec<&str> = found.lines().collect();
    assert!(lines[0].starts_with("mean.json: agrees with its ") && lines[1].starts_with("edited.json: "), "{found}");
    assert!(found.contains("edited.json: scale: it is 1, and the specification leads to "), "{found}");
    let findings = folder.fields("edited.json").remove(0);
    assert!(findings.contains(&"scale".to_owned()), "{findings:?}");
    let count = findings.len();
    let said = String::from_utf8(folder.run("verify edited.json").stderr).unwrap();
    assert!(said.starts_with(&format!("error: {count} finding")), "{said}");
}

#[test]
fn groups_are_verified_together() {
    let folder = Folder::new();
    let command = "mean records.csv --columns x,y --manifold euclidean:2 --radius 1 --epsilon 2 --spread";
    folder.done(&format!("{command} --adjacency add-remove --n-guess 90 --by team --groups a,b --output all.json"));
    let promise = "ε = 2, one record added or removed, exact, no flags, no ledger";
    assert_eq!(folder.done("verify all.json"), format!("all.json: agrees with its specification; {promise}\n"));
    for (place, value, said) in [
        ("/guarantee/epsilon", json!(1.0), "all.json: guarantee.epsilon: it is 1, and the specification leads to 2"),
        ("/groups/1/release/scale", json!(1.0), "all.json: groups[1].release.scale: it is 1, "),
        ("/groups/0/group", json!("c"), "all.json: groups[0].group: it is \"c\", and the specification leads to \"a\""),
        ("/by", json!("day"), "all.json: by: it is \"day\", and the specification leads to \"team\""),
        ("/spec/budget/epsilon", json!(3.0), "all.json: groups[0].release.spec: "),
        ("/unit", json!("person"), "all.json: unit: it is "),
    ] {
        folder.edit("all.json", "kept.json", |_| ());
        folder.edit("kept.json", "all.json", |json| *json.pointer_mut(place).unwrap() = value.clone());
        let found = folder.found("verify all.json");
        assert!(found.contains(said), "{place}: {found}");
        folder.edit("kept.json", "all.json", |_| ());
    }
    folder.edit("all.json", "less.json", |json| drop(json["groups"].as_array_mut().unwrap().remove(1)));
    assert!(folder.found("verify less.json").contains("groups: it has 1 elements, and the specification leads to 2"));
}

#[cfg(feature = "ledger")]
#[test]
fn a_ledger_confirms_what_it_counted() {
    let folder = Folder::new();
    folder.done("ledger new own.db --data own --epsilon 90");
    folder.done("ledger new other.db --data other --epsilon 9");
    let mut files = vec![];
    // budgets of the ledger's definition
    for (name, command) in releases() {
        let command = command.replace("--mu", "--epsilon");
        folder.done(&format!("{command} --ledger own.db --output {name}.json"));
        files.push(format!("{name}.json"));
    }
    let said = folder.done(&format!("verify {} --ledger own.db", files.join(" ")));
    assert!(
        said.contains(
            "mean.json: agrees with its specification; ε = 1, one record replaced, exact, no flags, entry 1\n"
        )
    );
    assert!(folder.done("verify mean.json").ends_with(", no flags, entry 1 (not checked)\n"));
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --output free.json"));
    let found = |file: &str, ledger: &str| folder.found(&format!("verify {file} --ledger {ledger}"));
    assert!(found("mean.json", "other.db").contains("ledger.ledger: the release names "));
    assert!(found("free.json", "own.db").contains("ledger: the release names no entry"));
    folder.edit("mean.json", "edited.json", |json| json["ledger"]["entry"] = json!(77));
    assert!(found("edited.json", "own.db").contains("ledger.entry: the ledger has no entry 77"));
    folder.edit("mean.json", "edited.json", |json| {
        (json["guarantee"]["epsilon"], json["spec"]["budget"]["epsilon"]) = (json!(2.0), json!(2.0));
    });
    assert!(found("edited.json", "own.db").contains("ledger.entry: entry 1 "));
    let missing = folder.run("verify mean.json --ledger no.db");
    assert_eq!(missing.status.code(), Some(1));
    assert_eq!(missing.stderr, b"error: --ledger: no.db does not exist: check the path\n");

    // every release with the entry of every other one, one at a time, except for two of one event
    let entries: Vec<u64> = files.iter().map(|file| entry(&folder.read(file))).collect();
    for (file, own) in files.iter().zip(&entries) {
        let alike = ["line.json", "predictions.json"];
        let is_alike = |file: &&String| alike.contains(&file.as_str());
        let twins: Vec<u64> =
            files.iter().zip(&entries).filter(|(file, _)| is_alike(file)).map(|(_, at)| *at).collect();
        let has_same_event = |other: &u64| twins.contains(own) && twins.contains(other);
        for other in entries.iter().filter(|other| *other != own && !has_same_event(other)) {
            folder.edit(file, "swapped.json", |json| set_entry(json, *other));
            let fields = folder.fields("swapped.json --ledger own.db").remove(0);
            assert!(fields.iter().any(|field| field.ends_with("ledger.entry")), "{file} {other}: {fields:?}");
        }
    }
}

/// The entry that a release names, or the releases of groups.
fn entry(json: &Value) -> u64 {
    let release = json.pointer("/groups/0/release").unwrap_or(json);
    release["ledger"]["entry"].as_u64().unwrap()
}

fn set_entry(json: &mut Value, entry: u64) {
    match json.get_mut("groups").and_then(Value::as_array_mut) {
        Some(groups) => groups.iter_mut().for_each(|group| group["release"]["ledger"]["entry"] = json!(entry)),
        None => json["ledger"]["entry"] = json!(entry),
    }
}

#[cfg(feature = "ledger")]
#[test]
fn an_entry_covers_one_release() {
    let folder = Folder::new();
    folder.done("ledger new own.db --data own --epsilon 90");
    let mean = format!("mean {XY} --radius 1 --epsilon 1 --ledger own.db");
    folder.done(&format!("{mean} --output first.json"));
    folder.done(&format!("{mean} --output second.json"));
    folder.edit("first.json", "copy.json", |_| ());
    folder.done("verify first.json copy.json second.json --ledger own.db");

    // of the same public properties: found with the other file
    folder.edit("second.json", "twice.json", |json| set_entry(json, 1));
    let found = folder.found("verify first.json twice.json --ledger own.db");
    assert!(found.contains("twice.json: ledger.entry: entry 1 covers another release, in first.json"), "{found}");

    // a group by itself is one of those that its entry covers
    let groups = "--adjacency add-remove --n-guess 90 --by team --groups a,b";
    folder.done(&format!("{mean} {groups} --output all.json"));
    folder.write("a.json", &folder.read("all.json")["groups"][0]["release"]);
    folder.write("b.json", &folder.read("all.json")["groups"][1]["release"]);
    folder.done("verify first.json second.json a.json b.json all.json --ledger own.db");
    folder.edit("a.json", "c.json", |json| json["ledger"]["entry"] = json!(1));
    let found = folder.found("verify c.json --ledger own.db");
    assert!(
        found.contains("ledger.entry: entry 1 is of a release with another `n`, `n_guess`, `adjacency`"),
        "{found}"
    );
    folder.done(&format!("{mean} {groups} --output more.json"));
    folder.write("c.json", &folder.read("more.json")["groups"][0]["release"]);
    folder.edit("c.json", "c.json", |json| json["ledger"]["entry"] = json!(3));
    let found = folder.found("verify a.json b.json c.json --ledger own.db");
    assert!(found.contains("c.json: ledger.entry: entry 3 covers another release, in a.json, b.json"), "{found}");
    folder.edit("more.json", "less.json", |json| drop(json["groups"].as_array_mut().unwrap().remove(1)));
    let found = folder.found("verify less.json --ledger own.db");
    assert!(found.contains("groups: entry 4 covers 2 releases, and the file has 1"), "{found}");
}

#[cfg(feature = "ledger")]
#[test]
fn entries_that_are_in_no_file_are_named() {
    let folder = Folder::new();
    folder.done("ledger new own.db --data own --epsilon 9");
    let mean = format!("mean {XY} --radius 1 --epsilon 1 --ledger own.db");
    let groups = "--adjacency add-remove --n-guess 90 --by team --groups a,b";
    for file in ["first", "second", "third"] {
        folder.done(&format!("{mean} --output {file}.json"));
    }
    assert_eq!(folder.run(&mean.replace("--epsilon 1", "--epsilon 9")).status.code(), Some(1)); // refused: no release
    folder.done(&format!("{mean} {groups} --output all.json"));
    let all = "first.json second.json third.json all.json";
    assert!(!folder.done(&format!("verify {all} --ledger own.db")).contains("own.db"));
    let missing = |line: &str| {
        let output = folder.run(line);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("own.db counts releases that were not given: ask for them"), "{error}");
        String::from_utf8(output.stdout).unwrap()
    };
    let said = missing("verify second.json all.json --ledger own.db");
    assert_eq!(said.lines().last().unwrap(), "own.db: entries 1, 3 are in none of these files");
    folder.write("a.json", &folder.read("all.json")["groups"][0]["release"]);
    let said = missing("verify a.json first.json third.json --ledger own.db");
    let notes: Vec<&str> = said.lines().skip(3).collect();
    assert_eq!(
        notes,
        ["own.db: entry 2 is in none of these files", "own.db: entry 5 has 2 releases, and these files have 1 of them"]
    );
    let json: Value =
        serde_json::from_str(&missing("verify second.json a.json first.json --ledger own.db --json")).unwrap();
    let not_given = json!([{"entry": 3, "releases": 1, "given": 0}, {"entry": 5, "releases": 2, "given": 1}]);
    assert_eq!(json["ledger"], json!({"file": "own.db", "problems": [], "not_given": not_given}));
}

#[cfg(all(feature = "ledger", unix))]
#[test]
fn a_reader_may_have_a_copy_of_the_ledger() {
    let folder = Folder::new();
    folder.done("ledger new own.db --data own --epsilon 9");
    folder.done(&format!("mean {XY} --radius 1 --epsilon 1 --ledger own.db --output mean.json"));
    std::fs::copy(folder.0.path().join("own.db"), folder.0.path().join("copy.db")).unwrap();
    let advice = "A reader needs to do nothing; `karcher ledger adopt` is for its owner only";
    let said = folder.done("verify mean.json --ledger copy.db");
    let (first, note) = said.split_once('\n').unwrap();
    assert!(first.ends_with(", entry 1"), "{said}");
    assert!(note.starts_with("copy.db is a copy of a ledger") && note.trim_end().ends_with(advice), "{said}");
    let json: Value = serde_json::from_str(&folder.done("verify mean.json --ledger copy.db --json")).unwrap();
    assert_eq!(json["ledger"]["problems"], json!([note.trim_end()]));
}
