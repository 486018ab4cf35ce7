//! The promise of a release follows from its noise, is covered by its privacy event, and is counted by an account. The
//! promise of several releases is computed from all of them. Planted mistakes are found.

use crate::common;
use crate::common::every::{N, budgets, every_case, every_located};
use crate::common::{cloud, manifold};
use karcher::mechanism::{LocatedMean, Plan, PrivateFrechetMean, PrivateLocation, Request, Spread};
use karcher::privacy::Guarantee;
use karcher::release::{
    Accountant, Adjacency, Flag, LedgerEntry, MechanismName, Numerics, PrivacyEvent, PrivacyUnit, Promise,
    PublishedRelease, Release,
};
use karcher::sampler::Generator;
use karcher::{Ball, BudgetReservation, Error, Manifold, Points, ReleaseContext, Result};
use rayon::prelude::*;
use std::sync::{Arc, Mutex};

/// Records the events that it is asked to count.
#[derive(Default)]
struct Written(Mutex<Vec<PrivacyEvent>>);

impl Accountant for Written {
    type Error = Error;

    fn reserve(&self, event: &PrivacyEvent) -> Result<LedgerEntry> {
        let mut all = self.0.lock().unwrap();
        all.push(event.clone());
        Ok(LedgerEntry { ledger: "test".to_owned(), entry: all.len() as u64 })
    }
}

fn context(event: &PrivacyEvent) -> ReleaseContext {
    ReleaseContext::new(BudgetReservation::reserve(&Written::default(), event).unwrap(), Generator::from_os().unwrap())
}

/// A law of every release: its noise implies its guarantee, part by part, and its privacy event states it.
fn check(release: Release, event: &PrivacyEvent) -> Result<(), String> {
    let how = release.provenance().clone();
    let holds = |is_so: bool, law: &str| if is_so { Ok(()) } else { Err(format!("{law}: {how:?} {event:?}")) };
    holds(how.guarantee.implies(event.guarantee), "the guarantee is announced")?;
    holds((how.unit, how.adjacency) == (event.unit, event.adjacency), "unit and neighbours are announced")?;
    holds(how.numerics.weaker(event.numerics) == event.numerics, "numerics are announced")?;
    let is_announced = |flag: &Flag| !flag.is_assumption() || event.flags.contains(flag);
    holds(how.flags.iter().all(is_announced), "assumptions are announced")?;
    for part in &event.parts {
        holds(part.guarantee.implies(event.guarantee), "no part spends more than the whole")?;
        holds(part.numerics.weaker(event.numerics) == event.numerics, "no part is weaker than the whole")?;
    }
    holds(how.ledger.as_ref().map(|at| at.entry) == Some(1), "the entry is in the release")?;
    let published = PublishedRelease::from(release);
    published.check_guarantee().map_err(|error| format!("the noise keeps what is stated: {error} {:?}", how.noise))?;

    // a draw with a hundredth of its noise is found
    for draw in 0..how.noise.len() {
        let mut planted = published.clone();
        planted.provenance.noise[draw].scale /= 100.0;
        holds(planted.check_guarantee().is_err(), "too little noise is found")?;
    }
    let mut silent = published;
    silent.provenance.noise.clear();
    holds(silent.check_guarantee().is_err(), "noise that is not listed is missed")
}

/// All failures, each with the name of its case.
fn assert_none(failures: Vec<String>) {
    assert!(
        failures.is_empty(),
        "{} failures, such as\n{}",
        failures.len(),
        failures[..failures.len().min(12)].join("\n")
    );
}

#[test]
fn every_release_states_what_its_noise_keeps_and_what_was_announced() {
    let cases = every_case();
    assert!(cases.len() > 600, "{}", cases.len());
    let one = |case: &common::every::Case| -> Result<(), String> {
        let event = case.plan.summary().event();
        let release = case.release(&mut context(&event)).map_err(|error| error.to_string())?;
        assert!(release.guarantee().implies(case.budget) && release.adjacency() == case.adjacency, "{}", case.name);
        check(release, &event)
    };
    let failed = |case| one(case).err().map(|error| format!("{}: {error}", case.name));
    let mut failures: Vec<String> = cases.par_iter().filter_map(failed).collect();
    every_located(|name, budget, mean, run| {
        let event = mean.summary().event();
        assert_eq!(event.guarantee, budget, "{name}");
        let release = run(&mut context(&event)).map_err(|error| error.to_string());
        failures.extend(release.and_then(|release| check(release, &event)).err().map(|e| format!("{name}: {e}")));
    });
    assert_none(failures);
}

/// A release context that was opened for less is rejected by every plan, and no noise is drawn.
#[test]
fn no_plan_draws_noise_in_a_context_reserved_for_less() {
    let wrong = |case: &common::every::Case| -> Option<String> {
        let event = case.plan.summary().event();
        let other = match event.adjacency {
            Adjacency::ReplaceOne => Adjacency::AddRemove,
            _ => Adjacency::ReplaceOne,
        };
        for planted in [
            PrivacyEvent { guarantee: pure(1e-3), ..event.clone() },
            PrivacyEvent { also: vec![Guarantee::concentrated(1e-9).unwrap()], ..event.clone() },
            PrivacyEvent { adjacency: other, ..event.clone() },
            PrivacyEvent { unit: PrivacyUnit::Person, ..event.clone() },
        ] {
            let mut context = context(&planted);
            let refused = case.release(&mut context);
            // the reservation is not used: it still holds a promise
            let is_kept = format!("{:?}", context.into_parts().0).contains("Promise");
            if !matches!(refused, Err(Error::NotPermitted { .. })) || !is_kept {
                return Some(format!("{}: {refused:?}", case.name));
            }
        }
        None
    };
    assert_none(every_case().par_iter().filter_map(wrong).collect());
}

fn line() -> (Arc<dyn Manifold>, Points, PrivateLocation) {
    let line = manifold("euclidean:1");
    let points = cloud(&line, 200, 1.0, 3);
    let location = PrivateLocation::new(line.clone(), Ball::at_origin(&*line, 50.0).unwrap()).unwrap();
    (line, points, location)
}

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::pure(epsilon).unwrap()
}

/// A mean that cannot be had in a located ball is refused when it is planned.
#[test]
fn a_located_mean_is_clipped_and_has_a_public_number_of_records() {
    let (line, _, location) = line();
    let mean = PrivateFrechetMean::new(line, location.ball().clone()).unwrap();
    let request = |mean: PrivateFrechetMean| Request::new(mean, 200, pure(1.0));
    let unclipped = request(mean.clone().assume_in_ball(true));
    let add_remove = request(mean.clone()).adjacency(Adjacency::AddRemove);
    let refused = |request: &Request| LocatedMean::new(&location, request, None).unwrap_err();
    assert_eq!(refused(&unclipped).parameter(), Some("assume_in_ball"));
    assert!(refused(&add_remove).to_string().contains("there is no proof for add-remove neighbours"));
    assert!(LocatedMean::new(&location, &request(mean), None).is_ok());
}

/// The privacy event of a located mean is computed from its location and its mean.
#[test]
fn idealized_numerics_of_the_mean_are_those_of_the_located_mean() {
    let sphere = manifold("sphere:2");
    let location = PrivateLocation::new(sphere.clone(), Ball::at_origin(&*sphere, 1.0).unwrap()).unwrap();
    let request =
        Request::new(PrivateFrechetMean::new(sphere.clone(), location.ball().clone()).unwrap(), 500, pure(10.0));
    let mean = LocatedMean::new(&location, &request, Some(MechanismName::Laplace)).unwrap();
    let event = mean.summary().event();
    assert_eq!(event.numerics, Numerics::Idealized);
    assert_eq!(event.parts.len(), 3);
    assert_eq!(event.parts.iter().map(|part| part.numerics).max(), Some(Numerics::Idealized));
    assert_eq!((event.mechanism, event.scale, event.sensitivity), (Some(MechanismName::Locate), None, None));
    let points = cloud(&sphere, 500, 0.3, 5);
    let release = mean.run(&points, &mut context(&event)).unwrap();
    assert_eq!(release.provenance().numerics, Numerics::Idealized);
}

/// Plans of groups; some keep pure ε although a δ was given.
fn of_groups(budget: Guarantee) -> Vec<Box<dyn Plan>> {
    let space = manifold("euclidean:2");
    let plan = |guess: usize| {
        let mean = PrivateFrechetMean::new(space.clone(), Ball::at_origin(&*space, 1.0).unwrap()).unwrap();
        let request = Request::new(mean, guess, budget).adjacency(Adjacency::AddRemove);
        if guess < 100 { request.spread(Some(Spread::default())).plan().unwrap() } else { request.plan().unwrap() }
    };
    vec![plan(1_000), plan(10), plan(50)]
}

#[test]
fn groups_promise_what_covers_each_of_them_in_every_order() {
    let space = manifold("euclidean:2");
    let points = cloud(&space, N, 0.5, 9);
    let mut mixed = false;
    for (_, budget) in budgets() {
        let plans = of_groups(budget);
        let orders = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]];
        let mut found: Vec<(PrivacyEvent, Promise)> = vec![];
        for order in orders {
            let event: Vec<PrivacyEvent> = order.iter().map(|i| plans[*i].summary().event()).collect();
            let all = PrivacyEvent::of_disjoint(&event).unwrap();
            let mut context = context(&all);
            let releases: Vec<Release> = order.iter().map(|i| plans[*i].run(&points, &mut context).unwrap()).collect();
            assert!(plans[0].run(&points, &mut context).is_err(), "a release for each part, and no more");
            let promises: Vec<Promise> = releases.iter().map(|release| release.provenance().promise()).collect();
            let together = Promise::of_disjoint(&promises).unwrap();
            for release in &releases {
                assert!(release.guarantee().implies(together.guarantee()));
                assert!(release.guarantee().implies(all.guarantee));
                mixed |= release.guarantee() != together.guarantee();
            }
            assert!(together.guarantee().implies(budget) && all.costs() == [all.guarantee]);
            found.push((all, together));
        }
        for (all, together) in &found[1..] {
            assert_eq!((all.guarantee, all.numerics), (found[0].0.guarantee, found[0].0.numerics));
            assert_eq!(together, &found[0].1);
        }
        // persons who may be in all of them: every part counts
        let event: Vec<PrivacyEvent> = plans.iter().map(|plan| plan.summary().event()).collect();
        let all = PrivacyEvent::of_overlapping(&event).unwrap();
        assert_eq!(all.costs(), plans.iter().map(|plan| plan.guarantee()).collect::<Vec<_>>());
        assert!(plans.iter().all(|plan| plan.guarantee().implies(all.guarantee)));
    }
    assert!(mixed, "some group keeps more than all of them together");
}

/// A planted mistake: the guarantee of the first group is stated for all.
#[test]
fn the_guarantee_of_the_first_group_does_not_permit_the_others() {
    let space = manifold("euclidean:2");
    let points = cloud(&space, N, 0.5, 9);
    let plans = of_groups(Guarantee::approximate(1.0, 1e-6).unwrap());
    let parts: Vec<PrivacyEvent> = plans.iter().map(|plan| plan.summary().event()).collect();
    let first = parts[0].guarantee;
    assert!(!parts[1].guarantee.implies(first), "the first keeps more than the second");
    let planted = PrivacyEvent { guarantee: first, ..PrivacyEvent::of_disjoint(&parts).unwrap() };
    let mut context = context(&planted);
    plans[0].run(&points, &mut context).unwrap();
    let refused = plans[1].run(&points, &mut context).unwrap_err().to_string();
    assert!(refused.contains("its reservation is for pure differential privacy with epsilon 1.0"), "{refused}");
}

/// A privacy event whose public fields were edited reserves no more than an account counts.
#[test]
fn an_edited_announcement_permits_no_more_than_is_counted() {
    let space = manifold("euclidean:2");
    let points = cloud(&space, N, 0.5, 9);
    let plans = of_groups(pure(100.0));
    let parts: Vec<PrivacyEvent> = plans.iter().map(|plan| plan.summary().event()).collect();
    let one = parts[0].clone();
    let all = PrivacyEvent::of_overlapping(&parts).unwrap();
    let mut shrunk = all.clone();
    shrunk.parts.iter_mut().for_each(|part| part.guarantee = pure(1e-3));
    let edited = [
        PrivacyEvent { spent_by_each: true, ..one.clone() },
        PrivacyEvent { groups: Some(1), ..one.clone() },
        PrivacyEvent { groups: Some(1), spent_by_each: true, ..one.clone() },
        PrivacyEvent { guarantee: pure(1e-3), ..one },
        PrivacyEvent { guarantee: pure(1e-3), ..all.clone() },
        PrivacyEvent { guarantee: pure(1e-3), spent_by_each: false, ..all.clone() },
        PrivacyEvent { parts: vec![], ..all.clone() },
        shrunk,
    ];
    for event in edited {
        let counted: f64 = event.costs().iter().map(|cost| cost.epsilon(1e-9).unwrap()).sum();
        let mut context = context(&event);
        let released: f64 = (plans.iter().filter_map(|plan| plan.run(&points, &mut context).ok()))
            .map(|release| release.guarantee().epsilon(1e-9).unwrap())
            .sum();
        assert!(released <= counted * (1.0 + 1e-12), "{released} {counted} {event:?}");
    }
    let mut filter = karcher::privacy::Filter::new(pure(1.0)).unwrap();
    assert!(filter.spend_all(&[]).is_err());
    // and notes nothing better than what is released
    let planted =
        PrivacyEvent { numerics: Numerics::Exact, flags: vec![], ..PrivacyEvent::of_disjoint(&parts).unwrap() };
    assert_eq!(planted.of(PrivacyUnit::Person).unit, PrivacyUnit::Record, "a person may be in several groups");
}

/// A list of draws that no release has is refused, and no reason to count for ever.
#[test]
fn absurd_numbers_of_draws_are_refused() {
    let plan = &of_groups(pure(1.0))[0];
    let points = cloud(&manifold("euclidean:2"), N, 0.5, 9);
    let release = PublishedRelease::from(plan.run(&points, &mut ReleaseContext::seeded(1)).unwrap());
    release.check_guarantee().unwrap();
    for times in [0, 2, 1_000_001, usize::MAX] {
        let mut planted = release.clone();
        planted.provenance.noise[0].draws = times;
        assert!(planted.check_guarantee().is_err(), "{times}");
    }
    let mut planted = release;
    planted.provenance.scale *= 2.0;
    assert!(planted.check_guarantee().is_err(), "its draws have another scale");
}

/// Promises of releases of several kinds are not combined.
#[test]
fn releases_of_other_neighbours_or_units_are_not_combined() {
    let plans = of_groups(pure(1.0));
    let one = plans[0].summary().event();
    let person = one.clone().of(PrivacyUnit::Person).promise();
    assert!(Promise::of_disjoint(&[one.promise(), person]).is_err());
    let replaced = PrivacyEvent { adjacency: Adjacency::ReplaceOne, ..one.clone() }.promise();
    assert!(Promise::of_overlapping(&[one.promise(), replaced]).is_err());
    assert!(Promise::of_disjoint(&[]).is_err());
    let assumed = PrivacyEvent { flags: vec![Flag::AssumedInBall], ..one.clone() }.promise();
    for pair in [[one.promise(), assumed.clone()], [assumed, one.promise()]] {
        assert_eq!(Promise::of_disjoint(&pair).unwrap().flags(), [Flag::AssumedInBall]);
    }
}

/// An assumption of a release that its privacy event did not state.
#[test]
fn an_assumption_that_was_not_announced_is_refused() {
    let (line, points, _) = line();
    let plan = |assumed| {
        let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 9.0).unwrap()).unwrap();
        Request::new(mean.assume_in_ball(assumed), 200, pure(1.0)).plan().unwrap()
    };
    let event = plan(false).summary().event();
    let refused = plan(true).run(&points, &mut context(&event)).unwrap_err().to_string();
    assert!(refused.contains("assumed-in-ball"), "{refused}");
    let own = plan(true).summary().event();
    assert!(own.flags.contains(&Flag::AssumedInBall));
    let release = plan(true).run(&points, &mut context(&own)).unwrap();
    assert!(release.flags().contains(&Flag::AssumedInBall));
}
