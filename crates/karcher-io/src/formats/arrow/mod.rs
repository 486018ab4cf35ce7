//! Arrow files and streams (Feather version 2), and what they share with Parquet: columns of numbers in batches.

pub(crate) mod lists;
pub(crate) mod sizes;

use crate::error::{Error, Result};
use crate::format::Packing;
use crate::formats::arrow::lists::{First, Lists, Width, flat, is_nested, width};
use crate::formats::arrow::sizes::MAGIC;
use crate::formats::blocks::{Batches, Block, Blocks, How, Iter, MOST_RECORDS, Schema, Wanted};
use crate::formats::cell::Cell;
use crate::formats::records::{Records, complete};
use crate::memory::{check_unpacked, reserve};
use crate::options::ReadOptions;
use crate::options::codes::Codes;
use crate::options::dates::{year_of_number, years};
use crate::options::kinds::{Kind, Kinds};
use crate::options::person::{Key, KeyType};
use crate::source::{At, Bytes};
use crate::table::{Table, column_label};
use arrow_array::cast::AsArray;
use arrow_array::new_empty_array;
use arrow_array::types::*;
use arrow_array::{AnyDictionaryArray, Array, ArrowPrimitiveType, GenericListArray, OffsetSizeTrait, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Fields, TimeUnit};
use std::borrow::Cow;
use std::io::BufReader;

/// Batches as a reader gives them.
type Reader = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// A file or stream whose schema was read.
pub(crate) struct ArrowFile {
    packing: Option<Packing>,
    columns: Columns,
}

impl ArrowFile {
    pub(crate) fn open(file: &str, bytes: &Bytes, packing: Option<Packing>, options: &ReadOptions) -> Result<Self> {
        let bytes = &bytes.unpacked(file, packing)?;
        if bytes.len() == 0 {
            return Err(Error::Empty { file: file.to_owned() });
        }
        crate::formats::arrow::sizes::check(file, bytes)?;
        let reader = reader(bytes);
        let schema = match is_stream(bytes) {
            true => StreamReader::try_new(reader, None).map(|reader| reader.schema()),
            false => FileReader::try_new(reader, None).map(|reader| reader.schema()),
        };
        let first = |field: usize| {
            for batch in batches(bytes, vec![field]).map_err(|e| corrupt(file, e))? {
                if let Some(first) = First::of(batch.map_err(|e| corrupt(file, e))?.column(0)) {
                    return Ok(Some(first));
                }
            }
            Ok(None)
        };
        let columns = Columns::new(file, schema.map_err(|e| corrupt(file, e))?.fields(), &first, options)?;
        Ok(Self { packing, columns })
    }
}

impl Blocks for ArrowFile {
    fn schema(&self) -> &Schema {
        &self.columns.schema
    }

    fn axes(&self) -> &[u64] {
        &self.columns.axes
    }

    fn blocks<'a>(&'a self, bytes: Bytes, how: How<'a>) -> Result<Iter<'a>> {
        let (file, columns) = (&self.columns.file, &self.columns);
        let bytes = bytes.unpacked(file, self.packing)?;
        let mut rows = 0_usize;
        Ok(Box::new(batches(&bytes, columns.read.clone()).map_err(|e| corrupt(file, e))?.map(move |batch| {
            let batch = batch.map_err(|e| corrupt(file, e))?;
            let before = rows;
            rows = rows.saturating_add(batch.num_rows());
            check_unpacked(file, bytes.len(), (rows as u64).saturating_mul(8 * columns.selected.len() as u64))?;
            let decode = move || {
                let parts = (0..batch.num_rows()).step_by(MOST_RECORDS).map(move |first| {
                    let part = batch.slice(first, MOST_RECORDS.min(batch.num_rows() - first));
                    columns.batch(before + first, &part, how.wanted)
                });
                Ok(Box::new(parts) as Batches<'a>)
            };
            Ok(Block { batches: (rows - before).div_ceil(MOST_RECORDS) as u64, decode: Box::new(decode) })
        })))
    }
}

/// The batches of some fields.
fn batches(bytes: &Bytes, fields: Vec<usize>) -> Result<Reader, ArrowError> {
    match is_stream(bytes) {
        true => StreamReader::try_new(reader(bytes), Some(fields)).map(|reader| Box::new(reader) as Reader),
        false => FileReader::try_new(reader(bytes), Some(fields)).map(|reader| Box::new(reader) as Reader),
    }
}

fn reader(bytes: &Bytes) -> BufReader<At> {
    BufReader::with_capacity(1 << 16, bytes.at(0))
}

fn is_stream(bytes: &Bytes) -> bool {
    bytes.range(0, MAGIC.len()).is_ok_and(|begin| begin != MAGIC) || bytes.len() < MAGIC.len() as u64
}

fn corrupt(file: &str, e: ArrowError) -> Error {
    Error::Corrupt { file: file.to_owned(), format: "Arrow", reason: e.to_string() }
}

/// The columns of a file that are read. A field of lists of one length is as many columns, `x[0]`, `x[1]`, …. If the
/// file does not give their length, the record's length does, if known; else the first list.
pub(crate) struct Columns {
    pub(crate) file: String,
    options: ReadOptions,
    names: Vec<String>,
    /// The field that each column is in, and its place there.
    places: Vec<(usize, usize)>,
    /// Length of the lists of each field, if it holds lists whose length the file does not give.
    lists: Vec<Option<usize>>,
    codes: Codes,
    /// In the order in which they were chosen.
    pub(crate) selected: Vec<usize>,
    /// The fields that are read, in the order of the file, each once.
    pub(crate) read: Vec<usize>,
    kinds: Kinds,
    /// The fields whose cells may be dates, in the order of the file.
    dates: Vec<usize>,
    /// The axes of lists of lists, where a record is one; how many there are of them is not known, so the first is 0.
    pub(crate) axes: Vec<u64>,
    pub(crate) schema: Schema,
}

/// Whether all columns of one field are selected, in their order.
fn is_whole(places: &[(usize, usize)], selected: &[usize]) -> bool {
    let field = selected.first().map(|&c| places[c].0);
    let of_field = (0..places.len()).filter(|&c| Some(places[c].0) == field);
    of_field.eq(selected.iter().copied())
}

impl Columns {
    /// Chooses columns before any record is read. Only if nothing else gives the length of lists, the `first` list of a
    /// field is read. It also gives the axes of lists of lists, unless records may be anything.
    pub(crate) fn new(
        file: &str,
        fields: &Fields,
        first: &dyn Fn(usize) -> Result<Option<First>>,
        options: &ReadOptions,
    ) -> Result<Self> {
        let (mut names, mut places, mut lists) = (vec![], vec![], vec![]);
        let known = known_len(fields, options)?;
        for (at, field) in fields.iter().enumerate() {
            let (width, list) = match width(field.data_type()) {
                Width::One => (None, None),
                Width::Lists(len) => (Some(len), None),
                Width::Any => {
                    let len = match known {
                        Some(len) => len,
                        None => first(at)?.map_or(1, |first| first.len),
                    };
                    (Some(len), Some(len))
                }
            };
            lists.push(list);
            reserve(file, &mut names, width.unwrap_or(1))?;
            for i in 0..width.unwrap_or(1) {
                names.push(width.map_or_else(|| field.name().clone(), |_| format!("{}[{i}]", field.name())));
                places.push((at, i));
            }
        }
        let person_at = options.person_at(file, names.len(), Some(&names))?;
        let selected = options.chosen(file, (names.len(), Some(&names)), person_at)?;
        let kinds = Kinds::new(file, options, (names.len(), Some(&names)), &selected)?;
        if selected.is_empty() {
            return Err(Error::NoRecords { file: file.to_owned() });
        }
        let mut read: Vec<usize> = selected.iter().chain(&person_at).map(|&c| places[c].0).collect();
        read.sort_unstable();
        read.dedup();
        let schema = Schema {
            columns: selected.len(),
            names: Some(selected.iter().map(|&c| names[c].clone()).collect()),
            person_at,
            keys: None,
        };
        let axes = match &selected[..selected.len() - options.covariates.len()] {
            _ if options.keep_non_finite || person_at.is_some_and(|at| selected.contains(&at)) => vec![],
            record @ [c, ..] if is_nested(fields[places[*c].0].data_type()) && is_whole(&places, record) => {
                let axes = first(places[*c].0)?.map_or_else(Vec::new, |first| first.axes);
                [0].into_iter().chain(axes.into_iter().map(|n| n as u64)).collect()
            }
            _ => vec![],
        };
        let codes = Codes::new(file, options, (names.len(), Some(&names)), &selected, &kinds)?;
        let mut dates: Vec<usize> = kinds.columns(Kind::Dates).map(|c| places[c].0).collect();
        dates.dedup();
        let (file, options) = (file.to_owned(), options.clone());
        let mut columns =
            Self { file, options, names, places, lists, codes, selected, read, kinds, dates, axes, schema };
        let nothing = |c: usize| new_empty_array(fields[columns.places[c].0].data_type());
        columns.selected.iter().try_for_each(|&c| columns.cells(c, &nothing(c)).map(drop))?;
        if let Some(c) = person_at {
            let nothing = nothing(c);
            columns.keys(c, &nothing)?;
            let values = match nothing.data_type() {
                DataType::Dictionary(_, values) => values,
                other => other,
            };
            columns.schema.keys = Some(if values.is_integer() { KeyType::Integers } else { KeyType::Texts });
        }
        Ok(columns)
    }

    fn keys(&self, column: usize, array: &dyn Array) -> Result<Vec<Option<Key>>> {
        keys(array).map_err(|kind| Error::NoKeys { file: self.label(column), kind: kind.to_owned() })
    }

    fn cells(&self, column: usize, array: &dyn Array) -> Result<Lists> {
        let (field, _) = self.places[column];
        let (leaves, rows) = match self.lists[field] {
            Some(len) => {
                let (leaves, ends) = flat(array);
                (Some(leaves), Some(Lists::rows(array, &ends, len)))
            }
            None => (None, None),
        };
        let kind = self.kinds.of(column);
        let mut cells = cells(leaves.as_deref().unwrap_or(array), kind).map_err(|found| {
            let (file, found) = (self.label(column), found.to_owned());
            match kind {
                Kind::Levels => Error::NoLevels { file, kind: found },
                Kind::Numbers | Kind::Dates => Error::NotNumeric { file, kind: found },
            }
        })?;
        if kind == Kind::Dates && !self.options.eight_digits_are_numbers {
            for cell in &mut cells {
                if let Cell::Number(x) = cell {
                    *x = year_of_number(*x).unwrap_or(*x);
                }
            }
        }
        Ok(Lists { cells, rows })
    }

    fn label(&self, column: usize) -> String {
        format!("{}, column {},", self.file, column_label(column, Some(&self.names[column])))
    }

    /// Position of a column in a batch: the array of its field, its place there, and the places of a record there.
    fn place<'a>(&self, batch: &'a RecordBatch, column: usize) -> Option<(usize, &'a dyn Array, usize, usize)> {
        let (field, place) = self.places[column];
        let at = self.read.binary_search(&field).ok()?;
        let array = &**batch.columns().get(at)?;
        let width = match width(array.data_type()) {
            Width::Lists(len) => len,
            _ => self.lists[field].unwrap_or(1),
        };
        Some((at, array, place, width))
    }

    /// The records of a batch of the fields [`read`](Columns::read), after as many as stand `before`.
    pub(crate) fn batch(
        &self,
        before: usize,
        batch: &RecordBatch,
        wanted: Option<Wanted<'_>>,
    ) -> Result<(Table, usize)> {
        let (rows, person_at) = (batch.num_rows(), self.schema.person_at);
        let mut numbers = self.interleaved(batch)?;
        if person_at.is_none()
            && let Some(values) = numbers.take()
        {
            let table = complete(&self.file, self.selected.len(), values, before, &self.options);
            return Ok((Table { names: self.schema.names.clone(), ..table }, rows));
        }
        let mut persons = match person_at.and_then(|c| Some((c, self.place(batch, c)?))) {
            Some((c, (_, array, ..))) => self.keys(c, array)?,
            None => vec![],
        };
        // of each field as numbers, as dates and as levels
        let part = |at: usize, c: usize| at * Kind::ALL + self.kinds.of(c) as usize;
        let mut parts: Vec<Option<Lists>> = vec![None; batch.num_columns() * Kind::ALL];
        for &c in self.selected.iter().filter(|_| numbers.is_none()) {
            if let Some((at, array, ..)) = self.place(batch, c).filter(|(at, ..)| parts[part(*at, c)].is_none()) {
                parts[part(at, c)] = Some(self.cells(c, array)?);
            }
        }
        let names = self.schema.names.clone();
        let mut records = Records::new(&self.file, &self.selected, names, (&self.options, &self.codes), before);
        records = records.of_those(wanted);
        for row in 0..rows {
            if person_at.is_some() {
                records.of(persons.get_mut(row).and_then(Option::take), None)?;
            }
            let cell = |c| {
                let (at, _, place, width) = self.place(batch, c)?;
                parts[part(at, c)].as_ref()?.cell(row, place, width)
            };
            match &numbers {
                None => records.push(None, |c| cell(c).unwrap_or(Cell::Missing))?,
                Some(numbers) => {
                    let mut record = numbers[row * self.selected.len()..].iter();
                    records.push(None, |_| record.next().map_or(Cell::Missing, |x| Cell::Number(*x)))?;
                }
            }
        }
        let (table, seen) = records.finish();
        Ok((Table { person_at, ..table }, seen))
    }

    /// The numbers of a batch, if its columns are floats that are there and finite.
    fn interleaved(&self, batch: &RecordBatch) -> Result<Option<Vec<f64>>> {
        if !self.codes.is_empty() {
            return Ok(None);
        }
        let is_date = |x: &f64| !self.options.eight_digits_are_numbers && year_of_number(*x).is_some();
        let mut fields = Vec::with_capacity(batch.num_columns());
        for (field, array) in self.read.iter().zip(batch.columns()) {
            fields.push(match self.lists[*field] {
                Some(len) => floats_of_lists(array, len),
                None => floats(array),
            });
        }
        for (field, numbers) in self.read.iter().zip(&mut fields) {
            if self.dates.binary_search(field).is_ok()
                && numbers.as_ref().is_some_and(|numbers| numbers.iter().any(is_date))
            {
                *numbers = None;
            }
        }
        let is_finite = |column: &[f64]| column.iter().fold(true, |all, x| all & x.is_finite());
        let is_finite: Vec<bool> = fields.iter().map(|field| field.as_deref().is_some_and(is_finite)).collect();
        let column = |&c: &usize| {
            let (at, _, place, width) = self.place(batch, c).filter(|(at, ..)| is_finite[*at])?;
            Some((fields[at].as_deref()?, place, width))
        };
        let Some(columns) = self.selected.iter().map(column).collect::<Option<Vec<_>>>() else { return Ok(None) };
        let (rows, mut values) = (batch.num_rows(), vec![]);
        reserve(&self.file, &mut values, rows.saturating_mul(columns.len()))?;
        for first in (0..rows).step_by(PART) {
            let (begin, last) = (values.len(), rows.min(first + PART));
            values.resize(begin + (last - first) * columns.len(), 0.0);
            for (c, (numbers, place, width)) in columns.iter().enumerate() {
                let places = values[begin + c..].iter_mut().step_by(columns.len());
                let numbers = numbers[first * width + place..].iter().step_by(*width);
                places.zip(numbers).for_each(|(place, x)| *place = *x);
            }
        }
        Ok(Some(values))
    }
}

/// Records that are assembled at a time, so that the output stays in the cache.
const PART: usize = 512;

/// Length of the lists whose length the fields do not give, if it follows from the length of a record.
fn known_len(fields: &Fields, options: &ReadOptions) -> Result<Option<usize>> {
    let Some(numbers) = options.record_len else { return Ok(None) };
    let width_of = |name: &str| match fields.find(name).map(|(_, field)| width(field.data_type())) {
        Some(Width::Any) => None,
        Some(Width::Lists(len)) => Some(len),
        _ => Some(1),
    };
    // without a choice of columns the covariates are among those that are counted
    let (numbers, (known, unknown)) = match options.selection()? {
        Some(selection) => (numbers, selection.known(width_of)),
        None => {
            let is_key = |name: &str| options.person.as_deref() == Some(name);
            let widths = fields.iter().filter(|field| !is_key(field.name())).map(|field| width_of(field.name()));
            let counts = widths.fold((0, 0), |(known, unknown), width| match width {
                Some(width) => (width.saturating_add(known), unknown),
                None => (known, unknown + 1),
            });
            (numbers.saturating_add(options.covariates.len()), counts)
        }
    };
    let left = numbers.checked_sub(known).filter(|left| unknown > 0 && *left > 0 && left % unknown == 0);
    Ok(left.map(|left| left / unknown))
}

/// The numbers of a column of floats or integers without nulls.
fn floats(column: &dyn Array) -> Option<Cow<'_, [f64]>> {
    macro_rules! numbers {
        ($kind:ty, $number:expr) => {
            Some(column.as_primitive::<$kind>().values().iter().map(|&x| $number(x)).collect())
        };
    }
    if column.null_count() > 0 {
        return None;
    }
    match column.data_type() {
        DataType::Float64 => Some(Cow::Borrowed(column.as_primitive::<Float64Type>().values())),
        DataType::Float32 => numbers!(Float32Type, f64::from),
        DataType::Int8 => numbers!(Int8Type, f64::from),
        DataType::Int16 => numbers!(Int16Type, f64::from),
        DataType::Int32 => numbers!(Int32Type, f64::from),
        DataType::Int64 => numbers!(Int64Type, |x| x as f64),
        DataType::UInt8 => numbers!(UInt8Type, f64::from),
        DataType::UInt16 => numbers!(UInt16Type, f64::from),
        DataType::UInt32 => numbers!(UInt32Type, f64::from),
        DataType::UInt64 => numbers!(UInt64Type, |x| x as f64),
        DataType::FixedSizeList(..) => floats(column.as_fixed_size_list().values()),
        _ => None,
    }
}

/// The numbers in lists that are all there, `len` in each.
fn floats_of_lists(column: &dyn Array, len: usize) -> Option<Cow<'_, [f64]>> {
    fn all<O: OffsetSizeTrait>(lists: &GenericListArray<O>, len: usize) -> Option<Cow<'_, [f64]>> {
        let offsets = lists.offsets();
        let (first, last) = (offsets.first()?.as_usize(), offsets.last()?.as_usize());
        if lists.null_count() > 0 || offsets.windows(2).any(|ends| ends[1].as_usize() - ends[0].as_usize() != len) {
            return None;
        }
        Some(match floats(lists.values())? {
            Cow::Borrowed(numbers) => Cow::Borrowed(numbers.get(first..last)?),
            Cow::Owned(numbers) => Cow::Owned(numbers.get(first..last)?.to_vec()),
        })
    }
    match column.data_type() {
        DataType::List(item) if !item.data_type().is_nested() => all(column.as_list::<i32>(), len),
        DataType::LargeList(item) if !item.data_type().is_nested() => all(column.as_list::<i64>(), len),
        _ => None,
    }
}

/// The keys of persons in a column, or the type that it holds instead.
fn keys(column: &dyn Array) -> Result<Vec<Option<Key>>, &'static str> {
    macro_rules! integers {
        ($kind:ty) => {
            Ok(column.as_primitive::<$kind>().iter().map(|x| x.map(|x| Key::Integer(x.into()))).collect())
        };
    }
    let text = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(|text| Key::Text(text.to_owned()));
    match column.data_type() {
        DataType::Int8 => integers!(Int8Type),
        DataType::Int16 => integers!(Int16Type),
        DataType::Int32 => integers!(Int32Type),
        DataType::Int64 => integers!(Int64Type),
        DataType::UInt8 => integers!(UInt8Type),
        DataType::UInt16 => integers!(UInt16Type),
        DataType::UInt32 => integers!(UInt32Type),
        DataType::UInt64 => integers!(UInt64Type),
        DataType::Utf8 => Ok(column.as_string::<i32>().iter().map(text).collect()),
        DataType::LargeUtf8 => Ok(column.as_string::<i64>().iter().map(text).collect()),
        DataType::Utf8View => Ok(column.as_string_view().iter().map(text).collect()),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let values = keys(&**dictionary.values())?;
            let places = places(dictionary).into_iter().enumerate();
            let key = |(row, place): (usize, usize)| match dictionary.keys().is_null(row) {
                true => None,
                false => values.get(place).cloned().flatten(),
            };
            Ok(places.map(key).collect())
        }
        DataType::Null => Err("nothing"),
        DataType::Boolean => Err("booleans"),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Err("floats"),
        _ => Err("something else"),
    }
}

/// The numbers in a column, or the type that it holds instead.
fn cells(column: &dyn Array, kind: Kind) -> Result<Vec<Cell>, &'static str> {
    macro_rules! numbers {
        ($kind:ty, $number:expr) => {{
            let cell = |x: Option<<$kind as ArrowPrimitiveType>::Native>| {
                x.map_or(Cell::Missing, |x| Cell::Number($number(x)))
            };
            Ok(column.as_primitive::<$kind>().iter().map(cell).collect())
        }};
    }
    let (number, may_be_dates) = (Cell::Number, kind == Kind::Dates);
    let power = |scale: i8| 10f64.powi(scale.into());
    Ok(match column.data_type() {
        DataType::Null => vec![Cell::Missing; column.len()],
        DataType::Boolean => {
            column.as_boolean().iter().map(|x| x.map_or(Cell::Missing, |x| number(f64::from(x)))).collect()
        }
        DataType::Int8 => return numbers!(Int8Type, f64::from),
        DataType::Int16 => return numbers!(Int16Type, f64::from),
        DataType::Int32 => return numbers!(Int32Type, f64::from),
        DataType::Int64 => return numbers!(Int64Type, |x| x as f64),
        DataType::UInt8 => return numbers!(UInt8Type, f64::from),
        DataType::UInt16 => return numbers!(UInt16Type, f64::from),
        DataType::UInt32 => return numbers!(UInt32Type, f64::from),
        DataType::UInt64 => return numbers!(UInt64Type, |x| x as f64),
        DataType::Float16 => return numbers!(Float16Type, f64::from),
        DataType::Float32 => return numbers!(Float32Type, f64::from),
        DataType::Float64 => return numbers!(Float64Type, f64::from),
        DataType::Decimal32(_, scale) => return numbers!(Decimal32Type, |x| f64::from(x) / power(*scale)),
        DataType::Decimal64(_, scale) => return numbers!(Decimal64Type, |x| x as f64 / power(*scale)),
        DataType::Decimal128(_, scale) => return numbers!(Decimal128Type, |x| x as f64 / power(*scale)),
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            let values = cells(&**dictionary.values(), kind)?;
            let keys = places(dictionary);
            let cell = |(row, key): (usize, usize)| match dictionary.keys().is_null(row) {
                true => Cell::Missing,
                false => values.get(key).cloned().unwrap_or(Cell::Missing),
            };
            keys.into_iter().enumerate().map(cell).collect()
        }
        DataType::Date32 if may_be_dates => {
            dates(column, |c, row| c.as_primitive::<Date32Type>().value_as_datetime(row))
        }
        DataType::Date64 if may_be_dates => {
            dates(column, |c, row| c.as_primitive::<Date64Type>().value_as_datetime(row))
        }
        DataType::Timestamp(unit, _) if may_be_dates => match unit {
            TimeUnit::Second => dates(column, |c, row| c.as_primitive::<TimestampSecondType>().value_as_datetime(row)),
            TimeUnit::Millisecond => {
                dates(column, |c, row| c.as_primitive::<TimestampMillisecondType>().value_as_datetime(row))
            }
            TimeUnit::Microsecond => {
                dates(column, |c, row| c.as_primitive::<TimestampMicrosecondType>().value_as_datetime(row))
            }
            TimeUnit::Nanosecond => {
                dates(column, |c, row| c.as_primitive::<TimestampNanosecondType>().value_as_datetime(row))
            }
        },
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if kind == Kind::Numbers => return Err("strings"),
        DataType::Utf8 => texts(column.as_string::<i32>().iter(), kind),
        DataType::LargeUtf8 => texts(column.as_string::<i64>().iter(), kind),
        DataType::Utf8View => texts(column.as_string_view().iter(), kind),
        _ if kind == Kind::Levels && column.data_type().is_binary() => return Err("bytes"),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            return Err("strings");
        }
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => return Err("dates or times"),
        DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) | DataType::Interval(_) => {
            return Err("dates or times");
        }
        DataType::Decimal256(..) => return Err("decimals of more than 128 bits"),
        DataType::FixedSizeList(..) if let Width::Lists(len) = width(column.data_type()) => {
            let lists = column.as_fixed_size_list();
            let mut within = cells(lists.values(), kind)?;
            let nulls = (0..column.len()).filter(|&row| column.is_null(row));
            nulls.for_each(|row| within[row * len..(row + 1) * len].fill(Cell::Missing));
            within
        }
        _ => return Err("nested values"),
    })
}

fn dates(column: &dyn Array, moment: impl Fn(&dyn Array, usize) -> Option<chrono::NaiveDateTime>) -> Vec<Cell> {
    let cell = |row| match column.is_null(row) {
        true => Cell::Missing,
        false => {
            moment(column, row).map_or(Cell::NotANumber("a date out of range".to_owned()), |m| Cell::Number(years(m)))
        }
    };
    (0..column.len()).map(cell).collect()
}

/// The places in a dictionary of the values of a column; of none where the dictionary is empty, as all are null then.
fn places(dictionary: &dyn AnyDictionaryArray) -> Vec<usize> {
    if dictionary.values().is_empty() { vec![0; dictionary.len()] } else { dictionary.normalized_keys() }
}

/// Texts of levels, or of numbers and dates.
fn texts<'a>(column: impl Iterator<Item = Option<&'a str>>, kind: Kind) -> Vec<Cell> {
    let number = |text: &str| match kind {
        Kind::Levels => None,
        Kind::Numbers | Kind::Dates => text.trim().parse().ok().or_else(|| crate::decimal_year(text)),
    };
    let cell = |text: &str| number(text).map_or_else(|| Cell::NotANumber(text.to_owned()), Cell::Number);
    column.map(|text| text.map_or(Cell::Missing, cell)).collect()
}

#[cfg(test)]
mod tests;
