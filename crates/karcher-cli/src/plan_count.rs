//! `karcher plan --statistic count`: the expected error of a private count, before any budget is spent.

use crate::Failure;
use crate::options::warn_if_weak;
use crate::output::{digits, digits_up, print_json, print_lines};
use crate::plan::Args;
use karcher::mechanism::{CountPlan, least_epsilon};
use karcher::privacy::Guarantee;
use karcher::release::{Adjacency, StatisticName};
use serde_json::json;

/// Prints the plan.
pub fn run(args: &Args) -> Result<(), Failure> {
    args.refuse_for_count()?;
    let given = args.fields.budget();
    let expected = |_: usize, budget: Guarantee| Ok::<f64, Failure>(CountPlan::new(budget)?.expected_distance());
    let (budget, goal) = match (args.error_of_count()?, given.is_given()) {
        (Some(_), true) => return Err("--error finds ε: leave out the budget".into()),
        (Some(error), false) => (least_epsilon(error, 1, given.delta, &expected)?, Some(error)),
        (None, _) => (given.guarantee()?, None),
    };
    warn_if_weak(budget, 1);
    let plan = CountPlan::new(budget)?;
    let (error, mechanism) = (plan.expected_distance(), plan.mechanism());
    if args.json {
        let mut report = json!({
            "statistic": StatisticName::Count, "adjacency": Adjacency::AddRemove, "budget": budget, "best": mechanism,
            "mechanisms": [{
                "mechanism": mechanism, "guarantee": plan.guarantee(), "expected_distance": error, "scale": plan.scale(),
                "bias_bound": null, "numerics": "exact",
            }],
        });
        if let Some(goal) = goal {
            report["error"] = json!(goal);
        }
        return print_json(&report);
    }
    let mut lines = vec![];
    if let Some(goal) = goal {
        lines.push(("budget".to_owned(), format!("{budget} is needed {}", args.aim(&digits(goal)))));
    }
    lines.push((String::new(), format!("expected {}", StatisticName::Count.description().error)));
    lines.push((mechanism.to_string(), format!("{} records; scale {}", digits_up(error), digits_up(plan.scale()))));
    lines.push(("best".to_owned(), mechanism.to_string()));
    print_lines(&lines)
}
