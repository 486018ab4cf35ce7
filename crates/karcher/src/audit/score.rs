//! Scores: numbers computed from a release, by which an audit tries to tell two data sets apart.
//!
//! The likelihood ratio is the best score for the *law* that a proof speaks of. But a program publishes numbers, and
//! those may say more than the point they stand for: how a representative is turned, how many digits there are, which
//! are 0. So audits look at the numbers too.

use super::neighbours::Neighbours;
use crate::manifold::{Manifold, norm_of_difference};

/// Numbers of a published value that are looked at one by one.
const COORDINATES: usize = 6;

/// Names of the scores that look at published numbers, in the order of [`of_numbers`]; those of coordinates follow.
const NAMES: [&str; 5] = [
    "turn from the first mean",
    "turn from the second mean",
    "turn from the center",
    "distance from the space",
    "lowest bit",
];

/// Names of coordinates.
const COORDINATE_NAMES: [&str; COORDINATES] = ["number 1", "number 2", "number 3", "number 4", "number 5", "number 6"];

/// The name of the best score for the law.
pub(super) const LIKELIHOOD: &str = "likelihood ratio";

/// Names of all scores for values of `point_len` numbers.
pub(super) fn names(point_len: usize) -> Vec<&'static str> {
    let coordinates = COORDINATE_NAMES.into_iter().take(point_len);
    [LIKELIHOOD].into_iter().chain(NAMES).chain(coordinates).collect()
}

/// Scores that look at the numbers `y` of a published value.
///
/// * How far `y` is from the representative of its point that is nearest to the one or the other mean, and to the
///   public center `m₀`: on spaces where a point has several representatives, a release that is horizontal at a
///   confidential mean shows here.
/// * How far `y` is from what [`normalize`](Manifold::normalize) makes of it.
/// * The exponent of the lowest bit that is set in any of the numbers (Mironov 2012).
/// * The first numbers themselves.
pub(super) fn of_numbers(manifold: &dyn Manifold, center: &[f64], pair: &Neighbours, y: &[f64]) -> Vec<f64> {
    let mut other = y.to_vec();
    let mut turn = |base: &[f64]| {
        manifold.align(base, y, &mut other);
        norm_of_difference(y, &other)
    };
    let turns = [turn(&pair.means[0]), turn(&pair.means[1]), turn(center)];
    let mut normalized = y.to_vec();
    manifold.normalize(&mut normalized);
    let lowest = y.iter().copied().map(lowest_bit).fold(f64::INFINITY, f64::min);
    let mut scores = turns.to_vec();
    scores.extend([norm_of_difference(y, &normalized), lowest]);
    scores.extend(y.iter().take(COORDINATES));
    scores
}

/// The exponent of the lowest bit that is set; `∞` for 0.
fn lowest_bit(x: f64) -> f64 {
    let bits = x.to_bits();
    let (exponent, mantissa) = ((bits >> 52 & 0x7ff) as i64, bits & ((1 << 52) - 1));
    match (exponent, mantissa) {
        (0, 0) => f64::INFINITY,
        (0, m) => -1074.0 + f64::from(m.trailing_zeros()),
        (e, m) => (e - 1075) as f64 + f64::from((m | 1 << 52).trailing_zeros()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_bits_are_those_of_binary_numbers() {
        for (x, exponent) in [(1.0, 0.0), (-6.0, 1.0), (0.75, -2.0), (f64::EPSILON + 1.0, -52.0), (5e-324, -1074.0)] {
            assert_eq!(lowest_bit(x), exponent, "{x}");
        }
        assert_eq!(lowest_bit(-0.0), f64::INFINITY);
    }
}
