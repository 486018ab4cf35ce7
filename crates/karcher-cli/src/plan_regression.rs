//! `karcher plan --slope-bound`: what each mechanism for a private regression would cost in accuracy.

use crate::Failure;
use crate::length::Length;
use crate::output::{print_json, print_lines};
use crate::plan::{Args, Plan};
use karcher::mechanism::{Candidate, NumericsPolicy, PrivateRegression, Request};
use karcher::{Ball, Manifold, PredictorRange};
use serde_json::{Value, json};
use std::sync::Arc;

/// The regression that is planned: of a geodesic that goes no further than `slope_bound` over the range of the
/// predictor.
pub fn bounded(args: &Args, manifold: Arc<dyn Manifold>, slope_bound: Length) -> Result<PrivateRegression, Failure> {
    if args.bound.is_some() || args.rehearse {
        return Err("--bound and --rehearse belong to the mean; leave them out with --slope-bound".into());
    }
    if args.ball.is_some() || args.expected_spread.is_some() {
        return Err("--ball and --expected-spread belong to the mean; leave them out with --slope-bound".into());
    }
    let range = PredictorRange::new(0.0, 1.0)?; // any: predictors are scaled
    let ball = Ball::at_origin(&*manifold, args.radius().on(&args.manifold, "--radius")?)?;
    let regression = PrivateRegression::new(manifold, ball, range, slope_bound.on(&args.manifold, "--slope-bound")?)?;
    Ok(match args.residual_bound {
        Some(bound) => regression.residual_bound(bound.on(&args.manifold, "--residual-bound")?)?,
        None => regression,
    })
}

/// Prints the plan.
pub fn run(args: &Args, regression: &PrivateRegression, plan: &Plan) -> Result<(), Failure> {
    let accept = args.numerics.into();
    let request =
        Request::new(regression.clone(), plan.n, plan.budget).adjacency(args.neighbours.adjacency()).numerics(accept);
    let best = request.plan()?.name();
    let all = request.candidates();
    if args.json {
        let length = |length: Option<Length>| length.map(|l| l.on(&args.manifold, "")).transpose();
        let entries: Vec<Value> = all.iter().map(entry).collect();
        let mut report = json!({
            "manifold": args.manifold, (args.name_of_n()): plan.n, "adjacency": args.neighbours.adjacency(), "radius": length(Some(args.radius()))?,
            "slope_bound": length(args.slope_bound)?,
            "residual_bound": length(args.residual_bound)?, "budget": plan.budget, "best": best, "mechanisms": entries,
        });
        plan.add_to(&mut report);
        return print_json(&report);
    }
    let title = "expected root mean square distance to the least-squares geodesic over the range";
    let mut lines = plan.lines.clone();
    lines.push((String::new(), title.to_owned()));
    lines.extend(all.iter().map(|c| (c.mechanism.name().to_string(), words(c, accept, args.radius()))));
    lines.push(("best".to_owned(), best.to_string()));
    print_lines(&lines)
}

fn entry(candidate: &Candidate) -> Value {
    let name = candidate.mechanism.name();
    match &candidate.plan {
        Ok(plan) => json!({
            "mechanism": name, "expected_distance": plan.expected_distance(), "is_exact": plan.is_exact(), "numerics": plan.numerics(),
        }),
        Err(error) => json!({"mechanism": name, "reason": error.to_string()}),
    }
}

fn words(candidate: &Candidate, accept: NumericsPolicy, radius: Length) -> String {
    match &candidate.plan {
        Ok(plan) if plan.is_exact() => {
            let asked = if accept.refuses(&**plan).is_some() { "; by name or with --numerics any" } else { "" };
            radius.words(plan.expected_distance()) + asked
        }
        Ok(plan) => format!("{}; approximate, by a Markov chain", radius.words(plan.expected_distance())),
        Err(error) => format!("does not apply: {error}"),
    }
}
