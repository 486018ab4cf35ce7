//! `karcher mean --by COLUMN --groups A,B,C`: one release a group, each with the whole budget.

use assert_cmd::prelude::*;
use karcher::release::{Adjacency, PublishedRelease};
use serde_json::Value;
use std::process::{Command, Output};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, contents: &str) {
        std::fs::write(self.0.path().join(name), contents).unwrap();
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = Command::cargo_bin("karcher").unwrap();
        command.args(arguments.split_whitespace()).current_dir(&self.0).output().unwrap()
    }

    /// The output of a command that succeeds without a message on standard error.
    fn printed(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && said.is_empty(), "{arguments}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, arguments: &str) -> Value {
        serde_json::from_str(&self.printed(&format!("{arguments} --json"))).unwrap()
    }

    fn refusal(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success() && output.stdout.is_empty(), "{arguments}");
        String::from_utf8(output.stderr).unwrap()
    }
}

const PLANE: &str = "--manifold euclidean:2 --radius 9 --epsilon 2 --adjacency add-remove --n-guess 100";

/// Records of the groups `b`, `a`, `c` in turn, those of `a` and `b` with the same values.
fn records(header: &str, n: usize) -> String {
    let row = |i: usize| format!("{},{},{}\n", ["b", "a", "c"][i % 3], i / 3 % 7, i / 3 % 4);
    header.to_owned() + &(0..3 * n).map(row).collect::<String>()
}

#[test]
fn a_group_is_released_like_a_file_of_its_own() {
    let folder = Folder::new();
    folder.file("all.csv", &records("team,x,y\n", 60));
    let own = |name: &str| records("", 60).lines().filter(|row| row.starts_with(name)).collect::<Vec<_>>().join("\n");
    folder.file("a.csv", &format!("team,x,y\n{}\n", own("a")));
    let all = folder.json(&format!("mean all.csv --by team --groups a,b {PLANE} --seed 1"));
    // the noise of the first group is the first that the seed gives
    let alone = folder.json(&format!("mean a.csv --columns x,y {PLANE} --seed 1"));
    assert_eq!(all["groups"][0]["release"], alone);
    let releases: Vec<PublishedRelease> = all["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| serde_json::from_value(group["release"].clone()).unwrap())
        .collect();
    for release in &releases {
        let how = &release.provenance;
        assert_eq!((how.adjacency, how.n, how.n_guess), (Adjacency::AddRemove, None, Some(100)));
        assert!((how.private_count.unwrap().value - 60.0).abs() < 30.0);
    }
    // both groups have the same records, and noise of their own
    assert_ne!(releases[0].value, releases[1].value);
    assert_eq!((&all["by"], &all["unit"], &all["adjacency"]), (&"team".into(), &"record".into(), &"add-remove".into()));
    assert_eq!((&all["guarantee"]["epsilon"], &all["replace_one"]["epsilon"]), (&2.0.into(), &4.0.into()));
    assert_eq!(all["guarantee"], all["groups"][1]["release"]["guarantee"]);
}

#[test]
fn nothing_tells_of_records_in_no_listed_group() {
    let folder = Folder::new();
    folder.file("all.csv", &records("team,x,y\n", 20));
    let rows = records("", 20);
    let listed: Vec<&str> = rows.lines().filter(|row| !row.starts_with('c')).collect();
    folder.file("listed.csv", &format!("team,x,y\n{}\n", listed.join("\n")));
    folder.file("nobody.csv", "team,x,y\n");
    let means = |file: &str| folder.printed(&format!("mean {file} --by team --groups a,b,nobody {PLANE} --seed 1"));
    assert_eq!(means("all.csv"), means("listed.csv"));
    let (some, none) = (means("all.csv"), means("nobody.csv"));
    let shape = |text: &str| text.lines().map(|line| line.split("  ").next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(shape(&some), shape(&none)); // no group and no file without records is told apart but by noise
    assert!(some.contains("\nnobody") && crate::one_line(&some).contains("of all groups together"), "{some}");
}

#[test]
fn files_hold_a_row_a_group() {
    let folder = Folder::new();
    folder.file("all.csv", &records("team,x,y\n", 20));
    let mean = |more: &str| folder.printed(&format!("mean all.csv --by team --groups a,b,d {PLANE} --seed 1 {more}"));
    let json: Value = serde_json::from_str(&mean("--json --output all.json")).unwrap();
    assert_eq!(json, serde_json::from_str::<Value>(&folder.text("all.json")).unwrap());
    mean("--output means.csv");
    let rows: Vec<String> = std::iter::once("group,value_1,value_2".to_owned())
        .chain(json["groups"].as_array().unwrap().iter().map(|group| {
            let value = group["release"]["value"].as_array().unwrap();
            format!(
                "{},{:?},{:?}",
                group["group"].as_str().unwrap(),
                value[0].as_f64().unwrap(),
                value[1].as_f64().unwrap()
            )
        }))
        .collect();
    assert_eq!(folder.text("means.csv").lines().collect::<Vec<_>>(), rows);
    mean("--output means.npy");
    let table = karcher_io::read(folder.0.path().join("means.npy").to_str().unwrap(), &Default::default()).unwrap();
    assert_eq!((table.rows, table.columns), (3, 2));
}

#[test]
fn integers_are_groups() {
    let folder = Folder::new();
    let values: Vec<f64> = (0..300).flat_map(|i| [f64::from(i % 3) - 1.0, f64::from(i % 5)]).collect();
    karcher_io::write_npy(folder.0.path().join("a.npy").to_str().unwrap(), &[300, 2], &values).unwrap();
    let line = "--manifold euclidean:1 --radius 9 --epsilon 9 --adjacency add-remove --n-guess 100 --seed 1";
    let all = folder.json(&format!("mean a.npy --by 1 --groups -1.0,01,5 {line}"));
    let count = |i: usize| all["groups"][i]["release"]["private_count"]["value"].as_f64().unwrap();
    // noise of scale 1/6 or so: 20 has a probability below e^-60
    assert!((count(0) - 100.0).abs() < 20.0 && (count(1) - 100.0).abs() < 20.0 && count(2) < 20.0, "{all}");
}

/// The numbers of a statistic are no point of the space.
#[test]
fn quantiles_of_groups_are_lengths_below_their_name() {
    let folder = Folder::new();
    let rows = (0..60).map(|i| format!("{},{},{}\n", i % 50, i, if i % 2 == 0 { "a" } else { "b" }));
    folder.file("places.csv", &format!("latitude,longitude,zone\n{}", rows.collect::<String>()));
    let printed = folder.run(
        "quantiles places.csv --columns latitude,longitude --layout latlon --manifold sphere:2 --center 0,0 --radius \
         9000km --levels 0.25,0.5,0.75 --epsilon 4 --adjacency add-remove --n-guess 30 --by zone --groups a,b --seed 1",
    );
    let printed = String::from_utf8(printed.stdout).unwrap();
    let lines: Vec<&str> = printed.lines().take(3).collect();
    assert!(lines[0].starts_with("group  private quantiles (0.25, 0.5, 0.75)  records "), "{printed}");
    assert!(lines[1].matches(" km").count() == 4 && !printed.contains("latitude"), "{printed}");
}

#[test]
fn a_ledger_counts_all_groups_once() {
    let folder = Folder::new();
    folder.file("all.csv", &records("team,x,y\n", 20));
    for (adjacency, spent) in [("add-remove", 2.0), ("replace-one", 4.0)] {
        folder.printed(&format!("ledger new {adjacency}.db --data d --epsilon 9 --adjacency {adjacency}"));
        let all = folder.json(&format!("mean all.csv --by team --groups a,b,c {PLANE} --ledger {adjacency}.db"));
        let book = folder.json(&format!("ledger show {adjacency}.db"));
        for group in all["groups"].as_array().unwrap() {
            let release: PublishedRelease = serde_json::from_value(group["release"].clone()).unwrap();
            assert_eq!(book["entries"][0]["entry"], release.provenance.ledger.unwrap().entry);
        }
        assert_eq!(book["entries"].as_array().unwrap().len(), 1);
        assert_eq!((&book["entries"][0]["status"], &book["spent"]["epsilon"]), (&"released".into(), &spent.into()));
    }
}

#[test]
fn two_groups_are_compared() {
    let folder = Folder::new();
    let rows =
        (0..4000).map(|i| format!("{},{}\n", ["north", "south"][i % 2], (i % 2) as f64 * 0.8 + (i % 7) as f64 / 20.0));
    folder.file("all.csv", &format!("side,x\n{}", rows.collect::<String>()));
    let mean = "--manifold euclidean:1 --radius 2 --epsilon 4 --adjacency add-remove --n-guess 2e3 --spread --seed 1";
    folder.printed(&format!("mean all.csv --by side --groups north,south {mean} --output sides.json"));
    let found = folder.json("compare sides.json:north sides.json:south");
    assert_eq!(found["differ"], true);
    assert_eq!(folder.json("compare sides.json"), found); // a file stands for all of its groups
    let said = folder.refusal("compare sides.json sides.json:south");
    assert!(said.contains("sides.json:south and sides.json:south are one"), "{said}");
    let said = folder.refusal("compare sides.json:south");
    assert!(said.contains("two releases or more"), "{said}");
    let said = folder.refusal("compare sides.json:west sides.json:south");
    assert!(said.contains("has no group west"), "{said}");
}

#[test]
fn what_groups_do_not_go_with_is_refused_before_a_file_is_opened() {
    let folder = Folder::new();
    let by = "--by team --groups a,b";
    let replace_one = PLANE.split(" --adjacency").next().unwrap();
    for (arguments, reason) in [
        (format!("{by} {replace_one}"), "--adjacency: which group a record is in is confidential: give add-remove"),
        (format!("{by} --person who {PLANE}"), "--person: a person may be in several of the --groups"),
        (format!("{by} --plot a.svg {PLANE}"), "--plot does not go with --by"),
        (
            format!("{by} --ball auto --within 9 {}", PLANE.replace("--radius 9 ", "")),
            "--groups does not go with --ball auto",
        ),
        (format!("{by} --statistic median {PLANE}"), "--by does not go with a geometric-median"),
        (format!("--by team --groups a,,b {PLANE}"), "a name is empty"),
        (format!("--by team --groups a,b,a {PLANE}"), "a stands twice"),
        (format!("--by team {PLANE}"), "--groups"),
        (format!("--groups a,b {PLANE}"), "--by"),
        (format!("{by} --output a.txt {PLANE}"), "--output a.txt"),
    ] {
        let said = folder.refusal(&format!("mean nowhere.csv {arguments}"));
        assert!(said.contains(reason) && !said.contains("No such file"), "{arguments}: {said}");
    }
}

#[test]
fn a_record_without_a_group_is_named() {
    let folder = Folder::new();
    folder.file("all.csv", "team,x,y\na,1,2\n,1,2\n");
    let said = folder.refusal(&format!("mean all.csv --by team --groups a,b {PLANE}"));
    assert!(said.contains("record 2 (line 3): the key of the person or group is missing"), "{said}");
    let said = folder.refusal(&format!("mean all.csv --by squad --groups a,b {PLANE}"));
    assert!(said.contains("squad"), "{said}");
}

/// A record with a missing or invalid key is in no group if the user does not want an error.
#[test]
fn records_without_a_key_are_in_no_group_if_the_user_says_so() {
    let folder = Folder::new();
    folder.file("all.csv", &records("team,x,y\n", 20));
    let command = |more: &str| format!("mean all.csv --by team --groups a,b {PLANE} --seed 1 {more}");
    let drop = "--missing drop";
    let replace = "--on-invalid replace-with-center";
    let expected = folder.printed(&command(drop));
    assert_eq!(folder.printed(&command(replace)), expected);
    for (line, may_be_dropped) in [(",1,1", true), ("NA,2,2", true), ("a", false), ("", true)] {
        folder.file("all.csv", &(records("team,x,y\n", 20) + line + "\n"));
        if may_be_dropped {
            assert_eq!(folder.printed(&command(drop)), expected, "{line:?}");
        }
        if !line.starts_with('a') {
            assert_eq!(folder.printed(&command(replace)), expected, "{line:?}");
        }
        folder.printed(&command(replace)); // no error, whatever it holds
    }
    folder.file("all.csv", &(records("team,x,y\n", 20) + ",1,1\n"));
    assert!(folder.refusal(&command("")).contains("record 61 (line 62): the key of the person or group is missing"));
    // what follows is named by its own number in the file
    folder.file("all.csv", &records("team,x,y\n,1,1\n", 1).replace("c,0,0", "c,0"));
    let said = folder.refusal(&command(drop));
    assert!(said.contains("record 4 (line 5)"), "{said}");
}

/// The code of Namibia is a text like any other, in text and in tables.
#[test]
fn na_is_a_group() {
    let folder = Folder::new();
    folder.file("all.csv", &records("team,x,y\n", 20));
    let values = |groups: &str, more: &str| {
        let command = format!("mean all.csv --by team --groups {groups} {PLANE} --seed 1 {more}");
        let groups = folder.json(&command)["groups"].as_array().unwrap().clone();
        groups.iter().map(|group| group["release"]["value"].clone()).collect::<Vec<_>>()
    };
    let expected = values("a,b", "");
    folder.file("all.csv", &records("team,x,y\n", 20).replace("a,", "NA,").replace("b,", "null,"));
    for more in ["", "--missing drop", "--missing center", "--on-invalid replace-with-center"] {
        assert_eq!(values("NA,null", more), expected, "{more}");
    }
}

#[test]
fn keys_of_arrays_that_are_in_no_group_change_nothing() {
    let folder = Folder::new();
    let array = |name: &str, rows: &[[f64; 2]]| {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, 2), }}\n", rows.len());
        let data: Vec<u8> = rows.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let bytes = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &data].concat();
        std::fs::write(folder.0.path().join(name), bytes).unwrap();
    };
    let usual = [[1.0, 0.5], [2.0, 0.25], [1.0, -0.5], [3.0, 7.0]];
    let command = |more: &str| {
        format!(
            "mean all.npy --by 1 --groups 1,2 --manifold euclidean:1 --radius 9 --epsilon 2 --adjacency add-remove \
             --n-guess 100 --seed 1 {more}"
        )
    };
    array("all.npy", &usual);
    let expected = folder.printed(&command("--on-invalid replace-with-center"));
    for key in [3.5, 2f64.powi(60), f64::INFINITY, f64::NAN] {
        array("all.npy", &[&[[key, 1.0]], &usual[..]].concat());
        assert_eq!(folder.printed(&command("--on-invalid replace-with-center")), expected, "{key}");
        match key.is_nan() {
            true => assert!(folder.refusal(&command("")).contains("record 1")), // it is missing
            false => assert_eq!(folder.printed(&command("")), expected, "{key}"),
        }
        assert!(folder.run(&command("--missing drop")).status.success(), "{key}");
    }
}

#[test]
fn every_group_may_have_a_guess_of_its_own() {
    let folder = Folder::new();
    folder.file("all.csv", &records("team,x,y\n", 20));
    let plane = PLANE.replace("--n-guess 100", "");
    let command = |guess: &str| format!("mean all.csv --by team --groups a,b {plane} --seed 1 --n-guess {guess}");
    assert_eq!(folder.printed(&command("100,100")), folder.printed(&command("100")));
    let two = folder.json(&command("100,10"));
    let guess = |i: usize| two["groups"][i]["release"]["n_guess"].as_u64().unwrap();
    assert_eq!([guess(0), guess(1)], [100, 10]);
    assert_eq!(two["groups"][0], folder.json(&command("100"))["groups"][0]);
    let printed = folder.printed(&(command("100,10") + " --details"));
    // what differs is said of each group
    assert!(printed.contains("mechanism       a: ") && printed.contains("\n                b: "), "{printed}");
    for words in ["expected error a: ", "for a group of 100 records", "for a group of 10 records"] {
        assert!(crate::one_line(&printed).contains(words), "{printed}");
    }
    assert!(folder.refusal(&command("100,10,5")).contains("--n-guess has 3 numbers for 2 groups"));
    let alone = folder.refusal(&format!("mean all.csv --columns x,y {plane} --n-guess 100,10"));
    assert!(alone.contains("several are for the groups of --by"), "{alone}");
}

/// A large and a small group get noise by different mechanisms: whichever is named first, what covers both is said of
/// all and counted.
#[test]
fn what_covers_every_group_is_said_and_counted_in_every_order() {
    let folder = Folder::new();
    let row = |i: usize| {
        let place = |k: usize| format!("{:.3}", 0.6 * ((i * 37 + k * 101) % 1000) as f64 / 1000.0 - 0.3);
        let values = (0..6).map(place).collect::<Vec<_>>().join(",");
        format!("{values},{}\n", if i < 1000 { "A" } else { "B" })
    };
    folder.file("g.csv", &("x0,x1,x2,x3,x4,x5,g\n".to_owned() + &(0..1010).map(row).collect::<String>()));
    folder.printed("ledger new pure.db --data x --epsilon 1 --adjacency add-remove");
    let mut found = vec![];
    for (order, guesses) in [("A,B", "1000,10"), ("B,A", "10,1000")] {
        let mean = format!(
            "mean g.csv --columns x0,x1,x2,x3,x4,x5 --by g --groups {order} --n-guess {guesses} --adjacency add-remove \
             --manifold euclidean:6 --radius 1 --epsilon 1 --delta 1e-6"
        );
        // a ledger of pure ε counts no δ
        let refused = folder.refusal(&format!("{mean} --ledger pure.db"));
        assert!(refused.contains("delta"), "{refused}");
        let name = format!("{}.db", order.replace(',', ""));
        folder.printed(&format!("ledger new {name} --data x --epsilon 1 --delta 1e-6 --adjacency add-remove"));
        let json = folder.json(&format!("{mean} --ledger {name}"));
        let guarantee = json["guarantee"].clone();
        assert_eq!(guarantee, serde_json::json!({"definition": "approximate", "epsilon": 1.0, "delta": 1e-6}));
        for group in json["groups"].as_array().unwrap() {
            assert_eq!(group["release"]["ledger"], json["groups"][0]["release"]["ledger"], "one entry for all");
        }
        let book: Value = folder.json(&format!("ledger show {name}"));
        let entry = &book["entries"][0];
        assert_eq!((&entry["guarantee"], &entry["status"]), (&guarantee, &Value::from("released")), "{order}");
        let of_parts: Vec<&str> = (entry["event"]["parts"].as_array().unwrap().iter())
            .map(|part| part["mechanism"].as_str().unwrap())
            .collect();
        assert!(of_parts.contains(&"laplace") && of_parts.contains(&"karcher-flow"), "{of_parts:?}");
        found.push((guarantee, json["numerics"].clone(), json["replace_one"].clone()));
        let printed = folder.printed(&mean);
        assert!(printed.contains("approximate differential privacy with epsilon 1.0 and delta 1e-6"), "{printed}");
    }
    assert_eq!(found[0], found[1]);
}
