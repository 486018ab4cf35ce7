//! The journal of an aggregator: which reports were added up, and what it sent.

use crate::aggregator::NoisyShare;
use crate::error::{Result, unusable};
use crate::key::text;
use crate::task::Task;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior};
use std::path::Path;

/// What an aggregator writes down before it sends anything, in a file of SQLite. It sends the same bytes again for the
/// same batch; it takes part in each round of a release once, and adds up each report once.
#[derive(Debug)]
pub struct Journal(Connection);

const TABLES: &str = "
    CREATE TABLE batch (
        release BLOB NOT NULL, round INTEGER NOT NULL, digest BLOB NOT NULL, sent TEXT NOT NULL, booked INTEGER NOT NULL,
        PRIMARY KEY (release, round)
    );
    CREATE TABLE report (nonce BLOB PRIMARY KEY, release BLOB NOT NULL, round INTEGER NOT NULL) WITHOUT ROWID;
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
    /// A new journal, with the keys of an aggregator. An aggregator has one, as long as it has its keys.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal) where there is such a file.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        if path.exists() {
            return Err(unusable(path.display().to_string(), "exists"));
        }
        Self::with(Connection::open(path)?)
    }

    /// Opens a journal.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal) where there is none: without it noise could be added twice.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(std::time::Duration::from_secs(30))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        Ok(Self(connection))
    }

    /// A journal for tests, which ends with the process.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal).
    pub fn in_memory() -> Result<Self> {
        Self::with(Connection::open_in_memory()?)
    }

    fn with(connection: Connection) -> Result<Self> {
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(TABLES)?;
        Ok(Self(connection))
    }

    /// The sum for a task, if noise was added to it. So an aggregator that was interrupted sends it without the reports.
    ///
    /// # Errors
    /// Where the file cannot be read, or holds no such sum.
    pub fn sum(&self, task: &Task) -> Result<Option<NoisyShare>> {
        let select = "SELECT sent FROM batch WHERE release = ? AND round = ?";
        let sent: Option<String> = self.0.query_row(select, task.at(), |row| row.get(0)).optional()?;
        let sum: Option<NoisyShare> = sent.as_deref().map(read).transpose()?;
        Ok(sum.filter(|sum| sum.task == text(&task.digest())))
    }

    /// Whether a report was added up in another round or release.
    pub(crate) fn knows(&self, nonce: &[u8; 16], (release, round): &At) -> Result<bool> {
        let query = "SELECT EXISTS (SELECT 1 FROM report WHERE nonce = ? AND (release <> ? OR round <> ?))";
        Ok(self.0.query_row(query, (nonce, release, round), |row| row.get(0))?)
    }

    /// Writes what will be sent for a batch of a round, once, and returns it. If it was written before, that is
    /// returned. `make` is called if there is none; `book` before it, unless the release was booked.
    ///
    /// # Errors
    /// Where another batch of the round was added up, or a report was in another batch; those of `book` and `make`.
    pub(crate) fn once(
        &mut self,
        (release, round): &At,
        (digest, nonces): (&[u8; 32], &[[u8; 16]]),
        book: Option<&mut dyn FnMut() -> Result<(), String>>,
        make: impl FnOnce() -> Result<String>,
    ) -> Result<String> {
        let transaction = self.0.transaction_with_behavior(TransactionBehavior::Immediate)?;
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
        let booked = "SELECT EXISTS (SELECT 1 FROM batch WHERE release = ? AND booked)";
        let was_booked: bool = transaction.query_row(booked, [release], |row| row.get(0))?;
        let books = book.is_some();
        if let Some(book) = book.filter(|_| !was_booked) {
            book().map_err(|reason| unusable("the ledger", reason))?;
        }
        let made = make()?;
        let insert = "INSERT INTO batch (release, round, digest, sent, booked) VALUES (?, ?, ?, ?, ?)";
        transaction.execute(insert, (release, round, digest, &made, books || was_booked))?;
        transaction.commit()?;
        Ok(made)
    }
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
