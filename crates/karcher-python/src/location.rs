//! The geometric median without privacy.

use crate::arrays::{Array, Point, Records, array};
use crate::error::Failure;
use crate::manifold::PyManifold;
use crate::mean::records;
use crate::work::run;
use karcher::nonprivate::GeometricMedian;
use pyo3::prelude::*;

/// The geometric median of the rows of `x`, the number of iterations, and whether it was reached.
#[pyfunction]
#[pyo3(signature = (manifold, x, weights, start, tolerance, max_iter))]
pub fn geometric_median<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    x: &Bound<'py, PyAny>,
    weights: Option<&Bound<'py, PyAny>>,
    start: Option<&Bound<'py, PyAny>>,
    tolerance: Option<f64>,
    max_iter: usize,
) -> Result<(Bound<'py, PyAny>, usize, bool), Failure> {
    let (space, shape) = (manifold.get().share(), manifold.get().shape());
    let x = records(manifold.get(), "X", x)?.array;
    let weights = weights.map(|weights| Array::new(weights)?.to_vec(py)).transpose()?;
    let start = start.map(|start| Point::new(start, "start", &*space)).transpose()?;
    let median = run(py, [x], move |[values], _| {
        let space = &*space;
        let start = start.map(|start| start.check(space)).transpose()?;
        let records = Records::new(space, values)?;
        let mut median = GeometricMedian::new(space).iterations(max_iter);
        if let Some(weights) = &weights {
            median = median.weights(weights);
        }
        if let Some(start) = &start {
            median = median.start(start);
        }
        if let Some(tolerance) = tolerance {
            median = median.tolerance(tolerance);
        }
        Ok(median.iterate(records.view())?)
    })?;
    Ok((array(py, median.last, None, shape)?, median.iterations, median.converged))
}
