//! The one sum that a release is made of, by the mechanism that is best for it.

use crate::error::{Error, Result};
use crate::mechanism::{Candidate, CountPlan, Plan, Round, RoundState, Rounds, best};
use crate::noise::{Law, VectorNoise};
use crate::release::{MechanismName, StatisticName};
use crate::spec::{MechanismChoice, NumericsPolicy, ReleaseSpec, field};

/// A number of records for what does not depend on it.
pub(super) const SOME: usize = 1_024;

/// The specification for one round with noise of a law, with its mechanism named.
pub(super) fn chosen(spec: &ReleaseSpec, law: Law) -> Result<ReleaseSpec> {
    if spec.statistic == StatisticName::Count {
        return Ok(spec.clone());
    }
    let mut spec = ReleaseSpec { numerics: NumericsPolicy::Exact, ..spec.clone() };
    let is_flow = matches!(spec.mechanism, MechanismChoice::Auto | MechanismChoice::Named(MechanismName::KarcherFlow));
    if spec.statistic == StatisticName::FrechetMean && is_flow && spec.manifold()?.flat_chart().is_none() {
        // one step from the center: its sum is the one of logarithms there
        spec.mechanism = MechanismChoice::Named(MechanismName::KarcherFlow);
        spec.steps = Some(spec.steps.unwrap_or(1));
    }
    if spec.mechanism == MechanismChoice::Auto {
        let of_one = |of: &Candidate| {
            let one = of.plan.as_ref().ok().and_then(|plan| one_round(&**plan).ok());
            one.is_some_and(|round| round.draws().all(|(_, own, _)| own == law.into()))
        };
        let all: Vec<Candidate> = spec.request(SOME)?.isotropic().candidates().into_iter().filter(of_one).collect();
        let chosen = best(&all, NumericsPolicy::Exact).ok_or_else(|| no_series(spec.statistic))?;
        spec.mechanism = MechanismChoice::Named(all[chosen].mechanism.name());
    }
    Ok(spec)
}

/// The refusal of a statistic that is no function of one sum.
pub(super) fn no_series(statistic: StatisticName) -> Error {
    let reason = format!(
        "a {statistic} is not computed from one sum; a series has a mean on a flat space, a mean with karcher-flow and \
         a delta, mu or rho, an extrinsic mean, a variance, a regression on features or a count"
    );
    field("statistic", reason)
}

/// The number of records that a plan is for: the guess where it is confidential.
pub(super) fn guess(spec: &ReleaseSpec, n: usize) -> usize {
    spec.n_guess.unwrap_or(n)
}

/// The one round of a specification.
pub(super) fn round_of(spec: &ReleaseSpec, n: usize) -> Result<Round> {
    if spec.statistic == StatisticName::Count {
        let plan = spec.count_plan()?;
        return CountPlan::round_with(VectorNoise::new(plan.law(), plan.scale())?);
    }
    match spec.mechanism.name() {
        Some(name) => one_round(&*spec.request(n)?.isotropic().plan_by(name)?),
        None => one_round(&*spec.plan(n)?),
    }
}

/// The round of a plan that has one.
fn one_round(plan: &dyn Plan) -> Result<Round> {
    let refused = || no_series(plan.summary().statistic);
    let in_rounds = plan.in_rounds().filter(|in_rounds| Rounds::rounds(*in_rounds) == 1).ok_or_else(refused)?;
    let round = in_rounds.round(&RoundState::default())?;
    // the noise of a series is on sums, and not on what is made of them
    if round.is_encoded() { Err(refused()) } else { Ok(round) }
}
