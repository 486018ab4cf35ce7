//! Any bytes of a text give the same records, or the same error, in pieces as whole. The first byte chooses the options
//! and the size of the pieces.
#![no_main]

use karcher_io::{ReadOptions, Stream, read_bytes};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, text)) = bytes.split_first() else { return };
    let keep_non_finite = first & 1 == 1;
    let options = ReadOptions { keep_non_finite, header: keep_non_finite.then_some(true), ..Default::default() };
    let whole = read_bytes("f.csv", text.to_vec(), &options);
    let pieces = Stream::of_bytes("f.csv", text.to_vec(), &options)
        .and_then(|stream| stream.in_blocks_of(usize::from(first >> 1) + 1).collect())
        .map(|(table, _)| table);
    // NaN is not equal to itself
    assert_eq!(format!("{whole:?}"), format!("{pieces:?}"));
});
