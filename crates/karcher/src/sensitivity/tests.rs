use super::*;
use crate::manifold::{Euclidean, Hyperbolic, Kendall, Sphere};
use proptest::prelude::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

mod certificate;
mod chart;
mod search;

fn sphere() -> Sphere {
    Sphere::new(2).unwrap()
}

/// Flat, unlike all other spheres.
fn circle() -> Sphere {
    Sphere::new(1).unwrap()
}

/// Shapes of four landmarks: `CP²`, curvatures from 1 to 4.
fn shapes() -> Kendall {
    Kendall::new(4).unwrap()
}

fn hyperbolic() -> Hyperbolic {
    Hyperbolic::new(2).unwrap()
}

fn euclidean() -> Euclidean {
    Euclidean::new(3).unwrap()
}

fn value(manifold: &dyn Manifold, radius: f64, n: usize, bound: Bound) -> f64 {
    frechet_mean(manifold, radius, n, Some(bound)).unwrap().value()
}

/// Equal to the last digit given, and rounded upwards by less than a relative 1e-10.
fn assert_just_above(bound: f64, exact: f64) {
    assert!(bound >= exact && bound <= exact * (1.0 + 1e-10), "{bound} is not just above {exact}");
}

#[test]
fn values_on_the_sphere_are_those_of_the_user_guide() {
    for (r, expected) in [
        (PI / 8.0, [1.21460184, 0.92181376, 0.85187682, 0.82842712]),
        (PI / 5.0, [4.89873001, 1.94865429, 1.57945620, 1.45308506]),
    ] {
        for (bound, expected) in Bound::ALL.into_iter().zip(expected) {
            let found = 7.0 * value(&sphere(), r, 7, bound);
            assert!((found - expected).abs() < 6e-9, "{bound} at {r}: {found} is not {expected}");
        }
    }
}

#[test]
fn gradient_diameters_on_the_sphere_are_those_of_the_user_guide() {
    for (r, diameter) in [(PI / 8.0, 0.80617324), (PI / 5.0, 1.34581757)] {
        let found = gradient_diameter(&sphere(), r).unwrap();
        assert!((found - diameter).abs() < 6e-9, "{found}");
    }
}

#[test]
fn optimal_bound_is_twice_the_tangent() {
    for r in [1e-100, 1e-6, 0.1, 1.0, 1.5] {
        assert_just_above(10.0 * value(&sphere(), r, 10, Bound::Optimal), 2.0 * r.tan());
        if r < 0.75 {
            assert_just_above(10.0 * value(&shapes(), r, 10, Bound::Optimal), (2.0 * r).tan());
        }
    }
}

#[test]
fn without_positive_curvature_every_bound_is_the_diameter_over_n() {
    for space in [&euclidean() as &dyn Manifold, &hyperbolic(), &circle()] {
        for r in [1e-100, 0.3, 1.5] {
            for bound in Bound::ALL {
                assert_just_above(value(space, r, 5, bound), 2.0 * r / 5.0);
            }
            assert_just_above(gradient_diameter(space, r).unwrap(), 2.0 * r);
            assert_eq!(hessian_at_mean(space, r).unwrap(), 1.0);
        }
    }
    assert_just_above(value(&hyperbolic(), 1e150, 1, Bound::Optimal), 2e150);
}

#[test]
fn small_balls_are_flat() {
    for bound in Bound::ALL {
        assert!((value(&sphere(), 1e-6, 4, bound) / 0.5e-6 - 1.0).abs() < 1e-9);
    }
    assert!((gradient_diameter(&sphere(), 1e-100).unwrap() / 2e-100 - 1.0).abs() < 1e-9);
}

#[test]
fn shapes_are_a_sphere_of_half_the_size() {
    for r in [0.01, 0.1, 0.3] {
        for bound in Bound::ALL {
            let (shapes, sphere) = (value(&shapes(), r, 3, bound), value(&sphere(), 2.0 * r, 3, bound) / 2.0);
            assert!((shapes / sphere - 1.0).abs() < 1e-14);
        }
    }
}

#[test]
fn without_a_choice_the_optimal_bound_is_taken() {
    let sensitivity = frechet_mean(&sphere(), 0.5, 10, None).unwrap();
    assert_eq!(sensitivity.bound(), Bound::Optimal);
    assert_eq!(sensitivity.value(), value(&sphere(), 0.5, 10, Bound::Optimal));
}

proptest! {
    #[test]
    fn each_bound_is_at_most_the_one_before(x in 1e-9..1.57) {
        for space in [&sphere() as &dyn Manifold, &shapes(), &hyperbolic()] {
            let r = x / space.curvature().upper.max(1.0).sqrt();
            let found: Vec<f64> = Bound::ALL
                .iter()
                .filter_map(|&bound| frechet_mean(space, r, 3, Some(bound)).ok())
                .map(|sensitivity| sensitivity.value())
                .collect();
            prop_assert!(!found.is_empty());
            prop_assert!(found.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-11)), "{found:?}");
        }
    }

    #[test]
    fn bounds_grow_with_the_radius_and_shrink_with_n(x in 1e-9..1.0, step in 1e-12..0.1, n in 1usize..1000) {
        for space in [&sphere() as &dyn Manifold, &shapes(), &hyperbolic()] {
            for bound in Bound::ALL {
                let limit = admissible_radius(space, bound).min(10.0) * (1.0 - 1e-9);
                let (small, large) = (x * limit, f64::min(x + step, 1.0) * limit);
                let at_small = value(space, small, n, bound);
                prop_assert!(at_small <= value(space, large, n, bound));
                prop_assert!(at_small > value(space, small, n + 1, bound));
                prop_assert!(gradient_diameter(space, small).unwrap() <= gradient_diameter(space, large).unwrap());
            }
        }
    }

    #[test]
    fn gradient_diameter_is_between_the_diameter_and_the_bounds_by_rauch(x in 1e-9..1.57) {
        let found = gradient_diameter(&sphere(), x).unwrap();
        prop_assert!(found >= 2.0 * x);
        prop_assert!(found <= (2.0 * x / x.cos().max(0.5)) * (1.0 + 1e-11));
        prop_assert!(found <= 2.0 * x.tan() * (1.0 + 1e-11));
    }

    #[test]
    fn gradient_diameter_is_the_maximum_over_a_fine_grid(x in 1e-9..1.57) {
        let exact = (1..=20_000)
            .map(|i| x * f64::from(i) / 20_000.0)
            .map(|u: f64| 4.0 * u * (1.0 - (u.tan() / f64::tan(x)).powi(2)).max(0.0).sqrt())
            .fold(0.0, f64::max);
        let found = gradient_diameter(&sphere(), x).unwrap();
        prop_assert!(exact <= found && found <= exact * (1.0 + 1e-6), "{exact} {found}");
    }
}

#[test]
fn admissible_radii_are_the_published_ones_and_larger() {
    assert_eq!(admissible_radius(&sphere(), Bound::Published), FRAC_PI_4);
    assert!((2.0 * admissible_radius(&sphere(), Bound::AveragedHessian) - 2.45564386).abs() < 1e-8);
    assert_eq!(admissible_radius(&sphere(), Bound::Optimal), FRAC_PI_2);
    assert_eq!(admissible_radius(&shapes(), Bound::Published), PI / 8.0);
    assert_eq!(admissible_radius(&shapes(), Bound::Optimal), FRAC_PI_4);
    assert_eq!(admissible_radius(&circle(), Bound::Published), FRAC_PI_2);
    assert_eq!(admissible_radius(&hyperbolic(), Bound::Optimal), f64::INFINITY);
}

#[test]
fn bounds_are_finite_up_to_the_limit_and_refused_from_it_on() {
    for space in [&sphere() as &dyn Manifold, &shapes(), &circle()] {
        for bound in Bound::ALL {
            let limit = admissible_radius(space, bound);
            let below = value(space, limit * (1.0 - 1e-11), 1, bound);
            assert!(below.is_finite() && below > value(space, limit * (1.0 - 1e-10), 1, bound));
            for radius in [limit * (1.0 - 1e-13), limit, 2.0 * limit, 1e100] {
                let error = frechet_mean(space, radius, 1, Some(bound)).unwrap_err();
                assert!(matches!(error, Error::RadiusTooLarge { limit: found, .. } if found == limit), "{error}");
            }
        }
    }
    let text = frechet_mean(&sphere(), 0.9, 1, Some(Bound::Published)).unwrap_err().to_string();
    assert_eq!(
        text,
        "radius 0.9 is too large for sphere:2: the published bound of the mean's sensitivity exists only below \
         0.7853981; choose a smaller ball"
    );
}

#[test]
fn bad_input_is_refused() {
    for radius in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, 1e300] {
        for space in [&sphere() as &dyn Manifold, &euclidean()] {
            let refused = |error| matches!(error, Error::InvalidParameter { name: "radius", .. });
            assert!(refused(frechet_mean(space, radius, 1, None).unwrap_err()));
            assert!(refused(gradient_diameter(space, radius).unwrap_err()));
            assert!(refused(hessian_at_mean(space, radius).unwrap_err()));
        }
    }
    assert_eq!(frechet_mean(&sphere(), 0.1, 0, None).unwrap_err(), GeometryError::NoRecords.into());
    let sensitivity = frechet_mean(&sphere(), 0.5, 10, None).unwrap();
    for tolerance in [-1e-9, f64::NAN, f64::INFINITY, 2.0] {
        let error = sensitivity.with_tolerance(tolerance).unwrap_err();
        assert!(matches!(error, Error::InvalidParameter { name: "tolerance", .. }), "{error}");
    }
}

#[test]
fn tolerance_adds_twice_its_worth_in_distance() {
    let (r, n) = (0.7, 10);
    for space in [&sphere() as &dyn Manifold, &hyperbolic()] {
        let exact = frechet_mean(space, r, n, None).unwrap();
        let c = hessian_at_mean(space, r).unwrap();
        let inexact = exact.with_tolerance(1e-6).unwrap();
        assert!((inexact.value() - exact.value() - 2e-6 / c).abs() < 1e-11);
        assert!(inexact.value() >= exact.value() + 2e-6 / c);
        assert!(exact.with_tolerance(0.0).unwrap().value() >= exact.value());
        assert_eq!(inexact.bound(), exact.bound());
    }
    assert!((hessian_at_mean(&sphere(), r).unwrap() - r / r.tan()).abs() < 1e-11);
    let (exact, coarse) = (value(&shapes(), 0.3, n, Bound::Optimal), 0.1);
    let c = 0.6 / 0.6f64.tan() * (1.0 - 2.0 * coarse * 0.6f64.tan());
    let inexact = frechet_mean(&shapes(), 0.3, n, None).unwrap().with_tolerance(coarse).unwrap();
    assert_just_above(inexact.value(), exact + 2.0 * coarse / c);
}

#[test]
fn names_are_the_same_everywhere() {
    for (bound, name) in Bound::ALL.into_iter().zip(["published", "averaged-hessian", "sharp", "optimal"]) {
        assert_eq!(bound.to_string(), name);
        assert_eq!(name.parse::<Bound>().unwrap(), bound);
        assert_eq!(serde_json::to_value(bound).unwrap(), name);
    }
    let error = "tight".parse::<Bound>().unwrap_err().to_string();
    assert_eq!(error, "unknown sensitivity bound `tight`: expected published, averaged-hessian, sharp or optimal");
    let json = serde_json::to_value(frechet_mean(&euclidean(), 0.5, 1, None).unwrap()).unwrap();
    assert_eq!(json, serde_json::json!({"value": 1.0 + 2f64.powi(-39), "bound": "optimal"}));
}
