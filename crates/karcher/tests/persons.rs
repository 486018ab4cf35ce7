//! Persons: their contributions, and their protection.

use karcher::manifold::Manifold;
use karcher::mechanism::{Plan, PrivateFrechetMean, PrivateRegression, Request};
use karcher::nonprivate::{FrechetMean, Persons};
use karcher::privacy::Guarantee;
use karcher::records::{Contributions, Observations, Records};
use karcher::release::{MechanismName, PrivacyUnit};
use karcher::{Ball, Points, PredictorRange, ReleaseContext, Space};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

const SPACES: [(&str, f64); 8] = [
    ("euclidean:3", 1.0),
    ("sphere:2", 0.7),
    ("hyperbolic:2", 2.0),
    ("spd-log-euclidean:2", 1.0),
    ("spd-affine-invariant:3", 1.5),
    ("kendall:4", 0.4),
    ("rotations:3", 0.7),
    ("sphere:2*euclidean:1", 0.7),
];

fn space(name: &str) -> Arc<dyn Manifold> {
    name.parse::<Space>().unwrap().manifold().unwrap()
}

/// Records about the origin, with the key of each. Some are clipped to a ball of the radius.
fn scattered(space: &Arc<dyn Manifold>, radius: f64, n: usize, seed: u64) -> (Vec<u64>, Points) {
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(seed);
    let mut origin = vec![0.0; space.point_len()];
    space.origin(&mut origin);
    let mut values = vec![];
    let (mut v, mut x) = (origin.clone(), origin.clone());
    for _ in 0..n {
        let coordinates: Vec<f64> = (0..space.dim())
            .map(|_| rng.random_range(-1.0..1.0) * 1.2 * radius / (space.dim() as f64).sqrt())
            .collect();
        space.from_frame(&origin, &coordinates, &mut v);
        space.exp(&origin, &v, &mut x);
        values.extend_from_slice(&x);
    }
    let keys = (0..n).map(|_| rng.random_range(0..n as u64 / 4 + 1)).collect();
    (keys, Points::new(&**space, values).unwrap())
}

fn reduced(space: &Arc<dyn Manifold>, ball: &Ball, keys: &[u64], points: &Points) -> Contributions {
    let mut persons = Persons::new(space.clone(), ball).unwrap();
    persons.add(keys.iter().copied(), Observations::new(points)).unwrap();
    persons.contributions().unwrap()
}

fn bits(contributions: &Contributions) -> Vec<u64> {
    contributions.points().values().iter().map(|x| x.to_bits()).collect()
}

fn rows(points: &Points, which: &[usize]) -> Vec<f64> {
    let len = points.view().values().len() / points.len();
    which.iter().flat_map(|i| points.view().values()[i * len..][..len].to_vec()).collect()
}

#[test]
fn contributions_are_the_same_bits_in_any_order_and_any_batches() {
    for (name, radius) in SPACES {
        let space = space(name);
        let ball = Ball::at_origin(&*space, radius).unwrap();
        let (keys, points) = scattered(&space, radius, 60, 1);
        let expected = bits(&reduced(&space, &ball, &keys, &points));
        let mut order: Vec<usize> = (0..keys.len()).collect();
        let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(2);
        for batch in [60, 7, 1] {
            order.shuffle(&mut rng);
            let mut persons = Persons::new(space.clone(), &ball).unwrap();
            for rows_of_batch in order.chunks(batch) {
                let values = rows(&points, rows_of_batch);
                let some = karcher::PointsView::new(&*space, &values).unwrap().unwrap();
                persons.add(rows_of_batch.iter().map(|i| keys[*i]), Observations::new(some)).unwrap();
            }
            assert_eq!(bits(&persons.contributions().unwrap()), expected, "{name} in batches of {batch}");
        }
        // one thread
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| bits(&reduced(&space, &ball, &keys, &points))), expected, "{name}");
    }
}

#[test]
fn a_person_contributes_the_mean_of_the_clipped_records_or_the_only_record() {
    for (name, radius) in SPACES {
        let space = space(name);
        let ball = Ball::at_origin(&*space, radius).unwrap();
        let (mut keys, points) = scattered(&space, radius, 40, 3);
        keys[39] = 1_000; // somebody with one record
        let contributions = reduced(&space, &ball, &keys, &points);
        let mut known: Vec<u64> = keys.clone();
        known.sort_unstable();
        known.dedup();
        assert_eq!((contributions.count(), contributions.unit()), (known.len(), PrivacyUnit::Person));
        for (key, found) in known.iter().zip(contributions.points().iter()) {
            let own: Vec<usize> = (0..keys.len()).filter(|i| keys[*i] == *key).collect();
            let records = rows(&points, &own);
            if own.len() == 1 {
                assert_eq!(found, records, "{name}");
                continue;
            }
            let clipped = ball.clip_all(&*space, &Points::new(&*space, records).unwrap()).unwrap();
            let mean = FrechetMean::new(&*space).fit(clipped.view()).unwrap();
            assert!(space.dist(&mean, found) < 1e-9 * radius, "{name}: off by {}", space.dist(&mean, found));
        }
    }
}

#[test]
fn there_is_a_contribution_whatever_the_records_are() {
    let sphere = space("sphere:2");
    let everywhere = Ball::at_origin(&*sphere, 4.0).unwrap();
    let antipodes = [1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0];
    for values in [&antipodes[..6], &antipodes[..12], &antipodes[6..], &antipodes[..], &antipodes[3..9]] {
        let points = Points::new(&*sphere, values.to_vec()).unwrap();
        let contributions = reduced(&sphere, &everywhere, &vec![1; points.len()], &points);
        sphere.check_point(contributions.points().values()).unwrap();
    }
    for (name, far) in [("hyperbolic:2", 20.0), ("euclidean:2", 1e140), ("spd-log-euclidean:2", 12.0)] {
        let space = space(name);
        let ball = Ball::at_origin(&*space, far).unwrap();
        let (_, points) = scattered(&space, far, 12, 4);
        let contributions = reduced(&space, &ball, &[1; 12], &points);
        space.check_point(contributions.points().values()).unwrap();
    }
}

/// Where the outer ball is the whole space, records on its far side are reduced like all others.
#[test]
fn records_far_from_the_center_of_an_outer_ball_have_their_own_mean() {
    let sphere = space("sphere:2");
    let everywhere = Ball::at_origin(&*sphere, 3.2).unwrap();
    let around =
        |t: f64| [-t.cos(), t.sin(), 0.0, -t.cos(), -t.sin(), 0.0, -t.cos(), 0.0, t.sin(), -t.cos(), 0.0, -t.sin()];
    let points = Points::new(&*sphere, around(0.3).to_vec()).unwrap();
    let contributions = reduced(&sphere, &everywhere, &[1; 4], &points);
    assert!(sphere.dist(contributions.points().values(), &[-1.0, 0.0, 0.0]) < 1e-9);
}

#[test]
fn whoever_changes_records_changes_the_own_contribution_alone() {
    for (name, radius) in SPACES {
        let space = space(name);
        let ball = Ball::at_origin(&*space, radius).unwrap();
        let (keys, points) = scattered(&space, radius, 60, 5);
        let before = reduced(&space, &ball, &keys, &points);
        let person = keys[0];
        let place = {
            let mut known = keys.clone();
            known.sort_unstable();
            known.dedup();
            known.iter().position(|key| *key == person).unwrap()
        };
        let others: Vec<usize> = (0..keys.len()).filter(|i| keys[*i] != person).collect();
        for own in [1, 3, 17] {
            let (_, new) = scattered(&space, radius, own, 6 + own as u64);
            let values = [rows(&points, &others), new.view().values().to_vec()].concat();
            let new_keys: Vec<u64> = others.iter().map(|i| keys[*i]).chain(std::iter::repeat_n(person, own)).collect();
            let after = reduced(&space, &ball, &new_keys, &Points::new(&*space, values).unwrap());
            assert_eq!(before.count(), after.count());
            let changed: Vec<usize> = (before.points().iter().zip(after.points().iter()).enumerate())
                .filter(|(_, (a, b))| a != b)
                .map(|(i, _)| i)
                .collect();
            assert_eq!(changed, [place], "{name} with {own} records");
        }
    }
}

#[test]
fn predictors_are_clamped_and_averaged_whatever_their_order() {
    let line = space("euclidean:1");
    let ball = Ball::at_origin(&*line, 1.0).unwrap();
    let range = PredictorRange::new(-1.0, 1.0).unwrap();
    let points = Points::new(&*line, vec![0.5; 5]).unwrap();
    let of = |predictors: &[f64], keys: [u32; 5]| {
        let mut persons = Persons::new(line.clone(), &ball).unwrap().predictors(range);
        persons.add(keys, Observations::new(&points).with_predictors(predictors).unwrap()).unwrap();
        persons.contributions().unwrap().predictors().unwrap().to_vec()
    };
    let found = of(&[0.1, 0.2, 0.3, 7.0, 0.7], [1, 1, 1, 1, 2]);
    assert!((found[0] - 0.4).abs() < 1e-15 && found[1] == 0.7);
    assert_eq!(found, of(&[7.0, 0.7, 0.3, 0.1, 0.2], [1, 2, 1, 1, 1]));
    let mut persons = Persons::new(line.clone(), &ball).unwrap().predictors(range);
    assert!(persons.add([1, 2, 3, 4, 5], Observations::new(&points)).is_err());
}

/// With one record for each person, a release of persons is that of records, and states its privacy unit.
#[test]
fn persons_of_one_record_each_are_released_as_records_are() {
    for (name, radius) in SPACES {
        let space = space(name);
        let ball = Ball::at_origin(&*space, radius).unwrap();
        let (_, points) = scattered(&space, radius, 30, 7);
        let keys: Vec<u64> = (0..30).collect();
        let mean = PrivateFrechetMean::new(space.clone(), ball.clone()).unwrap();
        let plan = Request::new(mean, 30, Guarantee::pure(1.0).unwrap()).plan().unwrap();
        let persons = reduced(&space, &ball, &keys, &points);
        let of_persons = plan.run(&persons, &mut ReleaseContext::seeded(1)).unwrap();
        let of_records = plan.run(&points, &mut ReleaseContext::seeded(1)).unwrap();
        assert_eq!(of_persons.value(), of_records.value(), "{name}");
        assert_eq!(
            (of_persons.provenance().unit, of_records.provenance().unit),
            (PrivacyUnit::Person, PrivacyUnit::Record)
        );
    }
}

#[test]
fn a_regression_takes_persons() {
    let line = space("euclidean:1");
    let ball = Ball::at_origin(&*line, 1.0).unwrap();
    let range = PredictorRange::new(0.0, 1.0).unwrap();
    let (n, each) = (2_000_usize, 3);
    let at = |i: usize| (i / each) as f64 / n as f64;
    let values: Vec<f64> = (0..n * each).map(|i| at(i) - 0.5 + 0.1 * ((i % each) as f64 - 1.0)).collect();
    let predictors: Vec<f64> = (0..n * each).map(at).collect();
    let points = Points::new(&*line, values).unwrap();
    let mut persons = Persons::new(line.clone(), &ball).unwrap().predictors(range);
    let records = Observations::new(&points).with_predictors(&predictors).unwrap();
    persons.add((0..n * each).map(|i| i / each), records).unwrap();
    let regression = PrivateRegression::new(line.clone(), ball, range, 2.0).unwrap();
    let plan = Request::new(regression, n, Guarantee::pure(2.0).unwrap()).plan().unwrap();
    let release = plan.run(&persons.contributions().unwrap(), &mut ReleaseContext::seeded(3)).unwrap();
    assert_eq!(release.provenance().unit, PrivacyUnit::Person);
    assert!((release.geodesic().unwrap().shooting_vector[0] - 1.0).abs() < 0.1);
}

/// Neighbours differ in all five records of one person. If twenty persons are planned for, the chance of an event is at
/// most `e^ε` times as large for one as for the other. If, by mistake, a hundred records are planned for, it is
/// `e^{5ε}` times as large, and the same test detects that. Correct code fails with a probability below 1e-6: 4,000
/// draws of each leave a standard deviation of 0.019 of the difference, and 0.1 is allowed.
#[test]
fn a_person_of_five_records_is_protected_and_records_alone_would_not_protect_it() {
    const DRAWS: u64 = 4_000;
    let line = space("euclidean:1");
    let ball = Ball::at_origin(&*line, 1.0).unwrap();
    let keys: Vec<u64> = (0..100).map(|i| i / 5).collect();
    let data = |own: f64| Points::new(&*line, [vec![own; 5], vec![0.0; 95]].concat()).unwrap();
    let budget = Guarantee::pure(1.0).unwrap();
    let leak = |plan: &dyn Plan, a: &dyn Records, b: &dyn Records, threshold: f64| {
        let share = |records: &dyn Records, seed: u64| {
            let above = (0..DRAWS).filter(|draw| {
                let release = plan.run(records, &mut ReleaseContext::seeded(seed + draw)).unwrap();
                release.noisy_value().unwrap_or(release.value())[0] > threshold
            });
            above.count() as f64 / DRAWS as f64
        };
        share(a, 0) - 1.0_f64.exp() * share(b, DRAWS)
    };
    let plan = |n: usize| {
        let mean = PrivateFrechetMean::new(line.clone(), ball.clone()).unwrap();
        Request::new(mean, n, budget).plan_by(MechanismName::Laplace).unwrap()
    };
    let [up, down] = [1.0, -1.0].map(data);
    let [a, b] = [&up, &down].map(|points| reduced(&line, &ball, &keys, points));
    // the means of the two are ±1/20, as persons and as records
    let protected = leak(&*plan(20), &a, &b, 0.05);
    assert!(protected < 0.1, "{protected}");
    assert!(protected > -0.1, "the test has its power: the guarantee is used up");
    let mistaken = leak(&*plan(100), &up, &down, 0.05);
    assert!(mistaken > 0.4, "{mistaken}");
}

/// A release may protect only the privacy unit of its reservation.
#[test]
fn a_permit_for_persons_is_none_for_records() {
    use karcher::BudgetReservation;
    use karcher::release::{Accountant, LedgerEntry, PrivacyEvent};
    struct Grants;
    impl Accountant for Grants {
        type Error = karcher::Error;
        fn reserve(&self, _: &PrivacyEvent) -> karcher::Result<LedgerEntry> {
            Ok(LedgerEntry { ledger: "grants".to_owned(), entry: 1 })
        }
    }
    let line = space("euclidean:1");
    let ball = Ball::at_origin(&*line, 1.0).unwrap();
    let mean = PrivateFrechetMean::new(line.clone(), ball.clone()).unwrap();
    let plan = Request::new(mean, 2, Guarantee::pure(1.0).unwrap()).plan().unwrap();
    let points = Points::new(&*line, vec![0.1, 0.2]).unwrap();
    let persons = reduced(&line, &ball, &[1, 2], &points);
    for (unit, records, agrees) in [
        (PrivacyUnit::Person, &persons as &dyn Records, true),
        (PrivacyUnit::Person, &points, false),
        (PrivacyUnit::Record, &persons, false),
        (PrivacyUnit::Record, &points, true),
    ] {
        let reservation = BudgetReservation::reserve(&Grants, &plan.summary().event().of(unit)).unwrap();
        let mut context = ReleaseContext::new(reservation, karcher::sampler::Generator::from_os().unwrap());
        assert_eq!(plan.run(records, &mut context).is_ok(), agrees, "{unit}");
    }
}

/// The spread of a mean of persons counts contributions, whose records were clipped. The release is flagged, and one of
/// records is not.
#[test]
fn a_spread_of_persons_says_that_it_sees_contributions() {
    use karcher::mechanism::Spread;
    use karcher::release::Flag;
    let plane = space("euclidean:2");
    let ball = Ball::at_origin(&*plane, 1.0).unwrap();
    // three records each, all of them fifty times too far out
    let points = Points::new(&*plane, [50.0, 0.0].repeat(900)).unwrap();
    let persons = reduced(&plane, &ball, &(0..900).map(|i| i / 3).collect::<Vec<u64>>(), &points);
    let release = |records: &dyn Records| {
        let mean = PrivateFrechetMean::new(plane.clone(), ball.clone()).unwrap();
        let request = Request::new(mean, records.count(), Guarantee::pure(2.0).unwrap());
        request.spread(Some(Spread::default())).plan().unwrap().run(records, &mut ReleaseContext::seeded(1)).unwrap()
    };
    let (of_persons, of_records) = (release(&persons), release(&points));
    let flagged = |release: &karcher::Release| release.flags().contains(&Flag::ClippedBeforeReduced);
    let outside = |release: &karcher::Release| release.spread().unwrap().fraction_outside.value;
    assert!(flagged(&of_persons) && outside(&of_persons) < 0.1);
    assert!(!flagged(&of_records) && outside(&of_records) > 0.9);
}
