//! Private scores and choices: sensitivity, intervals, laws.

use crate::common::manifold;
use karcher::mechanism::{Plan, PrivateScore, PrivateSelection, Request};
use karcher::privacy::Guarantee;
use karcher::records::{Observations, Summand};
use karcher::release::Adjacency;
use karcher::sampler::Generator;
use karcher::spec::{Metric, ReleaseSpec, Score};
use karcher::{Points, PredictorRange, ReleaseContext};
use rand::RngExt;
use rayon::prelude::*;
use statrs::distribution::{ChiSquared, ContinuousCDF};

fn labels(k: usize) -> Vec<String> {
    (0..k).map(|i| format!("label {i}")).collect()
}

fn scores() -> Vec<Score> {
    vec![
        Score::new(Metric::Accuracy),
        Score { labels: labels(3), ..Score::new(Metric::BalancedAccuracy) },
        Score { labels: labels(3), ..Score::new(Metric::Confusion) },
        Score { bound: Some(2.0), ..Score::new(Metric::MeanLoss) },
        Score { range: Some(PredictorRange::new(-1.0, 1.0).unwrap()), ..Score::new(Metric::R2) },
    ]
}

/// The rows of made-up records, and the score without noise.
fn rows(score: &Score, n: usize, generator: &mut Generator) -> (Vec<f64>, f64) {
    let mut all = vec![];
    let mut table = vec![vec![0.0; 3]; 3];
    let (mut losses, mut numbers) = (0.0, vec![]);
    for _ in 0..n {
        let actual = [0, 0, 0, 1, 1, 2][generator.random_range(0..6)];
        let predicted = if generator.random::<f64>() < 0.8 { actual } else { generator.random_range(0..3) };
        table[actual][predicted] += 1.0;
        let loss: f64 = generator.random::<f64>().powi(3);
        losses += loss;
        let v: f64 = generator.random();
        let guess = (v + 0.2 * (generator.random::<f64>() - 0.5)).clamp(0.0, 1.0);
        numbers.push((v, guess));
        let is_right = actual == predicted;
        let one_of = |at: usize, cells: usize| (0..cells).map(move |i| if i == at { 1.0 } else { 0.0 });
        match score.metric {
            Metric::Accuracy => all.push(if is_right { 1.0 } else { 0.0 }),
            Metric::BalancedAccuracy => all.extend(one_of(2 * actual + usize::from(!is_right), 6)),
            Metric::Confusion => all.extend(one_of(3 * actual + predicted, 9)),
            Metric::MeanLoss => all.push(loss),
            Metric::R2 => all.extend([(v - guess).powi(2), v * v, 2.0 * v * (1.0 - v)]),
        }
    }
    let right: f64 = (0..3).map(|i| table[i][i]).sum();
    let recall = |i: usize| table[i][i] / table[i].iter().sum::<f64>();
    let mean = numbers.iter().map(|(v, _)| v).sum::<f64>() / n as f64;
    let truth = match score.metric {
        Metric::Accuracy | Metric::Confusion => right / n as f64,
        Metric::BalancedAccuracy => (0..3).map(recall).sum::<f64>() / 3.0,
        Metric::MeanLoss => 2.0 * losses / n as f64,
        Metric::R2 => {
            let errors: f64 = numbers.iter().map(|(v, guess)| (v - guess).powi(2)).sum();
            1.0 - errors / numbers.iter().map(|(v, _)| (v - mean).powi(2)).sum::<f64>()
        }
    };
    (all, truth)
}

/// Most misses of 4,000 intervals that hold with 95 % each: more come with probability 10⁻⁶ at most.
const RELEASES: u64 = 4_000;
const MOST: usize = 270;

/// How many intervals miss, and how many of half the width.
fn missed(score: &Score, n: usize, budget: Guarantee, adjacency: Adjacency) -> [usize; 2] {
    let statistic = PrivateScore::new(score.clone()).unwrap();
    let m = statistic.manifold().clone();
    let plan = Request::new(statistic, n, budget).adjacency(adjacency).plan().unwrap();
    let one = |seed: u64| {
        let mut generator = Generator::seeded(seed % 50); // other data
        let (values, truth) = rows(score, n, &mut generator);
        let release = plan.run(&Points::new(&*m, values).unwrap(), &mut ReleaseContext::seeded(seed)).unwrap();
        let found = release.score().unwrap();
        let [low, high] = found.score_interval;
        let (down, up) = (0.5 * (found.score - low), 0.5 * (high - found.score));
        let misses = |low: f64, high: f64| usize::from(!(low - 1e-9..=high + 1e-9).contains(&truth));
        [misses(low, high), misses(found.score - down, found.score + up)]
    };
    (0..RELEASES).into_par_iter().map(one).reduce(|| [0, 0], |a, b| [a[0] + b[0], a[1] + b[1]])
}

/// Intervals hold as often as they say, and those of simple metrics not much more often: half the width does not.
#[test]
fn intervals_hold_the_score_without_noise() {
    for score in scores() {
        for (adjacency, budget) in [
            (Adjacency::ReplaceOne, Guarantee::pure(1.0).unwrap()),
            (Adjacency::ReplaceOne, Guarantee::gaussian(1.0).unwrap()),
            (Adjacency::AddRemove, Guarantee::pure(1.0).unwrap()),
            (Adjacency::AddRemove, Guarantee::gaussian(1.0).unwrap()),
        ] {
            if score.metric == Metric::R2 && adjacency == Adjacency::AddRemove {
                continue;
            }
            let n = if score.metric == Metric::R2 { 600 } else { 120 };
            let [misses, of_half] = missed(&score, n, budget, adjacency);
            let what = format!("{:?} {adjacency:?} {budget}: {misses} and {of_half}", score.metric);
            assert!(misses <= MOST, "{what}");
            let is_simple = matches!(score.metric, Metric::Accuracy | Metric::MeanLoss);
            assert!(!is_simple || of_half > MOST && misses > 100, "{what}: no power");
        }
    }
}

/// All neighbours of small data sets: one of the 9 pairs of labels, or none, takes the place of another, or is left out.
#[test]
fn a_record_moves_a_table_by_no_more_than_is_said() {
    let one = 1_i128 << 50;
    let m = manifold("euclidean:9");
    let record = |cell: usize| (0..9).map(move |i| if i == cell { 1.0 } else { 0.0 });
    let sum = |cells: &[usize], rest: bool| {
        let values = cells.iter().flat_map(|cell| record(*cell)).collect();
        let points = Points::new(&*m, values).unwrap();
        Observations::new(&points).sum(&*m, &Summand::Shares { blocks: vec![9], rest }).unwrap().integers().to_vec()
    };
    let apart = |a: Vec<i128>, b: Vec<i128>| -> (i128, i128) {
        let moved = || a.iter().zip(&b).map(|(a, b)| (a - b) / one);
        (moved().map(i128::abs).sum(), moved().map(|d| d * d).sum())
    };
    let mut most = [(0, 0); 2];
    for first in 0..10 {
        for second in 0..10 {
            for other in 0..10 {
                let here = [first, second];
                let replaced = apart(sum(&here, false), sum(&[first, other], false));
                let left_out = apart(sum(&here, true), sum(&[first], true));
                most[0] = (most[0].0.max(replaced.0), most[0].1.max(replaced.1));
                most[1] = (most[1].0.max(left_out.0), most[1].1.max(left_out.1));
            }
        }
    }
    assert_eq!(most, [(2, 2), (1, 1)]);
}

/// The scale that a plan states is that of these sensitivities.
#[test]
fn scales_are_those_of_the_sensitivities() {
    let scale = |score: Score, budget, adjacency| {
        let statistic = PrivateScore::new(score).unwrap();
        Request::new(statistic, 100, budget).adjacency(adjacency).plan().unwrap().scale()
    };
    let (pure, normal) = (Guarantee::pure(0.5).unwrap(), Guarantee::gaussian(0.5).unwrap());
    let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    let [accuracy, _, confusion, _, r2] = <[Score; 5]>::try_from(scores()).unwrap();
    near(scale(accuracy.clone(), pure, Adjacency::ReplaceOne), 2.0);
    near(scale(accuracy, pure, Adjacency::AddRemove), 2.0);
    near(scale(confusion.clone(), pure, Adjacency::ReplaceOne), 4.0);
    near(scale(confusion.clone(), normal, Adjacency::ReplaceOne), 2.0 * 2.0_f64.sqrt());
    near(scale(confusion.clone(), pure, Adjacency::AddRemove), 2.0);
    near(scale(confusion, normal, Adjacency::AddRemove), 2.0);
    near(scale(r2.clone(), pure, Adjacency::ReplaceOne), 6.0);
    near(scale(r2, normal, Adjacency::ReplaceOne), 2.0 * 3.0_f64.sqrt());
}

/// The law of a choice for an ε.
type Law<'a> = &'a dyn Fn(f64) -> Vec<f64>;

/// p-value of counts by the χ² test, for an expected law.
fn p_value(counts: &[f64], law: &[f64]) -> f64 {
    let draws: f64 = counts.iter().sum();
    let statistic: f64 = counts.iter().zip(law).map(|(found, p)| (found - draws * p).powi(2) / (draws * p)).sum();
    1.0 - ChiSquared::new(law.len() as f64 - 1.0).unwrap().cdf(statistic)
}

/// Permute-and-flip, by its definition: candidates in every order, each taken with `e^(−(ε/2)·gap)`.
fn permute_and_flip(gaps: &[f64], epsilon: f64) -> Vec<f64> {
    fn visit(left: &[usize], reached: f64, flip: &dyn Fn(usize) -> f64, law: &mut Vec<f64>) {
        for (at, one) in left.iter().enumerate() {
            let here = reached / left.len() as f64;
            law[*one] += here * flip(*one);
            let others: Vec<usize> = left.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, j)| *j).collect();
            visit(&others, here * (1.0 - flip(*one)), flip, law);
        }
    }
    let mut law = vec![0.0; gaps.len()];
    let all: Vec<usize> = (0..gaps.len()).collect();
    visit(&all, 1.0, &|i| (-0.5 * epsilon * gaps[i]).exp(), &mut law);
    law
}

/// The chosen candidate of 20,000 releases has the law of the mechanism, by an independent computation. A p-value below
/// 10⁻⁶ has that probability; an ε that is a tenth off is found.
#[test]
fn choices_have_the_law_of_their_mechanism() {
    let utilities = [12.0, 10.0, 9.0, 4.0];
    let n = 12;
    let gaps = utilities.map(|utility| 12.0 - utility);
    let models = PrivateSelection::new(labels(4)).unwrap();
    let row = |i: usize| utilities.map(|utility| if (i as f64) < utility { 1.0 } else { 0.0 });
    let points = Points::new(&**models.manifold(), (0..n).flat_map(row).collect()).unwrap();
    let exponential = |range: f64| {
        let weights = gaps.map(|gap| (-0.5 * range * gap).exp());
        weights.map(|weight| weight / weights.iter().sum::<f64>()).to_vec()
    };
    let mu = 0.4;
    let cases: [(Guarantee, Law<'_>, f64); 2] = [
        (Guarantee::pure(0.6).unwrap(), &|epsilon| permute_and_flip(&gaps, epsilon), 0.6),
        (Guarantee::gaussian(mu).unwrap(), &exponential, karcher::privacy::range_for_mu(mu).unwrap()),
    ];
    for (budget, law, epsilon) in cases {
        let plan = Request::new(models.clone(), n, budget).plan().unwrap();
        let choose = |seed| plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap().selection().unwrap().selected;
        let places: Vec<usize> = (0..20_000).into_par_iter().map(choose).collect();
        let mut counts = vec![0.0; 4];
        places.iter().for_each(|place| counts[*place] += 1.0);
        assert!((law(epsilon).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(p_value(&counts, &law(epsilon)) > 1e-6, "{budget}: {counts:?} {:?}", law(epsilon));
        assert!(p_value(&counts, &law(1.1 * epsilon)) < 1e-6, "{budget}: no power");
        assert!(p_value(&counts, &law(0.9 * epsilon)) < 1e-6, "{budget}: no power");
    }
}

/// With a confidential number, no records are as good as any.
#[test]
fn no_records_are_released_like_others() {
    for score in scores().into_iter().filter(|score| score.metric != Metric::R2) {
        let statistic = PrivateScore::new(score).unwrap();
        let none = Points::none(&**statistic.manifold());
        let request = Request::new(statistic, 50, Guarantee::pure(1.0).unwrap()).adjacency(Adjacency::AddRemove);
        let release = request.plan().unwrap().run(&none, &mut ReleaseContext::seeded(2)).unwrap();
        let found = release.score().unwrap();
        assert!(found.score.is_finite() && found.score_interval[0] <= found.score_interval[1]);
    }
}

#[test]
fn parameters_of_other_metrics_are_refused() {
    let refused = |text: &str| {
        let text = format!(
            r#"{{"spec": 1, "statistic": "score", "budget": {{"definition": "pure", "epsilon": 1.0}}, "score": {text}}}"#
        );
        let spec: ReleaseSpec = serde_json::from_str(&text).unwrap();
        spec.plan(10).err().map(|error| error.to_string())
    };
    for good in [
        r#"{"metric": "accuracy"}"#,
        r#"{"metric": "accuracy", "labels": ["a", "b"]}"#,
        r#"{"metric": "confusion", "labels": ["a", "b"]}"#,
        r#"{"metric": "mean-loss", "bound": 0.5}"#,
        r#"{"metric": "r2", "range": {"low": 0.0, "high": 9.0}}"#,
    ] {
        assert_eq!(refused(good), None, "{good}");
    }
    for bad in [
        r#"{"metric": "accuracy", "bound": 1.0}"#,
        r#"{"metric": "confusion"}"#,
        r#"{"metric": "confusion", "labels": ["a"]}"#,
        r#"{"metric": "confusion", "labels": ["a", "b", "a"]}"#,
        r#"{"metric": "mean-loss"}"#,
        r#"{"metric": "mean-loss", "bound": 1.0, "labels": ["a", "b"]}"#,
        r#"{"metric": "r2"}"#,
        r#"{"metric": "r2", "range": {"low": 0.0, "high": 9.0}, "bound": 1.0}"#,
    ] {
        assert!(refused(bad).is_some_and(|why| why.starts_with("score")), "{bad}: {:?}", refused(bad));
    }
}
