//! Records that exceed the memory limit: the release is the same, to the last digit.

use assert_cmd::prelude::*;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const N: usize = 6_000;

struct Folder(TempDir);

impl Folder {
    /// Directions about the first axis in a text, an array and a folder of parts; each with a person, a group and a
    /// year.
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let mut text = String::from("who,team,year,x,y,z\n");
        let mut values = vec![];
        for i in 0..N {
            let (a, b) = (0.3 * (i as f64 * 1.7).sin(), 0.3 * (i as f64 * 0.9).cos());
            let point = [a.cos() * b.cos(), a.sin() * b.cos(), b.sin()];
            let [x, y, z] = point;
            // persons of one to three records all over the file
            text += &format!("p{},{},{},{x},{y},{z}\n", i * 7 % (N / 2), ["a", "b", "c"][i % 3], 1990 + i % 30);
            values.extend(point);
        }
        folder.file("all.csv", text.as_bytes());
        karcher_io::write_npy(&folder.path("all.npy"), &[N, 3], &values).unwrap();
        std::fs::create_dir(folder.0.path().join("parts")).unwrap();
        let (header, rest) = text.split_once('\n').unwrap();
        for (part, lines) in rest.lines().collect::<Vec<_>>().chunks(777).enumerate() {
            folder.file(&format!("parts/{part:02}.csv"), format!("{header}\n{}\n", lines.join("\n")).as_bytes());
        }
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn file(&self, name: &str, contents: &[u8]) {
        std::fs::write(self.0.path().join(name), contents).unwrap();
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::cargo_bin("karcher").unwrap();
        command.args(arguments.split_whitespace()).current_dir(&self.0);
        command
    }

    /// The output of a command that succeeds without a message on standard error.
    fn printed(&self, arguments: &str) -> String {
        told(&self.command(arguments).output().unwrap(), arguments)
    }

    fn refusal(&self, arguments: &str) -> String {
        refused(&self.command(arguments).output().unwrap(), arguments)
    }

    /// The same with a file at standard input.
    fn piped(&self, file: &str, arguments: &str) -> Output {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let bytes = std::fs::read(self.path(file)).unwrap();
        // a command that refuses what it has read does not read on
        let _ = child.stdin.take().unwrap().write_all(&bytes);
        child.wait_with_output().unwrap()
    }
}

fn told(output: &Output, arguments: &str) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{arguments}: {said}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn refused(output: &Output, arguments: &str) -> String {
    assert!(!output.status.success() && output.stdout.is_empty(), "{arguments}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

const CAP: &str = "--manifold sphere:2 --center 1,0,0 --radius 0.5 --seed 3 --json";
const XYZ: &str = "--columns x,y,z";

#[test]
fn a_release_does_not_depend_on_the_memory_that_records_may_take() {
    let folder = Folder::new();
    for arguments in [
        format!("mean FILE {XYZ} {CAP} --mu 1 --spread"),
        format!("mean FILE {XYZ} {CAP} --epsilon 1 --mechanism karcher-flow --delta 1e-6"),
        format!("mean FILE {XYZ} {CAP} --epsilon 1 --adjacency add-remove --n-guess 5000"),
        format!("mean FILE {XYZ} {CAP} --mu 1 --statistic median"),
        format!("mean FILE {XYZ} {CAP} --mu 1 --person who"),
        format!("mean FILE {XYZ} {CAP} --mu 1 --adjacency add-remove --n-guess 2000 --by team --groups c,a,nobody"),
        format!("mean FILE {XYZ} --manifold sphere:2 --center 1,0,0 --within 1.5 --ball auto --mu 2 --seed 3 --json"),
        format!("components FILE {XYZ} {CAP} --mu 1"),
        format!("locate FILE {XYZ} --manifold sphere:2 --center 1,0,0 --within 1.5 --epsilon 2 --seed 3 --json"),
        format!("regress FILE {XYZ} {CAP} --mu 1 --predictor year --predictor-range 1990 2020 --slope-bound 0.5"),
        "count FILE --header yes --epsilon 1 --seed 3 --json".to_owned(),
    ] {
        let with = |file: &str, memory: &str| folder.printed(&format!("{} {memory}", arguments.replace("FILE", file)));
        let in_memory = with("all.csv", "");
        for (file, memory) in [("all.csv", "--memory 1KB"), ("all.csv", "--memory 100KB"), ("parts", "--memory 0")] {
            assert_eq!(with(file, memory), in_memory, "{file} {memory}: {arguments}");
        }
        let piped = folder.piped("all.csv", &(arguments.replace("FILE", "-") + " --format csv"));
        assert_eq!(told(&piped, &arguments), in_memory, "{arguments}");
    }
    let in_memory = folder.printed(&format!("mean all.npy {CAP} --mu 1"));
    assert_eq!(folder.printed(&format!("mean all.npy {CAP} --mu 1 --memory 1KB")), in_memory);
    assert_eq!(folder.printed(&format!("mean all.csv {XYZ} {CAP} --mu 1")), in_memory);
}

#[test]
fn persons_who_do_not_fit_together_are_sorted_on_a_disk_where_the_user_says() {
    let folder = Folder::new();
    // 200,000 records of 120,000 persons, of some of whom all are at the ends of the file
    let rows = (0..200_000_u32).map(|i| format!("p{},{},0.{}\n", i * 7 % 120_000, i % 40, i % 997));
    folder.file("many.csv", format!("who,year,x\n{}", rows.collect::<String>()).as_bytes());
    std::fs::create_dir(folder.path("spool")).unwrap();
    let line = "--columns x --manifold euclidean:1 --center 0.3 --radius 0.4 --person who --seed 3 --json";
    for arguments in [
        format!("mean many.csv {line} --mu 1"),
        format!("regress many.csv {line} --mu 1 --predictor year --predictor-range 0 40 --slope-bound 0.5"),
    ] {
        let in_memory = folder.printed(&arguments);
        assert_eq!(folder.printed(&format!("{arguments} --memory 1KB")), in_memory, "{arguments}");
        assert_eq!(folder.printed(&format!("{arguments} --memory 1KB --spool spool")), in_memory, "{arguments}");
        let nowhere = folder.refusal(&format!("{arguments} --memory 1KB --spool nowhere"));
        assert!(nowhere.contains("nowhere"), "{nowhere}");
    }
    assert_eq!(std::fs::read_dir(folder.path("spool")).unwrap().count(), 0, "nothing is left");
}

#[test]
fn what_can_be_read_once_is_kept_where_the_user_says() {
    let folder = Folder::new();
    let arguments = format!("mean - --format csv {XYZ} {CAP} --mu 1");
    let small = format!("{arguments} --memory 10KB");
    let refusal = refused(&folder.piped("all.csv", &small), &small);
    assert!(refusal.contains("--memory") && refusal.contains("--spool"), "{refusal}");
    std::fs::create_dir(folder.path("spool")).unwrap();
    let spooled = format!("{small} --spool spool");
    let in_memory = told(&folder.piped("all.csv", &arguments), &arguments);
    assert_eq!(told(&folder.piped("all.csv", &spooled), &spooled), in_memory);
    assert_eq!(std::fs::read_dir(folder.path("spool")).unwrap().count(), 0, "nothing is left");
}

#[test]
fn what_is_wrong_far_into_a_file_is_said_with_its_place_and_nothing_is_released() {
    let folder = Folder::new();
    let mut text = std::fs::read_to_string(folder.path("parts/05.csv")).unwrap();
    let at = text.rfind("p").unwrap();
    text.replace_range(at.., "p1,a,2000,1,1,1\n");
    folder.file("parts/05.csv", text.as_bytes());
    for memory in ["", "--memory 1KB"] {
        let refusal = folder.refusal(&format!("mean parts {XYZ} {CAP} --mu 1 {memory}"));
        assert!(refusal.contains("05.csv: record 777 (line 778)"), "{refusal}");
    }
    // another schema in a later file
    folder.file("parts/05.csv", b"who,team,year,x,y\np1,a,2000,1,0\n");
    let refusal = folder.refusal(&format!("mean parts {XYZ} {CAP} --mu 1 --memory 1KB"));
    assert!(refusal.contains("05.csv"), "{refusal}");
}

#[test]
fn what_looks_at_records_one_by_one_says_so_before_a_budget_is_spent() {
    let folder = Folder::new();
    folder.printed("ledger new budget.db --data directions --epsilon 3");
    let kng = format!("mean all.csv {XYZ} {CAP} --epsilon 1 --mechanism kng --numerics any --ledger budget.db");
    let kng = kng.replace("--seed 3", "");
    let refusal = folder.refusal(&format!("{kng} --memory 1KB"));
    assert!(refusal.contains("must fit into memory"), "{refusal}");
    // a located mean by that name, too, although there is no ball yet
    let located = kng.replace("--center 1,0,0 --radius 0.5", "--center 1,0,0 --within 1.5 --ball auto");
    let refusal = folder.refusal(&format!("{located} --memory 1KB"));
    assert!(refusal.contains("must fit into memory"), "{refusal}");
    let ledger: serde_json::Value = serde_json::from_str(&folder.printed("ledger show budget.db --json")).unwrap();
    assert_eq!(ledger["entries"].as_array().map(Vec::len), Some(0), "{ledger}");
}
