//! Integers of the moments of features and responses (user guide, R5 and X1).

use super::quantum::{BOUND, round};
use super::squares::{moment_len, moment_quantum, second_moment, unit_of_squares};
use serde::{Deserialize, Serialize};

/// The weights of moments, and their sensitivity in real numbers.
///
/// A record contributes `z = (φφᵀ, (ω/r)·φ ⊗ y, (ν/r²)·‖y‖²)`, `‖φ‖ ≤ 1`, `‖y‖ ≤ r` and `ν ≤ ω`.
///
/// ```
/// use karcher::records::MomentWeights;
/// let weights = MomentWeights { response: 2.0_f64.sqrt(), square: 2.0_f64.sqrt() };
/// assert!((weights.moved_by_replacing() - 8.0_f64.sqrt()).abs() < 1e-12);
/// assert!((weights.longest() - 5.0_f64.sqrt()).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MomentWeights {
    /// `ω`, of responses.
    pub response: f64,
    /// `ν`, of squares of responses.
    pub square: f64,
}

impl MomentWeights {
    /// The distance of the `z` of two records at most: `(2 + ω²)/√2` for `ω² ≤ 2`, else `2ω`. It is that of
    /// `(φφᵀ, (ω/r)·φ ⊗ y)` alone.
    pub fn moved_by_replacing(self) -> f64 {
        let square = self.response * self.response;
        if square <= 2.0 { (2.0 + square) * 0.5_f64.sqrt() } else { 2.0 * self.response }
    }

    /// A length in quanta, rounded up.
    pub(crate) fn in_quanta(self, length: f64) -> f64 {
        const UP: f64 = 1.0 + 1e-14;
        length * UP * BOUND / longer(self)
    }

    /// The length of `z` at most: `√(1 + ω² + ν²)`.
    pub fn longest(self) -> f64 {
        1.0_f64.hypot(self.response).hypot(self.square)
    }
}

/// Numbers in the moments of `q` features and responses of `d` dimensions.
pub(crate) fn feature_moment_len(q: usize, d: usize) -> usize {
    moment_len(q) + q * d + 1
}

/// Weights are from 2⁻¹⁰ to this.
pub(crate) const LARGEST_WEIGHT: f64 = 1024.0;

/// The power of two, 1 or more, by which the quantum is larger, so that no number has more than `2⁵⁰` quanta.
fn longer(weights: MomentWeights) -> f64 {
    let mut longer = 1.0;
    while longer < weights.response.max(weights.square) {
        longer *= 2.0;
    }
    longer
}

/// The quantum of moments.
pub(crate) fn feature_moment_quantum(weights: MomentWeights) -> f64 {
    moment_quantum(1.0) * longer(weights)
}

/// Writes the integers next to `(φφᵀ, ω·φ ⊗ y, ν·‖y‖²)` in units of `l·2⁻⁵⁰/(1 − 2⁻²⁸)`, `l` the power of two next above the
/// weights. `φ` and `y` are integers in units of `2⁻⁵⁰` of their bounds, no longer than `2⁵⁰`. `φφᵀ` is as
/// [`second_moment`] writes it.
///
/// **Theorem.** For fewer than `2³⁰` numbers, the integers of two records are no farther apart, and those of one no longer,
/// than `2⁵⁰/l` times what [`MomentWeights`] states.
///
/// **Proof.** Before rounding they are `(1 − 2⁻²⁸)/l` times the real ones of the vectors `φ·2⁻⁵⁰` and `y·2⁻⁵⁰`, in quanta of
/// `2⁻⁵⁰`. These vectors are no longer than 1. A product of two such integers and three doubles passes through at most four
/// roundings of a relative `2⁻⁵³`. The sum of squares is exact in integers, and then passes through three. No number has
/// more than `2⁵⁰` quanta, so it is off by less than 1. Rounding to integers takes it ½ further, and dividing `φφᵀ` by `l`
/// another 1. With `D < 2³⁰` numbers all integers are within `3·√D < 2¹⁷` of `(1 − 2⁻²⁸)/l` times the real ones. Both stated
/// lengths are at least `l/2`. The factor shortens them by `2²²/l` quanta a unit, that is by `2²¹` at least. This exceeds
/// `2·2¹⁷`. ∎
pub(super) fn feature_moments(phi: &[i64], y: &[i64], weights: MomentWeights, z: &mut [i64]) {
    let (of_phi, rest) = z.split_at_mut(moment_len(phi.len()));
    let (crossed, square) = rest.split_at_mut(phi.len() * y.len());
    let longer = longer(weights);
    second_moment(phi, of_phi);
    if longer > 1.0 {
        of_phi.iter_mut().for_each(|z| *z = (*z as f64 / longer).round() as i64);
    }
    let unit = unit_of_squares() / longer;
    let mut row = vec![0.0; y.len()];
    for (phi, out) in phi.iter().zip(crossed.chunks_exact_mut(y.len())) {
        let by = *phi as f64 * unit * weights.response;
        row.iter_mut().zip(y).for_each(|(row, y)| *row = by * *y as f64);
        round(&row, 1.0, out);
    }
    let sum: i128 = y.iter().map(|y| i128::from(*y) * i128::from(*y)).sum();
    round(&[sum as f64 * unit * weights.square], 1.0, square);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Generator;
    use crate::records::quantum::bounded;
    use crate::vector::unit_vector;
    use proptest::prelude::*;

    const WEIGHTS: [[f64; 2]; 5] = [[std::f64::consts::SQRT_2; 2], [1.0, 1.0], [0.7, 0.1], [3.0, 0.5], [1.0, 0.0]];

    fn weights([response, square]: [f64; 2]) -> MomentWeights {
        MomentWeights { response, square }
    }

    fn integers(v: &[f64]) -> Vec<i64> {
        let mut z = vec![0; v.len()];
        bounded(&mut v.to_vec(), 1.0, &mut z);
        z
    }

    fn moments(phi: &[f64], y: &[f64], weights: MomentWeights) -> Vec<i64> {
        let mut z = vec![0; feature_moment_len(phi.len(), y.len())];
        feature_moments(&integers(phi), &integers(y), weights, &mut z);
        z
    }

    /// The length of the difference, in units of the real ones.
    fn apart(a: &[i64], b: &[i64], weights: MomentWeights) -> f64 {
        let square: u128 = a.iter().zip(b).map(|(a, b)| u128::from(a.abs_diff(*b)).pow(2)).sum();
        (square as f64).sqrt() * longer(weights) / BOUND
    }

    fn random(generator: &mut Generator, len: usize, length: f64) -> Vec<f64> {
        let mut v = vec![0.0; len];
        unit_vector(generator, &mut v);
        v.iter().map(|v| v * length).collect()
    }

    proptest! {
        /// The theorem R5, in the integers: no pair of records is farther apart, and none longer.
        #[test]
        fn moments_are_no_farther_apart_than_stated(
            seed in any::<u64>(), q in 1_usize..6, d in 1_usize..5, which in 0_usize..5,
            lengths in (0.0f64..1.5, 0.0f64..1.5, 0.0f64..1.5, 0.0f64..1.5), opposite in any::<bool>(), turn in -1.0f64..1.0,
        ) {
            let weights = weights(WEIGHTS[which]);
            let mut generator = Generator::seeded(seed);
            let (a, y) = (random(&mut generator, q, lengths.0), random(&mut generator, d, lengths.1));
            let (mut b, mut w) = (random(&mut generator, q, lengths.2), random(&mut generator, d, lengths.3));
            if opposite {
                // near the worst pairs
                w = y.iter().map(|y| -y * lengths.3).collect();
                b = a.iter().zip(&b).map(|(a, b)| a * turn + b * (1.0 - turn * turn).sqrt()).collect();
            }
            let (one, other) = (moments(&a, &y, weights), moments(&b, &w, weights));
            prop_assert!(apart(&one, &other, weights) <= weights.moved_by_replacing());
            prop_assert!(apart(&one, &vec![0; one.len()], weights) <= weights.longest());
        }
    }

    /// Two unit rows with `⟨φ, φ′⟩ = min(ω²/2, 1)` and opposite responses are as far apart as any.
    #[test]
    fn the_distance_is_attained() {
        for pair in WEIGHTS {
            let weights = weights(pair);
            let s = (0.5 * weights.response.powi(2)).min(1.0);
            let turned = [s, (1.0 - s * s).sqrt()];
            let (one, other) = (moments(&[1.0, 0.0], &[1.0], weights), moments(&turned, &[-1.0], weights));
            let found = apart(&one, &other, weights) / weights.moved_by_replacing();
            assert!(found <= 1.0 && found > 1.0 - 1e-7, "{pair:?}: {found}");
            let longest = apart(&one, &vec![0; one.len()], weights) / weights.longest();
            assert!(longest <= 1.0 && longest > 1.0 - 1e-7, "{pair:?}: {longest}");
        }
    }

    #[test]
    fn moments_are_those_of_the_record() {
        let weights = weights([1.0, 0.5]);
        let z = moments(&[0.5, -0.25], &[0.5, 0.125], weights);
        let unit = feature_moment_quantum(weights);
        let expected = [0.25, -0.125 * 2.0_f64.sqrt(), 0.0625, 0.25, 0.0625, -0.125, -0.03125, 0.5 * 0.265625];
        assert_eq!(z.len(), expected.len());
        assert!(z.iter().zip(expected).all(|(z, e)| (*z as f64 * unit - e).abs() < 1e-14), "{z:?}");
    }
}
