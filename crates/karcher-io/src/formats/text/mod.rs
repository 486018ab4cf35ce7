//! Text files: one record a line, cells between commas, semicolons, tabs or blanks.

pub(crate) mod encoding;
pub(crate) mod lines;
mod preamble;
pub(crate) mod record_splitter;
pub(crate) mod rows;

use crate::error::{Error, Result};
use crate::format::Packing;
use crate::formats::blocks::{Block, Blocks, How, Iter, MOST_RECORDS, Schema, Wanted};
use crate::formats::cell::{Cell, number, with_point};
use crate::formats::landmarks::like::Like;
use crate::formats::landmarks::morphologika::is_section;
use crate::formats::odd_cell::{holds_several_numbers, is_spreadsheet_error};
use crate::formats::records::{Records, comment, has_decimal_comma};
use crate::formats::text::encoding::utf8;
use crate::formats::text::lines::{after, count_ends};
use crate::formats::text::preamble::{ENOUGH, lines_above};
use crate::formats::text::record_splitter::{Cutter, Piece};
use crate::formats::text::rows::{Cells, Kept, Row, Rows, Style};
use crate::formats::tps::is_specimen;
use crate::metadata::{self, Metadata};
use crate::options::ReadOptions;
use crate::options::codes::Codes;
use crate::options::columns::{ColumnsBy, trim_name};
use crate::options::dates::{compact_year, decimal_year};
use crate::options::kinds::{Kind, Kinds};
use crate::options::person::KeyType;
use crate::source::LONGEST_RECORD;
use crate::source::{Bytes, fill, sniff};
use crate::table::{Table, column_label};
use std::borrow::Cow;

/// Bytes that are read at first to find the first row.
const HEAD: usize = if cfg!(test) { 16 } else { 1 << 16 };

/// The most cells of a row: all cells of the first one are parsed.
const MOST_CELLS: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// A text that was read up to its first row.
pub(crate) struct TextFile {
    file: String,
    packing: Option<Packing>,
    style: Style,
    /// Offset of the first record, in UTF-8, and its line.
    begin: usize,
    line: usize,
    /// The cells of the first row, as many as a record has.
    cells: usize,
    selected: Vec<usize>,
    /// Number of cells that a record needs if their number may vary.
    needed: Option<usize>,
    kinds: Kinds,
    /// The columns whose cells are texts.
    texts: Vec<usize>,
    codes: Codes,
    /// A first record of two whole numbers, which may count the rows and the numbers of a row instead.
    counts: Option<(u64, u64)>,
    /// Lines to skip, where the table may begin below the first line.
    above: Option<usize>,
    /// The names of the columns that are read with the units below the header.
    described: Option<Vec<String>>,
    options: ReadOptions,
    schema: Schema,
}

impl TextFile {
    /// Reads the first row, which may be a header.
    pub(crate) fn open(file: &str, bytes: &Bytes, packing: Option<Packing>, options: &ReadOptions) -> Result<Self> {
        let mut stream = utf8(file, bytes.stream(file, packing)?, options.encoding)?;
        sniff(file, &mut stream, HEAD, |head, is_all| match head {
            [] => Err(Error::Empty { file: file.to_owned() }),
            head => Self::of(file, head, is_all, packing, options),
        })
    }

    /// The text that begins with `head`; `None` if it takes more to tell.
    fn of(
        file: &str,
        head: &[u8],
        is_all: bool,
        packing: Option<Packing>,
        options: &ReadOptions,
    ) -> Result<Option<Self>> {
        let Some(skipped) = after(head, options.skip_lines, is_all) else {
            return if is_all { Err(Error::Empty { file: file.to_owned() }) } else { Ok(None) };
        };
        let (head, first_line) = (&head[skipped..], 1 + options.skip_lines);
        let Some(style) = Style::of(head, is_all, options) else { return Ok(None) };
        let mut rows = Rows::new(head, style, first_line, Kept::first(MOST_CELLS + 1));
        let mut first = Row::default();
        let reading = Text { options, kinds: &Kinds::default() };
        let covariates =
            options.covariates.iter().map(|it| it.selection(options.columns_by)).collect::<Result<Vec<_>>>()?;
        let mut selections = options.selection()?.into_iter().chain(options.person_selection()?).chain(covariates);
        let by_name = selections.any(|selection| selection.first_name().is_some());
        let needs_header = options.has_header() || by_name;
        let is_blank = |row: &Row<'_>| row.len() == 1 && row.get(0).unwrap_or_default().trim_ascii().is_empty();
        let line = loop {
            let Some(line) = rows.next(&mut first) else {
                return if is_all { Err(Error::Empty { file: file.to_owned() }) } else { Ok(None) };
            };
            if first.len() > MOST_CELLS {
                return Err(Error::TooManyCells { file: file.to_owned(), line, limit: MOST_CELLS });
            }
            // a blank line may be a record, of one missing value, but no header
            if !needs_header || !is_blank(&first) {
                break line;
            }
        };
        let beginning = first.get(0).unwrap_or_default();
        let landmarks =
            [(is_specimen(&beginning), "TPS", "tps"), (is_section(&beginning), "Morphologika", "morphologika")];
        if let Some((_, kind, format)) = landmarks.into_iter().find(|(is_it, ..)| *is_it) {
            return Err(Error::SpecimenFirst { file: file.to_owned(), kind, format });
        }
        if first.is_unclear(style, &[]) {
            return Err(Error::EscapedQuote { file: file.to_owned(), line });
        }
        let begin = rows.position();
        let Some(more) = after(&head[begin..], options.skip_after_header, is_all) else {
            return if is_all { Err(Error::NoRecords { file: file.to_owned() }) } else { Ok(None) };
        };
        let below_header = &head[begin..begin + more];
        let begin = begin + more;
        if begin >= head.len() && !is_all {
            return Ok(None);
        }
        if !is_all && head.len() < ENOUGH {
            return Ok(None);
        }
        let counts = first.counts();
        let mark = first.comment_mark().filter(|_| !options.has_header());
        let of_first_line = |error: Error| match (&error, mark, counts) {
            (Error::UnknownColumn { .. }, Some(mark), _) => Error::CommentOrRecord { file: file.to_owned(), mark },
            (Error::ColumnOutOfRange { column, .. }, _, Some((rows, numbers))) if *column as u64 <= numbers + 1 => {
                Error::CountsFirst { file: file.to_owned(), rows, numbers, skip: options.skip_lines }
            }
            _ => error,
        };
        // where records may be anything no line but the first is looked at
        let above = |wanted: &[String]| match options.keep_non_finite {
            true => None,
            false => lines_above(head, is_all, options, wanted).map(|lines| options.skip_lines + lines),
        };
        let lines_above = |skip| Error::LinesAbove { file: file.to_owned(), skip };
        let has_both_commas = options.decimal_comma
            && options.delimiter.is_none()
            && style.cells == Cells::Line
            && first.get(0).is_some_and(|cell| cell.contains(&b','));
        let both_commas = || Error::CommasOfBothKinds { file: file.to_owned() };
        let is_below = |error: &Error| match error {
            Error::UnknownColumn { column, .. } | Error::NoColumnNames { column, .. } => {
                above(std::slice::from_ref(column))
            }
            Error::CommentOrRecord { .. } => above(&[]),
            _ => None,
        };
        let advise = |error: Error| match (is_below(&error), &error) {
            (Some(skip), _) => lines_above(skip),
            (_, Error::UnknownColumn { .. }) if has_both_commas => both_commas(),
            _ => of_first_line(error),
        };
        let mut second = Row::default();
        Rows::new(&head[begin..], style, 1, Kept::first(MOST_CELLS + 1)).next(&mut second);
        let mut header = reading.header((&first, &second), by_name, file).map_err(advise)?;
        let mut cells = first.len();
        // `# x y` names two columns
        let is_mark = matches!(first.get(0).as_deref(), Some(b"#" | b"%"));
        if let Some(names) = header.as_mut().filter(|_| style.cells == Cells::Words && is_mark) {
            names.remove(0);
            cells -= 1;
        }
        let person_at = options.person_at(file, cells, header.as_deref()).map_err(advise)?;
        let selected = options.chosen(file, (cells, header.as_deref()), person_at).map_err(advise)?;
        let numbers = selected.len() - options.covariates.len().min(selected.len());
        if options.record_len.is_some_and(|needed| needed != numbers) && !options.keep_non_finite {
            let skip = above(&[]);
            let mut record = Row::default();
            Rows::new(&head[begin..], style, 1, Kept::first(MOST_CELLS + 1)).next(&mut record);
            let record = if header.is_some() { &record } else { &first };
            let is_list = |&&c: &&usize| record.get(c).is_some_and(|cell| holds_several_numbers(&text(&cell)));
            match (has_both_commas, skip, selected.iter().find(is_list)) {
                (true, ..) => return Err(both_commas()),
                (_, Some(skip), _) => return Err(lines_above(skip)),
                (.., Some(&c)) => {
                    let name = header.as_ref().map(|names| names[c].as_str());
                    return Err(Error::ListsAsText { file: file.to_owned(), column: column_label(c, name) });
                }
                (false, None, None) => {}
            }
        }
        let kinds = Kinds::new(file, options, (cells, header.as_deref()), &selected)?;
        let codes = Codes::new(file, options, (cells, header.as_deref()), &selected, &kinds)?;
        let of_selected = |all: &Vec<String>| selected.iter().filter_map(|&c| all.get(c).cloned()).collect::<Vec<_>>();
        let names = header.as_ref().map(of_selected);
        // where records may be anything no single one says how the file is made
        if !options.keep_non_finite {
            let Some((found, is_quoted)) = cells_of_next(&head[begin..], style, is_all) else { return Ok(None) };
            let is_one_more = found == cells as u64 + 1;
            match (&names, counts) {
                (Some(_), _) if is_one_more => {
                    let is_of_r = is_quoted || style.cells == Cells::Words;
                    let advice = if is_of_r { ROW_NAMES } else { SPLIT_CELL };
                    return Err(Error::HeaderOneShort { file: file.to_owned(), names: cells, advice });
                }
                (None, Some((rows, numbers))) if found == numbers + 1 => {
                    return Err(Error::CountsFirst { file: file.to_owned(), rows, numbers, skip: options.skip_lines });
                }
                _ => {}
            }
        }
        // without a header the first line is a record
        let (begin, line) = match &names {
            Some(_) => (begin, first_line + count_ends(&head[..begin])),
            None => (0, first_line),
        };
        let all = header.or_else(|| commented(head, style, cells));
        let names = all.as_ref().map(of_selected);
        // the last cells may be missing where they are not used, but between blanks an empty cell shifts the others
        let most = selected.iter().chain(&person_at).map(|c| c + 1).max();
        let needed = options.columns.as_ref().filter(|_| style.cells != Cells::Words).map(|_| most.unwrap_or(0));
        let keys = person_at.map(|_| KeyType::Texts);
        Ok(Some(Self {
            file: file.to_owned(),
            packing,
            style,
            begin: skipped + begin,
            line,
            cells,
            needed,
            texts: kinds.columns(Kind::Levels).chain(person_at).collect(),
            kinds,
            codes,
            counts: counts.filter(|_| names.is_none()),
            above: above(&[]),
            described: names
                .as_ref()
                .filter(|_| !below_header.is_empty())
                .map(|names| with_units(names, &selected, below_header, style)),
            options: options.clone(),
            schema: Schema {
                columns: selected.len(),
                names,
                all: all.unwrap_or_default(),
                person_at,
                keys,
                like: Like::default(),
            },
            selected,
        }))
    }

    /// The records of a piece.
    fn batch(&self, piece: &Piece, wanted: Option<Wanted<'_>>) -> Result<(Table, usize)> {
        let Self { file, options, schema, .. } = self;
        let text = Text { options, kinds: &self.kinds };
        // cells after the last that is read are counted
        let read = self.selected.iter().chain(&schema.person_at).max().map_or(0, |last| last + 1);
        let kept = Kept { first: read, record: self.cells };
        let mut rows = Rows::new(&piece.text, self.style, piece.line, kept);
        let names = schema.names.clone();
        let mut records = Records::new(file, &self.selected, names, (options, &self.codes), piece.before);
        records = records.of_those(wanted);
        if wanted.is_none() || schema.person_at.is_none() {
            records.reserve(piece.records, piece.text.len())?;
        }
        let mut row = Row::default();
        while let Some(line) = rows.next(&mut row) {
            if let Some(at) = schema.person_at {
                records.of_text(row.get(at).as_deref(), Some(line))?;
            }
            let is_text = |level: usize| row.get(level).is_none_or(|cell| std::str::from_utf8(&cell).is_ok());
            if !options.keep_non_finite && !self.kinds.columns(Kind::Levels).all(is_text) {
                return Err(Error::NotText { file: file.clone(), row: records.next_row(), line: Some(line) });
            }
            let is_unclear = row.is_unclear(self.style, &self.texts);
            let fits = self.needed.map_or(row.len() == self.cells, |needed| row.len() >= needed && !row.has_more());
            if fits && !is_unclear {
                let pushed = records.push(Some(line), |c| text.cell(&row.get(c).unwrap_or_default(), c));
                pushed.map_err(|error| self.explained(error, &row, line))?;
            } else if options.keep_non_finite {
                records.push_invalid(Some(line))?;
            } else if is_unclear {
                return Err(Error::EscapedQuote { file: file.clone(), line });
            } else {
                return Err(self.explained(self.ragged(&row, records.next_row(), line), &row, line));
            }
        }
        let (table, seen) = records.finish();
        Ok((Table { person_at: schema.person_at, ..table }, seen))
    }
}

impl TextFile {
    /// The error for a record with another number of cells than the first.
    fn ragged(&self, row: &Row<'_>, number: usize, line: usize) -> Error {
        let (file, expected, found) = (self.file.clone(), self.cells, row.len());
        if let Some((rows, numbers)) = self.counts.filter(|(_, numbers)| number == 2 && found as u64 == numbers + 1) {
            return Error::CountsFirst { file, rows, numbers, skip: self.options.skip_lines };
        }
        let advice = match row {
            _ if row.begins_with(b'#') && !row.begins_with_error() => comment('#'),
            _ if row.begins_with(b'%') => comment('%'),
            _ if row.iter().any(|cell| cell.trim_ascii_start().starts_with(b"\"")) => {
                "a quote must be closed on its line, so no cell may hold an end of line"
            }
            _ if found == 2 * expected && self.style.cells == Cells::Separated(b',') && self.are_whole(row) => {
                BOTH_COMMAS
            }
            // a line of an image, then one of its points, of three numbers each
            _ if self.style.cells == Cells::Words && number == 2 && expected == 10 && found.is_multiple_of(3) => COLMAP,
            _ => "correct the record or the delimiter",
        };
        Error::Ragged { file, row: number, line: Some(line), expected, found, advice }
    }
}

impl TextFile {
    fn are_whole(&self, row: &Row<'_>) -> bool {
        row.iter().all(|cell| matches!(number(&cell, false), Cell::Number(x) if x.fract() == 0.0))
    }

    /// An error about a record with the remedy that the text says: lines above the header, a row of units below it,
    /// commas of both kinds.
    fn explained(&self, error: Error, row: &Row<'_>, line: usize) -> Error {
        let Error::NotANumber { place, value, advice, .. } = &error else {
            return match (error, self.above) {
                (Error::Ragged { file, .. }, Some(skip)) if line <= skip + 1 => Error::LinesAbove { file, skip },
                (error, _) => error,
            };
        };
        let file = self.file.clone();
        let units: Vec<String> = self.selected.iter().filter_map(|&c| unit(&row.get(c).unwrap_or_default())).collect();
        let is_code = || units.iter().all(|unit| *unit == units[0] && !unit.contains(char::is_lowercase));
        let are_units = place.row == 1
            && self.schema.names.is_some()
            && self.options.skip_after_header == 0
            && (units.len() == self.selected.len() && units.len() > 1 && !is_code());
        let advice = match self.above {
            Some(skip) if line <= skip + 1 => return Error::LinesAbove { file, skip },
            _ if are_units => "if the line is a row of units, give --skip-after-header 1".to_owned(),
            _ if self.style.cells == Cells::Separated(b',') && self.options.delimiter.is_none() => {
                advice.replace("--decimal-comma", "--decimal-comma --delimiter ,")
            }
            _ => return error,
        };
        Error::NotANumber { file, place: place.clone(), value: value.clone(), advice }
    }
}

impl Blocks for TextFile {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn described(&self) -> Option<&[String]> {
        self.described.as_deref()
    }

    fn blocks<'a>(&'a self, bytes: Bytes, how: How<'a>) -> Result<Iter<'a>> {
        let file = &self.file;
        let mut stream = utf8(file, bytes.stream(file, self.packing)?, self.options.encoding)?;
        fill(file, &mut stream, &mut vec![0; self.begin])?;
        let longest = (!self.options.keep_non_finite).then_some(LONGEST_RECORD);
        let is_record = |line: &[u8]| self.style.is_record(line);
        let mut cutter = Cutter::new(file, stream, (is_record, longest), self.line, (how.size, MOST_RECORDS));
        Ok(Box::new(std::iter::from_fn(move || {
            let piece = cutter.next().transpose()?;
            Some(piece.map(|piece| Block::one(move || self.batch(&piece, how.wanted))))
        })))
    }
}

/// A cell that may say the unit of a column, but no number.
fn unit(cell: &[u8]) -> Option<String> {
    match number(cell, false) {
        Cell::NotANumber(word) if !is_spreadsheet_error(&word) && !has_decimal_comma(&word) => Some(word),
        _ => None,
    }
}

/// The remedy for numbers with decimal commas between commas.
const BOTH_COMMAS: &str =
    "if commas stand before decimals, too, write the file with points, or with semicolons between cells";

/// The remedy for the file of images of a reconstruction.
const COLMAP: &str = "if it is COLMAP's images.txt, leave out every second line, which holds points, and invert the \
                      poses, as the guide's page of poses:3 does";

/// The remedy for a header with one name less than records have cells.
const ROW_NAMES: &str =
    "if they are row names of R, name the first column in the header, in R by write.table(…, col.names = NA)";
const SPLIT_CELL: &str =
    "quote cells that hold the separator, choose another by --delimiter, or name the first column in the header";

/// The number of cells of the next line that is not blank, without empty ones at its end, and whether the first is
/// quoted: 0 at the end of the text, and `None` if it takes more to tell.
fn cells_of_next(text: &[u8], style: Style, is_all: bool) -> Option<(u64, bool)> {
    let mut rows = Rows::new(text, style, 1, Kept::first(MOST_CELLS + 1));
    let mut row = Row::default();
    while rows.next(&mut row).is_some() {
        if !is_all && rows.position() >= text.len() {
            return None; // the line may go on
        }
        let is_blank = |cell: usize| row.get(cell).unwrap_or_default().trim_ascii().is_empty();
        let filled = (0..row.len()).rev().find(|&cell| !is_blank(cell));
        if row.is_unclear(style, &[]) {
            return Some((0, false)); // which is an error when it is read
        }
        if let Some(last) = filled {
            return Some((last as u64 + 1, row.is_quoted(0)));
        }
    }
    is_all.then_some((0, false))
}

/// The names of the columns in the last comment before the first record, if it has a word for each.
fn commented(head: &[u8], style: Style, cells: usize) -> Option<Vec<String>> {
    let mark = style.comments?;
    let lines =
        head.split(|byte| *byte == b'\n').take_while(|line| !style.is_record(line) || line.trim_ascii().is_empty());
    let last = lines.filter(|line| line.trim_ascii_start().first() == Some(&mark)).last()?;
    let words = last.trim_ascii().iter().position(|byte| *byte != mark).map(|at| &last.trim_ascii()[at..])?;
    let mut row = Row::default();
    Rows::new(words, Style { comments: None, ..style }, 1, Kept::first(MOST_CELLS + 1)).next(&mut row)?;
    let names: Vec<String> = row.iter().map(|cell| trim_name(&text(&cell)).to_owned()).collect();
    let are_names = names.len() == cells && names.iter().all(|name| !name.is_empty() && name.parse::<f64>().is_err());
    are_names.then_some(names)
}

/// Interpretation of cells.
struct Text<'a> {
    options: &'a ReadOptions,
    kinds: &'a Kinds,
}

impl Text<'_> {
    /// The names in the first line, if it is a header: by the options, because columns are chosen by name, or because
    /// no selected cell is a number or missing.
    fn header(&self, (first, second): (&Row<'_>, &Row<'_>), named: bool, file: &str) -> Result<Option<Vec<String>>> {
        let options = self.options;
        let is_name = |cell: &[u8]| {
            matches!(self.number(cell), Cell::NotANumber(word) if !is_spreadsheet_error(&word))
                && decimal_year(trim_name(&text(cell))).is_none()
        };
        let is_named = |c: usize| first.get(c).is_some_and(|cell| is_name(&cell));
        let is_header = match options.header {
            _ if options.skip_after_header > 0 => true,
            // where records may be anything, the first line decides on separator and columns, so it must not be one of
            // them
            Some(true) => true,
            None if named && options.keep_non_finite => true,
            _ if options.keep_non_finite => return Err(Error::HeaderNeeded { file: file.to_owned() }),
            Some(false) => false,
            None if named && options.columns_by == Some(ColumnsBy::Name) => true,
            None if named => first.iter().any(|cell| is_name(&cell)),
            None => {
                if let Some(mark) = first.comment_mark() {
                    return Err(Error::CommentOrRecord { file: file.to_owned(), mark });
                }
                if let Some(counted) = counted(first, second) {
                    return Err(Error::HeaderOrRecord { file: file.to_owned(), counted });
                }
                let person = options.person_at(file, first.len(), None)?;
                let selected = options.chosen(file, (first.len(), None), person)?;
                let names = selected.iter().filter(|&&c| is_named(c)).count();
                let is_index = |c: usize| {
                    c == 0 && first.len() > 1 && trim_name(&text(&first.get(0).unwrap_or_default())).is_empty()
                };
                let indices = selected.iter().filter(|&&c| is_index(c)).count();
                // names above all columns but an index, or a record that lacks all that is read of it
                if names == 0 && indices > 0 && indices == selected.len() && (1..first.len()).all(is_named) {
                    return Err(Error::HeaderOrMissing { file: file.to_owned() });
                }
                names + indices == selected.len() && (names > 0 || selected.is_empty())
            }
        };
        if is_header && first.iter().any(|cell| std::str::from_utf8(&cell).is_err()) {
            return Err(Error::NotText { file: file.to_owned(), row: 0, line: None });
        }
        // `#x,y` is a header too
        let name = |cell: Cow<'_, [u8]>| trim_name(trim_name(&text(&cell)).trim_start_matches('#')).to_owned();
        Ok(is_header.then(|| first.iter().map(name).collect()))
    }

    fn cell(&self, cell: &[u8], column: usize) -> Cell {
        let kind = self.kinds.of(column);
        if kind == Kind::Levels {
            return Cell::NotANumber(with_point(text(cell).trim(), self.options.decimal_comma).into_owned());
        }
        match self.number(cell) {
            Cell::NotANumber(text) if kind == Kind::Dates => {
                decimal_year(&text).map_or(Cell::NotANumber(text), Cell::Number)
            }
            Cell::Number(x) if kind == Kind::Dates && !self.options.eight_digits_are_numbers => {
                Cell::Number(compact_year(trim_name(&text(cell))).unwrap_or(x))
            }
            other => other,
        }
    }

    fn number(&self, cell: &[u8]) -> Cell {
        number(cell, self.options.decimal_comma)
    }
}

impl ReadOptions {
    /// Whether the options say that the first line is a header.
    fn has_header(&self) -> bool {
        self.header == Some(true) || self.skip_after_header > 0
    }
}

impl Row<'_> {
    /// First character of the first line, if it may mark a comment: `#`, or the `%` of MATLAB, which may also begin the
    /// name of a percentage.
    fn comment_mark(&self) -> Option<char> {
        let has_more = || (1..self.len()).any(|cell| self.get(cell).is_some_and(|cell| cell.contains(&b'%')));
        match () {
            () if self.begins_with(b'#') && !self.begins_with_error() => Some('#'),
            () if self.begins_with(b'%') && !has_more() => Some('%'),
            () => None,
        }
    }

    /// Whether the first cell is an error of a spreadsheet, which begins with `#`, too.
    fn begins_with_error(&self) -> bool {
        self.get(0).is_some_and(|cell| is_spreadsheet_error(&text(&cell)))
    }

    /// The two whole numbers that the row is, the second of them above 1.
    fn counts(&self) -> Option<(u64, u64)> {
        let number = |cell| text(&self.get(cell)?).trim().parse::<u64>().ok();
        (self.len() == 2).then(|| Some((number(0)?, number(1).filter(|&numbers| numbers > 1)?)))?
    }
}

fn text(cell: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(cell)
}

/// The first two of the numbers in a line that count, as names do that programs write above columns without names:
/// 0, 1, 2, … of pandas, also 1, 2, 3 or 0.0, 1.0. Three numbers may begin anywhere, such as with a year, and four have
/// any step, such as wavelengths. The line 1, 2 counts unless the `second` line has whole numbers as well.
fn counted(line: &Row<'_>, second: &Row<'_>) -> Option<[f64; 2]> {
    let cells = |row: &Row<'_>| row.iter().map(|cell| trim_name(&text(&cell)).to_owned()).collect::<Vec<_>>();
    let is_number = |cell: &String| cell.parse::<f64>().is_ok();
    let has_fractions = |row: &Row<'_>| cells(row).iter().filter(|cell| is_number(cell)).any(|cell| cell.contains('.'));
    let numbers: Vec<f64> = cells(line).iter().filter_map(|cell| cell.parse().ok()).collect();
    let first = *numbers.first()?;
    let step = numbers.get(1).map_or(1.0, |next| next - first);
    let is_run = numbers.iter().enumerate().all(|(i, x)| (x - first - i as f64 * step).abs() <= 1e-9 * x.abs());
    let is_whole = step == 1.0 && first.fract() == 0.0 && !first.is_sign_negative();
    let is_count = match numbers.len() {
        1 => first == 0.0 && is_whole && line.len() == 1,
        2 => is_whole && (first == 0.0 || first == 1.0 && (has_fractions(line) || has_fractions(second))),
        3 => is_whole,
        _ => step > 0.0,
    };
    (is_run && is_count).then_some([first, first + step])
}

/// Longer texts below a header are questions, or other sentences.
const LONGEST_UNIT: usize = 24;

/// The names of columns with what the rows between a header and the records say of them: units.
fn with_units(names: &[String], selected: &[usize], below_header: &[u8], style: Style) -> Vec<String> {
    let mut rows = Rows::new(below_header, style, 1, Kept::first(MOST_CELLS + 1));
    let (mut row, mut described) = (Row::default(), names.to_vec());
    while rows.next(&mut row).is_some() {
        for (name, &c) in described.iter_mut().zip(selected) {
            // a number is one of a record that was left out
            let word = row.get(c).and_then(|cell| unit(cell.trim_ascii())).filter(|word| word.len() <= LONGEST_UNIT);
            let of_field = word.map(|word| Metadata::from([("unit".to_owned(), word)])).unwrap_or_default();
            if let Some([said]) = metadata::described(name, 1, &of_field, &Metadata::new()).as_deref() {
                *name = said.clone();
            }
        }
    }
    described
}

#[cfg(test)]
mod tests;
