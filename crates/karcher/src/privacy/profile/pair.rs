//! Two isotropic laws of the same scale with centres at a given distance, and how much of each lies where the privacy loss
//! is above a level: one-dimensional integrals.

use super::angle::Angle;
use super::geometry::{ConstantCurvature, Geometry};
use super::quadrature::integrate;
use crate::sampler::Law;
use std::f64::consts::PI;

/// The logarithm of an integral of positive terms, and an estimate of its absolute error. The common error of all, that of
/// the normalising constant, is not in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ln {
    pub(super) value: f64,
    pub(super) error: f64,
}

impl Ln {
    const ZERO: Ln = Ln { value: f64::NEG_INFINITY, error: 0.0 };

    /// `ln(e^a + e^b)`.
    fn plus(self, other: Ln) -> Ln {
        let (small, large) = if self.value < other.value { (self, other) } else { (other, self) };
        if small.value == f64::NEG_INFINITY {
            return large;
        }
        let ratio = (small.value - large.value).exp();
        let error = (large.error + ratio * small.error) / (1.0 + ratio);
        Ln { value: large.value + ratio.ln_1p(), error }
    }
}

/// How much of both laws lies where the loss `L = φ(ρ₂) − φ(ρ₁)` is at least `s`. All logarithms are relative to `e^{−fall}`
/// for `P₁` and to `e^{−s−fall}` for `P₂`, so that the common part of two tiny numbers never enters their ratio.
#[derive(Debug, Clone, Copy)]
pub(super) struct Masses {
    pub(super) first: First,
    /// `ln(P₂(L ≥ s)·e^{s+fall})`.
    pub(super) second: Ln,
    pub(super) fall: f64,
}

/// The smaller of `P₁(L ≥ s)` and its complement, as a rule.
#[derive(Debug, Clone, Copy)]
pub(super) enum First {
    /// `ln(P₁(L ≥ s)·e^{fall})`.
    Above(Ln),
    /// `ln(P₁(L < s)·e^{fall})`.
    Below(Ln),
}

/// The two laws, in units of length in which the curvature is 0, 1 or −1.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) geometry: Geometry,
    pub(super) dimension: usize,
    angle: Angle,
    pub(super) law: Law,
    pub(super) scale: f64,
    pub(super) distance: f64,
    /// The most likely distance from a centre.
    mode: f64,
    /// `ln ∫ e^{−φ(t)}·sn(t)^{d−1} dt`.
    pub(super) normalizer: Ln,
}

/// The radial density is cut where it is `e^{−55}` of its largest value.
const DEPTH: f64 = 55.0;

impl Pair {
    /// The caller has checked the arguments: positive numbers, a law that exists, a distance up to the diameter.
    pub(super) fn new(space: ConstantCurvature, law: Law, scale: f64, distance: f64) -> Self {
        let (geometry, dimension) = (space.geometry(), space.dimension());
        let mut pair = Self {
            geometry,
            dimension,
            angle: Angle::new(dimension),
            law,
            scale: scale * space.unit(),
            distance: (distance * space.unit()).min(geometry.end()),
            mode: 0.0,
            normalizer: Ln { value: 0.0, error: 0.0 },
        };
        pair.mode = pair.most_likely_distance();
        pair.normalizer = pair.mass(0.0, geometry.end(), 0.0, |_, _| 0.0);
        pair
    }

    /// The loss beyond which there is nothing: `φ(ρ₂) − φ(ρ₁) ≤ Δ/σ`, and on the sphere `Δ(2π − Δ)/2σ²`.
    pub(super) fn largest_loss(&self) -> f64 {
        match (self.law, self.geometry) {
            (Law::Laplace, _) => self.distance / self.scale,
            (Law::Gaussian, Geometry::Sphere) => {
                0.5 * (self.distance / self.scale) * ((2.0 * PI - self.distance) / self.scale)
            }
            (Law::Gaussian, _) => f64::INFINITY,
        }
    }

    /// The loss `s` at which the set `L ≥ s` reaches the geodesic from `η₂` through `η₁` at distance `τ` beyond `η₁` (before it
    /// if `τ < 0`).
    pub(super) fn loss_at(&self, tau: f64) -> f64 {
        match self.law {
            Law::Laplace => (self.distance + 2.0 * tau) / self.scale,
            Law::Gaussian => (self.distance / self.scale) * ((0.5 * self.distance + tau) / self.scale),
        }
    }

    /// The inverse of [`loss_at`](Pair::loss_at).
    pub(super) fn tau_of(&self, loss: f64) -> f64 {
        match self.law {
            Law::Laplace => 0.5 * (self.scale * loss - self.distance),
            Law::Gaussian => loss * self.scale * (self.scale / self.distance) - 0.5 * self.distance,
        }
    }

    /// `P₁` and `P₂` of `L ≥ s`, `s = loss_at(τ)`.
    ///
    /// In polar coordinates `(t, α)` about `η₁`, `α` the angle at `η₁` to `η₂`, the set is `ρ₂ ≥ ρ`, `φ(ρ) = φ(t) + s`, and the
    /// triangle with sides `t`, `Δ`, `ρ` gives the least angle. It contains the spheres of radius `t < −τ` entirely, and
    /// nothing of those with `t < τ` or (on the sphere) `t + Δ + ρ ≥ 2π`. About `η₂` it is `ρ₁ ≤ ρ`, `φ(ρ) = φ(t) − s`: nothing
    /// for `t < τ + Δ`, and everything for `t + Δ + ρ ≥ 2π`.
    pub(super) fn masses(&self, tau: f64) -> Masses {
        let near = tau.abs();
        // one of the two is below 0.95, whichever is tried first
        let is_most = |mass: Ln| mass.value - self.fall(near) > -0.05;
        let first = if tau >= 0.0 {
            let above = self.above(tau);
            if is_most(above) { First::Below(self.below(tau)) } else { First::Above(above) }
        } else {
            let below = self.below(tau);
            if is_most(below) { First::Above(self.above(tau)) } else { First::Below(below) }
        };
        Masses { first, second: self.second(tau), fall: self.fall(near) }
    }

    /// `ln(P₁(L ≥ s)·e^{φ(|τ|)})`.
    fn above(&self, tau: f64) -> Ln {
        let (near, end) = (tau.abs(), self.far_end_first(tau));
        let part = self.mass(near, end, near, |x, t| {
            let beyond = if tau < 0.0 { t - tau } else { x }; // t − τ
            let (rho, excess) = self.third_side_first(tau, t, beyond);
            self.ln_below(0.5 * excess, 0.5 * (t + self.distance + rho), 0.0, t)
        });
        if tau < 0.0 { part.plus(self.mass(0.0, near, near, |_, _| 0.0)) } else { part }
    }

    /// `ln(P₁(L < s)·e^{φ(|τ|)})`.
    fn below(&self, tau: f64) -> Ln {
        let (near, end) = (tau.abs(), self.far_end_first(tau));
        let part = self.mass(near, end, near, |x, t| {
            let (rho, excess) = self.third_side_first(tau, t, t - tau);
            let (a, b) = match self.law {
                Law::Laplace => (x, self.distance + tau),
                Law::Gaussian => self.halves(rho, self.distance - t, if tau < 0.0 { x } else { t + tau }),
            };
            self.ln_below(a, b, excess, t)
        });
        let beyond = self.mass(end, self.geometry.end(), near, |_, _| 0.0);
        let within = if tau > 0.0 { self.mass(0.0, near, near, |_, _| 0.0) } else { Ln::ZERO };
        part.plus(beyond).plus(within)
    }

    /// `ln(P₂(L ≥ s)·e^{φ(τ+Δ)})`, and `φ(τ + Δ) = φ(|τ|) + s`.
    fn second(&self, tau: f64) -> Ln {
        let delta = self.distance;
        let (far, end) = (tau + delta, self.far_end_second(tau));
        let part = self.mass(far, end, far, |x, t| match self.law {
            Law::Laplace => self.ln_below(x, -tau, 2.0 * far, t),
            Law::Gaussian => {
                let rest = t - delta;
                let rho = (rest * rest + 2.0 * delta * x).sqrt();
                let (a, b) = self.halves(rho, rest, x);
                self.ln_below(a, b, 2.0 * delta * (2.0 * t - x) / (t + delta + rho), t)
            }
        });
        part.plus(self.mass(end, self.geometry.end(), far, |_, _| 0.0))
    }

    /// The smaller and the larger of `½(ρ ± rest)`, where `ρ² = rest² + 2Δx`.
    fn halves(&self, rho: f64, rest: f64, x: f64) -> (f64, f64) {
        let large = 0.5 * (rho + rest.abs());
        let small = 0.5 * self.distance * x / large;
        (small, large)
    }

    /// `ρ = ρ₂` on the boundary of the set at distance `t` from `η₁`, and `t + Δ − ρ` without cancellation, given `t − τ`.
    fn third_side_first(&self, tau: f64, t: f64, beyond: f64) -> (f64, f64) {
        let delta = self.distance;
        match self.law {
            Law::Laplace => (t + delta + 2.0 * tau, -2.0 * tau),
            Law::Gaussian => {
                let rho = (t * t + delta * (delta + 2.0 * tau)).max(0.0).sqrt();
                (rho, 2.0 * delta * beyond / (t + delta + rho))
            }
        }
    }

    /// Where `t + Δ + ρ = 2π` about `η₁`.
    fn far_end_first(&self, tau: f64) -> f64 {
        let delta = self.distance;
        let end = match self.law {
            _ if self.geometry != Geometry::Sphere => return f64::INFINITY,
            Law::Laplace => PI - (delta + tau),
            Law::Gaussian => (2.0 * PI * (PI - delta) - delta * tau) / (2.0 * PI - delta),
        };
        end.clamp(tau.abs().min(PI), PI)
    }

    /// Where `t + Δ + ρ = 2π` about `η₂`.
    fn far_end_second(&self, tau: f64) -> f64 {
        let delta = self.distance;
        let end = match self.law {
            _ if self.geometry != Geometry::Sphere => return f64::INFINITY,
            Law::Laplace => PI + tau,
            Law::Gaussian => PI + delta * (tau - (PI - delta)) / (2.0 * PI - delta),
        };
        end.clamp((tau + delta).min(PI), PI)
    }

    /// `ln P(V ≤ v)`, `v = sn a·sn b/(sn t·sn Δ)`, `shortfall = t + Δ − a − b`.
    fn ln_below(&self, a: f64, b: f64, shortfall: f64, t: f64) -> f64 {
        self.angle.ln_below(self.geometry.half_angle(a, b, shortfall, t, self.distance))
    }

    /// `δ(0) = P₁(ρ₁ < ρ₂) − P₁(ρ₁ > ρ₂)` without cancellation, and an estimate of its relative error.
    ///
    /// The point reflection at `η₁` makes the second set the half-space that begins `Δ/2` behind `η₁`: what is left is the
    /// slab between the two hyperplanes, `|cos α| ≤ tn(Δ/2)/tn(t)`. On the sphere the half-spaces overlap beyond `t = π/2`, and
    /// `t` and `π − t` are taken together.
    pub(super) fn total_variation(&self) -> (f64, f64) {
        let half = 0.5 * self.distance;
        let end = 0.5 * self.geometry.end();
        let antipodal = |t: f64| match self.geometry {
            Geometry::Sphere => (-(-(self.phi_difference(PI - t, t))).exp_m1()).ln(),
            _ => 0.0,
        };
        let tangent = 1.0 / self.geometry.cotangent(half);
        let slab = self.mass(half, end, 0.0, |_, t| {
            self.angle.central(tangent * self.geometry.cotangent(t)).max(0.0).ln() + antipodal(t)
        });
        let ball = self.mass(0.0, half, 0.0, |_, t| antipodal(t));
        let sum = slab.plus(ball);
        (sum.value.exp().min(1.0), sum.error + self.normalizer.error + 1e-14)
    }

    /// `ln ∫ e^{−φ(t)+φ(reference)}·sn(t)^{d−1}·e^{g(t−low, t)} dt` over `[low, high]`, normalised; `g ≤ 0`.
    fn mass(&self, low: f64, high: f64, reference: f64, g: impl Fn(f64, f64) -> f64) -> Ln {
        if low >= high {
            return Ln::ZERO;
        }
        let radial = |x: f64, t: f64| {
            let volume = if self.dimension == 1 { 0.0 } else { self.power() * self.geometry.ln_sn(t) };
            volume - self.phi_difference_near(low, reference, x, t)
        };
        let ln_f = |x: f64| radial(x, low + x) + g(x, low + x);
        let summit = (self.mode.max(low).min(high) - low).max(0.0);
        let summit = if low + summit == 0.0 || summit >= high - low { self.inside(low, high) } else { summit };
        let top = radial(summit, low + summit);
        if !top.is_finite() {
            return Ln::ZERO;
        }
        let window =
            |depth: f64| self.window(self.typical(low), summit, high - low, |x| radial(x, low + x) > top - depth);
        // The factor g may move the summit; some height near the new one is enough.
        let (from, to) = window(DEPTH);
        let heights = (1..16).map(|i| ln_f(from + (to - from) * (f64::from(i) / 16.0).powi(2)));
        let height = heights.fold(ln_f(summit), f64::max);
        let (from, to) = if top - height > 5.0 { window(DEPTH + (top - height).min(1e5)) } else { (from, to) };
        let height = if height.is_finite() { height } else { top };
        let (value, error) = integrate(to - from, |x| (ln_f(from + x) - height).exp());
        if value <= 0.0 {
            return Ln::ZERO;
        }
        // the rounding errors of the exponent at its largest value
        let exponent = self.phi_difference_near(low, reference, summit, low + summit).abs() + height.abs();
        let value = value.ln() + height - self.normalizer.value;
        Ln { value, error: error + 5e-16 * (value.abs() + exponent) }
    }

    /// A point inside an interval at whose end the radial density may be 0.
    fn inside(&self, low: f64, high: f64) -> f64 {
        let typical = self.typical(low).min(0.5 * (high - low));
        if low >= self.mode { 1e-3 * typical } else { (high - low) - 1e-3 * typical }
    }

    /// The part of `[0, width]` around `summit` on which `visible`, a little enlarged.
    fn window(&self, typical: f64, summit: f64, width: f64, visible: impl Fn(f64) -> bool) -> (f64, f64) {
        let end = |direction: f64| {
            let at = |step: f64| (summit + direction * step).clamp(0.0, width);
            let mut step = typical;
            while at(step) > 0.0 && at(step) < width && visible(at(step)) {
                step *= 2.0;
            }
            outer(summit, at(step), &visible)
        };
        (end(-1.0), end(1.0))
    }

    /// A length near the width of the radial density from `low` on: `σ`, or less where the density falls faster.
    fn typical(&self, low: f64) -> f64 {
        let (width, fall) = match self.law {
            Law::Gaussian => (self.scale, low / self.scale / self.scale),
            Law::Laplace => (self.scale.max(self.mode), 0.0),
        };
        if low > self.mode { 1.0 / (1.0 / width + fall) } else { width }
    }

    fn power(&self) -> f64 {
        (self.dimension - 1) as f64
    }

    /// `φ(t)`.
    pub(super) fn fall(&self, t: f64) -> f64 {
        self.phi_difference(t, 0.0)
    }

    /// `φ(t) − φ(u)`.
    fn phi_difference(&self, t: f64, u: f64) -> f64 {
        match self.law {
            Law::Laplace => (t - u) / self.scale,
            Law::Gaussian => 0.5 * ((t - u) / self.scale) * ((t + u) / self.scale),
        }
    }

    /// `φ(t) − φ(reference)` for `t = low + x`, to the last digit of `x` where `low` is the reference.
    fn phi_difference_near(&self, low: f64, reference: f64, x: f64, t: f64) -> f64 {
        let apart = x + (low - reference);
        match self.law {
            Law::Laplace => apart / self.scale,
            Law::Gaussian => 0.5 * (apart / self.scale) * ((t + reference) / self.scale),
        }
    }

    /// Where `−φ(t) + (d−1)·ln sn(t)` is largest.
    fn most_likely_distance(&self) -> f64 {
        if self.dimension == 1 {
            return 0.0;
        }
        let rises = |t: f64| {
            let slope = match self.law {
                Law::Laplace => 1.0 / self.scale,
                Law::Gaussian => t / self.scale / self.scale,
            };
            self.power() * self.geometry.cotangent(t) > slope
        };
        let (mut low, mut high) = (0.0, self.scale * (self.dimension as f64));
        if self.geometry == Geometry::Sphere {
            high = high.min(PI);
        }
        while high < self.geometry.end() && rises(high) {
            high = (2.0 * high).min(self.geometry.end());
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if rises(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }
}

/// The end, between `inside` and `outside`, of where `visible`: outside of it by less than a hundredth of the way.
fn outer(mut inside: f64, mut outside: f64, visible: &impl Fn(f64) -> bool) -> f64 {
    if visible(outside) {
        return outside;
    }
    for _ in 0..7 {
        let middle = 0.5 * (inside + outside);
        if visible(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    outside
}
