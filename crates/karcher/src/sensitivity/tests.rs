use super::*;
use crate::manifold::{CurvatureBounds, Space};
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// What a bound may know about a space, and nothing else.
#[derive(Debug, Clone, Copy)]
struct Facts {
    space: Space,
    kappa: f64,
    injectivity: f64,
}

const SPHERE: Facts = Facts { space: Space::Sphere(2), kappa: 1.0, injectivity: PI };
const CIRCLE: Facts = Facts { space: Space::Sphere(1), kappa: 0.0, injectivity: PI };
const SHAPES: Facts = Facts { space: Space::Kendall(4), kappa: 4.0, injectivity: FRAC_PI_2 };
const EUCLIDEAN: Facts = Facts { space: Space::Euclidean(3), kappa: 0.0, injectivity: f64::INFINITY };
const HYPERBOLIC: Facts = Facts { space: Space::Hyperbolic(2), kappa: -1.0, injectivity: f64::INFINITY };

impl Manifold for Facts {
    fn space(&self) -> Space {
        self.space
    }
    fn curvature(&self) -> CurvatureBounds {
        CurvatureBounds { lower: self.kappa, upper: self.kappa }
    }
    fn injectivity_radius(&self) -> f64 {
        self.injectivity
    }
    fn dim(&self) -> usize {
        unreachable!()
    }
    fn point_len(&self) -> usize {
        unreachable!()
    }
    fn origin(&self, _: &mut [f64]) {
        unreachable!()
    }
    fn check_point(&self, _: &[f64]) -> Result<()> {
        unreachable!()
    }
    fn normalize(&self, _: &mut [f64]) {
        unreachable!()
    }
    fn exp(&self, _: &[f64], _: &[f64], _: &mut [f64]) {
        unreachable!()
    }
    fn log(&self, _: &[f64], _: &[f64], _: &mut [f64]) -> Result<()> {
        unreachable!()
    }
    fn dist(&self, _: &[f64], _: &[f64]) -> f64 {
        unreachable!()
    }
    fn inner(&self, _: &[f64], _: &[f64], _: &[f64]) -> f64 {
        unreachable!()
    }
    fn transport(&self, _: &[f64], _: &[f64], _: &[f64], _: &mut [f64]) -> Result<()> {
        unreachable!()
    }
    fn from_frame(&self, _: &[f64], _: &[f64], _: &mut [f64]) {
        unreachable!()
    }
    fn to_frame(&self, _: &[f64], _: &[f64], _: &mut [f64]) {
        unreachable!()
    }
    fn volume_density(&self, _: &[f64], _: &[f64]) -> f64 {
        unreachable!()
    }
    fn log_volume_density_bound(&self, _: f64) -> (f64, f64) {
        unreachable!()
    }
}

fn value(facts: Facts, radius: f64, n: usize, bound: Bound) -> f64 {
    frechet_mean(&facts, radius, n, Some(bound)).unwrap().value()
}

/// Equal to the last digit given, and rounded upwards by less than a relative 1e-10.
fn assert_just_above(bound: f64, exact: f64) {
    assert!(bound >= exact && bound <= exact * (1.0 + 1e-10), "{bound} is not just above {exact}");
}

#[test]
fn values_on_the_sphere_are_those_of_the_user_guide() {
    for (r, published, averaged, sharp) in
        [(PI / 8.0, 1.21460184, 0.92181376, 0.82842712), (PI / 5.0, 4.89873001, 1.94865429, 1.45308506)]
    {
        for (bound, expected) in
            [(Bound::Published, published), (Bound::AveragedHessian, averaged), (Bound::Sharp, sharp)]
        {
            let found = 7.0 * value(SPHERE, r, 7, bound);
            assert!((found - expected).abs() < 6e-9, "{bound} at {r}: {found} is not {expected}");
        }
    }
}

#[test]
fn gradient_diameters_on_the_sphere_are_those_of_the_user_guide() {
    // The second value: over the averaged Hessian instead of the Hessian at the mean.
    for (r, diameter, sensitivity) in [(PI / 8.0, 0.80617324, 0.85187682), (PI / 5.0, 1.34581757, 1.57945620)] {
        let found = gradient_diameter(&SPHERE, r).unwrap();
        assert!((found - diameter).abs() < 6e-9, "{found}");
        assert!((found / (0.75 + 0.25 * g(2.0 * r)) - sensitivity).abs() < 6e-9);
    }
}

#[test]
fn sharp_bound_is_twice_the_tangent() {
    for r in [1e-100, 1e-6, 0.1, 1.0, 1.5] {
        assert_just_above(10.0 * value(SPHERE, r, 10, Bound::Sharp), 2.0 * r.tan());
        if r < 0.75 {
            assert_just_above(10.0 * value(SHAPES, r, 10, Bound::Sharp), (2.0 * r).tan());
        }
    }
}

#[test]
fn without_positive_curvature_every_bound_is_the_diameter_over_n() {
    for facts in [EUCLIDEAN, HYPERBOLIC, CIRCLE] {
        for r in [1e-100, 0.3, 1.5] {
            for bound in Bound::ALL {
                assert_just_above(value(facts, r, 5, bound), 2.0 * r / 5.0);
            }
            assert_just_above(gradient_diameter(&facts, r).unwrap(), 2.0 * r);
            assert_eq!(hessian_at_mean(&facts, r).unwrap(), 1.0);
        }
    }
    assert_just_above(value(HYPERBOLIC, 1e150, 1, Bound::Sharp), 2e150);
}

#[test]
fn small_balls_are_flat() {
    for bound in Bound::ALL {
        assert!((value(SPHERE, 1e-6, 4, bound) / 0.5e-6 - 1.0).abs() < 1e-9);
    }
    assert!((gradient_diameter(&SPHERE, 1e-100).unwrap() / 2e-100 - 1.0).abs() < 1e-9);
}

#[test]
fn shapes_are_a_sphere_of_half_the_size() {
    for r in [0.01, 0.1, 0.3] {
        for bound in Bound::ALL {
            let (shapes, sphere) = (value(SHAPES, r, 3, bound), value(SPHERE, 2.0 * r, 3, bound) / 2.0);
            assert!((shapes / sphere - 1.0).abs() < 1e-14);
        }
    }
}

#[test]
fn without_a_choice_the_sharp_bound_is_taken() {
    let sensitivity = frechet_mean(&SPHERE, 0.5, 10, None).unwrap();
    assert_eq!(sensitivity.bound(), Bound::Sharp);
    assert_eq!(sensitivity.value(), value(SPHERE, 0.5, 10, Bound::Sharp));
}

proptest! {
    #[test]
    fn sharp_is_at_most_averaged_hessian_is_at_most_published(x in 1e-9..1.57) {
        for facts in [SPHERE, SHAPES, HYPERBOLIC] {
            let r = x / facts.kappa.max(1.0).sqrt();
            let found: Vec<f64> = Bound::ALL
                .iter()
                .filter_map(|&bound| frechet_mean(&facts, r, 3, Some(bound)).ok())
                .map(|sensitivity| sensitivity.value())
                .collect();
            prop_assert!(!found.is_empty());
            prop_assert!(found.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-14)), "{found:?}");
        }
    }

    #[test]
    fn bounds_grow_with_the_radius_and_shrink_with_n(x in 1e-9..1.0, step in 1e-12..0.1, n in 1usize..1000) {
        for facts in [SPHERE, SHAPES, HYPERBOLIC] {
            for bound in Bound::ALL {
                let limit = admissible_radius(&facts, bound).min(10.0) * (1.0 - 1e-9);
                let (small, large) = (x * limit, f64::min(x + step, 1.0) * limit);
                let at_small = value(facts, small, n, bound);
                prop_assert!(at_small <= value(facts, large, n, bound));
                prop_assert!(at_small > value(facts, small, n + 1, bound));
                prop_assert!(gradient_diameter(&facts, small).unwrap() <= gradient_diameter(&facts, large).unwrap());
            }
        }
    }

    #[test]
    fn gradient_diameter_is_between_the_diameter_and_the_bounds_by_rauch(x in 1e-9..1.57) {
        let found = gradient_diameter(&SPHERE, x).unwrap();
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
        let found = gradient_diameter(&SPHERE, x).unwrap();
        prop_assert!(exact <= found && found <= exact * (1.0 + 1e-6), "{exact} {found}");
    }
}

#[test]
fn admissible_radii_are_the_published_ones_and_larger() {
    assert_eq!(admissible_radius(&SPHERE, Bound::Published), FRAC_PI_4);
    assert!((2.0 * admissible_radius(&SPHERE, Bound::AveragedHessian) - 2.45564386).abs() < 1e-8);
    assert_eq!(admissible_radius(&SPHERE, Bound::Sharp), FRAC_PI_2);
    assert_eq!(admissible_radius(&SHAPES, Bound::Published), PI / 8.0);
    assert_eq!(admissible_radius(&SHAPES, Bound::Sharp), FRAC_PI_4);
    assert_eq!(admissible_radius(&CIRCLE, Bound::Published), FRAC_PI_2);
    assert_eq!(admissible_radius(&HYPERBOLIC, Bound::Sharp), f64::INFINITY);
}

#[test]
fn bounds_are_finite_up_to_the_limit_and_refused_from_it_on() {
    for facts in [SPHERE, SHAPES, CIRCLE] {
        for bound in Bound::ALL {
            let limit = admissible_radius(&facts, bound);
            let below = value(facts, limit * (1.0 - 1e-11), 1, bound);
            assert!(below.is_finite() && below > value(facts, limit * (1.0 - 1e-10), 1, bound));
            for radius in [limit * (1.0 - 1e-13), limit, 2.0 * limit, 1e100] {
                let error = frechet_mean(&facts, radius, 1, Some(bound)).unwrap_err();
                assert!(matches!(error, Error::RadiusTooLarge { limit: found, .. } if found == limit), "{error}");
            }
        }
    }
    let text = frechet_mean(&SPHERE, 0.9, 1, Some(Bound::Published)).unwrap_err().to_string();
    assert_eq!(
        text,
        "radius 0.9 is too large for sphere:2: the published bound of the mean's sensitivity exists only below \
         0.7853981633974483; choose a smaller ball"
    );
}

#[test]
fn bad_input_is_refused() {
    for radius in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324, 1e300] {
        for facts in [SPHERE, EUCLIDEAN] {
            let refused = |error| matches!(error, Error::InvalidParameter { name: "radius", .. });
            assert!(refused(frechet_mean(&facts, radius, 1, None).unwrap_err()));
            assert!(refused(gradient_diameter(&facts, radius).unwrap_err()));
            assert!(refused(hessian_at_mean(&facts, radius).unwrap_err()));
        }
    }
    assert_eq!(frechet_mean(&SPHERE, 0.1, 0, None).unwrap_err(), Error::NoRecords);
    let sensitivity = frechet_mean(&SPHERE, 0.5, 10, None).unwrap();
    for tolerance in [-1e-9, f64::NAN, f64::INFINITY, 2.0] {
        let error = sensitivity.with_tolerance(tolerance).unwrap_err();
        assert!(matches!(error, Error::InvalidParameter { name: "tolerance", .. }), "{error}");
    }
}

#[test]
fn tolerance_adds_twice_its_worth_in_distance() {
    let (r, n) = (0.7, 10);
    for facts in [SPHERE, HYPERBOLIC] {
        let exact = frechet_mean(&facts, r, n, None).unwrap();
        let c = hessian_at_mean(&facts, r).unwrap();
        let inexact = exact.with_tolerance(1e-6).unwrap();
        assert!((inexact.value() - exact.value() - 2e-6 / c).abs() < 1e-11);
        assert!(inexact.value() >= exact.value() + 2e-6 / c);
        assert!(exact.with_tolerance(0.0).unwrap().value() >= exact.value());
        assert_eq!(inexact.bound(), exact.bound());
    }
    assert!((hessian_at_mean(&SPHERE, r).unwrap() - r / r.tan()).abs() < 1e-11);
    let (exact, coarse) = (value(SHAPES, 0.3, n, Bound::Sharp), 0.1);
    let c = 0.6 / 0.6f64.tan() - 2.0 * coarse * 0.6f64.tan();
    let inexact = frechet_mean(&SHAPES, 0.3, n, None).unwrap().with_tolerance(coarse).unwrap();
    assert_just_above(inexact.value(), exact + 2.0 * coarse / c);
}

#[test]
fn names_are_the_same_everywhere() {
    for (bound, name) in Bound::ALL.into_iter().zip(["published", "averaged-hessian", "sharp"]) {
        assert_eq!(bound.to_string(), name);
        assert_eq!(name.parse::<Bound>().unwrap(), bound);
        assert_eq!(serde_json::to_value(bound).unwrap(), name);
    }
    let error = "tight".parse::<Bound>().unwrap_err().to_string();
    assert_eq!(error, "unknown sensitivity bound `tight`: expected published, averaged-hessian or sharp");
    let json = serde_json::to_value(frechet_mean(&EUCLIDEAN, 0.5, 1, None).unwrap()).unwrap();
    assert_eq!(json, serde_json::json!({"value": 1.0 + 2f64.powi(-39), "bound": "sharp"}));
}

/// A point of `S³` as four numbers; nothing of it is the library's.
type Quaternion = [f64; 4];

fn dot(p: &Quaternion, q: &Quaternion) -> f64 {
    p.iter().zip(q).map(|(p, q)| p * q).sum()
}

fn log(p: &Quaternion, q: &Quaternion) -> Quaternion {
    let c = dot(p, q);
    let w: Quaternion = std::array::from_fn(|i| q[i] - c * p[i]);
    let s = dot(&w, &w).sqrt();
    w.map(|w| if s == 0.0 { 0.0 } else { w * s.atan2(c) / s })
}

/// The point of the ball about `(1, 0, 0, 0)` at `Exp` of the three numbers, shortened to the radius.
fn in_ball(v: [f64; 3], radius: f64) -> Quaternion {
    let t = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let s = t.min(radius);
    let f = if t == 0.0 { 0.0 } else { s.sin() / t };
    [s.cos(), f * v[0], f * v[1], f * v[2]]
}

fn normal(random: &mut impl Rng) -> f64 {
    StandardNormal.sample(random)
}

#[test]
fn no_search_on_the_three_sphere_exceeds_the_gradient_diameter_and_it_is_attained() {
    let random = &mut rand_chacha::ChaCha8Rng::seed_from_u64(20);
    for r in [1e-3, 0.1, PI / 8.0, PI / 5.0, 0.9, 1.2, 1.5] {
        let bound = gradient_diameter(&SPHERE, r).unwrap();
        let length = |triple: &[[f64; 3]; 3]| {
            let [m, p, q] = triple.map(|v| in_ball(v, r));
            let (v, w) = (log(&m, &p), log(&m, &q));
            v.iter().zip(&w).map(|(v, w)| (v - w).powi(2)).sum::<f64>().sqrt()
        };
        let mut best = 0.0;
        for _ in 0..40 {
            let mut triple = [[0.0; 3]; 3].map(|v| v.map(|_: f64| r * normal(random)));
            let mut longest = length(&triple);
            let mut step = r;
            while step > 1e-4 * r {
                let mut improved = false;
                for _ in 0..60 {
                    let trial = triple.map(|v| v.map(|v| v + step * normal(random)));
                    let found = length(&trial);
                    assert!(found <= bound, "{found} exceeds {bound} at {r}: {trial:?}");
                    if found > longest {
                        (triple, longest, improved) = (trial, found, true);
                    }
                }
                step *= if improved { 1.0 } else { 0.7 };
            }
            best = f64::max(best, longest);
        }
        assert!(best >= 0.998 * bound, "the search came to {best} of {bound} at {r} only");
    }
}

#[test]
fn no_sample_has_a_smaller_hessian_at_its_mean() {
    // Weights are chosen so that a given point is the mean: three records whose logarithms balance.
    let random = &mut rand_chacha::ChaCha8Rng::seed_from_u64(21);
    let mut smallest_ratio = f64::INFINITY;
    for _ in 0..200_000 {
        let r = random.random_range(0.1..1.5);
        let m = in_ball([random.random_range(0.0..r), 0.0, 0.0], r);
        // In a plane, so that three logarithms can balance.
        let mut boundary = || in_ball([normal(random), normal(random), 0.0].map(|v| 1e3 * v), r);
        let logs = [boundary(), boundary(), boundary()].map(|p| log(&m, &p));
        let frame = [[-m[1], m[0], 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let [u, v, w] = logs.map(|v| [dot(&v, &frame[0]), dot(&v, &frame[1])]);
        let cross = |v: [f64; 2], w: [f64; 2]| v[0] * w[1] - v[1] * w[0];
        let weights = [cross(v, w), cross(w, u), cross(u, v)];
        let total: f64 = weights.iter().sum();
        if weights.iter().any(|weight| weight * total <= 0.0) {
            continue;
        }
        let hessian: f64 = weights.iter().zip(&logs).map(|(w, v)| w / total * g(dot(v, v).sqrt())).sum();
        let bound = hessian_at_mean(&SPHERE, r).unwrap();
        assert!(hessian >= bound, "{hessian} is below {bound} at {r}");
        smallest_ratio = smallest_ratio.min(hessian / bound);
    }
    assert!(smallest_ratio < 1.001, "the search never came near the bound: {smallest_ratio}");
}

#[test]
fn no_smaller_constant_holds_for_all_n() {
    // Half the records at each end of a diameter, the last one moves along the perpendicular one. By symmetry the mean is at
    // height h on it, where the logarithms, s long, balance: 2k·s·cos r·sin h/sin s = r − h, cos s = cos r·cos h.
    for r in [0.1, PI / 8.0, PI / 5.0, 1.0, 1.4] {
        for (k, reached) in [(1, 0.5), (5, 0.75), (500, 0.99), (50_000, 0.9999)] {
            let n = 2 * k + 1;
            let (mut low, mut high) = (0.0, r);
            for _ in 0..60 {
                let h: f64 = 0.5 * (low + high);
                let s = (r.cos() * h.cos()).acos();
                let excess = 2.0 * k as f64 * s * r.cos() * h.sin() / s.sin() - (r - h);
                if excess > 0.0 { high = h } else { low = h }
            }
            let (moved, bound) = (2.0 * low, value(SPHERE, r, n, Bound::Sharp));
            assert!(moved <= bound && moved >= reached * bound, "r = {r}, n = {n}: {moved} of {bound}");
        }
    }
}
