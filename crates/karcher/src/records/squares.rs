//! Integers that stand for squares: of a distance, and of a vector with itself (user guide, X1 and D1).

use super::quantum::{BITS, BOUND, round};
use std::f64::consts::SQRT_2;

/// Factor for second moments, so that rounding stays within the bound; the quantum is larger by as much.
const INSIDE: f64 = 1.0 - 1.0 / (1_u64 << 28) as f64;

/// The quantum of squares of lengths up to `clip`.
pub(super) fn squared_quantum(clip: f64) -> f64 {
    clip * clip / BOUND
}

/// The quantum of second moments of vectors no longer than `clip`.
pub(super) fn moment_quantum(clip: f64) -> f64 {
    squared_quantum(clip) / INSIDE
}

/// The factor of a product of two integers of vectors, for second moments.
pub(super) fn unit_of_squares() -> f64 {
    INSIDE / BOUND
}

/// Numbers in the symmetric matrix of a second moment.
pub(super) fn moment_len(dim: usize) -> usize {
    dim * (dim + 1) / 2
}

/// The integer next to `min(‖v‖², c²)` in units of `c²·2⁻⁵⁰`, checked in integers to be from 0 to `2⁵⁰`. A vector with
/// a NaN counts as a long one: a record without a logarithm is far away.
pub(super) fn squared_length(v: &[f64], clip: f64) -> i64 {
    let share = (crate::vector::norm(v) / clip).min(1.0); // also what is no number
    ((share * share * BOUND).round() as i64).clamp(0, 1 << BITS)
}

/// Writes the integers of the symmetric matrix `y·yᵀ`, row by row from the diagonal on. Entries off the diagonal are
/// multiplied by `√2`, so that the Euclidean length of the numbers is the Frobenius norm of the matrix. `y` is in units
/// of `2⁻⁵⁰` of a length, no longer than `2⁵⁰`. The result is in units of `2⁻⁵⁰/(1 − 2⁻²⁸)` of its square.
///
/// **Theorem.** For `d ≤ 2²¹` the integers of any two such vectors are at most `√2·2⁵⁰` apart.
///
/// **Proof.** Let `V = y·yᵀ/2⁵⁰`, so that `‖V‖ = ‖y‖²/2⁵⁰ ≤ 2⁵⁰`, and `W` the same of the other vector. `⟨V, W⟩` is a
/// square, `⟨y, y′⟩²/2¹⁰⁰`, hence `‖V − W‖² = ‖V‖² + ‖W‖² − 2⟨V, W⟩ ≤ 2·2¹⁰⁰`. The coordinates of `y` are integers of
/// at most `2⁵⁰`, hence doubles without error. The product of two, that with `(1 − 2⁻²⁸)/2⁵⁰`, which is a double, and
/// that with the double next to `√2` err by a relative `2⁻⁵³` each, and so does that double. So the result, of at
/// most `2⁵⁰` in size (`|yᵢ·yⱼ| ≤ 2⁹⁹` off the diagonal), is off by at most `4·2⁻⁵³·2⁵⁰·(1 + 2⁻⁵⁰) < 0.51`, and
/// rounding to integers takes it ½ further. With `D = d(d+1)/2` numbers the integers are within `1.01·√D` of `(1 −
/// 2⁻²⁸)·V`, and two of them at most `√2·2⁵⁰ − √2·2²² + 2.02·√D` apart. `D < 2⁴²` leaves `2.02·√D < 2.02·2²¹ < √2·2²²`.
/// ∎
pub(super) fn second_moment(y: &[i64], z: &mut [i64]) {
    let unit = unit_of_squares();
    let mut at = 0;
    let mut row = vec![0.0; y.len()];
    for (i, first) in y.iter().enumerate() {
        let row = &mut row[i..];
        for (k, (out, second)) in row.iter_mut().zip(&y[i..]).enumerate() {
            let product = *first as f64 * *second as f64 * unit;
            *out = if k == 0 { product } else { SQRT_2 * product };
        }
        round(row, 1.0, &mut z[at..at + row.len()]);
        at += row.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::quantum::bounded;
    use proptest::prelude::*;

    const UNIT: i64 = 1 << BITS;

    #[test]
    fn squares_of_distances_are_cut_off() {
        assert_eq!(squared_length(&[0.3, 0.4], 1.0), UNIT / 4);
        assert_eq!(squared_length(&[0.0], 5.0), 0);
        for far in [1.0, 1e9, f64::MAX, f64::INFINITY, f64::NAN] {
            assert_eq!(squared_length(&[far, 0.0], 1.0), UNIT);
        }
        assert_eq!(squared_length(&[1e-130], 1e-130), UNIT);
        assert_eq!(squared_length(&[3e130], 6e130), UNIT / 4);
    }

    fn moment(v: &[f64], clip: f64) -> Vec<i64> {
        let (mut y, mut z) = (vec![0; v.len()], vec![0; moment_len(v.len())]);
        bounded(&mut v.to_vec(), clip, &mut y);
        second_moment(&y, &mut z);
        z
    }

    #[test]
    fn moments_are_those_of_the_vector() {
        let z = moment(&[0.5, -0.25], 1.0);
        let expected = [0.25, -0.125 * SQRT_2, 0.0625];
        assert!(z.iter().zip(expected).all(|(z, e)| (*z as f64 * moment_quantum(1.0) - e).abs() < 1e-14), "{z:?}");
    }

    /// `‖a − b‖²`, by schoolbook arithmetic.
    fn apart(a: &[i64], b: &[i64]) -> u128 {
        a.iter().zip(b).map(|(a, b)| u128::from(a.abs_diff(*b)).pow(2)).sum()
    }

    /// The bound is kept in integers, rounding included, and it is the smallest there is: perpendicular vectors at the
    /// clip reach it to a part in `2²⁷`.
    #[test]
    fn moments_of_perpendicular_vectors_are_as_far_apart_as_claimed() {
        for d in [2, 3, 10, 100] {
            for (i, j) in [(0, 1), (0, d - 1)] {
                let axis = |k: usize| (0..d).map(|l| if k == l { 7.0 } else { 0.0 }).collect::<Vec<f64>>();
                let squared = apart(&moment(&axis(i), 3.0), &moment(&axis(j), 3.0));
                assert!(squared <= 2 << 100, "{d}");
                assert!(squared as f64 > 2.0_f64.powi(101) * (1.0 - 1e-8), "{d}");
            }
        }
    }

    proptest! {
        #[test]
        fn moments_of_any_vectors_are_no_farther_apart_than_claimed(
            d in 1_usize..30, seed in any::<u64>(), lengths in (0.0f64..3.0, 0.0f64..3.0), clip in 1e-9f64..1e9,
        ) {
            let mut generator = crate::noise::Generator::seeded(seed);
            let mut vector = |length: f64| {
                let mut v = vec![0.0; d];
                crate::vector::unit_vector(&mut generator, &mut v);
                v.iter_mut().for_each(|v| *v *= length * clip);
                v
            };
            let (v, w) = (vector(lengths.0), vector(lengths.1));
            prop_assert!(apart(&moment(&v, clip), &moment(&w, clip)) <= 2 << 100);
            let far = squared_length(&v, clip).abs_diff(squared_length(&w, clip));
            prop_assert!(far <= 1 << 50);
        }
    }
}
