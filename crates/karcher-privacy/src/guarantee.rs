//! A promise of privacy, in one of four definitions.

use crate::error::{Error, Result};
use crate::rounding::{div_up, down, mul_up, up};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A validated promise about neighbouring data sets: in this library, two that differ in one record, which is replaced.
///
/// It serialises to its definition and numbers, for example `{"definition":"pure","epsilon":1.0}`.
///
/// ```
/// use karcher_privacy::Guarantee;
/// let guarantee = Guarantee::pure(1.0)?;
/// assert_eq!(guarantee.to_string(), "pure differential privacy with epsilon 1.0");
/// let read: Guarantee = serde_json::from_str(r#"{"definition":"pure","epsilon":1.0}"#)?;
/// assert_eq!(read, guarantee);
/// assert!(serde_json::from_str::<Guarantee>(r#"{"definition":"pure","epsilon":-1.0}"#).is_err());
/// assert!(serde_json::from_str::<Guarantee>(r#"{"definition":"pure","epsilon":1.0,"delta":0.1}"#).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(into = "Definition", try_from = "Definition")]
pub struct Guarantee(Definition);

/// A guarantee's definition and numbers, to match on: see [`Guarantee::definition`].
///
/// `P` and `Q` are the laws of a release on two neighbouring data sets, and `E` any set of outcomes.
///
/// ```
/// use karcher_privacy::{Definition, Guarantee};
/// let Definition::Approximate { epsilon, delta } = Guarantee::approximate(1.0, 1e-6)?.definition() else { panic!() };
/// assert_eq!((epsilon, delta), (1.0, 1e-6));
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "definition", rename_all = "lowercase", deny_unknown_fields)]
pub enum Definition {
    /// `P(E) ≤ e^ε·Q(E)`.
    Pure {
        /// Privacy loss `ε`.
        epsilon: f64,
    },
    /// `P(E) ≤ e^ε·Q(E) + δ`.
    Approximate {
        /// Privacy loss `ε`.
        epsilon: f64,
        /// Probability `δ`, from 0 to 1 exclusive.
        delta: f64,
    },
    /// `P` and `Q` are no easier to tell apart than `N(0, 1)` and `N(μ, 1)` (Dong, Roth and Su 2022).
    Gaussian {
        /// Distance `μ` of the means.
        mu: f64,
    },
    /// The Rényi divergence of every order `α > 1` is at most `ρ·α` (Bun and Steinke 2016).
    Concentrated {
        /// Divergence `ρ` per order.
        rho: f64,
    },
}

/// Its numbers with their names, such as `epsilon 0.5 and delta 1e-6`.
impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Definition::Pure { epsilon } => write!(f, "epsilon {epsilon:?}"),
            Definition::Approximate { epsilon, delta } => write!(f, "epsilon {epsilon:?} and delta {delta:?}"),
            Definition::Gaussian { mu } => write!(f, "mu {mu:?}"),
            Definition::Concentrated { rho } => write!(f, "rho {rho:?}"),
        }
    }
}

impl From<Guarantee> for Definition {
    fn from(guarantee: Guarantee) -> Self {
        guarantee.0
    }
}

impl TryFrom<Definition> for Guarantee {
    type Error = Error;

    fn try_from(definition: Definition) -> Result<Self> {
        match definition {
            Definition::Pure { epsilon } => Self::pure(epsilon),
            Definition::Approximate { epsilon, delta } => Self::approximate(epsilon, delta),
            Definition::Gaussian { mu } => Self::gaussian(mu),
            Definition::Concentrated { rho } => Self::concentrated(rho),
        }
    }
}

/// Above this ε, μ or ρ a guarantee protects hardly anyone: a guess between two neighbouring data sets may be wrong with
/// a probability below `1/(1 + e^10)` = 1/22,000, `Φ(−μ/2)` = 1/21,000, and for Gaussian noise of ρ = μ²/2 as much.
const WEAK_EPSILON: f64 = 10.0;
const WEAK_MU: f64 = 7.8;
const WEAK_RHO: f64 = 30.0;

impl Guarantee {
    /// Warnings of a budget that protects hardly anyone, for a public number of records `n`: one for ε above 10, μ above
    /// 7.8 or ρ above 30, and one for δ above `1/n`.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// assert!(Guarantee::approximate(1.0, 1e-6)?.caveats(1_000).is_empty());
    /// assert!(Guarantee::pure(11.0)?.caveats(1)[0].starts_with("epsilon 11 protects hardly anyone"));
    /// assert!(Guarantee::gaussian(8.0)?.caveats(1)[0].starts_with("mu 8 protects hardly anyone"));
    /// assert!(Guarantee::approximate(1.0, 0.01)?.caveats(1_000)[0].starts_with("delta 0.01 is above 1/n = 1/1000"));
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn caveats(&self, n: usize) -> Vec<String> {
        let (name, size, weak, delta) = match self.definition() {
            Definition::Pure { epsilon } => ("epsilon", epsilon, WEAK_EPSILON, 0.0),
            Definition::Approximate { epsilon, delta } => ("epsilon", epsilon, WEAK_EPSILON, delta),
            Definition::Gaussian { mu } => ("mu", mu, WEAK_MU, 0.0),
            Definition::Concentrated { rho } => ("rho", rho, WEAK_RHO, 0.0),
        };
        let of_size = (size > weak).then(|| {
            format!(
                "{name} {size} protects hardly anyone: above {weak}, a guess whether one person's record is among the \
                 data may be wrong less than once in 20,000; 0.1 to 1 is usual"
            )
        });
        let of_delta = (delta * n as f64 > 1.0).then(|| {
            format!(
                "delta {delta} is above 1/n = 1/{n}: publishing one record, picked at random, would satisfy it; choose \
                 far less than 1/n"
            )
        });
        of_size.into_iter().chain(of_delta).collect()
    }

    /// The guarantee for data sets two steps apart that one for a single step implies. Where one record added or
    /// removed is a step, a record that replaces another is two. `2ε`, `2μ`, `4ρ`, and `(2ε, (1 + e^ε)·δ)` (user guide,
    /// U2), rounded up.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] where that is no guarantee, because a number is too large.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// assert_eq!(Guarantee::pure(0.5)?.of_two_steps()?, Guarantee::pure(1.0)?);
    /// assert_eq!(Guarantee::concentrated(0.5)?.of_two_steps()?, Guarantee::concentrated(2.0)?);
    /// assert!(Guarantee::approximate(10.0, 0.5)?.of_two_steps().is_err()); // δ would be above 1
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn of_two_steps(self) -> Result<Self> {
        match self.definition() {
            Definition::Pure { epsilon } => Self::pure(2.0 * epsilon),
            Definition::Gaussian { mu } => Self::gaussian(2.0 * mu),
            Definition::Concentrated { rho } => Self::concentrated(4.0 * rho),
            Definition::Approximate { epsilon, delta } => {
                let factor = up(1.0 + epsilon.exp(), 4.0 * f64::EPSILON);
                Self::approximate(2.0 * epsilon, mul_up(factor, delta))
            }
        }
    }

    /// The guarantee for data sets `k` steps apart that one for a single step implies, such as those that differ in `k`
    /// records. It is `kε`, `kμ`, `k²ρ`, and `(kε, (1 + e^ε + … + e^{(k−1)ε})·δ)`, rounded up.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for no step, and where a number is too large for a guarantee.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// assert_eq!(Guarantee::pure(0.5)?.group(3)?, Guarantee::pure(1.5)?);
    /// assert_eq!(Guarantee::concentrated(0.5)?.group(3)?, Guarantee::concentrated(4.5)?);
    /// assert!(Guarantee::pure(0.5)?.group(0).is_err());
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn group(self, k: u32) -> Result<Self> {
        let steps = f64::from(k);
        match (k, self.definition()) {
            (0, _) => Err(Error::InvalidParameter {
                name: "k",
                value: 0.0,
                requirement: "it must be a whole number of at least 1".to_owned(),
            }),
            (1, _) => Ok(self),
            (2, _) => self.of_two_steps(),
            (_, Definition::Pure { epsilon }) => Self::pure(mul_up(steps, epsilon)),
            (_, Definition::Gaussian { mu }) => Self::gaussian(mul_up(steps, mu)),
            (_, Definition::Concentrated { rho }) => Self::concentrated(mul_up(steps, mul_up(steps, rho))),
            (_, Definition::Approximate { epsilon, delta }) => {
                let all = mul_up(steps, epsilon);
                Self::approximate(all, mul_up(geometric_sum(k, epsilon), delta))
            }
        }
    }

    /// Pure differential privacy.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless `epsilon` is finite and greater than 0.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// assert!(Guarantee::pure(0.5).is_ok());
    /// assert!([0.0, -1.0, f64::NAN, f64::INFINITY].into_iter().all(|epsilon| Guarantee::pure(epsilon).is_err()));
    /// ```
    pub fn pure(epsilon: f64) -> Result<Self> {
        Ok(Self(Definition::Pure { epsilon: positive("epsilon", epsilon)? }))
    }

    /// Approximate differential privacy.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless `epsilon` is finite and greater than 0, and `delta` strictly between 0 and 1.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// assert!(Guarantee::approximate(0.5, 1e-6).is_ok());
    /// assert!(Guarantee::approximate(0.5, 0.0).is_err()); // that is Guarantee::pure
    /// assert!(Guarantee::approximate(0.5, 1.0).is_err()); // that promises nothing
    /// ```
    pub fn approximate(epsilon: f64, delta: f64) -> Result<Self> {
        Ok(Self(Definition::Approximate { epsilon: positive("epsilon", epsilon)?, delta: probability(delta)? }))
    }

    /// Gaussian differential privacy.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless `mu` is finite and greater than 0.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// // telling N(0, 1) from N(μ, 1): at threshold μ/2, both errors are Φ(−μ/2), so δ(0) = 1 − 2Φ(−μ/2)
    /// let delta = Guarantee::gaussian(2.0)?.delta(0.0)?;
    /// assert!((delta - 0.682_689_492_137_085_9).abs() < 1e-9); // the mass of N(0, 1) within one standard deviation
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn gaussian(mu: f64) -> Result<Self> {
        Ok(Self(Definition::Gaussian { mu: positive("mu", mu)? }))
    }

    /// Zero-concentrated differential privacy.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] unless `rho` is finite and greater than 0.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// let gaussian_noise = Guarantee::gaussian(1.0)?.to_concentrated()?;
    /// assert_eq!(gaussian_noise, Guarantee::concentrated(0.5)?); // ρ = μ²/2
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn concentrated(rho: f64) -> Result<Self> {
        Ok(Self(Definition::Concentrated { rho: positive("rho", rho)? }))
    }

    /// The definition and its numbers.
    pub fn definition(&self) -> Definition {
        self.0
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Definition::Pure { epsilon } => write!(f, "pure differential privacy with epsilon {epsilon:?}"),
            Definition::Approximate { epsilon, delta } => {
                write!(f, "approximate differential privacy with epsilon {epsilon:?} and delta {delta:?}")
            }
            Definition::Gaussian { mu } => write!(f, "Gaussian differential privacy with mu {mu:?}"),
            Definition::Concentrated { rho } => write!(f, "zero-concentrated differential privacy with rho {rho:?}"),
        }
    }
}

/// Relative errors of `exp` and `exp_m1`, four times what they are known to be at most.
const OF_EXP: f64 = 4.0 * f64::EPSILON;

/// `1 + e^ε + … + e^{(k−1)ε}` for `k > 1` and `ε > 0`, rounded up; infinite where it overflows.
///
/// It is `(e^{kε} − 1)/(e^ε − 1)`, which grows with `kε`, so that `kε` may be rounded up. It is at most
/// `k·e^{(k−1)ε}`, also where `e^ε − 1` is below the normal numbers.
fn geometric_sum(k: u32, epsilon: f64) -> f64 {
    let all = mul_up(f64::from(k), epsilon);
    let (above, below) = (up(all.exp_m1(), OF_EXP), down(epsilon.exp_m1(), OF_EXP));
    let largest = mul_up(f64::from(k - 1), epsilon);
    let at_most = mul_up(f64::from(k), up(largest.exp(), OF_EXP));
    if below > 0.0 && above.is_finite() { div_up(above, below).min(at_most) } else { at_most }
}

/// `value`, if it is finite and greater than 0.
pub(super) fn positive(name: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() && value > 0.0 {
        return Ok(value);
    }
    Err(Error::InvalidParameter { name, value, requirement: "it must be a finite number greater than 0".into() })
}

/// `delta`, if it is strictly between 0 and 1.
pub(super) fn probability(delta: f64) -> Result<f64> {
    if delta > 0.0 && delta < 1.0 {
        return Ok(delta);
    }
    Err(Error::InvalidParameter {
        name: "delta",
        value: delta,
        requirement: "it must be strictly between 0 and 1".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialised_form_names_the_definition_and_its_numbers() {
        let json = |g: Result<Guarantee>| serde_json::to_string(&g.unwrap()).unwrap();
        assert_eq!(json(Guarantee::pure(1.0)), r#"{"definition":"pure","epsilon":1.0}"#);
        assert_eq!(
            json(Guarantee::approximate(0.5, 1e-6)),
            r#"{"definition":"approximate","epsilon":0.5,"delta":1e-6}"#
        );
        assert_eq!(json(Guarantee::gaussian(2.0)), r#"{"definition":"gaussian","mu":2.0}"#);
        assert_eq!(json(Guarantee::concentrated(0.25)), r#"{"definition":"concentrated","rho":0.25}"#);
    }

    #[test]
    fn display_is_a_phrase() {
        let g = Guarantee::approximate(1.0, 1e-300).unwrap();
        assert_eq!(g.to_string(), "approximate differential privacy with epsilon 1.0 and delta 1e-300");
        assert_eq!(Guarantee::pure(1.0).unwrap().to_string(), "pure differential privacy with epsilon 1.0");
    }

    #[test]
    fn numbers_that_promise_nothing_are_refused() {
        for bad in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(Guarantee::pure(bad).is_err());
            assert!(Guarantee::gaussian(bad).is_err());
            assert!(Guarantee::concentrated(bad).is_err());
            assert!(Guarantee::approximate(bad, 0.5).is_err());
            assert!(Guarantee::approximate(1.0, bad).is_err());
        }
        assert!(Guarantee::approximate(1.0, 1.0).is_err());
        assert!(Guarantee::approximate(1.0, 1.0f64.next_down()).is_ok());
        assert!(Guarantee::pure(5e-324).is_ok());
    }

    #[test]
    fn a_group_adds_up_step_by_step() {
        for k in [1_u32, 2, 3, 7, 40] {
            for epsilon in [1e-320, 1e-12, 0.01, 0.7, 3.0] {
                let delta = 1e-60;
                let Definition::Approximate { epsilon: all, delta: found } =
                    Guarantee::approximate(epsilon, delta).unwrap().group(k).unwrap().definition()
                else {
                    panic!()
                };
                let expected: f64 = (0..k).rev().map(|i| (f64::from(i) * epsilon).exp()).sum::<f64>() * delta;
                assert!(all >= f64::from(k) * epsilon && all <= (f64::from(k) * epsilon).next_up());
                // the sum by itself is rounded to nearest, and each of its exponents, which are at most 117
                assert!(found >= expected * (1.0 - 3e-14), "{k} {epsilon}: {found} {expected}");
                assert!(found <= expected * (1.0 + 1e-13), "{k} {epsilon}: {found} {expected}");
            }
        }
    }

    #[test]
    fn a_group_of_groups_is_a_group() {
        for one in [
            Guarantee::pure(0.3),
            Guarantee::gaussian(0.3),
            Guarantee::concentrated(0.3),
            Guarantee::approximate(0.3, 1e-9),
        ] {
            let one = one.unwrap();
            let (nested, flat) = (one.group(3).unwrap().group(5).unwrap(), one.group(15).unwrap());
            let numbers = |g: Guarantee| match g.definition() {
                Definition::Pure { epsilon } => [epsilon, 1.0],
                Definition::Gaussian { mu } => [mu, 1.0],
                Definition::Concentrated { rho } => [rho, 1.0],
                Definition::Approximate { epsilon, delta } => [epsilon, delta],
            };
            for (a, b) in numbers(nested).into_iter().zip(numbers(flat)) {
                assert!((a / b - 1.0).abs() < 1e-13, "{nested} {flat}");
            }
            assert_eq!(one.group(1).unwrap(), one);
            assert_eq!(one.group(2).unwrap(), one.of_two_steps().unwrap());
        }
    }

    #[test]
    fn a_group_without_a_guarantee_is_refused() {
        assert_eq!(Guarantee::pure(1.0).unwrap().group(0).unwrap_err().parameter(), Some("k"));
        assert!(Guarantee::pure(1e308).unwrap().group(3).is_err());
        assert!(Guarantee::approximate(1.0, 1e-3).unwrap().group(10).is_err()); // δ would be above 1
        assert!(Guarantee::approximate(400.0, 1e-10).unwrap().group(3).is_err());
        // e^{3ε} overflows, and the sum does not
        let Definition::Approximate { delta, .. } =
            Guarantee::approximate(300.0, 1e-300).unwrap().group(3).unwrap().definition()
        else {
            panic!()
        };
        let largest_term = 600.0f64.exp() * 1e-300;
        assert!(delta > largest_term && delta < 4.0 * largest_term);
    }

    #[test]
    fn refusal_says_what_is_wrong() {
        let error = Guarantee::pure(f64::NAN).unwrap_err();
        assert_eq!(error.to_string(), "epsilon is NaN: it must be a finite number greater than 0");
        let error = Guarantee::approximate(1.0, 1.0).unwrap_err();
        assert_eq!(error.to_string(), "delta is 1: it must be strictly between 0 and 1");
    }
}
