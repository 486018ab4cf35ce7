//! The mark: a small file next to a ledger with its number of lines. It reveals when an older state replaces the
//! ledger.
//!
//! It is written after a transaction, so it is never ahead of the ledger. A program killed in between leaves a mark
//! that allows slightly too much. Without a mark no older state is noticed or refused.

use crate::error::{Error, Result, name};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The state of a ledger at its last line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The ledger's own name.
    pub ledger: String,
    /// Lines that it had.
    pub lines: u64,
    /// The hash of the last one.
    pub hash: String,
}

/// The path of the mark of a ledger: next to the file itself, even if `ledger` is a symbolic link.
pub fn path(ledger: &Path) -> PathBuf {
    let mut path = ledger.canonicalize().unwrap_or_else(|_| ledger.to_owned()).into_os_string();
    path.push(".mark");
    path.into()
}

/// The mark of a ledger, if there is one that can be read.
pub fn read(ledger: &Path) -> Option<Mark> {
    let path = path(ledger);
    // reading a pipe of that name would block
    path.metadata().ok().filter(|about| about.is_file())?;
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Refuses a ledger that is behind its mark. `hash` returns the hash of a line.
pub fn check(ledger: &Path, own: &str, lines: u64, hash: impl Fn(u64) -> Option<String>) -> Result<()> {
    let Some(mark) = read(ledger).filter(|mark| mark.ledger == own) else { return Ok(()) };
    let older = |differ| {
        let (file, mark_file) = (name(ledger), name(&path(ledger)));
        Err(Error::Older { file, mark: mark_file, expected: mark.lines, found: lines, differ })
    };
    match hash(mark.lines) {
        _ if lines < mark.lines => older(""),
        Some(hash) if hash == mark.hash => Ok(()),
        _ => older(", but others"),
    }
}

/// Writes the mark, unless the present one is ahead. A failure to write it does no harm.
pub fn advance(ledger: &Path, mark: &Mark) {
    if read(ledger).is_some_and(|known| known.ledger == mark.ledger && known.lines >= mark.lines) {
        return;
    }
    let path = path(ledger);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || {
        // readable for all readers of the ledger
        let permissions = ledger.metadata()?.permissions();
        let mut file =
            tempfile::Builder::new().prefix(".karcher-mark-").permissions(permissions).tempfile_in(folder)?;
        file.write_all(&serde_json::to_vec(mark)?)?;
        file.as_file().sync_data()?;
        file.persist(&path)?;
        Ok::<_, Box<dyn std::error::Error>>(())
    };
    let _ = write();
}
