//! Noise of a fixed law and scale, with what it guarantees: everything a mechanism decides before it sees a record.

use crate::error::Result;
use crate::manifold::Manifold;
use crate::privacy::Guarantee;
use crate::sampler::{DistanceLaw, Isotropic, Law};

/// Calibrated noise. Depends on public quantities alone, so it may be compared, printed and planned with.
#[derive(Debug, Clone)]
pub struct Noise<'a> {
    pub(super) isotropic: Isotropic<'a>,
    pub(super) manifold: &'a dyn Manifold,
    pub(super) mechanism: &'static str,
    pub(super) sensitivity: f64,
    pub(super) guarantee: Guarantee,
    distance: DistanceLaw,
    /// Whether the scale, or the guarantee, comes from integrals with estimated errors.
    pub(super) integrated: bool,
}

impl<'a> Noise<'a> {
    pub(super) fn new(
        manifold: &'a dyn Manifold,
        mechanism: &'static str,
        law: Law,
        scale: f64,
        sensitivity: f64,
        guarantee: Guarantee,
    ) -> Result<Self> {
        let isotropic = Isotropic::new(manifold, law, scale)?;
        let distance = isotropic.distance()?;
        Ok(Self { isotropic, manifold, mechanism, sensitivity, guarantee, distance, integrated: false })
    }

    /// The same noise, which has its scale from integrals with estimated errors, or has not.
    pub(super) fn with_integrals(self, integrated: bool) -> Self {
        Self { integrated, ..self }
    }

    /// The mechanism's name.
    pub fn mechanism(&self) -> &'static str {
        self.mechanism
    }

    /// The scale `σ`, in units of distance.
    pub fn scale(&self) -> f64 {
        self.isotropic.scale()
    }

    /// The sensitivity it is calibrated to.
    pub fn sensitivity(&self) -> f64 {
        self.sensitivity
    }

    /// What it guarantees.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// The law of the distance between the released value and the true one.
    pub fn distance(&self) -> &DistanceLaw {
        &self.distance
    }

    /// The mean of [`distance`](Noise::distance).
    pub fn expected_distance(&self) -> f64 {
        self.distance.mean()
    }
}
