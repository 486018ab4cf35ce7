//! Private quantiles: their intervals hold, nothing fails for odd records, neighbours stay hidden, and others' ways are
//! worse.

use crate::common::manifold;
use karcher::audit::{Effort, Neighbours, Published, audit_releases};
use karcher::mechanism::{PrivateQuantiles, Request};
use karcher::privacy::Guarantee;
use karcher::records::{Observations, Summand};
use karcher::release::{Adjacency, PositionKind, ReleasedQuantiles};
use karcher::sampler::Generator;
use karcher::spec::{Quantiles, ReleaseSpec};
use karcher::{Ball, Manifold, Points, ReleaseContext};
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::pure(epsilon).unwrap()
}

fn normal(mu: f64) -> Guarantee {
    Guarantee::gaussian(mu).unwrap()
}

fn of(levels: &[f64], cells: usize) -> Quantiles {
    Quantiles { levels: levels.to_vec(), cells: Some(cells), distances: false }
}

/// Quantiles of numbers from −1 to 1.
fn on_line(levels: &[f64], cells: usize) -> PrivateQuantiles {
    let line = manifold("euclidean:1");
    let ball = Ball::at_origin(&*line, 1.0).unwrap();
    PrivateQuantiles::new(line, ball, of(levels, cells)).unwrap()
}

fn released(
    of: &PrivateQuantiles,
    numbers: &[f64],
    (budget, adjacency): (Guarantee, Adjacency),
    seed: u64,
) -> ReleasedQuantiles {
    let points = Points::new(&**of.manifold(), numbers.to_vec()).unwrap();
    let guess = match adjacency {
        Adjacency::ReplaceOne => numbers.len(),
        Adjacency::AddRemove => 2 * numbers.len() + 9,
    };
    let plan = Request::new(of.clone(), guess, budget).adjacency(adjacency).plan().unwrap();
    plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap().quantiles().unwrap().clone()
}

const BUDGETS: [(bool, Adjacency); 4] = [
    (true, Adjacency::ReplaceOne),
    (true, Adjacency::AddRemove),
    (false, Adjacency::ReplaceOne),
    (false, Adjacency::AddRemove),
];

fn budget(is_pure: bool, size: f64) -> Guarantee {
    if is_pure { pure(size) } else { normal(size) }
}

/// The smallest number such that a share of all is not above it.
fn quantile(numbers: &[f64], level: f64) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[((level * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1]
}

/// Numbers with a peak and a long tail, by the inverse of their distribution function at public places.
fn skewed(u: f64) -> f64 {
    u.powi(3) * 1.6 - 0.8
}

/// Intervals of 600 releases miss the quantile of the records, and that of the population, at most as often as 5 %
/// allows with a deviation of 5.2 standard errors: correct code fails with 10⁻⁷ for each of 24 counts. Intervals of an
/// eighth of the length miss more often, so that the test has power.
#[test]
fn intervals_hold_the_quantile_as_often_as_they_say() {
    const RUNS: u64 = 600;
    let levels = [0.4, 0.6, 0.9];
    let of = on_line(&levels, 64);
    let n = 400;
    let limit = 0.05 + 5.2 * (0.05 * 0.95 / RUNS as f64).sqrt();
    for (is_pure, adjacency) in BUDGETS {
        let missed = |seed: u64| -> Vec<[bool; 4]> {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut uniform = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1_u64 << 53) as f64
            };
            let numbers: Vec<f64> = (0..n).map(|_| skewed(uniform())).collect();
            let found = released(&of, &numbers, (budget(is_pure, 1.0), adjacency), seed);
            let is_out = |[low, high]: [f64; 2], x: f64| x < low || x > high;
            let part = |[low, high]: [f64; 2]| [low + 7.0 / 16.0 * (high - low), high - 7.0 / 16.0 * (high - low)];
            let each = levels.iter().zip(&found.intervals).zip(&found.population_intervals);
            each.map(|((level, own), population)| {
                let (sample, all) = (quantile(&numbers, *level), skewed(*level));
                [
                    is_out(*own, sample),
                    is_out(*population, all),
                    is_out(part(*own), sample),
                    is_out(part(*population), all),
                ]
            })
            .collect()
        };
        let all: Vec<Vec<[bool; 4]>> = (0..RUNS).into_par_iter().map(missed).collect();
        for (i, level) in levels.iter().enumerate() {
            let share = |which: usize| all.iter().filter(|one| one[i][which]).count() as f64 / RUNS as f64;
            let [own, population, part, part_of_population] = [0, 1, 2, 3].map(share);
            let what = format!("{is_pure} {adjacency:?} {level}: {own} {population} {part} {part_of_population}");
            assert!(own <= limit && population <= limit, "{what}");
            assert!(part > limit && part_of_population > limit, "no power: {what}");
        }
    }
}

/// Quantiles never fall, lie in the middle of cells, and intervals hold them, for all odd sets of records.
#[test]
fn odd_records_are_released_like_others() {
    let levels = [1e-6, 0.25, 0.5, 0.999];
    let middle = [0.0; 50];
    let border: Vec<f64> = (0..=16).map(|i| -1.0 + f64::from(i) / 8.0).collect();
    let sets: [&[f64]; 6] = [&[0.3], &[0.3, -0.2], &middle, &border, &[1e300, -1e300, 5.0], &[-1.0; 3]];
    for cells in [2, 4, 64] {
        let of = on_line(&levels, cells);
        for (is_pure, adjacency) in BUDGETS {
            for (seed, numbers) in sets.iter().enumerate() {
                for size in [1e-3, 1.0, 50.0] {
                    let found = released(&of, numbers, (budget(is_pure, size), adjacency), seed as u64);
                    assert!(found.quantiles.windows(2).all(|pair| pair[0] <= pair[1]), "{found:?}");
                    for ((value, own), population) in
                        found.quantiles.iter().zip(&found.intervals).zip(&found.population_intervals)
                    {
                        let place = (value + 1.0) * 0.5 * cells as f64;
                        assert!((place.fract() - 0.5).abs() < 1e-9 && place < cells as f64, "{value}");
                        for [low, high] in [own, population] {
                            assert!(low <= value && value <= high && *low >= -1.0 && *high <= 1.0, "{found:?}");
                        }
                    }
                }
            }
        }
    }
}

/// With a confidential number, no records are as good as any.
#[test]
fn no_records_are_released_like_others() {
    let of = on_line(&[0.5], 64);
    for is_pure in [true, false] {
        let request = Request::new(of.clone(), 50, budget(is_pure, 1.0)).adjacency(Adjacency::AddRemove);
        let none = Points::none(&**of.manifold());
        let release = request.plan().unwrap().run(&none, &mut ReleaseContext::seeded(2)).unwrap();
        assert!(release.quantiles().unwrap().quantiles[0].is_finite());
        assert!(release.private_count().unwrap().interval[0] == 0.0);
    }
}

/// Hardly any noise: the quantiles are those of the records, within a cell.
#[test]
fn quantiles_without_noise_are_those_of_the_records() {
    let levels: Vec<f64> = (1..10).map(|i| f64::from(i) / 10.0).collect();
    let numbers: Vec<f64> = (0..997).map(|i| skewed(f64::from(i) / 996.0)).collect();
    let of = on_line(&levels, 512);
    for (is_pure, adjacency) in BUDGETS {
        let found = released(&of, &numbers, (budget(is_pure, 1e6), adjacency), 3);
        for (level, value) in levels.iter().zip(&found.quantiles) {
            assert!((quantile(&numbers, *level) - value).abs() <= 0.5 / 256.0 + 1e-9, "{level}: {value}");
        }
    }
}

/// A record next to the border of two cells is in its own cell to the last bit, however borders are rounded. With hardly
/// any noise, the interval of one record is that cell.
#[test]
fn intervals_hold_records_at_borders() {
    let line = manifold("euclidean:1");
    for (center, radius, cells) in [(0.1, 0.1, 4), (0.3, 0.7, 8), (60.0, 60.0, 1024), (1e6, 0.1, 16)] {
        let ball = Ball::new(&*line, vec![center], radius).unwrap();
        let of = PrivateQuantiles::new(line.clone(), ball, of(&[0.5], cells)).unwrap();
        for i in 0..=cells.min(40) {
            let border = center - radius + 2.0 * radius * i as f64 / cells as f64;
            for x in [border.next_down(), border, border.next_up()] {
                let found = released(&of, &[x; 3], (normal(1e6), Adjacency::ReplaceOne), 5);
                let [low, high] = found.intervals[0];
                let [first, last] = of.range();
                assert!(low <= x.clamp(first, last) && x.clamp(first, last) <= high, "{x}: {low} {high}");
                assert!(high - low < 2.0 * (2.0 * radius) / cells as f64, "{x}: {low} {high}");
            }
        }
    }
}

/// An angle is positive counterclockwise from the center, for every center, on a circle of vectors and of numbers. The
/// point opposite to the center counts as an end.
#[test]
fn angles_turn_counterclockwise() {
    let places = |space: &str, center: f64, angles: &[f64]| -> Vec<usize> {
        let m = manifold(space);
        let point = |angle: f64| match space {
            "sphere:1" => vec![angle.cos(), angle.sin()],
            _ => vec![angle.rem_euclid(TAU) - if angle.rem_euclid(TAU) > PI { TAU } else { 0.0 }],
        };
        let ball = Ball::new(&*m, point(center), PI).unwrap();
        let of = PrivateQuantiles::new(m.clone(), ball, of(&[0.5], 16)).unwrap();
        assert_eq!((of.kind(), of.range()), (PositionKind::Angle, [-PI, PI]));
        let at = |angle: &f64| {
            let points = Points::new(&*m, point(center + angle)).unwrap();
            let plan = Request::new(of.clone(), 1, normal(1e7)).plan().unwrap();
            let found = plan.run(&points, &mut ReleaseContext::seeded(1)).unwrap().quantiles().unwrap().quantiles[0];
            ((found + PI) / TAU * 16.0) as usize
        };
        angles.iter().map(at).collect()
    };
    for space in ["sphere:1", "torus:1"] {
        for center in [0.0, 0.7, 2.0, -1.2, 3.1] {
            let angles = [-3.0, -1.5, -0.3, 0.3, 1.5, 3.0];
            assert_eq!(places(space, center, &angles), [0, 4, 7, 8, 11, 15], "{space} {center}");
        }
    }
    let circle = manifold("sphere:1");
    let opposite = Points::new(&*circle, vec![-1.0, 0.0]).unwrap();
    let term = Summand::Positions { base: vec![1.0, 0.0], reach: PI, cells: 8, sign: 1 };
    let sum = Observations::new(&opposite).sum(&*circle, &term).unwrap();
    assert_eq!(sum.integers(), [0, 0, 0, 0, 0, 0, 0, 1]);
}

/// Distances from the center, on a sphere and on a line where they are asked for.
#[test]
fn distances_are_counted_in_their_cells() {
    for (space, records, cells) in [
        ("sphere:2", vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0], [1, 0, 1, 1]),
        ("euclidean:1", vec![0.0, -1.6, 9.0], [1, 0, 1, 1]),
    ] {
        let m = manifold(space);
        let base = records[..m.point_len()].to_vec();
        let points = Points::new(&*m, records).unwrap();
        let term = Summand::Positions { base, reach: PI, cells: 4, sign: 0 };
        assert_eq!(Observations::new(&points).sum(&*m, &term).unwrap().integers(), cells, "{space}");
    }
}

#[test]
fn odd_levels_and_grids_are_refused_by_name() {
    let refused = |quantiles: &str| {
        let text = format!(
            r#"{{"spec": 1, "statistic": "quantiles", "manifold": "euclidean:1", "quantiles": {quantiles},
                "ball": {{"center": [0.0], "radius": 1.0}}, "budget": {{"definition": "pure", "epsilon": 1.0}}}}"#
        );
        let spec: ReleaseSpec = serde_json::from_str(&text).unwrap();
        spec.plan(10).err().map(|error| error.to_string())
    };
    for good in ["{}", r#"{"levels": [0.5]}"#, r#"{"levels": [0.1, 0.9], "cells": 4096, "distances": true}"#] {
        assert_eq!(refused(good), None, "{good}");
    }
    for bad in ["[]", "[0.0]", "[1.0]", "[0.5, 0.5]", "[0.6, 0.4]", "[-0.1]"] {
        assert!(refused(&format!(r#"{{"levels": {bad}}}"#)).is_some_and(|why| why.starts_with("levels")), "{bad}");
    }
    for bad in ["0", "1", "3", "1000", "8192"] {
        assert!(refused(&format!(r#"{{"cells": {bad}}}"#)).is_some_and(|why| why.starts_with("cells")), "{bad}");
    }
    let far = Ball::new(&*manifold("euclidean:1"), vec![1e9], 1e-8).unwrap();
    assert!(PrivateQuantiles::new(manifold("euclidean:1"), far, Quantiles::default()).is_err());
}

/// Two neighbours, thousands of transcripts: a record from the lowest to the highest cell, and one that is left out. The
/// score is the best linear one, the noisy sum along the change. The promise is kept, and a twelfth of the noise is
/// found. Wrong with probability 10⁻⁶ at most; seeds are fixed.
#[test]
fn neighbours_stay_hidden() {
    let line = manifold("euclidean:1");
    let of = on_line(&[0.5], 16);
    for (is_pure, adjacency) in BUDGETS {
        let sets: [Vec<f64>; 2] = match adjacency {
            Adjacency::ReplaceOne => [[vec![0.0; 8], vec![-1.0]].concat(), [vec![0.0; 8], vec![0.4]].concat()],
            Adjacency::AddRemove => [[vec![0.0; 8], vec![-1.0]].concat(), vec![0.0; 8]],
        };
        let exact = |numbers: &[f64]| released(&of, numbers, (budget(is_pure, 1e9), adjacency), 1).noisy_sums;
        let along: Vec<f64> = exact(&sets[0]).iter().zip(exact(&sets[1])).map(|(a, b)| a - b).collect();
        let data = sets.map(|numbers| Points::new(&*line, numbers).unwrap());
        let pair = Neighbours { name: "far apart", data, means: [vec![0.0], vec![0.0]] };
        let audit_with = |size: f64, claim: f64| {
            let plan = Request::new(of.clone(), 9, budget(is_pure, size)).adjacency(adjacency).plan().unwrap();
            audit_releases(
                (&*line, &plan.summary().ball),
                budget(is_pure, claim),
                std::slice::from_ref(&pair),
                |points, context| {
                    let release = plan.run(points, context)?;
                    let sums = &release.quantiles().unwrap().noisy_sums;
                    Ok(Published::from(vec![sums.iter().zip(&along).map(|(a, b)| a * b).sum()]))
                },
                |_, x| x[0],
                Effort { releases: 20_000, error_probability: 1e-6 },
                &mut Generator::seeded(6),
                &|_| (),
            )
            .unwrap()
        };
        let shipped = audit_with(1.0, 1.0);
        assert!(!shipped.refuted(), "{is_pure} {adjacency:?}: {shipped:?}");
        assert!(audit_with(12.0, 1.0).refuted(), "{is_pure} {adjacency:?}: no power");
    }
}

/// The exponential mechanism on the cells, for one level: by Gumbel numbers, in floating point.
fn alone(counts: &[f64], level: f64, epsilon: f64, uniform: &mut impl FnMut() -> f64) -> usize {
    let n: f64 = counts.iter().sum();
    let (mut below, mut best) = (0.0, (f64::NEG_INFINITY, 0));
    for (cell, count) in counts.iter().enumerate() {
        let off = (below - level * n).max(level * n - below - count).max(0.0);
        let score = -0.5 * epsilon * off - (-uniform().max(1e-300).ln()).ln();
        if score > best.0 {
            best = (score, cell);
        }
        below += count;
    }
    best.1
}

/// The numbers of the page: mean distances to the deciles without noise, over 100 releases. Records are normal, and their
/// deviation is a tenth of the range. The other way chooses each level alone, with a ninth of ε.
#[test]
fn many_levels_are_nearer_than_each_alone() {
    const RUNS: u64 = 100;
    let (cells, n) = (1_024, 1_000);
    let levels: Vec<f64> = (1..10).map(|i| f64::from(i) / 10.0).collect();
    let of = on_line(&levels, cells);
    let numbers: Vec<f64> = (0..n).map(|i| 0.1 + 0.2 * inverse_normal((f64::from(i) + 0.5) / f64::from(n))).collect();
    let error = |found: &[f64]| -> f64 {
        let each = levels.iter().zip(found).map(|(level, value)| (quantile(&numbers, *level) - value).abs());
        each.sum::<f64>() / levels.len() as f64
    };
    let released = |budget: Guarantee| {
        let one = |seed| error(&released(&of, &numbers, (budget, Adjacency::ReplaceOne), seed).quantiles);
        (0..RUNS).into_par_iter().map(one).sum::<f64>() / RUNS as f64
    };
    let mut counts = vec![0.0; cells];
    numbers.iter().for_each(|x| counts[(((x + 1.0) * 0.5 * cells as f64) as usize).min(cells - 1)] += 1.0);
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut other = 0.0;
    for _ in 0..RUNS {
        let places = levels.iter().map(|level| alone(&counts, *level, 1.0 / 9.0, &mut uniform));
        let found: Vec<f64> = places.map(|cell| (cell as f64 + 0.5) / cells as f64 * 2.0 - 1.0).collect();
        other += error(&found) / RUNS as f64;
    }
    let (laplace, gaussian) = (released(pure(1.0)), released(normal(1.0)));
    let found = format!("{laplace} {gaussian} {other}");
    assert!((laplace - 0.0115).abs() < 0.002 && (gaussian - 0.0021).abs() < 0.0005, "{found}");
    assert!((other - 0.019).abs() < 0.004, "{found}");
}

/// The standard normal quantile by halving.
fn inverse_normal(level: f64) -> f64 {
    let (mut low, mut high) = (-9.0, 9.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let below = 0.5 * statrs::function::erf::erfc(-middle / 2.0_f64.sqrt());
        if below < level { low = middle } else { high = middle }
    }
    low
}

/// The space of the records may be any: where there is no line and no circle, positions are distances.
#[test]
fn every_space_has_positions() {
    for (space, kind) in [
        ("euclidean:1", PositionKind::Number),
        ("sphere:1", PositionKind::Angle),
        ("torus:1", PositionKind::Angle),
        ("torus:2", PositionKind::Distance),
        ("spd-affine-invariant:2", PositionKind::Distance),
        ("hyperbolic:1", PositionKind::Distance),
    ] {
        let m: Arc<dyn Manifold> = manifold(space);
        let of = PrivateQuantiles::new(m.clone(), Ball::at_origin(&*m, 1.0).unwrap(), Quantiles::default()).unwrap();
        assert_eq!(of.kind(), kind, "{space}");
    }
}
