//! The privacy loss of Laplace noise on a vector, at `(ε, δ)` (user guide, \[N1\]).
//!
//! `N` in `R^d` has the density `∝ e^{−‖z‖/σ}`, and the statistic moves by `v`, `‖v‖ ≤ Δ`. Write `s = Δ/2σ`.
//!
//! **Theorem.** For `‖v‖ = Δ`, `d ≥ 2`, the loss is `L = 2s·b`, and `b` in `[−1, 1]` has the density
//! `∝ (1 − b²)^{(d−3)/2}·(q − b²)·e^{sb}`, where `q = 1 + (d − 1)·K_{d/2}(s)/(s·K_{d/2−1}(s))`.
//!
//! **Proof.** Take the coordinates with the two centers as foci: the distances of a point from them are `(a − b)Δ/2`
//! and `(a + b)Δ/2`, `a ≥ 1`. Its distance from their axis is `√((a² − 1)(1 − b²))·Δ/2`, so the volume element is `∝
//! (a² − b²)·((a² − 1)(1 − b²))^{(d−3)/2} da db`. The density seen from the first center is `∝ e^{−s(a−b)}`. What
//! depends on `a` integrates to a multiple of `q − b²`, because `∫₁^∞ (a² − 1)^{ν−½}·e^{−sa} da` is `Γ(ν +
//! ½)·(2/s)^ν·K_ν(s)/√π`, here with `ν = d/2 − 1` and `ν = d/2`. ∎
//!
//! So `δ(ε) = E[(1 − e^{ε−L})₊]` is a quotient of two integrals of positive elementary functions. With `b = cos θ` they
//! are entire, and Gauss–Legendre rules come with a proved bound of their error ([`Loss::integral`]). Shorter `v` are
//! covered: `δ` does not fall as `‖v‖` grows (\[N1\]).
//!
//! For `d = 1`, `δ(ε) = 1 − e^{(ε − Δ/σ)/2}`.

use crate::error::{Error, Result};
use crate::guarantee::{Guarantee, positive};
use crate::normal::{ln_gaussian_profile, mu_of_total_variation};
use crate::remembered::Remembered;
use crate::rounding::{div_up, up};
use crate::search::{smallest, smallest_scale};
use gauss_quad::GaussLegendre;
use std::f64::consts::PI;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Nodes of a Gauss–Legendre rule.
const NODES: NonZeroUsize = NonZeroUsize::new(16).unwrap();
static RULE: LazyLock<GaussLegendre> = LazyLock::new(|| GaussLegendre::new(NODES));

/// The Bernstein ellipse with the sum of semi-axes 4 lies in a disc of this radius, in units of half a panel.
const DISC: f64 = 2.125;
/// `64/15·4^{−2·16}/(1 − 4^{−2})` (Trefethen 2013, theorem 19.3).
const RULE_ERROR: f64 = 64.0 / 15.0 * 16.0 / 15.0 * 5.421_010_862_427_522e-20;
/// A panel whose part is surely below this fraction of the largest is not integrated: its bound is added to the error.
const NEGLIGIBLE: f64 = 1e-22;

/// Bound of the relative rounding error of `δ`: `ROUNDING·(1 + (d + s)/1000)`. It is measured, not proved: the largest
/// error against 34 digits, at 450 arguments in up to 150 dimensions, is 4e-14.
const ROUNDING: f64 = 1e-12;

/// Ratios `Δ/σ` for which the loss is integrated. Below, nearly everything is hidden; beyond, nothing, and panels are
/// many.
const RATIOS: RangeInclusive<f64> = 1e-100..=1e5;

/// More numbers would take long.
const MOST_NUMBERS: usize = 10_000_000;

/// A scale is too high by this, relatively, at most.
const PRECISION: f64 = 1e-10;

/// An upper bound of `δ(ε)` for Laplace noise of scale `σ` on a vector of `dimension` numbers that moves by at most
/// `Δ`. In up to a thousand dimensions it is too high by a relative 3e-12 as a rule: the quadrature is proved, rounding
/// has a measured margin (\[N1\]). It is 0 where `ε ≥ Δ/σ`.
///
/// # Errors
/// [`Error::InvalidParameter`] for no numbers, unless the lengths are finite and greater than 0, and for an `ε` that is
/// below 0 or not finite.
///
/// ```
/// use karcher_privacy::flat_laplace_delta;
/// assert!((flat_laplace_delta(6, 1.0, 0.7, 1.0)? - 0.007_958_282_718_9).abs() < 1e-13);
/// assert_eq!(flat_laplace_delta(6, 1.0, 1.0, 1.0)?, 0.0); // pure ε = Δ/σ
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn flat_laplace_delta(dimension: usize, sensitivity: f64, scale: f64, epsilon: f64) -> Result<f64> {
    let ratio = div_up(positive("sensitivity", sensitivity)?, positive("scale", scale)?);
    if !(epsilon.is_finite() && epsilon >= 0.0) {
        let requirement = "it must be a finite number of at least 0".to_owned();
        return Err(Error::InvalidParameter { name: "epsilon", value: epsilon, requirement });
    }
    check_dimension(dimension)?;
    Ok(delta(dimension, ratio, epsilon))
}

/// The smallest `ε` for which such noise is `(ε, δ)`; never above `Δ/σ`. The inverse of [`flat_laplace_delta`].
///
/// # Errors
/// As for [`flat_laplace_delta`]; and unless `δ` is between 0 and 1.
///
/// ```
/// use karcher_privacy::{flat_laplace_delta, flat_laplace_epsilon};
/// let epsilon = flat_laplace_epsilon(20, 1.0, 0.8, 1e-6)?;
/// assert!(epsilon < 1.25 && flat_laplace_delta(20, 1.0, 0.8, epsilon)? <= 1e-6);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn flat_laplace_epsilon(dimension: usize, sensitivity: f64, scale: f64, delta: f64) -> Result<f64> {
    let ratio = div_up(positive("sensitivity", sensitivity)?, positive("scale", scale)?);
    Guarantee::approximate(1.0, delta)?;
    check_dimension(dimension)?;
    Ok(smallest(|epsilon| self::delta(dimension, ratio, epsilon) <= delta).unwrap_or(ratio).min(ratio))
}

/// The smallest scale `σ` at which Laplace noise on a vector is `(ε, δ)`, too high by a relative 1e-10 at most; never
/// above `Δ/ε`.
///
/// # Errors
/// As for [`flat_laplace_epsilon`].
///
/// ```
/// use karcher_privacy::{flat_laplace_scale, laplace_scale};
/// let gain = |d| Ok::<_, karcher_privacy::Error>(flat_laplace_scale(d, 1.0, 1.0, 1e-6)? / laplace_scale(1.0, 1.0)?);
/// assert!((gain(6)? - 0.976).abs() < 5e-4 && (gain(15)? - 0.839).abs() < 5e-4);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn flat_laplace_scale(dimension: usize, sensitivity: f64, epsilon: f64, delta: f64) -> Result<f64> {
    let pure = crate::calibration::laplace_scale(sensitivity, epsilon)?;
    Guarantee::approximate(epsilon, delta)?;
    check_dimension(dimension)?;
    static KNOWN: Remembered<(usize, [f64; 3]), f64> = Remembered::new();
    KNOWN.or_compute((dimension, [sensitivity, epsilon, delta]), || {
        let delta_of = |scale: f64| Ok(self::delta(dimension, div_up(sensitivity, scale), epsilon));
        let found = smallest_scale(pure, pure, delta, PRECISION, delta_of)?.unwrap_or(pure);
        Ok(if found.is_normal() { found.min(pure) } else { pure })
    })
}

/// The Gaussian guarantee of such noise: too high by a relative 1e-4 as a rule, and never above the one that pure `Δ/σ`
/// implies.
///
/// It holds for all `ε` at once. As functions of `e^ε` both `δ(ε)` and the `δ_μ(ε)` of Gaussian noise are convex. So
/// between two arguments the first is below its chord, and the second above its tangent in the middle. Cells are halved
/// until the chord is below the tangent. Beyond `Δ/σ` there is no loss.
///
/// # Errors
/// As for [`flat_laplace_delta`].
///
/// ```
/// use karcher_privacy::{Definition, flat_laplace_guarantee};
/// let Definition::Gaussian { mu } = flat_laplace_guarantee(20, 1.0, 1.0)?.definition() else { panic!() };
/// assert!((mu - 0.2264).abs() < 1e-4); // pure ε = 1 implies 1.208
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn flat_laplace_guarantee(dimension: usize, sensitivity: f64, scale: f64) -> Result<Guarantee> {
    let pure = crate::calibration::laplace_guarantee(sensitivity, scale)?;
    check_dimension(dimension)?;
    static KNOWN: Remembered<(usize, f64, f64), Guarantee> = Remembered::new();
    KNOWN.or_compute((dimension, sensitivity, scale), || {
        Ok(gaussian_guarantee(pure.to_gaussian()?, dimension, div_up(sensitivity, scale)))
    })
}

/// The Gaussian guarantee from the ratio `Δ/σ`, or the one that pure `Δ/σ` implies.
fn gaussian_guarantee(pure: Guarantee, dimension: usize, ratio: f64) -> Guarantee {
    let at_zero = delta(dimension, ratio, 0.0);
    if at_zero > 0.5 {
        return pure;
    }
    let least = mu_of_total_variation(at_zero);
    for excess in MU_EXCESSES {
        let mu = least * (1.0 + excess);
        let Ok(own) = Guarantee::gaussian(mu) else { break };
        if pure.implies(own) {
            break;
        }
        let ends = [0.0, ratio].map(|epsilon| (epsilon, delta(dimension, ratio, epsilon)));
        if is_below(mu, ends, DEPTH, &|epsilon| delta(dimension, ratio, epsilon)) {
            return own;
        }
    }
    pure
}

/// Excesses over the `μ` at `ε = 0` that are tried: it is the largest as a rule.
const MU_EXCESSES: [f64; 4] = [1e-4, 1e-3, 1e-2, 1e-1];
/// Cells are halved this often at most.
const DEPTH: usize = 24;

/// Whether the chord of `δ` is below a tangent of `δ_μ` on a cell, or on its halves.
fn is_below(mu: f64, [from, to]: [(f64, f64); 2], depth: usize, delta: &dyn Fn(f64) -> f64) -> bool {
    let middle = 0.5 * (from.0 + to.0);
    let (ln_at_middle, slope) = ln_gaussian_profile(mu, middle);
    // in e^ε, and relative to the value in the middle
    let tangent = |epsilon: f64| {
        let rise = slope * (epsilon - middle).exp_m1();
        1.0 + rise - 1e-12 * (1.0 + rise.abs())
    };
    if [from, to].iter().all(|(epsilon, delta)| *delta <= tangent(*epsilon) * ln_at_middle.exp()) {
        return true;
    }
    let middle = (middle, delta(middle));
    depth > 0 && is_below(mu, [from, middle], depth - 1, delta) && is_below(mu, [middle, to], depth - 1, delta)
}

pub(crate) fn check_dimension(dimension: usize) -> Result<()> {
    if (1..=MOST_NUMBERS).contains(&dimension) {
        return Ok(());
    }
    let requirement = format!("a vector has from one number to {MOST_NUMBERS}");
    Err(Error::InvalidParameter { name: "dimension", value: dimension as f64, requirement })
}

/// See [`flat_laplace_delta`]; `ratio` is `Δ/σ`.
pub(crate) fn delta(dimension: usize, ratio: f64, epsilon: f64) -> f64 {
    let excess = ratio - epsilon;
    if excess <= 0.0 {
        return 0.0;
    }
    if dimension == 1 || !RATIOS.contains(&ratio) {
        return on_a_line(excess);
    }
    Loss::new(dimension, ratio).delta(excess).unwrap_or(1.0).min(on_a_line(excess))
}

/// `δ(ε)` for `d = 1`, `ε = Δ/σ − excess`: a line has the largest of all dimensions (\[N1\]).
fn on_a_line(excess: f64) -> f64 {
    up(-(-0.5 * excess).exp_m1(), 1e-15).min(1.0)
}

/// The law of the angle `θ`, `b = cos θ`.
struct Loss {
    /// `d − 2`.
    power: f64,
    /// `s = Δ/2σ`.
    s: f64,
    /// `q − 1`.
    beyond: f64,
    /// Half a panel: an angle at which an integrand, and the bound of its factors on a disc, change by a moderate
    /// factor.
    half: f64,
}

/// An integral of positive terms, `e^{ln_unit}·value`, and a bound of its error in the same unit.
struct Integral {
    ln_unit: f64,
    value: f64,
    error: f64,
}

impl Loss {
    fn new(dimension: usize, ratio: f64) -> Self {
        let (d, s) = (dimension as f64, 0.5 * ratio);
        Self {
            power: d - 2.0,
            s,
            beyond: (d - 1.0) / s * bessel_quotient(dimension, s),
            half: (0.5 / (d + 2.0 * s).sqrt()).min(2.0 / s),
        }
    }

    /// `δ(ε)` for `ε = 2s − excess`, rounded up; `None` where the error is not below the integral.
    fn delta(&self, excess: f64) -> Option<f64> {
        let end = 2.0 * (0.25 * excess / self.s).sqrt().min(1.0).asin(); // cos θ = ε/2s
        let (above, all) = (self.integral(end.min(PI), Some(excess)), self.integral(PI, None));
        if !(all.error < 0.5 * all.value && (above.value + above.error).is_finite()) {
            return None;
        }
        let quotient = (above.value + above.error) / (all.value - all.error);
        let rounding = ROUNDING * (1.0 + 1e-3 * (self.power + self.s));
        Some(up(quotient * (above.ln_unit - all.ln_unit).exp(), rounding).min(1.0))
    }

    /// `∫₀^end g dθ` for the density of `θ` times `e^{−s}`, `g = sin^{d−2}θ·(q − cos²θ)·e^{−2s·sin²(θ/2)}`; with an
    /// `excess = 2s − ε` also times `1 − e^{ε−L} = 1 − e^{−(excess − 4s·sin²(θ/2))}`.
    ///
    /// On a panel of half-width `h` the rule of 16 nodes is off by at most [`RULE_ERROR`]`·h·M`, `M` a bound of `|g|`
    /// on the disc of radius `r = 2.125·h` about its middle.
    fn integral(&self, end: f64, excess: Option<f64>) -> Integral {
        let panels = (0.5 * end / self.half).ceil().max(1.0);
        let half = 0.5 * end / panels;
        let middle = |i: usize| half * (2 * i + 1) as f64;
        let bounds: Vec<f64> = (0..panels as usize).map(|i| self.ln_bound(middle(i), DISC * half, excess)).collect();
        let ln_unit = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut value, mut error) = (0.0, 0.0);
        for (i, bound) in bounds.into_iter().enumerate() {
            let bound = (bound - ln_unit).exp();
            if bound < NEGLIGIBLE {
                error += 2.0 * half * bound;
                continue;
            }
            let (from, to) = (middle(i) - half, middle(i) + half);
            value += RULE.integrate(from, to, |theta| (self.ln_density(theta, excess) - ln_unit).exp());
            error += RULE_ERROR * half * bound;
        }
        Integral { ln_unit, value, error }
    }

    fn ln_density(&self, theta: f64, excess: Option<f64>) -> f64 {
        let (sin, half_sin) = (theta.sin(), (0.5 * theta).sin());
        let fall = 2.0 * self.s * half_sin * half_sin;
        let kept = excess.map_or(1.0, |excess| -(2.0 * fall - excess).min(0.0).exp_m1());
        self.power * sin.ln() + (self.beyond + sin * sin).ln() - fall + kept.ln()
    }

    /// A bound of `ln|g|` within `r` of a real `m`. With `z = m + ζ`, `|ζ| ≤ r`: `|cos ζ − 1| ≤ cosh r − 1` and
    /// `|sin ζ| ≤ sinh r`, so `|sin z| ≤ sin m·cosh r + |cos m|·sinh r`, and the real part of `cos z` is off `cos m` by
    /// `c = |cos m|·(cosh r − 1) + sin m·sinh r` at most. For `w` of any size `|1 − e^{−w}|` is at most `1 + e^{−Re w}`
    /// and `|w|·e^{|w|}`; here `w = excess − 4s·sin²(z/2)` is off its value at `m` by at most `2s` times the bound of
    /// `|cos z − cos m|`, which is `c` too.
    fn ln_bound(&self, m: f64, r: f64, excess: Option<f64>) -> f64 {
        let (sin, cos) = (m.sin(), m.cos().abs());
        let largest = sin * r.cosh() + cos * r.sinh();
        let off = cos * 2.0 * (0.5 * r).sinh().powi(2) + sin * r.sinh();
        let fall = 2.0 * self.s * (0.5 * m).sin().powi(2);
        let kept = excess.map_or(0.0, |excess| {
            let loss = (excess - 2.0 * fall).abs() + 2.0 * self.s * off;
            (2.0 * (fall + self.s * off) - excess).exp().ln_1p().min(loss.ln() + loss)
        });
        self.power * largest.ln() + (self.beyond + largest * largest).ln() - fall + self.s * off + kept
    }
}

/// `K_{d/2}(s)/K_{d/2−1}(s)`, by `K_{ν+1} = (2ν/s)·K_ν + K_{ν−1}`.
fn bessel_quotient(dimension: usize, s: f64) -> f64 {
    let is_odd = dimension % 2 == 1;
    let first = if is_odd { 1.0 } else { bessel_one_over_zero(s) };
    let later = (if is_odd { 3 } else { 4 }..=dimension).step_by(2);
    later.fold(first, |quotient, d| (d - 2) as f64 / s + 1.0 / quotient)
}

/// `K₁(s)/K₀(s)`, the mean of `cosh t` for the density `∝ e^{−s·cosh t}`: by the trapezoidal rule, whose error falls
/// exponentially with the number of nodes for such a function.
fn bessel_one_over_zero(s: f64) -> f64 {
    let end = 2.0 * (20.0 / s).sqrt().asinh(); // e^{−40} from there
    let nodes = (5.0 * end).ceil().max(64.0);
    let (mut mass, mut first) = (0.5, 0.5);
    for i in 1..=nodes as usize {
        let rise = 2.0 * (0.5 * end * i as f64 / nodes).sinh().powi(2); // cosh t − 1
        let weight = (-s * rise).exp();
        mass += weight;
        first += weight * (1.0 + rise);
    }
    first / mass
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Generator, Law};
    use crate::normal::gaussian_profile;
    use crate::remembered::MOST;
    use crate::{ConstantCurvature, Definition, Profile, laplace_scale};
    use proptest::prelude::*;
    use rand::RngExt;
    use rand_distr::{Gamma, StandardNormal};

    /// `(d, σ, Δ, ε, δ)`, by mpmath with 60 digits from another formula: the probabilities of the set of large losses,
    /// as means of the probability of a cap over the gamma law of `‖N‖` (user guide, \[N1\]).
    const REFERENCE: [(usize, f64, f64, f64, f64); 25] = [
        (1, 0.7, 1.0, 1.0, 0.19288225299461076),
        (1, 2.0, 1.0, 0.25, 0.1175030974154046),
        (2, 0.7, 1.0, 1.0, 0.09086230058962907),
        (2, 0.99, 1.0, 1.0, 0.00041344205497306465),
        (3, 0.5, 0.4, 0.3, 0.08734283233819744),
        (3, 0.7, 1.0, 1.0, 0.04587152050434339),
        (4, 0.2, 1.0, 3.0, 0.2420797987610561),
        (5, 0.9, 1.0, 1.0, 0.00042594249055124183),
        (6, 0.7, 1.0, 1.0, 0.007958282718864878),
        (6, 0.98, 1.0, 1.0, 5.017059866498266e-7),
        (6, 3.0, 1.0, 0.3, 3.2107771870196186e-5),
        (10, 0.9, 1.0, 1.0, 2.675747698840061e-6),
        (10, 0.5, 1.0, 0.0, 0.2534314622293876),
        (15, 0.8, 1.0, 1.0, 5.378968905574307e-6),
        (20, 0.75, 1.0, 1.0, 2.574291580314569e-6),
        (20, 1.0, 1.0, 0.0, 0.09011920954781019),
        (20, 3.0, 1.0, 0.1, 0.0031211887110305066),
        (30, 0.65, 1.0, 1.0, 2.5392280291934332e-6),
        (55, 0.5, 1.0, 1.0, 3.5020430497411673e-6),
        (100, 0.4, 1.0, 1.0, 1.3306222444506698e-6),
        (100, 0.05, 1.0, 10.0, 1.3138739164239676e-6),
        (6, 0.01, 1.0, 90.0, 0.8255291087040363),
        (300, 0.2, 1.0, 1.0, 2.7686462040634464e-5),
        (7, 10000.0, 1.0, 0.0, 1.5624999998697918e-5),
        (8, 10000.0, 1.0, 5e-05, 1.0546456232491887e-6),
    ];

    #[test]
    fn delta_is_the_reference_rounded_up() {
        for (dimension, scale, sensitivity, epsilon, exact) in REFERENCE {
            let found = flat_laplace_delta(dimension, sensitivity, scale, epsilon).unwrap();
            let close = found >= exact * (1.0 - 1e-15) && found <= exact * (1.0 + 1e-11);
            assert!(close, "{dimension} {scale} {sensitivity} {epsilon}: {found:e} for {exact:e}");
        }
    }

    #[test]
    fn scale_and_epsilon_are_inverse_to_delta() {
        for (dimension, scale, sensitivity, epsilon, exact) in REFERENCE.into_iter().filter(|row| row.3 > 0.0) {
            let found = flat_laplace_scale(dimension, sensitivity, epsilon, exact).unwrap();
            assert!(
                found >= scale * (1.0 - 1e-15) && found <= scale * (1.0 + 1e-9),
                "{dimension}: {found} for {scale}"
            );
            let found = flat_laplace_epsilon(dimension, sensitivity, scale, exact).unwrap();
            let allowed = 1e-9 * sensitivity / scale;
            assert!(found >= epsilon && found <= epsilon + allowed, "{dimension}: {found} for {epsilon}");
        }
    }

    proptest! {
        /// The quadrature over lengths and angles of noise, for any space of constant curvature, is independent of
        /// this.
        #[test]
        fn delta_agrees_with_the_profile_by_radii(d in 2_usize..60, ln_ratio in -4.0f64..3.0, place in 0.0f64..0.98) {
            let scale = 0.3;
            let sensitivity = scale * ln_ratio.exp();
            let epsilon = place * sensitivity / scale;
            let found = flat_laplace_delta(d, sensitivity, scale, epsilon).unwrap();
            let space = ConstantCurvature::new(d, 0.0).unwrap();
            let other = Profile::new(space, Law::Laplace, scale, sensitivity).unwrap().delta_by_quadrature(epsilon);
            prop_assert!((found - other).abs() <= 2e-11 * other + 1e-12, "{} {}", found, other);
        }

        #[test]
        fn a_calibrated_scale_keeps_its_promise_and_a_smaller_one_does_not(
            d in 1_usize..400, ln_epsilon in -6.0f64..4.0, ln_delta in -60.0f64..-0.01,
        ) {
            let (epsilon, asked) = (ln_epsilon.exp(), ln_delta.exp());
            let scale = flat_laplace_scale(d, 1.0, epsilon, asked).unwrap();
            prop_assert!(scale <= laplace_scale(1.0, epsilon).unwrap());
            prop_assert!(flat_laplace_delta(d, 1.0, scale, epsilon).unwrap() <= asked);
            prop_assert!(flat_laplace_delta(d, 1.0, scale * (1.0 - 1e-9), epsilon).unwrap() > asked);
        }

        /// Fewer numbers, more distance and less noise hide less.
        #[test]
        fn delta_is_monotone(d in 1_usize..100, ln_ratio in -4.0f64..4.0, place in 0.0f64..1.0, more in 1e-6f64..1.0) {
            let (ratio, slack) = (ln_ratio.exp(), 1.0 + 1e-11);
            let epsilon = place * ratio;
            prop_assert!(delta(d + 1, ratio, epsilon) <= delta(d, ratio, epsilon) * slack);
            prop_assert!(delta(d, ratio, epsilon) <= delta(d, ratio * (1.0 + more), epsilon) * slack);
            prop_assert!(delta(d, ratio, epsilon * (1.0 + more)) <= delta(d, ratio, epsilon) * slack);
        }
    }

    /// `μ` is at least that of every `ε`, and close to the largest; the profile by radii has its own certificate.
    #[test]
    fn mu_holds_for_every_epsilon_and_is_close() {
        for (d, ratio) in [(1, 0.5), (2, 0.2), (3, 1.0), (6, 1.3), (10, 0.01), (20, 1.25), (55, 2.0), (300, 5.0)] {
            let Definition::Gaussian { mu } = flat_laplace_guarantee(d, ratio, 1.0).unwrap().definition() else {
                panic!()
            };
            for i in 0..100 {
                let epsilon = ratio * f64::from(i) / 100.0;
                let normal = gaussian_profile(mu, epsilon).0;
                assert!(delta(d, ratio, epsilon) <= normal, "{d} {ratio} {epsilon}");
            }
            let space = ConstantCurvature::new(d, 0.0).unwrap();
            let other = Profile::new(space, Law::Laplace, 1.0, ratio).unwrap().mu();
            assert!(mu >= other * (1.0 - 1e-9) && mu < other * (1.0 + 1.1e-4), "{d} {ratio}: {mu} {other}");
            let mut ends = [0.0, ratio].map(|epsilon| (epsilon, delta(d, ratio, epsilon)));
            ends[0].1 *= 1.0 + 2e-4; // planted
            assert!(!is_below(mu, ends, DEPTH, &|epsilon| delta(d, ratio, epsilon)), "{d} {ratio}");
        }
    }

    #[test]
    fn a_remembered_guarantee_is_that_of_its_own_arguments() {
        let mu = |(d, sensitivity, scale)| flat_laplace_guarantee(d, sensitivity, scale).unwrap();
        let asked = [(6, 1.0, 1.0), (7, 1.0, 1.0), (6, 2.0, 1.0), (6, 1.0, 2.0)];
        let first = asked.map(mu);
        assert!((0..4).all(|i| (0..i).all(|j| first[i] != first[j])), "{first:?}");
        assert_eq!(asked.map(mu), first);
        for i in 0..=MOST {
            mu((3, 1.0 + i as f64, 1.0));
        }
        assert_eq!(asked.map(mu), first);
    }

    /// `E[(1 − e^{ε−L})₊]` over draws is `δ(ε)` in 20 settings, within 5 standard errors (a false alarm in 90,000
    /// runs), and in each is not that of a scale 3 % smaller.
    #[test]
    fn sampled_losses_have_the_delta() {
        const DRAWS: usize = 40_000;
        let mut generator = Generator::seeded(11);
        for (dimension, ratio) in [(2, 0.3), (3, 1.0), (5, 2.0), (10, 0.5), (20, 1.0)] {
            let length = Gamma::new(dimension as f64, 1.0).unwrap();
            let losses: Vec<f64> = (0..DRAWS)
                .map(|_| {
                    let mut z: Vec<f64> = (0..dimension).map(|_| generator.sample(StandardNormal)).collect();
                    let long: f64 = generator.sample(length);
                    let norm = z.iter().map(|z| z * z).sum::<f64>().sqrt();
                    z.iter_mut().for_each(|z| *z *= long / norm);
                    let rest: f64 = z[1..].iter().map(|z| z * z).sum();
                    ((z[0] + ratio).powi(2) + rest).sqrt() - long
                })
                .collect();
            for share in [0.0, 0.1, 0.25, 0.4] {
                let epsilon = share * ratio;
                let of = |loss: &f64| (-(epsilon - loss).min(0.0).exp_m1()).max(0.0);
                let mean = losses.iter().map(of).sum::<f64>() / DRAWS as f64;
                let square = losses.iter().map(|loss| of(loss).powi(2)).sum::<f64>() / DRAWS as f64;
                let error = ((square - mean * mean) / DRAWS as f64).sqrt();
                assert!((mean - delta(dimension, ratio, epsilon)).abs() < 5.0 * error, "{dimension} {ratio} {epsilon}");
                let planted = delta(dimension, ratio / 0.97, epsilon);
                assert!((mean - planted).abs() > 1.5 * error, "{dimension} {ratio} {epsilon}: no power");
            }
        }
    }

    /// Up to the largest dimensions and ratios `δ` grows with the ratio, and is near 1 where half of the losses are far
    /// above `ε`. No calibrated scale is far below that of Gaussian noise.
    #[test]
    fn large_vectors_and_ratios_are_bounded() {
        for dimension in [3, 100, 820, 3_000, 32_896, 1_000_000] {
            let mut last = 0.0;
            for i in 0..=40 {
                let ratio = 1e5_f64.powf(f64::from(i) / 40.0);
                let found = delta(dimension, ratio, 0.5);
                assert!(found >= last * (1.0 - 1e-8), "{dimension} {ratio}: {found} {last}");
                last = found;
            }
            assert!(last > 0.999, "{dimension}: {last}");
        }
        for (dimension, epsilon, asked) in [
            (200_000, 1.0, 1e-2),
            (600_000, 2.0, 1e-6),
            (10_000, 35.0, 1e-6),
            (3_000, 2_000.0, 1e-6),
            (1_000_000, 3.0, 1e-6),
        ] {
            let scale = flat_laplace_scale(dimension, 1.0, epsilon, asked).unwrap();
            let request = Guarantee::approximate(epsilon, asked).unwrap();
            let normal = crate::gaussian_scale(1.0, &request, crate::GaussianCalibration::Analytic).unwrap();
            // ‖N‖ is about d·σ, and √d·σ
            let ratio = scale * (dimension as f64).sqrt() / normal;
            assert!(ratio > 0.8 && ratio < 1.1, "{dimension} {epsilon}: {ratio}");
        }
        assert!(flat_laplace_delta(usize::MAX, 1.0, 1.0, 0.5).is_err());
    }

    #[test]
    fn extreme_arguments_give_a_bound() {
        for (dimension, ratio, epsilon) in [
            (1, 1e-300, 0.0),
            (2, 1e-300, 0.0),
            (2, 1e-310, 1e-311),
            (4, 1e-99, 0.0),
            (3, 1e300, 1.0),
            (1_000_000, 1.0, 0.1),
            (2, 9e4, 8.9e4),
            (3, 800.0, 1e-300),
        ] {
            let found = delta(dimension, ratio, epsilon);
            assert!(found > 0.0 && found <= 1.0, "{dimension} {ratio} {epsilon}: {found}");
        }
        assert!(flat_laplace_scale(50, 1.0, 1.0, 1e-310).unwrap() <= 1.0);
        assert!(flat_laplace_scale(50, 1e300, 1.0, 1e-6).is_ok());
        for (dimension, sensitivity, scale, epsilon) in [
            (0, 1.0, 1.0, 1.0),
            (2, 0.0, 1.0, 1.0),
            (2, 1.0, f64::NAN, 1.0),
            (2, 1.0, 1.0, -1.0),
            (2, 1.0, 1.0, f64::INFINITY),
        ] {
            assert!(flat_laplace_delta(dimension, sensitivity, scale, epsilon).is_err());
        }
    }
}
