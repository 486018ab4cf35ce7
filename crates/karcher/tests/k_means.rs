//! Private k-means: sums, steps, merged cells, what it finds.

use crate::common::every::SPACES;
use crate::common::{cloud, manifold};
use karcher::manifold::Euclidean;
use karcher::mechanism::{Plan, PrivateKMeans, Request};
use karcher::records::{Observations, Summand};
use karcher::release::{Adjacency, MechanismName};
use karcher::spec::Clusters;
use karcher::{Ball, Points, ReleaseContext, privacy::Guarantee};
use proptest::prelude::*;
use std::sync::Arc;

fn rows(points: &Points) -> Vec<Vec<f64>> {
    points.view().iter().map(<[f64]>::to_vec).collect()
}

/// The integers of a sum over points.
fn sum(m: &dyn karcher::Manifold, term: &Summand, points: &[f64]) -> Vec<i128> {
    let points = Points::new(m, points.to_vec()).unwrap();
    Observations::new(&points).sum(m, term).unwrap().integers().to_vec()
}

proptest! {
    /// Replacing a record moves the sum by no more than `2·2⁵⁰`, in blocks together by `2√2·2⁵⁰`; adding one by
    /// `√2·2⁵⁰`.
    #[test]
    fn one_record_moves_the_blocks_by_no_more_than_claimed(seed in 0_u64..1_000, clip in 0.01f64..3.0, k in 2_usize..6) {
        const UNIT: f64 = (1_u64 << 50) as f64;
        for (space, radius) in SPACES {
            let m = manifold(space);
            let dim = m.dim();
            let bases: Vec<Vec<f64>> = rows(&cloud(&m, k, radius, seed));
            let term = Summand::NearestLogs { bases: bases.clone(), clip };
            let far = rows(&cloud(&m, 6, radius, seed + 1));
            let own: Vec<Vec<i128>> = far.iter().map(|x| sum(&*m, &term, x)).collect();
            let norm = |z: &mut dyn Iterator<Item = f64>| z.map(|z| (z / UNIT).powi(2)).sum::<f64>().sqrt();
            for a in &own {
                prop_assert!(norm(&mut a.iter().map(|z| *z as f64)) <= 2.0_f64.sqrt() * (1.0 + 1e-15), "{}", space);
                for b in &own {
                    let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a - b) as f64).collect();
                    prop_assert!(norm(&mut apart.iter().copied()) <= 2.0 * (1.0 + 1e-15), "{}", space);
                    let blocks: f64 = apart.chunks(dim + 1).map(|block| norm(&mut block.iter().copied())).sum();
                    prop_assert!(blocks <= 8.0_f64.sqrt() * (1.0 + 1e-15), "{}", space);
                }
            }
            let square = Summand::NearestSquare { bases, clip };
            for x in &far {
                prop_assert!((0..=1 << 50).contains(&sum(&*m, &square, x)[0]), "{}", space);
            }
        }
    }
}

/// The bounds are attained: by far records on both sides of one point, and by far records of two points.
#[test]
fn the_bounds_are_attained() {
    const UNIT: f64 = (1_u64 << 50) as f64;
    let line = Euclidean::new(1).unwrap();
    let term = Summand::NearestLogs { bases: vec![vec![0.0], vec![10.0]], clip: 1.0 };
    let of = |x: f64| -> Vec<f64> { sum(&line, &term, &[x]).iter().map(|z| *z as f64 / UNIT).collect() };
    let apart = |x: f64, y: f64| -> Vec<f64> { of(x).iter().zip(of(y)).map(|(x, y)| x - y).collect() };
    let norm = |z: &[f64]| z.iter().map(|z| z * z).sum::<f64>().sqrt();
    let (one, two) = (apart(-3.0, 3.0), apart(3.0, 13.0));
    assert!((norm(&one) - 2.0).abs() < 1e-9 && (norm(&two) - 2.0).abs() < 1e-9);
    assert!((norm(&two[..2]) + norm(&two[2..]) - 8.0_f64.sqrt()).abs() < 1e-9);
    assert!((norm(&of(3.0)) - 2.0_f64.sqrt()).abs() < 1e-9);
}

/// Sums of parts add up, in any order: each record counts in the block of the nearest point.
#[test]
fn a_record_counts_where_it_is_nearest() {
    let line = Euclidean::new(1).unwrap();
    let term = Summand::NearestLogs { bases: vec![vec![0.0], vec![1.0]], clip: 0.25 };
    let one: i128 = 1 << 50;
    assert_eq!(sum(&line, &term, &[0.125]), [one, one / 2, 0, 0]);
    let cut = sum(&line, &term, &[0.5])[1]; // the first of equals, and cut off
    assert!((one - 4096..=one).contains(&cut), "{cut}");
    assert_eq!(sum(&line, &term, &[0.5, 0.125, 3.0, 0.875]), [2 * one, cut + one / 2, 2 * one, cut - one / 2]);
    let square = Summand::NearestSquare { bases: vec![vec![0.0], vec![1.0]], clip: 2.0 };
    assert_eq!(sum(&line, &square, &[0.5, 4.0]), [one / 16 + one]);
}

/// Merging takes time that grows with the cube of the cells: there are at most 1,024, and at least as many as clusters.
#[test]
fn many_clusters_begin_with_few_cells() {
    let line = manifold("euclidean:1");
    for (k, cells) in [(2, 16), (128, 1_024), (500, 1_024), (1_000, 1_024)] {
        let k_means =
            PrivateKMeans::new(line.clone(), Ball::at_origin(&*line, 1.0).unwrap(), Clusters::new(k)).unwrap();
        let plan = Request::new(k_means, 50, Guarantee::gaussian(1.0).unwrap()).plan().unwrap();
        let drawn = plan.summary().noise[0].space.as_ref().map(|space| space.as_str().to_owned());
        assert_eq!(drawn, Some(format!("euclidean:{}", 2 * cells)), "{k}");
        if k == 500 {
            continue; // it takes as long as a thousand
        }
        let release = plan.run(&cloud(&line, 50, 0.5, 1), &mut ReleaseContext::seeded(1)).unwrap();
        assert_eq!(release.clusters().unwrap().clusters.len(), k);
    }
}

/// On every space, three clusters are found where noise is little: each center lies in one of three tight groups, with its
/// weight. From public first centers as well.
#[test]
fn clusters_are_found_on_every_space() {
    for (space, radius) in SPACES {
        let m = manifold(space);
        let ball = Ball::at_origin(&*m, radius).unwrap();
        // three places in the ball that are apart
        let is_clear = |places: &Vec<Vec<f64>>| {
            let apart = |a: usize, b: usize| m.dist(&places[a], &places[b]) > 0.5 * radius;
            let is_in = places.iter().all(|place| m.dist(ball.center(), place) < 0.9 * radius);
            is_in && apart(0, 1) && apart(0, 2) && apart(1, 2)
        };
        let mut places = (0..200).map(|seed| rows(&cloud(&m, 3, 0.5 * radius, seed)));
        let centers = places.find(is_clear).unwrap();
        let records: Vec<f64> = [600, 900, 1_500].iter().zip(&centers).flat_map(|(n, x)| x.repeat(*n)).collect();
        let points = Points::new(&*m, records).unwrap();
        for centers_given in [None, Some(centers.clone())] {
            let clusters = Clusters { centers: centers_given, ..Clusters::new(3) };
            let k_means = PrivateKMeans::new(m.clone(), ball.clone(), clusters).unwrap();
            for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
                let request = Request::new(k_means.clone(), 3_000, Guarantee::gaussian(20.0).unwrap());
                let plan = request.adjacency(adjacency).plan().unwrap();
                let release = plan.run(&points, &mut ReleaseContext::seeded(3)).unwrap();
                for (cluster, (own, weight)) in
                    release.clusters().unwrap().clusters.iter().zip([(2, 0.5), (1, 0.3), (0, 0.2)])
                {
                    let off = m.dist(&cluster.center, &centers[own]);
                    assert!(off < 0.1 * radius && (cluster.weight - weight).abs() < 0.01, "{space}: {off} {cluster:?}");
                }
            }
        }
    }
}

/// The cost is the mean of the squared distances to the released centers: within its interval in 95 of 100 releases less
/// five standard errors, and so is the number of records. Intervals half as wide would not hold them as often. (That of a
/// cost over a private number is made of two, and wider than it has to be.)
#[test]
fn the_cost_is_that_of_the_released_centers() {
    let plane = Arc::new(Euclidean::new(2).unwrap());
    let records = cloud(&(plane.clone() as Arc<dyn karcher::Manifold>), 2_000, 0.2, 8);
    let ball = Ball::at_origin(&*plane, 1.0).unwrap();
    for (budget, adjacency) in [
        (Guarantee::gaussian(1.0).unwrap(), Adjacency::ReplaceOne),
        (Guarantee::pure(2.0).unwrap(), Adjacency::ReplaceOne),
        (Guarantee::gaussian(0.1).unwrap(), Adjacency::AddRemove),
        (Guarantee::pure(1.0).unwrap(), Adjacency::AddRemove),
    ] {
        let clusters = Clusters { cost: true, ..Clusters::new(4) };
        let k_means = PrivateKMeans::new(plane.clone(), ball.clone(), clusters).unwrap();
        let plan = Request::new(k_means, 2_000, budget).adjacency(adjacency).plan().unwrap();
        let (mut held, mut half_held, mut counted, mut half_counted) = (0, 0, 0, 0);
        for _ in 0..200 {
            let release = plan.run(&records, &mut ReleaseContext::from_os().unwrap()).unwrap();
            let found = release.clusters().unwrap();
            let square = |x: &[f64]| {
                let to = |c: &karcher::release::Cluster| (x[0] - c.center[0]).powi(2) + (x[1] - c.center[1]).powi(2);
                found.clusters.iter().map(to).fold(1.0, f64::min)
            };
            let true_cost = rows(&records).iter().map(|x| square(x)).sum::<f64>() / 2_000.0;
            let cost = found.cost.as_ref().unwrap();
            let [low, high] = cost.interval;
            held += i32::from(low <= true_cost && true_cost <= high);
            half_held += i32::from((true_cost - cost.noisy_value).abs() <= 0.25 * (high - low));
            if let Some(count) = release.private_count() {
                let off = (count.noisy_value - 2_000.0).abs();
                counted += i32::from(count.interval[0] <= 2_000.0 && 2_000.0 <= count.interval[1]);
                half_counted += i32::from(off <= 0.25 * (count.interval[1] - count.interval[0]));
            }
        }
        const LEAST: i32 = 174; // 190 less five standard errors
        assert!(held >= LEAST, "{budget} {adjacency:?}: {held}");
        if adjacency == Adjacency::ReplaceOne {
            assert!(half_held < LEAST, "{budget}: {half_held}");
        } else {
            assert!(counted >= LEAST && half_counted < LEAST, "{budget}: {counted}, {half_counted}");
        }
    }
}

#[test]
fn what_makes_no_clusters_is_refused() {
    let line = Arc::new(Euclidean::new(1).unwrap());
    let ball = || Ball::at_origin(&*line, 1.0).unwrap();
    for clusters in [
        Clusters::new(1),
        Clusters::new(5_000),
        Clusters { centers: Some(vec![vec![0.0]]), ..Clusters::new(2) },
        Clusters { centers: Some(vec![vec![0.0], vec![f64::NAN]]), ..Clusters::new(2) },
    ] {
        assert!(PrivateKMeans::new(line.clone(), ball(), clusters).is_err());
    }
    let k_means = PrivateKMeans::new(line.clone(), ball(), Clusters::new(2)).unwrap();
    let request = Request::new(k_means, 100, Guarantee::pure(1.0).unwrap());
    assert!(request.clone().steps(Some(1)).plan_by(MechanismName::Lloyd).is_err()); // no step to merge cells before
    assert!(request.plan_by(MechanismName::Laplace).is_err());
}

/// The whole sphere as the ball: noise that leaves centers anywhere is said to, whatever the radius.
#[test]
fn noise_beyond_the_whole_space_is_flagged() {
    let m = manifold("sphere:2");
    let clusters =
        PrivateKMeans::new(m.clone(), Ball::at_origin(&*m, m.diameter()).unwrap(), Clusters::new(2)).unwrap();
    let flagged = |n: usize, epsilon: f64| {
        let request = Request::new(clusters.clone(), n, Guarantee::pure(epsilon).unwrap());
        request.plan().unwrap().summary().noise_exceeds_ball()
    };
    assert!(flagged(10, 0.1) && flagged(100, 0.1) && !flagged(30_000, 2.0));
}
