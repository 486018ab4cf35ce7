//! The journal of an aggregator: which reports were added up, and what it sent.

use crate::error::{Result, unusable};
use crate::task::Task;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use std::path::Path;

/// What an aggregator writes down before it sends anything, in a file of SQLite. It sends the same bytes again for the
/// same batch; it takes part in each round of a release once, and adds up each report once.
#[derive(Debug)]
pub struct Journal(Connection);

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS batch (
        release BLOB NOT NULL, round INTEGER NOT NULL, digest BLOB NOT NULL, sent TEXT NOT NULL,
        PRIMARY KEY (release, round)
    );
    CREATE TABLE IF NOT EXISTS report (nonce BLOB PRIMARY KEY) WITHOUT ROWID;
";

impl Journal {
    /// Opens a journal, or makes it.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal) where the file cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::with(Connection::open(path)?)
    }

    /// A journal for tests, which ends with the process.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal).
    pub fn in_memory() -> Result<Self> {
        Self::with(Connection::open_in_memory()?)
    }

    fn with(connection: Connection) -> Result<Self> {
        connection.busy_timeout(std::time::Duration::from_secs(30))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(TABLES)?;
        Ok(Self(connection))
    }

    /// Whether noise was added to a round of the release of a task: then its budget is spent.
    ///
    /// # Errors
    /// [`Error::Journal`](crate::Error::Journal) where the file cannot be read.
    pub fn took_part(&self, task: &Task) -> Result<bool> {
        let count = "SELECT EXISTS (SELECT 1 FROM batch WHERE release = ?)";
        Ok(self.0.query_row(count, [task.release_digest()], |row| row.get(0))?)
    }

    /// What was sent for a round of a release, if it was: for the batch with this digest.
    ///
    /// # Errors
    /// Where another batch of that round was added up.
    pub(crate) fn sent(&self, release: &[u8; 32], round: u32, digest: &[u8; 32]) -> Result<Option<String>> {
        let found: Option<(Vec<u8>, String)> = self
            .0
            .query_row("SELECT digest, sent FROM batch WHERE release = ? AND round = ?", (release, round), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        match found {
            Some((known, sent)) if known == digest => Ok(Some(sent)),
            Some(_) => Err(another_batch()),
            None => Ok(None),
        }
    }

    /// Writes a batch and what will be sent, all or nothing.
    ///
    /// # Errors
    /// Where a report was in an earlier batch, or another batch of the round was added up meanwhile.
    pub(crate) fn write(
        &mut self,
        (release, round): (&[u8; 32], u32),
        digest: &[u8; 32],
        nonces: &[[u8; 16]],
        sent: &str,
    ) -> Result<()> {
        let transaction = self.0.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let added = transaction.execute(
            "INSERT OR IGNORE INTO batch (release, round, digest, sent) VALUES (?, ?, ?, ?)",
            (release, round, digest, sent),
        )?;
        if added == 0 {
            return Err(another_batch());
        }
        for nonce in nonces {
            if transaction.execute("INSERT OR IGNORE INTO report (nonce) VALUES (?)", [nonce])? == 0 {
                let reason = "was in an earlier batch: leave out the reports that were added up before";
                return Err(unusable("a report", reason));
            }
        }
        Ok(transaction.commit()?)
    }
}

fn another_batch() -> crate::Error {
    let reason = "was added up before from other reports: a second sum would spend the budget again; give another \
                  release a name of its own";
    unusable("this round", reason)
}
