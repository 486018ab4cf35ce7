//! Poses of a graph in a `.g2o` file (Kümmerle et al. 2011): one vertex a record.
//!
//! A vertex is a line `VERTEX_SE3:QUAT id tx ty tz qx qy qz qw`. Lines with another tag, such as edges, are not
//! records, nor are comments and blank lines. A line that begins with no tag counts as a record, so that none is left
//! out in silence.

use crate::error::{Error, Result};
use crate::format::Packing;
use crate::formats::blocks::{Block, Blocks, How, Iter, MOST_RECORDS, Schema, Wanted};
use crate::formats::cell::{Cell, number};
use crate::formats::landmarks::like::Like;
use crate::formats::records::Records;
use crate::formats::text::encoding::utf8;
use crate::formats::text::lines::Lines;
use crate::formats::text::record_splitter::{Cutter, Piece};
use crate::options::ReadOptions;
use crate::options::codes::Codes;
use crate::options::kinds::Kinds;
use crate::options::person::KeyType;
use crate::source::{Bytes, LONGEST_RECORD};
use crate::table::Table;

/// The tag of a vertex that is a pose in space.
const TAG: &[u8] = b"VERTEX_SE3:QUAT";

/// The numbers of a pose, which are the columns that are read unless others are chosen, and the vertex.
const NAMES: [&str; 8] = ["tx", "ty", "tz", "qx", "qy", "qz", "qw", "id"];

/// Numbers of a pose.
const POSE: usize = 7;

/// A file whose columns are known.
pub(crate) struct G2oFile {
    file: String,
    packing: Option<Packing>,
    selected: Vec<usize>,
    codes: Codes,
    options: ReadOptions,
    schema: Schema,
}

impl G2oFile {
    /// Chooses columns; nothing is read, as all files have the same.
    pub(crate) fn open(file: &str, packing: Option<Packing>, options: &ReadOptions) -> Result<Self> {
        let names = NAMES.map(str::to_owned);
        let columns = if options.columns.is_none() { POSE } else { NAMES.len() };
        let selected = options.chosen(file, (columns, Some(&names[..columns])), None)?;
        let codes = Codes::new(file, options, (columns, Some(&names[..columns])), &selected, &Kinds::default())?;
        Ok(Self {
            file: file.to_owned(),
            packing,
            codes,
            options: options.clone(),
            schema: Schema {
                columns: selected.len(),
                names: Some(selected.iter().map(|&c| names[c].clone()).collect()),
                all: vec![],
                person_at: None,
                keys: options.person.as_ref().map(|_| KeyType::Texts),
                like: Like::default(),
            },
            selected,
        })
    }

    /// The records of a piece.
    fn batch(&self, piece: &Piece, wanted: Option<Wanted<'_>>) -> Result<(Table, usize)> {
        let Self { file, options, schema, .. } = self;
        let names = schema.names.clone();
        let mut records = Records::new(file, &self.selected, names, (options, &self.codes), piece.before);
        records = records.of_those(wanted);
        for (line, text) in Lines::new(&piece.text, None, piece.line).filter(|(_, text)| is_record(text)) {
            let vertex = Vertex::parse(text);
            if let Some(label) = &options.person {
                let id = vertex.as_ref().ok().filter(|_| label.trim().eq_ignore_ascii_case("id"));
                records.of_text(id.map(|vertex| vertex.id), Some(line))?;
            }
            match vertex {
                Ok(vertex) => records.push(Some(line), |c| vertex.cell(c, options.decimal_comma))?,
                Err(_) if options.keep_non_finite => records.push_invalid(Some(line))?,
                Err(reason) => {
                    let (file, row) = (file.clone(), records.next_row());
                    return Err(Error::InvalidRecord { file, row, line: Some(line), reason });
                }
            }
        }
        Ok(records.finish())
    }
}

impl Blocks for G2oFile {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn blocks<'a>(&'a self, bytes: Bytes, how: How<'a>) -> Result<Iter<'a>> {
        let stream = utf8(&self.file, bytes.stream(&self.file, self.packing)?, self.options.encoding)?;
        let longest = (!self.options.keep_non_finite).then_some(LONGEST_RECORD);
        let mut cutter = Cutter::new(&self.file, stream, (is_record, longest), 1, (how.size, MOST_RECORDS));
        Ok(Box::new(std::iter::from_fn(move || {
            let piece = cutter.next().transpose()?;
            Some(piece.map(|piece| Block::one(move || self.batch(&piece, how.wanted))))
        })))
    }
}

/// Whether a line is a vertex, or begins with no tag.
fn is_record(line: &[u8]) -> bool {
    let first = words(line).next();
    first.is_some_and(|word| word == TAG || !(word[0].is_ascii_alphabetic() || word[0] == b'#'))
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A vertex as read from the file.
struct Vertex<'a> {
    id: &'a [u8],
    pose: [&'a [u8]; POSE],
}

impl<'a> Vertex<'a> {
    /// The words of a line, or the reason why it is no vertex.
    fn parse(line: &'a [u8]) -> Result<Self, String> {
        // one more than there should be is too many
        let all: Vec<&[u8]> = words(line).take(NAMES.len() + 2).collect();
        match all[..] {
            [tag, id, ref pose @ ..] if tag == TAG && pose.len() == POSE => {
                let mut own: [&[u8]; POSE] = [b""; POSE];
                own.copy_from_slice(pose);
                Ok(Self { id, pose: own })
            }
            [tag, ..] if tag == TAG => Err("it is not `VERTEX_SE3:QUAT id tx ty tz qx qy qz qw`".to_owned()),
            _ => Err("the line begins with no tag, such as VERTEX_SE3:QUAT".to_owned()),
        }
    }

    fn cell(&self, column: usize, decimal_comma: bool) -> Cell {
        number(self.pose.get(column).unwrap_or(&self.id), decimal_comma)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Missing;
    use proptest::prelude::*;

    /// As g2o and GTSAM write them: parameters, vertices, an edge with its information matrix, a fixed vertex.
    const GRAPH: &str = "PARAMS_SE3OFFSET 0 0 0 0 0 0 0 1\r\n# two poses\r\n\r\nVERTEX_SE3:QUAT 0 1 2 3 0 0 0 1\r\n\
                         VERTEX_SE2 7 1 2 0.5\r\n  VERTEX_SE3:QUAT\t17 -1e-3 .5 4   0.5 -0.5 0.5 -0.5 \r\nFIX 0\r\n\
                         EDGE_SE3:QUAT 0 17 1 0 0 0 0 0 1 1 0 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0 0 1 0 1\r\n";

    fn read(text: &str, options: &ReadOptions) -> Result<Table> {
        crate::read_bytes("f.g2o", text.as_bytes().to_vec(), options)
    }

    #[test]
    fn vertices_are_records_and_other_tags_are_not() {
        let table = read(GRAPH, &ReadOptions::default()).unwrap();
        assert_eq!(table.values, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0, -0.001, 0.5, 4.0, 0.5, -0.5, 0.5, -0.5]);
        assert_eq!(table.names.unwrap(), NAMES[..POSE]);
        assert_eq!((table.rows, table.lines), (2, vec![4, 6]));
        let columns = |columns: &str| ReadOptions { columns: Some(columns.to_owned()), ..Default::default() };
        assert_eq!(read(GRAPH, &columns("id,tx")).unwrap().values, [0.0, 1.0, 17.0, -0.001]);
        assert_eq!(read(GRAPH, &columns("1-3")).unwrap().columns, 3);
        let by_id = ReadOptions { person: Some("ID".to_owned()), ..Default::default() };
        let keys = [0, 17].map(crate::Key::Integer);
        assert_eq!(read(GRAPH, &by_id).unwrap().persons, keys);
        let by_name = ReadOptions { person: Some("name".to_owned()), ..Default::default() };
        assert!(matches!(read(GRAPH, &by_name), Err(Error::Nobodys { row: 1, line: Some(4), .. })));
    }

    #[test]
    fn what_is_no_vertex_is_refused_with_its_place() {
        let sentence = |line: &str| read(&format!("{GRAPH}{line}\n"), &ReadOptions::default()).unwrap_err().to_string();
        for (line, reason) in [
            ("VERTEX_SE3:QUAT 2 1 2 3 0 0 0", "it is not `VERTEX_SE3:QUAT id tx ty tz qx qy qz qw`"),
            ("VERTEX_SE3:QUAT 2 1 2 3 0 0 0 1 5", "it is not `VERTEX_SE3:QUAT id tx ty tz qx qy qz qw`"),
            ("VERTEX_SE3:QUAT", "it is not `VERTEX_SE3:QUAT id"),
            ("3 1 2 3 0 0 0 1", "the line begins with no tag"),
            ("\u{0} 1", "the line begins with no tag"),
            ("VERTEX_SE3:QUAT 2 1 x 3 0 0 0 1", "column 2 (ty): `x` is not a number"),
            ("VERTEX_SE3:QUAT 2 1 NA 3 0 0 0 1", "column 2 (ty): the value is missing"),
            ("VERTEX_SE3:QUAT 2 1 2 3 0 0 0 inf", "column 7 (qw)"),
        ] {
            let error = sentence(line);
            assert!(error.contains("record 3 (line 9)") && error.contains(reason), "{line}: {error}");
            let any = ReadOptions { keep_non_finite: true, ..Default::default() };
            assert_eq!(read(&format!("{GRAPH}{line}\n"), &any).unwrap().rows, 3, "{line}");
        }
        for nothing in ["EDGE_SE3:QUAT 0 1\n", "\n"] {
            let error = read(nothing, &ReadOptions::default()).unwrap_err();
            assert!(matches!(error, Error::NoRecords { .. } | Error::Empty { .. }), "{error}");
        }
        assert!(matches!(read("", &ReadOptions::default()), Err(Error::Empty { .. })));
    }

    proptest! {
        #[test]
        fn vertices_are_the_same_however_they_are_cut(
            lines in prop::collection::vec(
                prop::sample::select(vec![
                    "VERTEX_SE3:QUAT 0 1 2 3 0 0 0 1", "EDGE 1 2", "", "#", "5", "VERTEX_SE3:QUAT 1", "FIX 0\r",
                ]),
                0..30,
            ),
            keep_non_finite in any::<bool>(),
        ) {
            let text = lines.join("\n");
            let options = ReadOptions { keep_non_finite, missing: Missing::Keep, ..Default::default() };
            let said = |table: Result<Table>| format!("{table:?}");
            let whole = said(read(&text, &options));
            for block in [1, 7, 40] {
                let stream = crate::Stream::of_bytes("f.g2o", text.clone().into_bytes(), &options);
                let table = stream.and_then(|stream| stream.in_blocks_of(block).collect()).map(|(table, _)| table);
                prop_assert_eq!(said(table), whole.clone());
            }
        }
    }
}
