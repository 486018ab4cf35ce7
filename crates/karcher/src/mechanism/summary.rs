//! A confidential statistic with everything a mechanism needs to know to release it.

use super::Noise;
use crate::ball::{Ball, CLIP_SLACK};
use crate::error::{Error, Result};
use crate::manifold::{Euclidean, FlatChart, Manifold};
use crate::points::Points;
use crate::release::{Adjacency, Flag, Release};
use crate::sampler::Generator;
use crate::sensitivity::{self, Bound, Sensitivity};
use crate::statistic::FrechetMean;

/// A statistic of the records, not yet private, with a proven bound of what one record can change.
///
/// It can be given to a mechanism and to nothing else: it has no accessor for its value, and does not print.
pub struct Summary<'a> {
    manifold: &'a dyn Manifold,
    /// On flat spaces the value's flat coordinates, where mean and noise are computed.
    value: Vec<f64>,
    statistic: &'static str,
    n: usize,
    ball: Ball,
    sensitivity: Sensitivity,
    assumed_in_ball: bool,
}

/// The Fréchet mean of clipped records, ready for a mechanism (user guide, C1–C3).
#[derive(Debug, Clone)]
pub struct PrivateFrechetMean<'a> {
    manifold: &'a dyn Manifold,
    ball: Ball,
    bound: Option<Bound>,
    tolerance: f64,
    assume_in_ball: bool,
}

impl<'a> PrivateFrechetMean<'a> {
    /// The mean of records clipped to a public ball.
    pub fn new(manifold: &'a dyn Manifold, ball: Ball) -> Self {
        let tolerance = 1e-12 * ball.radius();
        Self { manifold, ball, bound: None, tolerance, assume_in_ball: false }
    }

    /// The bound of the sensitivity to use instead of the smallest proven one.
    #[must_use]
    pub fn bound(self, bound: Option<Bound>) -> Self {
        Self { bound, ..self }
    }

    /// The gradient norm at which the iteration for the mean stops; its effect is added to the sensitivity. Public.
    /// Default: 1e-12 times the radius.
    #[must_use]
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// The public ball.
    pub fn ball(&self) -> &Ball {
        &self.ball
    }

    /// Switches clipping off: the records are known to lie in the ball. The guarantee then holds only if they do, and the
    /// release says so.
    #[must_use]
    pub fn assume_in_ball(self, assume_in_ball: bool) -> Self {
        Self { assume_in_ball, ..self }
    }

    /// The sensitivity for `n` records: public, it depends on the space, the ball and `n`.
    ///
    /// # Errors
    /// [`Error::RadiusTooLarge`] where the bound does not exist.
    pub fn sensitivity(&self, n: usize) -> Result<Sensitivity> {
        let exact = sensitivity::frechet_mean(self.manifold, self.ball.radius(), n, self.bound)?;
        // a mean in flat coordinates is computed, not iterated for
        if self.manifold.flat_chart().is_some() { Ok(exact) } else { exact.with_tolerance(self.tolerance) }
    }

    /// Clips the records and computes their mean.
    ///
    /// # Errors
    /// [`Error::RadiusTooLarge`], [`Error::NoConvergence`].
    pub fn summarize(&self, points: &Points) -> Result<Summary<'a>> {
        let n = points.len();
        let sensitivity = self.sensitivity(n)?;
        let value = match self.manifold.flat_chart() {
            Some(chart) => self.flat_mean(chart, points)?,
            None => self.iterated_mean(points)?,
        };
        Ok(Summary {
            manifold: self.manifold,
            value,
            statistic: "frechet-mean",
            n,
            ball: self.ball.clone(),
            sensitivity,
            assumed_in_ball: self.assume_in_ball,
        })
    }

    /// The mean by iteration, to a quarter of the tolerance: the rest pays for clipping the last iterate, which rounding may have
    /// left just outside the ball, back into it (the mean is inside, so the clip moves it by no more than its distance from the mean).
    fn iterated_mean(&self, points: &Points) -> Result<Vec<f64>> {
        let records = if self.assume_in_ball { points.clone() } else { self.ball.clip_all(self.manifold, points) };
        let iterate = FrechetMean::new(self.manifold)
            .start(self.ball.center())
            .tolerance(0.25 * self.tolerance)
            .fit(records.view())
            .map_err(|_| Error::NoConvergence)?;
        if self.manifold.dist(self.ball.center(), &iterate) > self.ball.radius() * (1.0 + 1e3 * CLIP_SLACK) {
            return Err(Error::NoConvergence);
        }
        let mut mean = vec![0.0; iterate.len()];
        self.ball.clip(self.manifold, &iterate, &mut mean);
        Ok(mean)
    }

    /// The mean in flat coordinates of the records, clipped there: the chart is an isometry, so both are the same as on `M`.
    fn flat_mean(&self, chart: &dyn FlatChart, points: &Points) -> Result<Vec<f64>> {
        let space = Euclidean::new(self.manifold.dim())?;
        let mut center = vec![0.0; self.manifold.dim()];
        chart.to_flat(self.ball.center(), &mut center);
        let ball = Ball::new(&space, center, self.ball.radius())?;
        let flat = points.map(self.manifold.dim(), |records, out| chart.all_to_flat(records, out));
        let records = if self.assume_in_ball { flat } else { ball.clip_all(&space, &flat) };
        FrechetMean::new(&space).fit(records.view())
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
        let mut value = vec![0.0; self.manifold.point_len()];
        match self.manifold.flat_chart() {
            Some(chart) => {
                let mut coordinates = self.value.clone();
                noise.isotropic.add_flat_noise(&mut coordinates, generator);
                chart.from_flat(&coordinates, &mut value);
            }
            None => noise.isotropic.sample(&self.value, generator, &mut value)?,
        }
        self.manifold.repair(&mut value); // of the private value: no budget is spent
        let mut flags = vec![Flag::IdealizedNumerics];
        if generator.is_seeded() {
            flags.push(Flag::Seeded);
        }
        if self.assumed_in_ball {
            flags.push(Flag::AssumedInBall);
        }
        Ok(Release {
            schema: 1,
            karcher: env!("CARGO_PKG_VERSION"),
            statistic: self.statistic,
            manifold: self.manifold.space(),
            n: self.n,
            value,
            guarantee: noise.guarantee,
            adjacency: Adjacency::ReplaceOne,
            mechanism: noise.mechanism,
            scale: noise.scale(),
            sensitivity: self.sensitivity.into(),
            ball: self.ball.clone(),
            expected_distance: noise.expected_distance(),
            bias_bound: None,
            steps: None,
            flags,
        })
    }
}
