//! Parallel composition: the guarantee of releases about different records (user guide, \[U3\]).

use super::guarantee::{Definition, Guarantee};
use crate::error::{Error, Result};

/// The smallest guarantee that every one of `guarantees` implies: parallel composition.
///
/// Releases about disjoint records keep it together, because a pair of neighbours changes one of them. It is a function
/// of all of them, in any order:
///
/// * pure: the largest `ε`;
/// * pure and approximate: the largest `ε` and the largest `δ`;
/// * pure and Gaussian: the largest `μ`, a pure guarantee as the Gaussian one that it implies;
/// * pure, Gaussian and concentrated: the largest `ρ`.
///
/// # Errors
/// [`Error::InvalidParameter`] for no guarantees, and for approximate guarantees mixed with Gaussian or concentrated
/// ones.
///
/// ```
/// use karcher_privacy::{Guarantee, parallel};
/// let (pure, approximate) = (Guarantee::pure(1.0)?, Guarantee::approximate(0.5, 1e-6)?);
/// assert_eq!(parallel(&[pure, approximate])?, Guarantee::approximate(1.0, 1e-6)?);
/// assert_eq!(parallel(&[approximate, pure])?, Guarantee::approximate(1.0, 1e-6)?);
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn parallel(guarantees: &[Guarantee]) -> Result<Guarantee> {
    let has = |test: fn(Definition) -> bool| guarantees.iter().any(|g| test(g.definition()));
    let concentrated = has(|d| matches!(d, Definition::Concentrated { .. }));
    let gaussian = concentrated || has(|d| matches!(d, Definition::Gaussian { .. }));
    let (mut largest, mut largest_delta) = (0.0_f64, 0.0_f64);
    for guarantee in guarantees {
        let number = match in_definition(*guarantee, gaussian, concentrated)?.definition() {
            Definition::Pure { epsilon } => epsilon,
            Definition::Approximate { delta, .. } if gaussian => return Err(not_comparable(delta)),
            Definition::Approximate { epsilon, delta } => {
                largest_delta = largest_delta.max(delta);
                epsilon
            }
            Definition::Gaussian { mu } => mu,
            Definition::Concentrated { rho } => rho,
        };
        largest = largest.max(number);
    }
    match (guarantees.is_empty(), concentrated, gaussian) {
        (true, ..) => Err(Error::InvalidParameter {
            name: "number_of_guarantees",
            value: 0.0,
            requirement: "parallel composition needs at least one".to_owned(),
        }),
        (_, true, _) => Guarantee::concentrated(largest),
        (_, _, true) => Guarantee::gaussian(largest),
        _ if largest_delta > 0.0 => Guarantee::approximate(largest, largest_delta),
        _ => Guarantee::pure(largest),
    }
}

/// A guarantee as the Gaussian or the concentrated one that it implies, if that is asked for and there is one.
fn in_definition(guarantee: Guarantee, gaussian: bool, concentrated: bool) -> Result<Guarantee> {
    match guarantee.definition() {
        Definition::Approximate { .. } => Ok(guarantee),
        Definition::Pure { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => {
            match (concentrated, gaussian) {
                (true, _) => guarantee.to_concentrated(),
                (false, true) => guarantee.to_gaussian(),
                (false, false) => Ok(guarantee),
            }
        }
    }
}

fn not_comparable(delta: f64) -> Error {
    let requirement = "parallel composition of approximate guarantees takes only pure ones with them".to_owned();
    Error::InvalidParameter { name: "delta", value: delta, requirement }
}

impl Guarantee {
    /// Whether the conversions of this module prove that a release with this guarantee keeps `other` as well.
    ///
    /// ```
    /// use karcher_privacy::Guarantee;
    /// let (half, one) = (Guarantee::pure(0.5)?, Guarantee::pure(1.0)?);
    /// assert!(half.implies(one) && !one.implies(half));
    /// assert!(one.implies(Guarantee::approximate(1.0, 1e-6)?)); // with δ = 0
    /// assert!(!Guarantee::approximate(0.5, 1e-6)?.implies(one)); // which allows no δ
    /// # Ok::<(), karcher_privacy::Error>(())
    /// ```
    pub fn implies(&self, other: Guarantee) -> bool {
        use Definition::{Approximate, Concentrated, Gaussian, Pure};
        match (self.definition(), other.definition()) {
            (Pure { epsilon: own }, Pure { epsilon }) => own <= epsilon,
            (Pure { epsilon: own }, Approximate { epsilon, .. }) if own <= epsilon => true,
            (Approximate { epsilon: own, delta: own_delta }, Approximate { epsilon, delta })
                if own <= epsilon && own_delta <= delta =>
            {
                true
            }
            (_, Approximate { epsilon, delta }) => self.delta(epsilon).is_ok_and(|own| own <= delta),
            (Gaussian { mu: own }, Gaussian { mu }) => own <= mu,
            (Concentrated { rho: own }, Concentrated { rho }) => own <= rho,
            (Pure { .. }, Gaussian { .. }) => self.to_gaussian().is_ok_and(|own| own.implies(other)),
            (Pure { .. } | Gaussian { .. }, Concentrated { .. }) => {
                self.to_concentrated().is_ok_and(|own| own.implies(other))
            }
            (Approximate { .. } | Gaussian { .. } | Concentrated { .. }, Pure { .. })
            | (Approximate { .. }, Gaussian { .. } | Concentrated { .. })
            | (Concentrated { .. }, Gaussian { .. }) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Guarantees of every definition that can be compared, as `kind` says: with a `δ`, or with a `μ` and a `ρ`.
    fn guarantee(with_delta: bool, kind: usize, x: f64) -> Guarantee {
        match (with_delta, kind) {
            (_, 0) => Guarantee::pure(x),
            (true, _) => Guarantee::approximate(x, 1e-6 / (1.0 + x)),
            (false, 1) => Guarantee::gaussian(x),
            (false, _) => Guarantee::concentrated(x),
        }
        .unwrap()
    }

    proptest! {
        #[test]
        fn every_part_implies_the_whole_and_nothing_smaller_is_implied(
            with_delta: bool, parts in prop::collection::vec((0_usize..3, 1e-3f64..5.0), 1..5), turn in 0_usize..5,
        ) {
            let mut all: Vec<Guarantee> = parts.iter().map(|(kind, x)| guarantee(with_delta, *kind, *x)).collect();
            let whole = parallel(&all).unwrap();
            prop_assert!(all.iter().all(|part| part.implies(whole)), "{:?} {}", all, whole);
            // the smallest: one part fails each number that is a thousandth smaller
            let less = |x: f64| x * 0.999;
            let smaller = match whole.definition() {
                Definition::Pure { epsilon } => vec![Guarantee::pure(less(epsilon))],
                Definition::Gaussian { mu } => vec![Guarantee::gaussian(less(mu))],
                Definition::Concentrated { rho } => vec![Guarantee::concentrated(less(rho))],
                // a smaller δ at the same ε is refused by the part whose δ it is, if its ε is the largest, too
                Definition::Approximate { epsilon, delta } => vec![Guarantee::approximate(less(epsilon), less(delta))],
            };
            for smaller in smaller {
                let smaller = smaller.unwrap();
                prop_assert!(all.iter().any(|part| !part.implies(smaller)), "{:?} {}", all, smaller);
            }
            let places = turn % all.len();
            all.rotate_left(places);
            prop_assert_eq!(parallel(&all).unwrap(), whole);
            all.reverse();
            prop_assert_eq!(parallel(&all).unwrap(), whole);
        }
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let [approximate, gaussian] = [Guarantee::approximate(1.0, 1e-6), Guarantee::gaussian(1.0)].map(Result::unwrap);
        assert!(parallel(&[approximate, gaussian]).is_err() && parallel(&[gaussian, approximate]).is_err());
        assert!(parallel(&[]).is_err());
    }
}
