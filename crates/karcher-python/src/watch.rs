//! Fingerprints by which this process, and no other, knows records again: they are keyed, few, and never leave its
//! memory.

use crate::arrays::Array;
use crate::error::Failure;
use crate::work::run;
use pyo3::prelude::*;
use rayon::prelude::*;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// The largest number of fingerprints of one data set.
const KEPT: usize = 512;

/// Rows handled by one task.
const CHUNK: usize = 16_384;

/// The key of this process, drawn when it is first needed. A forked child inherits it with what its parent remembers.
static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The smallest keyed hashes of the rows, at most [`KEPT`] of them, each once: a sample of the different rows in which
/// equal data sets have equal samples. Also whether it is of all rows.
#[pyfunction]
pub fn fingerprints(py: Python<'_>, x: &Bound<'_, PyAny>) -> Result<(Vec<u64>, bool), Failure> {
    let x = Array::new(x)?;
    let width = x.shape().iter().skip(1).product::<usize>().max(1);
    run(py, [x], move |[values], _| {
        let of = |rows: &[f64]| smallest(rows.chunks_exact(width).map(hash).collect());
        let merged = values.par_chunks(CHUNK * width).map(of).reduce(
            || (Vec::new(), true),
            |(a, all), (b, too)| {
                let (merged, fit) = smallest([a, b].concat());
                (merged, all && too && fit)
            },
        );
        Ok(merged)
    })
}

/// The smallest different ones, and whether that is all.
fn smallest(mut hashes: Vec<u64>) -> (Vec<u64>, bool) {
    hashes.sort_unstable();
    hashes.dedup();
    let all = hashes.len() <= KEPT;
    hashes.truncate(KEPT);
    (hashes, all)
}

fn hash(row: &[f64]) -> u64 {
    let mut hasher = KEY.build_hasher();
    // −0 is 0
    row.iter().for_each(|x| hasher.write_u64((x + 0.0).to_bits()));
    hasher.finish()
}
