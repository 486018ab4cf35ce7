//! Parquet files of numbers, one record a row.

use crate::columns::select;
use crate::error::{Error, Place, Result};
use crate::read::ReadOptions;
use crate::table::{Table, column_label};
use ::parquet::data_type::Decimal;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;
use ::parquet::schema::types::Type;
use bytes::Bytes;
use std::panic::catch_unwind;

/// The parquet crate asserts what a damaged file need not fulfil; its panics become an error here.
pub(crate) fn parse(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table> {
    let damaged = |_| Error::Corrupt { file: file.to_owned(), format: "Parquet", reason: "it is damaged".to_owned() };
    catch_unwind(|| parse_unguarded(file, bytes, options)).map_err(damaged)?
}

fn parse_unguarded(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table> {
    let corrupt = |e: ::parquet::errors::ParquetError| Error::Corrupt {
        file: file.to_owned(),
        format: "Parquet",
        reason: e.to_string(),
    };
    let reader = SerializedFileReader::new(Bytes::from(bytes)).map_err(corrupt)?;
    let schema = reader.metadata().file_metadata().schema();
    let all: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let selected = select(file, options.selection()?.as_ref(), all.len(), Some(&all))?;
    if selected.is_empty() {
        return Err(Error::NoRecords { file: file.to_owned() });
    }

    // A projection keeps the order of the file; the selection gives its own.
    let mut read = selected.clone();
    read.sort_unstable();
    read.dedup();
    let position: Vec<usize> = selected.iter().filter_map(|c| read.binary_search(c).ok()).collect();
    let fields = read.iter().map(|&c| schema.get_fields()[c].clone()).collect();
    let projection = Type::group_type_builder(schema.name()).with_fields(fields).build().map_err(corrupt)?;

    let mut values = vec![];
    for (row, fields) in reader.get_row_iter(Some(projection)).map_err(corrupt)?.enumerate() {
        let fields = fields.map_err(corrupt)?;
        let fields: Vec<&Field> = fields.get_column_iter().map(|(_, field)| field).collect();
        for (&c, &at) in selected.iter().zip(&position) {
            let column = || column_label(c, Some(&all[c]));
            let value = number(fields[at]).map_err(|kind| Error::NotNumeric {
                file: format!("{file}, column {},", column()),
                kind: kind.to_owned(),
            })?;
            if value.is_none() && !options.keep_non_finite {
                let place = Place { row: row + 1, line: None, column: column() };
                return Err(Error::Missing { file: file.to_owned(), place });
            }
            values.push(value.unwrap_or(f64::NAN));
        }
    }

    let names = selected.iter().map(|&c| all[c].clone()).collect();
    let table = Table { names: Some(names), ..Table::new(file, selected.len(), values)? };
    if !options.keep_non_finite {
        table.check_finite(&selected)?;
    }
    Ok(table)
}

/// The number in a cell, `None` for a null, or the kind of thing it is instead.
fn number(field: &Field) -> Result<Option<f64>, &'static str> {
    Ok(Some(match field {
        Field::Null => return Ok(None),
        Field::Bool(x) => f64::from(*x),
        Field::Byte(x) => f64::from(*x),
        Field::Short(x) => f64::from(*x),
        Field::Int(x) => f64::from(*x),
        Field::Long(x) => *x as f64,
        Field::UByte(x) => f64::from(*x),
        Field::UShort(x) => f64::from(*x),
        Field::UInt(x) => f64::from(*x),
        Field::ULong(x) => *x as f64,
        Field::Float16(x) => f64::from(*x),
        Field::Float(x) => f64::from(*x),
        Field::Double(x) => *x,
        Field::Decimal(x) => decimal(x).ok_or("decimals of more than 128 bits")?,
        Field::Str(_) | Field::Bytes(_) => return Err("strings"),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => return Err("nested values"),
        _ => return Err("dates or times"),
    }))
}

/// `unscaled · 10^-scale`, the unscaled number in big-endian two's complement.
fn decimal(decimal: &Decimal) -> Option<f64> {
    let bytes = decimal.data();
    let sign = if bytes.first()? >> 7 == 1 { 0xff } else { 0 };
    let mut wide = [sign; 16];
    wide[16usize.checked_sub(bytes.len())?..].copy_from_slice(bytes);
    Some(i128::from_be_bytes(wide) as f64 / 10f64.powi(decimal.scale()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::basic::{Compression, ZstdLevel};
    use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
    use ::parquet::schema::parser::parse_message_type;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn write_column<T: DataType>(
        group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
        values: &[T::T],
        defined: Option<&[i16]>,
    ) {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<T>().write_batch(values, defined, None).unwrap();
        column.close().unwrap();
    }

    /// Columns name, x, n, flag, with `x` as given and NULL where it is `None`.
    fn file(x: &[Option<f64>], compression: Compression) -> Vec<u8> {
        let schema =
            "message m { required binary name (UTF8); optional double x; required int32 n; required boolean flag; }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
        let mut writer = SerializedFileWriter::new(vec![], schema, properties).unwrap();
        let mut group = writer.next_row_group().unwrap();
        write_column::<ByteArrayType>(&mut group, &vec![ByteArray::from("a"); x.len()], None);
        let defined: Vec<i16> = x.iter().map(|x| i16::from(x.is_some())).collect();
        write_column::<DoubleType>(&mut group, &x.iter().copied().flatten().collect::<Vec<_>>(), Some(&defined));
        write_column::<Int32Type>(&mut group, &(1..=x.len() as i32).collect::<Vec<_>>(), None);
        write_column::<BoolType>(&mut group, &vec![true; x.len()], None);
        group.close().unwrap();
        writer.into_inner().unwrap()
    }

    fn parse_columns(bytes: Vec<u8>, columns: Option<&str>) -> Result<Table> {
        parse("f.parquet", bytes, &ReadOptions { columns: columns.map(str::to_owned), ..Default::default() })
    }

    #[test]
    fn selected_columns_are_read_in_the_order_asked_for() {
        let zstd = Compression::ZSTD(ZstdLevel::default());
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, zstd, Compression::GZIP(Default::default())]
        {
            let bytes = file(&[Some(0.5), Some(-2.0)], compression);
            let table = parse_columns(bytes.clone(), Some("flag,n,x")).unwrap();
            assert_eq!(table.values, [1.0, 1.0, 0.5, 1.0, 2.0, -2.0]);
            assert_eq!(table.names, Some(["flag", "n", "x"].map(str::to_owned).to_vec()));
            assert_eq!(parse_columns(bytes, Some("2-3")).unwrap().values, [0.5, 1.0, -2.0, 2.0]);
        }
    }

    #[test]
    fn nulls_strings_and_infinities_are_refused_with_their_place() {
        let sentence = |x, columns| {
            parse_columns(file(&[Some(1.0), x], Compression::SNAPPY), Some(columns)).unwrap_err().to_string()
        };
        assert_eq!(
            sentence(None, "x"),
            "f.parquet: record 2, column 2 (x): the value is missing; fill it in or leave the record out"
        );
        assert_eq!(
            sentence(Some(f64::INFINITY), "x"),
            "f.parquet: record 2, column 2 (x): inf is not a finite number; correct it or leave the record out"
        );
        assert_eq!(
            sentence(None, "name"),
            "f.parquet, column 1 (name), holds strings: expected floats, integers or booleans"
        );
        assert_eq!(sentence(None, "y"), "f.parquet has no column `y`: its columns are name, x, n, flag");
    }

    #[test]
    fn kept_nulls_are_nan() {
        let options = ReadOptions { columns: Some("x".to_owned()), keep_non_finite: true, ..Default::default() };
        let table = parse("f.parquet", file(&[None, Some(1.0)], Compression::SNAPPY), &options).unwrap();
        assert!(table.values[0].is_nan() && table.values[1] == 1.0);
    }

    #[test]
    fn file_without_records_is_refused() {
        let error = parse_columns(file(&[], Compression::SNAPPY), Some("x")).unwrap_err();
        assert!(matches!(error, Error::NoRecords { .. }), "{error}");
    }

    #[test]
    fn decimals_are_scaled() {
        assert_eq!(decimal(&Decimal::from_i32(-1234, 9, 2)), Some(-12.34));
        assert_eq!(decimal(&Decimal::from_i64(1234, 9, 0)), Some(1234.0));
    }

    proptest! {
        #[test]
        fn damaged_files_never_panic(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
            let mut bytes = file(&[Some(1.0), None, Some(3.0)], Compression::SNAPPY);
            for (index, byte) in damage {
                let at = index.index(bytes.len());
                bytes[at] = byte;
            }
            let _ = parse_columns(bytes, Some("x,n,flag"));
        }
    }
}
