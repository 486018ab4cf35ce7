//! `--person`, ledgers of persons, and the local model.

use assert_cmd::prelude::*;
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.0.path().join(name), contents).unwrap();
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::cargo_bin("karcher").unwrap();
        command.args(arguments.split_whitespace()).current_dir(&self.0).output().unwrap()
    }

    fn json(&self, arguments: &str) -> Value {
        let output = self.run(&format!("{arguments} --json"));
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn refusal(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }
}

const PLANE: &str = "--manifold euclidean:2 --radius 9 --epsilon 1 --seed 1";

/// Five records of three persons.
const RECORDS: &str = "who,x,y\nann,1,2\nbob,2,3\nann,3,6\ncy,0,1\nbob,2,3\n";

#[test]
fn records_of_a_person_are_one_whatever_the_order_and_the_columns() {
    let folder = Folder::new();
    folder.file("a.csv", RECORDS);
    folder.file("b.csv", "y;who;x\n3;bob;2\n6;ann;3\n2;ann;1\n3;bob;2\n1;cy;0\n");
    folder.file("plain.csv", "2,4\n0,1\n2,3\n");
    let release = folder.json(&format!("mean a.csv --person who {PLANE}"));
    assert_eq!((&release["unit"], &release["n"]), (&"person".into(), &3.into()));
    let others =
        ["mean a.csv --person 1", "mean b.csv --person who --columns x,y", "mean b.csv --person 2 --columns 3,1"];
    for other in others {
        assert_eq!(folder.json(&format!("{other} {PLANE}")), release, "{other}");
    }
    let plain = folder.json(&format!("mean plain.csv {PLANE}"));
    assert_eq!(plain["unit"], "record");
    for i in 0..2 {
        let [of_means, of_persons] = [&plain, &release].map(|release| release["value"][i].as_f64().unwrap());
        assert!((of_means - of_persons).abs() < 1e-12, "{of_means} {of_persons}");
    }
    let printed = folder.run(&format!("mean a.csv --person who {PLANE} --details")).stdout;
    let printed = crate::one_line(&String::from_utf8(printed).unwrap());
    assert!(printed.contains("3 persons") && printed.contains("one person's records replaced by any number of others"));
    assert!(!printed.contains("ann") && !printed.contains("5 records"), "{printed}");
}

#[test]
fn everything_that_takes_records_takes_persons() {
    let folder = Folder::new();
    let rows = (0..900).map(|i| format!("{},{},0.{}\n", i % 300, i % 7, i % 10)).collect::<String>();
    folder.file("a.csv", format!("who,t,x\n{rows}"));
    let line = "--manifold euclidean:1 --seed 1 --columns x --person who";
    for command in [
        "mean a.csv --epsilon 4 --radius 1 --spread",
        "mean a.csv --epsilon 4 --ball auto --within 100",
        "mean a.csv --mu 4 --radius 1 --statistic median --steps 4",
        "mean a.csv --mu 4 --radius 100 --expected-spread 0.3 --mechanism two-stage",
        "components a.csv --epsilon 4 --radius 1",
        "locate a.csv --epsilon 4 --within 100",
        "regress a.csv --epsilon 4 --predictor t --predictor-range 0 7 --radius 1 --slope-bound 1",
    ] {
        let release = folder.json(&format!("{command} {line}"));
        assert_eq!((&release["unit"], &release["n"]), (&"person".into(), &300.into()), "{command}");
    }
    let all =
        "regress a.csv --predictor-range 0 7 --radius 1 --slope-bound 1 --manifold euclidean:1 --epsilon 4 --seed 1";
    let by_number = folder.json(&format!("{all} --person 1 --predictor 2"));
    assert_eq!(by_number, folder.json(&format!("{all} --person who --predictor t --columns x")));
}

#[test]
fn a_record_of_nobody_is_refused_with_its_row() {
    let folder = Folder::new();
    for (rows, row) in [("who,x,y\na,1,2\n,2,3\n", "record 2 (line 3)"), ("who,x,y\n\"\",1,2\n", "record 1 (line 2)")] {
        folder.file("a.csv", rows);
        for what in ["", "--missing drop", "--missing center", "--on-invalid replace-with-center"] {
            let said = folder.refusal(&format!("mean a.csv --person who {PLANE} {what}"));
            assert!(said.contains(row) && said.contains("key of the person or group is missing"), "{what}: {said}");
        }
    }
    folder.file("a.csv", RECORDS);
    for (options, words) in [
        ("--person x --columns x,y", "among the columns"),
        ("--person nobody", "no column `nobody`"),
        ("--person who,x", "one column"),
    ] {
        let said = folder.refusal(&format!("mean a.csv {options} {PLANE}"));
        assert!(said.contains(words), "{said}");
    }
}

/// A record that lacks a value is left out with its key, or replaced and still belongs to its person.
#[test]
fn records_that_lack_a_value_are_somebodys() {
    let folder = Folder::new();
    folder.file("a.csv", "who,x,y\nann,1,2\nbob,,3\nann,3,6\ncy,0,1\n");
    let persons = |what: &str| folder.json(&format!("mean a.csv --person who {PLANE} {what}"))["n"].clone();
    assert_eq!((persons("--missing drop"), persons("--missing center")), (2.into(), 3.into()));
    assert_eq!(persons("--on-invalid replace-with-center"), 3);
}

#[test]
fn files_and_arrays_have_the_same_keys() {
    let folder = Folder::new();
    folder.file("a.csv", "01,1,2\n1,3,6\n");
    let persons = |arguments: &str| folder.json(&format!("mean {arguments} {PLANE}"))["n"].clone();
    assert_eq!(persons("a.csv --person 1 --columns 2,3"), 1);
    let npy = |descr: &str, shape: &str, data: &[u8]| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
    };
    let numbers = |x: &[f64]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    folder.file("a.npy", npy("<f8", "(3, 3)", &numbers(&[7.0, 1.0, 2.0, 8.0, 3.0, 4.0, 7.0, 5.0, 6.0])));
    assert_eq!(persons("a.npy --person 1"), 2);
    folder.file("b.npy", npy("<f8", "(1, 3)", &numbers(&[7.5, 1.0, 2.0])));
    assert_eq!(persons("b.npy --person 1"), 1);

    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    let text = |words: &[&str]| {
        let padded = words.iter().flat_map(|word| format!("{word:\0<2}").chars().collect::<Vec<_>>());
        padded.flat_map(|c| (c as u32).to_le_bytes()).collect::<Vec<u8>>()
    };
    for (name, bytes) in [
        ("x", npy("<f8", "(3, 2)", &numbers(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]))),
        ("who", npy("<U2", "(3,)", &text(&["01", "2", "01"]))),
        ("id", npy("<i8", "(3,)", &[1_i64, 1, 1].map(i64::to_le_bytes).concat())),
        ("few", npy("<i8", "(1,)", &1_i64.to_le_bytes())),
    ] {
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    folder.file("a.npz", archive.finish().unwrap().into_inner());
    assert_eq!((persons("a.npz:x --person who"), persons("a.npz:x --person id")), (2.into(), 1.into()));
    assert!(folder.refusal(&format!("mean a.npz:x --person few {PLANE}")).contains("3 records and 1 keys"));
    assert!(folder.refusal(&format!("mean a.npz:x --person x {PLANE}")).contains("one axis"));
}

#[test]
fn a_ledger_of_persons_refuses_what_protects_records() {
    let folder = Folder::new();
    folder.file("a.csv", RECORDS);
    let done = |arguments: &str| {
        let output = folder.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    };
    done("ledger new p.db --data people --unit person --epsilon 3");
    done("ledger new r.db --data people --epsilon 3");
    let mean = "mean a.csv --columns x,y --manifold euclidean:2 --radius 9 --epsilon 1";
    for (ledger, person, spent) in [("p.db", "--person who", 1.0), ("r.db", "--person who", 1.0), ("r.db", "", 2.0)] {
        done(&format!("{mean} {person} --ledger {ledger}"));
        assert_eq!(folder.json(&format!("ledger show {ledger}"))["spent"]["epsilon"], spent);
    }
    let said = folder.refusal(&format!("{mean} --ledger p.db"));
    assert!(said.contains("protects single records") && said.contains("--person"), "{said}");
    let book = folder.json("ledger show p.db");
    // the refusal is not written down: it would hold the number of records
    assert_eq!((&book["unit"], book["entries"].as_array().unwrap().len()), (&"person".into(), 1));
    assert_eq!(folder.json("ledger show r.db")["entries"][0]["event"]["unit"], "person");
    done("ledger check p.db");
}

#[test]
fn what_is_randomized_at_home_is_collected() {
    let folder = Folder::new();
    let options = "--columns x,y --manifold euclidean:2 --radius 9 --epsilon 50";
    let mut lines = String::new();
    for i in 0..40 {
        folder.file("me.csv", format!("x,y\n{},1\n", 2 + i % 2));
        let report = folder.json(&format!("randomize me.csv {options}"));
        let said = (&report["statistic"], &report["n"], &report["numerics"]);
        assert_eq!(said, (&"record".into(), &1.into(), &"exact".into()));
        lines += &format!("{report}\n");
    }
    folder.file("reports.jsonl", &lines);
    let mean = folder.json("collect reports.jsonl");
    let said = (&mean["statistic"], &mean["n"], &mean["bias_bound"]);
    assert_eq!(said, (&"collected-mean".into(), &40.into(), &0.0.into()));
    let value: Vec<f64> = serde_json::from_value(mean["value"].clone()).unwrap();
    let expected = mean["expected_distance"].as_f64().unwrap();
    assert!((value[0] - 2.5).hypot(value[1] - 1.0) < 10.0 * expected && expected < 0.3, "{value:?} {expected}");

    folder.file("a.csv", RECORDS);
    assert!(folder.refusal(&format!("randomize a.csv {options}")).contains("more than one record"));
    folder.file("ann.csv", "who,x,y\nann,1,2\nann,3,6\n");
    assert_eq!(folder.json(&format!("randomize ann.csv --person who {options}"))["unit"], "person");
    folder.file("twice.jsonl", lines.lines().next().unwrap().to_owned() + "\n" + &lines);
    assert!(folder.refusal("collect twice.jsonl").contains("are the same"));
    assert!(folder.refusal("collect a.csv").contains("line 1"));
}
