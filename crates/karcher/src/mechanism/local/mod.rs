//! The local model: a person adds the noise at home, and no one else ever sees the record (user guide, U4).
//!
//! The release is `clip_r(Log_{m₀} x) + N` in coordinates at the public center, with exact Laplace or Gaussian noise
//! for a sensitivity of `2r`: any two points of the ball are neighbours. It is the [sum](Summand::ClippedLog) of one
//! record, so the guarantee holds for the bits, on every space and in a ball of any size. The vector is released, and
//! not its point under `Exp`: the noise in a mean of vectors vanishes as their number grows, but a mean of points would
//! be biased.

pub(crate) mod collect;

use crate::ball::Ball;
use crate::error::Result;
use crate::manifold::Manifold;
use crate::mechanism::noise::exact::noisy_mean;
use crate::mechanism::noise::shortest;
use crate::mechanism::plan::sealed::Sealed;
use crate::mechanism::{Plan, PlanSummary, PrivateFrechetMean};
use crate::noise::Law;
use crate::privacy::Guarantee;
use crate::privacy::rounding::mul_up;
use crate::records::{Records, quantum};
use crate::release::{
    MechanismName, NoiseDraw, NoiseOf, Numerics, OpenRelease, RandomizedRecord, Release, ReleasedBound,
    ReleasedSensitivity, StatisticName, Value,
};
use std::sync::Arc;

/// The randomizer of one record, with everything decided that does not need it.
///
/// ```
/// use karcher::{Ball, ReleaseContext, Points, manifold::Sphere, mechanism::{Plan, Randomizer, collect}, privacy::Guarantee};
/// use std::sync::Arc;
/// let sphere = Arc::new(Sphere::new(2)?);
/// let ball = Ball::at_origin(&*sphere, 0.5)?;
/// let randomizer = Randomizer::new(sphere.clone(), ball, Guarantee::pure(2.0)?)?;
/// let at_home = |x: Vec<f64>| randomizer.run(&Points::new(&*sphere, x)?, &mut ReleaseContext::from_os()?);
/// let report = at_home(vec![0.96, 0.28, 0.0])?;
/// assert_eq!((report.n(), report.sensitivity().value >= 1.0), (Some(1), true)); // 2r
/// let reports = (0..1_000).map(|_| Ok(at_home(vec![0.96, 0.28, 0.0])?.into()));
/// let mean = collect(&reports.collect::<karcher::Result<Vec<_>>>()?)?;
/// assert!((mean.value[1] - 0.28).abs() < 10.0 * mean.expected_distance);
/// # Ok::<(), karcher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Randomizer {
    mean: PrivateFrechetMean,
    law: Law,
    summary: PlanSummary,
}

impl Randomizer {
    /// The randomizer for records of a public ball, with the law that makes the noise shorter.
    ///
    /// # Errors
    /// [`Error::Geometry`](crate::Error::Geometry) for a ball of another space. Also
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for a radius or a budget that over- or underflows.
    pub fn new(manifold: Arc<dyn Manifold>, ball: Ball, budget: Guarantee) -> Result<Self> {
        let mean = PrivateFrechetMean::new(manifold, ball)?;
        let (manifold, ball) = (mean.manifold(), mean.ball());
        let sensitivity = mul_up(2.0, ball.radius());
        let noise = shortest(manifold.dim(), sensitivity, budget)?;
        let described = PlanSummary::new(
            MechanismName::Chart,
            (StatisticName::Record, manifold, ball),
            1,
            budget,
            noise.scale(),
            ReleasedSensitivity { value: sensitivity, bound: ReleasedBound::ClippedGradient },
            noise.expected_distance(),
        );
        let draw = NoiseDraw::on_vector(NoiseOf::Value, noise.law(), manifold.dim(), noise.scale(), sensitivity);
        let (distance, draws) = (Some(noise.distance().clone()), vec![draw]);
        let summary = PlanSummary { distance, noise: draws, numerics: Numerics::Exact, ..described };
        Ok(Self { law: noise.law(), mean, summary })
    }

    /// The law of the noise.
    pub fn law(&self) -> Law {
        self.law
    }

    pub(super) fn mean(&self) -> &PrivateFrechetMean {
        &self.mean
    }
}

impl Sealed for Randomizer {}

impl Plan for Randomizer {
    fn summary(&self) -> &PlanSummary {
        &self.summary
    }

    fn draw(
        &self,
        records: &dyn Records,
        context: &mut OpenRelease<'_>,
        _: &(dyn Fn(usize) + Sync),
    ) -> Result<Release> {
        self.summary.begin(records, context)?;
        let total = self.mean.first_sum(records)?;
        let coordinates = noisy_mean(&total, self.law, self.summary.scale, context.generator())?;
        let provenance = self.summary.provenance(self.lattice(), self.summary.flags.clone());
        context.release(provenance, Value::Record(RandomizedRecord { coordinates }))
    }

    fn lattice(&self) -> f64 {
        quantum(self.mean.ball().radius())
    }
}
