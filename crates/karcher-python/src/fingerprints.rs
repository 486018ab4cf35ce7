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

/// Numbers of the rows that one task handles, about, and rows at most.
const NUMBERS: usize = 1 << 18;
const ROWS: usize = 1 << 14;

/// Numbers that are multiplied and added up before they are hashed.
const BLOCK: usize = 32;

/// The key of this process, drawn when it is first needed. A forked child inherits it with what its parent remembers.
static KEY: LazyLock<Key> = LazyLock::new(Key::new);

/// The smallest keyed hashes of the rows, at most [`KEPT`] of them, each once: a sample of the different rows in which
/// equal data sets have equal samples. Also whether it is of all rows.
#[pyfunction]
pub fn fingerprints(py: Python<'_>, x: &Bound<'_, PyAny>) -> Result<(Vec<u64>, bool), Failure> {
    let x = Array::new(x)?;
    let width = x.shape().iter().skip(1).product::<usize>().max(1);
    run(py, [x], move |[values], _| {
        let key = &*KEY;
        let of = |rows: &[f64]| smallest(rows.chunks_exact(width).map(|row| key.hash(row)).collect());
        let merged = values.par_chunks((NUMBERS / width).clamp(1, ROWS) * width).map(of).reduce(
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

/// A key of SipHash, and one of the sums that it hashes instead of numbers.
///
/// The sums are those of NH (Black, Halevi, Krawczyk, Krovetz and Rogaway 1999, "UMAC") with words of 64 bits: of each
/// [`BLOCK`] numbers `Σ (x₂ⱼ + k₂ⱼ)·(x₂ⱼ₊₁ + k₂ⱼ₊₁)`, 128 bits, equal for two blocks that differ with a probability of
/// at most 2⁻⁶⁴ over the key. A keyed hash of them is as good as one of the numbers, and takes a quarter of the time.
struct Key {
    hasher: RandomState,
    words: [u64; BLOCK],
}

impl Key {
    fn new() -> Self {
        let hasher = RandomState::new();
        // one byte, which no row is
        let words = std::array::from_fn(|i| hasher.hash_one(i as u8));
        Self { hasher, words }
    }

    fn hash(&self, row: &[f64]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write_usize(row.len()); // a block that is not full is filled with zeros
        let (blocks, rest) = row.as_chunks::<BLOCK>();
        for block in blocks {
            hasher.write_u128(self.sum(block));
        }
        if !rest.is_empty() {
            let mut block = [0.0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            hasher.write_u128(self.sum(&block));
        }
        hasher.finish()
    }

    #[inline]
    fn sum(&self, block: &[f64; BLOCK]) -> u128 {
        // −0 is 0
        let words: [u64; BLOCK] = std::array::from_fn(|i| (block[i] + 0.0).to_bits().wrapping_add(self.words[i]));
        let (pairs, _) = words.as_chunks::<2>();
        pairs.iter().fold(0, |sum: u128, [a, b]| sum.wrapping_add(u128::from(*a) * u128::from(*b)))
    }
}
