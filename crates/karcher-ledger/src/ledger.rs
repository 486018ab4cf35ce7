//! The ledger.

use crate::book::{BATCH, Book, Entry, Status, event};
use crate::chain;
use crate::error::{Error, Result, name};
use crate::foreign::{ForeignRelease, Imported};
use crate::mark::{self, Mark};
use crate::store::{self, Line, Store};
use karcher::error::PrivacyError;
use karcher::privacy::{Filter, Guarantee};
use karcher::release::{Accountant, Adjacency, LedgerEntry, PrivacyEvent, PrivacyUnit};
use karcher::{BudgetReservation, Release};
use rusqlite::Transaction;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The longest name of data.
const LONGEST_NAME: usize = 200;

/// A privacy ledger: the spent budget of all releases about one data set, in one file.
///
/// The file is open only during a call, so that a ledger may be sent to other threads and processes.
///
/// ```
/// use karcher::privacy::{Definition, Guarantee};
/// use karcher_ledger::Ledger;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("budget.db");
/// Ledger::create(&path, "trial of 2026", Guarantee::approximate(3.0, 1e-6)?)?;
/// let ledger = Ledger::open(&path)?;
/// assert_eq!(ledger.book()?.left(), Definition::Approximate { epsilon: 3.0, delta: 1e-6 });
/// assert!(ledger.check()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    path: PathBuf,
}

impl Ledger {
    /// Creates a new file, for data of a name and with a total.
    ///
    /// By the name the owner promises that exactly the releases about these people are counted here. No digest of the
    /// records is kept, since it would depend on them.
    ///
    /// # Errors
    /// [`Error::Exists`] where there is a file, [`Error::Name`] for a name that is empty, longer than 200 characters or
    /// not printable, [`Error::Refused`] for a total as in [`Filter::new`], [`Error::Io`].
    pub fn create(path: impl AsRef<Path>, data: &str, total: Guarantee) -> Result<Self> {
        Self::create_for((PrivacyUnit::Record, Adjacency::ReplaceOne), path, data, total)
    }

    /// The same with a privacy unit, record or person, and the neighbours of the total.
    ///
    /// In a ledger of persons a release that protects records alone is refused. In one of records a release that
    /// protects persons counts as it is: a record that changes changes one contribution (user guide, U1). In a ledger
    /// for [`Adjacency::ReplaceOne`] a release for [`Adjacency::AddRemove`] counts as two steps; in one for
    /// [`Adjacency::AddRemove`] others are refused (user guide, U2).
    ///
    /// ```
    /// use karcher::{mechanism::CountPlan, privacy::Guarantee, release::{Adjacency, PrivacyUnit}};
    /// use karcher_ledger::Ledger;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = |name| folder.path().join(name);
    /// let total = Guarantee::pure(1.0)?;
    /// let count = CountPlan::new(Guarantee::pure(0.25)?)?.event();
    /// for (name, adjacency, left) in [("a.db", Adjacency::AddRemove, 0.75), ("b.db", Adjacency::ReplaceOne, 0.5)] {
    ///     let ledger = Ledger::create_for((PrivacyUnit::Record, adjacency), path(name), "trial of 2026", total)?;
    ///     ledger.reservation(&count)?;
    ///     assert_eq!(ledger.book()?.left(), Guarantee::pure(left)?.definition());
    /// }
    /// let usual = (PrivacyUnit::Person, Adjacency::ReplaceOne);
    /// let of_persons = Ledger::create_for(usual, path("c.db"), "patients of 2026", total)?;
    /// assert_eq!(of_persons.book()?.unit, PrivacyUnit::Person);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`create`](Ledger::create).
    pub fn create_for(
        (unit, adjacency): (PrivacyUnit, Adjacency),
        path: impl AsRef<Path>,
        data: &str,
        total: Guarantee,
    ) -> Result<Self> {
        let path = path.as_ref();
        check_name(data)?;
        Filter::new(total).map_err(|source| Error::Refused { file: name(path), source: source.into() })?;
        match std::fs::File::create_new(path) {
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(Error::Exists { file: name(path) });
            }
            Err(error) => {
                return Err(Error::Io { file: name(path), task: "written to", reason: error.to_string() });
            }
        }
        let ledger = Self { path: path.to_owned() };
        let first = match adjacency {
            Adjacency::AddRemove => event::NEW_ADD_REMOVE,
            Adjacency::ReplaceOne => event::NEW,
        };
        let created = Store::open(path).and_then(|mut store| {
            store.create(unit, |transaction| {
                let new = event::New {
                    ledger: store::random_name(transaction)?,
                    data: data.to_owned(),
                    unit,
                    budget: total,
                    karcher: env!("CARGO_PKG_VERSION").to_owned(),
                    home: store::home(path),
                };
                let line = line(1, chain::START, store::now(transaction)?, first, json(&new)?);
                store::append(transaction, &line)
            })
        });
        if let Err(error) = created {
            let _ = std::fs::remove_file(path); // it was made just now, and holds nothing
            return Err(error);
        }
        ledger.advance(&ledger.book()?);
        Ok(ledger)
    }

    /// Opens an existing file.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::NotALedger`], [`Error::Damaged`], [`Error::Io`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let ledger = Self::unchecked(path);
        ledger.book()?;
        Ok(ledger)
    }

    /// A ledger whose file is not read yet, for [`check`](Ledger::check).
    pub fn unchecked(path: impl AsRef<Path>) -> Self {
        Self { path: path.as_ref().to_owned() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reserves the budget of one release: its guarantee counts as spent, on the disk, whatever happens afterwards.
    ///
    /// ```
    /// # use karcher::{Ball, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}, privacy::Guarantee};
    /// # use karcher_ledger::{Ledger, Status};
    /// # use std::sync::Arc;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("budget.db");
    /// # let line = Arc::new(Euclidean::new(1)?);
    /// # let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?;
    /// # let plan = Request::new(mean, 100, Guarantee::pure(0.75)?).plan()?;
    /// let ledger = Ledger::create(&path, "trial of 2026", Guarantee::pure(1.0)?)?;
    /// drop(ledger.reservation(&plan.summary().event())?); // as if the program had ended here
    /// let book = ledger.book()?;
    /// assert_eq!(book.entries[0].status, Status::Reserved);
    /// assert_eq!(book.left(), Guarantee::pure(0.25)?.definition());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Refused`] when not enough is left; [`Error::RecordsOnly`] for a release that protects records in a
    /// ledger of persons; [`Error::Copied`], [`Error::Older`], [`Error::Damaged`] when the file is not the intact,
    /// newest ledger; [`Error::Busy`]; [`Error::Io`].
    pub fn reservation(&self, event: &PrivacyEvent) -> Result<BudgetReservation> {
        BudgetReservation::reserve(self, event)
    }

    /// Notes that the release of an entry was made. It counts as spent either way.
    ///
    /// # Errors
    /// [`Error::NotReserved`] for a release that this ledger did not reserve; else as for [`Ledger::reservation`].
    pub fn released(&self, release: &Release) -> Result<()> {
        let refused = |reason: &str| Error::NotReserved { file: name(&self.path), reason: reason.to_owned() };
        let at = release.provenance().ledger.as_ref().ok_or_else(|| refused("the release has no entry in a ledger"))?;
        self.released_entry(at)
    }

    /// Refuses releases for these neighbours if the ledger does not count them.
    ///
    /// # Errors
    /// [`Error::Refused`]; else as for [`Ledger::open`].
    pub fn check_adjacency(&self, adjacency: Adjacency) -> Result<()> {
        let book = self.book()?;
        let cost = book.cost(book.total(), adjacency);
        match cost {
            Err(source) if book.adjacency == Adjacency::AddRemove => {
                Err(Error::Refused { file: name(&self.path), source })
            }
            _ => Ok(()),
        }
    }

    /// Refuses guarantees for which, together, not enough is left. Nothing is reserved, and nothing written.
    ///
    /// # Errors
    /// [`Error::Refused`]; else as for [`Ledger::open`].
    pub fn check_room(&self, guarantees: &[Guarantee], adjacency: Adjacency) -> Result<()> {
        let book = self.book()?;
        let costs = book.costs(guarantees, adjacency);
        let spent = costs.and_then(|costs| costs.spend_from(&mut book.filter.clone()));
        spent.map_err(|source| Error::Refused { file: name(&self.path), source })
    }

    /// Notes that the release of an entry was made, as [`released`](Ledger::released) does.
    ///
    /// # Errors
    /// As for [`released`](Ledger::released).
    pub fn released_entry(&self, at: &LedgerEntry) -> Result<()> {
        let refused = |reason: &str| Error::NotReserved { file: name(&self.path), reason: reason.to_owned() };
        self.append(|book, _| {
            let entry = book.entry(at.entry).filter(|_| book.ledger == at.ledger);
            match entry.filter(|entry| entry.status == Status::Reserved) {
                // without a time: how long a release took could depend on the records
                Some(entry) => Ok((String::new(), event::RELEASED, json(&event::Released { line: entry.line })?)),
                None => Err(refused("the release has no entry that is reserved in this ledger").into()),
            }
        })
        .map(|_| ())
    }

    /// Reserves the budget of a release, once for a batch: a second call with the same batch and event returns the
    /// entry of the first. So a program that was killed may try again.
    ///
    /// The batch is a name that no other release has. Call it only where the same batch always has the same noise.
    ///
    /// ```
    /// use karcher::{mechanism::CountPlan, privacy::Guarantee};
    /// use karcher_ledger::Ledger;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("budget.db");
    /// let ledger = Ledger::create(&path, "trial of 2026", Guarantee::pure(1.0)?)?;
    /// let event = CountPlan::new(Guarantee::pure(0.25)?)?.event();
    /// let first = ledger.reserve_once(&event, "a batch")?;
    /// assert_eq!(ledger.reserve_once(&event, "a batch")?, first);
    /// assert_ne!(ledger.reserve_once(&event, "another one")?, first);
    /// assert_eq!(ledger.book()?.entries.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotReserved`] for a batch that was counted for another event; else as for [`Ledger::reservation`].
    pub fn reserve_once(&self, event: &PrivacyEvent, batch: &str) -> Result<LedgerEntry> {
        self.reserve_with(event, Some(batch))
    }

    fn reserve_with(&self, event: &PrivacyEvent, batch: Option<&str>) -> Result<LedgerEntry> {
        let mut entry = 0;
        let mark = self.append(|book, now| {
            entry = book.entries.len() as u64 + 1;
            let mut content = serde_json::to_value(event).map_err(to_sql)?;
            let file = name(&self.path);
            if let Some(batch) = batch {
                content[BATCH] = Value::from(batch);
                if let Some(counted) = book.of_batch(batch) {
                    entry = counted.entry;
                    let reason = format!("entry {entry} counted another release of this batch");
                    let is_same = counted.event == content;
                    return Err(if is_same { Stop::Known } else { Error::NotReserved { file, reason }.into() });
                }
            }
            // not written down: the number of records is confidential if persons are protected
            if book.unit == PrivacyUnit::Person && event.unit == PrivacyUnit::Record {
                return Err(Error::RecordsOnly { file }.into());
            }
            let kind = match book.adjacency == event.adjacency {
                _ if event.spent_by_each => event::RESERVED_PARTS,
                true => event::RESERVED,
                false => event::RESERVED_AS_TWO,
            };
            let counted = match &event.costs()[..] {
                [one] => vec![book.least(*one, event.counts_also(), event.adjacency)],
                several => several.to_vec(),
            };
            let costs = book.costs(&counted, event.adjacency);
            match costs.and_then(|costs| costs.spend_from(&mut book.filter.clone())) {
                Ok(()) => Ok((now, kind, content.to_string())),
                Err(source) => {
                    let source = with_two_steps(source, kind);
                    content["refused"] = Value::from(source.to_string());
                    Err(Stop::Refused(Error::Refused { file, source }, content.to_string()))
                }
            }
        })?;
        Ok(LedgerEntry { ledger: mark.ledger, entry })
    }

    /// Notes that the release of an entry was made, if that was not noted before.
    ///
    /// # Errors
    /// As for [`released`](Ledger::released).
    pub fn released_once(&self, at: &LedgerEntry) -> Result<()> {
        let book = self.book()?;
        let is_noted = |entry: &Entry| book.ledger == at.ledger && entry.status == Status::Released;
        if book.entry(at.entry).is_some_and(is_noted) { Ok(()) } else { self.released_entry(at) }
    }

    /// Reads the content of the ledger.
    ///
    /// # Errors
    /// As for [`Ledger::open`].
    pub fn book(&self) -> Result<Book> {
        Store::open(&self.path)?.transaction(false, |_, lines| self.read(&lines))
    }

    /// Checks the file and returns all faults, none if it may be used.
    ///
    /// It runs the integrity check of SQLite, follows the chain of hashes and adds up all entries. It also detects
    /// copies and older states of the file.
    ///
    /// # Errors
    /// [`Error::Missing`], [`Error::NotALedger`], [`Error::Busy`], [`Error::Io`]: if no check is possible.
    pub fn check(&self) -> Result<Vec<String>> {
        self.faults(Error::to_string)
    }

    /// The same for somebody who reads a file that may be a copy: the faults without that, and the sentence about it.
    ///
    /// # Errors
    /// As for [`Ledger::check`].
    pub fn check_apart(&self) -> Result<(Vec<String>, Option<String>)> {
        let mut problems = self.check_for_reader()?;
        let copied = Error::Copied { file: name(&self.path) }.for_reader();
        let is_copy = problems.contains(&copied);
        problems.retain(|problem| *problem != copied);
        Ok((problems, is_copy.then_some(copied)))
    }

    /// The same with advice for somebody who only reads the ledger: a copy needs no repair.
    ///
    /// # Errors
    /// As for [`Ledger::check`].
    pub fn check_for_reader(&self) -> Result<Vec<String>> {
        self.faults(Error::for_reader)
    }

    fn faults(&self, sentence: impl Fn(&Error) -> String) -> Result<Vec<String>> {
        let mut problems = match Store::open(&self.path).and_then(|store| store.problems()) {
            Ok(problems) => problems,
            Err(Error::Damaged { reason, .. }) => vec![reason],
            Err(error) => return Err(error),
        };
        let found = Store::open(&self.path).and_then(|mut store| {
            // no program adds a line while they are read, so that the mark cannot be ahead of them
            store.transaction(false, |_, lines| {
                let book = self.read(&lines)?;
                Ok([self.is_home(&book), self.is_newest(&book)])
            })
        });
        match found {
            Ok(found) => problems.extend(found.into_iter().filter_map(|is_so| Some(sentence(&is_so.err()?)))),
            Err(Error::Damaged { reason, .. }) => problems.push(reason),
            Err(error) => return Err(error),
        }
        problems.dedup();
        Ok(problems)
    }

    /// Accepts a file that was copied, restored or moved to another disk as the ledger. You thereby promise that no
    /// other copy is in use, and that the former one counted no release since this copy was made.
    ///
    /// # Errors
    /// As for [`Ledger::reservation`].
    pub fn adopt(&self) -> Result<()> {
        let adopted = Store::open(&self.path)?.transaction(true, |transaction, lines| {
            let book = self.read(&lines)?;
            self.is_newest(&book)?;
            let content = json(&event::Adopted { home: store::home(&self.path) });
            let add = || self.add(transaction, &book, store::now(transaction)?, event::ADOPTED, content?);
            add().map_err(|error| store::failure(&self.path, "written to", &error))
        })?;
        mark::advance(&self.path, &adopted);
        Ok(())
    }

    /// Counts releases that other programs made, all or none. They happened, so they count even beyond the total:
    /// nothing is left then, and every later release is refused.
    ///
    /// ```
    /// use karcher::{privacy::{Definition, Guarantee}, release::{Adjacency, PrivacyUnit}};
    /// use karcher_ledger::{ForeignRelease, Imported, Ledger};
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("budget.db");
    /// let ledger = Ledger::create(&path, "trial of 2026", Guarantee::pure(1.0)?)?;
    /// let histogram = ForeignRelease {
    ///     release: "histogram of ages".to_owned(),
    ///     library: "OpenDP 0.16.0".to_owned(),
    ///     guarantee: Guarantee::pure(0.75)?,
    ///     unit: PrivacyUnit::Record,
    ///     adjacency: Adjacency::ReplaceOne,
    ///     data: "trial of 2026".to_owned(),
    ///     date: "2026-11-27".to_owned(),
    ///     id: None,
    /// };
    /// assert_eq!(ledger.import(&[histogram.clone()])?, Imported { counted: 1, known: 0 });
    /// assert_eq!(ledger.import(&[histogram])?, Imported { counted: 0, known: 1 });
    /// assert_eq!(ledger.book()?.left(), Definition::Pure { epsilon: 0.25 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Foreign`] for releases about other data, or twice in the list; [`Error::Refused`] for a guarantee that
    /// the total does not count; else as for [`Ledger::reservation`].
    pub fn import(&self, releases: &[ForeignRelease]) -> Result<Imported> {
        let file = || name(&self.path);
        let (book, imported) = Store::open(&self.path)?.transaction(true, |transaction, lines| {
            let failed = |error| store::failure(&self.path, "written to", &error);
            let mut book = self.read(&lines)?;
            self.is_home(&book)?;
            self.is_newest(&book)?;
            let now = store::now(transaction).map_err(failed)?;
            // all fields count, as a copy of the ledger may have other entries of its name
            let known = book.exportable();
            let mut imported = Imported::default();
            for (release, number) in releases.iter().zip(1..) {
                let wrong = |reason: String| Error::Foreign { file: file(), number, reason };
                check_foreign(release, &releases[..number - 1], &book).map_err(wrong)?;
                if known.contains(release) {
                    imported.known += 1;
                    continue;
                }
                if book.unit == PrivacyUnit::Person && release.unit == PrivacyUnit::Record {
                    return Err(Error::RecordsOnly { file: file() });
                }
                let cost = book.costs(&[release.guarantee], release.adjacency);
                let counted = cost.and_then(|cost| cost.record_in(&mut book.filter.clone()));
                counted.map_err(|source| Error::Refused { file: file(), source })?;
                let content = json(release).map_err(failed)?;
                let before = book.hash(book.lines()).unwrap_or_default();
                let line = line(book.lines() + 1, &before, now.clone(), event::FOREIGN, content);
                book.take(&line).map_err(|reason| Error::Damaged { file: file(), reason })?;
                store::append(transaction, &line).map_err(failed)?;
                book.hashes.push(line.hash);
                imported.counted += 1;
            }
            Ok((book, imported))
        })?;
        self.advance(&book);
        Ok(imported)
    }

    fn read(&self, lines: &[Line]) -> Result<Book> {
        Book::read(lines).map_err(|reason| Error::Damaged { file: name(&self.path), reason })
    }

    fn is_home(&self, book: &Book) -> Result<()> {
        let moved = matches!((&book.home, store::home(&self.path)), (Some(then), Some(now)) if *then != now);
        if moved { Err(Error::Copied { file: name(&self.path) }) } else { Ok(()) }
    }

    fn is_newest(&self, book: &Book) -> Result<()> {
        mark::check(&self.path, &book.ledger, book.lines(), |line| book.hash(line))
    }

    fn advance(&self, book: &Book) {
        mark::advance(&self.path, &Self::mark(book));
    }

    fn mark(book: &Book) -> Mark {
        let hash = book.hash(book.lines()).unwrap_or_default();
        Mark { ledger: book.ledger.clone(), lines: book.lines(), hash }
    }

    /// Adds the line that `next` makes of the book and the time, in one exclusive transaction. Returns the new mark of
    /// the ledger.
    fn append(&self, next: impl FnOnce(&Book, String) -> Result<(String, &'static str, String), Stop>) -> Result<Mark> {
        let mut refused = None;
        let mark = Store::open(&self.path)?.transaction(true, |transaction, lines| {
            let book = self.read(&lines)?;
            self.is_home(&book)?;
            self.is_newest(&book)?;
            let failed = |error| store::failure(&self.path, "written to", &error);
            let now = store::now(transaction).map_err(failed)?;
            let (time, event, content) = match next(&book, now.clone()) {
                Ok(line) => line,
                Err(Stop::Error(error)) => return Err(error),
                Err(Stop::Sql(error)) => return Err(failed(error)),
                Err(Stop::Known) => return Ok(Self::mark(&book)),
                Err(Stop::Refused(error, content)) => {
                    refused = Some(error);
                    (now, event::REFUSED, content)
                }
            };
            self.add(transaction, &book, time, event, content).map_err(failed)
        });
        match (refused, mark) {
            // whether or not the refusal could be written down
            (Some(refused), mark) => {
                mark.iter().for_each(|mark| mark::advance(&self.path, mark));
                Err(refused)
            }
            (None, mark) => {
                let mark = mark?;
                mark::advance(&self.path, &mark);
                Ok(mark)
            }
        }
    }

    fn add(
        &self,
        transaction: &Transaction<'_>,
        book: &Book,
        time: String,
        event: &str,
        content: String,
    ) -> rusqlite::Result<Mark> {
        let number = book.lines() + 1;
        let line = line(number, &book.hash(book.lines()).unwrap_or_default(), time, event, content);
        store::append(transaction, &line)?;
        Ok(Mark { ledger: book.ledger.clone(), lines: number, hash: line.hash })
    }
}

impl Accountant for Ledger {
    type Error = Error;

    fn reserve(&self, event: &PrivacyEvent) -> Result<LedgerEntry> {
        self.reserve_with(event, None)
    }
}

/// A refusal of an event, with the reason for which it counts twice, if it does.
fn with_two_steps(refused: karcher::Error, kind: &str) -> karcher::Error {
    match kind {
        event::RESERVED_AS_TWO => {
            let reason = format!("{refused}; replacing a record takes two steps, {}", Book::TWO_STEPS);
            PrivacyError::OverBudget { reason }.into()
        }
        _ => refused,
    }
}

/// A reason to end a transaction.
enum Stop {
    /// It changes nothing.
    Error(Error),
    /// The batch was counted before, so nothing is added.
    Known,
    /// SQLite, or JSON, has failed.
    Sql(rusqlite::Error),
    /// The request is refused, which is written down.
    Refused(Error, String),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Error(error)
    }
}

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        Stop::Sql(error)
    }
}

fn line(number: u64, before: &str, time: String, event: &str, content: String) -> Line {
    let number = number.cast_signed();
    let hash = chain::link(before, number, &time, event, &content);
    Line { number, time, event: event.to_owned(), content, hash }
}

fn json(content: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(content).map_err(to_sql)
}

fn to_sql(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}

/// The fault of a release to import, among those before it in its list.
fn check_foreign(release: &ForeignRelease, before: &[ForeignRelease], book: &Book) -> Result<(), String> {
    if release.data != book.data {
        return Err(format!("is about {:?}, and the ledger about {:?}", release.data, book.data));
    }
    let texts = [&release.release, &release.library, &release.date].into_iter().chain(&release.id);
    if texts.into_iter().any(|text| check_name(text).is_err()) {
        return Err("has an empty text, one of more than 200 characters, or one that does not print".to_owned());
    }
    match before.contains(release) {
        true => Err("is twice in the list: give each release a name or an id of its own".to_owned()),
        false => Ok(()),
    }
}

fn check_name(data: &str) -> Result<()> {
    let reason = match data {
        _ if data.trim().is_empty() => "is empty: give the data a name that everybody will know it by",
        _ if data.chars().count() > LONGEST_NAME => "is longer than 200 characters",
        _ if data.chars().any(char::is_control) => "has characters that do not print",
        _ => return Ok(()),
    };
    Err(Error::Name { reason })
}
