//! `round(N)`, `N` of density `∝ e^(−‖N‖∗/σ)` on symmetric or Hermitian matrices without a trace (user guide, X6).
//!
//! The nuclear norm `‖N‖∗` is the sum of the absolute values of the eigenvalues. Replacing a unit vector `x` moves `xxᴴ`
//! by at most 2 in it, and by `√2` in the Frobenius norm. Noise that falls with the nuclear norm is the shorter one for
//! such matrices.
//!
//! **The law.** Let `d` be the size, `D` the dimension of all symmetric (Hermitian) matrices. Draw `W` and `W′`,
//! independent, `W = AAᴴ` with `A` of independent standard normal numbers: `d × (d+1)` real ones, or `d × d` complex
//! ones. Put `P = W/tr W` and `Q = W′/tr W′`, and start anew unless `P + Q ⪰ |P − Q|`. Then `N = s·(P − Q)`, with an
//! independent `s` of the law `Gamma(2D − 1)/2`.
//!
//! *Proof.* `W` has the density `∝ e^(−c·tr W)` on the cone of matrices `⪰ 0`, because the exponent of `det W` in
//! Wishart's density is 0. So `P` is uniform on the matrices of the cone with trace 1, and so is `Q`. Hence `(sP, sQ)`
//! has the density `∝ e^(−tr(sP) − tr(sQ))` on the pairs of the cone with equal traces: there the volume of the pairs
//! with traces near `s` is `∝ s^(2(D−1)) ds`. On this space `(P, Q) ↦ (N, R)`, `N = P − Q`, `R = Q − N₋`, is linear in
//! `N` and, for each `N`, a translation in `Q`: it keeps volumes. `N` is any matrix without a trace. The pair is
//! accepted if `2R = P + Q − |P − Q| ⪰ 0`. Then `P = N₊ + R` and `Q = N₋ + R` are `⪰ 0` without more. Their traces sum to
//! `‖N‖∗ + 2·tr R`. So given acceptance `(N, R)` has the density `∝ e^(−‖N‖∗)·e^(−2·tr R)` for `R ⪰ 0`, and that of `N`
//! is `∝ e^(−‖N‖∗)`. Whether a pair is accepted does not depend on `s`, so that `s` is drawn once. ∎
//!
//! **In the bits.** Normal numbers are known to lie in intervals. Integers next to their middles give `P` and `Q` with
//! a bound of the error, and [`spectrum`] a certificate that `P + Q − |P − Q|` is positive, or that it is not. Where
//! there is none, more digits are drawn. A Hermitian matrix `X + iY` is computed with as the symmetric one
//! `(X −Y; Y X)`, whose eigenvalues are the same, each twice. `P + Q ⪰ |P − Q|` holds with equality for a set of pairs
//! of volume 0, so that this ends with probability 1. So does the rounding, as in [`super::scale`].

mod spectrum;
#[cfg(test)]
mod tests;
mod whole;

use self::spectrum::{Spectrum, is_positive};
use self::whole::Whole;
use super::bits::{Mixed, Words};
use super::exponential::exponential;
use super::normal::Normal;
use super::scale::Scale;
use super::{Generator, nearest};
use crate::error::{Error, Result};
use dashu_int::{IBig, UBig};

/// Matrices without a trace, of a size, and the numbers that they are written in.
///
/// Those of [`Symmetric`](Matrices::Symmetric) and [`Hermitian`](Matrices::Hermitian) ones are orthonormal coordinates.
/// They begin with `√2·aᵢⱼ`, or with `√2·Re aᵢⱼ` and `√2·Im aᵢⱼ`, for `i < j`, row by row. Helmert's coordinates of the
/// diagonal follow: `(a₁ + … + aₖ − k·aₖ₊₁)/√(k(k+1))`.
///
/// ```
/// use karcher_privacy::noise::Matrices;
/// let all = [Matrices::Symmetric(3), Matrices::Hermitian(3), Matrices::Bordered(2)];
/// assert_eq!(all.map(Matrices::numbers), [5, 8, 5]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrices {
    /// Real symmetric matrices.
    Symmetric(usize),
    /// Hermitian matrices.
    Hermitian(usize),
    /// Real symmetric matrices of this size, with a row and a column more: the border. The number in the corner is
    /// minus the trace of the rest. The numbers are `√2` times the border, and then the matrix row by row from the
    /// diagonal on, with `√2` times what is off the diagonal. All of them are orthonormal coordinates except for those
    /// on the diagonal.
    Bordered(usize),
}

/// For symmetric matrices of the sizes 2, 3, …: the mean square of a coordinate of noise of scale 1, and how many pairs
/// are drawn on average. Both are rational numbers (`oracles/nuclear_noise.py`).
const SYMMETRIC: [(f64, f64); 7] = [
    (1.5, 1.5),
    (2.617_647_058_823_529_4, 2.470_588_235_294_117_8),
    (3.630_253_050_158_156_5, 5.492_544_057_840_036),
    (4.570_837_591_722_839, 15.355_695_141_416_81),
    (5.480_638_050_492_153, 55.183_220_097_997_06),
    (6.364_922_934_619_188, 251.665_192_547_806_2),
    (7.236_346_627_311_67, 1_466.679_473_711_808_7),
];

/// The same for Hermitian matrices.
const HERMITIAN: [(f64, f64); 4] = [
    (2.0, 2.5),
    (4.031_553_398_058_253, 6.941_747_572_815_534),
    (5.897_772_779_306_329, 38.940_594_059_405_94),
    (7.657_680_320_525_794, 322.204_897_865_192_55),
];

impl Matrices {
    /// The numbers in such a matrix: its coordinates.
    pub fn numbers(self) -> usize {
        self.dimension() - 1
    }

    /// The standard deviation of each coordinate of noise of scale 1, and the number of pairs that a draw takes on
    /// average. `None` for the sizes that are not drawn: below 2, and those of more than 1,500 pairs. A number on the
    /// diagonal of a [bordered](Matrices::Bordered) matrix of size `d` has `√(d/(d + 1))` times that deviation.
    ///
    /// ```
    /// use karcher_privacy::noise::Matrices;
    /// let (deviation, pairs) = Matrices::Symmetric(3).noise().ok_or("it is drawn")?;
    /// assert!((deviation.powi(2) - 89.0 / 34.0).abs() < 1e-12);
    /// assert!(pairs < 2.5 && Matrices::Symmetric(9).noise().is_none());
    /// # Ok::<(), &str>(())
    /// ```
    pub fn noise(self) -> Option<(f64, f64)> {
        let table = if self.is_real() { &SYMMETRIC[..] } else { &HERMITIAN[..] };
        let (square, pairs) = table.get(self.size().checked_sub(2)?)?;
        Some((square.sqrt(), *pairs))
    }

    /// Rows of the whole matrix.
    fn size(self) -> usize {
        match self {
            Matrices::Symmetric(size) | Matrices::Hermitian(size) => size,
            Matrices::Bordered(size) => size.saturating_add(1),
        }
    }

    fn is_real(self) -> bool {
        match self {
            Matrices::Symmetric(_) | Matrices::Bordered(_) => true,
            Matrices::Hermitian(_) => false,
        }
    }

    /// `D`, with the trace.
    fn dimension(self) -> usize {
        let size = self.size();
        if self.is_real() { size * (size + 1) / 2 } else { size * size }
    }

    /// Rows and columns of the real matrix that `A` is computed with.
    fn shape(self) -> (usize, usize) {
        let size = self.size();
        if self.is_real() { (size, size + 1) } else { (2 * size, 2 * size) }
    }

    /// The normal numbers in `A`.
    fn normals(self) -> usize {
        let size = self.size();
        if self.is_real() { size * (size + 1) } else { 2 * size * size }
    }

    /// `A` as a real matrix, row by row: of `X + iY` it is `(X −Y; Y X)`.
    fn rows<T: Whole>(self, numbers: Vec<T>) -> Vec<T> {
        match self {
            Matrices::Symmetric(_) | Matrices::Bordered(_) => numbers,
            Matrices::Hermitian(size) => {
                let (real, imaginary) = numbers.split_at(size * size);
                let row = |of: &[T], i: usize| of[i * size..(i + 1) * size].to_vec();
                let minus = |row: Vec<T>| row.into_iter().map(|x| -x).collect();
                let upper = (0..size).map(|i| [row(real, i), minus(row(imaginary, i))].concat());
                let lower = (0..size).map(|i| [row(imaginary, i), row(real, i)].concat());
                upper.chain(lower).collect::<Vec<Vec<T>>>().concat()
            }
        }
    }
}

/// Exact noise for integer vectors that are the numbers of [`Matrices`], of density `∝ exp(−‖N‖∗/σ)`, `‖N‖∗` the
/// nuclear norm: the sum of the absolute values of the eigenvalues.
///
/// Let neighboring data move the matrix by at most `Δ∗` in nuclear norm. Noise of scale `Δ∗/ε` or more makes it
/// `ε`-private: exactly, with nothing to be added for finite precision.
///
/// ```
/// use karcher_privacy::noise::{Generator, Matrices, MatrixNoise};
/// let axes = [0, 0, 0, 1_000, 1_000]; // of a sum of xxᵀ, in integers
/// let noise = MatrixNoise::new(Matrices::Symmetric(3), 2.0 / 0.5)?; // Δ∗ = 2, ε = 0.5
/// let private = noise.added_to(&axes, &mut Generator::from_os()?)?;
/// assert!((private[3] - 1_000.0).abs() < 200.0); // farther with probability below e^{−40}
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatrixNoise {
    matrices: Matrices,
    sigma: f64,
    scale: Scale,
}

/// The binary places of the normal numbers with which a pair is looked at first.
const FIRST: usize = 30;

/// The places of `P` and `Q` then: numbers below 2⁴ with 31 places make squares below 2⁷⁰, sums of 144 below 2⁷⁸, and
/// these times 2⁴⁸ fit in 128 bits.
const PLACES: usize = 48;

/// Digits of `P` and `Q` beyond those of the normal numbers.
const GUARD: usize = 16;

impl MatrixNoise {
    /// Noise of a scale σ, in units of the lattice of integers. The number is taken exactly as it is.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless σ is positive and finite, and for sizes that are not drawn: below 2, above 8
    /// for symmetric and above 5 for Hermitian matrices. The border counts.
    ///
    /// ```
    /// use karcher_privacy::noise::{Matrices, MatrixNoise};
    /// assert!(MatrixNoise::new(Matrices::Hermitian(5), 1e300).is_ok());
    /// assert!(MatrixNoise::new(Matrices::Hermitian(6), 1.0).is_err()); // it would take 4,651 pairs
    /// ```
    pub fn new(matrices: Matrices, sigma: f64) -> Result<Self> {
        let refused = |name, value, requirement: &str| {
            Err(Error::InvalidParameter { name, value, requirement: requirement.to_owned() })
        };
        if matrices.noise().is_none() {
            let requirement = "matrices have a size from 2 to 8, Hermitian ones from 2 to 5: others take too long";
            return refused("size", matrices.size() as f64, requirement);
        }
        match Scale::new(sigma) {
            Some(scale) => Ok(Self { matrices, sigma, scale }),
            None => refused("scale", sigma, "it must be a positive number"),
        }
    }

    /// The matrices.
    pub fn matrices(&self) -> Matrices {
        self.matrices
    }

    /// The scale σ.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The exact integers `T = sum + round(N)`, each as the nearest number in double precision.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a sum that has not the [numbers](Matrices::numbers) of such matrices.
    ///
    /// ```
    /// use karcher_privacy::noise::{Generator, Matrices, MatrixNoise};
    /// let noise = MatrixNoise::new(Matrices::Symmetric(2), 1e-3)?; // so little that nothing is ever added
    /// assert_eq!(noise.added_to(&[5, -7], &mut Generator::from_os()?)?, [5.0, -7.0]);
    /// assert!(noise.added_to(&[5, -7, 1], &mut Generator::from_os()?).is_err());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn added_to(&self, sum: &[i128], generator: &mut Generator) -> Result<Vec<f64>> {
        if sum.len() != self.matrices.numbers() {
            let requirement = format!("these matrices have {} numbers", self.matrices.numbers());
            return Err(Error::InvalidParameter { name: "sum", value: sum.len() as f64, requirement });
        }
        let noise = self.draw(generator);
        Ok(sum.iter().zip(noise).map(|(&s, n)| nearest(&(n + IBig::from(s)))).collect())
    }

    /// `round(N)`, for a sum that is held elsewhere. **Confidential.**
    pub fn draw(&self, generator: &mut Generator) -> Vec<IBig> {
        self.draw_from(FIRST, generator)
    }

    /// A draw whose pairs are looked at with so many binary places first. They make no difference to it.
    fn draw_from(&self, first: usize, words: &mut impl Words) -> Vec<IBig> {
        let mut pair = loop {
            let mut pair = Pair::draw(self.matrices, words);
            if pair.is_accepted(first, words) {
                break pair;
            }
        };
        let mut lengths: Vec<Mixed> = (1..2 * self.matrices.dimension()).map(|_| exponential(words)).collect();
        let mut rounded: Vec<Option<IBig>> = vec![None; self.matrices.numbers()];
        let mut limbs = self.scale.first_limbs();
        while rounded.contains(&None) {
            let near = pair.numbers(limbs, words);
            let sum = lengths.iter_mut().fold(UBig::ZERO, |sum, length| sum + length.floor(limbs, words));
            let shortest = IBig::from(sum) * self.scale.mantissa();
            let longest = &shortest + IBig::from(lengths.len()) * self.scale.mantissa();
            // s is half of the sum
            let places = 128 * limbs + GUARD + 1;
            for (rounded, [low, high]) in rounded.iter_mut().zip(near) {
                let low = if low < IBig::ZERO { low * &longest } else { low * &shortest };
                let high = if high < IBig::ZERO { high * &shortest } else { high * &longest };
                *rounded = rounded.take().or_else(|| self.scale.round_between(low, high, places));
            }
            limbs += 1;
        }
        rounded.into_iter().flatten().collect()
    }
}

/// The normal numbers of `A` and `A′`.
struct Pair {
    matrices: Matrices,
    factors: [Vec<Normal>; 2],
}

/// `P` or `Q` in units of `2^(−places)`, with what it is off by at most, in Frobenius norm.
struct Near<T> {
    matrix: Vec<T>,
    off: T,
}

impl Pair {
    fn draw(matrices: Matrices, words: &mut impl Words) -> Self {
        let factors = [(); 2].map(|()| (0..matrices.normals()).map(|_| Normal::draw(words)).collect());
        Self { matrices, factors }
    }

    /// Whether `P + Q ⪰ |P − Q|`.
    fn is_accepted(&mut self, first: usize, words: &mut impl Words) -> bool {
        let mut limbs = 0;
        loop {
            let decided = if limbs == 0 { self.at_first(first) } else { self.with_limbs(limbs, words) };
            if let Some(accepted) = decided {
                return accepted;
            }
            limbs += 1;
        }
    }

    /// The decision from the first places, if they allow it. Numbers from 16 on are left to integers of any size.
    fn at_first(&self, places: usize) -> Option<bool> {
        if self.factors.iter().flatten().any(|normal| normal.magnitude.whole >= 16) {
            return None;
        }
        let near = [0, 1].map(|k| {
            let floor = |normal: &Normal| signed(normal.negative, normal.magnitude.floor_of_first(places));
            near(self.matrices, self.factors[k].iter().map(floor).collect(), PLACES)
        });
        decide(near, self.matrices, PLACES)
    }

    /// The decision from so many limbs.
    fn with_limbs(&mut self, limbs: usize, words: &mut impl Words) -> Option<bool> {
        decide(self.near(limbs, words), self.matrices, 64 * limbs + GUARD)
    }

    /// `P` and `Q` from so many limbs.
    fn near(&mut self, limbs: usize, words: &mut impl Words) -> [Near<IBig>; 2] {
        let matrices = self.matrices;
        self.factors.each_mut().map(|factor| {
            let floor = |normal: &mut Normal| signed(normal.negative, IBig::from(normal.magnitude.floor(limbs, words)));
            near(matrices, factor.iter_mut().map(floor).collect(), 64 * limbs + GUARD)
        })
    }

    /// The ends of the numbers of `P − Q`, in units of `2^(−64·limbs − GUARD)`.
    fn numbers(&mut self, limbs: usize, words: &mut impl Words) -> Vec<[IBig; 2]> {
        let [p, q] = self.near(limbs, words);
        let ((n, _), size) = (self.matrices.shape(), self.matrices.size());
        // the trace of the real matrix of a Hermitian one is twice as large
        let times: i32 = if self.matrices.is_real() { 1 } else { 2 };
        let off = (p.off + q.off) * times;
        let entry = |i: usize, j: usize| (&p.matrix[i * n + j] - &q.matrix[i * n + j]) * times;
        // a root with the sign of a number, and its distance from the true one
        let ends = |square: IBig, of: &IBig| {
            let root = square.root();
            let [low, high] = [&root - &off, root + 1 + &off];
            if *of < IBig::ZERO { [-high, -low] } else { [low, high] }
        };
        let twice = |of: IBig| ends(of.clone().squared() << 1, &of); // its square
        let mut all = vec![];
        if let Matrices::Bordered(_) = self.matrices {
            for i in 0..size {
                for j in i..size {
                    let own = entry(i, j);
                    if i < j {
                        all.push(twice(own));
                    } else if i > 0 {
                        all.push([&own - &off, own + &off]); // the corner follows from these
                    }
                }
            }
            return all;
        }
        for i in 0..size {
            for j in i + 1..size {
                all.push(twice(entry(i, j)));
                if n > size {
                    all.push(twice(entry(size + i, j)));
                }
            }
        }
        let mut sum = entry(0, 0);
        for k in 1..size {
            let own = &sum - entry(k, k) * k;
            all.push(ends(own.clone().squared() / (k * (k + 1)), &own));
            sum += entry(k, k);
        }
        all
    }
}

/// `±(2a + 1)`, in the middle between `±2a` and `±(2a + 2)`.
fn signed<T: Whole>(negative: bool, floor: T) -> T {
    let middle = (floor << 1) + T::from(1);
    if negative { -middle } else { middle }
}

/// `W/tr W`, from numbers that are off by at most 1 each.
///
/// Let `W = AAᵀ` and `Â = A − E` with `‖E‖² ≤ c`, `c` the entries. `‖W − ÂÂᵀ‖ ≤ 2‖Â‖√c + c`, and the traces
/// differ by no more. With `t̂ = ‖Â‖²` and `‖W‖ ≤ tr W` the quotients differ by at most `2(2‖Â‖√c + c)/t̂`, which is
/// `4√(c/t̂) + 2c/t̂`. Division moves each of `n²` entries by less than a unit: together by `n`.
fn near<T: Whole>(matrices: Matrices, numbers: Vec<T>, places: usize) -> Near<T> {
    let (n, columns) = matrices.shape();
    let rows = matrices.rows(numbers);
    let product = |i: usize, j: usize| {
        let (one, other) = (&rows[i * columns..][..columns], &rows[j * columns..][..columns]);
        one.iter().zip(other).fold(T::from(0), |sum, (x, y)| sum + x.clone() * y.clone())
    };
    let mut matrix = vec![T::from(0); n * n];
    for i in 0..n {
        for j in 0..=i {
            let entry = product(i, j);
            matrix[j * n + i] = entry.clone();
            matrix[i * n + j] = entry;
        }
    }
    let trace = (0..n).fold(T::from(0), |sum, i| sum + matrix[i * n + i].clone()); // of odd numbers' squares
    let entries = T::from((n * columns) as i64);
    let root = ((entries.clone() << (4 + 2 * places)) / trace.clone()).root();
    let off = root + (entries << (1 + places)) / trace.clone() + T::from(2 + n as i64);
    let matrix = matrix.into_iter().map(|entry| (entry << places) / trace.clone()).collect();
    Near { matrix, off }
}

/// Whether `P + Q ⪰ |P − Q|`, if that is certain.
fn decide<T: Whole>([p, q]: [Near<T>; 2], matrices: Matrices, places: usize) -> Option<bool> {
    let (n, _) = matrices.shape();
    let off = p.off + q.off;
    let apart: Vec<T> = p.matrix.iter().zip(&q.matrix).map(|(p, q)| p.clone() - q.clone()).collect();
    let found = Spectrum::of(&apart, n, places).found(&apart)?;
    let sum = p.matrix.iter().zip(&q.matrix).map(|(p, q)| p.clone() + q.clone());
    let rest: Vec<T> = sum.zip(found.absolute).map(|(sum, absolute)| sum - absolute).collect();
    // of the sum, of the difference and so of its absolute value, and of the absolute value that was found
    is_positive(&rest, &(off.clone() + off + found.off), n, places)
}
