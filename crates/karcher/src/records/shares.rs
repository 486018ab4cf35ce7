//! Shares: rows of nonnegative numbers in blocks, each with the sum 1 at most, in integers (user guide, V2).
//!
//! A record's row is cut into blocks. Each number is rounded to a multiple of `2⁻⁵⁰`, and to what the numbers of its
//! block before it have left of 1. So the integers of a block are nonnegative and their sum is at most `2⁵⁰`, whatever
//! the row is. With the rest of each block as one more integer, their sum is `2⁵⁰`.
//!
//! Two blocks `a, b ≥ 0` with sums at most 1 have `‖a − b‖₁ ≤ 2` and `‖a − b‖² ≤ ‖a‖² + ‖b‖² ≤ 2`; both are at most 1
//! for blocks of one number. A record more or less changes a block with its rest by `‖a‖₁ = 1` and `‖a‖ ≤ 1`.

use super::quantum::BOUND;
use crate::points::PointsView;

/// Adds the shares of records, and of each block the rest if it is asked for.
pub(super) fn add_shares(blocks: &[usize], with_rest: bool, records: PointsView<'_>, sum: &mut [i64]) {
    let cells: usize = blocks.iter().sum();
    for row in records.iter() {
        let mut at = 0;
        for (block, size) in blocks.iter().enumerate() {
            let mut left = BOUND as i64;
            for (x, sum) in row[at..at + size].iter().zip(&mut sum[at..]) {
                let share = whole(*x).min(left);
                left -= share;
                *sum += share;
            }
            at += size;
            if with_rest {
                sum[cells + block] += left;
            }
        }
    }
}

/// The integer next to a share, from 0 to `2⁵⁰`; what is no number is 0.
fn whole(x: f64) -> i64 {
    (x.clamp(0.0, 1.0) * BOUND).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Euclidean;
    use crate::manifold::Manifold;
    use proptest::prelude::*;

    fn shares(blocks: &[usize], with_rest: bool, row: &[f64]) -> Vec<i64> {
        let space = Euclidean::new(row.len()).unwrap();
        let mut sum = vec![0; row.len() + if with_rest { blocks.len() } else { 0 }];
        add_shares(blocks, with_rest, PointsView::unchecked(space.space(), row.len(), row), &mut sum);
        sum
    }

    #[test]
    fn shares_are_those_of_a_row() {
        let one = 1 << 50;
        assert_eq!(shares(&[3], false, &[0.0, 1.0, 0.0]), [0, one, 0]);
        assert_eq!(shares(&[3], true, &[0.25, 0.5, 0.0]), [one / 4, one / 2, 0, one / 4]);
        assert_eq!(shares(&[1, 2], true, &[0.5, 1.0, 9.0]), [one / 2, one, 0, one / 2, 0]);
        assert_eq!(shares(&[2], true, &[f64::NAN, -1.0]), [0, 0, one]);
    }

    proptest! {
        /// However wild two rows are, replacing one by the other, or leaving it out, moves no more than is said.
        #[test]
        fn a_record_moves_its_blocks_by_no_more_than_is_said(
            a in prop::collection::vec(-2.0f64..2.0, 4), b in prop::collection::vec(-2.0f64..2.0, 4), wild in 0_usize..4,
        ) {
            let (mut a, one) = (a, 1_i128 << 50);
            a[wild] *= 1e300;
            let blocks = [1, 3];
            let (x, y) = (shares(&blocks, false, &a), shares(&blocks, false, &b));
            let apart: Vec<i128> = x.iter().zip(&y).map(|(x, y)| i128::from(x - y)).collect();
            let lengths = |d: &[i128]| {
                let (sum, square): (i128, i128) = (d.iter().map(|d| d.abs()).sum(), d.iter().map(|d| d * d).sum());
                (sum, square)
            };
            let ((one_sum, one_square), (sum, square)) = (lengths(&apart[..1]), lengths(&apart[1..]));
            prop_assert!(one_sum <= one && one_square <= one * one && sum <= 2 * one && square <= 2 * one * one);
            for row in [&a, &b] {
                let all = shares(&blocks, true, row);
                prop_assert!(all.iter().all(|z| *z >= 0));
                prop_assert_eq!(i128::from(all[0] + all[4]), one);
                prop_assert_eq!(i128::from(all[1] + all[2] + all[3] + all[5]), one);
            }
        }
    }
}
