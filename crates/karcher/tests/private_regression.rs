//! Private geodesic regression on every space.

use crate::common::{manifold, norm, origin};
use karcher::manifold::Geodesic;
use karcher::mechanism::{KngRegression, LinearRegression, Plan, PrivateRegression, RegressionDescent, Request};
use karcher::nonprivate::GeodesicRegression;
use karcher::privacy::{Guarantee, flat_laplace_delta};
use karcher::records::Observations;
use karcher::release::{Adjacency, Flag, MechanismName, Release};
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Manifold, Points, PredictorRange, ReleaseContext};
use rand::RngExt;
use statrs::distribution::{ContinuousCDF, Normal};
use std::sync::Arc;

/// Spaces, radius of the ball, slope bound.
const SPACES: [(&str, f64, f64); 11] = [
    ("euclidean:1", 1.0, 2.0),
    ("euclidean:4", 1.0, 1.5),
    ("sphere:1", 0.6, 1.0),
    ("sphere:2", 0.6, 1.0),
    ("sphere:5", 0.6, 1.0),
    ("hyperbolic:1", 1.0, 1.0),
    ("hyperbolic:3", 1.0, 1.5),
    ("spd-log-euclidean:3", 1.0, 1.5),
    ("spd-affine-invariant:3", 1.0, 1.5),
    ("kendall:3", 0.3, 0.5),
    ("kendall:6", 0.3, 0.5),
];

fn direction(dim: usize, generator: &mut Generator) -> Vec<f64> {
    let gauss = Arc::new(karcher::manifold::Euclidean::new(dim).unwrap());
    let law = Isotropic::new(gauss, Law::Gaussian, 1.0).unwrap();
    let mut c = vec![0.0; dim];
    law.sample(&vec![0.0; dim], generator, &mut c).unwrap();
    let size = norm(&c);
    c.iter_mut().for_each(|c| *c /= size);
    c
}

/// `Exp_p` of a vector of the given length in a random direction.
fn point_at(m: &dyn Manifold, p: &[f64], length: f64, generator: &mut Generator) -> Vec<f64> {
    let c: Vec<f64> = direction(m.dim(), generator).iter().map(|c| c * length).collect();
    let (mut v, mut q) = (p.to_vec(), p.to_vec());
    m.from_frame(p, &c, &mut v);
    m.exp(p, &v, &mut q);
    q
}

/// A center that is not the origin.
fn center(m: &dyn Manifold) -> Vec<f64> {
    point_at(m, &origin(m), 0.4, &mut Generator::seeded(99))
}

/// Records around a geodesic near the center, predictors from 10 to 20.
fn sample(space: &Arc<dyn Manifold>, n: usize, radius: f64, slope: f64, noise: f64, seed: u64) -> (Points, Vec<f64>) {
    let m = &**space;
    let mut generator = Generator::seeded(seed);
    let footpoint = point_at(m, &center(m), 0.3 * radius, &mut generator);
    let c: Vec<f64> = direction(m.dim(), &mut generator).iter().map(|c| 0.6 * slope * c).collect();
    let mut velocity = footpoint.clone();
    m.from_frame(&footpoint, &c, &mut velocity);
    let geodesic = Geodesic { footpoint, velocity };
    let xs: Vec<f64> = (0..n).map(|i| 10.0 + 10.0 * i as f64 / (n - 1) as f64).collect();
    let law = Isotropic::new(Arc::clone(space), Law::Gaussian, noise / (m.dim() as f64).sqrt()).unwrap();
    let mut values = Vec::new();
    let mut y = vec![0.0; m.point_len()];
    for x in &xs {
        law.sample(&geodesic.at(m, (x - 15.0) / 10.0), &mut generator, &mut y).unwrap();
        values.extend_from_slice(&y);
    }
    (Points::new(m, values).unwrap(), xs)
}

fn regression(m: &Arc<dyn Manifold>, radius: f64, slope: f64) -> PrivateRegression {
    let range = PredictorRange::new(10.0, 20.0).unwrap();
    let ball = Ball::new(&**m, center(&**m), radius).unwrap();
    PrivateRegression::new(Arc::clone(m), ball, range, slope).unwrap()
}

fn released(plan: &dyn Plan, points: &Points, xs: &[f64], context: &mut ReleaseContext) -> karcher::Result<Release> {
    plan.run(&Observations::new(points).with_predictors(xs)?, context)
}

/// The private geodesic of a release.
fn geodesic_of(release: &Release) -> Geodesic {
    release.geodesic().unwrap().geodesic()
}

/// `(A†e, w·x·B†e)` in frame coordinates for the record `y`, the residual clipped to `τ`.
fn contribution(m: &dyn Manifold, at: &Geodesic, x: f64, y: &[f64], clip: f64, weight: f64) -> Vec<f64> {
    let v: Vec<f64> = at.velocity.iter().map(|v| x * v).collect();
    let zero = vec![0.0; m.point_len()];
    let (mut prediction, mut e, mut a, mut b) = (zero.clone(), zero.clone(), zero.clone(), zero);
    m.exp(&at.footpoint, &v, &mut prediction);
    if m.log(&prediction, y, &mut e).is_err() {
        return vec![0.0; 2 * m.dim()];
    }
    let factor = (clip / m.norm(&prediction, &e)).min(1.0);
    e.iter_mut().for_each(|e| *e *= factor);
    m.jacobi(&at.footpoint, &v, &e, &mut a, &mut b);
    let mut c = vec![0.0; 2 * m.dim()];
    m.to_frame(&at.footpoint, &a, &mut c[..m.dim()]);
    m.to_frame(&at.footpoint, &b, &mut c[m.dim()..]);
    c[m.dim()..].iter_mut().for_each(|c| *c *= weight * x);
    c
}

/// The largest change of `n` times a score when one record is replaced, over random parameters, predictors from `xs`
/// and records. Some residuals are along the geodesic at its ends.
fn largest_change(
    m: &dyn Manifold,
    at_radius: f64,
    slope: f64,
    xs: (f64, f64),
    clip: f64,
    part: impl Fn(&[f64]) -> Vec<f64>,
    weight: f64,
) -> f64 {
    let mut generator = Generator::seeded(7);
    let mut largest: f64 = 0.0;
    for i in 0..600 {
        let footpoint = point_at(m, &center(m), at_radius * generator.random::<f64>(), &mut generator);
        let length = if i % 2 == 0 { slope } else { slope * generator.random::<f64>() };
        let c: Vec<f64> = direction(m.dim(), &mut generator).iter().map(|c| length * c).collect();
        let mut velocity = footpoint.clone();
        m.from_frame(&footpoint, &c, &mut velocity);
        let at = Geodesic { footpoint, velocity };
        let mut record = |kind: usize, sign: f64| {
            let x = if kind < 2 { xs.1 } else { xs.0 + (xs.1 - xs.0) * generator.random::<f64>() };
            let y = if kind == 0 {
                // along the geodesic, beyond or before the prediction
                at.at(m, x + sign * clip / length.max(0.5 * slope))
            } else {
                point_at(m, &at.at(m, x), clip * 1.01 * generator.random::<f64>(), &mut generator)
            };
            contribution(m, &at, x, &y, clip, weight)
        };
        let (first, second) = (record(i % 3, 1.0), record(i % 3, -1.0));
        let change: Vec<f64> = first.iter().zip(&second).map(|(a, b)| a - b).collect();
        largest = largest.max(norm(&part(&change)));
    }
    largest
}

/// User guide, R1′. Without negative curvature the bound is attained by residuals along the geodesic.
#[test]
fn score_moves_by_no_more_than_its_sensitivity() {
    for (name, radius, slope) in SPACES {
        let m = manifold(name);
        let clip = 0.4 * radius;
        let regression = regression(&m, radius, slope).residual_bound(clip).unwrap();
        let joint = KngRegression::new(&regression, 10, Guarantee::pure(1.0).unwrap()).unwrap();
        let claimed = 10.0 * joint.summary().sensitivity.value;
        let weight = regression.weight();
        let largest = largest_change(&*m, radius, slope, (-0.5, 0.5), clip, <[f64]>::to_vec, weight);
        assert!(largest <= claimed, "{name}: {largest} {claimed}");
        if m.curvature().lower >= 0.0 {
            assert!(largest > claimed * (1.0 - 1e-6), "{name}: {largest} {claimed}");
        }
    }
}

/// The bound published by Kulkarni and Soto 2025 for the footpoint at x = 0: `(2τ/n)·cos 1` on the unit sphere. The
/// part of a residual along the geodesic is not shortened by curvature, nor is the part across it at x = 0.
#[test]
#[should_panic(expected = "the footpoint's score moves by")]
fn published_sensitivity_is_exceeded() {
    let m = manifold("sphere:2");
    let (clip, d) = (0.1, 2);
    let largest = largest_change(&*m, 0.3, 1.0, (0.0, 1.0), clip, |change| change[..d].to_vec(), 1.0);
    let published = 2.0 * clip * 1.0_f64.cos();
    assert!(largest <= published, "the footpoint's score moves by {largest}, published {published}");
}

/// The same with the norms of the adjoints at their true value 1, for the footpoint at x = 0.
#[test]
fn sensitivity_at_the_end_of_the_range_is_that_of_the_normal_part_and_the_tangential_one() {
    let m = manifold("sphere:2");
    let clip = 0.1;
    let largest = largest_change(&*m, 0.3, 1.0, (0.0, 1.0), clip, <[f64]>::to_vec, 1.0);
    let bound = 2.0 * 2.0_f64.sqrt() * clip;
    assert!(largest <= bound * (1.0 + 1e-12) && largest > bound * (1.0 - 1e-6), "{largest} {bound}");
}

fn all_mechanisms(regression: &PrivateRegression, n: usize, budget: Guarantee) -> Vec<Box<dyn Plan>> {
    Request::new(regression.clone(), n, budget).candidates().into_iter().filter_map(|c| c.plan.ok()).collect()
}

/// Constant predictors, equal records, records far away, hardly any or nearly all budget: there is always a release,
/// within the public bounds.
#[test]
fn there_is_a_release_whatever_the_records_are() {
    for (name, radius, slope) in SPACES {
        let m = manifold(name);
        let far = m.injectivity_radius().min(15.0);
        let (mut generator, mut context) = (Generator::seeded(3), ReleaseContext::seeded(4));
        let mut everywhere = center(&*m);
        for i in 0..4 {
            let mut p = point_at(&*m, &center(&*m), far * (1.0 - 0.2 * i as f64), &mut generator);
            m.repair(&mut p);
            everywhere.extend(p);
        }
        let data = [
            (center(&*m).repeat(5), vec![15.0; 5]),
            (center(&*m).repeat(5), vec![10.0, 20.0, 15.0, 1e300, -1e300]),
            (everywhere.clone(), vec![10.0; 5]),
            (everywhere, vec![10.0, 10.0, 20.0, 20.0, 20.0]),
        ];
        for (values, xs) in data {
            let records = Points::new(&*m, values).unwrap();
            for budget in [1e-6, 1.0, 1e9] {
                let regression = regression(&m, radius, slope);
                for budget in [Guarantee::pure(budget).unwrap(), Guarantee::gaussian(budget.min(8.0)).unwrap()] {
                    for plan in all_mechanisms(&regression, 5, budget) {
                        let mechanism = plan.name();
                        if mechanism == MechanismName::Kng && (m.dim() > 2 || budget != Guarantee::pure(1.0).unwrap()) {
                            continue; // thousands of steps; what they are made of is tested in the sampler
                        }
                        let release = released(&*plan, &records, &xs, &mut context).unwrap();
                        let Geodesic { footpoint, velocity } = geodesic_of(&release);
                        m.check_point(&footpoint).unwrap();
                        // the lattice may lie a little outside
                        let rounded = 1e-9 + release.lattice() * (m.dim() as f64).sqrt();
                        assert!(rounded < 1e-4 * radius, "{name} {mechanism}: {rounded}");
                        assert!(m.dist(&center(&*m), &footpoint) <= radius + rounded, "{name} {mechanism}");
                        let length = m.norm(&footpoint, &velocity);
                        assert!(length <= slope + rounded, "{name} {mechanism}: {length}");
                        m.check_point(&release.geodesic().unwrap().predict(&*m, 12.0)).unwrap();
                    }
                }
            }
        }
    }
}

/// Root mean square distance between a private geodesic and the least-squares one over the range, over so many
/// releases.
fn observed(m: &dyn Manifold, plan: &dyn Plan, radius: f64, records: &Points, xs: &[f64], runs: usize) -> f64 {
    let clipped = Ball::new(m, center(m), radius).unwrap().clip_all(m, records).unwrap();
    let best =
        GeodesicRegression::new(m).fit(clipped.view(), &xs.iter().map(|x| (x - 15.0) / 10.0).collect::<Vec<_>>());
    let best = best.unwrap();
    let mut context = ReleaseContext::seeded(5);
    let mut sum = 0.0;
    for _ in 0..runs {
        let release = released(plan, records, xs, &mut context).unwrap();
        let private = release.geodesic().unwrap();
        for i in 0..21 {
            let x = i as f64 / 20.0 - 0.5;
            // the mean over the range, by Simpson's rule
            let weight = if i == 0 || i == 20 {
                1.0
            } else if i % 2 == 1 {
                4.0
            } else {
                2.0
            } / 60.0;
            sum += weight * m.dist(&private.predict(m, 15.0 + 10.0 * x), &best.at(m, x)).powi(2);
        }
    }
    (sum / runs as f64).sqrt()
}

/// The expected and the observed error, with many records: for exact mechanisms.
#[test]
fn observed_distance_is_about_the_expected_one() {
    for (name, radius, slope) in SPACES {
        let m = manifold(name);
        let n = 1000;
        let noise = 0.1 * radius;
        let (records, xs) = sample(&m, n, radius, slope, noise, 1);
        let regression = regression(&m, radius, slope).residual_bound(3.0 * noise).unwrap();
        for budget in [Guarantee::pure(2.0).unwrap(), Guarantee::gaussian(0.5).unwrap()] {
            for plan in all_mechanisms(&regression, n, budget) {
                let mechanism = plan.name();
                if mechanism == MechanismName::Kng {
                    continue;
                }
                let (expected, seen) = (plan.expected_distance(), observed(&*m, &*plan, radius, &records, &xs, 25));
                assert!(seen < 1.3 * expected && seen > 0.2 * expected, "{name} {mechanism}: {seen} {expected}");
            }
        }
    }
}

/// With next to no noise: what is left is the bias.
#[test]
fn without_noise_the_result_is_least_squares() {
    for (name, radius, slope) in SPACES {
        let m = manifold(name);
        let (records, xs) = sample(&m, 400, radius, slope, 0.1 * radius, 2);
        let regression = regression(&m, radius, slope);
        let budget = Guarantee::pure(1e9).unwrap();
        let descent = RegressionDescent::with_steps(&regression, 400, budget, 6).unwrap();
        let seen = observed(&*m, &descent, radius, &records, &xs, 1);
        assert!(seen < 2e-3 * radius, "{name}: {seen}");
        if m.flat_chart().is_some() {
            let linear = LinearRegression::new(&regression, 400, budget).unwrap();
            assert!(observed(&*m, &linear, radius, &records, &xs, 1) < 1e-6, "{name}");
        }
    }
}

/// Parts of the budget add up to it and hardly less.
#[test]
fn steps_compose_to_the_budget() {
    for (name, radius, slope) in SPACES {
        let m = manifold(name);
        let regression = regression(&m, radius, slope);
        let t = (-m.curvature().lower).max(0.0).sqrt() * 0.5 * slope;
        let leverage = t.cosh().hypot(0.5 * regression.weight() * if t > 0.0 { t.sinh() / t } else { 1.0 });
        for steps in 1..=6 {
            let sensitivity =
                |i: usize, clip: f64| if i == 0 { 8.0_f64.sqrt() * clip } else { 2.0 * clip * leverage } / 500.0;
            let parts = |budget| -> Vec<f64> {
                let descent = RegressionDescent::with_steps(&regression, 500, budget, steps).unwrap();
                descent
                    .summary()
                    .steps
                    .iter()
                    .flatten()
                    .enumerate()
                    .map(|(i, s)| sensitivity(i, s.clip) / s.scale)
                    .collect()
            };
            let epsilon: f64 = parts(Guarantee::pure(0.8).unwrap()).iter().sum();
            assert!(epsilon <= 0.8 && epsilon > 0.8 * (1.0 - 1e-6), "{name}: {epsilon}");
            // Gaussian parts, or Laplace ones; what they keep is worked out anew here
            let spent = |budget| {
                let parts = parts(budget);
                (norm(&parts), parts.iter().sum::<f64>())
            };
            let just = |spent: f64, whole: f64| spent <= whole * (1.0 + 1e-12) && spent > whole * (1.0 - 1e-6);
            let (mu, epsilon) = spent(Guarantee::concentrated(0.02).unwrap());
            assert!(just(mu, 0.2) || just(epsilon, 0.2), "{name}: {mu} {epsilon}");
            let (mu, epsilon) = spent(Guarantee::gaussian(0.5).unwrap());
            assert!(just(mu, 0.5) || just(epsilon, pure_for(0.5)), "{name}: {mu} {epsilon}");
            let (mu, epsilon) = spent(Guarantee::approximate(0.8, 1e-5).unwrap());
            // one step of Laplace noise uses δ by itself
            let of_one = flat_laplace_delta(2 * m.dim() + 2, epsilon, 1.0, 0.8).unwrap();
            let uses_delta = steps == 1 && of_one <= 1e-5 && of_one > 1e-5 * (1.0 - 1e-4);
            let kept = just(delta(mu, 0.8), 1e-5 * (1.0 + 1e-9)) || just(epsilon, 0.8) || uses_delta;
            assert!(kept, "{name}: {mu} {epsilon} {of_one}");
        }
    }
}

fn phi(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

/// The largest pure ε that implies μ-GDP (user guide, P2).
fn pure_for(mu: f64) -> f64 {
    (phi(0.5 * mu) / phi(-0.5 * mu)).ln()
}

/// δ of μ-GDP at ε (user guide, P1).
fn delta(mu: f64, epsilon: f64) -> f64 {
    phi(0.5 * mu - epsilon / mu) - epsilon.exp() * phi(-0.5 * mu - epsilon / mu)
}

/// `σ = 2Δ/ε` of the joint release for every kind of budget, from the formulas.
#[test]
fn joint_release_has_the_scale_of_its_budget() {
    for (name, radius, slope) in SPACES {
        let m = manifold(name);
        let clip = 0.3 * radius;
        let regression = regression(&m, radius, slope).residual_bound(clip).unwrap();
        let t = (-m.curvature().lower).max(0.0).sqrt() * 0.5 * slope;
        let leverage = t.cosh().hypot(0.5 * regression.weight() * if t > 0.0 { t.sinh() / t } else { 1.0 });
        let h = -0.8 / (-0.8_f64).exp_m1();
        for (budget, epsilon) in [
            (Guarantee::pure(0.7).unwrap(), 0.7),
            (Guarantee::approximate(0.7, 1e-6).unwrap(), 0.7),
            (Guarantee::gaussian(0.5).unwrap(), 2.0 * pure_for(0.5)), // by the range, as that of ρ
            (Guarantee::concentrated(h - 1.0 - h.ln()).unwrap(), 0.8),
        ] {
            let joint = KngRegression::new(&regression, 50, budget).unwrap();
            let expected = 2.0 * (2.0 * clip * leverage / 50.0) / epsilon;
            let ratio = joint.scale() / expected;
            assert!((1.0 - 1e-12..1.0 + 1e-6).contains(&ratio), "{name}, {budget}: {ratio}");
        }
    }
}

/// Equal records, no slope to speak of: the footpoint is the noise on one part of the release, in `R^{2d+2}` at first
/// and in `R^{2d}` in later steps. Its root mean square over 1,000 releases has a standard error of at most 4 %; 15 %
/// would be noticed.
#[test]
fn noise_is_as_large_as_the_scale_says() {
    let budgets = [Guarantee::pure(1.0).unwrap(), Guarantee::gaussian(1.0).unwrap()];
    for (name, d) in [("euclidean:1", 1.0_f64), ("euclidean:3", 3.0), ("sphere:2", 2.0)] {
        let m = manifold(name);
        let n = 2000;
        // residuals are clipped to less than there could be, so that the scale is the one that is published
        let regression = regression(&m, 0.5, 1e-4).residual_bound(0.3).unwrap();
        let records = Points::new(&*m, center(&*m).repeat(n)).unwrap();
        let xs: Vec<f64> = (0..n).map(|i| 10.0 + 10.0 * i as f64 / (n - 1) as f64).collect();
        let mut context = ReleaseContext::seeded(17);
        let mut observe = |plan: &dyn Plan| {
            let mut squares = 0.0;
            for _ in 0..1_000 {
                let release = released(plan, &records, &xs, &mut context).unwrap();
                squares += m.dist(&center(&*m), release.value()).powi(2);
            }
            (squares / 1_000.0 / d).sqrt()
        };
        for budget in budgets {
            let pure = budget == budgets[0];
            // of a Laplace vector in R^k each coordinate has the standard deviation σ√(k + 1)
            let first = |parameter: f64| 8.0_f64.sqrt() * 0.5 / n as f64 / parameter;
            let laplace = |scale: f64, k: f64| scale * (k + 1.0).sqrt();
            let one = RegressionDescent::with_steps(&regression, n, budget, 1).unwrap();
            let by_laplace = laplace(first(if pure { 1.0 } else { pure_for(1.0) }), 2.0 * d + 2.0);
            let expected = if pure { by_laplace } else { by_laplace.min(first(1.0)) };
            let seen = observe(&one);
            assert!((seen / expected - 1.0).abs() < 0.15, "{name}, {budget}: {seen} {expected}");
            if m.flat_chart().is_some() {
                let linear = LinearRegression::new(&regression, n, budget).unwrap();
                let seen = observe(&linear);
                assert!((seen / expected - 1.0).abs() < 0.15, "{name}, {budget}, linear: {seen} {expected}");
                // a flat correction goes all the way, so what is left is its own noise
                let two = RegressionDescent::with_steps(&regression, n, budget, 2).unwrap();
                let scale = two.scale();
                let seen = observe(&two);
                let near = |expected: f64| (seen / expected - 1.0).abs() < 0.15;
                assert!(near(laplace(scale, 2.0 * d)) || !pure && near(scale), "{name}, {budget}: {seen} {scale}");
            }
        }
    }
}

/// Records at the center and no residual bound: the public bounds allow residuals of `2r + V/2`, the first private line
/// only of little more than `r`. So the second step has about half the noise of the published scale. A root mean square
/// over 1,000 releases has a standard error of at most 4 %.
#[test]
fn a_step_has_the_noise_of_the_longest_residual_there_can_be() {
    let m = manifold("euclidean:3");
    let n = 2000;
    let records = Points::new(&*m, center(&*m).repeat(n)).unwrap();
    let xs: Vec<f64> = (0..n).map(|i| 10.0 + 10.0 * i as f64 / (n - 1) as f64).collect();
    let descent =
        RegressionDescent::with_steps(&regression(&m, 0.5, 1e-4), n, Guarantee::gaussian(1.0).unwrap(), 2).unwrap();
    let published = descent.scale();
    let mut context = ReleaseContext::seeded(17);
    let mut squares = 0.0;
    for _ in 0..1_000 {
        let release = released(&descent, &records, &xs, &mut context).unwrap();
        squares += m.dist(&center(&*m), release.value()).powi(2);
    }
    let ratio = (squares / 1_000.0 / 3.0).sqrt() / published;
    assert!((0.45..0.65).contains(&ratio), "{ratio}");
}

/// Values of the predictor beyond its public range count as its ends.
/// Their squares are no numbers, so noise that is calibrated to them would be too small.
#[test]
fn lengths_that_cannot_be_computed_with_are_refused() {
    let plane = manifold("euclidean:2");
    let regression = |radius, slope| {
        let ball = Ball::at_origin(&*plane, radius).unwrap();
        PrivateRegression::new(Arc::clone(&plane), ball, PredictorRange::new(0.0, 1.0).unwrap(), slope)
    };
    for tiny in [5e-324, 1e-310, 1e-141] {
        assert_eq!(regression(tiny, 1.0).unwrap_err().parameter(), Some("radius"));
        assert_eq!(regression(1.0, tiny).unwrap_err().parameter(), Some("slope_bound"));
        let error = regression(1.0, 1.0).unwrap().residual_bound(tiny).unwrap_err();
        assert_eq!(error.parameter(), Some("residual_bound"));
    }
    assert_eq!(regression(1e141, 1.0).unwrap_err().parameter(), Some("radius"));
    assert!(regression(1e-139, 1e-139).is_ok());
}

#[test]
fn predictors_are_clamped_to_their_range() {
    for name in ["euclidean:1", "sphere:2"] {
        let m = manifold(name);
        let (records, xs) = sample(&m, 12, 0.6, 1.0, 0.1, 4);
        let regression = regression(&m, 0.6, 1.0);
        let (mut beyond, mut ends) = (xs.clone(), xs);
        (beyond[3], beyond[7]) = (1e300, -1e300);
        (ends[3], ends[7]) = (20.0, 10.0);
        for plan in all_mechanisms(&regression, 12, Guarantee::pure(1.0).unwrap()) {
            let release =
                |xs: &[f64]| geodesic_of(&released(&*plan, &records, xs, &mut ReleaseContext::seeded(1)).unwrap());
            assert_eq!(release(&beyond), release(&ends), "{name}, {}", plan.name());
        }
    }
}

#[test]
fn releases_are_the_same_for_any_number_of_threads() {
    let m = manifold("sphere:2");
    let (records, xs) = sample(&m, 2000, 0.6, 1.0, 0.1, 4);
    let regression = regression(&m, 0.6, 1.0);
    let release = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let descent = RegressionDescent::new(&regression, 2000, Guarantee::pure(1.0).unwrap()).unwrap();
            geodesic_of(&released(&descent, &records, &xs, &mut ReleaseContext::seeded(1)).unwrap())
        })
    };
    assert_eq!(release(1), release(3));
}

/// Of ten records.
const LARGE: &str = "noise-exceeds-ball";

#[test]
fn releases_say_how_they_were_made() {
    let m = manifold("sphere:2");
    let (records, xs) = sample(&m, 10, 0.6, 1.0, 0.1, 4);
    let budget = Guarantee::pure(1.0).unwrap();
    let json = |m: &Arc<dyn Manifold>, records: &Points, xs: &[f64], name: MechanismName| {
        let plan = Request::new(regression(m, 0.6, 1.0), 10, budget).plan_by(name).unwrap();
        serde_json::to_value(released(&*plan, records, xs, &mut ReleaseContext::seeded(1)).unwrap()).unwrap()
    };
    let chain = json(&m, &records, &xs, MechanismName::Kng);
    assert_eq!(chain["statistic"], "geodesic-regression");
    assert_eq!(chain["predictor_range"], serde_json::json!({"low": 10.0, "high": 20.0}));
    assert_eq!((&chain["schema"], &chain["unit"], &chain["numerics"]), (&3.into(), &"record".into(), &"mcmc".into()));
    assert_eq!(chain["ball"]["space"], "sphere:2");
    assert_eq!(
        chain["flags"],
        serde_json::json!(["idealized-numerics", "seeded", "mcmc-approximate", "noise-exceeds-ball"])
    );
    assert_eq!(chain["shooting_vector"].as_array().unwrap().len(), 3);
    assert!(json(&m, &records, &xs, MechanismName::GradientDescent)["steps"].as_array().is_some());
    let line = manifold("euclidean:1");
    let (records, xs) = sample(&line, 10, 0.6, 1.0, 0.1, 4);
    for name in [MechanismName::Kng, MechanismName::Linear, MechanismName::GradientDescent] {
        let release = json(&line, &records, &xs, name);
        let (flags, numerics) = match name {
            MechanismName::Kng => (serde_json::json!(["idealized-numerics", "seeded", LARGE]), "idealized"),
            _ => (serde_json::json!(["seeded", "little-information", LARGE]), "exact"),
        };
        assert_eq!((&release["flags"], &release["numerics"]), (&flags, &numerics.into()), "{name}");
        assert_eq!(release["mechanism"], name.name());
    }
}

#[test]
fn auto_takes_the_smallest_expected_distance_of_exact_draws() {
    for (name, radius, slope) in SPACES {
        let m = manifold(name);
        let regression = regression(&m, radius, slope).residual_bound(0.2 * radius).unwrap();
        for n in [2, 50, 5000] {
            let budget = Guarantee::approximate(1.0, 1e-6).unwrap();
            let auto = Request::new(regression.clone(), n, budget).plan().unwrap();
            let all = all_mechanisms(&regression, n, budget);
            let exact = all.iter().filter(|plan| plan.is_exact());
            assert!(auto.is_exact() && exact.clone().count() > 0);
            assert!(exact.clone().all(|plan| auto.expected_distance() <= plan.expected_distance()));
        }
    }
}

#[test]
fn bad_parameters_are_refused_with_a_sentence() {
    let m = manifold("sphere:2");
    let ball = Ball::at_origin(&*m, 0.5).unwrap();
    let range = |low, high| PredictorRange::new(low, high).map_err(|e| e.to_string());
    let unit = range(0.0, 1.0).unwrap();
    let slope =
        |v: f64| PrivateRegression::new(Arc::clone(&m), ball.clone(), unit, v).map(|_| ()).unwrap_err().to_string();
    assert!(slope(3.2).starts_with("slope bound is 3.2: on sphere:2 it must be below the injectivity radius, 3.14"));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(slope(bad).contains("slope bound is"), "{bad}");
        let regression = PrivateRegression::new(Arc::clone(&m), ball.clone(), unit, 1.0).unwrap();
        assert!(regression.residual_bound(bad).unwrap_err().to_string().contains("residual bound is"));
    }
    let hyperbolic = manifold("hyperbolic:2");
    let ball = Ball::at_origin(&*hyperbolic, 1.0).unwrap();
    assert!(
        PrivateRegression::new(hyperbolic, ball, unit, 2000.0).unwrap_err().to_string().contains("negative curvature")
    );
    assert_eq!(
        range(1.0, 1.0).unwrap_err(),
        "predictor range is 1: the lower end comes first, and must be less than the upper end, 1"
    );
    assert!(range(2.0, 1.0).is_err() && range(f64::NAN, 1.0).is_err() && range(0.0, f64::INFINITY).is_err());
    assert!(range(-f64::MAX, f64::MAX).is_err());

    let regression = regression(&m, 0.6, 1.0);
    let budget = Guarantee::pure(1.0).unwrap();
    for steps in [0, 101, 1 << 32, usize::MAX] {
        let error = RegressionDescent::with_steps(&regression, 400, budget, steps).unwrap_err().to_string();
        assert!(error.starts_with("steps is ") && error.contains("a descent takes from 1 to 100 steps"), "{error}");
    }
    let most = RegressionDescent::MOST_STEPS;
    let descent = RegressionDescent::with_steps(&regression, 400, budget, most).unwrap();
    assert_eq!(descent.summary().steps.as_ref().map(Vec::len), Some(most));
    let request = |n| Request::new(regression.clone(), n, budget);
    assert!(request(1).candidates().iter().all(|c| c.plan.is_err()));
    let error = request(1).plan().unwrap_err().to_string();
    assert_eq!(error, "number of records is 1: a regression needs at least two");
    let error = LinearRegression::new(&regression, 9, budget).unwrap_err().to_string();
    assert!(error.contains("the space is curved; use the mechanism gradient-descent or kng"), "{error}");
    let (records, mut xs) = sample(&m, 10, 0.6, 1.0, 0.1, 4);
    let plan = request(10).plan().unwrap();
    let mut context = ReleaseContext::seeded(1);
    let missing = plan.run(&records, &mut context).unwrap_err().to_string();
    assert_eq!(missing, "number of predictors is 0: a regression needs one a record");
    xs[3] = f64::NAN;
    let error = released(&*plan, &records, &xs, &mut context).unwrap_err().to_string();
    assert_eq!(error, "record 4: its predictor is NaN");
    xs[3] = 13.0;
    assert!(released(&*plan, &records, &xs, &mut context).is_ok());
    assert!(released(&*plan, &records, &xs[1..], &mut context).is_err());
    assert!(released(&*request(9).plan().unwrap(), &records, &xs, &mut context).is_err());
}

/// A private slope far beyond the records: what is predicted is still a matrix.
#[test]
fn predictions_are_points_however_far_they_reach() {
    let m = manifold("spd-log-euclidean:9");
    let ball = Ball::at_origin(&*m, 25.0).unwrap();
    let range = PredictorRange::new(20.0, 80.0).unwrap();
    let regression = PrivateRegression::new(Arc::clone(&m), ball.clone(), range, 40.0).unwrap();
    let linear = LinearRegression::new(&regression, 5, Guarantee::pure(0.05).unwrap()).unwrap();
    let records = Points::new(&*m, ball.center().repeat(5)).unwrap();
    for seed in 0..5 {
        let xs = [20.0, 30.0, 40.0, 60.0, 80.0];
        let release = released(&linear, &records, &xs, &mut ReleaseContext::seeded(seed)).unwrap();
        for x in [20.0, 50.0, 80.0, 300.0] {
            m.check_point(&release.geodesic().unwrap().predict(&*m, x)).unwrap();
        }
    }
}

/// A predictor in another unit than its range, or of one value, is clamped to hardly any variance: the noisy moments of
/// the line say so, and the flag follows from what is released. A predictor that fills its range has none.
#[test]
fn a_predictor_without_spread_in_its_range_is_flagged() {
    let n = 2_000;
    let day = |i: usize| i as f64 / (n - 1) as f64;
    let years = |i: usize| 2000.0 + 10.0 * day(i);
    type Unit<'a> = (&'a str, &'a dyn Fn(usize) -> f64, bool);
    let units: [Unit<'_>; 5] = [
        ("years", &years, false),
        ("Excel days", &|i| 36_526.0 + 3_652.0 * day(i), true),
        ("Unix seconds", &|i| 946_684_800.0 + 3.16e8 * day(i), true),
        ("one year", &|_| 2_004.0, true),
        ("years since 2000", &|i| 10.0 * day(i), true),
    ];
    let line = manifold("euclidean:1");
    let ball = Ball::new(&*line, vec![0.5], 1.0).unwrap();
    let range = PredictorRange::new(2000.0, 2010.0).unwrap();
    let regression = PrivateRegression::new(line.clone(), ball, range, 2.0).unwrap();
    let records = Points::new(&*line, (0..n).map(day).collect()).unwrap();
    for (mechanism, adjacency) in [
        (MechanismName::Linear, Adjacency::ReplaceOne),
        (MechanismName::Linear, Adjacency::AddRemove),
        (MechanismName::GradientDescent, Adjacency::ReplaceOne),
    ] {
        for epsilon in [5.0, 1e6] {
            let budget = Guarantee::pure(epsilon).unwrap();
            let plan = Request::new(regression.clone(), n, budget).adjacency(adjacency).plan_by(mechanism).unwrap();
            for (unit, predictor, is_little) in units {
                let xs: Vec<f64> = (0..n).map(predictor).collect();
                let all = Observations::new(&records).with_predictors(&xs).unwrap();
                let mut flagged = 0;
                for seed in 0..20 {
                    let release = plan.run(&all, &mut ReleaseContext::seeded(seed)).unwrap();
                    flagged += usize::from(release.flags().contains(&Flag::LittleInformation));
                    let line = release.geodesic().unwrap().predictor_variance.unwrap();
                    let variance = if is_little { 0.0 } else { 1.0 / 12.0 };
                    let off = 12.0 * line.deviation + 1e-4;
                    assert!((line.value - variance).abs() < off, "{unit} {mechanism}: {line:?}");
                }
                // noise of three deviations hides it once in 700
                let expected = if is_little { 18..=20 } else { 0..=0 };
                assert!(expected.contains(&flagged), "{unit}, {mechanism}, ε = {epsilon}: {flagged}");
            }
        }
    }
}
