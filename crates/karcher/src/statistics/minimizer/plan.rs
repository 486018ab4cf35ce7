//! `riemannian-descent`: noisy gradient steps on a user's loss (user guide, K2; Han, Mishra, Jawanpuria and Gao 2024,
//! Differentially private Riemannian optimization).
//!
//! ```text
//! θ_{j+1} = π_r(Exp_{θ_j}(−η_j·(ḡ_j + N_j))),    ḡ_j = (1/n) Σ clip_c(g(θ_j, xᵢ)),    j = 0, …, T − 1,
//! ```
//!
//! from the center of the public ball, `π_r` the projection onto the ball. Replacing a record moves `ḡ_j` by at most
//! `2c/n`, one record more or less moves the sum by `c`. Each step has the same noise and an equal part of the budget,
//! `μ/√T`. Every step is of all records: a sample of them would promise more privacy, and needs a secret choice that is
//! exact.
//!
//! Where the number of records is confidential, it is released first, and the sums are divided by it.

use super::PrivateDescent;
use crate::error::{Error, Result};
use crate::mechanism::noise::exact::moved;
use crate::mechanism::noise::number::NumberNoise;
use crate::mechanism::plan::budget::{BudgetFraction, as_normal, rest};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Mechanism, Plan, PlanSummary, Request, Round, RoundState, Rounds, check_some};
use crate::noise::Law;
use crate::privacy::rounding::{mul_down, mul_up};
use crate::records::{BOUND, Records, quantum};
use crate::release::{
    Adjacency, Flag, MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, PrivateCount, Release, ReleasedBound,
    ReleasedSensitivity, StatisticName, Step,
};
use crate::spec::NumericsPolicy;
use crate::vector::norm;

/// `riemannian-descent`: noisy gradient steps on a user's loss.
#[derive(Debug)]
pub struct RiemannianDescent;

impl Mechanism for RiemannianDescent {
    fn name(&self) -> MechanismName {
        MechanismName::RiemannianDescent
    }

    fn about(&self) -> &'static str {
        "Noisy gradient steps on a loss that you write, on every space, for records of any: every budget"
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        Ok(Box::new(DescentPlan::new(request.asked(self.name())?, request)?))
    }

    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        self.plan(request) // which looks at the neighbours
    }
}

/// A descent with everything decided that does not need the records.
#[derive(Debug, Clone)]
pub(crate) struct DescentPlan {
    of: PrivateDescent,
    /// Noise on each sum.
    noise: NumberNoise,
    /// Noise on the number of records, where that is confidential.
    count: Option<NumberNoise>,
    summary: PlanSummary,
}

impl DescentPlan {
    /// The plan of a request.
    ///
    /// # Errors
    /// [`Error::Geometry`] for no records, [`Error::InvalidParameter`] for a budget that overflows, [`Error::Field`]
    /// for a gradient that is not exact where the proof shall be.
    pub(crate) fn new(of: &PrivateDescent, request: &Request) -> Result<Self> {
        let (n, adjacency, clip) = (request.n(), request.asked_adjacency(), of.descent().clip);
        check_some(n)?;
        of.check_bits(request.accepts())?;
        let (d, steps) = (of.manifold().dim(), of.descent().step_sizes.len() as f64);
        let budget = as_normal(request.budget())?;
        let (moves, of_count) = match adjacency {
            Adjacency::ReplaceOne => (2.0, 0.0),
            Adjacency::AddRemove => (1.0, 1.0 / (1.0 + steps * (d as f64).sqrt())),
        };
        let noise_for = |moved, share| NumberNoise::new(moved, BudgetFraction::even(share).from(budget)?);
        let count = (adjacency == Adjacency::AddRemove).then(|| noise_for(1.0, of_count)).transpose()?;
        let noise = noise_for(moves * BOUND, rest(of_count) / steps)?;

        let unit = quantum(clip) / n as f64;
        let (scale, sensitivity) = (mul_down(noise.scale(), unit), mul_up(mul_up(moves, BOUND), unit));
        // what the noise of all steps adds, as if no later step made an earlier error smaller
        let deviation = match noise.law() {
            Law::Laplace => scale * (d as f64 * (d as f64 + 1.0)).sqrt(),
            Law::Gaussian => scale * (d as f64).sqrt(),
        };
        let expected = (deviation * norm(&of.descent().step_sizes)).min(of.manifold().diameter());
        if !expected.is_finite() {
            let requirement = "steps of this size lead out of the numbers that a double holds".to_owned();
            return Err(Error::InvalidParameter { name: "step_sizes", value: expected, requirement });
        }
        let described = PlanSummary::new(
            MechanismName::RiemannianDescent,
            (StatisticName::Minimizer, of.manifold(), of.ball()),
            n,
            request.budget(),
            scale,
            ReleasedSensitivity { value: sensitivity, bound: ReleasedBound::ClippedGradient },
            expected,
        );
        let step = Step { clip, scale };
        let draw = NoiseDraw::on_vector(NoiseOf::Value, noise.law(), d, scale, sensitivity);
        let all = vec![draw; of.descent().step_sizes.len()];
        let numerics = match request.accepts() {
            NumericsPolicy::Exact => Numerics::Exact,
            NumericsPolicy::Any => Numerics::Idealized,
        };
        let summary = PlanSummary {
            records: of.records().space().clone(),
            steps: Some(vec![step; all.len()]),
            noise: count.iter().map(NumberNoise::of_count).chain(all).collect(),
            numerics,
            adjacency,
            ..described.flagged([Flag::DeclaredGradient])
        };
        Ok(Self { of: of.clone(), noise, count, summary })
    }

    /// The point after the steps that were taken, and the private number of records.
    fn reached(&self, state: &RoundState) -> (Vec<f64>, Option<PrivateCount>) {
        let (point, noisy) = state.reached(self.of.ball().center());
        (point, self.count.zip(noisy).map(|(noise, noisy)| noise.count(noisy)))
    }
}

impl Rounds for DescentPlan {
    fn rounds(&self) -> usize {
        self.of.descent().step_sizes.len()
    }

    fn round(&self, state: &RoundState) -> Result<Round> {
        let query = self.of.query(&self.reached(state).0)?;
        let d = self.summary.manifold.dim();
        Ok(match self.count.filter(|_| state.rounds() == 0) {
            Some(count) => Round::counted(query, 1, vec![(d..d + 1, count.noise), (0..d, self.noise.noise)]),
            None => Round::new(query, self.noise.noise),
        })
    }

    fn after(&self, state: RoundState, noisy: Vec<f64>) -> Result<RoundState> {
        let (at, known) = self.reached(&state);
        let d = self.summary.manifold.dim();
        let count = known.or(self.count.zip(noisy.get(d)).map(|(noise, number)| noise.count(*number)));
        let n = count.as_ref().map_or(self.summary.n as f64, PrivateCount::divisor);
        let (clip, sizes) = (self.of.descent().clip, &self.of.descent().step_sizes);
        let mut direction: Vec<f64> = noisy.iter().take(d).map(|z| -z * quantum(clip) / n).collect();
        // a number that is too small makes the mean longer than any mean of clipped gradients
        let shorter = count.as_ref().map_or(1.0, |_| (clip / norm(&direction)).min(1.0));
        let size = sizes[state.rounds().min(sizes.len() - 1)] * shorter; // there is at least one
        direction.iter_mut().for_each(|x| *x *= size);
        let space = &*self.summary.manifold;
        let mut next = moved(space, at, &direction);
        self.of.ball().clip_in_place(space, &mut next);
        next.extend(count.map(|count| count.noisy_value));
        Ok(state.next(next))
    }

    fn conclude(&self, state: &RoundState, context: &OpenRelease<'_>) -> Result<Release> {
        let (value, count) = self.reached(state);
        let seen = &self.of.seen;
        let release = seen.publish(&seen.centered().place(&value), None, &self.summary, context)?;
        Ok(match count {
            Some(count) => release.with_count(count, None),
            None => release,
        })
    }
}

impl Sealed for DescentPlan {}

impl Plan for DescentPlan {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn check(&self, records: &dyn Records) -> Result<()> {
        self.summary.check(records)?;
        self.of.query(self.of.ball().center())?;
        if !records.is_remote() {
            return Ok(());
        }
        let reason = "its gradient is a function of this program, and is not sent to records elsewhere".to_owned();
        let (mechanism, space) = (self.summary.mechanism.name(), self.summary.manifold.space().clone());
        Err(Error::Unsupported { mechanism, space, reason })
    }

    fn in_rounds(&self) -> Option<&dyn Rounds> {
        Some(self)
    }

    fn count_again(&self, noisy: f64) -> Option<PrivateCount> {
        self.count.map(|noise| noise.count(noisy))
    }
}
