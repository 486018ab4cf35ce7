//! Columns of Arrow batches as the numbers of records.

use crate::error::Failure;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema};
use karcher::Error;
use karcher::error::GeometryError;
use pyo3::pyfunction;
use serde_json::Value;

/// Who a record belongs to. It is not printed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    Integer(i128),
    Text(Box<str>),
}

/// The columns of a table that are read.
#[derive(Clone)]
pub struct Columns {
    numbers: Vec<Column>,
    predictor: Option<Column>,
    person: Option<Column>,
    codes: Vec<Code>,
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
    /// The axes of lists of lists, and of tensors.
    axes: Vec<usize>,
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
                let fields = schema.fields().iter().enumerate();
                let numeric = fields.filter(|(at, field)| !is_told(*at) && holds_numbers(field.data_type()));
                numeric.map(|(at, field)| Column::new(at, field)).collect::<Result<Vec<_>, _>>()?
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
            let sentence = format!("column {} holds {kind}: keys of persons are integers or texts", column.name);
            return Err(Failure::Sentence(sentence));
        }
        let is_read = |name: &String| numbers.iter().chain(&predictor).any(|column| column.name == *name);
        if let Some(name) = chosen.codes.iter().filter_map(|(name, _)| name.as_ref()).find(|name| !is_read(name)) {
            return Err(Failure::Sentence(format!("missing_values names the column {name}, which is not read")));
        }
        Ok(Self { numbers, predictor, person, codes: chosen.codes.clone() })
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
            let (mut numbers, gone) = flat(batch.column(column.at), width, missing).map_err(|row| {
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
            (Some((at, field)), 1) => Self::new(at, field),
            (None, _) => Err(Failure::Sentence(format!("there is no column {name}"))),
            (_, several) => Err(Failure::Sentence(format!("there are {several} columns {name}"))),
        }
    }

    fn new(at: usize, field: &Field) -> Result<Self, Failure> {
        let name = field.name().clone();
        if is_permuted(field) {
            return Err(Failure::Sentence(format!(
                "column {name} holds tensors whose axes are permuted: bring them into row-major order first"
            )));
        }
        Ok(Self { name, at, width: width(field.data_type()), axes: axes(field) })
    }
}

/// Whether a column of tensors says that its numbers are in another order than their axes.
fn is_permuted(field: &Field) -> bool {
    described(field, "permutation").iter().enumerate().any(|(i, axis)| *axis != i)
}

/// The axes of tensors, or of lists of one length.
fn axes(field: &Field) -> Vec<usize> {
    let shape = described(field, "shape");
    if shape.is_empty() { lengths(field.data_type()) } else { shape }
}

/// The numbers of a list by which a column of tensors is described.
fn described(field: &Field, key: &str) -> Vec<usize> {
    let described = field.metadata().get("ARROW:extension:metadata");
    let described: Option<Value> = described.and_then(|text| serde_json::from_str(text).ok());
    let list = described.as_ref().and_then(|described| described.get(key)?.as_array());
    let number = |number: &Value| number.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX);
    list.into_iter().flatten().map(number).collect()
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
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        kind => kind.is_integer(),
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

/// Keys, `None` where one is missing; an empty text is no key.
fn keys(array: &ArrayRef) -> Vec<Option<Key>> {
    let kind = match array.data_type() {
        DataType::Dictionary(_, values) => values.as_ref(),
        kind => kind,
    };
    let (wanted, unsigned) = match kind {
        DataType::UInt64 => (DataType::UInt64, true),
        kind if kind.is_integer() => (DataType::Int64, false),
        _ => (DataType::LargeUtf8, false),
    };
    let Ok(plain) = cast(array, &wanted) else { return vec![None; array.len()] }; // keys can be cast
    match wanted {
        DataType::LargeUtf8 => {
            let texts = plain.as_string::<i64>().iter();
            texts.map(|text| text.filter(|text| !text.is_empty()).map(|text| Key::Text(text.into()))).collect()
        }
        _ if unsigned => plain.as_primitive::<UInt64Type>().iter().map(|x| x.map(|x| Key::Integer(x.into()))).collect(),
        _ => plain.as_primitive::<Int64Type>().iter().map(|x| x.map(|x| Key::Integer(x.into()))).collect(),
    }
}
