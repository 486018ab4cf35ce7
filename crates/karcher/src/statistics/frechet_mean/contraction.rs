//! Accuracy of gradient steps from the center of the ball to the mean, from what is known before any record is read
//! (user guide, M5).
//!
//! Let the mean lie at a distance `u ≤ r` from the center, and `v` be the mean square of the records' distances from
//! it. Records in the ball that have a far mean have a small spread: `v ≤ r² − hu²`, `h = g(r)` where `κ > 0`, else 1.
//! And the Hessian of the objective at the mean has its eigenvalues in `[h₋, h₊]`: `h₋ = g(√v)` where `κ > 0`, else 1;
//! `h₊ = a√v·coth(a√v)`, `a = √−κ₋`, where `κ₋ < 0`, else 1. Near the mean a step of size `η` shrinks every error by
//! `q = max{1 − ηh₋, ηh₊ − 1}`, so `T` steps leave `u·q^T` of the start's. So either the distance is long or the steps
//! shrink poorly, but not both.

use crate::manifold::{CurvatureBounds, Manifold};
use crate::privacy::remembered::Remembered;
use std::convert::Infallible;
use std::f64::consts::FRAC_PI_2;

/// The possible means, from `u = 0` to `u = r`.
pub(super) struct Contraction {
    curvature: CurvatureBounds,
    radius: f64,
    cases: Vec<Case>,
    /// The same cases, side by side, and filled up with cases of distance 0.
    together: Vec<[[f64; LANES]; 3]>,
}

/// Cases that are computed together.
const LANES: usize = 8;

/// A distance of the mean from the center.
struct Case {
    distance: f64,
    /// The largest `v`.
    spread: f64,
    /// `h₋` and `h₊`.
    least: f64,
    largest: f64,
}

/// Number of evenly spaced distances that are considered.
const CASES: u32 = 200;

impl Contraction {
    pub(super) fn new(manifold: &dyn Manifold, radius: f64) -> Self {
        let convexity = hessian_range(manifold, radius).0;
        let case = |i| {
            let distance = radius * f64::from(i) / f64::from(CASES);
            let spread = (radius * radius - convexity * distance * distance).max(0.0);
            let (least, largest) = hessian_range(manifold, spread.sqrt());
            Case { distance, spread, least, largest }
        };
        let cases: Vec<Case> = (0..=CASES).map(case).collect();
        let of = |case: &Case| [case.distance, case.least, case.largest];
        let side_by_side = |some: &[Case]| {
            let numbers = |which| std::array::from_fn(|i| some.get(i).map_or(0.0, |case| of(case)[which]));
            [numbers(0), numbers(1), numbers(2)]
        };
        Self {
            curvature: manifold.curvature(),
            radius,
            together: cases.chunks(LANES).map(side_by_side).collect(),
            cases,
        }
    }

    /// The step size `η` that leaves the least of the start's error after a number of steps, whatever the records are.
    ///
    /// The remaining error is a convex function of `η`.
    pub(super) fn step_size(&self, steps: usize) -> f64 {
        let widest = &self.cases[0];
        if widest.least == widest.largest {
            return 1.0 / widest.least;
        }
        // what all cases follow from
        static KNOWN: Remembered<([f64; 3], usize), f64> = Remembered::new();
        let CurvatureBounds { lower, upper } = self.curvature;
        let Ok(step_size) = KNOWN
            .or_compute(([lower, upper, self.radius], steps), || Ok::<_, Infallible>(self.search_step_size(steps)));
        step_size
    }

    fn search_step_size(&self, steps: usize) -> f64 {
        let (mut low, mut high) = (0.0, 2.0 / self.cases[0].least);
        for _ in 0..80 {
            let third = (high - low) / 3.0;
            if self.bias(low + third, steps) < self.bias(high - third, steps) {
                high -= third;
            } else {
                low += third;
            }
        }
        0.5 * (low + high)
    }

    /// The `q` of the widest spread: the largest fraction of any error that a step leaves.
    pub(super) fn shrink(&self, step_size: f64) -> f64 {
        self.cases[0].shrink(step_size)
    }

    /// The largest `u·q^T`. A step size takes many of them.
    pub(super) fn bias(&self, step_size: f64, steps: usize) -> f64 {
        let larger = |a: f64, b: f64| if a > b { a } else { b };
        let mut all = [0.0; LANES];
        for [distance, least, largest] in &self.together {
            let shrink = |i: usize| larger(larger(1.0 - step_size * least[i], step_size * largest[i] - 1.0), 0.0);
            let (mut square, mut power): ([f64; LANES], _) = (std::array::from_fn(shrink), [1.0; LANES]);
            let mut left = steps;
            loop {
                if left % 2 == 1 {
                    power = std::array::from_fn(|i| power[i] * square[i]);
                }
                left /= 2;
                if left == 0 {
                    break;
                }
                square = std::array::from_fn(|i| square[i] * square[i]);
            }
            all = std::array::from_fn(|i| larger(distance[i] * power[i], all[i]));
        }
        all.into_iter().fold(0.0, f64::max)
    }

    /// The largest `u·q^T` plus the bias of clipping logarithms to `c`, when noise of size `e` displaces the iterate.
    ///
    /// No record is further than `S = r + u + e` from it, and the mean square is at most `v + e²`. For lengths `t` up
    /// to `S`, `(t − c)₊ ≤ t²·max (t − c)/t²`, and the maximum is at `w = min{S, 2c}`. So clipping cuts off at most
    /// `(v + e²)(w − c)₊/w²` on average. It displaces the limit by that over `h₋`.
    pub(super) fn bias_of_clipped(&self, step_size: f64, steps: usize, clip: f64, astray: f64) -> f64 {
        self.largest(|case| {
            let furthest = self.radius + case.distance + astray;
            let w = furthest.min(2.0 * clip);
            let cut = (case.spread + astray * astray) * (w - clip).max(0.0) / (w * w);
            case.left(step_size, steps) + cut / case.least
        })
    }

    fn largest(&self, value: impl Fn(&Case) -> f64) -> f64 {
        self.cases.iter().map(value).fold(0.0, f64::max)
    }
}

impl Case {
    fn shrink(&self, step_size: f64) -> f64 {
        (1.0 - step_size * self.least).max(step_size * self.largest - 1.0).max(0.0)
    }

    fn left(&self, step_size: f64, steps: usize) -> f64 {
        self.distance * self.shrink(step_size).powi(steps as i32)
    }
}

/// `[h₋, h₊]` where the root mean square of the records' distances is `spread`.
fn hessian_range(manifold: &dyn Manifold, spread: f64) -> (f64, f64) {
    let CurvatureBounds { lower, upper } = manifold.curvature();
    let x = upper.max(0.0).sqrt() * spread;
    // beyond the radius where the mean is unique any small number is valid
    let least = if x > 0.0 { (x / x.tan()).max(0.05) } else { 1.0 };
    let least = if x < FRAC_PI_2 { least } else { 0.05 };
    let y = (-lower).max(0.0).sqrt() * spread;
    let largest = if y > 0.0 { y / y.tanh() } else { 1.0 };
    (least, largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;

    /// The release depends on the step size, and that on every bit.
    #[test]
    fn a_bias_has_the_bits_of_its_largest_case() {
        for (name, radius) in [("sphere:2", 0.8), ("sphere:2", 1.5), ("hyperbolic:2", 2.0), ("kendall:6", 0.7)] {
            let contraction = Contraction::new(&*name.parse::<Space>().unwrap().manifold().unwrap(), radius);
            for steps in [1, 2, 3, 5, 7, 10, 100] {
                for step_size in (0..=60).map(|i| f64::from(i) / 20.0) {
                    let direct = contraction.largest(|case| case.left(step_size, steps));
                    let found = contraction.bias(step_size, steps);
                    assert_eq!(found.to_bits(), direct.to_bits(), "{name}, {steps} steps of {step_size}");
                }
            }
        }
    }

    #[test]
    fn a_remembered_step_size_is_that_of_its_own_ball() {
        for (name, radius) in
            [("sphere:2", 0.8), ("sphere:2", 0.9), ("hyperbolic:2", 0.8), ("kendall:6", 0.7)].repeat(2)
        {
            let contraction = Contraction::new(&*name.parse::<Space>().unwrap().manifold().unwrap(), radius);
            for steps in 1..=10 {
                assert_eq!(contraction.step_size(steps), contraction.search_step_size(steps), "{name}, {steps}");
            }
        }
    }
}
