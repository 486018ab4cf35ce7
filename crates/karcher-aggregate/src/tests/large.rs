//! A site may have far more records than were guessed: nothing is cut off, so ratios such as a mean stay.

use super::*;
use karcher::nonprivate::FrechetMean;
use serde_json::Value;

/// The guess; one site has 20 times as many.
const GUESS: usize = 10;

/// The noise is about 1e-4 of a record or less.
const BUDGETS: [&str; 2] = [r#"{"definition": "gaussian", "mu": 1e5}"#, r#"{"definition": "pure", "epsilon": 1e6}"#];

fn released(spec: &ReleaseSpec, sites: &[Vec<f64>]) -> Value {
    let (mut pair, all) = (Pair::new(), reporters(spec, sites));
    let mut task = pair.task(spec, 0, Mode::Sites, "");
    loop {
        let shares = pair.aggregate(&task, &reports(&task, &all), [1, 2]).unwrap();
        match combine(&task, &shares).unwrap() {
            Combined::Next(state) => task = task.after(state).unwrap(),
            Combined::Release(release) => break serde_json::to_value(&release).unwrap(),
            Combined::Count(count) => break serde_json::to_value(&count).unwrap(),
        }
    }
}

fn of(statistic: &str, space: &str, more: &str, budget: &str) -> ReleaseSpec {
    spec(&format!(
        r#""statistic": "{statistic}", "manifold": "{space}", {more} "budget": {budget}, "adjacency": "add-remove",
           "n_guess": {GUESS}"#
    ))
}

/// 200 records at one site and 5 at another.
fn sites(record: impl Fn(usize) -> Vec<f64>) -> Vec<Vec<f64>> {
    [0..20 * GUESS, 20 * GUESS..20 * GUESS + 5].map(|range| range.flat_map(&record).collect()).into()
}

fn numbers(of: &Value) -> Vec<f64> {
    match of {
        Value::Array(all) => all.iter().flat_map(numbers).collect(),
        one => vec![one.as_f64().unwrap()],
    }
}

fn near(found: &Value, expected: &[f64], far: f64) {
    let found = numbers(found);
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < far), "{found:?} {expected:?}");
}

#[test]
fn a_mean_on_a_flat_space() {
    let record = |i: usize| vec![if i < 200 { 0.5 } else { -0.5 }, (i % 4) as f64 / 8.0];
    let expected = [(200.0 * 0.5 - 5.0 * 0.5) / 205.0, (0..205).map(|i| f64::from(i % 4) / 8.0).sum::<f64>() / 205.0];
    for budget in BUDGETS {
        let ball = r#""ball": {"center": [0.0, 0.0], "radius": 1.0},"#;
        let release = released(&of("frechet-mean", "euclidean:2", ball, budget), &sites(record));
        near(&release["value"], &expected, 1e-3);
        near(&release["private_count"]["noisy_value"], &[205.0], 0.1);
    }
}

/// The step of the flow is the mean logarithm, so three of them end at the mean up to 1e-4.
#[test]
fn a_flow_on_a_sphere() {
    let record = |i: usize| {
        let (t, r) = (i as f64, 0.2 + 0.001 * i as f64);
        vec![r.sin() * t.cos(), r.sin() * (t.sin().abs()), r.cos()]
    };
    let flow = r#""ball": {"center": [0.0, 0.0, 1.0], "radius": 0.7}, "mechanism": "karcher-flow", "steps": 3,"#;
    let spec = of("frechet-mean", "sphere:2", flow, BUDGETS[0]);
    let sphere = spec.manifold().unwrap();
    let all = Points::new(&*sphere, sites(record).concat()).unwrap();
    let mean = FrechetMean::new(&*sphere).fit(all.view()).unwrap();
    near(&released(&spec, &sites(record))["value"], &mean, 2e-3);
}

#[test]
fn a_mean_without_a_ball() {
    let record = |i: usize| if i < 200 { vec![0.6, 0.0, 0.8] } else { vec![0.0, 1.0, 0.0] };
    let sum = [200.0 * 0.6, 5.0, 200.0 * 0.8_f64];
    let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
    for budget in BUDGETS {
        let release = released(&of("extrinsic-mean", "sphere:2", "", budget), &sites(record));
        near(&release["value"], &sum.map(|x| x / length), 1e-3);
        near(&release["extrinsic"]["embedded_mean"], &sum.map(|x| x / 205.0), 1e-3);
    }
}

#[test]
fn a_spread_about_a_public_point() {
    let record = |i: usize| vec![if i < 200 { 0.75 } else { 0.25 }];
    let expected = (200.0 * 0.75_f64.powi(2) + 5.0 * 0.25_f64.powi(2)) / 205.0;
    for budget in BUDGETS {
        let ball = r#""ball": {"center": [0.0], "radius": 1.0},"#;
        let release = released(&of("frechet-variance", "euclidean:1", ball, budget), &sites(record));
        near(&release["mean_square"]["value"], &[expected], 1e-3);
    }
}

/// `y = 0.35 + 0.25·s` at every record, in the coefficients of a row `(1, s)/√2`.
#[test]
fn a_regression_on_a_feature() {
    let record = |i: usize| {
        let s = (i % 11) as f64 / 5.0 - 1.0;
        vec![0.35 + 0.25 * s, 0.5_f64.sqrt(), 0.5_f64.sqrt() * s]
    };
    for budget in BUDGETS {
        let line = r#""ball": {"center": [0.0], "radius": 1.0}, "features": ["linear:age:0:1"],"#;
        let release = released(&of("feature-regression", "euclidean:1", line, budget), &sites(record));
        near(&release["coefficients"], &[0.35, 0.25].map(|x| x * 2.0_f64.sqrt()), 5e-3);
    }
}

#[test]
fn clusters() {
    let record = |i: usize| vec![if i.is_multiple_of(2) { 0.5 } else { -0.5 }, 0.25];
    for budget in BUDGETS {
        let two = r#""ball": {"center": [0.0, 0.0], "radius": 1.0}, "clusters": {"number": 2},"#;
        let release = released(&of("k-means", "euclidean:2", two, budget), &sites(record));
        let clusters = release["clusters"].as_array().unwrap();
        let mut centers: Vec<Vec<f64>> = clusters.iter().map(|cluster| numbers(&cluster["center"])).collect();
        centers.sort_by(|a, b| a[0].total_cmp(&b[0]));
        near(&serde_json::json!(centers), &[-0.5, 0.25, 0.5, 0.25], 5e-3);
    }
}

#[test]
fn a_number_of_records() {
    for budget in BUDGETS {
        let mut pair = Pair::new();
        let task = pair.task(&counted(budget), GUESS, Mode::Sites, "");
        let all: Vec<Report> = [200, 5].map(|n| task.report(&ExactSum::counting(n)).unwrap()).into();
        let shares = pair.aggregate(&task, &all, [1, 2]).unwrap();
        let Combined::Count(count) = combine(&task, &shares).unwrap() else { panic!("a count takes one round") };
        assert_eq!(count.value, 205.0);
    }
}
