//! Certified descent to the mean: it ends after a public number of steps, with a mean as accurate as the sensitivity
//! assumes.
//!
//! A guaranteed method backs up the fast one: where that does not converge, it starts from the ball's center (user
//! guide, C3): `m ← Exp_m(−t·grad F(m))` with a fixed step `t`. It stays in the ball. As long as the computed gradient
//! is above the stop, it lowers `F` by at least `t‖grad F‖²/10` in spite of rounding. In units with `κ = 1`,
//! `x = √κ·r`, this happens
//!
//! * where `‖grad F‖ ≥ T = 3/(4·tan x)`, at most `(r²/2) / (t·T²/10)` times, since `0 ≤ F ≤ F(m₀) ≤ r²/2`;
//! * otherwise `Hess F ≥ c = g(x)/4`, so `F` exceeds its minimum by at most `‖grad F‖²/2c`, and a step removes a
//!   fraction of at least `tc/5` of that excess. The excess is at most `r²/2` at the start and, while a step can still
//!   be made, at least `t·stop²/18` at the end: at most `(5/tc)·ln(9r²/(t·stop²))` times.
//!
//! For `κ ≤ 0` there is no first kind, and `c = 1`.
//!
//! In a product of balls the iteration goes on in each factor by itself, and `x` is the largest of their `√κᵢ·rᵢ`:
//! where `‖grad F‖ < T`, so is each factor's part of it. As many steps as the second kind are enough for the parts
//! without positive curvature to fall below `T/2`. From then on a step of the first kind lowers the rest of `F` by
//! `¾·t·T²/10`. That rest is at most half of the sum of the squares of the other radii.

use crate::error::{Error, Result};
use crate::manifold::CurvatureBounds;
use crate::nonprivate::Descent;
use crate::records::{Centered, ExactSum, PreparedRecords, Summand};
use std::cell::Cell;

/// Steps of the fast iteration.
const FAST: usize = 500;

/// The fraction of `cot x` below which the gradient counts as small.
const SMALL: f64 = 0.75;

/// Parameters that are decided before records are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Certain {
    /// `t`.
    step: f64,
    /// The computed gradient norm at which the iteration stops.
    stop: f64,
    /// The largest number of certified steps.
    steps: usize,
}

impl Certain {
    /// The iteration that stops at `tolerance`, or at the accuracy of rounding if that is larger.
    pub(super) fn new(centered: &Centered, tolerance: f64) -> Self {
        let CurvatureBounds { lower, upper } = centered.space().curvature();
        // rounding enlarges the ball of the records
        let outward = 1.0 + 1e-9;
        let (radius, x) = (centered.radius() * outward, centered.positive_angle() * outward);
        let g = if x > 0.0 { x / x.tan() } else { 1.0 };
        let reach = 2.0 * centered.negative_angle() * outward;
        let largest_hessian = if reach > 0.0 { reach / reach.tanh() } else { 1.0 };
        let is_sphere = lower == upper && upper > 0.0;
        let step = if is_sphere { 1.0 } else { g / largest_hessian };
        let stop = tolerance.max(4.0 * centered.rounding()).max(40.0 * centered.step_rounding() / step);
        let (bent, kinds, rest) = match centered.of().radii() {
            [] => (x, 1.0, 1.0),
            _ => (upper.max(0.0).sqrt() * centered.radius_of_positive() * outward, 2.0, 0.75),
        };
        let (steep, hessian) = if x > 0.0 {
            (5.0 * (bent * x.tan() / SMALL).powi(2) / (rest * step), (1.0 - SMALL) * g)
        } else {
            (0.0, 1.0)
        };
        let flat = 5.0 / (step * hessian) * (9.0 * (radius / stop).powi(2) / step).ln().max(0.0);
        Self { step, stop, steps: (steep + kinds * flat).ceil() as usize + 2 }
    }

    /// The computed gradient norm at which the iteration stops.
    pub(super) fn stop(&self) -> f64 {
        self.stop
    }

    /// The mean of records in the ball: a point whose computed gradient is not above the stop.
    ///
    /// The certified iteration takes no more than the public number of steps, in real arithmetic and with the measured
    /// allowance for rounding in `Exp`. If it has not converged after them, there is still a result. It is the one of
    /// the smaller gradient, or, where a proof rests on the gradient (`certified`), the center, which reveals nothing.
    ///
    /// # Errors
    /// [`Error::Unanswered`] where remote records could not be read.
    pub(super) fn mean(&self, centered: &Centered, records: &PreparedRecords<'_>, certified: bool) -> Result<Vec<f64>> {
        // an unanswered query gives no gradient: it ends the iteration, and the result is an error
        let unread = Cell::new(None);
        let sum = |term: &Summand| {
            records.sum(centered.space(), term).inspect_err(|error| {
                if matches!(error, Error::Unanswered { .. }) {
                    unread.set(Some(error.clone()));
                }
            })
        };
        let mean = self.iterate(centered, &sum, certified);
        unread.take().map_or(Ok(mean), Err)
    }

    fn iterate(&self, centered: &Centered, sum: &dyn Fn(&Summand) -> Result<ExactSum>, certified: bool) -> Vec<f64> {
        let settle = |x: &mut [f64]| centered.pull(x);
        let descent = descent(centered, sum, &settle);
        // there is always a gradient where records are in the ball
        let Ok(start) = descent.at(centered.center().to_vec()) else { return centered.center().to_vec() };
        let fast = descent.fast(start.clone(), self.stop, 0.0, FAST);
        if fast.size <= self.stop {
            return fast.point;
        }
        let certain = descent.certain(start, self.step, self.stop, self.steps);
        if certified && certain.size > self.stop {
            return centered.center().to_vec();
        }
        if certain.size <= fast.size { certain.point } else { fast.point }
    }

    /// The certified iteration alone, for tests: its end, and the gradient there.
    #[cfg(test)]
    pub(super) fn slowly(&self, centered: &Centered, records: &PreparedRecords<'_>) -> (Vec<f64>, f64) {
        let settle = |x: &mut [f64]| centered.pull(x);
        let sum = |term: &Summand| records.sum(centered.space(), term);
        let descent = descent(centered, &sum, &settle);
        let start = descent.at(centered.center().to_vec()).unwrap();
        let end = descent.certain(start, self.step, self.stop, self.steps);
        (end.point, end.size)
    }
}

fn descent<'a>(
    centered: &'a Centered,
    sum: &'a dyn Fn(&Summand) -> Result<ExactSum>,
    settle: &'a dyn Fn(&mut [f64]),
) -> Descent<'a> {
    Descent { manifold: centered.space(), sum, bound: centered.longest_log(), settle }
}

#[cfg(test)]
mod tests;
