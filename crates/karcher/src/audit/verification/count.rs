//! The verification of a private count that was released by itself.

use super::finding::{Finding, Findings};
use super::version::Version;
use super::{NO_SPEC, not_planned, place};
use crate::release::{Adjacency, MechanismName, Numerics, PrivacyUnit, ReleasedCount, SCHEMA, StatisticName};

impl ReleasedCount {
    /// The contradictions between the count and its own specification: none for a genuine one.
    ///
    /// The noisy number is a whole number, and everything else follows from it and the budget. No reader can know which
    /// whole number was drawn.
    ///
    /// ```
    /// use karcher::{ReleaseContext, mechanism::CountPlan, privacy::Guarantee};
    /// let mut release = CountPlan::new(Guarantee::pure(0.5)?)?.run_on(1_000, &mut ReleaseContext::from_os()?)?;
    /// assert_eq!(release.verify(), []);
    /// release.scale = 1.0;
    /// assert_eq!(release.verify()[0].field, "scale");
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn verify(&self) -> Vec<Finding> {
        let mut found = Findings::of_version(&self.karcher);
        found.since_specs(true, &self.karcher);
        found.same("schema", self.schema, SCHEMA);
        found.same("statistic", &*self.statistic, StatisticName::Count.name());
        found.same("unit", self.unit, PrivacyUnit::Record);
        found.same("adjacency", self.adjacency.name(), Adjacency::AddRemove.name());
        found.same("numerics", self.numerics.name(), Numerics::Exact.name());
        match &self.spec {
            None => found.add("spec", NO_SPEC),
            Some(spec) => match spec.count_plan() {
                Err(error) => found.add("spec", not_planned(&error)),
                Ok(plan) => {
                    let count = plan.count_again(self.noisy_value);
                    found.guarantee("guarantee", self.guarantee, plan.guarantee());
                    found.same("trust", self.trust, plan.trust());
                    found.noise("scale", self.scale, plan.scale());
                    found.same("mechanism", self.mechanism.name(), MechanismName::from(plan.law()).name());
                    place::multiple("noisy_value", self.noisy_value, count.noisy_value, &mut found);
                    found.number("value", self.value, count.value);
                    if found.version == Version::This {
                        found.number("interval[0]", self.interval[0], count.interval[0]);
                        found.number("interval[1]", self.interval[1], count.interval[1]);
                    }
                }
            },
        }
        found.into_all()
    }
}
