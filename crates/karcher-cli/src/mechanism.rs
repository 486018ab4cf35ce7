//! The choice of a mechanism, shared by the commands that run one.

use crate::Failure;
use crate::count;
use crate::length::Length;
use crate::options::{Calibration, Center, Denoising, Numerics, check_tangent_gaussian};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use karcher::mechanism::{
    Candidate, NumericsPolicy, Plan, PrivateFrechetMean, PrivateGeometricMedian, Request, best, mechanisms_for,
};
use karcher::privacy::Guarantee;
use karcher::release::{MechanismName, StatisticName};
use karcher::sensitivity::Bound;
use karcher::{Ball, Error, Manifold};
use std::sync::Arc;

/// What `--statistic` chooses from.
const CENTERS: [StatisticName; 2] = [StatisticName::FrechetMean, StatisticName::GeometricMedian];

/// A mechanism for the mean, or the median, and what belongs to it.
#[derive(clap::Args, Debug)]
pub struct Choice {
    /// What is released.
    #[arg(long, default_value = "mean", value_name = "STATISTIC")]
    pub statistic: Center,
    /// The mechanism. auto takes the one with the smallest expected error that keeps the budget and that --numerics
    /// accepts.
    #[arg(long, default_value = "auto", value_parser = chosen(&CENTERS))]
    pub mechanism: Chosen,
    /// Steps of the Karcher flow, or of the median flow, up to 1,000. Default: the number that promises the smallest
    /// error, or does best in a rehearsal.
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

/// Reads the name of a mechanism for one of these statistics; `--help` says what each is.
pub fn chosen(statistics: &[StatisticName]) -> impl TypedValueParser<Value = Chosen> {
    let auto =
        PossibleValue::new("auto").help("The one with the smallest expected error among those that --numerics accepts");
    let named = statistics.iter().flat_map(|statistic| mechanisms_for(*statistic));
    let named = named.map(|m| PossibleValue::new(m.name().name()).help(m.about()));
    let alias = statistics.contains(&StatisticName::FrechetMean).then(|| {
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

/// A mechanism that has to be asked for, although it promises a far smaller error than the one that `auto` takes.
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
    /// What to say of it.
    pub fn words(&self, radius: Length) -> String {
        let Self { name, error, times } = self;
        format!(
            "{name} has an expected error of {}, {times:.0} times less: by name or with --numerics any, as its noise is \
             drawn in floating point",
            radius.words(*error)
        )
    }
}

impl Choice {
    /// What outdoes the mechanism that auto takes for a mean.
    pub fn outdone(
        &self,
        manifold: &Arc<dyn Manifold>,
        ball: Ball,
        n: usize,
        budget: Guarantee,
        beside: impl Fn(Request) -> Result<Request, Failure>,
    ) -> Option<Outdone> {
        let is_auto = self.mechanism == Chosen::Auto && self.numerics == Numerics::Exact;
        // elsewhere noise in the chart is at most a little longer than noise around the mean
        if !is_auto || self.statistic != Center::Mean || manifold.curvature().lower >= 0.0 {
            return None;
        }
        let mean = PrivateFrechetMean::new(manifold.clone(), ball).ok()?.bound(self.bound);
        let request = Request::new(mean.denoise(self.denoise.map(Into::into)), n, budget);
        outdone(&beside(request).ok()?.candidates())
    }

    /// The chosen mechanism for a statistic in a ball, planned, with what is asked for beside it. Everything it depends
    /// on is public.
    pub fn plan(
        &self,
        manifold: &Arc<dyn Manifold>,
        ball: Ball,
        assume_in_ball: bool,
        n: usize,
        budget: Guarantee,
        beside: impl Fn(Request) -> Result<Request, Failure>,
    ) -> Result<Box<dyn Plan>, Failure> {
        let calibration = Some(self.calibration).filter(|c| *c == Calibration::Classical).map(Into::into);
        let request = match self.statistic {
            Center::Mean => {
                let mean = PrivateFrechetMean::new(manifold.clone(), ball)?.assume_in_ball(assume_in_ball);
                Request::new(mean.bound(self.bound).denoise(self.denoise.map(Into::into)), n, budget).steps(self.steps)
            }
            Center::Median => {
                self.check_median(assume_in_ball)?;
                let median = PrivateGeometricMedian::new(manifold.clone(), ball)?;
                let request = beside(Request::new(median, n, budget))?;
                // there is one mechanism, so that auto has steps too
                return Ok(match (self.mechanism, self.steps, calibration) {
                    (Chosen::Auto, Some(_), None) => request.steps(self.steps).plan_by(MechanismName::MedianFlow)?,
                    _ => self.mechanism.plan(&request.steps(self.steps).calibration(calibration))?,
                });
            }
        };
        self.mechanism.plan(&beside(request.calibration(calibration).numerics(self.numerics.into()))?)
    }

    /// Which proofs `auto` may rely on.
    pub fn accepts(&self) -> NumericsPolicy {
        self.numerics.into()
    }

    /// Refuses what says something about means only.
    fn check_median(&self, assume_in_ball: bool) -> Result<(), Error> {
        let given =
            [("bound", self.bound.is_some()), ("denoise", self.denoise.is_some()), ("assume_in_ball", assume_in_ball)];
        match given.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((parameter, _)) => Err(Error::Inapplicable {
                parameter,
                mechanism: MechanismName::MedianFlow.name().to_owned(),
                takers: "mechanisms for a mean".to_owned(),
            }),
        }
    }
}
