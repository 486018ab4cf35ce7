//! No genuine release is contradicted.

use super::bases::{bases, count, findings};
use super::specs::{Case, every_located_spec, every_spec, extremes, spec_of};
use crate::common::{cloud, is_attack, manifold, some};
use karcher::ReleaseContext;
use karcher::mechanism::{CountPlan, Plan, Randomizer};
use karcher::privacy::Guarantee;
use karcher::release::{Adjacency, PublishedRelease, StatisticName};
use karcher::spec::ReleaseSpec;
use rayon::prelude::*;

/// The findings of the releases of cases, every fifth one with a seed, and how many releases there were.
fn found(cases: &[Case]) -> (Vec<String>, usize) {
    let of = |(i, case): (usize, &Case)| {
        let mut context = if i % 5 == 0 { ReleaseContext::seeded(3) } else { ReleaseContext::from_os().unwrap() };
        let release = case.release(&mut context)?;
        let found = release.verify();
        Some(if found.is_empty() { String::new() } else { format!("{}: {:?}", case.name, found) })
    };
    let all: Vec<String> = cases.par_iter().enumerate().filter_map(of).collect();
    let count = all.len();
    (all.into_iter().filter(|text| !text.is_empty()).collect(), count)
}

/// Of all cases, or for the gate of every third.
fn assert_none(cases: &[Case], least: usize) {
    let (failures, count) = found(&some(cases, 1, 3));
    let least = if is_attack() { least } else { least / 3 };
    assert!(count >= least, "only {count} releases");
    let some = failures[..failures.len().min(40)].join("\n");
    assert!(failures.is_empty(), "{} of {count} releases, such as\n{some}", failures.len());
}

#[test]
fn no_release_in_a_known_ball_is_contradicted() {
    assert_none(&every_spec(), 500);
}

#[test]
fn no_release_in_a_located_ball_is_contradicted() {
    assert_none(&every_located_spec(), 200);
}

/// Tiny and huge balls and budgets, far from the origin: lattices far coarser and far finer than a double resolves.
#[test]
fn no_extreme_release_is_contradicted() {
    let radii: [(&str, &[f64]); 12] = [
        ("euclidean:2", &[1e-9, 1.0, 1e12]),
        ("sphere:1", &[1e-8, 1e-4, 1.5]),
        ("sphere:20", &[1e-6, 1.5]),
        ("kendall:12", &[1e-5, 0.75]),
        ("hyperbolic:2", &[1e-6, 1.0, 5.0, 10.0]),
        ("hyperbolic:1", &[1e-6, 5.0, 30.0]),
        ("spd-affine-invariant:2", &[1e-6, 1e-2, 5.0, 12.0]),
        ("spd-affine-invariant:5", &[1e-3, 8.0]),
        ("spd-log-euclidean:3", &[1e-3, 8.0, 41.0]),
        ("torus:2", &[1e-5, 1.5]),
        ("rotations:3", &[1e-4, 1.0]),
        ("hyperbolic:2*euclidean:1", &[1e-4, 4.0]),
    ];
    let mut cases = vec![];
    for (space, radii) in radii {
        let m = manifold(space);
        for radius in radii {
            for far in [0.0, 0.7] {
                cases.extend(extremes(&m, *radius, far));
            }
        }
    }
    assert_none(&cases, 400);
}

/// Noise far below the last bits of the value: the error of a point may be 0, and that of a point next to it not.
#[test]
fn errors_of_a_few_last_bits_contradict_nothing() {
    let name = "spd-affine-invariant:2 12 0.7 median-flow pure differential privacy with epsilon 1000000000000.0";
    let cases = extremes(&manifold("spd-affine-invariant:2"), 12.0, 0.7);
    let case = cases.iter().find(|case| case.name == format!("{name} replace-one")).unwrap();
    for seed in [7_902, 9_910, 14_525, 18_427] {
        let release = case.release(&mut ReleaseContext::seeded(seed)).unwrap();
        assert_eq!(release.verify(), [], "{seed}");
    }
}

#[test]
fn no_count_is_contradicted() {
    for (name, budget) in crate::common::every::budgets() {
        for n in [0, 3, 100_000] {
            let release = CountPlan::new(budget).unwrap().run_on(n, &mut ReleaseContext::from_os().unwrap()).unwrap();
            assert_eq!(release.verify(), [], "{name} {n}");
        }
    }
}

#[test]
fn no_record_that_was_randomized_at_home_is_contradicted() {
    for (space, radius) in crate::common::every::SPACES {
        let m = manifold(space);
        let ball = karcher::Ball::at_origin(&*m, radius).unwrap();
        for (name, budget) in crate::common::every::budgets() {
            let plan = Randomizer::new(m.clone(), ball.clone(), budget).unwrap();
            let release = plan.run(&cloud(&m, 1, 0.5, 9), &mut ReleaseContext::from_os().unwrap()).unwrap();
            assert_eq!(PublishedRelease::from(release).verify(), [], "{space} {name}");
        }
    }
}

/// Another version may have drawn more noise, and `auto` may have chosen another mechanism there.
#[test]
fn a_release_of_another_version_needs_enough_noise_and_not_the_same() {
    for base in bases().into_iter().chain([count()]) {
        let mut json = base.json.clone();
        json["karcher"] = "0.0.1".into();
        // no other version wrote such releases so far, and that is the only contradiction
        let edited = ["karcher"];
        assert_eq!(findings(base.name, &json), edited, "{}", base.name);
        let larger = |x: &serde_json::Value| serde_json::json!(1.5 * x.as_f64().unwrap());
        if base.name == "plain" {
            json["scale"] = larger(&json["scale"]);
            json["noise"][0]["scale"] = larger(&json["noise"][0]["scale"]);
            assert_eq!(findings(base.name, &json), edited, "more noise");
            json["karcher"] = env!("CARGO_PKG_VERSION").into();
            assert!(findings(base.name, &json).contains(&"scale".to_owned()), "this version draws less");
        }
        if base.name == "laplace" {
            json["spec"]["mechanism"] = "auto".into();
            assert_eq!(findings(base.name, &json), edited, "auto may have chosen it");
            json["spec"]["numerics"] = "exact".into();
            assert_eq!(findings(base.name, &json), ["karcher", "spec"], "but not by exact numerics");
        }
    }
}

/// Far more records than were guessed: the published number, which many drawn ones have in common, is computed again
/// as it was, in its tails too.
#[test]
fn no_release_of_far_more_records_than_guessed_is_contradicted() {
    for (space, guess, n) in [("sphere:2", 3, 2_000), ("spd-affine-invariant:2", 8, 4_000), ("hyperbolic:2", 40, 1)] {
        let m = manifold(space);
        let (ball, budget) = (karcher::Ball::at_origin(&*m, 0.5).unwrap(), Guarantee::pure(0.05).unwrap());
        let spec = ReleaseSpec {
            adjacency: Adjacency::AddRemove,
            n_guess: Some(guess),
            ..spec_of(StatisticName::FrechetMean, &ball, budget)
        };
        let case = Case { name: space.to_owned(), spec, points: cloud(&m, n, 0.3, 3), predictors: None };
        for seed in 0..60 {
            let release = case.release(&mut ReleaseContext::seeded(seed)).unwrap();
            let found: Vec<_> = release.verify().into_iter().filter(|finding| !finding.is_of_seed()).collect();
            assert_eq!(found, [], "{space} {guess} {seed}");
        }
    }
}
