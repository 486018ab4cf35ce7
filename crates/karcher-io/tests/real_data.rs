//! Facts about public data files, read from the folder `KARCHER_DATA`.

use karcher::{Points, Space};
use karcher_io::{ConvertOptions, Error, Layout, OnInvalid, ReadOptions, Table, point_from_values, read, to_points};
use std::path::PathBuf;

fn data(file: &str) -> Option<String> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("KARCHER_DATA").map_or_else(|| PathBuf::from(default), PathBuf::from);
    if !folder.is_dir() {
        eprintln!("KARCHER_DATA not found: real-data tests did not run");
        return None;
    }
    folder.join(file).to_str().map(str::to_owned)
}

fn table(file: &str, columns: Option<&str>) -> Option<Table> {
    let options = ReadOptions { columns: columns.map(str::to_owned), ..Default::default() };
    Some(read(&data(file)?, &options).unwrap())
}
