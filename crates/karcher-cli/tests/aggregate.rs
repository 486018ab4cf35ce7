//! Sites, two aggregators and a collector, each a process of its own.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

const TO: &str = "--to a.pub --to b.pub";
const MEAN: &str = "--manifold euclidean:2 --radius 1";

/// A folder with keys and a specification.
fn parties(spec: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for keys in ["keys both.key --of-both", "keys a.key --shared both.key", "keys b.key --shared both.key"] {
        done(at, &format!("aggregate {keys}"));
    }
    std::fs::write(at.join("one.csv"), "0.5,0.25\n0.125,0.0\n-0.5,0.75\n").unwrap();
    std::fs::write(at.join("two.csv"), "3,4\n0.0,1.0\n").unwrap();
    let (command, options) = spec.split_once(' ').unwrap();
    let printed = run_text(at, &format!("{command} one.csv {options} --spec-only"));
    std::fs::write(at.join("spec.json"), printed).unwrap();
    folder
}

fn karcher(folder: &Path, line: &str) -> std::process::Output {
    let mut command = Command::cargo_bin("karcher").unwrap();
    command.current_dir(folder).args(line.split_whitespace()).output().unwrap()
}

fn run_text(folder: &Path, line: &str) -> String {
    let output = karcher(folder, line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn done(folder: &Path, line: &str) {
    let output = karcher(folder, line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

fn refused(folder: &Path, line: &str) -> String {
    let output = karcher(folder, line);
    assert!(!output.status.success(), "{line}");
    String::from_utf8(output.stderr).unwrap()
}

/// A round: reports of both files, what both aggregators checked, and their sums.
fn round(folder: &Path, options: &str) {
    for site in ["one", "two"] {
        done(folder, &format!("share spec.json {site}.csv {options} {TO} --output {site}.share --force"));
    }
    let reports = "spec.json one.share two.share";
    for who in ["a", "b"] {
        done(
            folder,
            &format!("aggregate check {reports} {options} {TO} --key {who}.key --force --output {who}.checked"),
        );
    }
    for (who, other) in [("a", "b"), ("b", "a")] {
        done(folder, &add(who, other, options));
    }
}

fn add(who: &str, other: &str, options: &str) -> String {
    format!(
        "aggregate add spec.json one.share two.share {options} {TO} --key {who}.key --force \
         --checked {other}.checked --ledger {who}.ledger --output {who}.sum"
    )
}

fn ledgers(folder: &Path, total: &str) {
    for who in ["a", "b"] {
        done(folder, &format!("ledger new {who}.ledger --data {who} {total}"));
    }
}

#[test]
fn sites_release_a_mean_that_nobody_could_see() {
    let folder = parties(&format!("mean {MEAN} --epsilon 1000"));
    let at = folder.path();
    ledgers(at, "--epsilon 1500");
    round(at, "--n 5");
    let sent = std::fs::read(at.join("a.sum")).unwrap();
    done(at, &format!("combine spec.json a.sum b.sum --n 5 {TO} --output mean.json"));
    let release: Value = serde_json::from_str(&std::fs::read_to_string(at.join("mean.json")).unwrap()).unwrap();
    assert_eq!(release["trust"], "one of two aggregators");
    // 3,4 was clipped to length 1
    let mean = [(0.5 + 0.125 - 0.5 + 0.6) / 5.0, (0.25 + 0.75 + 0.8 + 1.0) / 5.0];
    for (i, expected) in mean.into_iter().enumerate() {
        let found = release["noisy_value"][i].as_f64().or(release["value"][i].as_f64()).unwrap();
        assert!((found - expected).abs() < 0.05, "{found} {expected}");
    }
    done(at, "verify mean.json");
    let page = run_text(at, "report mean.json --output mean.html");
    assert!(page.is_empty() && std::fs::read_to_string(at.join("mean.html")).unwrap().contains("has to be honest"));

    // the same bytes again, and the budget is booked once
    done(at, &add("a", "b", "--n 5"));
    assert_eq!(std::fs::read(at.join("a.sum")).unwrap(), sent);
    assert!(run_text(at, "ledger show a.ledger").contains("left        epsilon 500.0"));
    // other reports of the same release, and a budget that is too small
    done(at, &format!("share spec.json one.csv --n 5 {TO} --output one.share --force"));
    for who in ["a", "b"] {
        let keys = format!("{TO} --key {who}.key --force");
        done(at, &format!("aggregate check spec.json one.share two.share --n 5 {keys} --output {who}.checked"));
    }
    assert!(refused(at, &add("a", "b", "--n 5")).contains("was added up before from other reports"));
    assert!(refused(at, &add("a", "b", "--n 5 --name second")).contains("is of another task"));
}

#[test]
fn a_flow_of_two_rounds_is_released_round_by_round() {
    let folder = parties("mean --manifold hyperbolic:2 --radius 1 --mu 100 --mechanism karcher-flow --steps 2");
    let at = folder.path();
    ledgers(at, "--mu 150");
    let points = [0.5_f64, -0.25].map(|x| format!("{},{x},0\n", x.hypot(1.0)));
    std::fs::write(at.join("one.csv"), &points[0]).unwrap();
    std::fs::write(at.join("two.csv"), &points[1]).unwrap();
    round(at, "--n 2");
    let told = run_text(at, &format!("combine spec.json a.sum b.sum --n 2 {TO} --output state.json"));
    assert!(told.contains("round 1 of 2 is done"), "{told}");
    round(at, "--n 2 --state state.json");
    done(at, &format!("combine spec.json a.sum b.sum --n 2 {TO} --state state.json --output mean.json"));
    done(at, "verify mean.json");
    assert!(run_text(at, "ledger show b.ledger").contains("spent       mu 100.0"));
    let over = refused(at, &format!("combine spec.json a.sum b.sum --n 2 {TO} --output other.json"));
    assert!(over.contains("is of another task"), "{over}");
}

#[test]
fn persons_report_one_record_each_and_broken_lines_are_left_out() {
    let folder = parties(&format!("mean {MEAN} --mu 900"));
    let at = folder.path();
    ledgers(at, "--mu 1000");
    let options = "--n 6 --reporters persons";
    round(at, options);
    let lines = std::fs::read_to_string(at.join("one.share")).unwrap();
    assert_eq!(lines.lines().count(), 3);
    std::fs::write(at.join("one.share"), lines.replace("\"id\"", "\"di\"") + "\n{\"report\": 1}\n" + &lines).unwrap();
    done(at, &add("b", "a", options)); // the same reports
    done(at, &format!("combine spec.json a.sum b.sum {options} {TO} --output mean.json"));
    done(at, "verify mean.json");
    assert!(refused(at, &format!("combine spec.json a.sum a.sum {options} {TO}")).contains("both of one aggregator"));
    assert!(refused(at, &format!("combine spec.json a.sum b.sum --n 6 {TO}")).contains("another task"));
    assert!(refused(at, &format!("share spec.json one.csv {TO} --output x")).contains("--n is missing"));
    let keys = "--to a.pub --to a.key --output x";
    assert!(refused(at, &format!("share spec.json one.csv --n 5 {keys}")).contains("a public key"));
    let wrong = format!("aggregate check spec.json one.share {options} {TO} --key both.key --output y");
    assert!(refused(at, &wrong).contains("is not a private key"));
    std::fs::remove_file(at.join("a.journal")).unwrap();
    assert!(refused(at, &add("a", "b", options)).contains("without it noise could be added twice"));
    assert!(refused(at, "aggregate keys c.pub --shared both.key").contains("ends in .key"));
    // a person with two records would make two reports
    std::fs::write(at.join("keyed.csv"), "id,x,y\nann,0.5,0.25\nbob,0.1,0\nann,-0.5,0.75\n").unwrap();
    let spec = run_text(at, &format!("mean keyed.csv --columns x,y --person id {MEAN} --mu 1 --spec-only"));
    std::fs::write(at.join("persons.json"), spec).unwrap();
    let keyed = format!("share persons.json keyed.csv --columns x,y --person id --n 2 {TO} --output keyed.share");
    assert!(refused(at, &format!("{keyed} --reporters persons")).contains("--person does not go with"));
    done(at, &keyed);
    // a site of another number of records than was agreed on
    assert!(refused(at, &format!("share spec.json one.csv --n 2 {TO} --output z")).contains("is of 3 records"));
}

/// The release names the entries in both ledgers, and agrees with each.
#[test]
fn a_release_of_aggregators_is_reconciled_with_their_ledgers() {
    let folder = parties(&format!("mean {MEAN} --epsilon 1"));
    let (at, own, options) = (folder.path(), ["c", "d"], "--n 5");
    ledgers(at, "--epsilon 5 --adjacency add-remove");
    ledgers_of(at, "c d", "--epsilon 5");
    round_counted(at, options, own);
    done(at, &format!("combine spec.json a.sum b.sum {options} {TO} --output release.json"));
    let release: Value = serde_json::from_str(&std::fs::read_to_string(at.join("release.json")).unwrap()).unwrap();
    assert_eq!(release["ledgers"].as_array().unwrap().len(), 2);
    for ledger in own {
        let said = run_text(at, &format!("verify release.json --ledger {ledger}.ledger"));
        assert!(said.contains(", entry 1"), "{said}");
        assert!(run_text(at, &format!("ledger show {ledger}.ledger")).contains("released"), "{ledger}");
    }
    ledgers_of(at, "other", "--epsilon 5");
    assert!(!karcher(at, "verify release.json --ledger other.ledger").status.success());
}

fn ledgers_of(folder: &Path, names: &str, total: &str) {
    names.split(' ').for_each(|who| done(folder, &format!("ledger new {who}.ledger --data {who} {total}")));
}

fn round_counted(folder: &Path, options: &str, ledgers: [&str; 2]) {
    for site in ["one", "two"] {
        done(folder, &format!("share spec.json {site}.csv {options} {TO} --output {site}.share --force"));
    }
    for who in ["a", "b"] {
        let line = format!("aggregate check spec.json one.share two.share {options} {TO} --key {who}.key");
        done(folder, &format!("{line} --force --output {who}.checked"));
    }
    for ((who, other), ledger) in [("a", "b"), ("b", "a")].into_iter().zip(ledgers) {
        let line = add(who, other, options);
        done(folder, &line.replace(&format!("{who}.ledger"), &format!("{ledger}.ledger")));
    }
}

/// `add` is killed after times from its start to its end, and run again: each release is counted once, and its noise is
/// the same.
#[cfg(unix)]
#[test]
fn whenever_it_is_killed_a_release_is_counted_once() {
    let kills: u32 = std::env::var("KARCHER_KILLS").map_or(24, |kills| kills.parse().unwrap());
    let folder = parties(&format!("mean {MEAN} --epsilon 1"));
    let at = folder.path();
    ledgers(at, "--epsilon 1000");
    let start = |line: &str| {
        let program = assert_cmd::cargo::cargo_bin("karcher");
        let mut command = std::process::Command::new(program);
        command.current_dir(at).args(line.split_whitespace()).stdout(std::process::Stdio::null());
        command.stderr(std::process::Stdio::null()).spawn().unwrap()
    };
    let entries = || -> (usize, bool) {
        let book: Value = serde_json::from_str(&run_text(at, "ledger show a.ledger --json")).unwrap();
        let all = book["entries"].as_array().unwrap();
        (all.len(), all.iter().all(|entry| entry["status"] == "released"))
    };
    let (mut whole, mut killed) = (std::time::Duration::ZERO, 0);
    for i in 0..=kills {
        let options = format!("--n 5 --name {i}");
        for site in ["one", "two"] {
            done(at, &format!("share spec.json {site}.csv {options} {TO} --output {site}.share --force"));
        }
        let checked = format!("aggregate check spec.json one.share two.share {options} {TO} --key b.key --force");
        done(at, &format!("{checked} --output b.checked"));
        let line = add("a", "b", &options);
        if i == 0 {
            let started = std::time::Instant::now();
            assert!(start(&line).wait().unwrap().success());
            whole = started.elapsed();
        } else {
            let mut child = start(&line);
            std::thread::sleep(whole * i / kills);
            child.kill().unwrap(); // SIGKILL
            killed += u32::from(!child.wait().unwrap().success());
        }
        let before = entries().0;
        done(at, &line);
        let first = std::fs::read(at.join("a.sum")).unwrap();
        assert!(before <= i as usize + 1 && entries() == (i as usize + 1, true), "kill {i}: {before} {:?}", entries());
        done(at, &line);
        assert_eq!(std::fs::read(at.join("a.sum")).unwrap(), first);
    }
    assert!(killed > 0);
    assert!(run_text(at, "ledger check a.ledger").contains("whole"));
}

#[cfg(unix)]
#[test]
fn a_journal_that_was_moved_is_accepted_by_its_owner() {
    let folder = parties(&format!("mean {MEAN} --mu 1"));
    let at = folder.path();
    ledgers(at, "--mu 10");
    round(at, "--n 5");
    let sent = std::fs::read(at.join("a.sum")).unwrap();
    for end in ["key", "journal"] {
        std::fs::copy(at.join(format!("a.{end}")), at.join(format!("moved.{end}"))).unwrap();
    }
    let line = add("a", "b", "--n 5").replace("a.key", "moved.key");
    assert!(refused(at, &line).contains("is a copy of a journal"));
    done(at, "aggregate adopt moved.key");
    done(at, &line);
    assert_eq!(std::fs::read(at.join("a.sum")).unwrap(), sent);
    std::fs::copy(at.join("b.journal"), at.join("a.journal")).unwrap(); // in its place
    assert!(refused(at, &add("a", "b", "--n 5")).contains("journal"));
}
