//! Quantiles and their intervals, from a noisy distribution function.
//!
//! Let `F̃` be the noisy number of records up to an edge of the grid, `ñ` that of all records, and `q` a level.
//!
//! * **The quantile** is the first cell at whose end the rising sequence nearest to `F̃`, in least squares, reaches
//!   `q·ñ`. So quantiles of rising levels never fall.
//! * **The interval** holds every cell that the noise does not rule out. If the quantile without noise is in a cell, the
//!   sum at its end is at least `q·n`, and the one at its beginning below it. So `F̃ − q·ñ` is that of the noise at least
//!   there, and below it here. Each fails with a probability of at most 2.5 %, whatever the records are.
//! * **For a population**, the number of sampled records up to the cell is added: binomial at worst. A binomial number of
//!   fewer records is below a bound at most twice as often as one of all records is below the bound and 1 more.

use super::PrivateQuantiles;
use super::tail::{Sampled, is_likely};
use crate::mechanism::noise::cumulative::{Cumulative, ROUNDED};

/// Probability with which an interval may miss, and the part of it that a private number of records takes.
const MISSED: f64 = 0.05;
const OF_NUMBER: f64 = 0.002;

/// Noisy running sums at the ends of the cells, and how they were made.
#[derive(Debug)]
pub(super) struct Distribution<'a> {
    pub(super) of: &'a PrivateQuantiles,
    pub(super) encoding: &'a Cumulative,
    /// The scale of one draw, in records.
    pub(super) scale: f64,
    /// The running sums. The last is the number of records.
    pub(super) sums: Vec<f64>,
    pub(super) is_known: bool,
}

/// Cells of a quantile, and those that intervals hold at their ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cells {
    pub(super) at: usize,
    pub(super) sample: [usize; 2],
    pub(super) population: [usize; 2],
}

impl Distribution<'_> {
    /// The number of records.
    pub(super) fn n(&self) -> f64 {
        self.sums.last().copied().unwrap_or_default()
    }

    /// The cells of each level.
    pub(super) fn cells(&self) -> Vec<Cells> {
        let n = self.n().max(0.0);
        let rising: Vec<f64> = rising(&self.sums).into_iter().map(|sum| sum.clamp(0.0, n)).collect();
        let most = self.sums.len() - 1;
        // with a confidential number, as many as there may be
        let largest = if self.is_known { n } else { self.largest() };
        let of = |level: &f64| {
            let at = rising.partition_point(|sum| *sum < level * n).min(most);
            let hull = |sample: Option<f64>| {
                let [low, high] = self.hull(*level, sample);
                [low.min(at), high.max(at)]
            };
            Cells { at, sample: hull(None), population: hull(Some(largest)) }
        };
        self.of.quantiles().levels.iter().map(of).collect()
    }

    /// The first and the last cell that are not ruled out for a level.
    fn hull(&self, level: f64, sample: Option<f64>) -> [usize; 2] {
        let missed = 0.5 * (MISSED - if sample.is_some() && !self.is_known { OF_NUMBER } else { 0.0 });
        let (most, n) = (self.sums.len() - 1, self.n());
        let of = |level| sample.map(|n| Sampled { n, level });
        let (missed, apart) = if sample.is_some() && !self.is_known { (0.5 * missed, 1.0) } else { (missed, 0.0) };
        let excess = |k: usize| if k == 0 { 0.0 } else { self.sums[k - 1] } - level * n;
        let noise = |k: usize| self.encoding.noise(k, level, self.scale);
        let reaches = |cell: &usize| is_likely(&noise(cell + 1), of(level), -excess(cell + 1) - apart, missed);
        let begins = |cell: &usize| is_likely(&noise(*cell), of(1.0 - level), excess(*cell) - apart, missed);
        let low = (0..most).find(reaches).unwrap_or(most);
        let high = (1..=most).rev().find(begins).unwrap_or(0);
        [low, high.max(low)]
    }

    /// A number of records that is exceeded with a probability of at most 0.2 %: half by Chebyshev's inequality, half by
    /// rounding.
    fn largest(&self) -> f64 {
        let noise = self.encoding.noise(0, 1.0, self.scale);
        (self.n() + (noise.variance() / (OF_NUMBER - ROUNDED)).sqrt() + noise.rounding).max(1.0)
    }
}

/// The rising sequence that is nearest to some numbers, in least squares: neighbours that fall are averaged.
fn rising(numbers: &[f64]) -> Vec<f64> {
    let mut blocks: Vec<(f64, usize)> = Vec::with_capacity(numbers.len());
    for number in numbers {
        let (mut mean, mut count) = (*number, 1);
        while let Some((before, many)) = blocks.last().copied().filter(|(before, _)| *before > mean) {
            blocks.pop();
            mean = (before * many as f64 + mean * count as f64) / (many + count) as f64;
            count += many;
        }
        blocks.push((mean, count));
    }
    blocks.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean, count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The sequence rises, has the same sum, and lies no farther from a rising one than the numbers did.
        #[test]
        fn the_nearest_rising_sequence_is_a_projection(
            numbers in prop::collection::vec(-9.0f64..9.0, 1..30), steps in prop::collection::vec(0.0f64..3.0, 30),
        ) {
            let found = rising(&numbers);
            prop_assert!(found.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12));
            prop_assert!((found.iter().sum::<f64>() - numbers.iter().sum::<f64>()).abs() < 1e-9);
            let mut sum = -9.0;
            let other: Vec<f64> = steps.iter().take(numbers.len()).map(|step| { sum += step; sum }).collect();
            let apart = |a: &[f64]| a.iter().zip(&other).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            prop_assert!(apart(&found) <= apart(&numbers) + 1e-9);
        }
    }
}
