//! Landmark files of morphologists that are read whole: NTSYS, Morphologika, IDAV Landmark, 3D Slicer.
//!
//! Each format is a function from a text to [`Specimens`]. What goes wrong within a specimen is a fault of that record
//! alone. Only what is wrong before the records, such as a header, is an error of the file. A file of one specimen is
//! one record, whatever it holds.

pub(crate) mod fcsv;
pub(crate) mod labels;
pub(crate) mod like;
pub(crate) mod markups;
pub(crate) mod morphologika;
pub(crate) mod nts;
pub(crate) mod pts;

use crate::error::{Error, Result};
use crate::format::{Kind, Packing};
use crate::formats::blocks::{Block, Blocks, How, Iter, MOST_RECORDS, Schema, Wanted};
use crate::formats::cell::{Cell, number};
use crate::formats::landmarks::labels::Labels;
use crate::formats::landmarks::like::Like;
use crate::formats::records::Records;
use crate::formats::text::encoding::utf8;
use crate::formats::text::lines::Lines;
use crate::options::codes::Codes;
use crate::options::kinds::Kinds;
use crate::options::person::KeyType;
use crate::options::{Missing, ReadOptions};
use crate::source::{Bytes, why};
use crate::table::Table;
use std::io::Read;

/// The most numbers of a specimen where its columns are chosen by number alone.
const MOST_NUMBERS: usize = 1 << 24;

/// The specimens of a text, or the reason why it has none.
type Parse = fn(&str, &ReadOptions) -> Result<Specimens, String>;

/// The specimens of a file, with the number of their coordinates.
#[derive(Debug, Default)]
pub(crate) struct Specimens {
    axes: usize,
    all: Vec<Specimen>,
    /// A label for each landmark, or none.
    labels: Vec<String>,
    /// Whether the labels are those of the only specimen, and not of the file.
    is_one: bool,
}

/// The only specimen of a file.
struct One {
    axes: usize,
    cells: Vec<Cell>,
    labels: Vec<String>,
}

/// A specimen as read from the file.
#[derive(Debug, Default)]
struct Specimen {
    line: usize,
    name: Option<String>,
    cells: Vec<Cell>,
    /// The reason why it is invalid.
    fault: Option<String>,
}

impl Specimens {
    /// The only specimen of a file.
    fn one(specimen: Result<One, (usize, String)>) -> Self {
        let (axes, labels, specimen) = match specimen {
            Ok(One { axes, cells, labels }) => (axes, labels, Specimen { line: 1, cells, ..Specimen::default() }),
            Err((line, fault)) => (3, vec![], Specimen { line, fault: Some(fault), ..Specimen::default() }),
        };
        Self { axes, all: vec![specimen], labels, is_one: true }
    }
}

impl Specimen {
    fn at(line: usize) -> Self {
        Self { line, ..Self::default() }
    }

    fn refuse(&mut self, reason: String) {
        self.fault.get_or_insert(reason);
    }

    /// Adds the coordinates of a landmark.
    fn landmark(&mut self, words: &str, axes: usize, decimal_comma: bool) {
        let cells: Vec<Cell> =
            words.split_ascii_whitespace().take(axes + 1).map(|word| number(word.as_bytes(), decimal_comma)).collect();
        if cells.len() != axes {
            let landmark = self.cells.len() / axes + 1;
            self.refuse(format!("landmark {landmark} has other than {axes} coordinates"));
        }
        self.cells.extend(cells);
    }

    /// Refuses the specimen unless it has as many landmarks.
    fn complete(&mut self, landmarks: usize, axes: usize) {
        let found = self.cells.len() / axes;
        if found != landmarks {
            self.refuse(format!("it has {found} landmarks, expected {landmarks}"));
        }
    }
}

/// The lines of a text that are not blank, trimmed, each with its number.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let mut lines = Vec::new();
    let all = Lines::new(text.as_bytes(), None, 1);
    lines.extend(all.filter_map(|(number, line)| {
        let line = std::str::from_utf8(line).ok()?.trim();
        (!line.is_empty()).then_some((number, line))
    }));
    lines.into_iter()
}

/// A landmark whose coordinates all are the code of the format is missing.
fn missing_where_all_are(code: f64, cells: &mut [Cell]) {
    if cells.iter().all(|cell| *cell == Cell::Number(code)) {
        cells.fill(Cell::Missing);
    }
}

/// A file whose specimens are known.
pub(crate) struct LandmarkFile {
    file: String,
    packing: Option<Packing>,
    kind: Kind,
    parse: Parse,
    axes: usize,
    /// Numbers of every specimen, unless specimens may be anything.
    numbers: Option<usize>,
    /// Whether its labels contradict those of a template.
    is_other: bool,
    selected: Vec<usize>,
    codes: Codes,
    options: ReadOptions,
    schema: Schema,
}

impl LandmarkFile {
    /// Looks at the first specimen, for the number of landmarks and of axes.
    pub(crate) fn open(
        file: &str,
        bytes: &Bytes,
        (kind, packing): (Kind, Option<Packing>),
        parse: Parse,
        options: &ReadOptions,
    ) -> Result<Self> {
        let Specimens { axes, all, labels, is_one } = read(file, bytes, (kind, packing), parse, options)?;
        let first = all.first().ok_or_else(|| Error::NoRecords { file: file.to_owned() })?;
        // if invalid specimens are kept, the first one does not fix the number of landmarks
        let is_first = !options.keep_non_finite;
        if let (true, Some(reason)) = (is_first, &first.fault) {
            let (file, line, reason) = (file.to_owned(), Some(first.line), reason.clone());
            return Err(Error::InvalidRecord { file, row: 1, line, reason });
        }
        let (columns, chosen_of) = match (is_first, options.record_len) {
            (false, Some(numbers)) => {
                let numbers = numbers.saturating_add(options.covariates.len());
                (MOST_NUMBERS.max(numbers), numbers)
            }
            _ => (first.cells.len(), first.cells.len()),
        };
        let names: Option<Vec<String>> = is_first.then(|| (0..columns).map(|i| name(i, axes)).collect());
        let chosen_of = if options.columns.is_none() { chosen_of } else { columns };
        let selected = options.chosen(file, (chosen_of, names.as_deref()), None)?;
        if selected.is_empty() {
            return Err(Error::NoRecords { file: file.to_owned() });
        }
        let labels = Labels::new(file, &labels, axes, &selected).filter(|_| !options.any_labels);
        // labels of a specimen that may be invalid do not hold for others
        let is_of_record = is_one && !is_first;
        let checked = options.like.check_labels(file, labels.as_ref());
        let is_other = checked.is_err();
        checked.or_else(|error| if is_of_record { Ok(()) } else { Err(error) })?;
        Ok(Self {
            file: file.to_owned(),
            packing,
            kind,
            is_other,
            parse,
            axes,
            numbers: is_first.then_some(columns),
            codes: Codes::new(file, options, (columns, names.as_deref()), &selected, &Kinds::default())?,
            options: options.clone(),
            schema: Schema {
                columns: selected.len(),
                names: names.map(|names| selected.iter().map(|&c| names[c].clone()).collect()),
                all: vec![],
                person_at: None,
                keys: options.person.as_ref().map(|_| KeyType::Texts),
                like: Like { labels: labels.filter(|_| !is_of_record), ..Like::default() },
            },
            selected,
        })
    }

    /// The records of some specimens, before which others stand.
    fn batch(&self, (specimens, before): (&[Specimen], usize), wanted: Option<Wanted<'_>>) -> Result<(Table, usize)> {
        let Self { file, options, schema, .. } = self;
        let names = schema.names.clone();
        let records = Records::new(file, &self.selected, names, (options, &self.codes), before);
        let mut records = records.of_those(wanted);
        for specimen in specimens {
            let line = Some(specimen.line);
            if let Some(label) = &options.person {
                let name = specimen.name.as_deref().filter(|_| label.trim().eq_ignore_ascii_case("ID"));
                records.of_text(
                    name.filter(|name| !name.contains(char::REPLACEMENT_CHARACTER)).map(str::as_bytes),
                    line,
                )?;
            }
            match self.fault(specimen) {
                None => records.push(line, |c| specimen.cells.get(c).cloned().unwrap_or(Cell::Missing))?,
                Some(_) if options.keep_non_finite => records.push_invalid(line)?,
                Some(reason) => {
                    return Err(Error::InvalidRecord { file: file.clone(), row: records.next_row(), line, reason });
                }
            }
        }
        Ok(records.finish())
    }

    /// The reason why a specimen is not a record.
    fn fault(&self, specimen: &Specimen) -> Option<String> {
        let Self { axes, selected, options, .. } = self;
        if specimen.fault.is_some() {
            return specimen.fault.clone();
        }
        if self.is_other {
            return Some("its labels contradict those of the template".to_owned());
        }
        let (found, needed) = (specimen.cells.len(), selected.iter().max().map_or(0, |last| last + 1));
        if self.numbers.is_some_and(|numbers| numbers != found) || found < needed {
            let expected = self.numbers.unwrap_or(needed);
            return Some(format!("it has {found} coordinates, expected {expected}"));
        }
        let is_missing = |(i, &c): (usize, &usize)| self.codes.meaning(i, specimen.cells[c].clone()) == Cell::Missing;
        let lacking = options.missing == Missing::Error && !options.keep_non_finite;
        let at = selected.iter().enumerate().filter(|_| lacking).position(is_missing)?;
        Some(format!(
            "landmark {} is missing: estimate it, leave the landmark out of all records with --columns, or choose \
             --missing",
            selected[at] / axes + 1
        ))
    }
}

impl Blocks for LandmarkFile {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn blocks<'a>(&'a self, bytes: Bytes, how: How<'a>) -> Result<Iter<'a>> {
        let Self { file, kind, packing, parse, options, .. } = self;
        let all = read(file, &bytes, (*kind, *packing), *parse, options)?.all;
        let mut left = all.into_iter();
        let mut before = 0;
        Ok(Box::new(std::iter::from_fn(move || {
            let some: Vec<Specimen> = left.by_ref().take(MOST_RECORDS).collect();
            let first = before;
            before += some.len();
            (!some.is_empty()).then(|| Ok(Block::one(move || self.batch((&some, first), how.wanted))))
        })))
    }
}

/// `x1`, `y1`, `z1`, `x2`, ….
fn name(i: usize, axes: usize) -> String {
    format!("{}{}", ["x", "y", "z"][i % axes.clamp(1, 3)], i / axes.max(1) + 1)
}

/// The specimens of a file, which is read whole.
fn read(
    file: &str,
    bytes: &Bytes,
    (kind, packing): (Kind, Option<Packing>),
    parse: Parse,
    options: &ReadOptions,
) -> Result<Specimens> {
    let mut text = vec![];
    utf8(file, bytes.stream(file, packing)?, options.encoding)?.read_to_end(&mut text).map_err(|e| match e.kind() {
        std::io::ErrorKind::OutOfMemory => Error::OutOfMemory { file: file.to_owned() },
        _ => why(file, e),
    })?;
    if text.trim_ascii().is_empty() {
        return Err(Error::Empty { file: file.to_owned() });
    }
    let text = match String::from_utf8(text) {
        Ok(text) => text,
        Err(invalid) if options.keep_non_finite => String::from_utf8_lossy(invalid.as_bytes()).into_owned(),
        Err(_) => return Err(Error::NotText { file: file.to_owned(), row: 0, line: None }),
    };
    parse(&text, options).map_err(|reason| Error::Corrupt { file: file.to_owned(), format: kind.name(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_bytes;

    #[test]
    fn a_missing_landmark_is_named_with_its_record_and_the_remedy() {
        let text = "1 2L 6 1 -99 DIM=3\na b\n1 2 3 4 5 6\n1 2 3 -99 -99 -99\n";
        let error = read_bytes("f.nts", text.into(), &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("record 2 (line 4): landmark 2 is missing: estimate it"), "{error}");
        let first = ReadOptions { columns: Some("1-3".to_owned()), ..Default::default() };
        assert_eq!(read_bytes("f.nts", text.into(), &first).unwrap().values, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
        let kept = ReadOptions { missing: Missing::Keep, ..Default::default() };
        assert_eq!(read_bytes("f.nts", text.into(), &kept).unwrap().missing, [1]);
    }

    #[test]
    fn names_of_specimens_are_keys() {
        let text = "1 2L 4 0 DIM=2\na b\n1 2 3 4\n5 6 7 8\n";
        let by = |label: &str| ReadOptions { person: Some(label.to_owned()), ..Default::default() };
        let keys = read_bytes("f.nts", text.into(), &by("ID")).unwrap().persons;
        assert_eq!(keys, ["a", "b"].map(|key| crate::Key::Text(key.to_owned())));
        assert!(matches!(read_bytes("f.nts", text.into(), &by("x")), Err(Error::Nobodys { row: 1, .. })));
    }

    /// A file of each format whose landmarks have these labels.
    fn labelled(labels: [&str; 2]) -> [(&'static str, String); 5] {
        let [a, b] = labels;
        let point = |label: &str, x: u8| format!(r#"{{"label": "{label}", "position": [{x}, 2, 3]}}"#);
        [
            ("fcsv", format!("# columns = id,x,y,z,label\n1,1,2,3,{a}\n2,4,2,3,\"{b}\"\n")),
            ("fcsv", format!("1,1,2,3,0,0,0,1,1,1,0,{a},,\n2,4,2,3,0,0,0,1,1,1,0,{b},,\n")),
            ("mrk.json", format!(r#"{{"markups": [{{"controlPoints": [{}, {}]}}]}}"#, point(a, 1), point(b, 4))),
            ("pts", format!("Version 1.0\n2\n{a} 1 2 3\n{b} 4 2 3\n")),
            ("nts", format!("1 2L 3 0 DIM=3\n{a} {b}\n1 2 3\n4 2 3\n")),
        ]
    }

    #[test]
    fn labels_that_differ_between_files_or_from_a_template_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: String, text: &str| {
            let path = folder.path().join(name).to_str().unwrap().to_owned();
            std::fs::write(&path, text).unwrap();
            path
        };
        let [ordered, swapped, counted, counted_otherwise] =
            [["nasion", "basion"], ["basion", "nasion"], ["F-1", "F-2"], ["F-2", "F-1"]].map(labelled);
        for (i, (of_format, first)) in ordered.iter().enumerate() {
            let first = write(format!("first{i}.{of_format}"), first);
            for (j, (format, text)) in swapped.iter().chain(&counted_otherwise).enumerate() {
                let second = write(format!("second{j}.{format}"), text);
                let error = crate::read_all(&[&first, &second], &ReadOptions::default()).unwrap_err().to_string();
                assert!(error.contains("landmark 1 is labelled `") && error.contains("and `nasion` in "), "{error}");
                let any_labels = ReadOptions { any_labels: true, ..Default::default() };
                assert!(crate::read_all(&[&first, &second], &any_labels).is_ok());
                // with a template, also where records may be anything: then such a record is invalid
                let like = crate::read(&first, &ReadOptions::default()).unwrap().like().clone();
                let with = |keep_non_finite| ReadOptions {
                    like: like.clone(),
                    keep_non_finite,
                    record_len: Some(6),
                    ..Default::default()
                };
                assert!(matches!(crate::read(&second, &with(false)), Err(Error::OtherLabels { .. })));
                assert!(crate::read(&second, &with(true)).unwrap().values.iter().all(|x| x.is_nan()));
                assert!(crate::read(&first, &with(true)).unwrap().values.iter().all(|x| x.is_finite()));
            }
            for (j, (format, text)) in ordered.iter().chain(&counted).enumerate() {
                let second = write(format!("third{j}.{format}"), text);
                let table = crate::read_all(&[&first, &second], &ReadOptions::default()).unwrap();
                assert_eq!(table.rows, 2);
            }
        }
    }

    #[test]
    fn labels_of_columns_are_those_of_all_specimens_of_a_file() {
        let text = |labels: &str| format!("1 2 4L 0 DIM=2\n{labels}\n1 2 3 4\n5 6 7 8\n");
        let like = read_bytes("a.nts", text("a_x a_y b_x b_y").into(), &ReadOptions::default()).unwrap().like;
        for keep_non_finite in [false, true] {
            let options =
                ReadOptions { like: like.clone(), keep_non_finite, record_len: Some(4), ..Default::default() };
            let error = read_bytes("b.nts", text("b_x b_y a_x a_y").into(), &options).unwrap_err().to_string();
            assert!(error.contains("b.nts: landmark 1 is labelled `b`, and `a` in a.nts"), "{error}");
            assert!(read_bytes("b.nts", text("A_x A_y B_x B_y").into(), &options).is_ok());
        }
    }

    #[test]
    fn none_decides_on_others_where_they_may_be_anything() {
        let any = ReadOptions { keep_non_finite: true, record_len: Some(4), ..Default::default() };
        let text = "1 3 4 0 DIM=2\n1 2 3 x\n5 6 7 8\n9 9\n";
        let table = read_bytes("f.nts", text.into(), &any).unwrap();
        assert_eq!((table.rows, &table.values[4..8]), (3, &[5.0, 6.0, 7.0, 8.0][..]));
        assert!(table.values[3].is_nan() && table.values[8].is_nan());
        // a file of one specimen is one record
        for (name, text) in [("f.pts", "?"), ("f.fcsv", "1,x\n"), ("f.mrk.json", "{")] {
            let table = read_bytes(name, text.into(), &any).unwrap();
            assert!(table.rows == 1 && table.values.iter().all(|x| x.is_nan()), "{name}");
        }
    }
}
