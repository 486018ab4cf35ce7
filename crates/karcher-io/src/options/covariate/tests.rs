use super::*;
use crate::options::Missing;
use crate::stream::{Batch, Stream};
use crate::write::npy_bytes;
use crate::{Key, read_all_with_covariates, read_with_predictor};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Mutex;

fn number(column: &str) -> Covariate {
    Covariate { column: column.to_owned(), levels: None, dates: true }
}

fn level(column: &str, levels: &[&str]) -> Covariate {
    let levels = levels.iter().map(|level| (*level).to_owned()).collect();
    Covariate { column: column.to_owned(), levels: Some(levels), dates: false }
}

fn of_bytes(name: &str, bytes: &[u8], covariates: &[Covariate], options: &ReadOptions) -> Result<(Table, Vec<f64>)> {
    Stream::of_bytes(name, bytes.to_vec(), &options.with_covariates(covariates))?.collect()
}

fn of_text(text: &str, covariates: &[Covariate], options: &ReadOptions) -> Result<(Table, Vec<f64>)> {
    of_bytes("f.csv", text.as_bytes(), covariates, options)
}

fn columns(columns: Option<&str>) -> ReadOptions {
    ReadOptions { columns: columns.map(str::to_owned), ..Default::default() }
}

fn with_file(text: &str, predictor: &str, chosen: Option<&str>) -> Result<(Table, Vec<f64>)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.csv");
    std::fs::write(&path, text).unwrap();
    read_with_predictor(path.to_str().unwrap(), predictor, &columns(chosen))
}

#[test]
fn predictor_is_taken_out_of_the_record() {
    let text = "x,age,y\n1,30,2\n3,40,4\n";
    for (predictor, columns) in [("age", None), ("2", None), ("age", Some("x,y")), ("2", Some("1,3"))] {
        let (table, predictors) = with_file(text, predictor, columns).unwrap();
        assert_eq!((table.values, table.columns, predictors), (vec![1.0, 2.0, 3.0, 4.0], 2, vec![30.0, 40.0]));
        assert_eq!(table.names.unwrap(), ["x", "y"]);
    }
}

#[test]
fn dates_are_years_in_the_column_of_the_predictor_alone() {
    for text in ["x,day\n1,2001-07-02T12:00:00\n2,1999\n", "1,2001-07-02T12:00:00\n2,1999\n"] {
        let (table, predictors) = with_file(text, "2", None).unwrap();
        assert_eq!((table.values, predictors), (vec![1.0, 2.0], vec![2001.5, 1999.0]));
    }
    let error = with_file("x,day\n2001-07-02,1\n", "day", None).unwrap_err();
    assert!(matches!(error, Error::NotANumber { .. }), "{error}");
}

#[test]
fn predictor_that_is_not_one_column_is_refused() {
    for (predictor, columns) in [("age", "x,age"), ("2", "1,2"), ("age", "1-3")] {
        let error = with_file("x,age,y\n1,30,2\n", predictor, Some(columns)).unwrap_err().to_string();
        assert!(error.contains("the predictor is among the columns"), "{error}");
    }
    assert!(with_file("1,30,2\n", "2", Some("1-3")).unwrap_err().to_string().contains("among the columns"));
    for predictor in ["1-2", "x,y"] {
        let error = with_file("x,age,y\n1,30,2\n", predictor, None).unwrap_err().to_string();
        assert!(error.contains("the predictor must be one column"), "{error}");
    }
    assert!(matches!(with_file("x,y\n1,2\n", "z", None), Err(Error::UnknownColumn { .. })));
    assert!(with_file("x\n1\n", "x", None).unwrap_err().to_string().contains("the only column"));
}

#[test]
fn covariates_that_are_not_columns_of_their_own_are_refused() {
    let text = "who,x,sex,age\na,1,F,30\n";
    let told = |covariates: &[Covariate], chosen: Option<&str>| {
        let options = ReadOptions { person: Some("who".to_owned()), ..columns(chosen) };
        of_text(text, covariates, &options).unwrap_err().to_string()
    };
    let sex = || level("sex", &["F", "M"]);
    for (covariates, chosen, reason) in [
        (vec![sex(), number("1-2")], None, "`1-2`: the covariate must be one column"),
        (vec![sex(), number("x")], Some("x,age"), "`x`: the covariate is among the columns of the records"),
        (vec![sex(), number("4")], Some("2,4"), "`4`: the covariate is among the columns of the records"),
        (vec![number("age"), sex(), number("4")], None, "`4`: the covariate is listed twice"),
        (vec![sex(), number("3")], Some("x"), "`3`: the covariate is listed twice"),
        (vec![sex(), number("who")], None, "`who`: the covariate is the column of the persons' keys"),
        (vec![number("age"), sex(), number("x")], None, "the covariates are the only columns"),
        (vec![level("sex", &[])], None, "`sex`: it has no levels"),
        (vec![level("sex", &["F", "F "])], None, "`sex`: its level `F` is listed twice"),
        (vec![level("sex", &["F", ""])], None, "`sex`: one of its levels is empty"),
    ] {
        let error = told(&covariates, chosen);
        assert!(error.contains(reason), "{error}");
    }
    assert!(told(&[number("z")], None).contains("has no column `z`"));
    // before any file is opened
    let error = read_all_with_covariates(&["/nowhere.csv"], &[level("sex", &[])], &columns(None)).unwrap_err();
    assert!(error.to_string().contains("no levels"), "{error}");
    let (table, covariates) = of_text("x\n1\n", &[], &columns(None)).unwrap();
    assert_eq!((table.values, covariates), (vec![1.0], vec![]));
}

#[test]
fn a_covariate_by_name_makes_the_first_line_a_header_where_records_may_hold_anything() {
    let options = ReadOptions { keep_non_finite: true, ..Default::default() };
    let (table, covariates) = of_text("x,sex\nz,M\n2,\n", &[level("sex", &["F", "M"])], &options).unwrap();
    assert!(table.values[0].is_nan() && table.values[1] == 2.0);
    assert!(covariates[0] == 1.0 && covariates[1].is_nan());
}

#[test]
fn cells_of_levels_are_texts_without_blanks_and_quotes_around_them() {
    let text = "x,sex,grade\n1, F ,1\n2,\" M \",01\n3,f,1.0\n4,\"F\"\"\",2\n5,none,1\n";
    let covariates = [level("sex", &[" M", "F", "F\"", "none"]), level("grade", &["1", "2"])];
    let (_, numbers) = of_text(text, &covariates, &columns(None)).unwrap();
    assert_eq!(numbers, [1.0, 0.0, 0.0, 0.0, 4.0, 0.0, 2.0, 1.0, 3.0, 0.0]);
    // between tabs R's quotes are unclear in a text, and only there
    let tabs = "x\tsex\tz\n1\t\"a\\\"b\"\tu\n";
    let (sex, x) = (level("sex", &["F"]), Some("x"));
    let error = of_bytes("f.tsv", tabs.as_bytes(), &[sex], &columns(x)).unwrap_err();
    assert!(matches!(error, Error::EscapedQuote { line: 2, .. }), "{error}");
    assert_eq!(of_bytes("f.tsv", tabs.as_bytes(), &[level("3", &["u"])], &columns(x)).unwrap().1, [0.0]);
}

#[test]
fn a_missing_level_is_missing_as_in_any_other_column() {
    let text = "x,sex\n1,M\n2,NA\n3,\n4,-9.0\n5,unknown\n6,F\n7,nan\n";
    let sex = level("sex", &["F", "M"]);
    let missing_values = vec!["sex=-9,unknown".parse().unwrap()];
    let read = |missing, keep_non_finite| {
        let options = ReadOptions { missing_values: missing_values.clone(), missing, keep_non_finite, ..columns(None) };
        of_text(text, std::slice::from_ref(&sex), &options)
    };
    let error = read(Missing::Error, false).unwrap_err();
    assert!(matches!(&error, Error::Missing { place, .. } if (place.row, &*place.column) == (2, "2 (sex)")), "{error}");
    let (table, covariates) = read(Missing::Drop, false).unwrap();
    assert_eq!((table.values, table.numbers, covariates), (vec![1.0, 6.0], vec![1, 6], vec![1.0, 0.0]));
    let (table, covariates) = read(Missing::Keep, false).unwrap();
    assert_eq!((table.rows, table.missing), (7, vec![1, 2, 3, 4, 6]));
    assert_eq!(covariates.iter().map(|x| x.is_nan()).collect::<Vec<_>>(), [false, true, true, true, true, false, true]);
    let (table, covariates) = read(Missing::Error, true).unwrap();
    assert_eq!((table.missing.len(), covariates.iter().filter(|x| x.is_nan()).count()), (0, 5));
    // without a code, a text is a level or none
    let (_, covariates) = of_text("x,sex\n1,-9\n", &[sex], &columns(None)).unwrap();
    assert_eq!(covariates, [2.0]);
}

#[test]
fn columns_of_complete_arrays_are_put_apart() {
    let bytes = npy_bytes("a", &[2, 4], &[1.0, 20_010_702.0, 2.0, 3.0, 4.0, 1.0, 5.0, 6.0]).unwrap();
    let (table, covariates) = of_bytes("a.npy", &bytes, &[number("4"), number("2")], &columns(None)).unwrap();
    assert_eq!((table.values, covariates), (vec![1.0, 2.0, 4.0, 5.0], vec![3.0, 20_010_702.0, 6.0, 1.0]));
}

#[test]
fn specimens_have_covariates_too() {
    let text = "LM=2\n1 2\n3 1\nSCALE=2\nLM=2\n5 6\n7 3\n";
    let read = |text: &str, options: &ReadOptions| {
        of_bytes("f.tps", text.as_bytes(), &[level("y2", &["2", "3"]), number("x1")], options)
    };
    let (table, covariates) = read(text, &ReadOptions { any_scale: true, ..columns(None) }).unwrap();
    assert_eq!((table.values, covariates), (vec![4.0, 6.0, 6.0, 7.0], vec![0.0, 2.0, 1.0, 5.0]));
    let any = |column: &str| {
        let options = ReadOptions { keep_non_finite: true, record_len: Some(3), ..Default::default() };
        of_bytes("f.tps", text.as_bytes(), &[number(column)], &options).unwrap()
    };
    assert_eq!((any("4").0.columns, any("4").1), (3, vec![2.0, 3.0]));
}

/// A record of the model: two numbers, a covariate of numbers, a grade, a sex, and a person.
type Row = (i8, i8, Option<i8>, Option<u8>, Option<&'static str>, u8);

/// The place of each column of the model in a file: x, y, age, grade, sex, who.
type Places = [usize; 6];

const NAMES: [&str; 6] = ["x", "y", "age", "grade", "sex", "who"];

/// What the file holds, column by column of the model; `None` is missing.
fn cells(row: &Row) -> [Option<String>; 6] {
    let (x, y, age, grade, sex, who) = row;
    [
        Some(format!("{}", f64::from(*x) / 2.0)),
        Some(y.to_string()),
        age.map(|age| age.to_string()),
        grade.map(|grade| grade.to_string()),
        sex.map(str::to_owned),
        Some(who.to_string()),
    ]
}

/// The file as a text whose cells have blanks and quotes around them now and then.
fn text(rows: &[Row], places: Places, delimiter: &str) -> Vec<u8> {
    let mut lines = vec![{
        let mut names = NAMES;
        (0..6).for_each(|c| names[places[c]] = NAMES[c]);
        names.join(delimiter)
    }];
    for (i, row) in rows.iter().enumerate() {
        let mut line = vec![String::new(); 6];
        for (c, cell) in cells(row).into_iter().enumerate() {
            let (cell, missing) = (cell.unwrap_or_default(), ["", " ", "NA", "null"][(i + c) % 4]);
            line[places[c]] = match (&*cell, (i + 2 * c) % 5) {
                ("", _) => missing.to_owned(),
                (cell, 0) => format!("\"{cell}\""),
                (cell, 1) => format!(" {cell} "),
                (cell, _) => cell.to_owned(),
            };
        }
        lines.push(line.join(delimiter));
    }
    (lines.join("\n") + "\n").into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn npz(array: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    archive.start_file("a.npy", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(array).unwrap();
    archive.finish().unwrap().into_inner()
}

/// The columns as numbers; those of `sex` are texts in other formats, here the places in the list.
fn array(rows: &[Row], places: Places, fortran: bool) -> Vec<u8> {
    let mut values = vec![];
    for row in rows {
        let mut numbers = [f64::NAN; 6];
        for (c, cell) in cells(row).into_iter().enumerate() {
            let sex = || SEXES.iter().position(|sex| Some(*sex) == row.4).map(|place| place.to_string());
            if let Some(cell) = if c == 4 { sex() } else { cell } {
                numbers[places[c]] = cell.parse().unwrap();
            }
        }
        values.extend(numbers);
    }
    if !fortran {
        return npy_bytes("a", &[rows.len(), 6], &values).unwrap();
    }
    let columns = (0..6).flat_map(|c| values.chunks(6).map(move |row| row[c])).flat_map(f64::to_le_bytes);
    let header = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': ({}, 6), }}", rows.len());
    let head = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    head.into_iter().chain(columns).collect()
}

#[cfg(feature = "parquet")]
mod columnar {
    use super::{NAMES, Places, Row, cells};
    use arrow_array::types::Int8Type;
    use arrow_array::{ArrayRef, DictionaryArray, Float32Array, Int64Array, RecordBatch, StringArray, StringViewArray};
    use std::sync::Arc;

    /// The columns, in batches of three records; `way` chooses the types of levels.
    fn batches(rows: &[Row], places: Places, way: usize) -> Vec<RecordBatch> {
        let of = |rows: &[Row]| {
            let column = |c: usize| rows.iter().map(move |row| cells(row)[c].clone());
            let floats =
                |c| Float32Array::from_iter(column(c).map(|cell| cell.map(|cell| cell.parse::<f32>().unwrap())));
            let integers =
                |c| Int64Array::from_iter(column(c).map(|cell| cell.map(|cell| cell.parse::<i64>().unwrap())));
            let texts = column(4).collect::<Vec<_>>();
            let texts: ArrayRef = match way {
                0 => Arc::new(StringArray::from_iter(texts)),
                1 => Arc::new(StringViewArray::from_iter(texts)),
                _ => Arc::new(texts.iter().map(Option::as_deref).collect::<DictionaryArray<Int8Type>>()),
            };
            let grade: ArrayRef = match way {
                0 => Arc::new(integers(3)),
                1 => Arc::new(floats(3)),
                _ => Arc::new(StringArray::from_iter(column(3))),
            };
            let arrays: [ArrayRef; 6] =
                [Arc::new(floats(0)), Arc::new(floats(1)), Arc::new(integers(2)), grade, texts, Arc::new(integers(5))];
            let mut columns = vec![None; 6];
            arrays.into_iter().enumerate().for_each(|(c, array)| columns[places[c]] = Some((NAMES[c], array, true)));
            RecordBatch::try_from_iter_with_nullable(columns.into_iter().flatten()).unwrap()
        };
        rows.chunks(3).map(of).collect()
    }

    pub(super) fn parquet(rows: &[Row], places: Places, way: usize) -> Vec<u8> {
        let batches = batches(rows, places, way);
        let mut writer = ::parquet::arrow::ArrowWriter::try_new(vec![], batches[0].schema(), None).unwrap();
        for batch in batches {
            writer.write(&batch).unwrap();
            writer.flush().unwrap(); // a group of rows
        }
        writer.into_inner().unwrap()
    }

    pub(super) fn arrow(rows: &[Row], places: Places, way: usize) -> Vec<u8> {
        let batches = batches(rows, places, way);
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(vec![], &batches[0].schema()).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.into_inner().unwrap()
    }
}

const SEXES: [&str; 4] = ["F", "Female?", "male", "M"];

/// What covariates a record has: `None` is missing.
fn expected(row: &Row, asked: &[usize]) -> Vec<Option<f64>> {
    let (_, _, age, grade, sex, _) = row;
    let covariate = |asked: &usize| match asked {
        0 => age.map(f64::from),
        // the levels 2 and 0, and others
        1 => grade.map(|grade| [1.0, 2.0, 0.0, 2.0][usize::from(grade)]),
        // the levels M and F, and others
        _ => sex.map(|sex| {
            if sex == "M" {
                0.0
            } else if sex == "F" {
                1.0
            } else {
                2.0
            }
        }),
    };
    asked.iter().map(covariate).collect()
}

/// A record, its covariates, and whether it is listed as one that lacks a value.
type Passed = (Vec<f64>, Vec<Option<f64>>, bool);

/// Records with their covariates, in blocks of so many bytes, of all persons or one.
fn passed(stream: Stream, block: usize, who: Option<&str>) -> Result<Vec<Passed>> {
    let (stream, found) = (stream.in_blocks_of(block), Mutex::new(BTreeMap::new()));
    let note = |Batch { index, table, covariates }: Batch| {
        let k = covariates.len() / table.rows;
        let covariates = covariates.chunks(k).map(|all| all.iter().map(|x| Some(*x).filter(|x| !x.is_nan())).collect());
        let records = table.records().map(<[f64]>::to_vec).zip(covariates).enumerate();
        let records = records.map(|(i, (record, covariates))| (record, covariates, table.missing.contains(&i)));
        found.lock().unwrap().insert(index, records.collect::<Vec<_>>());
        Ok::<(), Error>(())
    };
    match who {
        None => stream.pass(&|_| {}, note)?,
        Some(who) => stream.pass_of(&|key: &Key| key.to_string() == who, &|_| {}, note)?,
    }
    Ok(found.into_inner().unwrap().into_values().flatten().collect())
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let sex = prop::option::weighted(0.9, prop::sample::select(SEXES.to_vec()));
    let row = (any::<i8>(), any::<i8>(), prop::option::weighted(0.9, any::<i8>()), any::<u8>(), sex, 0..3_u8);
    let row = row.prop_map(|(x, y, age, grade, sex, who)| (x, y, age, (grade >= 16).then_some(grade % 4), sex, who));
    prop::collection::vec(row, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn covariates_are_the_same_in_any_format_place_order_and_block(
        rows in rows(),
        places in Just([0, 1, 2, 3, 4, 5]).prop_shuffle(),
        asked in prop::sample::subsequence(vec![0, 1, 2], 1..=3).prop_shuffle(),
        (by_name, chooses, has_persons) in any::<(bool, bool, bool)>(),
        (missing, keep_non_finite) in (prop::sample::select(vec![Missing::Drop, Missing::Keep]), any::<bool>()),
    ) {
        let column = |c: usize| (places[c] + 1).to_string();
        #[cfg_attr(not(feature = "parquet"), expect(unused_mut))]
        let mut files = vec![
            ("f.csv", text(&rows, places, ",")),
            ("f.tsv", text(&rows, places, "\t")),
            ("f.csv.gz", gzip(&text(&rows, places, ";"))),
            ("f.npy", array(&rows, places, false)),
            ("f.npy", array(&rows, places, true)),
            ("f.npy.gz", gzip(&array(&rows, places, false))),
            ("f.npz:a", npz(&array(&rows, places, false))),
        ];
        #[cfg(feature = "parquet")]
        for way in 0..3 {
            files.push(("f.parquet", columnar::parquet(&rows, places, way)));
            files.push(("f.arrow", columnar::arrow(&rows, places, way)));
            files.push(("f.arrow.gz", gzip(&columnar::arrow(&rows, places, way))));
        }
        let all: Vec<usize> = [0, 1].into_iter().chain(if has_persons { None } else { Some(5) }).collect();
        for (name, bytes) in files {
            let is_array = name.contains(".np");
            let label = |c: usize| if by_name && !is_array { NAMES[c].to_owned() } else { column(c) };
            let sexes = if is_array { ["3", "0"] } else { ["M", "F"] };
            let covariate = |asked: &usize| match asked {
                0 => number(&label(2)),
                1 => level(&label(3), &["2", "0"]),
                _ => level(&label(4), &sexes),
            };
            let covariates: Vec<Covariate> = asked.iter().map(covariate).collect();
            // all others, in the order of the file, or what is chosen
            let unasked: Vec<usize> = [2, 3, 4].into_iter().filter(|c| !asked.contains(&(c - 2))).collect();
            let is_chosen = chooses || !unasked.is_empty();
            let mut record = all.clone();
            if !is_chosen {
                record.sort_by_key(|&c| places[c]);
            }
            let options = ReadOptions {
                columns: is_chosen.then(|| record.iter().map(|&c| label(c)).collect::<Vec<_>>().join(",")),
                person: has_persons.then(|| label(5)),
                record_len: Some(record.len()),
                header: (!is_array).then_some(true),
                missing,
                keep_non_finite,
                may_be_empty: true,
                ..Default::default()
            };
            let values = |row: &Row| -> Vec<f64> {
                let cells = cells(row);
                record.iter().map(|&c| cells[c].as_ref().unwrap().parse().unwrap()).collect()
            };
            let is_missing = |row: &Row| expected(row, &asked).contains(&None);
            for who in [None, has_persons.then_some("1")] {
                let wanted = rows.iter().filter(|row| who.is_none_or(|who| row.5.to_string() == who));
                let wanted = wanted.filter(|row| missing == Missing::Keep || !is_missing(row));
                let wanted: Vec<_> =
                    wanted.map(|row| (values(row), expected(row, &asked), is_missing(row))).collect();
                for block in [1, 50, 1 << 20] {
                    let stream = Stream::of_bytes(name, bytes.clone(), &options.with_covariates(&covariates)).unwrap();
                    prop_assert_eq!(passed(stream, block, who).unwrap(), wanted.clone(), "{} {} {:?}", name, block, options);
                }
            }
        }
    }
}

#[cfg(feature = "parquet")]
#[test]
fn columns_of_other_types_have_no_levels() {
    use arrow_array::{ArrayRef, BinaryArray, BooleanArray, Date32Array, Float64Array, RecordBatch};
    use std::sync::Arc;
    let x: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0]));
    let file = |g: ArrayRef| {
        let batch = RecordBatch::try_from_iter([("g", g), ("x", x.clone())]).unwrap();
        let mut writer = arrow_ipc::writer::StreamWriter::try_new(vec![], &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.into_inner().unwrap()
    };
    let read = |g: ArrayRef| of_bytes("f.arrow", &file(g), &[level("g", &["1", "0"])], &columns(None));
    assert_eq!(read(Arc::new(BooleanArray::from(vec![true, false]))).unwrap().1, [0.0, 1.0]);
    let days = file(Arc::new(Date32Array::from(vec![1, 2])));
    let dates = [level("g", &["1970-01-03", "1970-01-02"])];
    assert_eq!(of_bytes("f.arrow", &days, &dates, &columns(None)).unwrap().1, [1.0, 0.0]);
    let error = read(Arc::new(BinaryArray::from(vec![&b"1"[..], b"0"]))).unwrap_err().to_string();
    assert!(error.contains("column 1 (g), holds bytes: expected texts"), "{error}");
}

#[cfg(feature = "parquet")]
#[test]
fn a_list_has_as_many_numbers_as_the_record_without_its_covariates() {
    use arrow_array::types::Float64Type;
    use arrow_array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
    use std::sync::Arc;
    let lists = [Some(vec![Some(9.0)]), Some(vec![Some(1.0), Some(2.0)])];
    let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists));
    let sex: ArrayRef = Arc::new(StringArray::from(vec!["F", "M"]));
    let day: ArrayRef = Arc::new(Int64Array::from(vec![20_010_101, 1999]));
    let batch = RecordBatch::try_from_iter_with_nullable([("sex", sex, true), ("x", lists, true), ("day", day, true)]);
    let batch = batch.unwrap();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(vec![], &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    let bytes = writer.into_inner().unwrap();
    for chosen in [None, Some("x")] {
        // the first list has not as many
        let options = ReadOptions { keep_non_finite: true, record_len: Some(2), ..columns(chosen) };
        let (table, covariates) =
            of_bytes("f.arrow", &bytes, &[number("day"), level("sex", &["M"])], &options).unwrap();
        assert_eq!((table.columns, &table.values[2..]), (2, &[1.0, 2.0][..]));
        assert_eq!(
            (table.names.unwrap(), covariates),
            (vec!["x[0]".to_owned(), "x[1]".to_owned()], vec![2001.0, 1.0, 1999.0, 0.0])
        );
    }
    let options = ReadOptions { record_len: Some(3), ..columns(None) };
    let error = of_bytes("f.arrow", &bytes, &[number("x")], &options).unwrap_err().to_string();
    assert!(error.contains("`x`: the covariate must be one column"), "{error}");
}

#[test]
fn codes_are_of_the_column_of_a_covariate_alone() {
    let options = ReadOptions {
        missing_values: vec!["day=1900-01-01".parse().unwrap(), "g=9".parse().unwrap()],
        missing: Missing::Drop,
        ..columns(None)
    };
    let text = "g,x,day\n9,1,2001\n1,9,2001-01-01\n2,1900,1900-01-01\n1,3,1900\n";
    let (table, covariates) = of_text(text, &[number("day"), level("g", &["2", "1", "9"])], &options).unwrap();
    assert_eq!((table.values, covariates), (vec![9.0], vec![2001.0, 1.0]));
}
