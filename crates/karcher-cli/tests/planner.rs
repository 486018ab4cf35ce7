//! The page of `karcher plan --html`: its numbers are those of `karcher plan` at each point.
#![cfg(feature = "plot")]

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn karcher(folder: &Path, words: &[&str]) -> std::process::Output {
    Command::cargo_bin("karcher").unwrap().current_dir(folder).args(words).output().unwrap()
}

/// The words of a command as a shell splits them; quotes are single ones.
fn words(command: &str) -> Vec<String> {
    let unquoted = command.split('\'').enumerate();
    unquoted.flat_map(|(i, part)| if i % 2 == 1 { vec![part.to_owned()] } else { words_between(part) }).collect()
}

fn words_between(part: &str) -> Vec<String> {
    part.split_whitespace().map(str::to_owned).collect()
}

/// The numbers in a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"plan\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn page(command: &str) -> (String, Value) {
    let folder = tempfile::tempdir().unwrap();
    let all = format!("{command} --html p.html");
    let output = karcher(folder.path(), &all.split(' ').collect::<Vec<_>>());
    assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    let page = fs::read_to_string(folder.path().join("p.html")).unwrap();
    let data = data(&page);
    (page, data)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// Points of the grid: its corners, and others in a sequence without a pattern.
fn points(lengths: [usize; 3]) -> Vec<[usize; 3]> {
    let mixed = |k: usize| [7 * k + 3, 5 * k * k + 1, 11 * k + k * k].map(|x| x % 97);
    let inside = (1..8).map(|k| {
        let m = mixed(k);
        [0, 1, 2].map(|i| m[i] % lengths[i])
    });
    let corners = [0, 7].map(|k| [0, 1, 2].map(|i| if k >> i & 1 == 1 { lengths[i] - 1 } else { 0 }));
    inside.chain(corners).collect()
}

#[test]
fn every_number_is_that_of_the_command_shown() {
    for command in [
        "plan --manifold sphere:2 --radius 0.9 --n 100 --epsilon 1 --delta 1e-6",
        "plan --manifold sphere:2 --radius=2000km --error 20km --epsilon 1 --numerics any",
        "plan --manifold spd-log-euclidean:3 --radius 2 --n 500 --mu 1 --spread --json",
        "plan --manifold sphere:2*euclidean:1 --radius 20deg,2 --n 1000 --epsilon 1",
        "plan --manifold euclidean:2 --radius 1 --rho 0.5 --adjacency add-remove --n-guess 50",
        "plan --manifold sphere:2 --radius 0.5 --n 1000 --epsilon 1 --statistic median",
        "plan --manifold sphere:2 --radius 0.5 --n 1000 --epsilon 1 --slope-bound 0.5",
        "plan --manifold sphere:2 --radius 0.5 --n 1000 --epsilon 1 --term linear:age:20:80",
        "plan --manifold sphere:2 --n 200 --epsilon 1",
    ] {
        let (text, data) = page(command);
        assert!(text.len() < 300_000, "{command}: {} bytes", text.len());
        let unit = data["unitSize"].as_f64().unwrap();
        let lengths = [0, 1, 2].map(|i| items(&data["axes"][i]["values"]).len().max(1));
        let mut known = 0;
        for point in points(lengths) {
            let place = (point[0] * lengths[1] + point[1]) * lengths[2] + point[2];
            let option = |i: usize| data["axes"][i]["options"][point[i]].as_str().unwrap_or_default().to_owned();
            let command = [data["command"].as_str().unwrap().to_owned(), option(0), option(1), option(2)].join(" ");
            let mut all = words(&command);
            assert_eq!(all.remove(0), "karcher");
            all.push("--json".to_owned());
            let output = karcher(Path::new("."), &all.iter().map(String::as_str).collect::<Vec<_>>());
            let report: Option<Value> =
                output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap());
            for (i, mechanism) in items(&data["mechanisms"]).iter().enumerate() {
                let shown = mechanism["errors"][place].as_f64().unwrap();
                let Some(report) = &report else {
                    assert!(shown < 0.0, "{command}: {}", String::from_utf8_lossy(&output.stderr));
                    continue;
                };
                let entry = items(&report["mechanisms"]).iter().find(|entry| entry["mechanism"] == mechanism["name"]);
                let entry = entry.unwrap();
                assert_eq!(data["best"][place] == i, report["best"] == mechanism["name"], "{command}");
                if shown < 0.0 {
                    let reason = &data["sentences"][(-1.0 - shown) as usize];
                    assert!(entry["reason"] == *reason || entry["reason"].is_null(), "{command}: {entry} {reason}");
                    continue;
                }
                known += 1;
                let error = entry["expected_distance"].as_f64().unwrap() + entry["bias_bound"].as_f64().unwrap_or(0.0);
                let error = error / unit;
                assert!(error * (1.0 - 1e-12) <= shown && shown <= error * 1.001_001, "{command}: {shown} {error}");
            }
        }
        assert!(known > 5, "{command}: {known}");
    }
}

#[test]
fn the_planned_point_is_on_the_grid_as_it_was_given() {
    let (text, data) = page("plan --manifold sphere:2 --radius 0.87 --n 123 --epsilon 0.77");
    let planned = |i: usize| {
        let axis = &data["axes"][i];
        axis["options"][axis["planned"].as_u64().unwrap() as usize].as_str().unwrap().to_owned()
    };
    assert_eq!([0, 1, 2].map(planned), ["--radius 0.87", "--n 123", "--epsilon 0.77"]);
    assert_eq!([0, 1, 2].map(|i| items(&data["axes"][i]["values"]).len()), [9, 9, 9]);
    for axis in items(&data["axes"]) {
        let values: Vec<f64> = items(&axis["values"]).iter().map(|x| x.as_f64().unwrap()).collect();
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
    }
    let (_, fallback) = text.split_once("<noscript>").unwrap();
    let fallback = fallback.split_once("</noscript>").unwrap().0;
    assert!(fallback.contains("123 records, ε = 0.77") && fallback.contains("chart"), "{fallback}");
}

#[test]
fn the_page_is_the_same_each_time() {
    let command = "plan --manifold sphere:2 --radius 0.5 --n 1000 --epsilon 1 --statistic median";
    assert_eq!(page(command).0, page(command).0);
}

#[test]
fn a_page_goes_to_a_file_that_is_named_for_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.html"), "mine").unwrap();
    let run = |options: &str| {
        let command = format!("plan --manifold sphere:2 --radius 0.5 --n 100 --epsilon 1 {options}");
        karcher(folder.path(), &command.split(' ').collect::<Vec<_>>())
    };
    for (options, part) in [
        ("--html x.pdf", "the extension must be .html"),
        ("--html x", "the extension must be .html"),
        ("--html nosuchdir/x.html", "nosuchdir/x.html"),
        ("--html mine.html", "--force"),
    ] {
        let output = run(options);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{options}");
        assert!(told.starts_with("error: --html") && told.contains(part), "{told}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("mine.html")).unwrap(), "mine");
    assert_eq!(run("--force").status.code(), Some(2), "--force without a file");
    assert!(run("--html mine.html --plot mine.svg --force --json").status.success());
    assert!(fs::read_to_string(folder.path().join("mine.html")).unwrap().starts_with("<!DOCTYPE html>"));
    assert!(folder.path().join("mine.svg").exists());
    // nothing is written for a plan that is refused
    assert!(!run("--html no.html --error 0.1").status.success() && !folder.path().join("no.html").exists());
}

/// What `karcher start` takes for a plan, and that there is nothing where it cannot ask for such a plan.
#[test]
fn a_page_begins_with_a_file_where_a_start_does() {
    let base = "plan --manifold sphere:2 --n 1000";
    for (more, options) in [
        ("--radius 0.5 --epsilon 1", Some("--statistic mean")),
        ("--radius=0.5 --mu 1 --spread", Some("--statistic mean-and-spread")),
        ("--radius 0.5 --mu 1 --statistic median", Some("--statistic median")),
        ("--epsilon 1", Some("--statistic mean --anywhere")),
        (
            "--ball auto --within 1.5 --expected-spread 0.3 --epsilon 1",
            Some("--statistic mean --within 1.5 --expected-spread 0.3"),
        ),
        ("--radius 0.5 --epsilon 1 --slope-bound 0.5", None),
        ("--radius 0.5 --epsilon 1 --numerics any", None),
    ] {
        let (text, data) = page(&format!("{base} {more}"));
        assert_eq!(data["start"]["options"].as_str(), options, "{more}");
        assert_eq!(text.contains("id=\"table\""), options.is_some(), "{more}");
        if options.is_some() {
            assert_eq!(data["start"]["spaces"][0]["space"], "sphere:2");
        }
    }
}
