//! Composition: the guarantee of several releases about the same records (user guide, \[P3\]). Sums are rounded up.

use super::fixed;
use super::guarantee::{Definition, Guarantee, probability};
use crate::error::{Error, Result};
use crate::rounding::{add_up, div_up, mul_up, sqrt_up};

/// The guarantee of several releases together. Each of them, its budget too, may be chosen after seeing the earlier
/// ones.
///
/// * pure: the `ε`'s add;
/// * approximate, or approximate and pure: the `ε`'s and the `δ`'s add;
/// * Gaussian, or Gaussian and pure: the `μ²`'s add, each pure guarantee as the Gaussian one that it implies;
/// * concentrated, or concentrated, Gaussian and pure: the `ρ`'s add, the others as the concentrated ones that they
///   imply.
///
/// # Errors
/// [`Error::InvalidParameter`] for no guarantees, for approximate ones together with Gaussian or concentrated ones (use
/// [`compose_at`]), and where the sum promises nothing: an infinite number, or a `δ` of at least 1.
///
/// ```
/// use karcher_privacy::{Definition, Guarantee, compose};
/// assert_eq!(compose(&[Guarantee::pure(0.25)?, Guarantee::pure(0.5)?])?, Guarantee::pure(0.75)?);
/// let both = compose(&[Guarantee::gaussian(3.0)?, Guarantee::gaussian(4.0)?])?;
/// let Definition::Gaussian { mu } = both.definition() else { panic!() };
/// assert!((mu - 5.0).abs() < 1e-11); // √(3² + 4²)
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn compose(guarantees: &[Guarantee]) -> Result<Guarantee> {
    let has = |test: fn(Definition) -> bool| guarantees.iter().any(|g| test(g.definition()));
    let gaussian = has(|d| matches!(d, Definition::Gaussian { .. }));
    let concentrated = has(|d| matches!(d, Definition::Concentrated { .. }));
    let delta = guarantees.iter().find_map(|g| match g.definition() {
        Definition::Approximate { delta, .. } => Some(delta),
        Definition::Pure { .. } | Definition::Gaussian { .. } | Definition::Concentrated { .. } => None,
    });

    match delta {
        _ if guarantees.is_empty() => Err(Error::InvalidParameter {
            name: "number_of_guarantees",
            value: 0.0,
            requirement: "composition needs at least one".into(),
        }),
        Some(delta) if gaussian || concentrated => Err(Error::InvalidParameter {
            name: "delta",
            value: delta,
            requirement: "an approximate guarantee adds up with Gaussian or concentrated ones only at a stated total \
                          delta; compose at a delta"
                .into(),
        }),
        _ if concentrated => add_concentrated(guarantees),
        _ if gaussian => add_gaussian(guarantees),
        _ => add_epsilons(guarantees),
    }
}

/// The `(ε, δ)` guarantee of several releases together, for a given `δ`, where their **guarantees are fixed in
/// advance**: a release may depend on earlier ones, its budget may not.
///
/// Without concentrated guarantees this is the smallest `ε` that the guarantees allow, up to rounding (user guide,
/// \[P5\]); very many different `ε` are rounded up to a grid. With concentrated guarantees the sums of [`compose`] are
/// converted, and the smallest `ε` counts. Where approximate guarantees stand with others, the others share the `δ`
/// that the approximate ones leave, and the `ε`'s add.
///
/// # Errors
/// [`Error::InvalidParameter`] as for [`compose`] and [`Guarantee::to_approximate`], and if the approximate guarantees
/// leave nothing of `delta`.
///
/// ```
/// use karcher_privacy::{Definition, Guarantee, compose_at};
/// let study = [[Guarantee::pure(0.3)?; 10], [Guarantee::gaussian(0.3)?; 10]].concat();
/// let Definition::Approximate { epsilon, .. } = compose_at(&study, 1e-6)?.definition() else { panic!() };
/// assert!((epsilon - 6.4753).abs() < 1e-4); // converted to μ-GDP first it would be 7.2
/// # Ok::<(), karcher_privacy::Error>(())
/// ```
pub fn compose_at(guarantees: &[Guarantee], delta: f64) -> Result<Guarantee> {
    probability(delta)?;
    let converted = converted(guarantees, delta);
    match (smallest_of_fixed(guarantees, delta)?, &converted) {
        (Some(epsilon), Ok(other)) if other.epsilon(delta)? <= epsilon => converted,
        (Some(epsilon), _) => Guarantee::approximate(epsilon, delta),
        (None, _) => converted,
    }
}

/// The smallest `ε` that guarantees fixed in advance allow at `δ`; `None` where one of them is concentrated, and where
/// `compose` is as good.
fn smallest_of_fixed(guarantees: &[Guarantee], delta: f64) -> Result<Option<f64>> {
    let (mut epsilons, mut infinite, mut gaussians) = (vec![], 0.0, vec![]);
    for g in guarantees {
        match g.definition() {
            Definition::Pure { epsilon } => epsilons.push(epsilon),
            Definition::Approximate { epsilon, delta } => {
                epsilons.push(epsilon);
                infinite = add_up(infinite, delta);
            }
            Definition::Gaussian { .. } => gaussians.push(*g),
            Definition::Concentrated { .. } => return Ok(None),
        }
    }
    if epsilons.len() + gaussians.len().min(1) < 2 {
        return Ok(None); // one guarantee, which is its own best
    }
    let mu = match &gaussians[..] {
        [] => 0.0,
        gaussians => match add_gaussian(gaussians)?.definition() {
            Definition::Gaussian { mu } => mu,
            // it is Gaussian
            Definition::Pure { .. } | Definition::Approximate { .. } | Definition::Concentrated { .. } => f64::INFINITY,
        },
    };
    Ok(fixed::smallest_epsilon(&epsilons, infinite, mu, delta))
}

/// The smallest `ε` at `δ` by the definitions that all guarantees imply.
fn converted(guarantees: &[Guarantee], delta: f64) -> Result<Guarantee> {
    let is_approximate = |g: &Guarantee| matches!(g.definition(), Definition::Approximate { .. });
    let (approximate, others): (Vec<Guarantee>, Vec<Guarantee>) = guarantees.iter().partition(|g| is_approximate(g));
    if approximate.is_empty() {
        return Guarantee::approximate(smallest_epsilon(&others, delta)?, delta);
    }
    if others.is_empty() {
        return compose(&approximate)?.to_approximate(delta);
    }
    let (epsilon, spent) = sums(&approximate);
    let left = -add_up(spent, -delta); // δ − spent, rounded down
    if left <= 0.0 {
        return Err(Error::InvalidParameter {
            name: "delta",
            value: delta,
            requirement: format!("the approximate guarantees spend {spent:?} of it already; choose a larger delta"),
        });
    }
    Guarantee::approximate(add_up(epsilon, smallest_epsilon(&others, left)?), delta)
}

/// The smallest `ε` at `δ` of guarantees, none approximate, over all definitions that each of them implies.
fn smallest_epsilon(guarantees: &[Guarantee], delta: f64) -> Result<f64> {
    let together = compose(guarantees)?;
    let ways = [add_epsilons, add_gaussian, add_concentrated].map(|add| add(guarantees)?.epsilon(delta));
    let smallest = ways.into_iter().flatten().reduce(f64::min);
    smallest.map_or_else(|| together.epsilon(delta), Ok)
}

/// `(Σε, Σδ)` of pure and approximate guarantees.
fn sums(guarantees: &[Guarantee]) -> (f64, f64) {
    guarantees.iter().fold((0.0, 0.0), |(epsilons, deltas), g| match g.definition() {
        Definition::Pure { epsilon } => (add_up(epsilons, epsilon), deltas),
        Definition::Approximate { epsilon, delta } => (add_up(epsilons, epsilon), add_up(deltas, delta)),
        // The callers keep these away; they promise no epsilon.
        Definition::Gaussian { .. } | Definition::Concentrated { .. } => (f64::INFINITY, deltas),
    })
}

fn add_epsilons(guarantees: &[Guarantee]) -> Result<Guarantee> {
    let (epsilon, delta) = sums(guarantees);
    if delta > 0.0 { Guarantee::approximate(epsilon, delta) } else { Guarantee::pure(epsilon) }
}

/// `√(Σμ²) = m·√(Σ(μ/m)²)`, where `m` is the largest `μ`, so that no square under- or overflows.
fn add_gaussian(guarantees: &[Guarantee]) -> Result<Guarantee> {
    let mut mus = Vec::with_capacity(guarantees.len());
    for same in guarantees.chunk_by(|a, b| a == b) {
        if let Definition::Gaussian { mu } = same[0].to_gaussian()?.definition() {
            mus.extend(std::iter::repeat_n(mu, same.len()));
        }
    }
    let largest = mus.iter().copied().fold(0.0, f64::max);
    let squares = mus.iter().map(|mu| div_up(*mu, largest)).map(|share| mul_up(share, share)).fold(0.0, add_up);
    Guarantee::gaussian(mul_up(largest, sqrt_up(squares)))
}

fn add_concentrated(guarantees: &[Guarantee]) -> Result<Guarantee> {
    let mut sum = 0.0;
    for g in guarantees {
        if let Definition::Concentrated { rho } = g.to_concentrated()?.definition() {
            sum = add_up(sum, rho);
        }
    }
    Guarantee::concentrated(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An exact sum, as a list of numbers without overlap (Shewchuk 1997), to judge the rounded one by.
    fn exact_sum(terms: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let mut parts: Vec<f64> = Vec::new();
        for term in terms {
            let mut carry = term;
            let mut next = Vec::new();
            for part in parts {
                let sum = carry + part;
                let shared = sum - carry;
                let lost = (carry - (sum - shared)) + (part - shared);
                if lost != 0.0 {
                    next.push(lost);
                }
                carry = sum;
            }
            next.push(carry);
            parts = next;
        }
        parts
    }

    /// The sign of an exact sum is that of its largest part.
    fn is_nonnegative(parts: &[f64]) -> bool {
        parts.iter().rev().find(|p| **p != 0.0).is_none_or(|p| *p > 0.0)
    }

    /// A number below an exact sum, by a few units in the last place.
    fn below(parts: &[f64]) -> f64 {
        let near = parts.iter().sum::<f64>();
        near - 4.0 * f64::EPSILON * near.abs()
    }

    /// `x²`, as two numbers whose sum it is exactly.
    fn exact_square(x: f64) -> [f64; 2] {
        [x * x, x.mul_add(x, -x * x)]
    }

    fn pure(epsilon: f64) -> Guarantee {
        Guarantee::pure(epsilon).unwrap()
    }
    fn approximate(epsilon: f64, delta: f64) -> Guarantee {
        Guarantee::approximate(epsilon, delta).unwrap()
    }
    fn gaussian(mu: f64) -> Guarantee {
        Guarantee::gaussian(mu).unwrap()
    }
    fn concentrated(rho: f64) -> Guarantee {
        Guarantee::concentrated(rho).unwrap()
    }

    #[test]
    fn like_adds_to_like() {
        assert_eq!(compose(&[pure(1.0), pure(0.5)]).unwrap(), pure(1.5));
        assert_eq!(compose(&[approximate(1.0, 0.25), approximate(2.0, 0.5)]).unwrap(), approximate(3.0, 0.75));
        assert_eq!(compose(&[gaussian(3.0), gaussian(4.0)]).unwrap(), gaussian(5.0));
        assert_eq!(compose(&[concentrated(0.5), concentrated(0.25)]).unwrap(), concentrated(0.75));
    }

    /// `√(Σμ²)` of a few releases, where no slack of many roundings hides a wrong one: each of these lists is one that
    /// some rounding to nearest, instead of up, would bring below the exact root.
    #[test]
    fn a_few_gaussian_releases_cost_the_exact_root_rounded_up() {
        let lists: [&[f64]; 10] = [
            &[2.97, 2.64], // the quotients
            &[2.18, 2.56, 1.23],
            &[1.0, 0.957, 0.786], // their squares
            &[1.0, 0.77],
            &[1.0, 0.12], // the sum
            &[1.82, 0.59, 2.42, 0.42],
            &[0.59, 2.78], // the root
            &[1.78, 1.95, 2.77],
            &[1.88, 0.78], // the product
            &[1.21, 2.94, 0.15],
        ];
        for mus in lists {
            let list: Vec<Guarantee> = mus.iter().map(|mu| gaussian(*mu)).collect();
            let Definition::Gaussian { mu } = compose(&list).unwrap().definition() else { panic!("not Gaussian") };
            let squares = || mus.iter().flat_map(|m| exact_square(*m)).map(|part| -part);
            assert!(is_nonnegative(&exact_sum(squares().chain(exact_square(mu)))), "{mus:?}");
            assert!(!is_nonnegative(&exact_sum(squares().chain(exact_square(mu * (1.0 - 1e-14))))), "{mus:?}");
        }
    }

    /// The part of `δ` that an approximate guarantee leaves is rounded down, and the sum of the `ε`'s up. If this part
    /// is just below the `δ` of the Gaussian guarantee at `ε = 0`, the `ε` of that guarantee depends on its last digit.
    #[test]
    fn composing_at_a_delta_rounds_both_sums_outward() {
        for i in 1..500 {
            let (delta, spent, epsilon) = (f64::from(i) / 1700.0, 1e-6 / f64::from(i), 1e-10 / f64::from(i));
            let near = delta - spent;
            let is_covered = |left: f64| is_nonnegative(&exact_sum([delta, -spent, -left]));
            let left = [near.next_up(), near, near.next_down()].into_iter().find(|x| is_covered(*x)).unwrap();
            let other = gaussian(crate::mu_for(1e-10, left).unwrap());
            let Definition::Approximate { epsilon: total, .. } =
                converted(&[approximate(epsilon, spent), other], delta).unwrap().definition()
            else {
                panic!("not approximate")
            };
            let excess = |total: f64| exact_sum([total, -epsilon, -other.epsilon(left).unwrap()]);
            assert!(is_nonnegative(&excess(total)) && !is_nonnegative(&excess(total.next_down())), "{delta} {spent}");
        }
    }

    /// The exact `δ(ε)` of `k` randomised responses with `ε₀`: all pairs of laws that `k` pure releases allow are
    /// processed forms of theirs (Kairouz, Oh and Viswanath 2015).
    #[test]
    fn composed_guarantees_are_never_below_the_best_possible() {
        for (k, each) in [(2, 1.0), (5, 0.3), (20, 0.1), (50, 0.02)] {
            let list = vec![pure(each); k];
            let weakened = vec![pure(each).to_gaussian().unwrap(); k];
            for share in [0.0, 0.1, 0.3, 0.7, 0.99] {
                let epsilon = share * each * k as f64;
                let (p, q) = (1.0 / (1.0 + (-each).exp()), 1.0 / (1.0 + each.exp()));
                let mut ways = 1.0;
                let mut exact = 0.0;
                for j in 0..=k {
                    let (i, j) = ((k - j) as i32, j as i32);
                    exact += ways * (p.powi(i) * q.powi(j) - epsilon.exp() * p.powi(j) * q.powi(i)).max(0.0);
                    ways *= f64::from(i) / f64::from(j + 1);
                }
                for together in [compose(&list), compose(&weakened)] {
                    let delta = together.unwrap().delta(epsilon).unwrap();
                    assert!(delta >= exact * (1.0 - 1e-12), "{k} times {each} at {epsilon}: {delta:e} {exact:e}");
                }
            }
        }
    }

    #[test]
    fn one_release_costs_what_it_costs() {
        for g in [pure(0.1), approximate(0.1, 1e-6), gaussian(1e-200), gaussian(0.1), concentrated(0.1)] {
            assert_eq!(compose(&[g]).unwrap(), g);
        }
    }

    #[test]
    fn mixed_lists_go_to_the_definition_that_all_imply() {
        assert_eq!(compose(&[pure(1.0), approximate(0.5, 0.25)]).unwrap(), approximate(1.5, 0.25));
        let implied = pure(1.0).to_concentrated().unwrap();
        let together = compose(&[implied, concentrated(0.5), concentrated(1.0)]);
        assert_eq!(compose(&[pure(1.0), gaussian(1.0), concentrated(1.0)]), together);
        let weakened = pure(1.0).to_gaussian().unwrap();
        assert_eq!(compose(&[pure(1.0), gaussian(2.0)]), compose(&[weakened, gaussian(2.0)]));
    }

    #[test]
    fn approximate_beside_gaussian_needs_a_delta() {
        let list = [approximate(1.0, 1e-6), gaussian(1.0)];
        let error = compose(&list).unwrap_err().to_string();
        assert!(error.contains("compose at a delta"), "{error}");
        let Definition::Approximate { epsilon, delta } = compose_at(&list, 2e-6).unwrap().definition() else {
            panic!("not approximate");
        };
        assert_eq!(delta, 2e-6);
        // between the Gaussian release alone, and one after the other
        assert!(epsilon > 0.5 + gaussian(1.0).epsilon(2e-6).unwrap());
        assert!(epsilon < 1.0 + gaussian(1.0).epsilon(1e-6).unwrap());
        assert!(compose_at(&list, 1e-6).is_err());
    }

    #[test]
    fn composing_at_a_delta_converts_the_sum() {
        let list = [gaussian(0.3), gaussian(0.4)];
        assert_eq!(compose_at(&list, 1e-6), compose(&list).unwrap().to_approximate(1e-6));
        let list = [concentrated(0.3), pure(0.4)];
        assert_eq!(compose_at(&list, 1e-6), compose(&list).unwrap().to_approximate(1e-6));
    }

    #[test]
    fn sums_that_promise_nothing_are_refused() {
        assert!(compose(&[]).is_err());
        assert!(compose_at(&[], 0.5).is_err());
        assert!(compose(&[approximate(1.0, 0.5); 2]).is_err());
        assert!(compose(&[pure(f64::MAX); 2]).is_err());
        assert!(compose(&[gaussian(f64::MAX); 2]).is_err());
        assert!(compose(&[concentrated(f64::MAX); 2]).is_err());
        assert!(compose_at(&[pure(1.0)], f64::NAN).is_err());
    }

    /// 20 releases with ε = 0.1 are pure 2, as Gaussian ones (1.49, 1.4e-3), and as concentrated ones (1.31, 1.4e-3).
    #[test]
    fn conversion_takes_the_definition_with_the_smallest_epsilon() {
        let epsilon = |list: &[Guarantee], delta| match converted(list, delta).unwrap().definition() {
            Definition::Approximate { epsilon, .. } => epsilon,
            other => panic!("{other:?}"),
        };
        let pures = vec![pure(0.1); 20];
        let together = |g: Guarantee, delta| g.epsilon(delta).unwrap();
        let weakened = compose(&vec![pure(0.1).to_gaussian().unwrap(); 20]).unwrap();
        assert!((together(weakened, 1.4e-3) - 1.4878).abs() < 1e-3);
        let concentrated = together(add_concentrated(&pures).unwrap(), 1.4e-3);
        assert!(concentrated < 1.308 && epsilon(&pures, 1.4e-3) == concentrated, "{concentrated}");
        assert!(epsilon(&pures, 1e-12) > 1.999);
        let mixed = [pure(1.0), gaussian(0.003)];
        let concentrated = together(add_concentrated(&mixed).unwrap(), 1e-6);
        assert!(concentrated < 0.99 * together(compose(&mixed).unwrap(), 1e-6));
        assert_eq!(epsilon(&mixed, 1e-6), concentrated);
        // where guarantees are fixed in advance there is something better than all of these
        let fixed = together(compose_at(&pures, 1.4e-3).unwrap(), 1.4e-3);
        assert!((fixed - 1.112_232_11).abs() < 1e-8, "{fixed}");
    }

    /// The exact law of the losses, against the sums of two definitions.
    #[test]
    fn a_fixed_list_never_costs_more_than_its_conversions() {
        for list in [vec![pure(0.5); 4], vec![approximate(0.3, 1e-8), gaussian(0.4)], vec![pure(2.0), gaussian(0.1)]] {
            for delta in [1e-7, 1e-3, 0.1] {
                let epsilon = |g: Guarantee| g.epsilon(delta).unwrap();
                let (fixed, sums) = (compose_at(&list, delta).unwrap(), converted(&list, delta).unwrap());
                assert!(epsilon(fixed) < epsilon(sums), "{list:?} {delta}");
                let least = list.iter().map(|g| epsilon(*g)).fold(0.0, f64::max);
                assert!(epsilon(fixed) > least, "{list:?} {delta}");
            }
        }
    }

    proptest! {
        #[test]
        fn another_release_or_a_weaker_one_costs_more(
            costs in proptest::collection::vec((0..4, -6.0f64..1.0), 2..6),
            more in (0..4, -6.0f64..1.0),
            delta in prop_oneof![(-8.0f64..-0.5).prop_map(|exponent| 10f64.powf(exponent)), Just(1.0 - 1e-9)],
        ) {
            let guarantee = |kind: i32, cost: f64| match kind {
                0 => pure(cost),
                1 => gaussian(cost),
                2 => concentrated(cost),
                _ => approximate(cost, 1e-11 * cost),
            };
            let list: Vec<Guarantee> = costs.iter().map(|(kind, e)| guarantee(*kind, 10f64.powf(*e))).collect();
            let weaker: Vec<Guarantee> = costs.iter().map(|(kind, e)| guarantee(*kind, 1.001 * 10f64.powf(*e))).collect();
            let epsilon = |list: &[Guarantee], delta| match compose_at(list, delta).unwrap().definition() {
                Definition::Approximate { epsilon, .. } => epsilon,
                _ => f64::NAN,
            };
            let all = epsilon(&list, delta);
            prop_assert!(epsilon(&weaker, delta) >= all);
            prop_assert!(epsilon(&list, 0.999 * delta) >= all);
            prop_assert!(epsilon(&[&list[..], &[guarantee(more.0, 10f64.powf(more.1))]].concat(), delta) >= all);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_thousand_mixed_releases_never_cost_less_than_the_exact_sum(
            exponents in proptest::collection::vec(-6.0f64..-1.0, 1000),
            delta in (-6.0f64..-0.01).prop_map(|exponent| 10f64.powf(exponent)),
        ) {
            let costs: Vec<f64> = exponents.iter().map(|e| 10f64.powf(*e)).collect();
            let list: Vec<Guarantee> = costs.iter().enumerate().map(|(i, c)| match i % 4 {
                0 => pure(*c),
                1 => approximate(*c, c * 1e-9),
                2 => gaussian(*c),
                _ => concentrated(*c),
            }).collect();
            let Definition::Approximate { epsilon, delta: stated } = compose_at(&list, delta).unwrap().definition() else {
                panic!("not approximate")
            };
            prop_assert_eq!(stated, delta);

            let each = |kind: usize| costs.iter().copied().skip(kind).step_by(4);
            let squares = each(2).flat_map(exact_square).map(|part| 0.5 * part);
            let of_pure = each(0).map(|c| c * (0.5 * c).tanh() * (1.0 - 1e-15));
            let rho = below(&exact_sum(squares.chain(of_pure).chain(each(3))));
            let left = below(&exact_sum(each(1).map(|c| -(c * 1e-9)).chain([delta])));
            let others = concentrated(rho).epsilon(left).unwrap();
            let excess = |total: f64| exact_sum(each(1).map(|c| -c).chain([total, -others]));
            prop_assert!(is_nonnegative(&excess(epsilon)));
            prop_assert!(!is_nonnegative(&excess(epsilon * (1.0 - 1e-9))));
        }

        #[test]
        fn a_thousand_releases_never_cost_less_than_the_exact_sum(exponents in proptest::collection::vec(-9.0f64..2.0, 1000)) {
            let costs: Vec<f64> = exponents.iter().map(|e| 10f64.powf(*e)).collect();
            let tiny: Vec<f64> = costs.iter().map(|c| c * 1e-6).collect();

            let pures: Vec<Guarantee> = costs.iter().map(|c| pure(*c)).collect();
            let Definition::Pure { epsilon } = compose(&pures).unwrap().definition() else { panic!("not pure") };
            prop_assert!(is_nonnegative(&exact_sum(costs.iter().map(|c| -c).chain([epsilon]))));
            prop_assert!(!is_nonnegative(&exact_sum(costs.iter().map(|c| -c).chain([epsilon * (1.0 - 1e-12)]))));

            let approximates: Vec<Guarantee> = costs.iter().zip(&tiny).map(|(e, d)| approximate(*e, *d)).collect();
            let Definition::Approximate { epsilon, delta } = compose(&approximates).unwrap().definition() else {
                panic!("not approximate")
            };
            prop_assert!(is_nonnegative(&exact_sum(costs.iter().map(|c| -c).chain([epsilon]))));
            prop_assert!(is_nonnegative(&exact_sum(tiny.iter().map(|c| -c).chain([delta]))));

            let gaussians: Vec<Guarantee> = costs.iter().map(|c| gaussian(*c)).collect();
            let Definition::Gaussian { mu } = compose(&gaussians).unwrap().definition() else { panic!("not Gaussian") };
            let squares = || costs.iter().flat_map(|c| exact_square(*c)).map(|part| -part);
            prop_assert!(is_nonnegative(&exact_sum(squares().chain(exact_square(mu)))));
            prop_assert!(!is_nonnegative(&exact_sum(squares().chain(exact_square(mu * (1.0 - 1e-12))))));

            let rhos: Vec<Guarantee> = costs.iter().map(|c| concentrated(*c)).collect();
            let Definition::Concentrated { rho } = compose(&rhos).unwrap().definition() else { panic!("not concentrated") };
            prop_assert!(is_nonnegative(&exact_sum(costs.iter().map(|c| -c).chain([rho]))));
        }
    }
}
