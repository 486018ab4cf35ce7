//! `--adjacency add-remove` on the command line: the number of records appears only in a noisy count.

use assert_cmd::prelude::*;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use tempfile::tempdir;

fn karcher(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("karcher").unwrap().args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A file of so many places, with a header or without.
fn write(folder: &Path, name: &str, n: usize) -> String {
    let rows: String = (0..n).map(|i| format!("{},{}\n", 20 + i % 10, 75 + i % 7)).collect();
    let path = folder.join(name);
    std::fs::write(&path, format!("latitude,longitude\n{rows}")).unwrap();
    path.to_str().unwrap().to_owned()
}

const MEAN: [&str; 15] = [
    "--layout",
    "latlon",
    "--manifold",
    "sphere:2",
    "--center",
    "25,80",
    "--radius",
    "0.9",
    "--epsilon",
    "1",
    "--adjacency",
    "add-remove",
    "--n-guess",
    "100",
    "--json",
];

#[test]
fn releases_of_any_number_of_records_say_the_same_but_for_noise() {
    let folder = tempdir().unwrap();
    let release = |n: usize| -> Value {
        let file = write(folder.path(), "places.csv", n);
        let done = karcher(&[&["mean", &file][..], &MEAN, &["--seed", "1"]].concat());
        assert!(done.status.success() && done.stderr.is_empty(), "{}", text(&done.stderr));
        serde_json::from_slice(&done.stdout).unwrap()
    };
    let named = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let none = release(0);
    for n in [1, 80, 1_000] {
        let some = release(n);
        assert_eq!(named(&some), named(&none));
        for field in ["n", "n_guess", "scale", "sensitivity", "lattice", "expected_distance", "flags", "adjacency"] {
            assert_eq!(some[field], none[field], "{field}");
        }
    }
    assert!(none["n"].is_null() && none["n_guess"] == 100 && none["adjacency"] == "add-remove");
    // an empty input, and a folder with an empty file
    std::fs::write(folder.path().join("places.csv"), "").unwrap();
    let empty = karcher(&[&["mean", folder.path().join("places.csv").to_str().unwrap()][..], &MEAN].concat());
    assert!(empty.status.success(), "{}", text(&empty.stderr));
    write(folder.path(), "more.csv", 30);
    assert!(karcher(&[&["mean", folder.path().to_str().unwrap()][..], &MEAN].concat()).status.success());
}

#[test]
fn what_does_not_go_together_is_refused_before_a_file_is_opened() {
    let refused = |more: &[&str]| {
        let start = ["mean", "no such file.csv", "--manifold", "sphere:2", "--center", "1,0,0", "--radius", "0.9"];
        let done = karcher(&[&start[..], more].concat());
        assert!(!done.status.success());
        text(&done.stderr)
    };
    let add = ["--adjacency", "add-remove", "--n-guess", "100", "--mu", "1"];
    for (more, sentence) in [
        (&["--epsilon", "1", "--n-guess", "5"][..], "--n-guess belongs to --adjacency add-remove"),
        (&["--epsilon", "1", "--adjacency", "add-remove"], "--n-guess is missing"),
        (&[&add[..], &["--mechanism", "kng"]].concat(), "no proof for add-remove neighbours"),
        (&[&add[..], &["--mechanism", "gaussian"]].concat(), "no proof for add-remove neighbours"),
        (&[&add[..], &["--statistic", "median"]].concat(), "no proof for add-remove neighbours"),
    ] {
        let said = refused(more);
        assert!(said.contains(sentence), "{said}");
    }
    let components = karcher(
        &[&["components", "no such file.csv", "--manifold", "euclidean:2", "--radius", "1"][..], &add].concat(),
    );
    assert!(text(&components.stderr).contains("`components` does not go with add-remove neighbours"), "{components:?}");
    let auto = karcher(&[&["mean", "no such file.csv", "--manifold", "sphere:2", "--ball", "auto"][..], &add].concat());
    assert!(text(&auto.stderr).contains("--ball auto: there is no proof"), "{auto:?}");
}

#[test]
fn counts_plans_audits_and_ledgers_know_both_kinds_of_neighbours() {
    let folder = tempdir().unwrap();
    let file = write(folder.path(), "places.csv", 50);
    let ledger = folder.path().join("budget.db");
    let ledger = ledger.to_str().unwrap();
    let new = ["ledger", "new", ledger, "--data", "places", "--epsilon", "2", "--adjacency", "add-remove"];
    assert!(karcher(&new).status.success());
    let count = karcher(&["count", &file, "--header", "yes", "--epsilon", "0.5", "--ledger", ledger, "--json"]);
    let count: Value = serde_json::from_slice(&count.stdout).unwrap();
    assert!(count["statistic"] == "count" && count["value"].as_f64().unwrap().fract() == 0.0 && count["n"].is_null());
    let done = karcher(&[&["mean", &file][..], &MEAN, &["--ledger", ledger]].concat());
    assert!(done.status.success(), "{}", text(&done.stderr));
    let public =
        ["mean", &file, "--layout", "latlon", "--manifold", "sphere:2", "--center", "25,80", "--radius", "0.9"];
    let refused = karcher(&[&public[..], &["--epsilon", "0.1", "--ledger", ledger]].concat());
    assert!(text(&refused.stderr).contains("the ledger is for add-remove neighbours"), "{refused:?}");
    let shown = text(&karcher(&["ledger", "show", ledger]).stdout);
    assert!(shown.contains("neighbours  add-remove") && shown.contains("left        epsilon 0.5"), "{shown}");
    // of neither release the number of records
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains("released")).collect();
    assert!(rows.len() == 2 && rows.iter().all(|row| row.contains("–        record")), "{shown}");

    let of_replaced = folder.path().join("replaced.db");
    let of_replaced = of_replaced.to_str().unwrap();
    assert!(karcher(&["ledger", "new", of_replaced, "--data", "places", "--epsilon", "1.5"]).status.success());
    let count = ["count", &file, "--header", "yes", "--epsilon", "0.5", "--ledger", of_replaced];
    let told = text(&karcher(&count).stdout);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("counts as epsilon 1.0 (replacing a record takes two steps, one removal"), "{told}");
    let refused = text(&karcher(&count).stderr);
    assert!(refused.contains("takes two steps, one removal and one addition"), "{refused}");

    let plan = ["plan", "--manifold", "sphere:2", "--radius", "0.9", "--epsilon", "1", "--adjacency", "add-remove"];
    let planned = karcher(&[&plan[..], &["--n-guess", "100", "--json"]].concat());
    let planned: Value = serde_json::from_slice(&planned.stdout).unwrap();
    assert!(planned["n_guess"] == 100 && planned["n"].is_null() && planned["best"] == "chart");
    assert!(text(&karcher(&[&plan[..], &["--n", "100"]].concat()).stderr).contains("give --n-guess instead"));

    let audit = ["audit", "--manifold", "euclidean:1", "--radius", "1", "--n", "5", "--epsilon", "1"];
    let audited = karcher(&[&audit[..], &["--adjacency", "add-remove", "--releases", "500", "--json"]].concat());
    let audited: Value = serde_json::from_slice(&audited.stdout).unwrap();
    assert!(audited["passed"] == true && audited["parts"][0]["part"] == "count", "{audited}");
}

/// No content of a record makes a count fail, and every record counts the same: with the same noise every such file has
/// the count of 50 ordinary records and one more.
#[test]
fn a_count_does_not_depend_on_what_a_record_holds() {
    let folder = tempdir().unwrap();
    let file = write(folder.path(), "places.csv", 50);
    let ordinary = text(&std::fs::read(&file).unwrap());
    let count = |options: &[&str]| {
        let done = karcher(&[&["count", &file, "--epsilon", "1", "--seed", "1"][..], options].concat());
        assert!(done.status.success(), "{}", text(&done.stderr));
        text(&done.stdout)
    };
    let by_name = ["--columns", "latitude,longitude"];
    std::fs::write(&file, format!("{ordinary}1,2\n")).unwrap();
    let expected = count(&by_name);
    for last in ["x,y", ",", "1", "1,2,3,4", "NaN,inf", "\"1,2", "# 1,2", "NA,1e999", "\u{fffd},\0"] {
        let (begin, end) = ordinary.split_at(19); // after the header
        for contents in [format!("{ordinary}{last}\n"), format!("{begin}{last}\n{end}")] {
            std::fs::write(&file, contents).unwrap();
            for options in [&by_name[..], &["--header", "yes"], &["--columns", "1", "--header", "yes"]] {
                assert_eq!(count(options), expected, "{last:?} {options:?}");
            }
        }
    }
    // the presence of a header is public, and reported for any records
    for contents in [&ordinary[..], "x,y\n"] {
        std::fs::write(&file, contents).unwrap();
        let said = text(&karcher(&["count", &file, "--epsilon", "1"]).stderr);
        assert!(said.contains("give --header yes, or choose columns by name"), "{said}");
    }
    // only who asks for it counts the complete ones
    std::fs::write(&file, format!("{ordinary},2\n")).unwrap();
    let complete = count(&["--columns", "latitude", "--missing", "drop"]);
    std::fs::write(&file, &ordinary).unwrap();
    assert_eq!(complete, count(&by_name));
    assert_ne!(complete, expected);
}

/// So many records of t, x and y in each format that may hold none, by the names of their files.
fn rows(folder: &Path, n: usize) -> Vec<String> {
    let records: Vec<[f64; 3]> = (1..=n).map(|i| [0.25 * i as f64, 0.1, 0.2]).collect();
    let lines: String = records.iter().map(|[t, x, y]| format!("{t},{x},{y}\n")).collect();
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({n}, 3), }}");
    let mut npy = [b"\x93NUMPY\x01\x00v\x00", format!("{header:<117}\n").as_bytes()].concat();
    npy.extend(records.iter().flatten().flat_map(|x| x.to_le_bytes()));
    let mut npz = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    npz.start_file("X.npy", zip::write::SimpleFileOptions::default()).unwrap();
    npz.write_all(&npy).unwrap();
    let binary = |ending: &str| std::fs::read(format!("tests/rows/{n}.{ending}")).unwrap();
    let files = [
        ("rows.csv", format!("t,x,y\n{lines}").into_bytes()),
        ("rows.npy", npy),
        ("rows.npz", npz.finish().unwrap().into_inner()),
        ("rows.parquet", binary("parquet")),
        ("rows.arrow", binary("arrow")),
    ];
    let write = |(name, bytes): (&str, Vec<u8>)| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    files.into_iter().map(write).collect()
}

/// A command for each statistic that one releases of records in files, with add-remove neighbours.
const COMMANDS: [&str; 10] = [
    "mean --columns 2,3 --manifold euclidean:2 --radius 1 --spread",
    "regress --columns 2,3 --predictor 1 --predictor-range 0 1 --slope-bound 1 --manifold euclidean:2 --radius 1",
    "regress --columns 2,3 --term linear:1:0:1 --manifold euclidean:2 --radius 1",
    "mean --statistic median --columns 2,3 --manifold euclidean:2 --radius 1",
    "mean --ball auto --columns 2,3 --manifold sphere:2 --layout latlon",
    "mean --columns 2,3 --manifold torus:2 --layout radians",
    "kmeans --columns 2,3 --clusters 2 --manifold euclidean:2 --radius 1",
    "quantiles --columns 2,3 --manifold euclidean:2 --radius 1",
    "count --columns 2,3 --header yes",
    "score --label 2 --prediction 3 --metric mean-loss --loss-bound 1 --header yes",
];

/// What is released, refused and said does not depend on whether there are records.
#[test]
fn no_records_are_as_good_as_one_and_two_for_every_statistic_and_format() {
    let folders = [0, 1, 2].map(|n| {
        let folder = tempdir().unwrap();
        let files = rows(folder.path(), n);
        (folder, files)
    });
    for command in COMMANDS {
        for format in 0..folders[0].1.len() {
            for threads in ["1", "2"] {
                let said = |(folder, files): &(tempfile::TempDir, Vec<String>)| {
                    let mut words: Vec<&str> = command.split(' ').collect();
                    words.insert(1, &files[format]);
                    words.extend(["--epsilon", "1", "--seed", "1", "--json"]);
                    if !command.starts_with("count") {
                        words.extend(["--adjacency", "add-remove", "--n-guess", "10"]);
                    }
                    let mut karcher = Command::cargo_bin("karcher").unwrap();
                    let done = karcher.args(&words).env("RAYON_NUM_THREADS", threads).output().unwrap();
                    let release = serde_json::from_slice::<Value>(&done.stdout).unwrap_or_default();
                    let names: Option<Vec<String>> = release.as_object().map(|all| all.keys().cloned().collect());
                    let error = text(&done.stderr).replace(folder.path().to_str().unwrap(), "");
                    (done.status.code(), names, error)
                };
                let [none, one, two] = folders.each_ref().map(said);
                assert_eq!(none, one, "{command} {}", folders[0].1[format]);
                assert_eq!(one, two, "{command} {}", folders[0].1[format]);
                assert!(one.1.is_some() || one.2.contains("no proof"), "{command}: {one:?}");
            }
        }
    }
}
