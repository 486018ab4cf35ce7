//! A confidential statistic with everything a mechanism needs to know to release it.

use super::Noise;
use super::centered::Centered;
use super::certain::Certain;
use super::clipped::{Clipped, Terms};
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::points::PointsView;
use crate::release::{Flag, Release};
use crate::sampler::Generator;
use crate::sensitivity::{self, Bound, Sensitivity};
use crate::statistic::FrechetMean;

/// A statistic of the records, not yet private, with a proven bound of what one record can change.
///
/// It can be given to a mechanism and to nothing else: it has no accessor for its value, and does not print.
pub struct Summary<'a> {
    pub(super) clipped: Clipped<'a>,
    /// Seen from the ball's center.
    pub(super) value: Vec<f64>,
    sensitivity: Sensitivity,
}

/// The Fréchet mean of clipped records, ready for a mechanism (user guide, C1–C3).
#[derive(Debug, Clone)]
pub struct PrivateFrechetMean<'a> {
    manifold: &'a dyn Manifold,
    ball: Ball,
    bound: Option<Bound>,
    tolerance: Option<f64>,
    assume_in_ball: bool,
}

impl<'a> PrivateFrechetMean<'a> {
    /// The mean of records clipped to a public ball.
    pub fn new(manifold: &'a dyn Manifold, ball: Ball) -> Self {
        Self { manifold, ball, bound: None, tolerance: None, assume_in_ball: false }
    }

    /// The bound of the sensitivity to use instead of the smallest proven one.
    #[must_use]
    pub fn bound(self, bound: Option<Bound>) -> Self {
        Self { bound, ..self }
    }

    /// The gradient norm at which the iteration for the mean stops, on curved spaces; its effect is added to the
    /// sensitivity. Public. Default: 1e-12 times the radius. Where rounding allows no gradient as small, the iteration
    /// stops at what it does allow.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance: Some(tolerance), ..self }
    }

    pub(super) fn default_tolerance(self) -> Self {
        Self { tolerance: None, ..self }
    }

    /// The public ball.
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// The space.
    pub fn manifold(&self) -> &'a dyn Manifold {
        self.manifold
    }

    /// Switches clipping off: the records are known to lie in the ball. The guarantee then holds only if they do, and
    /// the release says so.
    #[must_use]
    pub fn assume_in_ball(self, assume_in_ball: bool) -> Self {
        Self { assume_in_ball, ..self }
    }

    /// The sensitivity for `n` records: public, it depends on the space, the ball and `n`.
    ///
    /// It is that of the exact mean, and what the computed one may be off: the iteration's tolerance and rounding, each
    /// as a gradient norm (user guide, C3).
    ///
    /// # Errors
    /// [`Error::RadiusTooLarge`] where the bound does not exist.
    pub fn sensitivity(&self, n: usize) -> Result<Sensitivity> {
        let exact = sensitivity::frechet_mean(self.manifold, self.ball.radius(), n, self.bound)?;
        let centered = Centered::new(self.manifold, &self.ball)?;
        if let Some(limit) = centered.computable_radius()
            && self.ball.radius() > limit
        {
            let (space, radius) = (self.manifold.space().clone(), self.ball.radius());
            return Err(Error::RadiusTooLarge {
                space,
                radius,
                limit,
                limit_of: "the mean is sure to be found in a practical number of steps and in double precision",
            });
        }
        let inexact = |n| -> Result<f64> {
            let stop = if self.manifold.flat_chart().is_some() { 0.0 } else { self.certain(&centered, n)?.stop() };
            Ok(stop + centered.rounding(n))
        };
        let inexact_alone = inexact(1)?;
        exact.with_tolerance(inexact(n)?).map_err(|error| match self.tolerance {
            Some(_) => error,
            None if exact.with_tolerance(inexact_alone).is_ok() => {
                let requirement =
                    "sums of so many records cannot be computed well enough; use fewer, or a smaller radius";
                Error::InvalidParameter {
                    name: "number of records",
                    value: n as f64,
                    requirement: requirement.to_owned(),
                }
            }
            None => Error::RadiusTooLarge {
                space: self.manifold.space().clone(),
                radius: self.ball.radius(),
                limit: sensitivity::admissible_radius(self.manifold, self.bound.unwrap_or(Bound::Optimal)),
                limit_of: "the mean can be computed well enough",
            },
        })
    }

    /// How far the computed mean of `n` records may be from the exact one.
    pub(super) fn inexactness(&self, n: usize) -> Result<f64> {
        let exact = sensitivity::frechet_mean(self.manifold, self.ball.radius(), n, self.bound)?;
        Ok(0.5 * (self.sensitivity(n)?.value() - exact.value()))
    }

    /// How far rounding may take a gradient computed from `n` records in the ball from the true one.
    pub(super) fn rounding(&self, n: usize) -> Result<f64> {
        Ok(Centered::new(self.manifold, &self.ball)?.rounding(n))
    }

    /// The iteration for the mean of `n` records.
    fn certain(&self, centered: &Centered<'_>, n: usize) -> Result<Certain> {
        let tolerance = match self.tolerance {
            None => 1e-12 * self.ball.radius(),
            Some(tolerance) if tolerance > 0.0 && tolerance.is_finite() => tolerance,
            Some(value) => {
                let requirement = "it must be a positive number".to_owned();
                return Err(Error::InvalidParameter { name: "tolerance", value, requirement });
            }
        };
        Ok(Certain::new(centered, self.ball.radius(), n, tolerance))
    }

    /// Clips the records and computes their mean. Whether there is a result depends on public quantities alone.
    ///
    /// # Errors
    /// As for [`sensitivity`](PrivateFrechetMean::sensitivity).
    pub fn summarize<'p>(&self, points: impl Into<PointsView<'p>>) -> Result<Summary<'a>> {
        let points = points.into();
        let sensitivity = self.sensitivity(points.len())?;
        let clipped = self.clip(points)?;
        let Clipped { centered, records, .. } = &clipped;
        let space = centered.space();
        let value = if space.flat_chart().is_some() {
            FrechetMean::new(space).fit(records.view())? // a formula, without error for points
        } else {
            self.certain(centered, points.len())?.mean(centered, records.view())
        };
        Ok(Summary { clipped, value, sensitivity })
    }

    /// Clips the records.
    pub(super) fn clip(&self, points: PointsView<'_>) -> Result<Clipped<'a>> {
        let centered = Centered::new(self.manifold, &self.ball)?;
        Ok(Clipped {
            records: centered.records(points, !self.assume_in_ball)?,
            centered,
            manifold: self.manifold,
            ball: self.ball.clone(),
            assumed_in_ball: self.assume_in_ball,
        })
    }
}

impl Summary<'_> {
    /// The sensitivity, public.
    pub fn sensitivity(&self) -> Sensitivity {
        self.sensitivity
    }

    /// Releases the value with noise around it.
    ///
    /// # Errors
    /// When the noise is for another space or for a smaller sensitivity; [`Error::DrawTooRare`].
    pub fn release(&self, noise: &Noise<'_>, generator: &mut Generator) -> Result<Release> {
        if noise.manifold.space() != self.clipped.manifold.space() {
            let reason = format!("the noise was made for {}", noise.manifold.space());
            return Err(Error::Unsupported {
                mechanism: noise.mechanism,
                space: self.clipped.manifold.space().clone(),
                reason,
            });
        }
        if noise.sensitivity < self.sensitivity.value() {
            let requirement = format!("the noise must be calibrated to at least {}", self.sensitivity.value());
            return Err(Error::InvalidParameter { name: "sensitivity", value: noise.sensitivity, requirement });
        }
        let mut draw = self.value.clone();
        if self.clipped.manifold.flat_chart().is_some() {
            noise.isotropic.add_flat_noise(&mut draw, generator);
        } else {
            noise.isotropic.sample(&self.value, generator, &mut draw)?;
        }
        let terms = Terms {
            mechanism: noise.mechanism,
            guarantee: noise.guarantee,
            scale: noise.scale(),
            sensitivity: self.sensitivity.into(),
            expected_distance: noise.expected_distance(),
        };
        let mut release = self.clipped.publish(&draw, terms, generator);
        release.flags.extend(self.clipped.rounding_allowance());
        release.flags.extend(noise.integrated.then_some(Flag::EstimatedIntegrals));
        Ok(release)
    }
}
