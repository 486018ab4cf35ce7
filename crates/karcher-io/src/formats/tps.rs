//! TPS files of landmarks (tpsDig, tpsUtil, geomorph): one specimen a record.
//!
//! A specimen begins with `LM=K`, or `LM3=K` in space, and K lines of coordinates. `CURVES=` and `POINTS=` add points
//! of curves, which are columns after those of the landmarks; `SCALE=` multiplies all coordinates; `ID=`, `IMAGE=` and
//! other lines are labels. All specimens have a scale or none, unless sizes do not matter. A landmark whose coordinates
//! are all −1 is missing, as these programs write it.

use crate::error::{Error, Result};
use crate::format::Packing;
use crate::formats::blocks::{Block, Blocks, How, Iter, MOST_RECORDS, Schema, Wanted};
use crate::formats::cell::Cell;
use crate::formats::cell::number;
use crate::formats::landmarks::like::Like;
use crate::formats::records::Records;
use crate::formats::text::encoding::utf8;
use crate::formats::text::lines::{Lines, count_ends};
use crate::options::ReadOptions;
use crate::options::codes::Codes;
use crate::options::kinds::Kinds;
use crate::options::person::KeyType;
use crate::printable::printable;
use crate::source::LONGEST_RECORD;
use crate::source::{Bytes, fill, sniff};
use crate::table::Table;
use std::io::Read;

/// Bytes that are read at first to find the first specimen.
const HEAD: usize = if cfg!(test) { 64 } else { 1 << 16 };

/// The most numbers of a specimen where its columns are chosen by number alone.
const MOST_NUMBERS: usize = 1 << 24;

/// A file whose first specimen was read.
pub(crate) struct TpsFile {
    file: String,
    packing: Option<Packing>,
    /// Numbers of the landmarks of every specimen, unless specimens may be anything.
    landmarks: Option<usize>,
    /// The fewest numbers of a specimen, with those of curves.
    needed: usize,
    /// Whether specimens must have a scale, and the file that has it so.
    is_scaled: Option<(bool, String)>,
    selected: Vec<usize>,
    codes: Codes,
    /// Those that are looked for when numbers are scaled already.
    levels: Codes,
    options: ReadOptions,
    schema: Schema,
}

/// Whole specimens.
struct Piece {
    text: Vec<u8>,
    /// The line on which it begins, from 1.
    line: usize,
    /// Specimens that stand before it.
    before: usize,
}

impl TpsFile {
    /// Looks at the first specimen, for the number of landmarks and of axes.
    pub(crate) fn open(file: &str, bytes: &Bytes, packing: Option<Packing>, options: &ReadOptions) -> Result<Self> {
        let mut stream = utf8(file, bytes.stream(file, packing)?, options.encoding)?;
        sniff(file, &mut stream, HEAD, |head, is_all| {
            let mut starts = starts(head);
            match (starts.next(), starts.next()) {
                (Some((begin, _)), _) if !head[..begin].trim_ascii().is_empty() => Err(corrupt(file)),
                (Some((begin, _)), end) if end.is_some() || is_all => {
                    let first = &head[begin..end.map_or(head.len(), |(end, _)| end)];
                    Self::of(file, packing, &Specimen::parse(first, options.decimal_comma), options).map(Some)
                }
                (None, _) if is_all && head.trim_ascii().is_empty() => Err(Error::Empty { file: file.to_owned() }),
                (None, _) if is_all || head.len() > LONGEST_RECORD => Err(corrupt(file)),
                _ => Ok(None),
            }
        })
    }

    fn of(file: &str, packing: Option<Packing>, first: &Specimen<'_>, options: &ReadOptions) -> Result<Self> {
        // where a specimen may be anything, none says how many landmarks others have
        let is_first = !options.keep_non_finite;
        let (columns, landmarks) = match (is_first, options.record_len) {
            (true, _) | (false, None) => (first.numbers(), first.landmarks),
            (false, Some(numbers)) => {
                let numbers = numbers.saturating_add(options.covariates.len());
                (MOST_NUMBERS.max(numbers), numbers)
            }
        };
        let names = is_first.then(|| first.names());
        // without a choice of columns those of curves are no columns
        let chosen_of = if options.columns.is_none() && landmarks > 0 { landmarks } else { columns };
        let chosen_names = names.as_deref().map(|names| &names[..chosen_of.min(names.len())]);
        let selected = options.chosen(file, (chosen_of, chosen_names), None)?;
        if selected.is_empty() {
            return Err(Error::NoRecords { file: file.to_owned() });
        }
        let codes = Codes::new(file, options, (columns, names.as_deref()), &selected, &Kinds::default())?;
        let own = is_first.then(|| (first.label("SCALE").is_some(), file.to_owned()));
        let is_scaled = options.like.is_scaled.clone().or(own).filter(|_| !options.any_scale);
        Ok(Self {
            file: file.to_owned(),
            packing,
            is_scaled: is_scaled.clone(),
            landmarks: (is_first || options.columns.is_none()).then_some(landmarks),
            needed: selected.iter().max().map_or(0, |last| last + 1),
            levels: codes.levels_alone(),
            codes,
            options: options.clone(),
            schema: Schema {
                columns: selected.len(),
                names: names.map(|names| selected.iter().map(|&c| names[c].clone()).collect()),
                all: vec![],
                person_at: None,
                keys: options.person.as_ref().map(|_| KeyType::Texts),
                like: Like { is_scaled, ..Like::default() },
            },
            selected,
        })
    }

    /// The records of a piece.
    fn batch(&self, piece: &Piece, wanted: Option<Wanted<'_>>) -> Result<(Table, usize)> {
        let Self { file, options, schema, .. } = self;
        let names = schema.names.clone();
        let records = Records::new(file, &self.selected, names, (options, &self.levels), piece.before);
        let mut records = records.of_those(wanted);
        let mut begins = starts(&piece.text).peekable();
        while let Some((begin, line)) = begins.next() {
            let end = begins.peek().map_or(piece.text.len(), |(next, _)| *next);
            let specimen = Specimen::parse(&piece.text[begin..end], options.decimal_comma);
            let line = Some(piece.line + line - 1);
            if let Some(label) = &options.person {
                records.of_text(specimen.label(label), line)?;
            }
            match self.check(&specimen) {
                Ok(scale) => {
                    let mut i = 0..self.selected.len();
                    records.push(line, |c| {
                        let cell = specimen.cells.get(c).cloned().unwrap_or(Cell::Missing);
                        match cell {
                            _ if i.next().is_some_and(|i| self.codes.is_missing(i, &cell)) => Cell::Missing,
                            Cell::Number(x) => Cell::Number(x * scale),
                            other => other,
                        }
                    })?;
                }
                Err(_) if options.keep_non_finite => records.push_invalid(line)?,
                Err(reason) => {
                    return Err(Error::InvalidRecord { file: file.clone(), row: records.next_row(), line, reason });
                }
            }
        }
        Ok(records.finish())
    }

    /// The factor of the coordinates of a specimen, or the reason why it is not a record.
    fn check(&self, specimen: &Specimen<'_>) -> Result<f64, String> {
        if let Some(fault) = &specimen.fault {
            return Err(fault.clone());
        }
        match self.landmarks {
            Some(landmarks) if landmarks != specimen.landmarks => {
                return Err(format!(
                    "it has {} coordinates of landmarks, expected {landmarks} as in the first one",
                    specimen.landmarks
                ));
            }
            _ if specimen.numbers() < self.needed => {
                return Err(format!("it has {} coordinates, expected at least {}", specimen.numbers(), self.needed));
            }
            _ => {}
        }
        let scale = specimen.label("SCALE");
        if let Some((is_scaled, file)) = self.is_scaled.as_ref().filter(|(is_scaled, _)| *is_scaled != scale.is_some())
        {
            let (file, others) =
                (printable(file), "sizes must be in one unit: give all specimens a SCALE=, or remove it from all");
            return Err(match is_scaled {
                true => format!("it has no SCALE=, unlike others of {file}; {others}"),
                false => format!("it has SCALE=, unlike others of {file}; {others}"),
            });
        }
        match scale.map(|scale| number(scale, self.options.decimal_comma)) {
            None => Ok(1.0),
            Some(Cell::Number(scale)) if scale > 0.0 && scale.is_finite() => Ok(scale),
            Some(_) => Err("SCALE= is not a positive number".to_owned()),
        }
    }
}

impl Blocks for TpsFile {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn blocks<'a>(&'a self, bytes: Bytes, how: How<'a>) -> Result<Iter<'a>> {
        let file = &self.file;
        let mut stream = utf8(file, bytes.stream(file, self.packing)?, self.options.encoding)?;
        let (mut text, mut is_all, mut line, mut before) = (vec![], false, 1, 0);
        let mut next = move || -> Result<Option<Piece>> {
            let mut size = how.size;
            loop {
                let begin = text.len();
                if !is_all && begin < size {
                    text.resize(size, 0);
                    let found = fill(file, &mut stream as &mut dyn Read, &mut text[begin..])?;
                    text.truncate(begin + found);
                    is_all = found < size - begin;
                }
                if text.is_empty() {
                    return Ok(None);
                }
                let begins: Vec<usize> = starts(&text).map(|(begin, _)| begin).take(MOST_RECORDS + 1).collect();
                let (specimens, end) = match begins[..] {
                    [.., last] if begins.len() > 1 && (!is_all || begins.len() > MOST_RECORDS) => {
                        (begins.len() - 1, last)
                    }
                    _ if is_all => (begins.len(), text.len()),
                    _ if size > LONGEST_RECORD && !self.options.keep_non_finite => {
                        return Err(Error::EndlessRecord { file: file.clone(), line, limit: LONGEST_RECORD });
                    }
                    _ => {
                        size *= 2;
                        continue;
                    }
                };
                let rest = text.split_off(end);
                let piece = Piece { text: std::mem::replace(&mut text, rest), line, before };
                line += count_ends(&piece.text);
                before += specimens;
                return Ok(Some(piece));
            }
        };
        Ok(Box::new(std::iter::from_fn(move || {
            let piece = next().transpose()?;
            Some(piece.map(|piece| Block::one(move || self.batch(&piece, how.wanted))))
        })))
    }
}

/// Starts of specimens, each with its line from 1.
fn starts(text: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut lines = Lines::new(text, None, 1);
    std::iter::from_fn(move || {
        loop {
            let (number, line) = lines.next()?;
            if is_start(line) {
                return Some((lines.begin(), number));
            }
        }
    })
}

/// Whether a line begins a specimen.
fn is_start(line: &[u8]) -> bool {
    assignment(line).is_some_and(|(key, _)| is(key, "LM") || is(key, "LM3"))
}

/// Whether a line begins a specimen with a number of landmarks.
pub(crate) fn is_specimen(line: &[u8]) -> bool {
    is_start(line)
        && assignment(line).is_some_and(|(_, count)| !count.is_empty() && count.iter().all(u8::is_ascii_digit))
}

/// `KEY=value`.
fn assignment(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|b| *b == b'=')?;
    Some((line[..at].trim_ascii(), line[at + 1..].trim_ascii()))
}

fn is(key: &[u8], name: &str) -> bool {
    key.eq_ignore_ascii_case(name.as_bytes())
}

/// A specimen as read from the file.
#[derive(Default)]
struct Specimen<'a> {
    axes: usize,
    /// Numbers of its landmarks; those of curves follow.
    landmarks: usize,
    cells: Vec<Cell>,
    labels: Vec<(&'a [u8], &'a [u8])>,
    /// The reason why it is invalid.
    fault: Option<String>,
}

/// The part that lines without a key belong to.
enum Part {
    Landmarks(usize),
    Curve(usize),
    /// Any other part, such as radii and outlines.
    Others,
}

impl<'a> Specimen<'a> {
    fn parse(text: &'a [u8], decimal_comma: bool) -> Self {
        let mut specimen = Self { axes: 2, ..Self::default() };
        let (mut part, mut has_curves) = (Part::Others, false);
        for (_, line) in Lines::new(text, None, 1) {
            let Some((key, value)) = assignment(line) else {
                let left = match &mut part {
                    _ if line.trim_ascii().is_empty() => continue,
                    Part::Others => continue,
                    Part::Landmarks(left) | Part::Curve(left) => left,
                };
                match left.checked_sub(1) {
                    Some(fewer) => *left = fewer,
                    None => specimen.refuse("it has more points than it says".to_owned()),
                }
                specimen.point(line, decimal_comma);
                continue;
            };
            specimen.end(&part);
            let count = std::str::from_utf8(value).ok().and_then(|value| value.parse::<usize>().ok());
            part = match count {
                _ if !["LM", "LM3", "CURVES", "OUTLINES", "POINTS"].iter().any(|name| is(key, name)) => Part::Others,
                None => {
                    specimen
                        .refuse(format!("{}= is not followed by a number", printable(&String::from_utf8_lossy(key))));
                    Part::Others
                }
                Some(count) if is(key, "LM") || is(key, "LM3") => {
                    specimen.axes = if is(key, "LM3") { 3 } else { 2 };
                    Part::Landmarks(count)
                }
                Some(count) if is(key, "POINTS") && has_curves => Part::Curve(count),
                Some(_) => {
                    has_curves = is(key, "CURVES");
                    Part::Others
                }
            };
            specimen.labels.push((key, value));
        }
        specimen.end(&part);
        specimen
    }

    /// Adds the coordinates of a point.
    fn point(&mut self, line: &[u8], decimal_comma: bool) {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let cells: Vec<Cell> = words.take(self.axes + 1).map(|word| number(word, decimal_comma)).collect();
        if cells.len() != self.axes {
            self.refuse(format!("a point has other than {} coordinates", self.axes));
        }
        let is_missing = cells.iter().all(|cell| *cell == Cell::Number(-1.0));
        self.cells.extend(cells.into_iter().map(|cell| if is_missing { Cell::Missing } else { cell }));
    }

    /// At the end of a part.
    fn end(&mut self, part: &Part) {
        match part {
            Part::Landmarks(0) => self.landmarks = self.cells.len(),
            Part::Landmarks(_) | Part::Curve(1..) => self.refuse("it has fewer points than it says".to_owned()),
            _ => {}
        }
    }

    fn refuse(&mut self, reason: String) {
        self.fault.get_or_insert(reason);
    }

    fn numbers(&self) -> usize {
        self.cells.len()
    }

    /// `x1`, `y1`, `x2`, …: those of curves go on after the landmarks.
    fn names(&self) -> Vec<String> {
        (0..self.numbers()).map(|i| format!("{}{}", ["x", "y", "z"][i % self.axes], i / self.axes + 1)).collect()
    }

    /// Value behind a key, unless it is blank.
    fn label(&self, key: &str) -> Option<&'a [u8]> {
        let found = self.labels.iter().find(|(known, _)| is(known, key.trim()));
        found.map(|(_, value)| *value).filter(|value| !value.is_empty())
    }
}

fn corrupt(file: &str) -> Error {
    let reason = "it does not begin with LM= or LM3=".to_owned();
    Error::Corrupt { file: file.to_owned(), format: "TPS", reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Missing;
    use proptest::prelude::*;

    /// As tpsDig and geomorph write them: curves, a scale, a missing landmark, an image whose name looks like a key.
    const SKULLS: &str = "LM=3\r\n1.5 2\r\n3 4\r\n5.00000 6.00000\r\nCURVES=2\r\nPOINTS=1\r\n7 8\r\nPOINTS=1\r\n9 10\r\n\
                          IMAGE=LM=7.jpg\r\nID=a\r\nSCALE=0.5\r\n\
                          lm=3\r\n-1.000 -1.000\r\n1 2\r\n-1 3\r\nCURVES=1\r\nPOINTS=2\r\n4 5\r\n6 7\r\nID=NA\r\n\
                          LM=3\r\n1 NA\r\n1 2\r\n3 4\r\nID=b\r\n\
                          LM=3\r\n0 0\r\n\r\n1 2\r\n3 4\r\nOUTLINES=1\r\nPOINTS=1\r\n0 1\r\nRADII=1\r\n7\r\nID=a\r\nSCALE=2\r\n";

    /// Some specimens may have a scale.
    fn read(text: &str, options: &ReadOptions) -> Result<Table> {
        crate::read_bytes("f.tps", text.as_bytes().to_vec(), &ReadOptions { any_scale: true, ..options.clone() })
    }

    fn sentence(text: &str) -> String {
        read(text, &ReadOptions::default()).unwrap_err().to_string()
    }

    #[test]
    fn landmarks_are_scaled_and_missing_ones_are_missing() {
        let dropped = ReadOptions { missing: Missing::Drop, ..Default::default() };
        let table = read(SKULLS, &dropped).unwrap();
        assert_eq!(table.values, [0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 0.0, 0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(table.names.unwrap(), ["x1", "y1", "x2", "y2", "x3", "y3"]);
        assert_eq!((table.lines, table.numbers), (vec![1, 27], vec![1, 4]));
        let kept = read(SKULLS, &ReadOptions { missing: Missing::Keep, ..Default::default() }).unwrap();
        assert_eq!((kept.rows, kept.missing), (4, vec![1, 2]));
        let error = sentence(SKULLS);
        assert!(error.contains("record 2 (line 13), column 1 (x1): the value is missing"), "{error}");
        // other codes, before they are scaled
        let missing_values = vec!["1.5,-1".parse().unwrap()];
        assert_eq!(read(SKULLS, &ReadOptions { missing_values, ..dropped }).unwrap().numbers, [4]);
    }

    #[test]
    fn all_specimens_have_a_scale_or_none() {
        let (with, without) = ("LM=1\n1 2\nSCALE=.5\n", "LM=1\n3 4\nID=b\n");
        let read = |text: &str, options: &ReadOptions| crate::read_bytes("f.tps", text.into(), options);
        let any = ReadOptions { any_scale: true, ..Default::default() };
        let scale_of_all = "give all specimens a SCALE=, or remove it from all";
        for (text, says) in [
            ([with, with, without].concat(), "record 3 (line 7): it has no SCALE=, unlike others of f.tps"),
            ([without, with].concat(), "record 2 (line 4): it has SCALE=, unlike others of f.tps"),
            (with.to_owned() + &with.replace(".5", ""), "record 2 (line 4): it has no SCALE="),
        ] {
            let error = read(&text, &ReadOptions::default()).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains(scale_of_all), "{error}");
            assert!(read(&text, &any).is_ok());
        }
        assert_eq!(read(&with.repeat(2), &ReadOptions::default()).unwrap().values, [0.5, 1.0, 0.5, 1.0]);
        // files of one list, with a center
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a.tps", "b.tps"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
        std::fs::write(&paths[0], with).unwrap();
        std::fs::write(&paths[1], without).unwrap();
        let error = crate::read_all(&paths, &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.contains("b.tps: record 1 (line 1): it has no SCALE=, unlike others of"), "{error}");
        assert!(crate::read_all(&paths, &any).is_ok());
        let like = read(with, &ReadOptions::default()).unwrap().like().clone();
        let near = |keep_non_finite, like: &crate::Like| {
            let options = ReadOptions { keep_non_finite, like: like.clone(), ..Default::default() };
            read(without, &options)
        };
        assert!(near(false, &like).is_err() && near(false, &like.without_scale()).is_ok());
        // no record decides on others where they may be anything, but a center does
        assert!(near(true, &like).unwrap().values[0].is_nan());
        let any = ReadOptions { keep_non_finite: true, ..Default::default() };
        assert_eq!(read(&[with, without].concat(), &any).unwrap().values, [0.5, 1.0, 3.0, 4.0]);
    }

    #[test]
    fn curves_follow_the_landmarks() {
        let columns = |columns: &str| ReadOptions {
            columns: Some(columns.to_owned()),
            missing: Missing::Drop,
            ..Default::default()
        };
        let first = SKULLS.split("lm=3").next().unwrap();
        assert_eq!(read(first, &columns("1-10")).unwrap().values[6..], [3.5, 4.0, 4.5, 5.0]);
        assert_eq!(read(first, &columns("y5,x1")).unwrap().values, [5.0, 0.75]);
        let error = read(SKULLS, &columns("7-8")).unwrap_err().to_string();
        assert!(
            error.contains("record 3 (line 22)") && error.contains("6 coordinates, expected at least 8"),
            "{error}"
        );
        let curve = "LM=0\nCURVES=1\nPOINTS=2\n1 2\n3 4\nID=7\n";
        assert_eq!(read(curve, &ReadOptions::default()).unwrap().values, [1.0, 2.0, 3.0, 4.0]);
        let space = "LM3=2\n1 2 3\n-1 -1 -1\nID=7\nLM3=2\n1 2 3\n4 5 6\n";
        let table = read(space, &ReadOptions { missing: Missing::Drop, ..Default::default() }).unwrap();
        assert_eq!((table.values, table.names.unwrap()[5].as_str()), (vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "z2"));
    }

    #[test]
    fn labels_are_keys() {
        let by = |label: &str| ReadOptions {
            person: Some(label.to_owned()),
            missing: Missing::Drop,
            columns: Some("x3".to_owned()),
            ..Default::default()
        };
        let keys = |keys: &[&str]| keys.iter().filter_map(|key| crate::Key::of(key)).collect::<Vec<_>>();
        for label in ["ID", "id"] {
            let table = read(SKULLS, &by(label)).unwrap();
            assert_eq!((table.values, table.persons), (vec![2.5, -1.0, 3.0, 6.0], keys(&["a", "NA", "b", "a"])));
        }
        assert!(matches!(read(SKULLS, &by("IMAGE")), Err(Error::Nobodys { row: 2, .. })));
        let groups = ReadOptions { groups: true, ..by("IMAGE") };
        assert_eq!(read(SKULLS, &groups).unwrap().persons, keys(&["LM=7.jpg"]));
    }

    #[test]
    fn what_is_no_specimen_is_refused_with_its_place() {
        let second = |text: &str| sentence(&format!("LM=1\n1 2\n{text}"));
        for (text, reason) in [
            ("LM=2\n1 2\n3 4\n", "4 coordinates of landmarks, expected 2"),
            ("LM=1\nID=3\n", "fewer points than it says"),
            ("LM=1\n1 2\n3 4\n", "more points than it says"),
            ("LM=1\n1 2 3\n", "other than 2 coordinates"),
            ("LM=x\n1 2\n", "LM= is not followed by a number"),
            ("LM=1\n1 2\nSCALE=0\n", "SCALE= is not a positive number"),
            ("LM=1\n1 2\nCURVES=1\nPOINTS=2\n1 2\n", "fewer points than it says"),
            ("LM=1\n1 a\n", "column 2 (y1): `a` is not a number"),
        ] {
            let error = second(text);
            assert!(error.contains("record 2 (line 3)") && error.contains(reason), "{text}: {error}");
        }
        for text in ["1 2\n", "ID=a\nLM=1\n1 2\n"] {
            assert!(sentence(text).contains("does not begin with LM="), "{text}");
        }
        assert_eq!(sentence(" \n"), "f.tps is empty: expected records");
        // none decides on others where they may be anything
        let any = |record_len| ReadOptions { keep_non_finite: true, record_len, ..Default::default() };
        let table = read("LM=9\n1 2\nLM=1\n3 4\nLM=1\n5\n", &any(Some(2))).unwrap();
        assert_eq!((table.rows, &table.values[2..4], table.values[0].is_nan()), (3, &[3.0, 4.0][..], true));
        assert_eq!(read("LM=1\n1 2\nLM=2\n", &any(None)).unwrap().rows, 2);
    }

    proptest! {
        #[test]
        fn specimens_are_the_same_however_they_are_cut(
            lines in prop::collection::vec(
                prop::sample::select(vec![
                    "LM=1", "LM=2", "1 2", "3 4", "-1 -1", "CURVES=1", "POINTS=1", "ID=a", "SCALE=2", "", "LM3=1", "x",
                ]),
                0..30,
            ),
            (keep_non_finite, any_scale) in any::<(bool, bool)>(),
            first in prop::sample::select(vec!["LM=1\n1 2\n", ""]),
        ) {
            let text = format!("{first}{}\n", lines.join("\n"));
            let options = ReadOptions { keep_non_finite, any_scale, missing: Missing::Keep, ..Default::default() };
            let said = |table: Result<Table>| format!("{table:?}");
            let whole = said(crate::read_bytes("f.tps", text.clone().into_bytes(), &options));
            for block in [1, 7, 40] {
                let stream = crate::Stream::of_bytes("f.tps", text.clone().into_bytes(), &options);
                let table = stream.and_then(|stream| stream.in_blocks_of(block).collect()).map(|(table, _)| table);
                prop_assert_eq!(said(table), whole.clone());
            }
        }
    }
}
