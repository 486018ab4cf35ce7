//! No genuine release is contradicted.

use super::specs::{Case, every_located_spec, every_spec};
use crate::common::{cloud, manifold};
use karcher::ReleaseContext;
use karcher::mechanism::{CountPlan, Plan, Randomizer};
use karcher::release::PublishedRelease;
use rayon::prelude::*;

/// The findings of the releases of all cases, each twice, and how many releases there were.
fn found(cases: &[Case]) -> (Vec<String>, usize) {
    let of = |case: &Case| -> Vec<Option<String>> {
        let one = |seed: Option<u64>| {
            let mut context = seed.map_or_else(|| ReleaseContext::from_os().unwrap(), ReleaseContext::seeded);
            let release = case.release(&mut context)?;
            let found = release.verify();
            Some(if found.is_empty() { String::new() } else { format!("{}: {:?}", case.name, found) })
        };
        vec![one(None), one(Some(3))]
    };
    let all: Vec<String> = cases.par_iter().flat_map_iter(of).flatten().collect();
    let count = all.len();
    (all.into_iter().filter(|text| !text.is_empty()).collect(), count)
}

fn assert_none(cases: &[Case], least: usize) {
    let (failures, count) = found(cases);
    assert!(count >= least, "only {count} releases");
    let some = failures[..failures.len().min(12)].join("\n");
    assert!(failures.is_empty(), "{} of {count} releases, such as\n{some}", failures.len());
}

#[test]
fn no_release_in_a_known_ball_is_contradicted() {
    assert_none(&every_spec(), 2_000);
}

#[test]
fn no_release_in_a_located_ball_is_contradicted() {
    assert_none(&every_located_spec(), 800);
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
