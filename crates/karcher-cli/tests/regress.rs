//! `karcher regress` as a user types it.

use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;

fn run(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("karcher").unwrap().arg("regress").args(arguments).output().unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let output = run(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refusal(arguments: &[&str]) -> String {
    let output = run(arguments);
    let sentence = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {sentence}");
    assert!(output.stdout.is_empty());
    assert_eq!(sentence.trim_end().lines().count(), 1, "{sentence}");
    sentence
}

/// A pole that goes north by 20 degrees over a hundred years.
fn drift(folder: &tempfile::TempDir, extra: &str) -> String {
    let records = (0..=200).map(|i| format!("{},{},{}\n", 0.5 * f64::from(i), 10.0 + 0.1 * f64::from(i), 30));
    let path = folder.path().join("drift.csv");
    std::fs::write(&path, format!("age,latitude,longitude\n{}{extra}", records.collect::<String>())).unwrap();
    path.to_str().unwrap().to_owned()
}

const SPHERE: [&str; 16] = [
    "--columns",
    "latitude,longitude",
    "--layout",
    "latlon",
    "--manifold",
    "sphere:2",
    "--predictor",
    "age",
    "--predictor-range",
    "0",
    "100",
    "--center",
    "15,25",
    "--radius",
    "0.5",
    "--seed=1",
];

const BOUNDS: [&str; 4] = ["--slope-bound", "0.6", "--residual-bound", "0.1"];

#[test]
fn drift_is_released_with_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = drift(&folder, "");
    let release = json(&[&[&file[..], "--epsilon", "1e9"], &SPHERE[..], &BOUNDS].concat());
    assert_eq!(release["statistic"], "geodesic-regression");
    assert_eq!(release["n"], 201);
    assert_eq!(release["predictor_range"], serde_json::json!({"low": 0.0, "high": 100.0}));
    let number = |v: &Value| v.as_f64().unwrap();
    // in the middle of the range 20° north, 30° east; 20° of drift
    assert!((number(&release["footpoint"][2]) - 20.0_f64.to_radians().sin()).abs() < 1e-3, "{release}");
    let speed: f64 = release["shooting_vector"].as_array().unwrap().iter().map(|v| number(v).powi(2)).sum();
    assert!((speed.sqrt() - 20.0_f64.to_radians()).abs() < 1e-3, "{release}");
    for (mechanism, flag) in [("gradient-descent", "seeded"), ("kng", "mcmc-approximate")] {
        let release = json(&[&[&file[..], "--epsilon", "1", "--mechanism", mechanism], &SPHERE[..], &BOUNDS].concat());
        assert_eq!(release["mechanism"], mechanism);
        assert!(release["flags"].as_array().unwrap().contains(&flag.into()));
    }
}

#[test]
fn plan_says_what_a_release_will_say() {
    let folder = tempfile::tempdir().unwrap();
    let file = drift(&folder, "");
    let release = json(&[&[&file[..], "--epsilon", "1"], &SPHERE[..], &BOUNDS].concat());
    let plan = |more: &[&str]| {
        let arguments = ["plan", "--manifold", "sphere:2", "--n", "201", "--radius", "0.5", "--epsilon", "1"];
        Command::cargo_bin("karcher").unwrap().args(arguments).args(more).output().unwrap()
    };
    let report: Value = serde_json::from_slice(&plan(&[&BOUNDS[..], &["--json"]].concat()).stdout).unwrap();
    assert_eq!(report["best"], release["mechanism"]);
    let chosen = report["mechanisms"].as_array().unwrap().iter().find(|m| m["mechanism"] == report["best"]).unwrap();
    assert_eq!(chosen["expected_distance"], release["expected_distance"]);
    let sentence = String::from_utf8(plan(&[&BOUNDS[..], &["--rehearse"]].concat()).stderr).unwrap();
    assert!(sentence.contains("--rehearse does not go with a regression"), "{sentence}");
}

#[test]
fn predictions_are_printed_in_degrees() {
    let folder = tempfile::tempdir().unwrap();
    let file = drift(&folder, "");
    let output = run(&[&[&file[..], "--epsilon", "1e9"], &SPHERE[..], &BOUNDS].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers = |line: &str| -> Vec<f64> {
        line.split([' ', ',', '°']).filter_map(|word| word.parse().ok()).collect() // latitude, longitude, predictor
    };
    let found: Vec<Vec<f64>> =
        text.lines().filter(|line| line.contains("latitude") && !line.contains("ball")).map(numbers).collect();
    for (found, expected) in found.iter().zip([[10.0, 30.0, 0.0], [20.0, 30.0, 50.0], [30.0, 30.0, 100.0]]) {
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.05), "{text}");
    }
    assert_eq!(found.len(), 3, "{text}");
}

#[test]
fn linear_regression_reads_all_other_columns() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("lines.csv");
    let records: String =
        (0..50).map(|i| format!("{},{},{}\n", i, 1.0 + 0.02 * f64::from(i), -0.01 * f64::from(i))).collect();
    std::fs::write(&path, format!("x,a,b\n{records}")).unwrap();
    let output = folder.path().join("line.csv");
    let arguments = [
        path.to_str().unwrap(),
        "--manifold",
        "euclidean:2",
        "--predictor",
        "x",
        "--predictor-range",
        "0",
        "50",
        "--radius",
        "3",
        "--slope-bound",
        "2",
        "--mechanism",
        "linear",
        "--mu",
        "1e6",
        "--seed",
        "1",
        "--output",
        output.to_str().unwrap(),
    ];
    let text = String::from_utf8(run(&arguments).stdout).unwrap();
    assert!(text.contains("where the predictor is 25") && text.contains("NOT private"), "{text}");
    let rows: Vec<Vec<f64>> = std::fs::read_to_string(&output)
        .unwrap()
        .lines()
        .map(|l| l.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    for (found, expected) in rows.concat().iter().zip([1.5, -0.25, 1.0, -0.5]) {
        assert!((found - expected).abs() < 1e-3, "{rows:?}");
    }
}

#[test]
fn what_cannot_be_done_is_refused_with_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = drift(&folder, "");
    let with = |more: &[&str]| refusal(&[&[&file[..], "--epsilon", "1"], &SPHERE[..], more].concat());
    assert!(with(&["--slope-bound", "4"]).contains("below the injectivity radius"));
    assert!(with(&["--slope-bound", "1", "--residual-bound", "0"]).contains("--residual-bound is 0"));
    assert!(with(&["--slope-bound", "1", "--mechanism", "linear"]).contains("the space is curved"));
    assert!(with(&["--slope-bound", "1", "--steps", "2"]).contains("--steps does not go with"));
    let range = |low: &str, high: &str| {
        let sphere: Vec<&str> = SPHERE
            .iter()
            .map(|a| match *a {
                "0" => low,
                "100" => high,
                other => other,
            })
            .collect();
        refusal(&[&[&file[..], "--epsilon", "1"], &sphere[..], &BOUNDS].concat())
    };
    assert!(range("100", "100").contains("--predictor-range is "));
    assert!(range("7", "-7").contains("--predictor-range is "));
    let unknown: Vec<&str> = SPHERE.iter().map(|a| if *a == "age" { "year" } else { a }).collect();
    assert!(refusal(&[&[&file[..], "--epsilon", "1"], &unknown[..], &BOUNDS].concat()).contains("no column `year`"));
    assert_eq!(run(&[&file, "--epsilon", "1", "--manifold", "sphere:2"]).status.code(), Some(2));
}

/// An invalid record counts as one at the center, in the middle of the range.
#[test]
fn records_that_are_none_are_replaced_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = drift(&folder, "x,12,30\n50,y,z\n");
    let arguments = [&[&file[..], "--epsilon", "1"], &SPHERE[..], &BOUNDS].concat();
    assert!(refusal(&arguments).contains("is not a number"));
    let release = json(&[&arguments[..], &["--on-invalid", "replace-with-center"]].concat());
    assert_eq!(release["n"], 203);
}

#[test]
fn predictions_are_printed_and_are_in_json_and_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = drift(&folder, "");
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let csv = path("positions.csv");
    let arguments = [&[&file[..], "--epsilon", "1e9", "--predict-at", "-25,0,25,100"], &SPHERE[..], &BOUNDS].concat();
    let release = json(&[&arguments[..], &["--output", &csv]].concat());
    let predictions = release["predictions"].as_array().unwrap();
    let table = std::fs::read_to_string(&csv).unwrap();
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some("predictor,latitude,longitude"));
    for ((prediction, row), (x, latitude)) in
        predictions.iter().zip(rows).zip([(-25.0, 5.0), (0.0, 10.0), (25.0, 15.0), (100.0, 30.0)])
    {
        assert_eq!(prediction["predictor"], x);
        let north = prediction["value"][2].as_f64().unwrap().asin().to_degrees();
        let row: Vec<f64> = row.split(',').map(|x| x.parse().unwrap()).collect();
        assert!(
            (north - latitude).abs() < 0.05 && (row[1] - north).abs() < 1e-9 && row[0] == x,
            "{x}: {north}, {row:?}"
        );
        assert!((row[2] - 30.0).abs() < 0.05, "{row:?}");
    }
    assert_eq!((predictions.len(), table.lines().count()), (4, 5));
    let npy = path("positions.npy");
    let text = String::from_utf8(run(&[&arguments[..], &["--output", &npy]].concat()).stdout).unwrap();
    assert_eq!(std::fs::read(&npy).unwrap().len(), 128 + 8 * 4 * 3);
    assert!(text.contains("at -25, outside the range") && text.contains("at 25\n"), "{text}");
    assert!(json(&[&[&file[..], "--epsilon", "1"], &SPHERE[..], &BOUNDS].concat()).get("predictions").is_none());
    assert!(refusal(&[&arguments[..], &["--predict-at", "inf"]].concat()).contains("--predict-at inf"));
    let told = refusal(&[&arguments[..], &["--predict-at", "x"]].concat());
    assert!(told.contains("--predict-at x: expected a number or a date"), "{told}");
}
