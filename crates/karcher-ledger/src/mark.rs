//! The mark: a small file beside a ledger that says how many lines it has, so that an older state of the ledger is
//! noticed when it takes the place of the newer one.
//!
//! It follows the ledger, and never runs ahead of it: it is written after a transaction, and a program that is killed
//! in between leaves one that allows a little more than it should. Without a mark nothing is noticed, and nothing
//! refused.

use crate::error::{Error, Result, name};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// How far a ledger was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// The ledger's own name.
    pub ledger: String,
    /// Lines that it had.
    pub lines: u64,
    /// The hash of the last one.
    pub hash: String,
}

/// Where the mark of a ledger is: beside the file itself, also for whoever came by a symbolic link.
pub fn path(ledger: &Path) -> PathBuf {
    let mut path = ledger.canonicalize().unwrap_or_else(|_| ledger.to_owned()).into_os_string();
    path.push(".mark");
    path.into()
}

/// The mark of a ledger, if there is one that can be read.
pub fn read(ledger: &Path) -> Option<Mark> {
    let path = path(ledger);
    // a pipe of that name would be waited for
    path.metadata().ok().filter(|about| about.is_file())?;
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Refuses a ledger that is behind its mark. `hash` is that of a line.
pub fn check(ledger: &Path, own: &str, lines: u64, hash: impl Fn(u64) -> Option<String>) -> Result<()> {
    let Some(mark) = read(ledger).filter(|mark| mark.ledger == own) else { return Ok(()) };
    let older = |differ| {
        let (file, beside) = (name(ledger), name(&path(ledger)));
        Err(Error::Older { file, mark: beside, expected: mark.lines, found: lines, differ })
    };
    match hash(mark.lines) {
        _ if lines < mark.lines => older(""),
        Some(hash) if hash == mark.hash => Ok(()),
        _ => older(", but others"),
    }
}

/// Writes the mark, unless there is one that is further. What keeps it from being written does no harm.
pub fn advance(ledger: &Path, mark: &Mark) {
    if read(ledger).is_some_and(|known| known.ledger == mark.ledger && known.lines >= mark.lines) {
        return;
    }
    let path = path(ledger);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || {
        // for everybody who may read the ledger
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
