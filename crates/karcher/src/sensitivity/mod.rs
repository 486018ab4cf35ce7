//! Sensitivity of the Fréchet mean: bounds of its displacement when one record is replaced.
//!
//! For `n` records in the closed ball `B_r(m₀)` of a manifold whose sectional curvatures are at most `κ`, the
//! sensitivity is `Δ = sup ρ(x̄, x̄′)`. The supremum is over all pairs of data sets that differ in one record. There
//! are four proven upper bounds, each smaller than the one before. Here `g(s) = √κ·s·cot(√κ·s)`, `D(r)` is the
//! [`gradient_diameter`], and all four are `2r/n` where `κ ≤ 0`:
//!
//! | [`Bound`] | `n·Δ ≤` | for `r` below | source |
//! | --- | --- | --- | --- |
//! | `Published` | `2r(2 − g(2r)) / g(2r)` | `½·min{inj, π/(2√κ)}` | Reimherr, Bharath and Soto 2021, Theorem 2 |
//! | `AveragedHessian` | `min{2r·2√κr / sin(2√κr), 4r} / (¾ + ¼·g(2r))` | `½·min{inj, 2.4556/√κ}` | guide, \[S2\] |
//! | `Sharp` | `D(r) / (¾ + ¼·g(2r))` | `½·min{inj, 2.4556/√κ}` | user guide, \[S3\] |
//! | `Optimal` | `2·tan(√κr) / √κ` | `½·min{inj, π/√κ}` | user guide, \[S4\] |
//!
//! The optimal bound holds in every ball in which the Fréchet mean is known to be unique, and no smaller constant holds
//! for all `n`: it is what [`frechet_mean`] takes unless told otherwise. It also bounds how far the mean's logarithm at
//! the center of the ball can move, `‖Log_{m₀} x̄ − Log_{m₀} x̄′‖` (user guide, \[M6\]): [`chart_mean`].
//!
//! Everything here depends on public quantities alone: the manifold, the radius, `n`.
//!
//! # Rounding
//!
//! A clipped record may lie outside the ball by rounding, at most at `r·(1 + 2⁻⁴⁰)`. Every bound is therefore evaluated
//! at `r·(1 + 2⁻³⁹)`. Half of the excess is for the records. The other half is for the arithmetic: each bound is `r`
//! times a non-decreasing function of `r`, so it leaves a relative margin of at least `2⁻⁴¹`. The few elementary
//! functions err by less than `2⁻⁴⁸` relatively. Their argument is itself perturbed by less than `2⁻⁵⁰`, which the
//! larger radius also covers. The result is thus not below the real number that the formula defines.

mod baselines;
mod chart;
mod chart_sum;

mod elementary;
mod gradient;
mod optimal;

use crate::ball::Ball;
use crate::error::{Error, GeometryError, Result};
use crate::manifold::Manifold;
use baselines::{averaged_hessian, published, sharp};
use elementary::{MARGIN, g};
use std::fmt;
use std::str::FromStr;

pub use chart::chart_mean;
pub(crate) use chart_sum::chart_allowance;
pub use chart_sum::chart_sum;

/// `1 + 2⁻³⁹`, the factor on the radius that covers rounding (see the [module](self)).
const OUTWARD: f64 = 1.0 + 2.0 * MARGIN;

/// A proven upper bound of the sensitivity of the Fréchet mean, by name.
///
/// ```
/// use karcher::sensitivity::Bound;
/// assert_eq!("optimal".parse::<Bound>()?, Bound::Optimal);
/// assert_eq!(Bound::ALL.map(Bound::name), ["published", "averaged-hessian", "sharp", "optimal"]);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// `published`: Reimherr, Bharath and Soto 2021, Theorem 2. For comparison.
    Published,
    /// `averaged-hessian`: the smallest Hessian averaged over the sample (user guide, \[S2\]). For comparison.
    AveragedHessian,
    /// `sharp`: that Hessian with the exact change of the gradient (user guide, \[S3\]). For comparison.
    Sharp,
    /// `optimal`: the smallest possible constant (user guide, \[S4\]). The default.
    Optimal,
}

impl Bound {
    /// All bounds, the largest first.
    pub const ALL: [Bound; 4] = [Bound::Published, Bound::AveragedHessian, Bound::Sharp, Bound::Optimal];

    /// The bound's name.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Published => "published",
            Bound::AveragedHessian => "averaged-hessian",
            Bound::Sharp => "sharp",
            Bound::Optimal => "optimal",
        }
    }

    /// The first `√κ·r` for which the bound does not exist, whatever the injectivity radius.
    fn limit(self) -> f64 {
        match self {
            Bound::Published => published::LIMIT,
            Bound::AveragedHessian => averaged_hessian::LIMIT,
            Bound::Sharp => sharp::LIMIT,
            Bound::Optimal => optimal::LIMIT,
        }
    }

    /// `n·Δ` where `κ = 1`, as a function of `x = r`.
    fn unit(self, x: f64) -> f64 {
        match self {
            Bound::Published => published::unit(x),
            Bound::AveragedHessian => averaged_hessian::unit(x),
            Bound::Sharp => sharp::unit(x),
            Bound::Optimal => optimal::unit(x),
        }
    }

    fn limit_of(self) -> &'static str {
        match self {
            Bound::Published => "the published bound of the mean's sensitivity exists",
            Bound::AveragedHessian => "the averaged-hessian bound of the mean's sensitivity exists",
            Bound::Sharp => "the sharp bound of the mean's sensitivity exists",
            Bound::Optimal => "the Fréchet mean is known to be unique and its sensitivity bounded",
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Bound {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let name = name.trim();
        Bound::ALL
            .into_iter()
            .find(|bound| bound.to_string() == name)
            .ok_or_else(|| Error::UnknownBound { name: name.to_owned() })
    }
}

/// An upper bound of `Δ = sup ρ(x̄, x̄′)`, in the manifold's unit of length, and where it comes from.
///
/// ```
/// use karcher::{manifold::Sphere, sensitivity::{Bound, frechet_mean}};
/// let sensitivity = frechet_mean(&Sphere::new(2)?, 0.5, 1_000, None)?;
/// assert_eq!(sensitivity.bound(), Bound::Optimal);
/// assert!(sensitivity.value() > 2.0 * 0.5 / 1_000.0); // curvature spreads means: more than in the plane
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Sensitivity {
    value: f64,
    bound: Bound,
    #[serde(skip)]
    ball: RegularBall,
}

impl Sensitivity {
    /// The bound's value.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The bound that was used.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// The sensitivity of a computed mean: a point `m` of `B_r(m₀)` with `‖grad F(m)‖ ≤ tolerance` instead of
    /// `grad F = 0`.
    ///
    /// `Δ + 2·tolerance / c`, `c = g(r)·(1 − √κ·tolerance·tan(√κr))`: both means are within `tolerance / c` of the
    /// exact ones. The tolerance is a length, that of the averaged logarithm (user guide, \[C3\]).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] when the tolerance is negative or not a number, or so large that `c ≤ 0`.
    ///
    /// ```
    /// use karcher::{manifold::Euclidean, sensitivity::frechet_mean};
    /// let exact = frechet_mean(&Euclidean::new(2)?, 1.0, 100, None)?;
    /// let computed = exact.with_tolerance(0.001)?;
    /// assert!((computed.value() - (exact.value() + 2.0 * 0.001)).abs() < 1e-12); // c = 1 in flat space
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn with_tolerance(self, tolerance: f64) -> Result<Self> {
        let value = (self.value + self.allowance(tolerance)?) * (1.0 + MARGIN);
        Ok(Sensitivity { value, ..self })
    }

    /// The sensitivity of the mean in a product of balls, from those of its factors' means: `Δ² = Σ Δᵢ²`. The mean of a
    /// product is that of each factor, and one record moves them all (user guide, \[S5\]).
    ///
    /// Its [`with_tolerance`](Sensitivity::with_tolerance) takes the smallest `c` of the factors.
    pub(crate) fn of_factors(factors: &[Self]) -> Self {
        if let [whole] = *factors {
            return whole;
        }
        let largest = |of: fn(&RegularBall) -> f64| factors.iter().map(|part| of(&part.ball)).fold(0.0, f64::max);
        let (x, sqrt_kappa) = (largest(RegularBall::x), largest(|ball| ball.sqrt_kappa));
        let radius = if sqrt_kappa > 0.0 { x / sqrt_kappa } else { largest(|ball| ball.radius) };
        let values: Vec<f64> = factors.iter().map(Self::value).collect();
        let bound = factors.first().map_or(Bound::Optimal, Self::bound);
        Self { value: root_sum_square(&values), bound, ball: RegularBall { radius, sqrt_kappa } }
    }

    /// `2·tolerance / c`: how much further two computed means can be apart than the exact ones.
    fn allowance(&self, tolerance: f64) -> Result<f64> {
        let refuse = |requirement: &str| {
            Err(Error::InvalidParameter { name: "tolerance", value: tolerance, requirement: requirement.to_owned() })
        };
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return refuse("it must be a number from 0 up");
        }
        let c = self.ball.hessian(tolerance);
        if c <= 0.0 {
            return refuse(
                "it bounds the distance to the exact mean only when it is smaller; choose a smaller tolerance",
            );
        }
        Ok(2.0 * tolerance / c)
    }
}

/// The sensitivity of the Fréchet mean of `n` records in a ball of the given radius, when one record is replaced.
///
/// Without a `bound` it is [`Bound::Optimal`]: never larger than the others, and it exists wherever they do.
///
/// # Errors
/// [`GeometryError::NoRecords`] when `n = 0`; [`Error::InvalidParameter`] when the radius is not a positive number;
/// [`Error::RadiusTooLarge`] from [`admissible_radius`] on.
///
/// ```
/// use karcher::{manifold::{Euclidean, Sphere}, sensitivity::{Bound, frechet_mean}};
/// let flat = frechet_mean(&Euclidean::new(3)?, 0.5, 100, None)?;
/// assert!((flat.value() - 2.0 * 0.5 / 100.0).abs() < 1e-12); // 2r/n
/// let on_sphere = |bound| frechet_mean(&Sphere::new(2)?, 0.5, 100, Some(bound));
/// assert!(on_sphere(Bound::Optimal)?.value() <= on_sphere(Bound::Sharp)?.value());
/// assert!(on_sphere(Bound::Sharp)?.value() <= on_sphere(Bound::Published)?.value());
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn frechet_mean(manifold: &dyn Manifold, radius: f64, n: usize, bound: Option<Bound>) -> Result<Sensitivity> {
    if n == 0 {
        return Err(GeometryError::NoRecords.into());
    }
    let bound = bound.unwrap_or(Bound::Optimal);
    let ball = RegularBall::new(manifold, radius, bound)?;
    let value = ball.scaled(|x| bound.unit(x)) / n as f64;
    Ok(Sensitivity { value, bound, ball })
}

/// The sensitivity of the Fréchet mean in a ball, which may have a radius for each factor of a product: `Δ² = Σ Δᵢ²` (user guide, \[S5\]).
///
/// # Errors
/// As [`frechet_mean`], for each factor.
///
/// ```
/// use karcher::{Ball, Space, sensitivity::frechet_mean_in};
/// let space = "sphere:2*euclidean:1".parse::<Space>()?.manifold()?;
/// let ball = Ball::of_factors(&*space, vec![0.0, 0.0, 1.0, 0.0], vec![0.3, 0.4])?;
/// let enclosing = Ball::at_origin(&*space, ball.radius())?;
/// assert!(frechet_mean_in(&*space, &ball, 100, None)?.value() < frechet_mean_in(&*space, &enclosing, 100, None)?.value());
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn frechet_mean_in(manifold: &dyn Manifold, ball: &Ball, n: usize, bound: Option<Bound>) -> Result<Sensitivity> {
    let parts = ball.parts(manifold).into_iter();
    let found: Vec<Sensitivity> =
        parts.map(|(factor, ball)| frechet_mean(factor, ball.radius(), n, bound)).collect::<Result<_>>()?;
    Ok(Sensitivity::of_factors(&found))
}

/// `D(r)`, an upper bound of `‖Log_m x − Log_m y‖` for `m, x, y` in a ball of radius `r`: `n` times what the gradient
/// of the mean's objective can change by when one record is replaced.
///
/// `D = max_u (4u/√κ)·√(1 − tan²u / tan²(√κr))` over `0 ≤ u ≤ √κr` for `κ > 0`, attained on spheres and on shape
/// spaces; `2r` for `κ ≤ 0`. It exists wherever the Fréchet mean is unique (user guide, \[S3\]).
///
/// # Errors
/// As [`frechet_mean`] with [`Bound::Optimal`].
///
/// ```
/// use karcher::{manifold::Hyperbolic, sensitivity::gradient_diameter};
/// assert!((gradient_diameter(&Hyperbolic::new(2)?, 1.5)? - 2.0 * 1.5).abs() < 1e-10); // 2r
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn gradient_diameter(manifold: &dyn Manifold, radius: f64) -> Result<f64> {
    Ok(RegularBall::new(manifold, radius, Bound::Optimal)?.scaled(gradient::unit))
}

/// `c(r)`, a lower bound of the Hessian of the mean's objective `F = (1/2n) Σ ρ²(·, xᵢ)` at the mean: `Hess F(x̄) ≥ c`.
///
/// `c = g(r) = √κr·cot(√κr)` for `κ > 0`, 1 for `κ ≤ 0` (user guide, \[C3\]).
///
/// # Errors
/// As [`frechet_mean`] with [`Bound::Optimal`].
///
/// ```
/// use karcher::{manifold::Sphere, sensitivity::hessian_at_mean};
/// let r = 0.5_f64;
/// assert!((hessian_at_mean(&Sphere::new(2)?, r)? - r / r.tan()).abs() < 1e-10); // r·cot r
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn hessian_at_mean(manifold: &dyn Manifold, radius: f64) -> Result<f64> {
    Ok(RegularBall::new(manifold, radius, Bound::Optimal)?.hessian(0.0))
}

/// A lower bound of `‖∇F(m)‖`, `F = (1/2n) Σ ρ²(·, xᵢ)`, for points `m` of the ball at `distance` from the Fréchet
/// mean.
///
/// `s` itself for `κ ≤ 0`, `(1 − e^{−√κ·s·tan(√κr)})·g(r)/(√κ·tan(√κr))` for `κ > 0`: concave in `s` (user guide,
/// \[E3\]).
///
/// # Errors
/// As [`frechet_mean`] with [`Bound::Optimal`].
///
/// ```
/// use karcher::{manifold::{Euclidean, Sphere}, sensitivity::least_gradient};
/// assert!((least_gradient(&Euclidean::new(2)?, 1.0, 0.25)? - 0.25).abs() < 1e-10); // F = ½s² + constant
/// assert!(least_gradient(&Sphere::new(2)?, 1.0, 0.25)? < 0.25);
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn least_gradient(manifold: &dyn Manifold, radius: f64, distance: f64) -> Result<f64> {
    let ball = RegularBall::new(manifold, radius, Bound::Optimal)?;
    if ball.sqrt_kappa > 0.0 {
        Ok(optimal::least_gradient(ball.x(), ball.sqrt_kappa * distance) / ball.sqrt_kappa)
    } else {
        Ok(distance)
    }
}

/// The first radius for which a bound does not exist; `∞` where it always does.
///
/// It is a limit to stay below, by a relative `2⁻³⁹` at least.
///
/// ```
/// use karcher::{manifold::{Euclidean, Sphere}, sensitivity::{Bound, admissible_radius}};
/// assert_eq!(admissible_radius(&Euclidean::new(2)?, Bound::Optimal), f64::INFINITY);
/// let sphere = Sphere::new(2)?;
/// // as far as the mean is unique: in any ball smaller than half the sphere
/// assert!((admissible_radius(&sphere, Bound::Optimal) - std::f64::consts::FRAC_PI_2).abs() < 1e-9);
/// assert!(admissible_radius(&sphere, Bound::Published) < admissible_radius(&sphere, Bound::Optimal));
/// # Ok::<(), karcher::Error>(())
/// ```
pub fn admissible_radius(manifold: &dyn Manifold, bound: Bound) -> f64 {
    let kappa = manifold.curvature().upper;
    let by_curvature = if kappa > 0.0 { bound.limit() / kappa.sqrt() } else { f64::INFINITY };
    by_curvature.min(manifold.injectivity_radius() / 2.0)
}

/// `√Σ xᵢ²` from above: how far a point of a product moves whose parts move by `xᵢ`. One number is itself.
pub(crate) fn root_sum_square(parts: &[f64]) -> f64 {
    if let [one] = parts { *one } else { crate::vector::norm(parts) * (1.0 + MARGIN) }
}

/// Geometry of a ball in which the Fréchet mean is unique, for the formulas.
#[derive(Debug, Clone, Copy, PartialEq)]
struct RegularBall {
    /// The radius that covers rounding.
    radius: f64,
    /// `√κ`, 0 for `κ ≤ 0`.
    sqrt_kappa: f64,
}

impl RegularBall {
    fn new(manifold: &dyn Manifold, radius: f64, bound: Bound) -> Result<Self> {
        // Within these limits no square of a length leaves the range of a double.
        if !(1e-150..=1e150).contains(&radius) {
            let requirement = "it must be a positive number, from 1e-150 to 1e150".to_owned();
            return Err(Error::InvalidParameter { name: "radius", value: radius, requirement });
        }
        let ball = RegularBall { radius: radius * OUTWARD, sqrt_kappa: manifold.curvature().upper.max(0.0).sqrt() };
        let limit = admissible_radius(manifold, bound);
        if ball.radius < limit && ball.x() < bound.limit() {
            Ok(ball)
        } else {
            let (space, limit_of) = (manifold.space().clone(), bound.limit_of());
            Err(Error::RadiusTooLarge { space, radius, limit, limit_of })
        }
    }

    /// The radius in units of `1/√κ`.
    fn x(&self) -> f64 {
        self.sqrt_kappa * self.radius
    }

    /// A length that is `unit(x)` for `κ = 1` and `2r` in flat space.
    fn scaled(&self, unit: impl Fn(f64) -> f64) -> f64 {
        if self.sqrt_kappa > 0.0 { unit(self.x()) / self.sqrt_kappa } else { 2.0 * self.radius }
    }

    /// `g(r)·(1 − √κ·t·tan(√κr))`: a lower bound of `Hess F(m)` wherever in the ball `‖grad F(m)‖ ≤ t`.
    fn hessian(&self, t: f64) -> f64 {
        if self.sqrt_kappa > 0.0 {
            let x = self.x();
            g(x) * (1.0 - self.sqrt_kappa * t * x.tan() * (1.0 + MARGIN)) * (1.0 - MARGIN)
        } else {
            1.0
        }
    }
}

#[cfg(test)]
mod tests;
