//! Any bytes of a text give a table or an error, with any options. The first bytes choose the options.
#![no_main]

use karcher_io::{Missing, ReadOptions, read_bytes};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(([a, b, c], text)) = bytes.split_first_chunk() else { return };
    let one_of = |n: u8, choice: u8| choice % n;
    let options = ReadOptions {
        columns: [None, Some("1"), Some("x,y"), Some("2-3")][usize::from(one_of(4, *a))].map(str::to_owned),
        dates: [None, Some("1".to_owned())][usize::from(a >> 2 & 1)].clone(),
        delimiter: [None, Some(b' '), Some(b'|'), Some(b'#')][usize::from(a >> 3 & 3)],
        decimal_comma: a >> 5 & 1 == 1,
        header: [None, Some(true), Some(false), None][usize::from(b & 3)],
        missing: [Missing::Error, Missing::Drop, Missing::Keep, Missing::Error][usize::from(b >> 2 & 3)],
        keep_non_finite: b >> 4 & 1 == 1,
        comments: [None, Some(b'#')][usize::from(c & 1)],
        skip_lines: usize::from(c >> 1 & 3),
        skip_after_header: usize::from(c >> 3 & 3),
        missing_values: if c >> 5 & 1 == 1 { vec!["1".parse().unwrap()] } else { vec![] },
        person: [None, None, Some("1"), Some("x")][usize::from(b >> 6)].map(str::to_owned),
        ..Default::default()
    };
    let name = if b >> 5 & 1 == 1 { "f.csv.gz" } else { "f.csv" };
    let _ = read_bytes(name, text.to_vec(), &options);
});
