//! The public state of a series: what it is, and all that was released.

use super::key::SeriesKey;
use super::plan::SeriesPlan;
use super::shape::SeriesShape;
use crate::audit::{Finding, Verification};
use crate::error::{Error, Result};
use crate::noise::Integer;
use crate::release::LedgerEntry;
use crate::spec::{ReleaseSpec, field};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The version of the fields of a state. A version may get new fields; existing ones stay and keep their meaning.
const VERSION: u32 = 1;

/// The public state of a series. It is a file of JSON, and may be published: no noise follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeriesState {
    /// The version of these fields.
    series: u32,
    /// The version of this library that began the series.
    karcher: Cow<'static, str>,
    /// The specification, with the budget of all releases together.
    pub spec: ReleaseSpec,
    /// The periods.
    pub shape: SeriesShape,
    /// A name of the key, which tells nothing about it.
    key: String,
    /// Whether the noise can be drawn again, so that the series is **not private**.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seeded: bool,
    /// The entry in the ledger that counted the whole series, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerEntry>,
    /// What was published, a period each.
    pub published: Vec<Published>,
}

/// What was published in a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The period, from 1.
    pub period: usize,
    /// What its maker calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The number of records that joined, where it is public.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// The noisy encoded sums, in units of 2⁻²⁰ of a quantum.
    noisy: Vec<String>,
    /// The release that follows; none before the first record.
    pub release: Option<Value>,
}

impl Published {
    fn integers(&self) -> Option<Vec<Integer>> {
        // no sum has more digits, and longer numbers take long to read
        self.noisy.iter().map(|y| (y.len() < 400).then(|| y.parse().ok())?).collect()
    }
}

impl SeriesState {
    /// The state of a new series.
    pub(super) fn new(plan: &SeriesPlan, key: &SeriesKey, seeded: bool, ledger: Option<LedgerEntry>) -> Self {
        Self {
            series: VERSION,
            karcher: Cow::Borrowed(env!("CARGO_PKG_VERSION")),
            spec: plan.spec().clone(),
            shape: plan.shape().clone(),
            key: key.name(plan, seeded, ledger.as_ref()),
            seeded,
            ledger,
            published: vec![],
        }
    }

    /// The version of the library that began the series.
    pub(crate) fn version(&self) -> &str {
        &self.karcher
    }

    /// Whether JSON looks like a state.
    pub(crate) fn is_one(json: &Value) -> bool {
        json["series"].is_number() && json["published"].is_array()
    }

    /// Reads a state.
    ///
    /// # Errors
    /// The reason as a sentence: it is none, or of another version.
    pub fn read(json: &Value) -> std::result::Result<Self, String> {
        if !Self::is_one(json) {
            return Err("it is no state of a series, as `karcher series` writes one".to_owned());
        }
        let state: Self = serde_json::from_value(json.clone()).map_err(|error| format!("it is no state: {error}"))?;
        if state.series != VERSION {
            return Err(format!("it is a state of version {}, and this karcher reads version {VERSION}", state.series));
        }
        let is_in_order = state.published.iter().enumerate().all(|(at, own)| own.period == at + 1);
        let is_whole = is_in_order && state.published.len() <= state.shape.periods;
        match is_whole && state.published.iter().all(|own| own.integers().is_some()) {
            true => Ok(state),
            false => Err("its periods are not 1, 2, 3 and so on, each with whole noisy numbers".to_owned()),
        }
    }

    /// The plan that it follows.
    ///
    /// # Errors
    /// As for [`SeriesPlan::new`].
    pub fn plan(&self) -> Result<SeriesPlan> {
        SeriesPlan::new(&self.spec, self.shape.clone())
    }

    /// Publishes the next period, which was entered in the key.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] for the key of another series, and for a state that is older or was edited.
    pub fn publish(&mut self, plan: &SeriesPlan, key: &SeriesKey, label: Option<String>) -> Result<&Published> {
        self.check(plan, key)?;
        let at = self.published.len();
        if !key.is_ahead_of(self) {
            return Err(Error::NotPermitted { reason: "nothing was entered for the next period".to_owned() });
        }
        let n = plan.tells_number().then(|| key.counts()[at]);
        let noisy = noisy(plan, key, &key.sums()[..=at])?.iter().map(ToString::to_string).collect();
        self.published.push(Published { period: at + 1, label, n, noisy, release: None });
        let release = self.release(plan, at)?;
        self.published[at].release = release;
        Ok(&self.published[at])
    }

    /// Refuses the key of another series, and a state that is not what the key published.
    pub(super) fn check(&self, plan: &SeriesPlan, key: &SeriesKey) -> Result<()> {
        let refused = |reason: &str| Err(Error::NotPermitted { reason: reason.to_owned() });
        if key.name(plan, self.seeded, self.ledger.as_ref()) != self.key {
            return refused("the key is that of another series, or the state was edited");
        }
        if plan.spec() != &self.spec || plan.shape() != &self.shape {
            return refused("the plan is that of another series");
        }
        if key.periods() < self.published.len() {
            return refused("the key is older than the state: restore the newer one, or begin another series");
        }
        if key.periods() > self.published.len() + 1 {
            return refused("the state is older than its key: use the newer one, with all that was published");
        }
        let sums = key.sums();
        for (at, own) in self.published.iter().enumerate() {
            let is_own = own.integers().is_some_and(|own| noisy(plan, key, &sums[..=at]).is_ok_and(|made| made == own));
            if !is_own || own.n != plan.tells_number().then(|| key.counts()[at]) {
                return refused("the state was edited: its numbers are not those that were published");
            }
        }
        Ok(())
    }

    /// The release of a period, from 0: it follows from the noisy sums up to it.
    fn release(&self, plan: &SeriesPlan, at: usize) -> Result<Option<Value>> {
        let whole = || field("published", "its noisy numbers are not those of its statistic");
        let numbers: Option<Vec<Vec<Integer>>> = self.published[..=at].iter().map(Published::integers).collect();
        let numbers = numbers.filter(|all| all.iter().all(|y| y.len() == plan.round().len())).ok_or_else(whole)?;
        // whole numbers, as of any release
        let sums: Vec<f64> =
            plan.factorisation().decoded(&numbers, self.shape.window).into_iter().map(f64::round).collect();
        let period = at + 1;
        if plan.is_count() {
            return Ok(Some(json!(plan.count(period, sums[0], (self.seeded, self.ledger.clone()))?)));
        }
        let joined = self.published[period - self.shape.reach(period)..=at].iter().map(|own| own.n.unwrap_or(0));
        let n = joined.fold(0_u64, u64::saturating_add);
        if plan.tells_number() && n == 0 {
            return Ok(None);
        }
        let plan = plan.period(period, usize::try_from(n).unwrap_or(usize::MAX))?;
        Ok(Some(json!(plan.conclude(sums, self.seeded, self.ledger.clone())?)))
    }

    /// The contradictions between the state and its specification: none for a genuine one. The releases are made again
    /// from the stated noisy sums.
    pub fn verify(&self) -> Vec<Finding> {
        Verification::of(&json!(self)).findings
    }

    /// The releases that should be there.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan), and for noisy numbers of another statistic.
    pub(crate) fn releases(&self) -> Result<Vec<Option<Value>>> {
        let plan = self.plan()?;
        (0..self.published.len()).map(|at| self.release(&plan, at)).collect()
    }
}

/// The noisy encoded sums of a period, from the exact sums up to it, which were entered.
fn noisy(plan: &SeriesPlan, key: &SeriesKey, sums: &[Vec<i128>]) -> Result<Vec<Integer>> {
    let encoded = plan.factorisation().encoded(sums);
    let noise = plan.noise()?.noise(&mut key.generator(&plan.digest(), sums.len()));
    Ok(encoded.into_iter().zip(noise).map(|(sum, noise)| sum + noise).collect())
}
