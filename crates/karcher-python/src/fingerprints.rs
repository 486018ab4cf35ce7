//! Fingerprints by which this process, and no other, knows records again: they are keyed, few, and never leave its
//! memory.

use crate::arrays::Array;
use crate::error::Failure;
use crate::work::{Threads, on_values, run_in};
use numpy::{Element, PyArrayDyn};
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

/// Rows whose beginnings are read together, so that none waits for the memory of another.
const TOGETHER: usize = 32;

/// The leading half of a hash.
const HIGH: u64 = !0 << 32;

/// The key of this process, drawn when it is first needed. A forked child inherits it with what its parent remembers.
static KEY: LazyLock<Key> = LazyLock::new(Key::new);

/// The smallest keyed hashes of the rows, at most [`KEPT`] of them, each once: a sample of the different rows in which
/// equal data sets have equal samples. Also whether it is of all rows.
#[pyfunction]
pub fn fingerprints(py: Python<'_>, x: &Bound<'_, PyAny>) -> Result<(Vec<u64>, bool), Failure> {
    match x.cast::<PyArrayDyn<f32>>() {
        Ok(_) => of_rows(py, Array::<f32>::of(x)?),
        Err(_) => of_rows(py, Array::new(x)?),
    }
}

fn of_rows<T: Element + Copy + Into<f64> + 'static>(py: Python<'_>, x: Array<T>) -> Result<(Vec<u64>, bool), Failure> {
    let width = x.shape().iter().skip(1).product::<usize>().max(1);
    let work = move |values: &[&[T]]| {
        let add = |sample: Sample, rows: &[T]| {
            rows.chunks(TOGETHER * width).fold(sample, |sample, rows| sample.with(&KEY, rows, width))
        };
        let samples = values[0].par_chunks((NUMBERS / width).clamp(1, ROWS) * width).fold(Sample::default, add);
        let sample = samples.reduce(Sample::default, Sample::and).smallest();
        Ok((sample.hashes, sample.is_of_all))
    };
    run_in(Threads::Shared, py, [], move |[], _| on_values([x], work))
}

/// The smallest different hashes of some rows, and perhaps some more.
struct Sample {
    hashes: Vec<u64>,
    is_of_all: bool,
    /// No larger one is among the smallest.
    limit: u64,
}

impl Default for Sample {
    fn default() -> Self {
        Self { hashes: vec![], is_of_all: true, limit: u64::MAX }
    }
}

impl Sample {
    /// With the hashes of some rows, no more than are looked at together.
    fn with<T: Copy + Into<f64>>(mut self, key: &Key, rows: &[T], width: usize) -> Self {
        // most rows of many are left out after a look at their beginning
        let mut sums = [0; TOGETHER];
        // one number of each for a start: so all of them are on their way from memory at once
        let numbers = rows.chunks_exact(width).map(|row| row[0].into() + row[(BLOCK / 2).min(width - 1)].into());
        std::hint::black_box(numbers.sum::<f64>());
        let beginnings = sums.iter_mut().zip(rows.chunks_exact(width));
        beginnings.for_each(|(sum, row)| *sum = key.beginning(row));
        for (sum, row) in sums.into_iter().zip(rows.chunks_exact(width)) {
            let begin = key.begin(row, sum);
            if begin <= self.limit {
                self.hashes.push(key.row(row, begin));
            }
        }
        if self.hashes.len() < 2 * KEPT { self } else { self.smallest() }
    }

    fn and(mut self, other: Self) -> Self {
        self.hashes.extend(other.hashes);
        Self { is_of_all: self.is_of_all && other.is_of_all, ..self }.smallest()
    }

    fn smallest(mut self) -> Self {
        self.hashes.sort_unstable();
        self.hashes.dedup();
        if let Some(limit) = self.hashes.get(KEPT - 1).filter(|_| self.hashes.len() > KEPT) {
            (self.limit, self.is_of_all) = (*limit, false);
        }
        self.hashes.truncate(KEPT);
        self
    }
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

    /// The sum of the first numbers of a row.
    fn beginning<T: Copy + Into<f64>>(&self, row: &[T]) -> u128 {
        row.first_chunk::<BLOCK>().map_or(0, |block| self.sum(&block.map(Into::into)))
    }

    /// The leading half of the hash of a row, which depends on the sum of its first numbers alone; the hash of a short
    /// row.
    fn begin<T: Copy + Into<f64>>(&self, row: &[T], sum: u128) -> u64 {
        if row.len() > BLOCK { self.hasher.hash_one((row.len(), sum)) & HIGH } else { self.hash(row) }
    }

    /// The hash of a row that begins so.
    fn row<T: Copy + Into<f64>>(&self, row: &[T], begin: u64) -> u64 {
        if row.len() > BLOCK { begin | self.hash(row) & !HIGH } else { begin }
    }

    /// The same for a number of float32 and of float64.
    fn hash<T: Copy + Into<f64>>(&self, row: &[T]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write_usize(row.len()); // a block that is not full is filled with zeros
        let (blocks, rest) = row.as_chunks::<BLOCK>();
        for block in blocks {
            hasher.write_u128(self.sum(&block.map(Into::into)));
        }
        if !rest.is_empty() {
            let mut block = [0.0; BLOCK];
            block.iter_mut().zip(rest).for_each(|(x, y)| *x = (*y).into());
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
