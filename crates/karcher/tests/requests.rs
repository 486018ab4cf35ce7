//! Laws of every mechanism: spaces are not mixed up, options without an effect are rejected, releases read back as they
//! were written, plans can be sent and stored.

use crate::common::example::{example_on, request_of, requested};
use crate::common::{cloud, manifold};
use karcher::audit::neighbours;
use karcher::error::GeometryError;
use karcher::mechanism::{
    Denoise, MECHANISMS, Noise, NoisyMean, NumericsPolicy, Plan, PrivateFrechetMean, PrivateRegression, Request,
    Spread, best, mechanism, mechanisms_for,
};
use karcher::nonprivate::{FrechetMean, GeodesicRegression, Persons};
use karcher::privacy::{GaussianCalibration, Guarantee};
use karcher::records::{Batches, Observations, Records, Streamed, Summand};
use karcher::release::{Flag, MechanismName, PublishedRelease, Release, StatisticName, ValueKind};
use karcher::sampler::Law;
use karcher::sensitivity::Bound;
use karcher::statistics::Unit;
use karcher::{Ball, Error, Manifold, Points, PredictorRange, ReleaseContext, ReleaseSpec, Space};
use serde_json::Value;
use std::sync::Arc;

const N: usize = 40;

fn private_mean(manifold: &Arc<dyn Manifold>) -> PrivateFrechetMean {
    PrivateFrechetMean::new(Arc::clone(manifold), Ball::at_origin(&**manifold, 0.3).unwrap()).unwrap()
}

fn private_regression(manifold: &Arc<dyn Manifold>) -> PrivateRegression {
    let (ball, range) = (Ball::at_origin(&**manifold, 0.3).unwrap(), PredictorRange::new(0.0, 1.0).unwrap());
    PrivateRegression::new(Arc::clone(manifold), ball, range, 0.4).unwrap()
}

/// The request of a statistic, if its records are points of the space and it has one there.
fn request(m: &Arc<dyn Manifold>, statistic: StatisticName, budget: Guarantee) -> Option<Request> {
    let spec = ReleaseSpec { budget, ..example_on(statistic, m, 0.3) };
    let is_of_points = spec.space_of_records().is_ok_and(|records| records.space() == m.space());
    is_of_points.then(|| request_of(&spec, N).ok()).flatten()
}

fn predictors() -> Vec<f64> {
    (0..N).map(|i| i as f64 / N as f64).collect()
}

/// A plan of every mechanism for every statistic, on a line and on the sphere.
fn plans() -> Vec<(Arc<dyn Manifold>, Box<dyn Plan>)> {
    let mut plans = Vec::new();
    for name in ["euclidean:1", "sphere:2"] {
        let m = manifold(name);
        for statistic in requested() {
            let request = |budget| request(&m, statistic, budget);
            let (pure, normal) = (Guarantee::pure(2.0).unwrap(), Guarantee::gaussian(1.0).unwrap());
            let (Some(pure), Some(normal)) = (request(pure), request(normal)) else { continue };
            for mechanism in mechanisms_for(statistic) {
                // no mechanism gives every kind of privacy
                let expected_spread = (mechanism.name() == MechanismName::TwoStage).then_some(0.1);
                let plan = |request: &Request| {
                    request.clone().expected_spread(expected_spread).unwrap().plan_by(mechanism.name())
                };
                if let Ok(plan) = plan(&pure).or_else(|_| plan(&normal)) {
                    plans.push((Arc::clone(&m), plan));
                }
            }
        }
    }
    let mut planned: Vec<MechanismName> = plans.iter().map(|(_, plan)| plan.name()).collect();
    planned.sort_by_key(|name| name.name());
    planned.dedup();
    assert_eq!(planned.len(), MechanismName::ALL.len() - 3, "all but privunit and two of rows: {planned:?}");
    plans
}

fn run(m: &Arc<dyn Manifold>, plan: &dyn Plan) -> Release {
    let (points, xs) = (cloud(m, N, 0.1, 1), predictors());
    plan.run(&Observations::new(&points).with_predictors(&xs).unwrap(), &mut ReleaseContext::seeded(2)).unwrap()
}

/// Both numbers are in the release and public.
#[test]
fn a_release_is_flagged_just_where_its_noise_exceeds_the_ball() {
    let m = manifold("euclidean:2");
    let (mut flagged, mut not) = (0, 0);
    for statistic in requested() {
        for mu in [0.02, 0.5, 200.0] {
            let Some(request) = request(&m, statistic, Guarantee::gaussian(mu).unwrap()) else { continue };
            let plan = request.plan().unwrap();
            let release = run(&m, &*plan);
            let limit = match statistic.description().unit {
                Unit::Length => release.ball().radius(),
                Unit::SquareLength => release.ball().radius().powi(2),
            };
            let exceeds = release.expected_distance() > limit;
            assert_eq!(plan.summary().noise_exceeds_ball(), exceeds, "{statistic}, {mu}");
            let flags = release.flags().iter().filter(|flag| **flag == Flag::NoiseExceedsBall).count();
            assert_eq!(flags, usize::from(exceeds), "{statistic}, {mu}");
            *(if exceeds { &mut flagged } else { &mut not }) += 1;
        }
    }
    assert!(flagged >= 4 && not >= 4, "{flagged} and {not}");
}

#[test]
fn the_list_of_mechanisms_has_each_name_once() {
    assert_eq!(MECHANISMS.len(), MechanismName::ALL.len());
    for name in MechanismName::ALL {
        assert_eq!(MECHANISMS.iter().filter(|mechanism| mechanism.name() == name).count(), 1, "{name}");
        assert_eq!(mechanism(name).name(), name);
        assert!(!mechanism(name).statistics().is_empty() && mechanism(name).about().len() > 20, "{name}");
    }
}

#[test]
fn what_belongs_to_another_space_is_refused() {
    // as many numbers in a point: only the name distinguishes them
    let (sphere, flat) = (manifold("sphere:2"), manifold("euclidean:3"));
    let (here, there) = (cloud(&sphere, N, 0.1, 1), cloud(&flat, N, 0.1, 1));
    let (ball, other_ball) = (Ball::at_origin(&*sphere, 0.3).unwrap(), Ball::at_origin(&*flat, 0.3).unwrap());
    let xs = predictors();
    let refused = |error: Error, what: &str, (expected, found): (&Arc<dyn Manifold>, &Arc<dyn Manifold>)| match error {
        Error::Geometry(GeometryError::SpaceMismatch { what: given, expected: e, found: f }) => {
            assert_eq!((given, &e, &f), (what, expected.space(), found.space()));
        }
        other => panic!("{what}: {other}"),
    };
    let alien = (&sphere, &flat);
    refused(FrechetMean::new(&*sphere).fit(there.view()).unwrap_err(), "points", alien);
    refused(FrechetMean::new(&*flat).fit(here.view()).unwrap_err(), "points", (&flat, &sphere));
    refused(GeodesicRegression::new(&*sphere).fit(there.view(), &xs).unwrap_err(), "points", alien);
    refused(GeodesicRegression::new(&*flat).fit(here.view(), &xs).unwrap_err(), "points", (&flat, &sphere));
    refused(ball.clip_all(&*sphere, &there).unwrap_err().into(), "points", alien);
    refused(other_ball.clip_all(&*sphere, &here).unwrap_err().into(), "a ball", alien);
    refused(ball.clip_all(&*flat, &there).unwrap_err().into(), "a ball", (&flat, &sphere));
    refused(neighbours(&*sphere, &other_ball, 3).unwrap_err(), "a ball", alien);
    let term = Summand::Log { base: vec![1.0, 0.0, 0.0], bound: 1.0 };
    refused(Observations::new(&there).sum(&*sphere, &term).unwrap_err(), "points", alien);

    let mean = PrivateFrechetMean::new(Arc::clone(&sphere), other_ball.clone());
    refused(mean.unwrap_err(), "a ball", alien);
    let range = PredictorRange::new(0.0, 1.0).unwrap();
    let regression = PrivateRegression::new(Arc::clone(&sphere), other_ball, range, 0.4);
    refused(regression.unwrap_err(), "a ball", alien);
    let noise = Noise::of_scale(Arc::clone(&flat), Law::Laplace, 1.0, 1.0).unwrap();
    refused(NoisyMean::new(private_mean(&sphere), N, noise).unwrap_err(), "noise", alien);

    for (m, plan) in plans() {
        let records = Observations::new(&there).with_predictors(&xs).unwrap();
        refused(plan.run(&records, &mut ReleaseContext::seeded(1)).unwrap_err(), "records", (&m, &flat));
    }
}

/// All optional parameters of a request for the mean, with the request that gives this one.
fn with_parameter(parameter: &str, m: &Arc<dyn Manifold>) -> Request {
    let budget = Guarantee::approximate(0.5, 1e-5).unwrap();
    let mean = private_mean(m);
    match parameter {
        "bound" => Request::new(mean.bound(Some(Bound::Optimal)), N, budget),
        "tolerance" => Request::new(mean.tolerance(Some(1e-9)), N, budget),
        "assume_in_ball" => Request::new(mean.assume_in_ball(true), N, budget),
        "denoise" => Request::new(mean.denoise(Some(Denoise::Shrink)), N, budget),
        "steps" => Request::new(mean, N, budget).steps(Some(2)),
        "calibration" => Request::new(mean, N, budget).calibration(Some(GaussianCalibration::Classical)),
        "expected_spread" => Request::new(mean, N, budget).expected_spread(Some(0.1)).unwrap(),
        other => panic!("a new parameter, {other}: say how to give it"),
    }
}

const PARAMETERS: [&str; 7] =
    ["bound", "tolerance", "assume_in_ball", "denoise", "steps", "calibration", "expected_spread"];

fn assert_inapplicable(error: Error, parameter: &str, by: &str, takers: &str) {
    assert_eq!(error.parameter(), Some(parameter), "{error}");
    let Error::Inapplicable { mechanism, takers: found, .. } = error else { panic!("{parameter}, {by}: {error}") };
    assert_eq!((&mechanism[..], &found[..]), (by, takers), "{parameter}");
}

#[test]
fn options_that_nothing_would_come_of_are_refused_for_means() {
    let flat = manifold("euclidean:3");
    let mut refused = 0;
    for name in MECHANISMS.iter().flat_map(|mechanism| mechanism.parameters()) {
        assert!(PARAMETERS.contains(name), "{name}");
    }
    for parameter in PARAMETERS {
        let request = with_parameter(parameter, &flat);
        let takes = |name: MechanismName| mechanism(name).parameters().contains(&parameter);
        let all: Vec<MechanismName> = mechanisms_for(StatisticName::FrechetMean).map(|m| m.name()).collect();
        let takers: Vec<&str> = all.iter().filter(|name| takes(**name)).map(|name| name.name()).collect();
        let takers = takers.join(", ");
        for name in all {
            // which two stages do not go without
            let spread = (parameter == "expected_spread" || name == MechanismName::TwoStage).then_some(0.1);
            match request.clone().expected_spread(spread).unwrap().plan_by(name) {
                Ok(plan) => assert!(takes(name), "{parameter} went unnoticed by {}", plan.name()),
                Err(error) => {
                    assert!(!takes(name), "{parameter}, {name}: {error}");
                    assert_inapplicable(error, parameter, name.name(), &takers);
                    refused += 1;
                }
            }
        }
        match request.plan() {
            // what says something about the mean says it whichever mechanism is chosen
            Ok(_) => assert!(!["steps", "calibration"].contains(&parameter), "{parameter}"),
            Err(error) => {
                assert!(["steps", "calibration"].contains(&parameter), "{parameter}");
                assert_inapplicable(error, parameter, "auto", &takers);
            }
        }
    }
    // bound: chart, kng and flow; tolerance: kng and flow; clipping: flow and two stages; steps: all but the flow;
    // calibration: all but Gaussian noise; expected spread: all but two stages
    assert_eq!(refused, 3 + 2 + 2 + 5 + 5 + 5);
    let error = with_parameter("calibration", &manifold("sphere:2")).plan_by(MechanismName::Gaussian).unwrap_err();
    assert_inapplicable(error, "calibration", "gaussian on sphere:2", "gaussian on flat spaces");
    // a curved draw is no noise on a vector
    for name in [MechanismName::Laplace, MechanismName::Gaussian, MechanismName::Kng] {
        let error = with_parameter("denoise", &manifold("sphere:2")).plan_by(name).unwrap_err();
        let by = format!("{name} on sphere:2");
        assert_inapplicable(error, "denoise", &by, "chart, karcher-flow");
    }
}

#[test]
fn options_that_nothing_would_come_of_are_refused_for_regressions() {
    let m = manifold("euclidean:1");
    let plain = || Request::new(private_regression(&m), N, Guarantee::pure(1.0).unwrap());
    for name in mechanisms_for(StatisticName::GeodesicRegression).map(|mechanism| mechanism.name()) {
        let steps = plain().steps(Some(2)).plan_by(name);
        if name == MechanismName::GradientDescent {
            assert_eq!(steps.unwrap().summary().steps.as_ref().map(Vec::len), Some(2));
        } else {
            assert_inapplicable(steps.unwrap_err(), "steps", name.name(), "gradient-descent");
        }
        let calibration = plain().calibration(Some(GaussianCalibration::Analytic)).plan_by(name).unwrap_err();
        assert_inapplicable(calibration, "calibration", name.name(), "no mechanism for a geodesic-regression");
    }
    assert_inapplicable(plain().steps(Some(2)).plan().unwrap_err(), "steps", "auto", "gradient-descent");
    let calibration = plain().calibration(Some(GaussianCalibration::Analytic)).plan().unwrap_err();
    assert_inapplicable(calibration, "calibration", "auto", "no mechanism for a geodesic-regression");
}

#[test]
fn mechanisms_for_another_statistic_say_which_there_are() {
    let m = manifold("sphere:2");
    for statistic in requested() {
        let Some(request) = request(&m, statistic, Guarantee::pure(1.0).unwrap()) else { continue };
        let names: Vec<&str> = mechanisms_for(statistic).map(|mechanism| mechanism.name().name()).collect();
        let names = names.join(", ");
        for mechanism in MECHANISMS.into_iter().filter(|mechanism| !mechanism.statistics().contains(&statistic)) {
            let error = request.plan_by(mechanism.name()).unwrap_err();
            assert!(matches!(error, Error::Unsupported { .. }), "{error}");
            let said = format!("it does not release a {statistic}; take one of {names}");
            assert!(error.to_string().ends_with(&said), "{error}");
            // asked by itself, too
            assert_eq!(mechanism.plan(&request).unwrap_err(), error);
        }
    }
}

/// The paths to all numbers of a JSON object, through objects.
fn at<'a>(json: &'a mut Value, path: &[&str]) -> &'a mut Value {
    path.iter().fold(json, |json, key| &mut json[*key])
}

#[test]
fn releases_read_back_as_they_were_written() {
    for (m, plan) in plans() {
        let release = run(&m, &*plan);
        let context = format!("{} by {} on {}", release.statistic(), plan.name(), m.space());
        assert_eq!(release.guarantee(), plan.guarantee());
        match plan.name() {
            MechanismName::TwoStage => assert!(release.located().is_some()),
            name => assert_eq!(release.mechanism(), name),
        }
        let json = serde_json::to_value(&release).unwrap();
        let kind = release.statistic().description().value;
        let (is_regression, is_ball) = (kind == ValueKind::Geodesic, kind == ValueKind::Ball);
        let has = ["value", "footpoint", "radii", "mean_square"].map(|field| json.get(field).is_some());
        assert_eq!(has, [kind == ValueKind::Point, is_regression, is_ball, kind == ValueKind::Variance], "{context}");
        let text = serde_json::to_string(&release).unwrap();
        let read: PublishedRelease = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{context}: {e}"));
        assert_eq!(read, PublishedRelease::from(release), "{context}");
        assert_eq!(serde_json::to_string(&read).unwrap(), text, "{context}");

        let parameter = if json["guarantee"].get("mu").is_some() { "mu" } else { "epsilon" };
        let mut bad: Vec<(Vec<&str>, Value)> = vec![
            (vec!["guarantee", parameter], (-1.0).into()),
            (vec!["guarantee", parameter], 0.0.into()),
            (vec!["guarantee", "definition"], "none".into()),
            (vec!["ball", "radius"], (-0.3).into()),
            (vec!["ball", "radius"], 0.0.into()),
            (vec!["ball", "center"], vec![0.5; 7].into()),
            (vec!["ball", "space"], "sphere:0".into()),
            (vec!["mechanism"], "laplac".into()),
            (vec!["numerics"], "perfect".into()),
            (vec!["unit"], "household".into()),
            (vec!["flags"], vec!["fine"].into()),
        ];
        if is_ball {
            bad.push((vec!["radius"], 0.0.into()));
            bad.push((vec!["radius"], Value::Null));
            bad.push((vec!["center"], vec![0.5; 7].into()));
            bad.push((vec!["parts"], "all".into()));
            bad.push((vec!["statistic"], "geometric-median".into()));
        }
        if is_regression {
            bad.push((vec!["predictor_range", "low"], 1.0.into()));
            bad.push((vec!["predictor_range"], Value::Null));
        }
        for (path, value) in bad {
            let mut tampered = json.clone();
            let place = at(&mut tampered, &path);
            assert_ne!(*place, value);
            *place = value.clone();
            assert!(serde_json::from_value::<PublishedRelease>(tampered).is_err(), "{context}: {path:?} {value}");
        }
        let mut without = json.clone();
        without.as_object_mut().unwrap().remove("guarantee");
        assert!(serde_json::from_value::<PublishedRelease>(without).is_err(), "{context}");
    }
}

/// A digit that the records hold and nothing else does.
#[test]
fn records_print_no_number_of_theirs() {
    let m = manifold("euclidean:2");
    let points = Points::new(&*m, vec![7.25, -7.5, 7.75, 7.125]).unwrap();
    let predictors = [7.0625, 7.375];
    let observations = Observations::new(&points).with_predictors(&predictors).unwrap();
    assert_eq!(format!("{points:?}"), "2 points of euclidean:2");
    assert_eq!(format!("{:?}", points.view()), "2 points of euclidean:2");
    assert_eq!(format!("{:?}", Observations::new(&points)), "2 points of euclidean:2");
    for printed in [format!("{observations:?}"), format!("{observations:#?}"), format!("{points:#?}")] {
        assert!(!printed.contains('7') && printed.contains("euclidean:2"), "{printed}");
    }
}

/// Objects that a program for releases keeps: none of them borrows.
struct Service {
    plan: Box<dyn Plan>,
}

impl Service {
    fn new(name: &str) -> karcher::Result<Self> {
        let m = manifold(name); // gone at the end of this function
        let request = Request::new(private_mean(&m), N, Guarantee::pure(1.0)?);
        Ok(Self { plan: request.plan()? })
    }

    fn release(&self, records: &dyn Records) -> karcher::Result<Release> {
        self.plan.run(records, &mut ReleaseContext::seeded(3))
    }
}

#[test]
fn plans_are_stored_sent_to_threads_and_run_again() {
    let m = manifold("sphere:2");
    let records = cloud(&m, N, 0.1, 1);
    let service = Service::new("sphere:2").unwrap();
    let here = service.release(&records).unwrap();
    assert_eq!(service.release(&records).unwrap(), here, "a plan keeps nothing of its records");
    let sent = records.clone();
    let (service, there) = std::thread::spawn(move || {
        let release = service.release(&sent).unwrap();
        (service, release)
    })
    .join()
    .unwrap();
    assert_eq!(there, here);
    // shared by several at once
    let releases: Vec<Release> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| service.release(&records).unwrap())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(releases.iter().all(|release| *release == here));
    assert_eq!(service.release(&records.view()).unwrap(), here, "borrowed records are the same records");
}

/// A run releases whatever the check accepts, so a service that checks before it reserves loses no budget. Some records
/// are of another space, one fewer, without predictors, of persons, or in batches.
#[test]
fn a_run_refuses_no_records_that_the_check_accepts() {
    let xs = predictors();
    let (mut accepted, mut refused) = (0, 0);
    let mut compare = |plan: &dyn Plan, records: &dyn Records, expected: bool| {
        let what = format!("{} records of {}", records.count(), records.space());
        let checked = plan.check(records);
        assert_eq!(checked.is_ok(), expected, "{}, {what}: {checked:?}", plan.name());
        assert!(checked.as_ref().err().is_none_or(|error| !error.depends_on_records()), "{checked:?}");
        let run = plan.run(records, &mut ReleaseContext::seeded(1)).map(|_| ());
        assert_eq!(run, checked, "{}, {what}", plan.name());
        *(if checked.is_ok() { &mut accepted } else { &mut refused }) += 1;
    };
    for (m, plan) in plans() {
        let plan = &*plan;
        let is_regression = plan.summary().statistic == StatisticName::GeodesicRegression;
        let is_exact = plan.summary().chain_steps.is_none(); // chains take long, and are run once
        let reads_each = plan.name() == MechanismName::Kng;
        let points = cloud(&m, N, 0.1, 1);
        let with_predictors = Observations::new(&points).with_predictors(&xs).unwrap();
        compare(plan, &with_predictors, true);
        if is_exact || is_regression {
            compare(plan, &points, !is_regression);
            compare(plan, &points.view(), !is_regression);
        }
        let fewer = cloud(&m, N - 1, 0.1, 1);
        compare(plan, &Observations::new(&fewer).with_predictors(&xs[1..]).unwrap(), false);
        for alien in ["sphere:3", "euclidean:2"] {
            let alien = cloud(&manifold(alien), N, 0.1, 1);
            compare(plan, &Observations::new(&alien).with_predictors(&xs).unwrap(), false);
        }
        for predictors in [Some(&xs[..]), None] {
            if is_exact || is_regression && predictors.is_none() {
                let persons = Persons::new(Arc::clone(&m), &plan.summary().ball).unwrap();
                let range = PredictorRange::new(0.0, 1.0).unwrap();
                let mut persons = if predictors.is_some() { persons.predictors(range) } else { persons };
                let records = Observations::new(&points);
                let records = predictors.map_or(Ok(records), |xs| records.with_predictors(xs)).unwrap();
                persons.add((0..N).map(|i| i.to_string()), records).unwrap();
                compare(plan, &persons.contributions().unwrap(), predictors.is_some() || !is_regression);
            }
            let batches = || InHalves(&points, predictors);
            let fits = predictors.is_some() || !is_regression;
            compare(plan, &Streamed::new(batches(), 0, &[]).unwrap(), fits && !reads_each);
            if is_exact || !fits {
                compare(plan, &Streamed::new(batches(), usize::MAX, &[]).unwrap(), fits);
            }
        }
    }
    assert!(accepted > 50 && refused > 100, "{accepted} and {refused}");
}

/// Records in two batches.
struct InHalves<'a>(&'a Points, Option<&'a [f64]>);

impl Batches for InHalves<'_> {
    fn space(&self) -> &Space {
        self.0.view().space()
    }

    fn pass(&self, each: &(dyn Fn(Observations<'_>) -> karcher::Result<()> + Sync)) -> karcher::Result<()> {
        let manifold = self.space().manifold()?;
        let (first, second) = self.0.view().values().split_at(N / 2 * self.0.view().point_len());
        for (i, half) in [first, second].into_iter().enumerate() {
            let points = Points::new(&*manifold, half.to_vec())?;
            let records = Observations::new(&points);
            match self.1 {
                Some(xs) => each(records.with_predictors(&xs[i * N / 2..][..N / 2])?)?,
                None => each(records)?,
            }
        }
        Ok(())
    }
}

/// A plan leaves out what it would not take: that changes neither the choice nor a number, nor the reason why there is
/// none.
#[test]
fn a_plan_is_the_best_of_all_candidates() {
    let budgets = [
        Guarantee::pure(1.0),
        Guarantee::approximate(1.0, 1e-6),
        Guarantee::gaussian(0.5),
        Guarantee::concentrated(0.1),
    ];
    let mut refused = 0;
    for name in ["sphere:2", "hyperbolic:2", "torus:2", "euclidean:3", "kendall:5", "spd-affine-invariant:2"] {
        let space = manifold(name);
        for (radius, n) in [(0.3, 1), (0.3, 1_000), (1.2, 50), (2.0, 50)] {
            let mean = PrivateFrechetMean::new(Arc::clone(&space), Ball::at_origin(&*space, radius).unwrap()).unwrap();
            for budget in &budgets {
                let request = Request::new(mean.clone(), n, budget.clone().unwrap());
                for (accept, spread) in [
                    (NumericsPolicy::Exact, None),
                    (NumericsPolicy::Any, None),
                    (NumericsPolicy::Exact, Some(Spread::default())),
                ] {
                    let request = request.clone().numerics(accept).spread(spread);
                    let candidates = request.candidates();
                    for candidate in &candidates {
                        let idealized = candidate.mechanism.is_idealized(&request);
                        let plan = candidate.plan.as_ref();
                        let is_exact = plan.is_ok_and(|plan| NumericsPolicy::Exact.refuses(&**plan).is_none());
                        assert!(!(idealized && is_exact), "{name}");
                    }
                    match (best(&candidates, accept), request.plan()) {
                        (Some(chosen), Ok(plan)) => {
                            let chosen = candidates[chosen].plan.as_ref().unwrap();
                            assert_eq!(format!("{:?}", plan.summary()), format!("{:?}", chosen.summary()));
                        }
                        (None, Err(reason)) => {
                            let reasons = candidates.iter().filter_map(|candidate| candidate.plan.as_ref().err());
                            assert!(reasons.map(Error::to_string).any(|other| other == reason.to_string()), "{reason}");
                            refused += 1;
                        }
                        (chosen, plan) => panic!("{name}, {radius}: {chosen:?}, {plan:?}"),
                    }
                }
            }
        }
    }
    assert!(refused > 0);
}
