//! Reading of files into a [`Table`].

#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::options::ReadOptions;
use crate::options::covariate::Covariate;
use crate::stream::Stream;
use crate::table::Table;

/// Reads `path`: a file whose name [says its format](crate::Format::of); a folder of such files, in the order of their
/// names; or `-`, standard input, whose format the options say.
///
/// In a text file a record is a line; blank lines are skipped unless there is one column. The first line is a header if
/// no selected cell of it is a number or missing. The first axis of an array counts the records; the other axes are
/// flattened in C order.
///
/// # Errors
/// An [`Error`] that names the wrong file, record, column and value, and the remedy; [`Error::GivenTwice`] when two
/// files of a folder are one.
///
/// ```
/// use karcher_io::{ReadOptions, read};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.csv");
/// std::fs::write(&path, "x,y\n1,2\n3,4\n")?;
/// let table = read(&path.to_string_lossy(), &ReadOptions::default())?;
/// assert_eq!((table.rows, table.columns, &table.values[..]), (2, 2, &[1.0, 2.0, 3.0, 4.0][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: &str, options: &ReadOptions) -> Result<Table> {
    read_all(&[path], options)
}

/// Reads several files or folders, as [`read()`] does each, as if their records stood in one file.
///
/// # Errors
/// As for [`read()`]; [`Error::OtherColumns`] when the columns of a file are not those of the first;
/// [`Error::GivenTwice`] when a file is given twice, under any names.
///
/// ```
/// use karcher_io::{ReadOptions, read_all};
/// let folder = tempfile::tempdir()?;
/// let paths = ["a.csv", "b.csv"].map(|name| folder.path().join(name).to_string_lossy().into_owned());
/// for path in &paths {
///     std::fs::write(path, "1,2\n")?;
/// }
/// assert_eq!(read_all(&paths, &ReadOptions::default())?.rows, 2);
/// assert!(read_all(&[&paths[0], &paths[0]], &ReadOptions::default()).is_err()); // given twice
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_all(paths: &[impl AsRef<str>], options: &ReadOptions) -> Result<Table> {
    Stream::open(paths, options)?.collect().map(|(table, _)| table)
}

/// Reads the contents of a file that would be called `name`.
///
/// # Errors
/// As for [`read()`].
///
/// ```
/// use karcher_io::{ReadOptions, read_bytes};
/// let table = read_bytes("a.tsv", b"1.5\t2\n".to_vec(), &ReadOptions::default())?;
/// assert_eq!(table.values, [1.5, 2.0]);
/// let error = read_bytes("a.csv", b"1,2\n3\n".to_vec(), &ReadOptions::default()).unwrap_err();
/// assert!(error.to_string().contains("record 2 (line 2)"), "{error}");
/// # Ok::<(), karcher_io::Error>(())
/// ```
pub fn read_bytes(name: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table> {
    Stream::of_bytes(name, bytes, options)?.collect().map(|(table, _)| table)
}

/// Reads one file or folder as [`read_all_with_predictor`] does.
///
/// # Errors
/// As for [`read_all_with_predictor`].
///
/// ```
/// use karcher_io::{ReadOptions, read_with_predictor};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.csv");
/// std::fs::write(&path, "x,when,y\n1,2001,2\n3,2001-07-02T12:00:00,4\n")?;
/// let (table, when) = read_with_predictor(&path.to_string_lossy(), "when", &ReadOptions::default())?;
/// assert_eq!((&table.values[..], &when[..]), (&[1.0, 2.0, 3.0, 4.0][..], &[2001.0, 2001.5][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_with_predictor(path: &str, predictor: &str, options: &ReadOptions) -> Result<(Table, Vec<f64>)> {
    read_all_with_predictor(&[path], predictor, options)
}

/// Reads files as [`read_all`] does, with one more column, chosen by name or by number from 1, that is
/// handed over apart from the others.
///
/// Without a choice of columns the records are all the others. Cells of that column may be dates in ISO 8601, which
/// become [years](crate::decimal_year).
///
/// # Errors
/// As for [`read_all`]; [`Error::InvalidSelection`] unless `predictor` is one column, and none of the
/// records'.
pub fn read_all_with_predictor(
    paths: &[impl AsRef<str>],
    predictor: &str,
    options: &ReadOptions,
) -> Result<(Table, Vec<f64>)> {
    Stream::open_with_predictor(paths, predictor, options)?.collect()
}

/// Reads files as [`read_all`] does, with further columns, which are handed over apart from the others. The covariates
/// stand record after record, in the order of `covariates`, which is [shown there](Covariate).
///
/// # Errors
/// As for [`read_all`] and [`Stream::open_with_covariates`].
pub fn read_all_with_covariates(
    paths: &[impl AsRef<str>],
    covariates: &[Covariate],
    options: &ReadOptions,
) -> Result<(Table, Vec<f64>)> {
    Stream::open_with_covariates(paths, covariates, options)?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn a_file_that_is_packed_without_saying_so_is_refused_with_the_format_that_says_it() {
        for (magic, format, expected) in [
            (&[0x1f, 0x8b, 8, 0][..], "csv", "f.csv is packed, with gzip: give --format csv.gz"),
            (&[0x28, 0xb5, 0x2f, 0xfd, 0], "csv", "f.csv is packed, with Zstandard: give --format csv.zst"),
            (&[0x1f, 0x8b, 8, 0], "npy", "f.csv is packed, with gzip: give --format npy.gz"),
        ] {
            let options = ReadOptions { format: Some(format.parse().unwrap()), ..Default::default() };
            let error = read_bytes("f.csv", magic.to_vec(), &options).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        let error = read_bytes("f.csv", vec![0x1f, 0x8b, 8, 0], &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::Packed { .. }), "{error}");
    }

    #[test]
    fn a_file_of_a_folder_that_holds_no_records_is_named_with_what_a_folder_must_hold() {
        for (name, text) in [
            ("README.txt", "About\n"),
            ("README.txt", "About these files\nof records\n"),
            ("README.txt", "About these\nnice records\n"),
            ("README.txt", ""),
            ("README.md", "About\n"),
            ("z.csv", "x,y,z\n1,2,3\n"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("a.csv"), "x,y\n1,2\n").unwrap();
            std::fs::write(folder.path().join(name), text).unwrap();
            let folder = folder.path().to_str().unwrap();
            for columns in [None, Some("x,y".to_owned()), Some("1-2".to_owned())] {
                if name == "z.csv" && columns.is_some() {
                    continue; // the chosen columns are there
                }
                let error = read(folder, &ReadOptions { columns, ..Default::default() }).unwrap_err().to_string();
                assert!(error.contains(name) && error.contains("read as a folder of records"), "{error}");
            }
        }
    }
}
