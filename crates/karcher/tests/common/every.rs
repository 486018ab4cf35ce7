//! Every kind of release: spaces, statistics, mechanisms, budgets, neighbours, and companion statistics.

use super::example::{example_on, request_of, requested};
use super::{cloud, manifold, with_features};
use karcher::mechanism::{
    Components, LocatedMean, MECHANISMS, NumericsPolicy, Plan, PrivateFrechetMean, PrivateLocation, PrivateScore,
    PrivateSelection, Randomizer, Request, Spread, Statistic,
};
use karcher::privacy::Guarantee;
use karcher::records::Observations;
use karcher::release::{Adjacency, StatisticName};
use karcher::spec::{Metric, Score};
use karcher::{Ball, Manifold, Points, PredictorRange, Release, ReleaseContext, ReleaseSpec, Result};
use rayon::prelude::*;
use std::sync::{Arc, LazyLock};

/// Spaces of all kinds, each with a radius in which every mechanism that the space allows has a plan.
pub const SPACES: [(&str, f64); 11] = [
    ("euclidean:1", 1.0),
    ("euclidean:3", 2.0),
    ("sphere:1", 0.7),
    ("sphere:2", 0.6),
    ("hyperbolic:2", 0.8),
    ("spd-log-euclidean:2", 1.0),
    ("spd-affine-invariant:2", 0.8),
    ("kendall:4", 0.3),
    ("rotations:3", 0.6),
    ("torus:2", 0.7),
    ("sphere:2*euclidean:1", 0.5),
];

/// Spaces whose geometry is another's in new coordinates: their means stand for the rest.
pub const RELATED: [(&str, f64); 8] = [
    ("spd-log-cholesky:2", 1.0),
    ("correlation-off-log:3", 0.8),
    ("simplex-aitchison:3", 1.0),
    ("simplex-fisher-rao:3", 0.6),
    ("hpd-log-euclidean:2", 1.0),
    ("hpd-affine-invariant:2", 0.8),
    ("landmarks:3,3", 0.5),
    ("poses:3,2^2", 0.5),
];

pub const N: usize = 120;

pub fn budgets() -> [(&'static str, Guarantee); 4] {
    [
        ("pure", Guarantee::pure(2.0)),
        ("approximate", Guarantee::approximate(1.5, 1e-6)),
        ("gaussian", Guarantee::gaussian(1.0)),
        ("concentrated", Guarantee::concentrated(0.4)),
    ]
    .map(|(name, budget)| (name, budget.unwrap()))
}

/// Ingredients of a release.
pub struct Case {
    /// Its name: space, statistic, mechanism, budget, neighbours.
    pub name: String,
    /// The request.
    pub budget: Guarantee,
    pub adjacency: Adjacency,
    /// Plans it, and makes the release in a release context.
    pub plan: Box<dyn Plan>,
    pub points: Points,
    pub predictors: Option<Vec<f64>>,
}

impl Case {
    /// The release of its records.
    pub fn release(&self, context: &mut ReleaseContext) -> Result<Release> {
        match &self.predictors {
            Some(predictors) => self.plan.run(&Observations::new(&self.points).with_predictors(predictors)?, context),
            None => self.plan.run(&self.points, context),
        }
    }
}

/// The word for a statistic in the list of seeded releases.
fn word(statistic: StatisticName) -> &'static str {
    let name = statistic.description().option;
    let words = [
        ("k-means", "clusters"),
        ("feature-regression", "features"),
        ("geodesic-regression", "regression"),
        ("extrinsic-mean", "extrinsic"),
    ];
    words.into_iter().find(|(known, _)| *known == name).map_or(name, |(_, word)| word)
}

/// Each statistic by its word, as a specification makes it; the mean also in a ball by factors.
fn statistics(m: &Arc<dyn Manifold>, radius: f64, budget: Guarantee) -> Vec<(&'static str, Request)> {
    let of = |statistic| {
        let spec = ReleaseSpec { budget, ..example_on(statistic, m, radius) };
        Some((word(statistic), request_of(&spec, N).ok()?))
    };
    let mut all: Vec<(&'static str, Request)> = requested().filter_map(of).collect();
    let mut of_rows = |name, statistic: Arc<dyn Statistic>| all.push((name, Request::of(statistic, N, budget)));
    match m.space().as_str() {
        "euclidean:1" => of_rows("score", Arc::new(PrivateScore::new(Score::new(Metric::Accuracy)).unwrap())),
        "euclidean:3" => {
            let score = Score { range: Some(PredictorRange::new(0.0, 1.0).unwrap()), ..Score::new(Metric::R2) };
            let names = ["a", "b", "c"].map(str::to_owned).to_vec();
            of_rows("score", Arc::new(PrivateScore::new(score).unwrap()));
            of_rows("choice", Arc::new(PrivateSelection::new(names).unwrap()));
        }
        _ => (),
    }
    if !m.factors().is_empty() {
        let radii = m.factors().iter().enumerate().map(|(i, _)| radius * (i + 1) as f64).collect();
        let center = Ball::at_origin(&**m, radius).unwrap().center().to_vec();
        let ball = Ball::of_factors(&**m, center, radii).unwrap();
        let mean = PrivateFrechetMean::new(m.clone(), ball).unwrap();
        all.push(("mean by factors", Request::new(mean, N, budget)));
    }
    all
}

/// Every plan of a statistic by a mechanism, for both kinds of neighbours, within two of the budgets: which ones
/// changes with the space. Means also have plans with their spread, their components and both, and in two stages. They
/// are planned once for all tests.
pub fn every_case() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
        let spaces: Vec<_> = SPACES.into_iter().chain(RELATED).enumerate().collect();
        spaces.into_par_iter().flat_map_iter(|(i, (space, radius))| cases_on(i, space, radius)).collect()
    });
    &CASES
}

/// Two of the budgets, for the space of a number.
pub fn two_budgets(of: usize) -> impl Iterator<Item = (&'static str, Guarantee)> {
    budgets().into_iter().enumerate().filter(move |(i, _)| i % 2 == of % 2).map(|(_, budget)| budget)
}

fn cases_on(i: usize, space: &str, radius: f64) -> Vec<Case> {
    let mut cases = vec![];
    let m = manifold(space);
    let points = cloud(&m, N, 0.5 * radius, 9);
    let predictors: Vec<f64> = (0..N).map(|i| i as f64 / N as f64).collect();
    let is_mean = |kind: &str| kind.starts_with("mean");
    let related = RELATED.iter().any(|(name, _)| *name == space);
    for (budget_name, budget) in two_budgets(i).skip(usize::from(related)) {
        let all = statistics(&m, radius, budget).into_iter().filter(|(kind, _)| !related || is_mean(kind));
        for (kind, request) in all {
            let points = if kind == "features" { with_features(&m, &points) } else { points.clone() };
            for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
                let request = request.clone().adjacency(adjacency).numerics(NumericsPolicy::Any);
                for mechanism in MECHANISMS {
                    let mut asked = vec![("", request.clone())];
                    if kind == "mean" {
                        let (spread, components) = (Some(Spread::default()), Some(Components::default()));
                        asked.push((" spread", request.clone().spread(spread)));
                        asked.push((" both", request.clone().spread(spread).components(components)));
                    }
                    for (with, request) in asked {
                        let expects = mechanism.name().name() == "two-stage";
                        let request = request.expected_spread(expects.then_some(0.2 * radius)).unwrap();
                        let Ok(plan) = request.plan_by(mechanism.name()) else { continue };
                        // a chain takes minutes, and makes no promise that could be checked
                        if plan.summary().chain_steps.is_some() {
                            continue;
                        }
                        let name =
                            format!("{space} {kind}{with} {} {budget_name} {}", mechanism.name(), adjacency.name());
                        let predictors = (kind == "regression").then(|| predictors.clone());
                        cases.push(Case { name, budget, adjacency, plan, points: points.clone(), predictors });
                    }
                }
            }
        }
    }
    for (budget_name, budget) in two_budgets(i) {
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let plan: Box<dyn Plan> = Box::new(Randomizer::new(m.clone(), ball, budget).unwrap());
        let name = format!("{space} record chart {budget_name} replace-one");
        let one = cloud(&m, 1, 0.5 * radius, 9);
        cases.push(Case { name, budget, adjacency: Adjacency::ReplaceOne, plan, points: one, predictors: None });
    }
    cases
}

/// The mean in a ball that is located, within each budget.
pub fn every_located(
    mut each: impl FnMut(&str, Guarantee, &LocatedMean, &mut dyn FnMut(&mut ReleaseContext) -> Result<Release>),
) {
    for (i, (space, radius)) in SPACES.into_iter().enumerate() {
        let m = manifold(space);
        let points = cloud(&m, N, 0.2 * radius, 9);
        let outer = Ball::at_origin(&*m, m.diameter().min(5.0)).unwrap();
        let location = PrivateLocation::new(m.clone(), outer).unwrap();
        for (budget_name, budget) in two_budgets(i) {
            for (accept, name) in [(NumericsPolicy::Exact, ""), (NumericsPolicy::Any, " any")] {
                let mean = PrivateFrechetMean::new(m.clone(), location.ball().clone()).unwrap();
                let request = Request::new(mean, N, budget).numerics(accept);
                let Ok(mean) = LocatedMean::new(&location, &request, None) else { continue };
                let mut run = |context: &mut ReleaseContext| mean.run(&points, context);
                each(&format!("{space} located mean{name} {budget_name}"), budget, &mean, &mut run);
            }
        }
    }
}
