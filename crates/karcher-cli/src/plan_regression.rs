//! `karcher plan --slope-bound` and `--term`: the expected accuracy of each mechanism for a private regression.

use crate::Failure;
use crate::length::Length;
use crate::output::{print_json, print_lines};
use crate::plan::{Args, Plan};
use karcher::features::Term;
use karcher::mechanism::{Candidate, PrivateFeatureRegression, Request};
use karcher::release::MechanismName;
use karcher::spec::NumericsPolicy;
use serde_json::{Value, json};

/// Prints the plan.
pub fn run(args: &Args, request: &Request, all: &[Candidate], best: MechanismName, plan: &Plan) -> Result<(), Failure> {
    let on_features = request.statistic().as_a::<PrivateFeatureRegression>();
    let curvature = on_features.map(PrivateFeatureRegression::curvature_error);
    let accept = request.accepts();
    let statistic = request.statistic().name();
    if args.json {
        let space = args.fields.space()?;
        let entries: Vec<Value> = all.iter().map(entry).collect();
        let mut report = json!({
            "statistic": statistic, "manifold": space, (args.name_of_n()): plan.n, "adjacency": args.fields.adjacency(),
            "radius": args.radius().on(space, "--radius")?, "budget": plan.budget, "best": best, "mechanisms": entries,
        });
        match curvature {
            Some(curvature) => {
                report["terms"] = json!(args.fields.all::<Term>("term"));
                report["curvature_error"] = json!(curvature);
            }
            None => {
                report["slope_bound"] = json!(args.fields.length("slope-bound")?);
                report["residual_bound"] = json!(args.fields.length("residual-bound")?);
            }
        }
        plan.add_to(&mut report);
        return print_json(&report);
    }
    let mut lines = plan.lines.clone();
    lines.push((String::new(), format!("expected {}", statistic.description().error)));
    lines.extend(all.iter().map(|c| (c.mechanism.name().to_string(), words(c, accept, args.radius()))));
    if let Some(curvature) = curvature.flatten().filter(|curvature| *curvature > 0.0) {
        let words =
            format!("about {} from geodesic regression, simulated in this ball", args.radius().words(curvature));
        lines.push(("curvature".to_owned(), words));
    }
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
            let asked = if accept.refuses(&**plan).is_some() { "; on request or with --numerics any" } else { "" };
            radius.words(plan.expected_distance()) + asked
        }
        Ok(plan) => format!("{}; approximate, by a Markov chain", radius.words(plan.expected_distance())),
        Err(error) => format!("does not apply: {error}"),
    }
}
