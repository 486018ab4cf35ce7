//! Keys of persons and groups, lists of names, and columns by name or position, as users type them.

use assert_cmd::prelude::*;
use serde_json::Value;
use std::process::{Command, Output};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, contents)| std::fs::write(folder.path().join(name), contents).unwrap());
        Self(folder)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::cargo_bin("karcher").unwrap().args(arguments).current_dir(&self.0).output().unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn refusal(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments:?}");
        crate::one_line(&String::from_utf8(output.stderr).unwrap())
    }
}

const LINE: [&str; 6] = ["--manifold", "euclidean:1", "--radius", "50", "--epsilon", "1e9"];
const UNKNOWN_N: [&str; 4] = ["--adjacency", "add-remove", "--n-guess", "5"];

fn mean<'a>(file: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    [&["mean", file][..], &LINE, options].concat()
}

/// The rounded means of groups.
fn groups(folder: &Folder, file: &str, by: &str, list: &str, more: &[&str]) -> Vec<f64> {
    let options = [&["--columns", "x", "--by", by, "--groups", list][..], &UNKNOWN_N, more].concat();
    let found = folder.json(&mean(file, &options));
    let values = found["groups"].as_array().unwrap().iter();
    values.map(|group| group["release"]["value"][0].as_f64().unwrap().round()).collect()
}

#[test]
fn persons_are_equal_however_their_names_are_written() {
    let folder = Folder::with(&[
        ("forms.csv", "who,x\nZo\u{eb},0\nZoe\u{308},2\nAnn ,9\n Ann,9\n1,4\n1.0,4\n".as_bytes()),
        ("latin1.csv", b"who,x\nM\xfcller,1\nM\xf6ller,2\nM\xe4ller,3\n"),
    ]);
    assert_eq!(folder.json(&mean("forms.csv", &["--columns", "x", "--person", "who"]))["n"], 3);
    let options = ["--columns", "x", "--person", "who"];
    let said = folder.refusal(&mean("latin1.csv", &options));
    assert!(said.contains("record 1 (line 2)") && said.contains("--encoding"), "{said}");
    let read = folder.json(&mean("latin1.csv", &[&options[..], &["--encoding", "latin1"]].concat()));
    assert_eq!(read["n"], 3);
    let said = folder.refusal(&mean("latin1.csv", &[&options[..], &["--encoding", "latin"]].concat()));
    assert!(said.contains("no encoding `latin`"), "{said}");
}

#[test]
fn groups_are_found_by_their_keys() {
    let folder = Folder::with(&[
        ("comma.csv", b"country,x\n\"Korea, South\",1\nJapan,9\n"),
        ("forms.csv", "who,x\nJose\u{301},1\nAna ,9\n".as_bytes()),
        ("latin1.csv", b"who,x\nJos\xe9,1\nAna,9\n"),
        ("numbers.csv", b"arm,x\n1.0,1\n2.0,9\n"),
        ("truths.csv", b"arm,x\nTRUE,1\nFALSE,9\n"),
    ]);
    assert_eq!(groups(&folder, "comma.csv", "country", "\"Korea, South\",Japan", &[]), [1.0, 9.0]);
    assert_eq!(groups(&folder, "forms.csv", "who", "Jos\u{e9}, Ana", &[]), [1.0, 9.0]);
    assert_eq!(groups(&folder, "latin1.csv", "who", "Jos\u{e9},Ana", &["--encoding", "windows-1252"]), [1.0, 9.0]);
    assert_eq!(groups(&folder, "numbers.csv", "arm", "1,2", &[]), [1.0, 9.0]);
    assert_eq!(groups(&folder, "truths.csv", "arm", "true,0", &[]), [1.0, 9.0]);
}

#[test]
fn groups_that_no_record_can_be_in_are_refused_before_anything_is_spent() {
    let folder = Folder::with(&[("a.csv", b"arm,x\n1,1\n2,9\n")]);
    let new = ["ledger", "new", "l.ledger", "--data", "a", "--epsilon", "1e6", "--adjacency", "add-remove"];
    assert!(folder.run(&new).status.success());
    let before = std::fs::read(folder.0.path().join("l.ledger")).unwrap();
    for (list, words) in [
        ("1,01", "1 and 01 are equal"),
        ("1,1", "1 stands twice"),
        ("1,\" \"", "a name is empty"),
        ("1,,2", "a name is empty"),
        ("\"1,2", "a double quote"),
        ("\"a\"b,2", "a double quote"),
    ] {
        let options = ["--columns", "x", "--by", "arm", "--groups", list, "--ledger", "l.ledger"];
        let said = folder.refusal(&mean("a.csv", &[&options[..], &UNKNOWN_N].concat()));
        assert!(said.contains(words), "{list}: {said}");
    }
    assert_eq!(std::fs::read(folder.0.path().join("l.ledger")).unwrap(), before);
}

#[test]
fn a_number_that_is_a_name_and_a_position_is_refused() {
    let folder = Folder::with(&[("a.csv", b"id,1,2,3\n7,1.5,2.5,3.5\n8,1.5,2.5,3.5\n")]);
    let space = ["mean", "a.csv", "--header", "yes", "--radius", "20", "--epsilon", "1e9", "--manifold"];
    let value = |options: &[&str]| {
        let found = folder.json(&[&space[..], options].concat());
        found["value"]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .map(|x| (x * 10.0).round())
            .collect::<Vec<_>>()
    };
    for columns in ["1,2,3", "1-3", "3"] {
        let d = if columns == "3" { "euclidean:1" } else { "euclidean:3" };
        let said = folder.refusal(&[&space[..], &[d, "--columns", columns]].concat());
        assert!(said.contains("--columns-by name or --columns-by position"), "{said}");
    }
    let by = |columns, by| value(&["euclidean:3", "--columns", columns, "--columns-by", by]);
    assert_eq!(by("1,2,3", "name"), [15.0, 25.0, 35.0]);
    assert_eq!(by("1-3", "name"), [15.0, 25.0, 35.0]);
    assert_eq!(by("2-4", "position"), [15.0, 25.0, 35.0]);
    assert_eq!(value(&["euclidean:3", "--columns", "\"1\",\"2\",\"3\""]), [15.0, 25.0, 35.0]);
    // every option of a column
    for option in [
        &["--person", "1"][..],
        &["--missing-values", "1=-9"],
        &["--by", "1", "--groups", "a", "--adjacency", "add-remove", "--n-guess", "5"],
    ] {
        let said = folder.refusal(&[&space[..], &["euclidean:1", "--columns", "id"], option].concat());
        assert!(said.contains("--columns-by"), "{option:?}: {said}");
    }
    let regress =
        ["regress", "a.csv", "--header", "yes", "--radius", "20", "--epsilon", "1", "--manifold", "euclidean:1"];
    let geodesic = ["--predictor", "2", "--predictor-range", "0", "9", "--slope-bound", "1"];
    for option in [&geodesic[..], &["--term", "linear:2:0:9"], &["--term", "levels:2:a,b"]] {
        let said = folder.refusal(&[&regress[..], &["--columns", "id"], option].concat());
        assert!(said.contains("--columns-by"), "{option:?}: {said}");
    }
}

#[test]
fn levels_and_missing_values_are_lists_with_quotes() {
    let folder = Folder::with(&[("a.csv", b"x,site\n1,\"A, B\"\n2,C\n3,\"A, B\"\n\"not, known\",C\n")]);
    let site = ["regress", "a.csv", "--manifold", "euclidean:1", "--radius", "9", "--epsilon", "1e9", "--columns", "x"];
    let missing = ["--missing-values", "\"not, known\"", "--missing", "drop"];
    let term = ["--term", "levels:site:\"A, B\",C", "--predict-at", "site=\"A, B\"", "--predict-at", "site=C"];
    let found = folder.json(&[&site[..], &missing, &term].concat());
    assert_eq!(found["n"], 3);
    let predicted = found["predictions"].as_array().unwrap().iter();
    let predicted: Vec<f64> = predicted.map(|one| one["value"][0].as_f64().unwrap().round()).collect();
    assert_eq!(predicted, [2.0, 2.0]);
}
