//! Axes, rotations and subspaces, whose points have many representatives: every mechanism that is available there
//! releases a point that does not depend on them, and the others say why they do not.

use crate::common::{at, cloud, manifold, origin};
use karcher::mechanism::{KNormGradient, KarcherFlow, Noise, Plan, PrivateFrechetMean, Request};
use karcher::privacy::{GaussianCalibration, Guarantee};
use karcher::release::{MechanismName, Release};
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::sensitivity::{Bound, admissible_radius};
use karcher::{Ball, Manifold, Points, ReleaseContext};
use std::f64::consts::PI;
use std::sync::Arc;

/// Records that lie around the origin, on spaces where no noise of a given law need exist.
fn around_origin(m: &dyn Manifold, n: usize, reach: f64) -> Points {
    let center = origin(m);
    let record = |i: usize| {
        let direction: Vec<f64> = (0..m.dim()).map(|j| (1.0 + (i * m.dim() + j) as f64).sin()).collect();
        at(m, &center, &direction, reach * (0.1 + 0.9 * (i as f64 / n as f64)))
    };
    Points::new(m, (0..n).flat_map(record).collect()).unwrap()
}

/// The same records by other representatives: some have another sign, and bases of subspaces another first pair of
/// vectors.
fn turned(m: &dyn Manifold, points: &Points) -> Points {
    let columns = if m.shape().axes().len() == 2 { m.shape().row_len() } else { 1 };
    let mut values = points.view().values().to_vec();
    for (i, record) in values.chunks_exact_mut(m.point_len()).enumerate() {
        let (sin, cos) = (i as f64).sin_cos();
        for row in record.chunks_exact_mut(columns) {
            match row {
                [x, y, ..] => (*x, *y) = (cos * *x + sin * *y, sin * *x - cos * *y),
                [x] => *x *= if i % 3 == 0 { -1.0 } else { 1.0 },
                [] => (),
            }
        }
    }
    Points::new(m, values).unwrap()
}

/// The private mean in a ball around the origin.
fn private(m: &Arc<dyn Manifold>, radius: f64) -> PrivateFrechetMean {
    PrivateFrechetMean::new(m.clone(), Ball::at_origin(&**m, radius).unwrap()).unwrap()
}

fn released(plan: &dyn Plan, records: &Points, seed: u64) -> Release {
    plan.run(records, &mut ReleaseContext::seeded(seed)).unwrap()
}

fn bits(p: &[f64]) -> Vec<u64> {
    p.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn balls_may_have_half_the_radius_up_to_which_minima_are_unique() {
    for (name, radius) in [
        ("projective:1", PI / 4.0),
        ("projective:2", PI / 4.0),
        ("rotations:3", PI / 2.0),
        ("grassmann:3,1", PI / 4.0),
        ("grassmann:4,2", PI / 4.0),
    ] {
        assert!((admissible_radius(&*manifold(name), Bound::Optimal) - radius).abs() < 1e-15, "{name}");
    }
}

#[test]
fn laplace_noise_on_the_mean_forgets_the_signs_of_records() {
    for (name, radius) in [("projective:1", 0.7), ("projective:2", 0.6), ("projective:6", 0.4), ("rotations:3", 1.2)] {
        let m = manifold(name);
        let records = cloud(&m, 80, 0.6 * radius, 1);
        let request = Request::new(private(&m, radius), 80, Guarantee::pure(2.0).unwrap());
        let plan = request.plan_by(MechanismName::Laplace).unwrap();
        let release = |records: &Points, seed| released(&*plan, records, seed);
        for seed in 0..20 {
            let (one, other) = (release(&records, seed), release(&turned(&*m, &records), seed));
            m.check_point(one.value()).unwrap();
            assert_eq!(bits(one.value()), bits(other.value()), "{name}");
        }
    }
}

/// The mean distance is `∫ s·e^{−s/σ}·a(s) ds / ∫ e^{−s/σ}·a(s) ds` over all distances, `a(s)` the area of the sphere
/// of radius `s`: `sin s` for axes, `sin²(s/2)` for rotations. Noise is so wide that the end of the space matters.
#[test]
fn draws_are_as_far_from_the_center_as_integrals_over_the_whole_space_say() {
    const DRAWS: usize = 20_000;
    type Area = fn(f64) -> f64;
    let cases: [(&str, f64, Area); 2] =
        [("projective:2", PI / 2.0, f64::sin), ("rotations:3", PI, |s| (0.5 * s).sin().powi(2))];
    for (name, end, area) in cases {
        let m = manifold(name);
        let scale = end;
        let integral = |f: &dyn Fn(f64) -> f64, end: f64| {
            let cells = 100_000;
            let at = |i: usize| end * (i as f64 + 0.5) / cells as f64;
            (0..cells).map(|i| f(at(i)) * (-at(i) / scale).exp() * area(at(i))).sum::<f64>() * end / cells as f64
        };
        let mean = |end: f64| integral(&|s| s, end) / integral(&|_| 1.0, end);
        let law = Isotropic::new(m.clone(), Law::Laplace, scale).unwrap();
        let expected = law.expected_distance().unwrap();
        // the end is found to a part in a million
        assert!((expected - mean(end)).abs() < 1e-5, "{name}: {expected} {}", mean(end));
        let (center, mut generator) = (cloud(&m, 1, 0.5, 3).view().values().to_vec(), Generator::seeded(4));
        let mut draw = center.clone();
        let distances: Vec<f64> = (0..DRAWS)
            .map(|_| {
                law.sample(&center, &mut generator, &mut draw).unwrap();
                m.dist(&center, &draw)
            })
            .collect();
        let average = distances.iter().sum::<f64>() / DRAWS as f64;
        let variance = distances.iter().map(|s| (s - average).powi(2)).sum::<f64>() / DRAWS as f64;
        // five standard errors: a right law fails with probability 6e-7
        let slack = 5.0 * (variance / DRAWS as f64).sqrt();
        assert!((average - mean(end)).abs() < slack, "{name}: {average} {}", mean(end));
        assert!((average - mean(0.95 * end)).abs() > slack, "{name}: the test does not notice an end at 95 %");
    }
}

#[test]
fn the_flow_forgets_representatives_and_ends_near_the_mean() {
    for (name, radius) in [
        ("projective:2", 0.7),
        ("rotations:3", 1.5),
        ("grassmann:4,2", 0.7),
        ("grassmann:5,3", 0.7),
        ("grassmann:3,1", 0.7),
    ] {
        let m = manifold(name);
        let records = around_origin(&*m, 4000, 0.9 * radius);
        let flow = KarcherFlow::new(&private(&m, radius), 4000, Guarantee::gaussian(1.0).unwrap()).unwrap();
        let release = |records: &Points, seed| released(&flow, records, seed);
        let mean = karcher::nonprivate::FrechetMean::new(&*m).fit(records.view()).unwrap();
        for seed in 0..5 {
            let one = release(&records, seed);
            assert_eq!(bits(one.value()), bits(release(&turned(&*m, &records), seed).value()), "{name}");
            assert!(m.dist(one.value(), &mean) < flow.bias_bound() + 10.0 * flow.expected_distance(), "{name}");
        }
    }
}

#[test]
fn the_k_norm_gradient_is_drawn_exactly_on_subspaces() {
    for (name, radius) in [("projective:2", 0.5), ("rotations:3", 0.9), ("grassmann:4,2", 0.5), ("grassmann:3,2", 0.5)]
    {
        let m = manifold(name);
        let records = around_origin(&*m, 200, 0.9 * radius);
        let kng = KNormGradient::new(&private(&m, radius), 200, Guarantee::pure(2.0).unwrap()).unwrap();
        assert!(kng.is_exact(), "{name}");
        let mean = karcher::nonprivate::FrechetMean::new(&*m).fit(records.view()).unwrap();
        for seed in 0..5 {
            let (one, other) = (released(&kng, &records, seed), released(&kng, &turned(&*m, &records), seed));
            assert_eq!(bits(one.value()), bits(other.value()), "{name}");
            assert!(m.dist(one.value(), &mean) < 10.0 * kng.expected_distance(), "{name}");
        }
    }
}

#[test]
fn what_is_not_available_says_why() {
    let budget = Guarantee::gaussian(1.0).unwrap();
    for name in ["projective:2", "rotations:3", "grassmann:3,1"] {
        let error =
            Noise::gaussian(manifold(name), 0.01, budget, GaussianCalibration::Analytic).unwrap_err().to_string();
        assert!(error.contains("not simply connected") && error.contains(name), "{error}");
    }
    let subspaces = manifold("grassmann:4,2");
    let error =
        Noise::gaussian(subspaces.clone(), 0.01, budget, GaussianCalibration::Analytic).unwrap_err().to_string();
    assert!(error.contains("its curvature is not constant") && error.contains("use the chart mechanism"), "{error}");
    let error = Noise::laplace(subspaces, 0.01, Guarantee::pure(1.0).unwrap()).unwrap_err().to_string();
    assert!(error.contains("depends on their direction") && error.contains("use the chart mechanism"), "{error}");
    // circles of length π are circles
    for name in ["projective:1", "grassmann:2,1"] {
        Noise::gaussian(manifold(name), 0.01, budget, GaussianCalibration::Analytic).unwrap();
    }
}
