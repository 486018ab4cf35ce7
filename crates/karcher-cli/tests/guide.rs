//! The console samples of README and guide are the output of the command. Numbers may differ by a relative 1e-6: they
//! are rounded to seven digits.

use assert_cmd::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const TOLERANCE: f64 = 1e-6;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with the examples, where files that commands write do no harm.
fn workplace() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let examples = folder.path().join("examples");
    std::fs::create_dir(&examples).unwrap();
    for entry in std::fs::read_dir(root().join("examples")).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), examples.join(entry.file_name())).unwrap();
        }
    }
    folder
}

/// Commands after `$ karcher` in blocks of the language `console`, each with the lines it prints.
fn samples(text: &str) -> Vec<(String, String)> {
    let mut samples: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line.strip_prefix("$ karcher ") {
            _ if line.starts_with("```") => inside = line == "```console",
            Some(command) if inside => samples.push((command.to_owned(), String::new())),
            _ if inside => {
                let (_, output) = samples.last_mut().expect("a block begins with a command");
                *output += &format!("{line}\n");
            }
            _ => {}
        }
    }
    samples
}

/// The same words, and numbers as near as rounding allows.
fn agree(a: &str, b: &str) -> bool {
    let words = |text: &str| text.split_whitespace().map(|w| w.trim_end_matches([',', ';']).to_owned()).collect();
    let (a, b): (Vec<String>, Vec<String>) = (words(a), words(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| {
        a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if (a - b).abs() <= TOLERANCE * a.abs())
    })
}

/// Adds the pages of a folder of the guide, and of the folders in it.
fn add_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            add_pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

/// The README and all pages of these folders.
fn pages(folders: &[&str]) -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    folders.iter().for_each(|folder| add_pages(&root().join(folder), &mut pages));
    pages.sort();
    pages
}

#[test]
fn the_guide_shows_what_the_command_prints() {
    let (mut found, folder) = (0, workplace());
    for file in pages(&["docs"]) {
        for (command, shown) in samples(&std::fs::read_to_string(&file).unwrap()) {
            let output =
                Command::cargo_bin("karcher").unwrap().args(arguments(&command)).current_dir(&folder).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            assert!(agree(&shown, &printed), "{}: karcher {command}\nprints\n{printed}\nnot\n{shown}", file.display());
            found += 1;
        }
    }
    assert!(found >= 30, "only {found} samples were found");
}

/// The arguments of a command as a shell hands them on: without the quotes around them.
fn arguments(command: &str) -> impl Iterator<Item = &str> {
    command.split_whitespace().map(|word| word.trim_matches('"'))
}

/// Commands `karcher …` in blocks of the language `sh`, in order, lines that go on put together, without comments.
fn commands(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let mut inside = false;
    let mut commands = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if let Some(command) = line.strip_prefix("karcher ").filter(|_| inside) {
            commands.push(command.split(" #").next().unwrap_or_default().to_owned());
        }
    }
    commands
}

/// Pages whose commands need files of the reader; other tests run such commands on their own files.
const ON_DATA_OF_THE_READER: [&str; 4] = ["describe.md", "large-data.md", "landmarks.md", "size-and-shape.md"];

/// Commands about the examples, or without records, run as printed. They run in order, so that one may read the output
/// of another.
#[test]
fn commands_of_the_guide_run() {
    let (mut found, mut rough_found) = (0, false);
    let mut files = pages(&["docs/start", "docs/tutorials", "docs/how-to", "docs/reference/spaces"]);
    files.extend(["command-line", "flags"].map(|name| root().join(format!("docs/reference/{name}.md"))));
    for file in files.iter().filter(|file| !ON_DATA_OF_THE_READER.iter().any(|name| file.ends_with(name))) {
        let (file, folder) = (file.display(), workplace());
        for command in commands(&std::fs::read_to_string(file.to_string()).unwrap()) {
            if command.split_whitespace().any(|word| word == "FILE") {
                continue; // a pattern
            }
            let mut karcher = Command::cargo_bin("karcher").unwrap();
            let output = karcher.args(arguments(&command)).current_dir(&folder).output().unwrap();
            assert!(output.status.success(), "{file}: karcher {command}: {}", String::from_utf8_lossy(&output.stderr));
            found += 1;
        }
        if let Ok(text) = std::fs::read_to_string(folder.path().join("rough.json")) {
            // the first of two steps is of use to the second, with its ball of 40°
            let rough: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert!(rough["expected_distance"].as_f64().unwrap() < 10f64.to_radians(), "{file}: {text}");
            rough_found = true;
        }
    }
    assert!(rough_found, "the two steps are gone");
    assert!(found >= 25, "only {found} commands were found");
}

/// What `--help` of a command prints.
fn help(command: &[&str]) -> String {
    let output = Command::cargo_bin("karcher").unwrap().args(command).arg("--help").output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// The names in the list of commands of a help, if it has one.
fn subcommands(help: &str) -> Vec<String> {
    let (_, list) = help.split_once("Commands:\n").unwrap_or_default();
    let lines = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
    let names = lines.filter_map(|line| line.split_once(' ')).map(|(name, _)| name.to_owned());
    names.filter(|name| !["", "help"].contains(&name.as_str())).collect()
}

/// Examples run as printed.
#[test]
fn examples_of_the_help_run() {
    let folder = workplace();
    let karcher = || Command::cargo_bin("karcher").unwrap();
    for subcommand in subcommands(&help(&[])) {
        let help = help(&[&subcommand]);
        let (_, examples) = help.split_once("\nExample").unwrap_or_else(|| panic!("{subcommand}: no example"));
        let examples = examples.split("\n\n").next().unwrap().replace("\\\n", " ");
        let examples: Vec<&str> = examples.lines().filter_map(|line| line.strip_prefix("  karcher ")).collect();
        assert!(!examples.is_empty(), "{subcommand}: no example");
        for example in examples {
            let output = karcher().args(example.split_whitespace()).current_dir(&folder).output().unwrap();
            assert!(output.status.success(), "karcher {example}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn samples_that_differ_are_noticed() {
    assert!(agree("mu 1.366562, best", "mu  1.3665622, best"));
    assert!(!agree("mu 1.366562", "mu 1.36657"));
    assert!(!agree("mu 1.366562", "rho 1.366562"));
    assert!(!agree("mu 1.366562", "mu 1.366562 more"));
}

#[path = "guide/embed_in_a_service.rs"]
mod embed_in_a_service;
#[path = "guide/first_release.rs"]
#[allow(dead_code)] // its `main`, which no test calls
mod first_release;
#[path = "guide/numbers.rs"]
mod numbers;
#[path = "guide/records_in_memory.rs"]
mod records_in_memory;

#[test]
fn rust_of_the_guide_stands_in_a_file_that_is_compiled() {
    let page = |name: &str| std::fs::read_to_string(root().join("docs").join(name)).unwrap();
    let of_reference = [include_str!("guide/first_release.rs"), include_str!("guide/records_in_memory.rs")];
    for (name, codes) in [
        ("reference/rust.md", &of_reference[..]),
        ("how-to/embed-in-a-service.md", &[include_str!("guide/embed_in_a_service.rs")]),
    ] {
        let text = page(name);
        let blocks: Vec<&str> = text.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
        assert_eq!(blocks.len(), codes.len(), "{name}");
        assert!(blocks.iter().zip(codes).all(|(block, code)| code.contains(block)), "{name}");
    }
}

#[test]
fn the_first_release_in_rust_is_that_of_the_command() {
    let (position, release) =
        first_release::mean_position(root().join("examples/vessels.csv").to_str().unwrap()).unwrap();
    assert!((40.0..60.0).contains(&position[0]) && (-60.0..-20.0).contains(&position[1]), "{position:?}");
    let said: serde_json::Value = serde_json::to_value(&release).unwrap();
    assert_eq!((said["n"].as_u64(), said["mechanism"].as_str()), (Some(400), Some("chart")));
    assert!((said["expected_distance"].as_f64().unwrap() * 6371.0 - 26.37).abs() < 0.01, "{said}");
}

#[test]
fn records_in_memory_are_released_counted_and_verified() {
    use karcher::privacy::Guarantee;
    let folder = tempfile::tempdir().unwrap();
    let total = Guarantee::pure(1.0).unwrap();
    let ledger = karcher_ledger::Ledger::create(folder.path().join("directions.db"), "directions", total).unwrap();
    let release = records_in_memory::mean_direction([0.6, 0.0, 0.8].repeat(1000), &ledger).unwrap();
    assert!(release.contains("\"spec\"") && release.contains("\"ledger\""), "{release}");
    assert_eq!(ledger.book().unwrap().left().to_string(), "epsilon 0.5");
}

#[test]
fn the_service_in_rust_answers_until_the_budget_is_spent() {
    use karcher::{Points, manifold::Euclidean, privacy::Guarantee};
    let folder = tempfile::tempdir().unwrap();
    let total = Guarantee::pure(1.0).unwrap();
    let path = folder.path().join("patients.db");
    let ledger = karcher_ledger::Ledger::create(&path, "patients", total).unwrap();
    let records = Points::new(&Euclidean::new(2).unwrap(), vec![0.5; 400]).unwrap();
    let answer = |radius, epsilon| embed_in_a_service::answer(&ledger, &records, radius, epsilon);
    let radius = answer(-1.0, 0.5).unwrap_err();
    assert!(radius.contains("radius") && radius.contains("-1"), "{radius}");
    assert_eq!(answer(4.0, 0.9).unwrap_err(), "epsilon is at most 0.8");
    let release = folder.path().join("release.json");
    std::fs::write(&release, answer(4.0, 0.8).unwrap()).unwrap();
    let verified =
        std::process::Command::new(env!("CARGO_BIN_EXE_karcher")).arg("verify").arg(&release).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    assert_eq!(answer(4.0, 0.8).unwrap_err(), "not enough of the budget is left");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(answer(4.0, 0.1).unwrap_err(), "the service cannot answer");
}

#[test]
fn a_ledger_of_persons_takes_what_the_page_about_services_says() {
    use karcher::privacy::Guarantee;
    use karcher::records::{Observations, PrivacyUnit, Records};
    use karcher::release::{Adjacency, StatisticName};
    use karcher::{Points, ReleaseContext, ReleaseSpec, Space, nonprivate::Persons, sampler::Generator};
    let folder = tempfile::tempdir().unwrap();
    let (unit, total) = (PrivacyUnit::Person, Guarantee::pure(1.0).unwrap());
    let path = folder.path().join("patients.db");
    let ledger =
        karcher_ledger::Ledger::create_for((unit, Adjacency::ReplaceOne), path, "patients 2026", total).unwrap();
    let mut spec = ReleaseSpec::new(StatisticName::FrechetMean, Guarantee::pure(0.5).unwrap());
    spec.manifold = Some(Space::named("euclidean:2"));
    spec.ball = Some(karcher::spec::BallSpec::Known { center: vec![0.0, 0.0], radius: 4.0 });
    spec.unit = unit;
    let (space, ball) = (spec.manifold().unwrap(), spec.public_ball().unwrap());
    let records = Points::new(&*space, vec![0.5; 800]).unwrap();
    let mut persons = Persons::new(space, &ball).unwrap();
    persons.add((0..400).map(|i| i / 2), Observations::new(&records)).unwrap();
    let contributions = persons.contributions().unwrap();
    let plan = spec.plan(contributions.count()).unwrap();
    plan.check(&contributions).unwrap();
    assert!(ledger.reservation(&plan.summary().event()).is_err()); // one of records
    let reservation = ledger.reservation(&plan.summary().event().of(unit)).unwrap();
    let mut context = ReleaseContext::new(reservation, Generator::from_os().unwrap());
    ledger.released(&plan.run(&contributions, &mut context).unwrap()).unwrap();
}

/// Options, wherever they occur on the cheat sheet, are those of its commands.
#[test]
fn the_cheat_sheet_names_commands_and_options_that_exist() {
    let sheet = std::fs::read_to_string(root().join("docs/pictures/cheat_sheet.py")).unwrap();
    let help = |command: &str| {
        let output = Command::cargo_bin("karcher").unwrap().args(command.split(' ')).arg("--help").output().unwrap();
        assert!(output.status.success(), "{command}");
        String::from_utf8(output.stdout).unwrap()
    };
    let commands =
        ["plan", "ledger new", "mean", "components", "regress", "kmeans", "locate", "count", "verify", "report"];
    let helps: String =
        commands.iter().chain(&["compare", "pool", "synthesize", "compose", "convert"]).map(|c| help(c)).collect();
    let options = sheet.split(|c: char| !c.is_ascii_lowercase() && c != '-').filter(|word| {
        word.starts_with("--") && word.len() > 3 && !["--help", "--pdf", "--format", "--seed"].contains(word)
    });
    let options: std::collections::BTreeSet<&str> = options.collect();
    assert!(options.len() > 15, "{options:?}");
    for option in options {
        assert!(helps.contains(&format!("{option} ")) || helps.contains(&format!("{option}\n")), "{option}");
    }
}
