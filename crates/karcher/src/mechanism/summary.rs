//! A confidential statistic with everything a mechanism needs to know to release it.

use super::Noise;
use super::centered::Centered;
use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::Manifold;
use crate::points::Points;
use crate::privacy::Guarantee;
use crate::release::{Adjacency, Flag, Release, ReleasedSensitivity};
use crate::sampler::Generator;
use crate::sensitivity::{self, Bound, Sensitivity};
use crate::statistic::FrechetMean;

/// Iterations after which a mean counts as not converging: far beyond what any admissible ball takes.
const ITERATIONS: usize = 10_000;

/// A statistic of the records, not yet private, with a proven bound of what one record can change.
///
/// It can be given to a mechanism and to nothing else: it has no accessor for its value, and does not print.
pub struct Summary<'a> {
    pub(super) centered: Centered<'a>,
    /// The clipped records, seen from the ball's centre.
    pub(super) records: Points,
    /// Seen from the ball's centre.
    pub(super) value: Vec<f64>,
    statistic: &'static str,
    manifold: &'a dyn Manifold,
    n: usize,
    ball: Ball,
    sensitivity: Sensitivity,
    assumed_in_ball: bool,
}

/// What a mechanism promises about a draw.
pub(super) struct Terms {
    pub(super) mechanism: &'static str,
    pub(super) guarantee: Guarantee,
    pub(super) scale: f64,
    pub(super) sensitivity: ReleasedSensitivity,
    pub(super) expected_distance: f64,
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

    /// The gradient norm at which the iteration for the mean stops, on curved spaces; its effect is added to the sensitivity. Public.
    /// Default: 1e-12 times the radius, and at least what rounding allows.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance: Some(tolerance), ..self }
    }

    /// The public ball.
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// The space.
    pub fn manifold(&self) -> &'a dyn Manifold {
        self.manifold
    }

    /// Switches clipping off: the records are known to lie in the ball. The guarantee then holds only if they do, and the
    /// release says so.
    #[must_use]
    pub fn assume_in_ball(self, assume_in_ball: bool) -> Self {
        Self { assume_in_ball, ..self }
    }

    /// The sensitivity for `n` records: public, it depends on the space, the ball and `n`.
    ///
    /// It is that of the exact mean, and what the computed one may be off: the iteration's tolerance and rounding, each as a
    /// gradient norm (user guide, C3).
    ///
    /// # Errors
    /// [`Error::RadiusTooLarge`] where the bound does not exist.
    pub fn sensitivity(&self, n: usize) -> Result<Sensitivity> {
        let exact = sensitivity::frechet_mean(self.manifold, self.ball.radius(), n, self.bound)?;
        let centered = Centered::new(self.manifold, &self.ball)?;
        if let Some(limit) = centered.computable_radius()
            && self.ball.radius() > limit
        {
            let (space, radius) = (self.manifold.space(), self.ball.radius());
            return Err(Error::RadiusTooLarge {
                space,
                radius,
                limit,
                limit_of: "the mean can be computed in double precision",
            });
        }
        let tolerance = if self.manifold.flat_chart().is_some() { 0.0 } else { self.stop(&centered)? };
        exact.with_tolerance(tolerance + centered.rounding(n)).map_err(|error| match self.tolerance {
            Some(_) => error,
            None => Error::RadiusTooLarge {
                space: self.manifold.space(),
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

    /// The gradient norm, as computed, at which the iteration stops.
    fn stop(&self, centered: &Centered<'_>) -> Result<f64> {
        match self.tolerance {
            None => Ok((1e-12 * self.ball.radius()).max(centered.rounding(1))),
            Some(tolerance) if tolerance > 0.0 && tolerance.is_finite() => Ok(tolerance),
            Some(value) => {
                let requirement = "it must be a positive number".to_owned();
                Err(Error::InvalidParameter { name: "tolerance", value, requirement })
            }
        }
    }

    /// Clips the records and computes their mean.
    ///
    /// # Errors
    /// [`Error::RadiusTooLarge`], [`Error::NoConvergence`].
    pub fn summarize(&self, points: &Points) -> Result<Summary<'a>> {
        let n = points.len();
        let sensitivity = self.sensitivity(n)?;
        let centered = Centered::new(self.manifold, &self.ball)?;
        let records = centered.records(points, !self.assume_in_ball);
        let space = centered.space();
        let mean = FrechetMean::new(space).start(centered.center());
        let value = if space.flat_chart().is_some() {
            mean.fit(records.view())?
        } else {
            let stop = self.stop(&centered)?;
            let mean =
                mean.tolerance(stop).iterations(ITERATIONS).fit(records.view()).map_err(|_| Error::NoConvergence)?;
            // the only critical point in the ball is the mean; what converged to another one is none
            let inside = space.dist(centered.center(), &mean) <= self.ball.radius() * (1.0 + 1e-9) + stop;
            if !inside {
                return Err(Error::NoConvergence);
            }
            mean
        };
        Ok(Summary {
            records,
            value,
            statistic: "frechet-mean",
            manifold: self.manifold,
            n,
            ball: self.ball.clone(),
            sensitivity,
            assumed_in_ball: self.assume_in_ball,
            centered,
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
        if noise.manifold.space() != self.manifold.space() {
            let reason = format!("the noise was made for {}", noise.manifold.space());
            return Err(Error::Unsupported { mechanism: noise.mechanism, space: self.manifold.space(), reason });
        }
        if noise.sensitivity < self.sensitivity.value() {
            let requirement = format!("the noise must be calibrated to at least {}", self.sensitivity.value());
            return Err(Error::InvalidParameter { name: "sensitivity", value: noise.sensitivity, requirement });
        }
        let mut draw = self.value.clone();
        if self.manifold.flat_chart().is_some() {
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
        Ok(self.publish(&draw, terms, generator))
    }

    /// The release of a private value, carried back to where the user's ball is.
    pub(super) fn publish(&self, value: &[f64], terms: Terms, generator: &Generator) -> Release {
        let mut flags = Flag::of(generator);
        if self.assumed_in_ball {
            flags.push(Flag::AssumedInBall);
        }
        Release {
            schema: 1,
            karcher: env!("CARGO_PKG_VERSION"),
            statistic: self.statistic,
            manifold: self.manifold.space(),
            n: self.n,
            value: self.centered.back(value), // of the private value: no budget is spent
            guarantee: terms.guarantee,
            adjacency: Adjacency::ReplaceOne,
            mechanism: terms.mechanism,
            scale: terms.scale,
            sensitivity: terms.sensitivity,
            ball: self.ball.clone(),
            expected_distance: terms.expected_distance,
            bias_bound: None,
            steps: None,
            flags,
        }
    }
}
