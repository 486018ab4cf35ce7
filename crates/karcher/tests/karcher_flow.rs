//! The private Karcher flow on every space.

use crate::common::{at, cloud_around, manifold, origin};
use karcher::mechanism::{Denoise, KarcherFlow, Plan, PrivateFrechetMean};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::{Guarantee, compose, gaussian_guarantee_flat};
use karcher::{Ball, Manifold, Points, ReleaseContext};
use std::sync::Arc;

const SPACES: [(&str, f64); 9] = [
    ("euclidean:3", 2.0),
    ("sphere:1", 1.0),
    ("sphere:2", 0.8),
    ("sphere:6", 1.2),
    ("hyperbolic:2", 1.5),
    ("spd-log-euclidean:3", 2.0),
    ("spd-affine-invariant:3", 2.0),
    ("spd-affine-invariant:8", 3.0),
    ("kendall:6", 0.4),
];

/// Records around a center away from the ball's, so that the flow has a way to go.
fn cloud(manifold: &Arc<dyn Manifold>, n: usize, spread: f64, seed: u64) -> Points {
    let mut first_axis = vec![0.0; manifold.dim()];
    first_axis[0] = 1.0;
    let center = at(&**manifold, &origin(&**manifold), &first_axis, 0.5 * spread);
    cloud_around(manifold, &center, n, spread, seed)
}

fn private_mean(manifold: &Arc<dyn Manifold>, radius: f64) -> PrivateFrechetMean {
    let mean = PrivateFrechetMean::new(Arc::clone(manifold), Ball::at_origin(&**manifold, radius).unwrap()).unwrap();
    mean.denoise(Some(Denoise::None)) // what a proof announces is the law of noise
}

fn clipped_mean(manifold: &dyn Manifold, ball: &Ball, records: &Points) -> Vec<f64> {
    let clipped = ball.clip_all(manifold, records).unwrap();
    FrechetMean::new(manifold).start(ball.center()).fit(clipped.view()).unwrap()
}

#[test]
fn steps_compose_to_the_budget_and_hardly_below() {
    for (name, radius) in SPACES {
        let m = manifold(name);
        for guarantee in [Guarantee::gaussian(0.7).unwrap(), Guarantee::concentrated(0.245).unwrap()] {
            for steps in [1, 2, 3, 5, 10] {
                let flow = KarcherFlow::with_steps(&private_mean(&m, radius), 40, guarantee, steps).unwrap();
                assert_eq!(flow.steps().len(), steps);
                let each: Vec<Guarantee> = flow
                    .steps()
                    .iter()
                    .map(|s| gaussian_guarantee_flat(2.0 * s.clip / 40.0, s.scale).unwrap())
                    .collect();
                let spent = compose(&each).unwrap().to_gaussian().unwrap().delta(1.0).unwrap();
                let allowed = Guarantee::gaussian(0.7).unwrap().delta(1.0).unwrap();
                assert!(spent <= allowed && spent > allowed * (1.0 - 1e-6), "{name}: {spent} {allowed}");
            }
        }
    }
}

/// A step of another clip would have another sensitivity: replacing a record by any other moves the mean of the clipped
/// logarithms by no more than `2c/n`, which is what the noise was calibrated to. Measured as the difference of two
/// one-step flows with the same noise.
#[test]
fn one_step_moves_by_no_more_than_its_sensitivity() {
    for (name, radius) in SPACES {
        let m = manifold(name);
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let flow =
            KarcherFlow::with_steps(&private_mean(&m, radius), 10, Guarantee::gaussian(1e12).unwrap(), 1).unwrap();
        let records = cloud(&m, 10, 0.5 * radius, 1);
        let far = cloud(&m, 40, (5.0 * radius).min(6.0), 2);
        let tangent = |records: &Points| {
            let release = flow.run(records, &mut ReleaseContext::seeded(3)).unwrap();
            let (mut v, mut c) = (vec![0.0; m.point_len()], vec![0.0; m.dim()]);
            m.log(ball.center(), release.value(), &mut v).unwrap();
            m.to_frame(ball.center(), &v, &mut c);
            c
        };
        let before = tangent(&records);
        let mut largest = 0.0_f64;
        for outlier in far.view().iter() {
            let mut values = records.view().values().to_vec();
            values[..m.point_len()].copy_from_slice(outlier);
            let after = tangent(&Points::new(&*m, values).unwrap());
            let moved = before.iter().zip(&after).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            largest = largest.max(moved / flow.step_size());
        }
        let sensitivity = 2.0 * radius / 10.0;
        assert!(largest <= sensitivity * (1.0 + 1e-9), "{name}: {largest} above {sensitivity}");
        assert!(largest > 0.3 * sensitivity, "{name}: outliers that move nothing test nothing, {largest}");
    }
}

/// With a huge budget only the bias is left: within its bound, and decreasing with the number of steps.
#[test]
fn flow_without_noise_ends_at_the_mean() {
    for (name, radius) in SPACES {
        let m = manifold(name);
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let records = cloud(&m, 200, 0.4 * radius, 4);
        let mean = clipped_mean(&*m, &ball, &records);
        let budget = Guarantee::gaussian(1e10).unwrap();
        let away = |steps: usize| {
            let flow = KarcherFlow::with_steps(&private_mean(&m, radius), 200, budget, steps).unwrap();
            let release = flow.run(&records, &mut ReleaseContext::seeded(5)).unwrap();
            m.check_point(release.value()).unwrap();
            let distance = m.dist(release.value(), &mean);
            assert!(distance <= flow.bias_bound() + 1e-6, "{name}, {steps} steps: {distance} {}", flow.bias_bound());
            distance
        };
        assert!(away(10) < 1e-3 * radius, "{name}: {}", away(10));
    }
}

/// The bound of the bias is no larger than it must be: records that all are in one place at the edge of the ball attain
/// it.
#[test]
fn bias_bound_is_attained() {
    for (name, radius) in SPACES {
        let m = manifold(name);
        if m.curvature().lower == m.curvature().upper && m.curvature().upper == 0.0 {
            continue; // no bias
        }
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let mut first_axis = vec![0.0; m.dim()];
        first_axis[0] = 1.0;
        let place = at(&*m, ball.center(), &first_axis, radius);
        let records = Points::new(&*m, place.repeat(5)).unwrap();
        for steps in [1, 2] {
            let budget = Guarantee::gaussian(1e10).unwrap();
            let flow = KarcherFlow::with_steps(&private_mean(&m, radius), 5, budget, steps).unwrap();
            let release = flow.run(&records, &mut ReleaseContext::seeded(9)).unwrap();
            let ratio = m.dist(release.value(), &place) / flow.bias_bound();
            assert!(ratio < 1.001 && ratio > 0.97, "{name}, {steps} steps: {ratio}");
        }
    }
}

/// `‖Log_p x − Log_p y‖`.
fn apart(m: &dyn Manifold, p: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let (mut u, mut v) = (vec![0.0; p.len()], vec![0.0; p.len()]);
    m.log(p, x, &mut u).unwrap();
    m.log(p, y, &mut v).unwrap();
    u.iter_mut().zip(&v).for_each(|(u, v)| *u -= v);
    m.norm(p, &u)
}

/// The expected distance is that of the noise that arrives if earlier noise is shrunk as little as the curvature bounds
/// allow: what is observed, averaged over runs, is not above it, and not far below.
#[test]
fn observed_noise_is_what_was_announced() {
    const RUNS: usize = 400;
    for (name, radius) in SPACES {
        let m = manifold(name);
        let ball = Ball::at_origin(&*m, radius).unwrap();
        let records = cloud(&m, 300, 0.3 * radius, 6);
        let budget = Guarantee::approximate(1.0, 1e-6).unwrap();
        for steps in [1, 3] {
            if steps > 1 && m.flat_chart().is_some() {
                continue; // one step is enough, and more is worse
            }
            let mean = private_mean(&m, radius);
            let flow = KarcherFlow::with_steps(&mean, 300, budget, steps).unwrap();
            let silent = KarcherFlow::with_steps(&mean, 300, Guarantee::gaussian(1e10).unwrap(), steps).unwrap();
            let limit = silent.run(&records, &mut ReleaseContext::seeded(7)).unwrap();
            let mut context = ReleaseContext::seeded(8);
            let (mut on_manifold, mut in_tangent) = (0.0, 0.0);
            for _ in 0..RUNS {
                let release = flow.run(&records, &mut context).unwrap();
                on_manifold += m.dist(release.value(), limit.value()) / RUNS as f64;
                in_tangent += apart(&*m, ball.center(), release.value(), limit.value()) / RUNS as f64;
            }
            // relative standard errors below 4 %; the noise may stretch with curvature, and shrinks more than at the
            // worst
            let ratio = on_manifold / flow.expected_distance();
            assert!(ratio < 1.25 && ratio > 0.5, "{name}, {steps} steps: {ratio}");
            // relative to the center, one step is η times the noise and nothing else
            let ratio = in_tangent / flow.expected_distance();
            assert!(steps > 1 || (ratio - 1.0).abs() < 0.16, "{name}: {ratio}");
        }
    }
}

/// On a flat space one step is the Gaussian mechanism.
#[test]
fn flat_flow_is_the_gaussian_mechanism() {
    let m = manifold("spd-log-euclidean:4");
    let flow = KarcherFlow::new(&private_mean(&m, 2.0), 50, Guarantee::gaussian(0.5).unwrap()).unwrap();
    assert_eq!(flow.steps().len(), 1);
    assert_eq!(flow.bias_bound(), 0.0);
    assert!((flow.steps()[0].scale / (2.0 * 2.0 / 50.0 / 0.5) - 1.0).abs() < 1e-8);
    assert_eq!(flow.step_size(), 1.0);
}

#[test]
fn flow_is_total_on_the_whole_sphere() {
    let m = manifold("sphere:2");
    let poles = [1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let records = Points::new(&*m, poles.to_vec()).unwrap();
    let flow =
        KarcherFlow::new(&private_mean(&m, std::f64::consts::PI), 3, Guarantee::gaussian(0.01).unwrap()).unwrap();
    let mut context = ReleaseContext::from_os().unwrap();
    for _ in 0..100 {
        m.check_point(flow.run(&records, &mut context).unwrap().value()).unwrap();
    }
}

#[test]
fn bad_flows_are_refused() {
    let m = manifold("sphere:2");
    let mean = private_mean(&m, 0.5);
    let mu = Guarantee::gaussian(1.0).unwrap();
    let pure = Guarantee::pure(1.0).unwrap();
    assert!(KarcherFlow::new(&mean, 10, pure).unwrap_err().to_string().contains("delta"));
    assert!(KarcherFlow::new(&mean, 0, mu).is_err());
    assert!(KarcherFlow::with_steps(&mean, 10, mu, 0).is_err());
    let whole = private_mean(&m, 3.2);
    assert!(KarcherFlow::new(&whole, 10, mu).unwrap_err().to_string().contains("whole space"));
    let flow = KarcherFlow::new(&mean, 10, mu).unwrap();
    assert!(flow.run(&cloud(&m, 11, 0.2, 1), &mut ReleaseContext::seeded(1)).is_err());
}

#[test]
fn numbers_of_steps_that_nobody_can_take_are_refused() {
    let m = manifold("sphere:2");
    let with_steps =
        |steps: usize| KarcherFlow::with_steps(&private_mean(&m, 0.5), 100, Guarantee::gaussian(1.0).unwrap(), steps);
    assert_eq!(with_steps(10_000).unwrap().steps().len(), 10_000);
    for steps in [0, 10_001, 1 << 31, usize::MAX / 8, usize::MAX] {
        let refused = with_steps(steps).unwrap_err().to_string();
        assert!(refused.contains("from 1 to 10000 steps"), "{refused}");
    }
}
