//! Any bytes of a .npz file give a table or an error.
#![no_main]

use karcher_io::{ReadOptions, read_bytes};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = read_bytes("f.npz", bytes.to_vec(), &ReadOptions::default());
});
