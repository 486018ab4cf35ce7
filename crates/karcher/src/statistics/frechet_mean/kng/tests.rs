//! The public bound of the acceptance against data sets with a low acceptance.

use super::*;
use crate::Ball;
use crate::Space;
use crate::manifold::Manifold;

const PROPOSALS: usize = 20_000;

/// The stated error of the mean, over the radius: it has a visible factor in the acceptance.
const INEXACT: f64 = 0.02;

/// Records by the name of the arrangement: where the mean is at the ball's edge, and where the gradient grows slowly or
/// fast.
fn arrangement(manifold: &dyn Manifold, radius: f64, name: &str) -> Points {
    let mut center = vec![0.0; manifold.point_len()];
    manifold.origin(&mut center);
    let mut values = Vec::new();
    for i in 0..8 {
        let mut c = vec![0.0; manifold.dim()];
        match name {
            "all at one point of the edge" => c[0] = radius,
            "two clusters" => c[0] = if i % 2 == 0 { radius } else { -radius },
            _ => c[i % manifold.dim()] = if i < 4 { radius } else { 0.1 * radius },
        }
        let (mut v, mut x) = (center.clone(), center.clone());
        manifold.from_frame(&center, &c, &mut v);
        manifold.exp(&center, &v, &mut x);
        values.extend(x);
    }
    Points::new(manifold, values).unwrap()
}

#[test]
fn acceptance_is_never_below_its_public_bound() {
    let spaces = [
        ("sphere:1", 1.0),
        ("sphere:2", 0.5),
        ("sphere:2", 1.2),
        ("sphere:6", 0.4),
        ("hyperbolic:2", 2.0),
        ("hyperbolic:4", 0.7),
    ];
    let others =
        [("kendall:4", 0.3), ("kendall:6", 0.2), ("spd-affine-invariant:2", 1.5), ("spd-affine-invariant:3", 0.7)];
    let mut generator = Generator::seeded(8);
    for (name, radius) in spaces.into_iter().chain(others) {
        let manifold = name.parse::<Space>().unwrap().manifold().unwrap();
        let ball = Ball::at_origin(&*manifold, radius).unwrap();
        for scale in [0.03 * radius, 0.3 * radius] {
            let rejection = Rejection::new(Arc::clone(&manifold), radius, scale, INEXACT * radius).unwrap();
            let bound = rejection.least_acceptance();
            let mut least: f64 = 1.0;
            for data in ["all at one point of the edge", "two clusters", "spread"] {
                let points = arrangement(&*manifold, radius, data);
                let private = PrivateFrechetMean::new(Arc::clone(&manifold), ball.clone()).unwrap();
                let summary = private.summarize(&points).unwrap();
                let records = summary.seen.in_memory().unwrap().points;
                let gradient = |x: &[f64]| gradient_norm(&private, records, x);
                let shares: Vec<f64> = (0..PROPOSALS)
                    .map(|_| {
                        let center = private.centered().center();
                        rejection.propose(center, &summary.value, gradient, &mut generator).unwrap().1
                    })
                    .collect();
                // the envelope: a probability, to rounding
                assert!(shares.iter().all(|p| *p <= 1.0 + 1e-9), "{name}, {data}");
                let mean = shares.iter().sum::<f64>() / PROPOSALS as f64;
                let error = (shares.iter().map(|p| (p - mean).powi(2)).sum::<f64>()).sqrt() / PROPOSALS as f64;
                // five standard errors: a correct bound that is attained fails with probability 3e-7
                assert!(
                    mean + 5.0 * error >= bound,
                    "{name}, radius {radius}, scale {scale}, {data}: {mean} below {bound}"
                );
                least = least.min(mean);
            }
            assert!(
                least < 100.0 * bound,
                "{name}, radius {radius}, scale {scale}: {bound} says nothing about {least}"
            );
        }
    }
}
