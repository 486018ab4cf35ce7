//! The Riemannian Gaussian mechanism (user guide, M2 and M3; Jiang et al. 2023; Utpala, Vepakomma and Miolane 2023).

use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::mechanism::noise::is_curved;
use crate::mechanism::{Mechanism, Noise, NoisyMean, Plan, PrivateFrechetMean, Request, is_curved_mean};
use crate::noise::Law;
use crate::privacy::{Definition, GaussianCalibration, Guarantee, curved_gaussian_scale, gaussian_scale};
use crate::release::MechanismName;
use crate::statistics::frechet_mean::add_remove::AddRemoveMean;
use std::sync::Arc;

/// `gaussian`: noise around the mean with the density of a bell curve.
#[derive(Debug)]
pub struct Gaussian;

impl Mechanism for Gaussian {
    fn name(&self) -> MechanismName {
        MechanismName::Gaussian
    }

    fn about(&self) -> &'static str {
        "Noise whose density falls like a bell curve, on flat spaces, spheres and hyperbolic spaces: (ε, δ), μ or ρ, \
         on spheres also pure ε"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["bound", "tolerance", "assume_in_ball", "denoise", "calibration"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        if let Some(plan) = request.by_law(Law::Gaussian)? {
            return Ok(plan);
        }
        let mean: &PrivateFrechetMean = request.asked(self.name())?;
        mean.check_denoising(self.name())?;
        if request.asked_calibration().is_some() && mean.manifold().flat_chart().is_none() {
            let takers = "gaussian on flat spaces".to_owned();
            let mechanism = format!("gaussian on {}", mean.manifold().space());
            return Err(Error::Inapplicable { parameter: "calibration", mechanism, takers });
        }
        let calibration = request.asked_calibration().unwrap_or(GaussianCalibration::Analytic);
        let sensitivity = request.sensitivity()?;
        let noise = Noise::gaussian(Arc::clone(mean.manifold()), sensitivity.value(), request.budget(), calibration)?;
        Ok(Box::new(NoisyMean::called(self.name(), mean.clone(), request.n(), noise, sensitivity)))
    }

    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        if let Some(plan) = request.by_law(Law::Gaussian)? {
            return Ok(plan);
        }
        Ok(Box::new(AddRemoveMean::gaussian(request)?))
    }

    fn is_idealized(&self, request: &Request) -> bool {
        is_curved_mean(request)
    }
}

impl Noise {
    /// Gaussian noise, of density `∝ exp(−ρ²(·, f)/2σ²)`, for a statistic of sensitivity `Δ`, on spaces of constant
    /// curvature.
    ///
    /// On spaces isometric to `R^d` this is `N(0, σ²I)` in flat coordinates, on SPD matrices with the log-Euclidean
    /// metric the tangent Gaussian `Expm(Logm f + noise)`: `σ = Δ/μ` for μ-GDP, `σ = Δ/√(2ρ)` for ρ-zCDP, and one of
    /// two calibrations for (ε, δ). On spheres and hyperbolic space `σ` is the smallest that keeps the guarantee, from
    /// the exact privacy profile ([`curved_gaussian_scale`]).
    ///
    /// # Errors
    /// [`Error::Unsupported`] where no model of constant curvature describes the space, and for the classical
    /// calibration of anything except (ε, δ) on a flat space. Also [`Error::InvalidParameter`] for pure ε, which a
    /// Gaussian gives on spheres only, and for the classical calibration with `ε ≥ 1`.
    ///
    /// ```
    /// use karcher::manifold::{Euclidean, SpdAffineInvariant};
    /// use karcher::{mechanism::Noise, privacy::{GaussianCalibration, Guarantee}};
    /// use std::sync::Arc;
    /// let (budget, calibration) = (Guarantee::gaussian(2.0)?, GaussianCalibration::Analytic);
    /// let noise = Noise::gaussian(Arc::new(Euclidean::new(2)?), 0.5, budget, calibration)?;
    /// assert!((noise.scale() - 0.25).abs() < 1e-15); // Δ/μ
    /// assert!(Noise::gaussian(Arc::new(SpdAffineInvariant::new(2)?), 0.5, budget, calibration).is_err());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn gaussian(
        manifold: Arc<dyn Manifold>,
        sensitivity: f64,
        guarantee: Guarantee,
        calibration: GaussianCalibration,
    ) -> Result<Self> {
        let is_approximate = matches!(guarantee.definition(), Definition::Approximate { .. });
        if calibration == GaussianCalibration::Classical && !(is_approximate && manifold.flat_chart().is_some()) {
            let reason =
                "the classical calibration is a formula for (epsilon, delta) on flat spaces; leave it out".to_owned();
            let space = manifold.space().clone();
            return Err(Error::Unsupported { mechanism: "classical gaussian", space, reason });
        }
        let scale = match manifold.flat_chart() {
            Some(_) => gaussian_scale(sensitivity, &guarantee, calibration)?,
            None => curved_gaussian_scale(&*manifold, sensitivity, &guarantee)?,
        };
        // on spheres pure privacy is a formula
        let integrated = is_curved(&*manifold)? && !matches!(guarantee.definition(), Definition::Pure { .. });
        Self::new(manifold, Law::Gaussian, scale, sensitivity, guarantee, integrated)
    }
}
