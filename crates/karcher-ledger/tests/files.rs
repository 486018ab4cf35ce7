//! Files that are not ledgers, damaged or edited ledgers, copies and older states.

mod common;

use common::{event, spent};
use karcher::mechanism::{Plan, PrivateFrechetMean, Request};
use karcher::privacy::{Definition, Guarantee};
use karcher::release::{Adjacency, MechanismName, PrivacyEvent, PrivacyUnit};
use karcher::sampler::Generator;
use karcher::{Ball, BudgetReservation, Points, ReleaseContext, manifold::Euclidean};
use karcher_ledger::{Book, Error, Ledger, Status};
use rand::RngExt;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::pure(epsilon).unwrap()
}

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A ledger of 1, with `entries` of 0.1 spent.
    fn ledger(&self, entries: usize) -> Ledger {
        let ledger = Ledger::create(self.at("budget.db"), "people", pure(1.0)).unwrap();
        (0..entries).for_each(|_| drop(spend(&ledger).unwrap()));
        ledger
    }
}

fn spend(ledger: &Ledger) -> Result<BudgetReservation, Error> {
    ledger.reservation(&event(pure(0.1)))
}

fn sql(ledger: &Ledger, statements: &str) {
    rusqlite::Connection::open(ledger.path()).unwrap().execute_batch(statements).unwrap();
}

fn plan(guarantee: Guarantee) -> (Box<dyn Plan>, Points) {
    let line = Arc::new(Euclidean::new(1).unwrap());
    let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0).unwrap()).unwrap();
    (Request::new(mean, 100, guarantee).plan().unwrap(), Points::new(&*line, vec![0.25; 100]).unwrap())
}

#[test]
fn ten_tenths_are_spent_and_the_eleventh_is_refused_and_written_down() {
    let place = Place::new();
    let ledger = place.ledger(10);
    let refused = spend(&ledger).unwrap_err().to_string();
    assert!(refused.contains("requested epsilon 0.1, spent epsilon 1.0 of 1.0, left epsilon 0.0"), "{refused}");
    let book = ledger.book().unwrap();
    assert_eq!((book.entries.len(), spent(&book), book.left()), (11, 10, Definition::Pure { epsilon: 0.0 }));
    assert_eq!(book.entries[10].status, Status::Refused);
    assert!(refused.ends_with(book.entries[10].reason.as_deref().unwrap()));
}

#[test]
fn release_has_its_entry_and_is_noted_once() {
    let place = Place::new();
    let ledger = place.ledger(1);
    let (plan, points) = plan(pure(0.25));
    let reservation = ledger.reservation(&plan.summary().event()).unwrap();
    let release = plan.run(&points, &mut ReleaseContext::new(reservation, Generator::from_os().unwrap())).unwrap();
    let at = release.provenance().ledger.clone().unwrap();
    let book = ledger.book().unwrap();
    assert_eq!((at.ledger.as_str(), at.entry), (book.ledger.as_str(), 2));
    assert_eq!([0, 1].map(|i| book.entries[i].entry), [1, 2]);
    ledger.released(&release).unwrap();
    let book = ledger.book().unwrap();
    assert_eq!([0, 1].map(|i| book.entries[i].status), [Status::Reserved, Status::Released]);
    assert!(matches!(ledger.released(&release), Err(Error::NotReserved { .. })));
    let untracked = plan.run(&points, &mut ReleaseContext::from_os().unwrap()).unwrap();
    assert!(matches!(ledger.released(&untracked), Err(Error::NotReserved { .. })));
    let other = Ledger::create(place.at("other.db"), "others", pure(1.0)).unwrap();
    assert!(matches!(other.released(&release), Err(Error::NotReserved { .. })));
    assert_eq!(ledger.check().unwrap(), [""; 0]);
}

#[test]
fn reservation_is_for_one_release_with_its_guarantee_and_private_noise() {
    let place = Place::new();
    let ledger = place.ledger(0);
    let (small, points) = plan(pure(0.1));
    let (large, _) = plan(pure(0.9));
    let mut context =
        ReleaseContext::new(ledger.reservation(&small.summary().event()).unwrap(), Generator::from_os().unwrap());
    let refused = large.run(&points, &mut context).unwrap_err().to_string();
    assert!(refused.contains("its reservation is for pure differential privacy with epsilon 0.1"), "{refused}");
    small.run(&points, &mut context).unwrap();
    let refused = small.run(&points, &mut context).unwrap_err().to_string();
    assert!(refused.contains("its reservation has been used"), "{refused}");
    let mut seeded = ReleaseContext::new(ledger.reservation(&small.summary().event()).unwrap(), Generator::seeded(1));
    let refused = small.run(&points, &mut seeded).unwrap_err().to_string();
    assert!(refused.contains("reproducible"), "{refused}");
    assert_eq!(spent(&ledger.book().unwrap()), 2);
}

/// An entry is written before noise is drawn; what is written afterwards is that there was a release.
#[test]
fn nothing_in_the_file_depends_on_the_records() {
    let place = Place::new();
    let lines = [0.25, -0.75].map(|value| {
        let ledger = Ledger::create(place.at(&format!("{value}.db")), "people", pure(1.0)).unwrap();
        let (plan, _) = plan(pure(0.25));
        let points = Points::new(&Euclidean::new(1).unwrap(), vec![value; 100]).unwrap();
        let reservation = ledger.reservation(&plan.summary().event()).unwrap();
        let release = plan.run(&points, &mut ReleaseContext::new(reservation, Generator::from_os().unwrap())).unwrap();
        ledger.released(&release).unwrap();
        let Book { entries, .. } = ledger.book().unwrap();
        let connection = rusqlite::Connection::open(ledger.path()).unwrap();
        let mut statement = connection.prepare("SELECT number, event, content FROM line WHERE number > 1").unwrap();
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let lines: Vec<(i64, String, String)> = statement.query_map([], row).unwrap().map(Result::unwrap).collect();
        (entries.len(), lines)
    });
    assert_eq!(lines[0], lines[1]);
}

#[test]
fn what_is_no_ledger_is_refused_and_stays_as_it_is() {
    let place = Place::new();
    let missing = place.at("missing.db");
    assert!(matches!(Ledger::open(&missing), Err(Error::Missing { .. })) && !missing.exists());
    for (name, content) in [("empty.db", &b""[..]), ("text.db", b"epsilon 3\n"), ("noise.db", &[7; 9000])] {
        std::fs::write(place.at(name), content).unwrap();
        let refused = Ledger::open(place.at(name)).unwrap_err();
        assert!(matches!(refused, Error::NotALedger { .. }), "{refused}");
        assert!(matches!(Ledger::create(place.at(name), "people", pure(1.0)), Err(Error::Exists { .. })));
        assert_eq!(std::fs::read(place.at(name)).unwrap(), content);
    }
    assert!(matches!(Ledger::open(place.0.path()), Err(Error::NotALedger { .. })));
    let other = rusqlite::Connection::open(place.at("other.db")).unwrap();
    other.execute_batch("CREATE TABLE line (number INTEGER)").unwrap();
    drop(other);
    let refused = Ledger::open(place.at("other.db")).unwrap_err().to_string();
    assert!(refused.contains("a database of another program"), "{refused}");
    let ledger = place.ledger(1);
    sql(&ledger, "PRAGMA user_version = 3");
    assert!(ledger.book().unwrap_err().to_string().contains("its version is 3"));
    for name in ["", "  ", "a\nb", &"x".repeat(201)] {
        assert!(matches!(Ledger::create(place.at("new.db"), name, pure(1.0)), Err(Error::Name { .. })), "{name}");
    }
    assert!(Ledger::create(place.at("no such folder/new.db"), "people", pure(1.0)).is_err());
    assert!(Ledger::create(place.at("new.db"), "people", pure(1e9)).is_err() && !place.at("new.db").exists());
}

/// With any byte changed, or the file cut anywhere, the ledger has its old content or is refused.
#[test]
fn damaged_file_says_what_it_said_or_nothing() {
    let place = Place::new();
    let ledger = place.ledger(6);
    let (whole, book) = (std::fs::read(ledger.path()).unwrap(), ledger.book().unwrap());
    let mut generator = Generator::seeded(5);
    let (mut noticed, mut harmless) = (0, 0);
    for i in 0..600 {
        let mut bytes = whole.clone();
        if i % 10 == 0 {
            bytes.truncate(generator.random_range(1..whole.len()));
        } else {
            bytes[generator.random_range(0..whole.len())] ^= 1 << generator.random_range(0..8);
        }
        std::fs::write(ledger.path(), &bytes).unwrap();
        match ledger.book() {
            Ok(read) => {
                assert_eq!(read, book);
                harmless += 1;
            }
            Err(_) => noticed += 1,
        }
        if let Ok(reservation) = spend(&ledger) {
            drop(reservation);
            assert_eq!(spent(&ledger.book().unwrap()), 7);
        }
        let _ = std::fs::remove_file(place.at("budget.db.mark")); // the next one is not about the mark
    }
    println!("{noticed} noticed, {harmless} harmless");
    assert!(noticed > 100 && harmless > 100, "{noticed} {harmless}");
}

#[test]
fn edits_are_noticed() {
    let unlocked = "DROP TRIGGER line_stays; DROP TRIGGER line_is_kept;";
    let stays = |name: &str, when: &str| {
        let does = "BEGIN SELECT RAISE(ABORT, 'lines of a ledger stay'); END";
        format!("CREATE TRIGGER {name} BEFORE {when} ON line {does};")
    };
    let locked = stays("line_stays", "UPDATE") + &stays("line_is_kept", "DELETE");
    let place = Place::new();
    let ledger = place.ledger(4);
    let refused = rusqlite::Connection::open(ledger.path()).unwrap().execute_batch("DELETE FROM line WHERE number = 3");
    assert!(refused.unwrap_err().to_string().contains("lines of a ledger stay"));
    let whole = std::fs::read(ledger.path()).unwrap();
    for edit in [
        "UPDATE line SET content = replace(content, '0.1', '0.01') WHERE number = 3",
        "UPDATE line SET event = 'refused' WHERE number = 3",
        "UPDATE line SET time = '2020-01-01T00:00:00Z' WHERE number = 3",
        "UPDATE line SET content = replace(content, '1.0', '9.0') WHERE number = 1",
        "DELETE FROM line WHERE number = 3",
        "DELETE FROM line WHERE number = 1",
        "DELETE FROM line WHERE number = 5", // the last one, which only the mark records
        "DELETE FROM line",
        "INSERT INTO line SELECT 6, time, event, content, hash FROM line WHERE number = 5",
    ] {
        std::fs::write(ledger.path(), &whole).unwrap();
        sql(&ledger, &format!("{unlocked} {edit}; {locked}"));
        let said = spend(&ledger).unwrap_err().to_string(); // for its lines
        assert!(!said.contains("other tables"), "{edit}: {said}");
        assert_ne!(ledger.check().unwrap(), [""; 0], "{edit}");
    }
    std::fs::write(ledger.path(), &whole).unwrap();
    assert_eq!(ledger.check().unwrap(), [""; 0]);
    spend(&ledger).unwrap();
}

#[test]
fn older_state_in_the_same_file_is_noticed_by_its_mark() {
    let place = Place::new();
    let ledger = place.ledger(2);
    let older = std::fs::read(ledger.path()).unwrap();
    spend(&ledger).unwrap();
    std::fs::write(ledger.path(), &older).unwrap();
    let refused = spend(&ledger).unwrap_err().to_string();
    assert!(refused.contains("had 4 lines, and it has 3"), "{refused}");
    assert!(ledger.adopt().is_err());
    // a history that went another way
    let mark = std::fs::read(place.at("budget.db.mark")).unwrap();
    std::fs::remove_file(place.at("budget.db.mark")).unwrap();
    ledger.reservation(&event(pure(0.2))).unwrap(); // without its mark nothing is noticed, as the guide says
    spend(&ledger).unwrap();
    std::fs::write(place.at("budget.db.mark"), mark).unwrap();
    let found = spend(&ledger).map(|_| ()).map_err(|error| error.to_string());
    assert!(found.as_ref().is_err_and(|refused| refused.contains("but others")), "{found:?}");
}

#[cfg(unix)]
#[test]
fn copy_is_noticed_and_so_is_a_file_that_was_moved_restored_or_renamed() {
    let place = Place::new();
    let ledger = place.ledger(2);
    std::fs::copy(ledger.path(), place.at("copy.db")).unwrap();
    let copy = Ledger::open(place.at("copy.db")).unwrap(); // it may be looked at
    assert!(matches!(spend(&copy), Err(Error::Copied { .. })));
    assert!(copy.check().unwrap()[0].contains("is a copy"));
    copy.adopt().unwrap();
    spend(&copy).unwrap();
    assert_eq!((copy.check().unwrap(), spent(&copy.book().unwrap())), (vec![], 3));
    std::fs::rename(ledger.path(), place.at("moved.db")).unwrap();
    let moved = Ledger::open(place.at("moved.db")).unwrap();
    assert!(matches!(spend(&moved), Err(Error::Copied { .. })));
    moved.adopt().unwrap();
    spend(&moved).unwrap();
    // there and back: the name is the old one, and what was spent in between is not lost
    std::fs::rename(place.at("moved.db"), ledger.path()).unwrap();
    assert!(matches!(spend(&ledger), Err(Error::Copied { .. })));
    std::fs::rename(ledger.path(), place.at("moved.db")).unwrap();
    // a file that is removed and written anew, which may get the number of the old one
    let (whole, mark) = (std::fs::read(moved.path()).unwrap(), place.at("moved.db.mark"));
    std::fs::remove_file(moved.path()).unwrap();
    std::fs::remove_file(mark).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20)); // more than a tick of the file system's clock
    std::fs::write(moved.path(), whole).unwrap();
    assert!(matches!(spend(&moved), Err(Error::Copied { .. })));
    moved.adopt().unwrap();
    // two names would have two journals
    std::fs::hard_link(place.at("moved.db"), place.at("linked.db")).unwrap();
    assert!(spend(&moved).unwrap_err().to_string().contains("hard link"));
    // SQLite resolves a symbolic link to the same name
    std::fs::remove_file(place.at("linked.db")).unwrap();
    std::os::unix::fs::symlink(place.at("moved.db"), place.at("linked.db")).unwrap();
    spend(&Ledger::open(place.at("linked.db")).unwrap()).unwrap();
    assert_eq!(spent(&moved.book().unwrap()), 4);
}

/// With a separate log, the file alone would not be the whole ledger.
#[test]
fn ledger_is_one_file() {
    let place = Place::new();
    let ledger = place.ledger(3);
    let mut names: Vec<_> = std::fs::read_dir(place.0.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["budget.db", "budget.db.mark"]);
    sql(&ledger, "PRAGMA journal_mode = WAL");
    assert!(spend(&ledger).unwrap_err().to_string().contains("journal mode"));
}

/// A ledger of persons refuses releases that protect records, and does not write them down. A ledger of records counts
/// releases that protect persons. A ledger of records has the format from before persons were supported. A ledger of
/// persons has another table version, so that earlier programs do not count records in it.
#[test]
fn a_ledger_is_for_one_unit() {
    let place = Place::new();
    let of_records = place.ledger(0);
    let of_persons =
        Ledger::create_for((PrivacyUnit::Person, Adjacency::ReplaceOne), place.at("persons.db"), "people", pure(1.0))
            .unwrap();
    let [record, person] = [PrivacyUnit::Record, PrivacyUnit::Person].map(|unit| event(pure(0.25)).of(unit));
    for (ledger, event) in [(&of_records, &record), (&of_records, &person), (&of_persons, &person)] {
        assert!(ledger.reservation(event).is_ok());
    }
    assert!(matches!(of_persons.reservation(&record), Err(Error::RecordsOnly { .. })));
    let left = |ledger: &Ledger| (ledger.book().unwrap().entries.len(), ledger.book().unwrap().left());
    assert_eq!(left(&of_records), (2, Definition::Pure { epsilon: 0.5 }));
    assert_eq!(left(&of_persons), (1, Definition::Pure { epsilon: 0.75 }));
    let first = |ledger: &Ledger| {
        let file = rusqlite::Connection::open(ledger.path()).unwrap();
        let version: i64 = file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        let first_line = "SELECT content FROM line WHERE number = 1";
        let content: String = file.query_row(first_line, [], |row| row.get(0)).unwrap();
        (version, content.contains("unit"), ledger.book().unwrap().unit)
    };
    assert_eq!(first(&of_records), (1, false, PrivacyUnit::Record));
    assert_eq!(first(&of_persons), (2, true, PrivacyUnit::Person));
    assert!(of_persons.check().unwrap().is_empty());
}

/// Views, triggers and indices could show other lines than were written, or keep some from being written.
#[test]
fn whatever_else_is_in_the_database_is_refused() {
    let place = Place::new();
    let ledger = place.ledger(1);
    let whole = std::fs::read(ledger.path()).unwrap();
    for statements in [
        "CREATE TRIGGER forgets AFTER INSERT ON line BEGIN SELECT 1; END",
        "CREATE TRIGGER forgets BEFORE INSERT ON line BEGIN SELECT RAISE(IGNORE); END",
        "CREATE TABLE other (x)",
        "CREATE VIEW other AS SELECT * FROM line",
        "CREATE INDEX other ON line (event)",
        "DROP TRIGGER line_stays",
        "ALTER TABLE line ADD COLUMN more TEXT",
        "ALTER TABLE line RENAME TO kept; CREATE VIEW line AS SELECT * FROM kept WHERE number < 2",
        "ANALYZE",
    ] {
        sql(&ledger, statements);
        let said = [spend(&ledger).map(drop), ledger.book().map(drop), ledger.adopt()].map(|done| done.unwrap_err());
        assert!(said.iter().all(|error| matches!(error, Error::Damaged { .. })), "{statements}: {said:?}");
        assert_ne!(ledger.check().unwrap(), [""; 0], "{statements}");
        std::fs::write(ledger.path(), &whole).unwrap();
    }
    // what only arranges the file anew changes no line
    sql(&ledger, "PRAGMA page_size = 8192; VACUUM");
    spend(&ledger).unwrap();
    assert_eq!(spent(&ledger.book().unwrap()), 2);
    // a write-ahead log would hold lines that a copy lacks
    sql(&ledger, "PRAGMA journal_mode = WAL");
    assert!(spend(&ledger).unwrap_err().to_string().contains("its journal mode is wal"));
}

/// A file from before entries had their own numbers marks released ones by their lines.
#[test]
fn releases_are_told_by_the_lines_of_their_entries() {
    let place = Place::new();
    let ledger = place.ledger(0);
    let (plan, points) = plan(pure(0.1));
    for number in 1..=3 {
        let reservation = ledger.reservation(&plan.summary().event()).unwrap();
        let release = plan.run(&points, &mut ReleaseContext::new(reservation, Generator::from_os().unwrap())).unwrap();
        assert_eq!(release.provenance().ledger.as_ref().unwrap().entry, number);
        ledger.released(&release).unwrap();
    }
    let connection = rusqlite::Connection::open(ledger.path()).unwrap();
    let mut statement =
        connection.prepare("SELECT content FROM line WHERE event = 'released' ORDER BY number").unwrap();
    let said: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(said, [2, 4, 6].map(|line| format!("{{\"entry\":{line}}}")));
}

/// Classes in which a person may have records count one by one, and are granted together or not at all.
#[test]
fn classes_that_compose_are_reserved_at_once_and_exactly() {
    let place = Place::new();
    let ledger = place.ledger(0);
    let classes = |k: usize, spent_by_each: bool| {
        let parts = vec![event(pure(0.1)); k];
        if spent_by_each { PrivacyEvent::of_overlapping(&parts) } else { PrivacyEvent::of_disjoint(&parts) }.unwrap()
    };
    drop(ledger.reservation(&classes(5, false)).unwrap()); // no record is in two of them
    let refused = ledger.reservation(&classes(10, true)).unwrap_err().to_string();
    assert!(refused.contains("requested epsilon 1.0 for 10 releases, spent epsilon 0.1 of 1.0"), "{refused}");
    drop(ledger.reservation(&classes(9, true)).unwrap());
    let book = ledger.book().unwrap();
    assert_eq!((book.left(), spent(&book)), (Definition::Pure { epsilon: 0.0 }, 2));
    let counted: Vec<_> = book.entries.iter().map(|entry| entry.counts_as.unwrap()).collect();
    assert_eq!(counted, [0.1, 1.0, 0.9].map(|epsilon| Definition::Pure { epsilon }));
    assert_eq!([0, 1, 2].map(|i| book.entries[i].event["groups"].as_u64().unwrap()), [5, 10, 9]);
    // of the definition of the total, not of that of the releases together
    let of_rho = Ledger::create(place.at("rho.db"), "people", Guarantee::concentrated(1.0).unwrap()).unwrap();
    drop(of_rho.reservation(&classes(4, true)).unwrap());
    let Definition::Concentrated { rho } = of_rho.book().unwrap().spent() else { panic!() };
    assert!((rho - 4.0 * 0.1 * 0.05f64.tanh()).abs() < 1e-12, "{rho}");
    // parts of several kinds, each as itself
    let parts = [pure(0.25), Guarantee::gaussian(0.5).unwrap()].map(event);
    let of_mu = Ledger::create(place.at("mu.db"), "people", Guarantee::gaussian(1.0).unwrap()).unwrap();
    drop(of_mu.reservation(&PrivacyEvent::of_overlapping(&parts).unwrap()).unwrap());
    let Definition::Gaussian { mu } = of_mu.book().unwrap().spent() else { panic!() };
    let Definition::Gaussian { mu: implied } = pure(0.25).to_gaussian().unwrap().definition() else { panic!() };
    assert!((mu - implied.hypot(0.5)).abs() < 1e-12, "{mu}");
    // of different groups the weakest is counted once, whichever comes first
    for parts in [[pure(0.1), pure(0.5)], [pure(0.5), pure(0.1)]] {
        let name = format!("{}.db", parts[0]);
        let ledger = Ledger::create(place.at(&name), "people", pure(1.0)).unwrap();
        drop(ledger.reservation(&PrivacyEvent::of_disjoint(&parts.map(event)).unwrap()).unwrap());
        assert_eq!(ledger.book().unwrap().spent(), Definition::Pure { epsilon: 0.5 });
    }
}

/// Laplace noise for a pure ε, and for (ε, δ), keeps a smaller `ρ` than ε implies, and an account counts it: when it is
/// reserved, and when the file is read again. What would keep less noise is refused.
#[test]
fn the_least_that_the_noise_keeps_is_counted() {
    let place = Place::new();
    let space = Arc::new(Euclidean::new(10).unwrap());
    let ball = Ball::at_origin(&*space, 1.0).unwrap();
    let mean = PrivateFrechetMean::new(space.clone(), ball).unwrap();
    let plan = |budget, name| Request::new(mean.clone(), 1_000, budget).plan_by(name).unwrap();
    let of = |total| Ledger::create(place.at(&format!("{total}.db")), "people", total).unwrap();
    let spent = |ledger: &Ledger| match ledger.book().unwrap().spent() {
        Definition::Pure { epsilon: x } | Definition::Gaussian { mu: x } | Definition::Concentrated { rho: x } => x,
        Definition::Approximate { epsilon, .. } => epsilon,
    };
    let of_epsilon = plan(pure(0.3), MechanismName::Laplace);
    let event = of_epsilon.summary().event();
    let of_rho = of(Guarantee::concentrated(1.0).unwrap());
    let mut context = ReleaseContext::new(of_rho.reservation(&event).unwrap(), Generator::from_os().unwrap());
    // the mean of the loss; ε·tanh(ε/2) is ten times as much
    assert!((spent(&of_rho) - 0.004_498_946).abs() < 1e-8, "{}", spent(&of_rho));
    let records = Points::new(&*space, vec![0.1; 10_000]).unwrap();
    // planted: a smaller ρ than the noise keeps
    let planted = PrivacyEvent { also: vec![Guarantee::concentrated(0.004).unwrap()], ..event.clone() };
    let mut too_little = ReleaseContext::new(of_rho.reservation(&planted).unwrap(), Generator::from_os().unwrap());
    let refused = of_epsilon.run(&records, &mut too_little).unwrap_err().to_string();
    assert!(refused.contains("states zero-concentrated"), "{refused}");
    of_rho.released(&of_epsilon.run(&records, &mut context).unwrap()).unwrap();
    assert!(of_rho.check().unwrap().is_empty());
    // planted: the same of several releases, whose parts do not promise it
    let several = PrivacyEvent { groups: Some(2), ..planted };
    let of_groups = of(Guarantee::concentrated(2.0).unwrap());
    drop(of_groups.reservation(&several).unwrap());
    assert!((spent(&of_groups) - 0.3 * 0.15_f64.tanh()).abs() < 1e-12, "{}", spent(&of_groups));

    for (total, counted) in [(pure(2.0), 0.3), (Guarantee::gaussian(2.0).unwrap(), 0.3754)] {
        let ledger = of(total);
        drop(ledger.reservation(&event).unwrap());
        assert!((spent(&ledger) - counted).abs() < 1e-4, "{total}: {}", spent(&ledger));
    }
    // (ε, δ), in a total that counts neither, and in one that does
    let with_delta = plan(Guarantee::approximate(0.3, 1e-6).unwrap(), MechanismName::Laplace).summary().event();
    let [own, concentrated] = with_delta.also[..] else { panic!("{:?}", with_delta.also) };
    for (total, counted) in [
        (pure(3.0), own),
        (Guarantee::gaussian(3.0).unwrap(), own.to_gaussian().unwrap()),
        (Guarantee::concentrated(3.0).unwrap(), concentrated),
        (Guarantee::approximate(2.0, 1e-5).unwrap(), with_delta.guarantee),
    ] {
        let ledger = of(total);
        drop(ledger.reservation(&with_delta).unwrap());
        let cost = ledger.book().unwrap().entries[0].counts_as.unwrap();
        assert_eq!(cost, counted.definition(), "{total}");
    }
}

/// A ledger into which all that another counted is imported has spent as much, in each definition, and no less.
#[test]
fn all_that_counts_is_exported() {
    let place = Place::new();
    let all = [
        pure(2.0),
        Guarantee::approximate(2.0, 1e-6).unwrap(),
        Guarantee::gaussian(2.0).unwrap(),
        Guarantee::concentrated(2.0).unwrap(),
    ];
    for (total, name) in all.into_iter().zip(["epsilon", "delta", "mu", "rho"]) {
        let new = |end: &str| Ledger::create(place.at(&format!("{name}{end}.db")), "people", total).unwrap();
        let (ledger, other) = (new(""), new("-other"));
        let half = |definition: Definition| match definition {
            Definition::Gaussian { .. } => Guarantee::gaussian(0.25).unwrap(),
            Definition::Concentrated { .. } => Guarantee::concentrated(0.25).unwrap(),
            _ => pure(0.25),
        };
        let parts = vec![event(half(total.definition())); 2];
        for parts in [PrivacyEvent::of_overlapping(&parts), PrivacyEvent::of_disjoint(&parts)] {
            drop(ledger.reservation(&parts.unwrap()).unwrap());
        }
        let exported = ledger.book().unwrap().export().unwrap();
        assert_eq!((exported.len(), other.import(&exported).unwrap().counted), (2, 2), "{total}");
        let [spent, again] = [&ledger, &other].map(|ledger| match ledger.book().unwrap().spent() {
            Definition::Pure { epsilon: x } | Definition::Approximate { epsilon: x, .. } => x,
            Definition::Gaussian { mu: x } | Definition::Concentrated { rho: x } => x,
        });
        assert!(spent > 0.25 && (spent..=spent * (1.0 + 1e-12)).contains(&again), "{total}: {spent} and {again}");
        // what cannot be written stops the export, and hides no other entry from an import
        let mut book = ledger.book().unwrap();
        book.entries[0].counts_as = None;
        assert!(matches!(book.export(), Err(Error::NotExported { entry: 1 })), "{total}");
    }
}
