//! The angle that a uniformly distributed direction of `R^d` makes with a fixed one.

use std::f64::consts::{FRAC_2_PI, LN_2, PI};

/// Distribution of `cos α`: `v = (1 + cos α)/2` has the law `Beta(ν, ν)`, `ν = (d−1)/2`; for `d = 1`, `v` is 0 or 1.
///
/// With `x = 4v(1−v)`, `P(V ≤ v) = ½·I_x(ν, ½)` for `v ≤ ½`, `I` the regularised incomplete beta function: arcsin for
/// `d = 2`, `v` itself for `d = 3` (Archimedes). Beyond that a continued fraction, which is evaluated at a few points
/// only: what is left after the leading factors is so smooth that a polynomial through them does as well for all
/// others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Angle {
    dimension: usize,
    nu: f64,
    /// `ln B(ν, ½)`.
    ln_beta: f64,
    tail: Tail,
}

/// The relative error of the probabilities, for each dimension.
pub(super) const ERROR: f64 = 1e-16;

impl Angle {
    pub(crate) fn new(dimension: usize) -> Self {
        let nu = 0.5 * (dimension as f64 - 1.0);
        // B(ν+1, ½) = B(ν, ½)·ν/(ν+½), from B(½, ½) = π and B(1, ½) = 2
        let (mut at, mut beta) = if dimension.is_multiple_of(2) { (0.5, PI) } else { (1.0, 2.0) };
        while at < nu {
            beta *= at / (at + 0.5);
            at += 1.0;
        }
        let ln_beta = f64::ln(beta);
        let tail = if dimension > 3 { Tail::new(nu, ln_beta) } else { Tail::default() };
        Self { dimension, nu, ln_beta, tail }
    }

    /// `ln B(ν, ½)`.
    pub(crate) fn ln_beta(&self) -> f64 {
        self.ln_beta
    }

    /// `ln P(V ≤ v)`, with a small relative error of the probability also where it is tiny.
    pub(crate) fn ln_below(&self, v: f64) -> f64 {
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
            _ if v <= 0.5 => self.ln_tail(v),
            _ => (-self.ln_tail(half).exp()).ln_1p(),
        }
    }

    /// `ln P(V ≤ v)`, `d ≥ 2`, for so small a `v` that `1 − v` is 1.
    pub(super) fn ln_below_tiny(&self, ln_v: f64) -> f64 {
        if !ln_v.is_finite() {
            return f64::NEG_INFINITY; // no angle at all
        }
        match self.dimension {
            2 => FRAC_2_PI.ln() + 0.5 * ln_v,
            3 => ln_v,
            _ => self.nu * (2.0 * LN_2 + ln_v) - self.ln_beta + self.tail.at(1.0),
        }
    }

    /// `P(|cos α| ≤ c)`, `rest = 1 − c`, with a small relative error also where it is tiny or near 1.
    pub(super) fn central(&self, c: f64, rest: f64) -> f64 {
        if rest <= 0.0 {
            return 1.0;
        }
        match self.dimension {
            1 => 0.0,
            2 if c <= 0.5 => FRAC_2_PI * c.asin(),
            2 => 1.0 - 2.0 * FRAC_2_PI * (0.5 * rest).sqrt().asin(),
            3 => c,
            _ if self.nu * c * c > 0.1 => -(LN_2 + self.ln_tail(0.5 * rest)).exp_m1(),
            _ => central(self.nu, self.ln_beta, c * c),
        }
    }

    /// `ln` of the density of `V` at `v`, `x = 4v(1 − v)`, for `d ≥ 2`; at the ends 0 where it may be infinite.
    pub(super) fn ln_density(&self, ln_x: f64) -> f64 {
        if ln_x.is_finite() { (self.nu - 1.0) * ln_x + LN_2 - self.ln_beta } else { f64::NEG_INFINITY }
    }

    /// `ln P(V ≤ v)` for `v ≤ ½`, `d > 3`.
    fn ln_tail(&self, v: f64) -> f64 {
        let c = 1.0 - 2.0 * v;
        let ln_x = if v > 0.25 { (-c * c).ln_1p() } else { (4.0 * v * (1.0 - v)).ln() };
        self.nu * ln_x - self.ln_beta + self.tail.at(c)
    }
}

/// `I_{1−x}(½, ν)`, `rest = 1 − x`, by the continued fraction that converges fast where `rest` is small.
fn central(nu: f64, ln_beta: f64, rest: f64) -> f64 {
    2.0 * (nu * (-rest).ln_1p() - ln_beta).exp() * rest.sqrt() * continued_fraction(0.5, nu, rest)
}

/// `ln N(c)`, `N(c) = ½·B(ν, ½)·I_x(ν, ½)/x^ν = x^{−ν}·∫_c^1 (1 − u²)^{ν−1} du`, `x = 1 − c²`, for `0 ≤ c ≤ 1`.
///
/// `N` resembles the Mills ratio of the normal law, at `c·√(2ν)`. As for that one, `ln(N·(1 + c√ν))` is a smooth
/// function of `t = 1/(1 + ½c√ν)`, for every `ν`: its Chebyshev coefficients fall below 1e-15 within [`TERMS`].
#[derive(Debug, Clone, Copy, Default)]
struct Tail {
    /// `½√ν`.
    rate: f64,
    coefficients: [f64; TERMS],
}

const TERMS: usize = 28;

impl Tail {
    fn new(nu: f64, ln_beta: f64) -> Self {
        let rate = 0.5 * nu.sqrt();
        let cosine = |numerator: usize| (PI * (numerator % (4 * TERMS)) as f64 / (2 * TERMS) as f64).cos();
        let values: [f64; TERMS] = std::array::from_fn(|i| {
            let t = from_unit(rate, cosine(2 * i + 1));
            let c = ((1.0 / t - 1.0) / rate).clamp(0.0, 1.0);
            ln_ratio(nu, ln_beta, c) + (2.0 * rate * c).ln_1p()
        });
        let coefficients = std::array::from_fn(|k| {
            let sum: f64 = (0..TERMS).map(|i| values[i] * cosine(k * (2 * i + 1))).sum();
            sum * if k == 0 { 1.0 } else { 2.0 } / TERMS as f64
        });
        Self { rate, coefficients }
    }

    fn at(&self, c: f64) -> f64 {
        let lowest = 1.0 / (1.0 + self.rate);
        let t = 1.0 / (1.0 + self.rate * c);
        let u = (2.0 * t - 1.0 - lowest) / (1.0 - lowest);
        // Clenshaw's recurrence in w, T₂(u) = w, for the even and the odd terms at once
        let w = 2.0 * u * u - 1.0;
        let (mut even, mut odd) = ([0.0; 2], [0.0; 2]);
        for pair in self.coefficients.rchunks_exact(2) {
            even = [(pair[0] - even[1]) + 2.0 * w * even[0], even[0]];
            odd = [(pair[1] - odd[1]) + 2.0 * w * odd[0], odd[0]];
        }
        (even[0] - w * even[1]) + u * (odd[0] - odd[1]) - (2.0 * self.rate * c).ln_1p()
    }
}

/// `t` between `1/(1 + rate)` and 1, from −1 to 1.
fn from_unit(rate: f64, u: f64) -> f64 {
    let lowest = 1.0 / (1.0 + rate);
    0.5 * (1.0 + lowest) + 0.5 * (1.0 - lowest) * u
}

/// `ln N(c)` directly.
fn ln_ratio(nu: f64, ln_beta: f64, c: f64) -> f64 {
    let (x, rest) = ((1.0 - c) * (1.0 + c), c * c);
    if x < (nu + 1.0) / (nu + 2.5) {
        (c * continued_fraction(nu, 0.5, x) / (2.0 * nu)).ln()
    } else {
        ln_beta - LN_2 - nu * (-rest).ln_1p() + (-central(nu, ln_beta, rest)).ln_1p()
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
        if (factor - 1.0).abs() < 4e-16 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(d, v, ln P(V ≤ v))`, by mpmath with 40 digits.
    const REFERENCE: [(usize, f64, f64); 48] = [
        (2, 1e-12, -14.267093263253562),
        (2, 0.01, -2.752494986597868),
        (2, 0.3, -0.9969312110207781),
        (2, 0.4999, -0.6932745126216505),
        (2, 0.7, -0.46046545391587124),
        (2, 0.999, -0.020340514397558022),
        (3, 1e-12, -27.631021115928547),
        (3, 0.01, -4.605170185988091),
        (3, 0.3, -1.2039728043259361),
        (3, 0.4999, -0.6933472005626123),
        (3, 0.7, -0.35667494393873245),
        (3, 0.999, -0.0010005003335835344),
        (4, 1e-12, -40.91728512617085),
        (4, 0.01, -6.381518634560872),
        (4, 0.3, -1.3770738500477473),
        (4, 0.4999, -0.6934018608954783),
        (4, 0.7, -0.29077456626452103),
        (4, 0.999, -5.366982488579193e-05),
        (5, 1e-12, -54.163429943189655),
        (5, 0.01, -8.11841707145887),
        (5, 0.3, -1.5324768712979722),
        (5, 0.4999, -0.6934472255649461),
        (5, 0.7, -0.2433462586317293),
        (5, 0.999, -2.998004494010987e-06),
        (7, 1e-12, -80.5904782547931),
        (7, 0.01, -11.527978190929858),
        (7, 0.3, -1.8135144010310844),
        (7, 0.4999, -0.6935222508800246),
        (7, 0.7, -0.17802679251108672),
        (7, 0.999, -9.9850060498502e-09),
        (10, 1e-12, -120.14654265739723),
        (10, 0.01, -16.558957440745637),
        (10, 0.3, -2.1943212205575984),
        (10, 0.4999, -0.693612930873702),
        (10, 0.7, -0.1181465486693387),
        (10, 0.999, -2.08821579881564e-12),
        (50, 1e-12, -645.8657558619269),
        (50, 0.01, -81.95924553168237),
        (50, 0.3, -6.310374823584282),
        (50, 0.4999, -0.6942591523403594),
        (50, 0.7, -0.0018190053126744125),
        (50, 0.999, 0.0),
        (1000, 1e-12, -13113.613580200159),
        (1000, 0.01, -1617.2010219333072),
        (1000, 0.3, -90.55097017520193),
        (1000, 0.4999, -0.6982023823140677),
        (1000, 0.7, -4.70656917809705e-40),
        (1000, 0.999, 0.0),
    ];

    #[test]
    fn distribution_agrees_with_the_reference_also_in_the_tails() {
        for (dimension, v, expected) in REFERENCE {
            let found = Angle::new(dimension).ln_below(v);
            // relative error of the probability, and the effect of rounding v alone
            let allowed = 1e-13 * (1.0 + expected.abs());
            assert!((found - expected).abs() < allowed, "d {dimension}, v {v}: {found} for {expected}");
        }
    }

    #[test]
    fn central_probability_is_the_difference_of_two_tails() {
        for dimension in [1, 2, 3, 4, 5, 10, 51, 1000] {
            let angle = Angle::new(dimension);
            for c in [1e-9, 1e-3, 0.2, 0.7, 0.99] {
                let tails = 2.0 * angle.ln_below(0.5 * (1.0 - c)).exp();
                let central = angle.central(c, 1.0 - c);
                assert!((central + tails - 1.0).abs() < 1e-13, "d {dimension}, c {c}");
            }
            assert_eq!(angle.central(1.0, 0.0), 1.0);
            let slope = angle.central(1e-9, 1.0) / angle.central(1e-10, 1.0);
            assert!(dimension == 1 || (slope - 10.0).abs() < 1e-9, "d {dimension}: {slope}");
        }
    }

    #[test]
    fn the_polynomial_is_as_good_as_the_continued_fraction() {
        for dimension in [4, 5, 6, 10, 51, 400, 10_000, 1_000_000] {
            let angle = Angle::new(dimension);
            for i in 0..=400 {
                let c = (f64::from(i) / 400.0).powi(2);
                let (found, direct) = (angle.tail.at(c), ln_ratio(angle.nu, angle.ln_beta, c));
                let allowed = 1e-14 + ERROR * dimension as f64;
                assert!((found - direct).abs() < allowed, "d {dimension}, c {c}: {found} for {direct}");
            }
        }
    }

    #[test]
    fn tiny_probabilities_continue_small_ones() {
        for dimension in [2, 3, 4, 9, 50, 1000] {
            let angle = Angle::new(dimension);
            let v = 1e-200_f64;
            let (found, expected) = (angle.ln_below_tiny(v.ln()), angle.ln_below(v));
            assert!((found / expected - 1.0).abs() < 1e-15, "d {dimension}: {found} for {expected}");
            // a power of v
            let slope = (angle.ln_below_tiny(-3000.0) - angle.ln_below_tiny(-1000.0)) / -2000.0;
            assert!((slope - angle.nu).abs() < 1e-12 * angle.nu, "d {dimension}: {slope}");
        }
    }

    #[test]
    fn density_is_the_derivative_of_the_distribution() {
        for dimension in [2, 3, 4, 9, 50] {
            let angle = Angle::new(dimension);
            for v in [0.1, 0.37, 0.5, 0.8] {
                let h = 1e-5;
                let slope = (angle.ln_below(v + h).exp() - angle.ln_below(v - h).exp()) / (2.0 * h);
                let density = angle.ln_density((4.0 * v * (1.0 - v)).ln()).exp();
                assert!((slope / density - 1.0).abs() < 1e-5, "d {dimension}, v {v}: {slope} for {density}");
            }
        }
    }

    #[test]
    fn the_ends_are_certain() {
        for dimension in [1, 2, 3, 4, 50] {
            let angle = Angle::new(dimension);
            assert_eq!(angle.ln_below(0.0), f64::NEG_INFINITY);
            assert_eq!(angle.ln_below(-0.1), f64::NEG_INFINITY);
            assert_eq!(angle.ln_below(1.0), 0.0);
            assert!(angle.ln_below(1.0f64.next_down()) <= 0.0);
        }
    }
}
