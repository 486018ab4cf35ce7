//! NumPy archives: a zip file with one NPY file an array.

use crate::error::{Error, Result};
use crate::memory::{check_unpacked, reserve, unpack};
use crate::person::Key;
use crate::read::ReadOptions;
use crate::table::Table;
use crate::{npy, npy_keys};
use std::io::{Cursor, Read};

/// The longest header of an array that is read, and what may stand before it.
const LONGEST_HEADER: u64 = (1 << 16) + 12;

/// Reads the array `key` of the archive, or its only array.
pub(crate) fn parse(file: &str, key: Option<&str>, bytes: &[u8]) -> Result<Table> {
    let corrupt = |reason: String| Error::Corrupt { file: file.to_owned(), format: "NPZ", reason };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| corrupt(e.to_string()))?;
    let key = choose(file, key, &archive)?;
    npy::parse(&format!("{file}:{key}"), &unpacked(file, &key, bytes.len(), &mut archive)?)
}

/// The keys of persons, where an array of them is named beside that of the records.
pub(crate) fn persons(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Option<Vec<Option<Key>>>> {
    let Some(name) = options.person_selection()?.and_then(|one| one.first_name().map(str::to_owned)) else {
        return Ok(None);
    };
    let corrupt = |reason: String| Error::Corrupt { file: file.to_owned(), format: "NPZ", reason };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| corrupt(e.to_string()))?;
    let name = choose(file, Some(&name), &archive)?;
    let array = unpacked(file, &name, bytes.len(), &mut archive)?;
    npy_keys::parse(&format!("{file}:{name}"), &array).map(Some)
}

/// The bytes of the array `key`.
fn unpacked(file: &str, key: &str, packed: usize, archive: &mut zip::ZipArchive<Cursor<&[u8]>>) -> Result<Vec<u8>> {
    let corrupt = |reason: String| Error::Corrupt { file: file.to_owned(), format: "NPZ", reason };
    let mut entry = archive.by_name(&format!("{key}.npy")).map_err(|e| corrupt(e.to_string()))?;
    let name = format!("{file}:{key}");
    // the header says how much there is to unpack, and that is checked first
    let mut array = vec![];
    entry.by_ref().take(LONGEST_HEADER).read_to_end(&mut array).map_err(|e| corrupt(format!("array {key}: {e}")))?;
    let Some(promised) = npy::promised_len(&array) else { return Ok(array) };
    check_unpacked(&name, packed, promised)?;
    let rest = promised.saturating_sub(array.len() as u64) + 1; // one more, to notice data that go on
    let rest = unpack(&name, packed, Some(rest), entry)?;
    reserve(&name, &mut array, rest.len())?;
    array.extend(rest);
    Ok(array)
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

    /// An archive of one deflated array: `header`, and then `zeros` bytes.
    fn bomb(shape: &str, zeros: usize) -> Vec<u8> {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
        let mut archive = zip::ZipWriter::new(Cursor::new(vec![]));
        archive.start_file("x.npy", SimpleFileOptions::default()).unwrap();
        archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
        archive.write_all(&(header.len() as u16).to_le_bytes()).unwrap();
        archive.write_all(header.as_bytes()).unwrap();
        (0..zeros >> 20).for_each(|_| archive.write_all(&[0; 1 << 20]).unwrap());
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn no_more_is_unpacked_than_the_header_promises() {
        let small = parse("f.npz", None, &bomb("(2, 1)", 512 << 20)).unwrap_err();
        assert!(matches!(small, Error::TrailingData { expected: 16, .. }), "{small}");
        let bytes = bomb("(1000000000, 1)", 1 << 20);
        let large = parse("f.npz", None, &bytes).unwrap_err();
        assert!(matches!(large, Error::UnpacksTooMuch { .. }), "{large}");
        let false_promise = parse("f.npz", None, &bomb("(1000000, 1)", 1 << 20)).unwrap_err();
        assert!(matches!(false_promise, Error::Truncated { .. }), "{false_promise}");
    }

    #[test]
    fn truncated_archives_are_refused() {
        let bytes = npz(&[("x", &[1.0, 2.0])], zip::CompressionMethod::Deflated);
        for end in 0..bytes.len() {
            assert!(parse("f.npz", Some("x"), &bytes[..end]).is_err(), "cut after {end} bytes");
        }
    }
}
