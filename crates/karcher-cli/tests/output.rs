//! Where releases go: no budget is spent on a release that cannot be kept, and no kept release is lost.

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder with a file of records.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("records.csv"), "0.1,0.2\n0.3,0.1\n0.2,0.2\n").unwrap();
    folder
}

fn mean(folder: &TempDir) -> Command {
    let mut command = Command::new(cargo_bin("karcher"));
    command.args(["mean", "records.csv", "--manifold", "euclidean:2", "--radius", "1", "--epsilon", "1"]);
    command.current_dir(folder);
    command
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn assert_refused(output: &Output, part: &str) {
    assert_eq!(output.status.code(), Some(1), "{}", told(output));
    assert!(output.stdout.is_empty(), "a release was made: {}", String::from_utf8_lossy(&output.stdout));
    assert!(told(output).contains(part) && told(output).lines().count() == 1, "{}", told(output));
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_spent() {
    let folder = folder();
    for (path, part) in [
        ("nosuchdir/x.json", "nosuchdir/x.json"),
        ("records.csv", "would replace an input"),
        ("x.xml", "the extension must be .json, .npy or .csv"),
        ("x", "the extension must be .json, .npy or .csv"),
    ] {
        let output = mean(&folder).args(["--output", path, "--force"]).output().unwrap();
        assert_refused(&output, part);
        assert!(told(&output).starts_with("error: --output"), "{}", told(&output));
    }
    assert_eq!(names(&folder), ["records.csv"]);
    // before a record is read, even
    fs::remove_file(folder.path().join("records.csv")).unwrap();
    assert_refused(&mean(&folder).args(["--output", "nosuchdir/x.json"]).output().unwrap(), "nosuchdir/x.json");
    assert_refused(&mean(&folder).args(["--output", "x.json"]).output().unwrap(), "records.csv");
    assert_eq!(names(&folder), [""; 0], "a refusal leaves a file");
}

#[test]
fn a_file_is_replaced_only_by_force() {
    let folder = folder();
    let path = folder.path().join("x.json");
    fs::write(&path, "mine").unwrap();
    assert_refused(&mean(&folder).args(["--output", "x.json"]).output().unwrap(), "--force");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    assert!(mean(&folder).args(["--output", "x.json", "--force"]).status().unwrap().success());
    let release: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(release["n"], 3);
    assert_eq!(mean(&folder).args(["--force"]).output().unwrap().status.code(), Some(2), "--force without --output");
}

#[test]
#[cfg(unix)]
fn records_are_never_written_over_by_another_name() {
    let folder = folder();
    let records = fs::read_to_string(folder.path().join("records.csv")).unwrap();
    fs::hard_link(folder.path().join("records.csv"), folder.path().join("hard.csv")).unwrap();
    std::os::unix::fs::symlink("records.csv", folder.path().join("soft.csv")).unwrap();
    for link in ["hard.csv", "soft.csv"] {
        let output = mean(&folder).args(["--output", link, "--force"]).output().unwrap();
        assert_refused(&output, "would replace an input");
    }
    assert_eq!(fs::read_to_string(folder.path().join("records.csv")).unwrap(), records);
}

#[test]
fn a_folder_that_is_read_is_not_written_to() {
    let folder = folder();
    fs::create_dir(folder.path().join("records")).unwrap();
    fs::rename(folder.path().join("records.csv"), folder.path().join("records/1.csv")).unwrap();
    fs::write(folder.path().join("records/2.csv"), "0.4,0.4\n").unwrap();
    let run = |command: &str| {
        let command = format!("{command} --manifold euclidean:2 --radius 1 --epsilon 1");
        Command::new(cargo_bin("karcher")).args(command.split(' ')).current_dir(&folder).output().unwrap()
    };
    let absolute = folder.path().join("records/2.csv");
    for output in ["records/2.csv", "records/new.csv", "records/../records/new.json", absolute.to_str().unwrap()] {
        for read in ["records", "records/", "./records"] {
            let output = run(&format!("mean {read} --output {output} --force"));
            assert_refused(&output, "is read, so it would replace a record");
        }
    }
    let regress = "regress records --columns 1-2 --predictor 1 --predictor-range 0 1 --slope-bound 1";
    assert_refused(&run(&format!("{regress} --output records/new.csv")), "is read, so");
    let images = ["describe", "records", "--output", "records/new.npy"];
    let output = Command::new(cargo_bin("karcher")).args(images).current_dir(&folder).output().unwrap();
    assert_refused(&output, "is read, so");
    assert_eq!(fs::read_to_string(folder.path().join("records/2.csv")).unwrap(), "0.4,0.4\n");
    assert_eq!(fs::read_dir(folder.path().join("records")).unwrap().count(), 2);
    // outside the folder, or in it when its files are named one by one, an output does no harm
    assert!(run("mean records --output new.csv").status.success());
    assert!(run("mean records/1.csv records/2.csv --output records/new.json").status.success());
}

/// A device that has no space left.
#[cfg(target_os = "linux")]
fn full() -> Stdio {
    Stdio::from(File::options().write(true).open("/dev/full").unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn a_release_that_cannot_be_printed_is_in_its_file_and_the_failure_is_told() {
    let folder = folder();
    let output = mean(&folder).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("its privacy budget is spent, but it could not be printed"), "{}", told(&output));
    let output = mean(&folder).args(["--output", "x.json"]).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("it is in x.json, but could not be printed"), "{}", told(&output));
    let release: Value = serde_json::from_slice(&fs::read(folder.path().join("x.json")).unwrap()).unwrap();
    assert_eq!(release["value"].as_array().unwrap().len(), 2);
}

/// Standard output whose reader has closed it.
#[cfg(unix)]
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    Stdio::from(writer)
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_a_failure_only_where_a_release_is_lost() {
    let folder = folder();
    let output = mean(&folder).stdout(closed()).output().unwrap();
    assert!(output.status.code() == Some(1) && told(&output).contains("could not be printed"), "{}", told(&output));
    let output = mean(&folder).args(["--output", "x.npy"]).stdout(closed()).output().unwrap();
    assert!(output.status.success() && told(&output).is_empty(), "{}", told(&output));
    let plan = ["plan", "--manifold", "sphere:2", "--n", "9", "--radius", "1", "--epsilon", "1"];
    for arguments in [&plan[..], &["--help"], &["completions", "bash"]] {
        let status = Command::new(cargo_bin("karcher")).args(arguments).stdout(closed()).status().unwrap();
        assert!(status.success(), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_error_changes_no_exit_code() {
    let folder = folder();
    let code = |command: &mut Command| command.stdout(Stdio::null()).stderr(full()).status().unwrap().code();
    assert_eq!(code(&mut mean(&folder)), Some(0));
    assert_eq!(code(mean(&folder).args(["--delta", "0.9"])), Some(0), "a warning");
    assert_eq!(code(mean(&folder).args(["--output", "nosuchdir/x.json"])), Some(1));
    assert_eq!(code(Command::new(cargo_bin("karcher")).arg("median")), Some(2));
    let help = Command::new(cargo_bin("karcher")).arg("--help").stdout(full()).output().unwrap();
    assert!(help.status.code() == Some(1) && told(&help).contains("standard output"), "{}", told(&help));
}

/// The address space of a folder that is full: a file system of its own would take rights that tests do not have, so
/// files may only have 4096 bytes here.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_the_old_file_and_the_release_in_print() {
    let folder = folder();
    let wide = format!("{}\n", vec!["0.1"; 2000].join(","));
    fs::write(folder.path().join("records.csv"), &wide).unwrap();
    fs::write(folder.path().join("x.npy"), "good").unwrap();
    let script = "trap '' XFSZ; ulimit -f 4; exec \"$@\"";
    let output = Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(cargo_bin("karcher"))
        .args(["mean", "records.csv", "--manifold", "euclidean:2000", "--radius", "1", "--epsilon", "1", "--json"])
        .args(["--output", "x.npy", "--force"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(told(&output).contains("it was printed, but not written to --output"), "{}", told(&output));
    let release: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(release["value"].as_array().unwrap().len(), 2000);
    assert_eq!(fs::read_to_string(folder.path().join("x.npy")).unwrap(), "good");
    assert_eq!(names(&folder), ["records.csv", "x.npy"]);
}

/// Ctrl-C while a chain runs that takes minutes.
#[test]
#[cfg(unix)]
fn an_interrupted_release_leaves_no_file() {
    let folder = folder();
    let landmarks: Vec<String> = (0..200).map(|i| format!("{}", (f64::from(i) * 0.7).sin())).collect();
    let shapes = format!("{}\n", landmarks.join(",")).repeat(300);
    fs::write(folder.path().join("records.csv"), shapes).unwrap();
    fs::write(folder.path().join("center.csv"), landmarks.join(",")).unwrap();
    // What the background of a shell starts has SIGINT ignored, and the program leaves it so.
    let karcher = cargo_bin("karcher");
    let with_default_signals = ["env", "--default-signal", karcher.to_str().unwrap()];
    let command = if cfg!(target_os = "linux") { &with_default_signals[..] } else { &with_default_signals[2..] };
    for signal in ["-INT", "-TERM", "-HUP"] {
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .args(["mean", "records.csv", "--manifold", "kendall:100", "--center", "center.csv", "--radius", "0.2"])
            .args(["--epsilon", "1", "--mechanism", "kng", "--output", "x.json"])
            .current_dir(&folder)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while names(&folder).len() == 2 {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::yield_now();
        }
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(!child.wait().unwrap().success());
        assert_eq!(names(&folder), ["center.csv", "records.csv"], "{signal}");
    }
}

#[test]
fn long_values_are_abridged_only_where_the_file_has_them() {
    let folder = folder();
    let matrix: Vec<String> = (0..144).map(|i| if i % 13 == 0 { "1" } else { "0" }.to_owned()).collect();
    fs::write(folder.path().join("records.csv"), matrix.join(",")).unwrap();
    let run = |epsilon: &str, more: &[&str]| {
        let mut command = Command::new(cargo_bin("karcher"));
        command.args([
            "mean",
            "records.csv",
            "--manifold",
            "spd-log-euclidean:12",
            "--center",
            "origin",
            "--radius",
            "1",
        ]);
        let output = command
            .args(["--seed", "1", "--details", "--epsilon", epsilon])
            .args(more)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", told(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let numbers = |text: &str| text.split_whitespace().filter(|word| word.parse::<f64>().is_ok()).count();
    let plain = |file: &'static str| ["--denoise", "none", "--output", file];
    let (whole, abridged) = (run("1e3", &["--denoise", "none"]), run("1e3", &plain("x.csv")));
    assert!(numbers(&whole) > 144 && !whole.contains('…'), "{whole}");
    assert!(abridged.contains("(abridged: all 144 numbers are in x.csv)") && numbers(&abridged) < 40, "{abridged}");
    let kept: Vec<Vec<f64>> = fs::read_to_string(folder.path().join("x.csv"))
        .unwrap()
        .lines()
        .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    assert_eq!((kept.len(), kept.concat().len()), (12, 144));
    // the logarithm of a matrix that goes beyond the range of numbers is in the whole release alone
    let logarithm = |text: &str| numbers(text.split_once("its logarithm").unwrap().1.split_once("region").unwrap().0);
    assert_eq!(logarithm(&run("1", &plain("y.csv"))), 144);
    assert_eq!(logarithm(&run("1", &plain("y.npy"))), 144);
    assert!(logarithm(&run("1", &plain("y.json"))) < 40);
    // and so is the value before denoising
    let noisy =
        |text: &str| numbers(text.split_once("\nbefore denoising").unwrap().1.split_once("mechanism").unwrap().0);
    assert_eq!(noisy(&run("1e3", &[])), 144);
    assert_eq!(noisy(&run("1e3", &["--output", "z.csv"])), 144);
    assert!(noisy(&run("1e3", &["--output", "z.json"])) < 40);
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new(cargo_bin("karcher")).args(arguments).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", told(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let commands =
        ["mean", "locate", "regress", "plan", "sensitivity", "calibrate", "profile", "convert", "audit", "describe"];
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]);
        assert!(commands.iter().all(|command| script.contains(command)), "{shell}");
    }
    run(&["man", "pages/man1"]);
    run(&["man", "pages/man1"]);
    let pages: PathBuf = folder.path().join("pages/man1");
    let page = |name: &str| fs::read_to_string(Path::new(&pages).join(name)).unwrap();
    assert!(
        commands.iter().all(|command| page(&format!("karcher-{command}.1")).starts_with(".ie")),
        "{}",
        page("karcher.1")
    );
    assert!(page("karcher-mean.1").contains("manifold"));
    fs::write(folder.path().join("file"), "").unwrap();
    let output = Command::new(cargo_bin("karcher")).args(["man", "file/x"]).current_dir(&folder).output().unwrap();
    assert_refused(&output, "file/x: the manual pages cannot be written");
}
