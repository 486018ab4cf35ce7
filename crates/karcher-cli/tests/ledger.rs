//! `karcher ledger` and `--ledger`: what is counted, what is refused, what is printed.
#![cfg(feature = "ledger")]

use assert_cmd::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    /// A folder with a ledger `b.db` of some total, and records.
    fn new(total: &[&str]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let rows: String = (0..50).map(|i| format!("0.{i:02},0.1\n")).collect();
        std::fs::write(place.0.path().join("records.csv"), rows).unwrap();
        place.done(&[&["ledger", "new", "b.db", "--data", "people"], total].concat());
        place
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("karcher").unwrap();
        command.args(arguments).current_dir(&self.0);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    }

    fn mean<'a>(&self, budget: &[&'a str]) -> Vec<&'a str> {
        let mean = ["mean", "records.csv", "--manifold", "euclidean:2", "--radius", "2", "--ledger", "b.db"];
        [&mean[..], budget].concat()
    }

    fn book(&self) -> Value {
        serde_json::from_str(&self.done(&["ledger", "show", "b.db", "--json"])).unwrap()
    }

    fn statuses(&self) -> Vec<String> {
        let book = self.book();
        let entries = book["entries"].as_array().unwrap().iter();
        entries.map(|entry| entry["status"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn releases_are_counted_and_the_one_too_many_is_refused() {
    let place = Place::new(&["--epsilon", "1"]);
    let printed = place.done(&place.mean(&["--epsilon", "0.25"]));
    assert!(printed.contains("entry 1 of b.db, epsilon 0.75 is left of people"), "{printed}");
    let release: Value = serde_json::from_str(&place.done(&place.mean(&["--epsilon", "0.5", "--json"]))).unwrap();
    let book = place.book();
    assert_eq!(release["ledger"], json!({"ledger": book["ledger"], "entry": 2}));
    let sentence = place.refused(&place.mean(&["--epsilon", "0.5"]));
    assert_eq!(
        sentence,
        "error: b.db: not enough is left: requested epsilon 0.5, spent epsilon 0.75 of 1.0, left epsilon 0.25\n"
    );
    place.done(&place.mean(&["--epsilon", "0.25"]));
    assert_eq!(place.statuses(), ["released", "released", "refused", "released"]);
    let book = place.book();
    assert_eq!((&book["left"], &book["data"]), (&json!({"definition": "pure", "epsilon": 0.0}), &json!("people")));
    // the provenance of the release is in the ledger, its value is not
    let event = &book["entries"][1]["event"];
    for field in ["statistic", "manifold", "n", "guarantee", "mechanism", "scale", "sensitivity", "ball", "numerics"] {
        assert_eq!(event[field], release[field], "{field}");
    }
    assert!(event.get("value").is_none());
    let table = place.done(&["ledger", "show", "b.db"]);
    assert!(table.contains("left        epsilon 0.0") && table.contains("refused"), "{table}");
    assert!(table.contains("neighbours  replace-one\n"), "{table}");
    let other = ["ledger", "new", "other.db", "--data", "people", "--epsilon", "1", "--adjacency", "add-remove"];
    for said in [place.done(&other), place.done(&["ledger", "show", "other.db"])] {
        assert!(said.contains("neighbours  add-remove\ntotal       epsilon 1.0\n"), "{said}");
    }
    assert!(place.done(&["ledger", "check", "b.db"]).contains("problems  whole"));
}

#[test]
fn every_command_that_releases_takes_a_ledger() {
    let place = Place::new(&["--rho", "1000"]);
    let space = ["records.csv", "--manifold", "euclidean:2", "--ledger", "b.db"];
    place.done(&[&["mean"], &space[..], &["--radius", "2", "--mu", "1", "--spread"]].concat());
    place.done(&[&["mean"], &space[..], &["--ball", "auto", "--within", "9", "--mu", "5"]].concat());
    place.done(&[&["mean"], &space[..], &["--radius", "2", "--mu", "1", "--statistic", "median"]].concat());
    place.done(&[&["components"], &space[..], &["--radius", "2", "--mu", "1"]].concat());
    place.done(&[&["locate"], &space[..], &["--within", "9", "--mu", "5"]].concat());
    let on_x = ["regress", "records.csv", "--manifold", "euclidean:1", "--columns", "2", "--predictor", "1"];
    let bounds =
        ["--predictor-range", "0", "1", "--radius", "1", "--slope-bound", "1", "--mu", "1", "--ledger", "b.db"];
    place.done(&[&on_x[..], &bounds[..]].concat());
    assert_eq!(place.statuses(), ["released"; 6]);
    let book = place.book();
    let rho = |i: usize| book["entries"][i]["counts_as"]["rho"].as_f64().unwrap();
    assert_eq!((rho(0), rho(1), rho(5)), (0.5, 12.5, 0.5));
    assert_eq!(book["spent"]["rho"], 27.0);
}

#[test]
fn what_is_refused_before_records_are_looked_at_costs_nothing() {
    let place = Place::new(&["--epsilon", "1"]);
    place.refused(&place.mean(&["--epsilon", "0.5", "--steps", "3"]));
    place.refused(&place.mean(&["--epsilon", "-1"]));
    place.refused(&place.mean(&["--epsilon", "0.5", "--columns", "9"]));
    place.refused(&place.mean(&["--epsilon", "0.5", "--output", "no such folder/mean.json"]));
    assert_eq!(place.statuses(), [""; 0]);
    // a seed keeps no promise
    let usage = place.run(&place.mean(&["--epsilon", "0.5", "--seed", "1"]));
    assert_eq!(usage.status.code(), Some(2));
    // a definition that is not counted
    let sentence = place.refused(&place.mean(&["--mu", "0.5"]));
    assert!(
        sentence.contains("this budget counts epsilon, and a release with mu 0.5 has no such guarantee"),
        "{sentence}"
    );
    assert_eq!(place.statuses(), ["refused"]);
}

#[test]
fn budget_stays_spent_when_the_result_cannot_be_handed_over() {
    let place = Place::new(&["--epsilon", "1"]);
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else {
        return println!("SKIPPED: there is no /dev/full");
    };
    let output = place.command(&place.mean(&["--epsilon", "0.5"])).stdout(Stdio::from(full)).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("its privacy budget is spent"));
    assert_eq!(place.book()["left"]["epsilon"], 0.5);
}

#[test]
fn nothing_is_written_over_a_ledger() {
    let place = Place::new(&["--epsilon", "1"]);
    place.done(&["ledger", "new", "x.json", "--data", "people", "--epsilon", "1"]);
    let mut onto = place.mean(&["--epsilon", "0.5", "--force", "--output", "x.json"]);
    *onto.iter_mut().find(|argument| **argument == "b.db").unwrap() = "x.json";
    let refused = place.refused(&onto);
    assert!(refused.contains("x.json is the ledger"), "{refused}");
    place.done(&["ledger", "check", "x.json"]);
}

#[test]
fn ledgers_that_may_not_be_used_release_nothing() {
    let place = Place::new(&["--epsilon", "1"]);
    let with = |ledger| {
        let mut arguments = place.mean(&["--epsilon", "0.5"]);
        *arguments.iter_mut().find(|argument| **argument == "b.db").unwrap() = ledger;
        place.refused(&arguments)
    };
    let missing = "missing.db does not exist: check the path";
    assert!(with("missing.db").contains(&format!("{missing}, or make a ledger with `karcher ledger new`")));
    for action in ["show", "check", "adopt"] {
        assert_eq!(place.refused(&["ledger", action, "missing.db"]), format!("error: {missing}\n"));
    }
    assert!(with("records.csv").contains("records.csv is no ledger"));
    std::fs::copy(place.0.path().join("b.db"), place.0.path().join("copy.db")).unwrap();
    if cfg!(unix) {
        assert!(with("copy.db").contains("is a copy of a ledger"));
        let check = place.run(&["ledger", "check", "copy.db", "--json"]);
        assert_eq!(check.status.code(), Some(0)); // it is whole
        let said: Value = serde_json::from_slice(&check.stdout).unwrap();
        assert_eq!((&said["problems"], &said["copy"]), (&json!([]), &json!(true)));
        let said = place.done(&["ledger", "check", "copy.db"]);
        assert!(said.contains("whole") && said.contains("is a copy") && said.contains("its owner only"), "{said}");
    }
    // a table of a copy says what it is
    let shown = place.run(&["ledger", "show", "copy.db"]);
    assert!(shown.status.success());
    let warning = String::from_utf8(shown.stderr).unwrap();
    assert_eq!(warning.contains("is a copy"), cfg!(unix));
    let advice = "A reader needs to do nothing; `karcher ledger adopt` is for its owner only";
    assert_eq!(warning.contains(advice), cfg!(unix), "{warning}");
    place.done(&["ledger", "adopt", "copy.db"]);
    place.done(&["ledger", "check", "copy.db"]);
    let again = place.refused(&["ledger", "new", "b.db", "--data", "people", "--epsilon", "1"]);
    let advice = "use `--ledger b.db` to go on with it, and another name only for other people";
    assert!(again.contains("b.db exists") && again.contains(advice), "{again}");
    assert!(place.refused(&["ledger", "new", "c.db", "--data", "people"]).contains("the privacy budget is missing"));
    let negative = place.refused(&["ledger", "new", "c.db", "--data", "people", "--epsilon", "-1"]);
    assert!(negative.contains("--epsilon is -1"), "{negative}");
    assert!(!Path::new(&place.0.path().join("c.db")).exists());
    // a ledger in a folder of records would be one of them
    std::fs::create_dir(place.0.path().join("folder")).unwrap();
    std::fs::copy(place.0.path().join("records.csv"), place.0.path().join("folder/records.csv")).unwrap();
    place.done(&["ledger", "new", "folder/b.db", "--data", "people", "--epsilon", "1"]);
    let inside =
        ["mean", "folder", "--manifold", "euclidean:2", "--radius", "2", "--epsilon", "1", "--ledger", "folder/b.db"];
    assert!(place.refused(&inside).contains("choose another folder"));
}

/// What one release costs is asked for by eight programs at a time.
#[test]
fn programs_at_the_same_time_never_spend_more_than_there_is() {
    let place = Place::new(&["--mu", "1"]);
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut command = place.command(&place.mean(&["--mu", "0.5"]));
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    let granted = children.into_iter().map(|mut child| child.wait().unwrap().success());
    assert_eq!(granted.filter(|granted| *granted).count(), 4); // 4 · 0.5² = 1²
    let statuses = place.statuses();
    assert_eq!(statuses.iter().filter(|status| *status == "released").count(), 4);
    assert_eq!(statuses.iter().filter(|status| *status == "refused").count(), 4);
}

/// A release of another program.
fn foreign(name: &str, epsilon: f64) -> Value {
    json!({
        "release": name, "library": "OpenDP 0.16.0", "guarantee": {"definition": "pure", "epsilon": epsilon},
        "unit": "record", "adjacency": "replace-one", "data": "people", "date": "2026-11-27"
    })
}

impl Place {
    fn import(&self, releases: &Value) -> Output {
        std::fs::write(self.0.path().join("foreign.json"), releases.to_string()).unwrap();
        self.run(&["ledger", "import", "b.db", "foreign.json"])
    }
}

/// What is printed of a budget is on the safe side, to its twelve digits: no more is left than is said, and no less
/// spent.
#[test]
fn printed_amounts_are_on_the_safe_side() {
    let amount = |shown: &str, name: &str| -> f64 {
        let line = shown.lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    for spent in ["1e-13", "0.1", "0.3333333333333333", "1e-7", "0.123456789012345", "0.9999999999999", "0.25"] {
        let place = Place::new(&["--epsilon", "1"]);
        assert!(place.import(&json!([foreign("histogram", spent.parse().unwrap())])).status.success());
        let (book, shown) = (place.book(), place.done(&["ledger", "show", "b.db"]));
        let (left, spent) = (book["left"]["epsilon"].as_f64().unwrap(), book["spent"]["epsilon"].as_f64().unwrap());
        let printed = [amount(&shown, "left"), amount(&shown, "spent")];
        assert!(left < 1.0 && printed[0] <= left && printed[1] >= spent, "{shown}");
        assert!(printed[0] >= left - 2e-12 && printed[1] <= spent * (1.0 + 2e-11), "{shown}");
    }
}

#[test]
fn foreign_releases_spend_the_same_budget_once() {
    let place = Place::new(&["--epsilon", "1"]);
    place.done(&place.mean(&["--epsilon", "0.25"]));
    for counted in ["2 (known before: 0)", "0 (known before: 2)"] {
        let output = place.import(&json!([foreign("histogram", 0.25), foreign("quantile", 0.125)]));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.starts_with(&format!("counted  {counted}")), "{printed}");
        assert_eq!(place.book()["left"], json!({"definition": "pure", "epsilon": 0.375}));
    }
    assert_eq!(place.statuses(), ["released", "released", "released"]);
    let shown = place.done(&["ledger", "show", "b.db"]);
    assert!(shown.contains("histogram") && shown.contains("OpenDP 0.16.0"), "{shown}");
    assert!(place.refused(&place.mean(&["--epsilon", "0.5"])).contains("left epsilon 0.375"));
    assert!(place.done(&["ledger", "check", "b.db"]).contains("whole"));
}

#[test]
fn a_foreign_release_counts_beyond_the_total_and_ends_it() {
    let place = Place::new(&["--epsilon", "1"]);
    assert!(place.import(&json!([foreign("histogram", 1.5)])).status.success());
    let book = place.book();
    let pure = |epsilon: f64| json!({"definition": "pure", "epsilon": epsilon});
    assert_eq!((&book["spent"], &book["left"]), (&pure(1.5), &pure(0.0)));
    assert!(book["promise"]["epsilon"].as_f64().unwrap() >= 1.5);
    assert!(place.refused(&place.mean(&["--epsilon", "1e-6"])).contains("spent epsilon 1.5 of 1.0, left epsilon 0.0"));
    assert!(place.done(&["ledger", "check", "b.db"]).contains("whole"));
}

#[test]
fn an_export_is_imported_into_another_ledger_and_not_into_its_own() {
    let place = Place::new(&["--epsilon", "1"]);
    place.done(&place.mean(&["--epsilon", "0.25"]));
    place.import(&json!([foreign("histogram", 0.5)]));
    place.refused(&place.mean(&["--epsilon", "0.5"]));
    let exported: Value = serde_json::from_str(&place.done(&["ledger", "export", "b.db"])).unwrap();
    assert_eq!(exported.as_array().unwrap().len(), 2); // what was refused is not spent
    assert_eq!(exported[1], foreign("histogram", 0.5));
    assert!(String::from_utf8(place.import(&exported).stdout).unwrap().starts_with("counted  0 (known before: 2)"));
    let other = Place::new(&["--epsilon", "2"]);
    assert!(other.import(&exported).status.success());
    assert_eq!(other.book()["spent"], json!({"definition": "pure", "epsilon": 0.75}));
}

#[test]
fn foreign_releases_that_cannot_be_counted_change_nothing() {
    let place = Place::new(&["--epsilon", "1"]);
    let with = |field: &str, value: Value| {
        let mut release = foreign("quantile", 0.25);
        release[field] = value;
        json!([foreign("histogram", 0.25), release])
    };
    let both = json!([foreign("histogram", 0.25), foreign("histogram", 0.25)]);
    for (releases, reason) in [
        (with("data", json!("others")), "release 2 to import is about \"others\""),
        (with("guarantee", json!({"definition": "concentrated", "rho": 0.1})), "this budget counts epsilon"),
        (with("release", json!("")), "empty text"),
        (with("fun", json!("")), "unknown field `fun`"),
        (with("guarantee", json!({"definition": "pure", "epsilon": -1.0})), "is no list of releases"),
        (both, "is twice in the list"),
    ] {
        let output = place.import(&releases);
        let sentence = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && sentence.contains(reason), "{sentence}");
        assert_eq!(place.book()["entries"], json!([]));
    }
    // one record added or removed is half of a replacement
    assert!(place.import(&with("adjacency", json!("add-remove"))).status.success());
    assert_eq!(place.book()["spent"], json!({"definition": "pure", "epsilon": 0.75}));
}
