//! Arrow files and streams (Feather version 2), and what they share with Parquet: columns of numbers in batches.

use crate::blocks::{Batches, Block, Blocks, Iter, MOST_RECORDS, Schema};
use crate::columns::{Selection, select};
use crate::dates::years;
use crate::error::{Error, Result};
use crate::format::Packing;
use crate::memory::{check_unpacked, reserve};
use crate::person::{Key, KeyType};
use crate::read::ReadOptions;
use crate::records::{Cell, Records};
use crate::source::{At, Bytes};
use crate::table::{Table, column_label};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch, new_empty_array};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Fields, TimeUnit};
use std::borrow::Cow;
use std::io::BufReader;

/// How an Arrow file begins and ends; a stream does not.
pub(crate) const MAGIC: &[u8; 6] = b"ARROW1";

/// Batches as a reader gives them.
type Reader = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// A file or stream that was looked at.
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
        crate::arrow_sizes::check(file, bytes)?;
        let reader = reader(bytes);
        let schema = match is_stream(bytes) {
            true => StreamReader::try_new(reader, None).map(|reader| reader.schema()),
            false => FileReader::try_new(reader, None).map(|reader| reader.schema()),
        };
        let columns = Columns::new(file, schema.map_err(|e| corrupt(file, e))?.fields(), options)?;
        Ok(Self { packing, columns })
    }
}

impl Blocks for ArrowFile {
    fn schema(&self) -> &Schema {
        &self.columns.schema
    }

    fn blocks(&self, bytes: Bytes, _: usize) -> Result<Iter<'_>> {
        let (file, columns) = (&self.columns.file, &self.columns);
        let bytes = bytes.unpacked(file, self.packing)?;
        let (reader, read) = (reader(&bytes), Some(columns.read.clone()));
        let batches: Result<Reader, ArrowError> = match is_stream(&bytes) {
            true => StreamReader::try_new(reader, read).map(|reader| Box::new(reader) as Reader),
            false => FileReader::try_new(reader, read).map(|reader| Box::new(reader) as Reader),
        };
        let mut rows = 0_usize;
        Ok(Box::new(batches.map_err(|e| corrupt(file, e))?.map(move |batch| {
            let batch = batch.map_err(|e| corrupt(file, e))?;
            let before = rows;
            rows = rows.saturating_add(batch.num_rows());
            check_unpacked(file, bytes.len(), (rows as u64).saturating_mul(8 * columns.selected.len() as u64))?;
            let decode = move || {
                let parts = (0..batch.num_rows()).step_by(MOST_RECORDS).map(move |first| {
                    let part = batch.slice(first, MOST_RECORDS.min(batch.num_rows() - first));
                    columns.batch(before + first, &part)
                });
                Ok(Box::new(parts) as Batches<'_>)
            };
            Ok(Block { batches: (rows - before).div_ceil(MOST_RECORDS) as u64, decode: Box::new(decode) })
        })))
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

/// The columns of a file that are read.
pub(crate) struct Columns {
    pub(crate) file: String,
    options: ReadOptions,
    names: Vec<String>,
    /// In the order in which they were chosen.
    pub(crate) selected: Vec<usize>,
    /// In the order of the file, each once.
    pub(crate) read: Vec<usize>,
    /// The column whose cells may be dates.
    dates: Option<usize>,
    pub(crate) schema: Schema,
}

impl Columns {
    /// Chooses columns, before any record is read.
    pub(crate) fn new(file: &str, fields: &Fields, options: &ReadOptions) -> Result<Self> {
        let names: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
        let choose = |selection: &Selection| selection.resolve(file, names.len(), Some(&names));
        let dates = options.dates_selection()?.map(|one| choose(&one)).transpose()?;
        let person_at = options.person_at(file, names.len(), Some(&names))?;
        let selected = select(file, options.selection()?.as_ref(), names.len(), Some(&names))?;
        let selected = options.without_person(selected, person_at)?;
        if selected.is_empty() {
            return Err(Error::NoRecords { file: file.to_owned() });
        }
        let mut read: Vec<usize> = selected.iter().chain(&person_at).copied().collect();
        read.sort_unstable();
        read.dedup();
        let schema = Schema {
            columns: selected.len(),
            names: Some(selected.iter().map(|&c| names[c].clone()).collect()),
            person_at,
            keys: None,
        };
        let dates = dates.and_then(|columns| columns.first().copied());
        let (file, options) = (file.to_owned(), options.clone());
        let mut columns = Self { file, options, names, selected, read, dates, schema };
        let nothing = |c: usize| new_empty_array(fields[c].data_type());
        columns.selected.iter().try_for_each(|&c| columns.cells(c, &nothing(c)).map(drop))?;
        if let Some(c) = person_at {
            columns.keys(c, &nothing(c))?;
            let values = match fields[c].data_type() {
                DataType::Dictionary(_, values) => values,
                other => other,
            };
            columns.schema.keys = Some(if values.is_integer() { KeyType::Integers } else { KeyType::Texts });
        }
        Ok(columns)
    }

    fn keys(&self, column: usize, array: &dyn Array) -> Result<Vec<Option<Key>>> {
        keys(array).map_err(|kind| Error::NoKeys { file: self.place(column), kind: kind.to_owned() })
    }

    fn cells(&self, column: usize, array: &dyn Array) -> Result<Vec<Cell>> {
        let cells = cells(array, self.dates == Some(column));
        cells.map_err(|kind| Error::NotNumeric { file: self.place(column), kind: kind.to_owned() })
    }

    fn place(&self, column: usize) -> String {
        format!("{}, column {},", self.file, column_label(column, Some(&self.names[column])))
    }

    /// The records of a batch of the columns [`read`](Columns::read), after as many as stand `before`.
    pub(crate) fn batch(&self, before: usize, batch: &RecordBatch) -> Result<(Table, usize)> {
        let person_at = self.schema.person_at;
        // every selected column is read
        let at = |c: &usize| self.read.binary_search(c).ok().and_then(|at| batch.columns().get(at));
        if person_at.is_none()
            && let Some(columns) = self.selected.iter().map(|c| at(c).and_then(|array| floats(array))).collect()
            && let Some(values) = self.interleaved(batch.num_rows(), columns)?
        {
            let (names, columns) = (self.schema.names.clone(), self.selected.len());
            let table = Table { before, names, values, rows: batch.num_rows(), ..Table::empty(&self.file, columns) };
            return Ok((table, batch.num_rows()));
        }
        let mut persons = vec![];
        let columns: Vec<Vec<Cell>> = self
            .read
            .iter()
            .zip(batch.columns())
            .map(|(&c, array)| match person_at == Some(c) {
                true => {
                    persons = self.keys(c, array)?;
                    Ok(vec![])
                }
                false => self.cells(c, array),
            })
            .collect::<Result<_>>()?;
        let names = self.schema.names.clone();
        let mut records = Records::new(&self.file, &self.selected, names, &self.options, before);
        #[expect(clippy::needless_range_loop)] // the columns are many
        for row in 0..batch.num_rows() {
            let at = |c| self.read.binary_search(&c).ok();
            if person_at.is_some() {
                records.of(persons.get_mut(row).and_then(Option::take), None)?;
            }
            records.push(None, |c| at(c).map_or(Cell::Missing, |at| columns[at][row].clone()))?;
        }
        let (table, seen) = records.finish();
        Ok((Table { person_at, ..table }, seen))
    }

    /// The numbers of `rows` records, if all of them are finite.
    fn interleaved(&self, rows: usize, columns: Vec<Cow<'_, [f64]>>) -> Result<Option<Vec<f64>>> {
        let is_finite = |column: &Cow<'_, [f64]>| column.iter().fold(true, |all, x| all & x.is_finite());
        if !columns.iter().all(is_finite) {
            return Ok(None);
        }
        let mut values = vec![];
        reserve(&self.file, &mut values, rows * columns.len())?;
        for first in (0..rows).step_by(512) {
            let last = rows.min(first + 512); // in parts, so that what is written stays in the cache
            let begin = values.len();
            values.resize(begin + (last - first) * columns.len(), 0.0);
            for (c, column) in columns.iter().enumerate() {
                let places = values[begin + c..].iter_mut().step_by(columns.len());
                places.zip(&column[first..last]).for_each(|(place, x)| *place = *x);
            }
        }
        Ok(Some(values))
    }
}

/// The numbers of a column of floats without nulls.
fn floats(column: &dyn Array) -> Option<Cow<'_, [f64]>> {
    if column.null_count() > 0 {
        return None;
    }
    match column.data_type() {
        DataType::Float64 => Some(Cow::Borrowed(column.as_primitive::<Float64Type>().values())),
        DataType::Float32 => {
            Some(column.as_primitive::<Float32Type>().values().iter().map(|&x| f64::from(x)).collect())
        }
        _ => None,
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

    fn parse(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table> {
        crate::read_bytes(file, bytes.to_vec(), options)
    }

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
