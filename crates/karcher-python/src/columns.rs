//! Columns of Arrow batches as the numbers of records.

use crate::error::Failure;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float64Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt64Type,
};
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use karcher::error::GeometryError;
use karcher::{Error, Key};
use karcher_io::metadata;
use pyo3::pyfunction;

/// The columns of a table that are read.
#[derive(Clone)]
pub struct Columns {
    numbers: Vec<Column>,
    predictor: Option<Column>,
    person: Option<Column>,
    codes: Vec<Code>,
    /// The names of all columns of the table.
    all: Vec<String>,
}

/// A number that stands for a missing one: in all columns, or in the one of that name.
pub type Code = (Option<String>, f64);

/// One of them.
#[derive(Clone)]
struct Column {
    name: String,
    at: usize,
    /// Numbers a row; unknown of lists of any length.
    width: Option<usize>,
    is_list: bool,
    /// The place of the one number that is read of each list.
    item: Option<usize>,
    /// The axes of lists of lists, and of tensors.
    axes: Vec<usize>,
    /// The names of its numbers with what its metadata say, if they say more.
    described: Option<Vec<String>>,
}

/// What a user says of the columns.
#[derive(Clone, Default)]
pub struct Chosen {
    pub columns: Option<Vec<String>>,
    pub predictor: Option<String>,
    pub person: Option<String>,
    pub codes: Vec<Code>,
}

/// The rows of a batch, row after row.
pub struct Rows {
    pub values: Vec<f64>,
    pub predictors: Option<Vec<f64>>,
    pub persons: Option<Vec<Key>>,
}

impl Columns {
    /// The chosen ones; all that hold numbers, and nothing else is told of them, by default.
    pub fn new(schema: &Schema, chosen: &Chosen) -> Result<Self, Failure> {
        let column = |name: &String| Column::named(schema, name);
        let predictor = chosen.predictor.as_ref().map(column).transpose()?;
        let person = chosen.person.as_ref().map(column).transpose()?;
        let is_told = |at| [&predictor, &person].into_iter().flatten().any(|column| column.at == at);
        let numbers = match &chosen.columns {
            Some(names) => names.iter().map(column).collect::<Result<Vec<_>, _>>()?,
            None => {
                let (fields, index) = (schema.fields().iter().enumerate(), metadata::index_columns(schema.metadata()));
                let is_index = |field: &Field| index.contains(field.name());
                let numeric =
                    fields.filter(|(at, field)| !is_told(*at) && !is_index(field) && holds_numbers(field.data_type()));
                numeric.map(|(at, field)| Column::new(at, field, schema)).collect::<Result<Vec<_>, _>>()?
            }
        };
        if numbers.is_empty() {
            return Err(Failure::Sentence("no column holds numbers: columns= says which ones to read".to_owned()));
        }
        for column in numbers.iter().chain(&predictor) {
            let kind = schema.field(column.at).data_type();
            if !holds_numbers(kind) && *kind != DataType::Boolean {
                return Err(Failure::Sentence(format!("column {} holds {kind}, which are no numbers", column.name)));
            }
        }
        if let Some(column) = &predictor
            && column.width != Some(1)
        {
            return Err(Failure::Sentence(format!("column {} holds lists, and a predictor is a number", column.name)));
        }
        if let Some(column) = &person
            && !holds_keys(schema.field(column.at).data_type())
        {
            let kind = schema.field(column.at).data_type();
            let sentence =
                format!("column {} holds {kind}: keys of persons are texts, numbers, booleans or dates", column.name);
            return Err(Failure::Sentence(sentence));
        }
        let is_read = |name: &String| numbers.iter().chain(&predictor).any(|column| column.name == *name);
        if let Some(name) = chosen.codes.iter().filter_map(|(name, _)| name.as_ref()).find(|name| !is_read(name)) {
            return Err(Failure::Sentence(format!("missing_values names the column {name}, which is not read")));
        }
        let all = schema.fields().iter().map(|field| field.name().clone()).collect();
        Ok(Self { numbers, predictor, person, codes: chosen.codes.clone(), all })
    }

    /// What is wrong with a record, with the columns that hold it: the one of a number, if columns are `plain` numbers
    /// of a point, or else all.
    pub fn blame(&self, reason: &str, plain: bool) -> String {
        if let (Some(predictor), true) = (&self.predictor, reason.starts_with("its predictor")) {
            return format!("column {}: {reason}", predictor.name);
        }
        let single = plain && self.numbers.iter().all(|column| column.width == Some(1));
        blame(reason, self.numbers.iter().map(|column| column.name.clone()).collect(), single)
    }

    /// Numbers a row, unless a column holds lists of any length.
    pub fn width(&self) -> Option<usize> {
        self.numbers.iter().map(|column| column.width).sum()
    }

    /// The axes of a row, if one column holds it and its type says them.
    pub fn axes(&self) -> Vec<usize> {
        match &self.numbers[..] {
            [one] => one.axes.clone(),
            _ => vec![],
        }
    }

    /// The names of the numbers of a row, unless a column holds lists.
    pub fn names(&self) -> Option<Vec<String>> {
        let name = |column: &Column| (column.width == Some(1)).then(|| column.name.clone());
        self.numbers.iter().map(name).collect()
    }

    /// The names of the numbers of a row with what metadata say of them, such as units, if they say more.
    pub fn described(&self) -> Option<Vec<String>> {
        let name = |column: &Column| match (&column.described, column.width) {
            (Some(names), _) => Some(names.clone()),
            (None, Some(1)) => Some(vec![column.name.clone()]),
            (None, _) => None,
        };
        self.numbers.iter().any(|column| column.described.is_some()).then_some(())?;
        let names: Option<Vec<Vec<String>>> = self.numbers.iter().map(name).collect();
        names.map(|names| names.concat())
    }

    /// The names of the numbers of a row: `list[0]` of lists of one length, `list[]` of others.
    pub fn numbers(&self) -> Vec<String> {
        let names = |column: &Column| match column.width {
            Some(_) if !column.is_list => vec![column.name.clone()],
            Some(len) => (0..len).map(|i| format!("{}[{i}]", column.name)).collect(),
            None => vec![format!("{}[]", column.name)],
        };
        self.numbers.iter().flat_map(names).collect()
    }

    /// The names of all columns.
    pub fn all(&self) -> Vec<String> {
        self.all.clone()
    }

    /// The same columns of another schema, which must have them.
    pub fn again(&self, schema: &Schema) -> Result<Self, Failure> {
        let name = |column: &Column| column.name.clone();
        let chosen = Chosen {
            columns: Some(self.numbers.iter().map(name).collect()),
            predictor: self.predictor.as_ref().map(name),
            person: self.person.as_ref().map(name),
            codes: self.codes.clone(),
        };
        Self::new(schema, &chosen)
    }

    /// The rows of a batch, each of `width` numbers. The first is the row `first` of its stream, from 0. Missing
    /// numbers become NaN if `missing` says so, and are refused otherwise; a missing person always is.
    pub fn read(&self, batch: &RecordBatch, first: usize, width: usize, missing: bool) -> Result<Rows, Error> {
        let refuse = |column: &Column, (row, reason): (usize, &str)| {
            let reason = format!("column {}: {reason}", column.name);
            Error::from(GeometryError::InvalidRecord { row: first + row + 1, reason })
        };
        let known: usize = self.numbers.iter().filter_map(|column| column.width).sum();
        let read = |column: &Column, width| {
            let found = match column.item {
                Some(item) => item_of_lists(batch.column(column.at), item, missing),
                None => flat(batch.column(column.at), width, missing),
            };
            let (mut numbers, gone) = found.map_err(|row| {
                refuse(column, (row, &format!("the list has not as many numbers as a record takes here, {width}")))
            })?;
            let coded = self.take_codes(column, &mut numbers).map(|at| at / width.max(1));
            match gone.into_iter().chain(coded).min() {
                Some(row) if !missing => Err(refuse(column, (row, "the value is missing"))),
                _ => Ok(numbers),
            }
        };
        let mut values = vec![0.0; batch.num_rows() * width];
        let mut before = 0;
        for column in &self.numbers {
            let wide = column.width.unwrap_or(width.saturating_sub(known));
            let numbers = read(column, wide)?;
            if wide > 0 {
                let rows = values.chunks_exact_mut(width).zip(numbers.chunks_exact(wide));
                rows.for_each(|(row, numbers)| row[before..][..wide].copy_from_slice(numbers));
            }
            before += wide;
        }
        let predictors = self.predictor.as_ref().map(|column| read(column, 1)).transpose()?;
        let keys = |column: &Column| {
            let keys = keys(batch.column(column.at)).into_iter().enumerate();
            keys.map(|(row, key)| key.ok_or_else(|| refuse(column, (row, "the key of the person is missing"))))
                .collect()
        };
        Ok(Rows { values, predictors, persons: self.person.as_ref().map(keys).transpose()? })
    }
}

/// The reason against a record with the names of all columns. If each column is a `single` number, it has the name of
/// the column whose number it mentions.
#[pyfunction]
pub fn blame(reason: &str, names: Vec<String>, single: bool) -> String {
    let numbered = reason.split_once("number ").and_then(|(before, rest)| {
        let (number, after) = rest.split_once(' ')?;
        let name = names.get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
        single.then(|| format!("{before}column {name} {after}"))
    });
    numbered.unwrap_or_else(|| match &names[..] {
        [one] => format!("column {one}: {reason}"),
        [first, .., last] if names.len() > 4 => format!("columns {first} to {last}: {reason}"),
        some => format!("columns {}: {reason}", some.join(", ")),
    })
}

impl Columns {
    /// Replaces numbers that stand for missing ones by NaN, and says where the first is.
    fn take_codes(&self, column: &Column, numbers: &mut [f64]) -> Option<usize> {
        let is_of_it = |(name, _): &&Code| name.as_ref().is_none_or(|name| *name == column.name);
        let codes: Vec<f64> = self.codes.iter().filter(is_of_it).map(|(_, code)| *code).collect();
        if codes.is_empty() {
            return None;
        }
        // a table may have rounded the code to single precision
        let is_code = |x: f64| codes.iter().any(|&code| code == x || f64::from(code as f32) == x);
        let found = numbers.iter_mut().enumerate().filter(|(_, x)| is_code(**x));
        found.map(|(at, x)| (at, *x = f64::NAN).0).min()
    }
}

impl Column {
    fn named(schema: &Schema, name: &String) -> Result<Self, Failure> {
        let of_that_name = || schema.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
        match (of_that_name().next(), of_that_name().count()) {
            (Some((at, field)), 1) => Self::new(at, field, schema),
            (None, _) => {
                let none = || Failure::Sentence(format!("there is no column {name}"));
                let (list, item) = item_of(name).ok_or_else(none)?;
                let column = Self::named(schema, &list).ok().filter(|column| column.is_list).ok_or_else(none)?;
                match column.width {
                    Some(len) if item >= len => Err(none()),
                    _ => Ok(Self {
                        name: name.clone(),
                        width: Some(1),
                        is_list: false,
                        item: Some(item),
                        axes: vec![],
                        described: None,
                        ..column
                    }),
                }
            }
            (_, several) => Err(Failure::Sentence(format!("there are {several} columns {name}"))),
        }
    }

    fn new(at: usize, field: &Field, schema: &Schema) -> Result<Self, Failure> {
        let (name, width) = (field.name().clone(), width(field.data_type()));
        let (shape, is_permuted) = metadata::tensor(field.metadata());
        if is_permuted {
            return Err(Failure::Sentence(format!(
                "column {name} holds tensors whose axes are permuted: bring them into row-major order first"
            )));
        }
        let axes = if shape.is_empty() { lengths(field.data_type()) } else { shape };
        let is_list = !matches!(width, Some(1)) || !axes.is_empty();
        let described = metadata::described(&name, width.unwrap_or(0), field.metadata(), schema.metadata());
        Ok(Self { name, at, width, is_list, item: None, axes, described })
    }
}

/// The list and the place in a name such as `lonlat[1]`.
fn item_of(name: &str) -> Option<(String, usize)> {
    let (list, item) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((list.to_owned(), item.parse().ok()?))
}

/// How long lists are that are in one another.
fn lengths(kind: &DataType) -> Vec<usize> {
    match kind {
        DataType::FixedSizeList(item, n) => {
            [vec![usize::try_from(*n).unwrap_or(0)], lengths(item.data_type())].concat()
        }
        _ => vec![],
    }
}

fn holds_numbers(kind: &DataType) -> bool {
    match kind {
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            holds_numbers(item.data_type())
        }
        DataType::Dictionary(_, values) => holds_numbers(values),
        kind => kind.is_numeric(),
    }
}

fn holds_keys(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => holds_keys(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean => true,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => true,
        kind => kind.is_numeric(),
    }
}

fn width(kind: &DataType) -> Option<usize> {
    match kind {
        DataType::FixedSizeList(item, n) => Some(width(item.data_type())? * usize::try_from(*n).ok()?),
        DataType::List(_) | DataType::LargeList(_) => None,
        _ => Some(1),
    }
}

/// `width` numbers a row, NaN where they are missing, and the first row where one is. The first row of another width is
/// an error, unless such rows are missing, too.
fn flat(array: &ArrayRef, width: usize, missing: bool) -> Result<(Vec<f64>, Option<usize>), usize> {
    match array.data_type() {
        DataType::FixedSizeList(_, n) => {
            let (list, n) = (array.as_fixed_size_list(), usize::try_from(*n).unwrap_or(0));
            if n == 0 || !width.is_multiple_of(n) {
                return Err(0);
            }
            // a list that is a slice has its items from there on
            let items = list.values().slice(list.value_offset(0) as usize, list.len() * n);
            let (mut numbers, gone) = flat(&items, width / n, missing).map_err(|item| item / n)?;
            let rows = numbers.chunks_exact_mut(width).enumerate().filter(|(row, _)| list.is_null(*row));
            let absent = rows.map(|(row, numbers)| (row, numbers.fill(f64::NAN)).0).min();
            Ok((numbers, gone.map(|item| item / n).into_iter().chain(absent).min()))
        }
        DataType::List(_) => of_lists(array.as_list::<i32>(), width, missing),
        DataType::LargeList(_) => of_lists(array.as_list::<i64>(), width, missing),
        _ => {
            let numbers = cast(array, &DataType::Float64).map_err(|_| 0_usize)?; // what holds numbers can be cast
            let numbers = numbers.as_primitive::<Float64Type>();
            match numbers.null_count() {
                0 => Ok((numbers.values().to_vec(), None)),
                _ => {
                    let gone = (0..numbers.len()).find(|row| numbers.is_null(*row));
                    Ok((numbers.iter().map(|x| x.unwrap_or(f64::NAN)).collect(), gone))
                }
            }
        }
    }
}

/// The number in one place of each list, in the same way.
fn item_of_lists(array: &ArrayRef, item: usize, missing: bool) -> Result<(Vec<f64>, Option<usize>), usize> {
    fn ends<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> Vec<(usize, usize)> {
        lists.offsets().windows(2).map(|ends| (ends[0].as_usize(), ends[1].as_usize())).collect()
    }
    let (values, ends) = match array.data_type() {
        DataType::List(_) => (array.as_list::<i32>().values(), ends(array.as_list::<i32>())),
        DataType::LargeList(_) => (array.as_list::<i64>().values(), ends(array.as_list::<i64>())),
        DataType::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            let (first, len) = (lists.value_offset(0) as usize, lists.value_length() as usize);
            (lists.values(), (0..lists.len()).map(|row| (first + row * len, first + (row + 1) * len)).collect())
        }
        _ => return Err(0),
    };
    let (numbers, _) = flat(values, 1, true)?;
    let (mut found, mut gone) = (Vec::with_capacity(ends.len()), None);
    for (row, (begin, end)) in ends.into_iter().enumerate() {
        let is_there = !array.is_null(row) && begin + item < end && !values.is_null(begin + item);
        match is_there {
            true => found.push(numbers[begin + item]),
            false if array.is_null(row) || begin + item < end || missing => {
                found.push(f64::NAN);
                gone = gone.or(Some(row));
            }
            false => return Err(row),
        }
    }
    Ok((found, gone))
}

/// The same of lists.
fn of_lists<O: OffsetSizeTrait>(
    lists: &GenericListArray<O>,
    width: usize,
    missing: bool,
) -> Result<(Vec<f64>, Option<usize>), usize> {
    let mut all = Vec::with_capacity(lists.len() * width);
    let mut gone = None;
    for row in 0..lists.len() {
        let of_row = || {
            let list = lists.value(row);
            if list.is_empty() || !width.is_multiple_of(list.len()) {
                return None;
            }
            flat(&list, width / list.len(), missing).ok().filter(|(numbers, _)| numbers.len() == width)
        };
        match if lists.is_null(row) { None } else { of_row() } {
            Some((numbers, absent)) => {
                all.extend(numbers);
                gone = gone.or(absent.map(|_| row));
            }
            None if missing || lists.is_null(row) => {
                all.extend(std::iter::repeat_n(f64::NAN, width));
                gone = gone.or(Some(row));
            }
            None => return Err(row),
        }
    }
    Ok((all, gone))
}

/// Keys, `None` where one is missing.
fn keys(array: &ArrayRef) -> Vec<Option<Key>> {
    let kind = match array.data_type() {
        DataType::Dictionary(_, values) => values.as_ref(),
        kind => kind,
    };
    let wanted = match kind {
        DataType::UInt64 => DataType::UInt64,
        DataType::Float16 | DataType::Float32 | DataType::Float64 => DataType::Float64,
        // in a unit that holds every date of the type
        DataType::Date32 => DataType::Timestamp(TimeUnit::Second, None),
        DataType::Date64 => DataType::Timestamp(TimeUnit::Millisecond, None),
        DataType::Timestamp(unit, _) => DataType::Timestamp(*unit, None),
        kind if kind.is_integer() || *kind == DataType::Boolean => DataType::Int64,
        _ => DataType::LargeUtf8, // texts and decimals
    };
    let Ok(plain) = cast(array, &wanted) else { return vec![None; array.len()] }; // keys can be cast
    macro_rules! moments {
        ($kind:ty) => {{
            let moments = plain.as_primitive::<$kind>();
            let moment = |row: usize| moments.value_as_datetime(row).filter(|_| !moments.is_null(row));
            (0..moments.len()).map(|row| moment(row).map(Key::of_moment)).collect()
        }};
    }
    match wanted {
        DataType::UInt64 => {
            plain.as_primitive::<UInt64Type>().iter().map(|x| x.map(|x| Key::Integer(x.into()))).collect()
        }
        DataType::Int64 => {
            plain.as_primitive::<Int64Type>().iter().map(|x| x.map(|x| Key::Integer(x.into()))).collect()
        }
        DataType::Float64 => plain.as_primitive::<Float64Type>().iter().map(|x| Key::of_number(x?)).collect(),
        DataType::Timestamp(TimeUnit::Second, _) => moments!(TimestampSecondType),
        DataType::Timestamp(TimeUnit::Millisecond, _) => moments!(TimestampMillisecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => moments!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => moments!(TimestampNanosecondType),
        _ => plain.as_string::<i64>().iter().map(|text| text.and_then(Key::of)).collect(),
    }
}
