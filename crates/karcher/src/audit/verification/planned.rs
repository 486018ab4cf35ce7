//! The plan of a release, made again from its specification.

use super::finding::Findings;
use super::located::{self, LocatedAgain};
use super::not_planned;
use super::version::Version;
use super::{flags, noise, provenance, value};
use crate::error::Result;
use crate::mechanism::plan::REGION;
use crate::mechanism::{Plan, PlanSummary};
use crate::privacy::Guarantee;
use crate::release::{Flag, MechanismName, NoiseDraw, PublishedRelease, StatisticName};
use crate::spec::{MechanismChoice, ReleaseSpec};

/// All that a release states except its noisy numbers, made again.
pub(super) struct Planned {
    /// The plan of the value: of a mean in a located ball the one in that ball.
    pub(super) plan: Box<dyn Plan>,
    /// The ball that was located first, with what the location adds.
    pub(super) located: Option<LocatedAgain>,
    /// The guarantee of all of it.
    pub(super) guarantee: Guarantee,
    /// The noise of all of it.
    pub(super) noise: Vec<NoiseDraw>,
}

impl Planned {
    /// The plan of a specification for the number of records that the release states. Findings say why there is none.
    pub(super) fn new(release: &PublishedRelease, spec: &ReleaseSpec, found: &mut Findings) -> Option<Self> {
        let plan = match again(release, spec, found.version) {
            Ok(plan) => plan,
            Err(error) => {
                found.add("spec", not_planned(&error));
                return None;
            }
        };
        if spec.mechanism == MechanismChoice::Auto
            && let Some(reason) = spec.numerics.refuses(&*plan)
        {
            found.add("mechanism", format!("`auto` does not choose it: {reason}"));
        }
        match plan.as_located_mean() {
            Some(mean) => located::around(release, mean, found),
            None => Some(Self::of_plan(plan)),
        }
    }

    /// A plan in a ball that is known.
    pub(super) fn of_plan(plan: Box<dyn Plan>) -> Self {
        let PlanSummary { guarantee, noise, .. } = plan.summary().clone();
        Self { plan, located: None, guarantee, noise }
    }

    /// Compares all of a release with it. `region` is the probability that was asked for.
    pub(super) fn compare(&self, release: &PublishedRelease, region: Option<f64>, found: &mut Findings) {
        provenance::compare(self, release, found);
        noise::compare(self, &release.provenance, found);
        let of_value = value::compare(self, release, region.unwrap_or(REGION), found);
        flags::compare(self, release, &of_value, found);
    }

    /// The flags that the location of the ball adds.
    pub(super) fn of_location(&self) -> &[Flag] {
        self.located.as_ref().map_or(&[], |located| &located.flags)
    }
}

/// The plan of the whole release. `auto` of another version may have chosen another mechanism: then the release names
/// the one that is planned.
pub(super) fn again(release: &PublishedRelease, spec: &ReleaseSpec, version: Version) -> Result<Box<dyn Plan>> {
    let how = &release.provenance;
    let n = how.n.or(spec.n_guess).unwrap_or_default();
    let is_chosen = spec.mechanism == MechanismChoice::Auto
        && version == Version::Another
        && !spec.locates()
        && !matches!(spec.statistic, StatisticName::GeometricMedian | StatisticName::Ball);
    if !is_chosen {
        return spec.plan(n);
    }
    let chosen = if how.located.is_some() { MechanismName::TwoStage } else { how.mechanism };
    spec.request(n)?.candidate(chosen)
}
