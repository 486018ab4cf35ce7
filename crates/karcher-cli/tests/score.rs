//! `karcher score`: rows of labels become the rows that a score sums, whatever they hold.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn karcher(folder: &Path, words: &str) -> std::process::Output {
    Command::cargo_bin("karcher").unwrap().current_dir(folder).args(words.split(' ')).output().unwrap()
}

fn released(folder: &Path, words: &str) -> Value {
    let output = karcher(folder, words);
    assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Rows of a patient, an actual and a predicted label.
const RECORDS: [[&str; 3]; 6] = [
    ["p1", "ill", "ill"],
    ["p1", "ill", "healthy"],
    ["p2", "healthy", "healthy"],
    ["p3", "healthy", "ill"],
    ["p3", "unknown", "unknown"],
    ["p4", "ill", ""],
];

fn table(records: &[[&str; 3]], times: usize) -> String {
    let rows = records.iter().map(|row| row.join(",") + "\n").collect::<String>().repeat(times);
    format!("patient,actual,predicted\n{rows}")
}

const COLUMNS: &str = "--label actual --prediction predicted --labels healthy,ill";

/// The same release as that of rows that are written by hand, by `karcher run`.
#[test]
fn a_score_is_that_of_rows_made_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), table(&RECORDS, 50)).unwrap();
    for (metric, cells) in [
        ("accuracy", ["1", "0", "1", "0", "0", "0"]),
        ("balanced-accuracy", ["0,0,1,0", "0,0,0,1", "1,0,0,0", "0,1,0,0", "0,0,0,0", "0,0,0,1"]),
        ("confusion", ["0,0,0,1", "0,0,1,0", "1,0,0,0", "0,1,0,0", "0,0,0,0", "0,0,0,0"]),
    ] {
        std::fs::write(folder.path().join("rows.csv"), (cells.join("\n") + "\n").repeat(50)).unwrap();
        let score = format!("score t.csv {COLUMNS} --metric {metric} --epsilon 1");
        let spec = karcher(folder.path(), &format!("{score} --spec-only")).stdout;
        std::fs::write(folder.path().join("s.json"), spec).unwrap();
        let found = released(folder.path(), &format!("{score} --seed 5 --json"));
        let by_hand = released(folder.path(), "run s.json rows.csv --header no --seed 5 --json");
        assert_eq!((&found["n"], &found["value"]), (&by_hand["n"], &by_hand["value"]), "{metric}");
        assert_eq!(found["n"], 300);
    }
}

/// Numbers are scored by their range and their bound.
#[test]
fn numbers_have_scores_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), "y,z\n".to_owned() + &"10,20\n90,80\n".repeat(500)).unwrap();
    let columns = "score t.csv --label y --prediction z --seed 5 --epsilon 1000 --json";
    let r2 = released(folder.path(), &format!("{columns} --metric r2 --range 0 100"));
    let close = |found: &Value, expected: f64| (found["score"].as_f64().unwrap() - expected).abs() < 0.01;
    assert!(close(&r2, 1.0 - 100.0 / 1600.0), "{r2}");
    for range in ["--range 0,100", "--range=0,100"] {
        assert_eq!(released(folder.path(), &format!("{columns} --metric r2 {range}"))["score"], r2["score"]);
    }
    let loss = released(folder.path(), &format!("{columns} --metric mean-loss --loss-bound 20"));
    assert!(close(&loss, 10.0), "{loss}");
}

/// A person counts once, and the release says so.
#[test]
fn persons_are_protected() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), table(&RECORDS, 50)).unwrap();
    let words = format!("score t.csv {COLUMNS} --metric accuracy --person patient --epsilon 1 --seed 5 --json");
    let found = released(folder.path(), &words);
    assert_eq!((found["unit"].as_str(), found["n"].as_u64()), (Some("person"), Some(4)));
}

/// Nothing but the value depends on what a record holds: no failure, no warning, no count of other labels.
#[test]
fn no_record_decides_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let told = |last: &str| {
        let file = folder.path().join("t.csv");
        std::fs::write(&file, table(&RECORDS, 50) + last).unwrap();
        let output = karcher(folder.path(), &format!("score t.csv {COLUMNS} --metric confusion --epsilon 1 --json"));
        let release: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let shown = [&release["n"], &release["flags"], &release["half_width"]].map(ToString::to_string);
        (output.status.code(), shown, output.stderr)
    };
    let usual = told("p9,ill,ill\n");
    assert_eq!(usual.0, Some(0));
    for last in ["p9,martian,ill\n", "p9,,\n", "p9\n", "p9,ill,ill,ill\n", "p9,1e999,NaN\n", ",ill,ill\n"] {
        assert_eq!(told(last), usual, "{last}");
    }
}

/// Options that would say what becomes of a record, and columns that are not there.
#[test]
fn what_does_not_go_with_a_score_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.csv"), table(&RECORDS, 50)).unwrap();
    for (more, sentence) in [
        ("--missing drop", "--missing does not go with a score"),
        ("--columns 2,3", "--columns does not go with a score"),
        ("--on-invalid replace-with-center", "--on-invalid does not go with a score"),
        ("--person actual", "actual"),
        ("--range 0 1", "--range belongs to --metric r2"),
        ("--loss-bound 1", "--loss-bound belongs to --metric mean-loss"),
    ] {
        let words = format!("score t.csv {COLUMNS} --metric accuracy --epsilon 1 {more}");
        let output = karcher(folder.path(), &words);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains(sentence), "{more}: {said}");
    }
    for (words, sentence) in [
        ("score t.csv --label actual --prediction predicted --metric accuracy --epsilon 1", "--labels is missing"),
        ("score t.csv --label actual --prediction predicted --metric mean-loss --epsilon 1", "--loss-bound is missing"),
        ("score t.csv --label actual --prediction predicted --metric r2 --epsilon 1", "--range is missing"),
        (
            "score t.csv --label actual --prediction predicted --metric r2 --labels a,b --epsilon 1",
            "--labels does not go",
        ),
        ("score t.csv --label actual --prediction other --metric accuracy --labels a,b --epsilon 1", "other"),
        ("score t.csv --label actual --prediction actual --metric accuracy --labels a,b --epsilon 1", "twice"),
    ] {
        let said = String::from_utf8(karcher(folder.path(), words).stderr).unwrap();
        assert!(said.contains(sentence), "{words}: {said}");
    }
}
