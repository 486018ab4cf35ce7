//! Any bytes of a .parquet file give a table or an error.
#![no_main]

use karcher_io::{ReadOptions, read_bytes};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = read_bytes("f.parquet", bytes.to_vec(), &ReadOptions::default());
});
