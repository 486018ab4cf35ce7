use super::*;
use crate::options::Missing;
use proptest::prelude::*;

fn parse(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table> {
    crate::read_bytes(file, bytes.to_vec(), options)
}

fn parse_with(text: &str, columns: Option<&str>) -> Result<Table> {
    parse("f.csv", text.as_bytes(), &ReadOptions { columns: columns.map(str::to_owned), ..Default::default() })
}

fn sentence(text: &str, columns: Option<&str>) -> String {
    parse_with(text, columns).unwrap_err().to_string()
}

#[test]
fn first_line_of_numbers_is_a_record() {
    let table = parse_with("1,2\n3,4\n", None).unwrap();
    assert_eq!((table.values, table.rows, table.names), (vec![1.0, 2.0, 3.0, 4.0], 2, None));
}

#[test]
fn first_line_with_a_word_is_a_header() {
    let table = parse_with("\u{feff}\"lat\", lng\n1,2\n", None).unwrap();
    assert_eq!((table.values, table.names), (vec![1.0, 2.0], Some(vec!["lat".to_owned(), "lng".to_owned()])));
}

#[test]
fn first_line_with_a_missing_value_is_not_taken_for_a_header() {
    assert_eq!(
        sentence("1,\n3,4\n", None),
        "f.csv: record 1 (line 1), column 2: the value is missing; fill it in, or choose \
         --missing drop (leaves such records out) or --missing center (replaces them with the center of the ball)"
    );
}

#[test]
fn a_word_in_place_of_a_number_may_stand_for_a_missing_value_or_a_unit() {
    let words = parse_with("a,b\ndegT,m\n1,2\n", Some("a,b")).unwrap_err().to_string();
    assert!(words.ends_with("if the line is a row of units, give --skip-after-header 1"), "{words}");
    for text in ["a,b\nMM,2\n1,2\n", "a,b\nMM,MM\n1,2\n", "a\nMM\n1\n", "a,b\n1,2\nMM,3\n"] {
        let words = parse_with(text, None).unwrap_err().to_string();
        assert!(words.ends_with("if it stands for a missing value, give --missing-values MM"), "{words}");
    }
}

/// `--comments '#'` would leave out the record for what it holds.
#[test]
fn an_error_of_a_spreadsheet_is_no_comment() {
    for text in ["a,b\n#DIV/0!,2\n", "a,b\n1,2\n#DIV/0!,2\n", "a,b\n1,#DIV/0!\n", "#DIV/0!,2\n1,2\n"] {
        let words = sentence(text, None);
        assert!(words.ends_with("give --missing-values '#DIV/0!'"), "{words}");
    }
    let ragged = sentence("a,b\n1,2\n#REF!\n", None);
    assert!(!ragged.contains("--comments"), "{ragged}");
}

/// No line but the first decides anything where records may be anything.
#[test]
fn lines_above_the_header_are_looked_for_where_records_may_be_seen() {
    let at = |text: &str, columns: Option<&str>, keep_non_finite| {
        let (columns, record_len) = (columns.map(str::to_owned), Some(2));
        with(text, ReadOptions { columns, record_len, keep_non_finite, header: Some(true), ..Default::default() })
    };
    for text in
        ["sep=,\nx,y\n1,2\n", "a title\nx,y\n1,2\n", "a title\n\n# why\nx,y\n1,2\n", "TAB \tsites\nx\ty\n1\t2\n"]
    {
        for columns in [None, Some("x,y")] {
            let skip = if text.contains("# why") { 3 } else { 1 };
            let refused = at(text, columns, false).unwrap_err();
            assert!(matches!(refused, Error::LinesAbove { skip: found, .. } if found == skip), "{text}: {refused}");
            assert!(!matches!(at(text, columns, true), Err(Error::LinesAbove { .. })));
        }
    }
    // a table
    for text in ["x,y\n1,2\n", "x,y\nm,s\n1,2\n", "x,y\n", "x,y\n1,a\n"] {
        assert!(!matches!(at(text, None, false), Err(Error::LinesAbove { .. })), "{text}");
    }
}

#[test]
fn unselected_cells_are_not_parsed() {
    let table = parse_with("name,b,a\nx,2,1\n\"y, z\",4,3\n", Some("a,b")).unwrap();
    assert_eq!((table.values, table.lines), (vec![1.0, 2.0, 3.0, 4.0], vec![2, 3]));
    assert_eq!(parse_with("x,2,1\ny,4,3\n", Some("3,2")).unwrap().values, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn cells_beyond_those_that_are_read_are_only_counted() {
    for (quote, columns) in [("", "1-2"), ("\"", "1-2"), ("", "a,b"), ("\"", "b,a")] {
        let many = ",".repeat(100_000);
        let text = format!("a,b\n1,{quote}2{quote},,\n3,4{many}\n5,6{many}\"\"\n");
        let table = parse_with(&text, Some(columns)).unwrap();
        let expected = if columns == "b,a" { [2.0, 1.0, 4.0, 3.0, 6.0, 5.0] } else { [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] };
        assert_eq!(table.values, expected, "{quote}{columns}");
        let refused = parse_with(&text, None).unwrap_err();
        assert!(matches!(refused, Error::Ragged { row: 1, expected: 2, found: 4, .. }), "{refused}");
    }
    for text in [",".repeat(MOST_CELLS), "\"\",".repeat(MOST_CELLS) + "1", "1 ".repeat(MOST_CELLS + 1)] {
        let refused = parse_with(&format!("{text}\n1,2\n"), None).unwrap_err();
        assert!(matches!(refused, Error::TooManyCells { line: 1, limit: MOST_CELLS, .. }), "{refused}");
    }
    let text = ",1".repeat(MOST_CELLS - 1);
    assert_eq!(parse_with(&format!("1{text}\n"), None).unwrap().columns, MOST_CELLS);
}

#[test]
fn tab_and_semicolon_are_detected() {
    assert_eq!(parse_with("1;2\n", None).unwrap().values, [1.0, 2.0]);
    assert_eq!(parse_with("\"a;b\"\tc\n1\t2\n", None).unwrap().values, [1.0, 2.0]);
}

#[test]
fn ragged_row_names_line_and_counts() {
    assert_eq!(
        sentence("a,b\n1,2\n\n3\n", None),
        "f.csv: record 2 (line 4) has 1 cell, expected 2 as in the first one; correct the record or the delimiter"
    );
}

#[test]
fn word_among_numbers_is_named_with_its_place() {
    assert_eq!(
        sentence("a,b\r\n1,2\r\n3,4x\r\n", None),
        "f.csv: record 2 (line 3), column 2 (b): `4x` is not a number; correct the cell or select other columns"
    );
}

#[test]
fn infinities_are_refused() {
    for (cell, shown) in [("nan", "NaN"), ("-inf", "-inf"), ("1e999", "inf")] {
        let advice = match shown {
            "NaN" => {
                "fill it in, or choose --missing drop (leaves such records out) or --missing center (replaces \
                 them with the center of the ball)"
            }
            _ => "correct it or leave the record out",
        };
        assert_eq!(
            sentence(&format!("1,2\n3,{cell}\n"), None),
            format!("f.csv: record 2 (line 2), column 2: {shown} is not a finite number; {advice}")
        );
    }
}

#[test]
fn kept_non_finite_cells_are_nan() {
    let options = ReadOptions { keep_non_finite: true, header: Some(true), ..Default::default() };
    let table = parse("f.csv", b"a,b,c,d\n1,,x,inf\n", &options).unwrap();
    assert!(table.values[0] == 1.0 && table.values[1].is_nan() && table.values[2].is_nan());
    assert_eq!(table.values[3], f64::INFINITY);
}

/// Otherwise one record would decide on separator, columns and number of the others.
#[test]
fn first_record_decides_nothing_where_it_may_be_anything() {
    let parse = |text: &[u8], header, columns: Option<&str>| {
        let columns = columns.map(str::to_owned);
        parse("f.csv", text, &ReadOptions { keep_non_finite: true, header, columns, ..Default::default() })
    };
    for first in ["1,2", "x,y", "0;0", "0,0,7", "0,0\t7", "\"0,0"] {
        let text = format!("{first}\n3,4\n");
        assert!(matches!(parse(text.as_bytes(), Some(false), None), Err(Error::HeaderNeeded { .. })));
        assert!(matches!(parse(text.as_bytes(), None, None), Err(Error::HeaderNeeded { .. })));
        let table = parse(format!("a,b\n{text}").as_bytes(), Some(true), None).unwrap();
        assert_eq!((table.rows, &table.values[2..]), (2, &[3.0, 4.0][..]), "{first}");
    }
    assert_eq!(parse(b"x,y\n3,4\n", None, Some("y,x")).unwrap().values, [4.0, 3.0]);
}

/// The default output of pandas: an index without a name.
#[test]
fn names_after_an_empty_first_cell_are_a_header_and_never_a_record() {
    for text in [",lat,lon\n0,50,14\n1,49,16\n", "\"\",\"lat\",\"lon\"\n\"0\",50,14\n1,49,16\n"] {
        let table = parse_with(text, None).unwrap();
        assert_eq!((table.rows, table.columns, table.names.unwrap()[0].as_str()), (2, 3, ""));
        for columns in ["lat,lon", "2-3", "1-3", "1,2"] {
            assert_eq!(parse_with(text, Some(columns)).unwrap().rows, 2, "{columns}");
        }
        for missing in [Missing::Error, Missing::Drop, Missing::Keep] {
            let columns = Some("1".to_owned());
            let error = with(text, ReadOptions { columns, missing, ..Default::default() }).unwrap_err();
            assert!(matches!(error, Error::HeaderOrMissing { .. }), "{error}");
        }
        let columns = Some("1".to_owned());
        let said = ReadOptions { columns, header: Some(true), missing: Missing::Keep, ..Default::default() };
        assert_eq!(with(text, said).unwrap().values, [0.0, 1.0]);
    }
    let sphere = karcher::manifold::Sphere::new(2).unwrap();
    let latlon = crate::layout(&sphere, Some("latlon")).unwrap();
    let points = |text: &str| crate::to_points(parse_with(text, None).unwrap(), &sphere, &latlon, &Default::default());
    let error = points(",lat,lon\n0,50,14\n").unwrap_err().to_string();
    assert!(error.contains("found 3; ") && error.ends_with("give --columns lat,lon"), "{error}");
    // names that do not choose
    let error = points(",lat,2-3\n0,50,14\n").unwrap_err().to_string();
    assert!(error.ends_with("give the others with --columns"), "{error}");
    // a record that lacks its first value is one
    for text in [",2\n3,4\n", ",x,2\n1,x,4\n"] {
        let columns = Some(if text.starts_with(",x") { "1,3" } else { "1-2" }.to_owned());
        let kept = with(text, ReadOptions { columns, missing: Missing::Keep, ..Default::default() }).unwrap();
        assert_eq!((kept.rows, kept.missing), (2, vec![0]));
    }
}

#[test]
fn cells_of_another_country_are_refused_with_the_remedy() {
    for text in ["x;y\n1,5;2,5\n", "1,5;2\n", "x\ty\n1\t2,5\n"] {
        assert!(sentence(text, None).contains("give --decimal-comma"), "{}", sentence(text, None));
    }
    assert!(!sentence("x;y\n1,5,5;2\n", None).contains("--decimal-comma"));
    let day = |cell: &str| {
        let options = ReadOptions { dates: Some("1".to_owned()), ..Default::default() };
        with(format!("day,x\n{cell},1\n"), options).unwrap_err().to_string()
    };
    for cell in ["01/01/2001", "31.12.2001", "1-2-2001", "01/01/2001 12:00", "2001/12/31", "2001-02-30"] {
        assert!(day(cell).contains("written as in ISO 8601: 2001-12-31"), "{}", day(cell));
    }
    assert!(day("soon").ends_with("give --missing-values soon"), "{}", day("soon"));
    for cell in ["1/2", "1.2.3.4"] {
        assert!(day(cell).contains("correct the cell"), "{}", day(cell));
    }
    assert!(!sentence("day,x\n01/01/2001,1\n", None).contains("ISO"));
}

#[test]
fn line_with_a_number_is_no_header() {
    assert!(sentence("a,1\n3,4\n", None).contains("record 1 (line 1), column 1"));
    assert_eq!(
        parse("f.csv", b"a,1\n3,4\n", &ReadOptions { header: Some(true), ..Default::default() }).unwrap().rows,
        1
    );
}

#[test]
fn files_without_records_are_refused() {
    assert_eq!(sentence("\n\n", None), "f.csv is empty: expected records");
    assert_eq!(sentence("a,b\n", None), "f.csv has no records: a statistic needs at least one");
}

#[test]
fn names_need_a_header() {
    let text =
        "f.csv has no column `lat`: its columns have no names; choose by number from 1 to 2, for example 1,3,5-7";
    assert_eq!(sentence("1,2\n", Some("lat")), text);
}

fn with(text: impl AsRef<[u8]>, options: ReadOptions) -> Result<Table> {
    parse("f.csv", text.as_ref(), &options)
}

#[test]
fn a_first_line_that_counts_is_neither_header_nor_record_until_it_is_said() {
    for text in [
        "0,1,2\n5,6,7\n",
        "\"0\",\"1\"\n5,6\n",
        ",0,1\nx,5,6\n",
        "0\n5\n",
        "id,0,1\n7,5,6\n",
        "1,2\n5.5,6\n",
        "1.0,2.0\n5,6\n",
        "1,2,3\n5,6,7\n",
        "'1','2'\n.5,6\n",
        "0.0;1.0\n5;6\n",
        "1.0 2.0 3.0\n5 6 7\n",
        "0.0\n5\n",
        ",1,2\n0,5.0,6\n",
        "3,4,5\n5,6,7\n",
        "2001,2002,2003\n5,6,7\n",
        "400,410,420,430\n5,6,7,8\n",
        "0.1,0.2,0.3,0.4\n5,6,7,8\n",
        "-2,-1,0,1\n5,6,7,8\n",
    ] {
        assert!(matches!(parse_with(text, None), Err(Error::HeaderOrRecord { .. })), "{text}");
    }
    assert!(sentence("2001.0,2002.0,2003.0\n", None).contains("the first line counts 2001, 2002, …, which may be"));
    for (header, values) in [(true, vec![5.0, 6.0, 7.0]), (false, vec![0.0, 1.0, 2.0, 5.0, 6.0, 7.0])] {
        let options = ReadOptions { header: Some(header), ..Default::default() };
        assert_eq!(with("0,1,2\n5,6,7\n", options).unwrap().values, values);
    }
    for text in [
        "0,2,1\n",
        "3,2,1\n",
        "1,3\n",
        "3,4\n",
        "1\n",
        "1,2\n",
        "0,1,2.5\n",
        "-0,1\n",
        "-1,0,1\n",
        "1,2,-3\n",
        "0,0\n",
        "0.5,1.5\n",
        "10,20,30\n",
        "0,0,0,0\n",
        "1,1,1,1\n",
        "4,3,2,1\n",
        "1,2,3,5\n",
    ] {
        assert_eq!(parse_with(text, None).unwrap().rows, 1, "{text}");
    }
}

/// Blanks have no empty cell between them: the cells behind it would move.
#[test]
fn a_short_line_between_blanks_is_refused_whatever_is_selected() {
    let text = "year mo lat lon wspd\n2001 1 10.0 20.0 5.5\n2001 2      21.0 5.0\n";
    for columns in [None, Some("lat,lon"), Some("3,4"), Some("year")] {
        let error = sentence(text, columns);
        assert!(error.contains("record 2 (line 3)") && error.contains("4"), "{columns:?}: {error}");
    }
    let replaced = ReadOptions { columns: Some("lat,lon".to_owned()), keep_non_finite: true, ..Default::default() };
    let values = parse("f.csv", text.as_bytes(), &replaced).unwrap().values;
    assert!(values[..2] == [10.0, 20.0] && values.len() == 4 && values[2..].iter().all(|x| x.is_nan()), "{values:?}");
}

#[test]
fn a_name_of_two_columns_is_refused_with_their_numbers() {
    let text = "id,x,y,id\n7,1,2,8\n7,3,4,9\n";
    assert!(
        sentence(text, Some("x,id")).contains("columns 1 and 4 of the name `id`"),
        "{}",
        sentence(text, Some("id"))
    );
    assert_eq!(parse_with(text, Some("x,4")).unwrap().values, [1.0, 8.0, 3.0, 9.0]);
    let person = ReadOptions { person: Some("id".to_owned()), ..Default::default() };
    assert!(matches!(parse("f.csv", text.as_bytes(), &person), Err(Error::AmbiguousColumn { .. })));
}

#[test]
fn a_cell_too_many_behind_a_header_has_the_remedy_of_its_cause() {
    for (text, remedy) in [
        ("x,y\n\"1\",2,3\n", "row names of R"),
        ("x y\n1 2 3\n", "row names of R"),
        ("x,y,note\n1,2,5, Main St\n", "quote cells that hold the separator"),
        ("x,y\n1,234,5\n", "quote cells that hold the separator"),
    ] {
        assert!(sentence(text, None).contains(remedy), "{}", sentence(text, None));
    }
    assert!(sentence("x,y\n\"1,234\",\"2,567\"\n", None).contains("take commas between thousands out"));
}

#[test]
fn blanks_separate_as_many_as_there_are() {
    let table = parse_with(" 1.5e+00   2 3\n\n4 5 6\n", None).unwrap();
    assert_eq!((table.values, table.lines), (vec![1.5, 2.0, 3.0, 4.0, 5.0, 6.0], vec![1, 3]));
    let table = parse_with("x y\n1 2\n", Some("y")).unwrap();
    assert_eq!(table.values, [2.0]);
    let comma = ReadOptions { delimiter: Some(b' '), decimal_comma: true, ..Default::default() };
    assert_eq!(with("1,5 \t 2\n", comma).unwrap().values, [1.5, 2.0]);
}

#[test]
fn comments_are_lines_that_begin_as_was_chosen() {
    let comments = |mark: u8, text: &str| with(text, ReadOptions { comments: Some(mark), ..Default::default() });
    for text in ["# a \"comment, with a quote\na,b\n1,2\n#\n3,4\n", "#a\na\tb\n1\t2\n  # 7\t8\n3\t\"4\"\n#"] {
        let table = comments(b'#', text).unwrap();
        assert_eq!((table.values, table.lines), (vec![1.0, 2.0, 3.0, 4.0], vec![3, 5]), "{text}");
    }
    assert_eq!(comments(b'%', "% savetxt\n1 2\n%\n3 4\n").unwrap().values, [1.0, 2.0, 3.0, 4.0]);
    assert!(matches!(comments(b'%', "1 5\n# 3 4\n"), Err(Error::Ragged { .. })));
    // also where a record may be anything
    let any = ReadOptions { comments: Some(b'#'), keep_non_finite: true, header: Some(true), ..Default::default() };
    assert_eq!(with("a,b\n# 1,2\n3,4\n", any).unwrap().rows, 1);
}

#[test]
fn a_line_that_begins_with_a_hash_is_a_record_but_the_first_has_to_be_said() {
    for (text, columns) in [
        ("note,x\n# see above,1\n#,2\n# 3,3\n", "x"),
        ("who\tx\n# 3\t1\n#\t2\n#\"\t3\n", "x"),
        ("a 1\n# 2\n#b 3\n", "2"),
    ] {
        for keep_non_finite in [false, true] {
            let header = keep_non_finite.then_some(columns == "x");
            if header == Some(false) {
                continue; // the first line must be a header then
            }
            let columns = Some(columns.to_owned());
            let table = with(text, ReadOptions { columns, keep_non_finite, header, ..Default::default() }).unwrap();
            assert_eq!(table.values, [1.0, 2.0, 3.0], "{text}");
        }
    }
    // what numpy.savetxt writes, and records
    for text in ["# x y\n1 2\n", "#\n1,2\n", "#ff0000,1\n#00ff00,2\n", " # x,y\n1,2\n"] {
        let error = with(text, ReadOptions { columns: Some("2".to_owned()), ..Default::default() }).unwrap_err();
        assert!(matches!(error, Error::CommentOrRecord { .. }), "{text}: {error}");
        assert!(error.to_string().contains("--comments '#'"), "{error}");
    }
    let header = |header| {
        let columns = Some("2".to_owned());
        with("#a,b\n#c,2\n", ReadOptions { columns, header: Some(header), ..Default::default() })
    };
    assert_eq!(header(true).unwrap().values, [2.0]);
    let savetxt = ReadOptions { header: Some(true), ..Default::default() };
    assert_eq!(with("# x y\n1 2\n", savetxt).unwrap().names.unwrap(), ["x", "y"]);
    assert_eq!(parse_with("# x y\n1 2\n", Some("y")).unwrap().values, [2.0]);
    assert!(matches!(header(false), Err(Error::NotANumber { .. })));
    // names that are there, and names that are not
    assert_eq!(parse_with("#color,x\n#ff0000,1\n", Some("x")).unwrap().values, [1.0]);
    assert!(matches!(parse_with("# written by me\n1 2\n", Some("x")), Err(Error::CommentOrRecord { .. })));
    // later ones that are no records are refused with the remedy
    for text in ["1 5\n# the end\n", "x\n1\n# 2\n"] {
        assert!(sentence(text, None).ends_with("give --comments '#'"), "{}", sentence(text, None));
    }
}

#[test]
fn a_quote_never_spans_lines() {
    let values = |text: &str, columns: &str| parse_with(text, Some(columns)).unwrap().values;
    for (text, columns) in [
        ("who\tx\n\"a\t1\n\"\t2\nb\"\t3\n", "x"),
        ("x\tnote\ty\n1\t\"a\t7\n2\tb\"\t7\n3\t5\" pipe\t7\n", "x"),
        ("x,note\n1,\"a\n2,b\"\n3,\"\"\"\n", "x"),
        ("note,x\n\"a,1\nb\",2\n\",3\n", "x"),
        ("note;x\n\"a;1\nb\";2\n\"\"a;3\n", "x"),
        ("\" 1\n\"a 2\n\"\"\" 3\n", "2"),
        // R: write.table, write.csv, and qmethod
        ("\"who\"\t\"x\"\n\"a\"\t1\n\"b \"\"c\"\"\"\t\"2\"\n\"d \\\"e\\\"\"\t3\n", "x"),
        ("\"path\",\"x\"\n\"C:\\\",1\n\"C:\\a\",\"2\"\n\"\\\",3\n", "x"),
        ("\"who\",\"x\"\n\"a, b\",1\n\"b \"\"c, d\"\"\",\"2\"\n , 3 \n", "x"),
        ("\"who\" \"x\"\n\"a b\" 1\n\"b \"\"c\"\" d\" \"2\"\n\"e f\\\" 3\n", "x"),
        ("who, x\n \"a, b\" , 1\n\"c\", 2\nd,3\n", "x"),
    ] {
        assert_eq!(values(text, columns), [1.0, 2.0, 3.0], "{text}");
    }
    // between tabs a quote never holds one
    assert_eq!(values("a\tx\tb\n\"\t1\t\"\n", "x"), [1.0]);
    let keys = |text: &str| with(text, ReadOptions { person: Some("who".to_owned()), ..Default::default() }).unwrap();
    let text = "who,x\n\"a\"\"b\",1\n\"a,b\",2\n\"c,3\n'd',4\n";
    assert_eq!(keys(text).persons, ["a\"b", "a,b", "\"c", "'d'"].map(|key| crate::Key::Text(key.to_owned())));
    let error = sentence("x,y,note\n1,2,\"a\nb\"\n", Some("x,y"));
    assert!(error.contains("record 2 (line 3)") && error.contains("has 1 cell,"), "{error}");
}

/// R writes `\"` unless it is told to write two quotes.
#[test]
fn a_quote_after_a_backslash_is_refused_where_it_matters() {
    for (text, columns) in [
        ("note,x,y\na,1,2\n\"b \\\"c, 5\\\"\",3,4\n", "x"),
        ("note,x,y\na,1,2\n\"b \\\",3,4,\\\" c\",5,6\n", "x"),
        ("note;x\na;1\n\"b\\\"\";3\n", "x"),
        ("note x\na 1\n\"b \\\"c\\\" d\" 3\n", "2"),
        ("x,note,y\n1,a,2\n3,\"b \\\"c\",4\n", "x"),
    ] {
        let error = parse_with(text, Some(columns)).unwrap_err();
        assert!(matches!(error, Error::EscapedQuote { line: 3, .. }), "{text}: {error}");
        assert!(error.to_string().contains("qmethod = \"double\""), "{error}");
    }
    assert!(matches!(parse_with("\"a \\\"b\\\"\",x\n1,2\n", None), Err(Error::EscapedQuote { line: 1, .. })));
    // between tabs only what a key is would not be clear
    let text = "who\tnote\tx\na\t\"b \\\"c\\\"\"\t1\n\"b \\\"c\\\"\"\td\t2\n";
    assert_eq!(parse_with(text, Some("x")).unwrap().values, [1.0, 2.0]);
    let by = |person: &str, keep_non_finite| {
        let (person, columns) = (Some(person.to_owned()), Some("x".to_owned()));
        with(text, ReadOptions { person, columns, keep_non_finite, ..Default::default() })
    };
    assert!(matches!(by("who", false), Err(Error::EscapedQuote { line: 3, .. })));
    let any = by("who", true).unwrap().values;
    assert!(any[0] == 1.0 && any[1].is_nan());
}

#[test]
fn what_another_program_begins_a_file_with_is_told() {
    assert!(sentence("LM=2\n1 2\n3 4\nID=a\n", None).ends_with("give --format tps"));
    for text in ["% lon lat\n14 50\n", "%lon,lat\n14,50\n", "% made by me\n14,50\n"] {
        for columns in [None, Some("1"), Some("2")] {
            assert!(sentence(text, columns).contains("give --comments '%'"), "{}", sentence(text, columns));
        }
    }
    assert_eq!(parse_with("% lon lat\n14 50\n", Some("lat")).unwrap().values, [50.0]);
    assert!(sentence("x\n1\n% 2\n", None).ends_with("give --comments '%'"));
    // shares
    let shares = parse_with("%sand,%clay\n1,2\n", None).unwrap();
    assert_eq!(shares.names.unwrap(), ["%sand", "%clay"]);
}

#[test]
fn lines_before_and_after_the_names_are_skipped() {
    let skip = |text: &str, skip_lines, skip_after_header, columns: Option<&str>| {
        let columns = columns.map(str::to_owned);
        with(text, ReadOptions { skip_lines, skip_after_header, columns, ..Default::default() })
    };
    // a buoy: names, units, records
    let buoy = "#YY  MM WDIR\n#yr  mo degT\n2020 01 300\n2020 02  10\n";
    let table = skip(buoy, 0, 1, Some("WDIR")).unwrap();
    assert_eq!((table.values, table.lines), (vec![300.0, 10.0], vec![3, 4]));
    assert_eq!(skip(buoy, 2, 0, Some("3")).unwrap().values, [300.0, 10.0]);
    assert_eq!(skip(buoy, 0, 1, None).unwrap().columns, 3);
    // a logger: what it is, names, units, what was done
    let logger =
        "\"TOA5\",\"a, b\",\"\r\n\"when\",\"t\"\r\n\"TS\",\"C\"\r\n\"\",\"Avg\"\r\n\"now\",1.5\r\n\"then\",2\r\n";
    let table = skip(logger, 1, 2, Some("t")).unwrap();
    assert_eq!((table.values, table.lines), (vec![1.5, 2.0], vec![5, 6]));
    for (text, lines) in [("a\n", 1), ("a\nb", 2), ("a\n", 7), ("a\n\n", 2)] {
        assert!(matches!(skip(text, lines, 0, None), Err(Error::Empty { .. })), "{text:?} {lines}");
    }
    for (text, lines) in [("a\n1\n", 1), ("a\n1\n", 5), ("a", 1)] {
        assert!(matches!(skip(text, 0, lines, None), Err(Error::NoRecords { .. })), "{text:?} {lines}");
    }
    assert!(matches!(skip("1,2\n3,4\n", 0, 1, Some("1")), Err(Error::NoRecords { .. })));
    assert_eq!(skip("1,2\n3,4\n5,6\n", 0, 1, Some("1")).unwrap().values, [5.0]);
}

#[test]
fn the_first_line_of_word_vectors_is_refused_with_the_remedy() {
    let text = "2 3\nthe 0.1 0.2 0.3\n# 0.4 0.5 0.6\n";
    let read = |skip_lines, columns: Option<&str>| {
        let columns = columns.map(str::to_owned);
        with(text, ReadOptions { skip_lines, columns, ..Default::default() })
    };
    for columns in [Some("2-4"), Some("4"), None] {
        let error = read(0, columns).unwrap_err();
        assert!(matches!(error, Error::CountsFirst { rows: 2, numbers: 3, .. }), "{error}");
        assert!(error.to_string().ends_with("give --skip-lines 1"), "{error}");
    }
    assert_eq!(read(1, Some("2-4")).unwrap().values, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    assert!(matches!(read(0, Some("5")), Err(Error::ColumnOutOfRange { .. })));
    assert!(matches!(with("2 3\n1 2 3\n", Default::default()), Err(Error::Ragged { .. })));
}

#[test]
fn a_key_is_any_text_but_a_blank_one() {
    let text = "country,x\nNA,1\n null ,2\nNone,3\n?,4\n#N/A,5\n\"NA\",6\nnan,7\n";
    let options =
        |missing, groups| ReadOptions { person: Some("country".to_owned()), missing, groups, ..Default::default() };
    let expected = ["NA", "null", "None", "?", "#N/A", "NA", "nan"].map(|key| crate::Key::Text(key.to_owned()));
    for missing in [Missing::Error, Missing::Drop, Missing::Keep] {
        for groups in [false, true] {
            let table = with(text, options(missing, groups)).unwrap();
            assert_eq!((table.persons, table.rows), (expected.to_vec(), 7));
        }
    }
    for blank in ["", "  ", "\"\"", " \" \" "] {
        let text = format!("country,x\n{blank},1\nNA,2\n");
        assert_eq!(with(&text, options(Missing::Drop, true)).unwrap().values, [2.0], "{blank}");
        assert!(matches!(with(&text, options(Missing::Drop, false)), Err(Error::Nobodys { row: 1, .. })), "{blank}");
    }
}

#[test]
fn compact_dates_are_dates_where_there_may_be_dates() {
    let read = |eight_digits_are_numbers| {
        let dates = Some("day".to_owned());
        with(
            "day,x\n20010702,20010702\n2001,1\n",
            ReadOptions { dates, eight_digits_are_numbers, ..Default::default() },
        )
    };
    assert_eq!(read(false).unwrap().values, [2001.0 + 182.0 / 365.0, 20_010_702.0, 2001.0, 1.0]);
    assert_eq!(read(true).unwrap().values, [20_010_702.0, 20_010_702.0, 2001.0, 1.0]);
}

#[test]
fn decimal_commas_are_read_where_they_are_announced() {
    for text in ["a;b\n1,5;-2\n", "a\tb\n1,5\t-2\n", "1,5;-2\n"] {
        let options = ReadOptions { decimal_comma: true, ..Default::default() };
        assert_eq!(with(text, options).unwrap().values, [1.5, -2.0], "{text}");
    }
    let options = || ReadOptions { decimal_comma: true, ..Default::default() };
    assert!(matches!(
        with("1.000,5;2\n", ReadOptions { header: Some(false), ..options() }),
        Err(Error::NotANumber { .. })
    ));
    assert!(
        sentence("1,5;-2\n", None).contains("`1,5` is not a number")
            || sentence("1,5;-2\n", None).contains("no records")
    );
}

#[test]
fn utf16_is_text() {
    for (mark, unit) in [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)] {
        let text = "größe,x\r\n1,2\r\n".encode_utf16().flat_map(unit);
        let bytes: Vec<u8> = mark.into_iter().chain(text).collect();
        let columns = Some("größe".to_owned());
        assert_eq!(with(bytes, ReadOptions { columns, ..Default::default() }).unwrap().values, [1.0]);
    }
}

#[test]
fn a_blank_line_in_one_column_is_a_missing_value() {
    let sentence = sentence("x\n1\n\n3\n", None);
    assert_eq!(
        sentence,
        "f.csv: record 2 (line 3), column 1 (x): the value is missing; fill it in, or choose \
         --missing drop (leaves such records out) or --missing center (replaces them with the center of the ball)"
    );
    let any = || ReadOptions { keep_non_finite: true, header: Some(true), ..Default::default() };
    for text in ["x\n1\n\n3\n", "x\n\n2\n3\n", "x\n1\n2\n\n", "x\r\n1\r\n\r\n3"] {
        assert_eq!(with(text, any()).unwrap().rows, 3, "{text:?}");
    }
    // with several columns it is not a record
    assert_eq!(with("x,y\n1,2\n\n3,4\n", any()).unwrap().rows, 2);
}

#[test]
fn cells_that_are_not_used_may_be_more_or_fewer() {
    let table = parse_with("x,y,note\n1,2\n3,4,a, ,\"\"\n5,6,c\n", Some("y,x")).unwrap();
    assert_eq!(table.values, [2.0, 1.0, 4.0, 3.0, 6.0, 5.0]);
    assert_eq!(parse_with("1,2,x\n3,4\n", Some("1-2")).unwrap().rows, 2);
    // a cell too many may have moved the others, whether they are read or not
    for text in ["x,y,note\n1,2,a\n3,4,a,b\n", "x,y,note\n1,2,a\n3,4,\"a\",\"b\"\n", "x y note\n1 2 a\n3 4 a b\n"] {
        for columns in [None, Some("y,x"), Some("1,2"), Some("x"), Some("1-2")] {
            let numbers = if columns.is_none() { text.replace('a', "5").replace('b', "6") } else { text.to_owned() };
            let error = parse_with(&numbers, columns).unwrap_err();
            let is_right = matches!(error, Error::Ragged { row: 2, line: Some(3), expected: 3, found: 4, .. });
            assert!(is_right, "{columns:?}: {error}");
        }
    }
    let any = ReadOptions { columns: Some("x".to_owned()), keep_non_finite: true, ..Default::default() };
    let table = with("x,note\n1,a,b\n2,a\n", any).unwrap();
    assert!(table.values[0].is_nan() && table.values[1] == 2.0);
    assert!(matches!(parse_with("x,y,z\n1,2\n", Some("z")), Err(Error::Ragged { row: 1, found: 2, .. })));
    assert!(matches!(parse_with("x,y,z\n1,2\n", None), Err(Error::Ragged { row: 1, found: 2, .. })));
}

#[test]
fn records_that_lack_a_value_are_dropped_or_kept() {
    let text = "x,y\n1,2\n,3\n4,nan\n5,6\n7,NA\n";
    let missing = |missing| with(text, ReadOptions { missing, ..Default::default() });
    let dropped = missing(Missing::Drop).unwrap();
    assert_eq!((dropped.values.clone(), dropped.rows), (vec![1.0, 2.0, 5.0, 6.0], 2));
    assert_eq!((dropped.place(1), dropped.line(1)), (("f.csv", 4), Some(5)));
    let kept = missing(Missing::Keep).unwrap();
    assert_eq!((kept.rows, kept.missing), (5, vec![1, 2, 4]));
    assert!(matches!(missing(Missing::Error), Err(Error::Missing { .. })));
    // other mistakes stay mistakes
    for policy in [Missing::Drop, Missing::Keep] {
        let other = |text: &str| with(text, ReadOptions { missing: policy, ..Default::default() });
        assert!(matches!(other("x,y\n1,a\n"), Err(Error::NotANumber { .. })));
        assert!(matches!(other("x,y\n1,inf\n"), Err(Error::NotFinite { .. })));
    }
    let all = with("x,y\n,\n", ReadOptions { missing: Missing::Drop, ..Default::default() });
    assert!(matches!(all, Err(Error::AllMissing { .. })));
}

proptest! {
    /// The fast parser takes what the standard library takes, for the same number.
    #[test]
    fn numbers_are_those_of_the_standard_library(
        plain in any::<f64>(),
        odd in "[-+]?[0-9]{0,22}[.]?[0-9]{0,3}([eE][-+]?[0-9]{0,3})?|[-+.0-9eEinfatyINFTYA_ x]{0,9}",
    ) {
        for text in [plain.to_string(), format!("{plain:e}"), format!("{plain:.6}"), odd] {
            let fast = fast_float2::parse::<f64, _>(&text).ok().map(f64::to_bits);
            prop_assert_eq!(fast, text.parse::<f64>().ok().map(f64::to_bits), "{}", text);
        }
    }
}

#[test]
fn what_a_terminal_would_obey_is_not_repeated() {
    for text in ["x\n\u{1b}[2Jboo\n", "\u{1b}[2Jx,\u{202e}y\n1,z\n", "\u{1b}[2Jx,y\n1,2\n3\n"] {
        let sentence = sentence(text, None);
        assert!(!sentence.contains(['\u{1b}', '\u{202e}']), "{sentence:?}");
    }
    assert!(sentence("x\n\u{1b}[2Jboo\n", None).contains("`\\u{1b}[2Jboo`"));
    let names = sentence("\u{1b}[2Jx,y\n1,2\n", Some("z"));
    assert!(names.contains("\\u{1b}[2Jx, y"), "{names:?}");
}

proptest! {
    #[test]
    fn numbers_survive_the_round_trip(
        rows in prop::collection::vec(prop::collection::vec(-1e300..1e300f64, 3), 1..20),
        delimiter in prop::sample::select(b",;\t".to_vec()),
    ) {
        let mut writer = ::csv::WriterBuilder::new().delimiter(delimiter).from_writer(vec![]);
        rows.iter().for_each(|row| writer.write_record(row.iter().map(f64::to_string)).unwrap());
        let table = parse("f.csv", &writer.into_inner().unwrap(), &ReadOptions::default()).unwrap();
        prop_assert_eq!(table.values, rows.concat());
    }
}
