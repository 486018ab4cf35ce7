//! The Fréchet mean of clipped records, with a proven bound of what one record can change (user guide, C1–C3).

use super::certain::Certain;
use super::published::published;
use super::{Lattice, Outline};
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::records::{Centered, Records, Seen, View};
use crate::release::{Door, Flag, PrivatePoint, Release, Value};
use crate::sensitivity::{self, Bound, Sensitivity};
use crate::statistic::FrechetMean;
use std::sync::Arc;

/// The private Fréchet mean: a space and a public ball, to which records are clipped.
///
/// ```
/// use karcher::{Ball, manifold::Euclidean, mechanism::PrivateFrechetMean};
/// use std::sync::Arc;
/// let plane = Arc::new(Euclidean::new(2)?);
/// let mean = PrivateFrechetMean::new(plane.clone(), Ball::at_origin(&*plane, 1.0)?)?;
/// let sensitivity = mean.sensitivity(1_000)?.value();
/// assert!((sensitivity / (2.0 / 1_000.0) - 1.0).abs() < 1e-6); // 2r/n
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrivateFrechetMean {
    manifold: Arc<dyn Manifold>,
    ball: Ball,
    centered: Centered,
    bound: Option<Bound>,
    tolerance: Option<f64>,
    assume_in_ball: bool,
}

/// Clipped records and their mean. **Confidential**: it has no accessor outside of mechanisms.
pub(super) struct Summary {
    pub(super) seen: Seen,
    /// Seen from the ball's center.
    pub(super) value: Vec<f64>,
}

impl PrivateFrechetMean {
    /// The mean of records clipped to a public ball.
    ///
    /// # Errors
    /// [`Error::SpaceMismatch`] for a ball of another space, [`Error::InvalidPoint`] for one whose center is none.
    ///
    /// ```
    /// use karcher::{Ball, Error, manifold::Sphere, mechanism::PrivateFrechetMean};
    /// use std::sync::Arc;
    /// let elsewhere = Ball::at_origin(&Sphere::new(3)?, 0.5)?;
    /// let mean = PrivateFrechetMean::new(Arc::new(Sphere::new(2)?), elsewhere);
    /// assert!(matches!(mean, Err(Error::SpaceMismatch { .. })));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball) -> Result<Self> {
        let centered = Centered::new(&manifold, &ball)?;
        Ok(Self { manifold, ball, centered, bound: None, tolerance: None, assume_in_ball: false })
    }

    /// The bound of the sensitivity to use instead of the smallest proven one.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::PrivateFrechetMean, sensitivity::Bound};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let published = mean.clone().bound(Some(Bound::Published)).sensitivity(100)?;
    /// assert!(published.value() > mean.sensitivity(100)?.value());
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn bound(self, bound: Option<Bound>) -> Self {
        Self { bound, ..self }
    }

    /// The gradient norm at which the iteration for the mean stops, on curved spaces; its effect is added to the
    /// sensitivity. Public. Default: 1e-12 times the radius. Where rounding allows no gradient as small, the iteration
    /// stops at what it does allow.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::PrivateFrechetMean};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let coarse = mean.clone().tolerance(Some(0.001)).sensitivity(100)?;
    /// assert!(coarse.value() > mean.sensitivity(100)?.value() + 2.0 * 0.001); // a coarse mean takes more noise
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn tolerance(self, tolerance: Option<f64>) -> Self {
        Self { tolerance, ..self }
    }

    /// Switches clipping off: the records are known to lie in the ball. The guarantee then holds only if they do, and
    /// the release says so.
    ///
    /// ```
    /// use karcher::{Ball, Door, Points, manifold::Euclidean, mechanism::{PrivateFrechetMean, Request}};
    /// use karcher::{privacy::Guarantee, release::Flag};
    /// use std::sync::Arc;
    /// let line = Arc::new(Euclidean::new(1)?);
    /// let mean = PrivateFrechetMean::new(line.clone(), Ball::at_origin(&*line, 1.0)?)?.assume_in_ball(true);
    /// let plan = Request::new(mean, 2, Guarantee::pure(1.0)?).plan()?;
    /// let release = plan.run(&Points::new(&*line, vec![0.1, 0.2])?, &mut Door::from_os()?)?;
    /// assert!(release.flags().contains(&Flag::AssumedInBall));
    /// # Ok::<(), karcher::Error>(())
    /// ```
    #[must_use]
    pub fn assume_in_ball(self, assume_in_ball: bool) -> Self {
        Self { assume_in_ball, ..self }
    }

    /// The space.
    pub fn manifold(&self) -> &Arc<dyn Manifold> {
        &self.manifold
    }

    /// The public ball.
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// The optional parameters that were given.
    pub(super) fn given(&self) -> Vec<&'static str> {
        let all = [
            ("bound", self.bound.is_some()),
            ("tolerance", self.tolerance.is_some()),
            ("assume_in_ball", self.assume_in_ball),
        ];
        all.into_iter().filter_map(|(parameter, given)| given.then_some(parameter)).collect()
    }

    /// Records and values as they are seen from the ball's center.
    pub(super) fn centered(&self) -> &Centered {
        &self.centered
    }

    /// The sensitivity for `n` records: public, it depends on the space, the ball and `n`.
    ///
    /// It is that of the exact mean, and what the computed one may be off: the iteration's tolerance and rounding, each
    /// as a gradient norm (user guide, C3).
    ///
    /// # Errors
    /// [`Error::RadiusTooLarge`] where the bound does not exist.
    ///
    /// ```
    /// use karcher::{Ball, manifold::Sphere, mechanism::PrivateFrechetMean};
    /// use std::sync::Arc;
    /// let sphere = Arc::new(Sphere::new(2)?);
    /// let mean = PrivateFrechetMean::new(sphere.clone(), Ball::at_origin(&*sphere, 0.5)?)?;
    /// let ratio = mean.sensitivity(100)?.value() / mean.sensitivity(200)?.value();
    /// assert!((ratio - 2.0).abs() < 1e-6); // it falls like 1/n
    /// # Ok::<(), karcher::Error>(())
    /// ```
    pub fn sensitivity(&self, n: usize) -> Result<Sensitivity> {
        self.gradient_tolerance()?;
        let exact = self.exact_sensitivity(n)?;
        if let Some(limit) = self.centered.computable_radius()
            && self.ball.radius() > limit
        {
            return Err(Error::RadiusTooLarge {
                space: self.manifold.space().clone(),
                radius: self.ball.radius(),
                limit,
                limit_of: "the mean is sure to be found in a practical number of steps and in double precision",
            });
        }
        let inexact = |n| -> Result<f64> {
            let stop = if self.manifold.flat_chart().is_some() { 0.0 } else { self.certain(n)?.stop() };
            Ok(stop + self.centered.rounding(n))
        };
        let inexact_alone = inexact(1)?;
        exact.with_tolerance(inexact(n)?).map_err(|error| match self.tolerance {
            Some(_) => error,
            None if exact.with_tolerance(inexact_alone).is_ok() => {
                let requirement =
                    "sums of so many records cannot be computed well enough; use fewer, or a smaller radius";
                Error::InvalidParameter {
                    name: "number_of_records",
                    value: n as f64,
                    requirement: requirement.to_owned(),
                }
            }
            None => Error::RadiusTooLarge {
                space: self.manifold.space().clone(),
                radius: self.ball.radius(),
                limit: sensitivity::admissible_radius(&*self.manifold, self.bound.unwrap_or(Bound::Optimal)),
                limit_of: "the mean can be computed well enough",
            },
        })
    }

    fn exact_sensitivity(&self, n: usize) -> Result<Sensitivity> {
        sensitivity::frechet_mean(&*self.manifold, self.ball.radius(), n, self.bound)
    }

    /// How far the computed mean of `n` records may be from the exact one.
    pub(super) fn inexactness(&self, n: usize) -> Result<f64> {
        Ok(0.5 * (self.sensitivity(n)?.value() - self.exact_sensitivity(n)?.value()))
    }

    /// The gradient norm at which the iteration stops, also where there is none.
    fn gradient_tolerance(&self) -> Result<f64> {
        match self.tolerance {
            None => Ok(1e-12 * self.ball.radius()),
            Some(tolerance) if tolerance > 0.0 && tolerance.is_finite() => Ok(tolerance),
            Some(value) => {
                let requirement = "it must be a positive number".to_owned();
                Err(Error::InvalidParameter { name: "tolerance", value, requirement })
            }
        }
    }

    /// The iteration for the mean of `n` records.
    fn certain(&self, n: usize) -> Result<Certain> {
        Ok(Certain::new(&self.centered, self.ball.radius(), n, self.gradient_tolerance()?))
    }

    /// Clips the records and computes their mean. Whether there is a result depends on public quantities alone.
    pub(super) fn summarize(&self, records: &dyn Records) -> Result<Summary> {
        let seen = self.clip(records)?;
        let (space, points) = (self.centered.space(), seen.in_memory().points);
        let value = if space.flat_chart().is_some() {
            FrechetMean::new(space).fit(points)? // a formula, without error for points
        } else {
            self.certain(points.len())?.mean(&self.centered, points)
        };
        Ok(Summary { seen, value })
    }

    /// Clips the records.
    pub(super) fn clip(&self, records: &dyn Records) -> Result<Seen> {
        records.seen(&View { centered: &self.centered, clip: !self.assume_in_ball, predictors: None })
    }

    /// What a release says whose sensitivity is that of the mean or its gradient on a curved space.
    pub(super) fn rounding_allowance(&self) -> Option<Flag> {
        self.manifold.flat_chart().is_none().then_some(Flag::RoundingAllowance)
    }

    /// The release of a private value: the point of the public lattice next to it ([`Lattice`]), carried back to where
    /// the user's ball is. All of this is processing of the value as a point, so it costs no budget.
    pub(super) fn publish(&self, value: &[f64], outline: &Outline, door: &Door) -> Release {
        let lattice = Lattice::new(&*self.manifold, outline.scale, self.ball.radius(), outline.expected_distance);
        let coordinates = lattice.coordinates(self.centered.space(), self.centered.center(), value);
        let published = published(&self.centered, &coordinates, outline.scale / 1024.0);
        let mut flags = vec![];
        flags.extend(published.beyond_precision.then_some(Flag::BeyondPrecision));
        flags.extend(self.assume_in_ball.then_some(Flag::AssumedInBall));
        flags.extend(&outline.flags);
        let provenance = outline.provenance(lattice.step(), flags);
        door.release(provenance, Value::Point(PrivatePoint { value: published.value, logarithm: published.logarithm }))
    }
}
