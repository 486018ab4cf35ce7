//! Specifications, filled in from the arguments of a call. The library says whether they go together.

use crate::failure::Failure;
use crate::records::{layout_of, point};
use karcher::ReleaseSpec;
use karcher::privacy::Guarantee;
use karcher::release::StatisticName;
use karcher::spec::{BallAdvice, PublicBall, Radius};
use karcher::statistics::BallUse;
use serde_json::{Map, Value, json};

/// A budget of arguments `epsilon`, `delta`, `mu` and `rho`.
pub fn budget(given: &Value) -> Result<Guarantee, Failure> {
    let number = |name: &str| match &given[name] {
        Value::Null => Ok(None),
        Value::Number(x) => Ok(x.as_f64()),
        _ => Err(Failure::new(format!("{name} is no number: give one number, such as {name} = 1"))),
    };
    Ok(ReleaseSpec::budget_of(number("epsilon")?, number("delta")?, number("mu")?, number("rho")?)?)
}

/// The specification that a call asks for.
pub fn specification(request: &Value) -> Result<ReleaseSpec, Failure> {
    let guarantee = budget(&request["budget"])?;
    let mut fields: Map<String, Value> = request["fields"].as_object().cloned().unwrap_or_default();
    fields.retain(|_, value| !value.is_null());
    fields.insert("spec".to_owned(), json!(karcher::spec::SPEC));
    fields.insert("budget".to_owned(), serde_json::to_value(guarantee)?);
    let mut spec = read(fields)?;
    let ball = public_ball(request, &spec)?;
    if spec.take_no_ball(&ball)? {
        let given =
            ["radius", "center", "within", "quantile"].into_iter().find(|name| !request["ball"][name].is_null());
        return match given {
            Some(name) => Err(Failure::new(format!("{name} does not go with an extrinsic mean, which takes no ball"))),
            None => Ok(spec),
        };
    }
    if spec.statistic.description().ball != BallUse::None {
        let find = "or ball = \"auto\" finds one privately";
        let advice = if spec.statistic == StatisticName::FrechetMean {
            BallAdvice { without_radius: find, without_center: find, origin: "" }
        } else {
            BallAdvice::default()
        };
        spec.ball = Some(ball.resolve_with(&*spec.manifold()?, advice)?);
    }
    spec.check()?;
    Ok(spec)
}

/// The specification with these fields. A refusal names the field.
fn read(fields: Map<String, Value>) -> Result<ReleaseSpec, Failure> {
    serde_json::from_value(Value::Object(fields.clone())).map_err(|error| {
        let reason = fields.iter().find_map(|(name, value)| {
            let mut alone = json!({"spec": 1, "statistic": "count", "budget": {"definition": "pure", "epsilon": 1.0}});
            alone[name] = value.clone();
            let reason = serde_json::from_value::<ReleaseSpec>(alone).err()?.to_string();
            let reason = reason.replace("invalid type: ", "").replace("expected usize", "expected a whole number");
            Some(if reason.contains(name) { reason } else { format!("{name}: {reason}") })
        });
        Failure::new(reason.unwrap_or_else(|| error.to_string()))
    })
}

/// What is said of a ball, with a center in the layout of the records.
fn public_ball(request: &Value, spec: &ReleaseSpec) -> Result<PublicBall, Failure> {
    let given = &request["ball"];
    let numbers = |name: &str| {
        match &given[name] {
            Value::Null => Ok(None),
            Value::Array(items) => items.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>().map(Some).ok_or(name),
            one => one.as_f64().map(|x| Some(vec![x])).ok_or(name),
        }
        .map_err(|name| Failure::new(format!("{name} is {}: expected numbers", given[name])))
    };
    let number = |name: &str| match numbers(name)?.as_deref() {
        None => Ok(None),
        Some([x]) => Ok(Some(*x)),
        Some(_) => Err(Failure::new(format!("{name} is {}: expected one number", given[name]))),
    };
    // a statistic that searches a ball has one radius, that of the outer one
    let is_searched = spec.statistic.description().ball == BallUse::Searched;
    let (radius, within) = match is_searched && given["within"].is_null() {
        true => (None, number("radius")?),
        false => (numbers("radius")?.map(Radius::from), number("within")?),
    };
    let locate = is_searched || given["locate"] == json!(true);
    let center = match numbers("center")? {
        Some(numbers) => {
            let space = spec.manifold()?;
            let layout = layout_of(&*space, request["layout"].as_str())?;
            crate::names::check(&*space, &layout, "center", given)?;
            let point = point(&*space, &layout, &numbers);
            Some(
                point
                    .map_err(|reason| Failure::new(format!("center is not a point of {}: {reason}", space.space())))?,
            )
        }
        None if given["any_center"] == json!(true) && !(given["radius"].is_null() && !locate) => {
            let space = spec.manifold()?;
            let mut origin = vec![0.0; space.point_len()];
            space.origin(&mut origin);
            Some(origin)
        }
        None => None,
    };
    Ok(PublicBall {
        center,
        radius,
        locate,
        within,
        quantile: number("quantile")?,
        everywhere: spec.statistic.description().takes_whole_space,
    })
}
