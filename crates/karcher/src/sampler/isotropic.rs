//! Laws whose density depends on the distance to a center alone: the Riemannian Laplace and Gaussian laws.
//!
//! A draw is `Exp_η(R·U)` with a uniform direction `U`. In polar coordinates the density is `f(R)·R^{d−1}·θ(R·U)`, `θ`
//! the volume density. `R` is drawn exactly from the one-dimensional log-concave density `f(R)·R^{d−1}·e^{ψ(R)}` with
//! `ψ(s) ≥ ln θ` the manifold's bound. The pair is accepted with probability `θ(R·U)·e^{−ψ(R)}`. This is 1 where `θ`
//! depends on the distance alone: not on SPD(k) with the affine-invariant metric, nor on subspaces. No Markov chain
//! anywhere.

use super::averaged::AverageVolume;
use super::distance::DistanceLaw;
use super::log_concave::{LogConcave, LogDensity};
use crate::error::{Error, Result};
use crate::manifold::{CutLocus, Homogeneity, Manifold, exponential_factor};
use crate::noise::{Generator, Law};
use crate::vector::unit_vector;
use rand::RngExt;
use std::sync::Arc;

/// Proposals after which a draw fails. Their number depends on the space and the scale alone.
const PATIENCE: usize = 1_000_000;

/// The fraction of accepted proposals below which a law is rejected.
const LEAST_ACCEPTANCE: f64 = 1e-4;

/// A density, relative to its largest value, that is treated as 0.
const NEVER: f64 = 1e-15;

/// An isotropic law on a manifold, ready to be drawn from.
///
/// ```
/// use karcher::{manifold::{Manifold, Sphere}, sampler::{Generator, Isotropic, Law}};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let laplace = Isotropic::new(sphere.clone(), Law::Laplace, 0.1)?;
/// let pole = [0.0, 0.0, 1.0];
/// let mut draw = [0.0; 3];
/// laplace.sample(&pole, &mut Generator::from_os()?, &mut draw)?;
/// sphere.check_point(&draw)?;
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Isotropic {
    manifold: Arc<dyn Manifold>,
    scale: f64,
    radius: LogConcave<RadialDensity>,
}

/// `f(s)·s^{d−1}·e^{ψ(s)}`: the law of the distance where `e^ψ = θ`, and otherwise its proposal.
#[derive(Debug, Clone)]
struct RadialDensity {
    manifold: Arc<dyn Manifold>,
    law: Law,
    scale: f64,
}

impl LogDensity for RadialDensity {
    fn log_density(&self, s: f64) -> (f64, f64) {
        let power = (self.manifold.dim() - 1) as f64;
        let (fall, fall_slope) = self.law.log_density(self.scale, s);
        let (volume, volume_slope) = self.manifold.log_volume_density_bound(s);
        // on the line and the circle s⁰ = 1, also at s = 0
        let (flat, flat_slope) = if power > 0.0 { (power * s.ln(), power / s) } else { (0.0, 0.0) };
        (fall + flat + volume, fall_slope + flat_slope + volume_slope)
    }
}

impl Isotropic {
    /// The law of a scale `σ`, in units of distance.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless `σ` is a positive number. Also [`Error::NotIntegrable`] for a Laplace law
    /// where volume grows faster than the density decreases (`H^d`: it needs `1/σ > d − 1`; SPD(k), affine-invariant:
    /// `1/σ > ½√(k(k²−1)/3)`). Near that limit, too, on SPD(k): draws farther than [`Manifold::max_step`] are not made.
    ///
    /// ```
    /// use karcher::{Error, manifold::Hyperbolic, sampler::{Isotropic, Law}};
    /// use std::sync::Arc;
    /// let plane = Arc::new(Hyperbolic::new(2)?);
    /// assert!(Isotropic::new(plane.clone(), Law::Laplace, 0.9).is_ok());
    /// assert!(matches!(Isotropic::new(plane, Law::Laplace, 1.1), Err(Error::NotIntegrable { .. }))); // 1/σ > d − 1
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: Arc<dyn Manifold>, law: Law, scale: f64) -> Result<Self> {
        check_scale(scale)?;
        check_homogeneous(&*manifold, law)?;
        let end = match manifold.cut_locus() {
            CutLocus::None => f64::INFINITY,
            CutLocus::AtDistance(end) => end,
            CutLocus::Varies => {
                let reason = "geodesics cease to be the shortest at a distance that depends on their direction, and no \
                              exact draw around a private point is known; use the chart mechanism or the private \
                              Karcher flow";
                let reason = reason.to_owned();
                return Err(Error::Unsupported { mechanism: law.name(), space: manifold.space().clone(), reason });
            }
        };
        if let Some(factor) = exponential_factor(&*manifold) {
            let reason = format!(
                "far out, numbers of its flat factor {} are too coarse to distinguish draws; give its records in flat \
                 coordinates, on euclidean:{}, or use the chart mechanism or the private Karcher flow",
                factor.space(),
                factor.dim()
            );
            return Err(Error::Unsupported { mechanism: law.name(), space: manifold.space().clone(), reason });
        }
        let growth = manifold.volume_growth();
        if law == Law::Laplace && scale * growth >= 1.0 {
            return Err(Error::NotIntegrable { space: manifold.space().clone(), scale, limit: 1.0 / growth });
        }
        if law == Law::Gaussian && scale * growth > 100.0 {
            let requirement = format!(
                "on {} it must be at most {}: beyond that draws leave the range of numbers",
                manifold.space(),
                100.0 / growth
            );
            return Err(Error::InvalidParameter { name: "scale", value: scale, requirement });
        }
        let isotropic = Self::of_density(Arc::clone(&manifold), law, scale, end);
        // Beyond the range of Exp, draws from different centers end differently; on spaces where directions differ
        // nothing corrects that afterwards.
        if !manifold.is_two_point_homogeneous() && isotropic.radius.reaches(manifold.max_step(), NEVER) {
            return Err(Error::InvalidParameter {
                name: "scale",
                value: scale,
                requirement: format!(
                    "on {} it must be smaller: draws would lie more than {} from the center, beyond the range of \
                     numbers",
                    manifold.space(),
                    manifold.max_step()
                ),
            });
        }
        Ok(isotropic)
    }

    /// The Laplace law of scale `σ`, cut off at distance `reach` from the center, and at the injectivity radius: it
    /// exists for every scale, also where the cut locus varies with the direction.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless `σ` is a positive number, [`Error::Unsupported`] on spaces that are not
    /// homogeneous.
    pub(crate) fn laplace_within(manifold: Arc<dyn Manifold>, scale: f64, reach: f64) -> Result<Self> {
        check_scale(scale)?;
        check_homogeneous(&*manifold, Law::Laplace)?;
        let end = reach.min(manifold.injectivity_radius());
        Ok(Self::of_density(manifold, Law::Laplace, scale, end))
    }

    /// The law, of lengths up to `end`.
    fn of_density(manifold: Arc<dyn Manifold>, law: Law, scale: f64, end: f64) -> Self {
        let density = RadialDensity { manifold: Arc::clone(&manifold), law, scale };
        let radius = LogConcave::new(density, end, (scale * manifold.dim() as f64).min(end));
        Self { manifold, scale, radius }
    }

    /// The scale `σ`.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Writes one exact draw with the given center to `out`.
    ///
    /// # Errors
    /// [`Error::DrawTooRare`] when a million proposals were refused: never on spaces whose volume density depends on
    /// the distance alone; on SPD(k), affine-invariant, when the scale comes near the largest possible one. It depends
    /// on public quantities and chance only.
    ///
    /// ```
    /// use karcher::{manifold::{Euclidean, Manifold}, sampler::{Generator, Isotropic, Law}};
    /// use std::sync::Arc;
    /// let plane = Arc::new(Euclidean::new(2)?);
    /// let laplace = Isotropic::new(plane.clone(), Law::Laplace, 0.1)?;
    /// let (mut generator, mut draw) = (Generator::from_os()?, [0.0; 2]);
    /// laplace.sample(&[3.0, 4.0], &mut generator, &mut draw)?;
    /// assert!(plane.dist(&[3.0, 4.0], &draw) < 4.0); // farther with probability (1 + 40)·e^{−40}
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn sample(&self, center: &[f64], generator: &mut Generator, out: &mut [f64]) -> Result<()> {
        if let Some(chart) = self.manifold.flat_chart() {
            let mut coordinates = vec![0.0; self.manifold.dim()];
            chart.to_flat(center, &mut coordinates);
            self.add_flat_noise(&mut coordinates, generator);
            chart.from_flat(&coordinates, out);
            return Ok(());
        }
        let mut v = vec![0.0; center.len()];
        self.sample_tangent(center, generator, &mut v)?;
        self.manifold.exp(center, &v, out);
        Ok(())
    }

    /// Adds one draw centered at 0 to flat coordinates: the same law on a flat space, without its chart.
    pub(crate) fn add_flat_noise(&self, coordinates: &mut [f64], generator: &mut Generator) {
        let distance = self.radius.sample(generator);
        let mut direction = vec![0.0; coordinates.len()];
        unit_vector(generator, &mut direction);
        for (c, u) in coordinates.iter_mut().zip(direction) {
            *c += distance * u;
        }
    }

    /// `Log_center` of a draw.
    fn sample_tangent(&self, center: &[f64], generator: &mut Generator, v: &mut [f64]) -> Result<()> {
        let mut coordinates = vec![0.0; self.manifold.dim()];
        for _ in 0..PATIENCE {
            let log_acceptance = self.propose(generator, &mut coordinates);
            if log_acceptance >= 0.0 || generator.random::<f64>().ln() < log_acceptance {
                self.manifold.from_frame(center, &coordinates, v);
                return Ok(());
            }
        }
        Err(Error::DrawTooRare { space: self.manifold.space().clone(), scale: self.scale })
    }

    /// A proposal `R·U` in coordinates of a frame, and the logarithm of the probability to accept it,
    /// `ln θ(R·U) − ψ(R)`.
    fn propose(&self, generator: &mut Generator, coordinates: &mut [f64]) -> f64 {
        let distance = self.radius.sample(generator);
        unit_vector(generator, coordinates);
        coordinates.iter_mut().for_each(|u| *u *= distance);
        if self.manifold.is_two_point_homogeneous() {
            return 0.0;
        }
        // the same at every center, so that rounding does not depend on the center either
        let bound = self.manifold.log_volume_density_bound(distance).0;
        self.manifold.log_volume_density_in_frame(coordinates) - bound
    }

    /// The law of the distance `ρ(center, draw)`, the same for every center.
    ///
    /// # Errors
    /// [`Error::DrawTooRare`] where fewer than one proposal in ten thousand is accepted.
    ///
    /// ```
    /// use karcher::{manifold::Euclidean, sampler::{Isotropic, Law}};
    /// use std::sync::Arc;
    /// let distance = Isotropic::new(Arc::new(Euclidean::new(1)?), Law::Laplace, 0.5)?.distance()?;
    /// assert!((distance.quantile(0.5) - 0.5 * 2.0_f64.ln()).abs() < 1e-3); // the median of an exponential law
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn distance(&self) -> Result<DistanceLaw> {
        let (low, high) = self.radius.support();
        let proposals = |s: f64| self.radius.relative_density(s);
        if self.manifold.is_two_point_homogeneous() {
            return Ok(DistanceLaw::by_quadrature(proposals, low, high).0);
        }
        let bound = |s: f64| self.manifold.log_volume_density_bound(s).0;
        let average = AverageVolume::new(&*self.manifold, low, high, |s| proposals(s).ln() - bound(s));
        let accepted = |s: f64| proposals(s) * (average.ln(s) - bound(s)).min(0.0).exp();
        let (law, mass) = DistanceLaw::by_quadrature(accepted, low, high);
        if mass >= LEAST_ACCEPTANCE * DistanceLaw::by_quadrature(proposals, low, high).1 {
            Ok(law)
        } else {
            Err(Error::DrawTooRare { space: self.manifold.space().clone(), scale: self.scale })
        }
    }

    /// The mean of [`distance`](Isotropic::distance).
    ///
    /// # Errors
    /// As for [`distance`](Isotropic::distance).
    ///
    /// ```
    /// use karcher::{manifold::Euclidean, sampler::{Isotropic, Law}};
    /// use std::sync::Arc;
    /// let gaussian = Isotropic::new(Arc::new(Euclidean::new(2)?), Law::Gaussian, 2.0)?;
    /// let rayleigh = gaussian.scale() * std::f64::consts::FRAC_PI_2.sqrt();
    /// assert!((gaussian.expected_distance()? - rayleigh).abs() < 1e-8);
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn expected_distance(&self) -> Result<f64> {
        Ok(self.distance()?.mean())
    }
}

/// Rejects a space that is not homogeneous: the normalising constant of a law would depend on its center.
fn check_homogeneous(manifold: &dyn Manifold, law: Law) -> Result<()> {
    if manifold.homogeneity() != Homogeneity::None {
        return Ok(());
    }
    let reason = "it is not homogeneous, so that the normalising constant of noise depends on the private center";
    Err(Error::Unsupported { mechanism: law.name(), space: manifold.space().clone(), reason: reason.to_owned() })
}

fn check_scale(scale: f64) -> Result<()> {
    if (1e-100..=1e100).contains(&scale) {
        return Ok(());
    }
    let requirement = "it must be a positive number (from 1e-100 to 1e100)".to_owned();
    Err(Error::InvalidParameter { name: "scale", value: scale, requirement })
}
