//! Files that are not read, and the line that makes one of them that is.

/// The ends of names, and how to convert the file. `FILE` stands for its name, `NAME` for the array in it.
const CONVERTERS: [(&[&str], &str); 15] = [
    (&["html", "htm", "xml"], "it is a page or a document and no table: export the table as CSV"),
    (&["json", "jsonl", "ndjson"], "write JSON as CSV first, for example with `jq -r '@csv'` or pandas"),
    (&["xls", "xlsx", "ods"], "save the sheet as CSV first"),
    (
        &["mat"],
        "in Python, numpy.save('FILE.npy', karcher.preprocessing.read_mat('FILE.mat', 'NAME')), or in MATLAB \
         writematrix(NAME, 'FILE.csv')",
    ),
    (
        &["nii", "hdr", "img", "mgz"],
        "in Python, numpy.save('FILE.npy', karcher.preprocessing.read_nifti('FILE.nii.gz')) makes a record of each \
         voxel; karcher.fields takes images as they are",
    ),
    (&["rds"], "in R, write.csv(readRDS(\"FILE.rds\"), \"FILE.csv\", row.names = FALSE)"),
    (
        &["rda", "rdata"],
        "in R, load(\"FILE.RData\") returns the NAME of each object in it; then write.csv(NAME, \"FILE.csv\", \
         row.names = FALSE)",
    ),
    (&["sas7bdat", "xpt"], "in Python, pandas.read_sas('FILE.sas7bdat').to_csv('FILE.csv', index=False)"),
    (&["sav", "zsav"], "in Python, pandas.read_spss('FILE.sav').to_csv('FILE.csv', index=False)"),
    (&["por"], "in Python, pyreadstat.read_por('FILE.por')[0].to_csv('FILE.csv', index=False)"),
    (&["stata"], "in Python, pandas.read_stata('FILE.dta').to_csv('FILE.csv', index=False)"),
    (
        &["edf", "bdf", "gdf", "fif", "set", "vhdr", "cnt"],
        "records of EEG are covariances of epochs: in Python, mne.read_epochs or mne.io.read_raw, then \
         pyriemann.estimation.Covariances; numpy.save writes them",
    ),
    (
        &["h5", "hdf5", "nwb"],
        "in Python, numpy.save('FILE.npy', h5py.File('FILE.h5')['NAME'][:]), with the records along the first axis",
    ),
    (&["pkl", "pickle", "pt", "pth"], "in Python, load it and write the array with numpy.save('FILE.npy', array)"),
    (
        &["db", "sqlite", "sqlite3", "duckdb"],
        "with DuckDB, COPY (SELECT … FROM 'FILE') TO 'FILE.parquet'; do not select rows by their values",
    ),
];

/// The advice for a name, or an extension alone; `; in Python, …`, or nothing.
pub(crate) fn converted(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase();
    let stem = ["gz", "zst", "bz2"].iter().find_map(|end| name.strip_suffix(end)?.strip_suffix('.')).unwrap_or(&name);
    let extension = stem.rsplit_once('.').map_or(stem, |(_, extension)| extension);
    let found = CONVERTERS.iter().find(|(extensions, _)| extensions.contains(&extension));
    found.map_or_else(String::new, |(_, how)| format!("; {how}"))
}

/// The first bytes of other programs' files, the program, and the extension of its files, whatever the file is called.
const BEGINNINGS: [(&[u8], &str, &str); 9] = [
    (b"<stata_dta>", "Stata", "stata"),
    (b"RDX3\n", "R", "rdata"),
    (b"RDX2\n", "R", "rdata"),
    (b"PK\x03\x04", "Excel, or another ZIP archive", "xlsx"),
    (b"\xd0\xcf\x11\xe0", "Excel", "xls"),
    (b"\x89HDF", "HDF5", "h5"),
    (b"SQLite format 3\0", "SQLite", "sqlite"),
    (b"MATLAB 5.0", "MATLAB", "mat"),
    (b"$FL2@(#)", "SPSS", "sav"),
];

/// The program that wrote a file of these first bytes, and the advice, if it is one whose files are not read.
pub(crate) fn foreign(beginning: &[u8]) -> Option<(&'static str, String)> {
    // Stata before version 13: the format, the order of bytes, and 1
    let is_old_stata = matches!(beginning, [105..=115, 1 | 2, 1, 0, ..]);
    let known = BEGINNINGS.iter().find(|(begin, ..)| beginning.starts_with(begin));
    let (program, extension) =
        known.map(|(_, program, extension)| (*program, *extension)).or(is_old_stata.then_some(("Stata", "stata")))?;
    Some((program, converted(extension).trim_start_matches("; ").to_owned()))
}

/// The first characters of texts that are no tables, and the extension of such files.
const NO_TABLES: [(&str, &str); 8] = [
    ("{\"", "json"),
    ("{\n", "json"),
    ("[{", "json"),
    ("[[", "json"),
    ("[\n", "json"),
    ("<!doctype", "html"),
    ("<html", "html"),
    ("<?xml", "xml"),
];

/// The kind of a text of these first bytes, and the advice, if it is no table.
pub(crate) fn no_table(beginning: &[u8]) -> Option<(&'static str, String)> {
    let text = String::from_utf8_lossy(beginning).to_ascii_lowercase();
    let (_, extension) = NO_TABLES.iter().find(|(begin, _)| text.starts_with(begin))?;
    let kind = match *extension {
        "json" => "JSON",
        "xml" => "XML",
        _ => "a browser",
    };
    Some((kind, converted(extension).trim_start_matches("; ").to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[test]
    fn files_that_are_not_read_are_converted_by_a_line() {
        for (name, part) in [
            ("scans/T1.NII.GZ", "read_nifti"),
            ("epochs.mat", "read_mat"),
            ("fit.rds", "readRDS"),
            ("fit.RData", "load("),
            ("survey.sav", "read_spss"),
            ("survey.por", "read_por"),
            ("trial.xpt", "read_sas"),
            ("raw.fif", "Covariances"),
            ("xlsx", "as CSV"),
        ] {
            assert!(converted(name).contains(part), "{name}");
        }
        let said = Format::of("epochs.mat").unwrap_err().to_string();
        assert!(said.contains("read_mat") && said.contains("its name must end in"), "{said}");
        assert_eq!(converted("records.csv.xz"), "");
    }

    #[test]
    fn files_of_other_programs_are_told_by_their_first_bytes() {
        for (bytes, part) in [
            (&b"<stata_dta><header>"[..], "read_stata"),
            (&[114, 2, 1, 0, 9], "read_stata"),
            (b"RDX3\n", "load("),
            (b"PK\x03\x04rest", "as CSV"),
            (b"\x89HDF\r\n\x1a\n", "h5py"),
        ] {
            let error = crate::read_bytes("f.dta", bytes.to_vec(), &crate::ReadOptions::default()).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
        for text in ["1 2 6 0 DIM=3", "x,y\n1,2\n", "PK,y\n", "R\n"] {
            assert_eq!(foreign(text.as_bytes()), None);
        }
    }

    /// No format that is read has a converter. JSON has one, except for the landmarks of Slicer.
    #[test]
    fn what_is_read_needs_no_converter() {
        let read = Format::extensions().filter(|extension| !extension.ends_with("json"));
        assert!(read.map(converted).all(|advice| advice.is_empty()));
    }
}
