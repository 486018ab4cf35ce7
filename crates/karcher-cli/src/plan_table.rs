//! The mechanisms of a plan in a table, with four significant digits.

use crate::length::Length;
use crate::output::{in_columns, wrapped};
use karcher::geometry::error::RoundedUp;
use karcher::mechanism::{Candidate, Plan, Rehearsal};
use karcher::release::{Numerics, ReleasedBound, StatisticName, also_words};
use karcher::spec::NumericsPolicy;

/// The heads of the columns right of the mechanism.
const HEADS: [&str; 4] = ["mean", "median", "95 % below", "notes"];

/// Columns of the notes.
const NOTES: usize = 48;

/// A mechanism whose noise is drawn in floating point, and is not accepted.
const BY_NAME: &str = "on request";

/// A row for each mechanism that applies, with its name: its expected error, quantiles of the error, and notes.
pub fn rows(
    all: &[Candidate],
    accept: NumericsPolicy,
    rehearsal: Option<Rehearsal>,
    radius: Length,
) -> Vec<(String, String)> {
    let mut names = vec!["mechanism".to_owned()];
    let mut rows = vec![HEADS.map(str::to_owned).to_vec()];
    for candidate in all {
        let Ok(plan) = &candidate.plan else { continue };
        let quantile = |share| plan.distance().map_or_else(String::new, |law| radius.short_up(law.quantile(share)));
        let numbers = vec![radius.short_up(plan.expected_distance()), quantile(0.5), quantile(0.95)];
        names.push(candidate.mechanism.name().to_string());
        let notes = wrapped(&notes(&**plan, accept, rehearsal, radius).join("; "), NOTES);
        let further = notes.len().saturating_sub(1);
        names.extend(vec![String::new(); further]);
        let numbers = std::iter::once(numbers).chain(vec![vec![String::new(); 3]; further]);
        rows.extend(numbers.zip(notes).map(|(numbers, line)| [numbers, vec![line]].concat()));
    }
    names.into_iter().zip(in_columns(&rows).lines().map(str::to_owned)).collect()
}

/// The mechanisms that do not apply, with the reasons.
pub fn not_applicable(all: &[Candidate]) -> Vec<(String, String)> {
    let reason = |candidate: &Candidate| {
        let error = candidate.plan.as_ref().err()?;
        Some((candidate.mechanism.name().to_string(), format!("does not apply: {error}")))
    };
    all.iter().filter_map(reason).collect()
}

/// The meaning of the note `on request`, if a row has it.
pub fn legend(all: &[Candidate], accept: NumericsPolicy) -> Option<(String, String)> {
    let has = all.iter().filter_map(|candidate| candidate.plan.as_ref().ok()).any(|plan| is_by_name(&**plan, accept));
    let words = "choose it with --mechanism NAME or --numerics any: its noise is drawn in floating point";
    has.then(|| (BY_NAME.to_owned(), words.to_owned()))
}

fn is_by_name(plan: &dyn Plan, accept: NumericsPolicy) -> bool {
    plan.numerics() == Numerics::Idealized && accept.refuses(plan).is_some()
}

/// What a reader should know about the error of a mechanism, shortly.
fn notes(plan: &dyn Plan, accept: NumericsPolicy, rehearsal: Option<Rehearsal>, radius: Length) -> Vec<String> {
    let summary = plan.summary();
    let mut notes = vec![];
    if is_by_name(plan, accept) {
        notes.push(BY_NAME.to_owned());
    }
    if let Some(found) = summary.rehearsed {
        let [noise, clipping, center, ball] =
            [found.noise, found.clipping, found.center, found.radius].map(|x| radius.short_up(x));
        notes.push(format!(
            "simulated with a made-up cloud: center off by {center}, ball of radius {ball}, {} in it off by {noise}, \
             clipping {clipping}",
            found.mechanism
        ));
        notes.extend(summary.by_name.map(|reason| format!("{BY_NAME}: {reason}")));
        return notes;
    }
    if summary.statistic == StatisticName::ExtrinsicMean {
        notes.push(
            "of the extrinsic mean, which takes no ball; more where records are spread (--expected-spread)".to_owned(),
        );
    }
    if summary.at_most {
        notes.push("approximate upper bound".to_owned()); // the law depends on the records
    }
    if let Some(steps) = &summary.steps {
        notes.extend(match (summary.by_name, summary.bias_bound) {
            (Some(reason), _) => Some(reason.to_owned()),
            (None, Some(bias)) => Some(format!("bias at most about {}", radius.short_up(bias))),
            (None, None) => None,
        });
        notes.push(format!("{} {}", steps.len(), if steps.len() == 1 { "step" } else { "steps" }));
    }
    if summary.sensitivity.bound == ReleasedBound::Rank {
        notes.push("the center by medians of coordinates".to_owned());
    }
    if let Some(steps) = summary.chain_steps {
        let found = rehearsal.map_or_else(String::new, |found| {
            let (r_hat, bulk, tail) = (found.r_hat, found.ess_bulk, found.ess_tail);
            format!(
                " (made-up records, {} chains: R-hat {r_hat:.3}, effective sample size {bulk:.0} bulk, {tail:.0} tail)",
                found.chains
            )
        });
        notes.push(format!("approximate, by a Markov chain of {steps} steps{found}"));
    }
    if let Some(gains) = plan.gains() {
        let shares = gains.map(|gain| 100.0 * gain.denoised / gain.noisy);
        let [least, most] = [shares.into_iter().fold(100.0, f64::min), shares.into_iter().fold(0.0, f64::max)]
            .map(|share: f64| format!("{share:.0}"));
        let kept = if least == most { most } else { format!("{least} to {most}") };
        notes.push(format!("denoising keeps {kept} % of the error"));
    }
    if let Some(ratio) = summary.of_best_unbiased() {
        notes.push(format!("{ratio:.2} times the least error of any unbiased release"));
    }
    match also_words(&summary.also()) {
        Some(words) => notes.push(format!("also {words}")),
        None => notes.extend(summary.own_mu().map(|mu| format!("also {}-GDP", RoundedUp(mu)))),
    }
    notes
}
