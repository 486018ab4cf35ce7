//! Columns of lists: several numbers a record in one column.

use crate::formats::cell::Cell;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListArray, OffsetSizeTrait};
use arrow_schema::DataType;

/// Number of entries of a column in each record.
pub(crate) enum Width {
    One,
    /// Lists of so many, as its type says.
    Lists(usize),
    /// Lists whose length its type does not say.
    Any,
}

/// Number of entries of a column of that type in each record.
pub(crate) fn width(kind: &DataType) -> Width {
    match kind {
        DataType::FixedSizeList(item, len) => match width(item.data_type()) {
            Width::One => Width::Lists(usize::try_from(*len).unwrap_or(0)),
            Width::Lists(within) => Width::Lists(usize::try_from(*len).unwrap_or(0).saturating_mul(within)),
            Width::Any => Width::One, // which is refused as what it is
        },
        DataType::List(_) | DataType::LargeList(_) => Width::Any,
        _ => Width::One,
    }
}

/// The cells of a column, and the first cell of each row.
#[derive(Clone)]
pub(crate) struct Lists {
    pub(crate) cells: Vec<Cell>,
    /// For each row the place of its first cell, or the one value that stands for all its cells. `None` if all rows
    /// have one length.
    pub(crate) rows: Option<Vec<Result<usize, Cell>>>,
}

impl Lists {
    /// The first cell of each row with `len` cells, for lists that end at `ends`.
    pub(crate) fn rows(column: &dyn Array, ends: &[usize], len: usize) -> Vec<Result<usize, Cell>> {
        let begins = std::iter::once(0).chain(ends.iter().copied());
        let row = |(row, (begin, &end)): (usize, (usize, &usize))| match end.saturating_sub(begin) {
            _ if column.is_null(row) => Err(Cell::Missing),
            found if found == len => Ok(begin),
            found => Err(Cell::OfOtherLength(found)),
        };
        begins.zip(ends).enumerate().map(row).collect()
    }

    /// The cell in place `place` of `width` in a row.
    pub(crate) fn cell(&self, row: usize, place: usize, width: usize) -> Option<Cell> {
        match &self.rows {
            None => self.cells.get(row * width + place).cloned(),
            Some(rows) => match rows.get(row)? {
                Ok(begin) => self.cells.get(begin + place).cloned(),
                Err(cell) => Some(cell.clone()),
            },
        }
    }
}

/// The items of all lists in a row, and the end of each list among them, counted in numbers.
pub(crate) fn flat(column: &dyn Array) -> (ArrayRef, Vec<usize>) {
    fn items<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> (ArrayRef, Vec<usize>) {
        let offsets = lists.offsets();
        let first = offsets[0].as_usize();
        let ends: Vec<usize> = offsets[1..].iter().map(|end| end.as_usize() - first).collect();
        (lists.values().slice(first, ends.last().copied().unwrap_or(0)), ends)
    }
    let (values, mut ends) = match column.data_type() {
        DataType::List(_) => items(column.as_list::<i32>()),
        DataType::LargeList(_) => items(column.as_list::<i64>()),
        _ => return (column.slice(0, column.len()), (1..=column.len()).collect()),
    };
    match width(values.data_type()) {
        Width::One => (values, ends),
        Width::Lists(len) => {
            ends.iter_mut().for_each(|end| *end *= len);
            (values, ends)
        }
        Width::Any => {
            let (leaves, inner) = flat(&values);
            ends.iter_mut().for_each(|end| *end = end.checked_sub(1).map_or(0, |last| inner[last]));
            (leaves, ends)
        }
    }
}

/// The first list of a column that holds numbers: how many they are, and the axes of the lists that are in it.
#[derive(Default)]
pub(crate) struct First {
    pub(crate) len: usize,
    pub(crate) axes: Vec<usize>,
}

impl First {
    pub(crate) fn of(column: &dyn Array) -> Option<Self> {
        let (_, ends) = flat(column);
        let begins = std::iter::once(0).chain(ends.iter().copied());
        let mut lens = begins.zip(&ends).map(|(begin, end)| end - begin).enumerate();
        let (row, len) = lens.find(|(_, len)| *len > 0)?;
        Some(Self { len, axes: axes(&column.slice(row, 1)) })
    }
}

/// The axes of the first list of a column: those of the lists that are in it are those of its first one.
fn axes(column: &dyn Array) -> Vec<usize> {
    let first = match column.data_type() {
        _ if column.is_empty() => return vec![],
        DataType::FixedSizeList(..) => column.as_fixed_size_list().value(0),
        DataType::List(_) => column.as_list::<i32>().value(0),
        DataType::LargeList(_) => column.as_list::<i64>().value(0),
        _ => return vec![],
    };
    [vec![first.len()], axes(&first)].concat()
}

/// Whether a column holds lists of lists.
pub(crate) fn is_nested(kind: &DataType) -> bool {
    let item = |kind: &DataType| match kind {
        DataType::FixedSizeList(item, _) | DataType::List(item) | DataType::LargeList(item) => {
            Some(item.data_type().clone())
        }
        _ => None,
    };
    item(kind).is_some_and(|inner| item(&inner).is_some())
}
