//! The plan of a release whose noise two aggregators add, of whom one may be dishonest (user guide, F1).
//!
//! Each adds noise `N₁`, `N₂` of a scale `σ` that keeps the budget alone. What is released is `S + round(N₁) +
//! round(N₂)`. It is `S + round(N₁)`, which keeps the budget, with something added that does not depend on the records.
//!
//! The error is that of `N₁ + N₂`. For Gaussian noise it is that of one draw of scale `√2·σ`. Laplace noise in `D`
//! dimensions is `σ√(2G)·Z` with `Z` normal and `G` of the gamma law of shape `(D+1)/2`. So the sum of two is the same
//! with the shape `D + 1`, and its mean length is that of one draw of scale
//!
//! ```text
//! c·σ,    c = 2·Γ(D + 3/2)·Γ((D + 1)/2) / (D·Γ(D + 1)·Γ(D/2)),      1.5 for D = 1, √2 for large D.
//! ```
//!
//! Its tails are lighter, so the region of one draw holds at least as often. So the plan of a smaller budget states the
//! right errors: with the factor `1/√2` in `μ`, or for Laplace noise `1/c` in the `ε` that the budget allows. Only its
//! guarantee is replaced.

use crate::error::Result;
use crate::mechanism::plan::budget::{BudgetFraction, as_normal, as_pure};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Candidate, Plan, PlanSummary, Request, Round, RoundState, Rounds, best};
use crate::privacy::rounding::mul_down;
use crate::privacy::{Definition, Guarantee};
use crate::records::Records;
use crate::release::{NoiseDraw, NoiseLaw, OpenRelease, PublishedRelease, Release};
use crate::spec::{NumericsPolicy, ReleaseSpec, Trust, field};
use statrs::function::gamma::ln_gamma;
use std::f64::consts::FRAC_1_SQRT_2;

/// A plan whose noise several parties add.
#[derive(Debug)]
pub(super) struct Aggregated {
    plan: Box<dyn Plan>,
    trust: Trust,
    /// The scale of one party's noise, as a part of the scale of the plan.
    part: f64,
    summary: PlanSummary,
}

impl Aggregated {
    /// The plan of a specification for `n` records.
    pub(super) fn new(spec: &ReleaseSpec, trust: Trust, n: usize) -> Result<Self> {
        let within = |budget| in_rounds(&ReleaseSpec { budget, trust: None, ..spec.clone() }, n);
        let budget = spec.budget;
        let is_pure = matches!(budget.definition(), Definition::Pure { .. });
        let normal = BudgetFraction::even(0.5);
        let of_two = if is_pure { within(budget)? } else { within(normal.from(as_normal(budget)?)?)? };
        let is_laplace = of_two.summary().noise.iter().any(|draw| draw.law == NoiseLaw::Laplace);
        let (plan, part) = match is_laplace {
            true => {
                let (part, pure) = (1.0 / longer(numbers(&*of_two)?), Guarantee::pure(as_pure(budget)?)?);
                (within(BudgetFraction::even(part).from(pure)?)?, part)
            }
            false => (of_two, FRAC_1_SQRT_2.next_up()),
        };
        let one = |draw: &NoiseDraw| NoiseDraw { scale: mul_down(draw.scale, part), ..draw.clone() };
        let noise = plan.summary().noise.iter().map(one).collect();
        let summary = PlanSummary { guarantee: budget, noise, ..plan.summary().clone() };
        Ok(Self { plan, trust, part, summary })
    }

    /// The release of a sum to which all parties added their noise.
    fn of_all_parties(&self, release: Release) -> Release {
        release.with_all_of(self.summary.guarantee, &self.summary.noise).trusting(self.trust)
    }

    fn inner(&self) -> Result<&dyn Rounds> {
        self.plan.in_rounds().ok_or_else(no_sum)
    }
}

/// The plan with the least error whose releases are functions of noisy sums.
fn in_rounds(spec: &ReleaseSpec, n: usize) -> Result<Box<dyn Plan>> {
    let request: Request = spec.request(n)?.isotropic();
    if let Some(name) = spec.mechanism.name() {
        let plan = request.plan_by(name)?;
        return if plan.in_rounds().is_some() { Ok(plan) } else { Err(no_sum()) };
    }
    let of_sums = |candidate: &Candidate| candidate.plan.as_ref().map_or(true, |plan| plan.in_rounds().is_some());
    let mut candidates: Vec<Candidate> = request.candidates().into_iter().filter(of_sums).collect();
    match best(&candidates, NumericsPolicy::Exact) {
        Some(chosen) => candidates.swap_remove(chosen).plan,
        None => Err(candidates.into_iter().find_map(|candidate| candidate.plan.err()).unwrap_or_else(no_sum)),
    }
}

/// How many numbers one draw of noise has.
fn numbers(plan: &dyn Plan) -> Result<usize> {
    Ok(plan.in_rounds().ok_or_else(no_sum)?.round(&RoundState::default())?.together())
}

fn no_sum() -> crate::Error {
    let reason = "this statistic is not computed from sums, and aggregators only add; take a mean on a flat \
                  space, karcher-flow with a delta, mu or rho, an extrinsic mean, a regression on features, a \
                  variance, quantiles, a k-means or a count";
    field("trust", reason)
}

/// The refusal to draw noise where several parties add it.
pub(crate) fn together() -> crate::Error {
    let reason = "asks for aggregators, and here are all records: leave it out, or share them (`karcher share`, in \
                  Python `karcher.aggregate`)";
    field("trust", reason)
}

/// `c`, rounded up.
pub(crate) fn longer(dim: usize) -> f64 {
    let d = dim as f64;
    let logarithm = ln_gamma(d + 1.5) + ln_gamma(0.5 * d + 0.5) - ln_gamma(d + 1.0) - ln_gamma(0.5 * d);
    (2.0 / d * logarithm.exp() * (1.0 + 1e-9)).clamp(2.0_f64.sqrt(), 1.5 + 1e-8)
}

impl Sealed for Aggregated {}

impl Plan for Aggregated {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn wrapped(&self) -> Option<&dyn Plan> {
        Some(&*self.plan)
    }

    /// Refused: who holds all records and draws all noise has to be trusted.
    fn draw(&self, _: &dyn Records, _: &mut OpenRelease<'_>, _: &(dyn Fn(usize) + Sync)) -> Result<Release> {
        Err(together())
    }

    fn check(&self, _: &dyn Records) -> Result<()> {
        Err(together())
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        Ok(self.of_all_parties(self.plan.again(stated, context)?))
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        Some(self)
    }
}

impl Rounds for Aggregated {
    fn rounds(&self) -> usize {
        self.plan.in_rounds().map_or(0, Rounds::rounds)
    }

    fn round(&self, state: &RoundState) -> Result<Round> {
        self.inner()?.round(state)?.widened(self.part)
    }

    fn trust(&self) -> Option<Trust> {
        Some(self.trust)
    }

    fn after(&self, state: RoundState, noisy: Vec<f64>) -> Result<RoundState> {
        self.inner()?.after(state, noisy)
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        Ok(self.of_all_parties(self.inner()?.conclude(state, context)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Generator, Law, VectorNoise, nearest};

    /// The mean length of the sum of two Laplace draws, over 40,000 of them: five standard errors. No more than 5 % are
    /// beyond the radius of one draw with that mean length.
    #[test]
    fn two_laplace_draws_are_as_long_as_one_that_is_wider() {
        let mut generator = Generator::seeded(5);
        for dim in [1, 2, 3, 10, 40] {
            let noise = VectorNoise::new(Law::Laplace, 1e6).unwrap();
            let length = |generator: &mut Generator, draws: u32| {
                let mut sum = vec![0.0; dim];
                for _ in 0..draws {
                    let drawn = noise.draw(dim, generator);
                    sum.iter_mut().zip(&drawn).for_each(|(sum, x)| *sum += nearest(x) / 1e6);
                }
                crate::vector::norm(&sum)
            };
            let c = longer(dim);
            let mut one: Vec<f64> = (0..40_000).map(|_| c * length(&mut generator, 1)).collect();
            let two: Vec<f64> = (0..40_000).map(|_| length(&mut generator, 2)).collect();
            let mean = two.iter().sum::<f64>() / 40_000.0;
            let expected = c * dim as f64;
            let deviation = (two.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 40_000.0).sqrt() / 200.0;
            assert!((mean - expected).abs() < 5.0 * deviation, "{dim}: {mean} {expected}");
            one.sort_by(f64::total_cmp);
            let beyond = two.iter().filter(|x| **x > one[38_000]).count();
            assert!(beyond < 2_000 + 250, "{dim}: {beyond}"); // five standard errors
        }
        assert!((longer(1) - 1.5).abs() < 1e-8 && longer(1_000_000) < 1.41422);
    }
}
