use super::*;
use crate::options::Missing;
use crate::{read_all, read_all_with_predictor, read_bytes};
use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;

/// The contents of a file, read in blocks of about `block` bytes by some threads.
fn read_in(name: &str, bytes: &[u8], options: &ReadOptions, block: usize, threads: usize) -> Result<Table> {
    let stream = Stream::of_bytes(name, bytes.to_vec(), options)?.in_blocks_of(block);
    POOLS[threads - 1].install(|| stream.collect()).map(|(table, _)| table)
}

/// One thread, and two.
static POOLS: LazyLock<[ThreadPool; 2]> =
    LazyLock::new(|| [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap()));

/// The full content of a table, with its numbers to the last bit, or the error.
fn said(table: Result<Table>) -> Result<(Vec<u64>, String), String> {
    let table = table.map_err(|error| error.to_string())?;
    let bits = table.values.iter().map(|x| x.to_bits()).collect();
    Ok((bits, format!("{:?}", Table { values: vec![], ..table })))
}

fn same_however_it_is_cut(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<(), TestCaseError> {
    let whole = said(read_in(name, bytes, options, 1 << 16, 1));
    prop_assert_eq!(&said(read_bytes(name, bytes.to_vec(), options)), &whole);
    for (block, threads) in [(1, 1), (7, 2), (64, 2)] {
        prop_assert_eq!(&said(read_in(name, bytes, options, block, threads)), &whole, "{} {:?}", block, options);
    }
    Ok(())
}

fn options() -> impl Strategy<Value = ReadOptions> {
    let columns = prop::sample::select(vec![None, Some("1"), Some("2,1"), Some("x,y")]);
    let header = prop::sample::select(vec![None, Some(true), Some(false)]);
    let missing = prop::sample::select(vec![Missing::Error, Missing::Drop, Missing::Keep]);
    let person = prop::sample::select(vec![None, None, Some("1"), Some("y")]);
    let delimiter = prop::sample::select(vec![None, None, None, Some(b' '), Some(b'"'), Some(b'#'), Some(b'\n')]);
    let lines = (prop::sample::select(vec![None, None, Some(b'#')]), 0..3_usize, 0..3_usize);
    let covariate = |(column, is_level): (&str, bool)| {
        let levels = is_level.then(|| vec!["1".to_owned(), "a".to_owned()]);
        Covariate { column: column.to_owned(), levels, dates: true }
    };
    let covariate = (prop::sample::select(vec!["2", "y"]), any::<bool>()).prop_map(covariate);
    let covariates = prop::option::weighted(0.2, covariate).prop_map(|covariate| covariate.into_iter().collect());
    (columns, header, missing, person, delimiter, any::<[bool; 4]>(), (lines, covariates)).prop_map(
        |(columns, header, missing, person, delimiter, flags, (lines, covariates))| {
            let (comments, skip_lines, skip_after_header) = lines;
            let [keep_non_finite, decimal_comma, may_be_empty, groups] = flags;
            ReadOptions {
                columns: columns.map(str::to_owned),
                header,
                missing,
                person: person.map(str::to_owned),
                delimiter,
                keep_non_finite,
                decimal_comma,
                may_be_empty,
                groups,
                covariates,
                comments,
                skip_lines: skip_lines.saturating_sub(1),
                skip_after_header: skip_after_header.saturating_sub(1),
                ..Default::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_text_is_the_same_however_it_is_cut(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "1,2", "-3.5,1e3", "x,y", "\"4\",5", "\"6\n,\",7", "# a comment", "#", "", "8,", "9", ",", "\"", "a b",
                "1 2", "3  4", "nan,1", "5;6", "1,5;2,5", "#ff,1", " ", "é,1", "2001-02-03,1", "\"a\"\"b\",1", "a\"b,2",
            ]),
            0..12,
        ),
        ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\r", ""]), 12),
        encoding in 0..4,
        options in options(),
    ) {
        let text: String = lines.iter().zip(ends).map(|(line, end)| format!("{line}{end}")).collect();
        let utf16 = |unit: fn(u16) -> [u8; 2]| format!("\u{feff}{text}").encode_utf16().flat_map(unit).collect();
        let bytes: Vec<u8> = match encoding {
            0 => utf16(u16::to_le_bytes),
            1 => utf16(u16::to_be_bytes),
            _ => text.into_bytes(),
        };
        same_however_it_is_cut("f.csv", &bytes, &options)?;
    }

    #[test]
    fn a_text_of_any_characters_is_the_same_however_it_is_cut(
        text in "[\u{feff}1a,\"\t\r\n #.]{0,60}",
        options in options(),
    ) {
        same_however_it_is_cut("f.csv", text.as_bytes(), &options)?;
    }

    #[test]
    fn an_array_is_the_same_however_it_is_cut(
        rows in 1usize..40,
        (a, b) in (1usize..4, 1usize..3),
        descr in prop::sample::select(vec!["<f8", ">f4", "<i2", "|u1"]),
        fortran in any::<bool>(),
        damage in prop::option::of(any::<prop::sample::Index>()),
        packing in 0..3,
        columns in prop::sample::select(vec![None, Some("1"), Some("2,1")]),
        missing in prop::sample::select(vec![Missing::Error, Missing::Drop, Missing::Keep]),
        (person, groups) in (prop::sample::select(vec![None, None, Some("1")]), any::<bool>()),
    ) {
        let order = if fortran { "True" } else { "False" };
        let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({rows}, {a}, {b}), }}\n");
        let size: usize = descr[2..].parse().unwrap();
        let mut data: Vec<u8> = (0..rows * a * b * size).map(|i| (i * 37 % 251) as u8).collect();
        if let Some(at) = damage {
            let number = at.index(rows * a * b) * size;
            data[number..number + size].fill(255); // not a number, where there are such
        }
        let mut array = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
        array.extend(data);
        let (name, bytes) = match packing {
            0 => ("f.npy", array),
            1 => ("f.npy.gz", gzip(&array)),
            _ => ("f.npz", npz(&array)),
        };
        let (columns, person) = (columns.map(str::to_owned), person.map(str::to_owned));
        let options = ReadOptions { columns, person, groups, missing, ..Default::default() };
        same_however_it_is_cut(name, &bytes, &options)?;
    }
}

/// A line of a table: two numbers, and a cell that is not selected in place `at` among them.
fn line(x: f64, y: f64, note: &str, at: usize, delimiter: u8) -> String {
    let mut cells = vec![x.to_string(), y.to_string()];
    cells.insert(at, note.to_owned());
    cells.join(&char::from(delimiter).to_string()) + "\n"
}

/// A cell in quotes, its own quotes doubled, as programs write it.
fn in_quotes(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// No cell of another column decides which records there are: as it is where it does not hold the separator, and in
    /// quotes whatever it holds.
    #[test]
    fn records_are_those_without_the_columns_that_are_not_selected(
        rows in prop::collection::vec((-9.0..9.0, -9.0..9.0, "[a#\"' ;,\t|1]{0,6}"), 1..20),
        (at, delimiter) in (0..3_usize, prop::sample::select(b",;\t |".to_vec())),
        (quotes, end, has_names) in (any::<bool>(), prop::sample::select(vec!["\n", "\r\n", "\r"]), any::<bool>()),
        (keep_non_finite, says_delimiter) in any::<(bool, bool)>(),
    ) {
        let note = |note: &str| match (quotes, delimiter) {
            (_, b'\t') if quotes => in_quotes(&note.replace('\t', " ")),
            (true, _) => in_quotes(note),
            (false, b' ') => format!("{}.", note.replace([' ', '\t'], "_")), // a word
            (false, delimiter) => note.replace(char::from(delimiter), "_"),
        };
        let mut names = ["x", "y"].map(str::to_owned).to_vec();
        names.insert(at, "note".to_owned());
        let mut text = names.join(&char::from(delimiter).to_string()) + end;
        for (x, y, cell) in &rows {
            text += &line(*x, *y, &note(cell), at, delimiter).replace('\n', end);
        }
        let numbers = |skip: usize| (1..=3).filter(|i| *i != skip).map(|i: usize| i.to_string()).collect::<Vec<_>>().join(",");
        let options = ReadOptions {
            columns: Some(if has_names { "x,y".to_owned() } else { numbers(at + 1) }),
            header: (!has_names).then_some(true),
            delimiter: (says_delimiter || delimiter == b'|').then_some(delimiter),
            keep_non_finite,
            ..Default::default()
        };
        let expected: Vec<f64> = rows.iter().flat_map(|(x, y, _)| [*x, *y]).collect();
        for (block, threads) in [(1, 1), (13, 2), (64, 2), (1 << 16, 1)] {
            let table = read_in("f.csv", text.as_bytes(), &options, block, threads);
            prop_assert_eq!(&table.map(|table| table.values), &Ok(expected.clone()), "{}", text);
        }
    }

    /// Keys are the texts that were written, without blanks around them.
    #[test]
    fn keys_are_the_texts_that_were_written(
        keys in prop::collection::vec("[aN#\"' ;,1]{0,5}", 1..20),
        delimiter in prop::sample::select(b",;\t".to_vec()),
        block in prop::sample::select(vec![1, 20, 1 << 16]),
    ) {
        let mut writer = ::csv::WriterBuilder::new().delimiter(delimiter).from_writer(vec![]);
        writer.write_record(["who", "x"]).unwrap();
        keys.iter().enumerate().for_each(|(i, key)| writer.write_record([key, &i.to_string()]).unwrap());
        let options = ReadOptions {
            person: Some("who".to_owned()),
            groups: true,
            missing: Missing::Drop,
            may_be_empty: true,
            ..Default::default()
        };
        let table = read_in("f.csv", &writer.into_inner().unwrap(), &options, block, 2).unwrap();
        let texts: Vec<_> = keys.iter().enumerate().map(|(i, key)| (key, i as f64)).filter_map(|(key, i)| Some((Key::of(key)?, i))).collect();
        let found: Vec<_> = table.persons.into_iter().zip(table.values).collect();
        prop_assert_eq!(found, texts);
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn npz(array: &[u8]) -> Vec<u8> {
    npz_of("x", array)
}

fn npz_of(key: &str, array: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    archive.start_file(format!("{key}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(array).unwrap();
    archive.finish().unwrap().into_inner()
}

fn path(folder: &Path, name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, contents).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The batches of a pass, in order.
fn batches(stream: &Stream) -> Result<Vec<Batch>> {
    let batches = Mutex::new(vec![]);
    stream.pass(&|_| {}, |batch| {
        batches.lock().unwrap().push(batch);
        Ok::<(), Error>(())
    })?;
    let mut batches = batches.into_inner().unwrap();
    batches.sort_by_key(|batch| batch.index);
    Ok(batches)
}

#[test]
fn batches_know_their_places_and_passes_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..100).map(|i| format!("{i},\"{i}\"\n")).collect();
    let paths = [path(folder.path(), "a.csv", format!("x,y\n\n{text}")), path(folder.path(), "b.csv", "x,y\n7,8\n")];
    let stream = Stream::open(&paths, &ReadOptions::default()).unwrap().in_blocks_of(50);
    let whole = read_all(&paths, &ReadOptions::default()).unwrap();
    for _ in 0..3 {
        let batches = batches(&stream).unwrap();
        assert!(batches.len() > 10);
        let places = batches.iter().flat_map(|batch| {
            let table = &batch.table;
            (0..table.rows).map(|i| (table.place(i).0.to_owned(), table.place(i).1, table.line(i)))
        });
        let expected = (0..whole.rows).map(|i| (whole.place(i).0.to_owned(), whole.place(i).1, whole.line(i)));
        assert!(places.eq(expected));
        assert_eq!(batches.iter().flat_map(|batch| batch.table.values.clone()).collect::<Vec<_>>(), whole.values);
    }
    assert_eq!((whole.place(99), whole.line(99)), ((&*paths[0], 100), Some(102)));
    assert_eq!((whole.place(100), whole.line(100)), ((&*paths[1], 1), Some(2)));
}

#[test]
fn of_several_errors_that_of_the_first_record_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let bad = |from: usize| (0..3000).map(|i| if i < from { "1\n" } else { "a\n" }).collect::<String>();
    let paths = [
        path(folder.path(), "a.csv", format!("x\n{}", bad(1234))),
        path(folder.path(), "b.csv", format!("x\n{}", bad(5))),
    ];
    let stream = Stream::open(&paths, &ReadOptions::default()).unwrap().in_blocks_of(64);
    for pool in [0, 1, 1, 1, 1, 1].map(|threads| &POOLS[threads]) {
        let error = pool.install(|| batches(&stream)).unwrap_err().to_string();
        assert!(error.contains("a.csv: record 1235 (line 1236)"), "{error}");
        // an error of the caller counts as one of its batch
        let refuse = |batch: Batch| match batch.table.before {
            before if before < 640 => Ok(()),
            before => Err(Error::InvalidFactor { value: before as f64 }),
        };
        let error = pool.install(|| stream.pass(&|_| {}, refuse)).unwrap_err();
        assert!(matches!(error, Error::InvalidFactor { value } if (640.0..704.0).contains(&value)), "{error}");
    }
}

#[test]
fn progress_ends_with_all_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let packed = gzip("1,2\n".repeat(5000).as_bytes());
    let paths = [path(folder.path(), "a.csv", "3,4\n".repeat(5000)), path(folder.path(), "b.csv.gz", packed)];
    let stream = Stream::open(&paths, &ReadOptions::default()).unwrap().in_blocks_of(1000);
    let told = Mutex::new(vec![]);
    stream.pass(&|bytes| told.lock().unwrap().push(bytes), |_| Ok::<(), Error>(())).unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.len() > 20 && told.iter().all(|bytes| *bytes <= stream.bytes()));
    assert_eq!(told.last(), Some(&stream.bytes()));
}

#[test]
fn a_file_that_changes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(folder.path(), "a.csv", "1,2\n3,4\n");
    let stream = Stream::open(&[&file], &ReadOptions::default()).unwrap();
    assert_eq!(batches(&stream).unwrap().len(), 1);
    path(folder.path(), "a.csv", "1,2\n3,4\n5,6\n");
    let error = batches(&stream).unwrap_err();
    assert_eq!(error.to_string(), format!("{file} changed while it was read: do not write to it meanwhile"));
    // also while it is read
    let stream = Stream::open(&[&file], &ReadOptions::default()).unwrap();
    let error = stream.pass(&|_| {}, |_| {
        path(folder.path(), "a.csv", "1,2\n");
        Ok::<(), Error>(())
    });
    assert!(matches!(error, Err(Error::Changed { .. })));
    // an array that is cut off
    let array = folder.path().join("a.npy").to_str().unwrap().to_owned();
    crate::write_npy(&array, &[1000, 1], &[1.0; 1000]).unwrap();
    let stream = Stream::open(&[&array], &ReadOptions::default()).unwrap().in_blocks_of(80);
    let cut = |_| {
        std::fs::OpenOptions::new().write(true).open(&array).unwrap().set_len(200).unwrap();
        Ok::<(), Error>(())
    };
    assert!(matches!(stream.pass(&|_| {}, cut), Err(Error::Changed { .. })));
}

#[test]
fn files_with_other_columns_are_refused_when_they_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [path(folder.path(), "a.csv", "x,y\n1,2\n"), path(folder.path(), "b.csv", "x,z\n1,2\n")];
    let error = Stream::open(&paths, &ReadOptions::default()).err().unwrap().to_string();
    assert!(error.starts_with(&format!("{} has other columns than {}", paths[1], paths[0])), "{error}");
}

#[test]
fn files_without_records_are_none_where_there_may_be_none() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [
        path(folder.path(), "a.csv", ""),
        path(folder.path(), "b.csv", "x,y\n"),
        path(folder.path(), "c.csv", "x,y\n1,2\n"),
        path(folder.path(), "d.csv", "x,y\nNA,\n"),
    ];
    let options = |may_be_empty| ReadOptions { may_be_empty, missing: Missing::Drop, ..Default::default() };
    let stream = Stream::open(&paths, &options(true)).unwrap();
    assert_eq!(batches(&stream).unwrap().iter().map(|batch| batch.table.rows).collect::<Vec<_>>(), [1]);
    assert!(matches!(Stream::open(&paths, &options(false)), Err(Error::Empty { .. })));
    let passes = |paths| batches(&Stream::open(paths, &options(false)).unwrap());
    assert!(matches!(passes(&paths[1..]), Err(Error::NoRecords { .. })));
    assert!(matches!(passes(&paths[2..]), Err(Error::AllMissing { .. })));
}

#[test]
fn predictors_come_with_the_records() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..500).map(|i| format!("{i},{},{}\n", 1900 + i % 100, -i)).collect();
    let file = path(folder.path(), "a.csv", format!("x,when,y\n{text}"));
    let stream = Stream::open_with_predictor(&[&file], "when", &ReadOptions::default()).unwrap().in_blocks_of(100);
    let (table, predictors) = read_all_with_predictor(&[&file], "when", &ReadOptions::default()).unwrap();
    let batches = batches(&stream).unwrap();
    assert!(batches.len() > 10);
    assert_eq!(batches.iter().flat_map(|batch| batch.covariates.clone()).collect::<Vec<_>>(), predictors);
    assert_eq!(batches.iter().flat_map(|batch| batch.table.values.clone()).collect::<Vec<_>>(), table.values);
    assert_eq!((stream.names(), &batches[0].table.names), (table.names.clone(), &table.names));
}

#[test]
fn batches_hold_a_limited_number_of_records() {
    let text = "1\n".repeat(150_000);
    let stream = Stream::of_bytes("f.csv", text.into_bytes(), &ReadOptions::default()).unwrap();
    let rows: Vec<usize> = batches(&stream).unwrap().iter().map(|batch| batch.table.rows).collect();
    assert_eq!((rows.iter().sum::<usize>(), rows.iter().max()), (150_000, Some(&(1 << 16))));
}

#[test]
fn a_line_without_end_does_not_take_all_memory() {
    let text = [b"x,y\n1,2\n\"".to_vec(), vec![b'a'; 3 << 20]].concat();
    let error = read_bytes("f.csv", text, &ReadOptions::default()).unwrap_err();
    assert!(matches!(error, Error::EndlessRecord { line: 3, .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_kept_in_memory_up_to_a_limit_or_where_the_options_say() {
    let folder = tempfile::tempdir().unwrap();
    let spool = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe.csv");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let open = |options: &ReadOptions| {
        std::thread::scope(|scope| {
            scope.spawn(|| std::fs::write(&pipe, "1,2\n".repeat(1000)));
            Stream::open(&[pipe.to_str().unwrap()], options)
        })
    };
    let memory = |memory| ReadOptions { memory: Some(memory), ..Default::default() };
    let error = open(&memory(3999)).err().unwrap();
    assert!(matches!(error, Error::MoreThanMemory { limit: 3999, .. }), "{error}");
    let spooled = ReadOptions { spool: Some(spool.path().to_owned()), ..memory(10) };
    for options in [memory(4000), ReadOptions::default(), spooled] {
        let stream = open(&options).unwrap();
        for _ in 0..2 {
            assert_eq!(batches(&stream).unwrap().iter().map(|batch| batch.table.rows).sum::<usize>(), 1000);
        }
        assert_eq!(spool.path().read_dir().unwrap().count(), 0); // a file without a name
    }
}

/// A pass over wanted persons gives the same records of them as a full pass, whatever the other records hold. A file
/// may have none of them.
#[test]
fn those_who_are_wanted_have_the_records_that_they_have_among_all() {
    let mut text = String::from("who,x,y\n");
    (0..200).for_each(|i| text += &format!("p{},{}.5,{i}\n", i % 7, i * i));
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    let array = |descr: &str, shape: &str, data: Vec<u8>| {
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &data].concat()
    };
    let values = (0..200).flat_map(|i| [f64::from(i * i) + 0.5, f64::from(i)]).flat_map(f64::to_le_bytes).collect();
    let keys = (0..200).flat_map(|i| (i % 7_i64).to_le_bytes()).collect();
    for (name, bytes) in [("x", array("<f8", "(200, 2)", values)), ("who", array("<i8", "(200,)", keys))] {
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&bytes).unwrap();
    }
    let archive = archive.finish().unwrap().into_inner();
    let options = ReadOptions { person: Some("who".to_owned()), ..Default::default() };
    for (name, bytes) in [("a.csv", text.into_bytes()), ("a.npz:x", archive)] {
        let stream = Stream::of_bytes(name, bytes, &options).unwrap().in_blocks_of(100);
        let of = |wanted: &(dyn Fn(&Key) -> bool + Sync), is_all: bool| {
            let found = Mutex::new(BTreeMap::new());
            let note = |batch: Batch| {
                let records = batch.table.records().map(<[f64]>::to_vec).collect::<Vec<_>>();
                let of_keys: Vec<_> = batch.table.persons.into_iter().zip(records).collect();
                found.lock().unwrap().insert(batch.index, of_keys);
                Ok::<(), Error>(())
            };
            match is_all {
                true => stream.pass(&|_| {}, note).unwrap(),
                false => stream.pass_of(wanted, &|_| {}, note).unwrap(),
            }
            found.into_inner().unwrap().into_values().flatten().collect::<Vec<_>>()
        };
        let wanted = |key: &Key| key.to_string().ends_with(['2', '5']);
        let expected: Vec<_> = of(&wanted, true).into_iter().filter(|(key, _)| wanted(key)).collect();
        assert!(expected.len() > 50, "{name}");
        assert_eq!(of(&wanted, false), expected, "{name}");
        assert_eq!(of(&|_| false, false), [], "{name}");
    }
}

/// What a check of the layout says of a file, of columns that are chosen.
fn checked(name: &str, bytes: Vec<u8>, (columns, space, layout): (Option<&str>, &str, &str)) -> Result<(), String> {
    let options = ReadOptions { columns: columns.map(str::to_owned), ..Default::default() };
    let manifold = space.parse::<karcher::Space>().unwrap().manifold().unwrap();
    let stream = Stream::of_bytes(name, bytes.clone(), &options).map_err(|error| error.to_string())?;
    let layout = crate::layout(&*manifold, Some(layout)).unwrap();
    let checked = stream.check_layout(&*manifold, &layout, &[]).map_err(|error| error.to_string());
    // the whole table says the same
    let table = read_bytes(name, bytes, &options).map_err(|error| error.to_string())?;
    if table.names.is_some() {
        assert_eq!(table.check_layout(&*manifold, &layout, &[]).map_err(|error| error.to_string()), checked);
    }
    checked
}

#[test]
fn columns_next_to_the_chosen_ones_are_seen() {
    let log = |header: &str| format!("{header}\n33.9,1,151.2,2\n").into_bytes();
    let places = (Some("Latitude,Longitude"), "sphere:2", "latlon");
    let error = checked("log.csv", log("Latitude,N/S,Longitude,E/W"), places).unwrap_err();
    assert!(
        error.ends_with(
            ": make southern and western numbers negative, and drop N/S, E/W, or --trust-layout if the \
                             names are wrong"
        ),
        "{error}"
    );
    assert_eq!(checked("log.csv", log("Latitude,id,Longitude,speed"), places), Ok(()));
    let commented = b"# Latitude,N/S,Longitude,E/W\n33.9,1,151.2,2\n".to_vec();
    let by_number = |columns| (Some(columns), "sphere:2", "latlon");
    let of = |options: ReadOptions| Stream::of_bytes("log.csv", commented.clone(), &options).unwrap();
    let stream = of(ReadOptions { columns: Some("1,3".to_owned()), comments: Some(b'#'), ..Default::default() });
    let sphere = "sphere:2".parse::<karcher::Space>().unwrap().manifold().unwrap();
    let latlon = crate::layout(&*sphere, Some("latlon")).unwrap();
    let error = stream.check_layout(&*sphere, &latlon, &[]).unwrap_err().to_string();
    assert!(error.contains("drop N/S, E/W"), "{error}");
    let error = checked("log.csv", log("GPSLatitude,GPSLatitudeRef,GPSLongitude,GPSLongitudeRef"), by_number("1,3"));
    assert!(error.unwrap_err().contains("drop GPSLatitudeRef, GPSLongitudeRef"));
}

/// The name of an array in an archive is that of a list, whose numbers are chosen by their places.
#[test]
fn names_of_arrays_are_seen_and_the_advice_is_right() {
    let array = crate::write::npy_bytes("a", &[2, 2], &[2.0, 48.0, 3.0, 49.0]).unwrap();
    let archive = |key: &str| npz_of(key, &array);
    for key in ["lonlat", "coordinates", "xy"] {
        let whole = (None, "sphere:2", "latlon");
        let error = checked("a.npz", archive(key), whole).unwrap_err();
        assert!(error.contains("give --columns 2,1, or"), "{error}");
        assert_eq!(checked("a.npz", archive(key), (Some("2,1"), "sphere:2", "latlon")), Ok(()));
    }
    let error = checked("a.npz", archive("radec"), (None, "sphere:2", "latlon")).unwrap_err();
    assert!(error.contains("give --layout ra-dec"), "{error}");
    for key in ["points", "arr_0", "X"] {
        assert_eq!(checked("a.npz", archive(key), (None, "sphere:2", "latlon")), Ok(()), "{key}");
    }
}
