//! The number of records, with a whole budget (user guide, U2).
//!
//! One record added or removed changes the number by 1, and `n + round(N)` with exact noise is a whole number.

mod description;
pub(super) use description::DESCRIPTION;

use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Euclidean;
use crate::mechanism::noise::number::NumberNoise;
use crate::mechanism::plan::aggregated::{longer, together};
use crate::mechanism::{PrivateFrechetMean, Round};
use crate::noise::{Law, VectorNoise};
use crate::privacy::rounding::mul_up;
use crate::privacy::{Definition, Guarantee};
use crate::records::{Records, Summand};
use crate::release::{
    Adjacency, LedgerEntry, MechanismName, NoisyNumber, Numerics, PrivacyEvent, PrivacyUnit, ReleaseContext,
    ReleasedBound, ReleasedCount, ReleasedSensitivity, SCHEMA, StatisticName, countable,
};
use crate::series::SeriesPeriod;
use crate::spec::{ReleaseSpec, Trust};
use std::borrow::Cow;
use std::f64::consts::SQRT_2;
use std::sync::Arc;

/// The private number of records, with everything decided that does not need them. Neighbours have one record more or
/// less, and the plan needs no guess of their number.
///
/// ```
/// use karcher::{ReleaseContext, Points, manifold::Euclidean, mechanism::CountPlan, privacy::Guarantee};
/// let plan = CountPlan::new(Guarantee::pure(1.0)?)?;
/// let records = Points::new(&Euclidean::new(1)?, vec![0.5; 1_234])?;
/// let release = plan.run(&records, &mut ReleaseContext::from_os()?)?;
/// assert!(release.noisy_value.fract() == 0.0 && (release.value - 1_234.0).abs() < 40.0); // e^{−40} for farther
/// assert_eq!(plan.scale(), 1.0);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct CountPlan {
    /// Of all parties together.
    noise: NumberNoise,
    /// Of one party, where several add noise.
    of_party: Option<(Trust, VectorNoise)>,
    budget: Guarantee,
    guarantee: Guarantee,
}

impl CountPlan {
    /// Laplace noise for pure ε and (ε, δ), Gaussian noise for μ and ρ.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a budget whose scale overflows.
    pub fn new(budget: Guarantee) -> Result<Self> {
        let guarantee = match budget.definition() {
            Definition::Approximate { epsilon, .. } => Guarantee::pure(epsilon)?,
            Definition::Pure { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => budget,
        };
        Ok(Self { noise: NumberNoise::new(1.0, guarantee)?, of_party: None, budget, guarantee })
    }

    /// The same where each of several parties adds noise that is enough alone (user guide, F1).
    ///
    /// # Errors
    /// As for [`new`](CountPlan::new).
    ///
    /// ```
    /// use karcher::{mechanism::CountPlan, privacy::Guarantee, spec::Trust};
    /// let plan = CountPlan::new(Guarantee::gaussian(1.0)?)?.trusting(Trust::OneOfTwo)?;
    /// assert!((plan.scale() - 2.0_f64.sqrt()).abs() < 1e-9); // of two draws of scale 1
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn trusting(self, trust: Trust) -> Result<Self> {
        let one = self.noise.noise;
        let wider = match one.law() {
            Law::Laplace => longer(1),
            Law::Gaussian => SQRT_2.next_up(),
        };
        let noise = NumberNoise::of(one.law(), mul_up(one.sigma(), wider), 1.0, self.guarantee)?;
        Ok(Self { noise, of_party: Some((trust, one)), ..self })
    }

    /// Who has to be honest, where several parties add noise.
    pub fn trust(&self) -> Option<Trust> {
        self.of_party.map(|(trust, _)| trust)
    }

    /// The one round in which several parties add noise: a sum of no numbers over the records, and their number.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] where this program draws the noise.
    pub fn round(&self) -> Result<Round> {
        let Some((_, one)) = self.of_party else {
            let reason = "its specification has no `trust`, so no one else adds noise: run the plan on records";
            return Err(Error::NotPermitted { reason: reason.to_owned() });
        };
        Self::round_with(one)
    }

    /// The round in which such noise is added: a sum of no numbers over the records, and their number.
    pub(crate) fn round_with(noise: VectorNoise) -> Result<Round> {
        let line = Arc::new(Euclidean::new(1)?);
        let ball = Ball::at_origin(&*line, 1.0)?;
        let nothing = Summand::Within { base: vec![0.0], radii: vec![] };
        Ok(Round::counted(PrivateFrechetMean::new(line, ball)?.query_of(nothing)?, 1, vec![(0..1, noise)]))
    }

    /// The release of a number to which several parties added noise in that round.
    ///
    /// # Errors
    /// As for [`round`](CountPlan::round), and where the reservation was used or is for another guarantee.
    pub fn release(&self, noisy: f64, context: &mut ReleaseContext) -> Result<ReleasedCount> {
        self.round()?;
        let open = context.open(self.event().promise(), true)?;
        Ok(self.released(noisy, false, open.entry()))
    }

    /// Its guarantee: for (ε, δ) it needs no δ.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// The scale of the noise, in records.
    pub fn scale(&self) -> f64 {
        self.noise.scale()
    }

    /// The mean distance of the released number to the true one.
    ///
    /// ```
    /// use karcher::{mechanism::CountPlan, privacy::Guarantee};
    /// assert!((CountPlan::new(Guarantee::pure(0.5)?)?.expected_distance() - 2.0).abs() < 1e-6); // E|N| = 1/ε
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn expected_distance(&self) -> f64 {
        self.noise.expected()
    }

    /// The name of the mechanism.
    pub fn mechanism(&self) -> MechanismName {
        self.noise.law().into()
    }

    /// The release that follows from the noisy number of a stated one.
    pub(crate) fn again(&self, stated: &ReleasedCount) -> ReleasedCount {
        self.released(stated.noisy_value.round(), stated.seeded, stated.ledger.clone())
    }

    /// The law of the noise.
    pub(crate) fn law(&self) -> Law {
        self.noise.law()
    }

    /// The release of a noisy number in a series with a specification.
    pub(crate) fn in_series(
        &self,
        noisy: f64,
        (spec, at): (&ReleaseSpec, SeriesPeriod),
        (seeded, ledger): (bool, Option<LedgerEntry>),
    ) -> ReleasedCount {
        let own = self.released(noisy, seeded, ledger);
        ReleasedCount { guarantee: spec.budget, spec: Some(Box::new(spec.clone())), series: Some(at), ..own }
    }

    /// The number that follows from a noisy one. Each of two parties rounds its noise, by ½ at most.
    fn number(&self, noisy: f64) -> NoisyNumber {
        let number = self.noise.number(noisy, 1.0, [0.0, f64::MAX]);
        let more = if self.of_party.is_some() { 0.5 } else { 0.0 };
        let [low, high] = number.interval;
        NoisyNumber { interval: [(low - more).max(0.0), high + more], ..number }
    }

    /// The privacy event that an account may record before the release is made.
    pub fn event(&self) -> PrivacyEvent {
        PrivacyEvent {
            guarantee: self.guarantee,
            also: if self.of_party.is_none() { countable(&[self.noise.of_count()], self.guarantee) } else { vec![] },
            statistic: StatisticName::Count,
            manifold: None,
            n: None,
            n_guess: None,
            unit: PrivacyUnit::Record,
            adjacency: Adjacency::AddRemove,
            ball: None,
            mechanism: Some(MechanismName::from(self.noise.law())),
            scale: Some(self.scale()),
            sensitivity: Some(ReleasedSensitivity { value: 1.0, bound: ReleasedBound::SumAndCount }),
            numerics: Numerics::Exact,
            flags: vec![],
            parts: vec![],
            groups: None,
            spent_by_each: false,
        }
    }

    /// Releases the number of the records.
    ///
    /// # Errors
    /// [`Error::NotPermitted`](crate::Error::NotPermitted) where the reservation was used or is for another guarantee.
    pub fn run(&self, records: &dyn Records, context: &mut ReleaseContext) -> Result<ReleasedCount> {
        self.run_on(records.count() as u64, context)
    }

    /// The same for a number `n` of records.
    ///
    /// # Errors
    /// As for [`run`](CountPlan::run).
    pub fn run_on(&self, n: u64, context: &mut ReleaseContext) -> Result<ReleasedCount> {
        if self.of_party.is_some() {
            return Err(together());
        }
        let seeded = context.generator().is_seeded();
        let mut open = context.open(self.event().promise(), false)?;
        let noisy = self.noise.noise.added_to(&[i128::from(n)], open.generator())[0];
        Ok(self.released(noisy, seeded, open.entry()))
    }

    fn released(&self, noisy: f64, seeded: bool, ledger: Option<LedgerEntry>) -> ReleasedCount {
        let number = self.number(noisy);
        let spec = ReleaseSpec { trust: self.trust(), ..ReleaseSpec::new(StatisticName::Count, self.budget) };
        ReleasedCount {
            schema: SCHEMA,
            karcher: Cow::Borrowed(env!("CARGO_PKG_VERSION")),
            statistic: Cow::Borrowed(StatisticName::Count.name()),
            value: number.value,
            noisy_value: number.noisy_value,
            interval: number.interval,
            guarantee: self.guarantee,
            unit: PrivacyUnit::Record,
            adjacency: Adjacency::AddRemove,
            mechanism: number.mechanism,
            scale: number.scale,
            numerics: Numerics::Exact,
            seeded,
            trust: self.trust(),
            series: None,
            spec: Some(Box::new(spec)),
            ledger,
            ledgers: vec![],
        }
    }
}
