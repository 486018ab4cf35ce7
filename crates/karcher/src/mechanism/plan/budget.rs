//! The split of a budget among the parts of a release, whose guarantees add up to it.
//!
//! Every part is chosen when the earlier ones are public, so guarantees add up ([P3]): `ε` and `ρ` themselves, both
//! numbers of `(ε, δ)`, each with fractions of its own, and the squares of `μ`. So
//!
//! ```text
//! Σ sᵢ ≤ 1, Σ tᵢ ≤ 1:    Σ sᵢε ≤ ε,    Σ sᵢρ ≤ ρ,    Σ tᵢδ ≤ δ,    Σ (√sᵢ·μ)² ≤ μ²,
//! ```
//!
//! and this also holds for the computed numbers. A product or root that is not exact is replaced by one that is a part
//! in 10¹² smaller. This also covers the sums in [`compose`](crate::privacy::compose).
//!
//! The best split of `(ε, δ)` depends on the noise. In few dimensions Laplace noise for `ε` is shorter, and needs no
//! `δ`. In many dimensions normal noise is shorter, and its `μ` compose best as such: then [`as_normal`] is split.

use crate::error::Error;
use crate::error::Result;
use crate::privacy::mu_for;
use crate::privacy::rounding::sqrt_down;
use crate::privacy::{Definition, Guarantee, pure_epsilon_for, pure_epsilon_for_rho, range_for_mu, range_for_rho};

/// Covers the rounding of a few products, and of the sums in [`compose`](crate::privacy::compose).
const INWARD: f64 = 1.0 - 1e-12;

/// The part of a budget that one part of a release spends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BudgetFraction {
    /// Fraction of `ε`, `ρ` or `μ²`, above 0 and at most 1.
    pub(super) of: f64,
    /// Fraction of `δ`, from 0 to 1: a part without it is private for pure `ε`.
    pub(super) of_delta: f64,
}

impl BudgetFraction {
    /// The same fraction of `δ` as of the rest.
    pub(crate) fn even(of: f64) -> Self {
        Self { of, of_delta: of }
    }

    /// The guarantee that this fraction of a budget pays for.
    pub(crate) fn from(self, budget: Guarantee) -> Result<Guarantee> {
        match budget.definition() {
            Definition::Pure { epsilon } => Ok(Guarantee::pure(times(self.of, epsilon))?),
            Definition::Approximate { epsilon, .. } if self.of_delta == 0.0 => {
                Ok(Guarantee::pure(times(self.of, epsilon))?)
            }
            Definition::Approximate { epsilon, delta } => {
                Ok(Guarantee::approximate(times(self.of, epsilon), times(self.of_delta, delta))?)
            }
            Definition::Gaussian { mu } => Ok(Guarantee::gaussian(times(root(self.of), mu))?),
            Definition::Concentrated { rho } => Ok(Guarantee::concentrated(times(self.of, rho))?),
        }
    }
}

/// The rest after a fraction, rounded down.
pub(crate) fn rest(share: f64) -> f64 {
    let rest = 1.0 - share;
    // this is exact where the rest is at least a half, and otherwise the rest is
    if 1.0 - rest < share { rest.next_down() } else { rest }
}

/// The budget as normal noise spends it: of `(ε, δ)` the largest `μ` that implies it.
pub(crate) fn as_normal(budget: Guarantee) -> Result<Guarantee> {
    match budget.definition() {
        Definition::Approximate { .. } => Ok(Guarantee::gaussian(total_mu(budget)?)?),
        Definition::Pure { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => Ok(budget),
    }
}

/// The largest ε whose pure guarantee implies the given one, up to rounding; not for (ε, δ).
pub(crate) fn as_pure(part: Guarantee) -> Result<f64> {
    match part.definition() {
        Definition::Pure { epsilon } => Ok(epsilon),
        Definition::Concentrated { rho } => Ok(pure_epsilon_for_rho(rho)? * INWARD),
        Definition::Approximate { .. } | Definition::Gaussian { .. } => Ok(pure_epsilon_for(total_mu(part)?)?),
    }
}

/// The largest ε for which a release of bounded range ε keeps a budget: that of μ and ρ, and pure ε of the others.
pub(crate) fn bounded_range(budget: Guarantee) -> Result<f64> {
    Ok(match budget.definition() {
        Definition::Pure { epsilon } | Definition::Approximate { epsilon, .. } => epsilon,
        Definition::Gaussian { mu } => range_for_mu(mu)?,
        Definition::Concentrated { rho } => range_for_rho(rho)?,
    })
}

/// The product of a fraction, or of its root, and a budget. It is exact if the fraction is a round number in binary,
/// such as ¾ and unlike 0.7; otherwise it is a part in 10¹² smaller. A product close to underflow is rejected as a
/// budget.
fn times(a: f64, b: f64) -> f64 {
    let product = a * b;
    let is_round = (1024.0 * a).fract() == 0.0;
    if is_round && a.mul_add(b, -product) == 0.0 { product } else { product * INWARD }
}

/// The root if it is exact, otherwise a number that is a part in 10¹² smaller.
fn root(a: f64) -> f64 {
    let root = sqrt_down(a);
    if root.mul_add(root, -a) == 0.0 { root } else { root * INWARD }
}

/// The `μ` that a budget allows in all.
pub(crate) fn total_mu(guarantee: Guarantee) -> Result<f64> {
    match guarantee.definition() {
        Definition::Gaussian { mu } => Ok(mu),
        Definition::Concentrated { rho } => Ok(sqrt_down((2.0 * rho).min(f64::MAX))),
        Definition::Approximate { epsilon, delta } => Ok(mu_for(epsilon, delta)?),
        Definition::Pure { epsilon } => {
            let requirement =
                "the Karcher flow never gives pure differential privacy; give a delta too, or a mu or a rho";
            Err(Error::InvalidParameter { name: "epsilon", value: epsilon, requirement: requirement.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::noise::exact::tests::exactly;
    use crate::privacy::compose;
    use proptest::prelude::*;

    /// `ε`, `μ²` or `ρ`, and `δ`: the numbers that add up, as rational numbers with denominators 2^1100, for squares
    /// 2^2200.
    fn added(part: Guarantee) -> [dashu_int::UBig; 2] {
        let none = dashu_int::UBig::ZERO;
        match part.definition() {
            Definition::Pure { epsilon } => [exactly(epsilon), none],
            Definition::Approximate { epsilon, delta } => [exactly(epsilon), exactly(delta)],
            Definition::Gaussian { mu } => [exactly(mu).pow(2), none],
            Definition::Concentrated { rho } => [exactly(rho), none],
        }
    }

    fn budgets(x: f64) -> [Guarantee; 4] {
        [Guarantee::pure(x), Guarantee::approximate(x, 1e-6), Guarantee::gaussian(x), Guarantee::concentrated(x)]
            .map(Result::unwrap)
    }

    proptest! {
        /// In rational numbers, for the fractions of companion statistics and for arbitrary ones.
        #[test]
        fn parts_add_up_to_no_more_than_the_budget(
            x in 1e-9f64..1e3, first in 0.001f64..0.999, delta in 0.001f64..0.999, dyadic in 0..4,
        ) {
            let share = |of, of_delta| BudgetFraction { of, of_delta };
            let all = match dyadic {
                0 => vec![share(0.75, 1.0), share(0.125, 0.0), share(0.125, 0.0)],
                1 => vec![share(0.375, 0.5), share(0.375, 0.5), share(0.125, 0.0), share(0.125, 0.0)],
                _ => vec![share(first, delta), share(rest(first), rest(delta))],
            };
            for budget in budgets(x) {
                let parts: Vec<_> = all.iter().map(|share| added(share.from(budget).unwrap())).collect();
                let whole = added(budget);
                for k in 0..2 {
                    let sum = parts.iter().fold(dashu_int::UBig::ZERO, |sum, part| sum + &part[k]);
                    prop_assert!(sum <= whole[k], "{}", budget);
                    // and hardly less
                    prop_assert!(sum * 1_000_000_000_u64 >= &whole[k] * 999_999_999_u64, "{}", budget);
                }
            }
        }

        /// Checked by the library's own composition, whose sums are rounded up.
        #[test]
        fn parts_compose_to_no_more_than_the_budget_and_to_hardly_less(
            kind in 0..4, size in -6.0f64..2.0, first in 0.01f64..0.98, second in 0.0f64..1.0,
        ) {
            let x = 10f64.powf(size);
            let budget = match kind {
                0 => Guarantee::pure(x),
                1 => Guarantee::approximate(x, 1e-6),
                2 => Guarantee::gaussian(x),
                _ => Guarantee::concentrated(x),
            }.unwrap();
            let second = (0.001 + 0.998 * second) * (1.0 - first);
            let shares = [first, second, 1.0 - first - second].map(BudgetFraction::even);
            let normal = as_normal(budget).unwrap();
            let parts: Vec<Guarantee> = shares.iter().map(|share| share.from(normal).unwrap()).collect();
            let with_pure = [parts[0], Guarantee::pure(as_pure(parts[1]).unwrap()).unwrap(), parts[2]];
            for (parts, exact) in [(&parts[..], true), (&with_pure[..], kind == 0 || kind == 3)] {
                let together = compose(parts).unwrap();
                let (found, budget) = match (together.definition(), budget.definition()) {
                    (Definition::Pure { epsilon }, Definition::Pure { epsilon: all }) => (epsilon, all),
                    (Definition::Concentrated { rho }, Definition::Concentrated { rho: all }) => (rho, all),
                    (Definition::Gaussian { mu }, Definition::Gaussian { mu: all }) => (mu, all),
                    (Definition::Gaussian { .. }, Definition::Approximate { epsilon, delta }) => {
                        (together.delta(epsilon).unwrap(), delta)
                    }
                    other => panic!("{other:?}"),
                };
                prop_assert!(found <= budget, "{} {}", found, budget);
                prop_assert!(!exact || found >= budget * (1.0 - 1e-4), "{} {}", found, budget);
            }
        }
    }

    /// Dyadic fractions leave round numbers, and a fraction 0 of `δ` gives `δ = 0`.
    #[test]
    fn round_numbers_stay_round() {
        let budget = Guarantee::approximate(1.0, 1e-6).unwrap();
        let part = |of, of_delta| BudgetFraction { of, of_delta }.from(budget).unwrap();
        assert_eq!(part(0.75, 1.0), Guarantee::approximate(0.75, 1e-6).unwrap());
        assert_eq!(part(0.125, 0.0), Guarantee::pure(0.125).unwrap());
        assert_eq!(
            BudgetFraction::even(0.25).from(Guarantee::gaussian(3.0).unwrap()).unwrap(),
            Guarantee::gaussian(1.5).unwrap()
        );
        assert_eq!([rest(0.25), rest(0.75)], [0.75, 0.25]);
    }
}
