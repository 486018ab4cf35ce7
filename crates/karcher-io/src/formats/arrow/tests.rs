use super::*;
use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int8Array, NullArray, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use std::sync::Arc;

fn parse(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table> {
    crate::read_bytes(file, bytes.to_vec(), options)
}

fn batch() -> RecordBatch {
    let column = |name: &str, array: ArrayRef| (name.to_owned(), array, true);
    RecordBatch::try_from_iter_with_nullable([
        column("name", Arc::new(StringArray::from(vec!["a", "b"]))),
        column("x", Arc::new(Float64Array::from(vec![Some(0.5), None]))),
        column("n", Arc::new(Int8Array::from(vec![-1, 2]))),
        column("flag", Arc::new(BooleanArray::from(vec![true, false]))),
        column("day", Arc::new(Date32Array::from(vec![365, 0]))),
    ])
    .unwrap()
}

fn file(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(vec![], &batch.schema(), options).unwrap();
    (0..2).for_each(|_| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn stream(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = StreamWriter::try_new(vec![], &batch.schema()).unwrap();
    (0..2).for_each(|_| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

#[test]
fn dictionaries_are_read_though_they_may_be_empty() {
    use arrow_array::types::Int8Type;
    let all: arrow_array::DictionaryArray<Int8Type> = vec![Some("b"), None, Some("a")].into_iter().collect();
    let none: arrow_array::DictionaryArray<Int8Type> = vec![None::<&str>, None].into_iter().collect();
    let text = |text: &str| Some(Key::Text(text.to_owned()));
    assert_eq!(keys(&all).unwrap(), [text("b"), None, text("a")]);
    assert_eq!(keys(&none).unwrap(), [None, None]);
    assert_eq!(keys(&new_empty_array(all.data_type())).unwrap(), []);
    let numbers = arrow_array::DictionaryArray::<Int8Type>::new(
        arrow_array::Int8Array::from(vec![Some(1), None]),
        Arc::new(Float64Array::from(vec![0.5, 2.5])),
    );
    assert_eq!(cells(&numbers, Kind::Numbers).unwrap(), [Cell::Number(2.5), Cell::Missing]);
    assert_eq!(cells(&new_empty_array(numbers.data_type()), Kind::Numbers).unwrap(), []);
}

#[test]
fn files_and_streams_hold_the_same_columns_however_they_are_compressed() {
    let batch = batch();
    let (lz4, zstd) = (Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD));
    for bytes in [file(&batch, None), file(&batch, lz4), file(&batch, zstd), stream(&batch)] {
        let options =
            ReadOptions { columns: Some("day,n,flag".to_owned()), dates: Some("day".to_owned()), ..Default::default() };
        let table = parse("f.arrow", &bytes, &options).unwrap();
        assert_eq!(table.values, [1971.0, -1.0, 1.0, 1970.0, 2.0, 0.0].repeat(2));
        let columns = Some("x".to_owned());
        let error = parse("f.arrow", &bytes, &ReadOptions { columns, ..Default::default() }).unwrap_err().to_string();
        assert!(error.contains("record 2, column 2 (x): the value is missing"), "{error}");
        let error = parse("f.arrow", &bytes, &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("column 1 (name), holds strings"), "{error}");
    }
}

#[test]
fn dates_may_be_texts_of_any_kind() {
    use arrow_array::{LargeStringArray, StringViewArray};
    let texts = ["1971-01-01", "a text that is too long to be held in a view", " 1970.5"];
    let columns: [ArrayRef; 3] = [
        Arc::new(StringArray::from(texts.to_vec())),
        Arc::new(LargeStringArray::from(texts.to_vec())),
        Arc::new(StringViewArray::from(texts.to_vec())),
    ];
    for column in columns {
        let expected = [Cell::Number(1971.0), Cell::NotANumber(texts[1].to_owned()), Cell::Number(1970.5)];
        assert_eq!(cells(&column, Kind::Dates).unwrap(), expected, "{}", column.data_type());
        assert_eq!(cells(&column, Kind::Numbers).unwrap_err(), "strings");
    }
    let day: ArrayRef = Arc::new(StringViewArray::from(vec![texts[0], texts[2]]));
    let batch = RecordBatch::try_from_iter([("day", day)]).unwrap();
    let options = ReadOptions { dates: Some("day".to_owned()), ..Default::default() };
    assert_eq!(parse("f.arrow", &file(&batch, None), &options).unwrap().values, [1971.0, 1970.5].repeat(2));
}

#[test]
fn those_who_are_wanted_have_the_records_that_they_have_among_all() {
    let who: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "a", "c"]));
    let numbers = |x: Vec<Option<f64>>| -> ArrayRef { Arc::new(Float64Array::from(x)) };
    // plain columns, and one that is looked at cell by cell
    for x in [vec![Some(1.0), Some(2.0), Some(3.0), Some(4.0)], vec![Some(1.0), None, Some(3.0), Some(4.0)]] {
        let n: ArrayRef = Arc::new(Int8Array::from(vec![5, 6, 7, 8]));
        let batch = RecordBatch::try_from_iter([("who", who.clone()), ("x", numbers(x)), ("n", n)]).unwrap();
        let options = ReadOptions {
            person: Some("who".to_owned()),
            columns: Some("n,x".to_owned()),
            missing: crate::Missing::Keep,
            ..Default::default()
        };
        let stream = crate::Stream::of_bytes("f.arrow", file(&batch, None), &options).unwrap();
        let wanted = |key: &Key| key.to_string() != "b";
        let found = std::sync::Mutex::new(vec![]);
        let note = |batch: crate::Batch| {
            found.lock().unwrap().push((batch.table.persons, batch.table.values));
            Ok::<(), Error>(())
        };
        stream.pass_of(&wanted, &|_| {}, note).unwrap();
        let keys = ["a", "a", "c"].map(|who| Key::Text(who.to_owned())).to_vec();
        assert_eq!(found.into_inner().unwrap(), vec![(keys, vec![5.0, 1.0, 7.0, 3.0, 8.0, 4.0]); 2]);
    }
}

#[test]
fn lists_of_one_length_are_as_many_columns() {
    use arrow_array::FixedSizeListArray;
    use arrow_schema::Field;
    let list = |kind, values: ArrayRef, len, nulls: Option<Vec<bool>>| -> ArrayRef {
        let item = Arc::new(Field::new("item", kind, true));
        Arc::new(FixedSizeListArray::new(item, len, values, nulls.map(Into::into)))
    };
    let numbers = |n: i32| -> ArrayRef { Arc::new(Float64Array::from_iter_values((0..n).map(f64::from))) };
    let of = |lists: ArrayRef| {
        let n: ArrayRef = Arc::new(Int8Array::from(vec![7, 8]));
        file(&RecordBatch::try_from_iter_with_nullable([("n", n, true), ("x", lists, true)]).unwrap(), None)
    };
    let parse = |bytes: &[u8], columns: &str| {
        parse("f.arrow", bytes, &ReadOptions { columns: Some(columns.to_owned()), ..Default::default() })
    };
    let bytes = of(list(DataType::Float64, numbers(6), 3, None));
    for (columns, first) in [("x", vec![0.0, 1.0, 2.0]), ("x[2],x[0]", vec![2.0, 0.0]), ("1,3", vec![7.0, 1.0])] {
        let table = parse(&bytes, columns).unwrap();
        assert_eq!((table.rows, &table.values[..first.len()]), (4, &first[..]), "{columns}");
    }
    assert_eq!(parse(&bytes, "x").unwrap().names.unwrap(), ["x[0]", "x[1]", "x[2]"]);
    assert_eq!(parse(&bytes, "n,x[1]").unwrap().values[..4], [7.0, 1.0, 8.0, 4.0]);
    // lists of lists, and one that is null
    let inner = list(DataType::Float64, numbers(8), 2, None);
    let nested = of(list(inner.data_type().clone(), inner, 2, None));
    assert_eq!(parse(&nested, "x").unwrap().values[4..8], [4.0, 5.0, 6.0, 7.0]);
    let null = of(list(DataType::Float64, numbers(4), 2, Some(vec![true, false])));
    let error = parse(&null, "x").unwrap_err().to_string();
    assert!(error.contains("record 2, column 2 (x[0]): the value is missing"), "{error}");
    assert!(crate::Stream::of_bytes("f.arrow", bytes, &Default::default()).unwrap().collect().unwrap().0.columns == 4);
}

/// Lists whose length the schema does not say: that of a record says it, or the first one.
#[test]
fn lists_of_any_length_are_as_many_columns_as_the_first_has() {
    use arrow_array::types::{Float64Type, Int32Type};
    use arrow_array::{LargeListArray, ListArray};
    let some = |numbers: &[i32]| Some(numbers.iter().map(|&x| Some(x)).collect::<Vec<_>>());
    let rows = || vec![None, some(&[]), some(&[1, 2, 3]), some(&[4, 5, 6]), some(&[7, 8])];
    let n: ArrayRef = Arc::new(Int8Array::from(vec![1, 2, 3, 4, 5]));
    let long = LargeListArray::from_iter_primitive::<Int32Type, _, _>(rows());
    let short = ListArray::from_iter_primitive::<Float64Type, _, _>(
        rows().into_iter().map(|row| row.map(|row| row.into_iter().map(|x| x.map(f64::from)))),
    );
    for lists in [Arc::new(long) as ArrayRef, Arc::new(short)] {
        let batch = RecordBatch::try_from_iter_with_nullable([("n", n.clone(), true), ("x", lists, true)]).unwrap();
        let of = |first: usize, rows: usize| file(&batch.slice(first, rows), None);
        let table = parse("f.arrow", &of(2, 2), &ReadOptions::default()).unwrap();
        assert_eq!(table.values, [3.0, 1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0].repeat(2));
        assert_eq!(table.names.unwrap(), ["n", "x[0]", "x[1]", "x[2]"]);
        let choose = |columns: &str| ReadOptions { columns: Some(columns.to_owned()), ..Default::default() };
        assert_eq!(parse("f.arrow", &of(2, 2), &choose("x[2],n")).unwrap().values[..4], [3.0, 3.0, 6.0, 4.0]);
        let error = parse("f.arrow", &of(2, 3), &choose("x")).unwrap_err().to_string();
        assert!(error.contains("record 3, column 2 (x[0]): the list has 2 numbers"), "{error}");
        let error = parse("f.arrow", &of(1, 2), &choose("x")).unwrap_err().to_string();
        assert!(error.contains("record 1, column 2 (x[0]): the list has 0 numbers"), "{error}");
        let error = parse("f.arrow", &of(0, 1), &choose("x")).unwrap_err();
        assert!(matches!(error, Error::Missing { .. }), "{error}");
        // the length of a record decides where it is known, and records may be anything
        for (columns, record_len) in [(None, 3), (Some("x".to_owned()), 2), (Some("n,x".to_owned()), 3)] {
            let options =
                ReadOptions { columns, record_len: Some(record_len), keep_non_finite: true, ..Default::default() };
            let table = parse("f.arrow", &file(&batch, None), &options).unwrap();
            assert_eq!((table.rows, table.columns), (10, record_len));
            assert_eq!(table.values[5 * record_len - 2..5 * record_len], [7.0, 8.0]);
            assert!(table.values[record_len - 1].is_nan() && table.values[4 * record_len - 1].is_nan());
        }
        let missing = crate::Missing::Keep;
        let kept = ReadOptions { missing, missing_values: vec!["x=4".parse().unwrap()], ..choose("x") };
        assert_eq!(parse("f.arrow", &of(2, 2), &kept).unwrap().missing, [1, 3]);
    }
    // lists of lists
    let inner = ListArray::from_iter_primitive::<Int32Type, _, _>((0..6).map(|i| some(&[i, -i])));
    let item = Arc::new(arrow_schema::Field::new("item", inner.data_type().clone(), true));
    let offsets = ListArray::from_iter_primitive::<Int32Type, _, _>((0..3).map(|_| some(&[0, 0]))).offsets().clone();
    let nested: ArrayRef = Arc::new(ListArray::new(item, offsets, Arc::new(inner), None));
    let batch = RecordBatch::try_from_iter([("x", nested)]).unwrap();
    let table = parse("f.arrow", &file(&batch.slice(1, 2), None), &ReadOptions::default()).unwrap();
    assert_eq!(table.values[..8], [2.0, -2.0, 3.0, -3.0, 4.0, -4.0, 5.0, -5.0]);
    // their axes are those of an array
    let six = some(&[1, 2, 3]);
    let inner = ListArray::from_iter_primitive::<Int32Type, _, _>([six.clone(), six.clone(), six.clone(), six]);
    let item = Arc::new(arrow_schema::Field::new("item", inner.data_type().clone(), true));
    let offsets = ListArray::from_iter_primitive::<Int32Type, _, _>((0..2).map(|_| some(&[0, 0]))).offsets().clone();
    let blocked: ArrayRef = Arc::new(ListArray::new(item, offsets, Arc::new(inner), None));
    let bytes = file(&RecordBatch::try_from_iter([("x", blocked)]).unwrap(), None);
    let kendall = "kendall:3".parse::<karcher::Space>().unwrap().manifold().unwrap();
    let check = |layout: &str, keep_non_finite: bool| {
        let options = ReadOptions { keep_non_finite, record_len: Some(6), ..ReadOptions::default() };
        let stream = crate::Stream::of_bytes("f.arrow", bytes.clone(), &options).unwrap();
        stream.check_layout(&kendall, &crate::layout(&kendall, Some(layout)).unwrap(), &[])
    };
    let error = check("interleaved", false).unwrap_err().to_string();
    assert!(error.contains("not (n, 2, 3): give --layout blocked"), "{error}");
    assert_eq!(check("blocked", false), Ok(()));
    // a record that may be invalid does not fix the form of others
    assert_eq!(check("interleaved", true), Ok(()));
    // lists of texts are none of numbers
    let texts = ListArray::new_null(Arc::new(arrow_schema::Field::new("item", DataType::Utf8, true)), 2);
    let batch = RecordBatch::try_from_iter_with_nullable([("x", Arc::new(texts) as ArrayRef, true)]).unwrap();
    let error = parse("f.arrow", &file(&batch, None), &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::NotNumeric { .. }), "{error}");
}

#[test]
fn compact_dates_are_dates_where_there_may_be_dates() {
    let day: ArrayRef = Arc::new(arrow_array::Int32Array::from(vec![20_010_702, 2001]));
    let batch = RecordBatch::try_from_iter([("day", day)]).unwrap();
    let read = |dates: Option<&str>, eight_digits_are_numbers| {
        let options = ReadOptions { dates: dates.map(str::to_owned), eight_digits_are_numbers, ..Default::default() };
        parse("f.arrow", &file(&batch, None), &options).unwrap().values[..2].to_vec()
    };
    assert_eq!(read(Some("day"), false), [2001.0 + 182.0 / 365.0, 2001.0]);
    assert_eq!(read(Some("day"), true), [20_010_702.0, 2001.0]);
    assert_eq!(read(None, false), [20_010_702.0, 2001.0]);
}

#[test]
fn categories_are_their_values() {
    let values: ArrayRef = Arc::new(Float64Array::from(vec![10.0, 20.0]));
    let keys = Int8Array::from(vec![Some(1), None, Some(0)]);
    let array = arrow_array::DictionaryArray::try_new(keys, values).unwrap();
    let expected = [Cell::Number(20.0), Cell::Missing, Cell::Number(10.0)];
    assert_eq!(cells(&array, Kind::Numbers).unwrap(), expected);
}

#[test]
fn claims_of_many_rows_or_bytes_are_refused_before_they_are_read() {
    let nothing: ArrayRef = Arc::new(NullArray::new(1 << 40));
    let batch = RecordBatch::try_from_iter([("x", nothing)]).unwrap();
    for bytes in [file(&batch, None), stream(&batch)] {
        let error = parse("f.arrow", &bytes, &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::UnpacksTooMuch { .. }), "{error}");
    }
    // a buffer that says it unpacks to an exabyte
    let column: ArrayRef = Arc::new(Float64Array::from(vec![1.0; 1000]));
    let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
    let mut bytes = file(&batch, Some(CompressionType::ZSTD));
    let at = bytes.windows(8).position(|window| window == 8000_i64.to_le_bytes()).unwrap();
    bytes[at..at + 8].copy_from_slice(&(1_i64 << 60).to_le_bytes());
    let error = parse("f.arrow", &bytes, &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::UnpacksTooMuch { .. }), "{error}");
}

/// Of a header alone the columns are those of numbers, whatever else there is.
#[test]
fn a_header_alone_leaves_out_columns_of_other_types() {
    let bytes = file(&batch(), None);
    let of = |options: ReadOptions| crate::Stream::of_bytes("f.arrow", bytes.clone(), &options);
    let header = of(ReadOptions { header_only: true, ..Default::default() }).unwrap();
    assert_eq!(header.names().unwrap(), ["x", "n", "flag"]);
    assert_eq!(header.all_names(), ["name", "x", "n", "flag", "day"]);
    assert!(of(ReadOptions::default()).is_err());
}
