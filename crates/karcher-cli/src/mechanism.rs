//! The choice of a mechanism, shared by the commands that run one.

use crate::length::Length;
use crate::options::{Calibration, Center, Denoising, Numerics};
use crate::whole_number;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use karcher::ReleaseSpec;
use karcher::mechanism::{Candidate, Mechanism, best, mechanisms_for};
use karcher::release::{MechanismName, StatisticName};
use karcher::sensitivity::Bound;
use karcher::spec::{MechanismChoice, NumericsPolicy};

/// What `--statistic` chooses from.
const CENTERS: [StatisticName; 3] =
    [StatisticName::FrechetMean, StatisticName::GeometricMedian, StatisticName::ExtrinsicMean];

/// A mechanism for the mean, or the median, and what belongs to it.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Mechanism")]
pub struct Choice {
    /// Statistic that is released.
    #[arg(long, default_value = "mean", value_name = "STATISTIC")]
    pub statistic: Center,
    /// Mechanism of the release. auto takes the one with the smallest expected error that keeps the budget and that
    /// --numerics accepts.
    #[arg(long, default_value = "auto", value_parser = chosen(&CENTERS))]
    pub mechanism: MechanismChoice,
    /// Number of steps of the Karcher flow, or of the median flow, up to 1,000. Default: the number that promises the
    /// smallest error, or does best in a simulation.
    #[arg(long, value_name = "T", value_parser = whole_number::steps)]
    pub steps: Option<usize>,
    /// Calibration of Gaussian noise on flat spaces to (ε, δ).
    #[arg(long, default_value = "analytic")]
    pub calibration: Calibration,
    /// Theorem for how far one record can move the mean: published, averaged-hessian, sharp or optimal. Default: the
    /// one with the smallest number, optimal.
    #[arg(long, value_name = "BOUND")]
    pub bound: Option<Bound>,
    /// Kind of proof that auto requires of a mechanism.
    #[arg(long, default_value = "exact")]
    pub numerics: Numerics,
    /// Treatment of noise on a vector after it was drawn (the release also holds the value before that). Default:
    /// shrink, if noise is a vector.
    #[arg(long, value_name = "HOW")]
    pub denoise: Option<Denoising>,
}

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

impl Choice {
    /// The name of the statistic.
    pub fn statistic(&self) -> StatisticName {
        match self.statistic {
            Center::Mean => StatisticName::FrechetMean,
            Center::Median => StatisticName::GeometricMedian,
        }
    }

    /// Fills in the mechanism and its options.
    pub fn fill(&self, spec: &mut ReleaseSpec) {
        spec.mechanism = self.mechanism;
        spec.steps = self.steps;
        spec.calibration = Some(self.calibration).filter(|c| *c == Calibration::Classical).map(Into::into);
        spec.bound = self.bound;
        spec.numerics = self.numerics.into();
        spec.denoise = self.denoise.map(Into::into);
    }
}
