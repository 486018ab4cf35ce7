//! Noisy numbers of records in the cells of a line, from which all their running sums follow (user guide, D5).
//!
//! A record is in one of `m` cells. Integers that are linear in the numbers of records get noise, so that parts of the
//! records add up. How they are made of the numbers depends on the law of the noise:
//!
//! * **Gaussian noise**: by the square root `C` of the matrix of ones ([T1]), in multiples of `2⁻²⁰`. The error of a
//!   running sum then grows like `ln m`.
//! * **Laplace noise**: the numbers of the cells, and of blocks of cells. Least squares makes both agree. The public
//!   choice of the blocks is that of the least mean variance.

use crate::error::Result;
use crate::noise::Law;
use crate::privacy::remembered::Remembered;
use crate::privacy::rounding::mul_up;
use crate::release::Adjacency;
use crate::series::{Factorisation, Root, UNIT};
use std::sync::Arc;

/// How integers with noise are made of the numbers of records in cells.
#[derive(Debug, Clone)]
pub(crate) struct Cumulative {
    cells: usize,
    /// Whether the number of all records is public.
    is_known: bool,
    of: Encoding,
    /// How far one record moves the integers, in records.
    moved: f64,
}

#[derive(Debug, Clone)]
enum Encoding {
    /// The square root.
    Root(Factorisation),
    /// Cells, and blocks of so many cells if there are several blocks.
    Blocks { size: usize },
}

/// A linear combination of independent noise: weights in records, each with the number of draws that have it.
#[derive(Debug, Clone)]
pub(crate) struct Combination {
    pub(crate) law: Law,
    pub(crate) weights: Vec<(f64, usize)>,
    /// What rounding to integers adds at most, on one side, with a probability of at least `1 −` [`ROUNDED`].
    pub(crate) rounding: f64,
}

/// Probability with which rounding may add more than is said, on one side.
pub(crate) const ROUNDED: f64 = 0.001;

/// What rounding of draws to integers adds, for the sum of their weights in size, and that of their squares. Roundings
/// are independent, at most ½, and symmetric: Hoeffding's inequality.
fn rounding(unit: f64, sum: f64, squares: f64) -> f64 {
    unit * (0.5 * sum).min((-0.5 * ROUNDED.ln() * squares).sqrt())
}

impl Combination {
    /// The variance.
    pub(crate) fn variance(&self) -> f64 {
        let of_one = if self.law == Law::Laplace { 2.0 } else { 1.0 };
        of_one * self.weights.iter().map(|(weight, draws)| *draws as f64 * weight * weight).sum::<f64>()
    }

    /// The characteristic function, which is real and falls from 1.
    pub(crate) fn characteristic(&self, u: f64) -> f64 {
        match self.law {
            Law::Gaussian => (-0.5 * self.variance() * u * u).exp(),
            Law::Laplace => {
                let of = |(weight, draws): &(f64, usize)| *draws as f64 * (weight * u).powi(2).ln_1p();
                (-self.weights.iter().map(of).sum::<f64>()).exp()
            }
        }
    }
}

/// The encodings that were made.
static MADE: Remembered<(usize, Law, Adjacency), Arc<Cumulative>> = Remembered::new();

impl Cumulative {
    /// The encoding of `m` cells, a power of two, for noise of a law.
    ///
    /// # Errors
    /// None.
    pub(crate) fn shared(cells: usize, law: Law, adjacency: Adjacency) -> Result<Arc<Self>> {
        MADE.or_compute((cells, law, adjacency), || Ok(Arc::new(Self::new(cells, law, adjacency))))
    }

    fn new(cells: usize, law: Law, adjacency: Adjacency) -> Self {
        let is_known = adjacency == Adjacency::ReplaceOne;
        match law {
            Law::Gaussian => {
                // with a public number of records the last running sum is known
                let root = Factorisation::new(Root::SquareRoot, if is_known { cells.max(2) - 1 } else { cells });
                let moved = if is_known { root.apart() } else { root.norm(Law::Gaussian, 1, 1) };
                Self { cells, is_known, of: Encoding::Root(root), moved }
            }
            Law::Laplace => {
                let of = |size| {
                    let levels = if size < cells { 2.0 } else { 1.0 };
                    let moved = mul_up(levels, if is_known { 2.0 } else { 1.0 });
                    Self { cells, is_known, of: Encoding::Blocks { size }, moved }
                };
                let mean_variance = |size: usize| {
                    let of = of(size);
                    (0..cells).map(|k| of.noise(k, 0.5, of.moved).variance()).sum::<f64>()
                };
                let sizes =
                    (0..=cells.ilog2()).rev().map(|power| 1_usize << power).filter(|size| *size > 1 || cells == 1);
                let best = sizes.min_by(|a, b| mean_variance(*a).total_cmp(&mean_variance(*b)));
                of(best.unwrap_or(cells))
            }
        }
    }

    /// The law of the noise.
    fn law(&self) -> Law {
        match self.of {
            Encoding::Root(_) => Law::Gaussian,
            Encoding::Blocks { .. } => Law::Laplace,
        }
    }

    /// How many integers there are.
    pub(crate) fn len(&self) -> usize {
        match &self.of {
            Encoding::Root(root) => root.periods(),
            Encoding::Blocks { size } => self.cells + self.blocks(*size),
        }
    }

    /// The number of blocks that are counted: one alone is not.
    fn blocks(&self, size: usize) -> usize {
        if size < self.cells { self.cells / size } else { 0 }
    }

    /// The unit of the integers, in records.
    pub(crate) fn unit(&self) -> f64 {
        match self.of {
            Encoding::Root(_) => 1.0 / UNIT,
            Encoding::Blocks { .. } => 1.0,
        }
    }

    /// The largest integer that one record makes.
    pub(crate) fn largest(&self) -> u128 {
        match self.of {
            Encoding::Root(_) => UNIT as u128,
            Encoding::Blocks { .. } => 1,
        }
    }

    /// How far one record moves the integers, in records, rounded up: for Gaussian noise a Euclidean length, for Laplace
    /// noise a sum of lengths.
    pub(crate) fn moved(&self) -> f64 {
        self.moved
    }

    /// The integers that get noise, of the numbers of records. **Confidential.** They are linear in these.
    pub(crate) fn encoded(&self, counts: &[i128]) -> Vec<i128> {
        match &self.of {
            Encoding::Root(root) => root.encoded_numbers(counts),
            Encoding::Blocks { size } => {
                let blocks = counts.chunks(*size).map(|block| block.iter().sum());
                blocks.take(self.blocks(*size)).chain(counts.iter().copied()).collect()
            }
        }
    }

    /// The running sums at the ends of all cells, from noisy integers times their [unit](Self::unit). The last one is the
    /// number of records: `n` if it is public.
    pub(crate) fn decoded(&self, noisy: &[f64], n: f64) -> Vec<f64> {
        let mut sums = match &self.of {
            Encoding::Root(root) => root.running(noisy),
            Encoding::Blocks { size } => {
                let (blocks, cells) = noisy.split_at(self.blocks(*size));
                let sums: Vec<f64> = cells.chunks(*size).map(|block| block.iter().sum()).collect();
                let weight = self.weight(*size);
                let mut parts: Vec<f64> = match blocks {
                    [] => sums.clone(),
                    blocks => blocks.iter().zip(&sums).map(|(b, sum)| weight * b + (1.0 - weight) * sum).collect(),
                };
                if self.is_known {
                    let missing = (n - parts.iter().sum::<f64>()) / parts.len() as f64;
                    parts.iter_mut().for_each(|part| *part += missing);
                }
                let (mut sum, mut all) = (0.0, Vec::with_capacity(self.cells));
                for ((block, part), of_cells) in cells.chunks(*size).zip(&parts).zip(&sums) {
                    let missing = (part - of_cells) / *size as f64;
                    all.extend(block.iter().map(|cell| {
                        sum += cell + missing;
                        sum
                    }));
                }
                all
            }
        };
        sums.truncate(self.cells);
        sums.resize(self.cells, n);
        if self.is_known {
            sums[self.cells - 1] = n;
        }
        sums
    }

    /// The weight of a block's own number, next to the sum of its cells: that of least squares.
    fn weight(&self, size: usize) -> f64 {
        if self.blocks(size) > 0 { size as f64 / (size as f64 + 1.0) } else { 0.0 }
    }

    /// The noise on `F − q·n`, with the running sum `F` of the first `k` cells and the number `n` of all records. The
    /// scale of one draw is in records.
    pub(crate) fn noise(&self, k: usize, q: f64, scale: f64) -> Combination {
        let (law, of_all) = (self.law(), if self.is_known { 0.0 } else { q });
        match &self.of {
            Encoding::Root(root) => {
                let (square, sum) = root.weight_of_running(k, of_all);
                Combination {
                    law,
                    weights: vec![(scale * square.sqrt(), 1)],
                    rounding: rounding(self.unit(), sum, square),
                }
            }
            Encoding::Blocks { size } => {
                let (i, j) = (k / size, k % size);
                let (s, blocks) = (*size as f64, self.cells / size);
                let (weight, share) = (self.weight(*size), j as f64 / s);
                // what the blocks before, this one and those after count for
                let every = if self.is_known { (i as f64 + share) / blocks as f64 } else { q };
                let [before, here, after] = [1.0 - every, share - every, -every];
                let rest = 1.0 - weight;
                let weights = [
                    (weight * before, i),
                    (weight * here, usize::from(i < blocks)),
                    (weight * after, blocks.saturating_sub(i + 1)),
                    (rest * before, i * size),
                    (rest * here + 1.0 - share, j),
                    (rest * here - share, if i < blocks { size - j } else { 0 }),
                    (rest * after, blocks.saturating_sub(i + 1) * size),
                ];
                let sum = weights.iter().map(|(weight, draws)| weight.abs() * *draws as f64).sum();
                let squares = weights.iter().map(|(weight, draws)| weight * weight * *draws as f64).sum();
                let weights = weights.map(|(weight, draws)| (scale * weight, draws));
                let weights = weights.into_iter().filter(|(weight, draws)| *draws > 0 && *weight != 0.0).collect();
                Combination { law, weights, rounding: rounding(self.unit(), sum, squares) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Generator, VectorNoise};

    const BOTH: [Adjacency; 2] = [Adjacency::ReplaceOne, Adjacency::AddRemove];

    fn all(cells: usize) -> Vec<(Law, Adjacency, Cumulative)> {
        let of = |law, adjacency| (law, adjacency, Cumulative::new(cells, law, adjacency));
        BOTH.into_iter().flat_map(|adjacency| [Law::Gaussian, Law::Laplace].map(|law| of(law, adjacency))).collect()
    }

    /// Every record moved to every other cell, or left out, on top of some counts: the largest change of the integers is
    /// the stated one.
    #[test]
    fn no_record_moves_the_integers_farther_than_is_said() {
        for cells in [1, 2, 4, 16, 32] {
            for (law, adjacency, of) in all(cells) {
                let counts: Vec<i128> = (0..cells as i128).map(|i| 3 + i % 5).collect();
                let moved = |other: Vec<i128>| -> f64 {
                    let changes = of.encoded(&counts).into_iter().zip(of.encoded(&other)).map(|(a, b)| a - b);
                    match law {
                        Law::Laplace => changes.map(|x| x.unsigned_abs() as f64).sum(),
                        Law::Gaussian => changes.map(|x| (x * x) as f64).sum::<f64>().sqrt(),
                    }
                };
                let with = |cell: usize, change: i128, other: Option<usize>| {
                    let mut counts = counts.clone();
                    counts[cell] += change;
                    other.into_iter().for_each(|other| counts[other] -= change);
                    counts
                };
                let mut most: f64 = 0.0;
                for cell in 0..cells {
                    match adjacency {
                        Adjacency::ReplaceOne => {
                            let of_each = (0..cells).map(|other| moved(with(cell, 1, Some(other))));
                            most = of_each.fold(most, f64::max);
                        }
                        Adjacency::AddRemove => most = most.max(moved(with(cell, 1, None))),
                    }
                }
                let said = of.moved() / of.unit();
                assert!(most <= said, "{cells} {law:?} {adjacency:?}: {most} {said}");
                let is_tight = cells == 1 || said <= most * (1.0 + 1e-9);
                assert!(is_tight, "{cells} {law:?} {adjacency:?}: {most} {said}");
            }
        }
    }

    /// Without noise the running sums are those of the numbers. The squares of 4,000 draws of noise on one of them are
    /// the stated variance within 15 % (six standard errors and more), for every tenth cell.
    #[test]
    fn running_sums_have_the_noise_that_is_said() {
        let (cells, n, draws) = (64, 1_000, 4_000);
        let mut counts = vec![0_i128; cells];
        (0..n).for_each(|i: usize| counts[(i * i) % cells] += 1);
        for (law, adjacency, of) in all(cells) {
            let exact: Vec<f64> = of.encoded(&counts).iter().map(|x| *x as f64 * of.unit()).collect();
            let mut sum = 0.0;
            for (found, count) in of.decoded(&exact, n as f64).iter().zip(&counts) {
                sum += *count as f64;
                assert!((found - sum).abs() < 1e-6, "{law:?} {adjacency:?}: {found} {sum}");
            }
            let mut generator = Generator::seeded(7);
            let noise = VectorNoise::new(law, 3.0 / of.unit()).unwrap();
            let mut squares = vec![0.0; cells];
            let q = 0.3;
            for _ in 0..draws {
                let noisy = match law {
                    Law::Gaussian => noise.added_to(&of.encoded(&counts), &mut generator),
                    Law::Laplace => {
                        of.encoded(&counts).iter().map(|x| noise.added_to(&[*x], &mut generator)[0]).collect()
                    }
                };
                let noisy: Vec<f64> = noisy.iter().map(|y| y * of.unit()).collect();
                let sums = of.decoded(&noisy, n as f64);
                let all = *sums.last().unwrap();
                let mut exact = 0.0;
                for k in 1..cells {
                    exact += counts[k - 1] as f64;
                    squares[k] += (sums[k - 1] - q * all - exact + q * n as f64).powi(2) / f64::from(draws);
                }
            }
            for k in (1..cells).step_by(10) {
                let said = of.noise(k, q, 3.0).variance();
                assert!((squares[k] / said - 1.0).abs() < 0.15, "{law:?} {adjacency:?} {k}: {} {said}", squares[k]);
            }
        }
    }

    /// The errors that the page of proofs states: of 1,024 cells, root mean square, for a scale that keeps μ = 1 or ε = 1.
    #[test]
    fn errors_of_running_sums_are_those_of_the_page() {
        let deviation = |law, adjacency| {
            let of = Cumulative::new(1024, law, adjacency);
            let square = (0..1024).map(|k| of.noise(k, 0.5, of.moved()).variance()).sum::<f64>() / 1024.0;
            (square.sqrt() * 10.0).round() / 10.0
        };
        let found = [Law::Gaussian, Law::Laplace].map(|law| BOTH.map(|adjacency| deviation(law, adjacency)));
        assert_eq!(found, [[4.0, 3.2], [18.2, 10.2]], "{found:?}");
    }
}
