//! Geodesic regression, plain and private.

use crate::arrays::{Array, Point, Records, array, tuple};
use crate::error::Failure;
use crate::ledger::WayOut;
use crate::manifold::PyManifold;
use crate::mean::{ball, records};
use crate::mechanism::Choice;
use crate::persons::Groups;
use crate::privacy::{Budget, Neighbours, guarantee, json, neighbours};
use crate::work::run;
use karcher::PredictorRange;
use karcher::mechanism::{PrivateRegression, Request};
use karcher::records::Observations;
use karcher::statistic::GeodesicRegression;
use pyo3::prelude::*;
use std::borrow::Cow;
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
    x: &Bound<'py, PyAny>,
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
    let (x, y) = (column(x)?, records(manifold.get(), "y", y)?.array);
    let (way_out, groups) = (WayOut::new(seed, ledger)?, Groups::new(py, persons)?);
    let release = run(py, [x, y], move |[predictors, values], _| {
        let ball = ball(&*space, center.as_ref(), radius)?;
        let mut regression = PrivateRegression::new(space.clone(), ball.clone(), range, slope_bound)?;
        if let Some(bound) = residual_bound {
            regression = regression.residual_bound(bound)?;
        }
        // all that can be refused is refused before the records are looked at
        let (adjacency, n) = neighbours(&adjacency, groups.count(values.len() / space.point_len()))?;
        let plan = choice.plan_of(Request::new(regression, n, budget).adjacency(adjacency))?;
        let records = match replace_invalid {
            true if !values.is_empty() => Records::with_substitute(&*space, values, ball.center())?,
            _ => Records::of(&*space, values, adjacency)?,
        };
        let mut predictors = Cow::Borrowed(predictors);
        if replace_invalid {
            predictors.to_mut().iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = range.middle());
        }
        let records = Observations::new(records.view()).with_predictors(&predictors)?;
        way_out.run(&*plan, &*groups.reduced(records, (&space, &ball, Some(range)))?)
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
    match x.shape() {
        [_] | [_, 1] => Ok(x),
        shape => Err(Failure::Sentence(format!(
            "X has shape {}: the predictor is one number a record, so it must have shape (n,) or (n, 1)",
            tuple(shape)
        ))),
    }
}
