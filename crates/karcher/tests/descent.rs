//! Descents on a user's loss: what a record contributes, which gradients are refused, and what is found.

use crate::common::every::SPACES;
use crate::common::{cloud, manifold, origin, squared};
use karcher::manifold::{Euclidean, Manifold, Sphere};
use karcher::mechanism::{NumericsPolicy, Plan, PrivateDescent, Request};
use karcher::nonprivate::{FrechetMean, Persons};
use karcher::records::{Gradient, Observations, Records};
use karcher::release::{Adjacency, Flag, Numerics, PublishedRelease, StatisticName};
use karcher::spec::{Descent, ReleaseSpec};
use karcher::{Ball, Points, PointsView, ReleaseContext, Result, privacy::Guarantee};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn steps(space: &str, clip: f64, step_sizes: Vec<f64>) -> Descent {
    Descent { records: space.parse().unwrap(), clip, step_sizes, loss: Some("half the squared distance".into()) }
}

fn mean_of(m: &Arc<dyn Manifold>, radius: f64, steps: Descent) -> PrivateDescent {
    let ball = Ball::at_origin(&**m, radius).unwrap();
    PrivateDescent::new(m.clone(), ball, steps).unwrap().gradient(squared(m)).unwrap()
}

/// With little noise a descent on squared distances finds the Fréchet mean on every space, for both kinds of
/// neighbours.
#[test]
fn a_descent_on_squared_distances_finds_the_mean_on_every_space() {
    for (space, radius) in SPACES {
        let m = manifold(space);
        let points = cloud(&m, 400, 0.3 * radius, 5);
        let mean = FrechetMean::new(&*m).fit(points.view()).unwrap();
        let descent = mean_of(&m, radius, steps(space, 2.0 * radius, vec![0.5; 40]));
        for (adjacency, guess) in [(Adjacency::ReplaceOne, 400), (Adjacency::AddRemove, 390)] {
            let request = Request::new(descent.clone(), guess, Guarantee::gaussian(1e5).unwrap());
            let plan = request.adjacency(adjacency).plan().unwrap();
            let release = plan.run(&points, &mut ReleaseContext::seeded(3)).unwrap();
            let off = m.dist(&mean, release.value());
            assert!(off < 1e-3 * radius, "{space} {adjacency:?}: {off}");
            assert_eq!((release.statistic(), release.region()), (StatisticName::Minimizer, None));
            let text = serde_json::to_string(&release).unwrap();
            serde_json::from_str::<PublishedRelease>(&text).unwrap().check_guarantee().unwrap();
        }
    }
}

/// All steps together keep the budget.
#[test]
fn steps_compose_to_the_budget() {
    let m = manifold("sphere:2");
    for (budget, adjacency) in [
        (Guarantee::gaussian(1.0), Adjacency::ReplaceOne),
        (Guarantee::pure(2.0), Adjacency::ReplaceOne),
        (Guarantee::concentrated(0.5), Adjacency::AddRemove),
        (Guarantee::approximate(1.0, 1e-6), Adjacency::AddRemove),
    ] {
        let descent = mean_of(&m, 1.0, steps("sphere:2", 0.7, vec![0.5, 0.25, 0.25]));
        let request = Request::new(descent, 100, budget.unwrap()).adjacency(adjacency);
        let plan = request.plan().unwrap();
        let (noise, parts) = (&plan.summary().noise, 3 + usize::from(adjacency == Adjacency::AddRemove));
        assert_eq!(noise.len(), parts);
        let kept = karcher::release::guarantee_of(noise, plan.guarantee()).unwrap();
        assert!(kept.implies(plan.guarantee()), "{kept} of {}", plan.guarantee());
    }
}

/// Replacing all records of a person by any others moves no sum by more than `2·2⁵⁰`.
#[test]
fn a_person_moves_the_sum_as_one_record_does() {
    const UNIT: f64 = (1_u64 << 50) as f64;
    let m = manifold("sphere:2");
    let descent = mean_of(&m, 1.0, steps("sphere:2", 0.4, vec![1.0]));
    let plan = Request::new(descent, 2, Guarantee::gaussian(1.0).unwrap()).plan().unwrap();
    let round = plan.in_rounds().unwrap().round(&Default::default()).unwrap();
    let sum_of = |first: &[f64], second: &Points| {
        let mut persons = Persons::new(m.clone(), &Ball::at_origin(&*m, 1.0).unwrap()).unwrap();
        let (own, other) = (Points::new(&*m, first.to_vec()).unwrap(), second.view());
        persons.add(vec![1; own.len()], Observations::new(&own)).unwrap();
        persons.add(vec![0; other.len()], Observations::new(other)).unwrap();
        let grouped = persons.grouped().unwrap();
        assert_eq!(grouped.count(), 2);
        grouped.answer(round.query()).unwrap().integers().to_vec()
    };
    let other = cloud(&m, 5, 0.3, 2);
    let far: Vec<Points> = (0..20).map(|seed| cloud(&m, 1 + seed as usize % 7, 3.0, seed)).collect();
    let mut largest: f64 = 0.0;
    for a in &far {
        for b in &far {
            let (a, b) = (sum_of(a.view().values(), &other), sum_of(b.view().values(), &other));
            let apart = a.iter().zip(&b).map(|(a, b)| ((a - b) as f64 / UNIT).powi(2)).sum::<f64>().sqrt();
            assert!(apart <= 2.0 * (1.0 + 1e-14), "{apart}");
            largest = largest.max(apart);
        }
    }
    assert!(largest > 1.5, "{largest}: the test has no power");
    // one record each is that record, to the last bit
    let alone = sum_of(&[0.8, 0.6, 0.0], &Points::new(&*m, vec![0.8, -0.6, 0.0]).unwrap());
    let both = Points::new(&*m, vec![0.8, 0.6, 0.0, 0.8, -0.6, 0.0]).unwrap();
    assert_eq!(alone, round.query().answer(Observations::new(&both)).unwrap().integers());
    // and another statistic does not take them
    let mean = karcher::mechanism::PrivateFrechetMean::new(m.clone(), Ball::at_origin(&*m, 1.0).unwrap()).unwrap();
    let mut persons = Persons::new(m.clone(), &Ball::at_origin(&*m, 1.0).unwrap()).unwrap();
    persons.add([1, 1], Observations::new(&both)).unwrap();
    assert!(persons.grouped().unwrap().answer(&mean.first_query().unwrap()).is_err());
}

/// A row whose vector is no tangent vector counts as 0, and the release says nothing of it.
#[test]
fn a_bad_row_contributes_nothing() {
    let line: Arc<dyn Manifold> = Arc::new(Euclidean::new(1).unwrap());
    let wild = |at: &[f64], x: &[f64], out: &mut [f64]| {
        out[0] = match x[0] {
            x if x > 50.0 => f64::NAN,
            x if x < -50.0 => f64::NEG_INFINITY,
            x => at[0] - x,
        };
    };
    let ball = Ball::at_origin(&*line, 10.0).unwrap();
    let descent = PrivateDescent::new(line.clone(), ball, steps("euclidean:1", 5.0, vec![1.0])).unwrap();
    let descent = descent.gradient(Arc::new(wild)).unwrap();
    let plan = Request::new(descent, 4, Guarantee::gaussian(1.0).unwrap()).plan().unwrap();
    let round = plan.in_rounds().unwrap().round(&Default::default()).unwrap();
    let sum = |values: Vec<f64>| {
        let points = Points::new(&*line, values).unwrap();
        round.query().answer(Observations::new(&points)).unwrap().integers()[0]
    };
    assert_eq!(sum(vec![1.0, 60.0, -60.0, 2.0]), sum(vec![1.0, 0.0, 0.0, 2.0]));
    let clipped = -sum(vec![40.0]);
    assert!(((1 << 50) - 4096..=1 << 50).contains(&clipped), "{clipped}");
}

/// Gradients that depend on other rows, on the call, or that are no tangent vectors are refused on made-up records.
#[test]
fn gradients_that_no_proof_holds_for_are_refused() {
    struct OffTheMean;
    impl Gradient for OffTheMean {
        fn gradient(&self, _: &[f64], record: &[f64], out: &mut [f64]) {
            out.copy_from_slice(record);
        }
        fn gradients(&self, _: &[f64], records: PointsView<'_>, out: &mut [f64]) {
            let mean = records.iter().map(|x| x[0]).sum::<f64>() / records.len() as f64;
            out.iter_mut().zip(records.iter()).for_each(|(out, x)| *out = x[0] - mean);
        }
    }
    /// Adds as many roundings as there are records.
    struct Rounded;
    impl Gradient for Rounded {
        fn gradient(&self, _: &[f64], record: &[f64], out: &mut [f64]) {
            out.copy_from_slice(record);
        }
        fn gradients(&self, _: &[f64], records: PointsView<'_>, out: &mut [f64]) {
            let factor = if records.len() > 3 { 1.0 + f64::EPSILON } else { 1.0 };
            out.iter_mut().zip(records.iter()).for_each(|(out, x)| *out = x[0] * factor);
        }
    }
    let line: Arc<dyn Manifold> = Arc::new(Euclidean::new(1).unwrap());
    let descent = || {
        let ball = Ball::at_origin(&*line, 10.0).unwrap();
        PrivateDescent::new(line.clone(), ball, steps("euclidean:1", 5.0, vec![1.0])).unwrap()
    };
    let calls = AtomicUsize::new(0);
    let counting =
        move |_: &[f64], x: &[f64], out: &mut [f64]| out[0] = x[0] + calls.fetch_add(1, Ordering::Relaxed) as f64;
    let refused = |found: Result<PrivateDescent>| found.unwrap_err().to_string();
    assert!(refused(descent().gradient(Arc::new(OffTheMean))).contains("depends on the other records"));
    assert!(refused(descent().gradient(Arc::new(counting))).contains("called again"));
    let none = |_: &[f64], _: &[f64], out: &mut [f64]| out[0] = f64::NAN;
    assert!(refused(descent().gradient(Arc::new(none))).contains("no tangent vector"));
    // on the sphere, what points away from it is none
    let sphere = Arc::new(Sphere::new(2).unwrap());
    let ball = Ball::at_origin(&*sphere, 1.0).unwrap();
    let outwards = PrivateDescent::new(sphere, ball, steps("euclidean:3", 5.0, vec![1.0])).unwrap();
    let raw = |_: &[f64], x: &[f64], out: &mut [f64]| out.copy_from_slice(x);
    assert!(refused(outwards.gradient(Arc::new(raw))).contains("no tangent vector"));

    // rounding alone: no exact proof, but one about real numbers
    let rounded = descent().gradient(Arc::new(Rounded)).unwrap();
    let request = Request::new(rounded, 10, Guarantee::gaussian(1.0).unwrap());
    assert_eq!(request.plan().unwrap_err().parameter(), Some("gradient"));
    let plan = request.numerics(NumericsPolicy::Any).plan().unwrap();
    assert_eq!(plan.numerics(), Numerics::Idealized);
}

/// A gradient that halves all vectors of a batch where a guard says so.
struct Guarded<G>(G);

impl<G: Fn(PointsView<'_>) -> bool + Send + Sync> Gradient for Guarded<G> {
    fn gradient(&self, at: &[f64], record: &[f64], out: &mut [f64]) {
        let space = manifold("euclidean:2");
        self.gradients(at, PointsView::unchecked(space.space(), 2, record), out);
    }

    fn gradients(&self, at: &[f64], records: PointsView<'_>, out: &mut [f64]) {
        let factor = if (self.0)(records) { 0.5 } else { 1.0 };
        let all = out.chunks_exact_mut(2).zip(records.iter());
        all.for_each(|(out, x)| out.iter_mut().zip(at.iter().zip(x)).for_each(|(out, (a, x))| *out = factor * (a - x)));
    }
}

type Guard = fn(PointsView<'_>) -> bool;

fn largest(records: PointsView<'_>) -> f64 {
    records.values().iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// The guards look at a whole batch: none may decide what a record adds, however rare the batch is.
#[test]
fn a_guard_that_looks_at_the_batch_is_found() {
    let guards: [(&str, Guard); 17] = [
        ("a record is beyond 1", |x| x.values().iter().any(|x| *x > 1.0)),
        ("a record is beyond 7", |x| largest(x) > 7.0),
        ("a record is beyond 1e5", |x| largest(x) > 1e5),
        ("a record is beyond 1e50", |x| x.values().iter().any(|x| *x < -1e50)),
        ("all records are near", |x| largest(x) < 1e-6),
        ("no record is far", |x| largest(x) < 5.0),
        ("records are equal", |x| x.len() > 1 && x.iter().all(|row| row == &x.values()[..2])),
        ("records cancel", |x| x.len() > 1 && x.values().iter().sum::<f64>() == 0.0),
        ("one is far, and the others are not", |x| {
            x.values().iter().filter(|x| x.abs() > 100.0).count() == 1 && x.len() > 3
        }),
        ("the first is far", |x| x.values()[0] > 20.0 && x.len() > 1),
        ("the last is far", |x| x.values().last().is_some_and(|x| *x > 20.0) && x.len() > 1),
        ("a second number is a label", |x| x.len() > 1 && x.iter().any(|x| x[1] == 1.0)),
        ("a record is the origin", |x| x.len() > 1 && x.iter().any(|x| x == [0.0, 0.0])),
        ("there are many", |x| x.len() > 200),
        ("there are few", |x| (4..8).contains(&x.len())),
        ("the number is even", |x| x.len().is_multiple_of(2)),
        ("one is a million times another", |x| {
            let least = x.values().iter().fold(f64::INFINITY, |least, x| least.min(x.abs()));
            x.len() > 1 && largest(x) > 1e6 * least
        }),
    ];
    let plane: Arc<dyn Manifold> = Arc::new(Euclidean::new(2).unwrap());
    let normal = cloud(&plane, 20, 0.5, 1); // moderate examples of the user's hide none
    for (name, guard) in guards {
        let descent = || {
            let ball = Ball::at_origin(&*plane, 10.0).unwrap();
            PrivateDescent::new(plane.clone(), ball, steps("euclidean:2", 5.0, vec![1.0])).unwrap()
        };
        for found in [
            descent().gradient(Arc::new(Guarded(guard))),
            descent().gradient_tried_on(Arc::new(Guarded(guard)), &normal),
        ] {
            let refused = found.err().unwrap_or_else(|| panic!("{name}: not found")).to_string();
            assert!(refused.contains("depends on the other records"), "{name}: {refused}");
        }
    }
}

/// No trial proves what a function does, and every plan and release says so.
#[test]
fn the_word_of_the_caller_is_a_flag() {
    let m = manifold("sphere:2");
    let request = Request::new(mean_of(&m, 1.0, steps("sphere:2", 0.5, vec![0.5])), 20, Guarantee::pure(1.0).unwrap());
    let plan = request.plan().unwrap();
    let release = plan.run(&cloud(&m, 20, 0.3, 1), &mut ReleaseContext::from_os().unwrap()).unwrap();
    assert_eq!(release.flags(), [Flag::DeclaredGradient]);
    assert_eq!(plan.summary().event().flags, [Flag::DeclaredGradient]);
}

/// The specification makes a plan, which can be checked, and no release without the gradient.
#[test]
fn a_specification_plans_a_descent_and_does_not_run_it() {
    let m = manifold("hyperbolic:2");
    let mut spec = ReleaseSpec::new(StatisticName::Minimizer, Guarantee::gaussian(1.0).unwrap());
    spec.manifold = Some(m.space().clone());
    spec.ball = Some((&Ball::at_origin(&*m, 1.0).unwrap()).into());
    assert_eq!(spec.check().unwrap_err().parameter(), Some("descent"));
    spec.descent = Some(steps("hyperbolic:2", 1.5, vec![0.5; 5]));
    let points = cloud(&m, 50, 0.3, 1);
    let plan = spec.plan(50).unwrap();
    assert_eq!(plan.run(&points, &mut ReleaseContext::seeded(1)).unwrap_err().parameter(), Some("gradient"));
    let with = spec.plan_descent(50, spec.descent().unwrap().gradient(squared(&m)).unwrap()).unwrap();
    let release = with.run(&points, &mut ReleaseContext::seeded(1)).unwrap();
    assert_eq!(release.spec(), Some(&spec));
    let mut published = PublishedRelease::from(release);
    let fields = |published: &PublishedRelease| -> Vec<String> {
        published.verify().into_iter().map(|finding| finding.field).collect()
    };
    assert_eq!(fields(&published), [""; 0]);
    let mut without = published.clone();
    without.provenance.flags.retain(|flag| *flag != Flag::DeclaredGradient);
    assert_eq!(fields(&without), ["flags"]);
    published.provenance.steps.as_mut().unwrap()[2].clip *= 0.5;
    assert!(!fields(&published).is_empty());
    // other steps than those of the gradient
    let other = mean_of(&m, 1.0, steps("hyperbolic:2", 1.5, vec![0.5; 4]));
    assert_eq!(spec.plan_descent(50, other).unwrap_err().parameter(), Some("descent"));
    assert!(origin(&*m).len() == 3);
}
