//! A confidential statistic with everything a mechanism needs to know to release it.

use crate::ball::Ball;
use crate::error::{Error, Result};
use crate::manifold::{Euclidean, FlatChart, Manifold};
use crate::points::Points;
use crate::privacy::Guarantee;
use crate::release::{Adjacency, Flag, Release};
use crate::sampler::{Generator, Isotropic, Law};
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
}

/// The Fréchet mean of clipped records, ready for a mechanism (user guide, C1–C3).
#[derive(Debug, Clone)]
pub struct PrivateFrechetMean<'a> {
    manifold: &'a dyn Manifold,
    ball: Ball,
    bound: Option<Bound>,
    tolerance: f64,
}

impl<'a> PrivateFrechetMean<'a> {
    /// The mean of records clipped to a public ball.
    pub fn new(manifold: &'a dyn Manifold, ball: Ball) -> Self {
        let tolerance = 1e-12 * ball.radius();
        Self { manifold, ball, bound: None, tolerance }
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
            None => {
                let clipped = self.ball.clip_all(self.manifold, points);
                FrechetMean::new(self.manifold)
                    .start(self.ball.center())
                    .tolerance(self.tolerance)
                    .fit(clipped.view())
                    .map_err(|_| Error::NoConvergence)?
            }
        };
        let (manifold, ball) = (self.manifold, self.ball.clone());
        Ok(Summary { manifold, value, statistic: "frechet-mean", n, ball, sensitivity })
    }

    /// The mean in flat coordinates of the records, clipped there: the chart is an isometry, so both are the same as on `M`.
    fn flat_mean(&self, chart: &dyn FlatChart, points: &Points) -> Result<Vec<f64>> {
        let space = Euclidean::new(self.manifold.dim())?;
        let mut center = vec![0.0; self.manifold.dim()];
        chart.to_flat(self.ball.center(), &mut center);
        let ball = Ball::new(&space, center, self.ball.radius())?;
        let flat = points.map(self.manifold.dim(), |x, out| chart.to_flat(x, out));
        FrechetMean::new(&space).fit(ball.clip_all(&space, &flat).view())
    }
}

impl Summary<'_> {
    /// The sensitivity, public.
    pub fn sensitivity(&self) -> Sensitivity {
        self.sensitivity
    }

    pub(super) fn manifold(&self) -> &dyn Manifold {
        self.manifold
    }

    /// Draws from an isotropic law around the value: what a mechanism releases.
    pub(super) fn release(
        &self,
        law: Law,
        scale: f64,
        guarantee: Guarantee,
        mechanism: &'static str,
        generator: &mut Generator,
    ) -> Result<Release> {
        let mut value = vec![0.0; self.manifold.point_len()];
        let expected_distance = match self.manifold.flat_chart() {
            Some(chart) => {
                let space = Euclidean::new(self.manifold.dim())?;
                let noise = Isotropic::new(&space, law, scale)?;
                let mut coordinates = vec![0.0; self.value.len()];
                noise.sample(&self.value, generator, &mut coordinates)?;
                chart.from_flat(&coordinates, &mut value);
                noise.expected_distance()?
            }
            None => {
                let noise = Isotropic::new(self.manifold, law, scale)?;
                noise.sample(&self.value, generator, &mut value)?;
                noise.expected_distance()?
            }
        };
        let mut flags = vec![Flag::IdealizedNumerics];
        if generator.is_seeded() {
            flags.push(Flag::Seeded);
        }
        Ok(Release {
            schema: 1,
            karcher: env!("CARGO_PKG_VERSION"),
            statistic: self.statistic,
            manifold: self.manifold.space(),
            n: self.n,
            value,
            guarantee,
            adjacency: Adjacency::ReplaceOne,
            mechanism,
            scale,
            sensitivity: self.sensitivity,
            ball: self.ball.clone(),
            expected_distance,
            flags,
        })
    }
}
