//! Stand-in.
use crate::error::Result;
use crate::sampler::{Generator, Law};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Stand-in.
#[derive(Debug, Clone, Copy)]
pub struct VectorNoise {
    law: Law,
    sigma: f64,
}

impl VectorNoise {
    /// Stand-in.
    pub fn new(law: Law, sigma: f64) -> Result<Self> {
        Ok(Self { law, sigma })
    }
    /// Stand-in.
    pub fn added_to(&self, sum: &[i128], generator: &mut Generator) -> Vec<f64> {
        let mut noise = vec![0.0; sum.len()];
        let space = std::sync::Arc::new(crate::manifold::Euclidean::new(sum.len()).unwrap());
        crate::sampler::Isotropic::new(space, self.law, self.sigma).unwrap().add_flat_noise(&mut noise, generator);
        let _: f64 = generator.sample(StandardNormal);
        sum.iter().zip(noise).map(|(s, n)| *s as f64 + n.round()).collect()
    }
}
