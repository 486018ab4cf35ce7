//! Any bytes give a table or an error, never a panic.

use karcher_io::{Error, ReadOptions, Table, read, read_bytes, write_npy};
use proptest::prelude::*;

fn read_with(name: &str, bytes: Vec<u8>, columns: Option<String>, keep_non_finite: bool) -> Result<Table, Error> {
    read_bytes(name, bytes, &ReadOptions { columns, keep_non_finite, ..Default::default() })
}

/// Checks the invariants of a table.
fn check(result: Result<Table, Error>, keep_non_finite: bool) {
    match result {
        Ok(table) => {
            assert!(table.rows >= 1 && table.columns >= 1);
            assert_eq!(table.values.len(), table.rows * table.columns);
            assert!(table.lines.is_empty() || table.lines.len() == table.rows);
            assert!(table.names.is_none_or(|names| names.len() == table.columns));
            assert!(keep_non_finite || table.values.iter().all(|x| x.is_finite()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn npy(header: &str, data: &[u8]) -> Vec<u8> {
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

/// An archive with one array, stored.
fn npz(array: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    archive.start_file("x.npy", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(array).unwrap();
    archive.finish().unwrap().into_inner()
}

fn damaged(mut bytes: Vec<u8>, damage: &[(prop::sample::Index, u8)]) -> Vec<u8> {
    for (index, byte) in damage {
        let at = index.index(bytes.len());
        bytes[at] = *byte;
    }
    bytes
}

fn damage() -> impl Strategy<Value = Vec<(prop::sample::Index, u8)>> {
    prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn arbitrary_bytes_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        extension in prop::sample::select(vec!["csv", "tsv", "txt", "npy", "npz", "npz:x", "parquet", "x", "nts", "morphologika", "pts", "fcsv", "mrk.json"]),
        columns in prop::option::of("[a-z0-9,-]{0,6}"),
        keep in any::<bool>(),
    ) {
        check(read_with(&format!("f.{extension}"), bytes, columns, keep), keep);
    }

    #[test]
    fn text_like_a_table_is_read_or_refused(
        text in "[\u{feff}a1é\",;\t\r\n .eE+-]{0,80}",
        columns in prop::option::of("[a1-3,-]{0,4}"),
        keep in any::<bool>(),
    ) {
        check(read_with("f.csv", text.into_bytes(), columns, keep), keep);
    }

    #[test]
    fn text_like_landmarks_is_read_or_refused(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "1 2 4 0 DIM=2", "1 2L 6L 1 -9 DIM=3", "a b", "1 2", "3 4", "1 2 3", "9999 9999 9999", "S0 1 2 3", "x",
                "[individuals]", "[landmarks]", "[dimensions]", "[names]", "[rawpoints]", "2", "'#1", "Version 1.0",
                "version: 1", "n_points: 2", "{", "}", "# columns = id,x,y,z", "# CoordinateSystem = LPS", "f,1,2,3", "",
                "{\"markups\": [{\"controlPoints\": [", "{\"position\": [1, 2, 3]}", "]}]}", "1 99999999999999 4 0 DIM=2",
            ]),
            0..12,
        ),
        extension in prop::sample::select(vec!["tps", "nts", "morphologika", "pts", "fcsv", "mrk.json"]),
        keep in any::<bool>(),
    ) {
        check(read_with(&format!("f.{extension}"), lines.join("\n").into_bytes(), None, keep), keep);
    }

    #[test]
    fn headers_like_an_array_are_read_or_refused(
        descr in "'[<>|=][fiubcSUO]([1248]|16)'|[\\[('a-z0-9)\\]]{0,9}",
        order in "True|False|[a-z]{1}",
        shape in "\\(([0-9]{1,20}, ?){0,4}\\)|[(0-9,)-]{0,20}",
        data in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
        check(read_with("f.npy", npy(&header, &data), None, true), true);
        check(read_with("f.npz", npz(&npy(&header, &data)), None, false), false);
    }

    #[test]
    fn damaged_arrays_are_read_or_refused(damage in damage()) {
        let header = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }";
        check(read_with("f.npy", damaged(npy(header, &[0; 48]), &damage), None, false), false);
    }

    #[test]
    fn damaged_archives_are_read_or_refused(damage in damage()) {
        let array = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", &[0; 16]);
        check(read_with("f.npz:x", damaged(npz(&array), &damage), None, false), false);
    }
}

#[test]
fn nested_header_is_refused() {
    let header = "[({".repeat(20_000);
    assert!(read_with("f.npy", npy(&header, &[]), None, false).is_err());
}

#[test]
fn short_file_that_claims_a_terabyte_is_refused() {
    for shape in ["(1000000000000,)", "(1000000, 1000000)", "(1000000000000000000, 1000000000000000000)"] {
        let header = format!("{{'descr': '|u1', 'fortran_order': True, 'shape': {shape}, }}");
        assert!(read_with("f.npy", npy(&header, &[0; 8]), None, false).is_err());
    }
    let header_of_four_gigabytes = b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'".to_vec();
    assert!(read_with("f.npy", header_of_four_gigabytes, None, false).is_err());
}

#[test]
fn degenerate_input_gets_one_sentence() {
    let sentence =
        |name: &str, bytes: &[u8]| read_bytes(name, bytes.to_vec(), &ReadOptions::default()).unwrap_err().to_string();
    for (name, bytes, expected) in [
        ("f.csv", &b""[..], "f.csv is empty: expected records"),
        ("f.csv", b"\xef\xbb\xbf", "f.csv is empty: expected records"),
        ("f.csv", b"a,b", "f.csv has no records: a statistic needs at least one"),
        ("f.npy", b"", "f.npy is empty: expected records"),
        ("f.npy", b"not numpy", "f.npy is not a valid NPY file: its header is incomplete"),
        (
            "f.xlsx",
            b"",
            "the format of f.xlsx is unknown: its name must end in .csv, .tsv, .txt, .tps, .g2o, .nts, .dta, .morphologika, .pts, .fcsv, .mrk.json, .npy, .npz, .parquet, .arrow or .feather, also with .gz or .zst; or give --format; save the sheet as CSV first",
        ),
    ] {
        assert_eq!(sentence(name, bytes), expected);
    }
}

#[test]
fn infinity_in_an_array_is_named_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.npy").to_str().unwrap().to_owned();
    write_npy(&path, &[2, 2], &[1.0, 2.0, 3.0, f64::INFINITY]).unwrap();
    let select = |columns: &str| read(&path, &ReadOptions { columns: Some(columns.to_owned()), ..Default::default() });
    let error = select("2").unwrap_err().to_string();
    assert!(
        error.ends_with("record 2, column 2: inf is not a finite number; correct it or leave the record out"),
        "{error}"
    );
    assert_eq!(select("1").unwrap().values, [1.0, 3.0]);
}

#[test]
fn unreadable_file_is_named() {
    let error = read("/nowhere/f.csv", &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("cannot read /nowhere/f.csv: "), "{error}");
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_without_its_feature_says_so() {
    let error = read_with("f.parquet", vec![0], None, false).unwrap_err().to_string();
    assert!(
        error.starts_with("f.parquet: this build reads no Parquet; build karcher with the feature `parquet`"),
        "{error}"
    );
}
