//! Text files: one record a line, cells between commas, semicolons or tabs.

use crate::columns::{Selection, select, trim_name};
use crate::error::{Error, Place, Result};
use crate::read::ReadOptions;
use crate::table::{Table, column_label};
use ::csv::ByteRecord;
use std::borrow::Cow;

/// What a file writes where a value is missing, in lower case.
const MISSING: [&str; 6] = ["", "na", "n/a", "null", "none", "?"];

pub(crate) fn parse(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table> {
    let selection = options.selection()?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let delimiter = options.delimiter.unwrap_or_else(|| detect_delimiter(bytes));
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        // a quote that is not closed must not swallow the records that follow, where one record may be anything
        .quoting(!options.keep_non_finite)
        .from_reader(bytes);
    let mut record = ByteRecord::new();
    let mut next = |record: &mut ByteRecord| {
        let corrupt = |e: ::csv::Error| Error::Corrupt { file: file.to_owned(), format: "CSV", reason: e.to_string() };
        reader.read_byte_record(record).map_err(corrupt)
    };

    if !next(&mut record)? {
        return Err(Error::Empty { file: file.to_owned() });
    }
    let cells = record.len();
    let header = header(&record, selection.as_ref(), file, options)?;
    let selected = select(file, selection.as_ref(), cells, header.as_deref())?;
    let names = header.map(|names| selected.iter().map(|&c| names[c].clone()).collect::<Vec<_>>());

    let mut lines = LineCounter { bytes, at: 0, line: 1 };
    let mut table =
        Table { values: vec![], rows: 0, columns: selected.len(), names, source: file.to_owned(), lines: vec![] };
    let mut there_is_more = table.names.is_none() || next(&mut record)?;
    while there_is_more {
        table.rows += 1;
        let (row, line) = (table.rows, lines.line_of(&record));
        table.lines.push(line);
        if record.len() != cells && options.keep_non_finite {
            table.values.extend(selected.iter().map(|_| f64::NAN));
            there_is_more = next(&mut record)?;
            continue;
        }
        if record.len() != cells {
            return Err(Error::Ragged {
                file: file.to_owned(),
                row,
                line: Some(line),
                expected: cells,
                found: record.len(),
            });
        }
        for (i, &c) in selected.iter().enumerate() {
            let value = number(&record[c]).or_else(|problem| {
                if options.keep_non_finite {
                    return Ok(f64::NAN);
                }
                let name = table.names.as_ref().map(|names| names[i].as_str());
                let place = Place { row, line: Some(line), column: column_label(c, name) };
                Err(match problem {
                    Problem::Missing => Error::Missing { file: file.to_owned(), place },
                    Problem::NotANumber(value) => Error::NotANumber { file: file.to_owned(), place, value },
                })
            })?;
            table.values.push(value);
        }
        there_is_more = next(&mut record)?;
    }
    if table.rows == 0 {
        return Err(Error::NoRecords { file: file.to_owned() });
    }
    if !options.keep_non_finite {
        table.check_finite(&selected)?;
    }
    Ok(table)
}

/// The names in the first line, if it is a header: by the options, because columns are chosen by name, or because no selected cell
/// is a number or missing.
fn header(
    first: &ByteRecord,
    selection: Option<&Selection>,
    file: &str,
    options: &ReadOptions,
) -> Result<Option<Vec<String>>> {
    let is_name = |cell: &[u8]| matches!(number(cell), Err(Problem::NotANumber(_)));
    let named = selection.is_some_and(|selection| selection.first_name().is_some());
    let is_header = match options.header {
        // where records may be anything, the first line decides on separator and columns, so it must not be one of them
        Some(true) => true,
        None if named && options.keep_non_finite => true,
        _ if options.keep_non_finite => return Err(Error::HeaderNeeded { file: file.to_owned() }),
        Some(false) => false,
        None if named => first.iter().any(is_name),
        None => select(file, selection, first.len(), None)?.into_iter().all(|c| is_name(&first[c])),
    };
    Ok(is_header.then(|| first.iter().map(|cell| trim_name(&text(cell)).to_owned()).collect()))
}

enum Problem {
    Missing,
    NotANumber(String),
}

fn number(cell: &[u8]) -> Result<f64, Problem> {
    let text = text(cell);
    let cell = trim_name(&text);
    cell.parse().map_err(|_| match MISSING.contains(&cell.to_ascii_lowercase().as_str()) {
        true => Problem::Missing,
        false => Problem::NotANumber(shorten(cell)),
    })
}

fn text(cell: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(cell)
}

fn shorten(cell: &str) -> String {
    match cell.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &cell[..end]),
        None => cell.to_owned(),
    }
}

/// A tab if the first line has one outside quotes, else a semicolon, else a comma.
fn detect_delimiter(bytes: &[u8]) -> u8 {
    let start = bytes.iter().position(|b| !matches!(b, b'\r' | b'\n')).unwrap_or(0);
    let mut quoted = false;
    let unquoted: Vec<u8> = bytes[start..]
        .iter()
        .copied()
        .filter(|&b| {
            quoted ^= b == b'"';
            !quoted
        })
        .take_while(|b| !matches!(b, b'\r' | b'\n'))
        .collect();
    *b"\t;".iter().find(|delimiter| unquoted.contains(delimiter)).unwrap_or(&b',')
}

/// Counts lines as an editor does, blank ones and those inside quotes too.
struct LineCounter<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl LineCounter<'_> {
    /// The line on which the record begins. Records must come in order.
    fn line_of(&mut self, record: &ByteRecord) -> usize {
        let begin = record.position().map_or(0, |p| p.byte() as usize).min(self.bytes.len());
        let blank = self.bytes[begin..].iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
        let is_end = |i: usize| match self.bytes[i] {
            b'\n' => true,
            b'\r' => self.bytes.get(i + 1) != Some(&b'\n'),
            _ => false,
        };
        self.line += (self.at..begin + blank).filter(|&i| is_end(i)).count();
        self.at = self.at.max(begin + blank);
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            "f.csv: record 1 (line 1), column 2: the value is missing; fill it in or leave the record out"
        );
    }

    #[test]
    fn unselected_cells_are_not_parsed() {
        let table = parse_with("name,b,a\nx,2,1\n\"y,\nz\",4,3\n", Some("a,b")).unwrap();
        assert_eq!((table.values, table.lines), (vec![1.0, 2.0, 3.0, 4.0], vec![2, 3]));
        assert_eq!(parse_with("x,2,1\ny,4,3\n", Some("3,2")).unwrap().values, [1.0, 2.0, 3.0, 4.0]);
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
            "f.csv: record 2 (line 4) has 1 cells, expected 2 as in the first one; correct the record or the delimiter"
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
            assert_eq!(
                sentence(&format!("1,2\n3,{cell}\n"), None),
                format!(
                    "f.csv: record 2 (line 2), column 2: {shown} is not a finite number; correct it or leave the record out"
                )
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
}
