//! Files that are written completely or not at all.

use crate::error::{Error, Result};
use crate::format::split_key;
use std::collections::BTreeSet;
use std::io::{self, BufWriter, IntoInnerError, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// A file that appears under its name only when it is complete.
///
/// Data go to a file with a new random name in the same folder. So two programs that write to one name never mix their
/// data, and a failure or a full disk leaves the previous file. [`commit`](OutputFile::commit) gives it its name in one
/// step; dropping it removes it. Open it before the work: a missing or read-only folder is then found before any budget
/// is spent.
///
/// ```
/// use karcher_io::OutputFile;
/// use std::io::Write;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("result.txt");
/// let mut file = OutputFile::create(&path, false, &["records.csv"])?;
/// assert!(!path.exists());
/// file.write_all(b"all of it\n")?;
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"all of it\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OutputFile {
    /// As the caller wrote it, for messages.
    name: String,
    /// The target of the file, behind any symbolic link, so that the link remains.
    target: PathBuf,
    overwrite: bool,
    file: BufWriter<NamedTempFile>,
    /// Dropped last, when the file has its name or is gone.
    _unfinished: Unfinished,
}

impl OutputFile {
    /// Opens a temporary file in the folder of `path`, for its new content.
    ///
    /// `overwrite` allows an existing `path`; `inputs` are the input files, as [`read()`](crate::read()) takes them.
    /// Other arguments, such as the numbers of a point, may be among them.
    ///
    /// # Errors
    /// * [`Error::OutputIsInput`] when `path` is one of `inputs`, also by a hard or symbolic link.
    /// * [`Error::OutputExists`] when it exists and must not be replaced.
    /// * [`Error::Unwritable`] when it is not an ordinary file, or when its folder does not exist or takes no new file.
    pub fn create(path: impl AsRef<Path>, overwrite: bool, inputs: &[&str]) -> Result<Self> {
        let path = path.as_ref();
        let name = path.display().to_string();
        if inputs.iter().any(|input| is_same_file(path, split_key(input).0)) {
            return Err(Error::OutputIsInput { file: name });
        }
        if !overwrite && path.symlink_metadata().is_ok() {
            return Err(Error::OutputExists { file: name });
        }
        let failed = |e: io::Error| unwritable(&name, &e);
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned()); // most of the time there is none yet
        let old = target.metadata().ok();
        if old.as_ref().is_some_and(|old| !old.is_file()) || path.file_name().is_none() {
            return Err(Error::Unwritable { file: name, reason: "it is not the name of an ordinary file".to_owned() });
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            let reason = format!("the folder {} does not exist", folder.display());
            return Err(Error::Unwritable { file: name, reason });
        }
        let (file, unfinished) = Unfinished::create(folder).map_err(failed)?;
        if let Some(old) = old {
            file.as_file().set_permissions(old.permissions()).map_err(failed)?; // what only its owner could read stays so
        }
        Ok(Self { name, target, overwrite, file: BufWriter::new(file), _unfinished: unfinished })
    }

    /// The path as it was given, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Writes the rest and gives the file its name.
    ///
    /// # Errors
    /// [`Error::OutputExists`] when a file of that name has appeared and must not be replaced, [`Error::Unwritable`].
    /// The file is removed then.
    pub fn commit(self) -> Result<()> {
        let Self { name, target, overwrite, file, _unfinished } = self;
        let file = file.into_inner().map_err(IntoInnerError::into_error).map_err(|e| unwritable(&name, &e))?;
        file.as_file().sync_all().map_err(|e| unwritable(&name, &e))?; // a full disk may show only now
        let named = if overwrite { file.persist(target) } else { file.persist_noclobber(target) };
        named.map(drop).map_err(|e| match e.error.kind() {
            io::ErrorKind::AlreadyExists => Error::OutputExists { file: name },
            _ => unwritable(&name, &e.error),
        })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for OutputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Removes every incomplete [`OutputFile`]: for the signal handler of a program.
///
/// A program that ends by itself drops them. A signal ends it without drops, so its handler calls this.
pub fn remove_unfinished() {
    remove_unfinished_in(Path::new(""));
}

fn remove_unfinished_in(folder: &Path) {
    for path in lock(&UNFINISHED).iter().filter(|path| path.starts_with(folder)) {
        let _ = std::fs::remove_file(path); // complete, or gone, in this very moment
    }
}

/// The files that are being written.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A file's entry among those that are being written.
#[derive(Debug)]
struct Unfinished(PathBuf);

impl Unfinished {
    /// A new file in `folder`, and its entry.
    fn create(folder: &Path) -> io::Result<(NamedTempFile, Unfinished)> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".karcher-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o666)); // less the user's umask, as for any new file
        }
        let mut unfinished = lock(&UNFINISHED); // held, so that a file is never there without its entry
        let file = builder.tempfile_in(folder)?;
        let path = file.path().to_owned();
        unfinished.insert(path.clone());
        Ok((file, Unfinished(path)))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        lock(&UNFINISHED).remove(&self.0);
    }
}

fn lock(paths: &Mutex<BTreeSet<PathBuf>>) -> MutexGuard<'_, BTreeSet<PathBuf>> {
    paths.lock().unwrap_or_else(PoisonError::into_inner) // a set of names is whole after every step
}

/// Whether two names lead to one ordinary file.
fn is_same_file(path: &Path, input: &str) -> bool {
    // opening a pipe would consume its content
    let is_file = |path: &Path| path.metadata().is_ok_and(|metadata| metadata.is_file());
    is_file(path) && is_file(input.as_ref()) && same_file::is_same_file(path, input).unwrap_or(false)
}

pub(crate) fn unwritable(name: &str, error: &io::Error) -> Error {
    Error::Unwritable { file: name.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        entries.collect()
    }

    #[test]
    fn nothing_is_seen_before_the_file_is_complete_and_nothing_else_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = OutputFile::create(&path, false, &[]).unwrap();
        file.write_all(b"all").unwrap();
        assert!(!path.exists());
        file.commit().unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"all".to_vec(), vec!["a".to_owned()]));
    }

    #[test]
    fn dropped_and_interrupted_files_leave_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        for interrupted in [false, true] {
            let mut file = OutputFile::create(&path, true, &[]).unwrap();
            file.write_all(&[7; 100_000]).unwrap();
            let file = if interrupted { Some(file) } else { None };
            remove_unfinished_in(folder.path()); // of a file that was dropped nothing is left to remove
            assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"old".to_vec(), vec!["a".to_owned()]));
            drop(file);
        }
    }

    #[test]
    fn files_written_at_the_same_time_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut files = [1_u8, 2].map(|i| (i, OutputFile::create(&path, false, &[]).unwrap()));
        for _ in 0..100 {
            files.iter_mut().for_each(|(i, file)| file.write_all(&[*i; 1000]).unwrap());
        }
        let [first, second] = files.map(|(_, file)| file);
        first.commit().unwrap();
        assert!(matches!(second.commit(), Err(Error::OutputExists { .. })));
        assert_eq!((fs::read(&path).unwrap(), names(folder.path()).len()), (vec![1; 100_000], 1));
    }

    #[test]
    fn a_file_that_exists_is_replaced_only_by_wish() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        let error = OutputFile::create(&path, false, &[]).unwrap_err().to_string();
        assert!(error.ends_with("/a exists: choose another name, or give --force to replace it"), "{error}");
        OutputFile::create(&path, true, &[]).unwrap().commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn what_is_read_is_never_replaced_by_whatever_name() {
        let folder = tempfile::tempdir().unwrap();
        let [records, hard, nowhere] = ["records.npz", "hard.npz", "new.npz"].map(|name| folder.path().join(name));
        fs::write(&records, "records").unwrap();
        fs::hard_link(&records, &hard).unwrap();
        let mut paths = vec![records.clone(), hard];
        #[cfg(unix)]
        {
            paths.push(folder.path().join("soft.npz"));
            std::os::unix::fs::symlink(&records, &paths[2]).unwrap();
        }
        let input = format!("{}:key", records.display());
        for path in paths {
            let error = OutputFile::create(&path, true, &["0,1", &input]).unwrap_err();
            assert!(matches!(error, Error::OutputIsInput { .. }), "{error}");
        }
        OutputFile::create(&nowhere, false, &["0,1", &input]).unwrap();
        assert_eq!(fs::read(&records).unwrap(), b"records");
    }

    #[test]
    fn what_cannot_be_written_is_known_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().join("nowhere/a"), folder.path().to_owned(), folder.path().join("a/.."), "".into()] {
            let error = OutputFile::create(&path, true, &[]).unwrap_err();
            assert!(matches!(error, Error::Unwritable { .. }), "{}: {error}", path.display());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one_and_secrets_stay_secret() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["a", "b"].map(|name| folder.path().join(name));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink("a", &link).unwrap();
        let mut file = OutputFile::create(&link, true, &[]).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}
