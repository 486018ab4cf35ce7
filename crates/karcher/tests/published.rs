//! Published numbers: a point of a public lattice, aligned to the public center, whatever the records are.

use crate::common::{cloud, manifold};
use karcher::audit::{Audit, Effort, Published, audit_releases, neighbours};
use karcher::mechanism::{
    Denoise, KngRegression, LinearRegression, Noise, NoisyMean, Plan, PrivateFrechetMean, PrivateRegression,
    RegressionDescent, Request,
};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::records::Observations;
use karcher::release::Flag;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Manifold, Points, PredictorRange, ReleaseContext};
use std::sync::Arc;

const SPACES: [(&str, f64); 14] = [
    ("euclidean:1", 1.0),
    ("euclidean:3", 2.0),
    ("sphere:1", 1.0),
    ("sphere:2", 0.7),
    ("hyperbolic:2", 0.8),
    ("spd-log-euclidean:2", 1.0),
    ("spd-affine-invariant:3", 0.8),
    ("kendall:3", 0.3),
    ("kendall:5", 0.3),
    ("projective:2", 0.5),
    ("rotations:3", 1.0),
    ("grassmann:4,2", 0.5),
    ("torus:2", 1.0),
    ("kendall:4*sphere:2", 0.3),
];

/// A center that is not the origin.
fn ball(m: &Arc<dyn Manifold>, radius: f64) -> Ball {
    Ball::new(&**m, cloud(m, 1, 0.4, 77).view().values().to_vec(), radius).unwrap()
}

fn aligned(m: &dyn Manifold, base: &[f64], p: &[f64]) -> Vec<f64> {
    let mut out = p.to_vec();
    m.align(base, p, &mut out);
    out
}

/// The largest distance of a coordinate in the frame at the center from a multiple of the step, in steps.
fn off_lattice(m: &dyn Manifold, center: &[f64], value: &[f64], step: f64) -> f64 {
    let coordinates = match m.flat_chart() {
        Some(chart) => {
            let (mut c, mut origin) = (vec![0.0; m.dim()], vec![0.0; m.dim()]);
            chart.to_flat(value, &mut c);
            chart.to_flat(center, &mut origin);
            c.iter().zip(origin).map(|(c, o)| c - o).collect()
        }
        None => {
            let (mut x, mut v, mut c) = (value.to_vec(), value.to_vec(), vec![0.0; m.dim()]);
            let mut origin = center.to_vec();
            m.to_origin(center, value, &mut x);
            m.to_origin(center, center, &mut origin);
            m.log(&origin, &x, &mut v).unwrap();
            m.to_frame(&origin, &v, &mut c);
            c
        }
    };
    coordinates.iter().map(|c| (c / step - (c / step).round()).abs()).fold(0.0, f64::max)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// Every mechanism that applies, on every space: its published point is aligned to the center and on the stated
/// lattice.
#[test]
fn released_means_are_lattice_points_aligned_to_the_center() {
    let mut released = 0;
    for (name, radius) in SPACES {
        let m = manifold(name);
        let ball = ball(&m, radius);
        let private = PrivateFrechetMean::new(Arc::clone(&m), ball.clone()).unwrap();
        for budget in [Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(0.7).unwrap()] {
            let candidates = Request::new(private.clone(), 30, budget).candidates();
            for plan in candidates.into_iter().filter_map(|candidate| candidate.plan.ok()) {
                let mut context = ReleaseContext::seeded(4);
                for seed in 0..8 {
                    let records = cloud(&m, 30, 0.5 * radius, seed);
                    let release = plan.run(&records, &mut context).unwrap();
                    let noisy = release.noisy_value().unwrap_or(release.value());
                    for value in [release.value(), noisy] {
                        let turned = distance(&aligned(&*m, ball.center(), value), value);
                        assert!(turned < 1e-14, "{name}, {}: turned by {turned}", plan.name());
                    }
                    assert!(release.lattice() > 0.0 && release.lattice() < 1e-6 * release.scale());
                    // the quantum of exact sums is finer than double precision shows
                    if release.lattice() > 1e-10 * radius {
                        let off = off_lattice(&*m, ball.center(), noisy, release.lattice());
                        assert!(off < 1e-3, "{name}, {}: {off} of a step off the lattice", plan.name());
                        released += 1;
                    }
                }
            }
        }
    }
    assert!(released > 200, "{released}");
}

/// Footpoint and shooting vector turn together: the vector is horizontal at the footpoint that is published.
#[test]
fn released_regressions_are_aligned_to_the_center() {
    for (name, radius) in SPACES {
        let m = manifold(name);
        let ball = ball(&m, radius);
        let range = PredictorRange::new(0.0, 1.0).unwrap();
        let regression = PrivateRegression::new(Arc::clone(&m), ball.clone(), range, 0.5).unwrap();
        let budget = Guarantee::pure(20.0).unwrap();
        let xs: Vec<f64> = (0..30).map(|i| f64::from(i) / 29.0).collect();
        let mut context = ReleaseContext::seeded(4);
        for seed in 0..3 {
            let points = cloud(&m, 30, 0.5 * radius, seed);
            let records = Observations::new(&points).with_predictors(&xs).unwrap();
            let mut releases = Vec::new();
            for steps in [1, 3] {
                let descent = RegressionDescent::with_steps(&regression, 30, budget, steps).unwrap();
                releases.push(descent.run(&records, &mut context).unwrap());
            }
            if let Ok(linear) = LinearRegression::new(&regression, 30, budget) {
                releases.push(linear.run(&records, &mut context).unwrap());
            }
            if m.dim() <= 2 && seed == 0 {
                let joint = KngRegression::new(&regression, 30, budget).unwrap();
                releases.push(joint.run(&records, &mut context).unwrap());
            }
            for release in releases {
                let geodesic = release.geodesic().unwrap().geodesic();
                let turned = distance(&aligned(&*m, ball.center(), &geodesic.footpoint), &geodesic.footpoint);
                assert!(turned < 1e-14, "{name}, {}: turned by {turned}", release.mechanism());
                let off = off_lattice(&*m, ball.center(), &geodesic.footpoint, release.lattice());
                assert!(off < 1e-3, "{name}, {}: {off} of a step off the lattice", release.mechanism());
                let mut c = vec![0.0; m.dim()];
                let mut again = geodesic.velocity.clone();
                m.to_frame(&geodesic.footpoint, &geodesic.velocity, &mut c);
                m.from_frame(&geodesic.footpoint, &c, &mut again);
                assert!(distance(&again, &geodesic.velocity) < 1e-9, "{name}: not tangent at the footpoint");
            }
        }
    }
}

/// An exact draw on a line comes from a cell whose size depends on the records. "The footpoint is no multiple of 2⁻⁵²"
/// happened in 0 of 3,000 releases from the first of these data sets and in 1,500 of 3,000 from the second.
#[test]
fn draws_on_a_line_do_not_show_their_cell() {
    let m = manifold("euclidean:1");
    let range = PredictorRange::new(0.0, 1.0).unwrap();
    let ball = Ball::at_origin(&*m, 1.0).unwrap();
    let regression = PrivateRegression::new(Arc::clone(&m), ball, range, 1.0).unwrap();
    let regression = regression.residual_bound(0.5).unwrap();
    let joint = KngRegression::new(&regression, 2, Guarantee::pure(1.05).unwrap()).unwrap();
    assert!(joint.is_exact());
    let mut context = ReleaseContext::seeded(6);
    let mut steps = Vec::new();
    for (ys, xs) in [([0.0, 0.0], [1.0, 0.0]), ([1.0, 0.0], [1.0, 0.0])] {
        let points = Points::new(&*m, ys.to_vec()).unwrap();
        let records = Observations::new(&points).with_predictors(&xs).unwrap();
        for _ in 0..500 {
            let release = joint.run(&records, &mut context).unwrap();
            steps.push(release.lattice());
            let geodesic = release.geodesic().unwrap();
            for x in [geodesic.footpoint[0], geodesic.shooting_vector[0]] {
                assert_eq!((x / release.lattice()).fract(), 0.0, "{x} is no multiple of {}", release.lattice());
                assert!(x != 0.0 || x.is_sign_positive());
            }
        }
    }
    steps.dedup();
    assert_eq!(steps.len(), 1, "the lattice must not depend on the records");
}

/// Releases of a mean on `kendall:5`, as they were before representatives were aligned, or as they are, audited.
fn audited(planted: bool) -> Audit {
    let m = manifold("kendall:5");
    let (radius, n) = (0.3, 20);
    let ball = Ball::at_origin(&*m, radius).unwrap();
    let claim = Guarantee::pure(0.1).unwrap();
    let private = PrivateFrechetMean::new(Arc::clone(&m), ball.clone()).unwrap();
    let noise = Noise::laplace(Arc::clone(&m), private.sensitivity(n).unwrap().value(), claim).unwrap();
    let law = Isotropic::new(Arc::clone(&m), Law::Laplace, noise.scale()).unwrap();
    let plan = NoisyMean::new(private, n, noise).unwrap();
    // a generator of its own, since that of the release context is for mechanisms alone; so few releases are made one
    // by one
    let own = std::sync::Mutex::new(Generator::seeded(3));
    let release = |points: &Points, context: &mut ReleaseContext| {
        if !planted {
            return Ok(Published::from(&plan.run(points, context)?));
        }
        let mean = FrechetMean::new(&*m).start(ball.center()).tolerance(1e-12).fit(points.view())?;
        let mut draw = mean.clone();
        law.sample(&mean, &mut own.lock().unwrap(), &mut draw)?;
        Ok(draw.into())
    };
    let pairs = neighbours(&*m, &ball, n).unwrap();
    let effort = Effort { releases: 1_000, error_probability: 1e-6 };
    let likelihood =
        |pair: &karcher::audit::Neighbours, y: &[f64]| m.dist(&pair.means[1], y) - m.dist(&pair.means[0], y);
    let mut generator = Generator::seeded(3);
    audit_releases((&*m, &ball), claim, &pairs, release, likelihood, effort, &mut generator, &|_| ()).unwrap()
}

#[test]
fn a_representative_that_is_horizontal_at_the_confidential_mean_is_found_out() {
    let found = audited(true);
    println!("not aligned: {found:?}");
    assert!(!found.passed && found.lower_bound > 2.0 && found.score.starts_with("turn from"), "{found:?}");
}

#[test]
fn aligned_representatives_pass() {
    let found = audited(false);
    assert!(found.passed, "{found:?}");
}

/// Noise of 45 in logarithms on 4×4 matrices is more than double precision can represent in a matrix: the release is
/// flagged and holds the logarithm too.
#[test]
fn matrices_beyond_precision_are_flagged_and_come_with_their_logarithm() {
    for (name, has_logarithm) in [("spd-log-euclidean:4", true), ("spd-affine-invariant:4", false)] {
        let m = manifold(name);
        let ball = ball(&m, 1.0);
        let records = cloud(&m, 5, 0.5, 1);
        let mut context = ReleaseContext::seeded(2);
        for (epsilon, beyond) in [(0.05, true), (20.0, false)] {
            let budget = if has_logarithm { Guarantee::pure(epsilon) } else { Guarantee::gaussian(epsilon) }.unwrap();
            let private = PrivateFrechetMean::new(Arc::clone(&m), ball.clone()).unwrap().denoise(Some(Denoise::None));
            let release = Request::new(private, 5, budget).plan().unwrap().run(&records, &mut context).unwrap();
            m.check_point(release.value()).unwrap();
            assert_eq!(release.flags().contains(&Flag::BeyondPrecision), beyond, "{name} {epsilon}");
            assert_eq!(release.logarithm().is_some(), beyond && has_logarithm, "{name} {epsilon}");
            if let Some(logarithm) = release.logarithm() {
                let (mut c, mut origin, mut flat) = (vec![0.0; 10], vec![0.0; 10], vec![0.0; 16]);
                m.origin(&mut flat);
                m.to_frame(&flat, logarithm, &mut c);
                m.flat_chart().unwrap().to_flat(ball.center(), &mut origin);
                let length = distance(&c, &origin);
                assert!(length > 20.0, "{length}");
            }
        }
    }
}
