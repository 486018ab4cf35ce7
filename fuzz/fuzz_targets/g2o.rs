//! Any bytes of a .g2o file give a table or an error, the same in pieces as whole. The first byte chooses the options.
#![no_main]

use karcher_io::{Missing, ReadOptions, Stream, read_bytes};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, text)) = bytes.split_first() else { return };
    let options = ReadOptions {
        keep_non_finite: first & 1 == 1,
        record_len: (first >> 1 & 1 == 1).then_some(7),
        missing: if first >> 2 & 1 == 1 { Missing::Drop } else { Missing::Keep },
        person: (first >> 3 & 1 == 1).then(|| "id".to_owned()),
        ..Default::default()
    };
    let whole = read_bytes("f.g2o", text.to_vec(), &options);
    let pieces = Stream::of_bytes("f.g2o", text.to_vec(), &options)
        .and_then(|stream| stream.in_blocks_of(usize::from(first >> 4) + 1).collect())
        .map(|(table, _)| table);
    // NaN is not equal to itself
    assert_eq!(format!("{whole:?}"), format!("{pieces:?}"));
});
