//! Edits of the numbers of a value are found, for each statistic on each family of spaces.

use super::edits::leaves;
use super::law::SPACES;
use super::specs::{Case, spec_of};
use crate::common::{at, cloud, features, manifold, origin, squared, three_steps, with_features};
use karcher::audit::Verification;
use karcher::mechanism::{Components, Denoise, Plan, Spread};
use karcher::privacy::Guarantee;
use karcher::release::{Adjacency, StatisticName};
use karcher::spec::{BallSpec, Clusters, NumericsPolicy, ReleaseSpec};
use karcher::{Ball, PredictorRange, ReleaseContext};
use rayon::prelude::*;
use serde_json::{Value, json};

const N: usize = 60;

/// The release of a statistic in a ball that is not around the origin: with moderate noise, which may reach around a
/// compact space.
fn release(space: &str, statistic: StatisticName, epsilon: f64) -> Option<Value> {
    let m = manifold(space);
    let direction: Vec<f64> = (0..m.dim()).map(|j| 1.0 + j as f64).collect();
    let radius = 0.45_f64.min(0.2 * m.injectivity_radius());
    let ball = Ball::new(&*m, at(&*m, &origin(&*m), &direction, 0.1), radius).unwrap();
    let budget =
        if m.dim().is_multiple_of(2) { Guarantee::pure(epsilon) } else { Guarantee::gaussian(epsilon) }.unwrap();
    let mut spec = ReleaseSpec { numerics: NumericsPolicy::Exact, ..spec_of(statistic, &ball, budget) };
    let located = BallSpec::Locate { center: ball.center().to_vec(), within: 2.0 * radius, quantile: None };
    match statistic {
        StatisticName::FrechetMean if m.dim().is_multiple_of(3) => {
            spec.adjacency = Adjacency::AddRemove;
            spec.n_guess = Some(N - 7);
            spec.spread = Some(Spread::default());
        }
        StatisticName::FrechetMean => {
            (spec.spread, spec.components) = (Some(Spread::default()), Some(Components::default()));
        }
        StatisticName::GeodesicRegression => {
            spec.predictor_range = Some(PredictorRange::new(0.0, 1.0).unwrap());
            spec.slope_bound = Some(radius);
        }
        StatisticName::FeatureRegression => spec.features = Some(features()),
        StatisticName::KMeans => spec.clusters = Some(Clusters { cost: true, ..Clusters::new(2) }),
        StatisticName::Ball => spec.ball = Some(located),
        StatisticName::ExtrinsicMean => spec.ball = None,
        StatisticName::Minimizer => spec.descent = Some(three_steps(&*m, radius)),
        _ => (), // no field of its own
    }
    let points = cloud(&m, N, 0.4 * radius, 5);
    let points = if statistic == StatisticName::FeatureRegression { with_features(&m, &points) } else { points };
    let predictors = (statistic == StatisticName::GeodesicRegression).then(|| vec![0.3; N]);
    let mut context = ReleaseContext::seeded(8);
    if statistic == StatisticName::Minimizer {
        let plan = spec.plan_descent(N, spec.descent().ok()?.gradient(squared(&m)).ok()?).ok()?;
        return Some(json!(plan.run(&points, &mut context).unwrap()));
    }
    let case = Case { name: space.to_owned(), spec, points, predictors };
    case.release(&mut context).map(|release| json!(release))
}

/// The fields of the value, and those that follow from it.
const OF_VALUE: [&str; 30] = [
    "value",
    "noisy_value",
    "noisy_coordinates",
    "logarithm",
    "region",
    "spread",
    "components",
    "extrinsic",
    "footpoint",
    "shooting_vector",
    "predictor_range",
    "slope_bound",
    "residual_bound",
    "moments",
    "moment_weights",
    "coefficients",
    "residual_spread",
    "effects",
    "term_tests",
    "center",
    "radius",
    "margin",
    "radii",
    "clip",
    "mean_square",
    "root_mean_square",
    "root_mean_square_interval",
    "clusters",
    "cost",
    "private_count",
];

/// A center of a cluster may be any point of the ball, and directions of components any orthonormal ones.
fn is_free(place: &str) -> bool {
    place.starts_with("/clusters/") && place.contains("/center/") || place.starts_with("/components/directions/")
}

/// The edits of a number that are not found: a thousandth more, and its negative.
fn missed(genuine: &Value, place: &str) -> Vec<String> {
    let x = genuine.pointer(place).unwrap().as_f64().unwrap();
    let edits = [if x == 0.0 { 0.001 } else { 1.001 * x }, -x];
    let is_missed = |edited: &&f64| {
        let mut json = genuine.clone();
        *json.pointer_mut(place).unwrap() = json!(edited);
        Verification::of(&json).findings.iter().all(|finding| finding.is_of_seed())
    };
    edits
        .iter()
        .filter(|edited| **edited != x)
        .filter(is_missed)
        .map(|edited| format!("{place}: {x} to {edited}"))
        .collect()
}

/// At most so many numbers of a release are edited.
const MOST: usize = 4;

fn missed_of(space: &str, statistic: StatisticName, epsilon: f64) -> Option<(usize, Vec<String>)> {
    let genuine = release(space, statistic, epsilon)?;
    let mut all = vec![];
    leaves(&genuine, String::new(), &mut all);
    let is_of_value = |place: &&String| OF_VALUE.contains(&place.split('/').nth(1).unwrap_or_default());
    let is_number = |place: &&String| genuine.pointer(place).is_some_and(|value| value.is_f64());
    let all: Vec<&String> = all.iter().filter(is_of_value).filter(is_number).filter(|place| !is_free(place)).collect();
    let step = all.len().div_ceil(MOST).max(1);
    let chosen: Vec<&String> = all.into_iter().step_by(step).collect();
    let found: Vec<String> = chosen.iter().flat_map(|place| missed(&genuine, place)).collect();
    let name = statistic.name();
    Some((chosen.len(), found.into_iter().map(|edit| format!("{space} {name} ε {epsilon} {edit}")).collect()))
}

#[test]
fn numbers_of_a_value_that_are_edited_are_found() {
    let statistics = StatisticName::ALL.into_iter();
    let has_no_space = |name: &StatisticName| {
        matches!(name, StatisticName::Count | StatisticName::Record | StatisticName::Score | StatisticName::Selection)
    };
    let statistics = statistics.filter(|name| !has_no_space(name));
    let cases: Vec<_> = statistics.flat_map(|name| SPACES.map(|space| (space, name))).collect();
    let of = |(i, (space, name)): (usize, &(&str, StatisticName))| missed_of(space, *name, [0.3, 5.0][i % 2]);
    let all: Vec<(usize, Vec<String>)> = cases.par_iter().enumerate().filter_map(of).collect();
    let count: usize = all.iter().map(|(count, _)| count).sum();
    let missed: Vec<String> = all.into_iter().flat_map(|(_, missed)| missed).collect();
    assert!(count > 150, "{count}");
    // a private number may have any value where nothing else follows from it, such as a cell's number of records
    assert!(50 * missed.len() < count, "{} of {count}:\n{}", missed.len(), missed[..missed.len().min(60)].join("\n"));
}

/// The value of a mean, anywhere in the ball or on the space, whatever the noise: the antipode, a far translation.
#[test]
fn a_value_that_does_not_follow_from_its_coordinates_is_found() {
    for space in SPACES {
        let m = manifold(space);
        for (epsilon, denoise) in [(0.02, None), (2.0, None), (0.02, Some(Denoise::None))] {
            let ball = Ball::at_origin(&*m, 0.45_f64.min(0.2 * m.injectivity_radius())).unwrap();
            let budget = Guarantee::pure(epsilon).unwrap();
            let mechanism = "chart".parse().unwrap();
            let spec = ReleaseSpec { denoise, mechanism, ..spec_of(StatisticName::FrechetMean, &ball, budget) };
            let case = Case { name: space.to_owned(), spec, points: cloud(&m, 20, 0.1, 3), predictors: None };
            let genuine = case.release(&mut ReleaseContext::seeded(4)).unwrap();
            assert_eq!(genuine.verify(), [], "{space} {epsilon}");
            let genuine = json!(genuine);
            let is_free = denoise.is_some() && genuine["noisy_coordinates"].is_null();
            for i in 0..if is_free { 0 } else { 6 } {
                let direction: Vec<f64> = (0..m.dim()).map(|j| ((7 * i + 3 * j) as f64).sin()).collect();
                let far = 0.3 + 0.1 * i as f64;
                let mut edited = genuine.clone();
                edited["value"] = json!(at(&*m, ball.center(), &direction, far));
                let found = Verification::of(&edited).findings;
                assert!(found.iter().any(|finding| !finding.is_of_seed()), "{space} {epsilon} {i}");
                // nor without the coordinates
                edited.as_object_mut().unwrap().remove("noisy_coordinates");
                let found = Verification::of(&edited).findings;
                let is_caught = found.iter().any(|finding| !finding.is_of_seed());
                assert!(is_caught, "{space} {epsilon} {i} without coordinates");
            }
        }
    }
}

/// Far out of a ball of matrices, where their numbers tell little: a center of a cluster, a located center, and the
/// footpoint and the end of a geodesic.
#[test]
fn points_whose_numbers_tell_little_are_found_outside_of_the_ball() {
    let space = "spd-affine-invariant:2";
    let m = manifold(space);
    let far = at(&*m, &origin(&*m), &[1.0, -1.0, 0.4], 21.0);
    let placed = [
        (StatisticName::KMeans, "/clusters/0/center"),
        (StatisticName::Ball, "/center"),
        (StatisticName::GeodesicRegression, "/footpoint"),
        (StatisticName::GeodesicRegression, "/shooting_vector"),
    ];
    for (statistic, place) in placed {
        let mut edited = release(space, statistic, 5.0).unwrap();
        assert_eq!(Verification::of(&edited).findings.iter().filter(|finding| !finding.is_of_seed()).count(), 0);
        let planted = match place {
            "/shooting_vector" => {
                edited["shooting_vector"].as_array().unwrap().iter().map(|x| json!(1e4 * x.as_f64().unwrap())).collect()
            }
            _ => far.iter().map(|x| json!(x)).collect::<Vec<_>>(),
        };
        *edited.pointer_mut(place).unwrap_or_else(|| panic!("{statistic}")) = json!(planted);
        let found = Verification::of(&edited).findings;
        assert!(found.iter().any(|finding| !finding.is_of_seed()), "{statistic} {place}");
    }
}

/// No flag excuses a value on a flat space, whose numbers are exact.
#[test]
fn a_flag_excuses_no_value_on_a_flat_space() {
    let genuine = release("euclidean:2", StatisticName::FrechetMean, 0.3).unwrap();
    for place in ["value", "noisy_value"].into_iter().filter(|place| !genuine[place].is_null()) {
        for planted in [genuine["ball"]["center"].clone(), json!([1e9, 0.0])] {
            let mut edited = genuine.clone();
            edited[place] = planted;
            edited["flags"].as_array_mut().unwrap().push(json!("beyond-precision"));
            let found = Verification::of(&edited).findings;
            assert!(found.iter().any(|finding| !finding.is_of_seed()), "{place}: {}", edited[place]);
        }
    }
}
