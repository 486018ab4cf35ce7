//! The number of records, with noise.

use super::{
    Adjacency, Flag, LedgerEntry, MechanismName, NoiseDraw, NoiseLaw, NoiseOf, Numerics, PrivacyUnit, Promise, kept,
};
use crate::privacy::Guarantee;
use crate::series::SeriesPeriod;
use crate::spec::{ReleaseSpec, Trust};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A number of records, released with noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PrivateCount {
    /// The number, not below 0.
    pub value: f64,
    /// The number as it was drawn, of mean zero about the true one. A chart on a curved space reports numbers beyond
    /// 128 times the guess as that limit.
    pub noisy_value: f64,
    /// The scale of the noise, in records.
    pub scale: f64,
    /// Interval that holds the true number with a probability of at least 95 %. Its upper end is the largest double,
    /// for infinity, where a chart on a curved space counts and the number may exceed 128 times the guess.
    pub interval: [f64; 2],
}

impl PrivateCount {
    /// Ratio of the widths of intervals with 97.5 % and 95 %: `ln 40/ln 20`, for laws with tails that are not heavier
    /// than exponential ones.
    pub(crate) const OF_HALF: f64 = 1.2314;

    /// The number with its noise, which is no longer than `half` with a probability of 95 %.
    pub(crate) fn within(half: f64, noisy_value: f64, scale: f64) -> Self {
        let interval = [-half, half].map(|half| (noisy_value + half).max(0.0));
        Self { value: noisy_value.max(0.0), noisy_value, scale, interval }
    }

    /// The ends of the [`interval`](PrivateCount::interval), as whole numbers; the upper one may be absent.
    ///
    /// ```
    /// use karcher::release::PrivateCount;
    /// let count = PrivateCount { value: 97.0, noisy_value: 97.0, scale: 1.0, interval: [93.5, f64::MAX] };
    /// assert_eq!(count.whole_interval(), (93.0, None));
    /// ```
    pub fn whole_interval(&self) -> (f64, Option<f64>) {
        let [low, high] = self.interval;
        (low.floor(), (high < f64::MAX).then_some(high.ceil()))
    }

    /// Interval that holds the true number with a probability of at least 97.5 %.
    pub(crate) fn interval_of_half(&self) -> [f64; 2] {
        let half = (Self::OF_HALF * (self.interval[1] - self.value)).min(f64::MAX);
        [-half, half].map(|half| (self.value + half).max(0.0))
    }

    /// The divisor of sums: at least 1.
    pub(crate) fn divisor(&self) -> f64 {
        self.noisy_value.max(1.0)
    }
}

/// The private number of records alone, with a whole budget: what [`CountPlan`](crate::mechanism::CountPlan) releases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleasedCount {
    /// The version of these fields, [`SCHEMA`](super::SCHEMA).
    pub schema: u32,
    /// The version of this library.
    pub karcher: Cow<'static, str>,
    /// `count`.
    pub statistic: Cow<'static, str>,
    /// The whole number, not below 0.
    pub value: f64,
    /// The whole number as it was drawn.
    pub noisy_value: f64,
    /// Interval that holds the true number with a probability of at least 95 %.
    pub interval: [f64; 2],
    /// The guarantee.
    pub guarantee: Guarantee,
    /// The privacy unit.
    pub unit: PrivacyUnit,
    /// One record added or removed.
    pub adjacency: Adjacency,
    /// The law of the noise: `laplace` or `gaussian`.
    pub mechanism: MechanismName,
    /// The scale of the noise, in records.
    pub scale: f64,
    /// `exact`: the proof is about the released bits.
    pub numerics: Numerics,
    /// Whether the noise can be reproduced, so that the number is **not private**.
    pub seeded: bool,
    /// Who had to be honest, where several parties added noise. Each added noise that is enough alone; the scale is
    /// that of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// Which release of a series it is, if it is one. The guarantee is that of the whole series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesPeriod>,
    /// The specification that asked for the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<Box<ReleaseSpec>>,
    /// Where the release stands in the ledger that counted it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerEntry>,
    /// The entries in the ledgers of aggregators who added the noise, of each that has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ledgers: Vec<LedgerEntry>,
}

impl ReleasedCount {
    /// The promise of the release.
    pub fn promise(&self) -> Promise {
        let flags: &[Flag] = if self.seeded { &[Flag::Seeded] } else { &[] };
        let is_laplace = self.mechanism == MechanismName::Laplace && self.trust.is_none() && self.series.is_none();
        let laplace = || NoiseDraw::on_vector(NoiseOf::Count, NoiseLaw::Laplace, 1, self.scale, 1.0);
        let draw = is_laplace.then(laplace);
        Promise::new(self.guarantee, self.unit, self.adjacency, self.numerics, flags).keeping(kept(draw.as_slice()))
    }
}
