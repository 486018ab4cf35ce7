//! The Fréchet mean, plain and private.

use crate::arrays::{Array, Point, Records, Rows, array};
use crate::error::Failure;
use crate::input::{Given, Way};
use crate::ledger::WayOut;
use crate::manifold::PyManifold;
use crate::mechanism::{Choice, denoise};
use crate::privacy::{Budget, Neighbours, guarantee, neighbours, parse_bound};
use crate::together::Classes;
use crate::work::run;
use karcher::mechanism::{Components, PrivateFrechetMean, Request, Spread};
use karcher::release::PublishedRelease;
use karcher::statistic::FrechetMean;
use karcher::{Ball, Manifold};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// The Fréchet mean of the rows of `x`.
#[pyfunction]
#[pyo3(signature = (manifold, x, weights, start, tolerance, max_iter))]
pub fn frechet_mean<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    weights: Option<&Bound<'py, PyAny>>,
    start: Option<&Bound<'py, PyAny>>,
    tolerance: Option<f64>,
    max_iter: usize,
) -> Result<Bound<'py, PyAny>, Failure> {
    let (space, shape) = (manifold.get().share(), manifold.get().shape());
    let x = records(manifold.get(), "X", x)?.array;
    let weights = weights.map(|weights| Array::new(weights)?.to_vec(py)).transpose()?;
    let start = start.map(|start| Point::new(start, "start", &*space)).transpose()?;
    let mean = run(py, [x], move |[values], _| {
        let space = &*space;
        let start = start.map(|start| start.check(space)).transpose()?;
        let mut mean = FrechetMean::new(space).iterations(max_iter);
        if let Some(weights) = &weights {
            mean = mean.weights(weights);
        }
        if let Some(start) = &start {
            mean = mean.start(start);
        }
        if let Some(tolerance) = tolerance {
            mean = mean.tolerance(tolerance);
        }
        match mean.prechecked_fit(values) {
            Some(mean) => Ok(mean),
            None => Ok(mean.fit(Records::new(space, values)?.view())?),
        }
    })?;
    array(py, mean, None, shape)
}

/// The private Fréchet mean of the rows of `x`: the release as JSON. Of a class that is still to be planned there is
/// none.
#[pyfunction]
#[pyo3(signature = (manifold, x, radius, center, budget, mechanism, steps, calibration_name, bound, tolerance, numerics, denoise_name, assume_in_ball, replace_invalid, spread, spread_clip, components, components_clip, expected_spread, adjacency, seed, ledger, persons, classes))]
#[allow(clippy::too_many_arguments)]
pub fn private_frechet_mean<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    radius: f64,
    center: Option<&Bound<'py, PyAny>>,
    budget: Budget,
    mechanism: &str,
    steps: Option<usize>,
    calibration_name: Option<&str>,
    bound: Option<&str>,
    tolerance: Option<f64>,
    numerics: &str,
    denoise_name: Option<&str>,
    assume_in_ball: bool,
    replace_invalid: bool,
    spread: bool,
    spread_clip: Option<f64>,
    components: bool,
    components_clip: Option<f64>,
    expected_spread: Option<f64>,
    adjacency: Neighbours,
    seed: Option<u64>,
    ledger: Option<PathBuf>,
    persons: Option<&Bound<'py, PyAny>>,
    classes: Option<&Bound<'py, Classes>>,
) -> Result<Option<String>, Failure> {
    let beside = Beside::new(spread, spread_clip, components, components_clip)?;
    let space = manifold.get().share();
    let choice = Choice::new(mechanism, steps, calibration_name, numerics)?;
    let (budget, bound, denoise) = (guarantee(budget)?, parse_bound(bound)?, denoise(denoise_name)?);
    let center = center.map(|center| Point::new(center, "center", &*space)).transpose()?;
    let (adjacency, guess) = neighbours(&adjacency)?;
    let given = Given::new(py, manifold.get(), ("X", x), None, persons)?;
    let classes = classes.map(|classes| classes.get().clone());
    let way_out = WayOut::new(seed, ledger)?.of_classes(classes.clone());
    let release = given.work(py, move |data| {
        let ball = ball(&*space, center.as_ref(), radius)?;
        let mean = PrivateFrechetMean::new(space.clone(), ball.clone())?
            .bound(bound)
            .tolerance(tolerance)
            .denoise(denoise)
            .assume_in_ball(assume_in_ball);
        let make = |n| {
            let request = Request::new(mean, n, budget).adjacency(adjacency).expected_spread(expected_spread)?;
            Ok(Arc::from(choice.plan_of(beside.ask(request))?))
        };
        let planned = classes.as_ref().filter(|classes| classes.is_planning());
        if let Some((classes, n)) = planned.and_then(|classes| Some((classes, guess.or(classes.expected())?))) {
            return classes.plan(n, || make(n)).map(|_| None); // without a look at the records
        }
        let records = data.counted(Way { ball, range: None, replace_invalid, adjacency })?;
        // all that can be refused is refused before the records of an array are looked at
        let n = guess.unwrap_or(records.count());
        let plan = match &classes {
            Some(classes) => classes.plan(n, || make(n))?,
            None => make(n)?,
        };
        match planned {
            Some(_) => Ok(None),
            None => records.give(|records| way_out.run(&*plan, records)).map(Some),
        }
    })?;
    release.as_ref().map(crate::privacy::json).transpose()
}

/// What two releases say about the difference of the means of two groups of different people.
#[pyfunction]
pub fn compare(a: &str, b: &str) -> Result<(f64, f64, bool), Failure> {
    let read = |text: &str| {
        serde_json::from_str::<PublishedRelease>(text)
            .map_err(|error| Failure::Sentence(format!("the text is not a release: {error}")))
    };
    let found = karcher::release::compare(&read(a)?, &read(b)?)?;
    Ok((found.distance, found.threshold, found.differ))
}

/// What to release beside a mean.
pub struct Beside {
    spread: Option<Spread>,
    components: Option<Components>,
}

impl Beside {
    pub fn new(
        spread: bool,
        spread_clip: Option<f64>,
        components: bool,
        components_clip: Option<f64>,
    ) -> Result<Self, Failure> {
        if !spread && spread_clip.is_some() {
            return Err(Failure::Sentence("spread_clip belongs to spread=True".to_owned()));
        }
        if !components && components_clip.is_some() {
            return Err(Failure::Sentence("components_clip belongs to components=True".to_owned()));
        }
        let (spread, components) = (spread.then_some(spread_clip), components.then_some(components_clip));
        Ok(Self { spread: spread.map(|clip| Spread { clip }), components: components.map(|clip| Components { clip }) })
    }

    /// Asks for it.
    pub fn ask(&self, request: Request) -> Request {
        request.spread(self.spread).components(self.components)
    }
}

/// The public ball, around the origin if no center is given.
pub fn ball(space: &dyn Manifold, center: Option<&Point>, radius: f64) -> Result<Ball, Failure> {
    Ok(match center {
        Some(center) => Ball::new(space, center.check(space)?, radius)?,
        None => Ball::at_origin(space, radius)?,
    })
}

/// The argument called `name` as rows of points.
pub fn records(manifold: &PyManifold, name: &str, x: &Bound<'_, PyAny>) -> Result<Rows, Failure> {
    let rows = Rows::new(x, name, manifold.shape(), manifold.get().space())?;
    match rows.count {
        Some(_) => Ok(rows),
        None => Err(Failure::Sentence(format!(
            "{name} is one point of {}: records come one a row; {name}[np.newaxis] is an array of one record",
            manifold.get().space()
        ))),
    }
}
