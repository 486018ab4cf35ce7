//! Integers of a vector together with its square (user guide, D6 and X1).

use super::quantum::{BOUND, round};
use super::squares::{moment_len, moment_quantum, second_moment};
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};
use std::ops::RangeInclusive;

/// Factor by which vectors are shortened, as their squares are.
const INSIDE: f64 = 1.0 - 1.0 / (1_u64 << 28) as f64;

/// On a line no two records are farther apart than opposite ones, from this weight on.
const ON_A_LINE: f64 = 0.61;

/// The weights for which the sensitivity is proved.
const WEIGHTS: RangeInclusive<f64> = 0.0009765625..=1.0; // from 2⁻¹⁰

/// The weight of a vector next to its square, and their sensitivity in real numbers.
///
/// A record contributes `z = (a·u, u·uᵀ)`, `‖u‖ ≤ 1`, with what is off the diagonal of the matrix times `√2`. The
/// Euclidean length of `z` is that of the vector and of the matrix together.
///
/// ```
/// use karcher::records::SquareWeight;
/// let even = SquareWeight::new(1.0)?;
/// assert!((even.moved_by_replacing(3) - 4.5_f64.sqrt()).abs() < 1e-12 && even.longest() >= 2.0_f64.sqrt());
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct SquareWeight(f64);

impl SquareWeight {
    /// The weight `a` of vectors.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a weight that is not from 2⁻¹⁰ to 1.
    pub fn new(weight: f64) -> crate::Result<Self> {
        if WEIGHTS.contains(&weight) {
            return Ok(Self(weight));
        }
        let requirement = "the weight of a vector next to its square is from 2⁻¹⁰ to 1".to_owned();
        Err(crate::Error::InvalidParameter { name: "weight", value: weight, requirement })
    }

    /// For one record replaced by another, `2 − √2`: the least weight for which Gaussian noise on the mean is no more than
    /// half of the budget would give, with `μ` or `ρ`. Then that on the second moment is 17 % less than the other half
    /// would give. On a line it is 0.61, and the mean costs nothing.
    pub fn for_replacing(dim: usize) -> Self {
        Self(if dim == 1 { ON_A_LINE } else { 2.0 - SQRT_2 })
    }

    /// For one record added or removed, `1/√2`: of `μ²`, a third is for the mean, and two thirds for the second moment.
    pub fn for_adding() -> Self {
        Self(FRAC_1_SQRT_2)
    }

    /// `a`.
    pub fn value(self) -> f64 {
        self.0
    }

    /// The distance of the `z` of two records at most: `(2 + a²)/√2`, and on a line `2a` from `a = 0.61` on.
    pub fn moved_by_replacing(self, dim: usize) -> f64 {
        let a = self.0;
        if dim == 1 && a >= ON_A_LINE { 2.0 * a } else { (2.0 + a * a) * FRAC_1_SQRT_2 }
    }

    /// The same distance in the nuclear norm: `2 + a²`. The numbers of `z` are taken as those of the symmetric matrix
    /// with the border `(a/√2)·u` around `u·uᵀ`, and with a corner that makes its trace 0.
    ///
    /// **Proof.** The matrix with that border around `u·uᵀ` and the corner `a²/2 + 1 − ‖u‖²` is `y·yᵀ`,
    /// `y = (a/√2, u)`, and `1 − ‖u‖² ≥ 0` more in the corner. So it is not negative, and its trace is `1 + a²/2`
    /// whatever `u` is. The difference of two has no trace, and a nuclear norm of at most the sum of both traces. ∎
    /// Unit vectors with
    /// `⟨u, v⟩ = −a²/2` are that far apart.
    pub fn moved_in_nuclear_norm(self) -> f64 {
        2.0 + self.0 * self.0
    }

    /// The length of `z` at most: `√(1 + a²)`.
    pub fn longest(self) -> f64 {
        1.0_f64.hypot(self.0)
    }

    /// A length in quanta, rounded up.
    pub(crate) fn in_quanta(length: f64) -> f64 {
        const UP: f64 = 1.0 + 1e-14;
        length * UP * BOUND
    }
}

impl TryFrom<f64> for SquareWeight {
    type Error = crate::Error;

    fn try_from(weight: f64) -> crate::Result<Self> {
        Self::new(weight)
    }
}

impl From<SquareWeight> for f64 {
    fn from(weight: SquareWeight) -> Self {
        weight.0
    }
}

/// Numbers in a vector and its square.
pub(super) fn with_square_len(dim: usize) -> usize {
    dim + moment_len(dim)
}

/// Their quantum.
pub(super) fn with_square_quantum() -> f64 {
    moment_quantum(1.0)
}

/// Writes the integers next to `(a·y, y·yᵀ)`, with `y` in units of `2⁻⁵⁰`, no longer than `2⁵⁰`. The result is in units
/// of `2⁻⁵⁰/(1 − 2⁻²⁸)`; the matrix is as [`second_moment`] writes it.
///
/// **Theorem.** For `d < 2²⁰` the integers of two such vectors are no farther apart, and those of one no longer, than `2⁵⁰`
/// times what [`SquareWeight`] states.
///
/// **Proof.** Before rounding they are `1 − 2⁻²⁸` times the real ones of `y·2⁻⁵⁰`, which is no longer than 1. A number of
/// the vector is a product of an integer below `2⁵³` and two doubles, of at most `2⁵⁰` in size: two roundings take it `¼`
/// off, and that to integers ½. A number of the matrix is off by at most 1.01 ([`second_moment`]). So all `D = d + d(d +
/// 1)/2 < 2⁴⁰` of them are within `1.01·√D < 1.01·2²⁰` of `1 − 2⁻²⁸` times the real ones. Both stated
/// lengths are at least 1, so that factor takes `2²²` quanta from them at least. This exceeds `2·1.01·2²⁰`. ∎
///
/// In the nuclear norm, for `d ≤ 7`: the corner is minus the sum of the diagonal, so that the matrix of the roundings
/// has the Frobenius norm `1.01·√(D + d²) < 9.3`, and the nuclear norm `9.3·√8 < 27`. That of two is less than `2²³`.
pub(super) fn with_square(y: &[i64], weight: SquareWeight, z: &mut [i64]) {
    let (plain, square) = z.split_at_mut(y.len());
    let by = weight.0 * INSIDE;
    let scaled: Vec<f64> = y.iter().map(|y| *y as f64 * by).collect();
    round(&scaled, 1.0, plain);
    second_moment(y, square);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Generator;
    use crate::records::quantum::bounded;
    use crate::vector::unit_vector;
    use proptest::prelude::*;

    fn integers(v: &[f64], weight: SquareWeight) -> Vec<i64> {
        let (mut y, mut z) = (vec![0; v.len()], vec![0; with_square_len(v.len())]);
        bounded(&mut v.to_vec(), 1.0, &mut y);
        with_square(&y, weight, &mut z);
        z
    }

    /// The length of the difference, in units of the real ones.
    fn apart(a: &[i64], b: &[i64]) -> f64 {
        let square: u128 = a.iter().zip(b).map(|(a, b)| u128::from(a.abs_diff(*b)).pow(2)).sum();
        (square as f64).sqrt() / BOUND
    }

    /// The nuclear norm of the difference, as a matrix with a border and without a trace, in units of the real ones.
    fn apart_in_nuclear_norm(a: &[i64], b: &[i64], d: usize) -> f64 {
        let mut difference = a.iter().zip(b).map(|(a, b)| (a - b) as f64 / BOUND);
        let (n, mut matrix) = (d + 1, vec![0.0; (d + 1) * (d + 1)]);
        for (i, j) in (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).filter(|(_, j)| *j > 0) {
            let x = difference.next().unwrap() / if i == j { 1.0 } else { SQRT_2 };
            (matrix[i * n + j], matrix[j * n + i]) = (x, x);
        }
        matrix[0] = -(1..n).map(|i| matrix[i * n + i]).sum::<f64>();
        crate::linalg::eigen(&matrix, n).values.iter().map(|value| value.abs()).sum()
    }

    proptest! {
        /// The theorem D6, in the integers: no pair of records is farther apart, and none longer.
        #[test]
        fn a_record_and_its_square_are_no_farther_apart_than_stated(
            seed in any::<u64>(), d in 1_usize..12, a in 0.001f64..1.0, lengths in (0.0f64..1.5, 0.0f64..1.5),
            near in any::<bool>(), turn in -1.0f64..1.0,
        ) {
            for weight in [SquareWeight::new(a).unwrap(), SquareWeight::for_replacing(d), SquareWeight::for_adding()] {
                let mut generator = Generator::seeded(seed);
                let mut random = |length: f64| {
                    let mut v = vec![0.0; d];
                    unit_vector(&mut generator, &mut v);
                    v.iter().map(|v| v * length).collect::<Vec<f64>>()
                };
                let (u, mut v) = (random(lengths.0), random(lengths.1));
                if near {
                    // around the worst pairs
                    let across = (1.0 - turn * turn).sqrt();
                    v = u.iter().zip(&v).map(|(u, v)| u * turn + v * across).collect();
                }
                let (one, other) = (integers(&u, weight), integers(&v, weight));
                prop_assert!(apart(&one, &other) <= weight.moved_by_replacing(d));
                prop_assert!(apart(&one, &vec![0; one.len()]) <= weight.longest());
                if d <= 7 {
                    prop_assert!(apart_in_nuclear_norm(&one, &other, d) <= weight.moved_in_nuclear_norm());
                }
            }
        }
    }

    /// Unit vectors with `⟨u, v⟩ = −a²/2` are as far apart as any, and on a line opposite ones.
    #[test]
    fn the_distance_is_attained() {
        for a in [0.1, 2.0 - SQRT_2, 1.0] {
            let weight = SquareWeight::new(a).unwrap();
            let s = -0.5 * a * a;
            let turned = [s, (1.0 - s * s).sqrt(), 0.0];
            let one = integers(&[1.0, 0.0, 0.0], weight);
            let found = apart(&one, &integers(&turned, weight)) / weight.moved_by_replacing(3);
            assert!(found <= 1.0 && found > 1.0 - 1e-8, "{a}: {found}");
            let nuclear = apart_in_nuclear_norm(&one, &integers(&turned, weight), 3) / weight.moved_in_nuclear_norm();
            assert!(nuclear <= 1.0 && nuclear > 1.0 - 1e-8, "{a}: {nuclear}");
            let longest = apart(&one, &vec![0; one.len()]) / weight.longest();
            assert!(longest <= 1.0 && longest > 1.0 - 1e-8, "{a}: {longest}");
        }
        let weight = SquareWeight::for_replacing(1);
        let found = apart(&integers(&[1.0], weight), &integers(&[-1.0], weight)) / weight.moved_by_replacing(1);
        assert!(found <= 1.0 && found > 1.0 - 1e-8, "{found}");
    }

    /// The mean has the noise of half of `μ²`, `√2` times that of all of it, `2/μ`, and a smaller weight leaves it more. The
    /// second moment has less than `√2·√2/μ`.
    #[test]
    fn the_mean_has_the_noise_of_half_of_the_budget_and_the_second_moment_less() {
        let on_mean = |weight: SquareWeight, d: usize| weight.moved_by_replacing(d) / weight.value();
        for d in [2, 9] {
            let weight = SquareWeight::for_replacing(d);
            assert!((on_mean(weight, d) / (2.0 * SQRT_2) - 1.0).abs() < 1e-12);
            assert!(on_mean(SquareWeight::new(0.99 * weight.value()).unwrap(), d) > 2.0 * SQRT_2 * 1.001);
            assert!((weight.moved_by_replacing(d) / 2.0 - 0.828).abs() < 1e-3);
        }
        assert_eq!(on_mean(SquareWeight::for_replacing(1), 1), 2.0);
        // of the square of the length, a third is that of the vector
        assert!((SquareWeight::for_adding().longest().powi(2) - 1.5).abs() < 1e-12);
    }

    #[test]
    fn integers_are_those_of_the_record() {
        let weight = SquareWeight::new(0.5).unwrap();
        let z = integers(&[0.5, -0.25], weight);
        let expected = [0.25, -0.125, 0.25, -0.125 * SQRT_2, 0.0625];
        assert!(z.iter().zip(expected).all(|(z, e)| (*z as f64 * with_square_quantum() - e).abs() < 1e-14), "{z:?}");
    }
}
