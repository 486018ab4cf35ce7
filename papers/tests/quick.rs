//! A quick run of every item: it ends, writes what it promises, and each claim has a verdict.

#[path = "../../crates/karcher-io/tests/common/public_data.rs"]
mod public_data;

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn command() -> Command {
    let mut command = Command::cargo_bin("karcher-papers").unwrap();
    command.env_remove("KARCHER_DATA");
    command
}

fn papers(arguments: &[&str]) -> std::process::Output {
    command().args(arguments).output().unwrap()
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
    let data = public_data::folder();
    let mut arguments = vec!["all", "--quick", "--output", folder.path().to_str().unwrap()];
    arguments.extend(data.iter().flat_map(|data| ["--data", data.to_str().unwrap()]));
    let output = papers(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list = String::from_utf8(papers(&["list"]).stdout).unwrap();
    let items = list.lines().filter(|line| !line.starts_with(' '));
    let names: Vec<&str> = items.map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names.len(), 14);
    let page = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    for name in &names {
        let checks = checks(folder.path(), name);
        assert!(page.contains(&format!("<section id=\"{name}\">")), "{name}");
        if let Some(reason) = checks["skipped"].as_str() {
            public_data::skipped(&format!("{name} did not run: {reason}"));
            continue;
        }
        let claims = checks["claims"].as_array().unwrap();
        assert!(!claims.is_empty(), "{name}");
        for claim in claims {
            let verdict = claim["verdict"].as_str().unwrap();
            assert!(["reproduced", "reproduced with a correction", "not reproduced"].contains(&verdict), "{verdict}");
            // every claim not plainly reproduced has a reason
            assert_eq!(claim["reason"].as_str().unwrap().is_empty(), verdict == "reproduced", "{name}: {claim}");
        }
        let csv = std::fs::read_to_string(folder.path().join(format!("{name}.csv"))).unwrap();
        assert!(csv.lines().count() > 3 && !csv.contains("NaN"), "{name}: {csv}");
        assert!(std::fs::read_to_string(folder.path().join(format!("{name}.svg"))).unwrap().starts_with("<svg"));
        let png = std::fs::read(folder.path().join(format!("{name}.png"))).unwrap();
        assert!(image::load_from_memory(&png).is_ok());
    }
    assert!(!page.contains(" src=") && !page.contains("<link"), "the page needs other files");

    let checked = |item: &str| checks(folder.path(), item);
    let found = |item: &str, claim: &str| verdict(&checked(item), claim).to_owned();
    let runs = |item: &str| checked(item)["skipped"].is_null();
    if runs("utpala-figure-2") {
        assert_eq!(found("utpala-figure-2", "lie in the ball of Theorem 5"), "reproduced");
    }
    if runs("utpala-figure-3") {
        assert_eq!(found("utpala-figure-3", "outperforms"), "reproduced");
        assert_eq!(found("utpala-figure-3", "The utility gap"), "reproduced");
        assert_eq!(found("utpala-figure-4", "tight in practice"), "not reproduced");
    }
    if runs("soto-shapes") {
        assert_eq!(found("soto-shapes", "on each coordinate"), "reproduced");
    }
    assert_eq!(found("reimherr-radii", "Proposition 1"), "reproduced");
    assert_eq!(found("reimherr-bound", "2r < the empirical bound"), "reproduced");
    assert_eq!(found("reimherr-spd", "whatever n"), "reproduced");
    assert_eq!(found("jiang-figure-1", "For small σ"), "reproduced");
    assert_eq!(found("jiang-figure-1", "Algorithm 1 gives"), "reproduced with a correction");
    assert_eq!(found("utpala-figure-1", "almost ×10"), "not reproduced");
    assert_eq!(found("utpala-figure-1", "Theorem 4"), "reproduced with a correction");
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
        assert!(command().args(arguments).env("RAYON_NUM_THREADS", threads).output().unwrap().status.success());
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
