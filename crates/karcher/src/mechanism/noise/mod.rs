//! Noise of a fixed law and scale, with its guarantee: all that a mechanism decides before it reads a record.

pub(crate) mod cumulative;
pub(crate) mod denoise;
pub(crate) mod exact;
pub(crate) mod matrix_noise;
pub(crate) mod number;
pub(crate) mod published;
pub(crate) mod sum_and_count;
pub(crate) mod sum_noise;

use crate::error::Result;
use crate::manifold::Euclidean;
use crate::manifold::Manifold;
use crate::noise::Law;
use crate::privacy::ConstantCurvature;
use crate::privacy::Definition;
use crate::privacy::GaussianCalibration;
use crate::privacy::{Guarantee, curved_gaussian_guarantee, laplace_guarantee};
use crate::sampler::{DistanceLaw, Isotropic};
use std::sync::Arc;

/// Calibrated noise. Depends on public quantities alone, so it may be compared, printed and planned with.
///
/// [`Noise::laplace`] and [`Noise::gaussian`] keep a budget; [`Noise::of_scale`] returns the guarantee of a scale.
///
/// ```
/// use karcher::{manifold::Euclidean, mechanism::Noise, privacy::Guarantee};
/// use std::sync::Arc;
/// let noise = Noise::laplace(Arc::new(Euclidean::new(3)?), 0.01, Guarantee::pure(0.5)?)?;
/// assert!((noise.expected_distance() - 3.0 * noise.scale()).abs() < 1e-9); // d·σ
/// assert_eq!((noise.sensitivity(), noise.guarantee()), (0.01, Guarantee::pure(0.5)?));
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Noise {
    pub(crate) isotropic: Isotropic,
    pub(crate) manifold: Arc<dyn Manifold>,
    law: Law,
    sensitivity: f64,
    guarantee: Guarantee,
    distance: DistanceLaw,
    /// Whether the scale, or the guarantee, comes from integrals with estimated errors.
    pub(crate) integrated: bool,
}

impl Noise {
    pub(crate) fn new(
        manifold: Arc<dyn Manifold>,
        law: Law,
        scale: f64,
        sensitivity: f64,
        guarantee: Guarantee,
        integrated: bool,
    ) -> Result<Self> {
        let isotropic = Isotropic::new(Arc::clone(&manifold), law, scale)?;
        let distance = isotropic.distance()?;
        Ok(Self { isotropic, manifold, law, sensitivity, guarantee, distance, integrated })
    }

    /// Noise of a given scale `σ`, with its guarantee for a statistic of sensitivity `Δ`. Laplace noise gives pure
    /// `Δ/σ`. Gaussian noise gives the μ-GDP of its privacy profile: `Δ/σ` on flat spaces, less on spheres, more on
    /// hyperbolic space.
    ///
    /// # Errors
    /// As for [`laplace`](Noise::laplace) and [`gaussian`](Noise::gaussian).
    ///
    /// ```
    /// use karcher::{manifold::Euclidean, mechanism::Noise, privacy::Guarantee, sampler::Law};
    /// use std::sync::Arc;
    /// let plane = Arc::new(Euclidean::new(2)?);
    /// let guarantee = |law| Noise::of_scale(plane.clone(), law, 0.25, 0.5).map(|noise| noise.guarantee());
    /// assert_eq!(guarantee(Law::Laplace)?, Guarantee::pure(0.5)?);
    /// assert_eq!(guarantee(Law::Gaussian)?, Guarantee::gaussian(0.5)?);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn of_scale(manifold: Arc<dyn Manifold>, law: Law, sensitivity: f64, scale: f64) -> Result<Self> {
        let (guarantee, integrated) = match law {
            Law::Laplace => (laplace_guarantee(sensitivity, scale)?, false),
            Law::Gaussian => {
                let guarantee = curved_gaussian_guarantee(&*manifold, sensitivity, scale)?;
                (guarantee, crate::mechanism::noise::is_curved(&*manifold)?)
            }
        };
        Self::new(manifold, law, scale, sensitivity, guarantee, integrated)
    }

    /// The law.
    pub fn law(&self) -> Law {
        self.law
    }

    /// The scale `σ`, in units of distance.
    pub fn scale(&self) -> f64 {
        self.isotropic.scale()
    }

    /// The sensitivity it is calibrated to.
    pub fn sensitivity(&self) -> f64 {
        self.sensitivity
    }

    /// Its guarantee.
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

/// Whether the privacy profile of the Gaussian law is one of integrals.
pub(crate) fn is_curved(manifold: &dyn Manifold) -> Result<bool> {
    Ok(manifold.flat_chart().is_none() && ConstantCurvature::of(manifold, Law::Gaussian)?.curvature() != 0.0)
}

/// Flat noise for a budget, of the law that makes it shorter. Its guarantee is the budget, or pure `ε` where it does
/// not use `δ`. No scale comes from an integral with an estimated error.
pub(crate) fn shortest(dim: usize, sensitivity: f64, budget: Guarantee) -> Result<Noise> {
    let space: Arc<dyn Manifold> = Arc::new(Euclidean::new(dim)?);
    let gaussian = Noise::gaussian(Arc::clone(&space), sensitivity, budget, GaussianCalibration::Analytic);
    if let Definition::Gaussian { .. } = budget.definition() {
        return gaussian; // it is longer only for budgets that hide nothing
    }
    let laplace = Noise::laplace(space, sensitivity, budget)?;
    // a Gaussian is unavailable for pure ε, and for a δ so small that its scale overflows
    let shorter = gaussian.ok().filter(|gaussian| gaussian.expected_distance() < laplace.expected_distance());
    Ok(shorter.unwrap_or(laplace))
}
