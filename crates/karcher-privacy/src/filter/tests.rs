use super::*;
use crate::compose;
use dashu_int::UBig;
use proptest::prelude::*;

fn pure(epsilon: f64) -> Guarantee {
    Guarantee::pure(epsilon).unwrap()
}

/// `x` as an integer times 2⁻¹⁰⁷⁴, exactly.
fn binary(x: f64) -> UBig {
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 52) as usize, bits & ((1 << 52) - 1));
    if exponent == 0 { UBig::from(fraction) } else { UBig::from(fraction | 1 << 52) << (exponent - 1) }
}

#[test]
fn ten_tenths_are_one_and_no_more() {
    let one = || Filter::new(pure(1.0)).unwrap();
    for (each, times) in [(0.1, 10), (0.01, 100), (0.2, 5), (0.05, 20), (1e-6, 1_000_000), (1.0, 1)] {
        let mut filter = one();
        (0..times).for_each(|_| filter.spend(pure(each)).unwrap());
        assert_eq!(filter.left(), Definition::Pure { epsilon: 0.0 });
        assert_eq!((filter.spent(), filter.count()), (Definition::Pure { epsilon: 1.0 }, times));
        assert!(filter.spend(pure(1e-29)).is_err() && filter.spend(pure(5e-324)).is_err());
    }
    let mut filter = one();
    filter.spend(pure(0.1 + 0.2)).unwrap(); // 0.30000000000000004
    assert!(filter.spend(pure(0.7)).is_err() && filter.spend(pure(0.7f64.next_down())).is_ok());
}

#[test]
fn squares_of_mu_are_exact() {
    let mut filter = Filter::new(Guarantee::gaussian(1.0).unwrap()).unwrap();
    (0..100).for_each(|_| filter.spend(Guarantee::gaussian(0.1).unwrap()).unwrap());
    assert_eq!(filter.left(), Definition::Gaussian { mu: 0.0 });
    let mut filter = Filter::new(Guarantee::gaussian(5.0).unwrap()).unwrap();
    filter.spend(Guarantee::gaussian(3.0).unwrap()).unwrap();
    assert_eq!(filter.left(), Definition::Gaussian { mu: 4.0 });
}

#[test]
fn what_implies_the_definition_of_the_total_is_counted_and_nothing_else() {
    let all = [
        pure(0.5),
        Guarantee::approximate(0.5, 1e-6).unwrap(),
        Guarantee::gaussian(0.5).unwrap(),
        Guarantee::concentrated(0.125).unwrap(),
    ];
    let counted = |total: Guarantee| {
        let filter = Filter::new(total).unwrap();
        all.map(|g| filter.clone().spend(g).is_ok())
    };
    assert_eq!(counted(pure(9.0)), [true, false, false, false]);
    assert_eq!(counted(Guarantee::approximate(9.0, 1e-3).unwrap()), [true, true, false, false]);
    assert_eq!(counted(Guarantee::gaussian(9.0).unwrap()), [true, false, true, false]);
    assert_eq!(counted(Guarantee::concentrated(9.0).unwrap()), [true, false, true, true]);
    let refused = Filter::new(pure(9.0)).unwrap().spend(all[2]).unwrap_err().to_string();
    assert!(refused.contains("this budget counts epsilon") && refused.contains("mu 0.5"), "{refused}");
}

#[test]
fn refusals_say_requested_spent_and_left() {
    let mut filter = Filter::new(Guarantee::approximate(1.0, 1e-6).unwrap()).unwrap();
    filter.spend(Guarantee::approximate(0.25, 1e-6).unwrap()).unwrap();
    assert_eq!(
        filter.spend(Guarantee::approximate(0.25, 1e-9).unwrap()).unwrap_err().to_string(),
        "not enough is left: requested epsilon 0.25 and delta 1e-9, spent epsilon 0.25 and delta 1e-6 of epsilon 1.0 \
         and delta 1e-6, left epsilon 0.75 and delta 0.0"
    );
    filter.spend(pure(0.75)).unwrap();
    let mut filter = Filter::new(Guarantee::concentrated(0.1).unwrap()).unwrap();
    assert_eq!(
        filter.spend(Guarantee::gaussian(1.0).unwrap()).unwrap_err().to_string(),
        "not enough is left: requested rho 0.5 (mu 1.0 by itself), spent rho 0.0 of 0.1, left rho 0.1"
    );
}

#[test]
fn totals_that_promise_nothing_are_refused() {
    for total in [pure(1e7), pure(1e-13), Guarantee::gaussian(1e4).unwrap(), Guarantee::concentrated(f64::MAX).unwrap()]
    {
        assert!(Filter::new(total).is_err(), "{total}");
    }
    assert!(Filter::new(Guarantee::approximate(1.0, 1e-31).unwrap()).is_err());
    let mut filter = Filter::new(pure(1e6)).unwrap();
    assert!([1e6f64.next_up(), 1e9, 1e300, f64::MAX].iter().all(|x| filter.spend(pure(*x)).is_err()));
    filter.spend(pure(1e6)).unwrap();
}

fn cost() -> impl Strategy<Value = f64> {
    prop_oneof![
        (-15.0f64..0.5).prop_map(|exponent| 10f64.powf(exponent)),
        (1u32..1000).prop_map(|thousandths| f64::from(thousandths) / 1000.0),
    ]
}

proptest! {
    /// The doubles of all guarantees that got through, summed exactly, are within the promise.
    #[test]
    fn doubles_never_sum_to_more_than_the_promise(total in cost(), costs in proptest::collection::vec(cost(), 1..60)) {
        prop_assume!(total >= LEAST);
        let mut filter = Filter::new(pure(total)).unwrap();
        let mut sum = UBig::from(0u8);
        for cost in costs.iter().chain(costs.iter().rev()).map(|cost| cost * total) {
            let before = filter.clone();
            match filter.spend(pure(cost)) {
                Ok(()) => sum += binary(cost),
                Err(_) => prop_assert_eq!(&before, &filter),
            }
        }
        let Definition::Pure { epsilon } = filter.promise().definition() else { panic!("not pure") };
        prop_assert!(sum <= binary(epsilon));
    }

    #[test]
    fn squares_never_sum_to_more_than_the_promise(costs in proptest::collection::vec(cost(), 1..60)) {
        let mut filter = Filter::new(Guarantee::gaussian(1.0).unwrap()).unwrap();
        let mut sum = UBig::from(0u8);
        for cost in costs {
            if filter.spend(Guarantee::gaussian(cost).unwrap()).is_ok() {
                sum += binary(cost) * binary(cost);
            }
        }
        let Definition::Gaussian { mu } = filter.promise().definition() else { panic!("not Gaussian") };
        prop_assert!(sum <= binary(mu) * binary(mu));
    }

    /// The amount left can be spent, and the next larger number cannot.
    #[test]
    fn what_is_left_can_be_spent_and_nothing_more(costs in proptest::collection::vec(cost(), 0..20), kind in 0..3) {
        let make = |x: f64| match kind {
            0 => Guarantee::pure(x),
            1 => Guarantee::gaussian(x),
            _ => Guarantee::concentrated(x),
        };
        let mut filter = Filter::new(make(1.0).unwrap()).unwrap();
        for cost in costs {
            let _ = filter.spend(make(cost).unwrap());
        }
        let (Definition::Pure { epsilon: left } | Definition::Gaussian { mu: left } | Definition::Concentrated { rho: left }) =
            filter.left() else { panic!("not one number") };
        if left > 0.0 {
            prop_assert!(filter.clone().spend(make(left.next_up()).unwrap()).is_err());
            prop_assert!(filter.spend(make(left).unwrap()).is_ok());
        }
        prop_assert!(filter.spend(make(1e-3).unwrap()).is_err());
    }

    /// The amount spent by the same releases is the same in any order, with any refusals in between.
    #[test]
    fn sums_do_not_depend_on_the_order(costs in proptest::collection::vec(cost(), 1..20)) {
        let spent = |costs: &[f64]| {
            let mut filter = Filter::new(pure(1e3)).unwrap();
            for cost in costs {
                filter.spend(pure(*cost)).unwrap();
                filter.spend(pure(1e5)).unwrap_err();
            }
            filter
        };
        let mut backwards = costs.clone();
        backwards.reverse();
        prop_assert_eq!(spent(&costs), spent(&backwards));
        // and they are those of composition, up to its rounding of every sum
        let list: Vec<Guarantee> = costs.iter().map(|cost| pure(*cost)).collect();
        let (Definition::Pure { epsilon: sum }, Definition::Pure { epsilon: exact }) =
            (compose(&list).unwrap().definition(), spent(&costs).spent()) else { panic!("not pure") };
        prop_assert!((sum / exact - 1.0).abs() < 1e-13);
    }

    /// A guarantee in another definition never counts for less than in composition.
    #[test]
    fn conversions_are_those_of_composition(epsilon in cost(), mu in cost()) {
        let filter = Filter::new(Guarantee::concentrated(1.0).unwrap()).unwrap();
        let both = [pure(epsilon), Guarantee::gaussian(mu).unwrap()];
        for g in both {
            prop_assert_eq!(filter.counts_as(g).unwrap(), g.to_concentrated().unwrap().definition());
        }
        let filter = Filter::new(Guarantee::gaussian(1.0).unwrap()).unwrap();
        prop_assert_eq!(filter.counts_as(both[0]).unwrap(), both[0].to_gaussian().unwrap().definition());
    }
}
