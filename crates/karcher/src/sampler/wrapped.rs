//! The effect of flat noise on a point's distance: the law of `ρ(Exp_{m₀}(a), Exp_{m₀}(a + N))` for the worst `a` of a
//! ball. The density of `N` depends on its length alone, in the tangent space at the center `m₀`.
//!
//! * Where no curvature is negative, `Exp_{m₀}` does not make paths longer: on symmetric spaces its differential has
//!   the singular values `|sin(√λ s)|/(√λ s) ≤ 1`. So the law of `‖N‖`, and the diameter, is an upper bound. Near
//!   `a = 0` it is attained for small noise.
//! * In hyperbolic space distances follow from the law of cosines, in the form
//!   `sinh²(ρ/2) = sinh²((s − t)/2) + sinh s·sinh t·sin²(γ/2)`, for points at the distances `s`, `t` from `m₀` and the
//!   angle `γ` between them. Logarithms of the terms are added so that nothing overflows. The law is a sum over lengths
//!   of `N` and its angles against `a`. The worst `a` is at the edge of the ball.
//! * On other spaces distances are averaged over draws of `N` with fixed public seeds. `a` is at the edge in each of
//!   the [steepest directions](Manifold::steepest_directions) that a space declares. Lengths of `N` are stratified, and
//!   the mean is `E‖N‖` times the quotient of the sums of `ρ` and of `‖N‖`, which varies less than either sum.
//!
//! All of this is planning: it depends on public quantities alone, and no guarantee rests on it.

use super::distance::DistanceLaw;
use super::isotropic::Isotropic;
use crate::Space;
use crate::error::Result;
use crate::manifold::{Euclidean, Manifold, Model};
use crate::noise::Generator;
use crate::noise::Law;
use crate::privacy::remembered::Remembered;
use crate::vector::dot;
use crate::vector::norm;
use crate::vector::unit_vector;
use rayon::prelude::*;
use std::f64::consts::{FRAC_PI_2, LN_2};
use std::ops::Range;
use std::sync::Arc;

/// Lengths and angles of the noise in hyperbolic space.
const LENGTHS: usize = 96;
const ANGLES: usize = 32;

/// Draws are this many over the dimension, within the limits: in high dimension all draws are alike.
const DRAWS: usize = 8192;
const FEWEST: usize = 4;
const MOST: usize = 4096;

/// Draws are at most this many over the number of operations that one takes, about the dimension to the power `3/2`.
const WORK: f64 = 1e6;

/// The shortest step that doubles distinguish well enough from 0. A shorter one is enlarged, where distances are still
/// proportional to it.
const SHORTEST: f64 = 1e-7;

/// The law of `ρ(Exp_{m₀}(a), Exp_{m₀}(a + N))` for the worst `‖a‖ ≤ radius`, `N` flat noise of the law and scale.
///
/// An upper bound where no curvature is negative; good to 1 % in hyperbolic space, and to 2 % on other spaces.
///
/// # Errors
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) unless the scale is a positive number.
pub(crate) fn wrapped_distance(manifold: &Arc<dyn Manifold>, radius: f64, law: Law, scale: f64) -> Result<DistanceLaw> {
    let flat = Isotropic::new(Arc::new(Euclidean::new(manifold.dim())?), law, scale)?.distance()?;
    let diameter = manifold.diameter();
    if manifold.curvature().lower >= 0.0 {
        return Ok(flat.within(diameter));
    }
    let fresh = || stretched(&**manifold, radius, &flat).within(diameter);
    if !manifold.is_of_library() {
        return Ok(fresh()); // its name does not say what it is
    }
    static KNOWN: Remembered<(Space, f64, Law, f64), DistanceLaw> = Remembered::new();
    KNOWN.or_compute((manifold.space().clone(), radius, law, scale), || Ok(fresh()))
}

/// The law where there is negative curvature.
fn stretched(manifold: &dyn Manifold, radius: f64, flat: &DistanceLaw) -> DistanceLaw {
    let radius = radius.min(manifold.max_step()); // Exp goes no farther
    match manifold.model() {
        Model::Hyperbolic { curvature } => hyperbolic(manifold, curvature, radius, flat),
        _ => simulated(manifold, radius, flat),
    }
}

/// In hyperbolic space, for `‖a‖ = radius`.
fn hyperbolic(manifold: &dyn Manifold, curvature: f64, radius: f64, flat: &DistanceLaw) -> DistanceLaw {
    let unit = (-curvature).sqrt();
    let space = Hyperbolic { unit, max_step: manifold.max_step() };
    let power = (manifold.dim() - 2) as f64;
    let half = FRAC_PI_2.min(9.0 / power.max(1.0).sqrt());
    let step = 2.0 * half / ANGLES as f64;
    let weighted: Vec<(f64, f64)> = (0..LENGTHS)
        .flat_map(|i| {
            let (length, mass) = stratum(flat, i);
            (0..ANGLES).map(move |j| {
                let angle = FRAC_PI_2 - half + step * (j as f64 + 0.5);
                let weight = if power > 0.0 { (power * angle.sin().ln()).exp() } else { 1.0 };
                (space.moved(radius, length, angle.cos(), angle.sin()), mass * weight)
            })
        })
        .collect();
    DistanceLaw::by_weights(weighted)
}

/// The middle and the mass of the `i`-th of [`LENGTHS`] parts of the law. Most of the law is in equal parts. The last
/// parts are for the tail, where a law of exponential tails has most of its weight in the mean.
fn stratum(flat: &DistanceLaw, i: usize) -> (f64, f64) {
    // p = 1 − (1 − u)³ puts more parts near 1
    let place = |u: f64| 1.0 - (1.0 - u).powi(3);
    let (low, high) = (place(i as f64 / LENGTHS as f64), place((i as f64 + 1.0) / LENGTHS as f64));
    (flat.quantile(0.5 * (low + high)), high - low)
}

/// Distances in hyperbolic space of curvature `−unit²`, where `Exp` stops at a distance.
#[derive(Debug, Clone, Copy)]
struct Hyperbolic {
    unit: f64,
    max_step: f64,
}

impl Hyperbolic {
    /// From `Exp(a)` to `Exp(a + N)`, `‖a‖ = radius`, if `N` has the given length and the angle of the given cosine and
    /// sine against `a`.
    fn moved(&self, radius: f64, length: f64, cos: f64, sin: f64) -> f64 {
        let (along, across) = (radius + length * cos, length * sin);
        let end = along.hypot(across);
        if end == 0.0 {
            return radius.min(self.max_step);
        }
        // the difference of the sides, without cancellation where Exp does not stop
        let outwards = if end.max(radius) <= self.max_step {
            length * (length + 2.0 * radius * cos) / (end + radius)
        } else {
            end.min(self.max_step) - radius.min(self.max_step)
        };
        let (s, t) = (radius.min(self.max_step), end.min(self.max_step));
        self.by_sides(outwards, s, t, along / end, across / end)
    }

    /// From `Exp(a)` to `Exp(a + N)`, of vectors.
    fn moved_by(&self, a: &[f64], n: &[f64]) -> f64 {
        let (radius, length) = (norm(a), norm(n));
        if radius == 0.0 || length == 0.0 {
            return length.min(self.max_step);
        }
        let cos = dot(a, n) / radius / length;
        let across = a.iter().zip(n).map(|(a, n)| (n / length - cos * a / radius).powi(2)).sum::<f64>();
        self.moved(radius, length, cos, across.sqrt())
    }

    /// Between points at the distances `s` and `t` from the center, whose difference is also given, with the angle of
    /// the given cosine and sine between them.
    fn by_sides(&self, difference: f64, s: f64, t: f64, cos: f64, sin: f64) -> f64 {
        // sin²(γ/2), without cancellation near 0
        let half_angle = if cos > 0.0 { sin * sin / (2.0 * (1.0 + cos)) } else { 0.5 * (1.0 - cos) };
        let radial = 2.0 * ln_sinh(0.5 * self.unit * difference.abs());
        let angular = ln_sinh(self.unit * s) + ln_sinh(self.unit * t) + half_angle.ln();
        let larger = radial.max(angular);
        if larger == f64::NEG_INFINITY {
            return 0.0;
        }
        // ln sinh(ρ/2)
        let log = 0.5 * (larger + ((radial - larger).exp() + (angular - larger).exp()).ln());
        let half = if log > 20.0 { log + LN_2 } else { log.exp().asinh() };
        2.0 * half / self.unit
    }
}

/// `ln sinh x` for `x ≥ 0`, however large.
fn ln_sinh(x: f64) -> f64 {
    if x > 20.0 { x - LN_2 } else { x.sinh().ln() }
}

/// The law by draws, for the worst of the steepest directions.
fn simulated(manifold: &dyn Manifold, radius: f64, flat: &DistanceLaw) -> DistanceLaw {
    let count = draws(manifold);
    let length = |i: usize| flat.quantile((i as f64 + 0.5) / count as f64);
    let total: f64 = (0..count).map(length).sum();
    let of_direction = |direction: Vec<f64>| -> Vec<f64> {
        let a: Vec<f64> = direction.iter().map(|e| radius * e).collect();
        let from = Wrapping::new(manifold, &a);
        let draw = |i: usize| {
            let mut direction = vec![0.0; manifold.dim()];
            unit_vector(&mut Generator::seeded(i as u64), &mut direction);
            from.moved(length(i), &direction)
        };
        (0..count).into_par_iter().map(draw).collect()
    };
    let mut worst: Vec<f64> = Vec::new();
    for direction in manifold.steepest_directions() {
        let distances = of_direction(direction);
        if worst.is_empty() || distances.iter().sum::<f64>() > worst.iter().sum() {
            worst = distances;
        }
    }
    let mean = flat.mean() * worst.iter().sum::<f64>() / total;
    // quantiles against those of the lengths
    worst.sort_by(f64::total_cmp);
    let factors: Vec<f64> = worst.iter().enumerate().map(|(i, s)| s / length(i)).collect();
    let factor = |p: f64| {
        let place = (p * count as f64 - 0.5).clamp(0.0, (count - 1) as f64);
        let (below, share) = (place.floor() as usize, place.fract());
        let above = (below + 1).min(count - 1);
        factors[below] + share * (factors[above] - factors[below])
    };
    flat.stretched(mean, factor)
}

/// Number of draws for a mean accurate to 2 %. Its error is the noise in a factor with curvature that varies with its
/// direction, whatever the other factors are.
fn draws(manifold: &dyn Manifold) -> usize {
    let factors = factors(manifold);
    let dims = |which: &dyn Fn(&dyn Manifold) -> bool| -> Vec<usize> {
        factors.iter().filter(|factor| which(**factor)).map(|factor| factor.dim()).collect()
    };
    let stretching = dims(&|factor| factor.curvature().lower < 0.0);
    let smallest = stretching.into_iter().min().unwrap_or(manifold.dim());
    let slowest = dims(&|factor| !in_formulas(factor)).into_iter().max().unwrap_or(1);
    let affordable = (WORK / (slowest as f64).powf(1.5)) as usize;
    (DRAWS / smallest).min(affordable).clamp(FEWEST, MOST)
}

/// The factors of a product, or the whole space.
fn factors(manifold: &dyn Manifold) -> Vec<&dyn Manifold> {
    match manifold.factors() {
        [] => vec![manifold],
        factors => factors.iter().map(|factor| &**factor).collect(),
    }
}

/// Whether distances need no points.
fn in_formulas(manifold: &dyn Manifold) -> bool {
    matches!(manifold.model(), Model::Flat | Model::Hyperbolic { .. })
}

/// `Exp` around a vector `a`, factor by factor of a product.
struct Wrapping<'a> {
    factors: Vec<Factor<'a>>,
    /// Whether no curvature is positive.
    nonpositive: bool,
    /// `‖a‖`.
    radius: f64,
}

/// A factor of a product, or the whole space.
struct Factor<'a> {
    space: &'a dyn Manifold,
    /// Where its coordinates are in the frame at `m₀`.
    frame: Range<usize>,
    /// Its part of `a`.
    vector: Vec<f64>,
    /// `Exp` of that, if distances are computed from points: not in flat and in hyperbolic factors.
    point: Option<Vec<f64>>,
}

impl<'a> Wrapping<'a> {
    fn new(manifold: &'a dyn Manifold, a: &[f64]) -> Self {
        let mut at = 0;
        let factor = |space: &'a dyn Manifold| {
            let frame = at..at + space.dim();
            at = frame.end;
            let vector = a[frame.clone()].to_vec();
            let point = if in_formulas(space) { None } else { Some(point(space, &vector)) };
            Factor { space, frame, vector, point }
        };
        let factors = factors(manifold).into_iter().map(factor).collect();
        Self { factors, nonpositive: manifold.curvature().upper <= 0.0, radius: norm(a) }
    }

    /// The distance from `Exp(a)` to `Exp(a + length·direction)`: at least `length` where no curvature is positive, and
    /// at most what it is through `m₀`, whatever numbers far out have lost.
    fn moved(&self, length: f64, direction: &[f64]) -> f64 {
        let n: Vec<f64> = direction.iter().map(|u| length * u).collect();
        let squared = |factor: &Factor<'_>| factor.moved(&n[factor.frame.clone()]).powi(2);
        let distance = self.factors.iter().map(squared).sum::<f64>().sqrt();
        let least = if self.nonpositive { length } else { 0.0 };
        let most = 2.0 * self.radius + length;
        // a number that is none counts as the largest
        if distance.is_nan() { most } else { distance.clamp(least, most) }
    }
}

impl Factor<'_> {
    /// The distance from `Exp(a)` to `Exp(a + n)`.
    fn moved(&self, n: &[f64]) -> f64 {
        match (&self.point, self.space.model()) {
            (Some(from), _) => {
                let enlarged = (SHORTEST / norm(n)).max(1.0);
                let b: Vec<f64> = self.vector.iter().zip(n).map(|(a, n)| a + enlarged * n).collect();
                self.space.dist(from, &point(self.space, &b)) / enlarged
            }
            (None, Model::Hyperbolic { curvature }) => {
                let max_step = self.space.max_step();
                Hyperbolic { unit: (-curvature).sqrt(), max_step }.moved_by(&self.vector, n)
            }
            (None, _) => norm(n),
        }
    }
}

/// `Exp` at the origin, which is a point like any other.
fn point(manifold: &dyn Manifold, coordinates: &[f64]) -> Vec<f64> {
    let mut origin = vec![0.0; manifold.point_len()];
    manifold.origin(&mut origin);
    let (mut v, mut out) = (origin.clone(), origin.clone());
    manifold.from_frame(&origin, coordinates, &mut v);
    manifold.exp(&origin, &v, &mut out);
    out
}

#[cfg(test)]
mod tests;
