//! Options that several commands share.

use crate::Failure;
use clap::{Args, ValueEnum};
use karcher::Manifold;
use karcher::privacy::{GaussianCalibration, Guarantee};

/// The privacy budget: one of pure ε, (ε, δ), μ-GDP, ρ-zCDP.
#[derive(Args, Debug)]
#[group(id = "budget")]
pub struct Budget {
    /// Privacy budget ε: smaller is more private. Alone it asks for pure differential privacy, with --delta for (ε, δ).
    #[arg(long, value_name = "E")]
    pub epsilon: Option<f64>,
    /// The δ of (ε, δ): far below one over the number of people, for example 1e-6.
    #[arg(long, value_name = "D", requires = "epsilon")]
    pub delta: Option<f64>,
    /// Gaussian differential privacy: telling two neighbouring data sets apart is as hard as telling N(0,1) from N(μ,1).
    #[arg(long, value_name = "U", conflicts_with = "epsilon")]
    pub mu: Option<f64>,
    /// Zero-concentrated differential privacy.
    #[arg(long, value_name = "P", conflicts_with_all = ["epsilon", "mu"])]
    pub rho: Option<f64>,
}

/// What to say when no budget was given.
pub const NO_BUDGET: &str = "no privacy budget: give --epsilon, --epsilon with --delta, --mu or --rho";

impl Budget {
    /// The budget as a guarantee, if one was given.
    pub fn guarantee(&self) -> Result<Option<Guarantee>, Failure> {
        Ok(match (self.epsilon, self.delta, self.mu, self.rho) {
            (Some(epsilon), None, _, _) => Some(Guarantee::pure(epsilon)?),
            (Some(epsilon), Some(delta), _, _) => Some(Guarantee::approximate(epsilon, delta)?),
            (_, _, Some(mu), _) => Some(Guarantee::gaussian(mu)?),
            (_, _, _, Some(rho)) => Some(Guarantee::concentrated(rho)?),
            _ => None,
        })
    }
}

/// How Gaussian noise is calibrated to (ε, δ).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Calibration {
    /// The smallest noise that will do, for every ε and δ.
    Analytic,
    /// The textbook formula, for ε below 1 only.
    Classical,
}

/// Refuses the name `tangent-gaussian` where there is no one tangent space to add noise in.
pub fn check_tangent_gaussian(manifold: &dyn Manifold) -> Result<(), Failure> {
    if manifold.flat_chart().is_some() {
        return Ok(());
    }
    let space = manifold.space();
    Err(format!("--mechanism tangent-gaussian is the name of gaussian on flat spaces; on {space} say gaussian").into())
}

impl From<Calibration> for GaussianCalibration {
    fn from(calibration: Calibration) -> Self {
        match calibration {
            Calibration::Analytic => GaussianCalibration::Analytic,
            Calibration::Classical => GaussianCalibration::Classical,
        }
    }
}
