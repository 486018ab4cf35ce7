//! A law: a genuine release of any setting that plans is not contradicted.
//!
//! `KARCHER_SETTINGS=100000 cargo test -p karcher-tests --test all a_genuine_release` tries as many settings.

use super::specs::{Case, spec_of};
use crate::common::{at, cloud, features, manifold, origin, squared, three_steps, with_features};
use karcher::audit::Verification;
use karcher::manifold::FAMILIES;
use karcher::mechanism::{Components, CountPlan, Denoise, MECHANISMS, NumericsPolicy, Plan, Randomizer, Spread};
use karcher::privacy::Guarantee;
use karcher::records::PrivacyUnit;
use karcher::release::{Adjacency, StatisticName};
use karcher::sampler::Generator;
use karcher::spec::{BallSpec, Clusters, MechanismChoice, ReleaseSpec};
use karcher::{Ball, Manifold, PredictorRange, ReleaseContext};
use rand::RngExt;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

/// Small spaces of every family, and products of compact and unbounded ones.
pub const SPACES: [&str; 30] = [
    "euclidean:1",
    "euclidean:3",
    "sphere:1",
    "sphere:2",
    "sphere:5",
    "hyperbolic:1",
    "hyperbolic:2",
    "spd-log-euclidean:2",
    "spd-log-euclidean:3",
    "spd-affine-invariant:2",
    "spd-log-cholesky:2",
    "correlation-off-log:3",
    "simplex-aitchison:3",
    "simplex-fisher-rao:3",
    "hpd-log-euclidean:2",
    "hpd-affine-invariant:2",
    "landmarks:3,3",
    "size-and-shape:3,2",
    "kendall:4",
    "rotations:3",
    "torus:2",
    "projective:2",
    "grassmann:4,2",
    "poses:3",
    "poses:3,2^2",
    "sphere:2*euclidean:1",
    "sphere:1*hyperbolic:2",
    "torus:2*spd-affine-invariant:2",
    "spd-log-euclidean:2*euclidean:2",
    "hyperbolic:2*euclidean:1",
];

/// Settings in the gate, and how many of them have a release at least.
const SETTINGS: u64 = 500;
const RELEASES: usize = 150;

/// A source of settings.
struct Draw(Generator);

impl Draw {
    fn from(&mut self, low: f64, high: f64) -> f64 {
        self.0.random_range(low..high)
    }

    /// A number of any magnitude.
    fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        10.0_f64.powf(self.from(low, high))
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.0.random_range(0..all.len())].clone()
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.from(0.0, 1.0) < probability
    }

    fn budget(&mut self) -> Guarantee {
        match self.0.random_range(0..4) {
            0 => Guarantee::pure(self.magnitude(-9.5, 4.0)),
            1 => Guarantee::approximate(self.magnitude(-9.0, 2.0), self.magnitude(-19.0, -2.0)),
            2 => Guarantee::gaussian(self.magnitude(-9.0, 3.0)),
            _ => Guarantee::concentrated(self.magnitude(-9.0, 3.0)),
        }
        .unwrap()
    }

    /// A ball, from tiny to as large as can be.
    fn ball(&mut self, m: &dyn Manifold) -> Option<Ball> {
        let radius =
            if m.diameter() < 100.0 { m.diameter() * self.magnitude(-2.5, 0.0) } else { self.magnitude(-3.0, 2.7) };
        let far = if self.happens(0.5) { 0.0 } else { self.magnitude(-2.0, 0.5).min(0.4 * m.injectivity_radius()) };
        let direction: Vec<f64> = (0..m.dim()).map(|_| self.from(-1.0, 1.0)).collect();
        Ball::new(m, at(m, &origin(m), &direction, far), radius).ok()
    }

    fn clip(&mut self, radius: f64) -> Option<f64> {
        self.happens(0.5).then(|| radius * self.from(0.3, 3.0))
    }

    /// The specification of a statistic, with records for it.
    fn case(&mut self, name: &str) -> Option<Case> {
        let m = manifold(name);
        let ball = self.ball(&*m)?;
        let radius = ball.radius();
        let located = |quantile| BallSpec::Locate { center: ball.center().to_vec(), within: radius, quantile };
        // those of rows have no space and no ball
        let is_of_rows = |name: &StatisticName| matches!(name, StatisticName::Score | StatisticName::Selection);
        let statistics: Vec<_> = StatisticName::ALL.into_iter().filter(|name| !is_of_rows(name)).collect();
        let statistic = self.one_of(&statistics);
        let mut spec = ReleaseSpec { numerics: NumericsPolicy::Exact, ..spec_of(statistic, &ball, self.budget()) };
        let n = self.magnitude(0.0, 2.3) as usize;
        if self.happens(0.4) {
            let wrong = if self.happens(0.1) { self.magnitude(-2.5, 1.0) } else { self.magnitude(-0.3, 0.3) };
            spec.adjacency = Adjacency::AddRemove;
            spec.n_guess = Some(((n as f64 * wrong) as usize).max(1));
        }
        if self.happens(0.5) {
            spec.numerics = NumericsPolicy::Any;
        }
        if self.happens(0.3) {
            spec.region = Some(self.from(0.2, 0.99));
        }
        match statistic {
            StatisticName::FrechetMean => {
                spec.denoise = self.happens(0.4).then_some(Denoise::None);
                spec.spread = self.happens(0.3).then(|| Spread { clip: self.clip(radius) });
                spec.components = self.happens(0.2).then(|| Components { clip: self.clip(radius) });
                if self.happens(0.1) {
                    let quantile = self.happens(0.5).then(|| self.from(0.3, 0.9));
                    spec.ball = Some(located(quantile));
                }
                if self.happens(0.1) {
                    spec.unit = PrivacyUnit::Person;
                }
            }
            StatisticName::GeodesicRegression => {
                spec.predictor_range = Some(PredictorRange::new(0.0, 1.0).unwrap());
                spec.slope_bound = Some(radius.min(0.4 * m.injectivity_radius()) * self.from(0.1, 1.0));
                spec.residual_bound = self.happens(0.5).then(|| radius * self.from(0.1, 1.0));
            }
            StatisticName::FeatureRegression => spec.features = Some(features()),
            StatisticName::KMeans => {
                let clusters = Clusters::new(self.0.random_range(1..4));
                spec.clusters = Some(Clusters { cost: self.happens(0.5), ..clusters });
            }
            StatisticName::Ball => spec.ball = Some(located(None)),
            StatisticName::ExtrinsicMean => spec.ball = None,
            StatisticName::Minimizer => spec.descent = Some(three_steps(&*m, radius)),
            _ => (), // no field of its own
        }
        let named = MECHANISMS.iter().filter(|mechanism| mechanism.statistics().contains(&statistic));
        let names: Vec<MechanismChoice> = named.map(|mechanism| mechanism.name().into()).collect();
        if !names.is_empty() && self.happens(0.6) {
            spec.mechanism = self.one_of(&names);
            let is_two_stage = spec.mechanism == "two-stage".parse().unwrap();
            spec.expected_spread = is_two_stage.then_some(0.2 * radius);
        }
        let spread = (radius * self.from(0.05, 1.5)).min(0.3 * m.injectivity_radius()).min(3.0);
        let points = cloud(&m, n, spread, self.0.random());
        let points = if statistic == StatisticName::FeatureRegression { with_features(&m, &points) } else { points };
        let predictors = (0..n).map(|i| i as f64 / n as f64).collect();
        let predictors = (statistic == StatisticName::GeodesicRegression).then_some(predictors);
        Some(Case { name: name.to_owned(), spec, points, predictors })
    }
}

/// The JSON of the release of a setting, if it plans.
pub fn release(setting: u64) -> Option<Value> {
    let mut draw = Draw(Generator::seeded(setting));
    let name = SPACES[setting as usize % SPACES.len()];
    let case = draw.case(name)?;
    let mut context = ReleaseContext::seeded(setting);
    let (m, n) = (manifold(name), case.points.len());
    match case.spec.statistic {
        StatisticName::Count => {
            let plan = CountPlan::new(case.spec.budget).ok()?;
            Some(json!(plan.run_on(n as u64, &mut context).unwrap()))
        }
        StatisticName::Record => {
            let ball = case.spec.public_ball().ok()?;
            let plan = Randomizer::new(Arc::clone(&m), ball, case.spec.budget).ok()?;
            Some(json!(plan.run(&cloud(&m, 1, 0.1, setting), &mut context).unwrap()))
        }
        StatisticName::Minimizer => {
            let plan = case.spec.plan_descent(n, case.spec.descent().ok()?.gradient(squared(&m)).ok()?).ok()?;
            Some(json!(plan.run(&case.points, &mut context).unwrap()))
        }
        _ => case.release(&mut context).map(|release| json!(release)),
    }
}

/// What contradicts the release of a setting, and its statistic and mechanism; `None` where nothing is released.
fn contradiction(setting: u64) -> Option<(String, Option<String>)> {
    let written = release(setting)?.to_string();
    let json = serde_json::from_str(&written).unwrap();
    let found: Vec<String> = (Verification::of(&json).findings.iter())
        .filter(|finding| !finding.is_of_seed())
        .map(ToString::to_string)
        .collect();
    let kind = format!("{} {} {}", json["manifold"], json["statistic"], json["mechanism"]);
    let said = format!("{setting}: {kind} {} n {} {found:?}", json["guarantee"], json["n"]);
    Some((kind, (!found.is_empty()).then_some(said)))
}

#[test]
fn a_genuine_release_of_any_setting_is_not_contradicted() {
    let asked = std::env::var("KARCHER_SETTINGS").ok().and_then(|number| number.parse().ok());
    let settings = 0..asked.unwrap_or(SETTINGS);
    let all: Vec<(String, Option<String>)> = settings.into_par_iter().filter_map(contradiction).collect();
    let wrong: Vec<&String> = all.iter().filter_map(|(_, said)| said.as_ref()).collect();
    let some: Vec<String> = wrong.iter().take(60).map(|said| said.to_string()).collect();
    assert!(wrong.is_empty(), "{} of {} releases:\n{}", wrong.len(), all.len(), some.join("\n"));
    assert!(all.len() >= RELEASES, "only {} releases", all.len());
}

#[test]
fn settings_have_a_space_of_every_family() {
    for family in FAMILIES {
        assert!(SPACES.iter().any(|space| space.starts_with(&format!("{}:", family.name))), "{}", family.name);
    }
}
