//! `karcher covariance`: the same release in every face, and what is refused.

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

fn karcher(folder: &TempDir, arguments: &str) -> Output {
    Command::new(cargo_bin("karcher")).args(arguments.split_whitespace()).current_dir(folder).output().unwrap()
}

fn printed(folder: &TempDir, arguments: &str) -> String {
    let output = karcher(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(folder: &TempDir, arguments: &str) -> String {
    let output = karcher(folder, arguments);
    assert!(!output.status.success(), "{arguments}");
    String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Records along `(3, 4)/5` around `(1, 2)`, of a deviation of 0.58.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: i32| {
        let t = f64::from(i % 101) / 50.0 - 1.0;
        format!("{},{}\n", 1.0 + 0.6 * t, 2.0 + 0.8 * t)
    };
    fs::write(folder.path().join("records.csv"), format!("x,y\n{}", (0..4_040).map(row).collect::<String>())).unwrap();
    folder
}

const ASKED: &str = "--manifold euclidean:2 --center 1,2 --radius 2 --mu 4";

#[test]
fn the_command_finds_the_direction_and_its_variance() {
    let folder = folder();
    let release: Value =
        serde_json::from_str(&printed(&folder, &format!("covariance records.csv {ASKED} --json"))).unwrap();
    let number = |path: &str| release.pointer(path).and_then(Value::as_f64).unwrap();
    assert!((number("/variances/0") - 0.34).abs() < 0.02 && number("/variances/1").abs() < 0.02, "{release}");
    assert!((number("/directions/0/0") - 0.6).abs() < 0.02 && (number("/mean/1") - 2.0).abs() < 0.02);
    let said = printed(&folder, &format!("covariance records.csv {ASKED}"));
    for words in ["private mean", "component 1", "1 of 2 components exceed the noise", "of the one without noise"] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn a_release_is_run_verified_reported_and_drawn_like_others() {
    let folder = folder();
    printed(&folder, &format!("covariance records.csv {ASKED} --output a.csv --seed 1"));
    let table = fs::read_to_string(folder.path().join("a.csv")).unwrap();
    let begins: Vec<&str> = table.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(begins, ["row", "mean", "x1", "x2"], "{table}");
    printed(&folder, &format!("covariance records.csv {ASKED} --output a.json"));
    assert!(
        printed(&folder, "verify a.json").contains("verified") || karcher(&folder, "verify a.json").status.success()
    );
    let text = fs::read_to_string(folder.path().join("a.json")).unwrap();
    let release: Value = serde_json::from_str(&text).unwrap();
    fs::write(folder.path().join("spec.json"), release["spec"].to_string()).unwrap();
    assert!(printed(&folder, "run spec.json records.csv").contains("component 1"));
    fs::write(folder.path().join("b.json"), text.replacen("\"mean_radius\":", "\"mean_radius\": 1e-9, \"x\":", 1))
        .unwrap();
    assert!(!karcher(&folder, "verify b.json").status.success());
    if cfg!(feature = "plot") {
        printed(&folder, &format!("covariance records.csv {ASKED} --seed 1 --plot picture.svg"));
        let picture = fs::read_to_string(folder.path().join("picture.svg")).unwrap();
        assert!(picture.contains("class=\"component\"") && picture.contains("Private covariance"), "{picture}");
        printed(&folder, "report a.json --output report.html");
        assert!(fs::read_to_string(folder.path().join("report.html")).unwrap().contains("covariance matrix"));
    }
}

#[test]
fn it_is_planned_and_audited() {
    let folder = folder();
    let plan =
        printed(&folder, &format!("plan --statistic covariance --n 1000 {}", ASKED.replace("--center 1,2 ", "")));
    assert!(plan.contains("gaussian"), "{plan}");
    let audit = "audit --statistic covariance --manifold euclidean:2 --n 20 --radius 1 --mu 1 --releases 2000";
    assert!(printed(&folder, audit).contains("moments"));
}

#[test]
fn what_has_no_covariance_is_refused() {
    let folder = folder();
    let on =
        |space: &str, rest: &str| refused(&folder, &format!("covariance records.csv --manifold {space} {rest} --mu 1"));
    assert!(on("sphere:1", "--center 1,0 --radius 0.5").contains("take components"));
    assert!(on("euclidean:2", "").contains("--radius"));
    assert!(on("euclidean:2", "--radius 1 --mechanism kng").contains("kng"));
    fs::write(folder.path().join("records.csv"), "x,y\n").unwrap();
    assert!(on("euclidean:2", "--radius 1").contains("no record"));
    fs::write(folder.path().join("records.csv"), "x,y\n1,2\n").unwrap();
    assert!(
        printed(&folder, "covariance records.csv --manifold euclidean:2 --radius 1 --mu 1").contains("private mean")
    );
}
