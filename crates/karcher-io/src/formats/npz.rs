//! NumPy archives: a zip file with one NPY file an array.

use crate::error::{Error, Result};
use crate::format::Packing;
use crate::formats::npy::keys;
use crate::formats::npy::{Array, Stored};
use crate::options::ReadOptions;
use crate::options::person::{Key, KeyType};
use crate::source::{At, Bytes, Unpacked};
use std::io::{self, Read};
use zip::{CompressionMethod, ZipArchive};

/// Opens the array `key` of the archive, or its only array.
pub(crate) fn open(
    file: &str,
    key: Option<&str>,
    bytes: &Bytes,
    packing: Option<Packing>,
    options: &ReadOptions,
) -> Result<Array> {
    let unpacked = bytes.unpacked(file, packing)?;
    let mut archive = archive(file, &unpacked)?;
    let key = choose(file, key, &archive)?;
    let entry = Entry { packing, ..Entry::find(file, &key, &mut archive)? };
    let keys = persons(file, &unpacked, &archive, options)?;
    let mut array = Array::open(&entry.name.clone(), bytes, Box::new(entry), keys, options)?;
    array.called = Some(key);
    Ok(array)
}

/// The name of the array `key` of the archive, or of its only array, and its bytes.
pub(crate) fn stream(file: &str, key: Option<&str>, bytes: &Bytes) -> Result<(String, Box<dyn Read + Send>)> {
    let mut archive = archive(file, bytes)?;
    let entry = Entry::find(file, &choose(file, key, &archive)?, &mut archive)?;
    let stream = entry.unpacked(bytes)?;
    Ok((entry.name, stream))
}

/// The keys of persons, if the options name an array of them in addition to that of the records.
fn persons<R: Read + io::Seek>(
    file: &str,
    bytes: &Bytes,
    archive: &ZipArchive<R>,
    options: &ReadOptions,
) -> Result<Option<(KeyType, Vec<Option<Key>>)>> {
    let Some(one) = options.person_selection()? else { return Ok(None) };
    if let Some(name) = one.may_be_name().filter(|name| choose(file, Some(*name), archive).is_ok()) {
        let reason = "it is a position, and an array has this name: give --columns-by name or --columns-by position";
        return Err(Error::InvalidSelection { selection: name.to_owned(), reason: reason.to_owned() });
    }
    let Some(name) = one.first_name() else { return Ok(None) };
    let (name, mut keys) = stream(file, Some(name), bytes)?;
    keys::parse(&name, &mut keys, bytes.len(), options).map(Some)
}

fn archive(file: &str, bytes: &Bytes) -> Result<ZipArchive<At>> {
    ZipArchive::new(bytes.at(0)).map_err(|e| corrupt(file, e.to_string()))
}

fn corrupt(file: &str, reason: String) -> Error {
    Error::Corrupt { file: file.to_owned(), format: "NPZ", reason }
}

/// Place of an array in an archive.
struct Entry {
    /// The archive and the array.
    name: String,
    begin: u64,
    packed: u64,
    is_deflated: bool,
    checksum: u32,
    /// Packing of the archive itself.
    packing: Option<Packing>,
}

impl Entry {
    fn find(file: &str, key: &str, archive: &mut ZipArchive<At>) -> Result<Self> {
        let entry = archive.by_name(&format!("{key}.npy")).map_err(|e| corrupt(file, e.to_string()))?;
        let is_deflated = match entry.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            other => return Err(corrupt(file, format!("array {key}: {other:?} is no compression of NumPy's"))),
        };
        let begin = entry.data_start().ok_or_else(|| corrupt(file, format!("array {key} is nowhere")))?;
        let (packed, checksum) = (entry.compressed_size(), entry.crc32());
        Ok(Self { name: format!("{file}:{key}"), begin, packed, is_deflated, checksum, packing: None })
    }

    fn unpacked(&self, bytes: &Bytes) -> Result<Box<dyn Read + Send>> {
        let packed = bytes.at(self.begin).take(self.packed);
        let reader: Box<dyn Read + Send> = match self.is_deflated {
            true => Box::new(flate2::read::DeflateDecoder::new(packed)),
            false => Box::new(packed),
        };
        let checked = Checked { reader, sum: flate2::Crc::new(), expected: self.checksum };
        Ok(Box::new(Unpacked::new(&self.name, bytes.len(), checked)))
    }
}

impl Stored for Entry {
    fn stream(&self, _: &str, bytes: &Bytes) -> Result<Option<Box<dyn Read + Send>>> {
        self.unpacked(&bytes.unpacked(&self.name, self.packing)?).map(Some)
    }
}

/// A stream with a checksum, which is compared at its end.
struct Checked<R> {
    reader: R,
    sum: flate2::Crc,
    expected: u32,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.sum.update(&buffer[..n]);
        match n == 0 && !buffer.is_empty() && self.sum.sum() != self.expected {
            true => Err(io::Error::other("its checksum is wrong")),
            false => Ok(n),
        }
    }
}

/// The array `key` of an archive, or its only array.
fn choose<R>(file: &str, key: Option<&str>, archive: &ZipArchive<R>) -> Result<String>
where
    R: Read + io::Seek,
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
    use crate::table::Table;
    use crate::write::npy_bytes;
    use std::io::Cursor;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    fn parse(file: &str, key: Option<&str>, bytes: &[u8]) -> Result<Table> {
        let name = key.map_or(file.to_owned(), |key| format!("{file}:{key}"));
        crate::read_bytes(&name, bytes.to_vec(), &ReadOptions::default())
    }

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
