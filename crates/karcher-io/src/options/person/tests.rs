//! All formats make the same partition of records into persons and groups.

use super::*;
use crate::{Missing, read_bytes};
use proptest::prelude::*;
use std::io::{Cursor, Write};

/// Keys that are equal, each in several spellings.
const KEYS: [&[&str]; 7] = [
    &["Zo\u{eb}", "Zoe\u{308}", " Zo\u{eb} ", "Zo\u{eb}\u{a0}"],
    &["1", "1.0", "01", "TRUE", " 1"],
    &["0", "-0", "false", "0.00"],
    &["ann"],
    &["Ann", "Ann "],
    &["2020-01-01", "2020-01-01T00:00:00", "2020-01-01 00:00"],
    &["0.5", ".5", "5e-1"],
];

fn by(person: &str) -> ReadOptions {
    ReadOptions { person: Some(person.to_owned()), ..Default::default() }
}

fn keys(name: &str, bytes: Vec<u8>, options: &ReadOptions) -> Vec<Key> {
    read_bytes(name, bytes, options).unwrap().persons
}

fn csv(texts: &[&str]) -> Vec<u8> {
    texts.iter().fold("x,who\n".to_owned(), |text, key| text + &format!("1,\"{key}\"\n")).into_bytes()
}

/// An archive of records and of keys in an array of a type.
fn npz(descr: &str, rows: usize, keys: &[u8]) -> Vec<u8> {
    named_npz("who", descr, rows, keys)
}

fn named_npz(who: &str, descr: &str, rows: usize, keys: &[u8]) -> Vec<u8> {
    let array = |descr: &str, shape: String, data: &[u8]| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
    };
    let records = vec![1.0; rows].into_iter().flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
    let mut archive = zip::ZipWriter::new(Cursor::new(vec![]));
    for (name, bytes) in
        [("x", array("<f8", format!("({rows}, 1)"), &records)), (who, array(descr, format!("({rows},)"), keys))]
    {
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn of_texts(texts: &[&str]) -> Vec<u8> {
    const WIDTH: usize = 24;
    let padded = |text: &&str| {
        let mut codes: Vec<u32> = text.chars().map(u32::from).collect();
        codes.resize(WIDTH, 0);
        codes
    };
    let data: Vec<u8> = texts.iter().flat_map(padded).flat_map(u32::to_le_bytes).collect();
    npz(&format!("<U{WIDTH}"), texts.len(), &data)
}

fn tps(texts: &[&str]) -> Vec<u8> {
    texts.iter().fold(String::new(), |text, key| text + &format!("LM=1\n1 2\nID={key}\n")).into_bytes()
}

#[cfg(feature = "parquet")]
fn arrow(who: arrow_array::ArrayRef) -> Vec<u8> {
    use arrow_array::{ArrayRef, Float64Array, RecordBatch};
    let x: ArrayRef = std::sync::Arc::new(Float64Array::from(vec![1.0; who.len()]));
    let batch = RecordBatch::try_from_iter_with_nullable([("x", x, true), ("who", who, true)]).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(vec![], &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

#[cfg(feature = "parquet")]
fn typed<A: arrow_array::Array + 'static>(who: A) -> Vec<Key> {
    keys("a.arrow", arrow(std::sync::Arc::new(who)), &by("who"))
}

proptest! {
    /// The partition is that of the spellings, in every format.
    #[test]
    fn formats_agree_on_the_partition(chosen in prop::collection::vec((0..KEYS.len(), any::<prop::sample::Index>()), 1..20)) {
        let texts: Vec<&str> = chosen.iter().map(|(class, at)| *at.get(KEYS[*class])).collect();
        let expected: Vec<Key> = chosen.iter().map(|(class, _)| Key::of(KEYS[*class][0]).unwrap()).collect();
        let found = [
            ("csv", keys("a.csv", csv(&texts), &by("who"))),
            ("npz", keys("a.npz:x", of_texts(&texts), &by("who"))),
            ("tps", keys("a.tps", tps(&texts), &by("ID"))),
            #[cfg(feature = "parquet")]
            ("arrow", typed(arrow_array::StringArray::from(texts.clone()))),
        ];
        for (format, found) in found {
            prop_assert_eq!(&found, &expected, "{}", format);
        }
        for i in 0..chosen.len() {
            for j in 0..i {
                prop_assert_eq!(expected[i] == expected[j], chosen[i].0 == chosen[j].0);
            }
        }
    }
}

#[test]
fn typed_columns_have_the_keys_of_their_texts() {
    let text = |texts: &[&str]| keys("a.csv", csv(texts), &by("who"));
    let (numbers, integers) = ([1.0, -2.0, 0.5, 1e22], [1_i64, -2, 1 << 60]);
    let of_numbers = text(&["1", "-2.0", "0.50", "1e+22"]);
    let of_integers = text(&["1.0", "-2", "1152921504606846976"]);
    let dates = text(&["1970-01-02", "1970-01-01 00:00:00.25"]);
    let bytes = |numbers: &[f64]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    assert_eq!(keys("a.npz:x", npz("<f8", 4, &bytes(&numbers)), &by("who")), of_numbers);
    assert_eq!(keys("a.npz:x", npz("<i8", 3, &integers.map(i64::to_le_bytes).concat()), &by("who")), of_integers);
    assert_eq!(keys("a.npz:x", npz("|b1", 2, &[1, 0]), &by("who")), text(&["true", "False"]));
    let milliseconds = [86_400_000, 250_i64].map(i64::to_le_bytes).concat();
    assert_eq!(keys("a.npz:x", npz("<M8[ms]", 2, &milliseconds), &by("who")), dates);
    #[cfg(feature = "parquet")]
    {
        use arrow_array::*;
        assert_eq!(typed(Float64Array::from(numbers.to_vec())), of_numbers);
        assert_eq!(typed(Int64Array::from(integers.to_vec())), of_integers);
        assert_eq!(typed(BooleanArray::from(vec![true, false])), text(&["1", "0"]));
        assert_eq!(typed(TimestampMillisecondArray::from(vec![86_400_000, 250])), dates);
        let zoned = TimestampMillisecondArray::from(vec![86_400_000]).with_timezone("Europe/Berlin");
        assert_eq!(typed(zoned), text(&["1970-01-02T01:00+01:00"]));
        assert_eq!(typed(Date32Array::from(vec![1])), text(&["1970-01-02"]));
        let prices = Decimal128Array::from(vec![150, 200]).with_precision_and_scale(9, 2).unwrap();
        assert_eq!(typed(prices), text(&["1.5", "2"]));
    }
}

/// Bytes that no text in UTF-8 has are never part of a key, a level or a name.
#[test]
fn other_encodings_are_refused_and_read_where_they_are_named() {
    let bytes = |text: &str| text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect::<Vec<u8>>();
    let people = bytes("x,who\n1,M\u{fc}ller\n2,M\u{f6}ller\n3,M\u{e4}ller\n");
    let latin = ReadOptions { encoding: Some("latin1".parse().unwrap()), ..by("who") };
    let three = ["M\u{fc}ller", "M\u{f6}ller", "M\u{e4}ller"].map(|name| Key::of(name).unwrap());
    let error = read_bytes("a.csv", people.clone(), &by("who")).unwrap_err();
    assert!(matches!(error, Error::NotText { row: 1, line: Some(2), .. }), "{error}");
    assert!(error.to_string().contains("--encoding"), "{error}");
    assert_eq!(keys("a.csv", people, &latin), three);
    for (name, text, person) in
        [("a.tps", "LM=1\n1 2\nID=\u{fc}\n", "ID"), ("a.nts", "1 1L 4 0 DIM=2\n\u{fc}\n1 2 3 4\n", "ID")]
    {
        assert!(matches!(read_bytes(name, bytes(text), &by(person)), Err(Error::NotText { .. })), "{name}");
        let options = ReadOptions { encoding: latin.encoding, ..by(person) };
        assert_eq!(keys(name, bytes(text), &options), [Key::of("\u{fc}").unwrap()], "{name}");
    }
    let names = npz("|S1", 1, &bytes("\u{fc}"));
    assert!(matches!(read_bytes("a.npz:x", names.clone(), &by("who")), Err(Error::NotText { row: 1, .. })));
    assert_eq!(keys("a.npz:x", names, &latin), [Key::of("\u{fc}").unwrap()]);
    // a header is public
    let header = read_bytes("a.csv", bytes("gr\u{f6}\u{df}e,x\n1,2\n"), &ReadOptions::default());
    assert!(matches!(header, Err(Error::NotText { row: 0, .. })));
    // levels
    let columns =
        |level: &str| crate::Covariate { column: "sex".to_owned(), levels: Some(vec![level.to_owned()]), dates: false };
    let levels = bytes("x,sex\n1,\u{fc}\n");
    let read =
        |options: ReadOptions| read_bytes("a.csv", levels.clone(), &options.with_covariates(&[columns("\u{fc}")]));
    assert!(matches!(read(ReadOptions::default()), Err(Error::NotText { row: 1, .. })));
    let options = ReadOptions { encoding: latin.encoding, ..Default::default() }.with_covariates(&[columns("\u{fc}")]);
    let (table, codes) = crate::Stream::of_bytes("a.csv", levels.clone(), &options).unwrap().collect().unwrap();
    assert_eq!((table.values, codes), (vec![1.0], vec![0.0]));
    assert!(matches!("none".parse::<crate::TextEncoding>(), Err(Error::UnknownEncoding { .. })));
}

/// Where records may be anything, the bytes of one are no error, and make it no member of a group.
#[test]
fn bytes_of_a_record_are_no_error_where_records_may_be_anything() {
    let any = ReadOptions { groups: true, keep_non_finite: true, header: Some(true), ..by("who") };
    let table = read_bytes("a.csv", b"x,who\n1,\xfc\n2,a\n3,\xff\xfe\n".to_vec(), &any).unwrap();
    assert_eq!((table.values, table.persons), (vec![2.0], vec![Key::of("a").unwrap()]));
    let dropped = ReadOptions { missing: Missing::Drop, keep_non_finite: false, ..any };
    assert!(matches!(read_bytes("a.csv", b"x,who\n1,\xfc\n".to_vec(), &dropped), Err(Error::NotText { .. })));
}

#[test]
fn a_group_that_no_key_can_equal_is_refused() {
    let open = |name: &str, bytes: Vec<u8>| {
        crate::Stream::of_bytes(name, bytes, &ReadOptions { groups: true, ..by("who") }).unwrap()
    };
    let integers = open("a.npz:x", npz("|u1", 1, &[7]));
    assert_eq!(integers.groups(&["7.0"]).unwrap(), [Key::Integer(7)]);
    for group in ["seven", "7.5", "256", "-1"] {
        let error = integers.groups(&[group]).unwrap_err().to_string();
        assert!(error.contains(group) && error.contains("whole numbers from 0 to 255"), "{error}");
    }
    assert!(open("a.npz:x", npz("|b1", 1, &[1])).groups(&["2"]).is_err());
    assert!(open("a.npz:x", npz("<f8", 1, &[0; 8])).groups(&["A"]).is_err());
    assert_eq!(open("a.npz:x", npz("<M8[D]", 1, &[0; 8])).groups(&["1970-01-01"]).unwrap().len(), 1);
    assert!(open("a.npz:x", npz("<M8[D]", 1, &[0; 8])).groups(&["A"]).is_err());
    assert_eq!(open("a.csv", csv(&["7"])).groups(&["A"]).unwrap(), [Key::of("A").unwrap()]);
}

#[test]
fn decimal_commas_are_in_keys_too() {
    let options = ReadOptions { decimal_comma: true, delimiter: Some(b';'), ..by("who") };
    let found = keys("a.csv", b"x;who\n1,5;7,0\n2;a,b\n".to_vec(), &options);
    assert_eq!(found, ["7", "a,b"].map(|key| Key::of(key).unwrap()));
}

#[test]
fn an_array_with_the_name_of_a_position_is_ambiguous() {
    let read = |by| {
        let options = ReadOptions { person: Some("1".to_owned()), columns_by: by, ..Default::default() };
        let bytes = named_npz("1", "<U1", 1, &u32::from('a').to_le_bytes());
        read_bytes("a.npz:x", bytes, &options)
    };
    assert!(matches!(read(None), Err(Error::InvalidSelection { .. })));
    assert_eq!(read(Some(crate::ColumnsBy::Name)).unwrap().persons, [Key::of("a").unwrap()]);
}
