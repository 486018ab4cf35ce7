//! Parquet files of numbers, one record a row.

pub(crate) mod sizes;

use crate::error::{Error, Result};
use crate::format::Packing;
use crate::formats::arrow::Columns;
use crate::formats::arrow::lists::First;
use crate::formats::blocks::{Batches, Block, Blocks, How, Iter, MOST_RECORDS, Schema};
use crate::memory::check_unpacked;
use crate::options::ReadOptions;
use crate::source::{At, Bytes};
use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use ::parquet::errors::Result as ParquetResult;
use ::parquet::file::reader::{ChunkReader, Length};
use arrow_schema::{DataType as ArrowType, Field, Schema as ArrowSchema};
use std::io::BufReader;
use std::sync::Arc;

/// A file whose metadata were read.
pub(crate) struct ParquetFile {
    packing: Option<Packing>,
    metadata: ArrowReaderMetadata,
    projection: ProjectionMask,
    columns: Columns,
}

impl ParquetFile {
    pub(crate) fn open(file: &str, bytes: &Bytes, packing: Option<Packing>, options: &ReadOptions) -> Result<Self> {
        let bytes = &bytes.unpacked(file, packing)?;
        if bytes.len() == 0 {
            return Err(Error::Empty { file: file.to_owned() });
        }
        sizes::check_schema(bytes).map_err(|reason| corrupt(file, reason))?;
        // Arrow's own schema may contradict that of Parquet, but only it has the lengths of lists
        let load = |skip| ArrowReaderMetadata::load(bytes, ArrowReaderOptions::new().with_skip_arrow_metadata(skip));
        let mut metadata = load(true).map_err(|e| corrupt(file, e))?;
        if metadata.schema().fields().iter().any(|field| matches!(field.data_type(), ArrowType::List(_))) {
            metadata = load(false).map_err(|e| corrupt(file, e))?;
        }
        let of_fields = |fields: &[usize]| ProjectionMask::roots(metadata.parquet_schema(), fields.iter().copied());
        let groups = metadata.metadata().row_groups();
        let rows = groups.iter().fold(0u64, |rows, group| rows.saturating_add(group.num_rows() as u64));
        check_unpacked(file, bytes.len(), rows.saturating_mul(8))?;
        let first = |field: usize| {
            let projection = of_fields(&[field]);
            check_pages(file, bytes, &metadata, &projection)?;
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata.clone());
            let reader = builder.with_projection(projection).with_batch_size(1024).build();
            for batch in reader.map_err(|e| corrupt(file, e))? {
                if let Some(first) = First::of(batch.map_err(|e| corrupt(file, e))?.column(0)) {
                    return Ok(Some(first));
                }
            }
            Ok(None)
        };
        let said = load(false).ok().map(|metadata| metadata.schema().clone());
        let schema =
            said.map_or_else(|| metadata.schema().as_ref().clone(), |said| with_metadata(metadata.schema(), &said));
        let columns = Columns::new(file, &schema, &first, options)?;
        let projection = of_fields(&columns.read);
        check_unpacked(file, bytes.len(), rows.saturating_mul(8 * columns.selected.len() as u64))?;
        check_pages(file, bytes, &metadata, &projection)?;
        Ok(Self { packing, metadata, projection, columns })
    }
}

/// The schema of the file, with what Arrow's own schema says of the columns with the same names.
fn with_metadata(schema: &ArrowSchema, said: &ArrowSchema) -> ArrowSchema {
    let field = |field: &Arc<Field>| {
        let metadata = said.field_with_name(field.name()).map(|said| said.metadata().clone()).unwrap_or_default();
        field.as_ref().clone().with_metadata(metadata)
    };
    ArrowSchema::new_with_metadata(schema.fields().iter().map(field).collect::<Vec<_>>(), said.metadata().clone())
}

/// Refuses columns whose pages would take far more memory than the file.
fn check_pages(file: &str, bytes: &Bytes, metadata: &ArrowReaderMetadata, projection: &ProjectionMask) -> Result<()> {
    let mut unpacked = 0u64;
    for group in metadata.metadata().row_groups() {
        for (leaf, column) in group.columns().iter().enumerate() {
            if projection.leaf_included(leaf) {
                let (begin, len) = column.byte_range();
                unpacked = unpacked.saturating_add(sizes::pages(bytes, begin, len));
                check_unpacked(file, bytes.len(), unpacked)?;
            }
        }
    }
    Ok(())
}

impl Blocks for ParquetFile {
    fn schema(&self) -> &Schema {
        &self.columns.schema
    }

    fn axes(&self) -> &[u64] {
        &self.columns.axes
    }

    fn described(&self) -> Option<&[String]> {
        self.columns.described.as_deref()
    }

    /// A block is a group of rows.
    fn blocks<'a>(&'a self, bytes: Bytes, how: How<'a>) -> Result<Iter<'a>> {
        let file = &self.columns.file;
        let bytes = bytes.unpacked(file, self.packing)?;
        let mut rows = 0_usize;
        let groups = self.metadata.metadata().row_groups().iter().enumerate();
        Ok(Box::new(groups.map(move |(group, metadata)| {
            let (before, bytes) = (rows, bytes.clone());
            rows = rows.saturating_add(usize::try_from(metadata.num_rows()).unwrap_or(0));
            let decode = move || {
                let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, self.metadata.clone());
                let builder = builder.with_row_groups(vec![group]).with_projection(self.projection.clone());
                let reader = builder.with_batch_size(MOST_RECORDS).build().map_err(|e| corrupt(file, e))?;
                let mut first = before;
                Ok(Box::new(reader.map(move |batch| {
                    let batch = batch.map_err(|e| corrupt(file, e))?;
                    first += batch.num_rows();
                    self.columns.batch(first - batch.num_rows(), &batch, how.wanted)
                })) as Batches<'a>)
            };
            Ok(Block { batches: (rows - before).div_ceil(MOST_RECORDS) as u64, decode: Box::new(decode) })
        })))
    }
}

fn corrupt(file: &str, reason: impl ToString) -> Error {
    Error::Corrupt { file: file.to_owned(), format: "Parquet", reason: reason.to_string() }
}

impl Length for Bytes {
    fn len(&self) -> u64 {
        Bytes::len(self)
    }
}

impl ChunkReader for Bytes {
    type T = BufReader<At>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(BufReader::with_capacity(1 << 12, self.at(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        Ok(self.range(start, length)?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;
    use ::parquet::basic::{BrotliLevel, Compression, ZstdLevel};
    use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
    use ::parquet::schema::parser::parse_message_type;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn parse(file: &str, bytes: Vec<u8>, options: &ReadOptions) -> Result<Table> {
        crate::read_bytes(file, bytes, options)
    }

    fn write_column<T: DataType>(
        group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
        values: &[T::T],
        defined: Option<&[i16]>,
    ) {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<T>().write_batch(values, defined, None).unwrap();
        column.close().unwrap();
    }

    /// What a writer of Arrow says of the columns is read: units, and the index of pandas, which is no column.
    #[test]
    fn metadata_of_columns_are_those_of_arrow_files() {
        use ::parquet::arrow::ArrowWriter;
        use arrow_array::{Float64Array, RecordBatch};
        let field = |name: &str, unit: &str| {
            Field::new(name, ArrowType::Float64, false).with_metadata([("unit".to_owned(), unit.to_owned())].into())
        };
        let pandas = r#"{"index_columns": ["subject"], "columns": []}"#;
        let fields = vec![field("subject", ""), field("lat", "rad"), field("lon", "rad")];
        let schema = ArrowSchema::new_with_metadata(fields, [("pandas".to_owned(), pandas.to_owned())].into());
        let column = || Arc::new(Float64Array::from(vec![0.25, 0.5])) as _;
        let batch = RecordBatch::try_new(Arc::new(schema), vec![column(), column(), column()]).unwrap();
        let mut writer = ArrowWriter::try_new(vec![], batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        let bytes = writer.into_inner().unwrap();
        assert_eq!(parse("f.parquet", bytes.clone(), &ReadOptions::default()).unwrap().columns, 2);
        let stream = crate::Stream::of_bytes("f.parquet", bytes, &ReadOptions::default()).unwrap();
        let sphere = karcher::manifold::Sphere::new(2).unwrap();
        let check = |layout| stream.check_layout(&sphere, &crate::layout(&sphere, Some(layout)).unwrap(), &[]);
        assert!(check("latlon").unwrap_err().to_string().contains("--layout latlon-radians"));
        check("latlon-radians").unwrap();
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
        let brotli = Compression::BROTLI(BrotliLevel::default());
        let gzip = Compression::GZIP(Default::default());
        for compression in
            [Compression::UNCOMPRESSED, Compression::SNAPPY, zstd, gzip, brotli, Compression::LZ4, Compression::LZ4_RAW]
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
            "f.parquet: record 2, column 2 (x): the value is missing; fill it in, or choose \
             --missing drop (leaves such records out) or --missing center (replaces them with the center of the ball)"
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
    fn keys_of_persons_may_be_of_any_type() {
        use crate::Key;
        let bytes = file(&[Some(1.0), Some(2.0)], Compression::SNAPPY);
        let read = |person: &str, columns: Option<&str>| {
            let (person, columns) = (Some(person.to_owned()), columns.map(str::to_owned));
            parse("f.parquet", bytes.clone(), &ReadOptions { person, columns, ..Default::default() })
        };
        let by_name = read("name", None).unwrap();
        assert_eq!((by_name.persons, by_name.columns), (vec![Key::Text("a".to_owned()); 2], 3));
        let by_number = read("3", Some("x")).unwrap();
        assert_eq!((by_number.persons, by_number.values), (vec![Key::Integer(1), Key::Integer(2)], vec![1.0, 2.0]));
        for person in ["x", "flag"] {
            assert_eq!(read(person, Some("n")).unwrap().persons[0], Key::Integer(1));
        }
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a.csv", "f.parquet"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
        std::fs::write(&paths[0], "x,n\n1,1\n").unwrap();
        std::fs::write(&paths[1], &bytes).unwrap();
        let options = ReadOptions { person: Some("n".into()), columns: Some("x".into()), ..Default::default() };
        assert_eq!(crate::read_all(&paths, &options).unwrap().persons, [1, 1, 2].map(Key::Integer)); // texts and integers
    }

    #[test]
    fn lists_of_one_length_are_as_many_columns() {
        use arrow_array::{ArrayRef, FixedSizeListArray, Float64Array, RecordBatch};
        let numbers: ArrayRef = Arc::new(Float64Array::from_iter_values((0..6).map(f64::from)));
        let item = Arc::new(arrow_schema::Field::new("item", ArrowType::Float64, true));
        let lists: ArrayRef = Arc::new(FixedSizeListArray::new(item, 3, numbers, None));
        let batch = RecordBatch::try_from_iter([("x", lists)]).unwrap();
        let mut writer = ::parquet::arrow::ArrowWriter::try_new(vec![], batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        let bytes = writer.into_inner().unwrap();
        let table = parse_columns(bytes.clone(), None).unwrap();
        assert_eq!((table.rows, table.columns, table.values), (2, 3, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0]));
        assert_eq!(parse_columns(bytes, Some("x[2]")).unwrap().values, [2.0, 5.0]);
    }

    #[test]
    fn lists_of_any_length_are_as_many_columns_as_the_first_has() {
        use arrow_array::types::Float64Type;
        use arrow_array::{ArrayRef, ListArray, RecordBatch};
        let write = |rows: &[Option<Vec<f64>>]| {
            let rows = rows.iter().map(|row| row.as_ref().map(|row| row.iter().map(|x| Some(*x)).collect::<Vec<_>>()));
            let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(rows));
            let batch = RecordBatch::try_from_iter_with_nullable([("x", lists, true)]).unwrap();
            let mut writer = ::parquet::arrow::ArrowWriter::try_new(vec![], batch.schema(), None).unwrap();
            writer.write(&batch).unwrap();
            writer.into_inner().unwrap()
        };
        let (a, b) = (Some(vec![1.0, 2.0]), Some(vec![3.0, 4.0]));
        for columns in [None, Some("x"), Some("1-2")] {
            assert_eq!(parse_columns(write(&[a.clone(), b.clone()]), columns).unwrap().values, [1.0, 2.0, 3.0, 4.0]);
        }
        let error = parse_columns(write(&[a.clone(), Some(vec![5.0])]), None).unwrap_err().to_string();
        assert!(error.contains("record 2, column 1 (x[0]): the list has 1 numbers"), "{error}");
        let options = ReadOptions { missing: crate::Missing::Drop, ..Default::default() };
        assert_eq!(parse("f.parquet", write(&[None, a, None, b]), &options).unwrap().values, [1.0, 2.0, 3.0, 4.0]);
        assert!(matches!(parse("f.parquet", write(&[None, None]), &options), Err(Error::AllMissing { .. })));
        // a few numbers that claim to be of many records
        let many: Vec<_> = (0..70_000).map(|i| (i == 0).then(|| vec![0.0; 10_000])).collect();
        assert!(matches!(parse("f.parquet", write(&many), &options), Err(Error::UnpacksTooMuch { .. })));
    }

    #[test]
    fn batches_of_several_groups_know_their_places() {
        let schema = Arc::new(parse_message_type("message m { required double x; }").unwrap());
        let mut writer = SerializedFileWriter::new(vec![], schema, Default::default()).unwrap();
        for group in [vec![1.0; 70_000], vec![], vec![2.0; 5], vec![f64::NAN]] {
            let mut rows = writer.next_row_group().unwrap();
            write_column::<DoubleType>(&mut rows, &group, None);
            rows.close().unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        let error = parse_columns(bytes.clone(), None).unwrap_err().to_string();
        assert!(error.contains("record 70006, column 1 (x)"), "{error}");
        let options = ReadOptions { missing: crate::Missing::Drop, ..Default::default() };
        let stream = crate::Stream::of_bytes("f.parquet", bytes, &options).unwrap();
        let places = std::sync::Mutex::new(vec![]);
        let note = |batch: crate::Batch| {
            places.lock().unwrap().push((batch.index, batch.table.rows, batch.table.place(0).1));
            Ok::<(), Error>(())
        };
        stream.pass(&|_| {}, note).unwrap();
        let mut places = places.into_inner().unwrap();
        places.sort_unstable();
        let places: Vec<_> = places.iter().map(|(_, rows, first)| (*rows, *first)).collect();
        assert_eq!(places, [(65_536, 1), (4464, 65_537), (5, 70_001)]);
    }

    #[test]
    fn kept_nulls_are_nan() {
        let options = ReadOptions { columns: Some("x".to_owned()), keep_non_finite: true, ..Default::default() };
        let table = parse("f.parquet", file(&[None, Some(1.0)], Compression::SNAPPY), &options).unwrap();
        assert!(table.values[0].is_nan() && table.values[1] == 1.0);
    }

    #[test]
    fn dates_of_the_predictor_and_decimals_are_numbers() {
        let schema = "message m { required int32 day (DATE); required int64 time (TIMESTAMP_MILLIS); \
                      required int32 price (DECIMAL(9, 2)); }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut writer = SerializedFileWriter::new(vec![], schema, Default::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        write_column::<Int32Type>(&mut group, &[365], None); // days since 1970
        write_column::<Int64Type>(&mut group, &[-365 * 86_400_000], None);
        write_column::<Int32Type>(&mut group, &[-1234], None);
        group.close().unwrap();
        let bytes = writer.into_inner().unwrap();
        for (dates, year) in [("day", 1971.0), ("time", 1969.0)] {
            let columns = Some(format!("price,{dates}"));
            let options = ReadOptions { columns, dates: Some(dates.to_owned()), ..Default::default() };
            assert_eq!(parse("f.parquet", bytes.clone(), &options).unwrap().values, [-12.34, year]);
        }
        let error = parse_columns(bytes, Some("day")).unwrap_err().to_string();
        assert!(error.contains("holds dates or times"), "{error}");
    }

    #[test]
    fn a_page_that_does_not_fulfil_its_checksum_is_refused() {
        let schema = Arc::new(parse_message_type("message m { required double x; }").unwrap());
        let properties =
            WriterProperties::builder().set_dictionary_enabled(false).set_write_page_header_statistics(true).build();
        let mut writer = SerializedFileWriter::new(vec![], schema, Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        write_column::<DoubleType>(&mut group, &[1.25, 2.5], None);
        group.close().unwrap();
        let mut bytes = writer.into_inner().unwrap();
        // the crate writes no checksum: a header with one, of the same length, takes the place of the page's
        let values = [1.25f64.to_le_bytes(), 2.5f64.to_le_bytes()].concat();
        let data = bytes.windows(16).position(|window| window == values).unwrap();
        let mut sum = flate2::Crc::new();
        sum.update(&bytes[data..data + 16]);
        let sum = sum.sum() as i32;
        let mut zigzag = (sum << 1 ^ sum >> 31) as u32;
        let mut header = vec![0x15, 0, 0x15, 32, 0x15, 32, 0x15]; // type, 16 bytes, 16 bytes, checksum
        while zigzag >= 128 {
            header.push(zigzag as u8 | 128);
            zigzag >>= 7;
        }
        header.extend([zigzag as u8, 0x1c, 0x15, 4, 0x15, 0, 0x15, 6, 0x15, 6, 0]); // two plain values
        let padding = data - 4 - header.len() - 3;
        header.extend([0xf8, padding as u8]); // a string in field 20, which no reader knows
        header.extend(vec![0; padding + 1]);
        bytes.splice(4..data, header);
        assert_eq!(parse_columns(bytes.clone(), None).unwrap().values, [1.25, 2.5]);
        let at = bytes.windows(8).position(|window| window == 2.5f64.to_le_bytes()).unwrap();
        bytes[at] ^= 1; // 2.5000000000000004
        let error = parse_columns(bytes, None).unwrap_err().to_string();
        assert!(error.contains("checksum"), "{error}");
    }

    /// A column of `rows` equal numbers, which a dictionary packs into a few bytes.
    fn constant(rows: usize, compression: Compression) -> Vec<u8> {
        let schema = Arc::new(parse_message_type("message m { required double x; }").unwrap());
        let properties = WriterProperties::builder().set_compression(compression).build();
        let mut writer = SerializedFileWriter::new(vec![], schema, Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let ones = vec![1.0; 1 << 20];
        (0..rows >> 20).for_each(|_| {
            column.typed::<DoubleType>().write_batch(&ones, None, None).unwrap();
        });
        column.close().unwrap();
        group.close().unwrap();
        writer.into_inner().unwrap()
    }

    #[test]
    fn small_files_that_unpack_to_gigabytes_are_refused_before_they_do() {
        // the number of its records, 2²⁰, wherever it stands, becomes 2²⁶
        let mut bytes = constant(1 << 20, Compression::SNAPPY);
        let [few, many] = [[0x80, 0x80, 0x80, 0x01], [0x80, 0x80, 0x80, 0x40]];
        while let Some(at) = bytes.windows(4).position(|window| window == few) {
            bytes[at..at + 4].copy_from_slice(&many);
        }
        let error = parse_columns(bytes, None).unwrap_err();
        assert!(matches!(error, Error::UnpacksTooMuch { .. }), "{error}");
        assert_eq!(parse_columns(constant(1 << 20, Compression::SNAPPY), None).unwrap().rows, 1 << 20);
    }

    #[test]
    fn a_schema_nested_without_end_is_refused() {
        // FileMetaData { 2: [SchemaElement { 4: "a", 5: 1 child }; n] } in Thrift's compact protocol
        let n = 1_000_000_u64;
        let mut metadata = vec![0x29, 0xfc];
        metadata.extend([(n & 127) as u8 | 128, (n >> 7 & 127) as u8 | 128, (n >> 14) as u8]);
        (0..n).for_each(|_| metadata.extend([0x48, 1, b'a', 0x15, 2, 0]));
        metadata.push(0);
        let len = (metadata.len() as u32).to_le_bytes();
        let bytes = [b"PAR1", &metadata[..], &len, b"PAR1"].concat();
        let error = parse_columns(bytes, None).unwrap_err().to_string();
        assert!(error.contains("nested too deep"), "{error}");
        // two billion children of the root
        let metadata = [0x29, 0x1c, 0x48, 1, b'a', 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0, 0];
        let bytes = [b"PAR1", &metadata[..], &(metadata.len() as u32).to_le_bytes(), b"PAR1"].concat();
        let error = parse_columns(bytes, None).unwrap_err().to_string();
        assert!(error.contains("more columns than there are"), "{error}");
    }

    #[test]
    fn file_without_records_is_refused() {
        let error = parse_columns(file(&[], Compression::SNAPPY), Some("x")).unwrap_err();
        assert!(matches!(error, Error::NoRecords { .. }), "{error}");
    }

    proptest! {
        #[test]
        fn damaged_files_never_panic(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
            let mut bytes = file(&[Some(1.0), None, Some(3.0)], Compression::SNAPPY);
            for (index, byte) in damage {
                let at = index.index(bytes.len());
                bytes[at] = byte;
            }
            let options = ReadOptions { columns: Some("x,n,flag".to_owned()), ..Default::default() };
            let _ = crate::read_bytes("f.parquet", bytes, &options);
        }
    }
}
