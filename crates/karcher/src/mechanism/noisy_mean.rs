//! The mean with noise around it, whatever the noise: what the Laplace and Gaussian mechanisms plan.

use super::{Neighbour, Noise, Outline, Plan, PrivateFrechetMean};
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::points::check_space;
use crate::records::Records;
use crate::release::{Door, Flag, MechanismName, Release, StatisticName};
use crate::sampler::Law;
use crate::sensitivity::Sensitivity;

/// The Fréchet mean of `n` records with calibrated noise around it.
#[derive(Debug, Clone)]
pub struct NoisyMean {
    mean: PrivateFrechetMean,
    noise: Noise,
    outline: Outline,
}

impl NoisyMean {
    /// The mean of `n` records with noise that was calibrated elsewhere.
    ///
    /// # Errors
    /// [`Error::SpaceMismatch`] for noise of another space, [`Error::InvalidParameter`] for noise that was calibrated
    /// to a smaller sensitivity than the mean has.
    pub fn new(mean: PrivateFrechetMean, n: usize, noise: Noise) -> Result<Self> {
        let sensitivity = mean.sensitivity(n)?;
        check_space("noise", mean.manifold().space(), noise.manifold.space())?;
        if noise.sensitivity() < sensitivity.value() {
            let requirement = format!("the noise must be calibrated to at least {}", sensitivity.value());
            return Err(Error::InvalidParameter { name: "sensitivity", value: noise.sensitivity(), requirement });
        }
        let mechanism = match noise.law() {
            Law::Laplace => MechanismName::Laplace,
            Law::Gaussian => MechanismName::Gaussian,
        };
        Ok(Self::called(mechanism, mean, n, noise, sensitivity))
    }

    /// The same under the name of a mechanism that comes to such noise.
    pub(super) fn called(
        mechanism: MechanismName,
        mean: PrivateFrechetMean,
        n: usize,
        noise: Noise,
        sensitivity: Sensitivity,
    ) -> Self {
        let mut flags: Vec<Flag> = mean.rounding_allowance().into_iter().collect();
        flags.extend(noise.integrated.then_some(Flag::EstimatedIntegrals));
        let described = Outline::new(
            mechanism,
            (StatisticName::FrechetMean, mean.manifold(), mean.ball()),
            n,
            noise.guarantee(),
            noise.scale(),
            sensitivity.into(),
            noise.expected_distance(),
        );
        let outline = Outline { distance: Some(noise.distance().clone()), flags, ..described };
        Self { mean, noise, outline }
    }
}

impl Plan for NoisyMean {
    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn run_with_progress(&self, records: &dyn Records, door: &mut Door, _: &(dyn Fn(usize) + Sync)) -> Result<Release> {
        self.outline.check_count(records)?;
        let mean = self.mean.summarize(records)?.value;
        let mut draw = mean.clone();
        if self.mean.manifold().flat_chart().is_some() {
            self.noise.isotropic.add_flat_noise(&mut draw, door.generator());
        } else {
            self.noise.isotropic.sample(&mean, door.generator(), &mut draw)?;
        }
        Ok(self.mean.publish(&draw, &self.outline, door))
    }

    fn fall(&self, from: Neighbour<'_>, x: &[f64]) -> f64 {
        let distance = self.mean.manifold().dist(from.mean, x);
        match self.noise.law() {
            Law::Laplace => distance,
            Law::Gaussian => distance.powi(2),
        }
    }
}
