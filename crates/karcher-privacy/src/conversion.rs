//! Conversions of a guarantee to another definition, and the budget that a request needs. Everything is rounded
//! outward.

use super::guarantee::{Definition, Guarantee, positive, probability};
use super::interval::Interval;
use super::normal::{RELATIVE_ERROR, gaussian_profile, symmetric_log_odds};
use crate::bessel::quotient_of_first_kind;
use crate::error::{Error, Result};
use crate::remembered::Remembered;
use crate::rounding::{add_up, down, mul_up, up};
use crate::search::{largest, smallest};
use std::ops::RangeInclusive;

impl Guarantee {
    /// `δ(ε)`: the smallest known `δ` for which this guarantee implies `(ε, δ)`; from 0 to 1, rounded up.
    ///
    /// * pure `ε₀` and approximate `(ε₀, δ₀)`: `δ₀` for `ε ≥ ε₀`, and below it
    ///   `δ₀ + (1 − δ₀)·(e^{ε₀} − e^ε)/(1 + e^{ε₀})`, which is tight (Kairouz, Oh and Viswanath 2015); a pure guarantee
    ///   has `δ₀ = 0`;
    /// * μ-GDP: `Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2)`, tight (user guide, \[P1\]);
    /// * ρ-zCDP: `min over α > 1 of e^{(α−1)(αρ−ε)}/(α−1)·(1−1/α)^α`, valid (user guide, \[P2\]).
    ///
    /// The result exceeds the formula by a relative 1e-12 at most, for ρ-zCDP by the larger of 1e-11 and 1e-12·√ρ.
    /// Where it is neither 0 nor `δ₀`, it is at least the smallest normal number.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless `epsilon` is finite and at least 0.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// let pure = Guarantee::pure(1.0)?;
    /// assert_eq!(pure.delta(1.0)?, 0.0);
    /// assert!((pure.delta(0.0)? - 0.5_f64.tanh()).abs() < 1e-11); // (e − 1)/(e + 1), of randomized response
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn delta(&self, epsilon: f64) -> Result<f64> {
        if epsilon.is_finite() && epsilon >= 0.0 {
            return Ok(self.profile(epsilon));
        }
        Err(Error::InvalidParameter {
            name: "epsilon",
            value: epsilon,
            requirement: "it must be a finite number of at least 0".into(),
        })
    }

    /// `ε(δ)`: the smallest known `ε` for which this guarantee implies `(ε, δ)`, rounded up. Where it implies `(0, δ)`,
    /// this is the smallest positive normal number.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless `delta` is strictly between 0 and 1, or if there is no such `ε`.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// let gaussian = Guarantee::gaussian(0.5)?;
    /// let epsilon = gaussian.epsilon(1e-6)?;
    /// assert!((gaussian.delta(epsilon)? / 1e-6 - 1.0).abs() < 1e-9);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn epsilon(&self, delta: f64) -> Result<f64> {
        probability(delta)?;
        smallest(|epsilon| self.profile(epsilon) <= delta).ok_or_else(|| self.without_epsilon(delta))
    }

    /// The error where [`epsilon`](Guarantee::epsilon) finds none: `delta` is below the floor of the profile, or the
    /// guarantee is so weak that `ε` overflows.
    fn without_epsilon(&self, delta: f64) -> Error {
        let (name, value) = match self.definition() {
            Definition::Gaussian { mu } if delta >= f64::MIN_POSITIVE => ("mu", mu),
            Definition::Concentrated { rho } if delta >= f64::MIN_POSITIVE => ("rho", rho),
            Definition::Pure { .. }
            | Definition::Approximate { .. }
            | Definition::Gaussian { .. }
            | Definition::Concentrated { .. } => {
                let requirement =
                    format!("no finite epsilon is known for {self} at so small a delta; choose a larger delta");
                return Error::InvalidParameter { name: "delta", value: delta, requirement };
            }
        };
        let requirement = format!("its epsilon at delta {delta:?} is too large for a floating-point number");
        Error::InvalidParameter { name, value, requirement }
    }

    /// The approximate guarantee `(ε(δ), δ)` that this one implies: see [`epsilon`](Guarantee::epsilon).
    ///
    /// # Errors
    /// As for [`epsilon`](Guarantee::epsilon).
    ///
    /// ```
    /// use karcher_privacy::{Definition, Guarantee};
    /// let concentrated = Guarantee::concentrated(0.1)?;
    /// let Definition::Approximate { epsilon, .. } = concentrated.to_approximate(1e-6)?.definition() else { panic!() };
    /// assert_eq!(epsilon, concentrated.epsilon(1e-6)?);
    /// // sharper than the well-known ρ + 2·√(ρ·ln(1/δ))
    /// assert!(epsilon < 0.1 + 2.0 * (0.1 * 1e6_f64.ln()).sqrt());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn to_approximate(&self, delta: f64) -> Result<Self> {
        Self::approximate(self.epsilon(delta)?, delta)
    }

    /// The Gaussian guarantee that this one implies: `μ = 2Φ⁻¹(e^ε/(1 + e^ε))` for a pure one, which is tight (user
    /// guide, \[P2\]).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for approximate and concentrated guarantees, which imply none.
    ///
    /// ```
    /// use karcher_privacy::{Definition, Guarantee};
    /// let Definition::Gaussian { mu } = Guarantee::pure(1.0)?.to_gaussian()?.definition() else { panic!() };
    /// let pure = Guarantee::pure(1.0)?.delta(0.0)?;
    /// assert!((Guarantee::gaussian(mu)?.delta(0.0)? / pure - 1.0).abs() < 1e-9); // tight where ε is 0
    /// assert!(Guarantee::approximate(1.0, 1e-6)?.to_gaussian().is_err());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn to_gaussian(&self) -> Result<Self> {
        match self.definition() {
            Definition::Pure { epsilon } => Self::gaussian(mu_of_pure(epsilon)),
            Definition::Gaussian { .. } => Ok(*self),
            Definition::Approximate { delta, .. } => Err(not_implied("delta", delta, "approximate", "Gaussian")),
            Definition::Concentrated { rho } => Err(not_implied("rho", rho, "zero-concentrated", "Gaussian")),
        }
    }

    /// The concentrated guarantee that this one implies: `ρ = ε·tanh(ε/2)`, which is at most `ε²/2`, for a pure one,
    /// and `ρ = μ²/2` for a Gaussian one; both are tight (user guide, \[P2\]).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for an approximate guarantee, which implies none, and if `ρ` overflows.
    ///
    /// ```
    /// use karcher_privacy::{Definition, Guarantee};
    /// assert_eq!(Guarantee::gaussian(0.5)?.to_concentrated()?, Guarantee::concentrated(0.125)?); // μ²/2
    /// let Definition::Concentrated { rho } = Guarantee::pure(1.0)?.to_concentrated()?.definition() else { panic!() };
    /// assert!((rho - 0.5_f64.tanh()).abs() < 1e-15);
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn to_concentrated(&self) -> Result<Self> {
        match self.definition() {
            Definition::Pure { epsilon } => Self::concentrated(largest_rho(epsilon)),
            Definition::Gaussian { mu } => Self::concentrated(mul_up(mu, 0.5 * mu)),
            Definition::Concentrated { .. } => Ok(*self),
            Definition::Approximate { delta, .. } => {
                Err(not_implied("delta", delta, "approximate", "zero-concentrated"))
            }
        }
    }

    /// `δ(ε)` for a valid `ε`.
    fn profile(&self, epsilon: f64) -> f64 {
        match self.definition() {
            Definition::Pure { epsilon: limit } => randomized_response_delta(limit, 0.0, epsilon),
            Definition::Approximate { epsilon: limit, delta } => randomized_response_delta(limit, delta, epsilon),
            Definition::Gaussian { mu } => gaussian_delta(mu, epsilon),
            Definition::Concentrated { rho } => concentrated_delta(rho, epsilon),
        }
    }
}

/// The largest `μ` for which μ-GDP implies `(ε, δ)`, rounded down: the inverse of [`Guarantee::delta`] (user guide,
/// \[P1\]). Too low by a relative 1e-12 at most.
///
/// # Errors
/// [`Error::InvalidParameter`] for an `epsilon` or `delta` that [`Guarantee::approximate`] refuses, or if `μ`
/// underflows.
///
/// ```
/// use karcher_privacy::{Guarantee, mu_for};
/// let mu = mu_for(1.0, 1e-6)?;
/// assert!(Guarantee::gaussian(mu)?.delta(1.0)? <= 1e-6);
/// assert!(Guarantee::gaussian(1.001 * mu)?.delta(1.0)? > 1e-6);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn mu_for(epsilon: f64, delta: f64) -> Result<f64> {
    let (epsilon, delta) = (positive("epsilon", epsilon)?, probability(delta)?);
    static KNOWN: Remembered<(f64, f64), f64> = Remembered::new();
    KNOWN.or_compute((epsilon, delta), || {
        largest(|mu| gaussian_delta(mu, epsilon) <= delta).ok_or_else(|| underflow("mu", delta))
    })
}

/// The largest `ρ` for which ρ-zCDP is known to imply `(ε, δ)`, rounded down: the inverse of [`Guarantee::delta`].
///
/// # Errors
/// [`Error::InvalidParameter`] for an `epsilon` or `delta` that [`Guarantee::approximate`] refuses, or if `ρ`
/// underflows.
///
/// ```
/// use karcher_privacy::{Guarantee, rho_for};
/// let rho = rho_for(1.0, 1e-6)?;
/// assert!(Guarantee::concentrated(rho)?.delta(1.0)? <= 1e-6);
/// assert!(Guarantee::concentrated(1.001 * rho)?.delta(1.0)? > 1e-6);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn rho_for(epsilon: f64, delta: f64) -> Result<f64> {
    let (epsilon, delta) = (positive("epsilon", epsilon)?, probability(delta)?);
    largest(|rho| concentrated_delta(rho, epsilon) <= delta).ok_or_else(|| underflow("rho", delta))
}

/// `ε = ln[Φ(μ/2)/Φ(−μ/2)]`, rounded down: the largest `ε` for which every pure-`ε` release is μ-GDP (user guide,
/// \[P2\]).
///
/// A Laplace mechanism may spend this to fulfil a request for μ-GDP. It is no implication: μ-GDP never implies pure
/// privacy.
///
/// # Errors
/// [`Error::InvalidParameter`] unless `mu` is finite and greater than 0, or if `ε` overflows.
///
/// ```
/// use karcher_privacy::{Definition, Guarantee, pure_epsilon_for};
/// let implied = Guarantee::pure(pure_epsilon_for(1.0)?)?.to_gaussian()?;
/// let Definition::Gaussian { mu } = implied.definition() else { panic!() };
/// assert!((mu - 1.0).abs() < 1e-10);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn pure_epsilon_for(mu: f64) -> Result<f64> {
    let epsilon = down(symmetric_log_odds(positive("mu", mu)? / 2.0), RELATIVE_ERROR);
    positive("epsilon", epsilon)
}

/// The largest `ε` for which every pure-`ε` release is ρ-zCDP, `ε·tanh(ε/2) = ρ`, rounded down; at least `√(2ρ)` (user
/// guide, \[P2\]).
///
/// # Errors
/// [`Error::InvalidParameter`] unless `rho` is finite and greater than 0.
///
/// ```
/// use karcher_privacy::{Guarantee, pure_epsilon_for_rho};
/// let epsilon = pure_epsilon_for_rho(0.5)?;
/// assert!((epsilon - 1.0436).abs() < 1e-4); // above √(2ρ) = 1
/// assert!((epsilon * (epsilon / 2.0).tanh() - 0.5).abs() < 1e-14);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn pure_epsilon_for_rho(rho: f64) -> Result<f64> {
    let rho = positive("rho", rho)?;
    positive("epsilon", largest(|epsilon| largest_rho(epsilon) <= rho).unwrap_or(0.0))
}

/// The largest `ε` for which every release of bounded range `ε` is μ-GDP: twice [`pure_epsilon_for`] (user guide,
/// \[P2\]).
///
/// # Errors
/// As for [`pure_epsilon_for`].
///
/// ```
/// use karcher_privacy::{pure_epsilon_for, range_for_mu};
/// assert_eq!(range_for_mu(1.0)?, 2.0 * pure_epsilon_for(1.0)?);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn range_for_mu(mu: f64) -> Result<f64> {
    positive("epsilon", 2.0 * pure_epsilon_for(mu)?)
}

/// The `μ` of a release of bounded range `ε`, that of pure `ε/2`: `2·Φ⁻¹(e^{ε/2}/(1 + e^{ε/2}))`, rounded up. The
/// inverse of [`range_for_mu`].
///
/// # Errors
/// [`Error::InvalidParameter`] unless `epsilon` is finite and greater than 0.
///
/// ```
/// use karcher_privacy::mu_for_range;
/// assert!((mu_for_range(1.0)? - 0.6239).abs() < 1e-4); // of pure ε = 1 it is 1.2320
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn mu_for_range(epsilon: f64) -> Result<f64> {
    positive("mu", mu_of_pure(0.5 * positive("epsilon", epsilon)?))
}

/// The `μ` of pure `ε`, rounded up.
fn mu_of_pure(epsilon: f64) -> f64 {
    smallest(|mu: f64| down(symmetric_log_odds(mu / 2.0), RELATIVE_ERROR) >= epsilon).unwrap_or(f64::INFINITY)
}

/// The largest `ε` for which every release of bounded range `ε` is ρ-zCDP, rounded down: the inverse of
/// [`rho_for_range`]. It is more than `√(8ρ)`. The logarithm of the quotient of two densities then lies in an interval
/// of length `ε`.
///
/// # Errors
/// [`Error::InvalidParameter`] unless `rho` is finite and greater than 0.
///
/// ```
/// use karcher_privacy::range_for_rho;
/// assert!((range_for_rho(0.5)? - 2.0560).abs() < 1e-4); // pure ε-privacy alone allows 1.0436
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn range_for_rho(rho: f64) -> Result<f64> {
    let rho = positive("rho", rho)?;
    positive("epsilon", largest(|epsilon| rho_of_range(epsilon) <= rho).unwrap_or(0.0))
}

/// The `ρ` of a release of bounded range `ε`: `h − 1 − ln h` with `h = ε/(1 − e^{−ε})`, rounded up. It is less than
/// `ε²/8`, and no smaller one holds for all such releases (user guide, \[P2\]).
///
/// # Errors
/// [`Error::InvalidParameter`] unless `epsilon` is finite and greater than 0.
///
/// ```
/// use karcher_privacy::rho_for_range;
/// let rho = rho_for_range(2.0)?;
/// assert!((rho - 0.4745).abs() < 1e-4); // ε²/8 is 0.5
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn rho_for_range(epsilon: f64) -> Result<f64> {
    positive("rho", rho_of_range(positive("epsilon", epsilon)?))
}

/// Ranges for which `ρ` is computed. Below it is `ε²/8` at most, and beyond `h − 1`, which is below `ε`.
const RANGES: RangeInclusive<f64> = 1e-100..=1e4;

/// `y − ln(1 + y)` for `y = ε/(1 − e^{−ε}) − 1`, rounded up.
///
/// `y` is `s + s·I_{3/2}(s)/I_{1/2}(s)` with `s = ε/2`, as the quotient is `coth s − 1/s`. And `ln(1 + y) = y/(1 + z)`
/// with `z = y/(2 + y/(3 + 4y/(4 + 4y/(5 + 9y/(6 + 9y/(7 + …))))))` (DLMF 4.9.1), so that `y − ln(1 + y) = y·z/(1 + z)`
/// without any difference.
fn rho_of_range(epsilon: f64) -> f64 {
    if epsilon < *RANGES.start() {
        return mul_up(mul_up(epsilon, epsilon), 0.125);
    }
    if epsilon > *RANGES.end() {
        return epsilon;
    }
    let s = Interval::exactly(0.5 * epsilon);
    let y = s + s * quotient_of_first_kind(0.5, 0.5 * epsilon);
    let terms = (40.0 + 20.0 * epsilon.sqrt()) as usize;
    let mut rest = Interval { low: (terms + 1) as f64, high: f64::INFINITY };
    for i in (2..=terms).rev() {
        let half = i.div_ceil(2) as f64;
        rest = Interval::exactly(i as f64) + Interval::exactly(half * half) * y / rest;
    }
    let z = y / rest;
    (y * (z / (Interval::exactly(1.0) + z))).high
}

/// `ε·tanh(ε/2)`, rounded up.
fn largest_rho(epsilon: f64) -> f64 {
    mul_up(epsilon, up((0.5 * epsilon).tanh(), f64::EPSILON).min(1.0))
}

/// `δ_μ(ε)` (user guide, \[P1\]), rounded up.
pub(super) fn gaussian_delta(mu: f64, epsilon: f64) -> f64 {
    let (delta, complement) = gaussian_profile(mu, epsilon);
    rounded_up(delta, complement)
}

/// `δ` rounded up, from whichever of `δ` and `1 − δ` is the smaller and therefore the more accurate.
fn rounded_up(delta: f64, complement: f64) -> f64 {
    if delta < 0.5 { up(delta, RELATIVE_ERROR) } else { add_up(1.0, -down(complement, RELATIVE_ERROR)) }
}

/// `δ₀ + (1 − δ₀)·(e^{ε₀} − e^ε)/(e^{ε₀} + 1)` below `ε₀ = limit`, and `δ₀ = floor` from there on; rounded up.
///
/// This is the profile of randomised response with a leak of probability `δ₀`. Its complement is
/// `(1 − δ₀)·(e^ε + 1)/(e^{ε₀} + 1)`.
fn randomized_response_delta(limit: f64, floor: f64, epsilon: f64) -> f64 {
    if epsilon >= limit {
        return floor;
    }
    let denominator = 1.0 + (-limit).exp();
    let delta = floor - (1.0 - floor) * (epsilon - limit).exp_m1() / denominator;
    let complement = (1.0 - floor) * (epsilon - limit).exp() * (1.0 + (-epsilon).exp()) / denominator;
    rounded_up(delta, complement)
}

/// `min over t > 0 of e^{f(t)}`, `f(t) = t(ρ(t+1) − ε) − ln(1+t) − t·ln(1+1/t)`, which is the formula of
/// [`Guarantee::delta`] with `α = 1 + t` (user guide, \[P2\]); rounded up.
///
/// `f` is convex: the minimiser is where `f′(t) = ρ(2t+1) − ε − ln(1+1/t)` turns positive. Any `t` gives a valid bound,
/// so only the evaluation of `f` needs care: its terms are each right to a few units in the last place.
fn concentrated_delta(rho: f64, epsilon: f64) -> f64 {
    let largest_order = (1e300 / epsilon.max(1.0)).min(1e100); // so that no term overflows; any order proves a bound
    let is_past = |t: f64| rho * (2.0 * t + 1.0) - epsilon >= (1.0 / t).ln_1p();
    let t = smallest(is_past).unwrap_or(largest_order).min(largest_order);
    let terms = [t * rho * (t + 1.0), -t * epsilon, -t.ln_1p(), -t * (1.0 / t).ln_1p()];
    let value: f64 = terms.iter().sum();
    let error = 2e-15 * terms.iter().map(|term| term.abs()).sum::<f64>();
    let bound = up((value + error).exp(), RELATIVE_ERROR);
    if bound < 1.0 { bound } else { 1.0 } // 1 for a NaN too
}

fn not_implied(name: &'static str, value: f64, given: &str, wanted: &str) -> Error {
    Error::InvalidParameter {
        name,
        value,
        requirement: format!("{given} differential privacy implies no {wanted} differential privacy"),
    }
}

fn underflow(what: &str, delta: f64) -> Error {
    Error::InvalidParameter {
        name: "delta",
        value: delta,
        requirement: format!("it is so small that {what} underflows; choose a larger delta"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{CONCENTRATED_DELTAS, GAUSSIAN_DELTAS, GAUSSIAN_MUS, PURE_MUS, RANDOMIZED_RESPONSE_DELTAS};
    use proptest::prelude::*;

    fn assert_just_above(found: f64, expected: f64, relative: f64) {
        assert!(found >= expected, "{found:e} is below {expected:e}");
        assert!(found <= expected * (1.0 + relative), "{found:e} is far above {expected:e}");
    }

    /// `(ε, ρ)` of a bounded range, by mpmath with 50 digits: `h = e/(1 - exp(-e)); h - 1 - log(h)`.
    const RHOS_OF_RANGES: [(f64, f64); 11] = [
        (1e-8, 1.25e-17),
        (0.01, 1.249998263892747e-5),
        (0.1, 0.0012498264274598376),
        (0.5, 0.031142092261155878),
        (1.0, 0.12330156148224454),
        (2.0, 0.47447464707052694),
        (5.0, 2.4177196126479323),
        (10.0, 6.69782352595568),
        (40.0, 35.31112054588606),
        (300.0, 293.2962175253438),
        (9000.0, 8989.895020143682),
    ];

    #[test]
    fn a_bounded_range_has_the_reference_rho_rounded_up() {
        for (epsilon, rho) in RHOS_OF_RANGES {
            let found = rho_for_range(epsilon).unwrap();
            assert!(
                found >= rho * (1.0 - f64::EPSILON) && found <= rho * (1.0 + 1e-12),
                "{epsilon}: {found:e} {rho:e}"
            );
            assert!(found <= epsilon * epsilon / 8.0 * (1.0 + 1e-15));
            let back = range_for_rho(found).unwrap();
            assert!((back / epsilon - 1.0).abs() < 1e-12, "{epsilon}: {back}");
        }
    }

    /// A number's order of magnitude, then the number: arguments spread over all scales.
    fn spread(range: std::ops::Range<f64>) -> impl Strategy<Value = f64> {
        range.prop_map(|exponent| 10f64.powf(exponent))
    }

    #[test]
    fn gaussian_delta_is_the_reference_rounded_up() {
        for (mu, epsilon, delta) in GAUSSIAN_DELTAS {
            let found = Guarantee::gaussian(mu).unwrap().delta(epsilon).unwrap();
            assert_just_above(found, delta.max(f64::MIN_POSITIVE), 1e-12);
        }
    }

    #[test]
    fn mu_is_the_reference_rounded_down() {
        for (epsilon, delta, mu) in GAUSSIAN_MUS {
            assert_just_above(mu, mu_for(epsilon, delta).unwrap(), 1e-12);
        }
    }

    #[test]
    fn gaussian_epsilon_inverts_delta() {
        for (epsilon, delta, mu) in GAUSSIAN_MUS {
            // A change of δ by one unit in the last place can change a small ε by far more than that: ask for δ back.
            let g = Guarantee::gaussian(mu).unwrap();
            let found = g.epsilon(delta).unwrap();
            assert!(g.delta(found).unwrap() <= delta);
            assert!((found - epsilon).abs() <= 1e-12 * epsilon + 1e-12 * mu, "ε {found:e} for {epsilon:e}");
        }
    }

    #[test]
    fn pure_implies_the_reference_mu_rounded_up() {
        for (epsilon, mu) in PURE_MUS {
            let Definition::Gaussian { mu: found } =
                Guarantee::pure(epsilon).unwrap().to_gaussian().unwrap().definition()
            else {
                panic!("not Gaussian");
            };
            assert_just_above(found, mu, 1e-12);
            assert_just_above(epsilon, pure_epsilon_for(mu).unwrap(), 1e-12);
        }
    }

    #[test]
    fn concentrated_delta_is_the_reference_rounded_up() {
        for (rho, epsilon, delta) in CONCENTRATED_DELTAS {
            let found = Guarantee::concentrated(rho).unwrap().delta(epsilon).unwrap();
            assert_just_above(found, delta, (1e-12 * rho.sqrt()).max(1e-11));
        }
    }

    /// `ρ + 2√(ρ ln(1/δ))` is a well-known upper bound, and not far above.
    #[test]
    fn concentrated_guarantees_have_an_epsilon_at_every_delta() {
        for rho in [1e-8, 0.005, 0.5, 30.0, 4.5e4] {
            for delta in [1e-300, 1e-9, 1e-6] {
                let epsilon = Guarantee::concentrated(rho).unwrap().epsilon(delta).unwrap();
                let simple = rho + 2.0 * (rho * (1.0 / delta).ln()).sqrt();
                assert!(epsilon <= simple && epsilon > 0.3 * simple, "{rho} {delta}: {epsilon} {simple}");
            }
        }
    }

    fn implied_rho(g: Result<Guarantee>) -> f64 {
        match g.unwrap().to_concentrated().unwrap().definition() {
            Definition::Concentrated { rho } => rho,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn half_the_square_of_mu_is_the_concentrated_guarantee() {
        assert_eq!(implied_rho(Guarantee::gaussian(3.0)), 4.5);
        assert!(Guarantee::gaussian(1e200).unwrap().to_concentrated().is_err());
    }

    /// `tanh` of 30 digits, by mpmath.
    #[test]
    fn pure_implies_the_reference_rho_rounded_up() {
        for (epsilon, rho) in [
            (1e-9, 5e-19),
            (0.01, 4.999_958_333_749_996e-5),
            (0.3, 0.044_665_510_086_995_39),
            (1.0, 0.462_117_157_260_009_76),
            (3.0, 2.715_444_760_934_599_3),
            (50.0, 50.0),
            (1e200, 1e200),
        ] {
            assert_just_above(implied_rho(Guarantee::pure(epsilon)), rho, 1e-14);
            assert_just_above(epsilon, pure_epsilon_for_rho(rho).unwrap(), 1e-14);
        }
    }

    /// The Rényi divergence of order `α` of randomised response, `ln[cosh((α − ½)ε)/cosh(ε/2)]/(α − 1)`, is at most
    /// `αρ`, and no smaller `ρ` will do.
    #[test]
    fn no_order_of_randomised_response_has_more_than_the_concentrated_guarantee() {
        let ln_cosh = |x: f64| x + (-2.0 * x).exp().ln_1p();
        for epsilon in [0.01, 0.3, 1.0, 3.0, 20.0] {
            let rho = implied_rho(Guarantee::pure(epsilon));
            let divergence = |alpha: f64| (ln_cosh((alpha - 0.5) * epsilon) - ln_cosh(0.5 * epsilon)) / (alpha - 1.0);
            for i in 0..400 {
                let alpha = 1.0 + 10f64.powf(-4.0 + f64::from(i) / 40.0);
                assert!(divergence(alpha) <= alpha * rho * (1.0 + 1e-8), "{epsilon} {alpha}");
            }
            assert!(divergence(1.0 + 1e-5) > (1.0 - 1e-3) * rho, "{epsilon}");
        }
    }

    /// Pairs of laws on two points whose quotient takes two values, a factor of `e^ε` apart: the extremes of that
    /// range.
    #[test]
    fn no_pair_of_bounded_range_has_more_than_its_rho() {
        for epsilon in [0.1, 0.7, 2.0, 6.0] {
            let rho = rho_for_range(epsilon).unwrap();
            let back = range_for_rho(rho).unwrap();
            assert!((back / epsilon - 1.0).abs() < 1e-15 && rho_for_range(back).unwrap() <= rho * (1.0 + 1e-15));
            let mut largest = 0.0_f64;
            for q in (1..100).map(|i| f64::from(i) / 100.0) {
                let low = -(q * epsilon.exp_m1()).ln_1p();
                for alpha in (0..200).map(|i| 1.0 + 10_f64.powf(-3.0 + f64::from(i) / 40.0)) {
                    let mean = (1.0 - q) * (alpha * low).exp() + q * (alpha * (low + epsilon)).exp();
                    largest = largest.max(mean.ln() / (alpha - 1.0) / alpha);
                }
            }
            assert!(largest <= rho * (1.0 + 1e-9), "{epsilon}: {largest} {rho}");
            assert!(largest > 0.98 * rho, "{epsilon}: {largest} {rho}");
            // pure ε alone allows twice the range
            assert!(largest < 0.3 * largest_rho(epsilon) || epsilon > 1.0, "{epsilon}: {largest}");
        }
    }

    #[test]
    fn squares_are_halved_upward() {
        for i in 1..500 {
            let distance = f64::from(i) / 37.0;
            let rho = implied_rho(Guarantee::gaussian(distance));
            // the sign of the exact ½d² − ρ: a fused multiply-add rounds once
            assert!(distance.mul_add(0.5 * distance, -rho) <= 0.0, "{distance}");
            assert!(distance.mul_add(0.5 * distance, -rho.next_down()) > 0.0, "{distance}");
        }
    }

    #[test]
    fn randomized_response_delta_is_the_reference_rounded_up() {
        for (limit, floor, epsilon, delta) in RANDOMIZED_RESPONSE_DELTAS {
            assert_just_above(randomized_response_delta(limit, floor, epsilon), delta, 1e-12);
        }
    }

    #[test]
    fn pure_profile_is_that_of_randomized_response() {
        let g = Guarantee::pure(1.0).unwrap();
        assert_eq!(g.delta(1.0).unwrap(), 0.0);
        assert_just_above(g.delta(0.0).unwrap(), 0.5f64.tanh(), 1e-12);
        assert_eq!(g.epsilon(1e-300).unwrap(), 1.0);
        assert_eq!(Guarantee::approximate(1.0, 1e-6).unwrap().delta(1.0).unwrap(), 1e-6);
    }

    #[test]
    fn approximate_implies_nothing_below_its_delta() {
        let g = Guarantee::approximate(1.0, 1e-6).unwrap();
        assert_eq!(g.to_approximate(1e-6).unwrap(), g);
        assert!(g.epsilon(1e-5).unwrap() < 1.0);
        let error = g.epsilon(1e-7).unwrap_err().to_string();
        assert!(error.starts_with("delta is 1e-7: no finite epsilon"), "{error}");
    }

    #[test]
    fn an_epsilon_out_of_range_is_blamed_on_what_is_extreme() {
        let error = |g: Result<Guarantee>, delta| g.unwrap().epsilon(delta).unwrap_err().to_string();
        assert!(error(Guarantee::gaussian(1e308), 1e-6).starts_with("mu is 1e308: "));
        assert!(error(Guarantee::concentrated(f64::MAX), 1e-6).starts_with("rho is 1.797"));
        assert!(error(Guarantee::gaussian(1.0), 1e-310).starts_with("delta is 1e-310: "));
    }

    #[test]
    fn weaker_definitions_do_not_imply_stronger_ones() {
        let approximate = Guarantee::approximate(1.0, 1e-6).unwrap();
        assert!(approximate.to_gaussian().is_err());
        assert!(approximate.to_concentrated().is_err());
        let error = Guarantee::concentrated(0.5).unwrap().to_gaussian().unwrap_err();
        assert_eq!(
            error.to_string(),
            "rho is 0.5: zero-concentrated differential privacy implies no Gaussian differential privacy"
        );
    }

    #[test]
    fn arguments_out_of_range_are_refused() {
        let g = Guarantee::gaussian(1.0).unwrap();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
            assert!(g.delta(bad).is_err());
            assert!(g.epsilon(bad).is_err());
            assert!(mu_for(bad, 0.1).is_err() && mu_for(1.0, bad).is_err());
            assert!(rho_for(bad, 0.1).is_err() && rho_for(1.0, bad).is_err());
            assert!(pure_epsilon_for(bad).is_err());
        }
        assert_eq!(g.delta(-0.0), g.delta(0.0));
        assert!(g.epsilon(-0.0).is_err() && mu_for(-0.0, 0.1).is_err() && pure_epsilon_for(-0.0).is_err());
    }

    proptest! {
        #[test]
        fn gaussian_delta_rises_with_mu_and_falls_with_epsilon(mu in spread(-8.0..1.7), epsilon in spread(-8.0..2.7)) {
            let delta = gaussian_delta(mu, epsilon);
            prop_assert!(gaussian_delta(mu * 1.001, epsilon) >= delta);
            prop_assert!(gaussian_delta(mu, epsilon * 1.001) <= delta);
        }

        #[test]
        fn concentrated_delta_rises_with_rho_and_falls_with_epsilon(rho in spread(-8.0..2.7), epsilon in spread(-8.0..2.7)) {
            let delta = concentrated_delta(rho, epsilon);
            prop_assert!(concentrated_delta(rho * 1.001, epsilon) >= delta);
            prop_assert!(concentrated_delta(rho, epsilon * 1.001) <= delta);
        }

        #[test]
        fn randomized_response_delta_rises_with_the_guarantee_and_falls_with_epsilon(
            limit in spread(-8.0..2.7),
            floor in prop_oneof![Just(0.0), spread(-300.0..-0.01)],
            share in 0.0..1.2,
        ) {
            let epsilon = share * limit;
            let delta = randomized_response_delta(limit, floor, epsilon);
            prop_assert!(randomized_response_delta(limit * 1.001, floor, epsilon) >= delta);
            prop_assert!(randomized_response_delta(limit, floor * 1.001, epsilon) >= delta);
            prop_assert!(randomized_response_delta(limit, floor, epsilon * 1.001) <= delta);
        }

        #[test]
        fn conversions_rise_with_what_is_converted(
            epsilon in spread(-8.0..2.7),
            delta in prop_oneof![spread(-300.0..-0.01), Just(1.0 - 1e-9)],
        ) {
            let mu = |epsilon: f64| match Guarantee::pure(epsilon).unwrap().to_gaussian().unwrap().definition() {
                Definition::Gaussian { mu } => mu,
                _ => f64::NAN,
            };
            prop_assert!(mu(epsilon * 1.001) > mu(epsilon));
            prop_assert!(pure_epsilon_for(epsilon * 1.001).unwrap() > pure_epsilon_for(epsilon).unwrap());
            prop_assert!(pure_epsilon_for(mu(epsilon)).unwrap() >= epsilon); // there and back is outward
            for budget in [mu_for, rho_for] {
                let asked = budget(epsilon, delta).unwrap();
                // flat in ε where δ alone decides
                prop_assert!(budget(epsilon * 1.001, delta).unwrap() >= asked);
                prop_assert!(budget(epsilon, delta * (1.0 - 1e-3)).unwrap() < asked);
            }
        }

        #[test]
        fn mu_inverts_delta_from_the_safe_side(epsilon in spread(-8.0..2.7), delta in spread(-300.0..0.0)) {
            prop_assume!(delta < 1.0);
            let mu = mu_for(epsilon, delta).unwrap();
            let back = Guarantee::gaussian(mu).unwrap().delta(epsilon).unwrap();
            prop_assert!(back <= delta && back >= delta * (1.0 - 1e-9));
        }

        #[test]
        fn rho_inverts_delta_from_the_safe_side(
            epsilon in spread(-8.0..2.7),
            delta in prop_oneof![spread(-300.0..-0.01), (-9.0f64..-1.0).prop_map(|exponent| 1.0 - 10f64.powf(exponent))],
        ) {
            let rho = rho_for(epsilon, delta).unwrap();
            let back = Guarantee::concentrated(rho).unwrap().delta(epsilon).unwrap();
            prop_assert!(back <= delta && back >= delta * (1.0 - 1e-9));
        }

        #[test]
        fn gaussian_implies_less_than_its_concentrated_weakening(mu in spread(-4.0..1.0), epsilon in spread(-4.0..2.0)) {
            let g = Guarantee::gaussian(mu).unwrap();
            let weaker = g.to_concentrated().unwrap();
            prop_assert!(g.delta(epsilon).unwrap() <= weaker.delta(epsilon).unwrap());
        }

        #[test]
        fn pure_implies_less_than_its_gaussian_weakening(limit in spread(-6.0..2.5), share in 0.0..1.5) {
            let g = Guarantee::pure(limit).unwrap();
            let weaker = g.to_gaussian().unwrap();
            let epsilon = share * limit;
            // Equal at ε = 0, up to rounding.
            prop_assert!(g.delta(epsilon).unwrap() <= weaker.delta(epsilon).unwrap() * (1.0 + 1e-12));
        }

        /// Over all orders of magnitude, denormal numbers included.
        #[test]
        fn every_answer_is_a_number_and_delta_falls(a in 1u64..0x7ff0_0000_0000_0000, b in 1u64..0x7ff0_0000_0000_0000, c in 1u64..0x7ff0_0000_0000_0000) {
            let (a, b, c) = (f64::from_bits(a), f64::from_bits(b.min(c)), f64::from_bits(b.max(c)));
            let numbers = |g: Result<Guarantee>| g.map(|g| match g.definition() {
                Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => epsilon,
                Definition::Gaussian { mu } => mu,
                Definition::Concentrated { rho } => rho,
            });
            for g in [Guarantee::pure(a), Guarantee::gaussian(a), Guarantee::concentrated(a), Guarantee::approximate(a, 0.25)] {
                let g = g.unwrap();
                let answers = [g.epsilon(0.3), numbers(g.to_gaussian()), numbers(g.to_concentrated()), pure_epsilon_for(a)];
                for answer in answers.into_iter().flatten() {
                    prop_assert!(answer > 0.0 && answer < f64::INFINITY, "{g}: {answer}");
                }
                if !matches!(g.definition(), Definition::Concentrated { .. }) {
                    prop_assert!(g.delta(c).unwrap() <= g.delta(b).unwrap() * (1.0 + 1e-9), "{g}: {b:e} {c:e}");
                }
            }
        }

        #[test]
        fn every_positive_number_is_answered_without_a_panic(a in 1u64..0x7ff0_0000_0000_0000, b in 1u64..0x7ff0_0000_0000_0000) {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            for g in [Guarantee::pure(a), Guarantee::gaussian(a), Guarantee::concentrated(a), Guarantee::approximate(a, 0.25)] {
                let g = g.unwrap();
                let delta = g.delta(b).unwrap();
                prop_assert!((0.0..=1.0).contains(&delta), "{g}: δ({b:e}) = {delta:e}");
                let _ = (g.epsilon(0.25), g.to_gaussian(), g.to_concentrated());
            }
            let _ = (mu_for(a, 0.25), rho_for(a, 0.25), pure_epsilon_for(a));
        }
    }
}
