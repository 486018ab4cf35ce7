//! The folder of public data sets that some tests read. The data are no part of the project.
//!
//! A test that cannot run writes a line that begins with `SKIPPED: `; `make test` repeats these lines at its end.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder that `KARCHER_DATA` names, else `../shared/data` next to the repository. If neither exists, it reports
/// the running test as skipped.
///
/// # Panics
/// When `KARCHER_DATA` names a folder that does not exist: you set it to run these tests.
pub fn folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("KARCHER_DATA").map(PathBuf::from) {
        assert!(named.is_dir(), "KARCHER_DATA names the folder {}, which does not exist", named.display());
        return Some(named);
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let repository = manifest.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap_or(manifest);
    let shared = repository.join("../shared/data");
    if shared.is_dir() {
        return Some(shared);
    }
    skipped("it reads public data sets, and KARCHER_DATA names no folder that holds them");
    None
}

/// Reports that the running test, or a part of it, is skipped.
pub fn skipped(reason: &str) {
    let thread = std::thread::current();
    let line = format!("\nSKIPPED: {}: {reason}\n", thread.name().unwrap_or("a test"));
    // `eprintln!` would be captured, and what a passing test prints is not shown.
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}
