//! Geodesic regression without privacy, and predictors.

use crate::arrays::{Array, Records, array};
use crate::blocks::check_column;
use crate::error::Failure;
use crate::manifold::PyManifold;
use crate::mean::records;
use crate::work::run;
use karcher::nonprivate::GeodesicRegression;
use pyo3::prelude::*;

/// Footpoint and velocity of the least-squares geodesic through the rows of `y` as a function of `x`, the number of
/// iterations, and whether it was reached.
#[pyfunction]
#[pyo3(signature = (manifold, x, y, tolerance, max_iter))]
pub fn geodesic_regression<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    tolerance: Option<f64>,
    max_iter: usize,
) -> Result<(Bound<'py, PyAny>, Bound<'py, PyAny>, usize, bool), Failure> {
    let (space, shape) = (manifold.get().share(), manifold.get().shape());
    let (x, y) = (column(x)?, records(manifold.get(), "y", y)?.array);
    let geodesic = run(py, [x, y], move |[predictors, values], _| {
        let space = &*space;
        let records = Records::new(space, values)?;
        let mut regression = GeodesicRegression::new(space).iterations(max_iter);
        if let Some(tolerance) = tolerance {
            regression = regression.tolerance(tolerance);
        }
        Ok(regression.iterate(records.view(), predictors)?)
    })?;
    let (footpoint, velocity) = (geodesic.last.footpoint, geodesic.last.velocity);
    let (footpoint, velocity) = (array(py, footpoint, None, shape)?, array(py, velocity, None, shape)?);
    Ok((footpoint, velocity, geodesic.iterations, geodesic.converged))
}

/// The predictor as an array of shape `(n,)`.
#[pyfunction]
#[pyo3(signature = (x, high=f64::INFINITY))]
pub fn predictor<'py>(py: Python<'py>, x: &Bound<'py, PyAny>, high: f64) -> Result<Bound<'py, PyAny>, Failure> {
    let mut values = column(x)?.to_vec(py)?;
    values.iter_mut().for_each(|x| *x = karcher_io::year_within(*x, high));
    let n = values.len();
    array(py, values, Some(n), &[])
}

/// The predictor: one number a record.
pub fn column(x: &Bound<'_, PyAny>) -> Result<Array, Failure> {
    let x = Array::new(x)?;
    check_column("X", &x)?;
    Ok(x)
}
