//! The console samples of README and guide are what the command prints. Numbers may differ by a relative 1e-6: they are
//! rounded to seven digits.

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

#[test]
fn the_guide_shows_what_the_command_prints() {
    let mut files = vec![root().join("README.md")];
    files.extend(std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    let (mut found, folder) = (0, workplace());
    for file in files.iter().filter(|file| file.extension().is_some_and(|e| e == "md")) {
        for (command, shown) in samples(&std::fs::read_to_string(file).unwrap()) {
            let output =
                Command::cargo_bin("karcher").unwrap().args(arguments(&command)).current_dir(&folder).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            assert!(agree(&shown, &printed), "{}: karcher {command}\nprints\n{printed}\nnot\n{shown}", file.display());
            found += 1;
        }
    }
    assert!(found >= 10, "only {found} samples were found");
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

/// Those about the examples, and those that need no records, run as they stand, one after the other, so that one may
/// read what another wrote.
#[test]
fn commands_of_the_guide_run() {
    let (mut found, mut rough_found) = (0, false);
    for file in ["README.md", "docs/command-line.md", "docs/manifolds.md", "docs/report.md"] {
        let folder = workplace();
        for command in commands(&std::fs::read_to_string(root().join(file)).unwrap()) {
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
    assert!(found >= 11, "only {found} commands were found");
}

/// Examples are to be copied: they run as they stand.
#[test]
fn examples_of_the_help_run() {
    let folder = workplace();
    let karcher = || Command::cargo_bin("karcher").unwrap();
    let commands = String::from_utf8(karcher().arg("--help").output().unwrap().stdout).unwrap();
    let (_, commands) = commands.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.strip_prefix("  "));
    let commands: Vec<&str> = commands.filter_map(|line| line.split_once(' ')).map(|(name, _)| name).collect();
    for subcommand in commands.into_iter().filter(|name| !["", "help"].contains(name)) {
        let help = String::from_utf8(karcher().args([subcommand, "--help"]).output().unwrap().stdout).unwrap();
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
