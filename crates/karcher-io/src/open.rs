//! The list of input files, and the reader of each format.

use crate::converters::{foreign, no_table};
use crate::error::{Error, Result};
use crate::format::{Format, Kind, Packing, STANDARD_INPUT, split_key};
#[cfg(feature = "parquet")]
use crate::formats::arrow::ArrowFile;
use crate::formats::blocks::Blocks;
use crate::formats::g2o::G2oFile;
use crate::formats::landmarks::{LandmarkFile, fcsv, markups, morphologika, nts, pts};
use crate::formats::npy::{self, Array};
use crate::formats::npz;
#[cfg(feature = "parquet")]
use crate::formats::parquet::ParquetFile;
use crate::formats::text::TextFile;
use crate::formats::tps::TpsFile;
use crate::options::ReadOptions;
use crate::printable::printable;
use crate::source::{Bytes, why};

/// Opens a file without reading a record, and identifies its format.
pub(crate) fn open_format(name: &str, format: Format, bytes: &Bytes, options: &ReadOptions) -> Result<Box<dyn Blocks>> {
    let (file, key) = split_key(name);
    let beginning = bytes.range(0, bytes.len().min(16) as usize).map_err(|e| why(file, e))?;
    if beginning.is_empty() {
        return Err(Error::Empty { file: file.to_owned() });
    }
    let packing = format.packing;
    if let (None, Some(packing)) = (packing, Packing::of(&beginning)) {
        let format = Format { packing: Some(packing), ..format }.to_string();
        return Err(Error::Packed { file: file.to_owned(), packing: packing.name(), format });
    }
    let kind = format.kind;
    let as_text = || if kind == Kind::Text { no_table(&beginning) } else { None };
    let foreign = foreign(&beginning).filter(|_| kind != Kind::Npz).or_else(as_text);
    if let Some((program, advice)) = foreign.filter(|_| packing.is_none()) {
        return Err(Error::OtherProgram { file: file.to_owned(), program, advice });
    }
    let landmarks = |parse| LandmarkFile::open(file, bytes, (kind, packing), parse, options).map(Box::new);
    Ok(match kind {
        Kind::Text => Box::new(TextFile::open(file, bytes, packing, options)?),
        Kind::Tps => Box::new(TpsFile::open(file, bytes, packing, options)?),
        Kind::G2o => Box::new(G2oFile::open(file, packing, options)?),
        Kind::Nts => landmarks(nts::parse)?,
        Kind::Morphologika => landmarks(morphologika::parse)?,
        Kind::Pts => landmarks(pts::parse)?,
        Kind::Fcsv => landmarks(fcsv::parse)?,
        Kind::Markups => landmarks(markups::parse)?,
        Kind::Npy => Box::new(Array::open(file, bytes, Box::new(npy::InFile { packing }), None, options)?),
        Kind::Npz => Box::new(npz::open(file, key, bytes, packing, options)?),
        #[cfg(feature = "parquet")]
        Kind::Parquet => Box::new(ParquetFile::open(file, bytes, packing, options)?),
        #[cfg(feature = "parquet")]
        Kind::Arrow => Box::new(ArrowFile::open(file, bytes, packing, options)?),
        #[cfg(not(feature = "parquet"))]
        kind => return Err(Error::NotBuilt { file: file.to_owned(), format: kind.name() }),
    })
}

/// The error for a file whose reader gave up.
pub(crate) fn damaged(name: &str, format: Format) -> Error {
    let file = split_key(name).0.to_owned();
    Error::Corrupt { file, format: format.kind.name(), reason: "it is damaged".into() }
}

pub(crate) fn format_of(file: &str, options: &ReadOptions) -> Result<Format> {
    options.format.map_or_else(|| Format::of(file), Ok)
}

/// `path`, or the files in the folder `path` by name; hidden ones and marks such as `_SUCCESS` do not count.
pub(crate) fn files_in(path: &str) -> Result<Vec<String>> {
    if path == STANDARD_INPUT || !std::path::Path::new(path).is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |reason: String| Error::Unreadable { file: path.to_owned(), reason };
    let mut files = vec![];
    for entry in std::fs::read_dir(path).map_err(|e| unreadable(e.to_string()))? {
        let entry = entry.map_err(|e| unreadable(e.to_string()))?;
        let name = entry.file_name();
        let name =
            name.to_str().ok_or_else(|| unreadable(format!("{} is no text", printable(&name.to_string_lossy()))))?;
        if name.starts_with(['.', '_']) {
            continue;
        }
        let file = entry.path();
        if file.is_dir() {
            return Err(unreadable(format!("there is a folder in it, {}: name the files", printable(name))));
        }
        let file = file.to_string_lossy().into_owned();
        files.push(file);
    }
    if files.is_empty() {
        return Err(unreadable("there are no files in this folder".to_owned()));
    }
    files.sort();
    Ok(files)
}

/// Adds to the error of a file that cannot be read as records: it may not belong into `folder`.
pub(crate) fn in_folder(folder: &str, file: &str, error: Error) -> Error {
    let may_be_no_records = match &error {
        Error::Ragged { row, .. } => *row == 1,
        Error::NotANumber { place, .. } | Error::Missing { place, .. } => place.row == 1,
        Error::Empty { .. }
        | Error::NoRecords { .. }
        | Error::UnknownFormat { .. }
        | Error::OtherColumns { .. }
        | Error::NoColumnNames { .. }
        | Error::UnknownColumn { .. }
        | Error::ColumnOutOfRange { .. } => true,
        _ => false,
    };
    match may_be_no_records && folder != file {
        true => Error::NotOfTheFolder { folder: folder.to_owned(), reason: Box::new(error) },
        false => error,
    }
}
