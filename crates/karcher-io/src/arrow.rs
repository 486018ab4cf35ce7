//! Arrow files and streams (Feather version 2), and what they share with Parquet: columns of numbers in batches.

use crate::columns::{Selection, select};
use crate::dates::years;
use crate::error::{Error, Result};
use crate::memory::check_unpacked;
use crate::person::Key;
use crate::read::ReadOptions;
use crate::records::{Cell, Records};
use crate::table::{Table, column_label};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch, new_empty_array};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Fields, TimeUnit};
use std::io::Cursor;

/// How an Arrow file begins and ends; a stream does not.
const MAGIC: &[u8] = b"ARROW1";

/// Records that are converted at a time.
pub(crate) const BATCH: usize = 8192;

pub(crate) fn parse(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table> {
    let corrupt = |e: ArrowError| Error::Corrupt { file: file.to_owned(), format: "Arrow", reason: e.to_string() };
    crate::arrow_sizes::check(file, bytes)?;
    let cursor = Cursor::new(bytes);
    if bytes.starts_with(MAGIC) {
        let schema = FileReader::try_new(cursor.clone(), None).map_err(corrupt)?.schema();
        let columns = Columns::new(file, schema.fields(), options)?;
        let reader = FileReader::try_new(cursor, Some(columns.read.clone())).map_err(corrupt)?;
        columns.collect(file, bytes.len(), reader.map(|batch| batch.map_err(corrupt)), options)
    } else {
        let schema = StreamReader::try_new(cursor.clone(), None).map_err(corrupt)?.schema();
        let columns = Columns::new(file, schema.fields(), options)?;
        let reader = StreamReader::try_new(cursor, Some(columns.read.clone())).map_err(corrupt)?;
        columns.collect(file, bytes.len(), reader.map(|batch| batch.map_err(corrupt)), options)
    }
}

/// The columns of a file that are read.
pub(crate) struct Columns {
    names: Vec<String>,
    /// In the order in which they were chosen.
    selected: Vec<usize>,
    /// In the order of the file, each once.
    pub(crate) read: Vec<usize>,
    /// The column whose cells may be dates.
    dates: Option<usize>,
    /// The column of the persons' keys.
    person: Option<usize>,
}

impl Columns {
    /// Chooses columns, before any record is read.
    pub(crate) fn new(file: &str, fields: &Fields, options: &ReadOptions) -> Result<Self> {
        let names: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
        let choose = |selection: &Selection| selection.resolve(file, names.len(), Some(&names));
        let dates = options.dates_selection()?.map(|one| choose(&one)).transpose()?;
        let person = options.person_at(file, names.len(), Some(&names))?;
        let selected = select(file, options.selection()?.as_ref(), names.len(), Some(&names))?;
        let selected = options.without_person(selected, person)?;
        if selected.is_empty() {
            return Err(Error::NoRecords { file: file.to_owned() });
        }
        let mut read: Vec<usize> = selected.iter().chain(&person).copied().collect();
        read.sort_unstable();
        read.dedup();
        let dates = dates.and_then(|columns| columns.first().copied());
        let columns = Self { names, selected, read, dates, person };
        let nothing = |c: usize| new_empty_array(fields[c].data_type());
        columns.selected.iter().try_for_each(|&c| columns.cells(file, c, &nothing(c)).map(drop))?;
        columns.person.iter().try_for_each(|&c| columns.keys(file, c, &nothing(c)).map(drop))?;
        Ok(columns)
    }

    fn keys(&self, file: &str, column: usize, array: &dyn Array) -> Result<Vec<Option<Key>>> {
        keys(array).map_err(|kind| Error::NoKeys {
            file: format!("{file}, column {},", column_label(column, Some(&self.names[column]))),
            kind: kind.to_owned(),
        })
    }

    fn cells(&self, file: &str, column: usize, array: &dyn Array) -> Result<Vec<Cell>> {
        cells(array, self.dates == Some(column)).map_err(|kind| Error::NotNumeric {
            file: format!("{file}, column {},", column_label(column, Some(&self.names[column]))),
            kind: kind.to_owned(),
        })
    }

    /// The records of all batches, which hold the columns [`read`](Columns::read).
    pub(crate) fn collect(
        &self,
        file: &str,
        packed: usize,
        batches: impl Iterator<Item = Result<RecordBatch>>,
        options: &ReadOptions,
    ) -> Result<Table> {
        let names = self.selected.iter().map(|&c| self.names[c].clone()).collect();
        let mut records = Records::new(file, &self.selected, Some(names), options);
        let mut rows = 0u64;
        let slices = batches.flat_map(|batch| match batch {
            Ok(batch) => {
                let (n, begins) = (batch.num_rows(), (0..batch.num_rows()).step_by(BATCH));
                begins.map(|begin| Ok(batch.slice(begin, BATCH.min(n - begin)))).collect()
            }
            Err(e) => vec![Err(e)],
        });
        for batch in slices {
            let batch = batch?;
            rows = rows.saturating_add(batch.num_rows() as u64);
            check_unpacked(file, packed, rows.saturating_mul(8 * self.selected.len() as u64))?;
            let read = self.read.iter().zip(batch.columns());
            let mut persons = vec![];
            let columns: Vec<Vec<Cell>> = read
                .map(|(&c, array)| match self.person == Some(c) {
                    true => {
                        persons = self.keys(file, c, array)?;
                        Ok(vec![])
                    }
                    false => self.cells(file, c, array),
                })
                .collect::<Result<_>>()?;
            #[expect(clippy::needless_range_loop)] // the columns are many
            for row in 0..batch.num_rows() {
                // every selected column is read
                let at = |c| self.read.binary_search(&c).ok();
                if self.person.is_some() {
                    records.of(persons.get_mut(row).and_then(Option::take), None)?;
                }
                records.push(None, |c| at(c).map_or(Cell::Missing, |at| columns[at][row].clone()))?;
            }
        }
        let mut table = records.finish()?;
        table.person_at = self.person;
        Ok(table)
    }
}

/// The keys of persons in a column, or the kind of thing it holds instead.
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
            let places = dictionary.normalized_keys().into_iter().enumerate();
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

/// The numbers in a column, or the kind of thing it holds instead.
fn cells(column: &dyn Array, may_be_dates: bool) -> Result<Vec<Cell>, &'static str> {
    macro_rules! numbers {
        ($kind:ty, $number:expr) => {{
            let cell = |x: Option<<$kind as ArrowPrimitiveType>::Native>| {
                x.map_or(Cell::Missing, |x| Cell::Number($number(x)))
            };
            Ok(column.as_primitive::<$kind>().iter().map(cell).collect())
        }};
    }
    let number = Cell::Number;
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
            let values = cells(&**dictionary.values(), may_be_dates)?;
            let keys = dictionary.normalized_keys();
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
        DataType::Utf8 if may_be_dates => texts(column.as_string::<i32>().iter()),
        DataType::LargeUtf8 if may_be_dates => texts(column.as_string::<i64>().iter()),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => return Err("strings"),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            return Err("strings");
        }
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => return Err("dates or times"),
        DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) | DataType::Interval(_) => {
            return Err("dates or times");
        }
        DataType::Decimal256(..) => return Err("decimals of more than 128 bits"),
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

fn texts<'a>(column: impl Iterator<Item = Option<&'a str>>) -> Vec<Cell> {
    let number = |text: &str| text.trim().parse().ok().or_else(|| crate::decimal_year(text));
    let cell = |text: &str| number(text).map_or_else(|| Cell::NotANumber(text.to_owned()), Cell::Number);
    column.map(|text| text.map_or(Cell::Missing, cell)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int8Array, NullArray, StringArray};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use std::sync::Arc;

    fn batch() -> RecordBatch {
        let column = |name: &str, array: ArrayRef| (name.to_owned(), array, true);
        RecordBatch::try_from_iter_with_nullable([
            column("name", Arc::new(StringArray::from(vec!["a", "b"]))),
            column("x", Arc::new(Float64Array::from(vec![Some(0.5), None]))),
            column("n", Arc::new(Int8Array::from(vec![-1, 2]))),
            column("flag", Arc::new(BooleanArray::from(vec![true, false]))),
            column("day", Arc::new(Date32Array::from(vec![365, 0]))),
        ])
        .unwrap()
    }

    fn file(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
        let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let mut writer = FileWriter::try_new_with_options(vec![], &batch.schema(), options).unwrap();
        (0..2).for_each(|_| writer.write(batch).unwrap());
        writer.into_inner().unwrap()
    }

    fn stream(batch: &RecordBatch) -> Vec<u8> {
        let mut writer = StreamWriter::try_new(vec![], &batch.schema()).unwrap();
        (0..2).for_each(|_| writer.write(batch).unwrap());
        writer.into_inner().unwrap()
    }

    #[test]
    fn files_and_streams_hold_the_same_columns_however_they_are_compressed() {
        let batch = batch();
        let (lz4, zstd) = (Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD));
        for bytes in [file(&batch, None), file(&batch, lz4), file(&batch, zstd), stream(&batch)] {
            let options = ReadOptions {
                columns: Some("day,n,flag".to_owned()),
                dates: Some("day".to_owned()),
                ..Default::default()
            };
            let table = parse("f.arrow", &bytes, &options).unwrap();
            assert_eq!(table.values, [1971.0, -1.0, 1.0, 1970.0, 2.0, 0.0].repeat(2));
            let columns = Some("x".to_owned());
            let error =
                parse("f.arrow", &bytes, &ReadOptions { columns, ..Default::default() }).unwrap_err().to_string();
            assert!(error.contains("record 2, column 2 (x): the value is missing"), "{error}");
            let error = parse("f.arrow", &bytes, &ReadOptions::default()).unwrap_err().to_string();
            assert!(error.contains("column 1 (name), holds strings"), "{error}");
        }
    }

    #[test]
    fn categories_are_their_values() {
        let values: ArrayRef = Arc::new(Float64Array::from(vec![10.0, 20.0]));
        let keys = Int8Array::from(vec![Some(1), None, Some(0)]);
        let array = arrow_array::DictionaryArray::try_new(keys, values).unwrap();
        let expected = [Cell::Number(20.0), Cell::Missing, Cell::Number(10.0)];
        assert_eq!(cells(&array, false).unwrap(), expected);
    }

    #[test]
    fn claims_of_many_rows_or_bytes_are_refused_before_they_are_read() {
        let nothing: ArrayRef = Arc::new(NullArray::new(1 << 40));
        let batch = RecordBatch::try_from_iter([("x", nothing)]).unwrap();
        for bytes in [file(&batch, None), stream(&batch)] {
            let error = parse("f.arrow", &bytes, &ReadOptions::default()).unwrap_err();
            assert!(matches!(error, Error::UnpacksTooMuch { .. }), "{error}");
        }
        // a buffer that says it unpacks to an exabyte
        let column: ArrayRef = Arc::new(Float64Array::from(vec![1.0; 1000]));
        let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
        let mut bytes = file(&batch, Some(CompressionType::ZSTD));
        let at = bytes.windows(8).position(|window| window == 8000_i64.to_le_bytes()).unwrap();
        bytes[at..at + 8].copy_from_slice(&(1_i64 << 60).to_le_bytes());
        let error = parse("f.arrow", &bytes, &ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::UnpacksTooMuch { .. }), "{error}");
    }
}
