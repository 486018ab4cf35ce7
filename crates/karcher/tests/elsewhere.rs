//! Records that are not in memory: the release is the same to the last bit, and an error of a source releases nothing.

use crate::common::{features, with_features};
use karcher::manifold::Manifold;
use karcher::mechanism::{
    Components, LocateBall, LocatedMean, PrivateFeatureRegression, PrivateFrechetMean, PrivateFrechetVariance,
    PrivateGeometricMedian, PrivateLocation, PrivateRegression, Request, Spread, Statistic,
};
use karcher::nonprivate::{EachKeyed, KeyedBatches, Persons, PersonsInParts};
use karcher::privacy::Guarantee;
use karcher::records::{Batches, ExactSum, Observations, PrivacyUnit, Records, Remote, Source, Streamed, SumQuery};
use karcher::release::{Adjacency, Flag, MechanismName, StatisticName};
use karcher::sampler::Generator;
use karcher::{Ball, Error, Points, PredictorRange, Release, ReleaseContext, Result, Space};
use rand_distr::{Distribution, StandardNormal};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const N: usize = 700;

/// A space with a radius that every mechanism takes.
const SPACES: [(&str, f64); 9] = [
    ("euclidean:3", 1.0),
    ("sphere:2", 0.6),
    ("hyperbolic:3", 0.8),
    ("spd-log-euclidean:2", 1.0),
    ("spd-affine-invariant:2", 0.8),
    ("kendall:5", 0.3),
    ("torus:2", 0.5),
    ("rotations:3", 0.5),
    ("sphere:2*euclidean:1", 0.5),
];

fn space(name: &str) -> Arc<dyn Manifold> {
    name.parse::<Space>().unwrap().manifold().unwrap()
}

/// Records about the origin, some of them outside the ball.
fn points(m: &Arc<dyn Manifold>, radius: f64) -> Points {
    let mut generator = Generator::seeded(11);
    let (mut origin, mut v) = (vec![0.0; m.point_len()], vec![0.0; m.point_len()]);
    m.origin(&mut origin);
    let mut values = vec![0.0; N * m.point_len()];
    for x in values.chunks_exact_mut(m.point_len()) {
        let c: Vec<f64> = (0..m.dim()).map(|_| StandardNormal.sample(&mut generator)).collect();
        let c: Vec<f64> = c.iter().map(|c: &f64| 0.5 * radius * c / (m.dim() as f64).sqrt()).collect();
        m.from_frame(&origin, &c, &mut v);
        m.exp(&origin, &v, x);
        m.repair(x);
    }
    Points::new(&**m, values).unwrap()
}

/// A number for each record.
fn years() -> Vec<f64> {
    (0..N).map(|i| (i % 97) as f64).collect()
}

/// Records in batches of a size, the last one first, and how often they were read.
struct InBatches {
    manifold: Arc<dyn Manifold>,
    points: Points,
    size: usize,
    passes: AtomicUsize,
}

impl InBatches {
    fn new(m: &Arc<dyn Manifold>, points: &Points, size: usize) -> Self {
        Self { manifold: Arc::clone(m), points: points.clone(), size, passes: AtomicUsize::new(0) }
    }
}

impl Batches for InBatches {
    fn space(&self) -> &Space {
        self.manifold.space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> Result<()> + Sync)) -> Result<()> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let years = years();
        let batches: Vec<_> = self.points.view().chunks(self.size).zip(years.chunks(self.size)).collect();
        batches
            .into_iter()
            .rev()
            .try_for_each(|(points, years)| each(Observations::new(points).with_predictors(years)?))
    }
}

/// All releases of means, medians, balls and lines, by every mechanism that uses sums.
fn requests(m: &Arc<dyn Manifold>, radius: f64) -> Vec<(Request, Option<MechanismName>)> {
    let ball = || Ball::at_origin(&**m, radius).unwrap();
    let mean = || PrivateFrechetMean::new(Arc::clone(m), ball()).unwrap();
    let (epsilon, mu) = (Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(1.0).unwrap());
    let range = PredictorRange::new(0.0, 100.0).unwrap();
    let regression = || PrivateRegression::new(Arc::clone(m), ball(), range, radius).unwrap();
    let of = |statistic: Arc<dyn Statistic>, budget| Request::of(statistic, N, budget);
    let spread = || Some(Spread::default());
    let mut all = vec![
        (of(Arc::new(mean()), mu).spread(spread()).components(Some(Components::default())), None),
        (of(Arc::new(mean()), epsilon).adjacency(Adjacency::AddRemove).spread(spread()), None),
        (of(Arc::new(PrivateGeometricMedian::new(Arc::clone(m), ball()).unwrap()), mu), None),
        (of(Arc::new(PrivateFrechetVariance::new(Arc::clone(m), ball()).unwrap()), epsilon), None),
    ];
    for (mechanism, budget) in [
        (MechanismName::Laplace, epsilon),
        (MechanismName::Chart, epsilon),
        (MechanismName::Gaussian, mu),
        (MechanismName::KarcherFlow, mu),
    ] {
        all.push((of(Arc::new(mean()), budget), Some(mechanism)));
    }
    let on_features = PrivateFeatureRegression::new(Arc::clone(m), ball(), features()).unwrap();
    all.push((of(Arc::new(on_features.clone()), mu), None));
    all.push((of(Arc::new(on_features), epsilon).adjacency(Adjacency::AddRemove), None));
    for mechanism in [MechanismName::Linear, MechanismName::GradientDescent] {
        all.push((of(Arc::new(regression()), mu), Some(mechanism)));
    }
    all
}

#[test]
fn a_release_of_batches_is_that_of_the_records_in_memory_to_the_last_bit() {
    let mut compared = 0;
    for (name, radius) in SPACES {
        let m = space(name);
        let plain = points(&m, radius);
        let years = years();
        let here = Observations::new(&plain).with_predictors(&years).unwrap();
        let rows = with_features(&m, &plain);
        let on_features = Observations::new(&rows).with_predictors(&years).unwrap();
        for (request, by) in requests(&m, radius) {
            let plan = by.map_or_else(|| request.plan(), |name| request.plan_by(name));
            let Ok(plan) = plan else { continue }; // not on this space
            let run = |records: &dyn Records| {
                let release = plan.run(records, &mut ReleaseContext::seeded(5)).unwrap();
                // the release is flagged if others computed its sums, and nothing else differs
                assert_eq!(release.flags().contains(&Flag::RemoteSums), records.is_remote());
                let mut json = serde_json::to_value(&release).unwrap();
                json["flags"].as_array_mut().unwrap().retain(|flag| flag != "remote-sums");
                json.to_string()
            };
            let has_features = request.statistic().name() == StatisticName::FeatureRegression;
            let (m, points, here) = match has_features {
                true => (&features().space_of_records(Arc::clone(&m)).unwrap(), &rows, &on_features),
                false => (&m, &plain, &here),
            };
            let together = run(here);
            for (size, memory) in [(64, 0), (300, 0), (1, 1 << 20), (N, 0)] {
                let streamed = Streamed::new(InBatches::new(m, points, size), memory, &[]).unwrap();
                assert_eq!(streamed.is_in_memory(), memory > 0);
                assert_eq!(run(&streamed), together, "{name}, {:?}, batches of {size}", plan.name());
            }
            assert_eq!(run(&Remote::new(Sent::new(m, points))), together, "{name}, {:?}, sent", plan.name());
            compared += 1;
        }
    }
    assert!(compared >= 93, "{compared} plans");
}

#[test]
fn a_ball_is_located_in_batches_as_it_is_in_memory() {
    for (name, radius) in SPACES {
        let m = space(name);
        let points = points(&m, radius);
        let within = Ball::at_origin(&*m, (10.0 * radius).min(0.45 * m.diameter())).unwrap();
        let location = PrivateLocation::new(Arc::clone(&m), within).unwrap();
        let streamed = Streamed::new(InBatches::new(&m, &points, 100), 0, &[]).unwrap();
        for budget in [Guarantee::gaussian(2.0).unwrap(), Guarantee::pure(4.0).unwrap()] {
            let mean = PrivateFrechetMean::new(Arc::clone(&m), location.ball().clone()).unwrap();
            let mean = LocatedMean::new(&location, &Request::new(mean, N, budget), None).unwrap();
            let run = |records: &dyn Records| -> Release {
                karcher::mechanism::Plan::run(&mean, records, &mut ReleaseContext::seeded(5)).unwrap()
            };
            assert_eq!(run(&streamed), run(&points), "{name}, {budget}");
            let ball = LocateBall::new(&location, N, budget, None).unwrap();
            let run = |records: &dyn Records| {
                karcher::mechanism::Plan::run(&ball, records, &mut ReleaseContext::seeded(6)).unwrap()
            };
            assert_eq!(run(&streamed), run(&points), "{name}, {budget}");
        }
    }
}

/// Two machines that exchange queries and answers as text. The second loses its work and does it again.
struct Sent {
    manifold: Arc<dyn Manifold>,
    points: Points,
}

impl Sent {
    fn new(m: &Arc<dyn Manifold>, points: &Points) -> Self {
        Self { manifold: Arc::clone(m), points: points.clone() }
    }
}

impl Source for Sent {
    fn space(&self) -> &Space {
        self.manifold.space()
    }

    fn count(&self) -> usize {
        N
    }

    fn sum(&self, query: &SumQuery) -> Result<ExactSum> {
        let sent = serde_json::to_string(query).unwrap();
        let there = |machine: usize| {
            let query: SumQuery = serde_json::from_str(&sent).unwrap();
            let years = years();
            let half = |i: usize| i % 2 == machine;
            let points = self.points.view().select(half);
            let years: Vec<f64> = years.iter().enumerate().filter_map(|(i, x)| half(i).then_some(*x)).collect();
            let answer = query.answer(Observations::new(&points).with_predictors(&years).unwrap()).unwrap();
            serde_json::from_str::<ExactSum>(&serde_json::to_string(&answer).unwrap()).unwrap()
        };
        let lost = there(1);
        let again = there(1);
        assert_eq!(lost, again);
        query.nothing().merge(again)?.merge(there(0))
    }
}

#[test]
fn flat_means_and_flows_of_one_step_read_the_records_once() {
    for (name, radius) in SPACES {
        let m = space(name);
        let points = points(&m, radius);
        let mean = PrivateFrechetMean::new(Arc::clone(&m), Ball::at_origin(&*m, radius).unwrap()).unwrap();
        let first = [mean.first_query().unwrap()];
        let mu = Guarantee::gaussian(1.0).unwrap();
        let flow = (Request::new(mean.clone(), N, mu).steps(Some(1)), MechanismName::KarcherFlow);
        let flat = (Request::new(mean.clone(), N, mu), MechanismName::Gaussian);
        let with_one =
            if name.starts_with("euclidean") || name.starts_with("spd-log") { vec![flow, flat] } else { vec![flow] };
        for (request, by) in with_one {
            let plan = request.plan_by(by).unwrap();
            let batches = InBatches::new(&m, &points, 50);
            let streamed = Streamed::new(&batches, 0, &first).unwrap();
            plan.run(&streamed, &mut ReleaseContext::seeded(1)).unwrap();
            assert_eq!(batches.passes.load(Ordering::Relaxed), 1, "{name}, {by:?}");
        }
    }
}

impl Batches for &InBatches {
    fn space(&self) -> &Space {
        (**self).space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> Result<()> + Sync)) -> Result<()> {
        (**self).pass(each)
    }
}

/// Errors of records that were counted.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Unread,
    OneLess,
    AnotherQuestion,
}

/// Answers some queries correctly, and the next ones incorrectly.
struct Faulty {
    manifold: Arc<dyn Manifold>,
    points: Points,
    fault: Fault,
    after: usize,
    asked: AtomicUsize,
}

impl Source for Faulty {
    fn space(&self) -> &Space {
        self.manifold.space()
    }

    fn count(&self) -> usize {
        N
    }

    fn sum(&self, query: &SumQuery) -> Result<ExactSum> {
        let all = query.answer(Observations::new(&self.points).with_predictors(&years())?)?;
        if self.asked.fetch_add(1, Ordering::Relaxed) < self.after {
            return Ok(all);
        }
        match self.fault {
            Fault::Unread => Err(Error::Unanswered { reason: "a worker was lost".to_owned() }),
            Fault::OneLess => {
                let less = self.points.view().select(|i| i > 0);
                query.answer(Observations::new(&less).with_predictors(&years()[1..])?)
            }
            Fault::AnotherQuestion => {
                let line = space("euclidean:1");
                let points = Points::new(&*line, vec![0.0; N])?;
                let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.25)?)?;
                mean.first_query()?.answer(Observations::new(&points))
            }
        }
    }
}

#[test]
fn nothing_is_released_of_records_that_cannot_be_read_or_changed() {
    let mut refused = 0;
    for (name, radius) in SPACES {
        let m = space(name);
        let plain = points(&m, radius);
        let rows = with_features(&m, &plain);
        for (request, by) in requests(&m, radius) {
            let Ok(plan) = by.map_or_else(|| request.plan(), |name| request.plan_by(name)) else { continue };
            let (m, points) = match request.statistic().name() {
                StatisticName::FeatureRegression => (features().space_of_records(m.clone()).unwrap(), &rows),
                _ => (m.clone(), &plain),
            };
            for fault in [Fault::Unread, Fault::OneLess, Fault::AnotherQuestion] {
                for after in [0, 1, 3] {
                    let source = Faulty {
                        manifold: m.clone(),
                        points: points.clone(),
                        fault,
                        after,
                        asked: AtomicUsize::new(0),
                    };
                    let records = Remote::new(source);
                    let release = plan.run(&records, &mut ReleaseContext::seeded(1));
                    match release {
                        Err(Error::Unanswered { .. }) => refused += 1,
                        // nothing was asked any more
                        Ok(_) if after > 0 => {}
                        other => panic!("{name}, {:?}, {fault:?} after {after}: {other:?}", plan.name()),
                    }
                }
            }
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn what_looks_at_records_one_by_one_says_that_they_must_fit_into_memory() {
    let m = space("sphere:2");
    let points = points(&m, 0.6);
    let mean = PrivateFrechetMean::new(m.clone(), Ball::at_origin(&*m, 0.6).unwrap()).unwrap();
    let plan = Request::new(mean, N, Guarantee::pure(1.0).unwrap()).plan_by(MechanismName::Kng).unwrap();
    let run = |memory| {
        plan.run(&Streamed::new(InBatches::new(&m, &points, 99), memory, &[])?, &mut ReleaseContext::seeded(1))
    };
    assert_eq!(run(0).unwrap_err(), Error::NotInMemory);
    assert!(run(1 << 20).is_ok());
}

impl KeyedBatches for &InBatches {
    type Key = usize;

    /// Person `i mod 100` has the record `i`, so that everybody has records in several batches.
    fn pass(&self, each: &EachKeyed<'_, usize>) -> Result<()> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let years = years();
        let batches: Vec<_> = self.points.view().chunks(self.size).zip(years.chunks(self.size)).enumerate().collect();
        batches.into_iter().rev().try_for_each(|(i, (points, years))| {
            let keys = (i * self.size..).take(points.len()).map(|i| i % 100).collect();
            each(keys, Observations::new(points).with_predictors(years)?)
        })
    }
}

/// A file that is gone with the test.
fn nameless_file() -> std::fs::File {
    let path = std::env::temp_dir().join(format!("karcher-elsewhere-{:?}", std::thread::current().id()));
    let file = std::fs::File::options().read(true).write(true).create(true).truncate(true).open(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    file
}

#[test]
fn persons_in_parts_contribute_what_they_contribute_together() {
    for (name, radius) in SPACES {
        let m = space(name);
        let points = points(&m, radius);
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let range = PredictorRange::new(0.0, 100.0).unwrap();
        let mut persons = Persons::new(m.clone(), &ball).unwrap().predictors(range);
        let years = years();
        let all = Observations::new(&points).with_predictors(&years).unwrap();
        persons.add((0..N).map(|i| i % 100), all).unwrap();
        let together = persons.contributions().unwrap();
        let regression = PrivateRegression::new(m.clone(), ball.clone(), range, radius).unwrap();
        let request = Request::new(regression, 100, Guarantee::gaussian(1.0).unwrap());
        let plan = request.plan_by(MechanismName::GradientDescent).unwrap();
        let run = |records: &dyn Records| plan.run(records, &mut ReleaseContext::seeded(2)).unwrap();
        for (parts, memory) in [(1, 0), (7, 0), (7, 1 << 20), (400, 0)] {
            let batches = InBatches::new(&m, &points, 90);
            let in_parts = PersonsInParts::new(&batches, m.clone(), &ball, parts).unwrap().predictors(range);
            let streamed = Streamed::new(in_parts, memory, &[]).unwrap();
            assert_eq!((Records::count(&streamed), Records::unit(&streamed)), (100, PrivacyUnit::Person));
            assert_eq!(run(&streamed), run(&together), "{name}, {parts} parts");

            let batches = InBatches::new(&m, &points, 90);
            let in_parts = PersonsInParts::new(&batches, m.clone(), &ball, parts).unwrap().predictors(range);
            let spooled = in_parts.spooled(nameless_file(), |key| key.to_le_bytes().to_vec(), 1 << 12);
            let streamed = Streamed::new(spooled, memory, &[]).unwrap();
            assert_eq!((Records::count(&streamed), Records::unit(&streamed)), (100, PrivacyUnit::Person));
            assert_eq!(run(&streamed), run(&together), "{name}, {parts} parts on a disk");
            assert_eq!(batches.passes.load(Ordering::Relaxed), 1, "records are read once");
        }
    }
}

/// A trillion records, as it were: every record counts 2⁴⁰/700 times.
struct Trillion(Arc<dyn Manifold>, Points);

const TRILLION: usize = N << 31;

impl Source for Trillion {
    fn space(&self) -> &Space {
        self.0.space()
    }

    fn count(&self) -> usize {
        TRILLION
    }

    fn sum(&self, query: &SumQuery) -> Result<ExactSum> {
        let once = query.answer(Observations::new(&self.1).with_predictors(&years())?)?;
        (0..31).try_fold(once, |sum, _| sum.clone().merge(sum))
    }
}

/// A center that is sent has the bits that it had, however often it is sent: on spheres, shapes and subspaces to
/// normalize twice is not to normalize once.
#[test]
fn a_ball_that_is_sent_keeps_every_bit() {
    let names = [
        "euclidean:3",
        "sphere:1",
        "sphere:2",
        "sphere:9",
        "sphere:300",
        "hyperbolic:2",
        "hyperbolic:7",
        "spd-log-euclidean:3",
        "spd-affine-invariant:3",
        "kendall:3",
        "kendall:4",
        "kendall:7",
        "kendall:50",
        "projective:2",
        "rotations:3",
        "grassmann:4,2",
        "grassmann:9,6",
        "torus:3",
        "sphere:2*euclidean:1",
        "kendall:4*torus:2",
        "spd-affine-invariant:2*kendall:5",
        "projective:2*grassmann:4,2*rotations:3",
    ];
    let (mut generator, mut changed) = (Generator::seeded(17), 0);
    for name in names {
        let m = space(name);
        let (mut origin, mut v, mut x) = (vec![0.0; m.point_len()], vec![0.0; m.point_len()], vec![0.0; m.point_len()]);
        m.origin(&mut origin);
        for _ in 0..100 {
            let c: Vec<f64> = (0..m.dim()).map(|_| StandardNormal.sample(&mut generator)).collect();
            let c: Vec<f64> = c.iter().map(|c: &f64| 0.4 * c / (m.dim() as f64).sqrt()).collect();
            m.from_frame(&origin, &c, &mut v);
            m.exp(&origin, &v, &mut x);
            m.repair(&mut x);
            let ball = Ball::new(&*m, x.clone(), 0.3).unwrap();
            let mut sent = ball.clone();
            for _ in 0..3 {
                sent = serde_json::from_str(&serde_json::to_string(&sent).unwrap()).unwrap();
            }
            assert_eq!(bits(sent.center()), bits(ball.center()), "{name}");
            changed +=
                usize::from(bits(Ball::new(&*m, ball.center().to_vec(), 0.3).unwrap().center()) != bits(ball.center()));
        }
    }
    assert!(changed > 300, "normalizing again changes {changed} centers, so that nothing is tested");
}

/// A point from another sender is a normalized point, or it is rejected.
#[test]
fn a_ball_that_was_never_made_is_made_when_it_is_read() {
    let read = |space: &str, center: &str| {
        serde_json::from_str::<Ball>(&format!(r#"{{"space":"{space}","center":{center},"radius":0.3}}"#))
    };
    for (name, center) in [
        ("sphere:2", "[0.6,0.0,0.9]"),
        ("sphere:2", "[0.6,0.8]"),
        ("sphere:2", "[1e999,0.0,0.0]"),
        ("sphere:2", "[0.0,0.0,0.0]"),
        ("kendall:3", "[1.0,0.0,0.0,0.0,0.0,0.0]"),
        ("hyperbolic:1", "[1.0,0.75]"),
        ("sphere:2*euclidean:1", "[0.6,0.0,0.9,1e9]"),
    ] {
        assert!(read(name, center).is_err(), "{name} {center}");
    }
    // a point with few digits, also next to a number whose last digit exceeds the error
    for (name, center) in [("sphere:2", "[0.6,0.0,0.80000001]"), ("sphere:2*euclidean:1", "[0.6,0.0,0.80000001,1e9]")] {
        let ball = read(name, center).unwrap();
        let norm = ball.center()[..3].iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((norm - 1.0).abs() < 1e-15, "{name}: {norm}");
    }
}

fn bits(center: &[f64]) -> Vec<u64> {
    center.iter().map(|x| x.to_bits()).collect()
}

/// A ball is located among more than 2⁴⁰ records, and a mean planned in it, as among fewer.
#[test]
fn a_mean_is_planned_in_a_located_ball_of_a_trillion_records() {
    let m = space("sphere:2");
    let location = PrivateLocation::new(m.clone(), Ball::at_origin(&*m, 3.2).unwrap()).unwrap();
    let mean = PrivateFrechetMean::new(m.clone(), location.ball().clone()).unwrap();
    for n in [1 << 30, TRILLION, MOST] {
        let budget = Guarantee::gaussian(1.0).unwrap();
        let request = Request::new(mean.clone(), n, budget);
        LocatedMean::new(&location, &request, None).unwrap_or_else(|error| panic!("{n}: {error}"));
    }
}

/// A request that no plan supports is rejected before a budget could be spent.
#[test]
fn more_records_than_are_ever_released_are_refused_in_the_plan() {
    let m = space("sphere:2");
    let ball = Ball::at_origin(&*m, 0.5).unwrap();
    let request =
        |n| Request::new(PrivateFrechetMean::new(m.clone(), ball.clone()).unwrap(), n, Guarantee::pure(1.0).unwrap());
    assert!(request(MOST).plan().is_ok());
    let location = PrivateLocation::new(m.clone(), ball.clone()).unwrap();
    for error in [
        request(MOST + 1).plan().unwrap_err(),
        request(MOST + 1).plan_by(MechanismName::KarcherFlow).unwrap_err(),
        LocateBall::new(&location, MOST + 1, Guarantee::pure(1.0).unwrap(), None).unwrap_err(),
    ] {
        assert_eq!(error.parameter(), Some("number_of_records"), "{error}");
    }
}

const MOST: usize = 1_000_000_000_000_000;

/// Sums of more than 2⁴⁰ records neither overflow nor lose a digit: what is released is the value of as many records
/// without noise to speak of.
#[test]
fn a_trillion_records_are_summed_without_overflow() {
    const { assert!(TRILLION > 1 << 40) };
    for (name, radius) in SPACES {
        let m = space(name);
        let points = points(&m, radius);
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let mean = PrivateFrechetMean::new(m.clone(), ball).unwrap();
        // noise of a millionth of a millionth
        let many = Request::new(mean.clone(), TRILLION, Guarantee::gaussian(1.0).unwrap());
        let few = Request::new(mean.clone(), N, Guarantee::gaussian(1e9).unwrap());
        for by in [MechanismName::Chart, MechanismName::KarcherFlow] {
            let [many, few] = [many.plan_by(by).unwrap(), few.clone().steps(None).plan_by(by).unwrap()];
            let far =
                many.run(&Remote::new(Trillion(m.clone(), points.clone())), &mut ReleaseContext::seeded(1)).unwrap();
            let near = few.run(&points, &mut ReleaseContext::seeded(2)).unwrap();
            let apart = m.dist(far.value(), near.value());
            let tolerance = if by == MechanismName::Chart { 1e-7 } else { 0.02 } * radius;
            assert!(apart < tolerance, "{name}, {by:?}: {apart}");
        }
    }
}
