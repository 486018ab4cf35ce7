//! `karcher start` without a terminal: options answer all questions. A script tries it in a terminal (`make oracles`).

use assert_cmd::Command;
use std::path::Path;

fn karcher(folder: &Path, arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("karcher").unwrap().current_dir(folder).args(arguments).output().unwrap()
}

fn example(name: &str) -> String {
    format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The options that answer all questions about the cities, except those that a test is about.
const ANSWERS: [&str; 12] = [
    "--manifold",
    "sphere:2",
    "--one-record-each",
    "--statistic",
    "mean",
    "--center",
    "25,80",
    "--radius",
    "0.9",
    "--n",
    "100",
    "--epsilon=1",
];

fn start(folder: &Path, answers: &[&str]) -> std::process::Output {
    karcher(folder, &[&["start", &example("cities.csv")], answers].concat())
}

/// What is printed releases the mean: the specification, the command, and the command without it.
#[test]
fn what_it_prints_runs() {
    let folder = tempfile::tempdir().unwrap();
    let output = start(folder.path(), &ANSWERS);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let commands: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("  karcher ")).collect();
    assert_eq!(commands.len(), 3, "{printed}");
    let released = commands.into_iter().take(2).map(|command| {
        let arguments: Vec<&str> = command.split(' ').chain(["--seed", "5", "--json"]).collect();
        let output = karcher(folder.path(), &arguments);
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()["value"].clone()
    });
    let released: Vec<_> = released.collect();
    assert_eq!(released[0], released[1]);
    for words in ["about 100 records", "epsilon 1.0", "0.9 from 25,80", "expected error by the noise is 0.05"] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
}

/// Each statistic and each kind of knowledge makes a specification.
#[test]
fn every_purpose_and_place_makes_a_specification() {
    let folder = tempfile::tempdir().unwrap();
    let common = ["--manifold", "sphere:2", "--one-record-each", "--n", "1000", "--mu", "1", "--force"];
    for (answers, written) in [
        ("--statistic mean --anywhere", "extrinsic-mean"),
        ("--statistic mean-and-spread --center 25,80 --radius 3000km", "\"spread\""),
        ("--statistic median --center 25,80 --radius 3000km", "geometric-median"),
        ("--statistic mean --center 25,80 --within 1.5 --expected-spread 0.3", "\"within\""),
    ] {
        let answers: Vec<&str> = common.into_iter().chain(answers.split(' ')).collect();
        let output = start(folder.path(), &answers);
        assert!(output.status.success(), "{answers:?}: {}", String::from_utf8_lossy(&output.stderr));
        let spec = std::fs::read_to_string(folder.path().join("spec.json")).unwrap();
        assert!(spec.contains(written), "{written}: {spec}");
    }
}

/// Columns in another unit need an option of the release, which the questions take and pass on.
#[test]
fn factors_of_units_reach_the_release() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("days.csv"), "hour_utc\n1\n13\n").unwrap();
    let options = "start days.csv --manifold torus:1 --layout degrees --one-record-each --statistic mean --anywhere --n \
                   100 --epsilon 1";
    let arguments: Vec<&str> = options.split(' ').filter(|word| !word.is_empty()).collect();
    let refused = karcher(folder.path(), &arguments);
    assert!(String::from_utf8(refused.stderr).unwrap().contains("give --multiply-by 15, or --trust-layout"));
    let output = karcher(folder.path(), &[&arguments[..], &["--multiply-by", "15"]].concat());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("We will publish the private extrinsic mean of about 100 records"), "{printed}");
    let commands: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("  karcher ")).collect();
    for command in commands.into_iter().take(2) {
        let arguments: Vec<&str> = command.split(' ').chain(["--seed", "5"]).collect();
        let output = karcher(folder.path(), &arguments);
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A place that does not go with what is published is refused in the words of the questions.
#[test]
fn a_place_has_to_go_with_the_purpose() {
    let folder = tempfile::tempdir().unwrap();
    let common = ["--manifold", "sphere:2", "--one-record-each", "--n", "1000", "--mu", "1"];
    for (answers, sentence) in [
        ("--statistic mean-and-spread --anywhere", "a spread needs a ball: answer with --radius or --within"),
        ("--statistic median --center 25,80 --within 1 --expected-spread 0.1", "a ball is located for means only"),
    ] {
        let answers: Vec<&str> = common.into_iter().chain(answers.split(' ')).collect();
        let said = String::from_utf8(start(folder.path(), &answers).stderr).unwrap();
        assert!(said.contains(sentence) && !said.contains("--spread"), "{said}");
    }
}

/// Nothing is written where a question has no answer, and the refusal names the options that would answer it.
#[test]
fn without_a_terminal_a_missing_answer_is_refused_by_its_option() {
    let folder = tempfile::tempdir().unwrap();
    for (missing, options) in [
        ("--manifold", "--manifold, --layout and --columns"),
        ("--one-record-each", "--one-record-each or --person COLUMN"),
        ("--statistic", "--statistic"),
        ("--radius", "--center and --radius, --anywhere"),
        ("--n", "--n"),
        ("--epsilon=1", "--epsilon, with --delta if need be, or --mu"),
    ] {
        let at = ANSWERS.iter().position(|one| *one == missing).unwrap();
        let alone = ["--one-record-each", "--epsilon=1"].contains(&missing);
        let answers = [&ANSWERS[..at], &ANSWERS[at + if alone { 1 } else { 2 }..]].concat();
        let output = start(folder.path(), &answers);
        let sentence = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && sentence.contains(options), "{missing}: {sentence}");
        assert!(!folder.path().join("spec.json").exists(), "{missing}");
    }
}

/// What it prints does not depend on the values of records.
#[test]
fn values_are_not_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let printed = |rows: &str| {
        let file = folder.path().join("cities.csv");
        std::fs::write(&file, format!("city,latitude,longitude\n{rows}")).unwrap();
        let arguments = [&["start", "cities.csv", "--force"], &ANSWERS[..]].concat();
        let output = karcher(folder.path(), &arguments);
        (output.status.code(), output.stdout, output.stderr)
    };
    let one = printed("Tokyo,35.7,139.7\n");
    assert_eq!(one.0, Some(0));
    assert_eq!(one, printed("A,1,2\nB,3,4\n"));
    assert_eq!(one, printed("A,no number,\nB,3,4\n"));
}

/// What a user types is refused where it is given, before anything is written, with the option that is wrong.
#[test]
fn an_answer_that_the_release_would_refuse_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (option, wrong, sentence) in [
        ("--center", "25,80,3", "--center"),
        ("--center", "95,80", "--center"),
        ("--radius", "far", "expected a number"),
        ("--radius", "-1", "radius"),
        ("--n", "0", "must be positive"),
    ] {
        let at = ANSWERS.iter().position(|one| *one == option).unwrap();
        let answers = [&ANSWERS[..at + 1], &[wrong], &ANSWERS[at + 2..ANSWERS.len() - 1]].concat();
        // no budget is given, and it is not asked for
        let output = start(folder.path(), &answers);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(sentence), "{option} {wrong}: {said}");
        assert!(!said.contains("budget?") && !folder.path().join("spec.json").exists(), "{option} {wrong}: {said}");
    }
}

/// Columns that the file does not have, or that say something else, are refused; so is a column of persons.
#[test]
fn columns_are_checked_against_the_header() {
    let folder = tempfile::tempdir().unwrap();
    let rest = &ANSWERS[3..];
    for (answers, sentence) in [
        ("--manifold sphere:2 --columns latitude,length --layout latlon --one-record-each", "length"),
        ("--manifold sphere:2 --columns longitude,latitude --layout latlon --one-record-each", "latitude,longitude"),
        ("--manifold sphere:2 --columns latitude --layout latlon --one-record-each", "numbers"),
        ("--manifold euclidean:7 --one-record-each", "5"),
        ("--manifold sphere:2 --person nobody", "nobody"),
        ("--manifold sphere:2 --person latitude", "latitude"),
    ] {
        let answers: Vec<&str> = answers.split(' ').chain(rest.iter().copied()).collect();
        let output = start(folder.path(), &answers);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains(sentence), "{answers:?}: {said}");
        assert!(!folder.path().join("spec.json").exists(), "{answers:?}");
    }
    let answers: Vec<&str> = "--manifold sphere:2 --person country".split(' ').chain(rest.iter().copied()).collect();
    let output = start(folder.path(), &answers);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout).unwrap().contains("--person=country"));
}

/// Columns of texts in a file with types are no numbers of a record, and may be keys of persons.
#[cfg(feature = "parquet")]
#[test]
fn columns_of_texts_are_left_out_of_records() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy("tests/rows/places.parquet", folder.path().join("places.parquet")).unwrap();
    let answers = "--manifold sphere:2 --person subject --statistic mean --center 2,5 --radius 0.1 --n 3 --epsilon 1";
    let answers: Vec<&str> = ["start", "places.parquet"].into_iter().chain(answers.split(' ')).collect();
    let output = karcher(folder.path(), &answers);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).unwrap();
    let run = printed.lines().find_map(|line| line.strip_prefix("  karcher run ")).unwrap();
    assert!(run.ends_with("--columns=lat,lon --layout latlon --person=subject"), "{run}");
    let words: Vec<&str> = ["run"].into_iter().chain(run.split(' ')).chain(["--seed", "1"]).collect();
    let output = karcher(folder.path(), &words);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// How a text file is written is told to every command that is printed.
#[test]
fn options_of_text_files_are_handed_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("t.txt"), "made by hand\n25.5|80.25\n24|81\n").unwrap();
    let form = ["--header=no", "--delimiter=|", "--skip-lines=1", "--layout=latlon"];
    let output = karcher(folder.path(), &[&["start", "t.txt"], &form[..], &ANSWERS].concat());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let commands: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("  karcher ")).collect();
    for command in &commands[..2] {
        let words: Vec<String> = command.split(' ').map(|word| word.replace('\'', "")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--seed", "5", "--json"]).collect();
        let output = karcher(folder.path(), &words);
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Where there is no terminal the refusal has the options of the best proposal, in any order of columns and names.
#[test]
fn the_header_suggests_options_where_no_one_can_be_asked() {
    let folder = tempfile::tempdir().unwrap();
    let suggested = |header: &str| {
        std::fs::write(folder.path().join("t.csv"), format!("{header}\n")).unwrap();
        let said = String::from_utf8(karcher(folder.path(), &["start", "t.csv"]).stderr).unwrap();
        said.split_once("the header suggests ").map(|(_, options)| options.trim().to_owned())
    };
    for (header, options) in [
        ("id,lon,lat", "--manifold sphere:2 --columns=lat,lon --layout latlon"),
        ("lat,lon", "--manifold sphere:2 --layout latlon"),
        ("\"a, b\",other,trend,plunge", "--manifold projective:2 --columns=trend,plunge --layout trend-plunge"),
        ("site,qx,qy,qz,qw", "--manifold rotations:3 --columns=qx,qy,qz,qw --layout quaternions-last"),
    ] {
        assert_eq!(suggested(header).as_deref(), Some(options), "{header}");
    }
    assert_eq!(suggested("height,weight,pulse"), None);
}
