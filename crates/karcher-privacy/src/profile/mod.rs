//! The privacy profile of an isotropic law on a space of constant curvature, by one-dimensional quadrature.

mod angle;
mod geometry;
mod mu;
mod pair;
mod peak;
mod radial;
#[cfg(test)]
mod tests;

pub(crate) use angle::Angle;
pub use geometry::ConstantCurvature;
pub(super) use mu::MARGIN;

use self::geometry::Geometry;
use self::pair::Pair;
use super::conversion::gaussian_delta;
use super::flat_laplace;
use super::guarantee::{Guarantee, positive};
use crate::error::{Error, Result};
use crate::noise::Law;
use crate::rounding::div_up;

/// The privacy profile of one draw from an isotropic law about its center, for two centers at most a distance `Δ`
/// apart. See the user guide, \[G1\], and Jiang, Chang, Liu, Ding, Kong and Jiang 2023, theorem 4.1.
///
/// The density is `∝ e^{−φ(ρ)}`, `φ(t) = t/σ` (Laplace) or `t²/2σ²` (Gaussian), and `δ(ε) = P₁(A) − e^ε·P₂(A)`,
/// `A = {φ(ρ₂) − φ(ρ₁) ≥ ε}`. In polar coordinates about one center, a sphere of radius `t` is in `A` beyond one angle,
/// so both probabilities are one-dimensional integrals.
///
/// `δ(ε)` for centers at exactly the distance `Δ` never falls as `Δ` grows, so it bounds `δ(ε)` for all smaller
/// distances (a theorem of the user guide: given the distance from the geodesic through both centers, the best sets are
/// half-lines or arcs, and moving a center away from them only helps).
///
/// ```
/// use karcher_privacy::{ConstantCurvature, Profile, noise::Law};
/// let laplace = Profile::new(ConstantCurvature::new(2, 1.0)?, Law::Laplace, 0.1, 0.05)?;
/// assert_eq!(laplace.delta(0.5)?, 0.0); // pure ε = Δ/σ
/// assert!(laplace.delta(0.4)? > 0.0);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Profile {
    pair: Pair,
    /// `Δ/σ`, rounded up.
    ratio: f64,
}

/// Scales and distances in units of the radius of curvature must lie in this range.
const RANGE: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

/// On hyperbolic space the law of the loss of Gaussian noise of this scale, in radii of curvature, is near its limit
/// for wide noise.
pub(super) const WIDEST: f64 = 1e4;

impl Profile {
    /// The profile for a scale `σ` and centers up to a sensitivity `Δ` apart, both lengths on the space. A `Δ` beyond
    /// the diameter of the space counts as the diameter.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless both are positive numbers from 1e-100 to 1e100, times the radius of
    /// curvature, and where a Laplace law does not exist: hyperbolic space needs `1/σ > (d−1)·√|κ|`.
    ///
    /// ```
    /// use karcher_privacy::{ConstantCurvature, Profile, noise::Law};
    /// let plane = ConstantCurvature::new(2, -1.0)?;
    /// assert!(Profile::new(plane, Law::Laplace, 0.9, 0.1).is_ok());
    /// assert!(Profile::new(plane, Law::Laplace, 1.1, 0.1).is_err()); // volume grows faster than the density falls
    /// assert!(Profile::new(plane, Law::Gaussian, 1.1, 0.1).is_ok());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn new(space: ConstantCurvature, law: Law, scale: f64, sensitivity: f64) -> Result<Self> {
        let distance = positive("sensitivity", sensitivity)?.min(space.diameter());
        for (name, value) in [("scale", scale), ("sensitivity", distance)] {
            positive(name, value)?;
            if !RANGE.contains(&(value * space.unit())) {
                let requirement = "it must be from 1e-100 to 1e100 times the radius of curvature".to_owned();
                return Err(Error::InvalidParameter { name, value, requirement });
            }
        }
        let growth = (space.dimension() - 1) as f64 * space.unit();
        if law == Law::Laplace && space.geometry() == Geometry::Hyperbolic && scale * growth >= 1.0 {
            let requirement = format!("no Laplace law of this scale exists here: it must be below {}", 1.0 / growth);
            return Err(Error::InvalidParameter { name: "scale", value: scale, requirement });
        }
        Ok(Self { pair: Pair::new(space, law, scale, distance), ratio: div_up(distance, scale) })
    }

    /// `δ(ε)`, from 0 to 1: the smallest `δ` for which a draw is `(ε, δ)`-differentially private, plus an estimate of
    /// the errors of quadrature and rounding (about `1e-13·P₁(A)` as a rule).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless `epsilon` is finite and at least 0.
    ///
    /// ```
    /// use karcher_privacy::{ConstantCurvature, Guarantee, Profile, noise::Law};
    /// let flat = Profile::new(ConstantCurvature::new(5, 0.0)?, Law::Gaussian, 2.0, 1.0)?;
    /// assert!((flat.delta(0.3)? - Guarantee::gaussian(0.5)?.delta(0.3)?).abs() < 1e-12);
    /// let sphere = Profile::new(ConstantCurvature::new(5, 1.0)?, Law::Gaussian, 2.0, 1.0)?;
    /// assert!(sphere.delta(0.3)? < flat.delta(0.3)?);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn delta(&self, epsilon: f64) -> Result<f64> {
        if epsilon.is_finite() && epsilon >= 0.0 {
            return Ok(self.delta_at(epsilon));
        }
        let requirement = "it must be a finite number of at least 0".to_owned();
        Err(Error::InvalidParameter { name: "epsilon", value: epsilon, requirement })
    }

    /// The Gaussian guarantee of a draw: `μ = sup over ε of μ_ε`, `δ(ε) = δ_{μ_ε}(ε)` (user guide, \[G2\]).
    ///
    /// On a flat space and for a Gaussian law it is `Δ/σ`. Elsewhere it is certified for all `ε` at once by a bound of
    /// the power of tests between the points of a grid. Only the errors of integrals are estimated in it (head of
    /// `privacy/profile/mu.rs`). As a rule the worst `ε` is 0, and the value is `2Φ⁻¹((1 + δ(0))/2)` raised by a
    /// relative 2e-10, or more where rounding errors are larger: small `Δ/σ`, small `σ`, large dimension (a table is in
    /// the user guide, \[G2\]). Not so on hyperbolic space where `σ` and `Δ` are beyond the radius of curvature: on
    /// `H²` with `σ = 2.16`, `Δ = 6.85` the `μ_ε` of larger `ε` is up to 0.07 % higher.
    ///
    /// The result is never above
    /// * `Δ/σ` for a Gaussian law on a sphere: curvature that brings geodesics together makes Gaussian noise more
    ///   private (a theorem of the user guide);
    /// * the `μ` that pure `Δ/σ` implies, for a Laplace law.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] if `μ` is too large for a number.
    ///
    /// ```
    /// use karcher_privacy::{ConstantCurvature, Guarantee, Profile, noise::Law};
    /// let flat = Profile::new(ConstantCurvature::new(5, 0.0)?, Law::Gaussian, 0.5, 0.25)?;
    /// assert_eq!(flat.guarantee()?, Guarantee::gaussian(0.5)?); // Δ/σ
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn guarantee(&self) -> Result<Guarantee> {
        match self.mu() {
            mu if mu < f64::INFINITY => Guarantee::gaussian(mu),
            mu => {
                let requirement = if self.pair.radial.scale > WIDEST {
                    "no number could be certified for noise so wide; choose a scale of up to 1e4 radii of curvature: \
                     on hyperbolic space wider noise hides hardly more"
                } else {
                    "no number could be certified for a sensitivity so large; ask for a delta at some epsilon"
                };
                let requirement = requirement.to_owned();
                Err(Error::InvalidParameter { name: "mu", value: mu, requirement })
            }
        }
    }

    /// Whether the closed form \[P1\] holds.
    fn is_flat_gaussian(&self) -> bool {
        self.pair.radial.law == Law::Gaussian && self.pair.radial.geometry == Geometry::Flat
    }

    pub(super) fn delta_at(&self, epsilon: f64) -> f64 {
        match (self.pair.radial.law, self.pair.radial.geometry) {
            (Law::Gaussian, Geometry::Flat) => gaussian_delta(self.ratio, epsilon),
            (Law::Laplace, Geometry::Flat) => flat_laplace::delta(self.pair.radial.dimension, self.ratio, epsilon),
            _ => self.delta_by_quadrature(epsilon),
        }
    }

    pub(crate) fn delta_by_quadrature(&self, epsilon: f64) -> f64 {
        if epsilon >= self.pair.largest_loss() {
            return 0.0;
        }
        if self.pair.is_negligible(epsilon) {
            return f64::MIN_POSITIVE;
        }
        let (at_zero, error) = self.pair.total_variation();
        let at_zero = at_zero * (1.0 + error);
        let masses = self.pair.masses(self.pair.tau_below(epsilon)); // δ falls as ε grows
        let delta = masses.largest_delta();
        if delta.is_nan() { at_zero.min(1.0) } else { delta.max(f64::MIN_POSITIVE).min(at_zero).min(1.0) }
    }
}
