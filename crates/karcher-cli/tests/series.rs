//! Series: releases over time, in files.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

/// A folder with records and specifications, and the commands in it.
struct Place(TempDir);

const COLUMNS: &str = "--columns x,y";

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let spec = |unit: &str| {
            json!({"spec": 1, "statistic": "frechet-mean", "manifold": "euclidean:2", "unit": unit,
                   "ball": {"center": [0.0, 0.0], "radius": 1.0}, "budget": {"definition": "gaussian", "mu": 1.0}})
        };
        place.write("spec.json", &spec("record").to_string());
        place.write("persons.json", &spec("person").to_string());
        let median = spec("record").to_string().replace("frechet-mean", "geometric-median");
        place.write("median.json", &median);
        for (name, people) in [("a.csv", 0..40), ("b.csv", 20..60), ("c.csv", 0..60)] {
            let row = |i: u32| format!("{},{},p{i}\n", f64::from(i % 13) / 13.0, f64::from(i % 7) / 7.0);
            place.write(name, &("x,y,who\n".to_owned() + &people.map(row).collect::<String>()));
        }
        place
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn state(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    fn run(&self, arguments: &str) -> std::process::Output {
        let mut command = Command::cargo_bin("karcher").unwrap();
        command.args(arguments.split_whitespace()).current_dir(&self.0).output().unwrap()
    }

    fn printed(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn refusal(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }
}

#[test]
fn a_ledger_counts_a_series_once_and_verify_finds_it() {
    let place = Place::new();
    place.printed("ledger new budget.db --data study --mu 1.2");
    place.printed("series spec.json --periods 4 --output s.json --ledger budget.db");
    for period in 1..=4 {
        let printed = place.printed(&format!("continue s.json a.csv {COLUMNS} --label month-{period}"));
        let period = format!("{period} of 4; the guarantee covers all releases of the series");
        assert!(crate::one_line(&printed).contains(&period), "{printed}");
    }
    assert!(place.refusal(&format!("continue s.json a.csv {COLUMNS}")).contains("begin another one"));
    assert_eq!(place.state("s.json")["published"][2]["label"], "month-3");
    let checked = place.printed("verify s.json --ledger budget.db");
    assert!(checked.contains("agrees with its specification; μ = 1, one record replaced, exact, no flags, entry 1"));
    let refused = place.refusal("series spec.json --periods 4 --output t.json --ledger budget.db");
    assert!(refused.contains("left"), "{refused}");
    assert!(!place.0.path().join("t.json").exists() && !place.0.path().join("t.key").exists());
}

/// The program ends after it has entered a period: the next one publishes that, with the same noise.
#[test]
fn an_interrupted_command_is_repeated_without_other_noise() {
    let place = Place::new();
    place.printed("series spec.json --periods 3 --output s.json --seed 4");
    let before = place.read("s.json");
    place.printed(&format!("continue s.json a.csv {COLUMNS}"));
    let after = place.read("s.json");
    place.write("s.json", &before); // as if it had not been written
    place.printed(&format!("continue s.json b.csv {COLUMNS}")); // whatever the files hold now
    assert_eq!(place.read("s.json"), after);
}

#[test]
fn people_who_come_again_and_periods_without_records() {
    let place = Place::new();
    place.printed("series persons.json --periods 5 --output s.json --seed 1");
    for (file, joined) in [("a.csv", 40), ("b.csv", 20), ("c.csv", 0)] {
        place.printed(&format!("continue s.json {file} {COLUMNS} --person who"));
        let state = place.state("s.json");
        assert_eq!(state["published"].as_array().unwrap().last().unwrap()["n"], joined, "{file}");
    }
    assert!(!place.read("s.key").contains("p1"));
    assert!(place.printed("continue s.json --empty --json").contains("\"n\":60"));
    assert!(place.refusal(&format!("continue s.json a.csv {COLUMNS}")).contains("--person is missing"));
    assert_eq!(place.run("continue s.json --empty a.csv").status.code(), Some(2));
    assert!(place.refusal("continue s.json").contains("--empty"));
}

#[test]
fn what_cannot_be_a_series_is_refused_before_anything_is_spent() {
    let place = Place::new();
    assert!(place.refusal("series median.json --periods 3 --output s.json").contains("not computed from one sum"));
    assert!(place.refusal("series spec.json --periods 3 --contributions 2 --output s.json").contains("--person"));
    assert!(!place.0.path().join("s.key").exists());
    place.printed("series spec.json --periods 3 --output s.json --seed 1");
    assert!(place.refusal("series spec.json --periods 3 --output s.json").contains("exists"));
    assert!(place.refusal("series spec.json --periods 3 --output t.json --key s.key").contains("never replaces"));
    assert!(place.refusal("continue spec.json a.csv --columns x,y").contains("no state of a series"));
    assert!(place.refusal("continue s.json none.csv --columns x,y").contains("none.csv"));
    place.printed("series spec.json --periods 3 --output t.json --seed 2");
    let refused = place.refusal("continue s.json a.csv --columns x,y --key t.key");
    assert!(refused.contains("the key is that of another series"), "{refused}");
    assert_eq!(place.state("s.json")["published"], json!([]));
}

#[test]
fn a_plan_and_a_picture_of_a_series() {
    let place = Place::new();
    let plan: Value = serde_json::from_str(&place.printed("series spec.json --periods 12 --plan 100 --json")).unwrap();
    let last = &plan["periods"][11];
    let gain = last["independent"].as_f64().unwrap() / last["expected_error"].as_f64().unwrap();
    assert!((gain - 1.87).abs() < 0.02, "{gain}");
    assert!(place.printed("series spec.json --periods 12 --plan 100").lines().count() == 13);
    place.printed("series spec.json --periods 3 --output s.json --seed 1");
    place.printed(&format!("continue s.json a.csv {COLUMNS} --plot one.svg"));
    place.printed(&format!("continue s.json b.csv {COLUMNS}"));
    place.printed("plot s.json --output two.svg");
    assert!(place.read("two.svg").contains("2 of 3 periods") && place.read("one.svg").contains("1 of 3 periods"));
}
