//! `karcher plan`: what each mechanism would cost in accuracy, before any budget is spent.

use crate::Failure;
use crate::options::{Budget, NO_BUDGET};
use crate::output::{digits, print_json, print_lines, progress_bar};
use crate::plan_regression;
use karcher::mechanism::{Candidate, Prepared, PrivateFrechetMean, Rehearsal, best, candidates};
use karcher::sensitivity::Bound;
use karcher::{Ball, Error, Space};
use serde_json::{Value, json};

/// How far the private mean would lie from the mean of the clipped records, for every mechanism that keeps the budget, and why the
/// others do not apply. With --slope-bound the same for a private regression. Touches no data and spends nothing.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  karcher plan --manifold sphere:2 --n 100 --radius 0.9 --epsilon 1 --delta 1e-6")]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// The space, for example sphere:2, spd-log-euclidean:3, kendall:50.
    #[arg(long, value_name = "SPACE")]
    pub manifold: Space,
    /// Number of records.
    #[arg(long, value_name = "N")]
    pub n: usize,
    /// Radius of the public ball, in units of distance (radians on a sphere).
    #[arg(long, value_name = "R")]
    pub radius: f64,
    #[command(flatten)]
    budget: Budget,
    /// Bound of the sensitivity: published, averaged-hessian, sharp or optimal. Default: the smallest, optimal.
    #[arg(long, value_name = "BOUND")]
    pub bound: Option<Bound>,
    /// Plan a regression (karcher regress): the public bound of the distance the geodesic goes over the range of the predictor.
    #[arg(long, value_name = "V")]
    slope_bound: Option<f64>,
    /// Public bound of the distance between a record and the geodesic. Default: what no residual exceeds.
    #[arg(long, value_name = "T", requires = "slope_bound")]
    pub residual_bound: Option<f64>,
    /// Where kng draws by a Markov chain, run such chains on made-up records and say how well they converge.
    #[arg(long)]
    pub rehearse: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let budget = args.budget.guarantee()?.ok_or(NO_BUDGET)?;
    if args.n == 0 {
        return Err(Error::NoRecords.into());
    }
    if let Some(slope_bound) = args.slope_bound {
        return plan_regression::run(args, slope_bound, budget);
    }
    let manifold = args.manifold.manifold()?;
    let mean = PrivateFrechetMean::new(&*manifold, Ball::at_origin(&*manifold, args.radius)?).bound(args.bound);
    let all = candidates(&*manifold, &mean, args.n, budget);
    let best = best(&all);
    let best_name = best.map(|i| all[i].name);
    if let [Candidate { mechanism: Err(why), .. }, rest @ ..] = &all[..]
        && rest.iter().all(|candidate| candidate.mechanism.is_err())
    {
        return Err(why.clone().into());
    }
    let rehearsal = if args.rehearse { rehearse(&all)? } else { None };
    if args.json {
        let entries: Vec<Value> = all.iter().map(|candidate| entry(candidate, rehearsal)).collect();
        let report = json!({
            "manifold": args.manifold, "n": args.n, "radius": args.radius, "budget": budget, "best": best_name, "mechanisms": entries,
        });
        return print_json(&report);
    }
    let mut lines = vec![(String::new(), "distance to the mean of the clipped records".to_owned())];
    for candidate in &all {
        lines.push((candidate.name.to_owned(), words(candidate, rehearsal)));
    }
    if args.rehearse && rehearsal.is_none() {
        lines.push(("rehearsal".to_owned(), "none needed: no mechanism here draws by a Markov chain".to_owned()));
    }
    if let Some(Ok(prepared)) = best.map(|i| &all[i].mechanism)
        && prepared.distance().mean() > args.radius
    {
        let words = "even the best error exceeds the radius of the ball: the mean would say next to nothing";
        lines.push(("note".to_owned(), format!("{words}; use more records, a smaller ball or a larger budget")));
    }
    lines.push(("best".to_owned(), best_name.map_or_else(|| by_name(&all), str::to_owned)));
    print_lines(&lines)
}

/// Runs the chains of the K-norm gradient mechanism, if it needs any, on made-up records.
fn rehearse(all: &[Candidate<'_>]) -> Result<Option<Rehearsal>, Failure> {
    for candidate in all {
        if let Ok(Prepared::KNormGradient(kng)) = &candidate.mechanism {
            if let Some(steps) = kng.chain_steps() {
                eprintln!("rehearsing four chains of twice {steps} steps on made-up records; this may take minutes");
            }
            let bar = progress_bar(kng.rehearsal_steps());
            let rehearsal = kng.rehearse(&|more| bar.inc(more as u64))?;
            bar.finish_and_clear();
            return Ok(rehearsal);
        }
    }
    Ok(None)
}

/// What remains when nothing is best.
fn by_name(all: &[Candidate<'_>]) -> String {
    let asked = all.iter().filter(|candidate| candidate.mechanism.is_ok()).filter_map(|candidate| {
        candidate.by_name.map(|reason| format!("--mechanism {} has to be asked for: {reason}", candidate.name))
    });
    format!("none; {}", asked.collect::<Vec<_>>().join("; "))
}

fn entry(candidate: &Candidate<'_>, rehearsal: Option<Rehearsal>) -> Value {
    let name = candidate.name;
    match &candidate.mechanism {
        Ok(prepared) => {
            let distance = prepared.distance();
            let mut entry = json!({
                "mechanism": name,
                "guarantee": prepared.guarantee(),
                "expected_distance": distance.mean(),
                "median": distance.quantile(0.5),
                "quantile_95": distance.quantile(0.95),
                "bias_bound": prepared.bias_bound(),
            });
            match prepared {
                Prepared::Noise(noise) => entry["scale"] = json!(noise.scale()),
                Prepared::KNormGradient(kng) => {
                    entry["scale"] = json!(kng.scale());
                    if let Some(steps) = kng.chain_steps() {
                        entry["chain_steps"] = json!(steps);
                        entry["rehearsal"] = json!(rehearsal);
                    }
                }
                Prepared::KarcherFlow(flow) => entry["steps"] = json!(flow.steps()),
            }
            if let Some(reason) = candidate.by_name {
                entry["by_name"] = json!(reason);
            }
            entry
        }
        Err(error) => json!({"mechanism": name, "reason": error.to_string()}),
    }
}

fn words(candidate: &Candidate<'_>, rehearsal: Option<Rehearsal>) -> String {
    let prepared = match &candidate.mechanism {
        Ok(prepared) => prepared,
        Err(error) => return format!("does not apply: {error}"),
    };
    let distance = prepared.distance();
    // the law of kng on curved spaces depends on the records: what is said of it is a cautious guess
    let cautious = matches!(prepared, Prepared::KNormGradient(kng) if !kng.is_noise());
    let mut words = format!(
        "{}mean {}, median {}, 95 % below {}",
        if cautious { "at most about: " } else { "" },
        digits(distance.mean()),
        digits(distance.quantile(0.5)),
        digits(distance.quantile(0.95))
    );
    if let Prepared::KarcherFlow(flow) = prepared {
        let steps = if flow.steps().len() == 1 { "step" } else { "steps" };
        let bias = match candidate.by_name {
            None => format!("bias at most about {}", digits(flow.bias_bound())),
            Some(reason) => reason.to_owned(),
        };
        words += &format!("; {bias}, {} {steps}", flow.steps().len());
    }
    if let Some(steps) = prepared.chain_steps() {
        words += &format!("; approximate, by a Markov chain of {steps} steps");
        if let Some(found) = rehearsal {
            let (r_hat, bulk, tail) = (found.r_hat, found.ess_bulk, found.ess_tail);
            words += &format!(
                " (made-up records, {} chains: R-hat {r_hat:.3}, effective sample size {bulk:.0} bulk, {tail:.0} tail)",
                found.chains
            );
        }
    }
    words
}
