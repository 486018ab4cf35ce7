//! What is decided without records: plans, calibration, composition.

use crate::failure::Failure;
use crate::job::{Numbers, whole};
use crate::specification::{budget, specification};
use karcher::mechanism::{Candidate, Noise, NumericsPolicy, Plan, best, fewest_records, least_epsilon};
use karcher::privacy::{GaussianCalibration, Guarantee};
use karcher::release::{Adjacency, MechanismName, StatisticName};
use karcher::sampler::Law;
use karcher::spec::{BallSpec, MechanismChoice, ReleaseSpec};
use karcher::{Error, Space};
use karcher_report::{Document, together};
use serde_json::{Value, json};

/// The names of the statistics that a space, a ball and a budget plan, by their words.
pub fn statistics(_: &Value, _: &Numbers) -> Result<Value, Failure> {
    Ok(StatisticName::OF_BALLS
        .iter()
        .map(|statistic| (statistic.description().option.to_owned(), json!(statistic)))
        .collect())
}

/// The specification of a call, or why its arguments do not go together.
pub fn specified(request: &Value, _: &Numbers) -> Result<Value, Failure> {
    Ok(json!(specification(request)?))
}

/// The mechanisms with their expected errors, or why they do not apply; the number of records or the budget that reach
/// an error.
pub fn plan(request: &Value, _: &Numbers) -> Result<Value, Failure> {
    let given = budget(&request["budget"]);
    let mut until_then = request.clone();
    if given.is_err() {
        until_then["budget"] = json!({"epsilon": 1.0}); // until there is one
    }
    let spec = specification(&until_then)?;
    let n = whole(request, "n")?.and_then(|n| usize::try_from(n).ok());
    let has_budget = ["epsilon", "mu", "rho"].iter().any(|name| !request["budget"][name].is_null());
    if n.is_some() && spec.adjacency == Adjacency::AddRemove {
        return Err(Failure::new("n does not go with adjacency = \"add-remove\": n_guess takes its place"));
    }
    let expected = |n: usize, budget: Guarantee| Ok::<f64, Error>(of_size(&spec, n, budget).plan(n)?.error_bound());
    let (n, wanted) = match (n.or(spec.n_guess), request["error"].as_f64()) {
        (Some(n), None) => (n, given?),
        (Some(n), Some(error)) if !has_budget => {
            (n, least_epsilon(error, n, request["budget"]["delta"].as_f64(), &expected)?)
        }
        (None, Some(error)) => {
            let wanted = given?;
            (fewest_records(error, wanted, &expected)?, wanted)
        }
        (Some(_), Some(_)) => {
            return Err(Failure::new("error finds the number of records or epsilon: leave out n or the budget"));
        }
        (None, None) => {
            return Err(Failure::new("n is missing: give the number of records, or the error that they shall reach"));
        }
    };
    let (spec, accept) = (of_size(&spec, n, wanted), spec.numerics);
    let (chosen, all) = match (&spec.ball, &spec.mechanism) {
        (Some(BallSpec::Locate { .. }), _) | (_, MechanismChoice::Named(_)) => {
            let plan = spec.plan(n)?;
            (Some(plan.name()), vec![entry(plan.name(), &*plan, accept)])
        }
        _ => {
            let all = spec.candidates(n)?;
            if all.iter().all(|candidate| candidate.plan.is_err()) {
                spec.plan(n)?; // says why
            }
            (best(&all, accept).map(|i| all[i].mechanism.name()), all.iter().map(|one| of(one, accept)).collect())
        }
    };
    Ok(json!({
        "n": n, "budget": wanted, "text": wanted.to_string(), "manifold": spec.manifold, "best": chosen,
        "candidates": all, "spec": spec,
    }))
}

/// The specification for another number of records and another budget.
fn of_size(spec: &ReleaseSpec, n: usize, budget: Guarantee) -> ReleaseSpec {
    let n_guess = (spec.adjacency == Adjacency::AddRemove).then_some(n);
    ReleaseSpec { budget, n_guess, ..spec.clone() }
}

fn of(Candidate { mechanism, plan, .. }: &Candidate, accept: NumericsPolicy) -> Value {
    match plan {
        Ok(plan) => entry(mechanism.name(), &**plan, accept),
        Err(error) => json!({"mechanism": mechanism.name(), "reason": error.to_string()}),
    }
}

/// What a mechanism would cost.
fn entry(name: MechanismName, plan: &dyn Plan, accept: NumericsPolicy) -> Value {
    let reason = accept.refuses(plan).map(|_| "a proof about real numbers: numerics = \"any\" takes it");
    json!({
        "mechanism": name, "numerics": plan.numerics(), "expected_distance": plan.expected_distance(),
        "quantile_95": plan.distance().map(|distance| distance.quantile(0.95)), "reason": reason,
    })
}

/// How much noise a budget needs, or what noise of a scale guarantees.
pub fn calibrate(request: &Value, _: &Numbers) -> Result<Value, Failure> {
    let space = request["manifold"].as_str().unwrap_or_default().parse::<Space>()?.manifold()?;
    let law = match request["mechanism"].as_str() {
        Some("laplace") => Law::Laplace,
        Some("gaussian") => Law::Gaussian,
        _ => return Err(Failure::new("mechanism is neither laplace nor gaussian")),
    };
    let Some(sensitivity) = request["sensitivity"].as_f64() else {
        return Err(Failure::new("sensitivity is no number: give the largest distance by which one record moves it"));
    };
    let has_budget = request["budget"].as_object().is_some_and(|numbers| numbers.values().any(|x| !x.is_null()));
    let noise = match (request["scale"].as_f64(), has_budget, law) {
        (Some(_), true, _) => return Err(Failure::new("give a scale or a budget, not both")),
        (Some(scale), false, law) => Noise::of_scale(space, law, sensitivity, scale)?,
        (None, _, Law::Laplace) => Noise::laplace(space, sensitivity, budget(&request["budget"])?)?,
        (None, _, Law::Gaussian) => {
            Noise::gaussian(space, sensitivity, budget(&request["budget"])?, GaussianCalibration::Analytic)?
        }
    };
    Ok(json!({
        "scale": noise.scale(), "guarantee": noise.guarantee(), "text": noise.guarantee().to_string(),
        "expected_distance": noise.expected_distance(), "quantile_95": noise.distance().quantile(0.95),
    }))
}

/// Warnings of a budget that protects hardly anyone.
pub fn caveats(request: &Value, _: &Numbers) -> Result<Value, Failure> {
    let n = whole(request, "n")?.map_or(1, |n| usize::try_from(n).unwrap_or(usize::MAX));
    Ok(json!(budget(&request["budget"])?.caveats(n.max(1))))
}

/// What several releases about the same people guarantee together.
pub fn compose(request: &Value, _: &Numbers) -> Result<Value, Failure> {
    let (given, delta) = (|name: &str| request[name].as_array().into_iter().flatten(), request["delta"].as_f64());
    if !request["releases"].is_null() {
        let read = |text: &Value| Document::read("release", text.as_str().unwrap_or_default());
        let documents = given("releases").map(read).collect::<Result<Vec<_>, _>>();
        let documents = documents.map_err(|error| Failure::new(error.to_string()))?;
        let (sum, neighbours) = together(&documents, delta).map_err(Failure::new)?;
        return Ok(with_text(sum, format!("{sum}, {neighbours}")));
    }
    let guarantees = given("budgets").map(budget).collect::<Result<Vec<_>, _>>()?;
    let sum = match delta {
        None => karcher::privacy::compose(&guarantees)?,
        Some(delta) => karcher::privacy::compose_at(&guarantees, delta)?,
    };
    Ok(with_text(sum, sum.to_string()))
}

/// A guarantee with its words.
fn with_text(guarantee: Guarantee, text: String) -> Value {
    let mut found = json!(guarantee);
    found["text"] = json!(text);
    found
}
