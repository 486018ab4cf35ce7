//! The median flow, located balls, and means in them: their cost and their accuracy. Nothing fails after records were
//! read.

use crate::common;
use crate::common::{cloud, manifold, some};
use karcher::audit::{Effort, audit_releases, neighbours};
use karcher::mechanism::{
    FlowToMedian, LocateBall, LocatedMean, Plan, PrivateFrechetMean, PrivateGeometricMedian, PrivateLocation, Request,
};
use karcher::nonprivate::GeometricMedian;
use karcher::privacy::{Definition, Guarantee, compose};
use karcher::records::{Observations, Summand};
use karcher::release::{CenterMethod, Flag, Numerics, PartName, Release};
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, ReleaseContext, Result};
use std::sync::Arc;

fn budgets() -> [Guarantee; 4] {
    [Guarantee::pure(1.0), Guarantee::approximate(1.0, 1e-6), Guarantee::gaussian(0.5), Guarantee::concentrated(0.3)]
        .map(Result::unwrap)
}

/// A public outer ball: far wider than clouds are, and everything where there is an end.
fn outer(m: &dyn Manifold) -> Ball {
    Ball::at_origin(m, m.diameter().min(6.0)).unwrap()
}

fn location(m: &Arc<dyn Manifold>) -> PrivateLocation {
    PrivateLocation::new(Arc::clone(m), outer(&**m)).unwrap()
}

fn median(m: &Arc<dyn Manifold>) -> PrivateGeometricMedian {
    PrivateGeometricMedian::new(Arc::clone(m), outer(&**m)).unwrap()
}

/// The best mean in the ball that a location finds.
fn located_mean(m: &Arc<dyn Manifold>, location: &PrivateLocation, n: usize, budget: Guarantee) -> Result<LocatedMean> {
    let mean = PrivateFrechetMean::new(Arc::clone(m), location.ball().clone())?;
    LocatedMean::new(location, &Request::new(mean, n, budget), None)
}

fn mean_of(m: &Arc<dyn Manifold>, points: &Points, budget: Guarantee, seed: u64) -> Result<Release> {
    located_mean(m, &location(m), points.len(), budget)?.run(points, &mut ReleaseContext::seeded(seed))
}

const SPACES: [&str; 9] = [
    "euclidean:2",
    "sphere:2",
    "hyperbolic:2",
    "spd-affine-invariant:2",
    "spd-log-euclidean:2",
    "kendall:5",
    "torus:2",
    "projective:2",
    "sphere:2*euclidean:1",
];

/// A record moves the mean of vectors no longer than `c` by at most `2c/n`; what the steps cost is added up here.
#[test]
fn steps_of_a_median_flow_spend_the_budget_and_no_more() {
    let m = manifold("sphere:2");
    for budget in budgets() {
        for steps in [None, Some(1), Some(7)] {
            let flow = FlowToMedian::new(&median(&m), 500, budget, steps).unwrap();
            let each: Vec<f64> = (flow.summary().steps.as_ref().unwrap().iter())
                .map(|step| 2.0 * step.clip / (500.0 * step.scale))
                .collect();
            let squares = each.iter().map(|mu| mu * mu).sum::<f64>();
            let (spent, all) = match budget.definition() {
                Definition::Pure { epsilon } => (each.iter().sum(), epsilon),
                Definition::Gaussian { mu } => (squares.sqrt(), mu),
                Definition::Concentrated { rho } => (0.5 * squares, rho),
                Definition::Approximate { epsilon, delta } => {
                    (Guarantee::gaussian(squares.sqrt()).unwrap().delta(epsilon).unwrap(), delta)
                }
            };
            assert!(spent <= all * (1.0 + 1e-9) && spent > 0.999 * all, "{budget}: {spent}");
        }
    }
}

#[test]
fn medians_and_balls_are_found_where_the_records_are() {
    for name in SPACES {
        let m = manifold(name);
        let points = cloud(&m, 4_000, 0.15, 3);
        let truth = GeometricMedian::new(&*m).fit(points.view()).unwrap();
        let budget = Guarantee::gaussian(1.0).unwrap();
        let release = Request::new(median(&m), 4_000, budget).plan().unwrap();
        let release = release.run(&points, &mut ReleaseContext::seeded(1)).unwrap();
        let off = m.dist(release.value(), &truth);
        assert!(off < 0.05 && release.provenance().numerics == Numerics::Exact, "{name}: {off}");

        let release = Request::new(location(&m), 4_000, budget).plan().unwrap();
        let release = release.run(&points, &mut ReleaseContext::seeded(2)).unwrap();
        let ball = release.located().unwrap();
        let within = |r: f64| points.view().iter().filter(|x| m.dist(&ball.center, x) <= r).count();
        let (quantile, held) = (within(ball.radius / ball.margin), within(ball.radius));
        assert!((2_800..3_500).contains(&quantile) && held > 3_600, "{name}: {quantile} and {held} of 4000");
        assert!(release.flags() == [Flag::Seeded], "{name}: {:?}", release.flags());

        let mean = mean_of(&m, &points, budget, 3).unwrap();
        let truth = karcher::nonprivate::FrechetMean::new(&*m).start(&truth).fit(points.view()).unwrap();
        let off = m.dist(mean.value(), &truth);
        assert!(off < 0.02, "{name}: {off}");
    }
}

#[test]
fn parts_of_a_located_mean_add_up_to_its_guarantee() {
    let m = manifold("sphere:2");
    let points = cloud(&m, 1_000, 0.2, 1);
    for budget in budgets() {
        let release = mean_of(&m, &points, budget, 1).unwrap();
        let located = release.provenance().located.as_ref().unwrap();
        assert_eq!((release.guarantee(), &located.within), (budget, &outer(&*m)));
        let names: Vec<PartName> = located.ball.parts.iter().map(|part| part.part).collect();
        assert_eq!(names, [PartName::Center, PartName::Radius, PartName::Mean]);
        assert!(located.ball.parts.iter().all(|part| part.numerics == Numerics::Exact));
        let parts: Vec<Guarantee> = located.ball.parts.iter().map(|part| part.guarantee).collect();
        let together = compose(&parts).unwrap();
        let fits = match (together.definition(), budget.definition()) {
            (Definition::Gaussian { .. }, Definition::Approximate { epsilon, delta }) => {
                together.delta(epsilon).unwrap() <= delta
            }
            (Definition::Pure { epsilon: a }, Definition::Pure { epsilon: b })
            | (Definition::Gaussian { mu: a }, Definition::Gaussian { mu: b })
            | (Definition::Concentrated { rho: a }, Definition::Concentrated { rho: b }) => a <= b,
            other => panic!("{other:?}"),
        };
        assert!(fits, "{budget}: {together}");
    }
}

/// Pure ε, in a ball that is a thousand times too large, where medians of coordinates find the center. The center is in
/// a release twice, as the located one and as that of the mean's ball: in the same digits.
#[test]
fn a_located_mean_has_one_center() {
    let m = manifold("sphere:2");
    let points = cloud(&m, 400, 0.2, 1);
    for seed in 0..60 {
        let release = mean_of(&m, &points, Guarantee::gaussian(4.0).unwrap(), seed).unwrap();
        assert_eq!(release.ball().center(), release.provenance().located.as_ref().unwrap().ball.center, "{seed}");
    }
}

#[test]
fn parts_of_a_ball_by_medians_of_coordinates_add_up() {
    let m = manifold("euclidean:2");
    let points = cloud(&m, 2_000, 0.2, 1);
    let location = PrivateLocation::new(Arc::clone(&m), Ball::at_origin(&*m, 200.0).unwrap()).unwrap();
    for epsilon in [1.0, 0.7, 3.0] {
        let budget = Guarantee::pure(epsilon).unwrap();
        let mean = located_mean(&m, &location, points.len(), budget).unwrap();
        let release = mean.run(&points, &mut ReleaseContext::seeded(1)).unwrap();
        let ball = release.located().unwrap();
        assert_eq!((ball.center_method, ball.parts.len()), (CenterMethod::CoordinateMedians, 3));
        let parts = ball.parts.iter().map(|part| match part.guarantee.definition() {
            Definition::Pure { epsilon } => epsilon,
            other => panic!("{other:?}"),
        });
        let spent: f64 = parts.sum();
        assert!(spent <= epsilon && spent > 0.999 * epsilon, "{spent}");
        assert!(ball.parts.iter().all(|part| part.numerics == Numerics::Exact));
    }
}

/// A place misses by more than `(2/ε)·(ln J + x)` ranks with probability `e^{−x}` at most, here 10⁻⁶ for all
/// coordinates of all releases together: so far off are the quantiles of records whose ranks are known.
#[test]
fn medians_of_coordinates_miss_by_no_more_ranks_than_is_proved() {
    let m = manifold("euclidean:2");
    let n = 4_001;
    // ranks from −2000 to 2000, a thousandth apart, far out in a ball of radius 1000, each axis in another order
    let rank = |i: usize, step: usize| (i * step % n) as f64 - 2_000.0;
    let records = (0..n).flat_map(|i| [300.0 + 1e-3 * rank(i, 7), -500.0 + 1e-3 * rank(i, 1_234)]).collect();
    let points = Points::new(&*m, records).unwrap();
    let location = PrivateLocation::new(Arc::clone(&m), Ball::at_origin(&*m, 1e3).unwrap()).unwrap();
    let plan = Request::new(location, n, Guarantee::pure(1.0).unwrap()).plan().unwrap();
    for seed in 0..20 {
        let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
        let ball = release.located().unwrap();
        let Definition::Pure { epsilon } = ball.parts[0].guarantee.definition() else { panic!("{ball:?}") };
        let (places, wrong) = (65_536.0_f64, 1e-6 / 40.0_f64);
        let ranks = 2.0 / (0.5 * epsilon) * (places.ln() - wrong.ln());
        let most = 1e-3 * ranks + release.scale();
        let off = [ball.center[0] - 300.0, ball.center[1] + 500.0];
        assert!(off.iter().all(|off| off.abs() <= most), "{off:?} {most}");
        assert!(most < 0.3, "it says something: {most} of a spread of 2");
    }
}

/// The flag is a function of the release and of the public ball, for every way to find the center.
#[test]
fn centers_at_the_edge_of_their_outer_ball_are_flagged() {
    let at_edge = |m: &Arc<dyn Manifold>, release: &Release| {
        let center = release.located().map_or(release.value(), |ball| &ball.center);
        let flagged = release.flags().contains(&Flag::CenterAtEdge);
        assert_eq!(flagged, m.dist(release.ball().center(), center) >= 0.95 * release.ball().radius());
        flagged
    };
    for (name, far) in [("euclidean:2", 50.0), ("hyperbolic:2", 9.0), ("spd-affine-invariant:2", 20.0)] {
        let m = manifold(name);
        let [inside, outside] = [0.5, far].map(|far| {
            let mut direction = vec![0.0; m.dim()];
            direction[0] = 1.0;
            let middle = common::at(&*m, &common::origin(&*m), &direction, far);
            common::cloud_around(&m, &middle, 4_000, 0.1, 1)
        });
        for budget in budgets() {
            for (points, expected) in [(&inside, false), (&outside, true)] {
                let ball = Request::new(location(&m), 4_000, budget).plan().unwrap();
                assert_eq!(
                    at_edge(&m, &ball.run(points, &mut ReleaseContext::seeded(1)).unwrap()),
                    expected,
                    "{name}, {budget}"
                );
                let found = Request::new(median(&m), 4_000, budget).plan().unwrap();
                assert_eq!(
                    at_edge(&m, &found.run(points, &mut ReleaseContext::seeded(1)).unwrap()),
                    expected,
                    "{name}, {budget}"
                );
            }
        }
    }
    // everywhere there is no edge
    let m = manifold("sphere:2");
    let points = cloud(&m, 2_000, 0.1, 1);
    let south = Ball::new(&*m, points.view().iter().next().unwrap().iter().map(|x| -x).collect(), 3.2).unwrap();
    let everywhere = PrivateLocation::new(Arc::clone(&m), south).unwrap();
    let plan = Request::new(everywhere, 2_000, Guarantee::gaussian(1.0).unwrap()).plan().unwrap();
    assert_eq!(plan.run(&points, &mut ReleaseContext::seeded(1)).unwrap().flags(), [Flag::Seeded]);
}

/// Points that cover the sphere evenly, and the torus.
#[test]
fn uniform_data_have_no_useful_mean_and_the_release_says_so() {
    let fibonacci = |i: usize| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / 3_000.0;
        let (s, turn) = ((1.0 - z * z).sqrt(), 2.399_963 * i as f64);
        [z, s * turn.cos(), s * turn.sin()]
    };
    let m = manifold("sphere:2");
    let points = Points::new(&*m, (0..3_000).flat_map(fibonacci).collect()).unwrap();
    let budget = Guarantee::gaussian(2.0).unwrap();
    for seed in 0..5 {
        let plan = Request::new(location(&m), 3_000, budget).plan().unwrap();
        let ball = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
        assert!(ball.flags().contains(&Flag::NoUsefulMean), "{ball:?}");
        let mean = mean_of(&m, &points, budget, seed).unwrap();
        assert!(mean.flags().contains(&Flag::NoUsefulMean));
        assert!(mean.ball().radius() < mean.located().unwrap().radius, "clipped to what has a mean");
    }
}

/// Whatever the records are: a failure would be an outcome that the proof does not know.
#[test]
fn no_records_make_a_location_fail() {
    let all: Vec<_> = SPACES.into_iter().enumerate().collect();
    for (i, name) in some(&all, 1, 3) {
        let m = manifold(name);
        let mut origin = vec![0.0; m.point_len()];
        m.origin(&mut origin);
        let at = |c: f64| {
            let (mut v, mut x) = (vec![0.0; origin.len()], vec![0.0; origin.len()]);
            let mut coordinates = vec![0.0; m.dim()];
            coordinates[0] = c;
            m.from_frame(&origin, &coordinates, &mut v);
            m.exp(&origin, &v, &mut x);
            m.normalize(&mut x);
            x
        };
        let end = m.max_step().min(20.0);
        for records in
            [vec![at(0.0); 6], vec![at(end); 6], [vec![at(end); 3], vec![at(0.0); 3]].concat(), vec![at(0.5)]]
        {
            let points = Points::new(&*m, records.concat()).unwrap();
            for budget in [budgets()[i % 4], budgets()[(i + 2) % 4]] {
                let plan = LocateBall::new(&location(&m), points.len(), budget, None).unwrap();
                for seed in 0..2 {
                    let release = plan.run(&points, &mut ReleaseContext::seeded(seed)).unwrap();
                    let ball = release.located().unwrap().ball(&*m).unwrap();
                    assert!(ball.radius() > 0.0);
                    mean_of(&m, &points, budget, seed).unwrap_or_else(|error| panic!("{name}, {budget}: {error}"));
                }
            }
        }
    }
}

/// More than two chunks of records, in two orders, by one thread and by four.
#[test]
fn order_and_threads_change_no_bit() {
    for (name, far, by) in
        [("sphere:2", 0.3, CenterMethod::MedianFlow), ("spd-log-euclidean:2", 0.1, CenterMethod::CoordinateMedians)]
    {
        let m = manifold(name);
        let points = cloud(&m, 9_000, far, 1);
        let len = m.point_len();
        let turned: Vec<f64> = points.view().values().chunks_exact(len).rev().flatten().copied().collect();
        let turned = Points::new(&*m, turned).unwrap();
        for budget in budgets() {
            let plan = LocateBall::new(&location(&m), 9_000, budget, None).unwrap();
            assert!(budget != Guarantee::pure(1.0).unwrap() || plan.center_method() == by, "{name}");
            let release = |points: &Points, threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| plan.run(points, &mut ReleaseContext::seeded(7)).unwrap())
            };
            let one = release(&points, 1);
            assert_eq!(one, release(&turned, 1), "{name}");
            assert_eq!(one, release(&turned, 4), "{name}");
        }
    }
}

/// One step: the law is that of noise on the mean of unit vectors, so that the likelihood ratio is known. Correct code
/// fails with probability 10⁻⁶; a scale that is half as large is refuted.
#[test]
fn halved_scale_is_caught_by_the_audit() {
    let m = manifold("euclidean:2");
    let ball = Ball::at_origin(&*m, 1.0).unwrap();
    let median = PrivateGeometricMedian::new(Arc::clone(&m), ball.clone()).unwrap();
    let pull = |points: &Points| {
        Observations::new(points).sum(&*m, &Summand::UnitLog { base: vec![0.0, 0.0] }).unwrap().mean()
    };
    let pairs = neighbours(&*m, &ball, 12).unwrap();
    let audited = |budget: Guarantee, claim: Guarantee| {
        let plan = FlowToMedian::new(&median, 12, budget, Some(1)).unwrap();
        audit_releases(
            (&*m, &ball),
            claim,
            &pairs,
            |points, context| Ok(karcher::audit::Published::from(&plan.run(points, context)?)),
            |pair, y| {
                let [a, b] = [0, 1].map(|k| pull(&pair.data[k]));
                y.iter().zip(a.iter().zip(&b)).map(|(y, (a, b))| y * (b - a)).sum()
            },
            Effort { releases: 20_000, error_probability: 1e-6 },
            &mut Generator::seeded(1),
            &|_| (),
        )
        .unwrap()
    };
    let (one, two) = (Guarantee::gaussian(1.0).unwrap(), Guarantee::gaussian(2.0).unwrap());
    let honest = audited(one, one);
    assert!(honest.passed && honest.lower_bound > 0.7, "{honest:?}");
    assert!(audited(two, one).refuted());
    let (one, two) = (Guarantee::pure(1.0).unwrap(), Guarantee::pure(2.0).unwrap());
    assert!(audited(one, one).passed);
    assert!(audited(two, one).refuted());
}
