//! Specifications of every kind of release, with records to run them on.

use crate::common::every::{N, SPACES, two_budgets};
use crate::common::{at, cloud, features, manifold, origin, with_features};
use karcher::mechanism::{Components, MECHANISMS, NumericsPolicy, Spread};
use karcher::nonprivate::Persons;
use karcher::privacy::Guarantee;
use karcher::records::{Observations, PrivacyUnit};
use karcher::release::{Adjacency, MechanismName, PublishedRelease, StatisticName};
use karcher::spec::{BallSpec, Clusters, Denoise, ReleaseSpec};
use karcher::{Ball, Manifold, Points, PredictorRange, ReleaseContext, Result};
use std::sync::Arc;

/// A specification with records.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub spec: ReleaseSpec,
    pub points: Points,
    pub predictors: Option<Vec<f64>>,
}

impl Case {
    /// The release, as its JSON says it; `None` where no mechanism applies.
    pub fn release(&self, context: &mut ReleaseContext) -> Option<PublishedRelease> {
        let plan = self.spec.plan(self.points.len()).ok()?;
        // a chain takes minutes, and nothing is proved of persons whose number is confidential
        let is_unproved = (self.spec.adjacency, self.spec.unit) == (Adjacency::AddRemove, PrivacyUnit::Person);
        if plan.summary().chain_steps.is_some() || is_unproved {
            return None;
        }
        let release = match &self.predictors {
            Some(predictors) => {
                plan.run(&Observations::new(&self.points).with_predictors(predictors).unwrap(), context)
            }
            None if self.spec.unit == PrivacyUnit::Person => plan.run(&self.persons().unwrap(), context),
            None => plan.run(&self.points, context),
        };
        let text = serde_json::to_string(&release.unwrap_or_else(|error| panic!("{}: {error}", self.name))).unwrap();
        Some(serde_json::from_str(&text).unwrap())
    }

    /// One record a person.
    fn persons(&self) -> Result<karcher::records::Contributions> {
        let ball = self.spec.public_ball()?;
        let mut persons = Persons::new(self.spec.manifold()?, &ball)?;
        let keys: Vec<u64> = (0..self.points.len() as u64).collect();
        persons.add(keys.iter().copied(), Observations::new(&self.points))?;
        persons.contributions()
    }
}

/// The specification of a statistic in a ball.
pub fn spec_of(statistic: StatisticName, ball: &Ball, budget: Guarantee) -> ReleaseSpec {
    let mut spec = ReleaseSpec::new(statistic, budget);
    spec.manifold = Some(ball.space().clone());
    spec.ball = Some(ball.into());
    spec.numerics = NumericsPolicy::Any;
    spec
}

/// A ball around a point that is not the origin, on every second space.
fn center(m: &dyn Manifold, i: usize) -> Vec<f64> {
    let direction: Vec<f64> = (0..m.dim()).map(|j| 1.0 + j as f64).collect();
    if i.is_multiple_of(2) { origin(m) } else { at(m, &origin(m), &direction, 0.3) }
}

/// With the fields of a mean changed in all ways that go together.
fn means(base: &ReleaseSpec, radius: f64) -> Vec<(&'static str, ReleaseSpec)> {
    let (spread, components) = (Some(Spread::default()), Some(Components::default()));
    let clips = Some(Spread { clip: Some(0.9 * radius) });
    let wide = Some(Components { clip: Some(3.0 * radius) });
    vec![
        ("", base.clone()),
        (" spread", ReleaseSpec { spread, region: Some(0.8), ..base.clone() }),
        (" both", ReleaseSpec { spread: clips, components, ..base.clone() }),
        (" components", ReleaseSpec { components: wide, ..base.clone() }),
        (" noisy", ReleaseSpec { denoise: Some(Denoise::None), ..base.clone() }),
        (" person", ReleaseSpec { unit: PrivacyUnit::Person, spread, ..base.clone() }),
    ]
}

/// Every kind of release in a ball that is known, and medians, balls and regressions.
pub fn every_spec() -> Vec<Case> {
    let mut cases = vec![];
    for (i, (space, radius)) in SPACES.into_iter().enumerate() {
        let m = manifold(space);
        let points = cloud(&m, N, 0.5 * radius, 9);
        let predictors: Vec<f64> = (0..N).map(|i| i as f64 / N as f64).collect();
        let ball = Ball::new(&*m, center(&*m, i), radius).unwrap();
        let outer = Ball::at_origin(&*m, m.diameter().min(5.0)).unwrap();
        for (budget_name, budget) in two_budgets(i) {
            for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
                let of = |statistic, ball: &Ball| ReleaseSpec {
                    adjacency,
                    n_guess: (adjacency == Adjacency::AddRemove).then_some(N - 7),
                    ..spec_of(statistic, ball, budget)
                };
                let located =
                    BallSpec::Locate { center: outer.center().to_vec(), within: outer.radius(), quantile: None };
                let mut all: Vec<(&str, ReleaseSpec)> = vec![
                    ("variance", of(StatisticName::FrechetVariance, &ball)),
                    ("covariance", of(StatisticName::Covariance, &ball)),
                    ("clusters", ReleaseSpec { clusters: Some(Clusters::new(3)), ..of(StatisticName::KMeans, &ball) }),
                    ("median", of(StatisticName::GeometricMedian, &outer)),
                    ("ball", ReleaseSpec { ball: Some(located), ..of(StatisticName::Ball, &outer) }),
                    (
                        "features",
                        ReleaseSpec { features: Some(features()), ..of(StatisticName::FeatureRegression, &ball) },
                    ),
                    (
                        "regression",
                        ReleaseSpec {
                            predictor_range: Some(PredictorRange::new(0.0, 1.0).unwrap()),
                            slope_bound: Some((0.5 * m.injectivity_radius()).min(0.8)),
                            residual_bound: Some(0.9 * radius),
                            ..of(StatisticName::GeodesicRegression, &ball)
                        },
                    ),
                ];
                all.extend(means(&of(StatisticName::FrechetMean, &ball), radius));
                for (kind, spec) in all {
                    let named = MECHANISMS.iter().filter(|m| m.statistics().contains(&spec.statistic));
                    let names = named.map(|mechanism| mechanism.name().into());
                    for mechanism in names.chain([Default::default()]) {
                        let is_two_stage = mechanism == MechanismName::TwoStage.into();
                        let expected_spread = is_two_stage.then_some(0.2 * radius);
                        let spec = ReleaseSpec { mechanism, expected_spread, ..spec.clone() };
                        let is_regression = spec.statistic == StatisticName::GeodesicRegression;
                        let name = format!("{space} {kind} {mechanism} {budget_name} {}", adjacency.name());
                        let has_features = spec.features.is_some();
                        let points = if has_features { with_features(&m, &points) } else { points.clone() };
                        let (points, predictors) = (points, is_regression.then(|| predictors.clone()));
                        cases.push(Case { name, spec, points, predictors });
                    }
                }
            }
        }
    }
    cases
}

/// Means in a ball that is located first.
pub fn every_located_spec() -> Vec<Case> {
    let mut cases = vec![];
    for (i, (space, radius)) in SPACES.into_iter().enumerate() {
        let m = manifold(space);
        let outer = Ball::at_origin(&*m, m.diameter().min(5.0)).unwrap();
        let points = cloud(&m, N, 0.2 * radius, 9);
        for (budget_name, budget) in two_budgets(i) {
            for (policy, quantile) in [(NumericsPolicy::Exact, None), (NumericsPolicy::Any, Some(0.6))] {
                let within = outer.radius();
                let ball = BallSpec::Locate { center: outer.center().to_vec(), within, quantile };
                let spec = spec_of(StatisticName::FrechetMean, &outer, budget);
                let spec = ReleaseSpec { ball: Some(ball), numerics: policy, ..spec };
                for (kind, spec) in means(&spec, radius) {
                    let name = format!("{space} located{kind} {budget_name} {}", policy.name());
                    cases.push(Case { name, spec, points: points.clone(), predictors: None });
                }
            }
        }
        // a μ that is spent by a law of bounded range
        for (epsilon, delta) in [(0.05, 1e-4), (1.0, 0.01)] {
            let ball = BallSpec::Locate { center: outer.center().to_vec(), within: outer.radius(), quantile: None };
            let spec = ReleaseSpec {
                ball: Some(ball),
                numerics: NumericsPolicy::Any,
                mechanism: "kng".parse().unwrap(),
                ..spec_of(StatisticName::FrechetMean, &outer, Guarantee::approximate(epsilon, delta).unwrap())
            };
            let name = format!("{space} located kng {epsilon} {delta}");
            cases.push(Case { name, spec, points: points.clone(), predictors: None });
        }
    }
    cases
}

/// Means and medians in a ball that is so far from the origin, with next to no noise and with much.
pub fn extremes(m: &Arc<dyn Manifold>, radius: f64, far: f64) -> Vec<Case> {
    let direction: Vec<f64> = (0..m.dim()).map(|j| 1.0 + (j as f64).sin()).collect();
    let center = at(&**m, &origin(&**m), &direction, far);
    let ball = Ball::new(&**m, center, radius).unwrap();
    let points = cloud(m, 7, 0.5 * radius, 9);
    let budgets = [1e-6, 1.0, 1e6, 1e12].map(|epsilon| Guarantee::pure(epsilon).unwrap());
    let normal = [1e-3, 1e3].map(|mu| Guarantee::gaussian(mu).unwrap());
    let mut cases = vec![];
    for budget in budgets.into_iter().chain(normal) {
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            for mechanism in ["chart", "laplace", "gaussian", "karcher-flow", "median-flow"] {
                let statistic = match mechanism {
                    "median-flow" => StatisticName::GeometricMedian,
                    _ => StatisticName::FrechetMean,
                };
                let name = format!("{} {radius} {far} {mechanism} {budget} {}", m.space(), adjacency.name());
                let spec = ReleaseSpec {
                    mechanism: mechanism.parse().unwrap(),
                    adjacency,
                    n_guess: (adjacency == Adjacency::AddRemove).then_some(9),
                    ..spec_of(statistic, &ball, budget)
                };
                cases.push(Case { name, spec, points: points.clone(), predictors: None });
            }
        }
    }
    cases
}
