//! Refusal of files that are given twice, under any names. Every record in them would count twice, and a guarantee for
//! one record would then hold for half a person.

use crate::error::{Error, Result};
use crate::format::split_key;
use std::collections::HashMap;
use std::fs::Metadata;
use std::path::Path;

/// Refuses a file that is given twice, also by a hard or symbolic link, or as standard input. The list of files is
/// public, and so is this refusal. Different arrays of one archive are different files.
///
/// # Errors
/// [`Error::GivenTwice`].
pub fn refuse_duplicates<'a>(paths: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let mut seen = HashMap::<_, Vec<(&str, Option<&str>)>>::new();
    for path in paths {
        let (file, key) = split_key(path);
        let Some(identity) = identity(file) else { continue }; // the reader of the file reports the reason
        let others = seen.entry(identity).or_default();
        // without a key it is the only array
        if let Some((first, _)) = others.iter().find(|(_, other)| *other == key || other.is_none() || key.is_none()) {
            return Err(Error::GivenTwice { file: path.to_owned(), first: (*first).to_owned() });
        }
        others.push((path, key));
    }
    Ok(())
}

/// The identity that all names of one ordinary file share; `None` for pipes, which are read once under any name.
fn identity(file: &str) -> Option<Identity> {
    let metadata = match file {
        "-" => same_file::Handle::stdin().ok()?.as_file().metadata().ok()?,
        file => Path::new(file).metadata().ok()?,
    };
    if metadata.is_file() { identity_of(file, &metadata) } else { None }
}

#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity_of(_: &str, metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

// an open handle would recognise hard links too, but only while all files are open
#[cfg(not(unix))]
type Identity = std::path::PathBuf;

#[cfg(not(unix))]
fn identity_of(file: &str, _: &Metadata) -> Option<Identity> {
    Path::new(file).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read_all, read_with_predictor};

    #[test]
    fn one_file_is_never_read_twice_whatever_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::create_dir(path("in")).unwrap();
        std::fs::write(path("in/a.csv"), "1,2\n3,4\n").unwrap();
        std::fs::write(path("in/copy.csv"), "1,2\n3,4\n").unwrap(); // other people may have the same values
        let (a, inside) = (path("in/a.csv"), path("in"));
        let read = |paths: &[&str]| read_all(paths, &ReadOptions::default());
        assert_eq!(read(&[&inside]).unwrap().rows, 4);

        let indirect = path("in/../in/a.csv");
        for paths in [[&a, &a], [&inside, &a], [&a, &inside], [&a, &indirect], [&inside, &inside]] {
            let paths = paths.map(String::as_str);
            let error = read(&paths).unwrap_err();
            assert!(matches!(error, Error::GivenTwice { .. }), "{paths:?}: {error}");
        }
        assert_eq!(
            read(&[&a, &a]).unwrap_err().to_string(),
            format!("{a} is given twice: its records would count twice; give every file once")
        );

        std::fs::hard_link(&a, path("in/b.csv")).unwrap();
        let error = read(&[&inside]).unwrap_err().to_string();
        assert!(error.contains("b.csv is the same file as") && error.contains("a.csv"), "{error}");
        std::fs::remove_file(path("in/b.csv")).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&a, path("in/c.csv")).unwrap();
            assert!(matches!(read(&[&inside]), Err(Error::GivenTwice { .. })));
            assert!(matches!(read_with_predictor(&inside, "1", &Default::default()), Err(Error::GivenTwice { .. })));
        }
    }

    #[test]
    fn different_arrays_of_one_archive_are_different_files() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("f.npz");
        std::fs::write(&archive, "").unwrap();
        let path = |key: &str| format!("{}{key}", archive.display());
        assert_eq!(refuse_duplicates([&*path(":x"), &*path(":y")]), Ok(()));
        for (first, second) in [(":x", ":x"), ("", ":x"), (":x", ""), ("", "")] {
            assert!(refuse_duplicates([&*path(first), &*path(second)]).is_err(), "{first} {second}");
        }
    }
}
