//! The angle that a uniformly distributed direction of `R^d` makes with a fixed one.

use std::f64::consts::{FRAC_2_PI, LN_2, PI};

/// Distribution of `cos α`: `v = (1 + cos α)/2` has the law `Beta(ν, ν)`, `ν = (d−1)/2`; for `d = 1`, `v` is 0 or 1.
///
/// With `x = 4v(1−v)`, `P(V ≤ v) = ½·I_x(ν, ½)` for `v ≤ ½`, `I` the regularised incomplete beta function: arcsin for
/// `d = 2`, `v` itself for `d = 3` (Archimedes), and a continued fraction beyond.
#[derive(Debug, Clone, Copy)]
pub(super) struct Angle {
    dimension: usize,
    nu: f64,
    /// `ln B(ν, ½)`.
    ln_beta: f64,
}

impl Angle {
    pub(super) fn new(dimension: usize) -> Self {
        let nu = 0.5 * (dimension as f64 - 1.0);
        // B(ν+1, ½) = B(ν, ½)·ν/(ν+½), from B(½, ½) = π and B(1, ½) = 2
        let (mut at, mut beta) = if dimension.is_multiple_of(2) { (0.5, PI) } else { (1.0, 2.0) };
        while at < nu {
            beta *= at / (at + 0.5);
            at += 1.0;
        }
        Self { dimension, nu, ln_beta: f64::ln(beta) }
    }

    /// `ln P(V ≤ v)`, with a small relative error of the probability also where it is tiny.
    pub(super) fn ln_below(&self, v: f64) -> f64 {
        if v <= 0.0 {
            return f64::NEG_INFINITY;
        }
        if v >= 1.0 {
            return 0.0;
        }
        let half = 0.5 * (1.0 - (1.0 - 2.0 * v).abs()); // the smaller of v and 1 − v
        match self.dimension {
            1 => -LN_2,
            2 if v <= 0.5 => (FRAC_2_PI * v.sqrt().asin()).ln(),
            2 => (-FRAC_2_PI * half.sqrt().asin()).ln_1p(),
            3 => v.ln(),
            _ if v <= 0.5 => self.ln_incomplete(4.0 * v * (1.0 - v), (1.0 - 2.0 * v).powi(2)) - LN_2,
            _ => (-0.5 * self.ln_incomplete(4.0 * v * half, (1.0 - 2.0 * v).powi(2)).exp()).ln_1p(),
        }
    }

    /// `P(|cos α| ≤ c)`, with a small relative error also where it is tiny.
    pub(super) fn central(&self, c: f64) -> f64 {
        if c >= 1.0 {
            return 1.0;
        }
        let x = (1.0 - c) * (1.0 + c);
        match self.dimension {
            1 => 0.0,
            2 => FRAC_2_PI * c.asin(),
            3 => c,
            _ if x < self.turn() => -self.ln_incomplete(x, c * c).exp_m1(),
            _ => self.central_directly(x, c * c),
        }
    }

    /// `ln I_x(ν, ½)` where `rest = 1 − x`.
    fn ln_incomplete(&self, x: f64, rest: f64) -> f64 {
        if x < self.turn() {
            let fraction = continued_fraction(self.nu, 0.5, x);
            self.nu * x.ln() + 0.5 * rest.ln() - self.ln_beta + (fraction / self.nu).ln()
        } else {
            (-self.central_directly(x, rest)).ln_1p()
        }
    }

    /// `I_{1−x}(½, ν)`.
    fn central_directly(&self, x: f64, rest: f64) -> f64 {
        let power = (self.nu * x.ln() - self.ln_beta).exp();
        2.0 * power * rest.sqrt() * continued_fraction(0.5, self.nu, rest)
    }

    /// Below this `x`, the continued fraction of `I_x(ν, ½)` is the one that converges fast.
    fn turn(&self) -> f64 {
        (self.nu + 1.0) / (self.nu + 2.5)
    }
}

/// `I_x(a, b)·a·B(a, b)/(x^a (1−x)^b)` for `x < (a+1)/(a+b+2)` by the modified Lentz method (DLMF 8.17.22).
fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let nonzero = |y: f64| if y.abs() < TINY { TINY } else { y };
    let mut c = 1.0;
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut factor = 1.0;
        for coefficient in [even, odd] {
            d = 1.0 / nonzero(1.0 + coefficient * d);
            c = nonzero(1.0 + coefficient / c);
            factor = c * d;
            value *= factor;
        }
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    value
}
