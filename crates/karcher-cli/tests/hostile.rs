//! Hostile command lines: every command, with absurd, empty and enormous values for any option, and with options left
//! out, doubled or made up. Each ends with exit code 0, 1 or 2 and, if it is not 0, a sentence; none panics, aborts,
//! fills the memory or hangs.
//!
//! `KARCHER_HOSTILE_LINES=10000 cargo test -p karcher-cli --test all hostile:: -- --nocapture` runs more of them and
//! counts.

#![cfg(target_os = "linux")] // elsewhere `ulimit -v` may be ignored

use assert_cmd::cargo::cargo_bin;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Lines of an ordinary run.
const LINES: usize = 400;

/// Kilobytes of address space. A file of records is small here.
const MEMORY: &str = "2000000";

/// Time limit of a line. Each takes at most a few seconds on an idle machine.
const TIME: Duration = Duration::from_secs(120);

/// SplitMix64, so that a line can be had again.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

const COMMANDS: [&str; 27] = [
    "mean r.csv --manifold sphere:2 --columns x,y,z --radius 0.5 --epsilon 1 --center 1,0,0",
    "mean r.csv --manifold sphere:2 --columns 2-4 --center 1,0,0 --radius 20deg --epsilon 1 --delta 1e-6 --seed 3",
    "mean r.csv --manifold euclidean:3 --columns 2,3,4 --radius 2 --rho 0.5 --multiply-by 2 --output o.json --force",
    "mean r.csv --manifold hyperbolic:2 --columns 2-4 --radius 1 --epsilon 1 --on-invalid replace-with-center",
    "mean m.csv --manifold spd-affine-invariant:2 --layout upper-row --radius 1 --mu 1 --center origin --json",
    "mean m.csv --manifold spd-log-euclidean:2 --layout upper-row --radius 1 --mu 1 --center 2*identity --output o.csv",
    "mean m.csv --manifold spd-log-euclidean:2 --layout upper-column --radius 1 --epsilon 1 --center m.npy",
    "mean s.csv --manifold kendall:4 --layout blocked --radius 0.2 --epsilon 1 --center 0,1,1,0,0,0,1,1 --mechanism laplace",
    "mean s.csv --manifold kendall:4 --layout interleaved --radius 0.2 --mu 1 --center origin --mechanism karcher-flow --steps 3",
    "regress r.csv --manifold sphere:2 --columns x,y,z --predictor t --predictor-range 0 3 --center 1,0,0 --radius 0.5 --slope-bound 1 --epsilon 1",
    "regress r.csv --manifold euclidean:2 --columns x,y --predictor 1 --predictor-range 0 3 --radius 2 --slope-bound 1 --residual-bound 0.5 --mu 1 --predict-at 0,1 --json",
    "regress r.csv --manifold euclidean:1 --columns x --predictor t --predictor-range 0 3 --radius 2 --slope-bound 1 --epsilon 1 --mechanism gradient-descent --steps 2 --output o.npy --force",
    "sensitivity --manifold sphere:2 --radius 0.9 --n 100 --bound sharp",
    "sensitivity --manifold kendall:50 --radius 10deg --n 1e4 --json",
    "compose --of epsilon=0.3*10 --of mu=0.3*10 --delta 1e-6 --json",
    "calibrate --manifold sphere:2 --mechanism laplace --sensitivity 0.02 --epsilon 0.5",
    "calibrate --manifold hyperbolic:3 --mechanism gaussian --sensitivity 0.1 --mu 1 --json",
    "calibrate --manifold euclidean:3 --mechanism gaussian --sensitivity 0.1 --epsilon 0.5 --delta 1e-6 --calibration classical",
    "profile --manifold sphere:2 --mechanism gaussian --sensitivity 0.1 --scale 0.1 --epsilon 0.5 1 2",
    "plan --manifold sphere:2 --n 100 --radius 0.9 --epsilon 1 --delta 1e-6",
    "plan --manifold kendall:20 --radius 0.2 --epsilon 1 --delta 1e-6 --error 0.1",
    "plan --manifold sphere:2 --n 100 --radius 2000km --error 100km --json",
    "plan --manifold sphere:2 --n 100 --radius 0.5 --epsilon 1 --slope-bound 0.5 --residual-bound 0.2",
    "convert --epsilon 1 --delta 1e-6 --at-delta 1e-7 --at-epsilon 0.5",
    "audit --manifold sphere:2 --n 9 --radius 0.5 --epsilon 1 --releases 200 --error-probability 1e-3 --seed 1",
    "synthesize site.json --n 20 --spread 0.3 --output o.csv --force --seed 3",
    "describe images.npy --output d.npy --center-output c.npy --eta 1e-6",
];

const VALUES: [&str; 70] = [
    "",
    " ",
    "0",
    "-0",
    "-1",
    "1",
    "2",
    "3.5",
    "1e-8",
    "1e-300",
    "5e-324",
    "1e-400",
    "1e308",
    "1.8e308",
    "1e400",
    "-1e308",
    "NaN",
    "-NaN",
    "nan",
    "inf",
    "-inf",
    "infinity",
    "4294967296",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "1e15",
    "1e16",
    "0x10",
    "1_000",
    "1,2",
    ",",
    ",,",
    "1,,2",
    "1-",
    "-",
    "--",
    "3-1",
    "1-18446744073709551615",
    "0.1,0.2,0.3",
    "1e999,0",
    "NaN,NaN,NaN",
    "deg",
    "5deg",
    "5km",
    "1e300km",
    "-3m",
    "5°",
    "\u{1b}[31mred\u{1b}[0m",
    "line\nbreak",
    "tab\there",
    "\u{7}",
    "\u{202e}olleh",
    "💥",
    "ünïcödé",
    "origin",
    "identity",
    "1e400*identity",
    "-1*identity",
    "0*identity",
    "NaN*identity",
    "nosuchdir/x.json",
    ".",
    "/",
    "r.csv",
    "m.npy",
    "o.json",
    "r.npz:",
    ":KEY",
];

const SPACES: [&str; 30] = [
    "sphere:0",
    "sphere:1",
    "sphere:2",
    "sphere:50",
    "sphere:1000",
    "sphere:1000000000",
    "sphere:18446744073709551615",
    "sphere:-1",
    "sphere:",
    ":2",
    "sphere:2:2",
    "euclidean:0",
    "euclidean:1",
    "euclidean:2",
    "euclidean:1000",
    "euclidean:9999999999",
    "hyperbolic:1",
    "hyperbolic:2",
    "hyperbolic:30",
    "hyperbolic:100000000000",
    "spd-log-euclidean:0",
    "spd-log-euclidean:3",
    "spd-log-euclidean:10",
    "spd-log-euclidean:4294967296",
    "spd-affine-invariant:2",
    "spd-affine-invariant:18446744073709551615",
    "kendall:2",
    "kendall:3",
    "kendall:10",
    "kendall:9223372036854775808",
];

const EXTRA: [&str; 22] = [
    "--json",
    "--force",
    "--rehearse",
    "--assume-in-ball",
    "--help",
    "--version",
    "--no-such-option",
    "-x",
    "--",
    "extra",
    "--mechanism=kng",
    "--mechanism=gaussian",
    "--bound=published",
    "--header=no",
    "--delimiter=;",
    "--delimiter=é",
    "--layout=latlon",
    "--layout=full",
    "--calibration=classical",
    "--predict-at=1e308,-1e308",
    "--output=o.npy",
    "--seed=18446744073709551615",
];

/// A command line that is wrong somewhere, or nowhere.
fn line(random: &mut Random) -> Vec<String> {
    let mut words: Vec<String> = random.of(&COMMANDS).split(' ').map(str::to_owned).collect();
    for _ in 0..random.below(4) {
        let at = 1 + random.below(words.len() - 1);
        let is_option = words[at].starts_with("--");
        match random.below(8) {
            0 if is_option => drop(words.remove(at)),
            1 => words.insert(at, random.of(&EXTRA).to_owned()),
            2 => words.push(random.of(&EXTRA).to_owned()),
            3 => words.push(words[at].clone()),
            _ if words[at - 1] == "--manifold" => words[at] = random.of(&SPACES).to_owned(),
            _ if is_option => {
                let space = words.iter().position(|word| word == "--manifold").filter(|_| random.chance(2));
                if let Some(space) = space.filter(|space| space + 1 < words.len()) {
                    words[space + 1] = random.of(&SPACES).to_owned();
                }
            }
            // as many steps or releases as that are work, and more are refused
            _ if ["--releases", "--steps"].contains(&words[at - 1].as_str()) => {
                words[at] = random.of(&["0", "1", "99", "-1", "1e9", "18446744073709551615", "x", ""]).to_owned();
            }
            _ if random.chance(40) => {
                let value = random.of(&VALUES);
                words[at] = value.repeat(100_000 / value.len().max(1)); // about as long as a word can be
            }
            _ => words[at] = random.of(&VALUES).to_owned(),
        }
        if words.len() < 2 {
            words.push("--json".to_owned());
        }
    }
    words
}

fn records(folder: &Path) {
    fs::write(folder.join("r.csv"), "t,x,y,z\n0,1,0,0\n1,0.8,0.6,0\n2,0.6,0.8,0\n3,0.6,0,0.8\n").unwrap();
    fs::write(folder.join("m.csv"), "2,0.1,1\n1,0,1\n1,-0.2,3\n").unwrap();
    fs::write(folder.join("s.csv"), "0,1,1,0,0,0,1,1\n0,2,2,0,0,0.1,1,1.2\n0,1,1.1,0,0.1,0,1,1\n").unwrap();
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/site-a.json");
    fs::copy(site, folder.join("site.json")).unwrap();
    karcher_io::write_npy(folder.join("m.npy").to_str().unwrap(), &[2, 2], &[1.0, 0.0, 0.0, 1.0]).unwrap();
    karcher_io::write_npy(folder.join("images.npy").to_str().unwrap(), &[1, 4, 4], &[0.5; 16]).unwrap();
}

/// The exit code of a line that behaves as it should; else the fault.
fn outcome(folder: &Path, words: &[String]) -> Result<i32, String> {
    let (out, err) = (folder.join("out"), folder.join("err"));
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MEMORY}; exec \"$@\""), "sh"])
        .arg(cargo_bin("karcher"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(&out).unwrap())
        .stderr(File::create(&err).unwrap())
        .spawn()
        .map_err(|error| format!("not started: {error}"))?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > TIME => {
                child.kill().unwrap();
                child.wait().unwrap();
                return Err("time-out".to_owned());
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let told = String::from_utf8_lossy(&fs::read(&err).unwrap()).into_owned();
    let shown: String = told.chars().take(500).collect();
    if told.contains("panicked") {
        return Err(format!("panic: {shown}"));
    }
    match status.code() {
        None => Err(format!("abort: {status}: {shown}")),
        Some(0) => Ok(0),
        Some(code @ (1 | 2)) if told.lines().any(|line| line.starts_with("error: ") && line.len() > 10) => {
            if is_raw(&told) { Err(format!("control characters: {shown:?}")) } else { Ok(code) }
        }
        Some(code) => Err(format!("exit code {code} without a sentence: {shown}")),
    }
}

/// Whether a terminal would do more than show the text.
fn is_raw(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && c != '\n')
}

#[test]
fn what_was_typed_is_shown_and_not_obeyed() {
    let run = |arguments: &[&str]| Command::new(cargo_bin("karcher")).args(arguments).output().unwrap();
    let mean = ["--manifold", "euclidean:2", "--radius", "1", "--epsilon", "1"];
    let lines = [(&["mean", "\u{1b}[2J\u{7}.csv"][..], 1), (&["mean", "r.csv", "--\u{7}"], 2), (&["\u{7}\r"], 2)];
    for (words, code) in lines {
        let output = run(&[words, &mean].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && !is_raw(&told), "{told:?}");
        assert!(code == 2 || told.contains("\\u{1b}[2J\\u{7}.csv"), "{told:?}");
    }
}

#[test]
fn hostile_command_lines_end_with_a_sentence() {
    let lines = std::env::var("KARCHER_HOSTILE_LINES").map_or(LINES, |lines| lines.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    records(folder.path());
    let (mut codes, mut wrong) = (BTreeMap::new(), Vec::new());
    for seed in 0..lines as u64 {
        let words = line(&mut Random(seed.wrapping_mul(0x1000_0001)));
        match outcome(folder.path(), &words) {
            Ok(code) => *codes.entry(code).or_insert(0) += 1,
            Err(what) => {
                let told: Vec<String> = words.iter().map(|word| word.chars().take(60).collect()).collect();
                println!("{seed}: {told:?}: {what}");
                wrong.push(what);
            }
        }
    }
    println!("{lines} lines: exit codes {codes:?}, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(codes.len() == 3 && codes.values().all(|&count| 20 * count > lines), "not much is tried: {codes:?}");
}
