//! The lower triangular Toeplitz matrices that encode a series.
//!
//! `A`, the matrix of ones, is `C·C` for the Toeplitz matrix of `c_k = C(2k, k)/4ᵏ`. Its columns are short,
//! `‖c‖² = Σ_{k<T} c_k² ≈ ln T/π + 1.07`, and so are its rows. Here each `c_k` is rounded down to a multiple of `2⁻²⁰`.
//! So `2²⁰·C·x` are integers, the norm of a column is computed exactly and rounded up, and `A·C⁻¹` is `C` up to `2⁻²⁰`.
//!
//! For Laplace noise the length of a column is the sum of its numbers, which grows like `√T` for this root. Then the
//! identity is better: noise on the sum of each period, and `√t` times that on the running sum.

use crate::noise::{Integer, Law, nearest};
use crate::privacy::rounding::{sqrt_up, up};
use serde::{Deserialize, Serialize};
use statrs::function::gamma::ln_gamma;

/// Numbers of the matrix are multiples of `2^−BITS`.
const BITS: u32 = 20;

/// `2^BITS`.
pub(crate) const UNIT: f64 = (1_u64 << BITS) as f64;

/// Which matrix encodes the sums of the periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Root {
    /// The square root of the matrix of ones.
    SquareRoot,
    /// The identity.
    Identity,
}

/// A lower triangular Toeplitz matrix `C`, with `A·C⁻¹`.
///
/// ```
/// use karcher::{noise::{Integer, Law}, series::{Factorisation, Root}};
/// let root = Factorisation::new(Root::SquareRoot, 4);
/// let sums: Vec<Vec<i128>> = vec![vec![5], vec![0], vec![7], vec![-2]];
/// let encoded: Vec<Vec<Integer>> = (1..=4).map(|t| root.encoded(&sums[..t])).collect();
/// let sum = |window| root.decoded(&encoded, window)[0].round();
/// assert_eq!((sum(None), sum(Some(2))), (10.0, 5.0)); // without noise, of all and of the last two
/// assert!((root.norm(Law::Gaussian, 1, 1) - 1.22).abs() < 0.01); // √(1 + 1/4 + 9/64 + 25/256)
/// ```
#[derive(Debug, Clone)]
pub struct Factorisation {
    root: Root,
    /// The first column of `C`, in units of `2^−BITS`.
    column: Vec<u64>,
    /// The last row of `A·C⁻¹`, from its end.
    row: Vec<f64>,
}

impl Factorisation {
    /// That of a series of so many periods.
    pub fn new(root: Root, periods: usize) -> Self {
        let column = match root {
            Root::SquareRoot => square_root(periods),
            Root::Identity => (0..periods).map(|k| if k == 0 { 1 << BITS } else { 0 }).collect(),
        };
        // C·r is a column of ones; all terms are positive, so rounding stays small
        let mut row: Vec<f64> = Vec::with_capacity(periods);
        for k in 0..periods {
            let rest: f64 = (1..=k).map(|j| column[j] as f64 / UNIT * row[k - j]).sum();
            row.push(1.0 - rest);
        }
        Self { root, column, row }
    }

    /// Which matrix it is.
    pub fn root(&self) -> Root {
        self.root
    }

    /// `2²⁰·(C·x)_t` for the sums of the periods up to `t`. **Confidential.**
    pub fn encoded(&self, sums: &[Vec<i128>]) -> Vec<Integer> {
        let mut encoded = vec![Integer::ZERO; sums.first().map_or(0, Vec::len)];
        for (sum, c) in sums.iter().rev().zip(&self.column) {
            encoded.iter_mut().zip(sum).for_each(|(y, x)| *y += Integer::from(*x) * Integer::from(*c));
        }
        encoded
    }

    /// The sums over the last `window` periods, or over all, from the noisy encoded ones up to this period.
    pub fn decoded(&self, noisy: &[Vec<Integer>], window: Option<usize>) -> Vec<f64> {
        let mut sums = vec![0.0; noisy.first().map_or(0, Vec::len)];
        for (y, w) in noisy.iter().rev().zip(self.weights(noisy.len(), window)) {
            sums.iter_mut().zip(y).for_each(|(sum, y)| *sum += nearest(y) / UNIT * w);
        }
        sums
    }

    /// What each noisy sum counts in the released one, the newest first.
    fn weights(&self, t: usize, window: Option<usize>) -> impl Iterator<Item = f64> + '_ {
        let before = move |k: usize| window.and_then(|window| k.checked_sub(window)).map_or(0.0, |k| self.row[k]);
        (0..t.min(self.row.len())).map(move |k| self.row[k] - before(k))
    }

    /// How far someone moves `C·x` whose records each move a sum by at most 1, rounded up: someone in at most `times`
    /// periods, each `every` or more after the one before. For Gaussian noise it is a Euclidean length, for Laplace
    /// noise a sum of lengths.
    ///
    /// The numbers of `C` are not negative and do not rise along a column. So no such person moves it farther than one
    /// who joins as early and as often as possible (user guide, T1).
    pub fn norm(&self, law: Law, times: usize, every: usize) -> f64 {
        let periods = self.column.len();
        let mut moved = vec![0_u64; periods];
        for first in (0..periods).step_by(every.max(1)).take(times) {
            moved[first..].iter_mut().zip(&self.column).for_each(|(sum, c)| *sum += c);
        }
        // exact: a number is below 2⁵², as there are fewer than 2³² periods
        match law {
            Law::Gaussian => {
                let square: u128 = moved.iter().map(|m| u128::from(*m).pow(2)).sum();
                sqrt_up(up_from(square)) / UNIT
            }
            Law::Laplace => up_from(moved.iter().map(|m| u128::from(*m)).sum()) / UNIT,
        }
    }

    /// How many periods there are.
    pub(crate) fn periods(&self) -> usize {
        self.column.len()
    }

    /// `2²⁰·C·x` for numbers below `2⁶³` in size, of all periods. Numbers beyond the periods are left out.
    /// **Confidential.**
    pub(crate) fn encoded_numbers(&self, numbers: &[i128]) -> Vec<i128> {
        let mut encoded = vec![0; self.periods()];
        for (from, x) in numbers.iter().enumerate().take(self.periods()) {
            encoded[from..].iter_mut().zip(&self.column).for_each(|(y, c)| *y += x * i128::from(*c));
        }
        encoded
    }

    /// The running sums up to each period, from all noisy encoded numbers over `2²⁰`.
    pub(crate) fn running(&self, noisy: &[f64]) -> Vec<f64> {
        let sum = |t: usize| noisy[..=t].iter().rev().zip(&self.row).map(|(y, w)| y * w).sum();
        (0..noisy.len().min(self.periods())).map(sum).collect()
    }

    /// The sums of the squares and of the sizes of the weights in `S − q·S_T`, for the running sum `S` of the first `t`
    /// periods and that of all, `S_T`.
    pub(crate) fn weight_of_running(&self, t: usize, q: f64) -> (f64, f64) {
        let (all, t) = (self.periods(), t.min(self.periods()));
        let weight = |j: usize| (if j < t { self.row[t - 1 - j] } else { 0.0 }) - q * self.row[all - 1 - j];
        (0..if q == 0.0 { t } else { all })
            .map(weight)
            .fold((0.0, 0.0), |(squares, sizes), weight| (squares + weight * weight, sizes + weight.abs()))
    }

    /// The largest Euclidean length of the difference of two columns, or of a column, rounded up: how far a record moves
    /// `C·x` that leaves one number and enters another, or none.
    ///
    /// The difference of the columns `i` and `i + d` is that of the first and of column `d`, cut short. So the first
    /// column is in the longest one (user guide, D5).
    pub(crate) fn apart(&self) -> f64 {
        let at = |k: usize, d: usize| k.checked_sub(d).map_or(0, |k| self.column[k]);
        let square = |d: usize| -> u128 {
            (0..self.periods()).map(|k| u128::from(self.column[k].abs_diff(at(k, d))).pow(2)).sum()
        };
        // exact: a number is at most 2²⁰, and there are fewer than 2³² periods
        sqrt_up(up_from((1..=self.periods()).map(square).max().unwrap_or_default())) / UNIT
    }

    /// How much wider the noise of the sum released in period `t` is than one draw, in `dim` dimensions, rounded up. For
    /// several draws of Laplace noise it is the ratio of the mean lengths.
    pub fn growth(&self, law: Law, dim: usize, t: usize, window: Option<usize>) -> f64 {
        let square: f64 = self.weights(t, window).map(|w| w * w).sum();
        let growth = match law {
            Law::Gaussian => square.sqrt(),
            Law::Laplace => square.sqrt() * of_laplace(dim, square),
        };
        up(growth, 1e-12)
    }
}

/// `⌊2²⁰·C(2k, k)/4ᵏ⌋`, from exact integers.
fn square_root(periods: usize) -> Vec<u64> {
    let mut binomial = Integer::from(1); // C(2k, k)
    (0..periods)
        .map(|k| {
            if k > 0 {
                binomial = &binomial * Integer::from(2 * (2 * k - 1)) / Integer::from(k);
            }
            u64::try_from((&binomial << BITS as usize) >> (2 * k)).unwrap_or(1 << BITS) // it is at most 2²⁰
        })
        .collect()
}

/// The nearest double that is no smaller.
fn up_from(x: u128) -> f64 {
    let near = x as f64;
    if (near as u128) < x { near.next_up() } else { near }
}

/// `E‖N₁ + … + N_m‖/(√m·E‖N₁‖)` for Laplace noise in `dim` dimensions: the sum is `σ√(2G)·Z`, `Z` normal and `G` of the
/// gamma law of shape `m(dim + 1)/2`.
fn of_laplace(dim: usize, draws: f64) -> f64 {
    let root = |shape: f64| ln_gamma(shape + 0.5) - ln_gamma(shape); // ln E√G
    let shape = 0.5 * (dim as f64 + 1.0);
    (root(draws.max(1.0) * shape) - root(shape) - 0.5 * draws.max(1.0).ln()).exp()
}
