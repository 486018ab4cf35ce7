//! Arrow files and streams (Feather version 2), and what they share with Parquet: columns of numbers in batches.

pub(crate) mod lists;
pub(crate) mod sizes;

use crate::error::{Error, Result};
use crate::format::Packing;
use crate::formats::arrow::lists::{First, Lists, Width, flat, is_nested, width};
use crate::formats::arrow::sizes::MAGIC;
use crate::formats::blocks::{Batches, Block, Blocks, How, Iter, MOST_RECORDS, Schema, Wanted};
use crate::formats::cell::Cell;
use crate::formats::landmarks::like::Like;
use crate::formats::records::{Records, complete};
use crate::memory::{check_unpacked, reserve};
use crate::metadata;
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
use arrow_schema::{ArrowError, DataType, Fields, Schema as ArrowSchema, TimeUnit};
use chrono::NaiveDateTime;
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
        let columns = Columns::new(file, &*schema.map_err(|e| corrupt(file, e))?, &first, options)?;
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

    fn described(&self) -> Option<&[String]> {
        self.columns.described.as_deref()
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
    /// The names of the columns that are read with what metadata say of them, where they do.
    pub(crate) described: Option<Vec<String>>,
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
        of: &ArrowSchema,
        first: &dyn Fn(usize) -> Result<Option<First>>,
        options: &ReadOptions,
    ) -> Result<Self> {
        let fields = of.fields();
        let (mut names, mut places, mut lists, mut described) = (vec![], vec![], vec![], vec![]);
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
            let numbers = width.unwrap_or(1);
            let described_field = metadata::described(field.name(), numbers, field.metadata(), of.metadata());
            for i in 0..width.unwrap_or(1) {
                described.push(described_field.as_ref().and_then(|names| names.get(i)).cloned());
                names.push(width.map_or_else(|| field.name().clone(), |_| format!("{}[{i}]", field.name())));
                places.push((at, i));
            }
        }
        let person_at = options.person_at(file, names.len(), Some(&names))?;
        let mut selected = options.chosen(file, (names.len(), Some(&names)), person_at)?;
        if options.columns.is_none() {
            let index = metadata::index_columns(of.metadata());
            let covariates = selected.split_off(selected.len() - options.covariates.len());
            selected.retain(|&c| !index.contains(fields[places[c].0].name()));
            if options.header_only {
                selected.retain(|&c| holds_numbers(fields[places[c].0].data_type()));
            }
            selected.extend(covariates);
        }
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
            all: fields.iter().map(|field| field.name().clone()).collect(),
            person_at,
            keys: None,
            like: Like::default(),
        };
        let tensor = |c: usize| metadata::tensor(fields[places[c].0].metadata());
        if let Some(&c) = selected.iter().find(|&&c| tensor(c).1) {
            let label = column_label(c, Some(&names[c]));
            let kind = "tensors whose axes are permuted".to_owned();
            return Err(Error::NotNumeric { file: format!("{file}, column {label},"), kind });
        }
        let described = described
            .iter()
            .any(Option::is_some)
            .then(|| selected.iter().map(|&c| described[c].clone().unwrap_or_else(|| names[c].clone())).collect());
        let axes = match &selected[..selected.len() - options.covariates.len()] {
            record @ [c, ..] if is_whole(&places, record) && !tensor(*c).0.is_empty() => {
                [0].into_iter().chain(tensor(*c).0.into_iter().map(|n| n as u64)).collect()
            }
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
            Self { file, options, names, places, lists, codes, selected, read, kinds, dates, axes, described, schema };
        let nothing = |c: usize| new_empty_array(fields[columns.places[c].0].data_type());
        columns.selected.iter().try_for_each(|&c| columns.cells(c, &nothing(c)).map(drop))?;
        if let Some(c) = person_at {
            let nothing = nothing(c);
            columns.keys(c, &nothing)?;
            columns.schema.keys = Some(key_type(nothing.data_type()));
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
            let person = options.person_selection()?;
            let is_key = |name: &str| person.as_ref().and_then(|one| one.first_name()) == Some(name);
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
    macro_rules! decimals {
        ($kind:ty) => {
            Ok((0..column.len())
                .map(|row| match column.is_null(row) {
                    true => None,
                    false => Key::of(&column.as_primitive::<$kind>().value_as_string(row)),
                })
                .collect())
        };
    }
    let text = |text: Option<&str>| text.and_then(Key::of);
    match column.data_type() {
        DataType::Int8 => integers!(Int8Type),
        DataType::Int16 => integers!(Int16Type),
        DataType::Int32 => integers!(Int32Type),
        DataType::Int64 => integers!(Int64Type),
        DataType::UInt8 => integers!(UInt8Type),
        DataType::UInt16 => integers!(UInt16Type),
        DataType::UInt32 => integers!(UInt32Type),
        DataType::UInt64 => integers!(UInt64Type),
        DataType::Decimal32(..) => decimals!(Decimal32Type),
        DataType::Decimal64(..) => decimals!(Decimal64Type),
        DataType::Decimal128(..) => decimals!(Decimal128Type),
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
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            Ok(moments(column).into_iter().map(|moment| moment.map(Key::of_moment)).collect())
        }
        DataType::Boolean | DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            let key = |cell| match cell {
                Cell::Number(x) => Key::of_number(x),
                Cell::Missing | Cell::NotANumber(_) | Cell::OfOtherLength(_) => None,
            };
            Ok(cells(column, Kind::Numbers)?.into_iter().map(key).collect())
        }
        DataType::Null => Err("nothing"),
        kind if kind.is_binary() => Err("bytes"),
        _ => Err("something else"),
    }
}

/// Which keys a column of a type can hold.
fn key_type(kind: &DataType) -> KeyType {
    match kind {
        DataType::Dictionary(_, values) => key_type(values),
        DataType::Boolean => KeyType::BOOLEANS,
        kind if kind.is_integer() => {
            KeyType::integers(8 * kind.primitive_width().unwrap_or(8), kind.is_signed_integer())
        }
        kind if kind.is_numeric() => KeyType::Numbers,
        kind if kind.is_temporal() => KeyType::Dates,
        _ => KeyType::Texts,
    }
}

/// Whether a column, or the lists in it, are numbers by their type.
fn holds_numbers(kind: &DataType) -> bool {
    let nothing = new_empty_array(kind);
    let leaves = flat(&nothing).0;
    cells(&leaves, Kind::Numbers).is_ok()
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
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) if may_be_dates => {
            let cell = |moment: (usize, Option<NaiveDateTime>)| match moment {
                (row, None) if column.is_null(row) => Cell::Missing,
                (_, None) => Cell::NotANumber("a date out of range".to_owned()),
                (_, Some(moment)) => number(years(moment)),
            };
            moments(column).into_iter().enumerate().map(cell).collect()
        }
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) if kind == Kind::Levels => {
            let cell = |moment: Option<NaiveDateTime>| {
                moment.map_or(Cell::Missing, |moment| Cell::NotANumber(Key::of_moment(moment).to_string()))
            };
            moments(column).into_iter().map(cell).collect()
        }
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

/// The moments in a column of dates or times, none where they are missing or out of range.
fn moments(column: &dyn Array) -> Vec<Option<NaiveDateTime>> {
    macro_rules! moments {
        ($kind:ty) => {{
            let column = column.as_primitive::<$kind>();
            (0..column.len()).map(|row| column.value_as_datetime(row).filter(|_| !column.is_null(row))).collect()
        }};
    }
    match column.data_type() {
        DataType::Date32 => moments!(Date32Type),
        DataType::Date64 => moments!(Date64Type),
        DataType::Timestamp(TimeUnit::Second, _) => moments!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => moments!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => moments!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => moments!(TimestampNanosecondType),
        _ => vec![None; column.len()],
    }
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
