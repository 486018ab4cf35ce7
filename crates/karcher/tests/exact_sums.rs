//! Sums over records are exact: the same bits whatever the order, the parts and the threads, bounded in integers, and
//! for any number of records (user guide, X1).

use crate::common::{at, cloud, manifold, origin};
use karcher::manifold::Geodesic;
use karcher::mechanism::{PrivateFrechetMean, PrivateRegression, Request};
use karcher::privacy::Guarantee;
use karcher::records::{ExactSum, Observations, SquareWeight, Summand};
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, PredictorRange, ReleaseContext};
use proptest::prelude::*;
use rand::RngExt;
use std::sync::Arc;

const SPACES: [&str; 8] = [
    "euclidean:3",
    "sphere:2",
    "hyperbolic:2",
    "spd-affine-invariant:3",
    "spd-log-euclidean:2",
    "kendall:5",
    "torus:2",
    "sphere:2*euclidean:1",
];

/// Summands of every kind at the origin.
fn terms(m: &dyn Manifold) -> Vec<Summand> {
    let mut base = vec![0.0; m.point_len()];
    m.origin(&mut base);
    let mut velocity = vec![0.0; m.point_len()];
    m.from_frame(&base, &vec![0.1; m.dim()], &mut velocity);
    let geodesic = Geodesic { footpoint: base.clone(), velocity };
    vec![
        Summand::Log { base: base.clone(), bound: 2.0 },
        Summand::ClippedLog { base: base.clone(), clip: 0.3 },
        Summand::Moments { base, radius: 0.4 },
        Summand::Score { geodesic, clip: 0.2, weight: 2.0, length: 0.3 },
        Summand::SquaredDistance { base: origin(m), clip: 0.3 },
        Summand::SecondMoment { base: origin(m), clip: 0.3 },
        Summand::VectorAndSquare { base: origin(m), clip: 0.3, weight: SquareWeight::for_adding() },
        Summand::Within { base: origin(m), radii: vec![0.1, 0.3] },
    ]
}

fn sum(m: &dyn Manifold, term: &Summand, points: &Points, numbers: &[f64]) -> ExactSum {
    Observations::new(points).with_predictors(numbers).unwrap().sum(m, term).unwrap()
}

/// The records at these places.
fn chosen(m: &dyn Manifold, points: &Points, numbers: &[f64], places: &[usize]) -> (Points, Vec<f64>) {
    let len = m.point_len();
    let values = places.iter().flat_map(|&i| points.view().values()[i * len..][..len].to_vec()).collect();
    (Points::new(m, values).unwrap(), places.iter().map(|&i| numbers[i]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn sums_are_the_same_to_the_last_bit_in_any_order_and_in_any_parts(
        seed in 0_u64..1000, n in 300_usize..900, cuts in prop::collection::vec(0.0f64..1.0, 0..6), threads in 1_usize..4,
    ) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for name in SPACES {
            let m = manifold(name);
            let points = cloud(&m, n, 0.3, seed);
            let mut generator = Generator::seeded(seed);
            let numbers: Vec<f64> = (0..n).map(|_| generator.random::<f64>() - 0.5).collect();
            let mut places: Vec<usize> = (0..n).collect();
            for i in (1..n).rev() {
                places.swap(i, generator.random_range(0..=i));
            }
            let mut edges: Vec<usize> = cuts.iter().map(|cut| 1 + (cut * (n - 2) as f64) as usize).collect();
            edges.extend([0, n]);
            edges.sort_unstable();
            edges.dedup();
            for term in terms(&*m) {
                let whole = sum(&*m, &term, &points, &numbers);
                let parts = edges.windows(2).map(|edge| {
                    let (points, numbers) = chosen(&*m, &points, &numbers, &places[edge[0]..edge[1]]);
                    pool.install(|| sum(&*m, &term, &points, &numbers))
                });
                let merged = parts.reduce(|a, b| a.merge(b).unwrap()).unwrap();
                prop_assert_eq!(&whole, &merged, "{} {:?}", name, term);
                // and by way of text, as from another process
                let text = serde_json::to_string(&merged).unwrap();
                prop_assert_eq!(serde_json::from_str::<ExactSum>(&text).unwrap(), whole);
            }
        }
    }
}

/// Whatever one record is, it moves a sum by no more than twice the bound, in integers.
#[test]
fn one_record_moves_a_sum_by_no_more_than_twice_the_bound_in_integers() {
    for name in SPACES {
        let m = manifold(name);
        let far = cloud(&m, 60, 2.0, 3);
        let near = cloud(&m, 60, 1e-3, 4);
        let values = [far.view().values(), near.view().values()].concat();
        let records = Points::new(&*m, values).unwrap();
        let base = terms(&*m).swap_remove(1);
        let one = |i: usize| {
            let (points, _) = chosen(&*m, &records, &[0.0; 120], &[i]);
            Observations::new(&points).sum(&*m, &base).unwrap().integers().to_vec()
        };
        let all: Vec<Vec<i128>> = (0..120).map(one).collect();
        let square = |v: &mut dyn Iterator<Item = i128>| v.map(|x| x * x).sum::<i128>();
        let mut largest = 0;
        for a in &all {
            assert!(square(&mut a.iter().copied()) <= 1 << 100, "{name}");
            for b in &all {
                largest = largest.max(square(&mut a.iter().zip(b).map(|(a, b)| a - b)));
            }
        }
        assert!(largest <= 1 << 102 && largest > 1 << 101, "{name}: {largest}");
    }
}

/// Bounds are half as much for squared distances, `√2` times the square of the clip for second moments, 1 for counts:
/// each of them is reached.
#[test]
fn one_record_moves_squares_and_counts_by_no_more_than_their_diameter() {
    for name in SPACES {
        let m = manifold(name);
        let base = origin(&*m);
        let near = cloud(&m, 40, 1e-3, 4);
        let far = cloud(&m, 40, 2.0, 3);
        // on every axis beyond the clip, and the base itself
        let axes = (0..m.dim())
            .flat_map(|i| at(&*m, &base, &(0..m.dim()).map(|j| f64::from(i == j)).collect::<Vec<_>>(), 0.5));
        let values = [far.view().values(), near.view().values(), &axes.collect::<Vec<f64>>(), &base].concat();
        let records = Points::new(&*m, values).unwrap();
        let squares = |of: &[i128], with: &[i128]| of.iter().zip(with).map(|(a, b)| (a - b).pow(2)).sum::<i128>();
        for (term, bound) in [
            (Summand::SquaredDistance { base: base.clone(), clip: 0.3 }, 1_i128 << 100),
            (Summand::SecondMoment { base: base.clone(), clip: 0.3 }, 2 << 100),
            (Summand::Within { base: base.clone(), radii: vec![0.3] }, 1),
        ] {
            let one = |i: usize| {
                let (points, _) = chosen(&*m, &records, &[0.0; 200], &[i]);
                Observations::new(&points).sum(&*m, &term).unwrap().integers().to_vec()
            };
            let all: Vec<Vec<i128>> = (0..records.len()).map(one).collect();
            let largest = all.iter().flat_map(|a| all.iter().map(|b| squares(a, b))).max().unwrap();
            let reached = largest as f64 > bound as f64 * (1.0 - 1e-8);
            assert!(largest <= bound && reached, "{name} {term:?}: {largest}");
        }
    }
}

#[test]
fn terms_are_what_they_are_called() {
    let m = manifold("sphere:2");
    let base = origin(&*m);
    let points = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]].iter().zip([0.1, 0.2, 1.5]);
    let values: Vec<f64> = points.flat_map(|(direction, s)| at(&*m, &base, direction, s)).collect();
    let points = Points::new(&*m, [&values[..], &[-1.0, 0.0, 0.0]].concat()).unwrap(); // and the antipode
    let sum = |term: Summand| {
        let total = Observations::new(&points).sum(&*m, &term).unwrap();
        total.integers().iter().map(|z| *z as f64 * total.quantum()).collect::<Vec<f64>>()
    };
    let near = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-11); // clipped 2⁻³⁹ inside
    let squared = sum(Summand::SquaredDistance { base: base.clone(), clip: 1.0 });
    assert!(near(&squared, &[0.01 + 0.04 + 1.0 + 1.0]), "{squared:?}");
    let moment = sum(Summand::SecondMoment { base: base.clone(), clip: 1.0 });
    assert!(near(&moment, &[0.01 + 1.0, 0.0, 0.04]), "{moment:?}");
    assert_eq!(sum(Summand::Within { base: base.clone(), radii: vec![0.05, 0.15, 0.25, 3.2] }), [0.0, 1.0, 2.0, 4.0]);
    for clip in [0.0, -1.0, 1e-170, f64::NAN] {
        assert!(Observations::new(&points).sum(&*m, &Summand::SquaredDistance { base: base.clone(), clip }).is_err());
    }
}

#[test]
fn sums_of_a_trillion_records_are_exact() {
    let m = manifold("sphere:2");
    let term = terms(&*m).swap_remove(1);
    let some = Observations::new(&cloud(&m, 1024, 0.2, 5)).sum(&*m, &term).unwrap();
    let many = (0..30).fold(some.clone(), |total, _| total.clone().merge(total).unwrap());
    assert_eq!(many.count(), 1 << 40);
    assert!(many.integers().iter().zip(some.integers()).all(|(many, some)| *many == some << 30));
    assert_eq!(many.mean(), some.mean());
}

/// The order of the records changes no bit of a release.
#[test]
fn the_order_of_records_changes_no_bit_of_a_release() {
    let range = PredictorRange::new(-0.5, 0.5).unwrap();
    for name in SPACES {
        let m = manifold(name);
        let n = 700;
        let (points, numbers) = (cloud(&m, n, 0.2, 6), (0..n).map(|i| i as f64 / n as f64 - 0.5).collect::<Vec<_>>());
        let backwards: Vec<usize> = (0..n).rev().collect();
        let (turned, turned_numbers) = chosen(&*m, &points, &numbers, &backwards);
        let ball = Ball::at_origin(&*m, 0.4).unwrap();
        let mean = PrivateFrechetMean::new(Arc::clone(&m), ball.clone()).unwrap();
        let regression = PrivateRegression::new(Arc::clone(&m), ball, range, 0.3).unwrap();
        let budget = Guarantee::gaussian(1.0).unwrap();
        let plans = Request::new(mean, n, budget)
            .candidates()
            .into_iter()
            .chain(Request::new(regression, n, budget).candidates());
        let mut compared = 0;
        for plan in plans.filter_map(|candidate| candidate.plan.ok()).filter(|plan| plan.is_exact()) {
            let release = |points, numbers| {
                let records = Observations::new(points).with_predictors(numbers).unwrap();
                plan.run(&records, &mut ReleaseContext::seeded(7)).unwrap()
            };
            assert_eq!(release(&points, &numbers), release(&turned, &turned_numbers), "{name}, {}", plan.name());
            compared += 1;
        }
        assert!(compared >= 3, "{name}");
    }
}
