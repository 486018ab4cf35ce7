//! Malformed files by the thousand: any bytes give a table or an error, in little memory and time.
//!
//! Files that were valid are cut, flipped, spliced, and given absurd numbers where their sizes may stand. Child
//! processes read them, with 2 GB of memory and a minute of processor time a batch. So aborts and endless loops are
//! found too. More cases: `KARCHER_MALFORMED=100000 cargo test -p karcher-io --features parquet --test malformed`.
#![cfg(unix)]

use karcher_io::{Covariate, Missing, ReadOptions, read_bytes};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files in a batch.
const BATCH: u64 = 100;

/// Limits of a child, in kilobytes and seconds.
const LIMITS: &str = "ulimit -v 2000000; ulimit -t 60; exec \"$@\"";

#[test]
fn malformed_files_are_read_or_refused_in_little_memory_and_time() {
    let cases: u64 = std::env::var("KARCHER_MALFORMED").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let seeds = seeds();
    for batch in 0..cases.div_ceil(BATCH) {
        let folder = tempfile::tempdir().unwrap();
        for case in batch * BATCH..((batch + 1) * BATCH).min(cases) {
            let mut random = Random(case);
            let (name, bytes) = &seeds[random.below(seeds.len())];
            let file = folder.path().join(format!("{case}.{name}"));
            std::fs::write(file, malformed(bytes.clone(), &mut random)).unwrap();
        }
        let output = child(folder.path());
        let said = String::from_utf8_lossy(&output.stdout);
        let last = said.lines().rfind(|line| line.contains("reading ")).unwrap_or("nothing");
        let reason = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{last}: {}\n{reason}", output.status);
        assert!(reason.is_empty(), "{last}: on standard error stands {reason}");
    }
}

fn child(folder: &Path) -> std::process::Output {
    Command::new("sh")
        .args(["-c", LIMITS, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_reads_a_folder", "--ignored", "--nocapture", "--test-threads", "1"])
        .env("KARCHER_FOLDER", folder)
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .unwrap()
}

#[test]
#[ignore = "the child of the other test"]
fn child_that_reads_a_folder() {
    let Some(folder) = std::env::var_os("KARCHER_FOLDER") else { return };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let levels = Some(vec!["a".to_owned(), "1".to_owned()]);
    let covariates = vec![
        Covariate { column: "1".to_owned(), levels, dates: true },
        Covariate { column: "2".to_owned(), levels: None, dates: true },
    ];
    for file in files {
        let name = file.to_str().unwrap();
        println!("reading {name}");
        let bytes = std::fs::read(&file).unwrap();
        for options in [
            ReadOptions::default(),
            ReadOptions { columns: Some("x,n".to_owned()), missing: Missing::Keep, ..Default::default() },
            ReadOptions { columns: Some("2".to_owned()), dates: Some("1".to_owned()), ..Default::default() },
            ReadOptions { covariates: covariates.clone(), missing: Missing::Keep, ..Default::default() },
            ReadOptions { header: Some(true), keep_non_finite: true, decimal_comma: true, ..Default::default() },
            ReadOptions { header: Some(false), missing: Missing::Drop, delimiter: Some(b' '), ..Default::default() },
            ReadOptions { person: Some("ID".to_owned()), comments: Some(b'#'), skip_lines: 1, ..Default::default() },
            ReadOptions { record_len: Some(2), keep_non_finite: true, skip_after_header: 1, ..Default::default() },
        ] {
            match read_bytes(name, bytes.clone(), &options) {
                Ok(table) => assert_eq!(table.values.len(), table.rows * table.columns, "{name}"),
                Err(error) => assert!(!error.to_string().contains(char::is_control), "{name}: {error:?}"),
            }
        }
    }
}

/// SplitMix64: the same cases in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// One to four kinds of damage.
fn malformed(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.splice(..at.min(40), [])),
            2 | 3 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            4 if !bytes.is_empty() => bytes[at] = [0, 0x7f, 0x80, 0xff, b'"', b'\n', b'#', b'9'][random.below(8)],
            5 => {
                // a size that is absurd, where one may stand
                let sizes = [i32::MAX as u64, u32::MAX.into(), 1 << 31, 1 << 40, i64::MAX as u64, u64::MAX, 0];
                let size = sizes[random.below(sizes.len())].to_le_bytes();
                let len = [4, 8][random.below(2)];
                bytes.iter_mut().skip(at).zip(&size[..len]).for_each(|(byte, new)| *byte = *new);
            }
            6 => {
                let piece = bytes[at..].iter().copied().take(random.below(300)).collect::<Vec<_>>();
                let to = random.below(bytes.len());
                bytes.splice(to..to, piece);
            }
            _ => {
                let zeros = vec![[0, b'9', 0xff][random.below(3)]; random.below(200)];
                bytes.splice(at..at, zeros);
            }
        }
    }
    bytes
}

/// Valid files, each with the end of its name.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let csv = "name,x,n\na,0.5,1\n\"b,\",-2e3,2\n".repeat(3).replace("\nname,x,n", "");
    let utf16: Vec<u8> = [0xfeff].into_iter().chain(csv.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let columns = "# day x\n2001-02-03 1,5\n\n2001-02-04T05:06:07 2,5\n";
    #[cfg_attr(not(feature = "parquet"), expect(unused_mut))]
    let mut seeds = vec![
        ("csv", csv.clone().into_bytes()),
        ("txt", columns.into()),
        ("tsv", utf16),
        ("csv", b"x\n1\n\n3\n".to_vec()),
        ("csv", b"x n \"y\n1 \"2\" #\n\"a \"\"b\" 3 \\\"\n".to_vec()),
        ("tps", b"LM=2\n1 2\n-1 -1\nCURVES=1\nPOINTS=1\n3 4\nID=x\nSCALE=0.5\n".repeat(3)),
        ("tps.gz", gzip(b"LM3=1\n1 2 3\nID=x\nLM3=1\n4 NA 6\nIMAGE=1\n")),
        (
            "g2o",
            b"# graph\nVERTEX_SE3:QUAT 0 1 2 3 0 0 0 1\nVERTEX_SE3:QUAT 1 1 NA 3 0 0 0 1\nEDGE_SE3:QUAT 0 1 0\n"
                .to_vec(),
        ),
        ("g2o.gz", gzip(b"VERTEX_SE3:QUAT 7 1e9 -2 .5 1 0 0 0\r\nFIX 7\r\n5 6\r\n")),
        ("nts", b"\"apes\n1 2L 6 1 9999 DIM=3\na b\n1 2 3 4 5 6\n1 2 3 9999 9999 9999\n".to_vec()),
        (
            "morphologika",
            b"[individuals]\n2\n[landmarks]\n2\n[dimensions]\n2\n[names]\na\nb\n[rawpoints]\n'#1\n1 2\n3 4\n'#2\n5 6\n7 8\n"
                .to_vec(),
        ),
        ("pts", b"Version 1.0\n2\nS000 1 2 3\nS001 9999 9999 9999\n".to_vec()),
        ("pts", b"version: 1\nn_points: 2\n{\n1 2\n3 4\n}\n".to_vec()),
        ("fcsv", b"# CoordinateSystem = 0\n# columns = id,x,y,z,label\n1,2,3,4,a\n2,5,6,7,b\n".to_vec()),
        ("mrk.json", br#"{"markups": [{"coordinateSystem": "RAS", "controlPoints": [{"position": [1, 2, 3]}]}]}"#.to_vec()),
        ("npy", npy("<f8", "(2, 3)", "False", 48)),
        ("npy", npy(">i2", "(2, 3, 2)", "True", 24)),
        ("npz", npz(zip::CompressionMethod::Deflated)),
        ("npz", npz(zip::CompressionMethod::Stored)),
        ("csv.gz", gzip(csv.as_bytes())),
        ("npy.gz", gzip(&npy("<f8", "(2, 3)", "False", 48))),
    ];
    #[cfg(feature = "parquet")]
    seeds.extend(columnar::seeds(csv.as_bytes()));
    seeds
}

fn npy(descr: &str, shape: &str, fortran: &str, bytes: usize) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let data = (0..bytes).map(|i| i as u8);
    let len = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &len[..], header.as_bytes()].concat().into_iter().chain(data).collect()
}

fn npz(method: zip::CompressionMethod) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    archive.start_file("x.npy", zip::write::SimpleFileOptions::default().compression_method(method)).unwrap();
    archive.write_all(&npy("<f8", "(20, 3)", "False", 480)).unwrap();
    archive.finish().unwrap().into_inner()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[cfg(feature = "parquet")]
mod columnar {
    use arrow_array::types::Float64Type;
    use arrow_array::{ArrayRef, Date32Array, Float64Array, Int32Array, ListArray, RecordBatch, StringArray};
    use arrow_ipc::CompressionType;
    use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{BrotliLevel, Compression, ZstdLevel};
    use parquet::file::properties::{WriterProperties, WriterVersion};
    use std::sync::Arc;

    pub fn seeds(csv: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
        let batch = batch();
        let mut seeds = vec![("csv.zst", zstd::encode_all(csv, 3).unwrap()), ("arrow", stream(&batch))];
        let lists = (0..9).map(|i| (i != 4).then(|| [i, -i].map(|x| Some(f64::from(x)))));
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(lists));
        let lists = RecordBatch::try_from_iter_with_nullable([("x", lists, true)]).unwrap();
        let mut writer = ArrowWriter::try_new(vec![], lists.schema(), None).unwrap();
        writer.write(&lists).unwrap();
        seeds.extend([("arrow", stream(&lists)), ("parquet", writer.into_inner().unwrap())]);
        for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
            let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
            let mut writer = FileWriter::try_new_with_options(vec![], &batch.schema(), options).unwrap();
            writer.write(&batch).unwrap();
            seeds.push(("feather", writer.into_inner().unwrap()));
        }
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(Default::default()),
            Compression::BROTLI(BrotliLevel::default()),
            Compression::LZ4_RAW,
            Compression::ZSTD(ZstdLevel::default()),
        ] {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                let properties =
                    WriterProperties::builder().set_compression(compression).set_writer_version(version).build();
                let mut writer = ArrowWriter::try_new(vec![], batch.schema(), Some(properties)).unwrap();
                writer.write(&batch).unwrap();
                seeds.push(("parquet", writer.into_inner().unwrap()));
            }
        }
        seeds
    }

    fn batch() -> RecordBatch {
        let n = 50;
        let numbers = |i: i32| if i % 7 == 3 { None } else { Some(f64::from(i) / 3.0) };
        let column = |name: &str, array: ArrayRef| (name.to_owned(), array, true);
        RecordBatch::try_from_iter_with_nullable([
            column("day", Arc::new(Date32Array::from_iter_values(0..n))),
            column("x", Arc::new(Float64Array::from_iter((0..n).map(numbers)))),
            column("n", Arc::new(Int32Array::from_iter_values(0..n))),
            column("name", Arc::new(StringArray::from_iter_values((0..n).map(|i| format!("{}", i % 5))))),
        ])
        .unwrap()
    }

    fn stream(batch: &RecordBatch) -> Vec<u8> {
        let mut writer = StreamWriter::try_new(vec![], &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        writer.into_inner().unwrap()
    }
}
