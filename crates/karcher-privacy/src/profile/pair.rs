//! Two isotropic laws of the same scale with centers at a given distance, and the mass of each where the privacy loss
//! is above a level: one-dimensional integrals.

use super::angle::Angle;
use super::geometry::{ConstantCurvature, Geometry};
use super::radial::{Ln, Place, Radial};
use crate::noise::Law;
use crate::rounding::add_up;
use std::f64::consts::{LN_2, PI};

/// Below, the logarithm of a number is computed without the number, which may lose its digits or vanish: far out on
/// hyperbolic space angles are as small as `e^{−2Δ}`.
const TINY: f64 = 1e-200;

/// The masses of both laws where the loss `L = φ(ρ₂) − φ(ρ₁)` is at least `s`. All logarithms are relative to
/// `e^{−fall}` for `P₁` and to `e^{−s−fall}` for `P₂`, so that the common part of two tiny numbers never
/// enters their quotient.
#[derive(Debug, Clone, Copy)]
pub(super) struct Masses {
    pub(super) first: First,
    /// `ln(P₂(L ≥ s)·e^{s+fall})`.
    pub(super) second: Ln,
    pub(super) fall: f64,
    /// An estimate of the error of all these logarithms alike: that of the normalising constant and that of the fall.
    pub(super) common_error: f64,
}

impl Masses {
    /// The largest `δ = P₁(L ≥ s) − e^s·P₂(L ≥ s)` that the errors of the integrals and of their common factor leave
    /// possible, and not below those errors. Rounding here is far below the errors: each is at least that of a sum of
    /// 50 terms.
    pub(super) fn largest_delta(&self) -> f64 {
        let Masses { second, fall, common_error, .. } = *self;
        let least_second = (second.value - second.error).exp();
        match self.first {
            First::Above(first) => {
                let upper = (first.value + first.error).exp();
                // estimates of errors that leave no δ at all were too low
                let difference = (upper - least_second).max(upper * (first.error + second.error));
                difference * (common_error - fall).exp()
            }
            First::Below(first) => {
                let sum = (first.value - first.error).exp() + least_second;
                add_up(1.0, -sum * (-common_error - fall).exp())
            }
        }
    }
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
    pub(super) radial: Radial,
    angle: Angle,
    pub(super) distance: f64,
    /// `sn(Δ)·e^{−gΔ}`.
    sn_distance: f64,
}

impl Pair {
    /// The caller has checked the arguments: positive numbers, a law that exists, a distance up to the diameter.
    pub(super) fn new(space: ConstantCurvature, law: Law, scale: f64, distance: f64) -> Self {
        let geometry = space.geometry();
        let distance = (distance * space.unit()).min(geometry.end());
        Self {
            radial: Radial::new(space, law, scale),
            angle: Angle::new(space.dimension()),
            distance,
            sn_distance: geometry.sn(distance),
        }
    }

    /// The same pair with integrals to a given relative error only, which is faster.
    pub(super) fn with_tolerance(&self, tolerance: f64) -> Self {
        let mut pair = self.clone();
        pair.radial.tolerance = tolerance;
        pair
    }

    /// The loss beyond which there is nothing: `φ(ρ₂) − φ(ρ₁) ≤ Δ/σ`, and on the sphere `Δ(2π − Δ)/2σ²`.
    pub(super) fn largest_loss(&self) -> f64 {
        let (delta, sigma) = (self.distance, self.radial.scale);
        match (self.radial.law, self.radial.geometry) {
            (Law::Laplace, _) => delta / sigma,
            (Law::Gaussian, Geometry::Sphere) => 0.5 * (delta / sigma) * ((2.0 * PI - delta) / sigma),
            (Law::Gaussian, _) => f64::INFINITY,
        }
    }

    /// The loss `s` at which the set `L ≥ s` reaches the geodesic from `η₂` through `η₁` at distance `τ` beyond `η₁`
    /// (before it if `τ < 0`).
    pub(super) fn loss_at(&self, tau: f64) -> f64 {
        let (delta, sigma) = (self.distance, self.radial.scale);
        match self.radial.law {
            Law::Laplace => (delta + 2.0 * tau) / sigma,
            Law::Gaussian => (delta / sigma) * ((0.5 * delta + tau) / sigma),
        }
    }

    /// The inverse of [`loss_at`](Pair::loss_at).
    pub(super) fn tau_of(&self, loss: f64) -> f64 {
        let (delta, sigma) = (self.distance, self.radial.scale);
        match self.radial.law {
            Law::Laplace => 0.5 * (sigma * loss - delta),
            Law::Gaussian => loss * sigma * (sigma / delta) - 0.5 * delta,
        }
    }

    /// Whether `δ` at a loss is only known to be below the smallest number.
    ///
    /// `δ ≤ P₁(L ≥ s) ≤ P₁(t ≥ τ)`. For Gaussian noise `ln` of the density of `t` has a second derivative of at most
    /// `−1/σ²`, so it has fallen by 5,000 at a hundred `σ` beyond its mode. Farther out squares of lengths overflow.
    pub(super) fn is_negligible(&self, loss: f64) -> bool {
        let far = self.radial.mode + 100.0 * self.radial.scale;
        self.radial.law == Law::Gaussian && self.tau_of(loss) > far
    }

    /// [`tau_of`](Pair::tau_of), rounded down: to a loss that is not above the given one.
    pub(super) fn tau_below(&self, loss: f64) -> f64 {
        let tau = self.tau_of(loss);
        tau - 5e-16 * (tau + self.distance)
    }

    /// `P₁` and `P₂` of `L ≥ s`, `s = loss_at(τ)`.
    ///
    /// In polar coordinates `(t, α)` about `η₁`, `α` the angle at `η₁` to `η₂`, the set is `ρ₂ ≥ ρ`, `φ(ρ) = φ(t) + s`,
    /// and the triangle with sides `t`, `Δ`, `ρ` gives the least angle. It contains the spheres of radius `t < −τ`
    /// entirely, and nothing of those with `t < τ` or (on the sphere) `t + Δ + ρ ≥ 2π`. About `η₂` it is `ρ₁ ≤ ρ`,
    /// `φ(ρ) = φ(t) − s`: nothing for `t < τ + Δ`, and everything for `t + Δ + ρ ≥ 2π`.
    pub(super) fn masses(&self, tau: f64) -> Masses {
        let base = self.radial.base(tau.abs());
        let fall = self.radial.fall(base);
        // one of the two is below 0.95, whichever is tried first
        let is_most = |mass: Ln| mass.value - fall > -0.05;
        let first = if tau >= 0.0 {
            let above = self.above(tau, base);
            if is_most(above) { First::Below(self.below(tau, base)) } else { First::Above(above) }
        } else {
            let below = self.below(tau, base);
            if is_most(below) { First::Above(self.above(tau, base)) } else { First::Below(below) }
        };
        let common_error = self.radial.normalizer.error + self.radial.fall_error(base);
        Masses { first, second: self.second(tau, base), fall, common_error }
    }

    /// `ln(P₁(L ≥ s)·e^{fall(base)})`.
    fn above(&self, tau: f64, base: f64) -> Ln {
        let (near, end) = (tau.abs(), self.far_end_first(tau));
        let part = self.radial.mass(near, end, base, |at| {
            let (rho, excess) = self.third_side_first(tau, at);
            self.ln_below(0.5 * excess, 0.5 * (at.t + self.distance + rho), 0.0, at)
        });
        let part = self.near_the_end(part, near, end);
        if tau < 0.0 { self.radial.with(part, 0.0, near, base) } else { part }
    }

    /// `ln(P₁(L < s)·e^{fall(base)})`.
    fn below(&self, tau: f64, base: f64) -> Ln {
        let (near, end) = (tau.abs(), self.far_end_first(tau));
        let part = self.radial.mass(near, end, base, |at| {
            let (rho, excess) = self.third_side_first(tau, at);
            let (a, b) = self.complement_first(tau, rho, at);
            self.ln_below(a, b, excess, at)
        });
        let part = self.near_the_end(part, near, end);
        let part = self.radial.with(part, end, self.radial.geometry.end(), base);
        if tau > 0.0 { self.radial.with(part, 0.0, near, base) } else { part }
    }

    /// `ln(P₂(L ≥ s)·e^{s+fall(base)})`.
    fn second(&self, tau: f64, base: f64) -> Ln {
        let delta = self.distance;
        let (far, end) = (tau + delta, self.far_end_second(tau));
        let far_base = self.radial.base(far);
        let part = self.radial.mass(far, end, far_base, |at| match self.radial.law {
            Law::Laplace => self.ln_below(at.x, -tau, 2.0 * far, at),
            Law::Gaussian => {
                let rest = at.t - delta;
                let rho = (rest * rest + 2.0 * delta * at.x).sqrt();
                let (a, b) = self.halves(rho, rest, at.x);
                self.ln_below(a, b, 2.0 * delta * (2.0 * at.t - at.x) / (at.t + delta + rho), at)
            }
        });
        let part = self.near_the_end(part, far, end);
        let mass = self.radial.with(part, end, self.radial.geometry.end(), far_base);
        let near = tau.abs();
        // s + fall(base) − fall(far_base), where φ(far) − φ(near) = s
        let (shift, error) = if base == near && far_base == far {
            // far − near, where far has lost digits if τ is huge
            (self.radial.growth() * (delta + (tau - near)), 0.0)
        } else {
            let (loss, fall) = (self.loss_at(tau), self.radial.fall_between(far_base, base));
            (loss - fall, 4e-16 * (loss.abs() + fall.abs())) // they may cancel
        };
        // no error for the shift itself: where it is large, the mass is about e^{−shift} and has that of its logarithm
        Ln { value: mass.value + shift, error: mass.error + error }
    }

    /// Adds the rounding error of a set on the sphere that is about to vanish opposite to the center. There the
    /// triangle's sides add up to nearly `2π`. Their rounding errors are large relative to the rest, and a power of
    /// that rest is in the integral.
    fn near_the_end(&self, part: Ln, low: f64, high: f64) -> Ln {
        if self.radial.geometry != Geometry::Sphere || low >= high {
            return part;
        }
        Ln { error: part.error + 1e-15 * self.radial.dimension as f64 * PI / (high - low), ..part }
    }

    /// `ln(p₁(s)·e^{fall})`, with the `fall` of [`masses`](Pair::masses): the density of the loss under
    /// the first law.
    ///
    /// At distance `t` from `η₁` the set `L ≥ s` is `V ≤ v`, and `−dv/ds = sn ρ/(2 sn t·sn Δ·φ′(ρ))` by the law of
    /// cosines.
    pub(super) fn density(&self, tau: f64) -> f64 {
        let (radial, geometry) = (&self.radial, self.radial.geometry);
        let (near, end) = (tau.abs(), self.far_end_first(tau));
        let base = radial.base(near);
        let (rate, far_rate) = match radial.law {
            Law::Laplace => (0.5 * radial.scale, 1.0),
            Law::Gaussian => {
                (radial.scale * (radial.scale / self.distance), self.distance / (2.0 * PI - self.distance))
            }
        };
        // the set is an interval, whose ends move at these rates (times dτ/ds); or, for opposite centers, nearly a ball
        let is_ball = geometry == Geometry::Sphere && tau < 0.0 && end - near <= 1e-9 * near;
        if radial.dimension == 1 || is_ball {
            let far = if end.is_finite() { far_rate * (-radial.fall_between(end, near)).exp() } else { 0.0 };
            let edge = radial.ln_density(geometry.sn(near), radial.fall_between(near, base));
            return (0.5 * rate * (1.0 + far)).ln() + edge - radial.normalizer.value;
        }
        let mass = radial.mass(near, end, base, |at| {
            let (rho, excess) = self.third_side_first(tau, at);
            let (a, b) = self.complement_first(tau, rho, at);
            let (h, minus_rho) = (0.5 * (at.t + self.distance + rho), 0.5 * excess);
            let (v, rest) = (self.half_angle(minus_rho, h, 0.0, at), self.half_angle(a, b, excess, at));
            let ln_x = match 4.0 * v * rest {
                x if x < TINY => {
                    2.0 * LN_2 + self.ln_half_angle(minus_rho, h, 0.0, at) + self.ln_half_angle(a, b, excess, at)
                }
                x => x.ln(),
            };
            let quotient = geometry.sn(rho) / (2.0 * at.sn * radial.slope(rho));
            self.angle.ln_density(ln_x) + quotient.ln() - geometry.growth() * excess
        });
        mass.value - self.sn_distance.ln()
    }

    /// The smaller and the larger of `½(ρ ± rest)`, where `ρ² = rest² + 2Δx`.
    fn halves(&self, rho: f64, rest: f64, x: f64) -> (f64, f64) {
        let large = 0.5 * (rho + rest.abs());
        let small = 0.5 * self.distance * x / large;
        (small, large)
    }

    /// About `η₁`, `ρ = ρ₂` on the boundary of the set, and `t + Δ − ρ` without cancellation.
    fn third_side_first(&self, tau: f64, at: &Place) -> (f64, f64) {
        let (delta, t) = (self.distance, at.t);
        match self.radial.law {
            Law::Laplace => (t + delta + 2.0 * tau, -2.0 * tau),
            Law::Gaussian => {
                let rho = (t * t + delta * (delta + 2.0 * tau)).max(0.0).sqrt();
                let beyond = if tau < 0.0 { t - tau } else { at.x }; // t − τ
                (rho, 2.0 * delta * beyond / (t + delta + rho))
            }
        }
    }

    /// About `η₁`, half the sum of the sides less `t` and less `Δ`, the smaller one first.
    fn complement_first(&self, tau: f64, rho: f64, at: &Place) -> (f64, f64) {
        match self.radial.law {
            Law::Laplace => (at.x, self.distance + tau),
            Law::Gaussian => {
                let beyond = if tau < 0.0 { at.x } else { at.t + tau }; // t + τ
                self.halves(rho, self.distance - at.t, beyond)
            }
        }
    }

    /// Where `t + Δ + ρ = 2π` about `η₁`.
    fn far_end_first(&self, tau: f64) -> f64 {
        let delta = self.distance;
        let end = match self.radial.law {
            _ if self.radial.geometry != Geometry::Sphere => return f64::INFINITY,
            Law::Laplace => PI - (delta + tau),
            Law::Gaussian => (2.0 * PI * (PI - delta) - delta * tau) / (2.0 * PI - delta),
        };
        end.clamp(tau.abs().min(PI), PI)
    }

    /// Where `t + Δ + ρ = 2π` about `η₂`.
    fn far_end_second(&self, tau: f64) -> f64 {
        let delta = self.distance;
        let end = match self.radial.law {
            _ if self.radial.geometry != Geometry::Sphere => return f64::INFINITY,
            Law::Laplace => PI + tau,
            Law::Gaussian => PI + delta * (tau - (PI - delta)) / (2.0 * PI - delta),
        };
        end.clamp((tau + delta).min(PI), PI)
    }

    /// `ln P(V ≤ v)`, with the `v` of [`half_angle`](Pair::half_angle).
    fn ln_below(&self, a: f64, b: f64, shortfall: f64, at: &Place) -> f64 {
        if self.radial.dimension == 1 {
            return -LN_2; // between the ends of the threshold, where rounding of v must not decide
        }
        match self.half_angle(a, b, shortfall, at) {
            v if v < TINY => self.angle.ln_below_tiny(self.ln_half_angle(a, b, shortfall, at)),
            v => self.angle.ln_below(v),
        }
    }

    /// `sn a·sn b/(sn t·sn Δ)`, where `shortfall = t + Δ − a − b` is known to more digits.
    ///
    /// In a triangle with sides `t`, `Δ`, `ρ` and half their sum `h`, the angle `α` opposite to `ρ` has `cos²(α/2)` for
    /// `a, b = h, h − ρ` (shortfall 0) and `sin²(α/2)` for `a, b = h − t, h − Δ` (shortfall `t + Δ − ρ`).
    fn half_angle(&self, a: f64, b: f64, shortfall: f64, at: &Place) -> f64 {
        self.scaled_half_angle(a, b, at) * (-self.radial.geometry.growth() * shortfall).exp()
    }

    /// The logarithm of the same, also where that is too small for a floating-point number with all its digits.
    fn ln_half_angle(&self, a: f64, b: f64, shortfall: f64, at: &Place) -> f64 {
        self.scaled_half_angle(a, b, at).ln() - self.radial.geometry.growth() * shortfall
    }

    fn scaled_half_angle(&self, a: f64, b: f64, at: &Place) -> f64 {
        let geometry = self.radial.geometry;
        (geometry.sn(a) / self.sn_distance) * (geometry.sn(b) / at.sn)
    }

    /// `δ(0) = P₁(ρ₁ < ρ₂) − P₁(ρ₁ > ρ₂)` without cancellation, and an estimate of its relative error.
    ///
    /// The point reflection at `η₁` makes the second set the half-space that begins `Δ/2` behind `η₁`: the rest is the
    /// slab between the two hyperplanes, `|cos α| ≤ c = tn(Δ/2)/tn(t)`, `1 − c = sn(t − Δ/2)/(sn′(Δ/2)·sn t)`. On the
    /// sphere the half-spaces overlap beyond `t = π/2`, and `t` and `π − t` are taken together.
    pub(super) fn total_variation(&self) -> (f64, f64) {
        let (radial, geometry) = (&self.radial, self.radial.geometry);
        let half = 0.5 * self.distance;
        let antipodal = |t: f64| match geometry {
            Geometry::Sphere => (-(-(radial.fall_between(PI - t, t))).exp_m1()).ln(),
            _ => 0.0,
        };
        let tangent = 1.0 / geometry.cotangent(half);
        let scale = (-2.0 * geometry.growth() * half).exp() / geometry.cs(half);
        let slab = radial.mass(half, 0.5 * geometry.end(), radial.mode, |at| {
            let rest = geometry.sn(at.x) / at.sn * scale;
            self.angle.central(tangent * geometry.cotangent(at.t), rest).max(0.0).ln() + antipodal(at.t)
        });
        let ball = radial.mass(0.0, half, radial.mode, |at| antipodal(at.t));
        let sum = slab.plus(ball);
        (sum.value.exp().min(1.0), sum.error + radial.normalizer.error + 1e-14)
    }
}
