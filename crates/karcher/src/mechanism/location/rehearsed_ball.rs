//! What is to be expected of a mean in a ball that is located first: rehearsed with a made-up cloud, from public
//! quantities alone. **No bound**: records may be like anything (user guide, B6).
//!
//! The cloud is normal, as wide in all `d` directions, with the root mean square distance `S` from its mean, halfway to
//! the edge of the outer ball; everything is computed as on flat space, but for the noise of the mean, which is that of
//! the mechanism on the space.
//!
//! 1. The flow ends at a distance `δ` from its center ([`FlowToMedian::rehearse`](crate::mechanism::FlowToMedian)).
//! 2. The squared distances to that point have the mean `S² + δ²` and the variance `(2S⁴ + 4S²δ²)/d`; their law is
//!    taken for the gamma law with those, which it is for `δ = 0`. It makes expected counts of the grid's radii, and
//!    counts make the probability of each radius, exactly.
//! 3. In a ball of radius `r`, with the margin, the mean has the expected error of the best mechanism there, for a mean
//!    that is `δ` from the center. Clipping moves it by about
//!
//!    ```text
//!    δ·E[1 − (1 − 1/d)·r/ρ; ρ > r]   and, at random, by   √(E[(ρ − r)²; ρ > r]/n),
//!    ```
//!
//!    the first to the first order in `δ`, and at most `E[ρ − r; ρ > r]`. The three are added in squares.
//! 4. That, over the law of the radius, is what is expected.
//!
//! One stage is compared with it by the same cloud: the expected error of a mean halfway to the edge, and what clipping
//! to the ball as it is does to it.

use crate::ball::Ball;
use crate::error::{GeometryError, Result};
use crate::mechanism::RehearsedBall;
use crate::mechanism::{LocatedMean, Plan};
use statrs::function::gamma::{checked_gamma_ur, ln_gamma};

/// What is found, the error that is expected in all, and the plan in a ball of the radius that is found.
pub(super) type Rehearsed = (RehearsedBall, f64, Box<dyn Plan>);

/// Radii that are less likely than this are left out.
const UNLIKELY: f64 = 1e-6;

/// Between balls of the grid in which the mean's error over the radius differs by less than this factor it is
/// interpolated, and so it is where the larger ball is at most √2 as large as the smaller one.
const SMOOTH: f64 = 1.05;
const STRIDE: usize = 4;

/// A cloud so far away that all of it is at one distance: a law that is narrower than the grid needs no more.
const NARROWEST: f64 = 1e4;

/// Distances above this, in units of the spread, are taken for it.
const FARTHEST: f64 = 1e100;

impl LocatedMean {
    /// Rehearses the mean with a made-up cloud of a spread.
    ///
    /// # Errors
    /// Why there is no plan in a ball of a likely radius. Public.
    pub(super) fn rehearse(&self, spread: f64) -> Result<Rehearsed> {
        let off = self.location().rehearse_center(spread);
        let summary = self.location().summary();
        let cloud = Cloud::seen_from(off / spread, summary.manifold.dim() as f64);
        let law = self.location().rehearse_radius(|r| 1.0 - cloud.beyond(0.0, r / spread));
        let likely: Vec<usize> = (0..law.len()).filter(|place| law[*place] > UNLIKELY).collect();
        let (Some(first), Some(last)) = (likely.first(), likely.last()) else {
            return Err(GeometryError::NoRecords.into());
        };

        let plan = |radius: f64| -> Result<Box<dyn Plan>> {
            self.plan_in(Ball::new(&*summary.manifold, summary.ball.center().to_vec(), radius)?)
        };
        let ratio = |place: usize| {
            let radius = self.radius_of(place);
            let plan = plan(radius)?;
            Ok((plan.expected_distance_at(off) + plan.bias_bound()) / radius)
        };
        let ratios = interpolated((*first, ratio(*first)?), (*last, ratio(*last)?), &ratio)?;

        let (mut noise, mut clipping, mut error, mut below, mut typical) = (0.0, 0.0, 0.0, 0.0, self.radius_of(*last));
        let all: f64 = likely.iter().map(|place| law[*place]).sum();
        for place in likely.iter().copied() {
            let (share, radius) = (law[place] / all, self.radius_of(place));
            let noisy = radius * ratios[place - first];
            let clipped = spread * cloud.clipping(radius / spread, summary.n as f64);
            noise += share * noisy;
            clipping += share * clipped;
            error += share * f64::hypot(noisy, clipped);
            if below < 0.5 {
                typical = radius;
            }
            below += share;
        }
        let plan = plan(typical)?;
        let found = RehearsedBall {
            expected_spread: spread,
            center: off,
            radius: typical,
            noise,
            clipping,
            mechanism: plan.name(),
        };
        Ok((found, error, plan))
    }
}

impl RehearsedBall {
    /// What is expected of a single stage in the ball as it is, with the same cloud.
    pub(crate) fn of_one_stage(&self, plan: &dyn Plan) -> f64 {
        let (summary, spread) = (plan.summary(), self.expected_spread);
        let (radius, off) = (summary.ball.radius(), 0.5 * summary.ball.radius());
        let cloud = Cloud::seen_from(off / spread, summary.manifold.dim() as f64);
        let clipped = spread * cloud.clipping(radius / spread, summary.n as f64);
        f64::hypot(plan.expected_distance_at(off) + plan.bias_bound(), clipped)
    }
}

/// A ratio at all places from one to another, of which the ends are known: computed at as few as will do.
fn interpolated(
    (first, low): (usize, f64),
    (last, high): (usize, f64),
    ratio: &dyn Fn(usize) -> Result<f64>,
) -> Result<Vec<f64>> {
    let is_smooth = low.max(high) < SMOOTH * low.min(high);
    if is_smooth || last - first <= STRIDE {
        let step = (high - low) / (last - first).max(1) as f64;
        return Ok((0..=last - first).map(|k| low + k as f64 * step).collect());
    }
    let middle = first.midpoint(last);
    let between = (middle, ratio(middle)?);
    let mut all = interpolated((first, low), between, ratio)?;
    all.pop(); // the middle comes again
    all.extend(interpolated(between, (last, high), ratio)?);
    Ok(all)
}

/// Distances of a normal cloud from a point, in units of its spread: their squares have a gamma law.
#[derive(Debug, Clone, Copy)]
struct Cloud {
    dim: f64,
    off: f64,
    shape: f64,
    scale: f64,
}

impl Cloud {
    fn seen_from(off: f64, dim: f64) -> Self {
        let off = off.min(FARTHEST);
        let mean = 1.0 + off * off;
        let relative_variance = 2.0 / dim / mean * (2.0 - 1.0 / mean);
        let shape = (1.0 / relative_variance).min(NARROWEST);
        Self { dim, off, shape, scale: mean / shape }
    }

    /// `E[ρ^m; ρ > r]`, for `m > −2·shape`.
    fn beyond(&self, m: f64, r: f64) -> f64 {
        let shape = self.shape + 0.5 * m;
        let moment = (0.5 * m * self.scale.ln() + ln_gamma(shape) - ln_gamma(self.shape)).exp();
        // of no law as narrow as these is anything left beyond
        let above = (r / self.scale.sqrt()).powi(2).min(10.0 * NARROWEST);
        moment * checked_gamma_ur(shape, above).unwrap_or(0.0)
    }

    /// How far clipping at `r` moves the mean of `n` records.
    fn clipping(&self, r: f64, n: f64) -> f64 {
        let outside = self.beyond(0.0, r);
        let along = if self.dim > 1.0 { (1.0 - 1.0 / self.dim) * r * self.beyond(-1.0, r) } else { 0.0 };
        let along_all = self.beyond(1.0, r) - r * outside; // if all of them lay in one direction
        let square = self.beyond(2.0, r) - 2.0 * r * self.beyond(1.0, r) + r * r * outside;
        let moved = (self.off * (outside - along)).min(along_all).max(0.0);
        f64::hypot(moved, (square.max(0.0) / n).sqrt())
    }
}
