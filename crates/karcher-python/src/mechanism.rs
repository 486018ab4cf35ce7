//! The choice of a mechanism.

use crate::error::Failure;
use crate::privacy::calibration;
use karcher::mechanism::{Denoise, NumericsPolicy, Plan, Request, Statistic};
use karcher::privacy::GaussianCalibration;
use karcher::release::MechanismName;

/// A mechanism's name and what belongs to it.
pub struct Choice {
    /// `None` for `auto`.
    mechanism: Option<MechanismName>,
    /// Whether it was called by the name that `gaussian` has on flat spaces.
    tangent: bool,
    steps: Option<usize>,
    calibration: Option<GaussianCalibration>,
    accept: NumericsPolicy,
}

impl Choice {
    /// What a user chose.
    pub fn new(
        mechanism: &str,
        steps: Option<usize>,
        calibration_name: Option<&str>,
        numerics: &str,
    ) -> Result<Self, Failure> {
        let tangent = mechanism == "tangent-gaussian";
        let mechanism = match mechanism {
            "auto" => None,
            "tangent-gaussian" => Some(MechanismName::Gaussian),
            name => Some(name.parse()?),
        };
        let calibration = calibration_name.map(|name| calibration(Some(name))).transpose()?;
        Ok(Self { mechanism, tangent, steps, calibration, accept: accept(numerics)? })
    }

    /// Which proofs `auto` may rely on.
    pub fn accepts(&self) -> NumericsPolicy {
        self.accept
    }

    /// The mechanism for a request, planned. Everything it depends on is public.
    pub fn plan_of(&self, request: Request) -> Result<Box<dyn Plan>, Failure> {
        let request = request.steps(self.steps).calibration(self.calibration).numerics(self.accept);
        if self.tangent && request.statistic().manifold().flat_chart().is_none() {
            let sentence = "mechanism=\"tangent-gaussian\" is the name of \"gaussian\" on flat spaces; here \"chart\" adds noise in one \
                 tangent space";
            return Err(Failure::Sentence(sentence.to_owned()));
        }
        let is_median = matches!(request.statistic(), Statistic::GeometricMedian(_));
        Ok(match self.mechanism {
            // there is one mechanism, so that auto has steps too
            None if is_median => request.plan_by(MechanismName::MedianFlow)?,
            None => request.plan()?,
            Some(name) => request.plan_by(name)?,
        })
    }
}

/// Which proofs a mechanism that nobody named may rest on, by name.
pub fn accept(name: &str) -> Result<NumericsPolicy, Failure> {
    NumericsPolicy::named(name)
        .ok_or_else(|| Failure::Sentence(format!("numerics is \"{name}\": it must be \"exact\" or \"any\"")))
}

/// What becomes of noise on vectors, by name.
pub fn denoise(name: Option<&str>) -> Result<Option<Denoise>, Failure> {
    let known = |name| {
        Denoise::named(name)
            .ok_or_else(|| Failure::Sentence(format!("denoise is \"{name}\": it must be \"shrink\", \"none\" or None")))
    };
    name.map(known).transpose()
}
