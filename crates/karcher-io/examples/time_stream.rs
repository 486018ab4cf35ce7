//! Measures speed and memory of reading files batch by batch.
//!
//! `time_stream SPACE LAYOUT THREADS FILE…` reads the files twice: once as numbers, once as points of a space in a
//! layout. It prints megabytes a second of each and, on Linux, the peak memory of the process.

use karcher::Space;
use karcher_io::{Batch, ConvertOptions, Error, ReadOptions, Stream, layout, to_points};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [space, layout_name, threads, files @ ..] = &arguments[..] else {
        return Err("usage: time_stream SPACE LAYOUT THREADS FILE…".into());
    };
    rayon::ThreadPoolBuilder::new().num_threads(threads.parse()?).build_global()?;
    let manifold = space.parse::<Space>()?.manifold()?;
    let layout = layout(&*manifold, Some(layout_name))?;
    let stream = Stream::open(files, &ReadOptions::default())?;
    let megabytes = stream.bytes() as f64 / 1e6;
    let records = AtomicUsize::new(0);
    let timed = |what: &str, each: &(dyn Fn(Batch) -> Result<(), Error> + Sync)| {
        records.store(0, Ordering::Relaxed);
        let start = Instant::now();
        stream.pass(&|_| {}, |batch| {
            records.fetch_add(batch.table.rows, Ordering::Relaxed);
            each(batch)
        })?;
        let (seconds, n) = (start.elapsed().as_secs_f64(), records.load(Ordering::Relaxed));
        println!("{what}: {n} records in {seconds:.3} s, {:.0} MB/s", megabytes / seconds);
        Ok::<(), Error>(())
    };
    timed("numbers", &|_| Ok(()))?;
    timed("points", &|batch| to_points(batch.table, &*manifold, &layout, &ConvertOptions::default()).map(drop))?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if let Some(most) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
        println!("memory: {}", most.trim());
    }
    Ok(())
}
