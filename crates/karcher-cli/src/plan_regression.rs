//! `karcher plan --slope-bound` and `--term`: the expected accuracy of each mechanism for a private regression.

use crate::Failure;
use crate::length::Length;
use crate::output::{print_json, print_lines};
use crate::plan::{Args, Plan};
use karcher::mechanism::{Candidate, PrivateFeatureRegression, Request};
use karcher::spec::NumericsPolicy;
use serde_json::{Value, json};

/// The meaning of the errors: of a geodesic, and of a regression on features.
pub const TITLE: &str = "root mean square distance to the least-squares geodesic over the range";
pub const TITLE_OF_FEATURES: &str = "root mean square distance of predictions from those of least squares";

/// Prints the plan.
pub fn run(args: &Args, request: &Request, plan: &Plan) -> Result<(), Failure> {
    let on_features = request.statistic().as_a::<PrivateFeatureRegression>();
    let curvature = on_features.map(PrivateFeatureRegression::curvature_error);
    let accept = request.accepts();
    let best = request.plan()?.name();
    let all = request.candidates();
    if args.json {
        let length = |length: Option<Length>| length.map(|l| l.on(&args.manifold, "")).transpose();
        let entries: Vec<Value> = all.iter().map(entry).collect();
        let mut report = json!({
            "manifold": args.manifold, (args.name_of_n()): plan.n, "adjacency": args.neighbours.adjacency(), "radius": length(Some(args.radius()))?,
            "budget": plan.budget, "best": best, "mechanisms": entries,
        });
        match curvature {
            Some(curvature) => {
                report["terms"] = json!(args.term);
                report["curvature_error"] = json!(curvature);
            }
            None => {
                report["slope_bound"] = json!(length(args.slope_bound)?);
                report["residual_bound"] = json!(length(args.residual_bound)?);
            }
        }
        plan.add_to(&mut report);
        return print_json(&report);
    }
    let mut lines = plan.lines.clone();
    let title = if curvature.is_some() { TITLE_OF_FEATURES } else { TITLE };
    lines.push((String::new(), format!("expected {title}")));
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
