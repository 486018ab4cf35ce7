//! Everything that is decided without records: sensitivities, calibration, profiles, plans, conversions.

use crate::arrays::{Array, array};
use crate::error::Failure;
use crate::manifold::{PyManifold, named_law};
use crate::spec::{fields_of, of_fields, read_spec};
use crate::work::run;
use karcher::Error;
use karcher::audit::Effort;
use karcher::error::{GeometryError, PrivacyError};
use karcher::mechanism::{
    Candidate, ErrorForecast, Noise, NumericsPolicy, Plan, PrivateFrechetMean, best, fewest_records, least_epsilon,
};
use karcher::privacy::{ConstantCurvature, Definition, GaussianCalibration, Guarantee, Profile};
use karcher::release::{Adjacency, DetectableDifference, MechanismName, StatisticName};
use karcher::sampler::{Generator, Law};
use karcher::sensitivity::{Bound as SensitivityBound, frechet_mean_in};
use karcher::spec::{BallSpec, MechanismChoice, Radius, ReleaseSpec};
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

/// A budget as Python gives it: ε, δ, μ, ρ.
pub type Budget = (Option<f64>, Option<f64>, Option<f64>, Option<f64>);

/// The budget as a guarantee.
pub fn guarantee((epsilon, delta, mu, rho): Budget) -> Result<Guarantee, Failure> {
    Ok(ReleaseSpec::budget_of(epsilon, delta, mu, rho)?)
}

/// Warnings of a budget that protects hardly anyone, for a public number of records.
#[pyfunction]
#[pyo3(signature = (budget, n))]
pub fn budget_caveats(budget: Budget, n: usize) -> Result<Vec<String>, Failure> {
    Ok(guarantee(budget)?.caveats(n))
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
fn parse_bound(name: Option<&str>) -> Result<Option<SensitivityBound>, Error> {
    name.map(str::parse).transpose()
}

/// `analytic`, the default, or `classical`.
fn calibration(name: Option<&str>) -> Result<GaussianCalibration, Failure> {
    match name {
        None | Some("analytic") => Ok(GaussianCalibration::Analytic),
        Some("classical") => Ok(GaussianCalibration::Classical),
        Some(name) => Err(Failure::Sentence(format!("unknown calibration `{name}`: expected analytic or classical"))),
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
    radius: Vec<f64>,
    n: usize,
    bound: Option<&str>,
) -> Result<(f64, &'static str), Failure> {
    let (manifold, bound) = (manifold.get().share(), parse_bound(bound)?);
    run(py, [], move |[], _| {
        let mut origin = vec![0.0; manifold.point_len()];
        manifold.origin(&mut origin);
        let ball = Radius::from(radius).ball(&*manifold, origin)?;
        // the words in which a mean refuses a ball
        PrivateFrechetMean::new(manifold.clone(), ball.clone())?.bound(bound).sensitivity(n)?;
        let found = frechet_mean_in(&*manifold, &ball, n, bound)?;
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

/// A plan as JSON, the number of records and the budget. The plan has the mechanisms with their costs, or why they do
/// not apply. It has the name of the best one whose proof is accepted, and forecasts of companion statistics. A
/// mechanism that is named is planned alone. An error finds the number of records, or the budget that the specification
/// lacks, at a `δ` if one is given.
#[pyfunction]
#[pyo3(signature = (spec, n, error, delta))]
pub fn plan(
    py: Python<'_>,
    spec: &str,
    n: Option<usize>,
    error: Option<f64>,
    delta: Option<f64>,
) -> Result<(String, usize, Budget, String), Failure> {
    let mut fields = fields_of(spec)?;
    let has_budget = fields.contains_key("budget");
    if !has_budget {
        fields.insert("budget".to_owned(), json!(Guarantee::pure(1.0)?)); // until there is one
    }
    let spec = of_fields(fields)?;
    let refuse = |name, reason: &str| Err(Error::Field { name, reason: reason.to_owned() });
    if spec.statistic == StatisticName::Count {
        let reason = "a count has one mechanism, whose noise the budget alone decides: give it to karcher.run";
        return Ok(refuse("statistic", reason)?);
    }
    if spec.groups.is_some() {
        return Ok(refuse("groups", "each group has a plan of its own: leave them out and give the `n_guess` of one")?);
    }
    if n.is_some() && spec.adjacency == Adjacency::AddRemove {
        return Ok(refuse(
            "n",
            "does not go with `adjacency` add-remove, where it is confidential: `n_guess` takes its place",
        )?);
    }
    let given = if has_budget { Ok(spec.budget) } else { guarantee((None, delta, None, None)) };
    let n = n.or(spec.n_guess);
    if n == Some(0) {
        return Err(GeometryError::NoRecords.into());
    }
    run(py, [], move |[], interrupt| {
        let spec_of = |n: usize, budget: Guarantee| {
            let n_guess = (spec.adjacency == Adjacency::AddRemove).then_some(n);
            ReleaseSpec { budget, n_guess, ..spec.clone() }
        };
        let expected = |n: usize, budget: Guarantee| {
            interrupt.check();
            let plan = spec_of(n, budget).plan(n)?;
            Ok::<f64, Failure>(
                plan.forecasts().first().map_or_else(|| plan.error_bound(), ErrorForecast::told_from_noise),
            )
        };
        let (n, wanted) = match (n, error) {
            (Some(n), None) => (n, given?),
            (Some(n), Some(error)) if !has_budget => (n, least_epsilon(error, n, delta, &expected)?),
            (None, Some(error)) => {
                let wanted = given?;
                (fewest_records(error, wanted, &expected)?, wanted)
            }
            (Some(_), Some(_)) => {
                let sentence = "error finds the number of records or epsilon: leave out n or the budget";
                return Err(Failure::Sentence(sentence.to_owned()));
            }
            (None, None) => {
                let sentence = "n is missing: give the number of records, or the error that they shall reach";
                return Err(Failure::Sentence(sentence.to_owned()));
            }
        };
        let (spec, accept) = (spec_of(n, wanted), spec.numerics);
        let is_located =
            spec.statistic == StatisticName::FrechetMean && matches!(spec.ball, Some(BallSpec::Locate { .. }));
        let planned = if is_located || spec.mechanism != MechanismChoice::Auto {
            let plan = spec.plan(n)?;
            let entries = vec![entry(plan.name(), &*plan, accept)];
            json!({
                "best": plan.name(), "candidates": entries, "forecast": plan.forecasts().first(),
                "detectable_difference": DetectableDifference::of(&*plan),
            })
        } else {
            let all = spec.candidates(n)?;
            if all.iter().all(|candidate| candidate.plan.is_err()) {
                spec.plan(n)?; // says why
            }
            let best = best(&all, accept).map(|i| &all[i]);
            let plan = best.and_then(|best| best.plan.as_ref().ok());
            let forecasts = plan.and_then(|plan| plan.forecasts().first().copied());
            let detectable = plan.and_then(|plan| DetectableDifference::of(&**plan));
            let entries: Vec<Value> = all
                .iter()
                .map(|Candidate { mechanism, plan, .. }| match plan {
                    Ok(plan) => entry(mechanism.name(), &**plan, accept),
                    Err(error) => json!({"mechanism": mechanism.name(), "reason": error.to_string()}),
                })
                .collect();
            json!({
                "best": best.map(|best| best.mechanism.name()), "candidates": entries, "forecast": forecasts,
                "detectable_difference": detectable,
            })
        };
        Ok((json(&planned)?, n, budget(wanted), json(&spec)?))
    })
}

/// What a mechanism would cost.
fn entry(name: MechanismName, plan: &dyn Plan, accept: NumericsPolicy) -> Value {
    let steps = plan.summary().steps.as_ref().map(Vec::len);
    json!({
        "mechanism": name,
        "numerics": plan.numerics(),
        "by_name": accept.refuses(plan),
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
        "of_best_unbiased": plan.summary().of_best_unbiased(),
    })
}

/// What an audit of a specification found, as JSON; and the mechanism's name.
#[pyfunction]
pub fn audit(
    py: Python<'_>,
    spec: &str,
    n: usize,
    releases: usize,
    error_probability: f64,
    seed: u64,
) -> Result<(String, &'static str), Failure> {
    let spec = read_spec(spec)?;
    if n == 0 {
        return Err(GeometryError::NoRecords.into());
    }
    let mut generator = Generator::seeded(seed);
    run(py, [], move |[], interrupt| {
        let plan = spec.plan(n)?;
        let effort = Effort { releases, error_probability };
        let found = karcher::audit::audit(&*plan, effort, &mut generator, &|_| interrupt.check())?;
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

/// The smallest `δ` at each `ε`.
#[pyfunction]
pub fn delta_at<'py>(
    py: Python<'py>,
    given: Budget,
    epsilon: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, Failure> {
    at_each(py, given, epsilon, Guarantee::delta)
}

/// The smallest `ε` at each `δ`.
#[pyfunction]
pub fn epsilon_at<'py>(
    py: Python<'py>,
    given: Budget,
    delta: &Bound<'py, PyAny>,
) -> Result<Bound<'py, PyAny>, Failure> {
    at_each(py, given, delta, Guarantee::epsilon)
}

/// A function of a guarantee and a number, at each number of an array.
fn at_each<'py>(
    py: Python<'py>,
    given: Budget,
    at: &Bound<'py, PyAny>,
    function: fn(&Guarantee, f64) -> Result<f64, PrivacyError>,
) -> Result<Bound<'py, PyAny>, Failure> {
    let (given, at) = (guarantee(given)?, Array::new(at)?);
    let shape = at.shape().to_vec();
    let found = run(py, [at], move |[values], interrupt| {
        let each = |&x: &f64| {
            interrupt.check();
            function(&given, x)
        };
        Ok(values.iter().map(each).collect::<Result<Vec<f64>, PrivacyError>>()?)
    })?;
    array(py, found, None, &shape)
}

/// The guarantee for data sets that differ in `k` records.
#[pyfunction]
pub fn group(given: Budget, k: u32) -> Result<Budget, Failure> {
    Ok(budget(guarantee(given)?.group(k)?))
}

/// Whether the first guarantee implies the second one.
#[pyfunction]
pub fn implies(first: Budget, second: Budget) -> Result<bool, Failure> {
    Ok(guarantee(first)?.implies(guarantee(second)?))
}

/// What several releases about different people guarantee together.
#[pyfunction]
pub fn parallel(given: Vec<Budget>) -> Result<Budget, Failure> {
    let guarantees = given.into_iter().map(guarantee).collect::<Result<Vec<_>, _>>()?;
    Ok(budget(karcher::privacy::parallel(&guarantees)?))
}

/// What several releases about the same people add up to, at a `δ` if one is given, or of shuffled reports.
#[pyfunction]
pub fn compose(given: Vec<Budget>, delta: Option<f64>, shuffled: Option<usize>) -> Result<Budget, Failure> {
    let guarantees = given.into_iter().map(guarantee).collect::<Result<Vec<_>, _>>()?;
    let together = match (delta, shuffled) {
        (None, _) => karcher::privacy::compose(&guarantees)?,
        (Some(delta), None) => karcher::privacy::compose_at(&guarantees, delta)?,
        (Some(delta), Some(people)) => karcher::privacy::shuffled_rounds(people, &guarantees, delta)?,
    };
    Ok(budget(together))
}
