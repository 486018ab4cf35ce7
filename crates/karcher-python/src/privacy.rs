//! Everything that is decided without records: sensitivities, calibration, profiles, plans, conversions.

use crate::arrays::{Array, array};
use crate::error::Failure;
use crate::location::{Said, outer};
use crate::manifold::{PyManifold, named_law};
use crate::mean::Beside;
use crate::mechanism::{Choice, accept, denoise};
use crate::work::run;
use karcher::audit::{Effort, audit_located};
use karcher::error::{GeometryError, PrivacyError};
use karcher::mechanism::{
    Candidate, Components, ErrorForecast, LocatedMean, Noise, NumericsPolicy, PrivateFrechetMean,
    PrivateFrechetVariance, PrivateGeometricMedian, PrivateLocation, Request, Spread, Statistic, best, fewest_records,
    least_epsilon,
};
use karcher::privacy::{ConstantCurvature, Definition, GaussianCalibration, Guarantee, Profile};
use karcher::release::{Adjacency, MechanismName};
use karcher::sampler::{Generator, Law};
use karcher::sensitivity::{Bound as SensitivityBound, frechet_mean};
use karcher::{Ball, Error, Manifold};
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// A budget as Python gives it: ε, δ, μ, ρ.
pub type Budget = (Option<f64>, Option<f64>, Option<f64>, Option<f64>);

/// The budget as a guarantee, or what is wrong with the combination.
pub fn guarantee(budget: Budget) -> Result<Guarantee, Failure> {
    Ok(match budget {
        (Some(epsilon), None, None, None) => Guarantee::pure(epsilon)?,
        (Some(epsilon), Some(delta), None, None) => Guarantee::approximate(epsilon, delta)?,
        (None, None, Some(mu), None) => Guarantee::gaussian(mu)?,
        (None, None, None, Some(rho)) => Guarantee::concentrated(rho)?,
        (None, None, None, None) => {
            return Err(Failure::Sentence("no privacy budget: give epsilon, epsilon with delta, mu or rho".to_owned()));
        }
        (None, Some(_), _, _) => {
            return Err(Failure::Sentence(
                "delta is given without epsilon, to which it belongs: name both, as in epsilon=1.0, delta=1e-6 \
                 (a number without a name is no budget)"
                    .to_owned(),
            ));
        }
        _ => {
            return Err(Failure::Sentence(
                "more than one privacy budget: give epsilon, epsilon with delta, mu or rho, and no other".to_owned(),
            ));
        }
    })
}

fn budget(guarantee: Guarantee) -> Budget {
    match guarantee.definition() {
        Definition::Pure { epsilon } => (Some(epsilon), None, None, None),
        Definition::Approximate { epsilon, delta } => (Some(epsilon), Some(delta), None, None),
        Definition::Gaussian { mu } => (None, None, Some(mu), None),
        Definition::Concentrated { rho } => (None, None, None, Some(rho)),
    }
}

/// A bound's name, if there is one.
pub fn parse_bound(name: Option<&str>) -> Result<Option<SensitivityBound>, Error> {
    name.map(str::parse).transpose()
}

/// `analytic`, the default, or `classical`.
pub fn calibration(name: Option<&str>) -> Result<GaussianCalibration, Failure> {
    match name {
        None | Some("analytic") => Ok(GaussianCalibration::Analytic),
        Some("classical") => Ok(GaussianCalibration::Classical),
        Some(name) => Err(Failure::Sentence(format!("unknown calibration `{name}`: expected analytic or classical"))),
    }
}

/// The name of an adjacency, and the guess of the number of records that goes with one.
pub type Neighbours = (String, Option<usize>);

/// The adjacency, and the guess of the number of records where it is confidential: elsewhere one plans for those that
/// there are.
pub fn neighbours((name, guess): &Neighbours) -> Result<(Adjacency, Option<usize>), Failure> {
    match (Adjacency::named(name), guess) {
        (Some(adjacency @ Adjacency::ReplaceOne), None) => Ok((adjacency, None)),
        (Some(adjacency @ Adjacency::AddRemove), Some(guess)) => Ok((adjacency, Some(*guess))),
        _ => {
            let sentence = "adjacency is \"replace-one\", or \"add-remove\" with an n_guess, a public guess of the number \
                            of records";
            Err(Failure::Sentence(sentence.to_owned()))
        }
    }
}

/// One JSON object.
pub fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|e| Failure::Sentence(format!("the result cannot be written as JSON: {e}")))
}

/// The bound of the mean's sensitivity and its name.
#[pyfunction]
#[pyo3(signature = (manifold, radius, n, bound))]
pub fn sensitivity(
    py: Python<'_>,
    manifold: &Bound<'_, PyManifold>,
    radius: f64,
    n: usize,
    bound: Option<&str>,
) -> Result<(f64, &'static str), Failure> {
    let (manifold, bound) = (manifold.get().share(), parse_bound(bound)?);
    run(py, [], move |[], _| {
        // the words in which a mean refuses a ball
        let mean = PrivateFrechetMean::new(manifold.clone(), Ball::at_origin(&*manifold, radius)?)?;
        mean.bound(bound).sensitivity(n)?;
        let found = frechet_mean(&*manifold, radius, n, bound)?;
        Ok((found.value(), found.bound().name()))
    })
}

/// Scale, guarantee, mean distance and quantiles of the distance at `probabilities`.
#[pyfunction]
#[pyo3(signature = (manifold, mechanism, sensitivity, scale, budget_given, calibration_name, probabilities))]
#[allow(clippy::too_many_arguments)]
pub fn calibrate(
    py: Python<'_>,
    manifold: &Bound<'_, PyManifold>,
    mechanism: &str,
    sensitivity: f64,
    scale: Option<f64>,
    budget_given: Budget,
    calibration_name: Option<&str>,
    probabilities: Vec<f64>,
) -> Result<(f64, Budget, f64, Vec<f64>), Failure> {
    let manifold = manifold.get().share();
    let law = named_law(mechanism)?;
    let any_budget = budget_given != (None, None, None, None);
    if scale.is_some() && any_budget {
        return Err(Failure::Sentence("give a scale or a budget, not both".to_owned()));
    }
    if calibration_name.is_some() && (law == Law::Laplace || scale.is_some() || manifold.flat_chart().is_none()) {
        return Err(Failure::Sentence(
            "calibration belongs to mechanism=\"gaussian\" with a budget on flat spaces".to_owned(),
        ));
    }
    let calibration = calibration(calibration_name)?;
    let wanted = match scale {
        Some(_) => None,
        None => Some(guarantee(budget_given)?),
    };
    run(py, [], move |[], _| {
        let noise = match (law, scale, wanted) {
            (law, Some(scale), _) => Noise::of_scale(manifold, law, sensitivity, scale)?,
            (Law::Laplace, None, Some(wanted)) => Noise::laplace(manifold, sensitivity, wanted)?,
            (Law::Gaussian, None, Some(wanted)) => Noise::gaussian(manifold, sensitivity, wanted, calibration)?,
            (_, None, None) => return Err(Failure::Sentence("give a scale or a budget".to_owned())),
        };
        let quantiles = probabilities.iter().map(|&p| noise.distance().quantile(p)).collect();
        Ok((noise.scale(), budget(noise.guarantee()), noise.expected_distance(), quantiles))
    })
}

/// `δ(ε)` for each `ε`, and the `μ` for which the noise is μ-GDP.
#[pyfunction]
pub fn profile<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    mechanism: &str,
    sensitivity: f64,
    scale: f64,
    epsilon: &Bound<'py, PyAny>,
) -> Result<(Bound<'py, PyAny>, Budget), Failure> {
    let law = named_law(mechanism)?;
    let epsilon = Array::new(epsilon)?;
    let (shape, manifold) = (epsilon.shape().to_vec(), manifold.get().share());
    let (deltas, found) = run(py, [epsilon], move |[values], interrupt| {
        let profile = Profile::new(ConstantCurvature::of(&*manifold, law)?, law, scale, sensitivity)?;
        let delta = |&epsilon: &f64| {
            interrupt.check();
            profile.delta(epsilon)
        };
        Ok((values.iter().map(delta).collect::<Result<Vec<f64>, PrivacyError>>()?, profile.guarantee()?))
    })?;
    Ok((array(py, deltas, None, &shape)?, budget(found)))
}

/// What is planned, as JSON: the mechanisms with what they would cost, or why they do not apply; the name of the best
/// one whose proof is accepted; what is known of what is released beside the mean; and the number of records and the
/// budget, of which one may have been found from an error.
#[pyfunction]
#[pyo3(signature = (manifold, radius, n, error, budget_given, bound, numerics, statistic, clip, expected_spread, located, adjacency))]
#[allow(clippy::too_many_arguments)]
pub fn plan(
    py: Python<'_>,
    manifold: &Bound<'_, PyManifold>,
    radius: f64,
    n: Option<usize>,
    error: Option<f64>,
    budget_given: Budget,
    bound: Option<&str>,
    numerics: &str,
    statistic: &str,
    clip: Option<f64>,
    expected_spread: Option<f64>,
    located: bool,
    adjacency: &str,
) -> Result<(String, usize, Budget), Failure> {
    let (manifold, bound, accept) = (manifold.get().share(), parse_bound(bound)?, accept(numerics)?);
    let statistic = statistic.to_owned();
    let adjacency = Adjacency::named(adjacency).unwrap_or_default(); // one of two names
    if n == Some(0) {
        return Err(GeometryError::NoRecords.into());
    }
    run(py, [], move |[], interrupt| {
        let planned = planned(&statistic, manifold.clone(), Ball::at_origin(&*manifold, radius)?, bound)?;
        let request = |n: usize, budget: Guarantee| {
            let request = Request::new(planned.clone(), n, budget).adjacency(adjacency).numerics(accept);
            let request = request.expected_spread(expected_spread)?;
            Ok::<Request, Error>(match statistic.as_str() {
                "spread" => request.spread(Some(Spread { clip })),
                "components" => request.components(Some(Components { clip })),
                _ => request,
            })
        };
        let best_of = |request: &Request| match located {
            true => request.plan_by(MechanismName::TwoStage),
            false => request.plan(),
        };
        let expected = |n: usize, budget: Guarantee| {
            interrupt.check();
            let plan = best_of(&request(n, budget)?)?;
            Ok::<f64, Failure>(
                plan.forecasts().first().map_or_else(|| plan.error_bound(), ErrorForecast::told_from_noise),
            )
        };
        let (n, wanted) = match (n, budget_given, error) {
            (Some(n), given, None) => (n, guarantee(given)?),
            (Some(n), (None, delta, None, None), Some(error)) => (n, least_epsilon(error, n, delta, &expected)?),
            (None, given, Some(error)) => {
                let wanted = guarantee(given)?;
                (fewest_records(error, wanted, &expected)?, wanted)
            }
            (Some(_), _, Some(_)) => {
                let sentence = "error finds the number of records or epsilon: leave out n or the budget";
                return Err(Failure::Sentence(sentence.to_owned()));
            }
            (None, _, None) => {
                let sentence = "n is missing: give the number of records, or the error that they shall reach";
                return Err(Failure::Sentence(sentence.to_owned()));
            }
        };
        let request = request(n, wanted)?;
        let mut all = request.candidates();
        if located {
            all.retain(|candidate| candidate.mechanism.name() == MechanismName::TwoStage);
        }
        if all.iter().all(|candidate| candidate.plan.is_err()) {
            best_of(&request)?; // says why
        }
        let best = if located { Some(0) } else { best(&all, accept) };
        let forecasts = best.and_then(|i| all[i].plan.as_ref().ok()?.forecasts().first().copied());
        let best = best.map(|i| all[i].mechanism.name().name());
        let entries: Vec<Value> = all.iter().map(|candidate| entry(candidate, accept)).collect();
        Ok((json(&json!({"best": best, "candidates": entries, "foreseen": forecasts}))?, n, budget(wanted)))
    })
}

/// The statistic of a name, in a ball.
fn planned(
    name: &str,
    manifold: Arc<dyn Manifold>,
    ball: Ball,
    bound: Option<SensitivityBound>,
) -> Result<Statistic, Failure> {
    if matches!(name, "median" | "ball" | "variance") && bound.is_some() {
        return Err(Failure::Sentence(format!("bound is about means: a {name} has one bound only")));
    }
    Ok(match name {
        "mean" | "spread" | "components" => PrivateFrechetMean::new(manifold, ball)?.bound(bound).into(),
        "median" => PrivateGeometricMedian::new(manifold, ball)?.into(),
        "ball" => PrivateLocation::new(manifold, ball)?.into(),
        "variance" => PrivateFrechetVariance::new(manifold, ball)?.into(),
        _ => {
            let sentence = format!("unknown statistic `{name}`: expected mean, median, ball or variance");
            return Err(Failure::Sentence(sentence));
        }
    })
}

fn entry(candidate: &Candidate, accept: NumericsPolicy) -> Value {
    let name = candidate.mechanism.name();
    let plan = match &candidate.plan {
        Ok(plan) => plan,
        Err(error) => return json!({"mechanism": name, "reason": error.to_string()}),
    };
    let steps = plan.summary().steps.as_ref().map(Vec::len);
    json!({
        "mechanism": name,
        "numerics": plan.numerics(),
        "by_name": accept.refuses(&**plan),
        "expected_distance": plan.expected_distance(),
        "at_most": plan.summary().at_most,
        "median": plan.distance().map(|distance| distance.quantile(0.5)),
        "quantile_95": plan.distance().map(|distance| distance.quantile(0.95)),
        "bias_bound": plan.bias_bound(),
        "mu": plan.summary().own_mu(),
        "scale": steps.is_none().then(|| plan.scale()),
        "steps": steps,
        "chain_steps": plan.summary().chain_steps,
        "denoised": plan.gains(),
        "rehearsed": plan.summary().rehearsed,
        "noise_exceeds_ball": plan.summary().noise_exceeds_ball(),
    })
}

/// What an audit of a mechanism for the mean found, as JSON; and the mechanism's name.
#[pyfunction]
#[pyo3(signature = (manifold, radius, n, budget_given, mechanism, steps, calibration_name, bound, numerics, denoise_name, statistic, within, spread, spread_clip, components, components_clip, releases, error_probability, seed, adjacency))]
#[allow(clippy::too_many_arguments)]
pub fn audit(
    py: Python<'_>,
    manifold: &Bound<'_, PyManifold>,
    radius: Option<f64>,
    n: usize,
    budget_given: Budget,
    mechanism: &str,
    steps: Option<usize>,
    calibration_name: Option<&str>,
    bound: Option<&str>,
    numerics: &str,
    denoise_name: Option<&str>,
    statistic: &str,
    within: Option<f64>,
    spread: bool,
    spread_clip: Option<f64>,
    components: bool,
    components_clip: Option<f64>,
    releases: usize,
    error_probability: f64,
    seed: u64,
    adjacency: &str,
) -> Result<(String, &'static str), Failure> {
    let (manifold, wanted) = (manifold.get().share(), guarantee(budget_given)?);
    if n == 0 {
        return Err(GeometryError::NoRecords.into());
    }
    let choice = Choice::new(mechanism, steps, calibration_name, numerics)?;
    let (bound, denoise) = (parse_bound(bound)?, denoise(denoise_name)?);
    let beside = Beside::new(spread, spread_clip, components, components_clip)?;
    let statistic = statistic.to_owned();
    let adjacency = Adjacency::named(adjacency).unwrap_or_default(); // one of two names
    let mut generator = Generator::seeded(seed);
    run(py, [], move |[], interrupt| {
        let effort = Effort { releases, error_probability };
        let after_each = |_| interrupt.check();
        let of = |ball: Ball| -> Result<Statistic, Failure> {
            Ok(match planned(&statistic, manifold.clone(), ball, bound)? {
                Statistic::FrechetMean(mean) => mean.denoise(denoise).into(),
                _ if denoise.is_some() => {
                    return Err(Failure::Sentence(format!("denoise is about means: a {statistic} is not denoised")));
                }
                other => other,
            })
        };
        let plan_in =
            |ball, budget| choice.plan_of(beside.ask(Request::new(of(ball)?, n, budget).adjacency(adjacency)));
        let Some(radius) = radius else {
            let location = PrivateLocation::new(manifold.clone(), outer(&*manifold, None, within)?)?;
            let said = Said::default();
            let plan_in = |ball, budget| plan_in(ball, budget).map_err(|failure| said.keep(failure));
            let mean = LocatedMean::new(&location, n, wanted, &plan_in).map_err(|error| said.or(error))?;
            let found = audit_located(&mean, &plan_in, effort, &mut generator, &after_each)?;
            return Ok((json(&found)?, MechanismName::Locate.name()));
        };
        let plan = plan_in(Ball::at_origin(&*manifold, radius)?, wanted)?;
        let found = karcher::audit::audit(&*plan, effort, &mut generator, &after_each)?;
        Ok((json(&found)?, plan.name().name()))
    })
}

/// Refuses numbers that promise nothing, and combinations that mean nothing.
#[pyfunction]
pub fn check_budget(given: Budget) -> Result<(), Failure> {
    guarantee(given).map(drop)
}

/// The guarantee in another definition, `gaussian` or `concentrated`, rounded to the safe side.
#[pyfunction]
pub fn convert(given: Budget, definition: &str) -> Result<Budget, Failure> {
    let given = guarantee(given)?;
    match definition {
        "gaussian" => Ok(budget(given.to_gaussian()?)),
        "concentrated" => Ok(budget(given.to_concentrated()?)),
        _ => Err(Failure::Sentence(format!("unknown definition `{definition}`: expected gaussian or concentrated"))),
    }
}

/// The smallest `δ` at an `ε`.
#[pyfunction]
pub fn delta_at(given: Budget, epsilon: f64) -> Result<f64, Failure> {
    Ok(guarantee(given)?.delta(epsilon)?)
}

/// The smallest `ε` at a `δ`.
#[pyfunction]
pub fn epsilon_at(given: Budget, delta: f64) -> Result<f64, Failure> {
    Ok(guarantee(given)?.epsilon(delta)?)
}

/// What several releases about different people guarantee together.
#[pyfunction]
pub fn parallel(given: Vec<Budget>) -> Result<Budget, Failure> {
    let guarantees = given.into_iter().map(guarantee).collect::<Result<Vec<_>, _>>()?;
    Ok(budget(karcher::privacy::parallel(&guarantees)?))
}

/// What several releases about the same people add up to, at a `δ` if one is given.
#[pyfunction]
pub fn compose(given: Vec<Budget>, delta: Option<f64>) -> Result<Budget, Failure> {
    let guarantees = given.into_iter().map(guarantee).collect::<Result<Vec<_>, _>>()?;
    let together = match delta {
        None => karcher::privacy::compose(&guarantees)?,
        Some(delta) => karcher::privacy::compose_at(&guarantees, delta)?,
    };
    Ok(budget(together))
}
