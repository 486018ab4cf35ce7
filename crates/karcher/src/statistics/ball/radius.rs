//! The private radius around a released center: a quantile of the records' distances, on a public grid (user guide,
//! B2).
//!
//! With the counts `c_j = #{ρ(m, xᵢ) ≤ r_j}` on the grid `r₁ < … < r_J`, and `c₀ = 0`, the radius that holds `t =
//! ⌈q·n⌉` records is the `r_j` with `c_{j−1} < t ≤ c_j`. The score of a place is minus the number of ranks by which it
//! misses that,
//!
//! ```text
//! s_j = −max{t − c_j, c_{j−1} − t + 1, 0}.
//! ```
//!
//! Replacing a record changes every `c_j` by at most 1, hence every `s_j`. The release is the place of the largest
//! score with exact noise, by [`NoisyMaximum`](crate::noise::NoisyMaximum). Where some place hits its aim, and the
//! chosen one misses it by `k` ranks, `P((ε/2)·k > ln J + x) ≤ e^(−x)`: each of `J` places misses by `k` with
//! probability `e^(−(ε/2)·k)` at most.
//!
//! The last place counts all `n`. Otherwise, where most records are beyond the grid, no place would hold `t`, all would
//! miss it equally, and the choice would be random. `n` is public, so the sensitivity of the scores stays the same.
//!
//! (`−|c_j − t|` has the same sensitivity, but where all records lie at one place it is the same for every `j`.)

use crate::error::Result;
use crate::manifold::Manifold;
use crate::noise::Generator;
use crate::privacy::Guarantee;
use crate::records::{PreparedRecords, Summand};
use crate::release::{NoiseDraw, NoiseOf, Radii};
use crate::statistics::ball::choice::PrivateChoices;

/// `r_{j+1}/r_j`: `2^(1/8)`, so that the radius is at most 9 % too large because of the grid.
const RATIO: f64 = 1.090_507_732_665_257_7;

/// `J`: the smallest radius is `2⁻¹⁸` of the largest.
const COUNT: usize = 145;

/// A private quantile of distances.
#[derive(Debug, Clone, Copy)]
pub(super) struct PrivateRadius {
    radii: Radii,
    choice: PrivateChoices,
    n: usize,
    /// `t`.
    rank: i64,
    /// Whether noise may miss the rank by more than there are records beyond it.
    by_chance: bool,
}

impl PrivateRadius {
    /// The radius that holds a fraction of `n` records, or `largest` if none does.
    pub(super) fn new(largest: f64, share: f64, n: usize, budget: Guarantee) -> Result<Self> {
        let radii = Radii { largest, ratio: RATIO, count: COUNT };
        // a count above 2^53 is no number of records in memory
        let rank = ((share * n as f64).ceil() as i64).clamp(1, (n as i64).max(1));
        let choice = PrivateChoices::new(1, budget)?;
        let missed = 2.0 / choice.epsilon() * (COUNT as f64).ln();
        let by_chance = missed > share.min(1.0 - share) * n as f64;
        Ok(Self { radii, choice, n, rank, by_chance })
    }

    /// Its noise.
    pub(super) fn draws(&self) -> NoiseDraw {
        self.choice.draws(NoiseOf::Radius)
    }

    /// Whether noise alone may choose the radius, a tiny one too: public.
    pub(super) fn is_by_chance(&self) -> bool {
        self.by_chance
    }

    /// The grid.
    pub(super) fn radii(&self) -> Radii {
        self.radii
    }

    /// The place on the grid. **Private.**
    pub(super) fn place(
        &self,
        space: &dyn Manifold,
        center: &[f64],
        seen: &PreparedRecords<'_>,
        generator: &mut Generator,
    ) -> Result<usize> {
        let term = Summand::Within { base: center.to_vec(), radii: self.radii.all() };
        let counts = seen.sum(space, &term)?;
        let mut counts = counts.integers().to_vec();
        counts.iter_mut().last().into_iter().for_each(|last| *last = self.n as i128);
        Ok(self.choice.place(&scores(self.rank, &counts), generator))
    }

    /// The probability of each place, for `n` made-up records with a fraction `within(r)` within `r`.
    pub(super) fn rehearse(&self, n: usize, within: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut shares: Vec<f64> = self.radii.all().into_iter().map(within).collect();
        shares.iter_mut().last().into_iter().for_each(|last| *last = 1.0);
        let (rank, counts) = (self.rank as f64, shares.into_iter().map(|share| n as f64 * share));
        let missed = |before: &mut f64, count: f64| {
            let missed = (rank - count).max(*before - rank + 1.0).max(0.0);
            *before = count;
            Some(-missed)
        };
        self.choice.law(&counts.scan(0.0, missed).collect::<Vec<_>>())
    }
}

/// The scores of places for a rank, from the numbers of records that are in a place or before it.
pub(super) fn scores(rank: i64, counts: &[i128]) -> Vec<i64> {
    let counts = || counts.iter().map(|c| *c as i64);
    let before = std::iter::once(0).chain(counts());
    let missed = |(before, count): (i64, i64)| (rank - count).max(before - rank + 1).max(0);
    before.zip(counts()).map(|pair| -missed(pair)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pure(epsilon: f64) -> Guarantee {
        Guarantee::pure(epsilon).unwrap()
    }

    fn radius(share: f64, n: usize) -> PrivateRadius {
        PrivateRadius::new(1.0, share, n, pure(1.0)).unwrap()
    }

    #[test]
    fn the_score_is_best_at_the_quantile_and_only_there() {
        assert_eq!(scores(75, &[10, 60, 74, 75, 90, 100]), [-65, -15, -1, 0, -1, -16]);
        // all records at one place: the smallest radius
        assert_eq!(scores(45, &[50, 50, 50]), [0, -6, -6]);
        // no record within any: the largest is as good as the others
        assert_eq!(scores(2, &[0, 0, 0]), [-2, -2, -2]);
        assert_eq!((radius(1e-9, 7).rank, radius(1.0, 7).rank, radius(0.5, 7).rank), (1, 7, 4));
    }

    #[test]
    fn ranks_near_either_end_are_missed_by_chance() {
        let by_chance = |share| PrivateRadius::new(1.0, share, 1_000, pure(1.0)).unwrap().is_by_chance();
        assert!([0.02, 0.5, 0.75, 0.98].into_iter().all(|share| !by_chance(share)));
        assert!([1e-3, 0.005, 0.995, 1.0].into_iter().all(by_chance));
    }

    /// 1,000 records at distances 0, 0.001, …: the rehearsed law is that of draws. A frequency of 20,000 draws is
    /// farther than 0.02 from its probability with probability 10⁻⁶ at most.
    #[test]
    fn a_rehearsal_knows_the_law_of_the_place() {
        for budget in [pure(0.02), Guarantee::gaussian(0.02).unwrap(), Guarantee::concentrated(2e-4).unwrap()] {
            let radius = PrivateRadius::new(1.0, 0.75, 1_000, budget).unwrap();
            let law = radius.rehearse(1_000, |r| (r * 1_000.0).floor() / 1_000.0);
            let counts: Vec<i128> = radius.radii().all().iter().map(|r| (r * 1_000.0).floor() as i128).collect();
            let (scores, mut generator) = (scores(radius.rank, &counts), Generator::seeded(1));
            let mut found = vec![0.0; law.len()];
            (0..20_000).for_each(|_| found[radius.choice.place(&scores, &mut generator)] += 1.0 / 20_000.0);
            for (found, expected) in found.iter().zip(&law) {
                assert!((found - expected).abs() < 0.02, "{budget}: {found} {expected}");
            }
            assert!(law.iter().all(|p| *p < 0.5) && (law.iter().sum::<f64>() - 1.0).abs() < 1e-9, "noise is seen");
        }
    }

    /// A center from which no record is within the grid: the largest radius, not one by chance.
    #[test]
    fn records_beyond_the_grid_are_in_the_last_place() {
        let line = crate::manifold::Euclidean::new(1).unwrap();
        let far = crate::points::Points::new(&line, vec![1e3; 200]).unwrap();
        let outer = crate::ball::Ball::at_origin(&line, 1.0).unwrap();
        let median = crate::mechanism::PrivateGeometricMedian::new(std::sync::Arc::new(line.clone()), outer).unwrap();
        let (seen, mut generator) = (median.seen().carry(&far).unwrap(), Generator::seeded(2));
        for _ in 0..50 {
            // another place is chosen with probability 145·e^(−150/2) at most
            assert_eq!(radius(0.75, 200).place(&line, &[0.0], &seen, &mut generator).unwrap(), COUNT - 1);
        }
    }

    proptest! {
        /// Counts of neighbours differ by at most 1 each, and both rise with the radius.
        #[test]
        fn a_record_moves_no_score_by_more_than_one(
            distances in prop::collection::vec(0.0f64..1.0, 1..40), replaced in 0.0f64..1.0, share in 0.01f64..1.0,
        ) {
            let radii = [0.1, 0.2, 0.4, 0.8, 1.0];
            let counts = |all: &[f64]| radii.map(|r| all.iter().filter(|d| **d <= r).count() as i128);
            let scores = |all: &[f64]| scores(radius(share, all.len()).rank, &counts(all));
            let mut other = distances.clone();
            other[0] = replaced;
            for (a, b) in scores(&distances).iter().zip(scores(&other)) {
                prop_assert!((a - b).abs() <= 1);
            }
        }
    }
}
