//! The Fréchet mean, plain and private.

use crate::arrays::{Array, Records, Rows, array, point};
use crate::error::Failure;
use crate::manifold::{PyManifold, generator};
use crate::privacy::{Budget, calibration, guarantee, parse_bound};
use karcher::Ball;
use karcher::mechanism::{KNormGradient, KarcherFlow, Prepared, PrivateFrechetMean, auto, gaussian, laplace_for};
use karcher::statistic::FrechetMean;
use pyo3::prelude::*;

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
    let (space, shape) = (manifold.get().get(), manifold.get().shape());
    let x = records(manifold.get(), x)?;
    let weights = weights.map(Array::new).transpose()?;
    let weights = weights.as_ref().map(Array::values).transpose()?;
    let start = start.map(|start| point(start, "start", space)).transpose()?;
    let values = x.values()?;
    let mean = py.detach(|| {
        let records = Records::new(space, values)?;
        let mut mean = FrechetMean::new(space).iterations(max_iter);
        if let Some(weights) = weights {
            mean = mean.weights(weights);
        }
        if let Some(start) = &start {
            mean = mean.start(start);
        }
        if let Some(tolerance) = tolerance {
            mean = mean.tolerance(tolerance);
        }
        mean.fit(records.view())
    })?;
    array(py, mean, None, shape)
}

/// The private Fréchet mean of the rows of `x`: the release as JSON.
#[pyfunction]
#[pyo3(signature = (manifold, x, radius, center, budget, mechanism, steps, calibration_name, bound, tolerance, assume_in_ball, replace_invalid, seed))]
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
    assume_in_ball: bool,
    replace_invalid: bool,
    seed: Option<u64>,
) -> Result<String, Failure> {
    let space = manifold.get().get();
    let refuse = |sentence: &str| Err(Failure::Sentence(sentence.to_owned()));
    let flow = mechanism == "karcher-flow";
    let smooth = matches!(mechanism, "gaussian" | "tangent-gaussian");
    // an option that nothing would come of is refused, not ignored
    if steps.is_some() && !flow {
        return refuse("steps belongs to mechanism=\"karcher-flow\"");
    }
    if flow && (bound.is_some() || assume_in_ball || tolerance.is_some()) {
        return refuse(
            "the Karcher flow clips always and needs no bound of the mean's sensitivity: leave out bound, tolerance and assume_in_ball",
        );
    }
    if calibration_name.is_some() && !(smooth && space.flat_chart().is_some()) {
        return refuse("calibration belongs to mechanism=\"gaussian\" on flat spaces");
    }
    let budget = guarantee(budget)?;
    let ball = match center {
        Some(center) => Ball::new(space, point(center, "center", space)?, radius)?,
        None => Ball::at_origin(space, radius)?,
    };
    let mut mean =
        PrivateFrechetMean::new(space, ball.clone()).bound(parse_bound(bound)?).assume_in_ball(assume_in_ball);
    if let Some(tolerance) = tolerance {
        mean = mean.tolerance(tolerance);
    }
    let calibration = calibration(calibration_name)?;
    let x = records(manifold.get(), x)?;
    let values = x.values()?;
    let mut generator = generator(seed)?;
    let release = py.detach(|| {
        let records = match replace_invalid {
            true => Records::with_substitute(space, values, ball.center())?,
            false => Records::new(space, values)?,
        };
        let n = records.view().len();
        let sensitivity = || mean.sensitivity(n).map(|s| s.value());
        // all that can be refused is refused before the records are looked at
        let prepared = match mechanism {
            "auto" => auto(space, &mean, n, budget)?,
            "laplace" => Prepared::Noise(laplace_for(space, sensitivity()?, budget)?),
            "gaussian" | "tangent-gaussian" => {
                Prepared::Noise(gaussian(space, sensitivity()?, budget, calibration)?)
            }
            "kng" => Prepared::KNormGradient(KNormGradient::new(&mean, n, budget)?),
            "karcher-flow" => Prepared::KarcherFlow(match steps {
                Some(steps) => KarcherFlow::with_steps(space, ball, n, budget, steps)?,
                None => KarcherFlow::new(space, ball, n, budget)?,
            }),
            _ => {
                return Err(Failure::Sentence(format!(
                    "unknown mechanism `{mechanism}`: expected auto, laplace, gaussian, tangent-gaussian, kng or karcher-flow"
                )));
            }
        };
        Ok(prepared.release(&mean, records.view(), &mut generator)?)
    })?;
    crate::privacy::json(&release)
}

/// `x` as rows of points.
fn records<'py>(manifold: &PyManifold, x: &Bound<'py, PyAny>) -> Result<Rows<'py>, Failure> {
    let rows = Rows::new(x, "X", manifold.shape(), manifold.get().space())?;
    match rows.count {
        Some(_) => Ok(rows),
        None => Err(Failure::Sentence(format!(
            "X is one point of {}: records come one a row; X[np.newaxis] is an array of one record",
            manifold.get().space()
        ))),
    }
}
