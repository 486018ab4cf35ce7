//! The choice of a mechanism for the mean.

use crate::error::Failure;
use crate::privacy::calibration;
use karcher::Manifold;
use karcher::mechanism::{KNormGradient, KarcherFlow, Prepared, PrivateFrechetMean, auto, gaussian, laplace_for};
use karcher::privacy::Guarantee;

/// A mechanism's name and what belongs to it.
pub struct Choice {
    /// The name, or `auto`.
    mechanism: String,
    /// Of a Karcher flow.
    steps: Option<usize>,
    /// Of Gaussian noise on flat spaces.
    calibration: Option<String>,
    /// Whether a bound of the mean's sensitivity was chosen.
    bounded: bool,
}

impl Choice {
    /// What a user chose.
    pub fn new(mechanism: &str, steps: Option<usize>, calibration: Option<&str>, bound: Option<&str>) -> Self {
        let calibration = calibration.map(str::to_owned);
        Self { mechanism: mechanism.to_owned(), steps, calibration, bounded: bound.is_some() }
    }

    /// Refuses an option that nothing would come of.
    pub fn check(&self, space: &dyn Manifold) -> Result<(), Failure> {
        let refuse = |sentence: &str| Err(Failure::Sentence(sentence.to_owned()));
        let smooth = matches!(self.mechanism.as_str(), "gaussian" | "tangent-gaussian");
        if self.steps.is_some() && self.mechanism != "karcher-flow" {
            return refuse("steps belongs to mechanism=\"karcher-flow\"");
        }
        if self.bounded && matches!(self.mechanism.as_str(), "kng" | "karcher-flow") {
            return refuse("bound: this mechanism needs no bound of the mean's sensitivity; leave it out");
        }
        if self.calibration.is_some() && !(smooth && space.flat_chart().is_some()) {
            return refuse("calibration belongs to mechanism=\"gaussian\" on flat spaces");
        }
        if self.mechanism == "tangent-gaussian" && space.flat_chart().is_none() {
            return refuse(
                "mechanism=\"tangent-gaussian\" is the name of \"gaussian\" on flat spaces; here say \"gaussian\"",
            );
        }
        Ok(())
    }

    /// The mechanism, calibrated. Everything it depends on is public.
    pub fn prepare<'a>(
        &self,
        space: &'a dyn Manifold,
        mean: &PrivateFrechetMean<'a>,
        n: usize,
        budget: Guarantee,
    ) -> Result<Prepared<'a>, Failure> {
        self.check(space)?;
        let sensitivity = || mean.sensitivity(n).map(|s| s.value());
        Ok(match self.mechanism.as_str() {
            "auto" => auto(space, mean, n, budget)?,
            "laplace" => Prepared::Noise(laplace_for(space, sensitivity()?, budget)?),
            "gaussian" | "tangent-gaussian" => {
                Prepared::Noise(gaussian(space, sensitivity()?, budget, calibration(self.calibration.as_deref())?)?)
            }
            "kng" => Prepared::KNormGradient(KNormGradient::new(mean, n, budget)?),
            "karcher-flow" => Prepared::KarcherFlow(match self.steps {
                Some(steps) => KarcherFlow::with_steps(space, mean.ball().clone(), n, budget, steps)?,
                None => KarcherFlow::new(space, mean.ball().clone(), n, budget)?,
            }),
            name => {
                return Err(Failure::Sentence(format!(
                    "unknown mechanism `{name}`: expected auto, laplace, gaussian, tangent-gaussian, kng or karcher-flow"
                )));
            }
        })
    }
}
