//! Many processes at one ledger, and processes that are killed or whose disk is full: this test is started again, by
//! itself, as the programs that spend.
//!
//! `KARCHER_KILLS=1000` kills as many programs; docs/proofs/ledger.md has the counts of such a run.
#![cfg(unix)]

mod common;

use common::{event, spent};
use karcher::privacy::{Definition, Guarantee};
use karcher::sampler::Generator;
use karcher_ledger::{Error, Ledger, Status};
use rand::RngExt;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const EACH: f64 = 0.01;

/// The program that spends, if the environment asks for it. It requests reservations until it has enough requests or a
/// failure, and writes one byte for each reservation. At the end it reports the result.
#[test]
fn program_that_spends() {
    let told = |name| std::env::var(name).ok();
    let Some(path) = told("KARCHER_LEDGER_OF_TEST") else { return };
    let requests: usize = told("KARCHER_REQUESTS").unwrap().parse().unwrap();
    let mut releases = OpenOptions::new().append(true).open(told("KARCHER_RELEASES").unwrap()).unwrap();
    let ledger = match Ledger::open(path) {
        Ok(ledger) => ledger,
        Err(error) => return eprintln!("ended: {error}"),
    };
    let mut refused = 0;
    for _ in 0..requests {
        match ledger.reservation(&event(Guarantee::pure(EACH).unwrap())) {
            // here noise would be drawn, and the release written
            Ok(_permit) => releases.write_all(b"!").unwrap(),
            Err(Error::Refused { .. }) => refused += 1,
            Err(error) => return eprintln!("ended: {error}"),
        }
    }
    eprintln!("ended: {refused} refused");
}

fn command(shell: &str, ledger: &Path, releases: &Path, requests: usize) -> Command {
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{shell} exec \"$0\" --exact program_that_spends --nocapture")])
        .arg(std::env::current_exe().unwrap())
        .env("KARCHER_LEDGER_OF_TEST", ledger)
        .env("KARCHER_RELEASES", releases)
        .env("KARCHER_REQUESTS", requests.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// The result that a program reports.
fn last_words(mut child: Child) -> String {
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(child.wait().unwrap().success(), "{said}");
    said.lines().find_map(|line| line.strip_prefix("ended: ")).unwrap_or_default().to_owned()
}

fn bytes(path: &Path) -> u64 {
    path.metadata().unwrap().len()
}

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::pure(epsilon).unwrap()
}

#[test]
fn sixteen_processes_spend_all_of_it_and_never_more() {
    let folder = tempfile::tempdir().unwrap();
    let (path, releases) = (folder.path().join("budget.db"), folder.path().join("releases"));
    let ledger = Ledger::create(&path, "sixteen", pure(1.0)).unwrap();
    File::create(&releases).unwrap();
    let children: Vec<Child> = (0..16).map(|_| command("", &path, &releases, 20).spawn().unwrap()).collect();
    let refused: u64 = children
        .into_iter()
        .map(|child| {
            let said = last_words(child);
            said.strip_suffix(" refused").unwrap_or_else(|| panic!("{said}")).parse::<u64>().unwrap()
        })
        .sum();
    // 320 requests of 0.01 from 1
    assert_eq!((bytes(&releases), refused), (100, 220));
    let book = ledger.book().unwrap();
    assert_eq!((book.spent(), book.left()), (pure(1.0).definition(), Definition::Pure { epsilon: 0.0 }));
    assert_eq!(book.entries.len(), 320);
    assert_eq!(book.entries.iter().filter(|entry| entry.status == Status::Refused).count(), 220);
    assert_eq!(ledger.check().unwrap(), [""; 0]);
}

/// Four programs at a time are killed after a random time, from before they have opened the file to long after.
#[test]
fn whoever_is_killed_has_counted_every_release() {
    let kills: u64 = std::env::var("KARCHER_KILLS").map_or(100, |kills| kills.parse().unwrap());
    let mut generator = Generator::from_os().unwrap();
    let (mut killed, mut in_time, mut released, mut counted) = (0, 0, 0, 0);
    while killed < kills {
        let folder = tempfile::tempdir().unwrap();
        let (path, releases) = (folder.path().join("budget.db"), folder.path().join("releases"));
        let ledger = Ledger::create(&path, "killed", pure(1e6)).unwrap();
        File::create(&releases).unwrap();
        for _ in 0..5 {
            let mut children: Vec<Child> =
                (0..4).map(|_| command("", &path, &releases, 1_000_000).spawn().unwrap()).collect();
            let before = bytes(&releases);
            std::thread::sleep(Duration::from_micros(generator.random_range(0..150_000)));
            for child in &mut children {
                std::thread::sleep(Duration::from_micros(generator.random_range(0..3_000)));
                child.kill().unwrap(); // SIGKILL
                assert_eq!(child.wait().unwrap().signal(), Some(9));
                killed += 1;
            }
            let book = ledger.book().unwrap(); // which rolls back what was not committed
            let made = bytes(&releases);
            in_time += u64::from(made > before);
            assert!(spent(&book) >= made, "{} counted, {made} released", spent(&book));
            // each of the four may have been stopped between its reservation and its release
            assert!(spent(&book) <= made + killed, "{} counted, {made} released", spent(&book));
            assert_eq!(ledger.check().unwrap(), [""; 0]);
        }
        released += bytes(&releases);
        counted += spent(&ledger.book().unwrap());
    }
    println!(
        "{killed} programs killed, in {in_time} of {} rounds after a release: {released} releases, {counted} counted",
        killed / 4
    );
    assert!(in_time > 0 && counted >= released);
}

/// No file may grow beyond a limit, which cuts writes off at every place where they may be.
#[test]
fn full_disk_releases_nothing_that_is_not_counted() {
    let mut failed = 0;
    for kib in (4..40).step_by(2) {
        let folder = tempfile::tempdir().unwrap();
        let (path, releases) = (folder.path().join("budget.db"), folder.path().join("releases"));
        let ledger = Ledger::create(&path, "full", pure(1e6)).unwrap();
        File::create(&releases).unwrap();
        // bash counts in KiB, other shells in half of that
        let limit = format!("trap '' XFSZ; ulimit -f {};", 2 * kib);
        let said = last_words(command(&limit, &path, &releases, 200).spawn().unwrap());
        if !said.ends_with("refused") {
            assert!(said.contains("cannot be "), "{said}");
            failed += 1;
        }
        let book = ledger.book().unwrap();
        assert!(spent(&book) >= bytes(&releases) && spent(&book) <= bytes(&releases) + 1, "{kib}: {said}");
        assert_eq!(ledger.check().unwrap(), [""; 0], "{kib}: {said}");
        // and it goes on once there is space again
        ledger.reservation(&event(pure(EACH))).unwrap();
    }
    assert!(failed >= 10, "only {failed}");
}

#[test]
fn who_must_not_write_releases_nothing() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    let (path, releases) = (folder.path().join("budget.db"), folder.path().join("releases"));
    let ledger = Ledger::create(&path, "read-only", pure(1.0)).unwrap();
    File::create(&releases).unwrap();
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(&releases, 0o666);
    let is_root = folder.path().metadata().unwrap().uid() == 0;
    let attempt = || {
        let mut spends = command("", &path, &releases, 3);
        if is_root {
            spends.uid(65_534); // the user `nobody`, whom permissions bind
        }
        last_words(spends.spawn().unwrap())
    };
    // the file, then the folder, where the journal would be
    for (file, folder_mode) in [(0o444, 0o755), (0o444, 0o777), (0o666, 0o555)] {
        mode(&path, file);
        mode(folder.path(), folder_mode);
        let said = attempt();
        mode(folder.path(), 0o755);
        assert!(said.contains("cannot be "), "{file:o} {folder_mode:o}: {said}");
        assert_eq!((bytes(&releases), spent(&ledger.book().unwrap())), (0, 0), "{said}");
    }
    assert_eq!(ledger.check().unwrap(), [""; 0]);
}
