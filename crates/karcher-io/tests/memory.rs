//! Files of 200 MB are read batch by batch in less than 64 MB, the program's own included. A child process reads one of
//! them, and the operating system reports its peak memory.
#![cfg(target_os = "linux")]

use karcher_io::{Error, ReadOptions, Stream, read};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

const MEGABYTE: usize = 1 << 20;

/// Content of a file.
const MEGABYTES: usize = 200;

/// Largest peak memory of a child, in kilobytes.
const MOST: usize = 64 << 10;

#[test]
fn memory_does_not_grow_with_a_file_that_is_read_batch_by_batch() {
    let folder = tempfile::tempdir().unwrap();
    let check = |(file, records): (PathBuf, usize)| {
        let (read, kilobytes) = child(&file, "batches");
        assert_eq!(read, records, "{}", file.display());
        assert!(kilobytes < MOST, "{}: {kilobytes} kB", file.display());
        std::fs::remove_file(file).unwrap();
    };
    check(npy(folder.path(), "False"));
    check(npy(folder.path(), "True"));
    check(csv(folder.path(), "4,-0.5\n", MEGABYTES));
    check(csv(folder.path(), "4,\"-0.5\"\n", MEGABYTES / 3)); // quotes are cut another way
    // the check has power: whole arrays take their size
    let (file, records) = npy(folder.path(), "False");
    assert!(matches!(child(&file, "whole"), (n, kilobytes) if n == records && kilobytes > MEGABYTES << 10));
}

/// An array of ones with two columns, and its number of records.
fn npy(folder: &Path, fortran: &str) -> (PathBuf, usize) {
    let (file, records) = (folder.join("f.npy"), MEGABYTES * MEGABYTE / 16);
    let header = format!("{{'descr': '<f8', 'fortran_order': {fortran}, 'shape': ({records}, 2), }}");
    let head = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
    write(&file, &head, &1f64.to_le_bytes().repeat(MEGABYTE / 8), MEGABYTES);
    (file, records)
}

/// A text of equal lines, and its number of records.
fn csv(folder: &Path, line: &str, megabytes: usize) -> (PathBuf, usize) {
    let (file, lines) = (folder.join("f.csv"), MEGABYTE / line.len());
    write(&file, b"x,y\n", line.repeat(lines).as_bytes(), megabytes);
    (file, megabytes * lines)
}

fn write(file: &Path, head: &[u8], part: &[u8], times: usize) {
    let mut file = std::fs::File::create(file).unwrap();
    file.write_all(head).unwrap();
    (0..times).for_each(|_| file.write_all(part).unwrap());
}

/// The number of records that a child reads, and its peak memory in kilobytes.
fn child(file: &Path, way: &str) -> (usize, usize) {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_that_reads_a_file", "--ignored", "--nocapture", "--test-threads", "1"])
        .env("KARCHER_FILE", file)
        .env("KARCHER_WAY", way)
        .env("RAYON_NUM_THREADS", "2")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let numbers = said.lines().find_map(|line| line.split_once("read ")).unwrap().1;
    let (records, kilobytes) = numbers.split_once(' ').unwrap();
    (records.parse().unwrap(), kilobytes.parse().unwrap())
}

#[test]
#[ignore = "the child of the other test"]
fn child_that_reads_a_file() {
    let Ok(file) = std::env::var("KARCHER_FILE") else { return };
    let records = AtomicUsize::new(0);
    if std::env::var("KARCHER_WAY").as_deref() == Ok("whole") {
        records.store(read(&file, &ReadOptions::default()).unwrap().rows, Ordering::Relaxed);
    } else {
        let stream = Stream::open(&[&file], &ReadOptions::default()).unwrap();
        let count = |batch: karcher_io::Batch| {
            records.fetch_add(batch.table.rows, Ordering::Relaxed);
            Ok::<(), Error>(())
        };
        stream.pass(&|_| {}, count).unwrap();
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("read {} {}", records.load(Ordering::Relaxed), most.trim().trim_end_matches(" kB"));
}
