//! The iteration for a private mean: it ends after a public number of steps, with a mean as exact as the sensitivity
//! says.
//!
//! A fast iteration runs first. Where it does not end by itself, the certain one starts anew from the ball's center
//! (user guide, C3): `m ← Exp_m(−t·grad F(m))` with a fixed step `t`, which stays in the ball, and lowers `F` by at
//! least `t‖grad F‖²/10` in spite of rounding as long as the computed gradient is above the stop. In units with `κ =
//! 1`, `x = √κ·r`:
//!
//! * where `‖grad F‖ ≥ T = 3/(4·tan x)`, at most `(r²/2) / (t·T²/10)` times, since `0 ≤ F ≤ F(m₀) ≤ r²/2`;
//! * elsewhere `Hess F ≥ c = g(x)/4`, so `F` exceeds its minimum by at most `‖grad F‖²/2c`, and a step takes away a
//!   share of at least `tc/5` of that excess. It is at most `r²/2` at the start and, as a step can still be made, at
//!   least `t·stop²/18` at the end: at most `(5/tc)·ln(9r²/(t·stop²))` times.
//!
//! For `κ ≤ 0` there is no first kind, and `c = 1`.

use crate::error::{Error, Result};
use crate::manifold::CurvatureBounds;
use crate::records::{Centered, ExactSum, PreparedRecords, Summand};
use crate::statistic::Descent;
use std::cell::Cell;

/// Steps of the fast iteration.
const FAST: usize = 500;

/// The share of `cot x` below which the gradient counts as small.
const SMALL: f64 = 0.75;

/// What is decided before records are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Certain {
    /// `t`.
    step: f64,
    /// The gradient norm, as computed, at which the iteration stops.
    stop: f64,
    /// The largest number of certain steps.
    steps: usize,
}

impl Certain {
    /// The iteration that stops at `tolerance`, or at what rounding allows if that is more.
    pub(super) fn new(centered: &Centered, radius: f64, tolerance: f64) -> Self {
        let CurvatureBounds { lower, upper } = centered.space().curvature();
        // records are inside a ball that is larger by rounding
        let radius = radius * (1.0 + 1e-9);
        let x = upper.max(0.0).sqrt() * radius;
        let g = if x > 0.0 { x / x.tan() } else { 1.0 };
        let reach = 2.0 * (-lower).max(0.0).sqrt() * radius;
        let largest_hessian = if reach > 0.0 { reach / reach.tanh() } else { 1.0 };
        let is_sphere = lower == upper && upper > 0.0;
        let step = if is_sphere { 1.0 } else { g / largest_hessian };
        let stop = tolerance.max(4.0 * centered.rounding()).max(40.0 * centered.step_rounding() / step);
        let (steep, hessian) =
            if x > 0.0 { (5.0 * (x * x.tan() / SMALL).powi(2) / step, (1.0 - SMALL) * g) } else { (0.0, 1.0) };
        let flat = 5.0 / (step * hessian) * (9.0 * (radius / stop).powi(2) / step).ln().max(0.0);
        Self { step, stop, steps: (steep + flat).ceil() as usize + 2 }
    }

    /// The gradient norm, as computed, at which the iteration stops.
    pub(super) fn stop(&self) -> f64 {
        self.stop
    }

    /// The mean of records in the ball: where the gradient, as computed, is not above the stop.
    ///
    /// The certain iteration takes no more than the public number of steps, in real arithmetic and with the allowance
    /// for rounding in `Exp`, which is measured. Should it not be there after them, there is a result all the same: the
    /// one of the smaller gradient, or, where a proof rests on the gradient (`certified`), the center, which tells
    /// nothing.
    ///
    /// # Errors
    /// [`Error::Unanswered`] where records that are elsewhere could not be read.
    pub(super) fn mean(&self, centered: &Centered, records: &PreparedRecords<'_>, certified: bool) -> Result<Vec<f64>> {
        // what cannot be read is no place without a gradient: it ends the iteration, and nothing comes of it
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
        // never without a gradient where records are in the ball
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

    /// The certain iteration alone, for tests: where it ends, and the gradient there.
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
