//! The geometric median, plain and private, and balls that are located.

use crate::arrays::{Point, Records, array};
use crate::error::Failure;
use crate::input::{Given, Way};
use crate::ledger::WayOut;
use crate::manifold::PyManifold;
use crate::mean::{Beside, ball, records};
use crate::mechanism::{Choice, denoise};
use crate::privacy::{Budget, Neighbours, guarantee, json, neighbours, parse_bound};
use crate::work::run;
use karcher::error::GeometryError;
use karcher::mechanism::{
    LocatedMean, PrivateFrechetMean, PrivateFrechetVariance, PrivateGeometricMedian, PrivateLocation, Request,
};
use karcher::release::MechanismName;
use karcher::statistic::GeometricMedian;
use karcher::{Ball, Error, Manifold};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Mutex;

/// The geometric median of the rows of `x`.
#[pyfunction]
#[pyo3(signature = (manifold, x, start, tolerance, max_iter))]
pub fn geometric_median<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
    tolerance: Option<f64>,
    max_iter: usize,
) -> Result<Bound<'py, PyAny>, Failure> {
    let (space, shape) = (manifold.get().share(), manifold.get().shape());
    let x = records(manifold.get(), "X", x)?.array;
    let start = start.map(|start| Point::new(start, "start", &*space)).transpose()?;
    let median = run(py, [x], move |[values], _| {
        let space = &*space;
        let start = start.map(|start| start.check(space)).transpose()?;
        let records = Records::new(space, values)?;
        let mut median = GeometricMedian::new(space).iterations(max_iter);
        if let Some(start) = &start {
            median = median.start(start);
        }
        if let Some(tolerance) = tolerance {
            median = median.tolerance(tolerance);
        }
        Ok(median.fit(records.view())?)
    })?;
    array(py, median, None, shape)
}

/// The private geometric median of the rows of `x`: the release as JSON.
#[pyfunction]
#[pyo3(signature = (manifold, x, radius, center, budget, steps, replace_invalid, seed, ledger, persons))]
#[allow(clippy::too_many_arguments)]
pub fn private_geometric_median<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    radius: f64,
    center: Option<&Bound<'py, PyAny>>,
    budget: Budget,
    steps: Option<usize>,
    replace_invalid: bool,
    seed: Option<u64>,
    ledger: Option<PathBuf>,
    persons: Option<&Bound<'py, PyAny>>,
) -> Result<String, Failure> {
    let space = manifold.get().share();
    let budget = guarantee(budget)?;
    let center = center.map(|center| Point::new(center, "center", &*space)).transpose()?;
    let given = Given::new(py, manifold.get(), ("X", x), None, persons)?;
    let way_out = WayOut::new(seed, ledger)?;
    let release = given.work(py, move |data| {
        let ball = ball(&*space, center.as_ref(), radius)?;
        let median = PrivateGeometricMedian::new(space.clone(), ball.clone())?;
        let records = data.counted(Way::new(ball, replace_invalid))?;
        // all that can be refused is refused before the records of an array are looked at
        let plan = Request::new(median, records.count(), budget).steps(steps).plan_by(MechanismName::MedianFlow)?;
        records.give(|records| way_out.run(&*plan, records))
    })?;
    json(&release)
}

/// A private ball that holds most of the rows of `x`: the release as JSON.
#[pyfunction]
#[pyo3(signature = (manifold, x, within, center, budget, quantile, steps, replace_invalid, seed, ledger, persons))]
#[allow(clippy::too_many_arguments)]
pub fn private_ball<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    within: Option<f64>,
    center: Option<&Bound<'py, PyAny>>,
    budget: Budget,
    quantile: Option<f64>,
    steps: Option<usize>,
    replace_invalid: bool,
    seed: Option<u64>,
    ledger: Option<PathBuf>,
    persons: Option<&Bound<'py, PyAny>>,
) -> Result<String, Failure> {
    let space = manifold.get().share();
    let budget = guarantee(budget)?;
    let center = center.map(|center| Point::new(center, "center", &*space)).transpose()?;
    let given = Given::new(py, manifold.get(), ("X", x), None, persons)?;
    let way_out = WayOut::new(seed, ledger)?;
    let release = given.work(py, move |data| {
        let outer = outer(&*space, center.as_ref(), within)?;
        let location = located_at(quantile, PrivateLocation::new(space.clone(), outer.clone())?)?;
        let records = data.counted(Way::new(outer, replace_invalid))?;
        let plan = Request::new(location, records.count(), budget).steps(steps).plan_by(MechanismName::Locate)?;
        records.give(|records| way_out.run(&*plan, records))
    })?;
    json(&release)
}

/// The private Fréchet mean of the rows of `x` in a ball that is located first: the release as JSON.
#[pyfunction]
#[pyo3(signature = (manifold, x, within, center, budget, quantile, mechanism, steps, calibration_name, bound, tolerance, numerics, denoise_name, replace_invalid, spread, spread_clip, components, components_clip, seed, ledger, persons))]
#[allow(clippy::too_many_arguments)]
pub fn private_located_mean<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    within: Option<f64>,
    center: Option<&Bound<'py, PyAny>>,
    budget: Budget,
    quantile: Option<f64>,
    mechanism: &str,
    steps: Option<usize>,
    calibration_name: Option<&str>,
    bound: Option<&str>,
    tolerance: Option<f64>,
    numerics: &str,
    denoise_name: Option<&str>,
    replace_invalid: bool,
    spread: bool,
    spread_clip: Option<f64>,
    components: bool,
    components_clip: Option<f64>,
    seed: Option<u64>,
    ledger: Option<PathBuf>,
    persons: Option<&Bound<'py, PyAny>>,
) -> Result<String, Failure> {
    let beside = Beside::new(spread, spread_clip, components, components_clip)?;
    let space = manifold.get().share();
    let choice = Choice::new(mechanism, steps, calibration_name, numerics)?;
    let (budget, bound, denoise) = (guarantee(budget)?, parse_bound(bound)?, denoise(denoise_name)?);
    let center = center.map(|center| Point::new(center, "center", &*space)).transpose()?;
    let given = Given::new(py, manifold.get(), ("X", x), None, persons)?;
    let way_out = WayOut::new(seed, ledger)?;
    let release = given.work(py, move |data| {
        let outer = outer(&*space, center.as_ref(), within)?;
        let location = located_at(quantile, PrivateLocation::new(space.clone(), outer.clone())?)?;
        let records = data.counted(Way::new(outer, replace_invalid))?;
        let n = records.count();
        // a sentence of this package is one about public arguments, whatever the ball is
        let said = Said::default();
        let plan_in = |ball: Ball, left| {
            let mean = PrivateFrechetMean::new(space.clone(), ball)?.bound(bound).tolerance(tolerance).denoise(denoise);
            choice.plan_of(beside.ask(Request::new(mean, n, left))).map_err(|failure| said.keep(failure))
        };
        let mean = LocatedMean::new(&location, n, budget, &plan_in).map_err(|error| said.or(error))?;
        let mean = mean.at_weakest(choice.accepts().weakest());
        records.give(|records| {
            mean.check(records)?;
            let event = mean.event().of(records.unit());
            let release = mean.run(records, &mut way_out.context(&event)?, &plan_in)?;
            way_out.settle(&release)?;
            Ok(release)
        })
    })?;
    json(&release)
}

/// The private Fréchet variance of the rows of `x` about a public point: the release as JSON.
#[pyfunction]
#[pyo3(signature = (manifold, x, clip, center, budget, replace_invalid, adjacency, seed, ledger, persons))]
#[allow(clippy::too_many_arguments)]
pub fn private_frechet_variance<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    clip: Option<f64>,
    center: Option<&Bound<'py, PyAny>>,
    budget: Budget,
    replace_invalid: bool,
    adjacency: Neighbours,
    seed: Option<u64>,
    ledger: Option<PathBuf>,
    persons: Option<&Bound<'py, PyAny>>,
) -> Result<String, Failure> {
    let space = manifold.get().share();
    let budget = guarantee(budget)?;
    let center = center.map(|center| Point::new(center, "center", &*space)).transpose()?;
    let (adjacency, guess) = neighbours(&adjacency)?;
    let given = Given::new(py, manifold.get(), ("X", x), None, persons)?;
    let way_out = WayOut::new(seed, ledger)?;
    let release = given.work(py, move |data| {
        let diameter = Some(space.diameter()).filter(|diameter| diameter.is_finite());
        let Some(clip) = clip.or(diameter) else {
            let sentence = "clip is not given: {} goes on for ever; say where distances are cut off";
            return Err(Failure::Sentence(sentence.replace("{}", space.space().as_str())));
        };
        let ball = ball(&*space, center.as_ref(), clip).map_err(|failure| failure.with_radius_called("clip"))?;
        let variance = PrivateFrechetVariance::new(space.clone(), ball.clone())?;
        let records = data.counted(Way { ball, range: None, replace_invalid, adjacency })?;
        let n = guess.unwrap_or(records.count());
        let plan = Request::new(variance, n, budget).adjacency(adjacency).plan()?;
        records.give(|records| way_out.run(&*plan, records))
    })?;
    json(&release)
}

/// A location that aims at a share of the records, if one was given.
fn located_at(quantile: Option<f64>, location: PrivateLocation) -> Result<PrivateLocation, Error> {
    quantile.map_or(Ok(location.clone()), |quantile| location.quantile(quantile))
}

/// What kept a mean from being planned in a located ball. A sentence of this package is one about public arguments,
/// whatever the ball is.
#[derive(Default)]
pub struct Said(Mutex<Option<Failure>>);

impl Said {
    /// An error that the library passes on, and the sentence that stands for it.
    pub fn keep(&self, failure: Failure) -> Error {
        match failure {
            Failure::Refused(error) => error,
            other => {
                if let Ok(mut said) = self.0.lock() {
                    *said = Some(other);
                }
                GeometryError::NoRecords.into()
            }
        }
    }

    /// What was said, or the error.
    pub fn or(&self, error: Error) -> Failure {
        self.0.lock().ok().and_then(|mut said| said.take()).unwrap_or_else(|| error.into())
    }
}

/// The public outer ball: the whole space unless told otherwise, where that has an end.
pub fn outer(space: &dyn Manifold, center: Option<&Point>, within: Option<f64>) -> Result<Ball, Failure> {
    let diameter = Some(space.diameter()).filter(|diameter| diameter.is_finite());
    match within.or(diameter) {
        Some(radius) => ball(space, center, radius).map_err(|failure| failure.with_radius_called("within")),
        None => Err(Failure::Sentence(format!(
            "within is not given: {} goes on for ever; say how far from the center the records may be",
            space.space()
        ))),
    }
}
