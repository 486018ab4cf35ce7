//! The local model: the guarantee of one record with noise, and the accuracy of a mean of many.

use crate::common::{at, manifold, origin};
use karcher::error::GeometryError;
use karcher::mechanism::{Plan, Randomizer, collect};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::release::{MechanismName, PrivacyUnit, PublishedRelease, StatisticName};
use karcher::sampler::Generator;
use karcher::{Ball, Error, Manifold, Points, ReleaseContext};
use rand::RngExt;
use std::sync::Arc;

fn reports(randomizer: &Randomizer, space: &dyn Manifold, points: &Points, seed: u64) -> Vec<PublishedRelease> {
    let report = |(record, seed): (&[f64], u64)| {
        let record = Points::new(space, record.to_vec()).unwrap();
        randomizer.run(&record, &mut ReleaseContext::seeded(seed)).unwrap().into()
    };
    points.view().iter().zip(seed..).map(report).collect()
}

/// Points of a ball about the origin, most of them on one side.
fn lopsided(space: &dyn Manifold, radius: f64, n: usize, generator: &mut Generator) -> Points {
    let center = origin(space);
    let favourite: Vec<f64> = (0..space.dim()).map(|_| generator.random_range(-1.0..1.0)).collect();
    let one_sided: f64 = generator.random_range(0.0..1.0);
    let mut values = vec![];
    for _ in 0..n {
        let other: Vec<f64> = (0..space.dim()).map(|_| generator.random_range(-1.0..1.0)).collect();
        let direction = if generator.random_bool(one_sided) { &favourite } else { &other };
        values.extend(at(space, &center, direction, radius * generator.random_range(0.0_f64..1.0).powf(0.2)));
    }
    Points::new(space, values).unwrap()
}

/// An event is at most `e^ε` times as likely for one end of the ball as for the other. The test plants a report of
/// twice the `ε`. With 4,000 draws of each the standard deviation is at most 0.028; correct code fails with a
/// probability below 1e-6.
#[test]
fn a_record_at_one_end_of_the_ball_looks_like_one_at_the_other() {
    const DRAWS: u64 = 4_000;
    let line = manifold("euclidean:1");
    let share = |epsilon: f64, x: f64, seed: u64| {
        let budget = Guarantee::pure(epsilon).unwrap();
        let randomizer = Randomizer::new(line.clone(), Ball::at_origin(&*line, 1.0).unwrap(), budget).unwrap();
        let record = Points::new(&*line, vec![x]).unwrap();
        let above = (0..DRAWS)
            .filter(|draw| randomizer.run(&record, &mut ReleaseContext::seeded(seed + draw)).unwrap().value()[0] > 0.0);
        above.count() as f64 / DRAWS as f64
    };
    // a record beyond the edge is one at the edge
    let leak = share(1.0, 7.0, 0) - 1.0_f64.exp() * share(1.0, -7.0, DRAWS);
    assert!(leak.abs() < 0.14, "{leak}: the guarantee is kept, and used up");
    let planted = share(2.0, 1.0, 0) - 1.0_f64.exp() * share(2.0, -1.0, DRAWS);
    assert!(planted > 0.4, "{planted}");
}

#[test]
fn a_report_says_what_it_is_and_is_read_back() {
    for (name, radius) in [("sphere:2", 3.0), ("spd-log-euclidean:2", 2.0), ("hyperbolic:2", 5.0), ("rotations:3", 0.7)]
    {
        let space = manifold(name);
        let ball = Ball::at_origin(&*space, radius).unwrap();
        let randomizer = Randomizer::new(space.clone(), ball, Guarantee::pure(0.5).unwrap()).unwrap();
        assert!((randomizer.scale() / (2.0 * radius / 0.5) - 1.0).abs() < 1e-9);
        let record = Points::new(&*space, origin(&*space)).unwrap();
        let release = randomizer.run(&record, &mut ReleaseContext::seeded(1)).unwrap();
        assert_eq!(
            (release.statistic(), release.n(), release.value().len()),
            (StatisticName::Record, Some(1), space.dim())
        );
        let text = serde_json::to_string(&release).unwrap();
        let read: PublishedRelease = serde_json::from_str(&text).unwrap();
        assert_eq!(read, release.into());
        let two = Points::new(&*space, origin(&*space).repeat(2)).unwrap();
        assert!(randomizer.run(&two, &mut ReleaseContext::seeded(1)).is_err());
    }
}

/// The proved bound of the bias holds for the worst of many lopsided data sets, and some come within a factor of it.
#[test]
fn one_step_from_the_center_ends_within_the_bound_of_the_mean() {
    for (name, radius, sharp) in [
        ("sphere:2", 0.4, 0.1),
        ("sphere:2", 0.75, 0.1),
        ("sphere:3", 1.2, 0.05),
        ("hyperbolic:2", 0.8, 0.05),
        ("hyperbolic:2", 2.0, 0.01),
        ("spd-affine-invariant:2", 1.0, 0.01),
        ("kendall:4", 0.35, 0.02),
    ] {
        let space = manifold(name);
        let ball = Ball::at_origin(&*space, radius).unwrap();
        // so little noise that the bias is all there is
        let randomizer = Randomizer::new(space.clone(), ball, Guarantee::gaussian(1e6).unwrap()).unwrap();
        let mut generator = Generator::seeded(1);
        let mut worst = 0.0_f64;
        for _ in 0..60 {
            let points = lopsided(&*space, radius, 12, &mut generator);
            let collected = collect(&reports(&randomizer, &*space, &points, 1)).unwrap();
            let mean = FrechetMean::new(&*space).fit(points.view()).unwrap();
            let off = space.dist(&mean, &collected.value) - 20.0 * collected.expected_distance;
            worst = worst.max(off / collected.bias_bound.unwrap());
        }
        assert!(worst <= 1.0, "{name} in a ball of {radius}: {worst} of the bound");
        assert!(worst >= sharp, "{name} in a ball of {radius}: {worst} of the bound");
    }
}

/// The expected distance is what it is over 100 collections, to 20 %: four standard deviations at least.
#[test]
fn the_collector_is_off_as_far_as_is_announced() {
    for (name, radius, budget) in [
        ("euclidean:2", 1.0, Guarantee::pure(1.0).unwrap()),
        ("spd-log-euclidean:2", 1.0, Guarantee::gaussian(1.0).unwrap()),
    ] {
        let space = manifold(name);
        let ball = Ball::at_origin(&*space, radius).unwrap();
        let randomizer = Randomizer::new(space.clone(), ball, budget).unwrap();
        let points = Points::new(&*space, origin(&*space).repeat(400)).unwrap();
        let mut off = 0.0;
        let mut event = 0.0;
        for i in 0..100 {
            let collected = collect(&reports(&randomizer, &*space, &points, i * 400)).unwrap();
            off += space.dist(&collected.value, &origin(&*space)) / 100.0;
            event = collected.expected_distance;
            assert_eq!((collected.n, collected.bias_bound), (400, Some(0.0)));
        }
        assert!((off / event - 1.0).abs() < 0.2, "{name}: {off} against {event}");
    }
}

/// The mean of reports about one record is that record, within five standard errors in each coordinate, in the ball and
/// at its edge. The squared error of one is `r²/m² − ‖v‖²`.
#[test]
fn reports_by_direction_have_the_record_as_their_mean() {
    const REPORTS: u64 = 20_000;
    for (dim, share) in [(1, 0.4), (2, 0.0), (3, 0.5), (6, 1.0)] {
        let space = manifold(&format!("euclidean:{dim}"));
        let ball = Ball::at_origin(&*space, 2.0).unwrap();
        let randomizer = Randomizer::new(space.clone(), ball, Guarantee::pure(1.0).unwrap()).unwrap();
        assert_eq!(randomizer.name(), MechanismName::PrivUnit);
        let record: Vec<f64> = (0..dim).map(|i| if i == dim - 1 { -2.0 * share } else { 0.0 }).collect();
        let points = Points::new(&*space, record.clone()).unwrap();
        let (mut mean, mut square) = (vec![0.0; dim], 0.0);
        for seed in 0..REPORTS {
            let report = randomizer.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
            mean.iter_mut().zip(report.value()).for_each(|(mean, x)| *mean += x / REPORTS as f64);
            square += report.value().iter().zip(&record).map(|(x, v)| (x - v).powi(2)).sum::<f64>() / REPORTS as f64;
        }
        let length = randomizer.expected_distance(); // r/m
        let error = 5.0 * length / (REPORTS as f64).sqrt();
        assert!(mean.iter().zip(&record).all(|(mean, v)| (mean - v).abs() < error), "{dim}: {mean:?} {record:?}");
        let expected = length * length - (2.0 * share).powi(2);
        assert!((square / expected - 1.0).abs() < 0.05, "{dim}: {square} {expected}");
    }
}

/// The way with the smaller error at the center of the ball is taken, and says what it keeps.
#[test]
fn the_better_way_is_taken() {
    let way = |dim: usize, budget: Guarantee| {
        let space = manifold(&format!("euclidean:{dim}"));
        let ball = Ball::at_origin(&*space, 1.0).unwrap();
        let plan = Randomizer::new(space, ball, budget).unwrap();
        (plan.name(), plan.guarantee())
    };
    let pure = |epsilon| Guarantee::pure(epsilon).unwrap();
    let both = Guarantee::approximate(1.0, 1e-6).unwrap();
    assert_eq!(way(96, both), (MechanismName::PrivUnit, pure(1.0)), "604 for 6,854");
    assert_eq!(way(6, pure(1.0)), (MechanismName::PrivUnit, pure(1.0)), "34.5 for 168");
    assert_eq!(way(1, pure(8.0)), (MechanismName::Chart, pure(8.0)));
    let normal = Guarantee::gaussian(1.0).unwrap();
    assert_eq!(way(6, normal), (MechanismName::Chart, normal));
}

#[test]
fn mixtures_and_copies_are_refused() {
    let line: Arc<dyn Manifold> = manifold("euclidean:1");
    let of = |radius: f64, epsilon: f64, seed: u64| -> PublishedRelease {
        let ball = Ball::at_origin(&*line, radius).unwrap();
        let randomizer = Randomizer::new(line.clone(), ball, Guarantee::pure(epsilon).unwrap()).unwrap();
        let record = Points::new(&*line, vec![0.3]).unwrap();
        randomizer.run(&record, &mut ReleaseContext::seeded(seed)).unwrap().into()
    };
    // noise is better than a direction for so large an ε, and no two draws of it are equal
    let first = of(1.0, 8.0, 1);
    assert!(collect(&[first.clone(), of(1.0, 8.0, 2)]).is_ok());
    for other in [of(2.0, 8.0, 2), of(1.0, 9.0, 2), first.clone()] {
        assert!(matches!(collect(&[first.clone(), other]), Err(Error::Incomparable { .. })));
    }
    assert_eq!(collect(&[]).unwrap_err(), GeometryError::NoRecords.into());
    let mut weaker = of(1.0, 8.0, 2);
    weaker.provenance.scale *= 0.5;
    assert!(collect(&[first.clone(), weaker]).is_err());
    // what is promised to a record is less than what is promised to a person
    let mut of_person = of(1.0, 8.0, 3);
    of_person.provenance.unit = PrivacyUnit::Person;
    let refused = collect(&[first, of_person.clone()]).unwrap_err().to_string();
    assert!(refused.contains("release 2 protects a person, the first a record"), "{refused}");
    assert_eq!(collect(&[of_person]).unwrap().unit, PrivacyUnit::Person);
}
