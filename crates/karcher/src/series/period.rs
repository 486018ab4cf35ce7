//! The release of one period of a series.

use super::shape::SeriesShape;
use crate::error::{Error, Result};
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Plan, PlanSummary, RoundState};
use crate::noise::Generator;
use crate::privacy::rounding::{div_down, mul_up};
use crate::records::Records;
use crate::release::{LedgerEntry, NoiseDraw, OpenRelease, PublishedRelease, Release};
use crate::spec::{ReleaseSpec, field};
use serde::{Deserialize, Serialize};

/// Which release of a series it is. The guarantee and the noise of the release are those of the whole series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesPeriod {
    /// The period, from 1.
    pub period: usize,
    /// The periods of the series.
    #[serde(flatten)]
    pub shape: SeriesShape,
    /// The scale of the noise in this release, over that of one draw.
    pub growth: f64,
}

impl SeriesPeriod {
    /// In words: `3 of 12; the guarantee covers all of them`.
    pub fn words(&self) -> String {
        let about = match self.shape.window {
            Some(window) => format!(", about the last {}", self.period.min(window)),
            None => String::new(),
        };
        format!("{} of {}{about}; the guarantee covers all releases of the series", self.period, self.shape.periods)
    }
}

/// The plan of a period's release.
#[derive(Debug)]
pub(crate) struct PeriodPlan {
    plan: Box<dyn Plan>,
    spec: ReleaseSpec,
    at: SeriesPeriod,
    summary: PlanSummary,
}

impl PeriodPlan {
    /// From the plan of a release with as much noise; `norm` is the length of a column.
    pub(super) fn new(plan: Box<dyn Plan>, spec: ReleaseSpec, at: SeriesPeriod, norm: f64) -> Self {
        let of_series = |draw: &NoiseDraw| NoiseDraw {
            scale: div_down(draw.scale, at.growth),
            sensitivity: mul_up(draw.sensitivity, norm),
            ..draw.clone()
        };
        let noise = plan.summary().noise.iter().map(of_series).collect();
        let summary = PlanSummary { guarantee: spec.budget, noise, ..plan.summary().clone() };
        Self { plan, spec, at, summary }
    }

    /// The release of noisy sums. Nothing is drawn here.
    pub(super) fn conclude(&self, sums: Vec<f64>, is_seeded: bool, entry: Option<LedgerEntry>) -> Result<Release> {
        let in_rounds = self.plan.in_rounds().ok_or_else(|| field("mechanism", "it is no function of sums"))?;
        let state = in_rounds.after(RoundState::default(), sums)?;
        let mut unused = Generator::seeded(0);
        let context = OpenRelease::of_series(self.summary.promise_to(self.spec.unit), is_seeded, entry, &mut unused);
        Ok(self.of_series(in_rounds.conclude(&state, &context)?))
    }

    fn of_series(&self, release: Release) -> Release {
        let region = self.spec.region.and_then(|probability| self.plan.region_of(release.private_count(), probability));
        let release = release.specified(&self.spec, region);
        release.with_all_of(self.summary.guarantee, &self.summary.noise).in_series(self.at.clone())
    }
}

impl Sealed for PeriodPlan {}

impl Plan for PeriodPlan {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn wrapped(&self) -> Option<&dyn Plan> {
        Some(&*self.plan)
    }

    /// Refused: its noise goes through the series.
    fn draw(&self, _: &dyn Records, _: &mut OpenRelease<'_>, _: &(dyn Fn(usize) + Sync)) -> Result<Release> {
        Err(apart())
    }

    fn check(&self, _: &dyn Records) -> Result<()> {
        Err(apart())
    }

    fn again(&self, stated: &PublishedRelease, context: &OpenRelease<'_>) -> Result<Release> {
        Ok(self.of_series(self.plan.again(stated, context)?))
    }
}

/// The refusal to release a period by itself.
fn apart() -> Error {
    Error::NotPermitted { reason: "it is one of a series: go on with the series (`karcher continue`)".to_owned() }
}
