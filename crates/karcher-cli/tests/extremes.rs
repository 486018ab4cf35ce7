//! Numbers at the ends of the range, and values that are not numbers, in every option that takes a number.

use assert_cmd::Command;
use serde_json::Value;

const HOSTILE: [&str; 15] = [
    "1e-8",
    "500",
    "1e-300",
    "0.999999999",
    "NaN",
    "inf",
    "-inf",
    "0",
    "-0",
    "-1",
    "1e400",
    "1e-400",
    "1e308",
    "1e-310",
    "5e-324",
];

/// Fields that may be null. Any other null would be a NaN or an infinity.
const OPTIONAL: [&str; 4] = ["guarantee", "published", "residual_bound", "bias_bound"];

fn without_nulls(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(values) => values.iter().all(without_nulls),
        Value::Object(fields) => fields.iter().all(|(name, v)| OPTIONAL.contains(&name.as_str()) || without_nulls(v)),
        _ => true,
    }
}

/// Runs a command with every hostile number instead of `@`. It must give a valid answer, exit code 1 with one sentence,
/// or exit code 2 (no number). A panic would be exit code 101.
fn survives(command: &str) {
    let mut codes = Vec::new();
    for number in HOSTILE {
        for format in [&[][..], &["--json"]] {
            let arguments =
                command.split(' ').map(|word| if word == "@" { number } else { word }).chain(format.iter().copied());
            let output = Command::cargo_bin("karcher").unwrap().args(arguments).output().unwrap();
            let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
            let err: String =
                err.lines().filter(|line| !line.starts_with("warning: ")).map(|line| format!("{line}\n")).collect();
            let told = format!("{command} with {number}: {out}{err}");
            match output.status.code() {
                Some(0) if format.is_empty() => {
                    assert!(!out.split_whitespace().any(|word| word == "NaN" || word == "inf"), "{told}");
                }
                Some(0) => assert!(without_nulls(&serde_json::from_str(&out).expect(&told)), "{told}"),
                // an audit says what it found before it says that this is too little
                Some(1) if err.contains("not conclusive") => assert!(err.lines().count() == 1, "{told}"),
                Some(1) => assert!(out.is_empty() && err.starts_with("error: ") && err.lines().count() == 1, "{told}"),
                code => assert!(code == Some(2) && out.is_empty(), "{told}"),
            }
            assert!(!["NaN", "inf", "-inf", "1e400"].contains(&number) || !output.status.success(), "accepted: {told}");
            codes.push(output.status.code());
        }
    }
    assert!(codes.contains(&Some(0)), "nothing is answered: {command}");
}

#[test]
fn calibrate() {
    for noise in [
        "euclidean:3 --mechanism laplace --sensitivity @ --epsilon 1",
        "euclidean:3 --mechanism laplace --sensitivity 0.1 --mu @",
        "euclidean:3 --mechanism laplace --sensitivity 0.1 --rho @",
        "sphere:2 --mechanism laplace --sensitivity 0.1 --epsilon @",
        "sphere:2 --mechanism laplace --sensitivity 0.1 --mu @",
        "hyperbolic:3 --mechanism laplace --sensitivity 0.1 --scale @",
        "euclidean:3 --mechanism gaussian --sensitivity @ --epsilon 1 --delta 1e-6",
        "euclidean:3 --mechanism gaussian --sensitivity 1 --epsilon @ --delta 1e-6",
        "euclidean:3 --mechanism gaussian --sensitivity 1 --epsilon 1 --delta @",
        "euclidean:3 --mechanism gaussian --sensitivity @ --epsilon 0.5 --delta 1e-6 --calibration classical",
        "euclidean:3 --mechanism gaussian --sensitivity 1 --epsilon @ --delta 1e-6 --calibration classical",
        "euclidean:3 --mechanism gaussian --sensitivity 1 --epsilon 0.5 --delta @ --calibration classical",
        "euclidean:3 --mechanism gaussian --sensitivity 1 --mu @",
        "euclidean:3 --mechanism gaussian --sensitivity 1 --rho @",
        "euclidean:3 --mechanism gaussian --sensitivity 1 --scale @ --epsilon 1",
        "euclidean:3 --mechanism gaussian --sensitivity 1 --scale 1 --epsilon @",
        "sphere:2 --mechanism gaussian --sensitivity 0.1 --epsilon @",
        "sphere:2 --mechanism gaussian --sensitivity 0.1 --epsilon 1 --delta @",
        "hyperbolic:2 --mechanism gaussian --sensitivity @ --epsilon 1 --delta 1e-6",
        "hyperbolic:2 --mechanism gaussian --sensitivity 0.1 --rho @",
    ] {
        survives(&format!("calibrate --manifold {noise}"));
    }
}

#[test]
fn profile() {
    for noise in
        ["sphere:2 --mechanism laplace", "euclidean:3 --mechanism gaussian", "hyperbolic:3 --mechanism gaussian"]
    {
        survives(&format!("profile --manifold {noise} --sensitivity @ --scale 0.1 --epsilon 1"));
        survives(&format!("profile --manifold {noise} --sensitivity 0.1 --scale @ --epsilon 1"));
        survives(&format!("profile --manifold {noise} --sensitivity 0.1 --scale 0.1 --epsilon @"));
    }
}

#[test]
fn convert() {
    for given in ["--epsilon @", "--epsilon @ --delta 1e-6", "--epsilon 1 --delta @", "--mu @", "--rho @"] {
        survives(&format!("convert {given}"));
        survives(&format!("convert {given} --at-delta 1e-6"));
        survives(&format!("convert {given} --at-epsilon 0.5"));
    }
    for given in ["--epsilon 1", "--epsilon 1 --delta 1e-300", "--mu 0.5", "--rho 0.5"] {
        survives(&format!("convert {given} --at-delta @"));
        survives(&format!("convert {given} --at-epsilon @"));
    }
}

#[test]
fn plan_and_sensitivity() {
    survives("sensitivity --manifold sphere:2 --n 100 --radius @");
    survives("sensitivity --manifold hyperbolic:2 --n @ --radius 1");
    survives("plan --manifold euclidean:3 --n 100 --radius @ --epsilon 1 --delta 1e-6");
    survives("plan --manifold sphere:2 --n @ --radius 0.5 --epsilon 1");
    for budget in ["--epsilon @", "--epsilon @ --delta 1e-6", "--epsilon 1 --delta @", "--mu @", "--rho @"] {
        survives(&format!("plan --manifold sphere:2 --n 100 --radius 0.5 {budget}"));
    }
    survives("plan --manifold sphere:2 --n 100 --radius 0.5 --epsilon 1 --slope-bound @");
    survives("plan --manifold sphere:2 --n 100 --radius 0.5 --epsilon 1 --slope-bound 1 --residual-bound @");
}

#[test]
fn mean_regress_and_audit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("records.csv");
    std::fs::write(&file, "t,x,y,z\n0,1,0,0\n1,0.8,0.6,0\n2,0.6,0.8,0\n3,0.6,0,0.8\n").unwrap();
    let records = format!("{} --columns x,y,z --manifold sphere:2 --center 1,0,0 --seed 1", file.display());
    survives(&format!("mean {records} --radius @ --epsilon 1"));
    survives(&format!("mean {records} --radius 0.5 --epsilon @"));
    survives(&format!("mean {records} --radius 0.5 --epsilon 1 --delta @"));
    survives(&format!("mean {records} --radius 0.5 --epsilon 1 --multiply-by @"));
    let line = format!("regress {records} --predictor t");
    survives(&format!("{line} --predictor-range 0 3 --radius 0.5 --slope-bound 1 --epsilon @"));
    survives(&format!("{line} --predictor-range 0 3 --radius 0.5 --slope-bound @ --epsilon 1"));
    survives(&format!("{line} --predictor-range 0 @ --radius 0.5 --slope-bound 1 --epsilon 1"));
    let audit = "audit --manifold sphere:2 --n 20 --radius 0.5 --releases 200 --mechanism laplace";
    survives(&format!("{audit} --epsilon @"));
    survives(&format!("{audit} --epsilon 1 --error-probability @"));
}

#[test]
fn the_number_that_is_out_of_range_is_blamed() {
    for (command, start) in [
        ("plan --manifold sphere:2 --n 9 --radius 0 --epsilon 1", "error: --radius is 0: "),
        ("plan --manifold sphere:2 --n 9 --radius 2 --epsilon 1", "error: --radius 2 is too large "),
        ("plan --manifold sphere:2 --n 9 --radius 1 --epsilon 1 --slope-bound 9", "error: --slope-bound is 9: "),
        (
            "audit --manifold sphere:2 --n 9 --radius 1 --epsilon 1 --error-probability 2",
            "error: --error-probability is 2: ",
        ),
        ("convert --mu 1e308 --at-delta 1e-6", "error: --mu is 1e308: "),
        ("convert --mu 0.5 --at-delta 1e-310", "error: --at-delta is 1e-310: "),
        ("convert --epsilon 1 --delta 1e-3 --at-delta 1e-6", "error: --at-delta is 1e-6: "),
    ] {
        let output = Command::cargo_bin("karcher").unwrap().args(command.split(' ')).output().unwrap();
        let sentence = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && sentence.starts_with(start), "{command}: {sentence}");
    }
}
