//! The choice of a mechanism, shared by the commands that run one.

use crate::length::Length;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use karcher::mechanism::{Candidate, Mechanism, best, mechanisms_for};
use karcher::release::{MechanismName, StatisticName};
use karcher::spec::{MechanismChoice, NumericsPolicy};

/// Reads the name of a mechanism for one of these statistics; `--help` describes each.
pub fn chosen(statistics: &[StatisticName]) -> impl TypedValueParser<Value = MechanismChoice> {
    let auto =
        PossibleValue::new("auto").help("The one with the smallest expected error among those that --numerics accepts");
    let mut all: Vec<&dyn Mechanism> = vec![];
    for mechanism in statistics.iter().flat_map(|statistic| mechanisms_for(*statistic)) {
        if all.iter().all(|known| known.name() != mechanism.name()) {
            all.push(mechanism);
        }
    }
    let named = all.into_iter().map(|m| PossibleValue::new(m.name().name()).help(m.about()));
    let alias = statistics.contains(&StatisticName::FrechetMean).then(|| {
        PossibleValue::new("tangent-gaussian").help("Mechanism gaussian on flat spaces, by its name for SPD matrices")
    });
    let values = std::iter::once(auto).chain(named).chain(alias);
    // only names that are known come here
    PossibleValuesParser::new(values.collect::<Vec<_>>()).map(|name| name.parse().unwrap_or_default())
}

/// A mechanism that has to be named, although it promises a far smaller error than the one that `auto` takes.
pub struct Outdone {
    name: MechanismName,
    error: f64,
    times: f64,
}

/// So many times smaller.
const FAR_SMALLER: f64 = 5.0;

/// Which of the candidates outdoes the best exact one, judged by public quantities alone.
pub fn outdone(candidates: &[Candidate]) -> Option<Outdone> {
    let plan = |accept| candidates[best(candidates, accept)?].plan.as_ref().ok();
    let (exact, any) = (plan(NumericsPolicy::Exact)?, plan(NumericsPolicy::Any)?);
    let (error, times) = (any.error_bound(), exact.error_bound() / any.error_bound());
    (times >= FAR_SMALLER).then(|| Outdone { name: any.name(), error, times })
}

impl Outdone {
    /// The note on it.
    pub fn words(&self, radius: Length) -> String {
        let Self { name, error, times } = self;
        format!(
            "{name} has an expected error of {}, {times:.0} times less: choose it by name or with --numerics any, \
             as its noise is drawn in floating point",
            radius.words(*error)
        )
    }
}
