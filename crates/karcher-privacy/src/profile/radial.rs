//! The distance of an isotropic law from its center: integrals over the distance.

use super::angle;
use super::geometry::{ConstantCurvature, Geometry};
use super::peak::{Peak, bisect, window};
use crate::noise::Law;
use crate::quadrature::{TOLERANCE, integrate};
use std::f64::consts::PI;

/// The logarithm of an integral of positive terms, and an estimate of its absolute error. The common error of all, that
/// of the normalising constant, is not in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ln {
    pub(super) value: f64,
    pub(super) error: f64,
}

impl Ln {
    pub(super) const ZERO: Ln = Ln { value: f64::NEG_INFINITY, error: 0.0 };

    /// `ln(e^a + e^b)`.
    pub(super) fn plus(self, other: Ln) -> Ln {
        let (small, large) = if self.value < other.value { (self, other) } else { (other, self) };
        if small.value == f64::NEG_INFINITY {
            return large;
        }
        let ratio = (small.value - large.value).exp();
        let error = (large.error + ratio * small.error) / (1.0 + ratio);
        Ln { value: large.value + ratio.ln_1p(), error }
    }
}

/// The law of the distance `t` from the center, of density `∝ e^{−φ(t)}·sn(t)^{d−1}`, in units of length in which the
/// curvature is 0, 1 or −1.
///
/// The density is written `e^{−E(t)}·(sn(t)·e^{−gt})^{d−1}`, `E(t) = φ(t) − (d−1)gt`, with the `g` of
/// [`Geometry::growth`]: on hyperbolic space both parts of `E` are huge where `σ` is, and only their difference
/// matters.
#[derive(Debug, Clone)]
pub(super) struct Radial {
    pub(super) geometry: Geometry,
    pub(super) dimension: usize,
    pub(super) law: Law,
    pub(super) scale: f64,
    /// The most likely distance.
    pub(super) mode: f64,
    /// `ln ∫ e^{E(mode)−E(t)}·(sn(t)·e^{−gt})^{d−1} dt`.
    pub(super) normalizer: Ln,
    /// The relative error at which integrals are good enough.
    pub(super) tolerance: f64,
}

/// A distance at which an integrand is evaluated.
pub(super) struct Place {
    /// The distance.
    pub(super) t: f64,
    /// Its distance from the lower end of the integral.
    pub(super) x: f64,
    /// `sn(t)·e^{−gt}`.
    pub(super) sn: f64,
}

/// The density is cut where it is `e^{−42}` of its largest value.
const DEPTH: f64 = 42.0;

/// On hyperbolic space all but the exponential parts of an integrand settles within so many radii of curvature of its
/// lower end.
const LAYER: f64 = 20.0;

impl Radial {
    /// The caller has checked that the law exists.
    pub(super) fn new(space: ConstantCurvature, law: Law, scale: f64) -> Self {
        let mut radial = Self {
            geometry: space.geometry(),
            dimension: space.dimension(),
            law,
            scale: scale * space.unit(),
            mode: 0.0,
            normalizer: Ln { value: 0.0, error: 0.0 },
            tolerance: TOLERANCE,
        };
        radial.mode = radial.most_likely();
        radial.normalizer = radial.mass(0.0, radial.geometry.end(), radial.mode, |_| 0.0);
        radial
    }

    /// `ln ∫ e^{E(base)−E(t)}·(sn(t)·e^{−gt})^{d−1}·e^f dt` over `[low, high]`, normalised.
    pub(super) fn mass(&self, low: f64, high: f64, base: f64, f: impl Fn(&Place) -> f64) -> Ln {
        if low >= high {
            return Ln::ZERO;
        }
        let place = |x: f64| Place { t: low + x, x, sn: self.geometry.sn(low + x) };
        // E to the last digit of x where low is the base
        let radial = |at: &Place| self.ln_density(at.sn, self.fall_over(at.x + (low - base), at.t + base));
        let ln_f = |x: f64| {
            let at = place(x);
            radial(&at) + f(&at)
        };
        let summit = (self.mode.max(low).min(high) - low).max(0.0);
        let summit = if low + summit == 0.0 || summit >= high - low { self.inside(low, high) } else { summit };
        let top = radial(&place(summit));
        if !top.is_finite() {
            return Ln::ZERO;
        }
        let visible = |depth: f64| window(summit, self.typical(low), high - low, |x| radial(&place(x)) > top - depth);
        let (from, to) = visible(DEPTH);
        // The factor e^f may move the summit; some height near the new one is enough.
        let height = Peak::among(from, to, ln_f).height.max(ln_f(summit));
        let (from, to, summit, height) = if top - height > 5.0 && height.is_finite() {
            // points higher than a known height lie where e^f ≤ 1 leaves room for them
            let (from, to) = visible(DEPTH + (top - height));
            let peak = Peak::among(from, to, ln_f).climb(ln_f);
            let (from, to) = peak.window(DEPTH, high - low, ln_f);
            (from, to, peak.at, peak.height)
        } else {
            (from, to, summit, height)
        };
        let height = if height.is_finite() { height } else { top };
        let part = |from: f64, to: f64| integrate(to - from, self.tolerance, |x| (ln_f(from + x) - height).exp());
        let has_layer = self.geometry == Geometry::Hyperbolic && from < LAYER && to > 10.0 * LAYER;
        let (value, error) = if has_layer {
            let ((near, near_error), (far, far_error)) = (part(from, LAYER), part(LAYER, to));
            let value = near + far;
            (value, (near * near_error + far * far_error) / value)
        } else {
            part(from, to)
        };
        if value <= 0.0 {
            return Ln::ZERO;
        }
        // the rounding errors of the exponent at its largest value, and those of its two parts where they cancel
        let exponent = self.fall_over(summit + (low - base), low + summit + base).abs() + height.abs();
        let parts = if self.law == Law::Gaussian { 0.5 * self.growth() * (to - from) } else { 0.0 };
        let value = value.ln() + height - self.normalizer.value;
        let rounding = 5e-16 * (value.abs() + exponent + parts) + angle::ERROR * self.dimension as f64;
        Ln { value, error: error + rounding }
    }

    /// `part` and the mass of the interval `[low, high]`, unless that is below a rounding error.
    pub(super) fn with(&self, part: Ln, low: f64, high: f64, base: f64) -> Ln {
        if low >= high {
            return part;
        }
        let summit = self.mode.clamp(low, high);
        let top = self.ln_density(self.geometry.sn(summit), self.fall_between(summit, base));
        if (high - low).ln() + top - self.normalizer.value < part.value - 45.0 {
            return part;
        }
        let mass = self.mass(low, high, base, |_| 0.0);
        // the rounding of the ends is large relative to a small ball on the sphere
        let ends = if self.geometry == Geometry::Sphere { PI / (high - low) } else { 0.0 };
        part.plus(Ln { error: mass.error + 1e-15 * self.dimension as f64 * ends, ..mass })
    }

    /// `ln` of the density relative to `e^{−E(base)}`, not normalised, from `sn(t)·e^{−gt}` and `E(t) − E(base)`.
    pub(super) fn ln_density(&self, sn: f64, fall: f64) -> f64 {
        if self.dimension == 1 { -fall } else { self.power() * sn.ln() - fall }
    }

    /// Where the density is largest from `t` on: numbers relative to it are neither huge nor tiny.
    pub(super) fn base(&self, t: f64) -> f64 {
        t.max(self.mode)
    }

    /// `E(t) − E(mode)`.
    pub(super) fn fall(&self, t: f64) -> f64 {
        self.fall_between(t, self.mode)
    }

    /// `E(t) − E(u)`.
    pub(super) fn fall_between(&self, t: f64, u: f64) -> f64 {
        self.fall_over(t - u, t + u)
    }

    /// A bound of the rounding error of [`fall`](Radial::fall), whose two parts cancel on hyperbolic
    /// space.
    pub(super) fn fall_error(&self, t: f64) -> f64 {
        1e-15 * (self.fall(t).abs() + self.growth() * (t - self.mode).abs())
    }

    /// `E(t) − E(u)`, from the difference and the sum of `t` and `u`.
    fn fall_over(&self, difference: f64, sum: f64) -> f64 {
        match self.law {
            Law::Laplace => difference / self.scale * (1.0 - self.growth() * self.scale),
            Law::Gaussian => (difference / self.scale) * (0.5 * (sum / self.scale) - self.growth() * self.scale),
        }
    }

    /// `E′(t)`.
    fn fall_slope(&self, t: f64) -> f64 {
        match self.law {
            Law::Laplace => (1.0 - self.growth() * self.scale) / self.scale,
            Law::Gaussian => (t / self.scale - self.growth() * self.scale) / self.scale,
        }
    }

    /// `φ′(t)`.
    pub(super) fn slope(&self, t: f64) -> f64 {
        match self.law {
            Law::Laplace => 1.0 / self.scale,
            Law::Gaussian => t / self.scale / self.scale,
        }
    }

    fn power(&self) -> f64 {
        (self.dimension - 1) as f64
    }

    /// `(d−1)g`: how fast the volume grows far out.
    pub(super) fn growth(&self) -> f64 {
        self.power() * self.geometry.growth()
    }

    /// A point inside an interval at whose end the density may be 0.
    fn inside(&self, low: f64, high: f64) -> f64 {
        let typical = self.typical(low).min(0.5 * (high - low));
        if low >= self.mode { 1e-3 * typical } else { (high - low) - 1e-3 * typical }
    }

    /// A length near the width of the density from `low` on: `σ`, or less where the density falls faster.
    fn typical(&self, low: f64) -> f64 {
        let width = match self.law {
            Law::Gaussian => self.scale,
            Law::Laplace => self.scale.max(self.mode),
        };
        let steepness = if self.law == Law::Gaussian { self.fall_slope(low).max(0.0) } else { 0.0 };
        if low > self.mode { 1.0 / (1.0 / width + steepness) } else { width }
    }

    /// Where `(d−1)·ln sn(t) − φ(t)` is largest.
    fn most_likely(&self) -> f64 {
        if self.dimension == 1 {
            return 0.0;
        }
        let rises = |t: f64| self.power() * self.geometry.excess_slope(t) > self.fall_slope(t);
        let mut high = self.scale * self.dimension as f64;
        if self.geometry == Geometry::Sphere {
            high = high.min(PI);
        }
        while high < self.geometry.end() && rises(high) {
            high = (2.0 * high).min(self.geometry.end());
        }
        let (low, high) = bisect(0.0, high, 60, rises);
        0.5 * (low + high)
    }
}
