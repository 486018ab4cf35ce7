//! Genuine releases to edit, as JSON.

use super::specs::spec_of;
use crate::common::{at, cloud, features, manifold, origin, squared, three_steps, with_features};
use karcher::mechanism::{Components, CountPlan, Denoise, Plan, Randomizer, Spread};
use karcher::privacy::Guarantee;
use karcher::records::Observations;
use karcher::release::{Adjacency, MechanismName, PublishedRelease, ReleasedCount, StatisticName};
use karcher::spec::{BallSpec, Clusters, MechanismChoice, Metric, NumericsPolicy, Quantiles, ReleaseSpec, Score};
use karcher::{Ball, PredictorRange, ReleaseContext};
use serde_json::Value;

/// Number of records, or the guess of it.
const N: usize = 400;

/// A genuine release with a name.
pub struct Base {
    pub name: &'static str,
    pub json: Value,
}

/// The release of a specification.
fn made(name: &'static str, spec: &ReleaseSpec, spread: f64) -> Base {
    let m = spec.manifold().unwrap();
    let points = cloud(&m, N, spread, 5);
    let points = if spec.features.is_some() { with_features(&m, &points) } else { points };
    let plan = match spec.statistic {
        StatisticName::Minimizer => spec.plan_descent(N, spec.descent().unwrap().gradient(squared(&m)).unwrap()),
        _ => spec.plan(N),
    };
    let plan = plan.unwrap_or_else(|error| panic!("{name}: {error}"));
    let predictors: Vec<f64> = (0..N).map(|i| i as f64 / N as f64).collect();
    let observations = Observations::new(&points);
    let observations = match spec.statistic {
        StatisticName::GeodesicRegression => observations.with_predictors(&predictors).unwrap(),
        _ => observations,
    };
    let release = plan.run(&observations, &mut ReleaseContext::seeded(8)).unwrap();
    Base { name, json: serde_json::to_value(release).unwrap() }
}

/// The specification of a statistic in a ball that is not around the origin.
fn spec(statistic: StatisticName, space: &str, radius: f64, budget: Guarantee) -> ReleaseSpec {
    let m = manifold(space);
    let direction: Vec<f64> = (0..m.dim()).map(|j| 1.0 + j as f64).collect();
    let center = at(&*m, &origin(&*m), &direction, 0.1);
    spec_of(statistic, &Ball::new(&*m, center, radius).unwrap(), budget)
}

/// Releases of every statistic, by many mechanisms, with companion statistics.
pub fn bases() -> Vec<Base> {
    let (pure, gaussian) = (Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(1.0).unwrap());
    let mean = |space, radius, budget| spec(StatisticName::FrechetMean, space, radius, budget);
    let (spread, components) = (Some(Spread::default()), Some(Components::default()));
    let by = MechanismChoice::Named;
    let outer = |statistic, budget| {
        let m = manifold("sphere:2");
        let ball = BallSpec::Locate { center: origin(&*m), within: 3.0, quantile: Some(0.7) };
        ReleaseSpec { ball: Some(ball), numerics: NumericsPolicy::Exact, ..spec(statistic, "sphere:2", 0.5, budget) }
    };
    let add_remove = |spec| ReleaseSpec { adjacency: Adjacency::AddRemove, n_guess: Some(N - 9), ..spec };
    let regression = ReleaseSpec {
        predictor_range: Some(PredictorRange::new(0.0, 1.0).unwrap()),
        slope_bound: Some(0.8),
        residual_bound: Some(0.5),
        mechanism: by(MechanismName::GradientDescent),
        ..spec(StatisticName::GeodesicRegression, "sphere:2", 0.6, gaussian)
    };
    let exact = NumericsPolicy::Exact;
    let chart = ReleaseSpec { spread, components, numerics: exact, region: Some(0.9), ..mean("sphere:2", 0.7, pure) };
    let flow =
        ReleaseSpec { mechanism: by(MechanismName::KarcherFlow), steps: Some(2), ..mean("sphere:2", 0.7, gaussian) };
    let laplace = ReleaseSpec { mechanism: by(MechanismName::Laplace), ..mean("sphere:2", 0.7, pure) };
    let vectors = mean("euclidean:5", 2.0, Guarantee::approximate(1.0, 1e-6).unwrap());
    let by_chart = by(MechanismName::Chart);
    let plain =
        ReleaseSpec { denoise: Some(Denoise::None), mechanism: by_chart, ..mean("hyperbolic:2", 1.0, gaussian) };
    let two_stage = ReleaseSpec {
        mechanism: by(MechanismName::TwoStage),
        expected_spread: Some(0.1),
        ..mean("euclidean:2", 50.0, gaussian)
    };
    let clusters = ReleaseSpec {
        clusters: Some(Clusters { cost: true, ..Clusters::new(2) }),
        ..spec(StatisticName::KMeans, "sphere:2", 0.8, gaussian)
    };
    let minimizer = ReleaseSpec {
        descent: Some(three_steps(&*manifold("sphere:2"), 0.7)),
        ..spec(StatisticName::Minimizer, "sphere:2", 0.8, gaussian)
    };
    let little = Guarantee::pure(1e-3).unwrap();
    let far = ReleaseSpec { denoise: Some(Denoise::None), ..mean("spd-log-euclidean:2", 8.0, little) };
    vec![
        made("chart", &chart, 0.4),
        made("far", &far, 0.4),
        made("vectors", &vectors, 0.4),
        made("laplace", &laplace, 0.4),
        made("flow", &flow, 0.4),
        made("plain", &plain, 0.4),
        made("counted", &add_remove(ReleaseSpec { spread, numerics: exact, ..mean("sphere:2", 0.7, pure) }), 0.4),
        made("located", &ReleaseSpec { spread, components, ..outer(StatisticName::FrechetMean, gaussian) }, 0.1),
        made("two-stage", &two_stage, 0.1),
        made("ball", &outer(StatisticName::Ball, gaussian), 0.1),
        made("median", &spec(StatisticName::GeometricMedian, "sphere:2", 1.0, gaussian), 0.1),
        made("variance", &spec(StatisticName::FrechetVariance, "sphere:2", 1.0, pure), 0.4),
        made("variance of a guess", &add_remove(spec(StatisticName::FrechetVariance, "sphere:2", 1.0, pure)), 0.4),
        made("covariance", &spec(StatisticName::Covariance, "euclidean:3", 1.0, pure), 0.4),
        made("covariance of a guess", &add_remove(spec(StatisticName::Covariance, "euclidean:2", 1.0, gaussian)), 0.4),
        made("clusters", &clusters, 0.4),
        made("clusters of a guess", &add_remove(clusters), 0.4),
        made("regression", &regression, 0.3),
        made("minimizer", &minimizer, 0.4),
        made("minimizer of a guess", &add_remove(minimizer), 0.4),
    ]
}

/// Releases of the other statistics and of other mechanisms.
pub fn more() -> Vec<Base> {
    let (pure, gaussian) = (Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(1.0).unwrap());
    let features = ReleaseSpec {
        features: Some(features()),
        ..spec(StatisticName::FeatureRegression, "euclidean:1", 1.0, gaussian)
    };
    let extrinsic = ReleaseSpec { ball: None, ..spec(StatisticName::ExtrinsicMean, "sphere:2", 0.7, gaussian) };
    let line = ReleaseSpec {
        predictor_range: Some(PredictorRange::new(0.0, 1.0).unwrap()),
        slope_bound: Some(0.8),
        ..spec(StatisticName::GeodesicRegression, "euclidean:2", 0.6, pure)
    };
    let add_remove = |spec| ReleaseSpec { adjacency: Adjacency::AddRemove, n_guess: Some(N - 9), ..spec };
    let m = manifold("sphere:2");
    let home = Randomizer::new(m.clone(), Ball::at_origin(&*m, 0.8).unwrap(), pure).unwrap();
    let record = home.run(&cloud(&m, 1, 0.4, 5), &mut ReleaseContext::seeded(8)).unwrap();
    let kng = ReleaseSpec {
        mechanism: MechanismChoice::Named(MechanismName::Kng),
        ..spec(StatisticName::FrechetMean, "sphere:2", 0.5, pure)
    };
    let within = |space: &str| BallSpec::Locate { center: origin(&*manifold(space)), within: 3.0, quantile: Some(0.7) };
    let located = ReleaseSpec {
        ball: Some(within("euclidean:1")),
        spread: Some(Spread::default()),
        components: Some(Components::default()),
        ..spec(StatisticName::FrechetMean, "euclidean:1", 0.5, gaussian)
    };
    let steps = Some(3);
    let ball =
        ReleaseSpec { ball: Some(within("sphere:2")), steps, ..spec(StatisticName::Ball, "sphere:2", 0.5, gaussian) };
    let median = ReleaseSpec { steps, ..spec(StatisticName::GeometricMedian, "sphere:2", 1.0, gaussian) };
    vec![
        made("located on a line", &located, 0.1),
        made("ball of few steps", &ball, 0.1),
        made("median of few steps", &median, 0.1),
        made("extrinsic", &extrinsic, 0.4),
        made("extrinsic of a guess", &add_remove(extrinsic), 0.4),
        made("features", &features, 0.3),
        made("features of a guess", &add_remove(features), 0.3),
        made("line", &line, 0.3),
        made("line of a guess", &add_remove(line), 0.3),
        made("kng", &kng, 0.3),
        Base { name: "record", json: serde_json::to_value(record).unwrap() },
    ]
}

/// Releases of scores and of a choice, of made-up rows.
pub fn scores() -> Vec<Base> {
    let (pure, gaussian) = (Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(1.0).unwrap());
    let labels = || vec!["left".to_owned(), "right".to_owned()];
    let score = |metric, budget| {
        let labels = if matches!(metric, Metric::BalancedAccuracy | Metric::Confusion) { labels() } else { vec![] };
        let bound = (metric == Metric::MeanLoss).then_some(2.0);
        let range = (metric == Metric::R2).then(|| PredictorRange::new(0.0, 9.0).unwrap());
        ReleaseSpec {
            score: Some(Score { labels, bound, range, ..Score::new(metric) }),
            ..ReleaseSpec::new(StatisticName::Score, budget)
        }
    };
    let add_remove = |spec| ReleaseSpec { adjacency: Adjacency::AddRemove, n_guess: Some(N - 9), ..spec };
    let choice =
        |budget| ReleaseSpec { candidates: Some(labels()), ..ReleaseSpec::new(StatisticName::Selection, budget) };
    vec![
        made("accuracy", &score(Metric::Accuracy, pure), 0.4),
        made("accuracy of a guess", &add_remove(score(Metric::Accuracy, pure)), 0.4),
        made("balanced", &score(Metric::BalancedAccuracy, gaussian), 0.4),
        made("balanced of a guess", &add_remove(score(Metric::BalancedAccuracy, pure)), 0.4),
        made("confusion", &score(Metric::Confusion, pure), 0.4),
        made("confusion of a guess", &add_remove(score(Metric::Confusion, gaussian)), 0.4),
        made("loss", &score(Metric::MeanLoss, gaussian), 0.4),
        made("r2", &score(Metric::R2, pure), 0.4),
        made("choice", &choice(pure), 0.4),
        made("choice by mu", &choice(gaussian), 0.4),
    ]
}

/// Releases of quantiles, on grids of few cells.
pub fn quantiles() -> Vec<Base> {
    let (pure, gaussian) = (Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(1.0).unwrap());
    let of = |space, budget, distances| ReleaseSpec {
        quantiles: Some(Quantiles { levels: vec![0.3, 0.6], cells: Some(16), distances }),
        ..spec(StatisticName::Quantiles, space, 0.5, budget)
    };
    let add_remove = |spec| ReleaseSpec { adjacency: Adjacency::AddRemove, n_guess: Some(N - 9), ..spec };
    vec![
        made("quantiles", &of("euclidean:1", gaussian, false), 0.4),
        made("quantiles of a guess", &add_remove(of("euclidean:1", pure, true)), 0.4),
        made("quantiles of angles", &of("sphere:1", pure, false), 0.4),
        made("quantiles of distances", &add_remove(of("sphere:2", gaussian, false)), 0.4),
    ]
}

/// A genuine count.
pub fn count() -> Base {
    let plan = CountPlan::new(Guarantee::pure(0.5).unwrap()).unwrap();
    let release = plan.run_on(N as u64, &mut ReleaseContext::seeded(8)).unwrap();
    Base { name: "count", json: serde_json::to_value(release).unwrap() }
}

/// The fields that a reader is told of, or that the release is not read.
pub fn findings(name: &str, json: &Value) -> Vec<String> {
    let text = json.to_string();
    let fields = |findings: Vec<karcher::audit::Finding>| findings.into_iter().map(|finding| finding.field).collect();
    if name == "count" {
        return serde_json::from_str::<ReleasedCount>(&text)
            .map_or(vec!["not read".to_owned()], |r| fields(r.verify()));
    }
    serde_json::from_str::<PublishedRelease>(&text).map_or(vec!["not read".to_owned()], |r| fields(r.verify()))
}
