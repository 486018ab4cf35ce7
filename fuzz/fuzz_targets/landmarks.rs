//! Any bytes of a file of landmarks give a table or an error. The first byte chooses the format and the options.
#![no_main]

use karcher_io::{Missing, ReadOptions, read_bytes};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, text)) = bytes.split_first() else { return };
    let extension = ["nts", "morphologika", "pts", "fcsv", "mrk.json"][usize::from(first >> 3) % 5];
    let options = ReadOptions {
        keep_non_finite: first & 1 == 1,
        record_len: (first >> 1 & 1 == 1).then_some(4),
        missing: if first >> 2 & 1 == 1 { Missing::Drop } else { Missing::Keep },
        ..Default::default()
    };
    let _ = read_bytes(&format!("f.{extension}"), text.to_vec(), &options);
});
