//! Principal components of records about a released mean (user guide, D3).

use crate::common::{at, manifold, origin};
use karcher::mechanism::{Components, PrivateFrechetMean, Request, Spread};
use karcher::privacy::{Definition, Guarantee, compose};
use karcher::release::{MechanismName, PublishedRelease, Release};
use karcher::sampler::Generator;
use karcher::{Ball, Manifold, Points, ReleaseContext};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::sync::Arc;

fn request(m: &Arc<dyn Manifold>, ball: Ball, n: usize, budget: Guarantee) -> Request {
    let mean = PrivateFrechetMean::new(Arc::clone(m), ball).unwrap();
    Request::new(mean, n, budget).components(Some(Components::default()))
}

fn released(request: &Request, records: &Points, seed: u64) -> Release {
    request.plan().unwrap().run(records, &mut ReleaseContext::seeded(seed)).unwrap()
}

/// Records about a point whose logarithms there vary by the given deviations along the axes of its frame.
fn ellipsoid(m: &dyn Manifold, center: &[f64], deviations: &[f64], n: usize) -> Points {
    let mut generator = Generator::seeded(9);
    let values = (0..n).flat_map(|_| {
        let v: Vec<f64> = deviations.iter().map(|s| s * generator.sample::<f64, _>(StandardNormal)).collect();
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        at(m, center, &v, length)
    });
    Points::new(m, values.collect()).unwrap()
}

/// With hardly any noise, variances and directions are those of the records' logarithms at the released value, in its
/// tangent space, wherever the ball is.
#[test]
fn components_are_those_of_the_logarithms() {
    for name in
        ["euclidean:3", "sphere:2", "hyperbolic:3", "spd-affine-invariant:2", "spd-log-euclidean:2", "kendall:4"]
    {
        let m = manifold(name);
        let center = at(&*m, &origin(&*m), &vec![1.0; m.dim()], 0.3);
        let deviations: Vec<f64> = (0..m.dim()).map(|i| 0.12 * 0.5_f64.powi(i as i32)).collect();
        let records = ellipsoid(&*m, &center, &deviations, 500);
        let ball = Ball::new(&*m, center, 0.7).unwrap();
        let release = released(&request(&m, ball, 500, Guarantee::pure(1e8).unwrap()), &records, 1);
        let components = release.components().unwrap();
        let p = release.value();
        for (i, direction) in components.directions.iter().enumerate() {
            m.check_tangent(p, direction).unwrap();
            for (j, other) in components.directions.iter().enumerate() {
                let inner = m.inner(p, direction, other);
                assert!((inner - f64::from(u8::from(i == j))).abs() < 1e-7, "{name} {i} {j}: {inner}");
            }
            // the variance along it, from the logarithms
            let along = |x: &[f64]| {
                let mut v = vec![0.0; x.len()];
                m.log(p, x, &mut v).unwrap();
                m.inner(p, direction, &v).powi(2)
            };
            let variance = records.view().iter().map(along).sum::<f64>() / 500.0;
            assert!((variance / components.variances[i] - 1.0).abs() < 1e-3, "{name} {i}: {variance} {components:?}");
        }
        assert!(components.variances.is_sorted_by(|a, b| a >= b));
        assert!((components.explained_variance_ratio.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(components.above_noise(), m.dim(), "{name}");
    }
}

/// The guarantees add up, and the release is read back as it was written.
#[test]
fn a_release_with_components_costs_what_it_says() {
    let m = manifold("sphere:2");
    let records = ellipsoid(&*m, &origin(&*m), &[0.2, 0.1], 100);
    for (budget, law) in [
        (Guarantee::pure(1.0), MechanismName::Laplace),
        (Guarantee::approximate(1.0, 0.01), MechanismName::Gaussian),
        (Guarantee::gaussian(0.7), MechanismName::Gaussian),
        (Guarantee::concentrated(0.1), MechanismName::Gaussian),
    ] {
        let budget = budget.unwrap();
        let release = released(&request(&m, Ball::at_origin(&*m, 0.5).unwrap(), 100, budget), &records, 1);
        let components = release.components().unwrap();
        assert_eq!((release.guarantee(), components.mechanism), (budget, law));
        let parts = [components.mean_guarantee, components.guarantee];
        let delta = |g: Guarantee| g.delta(0.9).unwrap();
        assert!(delta(compose(&parts).unwrap()) <= delta(budget) * (1.0 + 1e-9), "{budget}");
        let text = serde_json::to_string(&release).unwrap();
        let read: PublishedRelease = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
}

/// Noise on the matrix has the scale that its sensitivity requires. All records lie at the center of the ball, and the
/// mean is nearly exact. So the squared Frobenius norm of the noise has the mean `D·σ²`, or `D(D + 1)·σ²` for Laplace
/// noise, with `σ = √2·c²/(n·parameter)`. 2,000 releases measure it to 2 to 3 %: within 15 % is at least five standard
/// deviations, and a scale that is a tenth off changes it by 20 %.
#[test]
fn noise_has_the_scale_that_the_sensitivity_asks_for() {
    let m = manifold("euclidean:3");
    let n = 2_000;
    let records = Points::new(&*m, vec![0.0; 3 * n]).unwrap();
    for (budget, moment) in [(Guarantee::pure(2.0), 6.0 * 7.0), (Guarantee::gaussian(2.0_f64.sqrt()), 6.0)] {
        let request = request(&m, Ball::at_origin(&*m, 1.0).unwrap(), n, budget.unwrap());
        let plan = request.plan().unwrap();
        let mut sum = 0.0;
        let mut scale = 0.0;
        for seed in 0..2_000 {
            let release = plan.run(&records, &mut ReleaseContext::seeded(seed)).unwrap();
            let components = release.components().unwrap();
            scale = components.scale;
            // the mean is off by a thousandth of c, so that its squares are negligible compared with the noise
            sum += components.variances.iter().map(|v| v * v).sum::<f64>() / 2_000.0;
        }
        let expected = 2.0_f64.sqrt() / n as f64;
        assert!((scale / expected - 1.0).abs() < 1e-6, "{scale} {expected}");
        assert!((sum / (moment * scale * scale) - 1.0).abs() < 0.15, "{}", sum / (moment * scale * scale));
    }
}

/// Records without variation show no direction above the noise, nearly always. A direction with variation is found with
/// the number of records that the noise level requires.
#[test]
fn what_is_noise_is_told_from_what_is_not() {
    let m = manifold("euclidean:10");
    let n = 20_000;
    let long: Vec<f64> = (0..10).map(|i| if i == 4 { 0.3 } else { 0.0 }).collect();
    let (flat, long) = (Points::new(&*m, vec![0.0; 10 * n]).unwrap(), ellipsoid(&*m, &origin(&*m), &long, n));
    let request = request(&m, Ball::at_origin(&*m, 1.0).unwrap(), n, Guarantee::gaussian(1.0).unwrap());
    let plan = request.plan().unwrap();
    let mut false_ones = 0;
    for seed in 0..200 {
        let release = plan.run(&flat, &mut ReleaseContext::seeded(seed)).unwrap();
        false_ones += release.components().unwrap().above_noise();
    }
    assert!(false_ones < 40, "{false_ones} of 200");
    let release = plan.run(&long, &mut ReleaseContext::seeded(1)).unwrap();
    let components = release.components().unwrap();
    assert_eq!(components.above_noise(), 1);
    assert!(components.directions[0][4].abs() > 0.99 && (components.variances[0] - 0.09).abs() < 0.01);
}

/// All parts of one budget, whose guarantees add up to it.
#[test]
fn a_spread_and_components_share_a_budget() {
    let m = manifold("sphere:2");
    let records = ellipsoid(&*m, &origin(&*m), &[0.2, 0.1], 400);
    let ball = Ball::at_origin(&*m, 0.8).unwrap();
    for budget in [Guarantee::pure(8.0), Guarantee::approximate(1.0, 1e-6), Guarantee::gaussian(4.0)] {
        let budget = budget.unwrap();
        let request = request(&m, ball.clone(), 400, budget).spread(Some(Spread::default()));
        let release = released(&request, &records, 1);
        let (spread, components) = (release.spread().unwrap(), release.components().unwrap());
        assert_eq!(release.guarantee(), budget);
        assert_eq!(spread.mean_guarantee, components.mean_guarantee);
        let numbers = [spread.mean_square.guarantee, spread.fraction_outside.guarantee];
        let parts = [&numbers[..], &[components.mean_guarantee, components.guarantee]].concat();
        let delta = |g: Guarantee| g.delta(0.9).unwrap();
        assert!(delta(compose(&parts).unwrap()) <= delta(budget) * (1.0 + 1e-9), "{budget}");
    }
}

/// `(ε, δ)` is split as a μ where noise has many numbers, and as it is where it has few.
#[test]
fn a_budget_is_shared_out_in_the_better_way() {
    let budget = Guarantee::approximate(1.0, 1e-6).unwrap();
    for (dim, normal) in [(2, false), (10, true)] {
        let m = manifold(&format!("euclidean:{dim}"));
        let records = Points::new(&*m, vec![0.1; 50 * dim]).unwrap();
        let release = released(&request(&m, Ball::at_origin(&*m, 1.0).unwrap(), 50, budget), &records, 1);
        let components = release.components().unwrap();
        let is_normal = matches!(components.guarantee.definition(), Definition::Gaussian { .. });
        assert_eq!(is_normal, normal, "{dim}: {}", components.guarantee);
    }
}

#[test]
fn what_cannot_be_is_refused_before_records_are_seen() {
    let m = manifold("sphere:2");
    let ball = Ball::at_origin(&*m, 0.5).unwrap();
    let request = request(&m, ball, 10, Guarantee::pure(1.0).unwrap());
    for clip in [0.0, f64::NAN, 1e-200] {
        let refused = request.clone().components(Some(Components { clip: Some(clip) })).plan().unwrap_err();
        assert_eq!(refused.parameter(), Some("components_clip"));
    }
    let large = manifold("sphere:300");
    let ball = Ball::at_origin(&*large, 0.5).unwrap();
    let mean = PrivateFrechetMean::new(large, ball).unwrap();
    let request = Request::new(mean, 10, Guarantee::pure(1.0).unwrap()).components(Some(Components::default()));
    assert_eq!(request.plan().unwrap_err().parameter(), Some("dimension"));
}

/// Of 400 data sets the ellipsoid holds the mean of the population at least 364 times: a region of 95 % fails that with
/// a probability below 1e-4, one of 87 % passes it with one below 0.01. It is not needlessly large: with its axes at a
/// third it holds the mean far less often, and across the records it is narrower than the ball of the spread. Where
/// logarithms are shortened there is none.
#[test]
fn ellipsoids_hold_the_mean_of_the_population() {
    let m = manifold("sphere:2");
    let center = origin(&*m);
    let n = 2_000;
    let mean = PrivateFrechetMean::new(Arc::clone(&m), Ball::new(&*m, center.clone(), 1.0).unwrap()).unwrap();
    let asked =
        |clip| Request::new(mean.clone(), n, Guarantee::gaussian(1.0).unwrap()).components(Some(Components { clip }));
    let plan = asked(Some(2.0)).plan().unwrap();
    let many = ellipsoid(&*m, &center, &[0.2, 0.02], 400 * n);
    let (mut held, mut held_by_less, mut narrower) = (0, 0, 0);
    let with_spread = Request::new(mean.clone(), n, Guarantee::gaussian(1.0).unwrap()).spread(Some(Spread::default()));
    for (seed, records) in (0..400).zip(many.view().values().chunks(n * m.point_len())) {
        let records = Points::new(&*m, records.to_vec()).unwrap();
        let release = plan.run(&records, &mut ReleaseContext::seeded(seed)).unwrap();
        let mut components = release.components().unwrap().clone();
        held += usize::from(components.population_holds(&*m, release.value(), &center).unwrap());
        let region = components.population_region.as_mut().unwrap();
        if seed < 20 {
            let in_ball = released(&with_spread, &records, seed);
            let round = in_ball.spread().unwrap().population_region.unwrap().radius;
            narrower += usize::from(region.semi_axes[1] < round);
        }
        region.semi_axes.iter_mut().for_each(|axis| *axis /= 3.0);
        held_by_less += usize::from(components.population_holds(&*m, release.value(), &center).unwrap());
    }
    assert!(held >= 364 && held_by_less < 300 && narrower == 20, "{held} {held_by_less} {narrower}");
    let records = ellipsoid(&*m, &center, &[0.2, 0.02], n);
    // records may lie outside of the clip: the whole ball
    let region = released(&asked(None), &records, 1).components().unwrap().population_region.clone().unwrap();
    assert!(region.semi_axes.iter().all(|axis| *axis >= 1.0), "{region:?}");
}
