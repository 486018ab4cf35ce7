//! The file: an SQLite database with one table, to which lines are only added.
//!
//! **A rollback journal, not a write-ahead log.** With a log, the last transactions are in another file until a
//! checkpoint; a copy of the ledger alone would lack them. With a journal, committed lines are in the ledger itself.
//! `synchronous = EXTRA` also puts the journal's removal on the disk before a transaction returns. Without it, a power
//! failure could bring back the journal, and so the previous state.

use crate::error::{Error, Result, name};
use karcher::release::PrivacyUnit;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row, Transaction, TransactionBehavior};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;

/// Marks a database as a ledger: `krcl`.
const APPLICATION: i64 = 0x6b72_636c;

/// The version of the table, and of a table that programs without support for persons must not write to.
const VERSION: i64 = 1;
const OF_PERSONS: i64 = 2;

/// Time that a program waits for others.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The statements that create a ledger. Triggers keep its lines unchanged.
const SCHEMA: &str = "
    CREATE TABLE line (
        number INTEGER PRIMARY KEY,
        time TEXT NOT NULL,
        event TEXT NOT NULL,
        content TEXT NOT NULL,
        hash TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER line_stays BEFORE UPDATE ON line BEGIN SELECT RAISE(ABORT, 'lines of a ledger stay'); END;
    CREATE TRIGGER line_is_kept BEFORE DELETE ON line BEGIN SELECT RAISE(ABORT, 'lines of a ledger stay'); END;
    PRAGMA application_id = 1802658668;
    PRAGMA user_version = 1;
";

/// A line of the file.
pub struct Line {
    /// From 1, without gaps.
    pub number: i64,
    /// The time, in UTC.
    pub time: String,
    /// The event.
    pub event: String,
    /// More about it, as JSON.
    pub content: String,
    /// The chain up to here.
    pub hash: String,
}

/// An open file.
pub struct Store<'a> {
    path: &'a Path,
    connection: Connection,
}

impl<'a> Store<'a> {
    /// Opens a file that exists.
    pub fn open(path: &'a Path) -> Result<Self> {
        match path.metadata() {
            Ok(about) if about.is_dir() => return Err(not_a_ledger(path, "it is a folder")),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::Missing { file: name(path) });
            }
            Err(error) => return Err(Error::Io { file: name(path), task: "read", reason: error.to_string() }),
        }
        refuse_other_names(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || {
            // SQLite has a meaning of its own for `:memory:`, which a path from the root never is
            let connection = Connection::open_with_flags(std::path::absolute(path).unwrap_or(path.into()), flags)?;
            connection.busy_timeout(PATIENCE)?;
            connection.pragma_update(None, "trusted_schema", false)?;
            connection.pragma_update(None, "synchronous", "EXTRA")?;
            connection.pragma_update(None, "fullfsync", true)?;
            Ok(connection)
        };
        Ok(Self { path, connection: open().map_err(|error| failure(path, "read", &error))? })
    }

    /// Creates the table of an empty file, and writes the first line, all in one transaction.
    pub fn create(
        &mut self,
        unit: PrivacyUnit,
        line: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
    ) -> Result<()> {
        let path = self.path;
        let make = || {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
            transaction.execute_batch(SCHEMA)?;
            if unit != PrivacyUnit::Record {
                transaction.pragma_update(None, "user_version", OF_PERSONS)?;
            }
            line(&transaction)?;
            transaction.commit()
        };
        make().map_err(|error| failure(path, "written to", &error))
    }

    /// Reads all lines, and calls `work` with them and the transaction. If `writing`, no other program writes in the
    /// meantime.
    pub fn transaction<T>(
        &mut self,
        writing: bool,
        work: impl FnOnce(&Transaction<'_>, Vec<Line>) -> Result<T>,
    ) -> Result<T> {
        let path = self.path;
        let task = if writing { "written to" } else { "read" };
        let behavior = if writing { TransactionBehavior::Immediate } else { TransactionBehavior::Deferred };
        // a file that is not a database fails here on its first read, instead of later as unwritable
        check_kind(path, &self.connection)?;
        let mode = self.connection.pragma_query_value(None, "journal_mode", |row| row.get::<_, String>(0));
        let mode = mode.map_err(|error| failure(path, task, &error))?;
        if mode != "delete" {
            let reason = format!("its journal mode is {mode}, and it must be delete");
            return Err(Error::Damaged { file: name(path), reason });
        }
        let transaction = self.connection.transaction_with_behavior(behavior);
        let transaction = transaction.map_err(|error| failure(path, task, &error))?;
        refuse_other_objects(path, &transaction)?;
        let lines = read_lines(&transaction).map_err(|error| failure(path, "read", &error))?;
        let done = work(&transaction, lines)?;
        if writing {
            transaction.commit().map_err(|error| failure(path, task, &error))?;
        }
        Ok(done)
    }

    /// The faults that SQLite finds in the file.
    pub fn problems(&self) -> Result<Vec<String>> {
        let read = || {
            let mut statement = self.connection.prepare("PRAGMA integrity_check")?;
            statement.query_map([], |row| row.get::<_, String>(0))?.collect::<rusqlite::Result<Vec<_>>>()
        };
        let found = read().map_err(|error| failure(self.path, "read", &error))?;
        Ok(found.into_iter().filter(|line| line != "ok").collect())
    }
}

/// Adds a line.
pub fn append(transaction: &Transaction<'_>, line: &Line) -> rusqlite::Result<()> {
    let Line { number, time, event, content, hash } = line;
    transaction
        .execute(
            "INSERT INTO line (number, time, event, content, hash) VALUES (?1, ?2, ?3, ?4, ?5)",
            (number, time, event, content, hash),
        )
        .map(|_| ())
}

/// The time, in UTC, to the second.
pub fn now(transaction: &Transaction<'_>) -> rusqlite::Result<String> {
    transaction.query_row("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')", [], |row| row.get(0))
}

/// A name that no other ledger has.
pub fn random_name(transaction: &Transaction<'_>) -> rusqlite::Result<String> {
    transaction.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))
}

/// The identity of a file, where the system reports it. A copy has another one, as does a file that was restored,
/// moved, renamed, or mounted at another place. SQLite finds the journal of an interrupted transaction by the file's
/// name and folder. So a file in use under two of them could lose lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    name: String,
    folder: u64,
    file: u64,
    /// Nanoseconds since 1970, where the file system keeps it: the number of a file that was removed may be given to
    /// the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    born: Option<u64>,
}

/// The identity of a file, if the system reports it.
pub fn home(path: &Path) -> Option<Home> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let path = path.canonicalize().ok()?;
        let about = path.metadata().ok()?;
        let born = about.created().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Some(Home {
            name: path.file_name()?.to_string_lossy().into_owned(),
            folder: path.parent()?.metadata().ok()?.ino(),
            file: about.ino(),
            born: born.and_then(|time| time.as_nanos().try_into().ok()),
        })
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// The error for one of SQLite.
pub fn failure(path: &Path, task: &'static str, error: &rusqlite::Error) -> Error {
    let file = name(path);
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => not_a_ledger(path, "it is no SQLite database"),
        Some(ErrorCode::DatabaseCorrupt) => Error::Damaged { file, reason: error.to_string() },
        // a file that was cut short has no text where there was one
        None if matches!(
            error,
            rusqlite::Error::InvalidColumnType(..) | rusqlite::Error::FromSqlConversionFailure(..)
        ) =>
        {
            Error::Damaged { file, reason: error.to_string() }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy { file, seconds: PATIENCE.as_secs() },
        _ => Error::Io { file, task, reason: error.to_string() },
    }
}

fn not_a_ledger(path: &Path, reason: &str) -> Error {
    Error::NotALedger { file: name(path), reason: reason.to_owned() }
}

/// Under two names a database would have two journals, and could be torn.
fn refuse_other_names(path: &Path) -> Result<()> {
    #[cfg(unix)]
    if path.metadata().is_ok_and(|about| std::os::unix::fs::MetadataExt::nlink(&about) > 1) {
        let reason = "it has another name, by a hard link; remove one of them".to_owned();
        return Err(Error::Damaged { file: name(path), reason });
    }
    let _ = path;
    Ok(())
}

/// Refuses a database of another program, and one of a later version of this.
fn check_kind(path: &Path, connection: &Connection) -> Result<()> {
    let number = |pragma| {
        let read = connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
        read.map_err(|error| failure(path, "read", &error))
    };
    if path.metadata().is_ok_and(|about| about.len() == 0) {
        return Err(not_a_ledger(path, "it is empty"));
    }
    if number("application_id")? != APPLICATION {
        return Err(not_a_ledger(path, "it is a database of another program"));
    }
    match number("user_version")? {
        VERSION | OF_PERSONS => Ok(()),
        version => Err(not_a_ledger(path, &format!("its version is {version}, and this karcher reads {OF_PERSONS}"))),
    }
}

/// Refuses a database that holds anything but the table of lines and its two triggers, to the letter: a view in its
/// place, a further trigger or an index could show other lines than were written.
fn refuse_other_objects(path: &Path, connection: &Connection) -> Result<()> {
    let read = |connection: &Connection| {
        let mut statement = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")?;
        let object = |row: &Row<'_>| Ok::<[Option<String>; 4], _>([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?]);
        statement.query_map([], object)?.collect::<rusqlite::Result<Vec<_>>>()
    };
    let expected = || {
        let own = Connection::open_in_memory()?;
        own.execute_batch(SCHEMA)?;
        read(&own)
    };
    let failed = |error| failure(path, "read", &error);
    if read(connection).map_err(failed)? == expected().map_err(failed)? {
        return Ok(());
    }
    let reason = "it has other tables, triggers, views or indices than a ledger; somebody has changed it".to_owned();
    Err(Error::Damaged { file: name(path), reason })
}

fn read_lines(connection: &Connection) -> rusqlite::Result<Vec<Line>> {
    let mut statement = connection.prepare("SELECT number, time, event, content, hash FROM line ORDER BY number")?;
    let lines = statement.query_map([], |row| {
        Ok(Line { number: row.get(0)?, time: row.get(1)?, event: row.get(2)?, content: row.get(3)?, hash: row.get(4)? })
    })?;
    lines.collect()
}
