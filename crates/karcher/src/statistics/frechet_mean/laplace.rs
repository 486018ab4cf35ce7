//! The Riemannian Laplace mechanism (user guide, M1; Reimherr, Bharath and Soto 2021, Theorem 1).

use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::noise::sum_and_count::Choice;
use crate::mechanism::{Mechanism, Noise, NoisyMean, Plan, PrivateFrechetMean, Request, is_curved_mean};
use crate::noise::Law;
use crate::privacy::rounding::sqrt_down;
use crate::privacy::{
    ConstantCurvature, Definition, Guarantee, flat_laplace_epsilon_for_rho, flat_laplace_scale, laplace_scale,
    pure_epsilon_for, pure_epsilon_for_rho,
};
use crate::release::MechanismName;
use crate::statistics::frechet_mean::add_remove::AddRemoveMean;
use std::sync::Arc;

/// `laplace`: noise around the mean whose density decreases exponentially with the distance.
#[derive(Debug)]
pub struct Laplace;

impl Mechanism for Laplace {
    fn name(&self) -> MechanismName {
        MechanismName::Laplace
    }

    fn about(&self) -> &'static str {
        "Noise whose density falls exponentially with the distance, on spaces whose cut distance is constant or \
         infinite; the natural choice for pure ε, and on flat spaces for (ε, δ)"
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["bound", "tolerance", "assume_in_ball", "denoise"]
    }

    fn plan(&self, request: &Request) -> Result<Box<dyn Plan>> {
        if let Some(plan) = request.by_law(Law::Laplace)? {
            return Ok(plan);
        }
        let mean: &PrivateFrechetMean = request.asked(self.name())?;
        mean.check_denoising(self.name())?;
        let sensitivity = request.sensitivity()?;
        let noise = Noise::laplace(Arc::clone(mean.manifold()), sensitivity.value(), request.budget())?;
        Ok(Box::new(NoisyMean::called(self.name(), mean.clone(), request.n(), noise, sensitivity)))
    }

    fn plan_add_remove(&self, request: &Request) -> Result<Box<dyn Plan>> {
        if let Some(plan) = request.by_law(Law::Laplace)? {
            return Ok(plan);
        }
        Ok(Box::new(AddRemoveMean::new(self.name(), request, Choice::Laplace)?))
    }

    fn is_idealized(&self, request: &Request) -> bool {
        is_curved_mean(request)
    }
}

/// Pure ε is given up for a scale that is smaller by this factor.
pub(crate) const WORTH_DELTA: f64 = 0.99;

impl Noise {
    /// Laplace noise, of density `∝ exp(−ρ(·, f)/σ)`, for any budget and a statistic of sensitivity `Δ`.
    ///
    /// * ε: `σ = Δ/ε`. `|ρ(y,f) − ρ(y,f′)| ≤ ρ(f,f′) ≤ Δ`, and the normalising constant does not depend on `f` because
    ///   the space is homogeneous and the support is all of it; so no factor 2.
    /// * (ε, δ): on flat spaces the smallest scale that is (ε, δ) (user guide, N1), if it is smaller by 1 % at least.
    ///   Otherwise the scale for ε, and the guarantee is pure.
    /// * μ-GDP: on spaces of constant curvature the smallest scale, to a relative 1e-9, whose privacy profile is μ-GDP
    ///   (user guide, G2). Otherwise the largest `ε` that implies it (user guide, P2).
    /// * ρ-zCDP: on flat spaces the smallest scale that is ρ-zCDP (user guide, N3). Otherwise the largest `ε` that
    ///   implies
    ///   it (user guide, P2), or `μ = √(2ρ)` if that needs less noise.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a bad `Δ`.
    /// [`Error::NotIntegrable`](crate::Error::NotIntegrable) when the scale is too large for a space whose volume grows
    /// exponentially. [`Error::Unsupported`](crate::Error::Unsupported) where no exact draw is known.
    ///
    /// ```
    /// use karcher::{manifold::Sphere, mechanism::Noise, privacy::Guarantee};
    /// use std::sync::Arc;
    /// let noise = Noise::laplace(Arc::new(Sphere::new(2)?), 0.01, Guarantee::pure(0.5)?)?;
    /// assert_eq!(noise.scale(), 0.02);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn laplace(manifold: Arc<dyn Manifold>, sensitivity: f64, budget: Guarantee) -> Result<Self> {
        let (scale, integrated) = match budget.definition() {
            Definition::Pure { epsilon } => (laplace_scale(sensitivity, epsilon)?, false),
            Definition::Approximate { epsilon, delta } => {
                let pure = Guarantee::pure(epsilon)?;
                let scale = laplace_scale(sensitivity, epsilon)?;
                let at_delta = match manifold.flat_chart() {
                    Some(_) if manifold.dim() > 1 => flat_laplace_scale(manifold.dim(), sensitivity, epsilon, delta)?,
                    _ => scale,
                };
                let (scale, kept) = if at_delta <= WORTH_DELTA * scale { (at_delta, budget) } else { (scale, pure) };
                return Self::new(manifold, Law::Laplace, scale, sensitivity, kept, false);
            }
            Definition::Gaussian { mu } => scale_for_mu(&*manifold, sensitivity, mu)?,
            Definition::Concentrated { rho } if manifold.flat_chart().is_some() => {
                (laplace_scale(sensitivity, flat_laplace_epsilon_for_rho(manifold.dim(), rho)?)?, false)
            }
            Definition::Concentrated { rho } => {
                let by_epsilon = laplace_scale(sensitivity, pure_epsilon_for_rho(rho)?)?;
                let by_mu = scale_for_mu(&*manifold, sensitivity, sqrt_down((2.0 * rho).min(f64::MAX)))?;
                if by_mu.0 < by_epsilon { by_mu } else { (by_epsilon, false) }
            }
        };
        Self::new(manifold, Law::Laplace, scale, sensitivity, budget, integrated)
    }
}

/// A scale at which Laplace noise is μ-GDP, and whether it comes from integrals.
fn scale_for_mu(manifold: &dyn Manifold, sensitivity: f64, mu: f64) -> Result<(f64, bool)> {
    let by_epsilon = laplace_scale(sensitivity, pure_epsilon_for(mu)?)?;
    let Ok(space) = ConstantCurvature::of(manifold, Law::Laplace) else { return Ok((by_epsilon, false)) };
    let by_profile = space.laplace_scale(sensitivity, mu)?.filter(|scale| *scale < by_epsilon);
    Ok(by_profile.map_or((by_epsilon, false), |scale| (scale, true)))
}
