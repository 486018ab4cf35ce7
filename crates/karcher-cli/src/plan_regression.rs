//! `karcher plan --slope-bound`: what each mechanism for a private regression would cost in accuracy.

use crate::Failure;
use crate::length::Length;
use crate::output::{print_json, print_lines};
use crate::plan::{Args, Plan};
use karcher::mechanism::{PredictorRange, PreparedRegression, PrivateRegression};
use karcher::{Ball, Error, Manifold};
use serde_json::{Value, json};

/// The regression that is planned: of a geodesic that goes no further than `slope_bound` over the range of the
/// predictor.
pub fn bounded<'a>(
    args: &Args,
    manifold: &'a dyn Manifold,
    slope_bound: Length,
) -> Result<PrivateRegression<'a>, Failure> {
    if args.bound.is_some() || args.rehearse {
        return Err("--bound and --rehearse belong to the mean; leave them out with --slope-bound".into());
    }
    let range = PredictorRange::new(0.0, 1.0)?; // any: predictors are scaled
    let ball = Ball::at_origin(manifold, args.radius.on(&args.manifold, "--radius")?)?;
    let regression = PrivateRegression::new(manifold, ball, range, slope_bound.on(&args.manifold, "--slope-bound")?)?;
    Ok(match args.residual_bound {
        Some(bound) => regression.residual_bound(bound.on(&args.manifold, "--residual-bound")?)?,
        None => regression,
    })
}

/// Prints the plan.
pub fn run(args: &Args, regression: &PrivateRegression<'_>, plan: &Plan) -> Result<(), Failure> {
    let best = regression.auto(plan.n, plan.budget)?.mechanism();
    let all = regression.candidates(plan.n, plan.budget);
    if args.json {
        let length = |length: Option<Length>| length.map(|l| l.on(&args.manifold, "")).transpose();
        let entries: Vec<Value> = all.iter().map(|(name, candidate)| entry(name, candidate)).collect();
        let mut report = json!({
            "manifold": args.manifold, "n": plan.n, "radius": length(Some(args.radius))?, "slope_bound": length(args.slope_bound)?,
            "residual_bound": length(args.residual_bound)?, "budget": plan.budget, "best": best, "mechanisms": entries,
        });
        plan.add_to(&mut report);
        return print_json(&report);
    }
    let title = "expected root mean square distance to the least-squares geodesic over the range";
    let mut lines = plan.lines.clone();
    lines.push((String::new(), title.to_owned()));
    lines.extend(all.iter().map(|(name, candidate)| ((*name).to_owned(), words(candidate, args.radius))));
    lines.push(("best".to_owned(), best.to_owned()));
    print_lines(&lines)
}

fn entry(name: &str, candidate: &Result<PreparedRegression<'_>, Error>) -> Value {
    match candidate {
        Ok(prepared) => json!({
            "mechanism": name, "expected_distance": prepared.expected_distance(), "is_exact": prepared.is_exact(),
        }),
        Err(error) => json!({"mechanism": name, "reason": error.to_string()}),
    }
}

fn words(candidate: &Result<PreparedRegression<'_>, Error>, radius: Length) -> String {
    match candidate {
        Ok(prepared) if prepared.is_exact() => radius.words(prepared.expected_distance()),
        Ok(prepared) => format!("{}; approximate, by a Markov chain", radius.words(prepared.expected_distance())),
        Err(error) => format!("does not apply: {error}"),
    }
}
