//! The rehearsal of a mean in a located ball, with a made-up cloud, from public quantities alone. It gives an
//! expectation and **no bound**, since records may be arbitrary (user guide, B6).
//!
//! The cloud is normal, equally wide in all `d` directions, with the root mean square distance `S` from its mean. It is
//! halfway to the edge of the outer ball. Everything is computed as on flat space, except the noise of the mean, which
//! is that of the mechanism on the space.
//!
//! 1. The flow ends at a distance `δ` from its center ([`FlowToMedian::rehearse`](crate::mechanism::FlowToMedian)).
//! 2. The squared distances to that point have the mean `S² + δ²` and the variance `(2S⁴ + 4S²δ²)/d`. Their law is
//!    approximated by the gamma law with these, which is exact for `δ = 0`. It gives expected counts of the grid's
//!    radii, and counts give the probability of each radius, exactly.
//! 3. In a ball of radius `r`, with the margin, the mean has the expected error of the best mechanism there, for a mean
//!    that is `δ` from the center. Clipping moves it by about
//!
//!    ```text
//!    δ·E[1 − (1 − 1/d)·r/ρ; ρ > r]   and, at random, by   √(E[(ρ − r)²; ρ > r]/n),
//!    ```
//!
//!    the first to the first order in `δ`, and at most `E[ρ − r; ρ > r]`. The three are added in squares.
//! 4. The mean of this over the law of the radius is the expected error.
//!
//! A single stage is compared with it by the same cloud. Its error is that of a mean halfway to the edge, plus the
//! effect of clipping to the ball as it is.

use crate::ball::Ball;
use crate::error::{GeometryError, Result};
use crate::mechanism::RehearsedBall;
use crate::mechanism::{LocatedMean, Plan};
use statrs::function::gamma::{checked_gamma_ur, ln_gamma};

/// The found ball, the total expected error, and the plan in a ball of the found radius.
pub(super) type Rehearsed = (RehearsedBall, f64, Box<dyn Plan>);

/// Radii with a smaller probability are left out.
const UNLIKELY: f64 = 1e-6;

/// Largest ratio of the error per radius between balls of the grid for interpolation. The error is also interpolated
/// where the larger ball is at most √2 times as large as the smaller one.
const SMOOTH: f64 = 1.05;
const STRIDE: usize = 4;

/// A cloud so far away that all of it is at one distance: narrower laws are below the resolution of the grid.
const NARROWEST: f64 = 1e4;

/// Larger distances, in units of the spread, are replaced by this one.
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
    /// The expected error of a single stage in the ball as it is, with the same cloud.
    pub(crate) fn of_one_stage(&self, plan: &dyn Plan) -> f64 {
        let (summary, spread) = (plan.summary(), self.expected_spread);
        let (radius, off) = (summary.ball.radius(), 0.5 * summary.ball.radius());
        let cloud = Cloud::seen_from(off / spread, summary.manifold.dim() as f64);
        let clipped = spread * cloud.clipping(radius / spread, summary.n as f64);
        f64::hypot(plan.expected_distance_at(off) + plan.bias_bound(), clipped)
    }
}

/// A ratio at all places from one to another, with known ends: computed at as few places as possible.
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
        // laws as narrow as these have no mass beyond
        let above = (r / self.scale.sqrt()).powi(2).min(10.0 * NARROWEST);
        moment * checked_gamma_ur(shape, above).unwrap_or(0.0)
    }

    /// Distance by which clipping at `r` moves the mean of `n` records.
    fn clipping(&self, r: f64, n: f64) -> f64 {
        let outside = self.beyond(0.0, r);
        let along = if self.dim > 1.0 { (1.0 - 1.0 / self.dim) * r * self.beyond(-1.0, r) } else { 0.0 };
        let along_all = self.beyond(1.0, r) - r * outside; // if all of them lay in one direction
        let square = self.beyond(2.0, r) - 2.0 * r * self.beyond(1.0, r) + r * r * outside;
        let moved = (self.off * (outside - along)).min(along_all).max(0.0);
        f64::hypot(moved, (square.max(0.0) / n).sqrt())
    }
}
