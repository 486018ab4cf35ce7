//! Normalization of unit vectors, four rows at a time.

use super::CURVED_POINT_TOLERANCE;
use super::validated::differ_by_rounding;
use super::vector::dot;
use crate::linalg::dispatch_wide;
use pulp::{Simd, WithSimd};

/// Fewer numbers are better checked with those of many points side by side.
const LEAST: usize = 8;

/// A factor that is off 1 by at most this changes a number by less than `8ε` of it, rounding included. One that is off
/// by at least the other changes it by more.
const KEEPS: f64 = 4.0 * f64::EPSILON;
const CHANGES: f64 = 16.0 * f64::EPSILON;

/// [`Manifold::normalize_points`](super::Manifold::normalize_points) on a unit sphere of `R^len`.
pub(super) fn normalize(len: usize, rows: &mut [f64]) -> bool {
    len >= LEAST && dispatch_wide(Normalize { len, rows })
}

struct Normalize<'a> {
    len: usize,
    rows: &'a mut [f64],
}

impl WithSimd for Normalize<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> bool {
        let Self { len, rows } = self;
        let mut fours = rows.chunks_exact_mut(4 * len);
        for four in &mut fours {
            let squares = squares([0, 1, 2, 3].map(|i| &four[i * len..][..len]));
            for (row, square) in four.chunks_exact_mut(len).zip(squares) {
                if !normalize_row(row, square) {
                    return false;
                }
            }
        }
        fours.into_remainder().chunks_exact_mut(len).all(|row| {
            let square = dot(row, row);
            normalize_row(row, square)
        })
    }
}

/// Normalizes a vector with this square, unless that would change it by rounding alone. Returns whether it certainly is
/// a point.
#[inline(always)]
fn normalize_row(row: &mut [f64], square: f64) -> bool {
    let norm = square.sqrt();
    // false where a number is not finite
    let is_point = (norm - 1.0).abs() <= CURVED_POINT_TOLERANCE;
    let factor = 1.0 / norm;
    let off = (factor - 1.0).abs();
    if is_point && off > KEEPS && (off >= CHANGES || !is_rounding(row, factor)) {
        row.iter_mut().for_each(|x| *x *= factor);
    }
    is_point
}

/// Whether the factor changes the vector by rounding alone.
#[cold]
fn is_rounding(row: &[f64], factor: f64) -> bool {
    differ_by_rounding(row, row.iter().map(|x| x * factor))
}

/// `⟨a, a⟩` of four vectors, each as [`dot`] computes it to the last bit. Additions of different vectors do not wait for
/// one another.
#[inline(always)]
fn squares(rows: [&[f64]; 4]) -> [f64; 4] {
    let mut sums = [[0.0; 4]; 4];
    let mut add = |r: usize, four: &[f64; 4], from: usize| {
        for i in from..4 {
            sums[r][i] += four[i] * four[i];
        }
    };
    let [a, b, c, d] = rows.map(|row| row.as_chunks::<4>().0);
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        add(0, a, 0);
        add(1, b, 0);
        add(2, c, 0);
        add(3, d, 0);
    }
    let rest = rows[0].len() % 4;
    if rest > 0 {
        for (r, row) in rows.iter().enumerate() {
            if let Some(last) = row.last_chunk::<4>() {
                add(r, last, 4 - rest);
            }
        }
    }
    sums.map(|[a, b, c, d]| (a + b) + (c + d))
}

#[cfg(test)]
mod tests {
    use super::super::{Manifold, Sphere};
    use super::*;
    use crate::points::Points;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha20Rng;

    #[test]
    fn squares_side_by_side_are_those_of_one() {
        let mut generator = ChaCha20Rng::seed_from_u64(1);
        for len in LEAST..40 {
            let rows: [Vec<f64>; 4] =
                std::array::from_fn(|_| (0..len).map(|_| generator.random_range(-1.0..1.0)).collect());
            let found = squares([&rows[0], &rows[1], &rows[2], &rows[3]]);
            assert_eq!(found, [0, 1, 2, 3].map(|i| dot(&rows[i], &rows[i])), "{len}");
        }
    }

    /// Rows that are off by a few roundings, by those of single precision, and by more than a point may be.
    #[test]
    fn points_normalized_together_are_those_normalized_alone() {
        let mut generator = ChaCha20Rng::seed_from_u64(2);
        for len in [8, 9, 11, 64, 385] {
            let sphere = Sphere::new(len - 1).unwrap();
            let (mut kept, mut changed) = (0, 0);
            for n in 0..400 {
                let count = 1 + n % 9;
                let mut rows: Vec<f64> = (0..count * len).map(|_| generator.random_range(-1.0..1.0)).collect();
                for row in rows.chunks_exact_mut(len) {
                    let by = 1.0 + f64::from(generator.random_range(-20..=20)) * 0.5 * f64::EPSILON;
                    let norm = dot(row, row).sqrt();
                    row.iter_mut().for_each(|x| *x = *x / norm * by);
                    if generator.random_range(0..4) == 0 {
                        row.iter_mut().for_each(|x| *x = f64::from(*x as f32));
                    }
                }
                let mut together = rows.clone();
                assert!(sphere.normalize_points(&mut together));
                for (row, found) in rows.chunks_exact(len).zip(together.chunks_exact(len)) {
                    let mut alone = row.to_vec();
                    sphere.check_point(row).unwrap();
                    sphere.normalize(&mut alone);
                    let expected = if is_rounding(row, 1.0 / dot(row, row).sqrt()) { row } else { &alone };
                    assert_eq!(found, expected, "{len}");
                    *(if found == row { &mut kept } else { &mut changed }) += 1;
                }
                assert_eq!(Points::new(&sphere, rows.clone()).unwrap().view().values(), together, "{len}");
                let place = generator.random_range(0..rows.len());
                for wrong in [f64::NAN, f64::INFINITY, 1.5] {
                    rows[place] = wrong;
                    assert!(!sphere.normalize_points(&mut rows.clone()), "{len} {wrong}");
                    assert!(Points::new(&sphere, rows.clone()).is_err(), "{len} {wrong}");
                }
            }
            assert!(kept > 100 && changed > 100, "{len}: {kept} {changed}");
        }
    }
}
