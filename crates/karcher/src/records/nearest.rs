//! Sums over the records nearest to each of several points (user guide, K1).
//!
//! A record adds `(1, clip_c(Log_{m_j} x)/c)` to the block of its nearest point `m_j`, in quanta of `2⁻⁵⁰`, and nothing to
//! the others. A block's vector is no longer than `2⁵⁰` in integers, and its first number is `2⁵⁰`. Let one record be
//! replaced. In one block the sum changes by at most `2·2⁵⁰`. In two blocks each changes by `√2·2⁵⁰` at most, which is
//! `2·2⁵⁰` together. So the numbers of records are free. One record more or less changes the sum by `√2·2⁵⁰` at most.

use super::quantum::{BITS, bounded};
use super::squares::squared_length;
use super::summand::frame_logs;
use crate::manifold::{Manifold, Operand};
use crate::points::PointsView;

/// The place of the nearest point for each record, the first of equals. A distance that is no number is the largest.
fn places(manifold: &dyn Manifold, bases: &[Vec<f64>], records: PointsView<'_>) -> Vec<(usize, f64)> {
    let mut nearest = vec![(0, f64::INFINITY); records.len()];
    let mut distances = vec![0.0; records.len()];
    for (place, base) in bases.iter().enumerate() {
        manifold.released_dist_many(Operand::Same(base), Operand::Each(records.values()), &mut distances);
        for (nearest, distance) in nearest.iter_mut().zip(&distances) {
            if *distance < nearest.1 {
                *nearest = (place, *distance);
            }
        }
    }
    nearest
}

/// Adds the blocks of records.
pub(super) fn add_nearest(
    manifold: &dyn Manifold,
    (bases, clip): (&[Vec<f64>], f64),
    records: PointsView<'_>,
    sum: &mut [i64],
) {
    let (d, len) = (manifold.dim(), manifold.point_len());
    let mut own: Vec<Vec<f64>> = vec![vec![]; bases.len()];
    for (x, (place, _)) in records.iter().zip(places(manifold, bases, records)) {
        own[place].extend_from_slice(x);
    }
    let mut z = vec![0; d];
    for ((block, base), own) in sum.chunks_exact_mut(d + 1).zip(bases).zip(&own) {
        block[0] += ((own.len() / len) as i64) << BITS; // of 4,096 records at most
        frame_logs(manifold, base, PointsView::unchecked(manifold.space(), len, own), |_, c| {
            bounded(c, clip, &mut z);
            block[1..].iter_mut().zip(&z).for_each(|(sum, z)| *sum += z);
        });
    }
}

/// Adds the squares of the distances to the nearest points, each cut off at the square of `clip`.
pub(super) fn add_nearest_squares(
    manifold: &dyn Manifold,
    (bases, clip): (&[Vec<f64>], f64),
    records: PointsView<'_>,
    sum: &mut i64,
) {
    *sum +=
        places(manifold, bases, records).iter().map(|(_, distance)| squared_length(&[*distance], clip)).sum::<i64>();
}
