//! `karcher plan --slope-bound`: what each mechanism for a private regression would cost in accuracy.

use crate::Failure;
use crate::length::Length;
use crate::output::{print_json, print_lines};
use crate::plan::{Args, Plan};
use karcher::mechanism::{Candidate, Request};
use karcher::spec::NumericsPolicy;
use serde_json::{Value, json};

/// Prints the plan.
pub fn run(args: &Args, request: &Request, plan: &Plan) -> Result<(), Failure> {
    let accept = request.accepts();
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
