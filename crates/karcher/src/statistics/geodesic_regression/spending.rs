//! A budget that is spent in parts, as Laplace or as Gaussian noise on vectors.

use crate::error::Result;
use crate::noise::Law;
use crate::privacy::{
    Definition, Guarantee, flat_laplace_epsilon_for_rho, flat_laplace_scale, mu_for, pure_epsilon_for,
    pure_epsilon_for_rho,
};
use crate::statistics::frechet_mean::laplace::WORTH_DELTA;

/// Rounds a converted budget down.
const DOWN: f64 = 1.0 - 4.0 * f64::EPSILON;

/// A kind of noise, and its parameter for the whole budget: `ε` for Laplace noise, of density `∝ exp(−‖z‖/σ)`, `μ` for
/// Gaussian noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spending {
    pub(super) law: Law,
    total: f64,
}

impl Spending {
    /// The ways to spend a budget. Parts of `ε` add up, and so do squares of parts of `μ` (user guide, P3). Pure `ε`
    /// implies (ε, δ), and μ-GDP and ρ-zCDP for the `ε` of user guide, P2. `μ = √(2ρ)` implies ρ-zCDP.
    pub(super) fn ways(budget: Guarantee) -> Result<Vec<Self>> {
        let laplace = |total| Self { law: Law::Laplace, total };
        let gaussian = |total| Self { law: Law::Gaussian, total };
        Ok(match budget.definition() {
            Definition::Pure { epsilon } => vec![laplace(epsilon)],
            Definition::Approximate { epsilon, delta } => vec![laplace(epsilon), gaussian(mu_for(epsilon, delta)?)],
            Definition::Gaussian { mu } => vec![laplace(pure_epsilon_for(mu)?), gaussian(mu)],
            Definition::Concentrated { rho } => {
                vec![laplace(pure_epsilon_for_rho(rho)?), gaussian((2.0 * rho).min(f64::MAX).sqrt() * DOWN)]
            }
        })
    }

    /// The ways to spend a budget on one vector of `dim` numbers: Laplace noise may use `δ` (user guide, N1), and has a
    /// `ρ` of its own (user guide, N3).
    pub(super) fn ways_of_one(budget: Guarantee, dim: usize) -> Result<Vec<Self>> {
        let mut ways = Self::ways(budget)?;
        // the first way is Laplace noise
        match budget.definition() {
            Definition::Approximate { epsilon, delta } => {
                let scale = flat_laplace_scale(dim, 1.0, epsilon, delta)?;
                if scale * epsilon <= WORTH_DELTA {
                    ways[0].total = 1.0 / scale * DOWN;
                }
            }
            Definition::Concentrated { rho } => ways[0].total = flat_laplace_epsilon_for_rho(dim, rho)?,
            Definition::Pure { .. } | Definition::Gaussian { .. } => {}
        }
        Ok(ways)
    }

    /// The guarantee of a budget spent so on one vector: pure `ε` where Laplace noise does not use `δ`.
    pub(super) fn kept(&self, budget: Guarantee) -> Result<Guarantee> {
        match budget.definition() {
            Definition::Approximate { epsilon, .. } if self.law == Law::Laplace && self.total <= epsilon => {
                Ok(Guarantee::pure(epsilon)?)
            }
            Definition::Pure { .. }
            | Definition::Approximate { .. }
            | Definition::Gaussian { .. }
            | Definition::Concentrated { .. } => Ok(budget),
        }
    }

    /// The scale `σ` of noise on a vector of a sensitivity, with a fraction of the budget. Fractions add up to 1.
    pub(super) fn scale(&self, sensitivity: f64, share: f64) -> f64 {
        match self.law {
            Law::Laplace => sensitivity / (self.total * share * DOWN),
            Law::Gaussian => sensitivity / (self.total * share.sqrt() * DOWN),
        }
    }

    /// Standard deviation of each of the coordinates of noise in `R^dim`: `σ√(dim + 1)` or `σ`.
    pub(super) fn deviation(&self, scale: f64, dim: usize) -> f64 {
        match self.law {
            Law::Laplace => scale * (dim as f64 + 1.0).sqrt(),
            Law::Gaussian => scale,
        }
    }
}
