//! The Fréchet mean without privacy, and the comparison and the pooling of private ones.

use crate::arrays::{Array, Point, Records, Rows, array};
use crate::error::Failure;
use crate::manifold::PyManifold;
use crate::work::run;
use karcher::audit::check_specified;
use karcher::nonprivate::{FrechetMean, Iterated};
use karcher::release::PublishedRelease;
use numpy::Element;
use pyo3::prelude::*;

/// The Fréchet mean of the rows of `x`, the number of iterations, and whether it was reached.
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
) -> Result<(Bound<'py, PyAny>, usize, bool), Failure> {
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
            Some(mean) => Ok(Iterated { last: mean, iterations: 1, converged: true }),
            None => Ok(mean.iterate(Records::new(space, values)?.view())?),
        }
    })?;
    Ok((array(py, mean.last, None, shape)?, mean.iterations, mean.converged))
}

/// What releases say about the difference of the means of groups of different people: the distance of two points, the
/// statistic, the threshold, the p-value, whether they differ, and the distances of all pairs.
type Compared = (Option<f64>, f64, f64, f64, bool, Vec<Vec<f64>>);

/// Compares the releases of groups of different people.
#[pyfunction]
pub fn compare(releases: Vec<String>) -> Result<Compared, Failure> {
    let releases = read(&releases)?;
    let releases: Vec<_> = releases.iter().collect();
    check_specified(&releases)?;
    let found = karcher::release::compare(&releases)?;
    Ok((found.distance, found.statistic, found.threshold, found.p_value, found.differ, found.distances))
}

/// Pools the releases of sites with different people: the pooled mean as a JSON object.
#[pyfunction]
#[pyo3(signature = (releases, spread))]
pub fn pool(releases: Vec<String>, spread: Option<f64>) -> Result<String, Failure> {
    let releases = read(&releases)?;
    let releases: Vec<_> = releases.iter().collect();
    check_specified(&releases)?;
    let found = karcher::release::pool(&releases, spread)?;
    serde_json::to_string(&found).map_err(|error| Failure::Sentence(error.to_string()))
}

/// The releases that texts hold.
pub fn read(texts: &[String]) -> Result<Vec<PublishedRelease>, Failure> {
    let read = |text: &String| {
        serde_json::from_str(text).map_err(|error| Failure::Sentence(format!("the text is not a release: {error}")))
    };
    texts.iter().map(read).collect()
}

/// The argument called `name` as rows of points.
pub fn records<T: Element>(manifold: &PyManifold, name: &str, x: &Bound<'_, PyAny>) -> Result<Rows<T>, Failure> {
    let rows = Rows::of(x, name, manifold.shape(), manifold.get().space())?;
    match rows.count {
        Some(_) => Ok(rows),
        None => Err(Failure::Sentence(format!(
            "{name} is one point of {}: records come one a row; {name}[np.newaxis] is an array of one record",
            manifold.get().space()
        ))),
    }
}
