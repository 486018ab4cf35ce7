//! The choice of a mechanism, shared by the commands that run one.

use crate::Failure;
use crate::count;
use crate::options::{Calibration, Denoising, Numerics, check_tangent_gaussian};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use karcher::mechanism::{Plan, PrivateFrechetMean, Request, mechanisms_for};
use karcher::privacy::Guarantee;
use karcher::release::{MechanismName, StatisticName};
use karcher::sensitivity::Bound;

/// A mechanism for the mean and what belongs to it.
#[derive(clap::Args, Debug)]
pub struct Choice {
    /// The mechanism. auto takes the one with the smallest expected error that keeps the budget and that --numerics
    /// accepts.
    #[arg(long, default_value = "auto", value_parser = chosen(StatisticName::FrechetMean))]
    pub mechanism: Chosen,
    /// Steps of the Karcher flow, up to 1,000. Default: the number that promises the smallest error.
    #[arg(long, value_name = "T", value_parser = count::steps)]
    pub steps: Option<usize>,
    /// How Gaussian noise on flat spaces is calibrated to (ε, δ).
    #[arg(long, default_value = "analytic")]
    pub calibration: Calibration,
    /// The theorem that says how far one record can move the mean: published, averaged-hessian, sharp or optimal.
    /// Default: the one with the smallest number, optimal.
    #[arg(long, value_name = "BOUND")]
    pub bound: Option<Bound>,
    /// What the proof of a mechanism that auto takes may speak of.
    #[arg(long, default_value = "exact")]
    pub numerics: Numerics,
    /// What becomes of noise on a vector, after it was drawn (the release tells the value before that, too). Default:
    /// shrink, wherever noise is a vector.
    #[arg(long, value_name = "HOW")]
    pub denoise: Option<Denoising>,
}

/// A mechanism by name, or the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// The best.
    Auto,
    /// The one of this name.
    Mechanism(MechanismName),
    /// `gaussian` on flat spaces, under the name it has for SPD matrices.
    TangentGaussian,
}

const TANGENT_GAUSSIAN: &str = "tangent-gaussian";

/// Reads the name of a mechanism for a statistic; `--help` says what each is.
pub fn chosen(statistic: StatisticName) -> impl TypedValueParser<Value = Chosen> {
    let auto =
        PossibleValue::new("auto").help("The one with the smallest expected error among those that --numerics accepts");
    let named = mechanisms_for(statistic).map(|m| PossibleValue::new(m.name().name()).help(m.about()));
    let alias = (statistic == StatisticName::FrechetMean).then(|| {
        PossibleValue::new(TANGENT_GAUSSIAN)
            .help("The same as gaussian on flat spaces, under the name it has for SPD matrices")
    });
    let values = std::iter::once(auto).chain(named).chain(alias);
    PossibleValuesParser::new(values.collect::<Vec<_>>()).map(|name| match name.as_str() {
        TANGENT_GAUSSIAN => Chosen::TangentGaussian,
        name => name.parse().map_or(Chosen::Auto, Chosen::Mechanism), // only names that are known come here
    })
}

impl Chosen {
    /// What is planned for a request.
    pub fn plan(self, request: &Request) -> Result<Box<dyn Plan>, Failure> {
        Ok(match self {
            Chosen::Auto => request.plan()?,
            Chosen::Mechanism(name) => request.plan_by(name)?,
            Chosen::TangentGaussian => {
                check_tangent_gaussian(&**request.statistic().manifold())?;
                request.plan_by(MechanismName::Gaussian)?
            }
        })
    }
}

impl Choice {
    /// The chosen mechanism, planned. Everything it depends on is public.
    pub fn plan(
        &self,
        mean: PrivateFrechetMean,
        n: usize,
        budget: Guarantee,
        beside: impl Fn(Request) -> Result<Request, Failure>,
    ) -> Result<Box<dyn Plan>, Failure> {
        let calibration = Some(self.calibration).filter(|c| *c == Calibration::Classical).map(Into::into);
        let mean = mean.bound(self.bound).denoise(self.denoise.map(Into::into));
        let request = Request::new(mean, n, budget).steps(self.steps).calibration(calibration);
        self.mechanism.plan(&beside(request.numerics(self.numerics.into()))?)
    }
}
