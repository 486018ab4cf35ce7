//! The geometric median without privacy.

use crate::arrays::{Point, Records, array};
use crate::error::Failure;
use crate::manifold::PyManifold;
use crate::mean::records;
use crate::work::run;
use karcher::statistic::GeometricMedian;
use pyo3::prelude::*;

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
