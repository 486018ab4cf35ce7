//! Specifications as Python writes them: JSON, which the library checks.

use crate::arrays::Point;
use crate::error::Failure;
use crate::manifold::PyManifold;
use crate::privacy::json as as_json;
use crate::work::run;
use karcher::release::StatisticName;
use karcher::spec::{BallAdvice, PublicBall, ReleaseSpec};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

/// The specification that a text holds. An error names the field.
pub fn read_spec(text: &str) -> Result<ReleaseSpec, Failure> {
    of_fields(fields_of(text)?)
}

/// The fields of a specification in a text.
pub fn fields_of(text: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Failure::Sentence(format!("the specification is no JSON object: {error}")))
}

/// The specification with these fields.
pub fn of_fields(fields: Map<String, Value>) -> Result<ReleaseSpec, Failure> {
    serde_json::from_value(Value::Object(fields.clone())).map_err(|error| {
        let reason = fields.iter().find_map(|(name, value)| why_unreadable(name, value));
        Failure::Sentence(reason.unwrap_or_else(|| format!("the specification has a {error}")))
    })
}

/// Why a field by itself cannot be read, if it cannot. A sentence that does not name the field begins with its name.
fn why_unreadable(name: &str, value: &Value) -> Option<String> {
    let mut others: Map<String, Value> =
        serde_json::from_str(r#"{"spec": 1, "statistic": "count", "budget": {"definition": "pure", "epsilon": 1.0}}"#)
            .unwrap_or_default();
    others.insert(name.to_owned(), value.clone());
    let reason = serde_json::from_value::<ReleaseSpec>(Value::Object(others)).err()?.to_string();
    Some(if reason.contains(name) { reason } else { format!("{name}: {reason}") })
}

/// The descriptions of all statistics, as JSON.
#[pyfunction]
pub fn statistics() -> Result<String, Failure> {
    let described = |statistic: StatisticName| {
        let said = statistic.description();
        let example: Value = serde_json::from_str(said.example).unwrap_or_default();
        json!({
            "name": said.name, "option": said.option, "value": said.value,
            "is_of_balls": StatisticName::OF_BALLS.contains(&statistic), "example": example,
        })
    };
    as_json(&StatisticName::ALL.map(described))
}

/// The same specification as the library writes it, if it has a plan.
#[pyfunction]
pub fn checked_spec(py: Python<'_>, spec: &str) -> Result<String, Failure> {
    let spec = read_spec(spec)?;
    run(py, [], move |[], _| {
        spec.check_plan()?;
        as_json(&spec)
    })
}

/// Whether a release of `n` records asks them for few sums. A specification without a plan is refused elsewhere.
#[pyfunction]
pub fn asks_few_sums(py: Python<'_>, spec: &str, n: usize) -> Result<bool, Failure> {
    let spec = read_spec(spec)?;
    run(py, [], move |[], _| Ok(spec.asks_few_sums(n).unwrap_or(false)))
}

/// Whether a mean with these fields takes no ball, and so is an extrinsic one. `ball` is the first parameter of a ball
/// that is given, if one is.
#[pyfunction]
#[pyo3(signature = (spec, ball))]
pub fn takes_no_ball(py: Python<'_>, spec: &str, ball: Option<String>) -> Result<bool, Failure> {
    let mut spec = read_spec(spec)?;
    let given = PublicBall { locate: ball.is_some(), ..PublicBall::default() };
    run(py, [], move |[], _| Ok(spec.take_no_ball(&given)?))
        .map_err(|failure| failure.with_field_called("ball", ball.unwrap_or_else(|| "ball".to_owned())))
}

/// The ball of a specification as JSON, with the defaults of the space. `called` is the parameter of its radius. The
/// two sentences `advice` help where the radius, and the center, are missing.
#[pyfunction]
#[pyo3(signature = (manifold, center, radius, locate, within, quantile, everywhere, called, advice))]
#[allow(clippy::too_many_arguments)]
pub fn public_ball<'py>(
    py: Python<'py>,
    manifold: &Bound<'py, PyManifold>,
    center: Option<&Bound<'py, PyAny>>,
    radius: Option<Vec<f64>>,
    locate: bool,
    within: Option<f64>,
    quantile: Option<f64>,
    everywhere: bool,
    called: &str,
    advice: (String, String),
) -> Result<String, Failure> {
    let space = manifold.get().share();
    let center = center.map(|center| Point::new(center, "center", &*space)).transpose()?;
    let called = called.to_owned();
    run(py, [], move |[], _| {
        let center = center.map(|center| center.check(&*space)).transpose()?;
        let ball = PublicBall { center, radius: radius.map(Into::into), locate, within, quantile, everywhere };
        let advice =
            BallAdvice { without_radius: &advice.0, without_center: &advice.1, origin: " (center=manifold.origin)" };
        Ok(ball.resolve_with(&*space, advice)?)
    })
    .and_then(|ball| as_json(&ball))
    .map_err(|failure| failure.with_field_called(if locate { "within" } else { "radius" }, called))
}
