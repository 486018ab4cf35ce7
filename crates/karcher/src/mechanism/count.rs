//! The number of records, with a whole budget (user guide, U2).
//!
//! One record added or removed changes the number by 1, and `n + round(N)` with exact noise is a whole number.

use crate::error::Result;
use crate::mechanism::noise::number::NumberNoise;
use crate::noise::Law;
use crate::privacy::{Definition, Guarantee};
use crate::records::Records;
use crate::release::{
    Adjacency, MechanismName, Numerics, PrivacyEvent, PrivacyUnit, PrivateCount, ReleaseContext, ReleasedBound,
    ReleasedCount, ReleasedSensitivity, SCHEMA, StatisticName,
};
use crate::spec::ReleaseSpec;
use std::borrow::Cow;

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
    noise: NumberNoise,
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
            _ => budget,
        };
        Ok(Self { noise: NumberNoise::new(1.0, guarantee)?, budget, guarantee })
    }

    /// Its guarantee: for (ε, δ) it needs no δ.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// The scale of the noise, in records.
    pub fn scale(&self) -> f64 {
        self.noise.scale()
    }

    /// The law of the noise.
    pub(crate) fn law(&self) -> Law {
        self.noise.law()
    }

    /// The private count that follows from a noisy number.
    pub(crate) fn count_again(&self, noisy: f64) -> PrivateCount {
        self.noise.count(noisy.round())
    }

    /// The privacy event that an account may record before the release is made.
    pub fn event(&self) -> PrivacyEvent {
        PrivacyEvent {
            guarantee: self.guarantee,
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
        let seeded = context.generator().is_seeded();
        let mut open = context.open(self.event().promise(), false)?;
        let number = self.noise.release(i128::from(n), 1.0, [0.0, f64::MAX], open.generator());
        Ok(ReleasedCount {
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
            spec: Some(Box::new(ReleaseSpec::new(StatisticName::Count, self.budget))),
            ledger: open.entry(),
        })
    }
}
