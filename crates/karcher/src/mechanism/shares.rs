//! How a budget is shared out between parts of a release whose guarantees then add up to it.
//!
//! Pure `ε` and `ρ` are shared themselves, of `μ` the squares, and (ε, δ) as the `μ` that implies it, so that nothing
//! is lost in adding up. A part that needs pure ε gets the largest one that implies its share. All is rounded down.

use super::karcher_flow::total_mu;
use crate::error::Result;
use crate::privacy::{Definition, Guarantee, pure_epsilon_for, pure_epsilon_for_rho};

/// Covers the rounding of a few products and of the sums in [`compose`](crate::privacy::compose).
const INWARD: f64 = 1.0 - 1e-12;

/// The part of a budget that is `share` of it, `0 < share < 1`, beside others whose shares add up to 1 at most.
pub(super) fn share(budget: Guarantee, share: f64) -> Result<Guarantee> {
    let share = share * INWARD;
    match budget.definition() {
        Definition::Pure { epsilon } => Guarantee::pure(share * epsilon),
        Definition::Concentrated { rho } => Guarantee::concentrated(share * rho),
        _ => Guarantee::gaussian(share.sqrt() * total_mu(budget)?),
    }
}

/// The largest ε whose pure guarantee implies one, but for rounding; not for (ε, δ).
pub(super) fn as_pure(part: Guarantee) -> Result<f64> {
    match part.definition() {
        Definition::Pure { epsilon } => Ok(epsilon),
        Definition::Concentrated { rho } => Ok(pure_epsilon_for_rho(rho)? * INWARD),
        _ => pure_epsilon_for(total_mu(part)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::compose;
    use proptest::prelude::*;

    proptest! {
        /// By the library's own composition, whose sums are rounded up.
        #[test]
        fn parts_add_up_to_no_more_than_the_budget_and_to_hardly_less(
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
            let shares = [first, second, 1.0 - first - second];
            let parts: Vec<Guarantee> = shares.iter().map(|s| share(budget, *s).unwrap()).collect();
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
}
