//! `karcher plan --slope-bound`: what each mechanism for a private regression would cost in accuracy.

use crate::Failure;
use crate::output::{digits, print_json, print_lines};
use crate::plan::Args;
use karcher::mechanism::{PredictorRange, PreparedRegression, PrivateRegression};
use karcher::privacy::Guarantee;
use karcher::{Ball, Error};
use serde_json::{Value, json};

/// Prints the plan for a geodesic that goes no further than `slope_bound` over the range of the predictor.
pub fn run(args: &Args, slope_bound: f64, budget: Guarantee) -> Result<(), Failure> {
    if args.bound.is_some() || args.rehearse {
        return Err("--bound and --rehearse belong to the mean; leave them out with --slope-bound".into());
    }
    let manifold = args.manifold.manifold()?;
    let range = PredictorRange::new(0.0, 1.0)?; // any: predictors are scaled
    let mut regression =
        PrivateRegression::new(&*manifold, Ball::at_origin(&*manifold, args.radius)?, range, slope_bound)?;
    if let Some(bound) = args.residual_bound {
        regression = regression.residual_bound(bound)?;
    }
    let best = regression.auto(args.n, budget)?.mechanism();
    let all = regression.candidates(args.n, budget);
    if args.json {
        let entries: Vec<Value> = all.iter().map(|(name, candidate)| entry(name, candidate)).collect();
        return print_json(&json!({
            "manifold": args.manifold, "n": args.n, "radius": args.radius, "slope_bound": slope_bound,
            "residual_bound": args.residual_bound, "budget": budget, "best": best, "mechanisms": entries,
        }));
    }
    let title = "expected root mean square distance to the least-squares geodesic over the range";
    let mut lines = vec![(String::new(), title.to_owned())];
    lines.extend(all.iter().map(|(name, candidate)| ((*name).to_owned(), words(candidate))));
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

fn words(candidate: &Result<PreparedRegression<'_>, Error>) -> String {
    match candidate {
        Ok(prepared) if prepared.is_exact() => digits(prepared.expected_distance()),
        Ok(prepared) => format!("{}; approximate, by a Markov chain", digits(prepared.expected_distance())),
        Err(error) => format!("does not apply: {error}"),
    }
}
