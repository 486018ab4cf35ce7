//! Series: releases over time for the budget of one.

use karcher::audit::{Verification, lower_bound};
use karcher::features::Features;
use karcher::noise::{Integer, Law, nearest};
use karcher::privacy::{Definition, Guarantee};
use karcher::records::ExactSum;
use karcher::release::{Adjacency, Flag, PrivacyUnit, PublishedRelease, ReleasedCount, StatisticName};
use karcher::series::{Factorisation, NewKeyFile, Root, SeriesKey, SeriesPlan, SeriesShape, SeriesState};
use karcher::spec::{BallSpec, Clusters};
use karcher::{Key, Manifold, Points, ReleaseContext, ReleaseSpec, Space};
use proptest::prelude::*;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::f64::consts::SQRT_2;
use std::path::Path;

const PERIODS: usize = 6;

fn spec(statistic: StatisticName, space: &str, budget: Guarantee) -> ReleaseSpec {
    let mut spec = ReleaseSpec::new(statistic, budget);
    if statistic == StatisticName::Count {
        return spec;
    }
    spec.manifold = Some(space.parse::<Space>().unwrap());
    let manifold = spec.manifold().unwrap();
    if statistic != StatisticName::ExtrinsicMean {
        let mut center = vec![0.0; manifold.point_len()];
        manifold.origin(&mut center);
        spec.ball = Some(BallSpec::Known { center, radius: 0.6 });
    }
    if statistic == StatisticName::KMeans {
        spec.clusters = Some(Clusters::new(2));
    }
    if statistic == StatisticName::FeatureRegression {
        spec.features = Some(Features::new(vec!["linear:age:0:1".parse().unwrap()]).unwrap());
    }
    spec
}

fn mu(mu: f64) -> Guarantee {
    Guarantee::gaussian(mu).unwrap()
}

fn line(budget: Guarantee) -> ReleaseSpec {
    spec(StatisticName::FrechetMean, "euclidean:1", budget)
}

fn count(budget: Guarantee) -> ReleaseSpec {
    spec(StatisticName::Count, "", budget)
}

/// Records near the origin of the space of the records.
fn records(spec: &ReleaseSpec, n: usize) -> Points {
    let space = spec.space_of_records().unwrap();
    let mut origin = vec![0.0; space.point_len()];
    space.origin(&mut origin);
    let point = |i: usize| {
        let c: Vec<f64> = (0..space.dim()).map(|j| 0.1 + 0.2 * (1.7 * i as f64 + 2.3 * j as f64).sin()).collect();
        let (mut v, mut x) = (vec![0.0; origin.len()], vec![0.0; origin.len()]);
        space.from_frame(&origin, &c, &mut v);
        space.exp(&origin, &v, &mut x);
        space.repair(&mut x);
        x
    };
    Points::new(&*space, (0..n).flat_map(point).collect()).unwrap()
}

fn sum(plan: &SeriesPlan, n: usize) -> ExactSum {
    match plan.spec().statistic == StatisticName::Count {
        true => ExactSum::counting(n as u64),
        false if n == 0 => plan.nothing(),
        false => plan.sum(&records(plan.spec(), n)).unwrap(),
    }
}

/// A series in memory, in which so many join in each period.
fn series(plan: &SeriesPlan, joining: &[usize], seed: u64) -> (SeriesState, SeriesKey) {
    let (mut state, mut key) = plan.begin(&mut ReleaseContext::seeded(seed)).unwrap();
    for n in joining {
        key.enter(plan, &state, &sum(plan, *n), vec![]).unwrap();
        state.publish(plan, &key, None).unwrap();
    }
    (state, key)
}

/// The noisy encoded sums that a state states.
fn noisy(state: &SeriesState) -> Vec<Vec<f64>> {
    let number = |y: &Value| nearest(&y.as_str().unwrap().parse::<Integer>().unwrap());
    let of = |period: &Value| period["noisy"].as_array().unwrap().iter().map(number).collect();
    json!(state)["published"].as_array().unwrap().iter().map(of).collect()
}

/// The first column of a matrix, in units of 2⁻²⁰.
fn column(of: &Factorisation, periods: usize) -> Vec<f64> {
    let one: Vec<Vec<i128>> = (0..periods).map(|t| vec![i128::from(t == 0)]).collect();
    (1..=periods).map(|t| nearest(&of.encoded(&one[..t])[0])).collect()
}

/// `⌊2²⁰·C(2k, k)/4ᵏ⌋` in integers; its square is a matrix of ones up to rounding.
#[test]
fn the_square_root_is_that_of_exact_arithmetic() {
    let periods = 60;
    let c = column(&Factorisation::new(Root::SquareRoot, periods), periods);
    let mut binomial = vec![1_u128]; // a row of Pascal's triangle
    for (k, c) in c.iter().enumerate() {
        let middle = binomial[binomial.len() / 2];
        assert_eq!(*c, ((middle << 20) >> (2 * k)) as f64, "{k}");
        for _ in 0..2 {
            let inner = binomial.windows(2).map(|pair| pair[0] + pair[1]);
            binomial = std::iter::once(1).chain(inner).chain([1]).collect();
        }
        if k == 48 {
            break; // C(98, 49)·2²⁰ is below 2¹²⁸
        }
    }
    for t in 0..periods {
        let ones: f64 = (0..=t).map(|j| c[j] * c[t - j]).sum::<f64>() / 2.0_f64.powi(40);
        assert!((1.0 - 1e-4..=1.0).contains(&ones), "{t}: {ones}");
    }
}

/// Each number falls, and none is negative: what the norm of several contributions rests on.
#[test]
fn the_column_falls_to_the_last_period() {
    let c = column(&Factorisation::new(Root::SquareRoot, 1_000), 1_000);
    assert!(c.windows(2).all(|pair| pair[0] >= pair[1]) && c[999] > 0.0);
    // 1/√(πk)
    assert!((c[999] / 2.0_f64.powi(20) * (std::f64::consts::PI * 999.0).sqrt() - 1.0).abs() < 1e-3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn without_noise_the_sums_are_those_of_all_so_far_or_of_a_window(
        sums in proptest::collection::vec(proptest::collection::vec(-(1_i64 << 60)..1 << 60, 2), 1..40),
        window in 1_usize..12, identity in any::<bool>(),
    ) {
        let sums: Vec<Vec<i128>> = sums.iter().map(|x| x.iter().map(|x| i128::from(*x)).collect()).collect();
        let root = if identity { Root::Identity } else { Root::SquareRoot };
        let of = Factorisation::new(root, sums.len());
        let encoded: Vec<Vec<Integer>> = (1..=sums.len()).map(|t| of.encoded(&sums[..t])).collect();
        for window in [None, Some(window)] {
            for t in 1..=sums.len() {
                let first = window.map_or(0, |window| t.saturating_sub(window));
                for (at, found) in of.decoded(&encoded[..t], window).iter().enumerate() {
                    let exact: i128 = sums[first..t].iter().map(|x| x[at]).sum();
                    prop_assert!((found - exact as f64).abs() <= 1e-13 * t as f64 * 2.0_f64.powi(60), "{t} {at}");
                }
            }
        }
    }
}

/// All patterns of at most `times` periods, `every` apart.
fn patterns(periods: usize, times: usize, every: usize) -> Vec<Vec<usize>> {
    let mut all = vec![];
    for chosen in 1_u32..1 << periods {
        let pattern: Vec<usize> = (0..periods).filter(|t| chosen >> t & 1 == 1).collect();
        if pattern.len() <= times && pattern.windows(2).all(|pair| pair[1] - pair[0] >= every) {
            all.push(pattern);
        }
    }
    all
}

#[test]
fn no_pattern_moves_the_sums_farther_than_the_norm_and_one_as_far() {
    for root in [Root::SquareRoot, Root::Identity] {
        for (periods, times, every) in [(1, 1, 1), (8, 1, 1), (9, 2, 1), (9, 3, 2), (9, 4, 3), (9, 9, 1)] {
            let of = Factorisation::new(root, periods);
            let c = column(&of, periods);
            for law in [Law::Gaussian, Law::Laplace] {
                let norm = of.norm(law, times, every);
                let length = |pattern: &Vec<usize>| {
                    let shift = |t: usize| pattern.iter().filter(|s| **s <= t).map(|s| c[t - s]).sum::<f64>();
                    let shifts = (0..periods).map(shift);
                    match law {
                        Law::Gaussian => shifts.map(|x| x * x).sum::<f64>().sqrt() / 2.0_f64.powi(20),
                        Law::Laplace => shifts.sum::<f64>() / 2.0_f64.powi(20),
                    }
                };
                let longest = patterns(periods, times, every).iter().map(length).fold(0.0, f64::max);
                assert!(
                    longest <= norm && norm <= longest * (1.0 + 1e-12),
                    "{periods} {times} {every}: {norm} {longest}"
                );
            }
        }
    }
}

/// The table of the guide, and the gain over releases apart.
#[test]
fn noise_is_as_much_less_as_the_guide_says() {
    for (periods, series, gain) in [(12, 1.85, 1.87), (52, 2.32, 3.10), (365, 2.94, 6.49)] {
        let of = Factorisation::new(Root::SquareRoot, periods);
        let error = of.norm(Law::Gaussian, 1, 1) * of.growth(Law::Gaussian, 1, periods, None);
        assert!((error - series).abs() < 0.005, "{error}");
        assert!(((periods as f64).sqrt() / error - gain).abs() < 0.01, "{error}");
        let laplace = |root| {
            let of = Factorisation::new(root, periods);
            let weights = of.growth(Law::Gaussian, 1, periods, None);
            of.norm(Law::Laplace, 1, 1) * weights
        };
        assert!((laplace(Root::Identity) - (periods as f64).sqrt()).abs() < 1e-9);
        assert!(laplace(Root::SquareRoot) > 1.5 * laplace(Root::Identity));
    }
    let forecasts = |budget| {
        let plan = SeriesPlan::new(&line(budget), SeriesShape::of(12)).unwrap();
        *plan.forecasts(100.try_into().unwrap()).unwrap().last().unwrap()
    };
    let [normal, pure] = [mu(1.0), Guarantee::pure(1.0).unwrap()].map(forecasts);
    assert!((normal.independent / normal.expected_error - 1.87).abs() < 0.02, "{normal:?}");
    // 12 over the mean length of twelve draws of Laplace noise, whose sum has lighter tails
    assert!((3.0..3.2).contains(&(pure.independent / pure.expected_error)), "{pure:?}");
}

/// Statistics with a series.
fn settings() -> Vec<ReleaseSpec> {
    let mut all = vec![];
    let budgets = [
        Guarantee::pure(1.5).unwrap(),
        Guarantee::approximate(1.5, 1e-6).unwrap(),
        mu(0.8),
        Guarantee::concentrated(0.3).unwrap(),
    ];
    for budget in budgets {
        for statistic in [StatisticName::FrechetMean, StatisticName::FrechetVariance] {
            all.extend(["euclidean:3", "spd-log-euclidean:2"].map(|space| spec(statistic, space, budget)));
        }
        all.push(spec(StatisticName::ExtrinsicMean, "sphere:2", budget));
        all.push(spec(StatisticName::FeatureRegression, "euclidean:2", budget));
        all.push(spec(StatisticName::Covariance, "euclidean:3", budget));
        all.push(count(budget));
        if !matches!(budget.definition(), Definition::Pure { .. }) {
            all.extend(["sphere:2", "hyperbolic:2"].map(|space| spec(StatisticName::FrechetMean, space, budget)));
        }
    }
    let with_guess = all.iter().filter(|spec| spec.statistic != StatisticName::Count).map(|spec| {
        let mut spec = spec.clone();
        (spec.adjacency, spec.n_guess) = (Adjacency::AddRemove, Some(40));
        spec
    });
    let with_guess: Vec<ReleaseSpec> = with_guess.collect();
    all.extend(with_guess);
    all
}

/// Also of each release by itself, which states the guarantee of the whole series and the noise that keeps it.
#[test]
fn genuine_series_are_not_contradicted() {
    settings().par_iter().for_each(|spec| {
        for window in [None, Some(2)] {
            let plan = SeriesPlan::new(spec, SeriesShape { window, ..SeriesShape::of(PERIODS) }).unwrap();
            let (state, _) = series(&plan, &[40, 0, 55], 3);
            let said = format!("{:?} {:?} {} {window:?}", spec.statistic, spec.manifold, spec.budget);
            let found = state.verify();
            assert!(found.len() == 1 && found[0].is_of_seed(), "{said}: {found:?}");
            for period in &state.published {
                let release = period.release.as_ref().unwrap();
                let found = Verification::of(release).findings;
                assert!(found.len() == 1 && found[0].is_of_seed(), "{said}: {found:?}");
                let guarantee: Guarantee = serde_json::from_value(release["guarantee"].clone()).unwrap();
                assert_eq!(guarantee, spec.budget, "{said}");
                assert_eq!(release["series"]["period"], period.period);
            }
            let of_whole = plan.event().unwrap();
            assert_eq!((of_whole.guarantee, of_whole.n), (spec.budget, None));
        }
    });
}

#[test]
fn a_statistic_of_no_single_sum_is_refused_by_name() {
    let refused = [
        spec(StatisticName::GeometricMedian, "sphere:2", mu(1.0)),
        spec(StatisticName::KMeans, "sphere:2", mu(1.0)),
        spec(StatisticName::FrechetMean, "spd-affine-invariant:2", Guarantee::pure(1.0).unwrap()),
    ];
    for spec in refused {
        let error = SeriesPlan::new(&spec, SeriesShape::of(3)).unwrap_err().to_string();
        assert!(!error.is_empty() && !error.contains("panicked"), "{error}");
    }
    let error = SeriesPlan::new(&spec(StatisticName::KMeans, "sphere:2", mu(1.0)), SeriesShape::of(3)).unwrap_err();
    assert!(error.to_string().contains("is not computed from one sum; a series has a mean"), "{error}");
    let shape = |shape| SeriesPlan::new(&line(mu(1.0)), shape).unwrap_err().to_string();
    assert!(shape(SeriesShape::of(0)).contains("from 1 to 4096"));
    assert!(shape(SeriesShape { window: Some(4), ..SeriesShape::of(3) }).contains("from 1 to the number of periods"));
    assert!(shape(SeriesShape { contributions: 2, ..SeriesShape::of(3) }).contains("protect persons"));
}

/// The released mean and count, without privacy, are those of all who joined: with hardly any noise.
#[test]
fn releases_are_about_all_who_joined_or_the_last_of_them() {
    for (window, expected) in [(None, [300, 400, 650]), (Some(2), [300, 400, 350])] {
        let shape = SeriesShape { window, ..SeriesShape::of(PERIODS) };
        let plan = SeriesPlan::new(&count(mu(1e6)), shape.clone()).unwrap();
        let (state, _) = series(&plan, &[300, 100, 250], 1);
        let counts = state.published.iter().map(|of| of.release.as_ref().unwrap()["value"].as_f64().unwrap());
        assert_eq!(counts.collect::<Vec<_>>(), expected.map(f64::from));
        let plan = SeriesPlan::new(&line(mu(1e6)), shape).unwrap();
        let (state, _) = series(&plan, &[300, 100, 250], 1);
        for (period, n) in state.published.iter().zip(expected) {
            let release: PublishedRelease = serde_json::from_value(period.release.clone().unwrap()).unwrap();
            assert_eq!(release.provenance.n, Some(n as usize));
            let karcher::release::Value::Point(point) = &release.value else { panic!() };
            assert!((point.value[0] - 0.1).abs() < 0.02, "{:?}", point.value); // of a sine around 0.1
        }
    }
}

/// The error of a period, or of a difference of two, in a series of errors with their stated scales.
type Error<'a> = dyn Fn(&[(f64, f64)]) -> f64 + 'a;

/// The noise of each period has the stated variance, and that of a difference of two periods what the rows say: 4,000
/// series, with a chance of 1e-7 for each of 16 comparisons. A scale that is 12 % larger would be noticed.
#[test]
fn noise_has_the_stated_variance_in_each_period() {
    const SERIES: u64 = 4_000;
    let joining = [10, 0, 7, 30];
    for budget in [mu(0.05), Guarantee::pure(0.1).unwrap()] {
        let plan = SeriesPlan::new(&count(budget), SeriesShape::of(joining.len())).unwrap();
        let all: Vec<Vec<(f64, f64)>> = (0..SERIES)
            .into_par_iter()
            .map(|seed| {
                let (state, _) = series(&plan, &joining, seed);
                let truth = joining.iter().scan(0, |sum, n| {
                    *sum += n;
                    Some(*sum as f64)
                });
                let read = |(period, truth): (&karcher::series::Published, f64)| {
                    let count: ReleasedCount = serde_json::from_value(period.release.clone().unwrap()).unwrap();
                    (count.noisy_value - truth, count.scale)
                };
                state.published.iter().zip(truth).map(read).collect()
            })
            .collect();
        let (law, is_pure) = match budget.definition() {
            Definition::Pure { .. } => (Law::Laplace, true),
            _ => (Law::Gaussian, false),
        };
        let of = plan.factorisation();
        assert_eq!(of.root(), if is_pure { Root::Identity } else { Root::SquareRoot });
        // a variance of so many draws is off by this, at most; the tails of Laplace noise are longer
        let off = 5.4 * (if is_pure { 5.0_f64 } else { 2.0 } / SERIES as f64).sqrt();
        let one = all[0][0].1 / of.growth(law, 1, 1, None);
        let variance_of_one = one * one * if is_pure { 2.0 } else { 1.0 };
        let row = |t: usize| of.growth(Law::Gaussian, 1, t, None).powi(2);
        for t in 0..joining.len() {
            let mean_square = |of: &Error<'_>| all.iter().map(|series| of(series).powi(2)).sum::<f64>() / SERIES as f64;
            let expected = variance_of_one * row(t + 1);
            let found = mean_square(&|series| series[t].0);
            assert!((found / expected - 1.0).abs() < off, "{t}: {found} {expected}");
            assert!((1.12_f64.powi(2) - 1.0) > off, "no power");
            if !is_pure {
                assert!((all[0][t].1.powi(2) / expected - 1.0).abs() < 1e-6); // and it is what the release states
            }
            if t > 0 {
                let weights =
                    |t: usize| column(of, joining.len())[..t].iter().map(|c| c / 2.0_f64.powi(20)).collect::<Vec<_>>();
                let (now, before) = (weights(t + 1), weights(t));
                let difference: f64 =
                    now.iter().enumerate().map(|(k, w)| (w - if k > 0 { before[k - 1] } else { 0.0 }).powi(2)).sum();
                let expected = variance_of_one * if is_pure { 1.0 } else { difference };
                let found = mean_square(&|series| series[t].0 - series[t - 1].0);
                assert!((found / expected - 1.0).abs() < off, "{t}: {found} {expected}");
            }
        }
    }
}

/// Intervals and regions hold in each period, by themselves: a chance of 1e-7 for each.
#[test]
fn intervals_hold_in_each_period() {
    const SERIES: u64 = 2_000;
    for budget in [mu(0.3), Guarantee::pure(0.3).unwrap()] {
        let plan = SeriesPlan::new(&count(budget), SeriesShape::of(30)).unwrap();
        let held: Vec<[bool; 2]> = (0..SERIES)
            .into_par_iter()
            .map(|seed| {
                let (state, _) = series(&plan, &[1_000; 12], seed);
                [0, 11].map(|at| {
                    let of = state.published[at].release.as_ref().unwrap();
                    let [low, high] = [0, 1].map(|end| of["interval"][end].as_f64().unwrap());
                    (low..=high).contains(&(1_000.0 * (at + 1) as f64))
                })
            })
            .collect();
        for at in [0, 1] {
            let share = held.iter().filter(|held| held[at]).count() as f64 / SERIES as f64;
            assert!((0.95 - 0.026..0.999).contains(&share), "{budget} {at}: {share}");
        }
    }
}

/// Scores of many series with one record in a period, and without it or with another.
struct Attack {
    plan: SeriesPlan,
    joins: usize,
    /// The factor of the noise: 1 for what is shipped.
    noise: f64,
}

impl Attack {
    const SERIES: u64 = 3_000;

    /// The logarithm of the likelihood ratio, up to constants: for Gaussian noise a sum of all periods. For Laplace
    /// noise on each period it is a function of the one in which someone joins.
    fn scores(&self, second: bool, law: Law) -> Vec<f64> {
        let periods = self.plan.shape().periods;
        let c = column(self.plan.factorisation(), periods);
        (0..Self::SERIES)
            .into_par_iter()
            .map(|seed| {
                let (mut state, mut key) =
                    self.plan.begin(&mut ReleaseContext::seeded(2 * seed + u64::from(second))).unwrap();
                let mut sums = vec![];
                for t in 0..periods {
                    let x = match (t == self.joins, second) {
                        (false, _) => vec![0.1, -0.2],
                        (true, true) => vec![0.6],
                        (true, false) => vec![-0.6],
                    };
                    let spec = self.plan.spec();
                    let sum = match spec.statistic == StatisticName::Count {
                        true => ExactSum::counting(if t == self.joins { u64::from(second) } else { 5 }),
                        false => self.plan.sum(&Points::new(&*spec.manifold().unwrap(), x).unwrap()).unwrap(),
                    };
                    let integers =
                        if sum.integers().is_empty() { vec![i128::from(sum.count())] } else { sum.integers().to_vec() };
                    sums.push(integers);
                    key.enter(&self.plan, &state, &sum, vec![]).unwrap();
                    state.publish(&self.plan, &key, None).unwrap();
                }
                let of = self.plan.factorisation();
                let noisy = noisy(&state);
                let y = |t: usize| {
                    let exact = nearest(&of.encoded(&sums[..=t])[0]);
                    exact + (noisy[t][0] - exact) * self.noise
                };
                match law {
                    Law::Gaussian => (self.joins..periods).map(|t| c[t - self.joins] * y(t)).sum(),
                    Law::Laplace => y(self.joins),
                }
            })
            .collect()
    }

    /// What is proved of the parameter, except with probability 1e-9.
    fn bound(&self, law: Law) -> f64 {
        let [first, second] = [false, true].map(|second| self.scores(second, law));
        lower_bound(self.plan.spec().budget, &first, &second, 1e-9).unwrap()
    }
}

/// Someone joins, or another one does, in the first and in a later period. The best event in the whole of a series
/// proves no more than the claim, and nearly as much. With half of the noise it refutes the claim.
#[test]
fn the_best_attack_on_all_releases_proves_no_more_than_the_claim() {
    let pure = Guarantee::pure(1.0).unwrap();
    for (spec, law) in [(line(mu(1.0)), Law::Gaussian), (count(mu(1.0)), Law::Gaussian), (count(pure), Law::Laplace)] {
        for joins in [0, 3] {
            let plan = SeriesPlan::new(&spec, SeriesShape::of(5)).unwrap();
            let bound = |noise| Attack { plan: plan.clone(), joins, noise }.bound(law);
            let (found, halved) = (bound(1.0), bound(0.5));
            // in a later period some of a column is cut off
            let most = if joins == 0 { 0.5 } else { 0.35 };
            assert!((most..=1.0).contains(&found), "{} {joins}: {found}", spec.budget);
            assert!(halved > 1.0, "{} {joins}: {halved}", spec.budget);
        }
    }
}

/// A person in two periods costs more than √2 times as much, because the columns are correlated.
#[test]
fn several_contributions_are_charged_by_their_pattern() {
    let mut persons = line(mu(1.0));
    persons.unit = PrivacyUnit::Person;
    let of =
        |contributions| SeriesPlan::new(&persons, SeriesShape { contributions, ..SeriesShape::of(8) }).unwrap().norm();
    let (one, two, eight) = (of(1), of(2), of(8));
    assert!(two / one > SQRT_2 && two / one < 2.0, "{one} {two}"); // columns next to each other are correlated
    assert_eq!(eight, 8.0_f64.sqrt()); // in every period noise on each of them is better
}

#[test]
fn persons_who_come_again_are_left_out_by_their_periods_alone() {
    let mut persons = line(mu(1.0));
    persons.unit = PrivacyUnit::Person;
    let key_of = |name: &str| Key::of(name).unwrap();
    let shape = SeriesShape { contributions: 2, every: 2, ..SeriesShape::of(PERIODS) };
    for (shape, left_out) in [(SeriesShape::of(PERIODS), [true, true, true]), (shape, [true, false, true])] {
        let plan = SeriesPlan::new(&persons, shape).unwrap();
        let (mut state, mut key) = plan.begin(&mut ReleaseContext::seeded(1)).unwrap();
        let mut found = vec![];
        // ann in the first period and again where she may
        for _ in 0..4 {
            let is_out = key.left_out(&plan)(&key_of("ann"));
            assert!(!key.left_out(&plan)(&key_of("bob")));
            found.push(is_out);
            let who = if is_out { vec![] } else { vec![key_of("ann"), key_of("ann")] };
            key.enter(&plan, &state, &plan.nothing(), who).unwrap();
            state.publish(&plan, &key, None).unwrap();
        }
        assert_eq!((found[0], &found[1..]), (false, &left_out[..]));
    }
}

#[test]
fn before_the_first_record_there_is_no_release() {
    let plan = SeriesPlan::new(&line(mu(1.0)), SeriesShape::of(PERIODS)).unwrap();
    let (state, _) = series(&plan, &[0, 3], 1);
    assert!(state.published[0].release.is_none() && state.published[1].release.is_some());
    assert_eq!(state.published[0].n, Some(0));
    let mut confidential = line(mu(1.0));
    (confidential.adjacency, confidential.n_guess) = (Adjacency::AddRemove, Some(30));
    let plan = SeriesPlan::new(&confidential, SeriesShape::of(PERIODS)).unwrap();
    let (state, _) = series(&plan, &[0, 3], 1);
    // where the number is confidential, an empty period looks like any other
    assert!(state.published.iter().all(|period| period.release.is_some() && period.n.is_none()));
}

/// Goes on in files, as the command does.
fn continued(folder: &Path, plan: &SeriesPlan, seed: u64, ends_after_entering: bool) -> String {
    let path = folder.join("s.key");
    let (mut state, key) = plan.begin(&mut ReleaseContext::seeded(seed)).unwrap();
    drop(key.keep(NewKeyFile::new(&path).unwrap()).unwrap());
    for (at, n) in [20, 30, 25].into_iter().enumerate() {
        let mut key = SeriesKey::open(&path).unwrap();
        key.enter(plan, &state, &sum(plan, n), vec![]).unwrap();
        if ends_after_entering && at == 1 {
            drop(key); // the program is killed here, while the next line is written
            let mut text = std::fs::read(&path).unwrap();
            let whole = text.len();
            text.extend(b"{\"count\":9");
            std::fs::write(&path, &text).unwrap();
            key = SeriesKey::open(&path).unwrap();
            assert!(key.is_ahead_of(&state) && std::fs::read(&path).unwrap().len() == whole);
            assert!(key.enter(plan, &state, &sum(plan, 99), vec![]).is_err());
        }
        state.publish(plan, &key, None).unwrap();
    }
    serde_json::to_string(&state).unwrap()
}

#[test]
fn a_program_that_was_killed_makes_the_same_release() {
    let plan = SeriesPlan::new(&line(mu(1.0)), SeriesShape::of(PERIODS)).unwrap();
    let runs = [(5, false), (5, true), (6, false)].map(|(seed, ends)| {
        let folder = tempfile::tempdir().unwrap();
        continued(folder.path(), &plan, seed, ends)
    });
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}

#[test]
fn the_key_is_confidential_and_used_by_one_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.key");
    let plan = SeriesPlan::new(&line(mu(1.0)), SeriesShape::of(PERIODS)).unwrap();
    let (_, key) = plan.begin(&mut ReleaseContext::seeded(1)).unwrap();
    assert_eq!(format!("{key:?}"), "the key of a series");
    let key = key.keep(NewKeyFile::new(&path).unwrap()).unwrap();
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&path).unwrap().permissions()) & 0o777,
        0o600
    );
    assert!(SeriesKey::open(&path).is_err()); // it is open
    drop(key);
    assert!(SeriesKey::open(&path).is_ok());
    assert!(NewKeyFile::new(&path).is_err()); // a key never replaces a file
}

/// The noise of a period depends on all that was entered: an older key with other records repeats no noise.
#[test]
fn other_records_have_other_noise() {
    let plan = SeriesPlan::new(&count(mu(1e-3)), SeriesShape::of(PERIODS)).unwrap();
    let [one, other, again] = [[5, 6], [5, 7], [5, 6]].map(|joining| noisy(&series(&plan, &joining, 9).0));
    assert_eq!(one, again);
    assert_eq!(one[0], other[0]);
    let difference = (other[1][0] - one[1][0]) / 2.0_f64.powi(20);
    assert!((difference - 1.0).abs() > 0.5, "the noise is the same: {difference}");
}

#[test]
fn an_edited_state_is_refused_and_its_releases_are_contradicted() {
    let plan = SeriesPlan::new(&line(mu(1.0)), SeriesShape::of(PERIODS)).unwrap();
    let (state, mut key) = series(&plan, &[20, 30], 4);
    let whole = json!(state);
    let read = |json: &Value| SeriesState::read(json).unwrap();
    let mut refused = |state: &SeriesState| key.enter(&plan, state, &sum(&plan, 1), vec![]).is_err();
    for edit in ["/published/1/noisy/0", "/published/0/noisy/0", "/key"] {
        let mut edited = whole.clone();
        *edited.pointer_mut(edit).unwrap() = json!("17");
        assert!(refused(&read(&edited)), "{edit}");
    }
    let mut shorter = whole.clone();
    shorter["published"].as_array_mut().unwrap().truncate(0);
    assert!(refused(&read(&shorter)));
    for (edit, value) in [
        ("/published/1/noisy/0", json!("123456789012345678901")),
        ("/published/1/release/value/0", json!(0.25)),
        ("/published/1/release/scale", json!(1e-3)),
        ("/published/0/release/series/growth", json!(0.5)),
        ("/published/0/release/series/period", json!(2)),
        ("/published/0/release/guarantee/mu", json!(0.1)),
        ("/published/0/n", json!(21)),
        ("/spec/budget/mu", json!(0.5)),
        ("/shape/periods", json!(3)),
    ] {
        let mut edited = whole.clone();
        *edited.pointer_mut(edit).unwrap() = value;
        let found = Verification::of(&edited).findings;
        assert!(found.iter().any(|finding| !finding.is_of_seed()), "{edit}: {found:?}");
    }
    assert!(!refused(&state));
}

/// Every leaf replaced by things of other types, and every prefix of the text.
#[test]
fn malformed_states_and_keys_are_refused_without_a_panic() {
    let plan = SeriesPlan::new(&line(mu(1.0)), SeriesShape::of(PERIODS)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.key");
    let (mut state, key) = plan.begin(&mut ReleaseContext::seeded(1)).unwrap();
    let mut key = key.keep(NewKeyFile::new(&path).unwrap()).unwrap();
    key.enter(&plan, &state, &sum(&plan, 9), vec![]).unwrap();
    state.publish(&plan, &key, Some("first".to_owned())).unwrap();
    drop(key);
    let whole = json!(state);
    let planted = [json!(null), json!(-1), json!(1e300), json!("x"), json!([]), json!({}), json!(true), json!(["9"])];
    let mut places = vec![];
    leaves(&whole, String::new(), &mut places);
    places.par_iter().for_each(|place| {
        for other in &planted {
            let mut edited = whole.clone();
            *edited.pointer_mut(place).unwrap() = other.clone();
            let _ = Verification::of(&edited);
            if let Ok(state) = SeriesState::read(&edited) {
                let _ = state.plan();
            }
        }
    });
    let text = std::fs::read(&path).unwrap();
    for length in 0..text.len() {
        std::fs::write(&path, &text[..length]).unwrap();
        let _ = SeriesKey::open(&path).map(|mut key| key.enter(&plan, &state, &sum(&plan, 1), vec![]).is_ok());
    }
    for wrong in
        ["", "\n", "{}\n", "{\"secret\":\"é\"}\n", "[1]\n", "{\"secret\":\"00\"}\n{\"count\":1,\"sums\":[\"a\"]}\n"]
    {
        std::fs::write(&path, wrong).unwrap();
        assert!(SeriesKey::open(&path).is_err(), "{wrong}");
    }
    assert!(SeriesKey::open(&folder.path().join("none")).is_err());
}

/// The places of all parts of JSON.
fn leaves(json: &Value, at: String, places: &mut Vec<String>) {
    match json {
        Value::Object(fields) => fields.iter().for_each(|(name, part)| leaves(part, format!("{at}/{name}"), places)),
        Value::Array(parts) => parts.iter().enumerate().for_each(|(i, part)| leaves(part, format!("{at}/{i}"), places)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (),
    }
    if !at.is_empty() {
        places.push(at);
    }
}

#[test]
fn a_seed_is_stated_in_every_release() {
    let plan = SeriesPlan::new(&line(mu(1.0)), SeriesShape::of(PERIODS)).unwrap();
    let release = |context: &mut ReleaseContext| -> PublishedRelease {
        let (mut state, mut key) = plan.begin(context).unwrap();
        key.enter(&plan, &state, &sum(&plan, 9), vec![]).unwrap();
        serde_json::from_value(state.publish(&plan, &key, None).unwrap().release.clone().unwrap()).unwrap()
    };
    assert!(release(&mut ReleaseContext::seeded(1)).provenance.flags.contains(&Flag::Seeded));
    assert!(!release(&mut ReleaseContext::from_os().unwrap()).provenance.flags.contains(&Flag::Seeded));
}

#[test]
fn a_series_ends_after_its_last_period() {
    let plan = SeriesPlan::new(&count(mu(1.0)), SeriesShape::of(2)).unwrap();
    let (state, mut key) = series(&plan, &[1, 2], 1);
    let error = key.enter(&plan, &state, &sum(&plan, 1), vec![]).unwrap_err().to_string();
    assert!(error.contains("begin another one"), "{error}");
}

/// A state with another budget, ball or number of contributions has no key, before the first release and after it.
#[test]
fn a_state_of_another_specification_has_no_key() {
    let plan = SeriesPlan::new(&line(mu(0.1)), SeriesShape::of(PERIODS)).unwrap();
    for releases in [0, 1] {
        let (mut state, mut key) = series(&plan, &[20][..releases], 1);
        key.enter(&plan, &state, &sum(&plan, 20), vec![]).unwrap();
        for edit in [
            |state: &mut SeriesState| state.spec.budget = mu(1000.0),
            |state: &mut SeriesState| state.shape.contributions = 2,
            |state: &mut SeriesState| state.shape.window = Some(2),
            |state: &mut SeriesState| state.seeded = !state.seeded,
        ] {
            let mut edited = state.clone();
            edit(&mut edited);
            edited.published.clear(); // so that no noisy number contradicts it
            let Ok(other) = edited.plan() else { continue };
            assert!(edited.publish(&other, &key, None).is_err(), "{releases} {:?}", edited.shape);
        }
        state.publish(&plan, &key, None).unwrap();
    }
}

/// Someone who has contributed is not entered again, even by a program that did not look.
#[test]
fn the_key_takes_no_person_twice() {
    let of_persons = ReleaseSpec { unit: PrivacyUnit::Person, ..line(mu(1.0)) };
    let plan = SeriesPlan::new(&of_persons, SeriesShape::of(PERIODS)).unwrap();
    let (mut state, mut key) = plan.begin(&mut ReleaseContext::seeded(1)).unwrap();
    let persons = |names: &[&str]| names.iter().map(|name| Key::of(name).unwrap()).collect::<Vec<_>>();
    assert!(key.enter(&plan, &state, &ExactSum::counting(2), persons(&["a"])).is_err(), "one of two is not named");
    key.enter(&plan, &state, &plan.nothing(), persons(&["a", "b"])).unwrap();
    state.publish(&plan, &key, None).unwrap();
    assert!(key.enter(&plan, &state, &plan.nothing(), persons(&["b", "c"])).is_err());
    key.enter(&plan, &state, &plan.nothing(), persons(&["c"])).unwrap();
}

/// Regions of a sum of draws of Laplace noise are stated where the law in its place covers as much.
#[test]
fn small_regions_of_laplace_noise_are_refused() {
    let of = |region| {
        SeriesPlan::new(
            &ReleaseSpec { region: Some(region), ..line(Guarantee::pure(1.0).unwrap()) },
            SeriesShape::of(PERIODS),
        )
    };
    assert!(of(0.5).unwrap_err().to_string().contains("0.8") && of(0.95).is_ok());
}
