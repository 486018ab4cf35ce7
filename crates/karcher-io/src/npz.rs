//! NumPy archives: a zip file with one NPY file an array.

use crate::error::{Error, Result};
use crate::npy;
use crate::table::Table;
use std::io::{Cursor, Read};

/// Reads the array `key` of the archive, or its only array.
pub(crate) fn parse(file: &str, key: Option<&str>, bytes: &[u8]) -> Result<Table> {
    let corrupt = |reason: String| Error::Corrupt { file: file.to_owned(), format: "NPZ", reason };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| corrupt(e.to_string()))?;
    let key = choose(file, key, &archive)?;

    let mut array = vec![];
    let mut entry = archive.by_name(&format!("{key}.npy")).map_err(|e| corrupt(e.to_string()))?;
    entry.read_to_end(&mut array).map_err(|e| corrupt(format!("array {key}: {e}")))?;
    npy::parse(&format!("{file}:{key}"), &array)
}

/// The array `key` of an archive, or its only array.
pub(crate) fn choose<R>(file: &str, key: Option<&str>, archive: &zip::ZipArchive<R>) -> Result<String>
where
    R: Read + std::io::Seek,
{
    let mut available: Vec<String> =
        archive.file_names().filter_map(|name| Some(name.ok()?.strip_suffix(".npy")?.to_owned())).collect();
    available.sort();
    let file = file.to_owned();
    match key {
        Some(key) if available.iter().any(|name| name == key) => Ok(key.to_owned()),
        Some(key) => Err(Error::UnknownArray { file, key: key.to_owned(), available }),
        None if available.len() == 1 => Ok(available.remove(0)),
        None if available.is_empty() => Err(Error::NoRecords { file }),
        None => Err(Error::AmbiguousArray { file, available }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::npy_bytes;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    fn npz(arrays: &[(&str, &[f64])], method: zip::CompressionMethod) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(vec![]));
        for (key, values) in arrays {
            archive.start_file(format!("{key}.npy"), SimpleFileOptions::default().compression_method(method)).unwrap();
            archive.write_all(&npy_bytes("a", &[values.len()], values).unwrap()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn arrays_are_found_by_key_whether_stored_or_deflated() {
        for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
            let bytes = npz(&[("x", &[1.0, 2.0]), ("y", &[3.0])], method);
            assert_eq!(parse("f.npz", Some("y"), &bytes).unwrap().values, [3.0]);
            assert_eq!(parse("f.npz", Some("x"), &bytes).unwrap().values, [1.0, 2.0]);
        }
    }

    #[test]
    fn an_only_array_needs_no_key() {
        let bytes = npz(&[("x", &[1.0, 2.0])], zip::CompressionMethod::Stored);
        let table = parse("f.npz", None, &bytes).unwrap();
        assert_eq!((table.values, table.source.as_str()), (vec![1.0, 2.0], "f.npz:x"));
    }

    #[test]
    fn missing_and_unknown_keys_list_the_keys() {
        let bytes = npz(&[("x", &[1.0, 2.0]), ("y", &[3.0])], zip::CompressionMethod::Stored);
        let error = parse("f.npz", None, &bytes).unwrap_err().to_string();
        assert_eq!(error, "f.npz needs a key (write FILE.npz:KEY): its arrays are x, y");
        let error = parse("f.npz", Some("z"), &bytes).unwrap_err().to_string();
        assert_eq!(error, "f.npz has no array `z`: its arrays are x, y; write FILE.npz:KEY");
    }

    #[test]
    fn truncated_archives_are_refused() {
        let bytes = npz(&[("x", &[1.0, 2.0])], zip::CompressionMethod::Deflated);
        for end in 0..bytes.len() {
            assert!(parse("f.npz", Some("x"), &bytes[..end]).is_err(), "cut after {end} bytes");
        }
    }
}
