use super::*;
use crate::ball::Ball;
use crate::manifold::Manifold;
use crate::mechanism::PrivateFrechetMean;
use crate::noise::Generator;
use crate::points::Points;
use crate::points::PointsView;
use crate::vector::norm;
use crate::{Error, Space};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

/// Spaces, and radii up to the largest for which a mean is promised.
const BALLS: [(&str, &[f64]); 9] = [
    ("sphere:1", &[1e-8, 1.5]),
    ("sphere:2", &[1e-8, 1e-3, 1.0, 1.5, 1.54, 1.5564]),
    ("sphere:20", &[1e-6, 1.5564]),
    ("kendall:3", &[0.7, 0.778]),
    ("kendall:4", &[1e-6, 0.5, 0.752]),
    ("kendall:20", &[0.752]),
    ("hyperbolic:2", &[1e-6, 1.0, 11.7]),
    ("hyperbolic:10", &[8.0]),
    ("spd-affine-invariant:2", &[1e-6, 1.0, 16.0]),
];

fn normal(d: usize, generator: &mut Generator) -> Vec<f64> {
    (0..d).map(|_| generator.sample::<f64, _>(StandardNormal)).collect()
}

/// Records at the edge of the ball, or not far from it, in arrangements that make the mean hard to find.
fn hostile(m: &dyn Manifold, ball: &Ball, n: usize, seed: u64) -> Points {
    let mut generator = Generator::seeded(seed);
    let axes: Vec<Vec<f64>> = (0..1 + seed / 6 % 4).map(|_| normal(m.dim(), &mut generator)).collect();
    let (mut v, mut x) = (ball.center().to_vec(), ball.center().to_vec());
    let mut values = Vec::new();
    for i in 0..n {
        let (mut c, axis) = (normal(m.dim(), &mut generator), &axes[i % axes.len()]);
        let mut share = 1.0;
        match seed % 6 {
            0 => (),                                                                           // anywhere on the edge
            1 => share = generator.random::<f64>().powf(0.2),                                  // near it
            2 => c.clone_from(axis),                                                           // at a few places on it
            3 => c.iter_mut().zip(axis).for_each(|(c, a)| *c = a + 0.3 * *c), // around a few places on it
            4 if i > 0 => c = axis.iter().map(|a| if i % 2 == 0 { *a } else { -a }).collect(), // at both ends of diameters
            _ => share = generator.random(),
        }
        let length = norm(&c);
        c.iter_mut().for_each(|c| *c *= share * ball.radius() / length);
        m.from_frame(ball.center(), &c, &mut v);
        m.exp(ball.center(), &v, &mut x);
        m.repair(&mut x);
        values.extend_from_slice(&x);
    }
    Points::new(m, values).unwrap()
}

fn gradient(centered: &Centered, x: &[f64], records: PointsView<'_>) -> f64 {
    crate::nonprivate::mean_log(centered.space(), x, records, centered.longest_log()).map_or(f64::NAN, |c| norm(&c))
}

/// Number of data sets for each ball, 24 unless `HOSTILE_SETS` is set.
fn sets() -> u64 {
    std::env::var("HOSTILE_SETS").ok().and_then(|sets| sets.parse().ok()).unwrap_or(24)
}

/// The proof of the sensitivity needs this of the computed mean: it is in the ball, and the gradient there is not above
/// the stop.
#[test]
fn every_data_set_has_a_mean_as_exact_as_the_sensitivity_says() {
    for (name, radii) in BALLS {
        let m = name.parse::<Space>().unwrap().manifold().unwrap();
        for &radius in radii {
            let private = PrivateFrechetMean::new(Arc::clone(&m), Ball::at_origin(&*m, radius).unwrap()).unwrap();
            for seed in 0..sets() {
                let n = [27, 2, 1, 5][seed as usize / 6 % 4];
                let records = hostile(&*m, private.ball(), n, seed);
                let summary = private.summarize(&records).unwrap();
                let (centered, records) = (private.centered(), summary.seen.in_memory().unwrap().points);
                let certain = Certain::new(centered, 1e-12 * radius);
                let size = gradient(centered, &summary.value, records);
                assert!(size <= certain.stop, "{name}, radius {radius}, seed {seed}: {size:e} of {:e}", certain.stop);
                let away = m.dist(centered.center(), &summary.value);
                let slack = 1.0 + 2.0_f64.powi(-40) + (centered.step_rounding() + centered.rounding()) / radius;
                assert!(away <= radius * slack, "{name}, radius {radius}, seed {seed}: {away}");
            }
        }
    }
}

/// The certified iteration works without the fast one, and finds the same mean in far fewer steps than it may take.
#[test]
fn the_certain_iteration_alone_finds_the_mean() {
    for (name, radii) in BALLS {
        let m = name.parse::<Space>().unwrap().manifold().unwrap();
        let radius =
            radii[radii.len() - 1] * if name.starts_with("kendall") || name.starts_with("sphere") { 0.97 } else { 1.0 };
        let private = PrivateFrechetMean::new(Arc::clone(&m), Ball::at_origin(&*m, radius).unwrap()).unwrap();
        for seed in 0..12 {
            let n = 9;
            let records = hostile(&*m, private.ball(), n, seed);
            let summary = private.summarize(&records).unwrap();
            let (centered, records) = (private.centered(), &summary.seen);
            let certain = Certain::new(centered, 1e-12 * radius);
            let (slow, size) = certain.slowly(centered, records);
            assert!(size <= certain.stop, "{name}, seed {seed}: {size:e} of {:e}", certain.stop);
            let apart = m.dist(&slow, &summary.value);
            let allowed = 2.0 * private.inexactness(n).unwrap() + centered.step_rounding();
            assert!(apart <= allowed, "{name}, seed {seed}: {apart:e} of {allowed:e}");
        }
    }
}

#[test]
fn the_number_of_steps_is_practical_wherever_a_mean_is_promised() {
    for name in
        ["sphere:2", "sphere:100", "kendall:3", "kendall:4", "kendall:200", "hyperbolic:2", "spd-affine-invariant:9"]
    {
        let m = name.parse::<Space>().unwrap().manifold().unwrap();
        let limit = Centered::new(&m, &Ball::at_origin(&*m, 0.1).unwrap()).unwrap().computable_radius(&*m).unwrap();
        let ball = |radius| Ball::at_origin(&*m, radius).unwrap();
        let private = PrivateFrechetMean::new(Arc::clone(&m), ball(limit)).unwrap();
        private.sensitivity(1_000).unwrap();
        let certain = Certain::new(private.centered(), 1e-12 * limit);
        assert!(certain.steps <= 200_000, "{name}: {}", certain.steps);
        let beyond = PrivateFrechetMean::new(Arc::clone(&m), ball(limit * 1.0001)).unwrap();
        assert!(matches!(beyond.sensitivity(1_000), Err(Error::RadiusTooLarge { .. })), "{name}");
    }
}

/// Unclipped records outside the ball break the promise that they are inside, but there is a result.
#[test]
fn there_is_a_result_even_when_records_are_not_where_they_were_said_to_be() {
    let m = "sphere:2".parse::<Space>().unwrap().manifold().unwrap();
    let private =
        PrivateFrechetMean::new(Arc::clone(&m), Ball::at_origin(&*m, 0.5).unwrap()).unwrap().assume_in_ball(true);
    for record in [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
        let records = Points::new(&*m, [record, [1.0, 0.0, 0.0]].concat()).unwrap();
        assert!(private.summarize(&records).is_ok());
    }
}
