//! A center by private medians of coordinates (user guide, B5).
//!
//! The coordinates of `Log_{m₀} xᵢ` in the frame at the public center `m₀` are `d` numbers. Each axis is divided into
//! `J = 2¹⁶` places of equal length from `−R` to `R`, and one place is chosen as a private median. Let `h_j` be the
//! number of records in the place `j` or before it, and `t = ⌈n/2⌉`. The choice is the place of the largest
//!
//! ```text
//! (ε/2)·s_j + N_j,   s_j = −max{t − h_j, h_{j−1} − t + 1, 0},
//! ```
//!
//! with noise `N_j`. Replacing a record changes every `h_j` by at most 1. So each of the `d` choices keeps its part of
//! the budget by [`NoisyMaximum`](crate::noise::NoisyMaximum): `ε = ε₀/d` of a budget of pure `ε₀`, `√(8ρ/d)` of one of
//! ρ, and the range of `μ/√d`. The center is `Exp_{m₀}` of the middle of the places.
//!
//! **Resolution** is the same in all of the ball: `2⁻¹⁵·R`. Many places cost little, because one that misses by `k`
//! ranks is taken with probability `e^(−(ε/2)·k)` at most. So places far from all records are very unlikely. Among the
//! others the chosen one misses by about `2/ε` ranks, however many places there are.

use crate::Lattice;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::{LocationBudget, PlanSummary, PrivateGeometricMedian};
use crate::noise::Generator;
use crate::privacy::{Definition, Guarantee};
use crate::records::{PreparedRecords, Summand};
use crate::release::{
    MechanismName, NoiseOf, Numerics, OpenRelease, ReleasedBound, ReleasedSensitivity, StatisticName,
};
use crate::statistics::ball::choice::PrivateChoices;
use crate::statistics::ball::radius::scores;
use crate::statistics::geometric_median::schedule::{after, bend, rehearsed};

/// `J`.
const PLACES: usize = 1 << 16;

/// With more coordinates there would be more than a million counts.
const MOST_COORDINATES: usize = 16;

/// The ranks that a place without records around it misses, as a fraction of `n`. Then the density of a normal law at
/// the median of all records, for a standard deviation of 1. Both assume that a fifth of the records is wild, all on
/// one side.
const FAR: f64 = 0.3;
const DENSITY: f64 = 0.3;

/// The `n·ε` for a coordinate and for a radius. With them, the chosen place is away from all records with probability
/// `J·e^(−FAR·nε/2) = e^(−5)` at most. The chosen radius holds them all except with probability
/// `145·e^(−¼·nε/2) = e^(−15)`.
const FOR_COORDINATE: f64 = 110.0;
const FOR_RADIUS: f64 = 160.0;

/// The least and the largest fraction of a budget that locates a ball.
const LEAST_SHARE: f64 = 0.1;
const LARGEST_SHARE: f64 = 0.4;

/// A center by private medians of coordinates, with everything decided before any record is read.
#[derive(Debug, Clone)]
pub(super) struct CoordinateMedians {
    median: PrivateGeometricMedian,
    choices: PrivateChoices,
    /// Half the length of the axes, on both sides of 0.
    reach: f64,
    places: usize,
    /// `t`.
    rank: i64,
    /// The figure of its rehearsal.
    figure: f64,
    summary: PlanSummary,
}

impl CoordinateMedians {
    /// The medians for `n` records and a budget. `None` where there are too many coordinates, and where the outer
    /// ball's radius exceeds half of the injectivity radius: around any of its points, a ball of its radius must have
    /// logarithms without jumps.
    pub(super) fn new(median: &PrivateGeometricMedian, n: usize, budget: Guarantee) -> Result<Option<Self>> {
        let manifold = median.manifold();
        let reach = median.ball().radius().min(manifold.diameter());
        let fits = manifold.dim() <= MOST_COORDINATES && reach <= 0.5 * manifold.injectivity_radius();
        if fits { Self::on(PLACES, median, n, budget).map(Some) } else { Ok(None) }
    }

    fn on(places: usize, median: &PrivateGeometricMedian, n: usize, budget: Guarantee) -> Result<Self> {
        let (manifold, ball) = (median.manifold(), median.ball());
        let reach = ball.radius().min(manifold.diameter());
        let choices = PrivateChoices::new(manifold.dim(), budget)?;
        let (d, weight) = (manifold.dim() as f64, choices.epsilon() * n as f64);
        let (figure, distance) = rehearse(d, weight, places as f64, Chart::of(&**manifold, reach));
        let described = PlanSummary::new(
            MechanismName::Locate,
            (StatisticName::Ball, manifold, ball),
            n,
            budget,
            2.0 * reach / places as f64,
            ReleasedSensitivity { value: 1.0, bound: ReleasedBound::Rank },
            (reach * distance).min(manifold.diameter()),
        );
        Ok(Self {
            median: median.clone(),
            choices,
            reach,
            places,
            // a count above 2^53 is no number of records in memory
            rank: (n as i64 + 1) / 2,
            figure,
            summary: PlanSummary {
                at_most: true,
                noise: vec![choices.draws(NoiseOf::Center)],
                numerics: Numerics::Exact,
                ..described
            },
        })
    }

    /// Root mean square distance between the center and the median of a made-up cluster of a spread. It leaves out the
    /// case that a place away from all records is chosen.
    pub(super) fn rehearse(&self, spread: f64) -> f64 {
        let manifold = &*self.summary.manifold;
        let d = manifold.dim() as f64;
        let chart = Chart::of(manifold, self.reach);
        let missed =
            missed(d, self.choices.epsilon() * self.summary.n as f64, self.places as f64, chart, spread / self.reach);
        (self.reach * missed).min(manifold.diameter())
    }

    /// The figure by which it is compared with other ways to find a center: less is better.
    pub(super) fn figure(&self) -> f64 {
        self.figure
    }

    pub(super) fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    /// The chosen place of each coordinate: an output.
    fn chosen(&self, seen: &PreparedRecords<'_>, generator: &mut Generator) -> Result<Vec<usize>> {
        let centered = self.median.seen().centered();
        let term = Summand::Places { base: centered.center().to_vec(), reach: self.reach, places: self.places };
        let total = seen.sum(centered.space(), &term)?;
        let axes = total.integers().chunks_exact(self.places);
        Ok(axes.map(|counts| self.place(counts, generator)).collect())
    }

    /// The place of a median, from the numbers of records in each place.
    fn place(&self, counts: &[i128], generator: &mut Generator) -> usize {
        let running = counts.iter().scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        });
        self.choices.place(&scores(self.rank, &running.collect::<Vec<i128>>()), generator)
    }

    /// The middle of the chosen places, clipped to the ball, relative to its center.
    pub(super) fn end(&self, seen: &PreparedRecords<'_>, context: &mut OpenRelease<'_>) -> Result<Vec<f64>> {
        let centered = self.median.seen().centered();
        let middle = |place: usize| self.reach * ((2 * place + 1) as f64 / self.places as f64 - 1.0);
        let coordinates: Vec<f64> = self.chosen(seen, context.generator())?.into_iter().map(middle).collect();
        let mut end = Lattice::point(centered.space(), centered.center(), &coordinates);
        centered.pull(&mut end);
        Ok(end)
    }
}

/// The split of a budget where medians of coordinates find the center. Center and radius take what they need, at least
/// a tenth and at most two fifths of the budget, in proportion.
///
/// A choice with the fraction `s` of a budget has `s` times the ε of all of it for pure ε, and about `√s` times for μ²
/// and ρ.
pub(super) fn shares(d: usize, n: usize, budget: Guarantee) -> Result<LocationBudget> {
    let whole = PrivateChoices::new(1, budget)?.epsilon();
    let fraction = |needed: f64| match budget.definition() {
        Definition::Pure { .. } => needed / (n as f64 * whole),
        Definition::Approximate { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => {
            (needed / (n as f64 * whole)).powi(2)
        }
    };
    let (center, radius) = (d as f64 * fraction(FOR_COORDINATE), fraction(FOR_RADIUS));
    let location = (center + radius).clamp(LEAST_SHARE, LARGEST_SHARE);
    Ok(LocationBudget { location, center: center / (center + radius) })
}

/// The figure and the largest distance, in units of `R`, of made-up clusters, for `weight = n·ε` and `J` places.
///
/// A cluster of spread `s` has the density `f = DENSITY·√d/s` along an axis. So a place in it misses the median by
/// `√2·2/(weight·f)` and its own width. With a probability of about `d·J·e^(−weight·FAR/2)` one of the places is away
/// from all records.
fn rehearse(d: f64, weight: f64, places: f64, chart: Chart) -> (f64, f64) {
    let lost = (d * (places.ln() - 0.5 * FAR * weight).exp()).min(1.0);
    rehearsed(|spread| [(1.0 - lost, missed(d, weight, places, chart, spread)), (lost, 1.0)])
}

/// Distance between the chosen place and the median of a cluster at the edge of the ball, in units of `R`.
fn missed(d: f64, weight: f64, places: f64, chart: Chart, spread: f64) -> f64 {
    let along = 8.0 * (spread / (weight * DENSITY * d.sqrt())).powi(2) + (2.0 / places).powi(2) / 12.0;
    chart.on_the_space((d * along).sqrt().min(1.0))
}

/// The distortion of lengths by the chart at the center, in a ball around it.
#[derive(Debug, Clone, Copy)]
struct Chart {
    /// The factor by which it lengthens vectors at the edge on positively curved spaces.
    longer: f64,
    /// `a·R`, for a mean curvature of `−a²`.
    bend: f64,
}

impl Chart {
    fn of(manifold: &dyn Manifold, reach: f64) -> Self {
        let up = manifold.curvature().upper.max(0.0).sqrt() * reach;
        Self { longer: if up > 0.0 { up / up.sin() } else { 1.0 }, bend: bend(manifold, reach) }
    }

    /// Approximate upper bound of the distance of two points from the distance of their coordinates, if one is at the
    /// edge; both in units of `R`. With negative curvature, a displacement to the side becomes the third side of a
    /// triangle.
    fn on_the_space(self, apart: f64) -> f64 {
        self.longer * after(1.0, 1.0, 1.0, apart, self.bend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use crate::audit::lower_bound;
    use crate::ball::Ball;
    use crate::noise::NoisyMaximum;
    use crate::points::Points;
    use statrs::distribution::{ChiSquared, ContinuousCDF};
    use std::sync::Arc;

    /// Medians on a few places from −1 to 1.
    fn medians(space: &str, places: usize, n: usize, epsilon: f64) -> CoordinateMedians {
        let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
        let ball = Ball::at_origin(&*manifold, 1.0).unwrap();
        let median = PrivateGeometricMedian::new(Arc::clone(&manifold), ball).unwrap();
        CoordinateMedians::on(places, &median, n, Guarantee::pure(epsilon).unwrap()).unwrap()
    }

    fn chosen(medians: &CoordinateMedians, records: &[f64], draws: usize, seed: u64) -> Vec<Vec<usize>> {
        let points = Points::new(&**medians.median.manifold(), records.to_vec()).unwrap();
        let seen = medians.median.seen().carry(&points).unwrap();
        let mut generator = Generator::seeded(seed);
        (0..draws).map(|_| medians.chosen(&seen, &mut generator).unwrap()).collect()
    }

    /// The exact law of a coordinate's place, from the places of the records and the definition of the scores.
    fn law(of: &[usize], places: usize, epsilon: f64) -> Vec<f64> {
        let aim = of.len().div_ceil(2) as i64;
        let before = |j: usize| of.iter().filter(|place| **place < j).count() as i64;
        let score = |j: usize| match (before(j), before(j + 1)) {
            (low, _) if low >= aim => aim - 1 - low,
            (_, high) if high < aim => high - aim,
            _ => 0,
        };
        NoisyMaximum::new(epsilon).unwrap().law(&(0..places).map(|j| score(j) as f64).collect::<Vec<f64>>())
    }

    /// Every data set of two coordinates in three places each, and every neighbor: the exact probabilities keep ε. With
    /// half of the sensitivity, hence the noise of 2ε, they do not.
    #[test]
    fn exact_probabilities_of_all_neighbors_keep_epsilon_and_half_the_sensitivity_does_not() {
        let (places, n, epsilon) = (3, 3, 1.2_f64);
        let largest = |each: f64| {
            let points = places * places;
            let both = |records: &[usize]| {
                let axis = |f: fn(usize, usize) -> usize| records.iter().map(|r| f(*r, places)).collect::<Vec<_>>();
                [law(&axis(|r, p| r / p), places, each), law(&axis(|r, p| r % p), places, each)]
            };
            let mut largest = 0.0_f64;
            for code in 0..points.pow(n) {
                let records: Vec<usize> = (0..n).map(|i| code / points.pow(i) % points).collect();
                let here = both(&records);
                for other in 0..points {
                    let there = both(&[&[other], &records[1..]].concat());
                    // for a product law, the largest ratio is the product of the largest ratios
                    let axes = here.iter().zip(&there);
                    let loss = axes.map(|(a, b)| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a / b).ln())));
                    largest = largest.max(loss.sum());
                }
            }
            largest
        };
        let kept = largest(0.5 * epsilon);
        assert!(kept <= epsilon && kept > 0.6 * epsilon, "{kept}");
        assert!(largest(epsilon) > epsilon);
    }

    /// Both p-values are below 10⁻⁶ with that probability for the right law; an ε that is wrong by a tenth is found.
    #[test]
    fn places_have_their_exact_law() {
        // beyond the ends, at a border, and inside
        let records = [-7.0, 0.3, -0.9, 0.3, -0.1, -0.9, 0.5, 0.9, 0.7, -0.2, 0.65, 1e300, 0.8, 0.1];
        let axes = [[0, 0, 1, 3, 3, 3, 3], [2, 2, 0, 3, 1, 3, 2]];
        let (n, draws, epsilon) = (7, 200_000, 3.0);
        let places = chosen(&medians("euclidean:2", 4, n, epsilon), &records, draws, 1);
        for (k, axis) in axes.iter().enumerate() {
            let p = |each: f64| {
                let count = |j: usize| places.iter().filter(|place| place[k] == j).count() as f64;
                let expected = law(axis, 4, each).into_iter().map(|p| p * draws as f64);
                let square = (0..4).map(count).zip(expected).map(|(count, p)| (count - p).powi(2) / p).sum();
                ChiSquared::new(3.0).unwrap().sf(square)
            };
            assert!(p(0.5 * epsilon) > 1e-6, "{k}");
            assert!(p(0.55 * epsilon) < 1e-6 && p(0.45 * epsilon) < 1e-6, "{k}: no power");
        }
    }

    /// The bound exceeds a true claim with probability 10⁻⁶. A halved sensitivity is refuted, and so is a coordinate
    /// that gets the budget of all.
    #[test]
    fn half_the_sensitivity_is_caught_by_an_attack() {
        let (claim, draws) = (Guarantee::pure(2.0).unwrap(), 30_000);
        let proved = |space: &str, epsilon: f64| {
            let mut medians = medians(space, 2, 1, 2.0);
            let d = medians.median.manifold().dim();
            medians.choices = PrivateChoices::new(d, Guarantee::pure(d as f64 * epsilon).unwrap()).unwrap();
            let happened = |x: f64, seed| -> Vec<f64> {
                let places = chosen(&medians, &vec![x; d], draws, seed);
                places.iter().map(|place| f64::from(u8::from(place.iter().all(|j| *j == 1)))).collect()
            };
            lower_bound(claim, &happened(1.0, 1), &happened(-1.0, 2), 1e-6).unwrap()
        };
        let (kept, planted) = (proved("euclidean:1", 2.0), proved("euclidean:1", 4.0));
        assert!(kept < 2.0 && kept > 1.3, "{kept}");
        assert!(planted > 2.2, "{planted}");
        let (kept, planted) = (proved("euclidean:2", 1.0), proved("euclidean:2", 2.0));
        assert!(kept < 2.0 && planted > 2.2, "{kept} {planted}");
    }

    /// Without noise, places are medians, also where few ranks separate the records or the axes end.
    #[test]
    fn places_are_those_of_medians_when_there_is_next_to_no_noise() {
        for (records, expected) in [
            (&[0.1, 0.2, 0.3, 0.9, -0.9][..], 4), // the third of five
            (&[0.1, 0.9], 4),                     // the lower one of two
            (&[-1e300; 3], 0),
            (&[1e300; 3], 7),
            (&[0.0], 4),
        ] {
            let medians = medians("euclidean:1", 8, records.len(), 500.0);
            assert_eq!(chosen(&medians, records, 1, 3), [[expected]], "{records:?}");
        }
    }

    #[test]
    fn medians_are_taken_where_their_chart_has_no_jump_and_their_budget_is_enough() {
        let by = |space: &str, radius: f64, n: usize, budget: Guarantee| {
            let manifold = space.parse::<Space>().unwrap().manifold().unwrap();
            let ball = Ball::at_origin(&*manifold, radius.min(manifold.diameter())).unwrap();
            let location = crate::mechanism::PrivateLocation::new(manifold, ball).unwrap();
            crate::mechanism::LocateBall::new(&location, n, budget, None).unwrap().center_method()
        };
        use crate::release::CenterMethod::{CoordinateMedians, MedianFlow};
        let (pure, normal) = (Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(1.0).unwrap());
        assert_eq!(by("euclidean:2", 1e3, 2_000, pure), CoordinateMedians);
        assert_eq!(by("spd-log-euclidean:3", 1e3, 4_000, pure), CoordinateMedians);
        assert_eq!(by("sphere:2", 1.5, 2_000, pure), CoordinateMedians);
        assert_eq!(by("euclidean:2", 1e3, 2_000, normal), CoordinateMedians);
        assert_eq!(by("euclidean:2", 1e3, 50, pure), MedianFlow); // too few records
        assert_eq!(by("euclidean:17", 1e3, 100_000, pure), MedianFlow); // too many coordinates
        assert_eq!(by("sphere:2", 9.0, 2_000, pure), MedianFlow); // the whole sphere
        assert_eq!(by("hyperbolic:2", 20.0, 2_000, pure), MedianFlow); // far out the chart is exponentially fine
    }

    #[test]
    fn shares_are_what_is_needed_within_limits() {
        let pure = Guarantee::pure(1.0).unwrap();
        let location = |n| shares(2, n, pure).unwrap().location;
        assert!((location(2_000) - 0.19).abs() < 1e-12);
        assert_eq!((location(100), location(1_000_000)), (LARGEST_SHARE, LEAST_SHARE));
        let center = |d| shares(d, 2_000, pure).unwrap().center;
        assert!(center(1) < center(3));
        // the sum of d choices of a hundred and ten and one of a hundred and sixty, in squares: the range ε of ρ = ½ has
        // h − 1 − ln h = ½ for h = ε/(1 − e^(−ε)), by mpmath
        let range = 2.055_967_111_261_f64;
        let of_rho = shares(2, 200, Guarantee::concentrated(0.5).unwrap()).unwrap();
        let expected = (2.0 * 110_f64.powi(2) + 160_f64.powi(2)) / (200.0 * range).powi(2);
        assert!((of_rho.location - expected).abs() < 1e-9);
    }
}
