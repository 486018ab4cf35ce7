//! Geodesic regression, plain and private.

use crate::arrays::{Array, Point, Records, array};
use crate::blocks::check_column;
use crate::error::Failure;
use crate::input::{Given, Way};
use crate::ledger::WayOut;
use crate::manifold::PyManifold;
use crate::mean::{ball, records};
use crate::mechanism::Choice;
use crate::privacy::{Budget, Neighbours, guarantee, json, neighbours};
use crate::work::run;
use karcher::PredictorRange;
use karcher::mechanism::{PrivateRegression, Request};
use karcher::statistic::GeodesicRegression;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Footpoint and velocity of the least-squares geodesic through the rows of `y` as a function of `x`.
#[pyfunction]
#[pyo3(signature = (manifold, x, y, tolerance, max_iter))]
pub fn geodesic_regression<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    tolerance: Option<f64>,
    max_iter: usize,
) -> Result<(Bound<'py, PyAny>, Bound<'py, PyAny>), Failure> {
    let (space, shape) = (manifold.get().share(), manifold.get().shape());
    let (x, y) = (column(x)?, records(manifold.get(), "y", y)?.array);
    let geodesic = run(py, [x, y], move |[predictors, values], _| {
        let space = &*space;
        let records = Records::new(space, values)?;
        let mut regression = GeodesicRegression::new(space).iterations(max_iter);
        if let Some(tolerance) = tolerance {
            regression = regression.tolerance(tolerance);
        }
        Ok(regression.fit(records.view(), predictors)?)
    })?;
    Ok((array(py, geodesic.footpoint, None, shape)?, array(py, geodesic.velocity, None, shape)?))
}

/// The private geodesic through the rows of `y` as a function of `x`: the release as JSON.
#[pyfunction]
#[pyo3(signature = (manifold, x, y, predictor_range, radius, center, slope_bound, residual_bound, budget, mechanism, steps, numerics, replace_invalid, adjacency, seed, ledger, persons))]
#[allow(clippy::too_many_arguments)]
pub fn private_geodesic_regression<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: Option<&Bound<'py, PyAny>>,
    y: &Bound<'py, PyAny>,
    predictor_range: (f64, f64),
    radius: f64,
    center: Option<&Bound<'py, PyAny>>,
    slope_bound: f64,
    residual_bound: Option<f64>,
    budget: Budget,
    mechanism: &str,
    steps: Option<usize>,
    numerics: &str,
    replace_invalid: bool,
    adjacency: Neighbours,
    seed: Option<u64>,
    ledger: Option<PathBuf>,
    persons: Option<&Bound<'py, PyAny>>,
) -> Result<String, Failure> {
    let space = manifold.get().share();
    let choice = Choice::new(mechanism, steps, None, numerics)?;
    let budget = guarantee(budget)?;
    let range = PredictorRange::new(predictor_range.0, predictor_range.1)?;
    let center = center.map(|center| Point::new(center, "center", &*space)).transpose()?;
    let (adjacency, guess) = neighbours(&adjacency)?;
    let given = Given::new(py, manifold.get(), ("y", y), x.map(column).transpose()?, persons)?;
    let way_out = WayOut::new(seed, ledger)?;
    let release = given.work(py, move |data| {
        let ball = ball(&*space, center.as_ref(), radius)?;
        let mut regression = PrivateRegression::new(space.clone(), ball.clone(), range, slope_bound)?;
        if let Some(bound) = residual_bound {
            regression = regression.residual_bound(bound)?;
        }
        let records = data.counted(Way { ball, range: Some(range), replace_invalid, adjacency })?;
        // all that can be refused is refused before the records of an array are looked at
        let request = Request::new(regression, guess.unwrap_or(records.count()), budget);
        let plan = choice.plan_of(request.adjacency(adjacency))?;
        records.give(|records| way_out.run(&*plan, records))
    })?;
    json(&release)
}

/// The predictor as an array of shape `(n,)`.
#[pyfunction]
pub fn predictor<'py>(py: Python<'py>, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Failure> {
    let values = column(x)?.to_vec(py)?;
    let n = values.len();
    array(py, values, Some(n), &[])
}

/// The predictor: one number a record.
fn column(x: &Bound<'_, PyAny>) -> Result<Array, Failure> {
    let x = Array::new(x)?;
    check_column("X", &x)?;
    Ok(x)
}
