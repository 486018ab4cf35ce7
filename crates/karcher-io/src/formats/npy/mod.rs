//! NumPy arrays (NPY, format versions 1 to 3).
//!
//! The header is a Python dictionary literal that NumPy always writes in one form; only that form is read. A general
//! parser of Python literals would be recursive, and a hostile header could exhaust the stack.

pub(crate) mod keys;

use crate::dtype::Dtype;
use crate::error::{Error, Result};
use crate::format::Packing;
use crate::formats::blocks::{Block, Blocks, How, Iter, MOST_RECORDS, Schema, Wanted};
use crate::formats::cell::Cell;
use crate::formats::landmarks::like::Like;
use crate::formats::records::{Records, complete};
use crate::memory::{check_unpacked, reserve};
use crate::options::ReadOptions;
use crate::options::codes::Codes;
use crate::options::kinds::Kinds;
use crate::options::person::{Key, KeyType};
use crate::printable::printable;
use crate::source::{Bytes, fill, why};
use crate::table::Table;
use std::io::Read;

/// NumPy's own limit.
pub(crate) const MAX_DIMENSIONS: usize = 64;

/// The longest header that is read, with what stands before it.
const LONGEST_HEADER: usize = 1 << 20;

/// Numbers of each column that are read at a time, if columns are stored one after the other.
const COLUMN: usize = 1 << 12;

/// Storage of an array: a place in a file, or a stream.
pub(crate) trait Stored: Send + Sync {
    /// A stream of the array with its header; `None` where it is the file itself.
    fn stream(&self, file: &str, bytes: &Bytes) -> Result<Option<Box<dyn Read + Send>>>;
}

/// An array that is a file by itself.
pub(crate) struct InFile {
    pub(crate) packing: Option<Packing>,
}

impl Stored for InFile {
    fn stream(&self, file: &str, bytes: &Bytes) -> Result<Option<Box<dyn Read + Send>>> {
        self.packing.map(|packing| bytes.stream(file, Some(packing))).transpose()
    }
}

/// An array whose header was read.
pub(crate) struct Array {
    file: String,
    dtype: Dtype,
    axes: Vec<u64>,
    rows: usize,
    /// Numbers in a record.
    numbers: usize,
    /// Numbers in an entry: 2 of an array of complex ones.
    parts: usize,
    /// If the first index runs fastest, the place of each entry of a record among the columns.
    fortran: Option<Vec<usize>>,
    /// Offset of the first number.
    begin: u64,
    stored: Box<dyn Stored>,
    selected: Vec<usize>,
    keys: Option<Vec<Option<Key>>>,
    codes: Codes,
    options: ReadOptions,
    schema: Schema,
    /// The name of an array in an archive.
    pub(crate) called: Option<String>,
}

impl Array {
    /// Reads the header of the array `file`. The keys of persons are in another array, or in a column.
    pub(crate) fn open(
        file: &str,
        bytes: &Bytes,
        stored: Box<dyn Stored>,
        keys: Option<(KeyType, Vec<Option<Key>>)>,
        options: &ReadOptions,
    ) -> Result<Self> {
        let stream = stored.stream(file, bytes)?;
        let is_packed = stream.is_some();
        let head = read_header(file, stream.unwrap_or_else(|| Box::new(bytes.at(0))))?;
        let Description { dtype, parts, mut shape, fortran_order } = Description::parse(file, &head, options.complex)?;
        let (begin, expected) = (head.len() as u64, shape.len.saturating_mul((dtype.size * parts) as u64));
        match is_packed {
            true => check_unpacked(file, bytes.len(), expected)?,
            false => {
                let found = bytes.len() - begin;
                if expected > found {
                    return Err(Error::Truncated { file: file.to_owned(), expected, found });
                }
                // numpy.load would take the first of several arrays saved one after the other
                if expected < found && shape.len > 0 {
                    return Err(Error::TrailingData { file: file.to_owned(), expected });
                }
            }
        }
        if shape.len == 0 {
            return Err(Error::NoRecords { file: file.to_owned() });
        }
        // their product is the number of numbers, for which the file has bytes
        let (rows, entries) = (shape.axes[0] as usize, (shape.len / shape.axes[0]) as usize);
        let fortran = match fortran_order && entries > 1 {
            true => {
                reserve(file, &mut Vec::<usize>::new(), entries.saturating_mul(2))?;
                Some(to_c_order(&(0..entries).collect::<Vec<_>>(), &shape.axes[1..]))
            }
            false => None,
        };
        let numbers = entries * parts;
        if parts > 1 {
            shape.axes.push(parts as u64);
        }

        let person_at = match &keys {
            Some(_) => None,
            None => options.person_at(file, numbers, None)?,
        };
        let selected = options.chosen(file, (numbers, None), person_at)?;
        let codes = Codes::new(file, options, (numbers, None), &selected, &Kinds::default())?;
        if let Some((_, keys)) = keys.as_ref().filter(|(_, keys)| keys.len() != rows) {
            return Err(Error::KeysAndRecords { file: file.to_owned(), keys: keys.len(), records: rows });
        }
        let key_type = keys.as_ref().map(|(key_type, _)| *key_type).or(person_at.map(|_| KeyType::Numbers));
        let (columns, like) = (selected.len(), Like::default());
        let schema = Schema { columns, names: None, all: vec![], person_at, keys: key_type, like };
        let keys = keys.map(|(_, keys)| keys);
        let (file, options) = (file.to_owned(), options.clone());
        Ok(Self {
            file,
            dtype,
            axes: shape.axes,
            rows,
            numbers,
            parts,
            fortran,
            begin,
            stored,
            selected,
            keys,
            codes,
            options,
            schema,
            called: None,
        })
    }

    /// The records from `first` on that `values` hold.
    fn batch(&self, first: usize, values: Vec<f64>, wanted: Option<Wanted<'_>>) -> Result<(Table, usize)> {
        let (file, rows, person_at) = (&self.file, values.len() / self.numbers, self.schema.person_at);
        let is_all = self.options.columns.is_none() && self.schema.keys.is_none();
        let axes = self.axes().to_vec();
        if is_all && self.options.covariates.is_empty() && self.codes.is_empty() && values.iter().all(|x| x.is_finite())
        {
            // most arrays need no copy
            return Ok((Table { axes, ..complete(file, self.numbers, values, first, &self.options) }, rows));
        }
        let mut records =
            Records::new(file, &self.selected, None, (&self.options, &self.codes), first).of_those(wanted);
        for (i, record) in values.chunks_exact(self.numbers).enumerate() {
            match (&self.keys, person_at) {
                (Some(keys), _) => records.of(keys[first + i].clone(), None)?,
                (None, Some(at)) => records.of(Key::of_number(record[at]), None)?,
                (None, None) => {}
            }
            records.push(None, |c| Cell::Number(record[c]))?;
        }
        let (table, seen) = records.finish();
        Ok((Table { axes, person_at, ..table }, seen))
    }

    /// The numbers of `rows` records from `first` on, in C order.
    fn numbers(&self, bytes: &Bytes, begin: u64, first: usize, rows: usize) -> Result<Vec<f64>> {
        let size = self.dtype.size;
        let range = |number: usize, numbers: usize| {
            let bytes = bytes.range(begin + (number * size) as u64, numbers * size).map_err(|e| why(&self.file, e))?;
            Ok(self.dtype.decode(&bytes))
        };
        let Some(columns) = &self.fortran else { return range(first * self.numbers, rows * self.numbers) };
        let mut values = vec![0.0; rows * self.numbers];
        let parts = self.parts;
        for (at, column) in columns.iter().enumerate() {
            let column = range((column * self.rows + first) * parts, rows * parts)?;
            for (record, entry) in values.chunks_exact_mut(self.numbers).zip(column.chunks_exact(parts)) {
                record[at * parts..][..parts].copy_from_slice(entry);
            }
        }
        Ok(values)
    }
}

impl Blocks for Array {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn places(&self) -> Option<Vec<String>> {
        let name = self.called.as_ref()?;
        Some(self.selected.iter().map(|place| format!("{name}[{place}]")).collect())
    }

    fn axes(&self) -> &[u64] {
        let is_all = self.options.columns.is_none() && self.schema.person_at.is_none();
        if is_all { &self.axes } else { &[] }
    }

    fn blocks<'a>(&'a self, bytes: Bytes, How { size, wanted }: How<'a>) -> Result<Iter<'a>> {
        let record = self.numbers * self.dtype.size;
        let size = if self.fortran.is_some() { size.max(self.numbers * COLUMN.min(size)) } else { size };
        let most = (size / record).clamp(1, MOST_RECORDS);
        let parts = (0..self.rows).step_by(most).map(move |first| (first, most.min(self.rows - first)));
        let placed = |bytes: Bytes, begin| {
            parts.clone().map(move |(first, rows)| {
                let bytes = bytes.clone();
                Ok(Block::one(move || self.batch(first, self.numbers(&bytes, begin, first, rows)?, wanted)))
            })
        };
        let Some(mut stream) = self.stored.stream(&self.file, &bytes)? else {
            return Ok(Box::new(placed(bytes, self.begin)));
        };
        fill(&self.file, &mut stream, &mut vec![0; self.begin as usize])?;
        let expected = (self.rows * record) as u64;
        if self.fortran.is_some() {
            // columns that are unpacked one after the other have to be there together
            let mut data = vec![];
            reserve(&self.file, &mut data, self.rows * record)?;
            data.resize(self.rows * record, 0);
            let found = fill(&self.file, &mut stream, &mut data)? as u64;
            self.check_end(&mut stream, expected, found)?;
            return Ok(Box::new(placed(Bytes::in_memory(data), 0)));
        }
        let mut found = 0;
        Ok(Box::new(parts.map(move |(first, rows)| {
            let mut data = vec![0; rows * record];
            let read = fill(&self.file, &mut stream, &mut data)?;
            found += read as u64;
            if read < data.len() || first + rows == self.rows {
                self.check_end(&mut stream, expected, found)?;
            }
            Ok(Block::one(move || self.batch(first, self.dtype.decode(&data), wanted)))
        })))
    }
}

impl Array {
    /// Refuses a stream that ended too early, or goes on.
    fn check_end(&self, stream: &mut dyn Read, expected: u64, found: u64) -> Result<()> {
        if found < expected {
            return Err(Error::Truncated { file: self.file.clone(), expected, found });
        }
        match fill(&self.file, stream, &mut [0])? {
            0 => Ok(()),
            _ => Err(Error::TrailingData { file: self.file.clone(), expected }),
        }
    }
}

/// The header of an array.
pub(crate) struct Description {
    pub(crate) dtype: Dtype,
    /// Numbers in an entry: 2 of an array of complex ones.
    pub(crate) parts: usize,
    pub(crate) shape: Shape,
    pub(crate) fortran_order: bool,
}

impl Description {
    /// Parses the bytes up to the end of a header, of an array that may be of `complex` numbers.
    pub(crate) fn parse(file: &str, head: &[u8], complex: bool) -> Result<Self> {
        let file = file.to_owned();
        if head.is_empty() {
            return Err(Error::Empty { file });
        }
        let corrupt = |reason: &str| Error::Corrupt { file: file.clone(), format: "NPY", reason: reason.to_owned() };
        let (text, _) = split_header(head).ok_or_else(|| corrupt("its header is incomplete"))?;
        let header = Header::parse(text).ok_or_else(|| corrupt("its header does not describe an array"))?;
        let not_numeric = || Error::NotNumeric { file: file.clone(), kind: describe(header.descr) };
        let (dtype, parts) = match (Dtype::of_complex(header.descr), complex) {
            (Some(dtype), true) => (dtype, 2),
            (Some(_), false) => return Err(Error::Complex { file, dtype: shorten(header.descr) }),
            (None, _) => (Dtype::parse(header.descr).ok_or_else(not_numeric)?, 1),
        };
        let unusable = |reason| Error::UnusableShape { file: file.clone(), shape: shorten(header.shape), reason };
        let shape = Shape::parse(header.shape).map_err(unusable)?;
        Ok(Self { dtype, parts, shape, fortran_order: header.fortran_order })
    }
}

/// The bytes of a file up to the end of its header, or to the end of the file if it ends before.
pub(crate) fn read_header(file: &str, mut stream: impl Read) -> Result<Vec<u8>> {
    let mut head = vec![0; 12];
    let found = fill(file, &mut stream, &mut head)?;
    head.truncate(found);
    let len = match head[..] {
        [_, _, _, _, _, _, 1, _, a, b, ..] => 10 + usize::from(u16::from_le_bytes([a, b])),
        [_, _, _, _, _, _, 2 | 3, _, a, b, c, d] => 12_usize.saturating_add(u32::from_le_bytes([a, b, c, d]) as usize),
        _ => return Ok(head),
    };
    head.truncate(len);
    let begin = head.len();
    head.resize(len.clamp(begin, LONGEST_HEADER), 0);
    let found = fill(file, &mut stream, &mut head[begin..])?;
    head.truncate(begin + found);
    Ok(head)
}

/// The header's text, and what follows it.
pub(crate) fn split_header(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (version, rest) = bytes.strip_prefix(b"\x93NUMPY")?.split_first_chunk::<2>()?;
    let (len, rest) = match version[0] {
        1 => rest.split_first_chunk().map(|(len, rest)| (u16::from_le_bytes(*len) as usize, rest))?,
        2 | 3 => rest.split_first_chunk().map(|(len, rest)| (u32::from_le_bytes(*len) as usize, rest))?,
        _ => return None,
    };
    let (text, data) = rest.split_at_checked(len)?;
    Some((std::str::from_utf8(text).ok()?, data))
}

/// The three entries of `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`, as text.
pub(crate) struct Header<'a> {
    pub(crate) descr: &'a str,
    pub(crate) fortran_order: bool,
    pub(crate) shape: &'a str,
}

impl<'a> Header<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let entry = |key: &str| {
            let after = &text[text.find(&format!("'{key}'"))? + key.len() + 2..];
            after.trim_start().strip_prefix(':').map(str::trim_start)
        };
        let (descr, order, shape) = (entry("descr")?, entry("fortran_order")?, entry("shape")?);
        let fortran_order = match order {
            _ if order.starts_with("True") => true,
            _ if order.starts_with("False") => false,
            _ => return None,
        };
        // A string, or the list that describes a structure.
        let descr = match descr.strip_prefix('\'') {
            Some(string) => string.split_once('\'')?.0,
            None => descr,
        };
        Some(Self { descr, fortran_order, shape: &shape[..shape.find(')')? + 1] })
    }
}

/// An array's axes and their product.
pub(crate) struct Shape {
    pub(crate) axes: Vec<u64>,
    pub(crate) len: u64,
}

impl Shape {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let inside = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).ok_or("it is not a tuple")?;
        let axes = inside.split(',').map(str::trim).filter(|axis| !axis.is_empty());
        let axes: Option<Vec<u64>> = axes.map(|axis| axis.trim_end_matches('L').parse().ok()).collect();
        let axes = axes.ok_or("its axes must be numbers")?;
        if axes.is_empty() {
            return Err("it is a single number");
        }
        if axes.len() > MAX_DIMENSIONS {
            return Err("it has more than 64 axes");
        }
        let len = axes.iter().try_fold(1u64, |len, &axis| len.checked_mul(axis)).ok_or("it is too large")?;
        Ok(Self { axes, len })
    }
}

/// Values stored with the first index running fastest, rearranged so that the last one does.
pub(crate) fn to_c_order<T: Copy>(values: &[T], axes: &[u64]) -> Vec<T> {
    let stored_at = |mut i: usize| {
        let mut stride = values.len();
        let mut at = 0;
        for &axis in axes.iter().rev() {
            stride /= axis as usize;
            at += i % axis as usize * stride;
            i /= axis as usize;
        }
        at
    };
    (0..values.len()).map(|i| values[stored_at(i)]).collect()
}

/// A type in words.
pub(crate) fn describe(descr: &str) -> String {
    let words = match descr.as_bytes() {
        [b'[', ..] => "a structured array".to_owned(),
        [_, b'c', ..] => "complex numbers".to_owned(),
        [_, b'U' | b'S' | b'a', ..] => "strings".to_owned(),
        [_, b'O', ..] => "Python objects".to_owned(),
        [_, b'M' | b'm', ..] => "dates or times".to_owned(),
        _ => "an unknown type".to_owned(),
    };
    format!("{words} (dtype {})", shorten(descr))
}

pub(crate) fn shorten(text: &str) -> String {
    printable(&text.chars().take(60).collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use npyz::WriterBuilder;
    use proptest::prelude::*;

    fn npy(header: &str, data: &[u8]) -> Vec<u8> {
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
    }

    fn array(descr: &str, order: &str, shape: &str, data: &[u8]) -> Result<Table> {
        let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}");
        parse("f.npy", &npy(&header, data))
    }

    /// The oracle: what the npyz crate writes.
    fn written<T: npyz::Serialize + npyz::AutoSerialize>(shape: &[u64], order: npyz::Order, data: Vec<T>) -> Vec<u8> {
        let mut bytes = vec![];
        let mut writer =
            npyz::WriteOptions::new().default_dtype().shape(shape).order(order).writer(&mut bytes).begin_nd().unwrap();
        writer.extend(data).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn every_real_type_is_read() {
        use npyz::Order::C;
        fn check<T: npyz::Serialize + npyz::AutoSerialize>(data: Vec<T>, expected: [f64; 4]) {
            assert_eq!(parse("f.npy", &written(&[2, 2], C, data)).unwrap().values, expected);
        }
        check(vec![0.5f64, -1e300, 5e-324, 3.0], [0.5, -1e300, 5e-324, 3.0]);
        check(vec![0.5f32, -1.0, 2.0, 3.0], [0.5, -1.0, 2.0, 3.0]);
        check(vec![-128i8, 127, 0, 1], [-128.0, 127.0, 0.0, 1.0]);
        check(vec![-300i16, 300, 0, 1], [-300.0, 300.0, 0.0, 1.0]);
        check(vec![-70000i32, 70000, 0, 1], [-70000.0, 70000.0, 0.0, 1.0]);
        check(vec![i64::MIN, 1 << 40, 0, 1], [-(2f64.powi(63)), 2f64.powi(40), 0.0, 1.0]);
        check(vec![255u8, 1, 2, 3], [255.0, 1.0, 2.0, 3.0]);
        check(vec![65535u16, 1, 2, 3], [65535.0, 1.0, 2.0, 3.0]);
        check(vec![u32::MAX, 1, 2, 3], [4294967295.0, 1.0, 2.0, 3.0]);
        check(vec![1u64 << 63, 1, 2, 3], [2f64.powi(63), 1.0, 2.0, 3.0]);
        check(vec![true, false, false, true], [1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn half_precision_agrees_with_its_definition() {
        let halves = [0x3c00u16, 0xc000, 0x7bff, 0x0001, 0x3555, 0x8000];
        let data: Vec<u8> = halves.iter().flat_map(|h| h.to_le_bytes()).collect();
        let values = array("'<f2'", "False", "(6,)", &data).unwrap().values;
        assert_eq!(values, [1.0, -2.0, 65504.0, 2f64.powi(-24), 0.333251953125, 0.0]);
    }

    #[test]
    fn big_endian_numbers_are_read() {
        let data: Vec<u8> = [1.5f64, -2.0].iter().flat_map(|x| x.to_be_bytes()).collect();
        assert_eq!(array("'>f8'", "False", "(2,)", &data).unwrap().values, [1.5, -2.0]);
        assert_eq!(array("'>i2'", "False", "(1,)", &[1, 2]).unwrap().values, [258.0]);
    }

    #[test]
    fn first_axis_counts_records_and_the_others_are_flattened() {
        let table = parse("f.npy", &written(&[2, 3, 2], npyz::Order::C, (0..12i32).collect())).unwrap();
        assert_eq!((table.rows, table.columns), (2, 6));
        let table = parse("f.npy", &written(&[4], npyz::Order::C, (0..4i32).collect())).unwrap();
        assert_eq!((table.rows, table.columns), (4, 1));
    }

    #[test]
    fn arrays_that_are_not_real_numbers_are_refused() {
        let error = array("'<c16'", "False", "(1,)", &[0; 16]).unwrap_err().to_string();
        let expected = "f.npy holds complex numbers (dtype <c16): only hpd-log-euclidean:K and hpd-affine-invariant:K \
                        take them, in the layout interleaved; for other spaces write real numbers";
        assert_eq!(error, expected);
        for descr in ["'<U4'", "'|S4'", "'|O'", "'<M8[ns]'", "'<f16'", "'é'", "''", "[('x', '<f8')]"] {
            assert!(matches!(array(descr, "False", "(1,)", &[0; 16]), Err(Error::NotNumeric { .. })), "{descr}");
        }
    }

    /// The bytes are those that NumPy 2.3 writes of `x = np.array([[1+2j, 3-4j], [0.5j, -1]])`, with
    /// `np.asfortranarray(x)` for the other order, `x.astype("<c8")` and `x.astype(">c16")`.
    #[test]
    fn complex_numbers_are_pairs_of_parts_where_they_are_taken() {
        let expected = [1.0, 2.0, 3.0, -4.0, 0.0, 0.5, -1.0, 0.0];
        let columns = [1.0, 2.0, 0.0, 0.5, 3.0, -4.0, -1.0, 0.0];
        let bytes = |numbers: [f64; 8], put: &dyn Fn(f64) -> Vec<u8>| numbers.iter().flat_map(|x| put(*x)).collect();
        let cases: [(&str, &str, Vec<u8>); 4] = [
            ("'<c16'", "False", bytes(expected, &|x| x.to_le_bytes().to_vec())),
            ("'<c16'", "True", bytes(columns, &|x| x.to_le_bytes().to_vec())),
            ("'<c8'", "False", bytes(expected, &|x| (x as f32).to_le_bytes().to_vec())),
            ("'>c16'", "False", bytes(expected, &|x| x.to_be_bytes().to_vec())),
        ];
        for (descr, order, data) in cases {
            let header = format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': (2, 2), }}");
            let options = ReadOptions { complex: true, ..Default::default() };
            let table = crate::read_bytes("f.npy", npy(&header, &data), &options).unwrap();
            assert_eq!((table.rows, table.columns, table.values), (2, 4, expected.to_vec()), "{descr} {order}");
            assert_eq!(table.axes, [2, 2, 2]);
            let cut = crate::read_bytes("f.npy", npy(&header, &data[1..]), &options);
            assert!(matches!(cut, Err(Error::Truncated { .. })));
        }
        assert!(matches!(array("'<c32'", "False", "(1,)", &[0; 32]), Err(Error::NotNumeric { .. })));
    }

    #[test]
    fn claimed_sizes_are_checked_against_the_data() {
        let error = array("'<f8'", "False", "(1000000, 1000000)", &[0; 16]).unwrap_err().to_string();
        assert_eq!(
            error,
            "f.npy is truncated: its header promises 8000000000000 bytes of data, found 16; copy or write the file \
             again"
        );
    }

    #[test]
    fn several_arrays_in_one_file_are_refused() {
        let one = written(&[2], npyz::Order::C, vec![1.0f64, 2.0]);
        let error = parse("f.npy", &[&one[..], &one].concat()).unwrap_err().to_string();
        let expected = "f.npy has more than the 16 bytes of data that its header promises";
        assert!(error.starts_with(expected), "{error}");
    }

    #[test]
    fn overflowing_shapes_are_refused() {
        let error = array("'<f8'", "False", "(4294967296, 4294967296, 4294967296)", &[0; 16]).unwrap_err();
        assert!(error.to_string().ends_with("is no list of records: it is too large"), "{error}");
        let claims_more_bytes_than_u64 = array("'<f8'", "False", "(18446744073709551615,)", &[0; 16]);
        assert!(matches!(claims_more_bytes_than_u64, Err(Error::Truncated { .. })));
    }

    #[test]
    fn shapes_that_are_no_records_are_refused() {
        for shape in ["()", "(-1,)", "(x,)", "3)", "(1.5,)"] {
            assert!(matches!(array("'<f8'", "False", shape, &[0; 16]), Err(Error::UnusableShape { .. })), "{shape}");
        }
        for shape in ["(0,)", "(0, 3)", "(3, 0)"] {
            assert!(matches!(array("'<f8'", "False", shape, &[0; 16]), Err(Error::NoRecords { .. })), "{shape}");
        }
    }

    #[test]
    fn broken_headers_are_refused() {
        let whole = written(&[2], npyz::Order::C, vec![1.0f64, 2.0]);
        for end in 0..whole.len() {
            assert!(parse("f.npy", &whole[..end]).is_err(), "cut after {end} bytes");
        }
        for header in ["", "{", "{}", "{'descr': '<f8", "{'descr': '<f8', 'fortran_order': 1, 'shape': (1,)}"] {
            assert!(matches!(parse("f.npy", &npy(header, &[0; 8])), Err(Error::Corrupt { .. })), "{header}");
        }
    }

    fn parse(file: &str, bytes: &[u8]) -> Result<Table> {
        crate::read_bytes(file, bytes.to_vec(), &ReadOptions::default())
    }

    proptest! {
        #[test]
        fn fortran_order_is_the_transpose(a in 1usize..5, b in 1usize..5, c in 1usize..5) {
            let value = |i: usize, j: usize, k: usize| (100 * i + 10 * j + k) as f64;
            let mut stored = vec![];
            for k in 0..c { for j in 0..b { for i in 0..a { stored.push(value(i, j, k)) } } }
            let table = parse("f.npy", &written(&[a as u64, b as u64, c as u64], npyz::Order::Fortran, stored)).unwrap();
            prop_assert_eq!((table.rows, table.columns), (a, b * c));
            for (i, record) in table.records().enumerate() {
                for j in 0..b { for k in 0..c { prop_assert_eq!(record[j * c + k], value(i, j, k)) } }
            }
        }
    }
}
