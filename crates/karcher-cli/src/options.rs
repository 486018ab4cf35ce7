//! Options that several commands share.

use crate::Failure;
use crate::failure::say;
use clap::{Args, ValueEnum};
use karcher::ReleaseSpec;
use karcher::manifold::FAMILIES;
use karcher::privacy::{GaussianCalibration, Guarantee};
use karcher::spec::{Denoise, NumericsPolicy};

/// The privacy budget: one of pure ε, (ε, δ), μ-GDP, ρ-zCDP.
#[derive(Args, Debug)]
#[command(next_help_heading = "Privacy budget")]
#[group(id = "budget")]
pub struct Budget {
    /// Privacy budget ε, for example 1; smaller is more private. Alone it means pure differential privacy, with --delta
    /// (ε, δ).
    #[arg(long, value_name = "E", value_parser = number)]
    pub epsilon: Option<f64>,
    /// Parameter δ of (ε, δ): far below one over the number of people, for example 1e-6.
    #[arg(long, value_name = "D", conflicts_with_all = ["mu", "rho"], value_parser = number)]
    pub delta: Option<f64>,
    /// Budget μ of Gaussian differential privacy, for example 0.5. Distinguishing data sets that differ in one record
    /// is then as hard as distinguishing N(0,1) from N(μ,1) by one draw.
    #[arg(long, value_name = "U", conflicts_with = "epsilon", value_parser = number)]
    pub mu: Option<f64>,
    /// Budget ρ of zero-concentrated differential privacy, for example 0.1.
    #[arg(long, value_name = "P", conflicts_with_all = ["epsilon", "mu"], value_parser = number)]
    pub rho: Option<f64>,
}

/// The help of `--manifold` for commands that read records.
pub fn space_help() -> String {
    let families = FAMILIES.iter().map(|family| format!("{}:{} ({})", family.name, family.size, family.about));
    let families = families.collect::<Vec<_>>().join(", ");
    format!(
        "Space of the records: {families}; or a power of one, such as sphere:2^5, or a product of them, such as \
         sphere:2*euclidean:1"
    )
}

/// A number as users type it.
pub fn number(text: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| "expected a number".to_owned())
}

impl Budget {
    /// Whether there is a budget; a δ alone is none.
    pub fn is_given(&self) -> bool {
        self.epsilon.is_some() || self.mu.is_some() || self.rho.is_some()
    }

    /// The budget as a guarantee.
    pub fn guarantee(&self) -> Result<Guarantee, Failure> {
        Ok(ReleaseSpec::budget_of(self.epsilon, self.delta, self.mu, self.rho)?)
    }
}

/// Warns, before anything is spent, that a budget protects hardly anyone. `n` is public.
pub fn warn_if_weak(budget: Guarantee, n: usize) {
    budget.caveats(n).iter().for_each(|caveat| say(&format!("warning: {caveat}")));
}

/// How Gaussian noise is calibrated to (ε, δ).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Calibration {
    /// The smallest sufficient noise, for every ε and δ.
    Analytic,
    /// The textbook formula, for ε below 1 only.
    Classical,
}

/// The kind of proof that a mechanism needs unless it is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Numerics {
    /// A proof for the exact output bits.
    Exact,
    /// Also a proof for real numbers, with noise that is drawn in floating point.
    Any,
}

impl From<Numerics> for NumericsPolicy {
    fn from(numerics: Numerics) -> Self {
        match numerics {
            Numerics::Exact => NumericsPolicy::Exact,
            Numerics::Any => NumericsPolicy::Any,
        }
    }
}

/// What a command releases of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Center {
    /// The Fréchet mean: the point with the smallest sum of squared distances to the records.
    Mean,
    /// The geometric median: the point with the smallest sum of distances to the records. A minority of wild records
    /// hardly moves it, and the ball may be of any size.
    Median,
}

/// Treatment of noise on a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Denoising {
    /// The noisy value is shrunk towards the center and into the ball, which is free.
    Shrink,
    /// The noisy value is released.
    None,
}

impl From<Denoising> for Denoise {
    fn from(denoising: Denoising) -> Self {
        match denoising {
            Denoising::Shrink => Denoise::Shrink,
            Denoising::None => Denoise::None,
        }
    }
}

impl From<Calibration> for GaussianCalibration {
    fn from(calibration: Calibration) -> Self {
        match calibration {
            Calibration::Analytic => GaussianCalibration::Analytic,
            Calibration::Classical => GaussianCalibration::Classical,
        }
    }
}
