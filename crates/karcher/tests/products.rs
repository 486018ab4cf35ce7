//! Private means of several things at once, and of angles; the law of noise on a product.

use crate::common;
use crate::common::{cloud, manifold, origin};
use karcher::audit::{Neighbours, neighbours, one_less};
use karcher::manifold::Manifold;
use karcher::mechanism::{KNormGradient, KarcherFlow, Noise, Plan, PrivateFrechetMean, Request};
use karcher::nonprivate::FrechetMean;
use karcher::privacy::{GaussianCalibration, Guarantee};
use karcher::release::MechanismName;
use karcher::sampler::{Generator, Isotropic, Law};
use karcher::{Ball, Points, ReleaseContext};
use rand::RngExt;
use std::f64::consts::PI;
use std::sync::Arc;

/// `n` records at random in the middle of a box around the origin.
fn records(m: &dyn Manifold, n: usize, half_width: f64) -> Points {
    let mut generator = Generator::seeded(n as u64);
    let (mut v, mut x) = (vec![0.0; m.point_len()], vec![0.0; m.point_len()]);
    let mut values = vec![];
    for _ in 0..n {
        let c: Vec<f64> = (0..m.dim()).map(|_| generator.random_range(-half_width..half_width)).collect();
        m.from_frame(&origin(m), &c, &mut v);
        m.exp(&origin(m), &v, &mut x);
        values.extend_from_slice(&x);
    }
    Points::new(m, values).unwrap()
}

#[test]
fn a_torus_in_a_small_ball_is_flat_space() {
    let (torus, flat) = (manifold("torus:2"), manifold("euclidean:2"));
    let turned: Vec<f64> = records(&*flat, 50, 1.0).view().values().to_vec();
    let mean = FrechetMean::new(&*flat).fit(Points::new(&*flat, turned.clone()).unwrap().view()).unwrap();
    // relative to the other side, where angles wrap
    let mut moved: Vec<f64> = turned.iter().map(|x| x + PI - 0.2).collect();
    moved.chunks_exact_mut(2).for_each(|x| torus.normalize(x));
    let found = FrechetMean::new(&*torus).fit(Points::new(&*torus, moved).unwrap().view()).unwrap();
    let mut expected: Vec<f64> = mean.iter().map(|x| x + PI - 0.2).collect();
    torus.normalize(&mut expected);
    assert!(torus.dist(&found, &expected) < 1e-12, "{found:?} {expected:?}");
}

/// With so large a budget that the noise is negligible, the release is the mean. With a usual budget it is within many
/// times the noise's scale, 0.006 for the flow and 0.012 for kng.
#[test]
fn means_on_products_and_tori_are_released_by_the_flow_and_by_kng() {
    for name in ["sphere:2*euclidean:1", "torus:2", "torus:2*hyperbolic:2", "euclidean:1*spd-affine-invariant:2"] {
        let m = manifold(name);
        let ball = Ball::at_origin(&*m, 1.2).unwrap();
        let records = records(&*m, 400, 0.4);
        let mean = FrechetMean::new(&*m).fit(records.view()).unwrap();
        let private = PrivateFrechetMean::new(m.clone(), ball).unwrap();
        for (epsilon, most) in [(1e6, 1e-3), (1.0, 0.3)] {
            let flow = Guarantee::gaussian(epsilon).unwrap();
            let flow = KarcherFlow::new(&private, 400, flow).unwrap();
            let release = flow.run(&records, &mut ReleaseContext::seeded(1)).unwrap();
            m.check_point(release.value()).unwrap();
            assert!(m.dist(release.value(), &mean) < most, "{name} karcher-flow {epsilon}");
        }
        for (epsilon, most) in [(1e6, 1e-3), (1.0, 0.3)] {
            let kng = KNormGradient::new(&private, 400, Guarantee::pure(epsilon).unwrap()).unwrap();
            let release = kng.run(&records, &mut ReleaseContext::seeded(2)).unwrap();
            m.check_point(release.value()).unwrap();
            assert!(m.dist(release.value(), &mean) < most, "{name} kng {epsilon}");
        }
    }
}

#[test]
fn noise_around_private_points_is_refused_where_the_cut_locus_varies() {
    for name in ["sphere:2*euclidean:1", "torus:2"] {
        let m = manifold(name);
        let refused = Noise::laplace(m.clone(), 0.1, Guarantee::pure(1.0).unwrap()).unwrap_err().to_string();
        let expected = format!(
            "the laplace mechanism is not available on {name}: geodesics cease to be the shortest at a distance that \
             depends on their direction"
        );
        assert!(refused.starts_with(&expected), "{refused}");
        let budget = Guarantee::gaussian(1.0).unwrap();
        let refused =
            |budget| Noise::gaussian(m.clone(), 0.1, budget, GaussianCalibration::Analytic).unwrap_err().to_string();
        assert!(refused(budget).starts_with("the gaussian mechanism is not"));
    }
}

/// Flat factors make a flat product, with everything that is known of `R^d`.
#[test]
fn noise_on_a_flat_product_is_that_of_flat_space() {
    let (product, flat) = (manifold("euclidean:2*spd-log-euclidean:2*hyperbolic:1"), manifold("euclidean:6"));
    let law =
        |m: &Arc<dyn Manifold>| Isotropic::new(m.clone(), Law::Gaussian, 0.3).unwrap().expected_distance().unwrap();
    assert_eq!(law(&product), law(&flat));
    let ball = Ball::at_origin(&*product, 2.0).unwrap();
    let mean = PrivateFrechetMean::new(product.clone(), ball).unwrap();
    let request = Request::new(mean, 100, Guarantee::gaussian(1.0).unwrap());
    let plan = request.plan_by(MechanismName::Gaussian).unwrap();
    let release = plan.run(&cloud(&product, 100, 0.5, 3), &mut ReleaseContext::seeded(3)).unwrap();
    assert!(release.flags().iter().all(|flag| !flag.to_string().contains("rounding-allowance")));
    product.check_point(release.value()).unwrap();
}

/// A law from a density, known up to a factor, on a grid of its logarithmic or linear variable: `P(X ≤ x)`.
fn distribution(from: f64, to: f64, density: impl Fn(f64) -> f64) -> impl Fn(f64) -> f64 {
    const CELLS: usize = 4000;
    let width = (to - from) / CELLS as f64;
    let mut sums = vec![0.0];
    for i in 0..CELLS {
        sums.push(sums[i] + density(from + (i as f64 + 0.5) * width));
    }
    let total = sums[CELLS];
    move |x: f64| {
        let place = ((x - from) / width).clamp(0.0, CELLS as f64);
        let (i, rest) = (place as usize, place.fract());
        let next = sums[(i + 1).min(CELLS)];
        (sums[i] + rest * (next - sums[i])) / total
    }
}

/// `√n·D` of a sample and a distribution function.
fn kolmogorov(mut sample: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let apart = |(i, x): (usize, &f64)| {
        let c = cdf(*x);
        (c - i as f64 / n).abs().max(((i + 1) as f64 / n - c).abs())
    };
    n.sqrt() * sample.iter().enumerate().map(apart).fold(0.0, f64::max)
}

/// Laplace noise of scale σ on `H² × R`: a draw at `(a·u, t)` in the tangent space has density
/// `e^{−√(a²+t²)/σ}·a·sinhc(a)`. So `s = √(a²+t²)` has the density `e^{−s/σ}·s·∫₀^π sinh(s sin φ) dφ`, and `t` has
/// `∫ sinh(a)·e^{−√(a²+t²)/σ} da`, both integrated here by the midpoint rule.
///
/// A correct sampler exceeds 2.8 with probability 3.1e-7 (Kolmogorov). Power: the laws without volume density must be
/// rejected.
#[test]
fn laplace_draws_on_a_product_follow_their_law() {
    const SCALE: f64 = 0.5;
    let m = manifold("hyperbolic:2*euclidean:1");
    let law = Isotropic::new(m.clone(), Law::Laplace, SCALE).unwrap();
    let center = common::at(&*m, &origin(&*m), &[1.0, -0.5, 2.0], 1.5);
    let mut generator = Generator::seeded(17);
    let (mut distances, mut flat) = (vec![], vec![]);
    let mut x = vec![0.0; 4];
    for _ in 0..20_000 {
        law.sample(&center, &mut generator, &mut x).unwrap();
        distances.push(m.dist(&center, &x));
        flat.push(x[3] - center[3]);
    }
    let midpoint = |from: f64, to: f64, f: &dyn Fn(f64) -> f64| -> f64 {
        let width = (to - from) / 400.0;
        (0..400).map(|i| width * f(from + (f64::from(i) + 0.5) * width)).sum()
    };
    let far = 60.0 * SCALE;
    let distance = |sinh: fn(f64) -> f64| {
        distribution(0.0, far, move |s| (-s / SCALE).exp() * s * midpoint(0.0, PI, &|angle: f64| sinh(s * angle.sin())))
    };
    let coordinate = |sinh: fn(f64) -> f64| {
        distribution(-far, far, move |t| midpoint(0.0, far, &|a: f64| sinh(a) * (-a.hypot(t) / SCALE).exp()))
    };
    let found = [kolmogorov(distances.clone(), distance(f64::sinh)), kolmogorov(flat.clone(), coordinate(f64::sinh))];
    assert!(found.iter().all(|d| *d < 2.8), "{found:?}");
    let wrong = [kolmogorov(distances, distance(|a| a)), kolmogorov(flat, coordinate(|a| a))];
    assert!(wrong.iter().all(|d| *d > 2.8), "no power: {wrong:?}");
    // and what is said of the distance beforehand, to five standard errors
    let mean = |xs: &[f64]| xs.iter().sum::<f64>() / xs.len() as f64;
    let said = law.expected_distance().unwrap();
    let mut again = vec![];
    for _ in 0..20_000 {
        law.sample(&center, &mut generator, &mut x).unwrap();
        again.push(m.dist(&center, &x));
    }
    let spread = mean(&again.iter().map(|s| (s - mean(&again)).powi(2)).collect::<Vec<_>>()).sqrt();
    assert!((mean(&again) - said).abs() < 5.2 * spread / 20_000_f64.sqrt() + 3e-3 * said, "{said}");
}

/// A sphere, a smaller cap and a line, each with its own radius.
fn three_balls() -> (Arc<dyn Manifold>, Ball) {
    let m = manifold("sphere:2*sphere:2*euclidean:1");
    let ball = Ball::of_factors(&*m, origin(&*m), vec![1.1, 0.4, 30.0]).unwrap();
    (m, ball)
}

/// The point at given coordinates in the frame at the origin.
fn at(m: &dyn Manifold, c: &[f64]) -> Vec<f64> {
    let (mut v, mut x) = (vec![0.0; m.point_len()], vec![0.0; m.point_len()]);
    m.from_frame(&origin(m), c, &mut v);
    m.exp(&origin(m), &v, &mut x);
    x
}

/// All records but one are at the ends of a diameter of each cap, and one goes along the other diameter: the Hessian is
/// as small there as it gets. So no smaller bound holds; one ball around the three would be refused.
#[test]
fn the_sensitivity_of_balls_in_factors_is_attained() {
    let (m, ball) = three_balls();
    let [a, b, c] = [1.1, 0.4, 30.0];
    let n = 2_001;
    let mean = |end: f64| {
        let mut values = at(&*m, &[0.0, end * a, 0.0, end * b, end * c]);
        for i in 1..n {
            let side = if i % 2 == 0 { 1.0 } else { -1.0 };
            values.extend(at(&*m, &[side * a, 0.0, side * b, 0.0, 0.0]));
        }
        FrechetMean::new(&*m).fit(Points::new(&*m, values).unwrap().view()).unwrap()
    };
    let moved = m.dist(&mean(1.0), &mean(-1.0));
    let private = PrivateFrechetMean::new(m.clone(), ball.clone()).unwrap();
    let bound = private.sensitivity(n).unwrap().value();
    let by_formula = 2.0 / n as f64 * (a.tan().powi(2) + b.tan().powi(2) + c * c).sqrt();
    assert!((bound / by_formula - 1.0).abs() < 1e-8, "{bound} {by_formula}");
    assert!(moved <= bound && moved > 0.999 * bound, "{moved} of {bound}");
    let one = PrivateFrechetMean::new(m.clone(), Ball::at_origin(&*m, ball.radius()).unwrap()).unwrap();
    assert!(one.sensitivity(n).is_err());
}

/// With so large a budget that noise is negligible, the release is the mean of records that are clipped in each factor.
#[test]
fn records_are_clipped_in_each_factor() {
    let (m, ball) = three_balls();
    let places = [[2.0, 0.0, 0.1, 0.0, 0.0], [0.2, 0.3, 0.0, -0.9, 40.0], [-0.5, 0.0, 0.2, 0.2, -10.0]];
    let clipped = [[1.1, 0.0, 0.1, 0.0, 0.0], [0.2, 0.3, 0.0, -0.4, 30.0], [-0.5, 0.0, 0.2, 0.2, -10.0]];
    let points = |all: &[[f64; 5]]| {
        let values = all.iter().flat_map(|c| at(&*m, c)).collect::<Vec<_>>().repeat(40);
        Points::new(&*m, values).unwrap()
    };
    let expected = FrechetMean::new(&*m).fit(points(&clipped).view()).unwrap();
    let private = PrivateFrechetMean::new(m.clone(), ball.clone()).unwrap();
    let mut kept = 0;
    for mechanism in [MechanismName::Chart, MechanismName::KarcherFlow] {
        let request = Request::new(private.clone(), 120, Guarantee::gaussian(1e9).unwrap());
        let Ok(plan) = request.plan_by(mechanism) else { continue };
        let release = plan.run(&points(&places), &mut ReleaseContext::seeded(1)).unwrap();
        assert!(m.dist(release.value(), &expected) < 1e-4, "{mechanism}");
        let again =
            serde_json::from_str::<karcher::release::PublishedRelease>(&serde_json::to_string(&release).unwrap());
        assert_eq!(again.unwrap().provenance.ball, ball);
        kept += 1;
    }
    assert!(kept >= 1);
}

#[test]
fn radii_that_do_not_fit_the_factors_are_refused() {
    let (m, ball) = three_balls();
    let of = |radii: &[f64]| Ball::of_factors(&*m, origin(&*m), radii.to_vec());
    assert!(of(&[1.0, 0.4]).unwrap_err().to_string().contains("one for each of sphere:2, sphere:2, euclidean:1"));
    assert!(of(&[1.0, 0.4, -1.0]).is_err());
    let wide = PrivateFrechetMean::new(m.clone(), of(&[1.0, 1.58, 2.0]).unwrap()).unwrap();
    let refused = wide.sensitivity(10).unwrap_err().to_string();
    assert!(refused.contains("sphere:2") && refused.contains("1.58") && !refused.contains('*'), "{refused}");
    let text = serde_json::to_string(&ball).unwrap();
    assert_eq!(serde_json::from_str::<Ball>(&text).unwrap(), ball);
    let edited = text.replace(&format!("{}", ball.radius()), "31.5");
    assert!(edited != text && serde_json::from_str::<Ball>(&edited).unwrap_err().to_string().contains("radii"));
}

/// What an audit tries comes near to the sensitivity in all factors together, and never beyond it.
#[test]
fn an_audit_goes_to_the_edge_of_every_factor() {
    let (m, ball) = three_balls();
    let n = 201;
    let bound = PrivateFrechetMean::new(m.clone(), ball.clone()).unwrap().sensitivity(n).unwrap().value();
    let moved = |pairs: Vec<Neighbours>| -> Vec<f64> {
        pairs.iter().map(|pair| m.dist(&pair.means[0], &pair.means[1]) / bound).collect()
    };
    let replaced = moved(neighbours(&*m, &ball, n).unwrap());
    assert!(replaced.iter().all(|share| *share <= 1.0) && replaced[1] > 0.99, "{replaced:?}");
    let removed = moved(one_less(&*m, &ball, n).unwrap());
    assert!(removed[..4].iter().all(|share| *share <= 1.0), "{removed:?}");
    // a ball of one radius goes along one axis
    let line = manifold("euclidean:3");
    let one = neighbours(&*line, &Ball::at_origin(&*line, 2.0).unwrap(), 10).unwrap();
    assert!((line.dist(&one[0].means[0], &one[0].means[1]) - 0.4).abs() < 1e-12);
}
