//! The keys and the journal of an aggregator as files next to each other: `a.key`, `a.pub` and `a.journal`.

use crate::error::{Result, unusable};
use crate::journal::{Journal, sync_folder};
use crate::key::{SecretKey, VerifyKey};
use serde::Serialize;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

impl VerifyKey {
    /// Makes a new key in a new file, which only its owner can read.
    ///
    /// # Errors
    /// [`Error::NoEntropy`](crate::Error::NoEntropy), and where there is such a file or none can be written.
    ///
    /// ```
    /// use karcher_aggregate::VerifyKey;
    /// let folder = tempfile::tempdir()?;
    /// let both = folder.path().join("both.key");
    /// VerifyKey::create(&both)?;
    /// assert!(VerifyKey::create(&both).is_err()); // it exists
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let key = Self::generate()?;
        write_new(path.as_ref(), &key, true)?;
        Ok(key)
    }
}

impl SecretKey {
    /// Makes a new key in a file such as `a.key`, which only its owner can read, its public key `a.pub`, and its
    /// journal `a.journal`. No file is replaced.
    ///
    /// # Errors
    /// [`Error::NoEntropy`](crate::Error::NoEntropy); for a name that does not end in `.key`, and where one of the
    /// files exists or cannot be written.
    ///
    /// ```
    /// use karcher_aggregate::{Journal, SecretKey, VerifyKey};
    /// let folder = tempfile::tempdir()?;
    /// let key = folder.path().join("a.key");
    /// SecretKey::create(&key, &VerifyKey::generate()?)?;
    /// assert!(folder.path().join("a.pub").exists() && Journal::of_key(&key).is_ok());
    /// assert!(SecretKey::create(&key, &VerifyKey::generate()?).is_err()); // it exists
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create(path: impl AsRef<Path>, shared: &VerifyKey) -> Result<Self> {
        let path = path.as_ref();
        if path.extension().is_none_or(|end| end != "key") {
            return Err(unusable(path.display().to_string(), "the name of a private key ends in .key"));
        }
        let (public, journal) = (path.with_extension("pub"), path.with_extension("journal"));
        if let Some(there) = [path, &public, &journal].into_iter().find(|path| path.symlink_metadata().is_ok()) {
            return Err(unusable(
                there.display().to_string(),
                "exists, and keys never replace a file: choose another name",
            ));
        }
        let key = Self::generate(shared)?;
        write_new(path, &key, true)?;
        write_new(&public, &key.public(), false)?;
        Journal::create(&journal, &key.public())?;
        Ok(key)
    }
}

impl Journal {
    /// Opens the journal next to the file of a private key.
    ///
    /// # Errors
    /// Where there is none: without it noise could be added twice.
    pub fn of_key(path: impl AsRef<Path>) -> Result<Self> {
        let path = Self::path_of(path.as_ref());
        if !path.exists() {
            let reason = "is missing: it is made with the keys, and without it noise could be added twice";
            return Err(unusable(path.display().to_string(), reason));
        }
        Self::open(&path)
    }

    /// [Accepts](Self::adopt) the journal next to the file of a private key.
    ///
    /// # Errors
    /// As for [`adopt`](Self::adopt).
    pub fn adopt_of_key(path: impl AsRef<Path>) -> Result<()> {
        Self::adopt(Self::path_of(path.as_ref()))
    }

    fn path_of(key: &Path) -> std::path::PathBuf {
        key.with_extension("journal")
    }
}

/// Writes a new file, which others can read unless it is `secret`.
fn write_new(path: &Path, content: &impl Serialize, secret: bool) -> Result<()> {
    let failed = |error: std::io::Error| unusable(path.display().to_string(), format!("cannot be written ({error})"));
    let text = serde_json::to_string(content).map_err(|error| failed(error.into()))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if secret {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = secret;
    let write = |mut file: std::fs::File| file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    options.open(path).and_then(write).map_err(failed)?;
    sync_folder(path);
    Ok(())
}
