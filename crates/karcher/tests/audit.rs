//! The audit against the shipped mechanisms, which it must not refute, and against planted bugs, which it must.
//!
//! Each audit is wrong with probability 1e-6 at most (a lower bound above the truth), and seeds are fixed.

use crate::common::{is_attack, some};
use karcher::audit::{Effort, audit, lower_bound, neighbours};
use karcher::manifold::{Hyperbolic, Sphere};
use karcher::mechanism::{PrivateFrechetMean, Request};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::Guarantee;
use karcher::release::MechanismName;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::sensitivity;
use karcher::{Ball, Manifold, Points, Space};
use std::sync::Arc;

const ERROR: f64 = 1e-6;

#[test]
fn shipped_mechanisms_keep_their_promise() {
    let budgets = [
        Guarantee::pure(1.0).unwrap(),
        Guarantee::approximate(1.0, 1e-3).unwrap(),
        Guarantee::gaussian(0.8).unwrap(),
        Guarantee::concentrated(0.3).unwrap(),
    ];
    let spaces = [
        ("euclidean:2", 1.0),
        ("sphere:2", 0.6),
        ("hyperbolic:2", 1.0),
        ("spd-log-euclidean:2", 1.0),
        ("spd-affine-invariant:2", 0.7),
        ("kendall:4", 0.25),
    ];
    let mut audited = 0;
    let all: Vec<_> = spaces.into_iter().enumerate().collect();
    for (i, (name, radius)) in some(&all, 1, 3) {
        let m = name.parse::<Space>().unwrap().manifold().unwrap();
        let mean = PrivateFrechetMean::new(Arc::clone(&m), Ball::at_origin(&*m, radius).unwrap()).unwrap();
        // every space with two of the budgets
        for budget in [budgets[i % 4], budgets[(i + 2) % 4]] {
            let request = Request::new(mean.clone(), 8, budget);
            for plan in request.candidates().into_iter().filter_map(|candidate| candidate.plan.ok()) {
                let mechanism = plan.name();
                let mut generator = Generator::seeded(9);
                let effort = Effort { releases: 2_000, error_probability: ERROR };
                let found = audit(&*plan, effort, &mut generator, &|_| ()).unwrap();
                assert!(found.passed, "{name}, {mechanism}, {budget}: {found:?}");
                // where noise is calibrated to the sensitivity of the mean itself, and that is nearly attained, leakage
                // must show
                if mechanism == MechanismName::Laplace && budget == budgets[0] {
                    assert!(found.lower_bound > 0.2, "{name}, {mechanism}: {found:?}: no power");
                }
                audited += 1;
            }
        }
    }
    assert!(audited > if is_attack() { 30 } else { 8 }, "{audited}");
}

/// Scores of `n` releases: logarithms of likelihood ratios of Laplace laws with centers and scales that may differ.
fn laplace_scores(m: &Sphere, n: usize, of: usize, means: &[Vec<f64>; 2], scales: [f64; 2]) -> Vec<f64> {
    let law = Isotropic::new(Arc::new(m.clone()), Law::Laplace, scales[of]).unwrap();
    let mut generator = Generator::seeded(20 + of as u64);
    let mut x = means[of].clone();
    (0..n)
        .map(|_| {
            law.sample(&means[of], &mut generator, &mut x).unwrap();
            m.dist(&means[1], &x) / scales[1] - m.dist(&means[0], &x) / scales[0]
        })
        .collect()
}

#[test]
fn half_the_scale_is_found_out() {
    let m = Sphere::new(2).unwrap();
    let (radius, n) = (0.6, 20);
    let claim = Guarantee::pure(1.0).unwrap();
    let scale = sensitivity::frechet_mean(&m, radius, n, None).unwrap().value();
    let pair = neighbours(&m, &Ball::at_origin(&m, radius).unwrap(), n).unwrap().swap_remove(1);
    let lower = |scale: f64| {
        let scores = [0, 1].map(|of| laplace_scores(&m, 20_000, of, &pair.means, [scale; 2]));
        lower_bound(claim, &scores[0], &scores[1], ERROR).unwrap()
    };
    println!("half the scale: {}", lower(0.5 * scale));
    assert!(lower(0.5 * scale) > 1.3, "{}", lower(0.5 * scale));
    assert!(lower(scale) <= 1.0, "the right scale must pass: {}", lower(scale));
}

#[test]
fn sensitivity_read_from_the_data_is_found_out() {
    // the radius maxᵢ ρ(x̄, xᵢ) in place of a public one: Soto et al. 2022, for shapes
    let m = Sphere::new(2).unwrap();
    let n = 20;
    let claim = Guarantee::pure(1.0).unwrap();
    let point = |s: f64| vec![s.sin(), 0.0, s.cos()];
    let data = |last: f64| {
        let values: Vec<f64> = (0..n - 1).map(|i| 0.02 * (i % 2) as f64).chain([last]).flat_map(point).collect();
        Points::new(&m, values).unwrap()
    };
    let sets = [data(0.01), data(0.5)]; // one record moved, within a ball of radius 0.5
    let means = [0, 1].map(|k| FrechetMean::new(&m).fit(sets[k].view()).unwrap());
    let scales = [0, 1].map(|k| {
        let radius = sets[k].view().iter().map(|x| m.dist(&means[k], x)).fold(0.0, f64::max);
        sensitivity::frechet_mean(&m, radius, n, None).unwrap().value()
    });
    let scores = [0, 1].map(|of| laplace_scores(&m, 20_000, of, &means, scales));
    let lower = lower_bound(claim, &scores[0], &scores[1], ERROR).unwrap();
    println!("radius read from the data: {lower}");
    assert!(lower > 3.0, "{lower}");
}

#[test]
fn flat_calibration_on_hyperbolic_space_is_found_out() {
    // σ = Δ/μ is right in flat space; on H³ at σ = Δ = 1 the noise is 1.3666-GDP, not 1-GDP
    let m = Hyperbolic::new(3).unwrap();
    let claim = Guarantee::gaussian(1.0).unwrap();
    let law = Isotropic::new(Arc::new(m.clone()), Law::Gaussian, 1.0).unwrap();
    let points = [vec![1.0, 0.0, 0.0, 0.0], vec![1.0_f64.cosh(), 1.0_f64.sinh(), 0.0, 0.0]];
    let scores = [0, 1].map(|of| {
        let mut generator = Generator::seeded(30 + of as u64);
        let mut x = points[of].clone();
        (0..20_000)
            .map(|_| {
                law.sample(&points[of], &mut generator, &mut x).unwrap();
                m.dist(&points[1], &x).powi(2) - m.dist(&points[0], &x).powi(2)
            })
            .collect::<Vec<f64>>()
    });
    let lower = lower_bound(claim, &scores[0], &scores[1], ERROR).unwrap();
    println!("flat calibration: {lower}");
    assert!(lower > 1.2 && lower <= 1.366_562, "{lower}");
}

#[test]
fn neighbours_differ_in_one_record_and_lie_in_the_ball() {
    for (name, radius) in [("sphere:2", 0.6), ("kendall:5", 0.3), ("euclidean:1", 2.0), ("spd-affine-invariant:3", 1.0)]
    {
        let m = name.parse::<Space>().unwrap().manifold().unwrap();
        let ball = Ball::at_origin(&*m, radius).unwrap();
        for n in [1, 2, 9] {
            let pairs = neighbours(&*m, &ball, n).unwrap();
            let gaps: Vec<f64> = pairs.iter().map(|pair| m.dist(&pair.means[0], &pair.means[1])).collect();
            let bound = sensitivity::frechet_mean(&*m, radius, n, None).unwrap().value();
            for (pair, gap) in pairs.iter().zip(&gaps) {
                let [a, b] = [&pair.data[0], &pair.data[1]];
                assert_eq!((a.len(), b.len()), (n, n));
                let changed = a.view().iter().zip(b.view().iter()).filter(|(x, y)| x != y).count();
                assert_eq!(changed, 1, "{name}, {}", pair.name);
                for x in a.view().iter().chain(b.view().iter()) {
                    assert!(m.dist(ball.center(), x) <= radius * (1.0 + 1e-9));
                }
                assert!(*gap <= bound * (1.0 + 1e-6), "{name}, {}: {gap} above {bound}", pair.name);
            }
            assert!(
                gaps.iter().fold(0.0, |a: f64, b| a.max(*b)) > 0.8 * bound || n < 9,
                "{name}: {gaps:?} against {bound}"
            );
        }
    }
}
