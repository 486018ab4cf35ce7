//! The journal of an aggregator: which reports were added up, and what it sent.
//!
//! A transaction is on the disk when it returns, with the removal of its own journal (`synchronous = EXTRA`, as for a
//! ledger). The batches are a chain of hashes. So a copy, an older state and the journal of another key are found, and
//! no noise is added with them.

use crate::aggregator::NoisyShare;
use crate::error::{Result, unusable};
use crate::key::{PublicKey, random, text};
use crate::task::Task;
use karcher::release::LedgerEntry;
use karcher_ledger::file::{self, Home, Mark};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};

/// What an aggregator writes down before it sends anything, in a file of SQLite. It sends the same bytes again for the
/// same batch; it takes part in each round of a release once, and adds up each report once.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
    /// The file; none of a journal in memory.
    path: Option<PathBuf>,
}

/// Marks a database as a journal of this form: `krcj`.
const APPLICATION: i64 = 0x6b72_636a;

const TABLES: &str = "
    CREATE TABLE journal (name TEXT NOT NULL, owner TEXT, home TEXT);
    CREATE TABLE batch (
        number INTEGER PRIMARY KEY, release BLOB NOT NULL, round INTEGER NOT NULL, digest BLOB NOT NULL,
        sent TEXT NOT NULL, entry TEXT, hash TEXT NOT NULL, UNIQUE (release, round)
    );
    CREATE TABLE report (nonce BLOB PRIMARY KEY, release BLOB NOT NULL, round INTEGER NOT NULL) WITHOUT ROWID;
    PRAGMA application_id = 1802658666;
";

/// A round of a release.
pub(crate) type At = ([u8; 32], u32);

impl Task {
    /// The round and the release that it is of.
    pub(crate) fn at(&self) -> At {
        (self.release_digest(), self.state().rounds() as u32) // far fewer rounds
    }
}

impl Journal {
    /// A new journal of the aggregator with a public key. An aggregator has one, as long as it has its keys.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal) where there is such a file.
    pub fn create(path: impl AsRef<Path>, owner: &PublicKey) -> Result<Self> {
        let path = path.as_ref();
        match std::fs::File::create_new(path) {
            Ok(file) => drop(file),
            Err(error) => return Err(unusable(path.display().to_string(), format!("cannot be made ({error})"))),
        }
        let journal = Self { connection: connect(path)?, path: Some(path.to_owned()) };
        let home = serde_json::to_string(&file::home(path)).unwrap_or_default(); // plain fields serialise
        journal.begin(Some(&owner.id()), &home)?;
        sync_folder(path);
        Ok(journal)
    }

    /// Opens a journal.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal) where there is none: without it noise could be added twice. Also for
    /// one that was changed, for an older state, and for a copy until it is [adopted](Self::adopt).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let journal = Self::unchecked(path.as_ref())?;
        journal.check()?;
        Ok(journal)
    }

    /// Accepts a journal that was copied, restored or moved as that of the aggregator. You thereby promise that no
    /// other copy is in use, and that it is not older than what the aggregator sent.
    ///
    /// # Errors
    /// As for [`open`](Self::open), except for a copy.
    pub fn adopt(path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let journal = Self::unchecked(path)?;
        journal.check_state()?;
        let home = serde_json::to_string(&file::home(path)).unwrap_or_default();
        journal.connection.execute("UPDATE journal SET home = ?", [home])?;
        Ok(())
    }

    /// A journal for tests, which ends with the process.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal).
    pub fn in_memory() -> Result<Self> {
        let journal = Self { connection: Connection::open_in_memory()?, path: None };
        journal.begin(None, "null")?;
        Ok(journal)
    }

    #[cfg(test)]
    pub(crate) fn synchronous(&self) -> Result<i64> {
        Ok(self.connection.pragma_query_value(None, "synchronous", |row| row.get(0))?)
    }

    fn unchecked(path: &Path) -> Result<Self> {
        let journal = Self { connection: connect(path)?, path: Some(path.to_owned()) };
        let application: i64 = journal.connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
        match application {
            APPLICATION => Ok(journal),
            _ => Err(unusable(path.display().to_string(), "is no journal that this karcher made with the keys")),
        }
    }

    fn begin(&self, owner: Option<&str>, home: &str) -> Result<()> {
        self.connection.execute_batch(&format!("BEGIN EXCLUSIVE; {TABLES} COMMIT;"))?;
        let insert = "INSERT INTO journal (name, owner, home) VALUES (?, ?, ?)";
        self.connection.execute(insert, (text(&random::<16>()?), owner, home))?;
        Ok(())
    }

    /// Refuses the journal of another aggregator.
    pub(crate) fn check_owner(&self, key: &PublicKey) -> Result<()> {
        let owner: Option<String> = self.connection.query_row("SELECT owner FROM journal", [], |row| row.get(0))?;
        match owner {
            Some(owner) if owner != key.id() => {
                Err(unusable(self.name(), "is the journal of another key: give the one that was made with this key"))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a journal that was changed, an older state, and a copy.
    fn check(&self) -> Result<()> {
        self.check_state()?;
        let Some(path) = &self.path else { return Ok(()) };
        let home: String = self.connection.query_row("SELECT home FROM journal", [], |row| row.get(0))?;
        let then: Option<Home> = serde_json::from_str(&home).unwrap_or_default();
        match (then, file::home(path)) {
            (Some(then), Some(now)) if then != now => {
                let reason = "is a copy of a journal, or was restored, moved or renamed: two of them could add noise \
                              twice. If no other is in use, accept it by `karcher aggregate adopt KEY.key`";
                Err(unusable(self.name(), reason))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a journal that was changed, and an older state.
    fn check_state(&self) -> Result<()> {
        let hashes = hashes(&self.connection)?;
        let hashes = hashes.ok_or_else(|| unusable(self.name(), "was changed after it was written: restore it"))?;
        let Some(path) = &self.path else { return Ok(()) };
        let hash = |line: u64| hashes.get(line.checked_sub(1)? as usize).cloned();
        file::check(path, &self.random_name()?, hashes.len() as u64, hash).map_err(|error| match error {
            karcher_ledger::Error::Older { mark, expected, found, .. } => {
                let reason = format!(
                    "is an older state: {mark} says that it had {expected} batches, and it has {found}, or others. \
                     Noise could be added twice; restore the newer file"
                );
                unusable(self.name(), reason)
            }
            other => unusable(self.name(), other),
        })
    }

    fn random_name(&self) -> Result<String> {
        Ok(self.connection.query_row("SELECT name FROM journal", [], |row| row.get(0))?)
    }

    fn name(&self) -> String {
        self.path.as_ref().map_or("the journal".to_owned(), |path| path.display().to_string())
    }

    /// The sum for a task, if noise was added to it. So an aggregator that was interrupted sends it without the
    /// reports.
    ///
    /// # Errors
    /// Where the file cannot be read, and for the journal of another key.
    pub fn sum(&self, task: &Task) -> Result<Option<NoisyShare>> {
        let select = "SELECT sent FROM batch WHERE release = ? AND round = ?";
        let sent: Option<String> = self.connection.query_row(select, task.at(), |row| row.get(0)).optional()?;
        let sum: Option<NoisyShare> = sent.as_deref().map(read).transpose()?;
        let sum = sum.filter(|sum| sum.task == text(&task.digest()));
        sum.iter().filter_map(|sum| task.keys().get(sum.from)).try_for_each(|key| self.check_owner(key))?;
        Ok(sum)
    }

    /// Whether a report was added up in another round or release.
    pub(crate) fn knows(&self, nonce: &[u8; 16], (release, round): &At) -> Result<bool> {
        let query = "SELECT EXISTS (SELECT 1 FROM report WHERE nonce = ? AND (release <> ? OR round <> ?))";
        Ok(self.connection.query_row(query, (nonce, release, round), |row| row.get(0))?)
    }

    /// Writes what will be sent for a batch of a round, once, and returns it. If it was written before, that is
    /// returned. `make` is called if there is none; `book` before it, unless the release was booked.
    ///
    /// # Errors
    /// Where another batch of the round was added up, or a report was in another batch; those of `book` and `make`; as
    /// for [`open`](Self::open).
    pub(crate) fn once(
        &mut self,
        (release, round): &At,
        (digest, nonces): (&[u8; 32], &[[u8; 16]]),
        book: Option<impl FnOnce() -> Result<LedgerEntry, String>>,
        make: impl FnOnce(Option<LedgerEntry>) -> Result<String>,
    ) -> Result<String> {
        self.check()?;
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if let Some(sent) = sent(&transaction, (release, round), digest)? {
            return Ok(sent);
        }
        let mut insert =
            transaction.prepare("INSERT OR IGNORE INTO report (nonce, release, round) VALUES (?, ?, ?)")?;
        for nonce in nonces {
            if insert.execute((nonce, release, round))? == 0 {
                let reason = "was in an earlier batch: check the reports again, which leaves it out";
                return Err(unusable("a report", reason));
            }
        }
        drop(insert);
        let known = "SELECT entry FROM batch WHERE release = ? AND entry IS NOT NULL ORDER BY round LIMIT 1";
        let known: Option<String> = transaction.query_row(known, [release], |row| row.get(0)).optional()?;
        let entry = match (known, book) {
            (Some(known), _) => serde_json::from_str(&known).map_err(|error| unusable("the journal", error))?,
            (None, Some(book)) => Some(book().map_err(|reason| unusable("the ledger", reason))?),
            (None, None) => None,
        };
        let made = make(entry.clone())?;
        let entry = entry.and_then(|entry| serde_json::to_string(&entry).ok());
        let before: Vec<String> = hashes(&transaction)?.unwrap_or_default();
        let number = before.len() as u64 + 1;
        let last = before.last().map_or(file::START, String::as_str);
        let hash = link(last, number, (release, *round), &made, entry.as_deref());
        let insert =
            "INSERT INTO batch (number, release, round, digest, sent, entry, hash) VALUES (?, ?, ?, ?, ?, ?, ?)";
        transaction.execute(insert, (number.cast_signed(), release, round, digest, &made, entry, &hash))?;
        transaction.commit()?;
        if let Some(path) = &self.path {
            file::advance(path, &Mark { ledger: self.random_name()?, lines: number, hash });
        }
        Ok(made)
    }
}

/// A connection to a file that exists.
fn connect(path: &Path) -> Result<Connection> {
    // SQLite has a meaning of its own for some names, which a path from the root never is
    let path = std::path::absolute(path).unwrap_or(path.into());
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.busy_timeout(std::time::Duration::from_secs(30))?;
    connection.pragma_update(None, "synchronous", "EXTRA")?;
    connection.pragma_update(None, "fullfsync", true)?;
    Ok(connection)
}

/// Puts the names of a folder on the disk, where the system can: a file that was just made stays after a power failure.
pub(crate) fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = std::fs::File::open(folder).and_then(|folder| folder.sync_all()); // not every system opens folders
}

/// The hashes of the chain of batches, or nothing where a batch was changed.
fn hashes(connection: &Connection) -> Result<Option<Vec<String>>> {
    let mut all: Vec<String> = vec![];
    let mut select =
        connection.prepare("SELECT number, release, round, sent, entry, hash FROM batch ORDER BY number")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let number = all.len() as u64 + 1;
        let before = all.last().map_or(file::START, String::as_str);
        let (release, sent, entry): ([u8; 32], String, Option<String>) = (row.get(1)?, row.get(3)?, row.get(4)?);
        let hash = link(before, number, (&release, row.get(2)?), &sent, entry.as_deref());
        if row.get::<_, i64>(0)? != number.cast_signed() || row.get::<_, String>(5)? != hash {
            return Ok(None);
        }
        all.push(hash);
    }
    Ok(Some(all))
}

/// The hash of a batch, with those before it.
fn link(before: &str, number: u64, (release, round): (&[u8; 32], u32), sent: &str, entry: Option<&str>) -> String {
    let event = format!("{}/{round}", text(release));
    file::link(before, number.cast_signed(), entry.unwrap_or_default(), &event, sent)
}

/// The sum that was sent.
pub(crate) fn read(sent: &str) -> Result<NoisyShare> {
    serde_json::from_str(sent).map_err(|error| unusable("the journal", error))
}

/// What was sent for a round of a release, if it was: for the batch with this digest.
fn sent(
    transaction: &Transaction<'_>,
    (release, round): (&[u8; 32], &u32),
    digest: &[u8; 32],
) -> Result<Option<String>> {
    let query = "SELECT digest, sent FROM batch WHERE release = ? AND round = ?";
    let found = transaction.query_row(query, (release, round), |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    match found {
        Some((known, sent)) => {
            let known: Vec<u8> = known;
            if known != digest {
                let reason = "was added up before from other reports: a second sum would spend the budget again; give \
                              another release a name of its own";
                return Err(unusable("this round", reason));
            }
            Ok(Some(sent))
        }
        None => Ok(None),
    }
}
