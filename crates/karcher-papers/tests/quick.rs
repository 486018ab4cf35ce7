//! A quick run of every item: it ends, writes what it promises, and each claim has a verdict.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn papers(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("karcher-papers").unwrap().args(arguments).output().unwrap()
}

fn checks(folder: &Path, item: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join(format!("{item}.json"))).unwrap()).unwrap()
}

fn verdict<'a>(checks: &'a Value, claim: &str) -> &'a str {
    let claims = checks["claims"].as_array().unwrap();
    let found = claims.iter().find(|c| c["paper"].as_str().unwrap().contains(claim));
    found.unwrap_or_else(|| panic!("no claim `{claim}`"))["verdict"].as_str().unwrap()
}

#[test]
fn every_item_gives_numbers_a_figure_and_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let output = papers(&["all", "--quick", "--output", folder.path().to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list = String::from_utf8(papers(&["list"]).stdout).unwrap();
    let names: Vec<&str> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    let page = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    for name in &names {
        let checks = checks(folder.path(), name);
        assert!(page.contains(&format!("<section id=\"{name}\">")), "{name}");
        if let Some(reason) = checks["skipped"].as_str() {
            eprintln!("{name} DID NOT RUN: {reason}");
            continue;
        }
        let claims = checks["claims"].as_array().unwrap();
        assert!(!claims.is_empty(), "{name}");
        for claim in claims {
            let verdict = claim["verdict"].as_str().unwrap();
            assert!(["reproduced", "reproduced with a correction", "not reproduced"].contains(&verdict), "{verdict}");
            // whatever is not plainly reproduced has a reason
            assert_eq!(claim["reason"].as_str().unwrap().is_empty(), verdict == "reproduced", "{name}: {claim}");
        }
        let csv = std::fs::read_to_string(folder.path().join(format!("{name}.csv"))).unwrap();
        assert!(csv.lines().count() > 3 && !csv.contains("NaN"), "{name}: {csv}");
        if *name != "reimherr-radii" {
            assert!(std::fs::read_to_string(folder.path().join(format!("{name}.svg"))).unwrap().starts_with("<svg"));
            let png = std::fs::read(folder.path().join(format!("{name}.png"))).unwrap();
            assert!(image::load_from_memory(&png).is_ok());
        }
    }
    assert!(!page.contains(" src=") && !page.contains("<link"), "the page needs other files");

    let found = |item: &str, claim: &str| verdict(&checks(folder.path(), item), claim).to_owned();
    assert_eq!(found("reimherr-radii", "Proposition 1"), "reproduced");
    assert_eq!(found("reimherr-bound", "2r < the empirical bound"), "reproduced");
    assert_eq!(found("reimherr-spd", "whatever n"), "reproduced");
    assert_eq!(found("jiang-figure-1", "For small σ"), "reproduced");
    assert_eq!(found("utpala-figure-1", "almost ×10"), "not reproduced");
    assert_eq!(found("kulkarni-sphere", "Private geodesics are as near"), "not reproduced");
    assert_eq!(found("kulkarni-sphere", "converges"), "reproduced");
    assert_eq!(found("soto-sphere", "scales of the paper"), "reproduced");
    assert_eq!(found("soto-sphere", "scales that have a proof"), "not reproduced");
}

#[test]
fn results_do_not_depend_on_threads_or_on_other_items() {
    let run = |items: &[&str], threads: &str| {
        let folder = tempfile::tempdir().unwrap();
        let arguments = [&["run"], items, &["--quick", "--output", folder.path().to_str().unwrap()]].concat();
        let mut command = Command::cargo_bin("karcher-papers").unwrap();
        assert!(command.args(arguments).env("RAYON_NUM_THREADS", threads).output().unwrap().status.success());
        std::fs::read_to_string(folder.path().join("reimherr-spd.csv")).unwrap()
    };
    assert_eq!(run(&["reimherr-spd"], "1"), run(&["reimherr-radii", "reimherr-spd"], "3"));
}

#[test]
fn unknown_names_and_folders_get_one_sentence() {
    let refusal = |arguments: &[&str]| {
        let output = papers(arguments);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(refusal(&["run", "x"]), "error: there is no item x: karcher-papers list names them\n");
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let sentence = refusal(&["run", "utpala-figure-3", "--data", "/nowhere", "--output", output.to_str().unwrap()]);
    assert_eq!(sentence, "error: the folder of data /nowhere is not there\n");
}
