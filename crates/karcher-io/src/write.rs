//! Writing of results to a file.

use crate::error::{Error, Result};
use crate::formats::npy::MAX_DIMENSIONS;
use crate::output_file::{OutputFile, unwritable};
use std::io::{self, Seek, Write};

/// Writes `values` to `path` as a NumPy array of 64-bit floats in C order, replacing an existing file.
///
/// # Errors
/// [`Error::WrongShape`] when the shape does not hold as many numbers, [`Error::Unwritable`].
///
/// ```
/// use karcher_io::{ReadOptions, read, write_npy};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.npy").to_string_lossy().into_owned();
/// write_npy(&path, &[2, 2], &[1.0, 2.0, 3.0, 0.1])?;
/// assert_eq!(read(&path, &ReadOptions::default())?.values, [1.0, 2.0, 3.0, 0.1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_npy(path: &str, shape: &[usize], values: &[f64]) -> Result<()> {
    OutputFile::create(path, true, &[])?.write_npy(shape, values)
}

/// Writes `values` to `path` as text, `columns` numbers a line, below a line of names if given, replacing an existing
/// file.
///
/// # Errors
/// [`Error::WrongShape`] when the last line would be incomplete or the names are not as many, [`Error::Unwritable`].
///
/// ```
/// use karcher_io::write_csv;
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.csv").to_string_lossy().into_owned();
/// write_csv(&path, Some(&["x".to_owned(), "y".to_owned()]), 2, &[1.0, 0.1])?;
/// assert_eq!(std::fs::read_to_string(&path)?.lines().next(), Some("x,y"));
/// assert!(write_csv(&path, None, 2, &[1.0, 2.0, 3.0]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_csv(path: &str, names: Option<&[String]>, columns: usize, values: &[f64]) -> Result<()> {
    OutputFile::create(path, true, &[])?.write_csv(names, columns, values)
}

impl OutputFile {
    /// Writes `values` as a NumPy array of 64-bit floats in C order, and commits.
    ///
    /// # Errors
    /// [`Error::WrongShape`] when the shape does not hold as many numbers; as for [`commit`](OutputFile::commit).
    pub fn write_npy(self, shape: &[usize], values: &[f64]) -> Result<()> {
        let bytes = npy_bytes(self.name(), shape, values)?;
        self.write_whole(&bytes)
    }

    /// Writes `values` as text, `columns` numbers a line, below a line of names if there are any, and commits.
    ///
    /// # Errors
    /// [`Error::WrongShape`] when the last line would be incomplete or the names are not as many; as for
    /// [`commit`](OutputFile::commit).
    pub fn write_csv(self, names: Option<&[String]>, columns: usize, values: &[f64]) -> Result<()> {
        self.write_labelled_csv(&[], names, columns, values)
    }

    /// The same with a text before the numbers of each line, which has a name, too; without texts, there are none.
    ///
    /// # Errors
    /// As for [`write_csv`](OutputFile::write_csv), and [`Error::WrongShape`] when there is not one text a line.
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("a.csv");
    /// let file = karcher_io::OutputFile::create(&path, false, &[] as &[&str])?;
    /// let [labels, names] = [["a", "b, c"], ["group", "x"]].map(|texts| texts.map(str::to_owned));
    /// file.write_labelled_csv(&labels, Some(&names), 1, &[0.5, 2.0])?;
    /// assert_eq!(std::fs::read_to_string(&path)?, "group,x\na,0.5\n\"b, c\",2.0\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_labelled_csv(
        self,
        labels: &[String],
        names: Option<&[String]>,
        columns: usize,
        values: &[f64],
    ) -> Result<()> {
        let cells = columns + usize::from(!labels.is_empty());
        let labels_fit = labels.is_empty() || labels.len().checked_mul(columns) == Some(values.len());
        let names_fit = names.is_none_or(|names| names.len() == cells);
        if columns == 0 || !values.len().is_multiple_of(columns) || !names_fit || !labels_fit {
            let shape = vec![values.len().div_ceil(columns.max(1)), columns];
            return Err(Error::WrongShape { file: self.name().to_owned(), shape, found: values.len() });
        }
        let mut labels = labels.iter();
        let rows = values.chunks_exact(columns).map(|row| (labels.next().map(String::as_str), row));
        self.write_csv_rows(names, rows)
    }

    /// Writes rows one by one as [`write_rows`] does, and commits.
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("a.csv");
    /// let file = karcher_io::OutputFile::create(&path, false, &[] as &[&str])?;
    /// file.write_csv_rows(None, (0..3).map(|i| (None, [f64::from(i), 0.5])))?;
    /// assert_eq!(std::fs::read_to_string(&path)?, "0.0,0.5\n1.0,0.5\n2.0,0.5\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unwritable`] when rows or names have different lengths; as for [`commit`](OutputFile::commit).
    pub fn write_csv_rows<'a, R: AsRef<[f64]>>(
        mut self,
        names: Option<&[String]>,
        rows: impl Iterator<Item = (Option<&'a str>, R)>,
    ) -> Result<()> {
        let written = write_rows(&mut self, names, rows);
        written.map_err(|e| unwritable(self.name(), &e))?;
        self.commit()
    }

    /// Writes `bytes`, and commits.
    ///
    /// # Errors
    /// As for [`commit`](OutputFile::commit).
    pub fn write_whole(mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|e| unwritable(self.name(), &e))?;
        self.commit()
    }
}

/// Writes rows of numbers as text, each with a text before its numbers or without one, below a line of names if given.
///
/// ```
/// let (mut out, names) = (vec![], ["class", "x"].map(str::to_owned));
/// karcher_io::write_rows(&mut out, Some(&names), [(Some("a"), [0.5]), (Some("b"), [2.0])].into_iter())?;
/// assert_eq!(out, b"class,x\na,0.5\nb,2.0\n");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of `out`, and rows or names of different lengths.
pub fn write_rows<'a, R: AsRef<[f64]>>(
    out: impl Write,
    names: Option<&[String]>,
    mut rows: impl Iterator<Item = (Option<&'a str>, R)>,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let header = names.map_or(Ok(()), |names| writer.write_record(names));
    let written = header.and_then(|()| {
        rows.try_for_each(|(label, row)| {
            let numbers = row.as_ref().iter().map(|x| format!("{x:?}"));
            writer.write_record(label.map(str::to_owned).into_iter().chain(numbers))
        })
    });
    written.map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })?;
    writer.flush()
}

/// Writes a NumPy array of 64-bit floats record by record, without knowing how many there will be.
///
/// ```
/// use karcher_io::{NpyWriter, OutputFile, ReadOptions, read};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.npy");
/// let mut writer = NpyWriter::new(OutputFile::create(&path, false, &[] as &[&str])?, &[2])?;
/// writer.push(&[1.0, 2.0])?;
/// writer.push(&[3.0, 4.0])?;
/// writer.finish()?;
/// assert_eq!(read(&path.to_string_lossy(), &ReadOptions::default())?.rows, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NpyWriter {
    file: OutputFile,
    record: Vec<usize>,
    records: usize,
}

impl NpyWriter {
    /// Begins an array of records, each an array of the shape `record`.
    ///
    /// # Errors
    /// [`Error::Unwritable`].
    pub fn new(file: OutputFile, record: &[usize]) -> Result<Self> {
        let mut writer = Self { file, record: record.to_vec(), records: 0 };
        writer.write_header()?;
        Ok(writer)
    }

    /// Adds one record.
    ///
    /// # Errors
    /// [`Error::WrongShape`] when it does not fill the shape, [`Error::Unwritable`].
    pub fn push(&mut self, record: &[f64]) -> Result<()> {
        if self.record.iter().product::<usize>() != record.len() {
            let (file, shape) = (self.file.name().to_owned(), self.record.clone());
            return Err(Error::WrongShape { file, shape, found: record.len() });
        }
        for x in record {
            self.file.write_all(&x.to_le_bytes()).map_err(|e| unwritable(self.file.name(), &e))?;
        }
        self.records += 1;
        Ok(())
    }

    /// Writes the number of records into the header, and commits.
    ///
    /// # Errors
    /// As for [`OutputFile::commit`].
    pub fn finish(mut self) -> Result<()> {
        self.file.rewind().map_err(|e| unwritable(self.file.name(), &e))?;
        self.write_header()?;
        self.file.commit()
    }

    /// The header has the same length for any number of records.
    fn write_header(&mut self) -> Result<()> {
        let shape = [&[self.records], &self.record[..]].concat();
        self.file.write_all(&npy_header(&shape, 256)).map_err(|e| unwritable(self.file.name(), &e))
    }
}

pub(crate) fn npy_bytes(path: &str, shape: &[usize], values: &[f64]) -> Result<Vec<u8>> {
    let len = shape.iter().try_fold(1usize, |len, &axis| len.checked_mul(axis));
    if len != Some(values.len()) || shape.len() > MAX_DIMENSIONS {
        return Err(Error::WrongShape { file: path.to_owned(), shape: shape.to_vec(), found: values.len() });
    }
    let mut bytes = npy_header(shape, 64);
    bytes.extend(values.iter().flat_map(|x| x.to_le_bytes()));
    Ok(bytes)
}

/// The header of an array of 64-bit floats in C order; the data begin at a multiple of `alignment` bytes, itself one of
/// 64.
fn npy_header(shape: &[usize], alignment: usize) -> Vec<u8> {
    let axes: String = shape.iter().map(|axis| format!("{axis},")).collect();
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({axes}), }}");
    // Magic, version and length take 10 bytes; the last byte of the header is a line feed.
    let len = (10 + header.len() + 1).next_multiple_of(alignment) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((len as u16).to_le_bytes());
    bytes.extend(format!("{header:<width$}\n", width = len - 1).bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read};
    use proptest::prelude::*;

    #[test]
    fn shapes_must_hold_the_values() {
        let error = write_npy("f.npy", &[2, 2], &[1.0]).unwrap_err().to_string();
        assert_eq!(error, "cannot write f.npy: shape [2, 2] does not hold 1 numbers");
        assert!(write_npy("f.npy", &[usize::MAX, 2], &[1.0]).is_err());
        assert!(write_csv("f.csv", None, 2, &[1.0]).is_err());
        assert!(write_csv("f.csv", None, 0, &[]).is_err());
        assert!(write_csv("f.csv", Some(&["a".to_owned()]), 2, &[1.0, 2.0]).is_err());
    }

    #[test]
    fn unwritable_path_is_named() {
        let error = write_npy("/nowhere/f.npy", &[1], &[1.0]).unwrap_err().to_string();
        assert!(error.starts_with("cannot write /nowhere/f.npy: "), "{error}");
    }

    #[test]
    fn array_written_record_by_record_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.npy").to_str().unwrap().to_owned();
        let mut writer = NpyWriter::new(OutputFile::create(&path, false, &[]).unwrap(), &[2, 1]).unwrap();
        for i in 0..1000 {
            writer.push(&[f64::from(i), 0.5]).unwrap();
        }
        assert!(matches!(writer.push(&[1.0]), Err(Error::WrongShape { .. })));
        writer.finish().unwrap();
        let oracle = npyz::NpyFile::new(&std::fs::read(&path).unwrap()[..]).map(|f| f.shape().to_vec()).unwrap();
        assert_eq!(oracle, [1000, 2, 1]);
        assert_eq!(read(&path, &ReadOptions::default()).unwrap().values[1998..], [999.0, 0.5]);
    }

    proptest! {
        #[test]
        fn arrays_survive_the_round_trip(rows in 1usize..5, values in prop::collection::vec(-1e300..1e300f64, 1..7)) {
            let values = values.repeat(rows);
            let folder = tempfile::tempdir().unwrap();
            let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
            let columns = values.len() / rows;

            write_npy(&path("f.npy"), &[rows, columns], &values).unwrap();
            let bytes = std::fs::read(path("f.npy")).unwrap();
            let oracle = npyz::NpyFile::new(&bytes[..]).unwrap();
            prop_assert_eq!(oracle.shape(), &[rows as u64, columns as u64]);
            prop_assert_eq!(&oracle.into_vec::<f64>().unwrap(), &values);
            prop_assert_eq!(&read(&path("f.npy"), &ReadOptions::default()).unwrap().values, &values);

            let names: Vec<String> = (0..columns).map(|i| format!("x{i}")).collect();
            write_csv(&path("f.csv"), Some(&names), columns, &values).unwrap();
            let table = read(&path("f.csv"), &ReadOptions::default()).unwrap();
            prop_assert_eq!((table.values, table.names), (values, Some(names)));
        }
    }
}
