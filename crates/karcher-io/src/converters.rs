//! Files that are not read, and the line that makes one of them that is.

/// The ends of names, and how to convert the file. `FILE` stands for its name, `NAME` for the array in it.
const CONVERTERS: [(&[&str], &str); 10] = [
    (&["json", "jsonl", "ndjson"], "write JSON as CSV first, for example with `jq -r '@csv'` or pandas"),
    (&["xls", "xlsx", "ods"], "save the sheet as CSV first"),
    (
        &["mat"],
        "in Python, numpy.save('FILE.npy', karcher.preprocessing.read_mat('FILE.mat', 'NAME')), or in MATLAB \
         writematrix(NAME, 'FILE.csv')",
    ),
    (
        &["nii", "hdr", "img", "mgz"],
        "in Python, numpy.save('FILE.npy', karcher.preprocessing.read_nifti('FILE.nii.gz')) makes a record of each voxel; \
         karcher.fields takes images as they are",
    ),
    (&["rds", "rda", "rdata"], "in R, write.csv(readRDS(\"FILE.rds\"), \"FILE.csv\", row.names = FALSE)"),
    (&["sas7bdat", "por"], "in Python, pandas.read_sas, then .to_csv('FILE.csv')"),
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
        "with DuckDB, COPY (SELECT … FROM 'FILE') TO 'FILE.parquet'; no row may be chosen by what it holds",
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
            ("raw.fif", "Covariances"),
            ("xlsx", "as CSV"),
        ] {
            assert!(converted(name).contains(part), "{name}");
        }
        let said = Format::of("epochs.mat").unwrap_err().to_string();
        assert!(said.contains("read_mat") && said.contains("its name must end in"), "{said}");
        assert_eq!(converted("records.csv.xz"), "");
    }

    /// No format that is read has a converter. JSON has one, except for the landmarks of Slicer.
    #[test]
    fn what_is_read_needs_no_converter() {
        let read = Format::extensions().filter(|extension| !extension.ends_with("json"));
        assert!(read.map(converted).all(|advice| advice.is_empty()));
    }
}
