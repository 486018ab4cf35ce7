//! The choice of a mechanism for the mean, shared by the commands that run one.

use crate::Failure;
use crate::count;
use crate::options::{Calibration, check_tangent_gaussian};
use clap::ValueEnum;
use karcher::Manifold;
use karcher::mechanism::{KNormGradient, KarcherFlow, Prepared, PrivateFrechetMean, auto, gaussian, laplace_for};
use karcher::privacy::Guarantee;
use karcher::sensitivity::Bound;

/// A mechanism and what belongs to it.
#[derive(clap::Args, Debug)]
pub struct Choice {
    /// The mechanism. auto takes the one with the smallest expected error that keeps the budget.
    #[arg(long, default_value = "auto")]
    pub mechanism: Mechanism,
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mechanism {
    /// The one with the smallest expected error that keeps the budget.
    Auto,
    /// Noise whose density falls exponentially with the distance, on every space; for pure ε the natural choice.
    Laplace,
    /// Noise whose density falls like a bell curve, on flat spaces, spheres and hyperbolic spaces: (ε, δ), μ or ρ, on
    /// spheres also pure ε.
    Gaussian,
    /// The same as gaussian on flat spaces, under the name it has for SPD matrices.
    TangentGaussian,
    /// The K-norm gradient mechanism (points where the sum of squared distances has a small gradient are likely): pure
    /// ε, on every space.
    Kng,
    /// A few noisy steps from the center of the ball towards the mean, on every space: (ε, δ), μ or ρ.
    KarcherFlow,
}

impl Choice {
    /// The chosen mechanism, calibrated. Everything it depends on is public.
    pub fn prepare<'a>(
        &self,
        manifold: &'a dyn Manifold,
        mean: &PrivateFrechetMean<'a>,
        n: usize,
        budget: Guarantee,
    ) -> Result<Prepared<'a>, Failure> {
        let gaussian_asked = matches!(self.mechanism, Mechanism::Gaussian | Mechanism::TangentGaussian);
        if self.calibration == Calibration::Classical && !(gaussian_asked && manifold.flat_chart().is_some()) {
            return Err("--calibration classical belongs to --mechanism gaussian on flat spaces".into());
        }
        if self.mechanism == Mechanism::TangentGaussian {
            check_tangent_gaussian(manifold)?;
        }
        if self.bound.is_some() && matches!(self.mechanism, Mechanism::Kng | Mechanism::KarcherFlow) {
            return Err("--bound: this mechanism needs no bound of the mean's sensitivity; leave it out".into());
        }
        if self.steps.is_some() && self.mechanism != Mechanism::KarcherFlow {
            return Err("--steps belongs to --mechanism karcher-flow".into());
        }
        let sensitivity = || mean.sensitivity(n).map(|s| s.value());
        Ok(match self.mechanism {
            Mechanism::Auto => auto(manifold, mean, n, budget)?,
            Mechanism::Laplace => Prepared::Noise(laplace_for(manifold, sensitivity()?, budget)?),
            Mechanism::Gaussian | Mechanism::TangentGaussian => {
                Prepared::Noise(gaussian(manifold, sensitivity()?, budget, self.calibration.into())?)
            }
            Mechanism::Kng => Prepared::KNormGradient(KNormGradient::new(mean, n, budget)?),
            Mechanism::KarcherFlow => Prepared::KarcherFlow(match self.steps {
                Some(steps) => KarcherFlow::with_steps(manifold, mean.ball().clone(), n, budget, steps)?,
                None => KarcherFlow::new(manifold, mean.ball().clone(), n, budget)?,
            }),
        })
    }
}
