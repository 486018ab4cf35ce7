//! Approximate draws from the K-norm gradient law by a Markov chain, where no exact draw is practical (user guide, E4).

use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::Rehearsal;
use crate::noise::Generator;
use crate::sampler::{Isotropic, ManifoldWalk, Metropolis, diagnostics};
use std::sync::Arc;

/// Chains of the rehearsal.
pub(super) const CHAINS: usize = 4;

/// Steps of a chain before its state is released: at least so many, and so many per dimension.
const LEAST_STEPS: usize = 20_000;
const STEPS_PER_DIMENSION: usize = 1_500;

/// The sampler for one space, radius and scale.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    pub(super) manifold: Arc<dyn Manifold>,
    pub(super) radius: f64,
    pub(super) scale: f64,
}

impl Chain {
    /// Steps before the chain's state is released: public.
    pub(super) fn steps(&self) -> usize {
        LEAST_STEPS.max(STEPS_PER_DIMENSION * self.manifold.dim())
    }

    /// The density `exp(−‖∇F‖/σ)` on the ball around `center`.
    fn walk<'b, F: Fn(&[f64]) -> f64 + Sync>(
        &'b self,
        center: &'b [f64],
        gradient: F,
    ) -> Result<ManifoldWalk<'b, impl Fn(&[f64]) -> f64 + Sync>> {
        let log_density = move |x: &[f64]| {
            if self.manifold.dist(center, x) <= self.radius { -gradient(x) / self.scale } else { f64::NEG_INFINITY }
        };
        ManifoldWalk::new(&*self.manifold, self.scale.min(self.radius), log_density)
    }

    /// The state of a chain that starts at the ball's center. `progress` receives the number of steps taken since its
    /// last call.
    pub(super) fn sample(
        &self,
        center: &[f64],
        gradient: impl Fn(&[f64]) -> f64 + Sync,
        generator: &mut Generator,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Vec<f64>> {
        let walk = self.walk(center, gradient)?;
        let chains = Metropolis::new(self.steps() - 1, 1).sample_with_progress(
            &walk,
            &[center.to_vec()],
            generator,
            progress,
        )?;
        Ok(chains.last().to_vec())
    }

    /// Chains from points scattered over the ball; `gradient` is that of made-up records with this mean.
    pub(super) fn rehearse(
        &self,
        center: &[f64],
        mean: &[f64],
        gradient: impl Fn(&[f64]) -> f64 + Sync,
        generator: &mut Generator,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Rehearsal> {
        let scatter = Isotropic::laplace_within(Arc::clone(&self.manifold), self.radius, 0.9 * self.radius)?;
        let mut starts = vec![center.to_vec(); CHAINS];
        for start in &mut starts {
            scatter.sample(center, generator, start)?;
        }
        let walk = self.walk(center, gradient)?;
        let chains =
            Metropolis::new(self.steps(), self.steps()).sample_with_progress(&walk, &starts, generator, progress)?;
        let distances = chains.scalars(|x| self.manifold.dist(mean, x));
        Ok(Rehearsal {
            chains: CHAINS,
            steps: self.steps(),
            r_hat: diagnostics::r_hat(&distances),
            ess_bulk: diagnostics::ess_bulk(&distances),
            ess_tail: diagnostics::ess_tail(&distances),
        })
    }
}
